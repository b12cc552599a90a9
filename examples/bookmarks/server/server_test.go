package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
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

var update = flag.Bool("update", false, "write testdata")

// Verify that what clients of the last release use is still there.
func TestReleased(t *testing.T) {
	svc.CheckReleased(t, newService(nil, nil, nil), "../testdata/released.json", *update)
}

// Verify that client.ts, with which programs in TypeScript are built, is that of this server.
func TestTypeScript(t *testing.T) {
	svc.CheckClient(t, newService(nil, nil, nil), "../client.ts", *update)
}

// Verify that openapi.json is the document of this server: reviews see what a change does to it.
func TestDocument(t *testing.T) {
	svc.CheckDocument(t, newService(nil, nil, nil), "../openapi.json", "3.1", *update)
}

// Verify the tools of assistants. The tests of svc hold them to what all hosts take.
func TestTools(t *testing.T) {
	r, w := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	newService(nil, nil, nil).MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey(make([]byte, 32))}).ServeHTTP(w, r)
	list := new(bytes.Buffer)
	if err := json.Indent(list, w.Body.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	const file = "../testdata/tools.json"
	if *update {
		if err := os.WriteFile(file, list.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(list.Bytes(), want) {
		t.Errorf("%v: the tools are\n%s\nRun the test with -update to accept them", err, list)
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
		w.Write([]byte(`{"id":7,"title":"Milk","item":{"kind":"note","text":"Buy milk"},"tags":[],"created_at":"2026-01-01T00:00:00Z"}`))
	}))
	defer server.Close()
	client, _ := bookmarks.Connect(server.URL, "secret", nil)
	b, err := client.Create(t.Context(), &bookmarks.NewBookmark{Title: "Milk", Item: bookmarks.Item{Note: &bookmarks.Note{Text: "Buy milk"}}})
	if err != nil || b.ID != 7 || b.Item.Note.Text != "Buy milk" || requests != 2 {
		t.Errorf("with a key: %+v, %v after %d requests", b, err, requests)
	}
	requests = 0
	_, err = client.Import(t.Context(), &bookmarks.Table{Table: svc.NewBody(strings.NewReader("x"), "text/csv")})
	if svc.CodeOf(err) != svc.CodeUnavailable || requests != 1 {
		t.Errorf("without a key: %v after %d requests", err, requests)
	}
}

// serve starts a server on the database of DATABASE_URL, and returns its handler, and a
// client and its token, whose bookmarks no other test has.
func serve(t *testing.T, scopes ...string) (http.Handler, *bookmarks.Client, string) {
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
	return server.Config.Handler, client, token
}

