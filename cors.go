package svc

// This file implements CORS, the middleware that decides which pages of other origins may call, and
// the comparison of origins, which MCP also uses. An origin is a scheme, a host and a port. A
// preflight request is an OPTIONS request with which a browser asks the server before it sends the
// request of a page.

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// CORSOptions configures [CORS]. The zero value and nil allow no origin.
type CORSOptions struct {
	// AllowedOrigins lists the origins whose pages may call, such as "https://app.example": a
	// scheme, a host, and the port unless it is the default. Case does not matter. "*" allows all
	// pages to call without credentials. "null" allows pages without an origin, such as files and
	// sandboxed frames.
	AllowedOrigins []string
	// AllowedHeaders lists request headers that pages may set, besides the headers that the Fetch
	// standard calls safe. nil allows all, which is safe if AllowedOrigins lists names.
	AllowedHeaders []string
	// ExposedHeaders lists response headers that pages may read, besides the headers that the Fetch
	// standard calls safe. nil means the headers that svc sends, which doc/origins.md lists, and
	// the headers of the method's output.
	ExposedHeaders []string
	// Credentials lets pages send cookies and the password that the browser has stored for this
	// server. A bearer token that a page sets itself does not need it.
	Credentials bool
	// MaxAge is how long browsers may cache the response to a preflight request, in whole
	// seconds. Zero means the browser's default of 5 seconds; a negative value forbids caching.
	MaxAge time.Duration
}

// corsVerbs are the verbs that pages may use. Routes answer other verbs with 405, which
// pages can read.
const corsVerbs = "GET, HEAD, QUERY, POST, PUT, PATCH, DELETE"

// corsExposed is the default of Access-Control-Expose-Headers: the headers that
// errors, outputs and middleware of this package set.
const corsExposed = "WWW-Authenticate, Location, ETag, Link, Retry-After, Deprecation, Sunset, Content-Disposition, Content-Range, " +
	"Accept-Ranges, Idempotent-Replayed"

// corsReadable are the headers that every page may read (Fetch, CORS-safelisted response-header
// name).
var corsReadable = []string{"Cache-Control", "Content-Language", "Content-Length", "Content-Type", "Expires", "Last-Modified", "Pragma"}

// exposedHeader names the header with the list of headers that pages of other origins can read.
const exposedHeader = "Access-Control-Expose-Headers"

// exposeHeaders adds headers that pages of other origins can read, each preceded by a comma, if
// CORS has set the default list.
func exposeHeaders(h http.Header, more string) {
	if list := h[exposedHeader]; len(list) == 1 && list[0] == corsExposed {
		h[exposedHeader] = []string{corsExposed + more}
	}
}

// exposeAlways adds headers to any list, also one of the application and an empty one.
func exposeAlways(h http.Header, more string) {
	h[exposedHeader] = []string{strings.Join(slices.Concat(h[exposedHeader], []string{more}), ", ")}
}

