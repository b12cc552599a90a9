package svc

// This file writes shapes as JSON Schema, in the dialects that svc publishes. Methods
// that return a []byte append a whole schema to it. Methods that take a *members write
// some keywords of a schema. A schema is "in place" if it is written out where it is
// used, and not a $ref to a component.
//
// It has, in this order:
//
//	dialect, schemaWriter      the state of a writer, and how references are made
//	appendShape, appendField   the schema of a type or of a field, null included
//	writeCustom to writeQuoted the keywords of each kind of type
//	writeRules                 the constraints
//	writeAnnotations           descriptions, defaults and examples
//	appendParameter            values in a path or a query: text in a URL, where
//	                           there is no null and nothing is quoted
//	members, components        the writer of JSON objects, and the schemas that the
//	                           parts of a document share
//
// Where the dialects differ:
//
//	                  2020-12 and 3.1              3.0.3
//	null              anyOf with {"type":"null"}   nullable, and anyOf with enum [null]
//	int               int64                        int32, without bounds
//	int32             int32, with both bounds      int32, without bounds
//	beside $ref       any keyword                  nothing, so $ref stands in allOf
//	x > 5             exclusiveMinimum: 5          minimum: 5, exclusiveMinimum: true
//	names of members  propertyNames                not said
//	examples          examples: [v]                example: v, the first of several
//	path parameters   the type of the value        string, with an enum or a pattern
//
// MCP clients get 2020-12 with fewer keywords: see schemaUse.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A dialect is JSON Schema 2020-12, or the JSON Schema of a version of OpenAPI.
type dialect uint8

const (
	jsonSchema dialect = iota // JSON Schema 2020-12, by itself
	openAPI31                 // the same inside an OpenAPI 3.1 document
	openAPI32                 // the same inside an OpenAPI 3.2 document
	openAPI30                 // the subset of OpenAPI 3.0.3: no null type, no siblings of $ref
)

// dialectVersions has the value of "openapi" in the documents of each dialect.
var dialectVersions = [...]string{openAPI31: "3.1.0", openAPI32: "3.2.0", openAPI30: "3.0.3"}

// dialectOf returns the dialect of a version of OpenAPI, such as "3.1" or "3.1.0". The
// empty version is 3.0.3. ok is false for an unknown version.
func dialectOf(version string) (d dialect, ok bool) {
	for d = openAPI31; d <= openAPI30; d++ {
		if full := dialectVersions[d]; version == full || cmp.Or(version, "3.0") == full[:len("3.0")] {
			return d, true
		}
	}
	return d, false
}

// A schemaWriter appends schemas of one dialect. It keeps no state between two
// schemas, except in ref.
type schemaWriter struct {
	dialect dialect
	use     schemaUse
	// sent has the types that clients send. Other objects appear only in responses, which always
	// include members that have a default. If sent is nil, all types are sent.
	sent map[reflect.Type]bool
	// ref returns the name to refer to a shape by, which is written behind prefix, or ""
	// to write the shape in place. If ref is nil, everything is in place.
	ref    func(*shape) string
	prefix string
	open   *shape            // an object to which applications add other members, or nil
	plain  bool              // texts are not Markdown, also in documents
	words  map[string]string // set by noteWords, by pattern; nil if the caller does not need them
}

// A schemaUse is the purpose of a published schema. The zero value is a document. It decides which
// values and texts the writer writes:
//
//	                      in a document  of an input        of an output
//	optional pointer      T or null      T                  T
//	Optional              T or null      T or null          T or null
//	nullable:"false"      T              T                  T
//	texts of types        all            not for the whole  none
//	                                     schema
//	base64                a format       an encoding and    as of an input
//	                                     a pattern
//	x-mcp-header          none           yes                none
//
// What an input, an output or a form has of the keywords is decided by schemaUse.publish.
type schemaUse uint8

const (
	forDocument schemaUse = iota
	forToolInput
	forToolOutput
	forForm     // as forToolInput, with the titles of enums
	forJuneForm // the same in 2025-06-18 (MCP 2025-11-25 and 2025-06-18, Elicitation)
)

// appendShape appends the schema of s, for a value that is not in a field: an output, or an
// item of a list.
func (w *schemaWriter) appendShape(dst []byte, s *shape) []byte {
	return w.appendValue(dst, s, anywhere)
}

// anywhere is the field of a value that is not in a field. It has no tags.
var anywhere = new(field)

// appendField appends the schema of a field: the schema of its type, its constraints and its
// annotations.
func (w *schemaWriter) appendField(dst []byte, f *field) []byte {
	return w.appendValue(dst, f.shape, f)
}

