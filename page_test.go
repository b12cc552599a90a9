package svc

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// pageIn embeds what paging there is: a list by pages and a feed by cursors
// have one half each, a list by both the whole.
type (
	pageByNumber struct{ PageQuery }
	pageByCursor struct{ CursorQuery }
	pageByBoth   struct{ PageRequest }
	// A type of the application's own in between must not lose the cap.
	pageOwn       struct{ PageQuery }
	pageByOwn     struct{ pageOwn }
	pageByPointer struct{ *PageQuery }
	pageFiltered  struct {
		CursorQuery
		Done bool `json:"done,omitempty"`
	}
)

// A pageAPI echoes the requests for pages that reach it.
type pageAPI interface {
	ListNumbers(ctx context.Context, in *pageByNumber) (*PageRequest, error)
	ListCursors(ctx context.Context, in *pageByCursor) (*PageRequest, error)
	ListBoth(ctx context.Context, in *pageByBoth) (*PageRequest, error)
	ListOwn(ctx context.Context, in *pageByOwn) (*PageRequest, error)
	ListPointer(ctx context.Context, in *pageByPointer) (*PageRequest, error)
	Query(ctx context.Context, in *pageFiltered) (*PageRequest, error)
	Version(ctx context.Context) (*pageVersion, error)
}

type pageVersion struct {
	Version string `json:"version"`
}

type pageEcho struct{}

func (pageEcho) ListNumbers(_ context.Context, in *pageByNumber) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListCursors(_ context.Context, in *pageByCursor) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListBoth(_ context.Context, in *pageByBoth) (*PageRequest, error) {
	return &in.PageRequest, nil
}

func (pageEcho) ListOwn(_ context.Context, in *pageByOwn) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListPointer(_ context.Context, in *pageByPointer) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Query(_ context.Context, in *pageFiltered) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Version(ctx context.Context) (*pageVersion, error) {
	return &pageVersion{GetVersion(ctx)}, nil
}

