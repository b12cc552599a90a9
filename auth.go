package svc

// This file authenticates callers. A guard is middleware that requires a credential; a
// challenge is a value of WWW-Authenticate, which asks for one. In this order:
//
//   - Scheme, a kind of credential as documents show it, and the table of all kinds
//   - Principal and its place in a context
//   - guard, and the guards: Bearer (RFC 6750) and APIKey, then BasicAuth (RFC 7617)
//   - challenges, and checkIdentity, with which services check the caller that guards identified
//   - the metadata document of a Bearer (RFC 9728)
//   - AllowIPs, which checks addresses, and Under, which applies middleware to some paths

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
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

// A Scheme is a kind of credential: a Security Scheme Object of OpenAPI, for Options.Schemes. Type
// is "bearer", "basic", "apiKey", "openIdConnect" or "oauth2". Register reports any other Type, a
// missing field, and a field that belongs to a different Type.
type Scheme struct {
	Type      string // one of the five
	Header    string // of apiKey: the name of the header that has the key, such as X-Api-Key
	Prefix    string // of apiKey with a Header: the text before the key, such as "Token "; see APIKeyOptions.Prefix
	Cookie    string // of apiKey, instead: the name of the cookie, such as session; doc/guards.md lists what is then refused
	Query     string // of apiKey, instead: the name of the query parameter, which logs of other programs have; better use a header
	ConfigURL string // of openIdConnect: the provider's configuration (OpenID Connect Discovery 1.0, section 4)
	AuthURL   string // of oauth2: the authorization endpoint (RFC 6749, section 3.1)
	TokenURL  string // of oauth2: the token endpoint (RFC 6749, section 3.2)
}

// A scheme is a row of schemes: everything that documents, the page, contracts and challenges need
// for one Type, or for one place of an apiKey. In a row, words in braces stand for the fields of a
// Scheme and for the scopes of its methods. describe returns the row with the values filled in:
//
//	ApiKey header="{Header}"  =>  ApiKey header="X-Api-Key"
type scheme struct {
	Name      string          `json:"name"` // the Type; in a document with two schemes of a type the second is "apiKey2"
	source    Scheme          // set by describe; zero in a row
	object    json.RawMessage // the Security Scheme Object of OpenAPI; names the fields that the Scheme must have
	scoped    bool            // OpenAPI 3.0.3 allows scopes in a Security Requirement Object
	contract  string          // the promise in a contract; a release without it breaks callers
	challenge string          // the value of WWW-Authenticate; bearerToken stands for what bearerChallenge returns
	Noun      string          `json:"noun"`            // the credential in a sentence, with an article
	Place     string          `json:"place,omitempty"` // follows the noun or the name: the header, if it is not Authorization

	// The page asks for the credential with these labels and sends it in the header. Without a
	// header, the page cannot send the credential and does not ask for it.
	Label  string `json:"label"`
	User   string `json:"user,omitempty"` // "" if there is only a secret; else the page sends "user:secret" in base64
	Secret string `json:"secret"`
	Header string `json:"header"`
	Prefix string `json:"prefix,omitempty"` // stands before the credential in the header
	Curl   string `json:"curl"`             // arguments of curl; they name variables of the shell and contain no secret
}

// bearerToken is the challenge of a row whose credential is a bearer token.
const bearerToken = "Bearer"

// schemes has a row for each Type. Nothing else in the package depends on a Type, except for
// Defaults.Auth, which stands for the Type "bearer".
var schemes = []scheme{
	{
		Name: "bearer", contract: "bearer", object: json.RawMessage(`{"type":"http","scheme":"bearer"}`), challenge: bearerToken,
		Noun: "a bearer token", Label: "Bearer token",
		Secret: "Token", Header: "Authorization", Prefix: "Bearer ", Curl: `-H "Authorization: Bearer $TOKEN"`,
	},
	{
		Name: "basic", contract: "basic",
		object: json.RawMessage(`{"type":"http","scheme":"basic"}`), challenge: `Basic realm="api", charset="UTF-8"`,
		Noun: "a user and password", Label: "User and password (Basic)",
		User: "User", Secret: "Password", Header: "Authorization", Prefix: "Basic ", Curl: `-u "$USER_AND_PASSWORD"`,
	},
	{ // the challenge is not registered, but a 401 must have one (RFC 9110, section 11.6.1)
		Name: "apiKey", contract: "apiKey {Header}",
		object: json.RawMessage(`{"type":"apiKey","name":"{Header}","in":"header"}`), challenge: `ApiKey header="{Header}"`,
		Noun: "an API key", Place: " in the header {Header}", Label: "API key ({Header})",
		Secret: "Key", Header: "{Header}", Curl: `-H "{Header}: $API_KEY"`,
	},
	{ // the Prefix is also the challenge, as for other words in Authorization
		Name: "apiKey", contract: `apiKey {Header} "{Prefix}"`, challenge: `{Word}`,
		object: json.RawMessage(`{"type":"apiKey","name":"{Header}","in":"header",` +
			`"description":"{Word} stands before the key, as in {Prefix}KEY."}`),
		Noun: "an API key", Place: " in the header {Header}, behind {Word}", Label: "API key ({Header})",
		Secret: "Key", Header: "{Header}", Prefix: "{Prefix}", Curl: `-H "{Header}: {Prefix}$API_KEY"`,
	},
	{ // the page of the same origin sends it by itself, so it does not ask for it
		Name: "apiKey", contract: "apiKey cookie {Cookie}",
		object: json.RawMessage(`{"type":"apiKey","name":"{Cookie}","in":"cookie"}`), challenge: `ApiKey cookie="{Cookie}"`,
		Noun: "an API key", Place: " in the cookie {Cookie}", Curl: `-b "{Cookie}=$API_KEY"`,
	},
	{
		Name: "apiKey", contract: "apiKey query {Query}",
		object: json.RawMessage(`{"type":"apiKey","name":"{Query}","in":"query"}`), challenge: `ApiKey query="{Query}"`,
		Noun: "an API key", Place: " in the query parameter {Query}", Curl: `--url-query "{Query}=$API_KEY"`,
	},
	{
		Name: "openIdConnect", contract: "openIdConnect",
		object: json.RawMessage(`{"type":"openIdConnect","openIdConnectUrl":"{ConfigURL}"}`), scoped: true, challenge: bearerToken,
		Noun: "a token of the OpenID provider", Label: "Token (OpenID Connect)",
		Secret: "Token", Header: "Authorization", Prefix: "Bearer ", Curl: `-H "Authorization: Bearer $TOKEN"`,
	},
	{
		Name: "oauth2", contract: "oauth2",
		object: json.RawMessage(`{"type":"oauth2","flows":{"authorizationCode":` +
			`{"authorizationUrl":"{AuthURL}","tokenUrl":"{TokenURL}","scopes":{scopes}}}}`),
		scoped: true, challenge: bearerToken,
		Noun: "an access token", Label: "Access token (OAuth 2.0)",
		Secret: "Token", Header: "Authorization", Prefix: "Bearer ", Curl: `-H "Authorization: Bearer $TOKEN"`,
	},
}

