package svc

// This file describes the JSON of Go types by shapes. The decoder, the binder, the
// encoder and every published schema are made from shapes, so they cannot disagree.
//
// These words are used here and in the files that build on this one:
//
//	part         a shape inside a shape, such as the items of a list
//	union        an object whose discriminator says which other members it has; one by JSON
//	             type is a value whose type says which alternative it is (type_bytype.go)
//	alternative  one form of a union, a separate object with all members of this form
//	form         an alternative of a union; any other object is its own form
//	component    a schema that documents have once, under a name, and refer to
//	plan         the functions that decode, bind or encode values of a type
//
// In this order: shapes and their kinds; their parts, and the walks over them; the fields
// of structs; rules; Optional; the mistakes of a registration; methods of types.
//
// type_rules.go reads the constraint tags, type_fields.go turns types into shapes, and
// schema.go writes them as JSON Schema. Each uses only the files before it.
//
// CONTRIBUTING.md describes how to add a kind of type or a rule.

import (
	"bufio"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A shape describes the JSON of one Go type. shapes.shapeFor makes it and finishShapes
// completes it. After that many goroutines read it, and nothing changes it.
//
// Invariants:
//
//	elem is set for pointers, Optionals, slices, arrays and maps; key for maps
//	fields is set for objects, in the order of the JSON members, and for unions by JSON type,
//	  whose alternatives they are
//	alternatives is set for unions, which are objects. The first of their fields is
//	  the discriminator; each alternative is an object of the same Go type, whose
//	  fields are the union's and then its own, as if its struct were embedded
//	file is set for every shape of kindFile, and for inputs that have a Body
//	bits is set for integers and floats, also where they are the key of a map
//	custom is set for those types of kindCustom and kindText that have a method
//	  JSONSchema
//	rules are set by a method Enum, for all values of the type; isEnum is set then. Tags
//	  of a field set them too, in a copy of the shape that only this field uses. They
//	  are about scalars, slices and arrays, never about a pointer or an Optional:
//	  null breaks no rule. format is set by a tag only
//	name is set for named types and for structs without a name that contain
//	  themselves. It is unique among the shapes of one compile pass, even if case is
//	  ignored
//	a type has one shape in a compile pass, besides those copies. It is registered
//	  before its parts are walked, so the walk through a type that contains itself ends
type shape struct {
	typ    reflect.Type
	kind   shapeKind
	bits   int // of machine integers and kindFloat
	elem   *shape
	key    *shape
	fields []*field
	name   string

	alternatives []*shape // of a union, in the order of the source
	alternative           // zero unless the shape is an alternative of a union
	constraints           // on the values

	typeTexts                // from the comment of the type
	custom    map[string]any // what JSONSchema returned, read back from its JSON
	example   string         // of a text, by the tag of the field or JSONSchema; for messages
	file      *field         // the Body of an input, or the File of an output; it is not in fields

	recursive  bool // an object that can contain itself
	strict     bool // an object that allows no properties but its own, or a union by JSON type in a strict service
	hasMistake bool // compilation noted a mistake in it, so it gets no plan

	validates bool    // a struct in its values has a Validate method to call; see valueCheck
	ruled     bool    // rules apply to or below its values, or they may be too deep
	hooks     [][]int // of a struct: by hooksOf
}

// An alternative identifies a shape as one alternative of a union. For
//
//	Card *Card `variant:"card"`
//
// the shape of the alternative has the type of the union, the fields of the union and of
// Card, and alternative{value: "card", own: Card, suffix: "Card"}, with the index of the Go
// field.
type alternative struct {
	value  string       // of the discriminator
	index  int          // of the Go field, a pointer to own
	own    reflect.Type // the struct
	suffix string       // the name of the Go field; documents put it behind the name of the union
}

// Constraints say which values of a Go type are allowed. The shape of a type has the constraints of
// its Enum method; a field with tags has a copy of the shape with its own.
type constraints struct {
	rules      ruleSet
	format     string      // replaces the format of the type
	valueTexts []valueText // of the values of Enum; nil if no comment and no method EnumTitles says anything
	isEnum     bool        // the type has a method Enum and is a component of documents
}

// A valueText says what one value of an enum means. For
//
//	Red Color = "r" // Red is the color of fire. It is warm.
//
// the title is "Red is the color of fire", for forms, and about is the whole comment.
type valueText struct {
	title string
	about prose
}

// A shapeKind says how values of a type are written in JSON. The order matters: the JSON
// of kindAny to kindCustom may be of any type, so their schema is empty unless a method
// JSONSchema returns one.
type shapeKind uint8

const (
	kindAny      shapeKind = iota // any JSON value, as an any
	kindRaw                       // any JSON value, as its text
	kindCustom                    // MarshalJSON or UnmarshalJSON
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
	kindOptional // an Optional, which is only allowed as the type of a field
	kindSlice
	kindArray
	kindMap
	kindObject
	kindByType // one of several JSON types, which says which alternative it is; see type_bytype.go
	kindFile   // a Body, a File, or a struct that embeds a File; it is not JSON
)

// kindTypes has the JSON type of each kind, as JSON Schema names it. It is "" for kinds that may
// have any type, and for pointers and Optionals, which have the type of their element.
var kindTypes = [...]string{
	kindText: "string", kindTime: "string", kindDuration: "string", kindBytes: "string", kindString: "string",
	kindBool: "boolean", kindInt: "integer", kindUint: "integer", kindFloat: "number", kindNumber: "number",
	kindSlice: "array", kindArray: "array", kindMap: "object", kindObject: "object", kindByType: "", kindFile: "",
}

// kindFormats has the formats of kinds with a fixed format.
var kindFormats = [kindFile + 1]string{kindTime: "date-time", kindBytes: "byte", kindFile: "binary"}

// isInteger reports whether values are JSON integers.
func (k shapeKind) isInteger() bool { return kindTypes[k] == "integer" }

// isMachineInteger reports whether values are integers of shape.bits bits, so that the
// methods Int or Uint of reflect.Value return them, and schemas have a format and bounds.
func (k shapeKind) isMachineInteger() bool { return k == kindInt || k == kindUint }

// isNumeric reports whether values are JSON numbers. Rules about numbers fit only
// some of them; see isBoundable.
func (k shapeKind) isNumeric() bool { return k.isInteger() || kindTypes[k] == "number" }

// isStringy reports whether values are JSON strings. Rules about strings fit only
// some of them; see isString.
func (k shapeKind) isStringy() bool { return kindTypes[k] == "string" }

// isScalar reports whether a value can be the text of a parameter. A type with UnmarshalJSON is not
// a scalar, because it expects JSON, and the text in a URL is not JSON.
func (k shapeKind) isScalar() bool { return k == kindBool || k.isNumeric() || k.isStringy() }

// takesNull reports whether null is a value.
func (k shapeKind) takesNull() bool {
	return k <= kindCustom || k == kindPointer || k == kindOptional
}

// A part is a shape inside a shape: the target of a pointer, an item, a map key, the type of a
// field, or an alternative.
type part struct {
	shape *shape
	field *field // set if the part is the type of a field
	in    string // without a field: the end of its place in messages, such as "[]" for items
}

// parts calls yield for each part of s, in the order of the source. All walks over shapes
// use it, so a new kind of type with parts needs a case here.
func (s *shape) parts(yield func(part) bool) {
	switch s.kind {
	case kindPointer, kindOptional:
		yield(part{shape: s.elem})
	case kindSlice, kindArray:
		yield(part{shape: s.elem, in: "[]"})
	case kindMap:
		_ = yield(part{shape: s.key, in: " key"}) && yield(part{shape: s.elem, in: "[]"})
	case kindObject, kindByType, kindFile:
		for _, f := range s.fields {
			if !yield(part{shape: f.shape, field: f}) {
				return
			}
		}
		for _, a := range s.alternatives {
			if !yield(part{shape: a}) {
				return
			}
		}
	}
}

// hasParts reports whether s has parts. Most types have none.
func (s *shape) hasParts() bool { return s.elem != nil || s.fields != nil }

// neededObject returns the object or the union that each value of f contains: f itself, or the
// elements of a list or a map that cannot be empty. It returns nil if a value may contain no
// object. With
//
//	type Node struct {
//		Kids []Node `json:"kids" minItems:"1"`
//	}
//
// a Node needs a Node in its Kids, which needs a Node too, and so on.
func (f *field) neededObject() *shape {
	inner := f.shape
	if least := inner.rules.lookup(roleLeast); least != nil && least.count > 0 && inner.elem != nil {
		inner = inner.elem
	}
	if inner = inner.arrayItem(); inner.kind != kindObject && inner.kind != kindByType || !f.isRequired() {
		return nil
	}
	return inner
}

// A placeText is a place in messages, which is made into a text only for a mistake. outer is
// nil for the first one, whose name is the whole text.
type placeText struct {
	outer *placeText
	name  string
	part  part
}

// String returns the place, such as app.Todo.Owner.
func (p *placeText) String() string {
	switch {
	case p.outer == nil:
		return p.name
	case p.part.field != nil:
		return p.outer.String() + "." + p.part.field.goName
	}
	return p.outer.String() + p.part.in
}

// withFields returns a copy of the object s with these fields instead of its own, such as for the
// body of a request if other fields come from the path. In a union, the discriminator must be the
// first of fields, and the alternatives keep the members that only they have. For fields = type,
// cents:
//
//	                        in s                     in the copy
//	the union               type, cents, id          type, cents
//	its alternative card    type, cents, id, number  type, cents, number
func (s *shape) withFields(fields []*field) *shape {
	part := *s
	part.fields, part.alternatives = fields, nil
	for _, a := range s.alternatives {
		part.alternatives = append(part.alternatives, a.withFields(slices.Concat(a.fields[:1], fields[1:], a.fields[len(s.fields):])))
	}
	return &part
}

// forms returns the alternatives of the object s, or s itself if it is not a union.
func (s *shape) forms() []*shape {
	if s.alternatives == nil {
		return []*shape{s}
	}
	return s.alternatives
}

// compileForms calls compile for each form of the object s and returns a plan of s. The plan of a
// union runs the plan of the alternative that is set. It calls refuse if not exactly one is set, or
// if the discriminator is neither empty nor names the alternative. The error is for the author of
// the program.
func compileForms[F ~func(*C, reflect.Value), C any](s *shape, compile func(*shape) F, refuse func(*C, error)) F {
	if s.alternatives == nil {
		return compile(s)
	}
	var plans []F
	for _, a := range s.alternatives {
		plans = append(plans, compile(a))
	}
	return func(c *C, v reflect.Value) {
		form, err := s.formOf(v)
		if err != nil {
			refuse(c, err)
			return
		}
		plans[slices.Index(s.alternatives, form)](c, v)
	}
}

// formOf returns the form of the value v of the object s: the alternative of a union that is set.
func (s *shape) formOf(v reflect.Value) (form *shape, err error) {
	if s.alternatives == nil {
		return s, nil
	}
	set, says := 0, v.Field(s.fields[0].index[0]).String()
	for _, a := range s.alternatives { // does not stop at the first that is set, to find a second one
		if !v.Field(a.index).IsNil() {
			set++
			form = a
		}
	}
	if set != 1 || says != "" && says != form.value {
		return nil, fmt.Errorf("a %v with %d of its alternatives set, and the discriminator %q; set one, and leave %s empty", s.typ,
			set, says, s.fields[0].goName)
	}
	return form, nil
}

// walk calls visit once for s and each shape below it that is not in done, and adds them to done.
// at is the place of s in messages. A shape that is reached in several ways has the place where it
// was found first.
func (s *shape) walk(at *placeText, done map[*shape]bool, visit func(s *shape, at *placeText)) {
	if done[s] {
		return
	}
	done[s] = true
	visit(s, at)
	for p := range s.parts {
		if !done[p.shape] { // also tested by walk, but here before there is a new place
			p.shape.walk(&placeText{outer: at, part: p}, done, visit)
		}
	}
}

// closeObjects makes the objects at and below s strict, except for shapes in done: they
// then allow no properties but their own.
func (s *shape) closeObjects(done map[*shape]bool) {
	s.walk(nil, done, func(s *shape, _ *placeText) { s.strict = s.kind == kindObject || s.kind == kindByType })
}

// reaches reports whether fits returns true for s or a shape below it. It adds the visited shapes
// to done.
func (s *shape) reaches(done map[*shape]bool, fits func(*shape) bool) bool {
	if fits(s) {
		return true
	}
	if done[s] || !s.hasParts() {
		return false
	}
	done[s] = true
	for p := range s.parts {
		if p.shape.reaches(done, fits) {
			return true
		}
	}
	return false
}

// isSound reports whether s and the shapes below it have no mistakes. Only then can a
// default be decoded and a plan be made. s is nil for a method without an input or an
// output.
func (s *shape) isSound() bool {
	return s == nil || !s.reaches(make(map[*shape]bool), func(s *shape) bool { return s.hasMistake })
}

// isSound is shape.isSound, but faster if no mistakes were found at all.
func (p *mistakes) isSound(s *shape) bool { return len(p.list) == 0 || s.isSound() }

// deref follows pointers and Optionals from s to the shape of the values that are not null.
func (s *shape) deref() *shape {
	for n := 0; n < 100 && (s.kind == kindPointer || s.kind == kindOptional); n++ { // a type P *P would never end; finishShapes notes it
		s = s.elem
	}
	return s
}

// isComponent reports whether documents may list s as a component, with the text of the type.
func (s *shape) isComponent() bool { return s.kind == kindObject || s.kind == kindByType || s.isEnum }

// arrayItem returns the innermost element of s, an array: T for [2][3]T. It returns s if it is not
// an array or has no items.
func (s *shape) arrayItem() *shape {
	for s.kind == kindArray && s.typ.Len() > 0 {
		s = s.elem
	}
	return s
}

// An entry is one member of a map.
type entry[V any] struct {
	name  string
	value V
}

// keyText returns the member name of a map key of shape s.
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

// compileOnce returns the plan of s, and compiles it if plans does not have it. If s contains
// itself, compile calls compileOnce for s again before the plan is ready: plans then has a pointer
// to a nil plan, and compileOnce returns a function that follows the pointer when it is called.
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

// A field is one member of an object, or a value that only a path, a query, a
// header or a cookie gives. Its tags become these fields:
//
//	json:"name,omitempty"    name, tagged; optional, omit
//	json:",omitzero"         optional, omit
//	json:",string"           quoted, for numbers
//	json:"-"                 hidden, dropped without one of the next four tags
//	path:"id"                path, and name if json has none
//	query:"tag,omitempty"    query, and name if json and path have none; optional
//	header:"X,omitempty"     header, and name if the others have none; optional
//	cookie:"x,omitempty"     cookie, and name if the others have none; optional
//	mcpheader:"Region"       mcpHeader
//	discriminator:"true"     discriminates
//	default, example         def, example: strings verbatim, all other values as JSON
//	doc                      doc; without the tag, the comment of the field
//	format                   the format of the shape
//	patternHint              the message of the pattern, and doc
//	nullable:"false"         notNull
//	idempotency:"-"          unkeyed, for a field of an input
//	minLength, enum, …       rules of the shape, by the table ruleRows, or of the items
//
// If no tag gives a name, the field has its Go name. A default makes an input's field optional, and
// so does an embedded pointer before it.
type field struct {
	goName string // for messages to the service's author
	place  string // likewise: the type and goName
	index  []int  // as for reflect.Value.FieldByIndex
	tag    reflect.StructTag
	shape  *shape
	hides  []*field  // with its name in embedded structs; see checkHidden
	tags   *fileTags // of a Body or a File

	fieldName
	fieldSources
	fieldTexts

	hidden   bool // json:"-": not a member of an object; only a tag such as path names it
	quoted   bool // json:",string"
	optional bool // it may be absent
	notNull  bool // it must not be null, although its type allows it
	unkeyed  bool // idempotency:"-": it may differ between calls with one idempotency key
	omit     omission

	discriminates bool   // says which alternative of a union is there
	only          []byte // of an alternative's discriminator: its value, as JSON
}

// keyTag is the tag that sets field.unkeyed.
const keyTag = "idempotency"

// A fieldName is the name of a field on the wire, on every transport, as plans need it. The
// name a/b has the token a~1b and the prefix ,"a/b":
type fieldName struct {
	name   string
	token  string // the name as a reference token of a JSON Pointer
	prefix string // the text before its value in an object
	tagged bool   // the name was given in a json tag
}

// fieldSources are the places outside the JSON that tags name for a field.
type fieldSources struct {
	// bound has the names in the tags path, query, header and cookie; "" for none. In an output, the
	// header is one of the response.
	bound     [tagCount]string
	body      string // the tag body: wholeBody, or the JSON name
	mcpHeader string // the x-mcp-header that mirrors it
}

// typeTexts are the documentation of a type, from its comment. They are zero for types without a Go
// name.
type typeTexts struct {
	about prose
	gone  bool // it is deprecated
}

// fieldTexts are the documentation of a field.
type fieldTexts struct {
	doc        prose
	deprecated bool
	def        []byte // the default as JSON, set by the decoder and the binder; or nil
	example    []byte // an example as JSON; or nil
}

// An omission says when the encoder leaves a field out: if one of the conditions in it
// holds. The zero value is never.
type omission uint8

const (
	omitEmpty omission = 1 << iota // by encoding/json's rule for omitempty
	omitZero                       // by its rule for omitzero
)

// isBound reports whether a tag binds the field to a path, a query, a header or a cookie.
func (f *field) isBound() bool { return f.bound != [tagCount]string{} }

// firstBound returns the first part of a request that a tag binds the field to, and whether there
// is one.
func (f *field) firstBound() (where, bool) {
	for w, name := range f.bound {
		if name != "" {
			return where(w), true
		}
	}
	return whereBody, false
}

// isNameless reports whether the field is in no JSON object on any transport: only a header
// or a cookie sets it, which only REST has. Its name is then only for messages.
func (f *field) isNameless() bool {
	if !f.hidden {
		return false
	}
	for w, name := range f.bound {
		if name != "" && wheres[w].onWire {
			return false
		}
	}
	return true
}

// onWire returns a copy of the input s for transports other than REST, where the fields of
// paths and queries are members. It adds the fields more.
func (s *shape) onWire(more ...*field) *shape {
	fields := make([]*field, 0, len(s.fields)+len(more))
	for _, f := range s.fields {
		if f.hidden && !f.isNameless() {
			shown := *f
			shown.hidden = false
			f = &shown
		}
		if !f.hidden {
			fields = append(fields, f)
		}
	}
	return s.withFields(append(fields, more...))
}

// isRequired reports whether an input must have the field.
func (f *field) isRequired() bool { return !f.optional && f.def == nil }

// fileIn returns the File of an output. f is the File itself or an embedded one.
func (f *field) fileIn(out any) *File {
	if v, ok := f.valueIn(reflect.ValueOf(out).Elem()); ok {
		return v.Addr().Interface().(*File)
	}
	return new(File)
}

// settableIn returns the field f of the struct v. It replaces nil pointers to embedded
// structs on the way by pointers to new structs.
func (f *field) settableIn(v reflect.Value) reflect.Value {
	v, _ = followIndex(v, f.index, true)
	return v
}

// ownIndex returns the index of the Go field in its struct, or -1 if it is promoted from an
// embedded struct. Few fields are.
func (f *field) ownIndex() int {
	if len(f.index) == 1 {
		return f.index[0]
	}
	return -1
}

// valueIn returns the field f of the struct v, or false if a pointer on the way is nil.
func (f *field) valueIn(v reflect.Value) (reflect.Value, bool) { return followIndex(v, f.index, false) }

// copyAround returns a copy of the struct v, and the field f in it. It also copies the structs
// behind embedded pointers that lead to the field, so that v and the copy do not share the field.
func (f *field) copyAround(v reflect.Value) (whole, value reflect.Value) {
	whole = reflect.New(v.Type()).Elem()
	whole.Set(v)
	value = whole
	for _, i := range f.index {
		if value.Kind() == reflect.Pointer {
			target := reflect.New(value.Type().Elem())
			if !value.IsNil() {
				target.Elem().Set(value.Elem())
			}
			value.Set(target)
			value = target.Elem()
		}
		value = value.Field(i)
	}
	return whole, value
}

// followIndex returns the field of the struct v that index leads to, as
// reflect.Value.FieldByIndex does. If a pointer on the way is nil, it sets it to a new value
// if fill is set, and reports false otherwise.
func followIndex(v reflect.Value, index []int, fill bool) (reflect.Value, bool) {
	for n, i := range index {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !fill {
				return v, false
			}
			v = filled(v)
		}
		v = v.Field(i)
	}
	return v, true
}

