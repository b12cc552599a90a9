package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file tests what clients get to know of errors, and what the log does.

// FailAPI fails in every way that a service can.
type FailAPI interface {
	Do(context.Context, *FailIn) (*FailOut, error)
	Drop(context.Context, *FailIn) error
}

type FailIn struct {
	How   string    `json:"how"`
	Text  *FailText `json:"text,omitempty"`
	JSON  *FailJSON `json:"json,omitempty"`
	Inner *FailSub  `json:"inner,omitempty"`
}

type FailOut struct {
	N    float64   `json:"n"`
	JSON *FailJSON `json:"json,omitempty"`
}

type FailSub struct {
	How string `json:"how"`
}

func (s *FailSub) Validate() error { return failAs(s.How) }

type FailText string

func (s *FailText) UnmarshalText(text []byte) error { return failAs(string(text)) }
func (s FailText) MarshalText() ([]byte, error)     { return []byte(s), nil }

type FailJSON struct{ how string }

func (j *FailJSON) UnmarshalJSON(text []byte) error { return failAs(strings.Trim(string(text), `"`)) }
func (j FailJSON) MarshalJSON() ([]byte, error)     { return []byte("1"), failAs(j.how) }

// A failError is an error that the application forgot to make: its methods
// panic, as those of any nil pointer to a struct do.
type failError struct{ inner error }

func (e *failError) Error() string { return e.inner.Error() }
func (e *failError) Unwrap() error { return e.inner }

var (
	errFail      = errors.New("secret: the disk is full")
	errFailLocal = svc.Errorf(svc.CodeNotFound, "no such thing").WithCause(errFail)
)

// failAs fails in one way. Whatever has the word secret in it is not for clients.
func failAs(how string) error {
	switch how {
	case "plain":
		return errFail
	case "wrapped":
		return fmt.Errorf("secret place: %w", errFail)
	case "cause":
		return errFailLocal
	case "public inside":
		return fmt.Errorf("secret place: %w", errFailLocal)
	case "%w":
		return svc.Errorf(svc.CodeAborted, "try again: %w", errFail)
	case "internal":
		return svc.Errorf(svc.CodeInternal, "secret message").WithDetail("ticket", "T-17")
	case "unknown":
		return svc.Errorf(svc.CodeUnknown, "secret message")
	case "data loss":
		return svc.Errorf(svc.CodeDataLoss, "secret message")
	case "no such code":
		return svc.Errorf("SECRET_CODE", "secret message")
	case "OK":
		return svc.Errorf(svc.CodeOK, "secret message")
	case "nil *Error":
		var e *svc.Error
		return e
	case "nil error of its own":
		var e *failError
		return e
	case "nil error inside":
		return svc.Errorf(svc.CodeAborted, "try again: %w", (*failError)(nil))
	case "error whose text panics":
		return &failError{}
	case "deadline":
		return fmt.Errorf("secret place: %w", context.DeadlineExceeded)
	case "canceled":
		return fmt.Errorf("secret place: %w", context.Canceled)
	case "details":
		return svc.Errorf(svc.CodeFailedPrecondition, "not now").WithDetails(map[string]any{"z": 1, "a": "x", "bad": math.NaN(), "m": []int{1}})
	case "panic":
		panic("secret panic")
	case "panic with an error":
		panic(errFail)
	case "panic with a public error":
		panic(errFailLocal)
	case "panic with nil":
		panic(nil)
	case "nil map":
		nilMap()["secret"] = 1
	case "abort":
		panic(http.ErrAbortHandler)
	}
	return nil
}

// nilMap hides from linters what writing to its result does.
func nilMap() map[string]int { return nil }

type failService struct{}

