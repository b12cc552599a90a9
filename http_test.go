package svc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Verify that decimal writes what strconv writes, around the numbers that it
// does not ask strconv for.
func TestDecimal(t *testing.T) {
	for n := range 1100 {
		if got := decimal(n); got != strconv.Itoa(n) {
			t.Errorf("decimal(%d) = %q", n, got)
		}
	}
}

// A deadlineRecorder keeps the deadline for reading that it gets.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (r *deadlineRecorder) SetReadDeadline(t time.Time) error {
	r.deadline = t
	return nil
}

// Verify the deadline for a body: of the longest time too, which people set to have no limit.
func TestSetDeadline(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Minute, math.MaxInt64 - 1, math.MaxInt64} {
		t.Run(limit.String(), func(t *testing.T) {
			recorder := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
			least := time.Now().Add(limit).Add(-time.Second) // the system may set its clock
			limits{time: limit}.setDeadline(recorder, httptest.NewRequest("POST", "/", strings.NewReader("{}")))
			if most := least.Add(time.Minute); recorder.deadline.Before(least) || recorder.deadline.After(most) {
				t.Errorf("the deadline is %v, want one from %v to %v", recorder.deadline, least, most)
			}
		})
	}
}

// Verify what Handle answers and logs, and when it cuts the connection.
func TestHandleTable(t *testing.T) {
	secret := errors.New("secret")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fails := func(err error) HandlerFunc {
		return func(http.ResponseWriter, *http.Request) error { return err }
	}
	panics := func(v any, before string) HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) error {
			if before != "" {
				io.WriteString(w, before)
			}
			panic(v)
		}
	}
	var nobody *Error
	for _, test := range []struct {
		name    string
		ctx     context.Context
		fn      HandlerFunc
		onError ErrorWriter
		status  int    // 0 means that the connection is cut
		log     string // the level and a part of the line; "" means none
	}{
		{"fine", nil, fails(nil), nil, 200, ""},
		{"client's mistake", nil, fails(Errorf(CodeNotFound, "no: %w", secret)), nil, 404, "WARN|secret"},
		{"server's", nil, fails(secret), nil, 500, "ERROR|secret"},
		{"unavailable", nil, fails(Errorf(CodeUnavailable, "later")), nil, 503, "ERROR|later"},
		{"canceled by the client", ctx, fails(context.Canceled), nil, 499, "INFO|CANCELED"},
		{"canceled by the method", nil, fails(context.Canceled), nil, 499, "WARN|CANCELED"},
		{"nil *Error", nil, fails(nobody), nil, 500, "ERROR|"},
		{"panic", nil, panics("secret", ""), nil, 500, "ERROR|stack"},
		{"panic with an error", nil, panics(secret, ""), nil, 500, "ERROR|secret"},
		{"panic with an *Error", nil, panics(Errorf(CodeNotFound, "secret"), ""), nil, 500, "ERROR|secret"},
		{"panic with a map", nil, panics(map[string]int{"secret": 1}, ""), nil, 500, "ERROR|secret"},
		{"nil dereference", nil, func(http.ResponseWriter, *http.Request) error { return nobody.WithDetail("a", 1) }, nil, 500, "ERROR|nil pointer"},
		{"panic after the first byte", nil, panics("secret", "x"), nil, 0, "ERROR|secret"},
		{"error after the first byte", nil, func(w http.ResponseWriter, r *http.Request) error { io.WriteString(w, "x"); return secret }, nil, 0, "ERROR|secret"},
		{"error after the status", nil, func(w http.ResponseWriter, r *http.Request) error { w.WriteHeader(204); return secret }, nil, 0, "ERROR|secret"},
		{"abort", nil, panics(http.ErrAbortHandler, ""), nil, 0, ""},
		{"abort, returned", nil, fails(http.ErrAbortHandler), nil, 500, "ERROR|abort"},
		{"server that stops", nil, fails(Errorf(CodeUnavailable, "bye: %w", http.ErrServerClosed)), nil, 503, ""},
		{"own handler", nil, fails(secret), func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(418) }, 418, "ERROR|secret"},
		{"own handler that writes nothing", nil, fails(Errorf(CodeNotFound, "no")), func(http.ResponseWriter, *http.Request, error) {}, 404, "WARN|no"},
		{"own handler that panics", nil, fails(Errorf(CodeNotFound, "no")), func(http.ResponseWriter, *http.Request, error) { panic("secret") }, 404, "WARN|no|secret"},
		{"own handler that panics late", nil, fails(Errorf(CodeNotFound, "no")), func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(418); panic("secret") }, 0, "WARN|no|secret"},
		{"own handler that aborts", nil, fails(Errorf(CodeNotFound, "no")), func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, 0, "WARN|no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, nil))
			for i, h := range []http.Handler{
				Handle(test.fn, &ErrorOptions{OnError: test.onError, Logger: logger}),
				Recover(&ErrorOptions{OnError: test.onError, Logger: logger})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if err := test.fn(w, r); err != nil && err != nobody {
						Handle(func(http.ResponseWriter, *http.Request) error { return err }, &ErrorOptions{OnError: test.onError, Logger: logger}).ServeHTTP(w, r)
					} else if err != nil {
						panic("a nil *Error")
					}
				})),
			} {
				if i == 1 && (strings.Contains(test.name, "after") || strings.Contains(test.name, "own handler")) {
					continue // the first has said it
				}
				log.Reset()
				w := httptest.NewRecorder()
				r := httptest.NewRequest("GET", "/some/path?q=private", nil)
				if test.ctx != nil {
					r = r.WithContext(test.ctx)
				}
				status := serve(h, w, r)
				if status != test.status {
					t.Errorf("%s: status %d, want %d", test.name, status, test.status)
				}
				if status != 0 && strings.Contains(w.Body.String(), "secret") {
					t.Errorf("%s: told %s", test.name, w.Body)
				}
				level, rest, _ := strings.Cut(test.log, "|")
				parts := strings.Split(rest, "|") // of a line each
				part := parts[0]
				line := log.String()
				switch {
				case test.log == "" && line != "":
					t.Errorf("%s: logged %s", test.name, line)
				case test.log != "" && (strings.Count(line, "level=") != len(parts) || !strings.Contains(line, parts[len(parts)-1]) && i == 0 ||
					!strings.Contains(line, "level="+level) || i == 0 && !strings.Contains(line, part) ||
					!strings.Contains(line, "method=GET path=/some/path ")):
					t.Errorf("%s: logged %q, want %s with %q", test.name, line, level, part)
				}
				if strings.Contains(line, "private") {
					t.Errorf("%s: the query is in the log: %s", test.name, line)
				}
			}
		})
	}
}