// CORS returns middleware that lets pages of other origins call, by the CORS protocol of the Fetch
// standard, which browsers enforce. It answers preflight requests for every path. Other requests
// reach the next handler, and pages of allowed origins can read the response. doc/origins.md has
// each case.
//
// CORS does not protect the next handler: simple requests from other origins still reach it.
// Use CORS outside of guards such as [Bearer], because preflight requests carry no credentials
// and pages need to read a 401.
//
// CORS panics if an origin or a header is not valid. It also panics if Credentials is set with
// "*" or "null": every page on the web could then act as its reader.
func CORS(opts *CORSOptions) func(http.Handler) http.Handler {
	p := newCORSPolicy(valueOf(opts))
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		addHeader(w.Header(), "Vary", "Origin")
		origins := r.Header["Origin"]
		allowed, named := p.origins.allowsOrigin(origins)
		if allowed {
			p.setHeader(w.Header(), origins[0], named)
		}
		switch {
		case len(origins) > 0 && r.Method == http.MethodOptions && len(r.Header["Access-Control-Request-Method"]) > 0:
			if err := p.respondToPreflight(w, r, allowed); err != nil {
				refuse(w, r, err, ErrorOptions{})
			}
		case named:
			serveCopy(w, r, r.WithContext(context.WithValue(r.Context(), originKey{}, true)), next)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// A corsPolicy is the compiled form of CORSOptions.
//
// Invariant: if always has Access-Control-Allow-Credentials, neither every origin nor "null" is
// allowed.
type corsPolicy struct {
	origins   originSet
	echo      bool        // a preflight request gets all headers that it asks for
	always    http.Header // of all responses to pages of allowed origins
	preflight http.Header // of responses to their preflight requests
}

// newCORSPolicy compiles opts. It panics with every mistake in them.
func newCORSPolicy(opts CORSOptions) *corsPolicy {
	p := new(mistakes)
	c := &corsPolicy{
		origins:   newOriginSet(p, "AllowedOrigins", opts.AllowedOrigins),
		echo:      opts.AllowedHeaders == nil,
		always:    make(http.Header),
		preflight: http.Header{"Access-Control-Allow-Methods": {corsVerbs}},
	}
	if opts.Credentials {
		c.always.Set("Access-Control-Allow-Credentials", "true")
	}
	if opts.ExposedHeaders == nil {
		c.always.Set(exposedHeader, corsExposed)
	} else if len(opts.ExposedHeaders) > 0 {
		c.always.Set(exposedHeader, strings.Join(opts.ExposedHeaders, ", "))
	}
	if len(opts.AllowedHeaders) > 0 {
		c.preflight.Set("Access-Control-Allow-Headers", strings.Join(opts.AllowedHeaders, ", "))
	}
	if opts.MaxAge != 0 {
		c.preflight.Set("Access-Control-Max-Age", strconv.FormatInt(max(0, int64(opts.MaxAge/time.Second)), 10))
	}
	p.addIf(opts.Credentials && (c.origins["*"] || c.origins["null"]),
		`Credentials with "*" or "null" would let every page on the web act as its reader; list the origins by name`)
	for _, name := range opts.AllowedHeaders { // "*" would not allow Authorization (Fetch, CORS protocol)
		p.addIf(!isToken(name) || name == "*",
			"AllowedHeaders has %q, which is not a header name; leave AllowedHeaders nil to allow all headers", name)
	}
	for _, name := range opts.ExposedHeaders { // with credentials, "*" is an ordinary name
		p.addIf(!isToken(name) || name == "*" && opts.Credentials, "ExposedHeaders has %q, which is not a header name", name)
	}
	p.panicIfAny("CORS")
	return c
}

// An originSet has the origins of an option in the form that normalOrigin returns. "*" stands for
// every origin and "null" for pages without one; neither is a valid origin.
type originSet map[string]bool

// newOriginSet returns the origins of an option, and notes the mistakes in them.
func newOriginSet(p *mistakes, option string, origins []string) originSet {
	set := make(originSet)
	for i, text := range origins {
		origin, ok := normalOrigin(text)
		if text == "*" || text == "null" {
			origin, ok = text, true
		}
		p.addIf(!ok, "%s[%d] is %q; an origin is a scheme and a host, without a * and without a slash at the end, such as "+
			"https://app.example", option, i, text)
		set[origin] = true
	}
	return set
}

// allowsOrigin reports whether the Origin headers of a request name an allowed origin,
// and whether it is listed by name. Zero and two headers are not allowed: browsers send
// one. Nor is an origin that is too long to be repeated in a response; see maxEchoed.
func (set originSet) allowsOrigin(origins []string) (allowed, named bool) {
	if len(origins) != 1 {
		return false, false
	}
	if origins[0] == "null" {
		return set["*"] || set["null"], false
	}
	origin, ok := normalOrigin(origins[0])
	ok = ok && len(origins[0]) <= maxEchoed
	named = ok && set[origin]
	return ok && set["*"] || named, named
}

// setHeader sets the headers by which a page of an allowed origin can read the response.
// It repeats an origin that is listed by name as the request spells it, because browsers
// compare the text. For others it writes *, with which browsers send no credentials (Fetch,
// CORS protocol and credentials).
func (p *corsPolicy) setHeader(h http.Header, origin string, named bool) {
	if p.origins["*"] && !named {
		origin = "*"
	}
	h.Set("Access-Control-Allow-Origin", origin)
	setHeaders(h, p.always)
}

// respondToPreflight responds to a preflight request, or returns the error to respond with.
// The browser sends the real request only if the status is 200 to 299 and the headers
// allow it (Fetch, CORS-preflight fetch).
func (p *corsPolicy) respondToPreflight(w http.ResponseWriter, r *http.Request, allowed bool) error {
	h, asked := w.Header(), strings.Join(r.Header["Access-Control-Request-Headers"], ", ")
	addHeader(h, "Vary", "Access-Control-Request-Method")
	addHeader(h, "Vary", "Access-Control-Request-Headers")
	switch {
	case !allowed:
		return Errorf(CodePermissionDenied, "the server does not allow requests from pages of this origin")
	case p.echo && len(asked) > maxEchoed:
		return Errorf(CodePermissionDenied, "Access-Control-Request-Headers has more than %d bytes", maxEchoed)
	case p.echo && asked != "":
		h.Set("Access-Control-Allow-Headers", asked)
	}
	leaveBodyEarly(w, r)
	h.Del("Access-Control-Expose-Headers") // belongs to the real request
	setHeaders(h, p.preflight)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// normalOrigin returns an origin (RFC 6454, section 6.2) in lower case and without the
// default port of its scheme. It reports false for text that is not an origin.
//
//	HTTPS://App.Example:443  =>  https://app.example, true
//	https://app.example/     =>  false: it has a path
//	https://*.example        =>  false: browsers send hosts in ASCII, without *
func normalOrigin(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.HasSuffix(u.Host, ":") ||
		strings.ContainsFunc(u.Host, func(r rune) bool { return r == '*' || r > unicode.MaxASCII }) ||
		!strings.EqualFold(text, u.Scheme+"://"+u.Host) {
		return "", false
	}
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
	}
	host := strings.ToLower(u.Host)
	switch u.Scheme { // the default port is left out
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host, true
}
