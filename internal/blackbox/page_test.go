package blackbox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// minInt and maxInt are the bounds of an int on the machine of the test.
var minInt, maxInt = strconv.Itoa(math.MinInt), strconv.Itoa(math.MaxInt)

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
	{"per_page=" + maxInt + "&limit=" + maxInt, svc.PageRequest{Page: 1, PerPage: 100, Limit: 100, Cursor: ""}, nil},
	{"page=" + maxInt, svc.PageRequest{Page: math.MaxInt, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"page=1e2&per_page=1.0", svc.PageRequest{}, []string{"page type must be an integer", "per_page type must be an integer"}},
	{"cursor=abc&limit=5", svc.PageRequest{Page: 1, PerPage: 20, Limit: 5, Cursor: "abc"}, nil},
	{"cursor=", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"cursor=a%2Bb%3D", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: "a+b="}, nil},
	{"Page=3&PER_PAGE=5&other=x", svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
	{"page=0", svc.PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=-1", svc.PageRequest{}, []string{"page minimum must be at least 1"}},
	{"page=" + minInt, svc.PageRequest{}, []string{"page minimum must be at least 1"}},
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
	{"page=" + maxInt + "0", svc.PageRequest{}, []string{"page range must be an integer between " + minInt + " and " + maxInt}},
	{"page=1" + strings.Repeat("0", 99), svc.PageRequest{}, []string{"page range must be an integer between " + minInt + " and " + maxInt}},
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
		t.Run(rowName(test.query), func(t *testing.T) {
			q, err := url.ParseQuery(test.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := svc.ParsePage(q)
			if wrong := pageWrong(t, err); got != test.want || !reflect.DeepEqual(wrong, test.wrong) {
				t.Errorf("ParsePage(%q) = %v, %q; want %v, %q", test.query, got, wrong, test.want, test.wrong)
			}
		})
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
		t.Run(rowName(test.req), func(t *testing.T) {
			if offset, size, cursor := test.req.Offset(), test.req.Size(), test.req.IsCursor(); offset != test.offset || size != test.size || cursor != test.cursor {
				t.Errorf("%v: offset %d, size %d, cursor %t; want %d, %d, %t", test.req, offset, size, cursor, test.offset, test.size, test.cursor)
			}
		})
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
		{nil, svc.PageRequest{Page: math.MaxInt, PerPage: 1, Limit: 0, Cursor: ""}, math.MaxInt, `{"data":[],"page":` + maxInt + `,"per_page":1,"total":` + maxInt + `,"total_pages":` + maxInt + `}`},
		{nil, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, math.MaxInt, `{"data":[],"page":1,"per_page":100,"total":` + maxInt + `,"total_pages":` + strconv.Itoa(math.MaxInt/100+1) + `}`},
		{nil, svc.PageRequest{Page: -1, PerPage: -1, Limit: 0, Cursor: ""}, -1, `{"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}`},
	} {
		t.Run(rowName(test.total, test.req), func(t *testing.T) {
			if got, err := json.Marshal(svc.NewPage(test.data, test.req, test.total)); err != nil || string(got) != test.want {
				t.Errorf("NewPage(%v, %v, %d) = %s, %v; want %s", test.data, test.req, test.total, got, err, test.want)
			}
		})
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
		t.Run(rowName(test.limit, fmt.Sprintf("%#v", test.data)), func(t *testing.T) {
			page := svc.NewCursorPage(test.data, test.limit, func(last string) string { return "after " + last })
			if got, err := json.Marshal(page); err != nil || string(got) != test.want {
				t.Errorf("NewCursorPage(%q, %d) = %s, %v; want %s", test.data, test.limit, got, err, test.want)
			}
		})
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
		t.Run(rowName(test.path, test.method), func(t *testing.T) {
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
		})
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
	most := strings.Repeat("a", 986) // as long as two links may be, together
	for _, test := range []struct {
		url         string
		page, total int
		want        string
	}{
		{"/todos", 1, 0, ""},
		{"/todos", 1, 10, `<?page=1&per_page=10>; rel="first", <?page=1&per_page=10>; rel="last"`},
		{"/todos", 1, 11, `<?page=1&per_page=10>; rel="first", <?page=2&per_page=10>; rel="next", <?page=2&per_page=10>; rel="last"`},
		{"/todos?page=2&q=a+b&per_page=5&tag=x&tag=y", 2, 30, `<?page=1&per_page=10&q=a+b&tag=x&tag=y>; rel="first", <?page=1&per_page=10&q=a+b&tag=x&tag=y>; rel="prev", ` +
			`<?page=3&per_page=10&q=a+b&tag=x&tag=y>; rel="next", <?page=3&per_page=10&q=a+b&tag=x&tag=y>; rel="last"`},
		{"/todos", 9, 11, `<?page=1&per_page=10>; rel="first", <?page=2&per_page=10>; rel="prev", <?page=2&per_page=10>; rel="last"`},
		{"https://op:secret@example.com/a%2Fb/%3E?x=%3E%22%0D%0A#part", 1, 1,
			`<https://example.com/a%2Fb/%3E?page=1&per_page=10&x=%3E%22%0D%0A>; rel="first", <https://example.com/a%2Fb/%3E?page=1&per_page=10&x=%3E%22%0D%0A>; rel="last"`},
		{"/todos?q=" + most, 1, 10, "<?page=1&per_page=10&q=" + most + `>; rel="first", <?page=1&per_page=10&q=` + most + `>; rel="last"`},
		{"/todos?q=" + most + "b", 1, 10, ""}, // more than 2 KiB
		{"/todos?q=" + strings.Repeat("a", 1<<20), 2, 30, ""},
		{"//evil.example/x", 1, 1, `<//evil.example/x?page=1&per_page=10>; rel="first", <//evil.example/x?page=1&per_page=10>; rel="last"`}, // a host, by the caller's word
	} {
		t.Run(rowName(test.page, test.total, test.url), func(t *testing.T) {
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
		})
	}
	// The path of a request is not in it: behind StripPrefix it is another, and // would begin a host.
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path = "//evil.example/x"
	if got := svc.NewPage([]int{1}, svc.PageRequest{}, 1).Links(r.URL); !strings.HasPrefix(got, "<?page=1&per_page=20>") {
		t.Errorf("Links of a path with two slashes: %s", got)
	}
}

// These embed what paging there is: a list by pages and a feed by cursors
// have one half each, a list by both the whole.
type (
	pageByNumber struct{ svc.PageQuery }
	pageByCursor struct{ svc.CursorQuery }
	pageByBoth   struct{ svc.PageRequest }
	// A type of the application's own in between must not lose the cap.
	pageOwn       struct{ svc.PageQuery }
	pageByOwn     struct{ pageOwn }
	pageByPointer struct{ *svc.PageQuery }
	pageFiltered  struct {
		svc.CursorQuery
		Done bool `json:"done,omitempty"`
	}
)

// A pageAPI echoes the requests for pages that reach it.
type pageAPI interface {
	ListNumbers(ctx context.Context, in *pageByNumber) (*svc.PageRequest, error)
	ListCursors(ctx context.Context, in *pageByCursor) (*svc.PageRequest, error)
	ListBoth(ctx context.Context, in *pageByBoth) (*svc.PageRequest, error)
	ListOwn(ctx context.Context, in *pageByOwn) (*svc.PageRequest, error)
	ListPointer(ctx context.Context, in *pageByPointer) (*svc.PageRequest, error)
	Query(ctx context.Context, in *pageFiltered) (*svc.PageRequest, error)
	Version(ctx context.Context) (*pageVersion, error)
}

type pageVersion struct {
	Version string `json:"version"`
}

type pageEcho struct{}

func (pageEcho) ListNumbers(_ context.Context, in *pageByNumber) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListCursors(_ context.Context, in *pageByCursor) (*svc.PageRequest, error) {
	return &svc.PageRequest{Cursor: in.Cursor, Limit: in.Limit}, nil
}

func (pageEcho) ListBoth(_ context.Context, in *pageByBoth) (*svc.PageRequest, error) {
	return &in.PageRequest, nil
}

func (pageEcho) ListOwn(_ context.Context, in *pageByOwn) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListPointer(_ context.Context, in *pageByPointer) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Query(_ context.Context, in *pageFiltered) (*svc.PageRequest, error) {
	return &svc.PageRequest{Cursor: in.Cursor, Limit: in.Limit}, nil
}

func (pageEcho) Version(ctx context.Context) (*pageVersion, error) {
	return &pageVersion{svc.GetVersion(ctx)}, nil
}

func pageService(t testing.TB) *svc.Service {
	t.Helper()
	s, err := svc.Register[pageAPI](pageEcho{}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
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
func pageREST(t testing.TB, s *svc.Service, method, target, body string) (svc.PageRequest, string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	if w.Code != 200 {
		return svc.PageRequest{}, w.Body.String()
	}
	var p svc.PageRequest
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, w.Body)
	}
	return p, ""
}

// Verify that a service and ParsePage answer every query alike, text for text.
func TestPagesBindOverREST(t *testing.T) {
	s := pageService(t)
	for _, test := range pageRows {
		t.Run(rowName(test.query), func(t *testing.T) {
			got, refusal := pageREST(t, s, "GET", "/both?"+test.query, "")
			q, _ := url.ParseQuery(test.query)
			_, err := svc.ParsePage(q)
			want := ""
			if err != nil {
				want = envelopeOf(err)
			}
			if sortPageViolations(refusal) != sortPageViolations(want) || got != test.want {
				t.Errorf("GET /both?%s = %v %s; want %v %s", test.query, got, refusal, test.want, want)
			}
		})
	}
}

// sortPageViolations puts the violations of an envelope in the order of their
// parameters: those that a query names come in its order, and url.Values has
// none. The message tells of the first.
func sortPageViolations(body string) string {
	var envelope struct {
		Error struct {
			Code    svc.Code
			Details struct{ Violations []svc.Violation }
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
		want                 svc.PageRequest
	}{
		{"GET", "/numbers", "", svc.PageRequest{Page: 1, PerPage: 20, Limit: 0, Cursor: ""}},
		{"GET", "/numbers?page=2&per_page=1000&limit=7&cursor=x", "", svc.PageRequest{Page: 2, PerPage: 100, Limit: 0, Cursor: ""}},
		{"GET", "/cursors", "", svc.PageRequest{Page: 0, PerPage: 0, Limit: 20, Cursor: ""}},
		{"GET", "/cursors?cursor=x&limit=1000&page=7", "", svc.PageRequest{Page: 0, PerPage: 0, Limit: 100, Cursor: "x"}},
		{"GET", "/own?per_page=1000", "", svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}},
		{"GET", "/pointer", "", svc.PageRequest{Page: 1, PerPage: 20, Limit: 0, Cursor: ""}},
		{"GET", "/pointer?per_page=1000", "", svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}},
		{"POST", "/p/query?cursor=x&limit=1000", `{"done":true}`, svc.PageRequest{Page: 0, PerPage: 0, Limit: 100, Cursor: "x"}},
		{"POST", "/p/query?limit=7", `{"limit":9,"cursor":"y"}`, svc.PageRequest{Page: 0, PerPage: 0, Limit: 7, Cursor: ""}}, // a query parameter is no body member
	} {
		t.Run(rowName(test.method, test.target), func(t *testing.T) {
			if got, refusal := pageREST(t, s, test.method, test.target, test.body); refusal != "" || got != test.want {
				t.Errorf("%s %s = %v %s, want %v", test.method, test.target, got, refusal, test.want)
			}
		})
	}
	_, refusal := pageREST(t, s, "POST", "/p/query?limit=0", `{}`)
	if want := `{"in":"query","path":"/limit","rule":"minimum","message":"must be at least 1","limit":1}`; !strings.Contains(refusal, want) {
		t.Errorf("POST with limit=0: %s, want %s", refusal, want)
	}
}

// Verify that a call by Go values is held to the same: zero is absent.
func TestPagesThroughCall(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		method string
		in     any
		want   svc.PageRequest
		wrong  []string
	}{
		{"list_both", &pageByBoth{}, svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{"list_both", &pageByBoth{svc.PageRequest{Page: 2, PerPage: 101, Limit: 1000, Cursor: "x"}}, svc.PageRequest{Page: 2, PerPage: 100, Limit: 100, Cursor: "x"}, nil},
		{"list_both", &pageByBoth{svc.PageRequest{Page: math.MaxInt}}, svc.PageRequest{Page: math.MaxInt, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{"list_both", &pageByBoth{svc.PageRequest{Page: -1, PerPage: -1, Limit: -1, Cursor: ""}}, svc.PageRequest{}, []string{"page minimum must be at least 1", "per_page minimum must be at least 1", "limit minimum must be at least 1"}},
		{"list_numbers", &pageByNumber{svc.PageQuery{Page: 0, PerPage: 500}}, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, nil},
		{"list_cursors", &pageByCursor{svc.CursorQuery{Cursor: "x", Limit: 500}}, svc.PageRequest{Page: 0, PerPage: 0, Limit: 100, Cursor: "x"}, nil},
		{"list_own", &pageByOwn{pageOwn{svc.PageQuery{Page: 0, PerPage: 500}}}, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, nil},
		{"list_pointer", &pageByPointer{&svc.PageQuery{Page: 0, PerPage: 500}}, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, nil},
	} {
		t.Run(rowName(test.method, test.in), func(t *testing.T) {
			out, err := s.Call(context.Background(), "p", test.method, test.in)
			if wrong := pageWrong(t, err); !reflect.DeepEqual(wrong, test.wrong) {
				t.Errorf("%s: %q, want %q", test.method, wrong, test.wrong)
			}
			if got, ok := out.(*svc.PageRequest); ok != (test.wrong == nil) || ok && *got != test.want {
				t.Errorf("%s: %v, want %v", test.method, out, test.want)
			}
		})
	}
	in, err := s.NewInput("p", "list_both")
	if want := (svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}); err != nil || in.(*pageByBoth).PageRequest != want {
		t.Errorf("NewInput = %v, %v; want %v", in, err, want)
	}
}

// Verify that the schema publishes what is enforced, and no maximum, which is
// not.
func TestPageSchema(t *testing.T) {
	s := pageService(t)
	const page = `{"default":1,"description":"The number of the page, from 1.","format":"int64","minimum":1,"type":"integer"}`
	const perPage = `{"default":20,"description":"Items on a page; more than 100 counts as 100.","format":"int64","minimum":1,"type":"integer"}`
	const cursor = `{"description":"The next_cursor of an earlier answer; empty for the beginning.","type":"string"}`
	const limit = `{"default":20,"description":"How many items; more than 100 counts as 100.","format":"int64","minimum":1,"type":"integer"}`
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

// Verify that the OpenAPI document shows the same, as query parameters.
func TestPageInOpenAPI(t *testing.T) {
	w := httptest.NewRecorder()
	pageService(t).OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
				Schema   struct {
					Default, Minimum, Maximum *int
				}
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	show := func(n *int) string {
		if n == nil {
			return "-"
		}
		return strconv.Itoa(*n)
	}
	for _, test := range []struct{ path, method, want string }{
		{"/numbers", "get", "query page 1 1 -, query per_page 20 1 -"},
		{"/cursors", "get", "query cursor - - -, query limit 20 1 -"},
		{"/both", "get", "query page 1 1 -, query per_page 20 1 -, query limit 20 1 -, query cursor - - -"},
		{"/p/query", "post", "query cursor - - -, query limit 20 1 -"},
	} {
		t.Run(rowName(test.path, test.method), func(t *testing.T) {
			var got []string
			for _, p := range doc.Paths[test.path][test.method].Parameters {
				got = append(got, strings.Join([]string{p.In, p.Name, show(p.Schema.Default), show(p.Schema.Minimum), show(p.Schema.Maximum)}, " "))
				if p.Required {
					t.Errorf("%s: %s is required", test.path, p.Name)
				}
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("%s has the parameters %s, want %s", test.path, got, test.want)
			}
		})
	}
}

// Verify that transports with one object for all fields bind pages alike.
func TestPagesBindAsObject(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		params string
		want   svc.PageRequest
		wrong  []string
	}{
		{`{}`, svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{`{"page":3,"per_page":101,"limit":1000,"cursor":"x"}`, svc.PageRequest{Page: 3, PerPage: 100, Limit: 100, Cursor: "x"}, nil},
		{`{"page":` + maxInt + `}`, svc.PageRequest{Page: math.MaxInt, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{`{"page":0,"limit":0}`, svc.PageRequest{}, []string{"page minimum must be at least 1", "limit minimum must be at least 1"}},
		{`{"page":"1"}`, svc.PageRequest{}, []string{"page type must be an integer, is a string with JSON in it; send the integer itself"}},
		{`{"page":null}`, svc.PageRequest{}, []string{"page type must not be null; leave it out"}},
	} {
		t.Run(rowName(test.params), func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"method":"p.list_both","params":` + test.params + `}`
			w := httptest.NewRecorder()
			s.RPC().ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
			var answer struct {
				Result svc.PageRequest
				Error  struct {
					Data struct {
						Details struct{ Violations []svc.Violation }
					}
				}
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			var wrong []string
			for _, v := range answer.Error.Data.Details.Violations {
				wrong = append(wrong, strings.Join([]string{strings.TrimPrefix(v.Path, "/"), v.Rule, v.Message}, " "))
			}
			if answer.Result != test.want || !slices.Equal(wrong, test.wrong) {
				t.Errorf("%s: %v, %q; want %v, %q\n%s", test.params, answer.Result, wrong, test.want, test.wrong, w.Body)
			}
		})
	}
}

// Verify that the version middleware's version reaches methods.
func TestVersionReachesMethods(t *testing.T) {
	s := pageService(t)
	h := svc.Version(&svc.VersionOptions{PathPrefix: true, DefaultVersion: "v0"})(s.At("/v1").REST())
	for _, test := range []struct{ target, header, want string }{
		{"/v1/version", "", `{"version":"v1"}`},
		{"/v1/version?version=2", "", `{"version":"2"}`},
		{"/v1/version", "2025-03-01", `{"version":"2025-03-01"}`},
	} {
		t.Run(rowName(test.target, test.header), func(t *testing.T) {
			r := httptest.NewRequest("GET", test.target, nil)
			if test.header != "" {
				r.Header.Set("Accept-Version", test.header)
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Body.String() != test.want {
				t.Errorf("GET %s: %d %s, want %s", test.target, w.Code, w.Body, test.want)
			}
		})
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
		got, err := svc.ParsePage(q)
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
		var served svc.PageRequest
		if err := json.Unmarshal(w.Body.Bytes(), &served); err != nil || served != got {
			t.Errorf("%q: ParsePage = %v, the service %s", query, got, w.Body)
		}
		if got.Page < 1 || got.PerPage < 1 || got.PerPage > 100 || got.Limit < 1 || got.Limit > 100 || got.Offset() < 0 {
			t.Errorf("%q: %v is out of bounds", query, got)
		}
	})
}

// envelopeOf returns the body of the answer to a request that fails with err.
func envelopeOf(err error) string {
	w := httptest.NewRecorder()
	svc.WriteError(w, httptest.NewRequest("GET", "/", nil), err)
	return w.Body.String()
}

// A walkItem is an item of a list in order of time. Several have the same time.
type walkItem struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

func compareWalk(a, b walkItem) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

// A walkStore is a list that a test inserts into while it is read.
type walkStore struct {
	items []walkItem // sorted
	seal  *svc.CursorKey
}

func (s *walkStore) insert(item walkItem) {
	at, _ := slices.BinarySearchFunc(s.items, item, compareWalk)
	s.items = slices.Insert(s.items, at, item)
}

func (s *walkStore) List(_ context.Context, in *pageByNumber) (*svc.PageResponse[walkItem], error) {
	req := in.PageRequest()
	start := min(req.Offset(), len(s.items))
	end := min(req.Size(), len(s.items)-start) + start
	return svc.NewPage(slices.Clone(s.items[start:end]), req, len(s.items)), nil
}

func (s *walkStore) Feed(_ context.Context, in *pageByCursor) (*svc.CursorResponse[walkItem], error) {
	start := 0
	if in.Cursor != "" {
		var key svc.TimeCursor
		if err := s.seal.Decode(in.Cursor, &key); err != nil {
			return nil, err
		}
		at, found := slices.BinarySearchFunc(s.items, walkItem(key), compareWalk)
		if start = at; found {
			start++
		}
	}
	rest := s.items[start:]
	return svc.NewCursorPage(slices.Clone(rest[:min(in.Limit, len(rest))]), in.Limit, func(last walkItem) string {
		cursor, err := s.seal.Encode(svc.TimeCursor(last))
		if err != nil {
			panic(err)
		}
		return cursor
	}), nil
}

type walkAPI interface {
	List(ctx context.Context, in *pageByNumber) (*svc.PageResponse[walkItem], error)
	Feed(ctx context.Context, in *pageByCursor) (*svc.CursorResponse[walkItem], error)
}

// A walkClient asks for one part of a list by one transport.
type walkClient interface {
	page(t *testing.T, n, size int) *svc.PageResponse[walkItem]
	cursor(t *testing.T, cursor string, limit int) *svc.CursorResponse[walkItem]
}

type walkREST struct{ *svc.Service }

func (c walkREST) get(t *testing.T, target string, out any) {
	w := httptest.NewRecorder()
	c.REST().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil || w.Code != 200 {
		t.Fatalf("GET %s: %d %s", target, w.Code, w.Body)
	}
}

func (c walkREST) page(t *testing.T, n, size int) *svc.PageResponse[walkItem] {
	var out svc.PageResponse[walkItem]
	c.get(t, fmt.Sprintf("/walk?page=%d&per_page=%d", n, size), &out)
	return &out
}

func (c walkREST) cursor(t *testing.T, cursor string, limit int) *svc.CursorResponse[walkItem] {
	var out svc.CursorResponse[walkItem]
	c.get(t, "/walk/feed?"+url.Values{"cursor": {cursor}, "limit": {strconv.Itoa(limit)}}.Encode(), &out)
	return &out
}

type walkCall struct{ *svc.Service }

func (c walkCall) page(t *testing.T, n, size int) *svc.PageResponse[walkItem] {
	out, err := c.Call(context.Background(), "walk", "list", &pageByNumber{svc.PageQuery{Page: n, PerPage: size}})
	if err != nil {
		t.Fatal(err)
	}
	return out.(*svc.PageResponse[walkItem])
}

func (c walkCall) cursor(t *testing.T, cursor string, limit int) *svc.CursorResponse[walkItem] {
	out, err := c.Call(context.Background(), "walk", "feed", &pageByCursor{svc.CursorQuery{Cursor: cursor, Limit: limit}})
	if err != nil {
		t.Fatal(err)
	}
	return out.(*svc.CursorResponse[walkItem])
}

// walkWorlds calls test with many lists, over each transport. between changes
// the list while it is read, if inserting is true.
func walkWorlds(t *testing.T, inserting bool, test func(t *testing.T, name string, store *walkStore, c walkClient, size int, between func())) {
	for seed := range uint64(60) {
		for transport := range 2 {
			r := rand.New(rand.NewPCG(seed, 7))
			store := &walkStore{seal: svc.NewCursorKey([]byte("a key for a walk"))}
			next := 0
			insert := func() {
				next++
				store.insert(walkItem{strconv.Itoa(next), time.Unix(r.Int64N(12), 0).UTC()}) // few instants: many ties
			}
			for range r.IntN(30) {
				insert()
			}
			between := func() {
				for range r.IntN(4) {
					insert()
				}
			}
			if !inserting {
				between = func() {}
			}
			s := svc.MustRegister[walkAPI](store, &svc.Options{Resource: "walk", Methods: map[string]svc.MethodOptions{"Feed": {HTTP: "GET /walk/feed"}}})
			clients := [...]walkClient{walkREST{s}, walkCall{s}}
			size := 1 + r.IntN(7)
			name := fmt.Sprintf("seed %d, %T, %d at a time, inserting %t", seed, clients[transport], size, inserting)
			test(t, name, store, clients[transport], size, between)
		}
	}
}

// walked counts how often each item was met.
func walked(lists [][]walkItem) map[string]int {
	met := make(map[string]int)
	for _, list := range lists {
		for _, item := range list {
			met[item.ID]++
		}
	}
	return met
}

// Verify that a walk by cursors meets every item that was there from the
// beginning once, whoever inserts what and where, and none twice, in order.
func TestWalkCursors(t *testing.T) {
	for _, inserting := range []bool{false, true} {
		walkWorlds(t, inserting, func(t *testing.T, name string, store *walkStore, c walkClient, size int, between func()) {
			existing := slices.Clone(store.items)
			var lists [][]walkItem
			for cursor, more := "", true; more; {
				part := c.cursor(t, cursor, size)
				if part.HasMore != (len(part.Data) == size) || part.HasMore != (part.NextCursor != "") || part.Data == nil {
					t.Fatalf("%s: %+v", name, part)
				}
				lists = append(lists, part.Data)
				cursor, more = part.NextCursor, part.HasMore
				// Those who insert are slower than the reader in the end.
				if len(lists) < 30 {
					between()
				}
			}
			met := walked(lists)
			for _, item := range existing {
				if met[item.ID] != 1 {
					t.Errorf("%s: item %s was met %d times", name, item.ID, met[item.ID])
				}
			}
			for id, n := range met {
				if n > 1 {
					t.Errorf("%s: item %s was met %d times", name, id, n)
				}
			}
			if all := slices.Concat(lists...); !slices.IsSortedFunc(all, compareWalk) {
				t.Errorf("%s: out of order: %v", name, all)
			}
		})
	}
}

// Verify that a walk by pages meets every item once if nobody inserts, that
// inserts can only make it meet an item again, as documented, and that each
// page tells the truth about the list as it was then.
func TestWalkPages(t *testing.T) {
	repeats := 0
	for _, inserting := range []bool{false, true} {
		walkWorlds(t, inserting, func(t *testing.T, name string, store *walkStore, c walkClient, size int, between func()) {
			existing := slices.Clone(store.items)
			var lists [][]walkItem
			for n, pages := 1, 1; n <= pages; n++ {
				page := c.page(t, n, size)
				total := len(store.items)
				pages = (total + size - 1) / size
				full := max(0, min(size, total-(n-1)*size))
				if page.Page != n || page.PerPage != size || page.Total != total || page.TotalPages != pages || len(page.Data) != full || page.Data == nil {
					t.Fatalf("%s: page %d of %d items: %+v", name, n, total, page)
				}
				lists = append(lists, page.Data)
				if len(lists) < 30 {
					between()
				}
			}
			met := walked(lists)
			for _, item := range existing {
				if n := met[item.ID]; n < 1 || n > 1 && !inserting {
					t.Errorf("%s: item %s was met %d times", name, item.ID, n)
				} else if n > 1 {
					repeats++
				}
			}
		})
	}
	if repeats == 0 {
		t.Error("no item was met twice: the lists are too tame to show what pages cannot do")
	}
}

// Verify that a cursor goes on after its item even where that is gone.
func TestWalkCursorOfDeletedItem(t *testing.T) {
	store := &walkStore{seal: svc.NewCursorKey([]byte("a key for a walk"))}
	for i := range 6 {
		store.insert(walkItem{strconv.Itoa(i), time.Unix(1, 0).UTC()})
	}
	s := svc.MustRegister[walkAPI](store, &svc.Options{Resource: "walk"})
	first := walkCall{s}.cursor(t, "", 3)
	store.items = slices.Delete(store.items, 1, 3) // with the last of the part
	second := walkCall{s}.cursor(t, first.NextCursor, 3)
	if got := fmt.Sprint(first.Data, second.Data); got != fmt.Sprint(
		[]walkItem{{"0", time.Unix(1, 0).UTC()}, {"1", time.Unix(1, 0).UTC()}, {"2", time.Unix(1, 0).UTC()}},
		[]walkItem{{"3", time.Unix(1, 0).UTC()}, {"4", time.Unix(1, 0).UTC()}, {"5", time.Unix(1, 0).UTC()}}) {
		t.Errorf("walked %s", got)
	}
}

// Verify that a cursor that is not the list's own gets the same refusal, with
// its place, as any other bad parameter.
func TestWalkForeignCursor(t *testing.T) {
	store := &walkStore{seal: svc.NewCursorKey([]byte("a key for a walk"))}
	s := svc.MustRegister[walkAPI](store, &svc.Options{Resource: "walk", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Feed": {HTTP: "GET /walk/feed"}}})
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest("GET", "/walk/feed?cursor=abc", nil))
	const want = `{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /cursor must be a cursor from an earlier answer of this list",` +
		`"details":{"violations":[{"in":"query","path":"/cursor","rule":"type","message":"must be a cursor from an earlier answer of this list"}]}}}`
	if w.Code != 400 || w.Body.String() != want {
		t.Errorf("%d %s, want 400 %s", w.Code, w.Body, want)
	}
	_, err := s.Call(context.Background(), "walk", "feed", &pageByCursor{svc.CursorQuery{Cursor: "abc", Limit: 1}})
	checkCursorError(t, "Call", err)
}