// appendValue appends the schema of a value of shape s in the field f.
//
// The schema of a pointer or an Optional is anyOf of its type and null. A *string is
//
//	2020-12  {"anyOf":[{"type":"string"},{"type":"null"}]}
//	3.0.3    {"type":"string","nullable":true,
//	          "anyOf":[{"type":"string","nullable":true,"enum":[null]},{"type":"string"}]}
//
// In 3.0.3 the keyword nullable adds null only to the type beside it. So null is a schema of the
// same type whose only value is null, and a type in place is written twice: beside the anyOf, and
// as its second branch. Validators read the anyOf. Generators read the keywords beside it and make
// an optional field; for the anyOf alone, oapi-codegen and ogen write code that does not compile. A
// $ref is not written twice, since 3.0.3 allows nothing beside it and generators understand it in
// an anyOf. Null is the first branch: orval up to 8.31 writes it as "| null", which TypeScript
// accepts only at the beginning of a type. For a large type the second branch has only the type,
// because the keywords beside the anyOf say the rest. Otherwise each pointer around the type would
// double its size again.
func (w *schemaWriter) appendValue(dst []byte, s *shape, f *field) []byte {
	target := s.deref() // several pointers in a row share one null
	nullable := target != s && !f.notNull && !(s.kind == kindPointer && s.elem == target && w.leavesOutNull(f))
	// A schema that takes any JSON takes null too.
	if free := target.kind <= kindCustom && !target.constrains(w.dialect); free || !nullable {
		return w.appendPlain(dst, target, f, true)
	}
	m, beside := openMembers(dst), 0
	if w.dialect == openAPI30 && w.lookupRef(target) == "" && target.takesNullable() {
		w.writePlain(&m, target, f, true)
		beside = len(m.buf) - len(dst)
		m.add("nullable", true)
	}
	if m.open("anyOf", '['); w.dialect == openAPI30 {
		jsonType := target.jsonType(f)
		if jsonType == "integer" && w.lookupRef(target) != "" {
			jsonType = "object" // as for a struct: oapi-codegen cannot write null as an integer constant
		}
		m.buf = append(appendType30(m.buf, jsonType, true), ',')
		if beside > maxWrittenOut {
			m.buf = appendType30(m.buf, jsonType, false)
		} else {
			m.buf = w.appendPlain(m.buf, target, f, false)
		}
		m.buf = append(m.buf, ']')
	} else {
		m.buf = append(w.appendPlain(m.buf, target, f, false), `,{"type":"null"}]`...)
	}
	if w.lookupRef(target) != "" {
		target = nil
	}
	w.writeAnnotations(&m, f, target)
	return m.close()
}

// appendType30 appends the 3.0.3 schema of all values of a type, or of null alone. In 3.0.3, null
// needs a type beside it, and an enum must list it.
func appendType30(dst []byte, jsonType string, null bool) []byte {
	m := openMembers(dst)
	if m.add("type", jsonType); null {
		m.add("nullable", true, "enum", []byte("[null]"))
	}
	if jsonType == "array" {
		m.addRaw("items", []byte("{}")) // required by 3.0.3 beside the type
	}
	return m.close()
}

// lookupRef returns the name of the component to refer to for s, or "" to write s in place.
func (w *schemaWriter) lookupRef(s *shape) string {
	if w.ref == nil {
		return ""
	}
	return w.ref(s)
}

// takesNullable reports whether null is valid if nullable is added to the keywords of s.
// It is for keywords that svc writes, since each limits values of one type only. Keywords
// of a method JSONSchema may exclude null, or lack the type that nullable needs.
func (s *shape) takesNullable() bool {
	if s.custom == nil {
		return s.alternatives == nil && s.kind != kindByType
	}
	custom := s.customIn(openAPI30)
	_, typed := custom["type"].(string)
	for _, name := range []string{"allOf", "anyOf", "const", "not", "nullable", "oneOf"} {
		typed = typed && custom[name] == nil
	}
	return typed
}

// leavesOutNull reports whether the schema leaves out that f, a pointer, can be null: the encoder
// leaves out a nil pointer instead of writing null, users leave form fields empty, and models can
// leave out optional arguments.
func (w *schemaWriter) leavesOutNull(f *field) bool {
	switch w.use {
	case forDocument:
		return false
	case forToolOutput:
		return f.optional && f.omit != 0
	}
	return f.optional
}

// jsonType returns the JSON type of a value of shape s that is not null, in the field f,
// whose tag `json:",string"` can make a number a string.
func (s *shape) jsonType(f *field) string {
	if own, ok := s.custom["type"].(string); ok {
		return own
	}
	if f.quoted || s.kind == kindFile {
		return "string"
	}
	return cmp.Or(kindTypes[s.kind], "object")
}

// appendPlain appends the schema of a value that is not null. Without annotate it leaves out the
// annotations of the field: appendValue writes them once, beside the anyOf.
func (w *schemaWriter) appendPlain(dst []byte, s *shape, f *field, annotate bool) []byte {
	m, inPlace := openMembers(dst), s
	if ref := w.lookupRef(s); ref == "" || f.mcpHeader != "" && w.use == forToolInput { // a header needs its type beside it
		w.writePlain(&m, s, f, false)
	} else if w.dialect == openAPI30 && annotate && (f.isDescribed() || f.def != nil || f.example != nil) {
		m.open("allOf", '[')
		m.buf = append(appendRef(m.buf, w.prefix, ref), ']')
		inPlace = nil
	} else {
		inPlace = nil
		m.buf = appendRef(dst, w.prefix, ref)
		m.buf = m.buf[:len(m.buf)-1] // members may follow
	}
	if annotate {
		w.writeAnnotations(&m, f, inPlace)
	}
	return m.close()
}