// A schemeField is a field of a Scheme other than Type.
type schemeField struct {
	name, example string
	value         func(Scheme) string
	isValid       func(value string) bool
}

// schemeFields are the fields of a Scheme other than Type. A Scheme must set exactly the fields
// that its row names in object.
var schemeFields = []schemeField{
	{"Header", "X-Api-Key", func(s Scheme) string { return s.Header },
		func(name string) bool { return isToken(name) && headerOwner(name) == "" || isAuthorization(name) }},
	{"Prefix", "\"Token \"", func(s Scheme) string { return s.Prefix }, isKeyPrefix},
	{"Cookie", "session", func(s Scheme) string { return s.Cookie }, isToken},
	{"Query", "api_key", func(s Scheme) string { return s.Query }, isToken},
	{"ConfigURL", "https://login.example/.well-known/openid-configuration", func(s Scheme) string { return s.ConfigURL }, isResourceURL},
	{"AuthURL", "https://login.example/authorize", func(s Scheme) string { return s.AuthURL }, isResourceURL},
	{"TokenURL", "https://login.example/token", func(s Scheme) string { return s.TokenURL }, isResourceURL},
}

func isAuthorization(name string) bool { return http.CanonicalHeaderKey(name) == "Authorization" }

// isKeyPrefix reports whether prefix can stand before a key: a word followed by a space or an
// equals sign. Bearer and Basic have their own types.
func isKeyPrefix(prefix string) bool {
	word := keyWord(prefix)
	return (prefix == word+" " || prefix == word+"=") && isToken(word) && !strings.EqualFold(word, "Bearer") &&
		!strings.EqualFold(word, "Basic")
}

// keyWord returns the word of a Prefix.
func keyWord(prefix string) string { return strings.TrimRight(prefix, " =") }

// lookupScheme returns the row of s. If its Type has several rows, it returns the first that needs
// a field that s sets, or else the first. The row that needs a Prefix is only for a Scheme with a
// Prefix.
func lookupScheme(s Scheme) (d scheme, ok bool) {
	for _, row := range schemes {
		has := func(f schemeField) bool { return row.needs(f.name) && f.value(s) != "" }
		if row.Name == s.Type && slices.ContainsFunc(schemeFields, has) && row.needs("Prefix") == (s.Prefix != "" && s.Header != "") {
			return row, true
		}
		if row.Name == s.Type && !ok {
			d, ok = row, true
		}
	}
	return d, ok
}

// needs reports whether a Scheme of this type must have the field.
func (d scheme) needs(field string) bool { return bytes.Contains(d.object, []byte("{"+field+"}")) }

// describe returns the row of s, which must have passed checkScheme, with the values of s. scopes
// are the scopes of the methods that use s, with their descriptions.
func (s Scheme) describe(scopes map[string]string) scheme {
	list, _ := json.Marshal(scopes)
	words := []string{"{scopes}", string(list), "{Word}", keyWord(s.Prefix)}
	for _, f := range schemeFields {
		words = append(words, "{"+f.name+"}", f.value(s))
	}
	r := strings.NewReplacer(words...)
	d, _ := lookupScheme(s)
	d.source, d.object = s, json.RawMessage(r.Replace(string(d.object)))
	for _, text := range []*string{&d.contract, &d.challenge, &d.Place, &d.Label, &d.Header, &d.Prefix, &d.Curl} {
		*text = r.Replace(*text)
	}
	return d
}

