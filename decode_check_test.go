package svc

import (
	"encoding/json"
	"net/netip"
	"reflect"
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
			"/id type,/buyer/name maxLength,/buyer/name pattern,/buyer/age maximum,/lines/0/sku required,/lines/0/n required,/lines/1/sku enum,/lines/1/n minimum,/lines/1/n multipleOf"},
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

		// A fault of the text is told alone, whatever else is wrong.
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
	}
}

// Verify that a duplicate in a text with white space and escapes around is found
// where it is, wherever that is: in a known field, an unknown one, an any.
func TestDuplicatePlaces(t *testing.T) {
	for _, c := range []*codec{compileFor[any](t), compileFor[map[string]any](t), compileFor[struct{}](t), compileFor[json.RawMessage](t), compileFor[oVerbatim](t), compileFor[struct{ A any }](t)} {
		for _, name := range []string{"A", "b", "", "a/b", "~", "é", `\"`, `\u0041`} {
			for _, around := range []string{`@`, `{"A":[1,@]}`, ` { "x" : { "y" : [ [ ] , @ ] } } `, `{"s":"{[\"","A":@}`, `{"A":{"A":{"A":@}}}`} {
				inner := `{"` + name + `":[{}],"` + name + `":0}`
				text := strings.Replace(around, "@", inner, 1)
				_, err := c.unmarshal([]byte(text))
				list := listOf(err)
				if len(list) != 1 || list[0].Rule != ruleDuplicate || !resolves([]byte(text), list[0].Path, false) || !strings.HasSuffix(list[0].Path, string(appendPointer(nil, unquote(name)))) {
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
	long := strings.Repeat("é", 10_000)
	member := func(i int) string { return `"` + strconv.Itoa(i) + `"` }
	var many, wide, deep []string
	for i := range 1000 {
		many = append(many, member(i)+`:"x"`)
		wide = append(wide, `"`+strconv.Itoa(i)+long+`":"x"`)
		deep = append(deep, `"`+strconv.Itoa(i)+strings.Repeat(`\u0001`, 100)+`":"x"`)
	}
	for _, test := range []struct {
		name, text  string
		least, most int // violations
		more        string
	}{
		{"one", `{"a":"x"}`, 1, 1, ""},
		{"32", "{" + strings.Join(many[:32], ",") + "}", 32, 32, "31 more"},
		{"33", "{" + strings.Join(many[:33], ",") + "}", 32, 32, "32 more"},
		{"1000", "{" + strings.Join(many, ",") + "}", 32, 32, "999 more"},
		{"long names", "{" + strings.Join(wide, ",") + "}", 32, 32, "999 more"},
		{"names that grow when quoted", "{" + strings.Join(deep, ",") + "}", 5, 25, "999 more"},
	} {
		_, err := compileFor[map[string]int](t).unmarshal([]byte(test.text))
		e := ErrorFrom(err)
		list := listOf(err)
		body := appendEnvelope(nil, e)
		if len(list) < test.least || len(list) > test.most || !strings.Contains(e.Message, test.more) || len(body) > 16<<10 {
			t.Errorf("%s: %d violations, %d bytes, %.200s; want %d to %d, %q", test.name, len(list), len(body), e.Message, test.least, test.most, test.more)
		}
		if err := checkText(body); err != nil {
			t.Errorf("%s: %s: %v", test.name, body, err)
		}
		for _, v := range list {
			if len(v.Path) > maxViolationPath {
				t.Errorf("%s: a path of %d bytes", test.name, len(v.Path))
			}
		}
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
		for _, value := range []string{`"hunter2"`, `["hunter2"]`, `{"a":"hunter2"}`, `"hunter2`, `hunter2`, `{"a":"hunter2",}`, `{"a":"hunter2","a":"hunter2"}`} {
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
	want := dDefaults{true, 7, "x", "", []int{1, 2}, map[string]int{"a": 1}, &three, nil, dLine{"a", 2}, []byte{1, 2}, time.Second, netip.MustParseAddr("1.2.3.4"), 5, map[string]any{"a": []any{1.0}}, 9, [2]int{1, 2}}
	first := decode(`{}`)
	if !reflect.DeepEqual(first, want) {
		t.Errorf("{} gives %+v, want %+v", first, want)
	}
	first.Slice[0], first.Map["a"], *first.Ptr, first.Bytes[0] = 9, 9, 9, 9
	first.Any.(map[string]any)["a"].([]any)[0] = 9.0
	if second := decode(`{}`); !reflect.DeepEqual(second, want) {
		t.Errorf("after the first was changed, {} gives %+v, want %+v", second, want)
	}
	zero := `{"bool":false,"int":0,"string":"","empty":"","slice":[],"map":{},"ptr":null,"null":0,"struct":{"sku":"b","n":4},"bytes":"","time":"0s","addr":"","quoted":"0","any":null,"opt":0,"pair":[0,0]}`
	if got := decode(zero); !reflect.DeepEqual(got, dDefaults{Slice: []int{}, Map: map[string]int{}, Null: new(int), Struct: dLine{"b", 4}, Bytes: []byte{}}) {
		t.Errorf("%s gives %+v", zero, got)
	}
	if _, err := c.unmarshal([]byte(`{"int":null}`)); !slices.Equal(placesOf(err), []string{"body /int type"}) {
		t.Errorf("null for a default: %v", err)
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
	}
}
