package blackbox_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// keyPlaceAPI is called with a key in a cookie or in the query.
type keyPlaceAPI interface {
	Get(context.Context) (*one[int], error)
	Set(context.Context, *one[int]) error
	Find(context.Context, *one[int]) (*one[int], error)
	Touch(context.Context) error
}

type keyPlaceImpl struct{ calls *int }

func (i keyPlaceImpl) Get(context.Context) (*one[int], error) { *i.calls++; return new(one[int]), nil }
func (i keyPlaceImpl) Set(context.Context, *one[int]) error   { *i.calls++; return nil }
func (i keyPlaceImpl) Touch(context.Context) error            { *i.calls++; return nil }
func (i keyPlaceImpl) Find(_ context.Context, in *one[int]) (*one[int], error) {
	*i.calls++
	return in, nil
}

// newKeyPlaces returns the service with a scheme, behind a guard for it.
func newKeyPlaces(calls *int, log *bytes.Buffer, scheme svc.Scheme) (*svc.Service, func(http.Handler) http.Handler) {
	logger := slog.New(slog.NewTextHandler(log, nil))
	s := svc.MustRegister[keyPlaceAPI](keyPlaceImpl{calls}, &svc.Options{Resource: "k", Strict: true, Logger: logger, Schemes: []svc.Scheme{scheme},
		Methods: map[string]svc.MethodOptions{"Get": {HTTP: "GET /k"}, "Set": {HTTP: "PUT /k"}, "Touch": {HTTP: "DELETE /k"}, "Find": {HTTP: "QUERY /k"}}})
	verify := func(_ context.Context, key string) (*svc.Principal, error) {
		if key != "secret-key" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "no such key")
		}
		return &svc.Principal{Subject: "ada"}, nil
	}
	return s, svc.APIKey(scheme.Cookie+scheme.Query, verify, &svc.APIKeyOptions{Cookie: scheme.Cookie != "", Query: scheme.Query != "", Logger: logger})
}

func keyPlaceMux(s *svc.Service) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}}))
	mux.Handle("/", s.REST())
	return mux
}

