package svc

// This file turns JSON into Go values by a compiled plan: one pass over the
// text, strict, collecting every mistake with its place. Values are only ever
// decoded into fresh zero values.
//
// decode_object.go has the structs, decode_scalar.go the scalars, which path and
// query values share, decode_check.go what is checked on the finished value.
//
// This file decodes objects into structs: which member is which field, what is
// missing, what is unknown.
//
// This file sets Go scalars from text: the inside of a JSON string, a JSON
// number, a path or a query value, or a member's name that is a map key.

import (
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A decoder decodes one input. It is kept for the next one, so that decoding
// allocates nothing but the values themselves.
//
// Invariants:
//
//	path leads to the value being decoded
//	seen holds the bit sets of the open objects, outermost first
type decoder struct {
	scan        scanner
	found       violations
	in          string // what Violation.In is to be
	lean        bool   // errors are for svc's own writers; see violations.makeLeanError
	validateErr error  // what a Validate method answered in place of a violation
	path        []step
	seen        []uint64
	texts       []string        // of the open lists of strings, outermost first
	scratch     []byte          // for text that is looked at and not kept
	arena       strings.Builder // for short strings that are kept; see text
	ahead       int             // how much text may come that is not in data, in bytes
}

// A step is one reference token of a JSON Pointer.
type step struct {
	token string // with its slash and escaped; "" for an array element
	index int    // of the array element
}

// A decodeFunc decodes the value at the decoder's position into v, which is
// settable and zero. What is wrong goes to the decoder.
type decodeFunc func(d *decoder, v reflect.Value)

// Where a value came from, as Violation.In.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
	inBody   = "body"
)

// places are in the order in which REST reads them. Where all fields come from
// one object they are found in any order, and an error is to say the same.
var sourceOrder = []string{inPath, inQuery, inHeader, inBody}

// start prepares d for another input.
func (d *decoder) start(data []byte) {
	d.scan.reset(data)
	d.found = violations{}
	d.in, d.validateErr, d.ahead = inBody, nil, 0
	d.path = d.path[:0]
	d.seen = d.seen[:0]
	clear(d.texts) // a fault leaves some behind
	d.texts = d.texts[:0]
	d.arena.Reset() // what it holds belongs to the last input
}

// violate notes a mistake at the current place.
func (d *decoder) addViolation(m *complaint) {
	if d.found.full() {
		d.found.omitted++
		return
	}
	d.found.addViolation(Violation{In: d.in, Path: d.place(), Rule: m.rule, Message: m.message})
}

// place returns the JSON Pointer to the current place.
func (d *decoder) place() string {
	if len(d.path) == 1 && d.path[0].token != "" {
		return d.path[0].token
	}
	d.scratch = appendSteps(d.scratch[:0], d.path)
	return string(d.scratch)
}

// appendSteps appends the JSON Pointer that takes these steps.
func appendSteps(dst []byte, path []step) []byte {
	for _, s := range path {
		if s.token != "" {
			dst = append(dst, s.token...)
		} else {
			dst = strconv.AppendInt(append(dst, '/'), int64(s.index), 10)
		}
	}
	return dst
}

// push makes the member of that name the current place, pop the value around
// it.
func (d *decoder) push(name string) { d.pushToken(string(appendPointer(nil, name))) }

// pushToken is push for a name that appendPointer has been through.
func (d *decoder) pushToken(token string) { d.path = append(d.path, step{token: token}) }
func (d *decoder) pop()                   { d.path = d.path[:len(d.path)-1] }

// mismatch passes over a value of the wrong type and says so.
func (d *decoder) skipMismatch(m *complaint) {
	d.scan.skipValue()
	if d.scan.err == nil {
		d.addViolation(m)
	}
}

