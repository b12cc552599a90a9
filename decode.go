package svc

// This file turns JSON into Go values by a compiled plan: one pass over the
// text, strict, collecting every mistake with its place. Values are only ever
// decoded into fresh zero values.
//
// decode_object.go has the structs, decode_scalar.go the scalars, which path and
// query values share, decode_check.go what is checked on the finished value.

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A decoder decodes one input. It is kept for the next one, so that decoding
// allocates nothing but the values themselves.
//
// Invariants:
//
//	path leads to the value being decoded
//	seen holds the bit sets of the open objects, outermost first
type decoder struct {
	scanner
	violations
	in      string // what Violation.In is to be
	lean    bool   // errors are for svc's own writers; see violations.lean
	refused error  // what a Validate method answered in place of a violation
	path    []step
	seen    []uint64
	texts   []string        // of the open lists of strings, outermost first
	scratch []byte          // for text that is looked at and not kept
	arena   strings.Builder // for short strings that are kept; see text
	ahead   int             // how much text may come that is not in data, in bytes
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
var places = []string{inPath, inQuery, inHeader, inBody}

// start prepares d for another input.
func (d *decoder) start(data []byte) {
	d.scanner.reset(data)
	d.violations = violations{}
	d.in, d.refused, d.ahead = inBody, nil, 0
	d.path = d.path[:0]
	d.seen = d.seen[:0]
	clear(d.texts) // a fault leaves some behind
	d.texts = d.texts[:0]
	d.arena.Reset() // what it holds belongs to the last input
}

// violate notes a mistake at the current place.
func (d *decoder) violate(m *mistake) {
	if d.full() {
		d.omitted++
		return
	}
	d.add(Violation{In: d.in, Path: d.place(), Rule: m.rule, Message: m.message})
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
func (d *decoder) mismatch(m *mistake) {
	d.skip()
	if d.fault == nil {
		d.violate(m)
	}
}

// finish returns the error that the input as a whole deserves, or nil.
func (d *decoder) finish() error {
	switch {
	case d.fault != nil:
		return d.faultError()
	case d.refused != nil:
		return d.refused
	case len(d.list) > 1:
		slices.SortStableFunc(d.list, func(a, b Violation) int {
			return cmp.Compare(slices.Index(places, a.In), slices.Index(places, b.In))
		})
	}
	return d.failure(&d.violations)
}

// failure returns the error for these violations, or nil if there are none.
func (d *decoder) failure(vs *violations) error {
	if d.lean && len(vs.list) > 0 {
		return vs.lean()
	}
	return vs.err()
}

// faultError returns the error for a text that is not acceptable JSON: one
// violation, whatever else was wrong.
func (d *decoder) faultError() error {
	v := Violation{In: inBody, Rule: d.fault.rule, Message: "the text is not valid JSON: " + d.fault.Error()}
	if d.fault.rule == ruleDuplicate {
		v.Path = string(pointerToName(d.data[:d.fault.offset]))
	}
	var one violations
	one.add(v)
	return d.failure(&one)
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
			raw, escaped := s.str()
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
func (d *decoder) text(raw []byte, escaped bool) string {
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
		d.arena.Grow(min(arenaBlock, n+max(len(d.data)-d.pos, d.ahead)))
	}
	start := d.arena.Len()
	d.arena.Write(raw)
	return d.arena.String()[start:]
}

// decoders is one compile pass over shapes.
type decoders struct {
	*problems
	byShape map[*shape]*decodeFunc
	strict  bool
	open    int      // how many shapes are being compiled, one inside another
	pending []func() // to be called when none is
}

func newDecoders(p *problems, strict bool) *decoders {
	return &decoders{problems: p, byShape: make(map[*shape]*decodeFunc), strict: strict}
}

// of returns the decoder for values of shape s. For a shape that is still being
// compiled, since it contains itself, the result looks the function up when it
// is called.
func (c *decoders) of(s *shape) decodeFunc {
	if fn, ok := c.byShape[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(d *decoder, v reflect.Value) { (*fn)(d, v) }
	}
	fn := new(decodeFunc)
	c.byShape[s] = fn
	c.open++
	*fn = c.compile(s)
	c.open--
	c.settle()
	return *fn
}

// settle does what had to wait for decoders to be complete.
func (c *decoders) settle() {
	for c.open == 0 && len(c.pending) > 0 {
		next := c.pending[0]
		c.pending = c.pending[1:]
		next()
	}
}

// compile makes the decoder for s.
func (c *decoders) compile(s *shape) decodeFunc {
	switch s.kind {
	case kindAny:
		return decodeAny
	case kindRaw:
		return decodeRaw
	case kindCustom:
		return decodeCustom
	case kindPointer:
		return decodePointer(c.of(s.elem), s.elem.typ)
	case kindSlice:
		if s.typ == typeStrings {
			return decodeStrings
		}
		return decodeSlice(c.of(s.elem), s.typ)
	case kindArray:
		return decodeArray(c.of(s.elem), s.typ.Len())
	case kindMap:
		return decodeMap(setterFor(s.key, true), c.of(s.elem), s)
	case kindObject:
		plan := c.object(s.fields, nil)
		return plan.decode
	}
	return decodeScalar(s)
}

func decodePointer(elem decodeFunc, t reflect.Type) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if d.peek() == 'n' {
			d.literal("null")
			return
		}
		p := reflect.New(t)
		elem(d, p.Elem())
		v.Set(p)
	}
}

