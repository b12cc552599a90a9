package svc

// This file walks a JSON text strictly. It knows nothing of Go types: the
// decoder drives it where a value is wanted, and lets it skip where none is.
//
// This file knows how JSON spells numbers, strings and pointers. With
// json_scan.go, which reads texts, it is the only place that does: everything
// in the package that reads or writes JSON goes through here, so that every
// transport refuses the same texts.

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The rules of JSON text that a [Violation] can name.
const (
	ruleSyntax    = "syntax"
	ruleDuplicate = "duplicate"
)

// maxDepth is how many arrays and objects may be open at once. RFC 8259,
// section 9 lets a parser set a limit; without one a body of brackets is a
// way to exhaust the stack.
const maxDepth = 1000

// A scanner walks one JSON text by the rules of RFC 8259 and I-JSON (RFC 7493):
// UTF-8 without a byte order mark, no lone surrogates, no name twice in one
// object, nothing after the value.
//
// The first fault ends the walk: it is kept in fault, and pos jumps to the end
// of data, so that every loop over the text stops by itself. Callers need to
// look at fault only where they would otherwise act on what they read.
//
// Invariants:
//
//	0 <= pos <= len(data)
//	fault != nil implies pos == len(data)
//	names holds the names met so far in every open object, outermost first
type scanner struct {
	data  []byte
	pos   int
	depth int
	names [][]byte
	err   *syntaxError
}

// A syntaxError says why a text is not acceptable JSON. It never quotes the text.
type syntaxError struct {
	rule   string // ruleSyntax or ruleDuplicate
	reason string
	offset int // in bytes, where the reader was; after the name, for ruleDuplicate
}

func (f *syntaxError) Error() string {
	return f.reason + ", at byte " + strconv.Itoa(f.offset)
}

// reset prepares s for another text, keeping its memory.
func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, names: s.names[:0]}
}

// fail records the first fault and moves to the end of the text.
func (s *scanner) fail(reason string) {
	if s.err == nil {
		s.err = &syntaxError{rule: ruleSyntax, reason: reason, offset: s.pos}
		s.pos = len(s.data)
	}
}

func (s *scanner) failDuplicate() {
	if s.err == nil {
		s.err = &syntaxError{rule: ruleDuplicate, reason: "the same name twice in one object", offset: s.pos}
		s.pos = len(s.data)
	}
}

// peek skips white space and returns the next byte, or 0 at the end of the
// text (a NUL in the text itself starts no value, so the two need no telling
// apart).
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		if c := s.data[s.pos]; c > ' ' {
			return c
		}
	}
	return s.peekFar()
}

// peekFar is peek where there is white space to skip; apart, so that peek is
// inlined.
func (s *scanner) peekFar() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// checkEnd checks that nothing but white space is left.
func (s *scanner) checkEnd() {
	if s.err == nil && (s.peek() != 0 || s.pos < len(s.data)) {
		s.fail("more text after the JSON value")
	}
}

// openBracket moves past the bracket that the caller has seen.
func (s *scanner) openBracket() {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail("nested more than 1000 levels deep")
	}
}

// more reports whether another member or element follows, and moves to it:
// past the comma, where it is not the first. At the end of the array or object
// it moves past closer.
func (s *scanner) more(closer byte, first bool) bool {
	switch c := s.peek(); {
	case s.err != nil:
		return false
	case c == closer:
		s.pos++
		s.depth--
		return false
	case first:
		return true
	case c == ',':
		s.pos++
		return true
	case closer == '}':
		s.fail("expected ',' or '}'")
	default:
		s.fail("expected ',' or ']'")
	}
	return false
}

// readName reads a member's name and the colon after it. The result aliases the
// text where it can.
func (s *scanner) readName() []byte {
	if s.peek() != '"' {
		s.fail("expected a name in double quotes")
		return nil
	}
	raw, escaped := s.readString()
	if escaped {
		raw = appendUnescaped(make([]byte, 0, len(raw)), raw)
	}
	if s.peek() != ':' {
		s.fail("expected ':' after a name")
		return nil
	}
	s.pos++
	return raw
}

