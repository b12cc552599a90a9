package svc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
)

// The types of the golden schemas. Read testdata/schema/*.json beside them.

type sScalars struct {
	String   string        `json:"string"`
	Bool     bool          `json:"bool"`
	Int      int           `json:"int"`
	Int8     int8          `json:"int8"`
	Int16    int16         `json:"int16"`
	Int32    int32         `json:"int32"`
	Int64    int64         `json:"int64"`
	Uint     uint          `json:"uint"`
	Uint8    uint8         `json:"uint8"`
	Uint16   uint16        `json:"uint16"`
	Uint32   uint32        `json:"uint32"`
	Uint64   uint64        `json:"uint64"`
	Float32  float32       `json:"float32"`
	Float64  float64       `json:"float64"`
	Time     time.Time     `json:"time"`
	Duration time.Duration `json:"duration"`
	Bytes    []byte        `json:"bytes"`
	Addr     netip.Addr    `json:"addr"`
	Number   json.Number   `json:"number"`
}

type sConstraints struct {
	Title    string    `json:"title" minLength:"1" maxLength:"80" doc:"What is to be done." example:"buy milk"`
	Slug     string    `json:"slug" pattern:"^[a-z]+(-[a-z]+)*$"`
	Color    string    `json:"color" enum:"red,green,blue" default:"red"`
	Size     int       `json:"size" enum:"1,2,4" default:"2"`
	Percent  float64   `json:"percent" minimum:"0" exclusiveMaximum:"100" multipleOf:"0.5"`
	Odd      int64     `json:"odd" exclusiveMinimum:"-3" maximum:"9007199254740993"`
	Small    uint8     `json:"small" maximum:"9" example:"3"`
	Tags     []string  `json:"tags" minItems:"1" maxItems:"3" uniqueItems:"true" default:"[\"new\"]"`
	Pair     [2]int    `json:"pair" uniqueItems:"true"`
	Email    string    `json:"email,omitempty" format:"email" doc:"Where to write to."`
	Nullable *string   `json:"nullable" maxLength:"5" doc:"May be null."`
	Optional *int      `json:"optional,omitempty" minimum:"1" default:"7"`
	When     time.Time `json:"when" default:"2006-01-02T15:04:05Z"`
	Whatever any       `json:"whatever" doc:"Any JSON." default:"{\"a\":[1]}"`
}

type sPointers struct {
	String *string         `json:"string"`
	Deep   ***int8         `json:"deep"`
	List   *[]*int         `json:"list"`
	Map    map[string]*int `json:"map"`
	Struct *sEmpty         `json:"struct" doc:"On a reference."`
	Any    *any            `json:"any"`
	Raw    json.RawMessage `json:"raw"`
	Own    *sOwn           `json:"own"`
	Silent *sSilent        `json:"silent"`
	Opt    *sEmpty         `json:"opt,omitzero"`
}

type sEmpty struct{}

// An sOwn says what it looks like; an sSilent does not.
type sOwn struct{ text string }

func (sOwn) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^own$", "maxLength": 3}
}
func (o sOwn) MarshalJSON() ([]byte, error)     { return json.Marshal(o.text) }
func (o *sOwn) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.text) }

type sSilent struct{ sOwnText }

type sOwnText struct{ text string }

func (o sOwnText) MarshalJSON() ([]byte, error)     { return json.Marshal(o.text) }
func (o *sOwnText) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.text) }

type sLists struct {
	Lists  [][]string               `json:"lists"`
	Fixed  [3]byte                  `json:"fixed"`
	Maps   []map[string]bool        `json:"maps"`
	Ints   map[int]string           `json:"ints"`
	Uints  map[uint8]string         `json:"uints"`
	Texts  map[netip.Addr]string    `json:"texts"`
	Inline []struct{ A int }        `json:"inline"`
	Nested map[string]map[int][]any `json:"nested"`
	Sized  *map[string]int8         `json:"sized" minProperties:"1" maxProperties:"3" doc:"Up to three."`
}

type sQuoted struct {
	Int    int         `json:"int,string"`
	Uint   *uint8      `json:"uint,string"`
	Float  float64     `json:"float,string,omitempty"`
	Number json.Number `json:"number,string"`
}

type sTree struct {
	Name   string            `json:"name"`
	Left   *sTree            `json:"left,omitempty" doc:"Smaller ones."`
	Kids   []sTree           `json:"kids"`
	ByName map[string]*sTree `json:"byName,omitempty"`
	Leaf   *sLeaf            `json:"leaf"`
}

type sLeaf struct {
	Tree *sTree `json:"tree"`
}

type sPage[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total" minimum:"0"`
}

type sEmbedding struct {
	*SRef
	SBase
	Title string `json:"title"`
}

type SBase struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created,omitzero"`
}

type SRef = SOther

type SOther struct {
	By string `json:"by"`
}

type sHidden struct {
	ID     string `json:"-" path:"id"`
	Filter string `json:"filter" query:"filter"`
	Secret string `json:"-"`
	Body   string `json:"body"`
}

type sOptional struct {
	Text   Optional[string] `json:"text,omitzero" minLength:"1" enum:"a,b" doc:"One of two." example:"a"`
	Tree   Optional[sTree]  `json:"tree,omitzero"`
	List   Optional[[]int8] `json:"list,omitzero" maxItems:"2"`
	Any    Optional[any]    `json:"any,omitzero"`
	Number Optional[int32]  `json:"number,omitzero" example:"null"`
}

// Types with a method Enum, each written in its own way.
type (
	sColor string
	sLevel int8
	sMask  uint64
	sMood  int // by its text
)

func (sColor) Enum() []sColor { return []sColor{"a", "b", ""} }
func (*sLevel) Enum() sLevels { return sLevels{-1, 0, 7} }
func (sMask) Enum() []sMask   { return []sMask{1, 1 << 63} }
func (sMood) Enum() []sMood   { return []sMood{2, 1} }

type sLevels []sLevel

func (m sMood) MarshalText() ([]byte, error) { return []byte([]string{"", "glad", "sad"}[m]), nil }

func (m *sMood) UnmarshalText(text []byte) error {
	*m = sMood(slices.Index([]string{"", "glad", "sad"}, strings.ToLower(string(text))))
	return nil
}

type sEnums struct {
	Color   sColor            `json:"color" default:"a" doc:"A color."`
	One     sColor            `json:"one" enum:"b"`
	Short   sColor            `json:"short,omitempty" minLength:"1" format:"color"`
	Level   sLevel            `json:"level" minimum:"0"`
	Levels  []sLevel          `json:"levels" maxItems:"2" uniqueItems:"true"`
	Mask    *sMask            `json:"mask" doc:"Bits."`
	Maybe   *sColor           `json:"maybe,omitempty"`
	Opt     Optional[sColor]  `json:"opt,omitzero"`
	Ones    *[]*sColor        `json:"ones,omitempty" enum:"a,b" minLength:"1"`
	Map     map[string]sColor `json:"map"`
	ByColor map[sColor]*int   `json:"byColor"`
	ByLevel map[sLevel]sLevel `json:"byLevel"`
	Mood    sMood             `json:"mood"`
	ByMood  map[sMood][]sMood `json:"byMood,omitempty"`
	Gladly  *[]sMood          `json:"gladly,omitempty" enum:"glad"`
}

// sItems has tags that are about the items of its lists.
type sItems struct {
	Tags    []string           `json:"tags" minItems:"1" minLength:"1" maxLength:"2" pattern:"^[a-z]*$" default:"[\"a\"]" doc:"Words."`
	Kinds   []string           `json:"kinds,omitempty" enum:"a,b" uniqueItems:"true"`
	Sizes   [2]int8            `json:"sizes" enum:"1,-2"`
	Weights []*float32         `json:"weights" exclusiveMinimum:"-1" maximum:"0.1"`
	Odds    *[]uint16          `json:"odds" minimum:"1" multipleOf:"2" format:"odd"`
	Mails   []string           `json:"mails,omitempty" format:"email"`
	Opt     Optional[[]string] `json:"opt,omitzero" maxItems:"3" maxLength:"1"`
}

func sinkTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[sScalars](), reflect.TypeFor[sConstraints](), reflect.TypeFor[sPointers](), reflect.TypeFor[sLists](),
		reflect.TypeFor[sQuoted](),
		reflect.TypeFor[sTree](), reflect.TypeFor[sLeaf](), reflect.TypeFor[sPage[sTree]](), reflect.TypeFor[sPage[map[string]*sLeaf]](),
		reflect.TypeFor[sEmbedding](), reflect.TypeFor[sHidden](), reflect.TypeFor[sOptional](),
		reflect.TypeFor[sEnums](), reflect.TypeFor[sItems](), reflect.TypeFor[sColor](), reflect.TypeFor[sMood](),
		reflect.TypeFor[[]sPage[int]](), reflect.TypeFor[*sEmpty](), reflect.TypeFor[any](),
	}
}

