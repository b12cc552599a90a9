package svc

// This file turns Go values into JSON by a compiled plan that keeps the promises
// of the schema: lists and objects are never null, names are in one order, and a
// value that JSON cannot carry is an error before anything is sent.
// encode_scalar.go has the scalars, encode_any.go the values whose type is known
// only when they come.
//
// This file encodes values whose type no schema knows: those in an any.
//
// This file encodes scalars.

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
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
func (e *encoder) enterLevel() bool {
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
func (c encoders) encoderFor(s *shape) encodeFunc {
	if fn, ok := c[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(e *encoder, v reflect.Value) { (*fn)(e, v) } // s contains itself
	}
	fn := new(encodeFunc)
	c[s] = fn
	*fn = c.compileEncoder(s)
	return *fn
}

// compile makes the encoder for s.
func (c encoders) compileEncoder(s *shape) encodeFunc {
	switch s.kind {
	case kindAny:
		return encodeAny
	case kindRaw:
		return encodeRaw
	case kindCustom:
		return c.customEncoder(s)
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
		return encodePointer(c.encoderFor(s.elem))
	case kindSlice, kindArray:
		if s.typ == reflect.TypeFor[[]string]() {
			return encodeStrings
		}
		return encodeList(c.encoderFor(s.elem))
	case kindMap:
		return encodeMap(s, c.encoderFor(s.elem))
	}
	return c.structEncoder(s)
}

// custom encodes a type by its own MarshalJSON; one that has only
// UnmarshalJSON is encoded by what it is.
func (c encoders) customEncoder(s *shape) encodeFunc {
	if has(s.typ, typeJSONMarshaler) {
		return func(e *encoder, v reflect.Value) {
			text, err := v.Addr().Interface().(json.Marshaler).MarshalJSON()
			e.appendCompact(text, err)
		}
	}
	return encodeDynamic
}

func encodeRaw(e *encoder, v reflect.Value) {
	if v.Len() == 0 {
		e.buf = append(e.buf, "null"...)
		return
	}
	e.appendCompact(v.Bytes(), nil)
}

// compact appends JSON that somebody else wrote, without its white space: an
// event of a stream is one line.
func (e *encoder) appendCompact(text []byte, err error) {
	if err != nil {
		e.fail(err)
		return
	}
	if e.checkForeign(text) {
		buf := bytes.NewBuffer(e.buf)
		e.fail(json.Compact(buf, text))
		e.buf = buf.Bytes()
	}
}

// check fails if text, which somebody else wrote, is not such JSON as we take
// ourselves at this depth.
func (e *encoder) checkForeign(text []byte) bool {
	s := scanner{data: text, depth: e.depth}
	s.skipValue()
	if s.checkEnd(); s.err != nil {
		e.fail(fmt.Errorf("a type's own JSON is not acceptable: %w", s.err))
	}
	return s.err == nil
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
		if !e.enterLevel() {
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
		if !e.enterLevel() {
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
func (c encoders) structEncoder(s *shape) encodeFunc {
	var members []memberEncoder
	for _, f := range s.fields {
		if f.hidden {
			continue
		}
		m := memberEncoder{field: f, prefix: string(appendQuoted(nil, f.name)) + ":", single: -1, encode: c.encoderFor(f.shape), omits: f.omitRule()}
		if f.quoted {
			m.encode = encodeQuoted(m.encode, f.shape.deref().kind == kindString)
		}
		if len(f.index) == 1 {
			m.single = f.index[0]
		}
		members = append(members, m)
	}
	return func(e *encoder, v reflect.Value) {
		if !e.enterLevel() {
			return
		}
		e.buf = append(e.buf, '{')
		start := len(e.buf)
		for i := range members {
			m := &members[i]
			value, ok := m.fieldOf(v)
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
func (m *memberEncoder) fieldOf(v reflect.Value) (reflect.Value, bool) {
	if m.single >= 0 {
		return v.Field(m.single), true
	}
	return m.lookup(v)
}

// omits returns the rule by which an optional field is left out, or nil.
func (f *field) omitRule() func(reflect.Value) bool {
	var isEmpty, isZero func(reflect.Value) bool
	if f.omit&omitEmpty != 0 {
		isEmpty = emptyRule(f.shape.typ)
	}
	if f.omit&omitZero != 0 {
		isZero = zeroRule(f.shape.typ)
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
func zeroRule(t reflect.Type) func(reflect.Value) bool {
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
func emptyRule(t reflect.Type) func(reflect.Value) bool {
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

func encodeAny(e *encoder, v reflect.Value) { e.appendAny(v.Interface()) }

// any appends a value whose type is known only now.
func (e *encoder) appendAny(x any) {
	switch x := x.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case string:
		e.buf = appendQuoted(e.buf, x)
	case bool:
		e.buf = strconv.AppendBool(e.buf, x)
	case float64:
		e.appendFinite(x, 64)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(x), 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, x, 10)
	case json.Number:
		e.appendNumber(string(x))
	case *any:
		e.appendAnyPointer(x)
	case map[string]any:
		e.appendAnyMap(x)
	case []any:
		e.appendAnyList(x)
	default:
		e.appendDynamic(x)
	}
}

// anyPointer appends what x points to, which may be x.
func (e *encoder) appendAnyPointer(x *any) {
	if x == nil {
		e.buf = append(e.buf, "null"...)
	} else if e.enterLevel() {
		e.appendAny(*x)
		e.depth--
	}
}

func (e *encoder) appendAnyMap(m map[string]any) {
	if !e.enterLevel() {
		return
	}
	names := make([]string, 0, len(m))
	for name := range m {
		if !utf8.ValidString(name) {
			e.depth--
			e.appendRepairedMap(m)
			return
		}
		names = append(names, name)
	}
	slices.Sort(names)
	e.buf = append(e.buf, '{')
	for i, name := range names {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = append(appendQuoted(e.buf, name), ':')
		e.appendAny(m[name])
	}
	e.buf = append(e.buf, '}')
	e.depth--
}

// repairedMap appends a map with names that are not UTF-8 by the names that
// appendQuoted makes of them.
func (e *encoder) appendRepairedMap(m map[string]any) {
	valid := make(map[string]any, len(m))
	for name, x := range m {
		valid[string([]rune(name))] = x
	}
	if len(valid) < len(m) {
		e.fail(errors.New("a map with two keys of the same text"))
		return
	}
	e.appendAnyMap(valid)
}

func (e *encoder) appendAnyList(list []any) {
	if !e.enterLevel() {
		return
	}
	e.buf = append(e.buf, '[')
	for i, x := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.appendAny(x)
	}
	e.buf = append(e.buf, ']')
	e.depth--
}

func encodeDynamic(e *encoder, v reflect.Value) { e.appendDynamic(v.Addr().Interface()) }

// dynamic leaves to encoding/json what no schema says anything of.
func (e *encoder) appendDynamic(x any) {
	buf := bytes.NewBuffer(e.buf)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		e.fail(err)
		return
	}
	start := len(e.buf)
	e.buf = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	e.checkForeign(e.buf[start:])
}

func encodeString(e *encoder, v reflect.Value) { e.buf = appendQuoted(e.buf, v.String()) }
func encodeBool(e *encoder, v reflect.Value)   { e.buf = strconv.AppendBool(e.buf, v.Bool()) }
func encodeInt(e *encoder, v reflect.Value)    { e.buf = strconv.AppendInt(e.buf, v.Int(), 10) }
func encodeUint(e *encoder, v reflect.Value)   { e.buf = strconv.AppendUint(e.buf, v.Uint(), 10) }

func encodeFloat(bits int) encodeFunc {
	return func(e *encoder, v reflect.Value) { e.appendFinite(v.Float(), bits) }
}

func (e *encoder) appendFinite(f float64, bits int) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail(fmt.Errorf("JSON cannot carry the number %v", f))
		return
	}
	e.buf = appendFloat(e.buf, f, bits)
}

func encodeNumber(e *encoder, v reflect.Value) { e.appendNumber(v.String()) }

// number appends a json.Number, whose zero value counts as 0.
func (e *encoder) appendNumber(text string) {
	if text == "" {
		text = "0"
	}
	if _, ok := jsonNumber(text); !ok {
		e.fail(errors.New("a json.Number that is not a JSON number"))
		return
	}
	e.buf = append(e.buf, text...)
}

func encodeTime(e *encoder, v reflect.Value) {
	t := v.Addr().Interface().(*time.Time)
	e.buf = append(e.buf, '"')
	if t.Location() == time.UTC {
		if year, month, day := t.Date(); 0 <= year && year <= 9999 {
			e.buf = append(appendUTC(e.buf, *t, year, int(month), day), '"')
			return
		}
	}
	buf, err := t.AppendText(e.buf)
	if err != nil {
		e.fail(err) // a year of five digits, or an offset of more than a day
		return
	}
	e.buf = append(buf, '"')
}

// appendUTC appends a time in UTC, with a year of four digits, by RFC 3339; the
// caller knows its date. It
// is what AppendText appends, in half the time: most times that services keep
// are such.
func appendUTC(dst []byte, t time.Time, year, month, day int) []byte {
	hour, minute, second := t.Clock()
	dst = append(appendTwo(appendTwo(dst, year/100), year%100), '-')
	dst = append(appendTwo(dst, month), '-')
	dst = append(appendTwo(dst, day), 'T')
	dst = append(appendTwo(dst, hour), ':')
	dst = append(appendTwo(dst, minute), ':')
	dst = appendTwo(dst, second)
	if nano := t.Nanosecond(); nano > 0 {
		dst = append(dst, '.')
		for unit := 100_000_000; nano > 0; unit /= 10 {
			dst = append(dst, '0'+byte(nano/unit))
			nano %= unit
		}
	}
	return append(dst, 'Z')
}

// appendTwo appends a number below 100 in two digits.
func appendTwo(dst []byte, n int) []byte {
	return append(dst, '0'+byte(n/10), '0'+byte(n%10))
}

func encodeDuration(e *encoder, v reflect.Value) {
	e.buf = appendQuoted(e.buf, time.Duration(v.Int()).String())
}

func encodeBytes(e *encoder, v reflect.Value) {
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, v.Bytes())
	e.buf = append(e.buf, '"')
}

func encodeText(e *encoder, v reflect.Value) {
	text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		e.fail(err)
		return
	}
	e.buf = appendQuoted(e.buf, text)
}
