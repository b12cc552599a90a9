package blackbox_test

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

	"example.com/svc"
)

// pageRows are queries and what they ask for, or what is wrong with them: one
// parameter, rule and message for each violation.
var pageRows = []struct {
	query string
	want  svc.PageRequest
	wrong []string
}{
	{"", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"page=1&per_page=1&limit=1", svc.PageRequest{Page: 1, PerPage: 1, Limit: 1, Cursor: ""}, nil},
	{"page=3&per_page=50", svc.PageRequest{Page: 3, PerPage: 50, Limit: 20, Cursor: ""}, nil},
	{"per_page=100&limit=100", svc.PageRequest{Page: 1, PerPage: 100, Limit: 100, Cursor: ""}, nil},
	{"per_page=101", svc.PageRequest{Page: 1, PerPage: 100, Limit: 20, Cursor: ""}, nil},
	{"limit=101", svc.PageRequest{Page: 1, PerPage: 20, Limit: 100, Cursor: ""}, nil},
	{"per_page=9223372036854775807&limit=9223372036854775807", svc.PageRequest{Page: 1, PerPage: 100, Limit: 100, Cursor: ""}, nil},
	{"page=9223372036854775807", svc.PageRequest{Page: math.MaxInt64, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"page=1e2&per_page=1.0", svc.PageRequest{Page: 100, PerPage: 1, Limit: 20, Cursor: ""}, nil}, // as in JSON
	{"cursor=abc&limit=5", svc.PageRequest{Page: 1, PerPage: 20, Limit: 5, Cursor: "abc"}, nil},
	{"cursor=", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"cursor=a%2Bb%3D", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: "a+b="}, nil},
	{"Page=3&PER_PAGE=5&other=x", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"page=0", svc.PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=-1", svc.PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=-9223372036854775808", svc.PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=abc", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=1.5", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=+1", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=%2B1", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=01", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=0x10", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=1_000", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=%EF%BC%91", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=1%00", svc.PageRequest{}, []string{"page type must be an integer"}},
	{"page=9223372036854775808", svc.PageRequest{}, []string{"page range must be an integer between -9223372036854775808 and 9223372036854775807"}},
	{"page=1e1000000000", svc.PageRequest{}, []string{"page range must be an integer between -9223372036854775808 and 9223372036854775807"}},
	{"page=1&page=2", svc.PageRequest{}, []string{"page duplicate is given more than once"}},
	{"page=1&page=1", svc.PageRequest{}, []string{"page duplicate is given more than once"}},
	{"per_page=0", svc.PageRequest{}, []string{"per_page minimum must be at least 1"}},
	{"per_page=-5", svc.PageRequest{}, []string{"per_page minimum must be at least 1"}},
	{"limit=0", svc.PageRequest{}, []string{"limit minimum must be at least 1"}},
	{"limit=-1", svc.PageRequest{}, []string{"limit minimum must be at least 1"}},
	{"limit=5&limit=6", svc.PageRequest{}, []string{"limit duplicate is given more than once"}},
	{"cursor=a&cursor=b", svc.PageRequest{}, []string{"cursor duplicate is given more than once"}},
	{"cursor=%FF", svc.PageRequest{}, []string{"cursor type must be valid UTF-8"}},
	{"page=0&per_page=x&limit=", svc.PageRequest{}, []string{"limit type must be an integer", "page minimum must be at least 1", "per_page type must be an integer"}},
}

// pageWrong returns the violations of an error as pageRows spells them.
func pageWrong(t testing.TB, err error) (wrong []string) {
	t.Helper()
	var e *svc.Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &e) || e.Code != svc.CodeInvalidArgument {
		t.Errorf("error %v is not INVALID_ARGUMENT", err)
		return nil
	}
	list, _ := e.Details["violations"].([]svc.Violation)
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
		got, err := svc.ParsePage(q)
		if wrong := pageWrong(t, err); got != test.want || !reflect.DeepEqual(wrong, test.wrong) {
			t.Errorf("ParsePage(%q) = %v, %q; want %v, %q", test.query, got, wrong, test.want, test.wrong)
		}
	}
	if got, err := svc.ParsePage(nil); err != nil || got != (svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}) {
		t.Errorf("ParsePage(nil) = %v, %v", got, err)
	}
	if got, err := svc.ParsePage(url.Values{"page": {}, "limit": nil}); err != nil || got.Page != 1 {
		t.Errorf("ParsePage of parameters without values = %v, %v", got, err)
	}
}