// Verify the schemas by eye: testdata/schema has each type in each dialect.
func TestSchemaGolden(t *testing.T) {
	component := func(s *shape) string {
		if (s.kind == kindObject || s.isEnum) && s.name != "" {
			return "#/components/schemas/" + s.name
		}
		return ""
	}
	for _, test := range []struct {
		file   string
		strict bool
		append func(dst []byte, s *shape) []byte
	}{
		{"2020-12", false, func(dst []byte, s *shape) []byte { return appendBundle(dst, s, schemaWriter{}) }},
		{"2020-12-strict", true, func(dst []byte, s *shape) []byte { return appendBundle(dst, s, schemaWriter{}) }},
		{"mcp", false, func(dst []byte, s *shape) []byte {
			return appendBundle(dst, s, schemaWriter{use: forToolInput})
		}},
		{"mcp-output", true, func(dst []byte, s *shape) []byte {
			return appendBundle(dst, s, schemaWriter{use: forToolOutput})
		}},
		{"openapi-3.1", false, func(dst []byte, s *shape) []byte { return appendComponent(dst, s, openAPI31, component) }},
		{"openapi-3.0", false, func(dst []byte, s *shape) []byte { return appendComponent(dst, s, openAPI30, component) }},
	} {
		t.Run(test.file, func(t *testing.T) {
			p := new(mistakes)
			c := newShapes(p)
			var all []*shape
			for _, typ := range sinkTypes() {
				all = append(all, c.shapeFor(typ, typ.String()))
				if test.strict {
					all[len(all)-1].closeObjects(make(map[*shape]bool))
				}
			}
			c.finishShapes()
			for _, err := range p.list {
				t.Fatal(err)
			}
			doc := openMembers(nil)
			for _, s := range all {
				doc.addName(s.typ.String())
				doc.buf = test.append(doc.buf, s)
			}
			text := doc.close()
			if err := checkText(text); err != nil {
				t.Errorf("%s: %v", test.file, err)
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, text, "", "\t"); err != nil {
				t.Fatalf("%s: %v\n%s", test.file, err, text)
			}
			indented.WriteByte('\n')
			golden(t, "schema/"+test.file+".json", indented.Bytes())
		})
	}
}

// appendComponent appends s as it is among the components of a document: itself
// in place, everything it refers to by reference.
func appendComponent(dst []byte, s *shape, d dialect, ref func(*shape) string) []byte {
	root := s
	w := schemaWriter{dialect: d, ref: func(s *shape) string {
		if s == root {
			root = nil
			return ""
		}
		return ref(s)
	}}
	return w.appendShape(dst, s)
}

// Verify that a map of a schema is the schema.
func TestSchemaMap(t *testing.T) {
	c := newShapes(new(mistakes))
	for _, typ := range sinkTypes() {
		s := c.shapeFor(typ, "T")
		c.finishShapes()
		text := appendBundle(nil, s, schemaWriter{})
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want map[string]any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := readSchema(appendBundle(nil, s, schemaWriter{})); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v\nwant %v", typ, got, want)
		}
	}
}

// fieldType returns a struct with one field, Field, of this type and tag.
func fieldType(typ reflect.Type, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "Field", Type: typ, Tag: reflect.StructTag(tag)}})
}

// mistakesOf returns what is wrong with a type as an input.
func mistakesOf(typ reflect.Type) []string {
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(typ, "In")
	c.finishShapes()
	c.checkUse(s, asInput, "In")
	newDecoders(p, false).decoderFor(s)
	var texts []string
	for _, err := range p.list {
		texts = append(texts, err.Error())
	}
	return texts
}

// Verify each constraint: what passes, what fails by which rule, and what is
// said then.
func TestConstraints(t *testing.T) {
	for _, test := range []struct {
		value      any // of the field's type
		tag        string
		pass, fail string // values of the field, separated by spaces
		message    string
	}{
		{"", `minLength:"2"`, `"ab" "abc" "éé" "\u0000\u0000"`, `"" "a" "é" "😀"`, "must have at least 2 characters"},
		{"", `minLength:"1"`, `"a"`, `""`, "must have at least 1 character"},
		{"", `minLength:"0"`, `"" "a"`, ``, ""},
		{"", `maxLength:"2"`, `"" "ab" "éé" "😀😀"`, `"abc" "ééé" "e\u0301\u0301"`, "must have at most 2 characters"},
		{"", `maxLength:"0"`, `""`, `"a"`, "must have at most 0 characters"},
		{oID(""), `maxLength:"1"`, `"a"`, `"ab"`, "must have at most 1 character"},
		{"", `pattern:"^a+$"`, `"a" "aa"`, `"" "b" "ab"`, "must match the pattern ^a+$"},
		{"", `pattern:"b"`, `"abc"`, `"a"`, "must match the pattern b"},
		{"", `format:"date"`, `"2024-02-29"`, `"" "2023-02-29" "2024-2-29"`, "must be a date, such as 2026-01-02"},
		{oID(""), `format:"uuid"`, `"123e4567-e89b-42d3-a456-426614174000"`, `"123"`, "must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000"},
		{new(*string), `format:"ipv6"`, `"::1"`, `"127.0.0.1"`, "must be an IPv6 address, such as 2001:db8::1"},
		{"", `format:"phone"`, `"" "a"`, ``, ""},
		{0, `format:"email"`, `0`, ``, ""},
		{"", `enum:"a,b"`, `"a" "b"`, `"" "A" "ab" "a,b"`, "must be one of a, b"},
		{"", `enum:",a"`, `"" "a"`, `"b"`, `must be one of "", a`},
		{0, `enum:"1,-2"`, `1 1.0 1e0 -2 -20e-1`, `0 2 -1`, "must be one of 1, -2"},
		{uint8(0), `enum:"0,255"`, `0 -0 255`, `1`, "must be one of 0, 255"},
		{0.0, `enum:"0.5,1e3"`, `0.5 5e-1 1000 1e3`, `0.25 1001`, "must be one of 0.5, 1e3"},
		{float32(0), `enum:"0.1"`, `0.1 0.10`, `0.2`, "must be one of 0.1"},
		{int64(0), `enum:"9007199254740993"`, `9007199254740993`, `9007199254740992 9007199254740994`, "must be one of 9007199254740993"},
		{0, `minimum:"1"`, `1 2 1.0`, `0 -1 -0`, "must be at least 1"},
		{int64(0), `minimum:"9007199254740993"`, `9007199254740993 9223372036854775807`, `9007199254740992`, "must be at least 9007199254740993"},
		{int8(0), `minimum:"-128"`, `-128 0`, ``, ""},
		{uint64(0), `minimum:"18446744073709551615"`, `18446744073709551615`, `18446744073709551614 0`, "must be at least 18446744073709551615"},
		{0.0, `minimum:"0.1"`, `0.1 1e-1 1`, `0.09 0 -1`, "must be at least 0.1"},
		{float32(0), `minimum:"0.1"`, `0.1 0.2`, `0.09 0.0999999999999`, "must be at least 0.1"},
		{float32(0), `maximum:"0.1"`, `0.1 1e-1`, `0.1000000001 0.10000001`, "must be at most 0.1"},
		{new(*float32), `exclusiveMinimum:"0.1"`, `0.1000000001`, `0.1 0.0999999999`, "must be more than 0.1"},
		{float32(0), `exclusiveMaximum:"16777217"`, `16777216 16777216.9`, `16777217`, "must be less than 16777217"},
		{float32(0), `enum:"0.1,16777217"`, `16777217 0.1`, `16777216 0.10000000149`, "must be one of 0.1, 16777217"},
		{0, `minimum:"1" maximum:"1"`, `1`, ``, ""},
		{0.5, `minimum:"-0.5" maximum:"0.5" multipleOf:"0.5"`, `0 0.5`, ``, ""},
		{0, `exclusiveMinimum:"1" exclusiveMaximum:"3"`, `2`, ``, ""},
		{0, `exclusiveMinimum:"1"`, `2`, `1 1.0 0`, "must be more than 1"},
		{0.0, `exclusiveMinimum:"0"`, `5e-324 1`, `0 -0 -0.0`, "must be more than 0"},
		{0, `maximum:"1e2"`, `100 1e2`, `101 1e3`, "must be at most 1e2"},
		{0.0, `maximum:"1.5"`, `1.5 -7`, `1.6`, "must be at most 1.5"},
		{uint(0), `exclusiveMaximum:"10"`, `0 9`, `10 11`, "must be less than 10"},
		{0, `multipleOf:"3"`, `0 3 -6 9`, `1 -2`, "must be a multiple of 3"},
		{int64(0), `multipleOf:"2"`, `-9223372036854775808`, `9223372036854775807`, "must be a multiple of 2"},
		{uint64(0), `multipleOf:"5"`, `18446744073709551615`, `18446744073709551614`, "must be a multiple of 5"},
		{0.0, `multipleOf:"0.1"`, `0 0.1 0.3 0.7 -1.1 1e20 1e300`, `0.05 0.31`, "must be a multiple of 0.1"},
		{float32(0), `multipleOf:"0.01"`, `0.07 1.13 19.99`, `0.001`, "must be a multiple of 0.01"},
		{[]int(nil), `minItems:"1"`, `[1] [1,2]`, `[]`, "must have at least 1 item"},
		{[]int(nil), `maxItems:"1"`, `[] [1]`, `[1,2]`, "must have at most 1 item"},
		{map[string]int(nil), `minProperties:"1"`, `{"a":1} {"a":1,"b":2}`, `{}`, "must have at least 1 member"},
		{map[int8]int(nil), `maxProperties:"1"`, `{} {"1":1}`, `{"1":1,"2":2}`, "must have at most 1 member"},
		{new(map[string]int), `maxProperties:"0"`, `{} null`, `{"a":1}`, "must have at most 0 members"},
		{Optional[map[string]int]{}, `minProperties:"2"`, `{"a":1,"b":2} null`, `{"a":1}`, "must have at least 2 members"},
		{[]string(nil), `uniqueItems:"true"`, `[] ["a","A","é"]`, `["a","a"] ["a","b","\u0061"]`, "must not have the same item twice"},
		{[]int(nil), `uniqueItems:"true"`, `[1,2]`, `[1,1.0] [0,-0]`, "must not have the same item twice"},
		{[]float64(nil), `uniqueItems:"true"`, `[1,1.5]`, `[1,1.0] [0,-0.0] [0.1,1e-1]`, "must not have the same item twice"},
		{[2]bool{}, `uniqueItems:"true"`, `[true,false]`, `[true,true]`, "must not have the same item twice"},
		{[]string(nil), `uniqueItems:"true" enum:"a,b" minItems:"2"`, `["b","a"]`, `["a","a"]`, "must not have the same item twice"},
		{[]bool(nil), `uniqueItems:"true" minItems:"2"`, `[true,false]`, `[true,true]`, "must not have the same item twice"},
		{[]bool(nil), `uniqueItems:"true" minItems:"2"`, `[true,false]`, `[true,false,true]`, "must not have the same item twice"},
		{new(string), `minLength:"1"`, `"a" null`, `""`, "must have at least 1 character"},
		{new(*int), `minimum:"1"`, `1 null`, `0`, "must be at least 1"},
		{new([]int), `maxItems:"1"`, `[] [1] null`, `[1,2]`, "must have at most 1 item"},
		{new(string), `enum:"a"`, `"a" null`, `"b"`, "must be one of a"},
		{Optional[string]{}, `minLength:"1"`, `"a" null`, `""`, "must have at least 1 character"},
		{Optional[float32]{}, `maximum:"0.1"`, `0.1 null`, `0.10000000001`, "must be at most 0.1"},
		{Optional[[]int]{}, `maxItems:"1"`, `[] [1] null`, `[1,2]`, "must have at most 1 item"},
		{Optional[string]{}, `enum:"a"`, `"a" null`, `"b"`, "must be one of a"},
		{sMood(0), `enum:"glad"`, `"glad" "gla\u0064"`, `"sad" "GLAD" "mad" ""`, "must be one of glad"},
		{netip.Addr{}, `enum:"::1,192.0.2.1"`, `"::1" "192.0.2.1"`, `"192.0.2.2" "0::1"`, "must be one of ::1, 192.0.2.1"},
		{new(netip.Addr), `enum:"::1" example:"::1"`, `"::1" null`, `"::2"`, "must be one of ::1"},
		{sColor(""), `enum:"b"`, `"b" "\u0062"`, `"a" "c" ""`, "must be one of b"},
		{sColor(""), `maxLength:"0"`, `""`, `"a"`, "must have at most 0 characters"},
		{sLevel(0), `minimum:"0"`, `0 7.0`, `-1`, "must be at least 0"},
	} {
		t.Run(rowName(reflect.TypeOf(test.value), test.tag, test.fail), func(t *testing.T) {
			c := compileType(t, test.tag, fieldType(reflect.TypeOf(test.value), `json:"f,omitzero" `+test.tag), false)
			keyword, _, _ := strings.Cut(test.tag, ":")
			for _, value := range strings.Fields(test.pass) {
				if _, err := c.unmarshal([]byte(`{"f":` + value + `}`)); err != nil {
					t.Errorf("%T %s: %s is refused: %v", test.value, test.tag, value, err)
				}
			}
			for _, value := range strings.Fields(test.fail) {
				_, err := c.unmarshal([]byte(`{"f":` + value + `}`))
				want := []Violation{{In: "body", Path: "/f", Rule: keyword, Message: test.message}}
				if text, _ := lookupTag(reflect.StructTag(test.tag), keyword); keyword != ruleEnum && isNumberText(text) {
					want[0].Limit = json.Number(text)
				}
				want[0].Empty = keyword == "minLength" && value == `""`
				if got := listOf(err); !slices.Equal(got, want) {
					t.Errorf("%T %s: %s gives %v, want %v", test.value, test.tag, value, got, want)
				}
			}
		})
	}
}

