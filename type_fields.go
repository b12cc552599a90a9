package svc

// This file compiles Go types into shapes. It walks every type once.
//
// In this order: the shape of a type; the schema from a method JSONSchema; the check that
// a type can be an input or an output; the fields of a struct, their tags and names; types
// that contain themselves.
//
// A compile pass compiles all types of a service. newShapes begins it, shapeFor adds a type and the
// types that it reaches, and finishShapes ends it. Names and cycles are known only then, so plans
// and schemas are made after it.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"mime"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// shapes is one compile pass: the shapes of all types that a service reaches. all is in the order
// of the methods and fields in the source, and so is everything published: svc never ranges over a
// map to publish.
type shapes struct {
	*mistakes
	comments *Comments                   // of Options; nil without them
	inside   map[reflect.Type]fieldOwner // of structs without a name in Go
	schemas  map[reflect.Type]string     // Options.Schemas
	tagged   map[reflect.Type]bool       // the structs whose tags are checked
	ownTags  []string
	near     map[string]string // the tag of svc that a key misspells, by key
	byType   map[reflect.Type]*shape
	all      []*shape                   // in the order they were met
	named    []*shape                   // the shapes in all that have a name
	fit      map[fitKey]map[*shape]bool // the shapes that checkUse has checked
	filesIn  map[use]map[*shape]bool    // the parts that checkFiles has checked

	tagMistakes int // how many mistakes are about tags, which do not prevent plans
}

// newShapes returns a compile pass that notes mistakes in p.
func newShapes(p *mistakes) *shapes {
	return &shapes{
		mistakes: p, inside: make(map[reflect.Type]fieldOwner), tagged: make(map[reflect.Type]bool), ownTags: ownTags(),
		near:   make(map[string]string),
		byType: make(map[reflect.Type]*shape), fit: make(map[fitKey]map[*shape]bool), filesIn: make(map[use]map[*shape]bool),
	}
}

// shapeFor returns the shape of t. at is the place of t in messages, such as app.Todo.Owner.
// It returns a shape even if it notes mistakes in t, so compilation continues after them.
func (c *shapes) shapeFor(t reflect.Type, at string) *shape {
	if s, ok := c.byType[t]; ok {
		if s.elem == nil && s.kind >= kindPointer && s.kind <= kindMap { // t contains itself, and s is not filled yet
			elem := optionalElem(t)
			if elem == nil {
				elem = t.Elem()
			}
			s.elem = c.byType[elem]
			c.shapeFor(elem, at) // elem may lack its own elem for the same reason
		}
		return s
	}
	s := &shape{typ: t}
	c.describeType(s)
	c.byType[t] = s
	c.all = append(c.all, s)
	before, tagsBefore := len(c.list), c.tagMistakes
	c.fillShape(s, at)
	found := len(c.list) - before
	s.hasMistake = found > c.tagMistakes-tagsBefore // a mistake that is not about tags, in s or in a type first found there
	// Messages about a named struct name the struct, so each mistake is noted once. Other types are
	// compiled again at each place.
	if found > 0 && (t.Name() == "" || t.Kind() != reflect.Struct) {
		delete(c.byType, t)
	}
	// Types with a case in ownKind, such as time.Time, get no name, so documents write
	// them in place: a component would only be a name for a string.
	inPlace := ownKind(t) != kindAny || s.kind == kindOptional || s.kind == kindFile
	if t.Name() != "" && t.PkgPath() != "" && !inPlace {
		c.named = append(c.named, s)
	}
	return s
}

// A fieldOwner is where a struct without a name in Go is: in the field of a type, such as in
// Owner of Todo, or in Owner.Address.
type fieldOwner struct {
	of    reflect.Type
	field string
}

// describeType sets the documentation of s from the comment of its type.
func (c *shapes) describeType(s *shape) {
	if c.comments == nil || s.typ.Name() == "" {
		return
	}
	about, mistake := c.comments.typeComment(s.typ)
	c.addIf(mistake != "", "%s", mistake)
	s.about, s.gone = about.whole(), about.deprecated
}

// describeField sets the documentation of f from its comment. f has type t and is declared in the
// struct in. A tag doc replaces the text.
func (c *shapes) describeField(f *field, t, in reflect.Type) {
	if c.comments == nil {
		return
	}
	owner := fieldOwner{in, f.goName}
	if around, ok := c.inside[in]; ok {
		owner = fieldOwner{around.of, around.field + "." + f.goName}
	}
	about := c.comments.fieldComment(owner.of, owner.field)
	f.doc, f.deprecated = about.whole(), about.deprecated
	inner := innerStruct(t)
	if _, known := c.inside[inner]; inner != nil && !known {
		c.inside[inner] = owner
	}
}

// innerStruct returns the struct without a name in Go in t, such as in a list of them, or nil.
func innerStruct(t reflect.Type) reflect.Type {
	for t.Name() == "" || optionalElem(t) != nil {
		switch elem := optionalElem(t); {
		case elem != nil:
			t = elem
		case t.Kind() == reflect.Struct:
			return t
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
			t = t.Elem()
		default:
			return nil
		}
	}
	return nil
}

// describeAlternative sets the text of a, an alternative: the comment of its field, or of its
// struct.
func (c *shapes) describeAlternative(a *shape) {
	if c.comments == nil {
		return
	}
	about := c.comments.fieldComment(a.typ, a.suffix)
	if about == (goComment{}) {
		about, _ = c.comments.typeComment(a.own)
	}
	a.about, a.gone = about.whole(), about.deprecated
}

// ownKind returns the kind of a type that svc knows by name, whose methods do not count, and
// kindAny for other types.
func ownKind(t reflect.Type) shapeKind {
	switch t {
	case typeTime:
		return kindTime
	case typeDuration:
		return kindDuration
	case typeRaw:
		return kindRaw
	case typeNumber:
		return kindNumber
	case typeBody, typeFile:
		return kindFile
	}
	return kindAny
}

// fillShape sets the kind of s before it looks at the parts of s, since a part may have the same
// type as s. The last three cases are in the order of encoding/json. kindCustom and kindText get
// the schema of a method JSONSchema, and scalars the values of a method Enum.
func (c *shapes) fillShape(s *shape, at string) {
	t := s.typ
	switch {
	case ownKind(t) == kindFile:
		s.kind, s.file = kindFile, &field{shape: s, tags: new(fileTags)}
	case ownKind(t) != kindAny:
		s.kind = ownKind(t)
	case t.Kind() == reflect.Pointer:
		s.kind = kindPointer
		s.elem = c.elemShape(t, at, at)
	case embedsByType(t):
		s.kind = kindByType
		c.fillByType(s, at)
	case t == typeByType:
		c.addf("%s: svc.ByType is embedded in a struct with one field for each JSON type, such as Text *string and Parts []Part", at)
		s.kind = kindAny
	case streamName(t) != "":
		c.addf("%s: a %s is the output of a method and cannot be inside another type; return it from the method", at, streamName(t))
		s.kind = kindObject
	case optionalElem(t) != nil:
		s.kind = kindOptional
		s.elem = c.shapeFor(optionalElem(t), at)
		isNullable := s.elem.kind == kindPointer || s.elem.kind == kindOptional
		c.addIf(isNullable, "%s: an Optional can be null itself, so write an Optional of %v", at, s.elem.deref().typ)
	case isUnsettled(t) && c.schemas[t] == "":
		c.addf("%s: the JSON of a %v changes with a coming version of Go; use a string and parse it in Validate, or a type of your own "+
			"with MarshalText and UnmarshalText", at, t)
		s.kind = kindAny
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
		c.fillEnum(c.comments, s, at)
	}
}

