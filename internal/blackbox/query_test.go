package blackbox_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests methods by QUERY, a read with a body (RFC 10008).

// QueryAPI searches by QUERY, and by POST with the same input.
type (
	QueryAPI interface {
		Create(context.Context, *QueryFilter) (*QueryFound, error)
		Export(context.Context, *QueryFilter) (*QueryFile, error)
		Search(context.Context, *QueryFilter) (*QueryFound, error)
	}
	QueryFilter struct {
		Shelf    string       `json:"shelf" path:"shelf"`
		Language string       `json:"-" header:"Accept-Language,omitempty"`
		Page     int          `json:"page,omitempty" query:"page" minimum:"1"`
		Words    []string     `json:"words" minItems:"1" maxItems:"500"`
		Any      []QueryRange `json:"any,omitempty"`
	}
	QueryRange struct {
		From int `json:"from" minimum:"0"`
		To   int `json:"to" maximum:"9999"`
	}
	QueryFound struct {
		ETag  string   `json:"-" header:"ETag"`
		Shelf string   `json:"shelf"`
		Words []string `json:"words"`
	}
	QueryFile struct{ svc.File }

	queryImpl struct{ calls int }
)

func (q *queryImpl) Search(_ context.Context, in *QueryFilter) (*QueryFound, error) {
	q.calls++
	return &QueryFound{ETag: `"` + in.Words[0] + `"`, Shelf: in.Shelf, Words: in.Words}, nil
}

func (q *queryImpl) Create(ctx context.Context, in *QueryFilter) (*QueryFound, error) {
	return q.Search(ctx, in)
}

func (q *queryImpl) Export(_ context.Context, in *QueryFilter) (*QueryFile, error) {
	text := strings.Join(in.Words, ",")
	return &QueryFile{svc.File{Content: strings.NewReader(text), ETag: `"` + text + `"`, ContentType: "text/csv"}}, nil
}

func queryOptions() *svc.Options {
	return &svc.Options{Name: "Shelves", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Create": {HTTP: "POST /shelves/{shelf}"},
		"Export": {HTTP: "QUERY /shelves/{shelf}/export"},
		"Search": {HTTP: "QUERY /shelves/{shelf}"},
	}}
}

func newQueries() (*svc.Service, *queryImpl) {
	impl := &queryImpl{}
	return svc.MustRegister[QueryAPI](impl, queryOptions()), impl
}

// Verify that a QUERY is checked as a POST with the same body, but for the Content-Type that
// it must name.
func TestQuery(t *testing.T) {
	s, impl := newQueries()
	h := s.REST()
	long := `{"words":["` + strings.Repeat(`word","`, 499) + `w"],"any":[` + strings.Repeat(`{"from":1,"to":2},`, 80) + `{"from":1,"to":2}]}`
	if len(long) < 4<<10 {
		t.Fatalf("the long filter has %d bytes", len(long))
	}
	for _, test := range []struct {
		path, body, contentType string
		status                  int
	}{
		{"/shelves/a", `{"words":["x"]}`, "application/json", 200},
		{"/shelves/a", long, "application/json", 200},
		{"/shelves/a?page=2", `{"words":["x"]}`, "application/json; charset=utf-8", 200},
		{"/shelves/a?page=0", `{"words":["x"]}`, "application/json", 400},
		{"/shelves/a", `{"words":[]}`, "application/json", 400},
		{"/shelves/a", `{"words":["x"],"any":[{"from":-1,"to":10000}]}`, "application/json", 400},
		{"/shelves/a", `{"words":"x"}`, "application/json", 400},
		{"/shelves/a", `{"words":`, "application/json", 400},
		{"/shelves/a", ``, "application/json", 400},
		{"/shelves/a", `{"words":["x"]}`, "text/plain", 415},
	} {
		t.Run(rowName(test.path, test.contentType, test.body[:min(len(test.body), 40)]), func(t *testing.T) {
			impl.calls = 0
			query := answerTo(h, "QUERY", test.path, test.body, "Content-Type", test.contentType)
			post := answerTo(h, "POST", test.path, test.body, "Content-Type", test.contentType)
			got, want := textOf(query), textOf(post)
			if query.StatusCode != test.status || post.StatusCode != test.status || got != want {
				t.Errorf("QUERY: %d %s\nPOST: %d %s\nwant %d", query.StatusCode, got, post.StatusCode, want, test.status)
			}
			if called := test.status == 200; (impl.calls == 2) != called {
				t.Errorf("%d calls", impl.calls)
			}
			if query.Header.Get("Vary") != "Accept-Language" || post.Header.Get("Vary") != "" {
				t.Errorf("Vary of a QUERY: %q, of a POST: %q", query.Header.Get("Vary"), post.Header.Get("Vary"))
			}
		})
	}
	for _, headers := range [][]string{nil, {"Content-Type", ""}} {
		a := answerTo(h, "QUERY", "/shelves/a", `{"words":["x"]}`, headers...)
		if text := textOf(a); a.StatusCode != 415 || !strings.Contains(text, "a QUERY must name the Content-Type of its body, application/json") {
			t.Errorf("a QUERY with the headers %q: %d %s", headers, a.StatusCode, text)
		}
	}
}

