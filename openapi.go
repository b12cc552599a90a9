package svc

// This file serves the OpenAPI document of a service: which of its two forms a
// request asks for, and whether it has it already. openapi_build.go makes the
// document out of the methods; openapi_document.go is what a document is.
//
// This file makes the OpenAPI document of a service: an operation for each
// method, and a component for each struct that one of them mentions.
//
// This file describes error responses, by who writes them.

import (
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
)

// OpenAPI returns a handler that serves the OpenAPI document of the REST routes:
// 3.0.3 as application/json, or 3.1 where the request has ?openapi=3.1 or
// Accept: application/vnd.oai.openapi+json;version=3.1. The two differ in what
// they tell readers: only 3.1 has the descriptions of methods, a tag for each
// resource, and parameters of the path by their type rather than as the text
// they are in a URL.
//
// The document is made at the first request for it. It has an ETag, and a
// request with If-None-Match may get 304 (RFC 9110, section 13.1.2).
//
// The error responses are described as what Options.OnError writes if that is
// [WriteError] or [WriteProblem]; of another ErrorHandler the document says only
// that there are errors.
func (s *Service) OpenAPI() http.Handler {
	h := &openAPIHandler{config: s.methods[0].config}
	h.v30 = sync.OnceValue(func() *publication {
		return newPublication(contentTypeJSON, buildDocument(s, openAPI30))
	})
	h.v31 = sync.OnceValue(func() *publication {
		return newPublication(contentTypeJSON, buildDocument(s, openAPI31))
	})
	h.v31Typed = sync.OnceValue(func() *publication {
		return h.v31().as(contentTypeOpenAPI + ";version=3.1")
	})
	return h
}

// contentTypeOpenAPI is the media type that the OpenAPI Initiative uses. It is
// not registered.
const contentTypeOpenAPI = "application/vnd.oai.openapi+json"

// An openAPIHandler serves one document in two forms, the second also under the
// media type that asks for it.
type openAPIHandler struct {
	config             *config
	v30, v31, v31Typed func() *publication
}

var _ http.Handler = (*openAPIHandler)(nil)

// A publication is a document as it is sent. The values of its header are
// shared by all responses: a response adds nothing to what it allocates itself.
type publication struct {
	body        []byte
	etag        string
	contentType []string
	length      []string
	etags       []string
	nosniff     []string
	vary        []string
}

func newPublication(contentType string, body []byte) *publication {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	// Each slice is full, so that who appends to it gets a copy.
	return &publication{
		body:        body,
		etag:        etag,
		contentType: []string{contentType},
		length:      []string{strconv.Itoa(len(body))},
		etags:       []string{etag},
		nosniff:     []string{"nosniff"},
		vary:        []string{"Accept"},
	}
}

// as returns p under another media type.
func (p *publication) as(contentType string) *publication {
	other := *p
	other.contentType = []string{contentType}
	return &other
}

