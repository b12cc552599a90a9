package svc

// This file serves a client of a service for TypeScript and JavaScript: a module without imports,
// made from the plans with which the service reads requests and writes responses. It knows things
// that an OpenAPI document cannot express, such as resuming streams, error reasons, and which calls
// may be sent again. In this order:
//
//   - the handler, CheckClient, and the two forms of the module
//   - the module, from the first line to the runtime
//   - the table of calls, which the runtime reads
//
// typescript_types.go writes the types, typescript_doc.go the comments, and typescript_rules.go the
// rules for forms. typescript_runtime.txt is the part that all services share.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// TypeScript returns a handler that serves a client of the REST routes of s, in one file without
// imports: types, calls, and further helpers for front ends. If the path ends in .js, it is the
// same module without types, for pages without a build:
//
//	client := service.TypeScript()
//	mux.Handle("/client.ts", client)
//	mux.Handle("/client.js", client)
//
// A page calls it like this, where url is the directory above [Service.Routes]:
//
//	import { connect } from "./client.js";
//	const api = connect({ url: "." });
//	const todo = await api.todos.create({ title: "Buy milk" });
//
// The text is the same in every process, has an ETag, and begins with a digest of what follows.
// Verbs other than GET and HEAD get 405. [CheckClient] keeps a copy current.
func (s *Service) TypeScript() http.Handler {
	module := sync.OnceValue(func() []byte { return appendClient(nil, &s.service) })
	typed := lazyDocument(func() []byte { return moduleForm(typedModule).serve(module()) })
	plain := lazyDocument(func() []byte { return moduleForm(plainModule).serve(module()) })
	return s.serveDocument("typescript", func(_ http.Header, r *http.Request) (*document, string, error) {
		if strings.HasSuffix(r.URL.Path, ".js") {
			return plain(), "text/javascript; charset=utf-8", nil
		}
		return typed(), "text/typescript; charset=utf-8", nil
	})
}

// CheckClient fails a test if a file differs from the client that [Service.TypeScript] serves. Use
// it for the copy that a front end is built with:
//
//	svc.CheckClient(t, newService(), "../web/src/client.ts", *update)
//
// With update, usually a flag of the test, CheckClient writes the file and its folders. Without it,
// the test fails if the file is missing or its text differs; \r\n at the end of a line counts as
// \n. A name that ends in .js means the client without types. A relative path begins at the
// directory of the tested package.
func CheckClient(t TestingT, s *Service, file string, update bool) {
	t.Helper()
	current := moduleForm(typedModule)
	if strings.HasSuffix(file, ".js") {
		current = plainModule
	}
	checkFile(t, file, current.serve(appendClient(nil, &s.service)), update, "the client of the service has another text now", nil)
}

// clientFiles has the part of the module that all services share. Embedding needs a variable; it is
// never written.
//
//go:embed typescript_runtime.txt
var clientFiles embed.FS

// clientRuntime returns the common part of the module, with marks.
func clientRuntime() string {
	source, _ := clientFiles.ReadFile("typescript_runtime.txt")
	return pageText(string(source))
}

// These marks enclose code that only TypeScript has, in the runtime and in the text written here.
// Marks are never nested, and texts of services do not contain them.
const (
	beginTypes = "‹"
	endTypes   = "›"
)

// A moduleForm appends a module in the form in which it is served.
type moduleForm func(dst, module []byte) []byte

// typedModule appends a module without the marks.
func typedModule(dst, module []byte) []byte {
	for {
		before, rest, found := bytes.Cut(module, []byte(beginTypes))
		marked, rest, _ := bytes.Cut(rest, []byte(endTypes))
		dst = append(append(dst, before...), marked...)
		if !found {
			return dst
		}
		module = rest
	}
}

// plainModule appends a module without the text between the marks. If that is whole lines, it also
// drops their line end, and an empty line after them.
func plainModule(dst, module []byte) []byte {
	for {
		before, rest, found := bytes.Cut(module, []byte(beginTypes))
		_, rest, _ = bytes.Cut(rest, []byte(endTypes))
		dst = append(dst, before...)
		if !found {
			return dst
		}
		if (len(dst) == 0 || dst[len(dst)-1] == '\n') && bytes.HasPrefix(rest, []byte("\n")) {
			rest = bytes.TrimPrefix(rest[1:], []byte("\n"))
		}
		module = rest
	}
}

