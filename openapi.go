package svc

// This file writes the OpenAPI document of a service from the plans of its REST routes, so the
// document matches the server. There are three forms: 3.0.3, which nearly every tool reads; 3.1,
// whose schemas are full JSON Schema 2020-12; and 3.2, which is 3.1 with a schema for the events of
// streams. 3.0.3 and 3.1 differ in:
//
//	What                       3.0.3                      3.1
//	-------------------------  -------------------------  -----------------------
//	null (schema.go)     "nullable" beside a type   the type "null"
//	int                        int32, not enforced        int64
//	path parameters            strings with a pattern     the type of their field
//	descriptions of methods    none                       yes
//	tags                       none                       one for each resource
//
// In this order:
//
//   - the handler, and how a request chooses the form
//   - apiBuilder, which writes operations and puts the document together
//   - the parts of an operation: parameters, request body, responses
//   - the texts about errors
//
// Each object of the specification is written once, as text. schema.go has the code
// that OpenAPI and OpenRPC share, and document.go serves both.

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OpenAPI returns a handler that serves the OpenAPI document of the REST routes. The query
// parameter openapi or the header Accept selects the version, 3.0, 3.1 or 3.2; the default is
// [Options].OpenAPI. doc/documents.md has the table. Responses have an ETag, and conditional and
// range requests work (RFC 9110, sections 13 and 14). Verbs other than GET and HEAD get 405; an
// unknown version in the query gets 400. OpenAPI panics if [Options].Document panics or leaves
// something in the document that JSON does not have.
func (s *Service) OpenAPI() http.Handler {
	texts, err := s.openAPITexts()
	if err != nil {
		panic("svc: OpenAPI: " + err.Error())
	}
	var forms [openAPI30 + 1]func() *document // by dialect, from openAPI31
	for d, text := range texts {
		forms[d] = lazyDocument(text)
	}
	// The query wins over Accept: people type it into a browser, where they cannot change
	// Accept.
	return s.serveDocument("openapi", func(_ http.Header, r *http.Request) (*document, string, error) {
		version, contentType := r.URL.Query().Get("openapi"), contentTypeJSON
		if version == "" {
			contentType = chooseType(r.Header["Accept"], contentTypeJSON, contentTypeOpenAPI+";version=3.2", contentTypeOpenAPI+
				";version=3.1")
			_, version, _ = strings.Cut(contentType, ";version=")
		}
		d, ok := dialectOf(cmp.Or(version, s.opts.OpenAPI))
		if !ok {
			return nil, "", Errorf(CodeInvalidArgument, "the version of the document must be openapi=3.0, openapi=3.1 or openapi=3.2")
		}
		return forms[d](), contentType, nil
	})
}

// contentTypeOpenAPI is the media type that the OpenAPI Initiative uses. It is
// not registered with IANA.
const contentTypeOpenAPI = "application/vnd.oai.openapi+json"

// An apiBuilder builds one document. Its maps are for lookups only: the order of the document is
// the order of the methods, and otherwise sorted by name.
//
// The document has only the components that something refers to. So the operations are written
// first, each as a separate text, and then the document is built from them.
type apiBuilder struct {
	*components
	service   *service
	schemes   []scheme                  // of the document
	tags      []string                  // the resources; nil in 3.0.3
	paths     []*apiPath                // in the order of their first methods
	webhooks  map[string][]byte         // the Path Items of events, by their names; nil without any
	responses map[string][]byte         // the shared responses, by their names in components
	texts     []byte                    // the texts of all operations, one behind the other
	errors    map[*config]errorTexts    // the texts about errors, for each of the joined services
	forms     map[*ErrorForm]errorTexts // the same for each form
	bodies    map[reflect.Type]*shape   // the types of error bodies; nil until something refers to one
	used      usedNames
}

// usedNames are the names that may occur only once in a document.
type usedNames struct {
	// components has the owner of each name of a component: the shape of a type, or the part key of
	// referPart. The names are in lower case, because some generators write a file for each
	// component, and some file systems ignore case.
	components map[string]any
	parts      map[any]string      // the components with numbers, by the part keys of their owners
	numbers    map[string]int      // the last one behind each name of a part
	operations map[string]bool     // the operationIds
	paths      map[string]*apiPath // without names of placeholders: "/todos/{id}" => "/todos/{}"
}

// methodsIn returns the methods that a document of d has: a Path Item Object can say QUERY from
// 3.2 on.
func (s *service) methodsIn(d dialect) []*method {
	methods := s.methodsOn(TransportREST)
	if d != openAPI32 {
		methods = slices.DeleteFunc(methods, func(m *method) bool { return m.verb == verbQuery })
	}
	return methods
}

// newAPIBuilder returns a builder that has written the operations of methods, which belong to s.
// The result depends only on these and the dialect, so each document is always the same, byte for
// byte. If plain is set, texts are for readers that do not know Markdown, and the writer notes the
// words of patterns.
//
// Operations are written in the order of their names, because IDs and the names of components and
// placeholders are assigned while writing. They are listed in the order of the source.
func newAPIBuilder(s *service, d dialect, methods []*method, plain bool) *apiBuilder {
	b := &apiBuilder{
		components: newComponents(d, s.typeNames, sentTypes(methods)),
		service:    s,
		schemes:    listSchemes(methods),
		responses:  make(map[string][]byte),
		texts:      make([]byte, 0, 1024*len(methods)), // most fit
		errors:     make(map[*config]errorTexts),
		forms:      make(map[*ErrorForm]errorTexts),
		used: usedNames{
			components: make(map[string]any), parts: make(map[any]string), numbers: make(map[string]int),
			operations: make(map[string]bool), paths: make(map[string]*apiPath),
		},
	}
	for s, name := range s.typeNames {
		b.used.components[strings.ToLower(name)] = s
	}
	for _, m := range methods {
		b.used.operations[m.id] = true
	}
	if plain {
		b.writer.plain, b.writer.words = true, make(map[string]string)
	}
	for _, m := range methods {
		b.writeOperation(m)
	}
	if d != openAPI30 {
		b.writeWebhooks()
	}
	ordered := inSourceOrder(methods)
	if d != openAPI30 { // see writeOperation
		b.tags = listResources(ordered)
	}
	b.sortPaths(ordered)
	return b
}

