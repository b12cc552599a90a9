package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests idempotency keys. Its store is a map, in which a transaction is what
// the store of effects takes back.

type (
	PayAPI interface {
		Create(ctx context.Context, in *PayOrder) (*Paid, error)
		Update(ctx context.Context, in *PayChange) (*Paid, error)
		Cancel(ctx context.Context) error
		Get(ctx context.Context, in *PayID) (*Paid, error)
	}
	PayOrder struct {
		To     string               `json:"to" minLength:"1"`
		Amount int                  `json:"amount,omitempty" default:"1"`
		Note   string               `json:"note,omitempty"`
		Due    svc.Optional[string] `json:"due,omitzero"`
		Trace  string               `json:"-" header:"X-Trace,omitempty"`
		Any    json.RawMessage      `json:"any,omitempty"`
		Items  []PayItem            `json:"items,omitempty" maxItems:"9"`
	}
	PayItem struct {
		Name string    `json:"name"`
		Size float64   `json:"size" default:"1.5"`
		Same *PayOrder `json:"same,omitempty"`
	}
	PayChange struct {
		ID string `json:"-" path:"id"`
		To string `json:"to"`
	}
	PayID struct {
		ID string `json:"id"`
	}
	Paid struct {
		ID       int       `json:"id"`
		To       string    `json:"to"`
		At       time.Time `json:"at"`
		Any      any       `json:"any"`
		Location string    `json:"-" header:"Location"`
		ETag     string    `json:"etag" header:"ETag"`
	}
)

// payments is the implementation, with its store.
type payments struct {
	mu      sync.Mutex
	records map[string][]byte // of Idempotency.Run
	taken   map[string]bool   // ids that run
	made    []string          // the effects
	keys    []string          // as the method saw them
	fail    error             // of the method
	run     func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error)
}

func (p *payments) Create(ctx context.Context, in *PayOrder) (*Paid, error) {
	key, ok := svc.IdempotencyKeyFrom(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, fmt.Sprint(key, ok))
	p.made = append(p.made, in.To)
	n := len(p.made)
	return &Paid{ID: n, To: in.To, At: time.Date(2026, 1, 1, 0, 0, n, 5, time.FixedZone("", 3600)), Any: uint64(1<<60 + 256), Location: fmt.Sprint("payments/", n), ETag: fmt.Sprintf(`"%d"`, n)}, p.fail
}

func (p *payments) Update(ctx context.Context, in *PayChange) (*Paid, error) {
	return p.Create(ctx, &PayOrder{To: in.ID + in.To})
}
func (p *payments) Cancel(ctx context.Context) error {
	_, err := p.Create(ctx, &PayOrder{})
	return err
}
func (p *payments) Get(ctx context.Context, in *PayID) (*Paid, error) {
	return p.Create(ctx, &PayOrder{To: in.ID})
}

// store is Idempotency.Run as the documentation wants it.
func (p *payments) store(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
	p.mu.Lock()
	record, known := p.records[id]
	running := p.taken[id]
	if !known && !running {
		p.taken[id] = true
	}
	made := len(p.made)
	p.mu.Unlock()
	if known {
		return record, nil
	}
	if running {
		return nil, svc.Errorf(svc.CodeAborted, "a call with this key is running")
	}
	record, err := do(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, id)
	if err != nil {
		p.made = p.made[:made] // rolled back
		return nil, err
	}
	p.records[id] = record
	return record, nil
}

// payOptions returns the options of the service, with a store of p.
func payOptions(p *payments) *svc.Options {
	p.records, p.taken = make(map[string][]byte), make(map[string]bool)
	if p.run == nil {
		p.run = p.store
	}
	return &svc.Options{
		Resource: "payments", Logger: slog.New(slog.DiscardHandler),
		Idempotency: &svc.Idempotency{Run: func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
			return p.run(ctx, id, do)
		}},
		Methods: map[string]svc.MethodOptions{
			"Create": {Status: 201, IdempotencyKey: svc.KeyAllowed},
			"Update": {IdempotencyKey: svc.KeyRequired},
			"Cancel": {IdempotencyKey: svc.KeyRequired},
		},
	}
}

func newPayments(p *payments) *svc.Service { return svc.MustRegister[PayAPI](p, payOptions(p)) }

// postRPC posts a message and returns the answer.
func postRPC(h http.Handler, body string, headers ...string) string {
	return textOf(answerTo(h, "POST", "/", body, append(headers, "Content-Type", "application/json")...))
}

// callTool calls a tool and returns the answer.
func callTool(h http.Handler, name, arguments string, headers ...string) string {
	return textOf(answerTo(h, "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`,
		append(headers, "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18")...))
}

// Verify which values of the header Idempotency-Key are accepted, and which of them are
// the same key. The published schema accepts exactly the same bare keys.
func TestKeyHeader(t *testing.T) {
	s := newPayments(new(payments))
	pattern := regexp.MustCompile(keyPattern(t, s))
	long := strings.Repeat("k", 255)
	for _, test := range []struct{ name, header, want string }{ // want is the key; "" if it is refused
		{"a token", "abc", "abc"},
		{"in quotes", `"abc"`, "abc"},
		{"quotes and a backslash in quotes", `"a\"b\\c"`, `a"b\c`},
		{"a quote and a backslash without quotes", `a"b\c`, `a"b\c`},
		{"the first and the last character", "!~", "!~"},
		{"the longest", long, long},
		{"the longest in quotes", `"` + long + `"`, long},
		{"the longest of escapes", `"` + strings.Repeat(`\"`, 255) + `"`, strings.Repeat(`"`, 255)},
		{"empty", "", ""},
		{"empty quotes", `""`, ""},
		{"a quote alone", `"`, ""},
		{"no closing quote", `"abc`, ""},
		{"text behind the quotes", `"abc"d`, ""},
		{"parameters behind the quotes", `"abc";p=1`, ""},
		{"an escape of another character", `"a\bc"`, ""},
		{"an escaped closing quote", `"abc\"`, ""},
		{"a space in quotes", `"a b"`, ""},
		{"a space", "a b", ""},
		{"a tab", "a\tb", ""},
		{"no ASCII", "ä", ""},
		{"DEL", "a\x7f", ""},
		{"one too long", long + "k", ""},
		{"one too long in quotes", `"` + long + `k"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := new(payments)
			a := answerTo(newPayments(p).REST(), "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", test.header)
			body := textOf(a)
			switch {
			case test.want != "" && (a.StatusCode != 201 || p.keys[0] != test.want+"true"):
				t.Errorf("%s: %d %s, the method saw %q", test.header, a.StatusCode, body, p.keys)
			case test.want == "" && (a.StatusCode != 400 || len(p.made) > 0 || !strings.Contains(body, `"in":"header","path":"/Idempotency-Key","rule":"pattern"`)):
				t.Errorf("%s: %d %s", test.header, a.StatusCode, body)
			}
			isPublished := len(test.header) >= 1 && len(test.header) <= 255 && pattern.MatchString(test.header)
			if isQuoted := strings.HasPrefix(test.header, `"`); !isQuoted && isPublished != (test.want != "") {
				t.Errorf("%s: the schema with the pattern %s says otherwise", test.header, pattern)
			}
		})
	}
}

