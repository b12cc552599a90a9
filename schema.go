package svc

// This file decides the JSON form of each Go type. It walks every type once, into a
// shape. The decoder, the binder, the encoder and every published schema are made
// from shapes, so they cannot disagree.
//
// In this order: shapes, and the mistakes that are noted; Optional; from a type to its shape;
// what a type says of itself by JSONSchema; checks that need all types; the fields of a struct, their tags and names; structs
// that contain themselves; the names of types in documents.
//
// schema_rules.go has the constraint tags and schema_write.go the three dialects
// of JSON Schema.

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A shape describes the JSON form of one Go type. shapes.shapeFor makes it and
// finishShapes completes it; from then on many goroutines read it and none writes
// it.
//
// Invariants:
//
//	elem is set for pointers, Optionals, slices, arrays and maps; key for maps
//	fields is set for objects, in the order of the JSON members
//	bits is set for integers and floats, also where they are the key of a map
//	custom is set for those types of kindCustom and kindText that have a method
//	  JSONSchema, and custom30 too if 3.0.3 has all the keywords in it
//	rules and format are set for scalars only: rules by a method Enum, for all values
//	  of the type (isEnum is set), and both by the tags of a field, for the items of
//	  a list that is the field alone (isEnum is not)
//	name is set for named types and for structs without a name that contain
//	  themselves, and unique among the shapes of one compile pass, also where case
//	  is ignored
//	a type has one shape in a compile pass, so that types which contain
//	  themselves end: the shape is registered before its parts are walked
type shape struct {
	typ     reflect.Type
	kind    shapeKind
	bits    int // of kindInt, kindUint and kindFloat
	elem    *shape
	key     *shape
	fields  []*field
	name    string
	custom  map[string]any // what JSONSchema returned, read back from its JSON
	rules   ruleSet
	format  string // replaces that of the type
	example string // of a text, by the tag of the field; for messages

	custom30   bool // custom is a schema of OpenAPI 3.0.3 too
	isEnum     bool // a component of documents, since it has a method Enum
	recursive  bool // an object that can contain itself
	strict     bool // an object that has no properties but its own
	hasMistake bool // a mistake was noted of it; there will be no plan
}

// A shapeKind says how values of a type are written in JSON. The order counts:
// kindAny to kindCustom are the kinds whose JSON may be of any type. A schema says
// nothing about it, unless JSONSchema does.
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
	kindOptional // an Optional, which is only ever the type of a field
	kindSlice
	kindArray
	kindMap
	kindObject
)

// isNumeric reports whether values are JSON numbers. Rules about numbers fit only
// some of them; see isBoundable.
func (k shapeKind) isNumeric() bool {
	return k == kindInt || k == kindUint || k == kindFloat || k == kindNumber
}

// isStringy reports whether values are JSON strings. Rules about strings fit only
// some of them; see isString.
func (k shapeKind) isStringy() bool {
	return k == kindString || k == kindText || k == kindTime || k == kindDuration || k == kindBytes
}

// isScalar reports whether one path or query value can hold a value. Types that
// read their own JSON are not among them: they expect JSON, which text in a URL
// is not.
func (k shapeKind) isScalar() bool { return k == kindBool || k.isNumeric() || k.isStringy() }

// A part is a shape inside another one: what a pointer points to, an item, a key, the
// type of a field.
type part struct {
	shape *shape
	field *field // set if the part is the type of a field
	in    string // without a field: what is behind the place of the whole in messages
}

// parts calls yield for each part of s, in the order of the source. Whatever visits
// shapes finds the next ones here, so that a new kind of type is a new case here.
func (s *shape) parts(yield func(part) bool) {
	switch s.kind {
	case kindPointer, kindOptional:
		yield(part{shape: s.elem})
	case kindSlice, kindArray:
		yield(part{shape: s.elem, in: "[]"})
	case kindMap:
		_ = yield(part{shape: s.key, in: " key"}) && yield(part{shape: s.elem, in: "[]"})
	case kindObject:
		for _, f := range s.fields {
			if !yield(part{shape: f.shape, field: f}) {
				return
			}
		}
	}
}

// hasParts reports whether s has parts. Most types have none.
func (s *shape) hasParts() bool { return s.elem != nil || s.fields != nil }

// isEndless reports whether every value of the object s contains one of the objects
// endless.
func (s *shape) isEndless(endless map[*shape]bool) bool {
	for _, f := range s.fields {
		if endless[f.needed()] {
			return true
		}
	}
	return false
}

// needed returns the object that every value of f contains: its type, or that of the
// items of a list that cannot be empty. It returns nil if there is none, and for no
// field.
func (f *field) needed() *shape {
	if f == nil || !f.isRequired() {
		return nil
	}
	s := f.shape
	if least := f.rules.findRule("minItems"); s.kind == kindSlice && least != nil && least.count > 0 {
		s = s.elem
	}
	if s = s.arrayItem(); s.kind != kindObject {
		return nil
	}
	return s
}

// place returns the place of p in messages, if at is that of the whole.
func (p part) place(at string) string {
	if p.field != nil {
		return at + "." + p.field.goName
	}
	return at + p.in
}

// walk calls visit for s and every shape below it, once each, except for those in
// done. The place of a shape that is reached by several ways is that of the first.
func (s *shape) walk(at string, done map[*shape]bool, visit func(s *shape, at string)) {
	if done[s] {
		return
	}
	done[s] = true
	visit(s, at)
	for p := range s.parts {
		if !done[p.shape] { // which is known without the text for where it is
			p.shape.walk(p.place(at), done, visit)
		}
	}
}