// isUnsettled reports whether t is a type of package net whose JSON is to change: a coming version of
// Go gives it MarshalText, and base64 or an object becomes the usual text.
func isUnsettled(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[net.HardwareAddr](), reflect.TypeFor[net.IPMask](), reflect.TypeFor[net.IPNet]():
		return true
	}
	return false
}

// streamName returns "*svc.ValueOrStream" or "svc.Stream" if t is one of them, for a mistake, and
// "" for other types.
func streamName(t reflect.Type) string {
	switch {
	case strings.HasPrefix(t.Name(), "ValueOrStream[") && t.PkgPath() == typeBody.PkgPath():
		return "*svc.ValueOrStream"
	case strings.HasPrefix(t.Name(), "Seq2[*") && t.PkgPath() == "iter":
		return "svc.Stream"
	}
	return ""
}

// fillKind fills s by the Go kind of its type, for types without methods for JSON or text.
func (c *shapes) fillKind(s *shape, at string) {
	t := s.typ
	if t.PkgPath() == "mime/multipart" {
		c.addf("%s: svc reads no parts of forms into a %v; take an upload by a field of type svc.Body, which is the file of a form with "+
			"MethodOptions.Form, and else the whole body of the request", at, t)
		return
	}
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
		// As in encoding/json, a slice of bytes is base64 unless the type of the byte
		// has methods for JSON or text.
		if e := t.Elem(); e.Kind() == reflect.Uint8 && !hasOwnText(e) {
			s.kind = kindBytes
			item := &shape{typ: e, kind: kindUint, bits: e.Bits()}
			c.fillEnum(c.comments, item, at)
			c.addIf(item.isEnum, "%s: a %v is base64 in JSON, in which nothing can check %v.Enum; "+
				"make %v another type of integer, such as uint16", at, t, e, e)
			return
		}
		s.kind = kindSlice
		s.elem = c.elemShape(t, at, at+"[]")
	case reflect.Array:
		s.kind = kindArray
		s.elem = c.elemShape(t, at, at+"[]")
	case reflect.Map:
		s.kind = kindMap
		s.key = c.keyShape(t.Key(), at) // before elem: a field in elem may have the type t and rules, and would copy s too early
		s.elem = c.elemShape(t, at, at+"[]")
	case reflect.Struct:
		if s.kind = kindObject; isDatabaseNull(t) {
			c.addDatabaseNull(t, at)
		} else if !c.isOpaque(t, at) {
			c.fillFields(s, at)
			c.moveFile(s)
		}
	case reflect.Interface:
		// An interface with methods could be encoded, but not decoded, and it has no schema. So it
		// is a mistake everywhere.
		c.addIf(t.NumMethod() > 0, "%s: JSON cannot say which type is in the interface %v; use a struct, or any", at, t)
		s.kind = kindAny
	default:
		c.addf("%s: JSON cannot carry a %v; hide the field with `json:\"-\"` or change its type", at, t)
	}
}

// elemShape returns the shape of the elements of t. at and in are the places of the value and
// of its elements in messages. An element cannot be an Optional, since it is never absent.
func (c *shapes) elemShape(t reflect.Type, at, in string) *shape {
	s := c.shapeFor(t.Elem(), in)
	if s.kind == kindOptional {
		c.addf("%s: an Optional is for fields, since nothing in a %v is ever absent; write a *%v in its place", at, t, s.elem.typ)
	}
	return s
}

// isOpaque reports whether t is a url.URL, or a struct whose fields are all unexported, whose JSON
// would be {}. It notes this as a mistake. Fields named _ do not count. A type with a method
// MCPContent needs no JSON, so it is allowed.
func (c *shapes) isOpaque(t reflect.Type, at string) bool {
	if t == reflect.TypeFor[url.URL]() {
		c.addf("%s: a url.URL has no form in JSON; use a string with the tag `format:\"uri\"` and parse it in Validate", at)
		return true
	}
	hides := false
	for i := range t.NumField() {
		f := t.Field(i)
		if _, promoted := promotedStruct(f); promoted || f.IsExported() {
			return false
		}
		hides = hides || f.Name != "_"
	}
	_, content := reflect.PointerTo(t).MethodByName("MCPContent")
	if !hides || content {
		return false
	}
	c.addf("%s: %v has unexported fields only, so that JSON would never have any of them; "+
		"export them, give the type MarshalText and UnmarshalText, or use a string or a struct of your own in its place", at, t)
	return true
}

// keyShape returns the shape of a map key of type t: a string, an integer or a text. As in
// encoding/json, a type with MarshalText or UnmarshalText is a text, whatever its kind.
func (c *shapes) keyShape(t reflect.Type, at string) *shape {
	s := &shape{typ: t}
	switch {
	case hasMethods(t, typeTextMarshaler) || hasMethods(t, typeTextUnmarshaler):
		s.kind = kindText
		c.fillCustom(s, at)
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr, t.Kind() == reflect.String:
		c.fillKind(s, at)
	default:
		c.addf("%s: a JSON object cannot have a %v as its key; use a string, an integer or a type with MarshalText and UnmarshalText",
			at, t)
		return s
	}
	c.fillEnum(c.comments, s, at)
	return s
}

// fillCustom fills the schema of a type that writes or reads its own JSON or text. Options.Schemas
// takes precedence over the type's method JSONSchema, which returns JSON Schema 2020-12. Without
// either, the schema accepts any JSON, or any string. The method is called once, on a zero value.
// If it panics or returns a map that cannot be JSON, that is a mistake.
func (c *shapes) fillCustom(s *shape, at string) {
	of := s.typ.String() + ".JSONSchema returns"
	text := []byte(c.schemas[s.typ])
	if len(text) > 0 {
		of = "Options.Schemas has for " + s.typ.String()
	} else if text = c.callJSONSchema(s.typ, at); text == nil {
		return
	}
	if !isJSON(text) || !isJSONObject(trimJSON(text)) {
		return // checkSchemas has noted it
	}
	schema := readSchema(text)
	c.addIf(hasReference(schema), "%s: %s a $ref or definitions for one; write the schema out in their place", at, of)
	t, ok := schema["type"]
	c.addIf(ok && s.kind == kindText && t != "string", "%s: %s the type %v, but MarshalText and UnmarshalText make it a string", at, of, t)
	if s.custom = schema; s.kind == kindText {
		s.custom["type"] = "string"
		if list, _ := schema["examples"].([]any); len(list) > 0 {
			s.example, _ = list[0].(string)
		}
	}
}

// callJSONSchema returns the result of the method JSONSchema of t, as JSON, or nil if t has no such
// method.
func (c *shapes) callJSONSchema(t reflect.Type, at string) (text []byte) {
	d, ok := reflect.New(t).Interface().(interface{ JSONSchema() map[string]any })
	if !ok {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			c.addf("%s: %v.JSONSchema panics on the zero value: %v", at, t, v)
		}
	}()
	own := d.JSONSchema()
	if own == nil {
		return nil
	}
	text, err := json.Marshal(own)
	if err != nil {
		c.addf("%s: what %v.JSONSchema returns is not JSON: %v", at, t, err)
		return nil
	}
	return text
}

