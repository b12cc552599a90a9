package svc

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
	m.text("openapi", d.dialect.version())
	m.key("info")
	m.buf = d.appendInfo(m.buf)
	m.key("servers")
	m.buf = append(appendQuoted(append(m.buf, `[{"url":`...), d.server), "}]"...)
	m.raw("security", d.security())
	if len(d.tags) > 0 {
		m.key("tags")
		m.buf = appendArray(m.buf, d.tags, apiTag.append)
	}
	m.key("paths")
	paths := openMembers(m.buf)
	for i := range d.paths {
		paths.key(d.paths[i].template)
		paths.buf = d.appendPath(paths.buf, &d.paths[i])
	}
	m.buf = paths.close()
	m.key("components")
	m.buf = d.appendComponents(m.buf)
	return m.close()
}

func (d *apiDocument) appendInfo(dst []byte) []byte {
	m := openMembers(dst)
	m.text("title", d.title)
	if d.description != "" {
		m.text("description", d.description)
	}
	m.text("version", d.version)
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
	m.text("name", t.name)
	m.text("description", t.description)
	return m.close()
}

func (d *apiDocument) appendPath(dst []byte, p *apiPath) []byte {
	m := openMembers(dst)
	for i := range p.operations {
		m.key(p.operations[i].method)
		m.buf = d.appendOperation(m.buf, &p.operations[i])
	}
	return m.close()
}

func (d *apiDocument) appendOperation(dst []byte, o *apiOperation) []byte {
	m := openMembers(dst)
	if o.tag != "" {
		m.key("tags")
		m.buf = append(appendQuoted(append(m.buf, '['), o.tag), ']')
	}
	m.text("summary", o.summary)
	if o.description != "" {
		m.text("description", o.description)
	}
	m.text("operationId", o.id)
	if len(o.parameters) > 0 {
		m.key("parameters")
		m.buf = appendArray(m.buf, o.parameters, apiParameter.append)
	}
	if o.body != nil {
		m.key("requestBody")
		body := openMembers(m.buf)
		body.raw("required", "true")
		body.content(contentTypeJSON, o.body)
		m.buf = body.close()
	}
	m.key("responses")
	responses := openMembers(m.buf)
	responses.key(o.success.status)
	responses.buf = o.success.append(responses.buf)
	responses.raw("4XX", string(o.failure))
	responses.raw("default", string(o.failure))
	m.buf = responses.close()
	if d.bearer {
		m.raw("security", d.security()) // said again: some readers look nowhere else
	}
	return m.close()
}

func (p apiParameter) append(dst []byte) []byte {
	m := openMembers(dst)
	m.text("name", p.name)
	m.text("in", p.in)
	if p.description != "" {
		m.text("description", p.description)
	}
	if p.required {
		m.raw("required", "true")
	}
	m.raw("schema", string(p.schema))
	return m.close()
}

func (r apiResponse) append(dst []byte) []byte {
	m := openMembers(dst)
	m.text("description", r.description)
	if r.mediaType != "" {
		m.content(r.mediaType, r.schema)
	}
	return m.close()
}

// content appends the member "content" with one media type.
func (m *members) content(mediaType string, schema []byte) {
	m.key("content")
	types := openMembers(m.buf)
	types.key(mediaType)
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
		m.key(kind.name)
		named := openMembers(m.buf)
		for _, c := range kind.list {
			named.raw(c.name, string(c.text))
		}
		m.buf = named.close()
	}
	if d.bearer {
		m.raw("securitySchemes", `{"`+bearerScheme+`":{"type":"http","scheme":"bearer"}}`)
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