func pageService(t testing.TB) *Service {
	t.Helper()
	s, err := Register[pageAPI](pageEcho{}, &Options{Resource: "p", Logger: slog.New(slog.DiscardHandler), Methods: map[string]MethodOptions{
		"ListNumbers": {HTTP: "GET /numbers"},
		"ListCursors": {HTTP: "GET /cursors"},
		"ListBoth":    {HTTP: "GET /both"},
		"ListOwn":     {HTTP: "GET /own"},
		"ListPointer": {HTTP: "GET /pointer"},
		"Version":     {HTTP: "GET /version"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pageREST sends a request and returns the decoded page request or the body of
// the refusal.
func pageREST(t testing.TB, s *Service, method, target, body string) (PageRequest, string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	if w.Code != 200 {
		return PageRequest{}, w.Body.String()
	}
	var p PageRequest
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, w.Body)
	}
	return p, ""
}

// pageRows are queries and what they ask for, or what is wrong with them: one
// parameter, rule and message for each violation.
var pageRows = []struct {
	query string
	want  PageRequest
	wrong []string
}{
	{"", PageRequest{1, 20, 20, ""}, nil},
	{"page=1&per_page=1&limit=1", PageRequest{1, 1, 1, ""}, nil},
	{"page=3&per_page=50", PageRequest{3, 50, 20, ""}, nil},
	{"per_page=100&limit=100", PageRequest{1, 100, 100, ""}, nil},
	{"per_page=101", PageRequest{1, 100, 20, ""}, nil},
	{"limit=101", PageRequest{1, 20, 100, ""}, nil},
	{"per_page=9223372036854775807&limit=9223372036854775807", PageRequest{1, 100, 100, ""}, nil},
	{"page=9223372036854775807", PageRequest{math.MaxInt64, 20, 20, ""}, nil},
	{"page=1e2&per_page=1.0", PageRequest{100, 1, 20, ""}, nil}, // as in JSON
	{"cursor=abc&limit=5", PageRequest{1, 20, 5, "abc"}, nil},
	{"cursor=", PageRequest{1, 20, 20, ""}, nil},
	{"cursor=a%2Bb%3D", PageRequest{1, 20, 20, "a+b="}, nil},
	{"Page=3&PER_PAGE=5&other=x", PageRequest{1, 20, 20, ""}, nil},
	{"page=0", PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=-1", PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=-9223372036854775808", PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=abc", PageRequest{}, []string{"page type must be an integer"}},
	{"page=", PageRequest{}, []string{"page type must be an integer"}},
	{"page", PageRequest{}, []string{"page type must be an integer"}},
	{"page=1.5", PageRequest{}, []string{"page type must be an integer"}},
	{"page=+1", PageRequest{}, []string{"page type must be an integer"}},
	{"page=%2B1", PageRequest{}, []string{"page type must be an integer"}},
	{"page=01", PageRequest{}, []string{"page type must be an integer"}},
	{"page=0x10", PageRequest{}, []string{"page type must be an integer"}},
	{"page=1_000", PageRequest{}, []string{"page type must be an integer"}},
	{"page=%EF%BC%91", PageRequest{}, []string{"page type must be an integer"}},
	{"page=1%00", PageRequest{}, []string{"page type must be an integer"}},
	{"page=9223372036854775808", PageRequest{}, []string{"page range must be an integer between -9223372036854775808 and 9223372036854775807"}},
	{"page=1e1000000000", PageRequest{}, []string{"page range must be an integer between -9223372036854775808 and 9223372036854775807"}},
	{"page=1&page=2", PageRequest{}, []string{"page duplicate is given more than once"}},
	{"page=1&page=1", PageRequest{}, []string{"page duplicate is given more than once"}},
	{"per_page=0", PageRequest{}, []string{"per_page minimum must be at least 1"}},
	{"per_page=-5", PageRequest{}, []string{"per_page minimum must be at least 1"}},
	{"limit=0", PageRequest{}, []string{"limit minimum must be at least 1"}},
	{"limit=-1", PageRequest{}, []string{"limit minimum must be at least 1"}},
	{"limit=5&limit=6", PageRequest{}, []string{"limit duplicate is given more than once"}},
	{"cursor=a&cursor=b", PageRequest{}, []string{"cursor duplicate is given more than once"}},
	{"cursor=%FF", PageRequest{}, []string{"cursor type must be valid UTF-8"}},
	{"page=0&per_page=x&limit=", PageRequest{}, []string{"limit type must be an integer", "page minimum must be at least 1", "per_page type must be an integer"}},
}

// pageWrong returns the violations of an error as pageRows spells them.
func pageWrong(t testing.TB, err error) (wrong []string) {
	t.Helper()
	var e *Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &e) || e.Code != CodeInvalidArgument {
		t.Errorf("error %v is not INVALID_ARGUMENT", err)
		return nil
	}
	list, _ := e.Details["violations"].([]Violation)
	for _, v := range list {
		if v.In != "query" {
			t.Errorf("violation in %q, want query: %v", v.In, v)
		}
		wrong = append(wrong, strings.TrimPrefix(v.Path, "/")+" "+v.Rule+" "+v.Message)
	}
	return wrong
}

func TestParsePage(t *testing.T) {
	for _, test := range pageRows {
		q, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParsePage(q)
		if wrong := pageWrong(t, err); got != test.want || !reflect.DeepEqual(wrong, test.wrong) {
			t.Errorf("ParsePage(%q) = %v, %q; want %v, %q", test.query, got, wrong, test.want, test.wrong)
		}
	}
	if got, err := ParsePage(nil); err != nil || got != (PageRequest{1, 20, 20, ""}) {
		t.Errorf("ParsePage(nil) = %v, %v", got, err)
	}
	if got, err := ParsePage(url.Values{"page": {}, "limit": nil}); err != nil || got.Page != 1 {
		t.Errorf("ParsePage of parameters without values = %v, %v", got, err)
	}
}

// Verify that a service and ParsePage answer every query alike, text for text.
func TestPagesBindOverREST(t *testing.T) {
	s := pageService(t)
	for _, test := range pageRows {
		got, refusal := pageREST(t, s, "GET", "/both?"+test.query, "")
		q, _ := url.ParseQuery(test.query)
		_, err := ParsePage(q)
		want := ""
		if err != nil {
			want = string(appendEnvelope(nil, ErrorFrom(err)))
		}
		if sortPageViolations(refusal) != sortPageViolations(want) || got != test.want {
			t.Errorf("GET /both?%s = %v %s; want %v %s", test.query, got, refusal, test.want, want)
		}
	}
}

// sortPageViolations puts the violations of an envelope in the order of their
// parameters: those that a query names come in its order, and url.Values has
// none. The message tells of the first.
func sortPageViolations(body string) string {
	var envelope struct {
		Error struct {
			Code    Code
			Details struct{ Violations []Violation }
		}
	}
	if json.Unmarshal([]byte(body), &envelope) != nil {
		return body
	}
	var lines []string
	for _, name := range []string{"/cursor", "/limit", "/page", "/per_page"} {
		for _, v := range envelope.Error.Details.Violations {
			if v.Path == name {
				lines = append(lines, v.In+v.Path+v.Rule+v.Message)
			}
		}
	}
	return string(envelope.Error.Code) + strings.Join(lines, "\n")
}

// Verify that every way to embed a request for a page has defaults and a cap,
// on a verb with a body too.
func TestPagesBindWhereverEmbedded(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		method, target, body string
		want                 PageRequest
	}{
		{"GET", "/numbers", "", PageRequest{1, 20, 0, ""}},
		{"GET", "/numbers?page=2&per_page=1000&limit=7&cursor=x", "", PageRequest{2, 100, 0, ""}},
		{"GET", "/cursors", "", PageRequest{0, 0, 20, ""}},
		{"GET", "/cursors?cursor=x&limit=1000&page=7", "", PageRequest{0, 0, 100, "x"}},
		{"GET", "/own?per_page=1000", "", PageRequest{1, 100, 0, ""}},
		{"GET", "/pointer", "", PageRequest{1, 20, 0, ""}},
		{"GET", "/pointer?per_page=1000", "", PageRequest{1, 100, 0, ""}},
		{"POST", "/p/query?cursor=x&limit=1000", `{"done":true}`, PageRequest{0, 0, 100, "x"}},
		{"POST", "/p/query?limit=7", `{"limit":9,"cursor":"y"}`, PageRequest{0, 0, 7, ""}}, // a query parameter is no body member
	} {
		if got, refusal := pageREST(t, s, test.method, test.target, test.body); refusal != "" || got != test.want {
			t.Errorf("%s %s = %v %s, want %v", test.method, test.target, got, refusal, test.want)
		}
	}
	_, refusal := pageREST(t, s, "POST", "/p/query?limit=0", `{}`)
	if want := `{"in":"query","path":"/limit","rule":"minimum","message":"must be at least 1"}`; !strings.Contains(refusal, want) {
		t.Errorf("POST with limit=0: %s, want %s", refusal, want)
	}
}

// Verify that a call by Go values is held to the same: zero is absent.
func TestPagesThroughCall(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		method string
		in     any
		want   PageRequest
		wrong  []string
	}{
		{"list_both", &pageByBoth{}, PageRequest{1, 20, 20, ""}, nil},
		{"list_both", &pageByBoth{PageRequest{2, 101, 1000, "x"}}, PageRequest{2, 100, 100, "x"}, nil},
		{"list_both", &pageByBoth{PageRequest{Page: math.MaxInt}}, PageRequest{math.MaxInt, 20, 20, ""}, nil},
		{"list_both", &pageByBoth{PageRequest{-1, -1, -1, ""}}, PageRequest{}, []string{"page minimum must be at least 1", "per_page minimum must be at least 1", "limit minimum must be at least 1"}},
		{"list_numbers", &pageByNumber{PageQuery{0, 500}}, PageRequest{1, 100, 0, ""}, nil},
		{"list_cursors", &pageByCursor{CursorQuery{"x", 500}}, PageRequest{0, 0, 100, "x"}, nil},
		{"list_own", &pageByOwn{pageOwn{PageQuery{0, 500}}}, PageRequest{1, 100, 0, ""}, nil},
		{"list_pointer", &pageByPointer{&PageQuery{0, 500}}, PageRequest{1, 100, 0, ""}, nil},
	} {
		out, err := s.Call(context.Background(), "p", test.method, test.in)
		if wrong := pageWrong(t, err); !reflect.DeepEqual(wrong, test.wrong) {
			t.Errorf("%s: %q, want %q", test.method, wrong, test.wrong)
		}
		if got, ok := out.(*PageRequest); ok != (test.wrong == nil) || ok && *got != test.want {
			t.Errorf("%s: %v, want %v", test.method, out, test.want)
		}
	}
	in, err := s.NewInput("p", "list_both")
	if want := (PageRequest{1, 20, 20, ""}); err != nil || in.(*pageByBoth).PageRequest != want {
		t.Errorf("NewInput = %v, %v; want %v", in, err, want)
	}
}

// Verify that the schema publishes what is enforced, and no maximum, which is
// not.
func TestPageSchema(t *testing.T) {
	s := pageService(t)
	const page = `{"default":1,"description":"The number of the page, from 1.","format":"int32","minimum":1,"type":"integer"}`
	const perPage = `{"default":20,"description":"Items on a page; more than 100 counts as 100.","format":"int32","minimum":1,"type":"integer"}`
	const cursor = `{"description":"The next_cursor of an earlier answer; empty for the beginning.","type":"string"}`
	const limit = `{"default":20,"description":"How many items; more than 100 counts as 100.","format":"int32","minimum":1,"type":"integer"}`
	for _, m := range s.Descriptor().Resources[0].Methods {
		want := map[string]string{
			"list_numbers": `{"properties":{"page":` + page + `,"per_page":` + perPage + `},"type":"object"}`,
			"list_cursors": `{"properties":{"cursor":` + cursor + `,"limit":` + limit + `},"type":"object"}`,
		}[m.Name]
		if want == "" {
			continue
		}
		schema := m.Input.Schema
		delete(schema, "$schema")
		if got, err := json.Marshal(schema); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", m.Name, got, err, want)
		}
	}
}

