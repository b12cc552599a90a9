package svc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// Verify the one table of codes against a second statement of it.
func TestCodes(t *testing.T) {
	rows := []struct {
		code     Code
		wire     string
		http     int
		rpc      int
		isPublic bool // the message is for clients
	}{
		{CodeCanceled, "CANCELED", 499, -32001, true},
		{CodeUnknown, "UNKNOWN", 500, -32002, false},
		{CodeInvalidArgument, "INVALID_ARGUMENT", 400, -32602, true},
		{CodeDeadlineExceeded, "DEADLINE_EXCEEDED", 504, -32004, true},
		{CodeNotFound, "NOT_FOUND", 404, -32005, true},
		{CodeAlreadyExists, "ALREADY_EXISTS", 409, -32006, true},
		{CodePermissionDenied, "PERMISSION_DENIED", 403, -32007, true},
		{CodeResourceExhausted, "RESOURCE_EXHAUSTED", 429, -32008, true},
		{CodeFailedPrecondition, "FAILED_PRECONDITION", 400, -32009, true},
		{CodeAborted, "ABORTED", 409, -32010, true},
		{CodeOutOfRange, "OUT_OF_RANGE", 400, -32011, true},
		{CodeUnimplemented, "UNIMPLEMENTED", 501, -32012, true},
		{CodeInternal, "INTERNAL", 500, -32603, false},
		{CodeUnavailable, "UNAVAILABLE", 503, -32014, true},
		{CodeDataLoss, "DATA_LOSS", 500, -32015, false},
		{CodeUnauthenticated, "UNAUTHENTICATED", 401, -32016, true},
		// What is no code counts as UNKNOWN.
		{CodeOK, "UNKNOWN", 500, -32002, false},
		{"", "UNKNOWN", 500, -32002, false},
		{"NOT FOUND", "UNKNOWN", 500, -32002, false},
		{"not_found", "UNKNOWN", 500, -32002, false},
	}
	for _, test := range rows {
		t.Run(rowName(test.code), func(t *testing.T) {
			e := &Error{Code: test.code, Message: "the message"}
			if e.HTTPStatus() != test.http || e.RPCCode() != test.rpc {
				t.Errorf("%q is %d and %d, want %d and %d", test.code, e.HTTPStatus(), e.RPCCode(), test.http, test.rpc)
			}
			if got := CodeOf(e); string(got) != test.wire {
				t.Errorf("CodeOf(%q) = %s, want %s", test.code, got, test.wire)
			}
			if isPublic := e.message() == "the message"; isPublic != test.isPublic {
				t.Errorf("clients see %q of %q", e.message(), test.code)
			}
			if text := (&Error{Code: test.code}).message(); text == "" {
				t.Errorf("clients see nothing of %q", test.code)
			}
			if want := test.wire + ": the message"; e.Error() != want {
				t.Errorf("%q is %q, want %q", test.code, e.Error(), want)
			}
		})
	}
	for _, row := range codes {
		if !slices.ContainsFunc(rows, func(r struct {
			code     Code
			wire     string
			http     int
			rpc      int
			isPublic bool
		}) bool {
			return r.code == row.code
		}) {
			t.Errorf("the code %s is in no row of this test", row.code)
		}
	}
}

