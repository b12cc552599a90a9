package svc

// This file makes the OpenAPI document of a service: an operation for each
// method, and a component for each struct that one of them mentions.

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

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
				name:        p.param,
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
		if p := &m.bind.path[i]; p.param == placeholder {
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
	m.text("$ref", ref)
	return m.close()
}