// appendRef appends a Reference Object, such as {"$ref":"#/components/schemas/Todo"}. Names
// of types need no escapes.
func appendRef(dst []byte, prefix, name string) []byte {
	dst = slices.Grow(dst, len(`{"$ref":""}`)+len(prefix)+len(name))
	return append(append(append(append(dst, `{"$ref":"`...), prefix...), name...), `"}`...)
}

// writePlain writes the type and the constraints of a value in place. With null
// it adds null to every enum.
func (w *schemaWriter) writePlain(m *members, s *shape, f *field, null bool) {
	switch {
	case f == anywhere && w.use >= forForm && s.valueTexts != nil: // an item of a list
		w.writeTitles(m, "anyOf", s)
		return
	case f.quoted:
		w.writeQuoted(m, s)
	case s.kind == kindCustom, s.custom != nil:
		w.writeCustom(m, s, f, null)
	case s.alternatives != nil:
		w.writeUnion(m, s)
	case s.kind == kindObject:
		w.writeObject(m, s)
	case s.kind == kindByType:
		w.writeChoices(m, s)
	case s.kind > kindCustom && s.kind != kindRaw:
		w.writeTyped(m, s, f)
	}
	switch {
	case f.only != nil && w.dialect == openAPI30: // 3.0.3 has no const
		m.add("enum", [][]byte{f.only})
	case f.only != nil && w.use == forToolOutput:
		m.addRaw(onlyText, f.only)
	case f.only != nil:
		m.addRaw("const", f.only)
	case w.use >= forForm && s.valueTexts != nil:
		w.writeTitles(m, "oneOf", s)
		w.writeRules(m, s.rules[1:], null)
	default:
		w.writeRules(m, s.rules, null)
	}
}

// writeTitles writes the enum of s with its titles, for a form:
//
//	keyword "oneOf"   "oneOf":[{"const":"r","title":"Red"}]
//	forJuneForm       "enum":["r"],"enumNames":["Red"]
func (w *schemaWriter) writeTitles(m *members, keyword string, s *shape) {
	enum := s.rules.lookup(roleValues).value
	if w.use == forJuneForm {
		m.addRaw("enum", enum)
		var titles []string
		for _, text := range s.valueTexts {
			titles = append(titles, text.title)
		}
		m.addRaw("enumNames", encodeDocument(titles))
		return
	}
	var list []map[string]any
	for i, value := range itemsOf(enum) {
		list = append(list, map[string]any{"const": json.RawMessage(value), "title": s.valueTexts[i].title})
	}
	m.addRaw(keyword, encodeDocument(list))
}

// addEnum adds an enum of values, which is a JSON array. If null is set, it adds null as the
// last value.
func (m *members) addEnum(values []byte, null bool) {
	if m.addRaw("enum", values); null {
		m.buf = append(bytes.TrimSuffix(m.buf, []byte("]")), ",null]"...)
	}
}

// customIn returns the schema that the method JSONSchema of the type returned, as far as
// the dialect can express it. If 3.0.3 cannot express all of its constraints, only the
// type and the description remain. Other keywords could then reject valid values: a not
// with half of its constraints excludes more.
func (s *shape) customIn(d dialect) map[string]any {
	if d != openAPI30 || s.custom == nil {
		return s.custom
	}
	exact := true
	all := schema30(s.custom, &exact).(map[string]any)
	if exact {
		return all
	}
	maps.DeleteFunc(all, func(name string, value any) bool {
		_, isText := value.(string)
		return !isText || value == "null" || name != "description" && name != "type"
	})
	if all["type"] == "array" {
		all["items"] = map[string]any{} // required by 3.0.3 beside the type
	}
	return all
}

// These are the keywords that mean the same in OpenAPI 3.0.3 (section 4.7.24) and in
// 2020-12, and the annotations of 2020-12 that 3.0.3 does not have. Annotations reject no
// value, so schemas of 3.0.3 leave these out.
const (
	keywords30 = " title description format default example deprecated readOnly writeOnly nullable externalDocs enum multipleOf minimum " +
		"maximum minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required items not allOf anyOf " +
		"oneOf properties additionalProperties "
	unknown30 = " $anchor $comment $id $schema contentEncoding contentMediaType contentSchema "
)