// Every status has the code of its row, and the others that of their class.
func TestCodeFromHTTP(t *testing.T) {
	want := map[int]Code{
		400: CodeInvalidArgument, 401: CodeUnauthenticated, 403: CodePermissionDenied, 404: CodeNotFound, 405: CodeUnimplemented, 408: CodeDeadlineExceeded,
		409: CodeAlreadyExists, 412: CodeFailedPrecondition, 413: CodeResourceExhausted, 416: CodeOutOfRange, 429: CodeResourceExhausted, 499: CodeCanceled,
		500: CodeInternal, 501: CodeUnimplemented, 502: CodeUnavailable, 503: CodeUnavailable, 504: CodeDeadlineExceeded,
	}
	for status := range 700 {
		code, ok := want[status]
		switch {
		case ok:
		case status/100 == 2:
			code = CodeOK
		case status/100 == 4:
			code = CodeInvalidArgument
		default:
			code = CodeUnknown
		}
		if got := CodeFromHTTP(status); got != code {
			t.Errorf("CodeFromHTTP(%d) = %s, want %s", status, got, code)
		}
	}
	for _, status := range []int{-1, -200, -404, 1 << 30} {
		if got := CodeFromHTTP(status); got != CodeUnknown {
			t.Errorf("CodeFromHTTP(%d) = %s", status, got)
		}
	}
	// Statuses that are no code's own may come back as another; the others must not.
	for _, row := range codes {
		if back := CodeFromHTTP(row.http); back != row.code && (&Error{Code: back}).HTTPStatus() != row.http {
			t.Errorf("%s is %d, which is %s", row.code, row.http, back)
		}
	}
}

// secretError is an error whose text no client may see.
type secretError struct{ text string }

func (e *secretError) Error() string { return e.text }