// finish returns the error that the input as a whole deserves, or nil.
func (d *decoder) finish() error {
	switch {
	case d.scan.err != nil:
		return d.makeSyntaxError()
	case d.validateErr != nil:
		return d.validateErr
	case len(d.found.list) > 1:
		slices.SortStableFunc(d.found.list, func(a, b Violation) int {
			return cmp.Compare(slices.Index(sourceOrder, a.In), slices.Index(sourceOrder, b.In))
		})
	}
	return d.makeError(&d.found)
}

// failure returns the error for these violations, or nil if there are none.
func (d *decoder) makeError(vs *violations) error {
	if d.lean && len(vs.list) > 0 {
		return vs.makeLeanError()
	}
	return vs.makeError()
}

// faultError returns the error for a text that is not acceptable JSON: one
// violation, whatever else was wrong.
func (d *decoder) makeSyntaxError() error {
	v := Violation{In: inBody, Rule: d.scan.err.rule, Message: "the text is not valid JSON: " + d.scan.err.Error()}
	if d.scan.err.rule == ruleDuplicate {
		v.Path = string(pointerToName(d.scan.data[:d.scan.err.offset]))
	}
	var one violations
	one.addViolation(v)
	return d.makeError(&one)
}

// pointerToName returns the JSON Pointer to the member whose name and colon text
// ends with. The text is without fault so far. (What the decoder passes over
// leaves no path, and a fault is rare enough to read the text again.)
func pointerToName(text []byte) []byte {
	s := scanner{data: text}
	var open []step
	for c := s.peek(); c != 0; c = s.peek() {
		switch top := len(open) - 1; {
		case c == '"':
			raw, escaped := s.readString()
			if s.peek() != ':' {
				continue // a value
			}
			if escaped {
				raw = appendUnescaped(nil, raw)
			}
			open[top].token = string(appendPointer(nil, string(raw)))
			continue
		case c == '{':
			open = append(open, step{token: "/"})
		case c == '[':
			open = append(open, step{})
		case c == '}' || c == ']':
			open = open[:top]
		case c == ',' && open[top].token == "":
			open[top].index++
		}
		s.pos++
	}
	return appendSteps(nil, open)
}

// Short strings share blocks: most of what decoding allocates would be strings
// of a few bytes. A string that a service keeps keeps its block, so blocks are
// small.
const (
	arenaBlock = 256 // bytes
	arenaText  = 64  // the longest string that goes into a block
)

// text returns the string that raw stands for.
func (d *decoder) keepText(raw []byte, escaped bool) string {
	if escaped {
		d.scratch = appendUnescaped(d.scratch[:0], raw)
		raw = d.scratch
	}
	n := len(raw)
	if n <= 1 || n > arenaText {
		return string(raw)
	}
	if d.arena.Cap()-d.arena.Len() < n {
		d.arena.Reset()
		d.arena.Grow(min(arenaBlock, n+max(len(d.scan.data)-d.scan.pos, d.ahead)))
	}
	start := d.arena.Len()
	d.arena.Write(raw)
	return d.arena.String()[start:]
}

// decoders is one compile pass over shapes.
type decoders struct {
	mistakes *mistakes
	byShape  map[*shape]*decodeFunc
	strict   bool
	open     int      // how many shapes are being compiled, one inside another
	pending  []func() // to be called when none is
}

func newDecoders(p *mistakes, strict bool) *decoders {
	return &decoders{mistakes: p, byShape: make(map[*shape]*decodeFunc), strict: strict}
}

// of returns the decoder for values of shape s. For a shape that is still being
// compiled, since it contains itself, the result looks the function up when it
// is called.
func (c *decoders) decoderFor(s *shape) decodeFunc {
	if fn, ok := c.byShape[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(d *decoder, v reflect.Value) { (*fn)(d, v) }
	}
	fn := new(decodeFunc)
	c.byShape[s] = fn
	c.open++
	*fn = c.compileDecoder(s)
	c.open--
	c.runPending()
	return *fn
}

// settle does what had to wait for decoders to be complete.
func (c *decoders) runPending() {
	for c.open == 0 && len(c.pending) > 0 {
		next := c.pending[0]
		c.pending = c.pending[1:]
		next()
	}
}

