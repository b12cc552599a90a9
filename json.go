package svc

// This file reads and writes JSON text. It knows nothing about Go types: the
// decoder and the encoder for those call it. In this order:
//
//   - strings, numbers, times, JSON Pointers of one token
//   - the scanner, which reads a text strictly and can look ahead, and its nameSet
//   - plainJSON, for values of applications; schema.go writes objects of svc itself
//   - eachMember, which reads an object that the scanner has accepted
//   - pointerToName, which finds the place of a duplicate name, and its steps
//
// All code of the package that reads or writes JSON goes through here, so that every
// transport refuses the same texts for the same reasons.

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// plainByte says which bytes stand for themselves in a JSON string: ASCII from the
// space on, without the quote and the backslash. Bytes above ASCII are not in it,
// since they have to be checked for UTF-8.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// plainEnd returns the index of the first byte of s, from i on, that is not in
// plainByte, or len(s). Most text is plain for long stretches, so it looks at
// eight bytes at a time; see specialBytes. The last bytes, if they are fewer, are read
// again with those before them, which takes one step in place of seven:
//
//	Water the plants!   from 0, from 8, and from 9 for the last one
func plainEnd[T string | []byte](s T, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if special := specialBytes(eightBytes(s, i)); special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	if last := len(s) - 8; last >= 0 && specialBytes(eightBytes(s, last)) == 0 {
		return len(s)
	}
	for i < len(s) && plainByte[s[i]] {
		i++
	}
	return i
}