// reaches reports whether fits returns true for s or a shape below it.
func (s *shape) reaches(fits func(*shape) bool) bool {
	return fits(s) || s.hasParts() && s.partsReach(make(map[*shape]bool), fits)
}

// partsReach is reaches for the parts of s. done has the shapes whose parts were
// looked at.
func (s *shape) partsReach(done map[*shape]bool, fits func(*shape) bool) bool {
	done[s] = true
	for p := range s.parts {
		if fits(p.shape) || p.shape.hasParts() && !done[p.shape] && p.shape.partsReach(done, fits) {
			return true
		}
	}
	return false
}

// deref returns the shape of the values that are not null.
func (s *shape) deref() *shape {
	for s.kind == kindPointer || s.kind == kindOptional {
		s = s.elem
	}
	return s
}

// An Optional is a field that can be absent, null or a value, which a PATCH has to
// tell apart: absent leaves things as they are, null removes, and a value replaces.
// The zero value is absent. The field needs omitzero and is never required:
//
//	type PatchTodo struct {
//		ID    string                `path:"id"`
//		Title svc.Optional[string]  `json:"title,omitzero" maxLength:"80"`
//		Due   svc.Optional[time.Time] `json:"due,omitzero"`
//	}
//
// Constraint tags are about the value; null keeps them all. In an output an absent
// Optional is left out, and the others are written. Schemas say that it is a T or
// null. An Optional is for fields of JSON objects: it cannot come from a path, a
// query, a header or a cookie, where there is no null, and is no element of a list
// or a map, which is never absent. T is not a pointer, since null is not a T, and
// an absent Optional has no default.
//
// It is for one goroutine at a time, as any variable is.
type Optional[T any] struct {
	value T
	state optionalState
}

// An optionalState says which of its three forms an Optional has.
type optionalState uint8

const (
	stateAbsent optionalState = iota
	stateNull
	stateValue
)

// IsSet reports whether o is present: null or a value.
func (o Optional[T]) IsSet() bool { return o.state != stateAbsent }

// IsNull reports whether o is null.
func (o Optional[T]) IsNull() bool { return o.state == stateNull }

// Get returns the value of o. It returns the zero value and false if o is absent
// or null.
func (o Optional[T]) Get() (T, bool) { return o.value, o.state == stateValue }

// Set makes v the value of o.
func (o *Optional[T]) Set(v T) { o.value, o.state = v, stateValue }

// SetNull makes o null.
func (o *Optional[T]) SetNull() { *o = Optional[T]{state: stateNull} }

// MarshalJSON returns the value of o, as encoding/json writes it, or null. An absent
// Optional is null too where nothing leaves it out.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != stateValue {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON makes o null, or the value that encoding/json reads.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		o.SetNull()
		return nil
	}
	var v T
	err := json.Unmarshal(text, &v)
	if err == nil {
		o.Set(v)
	}
	return err
}

// held returns the pointer to the value, and whether there is one.
func (o *Optional[T]) held() (value any, ok bool) { return &o.value, o.state == stateValue }

// hold says that there is a value.
func (o *Optional[T]) hold() { o.state = stateValue }

// An optionalField is a pointer to an Optional.
type optionalField interface {
	SetNull()
	hold()
	held() (value any, ok bool)
}

// optionalElem returns the type of the value of the Optional t, or nil if t is none.
// A struct that embeds an Optional has its methods and is none: it has the JSON of
// the Optional, as encoding/json has it.
func optionalElem(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.Name(), "Optional[") {
		return nil
	}
	o, ok := reflect.New(t).Interface().(optionalField)
	if !ok || t.PkgPath() != reflect.TypeFor[Optional[int]]().PkgPath() {
		return nil
	}
	value, _ := o.held()
	return reflect.TypeOf(value).Elem()
}

// optionalValue returns the value of the Optional v, which is addressable, and
// whether there is one. Without one the result can be set all the same.
func optionalValue(v reflect.Value) (reflect.Value, bool) {
	value, ok := v.Addr().Interface().(optionalField).held()
	return reflect.ValueOf(value).Elem(), ok
}

// notNull follows pointers and Optionals from v to a value, and reports whether
// there is one.
func notNull(v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		if _, ok := v.Addr().Interface().(optionalField); ok {
			return optionalValue(v)
		}
	}
	return v, true
}

// mistakes collects the mistakes of a registration, so that the service's author
// can mend all of them at once. Compilers note a mistake and go on with something
// harmless in its place; nothing that they make is used in the end unless list is
// empty. The zero value is ready for use.
type mistakes struct {
	where string // the method being looked at
	list  []error
}

// addf notes a mistake. The same text is noted once: one bad type may be
// reached by many ways.
func (p *mistakes) addf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.where != "" {
		text = p.where + ": " + text
	}
	if !slices.ContainsFunc(p.list, func(err error) bool { return err.Error() == text }) {
		p.list = append(p.list, errors.New(text))
	}
}

// err returns the error of an action that the mistakes prevent: its name and
// then the mistakes, one a line. The action is such as "register app.TodoAPI".
func (p *mistakes) err(action string) error {
	text := "svc: cannot " + action + ":"
	for _, err := range p.list {
		text += "\n  - " + strings.ReplaceAll(err.Error(), "\n", "\n    ")
	}
	return errors.New(text)
}

// shapes is one compile pass: the shapes of all types that a service reaches.
// The order of all is that of the methods and fields in the source, and with it
// the order of everything published: no map is ranged over.
type shapes struct {
	*mistakes
	strict bool // what the shapes are to be
	byType map[reflect.Type]*shape
	all    []*shape                   // in the order they were met
	named  []*shape                   // those of all with a name
	fit    map[fitKey]map[*shape]bool // those that checkUse has seen

	tagMistakes int // those of the list that are about tags, without which a plan can be made
}