var mustBeArray = &mistake{ruleType, "must be an array"}

func decodeSlice(elem decodeFunc, t reflect.Type) decodeFunc {
	return func(d *decoder, v reflect.Value) {
		if d.peek() != '[' {
			d.mismatch(mustBeArray)
			return
		}
		n := 0
		d.elements(func() {
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
	if d.peek() != '[' {
		d.mismatch(mustBeArray)
		return
	}
	base := len(d.texts)
	d.elements(func() {
		text := ""
		if d.peek() != '"' {
			d.mismatch(mustBeString)
		} else if raw, escaped := d.str(); d.fault == nil {
			text = d.text(raw, escaped)
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
	tooFew, tooMany := &mistake{"minItems", exactly}, &mistake{"maxItems", exactly}
	return func(d *decoder, v reflect.Value) {
		if d.peek() != '[' {
			d.mismatch(mustBeArray)
			return
		}
		n := 0
		d.elements(func() {
			if n < length {
				elem(d, v.Index(n))
			} else {
				d.skip()
			}
			n++
		})
		switch {
		case d.fault != nil:
		case n < length:
			d.violate(tooFew)
		case n > length:
			d.violate(tooMany)
		}
	}
}

// elements calls decode for each element of the array that the caller has seen
// the bracket of.
func (d *decoder) elements(decode func()) {
	d.open()
	d.path = append(d.path, step{})
	top := len(d.path) - 1
	for first := true; d.more(']', first); first = false {
		decode()
		d.path[top].index++
	}
	d.path = d.path[:top]
}

var mustBeObject = &mistake{ruleType, "must be an object"}

// decodeMap decodes an object into a map. Names that a text type takes for the
// same key are a mistake too: one of the values would be lost.
func decodeMap(setKey setter, elem decodeFunc, s *shape) decodeFunc {
	sameKey := &mistake{ruleDuplicate, "is the same key as another name"}
	return func(d *decoder, v reflect.Value) {
		if d.peek() != '{' {
			d.mismatch(mustBeObject)
			return
		}
		m := reflect.MakeMap(s.typ)
		key, value := reflect.New(s.key.typ).Elem(), reflect.New(s.elem.typ).Elem()
		set := nameSet{base: len(d.names)}
		d.open()
		for first := true; d.more('}', first); first = false {
			name := d.name()
			if d.fault == nil && !set.add(&d.scanner, name) {
				d.failDuplicate()
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
				d.violate(wrong)
			}
			if elem(d, value); d.fault != nil {
				return
			}
			if wrong == nil { // else key is zero, which another name may be
				m.SetMapIndex(key, value)
			}
			d.pop()
		}
		set.close(&d.scanner)
		v.Set(m)
	}
}