func (h *openAPIHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.config.limits.setDeadline(w, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: GET, HEAD"))
		return
	}
	p, err := h.choose(r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	p.serve(w, r)
}

func (h *openAPIHandler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	logError(r.Context(), h.config.logger, err, logPlace{transport: "openapi", request: r})
	respondError(w, r, err, h.config.onError)
}

// choose returns the form that the request asks for, in the query or else by
// Accept.
func (h *openAPIHandler) choose(r *http.Request) (*publication, error) {
	if r.URL.RawQuery != "" {
		switch version := r.URL.Query().Get("openapi"); version {
		case "":
		case "3.0", openAPI30.version():
			return h.v30(), nil
		case "3.1", openAPI31.version():
			return h.v31(), nil
		default:
			return nil, Errorf(CodeInvalidArgument, "the document is there as openapi=3.0 and openapi=3.1")
		}
	}
	for _, accept := range r.Header["Accept"] {
		if strings.Contains(accept, contentTypeOpenAPI) && accepts31(accept) {
			return h.v31Typed(), nil
		}
	}
	return h.v30(), nil
}

// accepts31 reports whether an Accept header has the media type of OpenAPI 3.1
// (RFC 9110, section 12.5.1).
func accepts31(accept string) bool {
	for _, item := range strings.Split(accept, ",") {
		mediaType, params, err := mime.ParseMediaType(item)
		if err != nil || mediaType != contentTypeOpenAPI {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		refused := err == nil && q == 0
		if v := params["version"]; !refused && (v == "3.1" || strings.HasPrefix(v, "3.1.")) {
			return true
		}
	}
	return false
}

// serve answers a GET or HEAD request with p.
func (p *publication) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Etag"] = p.etags
	if len(h["Vary"]) == 0 {
		h["Vary"] = p.vary
	} else {
		h.Add("Vary", p.vary[0])
	}
	if hasETag(r.Header["If-None-Match"], p.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Type"] = p.contentType
	h["Content-Length"] = p.length
	h["X-Content-Type-Options"] = p.nosniff
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(p.body) // a client that has gone cannot be told
	}
}

// hasETag reports whether If-None-Match names etag. The comparison is the weak
// one (RFC 9110, section 13.1.2): a proxy that compresses marks tags as weak.
func hasETag(ifNoneMatch []string, etag string) bool {
	for _, list := range ifNoneMatch {
		for more := true; more; {
			var item string
			item, list, more = strings.Cut(list, ",") // ours has no comma in it
			item = strings.TrimSpace(item)
			if item == "*" || strings.TrimPrefix(item, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// buildDocument returns the document of s in a dialect.
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
		names:    make(map[componentKey]string),
		taken:    make(map[string]bool),
		ids:      make(map[string]bool),
		referred: make(map[string]bool),
		items:    make(map[string]int),
	}
	b.writer = schemaWriter{dialect: d, ref: b.refTo}
	b.nameTypes()
	for _, m := range s.methods {
		b.add(m)
	}
	b.addComponents()
	return b.doc.append(nil)
}

// serverURL returns where the paths of the document begin. A slash at its end
// would be doubled by the path behind it.
func serverURL(base string) string {
	if base = strings.TrimRight(base, "/"); base != "" {
		return base
	}
	return "/"
}

// An apiBuilder builds one document.
type apiBuilder struct {
	service *Service
	doc     *apiDocument
	writer  schemaWriter

	names    map[componentKey]string
	taken    map[string]bool // component names, in lower case: to some generators a name is a file
	used     []component     // those that something refers to
	referred map[string]bool // their names
	ids      map[string]bool
	items    map[string]int // the index in doc.paths, by the path with its placeholders unnamed
}

// A componentKey says which schemas are the same one. Two services that are
// joined have a shape each of a type that both use: it is one component, unless
// only one of them is strict.
type componentKey struct {
	typ    reflect.Type
	strict bool
	fields string // "" for all of them
}

// A component is an object under components/schemas.
type component struct {
	name   string
	shape  *shape
	fields []*field
}

// nameTypes gives every struct type its name, before anything else gets one.
func (b *apiBuilder) nameTypes() {
	for _, t := range b.service.types {
		if key := keyOf(t); t.kind == kindObject && b.names[key] == "" {
			b.names[key] = b.take(b.service.typeNames[t])
		}
	}
}

func keyOf(s *shape) componentKey { return componentKey{typ: s.typ, strict: s.strict} }

// take returns name, or name with the first number that makes it a new one.
func (b *apiBuilder) take(name string) string {
	free := name
	for i := 2; b.taken[strings.ToLower(free)]; i++ {
		free = name + strconv.Itoa(i)
	}
	b.taken[strings.ToLower(free)] = true
	return free
}

// refTo is what schemas refer to s by: structs that have a name have a
// component, all else is written in place.
func (b *apiBuilder) refTo(s *shape) string {
	if s.kind != kindObject {
		return ""
	}
	name := b.names[keyOf(s)]
	if name == "" {
		return ""
	}
	return b.ref(component{name, s, s.fields})
}

// ref returns the reference to c, which is from now on part of the document.
func (b *apiBuilder) ref(c component) string {
	if !b.referred[c.name] {
		b.referred[c.name] = true
		b.used = append(b.used, c)
	}
	return "#/components/schemas/" + c.name
}

// add adds the operation of m.
func (b *apiBuilder) add(m *method) {
	path := b.path(m)
	o := apiOperation{
		method:     strings.ToLower(m.method),
		id:         b.operationID(m),
		summary:    m.resource + ": " + strings.ReplaceAll(m.name, "_", " "),
		parameters: b.parameters(m, path.template),
		success:    b.success(m),
		failure:    b.failure(m),
	}
	if m.bind != nil && m.bind.body != nil {
		o.body = appendRef(nil, b.body(m))
	}
	if b.doc.dialect == openAPI31 {
		o.description, o.tag = m.description, m.resource
		if !slices.ContainsFunc(b.doc.tags, func(t apiTag) bool { return t.name == m.resource }) {
			b.doc.tags = append(b.doc.tags, apiTag{m.resource, "The methods of " + m.resource + "."})
		}
	}
	path.operations = append(path.operations, o)
}

// path returns the path item of m. Two paths that differ in what their
// placeholders are called are one to OpenAPI (section 4.8.8 of 3.0.3), whose
// names the first method gives.
func (b *apiBuilder) path(m *method) *apiPath {
	segments := strings.Split(b.service.prefix+m.path, "/")
	unnamed := make([]string, len(segments))
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			unnamed[i] = "{}"
			continue
		}
		if literal, err := url.PathUnescape(s); err == nil { // as http.ServeMux does
			s = literal
		}
		segments[i] = url.PathEscape(s)
		unnamed[i] = segments[i]
	}
	key := strings.Join(unnamed, "/")
	i, ok := b.items[key]
	if !ok {
		i = len(b.doc.paths)
		b.items[key] = i
		b.doc.paths = append(b.doc.paths, apiPath{template: strings.Join(segments, "/")})
	}
	return &b.doc.paths[i]
}

// operationID returns {resource}_{GoName}. Underscores in both can make that
// the name of two methods.
func (b *apiBuilder) operationID(m *method) string {
	base := m.resource + "_" + m.goName
	id := base
	for i := 2; b.ids[id]; i++ {
		id = base + "_" + strconv.Itoa(i)
	}
	b.ids[id] = true
	return id
}

// parameters returns the parameters of m, those of the path in the order of the
// template, which also has their names.
func (b *apiBuilder) parameters(m *method, template string) []apiParameter {
	var list []apiParameter
	names := placeholdersOf(template)
	for i, placeholder := range m.placeholders {
		p := apiParameter{name: names[i], in: inPath, required: true, schema: []byte(`{"type":"string"}`)}
		if f := m.pathField(placeholder); f != nil {
			p.description = f.doc
			p.schema = b.writer.pathParameter(nil, f)
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
				required:    p.required(),
				schema:      b.writer.parameter(nil, p.field),
			})
		}
	}
	return list
}