// eightBytes returns the eight bytes of s from i on as one number, the first as its lowest
// byte. The shifts compile to one load; encoding/binary does not accept strings.
func eightBytes[T string | []byte](s T, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// specialBytes returns a number whose lowest set bit is the high bit of the first byte of x that is
// not in plainByte, or 0 if all are. It checks eight bytes with arithmetic instead of a branch for
// each (SIMD within a register).
//
// The expression sets the high bit of every byte of x that is not plain:
//
//	x                       bytes above ASCII have it already
//	(x - ' '*ones) &^ x     set for bytes below ' ': the subtraction borrows
//	(quote - ones) &^ quote set where quote is 0, which is where x has '"'
//	(slash - ones) &^ slash the same for the backslash
//
// A borrow also changes the next higher byte, and can set its bit wrongly. The first byte is the
// lowest of x, so the lowest set bit is right, and only this bit may be used:
//
//	say "hi"   bits at 4 and 7, the quotes
//	a "#b...   bits at 2 and, by the borrow, at 3
func specialBytes(x uint64) uint64 {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	quote, slash := x^('"'*ones), x^('\\'*ones)
	return (x | (x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & high
}

// shortText is the maximum length of a text for which calls of plainEnd and memmove cost more than
// a loop over its bytes. Most names and words are shorter.
const shortText = 7

// appendQuoted appends s as a JSON string. It escapes only the characters that RFC
// 8259, section 7 requires, and none for the sake of HTML.
//
// A byte that is not UTF-8 becomes U+FFFD, as in encoding/json. It is not an error, because the
// name of a file on a disk must not make a call fail.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	if len(s) <= shortText {
		for start < len(s) && plainByte[s[start]] {
			dst = append(dst, s[start])
			start++
		}
		if start == len(s) {
			return append(dst, '"')
		}
	}
	for i := plainEnd(s, start); i < len(s); i = plainEnd(s, i) {
		if end := charsEnd(s, i); end > i {
			i = end
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, s[i])
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// charsEnd returns the index of the first byte of s, from i on, that is ASCII or not
// UTF-8. Characters above ASCII come in runs, so it reads on after the first. Converting
// four bytes to a string takes no memory, so one body serves strings and bytes.
func charsEnd[T string | []byte](s T, i int) int {
	for i < len(s) && s[i] >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return i
}

// appendEscaped appends the escape of a byte that must be escaped.
func appendEscaped(dst []byte, c byte) []byte {
	const digits = "0123456789abcdef"
	switch short := escaped[c]; {
	case short != 0:
		return append(dst, '\\', short)
	case c >= utf8.RuneSelf:
		return append(dst, "\ufffd"...)
	}
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// escaped maps a character to the second character of its two-character escape.
var escaped = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// escapeLen returns the length of the escape that b starts with, or 0 and the reason why it is
// invalid. The two halves of a surrogate pair count as one escape; half of a pair is invalid, since
// UTF-8 cannot contain it (RFC 7493, section 2.1).
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

// hex4 returns the value of the four hexadecimal digits that b starts with, or -1.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var code [2]byte
	if _, err := hex.Decode(code[:], b[:4]); err != nil {
		return -1
	}
	return rune(code[0])<<8 | rune(code[1])
}

// appendUnescaped appends the text of a JSON string, given without its quotes. raw
// must come from [scanner.readString], which has checked its escapes.
func appendUnescaped(dst, raw []byte) []byte {
	for len(raw) > 0 {
		if raw[0] != '\\' { // escapes come in runs, where a search for the next would find nothing
			i := bytes.IndexByte(raw, '\\')
			if i < 0 {
				return append(dst, raw...)
			}
			dst, raw = append(dst, raw[:i]...), raw[i:]
		}
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

// unescaped maps the second character of a two-character escape to the character it
// means.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendQuotedJSON appends a JSON text as a JSON string, since a result of MCP has the
// same value once as JSON and once as text:
//
//	{"a":"x\n"}   =>   "{\"a\":\"x\\n\"}"
//
// text must be compact JSON, as the encoder writes it: then it has no control characters and is
// UTF-8, so only quotes and backslashes need an escape. Quotes come every few bytes, so steps of
// eight bytes, as in plainEnd, would gain nothing. Memory for the longest result is reserved first,
// so the loop never grows it.
func appendQuotedJSON(dst, text []byte) []byte {
	dst = slices.Grow(dst, 2*len(text)+2)
	n := len(dst)
	out := dst[n : n+2*len(text)+2]
	out[0] = '"'
	i := 1
	for _, c := range text {
		out[i] = '\\' // overwritten if it is not wanted: a branch would be mispredicted
		i += int(escapeLenInJSON[c])
		out[i] = c
		i++
	}
	out[i] = '"'
	return dst[:n+i+1]
}

// escapeLenInJSON says how many backslashes a byte of a JSON text gets in front.
var escapeLenInJSON = [256]uint8{'"': 1, '\\': 1}

// isDigit reports whether c is a decimal digit of ASCII.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isASCIILetter reports whether c is a letter of ASCII.
func isASCIILetter[C byte | rune](c C) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isAlphanumeric reports whether c is a letter or a digit of ASCII.
func isAlphanumeric[C byte | rune](c C) bool { return isASCIILetter(c) || '0' <= c && c <= '9' }

// An integerKind says whether a number is an integer of 64 bits, and why not.
type integerKind int

const (
	integerOK       integerKind = iota
	integerFraction             // it has digits after the point
	integerRange                // its magnitude does not fit a uint64
)

// parseInteger returns the magnitude and the sign of a JSON number that is a
// whole number. It goes by value and not by spelling, as JSON Schema does
// (2020-12 Validation, section 6.1.1).
//
//	num                    mag  neg    kind
//	-7                     7    true   integerOK
//	1.0                    1    false  integerOK
//	1e2                    100  false  integerOK
//	100e-2                 1    false  integerOK
//	-0                     0    true   integerOK
//	1.5, 1e-1                          integerFraction
//	1e20, 1e1000000000                 integerRange
//
// It never writes a number out, so an exponent of a billion costs no more than
// its ten digits. num must be a number by RFC 8259, section 6.
func parseInteger(num []byte) (mag uint64, neg bool, kind integerKind) {
	digits, i := num, 0
	if digits[0] == '-' {
		neg, digits = true, digits[1:]
	}
	// Nearly every number is a few digits. Of others the product may overflow, and
	// splitDecimal reads them again.
	for i < len(digits) && isDigit(digits[i]) {
		mag = mag*10 + uint64(digits[i]-'0')
		i++
	}
	if i == len(digits) && i < 20 { // 19 digits fit
		return mag, neg, integerOK
	}
	mag, point, over := splitDecimal(digits)
	if point < 0 { // the last digit, which is not 0, is after the decimal point
		return 0, neg, integerFraction
	}
	for high := uint64(0); point > 0 && !over; point-- { // 20 times at most, until there is an overflow
		high, mag = bits.Mul64(mag, 10)
		over = high > 0
	}
	if over {
		return 0, neg, integerRange
	}
	return mag, neg, integerOK
}

// splitDecimal returns a JSON number without a sign as mag × 10^point, where mag does not end in 0,
// or over if its digits do not fit a uint64:
//
//	1500     15 × 10^2
//	0.25e1   25 × 10^-1
//	0.0      0 × 10^0
//
// An exponent beyond 2^27 counts as 2^27; no text has enough digits to cancel it.
func splitDecimal(num []byte) (mag uint64, point int, over bool) {
	mantissa, exponent := num, []byte(nil)
	if i := bytes.IndexAny(num, "eE"); i >= 0 {
		mantissa, exponent = num[:i], num[i+1:]
	}
	whole, frac, _ := bytes.Cut(mantissa, []byte("."))
	digits := string(whole) + string(frac)
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return 0, 0, false
	}
	exp, _ := strconv.ParseInt(string(exponent), 10, 28) // 0 without an exponent
	mag, err := strconv.ParseUint(significant, 10, 64)
	return mag, int(exp) - len(frac) + len(digits) - len(significant), err != nil
}

// signed returns the int64 with this magnitude and sign, and whether there is one.
func signed(mag uint64, neg bool) (int64, bool) {
	if neg {
		return -int64(mag), mag <= 1<<63
	}
	return int64(mag), mag < 1<<63
}

// jsonNumber returns text as a JSON number, if it is one from end to end.
func jsonNumber[T ~string | []byte](text T) ([]byte, bool) {
	s := scanner{data: []byte(text)}
	num := s.readNumber()
	return num, s.err == nil && s.pos == len(s.data)
}

// isNumberText reports whether text is a JSON number.
func isNumberText[T ~string | []byte](text T) bool {
	_, ok := jsonNumber(text)
	return ok
}

// isPlainInteger reports whether text is an integer in the spelling that
// strconv writes: no leading zero, no plus, no -0, no point, no exponent.
func isPlainInteger(text []byte) bool {
	digits := bytes.TrimPrefix(text, []byte("-"))
	for _, c := range digits {
		if !isDigit(c) {
			return false
		}
	}
	return len(digits) > 0 && (digits[0] != '0' || len(text) == 1)
}

// appendFloat appends a finite number in the shortest spelling that reads back as
// the same float of 32 or 64 bits. It has an exponent below 1e-6 and from 1e21
// on, as in ECMAScript (Number::toString) and encoding/json. Negative zero stays
// -0.
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
	// strconv writes an exponent with at least two digits. From 1e21 on exponents have no leading
	// zero, so only negative ones can be shortened.
	if n := len(dst); format == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 to e-9
		dst = dst[:n-1]
	}
	return dst
}

// exactNumber returns num as a float64, or as a json.Number if a float64 would
// change it by more than the rounding of its fraction:
//
//	0.1, 12, 1e3            float64
//	9007199254740993        json.Number: an ID that a float64 would make ...992
//	1e400                   json.Number: out of range
func exactNumber(num []byte) any {
	if len(num) == 0 {
		return nil // the scanner has failed
	}
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil || math.Abs(f) >= 1<<53 && isPlainInteger(num) && strconv.FormatFloat(f, 'f', 0, 64) != string(num) {
		return json.Number(num)
	}
	return f
}

// parseTime parses a time of RFC 3339, section 5.6, to the letter. Its T and Z may be in
// lower case. Package time also takes a comma before the fraction, an hour of one digit
// and an offset of 24 hours or 60 minutes, which the format date-time does not allow.
func parseTime(text string) (t time.Time, ok bool) {
	const hour = len("2006-01-02T")
	t, err := time.ParseInLocation(time.RFC3339Nano, strings.ToUpper(text), time.UTC)
	if err != nil || text[hour+2] != ':' || strings.Contains(text, ",") {
		return t, false
	}
	// The text ends in Z, or in an offset such as +07:00, whose size is left to check. Package time
	// has checked that both parts have two digits, so they compare as text.
	zone := text[len(text)-len("07:00"):]
	return t, zone[4]|0x20 == 'z' || zone[:2] < "24" && zone[3:] < "60"
}

// pointerToken returns a name as a reference token of a JSON Pointer with the slash
// before it. ~ and / are spelt ~0 and ~1 (RFC 6901, section 3).
func pointerToken(name string) string {
	if strings.ContainsAny(name, "~/") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	}
	return "/" + name
}

// The rules of JSON text that a [Violation] can name.
const (
	ruleSyntax    = "syntax"
	ruleDuplicate = "duplicate"
)

// maxDepth is how many arrays and objects may be open at once. RFC 8259, section
// 9 allows a limit; without one a body of brackets could exhaust the stack of the
// decoder, which calls itself for each of them.
const maxDepth = 1000

// A scanner reads one JSON text by the rules of RFC 8259 and I-JSON (RFC 7493). Both allow parsers
// to accept other texts too. If two parsers read such a text differently, an attacker may pass a
// check: one parser reads the first "role" of an object, and the other the last. So the scanner
// rejects all such texts.
//
//	text                          is an error by
//	{"a":1,"a":2}                 RFC 7493, section 2.3: a name twice
//	"\ud800"                      RFC 7493, section 2.1: a lone surrogate
//	a byte that is not UTF-8      RFC 8259, section 8.1
//	a byte order mark             RFC 8259, section 8.1
//	01, +1, .5, 1., NaN           RFC 8259, section 6
//	{} {}                         RFC 8259, section 2: text after the value
//	[1,], {a:1}, 'a', // x        RFC 8259, sections 4, 5 and 7
//	1001 open brackets            maxDepth
//
// The first error ends the reading: the scanner keeps it in err and moves to the end of data, so
// that every loop over the text stops by itself. Callers check err only before they use a value.
//
// Invariants:
//
//	0 <= pos <= len(data)
//	depth is how many arrays and objects are open
//	names holds the names met so far in every open object, outermost first; see nameSet
//	err != nil implies pos == len(data)
//	found has the members that lookAhead has read past, up to the offset passed
//	wanted is set in a scanner that reads part of the text ahead or a second time. It
//	  does not look for duplicate names, and notes in found the members
//	  whose names are wanted
//
// The zero value with data set is ready for use.
type scanner struct {
	data  []byte
	pos   int
	depth int
	names [][]byte
	err   *syntaxError

	wanted []string
	found  map[foundMember]int // the offsets of the values
	passed int
}

// A syntaxError says why a text is not acceptable JSON. It never quotes the text, so all of it may
// be sent to a client.
type syntaxError struct {
	rule   string // ruleSyntax or ruleDuplicate
	reason string
	offset int // in bytes, where the reader was; after the name, for ruleDuplicate
}

// Error returns the reason and the place.
func (e *syntaxError) Error() string { return e.reason + ", at byte " + strconv.Itoa(e.offset) }

// describe returns a message about subject, such as "the text". A text with a name twice is
// JSON by its grammar.
func (e *syntaxError) describe(subject string) string {
	if e.rule == ruleDuplicate {
		return subject + " has " + e.Error()
	}
	return subject + " is not valid JSON: " + e.Error()
}

// reset prepares s for a new text, and keeps the memory of its lists.
func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, names: s.names[:0], found: s.found}
}