func TestPageArithmetic(t *testing.T) {
	for _, test := range []struct {
		req          PageRequest
		offset, size int
		cursor       bool
	}{
		{PageRequest{}, 0, 20, false},
		{PageRequest{1, 20, 20, ""}, 0, 20, false},
		{PageRequest{3, 50, 7, ""}, 100, 50, false},
		{PageRequest{3, 50, 7, "x"}, 100, 7, true},
		{PageRequest{3, 50, 0, "x"}, 100, 20, true},
		{PageRequest{3, 500, 700, ""}, 1000, 500, false}, // the application's own numbers
		{PageRequest{-1, -1, -1, ""}, 0, 20, false},
		{PageRequest{math.MinInt, math.MinInt, 0, ""}, 0, 20, false},
		{PageRequest{math.MaxInt, 1, 1, ""}, math.MaxInt - 1, 1, false},
		{PageRequest{math.MaxInt, 2, 1, ""}, math.MaxInt, 2, false},
		{PageRequest{math.MaxInt, 100, 1, ""}, math.MaxInt, 100, false},
		{PageRequest{math.MaxInt, math.MaxInt, 1, ""}, math.MaxInt, math.MaxInt, false},
		{PageRequest{2, math.MaxInt, 1, ""}, math.MaxInt, math.MaxInt, false},
		{PageRequest{math.MaxInt/100 + 1, 100, 1, ""}, math.MaxInt / 100 * 100, 100, false},
		{PageRequest{math.MaxInt/100 + 2, 100, 1, ""}, math.MaxInt, 100, false},
	} {
		if offset, size, cursor := test.req.Offset(), test.req.Size(), test.req.IsCursor(); offset != test.offset || size != test.size || cursor != test.cursor {
			t.Errorf("%v: offset %d, size %d, cursor %t; want %d, %d, %t", test.req, offset, size, cursor, test.offset, test.size, test.cursor)
		}
	}
}

