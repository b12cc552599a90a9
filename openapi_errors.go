package svc

// This file describes error responses, by who writes them.

import (
	"reflect"
)

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
	inner.text("type", "object")
	inner.key("properties")
	inner.buf = appendDetailsSchema(append(appendCodeSchema(append(inner.buf, `{"code":`...)), `,"message":{"type":"string"}`...))
	inner.buf = append(inner.buf, '}')
	inner.raw("required", `["code","message"]`)
	m := openMembers(dst)
	m.text("type", "object")
	m.raw("properties", `{"error":`+string(inner.close())+`}`)
	m.raw("required", `["error"]`)
	return m.close()
}

// appendProblemSchema appends the schema of what WriteProblem writes (RFC 9457,
// section 3).
func (b *apiBuilder) appendProblemSchema(dst []byte) []byte {
	m := openMembers(dst)
	m.text("type", "object")
	m.key("properties")
	m.buf = append(m.buf, `{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer","format":"int32"},`...)
	m.buf = append(m.buf, `"detail":{"type":"string"},"instance":{"type":"string"},"code":`...)
	m.buf = append(appendDetailsSchema(appendCodeSchema(m.buf)), '}')
	m.raw("required", `["type","title","status","detail","instance","code"]`)
	return m.close()
}

// appendCodeSchema appends the schema of the codes that errors are written with.
func appendCodeSchema(dst []byte) []byte {
	m := openMembers(dst)
	m.text("type", "string")
	m.key("enum")
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
