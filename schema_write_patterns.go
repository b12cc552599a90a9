package svc

// This file has the patterns of values that are written in strings, such as "5" for 5, and
// the bounds that schemas have for the types of Go. JSON Schema has nothing else for them.

import "strconv"

// Integers of up to 32 bits have exact patterns. Those of 64 bits would need 300 characters,
// so theirs limit the number of digits; the decoder and the binder check bounds.
const (
	// pathIntegerPattern matches integers in a path, where -0 is allowed too.
	pathIntegerPattern = `^-?(0|[1-9][0-9]*)$`

	// numberPattern is a JSON number (RFC 8259, section 6).
	numberPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`

	// stringPattern is a JSON string (RFC 8259, section 7) without lone surrogates.
	stringPattern = `^"([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u([0-9abcefABCEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}|` +
		`[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))*"$`

	// durationPattern matches the texts that time.ParseDuration accepts, and also
	// values that are too large.
	durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

	// base64Pattern is base64 with padding and without stray bits (RFC 4648, section 4).
	base64Pattern = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`
)

// float32Bound is the greatest number that is rounded to a float of 32 bits: the text is below
// 2^128-2^103, from which on it would be infinite, and the nearest double to it.
const float32Bound = "3.4028235677973366e38"

// quotedPattern returns the pattern of the text of a `json:",string"` value that is no bool.
func (s *shape) quotedPattern() string {
	switch s.kind {
	case kindString:
		return stringPattern
	case kindInt, kindUint:
		return s.integerPattern()
	case kindFloat, kindNumber:
		return numberPattern
	}
	return ""
}

// integerPattern returns the pattern of the integers of the type. It allows one spelling of
// each, so that two names of a map never stand for one map key.
func (s *shape) integerPattern() string {
	low, high := s.integerBounds()
	digits := upToPattern(high)
	if s.bits == 64 {
		digits = "[1-9][0-9]{0," + strconv.Itoa(len(high)-1) + "}"
	}
	switch {
	case s.kind == kindUint:
		return "^(0|" + digits + ")$"
	case s.bits == 64:
		return "^(0|-?" + digits + ")$"
	}
	return "^(0|-?(" + digits + ")|" + low + ")$" // the magnitude of low is one above high
}

// upToPattern returns a pattern of the integers from 1 to high, which has two digits at least:
//
//	127  [1-9][0-9]?|1([01][0-9]|2[0-7])
func upToPattern(high string) string {
	fewer := "[1-9][0-9]?"
	if len(high) > 3 {
		fewer = "[1-9][0-9]{0," + strconv.Itoa(len(high)-2) + "}"
	}
	return fewer + "|" + sameLengthPattern(high, '1')
}

// sameLengthPattern returns a pattern of the integers with as many digits as high that are not
// greater. The first digit is at least least.
func sameLengthPattern(high string, least byte) string {
	first, rest := high[0], high[1:]
	if rest == "" {
		return digitsPattern(least, first)
	}
	inner := sameLengthPattern(rest, '0')
	if rest[0] > '0' && len(rest) > 1 { // it has alternatives
		inner = "(" + inner + ")"
	}
	if first == least {
		return high[:1] + inner
	}
	others := "[0-9]"
	if len(rest) > 1 {
		others += "{" + strconv.Itoa(len(rest)) + "}"
	}
	return digitsPattern(least, first-1) + others + "|" + high[:1] + inner
}

// digitsPattern returns a pattern of one digit of a range.
func digitsPattern(low, high byte) string {
	switch high - low {
	case 0:
		return string(low)
	case 1:
		return "[" + string(low) + string(high) + "]"
	}
	return "[" + string(low) + "-" + string(high) + "]"
}
