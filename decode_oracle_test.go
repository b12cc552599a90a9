package svc

// This file holds the decoder against encoding/json. The oracle below reads a
// text strictly with nothing but the standard library: it shares no code with
// the package. It first checks the text as such, then rewrites it, guided by
// the type, into what encoding/json is to see, and refuses what encoding/json
// would let pass. Every other difference is a row of differences, and can be
// switched off to prove that it is one.

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// A difference is a place where the decoder means to differ from a strict
// reading of encoding/json. With it switched off, the oracle must disagree with
// the decoder about each text.
type difference struct {
	name   string
	reason string
	typ    reflect.Type
	texts  []string
	v1     bool // encoding/json does this only in its first implementation
}

// isV1 reports whether encoding/json is its first implementation, and not the
// one on top of encoding/json/v2 that takes its place in Go 1.27.
// They differ in a few odd things.
var isV1 = json.Unmarshal([]byte(`"2006-01-02T15:04:05\u005a"`), new(time.Time)) != nil

const (
	diffIntegers    = "integers by value"
	diffAny         = "exact numbers in any"
	diffDuration    = "durations are strings"
	diffTime        = "times to the letter"
	diffZone        = "no local zone"
	diffTimeEscapes = "escapes in times"
	diffLineEnds    = "base64 on one line"
	diffTrailing    = "base64 without stray bits"
	diffBytes       = "bytes are base64 only"
	diffNumber      = "a json.Number is a number"
	diffKeys        = "integer keys are plain"
	diffSameKey     = "no two names for one key"
	diffQuoted      = "one spelling in quotes"
	diffByteMethods = "bytes with methods"
)

var differences = []difference{
	{diffIntegers, "JSON Schema says that 1.0 is an integer, and clients are held to the schema", reflect.TypeFor[int](), []string{"1.0", "1e2", "-1.50e1", "-0.0", "100e-2"}, false},
	{diffIntegers, "minus zero is zero, for an unsigned integer too", reflect.TypeFor[uint8](), []string{"-0", "-0.0", "25.5e1"}, false},
	{diffAny, "an integer that a float64 cannot hold would be changed without a word", reflect.TypeFor[any](), []string{"9007199254740993", "18446744073709551615", "[123456789012345678901234567890]"}, false},
	{diffAny, "a number out of range is for the service to judge", reflect.TypeFor[map[string]any](), []string{`{"n":1e400}`, `{"n":[-1e400]}`}, false},
	{diffDuration, "people write durations as strings, and so does package flag", reflect.TypeFor[time.Duration](), []string{`"1h30m"`, `"-1.5s"`, "1", "1e9"}, false},
	{diffTime, "the schema says date-time, which is RFC 3339 and has neither commas nor hours of one digit", reflect.TypeFor[time.Time](), []string{`"2006-01-02T15:04:05,5Z"`, `"2006-01-02T5:04:05Z"`}, false},
	{diffTime, "RFC 3339 has no offsets of a day and more", reflect.TypeFor[time.Time](), []string{`"2006-01-02T15:04:05+24:00"`}, false},
	{diffTimeEscapes, "a string means the same however it is escaped; Time.UnmarshalJSON looks at the raw text", reflect.TypeFor[time.Time](), []string{`"2006-01-02T15:04:05\u005a"`, `"2006-01-02T15:04:05\u002b01:00"`}, true},
	{diffZone, "what a text means must not depend on where the server stands", reflect.TypeFor[time.Time](), []string{time.Now().Format(`"2006-01-02T15:04:05-07:00"`)}, false},
	{diffLineEnds, "format byte is RFC 4648, section 4, which has no line ends", reflect.TypeFor[[]byte](), []string{`"AA==\n"`, `"AA\r\n=="`}, false},
	{diffTrailing, "two texts for one value are two cache keys and two signatures (RFC 4648, section 3.5)", reflect.TypeFor[[]byte](), []string{`"AB=="`, `"AAB="`}, false},
	{diffBytes, "the schema says string", reflect.TypeFor[[]byte](), []string{"[1,2]", "[]"}, false},
	{diffNumber, "the schema says number", reflect.TypeFor[json.Number](), []string{`"1"`, `"1.5e3"`}, false},
	{diffKeys, "01 and 1 would be one key, and one of the values lost", reflect.TypeFor[map[int8]bool](), []string{`{"01":true}`, `{"+1":true}`, `{"-0":true}`}, false},
	{diffSameKey, "one of the values would be lost", reflect.TypeFor[map[oFold]int](), []string{`{"a":1,"A":2}`}, false},
	{diffQuoted, "what is in the quotes is spelt as JSON, and integers plainly", reflect.TypeFor[oQuotedInt](), []string{`{"n":"01"}`, `{"n":"-0"}`}, false},
	{diffQuoted, "encoding/json takes a null in quotes for no value", reflect.TypeFor[oQuotedInt](), []string{`{"n":"null"}`}, false},
	{diffQuoted, "package strconv knows numbers that JSON does not", reflect.TypeFor[oQuotedFloat](), []string{`{"n":"0x1p-2"}`, `{"n":"01.5"}`, `{"n":"1."}`}, false},
	{diffByteMethods, "a list of what the methods say", reflect.TypeFor[[]oMethodByte](), []string{`"AA=="`}, false},
}

