package svc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

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

// Verify that svc's encoder writes [] for the data of a zero page. The doc of
// PageResponse says that encoding/json writes null there; everything else is
// the same by both.
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
		got, err := json.Marshal(out)
		if want := strings.NewReplacer("[]", "null", "<", `\u003c`, ">", `\u003e`).Replace(test.want); err != nil || string(got) != want {
			t.Errorf("%s by json.Marshal: %s, %v; want %s", test.path, got, err, want)
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
