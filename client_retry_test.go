package svc

// This file tests which calls a client sends again. Nothing waits: the connection of the client
// has another wait.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// An errandAPI has a method of each kind that a client treats in its own way.
type errandAPI interface {
	Get(context.Context, *errand) (*errandDone, error)
	Search(context.Context, *errandBody) (*errandDone, error)
	Post(context.Context, *errandBody) (*errandDone, error)
	PostKeyed(context.Context, *errandBody) (*errandDone, error)
	Put(context.Context, *errand) (*errandDone, error)
	Patch(context.Context, *errand) (*errandDone, error)
	PatchKeyed(context.Context, *errand) (*errandDone, error)
	Delete(context.Context, *errand) error
	DeleteKeyed(context.Context, *errand) error
}

type (
	errand struct {
		ID     string `path:"id"`
		Match  string `json:"-" header:"If-Match,omitempty"`
		None   string `json:"-" header:"If-None-Match,omitempty"`
		Before string `json:"-" header:"If-Unmodified-Since,omitempty"`
	}
	errandBody struct {
		Name string `json:"name"`
	}
	errandDone struct {
		Calls int `json:"calls"`
	}
)

// errands implements errandAPI and counts.
type errands struct {
	mu  sync.Mutex
	err error // of every method
	counts
}

// counts are what has happened since begin.
type counts struct {
	effects  int // calls of methods
	requests int // that reached the proxy, or a closed port
	keys     []string
}

// seen returns the counts.
func (e *errands) seen() counts {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts
}

func (e *errands) do() (*errandDone, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	e.effects++
	return &errandDone{e.effects}, nil
}

func (e *errands) Get(context.Context, *errand) (*errandDone, error)           { return e.do() }
func (e *errands) Search(context.Context, *errandBody) (*errandDone, error)    { return e.do() }
func (e *errands) Post(context.Context, *errandBody) (*errandDone, error)      { return e.do() }
func (e *errands) PostKeyed(context.Context, *errandBody) (*errandDone, error) { return e.do() }
func (e *errands) Put(context.Context, *errand) (*errandDone, error)           { return e.do() }
func (e *errands) Patch(context.Context, *errand) (*errandDone, error)         { return e.do() }
func (e *errands) PatchKeyed(context.Context, *errand) (*errandDone, error)    { return e.do() }
func (e *errands) Delete(context.Context, *errand) error                       { _, err := e.do(); return err }
func (e *errands) DeleteKeyed(context.Context, *errand) error                  { _, err := e.do(); return err }

// An errandClient is a client of errandAPI.
type errandClient struct {
	Get, Put, Patch, PatchKeyed func(context.Context, *errand) (*errandDone, error)
	Search, Post, PostKeyed     func(context.Context, *errandBody) (*errandDone, error)
	Delete, DeleteKeyed         func(context.Context, *errand) error
}

var (
	errErrandFull = Errorf(CodeResourceExhausted, "no more today").WithReason("errands_full").WithStatus(409)
	errErrandGone = Errorf(CodeNotFound, "there is no such errand")
)

// errandOptions returns options with a store that keeps what was committed.
func errandOptions() *Options {
	var mu sync.Mutex
	records := make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if record, ok := records[id]; ok {
			return record, nil
		}
		record, err := do(ctx)
		if err == nil {
			records[id] = record
		}
		return record, err
	}
	return &Options{Resource: "errands", Logger: slog.New(slog.DiscardHandler), Idempotency: &Idempotency{Run: run},
		Methods: map[string]MethodOptions{
			"Search":      {HTTP: "QUERY /errands"},
			"Post":        {HTTP: "POST /errands", Errors: []*Error{errErrandFull, errErrandGone}},
			"PostKeyed":   {HTTP: "POST /keyed", IdempotencyKey: KeyRequired},
			"Put":         {HTTP: "PUT /errands/{id}", Errors: []*Error{errErrandFull, errErrandGone}},
			"PatchKeyed":  {HTTP: "PATCH /keyed/{id}", IdempotencyKey: KeyAllowed},
			"DeleteKeyed": {HTTP: "DELETE /keyed/{id}", IdempotencyKey: KeyAllowed},
		}}
}

// A failing is a server behind a proxy that fails: the first requests, as many as fails says.
type failing struct {
	*errands
	client errandClient
	conn   *connection
	waits  []time.Duration
	way    *failure
	fails  int
	url    string
}

