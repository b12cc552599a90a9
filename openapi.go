package svc

// This file makes the OpenAPI document of a service out of the plans that its
// REST routes use, so the document cannot say anything else than the server
// does. The document has two forms: 3.0.3, which nearly every tool reads, and
// 3.1, whose schemas are full JSON Schema 2020-12. They differ in:
//
//	What                       3.0.3                      3.1
//	-------------------------  -------------------------  -----------------------
//	null (schema_write.go)     "nullable" beside a type   the type "null"
//	path parameters            strings with a pattern     the type of their field
//	descriptions of methods    none                       yes
//	tags                       none                       one for each resource
//
// 3.0.3 has no type null. Its keyword nullable adds null to the type beside it
// and to nothing else, and an enum beside it has to list null too (3.0.3, Schema
// Object). So a pointer to a type that has a component is written as anyOf: the
// reference, or a schema of the same type whose one value is null.
//
// In order: the handler that serves a document, and how a request chooses the
// form; the builder, which goes from methods to operations, from operations to
// components, and from components to names; descriptions of error responses;
// the document itself and how it is written.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"net/url"
	"reflect"
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
//	Accept: application/vnd.oai.openapi+json;version=3.1     3.1, as that media type
//	anything else                                            3.0.3, as application/json
//
// Only the 3.1 form has the descriptions of methods, a tag for each resource,
// and path parameters with the type of their field instead of the text that
// they are in a URL.
//
// Both forms are made once, at the first request for them. A response has an
// ETag, and conditional and range requests work (RFC 9110, sections 13 and 14).
// Methods other than GET and HEAD get 405, an unknown version in the query gets
// 400.
//
// If Options.OnError is nil, [WriteError] or [WriteProblem], the document
// describes the error responses that it writes. svc cannot know what another
// ErrorHandler writes: the document says only that there are errors.
func (s *Service) OpenAPI() http.Handler {
	return &openAPIHandler{
		config: s.methods[0].config,
		v30:    sync.OnceValue(func() *builtDocument { return newBuiltDocument(s, openAPI30) }),
		v31:    sync.OnceValue(func() *builtDocument { return newBuiltDocument(s, openAPI31) }),
	}
}

// contentTypeOpenAPI is the media type that the OpenAPI Initiative uses. It is
// not registered with IANA.
const contentTypeOpenAPI = "application/vnd.oai.openapi+json"

// An openAPIHandler serves the document of one service in both forms.
type openAPIHandler struct {
	config   *config
	v30, v31 func() *builtDocument
}

var _ http.Handler = (*openAPIHandler)(nil)

// A builtDocument is a document as text. It never changes.
type builtDocument struct {
	text []byte
	etag string // a strong validator: a hash of the text (RFC 9110, section 8.8.3)
}

// newBuiltDocument builds the document of s in a dialect.
func newBuiltDocument(s *Service, d dialect) *builtDocument {
	text := buildDocument(s, d)
	sum := sha256.Sum256(text)
	return &builtDocument{text, `"` + hex.EncodeToString(sum[:16]) + `"`} // 128 bits do not collide by accident
}