// newShapes returns a compile pass that notes mistakes in p.
func newShapes(p *mistakes) *shapes {
	return &shapes{mistakes: p, byType: make(map[reflect.Type]*shape), fit: make(map[fitKey]map[*shape]bool)}
}

// A use is the way in which values of a type are used. A type may be fit for one
// and not for the other: with MarshalJSON alone it can be an output and no input.
type use string

const (
	asInput  use = "input"  // decoded
	asOutput use = "output" // encoded
	// asReadOutput is the use of an output by a client, which decodes it.
	asReadOutput use = "output that a client reads"
)

// A fitKey is what checkUse asks of the shapes below an input or an output.
type fitKey struct {
	use          use
	checksItself bool // the input has a method Validate
}

// shapeFor returns the shape of t, whose place in the user's types is at. It always
// returns a shape; mistakes in t are noted, and a shape with a mistake is as good
// as any for going on.
func (c *shapes) shapeFor(t reflect.Type, at string) *shape {
	if s, ok := c.byType[t]; ok {
		return s
	}
	s := &shape{typ: t, strict: c.strict}
	c.byType[t] = s
	c.all = append(c.all, s)
	before, tagsBefore := len(c.list), c.tagMistakes
	c.fillShape(s, at)
	found := len(c.list) - before
	s.hasMistake = found > c.tagMistakes-tagsBefore
	// A struct with a mistake names its fields by its own type, so once is enough.
	if found > 0 && (t.Name() == "" || t.Kind() != reflect.Struct) {
		delete(c.byType, t) // its other places are to be named too
	}
	// Types with a meaning of their own in a schema, such as time.Time, are written
	// in place: as a component they would be a name for "a string".
	inPlace := s.kind == kindTime || s.kind == kindDuration || s.kind == kindRaw || s.kind == kindNumber || s.kind == kindOptional
	if t.Name() != "" && t.PkgPath() != "" && !inPlace {
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

// hasMethods reports whether a variable of type t has the methods of iface. Those
// of *t count, as in encoding/json: svc only decodes into and encodes from
// addressable values.
func hasMethods(t, iface reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(iface)
}

// fillShape decides the kind of s. The last three cases are in the order of
// encoding/json; the types before them have a form of their own, whatever methods
// they have. A method JSONSchema says more of the two kinds that have methods, and
// a method Enum says more of scalars.
func (c *shapes) fillShape(s *shape, at string) {
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
		s.kind, s.elem = kindPointer, c.elemShape(t, at, at)
	case optionalElem(t) != nil:
		s.kind = kindOptional
		if s.elem = c.shapeFor(optionalElem(t), at); s.elem.kind == kindPointer || s.elem.kind == kindOptional {
			c.addf("%s: an Optional can be null itself, so write an Optional of %v", at, s.elem.deref().typ)
		}
	case hasMethods(t, typeJSONMarshaler) || hasMethods(t, typeJSONUnmarshaler):
		s.kind = kindCustom
		c.fillCustom(s, at)
	case hasMethods(t, typeTextMarshaler) || hasMethods(t, typeTextUnmarshaler):
		s.kind = kindText
		c.fillCustom(s, at)
	default:
		c.fillKind(s, at)
	}
	if t.Kind() <= reflect.Float64 || t.Kind() == reflect.String {
		c.fillEnum(s, at)
	}
}

// fillKind decides by the Go kind of a type, for types without methods of their
// own for JSON.
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
		// As in encoding/json, a slice of bytes is base64 unless a byte writes
		// itself in another way.
		if e := t.Elem(); e.Kind() == reflect.Uint8 && !hasOwnText(e) {
			s.kind = kindBytes
			return
		}
		s.kind, s.elem = kindSlice, c.elemShape(t, at, at+"[]")
	case reflect.Array:
		s.kind, s.elem = kindArray, c.elemShape(t, at, at+"[]")
	case reflect.Map:
		s.kind, s.key, s.elem = kindMap, c.keyShape(t.Key(), at), c.elemShape(t, at, at+"[]")
	case reflect.Struct:
		if s.kind = kindObject; !c.isOpaque(t, at) {
			c.fillFields(s, at)
		}
	case reflect.Interface:
		// An output could be encoded, but no input decoded and no schema written, so
		// interfaces with methods are a mistake everywhere.
		if t.NumMethod() > 0 {
			c.addf("%s: JSON cannot say which type is in the interface %v; use a struct, or any", at, t)
		}
		s.kind = kindAny
	default:
		c.addf("%s: JSON cannot carry a %v; hide the field with `json:\"-\"` or change its type", at, t)
	}
}

// elemShape returns the shape of what is in a value of type t, which is at a place
// at and has its elements at a place in. Only a field can be absent.
func (c *shapes) elemShape(t reflect.Type, at, in string) *shape {
	s := c.shapeFor(t.Elem(), in)
	if s.kind == kindOptional {
		c.addf("%s: an Optional is for fields, since nothing in a %v is ever absent; write a *%v in its place", at, t, s.elem.typ)
	}
	return s
}