func listOf(err error) []Violation {
	if err == nil {
		return nil
	}
	list, _ := ErrorFrom(err).Details["violations"].([]Violation)
	return list
}

// Verify what is said of tags that cannot be: testdata/schema/mistakes.txt. Read
// it as the author of the mistake.
func TestTagMistakes(t *testing.T) {
	var out bytes.Buffer
	for _, test := range []struct {
		value any
		tag   string
	}{
		{0, `minLength:"1"`},
		{[]bool(nil), `minLength:"1"`},
		{[][]string(nil), `minLength:"1"`},
		{map[string]string(nil), `pattern:"a"`},
		{[]string(nil), `minLength:"2" maxLength:"1"`},
		{[]string(nil), `enum:"a,b" pattern:"a"`},
		{[]string(nil), `pattern:"("`},
		{[]string(nil), `enum:"a" default:"[\"b\"]"`},
		{[2]*int8{}, `enum:"1,300"`},
		{[]uint8{}, `enum:"1"`},
		{[]time.Time(nil), `format:"date"`},
		{sColor(""), `enum:"a,c"`},
		{sColor(""), `enum:"a" default:"b"`},
		{sColor(""), `default:"c"`},
		{sColor(""), `minLength:"2"`},
		{sColor(""), `minimum:"2"`},
		{sLevel(0), `json:",string"`},
		{sMood(0), `enum:"glad,mad"`},
		{sMood(0), `enum:"glad, sad"`},
		{[]sMood(nil), `enum:"glad,glad"`},
		{map[sOdd]int{}, ``},
		{[]*sOdd{}, `enum:"odd"`},
		{sOdd(""), `example:"five" enum:"even"`},
		{sOddJSON{}, `example:"\"odd\""`},
		{0, `example:"1.5"`},
		{0, `example:"5" maximum:"3"`},
		{"", `example:"abc" maxLength:"2"`},
		{sEnumRead(0), `enum:"a"`},
		{netip.Addr{}, `pattern:"a" patternHint:"an a"`},
		{sMood(0), `default:"GLAD"`},
		{[]sLevel(nil), `enum:"7,8"`},
		{[]*sColor(nil), `minLength:"2"`},
		{[]sColor(nil), `default:"[\"a\",\"A\"]"`},
		{sEnumNone(""), ``},
		{sEnumTwice(0), ``},
		{sEnumTexts(""), ``},
		{map[sEnumTexts]int(nil), ``},
		{sEnumPanics(""), ``},
		{sEnumBytes(""), ``},
		{sEnumFloat(0), ``},
		{sEnumBool(false), ``},
		{sEnumRead(0), ``},
		{sEnumFails(0), ``},
		{sEnumJSON(0), ``},
		{"", `minLength:"-1"`},
		{"", `minLength:"+1"`},
		{"", `minLength:"01"`},
		{"", `minLength:"1.0"`},
		{"", `minLength:""`},
		{"", `minLength:"99999999999999999999"`},
		{"", `maxLength:"many"`},
		{"", `minlength:"1"`},
		{"", `maxlength:""`},
		{0, `multipleof:"1"`},
		{[]string(nil), `uniqueitems:"true"`},
		{0, `exclusiveminimum:"1"`},
		{0, `pattern:"a"`},
		{"", `pattern:"("`},
		{"", `pattern:"(?i)a"`},
		{"", `pattern:"[\\d-z]"`},
		{"", `minimum:"1"`},
		{time.Duration(0), `minimum:"1"`},
		{json.Number(""), `minimum:"1"`},
		{0, `minimum:"one"`},
		{0, `minimum:"1.5"`},
		{0, `minimum:"+1"`},
		{0, `minimum:"01"`},
		{0, `minimum:" 1"`},
		{0, `minimum:"99999999999999999999"`},
		{int8(0), `minimum:"-129"`},
		{int8(0), `maximum:"128"`},
		{uint8(0), `maximum:"256"`},
		{uint(0), `minimum:"-1"`},
		{uint64(0), `maximum:"18446744073709551616"`},
		{0.0, `minimum:"NaN"`},
		{0.0, `minimum:"1e400"`},
		{float32(0), `maximum:"1e39"`},
		{0.0, `minimum:"0x10"`},
		{0, `multipleOf:"0"`},
		{0, `multipleOf:"-2"`},
		{0, `multipleOf:"0.5"`},
		{0.0, `multipleOf:"0.0"`},
		{0.0, `multipleOf:"x"`},
		{"", `enum:"a,a"`},
		{0, `enum:"1,2,1"`},
		{0, `enum:"1,1.0"`},
		{0.0, `enum:"0.1,1e-1"`},
		{0, `enum:"a"`},
		{0, `enum:""`},
		{int8(0), `enum:"1,300"`},
		{true, `enum:"true"`},
		{"", `minItems:"1"`},
		{[2]int{}, `minItems:"1"`},
		{map[string]int(nil), `maxItems:"1"`},
		{[]int(nil), `minItems:"-1"`},
		{[]int(nil), `uniqueItems:"yes"`},
		{[]int(nil), `uniqueItems:"false"`},
		{[]any(nil), `uniqueItems:"true"`},
		{[][]int(nil), `uniqueItems:"true"`},
		{0, `json:",string" minimum:"1"`},
		{0, `default:"x"`},
		{0, `default:"1.5"`},
		{int8(0), `default:"128"`},
		{0, `default:"1" minimum:"2"`},
		{"", `default:"" minLength:"1"`},
		{"", `default:"c" enum:"a,b"`},
		{[]string(nil), `default:"a"`},
		{[]string(nil), `default:"[1]"`},
		{time.Time{}, `default:"now"`},
		{0, `default:"null"`},
		{struct{ A int }{}, `default:"{}"`},
		{0, `example:"one"`},
		{any(nil), `default:"{"`},
		{1.5, `default:"abc"`},
		{true, `default:"yes"`},
		{new(int), `default:"abc"`},
		{struct{ A int }{}, `default:"abc"`},
		{0, `minimum:"2" maximum:"1"`},
		{0, `exclusiveMinimum:"1" exclusiveMaximum:"1"`},
		{0.5, `minimum:"1" exclusiveMaximum:"1"`},
		{0.5, `exclusiveMinimum:"1" maximum:"1"`},
		{"", `minLength:"3" maxLength:"2"`},
		{[]int(nil), `minItems:"3" maxItems:"2"`},
		{"", `enum:"a,bcd,b" maxLength:"2"`},
		{"", `enum:"a,b" pattern:"^a$"`},
		{0, `enum:"1,5" maximum:"3"`},
		{float32(0), `enum:"0.1,0.5" exclusiveMaximum:"0.5"`},
		{"", `enum:"a, b"`},
		{"", `enum:"a ,b"`},
		{0, `enum:"1, 2"`},
		{0, `Default:"1"`},
		{make(chan int), ``},
		{func() {}, `json:"f"`},
		{1i, ``},
		{map[bool]int{}, ``},
		{map[float64]int{}, ``},
		{map[[2]int]int{}, ``},
		{[]map[struct{ A int }]int{}, ``},
		{new(fmt.Stringer), ``},
		{Optional[int]{}, `json:"f"`},
		{Optional[int]{}, `json:"f,omitempty"`},
		{Optional[int]{}, `json:"f,omitzero" default:"1"`},
		{Optional[int]{}, `json:"f,omitzero" minLength:"1"`},
		{Optional[int]{}, `json:"f,omitzero" example:"one"`},
		{Optional[int]{}, `json:"-" header:"X,omitempty"`},
		{Optional[*int]{}, `json:"f,omitzero"`},
		{Optional[Optional[int]]{}, `json:"f,omitzero"`},
		{Optional[chan int]{}, `json:"f,omitzero"`},
		{new(Optional[int]), `json:"f,omitempty"`},
		{[]Optional[int]{}, ``},
		{[2]Optional[int]{}, ``},
		{map[string]Optional[int]{}, ``},
		{oFailing(0), ``},
		{oFailingText(0), ``},
		{map[oFailingText]int{}, ``},
	} {
		typ := reflect.TypeOf(test.value)
		switch {
		case typ == nil:
			typ = reflect.TypeFor[any]()
		case typ == reflect.TypeFor[*fmt.Stringer]():
			typ = typ.Elem()
		}
		fmt.Fprintf(&out, "Field %v `%s`\n", typ, test.tag)
		texts := mistakesOf(fieldType(typ, test.tag))
		if len(texts) == 0 && test.tag != `Default:"1"` {
			t.Errorf("Field %v `%s` is not refused", typ, test.tag)
		}
		for _, text := range texts {
			fmt.Fprintf(&out, "\t%s\n", text)
		}
	}
	golden(t, "schema/mistakes.txt", out.Bytes())
}