func TestNewPage(t *testing.T) {
	for _, test := range []struct {
		data  []int
		req   PageRequest
		total int
		want  string
	}{
		{nil, PageRequest{}, 0, `{"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}`},
		{[]int{}, PageRequest{2, 10, 5, "x"}, 3, `{"data":[],"page":2,"per_page":10,"total":3,"total_pages":1}`},
		{[]int{1, 2}, PageRequest{1, 2, 0, ""}, 4, `{"data":[1,2],"page":1,"per_page":2,"total":4,"total_pages":2}`},
		{[]int{1, 2}, PageRequest{1, 2, 0, ""}, 5, `{"data":[1,2],"page":1,"per_page":2,"total":5,"total_pages":3}`},
		{[]int{1}, PageRequest{1, 2, 0, ""}, 1, `{"data":[1],"page":1,"per_page":2,"total":1,"total_pages":1}`},
		{nil, PageRequest{math.MaxInt, 1, 0, ""}, math.MaxInt, `{"data":[],"page":9223372036854775807,"per_page":1,"total":9223372036854775807,"total_pages":9223372036854775807}`},
		{nil, PageRequest{1, 100, 0, ""}, math.MaxInt, `{"data":[],"page":1,"per_page":100,"total":9223372036854775807,"total_pages":92233720368547759}`},
		{nil, PageRequest{-1, -1, 0, ""}, -1, `{"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}`},
	} {
		if got, err := json.Marshal(NewPage(test.data, test.req, test.total)); err != nil || string(got) != test.want {
			t.Errorf("NewPage(%v, %v, %d) = %s, %v; want %s", test.data, test.req, test.total, got, err, test.want)
		}
	}
}