// checkSchemas notes the mistakes in Options.Schemas.
func (p *mistakes) checkSchemas(schemas map[reflect.Type]string) {
	for _, t := range slices.SortedFunc(maps.Keys(schemas),
		func(a, b reflect.Type) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		text := []byte(schemas[t])
		switch {
		case t == nil:
			p.addf("Options.Schemas has the type nil; write reflect.TypeFor[decimal.Decimal]()")
		case t.Kind() == reflect.Pointer:
			p.addf("Options.Schemas has %v; write the type that it points to, %v", t, t.Elem())
		case ownKind(t) != kindAny || optionalElem(t) != nil || !hasOwnText(t):
			p.addf("Options.Schemas has %v, which has no MarshalJSON or MarshalText of its own: svc writes its JSON and knows the schema; "+
				"drop the entry", t)
		case !isJSON(text) || !isJSONObject(trimJSON(text)):
			p.addf("Options.Schemas has for %v what is not JSON Schema; write an object, such as {\"type\":\"string\"}", t)
		}
	}
}

// hasReference reports whether v, a schema or a part of one, has a $ref or definitions.
// The schema is published inside other schemas, where #/$defs means their definitions.
func hasReference(v any) (found bool) {
	schema, _ := v.(map[string]any)
	for name, value := range schema {
		switch name {
		case "$ref", "$dynamicRef", "$defs", "definitions":
			return true
		}
		eachSchema(name, value, func(part any) any {
			found = found || hasReference(part)
			return part
		})
	}
	return found
}

// eachSchema returns the value of a keyword with each schema in it replaced by the result of visit
// (JSON Schema 2020-12, Core, section 10). It returns the value of a keyword without schemas, such
// as enum, unchanged.
func eachSchema(keyword string, value any, visit func(any) any) any {
	switch keyword {
	case "items", "not", "additionalProperties", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties", "contentSchema":
		return visit(value)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if list, ok := value.([]any); ok {
			list = slices.Clone(list)
			for i := range list {
				list[i] = visit(list[i])
			}
			return list
		}
	case "properties", "patternProperties", "dependentSchemas":
		if named, ok := value.(map[string]any); ok {
			named = maps.Clone(named)
			for name := range named {
				named[name] = visit(named[name])
			}
			return named
		}
	}
	return value
}

// readSchema returns a schema as a map, with its numbers as json.Number.
func readSchema(text []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		panic("svc: a schema is not JSON: " + err.Error()) // all parts were checked at registration
	}
	return out
}

// A use says how svc uses the values of a type. A type may be fit for one use only: with
// MarshalJSON but not UnmarshalJSON, it can be an output but not an input.
type use string

const (
	asInput  use = "input"  // decoded
	asOutput use = "output" // encoded
	// asReadOutput is the use of an output by a client, which decodes it.
	asReadOutput use = "output that a client reads"
	// asStored is the use by a Codec, which encodes and decodes a value.
	asStored use = "object that a Codec writes and reads"
)

// A fitKey identifies a result of checkUse for a shape.
type fitKey struct {
	use          use
	checksItself bool // the input has a method Validate
}

// checkUse notes the mistakes that make the shapes below s unfit for a use, such as a type in an
// input that has MarshalText but not UnmarshalText. It checks each type once; but after the first
// mistake it checks all of them again, to report the mistake for every method that uses the type.
func (c *shapes) checkUse(s *shape, u use, at string) {
	key := fitKey{u, hasMethods(s.typ, typeValidator)}
	if c.fit[key] == nil || len(c.list) > 0 {
		c.fit[key] = make(map[*shape]bool)
	}
	s.walk(&placeText{name: at}, c.fit[key], func(s *shape, at *placeText) {
		marshal, unmarshal := typeTextMarshaler, typeTextUnmarshaler
		switch s.kind {
		case kindObject, kindByType, kindFile:
			if u == asInput || u == asOutput || u == asStored {
				c.checkForeignTags(s, u, key.checksItself)
			}
			if u == asInput || u == asStored {
				c.checkHidden(s)
				c.checkValidate(cmp.Or(s.own, s.typ), at)
				c.checkResolve(cmp.Or(s.own, s.typ), at)
			}
			return
		case kindCustom:
			marshal, unmarshal = typeJSONMarshaler, typeJSONUnmarshaler
			c.checkTakeover(s.typ, u, at)
		case kindText:
			c.checkTakeover(s.typ, u, at)
		default:
			return
		}
		has, lacks, reads := marshal, unmarshal, unmarshal.Method(0).Name
		_, copies := s.typ.MethodByName(reads)
		// For an output with UnmarshalJSON but not MarshalJSON, encoding/json does the encoding
		// (encodeDynamic). A text must have its method, because it has no other form.
		switch {
		case u != asOutput && !hasMethods(s.typ, unmarshal):
		case (u == asStored || u == asOutput && s.kind == kindText) && !hasMethods(s.typ, marshal):
			has, lacks = unmarshal, marshal
		case u != asOutput && copies && declaresMethod(s.typ, reads): // a promoted method has a different receiver
			c.addf("%s: %v.%s sets a copy of the value, since its receiver is not a pointer; write func (x *%s) %[3]s", at, s.typ, reads,
				s.typ.Name())
			return
		default:
			return
		}
		c.addf("%s: %v has %s but not %s, so it cannot be part of an %s", at, s.typ, has.Method(0).Name, lacks.Method(0).Name, u)
	})
}

// fillFields sets the fields of s, and its alternatives if it is a union.
func (c *shapes) fillFields(s *shape, at string) {
	if s.typ.Name() != "" {
		at = s.typ.String() // from here on, fields are named by their own type
	}
	s.fields = c.visibleFields(s.typ, at)
	c.checkNames(s.fields, at)
	c.fillUnion(s, at)
}

// visibleFields returns the fields of t that encoding/json would see. It checks for clashes
// of names first, since dominantFields drops the fields that clash.
func (c *shapes) visibleFields(t reflect.Type, at string) []*field {
	all := c.collectFields(t, at)
	before := len(c.list)
	c.checkClashes(all, at)
	left := dominantFields(slices.Clone(all))
	if len(left) < len(all) && len(c.list) == before {
		c.checkVanished(t, all, left, at)
	}
	return left
}

