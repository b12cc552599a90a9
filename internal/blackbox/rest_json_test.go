package blackbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// This file sends thousands of texts to REST: every short row of tokens, and good texts
// with one change anywhere. A text is JSON if encoding/json and the rules of I-JSON
// (RFC 7493) accept it.

// strictJSON reports whether text is JSON by RFC 8259 and RFC 7493, and its
// value. Depth is the depth of the value: 1 for a text of its own. It is written
// for being right, not for being fast.
func strictJSON(text string, depth int) (value any, ok bool) {
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) || hasLoneSurrogate(text) {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return strictValue(d, depth)
}

// strictValue reads one value of a text that is valid JSON.
func strictValue(d *json.Decoder, depth int) (any, bool) {
	token, err := d.Token()
	if err != nil {
		return nil, false
	}
	switch token {
	case json.Delim('{'):
		object := make(map[string]any)
		ok := depth <= 1000
		for d.More() {
			name, _ := d.Token()
			value, sound := strictValue(d, depth+1)
			_, twice := object[name.(string)]
			ok = ok && sound && !twice
			object[name.(string)] = value
		}
		d.Token()
		return object, ok
	case json.Delim('['):
		list := []any{}
		ok := depth <= 1000
		for d.More() {
			value, sound := strictValue(d, depth+1)
			ok = ok && sound
			list = append(list, value)
		}
		d.Token()
		return list, ok
	}
	return token, true
}

// hasLoneSurrogate reports whether an escape in a valid text is half a character.
func hasLoneSurrogate(text string) bool {
	unit := func(at int) rune {
		var r rune
		if len(text) >= at+6 && text[at:at+2] == `\u` {
			fmt.Sscanf(text[at+2:at+6], "%04x", &r)
		}
		return r
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if r := unit(i); utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, unit(i+6)) == utf8.RuneError {
				return true
			}
			i += 6
		}
		i++
	}
	return false
}

// A corpus puts texts into three places of a body and checks what becomes of
// them.
type corpus struct {
	*testing.T
	handler  http.Handler
	store    *wireStore
	asked    int
	accepted int
}

func newCorpus(t *testing.T) *corpus {
	s, store := newWire(t, wireOptions())
	return &corpus{T: t, handler: s.REST(), store: store}
}

func (c *corpus) post(path, body string) (int, string) {
	w := postJSON(c.handler, path, body)
	return w.Code, w.Body.String()
}

func (c *corpus) check(text string) {
	c.asked++
	want, ok := strictJSON(text, 2)
	before := c.store.calls.Load()

	status, answer := c.post("/items/echo", `{"value":`+text+`}`)
	c.checkStatus("echo", text, ok, status, answer)
	if status == 200 {
		c.accepted++
		got, _ := strictJSON(answer, 1)
		if object, _ := got.(map[string]any); ok && !sameJSON(object["value"], want) {
			c.Errorf("echo of %q: %s", clipped(text), clipped(answer))
		}
	}
	status, answer = c.post("/items", `{"title":"a","x":`+text+`}`)
	c.checkStatus("member", text, ok, status, answer)

	want, ok = strictJSON(text, 1)
	status, answer = c.post("/items", text)
	object, _ := want.(map[string]any)
	title, _ := object["title"].(string)
	if created := status == 200; created != (ok && title != "") {
		c.Errorf("create with %q: %d %s", clipped(text), status, clipped(answer))
	}
	c.checkRefusal("create", text, ok, status, answer)
	if ok {
		return
	}
	if n := c.store.calls.Load() - before; n != 0 {
		c.Errorf("%q is no JSON, and %d methods were called", clipped(text), n)
	}
}

func (c *corpus) checkStatus(place, text string, ok bool, status int, answer string) {
	if ok != (status == 200) {
		c.Errorf("%s with %q: %d %s, and it is JSON: %t", place, clipped(text), status, clipped(answer), ok)
	}
	c.checkRefusal(place, text, ok, status, answer)
}