type (
	oQuotedInt struct {
		N int `json:"n,string"`
	}
	oQuotedFloat struct {
		N float64 `json:"n,string"`
	}
	oMethodByte byte
)

func (b oMethodByte) MarshalText() ([]byte, error) { return []byte{'0' + byte(b)}, nil }

func (b *oMethodByte) UnmarshalText(text []byte) error {
	if len(text) != 1 {
		return errors.New("want one digit")
	}
	*b = oMethodByte(text[0] - '0')
	return nil
}

// Verify that each difference is one: without its rule the oracle disagrees
// with the decoder, and with it the two agree.
func TestDecodeDifferences(t *testing.T) {
	for _, test := range differences {
		t.Run(rowName(test.reason), func(t *testing.T) {
			c := compileType(t, test.name, test.typ, false)
			for _, text := range test.texts {
				agree(t, c, []byte(text))
				ours, err := c.unmarshal([]byte(text))
				o := oracle{off: test.name}
				theirs, theirErr := o.decode(c.typ, []byte(text))
				if (isV1 || !test.v1) && (err == nil) == (theirErr == nil) && (err != nil || o.same(ours, theirs)) {
					t.Errorf("%s into %v: without the difference %q the two agree on %v, %v; the row is not needed", text, c.typ, test.name, ours, err)
				}
			}
		})
	}
}

// Verify that the decoder and the oracle agree on texts that fit and on texts
// that were damaged.
func TestDecodeAgainstOracle(t *testing.T) {
	t.Parallel()
	var accepted, total int
	for i, c := range oracleCodecs(t) {
		w := texter{Rand: rand.New(rand.NewPCG(uint64(i), 3))}
		for range rounds(20, 40) {
			text := w.text(c.typ)
			for range 4 {
				total++
				if agree(t, c, text) {
					accepted++
				}
				text = w.damage(text)
				if t.Failed() {
					return
				}
			}
		}
	}
	// A generator that makes only good or only bad texts tests half.
	if accepted < total/5 || accepted > total*4/5 {
		t.Errorf("%d of %d texts were accepted", accepted, total)
	}
}

// Verify that whatever JSON has, in any type, the two agree: every token in
// every place.
func TestDecodeSmallWorld(t *testing.T) {
	t.Parallel()
	values := []string{"null", "true", "false", "0", "-0", "1", "1.5", "-1", "300", "1e2", "1e400", `""`, `"a"`, `"1"`, `"1s"`, `"AA=="`,
		`"2006-01-02T15:04:05Z"`, `"1.2.3.4"`, `"\ud800"`, "\"\xff\"",
		"[]", "[null]", "[1]", `["a"]`, "[true,false]", "[[]]", "[1,]", "[,1]", "[1 2]", "{}", `{"a":1}`, `{"a":1,"a":1}`, `{"a":null}`, `{"1":1}`, `{"":{}}`, `{"A":0}`, "{,}", `{"a"}`, `{"a":}`, `{1:1}`, "", " ", "nul", "nulll", "truefalse", "1 1", "\ufeff1", "'a'", "/**/1", "NaN", "+1", "01", ".5", "5.", "1e", "0x1"}
	for _, c := range oracleCodecs(t) {
		for _, v := range values {
			agree(t, c, []byte(v))
			for _, f := range fieldsOf(c.typ) {
				agree(t, c, []byte(`{"`+f.name+`":`+v+`}`))
			}
		}
	}
}

func fieldsOf(t reflect.Type) []jsonField {
	if t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return jsonFields(t)
	}
	return nil
}