func TestNewCursorPage(t *testing.T) {
	for _, test := range []struct {
		data  []string
		limit int
		want  string
	}{
		{nil, 2, `{"data":[],"has_more":false}`},
		{[]string{}, 2, `{"data":[],"has_more":false}`},
		{[]string{"a"}, 2, `{"data":["a"],"has_more":false}`},
		{[]string{"a", "b"}, 2, `{"data":["a","b"],"next_cursor":"after b","has_more":true}`},
		{[]string{"a", "b", "c"}, 2, `{"data":["a","b"],"next_cursor":"after b","has_more":true}`},
		{nil, 0, `{"data":[],"has_more":false}`},
		{[]string{"a"}, 0, `{"data":["a"],"has_more":false}`},
		{[]string{"a"}, -1, `{"data":["a"],"has_more":false}`},
	} {
		page := NewCursorPage(test.data, test.limit, func(last string) string { return "after " + last })
		if got, err := json.Marshal(page); err != nil || string(got) != test.want {
			t.Errorf("NewCursorPage(%q, %d) = %s, %v; want %s", test.data, test.limit, got, err, test.want)
		}
	}
}

// A pageOfAll is an output that adds to a page, as an application may.
type pageOfAll struct {
	PageResponse[pageVersion]
	Note string `json:"note"`
}

type pageZeroAPI interface {
	GetPage(ctx context.Context) (*PageResponse[pageVersion], error)
	GetCursor(ctx context.Context) (*CursorResponse[pageVersion], error)
	GetAll(ctx context.Context) (*pageOfAll, error)
}

type pageZero struct{}

func (pageZero) GetPage(context.Context) (*PageResponse[pageVersion], error) {
	return new(PageResponse[pageVersion]), nil
}
func (pageZero) GetCursor(context.Context) (*CursorResponse[pageVersion], error) {
	return new(CursorResponse[pageVersion]), nil
}
func (pageZero) GetAll(context.Context) (*pageOfAll, error) {
	return &pageOfAll{PageResponse[pageVersion]{Data: []pageVersion{{"<v1>"}}}, "kept"}, nil
}

// Verify that data is never null and text is as the encoder in charge writes
// it, by svc's encoder and by encoding/json, and that both write the same.
func TestPageZeroValues(t *testing.T) {
	s := MustRegister[pageZeroAPI](pageZero{}, &Options{Resource: "z", Methods: map[string]MethodOptions{
		"GetPage": {HTTP: "GET /page"}, "GetCursor": {HTTP: "GET /cursor"}, "GetAll": {HTTP: "GET /all"},
	}})
	const zero = `"page":0,"per_page":0,"total":0,"total_pages":0`
	for _, test := range []struct{ path, method, want string }{
		{"/page", "get_page", `{"data":[],` + zero + `}`},
		{"/cursor", "get_cursor", `{"data":[],"has_more":false}`},
		{"/all", "get_all", `{"data":[{"version":"<v1>"}],` + zero + `,"note":"kept"}`},
	} {
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, httptest.NewRequest("GET", test.path, nil))
		if got := w.Body.String(); got != test.want {
			t.Errorf("%s over REST: %s, want %s", test.path, got, test.want)
		}
		out, err := s.Call(context.Background(), "z", test.method, nil)
		if err != nil {
			t.Fatal(err)
		}
		var plain strings.Builder
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		if err := e.Encode(out); err != nil || plain.String() != test.want+"\n" {
			t.Errorf("%s by encoding/json: %s, %v; want %s", test.path, plain.String(), err, test.want)
		}
		escaped, err := json.Marshal(out)
		if want := strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(test.want); err != nil || string(escaped) != want {
			t.Errorf("%s by json.Marshal: %s, %v; want %s", test.path, escaped, err, want)
		}
	}
	d := s.Descriptor()
	var names []string
	for _, typ := range d.Types {
		names = append(names, typ.Name)
	}
	if got, want := strings.Join(names, " "), "CursorResponsePageVersion PageResponsePageVersion pageOfAll pageVersion"; got != want {
		t.Errorf("types %s, want %s", got, want)
	}
	schema, err := json.Marshal(d.Resources[0].Methods[2].Output.Schema["properties"].(map[string]any)["data"])
	if want := `{"items":{"properties":{"version":{"type":"string"}},"required":["version"],"type":"object"},"type":"array"}`; err != nil || string(schema) != want {
		t.Errorf("schema of data: %s, %v; want %s", schema, err, want)
	}
}

