package main

import (
	"slices"
	"strings"
)

// mediaBase returns a media type without its parameters, in small letters.
func mediaBase(media string) string {
	base, _, _ := strings.Cut(strings.ToLower(media), ";")
	return strings.TrimSpace(base)
}

func isJSON(media string) bool {
	base := mediaBase(media)
	return base == "application/json" || base == "text/json" || base == "*/*" || strings.HasSuffix(base, "+json")
}

func isForm(media string) bool {
	base := mediaBase(media)
	return base == "application/x-www-form-urlencoded" || base == "multipart/form-data"
}

// pickMedia returns the media type that is written: plain JSON before other JSON, then forms.
func pickMedia(keys []string) string {
	for _, want := range []func(string) bool{
		func(k string) bool { return mediaBase(k) == "application/json" },
		func(k string) bool { return isJSON(k) && k != "*/*" && !strings.Contains(k, "patch") },
		func(k string) bool { return mediaBase(k) == "application/x-www-form-urlencoded" },
		func(k string) bool { return mediaBase(k) == "multipart/form-data" },
		isJSON,
	} {
		if i := slices.IndexFunc(keys, want); i >= 0 {
			return keys[i]
		}
	}
	return keys[0]
}

// mediaList returns the media types for the tag contentType, or "" for any.
func mediaList(keys []string) string {
	var out []string
	for _, k := range keys {
		base := mediaBase(k)
		if strings.Contains(base, "*") || base == "application/octet-stream" && len(keys) == 1 || !isMedia(base) {
			return ""
		}
		if !slices.Contains(out, base) {
			out = append(out, base)
		}
	}
	return strings.Join(out, ",")
}

// isMedia reports whether base has the form of a media type.
func isMedia(base string) bool {
	a, b, ok := strings.Cut(base, "/")
	return ok && isToken(a) && isToken(b)
}

// body adds the fields of the request body to d. It returns the declaration of the body if that
// can be the whole input.
func (c *converter) body(o *operation, d *decl) *decl {
	rb := o.n.get("requestBody")
	if rb == nil {
		return nil
	}
	rb = c.resolve(rb)
	content := rb.get("content")
	if len(content.names()) == 0 {
		return nil
	}
	media := pickMedia(content.keys)
	if o.verb == "GET" || o.verb == "DELETE" && !isJSON(media) {
		c.unreadBody(o, rb)
		return nil
	}
	s := c.schema(content.get(media, "schema"))
	if !isFile(media) {
		c.otherMedia(rb, media)
	}
	switch {
	case isJSON(media):
		return c.jsonBody(o, d, rb, s)
	case isForm(media):
		if !rb.isTrue("required") && len(s.required) == 0 {
			c.lack(lackOptionalBody, rb, "a form that is not required")
		}
		c.formBody(o, d, s, mediaBase(media) == "multipart/form-data")
		return nil
	}
	d.fields = append(d.fields, bodyField(rb, mediaList(content.keys)))
	o.hasFile = true
	return nil
}

func isFile(media string) bool { return !isJSON(media) && !isForm(media) }

// bodyField returns a field for a body that the method reads itself.
func bodyField(rb *node, media string) *field {
	return &field{name: "Body", t: &typ{kind: kBody}, media: media, s: noRules(), doc: rb.str("description")}
}

// wholeField returns a field that is the whole JSON body.
func wholeField(rb *node, t *typ, s *schema) *field {
	return &field{name: "Body", json: "body", body: "*", t: t, s: s, optional: !rb.isTrue("required"), doc: rb.str("description")}
}

// unreadBody reports the body of a GET, or of a DELETE that is no JSON, unless it is the empty form
// of a GET that some tools write.
func (c *converter) unreadBody(o *operation, rb *node) {
	for _, m := range rb.get("content").members {
		if s := c.schema(m.get("schema")); o.verb == "GET" && len(s.props) == 0 && len(s.alts) == 0 && len(s.types) > 0 {
			return
		}
	}
	c.lack(lackReadBody, rb, o.verb+" with "+strings.Join(rb.get("content").keys, ", "))
}

// otherMedia reports the media types of a body that are not read.
func (c *converter) otherMedia(rb *node, media string) {
	keys := rb.get("content").keys
	for _, k := range keys {
		same := k == media || isJSON(k) && isJSON(media)
		both := mediaBase(media) == "application/x-www-form-urlencoded" && isForm(k) // svc reads both
		if !same && !both {
			c.lackBut(lackBodyMedia, rb, strings.Join(keys, ", "), media+" alone")
			return
		}
	}
}