func (failService) Do(ctx context.Context, in *FailIn) (*FailOut, error) {
	if info, ok := svc.InfoFrom(ctx); ok && info.Header != nil {
		// For the answer that it means to give.
		for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Content-Encoding", "X-Kept"} {
			info.Header.Set(name, "secret")
		}
	}
	switch in.How {
	case "nil output":
		return nil, nil
	case "NaN":
		return &FailOut{N: math.NaN()}, nil
	case "infinite":
		return &FailOut{N: math.Inf(-1)}, nil
	}
	if how, ok := strings.CutPrefix(in.How, "encode "); ok {
		return &FailOut{JSON: &FailJSON{how}}, nil
	}
	return &FailOut{}, failAs(in.How)
}

func (failService) Drop(_ context.Context, in *FailIn) error { return failAs(in.How) }

type failKey struct{}

// A failLog is a handler of package slog that says of each record what the
// context says of the request.
type failLog struct {
	slog.Handler
	mu  *sync.Mutex
	out *bytes.Buffer
}

func newFailLog() failLog {
	out := new(bytes.Buffer)
	return failLog{slog.NewJSONHandler(out, nil), new(sync.Mutex), out}
}

func (l failLog) Handle(ctx context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, ok := ctx.Value(failKey{}).(string); ok {
		r.AddAttrs(slog.String("request", id))
	}
	return l.Handler.Handle(ctx, r)
}

// flush returns what was logged since the last call.
func (l failLog) flush() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.out.Reset()
	return l.out.String()
}

// failHandler serves FailAPI, and puts what the log wants into the context.
func failHandler(t testing.TB, log failLog, onError svc.ErrorWriter) http.Handler {
	t.Helper()
	s, err := svc.Register[FailAPI](failService{}, &svc.Options{Resource: "fail", Logger: slog.New(log), OnError: onError})
	if err != nil {
		t.Fatal(err)
	}
	next := s.REST()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), failKey{}, "R-4711")))
	})
}

const (
	failInternal = `{"error":{"code":"INTERNAL","message":"internal error"}}`
	failUnknown  = `{"error":{"code":"UNKNOWN","message":"unknown error"}}`
	failInvalid  = `{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: %s","details":{"violations":[{"in":"body","path":"%s","rule":"%s","message":"%s"}]}}}`
)

func invalid(path, rule, message string) string {
	return fmt.Sprintf(failInvalid, path+" "+message, path, rule, message)
}