// moveFile moves a Body, or a File that is embedded, from the fields of s to s.file.
func (c *shapes) moveFile(s *shape) {
	for _, f := range s.fields {
		if f.shape.kind != kindFile {
			c.addIf(f.tag.Get("contentType")+f.tag.Get("maxBytes") != "",
				"%s: the tags contentType and maxBytes are for a svc.Body or a svc.File, not for a %v", f.place, f.shape.typ)
			c.addIf(f.tag.Get(orderTag) != "", "%s: the tag order is for the svc.Body of a form, not for a %v", f.place, f.shape.typ)
			c.addIf(f.tag.Get(inlineTag) != "", "%s: the tag inline is for a svc.File, not for a %v", f.place, f.shape.typ)
			continue
		}
		f.tags = c.parseFileTags(f)
		name, isForm := lookupTag(f.tag, "form")
		isForm = isForm && name != f.name // otherwise it only accompanies the tag json, as on any field
		c.addIf(f.unkeyed, "%s: a %v is never compared, since its method has no idempotency key; drop the tag %s", f.place,
			f.shape.typ, keyTag)
		f.unkeyed = false
		switch {
		case s.file != nil:
			c.addf("%s: %s is the body already; remove one of them", f.place, s.file.goName)
		case f.isBound() || isForm:
			c.addf("%s: a %v is the whole body, or the part of a form with its JSON name, so it has no tag path, query, header, cookie or form",
				f.place, f.shape.typ)
		case f.shape.typ != typeBody && !s.typ.FieldByIndex(f.index).Anonymous:
			c.addf("%s: a File is a whole output, returned or embedded; an input takes a svc.Body", f.place)
		}
		s.file = f
	}
	s.fields = slices.DeleteFunc(s.fields, func(f *field) bool { return f.shape.kind == kindFile })
	if s.file != nil && s.file.shape.typ != typeBody {
		s.kind = kindFile
	}
}

// orderTag is the name of the tag of a Body whose form may have its parts in any order.
const orderTag = "order"

// parseFileTags reads the tags of the Body or the File f, such as
// contentType:"image/png,image/jpeg" and maxBytes:"10485760". Ranges such as image/* and
// parameters such as charset=utf-8 are mistakes, since fileTags.allows compares only the
// type and the subtype (RFC 9110, section 8.3.1).
func (c *shapes) parseFileTags(f *field) *fileTags {
	t := new(fileTags)
	if list, given := lookupTag(f.tag, "contentType"); given {
		for text := range strings.SplitSeq(list, ",") {
			mediaType, params, err := mime.ParseMediaType(text)
			kind, subtype, _ := strings.Cut(mediaType, "/")
			isBad := err != nil || len(params) > 0 || kind == "" || subtype == "" || strings.Contains(mediaType, "*")
			c.addIf(isBad, "%s: contentType:%q: want media types such as image/png, with commas between them; leave the tag out for any type",
				f.place, list)
			if !slices.Contains(t.types, mediaType) {
				t.types = append(t.types, mediaType)
			}
		}
	}
	if text, given := lookupTag(f.tag, "maxBytes"); given {
		var err error
		t.max, err = strconv.ParseInt(text, 10, 64)
		c.addIf(err != nil || t.max < 1, "%s: maxBytes:%q: want a number of bytes, such as 10485760", f.place, text)
	}
	if text, given := lookupTag(f.tag, orderTag); given {
		t.anyOrder = true
		c.addIf(text != "any", "%s: order:%q: want order:\"any\", or no tag: then the file is the last part of the form", f.place, text)
		c.addIf(f.shape.typ != typeBody, "%s: the tag order is for the svc.Body of a form, not for a %v", f.place, f.shape.typ)
	}
	if text, given := lookupTag(f.tag, inlineTag); given {
		t.inline = true
		c.addIf(f.shape.typ == typeBody, "%s: the tag inline is for a svc.File, not for a %v", f.place, f.shape.typ)
		c.addIf(text != "true", "%s: inline:%q: want true; leave the tag out for a file that is saved", f.place, text)
	}
	return t
}

// checkFiles notes each Body or File in the wrong place. The input or output s may have one itself;
// its parts may not.
func (c *shapes) checkFiles(s *shape, u use, at string) {
	if c.byType[typeBody] == nil && c.byType[typeFile] == nil {
		return // most services have no files
	}
	if c.filesIn[u] == nil || len(c.list) > 0 { // as checkUse
		c.filesIn[u] = make(map[*shape]bool)
	}
	check := func(inner *shape, at *placeText, isPart bool) {
		if inner.file == nil {
			return
		}
		t := inner.file.shape.typ
		switch {
		case u == asInput && t != typeBody:
			c.addf("%s: a File is for outputs; an input gets a file by a field of type svc.Body", at)
		case u != asInput && t == typeBody:
			c.addf("%s: a Body is for inputs; a method returns a file as a *svc.File", at)
		case t == typeBody && (isPart || s.kind == kindFile):
			c.addf("%s: a Body must be a field of the input itself, as svc.Body without a pointer, not the input or a part of another type", at)
		case isPart:
			c.addf("%s: a File must be the output itself, or embedded there without a pointer, not a part of another type", at)
		}
	}
	top := &placeText{name: at}
	check(s, top, false)
	for p := range s.parts {
		p.shape.walk(&placeText{outer: top, part: p}, c.filesIn[u], func(s *shape, at *placeText) { check(s, at, true) })
	}
}

// A level is a struct whose fields belong to the struct being walked: that struct itself, or an
// embedded one.
type level struct {
	typ       reflect.Type
	index     []int
	optional  bool // behind a pointer, which may be nil
	ambiguous bool // embedded in several ways at this depth, so Go and encoding/json promote none of its fields
}

// levelsOf returns t and the structs that it embeds, breadth first. embeds returns the struct
// that a field embeds, and whether there is one. Each struct is there once, at its smallest
// depth, where its fields hide those further down. So the walk ends for a struct that embeds a
// pointer to itself, and is linear in the types if many embed the same ones.
func levelsOf(t reflect.Type, embeds func(reflect.StructField) (reflect.Type, bool)) []level {
	all := []level{{typ: t}}
	places := map[reflect.Type]int{t: 0} // in all
	for i := 0; i < len(all); i++ {
		l := all[i]
		for j := range l.typ.NumField() {
			sf := l.typ.Field(j)
			e, ok := embeds(sf)
			if !ok {
				continue
			}
			at, met := places[e]
			switch {
			case !met:
				places[e] = len(all)
				index := append(slices.Clone(l.index), j)
				all = append(all, level{e, index, l.optional || sf.Type.Kind() == reflect.Pointer, l.ambiguous})
			case len(all[at].index) > len(l.index):
				all[at].ambiguous = true
			}
		}
	}
	return all
}

// collectFields returns every field of t that could be a member, breadth first: the fields of t,
// then the fields of the structs it embeds, and so on.
func (c *shapes) collectFields(t reflect.Type, at string) []*field {
	var all []*field
	for _, l := range levelsOf(t, promotedStruct) {
		c.checkStructTags(l.typ, at)
		for i := range l.typ.NumField() {
			sf := l.typ.Field(i)
			_, variant := lookupTag(sf.Tag, "variant")
			_, says := lookupTag(sf.Tag, "discriminator")
			c.addIf((variant || says) && l.index != nil, "%s: %v is a union, which cannot be embedded; give the field a name", at, l.typ)
			if variant { // for fillUnion
				continue
			}
			if sf.Anonymous && sf.Type == typeByType { // of l.typ, for which fillByType was not called
				c.addf("%s: %v is a svc.ByType, which cannot be embedded; give the field a name", at, l.typ)
				continue
			}
			if _, ok := promotedStruct(sf); ok {
				c.addKeyTag(sf, at, "whose fields are members; give the tag to those that may differ")
				c.checkUnread(sf, at+"."+sf.Name, "is embedded, and its fields are members; give the tag to one of those")
				isPointer := sf.Type.Kind() == reflect.Pointer
				c.addIf(isPointer && !sf.IsExported(),
					"%s.%s: an embedded pointer to an unexported struct cannot be set; embed the struct itself", at, sf.Name)
				continue
			}
			f := c.fieldFor(sf, l.typ, append(slices.Clone(l.index), i), l.optional, at)
			if f == nil {
				continue
			}
			if all = append(all, f); l.ambiguous { // a second copy stands for the other ways, so neither hides the other
				again := *f
				all = append(all, &again)
			}
		}
	}
	return all
}