// generatedMarks tell linters and formatters to leave a module alone. The mark for Prettier is in
// the first comment, where it looks for one.
const generatedMarks = `/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
` + beginTypes + `// For TypeScript 5.7 and newer.
` + endTypes

// serve returns a module in a form, behind a first comment with the digest of the lines below it.
func (form moduleForm) serve(module []byte) []byte {
	const before, digits = "/**\n * sha256-", "00000000000000000000000000000000"
	const first = before + digits + " of the lines below, which svc has written: do not edit them, fetch the file again.\n" +
		" *\n * @generated\n * @noprettier\n */\n"
	text := form(append(make([]byte, 0, len(first)+len(module)), first...), module)
	sum := sha256.Sum256(text[len(first):])
	hex.Encode(text[len(before):], sum[:len(digits)/2])
	return text
}

// A clientWriter writes the module of a service.
type clientWriter struct {
	*clientTypes
	methods []*method // with a route, in the order of the source
	calls   []clientCallText
	form    string // the type of errors in the forms of the service
}

// A clientCallText is the text of the module about one method.
type clientCallText struct {
	*method
	name string // in the client, such as planDay
	kind string // how its answer is read; see the type Row of the runtime
	typ  string // of the call, without type arguments
	in   *clientType
	out  *clientType // with headers, or nil
	body []byte      // the type of the answer, if out is nil
	item []byte      // the type of an item, if the output is a ValueOrStream
	form string      // the type of an error, if the service has its own form
}

// exportedTypes are the types that every client exports. Internal names of the runtime begin with
// $, which types of a service never do.
const exportedTypes = "Api Form Call CallError CallOptions Code ConnectOptions Content FormContent GetCall ListCall NoInput OwnReason " +
	"Pages Result StreamCall StreamOptions UploadCall UploadOptions ValueOrStream ValueOrStreamCall Violation"

// newClientWriter returns a writer that knows all types and calls of s, for a module or for readers.
func newClientWriter(s *service, forReaders bool) *clientWriter {
	methods := s.methodsOn(TransportREST)
	w := &clientWriter{clientTypes: newClientTypes(s, methods, forReaders), methods: inSourceOrder(methods)}
	for _, m := range w.methods {
		w.calls = append(w.calls, w.describeCall(m))
	}
	w.form = w.describeForm()
	w.nameTypes()
	return w
}

// appendClient appends the module of s, with marks.
func appendClient(dst []byte, s *service) []byte {
	w, runtime := newClientWriter(s, false), clientRuntime()
	dst = append(slices.Grow(dst, len(runtime)+1024*len(w.methods)), generatedMarks...)
	dst = w.appendHead(append(dst, "//\n"...))
	dst = append(dst, beginTypes...)
	dst = w.appendTypes(dst)
	dst = append(w.appendAPI(dst), endTypes+"\n\n"...)
	dst = w.appendTable(dst)
	dst = append(dst, connectText...)
	dst = w.appendValues(dst)
	dst = w.appendRules(dst)
	dst = w.appendLimits(dst)
	dst = append(dst, beginTypes+"/** The errors of the service in its own form, in CallError.form. */\nexport type Form = "+w.form+
		";"+endTypes+"\n\n"...)
	return append(dst, runtime...)
}

// connectText is the function that makes a client.
const connectText = `/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options` + beginTypes + `: ConnectOptions` + endTypes + ` = {})` + beginTypes + `: Api` + endTypes + ` {
  return $build($service, options)` + beginTypes + ` as Api` + endTypes + `;
}

`

// appendHead appends the comment about the module.
func (w *clientWriter) appendHead(dst []byte) []byte {
	for _, line := range commentLines(cmp.Or(w.service.about.text, w.service.opts.Name)) {
		for _, text := range appendWrapped(nil, line, maxCommentLine) {
			dst = append(append(dst, strings.TrimRight("// "+text, " ")...), '\n')
		}
	}
	if len(w.calls) == 0 { // the service has no methods over REST
		return append(dst, '\n')
	}
	example := w.calls[0]
	place := appendMemberName(nil, example.resource)
	if place[0] == '"' {
		place = slices.Concat([]byte("["), place, []byte("]"))
	} else {
		place = slices.Concat([]byte("."), place)
	}
	return append(dst, "//\n//     const api = connect({ url: \"/\" }); // the directory above the paths of the service\n//     api"+
		string(place)+"."+example.name+"(…)\n\n"...)
}