func placeholdersOf(template string) []string {
	var names []string
	for _, s := range strings.Split(template, "/") {
		if strings.HasPrefix(s, "{") {
			names = append(names, strings.Trim(s, "{}"))
		}
	}
	return names
}

// pathField returns the field that fills a placeholder, or nil.
func (m *method) pathField(placeholder string) *field {
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

// body returns the reference to the component that holds exactly the fields
// that m takes from the body.
func (b *apiBuilder) body(m *method) string {
	bind := m.bind
	if len(bind.path) == 0 && len(bind.query) == 0 && len(bind.header) == 0 {
		if ref := b.refTo(m.in); ref != "" {
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
		b.names[key] = b.take(onlyNameBytes(base) + "Body")
	}
	return b.ref(component{b.names[key], m.in, bind.bodyFields})
}

// success returns the response of a call that went well.
func (b *apiBuilder) success(m *method) apiResponse {
	if m.out == nil {
		return apiResponse{status: "204", description: "No Content"}
	}
	mediaType := contentTypeJSON
	if m.stream != "" {
		mediaType = contentTypeEvents // the schema is that of an event's data
	}
	return apiResponse{status: "200", description: "OK", mediaType: mediaType, schema: b.writer.shape(nil, m.out)}
}

// addComponents writes the components that something refers to, and those that
// they refer to themselves.
func (b *apiBuilder) addComponents() {
	for i := 0; i < len(b.used); i++ { // writing one may add others
		c := b.used[i]
		m := openMembers(nil)
		b.writer.object(&m, c.shape, c.fields)
		b.doc.schemas = append(b.doc.schemas, apiComponent{c.name, m.close()})
	}
	slices.SortFunc(b.doc.schemas, func(x, y apiComponent) int { return strings.Compare(x.name, y.name) })
}

// appendRef appends a Reference Object.
func appendRef(dst []byte, ref string) []byte {
	m := openMembers(dst)
	m.addText("$ref", ref)
	return m.close()
}

// This file is what an OpenAPI document is, as far as svc publishes it, and how
// it is written. The order of everything is that of the slices here, so that a
// service has one document, byte for byte.

// version returns what the member "openapi" of a document says.
func (d dialect) version() string {
	if d == openAPI31 {
		return "3.1.0"
	}
	return "3.0.3"
}

// An apiDocument is an OpenAPI Object.
type apiDocument struct {
	dialect     dialect
	title       string
	description string // "" for none
	version     string // of the API
	server      string // a URL
	bearer      bool   // every operation wants a bearer token
	tags        []apiTag
	paths       []apiPath
	schemas     []apiComponent
	responses   []apiComponent
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
	method      string // of HTTP, in lower case
	tag         string // "" for none
	id          string
	summary     string
	description string // "" for none
	parameters  []apiParameter
	body        []byte // the schema of the JSON body, or nil if there is none
	success     apiResponse
	failure     []byte // the Response Object of every error
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

func (d *apiDocument) append(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("openapi", d.dialect.version())
	m.addName("info")
	m.buf = d.appendInfo(m.buf)
	m.addName("servers")
	m.buf = append(appendQuoted(append(m.buf, `[{"url":`...), d.server), "}]"...)
	m.addRaw("security", d.security())
	if len(d.tags) > 0 {
		m.addName("tags")
		m.buf = appendArray(m.buf, d.tags, apiTag.append)
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

func (d *apiDocument) appendInfo(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("title", d.title)
	if d.description != "" {
		m.addText("description", d.description)
	}
	m.addText("version", d.version)
	return m.close()
}

// security returns the Security Requirement Objects that hold for everything.
// An empty list says that nothing is required, where none would say nothing.
func (d *apiDocument) security() string {
	if d.bearer {
		return `[{"` + bearerScheme + `":[]}]`
	}
	return "[]"
}

func (t apiTag) append(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("name", t.name)
	m.addText("description", t.description)
	return m.close()
}

func (d *apiDocument) appendPath(dst []byte, p *apiPath) []byte {
	m := openMembers(dst)
	for i := range p.operations {
		m.addName(p.operations[i].method)
		m.buf = d.appendOperation(m.buf, &p.operations[i])
	}
	return m.close()
}

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
		m.buf = appendArray(m.buf, o.parameters, apiParameter.append)
	}
	if o.body != nil {
		m.addName("requestBody")
		body := openMembers(m.buf)
		body.addRaw("required", "true")
		body.content(contentTypeJSON, o.body)
		m.buf = body.close()
	}
	m.addName("responses")
	responses := openMembers(m.buf)
	responses.addName(o.success.status)
	responses.buf = o.success.append(responses.buf)
	responses.addRaw("4XX", string(o.failure))
	responses.addRaw("default", string(o.failure))
	m.buf = responses.close()
	if d.bearer {
		m.addRaw("security", d.security()) // said again: some readers look nowhere else
	}
	return m.close()
}

func (p apiParameter) append(dst []byte) []byte {
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

func (r apiResponse) append(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("description", r.description)
	if r.mediaType != "" {
		m.content(r.mediaType, r.schema)
	}
	return m.close()
}

// content appends the member "content" with one media type.
func (m *members) content(mediaType string, schema []byte) {
	m.addName("content")
	types := openMembers(m.buf)
	types.addName(mediaType)
	types.buf = append(append(append(types.buf, `{"schema":`...), schema...), '}')
	m.buf = types.close()
}

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

// appendArray appends a JSON array of what one appends for each item.
func appendArray[T any](dst []byte, items []T, one func(T, []byte) []byte) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(item, dst)
	}
	return append(dst, ']')
}

// failure returns the Response Object of every error of m. The document must
// not promise what the service's own ErrorHandler does not keep.
func (b *apiBuilder) failure(m *method) []byte {
	switch {
	case m.onError == nil || isHandler(m.onError, WriteError):
		return b.errorResponse("Error", contentTypeJSON, b.appendEnvelopeSchema)
	case isHandler(m.onError, WriteProblem):
		return b.errorResponse("Problem", contentTypeProblem, b.appendProblemSchema)
	}
	return []byte(`{"description":"Error"}`)
}

// isHandler reports whether h is the top-level function fn.
func isHandler(h, fn ErrorHandler) bool {
	return reflect.ValueOf(h).Pointer() == reflect.ValueOf(fn).Pointer()
}

// errorResponse returns a reference to the response of that name, which it adds
// to the document at first.
func (b *apiBuilder) errorResponse(name, mediaType string, schema func([]byte) []byte) []byte {
	for _, c := range b.doc.responses {
		if c.name == name {
			return appendRef(nil, "#/components/responses/"+name)
		}
	}
	typeName := b.take(name)
	b.doc.schemas = append(b.doc.schemas, apiComponent{typeName, schema(nil)})
	r := apiResponse{description: "Error", mediaType: mediaType, schema: appendRef(nil, "#/components/schemas/"+typeName)}
	b.doc.responses = append(b.doc.responses, apiComponent{name, r.append(nil)})
	return appendRef(nil, "#/components/responses/"+name)
}

// appendEnvelopeSchema appends the schema of what appendEnvelope appends.
func (b *apiBuilder) appendEnvelopeSchema(dst []byte) []byte {
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

// appendProblemSchema appends the schema of what WriteProblem writes (RFC 9457,
// section 3).
func (b *apiBuilder) appendProblemSchema(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("type", "object")
	m.addName("properties")
	m.buf = append(m.buf, `{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer","format":"int32"},`...)
	m.buf = append(m.buf, `"detail":{"type":"string"},"instance":{"type":"string"},"code":`...)
	m.buf = append(appendDetailsSchema(appendCodeSchema(m.buf)), '}')
	m.addRaw("required", `["type","title","status","detail","instance","code"]`)
	return m.close()
}

// appendCodeSchema appends the schema of the codes that errors are written with.
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

// appendDetailsSchema appends the property "details" with a comma before it:
// svc's own detail and any others that the application gives.
func appendDetailsSchema(dst []byte) []byte {
	return append(dst, `,"details":{"type":"object","properties":{"violations":{"type":"array","items":{"type":"object",`+
		`"properties":{"in":{"type":"string"},"path":{"type":"string"},"rule":{"type":"string"},"message":{"type":"string"}},`+
		`"required":["in","path","rule","message"]}}},"additionalProperties":true}`...)
}
