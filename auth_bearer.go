package svc

// This file has the identity of callers: Principal and its place in a context;
// Bearer, the middleware that gets it from a bearer token (RFC 6750), with its
// challenges; what Bearer lets into the log; and the metadata document by which
// clients find out where to get a token (RFC 9728).

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Principal is the caller of a request, as a token or a password says. All code that
// handles the request shares it and must not change it.
type Principal struct {
	Subject string    // the name of the caller; that of the user with BasicAuth
	Scopes  []string  // what the caller may do; see MethodOptions.Scopes
	Expires time.Time // when the token ends; zero means never. A call that has begun goes on
	Claims  any       // whatever else is known, for the application
}

// An identity is what a context knows about its caller.
//
// A context without one is that of a caller whom nobody has looked for.
type identity struct {
	principal *Principal   // nil if the caller is unknown
	guard     *bearerGuard // the Bearer in front, which knows the challenge; nil without one
}

// An identityKey is the key of an identity in a context.
type identityKey struct{}

// identityOf returns what ctx knows about its caller.
func identityOf(ctx context.Context) identity {
	id, _ := ctx.Value(identityKey{}).(identity)
	return id
}

// PrincipalFrom returns the caller of the request that ctx belongs to, and reports
// whether it is known. [Bearer] and [BasicAuth] set it, and so does
// [WithPrincipal].
func PrincipalFrom(ctx context.Context) (*Principal, bool) {
	p := identityOf(ctx).principal
	return p, p != nil
}

// WithPrincipal returns a context of calls by p, for your own middleware,
// [Service.Call] and [Service.MCPStdio]. With nil the caller is unknown.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, identityKey{}, identity{p, identityOf(ctx).guard})
}

// BearerOptions configures [Bearer]. The zero value requires a token, whatever its
// scopes.
type BearerOptions struct {
	// Resource is the URL of this server, as clients know it: that of the MCP
	// endpoint, for example. verify must check that a token was issued for it,
	// because a token for another server must not be accepted here (RFC 8707).
	Resource string
	// AuthorizationServers are the URLs of the issuers from which clients can get a
	// token. With them Bearer serves the metadata document and names it in its
	// challenges. They need a Resource.
	AuthorizationServers []string
	// Scopes are the scopes that every token must have. MethodOptions.Scopes has
	// those that single methods need. Default: none.
	Scopes []string
	// Optional passes requests without a token. Services behind Bearer then refuse
	// them for all methods that are not public. Other handlers are open and must
	// call PrincipalFrom themselves. A token that is sent must still be valid.
	Optional bool
	// OnError writes the answers to refused requests. Default: WriteError.
	OnError ErrorHandler
	// Logger gets one line for each refused request. No line has a token or a
	// part of one. Default: slog.Default, asked for at each use.
	Logger *slog.Logger
}

// maxToken is how many bytes a token may have. It is more than servers accept in all
// headers together, in most cases, and bounds the work of verify.
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
// A 503 has the header Retry-After of the error that verify returns, or else 1 second.
//
// verify gets the token as it was sent, and must check everything about it: the
// signature, the issuer, the audience and, unless it sets Principal.Expires, the time.
// It is called for each request, and concurrently. Tokens in the query or in a form are
// ignored.
//
// If verify asks another server, give that a deadline: the ctx of a request with a body
// does not end when the client leaves, because net/http notices that only after the
// body has been read. An error of verify after the end of ctx counts as CANCELED or
// DEADLINE_EXCEEDED.
//
// The scopes of a challenge are those that the token has and those that it lacks,
// since clients ask for all scopes of a challenge and for no other. Where they are
// more than 1 KiB together, they are those that it lacks.
//
// Use [CORS] outside of Bearer: preflight requests have no token. Methods with
// MethodOptions.Public cannot be reached through a Bearer that is not Optional.
//
// Bearer panics if verify is nil, if AuthorizationServers come without a Resource, and
// if a URL or a scope is not valid.
func Bearer(verify func(ctx context.Context, token string) (*Principal, error), opts BearerOptions) func(http.Handler) http.Handler {
	if verify == nil {
		panic("svc: Bearer: verify is nil, so no token would be good")
	}
	g := newBearerGuard(opts)
	g.verify = verify
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if g.metadata != nil && slices.Contains(g.wellKnown, r.URL.Path) {
				g.metadata.ServeHTTP(w, r)
				return
			}
			p, err := g.identify(r)
			if err != nil {
				logError(r.Context(), opts.Logger, err, logPlace{request: r})
				refuse(w, r, err, opts.OnError)
				return
			}
			if p == nil { // as middleware outside may have found another way to know the caller
				p = identityOf(r.Context()).principal
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, identity{p, g})))
		})
	}
}

