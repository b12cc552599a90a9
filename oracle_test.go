//lint:file-ignore SA5008,U1000 odd tags and fields that nobody uses are what the oracle is asked about

package svc

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"net"
	"net/netip"
	"reflect"

	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// This file makes up JSON texts for the oracle tests: such as a type takes, in
// every spelling, and then damaged ones.

// A texter writes JSON for types. What it writes is mostly what the type takes,
// and now and then not.
type texter struct {
	*rand.Rand
	buf   bytes.Buffer
	depth int

	// takes reports whether an object with one member is right for a field. Members for which
	// it is false are written anew, mostly. If it is nil, members keep the rules by chance.
	takes  func(f reflect.StructField, text []byte) bool
	listed []string // the values in the tag enum of the field whose member is written
}

// text returns a JSON text for a value of type t.
func (w *texter) text(t reflect.Type) []byte {
	w.buf.Reset()
	w.depth = 0
	w.space()
	w.value(t)
	w.space()
	return bytes.Clone(w.buf.Bytes())
}

func pickOne[T any](w *texter, choices ...T) T { return choices[w.IntN(len(choices))] }

// rarely is true once in n times.
func (w *texter) rarely(n int) bool { return w.IntN(n) == 0 }

// pick returns one of the texts, mostly one that is good.
func (w *texter) pick(texts []string, good func(string) bool) string {
	s := pickOne(w, texts...)
	if !w.rarely(20) {
		for tries := 0; tries < 100 && !good(s); tries++ {
			s = pickOne(w, texts...)
		}
	}
	return s
}

func (w *texter) space() {
	if w.rarely(6) {
		w.buf.WriteString(pickOne(w, " ", "\n", "\t", "\r", " \r\n\t "))
	}
}

// value writes a value of type t.
func (w *texter) value(t reflect.Type) {
	w.depth++
	defer func() { w.depth-- }()
	switch {
	case w.rarely(150):
		w.anything()
		return
	case w.special(t):
		return
	case optionalElem(t) != nil && w.rarely(4):
		w.buf.WriteString("null")
		return
	case optionalElem(t) != nil:
		w.value(optionalElem(t))
		return
	}
	switch k := t.Kind(); k {
	case reflect.Bool:
		w.buf.WriteString(pickOne(w, "true", "false"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.buf.WriteString(w.integer(t.Bits(), true))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.buf.WriteString(w.integer(t.Bits(), false))
	case reflect.Float32, reflect.Float64:
		w.buf.WriteString(w.number())
	case reflect.String:
		w.str(pickOne(w, stringTexts...))
	case reflect.Pointer:
		if w.rarely(4) || w.depth > 12 {
			w.buf.WriteString("null")
		} else {
			w.value(t.Elem())
		}
	case reflect.Slice, reflect.Array:
		w.list(t)
	case reflect.Map:
		w.table(t)
	case reflect.Struct:
		w.object(t)
	default:
		w.anything()
	}
}

// special writes a value of a type whose JSON is not that of its kind, and
// reports whether t is one.
func (w *texter) special(t reflect.Type) bool {
	switch k := t.Kind(); {
	case len(w.listed) > 1 && k >= reflect.Int && k <= reflect.Float64 && !w.rarely(10):
		w.buf.WriteString(pickOne(w, w.listed...))
	case len(w.listed) > 1 && k == reflect.String && !w.rarely(10):
		w.str(pickOne(w, w.listed...))
	case w.enumText(t) != "" && !w.rarely(10):
		w.buf.WriteString(w.enumText(t))
	case t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[OStamp]():
		w.str(w.pick(timeTexts, rfc3339.MatchString))
	case t == reflect.TypeFor[time.Duration]():
		w.str(w.pick(durationTexts, func(s string) bool { _, err := time.ParseDuration(s); return err == nil }))
	case t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[oVerbatim]():
		w.anything()
	case t == reflect.TypeFor[json.Number]():
		w.buf.WriteString(w.number())
	case t == reflect.TypeFor[oPicky]():
		w.buf.WriteString(pickOne(w, "1", "3", "-5", "7", "99", "2"))
	case t.Kind() == reflect.Pointer:
		return false
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) && t.Kind() != reflect.Interface:
		w.textual(t)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		w.str(w.pick(base64Texts, func(s string) bool { _, err := base64.StdEncoding.DecodeString(s); return err == nil }))
	default:
		return false
	}
	return true
}

// enumText returns the JSON of one of the values of a type with a method Enum, or "".
func (w *texter) enumText(t reflect.Type) string {
	method := reflect.New(t).MethodByName("Enum")
	if !method.IsValid() || t.Kind() == reflect.Pointer {
		return ""
	}
	list := method.Call(nil)[0]
	text, _ := json.Marshal(list.Index(w.IntN(list.Len())).Interface())
	return string(text)
}

// textual writes a value of a type with an UnmarshalText.
func (w *texter) textual(t reflect.Type) {
	if t == reflect.TypeFor[big.Int]() {
		w.buf.WriteString(pickOne(w, "0", "-1", "123456789012345678901234567890", "null", `"1"`))
		return
	}
	w.str(w.pick(textTexts, func(s string) bool {
		return reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)) == nil
	}))
}