// Verify that clients get what an error says to them and nothing more, that the log
// gets the rest, with the request, and that an error response has no header of the
// answer that the method began.
func TestErrorsKeepSecretsFromClients(t *testing.T) {
	log := newFailLog()
	call := wireDirect(failHandler(t, log, nil))
	how := func(how string) string { return `{"how":"` + how + `"}` }
	field := func(name, how string) string { return `{"how":"","` + name + `":` + how + `}` }
	for _, test := range []struct {
		name   string
		body   string
		status int
		answer string
		level  string
		logged string // part of the log
	}{
		{"plain error", how("plain"), 500, failInternal, "ERROR", "secret: the disk is full"},
		{"wrapped error", how("wrapped"), 500, failInternal, "ERROR", "secret place: secret: the disk is full"},
		{"public error with a cause", how("cause"), 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, "WARN", "secret: the disk is full"},
		{"public error inside another", how("public inside"), 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, "WARN", "secret place: "},
		{"cause in the text", how("%w"), 409, `{"error":{"code":"ABORTED","message":"try again"}}`, "WARN", "secret: the disk is full"},
		{"internal error with a message", how("internal"), 500, `{"error":{"code":"INTERNAL","message":"internal error","details":{"ticket":"T-17"}}}`, "ERROR", "secret message"},
		{"unknown error with a message", how("unknown"), 500, failUnknown, "ERROR", "secret message"},
		{"data loss with a message", how("data loss"), 500, `{"error":{"code":"DATA_LOSS","message":"data loss"}}`, "ERROR", "secret message"},
		{"code that does not exist", how("no such code"), 500, failUnknown, "ERROR", "secret message"},
		{"code OK", how("OK"), 500, failUnknown, "ERROR", "secret message"},
		{"nil *Error", how("nil *Error"), 500, failInternal, "ERROR", "nil *svc.Error"},
		{"nil error of another type", how("nil error of its own"), 500, failInternal, "ERROR", "an error that is a nil *blackbox_test.failError"},
		{"nil error inside a public one", how("nil error inside"), 500, failInternal, "ERROR", "nil pointer dereference"},
		{"error whose text panics", how("error whose text panics"), 500, failInternal, "ERROR", "nil pointer dereference"},
		{"deadline", how("deadline"), 504, `{"error":{"code":"DEADLINE_EXCEEDED","message":"the call took too long"}}`, "ERROR", "secret place: "},
		{"canceled", how("canceled"), 499, `{"error":{"code":"CANCELED","message":"the call was canceled"}}`, "WARN", "secret place: "},
		{"details", how("details"), 400, `{"error":{"code":"FAILED_PRECONDITION","message":"not now","details":{"a":"x","m":[1],"z":1}}}`, "WARN", "not now"},
		{"panic", how("panic"), 500, failInternal, "ERROR", "panic: secret panic"},
		{"panic with an error", how("panic with an error"), 500, failInternal, "ERROR", "panic: secret: the disk is full"},
		{"panic with a public error", how("panic with a public error"), 500, failInternal, "ERROR", "panic: NOT_FOUND: no such thing: secret"},
		{"panic with nil", how("panic with nil"), 500, failInternal, "ERROR", "panic called with nil"},
		{"write to a nil map", how("nil map"), 500, failInternal, "ERROR", "assignment to entry in nil map"},
		{"nil output", how("nil output"), 500, failInternal, "ERROR", "Do returned neither an output nor an error"},
		{"NaN in the output", how("NaN"), 500, failInternal, "ERROR", "NaN"},
		{"infinity in the output", how("infinite"), 500, failInternal, "ERROR", "-Inf"},
		{"MarshalJSON with a plain error", how("encode plain"), 500, failInternal, "ERROR", "secret: the disk is full"},
		{"MarshalJSON with a public error", how("encode cause"), 500, failInternal, "ERROR", "secret: the disk is full"}, // the call itself had succeeded
		{"MarshalJSON that panics", how("encode panic"), 500, failInternal, "ERROR", "panic: secret panic"},
		{"Validate with a plain error", field("inner", how("plain")), 400, invalid("/inner", "validate", "secret: the disk is full"), "WARN", "secret: the disk is full"}, // Validate speaks to clients
		{"Validate with a public error", field("inner", how("cause")), 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, "WARN", "secret: the disk is full"},
		{"Validate with an internal error", field("inner", how("internal")), 500, `{"error":{"code":"INTERNAL","message":"internal error","details":{"ticket":"T-17"}}}`, "ERROR", "secret message"},
		{"Validate that panics", field("inner", how("panic")), 500, failInternal, "ERROR", "panic: secret panic"},
		{"UnmarshalText with a plain error", field("text", `"plain"`), 400, invalid("/text", "type", "is not in the form that is expected here"), "WARN", "secret: the disk is full"},
		{"UnmarshalText with a public error", field("text", `"cause"`), 400, invalid("/text", "type", "no such thing"), "WARN", "secret: the disk is full"},
		{"UnmarshalText with an internal error", field("text", `"internal"`), 400, invalid("/text", "type", "is not in the form that is expected here"), "WARN", "secret message"},
		{"UnmarshalText that panics", field("text", `"nil map"`), 500, failInternal, "ERROR", "assignment to entry in nil map"},
		{"UnmarshalJSON with a plain error", field("json", `"plain"`), 400, invalid("/json", "type", "is not in the form that is expected here"), "WARN", "secret: the disk is full"},
		{"UnmarshalJSON that panics", field("json", `"panic"`), 500, failInternal, "ERROR", "panic: secret panic"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := call(t, post("/fail/do", test.body))
			if a.status != test.status || a.body != test.answer {
				t.Errorf("%s: %d %s\nwant %d %s", test.body, a.status, a.body, test.status, test.answer)
			}
			if !strings.Contains(test.body, `"inner":{"how":"plain"}`) {
				checkWireError(t, test.body, a)
			}
			for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Content-Encoding"} {
				if got := a.header.Get(name); got != "" {
					t.Errorf("%s: the error has %s: %s", test.body, name, got)
				}
			}
			checkFailLog(t, test.body, log.flush(), test.level, test.logged)
		})
	}
	if a := call(t, post("/fail/drop", `{"how":"panic"}`)); a.body != failInternal {
		t.Errorf("without an output: %d %s", a.status, a.body)
	}
	if a := call(t, post("/fail/do", `{"how":""}`)); a.status != 200 || a.body != `{"n":0}` || a.header.Get("Etag") != "secret" {
		t.Errorf("after all that: %d %s %v", a.status, a.body, a.header)
	}
}