// A failure is a way in which a request ends.
type failure struct {
	name   string
	answer func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) // nil for a port on which nobody listens
	again  string                                                                // which calls are sent again: all, repeatable or none
	want   string                                                                // code and reason of the error
	ran    bool                                                                  // MayHaveRun
}

// cut returns the answer that ends the connection after some text, and after the call if called is
// set.
func cut(called, reset bool, text string) func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) {
		if called {
			handle()
		}
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(c, text)
		if reset {
			c.(*net.TCPConn).SetLinger(0)
		}
		c.Close()
	}
}

// page returns the answer with a status and the body of a proxy, after the call if called is set.
func page(status int, called bool, body string, header ...string) func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) {
		if called {
			handle()
		}
		w.Header().Set("Content-Type", "text/html")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// envelope returns the answer with an error of svc, after the call if called is set.
func envelope(err *Error, called bool) func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, handle func() *httptest.ResponseRecorder) {
		if called {
			handle()
		}
		WriteError(w, httptest.NewRequest("GET", "/", nil), err)
	}
}

const (
	okHead   = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
	htmlPage = "<html><h1>It works!</h1></html>"
)

var failures = []failure{
	{"refused", nil, "all", "UNAVAILABLE not_sent", false},
	{"reset before the call", cut(false, true, ""), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"reset after the call", cut(true, true, ""), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"EOF", cut(true, false, ""), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"half a status line", cut(true, false, "HTTP/1.1 2"), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"reset after the status line", cut(true, true, okHead[:40]), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"reset in the body", cut(true, true, okHead+"{"), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"EOF in the body", cut(true, false, okHead+`{"calls":1`), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"429 of a proxy", page(429, false, htmlPage), "repeatable", "RESOURCE_EXHAUSTED ", true},
	{"502 of a proxy", page(502, true, htmlPage), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"503 of a proxy", page(503, false, htmlPage, "Retry-After", "0"), "repeatable", "UNAVAILABLE ", true},
	{"504 of a proxy", page(504, true, htmlPage), "repeatable", "DEADLINE_EXCEEDED outcome_unknown", true},
	{"503 of nginx as in doc", envelope(Errorf(CodeUnavailable, "no server answers").withOwnReason(reasonOutcomeUnknown), true), "repeatable", "UNAVAILABLE outcome_unknown", true},
	{"500 of a proxy", page(500, false, htmlPage), "none", "INTERNAL ", true},
	{"409 of a proxy", page(409, false, htmlPage, "Retry-After", "0"), "none", "ALREADY_EXISTS ", true},
	{"a page in place of the answer", page(200, false, htmlPage), "none", "INTERNAL ", true},
	{"a redirect", page(302, false, htmlPage, "Location", "/"), "none", "UNKNOWN ", true},
	{"413 of a proxy", page(413, false, htmlPage), "none", "RESOURCE_EXHAUSTED ", true},
	{"UNAVAILABLE", envelope(Errorf(CodeUnavailable, "m"), true), "repeatable", "UNAVAILABLE ", true},
	{"RESOURCE_EXHAUSTED", envelope(Errorf(CodeResourceExhausted, "m"), false), "repeatable", "RESOURCE_EXHAUSTED ", true},
	{"RESOURCE_EXHAUSTED as 409", envelope(Errorf(CodeResourceExhausted, "m").WithStatus(409), false), "none", "RESOURCE_EXHAUSTED ", true},
	{"ABORTED with Retry-After", envelope(Errorf(CodeAborted, "m").WithHeader("Retry-After", "0"), false), "repeatable", "ABORTED ", true},
	{"ABORTED", envelope(Errorf(CodeAborted, "m"), false), "none", "ABORTED ", true},
	{"overloaded", envelope(Errorf(CodeUnavailable, "m").withOwnReason(reasonOverloaded), false), "all", "UNAVAILABLE overloaded", false},
	{"INTERNAL", envelope(Errorf(CodeInternal, "m"), true), "none", "INTERNAL ", true},
	{"UNKNOWN", envelope(Errorf(CodeUnknown, "m"), true), "none", "UNKNOWN ", true},
	{"DEADLINE_EXCEEDED", envelope(Errorf(CodeDeadlineExceeded, "m"), true), "none", "DEADLINE_EXCEEDED ", true},
	{"INVALID_ARGUMENT", envelope(Errorf(CodeInvalidArgument, "m"), false), "none", "INVALID_ARGUMENT ", false},
	{"UNAUTHENTICATED", envelope(Errorf(CodeUnauthenticated, "m"), false), "none", "UNAUTHENTICATED ", false},
	{"PERMISSION_DENIED", envelope(Errorf(CodePermissionDenied, "m"), false), "none", "PERMISSION_DENIED ", false},
	{"404 of svc", envelope(httpError(404, CodeNotFound, nothingThere), false), "none", "NOT_FOUND ", false},
	{"405 of svc", envelope(notAllowed("GET"), false), "none", "UNIMPLEMENTED ", false},
	{"413 of svc", envelope(httpError(413, CodeResourceExhausted, "m"), false), "none", "RESOURCE_EXHAUSTED ", false},
	{"415 of svc", envelope(httpError(415, CodeInvalidArgument, "m"), false), "none", "INVALID_ARGUMENT ", false},
	{"ALREADY_EXISTS", envelope(Errorf(CodeAlreadyExists, "m"), false), "none", "ALREADY_EXISTS ", true},
}

