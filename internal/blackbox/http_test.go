package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file is what all transports do with requests and responses: the time of
// answers, pages of other sites, limits and the log.

// LateAPI has the answers that there are, each after the server's WriteTimeout.
type LateAPI interface {
	Answer(context.Context) (*lateOut, error)
	Fail(context.Context) error
	Quiet(context.Context) error
	Panic(context.Context) error
	Watch(context.Context) (svc.Stream[lateOut], error)
}

type lateOut struct {
	Text string `json:"text"`
}

type late struct{ time time.Duration }

// wait waits, or reports that the client has gone.
func (l late) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(l.time):
		return nil
	}
}

func (l late) Answer(ctx context.Context) (*lateOut, error) { return &lateOut{"late"}, l.wait(ctx) }
func (l late) Quiet(ctx context.Context) error              { return l.wait(ctx) }
func (l late) Panic(ctx context.Context) error              { panic(l.wait(ctx)) }

func (l late) Fail(ctx context.Context) error {
	return errors.Join(l.wait(ctx), svc.Errorf(svc.CodeNotFound, "late"))
}

func (l late) Watch(ctx context.Context) (svc.Stream[lateOut], error) {
	return func(yield func(*lateOut, error) bool) { yield(&lateOut{"late"}, l.wait(ctx)) }, l.wait(ctx)
}

// Verify that the answer of a method that takes longer than the WriteTimeout of
// the server arrives, over each transport and version of HTTP, whatever it is.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	const timeout = 800 * time.Millisecond // as a busy machine may need to begin a call
	service := svc.MustRegister[LateAPI](late{timeout + timeout/3}, &svc.Options{Resource: "late", Logger: slog.New(slog.DiscardHandler)})
	problems := svc.MustRegister[LateAPI](late{timeout + timeout/3}, &svc.Options{Resource: "late", Logger: slog.New(slog.DiscardHandler), OnError: svc.WriteProblem})
	mux := http.NewServeMux()
	mux.Handle("/", service.REST())
	mux.Handle("/rpc", service.RPC())
	mux.Handle("/mcp", service.MCP(nil))
	mux.Handle("/problems/", problems.At("/problems").REST())
	tool := func(name string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"late_` + name + `"}}`
	}
	var rows []func() // which wait for requests that are all sent first, since most of their time they wait
	for _, http2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(mux)
		srv.Config.WriteTimeout = timeout
		srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		protocols := new(http.Protocols)
		protocols.SetHTTP1(!http2)
		protocols.SetUnencryptedHTTP2(http2) // the timeout would cover a TLS handshake too
		srv.Config.Protocols = protocols
		srv.Start()
		srv.Client().Transport.(*http.Transport).Protocols = protocols
		t.Cleanup(srv.Close)
		for _, test := range []struct {
			path, body string
			want       string // in the answer
		}{
			{"/late/answer", "", `200 {"text":"late"}`},
			{"/late/fail", "", `404 {"error":{"code":"NOT_FOUND","message":"late"}}`},
			{"/late/quiet", "", "204 "},
			{"/late/panic", "", "500 " + failInternal},
			{"/late/watch", "", "event: done"},
			{"/problems/late/fail", "", `404 {"type":"about:blank"`},
			{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"late.answer"}`, `"result":{"text":"late"}`},
			{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"late.fail"}`, `"message":"late"`},
			{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"late.watch"}`, `"items":[{"text":"late"}]`},
			{"/rpc", `{"jsonrpc":"2.0","method":"late.quiet"}`, "204 "},
			{"/rpc", `[{"jsonrpc":"2.0","id":1,"method":"late.answer"}]`, `"result":{"text":"late"}`},
			{"/mcp", tool("answer"), `{\"text\":\"late\"}`},
			{"/mcp", tool("fail"), "NOT_FOUND: late"},
			{"/mcp", tool("panic"), "internal error"},
		} {
			var got string
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				got, err = lateAnswer(srv, test.path, test.body)
			}()
			rows = append(rows, func() {
				t.Run(rowName("HTTP/2", http2, test.path, test.body), func(t *testing.T) {
					if <-done; err != nil || !strings.Contains(got, test.want) {
						t.Errorf("got %s, %v; want %s", got, err, test.want)
					}
				})
			})
		}
	}
	for _, run := range rows {
		run()
	}
}