func (w *texter) list(t reflect.Type) {
	n := w.IntN(4)
	if w.depth > 6 {
		n = 0
	}
	if t.Kind() == reflect.Array && !w.rarely(20) {
		n = t.Len()
	}
	w.buf.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.space()
		w.value(t.Elem())
		w.space()
	}
	w.buf.WriteByte(']')
}

func (w *texter) table(t reflect.Type) {
	w.buf.WriteByte('{')
	used := make(map[string]bool)
	for range w.IntN(4) {
		key := w.key(t.Key())
		if used[key] || w.depth > 8 {
			continue
		}
		w.member(key, len(used) == 0, t.Elem())
		used[key] = true
	}
	w.buf.WriteByte('}')
}

func (w *texter) key(t reflect.Type) string {
	switch {
	case w.enumText(t) != "" && !w.rarely(10):
		return strings.Trim(w.enumText(t), `"`)
	case t == reflect.TypeFor[netip.Addr]():
		return pickOne(w, "1.2.3.4", "::1", "::2", "0:0::1", "10.0.0.1", "x")
	case t == reflect.TypeFor[oFold]():
		return pickOne(w, "a", "A", "b", "c", "é", "", "d", "e", "bad")
	case t.Kind() == reflect.String:
		return pickOne(w, stringTexts...)
	case w.rarely(10):
		return pickOne(w, "01", "+1", "-0", "1.0", "1e2", "", " 1", "0x1", "1_0", "99999999999999999999", "a")
	case t.Bits() == 8:
		return strconv.Itoa(w.IntN(200))
	}
	return strconv.Itoa(w.IntN(1000))
}

// member writes a member with a value of type t, or of any if t is nil.
func (w *texter) member(name string, first bool, t reflect.Type) {
	if !first {
		w.buf.WriteByte(',')
	}
	w.space()
	w.str(name)
	w.space()
	w.buf.WriteByte(':')
	w.space()
	if t == nil {
		w.anything()
	} else {
		w.value(t)
	}
	w.space()
}

func (w *texter) object(t reflect.Type) {
	fields := jsonFields(t)
	if w.rarely(3) {
		w.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	}
	w.buf.WriteByte('{')
	first := true
	for _, f := range fields {
		switch {
		case f.optional && (w.rarely(3) || w.depth > 6), w.rarely(300):
			continue
		case f.quoted:
			w.quotedMember(f, first)
		default:
			w.fieldMember(t.FieldByIndex(f.index), f, first)
		}
		first = false
		if w.rarely(40) {
			w.member(pickOne(w, "unknown", "", f.name+"x", "x"+f.name, strings.ToUpper(f.name), "\U0001F600"), first, nil)
		}
	}
	w.buf.WriteByte('}')
}

// fieldMember writes a member for a field, mostly one that the field takes.
func (w *texter) fieldMember(sf reflect.StructField, f jsonField, first bool) {
	start := w.buf.Len()
	w.member(f.name, first, f.typ)
	for tries := 0; w.takes != nil && tries < 100 && !w.rarely(50); tries++ {
		member := bytes.TrimPrefix(w.buf.Bytes()[start:], []byte(","))
		if w.takes(sf, concat([]byte("{"), member, []byte("}"))) {
			return
		}
		w.buf.Truncate(start)
		w.listed = strings.Split(sf.Tag.Get("enum"), ",")
		w.member(f.name, first, f.typ)
		w.listed = nil
	}
}

// quotedMember writes a member whose scalar is in a string.
func (w *texter) quotedMember(f jsonField, first bool) {
	w.member(f.name, first, reflect.TypeFor[struct{}]())
	w.buf.Truncate(bytes.LastIndexByte(w.buf.Bytes(), ':') + 1)
	t := f.typ
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	inner := texter{Rand: w.Rand}
	switch {
	case w.rarely(20):
		w.str(pickOne(w, "01", "null", "0x1p-2", "+1", "1.0", "1e2", " 1", "", `"`, `" "`, ` "a"`, `"\ud800"`, `"a" `, "tru", "True", "NaN",
			"Inf", "1_0", `"\q"`))
	case f.typ.Kind() == reflect.Pointer && w.rarely(4):
		w.buf.WriteString("null")
	case t.Kind() == reflect.Bool || t.Kind() == reflect.String || t.Kind() == reflect.Float64:
		inner.value(t)
		w.str(inner.buf.String())
	default:
		w.str(strconv.Itoa(w.IntN(130)))
	}
}

// anything writes some JSON value.
func (w *texter) anything() {
	w.depth++
	defer func() { w.depth-- }()
	switch n := w.IntN(9); {
	case n == 0 && w.depth < 5:
		w.list(reflect.TypeFor[[]any]())
	case n == 1 && w.depth < 5:
		w.table(reflect.TypeFor[map[string]any]())
	case n == 2:
		w.buf.WriteString("null")
	case n == 3:
		w.buf.WriteString(pickOne(w, "true", "false"))
	case n == 4:
		w.buf.WriteString(w.integer(64, true))
	case n == 5:
		w.buf.WriteString(w.number())
	case n == 6:
		w.buf.WriteString(pickOne(w, "[]", "{}", `""`, "0", `"null"`, "[[]]", `{"":{}}`))
	default:
		w.str(pickOne(w, stringTexts...))
	}
}

