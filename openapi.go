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
// the builder, which goes from methods to operations, from operations to
// components, and from components to names; descriptions of error responses; the
// objects of the specification. The parts that the document shares with OpenRPC are
// in schema_write.go.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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
// Each form is made once, at the first request for it. A response has an
// ETag, and conditional and range requests work (RFC 9110, sections 13 and 14).
// Methods other than GET and HEAD get 405, an unknown version in the query gets
// 400.
//
// The document describes the bodies of errors if Options.ErrorForm is set, or if
// Options.OnError is nil, [WriteError] or [WriteProblem]. It has no bodies of errors with
// another ErrorHandler, since svc cannot know them.
func (s *Service) OpenAPI() http.Handler {
	h := &openAPIHandler{endpoint: s.newEndpoint("openapi")}
	for d := openAPI31; d <= openAPI30; d++ {
		h.forms[d] = sync.OnceValue(func() *builtDocument { return newBuiltText(buildDocument(s, d)) })
	}
	return h
}

// contentTypeOpenAPI is the media type that the OpenAPI Initiative uses. It is
// not registered with IANA.
const contentTypeOpenAPI = "application/vnd.oai.openapi+json"

// An openAPIHandler serves the document of one service in all forms.
type openAPIHandler struct {
	endpoint
	forms [openAPI30 + 1]func() *builtDocument // by dialect, from openAPI31
}

// A builtDocument is a document as text. It never changes.
type builtDocument struct {
	text []byte
	etag string // a strong validator: a hash of the text (RFC 9110, section 8.8.3)
}

// newBuiltText returns a document with the text.
func newBuiltText(text []byte) *builtDocument {
	sum := sha256.Sum256(text)
	return &builtDocument{text, `"` + hex.EncodeToString(sum[:16]) + `"`} // 128 bits do not collide by accident
}

