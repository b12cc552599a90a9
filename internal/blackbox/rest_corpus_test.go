package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/svc"
)

// This file asks REST about JSON texts by the thousand: every short row of
// tokens, and every way to damage a good text in one place. What is JSON is
// what encoding/json and the rules of I-JSON beside it say.

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
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
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

// Verify of every row of at most four tokens that it is accepted if and only if
// it is JSON.
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

// Verify of every text that is one change away from a good one that it is
// accepted if and only if it still is JSON.
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

// Verify that 50,000 names in one object, or fewer, are looked at once each, and that the
// one that is there twice is found: a scan of those before would take minutes.
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

// This file lets go test look for requests that break REST. The seeds are the
// rows of the tables.

// wireStatuses are those that a request alone can bring about.
var wireStatuses = []int{200, 204, 400, 404, 405, 413, 415}

// Verify of any request that it is answered with a status that is documented,
// that an error is a small envelope that tells nothing, and that what was
// accepted was JSON.
func FuzzREST(f *testing.F) {
	for _, rows := range [][]badInput{badBodies, badTypes, badPaths, badQueries, badStrict} {
		for _, row := range rows {
			if len(row.line)+len(row.body) > 4<<10 {
				continue // seeds are to be small
			}
			method, target, _ := strings.Cut(row.line, " ")
			path, query, _ := strings.Cut(target, "?")
			contentType := "application/json"
			if value, ok := strings.CutPrefix(row.header, "Content-Type: "); ok {
				contentType = value
			}
			f.Add(method, path, query, contentType, row.body)
		}
	}
	strict := wireOptions()
	strict.Strict = true
	services, stores := make([]http.Handler, 2), make([]*wireStore, 2)
	for i, opts := range []*svc.Options{wireOptions(), strict} {
		var s *svc.Service
		s, stores[i] = newWire(f, opts)
		services[i] = s.REST()
	}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || method == "" {
			t.Skip("net/http would not pass it on")
		}
		u.RawQuery = query
		for i, h := range services {
			store := stores[i]
			store.reset()
			r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
			r.Method, r.URL, r.RequestURI = method, u, u.String()
			r.Header["Content-Type"] = []string{contentType}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			a := wireAnswer{w.Code, w.Result().Header, w.Body.String()}
			checkFuzzed(t, r, body, a, store)
		}
	})
}

func checkFuzzed(t *testing.T, r *http.Request, body string, a wireAnswer, store *wireStore) {
	if !slices.Contains(wireStatuses, a.status) {
		t.Errorf("status %d", a.status)
	}
	executed := store.calls.Load() > 0
	switch {
	case r.Method == http.MethodHead:
	case a.status >= 400:
		checkWireError(t, "error", a)
		if executed && a.status != 404 {
			t.Errorf("a method was called for %d %s", a.status, clipped(a.body))
		}
	case a.status == 200 && !json.Valid([]byte(a.body)):
		t.Errorf("the answer is no JSON: %s", clipped(a.body))
	}
	if needsBody := r.Method == http.MethodPost && r.URL.Path != "/items/ping" || r.Method == http.MethodPut; needsBody && executed {
		if _, ok := strictJSON(body, 1); !ok {
			t.Errorf("a method was called with what is no JSON: %s", clipped(body))
		}
	}
	if store.items["1"] == nil && r.Method != http.MethodDelete || store.next > 1 && r.Method != http.MethodPost {
		t.Errorf("%s has changed the store", r.Method)
	}
}

// A seenInput is the input that a method was last called with.
type seenInput struct {
	input any
	calls int
}

// wireSpy returns the REST handler of a service that keeps the input of each
// call and answers nothing of interest.
func wireSpy(t testing.TB) (http.Handler, *seenInput) {
	t.Helper()
	seen := new(seenInput)
	opts := wireOptions()
	opts.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			seen.input = input
			seen.calls++
			return next(ctx, resource, method, input)
		}
	}
	s, _ := newWire(t, opts)
	return s.REST(), seen
}