// sortPaths puts the paths and their operations into the order of methods.
func (b *apiBuilder) sortPaths(methods []*method) {
	places := make(map[*method]int, len(methods))
	for i, m := range methods {
		places[m] = i
	}
	for _, path := range b.paths {
		slices.SortFunc(path.operations, func(x, y apiOperation) int { return places[x.method] - places[y.method] })
	}
	slices.SortFunc(b.paths, func(x, y *apiPath) int { return places[x.operations[0].method] - places[y.operations[0].method] })
}

// listResources returns the resources of methods, in the order of their first methods.
func listResources(methods []*method) (list []string) {
	listed := make(map[string]bool)
	for _, m := range methods {
		if !listed[m.resource] {
			listed[m.resource] = true
			list = append(list, m.resource)
		}
	}
	return list
}

// An apiPath is a path of the document, with the operations on it.
type apiPath struct {
	template     string   // such as "/todos/{id}"
	placeholders []string // their names in the template
	operations   []apiOperation
}

// An apiOperation is an Operation Object and the method that it describes.
type apiOperation struct {
	method *method
	id     string
	text   []byte
}

// appendDocument appends the OpenAPI Object. Members are in the order of the specification.
// Statuses of responses, media types and components are in the order of their names.
//
//	In Go                               In the document
//	----------------------------------  ---------------------------------------------
//	Options.Name, Description, Version  info
//	Options.Contact, License            info
//	Defaults.BaseURL                    servers
//	Options.Schemes, Public             security, components.securitySchemes
//	MethodOptions.Scopes                response 403, and security from 3.1 on
//	a method                            an operation below paths
//	a field of its input                one of parameters, or a property of requestBody
//	a header tag in its output          one of the headers of that response
//	an ETag in the output of a GET      the parameter If-None-Match, the response 304
//	its output                          the schema of the response of success
//	MethodOptions.OperationID           its operationId
//	MethodOptions.Status                the status of that response
//	MethodOptions.Errors                responses, and examples in them
//	MethodOptions.Deprecated            deprecated
//	a Body, a File                      requestBody, the content of 200 and 206
//	MethodOptions.Form                  requestBody, with the encoding of its parts
//	a named struct type                 one of components.schemas
//	Options.OnError                     one of components.responses
//	Options.Webhooks                    webhooks, from 3.1 on
func (b *apiBuilder) appendDocument(dst []byte) []byte {
	schemas, size := b.writeSchemas(), len(b.texts)+128*len(b.paths)
	for _, text := range schemas {
		size += len(text) + 64 // with its name
	}
	// An empty list means that callers need no identity. If the member were absent, that
	// would be unspecified, and linters complain.
	security, tags, schemes := [][]byte{}, [][]byte(nil), make(map[string][]byte)
	for _, s := range b.schemes {
		security = append(security, object(s.Name, [][]byte{}))
		schemes[s.Name] = s.object
	}
	for _, name := range b.tags {
		tags = append(tags, object("name", name, "description", "The methods of "+name+"."))
	}
	out := openMembers(slices.Grow(dst, size+4096))
	out.add(
		"openapi", dialectVersions[b.writer.dialect],
		"info", b.service.documentInfo(b.writer.dialect != openAPI30, b.writer.textOf(b.service.about)),
		"servers", [][]byte{object("url", b.serverURL())},
		"security", security,
		"tags", tags,
	)
	out.open("paths", '{')
	for _, path := range b.paths {
		out.open(path.template, '{')
		for _, o := range path.operations {
			out.addRaw(strings.ToLower(o.method.verb), o.text)
		}
		out.end("}")
	}
	out.end("}")
	out.add("webhooks", b.webhooks)
	out.open("components", '{')
	out.add("schemas", schemas, "responses", b.responses, "securitySchemes", schemes)
	out.end("}")
	return out.close()
}

// serverURL returns the URL that the paths of the document are relative to. Linters require
// one, so without a BaseURL it is "/", the host that served the document. Paths begin with a
// slash, so the slashes at the end of a BaseURL are cut.
func (b *apiBuilder) serverURL() string {
	return cmp.Or(strings.TrimRight(b.service.opts.Defaults.BaseURL, "/"), "/")
}