// promotedStruct returns the struct whose fields sf promotes, and whether it promotes any: sf
// embeds a struct or a pointer to it, without a json name, and the struct has no JSON or text
// methods. Other embedded types are members with the name of the type.
func promotedStruct(sf reflect.StructField) (reflect.Type, bool) {
	t, ok := embeddedStruct(sf)
	if !ok {
		return nil, false
	}
	_, variant := lookupTag(sf.Tag, "variant")  // a mistake that fillUnion notes
	name, _ := parseJSONTag(sf.Tag.Get("json")) // - for a hidden field
	return t, !variant && name == "" && hasMembers(t)
}

// embeddedStruct returns the struct that sf embeds, itself or by a pointer, and whether there
// is one.
func embeddedStruct(sf reflect.StructField) (reflect.Type, bool) {
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, sf.Anonymous && t.Kind() == reflect.Struct
}

// hasMembers reports whether the fields of t, a struct, are members of an object: t has no case in
// ownKind and no JSON or text methods.
func hasMembers(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && ownKind(t) == kindAny && !hasOwnText(t)
}

// fieldFor returns the field for sf, or nil for an unexported field and one with json:"-"
// that no other tag names. in is the struct that declares sf, and index leads to sf from the
// struct being walked, whose place in messages is at. optional is set if sf is in a struct that
// is embedded by a pointer.
func (c *shapes) fieldFor(sf reflect.StructField, in reflect.Type, index []int, optional bool, at string) *field {
	jsonTag := tagText(sf.Tag, "json")
	name, jsonOptions := parseJSONTag(jsonTag)
	if !sf.IsExported() {
		// collectFields has walked the embedded unexported structs without a name.
		c.addKeyTag(sf, at, "which clients do not send; drop it")
		if !sf.Anonymous {
			c.checkUnread(sf, at+"."+sf.Name, "is not exported; write its name with a capital letter, or drop the tag", "json")
		}
		c.addIf(sf.Anonymous && name != "", "%s.%s: a field that is embedded and of an unexported type cannot have a JSON name; "+
			"write a name before the type", at, sf.Name)
		return nil
	}
	f := &field{goName: sf.Name, tag: sf.Tag, index: index, hidden: jsonTag == "-", optional: optional}
	f.mcpHeader = tagText(sf.Tag, "mcpheader")
	_, f.discriminates = lookupTag(sf.Tag, "discriminator")
	for w := range f.bound {
		text, options := tagText(sf.Tag, wheres[w].name), ""
		if wheres[w].options {
			text, options, _ = strings.Cut(text, ",")
		}
		for o := range strings.SplitSeq(options, ",") {
			f.optional = f.optional || o == "omitempty" || o == "omitzero"
		}
		f.bound[w] = text
	}
	if f.hidden && !f.isBound() {
		c.addKeyTag(sf, at, "which clients do not send; drop it")
		text, ok := lookupTag(sf.Tag, bodyTag)
		c.addIf(ok, "%s.%s: body:%q needs a JSON name, which JSON-RPC and MCP call the field by, and json:\"-\" gives it none", at, sf.Name, text)
		return nil
	}
	f.name = cmp.Or(cmp.Or(f.bound[:]...), sf.Name) // as in the tag, because clients of JSON-RPC use that name
	if name != "" && !f.hidden {
		f.name, f.tagged = name, true
	}
	f.token = pointerToken(f.name)
	f.prefix = string(append(appendQuoted(append(make([]byte, 0, 64), ','), f.name), ':'))
	at += "." + sf.Name
	f.place = at
	c.checkBodyTag(f)
	c.describeField(f, sf.Type, in)
	f.shape = c.shapeFor(sf.Type, at)
	c.applyOptions(f, jsonOptions)
	if f.shape.kind == kindOptional && (f.hidden || f.omit&omitZero == 0) {
		c.addf("%s: an Optional may be absent, which only omitzero leaves out, or null, which only JSON has: write `json:\"%s,omitzero\"`, "+
			"and no tag for another place", at, f.name)
	}
	before := len(c.list)
	c.applyTags(f)
	c.tagMistakes += len(c.list) - before
	if target := f.shape.deref(); f.doc == (prose{}) && !target.isComponent() && !f.hasDocTag() {
		f.doc, f.deprecated = target.about, f.deprecated || target.gone
	}
	return f
}

// checkBodyTag reads the tag body of f, and notes a mistake in it.
func (c *shapes) checkBodyTag(f *field) {
	text, ok := lookupTag(f.tag, bodyTag)
	if !ok {
		return
	}
	f.body = text
	w, isBound := f.firstBound()
	switch {
	case isBound:
		c.addf("%s: a field cannot come from the %s and from the body; drop one of the tags", f.place, w)
	case text != wholeBody && text != f.name:
		c.addf("%s: body:%q: write body:%q for a member of the body, or body:\"*\" for the whole body", f.place, text, f.name)
	}
}

// hasDocTag reports whether f has the tag doc, even if it is empty: an empty tag hides the comment.
func (f *field) hasDocTag() bool {
	_, ok := lookupTag(f.tag, "doc")
	return ok
}

// addKeyTag notes a tag idempotency on sf, which for this reason is not a field of an input.
func (c *shapes) addKeyTag(sf reflect.StructField, at, reason string) {
	text, ok := lookupTag(sf.Tag, keyTag)
	c.addIf(ok, "%s.%s: %s:%q is on a field %s", at, sf.Name, keyTag, text, reason)
}

// checkKeyTags notes each tag idempotency on a field that no input has. The tag is allowed in a
// struct that inputs and outputs both embed.
func (c *shapes) checkKeyTags(inputs []*shape) {
	isTagged := func(f *field) bool { return f.unkeyed }
	if !slices.ContainsFunc(c.all, func(s *shape) bool { return slices.ContainsFunc(s.fields, isTagged) }) {
		return // as in most services
	}
	type declaration struct {
		by   reflect.Type
		name string
	}
	known, done := make(map[declaration]bool), make(map[*shape]bool) // the declarations that inputs have or that are noted
	for _, s := range inputs {
		s.walk(nil, done, func(s *shape, _ *placeText) {
			for _, f := range s.fields {
				known[declaration{f.declaredBy(s.typ), f.goName}] = true
			}
		})
	}
	for _, s := range c.all {
		for _, f := range s.fields {
			d := declaration{f.declaredBy(s.typ), f.goName}
			c.addIf(f.unkeyed && !known[d], "%s: %s:\"-\" is for fields of inputs, and no method takes this one; drop it", f.place, keyTag)
			known[d] = true
		}
	}
}