// isOpaque reports whether t is a struct that would be {} in JSON although it
// holds something, or make no sense there, and notes the mistake. It is one that
// has fields, all of them unexported. A field named _ holds nothing, and an output
// that makes the content of its MCP results itself may have no JSON.
func (c *shapes) isOpaque(t reflect.Type, at string) bool {
	if t == reflect.TypeFor[url.URL]() {
		c.addf("%s: a url.URL has no form in JSON; use a string with the tag `format:\"uri\"` and parse it in Validate", at)
		return true
	}
	fields := 0
	for i := range t.NumField() {
		f := t.Field(i)
		if _, promoted := promotedStruct(f); promoted || f.IsExported() {
			return false
		}
		if f.Name != "_" {
			fields++
		}
	}
	_, content := reflect.PointerTo(t).MethodByName("MCPContent")
	if fields == 0 || content {
		return false
	}
	c.addf("%s: %v has unexported fields only, so that JSON would never have any of them; export them, give the type MarshalText and UnmarshalText, or use a string or a struct of your own in its place", at, t)
	return true
}

// hasOwnText reports whether t has methods of its own for JSON or text.
func hasOwnText(t reflect.Type) bool {
	return hasMethods(t, typeJSONMarshaler) || hasMethods(t, typeJSONUnmarshaler) || hasMethods(t, typeTextMarshaler) || hasMethods(t, typeTextUnmarshaler)
}

// keyShape returns the shape of a map key: a string, an integer or a text. A
// string type with text methods is a text, as in encoding/json.
func (c *shapes) keyShape(t reflect.Type, at string) *shape {
	s := &shape{typ: t}
	switch {
	case t.Kind() == reflect.String && !hasMethods(t, typeTextMarshaler) && !hasMethods(t, typeTextUnmarshaler):
		s.kind = kindString
	case hasMethods(t, typeTextMarshaler) || hasMethods(t, typeTextUnmarshaler):
		s.kind = kindText
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		s.kind, s.bits = kindInt, t.Bits()
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uintptr:
		s.kind, s.bits = kindUint, t.Bits()
	default:
		c.addf("%s: a JSON object cannot have a %v as its key; use a string, an integer or a type with MarshalText and UnmarshalText", at, t)
		return s
	}
	c.fillEnum(s, at)
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

// fillCustom fills the schema of a type that writes or reads its own JSON or text.
// Only the type itself can say what that looks like, by a method JSONSchema, which
// returns JSON Schema 2020-12; without it the schema takes anything, or any string.
// The method is called once, on a zero value. It belongs to the application, so it
// may panic or return a map that is not JSON.
func (c *shapes) fillCustom(s *shape, at string) {
	d, ok := reflect.New(s.typ).Interface().(interface{ JSONSchema() map[string]any })
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.addf("%s: %v.JSONSchema panics on the zero value: %v", at, s.typ, v)
		}
	}()
	own := d.JSONSchema()
	if own == nil {
		return
	}
	text, err := json.Marshal(own)
	if err != nil {
		c.addf("%s: what %v.JSONSchema returns is not JSON: %v", at, s.typ, err)
		return
	}
	schema := readSchema(text)
	if hasReference(schema) {
		c.addf("%s: %v.JSONSchema returns a $ref or definitions for one; write the schema out in their place", at, s.typ)
	}
	if t, ok := schema["type"]; ok && s.kind == kindText && t != "string" {
		c.addf("%s: %v.JSONSchema says the type is %v, but its MarshalText and UnmarshalText make it a string", at, s.typ, t)
	}
	s.custom, s.custom30 = schema, isSchema30(schema)
}

// hasReference reports whether v, a schema or a part of one, has a $ref or definitions.
// The schema is published inside others, where #/$defs would be theirs.
func hasReference(v any) (found bool) {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, hasReference)
	case map[string]any:
		for name, value := range v {
			switch name {
			case "$ref", "$dynamicRef", "$defs", "definitions":
				found = true
			case "enum", "const", "default", "example", "examples": // values, and no schemas
			case "properties", "patternProperties", "dependentSchemas": // the names are no keywords
				schemas, _ := value.(map[string]any)
				found = found || slices.ContainsFunc(slices.Collect(maps.Values(schemas)), hasReference)
			default:
				found = found || hasReference(value)
			}
		}
	}
	return found
}

// isSchema30 reports whether a schema of JSON Schema 2020-12 says the same in
// OpenAPI 3.0.3, which has fewer keywords, no schemas true and false, no null, and
// wants the items of an array.
func isSchema30(v any) bool {
	schema, ok := v.(map[string]any)
	for name, value := range schema {
		ok = ok && isKeyword30(name, value)
	}
	return ok && (schema["type"] != "array" || schema["items"] != nil)
}

// isKeyword30 reports whether a keyword with this value means in OpenAPI 3.0.3 what
// it means in 2020-12 (OpenAPI 3.0.3, section 4.7.24).
func isKeyword30(name string, value any) bool {
	list, _ := value.([]any)
	object, _ := value.(map[string]any)
	switch name {
	case "title", "description", "format", "default", "example", "deprecated", "readOnly", "writeOnly", "nullable", "externalDocs",
		"enum", "multipleOf", "minimum", "maximum", "minLength", "maxLength", "pattern",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required":
		return true
	case "type":
		_, one := value.(string)
		return one && value != "null"
	case "items", "not":
		return isSchema30(value)
	case "additionalProperties":
		_, plain := value.(bool)
		return plain || isSchema30(value)
	case "allOf", "anyOf", "oneOf":
		return !slices.ContainsFunc(list, func(v any) bool { return !isSchema30(v) })
	case "properties":
		return !slices.ContainsFunc(slices.Collect(maps.Values(object)), func(v any) bool { return !isSchema30(v) })
	}
	return strings.HasPrefix(name, "x-")
}