// integer returns a number that an integer of so many bits mostly takes.
func (w *texter) integer(bits int, signed bool) string {
	n := w.Uint64() >> (64 - bits) >> w.IntN(bits)
	text := strconv.FormatUint(n, 10)
	switch {
	case w.rarely(40):
		return pickOne(w, numberTexts...)
	case signed:
		text = strconv.FormatInt(int64(n>>1), 10)
		if n&1 != 0 {
			text = "-" + text
		}
	}
	switch {
	case w.rarely(15):
		text += pickOne(w, ".0", "e0", ".000", "E+0", "e-0", ".0e00")
	case w.rarely(15) && len(text) > 2 && text[0] != '-':
		text = text[:1] + "." + text[1:] + "e" + strconv.Itoa(len(text)-1)
	}
	return text
}

func (w *texter) number() string {
	if w.rarely(8) {
		return pickOne(w, numberTexts...)
	}
	f := w.NormFloat64() * float64(w.IntN(1e6))
	return strconv.FormatFloat(f, pickOne[byte](w, 'f', 'e', 'E', 'g'), w.IntN(8)-1, 32)
}

// str writes a string in one of its many spellings.
func (w *texter) str(s string) {
	w.buf.WriteByte('"')
	plain := !w.rarely(4)
	for _, r := range s {
		short := strings.IndexRune("\"\\/\b\f\n\r\t", r)
		switch {
		case short >= 0 && w.rarely(2):
			w.buf.WriteString(`\` + string(`"\/bfnrt`[short]))
		case r < ' ' || r == '"' || r == '\\' || !plain && w.rarely(3):
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&w.buf, pickOne(w, `\u%04x`, `\u%04X`), u)
			}
		default:
			w.buf.WriteRune(r)
		}
	}
	w.buf.WriteByte('"')
}

// What the texter picks from. The tables also seed the fuzz targets.
var (
	stringTexts = []string{"", "a", "b", "A", "ab", "null", "1", "title", "é", "日本", "\U0001F600", "\U00010000", "\uffff", "\ufffd", "\x00",
		"\x1f", "\x7f", "\u2028", "a\"b", `a\b`, "a/b~c",
		"<&>", "\t\n\r\b\f", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("y", 65), strings.Repeat("é", 32), strings.Repeat("z", 300)}
	numberTexts = []string{"0", "-0", "0.0", "-0.0", "0e0", "0e999999999", "0.0e-999999999", "1", "-1", "1.0", "1.5", "-1.5", "1e0", "1e2",
		"1E+2", "100e-2", "15e-1", "1.50e1", "1.05e1", "12e-1", "127", "128", "-128", "-129",
		"255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "9.223372036854775807e18", "9223372036854775807.0", "9223372036854775807.5",
		"1e18", "1e19", "1e20", "1e21", "1.8446744073709551615e19", "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "1e400", "-1e400", "1e-400", "5e-324", "2e-324", "3.4028235e38", "3.4028236e38", "1e-46", "1e1000000000", "1e-1000000000",
		"1e99999999999999999999", "-1e-99999999999999999999", "123456789012345678901234567890", "0.1", "0.30000000000000004", "1000000000000000000000e-21", "0.000000000000000000001e21", "10000000000000000000000", "20e-1", "00.1e1"[1:]}
	timeTexts = []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.999999999Z", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999999999Z", "2024-02-29T00:00:00+01:30", "2024-02-29T00:00:00-23:59", "2006-01-02T15:04:05+00:00",
		"2006-01-02T15:04:05-00:00",
		"2023-02-29T00:00:00Z", "2006-01-02T24:00:00Z", "2006-01-02T15:04:60Z", "2006-01-02T15:04:05,5Z", "2006-01-02T5:04:05Z", "2006-01-02t15:04:05z", "2006-01-02 15:04:05Z", "2006-01-02T15:04:05", "2006-01-02T15:04:05+24:00", "2006-01-02T15:04:05+01:60", "2006-01-02T15:04:05.Z",
		"2006-01-02T15:04:05.1234567891234Z", "2006-13-02T15:04:05Z", "2006-01-02", "", "20060-01-02T15:04:05Z", "2006-01-02T15:04Z", "2006-01-02T15:04:05+0100", "2006-01-02T15:04:05Z ", "+2006-01-02T15:04:05Z"}
	durationTexts = []string{"0", "1s", "1h30m", "-1.5s", "+5ms", "1µs", "1μs", "1us", "2562047h47m16.854775807s",
		"-2562047h47m16.854775808s", "2562048h", "1", "", "s", "1d", ".5s", "1.s", "1h ", "-0", "1e3s", ".s"}
	base64Texts = []string{"", "AA==", "AAA=", "AAAA", "//8=", "+/+/", "AB==", "AAB=", "AA", "A", "AA=", "AA==AA==", "A A=", "AA\n==",
		"AAAA\r\n", "-_-_", "====", "AAAA\n", "é"}
	textTexts = []string{"1.2.3.4", "::1", "fe80::1%eth0", "", "x", "X", "bad", "1.2.3.4/8", "1.2.3.4:80", "a:b", ":", "1/3", "INFO",
		"WARN+1", "1.5", "12", "é\x00", "::ffff:1.2.3.4"}
)