func TestErrorf(t *testing.T) {
	secret := &secretError{"secret"}
	other := &secretError{"other"}
	for _, test := range []struct {
		got     *Error
		message string
		text    string // of Error()
		causes  []error
	}{
		{Errorf(CodeNotFound, "no todo"), "no todo", "NOT_FOUND: no todo", nil},
		{Errorf(CodeNotFound, ""), "", "NOT_FOUND", nil},
		{Errorf(CodeNotFound, "100%% of %d", 3), "100% of 3", "NOT_FOUND: 100% of 3", nil},
		{Errorf(CodeNotFound, "no todo %q: %w", "7", secret), `no todo "7"`, `NOT_FOUND: no todo "7": secret`, []error{secret}},
		{Errorf(CodeNotFound, "%w", secret), "", "NOT_FOUND: secret", []error{secret}},
		{Errorf(CodeNotFound, "%w: while reading", secret), "%!w(*svc.secretError): while reading", "NOT_FOUND: %!w(*svc.secretError): while reading", nil},
		{Errorf(CodeNotFound, "a %w b", secret), "a %!w(*svc.secretError) b", "NOT_FOUND: a %!w(*svc.secretError) b", nil},
		{Errorf(CodeNotFound, "a: %v", secret), "a: secret", "NOT_FOUND: a: secret", nil},
		{Errorf(CodeNotFound, "a: %s, %q, %+v", secret, secret, secret), `a: secret, "secret", secret`, `NOT_FOUND: a: secret, "secret", secret`, nil},
		{Errorf(CodeNotFound, "a: %v: %w", other, secret), "a: other", "NOT_FOUND: a: other: secret", []error{secret}},
		{Errorf(CodeNotFound, "a: %w: %w", secret, other), "a: %!w(*svc.secretError)", "NOT_FOUND: a: %!w(*svc.secretError): other", []error{other}},
		{Errorf(CodeNotFound, "%[2]s: %[1]w", secret, "x"), "x: %!w(*svc.secretError)", "NOT_FOUND: x: %!w(*svc.secretError)", nil},
		{Errorf(CodeNotFound, "%T", secret), "*svc.secretError", "NOT_FOUND: *svc.secretError", nil},
		{Errorf(CodeNotFound, "%d %x", syscall.ENOENT, syscall.ENOENT), "2 6e6f20737563682066696c65206f72206469726563746f7279", "NOT_FOUND: 2 6e6f20737563682066696c65206f72206469726563746f7279", nil},
		{Errorf(CodeNotFound, "%10s|%-8v|", secret, secret), "    secret|secret  |", "NOT_FOUND:     secret|secret  |", nil},
		{Errorf(CodeNotFound, "%v", error(nil)), "<nil>", "NOT_FOUND: <nil>", nil},
		{Errorf(CodeNotFound, "cannot open %q (%w)", "x", secret), `cannot open "x" (%!w(*svc.secretError))`, `NOT_FOUND: cannot open "x" (%!w(*svc.secretError))`, nil},
		{Errorf(CodeNotFound, "a: %w", nil), "a: %!w(<nil>)", "NOT_FOUND: a: %!w(<nil>)", nil},
		{Errorf(CodeNotFound, "a: %w", error(nil)), "a: %!w(<nil>)", "NOT_FOUND: a: %!w(<nil>)", nil},
		{Errorf(CodeNotFound, "a: %w", 7), "a: %!w(int)", "NOT_FOUND: a: %!w(int)", nil},
		{Errorf(CodeNotFound, "a: %w"), "a: %!w(%!T(MISSING))", "NOT_FOUND: a: %!w(%!T(MISSING))", nil},
		{Errorf(CodeNotFound, "a: %w %w", nil, secret), "a: %!w(<nil>)", "NOT_FOUND: a: %!w(<nil>): secret", []error{secret}},
		{Errorf(CodeNotFound, "a (by %+w, %d)", secret, 7), "a (by %!w(*svc.secretError), 7)", "NOT_FOUND: a (by %!w(*svc.secretError), 7)", nil},
		{Errorf(CodeNotFound, "%d%%w %%%w %5%w%", 7, secret), "7%w %%!w(*svc.secretError) %w%!(NOVERB)", "NOT_FOUND: 7%w %%!w(*svc.secretError) %w%!(NOVERB)", nil},
		{Errorf(CodeNotFound, "how %d %v: %w", 7, other, secret), "how 7 other", "NOT_FOUND: how 7 other: secret", []error{secret}},
		{Errorf(CodeNotFound, "%s — %w", "a ", secret), "a ", "NOT_FOUND: a : secret", []error{secret}},
		{Errorf(CodeNotFound, "no note: %w", secret, 7), "no note: %!w(*svc.secretError)%!(EXTRA int=7)", "NOT_FOUND: no note: %!w(*svc.secretError)%!(EXTRA int=7)", nil},
		{Errorf(CodeNotFound, "a%w", secret), "a%!w(*svc.secretError)", "NOT_FOUND: a%!w(*svc.secretError)", nil},
		{Errorf(CodeNotFound, "%v: %w", ": (\x00) :", secret), ": (\x00) :", "NOT_FOUND: : (\x00) :: secret", []error{secret}},
		{Errorf(CodeNotFound, ": a (): %v :", other), ": a (): other :", "NOT_FOUND: : a (): other :", nil},
		{Errorf(CodeNotFound, "a: %w", fmt.Errorf("outer: %w", secret)), "a", "NOT_FOUND: a: outer: secret", []error{secret}},
		{Errorf("", "x"), "x", "UNKNOWN: x", nil},
	} {
		t.Run(rowName(test.text), func(t *testing.T) {
			if test.got.Message != test.message || test.got.Error() != test.text {
				t.Errorf("Message %q, Error() %q; want %q, %q", test.got.Message, test.got.Error(), test.message, test.text)
			}
			for _, cause := range test.causes {
				if !errors.Is(test.got, cause) {
					t.Errorf("%v: errors.Is does not find %v", test.got, cause)
				}
			}
			var s *secretError
			if found := errors.As(test.got, &s); found != (len(test.causes) > 0) {
				t.Errorf("%v: errors.As finds a cause: %t", test.got, found)
			}
			if body := string(appendEnvelope(nil, test.got)); len(test.causes) > 0 && strings.Contains(strings.ReplaceAll(body, "secretError", ""), "secret") {
				t.Errorf("a cause is told: %s", body)
			}
		})
	}
	if err := Errorf(CodeInternal, "a: %w", fs.ErrNotExist); !errors.Is(err, os.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		t.Errorf("errors.Is does not work on %v", err)
	}
	// The work grows with the text, whatever a client puts into it.
	nuls := strings.Repeat("\x00", 170_000)
	if n := testing.AllocsPerRun(1, func() {
		if e := Errorf(CodeNotFound, "no %s: %w", nuls, secret); e.Message != "no "+nuls || !errors.Is(e, secret) {
			t.Error("a text with NULs is not kept")
		}
	}); n > 20 {
		t.Errorf("%v allocations for a text with NULs", n)
	}
}

