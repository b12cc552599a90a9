package svc

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// placesOf returns the violations in an error as "in path rule".
func placesOf(err error) []string {
	list := []string{}
	for _, v := range listOf(err) {
		list = append(list, v.In+" "+v.Path+" "+v.Rule)
	}
	return list
}

type dOrder struct {
	ID    int64             `json:"id"`
	Buyer *dBuyer           `json:"buyer"`
	Lines []dLine           `json:"lines" minItems:"1" maxItems:"100"`
	Notes map[string]string `json:"notes,omitempty"`
	Flags [2]bool           `json:"flags,omitempty"`
	At    time.Time         `json:"at,omitzero"`
	Odd   map[string]dLine  `json:"a/b~c,omitempty"`
	Meta  any               `json:"meta,omitempty"`
	dPlace
}

type dPlace struct {
	Lat float64 `json:"lat,omitempty" minimum:"-90" maximum:"90"`
}

type dBuyer struct {
	Name string `json:"name" minLength:"1" maxLength:"5" pattern:"^[a-z]*$"`
	Age  uint8  `json:"age,omitempty" maximum:"130"`
}

type dLine struct {
	SKU string `json:"sku" enum:"a,b"`
	N   int    `json:"n" minimum:"1" multipleOf:"2"`
}

// Verify that every violation is told, with its place.
func TestViolations(t *testing.T) {
	const ok = `{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}]}`
	for _, test := range []struct {
		text string
		want string // "path rule", with commas between
	}{
		{ok, ""},
		{`{}`, "/id required,/buyer required,/lines required"},
		{`[]`, " type"},
		{`null`, " type"},
		{`"x"`, " type"},
		{`{"id":"1","buyer":1,"lines":{}}`, "/id type,/buyer type,/lines type"},
		{`{"id":1.5,"buyer":{},"lines":[]}`, "/id type,/buyer/name required,/lines minItems"},
		{`{"id":9223372036854775808,"buyer":{"name":null},"lines":[null]}`, "/id range,/buyer/name type,/lines/0 type"},
		{`{"id":null,"buyer":{"name":"ABCDEF","age":131},"lines":[{},{"sku":"c","n":-1}]}`,
			"/id type,/buyer/name maxLength,/buyer/age maximum,/lines/0/sku required,/lines/0/n required,/lines/1/sku enum,/lines/1/n minimum,/lines/1/n multipleOf"},
		{`{"id":1,"buyer":{"name":"","age":256},"lines":[{"sku":"a","n":1e400}]}`, "/buyer/name minLength,/buyer/age range,/lines/0/n range"},
		{`{"lines":[{"sku":1,"n":"2"}],"id":true,"buyer":[]}`, "/lines/0/sku type,/lines/0/n type,/id type,/buyer type"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"notes":{"":1,"a/b":null,"m~n":[],"é":"ok"}}`, "/notes/ type,/notes/a~1b type,/notes/m~0n type"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"flags":[true]}`, "/flags minItems"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"flags":[1,true,null]}`, "/flags/0 type,/flags maxItems"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"at":"today"}`, "/at type"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"a/b~c":{"x/y":{"sku":"b","n":0}}}`, "/a~1b~0c/x~1y/n minimum"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"lat":91}`, "/lat maximum"},
		{`{"id":1,"buyer":null,"lines":[{"sku":"a","n":2}],"lat":null}`, "/lat type"},
		{`{"ID":1,"Buyer":null,"lineſ":[]}`, "/id required,/buyer required,/lines required"},
		// A list with bad elements is not judged as a whole.
		{`{"id":1,"buyer":null,"lines":[` + strings.Repeat("1,", 9) + `2]}`, "/lines/0 type,/lines/1 type,/lines/2 type,/lines/3 type,/lines/4 type,/lines/5 type,/lines/6 type,/lines/7 type,/lines/8 type,/lines/9 type"},

		// An error of the text is reported alone, whatever else is wrong.
		{``, " syntax"},
		{`{"id":"1",`, " syntax"},
		{`{"id":"1"} x`, " syntax"},
		{`{"id":"1","id":1}`, "/id duplicate"},
		{`{"id":1,"\u0069d":1}`, "/id duplicate"},
		{`{"id":1,"x":0,"x":1}`, "/x duplicate"},
		{`{"buyer":{"name":"a","name":"b"}}`, "/buyer/name duplicate"},
		{`{"lines":[{"n":1},{"n":1,"sku":"a","n":1}]}`, "/lines/1/n duplicate"},
		{`{"meta":[0,{"a/b":{"c":1,"d":2,"c":3}}]}`, "/meta/1/a~1b/c duplicate"},
		{`{"unknown":{"a":[[],[{"b":{"c":1,"c":2}}]]}}`, "/unknown/a/1/0/b/c duplicate"},
		{`{"id":{"a":1,"a":2}}`, "/id/a duplicate"},
		{`{"notes":{"a":"b","a":"c"}}`, "/notes/a duplicate"},
		{`{"a/b~c":{"x":{"sku":"a","sku":"b"}}}`, "/a~1b~0c/x/sku duplicate"},
		{`{"":{"":1,"":2}}`, "// duplicate"},
		{`{"x":"}{][,\"","y":{"z" : 1 , "z" : 2}}`, "/y/z duplicate"},
		{`{"lines":[` + strings.Repeat(`[],`, 11) + `{"a":1,"a":1}]}`, "/lines/11/a duplicate"},
	} {
		t.Run(rowName(test.want, test.text), func(t *testing.T) {
			_, err := compileFor[dOrder](t).unmarshal([]byte(test.text))
			var want []string
			for _, place := range strings.Split(test.want, ",") {
				if place != "" {
					want = append(want, "body "+place)
				}
			}
			if got := placesOf(err); !slices.Equal(got, want) {
				t.Errorf("%s\n got %q\nwant %q", test.text, got, want)
			}
		})
	}
}

// Verify that a duplicate in a text with white space and escapes around is found
// where it is, wherever that is: in a known field, an unknown one, an any.
func TestDuplicatePlaces(t *testing.T) {
	for _, c := range []*codec{compileFor[any](t), compileFor[map[string]any](t), compileFor[struct{}](t), compileFor[json.RawMessage](t),
		compileFor[oVerbatim](t), compileFor[struct{ A any }](t)} {
		for _, name := range []string{"A", "b", "", "a/b", "~", "é", `\"`, `\u0041`} {
			for _, around := range []string{`@`, `{"A":[1,@]}`, ` { "x" : { "y" : [ [ ] , @ ] } } `, `{"s":"{[\"","A":@}`, `{"A":{"A":{"A":@}}}`} {
				inner := `{"` + name + `":[{}],"` + name + `":0}`
				text := strings.Replace(around, "@", inner, 1)
				_, err := c.unmarshal([]byte(text))
				list := listOf(err)
				if len(list) != 1 || list[0].Rule != ruleDuplicate || !readTree([]byte(text)).resolves(list[0].Path, false) ||
					!strings.HasSuffix(list[0].Path, pointerToken(unquote(name))) {
					t.Errorf("%s: %s: %+v", c.name, text, list)
				}
			}
		}
	}
}

func unquote(inside string) string {
	var s string
	if err := json.Unmarshal([]byte(`"`+inside+`"`), &s); err != nil {
		panic(err)
	}
	return s
}