// compile makes the decoder for s.
func (c *decoders) compileDecoder(s *shape) decodeFunc {
	switch s.kind {
	case kindAny:
		return decodeAny
	case kindRaw:
		return decodeRaw
	case kindCustom:
		return decodeCustom
	case kindPointer:
		return decodePointer(c.decoderFor(s.elem), s.elem.typ)
	case kindSlice:
		if s.typ == typeStrings {
			return decodeStrings
		}
		return decodeSlice(c.decoderFor(s.elem), s.typ)
	case kindArray:
		return decodeArray(c.decoderFor(s.elem), s.typ.Len())
	case kindMap:
		return decodeMap(setterFor(s.key, true), c.decoderFor(s.elem), s)
	case kindObject:
		plan := c.objectPlan(s.fields, nil)
		return plan.decodeObject
	}
	return decodeScalar(s)
}

func decodePointer(elem decodeFunc, t reflect.Type) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() == 'n' {
			d.scan.readLiteral("null")
			return
		}
		p := reflect.New(t)
		elem(d, p.Elem())
		v.Set(p)
	}
}

var mustBeArray = &complaint{ruleType, "must be an array"}

func decodeSlice(elem decodeFunc, t reflect.Type) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '[' {
			d.skipMismatch(mustBeArray)
			return
		}
		n := 0
		d.eachElement(func() {
			if n == v.Cap() {
				v.Grow(4)
			}
			v.SetLen(n + 1)
			elem(d, v.Index(n))
			n++
		})
		if n == 0 {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
	}
}

var typeStrings = reflect.TypeFor[[]string]()

// decodeStrings is decodeSlice for the most usual list, without reflection. The
// elements wait on a stack until there is no more to come, so that the slice is
// made once and as long as it needs to be.
func decodeStrings(d *decoder, v reflect.Value) {
	if d.scan.peek() != '[' {
		d.skipMismatch(mustBeArray)
		return
	}
	base := len(d.texts)
	d.eachElement(func() {
		text := ""
		if d.scan.peek() != '"' {
			d.skipMismatch(mustBeString)
		} else if raw, escaped := d.scan.readString(); d.scan.err == nil {
			text = d.keepText(raw, escaped)
		}
		d.texts = append(d.texts, text)
	})
	list := make([]string, len(d.texts)-base)
	copy(list, d.texts[base:])
	clear(d.texts[base:])
	d.texts = d.texts[:base]
	*v.Addr().Interface().(*[]string) = list
}

func decodeArray(elem decodeFunc, length int) decodeFunc {
	exactly := "must have exactly " + counted(length, "item")
	tooFew, tooMany := &complaint{"minItems", exactly}, &complaint{"maxItems", exactly}
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '[' {
			d.skipMismatch(mustBeArray)
			return
		}
		n := 0
		d.eachElement(func() {
			if n < length {
				elem(d, v.Index(n))
			} else {
				d.scan.skipValue()
			}
			n++
		})
		switch {
		case d.scan.err != nil:
		case n < length:
			d.addViolation(tooFew)
		case n > length:
			d.addViolation(tooMany)
		}
	}
}

// elements calls decode for each element of the array that the caller has seen
// the bracket of.
func (d *decoder) eachElement(decode func()) {
	d.scan.openBracket()
	d.path = append(d.path, step{})
	top := len(d.path) - 1
	for first := true; d.scan.more(']', first); first = false {
		decode()
		d.path[top].index++
	}
	d.path = d.path[:top]
}

var mustBeObject = &complaint{ruleType, "must be an object"}