// filled follows pointers from v to a value. It sets nil pointers to new values.
func filled(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// A rule is one constraint on the values of a field or of a type. The decoder and the
// binder check all rules of a value, in their order. The fields before value are copied
// from a row of ruleRows (type_rules.go).
type rule struct {
	keyword   string   // of JSON Schema 2020-12
	role      ruleRole // which values it limits
	opposite  ruleRole // of the rules that can exclude all values that this one allows
	in30      string   // the keyword for the value in OpenAPI 3.0.3, where keyword itself is true; mostly ""
	costly    bool     // tried only if the rules before it hold; see checkRules
	html      htmlRule // how a form of HTML says it
	complaint *complaint
	empty     *complaint // of minLength, about an empty text; see about
	hint      string     // of rolePattern, in the words of the author, which are in the field's doc too; or ""

	value  []byte          // of the keyword, as JSON
	count  int             // the number of a size: roleLeast and roleMost
	values []reflect.Value // of roleValues, roleLow and roleHigh; see shape.valueFor
	// violates reports whether a value, with pointers followed, is against the rule.
	violates func(v reflect.Value) bool
}

// about returns the complaint about v, which violates r.
func (r *rule) about(v reflect.Value) *complaint {
	if r.empty != nil && v.Len() == 0 {
		return r.empty
	}
	return r.complaint
}

// An htmlRule describes how an HTML form checks a rule before it sends anything. Every value that
// follows the rule must satisfy the attribute; the reverse need not hold.
type htmlRule struct {
	attribute string                         // of an input element, spelled as its JavaScript property; or ""
	value     func(s *shape, r *rule) string // the attribute's value as JSON for shape s; "" for no attribute. nil: the value of the rule
}

// A ruleRole says what a rule limits. Other code looks rules up by role, not by keyword: for
// example, the decoder stores no more list items than roleMost allows.
type ruleRole uint8

const (
	roleNone     ruleRole = iota // something that no other code uses; contracts cannot compare it
	roleValues                   // the allowed values: rule.values
	roleLeast                    // the least size: characters of a text, items of a list
	roleMost                     // the greatest size
	roleLow                      // a number from below: rule.values has the bound
	roleHigh                     // a number from above, likewise
	roleStep                     // a number, to the multiples of a number
	rolePattern                  // a text, to the matches of a regular expression
	roleDistinct                 // a list, to different items
	roleFormat                   // a text, to one of checkedFormats
)

// A ruleSet is the rules of one value, in the order they are published. Each has a different
// keyword.
type ruleSet []rule

// lookup returns the first rule with this role, or nil. Only a number can have two of one
// role, such as minimum and exclusiveMinimum.
func (rs ruleSet) lookup(role ruleRole) *rule {
	for i := range rs {
		if rs[i].role == role {
			return &rs[i]
		}
	}
	return nil
}

// An Optional is a field of a JSON object that is absent, null or a value. In a PATCH, absent
// leaves things as they are, null removes, and a value replaces (RFC 7396, section 1). The zero
// value is absent. The field needs omitzero and is never required:
//
//	Title svc.Optional[string] `json:"title,omitzero" maxLength:"80"`
//
// Rules apply to the value; null passes them all. In an output, an absent Optional is left out.
// doc/types.md says where an Optional cannot be. It is not safe for concurrent use.
type Optional[T any] struct {
	value T
	state optionalState
}

// An optionalState says whether an Optional is absent, null or a value.
type optionalState uint8

const (
	stateAbsent optionalState = iota
	stateNull
	stateValue
)

// IsSet reports whether o is present: null or a value.
func (o Optional[T]) IsSet() bool { return o.state != stateAbsent }

// IsNull reports whether o is null. It is false if o is absent.
func (o Optional[T]) IsNull() bool { return o.state == stateNull }

// Get returns the value of o, or the zero value and false if o is absent or null.
func (o Optional[T]) Get() (T, bool) { return o.value, o.state == stateValue }

// Set makes v, which may be zero, the value of o.
func (o *Optional[T]) Set(v T) { o.value, o.state = v, stateValue }

// SetNull makes o null. To make o absent, assign the zero value.
func (o *Optional[T]) SetNull() { *o = Optional[T]{state: stateNull} }

// MarshalJSON returns the value of o as [json.Marshal] writes it, or null. It exists for
// encoding/json; svc does not call it.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != stateValue {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON makes o null, or sets the value that [json.Unmarshal] reads. If that fails, o does
// not change. It is for encoding/json; svc does not call it.
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

// parts returns pointers to the value and to the state of o.
func (o *Optional[T]) parts() (value any, state *optionalState) { return &o.value, &o.state }

// An optionalField is a pointer to an Optional.
type optionalField interface {
	parts() (value any, state *optionalState)
}

// optionalElem returns T if t is Optional[T], and nil otherwise. A struct that embeds an Optional
// inherits its methods, but is not one: like encoding/json, svc encodes it with MarshalJSON.
func optionalElem(t reflect.Type) reflect.Type {
	if !strings.HasPrefix(t.Name(), "Optional[") || t.PkgPath() != typeBody.PkgPath() {
		return nil
	}
	value, _ := reflect.New(t).Interface().(optionalField).parts()
	return reflect.TypeOf(value).Elem()
}

// optionalValue returns the value of the Optional v, which must be addressable, and
// whether v is a value. The result can be set in any case.
func optionalValue(v reflect.Value) (reflect.Value, bool) {
	value, state := v.Addr().Interface().(optionalField).parts()
	return reflect.ValueOf(value).Elem(), *state == stateValue
}

// notNull follows pointers and an Optional from v to a value, and reports whether there is
// one.
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

var (
	typeTime     = reflect.TypeFor[time.Time]()
	typeDuration = reflect.TypeFor[time.Duration]()
	typeRaw      = reflect.TypeFor[json.RawMessage]()
	typeNumber   = reflect.TypeFor[json.Number]()
	typeBody     = reflect.TypeFor[Body]()
	typeFile     = reflect.TypeFor[File]()

	typeJSONMarshaler   = reflect.TypeFor[json.Marshaler]()
	typeJSONUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeTextMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	typeTextUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	typeValidator       = reflect.TypeFor[validator]()
)

// validator is implemented by a struct that checks itself.
type validator interface{ Validate() error }

// hasMethods reports whether t or *t has the methods of iface, as in encoding/json: svc only
// decodes into and encodes from addressable values.
func hasMethods(t, iface reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(iface)
}

// hasOwnText reports whether t has JSON or text methods.
func hasOwnText(t reflect.Type) bool {
	return hasMethods(t, typeJSONMarshaler) || hasMethods(t, typeJSONUnmarshaler) || hasMethods(t, typeTextMarshaler) ||
		hasMethods(t, typeTextUnmarshaler)
}

// declaresMethod reports whether t itself declares this method, rather than inheriting it from an
// embedded type. t or a pointer to it must have the method. reflect does not distinguish the two,
// but the compiler generates inherited methods, and the runtime gives all of them the same file
// name, "<autogenerated>". Instead of that name, declaresMethod compares with the file of ReadByte
// of bufio.ReadWriter, which is inherited from its Reader.
func declaresMethod(t reflect.Type, name string) bool {
	return fileOfMethod(t, name) != fileOfMethod(reflect.TypeFor[bufio.ReadWriter](), "ReadByte")
}

// fileOfMethod returns the file that the runtime names for a method of t, or of a pointer
// to t.
func fileOfMethod(t reflect.Type, name string) string {
	m, ok := t.MethodByName(name)
	if !ok {
		m, _ = reflect.PointerTo(t).MethodByName(name)
	}
	file, _ := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
	return file
}