func TestPageArithmetic(t *testing.T) {
	for _, test := range []struct {
		req          svc.PageRequest
		offset, size int
		cursor       bool
	}{
		{svc.PageRequest{}, 0, 20, false},
		{svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, 0, 20, false},
		{svc.PageRequest{Page: 3, PerPage: 50, Limit: 7, Cursor: ""}, 100, 50, false},
		{svc.PageRequest{Page: 3, PerPage: 50, Limit: 7, Cursor: "x"}, 100, 7, true},
		{svc.PageRequest{Page: 3, PerPage: 50, Limit: 0, Cursor: "x"}, 100, 20, true},
		{svc.PageRequest{Page: 3, PerPage: 500, Limit: 700, Cursor: ""}, 1000, 500, false}, // the application's own numbers
		{svc.PageRequest{Page: -1, PerPage: -1, Limit: -1, Cursor: ""}, 0, 20, false},
		{svc.PageRequest{Page: math.MinInt, PerPage: math.MinInt, Limit: 0, Cursor: ""}, 0, 20, false},
		{svc.PageRequest{Page: math.MaxInt, PerPage: 1, Limit: 1, Cursor: ""}, math.MaxInt - 1, 1, false},
		{svc.PageRequest{Page: math.MaxInt, PerPage: 2, Limit: 1, Cursor: ""}, math.MaxInt, 2, false},
		{svc.PageRequest{Page: math.MaxInt, PerPage: 100, Limit: 1, Cursor: ""}, math.MaxInt, 100, false},
		{svc.PageRequest{Page: math.MaxInt, PerPage: math.MaxInt, Limit: 1, Cursor: ""}, math.MaxInt, math.MaxInt, false},
		{svc.PageRequest{Page: 2, PerPage: math.MaxInt, Limit: 1, Cursor: ""}, math.MaxInt, math.MaxInt, false},
		{svc.PageRequest{Page: math.MaxInt/100 + 1, PerPage: 100, Limit: 1, Cursor: ""}, math.MaxInt / 100 * 100, 100, false},
		{svc.PageRequest{Page: math.MaxInt/100 + 2, PerPage: 100, Limit: 1, Cursor: ""}, math.MaxInt, 100, false},
	} {
		if offset, size, cursor := test.req.Offset(), test.req.Size(), test.req.IsCursor(); offset != test.offset || size != test.size || cursor != test.cursor {
			t.Errorf("%v: offset %d, size %d, cursor %t; want %d, %d, %t", test.req, offset, size, cursor, test.offset, test.size, test.cursor)
		}
	}
}

func TestNewPage(t *testing.T) {
	for _, test := range []struct {
		data  []int
		req   svc.PageRequest
		total int
		want  string
	}{
		{nil, svc.PageRequest{}, 0, `{"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}`},
		{[]int{}, svc.PageRequest{Page: 2, PerPage: 10, Limit: 5, Cursor: "x"}, 3, `{"data":[],"page":2,"per_page":10,"total":3,"total_pages":1}`},
		{[]int{1, 2}, svc.PageRequest{Page: 1, PerPage: 2, Limit: 0, Cursor: ""}, 4, `{"data":[1,2],"page":1,"per_page":2,"total":4,"total_pages":2}`},
		{[]int{1, 2}, svc.PageRequest{Page: 1, PerPage: 2, Limit: 0, Cursor: ""}, 5, `{"data":[1,2],"page":1,"per_page":2,"total":5,"total_pages":3}`},
		{[]int{1}, svc.PageRequest{Page: 1, PerPage: 2, Limit: 0, Cursor: ""}, 1, `{"data":[1],"page":1,"per_page":2,"total":1,"total_pages":1}`},
		{nil, svc.PageRequest{Page: math.MaxInt, PerPage: 1, Limit: 0, Cursor: ""}, math.MaxInt, `{"data":[],"page":9223372036854775807,"per_page":1,"total":9223372036854775807,"total_pages":9223372036854775807}`},
		{nil, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, math.MaxInt, `{"data":[],"page":1,"per_page":100,"total":9223372036854775807,"total_pages":92233720368547759}`},
		{nil, svc.PageRequest{Page: -1, PerPage: -1, Limit: 0, Cursor: ""}, -1, `{"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}`},
	} {
		if got, err := json.Marshal(svc.NewPage(test.data, test.req, test.total)); err != nil || string(got) != test.want {
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
		page := svc.NewCursorPage(test.data, test.limit, func(last string) string { return "after " + last })
		if got, err := json.Marshal(page); err != nil || string(got) != test.want {
			t.Errorf("NewCursorPage(%q, %d) = %s, %v; want %s", test.data, test.limit, got, err, test.want)
		}
	}
}

// A pageOfAll is an output that adds to a page, as an application may.
type pageOfAll struct {
	svc.PageResponse[pageVersion]
	Note string `json:"note"`
}

type pageZeroAPI interface {
	GetPage(ctx context.Context) (*svc.PageResponse[pageVersion], error)
	GetCursor(ctx context.Context) (*svc.CursorResponse[pageVersion], error)
	GetAll(ctx context.Context) (*pageOfAll, error)
}

type pageZero struct{}

func (pageZero) GetPage(context.Context) (*svc.PageResponse[pageVersion], error) {
	return new(svc.PageResponse[pageVersion]), nil
}
func (pageZero) GetCursor(context.Context) (*svc.CursorResponse[pageVersion], error) {
	return new(svc.CursorResponse[pageVersion]), nil
}
func (pageZero) GetAll(context.Context) (*pageOfAll, error) {
	return &pageOfAll{svc.PageResponse[pageVersion]{Data: []pageVersion{{"<v1>"}}}, "kept"}, nil
}

// Verify that svc's encoder writes [] for the data of a zero page. The doc of
// PageResponse says that encoding/json writes null there; everything else is
// the same by both.
func TestPageZeroValues(t *testing.T) {
	s := svc.MustRegister[pageZeroAPI](pageZero{}, &svc.Options{Resource: "z", Methods: map[string]svc.MethodOptions{
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
		page := svc.NewPage[int](nil, svc.PageRequest{Page: test.page, PerPage: 10}, test.total)
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
	if got := svc.NewPage([]int{1}, svc.PageRequest{}, 1).Links(r.URL); !strings.HasPrefix(got, "</.//evil.example/x?") {
		t.Errorf("Links of a path with two slashes: %s", got)
	}
}
