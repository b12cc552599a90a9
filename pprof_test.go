package svc

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Verify that the server's WriteTimeout does not count the time that was asked
// for, and that without one nothing is limited.
func TestPprofExtendsWriteTimeout(t *testing.T) {
	for _, test := range []struct {
		server *http.Server
		want   int
	}{
		{&http.Server{WriteTimeout: 1}, 1},
		{&http.Server{}, 0},
	} {
		r, w := httptest.NewRequest("GET", "/debug/pprof/profile?seconds=300", nil), newDeadlineWriter()
		newRecordWriter(w, r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, test.server)), time.Minute)
		if len(w.writeDeadlines) != test.want {
			t.Errorf("with a WriteTimeout of %d: %d deadlines, want %d", test.server.WriteTimeout, len(w.writeDeadlines), test.want)
		}
	}
}

func TestPprofBody(t *testing.T) {
	for _, test := range []struct {
		name   string
		body   io.Reader
		want   string
		status int
	}{
		{"none", nil, "", 0},
		{"short", strings.NewReader("abc"), "abc", 0},
		{"the limit", strings.NewReader(strings.Repeat("a", pprofBodyBytes)), strings.Repeat("a", pprofBodyBytes), 0},
		{"too long", strings.NewReader(strings.Repeat("a", pprofBodyBytes+1)), "", http.StatusRequestEntityTooLarge},
		{"broken", io.MultiReader(strings.NewReader("abc"), pprofBroken{io.ErrUnexpectedEOF}), "", http.StatusBadRequest},
		{"too slow", pprofBroken{&net.OpError{Op: "read", Err: pprofTimeout{}}}, "", http.StatusRequestTimeout},
	} {
		w := newDeadlineWriter()
		body, err := readPprofBody(w, httptest.NewRequest("POST", "/", test.body))
		if err == nil {
			err = &pprofError{}
		}
		if string(body) != test.want || err.status != test.status {
			t.Errorf("%s: %d bytes, status %d (%s); want %d, %d", test.name, len(body), err.status, err.message, len(test.want), test.status)
		}
		if want := test.body != nil; (len(w.readDeadlines) == 1) != want {
			t.Errorf("%s: %d read deadlines", test.name, len(w.readDeadlines))
		}
	}
}

// pprofBroken is a body that fails.
type pprofBroken struct{ err error }

func (b pprofBroken) Read([]byte) (int, error) { return 0, b.err }

// pprofTimeout is what a connection returns after its deadline.
type pprofTimeout struct{}

func (pprofTimeout) Error() string { return "i/o timeout" }

func (pprofTimeout) Timeout() bool { return true }

func (pprofTimeout) Temporary() bool { return true }

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