// Verify that the With methods copy, and that copies are still the original to
// errors.Is.
func TestErrorCopies(t *testing.T) {
	original := &Error{Code: CodeNotFound, Message: "m", Details: map[string]any{"a": 1}}
	other := &Error{Code: CodeNotFound, Message: "m", Details: map[string]any{"a": 1}}
	cause := errors.New("cause")
	details := map[string]any{"b": 2, "a": 3}
	teapot := original.WithStatus(418) // as in a package variable
	for _, test := range []struct {
		name  string
		got   *Error
		want  map[string]any
		cause error
	}{
		{"WithDetail", original.WithDetail("b", 2), map[string]any{"a": 1, "b": 2}, nil},
		{"WithDetail again", original.WithDetail("a", 2), map[string]any{"a": 2}, nil},
		{"WithDetails", original.WithDetails(details), details, nil},
		{"WithDetails(nil)", original.WithDetails(nil), map[string]any{"a": 1}, nil},
		{"WithCause", original.WithCause(cause), map[string]any{"a": 1}, cause},
		{"all", original.WithDetail("x", 1).WithCause(cause).WithDetails(details), map[string]any{"a": 3, "b": 2, "x": 1}, cause},
		{"a copy of a copy", teapot.WithDetail("b", 2), map[string]any{"a": 1, "b": 2}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.got == original || test.got.Code != CodeNotFound || test.got.Message != "m" || !maps.Equal(test.got.Details, test.want) {
				t.Errorf("%s gives %+v, want the details %v", test.name, test.got, test.want)
			}
			if !errors.Is(test.got, original) || !errors.Is(fmt.Errorf("wrapped: %w", test.got), original) {
				t.Errorf("%s: errors.Is does not find the original", test.name)
			}
			if errors.Is(test.got, other) || errors.Is(original, test.got) {
				t.Errorf("%s: errors.Is finds another", test.name)
			}
			if errors.Unwrap(test.got) != test.cause {
				t.Errorf("%s: the cause is %v", test.name, errors.Unwrap(test.got))
			}
		})
	}
	if !maps.Equal(original.Details, map[string]any{"a": 1}) || original.Unwrap() != nil || len(details) != 2 {
		t.Errorf("the original is now %+v, the details %v", original, details)
	}
	if !errors.Is(teapot.WithDetail("b", 2), teapot) || errors.Is(original.WithDetail("b", 2), teapot) {
		t.Error("errors.Is does not find the copy that a copy was made from, or another one")
	}
	status := &Error{Code: CodeResourceExhausted, status: http.StatusRequestEntityTooLarge}
	if got := status.WithDetail("limit", 1).HTTPStatus(); got != http.StatusRequestEntityTooLarge {
		t.Errorf("a copy of an error of status 413 has %d", got)
	}
	if header := (*Error)(nil).Header(); header != nil {
		t.Errorf("no error has the headers %v", header)
	}
}

// lateError is an error that says by Is and As what it is.
type lateError struct{ error }

func (lateError) As(target any) bool {
	if e, ok := target.(**Error); ok {
		*e = Errorf(CodeAborted, "late")
		return true
	}
	return false
}