// A bearerGuard is a compiled Bearer.
type bearerGuard struct {
	verify      func(ctx context.Context, token string) (*Principal, error)
	opts        BearerOptions
	metadataURL string       // of the metadata document; "" if there is none
	wellKnown   []string     // the paths that it is served at
	metadata    http.Handler // nil if there is none
}

// newBearerGuard compiles opts. It panics with every mistake in them.
func newBearerGuard(opts BearerOptions) *bearerGuard {
	g := &bearerGuard{opts: opts}
	g.opts.Scopes = slices.Clone(opts.Scopes)
	var bad []string
	for _, s := range opts.Scopes {
		if !isScope(s) {
			bad = append(bad, fmt.Sprintf("Scopes has %q; a scope is visible ASCII without quotes and backslashes", s))
		}
	}
	for _, s := range opts.AuthorizationServers {
		if !isResourceURL(s) || strings.Contains(s, "?") { // RFC 8414, section 2
			bad = append(bad, fmt.Sprintf("AuthorizationServers has %q; write a URL without a query, such as https://login.example", s))
		}
	}
	switch {
	case opts.Resource == "" && len(opts.AuthorizationServers) > 0:
		bad = append(bad, "AuthorizationServers need a Resource, the URL of this server")
	case opts.Resource != "" && !isResourceURL(opts.Resource):
		bad = append(bad, fmt.Sprintf("Resource is %q; write a URL such as https://api.example/mcp", opts.Resource))
	}
	if len(bad) > 0 {
		panic("svc: Bearer:\n  - " + strings.Join(bad, "\n  - "))
	}
	if len(opts.AuthorizationServers) > 0 {
		g.setMetadata()
	}
	return g
}

// isScope reports whether s is a scope-token (RFC 6749, section 3.3).
func isScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '"' || r == '\\' })
}

// isResourceURL reports whether s is an absolute URL of the web without a fragment
// (RFC 8707, section 2), in characters that a header, and so a scope, can have.
func isResourceURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isScope(s) && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.Contains(s, "#")
}

// identify returns the principal of the token of r, or nil if it has none and needs
// none.
func (g *bearerGuard) identify(r *http.Request) (*Principal, error) {
	values := r.Header["Authorization"]
	if len(values) > 1 {
		return nil, g.requestError("the request has more than one Authorization header")
	}
	scheme, token := "", ""
	if len(values) == 1 {
		scheme, token, _ = strings.Cut(values[0], " ")
		token = strings.Trim(token, " ")
	}
	switch {
	case !strings.EqualFold(scheme, "Bearer") && g.opts.Optional:
		return nil, nil
	case !strings.EqualFold(scheme, "Bearer"):
		return nil, g.missingError()
	case token == "":
		return nil, g.requestError("the access token is empty")
	case len(token) > maxToken:
		return nil, g.requestError("the access token has more than 8192 bytes")
	case !isBearerToken(token):
		return nil, g.tokenError(errors.New("it has characters that no token has"))
	}
	p, err := g.verifyToken(r.Context(), token)
	switch {
	case err != nil:
		return nil, err
	case !p.Expires.IsZero() && !time.Now().Before(p.Expires):
		return nil, g.tokenError(errors.New("it has expired"))
	}
	if missing := missingScopes(p, g.opts.Scopes); len(missing) > 0 {
		return nil, g.scopeError(p, missing)
	}
	return p, nil
}

// isBearerToken reports whether s is a b64token (RFC 6750, section 2.1).
func isBearerToken(s string) bool {
	s = strings.TrimRight(s, "=")
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("-._~+/", r)
	})
}