// Types whose method Enum cannot be right.
type (
	sEnumNone   string
	sEnumTwice  int
	sEnumTexts  string
	sEnumPanics string
	sEnumBytes  string
	sEnumFloat  float64
	sEnumBool   bool
	sEnumRead   int
	sEnumFails  int
	sEnumJSON   int
)

func (sEnumNone) Enum() []sEnumNone             { return nil }
func (sEnumTwice) Enum() []sEnumTwice           { return []sEnumTwice{1, 2, 1} }
func (sEnumTexts) Enum() []string               { return []string{"a"} }
func (sEnumPanics) Enum() []sEnumPanics         { panic("no values") }
func (sEnumBytes) Enum() []sEnumBytes           { return []sEnumBytes{"a", "\xff"} }
func (sEnumFloat) Enum() []sEnumFloat           { return []sEnumFloat{1} }
func (sEnumBool) Enum() []sEnumBool             { return []sEnumBool{true} }
func (sEnumRead) Enum() []sEnumRead             { return []sEnumRead{1} }
func (*sEnumRead) UnmarshalText([]byte) error   { return nil }
func (sEnumFails) Enum() []sEnumFails           { return []sEnumFails{1} }
func (sEnumFails) MarshalText() ([]byte, error) { return nil, errors.New("no text") }
func (*sEnumFails) UnmarshalText([]byte) error  { return nil }
func (sEnumJSON) Enum() []sEnumJSON             { return []sEnumJSON{1} }
func (sEnumJSON) MarshalJSON() ([]byte, error)  { return nil, nil }
func (*sEnumJSON) UnmarshalJSON([]byte) error   { return nil }

// Types with a method Enum that is about something else, and one that describes
// itself by JSONSchema.
type (
	sEnumOther  int
	sEnumWords  int
	sEnumStruct struct{ A int }
	sEnumOwn    struct{ sText }
)

func (sEnumOther) Enum() *sEnumOther          { return nil } // as generated for Protocol Buffers
func (sEnumWords) Enum(s string) []sEnumWords { return nil }
func (sEnumStruct) Enum() []sEnumStruct       { return nil }
func (sEnumOwn) Enum() []sEnumOwn             { return nil }
func (sEnumOwn) JSONSchema() map[string]any   { return map[string]any{"type": "string"} }

type (
	sCaseA struct{ Title, TITLE int }
	sCaseB struct {
		A int `json:"s"`
		B int `json:"ſ"`
	}
	sTwice struct {
		A int `json:"x"`
		B int `path:"x"`
	}
	sPathTwice struct {
		A int `path:"id"`
		B int `path:"id" json:"b"`
	}
	sQueryTwice struct {
		A int `query:"q" json:"a"`
		B int `query:"q" json:"b"`
	}
	sPointerBase struct {
		*sUnexported
		B int
	}
	sNamedBase struct {
		sUnexported `json:"base"`
		B           int
	}
	sUnexported struct{ A int }
	sSelfList   []sSelfList
	sSelfMap    map[string]sSelfMap
	sSelfPtr    *sSelfPtr
	sEndless    struct {
		Kids []sEndless `json:"kids" minItems:"1"`
	}
	sEndlessA struct {
		B []sEndlessB `json:"b" minItems:"1"`
	}
	sEndlessB struct {
		As []sEndlessA `json:"as" minItems:"2"`
	}
	sBounded struct {
		Kids []sBounded `json:"kids,omitempty" minItems:"1"`
		Next *sBounded  `json:"next"`
	}
	sLoopDefault struct {
		Next *sLoopDefault `json:"next" default:"{}"`
	}
	sNullDefault struct {
		Next *sNullDefault  `json:"next" default:"null"`
		Kids []sNullDefault `json:"kids" default:"[]"`
	}
	sLeafDefault struct {
		Next *sLeafDefault `json:"next" default:"{\"next\":null}"`
		N    int           `json:"n" default:"5"`
	}
	sPanicking struct{}
	sNoJSON    struct{}
)

// Types whose JSONSchema cannot be published inside other schemas, and one that
// does not say what its text methods do.
type (
	sRef      struct{ sText }
	sDefs     struct{ sText }
	sTextType struct{ sText }
	sText     struct{}
)

func (sText) MarshalText() ([]byte, error) { return nil, nil }
func (*sText) UnmarshalText([]byte) error  { return nil }
func (sRef) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": "#/components/schemas/Other"}}}}}
}
func (sDefs) JSONSchema() map[string]any {
	return map[string]any{"not": map[string]any{"$defs": map[string]any{}}}
}
func (sTextType) JSONSchema() map[string]any { return map[string]any{"type": "integer"} }

func (sPanicking) JSONSchema() map[string]any   { panic("no receiver") }
func (sPanicking) MarshalJSON() ([]byte, error) { return nil, nil }
func (*sPanicking) UnmarshalJSON([]byte) error  { return nil }
func (sNoJSON) JSONSchema() map[string]any      { return map[string]any{"x": make(chan int)} }
func (sNoJSON) MarshalJSON() ([]byte, error)    { return nil, nil }
func (*sNoJSON) UnmarshalJSON([]byte) error     { return nil }

// Structs without a name that contain themselves, by lists that have one.
type (
	sUnnamedA []struct {
		Kids sUnnamedA `json:"kids"`
	}
	sUnnamedB []struct {
		Kids sUnnamedB `json:"kids"`
		N    bool      `json:"n"`
	}
	sUnnamed struct {
		A sUnnamedA `json:"a"`
		B sUnnamedB `json:"b"`
		C Type      `json:"c"`
	}
	Type struct {
		C *Type `format:"email"` // which an object does not have
	}
)

// A type that is met again, by a list with a rule, before it is complete.
type sEarly struct {
	Pointer  *[]sEarly                     `json:"pointer,omitempty" maxItems:"3"`
	Optional Optional[[]map[string]sEarly] `json:"optional,omitzero" minItems:"1"`
}

type (
	sDay     struct{ time.Time } // says that it is a date, and takes what a time.Time takes
	sOdd     string              // writes a text that it does not read
	sOddJSON struct{ sOdd }      // likewise, as JSON
)

func (sDay) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "format": "date", "examples": []string{"2026-11-23T00:00:00Z", "2026-11-23"}}
}

func (sOdd) Enum() []sOdd                   { return []sOdd{"even", "odd"} }
func (o sOdd) MarshalText() ([]byte, error) { return []byte(o), nil }
func (o *sOdd) UnmarshalText(text []byte) error {
	if *o = sOdd(text); *o == "odd" {
		panic("odd")
	}
	return nil
}

func (sOddJSON) JSONSchema() map[string]any {
	return map[string]any{"enum": []any{"even", 5}, "const": "odd", "default": "", "example": nil, "examples": []any{map[string]any{}}}
}
func (sOddJSON) MarshalJSON() ([]byte, error) { return []byte(`"odd"`), nil }
func (*sOddJSON) UnmarshalJSON(text []byte) error {
	if string(text) != `"even"` {
		return fmt.Errorf("%s is odd", text)
	}
	return nil
}

// Verify that the examples of types whose errors are those of the standard library are read.
func TestExamplesRefused(t *testing.T) {
	for _, test := range []struct {
		value     any
		tag, want string
	}{
		{sDay{}, ``, `svc.sDay.JSONSchema has "2026-11-23" in examples, which is refused: `},
		{[]sDay{}, `example:"[\"2026-11-23\"]"`, `In.Field: the example ["2026-11-23"] is refused: /0 `},
		{netip.Addr{}, `enum:"192.0.2.1,localhost"`, `In.Field: the value "localhost" of the enum is refused: `},
		{[]netip.Addr{}, `enum:"192.0.2.1,localhost"`, `In.Field: the value "localhost" of the enum is refused: `},
		{netip.Addr{}, `example:"192.0.2.256"`, `In.Field: the example "192.0.2.256" is refused: `},
		{netip.Addr{}, `enum:"192.0.2.1,2001:db8::1" example:"192.0.2.1"`, ""},
		{time.Time{}, `example:"2026-11-23T10:00:00Z"`, ""},
	} {
		t.Run(fmt.Sprintf("%T %s", test.value, test.tag), func(t *testing.T) {
			p := new(mistakes)
			c := newShapes(p)
			s := c.shapeFor(fieldType(reflect.TypeOf(test.value), test.tag), "In")
			c.finishShapes()
			newDecoders(p, false).decoderFor(s)
			got := ""
			for _, err := range p.list {
				got += err.Error() + "\n"
			}
			if !strings.Contains(got, test.want) || test.want == "" && got != "" || strings.Count(got, "\n") > 2 {
				t.Errorf("mistakes %q, want %q", got, test.want)
			}
			before := len(p.list)
			outputs := newDecoders(p, false)
			outputs.outputs = true
			if outputs.decoderFor(s); len(p.list) != before {
				t.Errorf("of an output: %v", p.list[before:])
			}
		})
	}
}

