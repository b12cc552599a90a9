package svc

// This file sets Go scalars from text: the inside of a JSON string, a JSON
// number, a path or a query value, or a member's name that is a map key.

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"time"
)

// A setter sets v, which is settable and zero, to the scalar that text spells.
// It must not keep text.
type setter func(d *decoder, v reflect.Value, text []byte) *mistake

// setterFor returns the setter for scalars of shape s. Where plain, integers
// are spelt with digits only, so that no value has two spellings.
func setterFor(s *shape, plain bool) setter {
	switch s.kind {
	case kindText:
		return setText
	case kindTime:
		return setTime
	case kindDuration:
		return setDuration
	case kindBytes:
		return setBytes
	case kindBool:
		return setBool
	case kindInt:
		return setInt(s.bits, plain)
	case kindUint:
		return setUint(s.bits, plain)
	case kindFloat:
		return setFloat(s.bits)
	case kindNumber:
		return setNumber
	}
	return setString
}

var (
	mustBeString   = &mistake{ruleType, "must be a string"}
	mustBeBool     = &mistake{ruleType, "must be true or false"}
	mustBeInteger  = &mistake{ruleType, "must be an integer"}
	mustBeNumber   = &mistake{ruleType, "must be a number"}
	mustBeTime     = &mistake{ruleType, "must be a date and time by RFC 3339, such as 2006-01-02T15:04:05Z"}
	mustBeDuration = &mistake{ruleType, "must be a duration, such as 1h30m or 1.5s"}
	mustBeBase64   = &mistake{ruleType, "must be base64 with padding"}
	mustBeQuoted   = &mistake{ruleType, "must be a string that holds a JSON string"}
	isNotValid     = &mistake{ruleType, "is not in the form that is expected here"}
)

// expected returns what to say of a JSON value of another type.
func (s *shape) expected() *mistake {
	switch s.kind {
	case kindBool:
		return mustBeBool
	case kindInt, kindUint:
		return mustBeInteger
	case kindFloat, kindNumber:
		return mustBeNumber
	}
	return mustBeString
}

// decodeScalar returns the decoder for scalars of shape s.
func decodeScalar(s *shape) decodeFunc {
	set, wrong := setterFor(s, false), s.expected()
	switch {
	case s.kind == kindString:
		return decodeString
	case s.kind == kindBool:
		return decodeBool
	case s.kind.isNumeric():
		return func(d *decoder, v reflect.Value) {
			if c := d.peek(); c != '-' && !isDigit(c) {
				d.mismatch(wrong)
				return
			}
			if num := d.number(); d.fault == nil {
				d.note(set(d, v, num))
			}
		}
	}
	return func(d *decoder, v reflect.Value) {
		if d.peek() != '"' {
			d.mismatch(wrong)
			return
		}
		if text := d.inside(); d.fault == nil {
			d.note(set(d, v, text))
		}
	}
}

// note notes m if it is a mistake at all.
func (d *decoder) note(m *mistake) {
	if m != nil {
		d.violate(m)
	}
}

// inside reads a string and returns what it stands for, for looking at only.
func (d *decoder) inside() []byte {
	raw, escaped := d.str()
	if escaped {
		d.scratch = appendUnescaped(d.scratch[:0], raw)
		return d.scratch
	}
	return raw
}

func decodeString(d *decoder, v reflect.Value) {
	if d.peek() != '"' {
		d.mismatch(mustBeString)
		return
	}
	if raw, escaped := d.str(); d.fault == nil {
		v.SetString(d.text(raw, escaped))
	}
}

func decodeBool(d *decoder, v reflect.Value) {
	switch d.peek() {
	case 't':
		v.SetBool(d.literal("true"))
	case 'f':
		d.literal("false")
	default:
		d.mismatch(mustBeBool)
	}
}

// decodeQuoted decodes a `json:",string"` field: a string that holds the JSON
// of the value. Null is taken where the field is a pointer.
func decodeQuoted(s *shape) decodeFunc {
	target := s.deref()
	set := setterFor(target, true)
	if target.kind == kindString {
		set = setQuotedString
	}
	decode := func(d *decoder, v reflect.Value) {
		if d.peek() != '"' {
			d.mismatch(mustBeString)
			return
		}
		text := d.inside()
		if d.fault != nil {
			return
		}
		if _, ok := jsonNumber(text); target.kind.isNumeric() && !ok {
			d.violate(target.expected())
			return
		}
		d.note(set(d, v, text))
	}
	if s.kind == kindPointer {
		return decodePointer(decode, target.typ)
	}
	return decode
}

