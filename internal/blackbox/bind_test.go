package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file is where the fields of an input come from, and what a value means
// in each of those places.

// AgreeAPI has one value of type T in the path, in the query and in the body.
type AgreeAPI[T any] interface {
	Get(context.Context, *AgreePath[T]) (*AgreeOut[T], error)
	List(context.Context, *AgreeIn[T]) (*AgreeOut[T], error)
	Create(context.Context, *AgreeIn[T]) (*AgreeOut[T], error)
}

type AgreePath[T any] struct {
	V T `json:"v" path:"v"`
}

type AgreeIn[T any] struct {
	V T `json:"v"`
}

type AgreeOut[T any] struct {
	V T `json:"v"`
}

type agreeService[T any] struct{}

func (agreeService[T]) Get(_ context.Context, in *AgreePath[T]) (*AgreeOut[T], error) {
	return &AgreeOut[T]{in.V}, nil
}

func (agreeService[T]) List(_ context.Context, in *AgreeIn[T]) (*AgreeOut[T], error) {
	return &AgreeOut[T]{in.V}, nil
}

func (agreeService[T]) Create(_ context.Context, in *AgreeIn[T]) (*AgreeOut[T], error) {
	return &AgreeOut[T]{in.V}, nil
}

// agreeHandler serves AgreeAPI[T] at /agree.
func agreeHandler[T any](t testing.TB) http.Handler {
	t.Helper()
	opts := wireOptions()
	opts.Resource = "agree"
	s, err := svc.Register[AgreeAPI[T]](agreeService[T]{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s.REST()
}

func ask(h http.Handler, method, target, body string) (status int, answer string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// numberTexts are all texts of up to four characters that numbers are made of,
// and some longer ones that are on the border of a type.
func numberTexts() []string {
	var texts []string
	var grow func(text string, left int)
	grow = func(text string, left int) {
		texts = append(texts, text)
		if left > 0 {
			for _, c := range "019-+.e" {
				grow(text+string(c), left-1)
			}
		}
	}
	grow("", 4)
	return append(texts,
		"127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
		"9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
		"1.28e2", "12.7e1", "12.75e1", "1270e-1", "1271e-1", "0.000e99999", "1e400", "-1e400", "1e-400", "3.4028235e38", "3.4028236e38", "1E2", "1E+2", "1e19", "1e20", "1e1000000000", "-1e-1000000000",
		"true", "false", "True", "TRUE", "yes", "null", "NaN", "Infinity", "-Infinity", "inf", "0x10", "0b1", "0o7", "1_000", "1,000", "１", "٣", "1f", "1n", "²", `"1"`, "[1]", "{}", "1/2", "1%", "--1", "- 1")
}

var stringTexts = []string{
	"", "a", "é日\U0001F600", "\u0000", "a/b", "..x", "%", "%41", "+", "a b", "&=;", "\ufeff", "\ufffd", "null", "1",
	"2026-02-28T23:59:59Z", "2026-02-28T23:59:59.123456789+02:00", "2026-02-29T00:00:00Z", "2026-02-28", "2026-02-28T00:00:00", "2026-02-28t00:00:00z", "2026-02-28 00:00:00Z", "2026-02-28T24:00:00Z", "2026-02-28T00:00:60Z", "2026-02-28T00:00:00,5Z", "2026-02-28T0:00:00Z", "2026-02-28T00:00:00+24:00", "10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
	"1h30m", "1.5s", "-1ns", "0", "0s", "1", "1 h", "1d", "+5s", ".5s", "9999999999h", "2562047h47m16.854775807s", "1h ", "µs", "1µs", "1us",
	"AA==", "AAA=", "AAAA", "AA", "AB==", "A", "====", "AA==\n", "_-8=", "+/8=",
	"192.0.2.1", "2001:db8::1", "192.0.2.01", "fe80::1%eth0", "::ffff:192.0.2.1",
}

// agree checks that texts mean the same in the path, in the query and in the
// body, where inBody says how the body spells them.
func agree[T any](t *testing.T, texts []string, inBody func(string) string) {
	h := agreeHandler[T](t)
	var zero T
	accepted := 0
	for _, text := range texts {
		status, want := ask(h, "POST", "/agree", `{"v":`+inBody(text)+`}`)
		if status == 200 {
			accepted++
		}
		places := map[string]string{"query": "/agree?v=" + url.QueryEscape(text)}
		if text != "" && text != "." && text != ".." { // which are no segments of a path
			places["path"] = "/agree/" + url.PathEscape(text)
		}
		for place, target := range places {
			got, answer := ask(h, "GET", target, "")
			if isInteger[T]() && !plainInteger.MatchString(text) {
				if wrong := `{"in":"` + place + `","path":"/v","rule":"type","message":"must be an integer"}`; got != 400 || !strings.Contains(answer, wrong) {
					t.Errorf("%q as %T: in the %s %d %s", text, zero, place, got, answer)
				}
				continue
			}
			same := got == status && (answer == want || status != 200)
			// What is no JSON at all has another mistake in the body.
			if status == 400 && !strings.Contains(want, `"rule":"syntax"`) {
				same = same && answer == strings.ReplaceAll(want, `"in":"body"`, `"in":"`+place+`"`)
			}
			if !same {
				t.Errorf("%q as %T: in the %s %d %s; in the body %d %s", text, zero, place, got, answer, status, want)
			}
		}
	}
	if accepted == 0 || accepted == len(texts) {
		t.Errorf("%T: %d of %d texts are accepted", zero, accepted, len(texts))
	}
}

// plainInteger is how an integer is spelt outside of JSON.
var plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// isInteger reports whether T is an integer or leads to one.
func isInteger[T any]() bool {
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 && t != reflect.TypeFor[time.Duration]()
}

func asJSON(text string) string { return text }

func asJSONString(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

type agreeInt int16
type agreeText struct{ s string }

func (a *agreeText) UnmarshalText(text []byte) error {
	if len(text) > 4 {
		return fmt.Errorf("secret: %s is too long", text)
	}
	a.s = string(text)
	return nil
}
func (a agreeText) MarshalText() ([]byte, error) { return []byte(a.s), nil }

// Verify that a value means the same in a path, in a query string and in JSON,
// over a small complete world of spellings, except that an integer has one
// spelling outside of JSON.
func TestSettersAgreeWithJSON(t *testing.T) {
	t.Parallel()
	numbers := numberTexts()
	t.Run("int", func(t *testing.T) { agree[int](t, numbers, asJSON) })
	t.Run("int8", func(t *testing.T) { agree[int8](t, numbers, asJSON) })
	t.Run("int16", func(t *testing.T) { agree[agreeInt](t, numbers, asJSON) })
	t.Run("int32", func(t *testing.T) { agree[int32](t, numbers, asJSON) })
	t.Run("int64", func(t *testing.T) { agree[int64](t, numbers, asJSON) })
	t.Run("uint8", func(t *testing.T) { agree[uint8](t, numbers, asJSON) })
	t.Run("uint64", func(t *testing.T) { agree[uint64](t, numbers, asJSON) })
	t.Run("float32", func(t *testing.T) { agree[float32](t, numbers, asJSON) })
	t.Run("float64", func(t *testing.T) { agree[float64](t, numbers, asJSON) })
	t.Run("Number", func(t *testing.T) { agree[json.Number](t, numbers, asJSON) })
	t.Run("bool", func(t *testing.T) { agree[bool](t, numbers, asJSON) })
	notNull := func(text string) string {
		if text == "null" {
			return "nul" // which only JSON can say
		}
		return text
	}
	t.Run("pointer", func(t *testing.T) { agree[*int8](t, numbers, notNull) })
	t.Run("pointers", func(t *testing.T) { agree[**bool](t, numbers, notNull) })
	t.Run("time", func(t *testing.T) { agree[time.Time](t, stringTexts, asJSONString) })
	t.Run("duration", func(t *testing.T) { agree[time.Duration](t, stringTexts, asJSONString) })
	t.Run("bytes", func(t *testing.T) { agree[[]byte](t, stringTexts, asJSONString) })
	t.Run("netip", func(t *testing.T) { agree[netip.Addr](t, stringTexts, asJSONString) })
	t.Run("text", func(t *testing.T) { agree[*agreeText](t, stringTexts, asJSONString) })
	t.Run("string", func(t *testing.T) {
		agree[string](t, append(stringTexts, "\xff"), func(text string) string {
			if text == "\xff" {
				return `"` + text + `"`
			}
			return asJSONString(text)
		})
	})
}

// Verify that a parameter given again and again is the list that JSON has.
func TestListsAgreeWithJSON(t *testing.T) {
	check := func(t *testing.T, h http.Handler, items []string, inBody func(string) string) {
		t.Helper()
		var query, body []string
		for _, item := range items {
			query = append(query, "v="+url.QueryEscape(item))
			body = append(body, inBody(item))
		}
		status, want := ask(h, "POST", "/agree", `{"v":[`+strings.Join(body, ",")+`]}`)
		got, answer := ask(h, "GET", "/agree?"+strings.Join(query, "&"), "")
		if got != status || answer != strings.ReplaceAll(want, `"in":"body"`, `"in":"query"`) {
			t.Errorf("%q: in the query %d %s; in the body %d %s", items, got, answer, status, want)
		}
	}
	ints, strs := agreeLists[int8](t), agreeLists[string](t)
	for _, items := range [][]string{{"1"}, {"1", "2"}, {"1", "1"}, {"1", "300"}, {"1.5", "2"}, {"300", "-300", "1"}, {"100", "-0"}} {
		check(t, ints, items, asJSON)
		check(t, agreeLists[*int8](t), items, asJSON)
		check(t, agreeLists[json.Number](t), items, asJSON)
	}
	for _, items := range [][]string{{""}, {"a"}, {"a", ""}, {"a,b", "c"}, {"é", "\u0000", "&"}} {
		check(t, strs, items, asJSONString)
		check(t, agreeLists[*agreeText](t), items, asJSONString)
		check(t, agreeLists[[]byte](t), items, asJSONString)
		check(t, agreeLists[time.Time](t), items, asJSONString)
	}
	if status, answer := ask(strs, "GET", "/agree", ""); status != 400 || !strings.Contains(answer, `"rule":"required"`) {
		t.Errorf("a list that is not there: %d %s", status, answer)
	}
}

// ListAPI has a list in the query and in the body. A path has no lists.
type ListAPI[T any] interface {
	List(context.Context, *AgreeIn[[]T]) (*AgreeOut[[]T], error)
	Create(context.Context, *AgreeIn[[]T]) (*AgreeOut[[]T], error)
}

func agreeLists[T any](t testing.TB) http.Handler {
	t.Helper()
	opts := wireOptions()
	opts.Resource = "agree"
	s, err := svc.Register[ListAPI[T]](agreeService[[]T]{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s.REST()
}

// SourceAPI has fields from everywhere.
type SourceAPI interface {
	Move(context.Context, *SourceMove) error
	List(context.Context, *SourceList) error
	Delete(context.Context, *SourceDelete) error
	Update(context.Context, *SourceUpdate) error
}

type SourceMove struct {
	Box     string   `json:"box"`                                // by its wire name
	Item    int64    `json:"itemId" path:"item"`                 // by its tag
	Tenant  string   `json:"-" path:"tenant"`                    // only in the path
	Dry     bool     `json:"dry,omitempty" query:"dry_run"`      // by its tag
	Actor   *string  `json:"-" query:"actor,omitempty"`          // only in the query
	Tags    []string `json:"tags,omitempty" query:"tag"`         // by repetition
	Page    int      `json:"-" query:"page" default:"1"`         //
	Note    string   `json:"note"`                               // the rest is the body
	Size    *int8    `json:"size,omitempty"`                     //
	Level   int      `json:"level" default:"3"`                  //
	Nothing string   `json:"-"`                                  // nowhere
	Name    string   `query:"as,omitempty" path:"" example:"me"` // the query name is the wire name
}

type SourceList struct {
	Q      string   `json:"q"`
	Limit  int      `json:"limit" default:"20" maximum:"50"`
	Since  *int     `json:"since"`
	Until  *int     `json:"until,omitempty"`
	Flags  []bool   `json:"flag,omitempty" maxItems:"2"`
	Kinds  []string `json:"kind" default:"[\"a\",\"b\"]" minItems:"1"`
	Legacy string   `json:"old,omitempty" query:"legacy"`
}

type SourceDelete struct {
	ID    string `json:"id"`
	Force bool   `json:"force,omitempty"`
}

type SourceUpdate struct {
	ID    string `path:"id" json:"-"`
	Owner string `json:"-" query:"owner"`
	Title string `json:"title"`
}

type sourceService struct{ got any }

func (s *sourceService) keep(in any) error { s.got = in; return nil }

func (s *sourceService) Move(_ context.Context, in *SourceMove) error     { return s.keep(in) }
func (s *sourceService) List(_ context.Context, in *SourceList) error     { return s.keep(in) }
func (s *sourceService) Delete(_ context.Context, in *SourceDelete) error { return s.keep(in) }
func (s *sourceService) Update(_ context.Context, in *SourceUpdate) error { return s.keep(in) }

func pointerTo[T any](v T) *T { return &v }

// WideParams has more query parameters than a word has bits.
type WideParams struct {
	A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, D0, D1, D2, D3, D4, D5, D6, D7, D8, D9,
	E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, F0, F1, F2, F3, F4, F5, F6, F7, F8, F9, G0, G1, G2, G3, G4, G5, G6, G7, G8, G9 int8
}

type WideAPI interface {
	List(context.Context, *WideParams) error
}

type wideService struct{}

func (wideService) List(context.Context, *WideParams) error { return nil }

// Verify of each of 70 parameters that it is missed when it is not there, and that
// it is found when it comes twice.
func TestWideParams(t *testing.T) {
	s, err := svc.Register[WideAPI](wideService{}, &svc.Options{Resource: "wide", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	get := func(query []string) string {
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, httptest.NewRequest("GET", "/wide?"+strings.Join(query, "&"), nil))
		return w.Body.String()
	}
	var all []string
	for i := range 70 {
		all = append(all, fmt.Sprintf("%c%d=1", 'A'+i/10, i%10))
	}
	if got := get(all); got != "" {
		t.Errorf("all: %s", got)
	}
	for i, param := range all {
		name, _, _ := strings.Cut(param, "=")
		if got := get(slices.Delete(slices.Clone(all), i, i+1)); strings.Count(got, `"rule":"required"`) != 1 || !strings.Contains(got, `"path":"/`+name+`"`) {
			t.Errorf("without %s: %s", name, got)
		}
		if got := get(append(slices.Clone(all), param)); strings.Count(got, `"path":`) != 1 || !strings.Contains(got, `"path":"/`+name+`"`) {
			t.Errorf("%s twice: %s", name, got)
		}
	}
}

// Verify that each field comes from its own place and from no other, and what
// becomes of one that is not there.
func TestSources(t *testing.T) {
	impl := new(sourceService)
	opts := wireOptions()
	opts.Resource = "src"
	opts.Methods = map[string]svc.MethodOptions{"Move": {HTTP: "POST /t/{tenant}/boxes/{box}/items/{item}/move"}}
	s, err := svc.Register[SourceAPI](impl, opts)
	if err != nil {
		t.Fatal(err)
	}
	h := s.REST()
	const move = "/t/acme/boxes/b%2F1/items/7/move"
	moved := func(change func(*SourceMove)) *SourceMove {
		in := &SourceMove{Box: "b/1", Item: 7, Tenant: "acme", Page: 1, Note: "n", Level: 3}
		change(in)
		return in
	}
	same := func(*SourceMove) {}
	for _, test := range []struct {
		method, target, body string
		want                 any // the input, or where the violations are
	}{
		{"POST", move, `{"note":"n"}`, moved(same)},
		{"POST", move, `{"note":"n","box":"x","item":8,"itemId":8,"tenant":"x","Tenant":"x","dry":true,"dry_run":true,"tags":["x"],"tag":["x"],"page":9,"as":"x","Name":"x","nothing":"x","Nothing":"x","-":"x","":"x"}`, moved(same)},
		{"POST", move + "?box=x&item=8&itemId=8&tenant=x&dry=true&tags=x&note=x&size=5&level=5&Nothing=x&-=x", `{"note":"n"}`, moved(same)},
		{"POST", move + "?dry_run=true&actor=me&tag=a&tag=b&page=2&as=you", `{"note":"n","size":5,"level":0}`, moved(func(in *SourceMove) {
			in.Dry, in.Actor, in.Tags, in.Page, in.Name, in.Size, in.Level = true, pointerTo("me"), []string{"a", "b"}, 2, "you", pointerTo(int8(5)), 0
		})},
		{"POST", move + "?actor=&page=0&tag=", `{"note":"","size":null}`, moved(func(in *SourceMove) {
			in.Actor, in.Page, in.Tags, in.Note = pointerTo(""), 0, []string{""}, ""
		})},
		{"POST", move + "?actor&dry_run=false", `{"note":"n","size":0}`, moved(func(in *SourceMove) { in.Actor, in.Size = pointerTo(""), pointerTo(int8(0)) })},
		{"POST", "/t/%20/boxes/%00/items/-0/move", `{"note":"n"}`, moved(func(in *SourceMove) { in.Tenant, in.Box, in.Item = " ", "\x00", 0 })},
		{"POST", "/t/%ff/boxes/b/items/x/move?dry_run=x&page=x&tag=%ff", `{"note":1,"size":128}`, "path/item path/tenant query/dry_run query/page query/tag/0 body/note body/size"},
		{"POST", move, `{}`, "body/note"},
		{"POST", move + "?note=n", `{"size":null,"level":null}`, "body/level body/note"},
		{"POST", move, ``, "body"},

		{"GET", "/src?q=x&since=1", "", &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{"a", "b"}}},
		{"GET", "/src?q=&since=-1&until=0&limit=0&flag=true&flag=false&kind=z&legacy=l", "", &SourceList{Since: pointerTo(-1), Until: pointerTo(0), Flags: []bool{true, false}, Kinds: []string{"z"}, Legacy: "l"}},
		{"GET", "/src?q=x&since=1&old=l&Q=y&legacy", "", &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{"a", "b"}}},
		{"GET", "/src?q=x&since=1&kind=", `{"q":"body"}`, &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{""}}},
		{"GET", "/src", `{"q":"x","since":1}`, "query/q query/since"},
		{"GET", "/src?q=x&q=y&since=1&since=2&limit=51&flag=true&flag=true&flag=true", "", "query/q query/since query/limit query/flag"},
		{"GET", "/src?&q=x&&since=1&", "", &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{"a", "b"}}},
		{"GET", "/src?q=x&since=1&flag=true&flag=x&flag=true", "", "query/flag/1 query/flag"},
		{"GET", "/src?q=x&since=-&limit=", "", "query/since query/limit"},
		{"HEAD", "/src?q=x&since=1", "", &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{"a", "b"}}},

		{"DELETE", "/src/1?id=2&force=true", `{"id":"3","force":false}`, &SourceDelete{ID: "1", Force: true}},
		{"DELETE", "/src/1", `not JSON`, &SourceDelete{ID: "1"}},
		{"PUT", "/src/1?id=2&owner=me&title=x", `{"title":"t","id":"3","ID":"3","owner":"you"}`, &SourceUpdate{ID: "1", Owner: "me", Title: "t"}},
		{"PUT", "/src/1?owner=", `{"title":"t"}`, &SourceUpdate{ID: "1", Title: "t"}},
		{"PUT", "/src/1", `{"title":"t","owner":"you"}`, "query/owner"},
	} {
		impl.got = nil
		status, answer := ask(h, test.method, test.target, test.body)
		got := impl.got
		if status == 400 && impl.got == nil {
			got = violationPlaces(answer)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s %s %s: %d %s\n got %+v\nwant %+v", test.method, test.target, test.body, status, answer, got, test.want)
		}
	}
}

// DefaultAPI changes the defaults that it is given.
type DefaultAPI interface {
	List(context.Context, *DefaultIn) (*DefaultIn, error)
	Create(context.Context, *DefaultIn) (*DefaultIn, error)
}

type DefaultIn struct {
	IP    net.IP    `json:"ip" default:"10.0.0.1"`
	Bytes []byte    `json:"bytes" default:"AAA="`
	List  []string  `json:"list" default:"[\"a\"]"`
	Ptr   *int      `json:"ptr" default:"1"`
	Time  time.Time `json:"time" default:"2026-01-01T00:00:00Z"`
}

type defaultService struct{}

func (defaultService) List(ctx context.Context, in *DefaultIn) (*DefaultIn, error) {
	return defaultService{}.Create(ctx, in)
}

func (defaultService) Create(_ context.Context, in *DefaultIn) (*DefaultIn, error) {
	in.IP[len(in.IP)-1]++
	in.Bytes[0]++
	in.List[0] += "x"
	*in.Ptr++
	in.Time = in.Time.Add(time.Second)
	return in, nil
}

// Verify that a method that changes its input changes no default: two inputs
// share nothing.
func TestDefaultsAreFresh(t *testing.T) {
	opts := wireOptions()
	opts.Resource = "d"
	s, err := svc.Register[DefaultAPI](defaultService{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ip":"10.0.0.2","bytes":"AQA=","list":["ax"],"ptr":2,"time":"2026-01-01T00:00:01Z"}`
	h := s.REST()
	for range 3 {
		if _, got := ask(h, "GET", "/d", ""); got != want {
			t.Errorf("query: %s, want %s", got, want)
		}
		if _, got := ask(h, "POST", "/d", "{}"); got != want {
			t.Errorf("body: %s, want %s", got, want)
		}
	}
}

// violationPlaces returns where the violations of an answer are, in order.
func violationPlaces(answer string) string {
	var e wireEnvelope
	json.Unmarshal([]byte(answer), &e)
	var places []string
	for _, v := range e.violations() {
		places = append(places, v.In+v.Path)
	}
	return strings.Join(places, " ")
}
