package svc

// This file has what lets callers in. In this order:
//
//   - Scheme, a kind of credentials as documents show it
//   - the identity of callers: Principal and its place in a context
//   - the guards that find it: Bearer (RFC 6750), APIKey and BasicAuth (RFC 7617)
//   - what guards share: their errors and challenges, and what may be logged of a credential
//   - the metadata document, which tells clients where to get a token (RFC 9728)
//   - AllowIPs, a guard by addresses, and Under, which applies middleware to a part of a site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Scheme is a kind of credentials: a Security Scheme Object of OpenAPI, for
// Options.Schemes. Register reports an unknown Type, also that of the zero value. Each Type
// needs the fields of its row, and no others:
//
//	Type             Credentials                               Fields
//	---------------  ----------------------------------------  ----------
//	"bearer"         a bearer token (RFC 6750)                 none
//	"basic"          a user and a password (RFC 7617)          none
//	"apiKey"         a key in a header of its own              Header
//	"openIdConnect"  a bearer token from an OpenID provider    ConfigURL
//	"oauth2"         a bearer token, by an authorization code  AuthURL, TokenURL
type Scheme struct {
	Type      string
	Header    string // the name of the header that has the key, such as X-Api-Key
	ConfigURL string // of the provider's configuration, which ends in /.well-known/openid-configuration (OpenID Connect Discovery 1.0, section 4)
	AuthURL   string // of the authorization endpoint (RFC 6749, section 3.1)
	TokenURL  string // of the token endpoint (RFC 6749, section 3.2)
}

// A scheme is a row of schemes: everything that documents, the page, contracts and
// challenges say of one Type. In a row, words in braces stand for the fields of a Scheme
// and for the scopes of the methods that have it. describe returns the row with the values:
//
//	ApiKey header="{Header}"  =>  ApiKey header="X-Api-Key"
type scheme struct {
	Name      string          `json:"name"` // the Type; in a document with two schemes of a type the second is "apiKey2"
	source    Scheme          // what describe has filled in; zero in a row
	object    json.RawMessage // the Security Scheme Object of OpenAPI; names the fields that the Scheme must have
	scoped    bool            // OpenAPI 3.0.3 allows scopes in a Security Requirement Object
	contract  string          // callers who have this credential cannot do with one that has another text here
	challenge string          // the value of WWW-Authenticate; "" for one that bearerChallenge returns
	Noun      string          `json:"noun"`            // the credential in a sentence, with an article
	Place     string          `json:"place,omitempty"` // is written after the noun or the name: the header, if it is not Authorization

	// The page asks for the credential with these labels and sends it in the header. If
	// there is none, the page cannot send the credential and does not ask for it.
	Label  string `json:"label"`
	User   string `json:"user,omitempty"` // "" if there is only a secret; else the page sends "user:secret" in base64
	Secret string `json:"secret"`
	Header string `json:"header"`
	Prefix string `json:"prefix,omitempty"` // stands before the credential in the header
	Curl   string `json:"curl"`             // arguments of curl; they name variables of the shell and contain no secret
}

// schemes has a row for each Type. Nothing else in the package depends on a Type.
var schemes = []scheme{
	{
		Name: "bearer", contract: "bearer", object: json.RawMessage(`{"type":"http","scheme":"bearer"}`),
		Noun: "a bearer token", Label: "Bearer token", Secret: "Token", Header: "Authorization", Prefix: "Bearer ", Curl: `-H "Authorization: Bearer $TOKEN"`,
	},
	{
		Name: "basic", contract: "basic", object: json.RawMessage(`{"type":"http","scheme":"basic"}`), challenge: `Basic realm="api", charset="UTF-8"`,
		Noun: "a user and password", Label: "User and password (Basic)", User: "User", Secret: "Password", Header: "Authorization", Prefix: "Basic ", Curl: `-u "$USER_AND_PASSWORD"`,
	},
	{ // its challenge is not registered, but a 401 must have one (RFC 9110, section 11.6.1)
		Name: "apiKey", contract: "apiKey {Header}", object: json.RawMessage(`{"type":"apiKey","name":"{Header}","in":"header"}`), challenge: `ApiKey header="{Header}"`,
		Noun: "an API key", Place: " in the header {Header}", Label: "API key ({Header})", Secret: "Key", Header: "{Header}", Curl: `-H "{Header}: $API_KEY"`,
	},
	{
		Name: "openIdConnect", contract: "openIdConnect", object: json.RawMessage(`{"type":"openIdConnect","openIdConnectUrl":"{ConfigURL}"}`), scoped: true,
		Noun: "a token of the OpenID provider", Label: "Token (OpenID Connect)", Secret: "Token", Header: "Authorization", Prefix: "Bearer ", Curl: `-H "Authorization: Bearer $TOKEN"`,
	},
	{
		Name: "oauth2", contract: "oauth2", object: json.RawMessage(`{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"{AuthURL}","tokenUrl":"{TokenURL}","scopes":{scopes}}}}`), scoped: true,
		Noun: "an access token", Label: "Access token (OAuth 2.0)", Secret: "Token", Header: "Authorization", Prefix: "Bearer ", Curl: `-H "Authorization: Bearer $TOKEN"`,
	},
}