// decodeMap decodes an object into a map. Names that a text type takes for the
// same key are a mistake too: one of the values would be lost.
func decodeMap(setKey setter, elem decodeFunc, s *shape) decodeFunc {
	sameKey := &complaint{ruleDuplicate, "is the same key as another name"}
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '{' {
			d.skipMismatch(mustBeObject)
			return
		}
		m := reflect.MakeMap(s.typ)
		key, value := reflect.New(s.key.typ).Elem(), reflect.New(s.elem.typ).Elem()
		set := nameSet{base: len(d.scan.names)}
		d.scan.openBracket()
		for first := true; d.scan.more('}', first); first = false {
			name := d.scan.readName()
			if d.scan.err == nil && !set.addName(&d.scan, name) {
				d.scan.failDuplicate()
				return
			}
			d.push(string(name))
			key.SetZero()
			value.SetZero()
			wrong := setKey(d, key, name)
			if wrong == nil && m.MapIndex(key).IsValid() {
				wrong = sameKey
			}
			if wrong != nil {
				d.addViolation(wrong)
			}
			if elem(d, value); d.scan.err != nil {
				return
			}
			if wrong == nil { // else key is zero, which another name may be
				m.SetMapIndex(key, value)
			}
			d.pop()
		}
		set.forgetNames(&d.scan)
		v.Set(m)
	}
}

// An objectPlan decodes an object into a struct, or into some fields of one.
type objectPlan struct {
	fields []fieldPlan
	byName map[string]int
	need   []uint64 // bit sets: the fields whose absence needs something done
	strict bool
}

// A fieldPlan is the part of an objectPlan for one member.
type fieldPlan struct {
	*field
	prefix string // the name as compact JSON has it, with quotes and colon
	in     string // what Violation.In is for the member, or "" for as before
	decode decodeFunc
	absent func(v reflect.Value) // gives the default, or nil
}

// object compiles the plan for these fields. in says for each where its value
// comes from; nil, for a struct inside another, that hidden fields are left
// out.
func (c *decoders) objectPlan(fields []*field, in func(*field) string) *objectPlan {
	p := &objectPlan{byName: make(map[string]int), strict: c.strict}
	for _, f := range fields {
		if in == nil && f.hidden {
			continue
		}
		plan := fieldPlan{field: f, prefix: string(appendQuoted(nil, f.name)) + ":"}
		if in != nil {
			plan.in = in(f)
		}
		plan.decode = c.fieldDecoder(f)
		plan.absent = c.defaultFor(&plan)
		i := len(p.fields)
		if i%64 == 0 {
			p.need = append(p.need, 0)
		}
		if !f.optional || plan.absent != nil {
			p.need[i/64] |= 1 << (i % 64)
		}
		p.byName[f.name] = i
		p.fields = append(p.fields, plan)
	}
	return p
}

// fieldDecoder returns the decoder for a field, without its constraints.
func (c *decoders) fieldDecoder(f *field) decodeFunc {
	if f.quoted {
		return decodeQuoted(f.shape)
	}
	return c.decoderFor(f.shape)
}

// value decodes the member that the decoder is at into v, the field.
func (f *fieldPlan) decodeChecked(d *decoder, v reflect.Value) {
	if len(f.rules) == 0 {
		f.decode(d, v)
		return
	}
	before := d.found.count()
	if f.decode(d, v); d.scan.err == nil && d.found.count() == before {
		d.checkRules(f.rules, v)
	}
}

// checkRules notes the constraints that a decoded value breaks. A null breaks
// none: they are about the value that is not there.
func (d *decoder) checkRules(rules []rule, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	for i := range rules {
		if r := &rules[i]; r.broken(v) {
			d.addViolation(r.wrong)
		}
	}
}

