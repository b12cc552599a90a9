package svc

// This file turns Go values into JSON text. At registration an encoders pass
// compiles each shape (type.go) into an encodeFunc; for each output one
// encoder runs it and appends to one buffer. In this order: encoder, encoders,
// lists and maps, structs, scalars, values of any type.
//
// The shape decides the form of a value, and the decoder (decode.go) reads each of
// these forms back:
//
//	kind                    JSON                            encoded by
//	kindPointer             null, or the value behind it   encodePointer
//	kindOptional            null, or the value in it       encodeOptional
//	kindSlice, kindArray    array; [] for nil               encodeList, encodeStrings
//	kindMap                 object, sorted; {} for nil      encodeMap
//	kindObject              object, in order of fields      membersEncoder
//	kindByType              JSON of the alternative         choiceEncoder
//	kindBool                true, false                     encodeBool
//	kindInt, kindUint       integer                         encodeInt, encodeUint
//	kindFloat, kindNumber   number                          encodeFloat, encodeNumber
//	kindString              string                          encodeString
//	kindTime                string by RFC 3339              encodeTime
//	kindDuration            string, such as "1h30m0s"       encodeDuration
//	kindBytes               string in base64                encodeBytes
//	kindText                string by MarshalText           encodeText
//	kindCustom              result of MarshalJSON           encodeCustom
//	kindRaw                 its own text; null if empty     encodeRaw
//	kindAny                 by the type found there         appendAny
//
// The output keeps the promises of the published schema: lists and maps are never null, every value
// has one text (names in one order, no white space), and a value that JSON cannot carry is an error
// before a byte is sent. So the whole text is built in memory, and encoding/json is called only for
// types without a shape.

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
	"strings"
	"time"
	"unicode/utf8"
)

// An encoder is the workspace of one output. Transports keep it for the next output. It allocates
// only the buffer, which grows to the largest output.
//
// Invariants:
//
//	buf holds the text so far; err != nil implies that it is not used
//	depth is the number of open arrays and objects, 0 <= depth <= maxDepth
//	err is the first error; the functions go on after it, because checking err
//	  after every value would cost more than the rare output that fails
type encoder struct {
	buf   []byte
	depth int
	err   error
}

// An encodeFunc appends the JSON of v to the buffer. v is addressable, so that
// methods with pointer receivers can be called.
type encodeFunc func(e *encoder, v reflect.Value)

// fail keeps err if it is the first error.
func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// errTooDeep is the error of a value that is nested deeper than JSON may be.
var errTooDeep = errors.New("a value nested more than 1000 levels deep")

// enterLevel counts one more open array or object and reports whether the limit
// allows it. The decoder has the same limit. Here it also stops a value that
// contains itself through a pointer. At the closing bracket, decrement depth.
func (e *encoder) enterLevel() bool {
	if e.depth == maxDepth {
		e.fail(errTooDeep)
		return false
	}
	e.depth++
	return true
}

// appendForeign appends JSON from other code, without its white space: the data of an event must be
// one line. err is the error of that code. A text that the decoder would not accept at this depth
// is an error too, because a wrong MarshalJSON could break the message around its value.
func (e *encoder) appendForeign(text []byte, err error) {
	if err == nil {
		s := scanner{data: text, depth: e.depth}
		s.skipValue()
		if s.checkEnd(); s.err != nil {
			err = fmt.Errorf("a type's own JSON is not acceptable: %w", s.err)
		}
	}
	if err != nil {
		e.fail(err)
		return
	}
	buf := bytes.NewBuffer(e.buf)
	e.fail(json.Compact(buf, text))
	e.buf = buf.Bytes()
}

// encoders is the compile pass of one service: the encodeFunc of every shape
// that it reaches. An entry of byShape is a pointer to nil while its shape is
// being compiled. The pass is not used after registration; the functions are never
// written again and serve all goroutines.
type encoders struct {
	byShape map[*shape]*encodeFunc
	// inputs is set if a client encodes inputs. A field with omitempty, omitzero or a default
	// is then left out exactly if it is zero: the server takes an absent one for the same. So
	// a zero struct is left out, and [] that is not nil is sent.
	inputs bool
	// stored is set for a Codec. A field with a default is then never left out: read back, its
	// zero value would be the default.
	stored bool
}

// newEncoders returns an empty compile pass, of inputs or of outputs.
func newEncoders(inputs bool) *encoders {
	return &encoders{byShape: make(map[*shape]*encodeFunc), inputs: inputs}
}

