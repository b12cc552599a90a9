package main

import "slices"

func (c *converter) queryParameter(o *operation, d *decl, p *node) {
	if c.isCredential(p.str("name"), "query") {
		return
	}
	name := p.str("name")
	s := c.parameterSchema(p)
	s.null = false
	f := &field{json: name, wire: name, doc: parameterDoc(p, s), optional: !p.isTrue("required"), s: s, deprecated: p.isTrue("deprecated")}
	if o.verb != "GET" && o.verb != "DELETE" {
		f.place = "query"
	}
	style := p.str("style")
	explode := p.isTrue("explode") || p.get("explode") == nil && (style == "" || style == "form")
	switch {
	case p.get("content") != nil:
		c.lack(lackJSONInParameter, p, name)
		f.t, f.s = stringType(), noRules()
	case s.kind() == "object" || s.kind() == "" && len(s.alts) > 0:
		q := &flattener{c, d, p, style == "deepObject", explode}
		if q.flatten(f, s, 0) {
			return
		}
		f.t = c.scalar(p, s, d, name, "query")
	case s.kind() == "array":
		c.queryList(f, s, d, p, !explode && style != "deepObject")
	default:
		f.t = c.scalar(p, s, d, name, "query")
	}
	d.fields = append(d.fields, f)
}

// queryList sets the type of a list in the query.
func (c *converter) queryList(f *field, s *schema, d *decl, p *node, commas bool) {
	if commas {
		c.lack(lackCommas, p, f.json)
		f.t, f.s = stringType(), noRules()
		return
	}
	f.t = c.typeOfSchema(s, d, f.json)
	if f.t.elem.isScalar() {
		return
	}
	if f.t.elem.kind == kAny || f.t.elem.kind == kByType {
		c.lackBut(lackTypesInParameter, p, "the items of "+f.json, "a list of strings")
	} else {
		c.lackBut(lackObjectInParameter, p, "the items of "+f.json, "a list of strings")
	}
	f.t = &typ{kind: kList, elem: stringType()}
	s.def = nil
}

// A flattener makes a field of each member of an object in a query or a form: created[gte].
type flattener struct {
	c       *converter
	d       *decl
	p       *node
	deep    bool // names have brackets
	explode bool // without brackets, members are parameters themselves
}

const maxBrackets = 5

// flatten adds fields for the object f. It reports false if f is one value.
func (q *flattener) flatten(f *field, s *schema, depth int) bool {
	switch {
	case len(s.alts) > 0:
		return q.flattenUnion(f, s, depth)
	case len(s.props) == 0:
		q.c.lack(lackOpenQuery, q.p, "names in brackets that the document does not list: "+f.json)
		return true
	case depth > maxBrackets:
		q.c.lack(lackOpenQuery, q.p, "many brackets: "+f.json)
		return true
	case !q.deep && !q.explode:
		return false
	}
	if s.open && s.extra != nil {
		q.c.lack(lackOpenQuery, q.p, "other names beside those of "+f.json)
	}
	for _, p := range s.props {
		q.flattenMember(f, s, p, depth)
	}
	return true
}

func (q *flattener) flattenMember(f *field, s *schema, p prop, depth int) {
	ps := q.c.schema(p.n).copied()
	ps.null = false
	name := p.name
	if q.deep {
		name = f.json + "[" + p.name + "]"
	}
	g := &field{json: name, wire: name, place: f.place, optional: f.optional || !s.required[p.name], s: ps, doc: ps.desc}
	if q.deep && (ps.kind() == "object" || q.c.hasObject(ps)) {
		inner := *q
		inner.explode = true
		inner.flatten(g, ps, depth+1)
		return
	}
	g.t = q.c.typeOfSchema(ps, q.d, name)
	switch {
	case g.t.kind == kList && !g.t.elem.isScalar():
		q.c.lack(lackListOfObjects, p.n, name)
		return
	case g.t.kind != kList && !g.t.isScalar():
		ps.loseRules()
		g.t = stringType()
		q.c.lack(lackFormTypes, p.n, name)
	}
	q.d.fields = append(q.d.fields, g)
}

// flattenUnion adds the fields of an object or something else: names[a] and names.
func (q *flattener) flattenUnion(f *field, s *schema, depth int) bool {
	var objects, others []*schema
	for _, a := range q.c.flatAlts(s.alts) {
		if a.kind() == "object" {
			objects = append(objects, a)
		} else {
			others = append(others, a)
		}
	}
	if len(objects) == 0 {
		return false
	}
	one := objects[0]
	if len(objects) > 1 {
		q.c.lack(lackObjects, s.at, "oneOf or anyOf of objects")
		one = q.c.mergedObjects(objects)
	}
	if len(others) > 0 {
		q.otherThanObject(f, s, others)
	}
	g := *f
	g.optional = f.optional || len(others) > 0
	return q.flatten(&g, one, depth) || len(others) > 0
}

// otherThanObject adds a field for the alternatives that are not an object.
func (q *flattener) otherThanObject(f *field, s *schema, others []*schema) {
	rest := s.copied()
	rest.alts, rest.ref = others, ""
	if len(others) == 1 {
		rest = others[0].copied()
	}
	if rest.kind() == "string" && len(rest.enum) == 1 && rest.enum[0].text == "" {
		rest.enum = nil // an empty text alone takes the value away
	}
	g := *f
	g.s, g.optional = rest, true
	g.t = q.c.typeOfSchema(rest, q.d, f.json)
	if !g.t.isScalar() && !(g.t.kind == kList && g.t.elem.isScalar()) {
		q.c.lack(lackFormTypes, s.at, f.json)
		rest.loseRules()
		g.t = stringType()
	}
	q.d.fields = append(q.d.fields, &g)
}

func (c *converter) hasObject(s *schema) bool {
	return len(s.alts) > 0 && slices.ContainsFunc(c.flatAlts(s.alts), func(a *schema) bool { return a.kind() == "object" })
}