// serve returns the status of the answer, or 0 if the handler cuts the
// connection.
func serve(h http.Handler, w *httptest.ResponseRecorder, r *http.Request) (status int) {
	defer func() {
		if v := recover(); v != nil {
			if v != http.ErrAbortHandler {
				panic(v)
			}
			status = 0
		}
	}()
	h.ServeHTTP(w, r)
	return w.Code
}

// An unflushableWriter notes its write deadlines. It cannot flush.
type unflushableWriter struct {
	http.ResponseWriter
	deadlines []time.Time
}

func (w *unflushableWriter) SetWriteDeadline(d time.Time) error {
	w.deadlines = append(w.deadlines, d)
	return nil
}

// A hijackedWriter is a ResponseWriter with a connection to take over.
type hijackedWriter struct{ *httptest.ResponseRecorder }

func (hijackedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }

// Verify that a connection that a handler has taken over is the handler's: its error
// is not written there. Where there is none to take over, it is answered.
func TestHijack(t *testing.T) {
	h := Handle(func(w http.ResponseWriter, _ *http.Request) error {
		w.(http.Hijacker).Hijack()
		return Errorf(CodeNotFound, "no")
	}, &ErrorOptions{Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		hijacked bool
		body     int
		panics   any
	}{{true, 0, http.ErrAbortHandler}, {false, len(`{"error":{"code":"NOT_FOUND","message":"no"}}`), nil}} {
		t.Run(rowName("hijacked", test.hijacked), func(t *testing.T) {
			recorder := httptest.NewRecorder()
			w := http.ResponseWriter(recorder)
			if test.hijacked {
				w = hijackedWriter{recorder}
			}
			var panicked any
			func() {
				defer func() { panicked = recover() }()
				h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			}()
			if recorder.Body.Len() != test.body || panicked != test.panics {
				t.Errorf("taken over, %t: %s, panic %v", test.hijacked, recorder.Body, panicked)
			}
		})
	}
}

// Verify that a flush that the writer behind cannot do does not count as the
// beginning of a response.
func TestFailedFlushIsNoResponse(t *testing.T) {
	h := Handle(func(w http.ResponseWriter, _ *http.Request) error {
		w.(http.Flusher).Flush()
		return Errorf(CodeNotFound, "no")
	}, &ErrorOptions{Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		hidden bool
		status int // 0 means that the connection is cut
	}{{false, 0}, {true, 404}} {
		t.Run(rowName("hidden", test.hidden), func(t *testing.T) {
			outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.hidden {
					w = struct{ http.ResponseWriter }{w}
				}
				h.ServeHTTP(w, r)
			})
			if status := serve(outer, httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)); status != test.status {
				t.Errorf("a writer that hides Flush, %t: status %d, want %d", test.hidden, status, test.status)
			}
		})
	}
}

