package svc

// This file decides what a Go type looks like as JSON. It walks every type
// once, into a shape; the decoder, the binder, the encoder and every published
// schema are made from shapes, so they cannot disagree.
//
// schema_fields.go is the struct walk, schema_rules.go the constraint tags,
// schema_write.go the three dialects of JSON Schema.

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// A shape is what one Go type looks like as JSON. shapes.of makes it; it is
// then read by many goroutines and never written.
//
// Invariants:
//
//	elem is set for pointers, slices, arrays and maps; key for maps
//	fields is set for objects, in the order of the JSON members
//	name is set for named types, and unique among the shapes of one compile
//	  pass, also where case is ignored
type shape struct {
	typ    reflect.Type
	kind   shapeKind
	bits   int // of kindInt, kindUint and kindFloat
	elem   *shape
	key    *shape
	fields []*field
	name   string
	custom map[string]any // what JSONSchema returned, for kindCustom

	recursive bool // an object that can contain itself
	strict    bool // an object that has no properties but its own
	broken    bool // a problem was noted of it; there will be no plan
}

type shapeKind uint8

const (
	kindAny      shapeKind = iota // any JSON value, as an any
	kindRaw                       // any JSON value, as its text
	kindCustom                    // brings MarshalJSON or UnmarshalJSON
	kindText                      // a string by MarshalText and UnmarshalText
	kindTime                      // time.Time, a string by RFC 3339
	kindDuration                  // time.Duration, a string in Go's spelling
	kindBytes                     // a string in base64
	kindString
	kindBool
	kindInt
	kindUint
	kindFloat
	kindNumber // json.Number
	kindPointer
	kindSlice
	kindArray
	kindMap
	kindObject
)

// isNumeric reports whether values are JSON numbers.
func (k shapeKind) isNumeric() bool {
	return k == kindInt || k == kindUint || k == kindFloat || k == kindNumber
}

// isStringy reports whether values are JSON strings.
func (k shapeKind) isStringy() bool {
	return k == kindString || k == kindText || k == kindTime || k == kindDuration || k == kindBytes
}

// isScalar reports whether one path or query value can hold a value.
func (k shapeKind) isScalar() bool { return k == kindBool || k.isNumeric() || k.isStringy() }

// deref returns what a value is where it is not null.
func (s *shape) deref() *shape {
	for s.kind == kindPointer {
		s = s.elem
	}
	return s
}

// problems collects what is wrong with a service, so that its author hears of
// all of it at once.
type problems struct {
	where string // the method being looked at
	list  []error
	seen  map[string]bool
}

// addf notes a problem. The same text is noted once: one bad type may be
// reached by many ways.
func (p *problems) addf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.where != "" {
		text = p.where + ": " + text
	}
	if p.seen[text] {
		return
	}
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.seen[text] = true
	p.list = append(p.list, fmt.Errorf("%s", text))
}

// shapes is one compile pass: the shapes of all types that a service reaches.
type shapes struct {
	*problems
	strict bool // what the shapes are to be
	byType map[reflect.Type]*shape
	all    []*shape // in the order they were met
	named  []*shape // those of all with a name
}

func newShapes(p *problems) *shapes {
	return &shapes{problems: p, byType: make(map[reflect.Type]*shape)}
}

// A use says what values of a type are needed for. A type may be fit for one
// and not for the other.
type use uint8

const (
	asInput  use = 1 << iota // decoded
	asOutput                 // encoded
)

// of returns the shape of t, whose place in the user's types is at. It always
// returns a shape; what is wrong with t is noted as a problem.
func (c *shapes) of(t reflect.Type, at string) *shape {
	if s, ok := c.byType[t]; ok {
		return s
	}
	s := &shape{typ: t, strict: c.strict}
	c.byType[t] = s
	c.all = append(c.all, s)
	before := len(c.list)
	c.fill(s, at)
	if s.broken = len(c.list) > before; s.broken && (t.Name() == "" || t.Kind() != reflect.Struct) {
		delete(c.byType, t) // its other places are to be named too
	}
	if t.Name() != "" && t.PkgPath() != "" && !isPlain(t) && s.kind != kindTime && s.kind != kindDuration && s.kind != kindRaw && s.kind != kindNumber {
		c.named = append(c.named, s)
	}
	return s
}