// Verify the limits on what one answer tells.
func TestViolationLimits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 10_000)
	member := func(i int) string { return `"` + strconv.Itoa(i) + `"` }
	var many, wide, deep []string
	for i := range 1000 {
		many = append(many, member(i)+`:"x"`)
		if i < 100 { // which is more than enough, and two megabytes
			wide = append(wide, `"`+strconv.Itoa(i)+long+`":"x"`)
		}
		deep = append(deep, `"`+strconv.Itoa(i)+strings.Repeat(`\u0001`, 100)+`":"x"`)
	}
	for _, test := range []struct {
		name, text  string
		least, most int // violations
		more        string
	}{
		{"one", `{"a":"x"}`, 1, 1, ""},
		{"32", "{" + strings.Join(many[:32], ",") + "}", 32, 32, "31 more"},
		{"33", "{" + strings.Join(many[:33], ",") + "}", 32, 32, "at least 31 more"},
		{"1000", "{" + strings.Join(many, ",") + "}", 32, 32, "at least 31 more"},
		{"long names", "{" + strings.Join(wide, ",") + "}", 32, 32, "at least 31 more"},
		{"names that grow when quoted", "{" + strings.Join(deep, ",") + "}", 5, 25, "and at least "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := compileFor[map[string]int](t).unmarshal([]byte(test.text))
			e := ErrorFrom(err)
			list := listOf(err)
			body := appendEnvelope(nil, e)
			if len(list) < test.least || len(list) > test.most || !strings.Contains(e.Message, test.more) || len(body) > 16<<10 {
				t.Errorf("%s: %d violations, %d bytes, %.200s; want %d to %d, %q", test.name, len(list), len(body), e.Message, test.least, test.most,
					test.more)
			}
			if err := checkText(body); err != nil {
				t.Errorf("%s: %s: %v", test.name, body, err)
			}
			for _, v := range list {
				if len(v.Path) > maxViolationPath {
					t.Errorf("%s: a path of %d bytes", test.name, len(v.Path))
				}
			}
		})
	}
	// Under Strict, and for a Validate method that talks.
	_, err := compileType(t, "strict", reflect.TypeFor[struct{}](), true).unmarshal([]byte("{" + strings.Join(wide, ",") + "}"))
	if body := appendEnvelope(nil, ErrorFrom(err)); len(listOf(err)) != 32 || len(body) > 16<<10 {
		t.Errorf("strict: %d violations, %d bytes", len(listOf(err)), len(body))
	}
	b := bindingOf(t, reflect.TypeFor[struct{ V []vTalker }]())
	_, err = b.bindObject(new(decoder), []byte(`{"V":[`+strings.Repeat(`{"N":1},`, 99)+`{"N":1}]}`))
	if body := appendEnvelope(nil, ErrorFrom(err)); len(listOf(err)) < 10 || len(body) > 16<<10 {
		t.Errorf("talkers: %d violations, %d bytes", len(listOf(err)), len(body))
	}
}

// Verify that values that a client sent are never told back.
func TestViolationsEchoNothing(t *testing.T) {
	for _, c := range oracleCodecs(t) {
		for _, value := range []string{`"hunter2"`, `["hunter2"]`, `{"a":"hunter2"}`, `"hunter2`, `hunter2`, `{"a":"hunter2",}`,
			`{"a":"hunter2","a":"hunter2"}`} {
			texts := []string{value}
			for _, f := range fieldsOf(c.typ) {
				texts = append(texts, `{"`+f.name+`":`+value+`}`)
			}
			for _, text := range texts {
				if _, err := c.unmarshal([]byte(text)); err != nil && strings.Contains(string(appendEnvelope(nil, ErrorFrom(err))), "hunter2") {
					t.Errorf("%s: %s: %v", c.name, text, err)
				}
			}
		}
	}
}

type dDefaults struct {
	Bool   bool           `json:"bool" default:"true"`
	Int    int            `json:"int" default:"7"`
	String string         `json:"string" default:"x"`
	Empty  string         `json:"empty" default:""`
	Slice  []int          `json:"slice" default:"[1,2]"`
	Map    map[string]int `json:"map" default:"{\"a\":1}"`
	Ptr    *int           `json:"ptr" default:"3"`
	Null   *int           `json:"null" default:"null"`
	Struct dLine          `json:"struct" default:"{\"sku\":\"a\",\"n\":2}"`
	Bytes  []byte         `json:"bytes" default:"AQI="`
	Time   time.Duration  `json:"time" default:"1s"`
	Addr   netip.Addr     `json:"addr" default:"1.2.3.4"`
	Quoted int            `json:"quoted,string" default:"5"`
	Any    any            `json:"any" default:"{\"a\":[1]}"`
	Opt    int            `json:"opt,omitempty" default:"9"`
	Pair   [2]int         `json:"pair" default:"[1,2]"`

	IP    net.IP          `json:"ip" default:"1.2.3.4"`
	Raw   json.RawMessage `json:"raw" default:"[1]"`
	Clock time.Time       `json:"clock" default:"2006-01-02T15:04:05Z"`
}

// Verify that a default is for what is absent only, and is made anew each time.
func TestDefaults(t *testing.T) {
	c := compileFor[dDefaults](t)
	decode := func(text string) dDefaults {
		v, err := c.unmarshal([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return v.Interface().(dDefaults)
	}
	three := 3
	want := dDefaults{true, 7, "x", "", []int{1, 2}, map[string]int{"a": 1}, &three, nil, dLine{"a", 2}, []byte{1, 2}, time.Second,
		netip.MustParseAddr("1.2.3.4"), 5, map[string]any{"a": []any{1.0}}, 9, [2]int{1, 2},
		net.ParseIP("1.2.3.4"), json.RawMessage("[1]"), time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)}
	first := decode(`{}`)
	if !reflect.DeepEqual(first, want) {
		t.Errorf("{} gives %+v, want %+v", first, want)
	}
	first.Slice[0], first.Map["a"], *first.Ptr, first.Bytes[0] = 9, 9, 9, 9
	first.IP[15], first.Raw[1] = 9, '9'
	first.Any.(map[string]any)["a"].([]any)[0] = 9.0
	if second := decode(`{}`); !reflect.DeepEqual(second, want) {
		t.Errorf("after the first was changed, {} gives %+v, want %+v", second, want)
	}
	zero := `{"bool":false,"int":0,"string":"","empty":"","slice":[],"map":{},"ptr":null,"null":0,"struct":{"sku":"b","n":4},"bytes":"","time":"0s","addr":"","quoted":"0","any":null,"opt":0,"pair":[0,0],"ip":"","raw":0,"clock":"0001-01-01T00:00:00Z"}`
	if got := decode(zero); !reflect.DeepEqual(got, dDefaults{Slice: []int{}, Map: map[string]int{}, Null: new(int), Struct: dLine{"b", 4},
		Bytes: []byte{}, Raw: json.RawMessage("0")}) {
		t.Errorf("%s gives %+v", zero, got)
	}
	if _, err := c.unmarshal([]byte(`{"int":null}`)); !slices.Equal(placesOf(err), []string{"body /int type"}) {
		t.Errorf("null for a default: %v", err)
	}
}

// Verify how many defaults are decoded for one input: as many as its text could have, or 1 MiB.
func TestManyDefaults(t *testing.T) {
	type inner struct {
		Words []string `json:"words" default:"[\"abcdefghij\"]"` // of 14 bytes
	}
	type item struct {
		In   inner   `json:"in" default:"{}"`
		List []inner `json:"list" default:"[{},{}]"` // of 7 bytes and 28 inside
		N    int     `json:"n" default:"3"`          // is copied, and costs nothing
	}
	const each = 2 + 14 + 7 + 28
	c := compileFor[[]item](t)
	for _, test := range []struct {
		name  string
		text  string
		wrong []string
	}{
		{"as many as fit", `[` + strings.Repeat("{},", maxDefaults/each-1) + `{}]`, nil},
		{"one more", `[` + strings.Repeat("{},", maxDefaults/each) + `{}]`, []string{fmt.Sprintf("body /%d/list required", maxDefaults/each)}},
		{"many more", `[` + strings.Repeat("{},", 300_000) + `{}]`, []string{fmt.Sprintf("body /%d/list required", maxDefaults/each)}},
		{"a long text", `[` + strings.Repeat(`{"x":"`+strings.Repeat("a", each)+`"},`, 2*maxDefaults/each) + `{}]`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := c.unmarshal([]byte(test.text))
			if !slices.Equal(placesOf(err), test.wrong) {
				t.Fatalf("got %v, want %v", placesOf(err), test.wrong)
			}
			if err != nil {
				return
			}
			list := v.Interface().([]item)
			words := inner{[]string{"abcdefghij"}}
			if last := list[len(list)-1]; !reflect.DeepEqual(last, item{words, []inner{words, words}, 3}) {
				t.Errorf("the last item is %+v", last)
			}
		})
	}
	// The next input begins anew.
	if _, err := c.unmarshal([]byte(`[{}]`)); err != nil {
		t.Error(err)
	}
}