// checkUse notes the mistakes that make the shapes below s unfit for a use: a type
// that can be written but not read has a schema that no input could be held to. One
// look at a type is enough, but of a mistake each method is told that uses it.
func (c *shapes) checkUse(s *shape, u use, at string) {
	key := fitKey{u, reflect.PointerTo(s.typ).Implements(reflect.TypeFor[interface{ Validate() error }]())}
	if c.fit[key] == nil || len(c.list) > 0 {
		c.fit[key] = make(map[*shape]bool)
	}
	s.walk(at, c.fit[key], func(s *shape, at string) {
		var need reflect.Type
		var method string
		switch {
		case s.kind == kindObject && u == asInput:
			c.checkForeignTags(s, key.checksItself)
			c.checkValidate(s.typ, at)
			return
		case s.kind == kindCustom && u != asOutput && !hasMethods(s.typ, typeJSONUnmarshaler):
			need, method = typeJSONMarshaler, "UnmarshalJSON"
		case s.kind == kindText && u != asOutput && !hasMethods(s.typ, typeTextUnmarshaler):
			need, method = typeTextMarshaler, "UnmarshalText"
		case s.kind == kindText && u == asOutput && !hasMethods(s.typ, typeTextMarshaler):
			need, method = typeTextUnmarshaler, "MarshalText"
		case s.kind == kindCustom && u != asOutput:
			c.checkReceiver(s.typ, "UnmarshalJSON", at)
			return
		case s.kind == kindText && u != asOutput:
			c.checkReceiver(s.typ, "UnmarshalText", at)
			return
		default:
			return
		}
		c.addf("%s: %v has %s but not %s, so it cannot be part of an %s", at, s.typ, need.Method(0).Name, method, u)
	})
}

// checkReceiver notes a method that reads JSON or text into a copy of the value, which
// is lost. A method that is promoted from an embedded field has another receiver.
func (c *shapes) checkReceiver(t reflect.Type, name, at string) {
	if _, ok := t.MethodByName(name); ok && !promotesMethod(t, name) {
		c.addf("%s: %v.%s sets a copy of the value, since its receiver is no pointer; write func (x *%s) %s", at, t, name, t.Name(), name)
	}
}

// promotesMethod reports whether t is a struct that has a method by an embedded field.
func promotesMethod(t reflect.Type, name string) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if _, ok := f.Type.MethodByName(name); ok && f.Anonymous {
			return true
		}
	}
	return false
}

// finishShapes names the types and finds those that contain themselves. It is called
// once, when all types of the service are known.
func (c *shapes) finishShapes() {
	for _, cycle := range findCycles(c.all, func(p part) *shape { return p.shape }) {
		c.markCycle(cycle)
	}
	// A type that must contain itself has no value that ends.
	if endless := findEndless(c.all); len(endless) > 0 {
		mustLead := func(p part) *shape {
			if e := p.field.needed(); endless[e] {
				return e
			}
			return nil
		}
		for _, cycle := range findCycles(c.all, mustLead) {
			for _, s := range cycle {
				s.hasMistake = true
				c.addf("%v must contain itself, so that no value is finite; make a field on the way optional (omitempty) or a pointer", s.typ)
			}
		}
	}
	for s, name := range nameTypes(c.named) {
		s.name = name
	}
}

// markCycle marks shapes that contain one another. They need names in schemas, to be
// referred to, even if they have none in Go; only structs have any.
func (c *shapes) markCycle(cycle []*shape) {
	inStruct := slices.ContainsFunc(cycle, func(s *shape) bool { return s.fields != nil })
	for _, s := range cycle {
		if !inStruct {
			s.hasMistake = true
			c.addf("%v contains itself without a struct in between, which no schema can say; put a struct around it", s.typ)
		}
		if s.recursive = s.fields != nil; s.recursive && s.typ.Name() == "" && !slices.Contains(c.named, s) {
			c.named = append(c.named, s)
		}
	}
}

// isSound reports whether nothing is wrong with s and the shapes below it. Only then
// can a default be decoded and a plan be made. A method without an input or an output
// has nil there.
func (s *shape) isSound() bool {
	return s == nil || !s.reaches(func(s *shape) bool { return s.hasMistake })
}

// A field is one member of an object, or a value that only a path, a query, a
// header or a cookie gives. Its tags become these fields:
//
//	json:"name,omitempty"    name, tagged; optional, omit
//	json:",omitzero"         optional, omit
//	json:",string"           quoted, for strings, booleans and numbers
//	json:"-"                 hidden, and no field at all without a tag of the next four
//	path:"id"                path, and name if json has none
//	query:"tag,omitempty"    query, and name if json and path have none; optional
//	header:"X,omitempty"     header, and name if the others have none; optional
//	cookie:"x,omitempty"     cookie, and name if the others have none; optional
//	mcpheader:"Region"       mcpHeader
//	default, example         def, example: strings as they are, all else as JSON
//	doc, format              doc, format
//	minLength, enum, …       rules, by the table ruleTags, or rules of the items
//
// Without a name in any tag the name is that of the Go field. A default makes an
// input's field optional, and so does an embedded pointer before it.
type field struct {
	goName string // for messages to the service's author
	place  string // likewise: the type and goName
	name   string // the wire name, on every transport
	token  string // the name as a reference token of a JSON Pointer
	prefix string // what is before its value in an object: `,"name":`
	index  []int  // as for reflect.Value.FieldByIndex
	shape  *shape

	tagged   bool // the wire name was given in a json tag
	hidden   bool // json:"-": no member of an object; only a tag of another place names it
	quoted   bool // json:",string"
	optional bool // absence is no mistake
	omit     omission

	path      string // the placeholder of the route that it fills
	query     string // the query parameter that it fills
	header    string // the request header that it takes
	cookie    string // the cookie that it takes
	mcpHeader string // the x-mcp-header that mirrors it

	rules   ruleSet // constraints; those of the items of a list are in its shape
	def     []byte  // the default, as JSON; nil if there is none
	format  string  // replaces that of the type
	doc     string
	example []byte // as JSON; nil if there is none
	tag     reflect.StructTag
}

