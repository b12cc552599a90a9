package svc

// This file is what HTTP has to do with MCP: which requests are answered at all,
// which web pages may send them, and which forms of an answer a client takes.

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ServeHTTP answers one request. What is refused before there is a message to
// answer gets the status below, with a JSON-RPC error without an id:
//
//	The request                        Status
//	---------------------------------  ------
//	comes from a page that may not     403
//	OPTIONS                            204, which CORS asks for
//	any other method than POST         405
//	is not application/json            415
//	has too long a body                413
//	has a body that does not arrive    408
func (h *mcpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond answers a request, or returns the error to answer it with.
func (h *mcpHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	if origin, ok := r.Header["Origin"]; ok {
		if !h.origins.allows(origin, r.Host) {
			leaveBody(w, r)
			return httpError(http.StatusForbidden, CodePermissionDenied, "this origin is not allowed here")
		}
		allowOrigin(w.Header(), origin[0])
	}
	switch r.Method {
	case http.MethodPost:
		return h.answerPost(w, r, ws)
	case http.MethodOptions:
		leaveBody(w, r)
		preflight(w.Header(), r)
		w.WriteHeader(http.StatusNoContent)
		return nil
	default:
		// GET asks for a stream from the server, DELETE for the end of a
		// session: 405 is how a server says that it has neither.
		leaveBody(w, r)
		w.Header().Set("Allow", mcpAllow)
		return httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: "+mcpAllow)
	}
}

const mcpAllow = "POST, OPTIONS"

// answerPost answers a POST, or returns the error to answer it with.
func (h *mcpHandler) answerPost(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	if err := checkMCPContentType(w, r); err != nil {
		return err
	}
	var err error
	if ws.body, err = h.limits.readBody(w, r, ws.body[:0]); err != nil {
		return err
	}
	return newExchange(h, w, r, ws).serveBody()
}

// checkMCPContentType accepts application/json alone, not even a request
// without a type: a page can send those without asking (CORS).
func checkMCPContentType(w http.ResponseWriter, r *http.Request) error {
	if err := checkContentType(w, r); err != nil {
		return err
	}
	if types := r.Header["Content-Type"]; len(types) == 1 {
		mediaType, _, _ := strings.Cut(types[0], ";")
		if mediaType == contentTypeJSON || strings.EqualFold(strings.TrimSpace(mediaType), contentTypeJSON) {
			return nil
		}
	}
	leaveBody(w, r)
	return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be application/json")
}

// writeRefusal answers the whole request with err, in the form of JSON-RPC.
func (h *mcpHandler) writeRefusal(w http.ResponseWriter, _ *http.Request, err error) {
	e := ErrorFrom(err)
	writeErrorBody(w, e.HTTPStatus(), contentTypeJSON, appendRPCError(nil, rpcInvalidRequest, e.message(), nil, nil))
}

// An originPolicy says which web origins may call. A page can make a browser
// send requests to any address that the browser reaches, so the answer to an
// unknown page is no; and a name that an attacker made point here (DNS
// rebinding) makes Origin and Host agree, so that they agree means nothing.
type originPolicy struct {
	any   bool
	known map[string]bool // in the form of normalOrigin
}

func newOriginPolicy(p *mistakes, allowed []string) *originPolicy {
	o := &originPolicy{known: make(map[string]bool)}
	for i, text := range allowed {
		origin, ok := normalOrigin(text)
		switch {
		case text == "*":
			o.any = true
		case text == "null":
			o.known[text] = true
		case !ok:
			p.addf("MCPOptions.AllowedOrigins[%d] is %q; an origin is a scheme and a host, as in https://app.example", i, text)
		default:
			o.known[origin] = true
		}
	}
	return o
}

// allows reports whether a request to host with these Origin headers is served.
func (o *originPolicy) allows(origin []string, host string) bool {
	if len(origin) != 1 {
		return false
	}
	if o.any || origin[0] == "null" {
		return o.any || o.known["null"]
	}
	normal, ok := normalOrigin(origin[0])
	if !ok {
		return false
	}
	if o.known[normal] {
		return true
	}
	scheme, rest, _ := strings.Cut(normal, "://")
	return (scheme == "http" || scheme == "https") && isLoopback(rest) && isLoopback(host)
}

// normalOrigin returns an origin (RFC 6454, section 6.2) in lower case and
// without the port that its scheme has anyway.
func normalOrigin(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
		return "", false
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

// isLoopback reports whether a host, with or without a port, is this machine by
// its name or address.
func isLoopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && addr.Unmap().IsLoopback()
}

// allowOrigin lets the page read the answer, whatever it will be. What pages
// need of its header is listed; bearer tokens are no credentials in the sense
// of CORS, so those stay off.
func allowOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version")
}

// preflight answers the question that a browser asks before it lets a page send
// the request. GET and DELETE are allowed so that the page sees their 405.
func preflight(h http.Header, r *http.Request) {
	h.Set("Allow", mcpAllow)
	if len(r.Header["Origin"]) == 0 {
		return
	}
	names := r.Header.Get("Access-Control-Request-Headers")
	if names == "" {
		names = "content-type, accept, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate, baggage"
	}
	h.Add("Vary", "Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Headers", names) // Mcp-Param-* can have any name
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE, OPTIONS")
	h.Set("Access-Control-Max-Age", "7200")
}

// accepted is which forms of an answer a client takes.
type accepted struct{ json, events bool }

// parseAccept reads the Accept header (RFC 9110, section 12.5.1). The protocol
// asks clients to name both forms; many name one, or none, which means any.
func parseAccept(values []string) accepted {
	if len(values) == 0 || len(values) == 1 && values[0] == "application/json, text/event-stream" {
		return accepted{true, true}
	}
	return accepted{accepts(values, contentTypeJSON), accepts(values, contentTypeEvents)}
}

// accepts reports whether the media ranges of Accept take a media type: the one
// that is the most specific decides.
func accepts(values []string, mediaType string) bool {
	best, ok := 0, false
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			mediaRange, params, _ := strings.Cut(part, ";")
			if n := specificity(strings.ToLower(strings.TrimSpace(mediaRange)), mediaType); n > best {
				best, ok = n, !isZeroWeight(params)
			}
		}
	}
	return ok
}

// specificity says how closely a media range describes a media type, and 0 if it
// does not.
func specificity(mediaRange, mediaType string) int {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch mediaRange {
	case mediaType:
		return 3
	case kind + "/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// isZeroWeight reports whether the parameters of a media range say q=0.
func isZeroWeight(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err == nil && q == 0
		}
	}
	return false
}