func TestErrorFrom(t *testing.T) {
	notFound := Errorf(CodeNotFound, "gone")
	plain := errors.New("secret")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("secret cause"))
	var none *Error
	for _, test := range []struct {
		name    string
		err     error
		code    Code
		message string
	}{
		{"*Error", notFound, CodeNotFound, "gone"},
		{"wrapped", fmt.Errorf("secret: %w", notFound), CodeNotFound, "gone"},
		{"joined", errors.Join(plain, notFound), CodeNotFound, "gone"},
		{"outermost", Errorf(CodeAborted, "outer: %w", notFound), CodeAborted, "outer"},
		{"plain", plain, CodeInternal, "internal error"},
		{"canceled", context.Canceled, CodeCanceled, "the call was canceled"},
		{"deadline", fmt.Errorf("secret: %w", context.DeadlineExceeded), CodeDeadlineExceeded, "the call took too long"},
		{"a context's", ctx.Err(), CodeCanceled, "the call was canceled"},
		{"a context's cause", context.Cause(ctx), CodeInternal, "internal error"},
		{"*Error of a canceled call", notFound.WithCause(context.Canceled), CodeNotFound, "gone"},
		{"os time-out", os.ErrDeadlineExceeded, CodeInternal, "internal error"},
		{"by As", lateError{plain}, CodeAborted, "late"},
		{"nil *Error", none, CodeInternal, "internal error"},
		{"wrapped nil *Error", fmt.Errorf("secret: %w", none), CodeInternal, "internal error"},
		{"internal with a message", Errorf(CodeInternal, "secret"), CodeInternal, "internal error"},
		{"unknown with a message", &Error{Message: "secret"}, CodeUnknown, "unknown error"},
		{"data loss with a message", Errorf(CodeDataLoss, "secret"), CodeDataLoss, "data loss"},
		{"panic", &PanicError{Value: "secret"}, CodeInternal, "internal error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := ErrorFrom(test.err)
			if e == nil || CodeOf(test.err) != test.code || e.message() != test.message {
				t.Errorf("%s: %+v, want %s %q", test.name, e, test.code, test.message)
				return
			}
			if body := string(appendEnvelope(nil, e)); strings.Contains(body, "secret") {
				t.Errorf("%s: %s", test.name, body)
			}
		})
	}
	if ErrorFrom(nil) != nil || CodeOf(nil) != CodeOK {
		t.Errorf("ErrorFrom(nil) = %v, CodeOf(nil) = %s", ErrorFrom(nil), CodeOf(nil))
	}
	if e := ErrorFrom(plain); !errors.Is(e, plain) {
		t.Errorf("the cause of %v is lost", e)
	}
	if e := ErrorFrom(none); !errors.Is(e, errNil) {
		t.Errorf("the cause of %v is not that it was nil", e)
	}
	wrapped := fmt.Errorf("secret: %w", notFound)
	if n := testing.AllocsPerRun(10, func() { ErrorFrom(wrapped) }); n > 2 { // for the targets of errors.As
		t.Errorf("an Error that is wrapped takes %v allocations to find", n)
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{
		{"", 5, ""},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "ab…"},
		{"ééééé", 9, "ééé…"},
		{"ééééé", 8, "éé…"},
		{"\U0001F600\U0001F600", 7, "\U0001F600…"},
		{"\U0001F600\U0001F600", 6, "…"},
		{"abcd", 3, "…"},
	} {
		t.Run(rowName(test.n, test.s), func(t *testing.T) {
			if got := clip(test.s, test.n); got != test.want || len(got) > test.n || !utf8.ValidString(got) {
				t.Errorf("clip(%q, %d) = %q, want %q", test.s, test.n, got, test.want)
			}
		})
	}
}