// A schemeField is a field of a Scheme beside its Type.
type schemeField struct {
	name, example string
	value         func(Scheme) string
	isValid       func(value string) bool
}

// schemeFields are the fields of a Scheme beside its Type. A Scheme must have those that
// its row names in object, and no others.
var schemeFields = []schemeField{
	{"Header", "X-Api-Key", func(s Scheme) string { return s.Header }, func(name string) bool { return isToken(name) && headerOwner(name) == "" }},
	{"ConfigURL", "https://login.example/.well-known/openid-configuration", func(s Scheme) string { return s.ConfigURL }, isResourceURL},
	{"AuthURL", "https://login.example/authorize", func(s Scheme) string { return s.AuthURL }, isResourceURL},
	{"TokenURL", "https://login.example/token", func(s Scheme) string { return s.TokenURL }, isResourceURL},
}

// lookupScheme returns the row of a Type.
func lookupScheme(name string) (d scheme, ok bool) {
	i := slices.IndexFunc(schemes, func(d scheme) bool { return d.Name == name })
	if i < 0 {
		return d, false
	}
	return schemes[i], true
}

// needs reports whether a Scheme of this type must have the field.
func (d scheme) needs(field string) bool { return bytes.Contains(d.object, []byte("{"+field+"}")) }

// describe returns the row of s, which checkScheme has accepted, with the values of s.
// scopes are those of the methods that have s, with their descriptions.
func (s Scheme) describe(scopes map[string]string) scheme {
	list, _ := json.Marshal(scopes)
	words := []string{"{scopes}", string(list)}
	for _, f := range schemeFields {
		words = append(words, "{"+f.name+"}", f.value(s))
	}
	r := strings.NewReplacer(words...)
	d, _ := lookupScheme(s.Type)
	d.source, d.object = s, json.RawMessage(r.Replace(string(d.object)))
	for _, text := range []*string{&d.contract, &d.challenge, &d.Place, &d.Label, &d.Header, &d.Curl} {
		*text = r.Replace(*text)
	}
	return d
}

// checkScheme notes what is wrong with s.
func checkScheme(p *mistakes, s Scheme) {
	d, ok := lookupScheme(s.Type)
	if !ok {
		var names []string
		for _, d := range schemes {
			names = append(names, strconv.Quote(d.Name))
		}
		p.addf("the Type is %q; want one of %s", s.Type, strings.Join(names, ", "))
		return
	}
	for _, f := range schemeFields {
		value := f.value(s)
		p.addIf(d.needs(f.name) && !f.isValid(value), "the %s of the scheme %q is %q; want one such as %s", f.name, s.Type, value, f.example)
		p.addIf(!d.needs(f.name) && value != "", "the scheme %q has no %s; leave it empty", s.Type, f.name)
	}
}

// plainSchemes returns the rows whose credentials a page can send without knowing more: a
// guard may ask for one of them although Options.Schemes is empty.
func plainSchemes() (list []scheme) {
	for _, d := range schemes {
		if d.Header != "" && !slices.ContainsFunc(schemeFields, func(f schemeField) bool { return d.needs(f.name) }) {
			list = append(list, d)
		}
	}
	return list
}

// A Principal is the authenticated caller of a request. All code that handles the
// request shares it and must not change it. Two callers need two Subjects, and a caller
// always the same one: with an idempotency key it decides whose answer is repeated; see
// [Idempotency].
type Principal struct {
	Subject string    // who calls; the user name with BasicAuth
	Scopes  []string  // what the caller may do; see MethodOptions.Scopes
	Expires time.Time // when the token expires; zero means never. Calls in progress continue
	Claims  any       // anything else, for the application
}

// An identity is what a context knows about its caller.
type identity struct {
	principal *Principal // nil if the caller is unknown
	guard     *guard     // the last guard that the request passed; nil if none
	outer     *identity  // what was known in front of that guard; nil if nothing
}