// describeCall returns the texts of the module about m, and declares its types.
func (w *clientWriter) describeCall(m *method) clientCallText {
	c := clientCallText{method: m, name: lowerFirst(m.goName), in: w.inputOf(m), typ: "Call"}
	c.out = w.outputOf(m)
	switch {
	case m.bare && c.out != nil:
		c.kind = "void"
	case m.out == nil || m.bare:
		c.kind, c.body = "void", []byte("void")
	case c.out == nil:
		c.body = w.appendPlain(nil, m.out, anywhere, "    ")
	}
	isRead := m.verb == http.MethodGet
	switch {
	case m.takesBody():
		c.typ = "UploadCall"
	case isRead:
		c.typ = "GetCall"
	}
	switch {
	case m.sendsFile():
		c.kind = "file"
	case m.either:
		c.kind, c.typ, c.item = "either", "ValueOrStreamCall", w.appendPlain(nil, m.item, anywhere, "    ")
	case m.stream != "" && m.outType.Kind() != reflect.Func:
		c.kind = "event"
	case m.stream != "":
		c.kind, c.typ = "stream", "StreamCall"
	default:
		if c.kind = cmp.Or(c.kind, m.pageKind()); c.isPage() && isRead {
			c.typ = "ListCall"
		}
	}
	return c
}

// isPage reports whether answers are pages of a list.
func (c *clientCallText) isPage() bool { return c.kind == "page" || c.kind == "cursor" }

// pageKind returns "cursor" or "page" for a method whose answers are pages of a list, which the
// member of that name of the input selects, and "" for any other.
func (m *method) pageKind() string {
	if m.in == nil || m.out == nil || !reflect.PointerTo(m.out.typ).Implements(reflect.TypeFor[interface{ isPage() }]()) {
		return ""
	}
	has := func(s *shape, name string) bool {
		return slices.ContainsFunc(s.fields, func(f *field) bool { return f.name == name })
	}
	switch {
	case has(m.out, "next_cursor") && has(m.in, "cursor"):
		return "cursor"
	case has(m.out, "total_pages") && has(m.in, "page"):
		return "page"
	}
	return ""
}

// itemType returns the type of the items of a page.
func (w *clientWriter) itemType(m *method) []byte {
	data := m.out.fields[slices.IndexFunc(m.out.fields, func(f *field) bool { return f.name == "data" })]
	return w.appendValue(nil, data.shape.elem, anywhere, "    ")
}

// describeForm gives the calls the types of their errors, and returns all of them as one type.
func (w *clientWriter) describeForm() string {
	var forms []string
	for i := range w.calls {
		c := &w.calls[i]
		if c.errorForm == nil {
			continue
		}
		var own []string
		for _, form := range c.errorForm.forms() {
			text := string(w.appendPlain(nil, form.shape, anywhere, ""))
			if !slices.Contains(own, text) {
				own = append(own, text)
			}
			if !slices.Contains(forms, text) {
				forms = append(forms, text)
			}
		}
		c.form = strings.Join(own, " | ")
	}
	return strings.Join(append(forms, "undefined"), " | ")
}

// formKind says whether the service has a form of errors, and whether that has a member error, as
// the envelope does.
func (w *clientWriter) formKind() string {
	kind := ""
	for _, m := range w.methods {
		for _, form := range m.errorForm.forms() {
			if form.nestsError() {
				return "  form: \"error\",\n"
			}
			kind = "  form: true,\n"
		}
	}
	return kind
}

// resources returns the resources with a call, in the order of their first calls.
func (w *clientWriter) resources() []string { return listResources(w.methods) }

// appendAPI appends the interface of the client.
func (w *clientWriter) appendAPI(dst []byte) []byte {
	dst = append(dst, "/** The calls of the service, by resource. */\nexport interface Api {\n"...)
	for resource, calls := range w.byResource() {
		dst = append(appendMemberName(append(dst, "  "...), resource), ": {\n"...)
		for _, c := range calls {
			dst = appendComment(dst, "    ", c.clientLines())
			dst = append(appendMemberName(append(dst, "    "...), c.name), ": "...)
			dst = append(w.appendCallType(dst, c), ";\n"...)
		}
		dst = append(dst, "  };\n"...)
	}
	return append(dst, '}')
}