// defaultOf returns a function that sets a field to its default, or nil if it
// has none. The default is decoded anew for each input: two inputs must not
// share a slice.
func (c *decoders) defaultFor(plan *fieldPlan) func(reflect.Value) {
	f, decode := plan.field, plan.decode
	if f.def == nil {
		return nil
	}
	fresh := func(v reflect.Value) error {
		d := new(decoder)
		d.start(f.def)
		member := fieldPlan{field: f, decode: decode}
		member.decodeChecked(d, v)
		return d.finish()
	}
	value := reflect.New(f.shape.typ).Elem()
	trying, endless := false, false
	c.pending = append(c.pending, func() {
		trying = true
		err := fresh(value)
		trying = false
		var e *Error
		switch {
		case endless:
			c.mistakes.addf("%s: the default %s leaves out a field that has it as its default, and so on without end", f.place, f.def)
		case errors.As(err, &e):
			c.mistakes.addf("%s: the default %s is refused: %s", f.place, f.def, strings.TrimPrefix(e.Message, codes[CodeInvalidArgument.row()].text+": "))
		}
	})
	c.runPending()
	// A text type may be a slice, as net.IP is, or hold one.
	if f.shape.kind.isScalar() && f.shape.kind != kindBytes && f.shape.kind != kindText {
		return func(v reflect.Value) { v.Set(value) }
	}
	return func(v reflect.Value) {
		if trying {
			endless = true
			return
		}
		fresh(v) // it was tried above
	}
}

// decode is the decodeFunc of p.
func (p *objectPlan) decodeObject(d *decoder, v reflect.Value) {
	if d.scan.peek() != '{' {
		d.skipMismatch(mustBeObject)
		return
	}
	base := len(d.seen)
	for range p.need {
		d.seen = append(d.seen, 0)
	}
	unknown := nameSet{base: len(d.scan.names)}
	d.scan.openBracket()
	next := 0
	for first := true; d.scan.more('}', first); first = false {
		i, name := p.findMember(d, next)
		if i < 0 {
			p.skipUnknown(d, &unknown, name)
			continue
		}
		f := &p.fields[i]
		if seen := &d.seen[base+i/64]; *seen>>(i%64)&1 != 0 {
			d.scan.failDuplicate()
		} else {
			*seen |= 1 << (i % 64)
		}
		d.enterMember(f)
		f.decodeChecked(d, f.of(v))
		if d.scan.err != nil {
			return
		}
		d.pop()
		next = i + 1
	}
	unknown.forgetNames(&d.scan)
	if d.scan.err == nil {
		p.completeAbsent(d, v, d.seen[base:base+len(p.need)])
	}
	d.seen = d.seen[:base]
}

// enter makes the member f the current place.
func (d *decoder) enterMember(f *fieldPlan) {
	if f.in != "" {
		d.in = f.in
	}
	d.pushToken(f.token)
}

// find reads a member's name and returns the index of its field, or -1 and the
// name. Most senders write members in the order of the document, so next is
// tried first.
func (p *objectPlan) findMember(d *decoder, next int) (int, []byte) {
	d.scan.peek()
	if next < len(p.fields) {
		prefix := p.fields[next].prefix
		if end := d.scan.pos + len(prefix); end <= len(d.scan.data) && string(d.scan.data[d.scan.pos:end]) == prefix {
			d.scan.pos = end
			return next, nil
		}
	}
	name := d.scan.readName()
	if i, ok := p.byName[string(name)]; ok {
		return i, nil
	}
	return -1, name
}

var isUnknown = &complaint{ruleUnknown, "is not a known property"}

// unknown passes over a member that is not in the plan.
func (p *objectPlan) skipUnknown(d *decoder, set *nameSet, name []byte) {
	if d.scan.err == nil && !set.addName(&d.scan, name) {
		d.scan.failDuplicate()
	}
	d.scan.skipValue()
	if p.strict && d.scan.err == nil {
		d.push(string(name))
		d.addViolation(isUnknown)
		d.pop()
	}
}

var isRequired = &complaint{ruleRequired, "is required"}

// complete gives the absent fields their defaults and notes those that may not
// be absent. seen has a bit for each field that was there.
func (p *objectPlan) completeAbsent(d *decoder, v reflect.Value, seen []uint64) {
	for w, need := range p.need {
		for absent := need &^ seen[w]; absent != 0; absent &= absent - 1 {
			f := &p.fields[w*64+bits.TrailingZeros64(absent)]
			if f.absent != nil {
				f.absent(f.of(v))
				continue
			}
			d.enterMember(f)
			d.addViolation(isRequired)
			d.pop()
		}
	}
}