// An identityKey is the key of an *identity in a context.
type identityKey struct{}

// nobody is the identity of a context in which no middleware has looked for the caller.
var nobody = new(identity)

func identityOf(ctx context.Context) *identity {
	id, _ := ctx.Value(identityKey{}).(*identity)
	return cmp.Or(id, nobody)
}

// PrincipalFrom returns the caller of the request that ctx belongs to, and reports
// whether the caller is known. [Bearer], [APIKey], [BasicAuth] and [WithPrincipal] set it.
func PrincipalFrom(ctx context.Context) (*Principal, bool) {
	p := identityOf(ctx).principal
	return p, p != nil
}

// WithPrincipal returns a copy of ctx in which p is the caller. Use it in your own
// middleware and with [Service.Call] and [Service.MCPStdio]. If p is nil, the caller
// is unknown.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	id := *identityOf(ctx)
	id.principal = p
	return context.WithValue(ctx, identityKey{}, &id)
}

// BearerOptions configures [Bearer]. The zero value and nil require a valid token and no
// scopes.
type BearerOptions struct {
	// Resource is the URL by which clients know this server, for example the URL
	// of the MCP endpoint. It begins with https:// or http://, and has neither a user nor a
	// fragment. verify must reject tokens that were issued for another server (RFC 8707,
	// section 2). Default: none.
	Resource string
	// AuthorizationServers are the URLs of the servers that issue tokens. If there
	// are any, Bearer serves the metadata document, and its challenges have the URL
	// of the document. Resource must be set too. They are URLs like Resource, without a
	// query (RFC 8414, section 2). Default: none.
	AuthorizationServers []string
	// Scopes are the scopes that every token must have. MethodOptions.Scopes are
	// the scopes that one method needs. A scope is visible ASCII without quotes and
	// backslashes (RFC 6749, section 3.3). Default: none.
	Scopes []string
	// Optional lets requests without a token pass. Services behind Bearer answer
	// them with UNAUTHENTICATED, except for public methods. Other handlers must
	// call PrincipalFrom themselves. A token that is sent must still be valid.
	Optional bool
	// OnError writes the responses to rejected requests. Default: WriteError.
	OnError ErrorWriter
	// Logger gets one line for each rejected request. No line contains a token or
	// part of one. Default: slog.Default at the time of each line.
	Logger *slog.Logger
}

// maxToken is the largest size of a token or a key, in bytes. It bounds the work of
// verify. Most servers accept less than that in all headers together.
const maxToken = 8 << 10

// Bearer returns middleware that requires a bearer token (RFC 6750) in the header
// Authorization, and passes requests with the [Principal] that verify returns for it:
//
//	The request                              Status  error in WWW-Authenticate
//	---------------------------------------  ------  -------------------------
//	has no token, or another scheme          401     none
//	has two headers, or a token that is      400     invalid_request
//	empty or longer than 8 KiB
//	has a token with characters that no      401     invalid_token
//	token has, one that has expired, or
//	one for which verify returns
//	UNAUTHENTICATED
//	has a token without one of Scopes        403     insufficient_scope
//	has a token for which verify returns     503     no such header
//	another error or nil, or panics
//
// A 503 has the Retry-After header of the error that verify returns, or else 1 second.
//
// verify gets the token as it was sent. It must check the signature, the issuer, the
// audience and, unless it sets Principal.Expires, the expiry time. Bearer calls it for
// each request, concurrently. Tokens in the query or in a form are ignored.
//
// If verify calls another server, set a deadline. If a request has a body and its
// client disconnects, net/http cancels ctx only after the body has been read. If
// verify returns an error after ctx has ended, the error counts as CANCELED or
// DEADLINE_EXCEEDED.
//
// A challenge for missing scopes also lists the scopes that the token has, because
// clients then request the listed scopes and no others. If both are more than 1 KiB
// together, it lists only the missing ones.
//
// Use [CORS] outside of Bearer: preflight requests have no token. Without Optional,
// methods with MethodOptions.Public need a token too.
//
// A guard whose credential is absent passes a request if a guard outside has found its
// caller. A credential that is sent must be valid. If two guards find a caller, that of
// the inner one counts. So a token or a password lets a caller in here:
//
//	handler = svc.Bearer(verify, &svc.BearerOptions{Optional: true})(svc.BasicAuth("notes", users, nil)(handler))
//
// Bearer panics if verify is nil, if AuthorizationServers is set without Resource, and
// if a URL or a scope is not valid.
func Bearer(verify func(ctx context.Context, token string) (*Principal, error), opts *BearerOptions) func(http.Handler) http.Handler {
	if verify == nil {
		panic("svc: Bearer: verify must not be nil")
	}
	g := newGuard("Bearer", "access token", valueOf(opts))
	g.verify = verify
	return middleware(g.serve)
}

