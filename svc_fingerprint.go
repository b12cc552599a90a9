package svc

// This file makes the fingerprint of an input, by which calls with one idempotency key are
// compared. Two inputs are equal if what was sent is:
//
//	unknown members, fields with idempotency:"-"   do not count
//	the order of members, white space, escapes     do not count
//	numbers                                        by value: 100, 1e2 and 100.0 are 1e2
//	path, query, form, and headers and cookies     as the members that other transports have;
//	  with a JSON name                               a list has its texts in the order sent
//	headers and cookies with json:"-"              as members that REST alone has
//	the input of Service.Call                      as the JSON that svc writes of it
//
// A default that is sent, an empty member and a null are not the same as no member. No method of
// the application runs, but those for the JSON of an input of Service.Call.

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// name returns the name of the member that other transports have for it.
func (p sentParam) name() string {
	if p.field.isNameless() {
		return p.field.restName()
	}
	return p.field.name
}

// value returns the text as other transports have it.
func (p sentParam) value() any {
	switch {
	case p.field.quoted:
	case p.kind.isNumeric():
		return json.Number(p.text)
	case p.kind == kindBool:
		return p.text == "true"
	}
	return p.text
}

// restName returns the name of the member that stands for a field with json:"-". No member that is
// sent counts as it; see fingerprint.
func (f *field) restName() string { return "header " + f.header + " cookie " + f.cookie }

// keyedShape returns the input s with all its fields as members.
func keyedShape(s *shape) *shape {
	fields := slices.Clone(s.fields)
	for i, f := range fields {
		if f.hidden {
			shown := *f
			shown.hidden = false
			if f.isNameless() {
				shown.name = f.restName()
				shown.prefix = `,"` + shown.name + `":`
			}
			fields[i] = &shown
		}
	}
	return s.withFields(fields)
}

// fingerprint returns an HMAC of an input under the idempotency key, so that a store does not tell
// what was sent: of a plain hash, the number of a card can be guessed. in counts if it is that of
// Service.Call, of which nothing was read.
func (k *keyPlan) fingerprint(key string, sent *keyedInput, in reflect.Value) (string, error) {
	mac := hmac.New(sha256.New, []byte(key))
	if k.in != nil {
		members, err := k.membersOf(sent, in)
		if err != nil {
			return "", err
		}
		mac.Write(appendSent(nil, members, k.in))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

// membersOf returns the members of an input by their JSON names, whatever carried them.
func (k *keyPlan) membersOf(sent *keyedInput, in reflect.Value) (members map[string]any, err error) {
	source, text := k.bind.in, sent.text
	switch {
	case sent.rest:
		source = k.bind.rest.inBody
	case text == nil:
		source = k.in
		if text, err = appendRecord(new(encoder), nil, in.Addr().Interface(), k.input); err != nil {
			return nil, err
		}
	}
	members = make(map[string]any)
	if source != nil {
		if isText(trimJSON(text)) { // see inputOptions.readStrings
			text = textOf(trimJSON(text))
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&members); err != nil {
			return nil, &Error{Code: CodeInternal, cause: err}
		}
		maps.DeleteFunc(members, func(name string, _ any) bool { return source.keyedField(members, name) == nil })
	}
	for _, p := range sent.params {
		name := p.name()
		if !p.listed {
			members[name] = p.value()
		} else {
			list, _ := members[name].([]any)
			members[name] = append(list, p.value())
		}
	}
	return members, nil
}

// keyedField returns the field of a member of x, an object of shape s. It returns nil for an
// unknown member and for a field that does not count.
func (s *shape) keyedField(x map[string]any, name string) *field {
	fields := s.fields
	for _, a := range s.alternatives {
		if x[s.fields[0].name] == a.value {
			fields = a.fields
		}
	}
	i := slices.IndexFunc(fields, func(f *field) bool { return f.name == name && !f.unkeyed && !f.isNameless() })
	if i < 0 {
		return nil
	}
	return fields[i]
}

// appendSent appends a value of JSON that a plan of s has read; s is nil inside of values that the
// application reads.
func appendSent(dst []byte, x any, s *shape) []byte {
	if s != nil {
		s = s.deref()
	}
	switch x := x.(type) {
	case json.Number:
		return appendDecimal(dst, string(x))
	case string:
		return appendQuoted(dst, x)
	case []any:
		dst = append(dst, '[')
		for _, item := range x {
			dst = append(appendSent(dst, item, s.inside()), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(x)) {
			inside := s.inside()
			if s != nil && s.kind == kindObject {
				f := s.keyedField(x, name)
				if f == nil {
					continue
				}
				inside = f.shape
			}
			dst = append(appendQuoted(dst, name), ':')
			dst = append(appendSent(dst, x[name], inside), ',')
		}
		return append(dst, '}')
	}
	return fmt.Append(dst, x) // <nil>, true, false
}

func (s *shape) inside() *shape {
	if s == nil {
		return nil
	}
	return s.elem
}

// appendDecimal appends a number by its value:
//
//	120, 1.2e2, 120.00  =>  12e1
//	-0.5                =>  -5e-1
//	-0                  =>  0
//	1e99999999999       =>  as it is
func appendDecimal(dst []byte, text string) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || power > 1<<30 || power < -1<<30 {
		return append(dst, text...)
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	power -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	power += len(digits) - len(significant)
	switch {
	case significant == "":
		return append(dst, '0')
	case negative:
		dst = append(dst, '-')
	}
	dst = append(append(dst, significant...), 'e')
	return strconv.AppendInt(dst, int64(power), 10)
}