// Verify which characters names of types have.
func TestIsNameRune(t *testing.T) {
	const names = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	for r := rune(0); r <= unicode.MaxLatin1; r++ {
		if got := isNameRune(r); got != strings.ContainsRune(names, r) {
			t.Errorf("isNameRune(%q) is %t", r, got)
		}
	}
}

// Verify that structs without a name that contain themselves are told apart, in
// schemas that need nothing beside them and among components.
func TestUnnamedRecursive(t *testing.T) {
	c := newShapes(new(mistakes))
	s := c.shapeFor(reflect.TypeFor[sUnnamed](), "T")
	c.finishShapes()
	const defs = `"SvcType":{"type":"object","properties":{"C":{"anyOf":[{"$ref":"#/$defs/SvcType"},{"type":"null"}]}},"required":["C"]},` +
		`"Type":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Type"}}},"required":["kids"]},` +
		`"Type2":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Type2"}},"n":{"type":"boolean"}},"required":["kids","n"]}`
	want := `{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/Type"}},"b":{"type":"array","items":{"$ref":"#/$defs/Type2"}},` +
		`"c":{"$ref":"#/$defs/SvcType"}},"required":["a","b","c"],"$defs":{` + defs + `}}`
	if got := string(appendBundle(nil, s, schemaWriter{})); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	names := make(map[*shape]string)
	for _, s := range c.named {
		names[s] = s.name
	}
	all := newComponents(openAPI31, names, nil)
	all.referShape(s)
	got := object("schemas", all.writeSchemas())
	for _, want := range strings.SplitAfter(strings.ReplaceAll(defs, "$defs", "components/schemas"), `]},"`) {
		if want = strings.TrimSuffix(want, `,"`); !strings.Contains(string(got), want) {
			t.Errorf("%s\nis without %s", got, want)
		}
	}
}

// Verify what is said of whole types that cannot be.
func TestTypeProblems(t *testing.T) {
	var out bytes.Buffer
	for _, typ := range []reflect.Type{
		reflect.TypeFor[sCaseA](), reflect.TypeFor[sCaseB](), reflect.TypeFor[sTwice](), reflect.TypeFor[sPathTwice](),
		reflect.TypeFor[sQueryTwice](),
		reflect.TypeFor[sPointerBase](), reflect.TypeFor[sNamedBase](), reflect.TypeFor[sSelfList](), reflect.TypeFor[sSelfMap](),
		reflect.TypeFor[sSelfPtr](), reflect.TypeFor[struct{ A **sSelfPtr }](),
		reflect.TypeFor[sEndless](), reflect.TypeFor[sEndlessA](), reflect.TypeFor[sLoopDefault](), reflect.TypeFor[sPanicking](),
		reflect.TypeFor[sNoJSON](),
		reflect.TypeFor[url.URL](), reflect.TypeFor[sync.Mutex](), reflect.TypeFor[struct{ URL *url.URL }](), reflect.TypeFor[sRef](),
		reflect.TypeFor[sDefs](), reflect.TypeFor[sTextType](),
		reflect.TypeFor[struct {
			A chan int
			B []struct{ C map[string]complex64 }
		}](),
	} {
		fmt.Fprintf(&out, "%v\n", typ)
		texts := mistakesOf(typ)
		if len(texts) == 0 {
			t.Errorf("%v is not refused", typ)
		}
		for _, text := range texts {
			fmt.Fprintf(&out, "\t%s\n", text)
		}
	}
	golden(t, "schema/types.txt", out.Bytes())
	for _, typ := range []reflect.Type{
		reflect.TypeFor[sBounded](), reflect.TypeFor[sNullDefault](), reflect.TypeFor[sLeafDefault](), reflect.TypeFor[sTree](),
		reflect.TypeFor[big.Int](), reflect.TypeFor[struct{ _ int }](),
		reflect.TypeFor[struct{ A, b chan int }](),
		reflect.TypeFor[sEnumOther](), reflect.TypeFor[sEnumWords](), reflect.TypeFor[sEnumStruct](), reflect.TypeFor[sEnumOwn](),
	} {
		texts := mistakesOf(typ)
		if strings.Contains(typ.String(), "chan") { // A is seen, b is not
			texts = texts[1:]
		}
		if len(texts) > 0 {
			t.Errorf("%v is refused: %q", typ, texts)
		}
	}
}

// Types that say by JSONSchema what their texts are.
type (
	sTicket struct{ sText } // in the words of 3.0.3
	sHost   struct{ sText } // with names that look like references
	sConst  struct{ sText } // with a keyword that 3.0.3 lacks
	sNot    struct{ sText } // with a schema that nothing may be left out of
)

func (sTicket) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[A-Z]{2}$", "x-kind": map[string]any{"$comment": "no schema"}}
}
func (sHost) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "format": "hostname", "properties": map[string]any{"$ref": map[string]any{}},
		"x-like": map[string]any{"$ref": "x"}}
}
func (sConst) JSONSchema() map[string]any {
	return map[string]any{"description": "Always x.", "type": "string", "not": map[string]any{"const": "y"}}
}

// Verify that a type with text methods is published as its JSONSchema says and read
// from a string all the same, and what of that 3.0.3 can say.
func TestTextSchema(t *testing.T) {
	for _, test := range []struct {
		typ        reflect.Type
		json, oa30 string // "" for the same
	}{
		{reflect.TypeFor[sTicket](), `{"pattern":"^[A-Z]{2}$","type":"string","x-kind":{"$comment":"no schema"}}`, ""},
		{reflect.TypeFor[sHost](), `{"format":"hostname","properties":{"$ref":{}},"type":"string","x-like":{"$ref":"x"}}`, ""},
		{reflect.TypeFor[sConst](), `{"description":"Always x.","not":{"const":"y"},"type":"string"}`, `{"description":"Always x.","type":"string"}`},
	} {
		t.Run(test.typ.String(), func(t *testing.T) {
			c := newShapes(new(mistakes))
			s := c.shapeFor(fieldType(test.typ, `json:"f"`), "In")
			c.finishShapes()
			for dialect, want := range map[dialect]string{jsonSchema: test.json, openAPI31: test.json, openAPI30: cmp.Or(test.oa30, test.json)} {
				w := &schemaWriter{dialect: dialect}
				if got := string(w.appendField(nil, s.fields[0])); got != want {
					t.Errorf("%v, dialect %d: %s, want %s", test.typ, dialect, got, want)
				}
				if got := string(w.appendPathParameter(nil, s.fields[0])); got != want {
					t.Errorf("%v in a path, dialect %d: %s, want %s", test.typ, dialect, got, want)
				}
			}
			for text, ok := range map[string]bool{`"x"`: true, `1`: false, `null`: false} {
				if _, err := compileType(t, "text", s.typ, false).unmarshal([]byte(`{"f":` + text + `}`)); (err == nil) != ok || len(c.list) > 0 {
					t.Errorf("%v from %s: %v, %v", test.typ, text, err, c.list)
				}
			}
		})
	}
}

type sFar struct{ A **sFar }

type sNear []*struct {
	A sNear `maxItems:"3"`
}

type sTitled string

func (sTitled) Enum() []sTitled      { return []sTitled{"a", "b", "c"} }
func (sTitled) EnumTitles() []string { return []string{"A", "B", "C"} }

// Verify that values which a tag chooses among those of Enum have their own titles.
func TestTitlesOfFewer(t *testing.T) {
	s := newShapes(new(mistakes)).shapeFor(reflect.TypeFor[struct {
		One  sTitled   `enum:"c,b" maxLength:"1"`
		Some []sTitled `enum:"c"`
		All  sTitled   `maxLength:"1"`
	}](), "T")
	for i, want := range []string{
		`{"type":"string","oneOf":[{"const":"c","title":"C"},{"const":"b","title":"B"}],"maxLength":1}`,
		`{"type":"array","items":{"anyOf":[{"const":"c","title":"C"}]}}`,
		`{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"},{"const":"c","title":"C"}],"maxLength":1}`,
	} {
		t.Run(s.fields[i].goName, func(t *testing.T) {
			if got := string(forForm.appendFor(nil, (&schemaWriter{use: forForm}).appendField(nil, s.fields[i]))); got != want {
				t.Errorf("%s: %s, want %s", s.fields[i].goName, got, want)
			}
		})
	}
}

// Verify that a value which breaks the Enum of its type and the tags of its field is told
// both, as JSON, in a query and as a Go value.
func TestEnumBesideTags(t *testing.T) {
	type in struct {
		A sTitled `query:"A" minLength:"1"`
	}
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(reflect.TypeFor[in](), "In")
	c.finishShapes()
	b := compileBinding(newDecoders(p, false), s, route{verb: "GET", path: "/x"})
	if len(p.list) > 0 {
		t.Fatal(p.list)
	}
	_, object := b.bindObject(new(decoder), []byte(`{"A":""}`))
	_, query := b.bindRequest(new(decoder), &requestValues{query: "A="})
	for _, err := range []error{object, query, b.checkValue(new(decoder), reflect.ValueOf(new(in)).Elem())} {
		if got := strings.Join(placesOf(err), ", "); got != "query /A enum, query /A minLength" {
			t.Errorf("%s: %v", got, err)
		}
	}
}