// writeOperation writes the operation of m and adds it to its path.
//
// In 3.0.3 an operation has neither a tag nor a description, and its summary is made from names,
// because this form came first, without them. Generators write a class for each tag, so adding tags
// would rename the functions of all clients generated so far.
func (b *apiBuilder) writeOperation(m *method) {
	path := b.pathOf(m)
	// The method C of the resource a_B and the method B_C of the resource a both have the id
	// a_B_C, so the second gets a_B_C_2.
	id := m.id // set by newAPIBuilder
	if id == "" {
		id = firstFree(m.operationID(), "_", func(id string) bool { return b.used.operations[id] })
		b.used.operations[id] = true
	}
	start, out := len(b.texts), openMembers(b.texts)
	accepts := m.describeAccept(b.writer.plain)
	about, summary := b.writer.textOf(accepts), m.label()
	if b.writer.dialect != openAPI30 {
		summary = m.summary()
		about = b.textBeside(summary, m.describe().join("\n\n", accepts))
		out.open("tags", '[')
		out.addItem(m.resource)
		out.end("]")
	}
	out.add("summary", summary, "description", about, "operationId", id) // linters ask for a summary
	b.writeParameters(&out, m, path.placeholders)
	b.writeRequestBody(&out, m)
	b.writeResponses(&out, m)
	out.add("deprecated", m.deprecated)
	if len(b.schemes) > 0 { // in each operation, since some tools read only this list
		out.open("security", '[')
		m.addSecurity(&out, b.schemes, b.writer.dialect != openAPI30)
		out.end("]")
	}
	b.texts = out.close() // if append moved the array, earlier operations keep their text in the old one
	path.operations = append(path.operations, apiOperation{m, id, b.texts[start:]})
}

// textBeside returns a description beside a summary, or "" if it says the same: viewers print both.
func (b *apiBuilder) textBeside(summary string, about prose) string {
	if strings.TrimSuffix(strings.TrimSpace(about.text), ".") == strings.TrimSuffix(summary, ".") {
		return ""
	}
	return b.writer.textOf(about)
}

// writeRequestBody writes the Request Body Object of m, if it has one.
func (b *apiBuilder) writeRequestBody(out *members, m *method) {
	switch {
	case m.form:
		b.writeForm(out, m)
	case m.takesBody():
		f := m.in.file
		about := b.writer.textOf(f.doc)
		if f.tags.types == nil {
			about += " Any media type is accepted."
		}
		about += f.tags.describeMost()
		out.addRaw("requestBody", object("description", strings.TrimLeft(about, " "), "required", true, "content",
			fileContent(f.tags, "application/octet-stream")))
	case m.bind.rest.whole:
		f := m.bind.rest.inBody.fields[0]
		out.open("requestBody", '{')
		out.add("description", b.writer.textOf(f.doc), "required", f.isRequired())
		out.openContent(contentTypeJSON)
		out.buf = b.writer.appendWholeBody(out.buf, f)
		out.end("}}}")
	case m.bind.rest.body != nil:
		out.open("requestBody", '{')
		out.add("required", !m.bind.rest.mayBeEmpty || b.writer.dialect == openAPI30)
		out.openContent(contentTypeJSON)
		out.buf = appendRef(out.buf, componentPrefix, b.referBody(m))
		out.end("}}}")
	}
}

// describeMost returns the sentence about the length of a Body, with a space before it.
func (t *fileTags) describeMost() string {
	if t.max == 0 {
		return ""
	}
	return " At most " + strconv.FormatInt(t.max, 10) + " bytes."
}

// writeForm writes the Request Body Object of a form. Its properties are the parts, in the order in
// which they are sent. encoding overrides the defaults of the version: a list has a pair for each
// item, and parts have their types. Without it a part with base64 would be application/octet-stream
// (OpenAPI 3.1.1, Encoding Object).
//
// A form without a file has one media type in documents, although the server accepts both: if two
// media types have the same schema, openapi-python-client generates a client that sends both at
// once.
func (b *apiBuilder) writeForm(out *members, m *method) {
	fields, file := make([]*field, 0, len(m.bind.rest.params[whereForm])+1), m.in.file
	mediaType, about := contentTypeForm, "It can also be "+contentTypeMultipart+"."
	if file != nil {
		mediaType, about = contentTypeMultipart, "The part "+file.name+" is the last one."+file.tags.describeMost()
		if file.tags.anyOrder {
			about = "The parts can have any order." + file.tags.describeMost()
		}
	}
	encoding := make(map[string][]byte)
	for i := range m.bind.rest.params[whereForm] {
		p := &m.bind.rest.params[whereForm][i]
		fields = append(fields, p.asPart())
		switch {
		case file == nil && p.list != nil:
			encoding[p.sourceName] = []byte(`{"style":"form","explode":true}`)
		case file != nil && p.value.kind == kindBytes:
			encoding[p.sourceName] = []byte(`{"contentType":"text/plain"}`)
		}
	}
	if file != nil {
		fields = append(fields, file)
		if file.tags.types != nil {
			encoding[file.name] = object("contentType", strings.Join(file.tags.types, ", "))
		}
	}
	schema := appendRef(nil, componentPrefix, b.referPart(m, m.in, m.in.withFields(fields), "Form"))
	out.addRaw("requestBody", object("description", about, "required", true, "content",
		object(mediaType, object("schema", schema, "encoding", encoding))))
}

// asPart returns a copy of the field of p for a form: a part is never null.
func (p *param) asPart() *field {
	f := *p.field
	f.shape = p.value
	if p.list != nil {
		list := *p.list
		list.elem = p.value
		f.shape = &list
	}
	return &f
}

// pathOf returns the path of m. It adds the path to the document if m is its first method.
//
// OpenAPI forbids two templates that differ only in the names of placeholders (Paths
// Object, "Templated paths with the same hierarchy but different templated names"). So the
// operations on GET /todos/{id} and PUT /todos/{todo} share one path, with the names of the
// first: /todos/{id}.
func (b *apiBuilder) pathOf(m *method) *apiPath {
	segments := segmentsOf(b.service.prefix + m.path)
	key := templateOf(segments, nil)
	if known := b.used.paths[key]; known != nil {
		return known
	}
	path := &apiPath{template: templateOf(segments, m.placeholders), placeholders: m.placeholders}
	b.used.paths[key] = path
	b.paths = append(b.paths, path)
	return path
}