// A setter sets v, which is settable and zero, to the scalar that text spells.
// It must not keep text.
type setter func(d *decoder, v reflect.Value, text []byte) *complaint

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
	mustBeString   = &complaint{ruleType, "must be a string"}
	mustBeBool     = &complaint{ruleType, "must be true or false"}
	mustBeInteger  = &complaint{ruleType, "must be an integer"}
	mustBeNumber   = &complaint{ruleType, "must be a number"}
	mustBeTime     = &complaint{ruleType, "must be a date and time by RFC 3339, such as 2006-01-02T15:04:05Z"}
	mustBeDuration = &complaint{ruleType, "must be a duration, such as 1h30m or 1.5s"}
	mustBeBase64   = &complaint{ruleType, "must be base64 with padding"}
	mustBeQuoted   = &complaint{ruleType, "must be a string that holds a JSON string"}
	isNotValid     = &complaint{ruleType, "is not in the form that is expected here"}
)

// expected returns what to say of a JSON value of another type.
func (s *shape) typeComplaint() *complaint {
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
	set, wrong := setterFor(s, false), s.typeComplaint()
	switch {
	case s.kind == kindString:
		return decodeString
	case s.kind == kindBool:
		return decodeBool
	case s.kind.isNumeric():
		return func(d *decoder, v reflect.Value) {
			if c := d.scan.peek(); c != '-' && !isDigit(c) {
				d.skipMismatch(wrong)
				return
			}
			if num := d.scan.readNumber(); d.scan.err == nil {
				d.addIfAny(set(d, v, num))
			}
		}
	}
	return func(d *decoder, v reflect.Value) {
		if d.scan.peek() != '"' {
			d.skipMismatch(wrong)
			return
		}
		if text := d.readText(); d.scan.err == nil {
			d.addIfAny(set(d, v, text))
		}
	}
}

// note notes m if it is a mistake at all.
func (d *decoder) addIfAny(m *complaint) {
	if m != nil {
		d.addViolation(m)
	}
}

// inside reads a string and returns what it stands for, for looking at only.
func (d *decoder) readText() []byte {
	raw, escaped := d.scan.readString()
	if escaped {
		d.scratch = appendUnescaped(d.scratch[:0], raw)
		return d.scratch
	}
	return raw
}

func decodeString(d *decoder, v reflect.Value) {
	if d.scan.peek() != '"' {
		d.skipMismatch(mustBeString)
		return
	}
	if raw, escaped := d.scan.readString(); d.scan.err == nil {
		v.SetString(d.keepText(raw, escaped))
	}
}

func decodeBool(d *decoder, v reflect.Value) {
	switch d.scan.peek() {
	case 't':
		v.SetBool(d.scan.readLiteral("true"))
	case 'f':
		d.scan.readLiteral("false")
	default:
		d.skipMismatch(mustBeBool)
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
		if d.scan.peek() != '"' {
			d.skipMismatch(mustBeString)
			return
		}
		text := d.readText()
		if d.scan.err != nil {
			return
		}
		if _, ok := jsonNumber(text); target.kind.isNumeric() && !ok {
			d.addViolation(target.typeComplaint())
			return
		}
		d.addIfAny(set(d, v, text))
	}
	if s.kind == kindPointer {
		return decodePointer(decode, target.typ)
	}
	return decode
}

func setQuotedString(d *decoder, v reflect.Value, text []byte) *complaint {
	if len(text) == 0 || text[0] != '"' {
		return mustBeQuoted
	}
	s := scanner{data: text}
	raw, escaped := s.readString()
	if s.err != nil || s.pos < len(text) { // no space around it, as in encoding/json
		return mustBeQuoted
	}
	if escaped {
		raw = appendUnescaped(nil, raw)
	}
	v.SetString(string(raw))
	return nil
}

func setString(d *decoder, v reflect.Value, text []byte) *complaint {
	v.SetString(d.keepText(text, false))
	return nil
}

