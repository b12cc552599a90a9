package svc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
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
		t.Run(rowName(test.http, test.code), func(t *testing.T) {
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
		{Errorf(CodeNotFound, "b: %w", error(nil)), "b: %!w(<nil>)", "NOT_FOUND: b: %!w(<nil>)", nil},
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
			if body := string(appendEnvelope(nil, test.got)); len(test.causes) > 0 &&
				strings.Contains(strings.ReplaceAll(body, "secretError", ""), "secret") {
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
	status := &Error{Code: CodeResourceExhausted, sentParts: sentParts{status: http.StatusRequestEntityTooLarge}}
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
	if e := ErrorFrom((*url.Error)(nil)); e.Code != CodeInternal || !strings.Contains(e.Error(), "an error that is a nil *url.Error") {
		t.Errorf("%v does not name the type of the error that is nil", e)
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

// A panicker is a detail that cannot be looked at.
type panicker struct{}

func (panicker) MarshalJSON() ([]byte, error) { panic("a detail panics") }

// Verify the bytes of error answers: testdata/errors/http.txt.
func TestErrorBodies(t *testing.T) {
	base := Errorf(CodeNotFound, "no todo %q <&>\u2028", "7")
	out := transcript{file: "errors/http.txt"}
	rows := []struct {
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
		{"violations", "/", base.WithDetail("violations", []Violation{{In: "body", Path: "/a", Rule: "type", Message: "must be \"x\""}, {In: "query", Path: "/b", Rule: "range", Message: "no"}})},
		{"status of its own", "/", base.WithStatus(http.StatusPaymentRequired)},
		{"status of the exchange", "/", &Error{Code: CodeUnimplemented, Message: "not allowed", sentParts: sentParts{status: http.StatusMethodNotAllowed}}},
	}
	for _, test := range rows {
		t.Run(test.name, func(t *testing.T) {
			var part bytes.Buffer
			for i, write := range []ErrorWriter{WriteError, WriteProblem} {
				w := httptest.NewRecorder()
				for _, name := range []string{"Content-Disposition", "Content-Range", "ETag", "Last-Modified", "Cache-Control", "Expires", "Location"} {
					w.Header().Set(name, "of the success")
				}
				for _, name := range []string{"Vary", "Set-Cookie", "Link", "Retry-After", "Www-Authenticate", "Deprecation", "Content-Language"} {
					w.Header().Set(name, "of the exchange")
				}
				w.Header().Set("Allow", "GET")
				write(w, httptest.NewRequest("GET", strings.ReplaceAll(test.path, " ", "%20"), nil), test.err)
				body := w.Body.Bytes()
				if err := checkText(body); err != nil {
					t.Errorf("%s: %s: %v", test.name, body, err)
				}
				if i == 0 || test.name == "message" || strings.Contains(test.name, "path") || strings.Contains(test.name, "phrase") ||
					strings.Contains(test.name, "order") {
					fmt.Fprintf(&part, "%s\n%d %s %s %s\n%s\n\n", test.name, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Content-Length"),
						w.Header().Get("Allow"), body)
				}
				if all := fmt.Sprint(w.Header()); strings.Contains(all, "of the success") || strings.Count(all, "of the exchange") != 7 {
					t.Errorf("%s: %s", test.name, all)
				}
				if w.Header().Get("X-Content-Type-Options") != "nosniff" || bytes.Contains(body, []byte("secret")) {
					t.Errorf("%s: %v\n%s", test.name, w.Header(), body)
				}
			}
			out.add(t, part.Bytes())
		})
	}
	out.compare(t, len(rows))
}