// damage returns text with something wrong with it, mostly.
func (w *texter) damage(text []byte) []byte {
	tokens := tokensIn(text)
	if len(tokens) == 0 {
		return []byte(pickOne(w, "x", "{", "\xef\xbb\xbf{}", "[,]"))
	}
	a, b := tokens[w.IntN(len(tokens))], tokens[w.IntN(len(tokens))]
	if a[0] > b[0] {
		a, b = b, a
	}
	i := w.IntN(len(text))
	splice := func(from, to int, with string) []byte {
		return concat(text[:from], []byte(with), text[to:])
	}
	token := string(text[a[0]:a[1]])
	switch w.IntN(13) {
	case 0:
		return splice(i, i+1, string([]byte{text[i] ^ 1<<w.IntN(8)}))
	case 1:
		return splice(i, i+1, "")
	case 2:
		return splice(i, i, string(text[i:i+1]))
	case 3:
		return splice(i, len(text), "")
	case 4:
		return splice(i, i, pickOne(w, "\x00", "\xff", "\xef\xbb\xbf", `\`, `"`, "{", "}", "[", "]", ",", ":", "0", "-", "e", ".", " ", "\x01",
			"//", "é", `\ud800`, `\u0000`))
	case 5:
		if a[1] <= b[0] { // two tokens change places
			return concat(text[:a[0]], text[b[0]:b[1]], text[a[1]:b[0]], []byte(token), text[b[1]:])
		}
		return splice(a[0], a[1], "")
	case 6, 7:
		return splice(a[0], a[1], pickOne(w, "null", "true", "0", `"x"`, "[]", "{}", `""`, "1.5", `"null"`, `[null]`, "-1", "1e400"))
	case 8: // a token twice, or two members in place of one
		return splice(a[0], a[0], token+pickOne(w, "", ",", ":1,"))
	case 9:
		return splice(a[0], a[1], flipCase(w, token))
	case 10:
		return splice(a[0], a[1], pickOne(w, numberTexts...))
	case 11:
		return splice(a[0], b[0], "")
	}
	return splice(len(text), len(text), pickOne(w, " ", "x", "{}", "\x00", ",", "null", "]", "}"))
}

// tokensIn returns where the tokens of a text begin and end: strings, runs of what
// numbers are made of, names of values, and for all else single characters.
func tokensIn(text []byte) [][2]int {
	var tokens [][2]int
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRune(text[i:])
		if m := closingQuote(text[i:]); m > 0 {
			n = m
		} else if m := len(text[i:]) - len(bytes.TrimLeft(text[i:], "-+.eE0123456789")); m > 0 {
			n = m
		}
		for _, name := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(text[i:], []byte(name)) {
				n = len(name)
			}
		}
		tokens = append(tokens, [2]int{i, i + n})
		i += n
	}
	return tokens
}

