package svc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A guardWriter is a response writer of a connection that has deadlines.
type guardWriter struct {
	*httptest.ResponseRecorder
	readDeadlines, writeDeadlines []time.Time
}

func newGuardWriter() *guardWriter { return &guardWriter{ResponseRecorder: httptest.NewRecorder()} }

func (w *guardWriter) SetReadDeadline(t time.Time) error {
	w.readDeadlines = append(w.readDeadlines, t)
	return nil
}

func (w *guardWriter) SetWriteDeadline(t time.Time) error {
	w.writeDeadlines = append(w.writeDeadlines, t)
	return nil
}

// guardServe runs the request through middleware in front of a handler that
// answers 200 "passed".
func guardServe(mw func(http.Handler) http.Handler, r *http.Request) *guardWriter {
	w := newGuardWriter()
	mw(guardPassed()).ServeHTTP(w, r)
	return w
}

func guardPassed() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "passed") })
}

func guardContext(r *http.Request, s *http.Server) context.Context {
	return context.WithValue(r.Context(), http.ServerContextKey, s)
}

// guardPanic returns what f panics with, or nil.
func guardPanic(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// Verify that a body that is refused unread is given a time limit, or net/http
// would wait for it for ever before it answers; and that a server's own limit
// is not made longer.
func TestRefuseLimitsUnreadBody(t *testing.T) {
	timed := &http.Server{ReadTimeout: time.Second}
	for _, test := range []struct {
		name   string
		method string
		body   io.Reader
		server *http.Server
		want   int
	}{
		{"no body", "GET", nil, &http.Server{}, 0},
		{"http.NoBody", "POST", http.NoBody, &http.Server{}, 0},
		{"a body", "POST", strings.NewReader("x"), &http.Server{}, 1},
		{"a body, no server", "POST", strings.NewReader("x"), nil, 1},
		{"a body, with ReadTimeout", "POST", strings.NewReader("x"), timed, 0},
	} {
		r := httptest.NewRequest(test.method, "/", test.body)
		if test.server != nil {
			r = r.WithContext(guardContext(r, test.server))
		}
		for name, mw := range map[string]func(http.Handler) http.Handler{
			"BasicAuth": BasicAuth("", nil, nil),
			"AllowIPs":  AllowIPs(nil),
			"Version":   Version(VersionOptions{Supported: []string{"1"}}),
		} {
			if w := guardServe(mw, r); len(w.readDeadlines) != test.want || w.Code < 400 {
				t.Errorf("%s, %s: %d deadlines, status %d; want %d, a refusal", name, test.name, len(w.readDeadlines), w.Code, test.want)
			}
		}
	}
}

// rawGet sends a GET request for target, which no client cleans or checks, and
// returns status and body.
func rawGet(t *testing.T, addr, target string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", target, addr)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("GET %s: %v", target, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", target, err)
	}
	return resp.StatusCode, string(body)
}