// declaredBy returns the struct that declares f, which is t or embedded there.
func (f *field) declaredBy(t reflect.Type) reflect.Type {
	for _, i := range f.index[:len(f.index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t
}

// applyOptions applies the options that follow the name in a json tag.
func (c *shapes) applyOptions(f *field, options string) {
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "omitempty":
			f.optional, f.omit = true, f.omit|omitEmpty
		case "omitzero":
			f.optional, f.omit = true, f.omit|omitZero
		case "string":
			target := f.shape
			if target.kind == kindPointer { // one, as in encoding/json
				target = target.elem
			}
			f.quoted = isBoundable(target) || target.kind == kindNumber
			c.addIf(!f.quoted, "%s: `json:\",string\"` is for integers and floats, which it writes as strings, and the field's type is %v; "+
				"drop the option", f.place, f.shape.typ)
			c.addIf(f.quoted && target.isEnum,
				"%s: `json:\",string\"` makes this a string, which is none that %v.Enum returns; drop the option", f.place, target.typ)
		}
	}
}

// fillUnion makes s, whose fields are known, a union if its tags ask for it: it gives s its
// alternatives and puts the discriminator before the other fields. In JSON the members of the
// alternative stand beside the common ones: {"type":"card","cents":5,"number":"42"} is a
//
//	type Payment struct {
//		Type  string `json:"type" discriminator:"true"`
//		Cents int    `json:"cents"`
//		Card  *Card  `variant:"card"`
//		Bank  *Bank  `variant:"bank"`
//	}
func (c *shapes) fillUnion(s *shape, at string) {
	var values []string
	for i := range s.typ.NumField() {
		sf := s.typ.Field(i)
		value, ok := lookupTag(sf.Tag, "variant")
		if !ok {
			continue
		}
		c.addIf(slices.Contains(values, value), "%s.%s: variant:%q is the value of another alternative too; rename one", at, sf.Name, value)
		values = append(values, value)
		if c.checkAlternative(sf, value, at+"."+sf.Name) {
			a := &shape{typ: s.typ, kind: kindObject, alternative: alternative{value, i, sf.Type.Elem(), sf.Name}}
			c.describeAlternative(a)
			s.alternatives = append(s.alternatives, a)
		}
	}
	// If the discriminator is promoted, it belongs to an embedded struct. collectFields has noted a
	// mistake for it.
	first := slices.IndexFunc(s.fields, func(f *field) bool { return f.discriminates && len(f.index) == 1 })
	switch {
	case first < 0 && values != nil:
		c.addf("%s: alternatives need a field that says which of them is there, such as Type string `json:\"type\" discriminator:\"true\"`", at)
		s.alternatives = nil
	case first >= 0 && values == nil:
		c.addf("%s: a discriminator needs alternatives, which are fields such as Card *Card `variant:\"card\"`", s.fields[first].place)
	}
	if s.alternatives == nil {
		return
	}
	d := s.fields[first]
	s.fields = slices.Insert(slices.Delete(s.fields, first, first+1), 0, d)
	c.checkDiscriminator(s, d, values)
	for _, a := range s.alternatives {
		c.fillAlternative(s, a, at)
	}
}

// checkAlternative notes why the field sf cannot be an alternative of a union. It reports
// whether fillAlternative can continue with it.
func (c *shapes) checkAlternative(sf reflect.StructField, value, at string) bool {
	for _, tag := range slices.Concat([]string{"json"}, whereTags(), []string{"discriminator", keyTag}) {
		_, ok := lookupTag(sf.Tag, tag)
		c.addIf(ok, "%s: an alternative is no member, but its fields are; drop the tag %s", at, tag)
	}
	isBad := func(r rune) bool { return !isNameRune(r) && !strings.ContainsRune(".:-", r) }
	c.addIf(value == "" || strings.ContainsFunc(value, isBad), "%s: variant:%q: want letters, digits and any of _.:-", at, value)
	t := sf.Type
	switch {
	case sf.Anonymous:
		c.addf("%s: an alternative cannot be embedded; give the field a name", at)
	case !sf.IsExported():
		c.addf("%s: an alternative must be exported, since svc has to set it", at)
	case t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct:
		c.addf("%s: an alternative is a pointer to a struct, such as *Card, not a %v", at, t)
	case ownKind(t.Elem()) == kindFile:
		c.addf("%s: a %v is no JSON, and an alternative has members; give it a method of its own", at, t.Elem())
	case !hasMembers(t.Elem()):
		c.addf("%s: %v has its own JSON, and an alternative has members; put it into a field of a struct", at, t.Elem())
	default:
		return !c.isOpaque(t.Elem(), at) && value != ""
	}
	return false
}

// checkDiscriminator notes why d cannot be the discriminator of s. It adds an enum of the
// values of the alternatives to d, unless the type of d has a method Enum that lists them.
func (c *shapes) checkDiscriminator(s *shape, d *field, values []string) {
	if i := slices.IndexFunc(s.fields[1:], func(f *field) bool { return f.discriminates }); i >= 0 {
		c.addf("%s: %s is a discriminator too; drop one of the tags", d.place, s.fields[i+1].goName)
	}
	switch {
	case tagText(d.tag, "discriminator") != "true":
		c.addf("%s: discriminator:%q: want \"true\"", d.place, tagText(d.tag, "discriminator"))
	case d.shape.kind != kindString || d.quoted:
		c.addf("%s: a discriminator is a string, or of a named type of strings, not of the type %v", d.place, d.shape.typ)
	case d.optional || d.def != nil:
		c.addf("%s: a discriminator cannot be absent; drop omitempty, omitzero or the default", d.place)
	case d.shape.rules != nil && !d.shape.isEnum || d.shape.format != "" || d.example != nil:
		c.addf("%s: the values of a discriminator are those of the alternatives; drop the tags for rules, format and example", d.place)
	case d.isBound() || d.hidden:
		c.addf("%s: a discriminator is a member of the body; drop the tags for other places", d.place)
	}
	r := enumRule(&shape{kind: kindString}, values)
	if own := d.shape.rules.lookup(roleValues); own == nil {
		c.narrowField(d, d.shape, ruleSet{r}, "")
	} else if len(own.values) != len(values) || slices.ContainsFunc(r.values, own.violates) {
		c.addf("%s: %v.Enum returns %s, and the alternatives are %s; list the same values", d.place, d.shape.typ, own.value,
			strings.Join(values, ", "))
	}
}

// fillAlternative sets the fields of a, an alternative of s: the fields of s, and then the fields
// of the struct of a. The latter are like promoted fields of an embedded pointer, but they are not
// optional because of the pointer.
func (c *shapes) fillAlternative(s, a *shape, at string) {
	place := at + "." + a.suffix
	own := place // a named struct is its own place, as in fillFields
	if a.own.Name() != "" {
		own = a.own.String()
	}
	// The discriminator of an alternative has one value. Its shape is a plain string, because a
	// type with an Enum method would be a component with the values of all alternatives.
	a.fields = slices.Clone(s.fields)
	d := *s.fields[0]
	d.shape, d.only = &shape{typ: d.shape.typ, kind: kindString}, appendQuoted(nil, a.value)
	a.fields[0] = &d
	for _, f := range c.visibleFields(a.own, own) {
		f.index = slices.Concat([]int{a.index}, f.index)
		switch i := slices.IndexFunc(s.fields, func(common *field) bool { return common.name == f.name }); {
		case f.discriminates:
			c.addf("%s: an alternative cannot be a union itself; put that into a field of a struct", place)
		case f.isBound():
			c.addf("%s: a field of an alternative is a member of the body; drop the tags for other places", f.place)
		case i >= 0:
			c.addf("%s: %s has the name %q too; rename one", f.place, s.fields[i].place, f.name)
		default:
			a.fields = append(a.fields, f)
		}
	}
	c.checkNames(a.fields, own)
	c.all, c.named = append(c.all, a), append(c.named, a)
}

