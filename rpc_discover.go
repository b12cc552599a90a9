package svc

// This file writes the OpenRPC 1.3 document of a service, which rpc.discover
// returns: what may be called, with which params, and what comes back.

const openRPCVersion = "1.3.2"

// An openRPCWriter writes one document. The types that methods name are written
// once, as components.
type openRPCWriter struct {
	service *Service
	schemas schemaWriter
	pending []*shape          // components that are referred to and not yet written
	written map[string]string // by name
}

// appendOpenRPC appends the document of s.
func appendOpenRPC(dst []byte, s *Service) []byte {
	w := &openRPCWriter{service: s, written: make(map[string]string)}
	w.schemas.ref = w.ref
	doc := openMembers(dst)
	doc.text("openrpc", openRPCVersion)
	doc.key("info")
	doc.buf = w.info(doc.buf)
	doc.key("methods")
	doc.buf = append(doc.buf, '[')
	for i, m := range s.methods {
		if i > 0 {
			doc.buf = append(doc.buf, ',')
		}
		doc.buf = w.method(doc.buf, m)
	}
	doc.buf = append(doc.buf, ']')
	doc.key("components")
	doc.buf = w.components(doc.buf)
	return doc.close()
}

func (w *openRPCWriter) info(dst []byte) []byte {
	m := openMembers(dst)
	m.text("title", w.service.name)
	if w.service.description != "" {
		m.text("description", w.service.description)
	}
	m.text("version", w.service.version)
	return m.close()
}

func (w *openRPCWriter) method(dst []byte, method *method) []byte {
	m := openMembers(dst)
	m.text("name", method.resource+"."+method.name)
	if method.description != "" {
		m.text("description", method.description)
	}
	tag := openMembers(nil)
	tag.text("name", method.resource)
	m.raw("tags", "["+string(tag.close())+"]")
	m.text("paramStructure", "by-name")
	m.key("params")
	m.buf = append(m.buf, '[')
	if method.in != nil {
		for i, f := range method.in.fields {
			if i > 0 {
				m.buf = append(m.buf, ',')
			}
			m.buf = w.param(m.buf, f)
		}
	}
	m.buf = append(m.buf, ']')
	m.key("result")
	m.buf = w.result(m.buf, method.result)
	return m.close()
}

// param writes a field of an input. Also one that is no member of JSON objects
// is a param, by the name that a path or query tag gives it.
func (w *openRPCWriter) param(dst []byte, f *field) []byte {
	m := openMembers(dst)
	m.text("name", f.name)
	if f.doc != "" {
		m.text("description", f.doc)
	}
	if f.required() {
		m.raw("required", "true")
	}
	m.key("schema")
	m.buf = w.schemas.field(m.buf, f)
	return m.close()
}

func (w *openRPCWriter) result(dst []byte, out *shape) []byte {
	m := openMembers(dst)
	name := "result"
	if out != nil && w.service.typeNames[out] != "" {
		name = w.service.typeNames[out]
	}
	m.text("name", name)
	m.key("schema")
	if out == nil {
		m.buf = append(m.buf, `{"type":"null"}`...)
	} else {
		m.buf = w.schemas.shape(m.buf, out)
	}
	return m.close()
}

// ref makes a component of every object that has a name.
func (w *openRPCWriter) ref(s *shape) string {
	name := w.service.typeNames[s]
	if s.kind != kindObject || name == "" {
		return ""
	}
	w.pending = append(w.pending, s)
	return "#/components/schemas/" + name
}

// components writes the components that have been referred to, and those that
// they refer to.
func (w *openRPCWriter) components(dst []byte) []byte {
	for len(w.pending) > 0 {
		s := w.pending[0]
		w.pending = w.pending[1:]
		name := w.service.typeNames[s]
		if _, done := w.written[name]; done {
			continue
		}
		m := openMembers(nil)
		w.schemas.object(&m, s, s.fields)
		w.written[name] = string(m.close())
	}
	schemas := openMembers(nil)
	for _, name := range sortedKeys(w.written) {
		schemas.raw(name, w.written[name])
	}
	m := openMembers(dst)
	m.raw("schemas", string(schemas.close()))
	return m.close()
}
