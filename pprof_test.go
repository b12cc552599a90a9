package svc

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

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