// firstFree returns name, or name with a separator and the first number, from 2, that gives
// a name that is not taken: Todo, Todo2, Todo3.
func firstFree(name, separator string, isTaken func(string) bool) string {
	free := name
	for i := 2; isTaken(free); i++ {
		free = name + separator + strconv.Itoa(i)
	}
	return free
}

// writeParameters writes the parameters of m: first the parameters of the path, in the order of the
// template, then query, header and cookie. names are the names of the placeholders in the template.
// Only 3.2 could say that cookies are not escaped (style cookie), and linters still reject that.
func (b *apiBuilder) writeParameters(out *members, m *method, names []string) {
	w, at := &b.writer, out.open("parameters", '[')
	for _, p := range m.bind.parameters(m.route) {
		if p.where == wherePath {
			i, f := slices.Index(m.placeholders, p.sourceName), *p.field
			if m.tail && i == len(names)-1 {
				f.doc = f.doc.join(" ", plainProse("One or more path segments, separated by slashes."))
			}
			b.openParameter(out, names[i], p.in, &f, true)
			out.buf = append(w.appendPathParameter(out.buf, p.field), '}')
		} else if p.where == whereHeader && p.field.shape.deref().kind == kindTime {
			f := *p.field
			f.doc = f.doc.join(" ", plainProse("An HTTP-date, or a date and time by RFC 3339."))
			b.openParameter(out, p.sourceName, p.in, &f, p.isRequired())
			if hasHTTPDate(p.canonical) { // JSON Schema has no format for an HTTP-date
				out.buf = append(out.buf, textSchema+"}"...)
			} else {
				out.buf = append(w.appendParameter(out.buf, p.field), '}')
			}
		} else if !p.isAccept() || b.writer.plain { // see describeAccept
			b.openParameter(out, p.sourceName, p.in, p.field, p.isRequired())
			out.buf = append(w.appendParameter(out.buf, p.field), '}')
		}
	}
	for _, text := range m.ownParameters() {
		out.separate()
		out.buf = append(out.buf, text...)
	}
	out.closeSome(at, ']')
}

// describeAccept returns a description of an input from the header Accept. Only plain documents
// have a parameter for it, because OpenAPI ignores a parameter with that name.
func (m *method) describeAccept(plain bool) prose {
	i := slices.IndexFunc(m.bind.places, (*inputPlace).isAccept)
	if i < 0 || plain {
		return prose{}
	}
	return plainProse("Also reads the header Accept.").join(" ", m.bind.places[i].doc)
}

// openParameter begins a Parameter Object. Append its schema and '}' to out.buf.
func (b *apiBuilder) openParameter(out *members, name, in string, f *field, required bool) {
	out.openItem()
	out.add("name", name, "in", in, "description", b.writer.textOf(f.doc), "required", required, "deprecated", f.deprecated)
	out.addName("schema")
}

// ownParameters returns the Parameter Objects of the headers that REST reads itself: If-None-Match,
// If-Modified-Since, Range and Idempotency-Key. It leaves out headers that a field of the input also reads, because
// writeParameters has written them.
func (m *method) ownParameters() (list [][]byte) {
	add := func(name, description string, required bool, schema string) {
		if !slices.ContainsFunc(m.bind.places, func(p *inputPlace) bool { return p.where == whereHeader && p.canonical == name }) {
			list = append(list, object("name", name, "in", inHeader, "description", description, "required", required, "schema",
				[]byte(schema)))
		}
	}
	if m.hasETag() {
		add("If-None-Match", "ETag of a cached response. Returns 304 if it is still current.", false, textSchema)
	}
	if m.isDated() {
		add("If-Modified-Since", "Last-Modified of a cached response. Returns 304 if nothing has changed since.", false, textSchema)
	}
	if m.sendsRanges() {
		add("Range", "Byte range to return, such as bytes=1000-. The response is then 206.", false, textSchema)
	}
	if m.key != nil {
		hours := strconv.FormatFloat(cmp.Or(m.key.KeepFor, 24*time.Hour).Hours(), 'f', -1, 64)
		about := "A random text of 1 to 255 visible ASCII characters, new for each call. Repeating the request with the same key within " +
			hours + " hours returns the first successful response and has no further effect. " +
			"A duplicate sent while the first is still running gets 409. The same key with a different input gets 422."
		add(keyHeader, about, m.keyUse() == KeyRequired, keySchema)
	}
	return list
}

// isConditional reports whether the request can make the response a 304, as far as the types say: a
// method can set an ETag by Info.Header.
func (m *method) isConditional() bool { return m.hasETag() || m.isDated() }

// hasETag reports whether If-None-Match can make the response a 304.
func (m *method) hasETag() bool { return m.isRead() && (m.sendsFile() || m.sendsHeader("Etag")) }

// isDated reports whether If-Modified-Since can.
func (m *method) isDated() bool {
	return m.verb == http.MethodGet && (m.sendsFile() || m.sendsHeader("Last-Modified"))
}

// sendsHeader reports whether the output has this header.
func (m *method) sendsHeader(canonical string) bool {
	return m.headers != nil && slices.ContainsFunc(m.headers.fields, func(h outputHeader) bool { return h.canonical == canonical })
}

// sendsRanges reports whether Range can make the response a 206.
func (m *method) sendsRanges() bool { return m.verb == http.MethodGet && m.sendsFile() }