// checkFailLog checks that the log is one record, that it says what happened
// and to whom, and that a panic shows where it was.
func checkFailLog(t *testing.T, name, log, level, logged string) {
	t.Helper()
	var record struct{ Level, Method, Path, Request, Call, Transport, Code, Error, Stack string }
	if err := json.Unmarshal([]byte(log), &record); err != nil {
		t.Errorf("%s: the log is not one record: %v: %q", name, err, log)
		return
	}
	if record.Level != level || !strings.Contains(record.Error, logged) {
		t.Errorf("%s: logged %s %q, want %s with %q", name, record.Level, record.Error, level, logged)
	}
	if record.Method != "POST" || record.Path != "/fail/do" || record.Request != "R-4711" || record.Call != "fail.do" || record.Transport != "rest" {
		t.Errorf("%s: the record is of another request: %+v", name, record)
	}
	if panicked := strings.HasPrefix(record.Error, "panic: "); panicked != strings.Contains(record.Stack, "rest_errors_test.go") {
		t.Errorf("%s: panicked is %t, the stack is %q", name, panicked, record.Stack)
	}
}

// Verify that a panic with http.ErrAbortHandler reaches net/http from every kind of
// application code, and is not logged.
func TestErrAbortHandlerReachesTheServer(t *testing.T) {
	log := newFailLog()
	abort := func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	for _, test := range []struct {
		name, body string
		onError    svc.ErrorWriter
	}{
		{"method", `{"how":"abort"}`, nil},
		{"MarshalJSON", `{"how":"encode abort"}`, nil},
		{"Validate", `{"how":"","inner":{"how":"abort"}}`, nil},
		{"UnmarshalText", `{"how":"","text":"abort"}`, nil},
		{"UnmarshalJSON", `{"how":"","json":"abort"}`, nil},
		{"OnError", `{"how":"cause"}`, abort},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := failHandler(t, log, test.onError)
			if v := failPanics(h, post("/fail/do", test.body)); v != http.ErrAbortHandler {
				t.Errorf("the handler panicked with %v", v)
			}
			if text := log.flush(); test.onError == nil && text != "" {
				t.Errorf("logged %s", text)
			}
			srv := wireServer(t, h, false)
			conn := wireDial(t, srv.Listener.Addr().String())
			conn.send(wireHead("POST /fail/do") + withLength(int64(len(test.body)), test.body))
			conn.mustClose(t, "the request") // without a byte
		})
	}
}

// failPanics returns what h panics with.
func failPanics(h http.Handler, q wireRequest) (v any) {
	defer func() { v = recover() }()
	verb, path, _ := strings.Cut(q.line, " ")
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(verb, path, strings.NewReader(q.body)))
	return nil
}

