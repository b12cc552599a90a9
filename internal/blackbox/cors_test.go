package blackbox_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// corsServe sends a request with headers "Name: value" through CORS to a handler
// that answers 401, and returns the answer and whether the handler was called.
func corsServe(opts svc.CORSOptions, method string, headers ...string) (*httptest.ResponseRecorder, bool) {
	called := false
	h := svc.CORS(&opts)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called = true
		w.WriteHeader(http.StatusUnauthorized)
	}))
	r := httptest.NewRequest(method, "/any/path", nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, called
}

// corsHeaders returns what an answer says of CORS, one header a line.
func corsHeaders(h http.Header) string {
	var lines []string
	for _, name := range []string{"Allow-Origin", "Allow-Credentials", "Allow-Methods", "Allow-Headers", "Max-Age", "Expose-Headers"} {
		for _, value := range h.Values("Access-Control-" + name) {
			lines = append(lines, name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

const (
	corsExpose  = "Expose-Headers: WWW-Authenticate, Location, ETag, Link, Retry-After, Deprecation, Sunset, Content-Disposition, Content-Range, Accept-Ranges, Idempotent-Replayed"
	corsMethods = "Allow-Methods: GET, HEAD, QUERY, POST, PUT, PATCH, DELETE"
)

func TestCORS(t *testing.T) {
	app := svc.CORSOptions{AllowedOrigins: []string{"https://app.example", "http://localhost:5173"}}
	creds := svc.CORSOptions{AllowedOrigins: app.AllowedOrigins, Credentials: true, AllowedHeaders: []string{"Content-Type", "X-Trace"}, ExposedHeaders: []string{"X-Total"}, MaxAge: 90 * time.Second}
	none := svc.CORSOptions{AllowedOrigins: app.AllowedOrigins, AllowedHeaders: []string{}, ExposedHeaders: []string{}, MaxAge: -1}
	star := svc.CORSOptions{AllowedOrigins: []string{"*", "https://app.example"}}
	const from, ask = "Origin: https://app.example", "Access-Control-Request-Method: PUT"
	for _, test := range []struct {
		name    string
		opts    svc.CORSOptions
		method  string
		headers []string
		status  int // 401 is the next handler's
		want    string
	}{
		{"no origin", app, "GET", nil, 401, ""},
		{"no origin, preflight", app, "OPTIONS", []string{ask}, 401, ""},
		{"simple", app, "GET", []string{from}, 401, "Allow-Origin: https://app.example\n" + corsExpose},
		{"with a port", app, "GET", []string{"Origin: http://localhost:5173"}, 401, "Allow-Origin: http://localhost:5173\n" + corsExpose},
		{"in capitals, and the default port", app, "GET", []string{"Origin: HTTPS://App.Example:443"}, 401, "Allow-Origin: HTTPS://App.Example:443\n" + corsExpose},
		{"OPTIONS that asks for no method", app, "OPTIONS", []string{from}, 401, "Allow-Origin: https://app.example\n" + corsExpose},
		{"PUT with the header of a preflight", app, "PUT", []string{from, ask}, 401, "Allow-Origin: https://app.example\n" + corsExpose},
		{"preflight", app, "OPTIONS", []string{from, ask}, 204, "Allow-Origin: https://app.example\n" + corsMethods},
		{"preflight with names", app, "OPTIONS", []string{from, ask, "Access-Control-Request-Headers: authorization,x-any"}, 204, "Allow-Origin: https://app.example\n" + corsMethods + "\nAllow-Headers: authorization,x-any"},
		{"credentials", creds, "GET", []string{from}, 401, "Allow-Origin: https://app.example\nAllow-Credentials: true\nExpose-Headers: X-Total"},
		{"credentials, preflight", creds, "OPTIONS", []string{from, ask, "Access-Control-Request-Headers: x-any"}, 204, "Allow-Origin: https://app.example\nAllow-Credentials: true\n" + corsMethods + "\nAllow-Headers: Content-Type, X-Trace\nMax-Age: 90"},
		{"no headers", none, "GET", []string{from}, 401, "Allow-Origin: https://app.example"},
		{"no headers, preflight", none, "OPTIONS", []string{from, ask, "Access-Control-Request-Headers: x-any"}, 204, "Allow-Origin: https://app.example\n" + corsMethods + "\nMax-Age: 0"},
		{"every origin", star, "GET", []string{"Origin: https://other.example"}, 401, "Allow-Origin: *\n" + corsExpose},
		{"every origin, preflight", star, "OPTIONS", []string{"Origin: https://other.example", ask}, 204, "Allow-Origin: *\n" + corsMethods},
		{"every origin, null", star, "GET", []string{"Origin: null"}, 401, "Allow-Origin: *\n" + corsExpose},
		{"every origin, named", star, "GET", []string{from}, 401, "Allow-Origin: https://app.example\n" + corsExpose},
		{"null listed", svc.CORSOptions{AllowedOrigins: []string{"null"}}, "GET", []string{"Origin: null"}, 401, "Allow-Origin: null\n" + corsExpose},
		{"another origin", app, "GET", []string{"Origin: https://other.example"}, 401, ""},
		{"another scheme", app, "GET", []string{"Origin: http://app.example"}, 401, ""},
		{"another port", app, "GET", []string{"Origin: https://app.example:8443"}, 401, ""},
		{"a longer host", app, "GET", []string{"Origin: https://app.example.evil.example"}, 401, ""},
		{"a host below", app, "GET", []string{"Origin: https://x.app.example"}, 401, ""},
		{"a path", app, "GET", []string{from + "/"}, 401, ""},
		{"null", app, "GET", []string{"Origin: null"}, 401, ""},
		{"empty", app, "GET", []string{"Origin: "}, 401, ""},
		{"two headers", app, "GET", []string{from, from}, 401, ""},
		{"two in one", app, "GET", []string{from + " https://app.example"}, 401, ""},
		{"another origin, preflight", app, "OPTIONS", []string{"Origin: https://other.example", ask}, 403, ""},
		{"two headers, preflight", app, "OPTIONS", []string{from, from, ask}, 403, ""},
		{"the zero value", svc.CORSOptions{}, "OPTIONS", []string{from, ask}, 403, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, called := corsServe(test.opts, test.method, test.headers...)
			if w.Code != test.status || called != (test.status == 401) {
				t.Errorf("%s: status %d, called %t; want %d", test.name, w.Code, called, test.status)
			}
			if got := corsHeaders(w.Header()); got != test.want {
				t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
			}
			vary := "Origin"
			if !called {
				vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
			}
			if got := strings.Join(w.Header().Values("Vary"), ", "); got != vary {
				t.Errorf("%s: Vary: %s", test.name, got)
			}
		})
	}
}

// Each mistake is named, and all of them at once.
func TestCORSMistakes(t *testing.T) {
	for _, test := range []struct {
		opts svc.CORSOptions
		want []string
	}{
		{svc.CORSOptions{AllowedOrigins: []string{"https://ä.example", "https://app.example:"}}, []string{`AllowedOrigins[0] is "https://ä.example"`, `AllowedOrigins[1] is "https://app.example:"`}},
		{svc.CORSOptions{AllowedOrigins: []string{"https://app.example/", "app.example"}}, []string{`AllowedOrigins[0] is "https://app.example/"; an origin is a scheme and a host`, `AllowedOrigins[1] is "app.example"`}},
		{svc.CORSOptions{AllowedOrigins: []string{"https://*.example"}, AllowedHeaders: []string{"*"}}, []string{`AllowedOrigins[0] is "https://*.example"`, `AllowedHeaders has "*", which is not a header name; leave AllowedHeaders nil`}},
		{svc.CORSOptions{AllowedOrigins: []string{"*"}, Credentials: true}, []string{`Credentials with "*" or "null"`}},
		{svc.CORSOptions{AllowedOrigins: []string{"null"}, Credentials: true}, []string{`Credentials with "*" or "null"`}},
		{svc.CORSOptions{AllowedHeaders: []string{"X Y"}, ExposedHeaders: []string{"", "*"}, Credentials: true}, []string{`AllowedHeaders has "X Y"`, `ExposedHeaders has ""`, `ExposedHeaders has "*"`}},
	} {
		t.Run(rowName(test.opts.AllowedOrigins, test.want), func(t *testing.T) {
			func() {
				defer func() {
					text := fmt.Sprint(recover())
					for _, want := range test.want {
						if !strings.HasPrefix(text, "svc: CORS:") || !strings.Contains(text, want) {
							t.Errorf("%+v: %s\nwant %s", test.opts, text, want)
						}
					}
				}()
				svc.CORS(&test.opts)
			}()
		})
	}
	svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"*"}, ExposedHeaders: []string{"*"}})
}