// keyPattern returns the published pattern of the header.
func keyPattern(t testing.TB, s *svc.Service) string {
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		for _, p := range documentOf(t, s, version)["paths"].(map[string]any)["/payments"].(map[string]any)["post"].(map[string]any)["parameters"].([]any) {
			if p := p.(map[string]any); p["name"] == "Idempotency-Key" && version == "3.2" {
				schema := p["schema"].(map[string]any)
				if least, most := schema["minLength"], schema["maxLength"]; least != 1.0 || most != 255.0 {
					t.Errorf("a key has %v to %v characters", least, most)
				}
				return schema["pattern"].(string)
			}
		}
	}
	t.Fatal("the header is not documented")
	return ""
}

// Verify what a call with a key gets, which may have been used before. The rows are one
// sequence, so they are no subtests: each needs what the rows before it have stored.
func TestKeyedCalls(t *testing.T) {
	const refused = `{"error":{"code":"INVALID_ARGUMENT","message":"the idempotency key was used with another method or another input; use a new key for a new call","reason":"key_reused"}}`
	p := new(payments)
	s := newPayments(p)
	rest := s.REST()
	for _, test := range []struct{ request, body, key, want string }{ // want is the status, the number of effects and the answer
		{"POST /payments", `{"to":"ada"}`, "1", `201 1 {"id":1,"to":"ada","at":"2026-01-01T00:00:01.000000005+01:00","any":1152921504606847200}`},
		{"POST /payments", `{"to":"ada"}`, `"1"`, `201 1 replayed {"id":1`},
		{"POST /payments", `{"unknown":1,"to":"ada"}`, "1", "201 1 replayed"},
		{"POST /payments", `{"to":"ad\u0061"}`, "1", "201 1 replayed"},
		{"POST /payments", `{"to":"ada","amount":2}`, "1", "422 1 " + refused},
		{"POST /payments", `{"to":"ada","due":null}`, "1", "422 1"},
		{"POST /payments", `{"to":"Ada"}`, "1", "422 1"},
		{"PUT /payments/7", `{"to":"ada"}`, "1", "422 1"},
		{"POST /payments", `{"to":"ada"}`, "2", `201 2 {"id":2`},
		{"POST /payments", `{"to":"ada"}`, "", `201 3 {"id":3`},
		{"POST /payments", `{"to":"ada"}`, "", `201 4 {"id":4`},
		{"PUT /payments/7", `{"to":"ada"}`, "3", `200 5 {"id":5,"to":"7ada"`},
		{"PUT /payments/7", `{"to":"ada"}`, "3", `200 5 replayed {"id":5`},
		{"PUT /payments/8", `{"to":"ada"}`, "3", `422 5`},
		{"PUT /payments/7", `{}`, "", `400 5 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /Idempotency-Key is required (and 1 more)","details":{"violations":[{"in":"header","path":"/Idempotency-Key","rule":"required","message":"is required"},{"in":"body","path":"/to",`},
		{"POST /payments/cancel", "", "", `400 5 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /Idempotency-Key is required"`},
		{"POST /payments/cancel", "", "4", "204 6 "},
		{"POST /payments/cancel", "", "4", "204 6 replayed "},
		{"GET /payments/7", "", "5", `200 7 {"id":7`},
		{"GET /payments/7", "", "5", `200 8 {"id":8`},
	} {
		verb, path, _ := strings.Cut(test.request, " ")
		headers := []string{"Content-Type", "application/json"}
		if test.key != "" {
			headers = append(headers, "Idempotency-Key", test.key)
		}
		a := answerTo(rest, verb, path, test.body, headers...)
		got := fmt.Sprint(a.StatusCode, " ", len(p.made), " ")
		if a.Header.Get("Idempotent-Replayed") == "true" {
			got += "replayed "
		}
		got += textOf(a)
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s %s, key %s:\ngot  %s\nwant %s", test.request, test.body, test.key, got, test.want)
		}
		if path == "/payments" && a.StatusCode == 201 && a.Header.Get("Location") == "" {
			t.Errorf("%s, key %s: no Location", test.request, test.key)
		}
	}
}