// readString reads the string that starts at pos and returns what is between its
// quotes, and whether that has escapes.
func (s *scanner) readString() (raw []byte, escaped bool) {
	data, start := s.data, s.pos+1
	for i := plainEnd(data, start); i < len(data); i = plainEnd(data, i) {
		switch c := data[i]; {
		case c == '"':
			s.pos = i + 1
			return data[start:i], escaped
		case c == '\\':
			n, reason := escapeLen(data[i:])
			if n == 0 {
				s.pos = i
				s.fail(reason)
				return nil, false
			}
			escaped = true
			i += n
		case c < ' ':
			s.pos = i
			s.fail("a control character in a string, which JSON wants escaped")
			return nil, false
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				s.pos = i
				s.fail("a string is not valid UTF-8")
				return nil, false
			}
			i += n
		}
	}
	s.pos = len(data)
	s.fail("a string without its closing quote")
	return nil, false
}

// escapeLen returns the length of the escape that b starts with, a whole
// surrogate pair counting as one, or 0 and what is wrong with it.
func escapeLen(b []byte) (n int, reason string) {
	if len(b) < 2 {
		return 0, "a string without its closing quote"
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, ""
	case 'u':
	default:
		return 0, "an escape that JSON does not have"
	}
	r := hex4(b[2:])
	switch {
	case r < 0:
		return 0, `an escape \u without four hexadecimal digits`
	case !utf16.IsSurrogate(r):
		return 6, ""
	case len(b) >= 12 && b[6] == '\\' && b[7] == 'u' && utf16.DecodeRune(r, hex4(b[8:])) != utf8.RuneError:
		return 12, ""
	}
	return 0, "a lone surrogate in a string (RFC 7493, section 2.1)"
}

