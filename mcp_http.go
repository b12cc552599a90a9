package svc

// This file implements the HTTP part of MCP's Streamable HTTP: the checks of a request before its
// body is read, Origin, CORS and Accept.

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// ServeHTTP answers one request. The checks of HTTP come first, in the order of
// this table. Their errors have a JSON-RPC error without an id as the body, since
// the id is not known yet (MCP 2026-07-28, Streamable HTTP):
//
//	The request                            Status  Rule
//	-------------------------------------  ------  --------------------------------
//	has an Origin that is not allowed      403     MCP 2026-07-28, Security Warning
//	is OPTIONS                             204     the Fetch standard (CORS)
//	is OPTIONS for over 1 KiB of headers   403
//	is GET or DELETE                       405     MCP 2026-07-28, Streamable HTTP
//	has any other method than POST         405     RFC 9110, section 15.5.6
//	is not declared as JSON                415     RFC 9110, section 15.5.16
//	has a body over Options.MaxBody        413 *   RFC 9110, section 15.5.14
//	has a body that does not arrive        408     RFC 9110, section 15.5.9
//	accepts neither JSON nor events        406     RFC 9110, section 15.5.7
//
// * Before 2026-07-28 it is 200, with the id if it can be found; see mcpError.
//
// The Host header is not checked: a server behind a proxy does not know its own names,
// and browsers send an Origin header with every POST.
func (h *mcpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond writes the response to a request, or returns the error to send.
func (h *mcpHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	if origin, ok := r.Header["Origin"]; ok {
		switch {
		case isAllowedOrigin(r.Context()): // the headers of the CORS middleware stay
			exposeAlways(w.Header(), mcpExposed) // without its session a page cannot go on
		case !h.allowsOrigin(origin, r.Host):
			return Errorf(CodePermissionDenied, "this origin is not allowed here")
		default:
			addHeader(w.Header(), "Vary", "Origin")
			h.cors.setHeader(w.Header(), origin[0], true)
		}
	}
	switch r.Method {
	case http.MethodPost:
		return h.respondToPost(w, r, ws)
	case http.MethodOptions:
		w.Header().Set("Allow", mcpAllow)
		if len(r.Header["Origin"]) > 0 && !isAllowedOrigin(r.Context()) {
			return h.cors.respondToPreflight(w, r, true)
		}
		leaveBody(w, r)
		w.WriteHeader(http.StatusNoContent)
		return nil
	default:
		// GET asks for a stream without a request, and DELETE ends a session, but sessions are not
		// stored. A server that supports neither answers 405 (MCP 2025-11-25, Transports). Some
		// clients report other statuses as errors.
		err := notAllowed(mcpAllow)
		if r.Method == http.MethodGet || r.Method == http.MethodDelete {
			err = err.WithCause(errRoutine)
		}
		return err
	}
}

// mcpAllow is the header Allow, which 405 must have (RFC 9110, section 15.5.6).
const mcpAllow = "POST, OPTIONS"

// respondToPost reads the body of a POST and answers its messages, or returns the error to
// send.
func (h *mcpHandler) respondToPost(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	if err := checkMCPContentType(w, r); err != nil {
		return err
	}
	err := ws.readBody(r, h.limits, keepAll)
	if err != nil && !isBusy(err) && ErrorFrom(err).HTTPStatus() != http.StatusRequestEntityTooLarge {
		return err
	}
	x := newExchange(r.Context(), mcpRequest{h: h, w: w, accept: parseAccept(r.Header["Accept"]), agreed: h.agreementOf(r)}, r, ws)
	if isBusy(err) { // of a body that is large and not read to its end
		x.refuseBody(x.busyAnswer(err))
		return nil
	}
	x.message = h.messages.Get().(*message)
	switch {
	case err != nil:
		x.refuseBody(refusal(err))
	case x.readBody():
		x.serveBody()
	}
	x.returnMessage()
	return nil
}

// checkMCPContentType accepts only application/json. Other transports also accept a body
// without a Content-Type, which a web page can send without a preflight request (Fetch,
// simple requests).
func checkMCPContentType(w http.ResponseWriter, r *http.Request) error {
	if isPlainJSON(r) {
		return nil
	}
	err := checkUncompressed(w, r)
	if err == nil && requestSubtype(r) != "json" {
		err = errNotJSONType
	}
	return err
}

// writeErrorResponse answers the whole request with err, in the form of JSON-RPC.
func (h *mcpHandler) writeErrorResponse(w http.ResponseWriter, _ *http.Request, err error) {
	e := ErrorFrom(err)
	writeErrorBody(w, e.HTTPStatus(), e.header, contentTypeJSON, appendRPCError(nil, rpcInvalidRequest, e.message(), nil, nil),
		new(headerValues))
}

// allowsOrigin reports whether a request with these Origin headers is allowed. Any web
// page can make its reader's browser send requests to any address that the browser
// reaches, such as a server on the reader's machine. So servers must check Origin (MCP
// 2026-07-28, Streamable HTTP, Security Warning).
//
// Comparing Origin with Host is not enough. An attacker can make a name point to the address of the
// server (DNS rebinding), and requests of the page then have this name in both headers. So by
// default only localhost is allowed: pages served from localhost may call a server on localhost, on
// any port. host is the Host header.
func (h *mcpHandler) allowsOrigin(origins []string, host string) bool {
	allowed, _ := h.cors.origins.allowsOrigin(origins)
	if allowed || len(origins) != 1 {
		return allowed
	}
	normal, _ := normalOrigin(origins[0])
	scheme, rest, _ := strings.Cut(normal, "://")
	return (scheme == "http" || scheme == "https") && isLoopback(rest) && isLoopback(host)
}

// isLoopback reports whether a host, with or without a port, is localhost or a
// loopback address, 127.0.0.0/8 or ::1, also in its IPv4-mapped form.
func isLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil { // without a port
		host = hostport
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")) // else the zero Addr
	return addr.Unmap().IsLoopback()
}

// parseAccept parses the Accept headers (RFC 9110, section 12.5.1). Clients must name
// both forms (MCP 2026-07-28, Streamable HTTP), but many name only one or send no Accept,
// and servers need not refuse them. No Accept or an empty one means any form.
func parseAccept(values []string) accepted {
	switch list := strings.Join(values, ","); list { // nearly every request: no parsing, no allocation
	case "", "application/json, text/event-stream", "*/*":
		return accepted{true, true}
	case contentTypeJSON:
		return accepted{json: true}
	}
	weights := weighTypes(values, contentTypeJSON, contentTypeEvents)
	return accepted{weights[0].weight > 0, weights[1].weight > 0}
}

// agreementOf returns the content of the request's session, or the agreement of a client without a
// session.
func (h *mcpHandler) agreementOf(r *http.Request) *agreement {
	if values := r.Header[sessionHeader]; len(values) == 1 {
		if a := h.sessions.open(storeID(r.Context(), ""), values[0]); a != nil {
			return a
		}
	}
	return &h.unagreed
}
