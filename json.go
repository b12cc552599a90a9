package svc

// This file knows how JSON spells numbers, strings and pointers. With
// json_scan.go, which reads texts, it is the only place that does: everything
// in the package that reads or writes JSON goes through here, so that every
// transport refuses the same texts.

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// integerFault says why a number is not an integer of 64 bits.
type integerFault int

const (
	integerOK integerFault = iota
	integerFraction
	integerRange
)

// parseInteger returns the magnitude and the sign of a JSON number that is a
// whole number: by value, as JSON Schema has it, so 1.0 and 1e2 are. No number
// is ever written out: 1e1000000000 is out of range after a glance.
func parseInteger(num []byte) (mag uint64, neg bool, bad integerFault) {
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
func parseDecimal(whole, rest []byte, neg bool) (uint64, bool, integerFault) {
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