// Verify that an error which an interceptor returns in place of a repeated answer is
// not marked as repeated.
func TestKeyIntercepted(t *testing.T) {
	p, fail := new(payments), false
	o := payOptions(p)
	o.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, in any) (any, error) {
			out, err := next(ctx, resource, method, in)
			if fail {
				return nil, svc.Errorf(svc.CodeNotFound, "hidden")
			}
			return out, err
		}
	}
	rest := svc.MustRegister[PayAPI](p, o).REST()
	for i, want := range []string{"201 ", "201 true", "404 "} {
		fail = i == 2
		a := answerTo(rest, "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k")
		if got := fmt.Sprint(a.StatusCode, " ", a.Header.Get("Idempotent-Replayed")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Verify that one key is one call over all transports, and what each of them does with
// keys that others do not have. The rows are one sequence, so they are no subtests.
func TestKeyTransports(t *testing.T) {
	p := new(payments)
	s := newPayments(p)
	rest, rpc, mcp := s.REST(), s.RPC(), s.MCP(nil)
	create := `"method":"payments.create","params":{"to":"ada"}`
	for _, test := range []struct {
		name string
		call func() string
		want string // the number of effects and a part of the answer
	}{
		{"REST", func() string {
			return textOf(answerTo(rest, "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k"))
		}, `1 {"id":1,`},
		{"RPC", func() string { return postRPC(rpc, `{"jsonrpc":"2.0","id":1,`+create+`}`, "Idempotency-Key", "k") }, `1 {"jsonrpc":"2.0","result":{"id":1,`},
		{"RPC, in quotes", func() string { return postRPC(rpc, `{"jsonrpc":"2.0","id":1,`+create+`}`, "Idempotency-Key", `"k"`) }, `1 {"jsonrpc":"2.0","result":{"id":1,`},
		{"MCP", func() string { return callTool(mcp, "payments_create", `{"to":"ada","idempotency_key":"k"}`) }, `1 {"jsonrpc":"2.0","result":{"structuredContent":{"id":1,`},
		{"MCP, as it is", func() string { return callTool(mcp, "payments_create", `{"idempotency\u005fkey":"\"k\"","to":"ada"}`) }, `2 {"jsonrpc":"2.0","result":{"structuredContent":{"id":2,`},
		{"MCP, the header", func() string { return callTool(mcp, "payments_create", `{"to":"ada"}`, "Idempotency-Key", "k") }, `3 {"jsonrpc":"2.0","result":{"structuredContent":{"id":3,`},
		{"MCP, the same again", func() string { return callTool(mcp, "payments_create", `{"to":"ada"}`, "Idempotency-Key", "k") }, `4 {"jsonrpc":"2.0","result":{"structuredContent":{"id":4,`},
		{"MCP, wrong", func() string { return callTool(mcp, "payments_create", `{"idempotency_key":""}`) }, `/idempotency_key must be a string of 1 to 255 visible ASCII characters; in a header it may have quotes (RFC 8941)\n- /to is required`},
		{"MCP, misspelled", func() string { return callTool(mcp, "payments_create", `{"to":"a","idempotencyKey":"k"}`) }, `/idempotencyKey is not a known property; did you mean \"idempotency_key\"?`},
		{"MCP, no text", func() string { return callTool(mcp, "payments_create", `{"to":"a","idempotency_key":7}`) }, `/idempotency_key must be a string`},
		{"MCP, required", func() string { return callTool(mcp, "payments_cancel", `{}`) }, `/idempotency_key is required`},
		{"MCP, required, none", func() string { return callTool(mcp, "payments_cancel", `null`) }, `/idempotency_key is required`},
		{"MCP, required, given", func() string { return callTool(mcp, "payments_cancel", `{"idempotency_key":"m"}`) }, `5 {"jsonrpc":"2.0","result":{"content":[`},
		{"MCP, again", func() string { return callTool(mcp, "payments_cancel", `{"idempotency_key":"m"}`) }, `5 {"jsonrpc":"2.0","result":{"content":[`},
		{"RPC, required", func() string { return postRPC(rpc, `{"jsonrpc":"2.0","id":1,"method":"payments.cancel"}`) }, `"path":"/Idempotency-Key","rule":"required"`},
		{"RPC, required, a list", func() string {
			return postRPC(rpc, `{"jsonrpc":"2.0","id":1,"method":"payments.cancel","params":[ ]}`)
		}, `5 {"jsonrpc":"2.0","error":{"code":-32602,"message":"invalid input: /Idempotency-Key is required"`},
		{"RPC, required, then of another", func() string { return postRPC(rpc, `{"jsonrpc":"2.0","id":1,"method":"payments.get","params":{}}`) }, `invalid input: /id is required"`},
		{"RPC, repeated", func() string {
			return postRPC(rpc, `{"jsonrpc":"2.0","id":1,`+create+`}`, "Idempotency-Key", "k", "Idempotency-Key", "k")
		}, `"path":"/Idempotency-Key","rule":"duplicate"`},
		{"RPC, a notification", func() string { return postRPC(rpc, `{"jsonrpc":"2.0",`+create+`}`, "Idempotency-Key", "k") }, `5 `},
		{"batch", func() string {
			return postRPC(rpc, `[{"jsonrpc":"2.0","id":1,`+create+`},{"jsonrpc":"2.0","id":"1",`+create+`}]`, "Idempotency-Key", "b")
		}, `7 [{"jsonrpc":"2.0","result":{`},
		{"batch, again", func() string {
			return postRPC(rpc, `[{"jsonrpc":"2.0","id":1,`+create+`},{"jsonrpc":"2.0","id":"1",`+create+`}]`, "Idempotency-Key", "b")
		}, `7 [{"jsonrpc":"2.0","result":{`},
		{"batch, notifications", func() string {
			return postRPC(rpc, `[{"jsonrpc":"2.0",`+create+`},{"jsonrpc":"2.0",`+create+`}]`, "Idempotency-Key", "b")
		}, `7 `},
		{"batch, notifications without the header", func() string { return postRPC(rpc, `[{"jsonrpc":"2.0",`+create+`},{"jsonrpc":"2.0",`+create+`}]`) }, `9 `},
		{"Call", func() string { return callPayments(s, svc.WithIdempotencyKey(t.Context(), "k")) }, "9 0 INVALID_ARGUMENT: Service.Call takes no idempotency key, and nothing has run; call through Connect"},
		{"Call, without a key", func() string { return callPayments(s, t.Context()) }, "10 10 <nil>"},
		{"Call, wrong", func() string { return callPayments(s, svc.WithIdempotencyKey(t.Context(), "")) }, "10 0 INVALID_ARGUMENT: Service.Call takes no"},
		{"Call, required", func() string {
			_, err := s.Call(t.Context(), "payments", "cancel", nil)
			return fmt.Sprint(err)
		}, "11 <nil>"},
		{"Call, required, given", func() string {
			_, err := s.Call(svc.WithIdempotencyKey(t.Context(), "m"), "payments", "cancel", nil)
			return fmt.Sprint(err)
		}, "11 INVALID_ARGUMENT: Service.Call takes no"},
		{"Call, a method without keys", func() string {
			out, err := s.Call(svc.WithIdempotencyKey(t.Context(), "k"), "payments", "get", &PayID{"1"})
			return fmt.Sprint(out != nil, err)
		}, "12 true <nil>"},
	} {
		if got := test.call(); !strings.Contains(fmt.Sprint(len(p.made), " ", got), test.want) {
			t.Errorf("%s: %d %s\nwant %s", test.name, len(p.made), got, test.want)
		}
	}
}

// callPayments calls Create, and returns the ID and the error.
func callPayments(s *svc.Service, ctx context.Context) string {
	out, err := s.Call(ctx, "payments", "create", &PayOrder{To: "ada", Amount: 1})
	if err != nil {
		return fmt.Sprint("0 ", err)
	}
	return fmt.Sprint(out.(*Paid).ID, " ", err)
}

// postPayment calls Create over REST, in the context ctx of its request.
func postPayment(s *svc.Service, ctx context.Context, key string) string {
	r, w := httptest.NewRequestWithContext(ctx, "POST", "/payments", strings.NewReader(`{"to":"ada"}`)), httptest.NewRecorder()
	r.Header.Set("Idempotency-Key", key)
	s.REST().ServeHTTP(w, r)
	return w.Body.String()
}

// Verify what clients get for each way in which Run can end, and that a key may be used
// again after it.
func TestKeyRunOutcomes(t *testing.T) {
	type do = func(context.Context) ([]byte, error)
	driver := errors.New("connection reset")
	run := func(f func(ctx context.Context, do do) ([]byte, error)) func(context.Context, string, do) ([]byte, error) {
		return func(ctx context.Context, id string, do do) ([]byte, error) { return f(ctx, do) }
	}
	for _, test := range []struct {
		name string
		run  func(context.Context, string, do) ([]byte, error)
		fail error  // of the method
		want string // status, Retry-After, a part of the body or of the log
	}{
		{"own record", run(func(ctx context.Context, do do) ([]byte, error) { return do(ctx) }), nil, `201  {"id":1`},
		{"no record back", run(func(ctx context.Context, do do) ([]byte, error) { _, err := do(ctx); return nil, err }), nil, `201  {"id":1`},
		{"the method's error", run(func(ctx context.Context, do do) ([]byte, error) { return do(ctx) }), svc.Errorf(svc.CodeNotFound, "no account"), `404  {"error":{"code":"NOT_FOUND","message":"no account"}}`},
		{"the method's error, wrapped", run(func(ctx context.Context, do do) ([]byte, error) {
			_, err := do(ctx)
			return nil, fmt.Errorf("rolled back: %w", err)
		}), svc.Errorf(svc.CodeNotFound, "no account"), `404  {"error":{"code":"NOT_FOUND","message":"no account"}}`},
		{"a plain error of the method", run(func(ctx context.Context, do do) ([]byte, error) { return do(ctx) }), driver, `500  {"error":{"code":"INTERNAL"`},
		{"a plain error, mapped", run(func(ctx context.Context, do do) ([]byte, error) {
			if _, err := do(ctx); errors.Is(err, driver) {
				return nil, svc.Errorf(svc.CodeAborted, "try again: %w", err)
			}
			return nil, nil
		}), driver, `409  {"error":{"code":"ABORTED","message":"try again"}}`},
		{"another error after that of the method", run(func(ctx context.Context, do do) ([]byte, error) { do(ctx); return nil, errors.New("rollback failed") }), driver, `503 1 {"error":{"code":"UNAVAILABLE","message":"it is not known whether the call has happened; repeat it with the same idempotency key","reason":"outcome_unknown"}}`},
		{"aborted before", run(func(context.Context, do) ([]byte, error) { return nil, svc.Errorf(svc.CodeAborted, "running") }), nil, `409 1 {"error":{"code":"ABORTED","message":"running","reason":"key_running"}}`},
		{"aborted before, with its own time", run(func(context.Context, do) ([]byte, error) {
			return nil, svc.Errorf(svc.CodeAborted, "running").WithHeader("Retry-After", "5")
		}), nil, `409 5 `},
		{"aborted after", run(func(ctx context.Context, do do) ([]byte, error) {
			do(ctx)
			return nil, svc.Errorf(svc.CodeAborted, "40001")
		}), nil, `409  {"error":{"code":"ABORTED"`},
		{"begin fails", run(func(context.Context, do) ([]byte, error) { return nil, driver }), nil, `503 1 {"error":{"code":"UNAVAILABLE","message":"the call could not begin, and nothing has happened; try again"}}`},
		{"commit fails", run(func(ctx context.Context, do do) ([]byte, error) { do(ctx); return nil, driver }), nil, `503 1 {"error":{"code":"UNAVAILABLE","message":"it is not known whether the call has happened; repeat it with the same idempotency key","reason":"outcome_unknown"}}`},
		{"an *Error of its own", run(func(context.Context, do) ([]byte, error) { return nil, svc.Errorf(svc.CodeResourceExhausted, "full") }), nil, `429  {"error":{"code":"RESOURCE_EXHAUSTED","message":"full"}}`},
		{"a time-out of its own", run(func(context.Context, do) ([]byte, error) { return nil, context.DeadlineExceeded }), nil, `503 1 `},
		{"twice", run(func(ctx context.Context, do do) ([]byte, error) { do(ctx); return do(ctx) }), nil, `500  Idempotency.Run called do twice`},
		{"twice, hidden", run(func(ctx context.Context, do do) ([]byte, error) { record, err := do(ctx); do(ctx); return record, err }), nil, `500  Idempotency.Run called do twice`},
		{"twice after an error", run(func(ctx context.Context, do do) ([]byte, error) { do(ctx); return do(ctx) }), driver, `500  Idempotency.Run called do twice`},
		{"failed without an error", run(func(ctx context.Context, do do) ([]byte, error) { record, _ := do(ctx); return record, nil }), driver, `500  Idempotency.Run returned no error`},
		{"not called", run(func(context.Context, do) ([]byte, error) { return nil, nil }), nil, `500  Idempotency.Run returned no error`},
		{"a panic of its own", run(func(context.Context, do) ([]byte, error) { panic("oops") }), nil, `500  panic: oops`},
		{"a record of another version", run(func(context.Context, do) ([]byte, error) {
			return []byte(`{"version":4,"method":"payments.create"}`), nil
		}), nil, `503  is not JSON of version 3; it begins with`},
		{"no JSON", run(func(context.Context, do) ([]byte, error) { return []byte(`{"version":1`), nil }), nil, `503  the record of payments.create is not JSON of version 3`},
		{"no object", run(func(context.Context, do) ([]byte, error) { return []byte(`[1]`), nil }), nil, `503  the record of payments.create is not`},
		{"another method", run(func(context.Context, do) ([]byte, error) {
			return []byte(`{"version":3,"method":"payments.update","input":"x"}`), nil
		}), nil, `422  {"error":{"code":"INVALID_ARGUMENT"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log strings.Builder
			p := &payments{run: test.run, fail: test.fail}
			o := payOptions(p)
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			s := svc.MustRegister[PayAPI](p, o)
			a := answerTo(s.REST(), "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k")
			status, wantBody, _ := strings.Cut(test.want, " ")
			retry, wantBody, _ := strings.Cut(wantBody, " ")
			body := textOf(a)
			if fmt.Sprint(a.StatusCode) != status || a.Header.Get("Retry-After") != retry || !strings.Contains(body+log.String(), wantBody) {
				t.Errorf("%d %q %s %s", a.StatusCode, a.Header.Get("Retry-After"), body, log.String())
			}
			if len(p.made) > 1 {
				t.Errorf("the method was called %d times", len(p.made))
			}
			p.run, p.fail, p.made = p.store, nil, nil
			if a := answerTo(s.REST(), "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k"); a.StatusCode != 201 || len(p.made) != 1 {
				t.Errorf("then %d %s", a.StatusCode, textOf(a))
			}
		})
	}
}

// Verify that do fails when it is called after the end of Run.
func TestKeyRunEnded(t *testing.T) {
	var saved func(context.Context) ([]byte, error)
	p := &payments{run: func(_ context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		saved = do
		return nil, nil
	}}
	a := answerTo(newPayments(p).REST(), "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k")
	if a.StatusCode != 500 {
		t.Errorf("a Run that keeps do is answered with %d %s", a.StatusCode, textOf(a))
	}
	if _, err := saved(t.Context()); err == nil || !strings.Contains(err.Error(), "after it had returned") {
		t.Errorf("do after the end of Run: %v", err)
	}
}

// Verify that the end of ctx is not told as a failure of the store.
func TestKeyContextEnds(t *testing.T) {
	p := new(payments)
	s := newPayments(p)
	ctx, cancel := context.WithCancel(t.Context())
	p.run = func(context.Context, string, func(context.Context) ([]byte, error)) ([]byte, error) {
		cancel()
		return nil, errors.New("canceling statement due to user request")
	}
	if got := postPayment(s, ctx, "k"); !strings.Contains(got, `"code":"CANCELED"`) {
		t.Error(got)
	}
}

// Verify that callers do not share keys, and the id of a key, which must never change.
func TestKeyOfCaller(t *testing.T) {
	var ids []string
	p := new(payments)
	s := newPayments(p)
	p.run = func(_ context.Context, id string, _ func(context.Context) ([]byte, error)) ([]byte, error) {
		ids = append(ids, id)
		return nil, svc.Errorf(svc.CodeAborted, "")
	}
	for _, test := range []struct{ subject, key string }{{"-", "k"}, {"", "k"}, {"ada", "k"}, {"ad", "ak"}, {"a", "dak"}} {
		ctx := t.Context()
		if test.subject != "-" {
			ctx = svc.WithPrincipal(ctx, &svc.Principal{Subject: test.subject})
		}
		postPayment(s, ctx, test.key)
	}
	want := []string{"CaaiBC9uGqXu8uVIT1XUHd6Ulhz6mxQ2WI5wLGDa2IY", "8v8dH9B687DN35OrsVbYCA8jHArVHA8QaQMqfbaiLzQ", "XXcZh9ZFjzxv0OOpd5dGWrL5hViKzUma9Ln8HXKVPgA", "paZflXoH--TIZn_4tRItMRYJaZIrYo68aRMlltgc-jQ", "h1ovFEfozWb5fHdEKRR8PrmLHrK0Gjh4z7fL_X4plMI"}
	if !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}

// Verify the order: caller, input, Intercept, Run, method; and what Intercept and Observe
// see of a repetition.
func TestKeyOrder(t *testing.T) {
	var order []string
	p := new(payments)
	o := payOptions(p)
	store := p.run
	p.run = func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		order = append(order, "run")
		return store(ctx, id, do)
	}
	o.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, in any) (any, error) {
			order = append(order, "intercept")
			in.(*PayOrder).To += "!" // the fingerprint is taken before
			in.(*PayOrder).Note = fmt.Sprint(len(order))
			out, err := next(ctx, resource, method, in)
			if err == nil {
				out.(*Paid).To += "?"
			}
			return out, err
		}
	}
	o.Observe = func(_ context.Context, o svc.Observation) { order = append(order, fmt.Sprint("observe ", o.Replayed)) }
	rest := svc.MustRegister[PayAPI](p, o).REST()
	for range 2 {
		a := answerTo(rest, "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k")
		if body := textOf(a); a.StatusCode != 201 || !strings.Contains(body, `"to":"ada!?"`) {
			t.Errorf("%d %s", a.StatusCode, body)
		}
	}
	answerTo(rest, "POST", "/payments", `{}`, "Content-Type", "application/json", "Idempotency-Key", "k")
	if got := strings.Join(order, ", "); got != "intercept, run, observe false, intercept, run, observe true, observe false" {
		t.Error(got)
	}
}

// Verify that the key of a call is not that of the calls that it makes, that a Service.Call takes no
// key, and that a client with a Handler does.
func TestKeyNested(t *testing.T) {
	p := new(payments)
	var s *svc.Service
	var client struct {
		Create func(ctx context.Context, in *PayOrder) (*Paid, error)
	}
	o := payOptions(p)
	nest := true
	o.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, in any) (any, error) {
			if nest && method == "create" {
				nest = false
				for range 2 {
					if _, err := s.Call(ctx, "payments", "create", &PayOrder{To: "inner"}); err != nil {
						t.Error(err)
					}
				}
				next := svc.WithIdempotencyKey(ctx, "next")
				if _, err := s.Call(next, "payments", "create", &PayOrder{To: "inner"}); svc.CodeOf(err) != svc.CodeInvalidArgument {
					t.Error(err)
				}
				if _, err := client.Create(next, &PayOrder{To: "inner"}); err != nil {
					t.Error(err)
				}
			}
			return next(ctx, resource, method, in)
		}
	}
	s = svc.MustRegister[PayAPI](p, o)
	if err := svc.Connect[PayAPI](&client, "http://svc.test", &svc.ClientOptions{Service: payOptions(p), Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	if got := postPayment(s, t.Context(), "k"); !strings.HasPrefix(got, `{"id":4,`) {
		t.Error(got)
	}
	if got := fmt.Sprint(p.keys); got != "[false false nexttrue ktrue]" {
		t.Error(got)
	}
	if key, ok := svc.IdempotencyKeyFrom(svc.WithIdempotencyKey(t.Context(), "k")); ok {
		t.Errorf("outside of a call the key is %q", key)
	}
}

// Verify that 64 equal calls at once, over three transports and three replicas, have one
// effect and equal answers.
func TestKeyConcurrent(t *testing.T) {
	p := new(payments)
	replicas := make([]*svc.Service, 3)
	for i := range replicas {
		replicas[i] = svc.MustRegister[PayAPI](p, payOptions(p))
	}
	answers := make([]string, 64)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := replicas[i%3]
			for answers[i] == "" || strings.Contains(answers[i], "ABORTED") {
				switch i % 4 {
				case 0:
					answers[i] = textOf(answerTo(s.REST(), "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", "k"))
				case 1:
					answers[i] = postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"payments.create","params":{"to":"ada"}}`, "Idempotency-Key", "k")
				case 2:
					answers[i] = callTool(s.MCP(nil), "payments_create", `{"to":"ada","idempotency_key":"k"}`)
				default:
					answers[i] = textOf(answerTo(s.REST(), "POST", "/payments", `{ "to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", `"k"`))
				}
			}
		}()
	}
	wg.Wait()
	want := strings.TrimSuffix(answers[0], "}") // over REST the ETag is a header
	for i, a := range answers {
		if !strings.Contains(a, want) {
			t.Errorf("%d: %s, want %s", i, a, want)
		}
	}
	if len(p.made) != 1 {
		t.Errorf("%d effects", len(p.made))
	}
}

// Verify that a client sends a new key with each call, or that of its ctx, and needs no
// store; and that a call whose connection dies after it was sent acts once, since
// net/http sends it again.
func TestKeyClient(t *testing.T) {
	p := new(payments)
	s := newPayments(p)
	var keys []string
	cut := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		s.REST().ServeHTTP(cutWriter{w, cut > 0}, r)
		if cut > 0 {
			cut--
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}
	}))
	defer server.Close()
	var client struct {
		Create func(ctx context.Context, in *PayOrder) (*Paid, error)
		Cancel func(ctx context.Context) error
		Get    func(ctx context.Context, in *PayID) (*Paid, error)
	}
	o := payOptions(new(payments))
	o.Idempotency = nil
	if err := svc.Connect[PayAPI](&client, server.URL, &svc.ClientOptions{Service: o}); err != nil {
		t.Fatal(err)
	}
	in := &PayOrder{To: "ada", Amount: 1}
	first, err := client.Create(t.Context(), in)
	if err != nil || first.Location != "payments/1" {
		t.Fatal(first, err)
	}
	cut = 1
	second, err := client.Create(t.Context(), in)
	if err != nil || second.ID != 2 || len(p.made) != 2 || len(keys) != 3 || keys[1] != keys[2] || keys[0] == keys[1] || len(keys[0]) < 26 {
		t.Errorf("cut: %v %v after %d effects, with the keys %q", second, err, len(p.made), keys)
	}
	for _, key := range []string{"mine", `"mine`, `"a\"b"`} {
		for range 2 {
			if out, err := client.Create(svc.WithIdempotencyKey(t.Context(), key), in); err != nil || out.ID != len(p.made) || p.keys[len(p.made)-1] != key+"true" {
				t.Errorf("%s: %v %v %q", key, out, err, p.keys)
			}
		}
	}
	if len(p.made) != 5 {
		t.Errorf("%d effects", len(p.made))
	}
	for _, key := range []string{"", "a b", "a\r\nb", "\u00e4", "\xff", strings.Repeat("k", 256)} {
		if err := client.Cancel(svc.WithIdempotencyKey(t.Context(), key)); svc.CodeOf(err) != svc.CodeInvalidArgument || len(p.made) != 5 {
			t.Errorf("the wrong key %q: %v, %d effects", key, err, len(p.made))
		}
	}
	if err := client.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.Get(svc.WithIdempotencyKey(t.Context(), "k"), &PayID{"7"}); err != nil || keys[len(keys)-1] != "" {
		t.Errorf("get: %v, with the key %q", err, keys[len(keys)-1])
	}
}

// A cutWriter drops what is written, so that a connection can be closed after the call.
type cutWriter struct {
	http.ResponseWriter
	cut bool
}

func (w cutWriter) WriteHeader(status int) {
	if !w.cut {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w cutWriter) Write(p []byte) (int, error) {
	if w.cut {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Verify that a Transport may send a request with a key again whose answer it has lost.
func TestKeyTransportRetries(t *testing.T) {
	p := new(payments)
	var client struct {
		Create func(ctx context.Context, in *PayOrder) (*Paid, error)
	}
	h := &http.Client{Transport: retrying{handler: newPayments(p).REST()}}
	if err := svc.Connect[PayAPI](&client, "http://payments.example", &svc.ClientOptions{Service: payOptions(new(payments)), HTTPClient: h}); err != nil {
		t.Fatal(err)
	}
	if out, err := client.Create(t.Context(), &PayOrder{To: "ada", Amount: 1}); err != nil || out.ID != 1 || len(p.made) != 1 {
		t.Errorf("%v %v after %d effects", out, err, len(p.made))
	}
}

// A retrying is a RoundTripper that loses the first answers.
type retrying struct{ handler http.Handler }

func (t retrying) RoundTrip(r *http.Request) (*http.Response, error) {
	for range 3 {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		again := httptest.NewRequest(r.Method, r.URL.Path, body)
		again.Header = r.Header
		w := httptest.NewRecorder()
		if t.handler.ServeHTTP(w, again); w.Header().Get("Idempotent-Replayed") != "" {
			return w.Result(), nil
		}
	}
	return nil, io.ErrUnexpectedEOF
}

type (
	KeyMistakesAPI interface {
		Create(ctx context.Context, in *KeyFields) (*KeyUnread, error)
		Get(ctx context.Context) (*Paid, error)
		Patch(ctx context.Context, in *KeyUnwritten) error
		Watch(ctx context.Context) (svc.Stream[Paid], error)
		Send(ctx context.Context, in *KeyBody) (*svc.File, error)
		Archive(ctx context.Context) error
	}
	KeyFields struct {
		Key  string `json:"idempotency_key"`
		Head string `json:"head" header:"idempotency-key"`
	}
	KeyUnread struct {
		At keyWritten `json:"at"`
	}
	KeyUnwritten struct {
		ID  string     `path:"id"`
		At  keyRead    `json:"at"`
		Who keyReadTxt `json:"who"`
	}
	KeyBody struct {
		Body svc.Body
	}
	keyWritten struct{}
	keyRead    struct{}
	keyReadTxt struct{}
)

func (keyWritten) MarshalJSON() ([]byte, error)  { return []byte("1"), nil }
func (*keyRead) UnmarshalJSON([]byte) error      { return nil }
func (*keyReadTxt) UnmarshalText(_ []byte) error { return nil }

type (
	KeyTagsAPI interface {
		Create(ctx context.Context, in *KeyTags) (*KeyTagsOut, error)
		Upload(ctx context.Context, in *KeyTagsBody) error
	}
	KeyTags struct {
		keyTagsBase `idempotency:"-"`
		keyTagsEmbedded
		Other      string       `json:"other" idempotency:"yes"`
		Hidden     string       `json:"-" idempotency:"-"`
		unexported string       `idempotency:"-"` //lint:ignore U1000 the mistake is that it is unexported
		Union      KeyTagsUnion `json:"union"`
		Shared     keyTagsBoth  `json:"shared"`
	}
	keyTagsBase struct {
		Base string `json:"base"`
	}
	keyTagsBoth struct {
		Attempt string `json:"attempt" idempotency:"-"`
	}
	KeyTagsUnion struct {
		Type string       `json:"type" discriminator:"true" idempotency:"-"`
		Card *keyTagsBoth `variant:"card" idempotency:"-"`
	}
	KeyTagsOut struct {
		keyTagsEmbedded
		Shared keyTagsBoth   `json:"shared"`
		Number int           `json:"number" idempotency:"-"`
		Union  keyTagsAnswer `json:"union"`
	}
	keyTagsEmbedded struct {
		Again string `json:"again" idempotency:"-"`
	}
	keyTagsAnswer struct {
		Type string    `json:"type" discriminator:"true"`
		Seen string    `json:"seen" idempotency:"-"`
		Card *struct{} `variant:"card"`
	}
	KeyTagsBody struct {
		ID   string   `path:"id"`
		Body svc.Body `idempotency:"-"`
	}
	keyTagsAPI struct{ KeyTagsAPI } // is never called
)

// A KeyPrompt is the output of a prompt.
type KeyPrompt struct{}

// MCPContent returns no messages.
func (*KeyPrompt) MCPContent() []svc.MCPContent { return nil }

// A KeyPromptAPI has a method that is a prompt, and one that is a tool.
type KeyPromptAPI interface {
	Write(ctx context.Context) (*KeyPrompt, error)
	Create(ctx context.Context) error
}

// keyed returns options with a key for these methods.
func keyed(i *svc.Idempotency, methods ...string) *svc.Options {
	o := &svc.Options{Resource: "notes", Idempotency: i, Methods: make(map[string]svc.MethodOptions)}
	for _, name := range methods {
		o.Methods[name] = svc.MethodOptions{IdempotencyKey: svc.KeyAllowed}
	}
	o.Methods["Get"] = svc.MethodOptions{IdempotencyKey: o.Methods["Get"].IdempotencyKey, HTTP: "GET /notes/it"}
	return o
}

// These are never called.
type keyAPI struct{ KeyMistakesAPI }

type keyPromptAPI struct{ KeyPromptAPI }

// Verify every mistake with keys.
func TestKeyMistakes(t *testing.T) {
	store := &svc.Idempotency{Run: new(payments).store}
	register := func(o *svc.Options) func() error {
		return func() error {
			_, err := svc.Register[KeyMistakesAPI](keyAPI{}, o)
			return err
		}
	}
	unknown := keyed(store, "Archive")
	unknown.Methods["Archive"] = svc.MethodOptions{IdempotencyKey: "sometimes"}
	tools := func(method string, o svc.MCPMethod) func() error {
		return func() error {
			opts := keyed(store, "Write", "Create")
			delete(opts.Methods, "Get")
			_, err := svc.Register[KeyPromptAPI](keyPromptAPI{}, showing(opts, map[string]svc.MCPMethod{method: o}))
			return err
		}
	}
	regGolden(t, "keys.txt", []regCase{
		{"keys without a store", register(keyed(nil, "Archive"))},
		{"a store without Run, for a negative time", register(keyed(&svc.Idempotency{KeepFor: -time.Hour}))},
		{"an unknown use of keys", register(unknown)},
		{"keys of methods that cannot have any", register(keyed(store, "Get", "Watch", "Send"))},
		{"fields with the names of keys, and an output that cannot be read", register(keyed(store, "Create"))},
		{"an input that is never written, which is right", register(keyed(store, "Patch"))},
		{"tags of fields that may differ", func() error {
			_, err := svc.Register[KeyTagsAPI](keyTagsAPI{}, &svc.Options{Resource: "notes"})
			return err
		}},
		{"a prompt with a key", tools("Write", svc.MCPMethod{Prompt: true})},
		{"a schema without the key", tools("Create", svc.MCPMethod{InputSchema: []byte(`{"type":"object"}`)})},
		{"a schema with the key", tools("Create", svc.MCPMethod{InputSchema: []byte(`{"type":"object","properties":{"idempotency_key":{"type":"string"}}}`)})},
	})
}

// Verify what the documents say of keys.
func TestKeyDocuments(t *testing.T) {
	o := payOptions(new(payments))
	o.Idempotency.KeepFor = 90 * time.Minute
	s := svc.MustRegister[PayAPI](new(payments), o)
	var text strings.Builder
	for _, path := range []string{"/payments", "/payments/{id}", "/payments/cancel"} {
		doc := documentOf(t, s, "3.1")["paths"].(map[string]any)[path].(map[string]any)
		for _, verb := range []string{"get", "post", "put"} {
			if op, ok := doc[verb].(map[string]any); ok {
				fmt.Fprintf(&text, "# %s %s\nparameters: %s\nresponses: %s\n\n", verb, path, partOf(op, "parameters"), partOf(op, "responses"))
			}
		}
	}
	tools := toolsOf(s)
	var list struct {
		Result struct{ Tools []map[string]any }
	}
	if err := json.Unmarshal([]byte(tools), &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Result.Tools {
		fmt.Fprintf(&text, "# %s\n%s\n%s\n\n", tool["name"], partOf(tool, "inputSchema"), partOf(tool, "annotations"))
	}
	golden(t, "openapi/keys.txt", []byte(text.String()))
	page := getDocs(s, docsAll, "GET", "/").Body.String()
	if strings.Count(page, `"key":"idempotency_key"`) != 3 || strings.Count(page, `"header Idempotency-Key":"1"`) != 2 {
		t.Errorf("the page calls by %s", between(t, page, `"calls":{`, `"schemes"`))
	}
	rpc := postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`)
	if strings.Count(rpc, `"x-idempotencyKey":"required"`) != 2 || strings.Count(rpc, `"x-idempotencyKey":"allowed"`) != 1 {
		t.Errorf("OpenRPC has %s", rpc)
	}
}

type (
	beforeUnion struct {
		ID int `json:"id"`
	}
	afterUnion struct {
		ID  int     `json:"id"`
		How keyedBy `json:"how"`
	}
	keyedBy struct {
		Type string    `json:"type" discriminator:"true"`
		Card *struct{} `variant:"card"`
	}
	releaseIn[N any] struct {
		N N `json:"n,omitempty"`
	}
	releaseAPI[N, Out any] interface {
		Create(ctx context.Context, in *releaseIn[N]) (*Out, error)
	}
	releaseImpl[N, Out any] struct{ out Out }
)

func (r releaseImpl[N, Out]) Create(context.Context, *releaseIn[N]) (*Out, error) { return &r.out, nil }

// Verify what a repetition gets from a release whose types have changed. An output that has
// a union now cannot be made of the old record, and another release may read it. A pointer
// distinguishes an explicit 0 from an absent member, so that 0 is another input than before.
// The rows are one sequence, so they are no subtests.
func TestKeyAfterDeploy(t *testing.T) {
	p := new(payments)
	o := payOptions(p)
	o.Methods = map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}}
	old := svc.MustRegister[releaseAPI[int, beforeUnion]](releaseImpl[int, beforeUnion]{}, o).REST()
	pointer := svc.MustRegister[releaseAPI[*int, beforeUnion]](releaseImpl[*int, beforeUnion]{}, o).REST()
	union := svc.MustRegister[releaseAPI[int, afterUnion]](releaseImpl[int, afterUnion]{afterUnion{How: keyedBy{Card: new(struct{})}}}, o).REST()
	for _, test := range []struct {
		name  string
		h     http.Handler
		body  string
		key   string
		want  int
		again string
	}{
		{"first", old, `{"n":7}`, "a", 200, ""},
		{"first, without n", old, `{}`, "b", 200, ""},
		{"first, with 0", old, `{"n":0}`, "c", 200, ""},
		{"a pointer", pointer, `{"n":7}`, "a", 200, "true"},
		{"a pointer, without n", pointer, `{}`, "b", 200, "true"},
		{"a pointer, with 0", pointer, `{"n":0}`, "c", 200, "true"},
		{"a union", union, `{"n":7}`, "a", 503, ""},
		{"back again", old, `{"n":7}`, "a", 200, "true"},
		{"the first of the union", union, `{"n":7}`, "d", 200, ""},
		{"its repetition", union, `{"n":7}`, "d", 200, "true"},
	} {
		a := answerTo(test.h, "POST", "/payments", test.body, "Content-Type", "application/json", "Idempotency-Key", test.key)
		if again := a.Header.Get("Idempotent-Replayed"); a.StatusCode != test.want || again != test.again {
			t.Errorf("%s: %d %q %s", test.name, a.StatusCode, again, textOf(a))
		}
	}
}

type panickyText string

func (panickyText) MarshalText() ([]byte, error)     { return nil, nil }
func (*panickyText) UnmarshalText(text []byte) error { panic("on purpose") }

type panickyIn struct {
	Text panickyText `json:"text"`
}

type freeIn struct {
	Text string `json:"text"`
}

type panickyAPI interface {
	Pay(ctx context.Context, in *panickyIn) error
	Look(ctx context.Context, in *freeIn) error
}

type panickyImpl struct{}

func (panickyImpl) Pay(context.Context, *panickyIn) error { return nil }
func (panickyImpl) Look(context.Context, *freeIn) error   { return nil }

// Verify that a key that is missing where an input panics is not missed in the next request,
// which is served from the same memory.
func TestMissingKeyStaysWithItsRequest(t *testing.T) {
	run := func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		return do(ctx)
	}
	s := svc.MustRegister[panickyAPI](panickyImpl{}, &svc.Options{
		Resource: "x", Logger: slog.New(slog.DiscardHandler), Idempotency: &svc.Idempotency{Run: run},
		Methods: map[string]svc.MethodOptions{"Pay": {IdempotencyKey: svc.KeyRequired}},
	})
	post := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path, strings.NewReader(`{"text":"a"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, r)
		return w
	}
	for range 20 { // a pool may give other memory
		if w := post("/x/pay"); w.Code != http.StatusInternalServerError {
			t.Fatalf("Pay: %d %s", w.Code, w.Body)
		}
		if w := post("/x/look"); w.Code != http.StatusNoContent {
			t.Fatalf("Look: %d %s", w.Code, w.Body)
		}
	}
}

// Verify that ids in a batch count by value, and that of two calls with one id and a key the second is
// refused, since nobody could tell their answers apart.
func TestKeyBatchIDs(t *testing.T) {
	message := func(id, to string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"payments.create","params":{"to":"` + to + `"}}`
	}
	read := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"payments.get","params":{"id":"7"}}`
	}
	for _, test := range []struct {
		name, key, first, second string
		made                     int // effects of both requests
		refused                  int // calls that are refused because of their id
	}{
		{"one id in two spellings", "k", message("1", "a") + "," + message(`"a"`, "b"), message("1.0", "a") + "," + message(`"\u0061"`, "b"), 2, 0},
		{"a number and a text", "k", message("1", "a") + "," + message(`"1"`, "b"), message("10e-1", "a"), 2, 0},
		{"numbers that a float would round", "k", message("9007199254740993", "a") + "," + message("9007199254740992", "b"), message("9007199254740993", "a"), 2, 0},
		{"one id twice", "k", message("1", "a") + "," + message("1.0", "b"), message("1", "a"), 1, 1},
		{"null twice", "k", message("null", "a") + "," + message("null", "b") + "," + message("null", "c"), message("2", "a"), 2, 2},
		{"one id twice without a key", "", message("1", "a") + "," + message("1", "b"), message("2", "a"), 3, 0},
		{"one id with and without a key", "k", message("1", "a") + "," + read("1") + "," + read("1"), message("1", "a"), 3, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := new(payments)
			h, refused := newPayments(p).RPC(), 0
			for _, batch := range []string{test.first, test.second} {
				var headers []string
				if test.key != "" {
					headers = []string{"Idempotency-Key", test.key}
				}
				refused += strings.Count(postRPC(h, "["+batch+"]", headers...), "another call of the batch has this id")
			}
			if len(p.made) != test.made || refused != test.refused {
				t.Errorf("%d effects and %d refused, want %d and %d", len(p.made), refused, test.made, test.refused)
			}
		})
	}
}