// Verify that a server without a WriteTimeout pays nothing for it, and when the
// others get which deadline.
func TestProtectAnswer(t *testing.T) {
	for _, test := range []struct {
		name   string
		server *http.Server
		major  int
		first  bool          // the deadline is taken back before the call
		time   time.Duration // for the answer; 0 means that the writer is left as it is
	}{
		{"no server", nil, 1, false, 0},
		{"no time-out", &http.Server{}, 1, false, 0},
		{"no time-out, HTTP/2", &http.Server{}, 2, false, 0},
		{"negative", &http.Server{WriteTimeout: -1}, 2, false, 0},
		{"short", &http.Server{WriteTimeout: time.Second}, 1, false, 30 * time.Second},
		{"short, HTTP/2", &http.Server{WriteTimeout: time.Second}, 2, true, 30 * time.Second},
		{"long", &http.Server{WriteTimeout: time.Hour}, 1, false, time.Hour},
		{"long, HTTP/2", &http.Server{WriteTimeout: time.Hour}, 2, true, time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			if r.ProtoMajor = test.major; test.server != nil {
				r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, test.server))
			}
			w := &unflushableWriter{ResponseWriter: struct{ http.ResponseWriter }{httptest.NewRecorder()}}
			got := protectResponse(w, r)
			if test.time == 0 {
				if got != http.ResponseWriter(w) || len(w.deadlines) > 0 {
					t.Errorf("%s: %T, %v", test.name, got, w.deadlines)
				}
				if n := testing.AllocsPerRun(10, func() { protectResponse(w, r) }); n > 0 {
					t.Errorf("%s: %v allocations", test.name, n)
				}
				return
			}
			if cleared := len(w.deadlines) == 1 && w.deadlines[0].IsZero(); cleared != test.first {
				t.Errorf("%s: before the call %v", test.name, w.deadlines)
			}
			w.deadlines = nil
			before := time.Now()
			got.WriteHeader(http.StatusContinue)
			got.WriteHeader(http.StatusOK)
			got.Write([]byte("x"))
			after := time.Now()
			if d := w.deadlines; len(d) != 1 || d[0].Before(before.Add(test.time)) || d[0].After(after.Add(test.time)) {
				t.Errorf("%s: after the call %v", test.name, d)
			}
			if canFlush(got) {
				t.Errorf("%s: the writer hides that it cannot flush", test.name)
			}
		})
	}
}

