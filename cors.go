package svc

// This file has CORS, the middleware that decides which web pages of other origins
// may call, and the comparison of origins, which MCP uses too.

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// CORSOptions configures [CORS]. The zero value allows no origin.
type CORSOptions struct {
	// Origins are the origins whose pages may call, such as
	// "https://app.example" and "http://localhost:5173": a scheme and a host,
	// with the port unless it is the default one. They are compared whole,
	// without regard to case. "*" allows every page to call without
	// credentials. "null" allows pages without an origin, such as files and
	// sandboxed frames, which anybody can make.
	Origins []string
	// Headers are the names of request headers that pages may set. nil allows
	// all that a page asks for, which is safe if Origins are listed by name.
	// The few that the Fetch standard calls safe need no permission.
	Headers []string
	// Expose are the names of response headers that pages may read, besides the
	// few that the Fetch standard calls safe. nil stands for WWW-Authenticate,
	// Location, ETag, Link, Retry-After, Deprecation and Sunset.
	Expose []string
	// Credentials lets pages send cookies, and the password that the browser
	// keeps for this server. A bearer token that a page sets itself needs no
	// Credentials.
	Credentials bool
	// MaxAge is how long a browser may keep the answer to a preflight request,
	// in whole seconds. Zero leaves it to the browser, which keeps it for 5
	// seconds; a negative value forbids it. Most browsers limit it to 2 hours.
	MaxAge time.Duration
}

// corsMethods are the methods that pages may use. A route answers a method that it
// does not have with 405, which pages can read.
const corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"

// corsExposed is the value of Access-Control-Expose-Headers where Expose is nil:
// what the errors, the records and the middleware of this package set.
const corsExposed = "WWW-Authenticate, Location, ETag, Link, Retry-After, Deprecation, Sunset"