// errandCalls are the calls of each kind, and whether they may run twice.
var errandCalls = []struct {
	name       string
	repeatable bool
	keyed      bool
	call       func(*errandClient, context.Context) error
}{
	{"GET", true, false, func(c *errandClient, ctx context.Context) error { return second(c.Get(ctx, &errand{ID: "7"})) }},
	{"GET with If-None-Match", true, false, func(c *errandClient, ctx context.Context) error {
		return second(c.Get(ctx, &errand{ID: "7", None: `"1"`}))
	}},
	{"QUERY", true, false, func(c *errandClient, ctx context.Context) error { return second(c.Search(ctx, &errandBody{"a"})) }},
	{"POST", false, false, func(c *errandClient, ctx context.Context) error { return second(c.Post(ctx, &errandBody{"a"})) }},
	{"POST with a key", true, true, func(c *errandClient, ctx context.Context) error { return second(c.PostKeyed(ctx, &errandBody{"a"})) }},
	{"PUT", true, false, func(c *errandClient, ctx context.Context) error { return second(c.Put(ctx, &errand{ID: "7"})) }},
	{"PUT with If-Match", false, false, func(c *errandClient, ctx context.Context) error {
		return second(c.Put(ctx, &errand{ID: "7", Match: `"1"`}))
	}},
	{"PUT with If-None-Match", false, false, func(c *errandClient, ctx context.Context) error {
		return second(c.Put(ctx, &errand{ID: "7", None: "*"}))
	}},
	{"PUT with If-Unmodified-Since", false, false, func(c *errandClient, ctx context.Context) error {
		return second(c.Put(ctx, &errand{ID: "7", Before: "Mon, 02 Jan 2006 15:04:05 GMT"}))
	}},
	{"PATCH", false, false, func(c *errandClient, ctx context.Context) error { return second(c.Patch(ctx, &errand{ID: "7"})) }},
	{"PATCH with a key and If-Match", true, true, func(c *errandClient, ctx context.Context) error {
		return second(c.PatchKeyed(ctx, &errand{ID: "7", Match: `"1"`}))
	}},
	{"DELETE", true, false, func(c *errandClient, ctx context.Context) error { return c.Delete(ctx, &errand{ID: "7"}) }},
	{"DELETE with If-Match", false, false, func(c *errandClient, ctx context.Context) error {
		return c.Delete(ctx, &errand{ID: "7", Match: `"1"`})
	}},
	{"DELETE with a key", true, true, func(c *errandClient, ctx context.Context) error { return c.DeleteKeyed(ctx, &errand{ID: "7"}) }},
}

func second(_ any, err error) error { return err }