// lateAnswer returns the status and the body of the answer to a POST.
func lateAnswer(srv *httptest.Server, path, body string) (string, error) {
	r, err := http.NewRequest("POST", srv.URL+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w, err := srv.Client().Do(r)
	if err != nil {
		return "", err
	}
	defer w.Body.Close()
	answer, err := io.ReadAll(w.Body)
	if http2 := srv.Config.Protocols.UnencryptedHTTP2(); w.ProtoMajor == 2 != http2 {
		err = fmt.Errorf("the answer is by %s", w.Proto)
	}
	return fmt.Sprint(w.StatusCode, " ", string(answer)), err
}

// Verify which requests of web pages call a method.
func TestPostsOfOtherSitesAreRejected(t *testing.T) {
	const (
		asJSON = "Content-Type: application/json"
		form   = "Content-Type: application/x-www-form-urlencoded"
		cross  = "Sec-Fetch-Site: cross-site"
	)
	for _, test := range []struct {
		header string // lines
		json   int    // the status where a body is JSON
		form   int    // where a method has no input
	}{
		{"", 200, 204},
		{asJSON, 200, 204},
		{form, 415, 204},
		{asJSON + "\n" + cross, 200, 204},
		{"Content-Type: application/json; charset=utf-8\n" + cross, 200, 204},
		{"Content-Type: application/merge-patch+json\n" + cross, 200, 204},
		{cross, 403, 403},
		{form + "\n" + cross, 403, 403},
		{"Content-Type: text/plain\n" + cross, 403, 403},
		{"Content-Type: text/plain;application/json\n" + cross, 403, 403},
		{"Content-Type: \n" + cross, 403, 403},
		{"Content-Type: multipart/form-data; boundary=x\n" + cross, 403, 403},
		{asJSON + "\n" + form + "\n" + cross, 403, 403},
		{"Sec-Fetch-Site: same-site", 403, 403},
		{"Sec-Fetch-Site: same-origin", 200, 204},
		{"Sec-Fetch-Site: none", 200, 204},
		{"Sec-Fetch-Site: other", 403, 403},
		{"Sec-Fetch-Site: none\n" + cross, 403, 403},
		{"Sec-Fetch-Site: same-origin\nOrigin: https://evil.example", 200, 204}, // a proxy has changed Host
		{cross + "\nOrigin: http://svc.test", 403, 403},
		{"Origin: http://svc.test", 200, 204},
		{"Origin: https://SVC.test", 200, 204},
		{"Origin: http://svc.test:8080", 403, 403},
		{"Origin: http://evil.example", 403, 403},
		{"Origin: http://svc.test.evil.example", 403, 403},
		{"Origin: null", 403, 403},
		{"Origin: ", 403, 403},
		{"Origin: http://svc.test\nOrigin: http://evil.example", 403, 403},
		{asJSON + "\nOrigin: null", 200, 204},
	} {
		t.Run(rowName(test.header), func(t *testing.T) {
			s, store := newWire(t, wireOptions())
			mux := http.NewServeMux()
			mux.Handle("/rpc", s.RPC())
			s.Mount(mux)
			call := wireDirect(mux)
			for _, q := range []struct {
				line, body string
				want       int
			}{
				{"POST /items", `{"title":"a"}`, test.json},
				{"POST /items/ping", "a=b", test.form},
				{"POST /rpc", `{"jsonrpc":"2.0","id":1,"method":"items.ping"}`, test.json},
				{"PUT /items/1", `{"title":"a"}`, -1}, // a browser asks first
				{"DELETE /items/17", "", 404},
				{"GET /items/1", "", 200},
			} {
				if q.want < 0 {
					if q.want = test.json; q.want == 403 {
						q.want = wireFormStatus(test.header)
					}
				}
				store.calls.Store(0)
				header := test.header
				if header == "" {
					header = "-"
				}
				a := call(t, wireRequest{q.line, header, q.body})
				if a.status != q.want {
					t.Errorf("%s with %q = %d %s, want %d", q.line, test.header, a.status, a.body, q.want)
				}
				if a.status == 403 && (!strings.Contains(a.body, "PERMISSION_DENIED") || store.calls.Load() > 0) {
					t.Errorf("%s with %q: %d calls, %s", q.line, test.header, store.calls.Load(), a.body)
				}
			}
		})
	}
}

// wireFormStatus returns the status of a request with a body for a header, if it
// does not matter who sends it.
func wireFormStatus(header string) int {
	if !strings.Contains(header, "Content-Type: ") || strings.HasPrefix(header, "Content-Type: \n") {
		return 200
	}
	return 415
}

// Verify that what is logged of a request is short, whatever its length.
func TestLogIsShort(t *testing.T) {
	var log bytes.Buffer
	opts := wireOptions()
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	opts.Intercept = func(svc.InvokeFunc) svc.InvokeFunc {
		return func(context.Context, string, string, any) (any, error) {
			return nil, svc.Errorf(svc.CodeNotFound, "%s", strings.Repeat("é", 1<<20))
		}
	}
	s, _ := newWire(t, opts)
	long := strings.Repeat("a", 900<<10)
	for _, test := range []struct {
		name      string
		h         http.Handler
		line      string
		max       int
		part, cut string
	}{
		{"REST path", s.REST(), "GET /" + long, 1 << 10, "path=/aaa", "aaa… code"},
		{"REST path and message", s.REST(), "GET /items/" + long, 4 << 10, "path=/items/aaa", "éé…"},
		{"RPC path", s.RPC(), "GET /" + long, 1 << 10, "path=/aaa", "aaa… code"},
		{"MCP path", s.MCP(nil), "PUT /" + long, 1 << 10, "path=/aaa", "aaa… code"},
		{"OpenAPI path", s.OpenAPI(), "PUT /" + long, 1 << 10, "path=/aaa", "aaa… code"},
		{"REST verb", s.REST(), strings.ToUpper(long) + " /", 1 << 10, "method=AAA", "AAA… path"},
		{"panic of Handle", svc.Handle(func(http.ResponseWriter, *http.Request) error { panic(long) }, &svc.ErrorOptions{Logger: opts.Logger}), "GET /", 16 << 10, "panic: aaa", "aaa…"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			wireDirect(test.h)(t, wireRequest{line: test.line})
			got := log.String()
			if n := len(got); n > test.max || !strings.Contains(got, test.part) || !strings.Contains(got, test.cut) {
				t.Errorf("%.40s: %d bytes of log: %.1000s", test.line, n, got)
			}
		})
	}
}