// checkScheme notes the mistakes in s.
func checkScheme(p *mistakes, s Scheme) {
	d, ok := lookupScheme(s)
	if !ok {
		var names []string
		for _, d := range schemes {
			if name := strconv.Quote(d.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		p.addf("the Type is %q; want one of %s", s.Type, strings.Join(names, ", "))
		return
	}
	p.addIf(s.Type == "apiKey" && isAuthorization(s.Header) && s.Prefix == "",
		"the Header of the scheme %q is %q, which needs a Prefix, such as \"Token \"", s.Type, s.Header)
	for _, f := range schemeFields {
		value := f.value(s)
		p.addIf(d.needs(f.name) && !f.isValid(value), "the %s of the scheme %q is %q; want one such as %s", f.name, s.Type, value,
			f.example)
		p.addIf(!d.needs(f.name) && value != "", "the scheme %q%s has no %s; leave it empty", s.Type, d.beside(s), f.name)
	}
}

// beside returns the difference between the row of s and the other rows of its Type, for messages.
func (d scheme) beside(s Scheme) string {
	for _, other := range schemes {
		for _, f := range schemeFields {
			if other.Name == d.Name && d.needs(f.name) && !other.needs(f.name) && f.value(s) != "" {
				return " with a " + f.name
			}
		}
	}
	return ""
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

// A Principal is the authenticated caller of a request. All code that handles the request shares
// it, so do not change it.
type Principal struct {
	// Subject identifies the caller: with [BasicAuth] it is the user name. An idempotency key
	// belongs to a Subject, so no two callers may have the same Subject.
	Subject string
	Scopes  []string  // the scopes of the caller; see MethodOptions.Scopes
	Expires time.Time // when the token expires; zero means never. Calls in progress continue
	Claims  any       // anything else, for the application
}

// An identity is the caller as far as a context knows it. Each guard adds one:
//
//	Bearer(APIKey(service)), and a request with a key
//	=> {of the key, ApiKey header="X-Api-Key", outer: {nil, Bearer realm="api", outer: nobody}}
type identity struct {
	principal *Principal    // nil if the caller is unknown
	challenge challengeFunc // of the innermost guard that the request has passed; or nil
	outer     *identity     // the identity outside of this guard; or nil
}

// An identityKey is the context key of an *identity.
type identityKey struct{}

// nobody is the identity of a context if no middleware has identified the caller.
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

// WithPrincipal returns a copy of ctx in which p is the caller, for your own middleware,
// [Service.Call] and [Service.MCPStdio]. If p is nil, the caller is unknown.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	id := *identityOf(ctx)
	id.principal = p
	return context.WithValue(ctx, identityKey{}, &id)
}

// A guard is middleware that requires a credential: a compiled Bearer, APIKey or BasicAuth.
type guard struct {
	// identify returns the caller by the credential of r. It returns nil and no error if r has no
	// credential, and the error required to treat the credential as absent.
	identify  func(r *http.Request) (*Principal, error)
	required  *Error        // for requests without a credential
	challenge challengeFunc // what WWW-Authenticate asks for
	optional  bool          // passes requests without a credential
	query     string        // the query parameter of the credential, which is hidden from the next handler
	vary      string        // the header of the credential, for Vary; "" for Authorization, which caches know (RFC 9111, section 3.5)
	quiet     bool          // does not log rejected requests
	errors    ErrorOptions
}

// serve identifies the caller and calls next, or rejects the request. A credential that is sent
// must be valid. Without one, the caller identified by an outer guard stays.
func (g *guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if g.vary != "" {
		addHeader(w.Header(), "Vary", g.vary)
	}
	outer := identityOf(r.Context())
	id := &identity{outer.principal, g.challenge, outer}
	p, err := g.identify(r)
	given := r
	if g.query != "" {
		r = withoutParameter(r, g.query)
	}
	switch {
	case p != nil:
		id.principal = p
	case err == g.required, err == nil && id.principal == nil && !g.optional:
		e := id.withChallenges(g.required, nil, "", nil)
		w.Header()["Www-Authenticate"] = e.header["Www-Authenticate"] // a realm may have bytes that headers of errors cannot have
		err = e
	}
	if err != nil {
		if !g.quiet {
			logError(r.Context(), g.errors.Logger, err, logPlace{request: r})
		}
		refuse(w, r, err, g.errors)
		return
	}
	serveCopy(w, given, r.WithContext(context.WithValue(r.Context(), identityKey{}, id)), next)
}

// BearerOptions configures [Bearer]. The zero value and nil require a valid token and no
// scopes.
type BearerOptions struct {
	// Resource is the http or https URL by which clients know this server, such as the URL of the
	// MCP endpoint, without a user and a fragment. verify must reject tokens that were issued for a
	// different server (RFC 8707, section 2).
	Resource string
	// AuthorizationServers are the URLs of the servers that issue tokens, without a query (RFC
	// 8414, section 2). With them, Resource must be set, Bearer serves the metadata document
	// (RFC 9728), and its challenges link to it.
	AuthorizationServers []string
	// Scopes lists the scopes that every token must have. A scope is visible ASCII without quotes
	// and backslashes (RFC 6749, section 3.3).
	Scopes []string
	// ScopesSupported lists further scopes in the metadata document, which clients may ask a person
	// for: usually the result of [Service.Scopes].
	ScopesSupported []string
	// Optional passes requests without a token. Services then reject them with UNAUTHENTICATED,
	// except for public methods; other handlers must call [PrincipalFrom].
	Optional bool
	// OnError writes the responses to rejected requests. Default: [WriteError].
	OnError ErrorWriter
	// Logger gets one line for each rejected request, without any part of the token. Default:
	// slog.Default.
	Logger *slog.Logger
}

// Bearer returns middleware that requires a bearer token (RFC 6750) of at most 8 KiB in the
// header Authorization, and passes requests with the [Principal] that verify returns. It
// rejects others with the status and the challenge of RFC 6750, section 3; doc/guards.md has
// each case.
//
// verify gets the token as it was sent, once for each request, concurrently. It must check the
// signature, the issuer, the audience and, unless it sets [Principal].Expires, the expiry time. It
// returns an UNAUTHENTICATED error for an invalid token. The client gets that error, with its
// WWW-Authenticate if it has one, unless it quotes the token. If verify returns any other error,
// returns a nil Principal, or panics, the request gets 503.
//
// Guards can be nested. A guard passes a request without its credential if an outer guard has
// identified the caller. If both identify a caller, the inner one counts. Use [CORS] outside of
// guards.
//
// Bearer panics if verify is nil, if AuthorizationServers is set without Resource, and if a URL
// or a scope is not valid.
func Bearer(verify func(ctx context.Context, token string) (*Principal, error), opts *BearerOptions) func(http.Handler) http.Handler {
	if verify == nil {
		panic("svc: Bearer: verify must not be nil")
	}
	o := opts.checked()
	t := &tokenGuard{header: "Authorization", isBearer: true, noun: "access token", scopes: o.Scopes, verify: verify}
	doc := newResourceMetadata(o)
	t.challenge = func(code string, scopes []string) string {
		if code == "" { // the caller needs a token with these scopes and the scopes of every token
			scopes = slices.Concat(o.Scopes, scopes)
		}
		return bearerChallenge(code, scopes, doc.url)
	}
	g := t.guard()
	g.optional, g.errors = o.Optional, ErrorOptions{OnError: o.OnError, Logger: o.Logger}
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if slices.Contains(doc.paths, r.URL.Path) {
			doc.ServeHTTP(w, r)
			return
		}
		g.serve(w, r, next)
	})
}