func TestPageLinks(t *testing.T) {
	for _, test := range []struct {
		url         string
		page, total int
		want        string
	}{
		{"/todos", 1, 0, ""},
		{"/todos", 1, 10, `</todos?page=1&per_page=10>; rel="first", </todos?page=1&per_page=10>; rel="last"`},
		{"/todos", 1, 11, `</todos?page=1&per_page=10>; rel="first", </todos?page=2&per_page=10>; rel="next", </todos?page=2&per_page=10>; rel="last"`},
		{"/todos?page=2&q=a+b&per_page=5&tag=x&tag=y", 2, 30, `</todos?page=1&per_page=10&q=a+b&tag=x&tag=y>; rel="first", </todos?page=1&per_page=10&q=a+b&tag=x&tag=y>; rel="prev", ` +
			`</todos?page=3&per_page=10&q=a+b&tag=x&tag=y>; rel="next", </todos?page=3&per_page=10&q=a+b&tag=x&tag=y>; rel="last"`},
		{"/todos", 9, 11, `</todos?page=1&per_page=10>; rel="first", </todos?page=2&per_page=10>; rel="prev", </todos?page=2&per_page=10>; rel="last"`},
		{"https://op:secret@example.com/a%2Fb/%3E?x=%3E%22%0D%0A#part", 1, 1,
			`<https://example.com/a%2Fb/%3E?page=1&per_page=10&x=%3E%22%0D%0A>; rel="first", <https://example.com/a%2Fb/%3E?page=1&per_page=10&x=%3E%22%0D%0A>; rel="last"`},
		{"//evil.example/x", 1, 1, `<//evil.example/x?page=1&per_page=10>; rel="first", <//evil.example/x?page=1&per_page=10>; rel="last"`}, // a host, by the caller's word
	} {
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		before := *u
		page := NewPage[int](nil, PageRequest{Page: test.page, PerPage: 10}, test.total)
		if got := page.Links(u); got != test.want {
			t.Errorf("Links(%s) of page %d of %d items:\n got %s\nwant %s", test.url, test.page, test.total, got, test.want)
		}
		if !reflect.DeepEqual(*u, before) {
			t.Errorf("Links(%s) changed it to %s", test.url, u)
		}
	}
	// A request for such a path must not become a link to another host.
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path = "//evil.example/x"
	if got := NewPage([]int{1}, PageRequest{}, 1).Links(r.URL); !strings.HasPrefix(got, "</.//evil.example/x?") {
		t.Errorf("Links of a path with two slashes: %s", got)
	}
}

// Verify that the version middleware's version reaches methods.
func TestVersionReachesMethods(t *testing.T) {
	s := pageService(t)
	h := Version(VersionOptions{PathPrefix: true, DefaultVersion: "v0"})(s.At("/v1").REST())
	for _, test := range []struct{ target, header, want string }{
		{"/v1/version", "", `{"version":"v1"}`},
		{"/v1/version?version=2", "", `{"version":"2"}`},
		{"/v1/version", "2025-03-01", `{"version":"2025-03-01"}`},
	} {
		r := httptest.NewRequest("GET", test.target, nil)
		if test.header != "" {
			r.Header.Set("Accept-Version", test.header)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Body.String() != test.want {
			t.Errorf("GET %s: %d %s, want %s", test.target, w.Code, w.Body, test.want)
		}
	}
}

// Verify that ParsePage and a service agree on any query that both can read,
// and that what they take is within bounds.
func FuzzParsePage(f *testing.F) {
	for _, test := range pageRows {
		f.Add(test.query)
	}
	s := pageService(f)
	f.Fuzz(func(t *testing.T, query string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		got, err := ParsePage(q)
		r := httptest.NewRequest("GET", "/both", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, r)
		if (err == nil) != (w.Code == 200) {
			t.Errorf("%q: ParsePage says %v, the service %d %s", query, err, w.Code, w.Body)
		}
		if err != nil {
			if len(pageWrong(t, err)) == 0 {
				t.Errorf("%q: no violation in %v", query, err)
			}
			return
		}
		var served PageRequest
		if err := json.Unmarshal(w.Body.Bytes(), &served); err != nil || served != got {
			t.Errorf("%q: ParsePage = %v, the service %s", query, got, w.Body)
		}
		if got.Page < 1 || got.PerPage < 1 || got.PerPage > 100 || got.Limit < 1 || got.Limit > 100 || got.Offset() < 0 {
			t.Errorf("%q: %v is out of bounds", query, got)
		}
	})
}
