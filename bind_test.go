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

type headerCountOut struct {
	After int    `json:"after,omitempty"`
	Topic string `json:"topic,omitempty"`
}

type headerTextIn struct {
	After *string `json:"-" header:"Last-Event-ID" default:"none" maxLength:"4"`
}

type headerManyIn struct {
	Match  string   `json:"match" header:"if-match" minLength:"2" doc:"What is to be changed."`
	Tenant *int8    `json:"-" header:"X-Tenant,omitempty" maximum:"9"`
	Rate   *float32 `json:"rate,omitempty" header:"X-Rate"`
	Sid    string   `json:"sid,omitempty" cookie:"sid" pattern:"^[^a-z]*$"`
	Theme  string   `json:"-" cookie:"theme" default:"light" enum:"light,dark"`
	Seen   *bool    `json:"seen,string,omitempty" cookie:"seen"`
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

// Headers and cookies are parameters of REST: one value each.
func TestHeadersAndCookies(t *testing.T) {
	violation := func(in, name, rule, message string) string {
		return `{"in":"` + in + `","path":"/` + name + `","rule":"` + rule + `","message":"` + message + `"}`
	}
	rest := headerService(t).REST()
	for _, test := range []struct{ header, want string }{
		{"If-Match: ab", `{"Match":"ab","Tenant":null,"Rate":null,"Sid":"","Theme":"light","Seen":null}`},
		{"If-Match: ab|x-tenant: 9|X-RATE: 1.5e0", `{"Match":"ab","Tenant":9,"Rate":1.5,"Sid":"","Theme":"light","Seen":null}`},
		{"If-Match: ab|Cookie: sid=1; theme=dark; seen=true", `{"Match":"ab","Tenant":null,"Rate":null,"Sid":"1","Theme":"dark","Seen":true}`},
		{"If-Match: ab|Cookie: sid=1|Cookie: theme=dark", `"Sid":"1","Theme":"dark"`},
		{`If-Match: ab|Cookie: theme="dark";sid=="`, `"Sid":"=\"","Theme":"dark"`},
		{`If-Match: ab|Cookie: sid="`, `"Sid":"\""`},
		{`If-Match: ab|Cookie: sid=%20+; ;=;;x; sid; THEME=1; themes=2;theme =3`, `"Sid":"%20+","Theme":"light"`},
		{"If-Match: ab|Cookie: sid=", `"Sid":"","Theme":"light"`},
		{"If-Match: a, b", `"Match":"a, b"`},
		{"", violation("header", "if-match", "required", "is required")},
		{"If-Match:", violation("header", "if-match", "minLength", "must have at least 2 characters")},
		{"If-Match: ab|If-Match: ab", violation("header", "if-match", "duplicate", "is given more than once")},
		{"If-Match: ab|X-Tenant:", violation("header", "X-Tenant", "type", "must be an integer")},
		{"If-Match: ab|X-Tenant: 1e0", violation("header", "X-Tenant", "type", "must be an integer")},
		{"If-Match: ab|X-Tenant: 128", violation("header", "X-Tenant", "range", "must be an integer between -128 and 127")},
		{"If-Match: ab|X-Rate: +1", violation("header", "X-Rate", "type", "must be a number")},
		{"If-Match: a\xff", violation("header", "if-match", "type", "must be valid UTF-8")},
		{"If-Match: ab|Cookie: theme=red", violation("cookie", "theme", "enum", "must be one of light, dark")},
		{"If-Match: ab|Cookie: theme=dark; theme=dark", violation("cookie", "theme", "duplicate", "is given more than once")},
		{"If-Match: ab|Cookie: theme=dark|Cookie: theme=dark", violation("cookie", "theme", "duplicate", "is given more than once")},
		{"If-Match: ab|Cookie: seen=1", violation("cookie", "seen", "type", "must be true or false")},
		{"If-Match: ab|Cookie: sid=\xff", violation("cookie", "sid", "type", "must be valid UTF-8")},
		{"If-Match: a|X-Tenant: x|Cookie: sid=x", violation("header", "if-match", "minLength", "must have at least 2 characters") + "," +
			violation("header", "X-Tenant", "type", "must be an integer") + "," + violation("cookie", "sid", "pattern", "must match the pattern ^[^a-z]*$")},
		{"If-Match: ab|X-Tenant: 4", `{"in":"body","path":"","rule":"validate","message":"unlucky"}`},
	} {
		r := httptest.NewRequest("POST", "/h/many", nil)
		for line := range strings.SplitSeq(test.header, "|") {
			name, value, _ := strings.Cut(line, ":")
			r.Header.Add(name, strings.TrimSpace(value))
		}
		w := httptest.NewRecorder()
		if rest.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %s\nwant %s", test.header, w.Code, w.Body, test.want)
		}
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
		{"text", `{"Last-Event-ID":"x"}`, "/Last-Event-ID is not a known property"},
		{"many", `{"match":"ab","rate":2,"sid":"1","seen":"true"}`, `{"Match":"ab","Tenant":null,"Rate":2,"Sid":"1","Theme":"light","Seen":true}`},
		{"many", `{}`, "/match is required"},
		{"many", `{"match":"ab","theme":"dark"}`, "/theme is not a known property"},
		{"many", `{"match":"ab","X-Tenant":1}`, "/X-Tenant is not a known property"},
		{"many", `{"match":"ab","sid":"a"}`, "/sid must match the pattern"},
	} {
		m := s.findMethod("h", test.method)
		in, err := m.bindObject(new(decoder), []byte(test.text))
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %s", test.text, err, test.want)
			}
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
	m := s.findMethod("h", "many")
	rpc := string(buildOpenRPC(s))
	tool := string(appendInputSchema(nil, m.in))
	if strings.Contains(rpc+tool, "X-Tenant") || strings.Contains(rpc+tool, `"theme"`) {
		t.Errorf("a document has a field that is there over REST alone\n%s\n%s", rpc, tool)
	}
	for _, want := range []string{`"name":"match"`, `"name":"sid"`} {
		if !strings.Contains(rpc, want) {
			t.Errorf("OpenRPC lacks %s\n%s", want, rpc)
		}
	}
	want := `{"type":"object","properties":{"match":{"type":"string","minLength":2,"description":"What is to be changed."},"rate":{"type":"number"},` +
		`"sid":{"type":"string","pattern":"^[^a-z]*$"},"seen":{"type":"string","enum":["true","false"]}},"required":["match"],"additionalProperties":false}`
	if tool != want {
		t.Errorf("the schema of the tool is %s\nwant %s", tool, want)
	}
}