// hex4 returns the value of four hexadecimal digits, or -1.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		digit := hexDigit(c)
		if digit < 0 {
			return -1
		}
		r = r<<4 | rune(digit)
	}
	return r
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// appendUnescaped appends what the inside of a string stands for. raw must
// come from [scanner.readString], which has checked it.
func appendUnescaped(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst, raw = append(dst, raw[:i]...), raw[i:]
		if raw[1] != 'u' {
			dst, raw = append(dst, unescaped[raw[1]]), raw[2:]
			continue
		}
		r := hex4(raw[2:])
		raw = raw[6:]
		if utf16.IsSurrogate(r) {
			r = utf16.DecodeRune(r, hex4(raw[2:]))
			raw = raw[6:]
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// unescaped gives the byte that a two-character escape stands for.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// readNumber reads the number that starts at pos (RFC 8259, section 6).
func (s *scanner) readNumber() []byte {
	start := s.pos
	if s.pos < len(s.data) && s.data[s.pos] == '-' {
		s.pos++
	}
	switch {
	case s.pos < len(s.data) && s.data[s.pos] == '0':
		s.pos++
	case !s.skipDigits():
		s.fail("expected a value")
		return nil
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if !s.skipDigits() {
			s.fail("a number without a digit after its point")
			return nil
		}
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		if !s.skipDigits() {
			s.fail("a number without a digit in its exponent")
			return nil
		}
	}
	if s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.fail("a number with a leading zero")
		return nil
	}
	return s.data[start:s.pos]
}

// skipDigits moves past decimal digits and reports whether there was one.
func (s *scanner) skipDigits() bool {
	start := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// readLiteral reads the word that the caller has seen the first letter of.
func (s *scanner) readLiteral(word string) bool {
	if end := s.pos + len(word); end <= len(s.data) && string(s.data[s.pos:end]) == word {
		s.pos = end
		return true
	}
	s.fail("expected a value")
	return false
}

// skipValue moves past one value of any kind, with every check, and returns its
// text without the white space around it.
func (s *scanner) skipValue() []byte {
	c := s.peek()
	start := s.pos
	switch c {
	case '{':
		s.skipObject()
	case '[':
		s.openBracket()
		for first := true; s.more(']', first); first = false {
			s.skipValue()
		}
	case '"':
		s.readString()
	case 't':
		s.readLiteral("true")
	case 'f':
		s.readLiteral("false")
	case 'n':
		s.readLiteral("null")
	default:
		s.failValue(c)
		s.readNumber()
	}
	if s.err != nil {
		return nil
	}
	return s.data[start:s.pos]
}

// failValue fails where c starts neither a number nor anything else.
func (s *scanner) failValue(c byte) {
	switch {
	case c == '-' || isDigit(c):
	case s.pos == len(s.data):
		s.fail("unexpected end of the text")
	case c == 0xEF && s.pos == 0:
		s.fail("a byte order mark (RFC 8259, section 8.1)")
	default:
		s.fail("expected a value")
	}
}

func (s *scanner) skipObject() {
	set := nameSet{base: len(s.names)}
	s.openBracket()
	for first := true; s.more('}', first); first = false {
		name := s.readName()
		if s.err == nil && !set.addName(s, name) {
			s.failDuplicate()
		}
		s.skipValue()
	}
	set.forgetNames(s)
}

// A nameSet tells whether a name was already met in one object. The names are
// kept on the scanner's stack, since a few comparisons cost less than a map;
// past manyNames the map takes over, or a body of 50,000 names would take
// minutes.
type nameSet struct {
	base  int // where the object's names start on the stack
	index map[string]struct{}
}

const manyNames = 24

// addName reports whether name is new, and keeps it.
func (n *nameSet) addName(s *scanner, name []byte) bool {
	if n.index != nil {
		before := len(n.index)
		n.index[string(name)] = struct{}{}
		return len(n.index) > before
	}
	for _, other := range s.names[n.base:] {
		if bytes.Equal(name, other) {
			return false
		}
	}
	s.names = append(s.names, name)
	if len(s.names)-n.base > manyNames {
		n.index = make(map[string]struct{}, 2*manyNames)
		for _, other := range s.names[n.base:] {
			n.index[string(other)] = struct{}{}
		}
	}
	return true
}

func (n *nameSet) forgetNames(s *scanner) { s.names = s.names[:n.base] }

// integerKind says why a number is not an integer of 64 bits.
type integerKind int

const (
	integerOK integerKind = iota
	integerFraction
	integerRange
)

// parseInteger returns the magnitude and the sign of a JSON number that is a
// whole number: by value, as JSON Schema has it, so 1.0 and 1e2 are. No number
// is ever written out: 1e1000000000 is out of range after a glance.
func parseInteger(num []byte) (mag uint64, neg bool, bad integerKind) {
	digits := num
	if digits[0] == '-' {
		neg, digits = true, digits[1:]
	}
	if len(digits) < 20 { // 19 digits fit
		for i, c := range digits {
			if !isDigit(c) {
				return parseDecimal(digits[:i], digits[i:], neg)
			}
			mag = mag*10 + uint64(c-'0')
		}
		return mag, neg, integerOK
	}
	i := 0
	for i < len(digits) && isDigit(digits[i]) {
		i++
	}
	return parseDecimal(digits[:i], digits[i:], neg)
}

// parseDecimal is parseInteger for a number in parts: what stands before the
// point, and the rest from the point or the exponent on.
func parseDecimal(whole, rest []byte, neg bool) (uint64, bool, integerKind) {
	var frac []byte
	exp := 0
	if i := bytes.IndexAny(rest, "eE"); i >= 0 {
		exp, rest = parseExponent(rest[i+1:]), rest[:i]
	}
	if len(rest) > 0 {
		frac = bytes.TrimRight(rest[1:], "0")
	}
	// The value is whole·frac × 10^(exp - len(frac)), without trailing zeros.
	point := exp - len(frac)
	if len(frac) == 0 {
		trimmed := bytes.TrimRight(whole, "0")
		point += len(whole) - len(trimmed)
		whole = trimmed
	}
	mag, over := uint64(0), false
	for _, part := range [2][]byte{whole, frac} {
		for _, c := range part {
			mag, over = mulAdd(mag, uint64(c-'0'), over)
		}
	}
	switch {
	case mag == 0 && !over:
		return 0, neg, integerOK
	case point < 0:
		return 0, neg, integerFraction
	case point > 20:
		return 0, neg, integerRange
	}
	for ; point > 0; point-- {
		mag, over = mulAdd(mag, 0, over)
	}
	if over {
		return 0, neg, integerRange
	}
	return mag, neg, integerOK
}

// mulAdd returns mag*10 + digit, and whether that or anything before overflowed.
func mulAdd(mag, digit uint64, over bool) (uint64, bool) {
	if mag > (math.MaxUint64-digit)/10 {
		over = true
	}
	return mag*10 + digit, over
}

// farExponent is an exponent that no text is long enough to make up for by
// digits, and small enough to be multiplied by ten in an int of 32 bits.
const farExponent = 1 << 27

// parseExponent returns the exponent of a JSON number, saturating at
// farExponent.
func parseExponent(b []byte) int {
	neg := b[0] == '-'
	if neg || b[0] == '+' {
		b = b[1:]
	}
	exp := 0
	for _, c := range b {
		if exp = exp*10 + int(c-'0'); exp > farExponent {
			exp = farExponent
		}
	}
	if neg {
		return -exp
	}
	return exp
}

// plainByte says which bytes stand for themselves inside a JSON string.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// plainEnd returns the index of the first byte of s from i on that does not
// stand for itself inside a JSON string, or len(s). It looks at eight bytes at
// a time: most text is plain for long stretches.
func plainEnd[T string | []byte](s T, i int) int {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := x^('"'*ones), x^('\\'*ones)
		// Subtracting from each byte borrows out of those that are too small;
		// a borrow can disturb only the bytes above the first one found.
		if special := (x | (x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & high; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(s) && plainByte[s[i]] {
		i++
	}
	return i
}

// appendQuoted appends s as a JSON string. Only what RFC 8259, section 7 wants
// escaped is: HTML is not JSON's business. Bytes that are not UTF-8 become
// U+FFFD, as in encoding/json: a file name from a disk must not turn an answer
// into an error.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := plainEnd(s, 0); i < len(s); i = plainEnd(s, i) {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := decodeRune(s, i)
			if r != utf8.RuneError || n != 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// quotedLen returns how many bytes appendQuoted appends, or a few more.
func quotedLen(s string) int {
	n := len(s) + len(`""`)
	for i := plainEnd(s, 0); i < len(s); i = plainEnd(s, i+1) {
		if s[i] < utf8.RuneSelf {
			n += len(`\u0000`) - 1
		}
	}
	return n
}

func decodeRune[T string | []byte](s T, i int) (rune, int) {
	end := min(len(s), i+utf8.UTFMax)
	var buf [utf8.UTFMax]byte
	return utf8.DecodeRune(buf[:copy(buf[:], s[i:end])])
}

// appendEscaped appends the escape for a byte that cannot stand for itself.
func appendEscaped(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if c >= utf8.RuneSelf {
		return append(dst, "\ufffd"...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// appendFloat appends a finite number in the shortest spelling that reads back
// as the same float, as ECMAScript does it (Number::toString), which is also
// what encoding/json writes.
func appendFloat(dst []byte, f float64, bits int) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 {
		small, large := abs < 1e-6, abs >= 1e21
		if bits == 32 {
			small, large = float32(abs) < 1e-6, float32(abs) >= 1e21
		}
		if small || large {
			format = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 to e-9
		dst = dst[:n-1]
	}
	return dst
}

// appendPointer appends one reference token of a JSON Pointer (RFC 6901,
// section 3) with the slash before it.
func appendPointer(dst []byte, token string) []byte {
	dst = append(dst, '/')
	if !strings.ContainsAny(token, "~/") {
		return append(dst, token...)
	}
	for i := range len(token) {
		switch token[i] {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, token[i])
		}
	}
	return dst
}

// appendQuotedJSON appends a JSON text as a string. There is nothing in one that
// wants escaping but quotes and what escapes them, and eight bytes without either
// are copied at once.
func appendQuotedJSON(dst, text []byte) []byte {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	dst = slices.Grow(dst, 2*len(text)+2)
	n := len(dst)
	out := dst[n : n+2*len(text)+2]
	out[0] = '"'
	i := 1
	for len(text) > 0 {
		next := text[:min(8, len(text))]
		text = text[len(next):]
		if len(next) == 8 {
			x := binary.LittleEndian.Uint64(next)
			quote, slash := x^('"'*ones), x^('\\'*ones)
			if ((quote-ones)&^quote|(slash-ones)&^slash)&high == 0 {
				binary.LittleEndian.PutUint64(out[i:], x)
				i += 8
				continue
			}
		}
		for _, c := range next {
			out[i] = '\\' // overwritten if it is not wanted: a branch would be mispredicted
			i += int(escapeLenInJSON[c])
			out[i] = c
			i++
		}
	}
	out[i] = '"'
	return dst[:n+i+1]
}

// escapeLenInJSON says what to put in front of a byte of JSON in a string.
var escapeLenInJSON = [256]uint8{'"': 1, '\\': 1}

func (m *members) addBase64(name string, data []byte) {
	m.addName(name)
	m.buf = append(base64.StdEncoding.AppendEncode(append(m.buf, '"'), data), '"')
}

// addOptional adds a member that is left out where it is empty.
func (m *members) addOptional(name, value string) {
	if value != "" {
		m.addText(name, value)
	}
}

// eachMember calls visit for each member of an object that is known to be valid
// JSON, without holding it to the rules again.
func eachMember(object []byte, visit func(name, value []byte)) {
	for i := skipBetween(object, 1); object[i] != '}'; i = skipBetween(object, i) {
		end := i + valueLen(object[i:])
		name := textOf(object[i:end])
		i = skipBetween(object, end)
		end = i + valueLen(object[i:])
		visit(name, object[i:end])
		i = end
	}
}

// skipBetween returns where the next name, value or bracket is at or after i.
func skipBetween(text []byte, i int) int {
	for text[i] <= ' ' || text[i] == ',' || text[i] == ':' {
		i++
	}
	return i
}

// valueLen returns the length of the JSON value that text, which is known to be
// valid, begins with.
func valueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 { // of what is around a number or a word
				return i
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

func isContainer(value []byte) bool { return len(value) > 0 && (value[0] == '{' || value[0] == '[') }

// textOf returns what a JSON string stands for: a part of it, unless it has
// escapes.
func textOf(value []byte) []byte {
	inside := value[1 : len(value)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return appendUnescaped(make([]byte, 0, len(inside)), inside)
}

// isJSON reports whether text is one JSON value.
func isJSON(text []byte) bool {
	s := scanner{data: text}
	s.skipValue()
	s.checkEnd()
	return s.err == nil
}

// jsonNumber returns text as a JSON number, if it is one from end to end.
func jsonNumber[T string | []byte](text T) ([]byte, bool) {
	s := scanner{data: []byte(text)}
	num := s.readNumber()
	return num, s.err == nil && s.pos == len(s.data)
}

// signed returns the int64 of a magnitude and a sign, and whether it is one.
func signed(mag uint64, neg bool) (int64, bool) {
	if neg {
		return -int64(mag), mag <= 1<<63
	}
	return int64(mag), mag < 1<<63
}

// magnitude returns |n|, which for the smallest int64 is no int64.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// members appends the members of a JSON object one by one.
type members struct {
	buf   []byte
	start int
}

func openMembers(dst []byte) members {
	dst = append(dst, '{')
	return members{dst, len(dst)}
}

func (m *members) addName(name string) {
	if len(m.buf) > m.start {
		m.buf = append(m.buf, ',')
	}
	m.buf = append(appendQuoted(m.buf, name), ':')
}

func (m *members) addText(name, value string) {
	m.addName(name)
	m.buf = appendQuoted(m.buf, value)
}

func (m *members) addRaw(name, value string) {
	m.addName(name)
	m.buf = append(m.buf, value...)
}

func (m *members) close() []byte { return append(m.buf, '}') }
