package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// kitchenDocument returns a document as it is served.
func kitchenDocument(s *svc.Service, query string) []byte {
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json"+query, nil))
	return w.Body.Bytes()
}

// Verify the documents of services that use everything. interop/openapi holds
// the same documents to the tools that people read them with.
func TestOpenAPIGolden(t *testing.T) {
	queries, _ := newQueries()
	for _, test := range []struct {
		file    string
		service *svc.Service
		query   string
	}{
		{"sink-3.0.json", kitchen.Sink(false), ""},
		{"sink-3.1.json", kitchen.Sink(false), "?openapi=3.1"},
		{"sink-3.2.json", kitchen.Sink(false), "?openapi=3.2"},
		{"both-3.0.json", kitchen.Both(), ""},
		{"both-3.1.json", kitchen.Both(), "?openapi=3.1"},
		{"both-3.2.json", kitchen.Both(), "?openapi=3.2"},
		{"query-3.2.json", queries, "?openapi=3.2"},
	} {
		t.Run(rowName(test.file, test.query), func(t *testing.T) {
			var indented bytes.Buffer
			if err := json.Indent(&indented, kitchenDocument(test.service, test.query), "", " "); err != nil {
				t.Errorf("%s: %v", test.file, err)
			}
			indented.WriteByte('\n')
			golden(t, "openapi/"+test.file, indented.Bytes())
		})
	}
}