// verifyToken calls verify, which is code of the application, and sorts its errors.
func (g *bearerGuard) verifyToken(ctx context.Context, token string) (*Principal, error) {
	p, err := g.callVerify(ctx, token)
	switch {
	case err == nil && p != nil:
		return p, nil
	case err == nil:
		err = errors.New("verify returned neither a Principal nor an error")
	case ctx.Err() != nil: // the client has gone, or a deadline is over
		return nil, &Error{Code: CodeOf(ctx.Err()), cause: withoutToken(err, token)}
	case CodeOf(err) == CodeUnauthenticated:
		return nil, g.tokenError(withoutToken(err, token))
	}
	after := cmp.Or(ErrorFrom(err).Header().Get("Retry-After"), "1") // in seconds, as Limit has it
	return nil, Errorf(CodeUnavailable, "access tokens cannot be checked at the moment").WithCause(withoutToken(err, token)).WithHeader("Retry-After", after)
}

// callVerify calls verify and returns its panic as an error.
func (g *bearerGuard) callVerify(ctx context.Context, token string) (p *Principal, err error) {
	defer recoverTo(&err)
	p, err = g.verify(ctx, token)
	probeError(err)
	return p, err
}

// withoutToken returns err, or another error if its text has a part of the token:
// verifiers often quote what they could not read. The stack of a panic stays.
func withoutToken(err error, token string) error {
	const part = 8 // bytes; a shorter part may be in any text by chance
	text := fmt.Sprint(err)
	size := min(part, len(token))
	parts := make(map[string]bool) // of the token, since text has no bound
	for i := 0; i+size <= len(token); i++ {
		parts[token[i:i+size]] = true
	}
	found := false
	for i := 0; i+size <= len(text) && !found; i++ {
		found = parts[text[i:i+size]]
	}
	const hidden = "verify returned an error that quotes the token"
	if p := panicIn(err); p != nil && found {
		return &PanicError{Value: hidden, Stack: p.Stack}
	} else if found {
		return errors.New(hidden)
	}
	return err
}

// missingScopes returns the scopes of needed that p does not have.
func missingScopes(p *Principal, needed []string) []string {
	var missing []string
	for _, s := range needed {
		if !slices.Contains(p.Scopes, s) {
			missing = append(missing, s)
		}
	}
	return missing
}

// requestError returns the error for a request that RFC 6750, section 3.1, calls
// invalid_request.
func (g *bearerGuard) requestError(text string) error {
	return Errorf(CodeInvalidArgument, "%s", text).WithHeader("WWW-Authenticate", g.challenge("invalid_request", nil))
}

// missingError returns the error for a request without a token.
func (g *bearerGuard) missingError() error {
	return Errorf(CodeUnauthenticated, "an access token is required").WithHeader("WWW-Authenticate", g.challenge("", g.opts.Scopes))
}

// tokenError returns the error for a token that is not valid. The reason is logged and
// not sent, because a client cannot repair a token.
func (g *bearerGuard) tokenError(reason error) error {
	return Errorf(CodeUnauthenticated, "the access token is not valid").WithCause(reason).
		WithHeader("WWW-Authenticate", g.challenge("invalid_token", g.opts.Scopes))
}

// scopeError returns the error for a caller that lacks scopes. Without a Bearer in
// front it has no challenge, because the caller may have used another scheme.
func (g *bearerGuard) scopeError(p *Principal, missing []string) error {
	e := Errorf(CodePermissionDenied, "the access token lacks a scope: %s", strings.Join(missing, " "))
	if g == nil {
		return e
	}
	scopes := slices.DeleteFunc(slices.Concat(p.Scopes, missing), func(s string) bool { return !isScope(s) })
	if len(strings.Join(scopes, " ")) > maxEchoed { // p.Scopes are as many as its token says
		scopes = missing
	}
	return e.WithHeader("WWW-Authenticate", g.challenge("insufficient_scope", scopes))
}

// challenge returns a value of WWW-Authenticate (RFC 6750, section 3, and RFC 9728,
// section 5.1). The scheme must have one parameter at least. A scope that is in scopes
// twice is in the challenge once.
//
//	Bearer error="invalid_token", scope="todos:read", resource_metadata="https://…"
func (g *bearerGuard) challenge(code string, scopes []string) string {
	var params []string
	if code != "" {
		params = append(params, `error="`+code+`"`)
	}
	if len(scopes) > 0 {
		seen := make(map[string]bool)
		once := slices.DeleteFunc(slices.Clone(scopes), func(s string) bool {
			again := seen[s]
			seen[s] = true
			return again
		})
		params = append(params, `scope="`+strings.Join(once, " ")+`"`)
	}
	if g != nil && g.metadataURL != "" {
		params = append(params, `resource_metadata="`+g.metadataURL+`"`)
	}
	return "Bearer " + cmp.Or(strings.Join(params, ", "), `realm="api"`)
}

