package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/bookmarks"
	"example.com/svc"
)

// A fake is a store for the tests of service.go, with one bookmark and no database.
type fake struct {
	store // for methods that a test does not call
	b     bookmarks.Bookmark
}

func (f fake) create(context.Context, string, *bookmarks.NewBookmark) (*bookmarks.Bookmark, error) {
	return &f.b, nil // of a copy
}

func (f fake) list(_ context.Context, _ string, _ *bookmarks.Filter, _ int64) ([]bookmarks.Bookmark, error) {
	return []bookmarks.Bookmark{f.b}, nil
}

func (f fake) change(_ context.Context, owner string, id int64, edit func(*bookmarks.Bookmark) error) (*bookmarks.Bookmark, error) {
	if owner != "ada" || id != f.b.ID {
		return nil, bookmarks.ErrNotFound
	}
	return &f.b, edit(&f.b)
}

var update = flag.Bool("update", false, "write testdata/released.json")

// Verify that what clients of the last release use is still there.
func TestReleased(t *testing.T) {
	svc.CheckReleased(t, newService(fake{}, nil, nil), "../testdata/released.json", *update)
}

// Verify status, headers and body of answers that do not take a database.
func TestService(t *testing.T) {
	service := newService(fake{b: bookmarks.Bookmark{ID: 7, URL: "https://go.dev", Title: "Go", Note: "old", ETag: `"2"`}}, nil, nil)
	for _, test := range []struct{ request, body, ifMatch, status, header, want string }{
		{"POST /bookmarks", `{"url":"https://go.dev","title":"Go"}`, "", "201", "/bookmarks/7", `"note":"old"`},
		{"POST /bookmarks", `{"url":"gopher://go.dev","title":""}`, "", "400", "", `must have at least 1 character`},
		{"POST /bookmarks", `{"url":"https://go.dev","title":"Go","tags":["go","Go!"]}`, "", "400", "", `"path":"/tags/1"`},
		{"PATCH /bookmarks/7", `{"title":"Gopher"}`, `"1", "2"`, "200", "", `"title":"Gopher","note":"old","tags":[]`},
		{"PATCH /bookmarks/7", `{"note":null,"tags":["go"]}`, "*", "200", "", `"title":"Go","tags":["go"]`},
		{"PATCH /bookmarks/7", `{"note":"new"}`, "", "200", "", `"note":"new"`},
		{"PATCH /bookmarks/7", `{"note":"new"}`, `"1"`, "412", "", `"the bookmark has changed; get it again"`},
		{"PATCH /bookmarks/8", `{}`, "", "404", "", `"NOT_FOUND"`},
		{"POST /bookmarks/import", "https://go.dev,Go,,a b\nhttps://go.dev,Go", "", "200", "", `{"added":2,"known":0}`},
		{"POST /bookmarks/import", "https://go.dev,Go\ngopher://go.dev,Go", "", "400", "", `line 2: invalid input: /url`},
		{"POST /bookmarks/import", "https://go.dev", "", "400", "", `line 1 has 1 columns`},
		{"POST /bookmarks/import", "\"https://go.dev", "", "400", "", `line 1 is not a line of CSV`},
		{"GET /bookmarks/export", "", "", "200", "", "https://go.dev,Go,old,\n"},
		{"GET /bookmarks?cursor=x", "", "", "400", "", `"in":"query","path":"/cursor"`},
	} {
		method, target, _ := strings.Cut(test.request, " ")
		r := httptest.NewRequest(method, target, strings.NewReader(test.body))
		r.Header.Set("If-Match", test.ifMatch)
		if target == "/bookmarks/import" {
			r.Header.Set("Content-Type", "text/csv")
		}
		w := httptest.NewRecorder()
		caller := &svc.Principal{Subject: "ada", Scopes: []string{"bookmarks:read", "bookmarks:write"}}
		service.REST().ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), caller)))
		if status := w.Result().Status[:3]; status != test.status || w.Header().Get("Location") != test.header || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %s %v %s", test.request, test.body, status, w.Header(), w.Body)
		}
	}
}

