package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// A DeskAPI says who calls.
type (
	DeskAPI interface {
		Open(context.Context) (*Caller, error)
		Who(context.Context, *DeskInput) (*Caller, error)
		Close(context.Context) error
	}
	Caller struct {
		Subject string `json:"subject"`
	}
	DeskInput struct {
		N int `json:"n" maximum:"5"`
	}
	desk struct{}
)

func (desk) Open(ctx context.Context) (*Caller, error) {
	p, ok := svc.PrincipalFrom(ctx)
	if !ok {
		p = &svc.Principal{Subject: "nobody"}
	}
	return &Caller{p.Subject}, nil
}
func (d desk) Who(ctx context.Context, _ *DeskInput) (*Caller, error) { return d.Open(ctx) }
func (desk) Close(context.Context) error                              { return nil }

// deskOptions has a public method, and one that needs a scope.
func deskOptions(schemes ...svc.Scheme) *svc.Options {
	return &svc.Options{Resource: "desk", Schemes: schemes, Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Open":  {HTTP: "POST /desk/open", Public: true},
		"Who":   {HTTP: "POST /desk/who"},
		"Close": {HTTP: "POST /desk/close", Scopes: []string{"desk:close"}},
	}}
}

func deskHandler(s *svc.Service) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("/", s.REST())
	return mux
}

const deskKey = "k-0123456789abcdef"

// verifyKey knows keys by their beginnings.
func verifyKey(ctx context.Context, key string) (*svc.Principal, error) {
	switch {
	case key == deskKey:
		return &svc.Principal{Subject: "robot"}, nil
	case strings.HasPrefix(key, "closer"):
		return &svc.Principal{Subject: "closer", Scopes: []string{"desk:close"}}, nil
	case strings.HasPrefix(key, "failing"):
		return nil, errors.New("no database for " + key)
	case strings.HasPrefix(key, "panicking"):
		panic("what is " + key)
	case strings.HasPrefix(key, "nothing"):
		return nil, nil
	}
	return nil, svc.Errorf(svc.CodeUnauthenticated, "there is no key %q", key)
}

