package svc

// This file writes the types of a TypeScript client. They are the types of the OpenAPI 3.1
// document, under the same names, with these differences:
//
//	an input    has the fields of the path, the query and headers as members too
//	an output   has the fields that are headers as members too
//	a name      is valid in TypeScript: a.b is a_b, and Response, which the client needs itself,
//	            is Response_
//
// In this order: the declarations and their names; the members of inputs and outputs; the types
// of values; types by a method JSONSchema; names and texts in TypeScript. typescript_doc.go has
// the comments.

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A clientTypes writes the declarations of types. It writes each component when something refers to
// it for the first time, so the order is good for reading: an input, its parts, the output.
type clientTypes struct {
	service    *service
	forReaders bool                     // the declarations are documentation: see appendInPlace and appendMemberType
	sent       map[reflect.Type]bool    // the types that clients send
	answered   map[reflect.Type]bool    // the types that clients get
	names      map[string]string        // of components, by their names in documents
	taken      map[string]bool          // names of types
	components map[string]*clientType   // the referenced components, by their names in documents
	inputs     map[*binding]*clientType // of methods; methods with the same binding share a type
	outputs    map[*shape]*clientType   // of methods, with headers as members
	members    map[inputForm][]clientMember
	open       *shape        // an object to which applications add other members, or nil
	list       []*clientType // all of them, in the order of the text
}

// A clientType is the declaration of one type.
type clientType struct {
	role  typeRole
	shape *shape
	title string      // the name of the type in documents
	name  string      // in the client; "" until nameTypes chooses it
	doc   []byte      // a comment
	body  []byte      // the text after the name, such as " {\n  id: string;\n}"
	more  []byte      // of an output: the members that the component lacks; nil if body has all members
	base  *clientType // the type that it extends, or nil
	in    *method     // the first with this input

	members []clientMember // of an output
}

// A typeRole is the use of a type. If several types have the same name in documents, the first role
// gets it.
type typeRole uint8

const (
	ofComponent typeRole = iota // a value anywhere
	ofOutput                    // of a method, with headers
	ofInput                     // of a method
)

// roleSuffixes are appended to the name of a type that also has a different role.
var roleSuffixes = [...]string{ofOutput: "Response", ofInput: "Input"}

// typeWords are the words of TypeScript that cannot name a type, and the functions that a client
// exports.
const typeWords = "any as asserts async await bigint boolean break case catch class const continue debugger default delete do else enum " +
	"export extends false finally for function if implements import in infer instanceof interface is keyof let never new null number " +
	"object private protected public return satisfies static string super switch symbol this throw true try type typeof undefined unique " +
	"unknown var void while with yield " +
	"connect limits rules values"

// globalTypes are the types of the language that clients use by name. The list never grows, so that
// new parts of the runtime do not change the name of a type: they write other types as
// globalThis.Map.
const globalTypes = "AbortSignal Array ArrayBuffer AsyncGenerator Blob FormData Headers Partial Pick Promise ReadableStream Readonly " +
	"Record RequestInit Response Uint8Array"

// newClientTypes returns a writer of the types in methods of s.
func newClientTypes(s *service, methods []*method, forReaders bool) *clientTypes {
	t := &clientTypes{
		service: s, forReaders: forReaders, sent: sentTypes(methods), answered: structsOf(methods, func(m *method) *shape { return m.out }),
		names: make(map[string]string), taken: make(map[string]bool), components: make(map[string]*clientType),
		inputs: make(map[*binding]*clientType), outputs: make(map[*shape]*clientType), members: make(map[inputForm][]clientMember),
	}
	for _, word := range strings.Fields(typeWords + " " + globalTypes + " " + exportedTypes) {
		t.taken[word] = true
	}
	for _, s := range t.service.types {
		if name := t.service.typeNames[s]; t.names[name] == "" {
			t.names[name] = t.takeName(name)
		}
	}
	return t
}

// takeName returns a name of TypeScript for a type, which no other type has.
func (t *clientTypes) takeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '_'
	}, name)
	if name == "" || isDigit(name[0]) {
		name = "_" + name
	}
	for t.taken[name] {
		name += "_"
	}
	t.taken[name] = true
	return name
}