// Verify that decimal writes what strconv writes, around the numbers that it
// does not ask strconv for.
func TestDecimal(t *testing.T) {
	for n := range 1100 {
		if got := decimal(n); got != strconv.Itoa(n) {
			t.Errorf("decimal(%d) = %q", n, got)
		}
	}
}

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
		{"path that is long", "/" + strings.Repeat("a", 2<<10), base},
		{"details in order", "/", base.WithDetails(map[string]any{"b": 1, "a": []string{"<x>&"}, "": nil, "é\"": "<&>", "c": map[string]int{"z": 1, "y": 2}})},
		{"details that JSON cannot carry", "/", base.WithDetails(map[string]any{"a": 1, "b": math.NaN(), "c": make(chan int), "d": panicker{}, "e": 2})},
		{"nothing but such details", "/", base.WithDetail("b", math.Inf(1))},
		{"empty details", "/", base.WithDetails(nil)},
		{"violations", "/", base.WithDetail("violations", []Violation{{"body", "/a", "type", "must be \"x\""}, {"query", "/b", "range", "no"}})},
		{"status of its own", "/", base.WithStatus(http.StatusPaymentRequired)},
		{"status of the exchange", "/", &Error{Code: CodeUnimplemented, Message: "not allowed", status: http.StatusMethodNotAllowed}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i, write := range []ErrorWriter{WriteError, WriteProblem} {
				w := httptest.NewRecorder()
				w.Header().Set("Content-Encoding", "gzip") // of the answer that was meant
				for _, name := range []string{"Content-Disposition", "Content-Language", "Content-Location", "Content-Range", "ETag", "Last-Modified", "Cache-Control", "Expires", "Location"} {
					w.Header().Set(name, "of the success")
				}
				for _, name := range []string{"Vary", "Set-Cookie", "Link", "Retry-After", "Www-Authenticate", "Deprecation"} {
					w.Header().Set(name, "of the exchange")
				}
				w.Header().Set("Allow", "GET")
				write(w, httptest.NewRequest("GET", strings.ReplaceAll(test.path, " ", "%20"), nil), test.err)
				body := w.Body.Bytes()
				if err := checkText(body); err != nil {
					t.Errorf("%s: %s: %v", test.name, body, err)
				}
				if i == 0 || test.name == "message" || strings.Contains(test.name, "path") || strings.Contains(test.name, "phrase") || strings.Contains(test.name, "order") {
					fmt.Fprintf(&out, "%s\n%d %s %s %s\n%s\n\n", test.name, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"), w.Header().Get("Allow"), body)
				}
				if all := fmt.Sprint(w.Header()); strings.Contains(all, "of the success") || strings.Count(all, "of the exchange") != 6 {
					t.Errorf("%s: %s", test.name, all)
				}
				if w.Header().Get("Content-Encoding") != "" || w.Header().Get("X-Content-Type-Options") != "nosniff" || bytes.Contains(body, []byte("secret")) {
					t.Errorf("%s: %v\n%s", test.name, w.Header(), body)
				}
			}
		})
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
				case test.log != "" && (strings.Count(line, "level=") != len(parts) || !strings.Contains(line, parts[len(parts)-1]) && i == 0 || !strings.Contains(line, "level="+level) || i == 0 && !strings.Contains(line, part) || !strings.Contains(line, "method=GET path=/some/path ")):
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

// What follows is what middleware reads of a request and cannot be seen from
// outside in full: prefixes of paths, versions in them and in queries, bodies and
// deadlines of profiles, and the deadlines of answers.

// An answerWriter notes its write deadlines. It cannot flush.
type answerWriter struct {
	http.ResponseWriter
	deadlines []time.Time
}

