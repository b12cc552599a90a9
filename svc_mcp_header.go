package svc

// This file reads which arguments of a tool a client repeats in headers.
//
// The rules of x-mcp-header (MCP 2026-07-28, Tools): a property of an input schema with
// "x-mcp-header":"Region" tells clients to repeat the argument in the header
// Mcp-Param-Region, so that gateways can route a call without its body. Clients silently
// drop a tool whose schema breaks a rule, so the rules are checked before one is published.
// The published schema is read, not the Go types: the server must expect exactly the
// headers that clients are told to send.

import (
	"net/http"
	"slices"
	"strings"
)

// A headerParam is an argument that a client repeats in a header of the request.
type headerParam struct {
	header string   // in canonical form, with the prefix "Mcp-Param-"
	path   []string // the names of the properties that lead to the argument; not empty
}

// readHeaderParams returns the arguments of an input schema that headers mirror, and notes the rules
// that it breaks.
func readHeaderParams(p *mistakes, schema []byte) []headerParam {
	r := &headerReader{mistakes: p}
	r.addHeaders(schema, nil, true)
	return r.list
}

// A headerReader reads the x-mcp-header of a schema.
type headerReader struct {
	*mistakes
	list []headerParam
}

// addHeaders adds the headers in a part of the input schema, wherever they are, allowed or not.
// path lists the properties that lead to the part. plain reports whether only properties lead to
// it: behind a list, an alternative or a reference the value has no fixed place in the arguments.
func (r *headerReader) addHeaders(node []byte, path []string, plain bool) {
	for keyword, value := range eachMember(node) { // of an object
		switch string(keyword) {
		case "default", "const", "enum", "examples", "example": // values, not schemas
		case "x-mcp-header":
			r.addHeader(node, path, plain)
		case "properties":
			for name, child := range eachMember(value) {
				r.addHeaders(child, append(slices.Clip(path), string(name)), plain)
			}
		default:
			r.addHeaders(value, path, false)
		}
	}
	for _, child := range itemsOf(node) { // of a list
		r.addHeaders(child, path, false)
	}
}

// addHeader adds the header of a schema with x-mcp-header, or notes the rule that it breaks.
func (r *headerReader) addHeader(node []byte, path []string, plain bool) {
	name, kind := textAt(node, "x-mcp-header"), textAt(node, "type")
	header := http.CanonicalHeaderKey("Mcp-Param-" + name)
	at := "the argument /" + strings.Join(path, "/")
	switch {
	case !isToken(name):
		r.addf("%s: the header name %q is not a token (RFC 9110, section 5.6.2); write letters, digits and -", at, name)
	case !plain || len(path) == 0:
		r.addf("%s: the header %q can carry what is always at one place, not what is in a list, a map or a type that contains itself, nor "+
			"null: a pointer must be optional (omitempty)", at, name)
	case kind != "string" && kind != "integer" && kind != "boolean":
		r.addf("%s: the header %q can carry a string, an integer or a boolean; a pointer must be optional (omitempty)", at, name)
	case slices.ContainsFunc(r.list, func(other headerParam) bool { return other.header == header }):
		r.addf("%s: the header %q is there twice; names of headers do not differ by case", at, name)
	default:
		r.list = append(r.list, headerParam{header, path})
	}
}