// encoderFor returns the encodeFunc for values of shape s.
func (c *encoders) encoderFor(s *shape) encodeFunc {
	return compileOnce(c.byShape, s, c.compileEncoder)
}

// plainEncoders has the encodeFuncs of kinds that do not depend on the type.
var plainEncoders = [kindFile + 1]encodeFunc{
	kindAny: encodeAny, kindRaw: encodeRaw, kindText: encodeText, kindTime: encodeTime, kindDuration: encodeDuration, kindBytes: encodeBytes,
	kindString: encodeString, kindBool: encodeBool, kindInt: encodeInt, kindUint: encodeUint, kindNumber: encodeNumber,
}

// compileEncoder compiles the encodeFunc for s, by the table at the top.
func (c *encoders) compileEncoder(s *shape) encodeFunc {
	if plain := plainEncoders[s.kind]; plain != nil {
		return plain
	}
	switch s.kind {
	case kindCustom:
		if hasMethods(s.typ, typeJSONMarshaler) {
			return encodeCustom
		}
		return encodeDynamic // nothing else is known about its JSON
	case kindFloat:
		return encodeFloat(s.bits)
	case kindPointer:
		return encodePointer(c.encoderFor(s.elem))
	case kindOptional:
		return encodeOptional(c.encoderFor(s.elem))
	case kindSlice, kindArray:
		if s.typ == reflect.TypeFor[[]string]() {
			return encodeStrings
		}
		return encodeList(c.encoderFor(s.elem))
	case kindMap:
		return encodeMap(s, c.encoderFor(s.elem))
	case kindByType:
		return c.choiceEncoder(s)
	}
	return c.objectEncoder(s)
}

// encodeCustom appends what MarshalJSON returns.
func encodeCustom(e *encoder, v reflect.Value) {
	text, err := v.Addr().Interface().(json.Marshaler).MarshalJSON()
	e.appendForeign(text, err)
}

// encodeRaw appends a json.RawMessage. One without any text is null, nil or
// not: encoding/json would fail for the second.
func encodeRaw(e *encoder, v reflect.Value) {
	if v.Len() == 0 {
		e.buf = append(e.buf, "null"...)
		return
	}
	e.appendForeign(v.Bytes(), nil)
}

// encodePointer returns the encodeFunc of a pointer: null for nil, else the value that it
// points to. It does not count levels: registration refuses a type such as type p *p, and
// every other cycle leads through an array or an object.
func encodePointer(elem encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		if v.IsNil() {
			e.buf = append(e.buf, "null"...)
			return
		}
		elem(e, v.Elem())
	}
}

// encodeOptional returns the encodeFunc of an Optional: null, or the value. One that
// is absent was left out before, by omitzero.
func encodeOptional(elem encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		if value, ok := optionalValue(v); ok {
			elem(e, value)
		} else {
			e.buf = append(e.buf, "null"...)
		}
	}
}

// appendItems appends an array of n items, each of which item appends. A nil slice has
// length 0 and becomes [], as the schema says.
func (e *encoder) appendItems(n int, item func(i int)) {
	if !e.enterLevel() {
		return
	}
	e.buf = append(e.buf, '[')
	for i := range n {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		item(i)
	}
	e.buf = append(e.buf, ']')
	e.depth--
}

// encodeList returns the encodeFunc of a slice or an array.
func encodeList(elem encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		e.appendItems(v.Len(), func(i int) { elem(e, v.Index(i)) })
	}
}

// encodeStrings is the encodeFunc of a []string: encodeList for the most frequent type of list,
// without reflection for each string.
func encodeStrings(e *encoder, v reflect.Value) {
	list := valueAs[[]string](v)
	if !e.enterLevel() {
		return
	}
	e.buf = append(e.buf, '[')
	for i, text := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendQuoted(e.buf, text)
	}
	e.buf = append(e.buf, ']')
	e.depth--
}

// appendEntries appends an object with these members in the order of their names,
// compared as bytes: Go visits a map in random order, and one value must have one text.
//
// First it replaces invalid UTF-8 in names by U+FFFD, as appendQuoted does. Two map keys
// with the same name then, such as "a\xfe" and "a\xff", are an error, since a decoder
// refuses the object.
func appendEntries[V any](e *encoder, entries []entry[V], appendValue func(V)) {
	if !e.enterLevel() {
		return
	}
	for i := range entries {
		if name := entries[i].name; !utf8.ValidString(name) {
			entries[i].name = string([]rune(name))
		}
	}
	slices.SortFunc(entries, func(a, b entry[V]) int { return strings.Compare(a.name, b.name) })
	e.buf = append(e.buf, '{')
	for i, m := range entries {
		if i > 0 {
			if m.name == entries[i-1].name {
				e.fail(errors.New("a map with two keys of the same text"))
			}
			e.buf = append(e.buf, ',')
		}
		e.buf = append(appendQuoted(e.buf, m.name), ':')
		appendValue(m.value)
	}
	e.buf = append(e.buf, '}')
	e.depth--
}