// closingQuote returns the length of the string that text begins with, or 0.
func closingQuote(text []byte) int {
	if text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// flipCase changes the case of one letter, in a way that encoding/json looks
// through.
func flipCase(w *texter, s string) string {
	runes := []rune(s)
	i := w.IntN(len(runes))
	switch r := runes[i]; {
	case r == 's' && w.rarely(2):
		runes[i] = 'ſ'
	case r == 'k' && w.rarely(2):
		runes[i] = '\u212a' // the Kelvin sign
	default:
		runes[i] = unicode.SimpleFold(r)
	}
	return string(runes)
}

// This file lists the types that the oracle tests of the decoder and the
// encoder share: one of everything that a service may use, and types made up at
// random.

// A codec is a type with its compiled plan.
type codec struct {
	name   string
	typ    reflect.Type
	strict bool
	decode decodeFunc
	encode encodeFunc
	d      decoder // reused, as a service does it: a text must not see the last one's traces
}

// compileType compiles the plan for t.
func compileType(t testing.TB, name string, typ reflect.Type, strict bool) *codec {
	t.Helper()
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(typ, "T")
	if strict {
		s.closeObjects(make(map[*shape]bool))
	}
	c.finishShapes()
	c.checkUse(s, asInput, "T")
	c.checkUse(s, asOutput, "T")
	cod := &codec{name: name, typ: typ, strict: strict, decode: newDecoders(p, strict).decoderFor(s), encode: newEncoders(false).encoderFor(s)}
	for _, err := range p.list {
		t.Fatalf("%s (%v): %v", name, typ, err)
	}
	return cod
}

// unmarshal decodes text into a new value.
func (c *codec) unmarshal(text []byte) (reflect.Value, error) {
	v := reflect.New(c.typ).Elem()
	c.d.start(text)
	c.decode(&c.d, v)
	c.d.scan.checkEnd()
	return v, c.d.finish()
}

// marshal encodes v, which is addressable.
func (c *codec) marshal(v reflect.Value) ([]byte, error) {
	var e encoder
	c.encode(&e, v)
	return e.buf, e.err
}

// oracleCodecs compiles every type of the table, and then some made at random.
// Every third is strict.
func oracleCodecs(t testing.TB) []*codec {
	t.Helper()
	var all []*codec
	add := func(name string, typ reflect.Type) {
		all = append(all, compileType(t, name, typ, len(all)%3 == 2))
	}
	for _, typ := range oracleTypes() {
		add(typ.String(), typ)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		add("random struct "+strconv.Itoa(i), randomStruct(r, 2))
	}
	add("struct of 130 fields", wideStruct(130))
	return all
}

func oracleTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[oScalars](), reflect.TypeFor[oNamed](), reflect.TypeFor[oPointers](), reflect.TypeFor[oQuoted](),
		reflect.TypeFor[oOmit](), reflect.TypeFor[oOmitZero](), reflect.TypeFor[oArrays](), reflect.TypeFor[oMaps](), reflect.TypeFor[oBytes](),
		reflect.TypeFor[oTimes](), reflect.TypeFor[oTexts](), reflect.TypeFor[oCustoms](), reflect.TypeFor[oNumbers](), reflect.TypeFor[oAnys](),
		reflect.TypeFor[oNode](), reflect.TypeFor[oEven](), reflect.TypeFor[oPair[int, string]](), reflect.TypeFor[oPage[oPair[bool, oID]]](),
		reflect.TypeFor[oNames](), reflect.TypeFor[oHidden](), reflect.TypeFor[struct{}](), reflect.TypeFor[oStd](), reflect.TypeFor[oOptional](),

		reflect.TypeFor[oEmbedValue](), reflect.TypeFor[oEmbedPointer](), reflect.TypeFor[oEmbedDeep](), reflect.TypeFor[oEmbedAmbiguous](),
		reflect.TypeFor[oEmbedTagged](), reflect.TypeFor[oEmbedShadow](), reflect.TypeFor[oEmbedUnexported](), reflect.TypeFor[oEmbedScalar](),
		reflect.TypeFor[oEmbedSelf](), reflect.TypeFor[oEmbedTwice](), reflect.TypeFor[oEmbedNamed](), reflect.TypeFor[oEmbedCustom](),

		reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[int64](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](),
		reflect.TypeFor[float64](),
		reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[json.Number](),
		reflect.TypeFor[[]int8](), reflect.TypeFor[[][]string](), reflect.TypeFor[[3]int](), reflect.TypeFor[[0]string](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[[4]byte](),
		reflect.TypeFor[map[string][]int](), reflect.TypeFor[map[int8]bool](), reflect.TypeFor[map[uint64]*int](),
		reflect.TypeFor[map[netip.Addr]string](), reflect.TypeFor[map[oFold]int](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[*big.Int](),
		reflect.TypeFor[**string](), reflect.TypeFor[*oNode](),
		reflect.TypeFor[[]oScalars](), reflect.TypeFor[map[string]oNode](), reflect.TypeFor[[2]oPair[*int, []bool]](),
		reflect.TypeFor[[]struct{ A, B int }](),
	}
}

type oScalars struct {
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Uintptr uintptr
	Float32 float32
	Float64 float64
	String  string
}

type (
	oID     string
	oFlag   bool
	oCount  int8
	oSize   uint16
	oRatio  float32
	oList   []oID
	oTable  map[oID]oCount
	oBlob   []byte
	oByte   byte
	oOctets []oByte
	oAny    any
)

type oNamed struct {
	ID     oID     `json:"id"`
	Flag   oFlag   `json:"flag"`
	Count  oCount  `json:"count"`
	Size   oSize   `json:"size"`
	Ratio  oRatio  `json:"ratio"`
	List   oList   `json:"list"`
	Table  oTable  `json:"table"`
	Octets oOctets `json:"octets"`
	Any    oAny    `json:"any"`
}

type oOptional struct {
	Int    Optional[int8]            `json:"int,omitzero"`
	String Optional[string]          `json:"string,omitzero"`
	Time   Optional[time.Time]       `json:"time,omitzero"`
	Bytes  Optional[[]byte]          `json:"bytes,omitzero"`
	List   Optional[[]int]           `json:"list,omitzero"`
	Table  Optional[map[string]bool] `json:"table,omitzero"`
	Struct Optional[oPair[int, int]] `json:"struct,omitempty,omitzero"`
	Text   Optional[netip.Addr]      `json:"text,omitzero"`
	Custom Optional[oPicky]          `json:"custom,omitzero"`
	Last   bool                      `json:"last"`
}

type oPointers struct {
	Int    *int                `json:"int"`
	String **string            `json:"string"`
	Bool   ***bool             `json:"bool"`
	Slice  *[]int              `json:"slice"`
	Map    *map[string]int     `json:"map"`
	Ints   []*int              `json:"ints"`
	Ptrs   map[string]*float64 `json:"ptrs"`
	Struct *oPair[int, *int]   `json:"struct"`
	Array  *[2]*bool           `json:"array"`
	Opt    *string             `json:"opt,omitempty"`
	OptZ   *int                `json:"optz,omitzero"`
}

type oQuoted struct {
	Int     int          `json:"int,string"`
	Int8    int8         `json:"int8,string"`
	Uint64  uint64       `json:"uint64,string"`
	Float   float64      `json:"float,string"`
	Float32 oRatio       `json:"float32,string"`
	PInt    *int64       `json:"pint,string"`
	Number  json.Number  `json:"number,string"` // a string to encoding/json, so it does here
	PNumber *json.Number `json:"pnumber,string"`
}

type oOmit struct {
	Bool   bool              `json:"bool,omitempty"`
	Int    int32             `json:"int,omitempty"`
	Uint   uint8             `json:"uint,omitempty"`
	Float  float64           `json:"float,omitempty"`
	String string            `json:"string,omitempty"`
	Slice  []string          `json:"slice,omitempty"`
	Map    map[string]string `json:"map,omitempty"`
	Array  [2]int            `json:"array,omitempty"`
	Empty  [0]int            `json:"empty,omitempty"`
	Struct struct{ A int }   `json:"struct,omitempty"`
	Time   time.Time         `json:"time,omitempty,omitzero"` // omitempty alone means omitzero here
	Any    any               `json:"any,omitempty"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Both   []int             `json:"both,omitempty,omitzero"`
}

type oOmitZero struct {
	Bool    bool             `json:"bool,omitzero"`
	Int     int32            `json:"int,omitzero"`
	Float   float64          `json:"float,omitzero"`
	String  string           `json:"string,omitzero"`
	Slice   []string         `json:"slice,omitzero"`
	Map     map[string]int   `json:"map,omitzero"`
	Array   [2]int           `json:"array,omitzero"`
	Struct  struct{ A int }  `json:"struct,omitzero"`
	Time    time.Time        `json:"time,omitzero"`
	PTime   *time.Time       `json:"ptime,omitzero"`
	Addr    netip.Addr       `json:"addr,omitzero"`
	Zeroer  oZeroer          `json:"zeroer,omitzero"`
	PZeroer *oZeroer         `json:"pzeroer,omitzero"`
	Any     any              `json:"any,omitzero"`
	Both    *map[string]bool `json:"both,omitzero,omitempty"`
}

// An oZeroer has a zero of its own.
type oZeroer int

func (z *oZeroer) IsZero() bool { return *z == 7 }

type oArrays struct {
	None    [0]int                `json:"none"`
	One     [1]string             `json:"one"`
	Bools   [2][2]bool            `json:"bools"`
	Structs [2]oPair[int, string] `json:"structs"`
	Bytes   [4]byte               `json:"bytes"`
	Ptrs    [2]*uint8             `json:"ptrs"`
	Slices  [2][]int              `json:"slices"`
	Maps    [1]map[string]int     `json:"maps"`
}

type oMaps struct {
	String  map[string]int              `json:"string"`
	Named   map[oID]string              `json:"named"`
	Int     map[int]bool                `json:"int"`
	Int8    map[int8]string             `json:"int8"`
	Int64   map[int64]float64           `json:"int64"`
	Uint8   map[uint8]int               `json:"uint8"`
	Uint64  map[oSize]int               `json:"uint64"`
	Text    map[netip.Addr]bool         `json:"text"`
	Fold    map[oFold][]int             `json:"fold"`
	Struct  map[string]oPair[int, *int] `json:"struct"`
	Nested  map[string]map[int]string   `json:"nested"`
	Slice   []map[string]*oID           `json:"slice"`
	Arrays  map[string][2]int           `json:"arrays"`
	Durable map[string]time.Duration    `json:"durable"`
}

type oBytes struct {
	Bytes  []byte            `json:"bytes"`
	Blob   oBlob             `json:"blob"`
	Octets oOctets           `json:"octets"`
	List   [][]byte          `json:"list"`
	Ptr    *[]byte           `json:"ptr"`
	Fixed  [3]byte           `json:"fixed"`
	Named  [2]oByte          `json:"named"`
	Map    map[string][]byte `json:"map"`
}

type oTimes struct {
	Time  time.Time                `json:"time"`
	PTime *time.Time               `json:"ptime"`
	Times []time.Time              `json:"times"`
	Map   map[string]time.Time     `json:"map"`
	Dur   time.Duration            `json:"dur"`
	PDur  *time.Duration           `json:"pdur"`
	Durs  []time.Duration          `json:"durs"`
	Keys  map[time.Duration]string `json:"keys"`
	Opt   time.Duration            `json:"opt,omitempty"`
}

type oTexts struct {
	Addr   netip.Addr      `json:"addr"`
	PAddr  *netip.Addr     `json:"paddr"`
	Prefix netip.Prefix    `json:"prefix"`
	IP     net.IP          `json:"ip"`
	Fold   oFold           `json:"fold"`
	Folds  []oFold         `json:"folds"`
	Pair   oTextStruct     `json:"pair"`
	PPair  *oTextStruct    `json:"ppair"`
	Map    map[oFold]oFold `json:"map"`
	Rat    big.Rat         `json:"rat"`
	Level  slog.Level      `json:"level"`
}

// An oFold is a string in one case, so that two names may be one key.
type oFold string

func (f oFold) MarshalText() ([]byte, error) { return []byte(f), nil }

func (f *oFold) UnmarshalText(text []byte) error {
	if strings.Contains(string(text), "bad") {
		return errors.New("not a word that can be folded")
	}
	*f = oFold(strings.ToUpper(string(text)))
	return nil
}

// An oTextStruct is a struct that is a string in JSON.
type oTextStruct struct{ A, B string }

func (p *oTextStruct) MarshalText() ([]byte, error) { return []byte(p.A + ":" + p.B), nil }

func (p *oTextStruct) UnmarshalText(text []byte) (err error) {
	var ok bool
	if p.A, p.B, ok = strings.Cut(string(text), ":"); !ok {
		err = errors.New("no colon")
	}
	return err
}

type oCustoms struct {
	Big   big.Int              `json:"big"`
	PBig  *big.Int             `json:"pbig"`
	Raw   oVerbatim            `json:"raw"`
	Raws  []oVerbatim          `json:"raws"`
	Map   map[string]oVerbatim `json:"map"`
	PRaw  *oVerbatim           `json:"praw"`
	Picky oPicky               `json:"picky"`
	Opt   *oPicky              `json:"opt,omitempty"`
}

// An oVerbatim keeps the text that its UnmarshalJSON gets.
type oVerbatim struct{ text string }

func (v oVerbatim) MarshalJSON() ([]byte, error) {
	if v.text == "" {
		return []byte("null"), nil
	}
	return []byte(v.text), nil
}

func (v *oVerbatim) UnmarshalJSON(text []byte) error {
	v.text = string(text)
	return nil
}

// An oPicky takes odd integers.
type oPicky int

func (p *oPicky) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(*p)|1, 10), nil }

func (p *oPicky) UnmarshalJSON(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err == nil && n%2 == 0 {
		err = fmt.Errorf("%d is even", n)
	}
	*p = oPicky(n)
	return err
}

type oNumbers struct {
	Number  json.Number            `json:"number"`
	PNumber *json.Number           `json:"pnumber"`
	Numbers []json.Number          `json:"numbers"`
	Map     map[string]json.Number `json:"map"`
	Opt     json.Number            `json:"opt,omitempty"`
}

type oAnys struct {
	Any   any                        `json:"any"`
	PAny  *any                       `json:"pany"`
	Anys  []any                      `json:"anys"`
	Map   map[string]any             `json:"map"`
	Raw   json.RawMessage            `json:"raw"`
	PRaw  *json.RawMessage           `json:"praw"`
	Raws  []json.RawMessage          `json:"raws"`
	RMap  map[string]json.RawMessage `json:"rmap"`
	Named oAny                       `json:"named,omitempty"`
}

type oNode struct {
	Value int               `json:"value"`
	Next  *oNode            `json:"next,omitempty"`
	Kids  []oNode           `json:"kids,omitempty"`
	Names map[string]*oNode `json:"names,omitzero"`
}

type oEven struct {
	Odd *oOdd  `json:"odd"`
	Tag string `json:"tag,omitempty"`
}

type oOdd struct {
	Evens []oEven `json:"evens"`
}

type oPair[A, B any] struct {
	A A `json:"a"`
	B B `json:"b"`
}

type oPage[T any] struct {
	Items []T            `json:"items"`
	Total int            `json:"total"`
	Index map[string]T   `json:"index"`
	First *T             `json:"first,omitempty"`
	Inner oPair[T, [1]T] `json:"inner"`
}

type oNames struct {
	A int `json:"a/b~c"`
	B int `json:" "`
	C int `json:"größe"`
	D int `json:"<&>"`
	E int `json:"$ref"`
	F int
	G int `json:",omitempty"`
	H int `json:"-,"`
	I int `json:"0"`
	J int `json:"a,"`
	K int `json:"ſ"`
	L int `json:"Title"`
	M int `json:"K"` // not the Kelvin sign
	N int `xml:"n"`
}

type oHidden struct {
	Shown  int    `json:"shown"`
	Hidden int    `json:"-"`
	secret string // not seen
	Func   func() `json:"-"`
	Empty  struct{}
}

type oStd struct {
	Month   time.Month     `json:"month"`
	Port    netip.AddrPort `json:"port"`
	Float   *big.Float     `json:"float"`
	HTTP    map[string][]string
	Weekday map[time.Weekday]int `json:"weekday"`
}

type OBase struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
}

type OAudit struct {
	By *string   `json:"by"`
	At time.Time `json:"at,omitzero"`
}

type oEmbedValue struct {
	OBase
	Title string `json:"title"`
	OAudit
}

type oEmbedPointer struct {
	*OBase
	Title string `json:"title"`
	*OAudit
}

type OMiddle struct {
	*OBase
	Depth int `json:"depth"`
}

type oEmbedDeep struct {
	OMiddle
	*OAudit
	Last bool `json:"last"`
}

type OLeft struct {
	X    int
	Y    int `json:"y"`
	Only int
}

type ORight struct {
	X int
	Z int `json:"y"`
	W int `json:"w"`
}

type oEmbedAmbiguous struct { // X and y are two fields each, which its own hide
	OLeft
	*ORight
	Own string
	X   int
	Z   int `json:"y"`
}

type OUntagged struct{ V, W int }

type OTagged struct {
	Q int `json:"V"`
}

type oEmbedTagged struct { // of two as deep, the tagged one is seen
	OUntagged
	OTagged
}

type oEmbedShadow struct { // the outer id hides the inner one
	OMiddle
	ID string `json:"id"`
}

type oInner struct {
	A int `json:"a"`
	b int // not seen
}

type oInnerDeep struct{ oInner }

type oEmbedUnexported struct {
	oInnerDeep
	B string `json:"b"`
}

type OScalar int

type OStrings []string

type oEmbedScalar struct { // no structs, so fields of their own
	OScalar
	*OStrings
	oFlag // not exported, so not seen
}

type oEmbedSelf struct {
	*OLoop
	Own int `json:"own"`
}

type OLoop struct {
	*OLoop `json:"-"`
	Turn   int `json:"turn"`
	*OBase
}

type OPlain struct{ P, Q int }

type OOnce struct{ OPlain }

type OTwice struct{ OPlain }

type oEmbedTwice struct { // OPlain is there twice at one depth, and its field is hidden
	OOnce
	OTwice
	Own int
	P   int
	Q   int
}

type oEmbedNamed struct { // with a name, an embedded struct is a field
	OBase   `json:"base"`
	*OAudit `json:"audit,omitempty"`
	ID      int `json:"id"`
}

type oEmbedCustom struct { // a name keeps the methods of what is embedded from being those of the whole
	Stamp OStamp `json:"stamp"`
	When  oPair[time.Time, big.Int]
}

type OStamp struct{ time.Time }

// randomStruct makes up a struct type.
func randomStruct(r *rand.Rand, depth int) reflect.Type {
	var fields []reflect.StructField
	for i := range r.IntN(7) {
		f := reflect.StructField{Name: "F" + strconv.Itoa(i), Type: randomType(r, depth)}
		name := [...]string{"", "f" + strconv.Itoa(i) + "x", "é" + strconv.Itoa(i)}[r.IntN(3)]
		options := [...]string{"", "", "", ",omitempty", ",omitzero", ",string", ",omitempty,string"}[r.IntN(7)]
		if k := f.Type.Kind(); k < reflect.Int || k > reflect.Float64 || f.Type == typeDuration || hasOwnText(f.Type) {
			options = strings.TrimSuffix(options, ",string")
		}
		if f.Type == typeTime && options == ",omitempty" { // which means omitzero here
			options += ",omitzero"
		}
		if tag := name + options; tag != "" {
			f.Tag = reflect.StructTag(`json:"` + tag + `"`)
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

func randomType(r *rand.Rand, depth int) reflect.Type {
	leaves := [...]reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int64](), reflect.TypeFor[uint](),
		reflect.TypeFor[uint16](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[oID](), reflect.TypeFor[oCount](),
		reflect.TypeFor[[]byte](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[any](),
		reflect.TypeFor[json.RawMessage](),
		reflect.TypeFor[json.Number](), reflect.TypeFor[big.Int](), reflect.TypeFor[oPicky](), reflect.TypeFor[oFold](),
		reflect.TypeFor[oEmbedDeep](), reflect.TypeFor[oNode](),
	}
	if depth == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	keys := [...]reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[oID](), reflect.TypeFor[int8](), reflect.TypeFor[uint32](),
		reflect.TypeFor[oFold]()}
	switch r.IntN(9) {
	case 0, 1:
		return reflect.SliceOf(randomType(r, depth-1))
	case 2:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-1))
	case 3:
		return reflect.MapOf(keys[r.IntN(len(keys))], randomType(r, depth-1))
	case 4:
		return reflect.PointerTo(randomType(r, depth-1))
	case 5:
		return randomStruct(r, depth-1)
	}
	return leaves[r.IntN(len(leaves))]
}

// wideStruct makes up a struct with n fields: more than one word has bits.
func wideStruct(n int) reflect.Type {
	var fields []reflect.StructField
	for i := range n {
		tag := `json:"n` + strconv.Itoa(i) + `"`
		if i%3 == 0 {
			tag = `json:"n` + strconv.Itoa(i) + `,omitempty"`
		}
		fields = append(fields, reflect.StructField{Name: "N" + strconv.Itoa(i), Type: reflect.TypeFor[int8](), Tag: reflect.StructTag(tag)})
	}
	return reflect.StructOf(fields)
}