// schema30 returns v, a schema of 2020-12 or a part of one, as a schema of 3.0.3. It sets exact to
// false if the result does not mean the same. 3.0.3 has fewer keywords, allows only one example,
// lacks the schemas true and false and the type null, and requires items for an array.
//
//	{"type":"string","examples":["a","b"]}  {"type":"string","example":"a"}
//	{"type":["string","null"]}              {"type":"string","nullable":true}
//	{"type":["string","integer"]}           not exact: a type is one name
func schema30(v any, exact *bool) any {
	schema, isObject := v.(map[string]any)
	jsonType, nullable := splitNull(schema["type"])
	*exact = *exact && isObject && (jsonType != "array" || schema["items"] != nil)
	out := make(map[string]any)
	if nullable {
		out["nullable"] = true
	}
	for name, value := range schema {
		_, isBool := value.(bool)
		switch {
		case name == "examples":
			if list, _ := value.([]any); len(list) > 0 && schema["example"] == nil {
				out["example"] = list[0]
			}
		case strings.Contains(unknown30, " "+name+" "):
		case name == "additionalProperties" && isBool:
			out[name] = value
		case name == "type":
			_, isText := jsonType.(string)
			out[name], *exact = jsonType, *exact && isText && jsonType != "null"
		default:
			*exact = *exact && (strings.Contains(keywords30, " "+name+" ") || strings.HasPrefix(name, "x-"))
			out[name] = eachSchema(name, value, func(part any) any { return schema30(part, exact) })
		}
	}
	return out
}

// splitNull splits null off a list of two types: it returns the other type and true. It returns
// anything else unchanged.
func splitNull(jsonType any) (other any, nullable bool) {
	if list, _ := jsonType.([]any); len(list) == 2 {
		switch "null" {
		case list[0]:
			return list[1], true
		case list[1]:
			return list[0], true
		}
	}
	return jsonType, false
}

// constrains reports whether the schema that JSONSchema of the type returns is more than a
// description.
func (s *shape) constrains(d dialect) bool {
	custom := s.customIn(d)
	return len(custom) > 1 || len(custom) == 1 && custom["description"] == nil
}

// writeCustom writes the schema that JSONSchema returned for the value of the field f. The schema
// is a map, so it sorts the keywords.
func (w *schemaWriter) writeCustom(m *members, s *shape, f *field, null bool) {
	custom := s.customIn(w.dialect)
	for _, name := range slices.Sorted(maps.Keys(custom)) {
		if name == "description" && f.doc.text != "" { // writeAnnotations writes the description of the field
			continue
		}
		value := custom[name]
		if enum, ok := value.([]any); ok && null && name == "enum" && !slices.Contains(enum, nil) {
			value = append(slices.Clone(enum), nil)
		}
		m.addRaw(name, encodeDocument(value))
	}
}

// writeTyped writes the type of a scalar, a list or a map. It writes the bounds of the Go type
// unless the format or an enum implies them. The field's own bounds, which are never wider, replace
// them.
func (w *schemaWriter) writeTyped(m *members, s *shape, f *field) {
	m.addText("type", s.jsonType(anywhere))
	format, low, high := s.formatAndBounds(w.dialect)
	if s.kind == kindUint && s.exceedsInt64(f) {
		format = ""
		low, high = s.integerBounds()
	}
	if s.format != "" {
		format = s.format
		if s.kind.isMachineInteger() { // a format in a tag does not imply the bounds, unlike the format of the type
			low, high = s.integerBounds()
		}
	}
	if s.kind == kindFloat && s.bits == 32 && format != "float" {
		low, high = "-"+float32Bound, float32Bound
	}
	if s.kind == kindBytes && w.use != forDocument { // readers of MCP know this, and not the format
		m.add("contentEncoding", "base64", "pattern", base64Pattern)
		format = ""
	}
	m.add("format", format)
	if s.rules.lookup(roleValues) == nil {
		if s.rules.lookup(roleLow) == nil {
			m.add("minimum", []byte(low))
		}
		if s.rules.lookup(roleHigh) == nil {
			m.add("maximum", []byte(high))
		}
	}
	switch s.kind {
	case kindDuration:
		w.writePattern(m, durationPattern, kindNotes[kindDuration])
	case kindSlice, kindArray:
		m.addName("items")
		m.buf = w.appendShape(m.buf, s.elem)
		if s.kind == kindArray {
			n := strconv.AppendInt(nil, int64(s.typ.Len()), 10)
			m.addRaw("minItems", n)
			m.addRaw("maxItems", n)
		}
	case kindMap:
		if w.dialect != openAPI30 {
			w.writeNames(m, s.key)
		}
		m.addName("additionalProperties")
		m.buf = w.appendShape(m.buf, s.elem)
	}
}

// writeNames writes propertyNames, the schema of the member names of a map with this key. Names are
// strings, so for an integer key it writes an enum or a pattern:
//
//	map[uint8]bool  "propertyNames":{"pattern":"^(0|[1-9][0-9]{0,2})$"}
func (w *schemaWriter) writeNames(m *members, key *shape) {
	at := m.open("propertyNames", '{')
	switch enum := key.rules.lookup(roleValues); {
	case enum != nil:
		m.addRaw("enum", enum.listTexts(key))
	case key.custom != nil:
		w.writeCustom(m, key, anywhere, false)
	case key.kind.isMachineInteger():
		w.writePattern(m, key.numberPattern(), key.quotedNote())
	}
	m.closeSome(at, '}')
}