// encodeMap returns the encodeFunc of a map of shape s.
func encodeMap(s *shape, elem encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		// All values are copied into one slice: a variable for each would be an allocation.
		entries := make([]entry[reflect.Value], 0, v.Len())
		values := reflect.MakeSlice(reflect.SliceOf(s.elem.typ), v.Len(), v.Len())
		for it := v.MapRange(); it.Next(); {
			name, err := s.key.keyText(it.Key())
			if err != nil {
				e.fail(err)
				return
			}
			value := values.Index(len(entries)) // addressable, which a map's are not
			value.SetIterValue(it)
			entries = append(entries, entry[reflect.Value]{name, value})
		}
		appendEntries(e, entries, func(v reflect.Value) { elem(e, v) })
	}
}

// A memberEncoder is the part of a struct's plan for one field. membersEncoder
// writes it at registration; after that it is only read.
//
// Invariants:
//
//	prefix is a copy of the field's prefix, such as ,"title": and at of its ownIndex:
//	  reading them through the pointer takes a tenth of the time of an object
//	omits reports whether a value is left out; nil if it never is
type memberEncoder struct {
	*field
	prefix string
	at     int
	encode encodeFunc
	omits  func(v reflect.Value) bool
}

// objectEncoder compiles the encodeFunc of the object s.
func (c *encoders) objectEncoder(s *shape) encodeFunc {
	return compileForms(s, c.membersEncoder, (*encoder).fail)
}

// membersEncoder compiles the encodeFunc of one form of an object; see compileForms. Members come
// in the order of the Go fields, like the properties of the published schema. A hidden field
// (json:"-", which path, query and header fields may have) is not a member.
func (c *encoders) membersEncoder(s *shape) encodeFunc {
	members := c.compileMembers(s)
	return func(e *encoder, v reflect.Value) {
		if !e.enterLevel() {
			return
		}
		e.buf = append(e.buf, '{')
		start := len(e.buf)
		for i := range members {
			m := &members[i]
			var value reflect.Value
			ok := true
			if m.at >= 0 {
				value = v.Field(m.at)
			} else {
				value, ok = m.valueIn(v) // not of an embedded pointer that is nil
			}
			if !ok || m.omits != nil && m.omits(value) {
				continue
			}
			prefix := m.prefix // with the comma in it, so that one append writes it
			if len(e.buf) == start {
				prefix = prefix[1:]
			}
			e.buf = append(e.buf, prefix...)
			m.encode(e, value)
		}
		e.buf = append(e.buf, '}')
		e.depth--
	}
}

// compileMembers compiles the members of the object s.
func (c *encoders) compileMembers(s *shape) (members []memberEncoder) {
	for _, f := range s.fields {
		if f.hidden {
			continue
		}
		m := c.memberEncoder(f)
		if f.quoted {
			m.encode = encodeQuoted(m.encode)
		}
		if f.only != nil {
			m.encode = func(e *encoder, _ reflect.Value) { e.buf = append(e.buf, f.only...) }
		}
		members = append(members, m)
	}
	return members
}

// wholeEncoder compiles the encodeFunc of s, an object with one field, that writes the value of the
// field alone, and nothing if the field is left out.
func (c *encoders) wholeEncoder(s *shape) encodeFunc {
	m := c.compileMembers(s)[0]
	return func(e *encoder, v reflect.Value) {
		if value, ok := m.valueIn(v); ok && (m.omits == nil || !m.omits(value)) {
			m.encode(e, value)
		}
	}
}

// choiceEncoder compiles the encodeFunc of s, a shape of kindByType: it encodes the alternative
// that is set.
func (c *encoders) choiceEncoder(s *shape) encodeFunc {
	var choices []encodeFunc
	for _, f := range s.fields {
		choices = append(choices, c.encoderFor(f.shape))
	}
	return func(e *encoder, v reflect.Value) {
		i, value, err := s.choiceIn(v)
		if err != nil {
			e.fail(err)
			return
		}
		choices[i](e, value)
	}
}