func (h *openAPIHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.config.limits.setDeadline(w, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: GET, HEAD"))
		return
	}
	doc, contentType, err := h.chooseForm(r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", doc.etag)
	header.Add("Vary", "Accept") // a middleware in front may have added names of its own
	// The zero time sends no Last-Modified: the text depends on the program
	// and not on when it began.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc.text))
}

// refuse logs err and writes the error response.
func (h *openAPIHandler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	logError(r.Context(), h.config.logger, err, logPlace{transport: "openapi", request: r})
	respondError(w, r, err, h.config.onError)
}

// chooseForm returns the document that r asks for and its media type. The query
// wins over Accept, since a person who types it into a browser cannot choose
// what the browser accepts.
func (h *openAPIHandler) chooseForm(r *http.Request) (doc *builtDocument, contentType string, err error) {
	switch r.URL.Query().Get("openapi") {
	case "":
	case "3.0", openAPI30.version():
		return h.v30(), contentTypeJSON, nil
	case "3.1", openAPI31.version():
		return h.v31(), contentTypeJSON, nil
	default:
		return nil, "", Errorf(CodeInvalidArgument, "the document is there as openapi=3.0 and openapi=3.1")
	}
	if slices.ContainsFunc(r.Header["Accept"], accepts31) {
		return h.v31(), contentTypeOpenAPI + ";version=3.1", nil
	}
	return h.v30(), contentTypeJSON, nil
}

// accepts31 reports whether an Accept header contains the media type of OpenAPI
// 3.1 with a weight other than 0 (RFC 9110, sections 12.4.2 and 12.5.1).
func accepts31(accept string) bool {
	for item := range strings.SplitSeq(accept, ",") {
		mediaType, params, err := mime.ParseMediaType(item)
		if err != nil || mediaType != contentTypeOpenAPI {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		excluded := err == nil && q == 0
		if v := params["version"]; !excluded && (v == "3.1" || strings.HasPrefix(v, "3.1.")) {
			return true
		}
	}
	return false
}

// buildDocument returns the document of s in a dialect. It has no other input,
// so a service has one document, byte for byte.
func buildDocument(s *Service, d dialect) []byte {
	b := &apiBuilder{
		service: s,
		doc: &apiDocument{
			dialect:     d,
			title:       s.name,
			description: s.description,
			version:     s.version,
			server:      serverURL(s.defaults.BaseURL),
			bearer:      s.defaults.Auth == "bearer",
		},
		names:        make(map[componentKey]string),
		taken:        make(map[string]bool),
		operationIDs: make(map[string]bool),
		referred:     make(map[string]bool),
		pathIndex:    make(map[string]int),
	}
	b.writer = schemaWriter{dialect: d, ref: b.referShape}
	b.nameTypes()
	for _, m := range s.methods {
		b.addOperation(m)
	}
	b.addComponents()
	return b.doc.appendDocument(nil)
}

// serverURL returns the URL that the paths of the document are appended to. It
// has no slash at its end, since every path begins with one.
func serverURL(base string) string {
	if base = strings.TrimRight(base, "/"); base != "" {
		return base
	}
	return "/" // the host that the document came from; linters want a server
}

// An apiBuilder builds one document. Its maps are for lookups only: the order
// of the document is that of the methods, and of sorted names.
//
// Invariants: names has at most one name for a key, and all names are in taken;
// used has a component for each name in referred, in the order of the first
// references; pathIndex has an index for each element of doc.paths.
type apiBuilder struct {
	service *Service
	doc     *apiDocument
	writer  schemaWriter

	names        map[componentKey]string
	taken        map[string]bool // component names in lower case: some generators make a file of each
	used         []component     // those that something refers to
	referred     map[string]bool // the names of used
	operationIDs map[string]bool
	pathIndex    map[string]int // the index in doc.paths, by the path with its placeholders unnamed
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
	o := apiOperation{
		method:     strings.ToLower(m.method),
		id:         b.newOperationID(m),
		summary:    m.resource + ": " + strings.ReplaceAll(m.name, "_", " "), // linters ask for one
		parameters: b.listParameters(m, path.template),
		success:    b.describeSuccess(m),
		errors:     b.describeErrors(m),
	}
	if m.bind != nil && m.bind.body != nil {
		o.body = appendRef(nil, b.referBody(m))
	}
	if b.doc.dialect == openAPI31 {
		o.description, o.tag = m.description, m.resource
		if !slices.ContainsFunc(b.doc.tags, func(t apiTag) bool { return t.name == m.resource }) {
			b.doc.tags = append(b.doc.tags, apiTag{m.resource, "The methods of " + m.resource + "."})
		}
	}
	path.operations = append(path.operations, o)
}

// findPath returns the path item of m, and adds it if m is the first method of
// its path. OpenAPI treats templates that differ only in the names of their
// placeholders as the same path, and forbids it twice (Paths Object, "Templated
// paths with the same hierarchy but different templated names"). So the first
// method gives the names, and the others use them.
func (b *apiBuilder) findPath(m *method) *apiPath {
	segments := strings.Split(b.service.prefix+m.path, "/")
	unnamed := make([]string, len(segments))
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			unnamed[i] = "{}"
			continue
		}
		if literal, err := url.PathUnescape(s); err == nil { // as http.ServeMux does with a pattern
			s = literal
		}
		segments[i] = url.PathEscape(s)
		unnamed[i] = segments[i]
	}
	key := strings.Join(unnamed, "/")
	i, ok := b.pathIndex[key]
	if !ok {
		i = len(b.doc.paths)
		b.pathIndex[key] = i
		b.doc.paths = append(b.doc.paths, apiPath{template: strings.Join(segments, "/")})
	}
	return &b.doc.paths[i]
}

