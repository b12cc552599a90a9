package svc

// This file turns Go values into JSON by a compiled plan that keeps the promises
// of the schema: lists and objects are never null, names are in one order, and a
// value that JSON cannot carry is an error before anything is sent.
// encode_scalar.go has the scalars, encode_any.go the values whose type is known
// only when they come.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

// An encoder appends JSON to buf. The first value that JSON cannot carry ends
// up in err, and what is in buf is then worth nothing.
type encoder struct {
	buf   []byte
	depth int
	err   error
}

// An encodeFunc appends v, which is addressable.
type encodeFunc func(e *encoder, v reflect.Value)

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// enter counts the lists and objects that are open: a value that contains itself by a
// pointer has no end.
func (e *encoder) enter() bool {
	if e.depth == maxDepth {
		e.fail(errors.New("a value nested more than 1000 levels deep"))
		return false
	}
	e.depth++
	return true
}

// encoders is one compile pass over shapes.
type encoders map[*shape]*encodeFunc

// of returns the encoder for values of shape s.
func (c encoders) of(s *shape) encodeFunc {
	if fn, ok := c[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(e *encoder, v reflect.Value) { (*fn)(e, v) } // s contains itself
	}
	fn := new(encodeFunc)
	c[s] = fn
	*fn = c.compile(s)
	return *fn
}

// compile makes the encoder for s.
func (c encoders) compile(s *shape) encodeFunc {
	switch s.kind {
	case kindAny:
		return encodeAny
	case kindRaw:
		return encodeRaw
	case kindCustom:
		return c.custom(s)
	case kindText:
		return encodeText
	case kindTime:
		return encodeTime
	case kindDuration:
		return encodeDuration
	case kindBytes:
		return encodeBytes
	case kindString:
		return encodeString
	case kindBool:
		return encodeBool
	case kindInt:
		return encodeInt
	case kindUint:
		return encodeUint
	case kindFloat:
		return encodeFloat(s.bits)
	case kindNumber:
		return encodeNumber
	case kindPointer:
		return encodePointer(c.of(s.elem))
	case kindSlice, kindArray:
		if s.typ == reflect.TypeFor[[]string]() {
			return encodeStrings
		}
		return encodeList(c.of(s.elem))
	case kindMap:
		return encodeMap(s, c.of(s.elem))
	}
	return c.object(s)
}

// custom encodes a type by its own MarshalJSON; one that has only
// UnmarshalJSON is encoded by what it is.
func (c encoders) custom(s *shape) encodeFunc {
	if has(s.typ, typeJSONMarshaler) {
		return func(e *encoder, v reflect.Value) {
			text, err := v.Addr().Interface().(json.Marshaler).MarshalJSON()
			e.compact(text, err)
		}
	}
	return encodeDynamic
}

func encodeRaw(e *encoder, v reflect.Value) {
	if v.Len() == 0 {
		e.buf = append(e.buf, "null"...)
		return
	}
	e.compact(v.Bytes(), nil)
}

// compact appends JSON that somebody else wrote, without its white space: an
// event of a stream is one line.
func (e *encoder) compact(text []byte, err error) {
	if err != nil {
		e.fail(err)
		return
	}
	if e.check(text) {
		buf := bytes.NewBuffer(e.buf)
		e.fail(json.Compact(buf, text))
		e.buf = buf.Bytes()
	}
}

// check fails if text, which somebody else wrote, is not such JSON as we take
// ourselves at this depth.
func (e *encoder) check(text []byte) bool {
	s := scanner{data: text, depth: e.depth}
	s.skip()
	if s.end(); s.fault != nil {
		e.fail(fmt.Errorf("a type's own JSON is not acceptable: %w", s.fault))
	}
	return s.fault == nil
}

func encodePointer(elem encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		if v.IsNil() {
			e.buf = append(e.buf, "null"...)
			return
		}
		elem(e, v.Elem()) // shapes.finish sees to it that pointers alone have an end
	}
}

func encodeList(elem encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		if !e.enter() {
			return
		}
		e.buf = append(e.buf, '[')
		for i := range v.Len() {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			elem(e, v.Index(i))
		}
		e.buf = append(e.buf, ']')
		e.depth--
	}
}

// encodeStrings is encodeList for the most usual list, without reflection.
func encodeStrings(e *encoder, v reflect.Value) {
	e.buf = append(e.buf, '[')
	for i, s := range *v.Addr().Interface().(*[]string) {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendQuoted(e.buf, s)
	}
	e.buf = append(e.buf, ']')
}