// byResource yields the calls of each resource.
func (w *clientWriter) byResource() func(func(string, []*clientCallText) bool) {
	calls := make(map[string][]*clientCallText)
	for i := range w.calls {
		c := &w.calls[i]
		calls[c.resource] = append(calls[c.resource], c)
	}
	return func(yield func(string, []*clientCallText) bool) {
		for _, resource := range w.resources() {
			if !yield(resource, calls[resource]) {
				return
			}
		}
	}
}

// appendCallType appends the type of a call, such as Call<TodoID, Todo, "no_todo">.
func (w *clientWriter) appendCallType(dst []byte, c *clientCallText) []byte {
	in, out := []byte("NoInput"), c.body
	if c.in != nil {
		in = []byte(c.in.name)
	}
	if c.out != nil {
		out = []byte(c.out.name)
	}
	arguments := [][]byte{in, out}
	if c.isPage() && c.typ == "ListCall" {
		arguments = append(arguments, w.itemType(c.method))
	}
	if c.item != nil {
		arguments = append(arguments, c.item)
	}
	if reasons := appendReasons(nil, c.errors); reasons != nil {
		arguments = append(arguments, reasons)
	}
	dst = append(append(dst, c.typ...), '<')
	dst = append(append(dst, bytes.Join(arguments, []byte(", "))...), '>')
	if c.isPage() && c.typ != "ListCall" {
		arguments = slices.Insert(arguments, 2, w.itemType(c.method))
		dst = append(append(append(dst, " & Pages<"...), bytes.Join(arguments, []byte(", "))...), '>')
	}
	return dst
}

// appendReasons appends the union of the reasons of these errors, or nothing without reasons.
func appendReasons(dst []byte, list []*Error) []byte {
	var reasons [][]byte
	for _, e := range list {
		text := appendQuoted(nil, e.sentReason())
		if len(text) > len(`""`) && !slices.ContainsFunc(reasons, func(other []byte) bool { return bytes.Equal(other, text) }) {
			reasons = append(reasons, text)
		}
	}
	return append(dst, bytes.Join(reasons, []byte(" | "))...)
}

// appendTable appends the table of calls. If the table had a type, TypeScript would use the type of
// Object's constructor for a method with this name.
func (w *clientWriter) appendTable(dst []byte) []byte {
	dst = append(appendScriptText(append(dst, "const $service = {\n  name: "...), w.service.opts.Name), ",\n  calls: {\n"...)
	for resource, calls := range w.byResource() {
		dst = append(appendKey(append(dst, "    "...), resource), ": {\n"...)
		for _, c := range calls {
			dst = append(appendKey(append(dst, "      "...), c.name), ": {"...)
			dst = append(w.appendRow(dst, c), " },\n"...)
		}
		dst = append(dst, "    },\n"...)
	}
	dst = append(dst, "  },\n"...)
	dst = appendKeyPlace(dst, w.service.opts.Schemes)
	dst = append(dst, w.formKind()...)
	return append(dst, "}"+beginTypes+" as const"+endTypes+";\n\n"...)
}

// appendKeyPlace appends where the API key goes by the first scheme that a client can send: a cookie
// is the browser's.
func appendKeyPlace(dst []byte, schemes []Scheme) []byte {
	for _, s := range schemes {
		switch {
		case s.Type == "apiKey" && s.Header != "":
			dst = appendScriptText(append(dst, "  apiKey: { header: "...), s.Header)
			if s.Prefix != "" {
				dst = appendScriptText(append(dst, ", prefix: "...), s.Prefix)
			}
			return append(dst, " },\n"...)
		case s.Type == "apiKey" && s.Query != "":
			return append(appendScriptText(append(dst, "  apiKey: { query: "...), s.Query), " },\n"...)
		}
	}
	return dst
}

// appendKey appends a name in an object. In quotes, __proto__ would be the prototype.
func appendKey(dst []byte, name string) []byte {
	if name == "__proto__" {
		return append(dst, `["__proto__"]`...)
	}
	return appendMemberName(dst, name)
}