// fail ends the reading of a text that is not JSON.
func (s *scanner) fail(reason string) { s.failRule(ruleSyntax, reason) }

// failDuplicate is fail for a name that the object already has. It has its own rule, because the
// grammar of JSON allows such a text.
func (s *scanner) failDuplicate() { s.failRule(ruleDuplicate, "the same name twice in one object") }

// failRule keeps the first error and moves to the end of the text.
func (s *scanner) failRule(rule, reason string) {
	if s.err == nil {
		s.err = &syntaxError{rule, reason, s.pos}
		s.pos = len(s.data)
	}
}

// failValue fails at a byte that starts no value, or at the end of the text.
func (s *scanner) failValue() {
	switch {
	case s.pos == len(s.data):
		s.fail("unexpected end of the text")
	case s.pos == 0 && s.data[0] == 0xEF:
		s.fail("a byte order mark (RFC 8259, section 8.1)")
	default:
		s.fail("expected a value")
	}
}

// peek moves past white space and returns the next byte, or 0 at the end of the
// text. A NUL in the text starts no value either, so the two need not be told apart.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		if c := s.data[s.pos]; c > ' ' {
			return c
		}
	}
	return s.peekFar()
}

// peekFar is peek if there is white space to skip. It is a separate function to keep peek small
// enough to be inlined.
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