// newOperationID returns {resource}_{GoName}, such as todos_Create. Two methods
// can give the same text, because both parts may contain underscores: the second
// gets a number.
func (b *apiBuilder) newOperationID(m *method) string {
	base := m.resource + "_" + m.goName
	id := base
	for i := 2; b.operationIDs[id]; i++ {
		id = base + "_" + strconv.Itoa(i)
	}
	b.operationIDs[id] = true
	return id
}

// listParameters returns the parameters of m: first those of the path in the
// order of the template and with the names in it, then query and header. A
// placeholder that no field takes is still a parameter, since the client has to
// send something there.
func (b *apiBuilder) listParameters(m *method, template string) []apiParameter {
	var list []apiParameter
	names := parsePlaceholders(template)
	for i, placeholder := range m.placeholders {
		p := apiParameter{name: names[i], in: inPath, required: true, schema: []byte(`{"type":"string"}`)}
		if f := m.findPathField(placeholder); f != nil {
			p.description = f.doc
			p.schema = b.writer.appendPathParameter(nil, f)
		}
		list = append(list, p)
	}
	if m.bind == nil {
		return list
	}
	for _, params := range [...][]param{m.bind.query, m.bind.header} {
		for i := range params {
			p := &params[i]
			list = append(list, apiParameter{
				name:        p.sourceName,
				in:          p.in,
				description: p.doc,
				required:    p.isRequired(),
				schema:      b.writer.appendParameter(nil, p.field),
			})
		}
	}
	return list
}

// parsePlaceholders returns the names of the placeholders in a template.
func parsePlaceholders(template string) []string {
	var names []string
	for _, s := range strings.Split(template, "/") {
		if strings.HasPrefix(s, "{") {
			names = append(names, strings.Trim(s, "{}"))
		}
	}
	return names
}

// findPathField returns the field that takes its value from a placeholder, or
// nil if there is none.
func (m *method) findPathField(placeholder string) *field {
	if m.bind == nil {
		return nil
	}
	for i := range m.bind.path {
		if p := &m.bind.path[i]; p.sourceName == placeholder {
			return p.field
		}
	}
	return nil
}

// referBody returns the reference to the component that has exactly the fields
// that m takes from the body. If all fields come from the body, that is the
// input type itself. Otherwise it is a component of its own, such as
// UpdateTodoBody: the schema of the whole input would require path parameters
// in the body too, which the server refuses.
func (b *apiBuilder) referBody(m *method) string {
	bind := m.bind
	if len(bind.path) == 0 && len(bind.query) == 0 && len(bind.header) == 0 {
		if ref := b.referShape(m.in); ref != "" {
			return ref
		}
	}
	key := keyOf(m.in)
	for _, f := range bind.bodyFields {
		key.fields += f.name + "\x00"
	}
	if b.names[key] == "" {
		base := b.service.typeNames[m.in]
		if base == "" {
			base = capitalized(m.resource) + m.goName
		}
		b.names[key] = b.takeName(onlyNameBytes(base) + "Body")
	}
	return b.referComponent(component{b.names[key], m.in, bind.bodyFields})
}

// describeSuccess returns the response of a call that returned no error.
func (b *apiBuilder) describeSuccess(m *method) apiResponse {
	if m.out == nil {
		return apiResponse{status: "204", description: "No Content"}
	}
	mediaType := contentTypeJSON
	if m.stream != "" {
		mediaType = contentTypeEvents // the schema is that of the data of one event
	}
	return apiResponse{status: "200", description: "OK", mediaType: mediaType, schema: b.writer.appendShape(nil, m.out)}
}

// A component is an object type under components/schemas.
type component struct {
	name   string
	shape  *shape
	fields []*field // all fields of the shape, or those of a body
}

// A componentKey says which schemas are the same component. It has the Go type
// and not the shape, since services that are joined have a shape each of a type
// that both use. It has strict, since a strict service adds
// "additionalProperties": false: a type used by a strict and by another service
// becomes two components.
type componentKey struct {
	typ    reflect.Type
	strict bool
	fields string // the names of a body's fields, each with a NUL behind it; "" for all fields
}

// keyOf returns the key of s with all its fields.
func keyOf(s *shape) componentKey { return componentKey{typ: s.typ, strict: s.strict} }