// checked returns a copy of the options. It panics with every mistake in them.
func (opts *BearerOptions) checked() BearerOptions {
	o, p := valueOf(opts), new(mistakes)
	o.Scopes = checkScopes(p, "Scopes", o.Scopes)
	o.ScopesSupported = checkScopes(p, "ScopesSupported", o.ScopesSupported)
	for _, s := range o.AuthorizationServers { // RFC 8414, section 2
		p.addIf(!isResourceURL(s) || strings.Contains(s, "?"),
			"AuthorizationServers has %q; write a URL without a query, such as https://login.example", s)
	}
	p.addIf(o.Resource == "" && len(o.AuthorizationServers) > 0, "AuthorizationServers is set, so Resource must be the URL of this server")
	p.addIf(o.Resource != "" && !isResourceURL(o.Resource), "Resource is %q; write a URL such as https://api.example/mcp", o.Resource)
	p.panicIfAny("Bearer")
	return o
}

// checkScopes returns a copy of scopes, which an option has, and notes invalid ones.
func checkScopes(p *mistakes, option string, scopes []string) []string {
	for _, s := range scopes {
		p.addIf(!isScope(s), option+" has %q; a scope is visible ASCII without quotes and backslashes", s)
	}
	return slices.Clone(scopes)
}

// APIKeyOptions configures [APIKey]. The zero value and nil require a valid key in a header, and no
// scopes.
type APIKeyOptions struct {
	// Cookie and Query say that the name given to APIKey is the name of a cookie, or of a query
	// parameter. For a cookie, give the service a [Scheme] with the Cookie: browsers send cookies
	// with requests of pages of other sites, and a cookie counts only in requests that such pages
	// cannot make.
	Cookie, Query bool
	// Prefix stands before the key in the header: a word followed by a blank or =, such as "Token
	// ", "DeepL-Auth-Key " or "key=". Case does not matter. The header Authorization needs a
	// Prefix, other than "Bearer " and "Basic ". verify gets only the key. A header with a
	// different prefix counts as absent, so that guards can be nested. Default: the header is the
	// key.
	Prefix string

	Scopes   []string     // every key must have them, as with BearerOptions.Scopes
	Optional bool         // passes requests without a key, as BearerOptions.Optional
	OnError  ErrorWriter  // writes the responses to rejected requests. Default: [WriteError]
	Logger   *slog.Logger // gets one line for each of them, without any part of the key. Default: slog.Default
}

// APIKey returns middleware that requires an API key of at most 8 KiB in a request header, and
// passes requests with the [Principal] that verify returns. It responds as [Bearer] does, with the
// challenge ApiKey header="X-Api-Key" (RFC 9110, section 11.6.1). verify gets the key as it was
// sent. name is the name of the header, or with opts of a cookie or query parameter. The next
// handler does not see that cookie or parameter.
//
// APIKey panics if verify is nil, if the name or a scope is not valid, and if Cookie and Query are
// both set.
func APIKey(name string, verify func(ctx context.Context, key string) (*Principal, error),
	opts *APIKeyOptions) func(http.Handler) http.Handler {
	if verify == nil {
		panic("svc: APIKey: verify must not be nil")
	}
	o, p, s := valueOf(opts), new(mistakes), Scheme{Type: "apiKey"}
	t := &tokenGuard{noun: "API key", verify: verify}
	vary := ""
	switch {
	case o.Cookie && o.Query:
		panic("svc: APIKey: Cookie and Query are both set; a key is in one of them")
	case o.Cookie:
		s.Cookie, t.cookie, vary = name, name, "Cookie"
		p.addIf(name == "", "the Cookie of the scheme %q is %q; want one such as session", s.Type, name)
	case o.Query:
		s.Query, t.query = name, name
		p.addIf(name == "", "the Query of the scheme %q is %q; want one such as api_key", s.Type, name)
	default:
		s.Header, s.Prefix = http.CanonicalHeaderKey(name), o.Prefix
		t.header, t.prefix, vary = s.Header, o.Prefix, s.Header
	}
	p.addIf(o.Prefix != "" && s.Header == "", "Prefix is %q, and the key is not in a header", o.Prefix)
	checkScheme(p, s)
	if len(p.list) > 0 {
		panic("svc: APIKey: " + p.list[0].Error())
	}
	t.scopes = checkScopes(p, "Scopes", o.Scopes)
	p.panicIfAny("APIKey")
	t.challenge = s.challenger()
	g := t.guard()
	g.vary, g.optional, g.errors = vary, o.Optional, ErrorOptions{OnError: o.OnError, Logger: o.Logger}
	return middleware(g.serve)
}