// parseJSONTag splits a tag such as name,omitempty,string into its name and its options.
// The name is empty if encoding/json would ignore it, because of a character in it.
func parseJSONTag(tag string) (name, options string) {
	name, options, _ = strings.Cut(tag, ",")
	if strings.ContainsFunc(name, isBadInName) {
		return "", options
	}
	return name, options
}

// dominantFields drops the fields that encoding/json drops: among fields with the same name, the
// least nested wins; at the same depth, the tagged one; if that still leaves several, all are
// dropped. The rest are in the order of their declaration, as encoding/json writes them. A dropped
// field is not a mistake, because hiding a promoted field is a feature of Go.
func dominantFields(all []*field) []*field {
	byName := make(map[string][]*field, len(all))
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	out := slices.DeleteFunc(all, func(f *field) bool {
		return slices.ContainsFunc(byName[f.name], func(r *field) bool { return r != f && !hidesField(f, r) })
	})
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

// checkClashes notes two fields with the same name if encoding/json would silently drop both, or
// does not know the tag that names them. This is the case if both are declared in the struct
// itself, or if neither hides the other and one of them has a tag such as query.
func (c *shapes) checkClashes(all []*field, at string) {
	type name struct{ kind, text string }
	seen := make(map[name]*field, len(all))
	for _, f := range all {
		names := append(make([]name, 0, 1+tagCount), name{"name", f.name})
		for w, text := range f.bound {
			if wheres[w].onWire {
				names = append(names, name{wheres[w].name + " name", text})
			}
		}
		for _, n := range names {
			other := seen[n]
			if other == nil || n.text == "" {
				seen[n] = f
				continue
			}
			declared := len(f.index) == 1 && len(other.index) == 1
			bound := f.isBound() || other.isBound()
			if declared || bound && !hidesField(f, other) && !hidesField(other, f) {
				c.addf("%s: the fields %s and %s have the same %s %q; rename one", at, other.goName, f.goName, n.kind, n.text)
				break
			}
		}
	}
}

// checkNames notes names that differ only by case. svc treats them as two names;
// many clients and generators treat them as one. Upper case and then lower case also
// makes letters with two lower-case forms equal, such as s and the long s.
func (c *shapes) checkNames(fields []*field, at string) {
	byFold := make(map[string]*field)
	for _, f := range fields {
		if f.isNameless() {
			continue
		}
		fold := strings.ToLower(strings.ToUpper(f.name))
		if other := byFold[fold]; other != nil {
			c.addf("%s: the fields %s and %s have the names %q and %q, which differ only by case; rename one", at, other.goName,
				f.goName, other.name, f.name)
		}
		byFold[fold] = f
	}
}

// finishShapes names the types, marks recursive ones, and notes forbidden ones. It is called once,
// after all types of the service are compiled.
func (c *shapes) finishShapes() {
	endless := endlessObjects(c.all)
	recursive, structless := recursiveShapes(c.all)
	for _, s := range c.all {
		s.hasMistake = s.hasMistake || structless[s] || endless[s]
		c.addIf(structless[s], "%v contains itself without a struct in between, which no schema can say; put a struct around it", s.typ)
	}
	for _, s := range c.all {
		c.addIf(endless[s], "%v must contain itself or a type that does, so that no value is finite; "+
			"make a field on the way optional (omitempty) or a pointer", s.typ)
		s.recursive = s.fields != nil && recursive[s]
		for _, f := range s.fields {
			c.addIf(f.omit == omitEmpty && (f.shape.alternatives != nil || f.shape.kind == kindByType),
				"%s: omitempty never leaves out a union; write omitzero, or a pointer", f.place)
		}
	}
	if len(structless) == 0 { // else pointers and lists may lead to no struct
		c.nameInline()
	}
	for s, name := range nameTypes(c.mistakes, c.named, nil) {
		s.name = name
	}
	markChecks(c.all)
}

// markChecks marks the shapes of all with something to check at or below them.
func markChecks(all []*shape) {
	below := containersOf(all)
	for s := range below.around(func(s *shape) bool { return len(hooksOf(s.typ)) > 0 }) {
		s.validates, s.hooks = true, hooksOf(s.typ)
	}
	for s := range below.around(func(s *shape) bool {
		return s.recursive || s.kind == kindAny || s.kind == kindByType || len(s.rules) > 0 ||
			slices.ContainsFunc(s.fields, func(f *field) bool { return f.notNull })
	}) {
		s.ruled = true
	}
}

// hooksOf returns the places in a struct of type t where Validate must be called. Each hook is an
// index for reflect's FieldByIndex: first embedded structs and the alternatives of a union,
// innermost first, and last the empty index of t itself.
//
// A method that t only inherits is called once, on the struct that declares it. If reflect cannot
// call it there because an unexported name is on the way, it is called on the innermost struct
// around it that works:
//
//	type base struct{}                 // declares Validate
//	type Paged struct{ base }
//	type ListTodos struct{ Paged }     // one hook: {0}, the field Paged
//
//	type Owned struct{}                // declares Validate
//	type EditTodo struct{ Owned }      // declares one too: two hooks, {0} and {}
//
// A struct that is embedded in several ways is checked only at its smallest depth, and not at all
// if it appears twice there: elsewhere, its fields are not members.
func hooksOf(t reflect.Type) (hooks [][]int) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); isAlternative(f) {
			for _, hook := range hooksOf(f.Type.Elem()) {
				hooks = append(hooks, append([]int{i}, hook...))
			}
		}
	}
	for _, l := range levelsOf(t, promotedStruct) {
		if l.ambiguous || !hasMethods(l.typ, typeValidator) || !suppliesValidate(l.typ) {
			continue
		}
		index, at := l.index, l.typ
		for len(index) > 0 && !t.FieldByIndex(index).IsExported() { // reflect cannot call its methods
			if index, at = index[:len(index)-1], t; len(index) > 0 {
				at, _ = embeddedStruct(t.FieldByIndex(index))
			}
		}
		isPromoted := at == l.typ || hasMethods(at, typeValidator) && !declaresMethod(at, "Validate")
		if isPromoted && !slices.ContainsFunc(hooks, func(h []int) bool { return slices.Equal(h, index) }) {
			hooks = append(hooks, index)
		}
	}
	slices.SortFunc(hooks, func(a, b []int) int { // in the order of the source, and the innermost first
		if n := min(len(a), len(b)); slices.Equal(a[:n], b[:n]) {
			return cmp.Compare(len(b), len(a))
		}
		return slices.Compare(a, b)
	})
	return hooks
}

// isAlternative reports whether f is tagged as an alternative of a union.
func isAlternative(f reflect.StructField) bool {
	_, variant := lookupTag(f.Tag, "variant")
	return variant && f.Type.Kind() == reflect.Pointer
}

