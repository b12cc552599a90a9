package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxLiteral      = 3000
	maxLiteralDepth = 6
	emptyLiteral    = "map[string]any{}"
)

// literal returns a schema as a Go literal for a method JSONSchema, without references. It returns
// "" if the schema says nothing or is long.
func (c *converter) literal(s *schema) string {
	if s == nil {
		return ""
	}
	w := &literalWriter{c: c, left: maxLiteral}
	if out := w.schema(s, 0); w.left > 0 && out != emptyLiteral {
		return out
	}
	return ""
}

type literalWriter struct {
	c    *converter
	left int // how many bytes may be written
}

func (w *literalWriter) schema(s *schema, depth int) string {
	if depth > maxLiteralDepth || w.left <= 0 {
		return emptyLiteral
	}
	if len(s.alts) > 0 {
		var alts []string
		for _, a := range s.alts {
			alts = append(alts, w.schema(a, depth+1))
		}
		if s.null {
			alts = append(alts, `map[string]any{"type": "null"}`)
		}
		return w.join("map[string]any", []string{`"anyOf": ` + w.join("[]any", alts)})
	}
	parts := typeParts(s)
	if len(s.props) > 0 {
		parts = append(parts, w.properties(s, depth)...)
	}
	if s.items != nil {
		parts = append(parts, `"items": `+w.schema(w.c.schema(s.items), depth+1))
	}
	if s.extra != nil {
		parts = append(parts, `"additionalProperties": `+w.schema(w.c.schema(s.extra), depth+1))
	}
	return w.join("map[string]any", parts)
}

// join writes a composite literal, on several lines if it is long.
func (w *literalWriter) join(typ string, parts []string) string {
	out := typ + "{" + strings.Join(parts, ", ") + "}"
	if len(out) > 80 || strings.Contains(out, "\n") {
		out = typ + "{\n" + strings.Join(parts, ",\n") + ",\n}"
	}
	for _, p := range parts {
		w.left -= len(p)
	}
	return out
}

func typeParts(s *schema) []string {
	var parts []string
	types := slices.Clone(s.types)
	if s.null && len(types) > 0 {
		types = append(types, "null")
	}
	switch {
	case len(types) == 1:
		parts = append(parts, `"type": `+strconv.Quote(types[0]))
	case len(types) > 1:
		parts = append(parts, fmt.Sprintf(`"type": []any{"%s"}`, strings.Join(types, `", "`)))
	}
	if s.kind() != "string" {
		return parts
	}
	if s.format != "" {
		parts = append(parts, `"format": `+strconv.Quote(s.format))
	}
	if len(s.enum) > 0 {
		var values []string
		for _, v := range s.enum {
			values = append(values, strconv.Quote(v.text))
		}
		parts = append(parts, `"enum": []any{`+strings.Join(values, ", ")+"}")
	}
	return parts
}

func (w *literalWriter) properties(s *schema, depth int) []string {
	var props, required []string
	for _, p := range s.props {
		props = append(props, strconv.Quote(p.name)+": "+w.schema(w.c.schema(p.n), depth+1))
		if s.required[p.name] {
			required = append(required, strconv.Quote(p.name))
		}
	}
	parts := []string{`"properties": ` + w.join("map[string]any", props)}
	if len(required) > 0 {
		parts = append(parts, `"required": []any{`+strings.Join(required, ", ")+"}")
	}
	return parts
}
