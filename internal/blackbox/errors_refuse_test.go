package blackbox_test

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

	"example.com/svc"
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

// Verify that a body that is refused unread is given a time limit, and the
// connection its end; and that a server's own limit is not made longer.
func TestRefuseLeavesBody(t *testing.T) {
	timed := &http.Server{ReadTimeout: time.Second}
	for _, test := range []struct {
		name      string
		body      io.Reader
		major     int
		server    *http.Server
		deadlines int
		close     string
	}{
		{"no body", nil, 1, &http.Server{}, 0, ""},
		{"http.NoBody", http.NoBody, 1, &http.Server{}, 0, ""},
		{"a body", strings.NewReader("x"), 1, &http.Server{}, 1, "close"},
		{"a body of unknown length", io.MultiReader(strings.NewReader("x")), 1, &http.Server{}, 1, "close"},
		{"a body, no server", strings.NewReader("x"), 1, nil, 1, "close"},
		{"a body, with ReadTimeout", strings.NewReader("x"), 1, timed, 0, "close"},
		{"a body of HTTP/2", strings.NewReader("x"), 2, &http.Server{}, 1, ""},
	} {
		r := httptest.NewRequest("POST", "/", test.body)
		r.ProtoMajor = test.major
		if test.server != nil {
			r = r.WithContext(guardContext(r, test.server))
		}
		for name, mw := range map[string]func(http.Handler) http.Handler{
			"BasicAuth": svc.BasicAuth("", nil, nil),
			"AllowIPs":  svc.AllowIPs(nil),
			"Version":   svc.Version(svc.VersionOptions{Supported: []string{"1"}}),
		} {
			w := guardServe(mw, r)
			if got := w.Header().Get("Connection"); len(w.readDeadlines) != test.deadlines || got != test.close || w.Code < 400 {
				t.Errorf("%s, %s: %d deadlines, Connection %q, status %d; want %d, %q, a refusal", name, test.name, len(w.readDeadlines), got, w.Code, test.deadlines, test.close)
			}
		}
	}
}

// Verify over a socket that a client that sends no more than the header of a
// request with a body gets its refusal all the same.
func TestRefuseAnswersStalledClient(t *testing.T) {
	server := httptest.NewServer(svc.BasicAuth("", nil, nil)(guardPassed()))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || !resp.Close {
		t.Errorf("%s, Connection: close is %t; want 401, true", resp.Status, resp.Close)
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
