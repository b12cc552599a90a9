package svc

// This file walks a JSON text strictly. It knows nothing of Go types: the
// decoder drives it where a value is wanted, and lets it skip where none is.

import (
	"bytes"
	"strconv"
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
	fault *fault
}

// A fault says why a text is not acceptable JSON. It never quotes the text.
type fault struct {
	rule   string // ruleSyntax or ruleDuplicate
	reason string
	offset int // in bytes, where the reader was; after the name, for ruleDuplicate
}

func (f *fault) Error() string {
	return f.reason + ", at byte " + strconv.Itoa(f.offset)
}

// reset prepares s for another text, keeping its memory.
func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, names: s.names[:0]}
}

// fail records the first fault and moves to the end of the text.
func (s *scanner) fail(reason string) {
	if s.fault == nil {
		s.fault = &fault{rule: ruleSyntax, reason: reason, offset: s.pos}
		s.pos = len(s.data)
	}
}

func (s *scanner) failDuplicate() {
	if s.fault == nil {
		s.fault = &fault{rule: ruleDuplicate, reason: "the same name twice in one object", offset: s.pos}
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

// end checks that nothing but white space is left.
func (s *scanner) end() {
	if s.fault == nil && (s.peek() != 0 || s.pos < len(s.data)) {
		s.fail("more text after the JSON value")
	}
}

// open moves past the bracket that the caller has seen.
func (s *scanner) open() {
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
	case s.fault != nil:
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

// name reads a member's name and the colon after it. The result aliases the
// text where it can.
func (s *scanner) name() []byte {
	if s.peek() != '"' {
		s.fail("expected a name in double quotes")
		return nil
	}
	raw, escaped := s.str()
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

// str reads the string that starts at pos and returns what is between its
// quotes, and whether that has escapes.
func (s *scanner) str() (raw []byte, escaped bool) {
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
// come from [scanner.str], which has checked it.
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

// number reads the number that starts at pos (RFC 8259, section 6).
func (s *scanner) number() []byte {
	start := s.pos
	if s.pos < len(s.data) && s.data[s.pos] == '-' {
		s.pos++
	}
	switch {
	case s.pos < len(s.data) && s.data[s.pos] == '0':
		s.pos++
	case !s.digits():
		s.fail("expected a value")
		return nil
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if !s.digits() {
			s.fail("a number without a digit after its point")
			return nil
		}
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		if !s.digits() {
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

// digits moves past decimal digits and reports whether there was one.
func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// literal reads the word that the caller has seen the first letter of.
func (s *scanner) literal(word string) bool {
	if end := s.pos + len(word); end <= len(s.data) && string(s.data[s.pos:end]) == word {
		s.pos = end
		return true
	}
	s.fail("expected a value")
	return false
}

// skip moves past one value of any kind, with every check, and returns its
// text without the white space around it.
func (s *scanner) skip() []byte {
	c := s.peek()
	start := s.pos
	switch c {
	case '{':
		s.skipObject()
	case '[':
		s.open()
		for first := true; s.more(']', first); first = false {
			s.skip()
		}
	case '"':
		s.str()
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.failValue(c)
		s.number()
	}
	if s.fault != nil {
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
	s.open()
	for first := true; s.more('}', first); first = false {
		name := s.name()
		if s.fault == nil && !set.add(s, name) {
			s.failDuplicate()
		}
		s.skip()
	}
	set.close(s)
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

// add reports whether name is new, and keeps it.
func (n *nameSet) add(s *scanner, name []byte) bool {
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

func (n *nameSet) close(s *scanner) { s.names = s.names[:n.base] }