// Verify that a service has one document however often it is registered. That
// every version of Go makes the same one, the golden files see to.
func TestOpenAPIByteIdentical(t *testing.T) {
	t.Parallel()
	want := kitchenDocument(kitchen.Both(), "")
	for range rounds(20, 100) {
		if got := kitchenDocument(kitchen.Both(), ""); !bytes.Equal(got, want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}

// oaTodo and what follows are the types of the services in these tests.
type oaTodo struct {
	ID    string `json:"id"`
	Title string `json:"title" minLength:"1" doc:"What is to be done."`
}

type oaTodos struct {
	Data []oaTodo `json:"data"`
}

type oaList struct {
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"20" doc:"How many."`
	Query string `json:"q"`
}

type oaUpdate struct {
	ID    string `path:"id"`
	Fast  bool   `query:"fast,omitempty"`
	Title string `json:"title"`
}

type oaPoint struct {
	ID int `json:"id"`
}

type oaGetIn struct {
	ID string `json:"id"`
}

type oaAPI interface {
	Create(context.Context, *oaTodo) (*oaTodo, error)
	List(context.Context, *oaList) (*oaTodos, error)
	Update(context.Context, *oaUpdate) (*oaTodo, error)
	Delete(context.Context, *oaPoint) error
	MarkDone(context.Context) error
	Get(context.Context, *oaGetIn) (*oaTodo, error)
}

// oaImpl answers nothing: documents never call.
type oaImpl struct{}

func (oaImpl) Create(context.Context, *oaTodo) (*oaTodo, error)   { return nil, nil }
func (oaImpl) List(context.Context, *oaList) (*oaTodos, error)    { return nil, nil }
func (oaImpl) Update(context.Context, *oaUpdate) (*oaTodo, error) { return nil, nil }
func (oaImpl) Delete(context.Context, *oaPoint) error             { return nil }
func (oaImpl) MarkDone(context.Context) error                     { return nil }
func (oaImpl) Get(context.Context, *oaGetIn) (*oaTodo, error)     { return nil, nil }

func oaService(o svc.Options) *svc.Service {
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	if o.Resource == "" {
		o.Resource = "todos"
	}
	return svc.MustRegister[oaAPI](oaImpl{}, &o)
}

// oaAt returns the JSON at a path of keys in a document, or "" if there is none.
func oaAt(t *testing.T, doc []byte, path ...string) string {
	t.Helper()
	value := json.RawMessage(doc)
	for _, key := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			var list []json.RawMessage
			if err := json.Unmarshal(value, &list); err != nil || len(list) <= int(key[0]-'0') {
				return ""
			}
			value = list[key[0]-'0']
			continue
		}
		value = object[key]
	}
	return string(value)
}

// Verify the rules of documents one by one.
func TestOpenAPIRules(t *testing.T) {
	const errorRef = `{"$ref":"#/components/responses/ErrorBody"}`
	plain := oaService(svc.Options{Methods: map[string]svc.MethodOptions{"Create": {Description: "Makes a todo."}}})
	bearer := oaService(svc.Options{
		Name: "Todo list", Description: "Things to do.", Version: "2.1.0",
		Defaults: svc.Defaults{BaseURL: "https://api.test/x/", Auth: "bearer"},
	})
	named := oaService(svc.Options{Methods: map[string]svc.MethodOptions{"Update": {OperationID: "_Put.a-todo"}, "MarkDone": {OperationID: "m"}}})
	for _, test := range []struct {
		name    string
		service *svc.Service
		query   string
		path    string // with spaces between the keys
		want    string
	}{
		{"3.0.3", plain, "", "openapi", `"3.0.3"`},
		{"3.1", plain, "?openapi=3.1", "openapi", `"3.1.0"`},
		{"title is the name", plain, "", "info title", `"oaAPI"`},
		{"title is given", bearer, "", "info title", `"Todo list"`},
		{"no description", plain, "", "info description", ""},
		{"description", bearer, "", "info description", `"Things to do."`},
		{"version 0.1.0", plain, "", "info version", `"0.1.0"`},
		{"version is given", bearer, "", "info version", `"2.1.0"`},
		{"servers without BaseURL", plain, "", "servers", `[{"url":"/"}]`},
		{"servers", bearer, "", "servers", `[{"url":"https://api.test/x"}]`},
		{"no auth", plain, "", "security", `[]`},
		{"no auth on an operation", plain, "", "paths /todos post security", ""},
		{"no security scheme", plain, "", "components securitySchemes", ""},
		{"bearer", bearer, "", "security", `[{"bearer":[]}]`},
		{"bearer on an operation", bearer, "", "paths /todos post security", `[{"bearer":[]}]`},
		{"bearer scheme", bearer, "", "components securitySchemes", `{"bearer":{"type":"http","scheme":"bearer"}}`},

		{"operationId", plain, "", "paths /todos post operationId", `"todos_Create"`},
		{"operationId of two words", plain, "", "paths /todos/mark_done post operationId", `"todos_MarkDone"`},
		{"operationId of its own in 3.0.3", named, "", "paths /todos/{id} put operationId", `"_Put.a-todo"`},
		{"operationId of its own in 3.1", named, "?openapi=3.1", "paths /todos/{id} put operationId", `"_Put.a-todo"`},
		{"operationId of its own in 3.2", named, "?openapi=3.2", "paths /todos/mark_done post operationId", `"m"`},
		{"operationId beside one of its own", named, "", "paths /todos post operationId", `"todos_Create"`},
		{"operationId below At", named.At("v1"), "", "paths /v1/todos/mark_done post operationId", `"m"`},
		{"summary", plain, "", "paths /todos/mark_done post summary", `"todos: mark done"`},
		{"no method description in 3.0.3", plain, "", "paths /todos post description", ""},
		{"summary in 3.1", plain, "?openapi=3.1", "paths /todos post summary", `"Makes a todo"`},
		{"no description that only repeats the summary", plain, "?openapi=3.1", "paths /todos post description", ""},
		{"no tags in 3.0.3", plain, "", "paths /todos post tags", ""},
		{"no document tags in 3.0.3", plain, "", "tags", ""},
		{"tags in 3.1", plain, "?openapi=3.1", "paths /todos post tags", `["todos"]`},
		{"document tags in 3.1", plain, "?openapi=3.1", "tags", `[{"name":"todos","description":"The methods of todos."}]`},

		{"body is required", plain, "", "paths /todos post requestBody required", `true`},
		{"body is the input", plain, "", "paths /todos post requestBody content application/json schema", `{"$ref":"#/components/schemas/oaTodo"}`},
		{"body is part of the input", plain, "", "paths /todos/{id} put requestBody content application/json schema", `{"$ref":"#/components/schemas/oaUpdateBody"}`},
		{"body component", plain, "", "components schemas oaUpdateBody", `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`},
		{"no component for the whole input", plain, "", "components schemas oaUpdate", ""},
		{"no body without body fields", plain, "", "paths /todos/{id} delete requestBody", ""},
		{"no body without input", plain, "", "paths /todos/mark_done post requestBody", ""},

		{"path parameter", plain, "", "paths /todos/{id} put parameters 0", `{"name":"id","in":"path","required":true,"schema":{"type":"string"}}`},
		{"integer in the path, 3.0.3", plain, "", "paths /todos/{id} delete parameters 0 schema",
			`{"type":"string","pattern":"^-?(0|[1-9][0-9]*)$"}`},
		{"integer in the path, 3.1", plain, "?openapi=3.1", "paths /todos/{id} delete parameters 0 schema", `{"type":"integer","format":"int64"}`},
		{"placeholder of the name of a field", plain, "", "paths /todos/{id} get parameters", `[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}]`},
		{"query tag on PUT", plain, "", "paths /todos/{id} put parameters 1", `{"name":"fast","in":"query","schema":{"type":"boolean"}}`},
		{"optional query parameter", plain, "", "paths /todos get parameters 0",
			`{"name":"limit","in":"query","description":"How many.","schema":{"type":"integer","format":"int32","minimum":1,"maximum":100,"default":20}}`},
		{"required query parameter", plain, "", "paths /todos get parameters 1", `{"name":"q","in":"query","required":true,"schema":{"type":"string"}}`},

		{"200", plain, "", "paths /todos post responses 200",
			`{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/oaTodo"}}}}`},
		{"204", plain, "", "paths /todos/{id} delete responses 204", `{"description":"No Content"}`},
		{"no 200 without output", plain, "", "paths /todos/{id} delete responses 200", ""},
		{"400", plain, "", "paths /todos post responses 400", errorRef},
		{"no 404 without a placeholder", plain, "", "paths /todos post responses 404", ""},
		{"404", plain, "?openapi=3.1", "paths /todos/{id} delete responses 404", errorRef},
		{"no range", plain, "", "paths /todos post responses 4XX", ""},
		{"default", plain, "", "paths /todos post responses default", errorRef},
		{"envelope", plain, "", "components responses ErrorBody content application/json schema", `{"$ref":"#/components/schemas/ErrorBody"}`},
		{"envelope's members", plain, "", "components schemas ErrorObject required", `["code","message"]`},

		{"At", plain.At("v1"), "", "paths /v1/todos post operationId", `"todos_Create"`},
		{"At leaves the server alone", plain.At("v1"), "", "servers", `[{"url":"/"}]`},
		{"At twice", plain.At("v1").At("/api/"), "", "paths /api/v1/todos post operationId", `"todos_Create"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := kitchenDocument(test.service, test.query)
			if got := oaAt(t, doc, strings.Fields(test.path)...); got != test.want {
				t.Errorf("%s: %s is %s\nwant %s", test.name, test.path, got, test.want)
			}
		})
	}
}

// Verify that the document promises the errors that the service's own
// svc.ErrorWriter writes, and no others.
func TestOpenAPIErrorForms(t *testing.T) {
	for _, test := range []struct {
		name    string
		onError svc.ErrorWriter
		want    string
	}{
		{"default", nil, `{"$ref":"#/components/responses/ErrorBody"}`},
		{"WriteError", svc.WriteError, `{"$ref":"#/components/responses/ErrorBody"}`},
		{"WriteProblem", svc.WriteProblem, `{"$ref":"#/components/responses/Problem"}`},
		{"another", func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(500) }, `{"description":"Error"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := kitchenDocument(oaService(svc.Options{OnError: test.onError}), "")
			if got := oaAt(t, doc, "paths", "/todos", "post", "responses", "default"); got != test.want {
				t.Errorf("%s: %s, want %s", test.name, got, test.want)
			}
			responses := oaAt(t, doc, "components", "responses")
			if problem := strings.Contains(responses, "application/problem+json"); problem != (test.name == "WriteProblem") {
				t.Errorf("%s: the responses are %s", test.name, responses)
			}
		})
	}
}

func oaGet(h http.Handler, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestOpenAPIServed(t *testing.T) {
	h := oaService(svc.Options{}).OpenAPI()
	etag := oaGet(h, "GET", "/").Header.Get("ETag")
	etag31 := oaGet(h, "GET", "/?openapi=3.1").Header.Get("ETag")
	if etag == etag31 || len(etag) < 10 || etag[0] != '"' {
		t.Fatalf("the ETags are %s and %s", etag, etag31)
	}
	const typed = "application/vnd.oai.openapi+json;version=3.1"
	for _, test := range []struct {
		method, target, name, value string // of a header
		status                      int
		contentType, openapi        string
	}{
		{"GET", "/", "", "", 200, "application/json", "3.0.3"},
		{"GET", "/?openapi=3.0", "", "", 200, "application/json", "3.0.3"},
		{"GET", "/?openapi=3.0.3", "", "", 200, "application/json", "3.0.3"},
		{"GET", "/?openapi=3.1", "", "", 200, "application/json", "3.1.0"},
		{"GET", "/?openapi=3.1.0", "", "", 200, "application/json", "3.1.0"},
		{"GET", "/?openapi=3.2", "", "", 200, "application/json", "3.2.0"},
		{"GET", "/?openapi=3.2.0", "", "", 200, "application/json", "3.2.0"},
		{"GET", "/?openapi=", "", "", 200, "application/json", "3.0.3"},
		{"GET", "/?other=1", "", "", 200, "application/json", "3.0.3"},
		{"GET", "/?openapi=2.0", "", "", 400, "application/json", ""},
		{"GET", "/", "Accept", typed, 200, typed, "3.1.0"},
		{"GET", "/", "Accept", `text/html, application/vnd.oai.openapi+json; version="3.1"; q=0.5`, 200, typed, "3.1.0"},
		{"GET", "/", "Accept", strings.Replace(typed, "3.1", "3.2", 1), 200, strings.Replace(typed, "3.1", "3.2", 1), "3.2.0"},
		{"GET", "/", "Accept", typed + ";q=0", 200, "application/json", "3.0.3"},
		{"GET", "/", "Accept", typed + ";q=0.9, application/json", 200, "application/json", "3.0.3"},
		{"GET", "/", "Accept", typed + ", application/json", 200, typed, "3.1.0"},
		{"GET", "/", "Accept", typed + ";q=0.5, */*;q=0.1", 200, typed, "3.1.0"},
		{"GET", "/", "Accept", typed + ";q=0.5, application/vnd.oai.openapi+json;version=3.2", 200, strings.Replace(typed, "3.1", "3.2", 1), "3.2.0"},
		{"GET", "/", "Accept", "application/vnd.oai.openapi+json;version=3.2, " + typed, 200, typed, "3.1.0"},
		{"GET", "/", "Accept", typed + "0", 200, "application/json", "3.0.3"},
		{"GET", "/", "Accept", typed + ".1", 200, typed, "3.1.0"},
		{"GET", "/", "Accept", "application/vnd.oai.openapi+json;version=3.0", 200, "application/json", "3.0.3"},
		{"GET", "/", "Accept", "application/vnd.oai.openapi+json", 200, "application/json", "3.0.3"},
		{"GET", "/", "Accept", "*/*", 200, "application/json", "3.0.3"},
		{"GET", "/?openapi=3.0", "Accept", typed, 200, "application/json", "3.0.3"},
		{"HEAD", "/", "", "", 200, "application/json", ""},
		{"GET", "/", "If-None-Match", etag, 304, "", ""},
		{"HEAD", "/", "If-None-Match", etag, 304, "", ""},
		{"GET", "/", "If-None-Match", `"x", W/` + etag, 304, "", ""},
		{"GET", "/", "If-None-Match", "*", 304, "", ""},
		{"GET", "/", "If-None-Match", etag31, 200, "application/json", "3.0.3"},
		{"GET", "/?openapi=3.1", "If-None-Match", etag31, 304, "", ""},
		{"GET", "/", "If-None-Match", "", 200, "application/json", "3.0.3"},
		{"POST", "/", "", "", 405, "application/json", ""},
		{"OPTIONS", "/", "", "", 405, "application/json", ""},
	} {
		t.Run(rowName(test.method, test.target, test.name, test.value), func(t *testing.T) {
			res := oaGet(h, test.method, test.target, test.name, test.value)
			body, _ := io.ReadAll(res.Body)
			var doc struct{ OpenAPI string }
			json.Unmarshal(body, &doc)
			if res.StatusCode != test.status || res.Header.Get("Content-Type") != test.contentType || doc.OpenAPI != test.openapi {
				t.Errorf("%s %s %s: %s is %d %s with openapi %q, want %d %s %q", test.method, test.target, test.name, test.value,
					res.StatusCode, res.Header.Get("Content-Type"), doc.OpenAPI, test.status, test.contentType, test.openapi)
			}
			if ok := test.status < 400; ok != (res.Header.Get("ETag") != "") || ok && res.Header.Get("Vary") != "Accept" {
				t.Errorf("%s %s %s: %s has the header %v", test.method, test.target, test.name, test.value, res.Header)
			}
			if allow := res.Header.Get("Allow"); (test.status == 405) != (allow == "GET, HEAD") {
				t.Errorf("%s has Allow %q", test.method, allow)
			}
			if (test.method == "HEAD" || test.status == 304) && len(body) > 0 {
				t.Errorf("%s %d has a body", test.method, test.status)
			}
		})
	}
}

// Verify that a response keeps the Vary of a middleware in front, and that no
// response changes the header of the next.
func TestOpenAPIHeader(t *testing.T) {
	h := oaService(svc.Options{}).OpenAPI()
	for range 2 {
		w := httptest.NewRecorder()
		w.Header().Set("Vary", "Origin")
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := strings.Join(w.Header().Values("Vary"), ", "); got != "Origin, Accept" {
			t.Errorf("Vary is %q", got)
		}
		w.Header().Add("Content-Type", "x")
		w.Header().Add("Etag", "x")
	}
	if got := oaGet(h, "GET", "/").Header["Content-Type"]; len(got) != 1 {
		t.Errorf("Content-Type is %q", got)
	}
}

// Verify that the document of a service never changes.
func TestOpenAPIStable(t *testing.T) {
	for _, d := range []string{"", "?openapi=3.1"} {
		want := kitchenDocument(oaService(svc.Options{}), d)
		if !json.Valid(want) {
			t.Fatalf("the document is not JSON: %s", want)
		}
		for range 100 {
			if got := kitchenDocument(oaService(svc.Options{}), d); !bytes.Equal(got, want) {
				t.Fatalf("got %s\nwant %s", got, want)
			}
		}
	}
}

// Verify that conditional and range requests get what they may get and nothing
// that is broken: whole documents, parts of the document that the client has
// begun to read, and no part of another one.
func TestOpenAPIPreconditions(t *testing.T) {
	h := oaService(svc.Options{}).OpenAPI()
	whole, _ := io.ReadAll(oaGet(h, "GET", "/").Body)
	etag := oaGet(h, "GET", "/").Header.Get("ETag")
	first := string(whole[:10])
	for _, test := range []struct {
		header []string
		status int
		body   string
	}{
		{nil, 200, string(whole)},
		{[]string{"Range", "bytes=0-9"}, 206, first},
		{[]string{"Range", "bytes=0-9", "If-Range", etag}, 206, first},
		{[]string{"Range", "bytes=0-9", "If-Range", `"x"`}, 200, string(whole)},
		{[]string{"Range", "bytes=0-9", "If-Range", "W/" + etag}, 200, string(whole)}, // If-Range compares strongly
		{[]string{"Range", "bytes=0-9", "If-Range", "Sat, 21 Nov 2026 00:00:00 GMT"}, 200, string(whole)},
		{[]string{"Range", "bytes=0-9", "If-None-Match", etag}, 304, ""},
		{[]string{"Range", "bytes=0-99999999999999999999"}, 206, string(whole)},
		{[]string{"Range", "bytes=9999999-"}, 416, "invalid range: failed to overlap\n"},
		{[]string{"If-Match", etag}, 200, string(whole)},
		{[]string{"If-Match", `"x"`}, 412, ""},
		{[]string{"If-Modified-Since", "Sat, 21 Nov 2099 00:00:00 GMT"}, 200, string(whole)},
		{[]string{"If-Unmodified-Since", "Sat, 21 Nov 1999 00:00:00 GMT"}, 200, string(whole)},
	} {
		t.Run(rowName(test.header, test.status), func(t *testing.T) {
			res := oaGet(h, "GET", "/", test.header...)
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != test.status || string(body) != test.body {
				t.Errorf("%q: %d %s; want %d %s", test.header, res.StatusCode, body, test.status, test.body)
			}
			if got := res.Header.Get("Last-Modified"); got != "" {
				t.Errorf("%q: Last-Modified is %s", test.header, got)
			}
			if got := res.Header.Get("Content-Length"); test.status == 200 && got != strconv.Itoa(len(whole)) {
				t.Errorf("%q: Content-Length is %s, want %d", test.header, got, len(whole))
			}
		})
	}
}