// APIKeyOptions configures [APIKey]. The zero value and nil require a valid key and no scopes.
// Each field is to keys what the one of [BearerOptions] is to tokens.
type APIKeyOptions struct {
	Scopes   []string
	Optional bool
	OnError  ErrorWriter
	Logger   *slog.Logger
}

// APIKey returns middleware that requires a key in the request header of this name, and
// passes requests with the [Principal] that verify returns for it. It responds as
// [Bearer] does, with a key in place of the token: 401 if verify returns UNAUTHENTICATED,
// and 503 for any other error. Every challenge is
//
//	WWW-Authenticate: ApiKey header="X-Api-Key"
//
// since a 401 must have one (RFC 9110, section 11.6.1). verify gets the key as it was
// sent, and compares it: only hashes of keys should be stored.
//
// APIKey panics if verify is nil, and if the header or a scope is not valid.
func APIKey(header string, verify func(ctx context.Context, key string) (*Principal, error), opts *APIKeyOptions) func(http.Handler) http.Handler {
	if verify == nil {
		panic("svc: APIKey: verify must not be nil")
	}
	p, s := new(mistakes), Scheme{Type: "apiKey", Header: http.CanonicalHeaderKey(header)}
	checkScheme(p, s)
	if len(p.list) > 0 {
		panic("svc: APIKey: " + p.list[0].Error())
	}
	o := valueOf(opts)
	g := newGuard("APIKey", "API key", BearerOptions{Scopes: o.Scopes, Optional: o.Optional, OnError: o.OnError, Logger: o.Logger})
	g.verify, g.header, g.fixed = verify, s.Header, s.describe(nil).challenge
	return middleware(g.serve)
}

// BasicAuth returns middleware that requires HTTP Basic credentials (RFC 7617)
// and passes requests whose name and password are in users, with a [Principal] of
// that name and no scopes. It also passes requests without such credentials whose
// caller another guard outside has found. Every other request gets 401 with a
// WWW-Authenticate header and an UNAUTHENTICATED error, written as opts says. Unknown
// names and wrong passwords take the same time.
//
// users maps names to passwords. BasicAuth copies it. If it is nil or empty, every
// request gets 401. A user with an empty password also gets 401, because an
// environment variable that is not set gives an empty password. Names and passwords
// are compared byte by byte, in UTF-8. Write them in Unicode normalization form C
// (NFC), which browsers send.
//
// Passwords are sent in clear text: use TLS. BasicAuth panics if realm or a name
// contains a control character, or a name contains a colon (RFC 7617, section 2).
func BasicAuth(realm string, users map[string]string, opts *ErrorOptions) func(http.Handler) http.Handler {
	if strings.ContainsFunc(realm, isControl) {
		panic(fmt.Sprintf("svc: BasicAuth: the realm %q has a control character", realm))
	}
	match, o := newMatch(users), valueOf(opts)
	g := &guard{
		opts:     BearerOptions{OnError: o.OnError, Logger: o.Logger},
		quiet:    true,
		fixed:    `Basic realm="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(realm) + `", charset="UTF-8"`, // a quoted-string (RFC 9110, section 5.6.4)
		required: Errorf(CodeUnauthenticated, "a valid name and password are required"),
	}
	g.identify = func(r *http.Request) (*Principal, error) {
		values := r.Header["Authorization"]
		name, password, ok := r.BasicAuth()
		switch {
		case ok && len(values) == 1 && match(name, password): // of two headers a proxy may have checked the other one
			return &Principal{Subject: name}, nil
		case slices.ContainsFunc(values, func(value string) bool { return hasAuthScheme(value, "Basic") }):
			return nil, g.required
		}
		return nil, nil
	}
	return middleware(g.serve)
}

// hasAuthScheme reports whether the value of an Authorization header has a scheme, in
// any case of letters (RFC 9110, section 11.1).
func hasAuthScheme(value, scheme string) bool {
	given, _, _ := strings.Cut(value, " ")
	return strings.EqualFold(given, scheme)
}