// CORS returns middleware that lets pages of other origins call, by the CORS
// protocol of the Fetch standard. Browsers enforce it, and other clients do not
// notice it:
//
//	The request                                        Answer
//	-------------------------------------------------  -----------------------------
//	a preflight request of an allowed origin           204 with what is allowed
//	a preflight request of another origin, or one      403 PERMISSION_DENIED
//	that asks for more than 1 KiB of header names
//	any other, of an allowed origin                    the next handler's, readable
//	any other                                          the next handler's
//
// A preflight request is an OPTIONS request that has the headers Origin and
// Access-Control-Request-Method. It is answered for every path, so the next handler
// sees none. Every answer has Vary: Origin, because caches must not give the answer
// for one origin to another; a handler that sets Vary anew has to say it too.
//
// CORS does not protect the handler: a page of another origin cannot read the answer,
// but its simple requests still reach the handler. Use CORS outside of guards such as
// [BasicAuth] and [Bearer], because preflight requests carry no credentials and pages
// need to read a 401.
//
// Requests of an origin that is listed by its name also pass the checks that
// handlers of this package make themselves: that of a POST from another site, and
// MCPOptions.AllowedOrigins. With "*" and "null" they do not.
//
// CORS panics if an origin or a header is not valid, and if Credentials come with
// "*" or "null", since then every page on the web could act for its reader.
func CORS(opts CORSOptions) func(http.Handler) http.Handler {
	p := newCORSPolicy(opts)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			addHeader(w.Header(), "Vary", "Origin")
			origins := r.Header["Origin"]
			if len(origins) == 0 {
				next.ServeHTTP(w, r)
				return
			}
			allowed, named := p.origins.allowsOrigin(origins)
			if allowed {
				p.setHeader(w.Header(), origins[0], named)
			}
			switch {
			case r.Method == http.MethodOptions && len(r.Header["Access-Control-Request-Method"]) > 0:
				p.answerPreflight(w, r, allowed)
			case named:
				next.ServeHTTP(w, r.WithContext(withAllowedOrigin(r.Context())))
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

// A corsPolicy is compiled CORSOptions.
//
// Invariant: credentials are allowed only if all origins and "null" are not.
type corsPolicy struct {
	origins     originSet
	credentials bool
	headers     string // Access-Control-Allow-Headers; "" if none
	echo        bool   // the headers that a request asks for are allowed
	expose      string // Access-Control-Expose-Headers; "" if none
	maxAge      string // in seconds; "" if the browser decides
}

// newCORSPolicy compiles opts. It panics with every mistake in them.
func newCORSPolicy(opts CORSOptions) *corsPolicy {
	origins, bad := newOriginSet("Origins", opts.Origins)
	p := &corsPolicy{
		origins:     origins,
		credentials: opts.Credentials,
		headers:     strings.Join(opts.Headers, ", "),
		echo:        opts.Headers == nil,
		expose:      strings.Join(opts.Expose, ", "),
	}
	if opts.Expose == nil {
		p.expose = corsExposed
	}
	if opts.MaxAge != 0 {
		p.maxAge = strconv.FormatInt(max(0, int64(opts.MaxAge/time.Second)), 10)
	}
	if opts.Credentials && (origins.any || origins.null) {
		bad = append(bad, `Credentials with "*" or "null" would let every page on the web act for its reader; list the origins by name`)
	}
	for _, name := range opts.Headers {
		if !isToken(name) || name == "*" { // "*" would not allow Authorization (Fetch, CORS protocol)
			bad = append(bad, fmt.Sprintf("Headers has %q, which is no name of a header; leave Headers nil to allow all", name))
		}
	}
	for _, name := range opts.Expose {
		if !isToken(name) || name == "*" && opts.Credentials { // with credentials "*" is a name like others
			bad = append(bad, fmt.Sprintf("Expose has %q, which is no name of a header", name))
		}
	}
	if len(bad) > 0 {
		panic("svc: CORS:\n  - " + strings.Join(bad, "\n  - "))
	}
	return p
}

// An originSet is a list of web origins of an option.
//
// Invariant: known has origins in the form of normalOrigin.
type originSet struct {
	any   bool // every origin is in it
	null  bool // and so are pages without an origin
	known map[string]bool
}

// newOriginSet returns the set of an option and the mistakes in it.
func newOriginSet(option string, origins []string) (set originSet, bad []string) {
	set.known = make(map[string]bool)
	for i, text := range origins {
		origin, ok := normalOrigin(text)
		switch {
		case text == "*":
			set.any = true
		case text == "null":
			set.null = true
		case !ok:
			bad = append(bad, fmt.Sprintf("%s[%d] is %q; an origin is a scheme and a host without a slash at its end or a * in it, as in https://app.example", option, i, text))
		default:
			set.known[origin] = true
		}
	}
	return set, bad
}

// allowsOrigin reports whether a request with these Origin headers is of an allowed
// origin, and whether it is listed by its name. No browser sends two headers.
func (set *originSet) allowsOrigin(origins []string) (allowed, named bool) {
	if len(origins) != 1 {
		return false, false
	}
	if origins[0] == "null" {
		return set.any || set.null, false
	}
	origin, ok := normalOrigin(origins[0])
	ok = ok && len(origins[0]) <= maxEchoed
	named = ok && set.known[origin]
	return ok && set.any || named, named
}

// setHeader lets the page of an allowed origin read the answer. A named origin is
// repeated as the request spells it, since browsers compare the text.
func (p *corsPolicy) setHeader(h http.Header, origin string, named bool) {
	if p.origins.any && !named {
		origin = "*"
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if p.credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	if p.expose != "" {
		h.Set("Access-Control-Expose-Headers", p.expose)
	}
}

// answerPreflight answers a preflight request. A browser sends the request that it
// asks about only if the status is 200 to 299 and everything about it is allowed
// (Fetch, CORS-preflight fetch).
func (p *corsPolicy) answerPreflight(w http.ResponseWriter, r *http.Request, allowed bool) {
	h := w.Header()
	addHeader(h, "Vary", "Access-Control-Request-Method")
	addHeader(h, "Vary", "Access-Control-Request-Headers")
	if !allowed {
		refuse(w, r, Errorf(CodePermissionDenied, "pages of this origin may not call"), nil)
		return
	}
	headers, ok := askedHeaders(r)
	if !p.echo {
		headers, ok = p.headers, true
	}
	if !ok {
		refuse(w, r, Errorf(CodePermissionDenied, askedTooMuch), nil)
		return
	}
	leaveBodyEarly(w, r)
	h.Del("Access-Control-Expose-Headers") // is for the request that follows
	h.Set("Access-Control-Allow-Methods", corsMethods)
	if headers != "" {
		h.Set("Access-Control-Allow-Headers", headers)
	}
	if p.maxAge != "" {
		h.Set("Access-Control-Max-Age", p.maxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}

// askedHeaders returns the names of headers that a preflight request asks for, to be
// repeated in the answer. It reports false if they have more than maxEchoed bytes.
func askedHeaders(r *http.Request) (string, bool) {
	names := strings.Join(r.Header["Access-Control-Request-Headers"], ", ")
	return names, len(names) <= maxEchoed
}

const askedTooMuch = "Access-Control-Request-Headers has more than 1024 bytes"

// normalOrigin returns an origin (RFC 6454, section 6.2) in lower case and without
// the default port of its scheme. It reports false for text that is not an
// origin, such as one with a path.
func normalOrigin(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.HasSuffix(u.Host, ":") || strings.ContainsFunc(u.Host, func(r rune) bool { return r == '*' || r > unicode.MaxASCII }) || !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
		return "", false // no browser sends a host with a *, or with other letters than those of its ASCII form
	}
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
	}
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host, true
}