// checkEnd fails if anything but white space is left.
func (s *scanner) checkEnd() {
	if s.err == nil && (s.peek() != 0 || s.pos < len(s.data)) {
		s.fail("more text after the JSON value")
	}
}

// openBracket moves past the { or [ at the position of s.
func (s *scanner) openBracket() {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail("nested more than 1000 levels deep")
	}
}

// more reports whether another member or element follows and moves to it, past
// the comma if it is not the first. At the end of the array or object it moves
// past closer.
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

// readName reads a member's name and the colon after it. The result is a part of
// the text, or new memory if the name has escapes.
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

// readString reads the string that starts at pos. It returns the part of the text between the
// quotes, and whether it contains escapes, which appendUnescaped replaces.
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
			for i < len(data) && data[i] >= utf8.RuneSelf { // such characters come in runs
				r, n := utf8.DecodeRune(data[i:])
				if r == utf8.RuneError && n == 1 {
					s.pos = i
					s.fail("a string is not valid UTF-8")
					return nil, false
				}
				i += n
			}
		}
	}
	s.pos = len(data)
	s.fail("a string without its closing quote")
	return nil, false
}

// readNumber reads the number that starts at pos (RFC 8259, section 6) and returns
// its text. It does not say how large it is: see parseInteger.
func (s *scanner) readNumber() []byte {
	start := s.pos
	s.skipByte('-')
	if !s.skipByte('0') && !s.skipDigits() {
		s.failValue()
		return nil
	}
	if s.skipByte('.') && !s.skipDigits() {
		s.fail("a number without a digit after its point")
		return nil
	}
	if s.skipByte('e') || s.skipByte('E') {
		if !s.skipByte('+') {
			s.skipByte('-')
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

// skipByte moves past c and reports true if it is the next byte.
func (s *scanner) skipByte(c byte) bool {
	if s.pos == len(s.data) || s.data[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

// skipDigits moves past decimal digits and reports whether there was one.
func (s *scanner) skipDigits() bool {
	start := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

// readLiteral reads the word true, false or null, whose first letter is at the position
// of s, and reports whether the whole word is there.
func (s *scanner) readLiteral(word string) bool {
	if end := s.pos + len(word); end <= len(s.data) && string(s.data[s.pos:end]) == word {
		s.pos = end
		return true
	}
	s.fail("expected a value")
	return false
}

// skipValue moves past one value of any kind, with all checks, and returns its
// text without the white space around it. It returns nil after an error.
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
		s.readNumber()
	}
	if s.err != nil {
		return nil
	}
	return s.data[start:s.pos]
}

// skipObject is skipValue for an object, which also checks its names.
func (s *scanner) skipObject() {
	start, set := s.pos, nameSet{base: len(s.names)}
	s.openBracket()
	for first := true; s.more('}', first); first = false {
		name := s.readName()
		if s.wanted == nil {
			set.addName(s, name)
		}
		value := s.skipValue()
		for _, wanted := range s.wanted {
			if string(name) == wanted && s.err == nil {
				s.found[foundMember{start, wanted}] = s.pos - len(value)
			}
		}
	}
	set.forgetNames(s)
}

// A foundMember is a member that lookAhead has read past.
type foundMember struct {
	object int // the offset of its object
	name   string
}

// lookAhead returns the value of a member of the object at the position of s, without moving s, or
// nil if it has no member of this name.
//
// The members are the discriminators of unions, and unions can be nested. So the first call reads
// the whole object, and notes all members with any of names, which includes name, in the objects
// inside it too. No byte of a text is read ahead twice, however deep the objects are. If names is
// "kind" and "type", the call at the first { of
//
//	{"shape":{"radius":1,"type":"circle"},"kind":"drawing"}
//
// sets found to
//
//	{0, "kind"}: 45     where "drawing" is
//	{9, "type"}: 28     where "circle" is
//
// After an error in the object some members are not found. Reading the object will report the
// error, and duplicate names.
func (s *scanner) lookAhead(names []string, name string) []byte {
	if s.pos >= s.passed {
		ahead := *s // with the names of the objects around; new ones stay behind the end of s.names
		ahead.wanted = names
		if s.found == nil || len(s.found) > manyNames { // a map that was large takes long to clear each time
			ahead.found = make(map[foundMember]int)
		}
		clear(ahead.found)
		ahead.skipValue()
		s.passed, s.found = ahead.pos, ahead.found
	}
	at, ok := s.found[foundMember{s.pos, name}]
	if !ok {
		return nil
	}
	value := scanner{data: s.data, pos: at} // the value is valid, but the text after it may not be
	return value.skipValue()
}

// isJSON reports whether text is one JSON value that a scanner accepts.
func isJSON(text []byte) bool {
	s := scanner{data: text}
	s.skipValue()
	s.checkEnd()
	return s.err == nil
}

// jsonInside returns the JSON in a string, without white space around it, if it begins with begins
// and can stand where so many arrays and objects are open; else nil. value is JSON too.
func jsonInside(value []byte, begins byte, depth int) []byte {
	if !isText(value) {
		return nil
	}
	text := bytes.Trim(textOf(value), " \t\r\n")
	if len(text) == 0 || text[0] != begins {
		return nil
	}
	s := scanner{data: text, depth: depth}
	s.skipValue()
	if s.checkEnd(); s.err != nil {
		return nil
	}
	return text
}

// A nameSet finds the second of two equal names in one object. The names are on a stack,
// scanner.names, above the names of the outer objects. At the last 2 of
//
//	{"a":1,"b":{"c":1,"d":2
//
// the stack is a, b, c, d. The set of the inner object has base 2, and "d" was compared
// with "c" alone.
//
// Up to manyNames, which is enough for nearly every object, comparing a new name with each costs
// less than a map and allocates nothing. Beyond that index takes over, because the comparisons grow
// with the square: a body of 50,000 names would take minutes. It stores hashes, which take half the
// memory of the names. Two of 50,000 names share a hash in one of 10^10 bodies, and the seed
// decides which names do.
//
// To begin a set, set base to the length of the stack. To end it, call forgetNames.
type nameSet struct {
	base  int                 // where the object's names start on the stack
	index map[uint64]struct{} // the hashes of the names, if there are many; nil otherwise
	seed  maphash.Seed        // of index
}

// manyNames is how many names of one object are compared one by one.
const manyNames = 24

// addName keeps name until forgetNames, and fails if the object already has it.
func (n *nameSet) addName(s *scanner, name []byte) {
	if n.index != nil {
		before := len(n.index)
		n.index[maphash.Bytes(n.seed, name)] = struct{}{}
		if len(n.index) == before {
			s.failDuplicate()
		}
		return
	}
	for _, other := range s.names[n.base:] {
		if bytes.Equal(name, other) {
			s.failDuplicate()
		}
	}
	s.names = append(s.names, name)
	if len(s.names)-n.base > manyNames {
		n.index, n.seed = make(map[uint64]struct{}, 2*manyNames), maphash.MakeSeed()
		for _, other := range s.names[n.base:] {
			n.index[maphash.Bytes(n.seed, other)] = struct{}{}
		}
	}
}

// forgetNames takes the names of the object off the scanner's stack.
func (n *nameSet) forgetNames(s *scanner) { s.names = s.names[:n.base] }

// plainJSON returns the JSON of a value by encoding/json, and reports false if encoding fails, even
// if MarshalJSON panics: a detail of an error must not prevent the response. HTML characters are
// not escaped, as everywhere in this package: the header nosniff keeps browsers from treating JSON
// as a page.
func plainJSON(value any) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err == nil
}

// eachMember yields the members of a JSON object, in order, and none for other values. The name is
// without its quotes and escapes, the value is JSON. A scanner must have accepted the text before:
// eachMember reports no errors.
func eachMember(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if !isJSONObject(object) {
			return
		}
		s := scanner{data: object, wanted: []string{}} // names were compared before
		s.openBracket()
		for first := true; s.more('}', first); first = false {
			name := s.readName()
			if !yield(name, s.skipValue()) {
				return
			}
		}
	}
}

// memberAt returns the value at a path of names, or nil if it does not exist. The text must be
// valid JSON.
//
//	memberAt({"error":{"code":"ABORTED"}}, "error", "code")   "ABORTED", with its quotes
func memberAt(value []byte, names ...string) []byte {
	for _, name := range names {
		value = memberOf(value, name)
	}
	return value
}

// memberOf is memberAt for one name. It stops at the member, since names are unique.
func memberOf(object []byte, want string) []byte {
	for name, value := range eachMember(object) {
		if string(name) == want {
			return value
		}
	}
	return nil
}

// textAt returns the text of the string that names lead to, as for memberAt, or "".
func textAt(value []byte, names ...string) string {
	if value = memberAt(value, names...); isText(value) {
		return string(textOf(value))
	}
	return ""
}

// textOr returns the text of a JSON string, and other JSON unchanged.
func textOr(value string) string {
	if isText([]byte(value)) {
		return textAt([]byte(value))
	}
	return value
}

// itemsOf returns the elements of a JSON array, or nil for any other value. The text must be valid
// JSON.
func itemsOf(value []byte) (list [][]byte) {
	if len(value) == 0 || value[0] != '[' {
		return nil
	}
	s := scanner{data: value, wanted: []string{}} // see eachMember
	s.openBracket()
	for first := true; s.more(']', first); first = false {
		list = append(list, s.skipValue())
	}
	return list
}

// isText reports whether a JSON value is a string. It returns false for an absent value.
func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// isJSONNull, isJSONObject and so on report the same for the other types.
func isJSONNull(value []byte) bool   { return len(value) > 0 && value[0] == 'n' }
func isJSONObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isJSONArray(value []byte) bool  { return len(value) > 0 && value[0] == '[' }
func isJSONNumber(value []byte) bool { return len(value) > 0 && (value[0] == '-' || isDigit(value[0])) }
func isJSONBool(value []byte) bool   { return len(value) > 0 && (value[0] == 't' || value[0] == 'f') }

// isContainer reports whether a JSON value is an object or an array.
func isContainer(value []byte) bool { return len(value) > 0 && (value[0] == '{' || value[0] == '[') }

// textOf returns the text of a JSON string: a part of value, or new memory if it
// has escapes.
func textOf(value []byte) []byte {
	inside := value[1 : len(value)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return appendUnescaped(make([]byte, 0, len(inside)), inside)
}

// trimJSON returns text without the white space of JSON around it (RFC 8259, section 2).
func trimJSON(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// pointerToName returns the JSON Pointer to the member whose name and colon are the end
// of text:
//
//	{"a":[{},{"b":   =>   /a/1/b
//
// It reads the text a second time, which is well-formed up to there: the first time, the
// values that were skipped left no path. Names that are there twice are rare.
func pointerToName(text []byte) []byte {
	s := scanner{data: text}
	var open []step
	for c := s.peek(); c != 0; c = s.peek() {
		switch top := len(open) - 1; {
		case c == '"':
			if value := s.skipValue(); s.peek() == ':' { // it is a name
				open[top].token = pointerToken(string(textOf(value)))
			}
			continue
		case c == '{':
			open = append(open, step{token: "/"})
		case c == '[':
			open = append(open, step{})
		case c == '}' || c == ']':
			open = open[:top]
		case c == ',' && open[top].token == "":
			open[top].index++
		}
		s.pos++
	}
	return appendSteps(nil, open)
}

// A step is one reference token of a JSON Pointer (RFC 6901, section 3).
type step struct {
	token string // with its slash, escaped; "" for an array element
	index int    // of the array element
}

// appendSteps appends the JSON Pointer made of these steps.
func appendSteps(dst []byte, path []step) []byte {
	for _, s := range path {
		if s.token != "" {
			dst = append(dst, s.token...)
		} else {
			dst = strconv.AppendInt(append(dst, '/'), int64(s.index), 10)
		}
	}
	return dst
}
