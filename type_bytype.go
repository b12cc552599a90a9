package svc

// This file handles unions whose JSON type determines the alternative, such as a text or a list of
// parts: structs that embed [ByType]. Their shapes have kindByType, and each alternative is a field
// without a name. For
//
//	type Content struct {
//		svc.ByType
//		Text  *string
//		Parts []Part `minItems:"1"`
//	}
//
// these are Text, with the shape of string, and Parts, with the shape of []Part and the rule. The
// pointer of Text is not part of the shape: it only marks that the alternative is set.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ByType makes a struct that embeds it a union by JSON type: a value of one of several types, such as
// a text or a list of parts.
//
//	type Content struct {
//		svc.ByType
//		Text  *string                // "hello"
//		Parts []Part `minItems:"1"` // [{"type":"text"}]
//	}
//
// Each other field is an alternative: a pointer, a list or a map, without a name. Their JSON types
// differ; all numbers are one type. Exactly one is not nil, and the JSON of the struct is the JSON
// of that field. The tags of the field are rules of the alternative. doc/unions.md says where such
// a struct cannot be.
type ByType struct{}

var typeByType = reflect.TypeFor[ByType]()

// embedsByType reports whether t is a struct that embeds ByType.
func embedsByType(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if embedded, ok := embeddedStruct(t.Field(i)); ok && embedded == typeByType {
			return true
		}
	}
	return false
}

// fillByType sets the fields of s, a struct that embeds ByType.
func (c *shapes) fillByType(s *shape, at string) {
	t := s.typ
	if t.Name() != "" {
		at = t.String() // as in fillFields
	}
	c.checkStructTags(t, at)
	c.addIf(hasOwnText(t),
		"%s: %v has methods for its own JSON or text, which stand for the alternatives of a svc.ByType; drop them, or svc.ByType", at, t)
	taken, declared := make(map[string]*field), 0 // by the JSON type
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Name == "_" {
			continue
		}
		if sf.Type == typeByType && sf.Anonymous {
			c.addIf(sf.Tag != "", "%s: svc.ByType has a tag, and nothing reads it; drop it", at)
			continue
		}
		declared++
		f := c.choiceFor(sf, t, i, at+"."+sf.Name)
		if f == nil {
			continue
		}
		s.fields = append(s.fields, f)
		noun := f.shape.jsonNoun()
		if other := taken[noun]; other != nil {
			c.addf("%s: %s is %s in JSON too, so that nothing tells the two apart; drop one of them", f.place, other.goName, noun)
		}
		taken[noun] = f
	}
	switch {
	case declared == 0:
		c.addf("%s: a svc.ByType needs alternatives, which are fields such as Text *string and Parts []Part", at)
	case declared == 1 && len(s.fields) == 1:
		c.addf("%s: %v has one alternative, so it is nothing but that; add another one, or write a %v in its place", at, t, s.fields[0].shape.typ)
	}
}

// jsonNoun returns the JSON type of s, an alternative, in words, such as "an array".
func (s *shape) jsonNoun() string { return jsonTypes[s.jsonIndex()] }

// jsonIndex returns the index in jsonTypes of the JSON type of s, which is not null, or -1 if values
// may be of several types. All numbers are one type.
func (s *shape) jsonIndex() int {
	switch kindTypes[s.kind] {
	case "object":
		return jsonTypeOf('{')
	case "array":
		return jsonTypeOf('[')
	case "string":
		return jsonTypeOf('"')
	case "boolean":
		return jsonTypeOf('t')
	case "integer", "number":
		return jsonTypeOf('0')
	}
	return -1
}

// choiceTags are the tags that an alternative cannot have, because it is not a member of an object.
var choiceTags = slices.Concat([]string{"json"}, whereTags(), []string{
	"form", "mcpheader", "status", "variant", "discriminator", "default", "nullable", keyTag, "contentType", "maxBytes", "order",
	inlineTag,
})

