package main

import (
	"context"
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"example.com/svc"
)

// This file has the record with versions, a log of how requests for it were answered,
// and the requests that curl makes.

// A Version is a record whose ETag is its version.
type Version struct {
	ID   string `json:"id"`
	N    int64  `json:"n"`
	ETag string `json:"-" header:"ETag"`
}

// A VersionID names a record. All names are of the same one.
type VersionID struct {
	ID string `json:"id"`
}

// NextVersion asks for the version after one that the client has seen.
type NextVersion struct {
	ID      string `json:"id"`
	IfMatch string `json:"ifMatch" header:"If-Match"`
}

func newVersion(id string, n int64) *Version {
	return &Version{id, n, fmt.Sprintf(`"v%d"`, n)}
}

func (c *counter) Get(_ context.Context, in *VersionID) (*Version, error) {
	return newVersion(in.ID, c.version.Load()), nil
}

// Search answers with the version that was asked for.
func (c *counter) Search(_ context.Context, in *SetCount) (*Version, error) {
	return newVersion(in.ID, in.N), nil
}

// Patch succeeds for one of those who have seen the same version.
func (c *counter) Patch(_ context.Context, in *NextVersion) (*Version, error) {
	seen := c.version.Load()
	if in.IfMatch != newVersion(in.ID, seen).ETag || !c.version.CompareAndSwap(seen, seen+1) {
		return nil, svc.Errorf(svc.CodeFailedPrecondition, "the record has changed").
			WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", newVersion(in.ID, c.version.Load()).ETag)
	}
	return newVersion(in.ID, seen+1), nil
}

// An answerLog notes how requests for the record were answered: a page is shown 200
// for what its browser had revalidated.
type answerLog struct {
	next http.Handler
	mu   sync.Mutex
	seen []string
}

func (l *answerLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := &statusWriter{ResponseWriter: w}
	l.next.ServeHTTP(s, r)
	if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/counter_api/") {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seen = append(l.seen, strings.TrimSpace(fmt.Sprintf("%s %d", r.Header.Get("If-None-Match"), s.status)))
	}
}

// report writes what was seen and forgets it.
func (l *answerLog) report(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprint(w, strings.Join(l.seen, ", "))
	l.seen = nil
}

// A statusWriter notes the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// runCurl has curl fetch the record, keep its ETag, fetch it again and change it.
func runCurl(ctx context.Context, server, origin string) error {
	dir, err := os.MkdirTemp("", "svc-curl-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tag, get := filepath.Join(dir, "etag"), server+"/counter_api/a"
	again := []string{get, "--etag-compare", tag}
	change := []string{"-X", "PATCH", get, "-H", `If-Match: "v0"`}
	// A 304 has no header of a body but those that a cache needs (RFC 9110, section 15.4.5).
	whole, unchanged := []string{`Etag: "v0"`, "Vary: Origin", "Content-Type: application/json", "Content-Length: 16"}, []string{`Etag: "v0"`, "Vary: Origin"}
	for _, test := range []struct {
		name, status string
		args         []string
		headers      []string
		body         string
	}{
		{"a first request", "200", []string{get, "--etag-save", tag}, whole, `{"id":"a","n":0}`},
		{"the same again", "304", again, unchanged, ""},
		{"by HEAD", "304", []string{"-I", get, "-H", `If-None-Match: "x", W/"v0"`}, unchanged, ""},
		{"any version", "304", []string{get, "-H", "If-None-Match: *"}, unchanged, ""},
		{"for a page of another origin", "304", append(again, "-H", "Origin: "+origin), append(unchanged, "Access-Control-Allow-Origin: "+origin), ""},
		{"a change of what was seen", "200", change, []string{`Etag: "v1"`}, `{"id":"a","n":1}`},
		{"a change of what has changed", "412", change, []string{`Etag: "v1"`}, `{"error":{"code":"FAILED_PRECONDITION","message":"the record has changed"}}`},
		{"a change without a condition", "400", change[:3], nil, `{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /If-Match is required","details":{"violations":[{"in":"header","path":"/If-Match","rule":"required","message":"is required"}]}}}`},
		{"after the change", "200", again, []string{`Etag: "v1"`}, `{"id":"a","n":1}`},
	} {
		out, err := exec.CommandContext(ctx, "curl", append([]string{"--silent", "--show-error", "--include"}, test.args...)...).Output()
		if err != nil {
			return fmt.Errorf("curl, %s: %w", test.name, err)
		}
		head, body, _ := strings.Cut(string(out), "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		for i, line := range lines[1:] {
			name, value, _ := strings.Cut(line, ":")
			lines[i+1] = textproto.CanonicalMIMEHeaderKey(name) + ":" + value
		}
		ok := strings.HasPrefix(lines[0], "HTTP/1.1 "+test.status) && body == test.body
		for _, want := range test.headers {
			ok = ok && slices.Contains(lines, want)
		}
		if !ok || test.status == "304" && strings.Contains(head, "Content-Length") || test.status == "304" && strings.Contains(head, "Content-Type:") {
			return fmt.Errorf("curl, %s: got\n%s\n%s\nwant %s with %q and %s", test.name, strings.Join(lines, "\n"), body, test.status, test.headers, test.body)
		}
		fmt.Printf("ok: curl, %s: %s\n", test.name, test.status)
	}
	return nil
}