// checkRefusal checks that a text that is no JSON is refused as such: with one
// violation of one of two rules.
func (c *corpus) checkRefusal(place, text string, ok bool, status int, answer string) {
	if status == 200 {
		return
	}
	if status != 400 {
		c.Errorf("%s with %q: status %d", place, clipped(text), status)
	}
	var e wireEnvelope
	if err := json.Unmarshal([]byte(answer), &e); err != nil || e.Error.Code != "INVALID_ARGUMENT" {
		c.Errorf("%s with %q: %s", place, clipped(text), clipped(answer))
	}
	list := e.violations()
	syntax := len(list) == 1 && (list[0].Rule == "syntax" || list[0].Rule == "duplicate")
	empty := len(list) == 1 && list[0].Rule == "required" && list[0].Path == "" // a body of nothing
	if !ok && !syntax && !empty || ok && syntax {
		c.Errorf("%s with %q: %s, and it is JSON: %t", place, clipped(text), clipped(answer), ok)
	}
}

// sameJSON reports whether two values are equal, numbers by value.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		x, errX := a.Float64()
		y, errY := b.Float64()
		return ok && (a == b || errX == nil && errY == nil && x == y)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameJSON(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, there := b[name]; !there || !sameJSON(value, other) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// Verify for every row of at most four tokens that it is accepted if and only if it is
// JSON.
func TestRESTAcceptsExactlyJSONOfShortTexts(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	tokens := []string{"{", "}", "[", "]", ",", ":", `"title"`, `"a"`, "1", "-0", "true", "null", " "}
	var rows func(text string, left int)
	rows = func(text string, left int) {
		c.check(text)
		if left == 0 {
			return
		}
		for _, token := range tokens {
			rows(text+token, left-1)
		}
	}
	rows("", 3)
	for _, inner := range []string{`"title":"a"`, `"a":1`, `1`, `"title":`, `,"a":1`, `"a":[`, `"a":{`, ``} {
		rows("{"+inner, 2)
		rows("["+inner, 2)
	}
	t.Logf("%d texts in 3 places, %d of them JSON", c.asked, c.accepted)
}

// goodTexts are JSON of every sort.
var goodTexts = []string{
	`null`, `true`, `false`, `0`, `-0`, `-1`, `10`, `1.5`, `-0.25e-3`, `1E+2`, `123456789012345678901234567890`, `1e400`, `-1e-400`, `0.1e1`,
	`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"\u0000\u001F\uABCD"`, `"\ud834\uDD1E"`, "\"\u00e9\u2028\U0001F600\x7f\"", "\"\ufeff\ufffd\uffff\U0010ffff\"", `"\uFEFF"`, `"\\u12"`,
	`[]`, `[1]`, `[ ]`, `[[],{}]`, `[null,1,"a",[true]]`, "[\t1 ,\r\n2]", `{}`, `{"":0}`, `{"a":{"a":{}}}`, `{"a":[{"b":1},{"b":1}]}`, ` { "a" : "b" } `,
	`{"title":"a"}`, `{"title":"a","TITLE":1,"title\u0000":2,"title ":3}`, `{"a\u0062":1,"c":2}`,
}

// oddTexts are what parsers are known to disagree on.
func oddTexts() []string {
	texts := []string{
		"", " ", "\ufeff{}", "\xff\xfe[\x00]\x00", "[\xff]", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\xf8\x88\x80\x80\x80\"",
		`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800\u0041"`, `"\ud800\n"`, `"\udd1e\ud834"`, `"\ud800\udc0"`, `{"\udfff":1}`, `["\uD83D\uDE00\uD83D"]`,
		`{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `{"a":{"b":1,"b":2}}`, `[{"a":1},{"a":1,"a":1}]`, `{"":1,"":2}`, "{\"\u00e9\":1,\"e\u0301\":2}",
		`01`, `-01`, `+1`, `1.`, `.1`, `-.1`, `1e`, `1e+`, `1.e1`, `0e`, `0x10`, `1_000`, `--1`, `- 1`, `1 2`, `1,2`, `Infinity`, `-Infinity`, `NaN`, `1e1000000000`, `-1e1000000000`, `1e-1000000000`,
		`'a'`, `a`, `undefined`, `nul`, `nulll`, `TRUE`, `True`, `"a`, `a"`, `"a" "b"`, "\"\t\"", "\"\x00\"", "\"\x1f\"", `"\a"`, `"\x41"`, `"\u00"`, `"\u00G0"`, `"\`, `"\"`, `"\u{41}"`,
		`[1,]`, `[,1]`, `[1,,2]`, `[1 2]`, `[1;2]`, `[1:2]`, `[`, `]`, `[1`, `1]`, `[[]`, `[]]`, `[}`, `{]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{:1}`, `{1:1}`, `{a:1}`, `{'a':1}`, `{"a"=1}`, `{"a":1 "b":2}`, `{"a":1}}`, `{"a":1}{}`, `{"a":1}#`,
		`/**/1`, `1//`, `{"a":1/**/}`, "1\x00", "\x001", "[\v1]", "[\f1]", "[\u00a01]", "[\u20281]", "[1\u2060]", "1\u0085", `<1>`, `"a"b"`, `{}{}`, `[] x`, "{}\n{}",
	}
	for _, n := range []int{999, 1000, 1001, 100_000} {
		texts = append(texts, strings.Repeat("[", n), nested(n-1), strings.Repeat(`{"a":`, n-1)+"1"+strings.Repeat("}", n-1), strings.Repeat(`[{"a":`, n/2)+"1"+strings.Repeat("}]", n/2))
	}
	return append(texts, `"`+strings.Repeat("\u00e9", 100_000)+`"`, strings.Repeat(" ", 100_000)+"1", strings.Repeat("9", 100_000), "0."+strings.Repeat("0", 100_000)+"1")
}

// Verify that a text that parsers disagree on is accepted, alone and inside others, if
// and only if it is JSON.
func TestRESTAcceptsExactlyJSONOfOddTexts(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	for _, text := range oddTexts() {
		for _, around := range []string{"%s", "[%s]", `{"a":%s}`, " %s\n"} {
			before, after, _ := strings.Cut(around, "%s")
			c.check(before + text + after)
		}
	}
	t.Logf("%d texts in 3 places, %d of them JSON", c.asked, c.accepted)
}

// Verify for every text that is one change away from a good one that it is accepted if
// and only if it still is JSON.
func TestRESTAcceptsExactlyJSONOfDamagedTexts(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	strange := []string{"", "\x00", " ", "\n", "\"", "\\", "/", "{", "}", "[", "]", ",", ":", "0", "1", "9", "-", "+", ".", "e", "E", "u", "a", "d", "t", "\x1f", "\x7f", "\x80", "\xc3", "\xed\xa0\x80", "\xff", "\u00e9", "\ufeff", `\ud800`}
	damaged, every := 0, rounds(6, 1)
	for _, good := range goodTexts {
		if _, ok := strictJSON(good, 1); !ok {
			t.Fatalf("%q is no good text", good)
		}
		c.check(good)
		for i := range len(good) + 1 {
			c.check(good[:i])
			c.check(good[i:])
			for _, s := range strange {
				if damaged++; damaged%every != 0 {
					continue
				}
				if s != "" {
					c.check(good[:i] + s + good[i:])
				}
				if i < len(good) {
					c.check(good[:i] + s + good[i+1:])
				}
			}
		}
	}
	t.Logf("%d texts in 3 places, %d of them JSON", c.asked, c.accepted)
}

// Verify that a duplicate among up to 50,000 names of one object is found, in linear
// time: comparing each name with all before it would take minutes.
func TestDuplicateAmongManyNamesIsFoundFast(t *testing.T) {
	t.Parallel()
	c := newCorpus(t)
	n := rounds(10_000, 50_000)
	name := func(i int) string { return fmt.Sprintf(`"n%d":0`, i) }
	c.check(manyMembers(n, name))
	c.check(manyMembers(n, func(i int) string { return name(i % (n - 1)) }))
	var body bytes.Buffer
	fmt.Fprintf(&body, `{"title":"a",%s,"title":"b"}`, strings.Trim(manyMembers(n, name), "{}"))
	if status, answer := c.post("/items", body.String()); status != 400 || !strings.Contains(answer, `"rule":"duplicate"`) {
		t.Errorf("a field twice, far apart: %d %s", status, clipped(answer))
	}
}