func TestHeaderFieldInOpenAPI(t *testing.T) {
	doc := string(buildDocument(headerService(t), openAPI30))
	for _, want := range []string{
		`"parameters":[{"name":"Last-Event-ID","in":"header","description":"Where to go on.","schema":{"type":"integer","format":"int32","minimum":1,"default":7}}]`,
		`"parameters":[{"name":"if-match","in":"header","description":"What is to be changed.","required":true,"schema":{"type":"string","minLength":2}},` +
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
	Accept   string   `json:"accept" header:"accept"`
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
	_, err := Register[I](impl, nil)
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
		{twice, `the fields A and B take the same header "x-one"; drop one of the tags`},
		{twice, `the fields C and D take the same cookie "two"; drop one of the tags`},
		{outer, `headerOuterIn.B: A takes the header "x-one" too`},
		{outer, `headerOuterIn.D: C takes the cookie "two" too`},
		{bad, `headerBadIn.Required: a client sends Last-Event-ID only when it comes back, so the field must be optional (omitempty)`},
		{bad, `headerBadIn.Both: a field cannot come from the query and from the header; drop one of the tags`},
		{bad, `headerBadIn.Place: a field cannot come from the path and from the cookie; drop one of the tags`},
		{bad, `headerBadIn.Pair: a field cannot come from the header and from the cookie; drop one of the tags`},
		{bad, `headerBadIn.List: the type []string cannot come from the header, which carries scalars`},
		{bad, `headerBadIn.Object: the type struct {} cannot come from the cookie, which carries scalars`},
		{bad, `headerBadIn.Alone: with json:"-" the field exists over REST alone, so it must be optional: write header:"X-Alone,omitempty", or give it a JSON name`},
		{bad, `headerBadIn.Crumb: with json:"-" the field exists over REST alone, so it must be optional: write cookie:"crumb,omitempty", or give it a JSON name`},
		{bad, `headerBadIn.Region: mcpheader:"Region" is about a member of the input, and json:"-" says that the field is none; drop one of them`},
		{bad, `headerBadIn.Space: header:"X Space": want the name of a header, in letters, digits and dashes`},
		{bad, `headerBadIn.Colon: cookie:"a=b": want the name of a cookie, in letters, digits and dashes`},
		{bad, `headerBadIn.Auth: header:"authorization": let a middleware such as BasicAuth read it`},
		{bad, `headerBadIn.Proxy: header:"Proxy-Authorization": let a middleware`},
		{bad, `headerBadIn.Cookie: header:"Cookie": give the field a tag cookie:"name"`},
		{bad, `headerBadIn.Accept: header:"accept": the forms of bodies are not up to methods; choose another name`},
		{bad, `headerBadIn.Type: header:"Content-Type": the forms of bodies`},
		{bad, `headerBadIn.Host: header:"Host": it belongs to the connection; choose another name`},
		{bad, `headerBadIn.TE: header:"TE": it belongs to the connection`},
		{bad, `headerBadIn.Origin: header:"Origin": it belongs to the browser; choose another name`},
		{bad, `headerBadIn.Site: header:"Sec-Fetch-Site": it belongs to the browser`},
		{place, `no field fills the placeholder {id}`},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("%s\nwant %s", test.got, test.want)
		}
	}
	if n := strings.Count(outer, "\n"); n != 2 {
		t.Errorf("%s\nwant two mistakes: names of cookies have a case", outer)
	}
	if fine := headerErr[headerFineAPI](struct{ headerFineAPI }{}); fine != "" {
		t.Error(fine)
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