// newFailing returns a server, a proxy and a client with opts, which does not wait.
func newFailing(t testing.TB, opts ClientOptions) *failing {
	f := &failing{errands: new(errands)}
	options := errandOptions()
	handler := MustRegister[errandAPI](f.errands, options).REST()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.requests++
		f.keys = append(f.keys, r.Header.Get(keyHeader))
		failsNow, way := f.requests <= f.fails, f.way
		f.mu.Unlock()
		if !failsNow || way.answer == nil {
			handler.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body) // as a proxy does, so that no client sees that it writes in vain
		r.Body = io.NopCloser(bytes.NewReader(body))
		way.answer(w, func() *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			return answer
		})
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	if opts.HTTPClient == nil {
		opts.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: f.dial}}
	}
	opts.Service = options
	f.conn = connectWith(t, &f.client, reflect.TypeFor[errandAPI](), server.URL, opts)
	f.conn.wait = func(ctx context.Context, d time.Duration) error {
		f.waits = append(f.waits, d)
		return ctx.Err()
	}
	return f
}

// connectWith is Connect that returns the connection.
func connectWith(t testing.TB, client any, iface reflect.Type, url string, opts ClientOptions) *connection {
	t.Helper()
	p := new(mistakes)
	c := newConnection(p, url, opts)
	if err := c.setFields(p, iface, reflect.ValueOf(client), opts); err != nil {
		t.Fatal(err)
	}
	return c
}

// dial connects to the proxy, or to a port on which nobody listens.
func (f *failing) dial(ctx context.Context, network, address string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.way != nil && f.way.answer == nil && f.requests < f.fails {
		f.requests++
		address = "127.0.0.1:1"
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// begin sets how the next call fails.
func (f *failing) begin(way *failure, fails int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.way, f.fails, f.waits, f.counts = way, fails, nil, counts{}
	f.conn.budget.used.Store(0)
}

// Verify for each kind of call and each way to fail how many requests are sent and how often the
// method runs, what the caller gets, and what it knows.
func TestClientRepeats(t *testing.T) {
	f := newFailing(t, ClientOptions{})
	for i := range failures {
		way := &failures[i]
		for _, kind := range errandCalls {
			t.Run(way.name+"/"+kind.name, func(t *testing.T) {
				ctx := WithIdempotencyKey(t.Context(), url.QueryEscape(way.name+kind.name))
				repeats := way.again == "all" || way.again == "repeatable" && kind.repeatable
				f.begin(way, 1)
				err := kind.call(&f.client, ctx)
				got := f.seen()
				if repeats {
					if err != nil || got.requests != 2 || len(f.waits) != 1 {
						t.Errorf("one failure: %v after %d requests and %d waits, want success after 2 and 1", err, got.requests, len(f.waits))
					}
				} else if got.requests != 1 || len(f.waits) != 0 {
					t.Errorf("one failure: %d requests and %d waits, want 1 and none", got.requests, len(f.waits))
				}
				if got.effects > 1 && (kind.keyed || !kind.repeatable) || repeats && kind.keyed && got.effects != 1 {
					t.Errorf("the method ran %d times", got.effects)
				}
				if kind.keyed && len(got.keys) == 2 && (got.keys[0] != got.keys[1] || got.keys[0] == "") {
					t.Errorf("the keys are %q", got.keys)
				}
				f.begin(way, 100)
				err = kind.call(&f.client, ctx)
				got = f.seen()
				requests := 1
				if repeats {
					requests = 3
				}
				if e := ErrorFrom(err); got.requests != requests || e == nil || string(e.Code)+" "+e.Reason() != way.want ||
					MayHaveRun(err) != way.ran {
					t.Errorf("all fail: %d requests, %v (%s), may have run: %t; want %d, %s, %t", got.requests, err, e.Reason(), MayHaveRun(err),
						requests, way.want, way.ran)
				}
			})
		}
	}
}

// Verify that one attempt that may have run is not forgotten, whatever the next ones are.
func TestClientStaysUnsure(t *testing.T) {
	lost, refused, busy := failureNamed("reset after the call"), failureNamed("refused"), failureNamed("overloaded")
	gone := &failure{answer: envelope(errErrandGone, false)}
	for _, test := range []struct {
		name     string
		ways     []*failure
		want     string
		ran      bool
		requests int
	}{
		{"lost, then not found", []*failure{lost, gone}, "NOT_FOUND ", true, 2},
		{"lost, then refused", []*failure{lost, refused, refused}, "UNAVAILABLE outcome_unknown", true, 3},
		{"lost, then overloaded", []*failure{lost, busy, busy}, "UNAVAILABLE outcome_unknown", true, 3},
		{"refused, then not found", []*failure{refused, gone}, "NOT_FOUND ", false, 2},
		{"overloaded, then refused", []*failure{busy, busy, refused}, "UNAVAILABLE not_sent", false, 3},
		{"refused, then lost", []*failure{refused, refused, lost}, "UNAVAILABLE outcome_unknown", true, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFailing(t, ClientOptions{})
			f.begin(test.ways[0], 100)
			f.conn.wait = func(context.Context, time.Duration) error {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.way = test.ways[f.requests]
				return nil
			}
			_, err := f.client.Put(t.Context(), &errand{ID: "7"})
			if e := ErrorFrom(err); string(e.Code)+" "+e.Reason() != test.want || MayHaveRun(err) != test.ran || f.seen().requests != test.requests {
				t.Errorf("got %v (%s), %t after %d requests; want %s, %t after %d", err, e.Reason(), MayHaveRun(err), f.seen().requests, test.want,
					test.ran, test.requests)
			}
			if wrapped := fmt.Errorf("asking: %w", err); MayHaveRun(wrapped) != test.ran ||
				MayHaveRun(ErrorFrom(err).WithDetail("n", 1)) != test.ran {
				t.Error("MayHaveRun says something else of a copy")
			}
		})
	}
}

func failureNamed(name string) *failure {
	for i := range failures {
		if failures[i].name == name {
			return &failures[i]
		}
	}
	panic(name)
}

// Verify MayHaveRun of what is not sent, of declared errors, and of other errors.
func TestMayHaveRun(t *testing.T) {
	f := newFailing(t, ClientOptions{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	call := func(err error, ctx context.Context) error {
		f.begin(nil, 0)
		f.mu.Lock()
		f.err = err
		f.mu.Unlock()
		return second(f.client.Post(ctx, &errandBody{"a"}))
	}
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"declared with a reason", call(errErrandFull, t.Context()), false},
		{"declared without a reason", call(errErrandGone, t.Context()), false},
		{"declared with another reason", call(errErrandFull.WithReason("other"), t.Context()), true},
		{"declared with another status", call(errErrandGone.WithStatus(410), t.Context()), true},
		{"not declared", call(Errorf(CodeAlreadyExists, "m"), t.Context()), true},
		{"a bug", call(errors.New("m"), t.Context()), true},
		{"invalid", second(f.client.Get(t.Context(), &errand{})), false},
		{"no input", second(f.client.Get(t.Context(), nil)), false},
		{"ctx ended before", call(nil, ended), false},
		{"success", call(nil, t.Context()), true},
		{"no error of svc", io.EOF, true},
		{"a nil error of svc", (*Error)(nil), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := MayHaveRun(test.err); got != test.want {
				t.Errorf("%v: got %t", test.err, got)
			}
		})
	}
}