// Verify which types are told to contain themselves.
func TestRecursive(t *testing.T) {
	for _, test := range []struct {
		typ  reflect.Type
		want bool
	}{
		{reflect.TypeFor[oNode](), true},
		{reflect.TypeFor[oEven](), true},
		{reflect.TypeFor[oOdd](), true},
		{reflect.TypeFor[sTree](), true},
		{reflect.TypeFor[sLeaf](), true},
		{reflect.TypeFor[sPage[sTree]](), false}, // it leads to one, and is none
		{reflect.TypeFor[oPair[int, oPair[int, int]]](), false},
		{reflect.TypeFor[sScalars](), false},
		{reflect.TypeFor[struct{ A, B sEmpty }](), false},
		{reflect.TypeFor[sEarly](), true},
		{reflect.TypeFor[struct {
			P *[]sEarly
			O Optional[[]map[string]sEarly] `json:",omitzero"`
		}](), false},
		{reflect.TypeFor[struct{ A **sFar }](), false}, // which is met again while both pointers are open
		{reflect.TypeFor[sFar](), true},
		{reflect.TypeFor[struct{ A sNear }](), false},
	} {
		t.Run(test.typ.String(), func(t *testing.T) {
			c := newShapes(new(mistakes))
			s := c.shapeFor(test.typ, "T")
			c.finishShapes()
			if s.recursive != test.want || len(c.list) > 0 {
				t.Errorf("%v recursive: %t, want %t; %q", test.typ, s.recursive, test.want, c.list)
			}
		})
	}
}

type (
	Größe          struct{ A int }
	日本             struct{}
	sTODO          struct{}
	Stodo          struct{}
	IP             string // as in package net
	Addr           string // as in package netip
	Pair[A, B any] struct {
		A A
		B B
	}
)

// Verify the names of types in documents: testdata/schema/names.txt. They are
// legal, different, and the same each time.
func TestComponentNames(t *testing.T) {
	type local struct{ A int }
	name := func() (out []string) {
		c := newShapes(new(mistakes))
		for _, typ := range []reflect.Type{
			reflect.TypeFor[sTree](), reflect.TypeFor[Pair[int, string]](), reflect.TypeFor[Pair[sTree, []*sTree]](),
			reflect.TypeFor[Pair[map[string]int, any]](),
			reflect.TypeFor[Pair[Pair[int, bool], big.Int]](), reflect.TypeFor[Pair[[]*sTree, sTree]](), reflect.TypeFor[Pair[*sTree, sTree]](),
			reflect.TypeFor[Größe](),
			reflect.TypeFor[sTODO](), reflect.TypeFor[Stodo](), reflect.TypeFor[IP](), reflect.TypeFor[Addr](), reflect.TypeFor[oTexts](),
			reflect.TypeFor[local](), reflect.TypeFor[日本](),
			reflect.TypeFor[Pair[local, struct{ A int }]](), reflect.TypeFor[sPage[sPage[int]]](), reflect.TypeFor[[]sScalars](),
			reflect.TypeFor[map[oID]*sLeaf](), reflect.TypeFor[oStd](),
		} {
			c.shapeFor(typ, "T")
		}
		c.finishShapes()
		for _, s := range c.all {
			if s.name != "" {
				out = append(out, s.typ.PkgPath()+" "+s.typ.Name()+": "+s.name)
			}
		}
		return out
	}
	got := name()
	for range 20 {
		if again := name(); !slices.Equal(got, again) {
			t.Fatalf("the names are %q, and then %q", got, again)
		}
	}
	seen := make(map[string]bool)
	for _, line := range got {
		_, name, _ := strings.Cut(line, ": ")
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name) || seen[strings.ToLower(name)] {
			t.Errorf("a bad name, or one of another type: %s", line)
		}
		seen[strings.ToLower(name)] = true
	}
	// The compiler numbers local types, in the order of all in the package.
	numbered := regexp.MustCompile(`(local·|PairLocal)[0-9]+`)
	golden(t, "schema/names.txt", numbered.ReplaceAll([]byte(strings.Join(got, "\n")+"\n"), []byte("${1}1")))
}

// sEnum says of itself that it has an enum, and sUnion that it has two types.
type sEnum struct{ json.Marshaler }

func (sEnum) JSONSchema() map[string]any {
	return map[string]any{"type": "integer", "enum": []int{1, 2}}
}

type sUnion struct{ json.Marshaler }

func (sUnion) JSONSchema() map[string]any {
	return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "integer"}}}
}

// sNested says everything of itself that can be said.
type sNested struct{ json.Marshaler }

func (sNested) JSONSchema() map[string]any {
	return map[string]any{
		"type": "object", "required": []string{"format"}, "minProperties": 1, "additionalProperties": false,
		"properties": map[string]any{
			"format": map[string]any{"type": "string", "format": "uuid", "minLength": 1},
			"at":     map[string]any{"type": "string", "format": "date-time", "description": "When."},
			"list":   map[string]any{"type": "array", "maxItems": 2, "items": map[string]any{"type": "integer", "format": "int32", "enum": []int{1}}},
			"any":    map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": "a"}, map[string]any{"oneOf": []any{true}}}},
		},
	}
}

// Verify what MCP clients get of the schema of a field: of an input what all hosts take, and of an
// output all.
func TestSchemaForTools(t *testing.T) {
	for _, test := range []struct {
		in            any // a struct with one field, A
		input, output string
	}{
		{struct{ A int }{}, `{"type":"integer"}`, `{"type":"integer"}`},
		{struct{ A int64 }{}, `{"type":"integer"}`, `{"type":"integer"}`},
		{struct{ A int32 }{}, `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`, `{"type":"integer"}`},
		{struct{ A uint8 }{}, `{"type":"integer","minimum":0,"maximum":255}`, `{"type":"integer"}`},
		{struct{ A uint64 }{}, `{"type":"integer","minimum":0}`, `{"type":"integer"}`},
		{struct {
			A uint64 `format:"wide"`
		}{}, `{"type":"integer","minimum":0}`, `{"type":"integer"}`},
		{struct{ A float32 }{}, `{"type":"number"}`, `{"type":"number"}`},
		{struct {
			A float32 `minimum:"0"`
		}{}, `{"type":"number","minimum":0}`, `{"type":"number"}`},
		{struct{ A []byte }{}, `{"type":"string","contentEncoding":"base64","pattern":"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"}`, `{"type":"string"}`},
		{struct{ A time.Time }{}, `{"type":"string","format":"date-time"}`, `{"type":"string"}`},
		{struct {
			A string `format:"email" minLength:"1" enum:"a@b.c,d@e.f" doc:"One."`
		}{}, `{"type":"string","enum":["a@b.c","d@e.f"],"minLength":1,"description":"One."}`, `{"type":"string","description":"One (one of a@b.c, d@e.f)."}`},
		{struct {
			A string `format:"date-time"`
		}{}, `{"type":"string","format":"date-time"}`, `{"type":"string"}`},
		{struct{ A [2]bool }{}, `{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}`, `{"type":"array","items":{"type":"boolean"}}`},
		{struct {
			A *string `json:",omitempty" pattern:"a"`
		}{}, `{"type":"string","pattern":"a"}`, `{"type":"string"}`},
		{struct {
			A *string `json:",omitempty" nullable:"false"`
		}{}, `{"type":"string"}`, ""},
		{struct {
			A *string `json:",omitempty" mcpheader:"A"` // which cannot be in an anyOf
		}{}, `{"type":"string","x-mcp-header":"A"}`, `{"type":"string"}`},
		{struct {
			A *sMirrored `json:",omitempty"`
		}{}, `{"type":"object","properties":{"at":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B"}},"required":["b"]}},"required":["at"]}`, `{"type":"object","properties":{"at":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}},"required":["at"]}`},
		{struct {
			A *string `query:"a,omitempty"` // which an output does not leave out
		}{}, `{"type":"string"}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`},
		{struct {
			A **string `json:",omitempty"` // which can lead to null
		}{}, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, ""},
		{struct {
			A *string `maxLength:"1"`
		}{}, `{"anyOf":[{"type":"string","maxLength":1},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`},
		{struct {
			A float64 `json:",string"`
		}{}, `{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$"}`, `{"type":"string"}`},
		{struct{ A sEnum }{}, `{"type":"integer","description":"must be one of 1, 2"}`, `{"type":"integer","description":"one of 1, 2"}`},
		{struct{ A sNot }{}, `{"type":"string","description":"must fit the JSON Schema {\"not\":{\"format\":\"email\",\"type\":\"string\"}}"}`, `{"type":"string"}`},
		{struct{ A sNested }{}, `{"minProperties":1,"properties":{"any":{"anyOf":[{"pattern":"a","type":"string"},true]},"at":{"description":"When.","format":"date-time","type":"string"},"format":{"minLength":1,"type":"string","description":"a UUID, such as 123e4567-e89b-42d3-a456-426614174000"},"list":{"items":{"type":"integer","description":"must be 1"},"maxItems":2,"type":"array"}},"required":["format"],"type":"object"}`,
			`{"properties":{"any":{"anyOf":[{"type":"string"},{"anyOf":[true]}]},"at":{"description":"When.","type":"string"},"format":{"type":"string"},"list":{"items":{"type":"integer","description":"one of 1"},"type":"array"}},"required":["format"],"type":"object"}`},
	} {
		t.Run(fmt.Sprintf("%T", test.in), func(t *testing.T) {
			c := newShapes(new(mistakes))
			s := c.shapeFor(reflect.TypeOf(test.in), "in")
			c.finishShapes()
			if err := errors.Join(c.list...); err != nil {
				t.Fatalf("%T: %v", test.in, err)
			}
			if test.output == "" {
				test.output = test.input
			}
			if got := string(forToolInput.appendFor(nil, (&schemaWriter{use: forToolInput}).appendField(nil, s.fields[0]))); got != test.input {
				t.Errorf("%T: input %s\nwant %s", test.in, got, test.input)
			}
			if got := string(forToolOutput.appendFor(nil, (&schemaWriter{use: forToolOutput}).appendField(nil, s.fields[0]))); got != test.output {
				t.Errorf("%T: output %s\nwant %s", test.in, got, test.output)
			}
		})
	}
}