func setQuotedString(d *decoder, v reflect.Value, text []byte) *mistake {
	if len(text) == 0 || text[0] != '"' {
		return mustBeQuoted
	}
	s := scanner{data: text}
	raw, escaped := s.str()
	if s.fault != nil || s.pos < len(text) { // no space around it, as in encoding/json
		return mustBeQuoted
	}
	if escaped {
		raw = appendUnescaped(nil, raw)
	}
	v.SetString(string(raw))
	return nil
}

func setString(d *decoder, v reflect.Value, text []byte) *mistake {
	v.SetString(d.text(text, false))
	return nil
}

func setBool(_ *decoder, v reflect.Value, text []byte) *mistake {
	switch string(text) {
	case "true":
		v.SetBool(true)
	case "false":
	default:
		return mustBeBool
	}
	return nil
}

// between says what an integer type holds.
func between(low, high string) *mistake {
	return &mistake{ruleRange, "must be an integer between " + low + " and " + high}
}

func setInt(bits int, plain bool) setter {
	low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	outside := between(strconv.FormatInt(low, 10), strconv.FormatInt(high, 10))
	return func(_ *decoder, v reflect.Value, text []byte) *mistake {
		mag, neg, wrong := integerFrom(text, plain, outside)
		if wrong != nil {
			return wrong
		}
		n, ok := signed(mag, neg)
		if !ok || n < low || n > high {
			return outside
		}
		v.SetInt(n)
		return nil
	}
}

func setUint(bits int, plain bool) setter {
	high := uint64(math.MaxUint64) >> (64 - bits)
	outside := between("0", strconv.FormatUint(high, 10))
	return func(_ *decoder, v reflect.Value, text []byte) *mistake {
		mag, neg, wrong := integerFrom(text, plain, outside)
		if wrong != nil {
			return wrong
		}
		if mag > high || neg && mag > 0 {
			return outside
		}
		v.SetUint(mag)
		return nil
	}
}

// integerFrom reads an integer that is spelt as a JSON number.
func integerFrom(text []byte, plain bool, outside *mistake) (mag uint64, neg bool, wrong *mistake) {
	if len(text) == 0 || !isDigit(text[len(text)-1]) || plain && !isPlainInteger(text) {
		return 0, false, mustBeInteger
	}
	mag, neg, bad := parseInteger(text)
	switch bad {
	case integerFraction:
		return 0, false, mustBeInteger
	case integerRange:
		return 0, false, outside
	}
	return mag, neg, nil
}

// isPlainInteger reports whether text is the one spelling of an integer that
// strconv writes.
func isPlainInteger(text []byte) bool {
	digits := text
	if len(digits) > 1 && digits[0] == '-' && digits[1] != '0' {
		digits = digits[1:]
	}
	for _, c := range digits {
		if !isDigit(c) {
			return false
		}
	}
	return len(digits) == 1 || len(digits) > 1 && digits[0] != '0'
}

func setFloat(bits int) setter {
	outside := &mistake{ruleRange, "must be a number that a float of " + strconv.Itoa(bits) + " bits can hold"}
	return func(_ *decoder, v reflect.Value, text []byte) *mistake {
		f, err := strconv.ParseFloat(string(text), bits)
		if err != nil {
			return outside // the spelling was checked before
		}
		v.SetFloat(f)
		return nil
	}
}

func setNumber(_ *decoder, v reflect.Value, text []byte) *mistake {
	v.SetString(string(text))
	return nil
}

// setTime takes RFC 3339, section 5.6, to the letter: package time by itself
// also takes a comma before the fraction and hours of one digit.
func setTime(_ *decoder, v reflect.Value, text []byte) *mistake {
	if !hasTimeForm(text) {
		return mustBeTime
	}
	t, err := time.ParseInLocation(time.RFC3339Nano, string(text), time.UTC)
	if err != nil {
		return mustBeTime
	}
	*v.Addr().Interface().(*time.Time) = t
	return nil
}

