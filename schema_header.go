package svc

// This file decides which properties of a tool's input an HTTP header mirrors:
// those that x-mcp-header marks in its JSON Schema, by the tag mcpheader or in a
// schema that the author wrote. It reads the schema as published, so that the
// server expects exactly the headers that clients are told to send.

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// A headerParam is a property whose value a client repeats in a header of the
// request (MCP 2026-07-28, Tools, x-mcp-header).
type headerParam struct {
	header string   // in canonical form, with the prefix "Mcp-Param-"
	path   []string // the names of the properties that lead to the value
}

// schemaHeaders returns the header parameters of a JSON Schema, and notes those
// that MCP does not allow: clients would drop the whole tool without a word.
func schemaHeaders(p *problems, text []byte) []headerParam {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		p.addf("the input schema is not JSON: %v", err)
		return nil
	}
	w := headerWalk{problems: p}
	w.schema(root, nil, true)
	return w.found
}

// A headerWalk visits every place of a schema where x-mcp-header could be.
type headerWalk struct {
	*problems
	found []headerParam
}

// schema visits one schema. An object's own properties can be marked; what a
// reference, a list or an alternative leads to has no place of its own in the
// arguments.
func (w *headerWalk) schema(node any, path []string, plain bool) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			w.schema(child, path, false)
		}
	case map[string]any:
		w.mark(node, path, plain)
		for _, keyword := range slices.Sorted(maps.Keys(node)) {
			switch keyword {
			case "default", "const", "enum", "examples", "example", "x-mcp-header": // values, not schemas
			case "properties":
				children, _ := node[keyword].(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(children)) {
					w.schema(children[name], append(slices.Clip(path), name), plain)
				}
			default:
				w.schema(node[keyword], path, false)
			}
		}
	}
}

// mark takes the x-mcp-header of one schema, if it has one.
func (w *headerWalk) mark(node map[string]any, path []string, plain bool) {
	value, marked := node["x-mcp-header"]
	if !marked {
		return
	}
	name, _ := value.(string)
	kind, _ := node["type"].(string)
	header := http.CanonicalHeaderKey("Mcp-Param-" + name)
	at := "/" + strings.Join(path, "/")
	switch {
	case !isToken(name):
		w.addf("%s: the header name %q is not a token (RFC 9110, section 5.6.2)", at, name)
	case !plain || len(path) == 0:
		w.addf("%s: the header %q can carry what is always at one place, not what is in a list, a map or a type that contains itself", at, name)
	case kind != "string" && kind != "integer" && kind != "boolean":
		w.addf("%s: the header %q can carry a string, an integer or a boolean; a pointer must be optional (omitempty)", at, name)
	case slices.ContainsFunc(w.found, func(p headerParam) bool { return p.header == header }):
		w.addf("%s: the header %q is there twice", at, name)
	default:
		w.found = append(w.found, headerParam{header, path})
	}
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isDigit(c) && !('a' <= c|0x20 && c|0x20 <= 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// checkHeaders notes what is wrong with the mcpheader tags of an input.
func (c *shapes) checkHeaders(s *shape) {
	text := appendSelfContained(nil, s, schemaWriter{forTools: true})
	if bytes.Contains(text, []byte(`"x-mcp-header"`)) {
		schemaHeaders(c.problems, text)
	}
}