// suppliesValidate reports whether t has a Validate that comes from none of the structs whose
// fields t promotes: its own, or the Validate of a text that it embeds.
func suppliesValidate(t reflect.Type) bool {
	if declaresMethod(t, "Validate") {
		return true
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _ := parseJSONTag(f.Tag.Get("json")) // the check of such a member calls it
		_, promoted := promotedStruct(f)
		if f.Anonymous && !promoted && name == "" && f.Type.Kind() != reflect.Interface &&
			(f.Type.Implements(typeValidator) || hasMethods(f.Type, typeValidator)) {
			return true
		}
	}
	return false
}

// maxInline is how many members a struct without a Go name may have, including the members of such
// structs inside it.
const maxInline = 1000

// nameInline adds to named the recursive structs without a Go name, since documents have to refer
// to them. All others are written out wherever they are used. It notes structs that would grow too
// large this way. Each struct here contains the next twice, or 3.0.3 writes it twice because a
// pointer leads to it:
//
//	type C []struct{ Left, Right B }
//	type B []struct{ Left, Right A }
//	type P struct{ A *struct{ B *struct{ C *struct{ … } } } }
func (c *shapes) nameInline() {
	isInline := func(s *shape) bool { return s.fields != nil && s.typ.Name() == "" && s.own == nil && !s.recursive }
	sizes := make(map[*shape]int)
	var sizeOf func(s *shape) int
	sizeOf = func(s *shape) (n int) {
		if n = sizes[s]; n > 0 {
			return n
		}
		for _, f := range s.fields {
			n++
			if inner, times := f.shape.innermost(); isInline(inner) {
				n += times * sizeOf(inner)
			}
			n = min(n, maxInline+1)
		}
		sizes[s] = n
		return n
	}
	isLarge := func(f *field) bool {
		inner, _ := f.shape.innermost()
		return isInline(inner) && sizeOf(inner) > maxInline
	}
	noted := make(map[*shape]bool)
	for _, s := range c.all {
		if s.recursive && s.typ.Name() == "" && s.own == nil {
			c.named = append(c.named, s)
		}
		for _, f := range s.fields {
			inner, _ := f.shape.innermost()
			if noted[inner] || !isLarge(f) || slices.ContainsFunc(inner.fields, isLarge) {
				continue
			}
			noted[inner] = true
			c.addf("%s: documents write out a struct without a name in Go wherever it is used, and this one would have more than %d members with "+
				"those in it; declare it as a type with a name", f.place, maxInline)
		}
	}
}

// innermost returns the shape at the end of pointers, lists and maps, and how often 3.0.3
// writes it for one s: twice behind a pointer.
func (s *shape) innermost() (inner *shape, times int) {
	for inner, times = s, 1; inner.elem != nil; inner = inner.elem {
		if inner.kind == kindPointer || inner.kind == kindOptional {
			times = min(2*times, maxInline)
		}
	}
	return inner, times
}

// containers lists shapes and the shapes below them, each once, and the direct containers of each.
type containers struct {
	all []*shape
	of  map[*shape][]*shape
}

// containersOf returns the containers of all and of the shapes below them. It visits each shape once.
func containersOf(all []*shape) *containers {
	c := &containers{of: make(map[*shape][]*shape, len(all))}
	var add func(s *shape)
	add = func(s *shape) {
		c.all = append(c.all, s)
		for p := range s.parts {
			in, met := c.of[p.shape]
			if c.of[p.shape] = append(in, s); !met {
				add(p.shape)
			}
		}
	}
	for _, s := range all {
		if _, met := c.of[s]; !met {
			c.of[s] = nil
			add(s)
		}
	}
	return c
}

// around returns the shapes that fits reports, and the shapes that contain one of them.
func (c *containers) around(fits func(*shape) bool) map[*shape]bool {
	found := make(map[*shape]bool)
	var queue []*shape
	for _, s := range c.all {
		if fits(s) {
			found[s] = true
			queue = append(queue, s)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, s := range c.of[queue[0]] {
			if !found[s] {
				found[s] = true
				queue = append(queue, s)
			}
		}
	}
	return found
}

// recursiveShapes returns the shapes that contain themselves, and in structless the shapes whose
// cycle has no struct:
//
//	type Tree struct{ Left, Right *Tree }  recursive
//	type List []List                       recursive and structless
//
// It visits each shape once, since a service may have a thousand types that contain each other (R.
// Tarjan, Depth-first search and linear graph algorithms, 1972).
func recursiveShapes(all []*shape) (recursive, structless map[*shape]bool) {
	order := make(map[*shape]int, len(all)) // the number of each visited shape, from 1, and MaxInt once its cycle is known
	recursive, structless = make(map[*shape]bool), make(map[*shape]bool)
	var open []*shape // the shapes whose cycle is not known yet, by their numbers
	// visit returns the smallest number of an open shape that s leads to.
	var visit func(s *shape) int
	visit = func(s *shape) (first int) {
		start, number := len(open), len(order)+1
		order[s], first, open = number, number, append(open, s)
		for p := range s.parts {
			if !p.shape.hasParts() {
				continue
			}
			reached := order[p.shape]
			if reached == 0 {
				reached = visit(p.shape)
			}
			recursive[s] = recursive[s] || p.shape == s
			first = min(first, reached)
		}
		if first < number {
			return first
		}
		cycle := open[start:] // no shape below s leads to one before s
		hasStruct := slices.ContainsFunc(cycle, func(e *shape) bool { return e.fields != nil })
		for _, e := range cycle {
			recursive[e] = recursive[e] || len(cycle) > 1
			if recursive[e] && !hasStruct {
				structless[e] = true
			}
			order[e] = math.MaxInt
		}
		open = open[:start]
		return first
	}
	for _, s := range all {
		if s.hasParts() && order[s] == 0 {
			visit(s)
		}
	}
	return recursive, structless
}

// endlessObjects returns the objects that have no finite value, since every value contains one of
// these objects. It starts with all objects, and repeatedly drops objects with a form (see
// type.go) that needs none of the remaining ones. For
//
//	type A struct{ B B }
//	type B struct{ A A }
//	type C struct{ A *A; D D }
//	type D struct{ N int }
//
// it drops D, which contains no objects, and then C, whose A can be nil. A and B need each other,
// so they stay.
//
// Each round starts with the innermost objects, so the first round nearly always finds everything.
func endlessObjects(all []*shape) map[*shape]bool {
	endless := make(map[*shape]bool)
	for _, s := range all {
		if s.kind == kindObject || s.kind == kindByType {
			endless[s] = true
		}
	}
	needsEndless := func(f *field) bool { return endless[f.neededObject()] }
	isFinite := func(form *shape) bool {
		if form.kind == kindByType { // one alternative is enough
			return form.fields == nil || slices.ContainsFunc(form.fields, func(f *field) bool { return !needsEndless(f) })
		}
		return !slices.ContainsFunc(form.fields, needsEndless)
	}
	for changed := true; changed; {
		changed = false
		for _, s := range slices.Backward(all) {
			if endless[s] && slices.ContainsFunc(s.forms(), isFinite) {
				delete(endless, s)
				changed = true
			}
		}
	}
	return endless
}