// Verify that OnError writes every error, and that svc writes the error if OnError
// panics or writes nothing.
func TestOnErrorWritesEveryError(t *testing.T) {
	notFound := `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`
	for _, test := range []struct {
		name    string
		onError svc.ErrorWriter
		q       wireRequest
		status  int
		answer  string
	}{
		{"nil", nil, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"WriteError", svc.WriteError, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"writes nothing", func(http.ResponseWriter, *http.Request, error) {}, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"only sets a header", func(w http.ResponseWriter, _ *http.Request, _ error) { w.Header().Set("Etag", "x") }, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"panics", func(http.ResponseWriter, *http.Request, error) { panic("secret") }, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"sends a status", func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(418) }, post("/fail/do", `{"how":"cause"}`), 418, ""},
		{"sends text", func(w http.ResponseWriter, _ *http.Request, err error) { io.WriteString(w, "sorry") }, post("/fail/do", `{"how":"cause"}`), 200, "sorry"},
		{"problem", svc.WriteProblem, post("/fail/do", `{"how":"cause"}`), 404,
			`{"type":"about:blank","title":"Not Found","status":404,"detail":"no such thing","instance":"/fail/do","code":"NOT_FOUND"}`},
		{"problem of an inner error", svc.WriteProblem, post("/fail/do", `{"how":"plain"}`), 500,
			`{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"internal error","instance":"/fail/do","code":"INTERNAL"}`},
		{"problem of a cancelled call", svc.WriteProblem, post("/fail/do", `{"how":"canceled"}`), 499,
			`{"type":"about:blank","title":"the call was canceled","status":499,"detail":"the call was canceled","instance":"/fail/do","code":"CANCELED"}`},
		{"problem with details", svc.WriteProblem, post("/fail/do", `{}`), 400,
			`{"type":"about:blank","title":"Bad Request","status":400,"detail":"invalid input: /how is required","instance":"/fail/do","code":"INVALID_ARGUMENT","details":{"violations":[{"in":"body","path":"/how","rule":"required","message":"is required"}]}}`},
		{"problem of no route", svc.WriteProblem, get("/%22secret%22/%ff"), 404,
			`{"type":"about:blank","title":"Not Found","status":404,"detail":"there is nothing at this path","instance":"/%22secret%22/%ff","code":"NOT_FOUND"}`},
		{"problem of no method", svc.WriteProblem, get("/fail/do"), 405,
			`{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"the method is not allowed here; allowed: POST","instance":"/fail/do","code":"UNIMPLEMENTED"}`},
		{"problem of a type", svc.WriteProblem, wireRequest{"POST /fail/do", "Content-Type: text/plain", "x"}, 415,
			`{"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"the Content-Type must be application/json in UTF-8","instance":"/fail/do","code":"INVALID_ARGUMENT"}`},
		{"problem of a size", svc.WriteProblem, post("/fail/do", strings.Repeat(" ", 1<<20+1)), 413,
			`{"type":"about:blank","title":"Request Entity Too Large","status":413,"detail":"the request body has more than 1048576 bytes","instance":"/fail/do","code":"RESOURCE_EXHAUSTED"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := newFailLog()
			a := wireDirect(failHandler(t, log, test.onError))(t, test.q)
			if a.status != test.status || a.body != test.answer {
				t.Errorf("%d %s\nwant %d %s", a.status, a.body, test.status, test.answer)
			}
			want := "application/json"
			if strings.HasPrefix(test.name, "problem") {
				want = "application/problem+json"
			}
			if got := a.header.Get("Content-Type"); !strings.HasPrefix(test.name, "sends ") && got != want {
				t.Errorf("Content-Type %q, want %q", got, want)
			}
			if strings.Count(log.flush(), "\n") < 1 {
				t.Error("not logged")
			}
		})
	}
}

// Verify that OnError gets the error of the method, with its cause.
func TestOnErrorGetsTheCause(t *testing.T) {
	var got error
	h := failHandler(t, newFailLog(), func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(418); got = err })
	wireDirect(h)(t, post("/fail/do", `{"how":"cause"}`))
	if !errors.Is(got, errFail) || svc.CodeOf(got) != svc.CodeNotFound {
		t.Errorf("OnError got %v, want the error of the method, with its cause", got)
	}
}

// Verify that a failure after the first byte cuts the connection, in OnError, Handle
// and Recover alike, so that no client takes the half for the whole.
func TestFailureAfterFirstByteCutsTheConnection(t *testing.T) {
	log := newFailLog()
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
	}
	mux := http.NewServeMux()
	mux.Handle("POST /fail/do", failHandler(t, log, func(w http.ResponseWriter, _ *http.Request, _ error) {
		half(w)
		panic("secret")
	}))
	mux.Handle("GET /error", svc.Handle(func(w http.ResponseWriter, _ *http.Request) error {
		half(w)
		return errFail
	}, &svc.ErrorOptions{Logger: slog.New(log)}))
	mux.Handle("GET /panic", svc.Recover(&svc.ErrorOptions{Logger: slog.New(log)})(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		half(w)
		panic("secret")
	})))
	srv := wireServer(t, mux, false)
	for _, test := range []struct{ name, request string }{
		{"OnError", wireHead("POST /fail/do") + withLength(15, `{"how":"cause"}`)},
		{"Handle", wireHead("GET /error") + "\r\n"},
		{"Recover", wireHead("GET /panic") + "\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, srv.Listener.Addr().String())
			conn.send(test.request)
			res, err := http.ReadResponse(conn.r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(res.Body); err == nil || string(body) != "half" {
				t.Errorf("the client has %q, %v, and takes it for whole", body, err)
			}
			if text := log.flush(); !strings.Contains(text, "secret") {
				t.Errorf("logged %q", text)
			}
		})
	}
}

// Verify that Handle and Recover do for the handlers of a user's mux what svc does for
// its own routes.
func TestHandleAndRecover(t *testing.T) {
	log := newFailLog()
	mux := http.NewServeMux()
	mux.Handle("GET /handle/{how}", svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Etag", "secret")
		if err := failAs(r.PathValue("how")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "fine")
		return err
	}, &svc.ErrorOptions{Logger: slog.New(log)}))
	mux.HandleFunc("GET /recover/{how}", func(w http.ResponseWriter, r *http.Request) {
		if err := failAs(r.PathValue("how")); err != nil {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	call := wireDirect(svc.Recover(&svc.ErrorOptions{OnError: svc.WriteProblem, Logger: slog.New(log)})(mux))
	for _, test := range []struct {
		path   string
		status int
		answer string
		logged string
	}{
		{"/handle/x", 200, "fine", ""},
		{"/handle/cause", 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, `"level":"WARN"`},
		{"/handle/plain", 500, failInternal, "secret: the disk is full"},
		{"/handle/panic", 500, failInternal, "panic: secret panic"},
		{"/recover/x", 200, "", ""},
		{"/recover/plain", 418, "", ""},
		{"/recover/panic", 500, `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"internal error","instance":"/recover/panic","code":"INTERNAL"}`, "panic: secret panic"},
	} {
		t.Run(test.path, func(t *testing.T) {
			a := call(t, get(test.path))
			if a.status != test.status || a.body != test.answer {
				t.Errorf("%d %s\nwant %d %s", a.status, a.body, test.status, test.answer)
			}
			if a.status >= 500 && a.header.Get("Etag") != "" {
				t.Error("the error has an Etag")
			}
			text := log.flush()
			if (test.logged == "") != (text == "") || !strings.Contains(text, test.logged) {
				t.Errorf("logged %q, want %q", text, test.logged)
			}
			if text != "" && (!strings.Contains(text, `"method":"GET"`) || !strings.Contains(text, test.path)) {
				t.Errorf("the log names another request: %s", text)
			}
		})
	}
	for _, path := range []string{"/handle/abort", "/recover/abort"} {
		t.Run(path, func(t *testing.T) {
			if v := failPanics(svc.Recover(&svc.ErrorOptions{Logger: slog.New(log)})(mux), get(path)); v != http.ErrAbortHandler {
				t.Errorf("panicked with %v", v)
			}
		})
	}
}

// Verify that a call whose client left is logged at the level INFO, and a method that
// gives up by itself at WARN.
func TestLogLevelOfCancel(t *testing.T) {
	log := newFailLog()
	h := failHandler(t, log, nil)
	for _, left := range []bool{true, false} {
		t.Run(map[bool]string{true: "the client left", false: "the method gave up"}[left], func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			r := httptest.NewRequestWithContext(ctx, "POST", "/fail/do", strings.NewReader(`{"how":"canceled"}`))
			want := `"level":"WARN"`
			if left {
				want = `"level":"INFO"`
				cancel()
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			cancel()
			if text := log.flush(); !strings.Contains(text, want) {
				t.Errorf("left is %t: logged %s, want %s", left, text, want)
			}
		})
	}
}

// Verify that Handle answers 413 to a body that is too large for http.MaxBytesReader,
// if the handler returns the error of the reader.
func TestHandleAnswers413ForMaxBytesReader(t *testing.T) {
	h := svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
		return err
	}, &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		name   string
		body   string
		status int
		answer string
	}{
		{"3 bytes", "123", 200, ""},
		{"4 bytes", "1234", 413, `{"error":{"code":"RESOURCE_EXHAUSTED","message":"the request body has more than 3 bytes"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(test.body)))
			if w.Code != test.status || w.Body.String() != test.answer {
				t.Errorf("a body of %d bytes: %d %s, want %d %s", len(test.body), w.Code, w.Body, test.status, test.answer)
			}
		})
	}
}