// Verify that If-None-Match counts in a QUERY, also of a File, and that Range does not.
func TestQueryConditional(t *testing.T) {
	s, _ := newQueries()
	h := s.REST()
	for _, test := range []struct {
		verb, path, header, value string
		status                    int
	}{
		{"QUERY", "/shelves/a", "If-None-Match", `"x"`, 304},
		{"QUERY", "/shelves/a", "If-None-Match", `"y"`, 200},
		{"POST", "/shelves/a", "If-None-Match", `"x"`, 200},
		{"QUERY", "/shelves/a/export", "If-None-Match", `"x"`, 304},
		{"QUERY", "/shelves/a/export", "If-None-Match", `"y"`, 200},
		{"QUERY", "/shelves/a/export", "Range", `bytes=0-0`, 200},
	} {
		t.Run(rowName(test.verb, test.path, test.header, test.value), func(t *testing.T) {
			a := answerTo(h, test.verb, test.path, `{"words":["x"]}`, "Content-Type", "application/json", test.header, test.value)
			if text := textOf(a); a.StatusCode != test.status || (test.status == 304) != (text == "") {
				t.Errorf("%d %s, want %d", a.StatusCode, text, test.status)
			}
		})
	}
}

// Verify that 405 says what may be queried, also to OPTIONS (RFC 10008, section 3).
func TestAcceptQuery(t *testing.T) {
	s, _ := newQueries()
	h := s.REST()
	for _, test := range []struct{ verb, path, allow, accept string }{
		{"GET", "/shelves/a", "QUERY, POST", "application/json"},
		{"OPTIONS", "/shelves/a", "QUERY, POST", "application/json"},
		{"DELETE", "/shelves/a/export", "QUERY", "application/json"},
		{"query", "/shelves/a/export", "QUERY", "application/json"},
		{"QUERY", "/elsewhere", "", ""},
	} {
		t.Run(rowName(test.verb, test.path), func(t *testing.T) {
			a := answerTo(h, test.verb, test.path, "")
			if got := a.Header.Get("Allow"); got != test.allow {
				t.Errorf("Allow: %q, want %q", got, test.allow)
			}
			if got := a.Header.Get("Accept-Query"); got != test.accept {
				t.Errorf("Accept-Query: %q, want %q", got, test.accept)
			}
		})
	}
	a := answerTo(headService().REST(), "PATCH", "/heads/5", "")
	if a.StatusCode != 405 || a.Header["Accept-Query"] != nil {
		t.Errorf("of a path without QUERY: %d, Accept-Query %q", a.StatusCode, a.Header["Accept-Query"])
	}
}