// Verify that a client sends requests again that may run twice, and no others.
func TestClient(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests%2 == 1 {
			svc.WriteError(w, r, bookmarks.ErrUnavailable.WithHeader("Retry-After", "0"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"id":7,"url":"https://go.dev","title":"Go","tags":[],"created_at":"2026-01-01T00:00:00Z"}`))
	}))
	defer server.Close()
	client, _ := bookmarks.Connect(server.URL, "secret", nil)
	b, err := client.Create(t.Context(), &bookmarks.NewBookmark{URL: "https://go.dev", Title: "Go"})
	if err != nil || b.ID != 7 || requests != 2 {
		t.Errorf("with a key: %+v, %v after %d requests", b, err, requests)
	}
	requests = 0
	_, err = client.Import(t.Context(), &bookmarks.Table{Table: svc.NewBody(strings.NewReader("x"), "text/csv")})
	if svc.CodeOf(err) != svc.CodeUnavailable || requests != 1 {
		t.Errorf("without a key: %v after %d requests", err, requests)
	}
}

// serve starts a server on the database of DATABASE_URL, and returns it with a client
// whose bookmarks no other test has.
func serve(t *testing.T, scopes ...string) (*httptest.Server, *bookmarks.Client, string) {
	t.Helper()
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		t.Skip("SKIPPED: set DATABASE_URL to a PostgreSQL database for tests")
	}
	db, err := openPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.pool.Close)
	token, stopping := rand.Text(), make(chan struct{})
	_, err = db.pool.Exec(t.Context(), "insert into tokens values (sha256($1), $2, $3)", []byte(token), rand.Text(), scopes)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newHandler(t.Context(), db, stopping))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(stopping) }) // runs before Close, which waits for streams
	client, _ := bookmarks.Connect(server.URL, token, nil)
	return server, client, token
}

// Verify what the database decides: conflicts, keys, versions.
func TestPostgres(t *testing.T) {
	_, client, _ := serve(t, "bookmarks:read", "bookmarks:write")
	ctx, in := svc.WithIdempotencyKey(t.Context(), "key"), &bookmarks.NewBookmark{URL: "https://go.dev", Title: "The Go language", Tags: []string{"go"}}
	b, err := client.Create(ctx, in)
	if err != nil || b.Location != fmt.Sprint("/bookmarks/", b.ID) || b.ETag != `"1"` {
		t.Fatalf("created %+v, %v", b, err)
	}
	if again, err := client.Create(ctx, in); err != nil || again.ID != b.ID {
		t.Errorf("created again %+v, %v", again, err)
	}
	_, err = client.Create(ctx, &bookmarks.NewBookmark{URL: in.URL, Title: "Go"})
	wantCode(t, err, svc.CodeInvalidArgument)
	ctx = t.Context()
	_, err = client.Create(ctx, &bookmarks.NewBookmark{URL: in.URL, Title: "Go"})
	wantCode(t, err, svc.CodeAlreadyExists)
	_, err = client.Create(ctx, &bookmarks.NewBookmark{URL: in.URL + "/x", Title: "a\x00b"})
	wantCode(t, err, svc.CodeInvalidArgument)
	change := &bookmarks.Change{ID: b.ID, IfMatch: b.ETag}
	change.Note.Set("mascots are gophers")
	if b, err = client.Patch(ctx, change); err != nil || b.ETag != `"2"` || b.Note != "mascots are gophers" || len(b.Tags) != 1 {
		t.Errorf("changed %+v, %v", b, err)
	}
	_, err = client.Patch(ctx, change)
	wantCode(t, err, svc.CodeFailedPrecondition)
	wantCode(t, client.Delete(ctx, &bookmarks.ID{ID: b.ID}), svc.CodeOK)
	wantCode(t, client.Delete(ctx, &bookmarks.ID{ID: b.ID}), svc.CodeNotFound)
}

func wantCode(t *testing.T, err error, want svc.Code) {
	t.Helper()
	if svc.CodeOf(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Verify that pages have everything once and in order, what search finds, and that a
// stream has all of it and what comes while it runs. Another owner sees nothing.
func TestListAndWatch(t *testing.T) {
	_, client, _ := serve(t, "bookmarks:read", "bookmarks:write")
	_, other, _ := serve(t, "bookmarks:read")
	add := func(i int) {
		in := &bookmarks.NewBookmark{URL: fmt.Sprint("https://go.dev/", i), Title: fmt.Sprint("Page number ", i), Tags: []string{fmt.Sprint("t", i%2), "all"}}
		if _, err := client.Create(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 25 {
		add(i)
	}
	list := func(c *bookmarks.Client, f bookmarks.Filter) (n int) {
		f.Limit = 10
		for newest := int64(1 << 62); ; {
			page, err := c.List(t.Context(), &f)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range page.Data {
				if n++; b.ID >= newest || b.ETag != `"1"` {
					t.Errorf("%+v comes after %d", b, newest)
				}
				newest = b.ID
			}
			if f.Cursor = page.NextCursor; !page.HasMore {
				return n
			}
		}
	}
	all, some, words := list(client, bookmarks.Filter{}), list(client, bookmarks.Filter{Tags: []string{"t1", "all"}}), list(client, bookmarks.Filter{Query: `"pages numbers"`})
	if none := list(other, bookmarks.Filter{}); all != 25 || some != 12 || words != 25 || none != 0 {
		t.Errorf("%d in all, %d with tags, %d with words, %d of another owner", all, some, words, none)
	}
	stream, err := client.Watch(t.Context(), &bookmarks.Since{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for b, err := range stream {
		if err != nil || b.URL != fmt.Sprint("https://go.dev/", n) {
			t.Fatalf("item %d is %+v, %v", n, b, err)
		}
		if n++; n == 27 {
			break
		} else if n >= 25 {
			add(n)
		}
	}
}

// Verify who may do what, and what a process answers without a database.
func TestHandler(t *testing.T) {
	server, client, token := serve(t, "bookmarks:read")
	_, err := client.Create(t.Context(), &bookmarks.NewBookmark{URL: "https://go.dev", Title: "Go"})
	wantCode(t, err, svc.CodePermissionDenied)
	pool, _ := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/x") // nothing listens there
	stopped, stop := context.WithCancel(t.Context())
	stop()
	up, down := server.Config.Handler, newHandler(stopped, &postgres{pool}, nil)
	for _, test := range []struct {
		handler           http.Handler
		path, token, want string
	}{
		{up, "/bookmarks", "", `401 {"error":{"code":"UNAUTHENTICATED"`},
		{up, "/bookmarks", token + "x", `401 {"error":{"code":"UNAUTHENTICATED"`},
		{up, "/bookmarks", token, `200 {"data":[]`},
		{up, "/livez", "", "200"}, {up, "/readyz", "", "200"},
		{up, "/openapi.json", "", `200 {"openapi":"3.0.3"`},
		{up, "/metrics", "", `method="bookmarks.create",code="PERMISSION_DENIED"} 1`},
		{down, "/bookmarks", token, `503 {"error":{"code":"UNAVAILABLE"`},
		{down, "/livez", "", "200"}, {down, "/readyz", "", `503 {"error":{"code":"UNAVAILABLE","message":"the server is stopping; come back"`},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		if test.token != "" {
			r.Header.Set("Authorization", "Bearer "+test.token)
		}
		w := httptest.NewRecorder()
		test.handler.ServeHTTP(w, r)
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.Contains(got, test.want) || test.path == "/bookmarks" && w.Code == 503 && w.Header().Get("Retry-After") != "1" {
			t.Errorf("%s: %s %v, want %s", test.path, got, w.Header(), test.want)
		}
	}
}