// hasTimeForm reports whether text has the form of an RFC 3339 time, as far as
// package time does not check it.
func hasTimeForm(text []byte) bool {
	const date = "0000-00-00T00:00:00"
	if len(text) <= len(date) || !matchesForm(text[:len(date)], date) {
		return false
	}
	zone := text[len(date):]
	if zone[0] == '.' {
		n := 1
		for n < len(zone) && isDigit(zone[n]) {
			n++
		}
		if n == 1 {
			return false
		}
		zone = zone[n:]
	}
	if string(zone) == "Z" {
		return true
	}
	return matchesForm(zone, "+00:00") && string(zone[1:3]) < "24" && string(zone[4:]) < "60"
}

// matchesForm reports whether text has a digit for each 0 of form, a sign for
// each +, and is the same elsewhere.
func matchesForm(text []byte, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i, c := range text {
		switch form[i] {
		case '0':
			if !isDigit(c) {
				return false
			}
		case '+':
			if c != '+' && c != '-' {
				return false
			}
		case c:
		default:
			return false
		}
	}
	return true
}

func setDuration(_ *decoder, v reflect.Value, text []byte) *mistake {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return mustBeDuration
	}
	v.SetInt(int64(d))
	return nil
}

// setBytes takes base64 by RFC 4648, section 4, without the line ends that
// encoding/base64 passes over and with zero bits at the end, so that no value
// has two spellings.
func setBytes(_ *decoder, v reflect.Value, text []byte) *mistake {
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(out, text)
	if err != nil {
		return mustBeBase64
	}
	for _, c := range text {
		if c == '\n' || c == '\r' {
			return mustBeBase64
		}
	}
	v.SetBytes(out[:n])
	return nil
}

func setText(d *decoder, v reflect.Value, text []byte) *mistake {
	return d.refusal(v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text))
}

// refusal returns what to tell a client of the error of a type's own decoding.
// The text of an *Error is meant for clients; any other may tell of the inside,
// and is kept for the log.
func (d *decoder) refusal(err error) *mistake {
	if err == nil {
		return nil
	}
	if d.cause == nil {
		d.cause = err
	}
	var e *Error
	if errors.As(err, &e) && e != nil && e.Message != "" && !e.code().private() {
		return &mistake{ruleType, e.Message}
	}
	return isNotValid
}

func decodeCustom(d *decoder, v reflect.Value) {
	if text := d.skip(); d.fault == nil {
		d.note(d.refusal(v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text)))
	}
}

func decodeRaw(d *decoder, v reflect.Value) {
	if text := d.skip(); d.fault == nil {
		v.SetBytes(append(make([]byte, 0, len(text)), text...))
	}
}

func decodeAny(d *decoder, v reflect.Value) {
	if x := d.any(); d.fault == nil && x != nil {
		v.Set(reflect.ValueOf(x))
	}
}

// any returns the next value as encoding/json would, except that a number that
// a float64 would change beyond rounding, a large integer or one out of range,
// is kept as a json.Number.
func (d *decoder) any() any {
	switch c := d.peek(); c {
	case '{':
		m := make(map[string]any)
		d.open()
		for first := true; d.more('}', first); first = false {
			name := d.name()
			if _, twice := m[string(name)]; twice {
				d.failDuplicate()
				return nil
			}
			m[d.text(name, false)] = d.any()
		}
		return m
	case '[':
		list := []any{}
		d.open()
		for first := true; d.more(']', first); first = false {
			list = append(list, d.any())
		}
		return list
	case '"':
		raw, escaped := d.str()
		return d.text(raw, escaped)
	case 't':
		return d.literal("true")
	case 'f':
		return !d.literal("false")
	case 'n':
		d.literal("null")
		return nil
	default:
		d.failValue(c)
		return exactNumber(d.number())
	}
}

// exactNumber returns a float64 where that does the number justice.
func exactNumber(num []byte) any {
	if len(num) == 0 {
		return nil // the scanner has failed
	}
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil {
		return json.Number(num)
	}
	if math.Abs(f) >= 1<<53 && isPlainInteger(num) && strconv.FormatFloat(f, 'f', 0, 64) != string(num) {
		return json.Number(num)
	}
	return f
}