// omission says when the encoder leaves a field out: never if it is zero, or
// where one of the conditions that it has holds.
type omission uint8

const (
	omitEmpty omission = 1 << iota // by encoding/json's rule for omitempty
	omitZero                       // by its rule for omitzero
)

// isBound reports whether a tag names a place of its own for the field.
func (f *field) isBound() bool {
	return f.path != "" || f.query != "" || f.header != "" || f.cookie != ""
}

// isNameless reports whether no JSON object can have the field, on no transport: it
// is not a member, and headers and cookies are there over REST alone. Its name is
// for messages then.
func (f *field) isNameless() bool { return f.hidden && f.path == "" && f.query == "" }

// isRequired reports whether an input must have the field.
func (f *field) isRequired() bool { return !f.optional && f.def == nil }

// fillFields gives s its fields: all that could be members, without those that
// encoding/json would hide. Two fields of one name are looked for before that,
// since afterwards they are gone; without them only promoted fields can be hidden.
func (c *shapes) fillFields(s *shape, at string) {
	if s.typ.Name() != "" {
		at = s.typ.String() // from here on, fields are named by their own type
	}
	all := c.collectFields(s.typ, at)
	c.checkClashes(all, at)
	if s.fields = all; len(c.list) > 0 || slices.ContainsFunc(all, func(f *field) bool { return len(f.index) > 1 }) {
		s.fields = dominantFields(all)
	}
	c.checkNames(s.fields, at)
}

// A level is a struct whose fields are promoted to the one being walked.
type level struct {
	typ      reflect.Type
	index    []int
	optional bool // behind a pointer, which may be nil
}

// collectFields returns every field of t that could be a member, breadth first: the
// fields of t, then those of the structs it embeds, and so on. A struct is walked
// on one level only: deeper down its fields would lose to those, and a struct that
// embeds itself by a pointer would have no end.
func (c *shapes) collectFields(t reflect.Type, at string) []*field {
	var all []*field
	visited := make(map[reflect.Type]bool)
	for current := []level{{typ: t}}; len(current) > 0; {
		for _, l := range current {
			visited[l.typ] = true
		}
		var next []level
		for _, l := range current {
			for i := range l.typ.NumField() {
				sf := l.typ.Field(i)
				index := sf.Index
				if l.index != nil {
					index = append(slices.Clone(l.index), i)
				}
				if e, ok := c.embeddedStruct(sf, at); ok {
					if !visited[e.typ] {
						next = append(next, level{e.typ, index, l.optional || e.optional})
					}
					continue
				}
				if f := c.fieldFor(sf, index, l.optional, at); f != nil {
					all = append(all, f)
				}
			}
		}
		current = next
	}
	return all
}

// embeddedStruct is like promotedStruct, and also notes mistakes. The fields of an
// embedded pointer are optional.
func (c *shapes) embeddedStruct(sf reflect.StructField, at string) (level, bool) {
	t, ok := promotedStruct(sf)
	pointer := sf.Type.Kind() == reflect.Pointer
	if ok && pointer && !sf.IsExported() {
		c.addf("%s.%s: an embedded pointer to an unexported struct cannot be set; embed the struct itself", at, sf.Name)
	}
	return level{typ: t, optional: pointer}, ok
}

// promotedStruct returns the struct whose fields sf promotes, if it does: one that
// is embedded, by itself or by a pointer, has no json name and no methods of its
// own for JSON or text. Other embedded types are members with the name of the type.
func promotedStruct(sf reflect.StructField) (reflect.Type, bool) {
	if !sf.Anonymous {
		return nil, false
	}
	if name, _ := parseJSONTag(sf.Tag.Get("json")); name != "" || sf.Tag.Get("json") == "-" {
		return nil, false
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, t.Kind() == reflect.Struct && t != typeTime && !hasOwnText(t)
}

// fieldFor returns the member that sf is, or nil if it is none. Unexported fields
// are none, as are those with json:"-" that no other tag names. index leads to sf
// from the struct being walked, which at names, and optional says that a pointer is
// on the way.
func (c *shapes) fieldFor(sf reflect.StructField, index []int, optional bool, at string) *field {
	tag := sf.Tag
	jsonTag := tagText(tag, "json")
	if jsonTag != "" && strings.Count(string(tag), `:"`) == 1 {
		tag = "" // nothing else is in it
	}
	name, jsonOptions := parseJSONTag(jsonTag)
	if !sf.IsExported() {
		// An embedded unexported struct without a name has been walked by
		// collectFields.
		if sf.Anonymous && name != "" {
			c.addf("%s.%s: a field that is embedded and of an unexported type cannot have a JSON name; write a name before the type", at, sf.Name)
		}
		return nil
	}
	f := &field{
		goName:    sf.Name,
		tag:       tag,
		index:     index,
		path:      tagText(tag, "path"),
		mcpHeader: tagText(tag, "mcpheader"),
		hidden:    jsonTag == "-",
		optional:  optional,
	}
	var queryOptions, headerOptions, cookieOptions string
	f.query, queryOptions, _ = strings.Cut(tagText(tag, "query"), ",")
	f.header, headerOptions, _ = strings.Cut(tagText(tag, "header"), ",")
	f.cookie, cookieOptions, _ = strings.Cut(tagText(tag, "cookie"), ",")
	if f.hidden && !f.isBound() {
		return nil
	}
	f.name = cmp.Or(f.path, f.query, f.header, f.cookie, sf.Name)
	if name != "" && !f.hidden {
		f.name, f.tagged = name, true
	}
	f.token = pointerToken(f.name)
	f.prefix = string(append(appendQuoted(append(make([]byte, 0, 64), ','), f.name), ':'))
	at += "." + sf.Name
	f.place = at
	f.shape = c.shapeFor(sf.Type, at)
	if f.shape.kind == kindOptional && (f.hidden || !hasOption(jsonOptions, "omitzero")) {
		c.addf("%s: an Optional may be absent, which only omitzero leaves out, or null, which only JSON has: write `json:\"%s,omitzero\"`, and no tag for another place", at, f.name)
	}
	c.applyOptions(f, jsonOptions)
	others := queryOptions + "," + headerOptions + "," + cookieOptions
	f.optional = f.optional || hasOption(others, "omitempty") || hasOption(others, "omitzero")
	before := len(c.list)
	c.applyTags(f, tag, at)
	c.tagMistakes += len(c.list) - before
	return f
}

// applyOptions applies the options that follow the name in a json tag. Those that mean
// nothing to encoding/json are passed over, as it does.
func (c *shapes) applyOptions(f *field, options string) {
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "omitempty":
			f.optional, f.omit = true, f.omit|omitEmpty
		case "omitzero":
			f.optional, f.omit = true, f.omit|omitZero
		case "string":
			f.quoted = f.shape.canBeQuoted()
			if target := f.shape.deref(); f.quoted && target.isEnum {
				c.addf("%s: `json:\",string\"` makes this a string, which is none that %v.Enum returns; drop the option", f.place, target.typ)
			}
		}
	}
}