// A tokenGuard identifies callers by a text that the application verifies: the token of a
// Bearer or the key of an APIKey.
type tokenGuard struct {
	header    string // the header of the token, in canonical form; "" if a cookie or a query parameter of this name has it
	cookie    string
	query     string
	prefix    string   // stands before the key in the header
	isBearer  bool     // the header has "Bearer" before the token; otherwise the token alone
	noun      string   // "access token" or "API key", in messages
	scopes    []string // every caller must have them
	verify    func(ctx context.Context, token string) (*Principal, error)
	challenge challengeFunc
}

// cutParameter returns the values of the query parameters of a name, and the query without them. A
// value that cannot be decoded is as it was sent.
func cutParameter(query, name string) (values []string, rest string) {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		given, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(given); err != nil || decoded != name {
			kept = append(kept, pair)
			continue
		}
		if decoded, err := url.QueryUnescape(value); err == nil {
			value = decoded
		}
		values = append(values, value)
	}
	if values == nil {
		return nil, query
	}
	return values, strings.Join(kept, "&")
}

// withoutParameter returns r, or a copy whose URL lacks the query parameters with this name, so
// that the key does not appear in logs.
func withoutParameter(r *http.Request, name string) *http.Request {
	values, rest := cutParameter(r.URL.RawQuery, name)
	if values == nil {
		return r
	}
	u := *r.URL
	u.RawQuery = rest
	r = r.WithContext(r.Context())
	r.URL, r.RequestURI = &u, u.RequestURI()
	return r
}

// guard returns the guard of t, without the options that are only about tokens.
func (t *tokenGuard) guard() *guard {
	return &guard{identify: t.identify, query: t.query, required: Errorf(CodeUnauthenticated, "an %s is required", t.noun),
		challenge: t.challenge}
}

// maxToken is the largest size of a token or an API key, in bytes. It bounds the work of verify.
// Most servers limit all headers together to less.
const maxToken = 8 << 10

// identify returns the caller by the token of r, or nil if r has none.
func (t *tokenGuard) identify(r *http.Request) (*Principal, error) {
	values, place := r.Header[t.header], t.header+" header"
	switch {
	case t.cookie != "":
		values, place = nil, "cookie "+t.cookie
		for _, c := range r.CookiesNamed(t.cookie) {
			values = append(values, c.Value)
		}
		if len(values) > 0 && checkCookieSite(r) != nil {
			return nil, errOtherSite
		}
	case t.query != "":
		values, _ = cutParameter(r.URL.RawQuery, t.query)
		place = "query parameter " + t.query
	}
	switch {
	case len(values) > 1: // a proxy may have checked the other one, and the header is not a list (RFC 9110, section 5.3)
		return nil, t.requestError("the request has more than one " + place)
	case len(values) == 0, t.isBearer && !hasAuthScheme(values[0], "Bearer"), !hasPrefixFold(values[0], t.prefix):
		return nil, nil
	}
	token := values[0]
	if t.prefix != "" {
		token = strings.Trim(token[len(t.prefix):], " ")
	}
	if t.isBearer {
		_, token, _ = strings.Cut(token, " ")
		token = strings.Trim(token, " ")
	}
	switch {
	case token == "":
		return nil, t.requestError("the " + t.noun + " is empty")
	case len(token) > maxToken:
		return nil, t.requestError("the " + t.noun + " has more than 8192 bytes")
	case t.isBearer && !isMadeOf(strings.TrimRight(token, "="), "-._~+/"): // a b64token (RFC 6750, section 2.1)
		return nil, t.tokenError(errors.New("it contains characters that a token cannot have"))
	}
	p, err := t.verifyToken(r.Context(), token)
	switch {
	case err != nil:
		return nil, err
	case !p.Expires.IsZero() && !time.Now().Before(p.Expires):
		return nil, t.tokenError(errors.New("it has expired"))
	}
	if missing := missingScopes(p.Scopes, t.scopes); len(missing) > 0 {
		e := Errorf(CodePermissionDenied, "the %s lacks a scope: %s", t.noun, strings.Join(missing, " "))
		return nil, e.WithHeader("WWW-Authenticate", t.challenge("insufficient_scope", allScopes(p, missing)))
	}
	return p, nil
}

// hasAuthScheme reports whether the value of an Authorization header has this scheme, ignoring case
// (RFC 9110, section 11.1).
func hasAuthScheme(value, scheme string) bool {
	given, _, _ := strings.Cut(value, " ")
	return strings.EqualFold(given, scheme)
}

// hasPrefixFold reports whether text begins with prefix, in any case of letters.
func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// verifyToken calls verify and converts its error to the error that the client gets.
func (t *tokenGuard) verifyToken(ctx context.Context, token string) (*Principal, error) {
	p, err := t.callVerify(ctx, token)
	switch {
	case err == nil && p != nil:
		return p, nil
	case err == nil: // a bug of verify; the client gets 503, as for any other error
		err = errors.New("verify returned neither a Principal nor an error")
	case ctx.Err() != nil: // the client has disconnected, or a deadline has passed
		return nil, &Error{Code: CodeOf(ctx.Err()), cause: withoutToken(err, token)}
	case CodeOf(err) == CodeUnauthenticated:
		return nil, t.refuseBy(err, token)
	}
	after := cmp.Or(ErrorFrom(err).Header().Get("Retry-After"), "1") // in seconds
	return nil, Errorf(CodeUnavailable, "%ss cannot be checked at the moment",
		t.noun).WithCause(withoutToken(err, token)).WithHeader("Retry-After", after)
}