// Verify how long a client waits: as the server asks, or ever longer; and when it does not begin.
func TestClientWaits(t *testing.T) {
	status := func(status int, header ...string) *failure {
		return &failure{answer: page(status, false, "", header...)}
	}
	date := time.Now().Add(10 * time.Second).UTC().Format(http.TimeFormat)
	for _, test := range []struct {
		name     string
		way      *failure
		limit    time.Duration // of ctx; 0 for none
		least    []time.Duration
		most     []time.Duration
		requests int
	}{
		{"no header", status(503), 0, []time.Duration{0, 0, 0}, []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond}, 4},
		{"429", status(429), 0, []time.Duration{0, 0, 0}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, 4},
		{"seconds", status(503, "Retry-After", "7"), 0, []time.Duration{7 * time.Second}, []time.Duration{7700 * time.Millisecond}, 4},
		{"20 seconds", status(503, "Retry-After", "20"), 0, []time.Duration{20 * time.Second}, []time.Duration{20 * time.Second}, 4},
		{"a date", status(503, "Retry-After", date), 0, []time.Duration{5 * time.Second}, []time.Duration{11 * time.Second}, 4},
		{"a date that is over", status(503, "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"), 0, []time.Duration{0}, []time.Duration{0}, 4},
		{"no number", status(503, "Retry-After", "soon"), 0, []time.Duration{0}, []time.Duration{50 * time.Millisecond}, 4},
		{"a negative number", status(503, "Retry-After", "-1"), 0, []time.Duration{0}, []time.Duration{50 * time.Millisecond}, 4},
		{"21 seconds", status(503, "Retry-After", "21"), 0, nil, nil, 1},
		{"a number beyond all", status(503, "Retry-After", strings.Repeat("9", 30)), 0, nil, nil, 1},
		{"beyond the deadline", status(503, "Retry-After", "15"), 14 * time.Second, nil, nil, 1},
		{"before the deadline", status(503, "Retry-After", "1"), time.Hour, []time.Duration{time.Second}, []time.Duration{1100 * time.Millisecond}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFailing(t, ClientOptions{Attempts: 4})
			f.begin(test.way, 100)
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if test.limit > 0 {
				ctx, cancel = context.WithTimeout(ctx, test.limit)
			}
			defer cancel()
			if _, err := f.client.Get(ctx, &errand{ID: "7"}); err == nil || f.seen().requests != test.requests || len(f.waits) != test.requests-1 {
				t.Errorf("%v after %d requests and %v, want %d", err, f.seen().requests, f.waits, test.requests)
			}
			for i := range test.least {
				if got := f.waits[i]; got < test.least[i] || got > test.most[i] {
					t.Errorf("wait %d is %v, want %v to %v", i, got, test.least[i], test.most[i])
				}
			}
		})
	}
}