func FuzzDecode(f *testing.F) {
	codecs := oracleCodecs(f)
	for i, c := range codecs {
		w := texter{Rand: rand.New(rand.NewPCG(uint64(i), 4))}
		for range 3 {
			text := w.text(c.typ)
			f.Add(uint(i), text)
			f.Add(uint(i), w.damage(text))
		}
	}
	for i := range differences {
		codecs = append(codecs, compileType(f, differences[i].name, differences[i].typ, false))
		for _, text := range differences[i].texts {
			f.Add(uint(len(codecs)-1), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, i uint, text []byte) {
		agree(t, codecs[i%uint(len(codecs))], text)
	})
}

// agree checks that the decoder and the oracle say the same of a text, and that
// a refusal names its places. It reports whether both accepted.
func agree(t testing.TB, c *codec, text []byte) bool {
	t.Helper()
	o := oracle{strict: c.strict}
	ours, err := c.unmarshal(text)
	theirs, theirErr := o.decode(c.typ, text)
	switch {
	case errors.Is(theirErr, errNoOpinion):
	case err == nil && theirErr != nil:
		t.Errorf("%s: %q is accepted; the oracle says: %v", c.name, text, theirErr)
	case err != nil && theirErr == nil:
		t.Errorf("%s: %q: %v; the oracle accepts it", c.name, text, err)
	case err != nil:
		if why := checkRefusal(text, err, errors.Is(theirErr, errText)); why != "" {
			t.Errorf("%s: %q: %v (oracle: %v): %s", c.name, text, err, theirErr, why)
		}
	case !o.same(ours, theirs):
		t.Errorf("%s: %q is\n%#v, the oracle says\n%#v", c.name, text, ours, theirs)
	}
	return err == nil && theirErr == nil
}

// checkRefusal returns what is wrong with the error for a refused text, or "".
func checkRefusal(text []byte, err error, textual bool) string {
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeInvalidArgument || e.HTTPStatus() != 400 {
		return "not an INVALID_ARGUMENT"
	}
	list, _ := e.Details["violations"].([]Violation)
	if len(list) == 0 || len(list) > 32 {
		return fmt.Sprintf("%d violations", len(list))
	}
	if body := appendEnvelope(nil, e); len(body) > 16<<10 || !json.Valid(body) || !utf8.Valid(body) {
		return fmt.Sprintf("a bad body of %d bytes", len(body))
	}
	valid := json.Valid(text)
	var tree jsonTree
	if valid {
		tree = readTree(text)
	}
	for _, v := range list {
		if v.Rule == "" || v.Message == "" || v.In != "body" {
			return fmt.Sprintf("an incomplete violation %+v", v)
		}
		isText := v.Rule == "syntax" || v.Rule == "duplicate" && strings.Contains(v.Message, "two members")
		if isText != textual {
			return fmt.Sprintf("the rule %q, which is about the text: %t, want %t", v.Rule, isText, textual)
		}
		if v.Rule != "syntax" && !strings.HasSuffix(v.Path, "…") && valid && !tree.resolves(v.Path, v.Rule == "required") {
			return fmt.Sprintf("there is no %q", v.Path)
		}
	}
	if textual && len(list) != 1 {
		return fmt.Sprintf("%d violations for an error of the text", len(list))
	}
	return ""
}

// A jsonTree says what there is in a text: the parts of arrays and of objects.
type jsonTree struct {
	open  json.Delim // [ or {; or 0, for all that has no parts
	names []string   // in an object, of the parts
	parts []jsonTree
}

// readTree returns the tree of a valid text.
func readTree(text []byte) jsonTree {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var next func() jsonTree
	next = func() (tree jsonTree) {
		token, _ := d.Token()
		tree.open, _ = token.(json.Delim)
		for tree.open != 0 && d.More() {
			if tree.open == '{' {
				name, _ := d.Token()
				tree.names = append(tree.names, name.(string))
			}
			tree.parts = append(tree.parts, next())
		}
		if tree.open != 0 {
			d.Token()
		}
		return tree
	}
	return next()
}

// resolves reports whether a JSON Pointer leads to a value in the tree; or, with
// missing, to an object without a member of its last name.
func (tree jsonTree) resolves(pointer string, missing bool) bool {
	if pointer == "" {
		return true
	}
	if pointer[0] != '/' {
		return false
	}
	token, rest, more := strings.Cut(pointer[1:], "/")
	token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	if more {
		rest = "/" + rest
	}
	switch tree.open {
	case '[':
		i, err := strconv.Atoi(token)
		return err == nil && i < len(tree.parts) && tree.parts[i].resolves(rest, missing)
	case '{':
		for i, name := range tree.names {
			if name == token && tree.parts[i].resolves(rest, missing) {
				return more || !missing
			}
		}
		return missing && !more
	}
	return false
}

// An oracle reads JSON as strictly as the decoder has to.
type oracle struct {
	strict bool
	off    string // the difference that is switched off
}

func (o *oracle) has(difference string) bool { return o.off != difference }

// decode returns the value that text stands for, or why it is refused.
func (o *oracle) decode(t reflect.Type, text []byte) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if err := checkText(text); err != nil {
		return v, fmt.Errorf("%w: %w", errText, err)
	}
	text, err := o.rewrite(t, bytes.Trim(text, " \t\r\n"))
	if err != nil {
		return v, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if o.has(diffAny) {
		d.UseNumber() // same makes of it what is wanted
	}
	return v, d.Decode(v.Addr().Interface())
}

// errText marks errors of the text, which no type can make good.
var errText = errors.New("not acceptable JSON")

// checkText checks what is JSON and I-JSON.
func checkText(text []byte) error {
	switch {
	case !utf8.Valid(text):
		return errors.New("not UTF-8")
	case !json.Valid(text):
		return errors.New("not JSON")
	case hasLoneSurrogate(text):
		return errors.New("a lone surrogate")
	}
	return checkTokens(text)
}

// hasLoneSurrogate looks at the escapes of a valid JSON text.
func hasLoneSurrogate(text []byte) bool {
	var high rune
	for i := 0; i < len(text); {
		n, r := 1, rune(0)
		if text[i] == '\\' {
			if n = 2; text[i+1] == 'u' {
				n = 6
				u, _ := strconv.ParseUint(string(text[i+2:i+6]), 16, 32)
				r = rune(u)
			}
		}
		isLow := 0xDC00 <= r && r <= 0xDFFF
		if isLow != (high != 0) {
			return true
		}
		if high = 0; utf16.IsSurrogate(r) && !isLow {
			high = r
		}
		i += n
	}
	return false
}

// checkTokens looks for repeated names and for depth.
func checkTokens(text []byte) error {
	type frame struct {
		names   map[string]bool // nil in an array
		isValue bool            // a value is due, not a name
	}
	var open []frame
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if top := len(open) - 1; top >= 0 && open[top].names != nil && token != json.Delim('}') {
			f := &open[top]
			if f.isValue = !f.isValue; f.isValue {
				name := token.(string)
				if f.names[name] {
					return errors.New("a name twice")
				}
				f.names[name] = true
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, frame{names: make(map[string]bool)})
		case json.Delim('['):
			open = append(open, frame{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > 1000 {
			return errors.New("too deep")
		}
	}
}

// rewrite returns the text that encoding/json is to see for raw, a checked text
// without space around it, as a value of type t.
func (o *oracle) rewrite(t reflect.Type, raw []byte) ([]byte, error) {
	pointer := reflect.PointerTo(t)
	own := t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface
	switch {
	case t == reflect.TypeFor[time.Time]():
		return o.rewriteTime(raw)
	case t == reflect.TypeFor[time.Duration]() && o.has(diffDuration):
		return rewriteDuration(raw)
	case t == reflect.TypeFor[json.Number]():
		if !isNumber(raw) && (o.has(diffNumber) || raw[0] != '"') {
			return nil, errors.New("not a number")
		}
		return raw, nil
	case t.Kind() == reflect.Pointer:
		if string(raw) == "null" {
			return raw, nil
		}
		return o.rewrite(t.Elem(), raw)
	case optionalElem(t) != nil:
		if string(raw) == "null" {
			return raw, nil
		}
		return o.rewrite(optionalElem(t), raw)
	case own && pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return raw, nil
	case own && pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return raw, wantString(raw)
	}
	return o.rewriteKind(t, raw)
}

// rewriteKind is rewrite for types without methods of their own.
func (o *oracle) rewriteKind(t reflect.Type, raw []byte) ([]byte, error) {
	switch t.Kind() {
	case reflect.Interface:
		return raw, nil
	case reflect.String:
		return raw, wantString(raw)
	case reflect.Bool:
		if string(raw) != "true" && string(raw) != "false" {
			return nil, errors.New("not a boolean")
		}
		return raw, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && raw[0] != '[' &&
			(!o.has(diffByteMethods) || !reflect.PointerTo(t.Elem()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())) {
			return raw, o.checkBase64(raw)
		}
		if t.Elem().Kind() == reflect.Uint8 && o.has(diffBytes) &&
			!reflect.PointerTo(t.Elem()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return nil, errors.New("not a string")
		}
		return o.rewriteList(t.Elem(), raw, -1)
	case reflect.Array:
		return o.rewriteList(t.Elem(), raw, t.Len())
	case reflect.Map:
		return o.rewriteMap(t, raw)
	case reflect.Struct:
		return o.rewriteStruct(t, raw)
	}
	if !isNumber(raw) {
		return nil, errors.New("not a number")
	}
	if t.Kind() != reflect.Float32 && t.Kind() != reflect.Float64 && o.has(diffIntegers) {
		return wholeNumber(raw)
	}
	return raw, nil
}

func isNumber(raw []byte) bool { return raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' }

func wantString(raw []byte) error {
	if raw[0] != '"' {
		return errors.New("not a string")
	}
	return nil
}

// wholeNumber spells a number that is a whole number plainly.
func wholeNumber(raw []byte) ([]byte, error) {
	text, neg := strings.CutPrefix(strings.ToLower(string(raw)), "-")
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, frac, _ := strings.Cut(mantissa, ".")
	exp, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil { // far out of range
		exp = 1 << 30
		if exponent[0] == '-' {
			exp = -exp
		}
	}
	digits := strings.TrimRight(whole+frac, "0")
	exp += len(whole) - len(digits) // the point is now before the first of digits, plus exp
	zeros := exp
	switch {
	case strings.Trim(digits, "0") == "":
		return []byte("0"), nil
	case zeros < 0:
		return nil, errors.New("a fraction")
	case zeros > 40:
		return nil, errors.New("out of range")
	}
	digits = strings.TrimLeft(digits+strings.Repeat("0", zeros), "0")
	if neg {
		digits = "-" + digits
	}
	return []byte(digits), nil
}

var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[-+]([01]\d|2[0-3]):[0-5]\d)$`)

func (o *oracle) rewriteTime(raw []byte) ([]byte, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || wantString(raw) != nil {
		return nil, errors.New("not a string")
	}
	if o.has(diffTime) && !rfc3339.MatchString(text) {
		return nil, errors.New("not by RFC 3339")
	}
	if upper := strings.ToUpper(text); upper != text && rfc3339.MatchString(text) {
		raw = []byte(`"` + upper + `"`) // which package time wants
	} else if o.has(diffTimeEscapes) {
		raw = []byte(`"` + text + `"`)
	}
	return raw, nil
}

func rewriteDuration(raw []byte) ([]byte, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || wantString(raw) != nil {
		return nil, errors.New("not a string")
	}
	d, err := time.ParseDuration(text)
	return strconv.AppendInt(nil, int64(d), 10), err
}

func (o *oracle) checkBase64(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil || wantString(raw) != nil {
		return errors.New("not a string")
	}
	if o.has(diffLineEnds) && strings.ContainsAny(text, "\r\n") {
		return errors.New("a line end in base64")
	}
	if o.has(diffTrailing) {
		_, err := base64.StdEncoding.Strict().DecodeString(text)
		return err
	}
	return nil
}

func (o *oracle) rewriteList(elem reflect.Type, raw []byte, length int) ([]byte, error) {
	var list []json.RawMessage
	if raw[0] != '[' {
		return nil, errors.New("not an array")
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	if length >= 0 && len(list) != length {
		return nil, errors.New("an array of another length")
	}
	out := []byte{'['}
	for i, e := range list {
		if i > 0 {
			out = append(out, ',')
		}
		text, err := o.rewrite(elem, e)
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
	}
	return append(out, ']'), nil
}

// A jsonMember is a name and the text of its value.
type jsonMember struct {
	name  string
	value json.RawMessage
}

// jsonMembers returns the members of an object in order.
func jsonMembers(raw []byte) []jsonMember {
	var list []jsonMember
	d := json.NewDecoder(bytes.NewReader(raw))
	for d.Token(); d.More(); {
		name, _ := d.Token()
		m := jsonMember{name: name.(string)}
		if err := d.Decode(&m.value); err != nil {
			panic(err) // the text was checked
		}
		list = append(list, m)
	}
	return list
}

func appendMember(out []byte, name string, value []byte) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	text, _ := json.Marshal(name)
	return append(append(append(out, text...), ':'), value...)
}

var plainInteger = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

func (o *oracle) rewriteMap(t reflect.Type, raw []byte) ([]byte, error) {
	if raw[0] != '{' {
		return nil, errors.New("not an object")
	}
	out := []byte{'{'}
	keys := make(map[any]bool)
	for _, m := range jsonMembers(raw) {
		value, err := o.rewrite(t.Elem(), m.value)
		if err != nil {
			return nil, err
		}
		key := reflect.New(t.Key())
		text, isText := key.Interface().(encoding.TextUnmarshaler)
		switch {
		case isText && text.UnmarshalText([]byte(m.name)) == nil:
			if k := key.Elem().Interface(); keys[k] && o.has(diffSameKey) {
				return nil, errors.New("a key twice")
			} else {
				keys[k] = true
			}
		case !isText && t.Key().Kind() != reflect.String && o.has(diffKeys) && !plainInteger.MatchString(m.name):
			return nil, errors.New("not a plain integer")
		}
		out = appendMember(out, m.name, value)
	}
	return append(out, '}'), nil
}

// rewriteStruct leaves out the members that are not named to the letter: they
// are unknown, and encoding/json looks through case.
func (o *oracle) rewriteStruct(t reflect.Type, raw []byte) ([]byte, error) {
	if raw[0] != '{' {
		return nil, errors.New("not an object")
	}
	out := []byte{'{'}
	fields := jsonFields(t)
	for _, m := range jsonMembers(raw) {
		i := slices.IndexFunc(fields, func(f jsonField) bool { return f.name == m.name })
		if i < 0 {
			if o.strict {
				return nil, errors.New("an unknown member")
			}
			continue
		}
		fields[i].optional = true // it is there
		value, err := o.rewriteField(fields[i], m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		out = appendMember(out, m.name, value)
	}
	for _, f := range fields {
		if !f.optional {
			return nil, fmt.Errorf("%s is missing", f.name)
		}
	}
	return append(out, '}'), nil
}

var jsonNumberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// rewriteField is rewrite for a field, which may be quoted.
func (o *oracle) rewriteField(f jsonField, raw []byte) ([]byte, error) {
	if !f.quoted {
		return o.rewrite(f.typ, raw)
	}
	t := f.typ
	if t.Kind() == reflect.Pointer {
		if string(raw) == "null" {
			return raw, nil
		}
		t = t.Elem()
	}
	if err := wantString(raw); err != nil || !o.has(diffQuoted) {
		return raw, err
	}
	var inner string
	if err := json.Unmarshal(raw, &inner); err != nil {
		return nil, err
	}
	isInteger := t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr
	isFloat := t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 || t == reflect.TypeFor[json.Number]()
	if isInteger && !plainInteger.MatchString(inner) || isFloat && !jsonNumberForm.MatchString(inner) {
		return nil, errors.New("not a number in quotes")
	}
	return raw, nil
}

// errNoOpinion says that encoding/json gets it wrong.
var errNoOpinion = errors.New("encoding/json is of no help here")

// A jsonField is a member of an object by the rules of encoding/json.
type jsonField struct {
	name     string
	typ      reflect.Type
	index    []int
	optional bool
	tagged   bool
	quoted   bool
}

// jsonFields returns the fields of the struct t, by the description in the
// documentation of json.Marshal. The result is the caller's.
func jsonFields(t reflect.Type) []jsonField {
	known, ok := knownFields.Load(t)
	if !ok {
		known, _ = knownFields.LoadOrStore(t, findFields(t))
	}
	return slices.Clone(known.([]jsonField))
}

var knownFields sync.Map // from reflect.Type to []jsonField

func findFields(t reflect.Type) []jsonField {
	var all []jsonField
	collectFields(t, nil, false, nil, &all)
	var seen []jsonField
	for _, f := range all {
		wins := true
		for _, other := range all {
			if other.name != f.name || slices.Equal(other.index, f.index) {
				continue
			}
			deeper := cmp.Compare(len(other.index), len(f.index))
			if deeper < 0 || deeper == 0 && (other.tagged || !f.tagged) {
				wins = false
			}
		}
		if wins {
			seen = append(seen, f)
		}
	}
	return seen
}

func collectFields(t reflect.Type, index []int, optional bool, open []reflect.Type, all *[]jsonField) {
	if slices.Contains(open, t) {
		return
	}
	open = append(slices.Clip(open), t)
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if strings.ContainsAny(name, `"'\,`+"`") {
			name = ""
		}
		inner := sf.Type
		if inner.Name() == "" && inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		at := append(slices.Clip(index), i)
		switch {
		case tag == "-":
		case sf.Anonymous && inner.Kind() == reflect.Struct && name == "":
			collectFields(inner, at, optional || sf.Type != inner, open, all)
		case sf.IsExported():
			words := strings.Split(options, ",")
			k := inner.Kind()
			*all = append(*all, jsonField{
				name: cmp.Or(name, sf.Name), typ: sf.Type, index: at, tagged: name != "",
				optional: optional || slices.Contains(words, "omitempty") || slices.Contains(words, "omitzero"),
				quoted:   slices.Contains(words, "string") && (k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String),
			})
		}
	}
}

// same reports whether the decoder's value is that of encoding/json.
func (o *oracle) same(ours, theirs reflect.Value) bool {
	if ours.Type() != theirs.Type() {
		return false
	}
	if ours.Type() == reflect.TypeFor[time.Time]() && ours.CanInterface() && o.has(diffZone) {
		a, b := ours.Interface().(time.Time), theirs.Interface().(time.Time)
		_, zoneA := a.Zone()
		_, zoneB := b.Zone()
		return a.Equal(b) && zoneA == zoneB
	}
	if optionalElem(ours.Type()) != nil {
		a, b := reflect.New(ours.Type()).Elem(), reflect.New(ours.Type()).Elem()
		a.Set(ours)
		b.Set(theirs)
		x, okX := optionalValue(a)
		y, okY := optionalValue(b)
		return okX == okY && a.IsZero() == b.IsZero() && (!okX || o.same(x, y))
	}
	switch ours.Kind() {
	case reflect.Interface:
		if ours.IsNil() || theirs.IsNil() {
			return ours.IsNil() == theirs.IsNil()
		}
		want := theirs.Elem()
		if n, ok := want.Interface().(json.Number); ok && o.has(diffAny) {
			want = reflect.ValueOf(anyNumber(n))
		}
		return o.same(ours.Elem(), want)
	case reflect.Pointer:
		if ours.IsNil() || theirs.IsNil() || ours.Pointer() == theirs.Pointer() {
			return ours.Pointer() == theirs.Pointer()
		}
		return o.same(ours.Elem(), theirs.Elem())
	case reflect.Slice, reflect.Array:
		if ours.Kind() == reflect.Slice && ours.IsNil() != theirs.IsNil() || ours.Len() != theirs.Len() {
			return false
		}
		for i := range ours.Len() {
			if !o.same(ours.Index(i), theirs.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return o.sameMap(ours, theirs)
	case reflect.Struct:
		for i := range ours.NumField() {
			if !o.same(ours.Field(i), theirs.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(ours.Float()) == math.Float64bits(theirs.Float())
	case reflect.Func:
		return ours.IsNil() && theirs.IsNil()
	}
	return ours.Equal(theirs)
}

func (o *oracle) sameMap(ours, theirs reflect.Value) bool {
	if ours.IsNil() != theirs.IsNil() || ours.Len() != theirs.Len() {
		return false
	}
	for it := ours.MapRange(); it.Next(); {
		other := theirs.MapIndex(it.Key())
		if !other.IsValid() || !o.same(it.Value(), other) {
			return false
		}
	}
	return true
}

// anyNumber returns what a number is in an any: a float64 where that holds it.
func anyNumber(n json.Number) any {
	f, err := n.Float64()
	if err != nil {
		return n
	}
	whole, ok := new(big.Int).SetString(string(n), 10)
	if ok && math.Abs(f) >= 1<<53 {
		if back, _ := big.NewFloat(f).Int(nil); back.Cmp(whole) != 0 {
			return n
		}
	}
	return f
}

// Verify the oracle's own view of structs: encoding/json writes these names, in
// this order, and no others.
func TestOracleFields(t *testing.T) {
	for _, c := range oracleCodecs(t) {
		fields := fieldsOf(c.typ)
		if fields == nil {
			continue
		}
		v := reflect.New(c.typ).Elem()
		g := valuer{Rand: rand.New(rand.NewPCG(5, 6)), full: true}
		g.fill(v, 6)
		text, err := json.Marshal(v.Addr().Interface())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got, want []string
		for _, m := range jsonMembers(text) {
			got = append(got, m.name)
		}
		for _, f := range fields {
			if !(f.optional && f.typ.Size() == 0) { // always empty
				want = append(want, f.name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: encoding/json writes %q, the oracle has %q in %v", c.name, got, want, c.typ)
		}
	}
}

type (
	unionShape struct {
		Kind  string      `json:"kind" discriminator:"true"`
		Name  string      `json:"name" minLength:"1"`
		Dot   *unionDot   `variant:"dot"`
		Group *unionGroup `variant:"group"`
		Empty *struct{}   `variant:"empty"`
	}
	unionDot struct {
		X    int    `json:"x" maximum:"9"`
		Note string `json:"note,omitempty"`
	}
	unionGroup struct {
		Parts []unionShape          `json:"parts,omitempty"`
		ByKey map[string]unionShape `json:"byKey,omitempty"`
		Next  *unionShape           `json:"next,omitempty"`
		Other *unionOther           `json:"other,omitempty"`
	}
	unionOther struct {
		Type string `json:"type" discriminator:"true"`
		A    *struct {
			Name string `json:"name"`
		} `variant:"a"`
		B *struct {
			A *unionOther `json:"a,omitempty"`
		} `variant:"b"`
	}
	// plainDot, plainGroup and plainEmpty are the alternatives of unionShape, each as a
	// struct of its own.
	plainDot struct {
		Kind string `json:"kind" enum:"dot"`
		Name string `json:"name" minLength:"1"`
		unionDot
	}
	plainGroup struct {
		Kind string `json:"kind" enum:"group"`
		Name string `json:"name" minLength:"1"`
		unionGroup
	}
	plainEmpty struct {
		Kind string `json:"kind" enum:"empty"`
		Name string `json:"name" minLength:"1"`
	}
)

// unionPlans has the decoders and encoders of these types, strict.
type unionPlans struct {
	decode map[reflect.Type]decodeFunc
	encode map[reflect.Type]encodeFunc
}

func newUnionPlans(t testing.TB) *unionPlans {
	p := new(mistakes)
	shapes, decoders, encoders := newShapes(p), newDecoders(p, true), newEncoders(false)
	plans := &unionPlans{make(map[reflect.Type]decodeFunc), make(map[reflect.Type]encodeFunc)}
	types := []reflect.Type{reflect.TypeFor[unionShape](), reflect.TypeFor[plainDot](), reflect.TypeFor[plainGroup](), reflect.TypeFor[plainEmpty]()}
	for _, typ := range types {
		shapes.shapeFor(typ, typ.String())
	}
	shapes.finishShapes()
	for _, typ := range types {
		s := shapes.shapeFor(typ, typ.String())
		plans.decode[typ], plans.encode[typ] = decoders.decoderFor(s), encoders.encoderFor(s)
	}
	if len(p.list) > 0 {
		t.Fatal(p.list)
	}
	return plans
}

// read decodes text into a new value of a type, and writes it again.
func (u *unionPlans) read(t testing.TB, typ reflect.Type, text []byte) (reflect.Value, string, error) {
	d, v := new(decoder), reflect.New(typ).Elem()
	d.start(text)
	u.decode[typ](d, v)
	d.scan.checkEnd()
	if err := d.finish(); err != nil {
		return v, "", err
	}
	var e encoder
	u.encode[typ](&e, v)
	if e.err != nil {
		t.Fatalf("%s is read and not written: %v", text, e.err)
	}
	return v, string(e.buf), nil
}

var unionTexts = []string{
	`{"kind":"dot","name":"a","x":1}`,
	`{"x":1,"name":"a","kind":"dot"}`,
	` { "k\u0069nd" : "d\u006ft" , "name" : "a" , "x" : 10 , "y" : 1 } `,
	`{"kind":"empty","name":""}`,
	`{"kind":"empty","name":"a","x":1,"parts":[]}`,
	`{"name":"a"}`, `{"kind":1}`, `{"kind":null,"name":"a"}`, `{"kind":"no"}`, `{"kind":"","name":1}`, `[]`, `null`, `{`, `{"kind"`, `{"kind":"dot`,
	`{"kind":"dot","kind":"dot","name":"a","x":1}`, `{"name":"a","x":1,"kind":"dot","x":1}`,
	`{"name":"g","parts":[{"name":"a","x":1,"kind":"dot"},{"kind":"empty"},{"x":1}],"kind":"group","byKey":{"k":{"kind":"dot"}},"next":null}`,
	`{"name":"g","other":{"a":{"name":"x","kind":"dot","type":"a"},"type":"b"},"kind":"group"}`,
	`{"kind":"group","next":{"kind":0A0000"0`, `{"kind":"group","next":{"kind":"","kind":`,
	`{"kind":"group","name":"g","next":{"kind":"group","name":"h","next":{"name":"i","kind":"empty"}}}`,
}

// FuzzUnion holds a union to its alternatives, each decoded as a struct of its own: the
// same texts are taken, with the same violations, and read and written to the same JSON.
func FuzzUnion(f *testing.F) {
	for _, text := range unionTexts {
		f.Add([]byte(text))
	}
	plans := newUnionPlans(f)
	plain := map[string]reflect.Type{"dot": reflect.TypeFor[plainDot](), "group": reflect.TypeFor[plainGroup](), "empty": reflect.TypeFor[plainEmpty]()}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, written, err := plans.read(t, reflect.TypeFor[unionShape](), text)
		s := scanner{data: text}
		s.skipValue()
		s.checkEnd()
		var members map[string]json.RawMessage
		kind, said := "", ""
		if s.err == nil && json.Unmarshal(text, &members) == nil {
			json.Unmarshal(members["kind"], &kind)
		}
		alternative := plain[kind]
		switch {
		case alternative == nil && err == nil:
			t.Fatalf("%s is taken as %s", text, written)
		case alternative == nil && s.err == nil: // one violation, of the discriminator
			var e *Error
			if list := []Violation(nil); errors.As(err, &e) {
				list = e.Violations()
				if len(list) != 1 || list[0].Path != "/kind" && isJSONObject(bytes.TrimLeft(text, " \t\r\n")) {
					t.Fatalf("%s: %v", text, list)
				}
			}
			return
		case alternative == nil: // of any type it is this syntax error, in another place perhaps
			_, _, wantErr := plans.read(t, plain["empty"], text)
			var e, want *Error
			if !errors.As(err, &e) || !errors.As(wantErr, &want) || len(e.Violations()) != 1 || e.Violations()[0].Message != want.Violations()[0].Message {
				t.Fatalf("%s:\n got %v\nwant %v", text, err, wantErr)
			}
			return
		}
		_, want, wantErr := plans.read(t, alternative, text)
		if wantErr != nil {
			said = wantErr.Error()
		}
		if written != want || (err == nil) != (wantErr == nil) || err != nil && err.Error() != said {
			t.Fatalf("%s:\n got %s %v\nwant %s %v", text, written, err, want, wantErr)
		}
		if e, ok := err.(*Error); ok && !reflect.DeepEqual(e.Violations(), wantErr.(*Error).Violations()) {
			t.Fatalf("%s:\n got %v\nwant %v", text, e.Violations(), wantErr.(*Error).Violations())
		}
		if err == nil && got.Field(0).String() != kind {
			t.Fatalf("%s: the discriminator is %q", text, got.Field(0))
		}
	})
}

// Verify that unions in one another are taken whatever their depth and length, and also
// if their discriminators have different names.
func TestUnionAhead(t *testing.T) {
	plans := newUnionPlans(t)
	nest := func(depth, pad int, first bool) string {
		text := `{"kind":"empty","name":"` + strings.Repeat("x", 1+pad) + `"}`
		for range depth {
			if first {
				text = `{"kind":"group","name":"a","next":` + text + `}`
			} else {
				text = `{"name":"a","next":` + text + `,"kind":"group"}`
			}
		}
		return text
	}
	for _, text := range []string{
		nest(900, 1<<20, true),
		nest(990, 1<<20, false),
		`{"name":"a","parts":[` + nest(90, 1<<20, false) + "," + nest(90, 1<<20, true) + `,{"name":"a","x":1,"kind":"dot"}],"kind":"group"}`,
		`{"name":"a","other":{"a":{"name":"b","type":"a"},"type":"b"},"kind":"group"}`,
	} {
		if _, _, err := plans.read(t, reflect.TypeFor[unionShape](), []byte(text)); err != nil {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}
