package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/svc"
)

// sayInGerman returns the message of a violation for clients that prefer German, and "" for others and for
// rules that it does not know.
func sayInGerman(ctx context.Context, v svc.Violation) string {
	info, _ := svc.InfoFrom(ctx)
	if info.Request == nil || !strings.HasPrefix(info.Request.Header.Get("Accept-Language"), "de") {
		return ""
	}
	switch {
	case v.Rule == "required", v.Empty:
		return "bitte ausfüllen"
	case v.Rule == "maxLength":
		return "höchstens " + v.Limit.String() + " Zeichen"
	}
	return ""
}

type (
	sayingAPI interface {
		Create(context.Context, *sayingIn) error
		Own(context.Context) error
		Watch(context.Context) (svc.Stream[sayingItem], error)
	}
	sayingIn struct {
		Title string `json:"title" minLength:"1" maxLength:"5"`
		Even  int    `json:"even,omitempty"`
	}
	sayingItem struct{ N int }
	sayingImpl struct{}
)

func (in *sayingIn) Validate() error {
	if in.Even%2 == 1 {
		return errors.New("must be even")
	}
	return nil
}

var errWords = svc.Errorf(svc.CodeInvalidArgument, "no").WithDetail("more", 1).
	WithDetail("violations", []svc.Violation{{Path: "/x", Rule: "required", Message: "is required"}, {Path: "/y", Rule: "own", Message: "odd"}})

func (sayingImpl) Create(context.Context, *sayingIn) error { return nil }
func (sayingImpl) Own(context.Context) error               { return fmt.Errorf("outer: %w", errWords) }
func (sayingImpl) Watch(context.Context) (svc.Stream[sayingItem], error) {
	return func(yield func(*sayingItem, error) bool) { yield(nil, errWords) }, nil
}

// ask sends a request whose caller prefers German, and returns the body of the answer.
func askInGerman(h http.Handler, method, path, body string) string {
	r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept-Language": {"de-AT,de;q=0.9,en;q=0.5"}}
	h.ServeHTTP(w, r)
	return w.Body.String()
}