// newMatch returns a function that reports whether a name and a password are among users.
// It always compares with all of them, so its time does not show whether a name is known.
// It compares SHA-256 hashes of "name:password", since a comparison in constant time needs
// texts of one length. Names contain no colon, so two different pairs never give the same
// text. newMatch panics if the Basic scheme cannot carry a name.
func newMatch(users map[string]string) func(name, password string) bool {
	var known [][sha256.Size]byte
	for _, name := range slices.Sorted(maps.Keys(users)) { // sorted, so that the panic is always the same
		password := users[name]
		if strings.ContainsFunc(name, isControl) || strings.Contains(name, ":") {
			panic(fmt.Sprintf("svc: BasicAuth: the name %q has a colon or a control character", name))
		}
		if password != "" {
			known = append(known, sha256.Sum256([]byte(name+":"+password)))
		}
	}
	return func(name, password string) bool {
		given := sha256.Sum256([]byte(name + ":" + password))
		found := 0
		for i := range known {
			found |= subtle.ConstantTimeCompare(given[:], known[i][:])
		}
		return found == 1
	}
}

// A guard is a compiled Bearer, APIKey or BasicAuth. The zero value has the challenge of
// a Bearer without options.
type guard struct {
	opts     BearerOptions
	fixed    string                                    // the challenge, if it is always the same, as for all but Bearer
	quiet    bool                                      // rejected requests are not logged, as for BasicAuth: any client can cause them, as often as it likes
	required *Error                                    // for a request without a credential
	identify func(r *http.Request) (*Principal, error) // finds the caller by the credential of r; nil and no error if it has none

	// Of a Bearer and an APIKey, whose identify is identifyToken:
	verify      func(ctx context.Context, credential string) (*Principal, error)
	header      string   // that has the credential, in canonical form
	noun        string   // what the credential is, in messages
	metadataURL string   // of the metadata document; "" if there is none
	wellKnown   []string // the paths of the metadata document
	metadata    []byte   // the metadata document; nil if there is none
}

// serve is the middleware. An identify that returns required has found a credential that is
// as good as none.
func (g *guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if g.metadata != nil && slices.Contains(g.wellKnown, r.URL.Path) {
		g.serveMetadata(w, r)
		return
	}
	if g.header != "Authorization" && g.header != "" { // of which caches know that answers differ by it (RFC 9111, section 3.5)
		addHeader(w.Header(), "Vary", g.header)
	}
	outer := identityOf(r.Context())
	id := &identity{outer.principal, g, outer}
	p, err := g.identify(r)
	switch {
	case p != nil:
		id.principal = p
	case err == g.required, err == nil && id.principal == nil && !g.opts.Optional:
		e := id.withChallenges(g.required, nil, "", nil)
		w.Header()["Www-Authenticate"] = e.header["Www-Authenticate"] // a realm need not be ASCII, as headers of errors must
		err = e
	}
	if err != nil {
		if !g.quiet {
			logError(r.Context(), g.opts.Logger, err, logPlace{request: r})
		}
		refuse(w, r, err, ErrorOptions{OnError: g.opts.OnError, Logger: g.opts.Logger})
		return
	}
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, id)))
}

// newGuard compiles the options of caller, which is Bearer or APIKey. It panics with
// every mistake in them.
func newGuard(caller, noun string, opts BearerOptions) *guard {
	g := &guard{opts: opts, header: "Authorization", noun: noun, required: Errorf(CodeUnauthenticated, "an %s is required", noun)}
	g.opts.Scopes, g.identify = slices.Clone(opts.Scopes), g.identifyToken
	p := new(mistakes)
	for _, s := range opts.Scopes {
		p.addIf(!isScope(s), "Scopes has %q; a scope is visible ASCII without quotes and backslashes", s)
	}
	for _, s := range opts.AuthorizationServers { // RFC 8414, section 2
		p.addIf(!isResourceURL(s) || strings.Contains(s, "?"), "AuthorizationServers has %q; write a URL without a query, such as https://login.example", s)
	}
	p.addIf(opts.Resource == "" && len(opts.AuthorizationServers) > 0, "AuthorizationServers is set, so Resource must be the URL of this server")
	p.addIf(opts.Resource != "" && !isResourceURL(opts.Resource), "Resource is %q; write a URL such as https://api.example/mcp", opts.Resource)
	p.panicIfAny(caller)
	if len(opts.AuthorizationServers) > 0 {
		g.setMetadata()
	}
	return g
}

// isScope reports whether s is a scope-token (RFC 6749, section 3.3).
func isScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '"' || r == '\\' })
}