// writeQuoted writes the type of a number tagged `json:",string"`: a string that contains the JSON
// number.
func (w *schemaWriter) writeQuoted(m *members, s *shape) {
	m.addText("type", "string")
	w.writePattern(m, s.numberPattern(), s.quotedNote())
}

// writePattern writes a pattern that is not a rule of the author, and notes what it means.
func (w *schemaWriter) writePattern(m *members, pattern, words string) {
	m.addText("pattern", pattern)
	w.noteWords(pattern, words)
}

// noteWords notes the meaning of a pattern: "" if it has no words, or different words in a
// different field.
func (w *schemaWriter) noteWords(pattern, words string) {
	if w.words == nil || pattern == "" {
		return
	}
	if known, ok := w.words[pattern]; ok && known != words {
		words = ""
	}
	w.words[pattern] = words
}

// formatAndBounds returns the format of a scalar, and the bounds of its Go type unless the format
// implies them:
//
//	int8, int16            int32, with both bounds
//	int32                  int32, with both bounds unless in 3.0.3
//	int                    int64, and in 3.0.3 int32 without bounds
//	int64                  int64
//	uint8, uint16          int32, with both bounds
//	uint32                 int64, with both bounds
//	uint, uint64           int64, with the minimum 0 and no maximum; none, with both
//	                       bounds, if a rule or the default exceeds int64
//	float32, float64       float, double
//	time.Time              date-time
//	[]byte                 byte
//	strings, json.Number   none
//
// Every dialect uses the formats of OpenAPI 3.0.3, because 2020-12 leaves formats open and code
// generators know these. OpenAPI has none for unsigned integers, so they get the next signed format
// that holds them.
//
// In 3.0.3 an int has the format int32, for which generators write the usual integer
// type of their language. The server does not enforce it. Validators of the other
// dialects may ignore formats, so int32 has a minimum and a maximum there.
func (s *shape) formatAndBounds(d dialect) (format, low, high string) {
	kind := s.typ.Kind()
	if s.kind != kindFloat && !s.kind.isMachineInteger() {
		return kindFormats[s.kind], "", ""
	}
	switch format = numberFormats[kind]; {
	case d == openAPI30 && (kind == reflect.Int || kind == reflect.Int32):
		return "int32", "", ""
	case s.kind == kindFloat || kind == reflect.Int || kind == reflect.Int64:
		return format, "", ""
	}
	if low, high = s.integerBounds(); s.bits == 64 {
		high = "" // the greatest uint64 would contradict the format int64
	}
	return format, low, high
}

// float32Bound is the greatest number that is rounded to a float of 32 bits: the text is below
// 2^128-2^103, from which on it would be infinite, and the nearest double to it.
const float32Bound = "3.4028235677973366e38"

var numberFormats = [...]string{
	reflect.Int: "int64", reflect.Int8: "int32", reflect.Int16: "int32", reflect.Int32: "int32", reflect.Int64: "int64",
	reflect.Uint: "int64", reflect.Uint8: "int32", reflect.Uint16: "int32", reflect.Uint32: "int64", reflect.Uint64: "int64",
	reflect.Uintptr: "int64",
	reflect.Float32: "float", reflect.Float64: "double",
}

// kindNotes describe the strings of a kind, for readers of the page and of the TypeScript client.
// The client shows them as sentences.
var kindNotes = [...]string{
	kindTime: "a time by RFC 3339", kindDuration: "a duration, such as 1m30s", kindBytes: "base64",
	kindFile: "",
}

// quotedNote is the note of kindNotes for a number of shape s that is inside a string.
func (s *shape) quotedNote() string {
	if s.kind.isInteger() {
		return "an integer, in a string"
	}
	return "a number, in a string"
}

// exceedsInt64 reports whether a rule or the default of s, an unsigned integer in the field f,
// contains a number that the format int64 excludes.
func (s *shape) exceedsInt64(f *field) bool {
	for _, r := range s.rules {
		if slices.ContainsFunc(r.values, func(v reflect.Value) bool { return v.Uint() > math.MaxInt64 }) {
			return true
		}
	}
	n, ok := s.valueFor(string(f.def))
	return ok && n.Uint() > math.MaxInt64
}