// Verify the status, the challenge and the log of each key, on every transport, and that
// no key is in an answer or in the log.
func TestAPIKey(t *testing.T) {
	const secret = "-c2VjcmV0LXBhcnQtb2YtYS1rZXk"
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	options := deskOptions(svc.Scheme{Type: "apiKey", Header: "X-API-Key"})
	options.Logger = logger
	guard := svc.APIKey("x-api-key", verifyKey, &svc.APIKeyOptions{Logger: logger})(deskHandler(svc.MustRegister[DeskAPI](desk{}, options)))
	strict := svc.APIKey("X-Api-Key", verifyKey, &svc.APIKeyOptions{Scopes: []string{"desk:close"}, Logger: logger})(guard)
	for _, test := range []struct {
		name   string
		guard  http.Handler
		keys   []string
		status int
		log    string
	}{
		{"good", guard, []string{deskKey}, 200, ""},
		{"none", guard, nil, 401, "an API key is required"},
		{"unknown", guard, []string{"unknown" + secret}, 401, "the API key is not valid: the error of verify is hidden, since it has a part of the credential"},
		{"unknown, with quotes", guard, []string{`a"b"c"d"e"f"g"h`}, 401, "the API key is not valid: the error of verify is hidden, since it has a part of the credential"},
		{"empty", guard, []string{""}, 400, "the API key is empty"},
		{"twice", guard, []string{deskKey, deskKey}, 400, "the request has more than one X-Api-Key header"},
		{"long", guard, []string{strings.Repeat("k", 8<<10+1)}, 400, "the API key has more than 8192 bytes"},
		{"longest", guard, []string{"closer" + strings.Repeat("k", 8<<10-6)}, 200, ""},
		{"failing", guard, []string{"failing" + secret}, 503, "API keys cannot be checked at the moment: the error of verify is hidden, since it has a part of the credential"},
		{"panicking", guard, []string{"panicking" + secret}, 503, "panic: the error of verify is hidden, since it has a part of the credential"},
		{"nothing", guard, []string{"nothing" + secret}, 503, "verify returned neither a Principal nor an error"},
		{"without a scope", strict, []string{deskKey}, 403, "the API key lacks a scope: desk:close"},
		{"with the scope", strict, []string{"closer" + secret}, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for path, body := range map[string]string{
				"/desk/who": `{"n":1}`,
				"/rpc":      `{"jsonrpc":"2.0","id":1,"method":"desk.who","params":{"n":1}}`,
				"/mcp":      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"desk_who","arguments":{"n":1}}}`,
			} {
				log.Reset()
				r := httptest.NewRequest("POST", path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header["X-Api-Key"] = test.keys
				w := httptest.NewRecorder()
				test.guard.ServeHTTP(w, r)
				challenge := `ApiKey header="X-Api-Key"`
				if vary := w.Header().Get("Vary"); vary != "X-Api-Key" { // or a cache gives an answer to all callers
					t.Errorf("Vary is %q", vary)
				}
				if test.status == 200 || test.status == 503 {
					challenge = ""
				}
				if got := strings.Join(w.Header()["Www-Authenticate"], " | "); w.Code != test.status || got != challenge {
					t.Errorf("%s, %s: %d, %s; want %d, %s\n%s", test.name, path, w.Code, got, test.status, challenge, w.Body)
				}
				if !strings.Contains(log.String(), test.log) || (test.log == "") != (log.Len() == 0) {
					t.Errorf("%s, %s: logged %s\nwant %s", test.name, path, &log, test.log)
				}
				for _, place := range []string{log.String(), w.Body.String(), fmt.Sprint(w.Header())} {
					if strings.Contains(place, secret[1:9]) || strings.Contains(place, deskKey) || strings.Contains(place, "kkkkkkkk") {
						t.Errorf("%s, %s: the key is in %s", test.name, path, place)
					}
				}
			}
		})
	}
}

// Verify which of two guards lets a caller in, on every transport: each alone, both, none
// and a wrong one, whatever the order, and what a refusal asks for.
func TestGuardsTogether(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	verify := func(_ context.Context, token string) (*svc.Principal, error) {
		if token != "good" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "unknown")
		}
		return &svc.Principal{Subject: "person", Scopes: []string{"desk:read"}}, nil
	}
	s := svc.MustRegister[DeskAPI](desk{}, deskOptions(svc.Scheme{Type: "bearer"}, svc.Scheme{Type: "apiKey", Header: "X-Api-Key"}))
	bearer := svc.Bearer(verify, &svc.BearerOptions{Optional: true, Logger: quiet})
	key := svc.APIKey("X-Api-Key", verifyKey, &svc.APIKeyOptions{Optional: true, Logger: quiet})
	strictKey := svc.APIKey("X-Api-Key", verifyKey, &svc.APIKeyOptions{Logger: quiet})
	basic := svc.BasicAuth("x", map[string]string{"ada": "l"}, nil)
	h := deskHandler(s)
	fronts := map[string]http.Handler{
		"bearer(key)": bearer(key(h)), "key(bearer)": key(bearer(h)), "bearer(key!)": bearer(strictKey(h)), "bearer(basic)": bearer(basic(h)), "bare": h,
		"bearer(own)": bearer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // a middleware of one's own
			h.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: "own"})))
		})),
	}
	const (
		both     = `Bearer realm="api" | ApiKey header="X-Api-Key"`
		bothHave = `Bearer scope="desk:close" | ApiKey header="X-Api-Key"`
		lacks    = `Bearer error="insufficient_scope", scope="desk:read desk:close" | ApiKey header="X-Api-Key"`
		basics   = `Bearer realm="api" | Basic realm="x", charset="UTF-8"`
	)
	for _, test := range []struct {
		front, method, authorization, key string
		want                              string // the caller, or the challenges
	}{
		{"bearer(key)", "who", "", "", both},
		{"bearer(key)", "open", "", "", "nobody"},
		{"bearer(key)", "close", "", "", bothHave},
		{"bearer(key)", "who", "Bearer good", "", "person"},
		{"bearer(key)", "who", "", deskKey, "robot"},
		{"bearer(key)", "who", "Bearer good", deskKey, "robot"}, // the inner one
		{"key(bearer)", "who", "Bearer good", deskKey, "person"},
		{"key(bearer)", "who", "", deskKey, "robot"},
		{"key(bearer)", "who", "", "", both},
		{"bearer(key)", "who", "Bearer bad", deskKey, `Bearer realm="api"`}, // sent, so it must be valid
		{"bearer(key)", "who", "Bearer good", "bad", `ApiKey header="X-Api-Key"`},
		{"key(bearer)", "who", "Bearer bad", deskKey, `Bearer realm="api"`},
		{"bearer(key)", "close", "Bearer good", "", lacks},
		{"bearer(key)", "close", "", "closer", "closed"},
		{"bearer(key!)", "who", "Bearer good", "", "person"}, // an outright guard passes known callers
		{"bearer(key!)", "who", "", deskKey, "robot"},
		{"bearer(key!)", "who", "", "", both},
		{"bearer(key!)", "open", "", "", both},
		{"bearer(basic)", "who", "Bearer good", "", "person"},
		{"bearer(basic)", "who", "Basic YWRhOmw=", "", "ada"},
		{"bearer(basic)", "who", "bAsIc YWRhOm0=", "", basics},
		{"bearer(basic)", "who", "", "", basics},
		{"bearer(own)", "who", "", "", "own"},
		{"bearer(own)", "close", "", "", `Bearer error="insufficient_scope", scope="desk:close"`},
		{"bare", "who", "Bearer good", deskKey, both}, // nobody has looked
		{"bare", "close", "", "", bothHave},
	} {
		t.Run(rowName(test.front, test.method, test.authorization, test.key), func(t *testing.T) {
			input := "{}"
			if test.method == "who" {
				input = `{"n":1}`
			}
			for _, target := range [][2]string{
				{"/desk/" + test.method, input},
				{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"desk.` + test.method + `","params":` + input + `}`},
				{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"desk_` + test.method + `","arguments":` + input + `}}`},
			} {
				r := httptest.NewRequest("POST", target[0], strings.NewReader(target[1]))
				r.Header.Set("Content-Type", "application/json")
				for name, value := range map[string]string{"Authorization": test.authorization, "X-Api-Key": test.key} {
					if value != "" {
						r.Header.Set(name, value)
					}
				}
				w := httptest.NewRecorder()
				fronts[test.front].ServeHTTP(w, r)
				got := strings.Join(w.Header()["Www-Authenticate"], " | ")
				want := test.want
				if strings.Contains(test.authorization, "bad") {
					want = `Bearer error="invalid_token"`
				}
				switch _, text, ok := strings.Cut(w.Body.String(), `"subject":"`); {
				case ok:
					got, _, _ = strings.Cut(text, `"`)
				case got == "" && w.Code < 300 && !strings.Contains(w.Body.String(), "error"):
					got = "closed"
				}
				if got != want {
					t.Errorf("%s, %s %s, %q, %q: %s\nwant %s\n%s", test.front, target[0], test.method, test.authorization, test.key, got, want, w.Body)
				}
			}
		})
	}
}