// nameTypes gives the inputs and outputs their names. The component gets the name Todo if it is
// used; otherwise the output, and otherwise the input. The others are TodoResponse and TodoInput,
// unless they have the members of the component.
func (t *clientTypes) nameTypes() {
	owners := maps.Clone(t.components)
	for role := ofOutput; role <= ofInput; role++ {
		for _, d := range t.list {
			if d.role != role {
				continue
			}
			switch owner := owners[d.title]; {
			case owner == nil && t.names[d.title] != "":
				owners[d.title], d.name = d, t.names[d.title]
			case owner != nil && bytes.Equal(owner.body, d.body):
				d.name = owner.name
			default:
				d.name = t.takeName(d.title + roleSuffixes[role])
			}
			if component := t.components[d.title]; component != nil && d.more != nil && d.name != component.name {
				d.doc = appendComment(nil, "", []string{component.name + ", with what the headers of the response say."})
				d.body = slices.Concat([]byte(" extends "), []byte(component.name), []byte(" {\n"), d.more, []byte("}"))
				d.base = component
			}
		}
	}
}

// appendTypes appends all declarations.
func (t *clientTypes) appendTypes(dst []byte) []byte {
	written := make(map[string]bool)
	write := func(d *clientType) {
		if written[d.name] {
			return
		}
		written[d.name] = true
		keyword := "export interface "
		if d.body[1] == '=' {
			keyword = "export type "
		}
		dst = append(append(append(dst, d.doc...), keyword...), d.name...)
		dst = append(append(dst, d.body...), "\n\n"...)
	}
	for _, d := range t.list {
		if d.base != nil {
			write(d.base)
		}
		write(d)
	}
	return dst
}

// declare adds a declaration, whose body is still to be written.
func (t *clientTypes) declare(role typeRole, s *shape, title string) *clientType {
	d := &clientType{role: role, shape: s, title: title, doc: appendComment(nil, "", s.aboutLines())}
	t.list = append(t.list, d)
	return d
}

// refer returns the name of the component of s, which it writes at the first call, or "" if the
// type is to be written in place.
func (t *clientTypes) refer(s *shape) string {
	base := t.service.typeNames[s]
	if base == "" || !s.isComponent() {
		return ""
	}
	if known := t.components[base]; known != nil {
		return known.name
	}
	d := t.declare(ofComponent, s, base)
	d.name = cmp.Or(t.names[base], base)
	t.components[base] = d
	switch {
	case s.alternatives != nil:
		d.body = []byte(" =")
		for _, a := range s.alternatives {
			d.body = t.appendPlain(append(d.body, "\n  | "...), a, anywhere, "  ")
		}
		d.body = append(d.body, ';')
	case s.kind == kindByType:
		d.body = []byte(" =\n")
		for _, f := range s.fields {
			d.body = appendComment(d.body, "  ", (&clientMember{field: f, in: inBody}).lines(t.forReaders))
			d.body = append(t.appendChoice(append(d.body, "  | "...), s, f), '\n')
		}
		d.body[len(d.body)-1] = ';'
	case s.kind == kindObject && s.custom == nil:
		d.body = t.appendMembers([]byte(" {\n"), t.jsonMembers(s), "  ")
		if s == t.open {
			d.body = append(d.body, "  [more: string]: unknown;\n"...)
		}
		d.body = append(d.body, '}')
	default:
		d.body = append(t.appendInPlace([]byte(" = "), s, anywhere, ""), ';')
	}
	return d.name
}

// appendChoice appends the type of f, an alternative of the component s. Where that contains itself, a
// map is written out: TypeScript takes Foo in Record<string, Foo> for a circle.
func (t *clientTypes) appendChoice(dst []byte, s *shape, f *field) []byte {
	if !s.recursive || f.shape.kind != kindMap {
		return t.appendPlain(dst, f.shape, f, "  ")
	}
	if f.shape.key.rules.lookup(roleValues) != nil {
		dst = append(t.appendPlain(append(dst, "{ [name in "...), f.shape.key, anywhere, "  "), "]?: "...)
	} else {
		dst = append(dst, "{ [name: string]: "...)
	}
	return append(t.appendValue(dst, f.shape.elem, anywhere, "  "), " }"...)
}