// PokeAPI has a method that a page can call without a preflight request.
type PokeAPI interface {
	Poke(ctx context.Context) error
}

type poker struct{ n int }

func (p *poker) Poke(context.Context) error { p.n++; return nil }

// Verify that an origin that is listed by name passes the checks of the transports,
// and that MCP adds no headers of its own then; and that "*" passes none of them.
func TestCORSMark(t *testing.T) {
	for _, test := range []struct {
		origins []string
		path    string
		body    string
		status  int
		allowed string // the origin that may read the answer
	}{
		{[]string{"https://app.example"}, "/poke_api/poke", "", 204, "https://app.example"},
		{[]string{"https://app.example"}, "/rpc", `{"jsonrpc":"2.0","method":"poke_api.poke","id":1}`, 200, "https://app.example"},
		{[]string{"https://app.example"}, "/mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"poke_api_poke"},"id":1}`, 200, "https://app.example"},
		{[]string{"*"}, "/poke_api/poke", "", 403, "*"},
		{[]string{"*"}, "/rpc", `{"jsonrpc":"2.0","method":"poke_api.poke","id":1}`, 403, "*"},
		{[]string{"*"}, "/mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"poke_api_poke"},"id":1}`, 403, "*"},
		{nil, "/poke_api/poke", "", 403, ""},
		{nil, "/mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"poke_api_poke"},"id":1}`, 403, ""},
	} {
		t.Run(rowName(test.path, test.allowed), func(t *testing.T) {
			p := new(poker)
			s := svc.MustRegister[PokeAPI](p, &svc.Options{Logger: slog.New(slog.DiscardHandler)})
			mux := http.NewServeMux()
			mux.Handle("/rpc", s.RPC())
			mux.Handle("/mcp", s.MCP(nil))
			s.Mount(mux)
			r := httptest.NewRequest("POST", test.path, io.NopCloser(strings.NewReader(test.body)))
			r.Header.Set("Origin", "https://app.example")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			if test.path == "/mcp" {
				r.Header.Set("Content-Type", "application/json")
			}
			w := httptest.NewRecorder()
			svc.CORS(&svc.CORSOptions{AllowedOrigins: test.origins})(mux).ServeHTTP(w, r)
			if ran := test.status != 403; w.Code != test.status || (p.n == 1) != ran {
				t.Errorf("%v, %s: status %d, ran %d times; %s", test.origins, test.path, w.Code, p.n, w.Body)
			}
			if got := strings.Join(w.Header().Values("Access-Control-Allow-Origin"), " "); got != test.allowed {
				t.Errorf("%v, %s: Access-Control-Allow-Origin: %s", test.origins, test.path, got)
			}
			if got := w.Header().Values("Vary"); len(got) != 1 || got[0] != "Origin" {
				t.Errorf("%v, %s: Vary: %s", test.origins, test.path, got)
			}
			if e := w.Header().Get("Access-Control-Expose-Headers"); strings.Contains(e, "Mcp") != (test.path == "/mcp" && test.allowed == "https://app.example") {
				t.Errorf("%v, %s: Access-Control-Expose-Headers: %s", test.origins, test.path, e)
			}
		})
	}
}
