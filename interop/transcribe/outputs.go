package main

import (
	"slices"
	"strings"
)

// output makes the output of o, by its responses of 2xx.
func (c *converter) output(o *operation) {
	responses := o.n.get("responses")
	codes := c.successCodes(o, responses)
	if len(codes) == 0 {
		c.lack(lackNoAnswer, o.n, "responses: "+strings.Join(responses.names(), ", "))
		return
	}
	main := codes[0]
	for _, code := range codes { // the first with a body
		if c.hasContent(responses.get(code)) {
			main = code
			break
		}
	}
	r := c.resolve(responses.get(main))
	statuses := c.statuses(o, codes, main)
	if c.hasContent(r) {
		c.answer(o, r, statuses)
	} else {
		c.emptyAnswer(o, r, statuses)
	}
}

func (c *converter) hasContent(r *node) bool {
	return r != nil && len(c.resolve(r).get("content").names()) > 0
}

// successCodes returns the keys of the responses that are not errors.
func (c *converter) successCodes(o *operation, responses *node) []string {
	var codes []string
	for code, r := range responses.members {
		switch {
		case strings.HasPrefix(code, "2"):
			codes = append(codes, code)
		case strings.HasPrefix(code, "3") && code != "304":
			c.lack(lackRedirect, r, code)
		}
	}
	slices.Sort(codes)
	if r := responses.get("default"); len(codes) == 0 && r != nil && !c.isError(r) {
		codes = []string{"default"}
	}
	return codes
}

// isError reports whether a response "default" without one of 2xx is for errors, as its texts say.
func (c *converter) isError(r *node) bool {
	r = c.resolve(r)
	text := strings.ToLower(r.str("description"))
	for _, m := range r.get("content").members {
		text += strings.ToLower(m.str("schema", "$ref"))
	}
	return strings.Contains(text, "error") || strings.Contains(text, "fail")
}