// Verify that the largest MaxBody that there is allows any body, and so does none.
func TestLargestMaxBody(t *testing.T) {
	for _, size := range []int64{math.MaxInt64, -1} {
		opts := wireOptions()
		opts.MaxBody = size
		s, store := newWire(t, opts)
		for _, path := range []string{"/items", "/items/ping"} {
			store.calls.Store(0)
			body := strings.NewReader(wholeBody)
			r := httptest.NewRequest("POST", path, body)
			r.ContentLength = -1
			w := httptest.NewRecorder()
			s.REST().ServeHTTP(w, r)
			if w.Code/100 != 2 || body.Len() > 0 || store.calls.Load() != 1 {
				t.Errorf("MaxBody %d, %s: %d %s, %d bytes of the body left", size, path, w.Code, w.Body, body.Len())
			}
		}
	}
}

// Verify that the document does not wait for a body that nobody reads.
func TestOpenAPIStalledBody(t *testing.T) {
	t.Parallel()
	opts := wireOptions()
	opts.BodyTimeout = -1
	s, _ := newWire(t, opts)
	srv := wireServer(t, s.OpenAPI(), false)
	for _, test := range []struct {
		line   string
		status int
	}{{"GET /", 200}, {"GET /?openapi=3.1", 200}, {"GET /?openapi=4", 400}, {"POST /", 405}} {
		t.Run(rowName(test.line), func(t *testing.T) {
			for _, rest := range []string{withLength(1000, "{"), chunked("")} {
				conn := wireDial(t, srv.Listener.Addr().String())
				conn.send(wireHead(test.line) + rest)
				if a := conn.answer(t); a.status != test.status || a.header.Get("Connection") != "close" {
					t.Errorf("%s: %d, Connection %q", test.line, a.status, a.header.Get("Connection"))
				}
			}
		})
	}
}