// Verify Strict: at every depth, each unknown name, with its place.
func TestStrict(t *testing.T) {
	type inner struct{ A int }
	type outer struct {
		In   inner            `json:"in"`
		List []inner          `json:"list,omitempty"`
		Map  map[string]inner `json:"map,omitempty"`
		Any  any              `json:"any,omitempty"`
		Ptr  *inner           `json:"ptr,omitempty"`
	}
	for _, test := range []struct{ text, want string }{
		{`{"in":{"A":1}}`, ""},
		{`{"in":{"A":1},"x":{"y":[]}}`, "/x"},
		{`{"in":{"A":1,"a":1,"b/c":2}}`, "/in/a /in/b~1c"},
		{`{"in":{"A":1},"list":[{"A":1},{"A":1,"B":2}],"map":{"k":{"A":1,"":0}},"ptr":{"A":1,"é":0}}`, "/list/1/B /map/k/ /ptr/é"},
		{`{"in":{"A":1},"any":{"whatever":1},"IN":1}`, "/IN"},
		{`{"in":{"A":1},"title\u0000":1}`, "/title\x00"},
	} {
		t.Run(rowName(test.text), func(t *testing.T) {
			_, err := compileType(t, "strict", reflect.TypeFor[outer](), true).unmarshal([]byte(test.text))
			want := []string{}
			for _, path := range strings.Fields(test.want) {
				want = append(want, "body "+path+" unknown")
			}
			if got := placesOf(err); !slices.Equal(got, want) {
				t.Errorf("strict, %s: %q, want %q", test.text, got, want)
			}
			if _, err := compileType(t, "lenient", reflect.TypeFor[outer](), false).unmarshal([]byte(test.text)); err != nil {
				t.Errorf("lenient, %s: %v", test.text, err)
			}
		})
	}
}

type (
	hookOwn       struct{}
	hookPointer   struct{}
	hookPromoted  struct{ hookOwn }
	hookExported  struct{ HookBase }
	hookOverrides struct{ HookBase }
	hookTwice     struct{ hookPromoted }
	hookTwo       struct {
		HookBase
		hookOwn
	}
	hookBelow struct{ hookMiddle }
	HookBase  struct{}

	hookAbove          struct{ hookOverrides }
	HookGeneric[T any] struct{ HookBase }
	hookOfGeneric      struct{ HookGeneric[int] }
	HookPlain[T any]   struct{ V T }
	hookOfPlain        struct{ HookPlain[string] }
	hookInterface      struct{ validator }
	hookAmong          struct {
		Plain int
		*HookBase
	}
	hookDeclares struct {
		*HookBase
		Other hookOwn
	}
	hookValue   struct{ HookBase }
	hookNothing struct{ hookNone }
	hookNone    struct{ Base HookBase }
	hookCopy    hookExported
	hookDeeper  struct {
		hookMiddle
		HookBase
	}

	hookMiddle struct{ HookBase }
	HookMiddle struct{ HookBase }

	hookDiamond struct {
		hookMiddle
		HookMiddle
	}
	hookMended struct {
		hookDiamond
		HookBase
	}
	HookCycle struct {
		*HookCycle
		HookBase
	}
	hookOfCycle struct{ HookCycle }
)

func (hookOwn) Validate() error        { return nil }
func (*hookPointer) Validate() error   { return nil }
func (HookBase) Validate() error       { return nil }
func (*hookOverrides) Validate() error { return nil }
func (HookPlain[T]) Validate() error   { return nil }
func (hookDeclares) Validate() error   { return nil }
func (hookValue) Validate() error      { return nil }