var (
	typeTime     = reflect.TypeFor[time.Time]()
	typeDuration = reflect.TypeFor[time.Duration]()
	typeRaw      = reflect.TypeFor[json.RawMessage]()
	typeNumber   = reflect.TypeFor[json.Number]()

	typeJSONMarshaler   = reflect.TypeFor[json.Marshaler]()
	typeJSONUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeTextMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	typeTextUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// has reports whether a variable of type t has the methods of iface.
func has(t, iface reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(iface)
}

// A plainType is what its Go kind says, and has no name in documents, whatever
// methods it has: those are for users of encoding/json.
type plainType interface{ isItsKind() }

func isPlain(t reflect.Type) bool { return t.Implements(reflect.TypeFor[plainType]()) }

// fill decides what s.typ is.
func (c *shapes) fill(s *shape, at string) {
	t := s.typ
	switch {
	case t == typeTime:
		s.kind = kindTime
	case t == typeDuration:
		s.kind = kindDuration
	case t == typeRaw:
		s.kind = kindRaw
	case t == typeNumber:
		s.kind = kindNumber
	case t.Kind() == reflect.Pointer:
		s.kind, s.elem = kindPointer, c.of(t.Elem(), at)
	case isPlain(t):
		c.fillKind(s, at)
	case has(t, typeJSONMarshaler) || has(t, typeJSONUnmarshaler):
		c.fillCustom(s, at)
	case has(t, typeTextMarshaler) || has(t, typeTextUnmarshaler):
		s.kind = kindText
	default:
		c.fillKind(s, at)
	}
}

// fillKind decides by the kind of a type that brings no methods.
func (c *shapes) fillKind(s *shape, at string) {
	t := s.typ
	switch t.Kind() {
	case reflect.String:
		s.kind = kindString
	case reflect.Bool:
		s.kind = kindBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.kind, s.bits = kindInt, t.Bits()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.kind, s.bits = kindUint, t.Bits()
	case reflect.Float32, reflect.Float64:
		s.kind, s.bits = kindFloat, t.Bits()
	case reflect.Slice:
		if e := t.Elem(); e.Kind() == reflect.Uint8 && !brings(e) {
			s.kind = kindBytes
			return
		}
		s.kind, s.elem = kindSlice, c.of(t.Elem(), at+"[]")
	case reflect.Array:
		s.kind, s.elem = kindArray, c.of(t.Elem(), at+"[]")
	case reflect.Map:
		s.kind, s.key, s.elem = kindMap, c.keyOf(t.Key(), at), c.of(t.Elem(), at+"[]")
	case reflect.Struct:
		s.kind = kindObject
		c.fillFields(s, at)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			c.addf("%s: JSON cannot say which type is in the interface %v; use a struct, or any", at, t)
		}
		s.kind = kindAny
	default:
		c.addf("%s: JSON cannot carry a %v; hide the field with `json:\"-\"` or change its type", at, t)
	}
}

// brings reports whether t has methods of its own for JSON.
func brings(t reflect.Type) bool {
	return has(t, typeJSONMarshaler) || has(t, typeJSONUnmarshaler) || has(t, typeTextMarshaler) || has(t, typeTextUnmarshaler)
}

// keyOf returns the shape of a map key: a string, an integer or a text.
func (c *shapes) keyOf(t reflect.Type, at string) *shape {
	s := &shape{typ: t}
	switch {
	case t.Kind() == reflect.String && !has(t, typeTextMarshaler) && !has(t, typeTextUnmarshaler):
		s.kind = kindString
	case has(t, typeTextMarshaler) || has(t, typeTextUnmarshaler):
		s.kind = kindText
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		s.kind, s.bits = kindInt, t.Bits()
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr:
		s.kind, s.bits = kindUint, t.Bits()
	default:
		c.addf("%s: a JSON object cannot have a %v as its key; use a string, an integer or a type with MarshalText and UnmarshalText", at, t)
	}
	return s
}