// addComponents adds the components that something refers to, and the
// components that these refer to, to the document. A type that nothing refers
// to, such as an input that comes from the query, has none: linters complain of
// unused components.
func (b *apiBuilder) addComponents() {
	for i := 0; i < len(b.used); i++ { // writing a component may add others to used
		c := b.used[i]
		m := openMembers(nil)
		b.writer.writeObject(&m, c.shape, c.fields)
		b.doc.schemas = append(b.doc.schemas, apiComponent{c.name, m.close()})
	}
	slices.SortFunc(b.doc.schemas, func(x, y apiComponent) int { return strings.Compare(x.name, y.name) })
}

// referShape returns the reference to the component of s, or "" if the schema is
// to be written in place: only struct types that have a name become components.
func (b *apiBuilder) referShape(s *shape) string {
	if s.kind != kindObject {
		return ""
	}
	name := b.names[keyOf(s)]
	if name == "" {
		return ""
	}
	return b.referComponent(component{name, s, s.fields})
}

// referComponent returns the reference to c and makes c part of the document.
func (b *apiBuilder) referComponent(c component) string {
	if !b.referred[c.name] {
		b.referred[c.name] = true
		b.used = append(b.used, c)
	}
	return "#/components/schemas/" + c.name
}

// nameTypes gives every struct type its name. It runs before anything else
// takes a name, so that a body or an error schema gets the number if both want
// the same one.
func (b *apiBuilder) nameTypes() {
	for _, t := range b.service.types {
		if key := keyOf(t); t.kind == kindObject && b.names[key] == "" {
			b.names[key] = b.takeName(b.service.typeNames[t])
		}
	}
}

// takeName returns name, or name with the first number that makes it unique.
func (b *apiBuilder) takeName(name string) string {
	free := name
	for i := 2; b.taken[strings.ToLower(free)]; i++ {
		free = name + strconv.Itoa(i)
	}
	b.taken[strings.ToLower(free)] = true
	return free
}

// appendRef appends a Reference Object.
func appendRef(dst []byte, ref string) []byte {
	m := openMembers(dst)
	m.addText("$ref", ref)
	return m.close()
}

// describeErrors returns the Response Object of every error of m. It describes
// only handlers that svc itself has: the document must not promise a form that
// the service's own ErrorHandler does not write.
func (b *apiBuilder) describeErrors(m *method) []byte {
	switch {
	case m.onError == nil || isHandler(m.onError, WriteError):
		return b.referErrors("Error", contentTypeJSON, appendEnvelopeSchema)
	case isHandler(m.onError, WriteProblem):
		return b.referErrors("Problem", contentTypeProblem, appendProblemSchema)
	}
	return []byte(`{"description":"Error"}`)
}

// isHandler reports whether h is the top-level function fn. Go compares
// functions with nil only; the code pointer identifies a function that is not a
// closure.
func isHandler(h, fn ErrorHandler) bool {
	return reflect.ValueOf(h).Pointer() == reflect.ValueOf(fn).Pointer()
}

// referErrors returns the reference to the error response called name. The first
// call adds the response and its schema to the document.
func (b *apiBuilder) referErrors(name, mediaType string, appendSchema func([]byte) []byte) []byte {
	ref := appendRef(nil, "#/components/responses/"+name)
	if slices.ContainsFunc(b.doc.responses, func(c apiComponent) bool { return c.name == name }) {
		return ref
	}
	typeName := b.takeName(name)
	b.doc.schemas = append(b.doc.schemas, apiComponent{typeName, appendSchema(nil)})
	r := apiResponse{description: "Error", mediaType: mediaType, schema: appendRef(nil, "#/components/schemas/"+typeName)}
	b.doc.responses = append(b.doc.responses, apiComponent{name, r.appendResponse(nil)})
	return ref
}

// appendEnvelopeSchema appends the schema of the envelope that appendEnvelope
// writes: {"error":{"code":…,"message":…,"details":…}}, where details may be
// absent.
func appendEnvelopeSchema(dst []byte) []byte {
	inner := openMembers(nil)
	inner.addText("type", "object")
	inner.addName("properties")
	inner.buf = appendDetailsSchema(append(appendCodeSchema(append(inner.buf, `{"code":`...)), `,"message":{"type":"string"}`...))
	inner.buf = append(inner.buf, '}')
	inner.addRaw("required", `["code","message"]`)
	m := openMembers(dst)
	m.addText("type", "object")
	m.addRaw("properties", `{"error":`+string(inner.close())+`}`)
	m.addRaw("required", `["error"]`)
	return m.close()
}

