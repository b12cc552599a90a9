package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
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

// numberTexts are all texts of up to three characters that numbers are made of,
// or of four for many rounds, and some longer ones that are on the border of a type.
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
	grow("", rounds(3, 4))
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
				same = same && answer == strings.ReplaceAll(untyped(want), `"in":"body"`, `"in":"`+place+`"`)
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
		if got != status || answer != strings.ReplaceAll(untyped(want), `"in":"body"`, `"in":"query"`) {
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
func TestManyParameters(t *testing.T) {
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
		{"GET", "/src?q=x&since=1&kind=", `{"q":"body"}`, "body"},
		{"GET", "/src", `{"q":"x","since":1}`, "query/q query/since body"},
		{"GET", "/src?q=x&q=y&since=1&since=2&limit=51&flag=true&flag=true&flag=true", "", "query/q query/since query/limit query/flag"},
		{"GET", "/src?&q=x&&since=1&", "", &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{"a", "b"}}},
		{"GET", "/src?q=x&since=1&flag=true&flag=x&flag=true", "", "query/flag/1 query/flag"},
		{"GET", "/src?q=x&since=-&limit=", "", "query/since query/limit"},
		{"HEAD", "/src?q=x&since=1", "", &SourceList{Q: "x", Limit: 20, Since: pointerTo(1), Kinds: []string{"a", "b"}}},

		{"DELETE", "/src/1?id=2&force=true", `{"id":"3","force":false}`, "body"},
		{"DELETE", "/src/1?id=2&force=true", ` { } `, &SourceDelete{ID: "1", Force: true}},
		{"DELETE", "/src/1", `not JSON`, "body"},
		{"PUT", "/src/1?id=2&owner=me&title=x", `{"title":"t","id":"3","ID":"3","owner":"you"}`, &SourceUpdate{ID: "1", Owner: "me", Title: "t"}},
		{"PUT", "/src/1?owner=", `{"title":"t"}`, &SourceUpdate{ID: "1", Title: "t"}},
		{"PUT", "/src/1", `{"title":"t","owner":"you"}`, "query/owner"},
	} {
		t.Run(rowName(test.method, test.target, test.body), func(t *testing.T) {
			impl.got = nil
			status, answer := ask(h, test.method, test.target, test.body)
			got := impl.got
			if status == 400 && impl.got == nil {
				got = violationPlaces(answer)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s %s %s: %d %s\n got %+v\nwant %+v", test.method, test.target, test.body, status, answer, got, test.want)
			}
		})
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

type headerIn struct {
	After int    `json:"after,omitempty" header:"Last-Event-ID" minimum:"1" default:"7" doc:"Where to go on."`
	Topic string `json:"topic,omitempty"`
}

type headerCountOut struct {
	After int    `json:"after,omitempty"`
	Topic string `json:"topic,omitempty"`
}

type headerTextIn struct {
	After *string `json:"-" header:"Last-Event-ID" default:"none" maxLength:"4"`
}

type headerManyIn struct {
	Match  string   `json:"match" header:"x-match" minLength:"2" doc:"What is to be changed."`
	Tenant *int8    `json:"-" header:"X-Tenant,omitempty" maximum:"9"`
	Rate   *float32 `json:"rate,omitempty" header:"X-Rate"`
	Sid    string   `json:"sid,omitempty" cookie:"sid" pattern:"^[^a-z]*$"`
	Theme  string   `json:"-" cookie:"theme" default:"light" enum:"light,dark"`
	Seen   *bool    `json:"seen,omitempty" cookie:"seen"`
}

func (in *headerManyIn) Validate() error {
	if in.Tenant != nil && *in.Tenant == 4 {
		return errors.New("unlucky")
	}
	return nil
}

type headerAPI interface {
	Count(context.Context, *headerIn) (*headerCountOut, error)
	Text(context.Context, *headerTextIn) (*headerOut, error)
	Many(context.Context, *headerManyIn) (*headerManyOut, error)
}

type headerOut struct {
	After *string `json:"after"`
}

type headerManyOut struct {
	Match  string
	Tenant *int8
	Rate   *float32
	Sid    string
	Theme  string
	Seen   *bool
}

type headerImpl struct{}

func (headerImpl) Count(_ context.Context, in *headerIn) (*headerCountOut, error) {
	return (*headerCountOut)(in), nil
}
func (headerImpl) Text(_ context.Context, in *headerTextIn) (*headerOut, error) {
	return &headerOut{in.After}, nil
}
func (headerImpl) Many(_ context.Context, in *headerManyIn) (*headerManyOut, error) {
	return (*headerManyOut)(in), nil
}

func headerService(t *testing.T) *svc.Service {
	s, err := svc.Register[headerAPI](headerImpl{}, &svc.Options{Name: "H", Strict: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A field with a header tag comes from the header and from nothing else.
func TestHeaderField(t *testing.T) {
	const none = "\x00" // no header at all
	rest := headerService(t).REST()
	for _, test := range []struct {
		target, header, body string
		want                 string
	}{
		{"/h/count", "12", `{"topic":"x"}`, `{"after":12,"topic":"x"}`},
		{"/h/count", none, `{}`, `{"after":7}`},
		{"/h/count", "", `{}`, `{"after":7}`},
		{"/h/count?after=3&Last-Event-ID=3", none, `{}`, `{"in":"query","path":"/after","rule":"unknown","message":"is not a known parameter"},{"in":"query","path":"/Last-Event-ID"`},
		{"/h/count", "1e1", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be an integer"}`},
		{"/h/count", "07", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be an integer"}`},
		{"/h/count", "0", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"minimum","message":"must be at least 1","limit":1}`},
		{"/h/count", "12", `{"after":13}`, `{"in":"body","path":"/after","rule":"unknown","message":"is not a known property"}`},
		{"/h/count", "1,2", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be an integer"}`},
		{"/h/text", "añb", ``, `{"after":"añb"}`},
		{"/h/text", none, ``, `{"after":"none"}`},
		{"/h/text", "12345", ``, `{"in":"header","path":"/Last-Event-ID","rule":"maxLength"`},
		{"/h/text", "\xff", ``, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be valid UTF-8"}`},
	} {
		t.Run(rowName(test.target, test.header, test.body), func(t *testing.T) {
			r := httptest.NewRequest("POST", test.target, strings.NewReader(test.body))
			if test.header != none {
				r.Header.Set("Last-Event-ID", test.header)
			}
			w := httptest.NewRecorder()
			if rest.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s with %q and %s: %d %s; want %s", test.target, test.header, test.body, w.Code, w.Body, test.want)
			}
		})
	}
}

func TestHeaderFieldTwice(t *testing.T) {
	r := httptest.NewRequest("POST", "/h/text", nil)
	r.Header["Last-Event-Id"] = []string{"1", "2"}
	w := httptest.NewRecorder()
	headerService(t).REST().ServeHTTP(w, r)
	if want := `{"in":"header","path":"/Last-Event-ID","rule":"duplicate","message":"is given more than once"}`; w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d %s, want %s", w.Code, w.Body, want)
	}
}

// Headers and cookies are parameters of REST: one value each.
func TestHeadersAndCookies(t *testing.T) {
	violation := func(in, name, rule, message string) string {
		return `{"in":"` + in + `","path":"/` + name + `","rule":"` + rule + `","message":"` + message + `"}`
	}
	rest := headerService(t).REST()
	for _, test := range []struct{ header, want string }{
		{"X-Match: ab", `{"Match":"ab","Tenant":null,"Rate":null,"Sid":"","Theme":"light","Seen":null}`},
		{"X-Match: ab|x-tenant: 9|X-RATE: 1.5e0", `{"Match":"ab","Tenant":9,"Rate":1.5,"Sid":"","Theme":"light","Seen":null}`},
		{"X-Match: ab|Cookie: sid=1; theme=dark; seen=true", `{"Match":"ab","Tenant":null,"Rate":null,"Sid":"1","Theme":"dark","Seen":true}`},
		{"X-Match: ab|Cookie: sid=1|Cookie: theme=dark", `"Sid":"1","Theme":"dark"`},
		{`X-Match: ab|Cookie: theme="dark";sid=="`, `"Sid":"=\"","Theme":"dark"`},
		{`X-Match: ab|Cookie: sid="`, `"Sid":"\""`},
		{`X-Match: ab|Cookie: sid=%20+; ;=;;x; sid; THEME=1; themes=2;theme =3`, `"Sid":"%20+","Theme":"light"`},
		{"X-Match: ab|Cookie: sid=", `"Sid":"","Theme":"light"`},
		{"X-Match: a, b", `"Match":"a, b"`},
		{"", violation("header", "x-match", "required", "is required")},
		{"X-Match:", strings.TrimSuffix(violation("header", "x-match", "minLength", "must have at least 2 characters"), "}") + `,"limit":2,"empty":true}`},
		{"X-Match: ab|X-Match: ab", violation("header", "x-match", "duplicate", "is given more than once")},
		{"X-Match: ab|X-Tenant:", violation("header", "X-Tenant", "type", "must be an integer")},
		{"X-Match: ab|X-Tenant: 1e0", violation("header", "X-Tenant", "type", "must be an integer")},
		{"X-Match: ab|X-Tenant: 128", violation("header", "X-Tenant", "range", "must be an integer between -128 and 127")},
		{"X-Match: ab|X-Rate: +1", violation("header", "X-Rate", "type", "must be a number")},
		{"X-Match: a\xff", violation("header", "x-match", "type", "must be valid UTF-8")},
		{"X-Match: ab|Cookie: theme=red", violation("cookie", "theme", "enum", "must be one of light, dark")},
		{"X-Match: ab|Cookie: theme=dark; theme=dark", violation("cookie", "theme", "duplicate", "is given more than once")},
		{"X-Match: ab|Cookie: theme=dark|Cookie: theme=dark", violation("cookie", "theme", "duplicate", "is given more than once")},
		{"X-Match: ab|Cookie: seen=1", violation("cookie", "seen", "type", "must be true or false")},
		{"X-Match: ab|Cookie: sid=\xff", violation("cookie", "sid", "type", "must be valid UTF-8")},
		{"X-Match: a|X-Tenant: x|Cookie: sid=x", strings.TrimSuffix(violation("header", "x-match", "minLength", "must have at least 2 characters"), "}") + `,"limit":2}` + "," +
			violation("header", "X-Tenant", "type", "must be an integer") + "," + violation("cookie", "sid", "pattern", "must match the pattern ^[^a-z]*$")},
		{"X-Match: ab|X-Tenant: 4", `{"in":"body","path":"","rule":"validate","message":"unlucky"}`},
	} {
		t.Run(rowName(test.header), func(t *testing.T) {
			r := httptest.NewRequest("POST", "/h/many", nil)
			for line := range strings.SplitSeq(test.header, "|") {
				name, value, _ := strings.Cut(line, ":")
				r.Header.Add(name, strings.TrimSpace(value))
			}
			w := httptest.NewRecorder()
			if rest.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s: %d %s\nwant %s", test.header, w.Code, w.Body, test.want)
			}
		})
	}
}

// Where there are no headers and no cookies the field has its wire name, and with
// json:"-" it is not there.
func TestHeaderFieldByName(t *testing.T) {
	s := headerService(t)
	for _, test := range []struct{ method, text, want string }{
		{"count", `{"after":12}`, `{"after":12}`},
		{"count", `{}`, `{"after":7}`},
		{"text", `{}`, `{"after":"none"}`},
		{"text", `{"Last-Event-ID":"x"}`, `"path":"/Last-Event-ID","rule":"unknown"`},
		{"many", `{"match":"ab","rate":2,"sid":"1","seen":true}`, `{"Match":"ab","Tenant":null,"Rate":2,"Sid":"1","Theme":"light","Seen":true}`},
		{"many", `{}`, `"path":"/match","rule":"required"`},
		{"many", `{"match":"ab","theme":"dark"}`, `"path":"/theme","rule":"unknown"`},
		{"many", `{"match":"ab","X-Tenant":1}`, `"path":"/X-Tenant","rule":"unknown"`},
		{"many", `{"match":"ab","sid":"a"}`, `"path":"/sid","rule":"pattern"`},
	} {
		t.Run(rowName(test.method, test.text), func(t *testing.T) {
			w := rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"h.`+test.method+`","params":`+test.text+`}`)
			if got := w.Body.String(); !strings.Contains(got, test.want) {
				t.Errorf("%s: %s, want %s", test.text, got, test.want)
			}
		})
	}
	in, err := s.NewInput("h", "many")
	if many := in.(*headerManyIn); err != nil || many.Theme != "light" {
		t.Errorf("NewInput: %+v, %v; want the theme light", in, err)
	}
	bad := int8(10)
	_, err = s.Call(context.Background(), "h", "many", &headerManyIn{Match: "ab", Tenant: &bad, Theme: "red"})
	if err == nil || !strings.Contains(err.Error(), "/X-Tenant must be at most 9 (and 1 more)") {
		t.Errorf("Call: %v, want the violations of the fields without a name", err)
	}
}

// A field without a name is in the documents of REST, and in no other.
func TestHeaderFieldInDocuments(t *testing.T) {
	s := headerService(t)
	rpc := rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`).Body.String()
	tools := rpcPost(s.MCP(nil), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.String()
	_, tool, _ := strings.Cut(tools, `"name":"h_many"`)
	_, tool, _ = strings.Cut(tool, `"inputSchema":`)
	if strings.Contains(rpc+tool, "X-Tenant") || strings.Contains(rpc+tool, `"theme"`) {
		t.Errorf("a document has a field that is there over REST alone\n%s\n%s", rpc, tool)
	}
	for _, want := range []string{`"name":"match"`, `"name":"sid"`} {
		if !strings.Contains(rpc, want) {
			t.Errorf("OpenRPC lacks %s\n%s", want, rpc)
		}
	}
	want := `{"type":"object","properties":{"match":{"type":"string","minLength":2,"description":"What is to be changed."},"rate":{"type":"number"},` +
		`"sid":{"type":"string","pattern":"^[^a-z]*$"},"seen":{"type":"boolean"}},"required":["match"]}`
	if !strings.HasPrefix(tool, want) {
		t.Errorf("the schema of the tool begins %s\nwant %s", tool, want)
	}
}

func TestHeaderFieldInOpenAPI(t *testing.T) {
	doc := string(kitchenDocument(headerService(t), ""))
	for _, want := range []string{
		`"parameters":[{"name":"Last-Event-ID","in":"header","description":"Where to go on.","schema":{"type":"integer","format":"int32","minimum":1,"default":7}}]`,
		`"parameters":[{"name":"x-match","in":"header","description":"What is to be changed.","required":true,"schema":{"type":"string","minLength":2}},` +
			`{"name":"X-Tenant","in":"header","schema":{"type":"integer","format":"int32","minimum":-128,"maximum":9}},` +
			`{"name":"X-Rate","in":"header","schema":{"type":"number","format":"float"}},` +
			`{"name":"sid","in":"cookie","schema":{"type":"string","pattern":"^[^a-z]*$"}},` +
			`{"name":"theme","in":"cookie","schema":{"type":"string","enum":["light","dark"],"default":"light"}},` +
			`{"name":"seen","in":"cookie","schema":{"type":"boolean"}}]`,
		`"schema":{"$ref":"#/components/schemas/headerInBody"}`,
		`"headerInBody":{"type":"object","properties":{"topic":{"type":"string"}},"additionalProperties":false}`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document lacks %s\n%s", want, doc)
		}
	}
}

type headerTwiceIn struct {
	A string `json:"a,omitempty" header:"X-One"`
	B string `json:"b,omitempty" header:"x-one"`
	C string `json:"c,omitempty" cookie:"two"`
	D string `json:"d,omitempty" cookie:"two"`
}

type headerInner struct {
	A string `json:"a,omitempty" header:"X-One"`
	C string `json:"c,omitempty" cookie:"two"`
}

type headerOuterIn struct {
	headerInner
	B string `json:"b,omitempty" header:"x-one"`
	D string `json:"d,omitempty" cookie:"two"`
	E string `json:"e,omitempty" cookie:"Two"`
}

type headerBadIn struct {
	Required string   `json:"required" header:"Last-Event-ID"`
	Both     string   `json:"both,omitempty" header:"X-Both" query:"both"`
	Place    string   `json:"place,omitempty" path:"id" cookie:"c"`
	Pair     string   `json:"pair,omitempty" header:"X-Pair" cookie:"pair"`
	List     []string `json:"list,omitempty" header:"X-List"`
	Object   struct{} `json:"object,omitzero" cookie:"object"`
	Alone    string   `json:"-" header:"X-Alone"`
	Crumb    *string  `json:"-" cookie:"crumb"`
	Region   string   `json:"-" header:"X-Region,omitempty" mcpheader:"Region"`
	Space    string   `json:"space" header:"X Space"`
	Colon    string   `json:"colon" cookie:"a=b"`
	Auth     string   `json:"auth" header:"authorization"`
	Proxy    string   `json:"proxy" header:"Proxy-Authorization"`
	Cookie   string   `json:"cookie" header:"Cookie"`
	Accept   string   `json:"accept" header:"accept-charset"`
	Type     string   `json:"type" header:"Content-Type"`
	Host     string   `json:"host" header:"Host"`
	TE       string   `json:"te" header:"TE"`
	Origin   string   `json:"origin" header:"Origin"`
	Site     string   `json:"site" header:"Sec-Fetch-Site"`
}

type headerFineIn struct {
	Language string `json:"language" header:"Accept-Language"`
	Key      string `json:"key" header:"Idempotency-Key"`
	ID       string `json:"id" path:"id"`
}

type (
	headerTwiceAPI interface {
		Count(context.Context, *headerTwiceIn) error
	}
	headerOuterAPI interface {
		Count(context.Context, *headerOuterIn) error
	}
	headerBadAPI interface {
		Count(context.Context, *headerBadIn) error
	}
	headerFineAPI interface {
		Get(context.Context, *headerFineIn) error
	}
	headerPlaceAPI interface {
		Get(context.Context, *struct {
			ID string `json:"id" header:"X-ID"`
		}) error
	}
)

// headerErr returns the error of registering an interface that nothing implements
// but by embedding it.
func headerErr[I any](impl I) string {
	_, err := svc.Register[I](impl, nil)
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestHeaderFieldMistakes(t *testing.T) {
	twice := headerErr[headerTwiceAPI](struct{ headerTwiceAPI }{})
	outer := headerErr[headerOuterAPI](struct{ headerOuterAPI }{})
	bad := headerErr[headerBadAPI](struct{ headerBadAPI }{})
	place := headerErr[headerPlaceAPI](struct{ headerPlaceAPI }{})
	for _, test := range []struct{ got, want string }{
		{twice, `headerTwiceIn.B: A also takes the header "x-one"`},
		{twice, `headerTwiceIn.D: C also takes the cookie "two"`},
		{outer, `headerOuterIn.B: A also takes the header "x-one"`},
		{outer, `headerOuterIn.D: C also takes the cookie "two"`},
		{bad, `headerBadIn.Required: a client sends Last-Event-ID only when it reconnects, so the field must be optional (omitempty)`},
		{bad, `headerBadIn.Both: a field cannot come from the query and from the header; drop one of the tags`},
		{bad, `headerBadIn.Place: a field cannot come from the path and from the cookie; drop one of the tags`},
		{bad, `headerBadIn.Pair: a field cannot come from the header and from the cookie; drop one of the tags`},
		{bad, `headerBadIn.List: the type []string cannot come from the header, which carries scalars`},
		{bad, `headerBadIn.Object: the type struct {} cannot come from the cookie, which carries scalars`},
		{bad, `headerBadIn.Alone: with json:"-" the field exists only over REST, so it must be optional: write header:"X-Alone,omitempty", or give it a JSON name`},
		{bad, `headerBadIn.Crumb: with json:"-" the field exists only over REST, so it must be optional: write cookie:"crumb,omitempty", or give it a JSON name`},
		{bad, `headerBadIn.Region: mcpheader:"Region" needs a JSON member, and json:"-" makes the field none; drop one of the two`},
		{bad, `headerBadIn.Space: header:"X Space": want the name of a header, in letters, digits and dashes`},
		{bad, `headerBadIn.Colon: cookie:"a=b": want the name of a cookie, in letters, digits and dashes`},
		{bad, `headerBadIn.Auth: header:"authorization": let a middleware such as BasicAuth read it`},
		{bad, `headerBadIn.Proxy: header:"Proxy-Authorization": let a middleware`},
		{bad, `headerBadIn.Cookie: header:"Cookie": give the field a tag cookie:"name"`},
		{bad, `headerBadIn.Accept: header:"accept-charset": svc chooses the content types of bodies; choose another name`},
		{bad, `headerBadIn.Type: header:"Content-Type": svc chooses the content types`},
		{bad, `headerBadIn.Host: header:"Host": it belongs to the connection; choose another name`},
		{bad, `headerBadIn.TE: header:"TE": it belongs to the connection`},
		{bad, `headerBadIn.Origin: header:"Origin": it belongs to the browser; choose another name`},
		{bad, `headerBadIn.Site: header:"Sec-Fetch-Site": it belongs to the browser`},
		{place, `no field fills the placeholder {id}`},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s\nwant %s", test.got, test.want)
			}
		})
	}
	if n := strings.Count(outer, "\n"); n != 2 {
		t.Errorf("%s\nwant two mistakes: names of cookies have a case", outer)
	}
	if fine := headerErr[headerFineAPI](struct{ headerFineAPI }{}); fine != "" {
		t.Error(fine)
	}
}

type optionalDue struct {
	Day   int      `json:"day"`
	Notes []string `json:"notes,omitempty"`
}

func (d *optionalDue) Validate() error {
	if d.Day > 31 {
		return errors.New("no such day")
	}
	if len(d.Notes) > 0 {
		d.Notes[0] = "seen"
	}
	return nil
}

type optionalIn struct {
	ID    string                    `json:"id" path:"id"`
	Title svc.Optional[string]      `json:"title,omitzero" maxLength:"3"`
	Due   svc.Optional[optionalDue] `json:"due,omitzero"`
	Tags  svc.Optional[[]string]    `json:"tags,omitzero" maxItems:"1"`
}

type optionalAPI interface {
	Patch(context.Context, *optionalIn) (*optionalIn, error)
}

type optionalImpl struct{}

func (optionalImpl) Patch(_ context.Context, in *optionalIn) (*optionalIn, error) { return in, nil }

// What is absent, null or a value stays so from the body to the method and back, and
// encoding/json writes and reads it in the same way.
func TestOptional(t *testing.T) {
	s, err := svc.Register[optionalAPI](optionalImpl{}, &svc.Options{Name: "O", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	rest := s.REST()
	for _, test := range []struct{ body, want string }{
		{`{}`, `{}`},
		{`{"title":null,"due":null,"tags":null}`, `{"title":null,"due":null,"tags":null}`},
		{`{"title":"","due":{"day":1},"tags":[]}`, `{"title":"","due":{"day":1},"tags":[]}`},
		{`{"title":"abc","tags":["a"]}`, `{"title":"abc","tags":["a"]}`},
		{`{"title":"abcd"}`, `"path":"/title","rule":"maxLength"`},
		{`{"tags":["a","b"]}`, `"path":"/tags","rule":"maxItems"`},
		{`{"tags":[null]}`, `"path":"/tags/0","rule":"type"`},
		{`{"title":1}`, `"path":"/title","rule":"type"`},
		{`{"due":{}}`, `"path":"/due/day","rule":"required"`},
		{`{"due":{"day":32}}`, `"path":"/due","rule":"validate","message":"no such day"`},
		{`{"title":nul}`, `"rule":"syntax"`},
	} {
		t.Run(rowName(test.body), func(t *testing.T) {
			w := httptest.NewRecorder()
			rest.ServeHTTP(w, httptest.NewRequest("PATCH", "/o/1", strings.NewReader(test.body)))
			want := test.want
			if w.Code == 200 {
				want = `{"id":"1"` + strings.Replace(","+want[1:], ",}", "}", 1)
				var in optionalIn
				if err := json.Unmarshal([]byte(test.body), &in); err != nil {
					t.Errorf("%s: encoding/json: %v", test.body, err)
				}
				in.ID = "1"
				if text, err := json.Marshal(in); string(text) != want || err != nil {
					t.Errorf("%s: encoding/json makes %s of it, %v; want %s", test.body, text, err, want)
				}
			}
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %s, want %s", test.body, w.Code, w.Body, want)
			}
		})
	}

	in := &optionalIn{ID: "1"}
	in.Due.Set(optionalDue{1, []string{"mine"}})
	out, err := s.Call(context.Background(), "o", "patch", in)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := out.(*optionalIn).Due.Get()
	if mine, _ := in.Due.Get(); got.Notes[0] != "seen" || mine.Notes[0] != "seen" {
		t.Errorf("Call: %v, and the caller has %v; want what Validate changes in both", got, mine)
	}
	in.Title.Set("abcd")
	in.Due.Set(optionalDue{Day: 32})
	if _, err = s.Call(context.Background(), "o", "patch", in); err == nil || !strings.Contains(err.Error(), "/title must have at most 3 characters") {
		t.Errorf("Call: %v, want the rule of an Optional", err)
	}
}

func TestOptionalStates(t *testing.T) {
	var o svc.Optional[int]
	check := func(set, null bool, want int, is bool, text string) {
		t.Helper()
		v, ok := o.Get()
		got, err := json.Marshal(o)
		if o.IsSet() != set || o.IsNull() != null || v != want || ok != is || string(got) != text || err != nil {
			t.Errorf("%t %t %v %t %s %v, want %t %t %v %t %s", o.IsSet(), o.IsNull(), v, ok, got, err, set, null, want, is, text)
		}
	}
	check(false, false, 0, false, "null")
	o.Set(0)
	check(true, false, 0, true, "0")
	o.Set(5)
	check(true, false, 5, true, "5")
	if err := json.Unmarshal([]byte(`"x"`), &o); err == nil {
		t.Error("a string is no int")
	}
	check(true, false, 5, true, "5")
	o.SetNull()
	check(true, true, 0, false, "null")
	if err := json.Unmarshal([]byte(" 7 "), &o); err != nil {
		t.Error(err)
	}
	check(true, false, 7, true, "7")
	if err := json.Unmarshal([]byte("null"), &o); err != nil {
		t.Error(err)
	}
	check(true, true, 0, false, "null")
}

type optionalPlacesIn struct {
	Query  svc.Optional[int] `json:"query,omitzero" query:"q"`
	Header svc.Optional[int] `json:"header,omitzero" header:"X-H"`
	Cookie svc.Optional[int] `json:"cookie,omitzero" cookie:"c"`
	Other  svc.Optional[int] `json:"other,omitzero"`
}

type optionalPlacesAPI interface {
	GetAll(context.Context, *optionalPlacesIn) error
	Get(context.Context, *struct {
		ID svc.Optional[int] `json:"id,omitzero"`
	}) error
	Do(context.Context, *svc.Optional[int]) error
}

func TestOptionalMistakes(t *testing.T) {
	got := headerErr[optionalPlacesAPI](struct{ optionalPlacesAPI }{})
	for _, want := range []string{
		`Query: an Optional cannot come from the query, where there is no null; write a *int in its place`,
		`Header: an Optional cannot come from the header, where there is no null; write a *int in its place`,
		`Cookie: an Optional cannot come from the cookie, where`,
		`Other: an Optional cannot come from the query, where`,
		`.ID: an Optional cannot come from the path, where`,
		`the input svc.Optional[int] is not a JSON object; put it into a field of a struct`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

type (
	formAPI interface {
		Ctx(context.Context, *formCtx) error
		None(context.Context, *formNone) error
		Bool(context.Context, *formBool) error
		Outer(context.Context, *formOuter) error
		Below(context.Context, *struct {
			M map[string]formCtx `json:"m"`
		}) error
		Own(context.Context, *formOwn) error
		Right(context.Context, *FormRight) error
		Answer(context.Context) (*formBool, error)
	}
	formCtx   struct{}
	formNone  struct{}
	formBool  struct{}
	formOuter struct{ FormRight }
	formOwn   struct{}
	FormRight struct{}
)

func (formCtx) Validate(context.Context) error { return nil }
func (*formNone) Validate()                    {}
func (formBool) Validate() bool                { return false }
func (*formOuter) Validate() (string, error)   { return "", nil }
func (formOwn) Validate(limit int) error       { return nil }
func (*FormRight) Validate() error             { return nil }

// Verify that a method Validate that would never be called is a mistake of an input,
// unless it takes something that only the application can give it.
func TestValidateMistakes(t *testing.T) {
	got := headerErr[formAPI](struct{ formAPI }{})
	for _, name := range []string{"Ctx: .*formCtx", "None: .*formNone", "Bool: .*formBool", "Outer: .*formOuter", `Below: .*M\[\]: svc does not call blackbox_test.formCtx`} {
		if !regexp.MustCompile(`formAPI\.` + name + `\.Validate, since its signature is not Validate\(\) error; change it,`).MatchString(got) {
			t.Errorf("%s\nwant one about %s", got, name)
		}
	}
	if n := strings.Count(got, "\n"); n != 5 {
		t.Errorf("%s\nhas %d mistakes, want 5", got, n)
	}
}

type (
	spelledAPI interface {
		Create(context.Context, *spelled) error
		List(context.Context, *spelledQuery) (*spelled, error)
	}
	spelledImpl struct{}
	spelled     struct {
		Addr    netip.Addr                   `json:"addr,omitzero"`
		Range   *netip.Prefix                `json:"range,omitempty"`
		Shade   spelledShade                 `json:"shade,omitempty" example:"dark red"`
		Other   spelledShade                 `json:"other,omitempty"`
		Code    spelledCode                  `json:"code,omitempty"`
		Own     spelledCode                  `json:"own,omitempty" example:"C-2"`
		Ports   map[uint8]string             `json:"ports,omitempty"`
		Hosts   map[netip.Addr]bool          `json:"hosts,omitempty"`
		Levels  map[spelledLevel]spelledItem `json:"levels,omitempty"`
		Numbers map[string]int               `json:"numbers,omitempty"`
	}
	spelledItem struct {
		N int `json:"n" maximum:"99"`
	}
	spelledQuery struct {
		From  []netip.Addr `json:"from,omitempty"`
		Shade spelledShade `query:"shade,omitempty" example:"dark red"`
	}
	spelledShade string
	spelledCode  struct{ spelledShade }
	spelledLevel string
)

func (spelledImpl) Create(context.Context, *spelled) error { return nil }
func (spelledImpl) List(context.Context, *spelledQuery) (*spelled, error) {
	return &spelled{}, nil
}

func (spelledShade) MarshalText() ([]byte, error) { return []byte("dark red"), nil }
func (*spelledShade) UnmarshalText(b []byte) error {
	if slices.Contains([]string{"dark red", "C-1", "C-2"}, string(b)) { // the examples
		return nil
	}
	return errors.New("secret " + string(b))
}
func (spelledCode) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "examples": []string{"C-1"}}
}
func (spelledLevel) Enum() []spelledLevel { return []spelledLevel{"low", "high"} }

// Verify that the message about a text that a type refuses says what would be right, as
// far as anybody knows, and that it tells the name of a member from its value.
func TestSpelledTexts(t *testing.T) {
	service := svc.MustRegister[spelledAPI](spelledImpl{}, &svc.Options{Resource: "things", Logger: slog.New(slog.DiscardHandler)})
	handler := service.REST()
	for _, test := range []struct{ request, in, path, rule, message string }{
		{`{"addr":"here"}`, "body", "/addr", "type", "must be an IP address, such as 192.0.2.1 or 2001:db8::1"},
		{`{"range":"10.0.0.0/99"}`, "body", "/range", "type", "must be a range of IP addresses, such as 192.0.2.0/24"},
		{`{"shade":"blue"}`, "body", "/shade", "type", "is not in the form that is expected here, such as dark red"},
		{`{"other":"blue"}`, "body", "/other", "type", "is not in the form that is expected here"},
		{`{"code":"blue"}`, "body", "/code", "type", "is not in the form that is expected here, such as C-1"},
		{`{"own":"blue"}`, "body", "/own", "type", "is not in the form that is expected here, such as C-2"},
		{`{"ports":{"x":"a"}}`, "body", "/ports/x", "type", "has a name that must be an integer"},
		{`{"ports":{"256":"a"}}`, "body", "/ports/256", "range", "has a name that must be an integer between 0 and 255"},
		{`{"ports":{"80":1}}`, "body", "/ports/80", "type", "must be a string, is a number"},
		{`{"hosts":{"here":true}}`, "body", "/hosts/here", "type", "has a name that must be an IP address, such as 192.0.2.1 or 2001:db8::1"},
		{`{"hosts":{"::1":true,"0::1":true}}`, "body", "/hosts/0::1", "duplicate", "has a name that is the same key as another name"},
		{`{"levels":{"middle":{"n":1}}}`, "body", "/levels/middle", "enum", "has a name that must be one of low, high"},
		{`{"numbers":{"x":"a"}}`, "body", "/numbers/x", "type", "must be an integer, is a string"},
		{`?from=::1&from=here`, "query", "/from/1", "type", "must be an IP address, such as 192.0.2.1 or 2001:db8::1"},
		{`?shade=blue`, "query", "/shade", "type", "is not in the form that is expected here, such as dark red"},
	} {
		t.Run(rowName(test.request), func(t *testing.T) {
			r := httptest.NewRequest("POST", "/things", strings.NewReader(test.request))
			if strings.HasPrefix(test.request, "?") {
				r = httptest.NewRequest("GET", "/things"+test.request, nil)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			want := fmt.Sprintf(`"violations":[{"in":%q,"path":%q,"rule":%q,"message":%q}]`, test.in, test.path, test.rule, test.message)
			if got := w.Body.String(); w.Code != 400 || !strings.Contains(got, want) {
				t.Errorf("%s: %d %s, want %s", test.request, w.Code, got, want)
			}
		})
	}
	// By Call the name is looked at in another place.
	_, err := service.Call(context.Background(), "things", "create", &spelled{Levels: map[spelledLevel]spelledItem{"middle": {}}})
	var e *svc.Error
	if !errors.As(err, &e) || len(e.Violations()) != 1 || e.Violations()[0].Message != "has a name that must be one of low, high" {
		t.Errorf("Call: %v", err)
	}
	_, err = service.Call(context.Background(), "things", "create", &spelled{Levels: map[spelledLevel]spelledItem{"low": {100}}})
	if !errors.As(err, &e) || len(e.Violations()) != 1 || e.Violations()[0].Message != "must be at most 99" {
		t.Errorf("Call: %v", err)
	}
}

// Verify that the sizes of a map are checked in requests and in Go values, and that a member
// too many is a violation of the map and not of the member.
func TestMapSizes(t *testing.T) {
	type sized struct {
		A map[string]int `json:"a" minProperties:"1" maxProperties:"2"`
	}
	s := taking[sized]()
	for _, test := range []struct {
		name, value string
		want        string // the violation, or "" for none
	}{
		{"too few", `{}`, `{"in":"body","path":"/a","rule":"minProperties","message":"must have at least 1 member","limit":1}`},
		{"the least", `{"x":1}`, ""},
		{"the most", `{"x":1,"y":2}`, ""},
		{"too many", `{"x":1,"y":2,"z":3}`, `{"in":"body","path":"/a","rule":"maxProperties","message":"must have at most 2 members","limit":2}`},
		{"too many, the last of another type", `{"x":1,"y":2,"z":"no"}`, `{"in":"body","path":"/a","rule":"maxProperties","message":"must have at most 2 members","limit":2}`},
		{"too many, the first of another type", `{"x":"no","y":2,"z":3}`, `{"in":"body","path":"/a/x","rule":"type","message":"must be an integer, is a string"},{"in":"body","path":"/a","rule":"maxProperties","message":"must have at most 2 members","limit":2}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := `{"a":` + test.value + `}`
			m := s.Descriptor().Resources[0].Methods[0]
			w := httptest.NewRecorder()
			s.REST().ServeHTTP(w, httptest.NewRequest(m.HTTP.Method, m.HTTP.Path, strings.NewReader(body)))
			answers := map[string]string{
				"REST":     w.Body.String(),
				"JSON-RPC": rpc(s, `{"jsonrpc":"2.0","id":1,"method":"t.make","params":`+body+`}`),
			}
			var in sized
			if json.Unmarshal([]byte(body), &in) == nil {
				_, err := s.Call(context.Background(), "t", "make", &in)
				text, _ := json.Marshal(svc.ErrorFrom(err))
				answers["Call"] = string(text)
			}
			for transport, answer := range answers {
				if got := strings.Contains(answer, `"violations"`); got != (test.want != "") || got && !strings.Contains(answer, `"violations":[`+test.want+`]`) {
					t.Errorf("%s answers %s, want %s", transport, answer, test.want)
				}
			}
		})
	}
}

type calledStay struct {
	Name  string       `json:"name" maxLength:"3"`
	Night *calledNight `json:"night,omitempty"`
	Last  calledNight  `json:"last"`
}

type calledNight struct {
	Room int `json:"room" minimum:"0" maximum:"2"`
}

func (n *calledNight) Validate() error {
	if [3]bool{1: true}[n.Room] { // relies on the rules
		return errors.New("is taken")
	}
	return nil
}

func (s *calledStay) Validate() error { return errors.New("is closed") }

type calledAPI interface {
	Create(context.Context, *calledStay) error
}
type calledImpl struct{}

func (calledImpl) Create(context.Context, *calledStay) error { return nil }

// Verify that Service.Call, too, calls Validate only if the rules of the whole input hold.
func TestCallValidates(t *testing.T) {
	s, err := svc.Register[calledAPI](calledImpl{}, &svc.Options{Resource: "stays"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		in   calledStay
		want string
	}{
		{calledStay{Last: calledNight{3}}, "/last/room maximum"},
		{calledStay{Name: "Anna", Last: calledNight{1}}, "/name maxLength"},
		{calledStay{Night: &calledNight{1}, Last: calledNight{1}}, "/night validate, /last validate,  validate"},
	} {
		_, err := s.Call(context.Background(), "stays", "create", &test.in)
		var e *svc.Error
		if !errors.As(err, &e) {
			t.Fatalf("%+v: %v", test.in, err)
		}
		var got []string
		for _, v := range e.Violations() {
			got = append(got, v.Path+" "+v.Rule)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%+v: %q, want %q", test.in, got, test.want)
		}
	}
}