// callVerify calls verify and returns its panic as an error.
func (t *tokenGuard) callVerify(ctx context.Context, token string) (p *Principal, err error) {
	defer recoverTo(&err)
	p, err = t.verify(ctx, token)
	return p, probeError(err)
}

// requestError returns the error for a malformed request: invalid_request in RFC 6750,
// section 3.1.
func (t *tokenGuard) requestError(text string) error {
	return Errorf(CodeInvalidArgument, "%s", text).WithStatus(http.StatusBadRequest).WithHeader("WWW-Authenticate",
		t.challenge("invalid_request", nil))
}

// refuseBy returns err, an UNAUTHENTICATED error of verify, and fills in a missing message, reason
// or challenge from tokenError. If the error would show a part of the token to the client, it
// returns tokenError instead.
func (t *tokenGuard) refuseBy(err error, token string) error {
	e, usual := ErrorFrom(err), t.tokenError(err)
	if quotesToken(fmt.Sprint(err, e.header, string(appendEnvelope(nil, e))), token) {
		return t.tokenError(withoutToken(err, token))
	}
	shown := e.clone()
	shown.Message = cmp.Or(e.Message, usual.Message)
	if e.sentReason() == "" {
		shown = shown.withOwnReason(usual.reason)
	}
	if e.header["Www-Authenticate"] == nil {
		shown = shown.WithHeader("WWW-Authenticate", usual.header.Get("WWW-Authenticate"))
	}
	return replaceIn(err, e, shown)
}

// tokenError returns the error for a token that is not valid. The reason is only
// logged, because a client cannot repair a token.
func (t *tokenGuard) tokenError(reason error) *Error {
	return Errorf(CodeUnauthenticated, "the %s is not valid", t.noun).WithCause(reason).withOwnReason(reasonInvalidToken).
		WithHeader("WWW-Authenticate", t.challenge("invalid_token", t.scopes))
}

// withoutToken returns err, or a different error if the text of err contains 8 bytes of the token
// in a row. Verifiers often quote text that they cannot parse:
//
//	token "k-0123456789", error "no key k-012345…"  =>  "the error of verify is hidden, …"
//
// The stack of a panic stays.
func withoutToken(err error, token string) error {
	const hidden = "the error of verify is hidden, since it has a part of the credential"
	quotes := quotesToken(fmt.Sprint(err), token)
	if p := panicIn(err); p != nil && quotes {
		return &PanicError{Value: hidden, Stack: p.Stack}
	} else if quotes {
		return errors.New(hidden)
	}
	return err
}

// quotesToken reports whether text contains a part of token, also as a string of Go or of JSON, or as
// bytes are printed: in hex, base64 or decimals.
func quotesToken(text, token string) bool {
	return hasPart(text, token) || hasPart(decodedRuns(text, min(len(token), partSize)), token) || strings.Contains(text, `\`) && (hasPart(text, strings.Trim(strconv.Quote(token), `"`)) ||
		hasPart(text, strings.Trim(string(appendQuoted(nil, token)), `"`)))
}

// decodedRuns returns the bytes that text may spell, with NUL between: %x of fmt, base64 with or without
// padding, as details of errors write []byte, and the numbers of %v. Text is decoded rather than the
// token encoded, since a stranger chooses the token, of up to 8 KiB, and the text is short. What is
// shorter than least bytes cannot have a part of the token.
func decodedRuns(text string, least int) string {
	var out []byte
	add := func(bytes []byte) {
		if len(bytes) >= least {
			out = append(append(out, bytes...), 0)
		}
	}
	not := func(set string) func(rune) bool {
		return func(r rune) bool { return r > '~' || !isMadeOf(string(r), set) }
	}
	for _, run := range strings.FieldsFunc(text, not("+/-_")) {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for skip := range min(4, len(run)) { // where the token begins
			part := run[skip:]
			if len(part)%4 == 1 {
				part = part[:len(part)-1]
			}
			bytes, _ := base64.RawStdEncoding.DecodeString(part)
			add(bytes)
		}
	}
	isHex := func(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) }
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isHex(r) }) {
		for skip := range min(2, len(run)) {
			part := run[skip:]
			bytes, _ := hex.DecodeString(part[:len(part)/2*2])
			add(bytes)
		}
	}
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !isDigit(byte(min(r, 0x7f))) && r != ' ' && r != ',' }) {
		var bytes []byte
		for number := range strings.FieldsFuncSeq(run, func(r rune) bool { return r == ' ' || r == ',' }) {
			if n, err := strconv.ParseUint(number, 10, 8); err == nil {
				bytes = append(bytes, byte(n))
			}
		}
		add(bytes)
	}
	return string(out)
}

// partSize is how many bytes in a row are a part of a token, for hasPart.
const partSize = 8

// hasPart reports whether text has 8 bytes of token in a row, or all of a shorter token. Shorter
// parts occur in other text by chance.
func hasPart(text, token string) bool {
	const size = partSize
	if len(token) < size {
		return strings.Contains(text, token)
	}
	short, long := token, text
	if len(text) < len(token) { // of a token of 8 KiB, as most texts are
		short, long = text, token
	}
	parts := make(map[string]bool)
	for i := size; i <= len(short); i++ {
		parts[short[i-size:i]] = true
	}
	for i := size; i <= len(long); i++ {
		if parts[long[i-size:i]] {
			return true
		}
	}
	return false
}

