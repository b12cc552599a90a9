package blackbox_test

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// ContentAPI has headers that begin with Content- and do not belong to the body alone.
	ContentAPI interface {
		Put(context.Context, *ContentIn) (*ContentOut, error)
	}
	ContentIn struct {
		Language string `json:"-" header:"Content-Language,omitempty"`
		Digest   string `json:"-" header:"Content-Digest,omitempty"`
		Text     string `json:"text"`
	}
	ContentOut struct {
		Language string `json:"-" header:"Content-Language"`
		Place    string `json:"-" header:"Content-Location"`
		ETag     string `json:"-" header:"Etag"`
		Text     string `json:"text"`
	}
	contents struct{}
)

var errContent = svc.Errorf(svc.CodeAborted, "changed").WithHeader("etag", `"2"`).WithHeader("www-authenticate", "Basic").
	WithHeader("Content-Language", "de").WithHeader("Content-Encoding", "br")

func (contents) Put(_ context.Context, in *ContentIn) (*ContentOut, error) {
	if in.Text == "" {
		return nil, errContent
	}
	return &ContentOut{in.Language, "/there", `"1"`, in.Digest}, nil
}

// Verify which headers that begin with Content- inputs, outputs and errors have, and how documents
// spell headers.
func TestContentHeaders(t *testing.T) {
	s := svc.MustRegister[ContentAPI](contents{}, &svc.Options{Resource: "c", Methods: map[string]svc.MethodOptions{
		"Put": {HTTP: "PUT /c", Errors: []*svc.Error{errContent}}}})
	outside := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox")
		s.REST().ServeHTTP(w, r)
	})
	put := func(text string) *http.Response {
		return answerTo(outside, "PUT", "/c", `{"text":"`+text+`"}`, "Content-Type", "application/json", "Content-Language", "en", "Content-Digest", "x")
	}
	a := put("a")
	if h := a.Header; a.StatusCode != 200 || h.Get("Content-Language") != "en" || h.Get("Content-Location") != "/there" ||
		h.Get("Content-Security-Policy") != "sandbox" || textOf(a) != `{"text":"x"}` {
		t.Errorf("%s %v", a.Status, h)
	}
	a = put("")
	if h := a.Header; a.StatusCode != 409 || h.Get("Content-Language") != "de" || h.Get("Content-Location")+h.Get("Content-Encoding") != "" ||
		h.Get("Content-Security-Policy") != "sandbox" {
		t.Errorf("%s %v", a.Status, h)
	}
	responses := dig(documentOf(t, s, "3.1"), "paths", "/c", "put", "responses")
	for _, at := range []string{"200 ETag", "409 ETag", "409 WWW-Authenticate", "409 Content-Language"} {
		status, name, _ := strings.Cut(at, " ")
		if dig(responses, status, "headers", name) == nil {
			t.Errorf("the document has no %s: %v", at, dig(responses, status, "headers"))
		}
	}
}

// Verify that a body with Content-Encoding: identity is one without a Content-Encoding.
func TestIdentityEncoding(t *testing.T) {
	s := svc.MustRegister[ContentAPI](contents{}, &svc.Options{Resource: "c", Methods: map[string]svc.MethodOptions{"Put": {HTTP: "PUT /c"}}})
	for _, test := range []struct {
		encoding []string
		refused  bool
	}{
		{[]string{"identity"}, false}, {[]string{"IDENTITY"}, false}, {[]string{" identity "}, false},
		{[]string{"gzip"}, true}, {[]string{"identity, gzip"}, true}, {[]string{"identity", "gzip"}, true}, {[]string{""}, true},
	} {
		t.Run(rowName(0, 0, strings.Join(test.encoding, "|")), func(t *testing.T) {
			for _, on := range []struct {
				h                http.Handler
				verb, path, body string
			}{
				{s.REST(), "PUT", "/c", `{"text":"a"}`},
				{s.RPC(), "POST", "/rpc", `{"jsonrpc":"2.0","method":"c.put","params":{"text":"a"},"id":1}`},
				{s.MCP(nil), "POST", "http://127.0.0.1/mcp", `{"jsonrpc":"2.0","method":"ping","id":1}`},
			} {
				headers := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
				for _, e := range test.encoding {
					headers = append(headers, "Content-Encoding", e)
				}
				if a := answerTo(on.h, on.verb, on.path, on.body, headers...); (a.StatusCode == 415) != test.refused || !test.refused && a.StatusCode != 200 {
					t.Errorf("%s: %s %s", on.path, a.Status, textOf(a))
				}
			}
		})
	}
}

// Verify that the instance of a problem is the path that the client sent.
func TestProblemInstance(t *testing.T) {
	h := http.StripPrefix("/api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		svc.WriteProblem(w, r, svc.Errorf(svc.CodeNotFound, "no"))
	}))
	for _, test := range []struct{ target, want string }{
		{"/api/a%2Fb?x=1", `"instance":"/api/a%2Fb"`},
		{"http://a.example/api/a%20b?x=1", `"instance":"/api/a%20b"`},
		{"", ""},
	} {
		t.Run(test.target, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/api/x", nil)
			if r.RequestURI = ""; test.target != "" {
				r = httptest.NewRequest("GET", test.target, nil)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			text := w.Body.String()
			if !strings.Contains(text, test.want) || test.want == "" && strings.Contains(text, "instance") {
				t.Errorf("%s, want %s", text, test.want)
			}
		})
	}
}

// Verify what Cache-Control the events of a stream have.
func TestEventsAreNotTransformed(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"", "no-cache, no-transform"},
		{"no-store", "no-store, no-transform"},
		{"private, max-age=5", "private, max-age=5, no-transform"},
		{"No-Transform", "No-Transform"},
		{"no-store,no-transform", "no-store,no-transform"},
	} {
		t.Run(rowName(0, 0, test.set), func(t *testing.T) {
			s := svc.MustRegister[TicksAPI](ticksFor(test.set), &svc.Options{Resource: "t", Methods: map[string]svc.MethodOptions{"Watch": {HTTP: "GET /t"}}})
			if got := answerTo(s.REST(), "GET", "/t", "").Header.Get("Cache-Control"); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

type (
	// TicksAPI has a stream whose method sets Cache-Control.
	TicksAPI interface {
		Watch(context.Context) (iter.Seq2[*ContentTick, error], error)
	}
	ContentTick struct {
		N int `json:"n"`
	}
	ticksFor string
)

func (t ticksFor) Watch(ctx context.Context) (iter.Seq2[*ContentTick, error], error) {
	if info, ok := svc.InfoFrom(ctx); ok && t != "" {
		info.Header.Set("Cache-Control", string(t))
	}
	return func(yield func(*ContentTick, error) bool) { yield(&ContentTick{1}, nil) }, nil
}