// appendRow appends the members of a row. The type Row of the runtime describes them.
func (w *clientWriter) appendRow(dst []byte, c *clientCallText) []byte {
	var members []clientMember
	if c.in != nil { // names outside of the body are the same in all forms
		members = w.inputMembers(c.method, c.method.in.forms()[0])
	}
	dst = appendScriptText(append(dst, " route: "...), c.verb+" "+w.routePath(c.method, members))
	r := rowWriter{dst}
	if c.tail {
		names := c.pathMembers(members)
		r.addText("tail", names[len(names)-1])
	}
	r.addTaken(w.takenPaths(c.method, members))
	r.addQuery(members)
	r.addNames("headers", members, inHeader)
	if c.route.form {
		r.addText("body", "form")
	}
	switch {
	case c.takesBody():
		file := members[slices.IndexFunc(members, func(m clientMember) bool { return m.shape.kind == kindFile })]
		r.addText("file", file.name)
		r.addTexts("types", file.tags.types)
	case c.bind.rest.body != nil:
		r.addText("body", "json")
	}
	if c.bind.rest.whole {
		r.addText("whole", members[slices.IndexFunc(members, func(m clientMember) bool { return m.style == styleWhole })].name)
	}
	r.addText("kind", c.kind)
	r.addText("end", c.streamEnd)
	if c.mediaType != contentTypeJSON && c.method.sendsRecord() {
		r.addText("accept", c.mediaType)
	}
	var outputs []clientMember
	if c.out != nil {
		outputs = c.out.members
	}
	r.addNames("out", outputs, inHeader)
	r.addTexts("parsed", parsedMembers(outputs))
	if i := slices.IndexFunc(outputs, func(m clientMember) bool { return m.in == inStatus }); i >= 0 {
		r.addText("status", outputs[i].name)
	}
	if (c.kind == "stream" || c.kind == "either") && slices.ContainsFunc(members,
		func(m clientMember) bool { return m.in == inHeader && http.CanonicalHeaderKey(m.wire) == lastEventID }) {
		ids := "some"
		if c.itemsHaveIDs() {
			ids = "all"
		}
		r.addText("ids", ids)
	}
	r.addTrue("keyed", c.key != nil)
	r.addTrue("public", c.public)
	r.addFloats(c.method.in)
	return r.buf
}

// routePath returns the path of m, in which the placeholders are members of the input.
func (w *clientWriter) routePath(m *method, members []clientMember) string {
	return templateOf(segmentsOf(w.service.prefix+m.path), m.pathMembers(members))
}

// pathMembers returns the names of the members that the placeholders of m are.
func (m *method) pathMembers(members []clientMember) (names []string) {
	for _, placeholder := range m.placeholders {
		i := slices.IndexFunc(members, func(c clientMember) bool { return c.in == inPath && c.wire == placeholder })
		names = append(names, members[i].name)
	}
	return names
}

// A takenPath is the path of a different route, as an expression, and the member whose value would
// lead to it.
type takenPath struct{ member, path string }

// takenPaths returns the paths of the verb of m that values in its own path would name, such as
// /users/all for /users/{id}, as the client encodes them.
func (w *clientWriter) takenPaths(m *method, members []clientMember) (taken []takenPath) {
	own, names := segmentsOf(w.service.prefix+m.path), m.pathMembers(members)
	for _, other := range inSourceOrder(w.service.rivals[m]) {
		path := segmentsOf(w.service.prefix + other.path)
		texts := make([]string, len(path))
		for i, s := range path {
			switch s.kind {
			case literalSegment:
				texts[i] = regexp.QuoteMeta(encodedComponent(s.text))
			case placeholder:
				texts[i] = "[^/]+"
			case tailSegment:
				texts[i] = ".+"
			}
		}
		n := 0 // the placeholders before the place
		for _, s := range own[:placeOfTexts(own, path)] {
			if s.isFilled() {
				n++
			}
		}
		taken = append(taken, takenPath{names[n], strings.Join(texts, "/")})
	}
	return taken
}

