package svc

// This file says in regular expressions which texts spell a number: JSON Schema
// has nothing else for numbers in strings.

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// numberPattern is the spelling of a JSON number (RFC 8259, section 6).
const numberPattern = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`

// nothingPattern is inside a pattern what no text matches, by Go's rules and by
// ECMAScript's.
const nothingPattern = `[^\s\S]`

// A bound is an integer of any of Go's types.
type bound struct {
	mag uint64
	neg bool // false for zero
}

// boundOf returns the integer that a JSON number spells, if it is one.
func boundOf(num []byte) (bound, bool) {
	if _, ok := jsonNumber(num); !ok {
		return bound{}, false
	}
	mag, neg, bad := parseInteger(num)
	return bound{mag, neg && mag > 0}, bad == integerOK
}

func (b bound) less(c bound) bool {
	switch {
	case b.neg != c.neg:
		return b.neg
	case b.neg:
		return b.mag > c.mag
	}
	return b.mag < c.mag
}

func (b bound) min(c bound) bound {
	if c.less(b) {
		return c
	}
	return b
}

func (b bound) max(c bound) bound {
	if b.less(c) {
		return c
	}
	return b
}

// next returns b+1, and previous b-1; the largest and the smallest stay, since
// nothing is beyond them.
func (b bound) next() bound {
	switch {
	case b.neg:
		return bound{b.mag - 1, b.mag > 1}
	case b.mag == math.MaxUint64:
		return b
	}
	return bound{b.mag + 1, false}
}

func (b bound) previous() bound {
	switch {
	case b.mag == math.MaxUint64 && b.neg:
		return b
	case b.neg || b.mag == 0:
		return bound{b.mag + 1, true}
	}
	return bound{b.mag - 1, false}
}

// integerBounds returns the least and the greatest value of the Go type.
func (s *shape) integerBounds() (low, high bound) {
	if s.kind == kindUint {
		return bound{}, bound{mag: math.MaxUint64 >> (64 - s.bits)}
	}
	half := uint64(1) << (s.bits - 1)
	return bound{half, true}, bound{mag: half - 1}
}

// holds reports whether the Go type has the value b.
func (s *shape) holds(b bound) bool {
	low, high := s.integerBounds()
	return !b.less(low) && !high.less(b)
}

// String returns b as a JSON number.
func (b bound) String() string {
	if b.neg {
		return "-" + strconv.FormatUint(b.mag, 10)
	}
	return strconv.FormatUint(b.mag, 10)
}

// A span is every integer from low to high.
type span struct{ low, high bound }

// pattern returns the alternatives, without parentheses, of the texts that
// spell an integer of the range in digits. Zero is spelt as given.
func (r span) pattern(zero string) string {
	if r.high.less(r.low) {
		return nothingPattern
	}
	var below, above []string
	least := uint64(1)
	if r.high.neg {
		least = r.high.mag
	}
	if r.low.neg {
		below = digitsBetween(least, r.low.mag)
	}
	least = 1
	if !r.low.neg {
		least = max(r.low.mag, 1)
	}
	if !r.high.neg {
		above = digitsBetween(least, r.high.mag)
	}
	var parts []string
	if !(bound{}).less(r.low) && !r.high.neg {
		parts = append(parts, zero)
	}
	switch {
	case len(below) > 0 && slices.Equal(below, above):
		parts = append(parts, "-?"+group(above))
	case len(below) > 0:
		parts = append(parts, "-"+group(below))
		fallthrough
	default:
		parts = append(parts, above...)
	}
	return strings.Join(parts, "|")
}

// group returns alternatives as one piece of a pattern.
func group(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, "|") + ")"
}

// digitsBetween returns the alternatives for the numbers from low, at least 1,
// to high, without leading zeros: those of each length in turn. The bounds of 64
// bits count as 19 and 20 nines: to the digit, they take 300 characters that
// every reader of a schema would have to pass over.
func digitsBetween(low, high uint64) []string {
	var parts []string
	roundUp := high >= math.MaxInt64
	whole := 0 // how many lengths in a row have all their numbers in the range
	flush := func(digits int) {
		if whole > 0 {
			parts = append(parts, "[1-9]"+anyDigits(digits-whole, digits-1))
		}
		whole = 0
	}
	first, last := len(strconv.FormatUint(low, 10)), len(strconv.FormatUint(high, 10))
	for n := first; n <= last; n++ {
		from, to := "1"+strings.Repeat("0", n-1), strings.Repeat("9", n)
		if n == first {
			from = strconv.FormatUint(low, 10)
		}
		if n == last && !roundUp {
			to = strconv.FormatUint(high, 10)
		}
		if from == "1"+strings.Repeat("0", n-1) && to == strings.Repeat("9", n) {
			whole++
			continue
		}
		flush(n - 1)
		parts = append(parts, sameLength(from, to)...)
	}
	flush(last)
	return parts
}

// anyDigits returns the pattern of low to high digits of any kind.
func anyDigits(low, high int) string {
	switch {
	case high == 0:
		return ""
	case low == 1 && high == 1:
		return "[0-9]"
	case low == 0 && high == 1:
		return "[0-9]?"
	case low == high:
		return "[0-9]{" + strconv.Itoa(low) + "}"
	}
	return "[0-9]{" + strconv.Itoa(low) + "," + strconv.Itoa(high) + "}"
}

// sameLength returns the alternatives for the numbers from low to high, which
// have as many digits: those that begin with the first digit of low, those that
// begin with the first of high, and all that begin with one in between.
func sameLength(low, high string) []string {
	n := len(low) - 1 // digits after the first
	switch {
	case low == high:
		return []string{low}
	case low[0] == high[0]:
		return []string{low[:1] + group(sameLength(low[1:], high[1:]))}
	}
	from, to := low[0], high[0]
	var before, after []string
	if strings.Trim(low[1:], "0") != "" {
		before = []string{low[:1] + group(sameLength(low[1:], strings.Repeat("9", n)))}
		from++
	}
	if strings.Trim(high[1:], "9") != "" {
		after = []string{high[:1] + group(sameLength(strings.Repeat("0", n), high[1:]))}
		to--
	}
	if from <= to {
		before = append(before, oneOf(from, to)+anyDigits(n, n))
	}
	return append(before, after...)
}

// oneOf returns the pattern of one digit from low to high.
func oneOf(low, high byte) string {
	switch {
	case low == high:
		return string(low)
	case low+1 == high:
		return "[" + string(low) + string(high) + "]"
	}
	return "[" + string(low) + "-" + string(high) + "]"
}