// keyText returns the name that a map key has in JSON.
func (s *shape) keyText(key reflect.Value) (string, error) {
	switch s.kind {
	case kindString:
		return key.String(), nil
	case kindInt:
		return strconv.FormatInt(key.Int(), 10), nil
	case kindUint:
		return strconv.FormatUint(key.Uint(), 10), nil
	}
	addressable := reflect.New(s.typ)
	addressable.Elem().Set(key)
	text, err := addressable.Interface().(encoding.TextMarshaler).MarshalText()
	return string(text), err
}

// fillCustom fills the shape of a type that writes or reads its own JSON. Only
// the type itself can say what that looks like.
func (c *shapes) fillCustom(s *shape, at string) {
	s.kind = kindCustom
	d, ok := reflect.New(s.typ).Interface().(interface{ JSONSchema() map[string]any })
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.addf("%s: %v.JSONSchema panics on the zero value: %v", at, s.typ, v)
		}
	}()
	s.custom = d.JSONSchema()
	if _, err := json.Marshal(s.custom); err != nil {
		c.addf("%s: what %v.JSONSchema returns is not JSON: %v", at, s.typ, err)
		s.custom = nil
	}
}

// check notes what makes the shapes below s unfit for a use: a type that can be
// written but not read has a schema that no input could be held to.
func (c *shapes) check(s *shape, u use, at string) {
	c.walk(s, at, make(map[*shape]bool), func(s *shape, at string) {
		var need reflect.Type
		var method string
		switch {
		case s.kind == kindCustom && u == asInput && !has(s.typ, typeJSONUnmarshaler):
			need, method = typeJSONMarshaler, "UnmarshalJSON"
		case s.kind == kindText && u == asInput && !has(s.typ, typeTextUnmarshaler):
			need, method = typeTextMarshaler, "UnmarshalText"
		case s.kind == kindText && u == asOutput && !has(s.typ, typeTextMarshaler):
			need, method = typeTextUnmarshaler, "MarshalText"
		default:
			return
		}
		c.addf("%s: %v has %s but not %s, so it cannot be part of an %s", at, s.typ, need.Method(0).Name, method, u)
	})
}

func (u use) String() string {
	if u == asInput {
		return "input"
	}
	return "output"
}

// walk calls visit for s and every shape below it, once each.
func (c *shapes) walk(s *shape, at string, done map[*shape]bool, visit func(s *shape, at string)) {
	if s == nil || done[s] {
		return
	}
	done[s] = true
	visit(s, at)
	c.walk(s.key, at+" key", done, visit)
	switch s.kind {
	case kindPointer:
		c.walk(s.elem, at, done, visit)
	case kindObject:
		for _, f := range s.fields {
			c.walk(f.shape, at+"."+f.goName, done, visit)
		}
	default:
		c.walk(s.elem, at+"[]", done, visit)
	}
}

// finish names the types and finds those that contain themselves. It is called
// once, when all types of the service are known.
func (c *shapes) finish() {
	for s, name := range nameTypes(c.named) {
		s.name = name
	}
	for _, s := range c.all {
		if s.containsItself() {
			s.broken = true
			c.addf("%v contains itself without a struct in between, which no schema can say; put a struct around it", s.typ)
		}
	}
	can, must := findCycles(c.all, false), findCycles(c.all, true)
	for _, s := range c.all {
		s.recursive = can[s]
		if must[s] {
			s.broken = true
			c.addf("%v must contain itself, so that no value is finite; make a field on the way optional (omitempty) or a pointer", s.typ)
		}
	}
}

// sound reports whether nothing is wrong with s and the shapes below it.
func (c *shapes) sound(s *shape) bool {
	sound := true
	c.walk(s, "", make(map[*shape]bool), func(s *shape, _ string) { sound = sound && !s.broken })
	return sound
}

// containsItself reports whether s leads back to itself with no struct on the
// way.
func (s *shape) containsItself() bool {
	done := make(map[*shape]bool)
	for e := s.elem; e != nil && !done[e]; e = e.elem {
		if e == s {
			return true
		}
		done[e] = true
	}
	return false
}