const textSchema = `{"type":"string"}`

// textHeader returns the Header Object of a text.
func textHeader(description string, required bool) []byte {
	return object("description", description, "required", required, "schema", []byte(textSchema))
}

// contentWith returns a Content Object with one media type and its schema.
func contentWith(mediaType string, schema []byte) []byte {
	return object(mediaType, object("schema", schema))
}

// openContent begins the member content that contentWith returns. Append the schema and }} to
// m.buf.
func (m *members) openContent(mediaType string) {
	m.open("content", '{')
	m.open(mediaType, '{')
	m.addName("schema")
}

// fileContent returns the Content Object of a Body or a File, with its types in the order of the
// tag, since clients use the first one. any is the media type if all are allowed, because clients
// cannot send a range such as */*. All three forms use the format binary of 3.0.3: the 3.1 way, a
// schema without a type, is not supported by generators.
func fileContent(t *fileTags, any string) []byte {
	types := t.types
	if types == nil {
		types = []string{any}
	}
	content := openMembers(nil)
	for _, mediaType := range types {
		content.addRaw(mediaType, []byte(`{"schema":{"type":"string","format":"binary"}}`))
	}
	return content.close()
}

// referBody returns the name of the component with the fields that m reads from the body.
// If all fields come from the body, that is the input type itself. Otherwise it is a
// component such as UpdateTodoBody: the schema of the whole input would require the path
// parameters in the body too, where the server rejects them.
func (b *apiBuilder) referBody(m *method) string {
	part := m.bind.rest.inBody
	if part == m.in {
		if ref := b.referShape(m.in); ref != "" {
			return ref
		}
		part = m.in.withFields(m.in.fields) // a copy, which gets a name; elsewhere the schema of the type is in place
	}
	return b.referPart(m, m.in, part, "Body")
}

// referPart returns the name of the component of part, which has some of the fields of s, the input
// or the output of m. The name consists of the name of the type and suffix:
//
//	UpdateTodo without the field id of the path  => UpdateTodoBody
//
// Methods with the same part of a type share the component. If two routes have the same input type
// but different parts of it in the body, the second component gets a number.
func (b *apiBuilder) referPart(m *method, s, part *shape, suffix string) string {
	name := b.service.typeNames[s]
	if name == "" {
		name = capitalized(m.resource) + m.goName
	}
	name = onlyNameBytes(name) + suffix
	fields := append(make([]byte, 0, 256), name...) // most fit
	for _, f := range part.fields {
		fields = append(append(fields, 0), f.name...)
	}
	partKey := any([2]any{s.typ, string(fields)}) // two parts of a type are equal if their fields are
	b.names[part] = b.namePart(partKey, name)
	for i, a := range s.alternatives {
		b.referPart(m, a, part.alternatives[i], suffix)
	}
	return b.referShape(part)
}

// namePart returns the name of the component of the part with this key: the name of an equal part,
// or name, followed by the next number if it is taken.
func (b *apiBuilder) namePart(partKey any, name string) string {
	fold := strings.ToLower(name)
	switch b.used.components[fold] {
	case partKey:
		return name
	case nil:
		b.used.components[fold] = partKey
		return name
	}
	if known, ok := b.used.parts[partKey]; ok {
		return known
	}
	for i := b.used.numbers[fold] + 1; ; i++ {
		if free := name + strconv.Itoa(i+1); b.used.components[strings.ToLower(free)] == nil {
			b.used.components[strings.ToLower(free)], b.used.parts[partKey], b.used.numbers[fold] = partKey, free, i
			return free
		}
	}
}

// writeResponses writes the responses of m by status. All errors have the same form, so default
// alone could describe them. But linters require the status of a client error, and some generators
// cannot read the range 4XX. So 400 is listed for every method, and 404 for methods with a
// placeholder. 304 has no body, so default does not describe it. If an error has the status of the
// success, only the success is listed.
func (b *apiBuilder) writeResponses(out *members, m *method) {
	texts := b.describeErrors(m)
	list, common := m.listErrors()
	successes := slices.Clone(m.statuses())
	if m.either {
		successes = append(successes, http.StatusOK) // of the stream
	}
	all := slices.Clone(successes)
	for _, e := range list {
		all = append(all, m.errorForm.statusOf(e))
	}
	if m.errorForm != nil { // any method can return an error with these
		all = slices.AppendSeq(all, maps.Keys(m.errorForm.others))
	}
	if m.isConditional() {
		all = append(all, http.StatusNotModified)
	}
	if m.sendsRanges() {
		all = append(all, http.StatusPartialContent)
	}
	slices.Sort(all)
	out.open("responses", '{')
	for _, status := range slices.Compact(all) {
		out.addName(decimal(status))
		switch {
		case slices.Contains(successes, status):
			b.writeSuccess(out, m, status)
		case status == http.StatusPartialContent && m.sendsRanges():
			headers := b.listHeaders(m)
			headers["Content-Range"] = textHeader("Which part of the file this is.", true)
			out.buf = append(out.buf, object("description", http.StatusText(status), "headers", headers, "content",
				fileContent(m.out.file.tags, "*/*"))...)
		case status == http.StatusNotModified && m.isConditional():
			out.buf = append(out.buf, object("description", http.StatusText(status))...)
		default:
			of := texts
			if form := m.errorForm.formFor(status); form != m.errorForm {
				of = b.describeForm(form)
			}
			out.buf = append(out.buf, m.describeStatus(status, list, common, of)...)
		}
	}
	out.addRaw("default", texts.ref)
	out.end("}")
}