type sMirrored struct {
	At struct {
		B string `json:"b" mcpheader:"B"`
	} `json:"at"`
}

func (sNot) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "not": map[string]any{"type": "string", "format": "email"}}
}

// Verify what a schema says of a field in each dialect, where the tags and the
// type both have something to say.
func TestSchemaBounds(t *testing.T) {
	for _, test := range []struct {
		in         any // a struct with one field, A
		json, oa30 string
	}{
		{struct{ A uint8 }{}, `{"type":"integer","format":"int32","minimum":0,"maximum":255}`, ""},
		{struct {
			A uintptr `maximum:"9"`
		}{}, `{"type":"integer","format":"int64","minimum":0,"maximum":9}`, ""},
		{struct {
			A uint8 `maximum:"9"`
		}{}, `{"type":"integer","format":"int32","minimum":0,"maximum":9}`, ""},
		{struct {
			A int32 `format:"port"`
		}{}, `{"type":"integer","format":"port","minimum":-2147483648,"maximum":2147483647}`, ""},
		{struct {
			A uint64 `minimum:"9223372036854775808"`
		}{}, `{"type":"integer","maximum":18446744073709551615,"minimum":9223372036854775808}`, ""},
		{struct {
			A float32 `format:"percent"`
		}{}, `{"type":"number","format":"percent","minimum":-3.4028235677973366e38,"maximum":3.4028235677973366e38}`, ""},
		{struct {
			A uint64 `format:"wide" minimum:"1"`
		}{}, `{"type":"integer","format":"wide","maximum":18446744073709551615,"minimum":1}`, ""},
		{struct {
			A float64 `exclusiveMinimum:"0"`
		}{}, `{"type":"number","format":"double","exclusiveMinimum":0}`, `{"type":"number","format":"double","minimum":0,"exclusiveMinimum":true}`},
		{struct {
			A float64 `minimum:"0" exclusiveMinimum:"0"`
		}{}, `{"type":"number","format":"double","exclusiveMinimum":0}`, `{"type":"number","format":"double","minimum":0,"exclusiveMinimum":true}`},
		{struct {
			A float64 `minimum:"1" exclusiveMinimum:"0"`
		}{}, `{"type":"number","format":"double","minimum":1}`, ""},
		{struct {
			A float64 `maximum:"1" exclusiveMaximum:"2"`
		}{}, `{"type":"number","format":"double","maximum":1}`, ""},
		{struct {
			A float64 `maximum:"2" exclusiveMaximum:"1"`
		}{}, `{"type":"number","format":"double","exclusiveMaximum":1}`, `{"type":"number","format":"double","maximum":1,"exclusiveMaximum":true}`},
		{struct{ A *[]int8 }{}, `{"anyOf":[{"type":"array","items":{"type":"integer","format":"int32","minimum":-128,"maximum":127}},{"type":"null"}]}`,
			`{"type":"array","items":{"type":"integer","format":"int32","minimum":-128,"maximum":127},"nullable":true,` +
				`"anyOf":[{"type":"array","nullable":true,"enum":[null],"items":{}},{"type":"array","items":{"type":"integer","format":"int32","minimum":-128,"maximum":127}}]}`},
		{struct{ A int }{}, `{"type":"integer","format":"int64"}`, `{"type":"integer","format":"int32"}`},
		{struct{ A int32 }{}, `{"type":"integer","format":"int32","minimum":-2147483648,"maximum":2147483647}`, `{"type":"integer","format":"int32"}`},
		{struct {
			A int32 `minimum:"1"`
		}{}, `{"type":"integer","format":"int32","maximum":2147483647,"minimum":1}`, `{"type":"integer","format":"int32","minimum":1}`},
		{struct {
			A *string `enum:"a,b" doc:"One."`
		}{}, `{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}],"description":"One."}`,
			`{"type":"string","enum":["a","b",null],"nullable":true,"anyOf":[{"type":"string","nullable":true,"enum":[null]},{"type":"string","enum":["a","b"]}],"description":"One."}`},
		{struct{ A *sEnum }{}, `{"anyOf":[{"enum":[1,2],"type":"integer"},{"type":"null"}]}`,
			`{"enum":[1,2,null],"type":"integer","nullable":true,"anyOf":[{"type":"integer","nullable":true,"enum":[null]},{"enum":[1,2],"type":"integer"}]}`},
		{struct{ A *sUnion }{}, `{"anyOf":[{"oneOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]}`,
			`{"anyOf":[{"type":"object","nullable":true,"enum":[null]},{"oneOf":[{"type":"string"},{"type":"integer"}]}]}`},
		{struct{ A map[uint8]bool }{},
			`{"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]{0,2})$"},"additionalProperties":{"type":"boolean"}}`,
			`{"type":"object","additionalProperties":{"type":"boolean"}}`},
	} {
		t.Run(fmt.Sprintf("%T", test.in), func(t *testing.T) {
			c := newShapes(new(mistakes))
			s := c.shapeFor(reflect.TypeOf(test.in), "in")
			if err := errors.Join(c.list...); err != nil {
				t.Fatalf("%T: %v", test.in, err)
			}
			if test.oa30 == "" {
				test.oa30 = test.json
			}
			if got := string((&schemaWriter{}).appendField(nil, s.fields[0])); got != test.json {
				t.Errorf("%T: JSON Schema %s\nwant %s", test.in, got, test.json)
			}
			if got := string((&schemaWriter{dialect: openAPI30}).appendField(nil, s.fields[0])); got != test.oa30 {
				t.Errorf("%T: 3.0.3 %s\nwant %s", test.in, got, test.oa30)
			}
		})
	}
}

// Verify that a path parameter is a string in 3.0.3, whatever its type, with an
// enum or a pattern of its spelling.
func TestSchemaPathParameter(t *testing.T) {
	const integer = `{"type":"string","pattern":"^-?(0|[1-9][0-9]*)$"`
	const number = `{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$"`
	for _, test := range []struct {
		in   any // a struct with one field, A
		want string
	}{
		{struct{ A int }{}, integer + "}"},
		{struct{ A uint8 }{}, integer + "}"},
		{struct {
			A int64 `json:",string"`
		}{}, integer + "}"},
		{struct {
			A int `minimum:"1" maximum:"9" multipleOf:"2" example:"4" default:"2"`
		}{}, integer + `,"example":"4"}`},
		{struct {
			A int `enum:"1,1e2,-0,-5.0"`
		}{}, `{"type":"string","enum":["1","100","0","-5"]}`},
		{struct {
			A uint64 `enum:"18446744073709551615"`
		}{}, `{"type":"string","enum":["18446744073709551615"]}`},
		{struct {
			A float32 `minimum:"1"`
		}{}, number + "}"},
		{struct {
			A float64 `enum:"0.5,1e3"`
		}{}, `{"type":"string","enum":["0.5","1e3"]}`},
		{struct{ A bool }{}, `{"type":"string","enum":["true","false"]}`},
		{struct {
			A string `enum:"a,b"`
		}{}, `{"type":"string","enum":["a","b"]}`},
		{struct{ A sLevel }{}, `{"type":"string","enum":["-1","0","7"]}`},
		{struct {
			A sLevel `enum:"0,7e0"`
		}{}, `{"type":"string","enum":["0","7"]}`},
		{struct{ A sMood }{}, `{"type":"string","enum":["sad","glad"]}`},
		{struct{ A time.Time }{}, `{"type":"string","format":"date-time"}`},
	} {
		t.Run(fmt.Sprintf("%T", test.in), func(t *testing.T) {
			c := newShapes(new(mistakes))
			s := c.shapeFor(reflect.TypeOf(test.in), "in")
			if err := errors.Join(c.list...); err != nil {
				t.Fatalf("%T: %v", test.in, err)
			}
			if got := string((&schemaWriter{dialect: openAPI30}).appendPathParameter(nil, s.fields[0])); got != test.want {
				t.Errorf("%T: %s\nwant %s", test.in, got, test.want)
			}
		})
	}
}

// Verify that tags which would publish what the type cannot keep are refused.
func TestSchemaRefusesTags(t *testing.T) {
	for _, test := range []struct {
		in   any
		want string // part of the mistake; "" if there is none
	}{
		{struct {
			A uint8 `maximum:"255"`
		}{}, ""},
		{struct {
			A uint8 `maximum:"256"`
		}{}, `maximum:"256"`},
		{struct {
			A uint8 `minimum:"-1"`
		}{}, `minimum:"-1"`},
		{struct {
			A int8 `exclusiveMinimum:"-129"`
		}{}, `exclusiveMinimum:"-129"`},
		{struct {
			A int16 `enum:"1,40000"`
		}{}, `enum:"1,40000"`},
		{struct {
			A int `enum:"1,1.0"`
		}{}, `enum:"1,1.0"`},
		{struct {
			A float64 `enum:"10,1e1"`
		}{}, `enum:"10,1e1"`},
		{struct {
			A string `enum:"1,1.0"`
		}{}, ""},
		{struct {
			A time.Time `format:"date"`
		}{}, `format:"date" has no effect`},
		{struct {
			A time.Time `format:"date-time"`
		}{}, ""},
		{struct {
			A []byte `format:"binary"`
		}{}, `format:"binary" has no effect`},
	} {
		t.Run(fmt.Sprintf("%T", test.in), func(t *testing.T) {
			c := newShapes(new(mistakes))
			c.shapeFor(reflect.TypeOf(test.in), "in")
			got := ""
			if err := errors.Join(c.list...); err != nil {
				got = err.Error()
			}
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%T: %q, want %q", test.in, got, test.want)
			}
		})
	}
}