// BasicAuth returns middleware that requires HTTP Basic credentials (RFC 7617) and passes requests
// whose name and password are in users, with a [Principal] that has this name and no scopes. Every
// other request gets 401, written according to opts. As with [Bearer], a request without such
// credentials passes if an outer guard has identified its caller.
//
// users maps names to passwords, and is copied. A user with an empty password always gets 401.
// Passwords are sent in clear text: use TLS. doc/guards.md has more. BasicAuth panics if
// realm or a name contains a control character, or a name contains a colon (RFC 7617, section
// 2).
func BasicAuth(realm string, users map[string]string, opts *ErrorOptions) func(http.Handler) http.Handler {
	if strings.ContainsFunc(realm, isControl) {
		panic(fmt.Sprintf("svc: BasicAuth: the realm %q has a control character", realm))
	}
	match, longest := newMatch(users)
	required := Errorf(CodeUnauthenticated, "a valid name and password are required")
	identify := func(r *http.Request) (*Principal, error) {
		values := r.Header["Authorization"]
		var name, password string
		ok := len(values) == 1
		if ok {
			name, password, ok = basicCredentials(values[0], longest)
		}
		switch {
		case ok && match(name, password): // if there are two headers, a proxy may have checked the other one
			return &Principal{Subject: name}, nil
		case slices.ContainsFunc(values, func(value string) bool { return hasAuthScheme(value, "Basic") }):
			return nil, required
		}
		return nil, nil
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(realm) // a quoted-string (RFC 9110, section 5.6.4)
	challenge := alwaysChallenge(`Basic realm="` + quoted + `", charset="UTF-8"`)
	// any client can send wrong passwords, as often as it likes
	g := &guard{identify: identify, required: required, challenge: challenge, quiet: true, errors: valueOf(opts)}
	return middleware(g.serve)
}

// basicCredentials returns the name and the password in a header Authorization, in which one blank or
// more stand behind the scheme (RFC 9110, section 11.4). A longer one than longest is none of ours.
func basicCredentials(value string, longest int) (name, password string, ok bool) {
	scheme, encoded, _ := strings.Cut(value, " ")
	encoded = strings.TrimLeft(encoded, " ")
	if !strings.EqualFold(scheme, "Basic") || len("Basic ")+len(encoded) > longest {
		return "", "", false
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(text), ":")
}

// newMatch returns a function that reports whether a name and a password are among users. The
// function always compares with all of them, so its time does not show whether a name is known. It
// compares SHA-256 hashes of "name:password", because a constant-time comparison needs texts of
// equal length. Names contain no colon, so each pair has its own text. newMatch panics if the Basic
// scheme cannot carry a name. A header longer than longest cannot match a user, so it is not
// decoded. The time of this can reveal only passwords over 256 bytes.
func newMatch(users map[string]string) (match func(name, password string) bool, longest int) {
	var known [][sha256.Size]byte
	longest = 256
	for _, name := range slices.Sorted(maps.Keys(users)) { // sorted, so that the panic is always the same
		password := users[name]
		if strings.ContainsFunc(name, isControl) || strings.Contains(name, ":") {
			panic(fmt.Sprintf("svc: BasicAuth: the name %q has a colon or a control character", name))
		}
		if password != "" {
			known = append(known, sha256.Sum256([]byte(name+":"+password)))
			longest = max(longest, len(name+":"+password))
		}
	}
	longest = len("Basic ") + base64.StdEncoding.EncodedLen(longest)
	return func(name, password string) bool {
		given := sha256.Sum256([]byte(name + ":" + password))
		found := 0
		for i := range known {
			found |= subtle.ConstantTimeCompare(given[:], known[i][:])
		}
		return found == 1
	}, longest
}

// A challengeFunc returns a value of WWW-Authenticate. code is one of RFC 6750, section 3.1, such
// as "insufficient_scope", or "" for a request without a credential. scopes are the scopes that the
// caller needs.
type challengeFunc func(code string, scopes []string) string

// alwaysChallenge returns a challengeFunc that returns text.
func alwaysChallenge(text string) challengeFunc {
	return func(string, []string) string { return text }
}

// challenger returns the challengeFunc of s, for services without a guard.
func (s Scheme) challenger() challengeFunc {
	if text := s.describe(nil).challenge; text != bearerToken {
		return alwaysChallenge(text)
	}
	return func(code string, scopes []string) string { return bearerChallenge(code, scopes, "") }
}

// bearerChallenge returns a challenge of the scheme Bearer (RFC 6750, section 3, and RFC
// 9728, section 5.1), which must have at least one parameter. It lists each scope once.
//
//	Bearer error="invalid_token", scope="todos:read", resource_metadata="https://…"
//	Bearer realm="api"
func bearerChallenge(code string, scopes []string, metadataURL string) string {
	var params []string
	if code != "" {
		params = append(params, `error="`+code+`"`)
	}
	if len(scopes) > 0 {
		params = append(params, `scope="`+strings.Join(missingScopes(nil, scopes), " ")+`"`)
	}
	if metadataURL != "" {
		params = append(params, `resource_metadata="`+metadataURL+`"`)
	}
	return "Bearer " + cmp.Or(strings.Join(params, ", "), `realm="api"`)
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

// allScopes returns the scopes for a challenge to a caller that lacks some: the scopes of p and the
// missing ones, because clients then request exactly the scopes of the challenge. If they have more
// than maxEchoed bytes together, it returns only the missing ones.
func allScopes(p *Principal, missing []string) []string {
	scopes := slices.DeleteFunc(slices.Concat(p.Scopes, missing), func(s string) bool { return !isScope(s) })
	if len(strings.Join(scopes, " ")) > maxEchoed {
		return missing
	}
	return scopes
}

// withChallenges returns e with one challenge for each guard that the request has passed, or else
// for each of schemes. Clients choose the first challenge that they understand (RFC 9110, section
// 11.6.1). Challenges of the scheme Bearer come first, because some MCP clients look only at these.
func (id *identity) withChallenges(e *Error, schemes []Scheme, code string, scopes []string) *Error {
	var challenges []challengeFunc
	for ; id != nil; id = id.outer {
		if id.challenge != nil {
			challenges = append(challenges, id.challenge)
		}
	}
	if challenges == nil {
		for _, s := range schemes {
			challenges = append(challenges, s.challenger())
		}
	}
	var list []string
	for _, challenge := range challenges {
		c, at := challenge(code, scopes), len(list)
		if strings.HasPrefix(c, "Bearer ") {
			at = 0
		}
		if !slices.Contains(list, c) {
			list = slices.Insert(list, at, c)
		}
	}
	e = e.clone()
	e.header = http.Header{"Www-Authenticate": list}
	return e
}

// checkIdentity returns an error unless the caller in ctx is known and has these scopes. It names the
// first of schemes, which has one at least. If no middleware has identified the caller, the caller is
// unknown, and only the log tells the difference.
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
	credential := schemes[0].describe(nil)
	e := Errorf(CodeUnauthenticated, "authentication required: send %s%s", credential.Noun, credential.Place)
	if id == nobody {
		e.cause = errNobodyLooked
	}
	return id.withChallenges(e, schemes, "", scopes)
}

// errNobodyLooked is logged if a program has no guard, or its guard does not call WithPrincipal.
var errNobodyLooked = errors.New("no middleware in front of this service sets a Principal; see WithPrincipal")

// A resourceMetadata is the metadata document of a protected resource (RFC 9728), which tells
// clients where to get a token. The zero value has neither a document nor a path.
type resourceMetadata struct {
	text  []byte
	url   string   // of the document, for challenges
	paths []string // of the document
}

// metadataPath begins the path of the metadata document.
const metadataPath = "/.well-known/oauth-protected-resource"

// newResourceMetadata returns the document for o, or the zero value if o has no
// AuthorizationServers. The URL has the path of the document between the host and the path of the
// resource (RFC 9728, section 3.1). The document is also served at metadataPath itself, for clients
// that know only the host:
//
//	resource  https://api.example/mcp
//	url       https://api.example/.well-known/oauth-protected-resource/mcp
func newResourceMetadata(o BearerOptions) (m resourceMetadata) {
	if len(o.AuthorizationServers) == 0 {
		return m
	}
	u, _ := url.Parse(o.Resource) // isResourceURL has accepted it
	path := u.EscapedPath()
	if path == "/" { // is dropped (RFC 9728, section 3.1)
		path = ""
	}
	m.url = u.Scheme + "://" + u.Host + metadataPath + path
	if u.RawQuery != "" {
		m.url += "?" + u.RawQuery
	}
	m.paths = []string{metadataPath, metadataPath + strings.TrimSuffix(u.Path, "/"), metadataPath + u.Path}
	supported := slices.Clone(o.Scopes)
	for _, scope := range o.ScopesSupported {
		if !slices.Contains(supported, scope) {
			supported = append(supported, scope)
		}
	}
	m.text, _ = plainJSON(struct {
		Resource             string   `json:"resource"`
		AuthorizationServers []string `json:"authorization_servers"`
		Scopes               []string `json:"scopes_supported,omitempty"`
		BearerMethods        []string `json:"bearer_methods_supported"`
	}{o.Resource, o.AuthorizationServers, supported, []string{"header"}})
	return m
}

// ServeHTTP responds with the document. Pages of every origin may read it: they need it to get a
// token, and it contains no secrets.
func (m resourceMetadata) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") == "" { // not set by CORS
		h.Set("Access-Control-Allow-Origin", "*")
	}
	leaveBodyEarly(w, r)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		writeJSON(w, r, http.StatusOK, m.text, new(headerValues))
	case http.MethodOptions: // the header MCP-Protocol-Version makes browsers send a preflight request
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	default:
		WriteError(w, r, notAllowed("GET, HEAD, OPTIONS"))
	}
}