// appendProblemSchema appends the schema of the problem details that
// WriteProblem writes (RFC 9457, section 3). The RFC makes all of its members
// optional; those that WriteProblem always writes are required here. code and
// details are extension members (section 3.2).
func appendProblemSchema(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("type", "object")
	m.addName("properties")
	m.buf = append(m.buf, `{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer","format":"int32"},`...)
	m.buf = append(m.buf, `"detail":{"type":"string"},"instance":{"type":"string"},"code":`...)
	m.buf = append(appendDetailsSchema(appendCodeSchema(m.buf)), '}')
	m.addRaw("required", `["type","title","status","detail","instance","code"]`)
	return m.close()
}

// appendCodeSchema appends the schema of an error's code: all codes, in the order
// of the table in errors.go. Clients can rely on the list, since an error with an
// unknown code is written as UNKNOWN.
func appendCodeSchema(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("type", "string")
	m.addName("enum")
	m.buf = append(m.buf, '[')
	for i := range codes {
		if i > 0 {
			m.buf = append(m.buf, ',')
		}
		m.buf = appendQuoted(m.buf, string(codes[i].code))
	}
	m.buf = append(m.buf, ']')
	return m.close()
}

// appendDetailsSchema appends the property "details" with a comma before it. Its
// one property is svc's own: the violations. The application may add others.
func appendDetailsSchema(dst []byte) []byte {
	return append(dst, `,"details":{"type":"object","properties":{"violations":{"type":"array","items":{"type":"object",`+
		`"properties":{"in":{"type":"string"},"path":{"type":"string"},"rule":{"type":"string"},"message":{"type":"string"}},`+
		`"required":["in","path","rule","message"]}}},"additionalProperties":true}`...)
}

// An apiDocument is an OpenAPI Object. It and the types below are the parts of
// the specification that svc publishes, named as there. Schemas are text
// already, since schemaWriter appends text. Everything is written in the order of
// the slices here, and nothing below ranges over a map.
//
//	In Go                               In the document
//	----------------------------------  ---------------------------------------------
//	Options.Name, Description, Version  info
//	Defaults.BaseURL                    servers
//	Defaults.Auth                       security, components.securitySchemes
//	a method                            an operation below paths
//	a field of its input                one of parameters, or a property of requestBody
//	its output                          the schema of response 200
//	a named struct type                 one of components.schemas
//	Options.OnError                     one of components.responses
type apiDocument struct {
	dialect     dialect
	title       string
	description string // "" for none
	version     string // of the API, not of OpenAPI
	server      string // a URL
	bearer      bool   // every operation requires a bearer token
	tags        []apiTag
	paths       []apiPath
	schemas     []apiComponent
	responses   []apiComponent
}

// version returns the member "openapi" of a document.
func (d dialect) version() string {
	if d == openAPI31 {
		return "3.1.0"
	}
	return "3.0.3"
}

// An apiTag is a Tag Object.
type apiTag struct{ name, description string }

// An apiPath is a Path Item Object and its template.
type apiPath struct {
	template   string
	operations []apiOperation
}

// An apiOperation is an Operation Object.
type apiOperation struct {
	method      string // the HTTP method in lower case
	tag         string // "" for none
	id          string
	summary     string
	description string // "" for none
	parameters  []apiParameter
	body        []byte // the schema of the JSON body, or nil if there is none
	success     apiResponse
	errors      []byte // the Response Object of every error
}

// An apiParameter is a Parameter Object.
type apiParameter struct {
	name, in    string
	description string // "" for none
	required    bool
	schema      []byte
}

// An apiResponse is a Response Object.
type apiResponse struct {
	status      string
	description string
	mediaType   string // "" for a response without a body
	schema      []byte
}

// An apiComponent is a named member of the Components Object.
type apiComponent struct {
	name string
	text []byte
}

// bearerScheme is the name of the one security scheme.
const bearerScheme = "bearer"

// appendDocument appends the document as JSON.
func (d *apiDocument) appendDocument(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("openapi", d.dialect.version())
	m.addName("info")
	m.buf = d.appendInfo(m.buf)
	m.addName("servers")
	m.buf = append(appendQuoted(append(m.buf, `[{"url":`...), d.server), "}]"...)
	m.addRaw("security", d.securityText())
	if len(d.tags) > 0 {
		m.addName("tags")
		m.buf = appendArray(m.buf, d.tags, apiTag.appendTag)
	}
	m.addName("paths")
	paths := openMembers(m.buf)
	for i := range d.paths {
		paths.addName(d.paths[i].template)
		paths.buf = d.appendPath(paths.buf, &d.paths[i])
	}
	m.buf = paths.close()
	m.addName("components")
	m.buf = d.appendComponents(m.buf)
	return m.close()
}