// inputOf returns the type of the input of m, or nil.
func (t *clientTypes) inputOf(m *method) *clientType {
	if m.in == nil {
		return nil
	}
	d := t.inputs[m.bind]
	if d != nil {
		return d
	}
	base := cmp.Or(t.service.typeNames[m.in], capitalized(onlyNameBytes(m.resource))+m.goName)
	d = t.declare(ofInput, m.in, base)
	d.in, t.inputs[m.bind] = m, d
	switch members := t.inputMembers(m, m.in); {
	case m.in.alternatives == nil:
		d.body = append(t.appendMembers([]byte(" {\n"), members, "  "), '}')
	case m.bind.rest.inBody == m.in:
		d.body = append(append([]byte(" = "), t.refer(m.in)...), ';')
		if c := t.components[base]; c != nil {
			d.body = c.body // it is the same type
		}
	default:
		d.body = []byte(" =")
		for _, a := range m.in.alternatives {
			d.body = append(t.appendMembers(append(d.body, "\n  | {\n"...), t.inputMembers(m, a), "      "), "    }"...)
		}
		d.body = append(d.body, ';')
	}
	return d
}

// outputOf returns the type of the output of m if it has headers, and else nil.
func (t *clientTypes) outputOf(m *method) *clientType {
	if !m.hasMoreMembers() {
		return nil
	}
	d := t.outputs[m.out]
	if d != nil {
		return d
	}
	members, more := t.outputMembers(m)
	if len(members) == 0 {
		return nil
	}
	d = t.declare(ofOutput, m.out, cmp.Or(t.service.typeNames[m.out], capitalized(onlyNameBytes(m.resource))+m.goName))
	t.outputs[m.out], d.members = d, members
	d.body = append(t.appendMembers([]byte(" {\n"), members, "  "), '}')
	if len(more) > 0 {
		d.more = t.appendMembers(nil, more, "  ")
	}
	return d
}

// A clientMember is a member of an object in TypeScript.
type clientMember struct {
	*field
	name     string
	in       string // where it is in a request or a response: the name of a where, or inStatus
	wire     string // its name there, unless it is a member of an object
	style    style
	optional bool
	sent     bool // sent by clients: undefined is the same as an absent member
	answered bool // by the service
}

// jsonMembers returns the members of the object s as they are in JSON.
func (t *clientTypes) jsonMembers(s *shape) []clientMember {
	list := make([]clientMember, 0, len(s.fields))
	for _, f := range s.fields {
		if !f.hidden {
			list = append(list, clientMember{field: f, name: f.name, in: inBody, optional: t.isOptional(s, f), sent: t.sent[s.typ],
				answered: t.answered[s.typ]})
		}
	}
	return list
}

// isOptional reports whether the member f of s can be absent, as schemaWriter.writeObject says.
func (t *clientTypes) isOptional(s *shape, f *field) bool {
	return !f.isRequired() && (t.sent[s.typ] || f.optional)
}

// An inputForm is the input of the methods with one binding, or one of its forms.
type inputForm struct {
	bind *binding
	form *shape
}

// inputMembers returns what m.inputMembers does, made once.
func (t *clientTypes) inputMembers(m *method, form *shape) []clientMember {
	key := inputForm{m.bind, form}
	list, known := t.members[key]
	if !known {
		list = m.inputMembers(form, t.forReaders)
		for i := range list {
			list[i].answered = t.answered[form.typ]
		}
		t.members[key] = list
	}
	return list
}

// inputMembers returns the members of s, the input of m or one of its forms, in the order of the
// fields. Without cookies it leaves out the cookies, which the browser of a page sends.
func (m *method) inputMembers(s *shape, cookies bool) []clientMember {
	list := make([]clientMember, 0, len(s.fields)+1)
	for _, f := range s.fields {
		place := m.bind.placeOf[f]
		if wheres[place.where].ofBrowser && !cookies {
			continue
		}
		member := clientMember{field: f, name: f.name, in: place.where.String(), wire: place.sourceName, style: place.style,
			optional: place.where != wherePath && !f.isRequired(), sent: true}
		if f.isNameless() {
			member.name = ""
		}
		list = append(list, member)
	}
	if f := s.file; f != nil {
		place := m.bind.placeOf[f]
		inForm := place.where == whereForm
		member := clientMember{field: f, in: place.where.String(), wire: place.sourceName, style: place.style,
			optional: inForm && !f.isRequired(), sent: true}
		if f.tagged || inForm {
			member.name = f.name
		}
		list = append(list, member)
	}
	nameMembers(list)
	return list
}

// headerMember returns the name of the output member that is this header, or "".
func (d *clientType) headerMember(header string) string {
	i := slices.IndexFunc(d.members, func(m clientMember) bool { return m.in == inHeader && strings.EqualFold(m.wire, header) })
	if i < 0 {
		return ""
	}
	return d.members[i].name
}

