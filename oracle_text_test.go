package svc

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
)

// This file makes up JSON texts for the oracle tests: such as a type takes, in
// every spelling, and then damaged ones.

// A texter writes JSON for types. What it writes is mostly what the type takes,
// and now and then not.
type texter struct {
	*rand.Rand
	buf   bytes.Buffer
	depth int
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
	switch {
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
			w.member(f.name, first, f.typ)
		}
		first = false
		if w.rarely(40) {
			w.member(pickOne(w, "unknown", "", f.name+"x", "x"+f.name, strings.ToUpper(f.name), "\U0001F600"), first, nil)
		}
	}
	w.buf.WriteByte('}')
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
		w.str(pickOne(w, "01", "null", "0x1p-2", "+1", "1.0", "1e2", " 1", "", `"`, `" "`, ` "a"`, `"\ud800"`, `"a" `, "tru", "True", "NaN", "Inf", "1_0", `"\q"`))
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
	stringTexts = []string{"", "a", "b", "A", "ab", "null", "1", "title", "é", "日本", "\U0001F600", "\U00010000", "\uffff", "\ufffd", "\x00", "\x1f", "\x7f", "\u2028", "a\"b", `a\b`, "a/b~c",
		"<&>", "\t\n\r\b\f", strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("y", 65), strings.Repeat("é", 32), strings.Repeat("z", 300)}
	numberTexts = []string{"0", "-0", "0.0", "-0.0", "0e0", "0e999999999", "0.0e-999999999", "1", "-1", "1.0", "1.5", "-1.5", "1e0", "1e2", "1E+2", "100e-2", "15e-1", "1.50e1", "1.05e1", "12e-1", "127", "128", "-128", "-129",
		"255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "9.223372036854775807e18", "9223372036854775807.0", "9223372036854775807.5",
		"1e18", "1e19", "1e20", "1e21", "1.8446744073709551615e19", "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "1e400", "-1e400", "1e-400", "5e-324", "2e-324", "3.4028235e38", "3.4028236e38", "1e-46", "1e1000000000", "1e-1000000000",
		"1e99999999999999999999", "-1e-99999999999999999999", "123456789012345678901234567890", "0.1", "0.30000000000000004", "1000000000000000000000e-21", "0.000000000000000000001e21", "10000000000000000000000", "20e-1", "00.1e1"[1:]}
	timeTexts = []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.999999999Z", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2024-02-29T00:00:00+01:30", "2024-02-29T00:00:00-23:59", "2006-01-02T15:04:05+00:00", "2006-01-02T15:04:05-00:00",
		"2023-02-29T00:00:00Z", "2006-01-02T24:00:00Z", "2006-01-02T15:04:60Z", "2006-01-02T15:04:05,5Z", "2006-01-02T5:04:05Z", "2006-01-02t15:04:05z", "2006-01-02 15:04:05Z", "2006-01-02T15:04:05", "2006-01-02T15:04:05+24:00", "2006-01-02T15:04:05+01:60", "2006-01-02T15:04:05.Z",
		"2006-01-02T15:04:05.1234567891234Z", "2006-13-02T15:04:05Z", "2006-01-02", "", "20060-01-02T15:04:05Z", "2006-01-02T15:04Z", "2006-01-02T15:04:05+0100", "2006-01-02T15:04:05Z ", "+2006-01-02T15:04:05Z"}
	durationTexts = []string{"0", "1s", "1h30m", "-1.5s", "+5ms", "1µs", "1μs", "1us", "2562047h47m16.854775807s", "-2562047h47m16.854775808s", "2562048h", "1", "", "s", "1d", ".5s", "1.s", "1h ", "-0", "1e3s", ".s"}
	base64Texts   = []string{"", "AA==", "AAA=", "AAAA", "//8=", "+/+/", "AB==", "AAB=", "AA", "A", "AA=", "AA==AA==", "A A=", "AA\n==", "AAAA\r\n", "-_-_", "====", "AAAA\n", "é"}
	textTexts     = []string{"1.2.3.4", "::1", "fe80::1%eth0", "", "x", "X", "bad", "1.2.3.4/8", "1.2.3.4:80", "a:b", ":", "1/3", "INFO", "WARN+1", "1.5", "12", "é\x00", "::ffff:1.2.3.4"}
)

// jsonTokens cuts any text into what is about a JSON token each.
var jsonTokens = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[-+0-9.eE]+|true|false|null|(?s:.)`)

// damage returns text with something wrong with it, mostly.
func (w *texter) damage(text []byte) []byte {
	tokens := jsonTokens.FindAllIndex(text, -1)
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
		return splice(i, i, pickOne(w, "\x00", "\xff", "\xef\xbb\xbf", `\`, `"`, "{", "}", "[", "]", ",", ":", "0", "-", "e", ".", " ", "\x01", "//", "é", `\ud800`, `\u0000`))
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