// writeSuccess writes the Response Object of a success with this status. If fields of the output
// are headers over REST and members over JSON-RPC and MCP, the body has a separate component
// without them, such as TodoResponse.
func (b *apiBuilder) writeSuccess(out *members, m *method, status int) {
	description, headers := http.StatusText(status), b.listHeaders(m)
	isStream := m.stream != "" && status == http.StatusOK
	isBoth := isStream && m.either && slices.Contains(m.statuses(), status)
	if isStream {
		description = m.describeStream()
		if headers = nil; isBoth {
			description, headers = "JSON, or a stream of events if the request asks for one. "+description, b.listHeaders(m)
		}
	}
	out.openItem()
	out.add("description", description, "headers", headers)
	switch {
	case isBoth:
		record := b.recordContent(m)
		out.addRaw("content", slices.Concat(record[:len(record)-1], []byte(","), b.streamContent(m)[1:]))
	case isStream:
		out.addRaw("content", b.streamContent(m))
	case m.sendsFile():
		out.addRaw("content", fileContent(m.out.file.tags, "*/*"))
	case m.bare:
	case m.out != nil:
		out.addRaw("content", b.recordContent(m))
	}
	out.end("}")
}

// recordContent returns the Content Object of an output that is sent as one record.
func (b *apiBuilder) recordContent(m *method) []byte {
	if m.hasHeaderMembers() {
		return contentWith(m.mediaType, appendRef(nil, componentPrefix, b.referPart(m, m.out, m.headers.body, "Response")))
	}
	return contentWith(m.mediaType, b.writer.appendShape(nil, m.out))
}

// listHeaders returns the Header Objects of a success by name, for the headers that svc sets and
// for the headers of the output. A time is a string without a format, because JSON Schema has no
// format for an HTTP-date. Set-Cookie is sent once for each cookie, so its schema describes one
// cookie. The stream of a ValueOrStream does not have its headers.
func (b *apiBuilder) listHeaders(m *method) map[string][]byte {
	if !m.sendsFile() && m.key == nil && m.headers == nil { // as of most
		return nil
	}
	list := make(map[string][]byte)
	if m.sendsFile() {
		list["Content-Disposition"] = textHeader("Whether to show the file or to save it, and under which name.", true)
		list["ETag"], list["Last-Modified"] = textHeader("", false), textHeader("", false)
	}
	if m.key != nil {
		list["Idempotent-Replayed"] = object("description", "True if this is the stored response of an earlier request with the same key.", "schema",
			[]byte(`{"type":"string","enum":["true"]}`))
	}
	if m.headers == nil {
		return list
	}
	for i := range m.headers.fields {
		h := &m.headers.fields[i]
		schema := []byte(textSchema)
		if h.shape.kind != kindTime && h.canonical != "Set-Cookie" {
			schema = b.writer.appendParameter(nil, h.memberEncoder.field)
		}
		list[spelledHeader(h.bound[whereHeader])] = object("description", b.writer.textOf(h.doc), "required", h.isSent() && !m.either, "deprecated", h.deprecated,
			"schema", schema)
	}
	return list
}

// describeStatus returns the Response Object of the errors in list that have this status. Its
// description lists the codes, messages and reasons of all of them. The errors after the first
// common ones (see listErrors) also appear as examples.
func (m *method) describeStatus(status int, list []*Error, common int, texts errorTexts) []byte {
	hasStatus := func(e *Error) bool { return m.errorForm.statusOf(e) == status }
	if !slices.ContainsFunc(list[common:], hasStatus) { // as in most methods
		return texts.ref
	}
	var about, reasons []string
	headers, examples, content := make(map[string][]byte), make(map[string][]byte), []byte(nil)
	for i, e := range list {
		if !hasStatus(e) || e == errAbsent { // only methods return NOT_FOUND, and list contains the declared ones
			continue
		}
		if text := string(e.Code) + ": " + e.messageWithReason(); !slices.Contains(about, text) {
			about = append(about, text)
		}
		if i < common {
			continue
		}
		if reason := e.sentReason(); reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		examples["error"+strconv.Itoa(len(examples)+1)] = object("value", m.exampleOf(e))
		header := make(http.Header)
		setErrorHeader(header, e.header)
		for name := range header {
			headers[spelledHeader(name)] = textHeader("", false)
		}
	}
	if texts.mediaType != "" {
		content = object(texts.mediaType, object("schema", texts.schemaWith(reasons), "examples", examples))
	}
	return object("description", strings.Join(about, "; "), "headers", headers, "content", content)
}

// These errors stand for errors that svc itself returns for many methods, with various messages.
// Documents list only their codes.
var (
	errInvalid   = &Error{Code: CodeInvalidArgument}
	errAbsent    = &Error{Code: CodeNotFound}
	errNobody    = &Error{Code: CodeUnauthenticated}
	errForbidden = &Error{Code: CodePermissionDenied}
)