// choiceFor returns the alternative for sf, which the struct in declares at index, or nil if it
// cannot be one, for which it notes a mistake. at is its place in messages.
func (c *shapes) choiceFor(sf reflect.StructField, in reflect.Type, index int, at string) *field {
	for _, tag := range choiceTags {
		_, ok := lookupTag(sf.Tag, tag)
		c.addIf(ok, "%s: an alternative of a svc.ByType is not a member, and has no name; drop the tag %s", at, tag)
	}
	switch embedded, _ := embeddedStruct(sf); {
	case embedded == typeByType && sf.Anonymous:
		c.addf("%s: embed svc.ByType itself, not a pointer to it", at)
		return nil
	case sf.Anonymous:
		c.addf("%s: an alternative cannot be embedded; give the field a name", at)
		return nil
	case !sf.IsExported():
		c.addf("%s: an alternative must be exported, since svc has to set it", at)
		return nil
	}
	f := &field{goName: sf.Name, place: at, tag: sf.Tag, index: []int{index}, fieldName: fieldName{name: sf.Name}}
	c.describeField(f, sf.Type, in)
	f.shape = c.shapeFor(sf.Type, at)
	before := len(c.list)
	c.applyTags(f)
	c.tagMistakes += len(c.list) - before
	if f.shape.kind == kindPointer {
		f.shape = f.shape.elem
	}
	if f.shape.hasMistake || !c.checkChoice(f, sf.Type) {
		return nil
	}
	if f.doc == (prose{}) && !f.shape.isComponent() && !f.hasDocTag() {
		f.doc, f.deprecated = f.shape.about, f.deprecated || f.shape.gone
	}
	return f
}

// checkChoice notes why a field f of type t cannot be an alternative. It reports whether it can.
func (c *shapes) checkChoice(f *field, t reflect.Type) bool {
	s := f.shape
	isList := s.typ.Kind() == reflect.Slice || s.typ.Kind() == reflect.Map
	isText := s.kind == kindText // of a list with UnmarshalText, an empty text may be nil
	switch {
	case s.kind == kindByType:
		c.addf("%s: %v is a svc.ByType too; write its alternatives in its place", f.place, s.typ)
	case s.kind == kindFile:
		c.addf("%s: a %v is not JSON, so it cannot be an alternative; give it a method of its own", f.place, s.typ)
	case s.kind == kindOptional:
		c.addf("%s: an alternative cannot be an Optional; write a *%v, and put the Optional around the struct if that may be null", f.place,
			s.elem.typ)
	case s.kind == kindPointer:
		c.addf("%s: one pointer says whether an alternative is there; write a *%v", f.place, s.deref().typ)
	case s.jsonIndex() < 0:
		c.addf("%s: the JSON of the type %v may be of any type, and svc.ByType chooses by that; write a type that is always a string, a "+
			"number, a boolean, a list or an object", f.place, s.typ)
	case t.Kind() == reflect.Pointer && isList && !isText:
		c.addf("%s: a list or a map is nil if it is not there, without a pointer; write a %v", f.place, s.typ)
	case t.Kind() != reflect.Pointer && (!isList || isText):
		c.addf("%s: nil says that an alternative is not there; write a *%v", f.place, t)
	default:
		return true
	}
	return false
}

// choiceIn returns the alternative of s, a shape of kindByType, that is set in v, and its value. The
// error is for the author of the program.
func (s *shape) choiceIn(v reflect.Value) (i int, value reflect.Value, err error) {
	set := 0
	for n, f := range s.fields { // does not stop at the first that is set, to find a second one
		if inner := v.Field(f.index[0]); !inner.IsNil() {
			set++
			i, value = n, inner
		}
	}
	if set != 1 {
		return 0, v, fmt.Errorf("a %v with %d of its alternatives set; set one of %s", s.typ, set, s.choiceNames())
	}
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return i, value, nil
}

// choiceNames returns the Go names of the alternatives.
func (s *shape) choiceNames() string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.goName)
	}
	return strings.Join(names, ", ")
}

// choiceNouns returns the JSON types of the alternatives in words: "a string or an array".
func (s *shape) choiceNouns() string {
	var nouns []string
	for _, f := range s.fields {
		nouns = append(nouns, f.shape.jsonNoun())
	}
	last := len(nouns) - 1
	if last < 1 {
		return strings.Join(nouns, "")
	}
	return strings.Join(nouns[:last], ", ") + " or " + nouns[last]
}

// choicesByJSON returns the index of the alternative for each JSON type in jsonTypes, or -1.
func (s *shape) choicesByJSON() (list [len(jsonTypes)]int) {
	for i := range list {
		list[i] = -1
	}
	for i, f := range s.fields {
		list[f.shape.jsonIndex()] = i
	}
	return list
}