// isResourceURL reports whether s is an http or https URL without a user and a fragment
// (RFC 8707, section 2). A challenge quotes it, so it has the characters of a scope.
func isResourceURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isScope(s) && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.Contains(s, "#")
}

// identifyToken returns the principal for the token or the key of r, or nil if r has none.
func (g *guard) identifyToken(r *http.Request) (*Principal, error) {
	values := r.Header[g.header]
	switch {
	case len(values) > 1: // the header is no list (RFC 9110, section 5.3), and a proxy may have checked the other one
		return nil, g.requestError("the request has more than one " + g.header + " header")
	case len(values) == 0, g.fixed == "" && !hasAuthScheme(values[0], "Bearer"):
		return nil, nil
	}
	token := values[0]
	if g.fixed == "" {
		_, token, _ = strings.Cut(token, " ")
		token = strings.Trim(token, " ")
	}
	switch {
	case token == "":
		return nil, g.requestError("the " + g.noun + " is empty")
	case len(token) > maxToken:
		return nil, g.requestError("the " + g.noun + " has more than 8192 bytes")
	case g.fixed == "" && !isMadeOf(strings.TrimRight(token, "="), "-._~+/"): // a b64token (RFC 6750, section 2.1)
		return nil, g.tokenError(errors.New("it contains characters that a token cannot have"))
	}
	p, err := g.verifyToken(r.Context(), token)
	switch {
	case err != nil:
		return nil, err
	case !p.Expires.IsZero() && !time.Now().Before(p.Expires):
		return nil, g.tokenError(errors.New("it has expired"))
	}
	if missing := missingScopes(p.Scopes, g.opts.Scopes); len(missing) > 0 {
		e := Errorf(CodePermissionDenied, "the %s lacks a scope: %s", g.noun, strings.Join(missing, " "))
		return nil, e.WithHeader("WWW-Authenticate", g.challenge("insufficient_scope", allScopes(p, missing)))
	}
	return p, nil
}

// verifyToken calls verify and converts its error to the one that the client gets.
func (g *guard) verifyToken(ctx context.Context, token string) (*Principal, error) {
	p, err := g.callVerify(ctx, token)
	switch {
	case err == nil && p != nil:
		return p, nil
	case err == nil: // a fault of verify, which counts as one that it has reported
		err = errors.New("verify returned neither a Principal nor an error")
	case ctx.Err() != nil: // the client has disconnected, or a deadline has passed
		return nil, &Error{Code: CodeOf(ctx.Err()), cause: withoutToken(err, token)}
	case CodeOf(err) == CodeUnauthenticated:
		return nil, g.tokenError(withoutToken(err, token))
	}
	after := cmp.Or(ErrorFrom(err).Header().Get("Retry-After"), "1") // in seconds
	return nil, Errorf(CodeUnavailable, "%ss cannot be checked at the moment", g.noun).WithCause(withoutToken(err, token)).WithHeader("Retry-After", after)
}

// callVerify calls verify and returns its panic as an error.
func (g *guard) callVerify(ctx context.Context, token string) (p *Principal, err error) {
	defer recoverTo(&err)
	p, err = g.verify(ctx, token)
	probeError(err)
	return p, err
}

// withoutToken returns err, or another error if the text of err contains part of the
// token or key. Verifiers often quote what they could not parse. The stack of a panic stays.
func withoutToken(err error, token string) error {
	const part = 8 // bytes; shorter parts occur in other text by chance
	const hidden = "the error of verify is hidden, since it has a part of the credential"
	text, size := fmt.Sprint(err), min(part, len(token))
	if escaped := strconv.Quote(token); len(escaped) > len(token)+2 { // an API key may need escapes, which %q writes
		token += escaped
	}
	parts, quotes := make(map[string]bool), false // a map, since both can be long
	for i := 0; i+size <= len(token); i++ {
		parts[token[i:i+size]] = true
	}
	for i := 0; i+size <= len(text) && !quotes; i++ {
		quotes = parts[text[i:i+size]]
	}
	if p := panicIn(err); p != nil && quotes {
		return &PanicError{Value: hidden, Stack: p.Stack}
	} else if quotes {
		return errors.New(hidden)
	}
	return err
}

// missingScopes returns the scopes of needed that are not in has, each once.
func missingScopes(has, needed []string) (missing []string) {
	for _, s := range needed {
		if !slices.Contains(has, s) && !slices.Contains(missing, s) {
			missing = append(missing, s)
		}
	}
	return missing
}