// listErrors returns the errors of m: first the common errors that svc returns for many methods,
// and then errors with a fixed message, such as the errors that m declares. common is the number of
// the former. If an ErrorForm has statuses for rules, list has an error for each such rule, with a
// violation of it.
func (m *method) listErrors() (list []*Error, common int) {
	var special []*Error
	list = append(make([]*Error, 0, 8), errInvalid)
	if m.errorForm != nil && m.in != nil {
		for _, rule := range slices.Sorted(maps.Keys(m.errorForm.ruleStatus)) {
			list = append(list, &Error{Code: CodeInvalidArgument, Message: errInvalid.message(),
				sentParts: sentParts{found: &violations{list: []Violation{{Rule: rule}}}}})
		}
	}
	if len(m.placeholders) > 0 {
		list = append(list, errAbsent)
	}
	switch {
	case len(m.scopes) > 0: // with the message of checkIdentity
		list = append(list, errNobody)
		special = append(special, &Error{Code: CodePermissionDenied, Message: "the caller lacks a scope: " + strings.Join(m.scopes, " ")})
	case m.needsCaller():
		list = append(list, errNobody, errForbidden)
	case m.public: // for credentials that are not valid
		list = append(list, errNobody)
	}
	if m.key != nil {
		list, special = append(list, (&Error{Code: CodeAborted}).withOwnReason(reasonKeyRunning)), append(special, errKeyUsed)
	}
	if m.sendsRanges() {
		list = append(list, &Error{Code: CodeOutOfRange, sentParts: sentParts{status: http.StatusRequestedRangeNotSatisfiable}})
	}
	return append(append(list, special...), m.errors...), len(list)
}

// exampleOf returns the body that m sends for e. An ErrorWriter of the application is not
// called, since it may need a real request.
func (m *method) exampleOf(e *Error) []byte {
	r := &http.Request{Method: m.verb, URL: &url.URL{Path: m.path}}
	if isHandler(m.onError, WriteProblem) {
		return appendProblem(nil, r, e)
	}
	body, _ := m.errorForm.appendBody(nil, e, r)
	return body
}

// describeStream describes the events that end a stream, whose data is not an item. The schema
// cannot describe them, because generators use it for the data of each event, so it is the schema
// of an item.
func (m *method) describeStream() string {
	end := "The stream ends with an event `done`, whose data is {}, or `error`"
	cut := " If neither arrives, the connection was cut."
	switch m.streamEnd {
	case "":
	case StreamEndNone:
		end, cut = "The response ends when the stream is complete. If it fails, the last event is `error`", " A response that breaks off was cut."
	default:
		end = "The stream ends with an unnamed event whose data is the text " + m.streamEnd + ", or with `error`"
	}
	failed := "an object with the member error, which has code, message and possibly reason and details"
	if m.errorForm != nil {
		failed = "the body of an error response"
	}
	return "Server-sent events. Each event carries one item. " + end + " (data: " + failed + ")." + cut
}

// streamContent returns the Content Object of a stream. Its schema is the schema of an item. In 3.2
// it is an itemSchema instead, which describes an event as an object with the fields id, event,
// retry and data (OpenAPI 3.2.0, Media Type Object, section "Sequential Media Types").
func (b *apiBuilder) streamContent(m *method) []byte {
	item := b.writer.appendShape(nil, m.item)
	if b.writer.dialect != openAPI32 {
		return contentWith(contentTypeEvents, item)
	}
	body := b.describeErrors(m).schema
	if m.errorForm == nil { // an ErrorWriter writes no events, so their errors are envelopes
		body = b.referError(errorBody{})
	}
	name := object("type", "string", "not", object("enum", []byte(`["done","error"]`)))
	events := [][]byte{eventObject("Item", `["data"]`,
		"id", object("type", "string"), "event", name, "retry", object("type", "integer", "minimum", []byte("0")), "data", eventData(item))}
	switch end := m.streamEnd; end {
	case "":
		events = append(events, eventObject("Done", `["event","data"]`, "event", object("const", "done"), "data", object("const", "{}")))
	case StreamEndNone:
	default:
		events = append(events, eventObject("Done", `["data"]`, "data", object("const", end)))
	}
	events = append(events, eventObject("Error", `["event","data"]`, "event", object("const", "error"), "data", eventData(body)))
	return object(contentTypeEvents, object("itemSchema", object("oneOf", events)))
}

// eventObject returns the schema of an event with these fields; see members.add.
func eventObject(title, required string, fields ...any) []byte {
	return object("title", title, "type", "object", "properties", object(fields...), "required", []byte(required))
}

// eventData returns the schema of the data of an event, which is JSON of this schema.
func eventData(schema []byte) []byte {
	return object("type", "string", "contentMediaType", contentTypeJSON, "contentSchema", schema)
}

// errorTexts describe the errors of one service in the document.
type errorTexts struct {
	mediaType string // "" if their bodies are not known
	schema    []byte
	ref       []byte // a Response Object for any error, or the reference to it
	// withReason returns the schema of a body whose member reason has a schema. It is nil if bodies
	// have no such member, or the document does not say which reasons there are.
	withReason func(reason []byte) []byte
}

// schemaWith returns the schema of bodies with one of these reasons. A newer service may send
// others.
func (t *errorTexts) schemaWith(reasons []string) []byte {
	if reasons == nil || t.withReason == nil {
		return t.schema
	}
	reason := object("anyOf", [][]byte{object("type", "string", "enum", encodeDocument(reasons)), object("type", "string")})
	return object("allOf", [][]byte{t.schema, t.withReason(reason)})
}