// Verify that a query string means what net/url says where net/url has an
// opinion, and is refused where a parameter of the method has none.
func FuzzQuery(f *testing.F) {
	for _, row := range badQueries {
		if _, query, ok := strings.Cut(row.line, "?"); ok && len(query) < 1<<10 {
			f.Add(query)
		}
	}
	h, seen := wireSpy(f)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/items", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		*seen = seenInput{}
		h.ServeHTTP(w, r)
		if strings.Count(query, "&") > 30 {
			return // perhaps more violations than are listed
		}
		values, _ := url.ParseQuery(query) // without what it refuses
		others := []string{"i8", "i64", "u8", "u64", "f32", "f64", "b", "time", "dur", "bytes", "ptr", "num", "list", "limit", "level"}
		malformed := false
		for _, pair := range strings.Split(query, "&") {
			name, _, _ := strings.Cut(pair, "=")
			name, nameErr := url.QueryUnescape(name)
			_, err := url.ParseQuery(pair)
			malformed = malformed || nameErr == nil && err != nil && slices.Contains(append(others, "s", "tag", "word", "color"), name)
		}
		if syntax := bytes.Contains(w.Body.Bytes(), []byte(`"rule":"syntax"`)); syntax != malformed {
			t.Fatalf("%q: %d %s; net/url says malformed: %t", query, w.Code, w.Body, malformed)
		}
		for _, name := range others {
			if values.Has(name) || malformed {
				return // the oracle is for strings
			}
		}
		fits := len(values["s"]) <= 1 && len(values["tag"]) <= 3 && len(values["color"]) <= 1
		for _, text := range slices.Concat(values["s"], values["tag"], values["word"]) {
			fits = fits && utf8.ValidString(text)
		}
		for _, text := range values["word"] {
			n := utf8.RuneCountInString(text)
			fits = fits && n >= 2 && n <= 4
		}
		for _, text := range values["color"] {
			fits = fits && slices.Contains([]string{"red", "green", "blue"}, text)
		}
		if fits != (w.Code == 200) {
			t.Fatalf("%q: %d %s; net/url says %q", query, w.Code, w.Body, values)
		}
		if in, ok := seen.input.(*WireList); fits && (!ok || in.S != values.Get("s") || !slices.Equal(in.Tags, values["tag"]) || !slices.Equal(in.Words, values["word"]) || string(in.Color) != values.Get("color")) {
			t.Errorf("%q: the method got %+v; net/url says %q", query, seen.input, values)
		}
	})
}

// Verify that a segment of a path means what net/url says, once, and names
// nothing but an item.
func FuzzPath(f *testing.F) {
	for _, row := range badPaths {
		if path, ok := strings.CutPrefix(row.line, "GET /items/"); ok && len(path) < 1<<10 {
			f.Add(path)
		}
	}
	h, seen := wireSpy(f)
	f.Fuzz(func(t *testing.T, segment string) {
		u, err := url.ParseRequestURI("/items/" + segment)
		if err != nil || strings.Contains(segment, "?") {
			t.Skip("net/http would not pass it on")
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL, r.RequestURI = u, "/items/"+segment
		w := httptest.NewRecorder()
		*seen = seenInput{}
		h.ServeHTTP(w, r)
		id, err := url.PathUnescape(segment)
		if err != nil {
			t.Fatalf("%q: net/url takes it for a path and not for a segment: %v", segment, err)
		}
		got, called := seen.input.(*WireKey)
		switch {
		case segment == "" || segment == "." || segment == ".." || id == "/" || strings.Count(u.EscapedPath(), "/") != 2:
			if called || w.Code != 404 {
				t.Errorf("%q: %d, called with %+v; want 404", segment, w.Code, seen.input)
			}
		case !utf8.ValidString(id):
			if called || w.Code != 400 {
				t.Errorf("%q: %d, called with %+v; want 400", segment, w.Code, seen.input)
			}
		case !called || got.ID != id || seen.calls != 1:
			t.Errorf("%q: %d, called with %+v; want %q", segment, w.Code, seen.input, id)
		}
	})
}