// Verify of each of 130 cookies, more than two words have bits, that it is missed when it
// is not there, and that it is found when it comes twice.
func TestManyCookies(t *testing.T) {
	var fields []reflect.StructField
	var all []string
	for i := range 130 {
		name := "c" + strconv.Itoa(i)
		fields = append(fields, reflect.StructField{Name: strings.ToUpper(name), Type: reflect.TypeFor[int8](),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q cookie:%[1]q", name))})
		all = append(all, name+"=1")
	}
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(reflect.StructOf(fields), "T")
	c.finishShapes()
	b := compileBinding(newDecoders(p, false), s, route{verb: "GET", path: "/"})
	places := func(cookies []string) string {
		_, err := b.bindRequest(new(decoder), &requestValues{header: map[string][]string{"Cookie": {strings.Join(cookies, "; ")}}})
		return strings.Join(placesOf(err), ",")
	}
	if got := places(all); got != "" || len(p.list) > 0 {
		t.Errorf("all: %s %v", got, p.list)
	}
	for i, cookie := range all {
		name, _, _ := strings.Cut(cookie, "=")
		if got, want := places(slices.Delete(slices.Clone(all), i, i+1)), "cookie /"+name+" required"; got != want {
			t.Errorf("without %s: %s", name, got)
		}
		if got, want := places(append(slices.Clone(all), cookie)), "cookie /"+name+" duplicate"; got != want {
			t.Errorf("%s twice: %s", name, got)
		}
	}
}

// Verify where Validate is called: once per struct that declares it, on the
// struct around where that one is out of reach.
func TestHooksOf(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{struct{}{}, "[]"},
		{hookOwn{}, "[[]]"},
		{hookPointer{}, "[[]]"},
		{hookPromoted{}, "[[]]"}, // hookOwn by its promoted method
		{hookExported{}, "[[0]]"},
		{hookOverrides{}, "[[0] []]"},
		{hookTwice{}, "[[]]"},
		{hookTwo{hookOwn: hookOwn{}}, "[[0]]"}, // ambiguous: nothing is promoted, and hookOwn is out of reach
		{hookBelow{}, "[[0 0]]"},
		{hookAbove{}, "[[0 0] []]"},
		{hookOfGeneric{}, "[[0 0]]"},
		{hookOfPlain{}, "[[0]]"},
		{hookInterface{}, "[]"}, // the method of an interface is nobody's own
		{hookAmong{}, "[[1]]"},
		{hookDeclares{}, "[[0] []]"},
		{hookValue{}, "[[0] []]"},
		{hookNothing{}, "[]"}, // a named field promotes nothing
		{hookCopy{}, "[[0]]"},
		{hookDeeper{}, "[[1]]"}, // no field of the deeper one is a member
		{hookDiamond{}, "[]"},   // and here of neither
		{hookMended{}, "[[1]]"}, // until one is less deep
		{hookOfCycle{}, "[[0 1]]"},
		{HookCycle{}, "[[1]]"},
		{struct{ HookBase }{}, "[[0]]"},
		{promoting{}, "[[]]"},
	} {
		t.Run(rowName(test.want, reflect.TypeOf(test.value)), func(t *testing.T) {
			if got := fmt.Sprint(hooksOf(reflect.TypeOf(test.value))); got != test.want {
				t.Errorf("hooksOf(%T) = %s, want %s", test.value, got, test.want)
			}
		})
	}
}

type promoting struct{ promoted }

type promoted struct{}

func (promoted) Validate() error { return nil }

// The types below complain always, each by its name and what it sees, so that
// the answer shows which Validate was called, when, and where.

type vLeaf struct{ N int }

func (v vLeaf) Validate() error { return fmt.Errorf("leaf %d", v.N) }

type vPointer struct{ N int }

func (v *vPointer) Validate() error { return fmt.Errorf("pointer %d", v.N) }

type VBase struct{ ID int }

func (v VBase) Validate() error { return errors.New("base") }

type VPointerBase struct{ PID int }

func (v *VPointerBase) Validate() error { return errors.New("pointer base") }

// A VTiny has a Validate that the compiler may put in the place of its call.
type VTiny struct{ T int }

func (VTiny) Validate() error { return errTiny }

var errTiny = errors.New("tiny")

type vbase struct{ Low int }

func (v vbase) Validate() error { return errors.New("unexported base") }

type (
	vPromoted        struct{ VBase }
	vPromotedPointer struct{ VPointerBase }
	vPromotedTiny    struct{ VTiny }
	vEmbeddedPointer struct {
		*VBase
		X int `json:",omitempty"`
	}
	vEmbeddedPointer2 struct {
		*VPointerBase
		X int `json:",omitempty"`
	}
	vUnexported        struct{ vbase }
	vUnexportedOuter   struct{ vUnexported }
	vUnexportedAndBase struct {
		vbase
		VBase
	}
	VMiddle  struct{ VBase }
	vDeep    struct{ VMiddle }
	vTwoways struct { // neither is promoted
		VBase
		VPointerBase
	}
	vNamed struct {
		Base VBase `json:"base"`
	}
	vTagged struct { // promoted in Go, and a member in JSON
		VBase `json:"base"`
	}
	vEmbedsGeneric    struct{ VGenericPointer[int] }
	vOverridesGeneric struct{ *VGeneric[int] }
	vInterface        struct {
		Any any `json:"any"`
	}
	vTalker struct{ N int }
)

func (v vOverridesGeneric) Validate() error { return errors.New("overrides") }

func (v vTalker) Validate() error { return errors.New(strings.Repeat("talk ", 1000)) }

// A VGeneric is generic: the compiler writes a part of its method for each type.
type VGeneric[T any] struct{ G T }

func (v VGeneric[T]) Validate() error { return fmt.Errorf("generic %v", v.G) }

type VGenericPointer[T any] struct{ P T }

func (v *VGenericPointer[T]) Validate() error { return fmt.Errorf("generic pointer %v", v.P) }

type vOverride struct{ VBase }

func (v vOverride) Validate() error { return errors.New("override") }

type vOverridePointer struct {
	*VMiddle
	A vLeaf `json:",omitzero"`
}

func (v *vOverridePointer) Validate() error { return errors.New("override pointer") }

type vOverrideUnexported struct{ vbase }

func (v vOverrideUnexported) Validate() error { return errors.New("override unexported") }

type vTree struct {
	N    int              `json:"n"`
	Kids []vTree          `json:"kids,omitempty"`
	Next *vTree           `json:"next,omitempty"`
	Map  map[string]vTree `json:"map,omitempty"`
}

func (v *vTree) Validate() error { return fmt.Errorf("tree %d", v.N) }

type vEverywhere struct {
	Leaf  vLeaf                `json:"leaf"`
	Ptr   *vLeaf               `json:"ptr"`
	PPtr  **vPointer           `json:"pptr"`
	List  []vPointer           `json:"list"`
	Ptrs  []*vPointer          `json:"ptrs"`
	Array [2]vLeaf             `json:"array"`
	Map   map[string]vLeaf     `json:"map"`
	PMap  map[int8]*vPointer   `json:"pmap"`
	Lists map[string][]vLeaf   `json:"lists"`
	Addrs map[netip.Addr]vLeaf `json:"addrs,omitempty"`
	Plain struct {
		Leaf vLeaf `json:"leaf"`
	} `json:"plain"`
}

func (v vEverywhere) Validate() error { return errors.New("everywhere") }

// vText is a string in JSON and a struct in Go.
type vText struct{ text string }

func (v vText) MarshalText() ([]byte, error)     { return []byte(v.text), nil }
func (v *vText) UnmarshalText(text []byte) error { v.text = string(text); return nil }
func (v vText) Validate() error                  { return errors.New("text " + v.text) }

type vEmbedsText struct{ vText }

// A VString is no struct, but the struct that embeds it has its method.
type VString string

func (v VString) Validate() error { return errors.New("string " + string(v)) }

type VMiddleUnexported struct{ vbase }

// vList has a Validate and is no struct, so nobody asks it.
type vList []int

func (v vList) Validate() error { return errors.New("list") }

// Verify which Validate methods are called, in which order, with which place.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		typ  reflect.Type
		text string
		want []string
	}{
		{reflect.TypeFor[vLeaf](), `{"N":1}`, []string{" leaf 1"}},
		{reflect.TypeFor[vPointer](), `{"N":1}`, []string{" pointer 1"}},
		{reflect.TypeFor[vPromoted](), `{"ID":1}`, []string{" base"}},
		{reflect.TypeFor[vPromotedPointer](), `{"PID":1}`, []string{" pointer base"}},
		{reflect.TypeFor[vPromotedTiny](), `{"T":1}`, []string{" tiny"}},
		{reflect.TypeFor[vDeep](), `{"ID":1}`, []string{" base"}},
		{reflect.TypeFor[vOverride](), `{"ID":1}`, []string{" base", " override"}},
		{reflect.TypeFor[vOverridePointer](), `{"ID":1,"A":{"N":2}}`, []string{"/A leaf 2", " base", " override pointer"}},
		{reflect.TypeFor[vOverridePointer](), `{}`, []string{"/A leaf 0", " override pointer"}},
		{reflect.TypeFor[vEmbeddedPointer](), `{"ID":1}`, []string{" base"}},
		{reflect.TypeFor[vEmbeddedPointer](), `{}`, nil},
		{reflect.TypeFor[vEmbeddedPointer2](), `{"PID":1}`, []string{" pointer base"}},
		{reflect.TypeFor[vEmbeddedPointer2](), `{"X":1}`, nil},
		{reflect.TypeFor[vUnexported](), `{"Low":1}`, []string{" unexported base"}},
		{reflect.TypeFor[vUnexportedOuter](), `{"Low":1}`, []string{" unexported base"}},
		{reflect.TypeFor[vUnexportedAndBase](), `{"Low":1,"ID":2}`, []string{" base"}},          // Go promotes neither, and the other cannot be reached
		{reflect.TypeFor[vOverrideUnexported](), `{"Low":1}`, []string{" override unexported"}}, // as in Go, it calls the inner one or does not
		{reflect.TypeFor[vTwoways](), `{"ID":1,"PID":2}`, []string{" base", " pointer base"}},
		{reflect.TypeFor[vNamed](), `{"base":{"ID":1}}`, []string{"/base base"}},
		{reflect.TypeFor[vTagged](), `{"base":{"ID":1}}`, []string{"/base base"}},
		{reflect.TypeFor[vInterface](), `{"any":{"N":1}}`, nil},
		{reflect.TypeFor[struct{ VString }](), `{"VString":"x"}`, []string{" string x"}},
		{reflect.TypeFor[struct{ *VString }](), `{"VString":"x"}`, []string{" string x"}},
		{reflect.TypeFor[struct{ T vEmbedsText }](), `{"T":"x"}`, []string{"/T text x"}},
		{reflect.TypeFor[struct{ VMiddleUnexported }](), `{"Low":1}`, []string{" unexported base"}},
		{reflect.TypeFor[struct {
			VMiddleUnexported
			VMiddle
		}](), `{"Low":1,"ID":2}`, []string{" unexported base", " base"}},
		{reflect.TypeFor[VGeneric[int]](), `{"G":1}`, []string{" generic 1"}},
		{reflect.TypeFor[VGenericPointer[string]](), `{"P":"a"}`, []string{" generic pointer a"}},
		{reflect.TypeFor[VGeneric[vLeaf]](), `{"G":{"N":1}}`, []string{"/G leaf 1", " generic {1}"}},
		{reflect.TypeFor[struct{ VGeneric[int] }](), `{"G":1}`, []string{" generic 1"}},
		{reflect.TypeFor[vEmbedsGeneric](), `{"P":1}`, []string{" generic pointer 1"}},
		{reflect.TypeFor[vOverridesGeneric](), `{"G":1}`, []string{" generic 1", " overrides"}},
		{reflect.TypeFor[vTree](), `{"n":1,"kids":[{"n":2,"kids":[{"n":3}]},{"n":4}],"next":{"n":5},"map":{"b":{"n":6},"a":{"n":7}}}`,
			[]string{"/kids/0/kids/0 tree 3", "/kids/0 tree 2", "/kids/1 tree 4", "/next tree 5", "/map/a tree 7", "/map/b tree 6", " tree 1"}},
		{reflect.TypeFor[vEverywhere](), `{"leaf":{"N":1},"ptr":{"N":2},"pptr":{"N":3},"list":[{"N":4},{"N":5}],"ptrs":[null,{"N":6}],"array":[{"N":7},{"N":8}],"map":{"z":{"N":9},"a/b":{"N":10}},"pmap":{"5":{"N":11},"-1":null,"10":{"N":12}},"lists":{"l":[{"N":13}]},"addrs":{"::1":{"N":15}},"plain":{"leaf":{"N":14}}}`,
			[]string{"/leaf leaf 1", "/ptr leaf 2", "/pptr pointer 3", "/list/0 pointer 4", "/list/1 pointer 5", "/ptrs/1 pointer 6",
				"/array/0 leaf 7", "/array/1 leaf 8",
				"/map/a~1b leaf 10", "/map/z leaf 9", "/pmap/10 pointer 12", "/pmap/5 pointer 11", "/lists/l/0 leaf 13", "/addrs/::1 leaf 15", "/plain/leaf leaf 14", " everywhere"}},
		{reflect.TypeFor[vEverywhere](), `{"leaf":{"N":1},"ptr":null,"pptr":null,"list":[],"ptrs":[],"array":[{"N":0},{"N":0}],"map":{},"pmap":{},"lists":{},"plain":{"leaf":{"N":0}}}`,
			[]string{"/leaf leaf 1", "/array/0 leaf 0", "/array/1 leaf 0", "/plain/leaf leaf 0", " everywhere"}},
		{reflect.TypeFor[struct{ T vText }](), `{"T":"x"}`, []string{"/T text x"}},
		{reflect.TypeFor[struct{ L vList }](), `{"L":[1]}`, nil},
		{reflect.TypeFor[vLeaf](), `{"N":"1"}`, []string{"/N must be an integer, is a string with JSON in it; send the integer itself"}}, // only what fits is asked
		{reflect.TypeFor[struct {
			A vLeaf
			B int
		}](), `{"A":{"N":1}}`, []string{"/B is required"}},
	} {
		t.Run(rowName(test.typ, test.text), func(t *testing.T) {
			b := bindingOf(t, test.typ)
			for range 2 { // the second time on a used decoder
				_, err := b.bindObject(new(decoder), []byte(test.text))
				var got []string
				for _, v := range listOf(err) {
					got = append(got, v.Path+" "+v.Message)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("%v %s\n got %q\nwant %q", test.typ, test.text, got, test.want)
				}
			}
		})
	}
}