// Verify that Connect sends a QUERY as it does a POST, and follows no redirect, of which it
// would not know whether the other server reads it as a QUERY.
func TestConnectQuery(t *testing.T) {
	s, _ := newQueries()
	var verb, contentType string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verb, contentType = r.Method, r.Header.Get("Content-Type")
		if strings.HasPrefix(r.URL.Path, "/shelves/moved") {
			http.Redirect(w, r, "/shelves/a", http.StatusTemporaryRedirect)
			return
		}
		s.REST().ServeHTTP(w, r)
	}))
	defer server.Close()
	var shelves struct {
		Search func(context.Context, *QueryFilter) (*QueryFound, error)
	}
	if err := svc.Connect[QueryAPI](&shelves, server.URL, &svc.ClientOptions{Service: queryOptions()}); err != nil {
		t.Fatal(err)
	}
	found, err := shelves.Search(t.Context(), &QueryFilter{Shelf: "a", Words: []string{"x"}})
	if err != nil || found.Shelf != "a" || found.ETag != `"x"` || verb != "QUERY" || contentType != "application/json" {
		t.Errorf("%+v, %v; sent %s with %q", found, err, verb, contentType)
	}
	_, err = shelves.Search(t.Context(), &QueryFilter{Shelf: "moved", Words: []string{"x"}})
	if e := svc.ErrorFrom(err); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirected QUERY: %v (%+v)", err, e)
	}
	_, err = shelves.Search(t.Context(), &QueryFilter{Shelf: "a"})
	if e := svc.ErrorFrom(err); err == nil || len(e.Violations()) != 1 || e.Violations()[0].Path != "/words" {
		t.Errorf("a QUERY that breaks a rule: %v", err)
	}
}

// Verify that documents have a QUERY where they can: OpenAPI from 3.2 on, the page, the
// Markdown, the tools and the descriptor.
func TestQueryDocuments(t *testing.T) {
	s, _ := newQueries()
	for version, want := range map[string]bool{"3.0": false, "3.1": false, "3.2": true} {
		t.Run(version, func(t *testing.T) {
			doc := documentOf(t, s, version)
			got := partOf(doc, "paths", "/shelves/{shelf}", "query", "requestBody", "content", "application/json") != ""
			if got != want {
				t.Errorf("has the QUERY: %t", got)
			}
			text, _ := json.Marshal(doc)
			if strings.Contains(string(text), "Export") != want || !strings.Contains(string(text), `"post"`) {
				t.Errorf("the document is %s", text)
			}
			if want && partOf(doc, "paths", "/shelves/{shelf}", "query", "responses", "304") == "" {
				t.Error("the QUERY has no 304")
			}
		})
	}
	docs := s.Docs(&svc.DocsOptions{REST: "."})
	if text := textOf(answerTo(docs, "GET", "/llms.txt", "")); !strings.Contains(text, "### QUERY /shelves/{shelf}\n") || !strings.Contains(text, "curl -X QUERY ") {
		t.Errorf("the Markdown has no QUERY:\n%s", text)
	}
	if text := textOf(answerTo(docs, "GET", "/", "")); !strings.Contains(text, `"query":{`) {
		t.Error("the page has no QUERY")
	}
	tools := textOf(answerTo(s.MCP(nil), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"))
	if _, tool, _ := strings.Cut(tools, `"name":"shelves_search"`); !strings.Contains(tool, `"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true`) {
		t.Errorf("the tool by QUERY is not read-only: %s", tools)
	}
}

// Verify the mistakes of methods by QUERY.
func TestQueryMistakes(t *testing.T) {
	type (
		noBody interface {
			Search(context.Context, *struct {
				Word string `json:"word" query:"word"`
			}) (*QueryFound, error)
		}
		noInput interface {
			Search(context.Context) (*QueryFound, error)
		}
		upload interface {
			Search(context.Context, *struct{ Text svc.Body }) (*QueryFound, error)
		}
		keyed interface {
			Search(context.Context, *struct{ Word string }) (*QueryFound, error)
		}
	)
	const body = "a QUERY asks by the JSON in its body (RFC 10008); give the input fields there, or the method another verb"
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"no field in the body", mistakesIn[noBody](struct{ noBody }{}, ""), body},
		{"no input", mistakesIn[noInput](struct{ noInput }{}, ""), body},
		{"an upload", mistakesIn[upload](struct{ upload }{}, ""), body},
		{"a key", mistakesIn[keyed](struct{ keyed }{}, svc.KeyAllowed), "not for a GET, a QUERY, "},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("the mistakes are %v, want %q", test.err, test.want)
			}
		})
	}
}

// mistakesIn returns what Register says of impl with a Search by QUERY.
func mistakesIn[I any](impl I, use svc.KeyUse) error {
	_, err := svc.Register(impl, &svc.Options{Name: "Mistakes", Methods: map[string]svc.MethodOptions{"Search": {HTTP: "QUERY /words", IdempotencyKey: use}}})
	return err
}