// checkIdentity returns an error if the caller of ctx must not use a method that needs
// an identity and these scopes. It fails closed: a caller whom nobody has looked for is
// refused like one whom nobody knows, and only the log tells the two apart.
func checkIdentity(ctx context.Context, scopes []string) error {
	id, looked := ctx.Value(identityKey{}).(identity)
	if id.principal != nil {
		if missing := missingScopes(id.principal, scopes); len(missing) > 0 {
			return id.guard.scopeError(id.principal, missing)
		}
		return nil
	}
	if id.guard != nil {
		scopes = slices.Concat(id.guard.opts.Scopes, scopes)
	}
	e := Errorf(CodeUnauthenticated, "the caller is not known").WithHeader("WWW-Authenticate", id.guard.challenge("", scopes))
	if !looked {
		e.cause = errNobodyLooked
	}
	return e
}

// errNobodyLooked is why a caller is not known in a program that has forgotten its
// guard, or has one that does not say whom it has let in.
var errNobodyLooked = errors.New("no middleware in front of this service sets a Principal; see WithPrincipal")

// metadataPath is where clients look for the metadata document of a resource,
// followed by the path of the resource (RFC 9728, section 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// setMetadata makes the metadata document (RFC 9728, section 2) and decides where it
// is served. Clients that know only the host look for it at the root.
func (g *bearerGuard) setMetadata() {
	u, _ := url.Parse(g.opts.Resource) // newBearerGuard has checked it
	path := u.EscapedPath()
	if path == "/" { // goes away (RFC 9728, section 3.1)
		path = ""
	}
	g.metadataURL = u.Scheme + "://" + u.Host + metadataPath + path
	if u.RawQuery != "" {
		g.metadataURL += "?" + u.RawQuery
	}
	g.wellKnown = []string{metadataPath, metadataPath + strings.TrimSuffix(u.Path, "/"), metadataPath + u.Path}
	body := encodeMetadata(g.opts)
	g.metadata = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveMetadata(w, r, body) })
}

// encodeMetadata returns the metadata document.
func encodeMetadata(o BearerOptions) []byte {
	list := func(dst []byte, values []string) []byte {
		for i, v := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendQuoted(dst, v)
		}
		return append(dst, ']')
	}
	buf := appendQuoted([]byte(`{"resource":`), o.Resource)
	buf = list(append(buf, `,"authorization_servers":[`...), o.AuthorizationServers)
	if len(o.Scopes) > 0 {
		buf = list(append(buf, `,"scopes_supported":[`...), o.Scopes)
	}
	return append(buf, `,"bearer_methods_supported":["header"]}`...)
}

// serveMetadata answers with the metadata document. Pages of every origin may read it:
// they need it to get a token, and nothing in it is secret.
func serveMetadata(w http.ResponseWriter, r *http.Request, body []byte) {
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") == "" { // which CORS in front has set
		h.Set("Access-Control-Allow-Origin", "*")
	}
	leaveBodyEarly(w, r)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		writeJSON(w, r, http.StatusOK, body, new(headerValues))
	case http.MethodOptions: // MCP clients send MCP-Protocol-Version, for which browsers ask first
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		WriteError(w, r, httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: GET, HEAD, OPTIONS"))
	}
}

// Metadata returns a handler of the metadata document (RFC 9728), to mount at
// /.well-known/oauth-protected-resource and the path of Resource behind it, where
// [Bearer] does not wrap these paths. It panics without a Resource and
// AuthorizationServers, and on the mistakes on which Bearer panics.
func (o BearerOptions) Metadata() http.Handler {
	g := newBearerGuard(o)
	if g.metadata == nil {
		panic("svc: BearerOptions.Metadata needs a Resource and AuthorizationServers")
	}
	return g.metadata
}