// bindingOf returns the binding of a type that only reflect knows.
func bindingOf(t *testing.T, typ reflect.Type) *binding {
	t.Helper()
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(typ, "T")
	c.finishShapes()
	b := compileBinding(newDecoders(p, false), s, route{verb: "POST", path: "/"})
	for _, err := range p.list {
		t.Fatal(err)
	}
	return b
}

type vCoded struct{ Code string }

func (v vCoded) Validate() error {
	switch v.Code {
	case "":
		return nil
	case "plain":
		return errors.New("plain")
	case "wrapped":
		return fmt.Errorf("secret: %w", Errorf(CodeNotFound, "no such thing"))
	case "nil":
		var e *Error
		return e
	}
	return Errorf(Code(v.Code), "coded %s", v.Code)
}

// Verify what an error of Validate becomes: a violation, or, if it is an
// *Error, the answer.
func TestValidateErrors(t *testing.T) {
	b := bindingOf(t, reflect.TypeFor[struct{ A, B, C vCoded }]())
	for _, test := range []struct {
		a, b, c string
		code    Code
		message string
		list    int
	}{
		{"", "", "", CodeOK, "", 0},
		{"plain", "", "", CodeInvalidArgument, "invalid input: /A plain", 1},
		{"plain", "plain", "plain", CodeInvalidArgument, "invalid input: /A plain (and 2 more)", 3},
		{"", "NOT_FOUND", "", CodeNotFound, "coded NOT_FOUND", 0},
		{"", "ABORTED", "NOT_FOUND", CodeAborted, "coded ABORTED", 0},
		{"plain", "", "NOT_FOUND", CodeNotFound, "coded NOT_FOUND", 0},
		{"PERMISSION_DENIED", "plain", "", CodePermissionDenied, "coded PERMISSION_DENIED", 0},
		{"wrapped", "", "", CodeNotFound, "no such thing", 0},
		{"nil", "", "", CodeInternal, "internal error", 0},
	} {
		t.Run(rowName(test.a, test.b, test.c), func(t *testing.T) {
			text := fmt.Sprintf(`{"A":{"Code":%q},"B":{"Code":%q},"C":{"Code":%q}}`, test.a, test.b, test.c)
			_, err := b.bindObject(new(decoder), []byte(text))
			if CodeOf(err) != test.code || err != nil && ErrorFrom(err).message() != test.message || len(listOf(err)) != test.list {
				t.Errorf("%s: %v, want %s %q and %d violations", text, err, test.code, test.message, test.list)
			}
		})
	}
}