// encodedComponent returns text as encodeURIComponent of JavaScript encodes it.
func encodedComponent(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; isNameRune(rune(c)) || strings.IndexByte("-.!~*'()", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// A rowWriter appends the members of a row to buf.
type rowWriter struct{ buf []byte }

// addText adds a text, unless it is empty.
func (r *rowWriter) addText(name, text string) {
	if text != "" {
		r.buf = appendScriptText(append(append(append(r.buf, ", "...), name...), ": "...), text)
	}
}

// addTrue adds a member that is true, if it is.
func (r *rowWriter) addTrue(name string, is bool) {
	if is {
		r.buf = append(append(append(r.buf, ", "...), name...), ": true"...)
	}
}

// addNames adds the wire names of the members that are in one place, by their names in the client,
// if there are any.
func (r *rowWriter) addNames(name string, members []clientMember, in string) {
	before := ", " + name + ": { "
	for _, m := range members {
		if m.in == in {
			r.buf = appendScriptText(append(appendKey(append(r.buf, before...), m.name), ": "...), m.wire)
			before = ", "
		}
	}
	if before == ", " {
		r.buf = append(r.buf, " }"...)
	}
}

// addQuery adds the members that are in the query, with their names there if these differ.
func (r *rowWriter) addQuery(members []clientMember) {
	before := ", query: ["
	for _, m := range members {
		if m.in != inQuery {
			continue
		}
		r.buf = append(r.buf, before...)
		before = ", "
		if m.wire == m.name {
			r.buf = appendScriptText(r.buf, m.name)
			continue
		}
		r.buf = appendScriptText(append(appendScriptText(append(r.buf, '['), m.name), ", "...), m.wire)
		r.buf = append(r.buf, ']')
	}
	if before == ", " {
		r.buf = append(r.buf, ']')
	}
}

// addTaken adds the paths of other routes, one expression for each member, if there are any.
func (r *rowWriter) addTaken(list []takenPath) {
	var members, paths []string
	for _, t := range list {
		if i := slices.Index(members, t.member); i >= 0 {
			paths[i] += "|" + t.path
		} else {
			members, paths = append(members, t.member), append(paths, t.path)
		}
	}
	before := ", taken: { "
	for i, member := range members {
		r.buf = appendScriptText(append(appendKey(append(r.buf, before...), member), ": "...), paths[i])
		before = ", "
	}
	if members != nil {
		r.buf = append(r.buf, " }"...)
	}
}

// addTexts adds a list of texts, unless it is empty.
func (r *rowWriter) addTexts(name string, texts []string) {
	for i, text := range texts {
		before := ", "
		if i == 0 {
			before += name + ": ["
		}
		r.buf = appendScriptText(append(r.buf, before...), text)
	}
	if texts != nil {
		r.buf = append(r.buf, ']')
	}
}

// parsedMembers returns the names of the members of an output that are headers with a number or a
// boolean.
func parsedMembers(members []clientMember) (names []string) {
	for _, m := range members {
		switch kindTypes[m.shape.deref().kind] {
		case "integer", "number", "boolean":
			if m.in == inHeader {
				names = append(names, m.name)
			}
		}
	}
	return names
}

// addFloats adds the names of the members, anywhere in an input, whose numbers need not be integers
// that JavaScript can represent exactly. It leaves out a name that an integer also has.
func (r *rowWriter) addFloats(in *shape) {
	if in == nil {
		return
	}
	var floats []string
	integers := make(map[string]bool)
	in.walk(nil, make(map[*shape]bool), func(s *shape, _ *placeText) {
		if s.kind == kindByType { // its alternatives are not members
			return
		}
		for _, f := range s.fields {
			for kind := range f.shape.innermostKinds {
				switch {
				case kind.isInteger() && !f.quoted:
					integers[f.name] = true
				case !f.quoted && (kind <= kindCustom || kind.isNumeric()) && !slices.Contains(floats, f.name):
					floats = append(floats, f.name)
				}
			}
		}
	})
	r.addTexts("floats", slices.DeleteFunc(floats, func(name string) bool { return integers[name] }))
}

// innermostKinds calls yield for the kinds of the values in lists and maps, and in the alternatives of
// a union by JSON type. One that contains itself is not entered again.
func (s *shape) innermostKinds(yield func(shapeKind) bool) {
	met := make(map[*shape]bool)
	var visit func(s *shape) bool
	visit = func(s *shape) bool {
		inner, _ := s.innermost()
		if inner.kind != kindByType {
			return yield(inner.kind)
		}
		if met[inner] {
			return true
		}
		met[inner] = true
		return !slices.ContainsFunc(inner.fields, func(f *field) bool { return !visit(f.shape) })
	}
	visit(s)
}