// requestError returns the error for a malformed request: invalid_request in RFC 6750,
// section 3.1.
func (g *guard) requestError(text string) error {
	return Errorf(CodeInvalidArgument, "%s", text).WithStatus(http.StatusBadRequest).WithHeader("WWW-Authenticate", g.challenge("invalid_request", nil))
}

// tokenError returns the error for a token that is not valid. The reason is only
// logged, because a client cannot repair a token.
func (g *guard) tokenError(reason error) error {
	return Errorf(CodeUnauthenticated, "the %s is not valid", g.noun).WithCause(reason).
		WithHeader("WWW-Authenticate", g.challenge("invalid_token", g.opts.Scopes))
}

// allScopes returns the scopes for a challenge to a caller that lacks some: those that it
// has, and the missing ones.
func allScopes(p *Principal, missing []string) []string {
	scopes := slices.DeleteFunc(slices.Concat(p.Scopes, missing), func(s string) bool { return !isScope(s) })
	if len(strings.Join(scopes, " ")) > maxEchoed { // p.Scopes are as many as its token says
		return missing
	}
	return scopes
}

// challenge returns a value of WWW-Authenticate (RFC 6750, section 3, and RFC 9728,
// section 5.1), which must have at least one parameter. It lists each scope once.
//
//	Bearer error="invalid_token", scope="todos:read", resource_metadata="https://…"
func (g *guard) challenge(code string, scopes []string) string {
	if g.fixed != "" {
		return g.fixed
	}
	var params []string
	if code != "" {
		params = append(params, `error="`+code+`"`)
	}
	if len(scopes) > 0 {
		params = append(params, `scope="`+strings.Join(missingScopes(nil, scopes), " ")+`"`)
	}
	if g.metadataURL != "" {
		params = append(params, `resource_metadata="`+g.metadataURL+`"`)
	}
	return "Bearer " + cmp.Or(strings.Join(params, ", "), `realm="api"`)
}

// withChallenges returns e with one challenge for each guard that the request has
// reached, or else for each of schemes. Those of Bearer come first, since some MCP clients
// look at nothing else.
func (id *identity) withChallenges(e *Error, schemes []Scheme, code string, scopes []string) *Error {
	var guards []*guard
	for ; id != nil; id = id.outer {
		if id.guard != nil {
			guards = append(guards, id.guard)
		}
	}
	if guards == nil {
		for _, s := range schemes {
			guards = append(guards, &guard{fixed: s.describe(nil).challenge})
		}
	}
	// One for each: a client chooses the first that it understands (RFC 9110, section 11.6.1).
	var list []string
	for _, g := range guards {
		asked, at := scopes, len(list)
		if code == "" { // the caller needs a credential with all scopes
			asked = slices.Concat(g.opts.Scopes, scopes)
		}
		if g.fixed == "" {
			at = 0
		}
		if c := g.challenge(code, asked); !slices.Contains(list, c) {
			list = slices.Insert(list, at, c)
		}
	}
	e = e.clone()
	e.header = http.Header{"Www-Authenticate": list}
	return e
}

// checkIdentity returns an error unless the caller in ctx is known and has these scopes.
// It fails closed: if no middleware has looked for the caller, the response is the same
// as for an unknown caller, and only the log tells the difference.
func checkIdentity(ctx context.Context, schemes []Scheme, scopes []string) error {
	id := identityOf(ctx)
	if p := id.principal; p != nil {
		missing := missingScopes(p.Scopes, scopes)
		if len(missing) == 0 {
			return nil
		}
		e := Errorf(CodePermissionDenied, "the caller lacks a scope: %s", strings.Join(missing, " "))
		return id.withChallenges(e, schemes, "insufficient_scope", allScopes(p, missing))
	}
	e := Errorf(CodeUnauthenticated, "the caller is not known")
	if id == nobody {
		e.cause = errNobodyLooked
	}
	return id.withChallenges(e, schemes, "", scopes)
}

// errNobodyLooked is logged in a program that has no guard, or whose guard does not call
// WithPrincipal.
var errNobodyLooked = errors.New("no middleware in front of this service sets a Principal; see WithPrincipal")

