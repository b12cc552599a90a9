package svc

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

type headerIn struct {
	After int    `json:"after,omitempty" header:"Last-Event-ID" minimum:"1" default:"7" doc:"Where to go on."`
	Topic string `json:"topic,omitempty"`
}

type headerTextIn struct {
	After *string `json:"-" header:"Last-Event-ID" default:"none" maxLength:"4"`
}

type headerAPI interface {
	Count(context.Context, *headerIn) (*headerIn, error)
	Text(context.Context, *headerTextIn) (*headerOut, error)
}

type headerOut struct {
	After *string `json:"after"`
}

type headerImpl struct{}

func (headerImpl) Count(_ context.Context, in *headerIn) (*headerIn, error) { return in, nil }
func (headerImpl) Text(_ context.Context, in *headerTextIn) (*headerOut, error) {
	return &headerOut{in.After}, nil
}

func headerService(t *testing.T) *Service {
	s, err := Register[headerAPI](headerImpl{}, &Options{Name: "H", Strict: true, Logger: slog.New(slog.DiscardHandler)})
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
		{"/h/count?after=3&Last-Event-ID=3", none, `{}`, `{"after":7}`},
		{"/h/count", "1e1", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be an integer"}`},
		{"/h/count", "07", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be an integer"}`},
		{"/h/count", "0", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"minimum","message":"must be at least 1"}`},
		{"/h/count", "12", `{"after":13}`, `{"in":"body","path":"/after","rule":"unknown","message":"is not a known property"}`},
		{"/h/count", "1,2", `{}`, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be an integer"}`},
		{"/h/text", "añb", ``, `{"after":"añb"}`},
		{"/h/text", none, ``, `{"after":"none"}`},
		{"/h/text", "12345", ``, `{"in":"header","path":"/Last-Event-ID","rule":"maxLength"`},
		{"/h/text", "\xff", ``, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be valid UTF-8"}`},
	} {
		r := httptest.NewRequest("POST", test.target, strings.NewReader(test.body))
		if test.header != none {
			r.Header.Set("Last-Event-ID", test.header)
		}
		w := httptest.NewRecorder()
		if rest.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s with %q and %s: %d %s; want %s", test.target, test.header, test.body, w.Code, w.Body, test.want)
		}
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

// Where there are no headers the field has its wire name.
func TestHeaderFieldByName(t *testing.T) {
	s := headerService(t)
	for _, test := range []struct{ method, text, want string }{
		{"count", `{"after":12}`, `{"after":12}`},
		{"count", `{}`, `{"after":7}`},
		{"text", `{"Last-Event-ID":"x"}`, `{"after":"x"}`},
		{"text", `{}`, `{"after":"none"}`},
	} {
		m := s.findMethod("h", test.method)
		in, err := m.bindObject(new(decoder), []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		out, err := m.invoke(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.appendOutput(new(encoder), nil, out); string(got) != test.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", test.text, got, err, test.want)
		}
	}
}

func TestHeaderFieldInOpenAPI(t *testing.T) {
	doc := string(buildDocument(headerService(t), openAPI30))
	for _, want := range []string{
		`"parameters":[{"name":"Last-Event-ID","in":"header","description":"Where to go on.","schema":{"type":"integer","format":"int32","minimum":1,"default":7}}]`,
		`"schema":{"$ref":"#/components/schemas/headerInBody"}`,
		`"headerInBody":{"type":"object","properties":{"topic":{"type":"string"}},"additionalProperties":false}`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document lacks %s\n%s", want, doc)
		}
	}
}

type headerTwiceIn struct {
	A string `json:"a,omitempty" header:"Last-Event-ID"`
	B string `json:"b,omitempty" header:"Last-Event-ID"`
}

type headerTwiceAPI interface {
	Count(context.Context, *headerTwiceIn) error
}

type headerTwiceImpl struct{}

func (headerTwiceImpl) Count(context.Context, *headerTwiceIn) error { return nil }

func TestHeaderFieldMistakes(t *testing.T) {
	_, err := Register[headerTwiceAPI](headerTwiceImpl{}, nil)
	if want := `the fields A and B take the same header "Last-Event-ID"; drop one of the tags`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

type headerBadIn struct {
	Required string   `json:"required" header:"Last-Event-ID"`
	Other    string   `json:"other,omitempty" header:"X-Other"`
	Both     string   `json:"both,omitempty" header:"Last-Event-Id" query:"both"`
	List     []string `json:"list,omitempty" header:"last-event-id"`
}

type headerBadAPI interface {
	Count(context.Context, *headerBadIn) error
}

type headerBadImpl struct{}

func (headerBadImpl) Count(context.Context, *headerBadIn) error { return nil }

func TestHeaderFieldMoreMistakes(t *testing.T) {
	_, err := Register[headerBadAPI](headerBadImpl{}, nil)
	if err == nil {
		t.Fatal("registered")
	}
	for _, want := range []string{
		`headerBadIn.Required: a client sends Last-Event-ID only when it comes back, so the field must be optional (omitempty)`,
		`headerBadIn.Other: header:"X-Other": the one header that a field can come from is Last-Event-ID`,
		`headerBadIn.Both: a field cannot come from a header and from the path or the query too; drop one of the tags`,
		`headerBadIn.List: header:"last-event-id": the one header that a field can come from is Last-Event-ID`,
		`headerBadIn.List: the type []string cannot come from the header, which carries scalars`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// Inputs of a megabyte that are refused, each in a place where values are made.
type (
	billItem struct {
		Name  string            `json:"name,omitempty"`
		Note  *string           `json:"note,omitempty"`
		Sizes [12]int           `json:"sizes,omitempty"`
		More  map[string]string `json:"more,omitempty"`
	}
	billNeeds struct {
		billItem
		ID int `json:"id"`
	}
	billTree struct {
		ID    int       `json:"id"`
		Sizes [12]int   `json:"sizes,omitempty"`
		Left  *billTree `json:"l,omitempty"`
		Right *billTree `json:"r,omitempty"`
	}
	billIn struct {
		Items   []billItem           `json:"items,omitempty" maxItems:"10"`
		Ptr     **[]billItem         `json:"ptr,omitempty" maxItems:"10"`
		Tags    []string             `json:"tags,omitempty" maxItems:"10"`
		Unique  []int                `json:"unique,omitempty" maxItems:"10" uniqueItems:"true"`
		Pair    [2]billItem          `json:"pair,omitempty"`
		Wrong   []billNeeds          `json:"wrong,omitempty"`
		Ptrs    []*billNeeds         `json:"ptrs,omitempty"`
		Ints    []int64              `json:"ints,omitempty"`
		Strings []string             `json:"strings,omitempty"`
		Map     map[string]billNeeds `json:"map,omitempty"`
		Numbers map[int]*billNeeds   `json:"numbers,omitempty"`
		Lists   [][]*billNeeds       `json:"lists,omitempty"`
		Tree    *billTree            `json:"tree,omitempty"`
		Text    string               `json:"text,omitempty" maxLength:"100" pattern:"^(([a-z]{1,30}){1,30}x)+$"`
		Any     []any                `json:"any,omitempty" maxItems:"10"`
	}
)

// Verify what a megabyte may cost that is refused in the end: a list is not stored
// beyond maxItems, nothing is stored once no more violations are kept, and a
// pattern is not tried on a text that is too long.
func TestBills(t *testing.T) {
	const size = 1 << 20
	list := func(item string) string {
		return "[" + strings.Repeat(item+",", size/(len(item)+1)) + item + "]"
	}
	members := func(value string, name func(int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(`,"` + name(i) + `":` + value)
		}
		return "{" + b.String()[1:] + "}"
	}
	tree := func(depth int) string {
		text := "{}"
		for range depth {
			text = `{"l":` + text + `,"r":` + text + `}`
		}
		return text
	}
	b := bindingOf(t, reflect.TypeFor[billIn]())
	for _, test := range []struct {
		name, text string
		want       string // the first violation
		most       uint64 // MiB
	}{
		{"items", list("{}"), "/items maxItems", 8},
		{"ptr", list("{}"), "/ptr maxItems", 8},
		{"tags", list(`"a"`), "/tags maxItems", 8},
		{"unique", list("1"), "/unique maxItems", 8},
		{"any", list("{}"), "/any maxItems", 8},
		{"pair", list("{}"), "/pair maxItems", 8},
		{"items", list("1"), "/items/0 type", 8},
		{"wrong", list("{}"), "/wrong/0/id required", 16},
		{"wrong", list("1"), "/wrong/0 type", 16},
		{"ptrs", list("{}"), "/ptrs/0/id required", 16},
		{"ints", list(`""`), "/ints/0 type", 16},
		{"strings", list("1"), "/strings/0 type", 16},
		{"map", members("{}", strconv.Itoa), "/map/0/id required", 16},
		{"numbers", members("{}", strconv.Itoa), "/numbers/0/id required", 16},
		{"lists", list("[{},{}]"), "/lists/0/0/id required", 16},
		{"tree", tree(16), "/tree" + strings.Repeat("/l", 16) + "/id required", 16},
		{"text", `"` + strings.Repeat("a", size) + `"`, "/text maxLength", 8},
	} {
		text := []byte(`{"` + test.name + `":` + test.text + `}`)
		d := new(decoder)
		b.bindObject(d, text) // makes the workspace grow
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := b.bindObject(d, text)
		runtime.ReadMemStats(&after)
		got := listOf(err)
		if len(got) == 0 || got[0].Path+" "+got[0].Rule != test.want {
			t.Errorf("%s of %.20s: %.200v, want %s", test.name, test.text, got, test.want)
		}
		if cost := (after.TotalAlloc - before.TotalAlloc) >> 10; cost > test.most<<10 {
			t.Errorf("%s of %.20s costs %d KiB, over %d MiB", test.name, test.text, cost, test.most)
		}
	}
}

type billQuery struct {
	Limited []string  `json:"limited,omitempty" maxItems:"10"`
	Wrong   []*uint16 `json:"wrong,omitempty"`
	Unique  []int     `json:"unique,omitempty" maxItems:"2" minItems:"2" uniqueItems:"true"`
}

// Verify the same of lists in a query.
func TestQueryBills(t *testing.T) {
	p := new(mistakes)
	c := newShapes(p)
	b := compileBinding(newDecoders(p, false), c.shapeFor(reflect.TypeFor[billQuery](), "T"), bindSpec{})
	for _, test := range []struct {
		query string
		want  string
		most  uint64 // KiB
	}{
		{strings.Repeat("limited=abcdefgh&", 60_000), "query /limited maxItems", 64},
		{strings.Repeat("wrong=&", 140_000), "query /wrong/0 type", 64},
		{strings.Repeat("unique=1&", 100_000), "query /unique maxItems", 64},
		{"unique=x&unique=1&unique=1", "query /unique/0 type,query /unique maxItems", 64},
		{"unique=1", "query /unique minItems", 64},
		{"unique=1&unique=1", "query /unique uniqueItems", 64},
	} {
		d := new(decoder)
		b.bindRequest(d, requestValues{query: test.query})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := b.bindRequest(d, requestValues{query: test.query})
		runtime.ReadMemStats(&after)
		if got := strings.Join(placesOf(err), ","); !strings.HasPrefix(got+",", test.want+",") || len(test.query) < 50 && got != test.want {
			t.Errorf("%.20s: %s, want %s", test.query, got, test.want)
		}
		if cost := (after.TotalAlloc - before.TotalAlloc) >> 10; cost > test.most {
			t.Errorf("%.20s costs %d KiB, over %d", test.query, cost, test.most)
		}
	}
}

// A checkedText is a text that checks itself.
type checkedText struct{ text string }

func (c checkedText) MarshalText() ([]byte, error)     { return []byte(c.text), nil }
func (c *checkedText) UnmarshalText(text []byte) error { c.text = string(text); return nil }
func (c checkedText) Validate() error {
	if c.text == "bad" {
		return errors.New("is bad")
	}
	return nil
}

type renamedIn struct {
	ID    checkedText   `json:"todoId" path:"todo/id"`
	Kinds []checkedText `json:"kinds" query:"k"`
	Limit int           `json:"limit,omitempty" query:"max~" maximum:"5"`
	Title string        `json:"title" minLength:"1"`
}

// renamedValues has the values of a path.
type renamedValues string

func (r renamedValues) PathValue(string) string { return string(r) }

// Verify that violations name a parameter as it was sent: over REST by its name in
// the path or the query, everywhere else by the wire name.
func TestRenamedParameters(t *testing.T) {
	p := new(mistakes)
	c := newShapes(p)
	b := compileBinding(newDecoders(p, false), c.shapeFor(reflect.TypeFor[renamedIn](), "T"), bindSpec{placeholders: []string{"todo/id"}, hasBody: true})
	for _, test := range []struct {
		path, query, body, rest string
		object, named           string
	}{
		{"bad", "k=bad&k=good", `{"title":"x"}`, "path /todo~1id validate,query /k/0 validate",
			`{"todoId":"bad","kinds":["bad","good"],"title":"x"}`, "path /todoId validate,query /kinds/0 validate"},
		{"\xff", "k=%FF&max~=6", `{"title":""}`, "path /todo~1id type,query /k/0 type,query /max~0 maximum,body /title minLength",
			`{"todoId":1,"kinds":[1],"limit":6,"title":""}`, "path /todoId type,query /kinds/0 type,query /limit maximum,body /title minLength"},
		{"a", "limit=9&max~=1&max~=2", `{}`, "query /max~0 duplicate,query /k required,body /title required",
			`{"todoId":"a","limit":1.5}`, "query /limit type,query /kinds required,body /title required"},
		{"a", "k=%&max~=;&z=%", `{"title":"x"}`, "query /k/0 syntax,query /max~0 syntax",
			`{"todoId":"a","kinds":["x"],"title":"x"}`, ""},
	} {
		_, err := b.bindRequest(new(decoder), requestValues{path: renamedValues(test.path), query: test.query, body: []byte(test.body)})
		if got := strings.Join(placesOf(err), ","); got != test.rest {
			t.Errorf("%s?%s: %s, want %s", test.path, test.query, got, test.rest)
		}
		_, err = b.bindObject(new(decoder), []byte(test.object))
		if got := strings.Join(placesOf(err), ","); got != test.named {
			t.Errorf("%s: %s, want %s", test.object, got, test.named)
		}
	}
}

// Verify what is said of a text that is not the base64 that svc takes.
func TestBase64Complaints(t *testing.T) {
	for text, want := range map[string]*complaint{
		"": nil, "AA==": nil, "AAA=": nil, "+/+/": nil,
		"AB==": hasStrayBits, "AAB=": hasStrayBits,
		"AA": isUnpadded, "AAA": isUnpadded,
		"-_-_": isBase64URL, "-_": isBase64URL,
		"AA\n==": hasLineEnds, "AAAA\r\n": hasLineEnds,
		"A": mustBeBase64, "A===": mustBeBase64, "AA=A": mustBeBase64, "*": mustBeBase64, "é": mustBeBase64,
	} {
		v := reflect.New(reflect.TypeFor[[]byte]()).Elem()
		if got := setBytes(nil, v, []byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