// writeObject writes the object s. Fields that only a path or query tag names are not
// members.
func (w *schemaWriter) writeObject(m *members, s *shape) {
	m.addText("type", "object")
	at := m.open("properties", '{')
	for _, f := range s.fields {
		if !f.hidden {
			m.addName(f.name)
			m.buf = w.appendField(m.buf, f)
		}
	}
	if w.use == forToolInput || w.use >= forForm {
		// A form must have properties, even if it is empty (MCP 2025-11-25, ElicitRequest). If a
		// tool has none, OpenAI's API refuses all tools.
		m.end("}")
	} else {
		m.closeSome(at, '}')
	}
	at = m.open("required", '[')
	answered := w.use == forToolOutput || w.sent != nil && !w.sent[s.typ]
	for _, f := range s.fields {
		if !f.hidden && (f.isRequired() || answered && !f.optional) {
			m.addItem(f.name)
		}
	}
	m.closeSome(at, ']')
	switch {
	case s == w.open:
		m.addRaw("additionalProperties", []byte("true"))
	case s.strict:
		m.addRaw("additionalProperties", []byte("false"))
	}
}

// writeUnion writes the union s. In documents it is a oneOf with a discriminator, for which client
// generators produce exact types. The discriminator maps values to components only (OpenAPI 3.1.0,
// Discriminator Object), so it is left out if the alternatives are in place. It is an anyOf for the
// result of a ValueOrStream, which has no discriminator.
func (w *schemaWriter) writeUnion(m *members, s *shape) {
	keyword, mapping := "oneOf", openMembers(nil)
	if s.fields == nil {
		keyword = "anyOf"
	}
	m.open(keyword, '[')
	for _, a := range s.alternatives {
		m.separate()
		at := len(m.buf)
		m.buf = w.appendShape(m.buf, a)
		if ref := textAt(m.buf[at:], "$ref"); strings.HasPrefix(ref, componentPrefix) && s.fields != nil {
			mapping.addText(a.value, ref)
		}
	}
	m.end("]")
	if len(mapping.buf) > len("{") {
		m.open("discriminator", '{')
		m.addText("propertyName", s.fields[0].name)
		m.addRaw("mapping", mapping.close())
		m.end("}")
	}
}

// writeChoices writes a union by JSON type: anyOf its alternatives, each with its rules and its text.
func (w *schemaWriter) writeChoices(m *members, s *shape) {
	m.open("anyOf", '[')
	for _, f := range s.fields {
		m.separate()
		m.buf = w.appendField(m.buf, f)
	}
	m.end("]")
}

// writeRules writes the constraints of a value. If there are two bounds on one side, it writes only
// the tighter one, because 3.0.3 has room for only one and linters ask for one. In 3.0.3 the
// exclusive keywords are booleans beside the bound. If null is true, an enum lists null too.
func (w *schemaWriter) writeRules(m *members, rules ruleSet, null bool) {
	for _, r := range rules {
		switch {
		case !rules.isTightest(r):
		case r.in30 != "" && w.dialect == openAPI30:
			m.addRaw(r.in30, r.value)
			m.add(r.keyword, true)
		case r.role == roleFormat: // written with the type
		case r.role == roleValues:
			m.addEnum(r.value, null)
		default:
			m.addRaw(r.keyword, r.value)
			if w.words != nil && r.role == rolePattern {
				w.noteWords(textOr(string(r.value)), r.hint)
			}
		}
	}
}

// isTightest reports whether no other bound in rs makes r superfluous. A bound is tighter than a
// second one on the same side if the number of the second violates it: 5 violates exclusiveMinimum
// 5, but not minimum 5.
func (rs ruleSet) isTightest(r rule) bool {
	return r.role != roleLow && r.role != roleHigh || !slices.ContainsFunc(rs, func(rival rule) bool {
		return rival.role == r.role && rival.keyword != r.keyword && !r.violates(rival.values[0])
	})
}

// writeAnnotations writes the annotations of a field. Nothing enforces them; the
// default is also the value that the decoder sets for an absent field. s is the shape of the value
// if its schema is in place: without a text of the field, the text of the type is there.
func (w *schemaWriter) writeAnnotations(m *members, f *field, s *shape) {
	switch {
	case f.isDescribed():
		m.add("description", w.textOf(f.doc.join("\n\n", w.valueList(s))), "deprecated", f.deprecated)
	case s == nil:
	case f == anywhere, s.isComponent():
		w.writeAbout(m, s)
	case s.custom["description"] == nil:
		m.add("description", w.textOf(w.valueList(s)))
	}
	if w.use == forToolInput {
		m.add("x-mcp-header", f.mcpHeader)
	}
	m.add("default", f.def)
	switch {
	case f.example == nil:
	case w.dialect == openAPI30:
		m.addRaw("example", f.example)
	default:
		m.add("examples", [][]byte{f.example})
	}
}

// valueList returns the list of the values of s, which is written in place, or nil. Forms have
// titles instead, and models do not need the list for outputs.
func (w *schemaWriter) valueList(s *shape) prose {
	if s == nil || w.use >= forToolOutput {
		return prose{}
	}
	return s.valueList()
}

// writeAbout writes the annotations of a type: its comment, unless a method JSONSchema says more.
// The top-level object of a form has no annotations (MCP 2025-11-25, ElicitRequest).
func (w *schemaWriter) writeAbout(m *members, s *shape) {
	if w.use >= forForm && s.kind == kindObject {
		return
	}
	if s.custom["description"] == nil && w.use != forToolOutput { // a model sees an output when it gets one
		m.add("description", w.textOf(s.about.join("\n\n", w.valueList(s))))
	}
	m.add("deprecated", s.gone && s.custom["deprecated"] == nil)
}

