package main

import (
	"regexp"
	"slices"
	"strings"
)

// input makes the input of o: a struct of its parameters and its body.
func (c *converter) input(o *operation) {
	d := &decl{kind: kStruct, wish: o.noun(c) + "In", at: o.n, group: o.group}
	var whole *decl
	d.lacks = c.within(func() {
		c.parameters(o, d)
		whole = c.body(o, d)
	})
	switch {
	case whole != nil && len(d.fields) == 0:
		o.in = whole
		c.meet(d.lacks)
	case len(d.fields) > 0:
		o.in = d
		c.separate(o, d)
		c.decls = append(c.decls, d)
	default:
		c.meet(d.lacks)
	}
	if o.in != nil && o.form {
		o.in.form = true
	}
}

// parameters adds a field for each parameter of the operation and of its path.
func (c *converter) parameters(o *operation, d *decl) {
	taken := map[string]bool{}
	for _, p := range c.parametersOf(o) {
		switch p.str("in") {
		case "path":
			c.pathParameter(o, d, p, taken)
		case "query":
			c.queryParameter(o, d, p)
		case "header", "cookie":
			c.headerParameter(d, p)
		case "querystring": // of OpenAPI 3.2
			c.lackBut(lackJSONInParameter, p, "the whole query", "left out")
		}
	}
	for _, name := range o.placeholders() {
		if taken[name] {
			continue
		}
		f := &field{t: stringType(), json: name, wire: name, place: "path", s: noRules()}
		if seg := o.partial[name]; seg != "" {
			f.s.pattern = segmentPattern(seg)
			f.doc = "the whole segment " + seg
		} else {
			c.lack(lackNoParameter, o.n, name)
		}
		d.fields = append(d.fields, f)
	}
}

// parametersOf returns the parameters of the operation, and those of its path that it does not
// replace.
func (c *converter) parametersOf(o *operation) []*node {
	index := map[string]int{}
	var out []*node
	for _, p := range slices.Concat(o.item.list("parameters"), o.n.list("parameters")) {
		p = c.resolve(p)
		key := p.str("in") + " " + p.str("name")
		if i, ok := index[key]; ok {
			out[i] = p
			continue
		}
		index[key] = len(out)
		out = append(out, p)
	}
	return out
}

func (c *converter) pathParameter(o *operation, d *decl, p *node, taken map[string]bool) {
	name := wordOf(p.str("name"))
	s := c.parameterSchema(p)
	f := &field{json: name, wire: name, place: "path", doc: parameterDoc(p, s), s: s}
	switch {
	case !slices.Contains(o.placeholders(), name):
		if !strings.Contains(o.path, "{"+p.str("name")+"}") { // else it is one of several in a segment
			c.lack(lackNoPlaceholder, p, p.str("name"))
		}
		return
	case taken[name]:
		c.lack(lackNoPlaceholder, p, "another parameter called "+name)
		return
	case o.partial[name] != "":
		f.t, f.s = stringType(), noRules()
		f.s.pattern = segmentPattern(o.partial[name])
	default:
		f.t = c.scalar(p, s, d, p.str("name"), "path")
	}
	taken[name] = true
	d.fields = append(d.fields, f)
}

// segmentPattern matches a segment with text beside its placeholders.
func segmentPattern(seg string) string {
	var b strings.Builder
	b.WriteString("^")
	end := 0
	for _, m := range placeholder.FindAllStringIndex(seg, -1) {
		b.WriteString(regexp.QuoteMeta(seg[end:m[0]]) + "[^/]+")
		end = m[1]
	}
	return b.String() + regexp.QuoteMeta(seg[end:]) + "$"
}

func parameterDoc(p *node, s *schema) string {
	if d := p.str("description"); d != "" {
		return d
	}
	return s.desc
}

// parameterSchema returns a copy of the schema of a parameter or a header.
func (c *converter) parameterSchema(p *node) *schema {
	n := p.get("schema")
	for _, m := range p.get("content").members {
		n = m.get("schema")
		break
	}
	s := c.schema(n).copied()
	if e := p.get("example"); e != nil {
		s.example = e
	}
	return s
}