// Verify what each document and the page say of schemes, for one and for joined services.
func TestSchemesInDocuments(t *testing.T) {
	first := svc.MustRegister[DeskAPI](desk{}, deskOptions(
		svc.Scheme{Type: "apiKey", Header: "X-API-Key"}, svc.Scheme{Type: "bearer"}, svc.Scheme{Type: "basic"}))
	o := deskOptions(svc.Scheme{Type: "apiKey", Header: "X-Other-Key"}, svc.Scheme{Type: "openIdConnect", ConfigURL: "https://login.example/.well-known/openid-configuration"},
		svc.Scheme{Type: "oauth2", AuthURL: "https://login.example/authorize", TokenURL: "https://login.example/token"}, svc.Scheme{Type: "bearer"})
	o.Resource = "other"
	o.Methods = map[string]svc.MethodOptions{"Open": {Public: true}, "Close": {Scopes: []string{"desk:close"}}}
	s := svc.Join("Desks", first, svc.MustRegister[DeskAPI](desk{}, o))
	get := func(h http.Handler, method, target, body string) string {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	documents := map[string]string{
		"3.0": get(s.OpenAPI(), "GET", "/", ""), "3.1": get(s.OpenAPI(), "GET", "/?openapi=3.1", ""),
		"rpc": get(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`),
	}
	const oauth = `{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"https://login.example/authorize","tokenUrl":"https://login.example/token","scopes":{"desk:close":""}}}}`
	for _, test := range [][3]string{
		{"3.0", "components securitySchemes apiKey", `{"type":"apiKey","name":"X-Api-Key","in":"header"}`},
		{"3.0", "components securitySchemes apiKey2", `{"type":"apiKey","name":"X-Other-Key","in":"header"}`},
		{"3.0", "components securitySchemes bearer", `{"type":"http","scheme":"bearer"}`},
		{"3.0", "components securitySchemes basic", `{"type":"http","scheme":"basic"}`},
		{"3.0", "components securitySchemes openIdConnect", `{"type":"openIdConnect","openIdConnectUrl":"https://login.example/.well-known/openid-configuration"}`},
		{"3.0", "components securitySchemes oauth2", oauth},
		{"3.1", "components securitySchemes oauth2", oauth},
		{"3.0", "paths /desk/who post security", `[{"apiKey":[]},{"bearer":[]},{"basic":[]}]`},
		{"3.0", "paths /desk/open post security", `[{},{"apiKey":[]},{"bearer":[]},{"basic":[]}]`},
		{"3.0", "paths /other/close post security", `[{"apiKey2":[]},{"openIdConnect":["desk:close"]},{"oauth2":["desk:close"]},{"bearer":[]}]`},
		{"3.1", "paths /other/close post security", `[{"apiKey2":["desk:close"]},{"openIdConnect":["desk:close"]},{"oauth2":["desk:close"]},{"bearer":["desk:close"]}]`},
		{"rpc", "result methods 3 x-security", `[{"apiKey2":["desk:close"]},{"openIdConnect":["desk:close"]},{"oauth2":["desk:close"]},{"bearer":["desk:close"]}]`},
	} {
		t.Run(rowName(test[0], test[1]), func(t *testing.T) {
			var got bytes.Buffer
			if text := oaAt(t, []byte(documents[test[0]]), strings.Fields(test[1])...); text != "" {
				json.Compact(&got, []byte(text))
			}
			if got.String() != test[2] {
				t.Errorf("%s: %s is %s\nwant %s", test[0], test[1], &got, test[2])
			}
		})
	}
	markdown := get(s.Docs(&svc.DocsOptions{REST: "."}), "GET", "/llms.txt", "")
	for _, line := range []string{
		"- needs credentials: apiKey in the header X-Api-Key or bearer or basic\n",
		"- needs credentials: apiKey2 in the header X-Other-Key or openIdConnect or oauth2 or bearer, with the scopes desk:close\n",
		"curl -X POST -H \"X-Api-Key: $API_KEY\" -H 'Content-Type: application/json' -d '{\"n\":1}' \"$URL/desk/who\"\n",
	} {
		if !strings.Contains(markdown, line) {
			t.Errorf("the Markdown lacks %s\n%s", line, markdown)
		}
	}
	page := get(first.Docs(nil), "GET", "/", "")
	if want := `"schemes":[{"name":"apiKey","noun":"an API key","place":" in the header X-Api-Key","label":"API key (X-Api-Key)","secret":"Key","header":"X-Api-Key","curl":"-H \"X-Api-Key: $API_KEY\""},{"name":"bearer",`; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// Verify that a client needs the schemes of its service, and sends nothing that it was not
// given.
func TestConnectReadsSchemes(t *testing.T) {
	type client struct {
		Close func(context.Context) error
	}
	options := deskOptions(svc.Scheme{Type: "apiKey", Header: "X-Api-Key"})
	h := svc.APIKey("X-Api-Key", verifyKey, &svc.APIKeyOptions{Logger: options.Logger})(svc.MustRegister[DeskAPI](desk{}, options).REST())
	var c client
	without := *options
	without.Schemes = nil
	if err := svc.Connect[DeskAPI](&c, "", &svc.ClientOptions{Service: &without, Handler: h}); err == nil || !strings.Contains(err.Error(), "Public and Scopes need Options.Schemes") {
		t.Error(err)
	}
	if err := svc.Connect[DeskAPI](&c, "", &svc.ClientOptions{Service: options, Handler: h}); err != nil {
		t.Fatal(err)
	}
	err := c.Close(context.Background())
	var e *svc.Error
	if !errors.As(err, &e) || e.Code != svc.CodeUnauthenticated || !slices.Equal(e.Header()["Www-Authenticate"], []string{`ApiKey header="X-Api-Key"`}) {
		t.Errorf("%v, %v", err, e.Header())
	}
}

// Verify the panics of APIKey.
func TestAPIKeyPanics(t *testing.T) {
	caught := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return
	}
	for _, test := range []struct {
		name string
		make func()
		want string
	}{
		{"no verify function", func() { svc.APIKey("X-Api-Key", nil, nil) }, "svc: APIKey: verify must not be nil"},
		{"no header", func() { svc.APIKey("", verifyKey, nil) }, `svc: APIKey: the Header of the scheme "apiKey" is ""; want one such as X-Api-Key`},
		{"header that another scheme owns", func() { svc.APIKey("authorization", verifyKey, nil) }, `svc: APIKey: the Header of the scheme "apiKey" is "Authorization", which needs a Prefix, such as "Token "`},
		{"header with a space", func() { svc.APIKey("X Key", verifyKey, nil) }, `is "X Key"; want`},
		{"scope with a space", func() { svc.APIKey("X-Api-Key", verifyKey, &svc.APIKeyOptions{Scopes: []string{"a b"}}) }, "svc: APIKey:\n  - Scopes has \"a b\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := caught(test.make); !strings.Contains(got, test.want) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}
