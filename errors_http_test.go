package svc

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
)

// A panicker is a detail that cannot be looked at.
type panicker struct{}

func (panicker) MarshalJSON() ([]byte, error) { panic("a detail panics") }

// Verify the bytes of error answers: testdata/errors/http.txt.
func TestErrorBodies(t *testing.T) {
	base := Errorf(CodeNotFound, "no todo %q <&>\u2028", "7")
	var out bytes.Buffer
	for _, test := range []struct {
		name string
		path string
		err  error
	}{
		{"message", "/todos/7", base},
		{"no message", "/", &Error{Code: CodeAborted}},
		{"no phrase for the status", "/", Errorf(CodeCanceled, "gone")},
		{"private message", "/", Errorf(CodeInternal, "secret: %w", errors.New("secret"))},
		{"unknown code", "/", Errorf("MINE", "secret")},
		{"plain error", "/", errors.New("secret")},
		{"nil", "/", nil},
		{"context", "/", fmt.Errorf("secret: %w", context.DeadlineExceeded)},
		{"panic", "/", &PanicError{Value: "secret", Stack: []byte("secret")}},
		{"not UTF-8", "/", Errorf(CodeNotFound, "a\xffb")},
		{"path with everything", "/a b/%2F/%C3%A9?q=secret", base},
		{"details in order", "/", base.WithDetails(map[string]any{"b": 1, "a": []string{"x"}, "": nil, "é\"": "<&>", "c": map[string]int{"z": 1, "y": 2}})},
		{"details that JSON cannot carry", "/", base.WithDetails(map[string]any{"a": 1, "b": math.NaN(), "c": make(chan int), "d": panicker{}, "e": 2})},
		{"nothing but such details", "/", base.WithDetail("b", math.Inf(1))},
		{"empty details", "/", base.WithDetails(nil)},
		{"violations", "/", base.WithDetail("violations", []Violation{{"body", "/a", "type", "must be \"x\""}, {"query", "/b", "range", "no"}})},
		{"status of the exchange", "/", &Error{Code: CodeUnimplemented, Message: "not allowed", status: http.StatusMethodNotAllowed}},
	} {
		for i, write := range []ErrorHandler{WriteError, WriteProblem} {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Encoding", "gzip") // of the answer that was meant
			w.Header().Set("Allow", "GET")
			write(w, httptest.NewRequest("GET", strings.ReplaceAll(test.path, " ", "%20"), nil), test.err)
			body := w.Body.Bytes()
			if err := checkText(body); err != nil {
				t.Errorf("%s: %s: %v", test.name, body, err)
			}
			if i == 0 || test.name == "message" || strings.Contains(test.name, "path") || strings.Contains(test.name, "phrase") || strings.Contains(test.name, "order") {
				fmt.Fprintf(&out, "%s\n%d %s %s %s\n%s\n\n", test.name, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"), w.Header().Get("Allow"), body)
			}
			if w.Header().Get("Content-Encoding") != "" || w.Header().Get("X-Content-Type-Options") != "nosniff" || bytes.Contains(body, []byte("secret")) {
				t.Errorf("%s: %v\n%s", test.name, w.Header(), body)
			}
		}
	}
	golden(t, "errors/http.txt", out.Bytes())
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
		onError ErrorHandler
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
		{"own handler", nil, fails(secret), func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(418) }, 418, "ERROR|secret"},
		{"own handler that writes nothing", nil, fails(Errorf(CodeNotFound, "no")), func(http.ResponseWriter, *http.Request, error) {}, 404, "WARN|no"},
		{"own handler that panics", nil, fails(Errorf(CodeNotFound, "no")), func(http.ResponseWriter, *http.Request, error) { panic("secret") }, 404, "WARN|no"},
		{"own handler that panics late", nil, fails(Errorf(CodeNotFound, "no")), func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(418); panic("secret") }, 0, "WARN|no"},
		{"own handler that aborts", nil, fails(Errorf(CodeNotFound, "no")), func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, 0, "WARN|no"},
	} {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		for i, h := range []http.Handler{
			Handle(test.fn, test.onError, logger),
			Recover(test.onError, logger)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := test.fn(w, r); err != nil && err != nobody {
					Handle(func(http.ResponseWriter, *http.Request) error { return err }, test.onError, logger).ServeHTTP(w, r)
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
			level, part, _ := strings.Cut(test.log, "|")
			line := log.String()
			switch {
			case test.log == "" && line != "":
				t.Errorf("%s: logged %s", test.name, line)
			case test.log != "" && (strings.Count(line, "level=") != 1 || !strings.Contains(line, "level="+level) || i == 0 && !strings.Contains(line, part) || !strings.Contains(line, "method=GET path=/some/path ")):
				t.Errorf("%s: logged %q, want %s with %q", test.name, line, level, part)
			}
			if strings.Contains(line, "private") {
				t.Errorf("%s: the query is in the log: %s", test.name, line)
			}
		}
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