// GreetAPI answers in the language that a header or a cookie names.
type GreetAPI interface {
	Get(ctx context.Context, in *greetIn) (*greeting, error)
	List(ctx context.Context, in *greetIn) (svc.Stream[greeting], error)
	Search(ctx context.Context) (*greeting, error)
	Create(ctx context.Context, in *greetIn) (*greeting, error)
}

type (
	greetIn struct {
		ID    string `json:"id"`
		Lang  string `json:"-" header:"x-language,omitempty"`
		Theme string `json:"-" cookie:"theme,omitempty" enum:"light,dark"`
	}
	greeting struct {
		Text string   `json:"text"`
		ETag string   `json:"-" header:"ETag"`
		Vary []string `json:"-" header:"Vary"`
	}
	greeter struct{}
)

func (greeter) Get(_ context.Context, in *greetIn) (*greeting, error) {
	if in.ID == "none" {
		return nil, svc.Errorf(svc.CodeNotFound, "nobody")
	}
	return &greeting{"hello " + in.Lang, `"1"`, []string{"X-Own", "Cookie"}}, nil
}

func (greeter) List(context.Context, *greetIn) (svc.Stream[greeting], error) {
	return func(func(*greeting, error) bool) {}, nil
}

func (greeter) Search(context.Context) (*greeting, error) { return &greeting{ETag: `"1"`}, nil }

func (greeter) Create(_ context.Context, in *greetIn) (*greeting, error) {
	return &greeting{ETag: `"1"`}, nil
}

// Verify that Vary names the headers that the answer to a GET depends on, whatever the
// answer is, beside what an output and middleware say: otherwise a cache gives the
// answer in French to everybody.
func TestVaryNamesWhatAnswersDependOn(t *testing.T) {
	s := svc.MustRegister[GreetAPI](greeter{}, &svc.Options{Resource: "g", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"List": {HTTP: "GET /g/{id}/list"}, "Search": {HTTP: "GET /g"},
	}})
	h := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}})(s.REST())
	for _, test := range []struct{ request, header, want string }{
		{"GET /g/1", "", "200 Origin, X-Language, Cookie, X-Own, Cookie"},
		{"HEAD /g/1", "", "200 Origin, X-Language, Cookie, X-Own, Cookie"},
		{"GET /g/1", `If-None-Match: "1"`, "304 Origin, X-Language, Cookie, X-Own, Cookie"},
		{"GET /g/none", "", "404 Origin, X-Language, Cookie"},
		{"GET /g/1", "Cookie: theme=blue", "400 Origin, X-Language, Cookie"},
		{"GET /g/1/list", "", "200 Origin, X-Language, Cookie"},
		{"GET /g", "", "200 Origin"},
		{"POST /g", "", "200 Origin"},
	} {
		t.Run(rowName(test.request, test.header), func(t *testing.T) {
			method, path, _ := strings.Cut(test.request, " ")
			body := ""
			if method == "POST" {
				body = `{"id":"1"}`
			}
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if name, value, ok := strings.Cut(test.header, ": "); ok {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := fmt.Sprint(w.Code, " ", strings.Join(w.Header()["Vary"], ", ")); got != test.want {
				t.Errorf("%s %s: %s\nwant %s", test.request, test.header, got, test.want)
			}
		})
	}
}