func (w *answerWriter) SetWriteDeadline(d time.Time) error {
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
			w := &answerWriter{ResponseWriter: struct{ http.ResponseWriter }{httptest.NewRecorder()}}
			got := protectAnswer(w, r)
			if test.time == 0 {
				if got != http.ResponseWriter(w) || len(w.deadlines) > 0 {
					t.Errorf("%s: %T, %v", test.name, got, w.deadlines)
				}
				if n := testing.AllocsPerRun(10, func() { protectAnswer(w, r) }); n > 0 {
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
		if err := checkSite(httptest.NewRecorder(), r); (err == nil) != allowed {
			t.Errorf("allowed %t: %v", allowed, err)
		}
	}
}

func TestCutPrefixPath(t *testing.T) {
	for _, test := range []struct {
		path, prefix, rest string
		ok                 bool
	}{
		{"/a", "/a", "", true},
		{"/a/", "/a", "", true},
		{"/a/b", "/a", "b", true},
		{"/a/b/", "/a", "b/", true},
		{"/a//b", "/a", "/b", true},
		{"/a/../b", "/a", "../b", true},
		{"/ab", "/a", "b", false},
		{"/a.", "/a", ".", false},
		{"//a", "/a", "//a", false},
		{"/A", "/a", "/A", false},
		{"/b/a", "/a", "/b/a", false},
		{"", "/a", "", false},
		{"*", "/a", "*", false},
		{"/a", "", "a", true},
	} {
		t.Run(rowName(test.path, test.prefix), func(t *testing.T) {
			rest, ok := cutPrefixPath(test.path, test.prefix)
			if ok != test.ok || ok && rest != test.rest {
				t.Errorf("cutPrefixPath(%q, %q) = %q, %t; want %q, %t", test.path, test.prefix, rest, ok, test.rest, test.ok)
			}
		})
	}
}

func TestPathVersion(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/v1/todos", "v1"},
		{"/V1/todos", "V1"},
		{"/v1/", "v1"},
		{"/v1//", "v1"},
		{"/v10/", "v10"},
		{"/v1.2.3/", "v1.2.3"},
		{"/v2025.03.01/x", "v2025.03.01"},
		{"/v1", ""},
		{"/v1?/", ""},
		{"/api/v1/todos", ""},
		{"//v1/todos", ""},
		{"v1/todos", ""},
		{"/v/", ""},
		{"/va/", ""},
		{"/v1..2/", ""},
		{"/v1./", ""},
		{"/v.1/", ""},
		{"/vv1/", ""},
		{"/1/", ""},
		{"/v1a/", ""},
		{"/v1 /", ""},
		{"/v１/", ""},
		{"/v1\r\n/", ""},
		{"/v1\x00/", ""},
		{"/", ""},
		{"", ""},
		{"*", ""},
	} {
		t.Run(rowName(test.path), func(t *testing.T) {
			v := newVersioning(VersionOptions{PathPrefix: true})
			got, ok := v.detectVersion(&http.Request{URL: &url.URL{Path: test.path}})
			if got != test.want || !ok {
				t.Errorf("%q: %q, %t; want %q", test.path, got, ok, test.want)
			}
		})
	}
}

// FuzzFindParameter verifies that findParameter finds what url.ParseQuery finds,
// where that finds all there is.
func FuzzFindParameter(f *testing.F) {
	for _, query := range []string{"", "version=1", "x=1&version=2&version=3", "v%65rsion=%31+", "version", "version=&version=2", "version=%", "version=1;2", "a;b&version=1", "&&version==", "%=1&version=2"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		got, ok := findParameter(query, "version")
		want, err := url.ParseQuery(query)
		if err == nil && (got != want.Get("version") || !ok) {
			t.Errorf("%q: %q, %t; want %q", query, got, ok, want.Get("version"))
		}
		if ok && got != want.Get("version") || !ok && got == "" {
			t.Errorf("%q: %q, %t; url.ParseQuery has %q", query, got, ok, want["version"])
		}
	})
}

// Verify that the server's WriteTimeout does not count the time that was asked
// for, and that without one nothing is limited.
func TestPprofExtendsWriteTimeout(t *testing.T) {
	for _, server := range []*http.Server{{WriteTimeout: 1}, {}} {
		ctx, cancel := context.WithCancel(context.WithValue(context.Background(), http.ServerContextKey, server))
		cancel() // so the recording ends at once
		w := newDeadlineWriter()
		Pprof("")(nil).ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/trace?seconds=300", nil).WithContext(ctx))
		isLate := func(at time.Time) bool { return time.Until(at) > time.Minute }
		if got := slices.ContainsFunc(w.writeDeadlines, isLate); got != (server.WriteTimeout > 0) || w.Code != http.StatusOK {
			t.Errorf("with a WriteTimeout of %d: status %d, deadlines %v", server.WriteTimeout, w.Code, w.writeDeadlines)
		}
	}
}

