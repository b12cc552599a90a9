package blackbox_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify that middleware outside, such as that of OpenTelemetry, sees the route in Request.Pattern
// through each middleware of the package, in every order of two, and after a panic too.
func TestMiddlewareKeepsPattern(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	verify := func(context.Context, string) (*svc.Principal, error) { return &svc.Principal{Subject: "ada"}, nil }
	all := []struct {
		name string
		wrap func(http.Handler) http.Handler
	}{
		{"AllowIPs", svc.AllowIPs([]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}, nil)},
		{"APIKey", svc.APIKey("X-Api-Key", verify, &svc.APIKeyOptions{Logger: quiet})},
		{"BasicAuth", svc.BasicAuth("r", map[string]string{"ada": "l"}, nil)},
		{"Bearer", svc.Bearer(verify, &svc.BearerOptions{Optional: true, Logger: quiet})},
		{"CORS", svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}})},
		{"Pprof", svc.Pprof("/debug/pprof")},
		{"Recover", svc.Recover(&svc.ErrorOptions{Logger: quiet})},
		{"Under", svc.Under("/load", svc.Version(nil))},
		{"Version", svc.Version(nil)},
	}
	mux := http.NewServeMux()
	mux.Handle("/", newLoaded("load", 0, 0).REST())
	mux.HandleFunc("GET /panics/{id}", func(http.ResponseWriter, *http.Request) { panic("oops") })
	for _, outer := range all {
		for _, inner := range all {
			t.Run(outer.name+" around "+inner.name, func(t *testing.T) {
				h := outer.wrap(inner.wrap(mux))
				for path, want := range map[string]string{"/load/read": "GET /load/read", "/panics/7": "GET /panics/{id}"} {
					r := httptest.NewRequest("GET", path, nil)
					r.SetBasicAuth("ada", "l")
					r.Header.Set("X-Api-Key", "k")
					r.Header.Set("Origin", "https://app.example")
					func() {
						defer func() { recover() }()
						h.ServeHTTP(httptest.NewRecorder(), r)
					}()
					if r.Pattern != want {
						t.Errorf("%s: the pattern is %q, want %q", path, r.Pattern, want)
					}
				}
			})
		}
	}
}

// Verify that what middleware does to the headers of one response stays there, whatever is sent
// later.
func TestErrorHeadersAreCopies(t *testing.T) {
	declared := svc.Errorf(svc.CodeUnavailable, "later").WithHeader("Retry-After", "7").WithHeader("X-Own", "a")
	h := svc.Handle(func(http.ResponseWriter, *http.Request) error { return declared }, &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)})
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		for _, name := range []string{"Retry-After", "X-Own"} {
			values := w.Header()[name]
			if len(values) != 1 || strings.Contains(values[0], "changed") {
				t.Fatalf("%s is %q", name, values)
			}
			values[0] = "changed"
		}
	}
}

// Verify which media types a request of JSON-RPC may have.
func TestRPCMediaTypes(t *testing.T) {
	h := newLoaded("load", 0, 0).RPC()
	for _, test := range []struct {
		contentType string
		status      int
	}{
		{"application/json", 200},
		{"application/json-rpc", 200},
		{"application/jsonrequest; charset=utf-8", 200},
		{"Application/JSON-RPC", 200},
		{"application/json-rpc; charset=iso-8859-1", 415},
		{"text/json-rpc", 415},
		{"application/xml", 415},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"load.read"}`)))
			r.Header.Set("Content-Type", test.contentType)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != test.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, test.status)
			}
		})
	}
}
