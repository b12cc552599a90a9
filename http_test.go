package svc

// This file has what middleware reads of a request and cannot be seen from
// outside in full: prefixes of paths, versions in them, and bodies and deadlines
// of profiles.

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

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
		rest, ok := cutPrefixPath(test.path, test.prefix)
		if ok != test.ok || ok && rest != test.rest {
			t.Errorf("cutPrefixPath(%q, %q) = %q, %t; want %q, %t", test.path, test.prefix, rest, ok, test.rest, test.ok)
		}
	}
}

// pathVersionRows are path segments and whether they are versions.
var pathVersionRows = []struct {
	segment string
	want    bool
}{
	{"v1", true}, {"V1", true}, {"v10", true}, {"v1.0", true}, {"v1.2.3", true}, {"v0", true}, {"v2025.03.01", true},
	{"api", false}, {"", false}, {"v", false}, {"va", false}, {"v1..2", false}, {"v1.", false}, {"v.1", false}, {"v.", false},
	{"vv1", false}, {"1", false}, {"v1a", false}, {"v-1", false}, {"v1 ", false}, {" v1", false}, {"v１", false}, {"version1", false},
	{"v1\r\n", false}, {"v1\x00", false}, {"6", false}, {"\x56", false},
}

func TestPathVersion(t *testing.T) {
	for _, test := range pathVersionRows {
		if got := isPathVersion(test.segment); got != test.want {
			t.Errorf("isPathVersion(%q) = %t, want %t", test.segment, got, test.want)
		}
	}
	for _, test := range []struct{ path, want string }{
		{"/v1/todos", "v1"},
		{"/V1/todos", "V1"},
		{"/v1/", "v1"},
		{"/v1//", "v1"},
		{"/v1", ""},
		{"/v1?/", ""},
		{"/api/v1/todos", ""},
		{"//v1/todos", ""},
		{"v1/todos", ""},
		{"/", ""},
		{"", ""},
		{"*", ""},
	} {
		if got := parsePathVersion(test.path); got != test.want {
			t.Errorf("parsePathVersion(%q) = %q, want %q", test.path, got, test.want)
		}
	}
}

func FuzzPathVersion(f *testing.F) {
	for _, test := range pathVersionRows {
		f.Add(test.segment)
	}
	pattern := regexp.MustCompile(`\A[vV][0-9]+(\.[0-9]+)*\z`)
	f.Fuzz(func(t *testing.T, segment string) {
		if got, want := isPathVersion(segment), pattern.MatchString(segment); got != want {
			t.Errorf("isPathVersion(%q) = %t, want %t", segment, got, want)
		}
	})
}

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
