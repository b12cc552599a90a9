package blackbox_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// Requirements 5.1, 5.2, 5.3, 5.4: which pages may call.
func TestMCPOrigin(t *testing.T) {
	listed := newMCP(&svc.MCPOptions{AllowedOrigins: []string{"https://App.example", "http://b.example:8080", "app://local"}})
	open := newMCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}})
	null := newMCP(&svc.MCPOptions{AllowedOrigins: []string{"null"}})
	for _, test := range []struct {
		handler      http.Handler
		host, origin string
		status       int
	}{
		{listed, "api.example", "", 200},
		{listed, "evil.example", "", 200}, // proxies rewrite Host
		{listed, "api.example", "https://app.example", 200},
		{listed, "api.example", "https://APP.example:443", 200},
		{listed, "api.example", "http://app.example", 403},
		{listed, "api.example", "https://app.example:8443", 403},
		{listed, "api.example", "https://app.example.evil", 403},
		{listed, "api.example", "https://app.example@evil", 403},
		{listed, "api.example", "https://app.example/x", 403},
		{listed, "api.example", "http://b.example:8080", 200},
		{listed, "api.example", "http://b.example", 403},
		{listed, "api.example", "app://local", 200},
		{listed, "api.example", "null", 403},
		{listed, "api.example", " ", 403},
		{listed, "evil.example", "http://evil.example", 403}, // rebinding makes them agree
		{listed, "evil.example", "http://localhost", 403},
		{listed, "localhost:8080", "http://evil.example", 403},
		{listed, "localhost:8080", "http://localhost:3000", 200},
		{listed, "127.0.0.1:8080", "http://localhost:8080", 200},
		{listed, "127.8.9.1", "https://127.0.0.1", 200},
		{listed, "[::1]:8080", "http://[::1]:9", 200},
		{listed, "[::ffff:127.0.0.1]:80", "http://localhost", 200},
		{listed, "localhost:8080", "http://localhost.evil.example", 403},
		{listed, "localhost:8080", "http://127.0.0.1.evil.example", 403},
		{listed, "localhost:8080", "http://2130706433", 403},
		{listed, "localhost:8080", "chrome-extension://localhost", 403},
		{listed, "localhost:8080", "http://localhost:99999", 403},
		{listed, "localhost:8080", "http://localhost, http://localhost", 403},
		{open, "api.example", "https://any.example", 200},
		{open, "api.example", "null", 200},
		{null, "api.example", "null", 200},
		{null, "api.example", "https://any.example", 403},
	} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Host = test.host
		r.Header.Set("Content-Type", "application/json")
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		w := httptest.NewRecorder()
		test.handler.ServeHTTP(w, r)
		allowed := w.Header().Get("Access-Control-Allow-Origin")
		if w.Code != test.status || test.status == 403 && allowed != "" || test.status == 200 && allowed != test.origin {
			t.Errorf("Origin %q at Host %q: %d, Access-Control-Allow-Origin %q; want %d", test.origin, test.host, w.Code, allowed, test.status)
		}
		if w.Code == 403 && !mcpMatches(w.Body.String(), mcpAnonymous("-32600", "origin")) {
			t.Errorf("Origin %q: %s", test.origin, w.Body)
		}
	}
}

// Requirement 5.1: two Origin headers are none that could be trusted.
func TestMCPOriginTwice(t *testing.T) {
	w := mcpPost(newMCP(nil), "Origin: http://localhost\nOrigin: http://localhost\n\n{}")
	if w.Code != 403 {
		t.Errorf("got %d, want 403", w.Code)
	}
}

// Requirements 1.2, 1.3, 1.4, 1.5, 7.9: what other methods than POST get.
func TestMCPMethods(t *testing.T) {
	h := newMCP(nil)
	for _, test := range []struct {
		method string
		status int
	}{
		{"GET", 405}, {"DELETE", 405}, {"HEAD", 405}, {"PUT", 405}, {"PATCH", 405}, {"TRACE", 405}, {"post", 405}, {"OPTIONS", 204},
	} {
		r := httptest.NewRequest(test.method, "/mcp", nil)
		r.Header.Set("Accept", "text/event-stream")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.status || w.Header().Get("Allow") != "POST, OPTIONS" {
			t.Errorf("%s: %d, Allow: %q; want %d", test.method, w.Code, w.Header().Get("Allow"), test.status)
		}
	}
}

// Requirement 1.13: a body over the limit, with and without a length.
func TestMCPBodyLimit(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	h := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{MaxBody: int64(len(ping)), Logger: slog.New(slog.DiscardHandler)}).MCP(nil)
	for _, test := range []struct {
		body   string
		length int64
		status int
	}{
		{ping, int64(len(ping)), 200}, {ping, -1, 200}, {ping + " ", int64(len(ping)) + 1, 413}, {ping + " ", -1, 413},
	} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(test.body))
		r.ContentLength = test.length
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.status || w.Code == 413 && !mcpMatches(w.Body.String(), mcpAnonymous("-32600", "bytes")) {
			t.Errorf("%d bytes: %d %s; want %d", test.length, w.Code, w.Body, test.status)
		}
	}
}

// Requirements 6.1, 6.3, 6.5: every answer to a page that may call can be read by
// it, whatever the answer is, and never with credentials.
func TestMCPCrossOrigin(t *testing.T) {
	h := newMCP(nil)
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{`,
		"Content-Type: text/plain\n\n{}",
		mcpModern("nope", ""),
		mcpLegacy("", "tools/call", `"name":"notes_work","arguments":{"level":"warning"}`),
		mcpLegacy("", "ping", "", "Accept: text/event-stream"),
		mcpLegacy("", "ping", "", "Accept: text/html"),
	} {
		w := mcpPost(h, "Origin: http://localhost:5173\n"+mcpHeaded(text))
		head := w.Header()
		if head.Get("Access-Control-Allow-Origin") != "http://localhost:5173" || head.Get("Vary") != "Origin" ||
			!strings.Contains(head.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") || head.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s\n%d %v", text, w.Code, head)
		}
	}
}

// mcpHeaded returns text with an empty head if it has none.
func mcpHeaded(text string) string {
	if strings.Contains(text, "\n\n") {
		return text
	}
	return "\n" + text
}

// Requirements 6.2, 6.4: the question that a browser asks first.
func TestMCPPreflight(t *testing.T) {
	h := newMCP(nil)
	ask := func(origin, headers string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("OPTIONS", "http://localhost/mcp", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		if headers != "" {
			r.Header.Set("Access-Control-Request-Headers", headers)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := ask("http://localhost:5173", "content-type,mcp-param-region")
	if head := w.Header(); w.Code != 204 || head.Get("Access-Control-Allow-Headers") != "content-type,mcp-param-region" ||
		head.Get("Access-Control-Allow-Methods") != "POST, GET, DELETE, OPTIONS" || head.Get("Access-Control-Max-Age") != "7200" {
		t.Errorf("%d %v", w.Code, head)
	}
	if got := ask("http://localhost:5173", "").Header().Get("Access-Control-Allow-Headers"); !strings.Contains(got, "mcp-protocol-version") {
		t.Errorf("the headers allowed to who does not ask are %q", got)
	}
	if w := ask("http://evil.example", "content-type"); w.Code != 403 || w.Header().Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("an evil page got %d %v", w.Code, w.Header())
	}
}