func TestPprofBody(t *testing.T) {
	for _, test := range []struct {
		name   string
		body   io.Reader
		status int
	}{
		{"none", nil, http.StatusOK},
		{"short", strings.NewReader("abc"), http.StatusOK},
		{"the limit", strings.NewReader(strings.Repeat("a", DefaultMaxBody)), http.StatusOK},
		{"too long", strings.NewReader(strings.Repeat("a", DefaultMaxBody+1)), http.StatusRequestEntityTooLarge},
		{"broken", io.MultiReader(strings.NewReader("abc"), pprofBroken{io.ErrUnexpectedEOF}), http.StatusBadRequest},
		{"too slow", pprofBroken{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}}, http.StatusRequestTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newDeadlineWriter()
			Pprof("")(nil).ServeHTTP(w, httptest.NewRequest("POST", "/debug/pprof/symbol", test.body))
			if w.Code != test.status {
				t.Errorf("%s: status %d (%s), want %d", test.name, w.Code, w.Body, test.status)
			}
			if want := test.body != nil; (len(w.readDeadlines) == 1) != want {
				t.Errorf("%s: %d read deadlines", test.name, len(w.readDeadlines))
			}
		})
	}
}

// pprofBroken is a body that fails.
type pprofBroken struct{ err error }

func (b pprofBroken) Read([]byte) (int, error) { return 0, b.err }

// A deadlineWriter is a response writer of a connection that has deadlines.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	readDeadlines, writeDeadlines []time.Time
}

func newDeadlineWriter() *deadlineWriter {
	return &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
}

func (w *deadlineWriter) SetReadDeadline(t time.Time) error {
	w.readDeadlines = append(w.readDeadlines, t)
	return nil
}

func (w *deadlineWriter) SetWriteDeadline(t time.Time) error {
	w.writeDeadlines = append(w.writeDeadlines, t)
	return nil
}

// Verify which known name an unknown one is taken for.
func TestSuggestName(t *testing.T) {
	for _, test := range []struct{ name, known, want string }{
		{"Description", "title,description", "description"},
		{"per-page", "page,per_page", "per_page"},
		{"perPage", "page,per_page", "per_page"},
		{"created_at", "createdAt,created", "createdAt"},
		{"__ID", "id", "id"},
		{"titel", "title", "title"}, // one swap
		{"tieltt", "title", ""},     // three of six
		{"titl", "title", "title"},
		{"titlle", "title", "title"},
		{"colour", "color,colors", "color"}, // the first of two
		{"descripton", "description", "description"},
		{"descrptn", "description", ""}, // three of eight
		{"discripton", "description", "description"},
		{"name", "game", "game"},
		{"nam", "name", "name"},
		{"na", "name", ""},
		{"no", "to", ""},
		{"ide", "id", "id"},
		{"x", "y", ""},
		{"", "id", ""},
		{"größe", "grösse", ""},
		{"größen", "größe", "größe"},
		{"ÄRGER", "ärger", "ärger"},
		{"limit", "", ""},
		{strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 65)},
		{strings.Repeat("x", 65), strings.Repeat("x", 64), ""},
	} {
		t.Run(rowName(test.name, test.known), func(t *testing.T) {
			want := `; did you mean "` + test.want + `"?`
			if test.want == "" {
				want = ""
			}
			if got := suggestName(test.name, strings.Split(test.known, ",")); got != want {
				t.Errorf("%q of %s: %q, want %q", test.name, test.known, got, want)
			}
		})
	}
}

// editDistanceByHand is the definition, for an oracle.
func editDistanceByHand(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return editDistanceByHand(a[1:], b[1:])
	}
	least := min(editDistanceByHand(a[1:], b), editDistanceByHand(a, b[1:]), editDistanceByHand(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, editDistanceByHand(a[2:], b[2:]))
	}
	return 1 + least
}

func FuzzEditDistance(f *testing.F) {
	f.Add("kitten", "sitting")
	f.Add("", "ab")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := []rune(a), []rune(b)
		x, y = x[:min(len(x), 6)], y[:min(len(y), 6)]
		if got, want := editDistance(x, y), editDistanceByHand(x, y); got != want {
			t.Errorf("%q to %q: %d, want %d", string(x), string(y), got, want)
		}
		if got := suggestName(a, []string{b}); got != "" && got != `; did you mean "`+b+`"?` {
			t.Errorf("%q of %q: %q", a, b, got)
		}
	})
}