// hasMoreMembers reports whether the output of m has members that are headers or the status.
func (m *method) hasMoreMembers() bool {
	return (m.headers != nil || m.chosen != nil) && m.out.alternatives == nil && m.out.kind == kindObject
}

// outputMembers returns the members of the output of m, including headers and the status. more has
// the members that the component of the type lacks, and is nil if its other members differ.
func (t *clientTypes) outputMembers(m *method) (list, more []clientMember) {
	list = make([]clientMember, 0, len(m.out.fields)+1)
	headers := make(map[*field]*outputHeader)
	for i := 0; m.headers != nil && i < len(m.headers.fields); i++ {
		headers[m.headers.fields[i].field] = &m.headers.fields[i]
	}
	isMore := true
	for _, f := range m.out.fields {
		h := headers[f]
		switch {
		case h == nil && f.hidden, h != nil && h.canonical == "Set-Cookie": // no page can read it
			isMore = isMore && f.hidden
			continue
		case h == nil:
			list = append(list, clientMember{field: f, name: f.name, in: inBody, optional: t.isOptional(m.out, f), sent: t.sent[m.out.typ],
				answered: t.answered[m.out.typ]})
			continue
		}
		member := clientMember{field: f, in: inHeader, wire: h.bound[whereHeader], style: stylePlain, optional: !h.isSent()}
		if !f.hidden {
			member.name, isMore = f.name, false
		}
		list = append(list, member)
	}
	if m.chosen != nil {
		list = append(list, m.chosen.clientMember())
	}
	nameMembers(list)
	for _, member := range list {
		if isMore && member.in != inBody {
			more = append(more, member)
		}
	}
	return list, more
}

// inStatus is the place of a member of an output that is the status of the response.
const inStatus = "status"

// clientMember returns the member of an output for its status, which has the type 200 | 201.
func (f *statusField) clientMember() clientMember {
	var values [][]byte
	for _, status := range f.allowed {
		values = append(values, strconv.AppendInt(nil, int64(status), 10))
	}
	plan := &field{goName: f.goName, shape: &shape{kind: kindInt, typ: reflect.TypeFor[int]()}, hidden: true,
		only: bytes.Join(values, []byte(" | "))}
	plan.doc = plainProse("The status of the response.")
	return clientMember{field: plan, in: inStatus, style: stylePlain}
}

// nameMembers names the members without a wire name: like their Go fields, with the first word in
// lower case, and with an underscore appended if the name is taken.
func nameMembers(list []clientMember) {
	for i := range list {
		if list[i].name != "" {
			continue
		}
		name := lowerFirst(list[i].goName)
		for slices.ContainsFunc(list, func(other clientMember) bool { return other.name == name }) {
			name += "_"
		}
		list[i].name = name
	}
}

// lowerFirst returns a Go name with its first word in lower case:
//
//	IfMatch  ifMatch
//	ETag     eTag
//	URL      url
func lowerFirst(goName string) string {
	first := splitWords(goName)[0]
	return first + string([]rune(goName)[utf8.RuneCountInString(first):])
}

// appendMembers appends members, each in a line and behind its comment.
func (t *clientTypes) appendMembers(dst []byte, list []clientMember, indent string) []byte {
	for _, m := range list {
		dst = appendComment(dst, indent, m.lines(t.forReaders))
		dst = appendMemberName(append(dst, indent...), m.name)
		if m.optional {
			dst = append(dst, '?')
		}
		dst = append(dst, ": "...)
		at := len(dst)
		dst = t.appendMemberType(dst, m, indent)
		if m.optional && m.sent && !t.forReaders && string(dst[at:]) != "unknown" {
			dst = append(dst, orUndefined...)
		}
		dst = append(dst, ";\n"...)
	}
	return dst
}

// orUndefined is appended to the type of an optional member of an input, so that a form that
// spreads its values also compiles with exactOptionalPropertyTypes.
const orUndefined = " | undefined"