// Verify that only Go's own numbers get what needs them: a kind of another Go type, such as
// big.Int, has no bounds, no rules about numbers, and no json:",string".
func TestKindsOfNumbers(t *testing.T) {
	for k := range kindFile + 1 {
		s := &shape{typ: reflect.TypeFor[big.Int](), kind: k, elem: new(shape)}
		f := &field{shape: s}
		if newShapes(new(mistakes)).applyOptions(f, "string"); f.quoted && !k.isNumeric() {
			t.Errorf("kind %d: json:\",string\" fits", k)
		}
		if k.isMachineInteger() || k == kindFloat {
			continue
		}
		if isBoundable(s) {
			t.Errorf("kind %d: rules about numbers fit", k)
		}
		if format, low, high := s.formatAndBounds(openAPI31); format != kindFormats[k] || low+high != "" {
			t.Errorf("kind %d: the format is %q from %q to %q", k, format, low, high)
		}
	}
}

// Verify that a text is an integer by the pattern of a type if it is a name that the decoder
// takes for one, but for its bounds.
func TestIntegerPattern(t *testing.T) {
	for _, zero := range []any{int8(0), uint8(0), int16(0), uint16(0), int32(0), uint32(0), int64(0), uint64(0)} {
		t.Run(fmt.Sprintf("%T", zero), func(t *testing.T) {
			s := newShapes(new(mistakes)).shapeFor(reflect.TypeOf(zero), "T")
			re, err := compilePattern(s.numberPattern())
			if err != nil {
				t.Fatal(err)
			}
			set, v := setterFor(s, isPlainInteger), reflect.New(s.typ).Elem()
			check := func(text string) {
				c := set(nil, v, []byte(text))
				if got, want := re.MatchString(text), c == nil; got != want && !(got && c.rule == ruleRange) {
					t.Errorf("%q: pattern %s says %t, the decoder %t", text, re, got, want)
				}
			}
			for _, text := range []string{"", "-", "-0", "00", "01", "+1", "1.0", "1e0", " 1", "1 ", "--1", "1\n"} {
				check(text)
			}
			for n := range int64(70000) {
				check(strconv.FormatInt(n, 10))
				check(strconv.FormatInt(-n, 10))
			}
			low, high := s.integerBounds()
			for _, bound := range []string{low, high} {
				n, _ := new(big.Int).SetString(bound, 10)
				for _, exponent := range []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9} {
					step := new(big.Int).Exp(big.NewInt(10), big.NewInt(exponent), nil)
					for k := int64(-12); k <= 12; k++ {
						check(new(big.Int).Add(n, new(big.Int).Mul(step, big.NewInt(k))).String())
					}
				}
			}
		})
	}
}

// Verify the pattern of base64 and the bound of floats of 32 bits against the decoder.
func TestExactPatterns(t *testing.T) {
	re, err := compilePattern(base64Pattern)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 64))
	taken := 0
	for range 20000 {
		text := make([]byte, random.IntN(9))
		for i := range text {
			text[i] = "AQgwEIMb+/=-\n"[random.IntN(13)]
		}
		want := setBytes(nil, reflect.New(reflect.TypeFor[[]byte]()).Elem(), text) == nil
		if got := re.Match(text); got != want {
			t.Errorf("%q: pattern %t, decoder %t", text, got, want)
		}
		if want {
			taken++
		}
	}
	if taken < 200 {
		t.Errorf("only %d texts were base64", taken)
	}
	bound, _ := strconv.ParseFloat(float32Bound, 64)
	above := strconv.FormatFloat(math.Nextafter(bound, math.Inf(1)), 'g', -1, 64)
	for text, want := range map[string]bool{float32Bound: true, "-" + float32Bound: true, above: false, "-" + above: false} {
		if got := setFloat(32)(new(decoder), reflect.New(reflect.TypeFor[float32]()).Elem(), []byte(text)) == nil; got != want {
			t.Errorf("%s fits into a float of 32 bits: %t", text, got)
		}
	}
}

// Verify recursiveShapes and endlessObjects against plain searches over random small graphs.
func TestRecursiveObjects(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		all := make([]*shape, 1+random.IntN(6))
		for i := range all {
			all[i] = &shape{kind: kindObject}
		}
		for _, s := range all {
			for range random.IntN(3) {
				elem := all[random.IntN(len(all))]
				atLeast := ruleSet{{role: roleLeast, count: random.IntN(2)}}
				shapes := []*shape{elem, {kind: kindPointer, elem: elem}, {kind: kindSlice, elem: elem, constraints: constraints{rules: atLeast}},
					{kind: kindMap, elem: elem, key: &shape{kind: kindString}}}
				s.fields = append(s.fields, &field{shape: shapes[random.IntN(4)], optional: random.IntN(3) == 0})
			}
		}
		endless := endlessObjects(all)
		recursive, _ := recursiveShapes(all)
		for i, s := range all {
			if got := recursive[s]; got != reaches(s, s, false) {
				t.Fatalf("object %d of %d contains itself: %t", i, len(all), got)
			}
			if want := slices.ContainsFunc(all, func(e *shape) bool { return (e == s || reaches(s, e, true)) && reaches(e, e, true) }); endless[s] != want {
				t.Fatalf("object %d of %d: endless %t, want %t", i, len(all), endless[s], want)
			}
		}
	}
}

// reaches is the plain search for a way from one object to another. With must it uses
// only fields that always hold an object.
func reaches(from, to *shape, must bool) bool {
	done := make(map[*shape]bool)
	var below func(e *shape) bool
	below = func(e *shape) bool {
		for _, f := range e.fields {
			next := f.shape
			if next.kind != kindObject {
				next = next.elem
			}
			if must && (f.optional || f.shape.kind != kindObject && (f.shape.kind != kindSlice || f.shape.rules[0].count == 0)) {
				continue
			}
			if next == to {
				return true
			}
			if !done[next] {
				done[next] = true
				if below(next) {
					return true
				}
			}
		}
		return false
	}
	return below(from)
}

// The time for a struct must grow with its fields, and not with their square.
func BenchmarkFields(b *testing.B) {
	for _, n := range []int{100, 1000} {
		fields := make([]reflect.StructField, n)
		for i := range fields {
			fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[int](),
				Tag: reflect.StructTag(fmt.Sprintf(`json:"f%d"`, i))}
		}
		t := reflect.StructOf(fields)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				newShapes(new(mistakes)).shapeFor(t, "t")
			}
		})
	}
}

// The time for a type with Enum must grow with its values, and that for a check must not.
func BenchmarkEnum(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		texts, values := make([]string, n), make([]reflect.Value, n)
		for i := range n {
			texts[i] = fmt.Sprint("value", i)
			values[i] = reflect.ValueOf(texts[i])
		}
		r := enumRule(&shape{kind: kindString}, texts)
		b.Run(fmt.Sprint("check", n), func(b *testing.B) {
			for b.Loop() {
				if r.violates(values[n-1]) {
					b.Fatal("refused")
				}
			}
		})
		b.Run(fmt.Sprint("list", n), func(b *testing.B) {
			for b.Loop() {
				p := new(mistakes)
				if p.listValues(&shape{typ: reflect.TypeFor[string](), kind: kindString}, reflect.ValueOf(texts), "t"); len(p.list) > 0 {
					b.Fatal(p.list)
				}
			}
		})
	}
}

// appendBundle appends the schema of s that w writes, with the names that types have in their
// compile pass.
func appendBundle(dst []byte, s *shape, w schemaWriter) []byte {
	names := make(map[*shape]string)
	s.walk(nil, make(map[*shape]bool), func(s *shape, _ *placeText) { names[s] = s.name })
	return w.appendSchema(dst, s, names)
}

// Verify which fields there are of structs that embed others, in any number of ways. The oracle
// walks each way. encoding/json is none here: in a struct that is embedded twice it takes the
// fields of what that embeds from the first.
func TestEmbeddedFields(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		typ := randomEmbedding(g, 1+g.IntN(5))
		var got, want []string
		for _, f := range newShapes(new(mistakes)).visibleFields(typ, "T") {
			got = append(got, fmt.Sprint(f.name, f.index, f.optional))
		}
		for _, f := range findFields(typ) {
			want = append(want, fmt.Sprint(f.name, f.index, f.optional))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the fields are %s, want %s, of %v", got, want, typ)
		}
	}
}

// randomEmbedding returns a struct in which some of the structs that are embedded, to this
// depth, are of one type. A few names are those of many fields, with and without tags.
func randomEmbedding(g *rand.Rand, depth int) reflect.Type {
	made := []reflect.Type{}
	for range depth + 1 {
		var fields []reflect.StructField
		for _, name := range []string{"A", "B", "C"} {
			switch g.IntN(4) {
			case 0:
				fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeFor[int]()})
			case 1:
				fields = append(fields, reflect.StructField{Name: "Tagged" + name, Type: reflect.TypeFor[int](),
					Tag: reflect.StructTag(`json:"` + name + `"`)})
			}
		}
		for i := range min(len(made), 1+g.IntN(3)) {
			inner := made[len(made)-1-g.IntN(min(len(made), 3))]
			if g.IntN(2) == 0 {
				inner = reflect.PointerTo(inner)
			}
			fields = append(fields, reflect.StructField{Name: "E" + strconv.Itoa(i), Type: inner, Anonymous: true})
		}
		g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		made = append(made, reflect.StructOf(fields))
	}
	return made[depth]
}

// Verify that words which a schema cannot say are not read as part of the last item of a list.
func TestAddWords(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "must be 1"},
		{"The kind.", "The kind (must be 1)."},
		{"the kind", "the kind (must be 1)"},
		{"The kind.\n\n- 1: for all", "The kind.\n\n- 1: for all\n\nMust be 1."},
		{"- 1: for all.\n  And more", "- 1: for all.\n  And more\n\nMust be 1."},
		{"- 1: for all\n\nAnd more", "- 1: for all\n\nAnd more (must be 1)"},
	} {
		t.Run(rowName(test.text), func(t *testing.T) {
			if got := addWords(test.text, "must be 1"); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
