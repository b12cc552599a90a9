package blackbox_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify which headers have a key behind a Prefix, what verify gets, and the challenge.
func TestAPIKeyPrefix(t *testing.T) {
	who := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, ok := svc.PrincipalFrom(r.Context()); ok {
			w.Write([]byte(p.Subject))
		}
	})
	verify := func(_ context.Context, key string) (*svc.Principal, error) {
		if strings.HasPrefix(key, "bad") {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "no such key")
		}
		return &svc.Principal{Subject: "<" + key + ">"}, nil
	}
	for _, test := range []struct {
		header, prefix, sent string
		status               int
		want                 string // the body, or the challenge
	}{
		{"Authorization", "Token ", "Token abc", 200, "<abc>"},
		{"Authorization", "Token ", "tOKEN  abc ", 200, "<abc>"},
		{"Authorization", "Token ", "Token abc def", 200, "<abc def>"},
		{"Authorization", "Token ", "Token", 401, "Token"},
		{"Authorization", "Token ", "Token ", 400, "Token"},
		{"Authorization", "Token ", "Bearer abc", 401, "Token"},
		{"Authorization", "Token ", "Tokenabc", 401, "Token"},
		{"Authorization", "Token ", "", 401, "Token"},
		{"Authorization", "Token ", "Token bad", 401, "Token"},
		{"Authorization", "key=", "KEY=abc", 200, "<abc>"},
		{"X-Auth", "DeepL-Auth-Key ", "DeepL-Auth-Key a:b", 200, "<a:b>"},
	} {
		t.Run(test.header+" "+test.prefix+" "+test.sent, func(t *testing.T) {
			h := svc.APIKey(test.header, verify, &svc.APIKeyOptions{Prefix: test.prefix, Logger: slog.New(slog.DiscardHandler)})(who)
			var headers []string
			if test.sent != "" {
				headers = []string{test.header, test.sent}
			}
			a := answerTo(h, "GET", "/", "", headers...)
			got := a.Header.Get("WWW-Authenticate")
			if a.StatusCode == 200 {
				got = textOf(a)
			}
			if a.StatusCode != test.status || got != test.want {
				t.Errorf("got %d %q, want %d %q", a.StatusCode, got, test.status, test.want)
			}
		})
	}
}

// Verify that a guard with another word, or with Bearer, lets the key of the inner one through.
func TestAPIKeyPrefixNests(t *testing.T) {
	verify := func(name string) func(context.Context, string) (*svc.Principal, error) {
		return func(_ context.Context, key string) (*svc.Principal, error) {
			return &svc.Principal{Subject: name + " " + key}, nil
		}
	}
	h := svc.Bearer(verify("bearer"), &svc.BearerOptions{Optional: true})(
		svc.APIKey("Authorization", verify("token"), &svc.APIKeyOptions{Prefix: "Token "})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, _ := svc.PrincipalFrom(r.Context())
			w.Write([]byte(p.Subject))
		})))
	for sent, want := range map[string]string{"Bearer a": "bearer a", "Token b": "token b"} {
		if got := textOf(answerTo(h, "GET", "/", "", "Authorization", sent)); got != want {
			t.Errorf("%s: %s, want %s", sent, got, want)
		}
	}
}

// Verify what documents, the page and client.ts say of a Prefix, and which are mistakes.
func TestSchemePrefix(t *testing.T) {
	options := func(s svc.Scheme) *svc.Options { return &svc.Options{Resource: "typed", Schemes: []svc.Scheme{s}} }
	s := svc.MustRegister[TypedAPI](typedAnswers{}, withRoutes(options(svc.Scheme{Type: "apiKey", Header: "Authorization", Prefix: "Token "})))
	for _, test := range []struct {
		h          http.Handler
		path, want string
	}{
		{s.OpenAPI(), "/openapi.json?openapi=3.0", `"apiKey":{"type":"apiKey","name":"Authorization","in":"header","description":"Token stands before the key, as in Token KEY."}`},
		{s.TypeScript(), "/client.ts", `apiKey: { header: "Authorization", prefix: "Token " },`},
		{s.Docs(&svc.DocsOptions{}), "/docs/llms.txt", `-H "Authorization: Token $API_KEY"`},
		{s.Docs(&svc.DocsOptions{}), "/docs", `"prefix":"Token "`},
		{s.REST(), "/typed", `"code":"UNAUTHENTICATED"`},
	} {
		if got := textOf(answerTo(test.h, "GET", test.path, "")); !strings.Contains(got, test.want) {
			t.Errorf("%s has no %s", test.path, test.want)
		}
	}
	if got := answerTo(s.REST(), "GET", "/typed", "").Header.Get("WWW-Authenticate"); got != "Token" {
		t.Errorf("the challenge is %q", got)
	}
	for _, test := range []struct {
		scheme svc.Scheme
		want   string
	}{
		{svc.Scheme{Type: "apiKey", Header: "Authorization"}, `the Header of the scheme "apiKey" is "Authorization", which needs a Prefix, such as "Token "`},
		{svc.Scheme{Type: "apiKey", Header: "Authorization", Prefix: "Bearer "}, `the Prefix of the scheme "apiKey" is "Bearer "; want one such as "Token "`},
		{svc.Scheme{Type: "apiKey", Header: "X-Key", Prefix: "Token"}, `the Prefix of the scheme "apiKey" is "Token"; want one such as "Token "`},
		{svc.Scheme{Type: "apiKey", Cookie: "a", Prefix: "Token "}, `has no Prefix; leave it empty`},
	} {
		_, err := svc.Register[TypedAPI](typedAnswers{}, withRoutes(options(test.scheme)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.scheme, err, test.want)
		}
	}
}

// withRoutes gives the methods of TypedAPI routes.
func withRoutes(o *svc.Options) *svc.Options {
	o.Methods = map[string]svc.MethodOptions{"Get": {HTTP: "GET /typed"}, "GetPlain": {HTTP: "GET /plain"}}
	return o
}