// A nilErrAPI fails with a nil pointer of the application's own error type.
type (
	nilErrAPI interface {
		Do(context.Context) error
		Watch(context.Context) (svc.Stream[FailOut], error)
	}
	nilErrService struct{ err error }
	nilErr        struct{ text string } // without Unwrap, as most are
)

func (e *nilErr) Error() string { return e.text }

func (s nilErrService) Do(context.Context) error { return s.err }
func (s nilErrService) Watch(context.Context) (svc.Stream[FailOut], error) {
	return func(yield func(*FailOut, error) bool) { yield(nil, s.err) }, nil
}

// Verify that the log names the type of an error that is a nil pointer, wherever the application
// returns one.
func TestNilErrorsAreNamed(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{(*nilErr)(nil), "an error that is a nil *blackbox_test.nilErr"},
		{(*failError)(nil), "an error that is a nil *blackbox_test.failError"}, // whose Unwrap would panic
		{(*svc.Error)(nil), "an error that is a nil *svc.Error"},
	} {
		log := newFailLog()
		logger := slog.New(log)
		s := svc.MustRegister[nilErrAPI](nilErrService{test.err}, &svc.Options{Resource: "r", Logger: logger})
		verify := func(context.Context, string) (*svc.Principal, error) { return nil, test.err }
		for _, place := range []struct {
			name, path, body string
			handler          http.Handler
		}{
			{"a method over REST", "/r/do", "", s.REST()},
			{"a method over JSON-RPC", "/", `{"jsonrpc":"2.0","id":1,"method":"r.do"}`, s.RPC()},
			{"a stream over JSON-RPC", "/", `{"jsonrpc":"2.0","id":1,"method":"r.watch"}`, s.RPC()},
			{"a stream over REST", "/r/watch", "", s.REST()},
			{"Handle", "/", "", svc.Handle(func(http.ResponseWriter, *http.Request) error { return test.err }, &svc.ErrorOptions{Logger: logger})},
			{"verify", "/", "", svc.Bearer(verify, &svc.BearerOptions{Logger: logger})(http.NotFoundHandler())},
		} {
			t.Run(fmt.Sprintf("%T of %s", test.err, place.name), func(t *testing.T) {
				answer := answerTo(place.handler, "POST", place.path, place.body, "Content-Type", "application/json", "Authorization", "Bearer abc")
				if text := textOf(answer); strings.Contains(text, "nil") {
					t.Errorf("the client gets %s", text)
				}
				if got := log.flush(); !strings.Contains(got, test.want) || strings.Contains(got, "<nil>") {
					t.Errorf("logged %s, want %s", got, test.want)
				}
			})
		}
	}
}