// scalar returns the type of a parameter that is not a list. It is a string if that is no scalar.
func (c *converter) scalar(p *node, s *schema, d *decl, name, place string) *typ {
	t := c.typeOfSchema(s, d, name)
	if t.isScalar() {
		return t
	}
	switch {
	case t.kind == kByType && !slices.ContainsFunc(t.decl.fields, func(f *field) bool { return !f.t.isScalar() }):
		c.lack(lackTypesInParameter, p, name+" in the "+place)
	case t.kind == kAny && len(s.alts) > 0:
		c.lack(lackTypesInParameter, p, name+" in the "+place)
	case t.kind != kAny:
		c.lack(lackObjectInParameter, p, name+" in the "+place)
	}
	s.loseRules()
	return &typ{kind: kString, name: "string", s: s}
}

// loseRules takes the rules away, for a type that has none of them.
func (s *schema) loseRules() {
	s.rules, s.pattern, s.format, s.enum, s.def, s.example = map[string]string{}, "", "", nil, nil, nil
}

// ownHeaders are names that OpenAPI ignores in parameters.
var ownHeaders = wordSet("accept content-type authorization")

func (c *converter) headerParameter(d *decl, p *node) {
	name, place := p.str("name"), p.str("in")
	low := strings.ToLower(name)
	switch {
	case place == "header" && ownHeaders[low]:
		return
	case place == "header" && reservedHeader(low) || !isToken(name):
		c.lack(lackOwnHeader, p, name)
		return
	case c.isCredential(name, place):
		return
	}
	s := c.parameterSchema(p)
	s.null = false
	f := &field{wire: name, place: place, doc: parameterDoc(p, s), optional: !p.isTrue("required"), s: s, deprecated: p.isTrue("deprecated")}
	f.json, f.name, f.hidden = strings.ReplaceAll(low, "-", "_"), exported(name), f.optional
	if s.kind() == "array" {
		f.t, f.s = stringType(), noRules()
		c.lack(lackListInHeader, p, name)
	} else {
		f.t = c.scalar(p, s, d, name, place)
		c.onlyASCII(f)
	}
	d.fields = append(d.fields, f)
}

// onlyASCII takes an enum away that a header cannot carry.
func (c *converter) onlyASCII(f *field) {
	for _, v := range f.s.enum {
		for _, r := range v.text {
			if r <= ' ' || r > '~' {
				c.lack(lackEnumText, f.s.at, "values that a header cannot carry")
				f.s.enum = nil
				return
			}
		}
	}
}

// isCredential reports whether a parameter is the key of a security scheme.
func (c *converter) isCredential(name, place string) bool {
	for _, s := range c.root.get("components", "securitySchemes").members {
		if s = c.resolve(s); strings.EqualFold(s.str("name"), name) && s.str("in") == place {
			return true
		}
	}
	return false
}

// reservedHeaders are headers of requests that svc, HTTP or browsers own; those of http_header.go
// in svc. Names that end with a dash are prefixes.
var reservedHeaders = strings.Fields(`authorization proxy- cookie accept accept-charset accept-encoding content- host connection
	expect keep-alive te trailer transfer-encoding upgrade origin sec- access-control- set-cookie`)

func reservedHeader(low string) bool {
	return slices.ContainsFunc(reservedHeaders, func(name string) bool {
		return low == name || strings.HasSuffix(name, "-") && strings.HasPrefix(low, name)
	})
}

// isToken reports whether HTTP allows the name of a header (RFC 9110, section 5.6.2).
func isToken(name string) bool {
	for _, r := range name {
		if r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return name != ""
}

// separate gives the fields names in JSON that differ on all transports: a parameter that has the
// name of a member of the body gets its place in front.
func (c *converter) separate(o *operation, d *decl) {
	used := map[string]bool{}
	for _, f := range d.fields {
		if f.embedded {
			for _, g := range f.t.decl.fields {
				used[strings.ToLower(g.json)] = true
			}
		}
	}
	for _, f := range d.fields {
		if f.place == "" && !f.embedded {
			used[strings.ToLower(f.json)] = true
		}
	}
	for _, f := range d.fields {
		if f.place == "" || f.hidden {
			continue
		}
		for f.json == "" || used[strings.ToLower(f.json)] {
			f.json = f.place + "_" + f.json
		}
		used[strings.ToLower(f.json)] = true
		if f.place == "path" && f.json != f.wire {
			c.renamePlaceholder(o, f)
		}
	}
}

// renamePlaceholder gives the placeholder of f its name in JSON, since a placeholder is filled by
// the field of its name.
func (c *converter) renamePlaceholder(o *operation, f *field) {
	for i, seg := range o.segments {
		if seg == "{"+f.wire+"}" {
			o.segments[i] = "{" + f.json + "}"
		}
	}
	f.wire = f.json
	o.route = o.verb + " /" + strings.Join(o.segments, "/")
}