// Verify that a key in a cookie lets in, and that no page of another origin can use it for a
// request that changes something, with any verb, over any transport.
func TestCookieKeys(t *testing.T) {
	var calls int
	var log bytes.Buffer
	s, guard := newKeyPlaces(&calls, &log, svc.Scheme{Type: "apiKey", Cookie: "session"})
	other := func(header, value string) []string { return []string{header, value} }
	message := `{"jsonrpc":"2.0","id":1,"method":"k.touch"}`
	for _, guarded := range []bool{true, false} { // a guard of the application may be another one
		h := keyPlaceMux(s)
		if guarded {
			h = guard(h)
		} else {
			h = func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					next.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: "ada"})))
				})
			}(h)
		}
		cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}, Credentials: true})(h)
		for _, site := range []struct {
			name    string
			headers []string
			allowed bool
		}{
			{"no browser", nil, true},
			{"the same origin", other("Sec-Fetch-Site", "same-origin"), true},
			{"the address bar", other("Sec-Fetch-Site", "none"), true},
			{"an older browser, here", other("Origin", "http://example.com"), true},
			{"an origin that CORS names", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example"}, true},
			{"another site", other("Sec-Fetch-Site", "cross-site"), false},
			{"the same site", other("Sec-Fetch-Site", "same-site"), false},
			{"an older browser, elsewhere", other("Origin", "https://evil.example"), false},
			{"a sandboxed frame", other("Origin", "null"), false},
		} {
			for _, call := range []struct {
				verb, target, body string
				reads              bool
			}{
				{"GET", "/k", "", true}, {"HEAD", "/k", "", true}, {"QUERY", "/k", `{"a":1}`, true},
				{"PUT", "/k", `{"a":1}`, false}, {"DELETE", "/k", "", false},
				{"POST", "/rpc", message, false}, {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"k_touch","arguments":{}}}`, false},
			} {
				t.Run(fmt.Sprintf("%s, %s %s, guarded %v", site.name, call.verb, call.target, guarded), func(t *testing.T) {
					calls = 0
					r := request(call.verb, call.target, call.body, site.headers...)
					r.Header.Set("Cookie", "a=b; session=secret-key")
					if call.body != "" {
						r.Header.Set("Content-Type", "application/json")
					}
					if call.target == "/mcp" {
						r.Header.Set("Accept", "application/json, text/event-stream")
						r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
					}
					w := httptest.NewRecorder()
					cors.ServeHTTP(w, r)
					if want := site.allowed || call.reads; (w.Code < 300) != want || (calls == 1) != want || !want && w.Code != 403 {
						t.Errorf("%d %s, %d calls", w.Code, w.Body, calls)
					}
				})
			}
		}
	}
	for _, test := range []struct {
		name, cookie string
		status       int
		challenge    string
	}{
		{"none", "a=b", 401, `ApiKey cookie="session"`}, {"a wrong one", "session=other-key", 401, `ApiKey cookie="session"`},
		{"two", "session=secret-key; session=secret-key", 400, `ApiKey cookie="session"`}, {"an empty one", "session=", 400, `ApiKey cookie="session"`}, {"the right one", `session="secret-key"`, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			guard(s.REST()).ServeHTTP(w, request("GET", "/k", "", "Cookie", test.cookie))
			if w.Code != test.status || w.Header().Get("WWW-Authenticate") != test.challenge || w.Header().Get("Vary") != "Cookie" {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		})
	}
	if strings.Contains(log.String(), "secret-key") || strings.Contains(log.String(), "other-key") {
		t.Errorf("the log has the key: %s", &log)
	}
}

// Verify what documents say of keys in cookies and in the query.
func TestKeyPlacesInDocuments(t *testing.T) {
	s := taking[one[int]](svc.Options{Schemes: []svc.Scheme{{Type: "apiKey", Cookie: "session"}, {Type: "apiKey", Query: "key"}, {Type: "apiKey", Header: "X-Key"}}})
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, request("GET", "/openapi.json", ""))
	text := strings.Join(strings.Fields(w.Body.String()), "")
	for _, want := range []string{`"apiKey":{"type":"apiKey","name":"session","in":"cookie"}`, `"apiKey2":{"type":"apiKey","name":"key","in":"query"}`, `"apiKey3":{"type":"apiKey","name":"X-Key","in":"header"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, want := range []string{`"apiKey cookie session"`, `"apiKey query key"`, `"apiKey X-Key"`} {
		if contract := string(s.Contract()); !strings.Contains(contract, want) {
			t.Errorf("no %s in %s", want, contract)
		}
	}
}

func verifySession(context.Context, string) (*svc.Principal, error) {
	return nil, svc.Errorf(svc.CodeUnauthenticated, "no such session")
}

// Verify that the lines of doc/guards.md work.
func TestSessionLines(t *testing.T) {
	options := &svc.Options{}
	options.Schemes = []svc.Scheme{{Type: "apiKey", Cookie: "session"}}
	guard := svc.APIKey("session", verifySession, &svc.APIKeyOptions{Cookie: true})
	w := httptest.NewRecorder()
	guard(taking[one[int]](*options).REST()).ServeHTTP(w, request("GET", "/", "", "Cookie", "session=x"))
	if w.Code != 401 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Verify that a joined service with a cookie keeps what one of its parts needs.
func TestCookieKeysOfJoined(t *testing.T) {
	var calls int
	s, _ := newKeyPlaces(&calls, new(bytes.Buffer), svc.Scheme{Type: "apiKey", Cookie: "session"})
	joined := svc.Join("Both", taking[one[int]](), s.At("/v2"))
	w := httptest.NewRecorder()
	joined.RPC().ServeHTTP(w, request("POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"k.touch"}`, "Content-Type", "application/json", "Sec-Fetch-Site", "same-site"))
	if w.Code != 403 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Verify that a key in the query lets in, that a strict service does not take it for an unknown
// parameter, and that nothing shows it.
func TestQueryKeys(t *testing.T) {
	var calls int
	var log bytes.Buffer
	s, guard := newKeyPlaces(&calls, &log, svc.Scheme{Type: "apiKey", Query: "api_key"})
	see := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.String()+r.RequestURI, "key") {
				t.Errorf("the next handler sees %s", r.URL)
			}
			next.ServeHTTP(w, r)
		})
	}
	for _, test := range []struct {
		name, target string
		status       int
	}{
		{"the right one", "/k?api_key=secret-key", 200}, {"an escaped one", "/k?%61pi_key=secret%2Dkey", 200}, {"none", "/k", 401}, {"a wrong one", "/k?api_key=other-key", 401},
		{"two", "/k?api_key=secret-key&api_key=secret-key", 400}, {"an empty one", "/k?api_key=", 400}, {"one that cannot be read", "/k?api_key=%zz", 401}, {"an unknown one", "/k?api_key=secret-key&other=1", 400},
		{"no route", "/none?api_key=secret-key", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			guard(see(s.REST())).ServeHTTP(w, request("GET", test.target, ""))
			if w.Code != test.status || strings.Contains(w.Body.String(), "t-key") || w.Code == 401 && w.Header().Get("WWW-Authenticate") != `ApiKey query="api_key"` {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		})
	}
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, request("GET", "/k?api_key=secret-key", "").WithContext(svc.WithPrincipal(context.Background(), &svc.Principal{})))
	if w.Code != 200 {
		t.Errorf("behind another guard: %d %s", w.Code, w.Body)
	}
	if text := log.String(); strings.Contains(text, "secret") || strings.Contains(text, "other-key") {
		t.Errorf("the log has the key: %s", text)
	}
	page := getDocs(s, &svc.DocsOptions{REST: "/"}, "GET", "/llms.txt").Body.String()
	if want := `--url-query "api_key=$API_KEY"`; !strings.Contains(page, want) {
		t.Errorf("the Markdown has no %s: %s", want, page)
	}
}

// Verify that APIKey refuses names that cannot be, and two places.
func TestKeyPlacesPanic(t *testing.T) {
	verify := func(context.Context, string) (*svc.Principal, error) { return nil, nil }
	for _, test := range []struct {
		name string
		opts svc.APIKeyOptions
		want string
	}{
		{"", svc.APIKeyOptions{Cookie: true}, `svc: APIKey: the Cookie of the scheme "apiKey" is ""; want one such as session`},
		{"a b", svc.APIKeyOptions{Cookie: true}, `svc: APIKey: the Cookie of the scheme "apiKey" is "a b"; want one such as session`},
		{"a&b=", svc.APIKeyOptions{Query: true}, `svc: APIKey: the Query of the scheme "apiKey" is "a&b="; want one such as api_key`},
		{"a", svc.APIKeyOptions{Query: true, Cookie: true}, "svc: APIKey: Cookie and Query are both set; a key is in one of them"},
	} {
		t.Run(test.want, func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("got %v, want %s", got, test.want)
				}
			}()
			svc.APIKey(test.name, verify, &test.opts)
		})
	}
}
