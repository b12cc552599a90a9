package svc

// This file makes the OpenAPI document of a service from the plans of its REST routes, so
// the document says what the server does. It has three forms: 3.0.3, which nearly every
// tool reads; 3.1, whose schemas are full JSON Schema 2020-12; and 3.2, which is 3.1 with
// a schema of the events of streams. The first two differ in:
//
//	What                       3.0.3                      3.1
//	-------------------------  -------------------------  -----------------------
//	null (schema_write.go)     "nullable" beside a type   the type "null"
//	int                        int32, not enforced        int64
//	path parameters            strings with a pattern     the type of their field
//	descriptions of methods    none                       yes
//	tags                       none                       one for each resource
//
// In order: the handler that serves a document, and how a request chooses the form;
// the builder, which goes from the document to operations, from operations to
// components, and from components to names; descriptions of error responses. Each
// object of the specification is written once, as text. What the document shares with
// OpenRPC is in schema_write.go.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// OpenAPI returns a handler that serves the OpenAPI document of the REST routes.
// The request chooses the form:
//
//	Request                                                  Response
//	-------------------------------------------------------  ----------------------------
//	?openapi=3.0 or 3.0.3                                    3.0.3, as application/json
//	?openapi=3.1 or 3.1.0                                    3.1, as application/json
//	?openapi=3.2 or 3.2.0                                    3.2, as application/json
//	Accept: application/vnd.oai.openapi+json;version=3.1     3.1, as that media type
//	the same with version=3.2                                3.2, as that media type
//	anything else                                            Options.OpenAPI, or 3.0.3,
//	                                                         as application/json
//
// Of several media types in Accept the one with the highest weight wins, and of equals
// the first form in the order 3.1, 3.2, 3.0.3.
//
// Give 3.1 to code generators. Only 3.1 and 3.2 have the descriptions of methods, a tag
// for each resource, and path parameters with the type of their field, which are strings
// in 3.0.3. In 3.2 the itemSchema of a stream describes every event, also those that end
// it; 3.1 has the schema of an item.
//
// Each form is made once, at the first request for it, and kept. A response has an
// ETag, and conditional and range requests work (RFC 9110, sections 13 and 14). It has
// Vary: Accept too, since one URL has several forms (RFC 9110, section 12.5.5). The document
// depends on the program alone, so all replicas of one build send the same ETag.
// Methods other than GET and HEAD get 405, an unknown version in the query gets
// 400.
//
// The document describes the bodies of errors if Options.ErrorForm is set, or if
// Options.OnError is nil, [WriteError] or [WriteProblem]. It has no bodies of errors with
// another ErrorWriter, since svc cannot know them.
func (s *Service) OpenAPI() http.Handler {
	var forms [openAPI30 + 1]func() *builtDocument // by dialect, from openAPI31
	for d := openAPI31; d <= openAPI30; d++ {
		forms[d] = sync.OnceValue(func() *builtDocument { return newBuiltText(newAPIBuilder(s, d).appendDocument(nil)) })
	}
	// The query wins over Accept, since people who type it into a browser cannot set its
	// Accept header.
	return s.serveDocument("openapi", func(_ http.Header, r *http.Request) (*builtDocument, string, error) {
		version, contentType := r.URL.Query().Get("openapi"), contentTypeJSON
		if version == "" {
			contentType = chooseType(r.Header["Accept"], contentTypeJSON, contentTypeOpenAPI+";version=3.2", contentTypeOpenAPI+";version=3.1")
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

// A builtDocument is a document as text. It never changes.
type builtDocument struct {
	text []byte
	etag string // a strong validator: a hash of the text (RFC 9110, section 8.8.3)
}

func newBuiltText(text []byte) *builtDocument {
	sum := sha256.Sum256(text)
	return &builtDocument{text, `"` + hex.EncodeToString(sum[:16]) + `"`} // 128 bits do not collide by accident
}

// A chooseFunc returns the form of a document that r asks for, and its media type. It may
// add headers.
type chooseFunc func(header http.Header, r *http.Request) (form *builtDocument, contentType string, err error)

// A documentHandler serves the forms of a document, to requests that only read.
type documentHandler struct {
	endpoint
	choose chooseFunc
}

// serveDocument returns a handler that has this name in the log.
func (s *Service) serveDocument(name Transport, choose chooseFunc) http.Handler {
	return &documentHandler{s.newEndpoint(name), choose}
}

func (h *documentHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond serves the form that r asks for. Nothing reads the body, and nothing waits for it.
func (h *documentHandler) respond(w http.ResponseWriter, r *http.Request, _ *workspace) error {
	leaveBody(w, r)
	header := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed("GET, HEAD")
	}
	form, contentType, err := h.choose(header, r)
	if err != nil {
		return err
	}
	addHeader(header, "Vary", "Accept") // a middleware in front may have added names of its own
	header.Set("Content-Type", contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", form.etag)
	// The zero time sends no Last-Modified: the text depends on the program
	// and not on when it began.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(form.text))
	return nil
}

// newAPIBuilder returns a builder that has all operations of s. It has no other input than
// the service and the dialect, so that a service has one document, byte for byte.
func newAPIBuilder(s *Service, d dialect) *apiBuilder {
	methods := s.methodsOn(TransportREST)
	b := &apiBuilder{
		components:   newComponents(d, s.typeNames),
		service:      s,
		schemes:      listSchemes(methods),
		responses:    make(map[string][]byte),
		texts:        make([]byte, 0, 1024*len(methods)), // most fit
		errors:       make(map[*config]errorTexts),
		taken:        make(map[string]any),
		operationIDs: make(map[string]bool),
		tagged:       make(map[string]bool),
		byTemplate:   make(map[string]*apiPath),
	}
	for s, name := range s.typeNames {
		b.taken[strings.ToLower(name)] = s
	}
	for _, m := range methods {
		b.addOperation(m)
	}
	return b
}

// An apiBuilder builds one document. Its maps are for lookups only: the order
// of the document is that of the methods, and of sorted names.
//
// What refers to a component adds it. So the operations come first, each as a text, and the
// document is put together from their texts.
//
// Invariants: the names of all types and parts are in taken; tagged has the elements of
// tags, and byTemplate those of paths.
type apiBuilder struct {
	*components
	service   *Service
	schemes   []scheme   // of the document
	tags      []string   // the resources
	paths     []*apiPath // in the order of their first methods
	responses map[string][]byte
	texts     []byte // those of all operations, one behind the other

	errors       map[*config]errorTexts
	taken        map[string]any // by names of components in lower case, since some generators make a file of each
	operationIDs map[string]bool
	tagged       map[string]bool
	byTemplate   map[string]*apiPath // with the placeholders unnamed
}

// An apiPath is a path of the document and the operations that share it.
type apiPath struct {
	template     string
	placeholders []string // their names in the document
	operations   []apiOperation
}

// An apiOperation is an Operation Object and the method that it describes.
type apiOperation struct {
	method *method
	id     string
	text   []byte
}

// appendDocument appends the OpenAPI Object. Members of objects are in the order of the
// specification, and those that are looked up, the statuses of responses, media types and
// components, in the order of their names.
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
//	the tag ETag in that of a GET       the parameter If-None-Match, the response 304
//	its output                          the schema of the response of success
//	MethodOptions.Status                the status of that response
//	MethodOptions.Errors                responses, and examples in them
//	MethodOptions.Deprecated            deprecated
//	a Body, a File                      requestBody, the content of 200 and 206
//	a named struct type                 one of components.schemas
//	Options.OnError                     one of components.responses
func (b *apiBuilder) appendDocument(dst []byte) []byte {
	schemas, size := b.writeSchemas(), len(b.texts)+128*len(b.paths)
	for _, text := range schemas {
		size += len(text) + 64 // with its name
	}
	// The empty list says that no identity is required. Without the member the
	// document would leave it open, and linters complain.
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
		"info", b.service.documentInfo(b.writer.dialect != openAPI30),
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
	out.open("components", '{')
	out.add("schemas", schemas, "responses", b.responses, "securitySchemes", schemes)
	out.end("}")
	return out.close()
}

// serverURL returns the URL that the paths of the document are relative to. "/" is the host
// that the document came from; linters want a server. Every path begins with a slash, so a
// URL has none at its end.
func (b *apiBuilder) serverURL() string {
	return cmp.Or(strings.TrimRight(b.service.opts.Defaults.BaseURL, "/"), "/")
}

// addOperation adds the operation of m to its path, and in 3.1 the tag of its
// resource.
//
// 3.0.3 has neither tags nor descriptions of methods. Generators put the
// operations of a tag into a class of its own, so a tag would rename the
// functions of every client that was generated without it. 3.1 has no such
// older clients.
func (b *apiBuilder) addOperation(m *method) {
	path := b.findPath(m)
	// Two methods can give the same id, since both parts may contain underscores.
	id := firstFree(m.resource+"_"+m.goName, "_", func(id string) bool { return b.operationIDs[id] })
	b.operationIDs[id] = true
	start, out := len(b.texts), openMembers(b.texts)
	about := ""
	if b.writer.dialect != openAPI30 {
		about = m.own.Description
		out.open("tags", '[')
		out.addItem(m.resource)
		out.end("]")
		if !b.tagged[m.resource] {
			b.tagged[m.resource] = true
			b.tags = append(b.tags, m.resource)
		}
	}
	out.add("summary", m.summary(), "description", about, "operationId", id) // linters ask for a summary
	b.writeParameters(&out, m, path.placeholders)
	b.writeRequestBody(&out, m)
	b.writeResponses(&out, m)
	out.add("deprecated", m.own.Deprecated)
	if len(b.schemes) > 0 { // again, since some tools read it only here; an empty list is public
		out.open("security", '[')
		m.addSecurity(&out, b.schemes, b.writer.dialect != openAPI30)
		out.end("]")
	}
	b.texts = out.close() // the texts before it stay where they are, if these are moved
	path.operations = append(path.operations, apiOperation{m, id, b.texts[start:]})
}

// writeRequestBody writes the Request Body Object of m, if it has one.
func (b *apiBuilder) writeRequestBody(out *members, m *method) {
	switch {
	case m.takesBody():
		f := m.in.file
		about := f.doc
		if f.tags.max > 0 {
			about = strings.TrimLeft(f.doc+" At most "+strconv.FormatInt(f.tags.max, 10)+" bytes.", " ")
		}
		out.addRaw("requestBody", object("description", about, "required", true, "content", fileContent(f.tags)))
	case m.bind.rest.body != nil:
		content := contentWith(contentTypeJSON, appendRef(nil, componentPrefix, b.referBody(m)))
		out.addRaw("requestBody", object("required", true, "content", content))
	}
}

// findPath returns the path of m, and adds it if m is the first method of
// its path. OpenAPI treats templates that differ only in the names of their
// placeholders as the same path, and forbids it twice (Paths Object, "Templated
// paths with the same hierarchy but different templated names"). So the first
// method gives the names, and the others use them.
func (b *apiBuilder) findPath(m *method) *apiPath {
	// http.ServeMux unescapes the texts of a pattern. Two spellings of one text are one path,
	// and a template has the one that clients send.
	segments := segmentsOf(b.service.prefix + m.path)
	for i, text := range segments {
		segments[i] = url.PathEscape(text) // of a placeholder ""
	}
	key := strings.Join(segments, "/")
	if known := b.byTemplate[key]; known != nil {
		return known
	}
	for _, name := range m.placeholders {
		i := slices.Index(segments[1:], "") // which no text of a path is
		segments[1+i] = "{" + name + "}"
	}
	path := &apiPath{template: strings.Join(segments, "/"), placeholders: m.placeholders}
	b.byTemplate[key] = path
	b.paths = append(b.paths, path)
	return path
}

// firstFree returns name, or name with a separator and the first number that is not taken.
func firstFree(name, separator string, isTaken func(string) bool) string {
	free := name
	for i := 2; isTaken(free); i++ {
		free = name + separator + strconv.Itoa(i)
	}
	return free
}

// writeParameters writes the parameters of m: first those of the path in the order of the
// template and with these names, then query, header and cookie. Only the 3.2 form could say
// that nothing is escaped in a cookie (style cookie), and today's linters reject that.
func (b *apiBuilder) writeParameters(out *members, m *method, names []string) {
	bind, w, at := m.bind, &b.writer, out.open("parameters", '[')
	for i, placeholder := range m.placeholders {
		p := &bind.rest.path[slices.IndexFunc(bind.rest.path, func(p param) bool { return p.sourceName == placeholder })]
		openParameter(out, names[i], inPath, p.doc, true)
		out.buf = append(w.appendPathParameter(out.buf, p.field), '}')
	}
	for _, list := range [...][]param{bind.rest.query, bind.rest.header, bind.rest.cookie} {
		for i := range list {
			p := &list[i]
			openParameter(out, p.sourceName, p.in, p.doc, p.isRequired())
			out.buf = append(w.appendParameter(out.buf, p.field), '}')
		}
	}
	for _, text := range m.ownParameters() {
		out.separate()
		out.buf = append(out.buf, text...)
	}
	out.closeSome(at, ']')
}

// openParameter begins a Parameter Object. The caller appends its schema.
func openParameter(out *members, name, in, description string, required bool) {
	out.openItem()
	out.add("name", name, "in", in, "description", description, "required", required)
	out.addName("schema")
}

// ownParameters returns the headers that REST reads although they are no fields of the
// input of m. A field with the same header is described in its place.
func (m *method) ownParameters() (list [][]byte) {
	add := func(name, description string, required bool, schema string) {
		if !slices.ContainsFunc(m.bind.rest.header, func(p param) bool { return p.canonical == name }) {
			list = append(list, object("name", name, "in", inHeader, "description", description, "required", required, "schema", []byte(schema)))
		}
	}
	if m.isConditional() {
		add("If-None-Match", "The ETag of an answer that the client has: while it is current, the answer is 304.", false, textSchema)
	}
	if m.sendsRanges() {
		add("Range", "The part of the file to send, such as bytes=1000-, in the answer 206.", false, textSchema)
	}
	if m.key != nil {
		hours := strconv.FormatFloat(cmp.Or(m.key.KeepFor, 24*time.Hour).Hours(), 'f', -1, 64)
		about := "A random text, new for each call. For " + hours + " hours a request with the same key gets the answer of the first that succeeded, and has no other effect. It gets 409 while that one runs, and 422 if its input is another."
		add(keyHeader, about, m.own.IdempotencyKey == KeyRequired, string(object("type", "string", "pattern", keyPattern.String())))
	}
	return list
}

// isConditional reports whether restHandler answers If-None-Match with 304.
func (m *method) isConditional() bool {
	return m.sendsRanges() ||
		m.verb == http.MethodGet && m.headers != nil && slices.ContainsFunc(m.headers.fields, func(h outputHeader) bool { return h.isETag() })
}

// sendsRanges reports whether restHandler answers Range with 206.
func (m *method) sendsRanges() bool { return m.verb == http.MethodGet && m.sendsFile() }

const textSchema = `{"type":"string"}`

// textHeader returns the Header Object of a text.
func textHeader(description string, required bool) []byte {
	return object("description", description, "required", required, "schema", []byte(textSchema))
}

// contentWith returns the content of one media type with a schema.
func contentWith(mediaType string, schema []byte) []byte {
	return object(mediaType, object("schema", schema))
}

// fileContent returns the content of a Body or a File. Every version has the format
// binary: generators do not know the form without a type, which is for 3.1 only.
func fileContent(t *fileTags) []byte {
	types := slices.Sorted(slices.Values(t.types))
	if types == nil {
		types = []string{"*/*"}
	}
	content := openMembers(nil)
	for _, mediaType := range slices.Compact(types) {
		content.addRaw(mediaType, []byte(`{"schema":{"type":"string","format":"binary"}}`))
	}
	return content.close()
}

// referBody returns the name of the component that has exactly the fields
// that m takes from the body. If all fields come from the body, that is the
// input type itself. Otherwise it is a component of its own, such as
// UpdateTodoBody: the schema of the whole input would require path parameters
// in the body too, which the server refuses.
func (b *apiBuilder) referBody(m *method) string {
	part := m.bind.rest.inBody
	if part == m.in {
		if ref := b.referShape(m.in); ref != "" {
			return ref
		}
		part = m.in.withFields(m.in.fields) // elsewhere a struct without a name is in place
	}
	return b.referPart(m, m.in, part, "Body")
}

// referPart returns the name of the component of part, which is s, the input or the
// output of m, with some of its fields: that of the type with suffix behind it. Methods that
// take the same fields of one type share the component. If they take different ones, such as
// PUT and PATCH of one input on two routes, the second component gets a number.
func (b *apiBuilder) referPart(m *method, s, part *shape, suffix string) string {
	name := onlyNameBytes(cmp.Or(b.service.typeNames[s], capitalized(m.resource)+m.goName)) + suffix
	what := name
	for _, f := range part.fields {
		what += "\x00" + f.name
	}
	key := any([2]any{s.typ, what})
	name = firstFree(name, "", func(name string) bool {
		other := b.taken[strings.ToLower(name)]
		return other != nil && other != key
	})
	b.taken[strings.ToLower(name)], b.names[part] = key, name
	for i, a := range s.alternatives {
		b.referPart(m, a, part.alternatives[i], suffix)
	}
	return b.referShape(part)
}

// writeResponses writes the responses of m by status. All errors have the same form, so
// default alone would do. Linters ask for a client error by its status, and some generators
// cannot read the range 4XX. Every method can answer 400, and one with a placeholder is
// likely to answer 404. 304 has no body, so the default does not describe it. A success
// takes the place of an error with its status.
func (b *apiBuilder) writeResponses(out *members, m *method) {
	texts := b.describeErrors(m)
	list, common := m.listErrors()
	responses := map[string][]byte{"default": texts.ref}
	for _, e := range list {
		status := m.opts.ErrorForm.statusOf(e)
		if key := decimal(status); responses[key] == nil { // once for all errors of the status
			responses[key] = m.describeStatus(status, list, common, texts)
		}
	}
	if m.isConditional() {
		responses["304"] = object("description", http.StatusText(http.StatusNotModified))
	}
	if m.sendsRanges() {
		headers := b.listHeaders(m)
		headers["Content-Range"] = textHeader("Which part of the file this is.", true)
		responses["206"] = object("description", http.StatusText(http.StatusPartialContent), "headers", headers, "content", fileContent(m.out.file.tags))
	}
	responses[decimal(m.status)] = b.describeSuccess(m)
	out.add("responses", responses) // digits come before letters, and all statuses have three
}

// describeSuccess returns the response of a success. An output with headers that are members
// elsewhere has a component of its own, such as TodoResponse.
func (b *apiBuilder) describeSuccess(m *method) []byte {
	description, content := http.StatusText(m.status), []byte(nil)
	switch {
	case m.stream != "":
		description, content = streamDescription, b.streamContent(m)
		if m.opts.ErrorForm != nil {
			description = strings.Replace(streamDescription, streamEnvelope, "what error responses have as their body", 1)
		}
	case m.sendsFile():
		content = fileContent(m.out.file.tags)
	case m.hasHeaderMembers():
		content = contentWith(contentTypeJSON, appendRef(nil, componentPrefix, b.referPart(m, m.out, m.headers.body, "Response")))
	case m.out != nil:
		content = contentWith(contentTypeJSON, b.writer.appendShape(nil, m.out))
	}
	return object("description", description, "headers", b.listHeaders(m), "content", content)
}

// listHeaders returns the headers of a success, by name: those that svc sets, and those of
// the output. Their values are texts: a time is an HTTP-date, which has no format in JSON
// Schema. Set-Cookie is sent once for each cookie, and a schema describes one of
// them.
func (b *apiBuilder) listHeaders(m *method) map[string][]byte {
	list := make(map[string][]byte)
	if m.sendsFile() {
		list["Content-Disposition"] = textHeader("Whether to show the file or to save it, and by which name.", true)
		list["ETag"], list["Last-Modified"] = textHeader("", false), textHeader("", false)
	}
	if m.key != nil {
		list["Idempotent-Replayed"] = object("description", "The answer is that of an earlier request with the key.", "schema", []byte(`{"type":"string","enum":["true"]}`))
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
		list[h.header] = object("description", h.doc, "required", h.isSent(), "schema", schema)
	}
	return list
}

// describeStatus returns the response of the errors in list with this status. Those behind
// the common ones are examples, as they would be sent, and the codes and messages of all are
// its description.
func (m *method) describeStatus(status int, list []*Error, common int, texts errorTexts) []byte {
	hasStatus := func(e *Error) bool { return m.opts.ErrorForm.statusOf(e) == status }
	if !slices.ContainsFunc(list[common:], hasStatus) { // as in most methods
		return texts.ref
	}
	var about []string
	headers, examples, content := make(map[string][]byte), make(map[string][]byte), []byte(nil)
	for i, e := range list {
		if !hasStatus(e) || e == errAbsent { // which only methods return
			continue
		}
		if text := string(e.Code) + ": " + e.message(); !slices.Contains(about, text) {
			about = append(about, text)
		}
		if i < common {
			continue
		}
		examples["error"+strconv.Itoa(len(examples)+1)] = object("value", m.exampleOf(e))
		header := make(http.Header)
		setErrorHeader(header, e.header)
		for name := range header {
			headers[name] = textHeader("", false)
		}
	}
	if texts.mediaType != "" {
		content = object(texts.mediaType, object("schema", texts.schema, "examples", examples))
	}
	return object("description", strings.Join(about, "; "), "headers", headers, "content", content)
}

// These are the errors that svc gives for many methods. Documents say no more of them than
// their codes.
var (
	errInvalid   = &Error{Code: CodeInvalidArgument}
	errAbsent    = &Error{Code: CodeNotFound}
	errNobody    = &Error{Code: CodeUnauthenticated}
	errForbidden = &Error{Code: CodePermissionDenied}
)

// listErrors returns the errors of m: first those that svc gives for many methods, of which
// it returns the number, and then those with a message of their own. Each rule to which an
// ErrorForm gives a status counts as an error, since inputs are answered with that status.
func (m *method) listErrors() (list []*Error, common int) {
	var special []*Error
	list = append(make([]*Error, 0, 8), errInvalid)
	if m.opts.ErrorForm != nil && m.in != nil {
		for _, rule := range slices.Sorted(maps.Keys(m.opts.ErrorForm.ruleStatus)) {
			list = append(list, &Error{Code: CodeInvalidArgument, violations: []Violation{{Rule: rule}}})
		}
	}
	if len(m.placeholders) > 0 {
		list = append(list, errAbsent)
	}
	switch {
	case len(m.own.Scopes) > 0: // as checkIdentity says it
		list = append(list, errNobody)
		special = append(special, &Error{Code: CodePermissionDenied, Message: "the caller lacks a scope: " + strings.Join(m.own.Scopes, " ")})
	case len(m.schemes) > 0:
		list = append(list, errNobody, errForbidden)
	}
	if m.key != nil {
		list, special = append(list, &Error{Code: CodeAborted}), append(special, errKeyUsed)
	}
	if m.sendsRanges() {
		list = append(list, &Error{Code: CodeOutOfRange, status: http.StatusRequestedRangeNotSatisfiable})
	}
	return append(append(list, special...), m.errors...), len(list)
}

// exampleOf returns the body of a response of m for e. It does not call an ErrorWriter of
// the application, which may need a real request.
func (m *method) exampleOf(e *Error) []byte {
	r := &http.Request{Method: m.verb, URL: &url.URL{Path: m.path}}
	if isHandler(m.opts.OnError, WriteProblem) {
		return appendProblem(nil, r, e)
	}
	body, _ := m.opts.ErrorForm.appendBody(nil, e, r)
	return body
}

// streamDescription describes what the schema of a stream cannot. Generators take that
// schema for the data of each event, so it is the schema of an item, and the two events
// that end a stream have other data.
const (
	streamDescription = "Server-sent events. The data of each event is one item. " +
		"The event named done, whose data is an empty object, says that the stream is complete. " +
		"The event named error ends it too early: its data is " + streamEnvelope +
		". A stream that ends without either event was cut."
	streamEnvelope = "an object with the member error, which has code, message and, if there are any, details"
)

// streamContent returns the content of a stream: the schema of an item, and in 3.2
// that of an event. In 3.2 schema describes the whole sequence and itemSchema each
// element, which for server-sent events is an object with their fields (OpenAPI 3.2.0,
// Media Type Object, section "Sequential Media Types").
func (b *apiBuilder) streamContent(m *method) []byte {
	item := b.writer.appendShape(nil, m.out)
	if b.writer.dialect != openAPI32 {
		return contentWith(contentTypeEvents, item)
	}
	envelope := b.describeErrors(m).schema
	if m.opts.ErrorForm == nil { // an ErrorWriter writes whole responses
		envelope = b.referErrorSchema("Error")
	}
	events := strings.NewReplacer("ITEM", string(item), "ENVELOPE", string(envelope)).Replace(eventSchema)
	return object(contentTypeEvents, object("itemSchema", []byte(events)))
}

// eventSchema is the schema of an event of a stream: an item, the end, or the error
// that is in the place of the end. ITEM stands for the schema of an item, ENVELOPE
// for that of errors.
const eventSchema = `{"oneOf":[` +
	`{"title":"Item","type":"object","properties":{"id":{"type":"string"},` +
	`"event":{"type":"string","not":{"enum":["done","error"]}},"retry":{"type":"integer","minimum":0},` +
	`"data":{"type":"string","contentMediaType":"application/json","contentSchema":ITEM}},"required":["data"]},` +
	`{"title":"Done","type":"object","properties":{"event":{"const":"done"},"data":{"const":"{}"}},"required":["event","data"]},` +
	`{"title":"Error","type":"object","properties":{"event":{"const":"error"},` +
	`"data":{"type":"string","contentMediaType":"application/json","contentSchema":ENVELOPE}},"required":["event","data"]}]}`

// errorTexts are what the document says of the errors that have one form.
type errorTexts struct {
	mediaType string // "" if nothing is known of their bodies
	schema    []byte
	ref       []byte // the response of every error, or the reference to it
}

// describeErrors returns what the document says of the errors of m. It describes an
// ErrorForm and the handlers of svc. The document must not promise a form that another
// ErrorWriter does not write.
func (b *apiBuilder) describeErrors(m *method) errorTexts {
	texts, known := b.errors[m.config]
	if known {
		return texts
	}
	name := "Error"
	switch {
	case m.opts.ErrorForm != nil:
		name = cmp.Or(b.service.typeNames[m.opts.ErrorForm.shape], name)
		texts.mediaType, texts.schema = m.opts.ErrorForm.contentType, b.writer.appendShape(nil, m.opts.ErrorForm.shape)
	case m.opts.OnError == nil || isHandler(m.opts.OnError, WriteError):
		texts.mediaType, texts.schema = contentTypeJSON, b.referErrorSchema(name)
	case isHandler(m.opts.OnError, WriteProblem):
		name = "Problem"
		texts.mediaType, texts.schema = contentTypeProblem, b.referErrorSchema(name)
	}
	texts.ref = object("description", "Error")
	if texts.schema != nil {
		texts.ref = b.referResponse(name, object("description", "Error", "content", contentWith(texts.mediaType, texts.schema)))
	}
	b.errors[m.config] = texts
	return texts
}

// referResponse returns the reference to an error response called name, or name with a
// number if another response has that name. The first call adds it to the document.
func (b *apiBuilder) referResponse(name string, text []byte) []byte {
	name = firstFree(name, "", func(name string) bool {
		other, known := b.responses[name]
		return known && !bytes.Equal(other, text)
	})
	b.responses[name] = text
	return object("$ref", "#/components/responses/"+name)
}

// referErrorSchema returns the reference to the schema of errors called name, which no
// type has. The first call adds it to the document, with the schemas in it: generators
// invent names for schemas without one, such as ErrorErrorDetailsViolationsInner.
func (b *apiBuilder) referErrorSchema(name string) []byte {
	if schema := errorSchemas[name]; b.schemas[name] == nil {
		list := make([]Code, len(codes)) // all there are, since an unknown code is written as UNKNOWN
		for i := range codes {
			list[i] = codes[i].code
		}
		b.schemas[name] = []byte(strings.Replace(schema, "CODES", string(encodeDocument(list)), 1))
		for _, inner := range [...]string{"ErrorObject", "ErrorDetails", "Violation"} {
			if strings.Contains(schema, componentPrefix+inner) {
				b.referErrorSchema(inner)
			}
		}
	}
	return object("$ref", componentPrefix+name)
}

// errorSchemas has the schemas of errors by name. CODES stands for all codes.
var errorSchemas = map[string]string{
	// The envelope that appendEnvelope writes: {"error":{"code":…,"message":…,"details":…}},
	// where details may be absent.
	"Error": `{"type":"object","properties":{"error":{"$ref":"#/components/schemas/ErrorObject"}},"required":["error"]}`,
	"ErrorObject": `{"type":"object","properties":{` +
		`"code":{"type":"string","enum":CODES},"message":{"type":"string"},"details":{"$ref":"#/components/schemas/ErrorDetails"}},` +
		`"required":["code","message"]}`,

	// The problem details that WriteProblem writes (RFC 9457, section 3). The RFC makes all
	// of their members optional; those that WriteProblem always writes are required here.
	// code and details are extension members (section 3.2).
	"Problem": `{"type":"object","properties":{` +
		`"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer","format":"int32"},` +
		`"detail":{"type":"string"},"instance":{"type":"string"},` +
		`"code":{"type":"string","enum":CODES},"details":{"$ref":"#/components/schemas/ErrorDetails"}},` +
		`"required":["type","title","status","detail","code"]}`,

	// One property, the violations, is svc's own. The application may add others.
	"ErrorDetails": `{"type":"object","properties":{"violations":{"type":"array","items":{"$ref":"#/components/schemas/Violation"}}},"additionalProperties":true}`,
	"Violation": `{"type":"object",` +
		`"properties":{"in":{"type":"string"},"path":{"type":"string"},"rule":{"type":"string"},"message":{"type":"string"}},` +
		`"required":["in","path","rule","message"]}`,
}