// textOf returns the form of a text that readers expect: Markdown in documents (OpenAPI 3.1.0, Rich
// Text Formatting), and plain text on the page and for models.
func (w *schemaWriter) textOf(p prose) string {
	if w.use == forDocument && !w.plain {
		return p.markdown
	}
	return p.text
}

// isDescribed reports whether the field has its own text.
func (f *field) isDescribed() bool { return f.doc.text != "" || f.deprecated }

// appendParameter appends the schema of a field that a parameter sets. It describes the
// value, not its text: ?n=5 has the type integer.
func (w *schemaWriter) appendParameter(dst []byte, f *field) []byte {
	target := f.shape.deref()
	if target.kind == kindSlice {
		list := *target
		list.elem, target = list.elem.deref(), &list
	}
	p := f.asParameter()
	return w.appendPlain(dst, target, &p, true)
}

// appendWholeBody appends the schema of a field that is the whole body. The description belongs to
// the body.
func (w *schemaWriter) appendWholeBody(dst []byte, f *field) []byte {
	p := *f
	p.doc, p.deprecated = prose{}, false
	return w.appendField(dst, &p)
}

// asParameter returns a copy of f for use in a URL, where a `json:",string"` value
// is not quoted. The description belongs to the parameter, not to its schema.
func (f *field) asParameter() field {
	p := *f
	p.doc, p.deprecated = prose{}, false
	if f.quoted {
		p.quoted, p.def, p.example = false, unquotedLiteral(f.def), unquotedLiteral(f.example)
	}
	return p
}

// unquotedLiteral returns the JSON inside a JSON string, or nil if the string is not JSON: the
// default "5" of a `json:",string"` integer is 5 in a URL.
func unquotedLiteral(quoted []byte) []byte {
	if quoted == nil || !isJSON(textOf(quoted)) {
		return nil
	}
	return textOf(quoted)
}

// appendPathParameter appends the schema of a field that the path sets. In 3.0.3 it is
// always a string, with an enum or a pattern for the texts that the binder accepts.
func (w *schemaWriter) appendPathParameter(dst []byte, f *field) []byte {
	p := f.asParameter()
	p.def = nil // a path always includes the value
	target := f.shape.deref()
	if w.dialect != openAPI30 || target.kind.isStringy() {
		return w.appendParameter(dst, &p)
	}
	m := openMembers(dst)
	m.addText("type", "string")
	enum := target.rules.lookup(roleValues)
	switch {
	case target.kind == kindBool:
		m.addRaw("enum", []byte(`["true","false"]`))
	case enum != nil:
		m.addRaw("enum", enum.listTexts(target))
	case target.kind.isInteger():
		m.addText("pattern", pathIntegerPattern)
	default:
		m.addText("pattern", anyNumberPattern)
	}
	if p.example != nil {
		p.example = appendQuoted(nil, p.example)
	}
	w.writeAnnotations(&m, &p, target)
	return m.close()
}

// listTexts returns the values of an enum of shape s as a JSON array of strings, as they are
// written in a path or as names. Each integer has one spelling there, however the tag spells it.
func (r *rule) listTexts(s *shape) []byte {
	if s.kind.isStringy() {
		return r.value
	}
	var texts []string
	for i, num := range itemsOf(r.value) {
		if s.kind != kindFloat {
			num = []byte(literalText(r.values[i]))
		}
		texts = append(texts, string(num))
	}
	return encodeDocument(texts)
}

// members appends a JSON object to buf member by member, in the order of the calls, and the
// objects and lists in it where they stand. It quotes names and does not detect repeated
// names. It is for documents and the small objects of the protocols, whose order is a part
// of the published text: encoding/json would read each object again for the outer one.
type members struct{ buf []byte }

// openMembers begins an object at the end of dst.
func openMembers(dst []byte) members { return members{append(dst, '{')} }

// separate writes the comma before a name or an item. The first one follows a bracket, and
// a value a colon; no value ends in these.
func (m *members) separate() {
	if last := m.buf[len(m.buf)-1]; last != '{' && last != '[' && last != ':' {
		m.buf = append(m.buf, ',')
	}
}

// addName appends a name and the colon. Append the value to buf after it.
func (m *members) addName(name string) {
	m.separate()
	m.buf = append(appendQuoted(m.buf, name), ':')
}

// addText adds a member that is a string.
func (m *members) addText(name, value string) {
	m.addName(name)
	m.buf = appendQuoted(m.buf, value)
}

// addRaw adds a member whose value is JSON already.
func (m *members) addRaw(name string, value []byte) {
	m.addName(name)
	m.buf = append(m.buf, value...)
}