// canBeQuoted reports whether the option string of a json tag means anything to
// a field of shape s. As in encoding/json, one pointer may be before the scalar.
func (s *shape) canBeQuoted() bool {
	if s.kind == kindPointer {
		s = s.elem
	}
	return s.kind == kindString || s.kind == kindBool || s.kind.isNumeric()
}

// hasOption reports whether an option is among those of a tag.
func hasOption(options, option string) bool {
	return strings.Contains(","+options+",", ","+option+",")
}

// parseJSONTag splits a tag into its name and the options, which have commas between
// them. A name that encoding/json would not take counts as none.
func parseJSONTag(tag string) (name, options string) {
	name, options, _ = strings.Cut(tag, ",")
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return "", options
		}
	}
	return name, options
}

// dominantFields drops the fields that encoding/json would: of those with one name,
// the least nested wins, then the tagged; if that leaves two, neither is seen.
// The rest are in the order of their declaration, as encoding/json writes them.
// Losers are not reported here: hiding a promoted field is a feature of Go.
func dominantFields(all []*field) []*field {
	byName := make(map[string][]*field)
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	var out []*field
	for _, f := range all {
		rivals := byName[f.name]
		if !slices.ContainsFunc(rivals, func(r *field) bool { return r != f && !hidesField(f, r) }) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *field) int { return slices.Compare(a.index, b.index) })
	return out
}

// hidesField reports whether a wins over b, which has the same name.
func hidesField(a, b *field) bool {
	if len(a.index) != len(b.index) {
		return len(a.index) < len(b.index)
	}
	return a.tagged && !b.tagged
}

// checkClashes notes two fields of one name where encoding/json would hide both
// without a word, or knows nothing of the tag that names them. Both are declared
// in the struct itself, or neither hides the other and one has a tag of another
// place.
func (c *shapes) checkClashes(all []*field, at string) {
	for i, f := range all {
		for _, other := range all[:i] {
			declared := len(f.index) == 1 && len(other.index) == 1
			bound := f.isBound() || other.isBound()
			switch {
			case !declared && !(bound && !hidesField(f, other) && !hidesField(other, f)):
			case f.name == other.name:
				c.addf("%s: the fields %s and %s have the same name %q; rename one", at, other.goName, f.goName, f.name)
			case f.path != "" && f.path == other.path:
				c.addf("%s: the fields %s and %s have the same path name %q; rename one", at, other.goName, f.goName, f.path)
			case f.query != "" && f.query == other.query:
				c.addf("%s: the fields %s and %s have the same query name %q; rename one", at, other.goName, f.goName, f.query)
			}
		}
	}
}

// checkNames notes names that differ only by case. svc treats them as two names;
// many clients and generators treat them as one. Folding by upper case and then by
// lower case also finds letters with two forms, such as the long s.
func (c *shapes) checkNames(fields []*field, at string) {
	byFold := make(map[string]*field)
	for _, f := range fields {
		if f.isNameless() {
			continue
		}
		fold := strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, f.name)
		if other := byFold[fold]; other != nil {
			c.addf("%s: the fields %s and %s have the names %q and %q, which differ only by case; rename one", at, other.goName, f.goName, other.name, f.name)
		}
		byFold[fold] = f
	}
}

