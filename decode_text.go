package svc

// This file sets values whose texts have a form of their own: times, durations, base64,
// the types that read their own text or JSON, with what they say of a wrong one, and
// fields that are quoted.

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"
)

// setTime sets a time.Time by RFC 3339, section 5.6.
func setTime(_ *decoder, v reflect.Value, text []byte) *complaint {
	t, ok := parseTime(string(text))
	if !ok {
		return mustBeTime
	}
	*v.Addr().Interface().(*time.Time) = t
	return nil
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
	zone := text[len(text)-len("07:00"):]
	return t, zone[4]|0x20 == 'z' || zone[:2] < "24" && zone[3:] < "60"
}

// setDuration sets a time.Duration, spelled as [time.ParseDuration] wants it.
func setDuration(_ *decoder, v reflect.Value, text []byte) *complaint {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return mustBeDuration
	}
	v.SetInt(int64(d))
	return nil
}

// setBytes sets a []byte, by RFC 4648, section 4, to the letter. Package base64
// alone also takes line ends anywhere and stray bits at the end; a value would
// have many spellings.
func setBytes(_ *decoder, v reflect.Value, text []byte) *complaint {
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(out, text)
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return mustBeBase64
	}
	v.SetBytes(out[:n])
	return nil
}

// setTextOr returns the setter by UnmarshalText. Texts that it refuses get the complaint
// c.
func setTextOr(c *complaint) setter {
	return func(d *decoder, v reflect.Value, text []byte) *complaint {
		return d.complaintFor(v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text), c)
	}
}

// isNested stands for violations that addNested has added.
var isNested = new(complaint)

// addNested adds the violations of err, an error of the application about the value at
// hand, and reports whether it has any: an *Error with INVALID_ARGUMENT and violations,
// whose places begin at the value. They get the source of the value, but for those of
// the whole input, whose fields have one each. An error that is alone keeps its message,
// status, headers and other details.
func (d *decoder) addNested(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e == nil || e.code() != CodeInvalidArgument {
		return false
	}
	list := e.Violations()
	if len(list) == 0 {
		return false
	}
	if at := d.place(); len(d.path) > 0 {
		for i := range list {
			list[i].In, list[i].Path = d.in, at+list[i].Path
		}
		e = e.WithDetail("violations", list) // a copy
		e.violations = nil
	}
	if d.nestedErr == nil {
		d.nestedErr, d.nestedCount = e, len(list)
	}
	if d.found.cause == nil {
		d.found.cause = err
	}
	for _, v := range list {
		d.found.addViolation(v)
	}
	return true
}

// complaintFor returns the complaint for the error of an application's own
// decoding, or nil for nil. Clients read the message of an *Error, which is
// written for them. Any other text may tell about the inside of the service, so
// clients get the complaint c and the first such error becomes the cause, for the
// log.
func (d *decoder) complaintFor(err error, c *complaint) *complaint {
	if err == nil {
		return nil
	}
	if d.addNested(err) {
		return isNested
	}
	if d.found.cause == nil {
		d.found.cause = err
	}
	var e *Error
	if errors.As(err, &e) && e != nil && e.Message != "" && !e.code().private() {
		return &complaint{ruleType, e.Message}
	}
	return c
}

// decodeCustom decodes a value by its UnmarshalJSON, which gets the text of one
// value, strictly checked.
func decodeCustom(d *decoder, v reflect.Value) {
	if text := d.scan.skipValue(); d.scan.err == nil {
		d.addIfAny(d.complaintFor(v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text), isNotValid))
	}
}

// decodeQuoted returns the decodeFunc of a field tagged `json:",string"`: a
// string that holds the JSON of a scalar. A pointer takes null too. Integers
// must be in their one plain spelling; see setterFor.
func decodeQuoted(s *shape) decodeFunc {
	target := s.deref()
	set := setterFor(target, isPlainInteger)
	if target.kind == kindString {
		set = setQuotedString
	}
	decode := decodeText(set, mustBeString)
	if s.kind == kindPointer {
		return decodePointer(decode, target.typ)
	}
	return decode
}

// setQuotedString sets a string field tagged `json:",string"`, whose text is a
// JSON string itself. White space around it is refused, as in encoding/json.
func setQuotedString(d *decoder, v reflect.Value, text []byte) *complaint {
	if !isText(text) || text[len(text)-1] != '"' || !isJSON(text) {
		return mustBeQuoted
	}
	v.SetString(string(textOf(text)))
	return nil
}