// jsonBody adds the members of a JSON body, or returns its declaration.
func (c *converter) jsonBody(o *operation, d *decl, rb *node, s *schema) *decl {
	t := c.typeOfSchema(s, nil, o.noun(c)+" body")
	if t.kind == kUnion && len(d.fields) == 0 && !t.null() {
		o.noTool = true // a tool cannot have it
		return t.decl
	}
	if t.kind != kStruct || !rb.isTrue("required") && t.decl.needsMember() { // {} would be refused
		d.fields = append(d.fields, wholeField(rb, t, s))
		return nil
	}
	if o.verb != "DELETE" && !c.takesApart(d, s, t.decl) {
		if len(d.fields) == 0 {
			return t.decl
		}
		d.fields = append(d.fields, &field{embedded: true, t: &typ{kind: kStruct, decl: t.decl}, s: s})
		return nil
	}
	if s.ref == "" && !t.decl.shared {
		c.drop(t.decl)
		delete(c.shapes, s.at.fingerprint())
	}
	for _, f := range t.decl.fields {
		if f.s != nil && f.s.readOnly {
			continue
		}
		g := *f
		if o.verb == "DELETE" {
			g.body = g.json
		}
		d.fields = append(d.fields, &g)
		f.t.rename(t.decl, d)
	}
	c.meet(t.decl.lacks)
	return nil
}

// needsMember reports whether an object of the declaration must have a member.
func (d *decl) needsMember() bool {
	return slices.ContainsFunc(d.fields, func(f *field) bool {
		if f.embedded {
			return f.t.decl.needsMember()
		}
		return !f.optional && (f.s == nil || !f.s.readOnly)
	})
}

// takesApart reports whether the members of a body become fields of the input d, and not one
// embedded struct: if the body has no name, has members that clients do not send, or clashes with
// a parameter.
func (c *converter) takesApart(d *decl, s *schema, body *decl) bool {
	for _, p := range s.props {
		if c.schema(p.n).readOnly {
			return true
		}
	}
	if s.ref == "" {
		return !body.shared
	}
	for _, f := range d.fields {
		for _, g := range body.fields {
			if f.json == g.json || exported(f.json) == exported(g.json) {
				return true
			}
		}
	}
	return false
}

// rename names the types without a name inside of t after to.
func (t *typ) rename(from, to *decl) {
	for ; t != nil; t = t.elem {
		if t.decl != nil && t.decl.parent == from {
			t.decl.parent = to
		}
	}
}

// formBody adds the fields of a form.
func (c *converter) formBody(o *operation, d *decl, s *schema, multipart bool) {
	if s.kind() != "object" && len(s.alts) > 0 {
		c.lack(lackObjects, s.at, "oneOf or anyOf of forms")
		s = c.mergedObjects(s.alts)
	}
	if s.open && s.extra != nil && len(s.props) > 0 {
		c.lack(lackOpenQuery, s.at, "other names beside the named ones")
	}
	var file *field
	for _, p := range s.props {
		ps := c.schema(p.n).copied()
		ps.null = false
		f := &field{json: p.name, optional: !s.required[p.name], s: ps, doc: ps.desc}
		one, many := c.isFilePart(ps, p.n)
		if multipart && (one || many) {
			if many || file != nil {
				c.lack(lackFiles, p.n, p.name)
			}
			if file == nil {
				f.t, f.s = &typ{kind: kBody}, noRules()
				file = f
			}
			continue
		}
		c.formField(d, f, p, multipart)
	}
	if file != nil {
		d.fields = append(d.fields, file)
		o.hasFile = true
	}
	o.form = slices.ContainsFunc(d.fields, func(f *field) bool { return f.place == "" })
	if !o.form {
		c.lack(lackEmptyForm, s.at, "a form whose fields the document does not list")
	}
}

// isFilePart reports whether a member of a form is a file, or a list of files.
func (c *converter) isFilePart(s *schema, n *node) (one, many bool) {
	if s.kind() == "array" && s.items != nil {
		return false, c.schema(s.items).format == "binary"
	}
	n = c.resolve(n)
	return s.format == "binary" || n.get("contentMediaType") != nil || s.encoding == "binary", false
}

func (c *converter) formField(d *decl, f *field, p prop, multipart bool) {
	if f.s.kind() == "object" || c.hasObject(f.s) {
		if multipart {
			c.lack(lackJSONPart, p.n, p.name)
			f.t, f.s = stringType(), noRules()
			d.fields = append(d.fields, f)
			return
		}
		q := &flattener{c, d, p.n, true, true}
		if q.flatten(f, f.s, 0) {
			return
		}
	}
	f.t = c.typeOfSchema(f.s, d, p.name)
	switch {
	case f.t.kind == kList && !f.t.elem.isScalar():
		c.lack(lackListOfObjects, p.n, p.name)
		return
	case f.t.kind != kList && !f.t.isScalar():
		if f.t.kind != kAny || len(f.s.alts) > 0 {
			c.lack(lackFormTypes, p.n, p.name)
		}
		f.s.loseRules()
		f.t = stringType()
	}
	d.fields = append(d.fields, f)
}
