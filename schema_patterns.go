package svc

// This file makes patterns for values that are written in strings, such as "5" for 5. JSON Schema
// has no other keyword for them.

import "strconv"

// The patterns of numbers limit the digits of an integer; the decoder and the binder check its
// bounds.
const (
	// pathIntegerPattern matches integers in a path, where -0 is allowed too.
	pathIntegerPattern = `^-?(0|[1-9][0-9]*)$`

	// anyNumberPattern is a JSON number (RFC 8259, section 6).
	anyNumberPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`

	// durationPattern matches the texts that time.ParseDuration accepts, and also
	// values that are too large.
	durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

	// base64Pattern is base64 with padding and without stray bits (RFC 4648, section 4).
	base64Pattern = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`
)

// numberPattern returns the pattern of a number of shape s in a string. Integers have one spelling
// each, so two names in a map never stand for the same key.
func (s *shape) numberPattern() string {
	if !s.kind.isMachineInteger() {
		return anyNumberPattern
	}
	_, high := s.integerBounds()
	digits := "[1-9][0-9]{0," + strconv.Itoa(len(high)-1) + "}"
	if s.kind == kindUint {
		return "^(0|" + digits + ")$"
	}
	return "^(0|-?" + digits + ")$"
}