// settableIn returns the field of the struct v, making the embedded structs on the way
// that are behind nil pointers.
func (f *field) settableIn(v reflect.Value) reflect.Value {
	v = v.Field(f.index[0])
	for _, i := range f.index[1:] {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// valueIn returns the field of the struct v, if no nil pointer is on the way.
func (f *field) valueIn(v reflect.Value) (reflect.Value, bool) { return followIndex(v, f.index) }

// followIndex follows index from the struct v; the result is the struct or field
// there, and not a pointer on the way to it.
func followIndex(v reflect.Value, index []int) (reflect.Value, bool) {
	for n, i := range index {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// findEndless returns the objects that have no finite value, since all their values
// contain others of these objects.
func findEndless(all []*shape) map[*shape]bool {
	endless := make(map[*shape]bool)
	for _, s := range all {
		if s.kind == kindObject && slices.ContainsFunc(s.fields, func(f *field) bool { return f.needed() != nil }) {
			endless[s] = true
		}
	}
	// Parts come after the whole in all, so that one round is enough for most services.
	for before := -1; before != len(endless); {
		before = len(endless)
		for _, s := range slices.Backward(all) {
			if endless[s] && !s.isEndless(endless) {
				delete(endless, s)
			}
		}
	}
	return endless
}

// A cycleFinder finds the strongly connected components of the graph whose nodes
// are shapes and whose edges lead to their parts (R. Tarjan, Depth-first search and
// linear graph algorithms, 1972). It looks at every shape once: a service may
// have thousands, of which most contain others.
//
// Invariants:
//
//	order numbers the shapes from 1 as they are met; those whose component is known
//	  have the greatest number
//	open holds those whose component is not known yet, in that order
type cycleFinder struct {
	follow func(part) *shape // the shape that an edge leads to; nil for no edge
	order  map[*shape]int
	open   []*shape
	cycles [][]*shape
}

// findCycles returns the groups of shapes of which each leads to all others and to
// itself, by the edges that follow returns.
func findCycles(all []*shape, follow func(part) *shape) [][]*shape {
	c := &cycleFinder{follow: follow, order: make(map[*shape]int, len(all))}
	for _, s := range all {
		if s.hasParts() && c.order[s] == 0 {
			c.visitShape(s)
		}
	}
	return c.cycles
}

// visitShape walks everything below s and returns the number of the first shape that
// is in a cycle with it: that of s itself if there is none before s.
func (c *cycleFinder) visitShape(s *shape) int {
	number, start, self := len(c.order)+1, len(c.open), false
	c.order[s] = number
	c.open = append(c.open, s)
	first := number
	for p := range s.parts {
		e := c.follow(p)
		if e == nil || !e.hasParts() {
			continue
		}
		self = self || e == s
		reached := c.order[e]
		if reached == 0 {
			reached = c.visitShape(e)
		}
		first = min(first, reached)
	}
	// Nothing below s leads back to before it: the component of s is s and what is
	// still open behind it, and it is complete.
	if first == number {
		component := c.open[start:]
		for _, e := range component {
			c.order[e] = math.MaxInt
		}
		if self || len(component) > 1 {
			c.cycles = append(c.cycles, slices.Clone(component))
		}
		c.open = c.open[:start]
	}
	return first
}

// arrayItem returns the shape of the items of an array, of their items if they are
// arrays too, and so on, and s if it is no array or has no items.
func (s *shape) arrayItem() *shape {
	for s.kind == kindArray && s.typ.Len() > 0 {
		s = s.elem
	}
	return s
}

// compileOnce returns the plan of s, which it compiles if plans has none. A shape
// that contains itself is met again while it is being compiled: plans then has a
// pointer to nil, and the shape gets a function that looks the finished plan up
// when it is called.
func compileOnce[F ~func(*C, reflect.Value), C any](plans map[*shape]*F, s *shape, compile func(*shape) F) F {
	if fn, ok := plans[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(c *C, v reflect.Value) { (*fn)(c, v) }
	}
	fn := new(F)
	plans[s] = fn
	*fn = compile(s)
	return *fn
}

// nameTypes gives every type the name it has in documents: its Go name with the
// names of its type arguments, or Type if it has no name in Go. The second type of
// a name gets its package's name in front, and a number if that is taken too.
// Names that differ only by case count as one, since many generators write both to
// the same file.
func nameTypes(named []*shape) map[*shape]string {
	names := make(map[*shape]string)
	byType := make(map[reflect.Type]string) // two services may both have made a shape of a type
	taken := make(map[string]bool)
	take := func(name string) bool {
		fold := strings.ToLower(name)
		free := !taken[fold]
		taken[fold] = true
		return free
	}
	for _, s := range named {
		name, known := byType[s.typ]
		if !known {
			name = documentName(s.typ.Name())
			if !take(name) {
				name = takeQualified(s.typ.PkgPath(), name, take)
			}
			byType[s.typ] = name
		}
		names[s] = name
	}
	return names
}

// takeQualified takes the name of a type with that of its package in front, and with
// a number behind if that is taken too.
func takeQualified(pkg, name string, take func(string) bool) string {
	base := name
	if pkg != "" { // a struct without a name is of no package
		base = capitalized(documentName(pkg[strings.LastIndexByte(pkg, '/')+1:])) + name
	}
	name = base
	for i := 2; !take(name); i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// documentName turns a Go type name into one that OpenAPI allows
// (^[A-Za-z0-9._-]+$; we use letters and digits): Page[app.Todo] to PageTodo.
func documentName(goName string) string {
	name, args, generic := strings.Cut(goName, "[")
	out := onlyNameBytes(name)
	if generic {
		for _, arg := range strings.FieldsFunc(args, func(r rune) bool { return strings.ContainsRune("[],* ", r) }) {
			arg = arg[strings.LastIndexByte(arg, '/')+1:]
			arg = arg[strings.LastIndexByte(arg, '.')+1:]
			out += capitalized(onlyNameBytes(arg))
		}
	}
	return cmp.Or(out, "Type")
}

// isNameRune reports whether r is an ASCII letter, a digit or an underscore.
func isNameRune(r rune) bool {
	return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '_'
}

// onlyNameBytes returns the ASCII letters, digits and underscores of s.
func onlyNameBytes(s string) string {
	return strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return -1
	}, s)
}

// capitalized returns s with its first byte, which is ASCII, in upper case.
func capitalized(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