// metadataPath begins the path of the metadata document; the path of the resource
// follows (RFC 9728, section 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// setMetadata sets the metadata document (RFC 9728, section 2) and its paths. One path
// has no resource, for clients that know only the host.
func (g *guard) setMetadata() {
	u, _ := url.Parse(g.opts.Resource) // newGuard has checked it
	path := u.EscapedPath()
	if path == "/" { // is dropped (RFC 9728, section 3.1)
		path = ""
	}
	// The path of the document is between the host and the path (RFC 9728, section 3.1).
	g.metadataURL = u.Scheme + "://" + u.Host + metadataPath + path
	if u.RawQuery != "" {
		g.metadataURL += "?" + u.RawQuery
	}
	g.wellKnown = []string{metadataPath, metadataPath + strings.TrimSuffix(u.Path, "/"), metadataPath + u.Path}
	g.metadata, _ = plainJSON(struct {
		Resource             string   `json:"resource"`
		AuthorizationServers []string `json:"authorization_servers"`
		Scopes               []string `json:"scopes_supported,omitempty"`
		BearerMethods        []string `json:"bearer_methods_supported"`
	}{g.opts.Resource, g.opts.AuthorizationServers, g.opts.Scopes, []string{"header"}})
}

// serveMetadata responds with the metadata document. Pages of every origin may read it:
// they need it to get a token, and it has no secrets.
func (g *guard) serveMetadata(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") == "" { // not set by CORS
		h.Set("Access-Control-Allow-Origin", "*")
	}
	leaveBodyEarly(w, r)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		writeJSON(w, r, http.StatusOK, g.metadata, new(headerValues))
	case http.MethodOptions: // browsers send a preflight request because of the header MCP-Protocol-Version
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	default:
		WriteError(w, r, notAllowed("GET, HEAD, OPTIONS"))
	}
}

// Metadata returns a handler that serves the metadata document (RFC 9728). Use it if
// [Bearer] does not wrap the path of the document, which is
// /.well-known/oauth-protected-resource followed by the path of Resource. Metadata
// panics if Resource or AuthorizationServers is missing, and where Bearer panics.
func (o BearerOptions) Metadata() http.Handler {
	g := newGuard("Bearer", "access token", o)
	if g.metadata == nil {
		panic("svc: BearerOptions.Metadata: Resource and AuthorizationServers must be set")
	}
	return http.HandlerFunc(g.serveMetadata)
}

// AllowIPs returns middleware that passes requests on connections from addresses
// within prefixes. Every other request gets 403 with a PERMISSION_DENIED error,
// written as opts says. Without prefixes every request gets 403.
//
// AllowIPs checks http.Request.RemoteAddr, the address of the connection. It ignores
// headers such as X-Forwarded-For, which any client can send. Behind a proxy it
// therefore sees the address of the proxy. An IPv4 address and its IPv6 form
// (::ffff:192.0.2.1; RFC 4291, section 2.5.5.2) are equal, in connections and in
// prefixes. IPv6 zones are ignored. If RemoteAddr is not an IP address and a port, as
// on a Unix socket, the request gets 403.
//
// AllowIPs panics if a prefix is not valid.
func AllowIPs(prefixes []netip.Prefix, opts *ErrorOptions) func(http.Handler) http.Handler {
	const mappedBits = 96 // of ::ffff:0:0/96
	o, allowed := valueOf(opts), make([]netip.Prefix, len(prefixes))
	for i, prefix := range prefixes {
		if !prefix.IsValid() {
			panic(fmt.Sprintf("svc: AllowIPs: prefix %d is not valid", i+1))
		}
		allowed[i] = prefix
		if prefix.Addr().Is4In6() && prefix.Bits() >= mappedBits {
			allowed[i] = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mappedBits)
		}
	}
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		remote, err := netip.ParseAddrPort(r.RemoteAddr)
		ip := remote.Addr().Unmap().WithZone("") // Prefix.Contains does not match other forms
		if err == nil && slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, r, Errorf(CodePermissionDenied, "requests from this address are not allowed"), o)
	})
}

// Under returns middleware that applies mw to requests whose path is prefix or
// below it. Other requests go directly to the next handler. Under compares whole
// segments: /admin covers /admin and /admin/users, but not /administrator. Case
// matters. Slashes at the end of prefix are ignored; "" and "/" cover every path.
//
// Under also covers paths that are below prefix only after cleaning, such as //admin
// and /x/../admin. mw is often a guard, and handlers such as http.FileServer clean the
// path before they use it.
//
// Under panics if prefix is not empty and does not start with a slash, or if
// path.Clean would change it.
func Under(prefix string, mw func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	prefix = trimmedPrefix("Under", prefix)
	return func(next http.Handler) http.Handler {
		covered := mw(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, plain := cutPrefixPath(r.URL.Path, prefix)
			_, clean := cutPrefixPath(path.Clean("/"+r.URL.Path), prefix)
			if plain || clean || prefix == "" {
				covered.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