// appendMemberType appends the type of a member.
func (t *clientTypes) appendMemberType(dst []byte, m clientMember, indent string) []byte {
	switch {
	case m.shape.kind == kindFile && t.forReaders:
		return append(dst, "File"...)
	case m.shape.kind == kindFile && len(m.tags.types) > 1: // only a Blob says which
		return append(dst, "Blob"...)
	case m.shape.kind == kindFile && m.in == whereForm.String():
		return append(dst, "FormContent"...)
	case m.shape.kind == kindFile:
		return append(dst, "Content"...)
	case m.in == inHeader && m.wire != "" && m.shape.deref().kind == kindSlice: // of an output: one text, as fetch gives it
		return append(dst, "string"...)
	case m.style == styleJSON, m.style == styleWhole:
		return t.appendValue(dst, m.shape, m.field, indent)
	}
	target := m.shape.deref() // without null, which a URL, a header and a form do not have
	if target.kind == kindSlice {
		list := *target
		list.elem, target = list.elem.deref(), &list
	}
	return t.appendPlain(dst, target, m.field, indent)
}

// appendValue appends the type of a value of shape s in the field f. If the document allows null,
// it is the last alternative.
func (t *clientTypes) appendValue(dst []byte, s *shape, f *field, indent string) []byte {
	target := s.deref()
	at := len(dst)
	dst = t.appendPlain(dst, target, f, indent)
	if target != s && !f.notNull && string(dst[at:]) != "unknown" {
		dst = append(dst, " | null"...)
	}
	return dst
}

// appendPlain appends the type of a value that is not null.
func (t *clientTypes) appendPlain(dst []byte, s *shape, f *field, indent string) []byte {
	if name := t.refer(s); name != "" {
		return append(dst, name...)
	}
	return t.appendInPlace(dst, s, f, indent)
}

// appendInPlace is appendPlain without a reference to s. Readers also get the parts that a compiler
// cannot check: the sizes of integers, and the other keywords of a method JSONSchema.
func (t *clientTypes) appendInPlace(dst []byte, s *shape, f *field, indent string) []byte {
	enum := s.rules.lookup(roleValues)
	switch {
	case f.quoted:
		return append(dst, "string"...)
	case f.only != nil:
		return append(dst, f.only...)
	case enum != nil:
		return appendLiterals(dst, itemsOf(enum.value))
	case s.kind == kindCustom, s.custom != nil:
		dst = appendSchemaType(dst, s.custom)
		if t.forReaders && len(s.custom) > 0 {
			dst = append(append(append(dst, " /* "...), safeLine(string(encodeDocument(s.custom)))...), " */"...)
		}
		return dst
	case t.forReaders && (s.kind == kindInt || s.kind == kindUint):
		return append(dst, sizedName(s.typ)...)
	}
	switch s.kind {
	case kindSlice, kindArray:
		return t.appendList(dst, s.elem, indent)
	case kindMap:
		if s.key.rules.lookup(roleValues) != nil {
			dst = append(t.appendPlain(append(dst, "Partial<Record<"...), s.key, anywhere, indent), ", "...)
			return append(t.appendValue(dst, s.elem, anywhere, indent), ">>"...)
		}
		return append(t.appendValue(append(dst, "Record<string, "...), s.elem, anywhere, indent), '>')
	case kindObject:
		return t.appendObject(dst, s, indent)
	case kindByType: // without a name
		for i, f := range s.fields {
			if i > 0 {
				dst = append(dst, " | "...)
			}
			dst = t.appendPlain(dst, f.shape, f, indent)
		}
		return dst
	case kindFile:
		return append(dst, "Response"...)
	}
	return append(dst, scalarType(kindTypes[s.kind])...)
}

// sizedName returns the name of an integer type of Go, with its bits.
func sizedName(t reflect.Type) string {
	name := t.Kind().String()
	if !isDigit(name[len(name)-1]) { // int and uint
		name += "64"
	}
	return name
}

// scalarType returns the type of TypeScript for one of JSON; "" is any value. It returns "" for
// objects and arrays.
func scalarType(jsonType string) string {
	switch jsonType {
	case "":
		return "unknown"
	case "integer":
		return "number"
	case "string", "boolean", "number":
		return jsonType
	}
	return ""
}

// appendList appends the type of a list.
func (t *clientTypes) appendList(dst []byte, item *shape, indent string) []byte {
	at := len(dst)
	dst = t.appendValue(dst, item, anywhere, indent)
	if bytes.Contains(dst[at:], []byte(" | ")) && (dst[at] != '{' || item.deref().kind == kindByType) {
		dst = append(slices.Insert(dst, at, '('), ')')
	}
	return append(dst, "[]"...)
}