// statuses returns the statuses of codes that the output can have, and reports the others.
func (c *converter) statuses(o *operation, codes []string, main string) []string {
	bare := !c.hasContent(o.n.get("responses", main))
	allowed, plain := []string{"200", "201", "202", "203"}, "200"
	if bare {
		allowed, plain = []string{"200", "201", "202", "204", "205"}, "204"
	}
	shape := c.answerShape(o.n.get("responses", main))
	var out []string
	for _, code := range codes {
		r := o.n.get("responses", code)
		switch {
		case len(code) != 3 || strings.EqualFold(code, "2XX"):
			if !bare {
				c.lackBut(lackStatusRange, r, code, plain)
			}
			code = plain
		case code != main && c.hasContent(r) == bare:
			c.lackBut(lackBodyOrNone, r, strings.Join(codes, ", "), main+" alone")
			continue
		case code != main && c.answerShape(r) != shape:
			c.lackBut(lackAnswerByStatus, r, strings.Join(codes, ", "), main+" alone")
			continue
		case !slices.Contains(allowed, code):
			c.lack(lackStatus, r, code)
			continue
		}
		if !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	if len(out) == 0 {
		out = []string{plain}
	}
	return out
}

// answerShape is equal for responses whose bodies take the same values.
func (c *converter) answerShape(r *node) string {
	content := c.resolve(r).get("content")
	if len(content.names()) == 0 {
		return ""
	}
	if s := content.get(pickMedia(content.keys), "schema"); s != nil {
		return c.resolve(s).fingerprint()
	}
	return "any"
}

// emptyAnswer sets an output without a body.
func (c *converter) emptyAnswer(o *operation, r *node, statuses []string) {
	headers := c.headers(r)
	if len(statuses) == 1 && statuses[0] != "204" {
		o.status = statuses[0]
	}
	if len(headers) == 0 && len(statuses) == 1 && statuses[0] != "201" {
		return
	}
	if slices.Contains(statuses, "205") && len(headers)+len(statuses) > 1 {
		c.lack(lackStatus, r, "205")
		statuses, o.status = slices.DeleteFunc(statuses, func(s string) bool { return s == "205" }), ""
	}
	d := &decl{kind: kStruct, wish: o.noun(c) + "Out", at: o.n, group: o.group}
	if len(statuses) > 1 {
		d.fields = append(d.fields, statusField(statuses))
	}
	d.fields = append(d.fields, headers...)
	if len(d.fields) == 0 {
		c.lack(lackEmptyCreated, r, "201")
		d.fields = append(d.fields, &field{name: "Location", wire: "Location", place: "header", hidden: true, optional: true, t: stringType(), s: noRules()})
	}
	c.decls = append(c.decls, d)
	o.out = d
}

func statusField(statuses []string) *field {
	return &field{name: "Status", status: strings.Join(statuses, ","), t: basic(kInt, "int"), s: noRules()}
}

// headers returns the fields of the headers of a response, but those that most answers have.
func (c *converter) headers(r *node) []*field {
	var out []*field
	for name, h := range r.get("headers").members {
		low := strings.ToLower(name)
		switch {
		case c.common[low] || low == "content-type":
			continue
		case serverHeaders[low]:
			c.lack(lackServerHeader, h, name)
			continue
		case ownAnswerHeader(low) || !isToken(name):
			c.lack(lackOwnHeader, h, name)
			continue
		}
		h = c.resolve(h)
		s := c.parameterSchema(h)
		s.null, s.def = false, nil
		f := &field{name: exported(name), wire: name, place: "header", hidden: true, optional: true, s: s, doc: parameterDoc(h, s), deprecated: h.isTrue("deprecated")}
		f.t = c.typeOfSchema(s, nil, name+" header")
		switch {
		case f.t.kind == kList && f.t.elem.kind == kString:
			f.t = &typ{kind: kList, elem: stringType()}
		case !f.t.isScalar() || f.t.kind == kBytes:
			if f.t.kind != kAny {
				c.lack(lackListInHeader, h, name)
			}
			f.t, f.s = stringType(), noRules()
		}
		c.onlyASCII(f)
		out = append(out, f)
	}
	return out
}

// serverHeaders are headers of responses that servers and proxies send, whatever the method.
var serverHeaders = wordSet(`connection transfer-encoding date trailer upgrade server vary keep-alive content-length
	content-encoding strict-transport-security x-content-type-options`)

// ownAnswerHeader reports whether svc or CORS sets a header of responses.
func ownAnswerHeader(low string) bool {
	return low == "te" || strings.HasPrefix(low, "content-") || strings.HasPrefix(low, "access-control-") || strings.HasPrefix(low, "proxy-")
}

// findCommonHeaders finds the headers that more than half of the operations send.
func (c *converter) findCommonHeaders() {
	count := map[string]int{}
	var order []string
	for _, o := range c.ops {
		seen := map[string]bool{}
		for code, r := range o.n.get("responses").members {
			if !strings.HasPrefix(code, "2") {
				continue
			}
			for name := range c.resolve(r).get("headers").members {
				low := strings.ToLower(name)
				if count[low] == 0 {
					order = append(order, low)
				}
				if !seen[low] {
					seen[low] = true
					count[low]++
				}
			}
		}
	}
	for _, name := range order {
		if count[name]*2 > len(c.ops) && len(c.ops) > 4 {
			c.common[name] = true
			c.lack(lackCommonHeader, c.root, name)
		}
	}
}

// answerMedia are the media types of a response by what they carry.
type answerMedia struct{ json, events, lines, others []string }

func sortMedia(keys []string) (m answerMedia) {
	for _, k := range keys {
		base := mediaBase(k)
		switch {
		case base == "text/event-stream":
			m.events = append(m.events, k)
		case strings.Contains(base, "ndjson"), strings.Contains(base, "jsonl"), strings.Contains(base, "json-seq"), strings.Contains(k, "stream=watch"):
			m.lines = append(m.lines, k)
		case isJSON(base):
			m.json = append(m.json, k)
		default:
			m.others = append(m.others, k)
		}
	}
	return m
}

// answer sets an output with a body.
func (c *converter) answer(o *operation, r *node, statuses []string) {
	content := r.get("content")
	m := sortMedia(content.keys)
	if len(m.lines) > 0 {
		c.lack(lackJSONLines, r, strings.Join(m.lines, ", "))
	}
	if len(m.json) == 0 && len(m.events) == 0 {
		c.fileAnswer(o, r, append(m.others, m.lines...), statuses)
		return
	}
	if len(m.others) > 0 {
		c.lack(lackAnswerMedia, r, strings.Join(content.keys, ", "))
	}
	if len(m.events) > 0 {
		c.streamAnswer(o, r, m, statuses)
		return
	}
	d := c.wholeAnswer(o, c.jsonAnswer(o, content, m.json), "Out", r)
	o.out = c.withHeaders(o, r, d, c.headers(r), statuses)
}

// jsonAnswer returns the type of the JSON of a response.
func (c *converter) jsonAnswer(o *operation, content *node, json []string) *typ {
	pick := pickMedia(json)
	if base := mediaBase(pick); base != "application/json" && base != "*/*" && base != "text/json" && isMedia(base) {
		o.media = base
	}
	return c.typeOfSchema(c.schema(content.get(pick, "schema")), nil, o.noun(c)+" out")
}

func (c *converter) fileAnswer(o *operation, r *node, media, statuses []string) {
	headers := c.headers(r)
	if statuses[0] != "200" || len(statuses) > 1 {
		c.lackBut(lackStatus, r, strings.Join(statuses, ", ")+" with a file", "200")
	}
	o.hasFile = true
	list := mediaList(media)
	if list == "" && len(headers) == 0 {
		o.fileAlone = true
		return
	}
	o.out = &decl{kind: kStruct, wish: o.noun(c) + "Out", at: o.n, group: o.group}
	file := &field{embedded: true, t: &typ{kind: kFile}, media: list, s: noRules()}
	o.out.fields = append([]*field{file}, headers...)
	c.decls = append(c.decls, o.out)
}

func (c *converter) streamAnswer(o *operation, r *node, m answerMedia, statuses []string) {
	content := r.get("content")
	events := content.get(m.events[0])
	item := events.get("itemSchema")
	if item == nil {
		item = events.get("schema")
	}
	t := c.typeOf(item, nil, o.noun(c)+" event")
	if d := c.wholeAnswer(o, t, "Event", r); d.kind == kUnion {
		o.stream = &typ{kind: kUnion, decl: d}
	} else {
		o.stream = &typ{kind: kStruct, decl: d}
	}
	if len(m.json) > 0 {
		o.value = c.wholeAnswer(o, c.jsonAnswer(o, content, m.json), "Out", r)
	}
	if len(statuses) > 1 || statuses[0] != "200" {
		c.lackBut(lackStatus, r, strings.Join(statuses, ", ")+" with a stream", "200")
	}
}

// withHeaders adds headers and a status to an output.
func (c *converter) withHeaders(o *operation, r *node, d *decl, headers []*field, statuses []string) *decl {
	if len(headers) == 0 && len(statuses) == 1 {
		if statuses[0] != "200" {
			o.status = statuses[0]
		}
		return d
	}
	if d.kind == kList || d.kind == kUnion || d.whole != nil {
		kind := lackListHeaders
		if d.kind == kUnion {
			kind = lackUnionHeaders
		}
		c.lack(kind, r, describeHeaders(headers, statuses))
		return c.withHeaders(o, r, d, nil, statuses[:1])
	}
	var fields []*field
	if len(statuses) > 1 {
		fields = append(fields, statusField(statuses))
	} else if statuses[0] != "200" {
		o.status = statuses[0]
	}
	fields = append(fields, headers...)
	if !d.shared {
		d.fields = append(fields, d.fields...)
		delete(c.shapes, d.at.fingerprint()) // other answers do not have these fields
		return d
	}
	out := &decl{kind: kStruct, wish: o.noun(c) + "Out", at: o.n, group: o.group, fields: fields}
	for _, f := range fields {
		if slices.ContainsFunc(d.fields, func(g *field) bool { return exported(g.json) == f.name }) {
			f.name = "Header" + f.name
		}
	}
	out.fields = append(out.fields, &field{embedded: true, t: &typ{kind: kStruct, decl: d}, s: noRules()})
	c.decls = append(c.decls, out)
	return out
}

func describeHeaders(headers []*field, statuses []string) string {
	var out []string
	for _, h := range headers {
		out = append(out, h.wire)
	}
	if len(statuses) > 1 {
		out = append(out, statuses...)
	}
	return strings.Join(out, ", ")
}

// wholeAnswer returns a declaration that can be a whole output: a struct, a union, or a list with a
// name.
func (c *converter) wholeAnswer(o *operation, t *typ, suffix string, r *node) *decl {
	switch {
	case t.kind == kStruct, t.kind == kUnion:
		if t.null() {
			c.lack(lackNullAnswer, r, "null")
		}
		return t.decl
	case t.kind == kList && suffix != "Event":
		return c.listAnswer(o, t, suffix, r)
	}
	c.lack(lackWholeAnswer, r, kindWords[t.kind])
	d := &decl{kind: kStruct, wish: o.noun(c) + suffix, at: r, group: o.group, whole: t}
	c.decls = append(c.decls, d)
	return d
}

// listAnswer returns the named list of the items of t, one for each type of items.
func (c *converter) listAnswer(o *operation, t *typ, suffix string, r *node) *decl {
	if t.null() {
		c.lack(lackNullAnswer, r, "null")
	}
	item := t.elem.decl
	if item == nil {
		d := &decl{kind: kList, wish: o.noun(c) + suffix, at: r, group: o.group, elem: t.elem}
		c.decls = append(c.decls, d)
		return d
	}
	if d := c.lists[item]; d != nil && !t.elem.null() {
		return d
	}
	d := &decl{kind: kList, parent: item, suffix: "list", at: r, shared: true, elem: t.elem}
	if item.wish == "" && item.parent == nil { // without a name in the document
		item.suffix = o.noun(c) + " item"
		d.wish = o.noun(c) + suffix
	}
	if !t.elem.null() {
		c.lists[item] = d
	}
	c.decls = append(c.decls, d)
	return d
}
