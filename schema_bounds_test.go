package svc

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Verify what a schema says of a field in each dialect, where the tags and the
// type both have something to say.
func TestSchemaBounds(t *testing.T) {
	for _, test := range []struct {
		in         any // a struct with one field, A
		json, oa30 string
	}{
		{struct{ A uint8 }{}, `{"type":"integer","format":"int32","minimum":0,"maximum":255}`, ""},
		{struct {
			A uint8 `maximum:"9"`
		}{}, `{"type":"integer","format":"int32","minimum":0,"maximum":9}`, ""},
		{struct {
			A int32 `format:"port"`
		}{}, `{"type":"integer","format":"port","minimum":-2147483648,"maximum":2147483647}`, ""},
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
			`{"anyOf":[{"type":"array","items":{"type":"integer","format":"int32","minimum":-128,"maximum":127}},{"type":"array","nullable":true,"enum":[null],"items":{}}]}`},
		{struct{ A map[uint8]bool }{},
			`{"type":"object","propertyNames":{"pattern":"^(0|[1-9][0-9]?|1[0-9]{2}|2([0-4][0-9]|5[0-5]))$"},"additionalProperties":{"type":"boolean"}}`,
			`{"type":"object","additionalProperties":{"type":"boolean"}}`},
	} {
		c := newShapes(new(mistakes))
		s := c.of(reflect.TypeOf(test.in), "in")
		if err := errors.Join(c.list...); err != nil {
			t.Errorf("%T: %v", test.in, err)
			continue
		}
		if test.oa30 == "" {
			test.oa30 = test.json
		}
		if got := string((&schemaWriter{}).field(nil, s.fields[0])); got != test.json {
			t.Errorf("%T: JSON Schema %s\nwant %s", test.in, got, test.json)
		}
		if got := string((&schemaWriter{dialect: openAPI30}).field(nil, s.fields[0])); got != test.oa30 {
			t.Errorf("%T: 3.0.3 %s\nwant %s", test.in, got, test.oa30)
		}
	}
}

// Verify that tags which would publish what the type cannot keep are refused.
func TestSchemaRefusesTags(t *testing.T) {
	for _, test := range []struct {
		in   any
		want string // part of the problem; "" if there is none
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
		}{}, `format:"date" does not change`},
		{struct {
			A time.Time `format:"date-time"`
		}{}, ""},
		{struct {
			A []byte `format:"binary"`
		}{}, `format:"binary" does not change`},
	} {
		c := newShapes(new(mistakes))
		c.of(reflect.TypeOf(test.in), "in")
		got := ""
		if err := errors.Join(c.list...); err != nil {
			got = err.Error()
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%T: %q, want %q", test.in, got, test.want)
		}
	}
}

// Verify that a json:",string" string takes what its pattern takes.
func TestQuotedStringPattern(t *testing.T) {
	re, err := compilePattern(stringPattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		``, `x`, `"`, `""`, `"x"`, `"\n"`, `"\u00e9"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\/"`, `"é"`, `" "`, // right from the third on
		`"x`, ` "x"`, `"x" `, `"\q"`, `"\u12"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d"`, `"\ud83dx"`, "\"a\nb\"", "\"\x7f\"", `"a"b"`, `null`,
	} {
		v := reflect.New(reflect.TypeFor[string]()).Elem()
		if got, want := setQuotedString(nil, v, []byte(text)) == nil, re.MatchString(text); got != want {
			t.Errorf("%q: decoder %t, pattern %t", text, got, want)
		}
	}
}
