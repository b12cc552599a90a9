package svc

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scan reads a whole text as one value of any kind.
func scan(text []byte) ([]byte, *syntaxError) {
	var s scanner
	s.reset(text)
	value := s.skipValue()
	s.checkEnd()
	return value, s.err
}

// scanTexts has texts with the rule that refuses each, or "" if it is fine, and
// where.
var scanTexts = []struct {
	text, rule string
	offset     int
}{
	{`{}`, "", 0},
	{" \t\r\n[ ] ", "", 0},
	{`{"a":[1,{"b":null}],"c":"d"}`, "", 0},
	{`null`, "", 0},
	{`""`, "", 0},
	{"\"\u007f\u2028\U0010ffff\ufffd\"", "", 0},
	{`"\"\\\/\b\f\n\r\t\u0000\uFFFF\ud83d\ude00"`, "", 0},

	{``, ruleSyntax, 0},
	{` `, ruleSyntax, 1},
	{"\ufeff{}", ruleSyntax, 0},
	{"{}\ufeff", ruleSyntax, 2},
	{"\xff", ruleSyntax, 0},
	{"\x00", ruleSyntax, 0},
	{"{}\x00", ruleSyntax, 2},
	{"1\x00", ruleSyntax, 1},
	{"\x0b1", ruleSyntax, 0}, // a vertical tab is no white space in JSON
	{"\u00a01", ruleSyntax, 0},
	{`{} {}`, ruleSyntax, 3},
	{`{}x`, ruleSyntax, 2},
	{`1 2`, ruleSyntax, 2},
	{`nul`, ruleSyntax, 0},
	{`nulL`, ruleSyntax, 0},
	{`True`, ruleSyntax, 0},
	{`truefalse`, ruleSyntax, 4},
	{`'a'`, ruleSyntax, 0},
	{`/**/1`, ruleSyntax, 0},
	{`NaN`, ruleSyntax, 0},
	{`Infinity`, ruleSyntax, 0},

	{`[`, ruleSyntax, 1},
	{`]`, ruleSyntax, 0},
	{`[1`, ruleSyntax, 2},
	{`[1,`, ruleSyntax, 3},
	{`[1,]`, ruleSyntax, 3},
	{`[,1]`, ruleSyntax, 1},
	{`[1,,2]`, ruleSyntax, 3},
	{`[1 2]`, ruleSyntax, 3},
	{`[1}`, ruleSyntax, 2},
	{`[1:2]`, ruleSyntax, 2},
	{`{`, ruleSyntax, 1},
	{`{"a"`, ruleSyntax, 4},
	{`{"a":`, ruleSyntax, 5},
	{`{"a":1`, ruleSyntax, 6},
	{`{"a":1,`, ruleSyntax, 7},
	{`{"a":1,}`, ruleSyntax, 7},
	{`{,"a":1}`, ruleSyntax, 1},
	{`{"a" 1}`, ruleSyntax, 5},
	{`{"a",1}`, ruleSyntax, 4},
	{`{a:1}`, ruleSyntax, 1},
	{`{'a':1}`, ruleSyntax, 1},
	{`{1:1}`, ruleSyntax, 1},
	{`{null:1}`, ruleSyntax, 1},
	{`{"a":1 "b":2}`, ruleSyntax, 7},
	{`{"a":1]`, ruleSyntax, 6},
	{`{"a"::1}`, ruleSyntax, 5},

	{`"`, ruleSyntax, 1},
	{`"a`, ruleSyntax, 2},
	{`"\`, ruleSyntax, 1},
	{`"\"`, ruleSyntax, 3},
	{`"\q"`, ruleSyntax, 1},
	{`"\U0041"`, ruleSyntax, 1},
	{`"\x41"`, ruleSyntax, 1},
	{`"\u"`, ruleSyntax, 1},
	{`"\u12"`, ruleSyntax, 1},
	{`"\u123g"`, ruleSyntax, 1},
	{`"\u+123"`, ruleSyntax, 1},
	{`"\u１２３４"`, ruleSyntax, 1}, // digits of full width
	{"\"a\nb\"", ruleSyntax, 2},
	{"\"\x00\"", ruleSyntax, 1},
	{"\"\x1f\"", ruleSyntax, 1},
	{"\"a\xff\"", ruleSyntax, 2},
	{"\"\xc0\x80\"", ruleSyntax, 1},         // overlong
	{"\"\xed\xa0\x80\"", ruleSyntax, 1},     // a surrogate in UTF-8
	{"\"\xf4\x90\x80\x80\"", ruleSyntax, 1}, // beyond Unicode
	{"\"\xe2\x82\"", ruleSyntax, 1},
	{`"\ud800"`, ruleSyntax, 1},
	{`"\udc00"`, ruleSyntax, 1},
	{`"\ud800a"`, ruleSyntax, 1},
	{`"\ud800\n"`, ruleSyntax, 1},
	{`"\ud800\ud800"`, ruleSyntax, 1},
	{`"\udc00\ud800"`, ruleSyntax, 1},
	{`"\ud800\u0041"`, ruleSyntax, 1},
	{`"\ud800\udc0"`, ruleSyntax, 1},
	{`"\ud800" "\udc00"`, ruleSyntax, 1},
	{`"\ud83d\ude00\ude00"`, ruleSyntax, 13},
	{`{"\ud800":1}`, ruleSyntax, 2},

	{`{"a":1,"a":2}`, ruleDuplicate, 11},
	{`{"a":1,"\u0061":2}`, ruleDuplicate, 16},
	{`{"\u0061":1,"a":2}`, ruleDuplicate, 16},
	{`{"/":1,"\/":2}`, ruleDuplicate, 12},
	{`{"":1,"":2}`, ruleDuplicate, 9},
	{`{"é":1,"\u00e9":2}`, ruleDuplicate, 17},
	{`{"\ud83d\ude00":1,"😀":2}`, ruleDuplicate, 25},
	{`[[{"a":{"b":1,"c":2,"b":3}}]]`, ruleDuplicate, 24},
	{`{"a":{"b":1},"c":{"b":1,"b":2}}`, ruleDuplicate, 28},
	{`{"a":{"b":1},"a":{"c":1}}`, ruleDuplicate, 17},
	{`{"a" :1 , "a" :2}`, ruleDuplicate, 15},
	{`{"a":1,"a":`, ruleDuplicate, 11}, // the first fault counts
	{`{"a":1,"a"}`, ruleSyntax, 10},
	{`{"a":1,"A":2}`, "", 0},
	{`{"a":{"a":{"a":1}}}`, "", 0},
	{`[{"a":1},{"a":1}]`, "", 0},
	{`{"\u00e9":1,"e\u0301":2}`, "", 0}, // no normalisation
	{`{"a":1,"a\u0000":2}`, "", 0},
}

func TestScanner(t *testing.T) {
	for _, test := range scanTexts {
		value, f := scan([]byte(test.text))
		switch {
		case test.rule == "" && f != nil:
			t.Errorf("%q is refused: %v", test.text, f)
		case test.rule == "" && string(value) != strings.Trim(test.text, " \t\r\n"):
			t.Errorf("the value in %q is %q", test.text, value)
		case test.rule != "" && f == nil:
			t.Errorf("%q is accepted, want the rule %s", test.text, test.rule)
		case test.rule != "" && (f.rule != test.rule || f.offset != test.offset):
			t.Errorf("%q is refused by %s at %d (%v), want %s at %d", test.text, f.rule, f.offset, f, test.rule, test.offset)
		}
		checkScan(t, []byte(test.text))
	}
}

// A fault must tell nothing of the text: it goes to clients and into logs.
func TestFaultsQuoteNothing(t *testing.T) {
	for _, test := range scanTexts {
		text := strings.NewReplacer("a", "secret", "b", "secret").Replace(test.text)
		if _, f := scan([]byte(text)); f != nil && strings.Contains(f.Error(), "secret") {
			t.Errorf("%q: %v", text, f)
		}
	}
}

func TestScannerDepth(t *testing.T) {
	for _, test := range []struct {
		open, inside, close string
		levels              int
		ok                  bool
	}{
		{"[", "", "]", 1000, true},
		{"[", "", "]", 1001, false},
		{`{"a":`, "1", "}", 1000, true},
		{`{"a":`, "1", "}", 1001, false},
		{`[{"a":`, "[]", "}]", 499, true},
		{`[{"a":`, "[[]]", "}]", 500, false},
		{"[[],", "1", "]", 999, true}, // side by side is not deeper
		{`[[],{},`, "1", "]", 1001, false},
		{"[", "", "]", 100000, false},
		{"[", "", "", 100000, false},
		{`{"a":`, "", "", 100000, false},
	} {
		text := []byte(strings.Repeat(test.open, test.levels) + test.inside + strings.Repeat(test.close, test.levels))
		_, f := scan(text)
		_, anyErr := compileFor[any](t).unmarshal(text)
		_, rawErr := compileFor[json.RawMessage](t).unmarshal(text)
		_, ownErr := compileFor[oVerbatim](t).unmarshal(text)
		if (f == nil) != test.ok || (anyErr == nil) != test.ok || (rawErr == nil) != test.ok || (ownErr == nil) != test.ok {
			t.Errorf("%d times %s: scanner %v, any %v, raw %v, own %v", test.levels, test.open, f, anyErr, rawErr, ownErr)
		}
	}
	for _, test := range []struct {
		open, close string
		levels      int
		ok          bool
	}{
		{`{"value":0,"next":`, "}", 999, true},
		{`{"value":0,"next":`, "}", 1000, false},
		{`{"value":0,"kids":[`, "]}", 499, true},
		{`{"value":0,"kids":[`, "]}", 500, false},
		{`{"value":0,"names":{"a":`, "}}", 499, true},
		{`{"value":0,"unknown":`, "}", 999, true}, // each but the first is in an ignored member
		{`{"value":0,"unknown":`, "}", 1000, false},
		{`{"value":0,"next":`, "", 100000, false},
	} {
		text := strings.Repeat(test.open, test.levels) + `{"value":0}` + strings.Repeat(test.close, test.levels)
		if _, err := compileFor[oNode](t).unmarshal([]byte(text)); (err == nil) != test.ok {
			t.Errorf("%d times %s: %v", test.levels, test.open, err)
		}
	}
}

// compileFor is compileType for the type T.
func compileFor[T any](t testing.TB) *codec {
	typ := reflect.TypeFor[T]()
	return compileType(t, typ.String(), typ, false)
}

// Verify that many names in one object are checked, all of them, and that this
// is not quadratic: 50,000 names would be over a billion comparisons.
func TestScannerManyNames(t *testing.T) {
	const many = 50_000
	var object []byte
	for i := range many {
		object = append(object, `,"name`+strconv.Itoa(i)+`":`+strconv.Itoa(i)...)
	}
	object[0] = '{'
	for _, test := range []struct {
		name, last, rule string
	}{
		{"all different", `}`, ""},
		{"first again", `,"name0":0}`, ruleDuplicate},
		{"last again", `,"name49999":0}`, ruleDuplicate},
		{"escaped", `,"n\u0061me25000":0}`, ruleDuplicate},
	} {
		text := append(slices.Clip(object), test.last...)
		_, f := scan(text)
		if f == nil && test.rule != "" || f != nil && f.rule != test.rule {
			t.Errorf("%s: %v", test.name, f)
		}
		for _, c := range []*codec{compileFor[any](t), compileFor[map[string]int](t), compileFor[struct{}](t), compileFor[json.RawMessage](t)} {
			v, err := c.unmarshal(text)
			if (err == nil) != (test.rule == "") {
				t.Errorf("%s into %s: %v", test.name, c.name, err)
			}
			if m, ok := v.Interface().(map[string]int); ok && err == nil && (len(m) != many || m["name777"] != 777) {
				t.Errorf("the map has %d entries", len(m))
			}
		}
	}
}

// Verify that names in one object of any number, around where the way of
// comparing changes, are compared with all others.
func TestScannerEveryPair(t *testing.T) {
	for n := range manyNames + 6 {
		for twice := range n {
			text := []byte{'{'}
			for i := range n {
				text = append(text, `"n`+strconv.Itoa(i)+`":{"n0":1,"n1":[{"n0":1}]},`...)
			}
			text = append(text, `"n`+strconv.Itoa(twice)+`":1}`...)
			if _, f := scan(text); f == nil || f.rule != ruleDuplicate || f.offset != len(text)-2 {
				t.Errorf("name %d again after %d names: %v", twice, n, f)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, test := range scanTexts {
		f.Add([]byte(test.text))
	}
	w := texter{Rand: rand.New(rand.NewPCG(10, 11))}
	for range 20 {
		text := w.text(reflect.TypeFor[any]())
		f.Add(text)
		f.Add(w.damage(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkScan(t, text) })
}

// checkScan compares the scanner with the standard library.
func checkScan(t *testing.T, text []byte) {
	t.Helper()
	value, f := scan(text)
	want := checkText(text)
	if (f == nil) != (want == nil) {
		t.Errorf("%q: %v; the standard library: %v", text, f, want)
	}
	switch {
	case f != nil && (f.offset < 0 || f.offset > len(text) || f.reason == ""):
		t.Errorf("%q: a bad fault %+v", text, f)
	case f != nil || want != nil:
	case string(value) != strings.Trim(string(text), " \t\r\n"):
		t.Errorf("the value in %q is %q", text, value)
	case value[0] == '"':
		var standard string
		inside := value[1 : len(value)-1]
		if err := json.Unmarshal(value, &standard); err != nil || string(appendUnescaped(nil, inside)) != standard {
			t.Errorf("%q stands for %q, the standard library says %q, %v", inside, appendUnescaped(nil, inside), standard, err)
		}
	}
}
