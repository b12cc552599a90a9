package blackbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// This file has what a request must not open or cost, one test for each door: first
// what an answer repeats of its request.

// TestEchoes sends everything that a header of the response repeats, in lengths around
// the limit. A proxy takes a server whose header does not fit into its buffer for
// broken, and then nobody gets through.
func TestEchoes(t *testing.T) {
	service := svc.MustRegister[interface{ Poke(context.Context) error }](new(poker), &svc.Options{Name: "Pokes", Resource: "pokes", Logger: slog.New(slog.DiscardHandler)})
	anything := svc.BearerOptions{Scopes: []string{"one"}, Logger: slog.New(slog.DiscardHandler)}
	scoped := func(scopes ...string) http.Handler {
		return svc.Bearer(func(context.Context, string) (*svc.Principal, error) {
			return &svc.Principal{Scopes: scopes}, nil
		}, anything)(service.REST())
	}
	cors := svc.CORS(svc.CORSOptions{Origins: []string{"*", "https://app.example"}})(service.REST())
	mcp := service.MCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}})
	const ask = "Access-Control-Request-Headers"
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		name    string
		handler http.Handler
		header  []string // names and values
		status  int
		echoes  string // a header that the response has
	}{
		{"CORS", cors, []string{ask, long(1024)}, 204, "Access-Control-Allow-Headers"},
		{"CORS", cors, []string{ask, long(1025)}, 403, ""},
		{"CORS, in parts", cors, []string{ask, long(512), ask, long(512)}, 403, ""},
		{"CORS, many", cors, []string{ask, strings.Repeat("a,", 3400)}, 403, ""},
		{"CORS, a long origin", cors, []string{"Origin", "https://" + long(1100)}, 403, ""},
		{"CORS, no origin", cors, []string{"Origin", "x" + long(100)}, 403, ""},
		{"MCP", mcp, []string{ask, long(1024)}, 204, "Access-Control-Allow-Headers"},
		{"MCP", mcp, []string{ask, long(1025)}, 403, ""},
		{"MCP, in parts", mcp, []string{ask, long(512), ask, long(512)}, 403, ""},
		{"MCP, an origin", mcp, []string{"Origin", "https://" + long(200)}, 204, "Access-Control-Allow-Origin"},
		{"MCP, a long origin", mcp, []string{"Origin", "https://" + long(1100)}, 403, ""},
		{"MCP, no origin", mcp, []string{"Origin", "x" + long(100)}, 403, ""},
		{"MCP, a path", mcp, []string{"Origin", "https://app.example/" + long(100)}, 403, ""},
		{"scopes", scoped(long(1020)), []string{"Authorization", "Bearer x"}, 403, "Www-Authenticate"},
		{"scopes", scoped(long(900), "y"+long(900)), []string{"Authorization", "Bearer x"}, 403, "Www-Authenticate"},
		{"any path", service.REST(), []string{}, 404, ""},
	} {
		r := httptest.NewRequest("OPTIONS", "/"+long(5000)+"?"+long(5000), nil)
		r.Header.Set("Origin", "https://app.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		for i := 0; i < len(test.header); i += 2 {
			if i == 0 {
				r.Header.Del(test.header[i])
			}
			r.Header.Add(test.header[i], test.header[i+1])
		}
		w := httptest.NewRecorder()
		test.handler.ServeHTTP(w, r)
		if w.Code != test.status || test.echoes != "" && w.Header().Get(test.echoes) == "" {
			t.Errorf("%s: the status is %d, want %d with %q; the header %.300v", test.name, w.Code, test.status, test.echoes, w.Header())
		}
		if size := len(fmt.Sprint(w.Header())); size > 1024+600 {
			t.Errorf("%s: the header has %d bytes", test.name, size)
		}
	}
}