// describeErrors returns the texts of the document about the errors of m. It describes the bodies
// that an ErrorForm, WriteError and WriteProblem write. The bodies of any other ErrorWriter are
// unknown.
func (b *apiBuilder) describeErrors(m *method) errorTexts {
	texts, known := b.errors[m.config]
	if known {
		return texts
	}
	name := "ErrorBody"
	switch {
	case m.errorForm != nil:
		texts = b.describeForm(m.errorForm)
		b.errors[m.config] = texts
		return texts
	case m.onError == nil || isHandler(m.onError, WriteError):
		texts.mediaType, texts.schema = contentTypeJSON, b.referError(errorBody{})
		of := b.referError(errorObject{})
		texts.withReason = func(reason []byte) []byte {
			// Linters take each object for itself: without the reference, code and message would be unknown here.
			return objectWith("error", object("allOf", [][]byte{of, objectWith("reason", reason)}))
		}
	case isHandler(m.onError, WriteProblem):
		name = "Problem"
		texts.mediaType, texts.schema = contentTypeProblem, b.referError(problem{})
		texts.withReason = func(reason []byte) []byte { return objectWith("reason", reason) }
	}
	if b.writer.dialect == openAPI30 || b.writer.plain { // generators of 3.0 have no types for these, and readers have the texts
		texts.withReason = nil
	}
	texts.ref = object("description", "Error")
	if texts.schema != nil {
		texts.ref = b.referResponse(name, object("description", "Error", "content", contentWith(texts.mediaType, texts.schema)))
	}
	b.errors[m.config] = texts
	return texts
}

// describeForm returns the texts about the errors of a form.
func (b *apiBuilder) describeForm(f *ErrorForm) errorTexts {
	texts, known := b.forms[f]
	if !known {
		texts.mediaType, texts.schema = f.contentType, b.writer.appendShape(nil, f.shape)
		texts.ref = b.referResponse(cmp.Or(b.service.typeNames[f.shape], "ErrorBody"),
			object("description", "Error", "content", contentWith(texts.mediaType, texts.schema)))
		b.forms[f] = texts
	}
	return texts
}

// objectWith returns the schema of an object with a member of this schema.
func objectWith(name string, schema []byte) []byte {
	return object("type", "object", "properties", object(name, schema))
}

// referResponse returns a reference to the Response Object text in components. It adds text under
// name, followed by a number if the name is taken.
func (b *apiBuilder) referResponse(name string, text []byte) []byte {
	name = firstFree(name, "", func(name string) bool {
		other, known := b.responses[name]
		return known && !bytes.Equal(other, text)
	})
	b.responses[name] = text
	return object("$ref", "#/components/responses/"+name)
}

// referError returns a reference to the schema of body, which has one of the types of error bodies.
// Without their own components, generators would invent names such as
// ErrorErrorDetailsViolationsInner.
func (b *apiBuilder) referError(body any) []byte {
	if b.bodies == nil {
		b.compileErrors()
	}
	return appendRef(nil, componentPrefix, b.referShape(b.bodies[reflect.TypeOf(body)]))
}

// compileErrors compiles the types of error bodies. Their components are ErrorBody, ErrorObject,
// Problem, ErrorDetails and Violation. No application type has these names; see isOwnName.
func (b *apiBuilder) compileErrors() {
	c := newShapes(new(mistakes)) // these types have no mistakes
	c.shapeFor(reflect.TypeFor[errorBody](), "")
	c.shapeFor(reflect.TypeFor[problem](), "")
	b.bodies = c.byType
	b.writer.open = c.byType[reflect.TypeFor[errorDetails]()]
	for _, s := range c.named {
		for _, f := range s.fields {
			b.names[s] = capitalized(s.typ.Name())
			if f.name == "reason" {
				f.doc = plainProse(b.describeReasons())
			}
		}
	}
}

// describeReasons returns the description of the member reason of errors.
func (b *apiBuilder) describeReasons() string {
	own := reasonOverloaded + ", " + reasonOutcomeUnknown + ", " + reasonKeyReused + ", " + reasonKeyRunning + ", " +
		reasonNotConfirmed + ", " + reasonCannotAsk + " or " + reasonInvalidToken
	text := "Machine-readable reason that distinguishes errors with the same code. "
	if names := declaredReasons(b.service.methodsOn(TransportREST)); len(names) > 0 {
		text += "Methods declare " + strings.Join(names, ", ") + ". "
	}
	return text + "Any service may send " + own + "."
}

// declaredReasons returns the reasons that methods declare, sorted.
func declaredReasons(methods []*method) (names []string) {
	for _, m := range methods {
		for _, e := range m.errors {
			if e.reason != "" && !slices.Contains(names, e.reason) {
				names = append(names, e.reason)
			}
		}
	}
	slices.Sort(names)
	return names
}

// The bodies of error responses. Documents describe these types; appendEnvelope and appendProblem of
// http.go write the same members.
type (
	errorBody struct {
		Error errorObject `json:"error"`
	}
	errorObject struct {
		Code    knownCode    `json:"code"`
		Message string       `json:"message"`
		Reason  string       `json:"reason,omitempty"`
		Details errorDetails `json:"details,omitzero"`
	}

	// RFC 9457, section 3, makes all members optional; the members that WriteProblem always writes
	// are required here. Code, reason and details are extension members (section 3.2).
	problem struct {
		Type     string       `json:"type"`
		Title    string       `json:"title"`
		Status   int32        `json:"status"`
		Detail   string       `json:"detail"`
		Instance string       `json:"instance,omitempty"`
		Code     knownCode    `json:"code"`
		Reason   string       `json:"reason,omitempty"`
		Details  errorDetails `json:"details,omitzero"`
	}

	// svc itself writes only violations. The application may add other members.
	errorDetails struct {
		Violations []Violation `json:"violations,omitempty"`
	}
)

// A knownCode is one of all codes: an unknown code is sent as UNKNOWN.
type knownCode Code

func (knownCode) Enum() []knownCode {
	list := make([]knownCode, len(codes))
	for i := range codes {
		list[i] = knownCode(codes[i].code)
	}
	return list
}