// Verify where the words of an application are, and what stays as it is.
func TestWords(t *testing.T) {
	var log bytes.Buffer
	var observed string
	options := &svc.Options{Name: "Words", Words: sayInGerman, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Methods: map[string]svc.MethodOptions{"Watch": {HTTP: "GET /words/watch"}},
		Observe: func(_ context.Context, o svc.Observation) { observed = fmt.Sprint(svc.ErrorFrom(o.Err).Violations()) }}
	s := svc.MustRegister[sayingAPI](sayingImpl{}, options)
	problems, forms := *options, *options
	problems.OnError = svc.WriteProblem
	forms.ErrorForm = svc.NewErrorForm(func(e *svc.Error) *struct{ Violations []svc.Violation } {
		return &struct{ Violations []svc.Violation }{e.Violations()}
	}, nil)
	own := *options
	own.OnError = func(w http.ResponseWriter, _ *http.Request, err error) {
		fmt.Fprint(w, svc.ErrorFrom(err).Violations(), errors.Is(err, errWords), strings.Contains(err.Error(), "outer"))
	}
	rest := func(o svc.Options) http.Handler { return svc.MustRegister[sayingAPI](sayingImpl{}, &o).REST() }
	for _, test := range []struct {
		name, method, path, body string
		h                        http.Handler
		want                     string
	}{
		{"required", "POST", "/words", `{}`, s.REST(),
			`{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /title is required","details":{"violations":[{"in":"body","path":"/title","rule":"required","message":"bitte ausfüllen"}]}}}`},
		{"empty", "POST", "/words", `{"title":""}`, s.REST(), `"message":"bitte ausfüllen","limit":1,"empty":true`},
		{"limit", "POST", "/words", `{"title":"123456"}`, s.REST(), `"message":"höchstens 5 Zeichen","limit":5`},
		{"no JSON", "POST", "/words", `{`, s.REST(), `"rule":"syntax","message":"`},
		{"a rule that it does not know", "POST", "/words", `{"title":"a","even":1}`, s.REST(), `"rule":"validate","message":"must be even"`},
		{"of a method, which wraps it", "POST", "/words/own", ``, s.REST(),
			`{"error":{"code":"INVALID_ARGUMENT","message":"no","details":{"more":1,"violations":[{"in":"body","path":"/x","rule":"required","message":"bitte ausfüllen"},{"in":"body","path":"/y","rule":"own","message":"odd"}]}}}`},
		{"a stream", "GET", "/words/watch", ``, s.REST(), "event: error\ndata: {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"no\",\"details\":{\"more\":1,\"violations\":[{\"in\":\"body\",\"path\":\"/x\",\"rule\":\"required\",\"message\":\"bitte ausfüllen\"}"},
		{"JSON-RPC", "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"words.create","params":{}}`, s.RPC(), `"rule":"required","message":"bitte ausfüllen"}]`},
		{"a batch", "POST", "/", `[{"jsonrpc":"2.0","id":1,"method":"words.create","params":{"title":""}}]`, s.RPC(), `"message":"bitte ausfüllen"`},
		{"no method", "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"words.creat","params":{}}`, s.RPC(), `-32601`},
		{"a tool", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"words_create","arguments":{}}}`, s.MCP(nil), `title is required`},
		{"problem details", "POST", "/words", `{}`, rest(problems), `"detail":"invalid input: /title is required"`},
		{"problem details, violations", "POST", "/words", `{}`, rest(problems), `"message":"bitte ausfüllen"`},
		{"an ErrorForm", "POST", "/words", `{}`, rest(forms), `"message":"bitte ausfüllen"`},
		{"an OnError", "POST", "/words/own", ``, rest(own), `bitte ausfüllen`},
		{"what an OnError finds", "POST", "/words/own", ``, rest(own), `true true`},
		{"joined", "POST", "/words", `{}`, svc.Join("Joined", kitchenSinkless(), s).REST(), `"message":"bitte ausfüllen"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := askInGerman(test.h, test.method, test.path, test.body); !strings.Contains(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	_, err := s.Call(context.Background(), "words", "create", &sayingIn{Title: "123456"})
	if text := log.String() + observed + fmt.Sprint(svc.ErrorFrom(err).Violations()); strings.Contains(text, "bitte") || strings.Contains(text, "Zeichen") {
		t.Errorf("the log, Observe or Call has the words: %s", text)
	}
}

// Verify what is sent for words that cannot be sent.
func TestWordsThatAreNone(t *testing.T) {
	var calls atomic.Int32
	for _, test := range []struct {
		name  string
		words func(context.Context, svc.Violation) string
		want  string // in the answer
		log   string
		calls int32
	}{
		{"empty", func(context.Context, svc.Violation) string { return "" }, `"message":"is required"`, "", 1},
		{"no UTF-8", func(context.Context, svc.Violation) string { return "a\xff" }, `"message":"is required"`, "", 1},
		{"a panic", func(context.Context, svc.Violation) string { panic("ouch") }, `"message":"is required"`, "Options.Words: panic: ouch", 1},
		{"long", func(context.Context, svc.Violation) string { return strings.Repeat("ü", 1000) }, `"message":"` + strings.Repeat("ü", 498) + `…"`, "", 1},
		{"quotes", func(context.Context, svc.Violation) string { return "\"<\n" }, `"message":"\"<\n"`, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			calls.Store(0)
			s := svc.MustRegister[sayingAPI](sayingImpl{}, &svc.Options{Name: "Words", Logger: slog.New(slog.NewTextHandler(&log, nil)),
				Words: func(ctx context.Context, v svc.Violation) string { calls.Add(1); return test.words(ctx, v) }})
			got := askInGerman(s.REST(), "POST", "/words", `{}`)
			if !strings.Contains(got, test.want) || !strings.Contains(log.String(), test.log) || calls.Load() != test.calls {
				t.Errorf("got %s, %d calls, want %s; the log is %s", got, calls.Load(), test.want, log.String())
			}
		})
	}
}

// Verify that Words is called for at most 32 violations of an error, and that an error with long words keeps
// the limit of all errors.
func TestWordsLimits(t *testing.T) {
	var calls atomic.Int32
	many := make([]svc.Violation, 100)
	s := svc.MustRegister[manyWordsAPI](manyWords(many), &svc.Options{Name: "Words",
		Words: func(context.Context, svc.Violation) string { calls.Add(1); return strings.Repeat("w", 5000) }})
	if got := askInGerman(s.REST(), "POST", "/words/own", ``); calls.Load() != 32 || len(got) > 16<<10 || !strings.Contains(got, `"message":"www`) {
		t.Errorf("%d calls, %d bytes: %s", calls.Load(), len(got), got)
	}
}

type (
	manyWordsAPI interface{ Own(context.Context) error }
	manyWords    []svc.Violation
)

func (m manyWords) Own(context.Context) error {
	return svc.Errorf(svc.CodeInvalidArgument, "no").WithDetail("violations", []svc.Violation(m))
}