// add adds members, given as their names, each followed by its value. The values are:
//
//	Type               In the object               Left out
//	-----------------  --------------------------  -------------------------------------
//	string             a string                    if empty
//	bool               true                        if false
//	[]byte             the JSON that it is         if empty
//	[][]byte           a list of such texts        if nil: an empty list can mean something
//	map[string][]byte  an object, names in order   if empty
func (m *members) add(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		switch value := pairs[i+1].(type) {
		case string:
			if value != "" {
				m.addText(name, value)
			}
		case bool:
			if value {
				m.addRaw(name, []byte("true"))
			}
		case []byte:
			if len(value) > 0 {
				m.addRaw(name, value)
			}
		case [][]byte:
			if value != nil {
				m.addRaw(name, slices.Concat([]byte("["), bytes.Join(value, []byte(",")), []byte("]")))
			}
		case map[string][]byte:
			at := m.open(name, '{')
			names := slices.AppendSeq(make([]string, 0, len(value)), maps.Keys(value))
			slices.Sort(names)
			for _, name := range names {
				m.addRaw(name, value[name])
			}
			m.closeSome(at, '}')
		default: // without the value in the message, which would move every value to the heap
			panic("svc: a value in a document is of another type")
		}
	}
}

// open begins a member that is an object or a list, and returns its place for closeSome.
func (m *members) open(name string, bracket byte) int {
	at := len(m.buf)
	m.addName(name)
	m.buf = append(m.buf, bracket)
	return at
}

// openItem begins an object that is an item of a list, or the value of the last name.
func (m *members) openItem() {
	m.separate()
	m.buf = append(m.buf, '{')
}

// addItem adds an item that is a string.
func (m *members) addItem(value string) {
	m.separate()
	m.buf = appendQuoted(m.buf, value)
}

// end appends the closing brackets of what open and openItem began.
func (m *members) end(brackets string) { m.buf = append(m.buf, brackets...) }

// closeSome ends the member that open began at this place, and removes the member if it is
// empty.
func (m *members) closeSome(at int, bracket byte) {
	if m.buf[len(m.buf)-1] == bracket-2 { // in ASCII the brackets of a pair are two apart
		m.buf = m.buf[:at]
	} else {
		m.buf = append(m.buf, bracket)
	}
}

// close ends the object and returns buf.
func (m *members) close() []byte { return append(m.buf, '}') }

// object returns a new object with these members; see members.add.
func object(pairs ...any) []byte {
	m := openMembers(make([]byte, 0, 128)) // most fit
	m.add(pairs...)
	return m.close()
}

// encodeDocument returns a value in a document as JSON, without escaping <, > and &. It panics if
// encoding/json cannot encode v. It is slower than members, so it is for values of many types, such
// as the schemas of JSONSchema.
func encodeDocument(v any) []byte {
	text, ok := plainJSON(v)
	if !ok {
		panic("svc: a document is not JSON")
	}
	return text
}

// components are the schemas under components/schemas of an OpenAPI or OpenRPC document. A type is
// included only if something refers to it, because linters complain about unused components. An
// input that comes from the query, for example, is not.
//
// Invariant: schemas has the name of each shape in pending, with nil.
type components struct {
	writer  schemaWriter
	names   map[*shape]string // lacks types without a component
	schemas map[string][]byte
	pending []*shape // not written yet, in the order of their first references
}

// newComponents returns empty components of a document whose clients send the types sent. It
// copies names, since the builder of a document adds names for parts of types, such as
// UpdateTodoBody.
func newComponents(d dialect, names map[*shape]string, sent map[reflect.Type]bool) *components {
	c := &components{names: maps.Clone(names), schemas: make(map[string][]byte)}
	c.writer = schemaWriter{dialect: d, ref: c.referShape, prefix: componentPrefix, sent: sent}
	return c
}

// referShape returns the name of the component of s, and adds the component to the document. It
// returns "" if the schema must be written in place: only named struct types and enums become
// components.
func (c *components) referShape(s *shape) string {
	name := c.names[s]
	if name == "" || !s.isComponent() {
		return ""
	}
	if _, known := c.schemas[name]; !known {
		c.schemas[name] = nil
		c.pending = append(c.pending, s)
	}
	return name
}

// writeSchemas writes the pending schemas, which may add others, and returns all schemas. A
// component does not include the constraints and description of a field: they stand beside the
// $ref.
func (c *components) writeSchemas() map[string][]byte {
	texts := make([]byte, 0, 512*len(c.pending)) // one behind the other; most fit
	for ; len(c.pending) > 0; c.pending = c.pending[1:] {
		start, m := len(texts), openMembers(texts)
		c.writer.writePlain(&m, c.pending[0], anywhere, false)
		c.writer.writeAbout(&m, c.pending[0])
		texts = m.close() // if append moved the array, earlier schemas keep their text in the old one
		c.schemas[c.names[c.pending[0]]] = texts[start:]
	}
	return c.schemas
}

// componentPrefix begins a reference to a schema, before its name.
const componentPrefix = "#/components/schemas/"