// Verify that no wait is longer than the longest, however often a call is sent, and that Attempts
// is how often.
func TestClientAttempts(t *testing.T) {
	for attempts, want := range map[int]int{0: 3, 1: 1, 2: 2, 30: 30} {
		t.Run(fmt.Sprint(attempts), func(t *testing.T) {
			f := newFailing(t, ClientOptions{Attempts: attempts})
			f.begin(failureNamed("429 of a proxy"), 100)
			if _, err := f.client.Get(t.Context(), &errand{ID: "7"}); err == nil || f.seen().requests != want {
				t.Errorf("%v after %d requests, want %d", err, f.seen().requests, want)
			}
			for _, d := range f.waits {
				if d > maxPause {
					t.Errorf("a wait of %v", d)
				}
			}
		})
	}
	var none struct{}
	if err := Connect[errandAPI](&none, "http://x", &ClientOptions{Attempts: -1}); err == nil ||
		!strings.Contains(err.Error(), "ClientOptions.Attempts is -1; give how often") {
		t.Error(err)
	}
}

// Verify that a client sends at most 35 repetitions while nothing succeeds, that 14 calls that
// succeed at once pay for one more, and that a repetition that succeeds costs nothing.
func TestClientBudget(t *testing.T) {
	f := newFailing(t, ClientOptions{})
	down := failureNamed("503 of a proxy")
	call := func(calls, fails int) (repetitions int) {
		f.mu.Lock()
		f.way, f.requests = down, 0
		f.mu.Unlock()
		for range calls {
			f.mu.Lock()
			f.fails = f.requests + fails
			f.mu.Unlock()
			f.client.Get(t.Context(), &errand{ID: "7"})
		}
		return f.seen().requests - calls
	}
	if n := call(100, 100); n != 35 {
		t.Errorf("%d repetitions in an outage, want 35", n)
	}
	for _, test := range []struct{ successes, want int }{{3, 0}, {1, 1}, {13, 0}, {1, 1}, {1000, 35}} { // 10 tokens are left at first
		call(test.successes, 0)
		if n := call(100, 100); n != test.want {
			t.Errorf("%d repetitions after %d calls that succeeded, want %d", n, test.successes, test.want)
		}
	}
	call(14, 0)
	if n := call(50, 1); n != 50 {
		t.Errorf("%d of 50 calls were repeated, although each repetition succeeded", n)
	}
}

// Verify that a call ends with ctx while it waits, and what it then says.
func TestClientWaitEnds(t *testing.T) {
	for _, test := range []struct {
		way  string
		want string
		ran  bool
	}{
		{"503 of a proxy", "CANCELED outcome_unknown", true},
		{"refused", "CANCELED not_sent", false},
		{"overloaded", "CANCELED ", false},
	} {
		t.Run(test.way, func(t *testing.T) {
			f := newFailing(t, ClientOptions{})
			f.begin(failureNamed(test.way), 100)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f.conn.wait = func(ctx context.Context, _ time.Duration) error { cancel(); return waitFor(ctx, time.Hour) }
			_, err := f.client.Get(ctx, &errand{ID: "7"})
			if e := ErrorFrom(err); string(e.Code)+" "+e.Reason() != test.want || MayHaveRun(err) != test.ran ||
				!errors.Is(err, context.Canceled) || f.seen().requests != 1 {
				t.Errorf("got %v (%s), %t after %d requests", err, e.Reason(), MayHaveRun(err), f.seen().requests)
			}
		})
	}
}