// call sends a request such as "GET /bookmarks", with headers such as "If-Match: *".
func call(handler http.Handler, token, request, body string, headers ...string) *httptest.ResponseRecorder {
	method, target, _ := strings.Cut(request, " ")
	r, w := httptest.NewRequest(method, target, strings.NewReader(body)), httptest.NewRecorder()
	if token != "" {
		headers = append(headers, "Authorization: Bearer "+token)
	}
	for _, header := range headers {
		if name, value, ok := strings.Cut(header, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	handler.ServeHTTP(w, r)
	return w
}

// Verify status and body of one answer after the other. ID is that of the newest bookmark.
func TestService(t *testing.T) {
	handler, _, token := serve(t, "bookmarks:read", "bookmarks:write")
	id := "0"
	for _, test := range []struct{ request, body, header, want string }{
		{"POST /bookmarks", `{"title":"Go","item":{"kind":"link","url":"https://go.dev"}}`, "Idempotency-Key: 1", `201 {"id":ID,"title":"Go","item":{"kind":"link","url":"https://go.dev"},"tags":[],`},
		{"POST /bookmarks", `{"title":"Go","item":{"kind":"link","url":"https://go.dev"}}`, "Idempotency-Key: 1", `201 {"id":ID,`},
		{"POST /bookmarks", `{"title":"No","item":{"kind":"link","url":"https://go.dev"}}`, "Idempotency-Key: 1", `422 `},
		{"POST /bookmarks", `{"title":"No","item":{"kind":"link","url":"https://go.dev"}}`, "Idempotency-Key: 2", `"ALREADY_EXISTS"`},
		{"POST /bookmarks", `{"title":"","item":{"kind":"link","url":"gopher://go.dev"}}`, "", `must have at least 1 character`},
		{"POST /bookmarks", `{"title":"Go","item":{"kind":"page","url":"https://go.dev"}}`, "", `must be one of link, note, file`},
		{"POST /bookmarks", `{"title":"Go","item":{"kind":"note","text":"a\u0000b"},"tags":["go"]}`, "", `400 `},
		{"POST /mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bookmarks_list","arguments":{}}}`, "Accept: application/json, text/event-stream", `"structuredContent":{"data":[{"id":ID,"title":"Go",`},
		{"PATCH /bookmarks/ID", `{"title":"Gopher","tags":["a","b"]}`, `If-Match: "1", "2"`, `200 {"id":ID,"title":"Gopher","item":{"kind":"link","url":"https://go.dev"},"tags":["a","b"]`},
		{"PATCH /bookmarks/ID", `{"title":"Go"}`, `If-Match: "1"`, `412 {"error":{"code":"FAILED_PRECONDITION","message":"the bookmark has changed; get it again","reason":"bookmark_changed"}}`},
		{"PATCH /bookmarks/ID", `{"tags":null}`, "", `200 {"id":ID,"title":"Gopher","item":{"kind":"link","url":"https://go.dev"},"tags":[]`},
		{"GET /bookmarks/ID", "", `If-None-Match: "3"`, "304"},
		{"GET /bookmarks/ID/file", "", "", `404 {"error":{"code":"NOT_FOUND"`},
		{"POST /bookmarks/import", "https://go.dev/x,X,a b\nhttps://go.dev,Go,", "", `200 {"added":1,"known":1}`},
		{"POST /bookmarks/import", "https://go.dev,Go,\ngopher://go.dev,Go,", "", `line 2: invalid input: /item/url must be an address of http or https`},
		{"POST /bookmarks/import", "https://go.dev", "", `line 1 is not an address, a title and tags in CSV`},
		{"POST /bookmarks", `{"title":"Hello","item":{"kind":"file","name":"a.txt","type":"text/plain","data":"aGVsbG8="}}`, "", `"item":{"kind":"file","name":"a.txt","type":"text/plain"},`},
		{"GET /bookmarks/ID/file", "", "Range: bytes=1-3", "206 ell"},
		{"GET /bookmarks/export", "", "", "200 https://go.dev/x,X,a b\nhttps://go.dev,Gopher,\n"},
		{"DELETE /bookmarks/ID", "", "", "204"},
		{"DELETE /bookmarks/ID", "", "", "404"},
		{"GET /bookmarks?cursor=x", "", "", `"in":"query","path":"/cursor"`},
	} {
		kind := "application/json"
		if strings.HasSuffix(test.request, "import") {
			kind = "text/csv"
		}
		w := call(handler, token, strings.ReplaceAll(test.request, "ID", id), test.body, test.header, "Content-Type: "+kind)
		if place, ok := strings.CutPrefix(w.Header().Get("Location"), "/bookmarks/"); ok {
			id = place
		}
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.Contains(got, strings.ReplaceAll(test.want, "ID", id)) {
			t.Errorf("%s %s: %s, want %s", test.request, test.body, got, test.want)
		}
	}
}

// Verify that pages have everything once and in order, what search finds, and that a
// stream has all of it and what comes while it runs. Another owner sees nothing.
func TestListAndWatch(t *testing.T) {
	_, client, _ := serve(t, "bookmarks:read", "bookmarks:write")
	_, other, _ := serve(t, "bookmarks:read")
	add := func(i int) {
		in := &bookmarks.NewBookmark{Title: fmt.Sprint("Page number ", i), Tags: []string{fmt.Sprint("t", i%2), "all"}}
		if in.Item.Link = &(bookmarks.Link{URL: fmt.Sprint("https://go.dev/", i)}); i%5 == 0 {
			in.Item = bookmarks.Item{Note: &bookmarks.Note{Text: "of another page"}}
		}
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
	all, tagged, none := list(client, bookmarks.Filter{}), list(client, bookmarks.Filter{Tags: []string{"t1", "all"}}), list(other, bookmarks.Filter{})
	words, notes := list(client, bookmarks.Filter{Query: `"pages numbers"`}), list(client, bookmarks.Filter{Query: "another", Kind: "note"})
	if all != 25 || tagged != 12 || none != 0 || words != 25 || notes != 5 {
		t.Errorf("%d in all, %d with tags, %d of another owner, %d with words, %d notes", all, tagged, none, words, notes)
	}
	stream, err := client.Watch(t.Context(), &bookmarks.Since{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for b, err := range stream {
		if err != nil || b.Title != fmt.Sprint("Page number ", n) {
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
	up, _, token := serve(t, "bookmarks:read")
	pool, _ := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/x") // nothing listens there
	stopped, stop := context.WithCancel(t.Context())
	stop()
	down := newHandler(stopped, &postgres{pool, make([]byte, 32)}, nil)
	for _, test := range []struct {
		handler              http.Handler
		request, token, want string
	}{
		{up, "GET /bookmarks", "", `401 {"error":{"code":"UNAUTHENTICATED"`},
		{up, "GET /bookmarks", token + "x", `401 {"error":{"code":"UNAUTHENTICATED"`},
		{up, "GET /bookmarks", token, `200 {"data":[]`},
		{up, "DELETE /bookmarks/1", token, `403 {"error":{"code":"PERMISSION_DENIED"`},
		{up, "GET /livez", "", "200"}, {up, "GET /readyz", "", "200"},
		{up, "GET /openapi.json", "", `200 {"openapi":"3.0.3"`},
		{up, "GET /metrics", "", `method="bookmarks.delete",code="PERMISSION_DENIED"} 1`},
		{down, "GET /bookmarks", token, `503 {"error":{"code":"UNAVAILABLE"`},
		{down, "GET /livez", "", "200"}, {down, "GET /readyz", "", `503 {"error":{"code":"UNAVAILABLE","message":"the server is stopping; come back"`},
	} {
		w := call(test.handler, test.token, test.request, "")
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.Contains(got, test.want) || strings.HasSuffix(test.request, "bookmarks") && w.Code == 503 && w.Header().Get("Retry-After") != "1" {
			t.Errorf("%s: %s %v, want %s", test.request, got, w.Header(), test.want)
		}
	}
	before, after := call(up, "", "GET /livez", "").Header(), call(down, "", "GET /livez", "").Header()
	if before.Get("Connection") != "" || after.Get("Connection") != "close" {
		t.Errorf("GET /livez: %v, and when the process is about to stop %v; want Connection: close then", before, after)
	}
}