// memberEncoder returns the plan of the value of f, without its name.
func (c *encoders) memberEncoder(f *field) memberEncoder {
	m := memberEncoder{field: f, prefix: f.prefix, at: f.ownIndex(), encode: c.encoderFor(f.shape), omits: f.omitRule()}
	// A client writes a field that is optional only because it is promoted from an embedded
	// pointer: the server then allocates the embedded struct.
	if c.inputs { // the rule of encoders.inputs replaces omitRule
		m.omits = nil
		if f.omit != 0 || f.def != nil {
			m.omits = reflect.Value.IsZero
		}
	}
	if c.stored && f.def != nil {
		m.omits = nil
	}
	return m
}

// omitRule returns the function that reports whether an optional field is left
// out, or nil if it is always written. With both options, either leaves it out,
// as in encoding/json.
func (f *field) omitRule() func(reflect.Value) bool {
	if f.notNull { // an Optional that is null too
		return func(v reflect.Value) bool { _, ok := notNull(v); return !ok }
	}
	omit, isZero := f.omit, zeroRule(f.shape.typ)
	switch {
	case f.shape.kind == kindTime && omit != 0: // nobody means the zero time
		omit = omitZero
	case f.shape.typ.Kind() == reflect.Struct:
		omit &^= omitEmpty // a struct is never empty
	}
	switch omit {
	case omitEmpty:
		return isEmpty
	case omitZero:
		return isZero
	case omitEmpty | omitZero:
		return func(v reflect.Value) bool { return isEmpty(v) || isZero(v) }
	}
	return nil
}

// zeroRule returns the rule of omitzero in encoding/json for values of type t:
// the method IsZero decides if the type has one, else the zero value is left
// out.
func zeroRule(t reflect.Type) func(reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	switch {
	case t.Kind() == reflect.Pointer && t.Implements(reflect.TypeFor[zeroer]()):
		return func(v reflect.Value) bool { return v.IsNil() || v.Interface().(zeroer).IsZero() }
	case hasMethods(t, reflect.TypeFor[zeroer]()):
		return func(v reflect.Value) bool { return v.Addr().Interface().(zeroer).IsZero() }
	}
	return reflect.Value.IsZero
}

// isEmpty is the rule of omitempty in encoding/json for values that are not structs.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	}
	return v.IsZero()
}

// encodeQuoted returns the encodeFunc of a number tagged `json:",string"`, whose JSON
// becomes the content of a string: "7" for 7. A null stays null.
func encodeQuoted(encode encodeFunc) encodeFunc {
	return func(e *encoder, v reflect.Value) {
		start := len(e.buf)
		encode(e, v)
		if text := string(e.buf[start:]); text != "null" {
			e.buf = appendQuoted(e.buf[:start], text)
		}
	}
}

func encodeString(e *encoder, v reflect.Value) { e.buf = appendQuoted(e.buf, v.String()) }
func encodeBool(e *encoder, v reflect.Value)   { e.buf = strconv.AppendBool(e.buf, v.Bool()) }
func encodeInt(e *encoder, v reflect.Value)    { e.buf = strconv.AppendInt(e.buf, v.Int(), 10) }
func encodeUint(e *encoder, v reflect.Value)   { e.buf = strconv.AppendUint(e.buf, v.Uint(), 10) }

// encodeFloat returns the encodeFunc of floats of 32 or 64 bits. The size
// matters: 0.1 as a float32 needs fewer digits than the float64 of equal value.
func encodeFloat(bits int) encodeFunc {
	return func(e *encoder, v reflect.Value) { e.appendFinite(v.Float(), bits) }
}

// appendFinite appends f in the shortest form that reads back as f. RFC 8259,
// section 6 has no text for infinities and NaN.
func (e *encoder) appendFinite(f float64, bits int) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.fail(fmt.Errorf("JSON cannot carry the number %v", f))
		return
	}
	e.buf = appendFloat(e.buf, f, bits)
}

func encodeNumber(e *encoder, v reflect.Value) { e.appendNumber(v.String()) }

// appendNumber appends the text of a json.Number, unchanged. The zero value of
// json.Number counts as 0, as in encoding/json.
func (e *encoder) appendNumber(text string) {
	// Check any other text, since it goes into the output verbatim: `1,"admin":true` would add a
	// member.
	text = cmp.Or(text, "0")
	if _, ok := jsonNumber(text); !ok {
		e.fail(errors.New("a json.Number that is not a JSON number"))
		return
	}
	e.buf = append(e.buf, text...)
}

// encodeTime appends a time.Time by RFC 3339, section 5.6, without trailing zeros in the fraction.
// appendUTC is faster for a time in UTC. RFC 3339 cannot express a year outside 0 to 9999 or an
// offset of a day or more, so these are errors. It cannot express an offset with seconds either,
// such as the one of Africa/Monrovia until 1972: the time is written in UTC.
func encodeTime(e *encoder, v reflect.Value) { e.appendTime(valueAs[time.Time](v)) }