// Verify that cookies of a jar are not sent twice in a repetition.
func TestClientRepeatsCookies(t *testing.T) {
	jar, _ := cookiejar.New(nil)
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Cookie"))
		w.WriteHeader(503)
	}))
	defer server.Close()
	at, _ := url.Parse(server.URL)
	jar.SetCookies(at, []*http.Cookie{{Name: "a", Value: "1"}})
	var client errandClient
	c := connectWith(t, &client, reflect.TypeFor[errandAPI](), server.URL,
		ClientOptions{Service: errandOptions(), HTTPClient: &http.Client{Jar: jar}})
	c.wait = func(context.Context, time.Duration) error { return nil }
	client.Get(t.Context(), &errand{ID: "7"})
	if got := strings.Join(sent, ", "); got != "a=1, a=1, a=1" {
		t.Errorf("the cookies are %s", got)
	}
	http.DefaultClient.CloseIdleConnections()
}

type uploadAPI interface {
	Put(context.Context, *uploadIn) (*uploadSize, error)
}

type (
	uploadIn   struct{ Content Body }
	uploadSize struct {
		Text string `json:"text"`
	}
)

type uploads struct{}

func (uploads) Put(_ context.Context, in *uploadIn) (*uploadSize, error) {
	text, err := io.ReadAll(in.Content)
	return &uploadSize{string(text)}, err
}

// A closing is a content that tells when it is closed.
type closing struct {
	io.ReadSeeker
	closed chan bool
}

func newClosing(text string) *closing { return &closing{strings.NewReader(text), make(chan bool, 10)} }

func (c *closing) Close() error { c.closed <- true; return nil }

// An unseekable is a content that cannot seek.
type unseekable struct{ io.Reader }

// Verify that a Body is sent again if nothing of it was read, whether it can seek or not, and never
// else; and that the content is closed once, at the end.
func TestClientRepeatsBody(t *testing.T) {
	for _, test := range []struct {
		name    string
		content func(*closing) io.Reader
		size    int64 // -1 to leave it out
		fails   int
		reads   int64  // how many bytes an attempt reads that fails
		want    string // what the server got, or the code of the error
		sent    int
	}{
		{"at once", func(c *closing) io.Reader { return c }, 0, 0, 0, "middle", 1},
		{"again", func(c *closing) io.Reader { return c }, -1, 2, 0, "middle", 3},
		{"without a size", func(c *closing) io.Reader { return c }, -1, 2, 0, "middle", 3},
		{"in vain", func(c *closing) io.Reader { return c }, -1, 3, 0, "UNAVAILABLE", 3},
		{"cannot seek", func(c *closing) io.Reader { return unseekable{c} }, -1, 2, 0, "middle", 3},
		{"a byte was read", func(c *closing) io.Reader { return c }, 0, 1, 1, "UNAVAILABLE", 1},
		{"all was read", func(c *closing) io.Reader { return unseekable{c} }, -1, 1, 100, "UNAVAILABLE", 1},
		{"nothing", func(*closing) io.Reader { return nil }, 0, 2, 1, "", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			sent, handler := 0, MustRegister[uploadAPI](uploads{}, &Options{Methods: map[string]MethodOptions{"Put": {HTTP: "PUT /upload"}}}).REST()
			content := newClosing("before middle")
			content.Seek(7, io.SeekStart)
			in := &uploadIn{Content: NewBody(test.content(content), "text/plain")}
			if test.size < 0 {
				in.Content.Size = -1
			}
			var client struct {
				Put func(context.Context, *uploadIn) (*uploadSize, error)
			}
			c := connectWith(t, &client, reflect.TypeFor[uploadAPI](), "",
				ClientOptions{Service: &Options{Methods: map[string]MethodOptions{"Put": {HTTP: "PUT /upload"}}},
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if sent++; sent <= test.fails {
							io.CopyN(io.Discard, r.Body, test.reads)
							w.WriteHeader(503)
							return
						}
						handler.ServeHTTP(w, r)
					})})
			c.wait = func(context.Context, time.Duration) error {
				if len(content.closed) > 0 {
					t.Error("the content is closed before the last attempt")
				}
				return nil
			}
			out, err := client.Put(t.Context(), in)
			got := string(CodeOf(err))
			if err == nil {
				got = out.Text
			}
			if test.content(content) == io.Reader(content) {
				<-content.closed
			}
			if got != test.want || sent != test.sent || len(content.closed) > 0 {
				t.Errorf("got %q, %v after %d requests; want %q, %d; closed %d times more", got, err, sent, test.want, test.sent, len(content.closed))
			}
		})
	}
}