// Verify that a request whose Origin is allowed by name may come from elsewhere.
func TestAllowedOrigin(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if allowed {
			r = r.WithContext(context.WithValue(r.Context(), originKey{}, true))
		}
		if err := checkSite(r); (err == nil) != allowed {
			t.Errorf("allowed %t: %v", allowed, err)
		}
	}
}

// Verify which characters are escaped: all but the unreserved ones, at the ends of each range.
func TestAppendEscapedText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"azAZ09-_.~", "azAZ09-_.~"},
		{"`{@[/:,^", "%60%7B%40%5B%2F%3A%2C%5E"},
		{"a b/\u00e4\x00\xff", "a%20b%2F%C3%A4%00%FF"},
	} {
		t.Run(rowName(test.text), func(t *testing.T) {
			if got := string(appendEscapedText([]byte("/"), []byte(test.text))); got != "/"+test.want {
				t.Errorf("%q is %q, want %q", test.text, got, "/"+test.want)
			}
		})
	}
}

// TestErrorBodyTypes tests that the types which documents describe have the members that are written.
func TestErrorBodyTypes(t *testing.T) {
	full := Errorf(CodeNotFound, "no such lamp").WithReason("lamp_gone").
		WithDetail("violations", []Violation{{In: "body", Path: "/a", Rule: "maximum", Message: "must be at most 5", Limit: "5", Empty: true}})
	for _, test := range []struct {
		name string
		err  *Error
	}{
		{"code and message", Errorf(CodeInternal, "no")},
		{"every member", full},
		{"an unknown code", &Error{Code: "TEAPOT", Message: "no"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/lamps", nil)
			for into, body := range map[any][]byte{new(errorBody): appendEnvelope(nil, test.err), new(problem): appendProblem(nil, r, test.err)} {
				decoder := json.NewDecoder(bytes.NewReader(body))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(into); err != nil {
					t.Errorf("%s: %v", body, err)
				}
				if text, err := json.Marshal(into); err != nil || string(text) != string(body) {
					t.Errorf("%T is %s (%v), and %s is written", into, text, err, body)
				}
			}
		})
	}
}

// Verify the weight of each of several types, and whether Accept headers name it.
func TestWeighTypes(t *testing.T) {
	weight := func(q float64) typeWeight { return typeWeight{q, 3} }
	for _, test := range []struct {
		accept     string
		html, open typeWeight // of text/html, and of version 3 of application/x
	}{
		{"", typeWeight{}, typeWeight{}},
		{"*/*;q=0.5", typeWeight{0.5, 1}, typeWeight{0.5, 1}},
		{"text/*;q=0.5, */*;q=0.1", typeWeight{0.5, 2}, typeWeight{0.1, 1}},
		{"text/html;q=0, text/*", weight(0), typeWeight{}},
		{"text/html;q=0.2, text/html;q=0.3, text/html;q=0.1", weight(0.3), typeWeight{}},
		{"TEXT/HTML;q=2, tex/*, text/ht, /*", weight(1), typeWeight{}},
		{"application/x;version=3, text/html;q=NaN", weight(1), weight(1)},
		{"application/x;version=3.1;q=0.4", typeWeight{}, weight(0.4)},
		{"application/x;version=31, application/*;q=0.3", typeWeight{}, typeWeight{0.3, 2}},
		{"application/x", typeWeight{}, typeWeight{}},
	} {
		t.Run(test.accept, func(t *testing.T) {
			got := weighTypes(strings.SplitAfterN(test.accept, ", ", 2), "text/html", "application/x;version=3")
			if got[0] != test.html || got[1] != test.open {
				t.Errorf("got %v, want %v and %v", got, test.html, test.open)
			}
		})
	}
}