func (h *openAPIHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond serves the document that r asks for. The query wins over Accept, since people who
// type it into a browser cannot set its Accept header.
func (h *openAPIHandler) respond(w http.ResponseWriter, r *http.Request, _ *workspace) error {
	if err := checkReads(w, r); err != nil {
		return err
	}
	version, contentType := r.URL.Query().Get("openapi"), contentTypeJSON
	if version == "" {
		contentType = chooseType(r.Header["Accept"], contentTypeJSON, contentTypeOpenAPI+";version=3.2", contentTypeOpenAPI+";version=3.1")
		_, version, _ = strings.Cut(contentType, ";version=")
	}
	d, ok := dialectOf(cmp.Or(version, h.service.opts.OpenAPI))
	if !ok {
		return Errorf(CodeInvalidArgument, "the version of the document must be openapi=3.0, openapi=3.1 or openapi=3.2")
	}
	serveDocument(w, r, h.forms[d](), contentType)
	return nil
}

// checkReads returns an error unless r only reads. Nothing reads the body, and
// nothing waits for it.
func checkReads(w http.ResponseWriter, r *http.Request) error {
	leaveBody(w, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: GET, HEAD")
	}
	return nil
}

// serveDocument answers with a document in the form that Accept has chosen.
func serveDocument(w http.ResponseWriter, r *http.Request, doc *builtDocument, contentType string) {
	header := w.Header()
	addHeader(header, "Vary", "Accept") // a middleware in front may have added names of its own
	header.Set("Content-Type", contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", doc.etag)
	// The zero time sends no Last-Modified: the text depends on the program
	// and not on when it began.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc.text))
}

// buildDocument returns the document of s in a dialect. It has no other input,
// so a service has one document, byte for byte.
func buildDocument(s *Service, d dialect) []byte { return encodeDocument(newAPIBuilder(s, d).doc) }

// newAPIBuilder returns a builder that has built the document of s.
func newAPIBuilder(s *Service, d dialect) *apiBuilder {
	b := &apiBuilder{
		service: s,
		dialect: d,
		doc: &apiDocument{
			OpenAPI: dialectVersions[d],
			Info:    s.documentInfo(d != openAPI30),
			// "/" is the host that the document came from; linters want a server.
			// Every path begins with a slash, so a URL has none at its end.
			Servers:  []map[string]string{{"url": cmp.Or(strings.TrimRight(s.opts.Defaults.BaseURL, "/"), "/")}},
			Security: []documentSecurity{},
		},
		parts:        make(map[[2]any]string),
		taken:        make(map[string]bool),
		operationIDs: make(map[string]*method),
		paths:        make(map[string]*apiPath),
	}
	b.schemes = listSchemes(s.methodsOn(TransportREST))
	for _, s := range b.schemes {
		b.doc.Components.SecuritySchemes.addMember(s.Name, s.object)
		b.doc.Security = append(b.doc.Security, documentSecurity{s.Name: {}})
	}
	b.components = newComponents(d, s.typeNames)
	for _, name := range s.typeNames {
		b.taken[strings.ToLower(name)] = true
	}
	for _, m := range s.methodsOn(TransportREST) {
		b.addOperation(m)
	}
	b.doc.Components.Schemas = b.components.writeSchemas()
	return b
}

// An apiBuilder builds one document. Its maps are for lookups only: the order
// of the document is that of the methods, and of sorted names.
//
// Invariants: the names of all types and parts are in taken; the operations of each
// element of paths are a member of doc.Paths.
type apiBuilder struct {
	service    *Service
	dialect    dialect
	doc        *apiDocument
	components *components
	schemes    []scheme // of the document

	parts        map[[2]any]string // the names of components with some fields, by the type and these
	taken        map[string]bool   // component names in lower case: some generators make a file of each
	operationIDs map[string]*method
	paths        map[string]*apiPath // by the template with its placeholders unnamed
}

// An apiPath is a path of the document and the methods that share it.
type apiPath struct {
	placeholders []string      // their names in the document
	operations   orderedObject // a Path Item Object: an apiOperation for each HTTP method
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
	id := firstFree(m.resource+"_"+m.goName, "_", func(id string) bool { return b.operationIDs[id] != nil })
	b.operationIDs[id] = m
	o := apiOperation{
		Summary:     m.summary(), // linters ask for one
		OperationID: id,
		Parameters:  b.listParameters(m, path.placeholders),
		Responses:   b.listResponses(m),
		Deprecated:  m.deprecated,
	}
	switch {
	case m.takesBody():
		f := m.in.file
		o.RequestBody = &apiRequestBody{f.doc, true, fileContent(f.tags)}
		if f.tags.max > 0 {
			o.RequestBody.Description = strings.TrimLeft(f.doc+" At most "+strconv.FormatInt(f.tags.max, 10)+" bytes.", " ")
		}
	case m.bind != nil && m.bind.body != nil:
		o.RequestBody = &apiRequestBody{"", true, newContent(contentTypeJSON, refObject(b.referBody(m)))}
	}
	if len(b.doc.Security) > 0 { // again, since some tools read it only here; an empty list is public
		o.Security = append([]documentSecurity{}, m.listSecurity(b.schemes, b.dialect != openAPI30)...)
	}
	if b.dialect != openAPI30 {
		o.Description, o.Tags = m.description, []string{m.resource}
		tag := documentTag{m.resource, "The methods of " + m.resource + "."}
		if !slices.Contains(b.doc.Tags, tag) {
			b.doc.Tags = append(b.doc.Tags, tag)
		}
	}
	path.operations.addMember(strings.ToLower(m.method), o)
}

// findPath returns the path of m, and adds it if m is the first method of
// its path. OpenAPI treats templates that differ only in the names of their
// placeholders as the same path, and forbids it twice (Paths Object, "Templated
// paths with the same hierarchy but different templated names"). So the first
// method gives the names, and the others use them.
func (b *apiBuilder) findPath(m *method) *apiPath {
	path := new(apiPath)
	segments := strings.Split(b.service.prefix+m.path, "/")
	unnamed := make([]string, len(segments))
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			unnamed[i] = "{}"
			path.placeholders = append(path.placeholders, strings.Trim(s, "{}"))
			continue
		}
		if literal, err := url.PathUnescape(s); err == nil { // as http.ServeMux does with a pattern
			s = literal
		}
		segments[i] = url.PathEscape(s)
		unnamed[i] = segments[i]
	}
	key := strings.Join(unnamed, "/")
	if known := b.paths[key]; known != nil {
		return known
	}
	b.paths[key] = path
	b.doc.Paths.addMember(strings.Join(segments, "/"), &path.operations)
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

// listParameters returns the parameters of m: first those of the path in the
// order of the template and with these names, then query, header and cookie. Only the
// 3.2 form could say that nothing is escaped in a cookie (style cookie), and today's
// linters reject that.
func (b *apiBuilder) listParameters(m *method, names []string) []apiParameter {
	bind := m.bind
	if bind == nil {
		bind = new(binding) // of no fields
	}
	var list []apiParameter
	w := &b.components.writer
	for i, placeholder := range m.placeholders {
		p := bind.path[slices.IndexFunc(bind.path, func(p param) bool { return p.sourceName == placeholder })]
		list = append(list, apiParameter{names[i], inPath, p.doc, true, w.appendPathParameter(nil, p.field)})
	}
	for _, p := range slices.Concat(bind.query, bind.header, bind.cookie) {
		list = append(list, apiParameter{p.sourceName, p.in, p.doc, p.isRequired(), w.appendParameter(nil, p.field)})
	}
	return append(list, m.ownParameters()...)
}

// ownParameters returns the headers that REST reads although they are no fields of the
// input of m.
func (m *method) ownParameters() (list []apiParameter) {
	add := func(name, description string) {
		if m.bind == nil || !slices.ContainsFunc(m.bind.header, func(p param) bool { return p.key == name }) {
			list = append(list, apiParameter{name, inHeader, description, false, textSchema})
		}
	}
	if m.isConditional() {
		add("If-None-Match", "The ETag of an answer that the client has: while it is current, the answer is 304.")
	}
	if m.sendsRanges() {
		add("Range", "The part of the file to send, such as bytes=1000-, in the answer 206.")
	}
	if m.key != nil {
		list = append(list, apiParameter{keyHeader, inHeader, m.key.describe(), m.keyUse == KeyRequired, json.RawMessage(`{"type":"string","pattern":` + string(encodeDocument(keySyntax)) + "}")})
	}
	return list
}

// isConditional reports whether restHandler answers If-None-Match with 304.
func (m *method) isConditional() bool {
	return m.sendsRanges() ||
		m.method == http.MethodGet && m.headers != nil && slices.ContainsFunc(m.headers.fields, func(h outputHeader) bool { return h.isETag() })
}

// sendsRanges reports whether restHandler answers Range with 206.
func (m *method) sendsRanges() bool { return m.method == http.MethodGet && m.sendsFile() }

// textSchema is the schema of a text.
var textSchema = json.RawMessage(`{"type":"string"}`)

// fileContent returns the content of a Body or a File. Every version has the format
// binary: generators do not know the form without a type, which is for 3.1 only.
func fileContent(t *fileTags) apiContent {
	content, types := make(apiContent), t.types
	if types == nil {
		types = []string{"*/*"}
	}
	for _, mediaType := range types {
		content[mediaType] = apiMediaType{Schema: json.RawMessage(`{"type":"string","format":"binary"}`)}
	}
	return content
}

// referBody returns the reference to the component that has exactly the fields
// that m takes from the body. If all fields come from the body, that is the
// input type itself. Otherwise it is a component of its own, such as
// UpdateTodoBody: the schema of the whole input would require path parameters
// in the body too, which the server refuses.
func (b *apiBuilder) referBody(m *method) string {
	part := m.bind.inBody
	if part == m.in {
		if ref := b.components.referShape(m.in); ref != "" {
			return ref
		}
		part = m.in.withFields(m.in.fields) // elsewhere a struct without a name is in place
	}
	return b.referPart(m, m.in, part, "Body")
}

// referPart returns the reference to the component of part, which is s, the input or the
// output of m, with some of its fields. Its name is that of the type with suffix behind it.
func (b *apiBuilder) referPart(m *method, s, part *shape, suffix string) string {
	name := onlyNameBytes(cmp.Or(b.service.typeNames[s], capitalized(m.resource)+m.goName)) + suffix
	what := name
	for _, f := range part.fields {
		what += "\x00" + f.name
	}
	key := [2]any{s.typ, what}
	if b.parts[key] == "" {
		b.parts[key] = firstFree(name, "", func(name string) bool { return b.taken[strings.ToLower(name)] })
		b.taken[strings.ToLower(b.parts[key])] = true
	}
	b.components.names[part] = b.parts[key]
	for i, a := range s.alternatives {
		b.referPart(m, a, part.alternatives[i], suffix)
	}
	return b.components.referShape(part)
}

// listResponses returns the responses of m by status. All errors have the same
// form, so default alone would do. Linters ask for a client error by its status,
// and some generators cannot read the range 4XX. Every method can answer 400, and
// one with a placeholder is likely to answer 404. 304 has no body, so the default
// does not describe it.
func (b *apiBuilder) listResponses(m *method) map[string]apiResponse {
	list := b.listErrors(m)
	if m.isConditional() {
		list["304"] = apiResponse{Description: http.StatusText(http.StatusNotModified)}
	}
	success := apiResponse{Description: http.StatusText(m.status), Headers: b.listHeaders(m)}
	switch {
	case m.stream != "":
		success.Description = streamDescription
		if m.form != nil {
			success.Description = strings.Replace(streamDescription, streamEnvelope, "what error responses have as their body", 1)
		}
		success.Content = b.streamContent(m)
	case m.sendsFile():
		success.Content = fileContent(m.out.file.tags)
		if m.sendsRanges() {
			part := apiResponse{Description: http.StatusText(http.StatusPartialContent), Headers: maps.Clone(success.Headers), Content: success.Content}
			part.Headers["Content-Range"] = apiHeader{"Which part of the file this is.", true, textSchema}
			list["206"], list["416"] = part, list["default"]
		}
	case m.out != nil:
		success.Content = newContent(contentTypeJSON, b.recordSchema(m))
	}
	list[strconv.Itoa(m.status)] = success
	return list
}

// recordSchema returns the schema of the body of a success. An output with headers
// that are members elsewhere has a component of its own, such as TodoResponse.
func (b *apiBuilder) recordSchema(m *method) []byte {
	if !m.hasHeaderMembers() {
		return b.components.writer.appendShape(nil, m.out)
	}
	return refObject(b.referPart(m, m.out, m.headers.body, "Response"))
}

// listHeaders returns the headers of a success, by name: those that svc sets, and those of
// the output. Their values are texts: a time is an HTTP-date, which has no format in JSON
// Schema. Set-Cookie is sent once for each cookie, and a schema describes one of
// them.
func (b *apiBuilder) listHeaders(m *method) map[string]apiHeader {
	list := make(map[string]apiHeader)
	if m.sendsFile() {
		list["Content-Disposition"] = apiHeader{"Whether to show the file or to save it, and by which name.", true, textSchema}
		list["ETag"], list["Last-Modified"] = apiHeader{Schema: textSchema}, apiHeader{Schema: textSchema}
	}
	if m.key != nil {
		list["Idempotent-Replayed"] = apiHeader{"The answer is that of an earlier request with the key.", false, json.RawMessage(`{"type":"string","enum":["true"]}`)}
	}
	if m.headers == nil {
		return list
	}
	for i := range m.headers.fields {
		h := &m.headers.fields[i]
		schema := textSchema
		if h.shape.kind != kindTime && h.key != "Set-Cookie" {
			schema = b.components.writer.appendParameter(nil, h.memberEncoder.field)
		}
		list[h.header] = apiHeader{h.doc, h.isSent(), schema}
	}
	return list
}

// listErrors returns the error responses of m by status: those that any method can have,
// and those with a message of their own, whose codes and messages are the description. Each
// of these is an example, as it would be sent.
func (b *apiBuilder) listErrors(m *method) map[string]apiResponse {
	ref, full := b.describeErrors(m)
	list, texts := map[string]apiResponse{"default": ref}, make(map[string][]string)
	own := m.ownErrors()
	for i, e := range slices.Concat(own, m.errors) {
		status, text := strconv.Itoa(m.form.statusOf(e)), string(e.Code)+": "+e.message()
		common := i < len(own) && e.Message == ""
		if !slices.Contains(texts[status], text) && !(common && e.Code == CodeNotFound) { // which only methods return
			texts[status] = append(texts[status], text)
		}
		if common {
			list[status] = ref
			continue
		}
		r := list[status]
		if r.Headers == nil {
			r = apiResponse{Headers: make(map[string]apiHeader), Content: maps.Clone(full.Content)}
		}
		r.Description = strings.Join(texts[status], "; ")
		header := make(http.Header)
		setErrorHeader(header, e.header)
		for name := range header {
			r.Headers[name] = apiHeader{Schema: textSchema}
		}
		for mediaType, content := range r.Content {
			content.Examples.addMember(fmt.Sprint("error", len(content.Examples)+1), map[string]json.RawMessage{"value": m.exampleOf(e)})
			r.Content[mediaType] = content
		}
		list[status] = r
	}
	return list
}

// ownErrors returns the errors that svc itself gives for m.
func (m *method) ownErrors() []*Error {
	list := []*Error{{Code: CodeInvalidArgument}}
	if m.form != nil && m.in != nil {
		for _, key := range slices.Sorted(maps.Keys(m.form.statuses)) {
			if !key.isError() {
				list = append(list, &Error{Code: CodeInvalidArgument, violations: []Violation{{Rule: string(key)}}})
			}
		}
	}
	if len(m.placeholders) > 0 {
		list = append(list, &Error{Code: CodeNotFound})
	}
	if len(m.schemes) > 0 {
		list = append(list, &Error{Code: CodeUnauthenticated}, &Error{Code: CodePermissionDenied})
	}
	if len(m.scopes) > 0 { // as checkIdentity says it
		list[len(list)-1].Message = "the caller lacks a scope: " + strings.Join(m.scopes, " ")
	}
	if m.key != nil {
		list = append(list, &Error{Code: CodeAborted}, errKeyUsed)
	}
	return list
}

// exampleOf returns the body of a response of m for e. It does not call an ErrorHandler of
// the application, which may need a real request.
func (m *method) exampleOf(e *Error) []byte {
	r := &http.Request{Method: m.method, URL: &url.URL{Path: m.path}}
	if isHandler(m.onError, WriteProblem) {
		return appendProblem(nil, r, e)
	}
	body, _ := m.form.appendBody(nil, e, r, m.logger)
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
func (b *apiBuilder) streamContent(m *method) apiContent {
	item := b.components.writer.appendShape(nil, m.out)
	if b.dialect != openAPI32 {
		return newContent(contentTypeEvents, item)
	}
	var envelope []byte
	if m.form != nil {
		envelope = b.components.writer.appendShape(nil, m.form.shape)
	} else {
		envelope = b.referErrorSchema("Error")
	}
	events := strings.NewReplacer("ITEM", string(item), "ENVELOPE", string(envelope)).Replace(eventSchema)
	return apiContent{contentTypeEvents: {ItemSchema: json.RawMessage(events)}}
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

// describeErrors returns the response of every error of m, and a reference to it. It
// describes an ErrorForm and the handlers of svc. The document must not promise a form that
// another ErrorHandler does not write.
func (b *apiBuilder) describeErrors(m *method) (ref, full apiResponse) {
	name, mediaType, schema := "Error", contentTypeJSON, []byte(nil)
	switch {
	case m.form != nil:
		name, mediaType = cmp.Or(b.service.typeNames[m.form.shape], name), m.form.contentType
		schema = b.components.writer.appendShape(nil, m.form.shape)
	case m.onError == nil || isHandler(m.onError, WriteError):
		schema = b.referErrorSchema(name)
	case isHandler(m.onError, WriteProblem):
		name, mediaType = "Problem", contentTypeProblem
		schema = b.referErrorSchema(name)
	default:
		return apiResponse{Description: "Error"}, apiResponse{}
	}
	full = apiResponse{Description: "Error", Content: newContent(mediaType, schema)}
	return b.referResponse(name, full), full
}

// isHandler reports whether h is the top-level function fn. Go compares
// functions with nil only; the code pointer identifies a function that is not a
// closure.
func isHandler(h, fn ErrorHandler) bool {
	return reflect.ValueOf(h).Pointer() == reflect.ValueOf(fn).Pointer()
}

// referResponse returns the reference to an error response called name, or name with a
// number if another response has that name. The first call adds it to the document.
func (b *apiBuilder) referResponse(name string, r apiResponse) apiResponse {
	responses, at := &b.doc.Components.Responses, -1
	name = firstFree(name, "", func(name string) bool {
		at = slices.IndexFunc(*responses, func(r namedValue) bool { return r.name == name })
		return at >= 0 && !reflect.DeepEqual((*responses)[at].value, r)
	})
	if at < 0 {
		responses.addMember(name, r)
	}
	return apiResponse{Ref: "#/components/responses/" + name}
}

// referErrorSchema returns the reference to the schema of errors called name, which no
// type has. The first call adds it to the document, with the schemas in it: generators
// invent names for schemas without one, such as ErrorErrorDetailsViolationsInner.
func (b *apiBuilder) referErrorSchema(name string) []byte {
	if schema := errorSchemas[name]; b.components.schemas[name] == nil {
		list := make([]Code, len(codes)) // all there are, since an unknown code is written as UNKNOWN
		for i := range codes {
			list[i] = codes[i].code
		}
		b.components.schemas[name] = json.RawMessage(strings.Replace(schema, "CODES", string(encodeDocument(list)), 1))
		for _, inner := range [...]string{"ErrorObject", "ErrorDetails", "Violation"} {
			if strings.Contains(schema, componentRef(inner)) {
				b.referErrorSchema(inner)
			}
		}
	}
	return refObject(componentRef(name))
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

// An apiDocument is an OpenAPI Object. It and the types below are the parts of
// the specification that svc publishes, named as there, and their fields are in
// the order in which they are written. Maps are written in the order of their
// names: the statuses of responses, media types and components.
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
type apiDocument struct {
	OpenAPI string              `json:"openapi"`
	Info    documentInfo        `json:"info"`
	Servers []map[string]string `json:"servers"`
	// The empty list says that no identity is required. Without the member the
	// document would leave it open, and linters complain.
	Security   []documentSecurity `json:"security"`
	Tags       []documentTag      `json:"tags,omitempty"`
	Paths      orderedObject      `json:"paths"` // in the order of the methods
	Components struct {
		Schemas         map[string]json.RawMessage `json:"schemas,omitempty"`
		Responses       orderedObject              `json:"responses,omitempty"`
		SecuritySchemes orderedObject              `json:"securitySchemes,omitempty"`
	} `json:"components"`
}

// An apiOperation is an Operation Object.
type apiOperation struct {
	Tags        []string               `json:"tags,omitempty"`
	Summary     string                 `json:"summary"`
	Description string                 `json:"description,omitempty"`
	OperationID string                 `json:"operationId"`
	Parameters  []apiParameter         `json:"parameters,omitempty"`
	RequestBody *apiRequestBody        `json:"requestBody,omitempty"`
	Responses   map[string]apiResponse `json:"responses"`
	Deprecated  bool                   `json:"deprecated,omitempty"`
	Security    []documentSecurity     `json:"security,omitzero"`
}

// An apiParameter is a Parameter Object.
type apiParameter struct {
	Name        string          `json:"name"`
	In          string          `json:"in"`
	Description string          `json:"description,omitempty"`
	Required    bool            `json:"required,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// An apiRequestBody is a Request Body Object.
type apiRequestBody struct {
	Description string     `json:"description,omitempty"`
	Required    bool       `json:"required"`
	Content     apiContent `json:"content"`
}

// An apiResponse is a Response Object, or a Reference Object if Ref is not "".
type apiResponse struct {
	Ref         string               `json:"$ref,omitempty"`
	Description string               `json:"description,omitempty"`
	Headers     map[string]apiHeader `json:"headers,omitempty"`
	Content     apiContent           `json:"content,omitempty"`
}

// An apiHeader is a Header Object.
type apiHeader struct {
	Description string          `json:"description,omitempty"`
	Required    bool            `json:"required,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// An apiContent has Media Type Objects by media type.
type apiContent map[string]apiMediaType

// An apiMediaType is a Media Type Object.
type apiMediaType struct {
	Schema     json.RawMessage `json:"schema,omitempty"`
	Examples   orderedObject   `json:"examples,omitempty"`   // Example Objects
	ItemSchema json.RawMessage `json:"itemSchema,omitempty"` // of each event, in 3.2
}

// newContent returns the content of one media type.
func newContent(mediaType string, schema []byte) apiContent {
	return apiContent{mediaType: {Schema: schema}}
}
