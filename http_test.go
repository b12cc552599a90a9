package svc

// This file has what middleware reads of a request and cannot be seen from
// outside in full: prefixes of paths, versions in them and in queries, bodies and
// deadlines of profiles, and the deadlines of answers.

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// An answerWriter notes its write deadlines. It cannot flush.
type answerWriter struct {
	http.ResponseWriter
	deadlines []time.Time
}

func (w *answerWriter) SetWriteDeadline(d time.Time) error {
	w.deadlines = append(w.deadlines, d)
	return nil
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
			continue
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
	}
}

// Verify that a request whose Origin is allowed by name may come from elsewhere.
func TestAllowedOrigin(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if allowed {
			r = r.WithContext(withAllowedOrigin(r.Context()))
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