// appendObject appends the type of an object that is not a component.
func (t *clientTypes) appendObject(dst []byte, s *shape, indent string) []byte {
	for i, form := range s.forms() {
		if i > 0 {
			dst = append(dst, " | "...)
		}
		members := t.jsonMembers(form)
		if len(members) == 0 {
			dst = append(dst, "Record<string, never>"...)
			continue
		}
		dst = t.appendMembers(append(dst, "{\n"...), members, indent+"  ")
		dst = append(append(dst, indent...), '}')
	}
	return dst
}

// appendLiterals appends the union of these values, which are scalars in JSON.
func appendLiterals(dst []byte, values [][]byte) []byte {
	for i, value := range values {
		if i > 0 {
			dst = append(dst, " | "...)
		}
		if isText(value) {
			dst = appendScriptText(dst, textOr(string(value)))
		} else {
			dst = append(dst, value...)
		}
	}
	return dst
}

// appendSchemaType appends the type of the values of a schema that a method JSONSchema returned, as
// narrow as the keywords type, enum, const, anyOf, oneOf, items, properties and
// additionalProperties allow.
func appendSchemaType(dst []byte, schema map[string]any) []byte {
	enum, _ := schema["enum"].([]any)
	if value, ok := schema["const"]; ok {
		enum = []any{value}
	}
	if enum != nil {
		return appendLiteralsOf(dst, enum)
	}
	switch kind := schema["type"].(type) {
	case []any:
		for i, one := range kind {
			if i > 0 {
				dst = append(dst, " | "...)
			}
			part := maps.Clone(schema)
			part["type"] = one
			dst = appendSchemaType(dst, part)
		}
		return dst
	case string:
		switch kind {
		case "null":
			return append(dst, "null"...)
		case "array":
			items, _ := schema["items"].(map[string]any)
			return append(appendSchemaType(append(dst, "Array<"...), items), '>')
		case "object":
			return appendSchemaObject(dst, schema)
		}
		return append(dst, scalarType(kind)...)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		list, _ := schema[keyword].([]any)
		for i, one := range list {
			if i > 0 {
				dst = append(dst, " | "...)
			}
			part, _ := one.(map[string]any)
			dst = appendSchemaType(dst, part)
		}
		if list != nil {
			return dst
		}
	}
	return append(dst, "unknown"...)
}

// appendLiteralsOf is appendLiterals for values as encoding/json reads them. The type of an object
// or a list among them is unknown.
func appendLiteralsOf(dst []byte, values []any) []byte {
	var literals [][]byte
	for _, v := range values {
		text := encodeDocument(v)
		if isContainer(text) {
			return append(dst, "unknown"...)
		}
		literals = append(literals, text)
	}
	return appendLiterals(dst, literals)
}

// appendSchemaObject appends the type of an object by a method JSONSchema.
func appendSchemaObject(dst []byte, schema map[string]any) []byte {
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) == 0 {
		values, _ := schema["additionalProperties"].(map[string]any)
		return append(appendSchemaType(append(dst, "Record<string, "...), values), '>')
	}
	required, _ := schema["required"].([]any)
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(properties)) {
		if i > 0 {
			dst = append(dst, ';')
		}
		dst = appendMemberName(append(dst, ' '), name)
		if !slices.Contains(required, any(name)) {
			dst = append(dst, '?')
		}
		part, _ := properties[name].(map[string]any)
		dst = appendSchemaType(append(dst, ": "...), part)
	}
	return append(dst, " }"...)
}

// appendMemberName appends the name of a member: unchanged if it is an identifier, else in quotes.
func appendMemberName(dst []byte, name string) []byte {
	if isIdentifier(name) {
		return append(dst, name...)
	}
	return appendScriptText(dst, name)
}

// isIdentifier reports whether name is an identifier of ASCII letters, digits, _ and $, which
// may be a word of the language: those can be names of members.
func isIdentifier(name string) bool {
	return name != "" && !isDigit(name[0]) && !strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) && r != '$' })
}

// appendScriptText appends text as a string of TypeScript. It is a string of JSON, with escapes
// for characters that are invisible, for <, so that no text ends a script element, and for marks.
func appendScriptText(dst []byte, text string) []byte {
	quoted := appendQuoted(dst, text)
	if isPlainText(text) {
		return quoted
	}
	escapes := strings.NewReplacer("<", `\u003c`, beginTypes, `\u2039`, endTypes, `\u203a`)
	return append(dst, escapes.Replace(visibleText(string(quoted[len(dst):])))...)
}

// isPlainText reports whether text has only printable ASCII without <.
func isPlainText(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '<' {
			return false
		}
	}
	return true
}
