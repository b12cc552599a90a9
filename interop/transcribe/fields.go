package main

import (
	"slices"
	"strconv"
	"strings"
)

// A fieldForm is how a field says that it is optional or may be null.
type fieldForm struct {
	text     string // the Go type
	option   string // of the tag json
	notNull  bool   // nullable:"false"
	fallback string // the tag default
}

// fieldType returns the Go type of a field.
func (c *converter) fieldType(d *decl, f *field) string { return c.form(d, f).text }

// form chooses the Go type of a field.
func (c *converter) form(d *decl, f *field) fieldForm {
	t := f.t
	text := t.expr()
	switch {
	case f.status != "":
		return fieldForm{text: "int"}
	case f.disc:
		return fieldForm{text: "string"}
	case f.variant != "":
		return fieldForm{text: "*" + text}
	case f.embedded, t.kind == kBody:
		return fieldForm{text: text}
	case d.kind == kByType && t.kind != kList && t.kind != kMap:
		return fieldForm{text: "*" + text}
	case d.kind == kByType || f.place == "path":
		return fieldForm{text: text}
	}
	if d.in && f.optional && f.s.def != nil {
		if def := c.defaultText(f); def != "" && !t.null() {
			return fieldForm{text: text, fallback: def}
		} else if def != "" {
			c.lack(lackDefault, f.s.at, def+" beside null")
		}
	}
	return optionalForm(d, f, text)
}

func optionalForm(d *decl, f *field, text string) fieldForm {
	t := f.t
	inBody := f.place == "" && !f.hidden
	number := t.kind == kBool || t.kind == kInt || t.kind == kFloat || t.kind == kEnum && t.decl.elem.kind == kInt
	switch {
	case t.kind == kAny && f.optional:
		return fieldForm{text: text, option: ",omitempty"}
	case t.kind == kAny:
		return fieldForm{text: text}
	case t.null() && inBody && f.optional && d.in && !d.out:
		return fieldForm{text: "svc.Optional[" + text + "]", option: ",omitzero"}
	case t.null() && inBody && f.optional:
		return fieldForm{text: "*" + text, option: ",omitempty"}
	case t.null() && inBody:
		return fieldForm{text: "*" + text}
	case f.optional && t.isStruct():
		return fieldForm{text: "*" + text, option: ",omitempty", notNull: true}
	case f.pointer:
		return fieldForm{text: "*" + text}
	case f.optional && t.kind == kTime:
		return fieldForm{text: text, option: ",omitzero"}
	case f.optional && inBody && !d.form && number:
		return fieldForm{text: "*" + text, option: ",omitempty", notNull: true}
	case f.optional:
		return fieldForm{text: text, option: ",omitempty"}
	}
	return fieldForm{text: text}
}

// fieldTag returns the tags of a field.
func (c *converter) fieldTag(d *decl, f *field) string {
	switch {
	case f.status != "":
		return tag("json", "-") + " " + tag("status", f.status)
	case f.disc:
		return tag("json", f.json) + ` discriminator:"true"`
	case f.variant != "":
		return tag("variant", f.variant)
	case f.t.kind == kBody || f.t.kind == kFile:
		return fileTag(f)
	case f.embedded:
		return ""
	case d.kind == kByType:
		return strings.Join(c.ruleTags(f), " ")
	}
	form := c.form(d, f)
	tags := nameTags(d, f, form.option)
	if form.fallback != "" {
		tags = append(tags, tag("default", form.fallback))
	}
	tags = append(tags, c.ruleTags(f)...)
	if e := c.exampleText(f); e != "" {
		tags = append(tags, tag("example", e))
	}
	if form.notNull {
		tags = append(tags, `nullable:"false"`)
	}
	return strings.Join(tags, " ")
}

func tag(key, value string) string { return key + ":" + strconv.Quote(value) }

// fileTag returns the tags of a Body or a File.
func fileTag(f *field) string {
	var tags []string
	if f.json != "" {
		name := f.json
		if f.optional {
			name += ",omitempty"
		}
		tags = append(tags, tag("json", name), `order:"any"`)
	}
	if f.media != "" {
		tags = append(tags, tag("contentType", f.media))
	}
	return strings.Join(tags, " ")
}

// nameTags returns the tags that name a field.
func nameTags(d *decl, f *field, option string) []string {
	name := f.json
	switch {
	case f.hidden:
		wire := f.wire
		switch {
		case f.t.kind == kTime && d.in:
			wire += ",omitzero"
		case f.optional && (d.in || f.place == "cookie"):
			wire += ",omitempty"
		}
		return []string{tag("json", "-"), tag(f.place, wire)}
	case f.place == "header", f.place == "cookie", f.place == "query":
		return []string{tag("json", name+option), tag(f.place, f.wire)}
	case f.place == "path" && name != f.wire:
		return []string{tag("json", name), tag("path", f.wire)}
	case name == "-" && option == "":
		return []string{tag("json", "-,")}
	}
	tags := []string{tag("json", name+option)}
	if f.body != "" {
		tags = append(tags, tag("body", f.body))
	}
	return tags
}

// defaultText returns the text of the tag default, or "".
func (c *converter) defaultText(f *field) string {
	v := f.s.def
	ok := false
	switch f.t.kind {
	case kString:
		ok = v.kind == isString && takes(f.s, v.text)
	case kEnum:
		ok = slices.ContainsFunc(f.t.decl.values, func(e *node) bool { return e.text == v.text })
	case kInt:
		_, err := strconv.ParseInt(v.text, 10, 32)
		ok = err == nil && inRange(f.s, v.text)
	case kFloat:
		ok = v.kind == isNumber && inRange(f.s, v.text)
	case kBool:
		ok = v.text == "true" || v.text == "false"
	}
	if ok && v.text != "" && isPrintable(v.text) {
		return v.text
	}
	empty := v.kind == isNull || v.text == "" && len(v.items) == 0 && len(v.keys) == 0
	if !empty {
		what := v.text
		if what == "" {
			what = "a list or an object"
		}
		c.lack(lackDefault, f.s.at, what)
	}
	return ""
}

// exampleText returns the text of the tag example, or "".
func (c *converter) exampleText(f *field) string {
	v := f.s.example
	if v == nil || f.s.ref != "" && f.t.decl == nil {
		return ""
	}
	ok := false
	switch f.t.kind {
	case kString:
		ok = v.kind == isString && takes(f.s, v.text)
	case kInt:
		ok = v.kind == isNumber && valueType(v) == "integer" && len(v.text) < 9 && inRange(f.s, v.text)
	case kFloat:
		ok = v.kind == isNumber && inRange(f.s, v.text)
	}
	if ok && v.text != "" && len(v.text) <= 60 && isPrintable(v.text) && !strings.Contains(v.text, "`") {
		return v.text
	}
	return ""
}