// appendInfo appends the Info Object.
func (d *apiDocument) appendInfo(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("title", d.title)
	if d.description != "" {
		m.addText("description", d.description)
	}
	m.addText("version", d.version)
	return m.close()
}

// securityText returns the Security Requirement Objects of every operation. The
// empty list says that no identity is required. Without the member a document
// would leave it open, and linters complain.
func (d *apiDocument) securityText() string {
	if d.bearer {
		return `[{"` + bearerScheme + `":[]}]`
	}
	return "[]"
}

// appendTag appends t as JSON.
func (t apiTag) appendTag(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("name", t.name)
	m.addText("description", t.description)
	return m.close()
}

// appendPath appends p as JSON.
func (d *apiDocument) appendPath(dst []byte, p *apiPath) []byte {
	m := openMembers(dst)
	for i := range p.operations {
		m.addName(p.operations[i].method)
		m.buf = d.appendOperation(m.buf, &p.operations[i])
	}
	return m.close()
}

// appendOperation appends o as JSON.
func (d *apiDocument) appendOperation(dst []byte, o *apiOperation) []byte {
	m := openMembers(dst)
	if o.tag != "" {
		m.addName("tags")
		m.buf = append(appendQuoted(append(m.buf, '['), o.tag), ']')
	}
	m.addText("summary", o.summary)
	if o.description != "" {
		m.addText("description", o.description)
	}
	m.addText("operationId", o.id)
	if len(o.parameters) > 0 {
		m.addName("parameters")
		m.buf = appendArray(m.buf, o.parameters, apiParameter.appendParameter)
	}
	if o.body != nil {
		m.addName("requestBody")
		body := openMembers(m.buf)
		body.addRaw("required", "true")
		appendMediaType(&body, contentTypeJSON, o.body)
		m.buf = body.close()
	}
	m.addName("responses")
	responses := openMembers(m.buf)
	responses.addName(o.success.status)
	responses.buf = o.success.appendResponse(responses.buf)
	// Some generators read only ranges such as 4XX and some only default, so both
	// have the same response. A 5XX is described by default.
	responses.addRaw("4XX", string(o.errors))
	responses.addRaw("default", string(o.errors))
	m.buf = responses.close()
	if d.bearer {
		m.addRaw("security", d.securityText()) // again, since some tools read it only here
	}
	return m.close()
}

// appendParameter appends p as JSON.
func (p apiParameter) appendParameter(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("name", p.name)
	m.addText("in", p.in)
	if p.description != "" {
		m.addText("description", p.description)
	}
	if p.required {
		m.addRaw("required", "true")
	}
	m.addRaw("schema", string(p.schema))
	return m.close()
}

// appendResponse appends r as JSON.
func (r apiResponse) appendResponse(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("description", r.description)
	if r.mediaType != "" {
		appendMediaType(&m, r.mediaType, r.schema)
	}
	return m.close()
}

// appendMediaType appends the member "content" with one media type.
func appendMediaType(m *members, mediaType string, schema []byte) {
	m.addName("content")
	types := openMembers(m.buf)
	types.addName(mediaType)
	types.buf = append(append(append(types.buf, `{"schema":`...), schema...), '}')
	m.buf = types.close()
}

// appendComponents appends the Components Object.
func (d *apiDocument) appendComponents(dst []byte) []byte {
	m := openMembers(dst)
	for _, kind := range []struct {
		name string
		list []apiComponent
	}{{"schemas", d.schemas}, {"responses", d.responses}} {
		if len(kind.list) == 0 {
			continue
		}
		m.addName(kind.name)
		named := openMembers(m.buf)
		for _, c := range kind.list {
			named.addRaw(c.name, string(c.text))
		}
		m.buf = named.close()
	}
	if d.bearer {
		m.addRaw("securitySchemes", `{"`+bearerScheme+`":{"type":"http","scheme":"bearer"}}`)
	}
	return m.close()
}

// appendArray appends a JSON array. It calls appendItem for each item.
func appendArray[T any](dst []byte, items []T, appendItem func(T, []byte) []byte) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(item, dst)
	}
	return append(dst, ']')
}