func (e *encoder) appendTime(t time.Time) {
	e.buf = append(e.buf, '"')
	if t.Location() == time.UTC {
		if year, month, day := t.Date(); 0 <= year && year <= 9999 {
			e.buf = append(appendUTC(e.buf, t, year, int(month), day), '"')
			return
		}
	}
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	buf, err := t.AppendText(e.buf)
	if err != nil {
		e.fail(err)
		return
	}
	e.buf = append(buf, '"')
}

// appendUTC appends t, a time in UTC with this date and a year from 0 to 9999. It takes
// half of the time of [time.Time.AppendText], which appends the same text: with that, a list of
// records with times takes 11 % longer.
func appendUTC(dst []byte, t time.Time, year, month, day int) []byte {
	hour, minute, second := t.Clock()
	century, year, month, day := 2*(year/100), 2*(year%100), 2*month, 2*day // in digitPairs
	hour, minute, second = 2*hour, 2*minute, 2*second
	dst = append(dst, // at once, with one check of the capacity
		digitPairs[century], digitPairs[century+1], digitPairs[year], digitPairs[year+1], '-',
		digitPairs[month], digitPairs[month+1], '-', digitPairs[day], digitPairs[day+1], 'T',
		digitPairs[hour], digitPairs[hour+1], ':', digitPairs[minute], digitPairs[minute+1], ':', digitPairs[second], digitPairs[second+1])
	if n := t.Nanosecond(); n > 0 {
		dst = append(dst, '.', digit(n/1e8), digit(n/1e7%10), digit(n/1e6%10), digit(n/1e5%10), digit(n/1e4%10),
			digit(n/1e3%10), digit(n/100%10), digit(n/10%10), digit(n%10))
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, 'Z')
}

// digitPairs holds the numbers from 0 to 99 with two digits each. Looking two digits up takes
// less time than two divisions.
const digitPairs = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849" +
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// digit returns the digit n, from 0 to 9.
func digit(n int) byte { return '0' + byte(n) }

// encodeDuration appends a time.Duration as text with units, such as "1h30m0s". People
// cannot read the nanoseconds that encoding/json writes, and JavaScript cannot hold a large
// number of them exactly.
func encodeDuration(e *encoder, v reflect.Value) {
	e.buf = appendQuoted(e.buf, time.Duration(v.Int()).String())
}

// encodeBytes appends a []byte in base64 with padding (RFC 4648, section 4), as
// encoding/json does. A nil slice is "".
func encodeBytes(e *encoder, v reflect.Value) {
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, v.Bytes())
	e.buf = append(e.buf, '"')
}

// encodeText appends the result of MarshalText as a string. A text that is not
// UTF-8 gets U+FFFD for each stray byte, like any other string.
func encodeText(e *encoder, v reflect.Value) {
	text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		e.fail(err)
		return
	}
	e.buf = appendQuoted(e.buf, text)
}

// encodeAny appends the value of an interface field or element.
func encodeAny(e *encoder, v reflect.Value) { e.appendAny(v.Interface()) }

// appendAny appends a value whose type no schema knows. The cases are the types that
// decodeAnyValue returns, and a few that applications often store in an any. Others are
// for encoding/json, whose text is checked then.
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
	case time.Time:
		e.appendTime(x)
	case *any:
		// A pointer counts as a level, because it may point to itself, which makes encoding/json
		// overflow the stack in its second version.
		if x == nil {
			e.buf = append(e.buf, "null"...)
		} else if e.enterLevel() {
			e.appendAny(*x)
			e.depth--
		}
	case map[string]any:
		entries := make([]entry[any], 0, len(x))
		for name, value := range x {
			entries = append(entries, entry[any]{name, value})
		}
		appendEntries(e, entries, e.appendAny)
	case []any:
		e.appendItems(len(x), func(i int) { e.appendAny(x[i]) })
	default:
		e.appendDynamic(x)
	}
}

// encodeDynamic appends a value that encoding/json encodes. It passes a
// pointer, so that methods with pointer receivers are found.
func encodeDynamic(e *encoder, v reflect.Value) { e.appendDynamic(v.Addr().Interface()) }

// appendDynamic appends x, a value of a type that has no shape, as encoding/json encodes
// it. The text is checked, since it may come from a MarshalJSON.
func (e *encoder) appendDynamic(x any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(x)
	e.appendForeign(buf.Bytes(), err)
}