// A holder is a RoundTripper that keeps the bodies of requests, which it does not read in time.
type holder struct{ bodies chan io.ReadCloser }

func (h holder) RoundTrip(r *http.Request) (*http.Response, error) {
	h.bodies <- r.Body
	return &http.Response{StatusCode: 503, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// Verify that a transport which has not begun to read when its request is given up gets no byte.
func TestClientTakesBodyBack(t *testing.T) {
	h := holder{make(chan io.ReadCloser, 3)}
	var client struct {
		Put func(context.Context, *uploadIn) (*uploadSize, error)
	}
	options := &Options{Methods: map[string]MethodOptions{"Put": {HTTP: "PUT /upload"}}}
	c := connectWith(t, &client, reflect.TypeFor[uploadAPI](), "http://x",
		ClientOptions{Service: options, HTTPClient: &http.Client{Transport: h}})
	c.wait = func(context.Context, time.Duration) error { return nil }
	content := newClosing("0123456789")
	_, err := client.Put(t.Context(), &uploadIn{Content: NewBody(content, "text/plain")})
	if CodeOf(err) != CodeUnavailable || len(h.bodies) != 3 || len(content.closed) != 1 {
		t.Fatalf("%v after %d requests, closed %d times", err, len(h.bodies), len(content.closed))
	}
	for range 3 {
		body := <-h.bodies
		if text, err := io.ReadAll(body); len(text) > 0 || err != errBodyLeft {
			t.Errorf("%q, %v", text, err)
		}
		body.Close()
	}
	if len(content.closed) != 1 {
		t.Error("the content was closed more than once")
	}
}

// FuzzRetryAfter verifies that no value of Retry-After is a negative wait or one that overflows.
func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"", "0", "1", "-1", "+1", "20", "1e9", "99999999999999999999", "Mon, 02 Jan 2006 15:04:05 GMT",
		"Fri, 31 Dec 9999 23:59:59 GMT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := &Error{sentParts: sentParts{header: http.Header{"Retry-After": {text}}}}
		d := e.retryAfter()
		if d < 0 && d != -1 {
			t.Fatalf("%q is %v", text, d)
		}
		var n json.Number
		if json.Unmarshal([]byte(text), &n) == nil && strings.Trim(text, "0123456789") == "" && text != "" && d < 0 {
			t.Fatalf("%q is no wait", text)
		}
	})
}

// Verify that the content of an upload is closed once, whoever ends first.
func TestUploadsAreClosedOnce(t *testing.T) {
	read := func(b *clientBody) { b.Read(make([]byte, 1)) }
	for _, row := range []struct {
		name string
		end  func(b *clientBody, r *http.Request)
	}{
		{"unread, by the call", func(b *clientBody, r *http.Request) { b.Close(); endUpload(r); b.Close(); endUpload(r) }},
		{"unread, then closed", func(b *clientBody, r *http.Request) { endUpload(r); b.Close() }},
		{"read, by the transport", func(b *clientBody, r *http.Request) { read(b); b.Close(); endUpload(r); b.Close() }},
		{"read, by the transport later", func(b *clientBody, r *http.Request) { read(b); endUpload(r); b.Close() }},
		{"given up, and not sent again", func(b *clientBody, r *http.Request) { canSendAgain(r); read(b); b.Close(); endUpload(r) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			content := newClosing("text")
			b := newClientBody(Body{content: content})
			row.end(b, &http.Request{Body: b})
			if len(content.closed) != 1 {
				t.Errorf("closed %d times", len(content.closed))
			}
		})
	}
}