// Metadata returns a handler that serves the metadata document (RFC 9728). Use it if [Bearer] does
// not wrap the path of the document: /.well-known/oauth-protected-resource followed by the path of
// Resource. It panics if Resource or AuthorizationServers is missing, and where Bearer panics.
func (o BearerOptions) Metadata() http.Handler {
	m := newResourceMetadata(o.checked())
	if m.text == nil {
		panic("svc: BearerOptions.Metadata: Resource and AuthorizationServers must be set")
	}
	return m
}

// isScope reports whether s is a scope-token (RFC 6749, section 3.3).
func isScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '"' || r == '\\' })
}

// isResourceURL reports whether s is an http or https URL without a user and a fragment
// (RFC 8707, section 2). A challenge quotes it, so it has the characters of a scope.
func isResourceURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isScope(s) && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil &&
		!strings.Contains(s, "#")
}

// AllowIPs returns middleware that passes requests on connections from addresses within prefixes.
// Every other request gets 403 with a PERMISSION_DENIED error. opts says how it is written.
//
// AllowIPs checks [http.Request].RemoteAddr, the address of the connection. Behind a proxy this is
// the proxy's address. Headers such as X-Forwarded-For are ignored, because any client can send
// them. doc/guards.md says how addresses are compared. AllowIPs panics if a prefix is not valid.
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

// Under returns middleware that applies mw to requests whose path is prefix or below it. Other
// requests go directly to the next handler. Under compares whole segments: /admin covers
// /admin/users but not /administrator. Case matters. Slashes at the end of prefix are ignored; ""
// and "/" cover every path. Under also covers paths that are below prefix only after cleaning, such
// as /x/../admin, since handlers such as [http.FileServer] clean them.
//
// Under panics if prefix is not empty and does not start with a slash, or if path.Clean would
// change it.
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