// encodeMap writes the members in the order of their names.
func encodeMap(s *shape, elem encodeFunc) encodeFunc {
	type entry struct {
		name  string
		value reflect.Value
	}
	return func(e *encoder, v reflect.Value) {
		if !e.enter() {
			return
		}
		entries := make([]entry, 0, v.Len())
		values := reflect.MakeSlice(reflect.SliceOf(s.elem.typ), v.Len(), v.Len())
		for it := v.MapRange(); it.Next(); {
			name, err := s.key.keyText(it.Key())
			if err != nil {
				e.fail(err)
				return
			}
			if !utf8.ValidString(name) {
				name = string([]rune(name)) // as appendQuoted does: two may become one
			}
			value := values.Index(len(entries)) // addressable, which a map's are not
			value.SetIterValue(it)
			entries = append(entries, entry{name, value})
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
		e.buf = append(e.buf, '{')
		for i, m := range entries {
			if i > 0 {
				if m.name == entries[i-1].name {
					e.fail(errors.New("a map with two keys of the same text"))
				}
				e.buf = append(e.buf, ',')
			}
			e.buf = append(appendQuoted(e.buf, m.name), ':')
			elem(e, m.value)
		}
		e.buf = append(e.buf, '}')
		e.depth--
	}
}

// A memberEncoder writes one field of a struct.
type memberEncoder struct {
	*field
	prefix string // the name with quotes and colon
	single int    // the index of a field that is not promoted, else -1
	encode encodeFunc
	omits  func(v reflect.Value) bool // nil if the field is always written
}

// object compiles the encoder of a struct.
func (c encoders) object(s *shape) encodeFunc {
	var members []memberEncoder
	for _, f := range s.fields {
		if f.hidden {
			continue
		}
		m := memberEncoder{field: f, prefix: string(appendQuoted(nil, f.name)) + ":", single: -1, encode: c.of(f.shape), omits: f.omits()}
		if f.quoted {
			m.encode = encodeQuoted(m.encode, f.shape.deref().kind == kindString)
		}
		if len(f.index) == 1 {
			m.single = f.index[0]
		}
		members = append(members, m)
	}
	return func(e *encoder, v reflect.Value) {
		if !e.enter() {
			return
		}
		e.buf = append(e.buf, '{')
		start := len(e.buf)
		for i := range members {
			m := &members[i]
			value, ok := m.value(v)
			if !ok || m.omits != nil && m.omits(value) {
				continue
			}
			if len(e.buf) > start {
				e.buf = append(e.buf, ',')
			}
			e.buf = append(e.buf, m.prefix...)
			m.encode(e, value)
		}
		e.buf = append(e.buf, '}')
		e.depth--
	}
}

// value returns the field of the struct v, unless it is in an embedded struct
// that is not there.
func (m *memberEncoder) value(v reflect.Value) (reflect.Value, bool) {
	if m.single >= 0 {
		return v.Field(m.single), true
	}
	return m.lookup(v)
}

// omits returns the rule by which an optional field is left out, or nil.
func (f *field) omits() func(reflect.Value) bool {
	var isEmpty, isZero func(reflect.Value) bool
	if f.omit&omitEmpty != 0 {
		isEmpty = emptiness(f.shape.typ)
	}
	if f.omit&omitZero != 0 {
		isZero = zeroness(f.shape.typ)
	}
	switch {
	case isZero == nil:
		return isEmpty
	case isEmpty == nil:
		return isZero
	}
	return func(v reflect.Value) bool { return isEmpty(v) || isZero(v) }
}

// zeroness returns the rule of omitzero in encoding/json for values of type t:
// its method IsZero decides, if it has one.
func zeroness(t reflect.Type) func(reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	switch {
	case t.Kind() == reflect.Pointer && t.Implements(reflect.TypeFor[zeroer]()):
		return func(v reflect.Value) bool { return v.IsNil() || v.Interface().(zeroer).IsZero() }
	case has(t, reflect.TypeFor[zeroer]()):
		return func(v reflect.Value) bool { return v.Addr().Interface().(zeroer).IsZero() }
	}
	return reflect.Value.IsZero
}

// emptiness returns the rule of omitempty in encoding/json for values of type
// t, or nil if none is empty.
func emptiness(t reflect.Type) func(reflect.Value) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return func(v reflect.Value) bool { return v.Len() == 0 }
	case reflect.Pointer, reflect.Interface:
		return reflect.Value.IsNil
	case reflect.Struct:
		return nil
	}
	return reflect.Value.IsZero
}

// encodeQuoted puts a scalar into a string.
func encodeQuoted(encode encodeFunc, isText bool) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		start := len(e.buf)
		encode(e, v)
		text := string(e.buf[start:])
		switch {
		case text == "null":
		case isText:
			e.buf = appendQuoted(e.buf[:start], text)
		default:
			e.buf = append(append(append(e.buf[:start], '"'), text...), '"')
		}
	}
}
