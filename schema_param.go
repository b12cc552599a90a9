package svc

// This file writes the schemas of values that stand in a path or a query: text
// in a URL, where there is no null and nothing is quoted.

import "strings"

// parameter appends the schema of a field that a parameter gives, as the value
// that its text spells.
func (w *schemaWriter) parameter(dst []byte, f *field) []byte {
	target := *f.shape.deref()
	if target.kind == kindSlice {
		target.elem = target.elem.deref()
	}
	return w.plain(dst, &target, f.asParameter(), true)
}

// asParameter returns a copy of f as it is outside of JSON: what a
// `json:",string"` puts into a string is there by itself. The description
// belongs to the parameter, not to its schema.
func (f *field) asParameter() *field {
	p := *f
	p.doc = ""
	if f.quoted {
		p.quoted, p.def, p.example = false, unquotedLiteral(f.def), unquotedLiteral(f.example)
	}
	return &p
}

// unquotedLiteral returns the JSON inside a JSON string, or nil if there is none.
func unquotedLiteral(quoted []byte) []byte {
	if quoted == nil {
		return nil
	}
	s := scanner{data: quoted}
	s.peek()
	raw, _ := s.str()
	if text := appendUnescaped(nil, raw); isJSON(text) {
		return text
	}
	return nil
}

// pathParameter appends the schema of a field that the path gives. In 3.0.3 that
// is always a string, with what tells the texts that the binder takes.
func (w *schemaWriter) pathParameter(dst []byte, f *field) []byte {
	p := f.asParameter()
	p.def = nil // a path is never without the value
	target := f.shape.deref()
	if w.dialect != openAPI30 || target.kind.isStringy() {
		p.shape = target
		return w.parameter(dst, p)
	}
	m := openMembers(dst)
	m.text("type", "string")
	switch target.kind {
	case kindBool:
		m.raw("enum", `["true","false"]`)
	case kindInt, kindUint:
		m.text("pattern", integerTextPattern(target, f.rules))
	default:
		m.text("pattern", numberPattern)
	}
	if p.example != nil {
		p.example = appendQuoted(nil, p.example)
	}
	w.annotations(&m, p)
	return m.close()
}

// integerTextPattern returns the pattern of the JSON numbers that an integer of
// shape s is taken from. It is exact for those without an exponent, but for
// multipleOf; no regular expression can tell 1e2 from 1e99 and 15e-1.
func integerTextPattern(s *shape, rules []rule) string {
	low, high := s.integerBounds()
	var enum []string
	for i := range rules {
		r := &rules[i]
		if r.keyword == "enum" {
			enum = strings.Split(strings.Trim(string(r.value), "[]"), ",")
			continue
		}
		b, ok := boundOf(r.value)
		if !ok {
			continue
		}
		switch r.keyword {
		case "minimum":
			low = low.max(b)
		case "exclusiveMinimum":
			low = low.max(b.next())
		case "maximum":
			high = high.min(b)
		case "exclusiveMaximum":
			high = high.min(b.previous())
		}
	}
	whole := span{low, high}.pattern("-?0")
	if enum != nil {
		whole = enumPattern(enum, low, high)
	}
	anything := "-?0|-?[1-9][0-9]*"
	if !low.neg {
		anything = "-?0|[1-9][0-9]*"
	}
	return `^((` + whole + `)(\.0+)?|(` + anything + `)(\.[0-9]+)?[eE][-+]?[0-9]+)$`
}

// enumPattern returns the pattern of those integers of an enum that are within
// the bounds.
func enumPattern(enum []string, low, high bound) string {
	var parts []string
	for _, text := range enum {
		b, ok := boundOf([]byte(text))
		if ok && !b.less(low) && !high.less(b) {
			parts = append(parts, span{b, b}.pattern("-?0"))
		}
	}
	if parts == nil {
		return nothingPattern
	}
	return strings.Join(parts, "|")
}