type vNormal struct {
	Name string `json:"name"`
}

func (v *vNormal) Validate() error {
	v.Name = strings.ToLower(v.Name)
	return nil
}

// Verify that a Validate that tidies up tidies what the method gets.
func TestValidateChanges(t *testing.T) {
	type input struct {
		One  vNormal             `json:"one"`
		Map  map[string]vNormal  `json:"map"`
		PMap map[string]*vNormal `json:"pmap"`
		List []vNormal           `json:"list"`
		Arr  [1]vNormal          `json:"arr"`
	}
	b := bindingOf(t, reflect.TypeFor[input]())
	v, err := b.bindObject(new(decoder), []byte(`{"one":{"name":"A"},"map":{"k":{"name":"B"}},"pmap":{"k":{"name":"C"}},"list":[{"name":"D"}],"arr":[{"name":"E"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	in := v.(*input)
	if got := in.One.Name + in.Map["k"].Name + in.PMap["k"].Name + in.List[0].Name + in.Arr[0].Name; got != "abcde" {
		t.Errorf("the names are %q, want abcde", got)
	}
}

// A vRuled has a Validate and a field with rules, which hold if it is there.
type vRuled struct {
	Line dLine `json:"line"`
}

func (v vRuled) Validate() error {
	if v.Line.N == 4 {
		return errors.New("four")
	}
	return nil
}

// Verify that an input that came as a Go value is held to the constraints too.
func TestCheckValue(t *testing.T) {
	type input struct {
		*OBase
		Buyer *dBuyer              `json:"buyer"`
		Lines []dLine              `json:"lines" minItems:"1"`
		Map   map[int]dLine        `json:"map"`
		Color string               `json:"color,omitempty" enum:"red,green"`
		Pair  *[2]dLine            `json:"pair,omitempty"`
		Text  map[oFold]*dBuyer    `json:"text"`
		Leaf  []vCoded             `json:"leaf"`
		Addrs map[netip.Addr]dLine `json:"addrs"`
		Maybe vRuled               `json:"maybe,omitzero"`
	}
	line, buyer := dLine{"a", 2}, dBuyer{Name: "ann"}
	for _, test := range []struct {
		in   input
		want []string
	}{
		{input{Lines: []dLine{line}}, []string{}},
		{input{}, []string{"body /lines minItems"}},
		{input{Lines: []dLine{line, {"c", 1}}, Buyer: &dBuyer{Name: "ANN", Age: 131}}, []string{"body /buyer/name pattern", "body /buyer/age maximum", "body /lines/1/sku enum", "body /lines/1/n multipleOf"}},
		{input{Lines: []dLine{line}, Color: "blue"}, []string{"body /color enum"}},
		{input{Lines: []dLine{line}, Map: map[int]dLine{10: {"a", 0}, 2: {"", 2}, 1: line}}, []string{"body /map/10/n minimum", "body /map/2/sku enum"}},
		{input{Lines: []dLine{line}, Pair: &[2]dLine{line, {}}}, []string{"body /pair/1/sku enum", "body /pair/1/n minimum"}},
		{input{Lines: []dLine{line}, Text: map[oFold]*dBuyer{"B": nil, "A": &buyer, "C/": {}}}, []string{"body /text/C~1/name minLength"}},
		{input{Lines: []dLine{line}, Addrs: map[netip.Addr]dLine{netip.IPv6Loopback(): {"a", 0}}}, []string{"body /addrs/::1/n minimum"}},
		{input{Lines: []dLine{line}, Maybe: vRuled{dLine{"a", 1}}}, []string{"body /maybe/line/n multipleOf"}},
		{input{Lines: []dLine{line}, Maybe: vRuled{dLine{"a", 4}}}, []string{"body /maybe validate"}},
		{input{Lines: []dLine{line}, Leaf: []vCoded{{}, {"plain"}}}, []string{"body /leaf/1 validate"}},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			b := bindingOf(t, reflect.TypeFor[input]())
			err := b.checkValue(new(decoder), reflect.ValueOf(&test.in).Elem())
			if got := placesOf(err); !slices.Equal(got, test.want) {
				t.Errorf("%+v: %q, want %q", test.in, got, test.want)
			}
		})
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
		Few     map[string]billItem  `json:"few,omitempty" maxProperties:"10"`
	}
)

// Verify what a megabyte may cost that is refused in the end: a list is not stored
// beyond maxItems and a map not beyond maxProperties, nothing is stored once no more
// violations are kept, and a pattern is not tried on a text that is too long. The names of
// all members are kept in any case, since none may be there twice.
func TestMemoryOfInputsIsLimited(t *testing.T) {
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
		most       uint64 // MiB; twice as much where the names of an object are kept
	}{
		{"items", list("{}"), "/items maxItems", 8},
		{"ptr", list("{}"), "/ptr maxItems", 8},
		{"tags", list(`"a"`), "/tags maxItems", 8},
		{"unique", list("1"), "/unique maxItems", 8},
		{"any", list("{}"), "/any maxItems", 8},
		{"pair", list("{}"), "/pair maxItems", 8},
		{"few", members("{}", strconv.Itoa), "/few maxProperties", 16},
		{"few", members("1", strconv.Itoa), "/few/0 type", 16},
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
		_, rule, _ := strings.Cut(test.want, " ")
		t.Run(test.name+" "+rule, func(t *testing.T) {
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
		})
	}
}

type billQuery struct {
	Limited []string  `json:"limited,omitempty" maxItems:"10"`
	Wrong   []*uint16 `json:"wrong,omitempty"`
	Unique  []int     `json:"unique,omitempty" maxItems:"2" minItems:"2" uniqueItems:"true"`
}

// Verify the same of lists in a query.
func TestMemoryOfQueriesIsLimited(t *testing.T) {
	p := new(mistakes)
	c := newShapes(p)
	b := compileBinding(newDecoders(p, false), c.shapeFor(reflect.TypeFor[billQuery](), "T"), route{verb: "GET", path: "/"})
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
		t.Run(rowName(test.want), func(t *testing.T) {
			d := new(decoder)
			b.bindRequest(d, &requestValues{query: test.query})
			var before, after runtime.MemStats
			d.start(nil)
			runtime.ReadMemStats(&before)
			_, err := b.bindRequest(d, &requestValues{query: test.query})
			runtime.ReadMemStats(&after)
			if got := strings.Join(placesOf(err), ","); !strings.HasPrefix(got+",", test.want+",") || len(test.query) < 50 && got != test.want {
				t.Errorf("%.20s: %s, want %s", test.query, got, test.want)
			}
			if cost := (after.TotalAlloc - before.TotalAlloc) >> 10; cost > test.most {
				t.Errorf("%.20s costs %d KiB, over %d", test.query, cost, test.most)
			}
		})
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
	in := c.shapeFor(reflect.TypeFor[renamedIn](), "T")
	c.finishShapes()
	b := compileBinding(newDecoders(p, false), in, route{verb: "POST", path: "/", placeholders: []string{"todo/id"}})
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
		t.Run(rowName(test.path, test.query), func(t *testing.T) {
			_, err := b.bindRequest(new(decoder), &requestValues{path: renamedValues(test.path), query: test.query, body: []byte(test.body)})
			if got := strings.Join(placesOf(err), ","); got != test.rest {
				t.Errorf("%s?%s: %s, want %s", test.path, test.query, got, test.rest)
			}
			_, err = b.bindObject(new(decoder), []byte(test.object))
			if got := strings.Join(placesOf(err), ","); got != test.named {
				t.Errorf("%s: %s, want %s", test.object, got, test.named)
			}
		})
	}
}

// Verify what is said of a text that is not the base64 that svc takes.
func TestBase64Complaints(t *testing.T) {
	for text, want := range map[string]*complaint{
		"": nil, "AA==": nil, "AAA=": nil, "+/+/": nil,
		"AB==": errNotBase64, "AAB=": errNotBase64, // stray bits
		"AA": errNotBase64, "AAA": errNotBase64, // no padding
		"-_-_": errNotBase64, "-_": errNotBase64,
		"AA\n==": errNotBase64, "AAAA\r\n": errNotBase64,
		"A": errNotBase64, "A===": errNotBase64, "AA=A": errNotBase64, "*": errNotBase64, "é": errNotBase64,
	} {
		v := reflect.New(reflect.TypeFor[[]byte]()).Elem()
		if got := setBytes(nil, v, []byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

type anyIn struct {
	V any `json:"v"`
}

// Verify that a Go value which contains itself inside an any is refused.
func TestAnyContainsItself(t *testing.T) {
	object, list := map[string]any{}, []any{nil}
	object["a"], list[0] = []any{object}, list
	var pointer any
	pointer = &pointer
	b := bindingOf(t, reflect.TypeFor[anyIn]())
	for _, test := range []struct {
		name string
		v    any
		ok   bool
	}{
		{"none", map[string]any{"a": []any{1, "x", nil}}, true},
		{"object", object, false},
		{"list", list, false},
		{"pointer", pointer, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := b.checkValue(new(decoder), reflect.ValueOf(&anyIn{test.v}).Elem())
			if (err == nil) != test.ok || err != nil && CodeOf(err) != CodeInvalidArgument {
				t.Errorf("%T: %v, want it taken: %t", test.v, err, test.ok)
			}
		})
	}
}

// A nestedLoop returns a violation of its own at each level.
type nestedLoop struct {
	Next *nestedLoop `json:"next,omitempty"`
}

func (nestedLoop) Validate() error {
	return (&Error{Code: CodeInvalidArgument}).WithDetail("violations", []Violation{{Rule: "own"}})
}

// Verify that a value that contains itself is reported, and not what its Validate found.
func TestTooDeepHidesNestedErrors(t *testing.T) {
	b := bindingOf(t, reflect.TypeFor[nestedLoop]())
	loop := new(nestedLoop)
	loop.Next = loop
	err := b.checkValue(new(decoder), reflect.ValueOf(loop).Elem())
	if list := ErrorFrom(err).Violations(); len(list) != 1 || list[0].Rule != ruleSyntax {
		t.Errorf("%v has %v, want one violation of %s", err, list, ruleSyntax)
	}
}

// enumIn has types with a method Enum, and rules of items, wherever a value can be.
type enumIn struct {
	ID     sLevel            `json:"id" path:"id"`
	Color  sColor            `json:"color,omitempty" query:"color,omitempty"`
	Moods  []sMood           `json:"moods,omitempty" query:"moods,omitempty" maxItems:"2"`
	Words  []string          `json:"words,omitempty" query:"words,omitempty" minLength:"2" maxLength:"4" pattern:"^[a-z]*$"`
	Odds   []*float32        `json:"odds,omitempty" query:"odds,omitempty" maximum:"0.1"`
	Head   sMask             `json:"head,omitempty" header:"X-Head,omitempty"`
	Cookie *sColor           `json:"cookie,omitempty" cookie:"c,omitempty"`
	Body   sColor            `json:"body"`
	Pair   [2]string         `json:"pair,omitzero" enum:"x,y"`
	Map    map[sLevel]sColor `json:"map,omitempty"`
	Mood   map[sMood]*sMood  `json:"mood,omitempty"`
	Opt    Optional[sMood]   `json:"opt,omitzero"`
}

// Verify that Enum and the rules of items hold for every source of REST, for one
// object and for a Go value, with the same places, and that a client reads any value
// of an output.
func TestEnumSources(t *testing.T) {
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(reflect.TypeFor[enumIn](), "T")
	c.finishShapes()
	b := compileBinding(newDecoders(p, false), s, route{verb: "POST", path: "/", placeholders: []string{"id"}})
	outputs := newDecoders(p, false)
	outputs.outputs = true
	read := outputs.decoderFor(s)
	for _, err := range p.list {
		t.Fatal(err)
	}
	tenth := []*float32{new(float32), nil}
	*tenth[0] = 0.2
	blue, mood := sColor("blue"), sMood(0)
	var opt Optional[sMood]
	opt.Set(mood)
	for _, test := range []struct {
		path, query, head, cookie, body string
		object                          string // the same in one object
		value                           enumIn // and as a Go value
		want                            string
	}{
		{"7", "color=&moods=sad&words=ab&odds=0.1", "9223372036854775808", "b", `{"body":"","pair":["x","y"],"map":{"-1":"a"},"mood":{"glad":null},"opt":null}`,
			`{"id":7.0,"color":"","moods":["sad"],"words":["ab"],"odds":[0.1,null],"head":9223372036854775808,"cookie":"b","body":"\u0061"}`,
			enumIn{ID: 7, Words: []string{"ab"}}, ""},
		{"1", "color=blue", "2", "blue", `{"body":"c"}`,
			`{"id":1,"color":"blue","head":2,"cookie":"blue","body":"c"}`,
			enumIn{ID: 1, Color: blue, Head: 2, Cookie: &blue, Body: "c"},
			"path /id enum,query /color enum,header /X-Head enum,cookie /c enum,body /body enum"},
		{"0", "moods=sad&moods=SAD&words=ab&words=a&words=ABCDE&odds=0&odds=0.10000001", "1", "", `{"body":"a","pair":["x","z"],"map":{"1":"a","7":"A"},"mood":{"GLAD":"glad","sad":"x"},"opt":""}`,
			`{"id":0,"moods":["sad","SAD"],"words":["ab","a","ABCDE"],"odds":[0,0.10000001],"head":1,"body":"a","pair":["x","z"],"map":{"1":"a","7":"A"},"mood":{"GLAD":"glad","sad":"x"},"opt":""}`,
			enumIn{Moods: []sMood{2, mood}, Words: []string{"ab", "a", "ABCDE"}, Odds: []*float32{nil, tenth[0]}, Body: "a",
				Pair: [2]string{"x", "z"}, Map: map[sLevel]sColor{1: "a", 7: "A"}, Mood: map[sMood]*sMood{0: nil, 2: &mood}, Opt: opt},
			"query /moods/1 enum,query /words/1 minLength,query /words/2 maxLength,query /odds/1 maximum,body /pair/1 enum,body /map/1 enum,body /map/7 enum,body /mood/GLAD enum,body /mood/sad enum,body /opt enum"},
		{"x", "moods=sad&moods=x&moods=glad", "x", "", `{"body":1,"pair":["x"]}`,
			`{"id":"x","moods":["sad","x","glad"],"head":"x","body":1,"pair":["x"]}`,
			enumIn{},
			"path /id type,query /moods/1 enum,query /moods maxItems,header /X-Head type,body /body type,body /pair minItems"},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			d := new(decoder)
			header := map[string][]string{"X-Head": {test.head}}
			if test.cookie != "" {
				header["Cookie"] = []string{"c=" + test.cookie}
			}
			_, err := b.bindRequest(d, &requestValues{path: renamedValues(test.path), query: test.query, keepURL: true, header: header,
				body: []byte(test.body)})
			if got := strings.Join(placesOf(err), ","); got != test.want {
				t.Errorf("%s?%s %s: %s, want %s", test.path, test.query, test.body, got, test.want)
			}
			want := strings.NewReplacer("/X-Head", "/head", "/c enum", "/cookie enum").Replace(test.want)
			_, err = b.bindObject(d, []byte(test.object))
			if got := strings.Join(placesOf(err), ","); got != want {
				t.Errorf("%s: %s, want %s", test.object, got, want)
			}
			if strings.Contains(want, "type") {
				return // which no Go value can be
			}
			err = b.checkValue(d, reflect.ValueOf(&test.value).Elem())
			want = strings.NewReplacer("/mood/GLAD", "/mood/").Replace(want)
			if got := strings.Join(placesOf(err), ","); got != want {
				t.Errorf("%+v: %s, want %s", test.value, got, want)
			}
			d.start([]byte(test.object))
			if read(d, reflect.New(s.typ).Elem()); d.finish() != nil {
				t.Errorf("%s as an output: %v", test.object, d.finish())
			}
		})
	}
}

// Verify that values of any are looked through without memory for each of their items, and
// that a pool keeps no decoder that has become large.
func TestMemoryOfChecks(t *testing.T) {
	list := slices.Repeat([]any{"x"}, 1000)
	if n := testing.AllocsPerRun(5, func() { endsInTime(reflect.ValueOf(&list).Elem(), 0) }); n > 0 {
		t.Errorf("a list of 1,000 items takes %v allocations", n)
	}
	if d := (&decoder{seen: make([]bool, maxPooled+1)}); d.resetWithin(maxPooled) {
		t.Error("a decoder that had objects of many fields open is kept")
	}
}

type growIn struct {
	Items []growItem            `json:"items,omitempty"`
	Lists [][]growItem          `json:"lists,omitempty"`
	Named map[string][]growItem `json:"named,omitempty"`
	Text  string                `json:"text,omitempty"`
}

type growItem struct {
	A, B, C string `json:",omitempty"` // large, as append rounds the room for small ones up
}

// Verify that a list gets room for what the text can have, and for no more than eight times
// what it has: a body that goes on with something else must not take memory for elements
// that never come.
func TestListGrowth(t *testing.T) {
	b := bindingOf(t, reflect.TypeFor[growIn]())
	items := func(n int) string { return strings.Repeat(`{},`, n-1) + `{}` }
	for _, test := range []struct {
		name, text  string
		least, most int
	}{
		{"none", `{"items":[]}`, 0, 0},
		{"two", `{"items":[` + items(2) + `]}`, 2, 4},
		{"a hundred", `{"items":[` + items(100) + `]}`, 100, 112},
		{"five, and a long text", `{"items":[` + items(5) + `],"text":"` + strings.Repeat("x", 1<<20) + `"}`, 5, 40},
		{"five, with siblings", `{"lists":[` + strings.Repeat(`[`+items(5)+`],`, 20) + `[]]}`, 5, 9},
		{"five, with named siblings", `{"named":{"":[` + items(5) + `],"text":[{"A":"` + strings.Repeat("x", 1000) + `"}]}}`, 5, 9},
		{"five long ones", `{"items":[` + strings.Repeat(`{"A":"`+strings.Repeat("x", 1000)+`"},`, 4) + `{}]}`, 5, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, err := b.bindObject(new(decoder), []byte(test.text))
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				return
			}
			v := in.(*growIn)
			list := slices.Concat([][]growItem{v.Items}, v.Lists, [][]growItem{v.Named[""]})
			if n := cap(slices.MaxFunc(list, func(a, b []growItem) int { return cap(a) - cap(b) })); n < test.least || n > test.most {
				t.Errorf("%s: room for %d, want %d to %d", test.name, n, test.least, test.most)
			}
		})
	}
	batch := []byte(`[{"items":[` + items(5) + `]},` + items(100) + `]`)
	d := new(decoder)
	d.start(batch)
	d.scan.openBracket()
	if in, err := b.readObject(d); err != nil || cap(in.(*growIn).Items) > 9 {
		t.Errorf("five, with other inputs behind: %+v, %v", in, err)
	}
}

// Verify for each kind that a change of a copy is seen, and that a copy without one is the same.
func TestIsSameValue(t *testing.T) {
	type all struct {
		Bool  bool
		Int   int8
		Uint  uint16
		Float float32
		Wide  complex64
		Text  string
		List  []int
		Map   map[string]int
		Any   any
		Next  *int
		Array [2]int
		Func  func()
		inner struct{ ch chan int }
	}
	nan := math.NaN()
	was := all{Float: float32(nan), Wide: complex64(complex(nan, nan)), List: []int{1, 2}, Map: map[string]int{"a": 1}, Any: []int{1},
		Next: new(int), Func: func() {}}
	was.inner.ch = make(chan int)
	for _, test := range []struct {
		name   string
		change func(v *all)
		want   bool
	}{
		{"nothing", func(*all) {}, true},
		{"an element of a slice", func(v *all) { v.List[1]++ }, true},
		{"a member of a map", func(v *all) { v.Map["b"] = 2 }, true},
		{"behind a pointer", func(v *all) { *v.Next++ }, true},
		{"an equal string elsewhere", func(v *all) { v.Text = string([]byte{}) }, true},
		{"a bool", func(v *all) { v.Bool = true }, false},
		{"an int", func(v *all) { v.Int-- }, false},
		{"a uint", func(v *all) { v.Uint++ }, false},
		{"a float", func(v *all) { v.Float = 0 }, false},
		{"the sign of 0", func(v *all) { v.Wide = complex64(complex(nan, math.Copysign(0, -1))) }, false},
		{"a real part", func(v *all) { v.Wide = complex64(complex(1, nan)) }, false},
		{"a string", func(v *all) { v.Text = "a" }, false},
		{"a longer slice", func(v *all) { v.List = append(v.List[:1:2], 2, 3) }, false},
		{"a shorter slice", func(v *all) { v.List = v.List[:1] }, false},
		{"another slice", func(v *all) { v.List = []int{1, 2} }, false},
		{"no slice", func(v *all) { v.List = nil }, false},
		{"another map", func(v *all) { v.Map = map[string]int{"a": 1} }, false},
		{"another type in an any", func(v *all) { v.Any = "a" }, false},
		{"another slice in an any", func(v *all) { v.Any = []int{1} }, false},
		{"nothing in an any", func(v *all) { v.Any = nil }, false},
		{"another pointer", func(v *all) { v.Next = new(int) }, false},
		{"no pointer", func(v *all) { v.Next = nil }, false},
		{"an element of an array", func(v *all) { v.Array[1] = 1 }, false},
		{"another function", func(v *all) { v.Func = func() { v.Bool = true } }, false},
		{"no function", func(v *all) { v.Func = nil }, false},
		{"an unexported field", func(v *all) { v.inner.ch = nil }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			is := was
			test.change(&is)
			if got := isSameValue(reflect.ValueOf(is), reflect.ValueOf(was)); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