func setBool(_ *decoder, v reflect.Value, text []byte) *complaint {
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
func between(low, high string) *complaint {
	return &complaint{ruleRange, "must be an integer between " + low + " and " + high}
}

func setInt(bits int, plain bool) setter {
	low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	outside := between(strconv.FormatInt(low, 10), strconv.FormatInt(high, 10))
	return func(_ *decoder, v reflect.Value, text []byte) *complaint {
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
	return func(_ *decoder, v reflect.Value, text []byte) *complaint {
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
func integerFrom(text []byte, plain bool, outside *complaint) (mag uint64, neg bool, wrong *complaint) {
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
	outside := &complaint{ruleRange, "must be a number that a float of " + strconv.Itoa(bits) + " bits can hold"}
	return func(_ *decoder, v reflect.Value, text []byte) *complaint {
		f, err := strconv.ParseFloat(string(text), bits)
		if err != nil {
			return outside // the spelling was checked before
		}
		v.SetFloat(f)
		return nil
	}
}

func setNumber(_ *decoder, v reflect.Value, text []byte) *complaint {
	v.SetString(string(text))
	return nil
}

// setTime takes RFC 3339, section 5.6, to the letter: package time by itself
// also takes a comma before the fraction and hours of one digit.
func setTime(_ *decoder, v reflect.Value, text []byte) *complaint {
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

func setDuration(_ *decoder, v reflect.Value, text []byte) *complaint {
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
func setBytes(_ *decoder, v reflect.Value, text []byte) *complaint {
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

func setText(d *decoder, v reflect.Value, text []byte) *complaint {
	return d.complaintFor(v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text))
}

// refusal returns what to tell a client of the error of a type's own decoding.
// The text of an *Error is meant for clients; any other may tell of the inside,
// and is kept for the log.
func (d *decoder) complaintFor(err error) *complaint {
	if err == nil {
		return nil
	}
	if d.found.cause == nil {
		d.found.cause = err
	}
	var e *Error
	if errors.As(err, &e) && e != nil && e.Message != "" && !e.code().private() {
		return &complaint{ruleType, e.Message}
	}
	return isNotValid
}

func decodeCustom(d *decoder, v reflect.Value) {
	if text := d.scan.skipValue(); d.scan.err == nil {
		d.addIfAny(d.complaintFor(v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text)))
	}
}

func decodeRaw(d *decoder, v reflect.Value) {
	if text := d.scan.skipValue(); d.scan.err == nil {
		v.SetBytes(append(make([]byte, 0, len(text)), text...))
	}
}

func decodeAny(d *decoder, v reflect.Value) {
	if x := d.decodeAnyValue(); d.scan.err == nil && x != nil {
		v.Set(reflect.ValueOf(x))
	}
}

// any returns the next value as encoding/json would, except that a number that
// a float64 would change beyond rounding, a large integer or one out of range,
// is kept as a json.Number.
func (d *decoder) decodeAnyValue() any {
	switch c := d.scan.peek(); c {
	case '{':
		m := make(map[string]any)
		d.scan.openBracket()
		for first := true; d.scan.more('}', first); first = false {
			name := d.scan.readName()
			if _, twice := m[string(name)]; twice {
				d.scan.failDuplicate()
				return nil
			}
			m[d.keepText(name, false)] = d.decodeAnyValue()
		}
		return m
	case '[':
		list := []any{}
		d.scan.openBracket()
		for first := true; d.scan.more(']', first); first = false {
			list = append(list, d.decodeAnyValue())
		}
		return list
	case '"':
		raw, escaped := d.scan.readString()
		return d.keepText(raw, escaped)
	case 't':
		return d.scan.readLiteral("true")
	case 'f':
		return !d.scan.readLiteral("false")
	case 'n':
		d.scan.readLiteral("null")
		return nil
	default:
		d.scan.failValue(c)
		return exactNumber(d.scan.readNumber())
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
