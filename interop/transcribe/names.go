package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// keepUsed notes which types clients send and get, and drops all others.
func (c *converter) keepUsed() {
	walk := func(start []*decl, in bool) {
		for len(start) > 0 {
			d := start[len(start)-1]
			start = start[:len(start)-1]
			if in && d.in || !in && d.out {
				continue
			}
			d.in, d.out = d.in || in, d.out || !in
			start = append(start, d.uses()...)
		}
	}
	for _, o := range c.ops {
		var in, out []*decl
		if o.in != nil {
			in = append(in, o.in)
		}
		for _, d := range []*decl{o.out, o.value} {
			if d != nil {
				out = append(out, d)
			}
		}
		walk(in, true)
		walk(o.stream.appendDecls(out), false)
	}
	for _, form := range c.errs.chosenForms() {
		walk(form.t.appendDecls(nil), false)
	}
	c.decls = slices.DeleteFunc(c.decls, func(d *decl) bool { return !d.in && !d.out })
}

// breakCycles makes pointers of the fields by which a struct would contain itself.
func (c *converter) breakCycles() {
	const open, closed = 1, 2
	state := map[*decl]int{}
	var visit func(d *decl)
	visit = func(d *decl) {
		state[d] = open
		for _, f := range d.fields {
			if f.t.decl == nil || !f.t.isStruct() || f.pointer || f.optional || f.t.null() {
				continue
			}
			switch state[f.t.decl] {
			case open:
				f.pointer = true
			case 0:
				visit(f.t.decl)
			}
		}
		state[d] = closed
	}
	for _, d := range c.decls {
		if state[d] == 0 {
			visit(d)
		}
	}
}

// dropBadNames leaves members and parameters out whose names svc refuses.
func (c *converter) dropBadNames() {
	for _, d := range c.decls {
		if d.kind == kByType {
			continue // its fields have no names in JSON
		}
		seen := map[string]bool{}
		d.lacks = append(d.lacks, c.within(func() {
			d.fields = slices.DeleteFunc(d.fields, func(f *field) bool {
				why := badName(f, seen)
				if why != "" {
					c.lack(lackName, d.at, why)
				}
				return why != ""
			})
		})...)
	}
}

// badName says why svc refuses the names of f, or "". seen has the names of the fields before it,
// of which none may differ only by case.
func badName(f *field, seen map[string]bool) string {
	if f.embedded || f.status != "" || f.variant != "" || f.t.kind == kBody && f.json == "" {
		return ""
	}
	var names []string
	if !f.hidden {
		names = append(names, f.json)
		if why := badText(f); why != "" {
			return fmt.Sprintf("the name %q %s", f.json, why)
		}
	}
	if f.place != "" && f.place != "path" {
		names = append(names, f.place+" "+f.wire)
	}
	for _, name := range names {
		if seen[strings.ToLower(name)] {
			return fmt.Sprintf("the name %q differs from another one at most by case", name)
		}
	}
	for _, name := range names {
		seen[strings.ToLower(name)] = true
	}
	return ""
}

// badText says why a tag cannot have the name of f in JSON, or "".
func badText(f *field) string {
	for _, r := range f.json {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return fmt.Sprintf("has the character %q", r)
		}
	}
	switch {
	case f.json == "":
		return "is empty"
	case strings.TrimSpace(f.json) != f.json:
		return "has a blank at an end"
	case f.json == "-" && f.optional:
		return "is for fields that are left out"
	}
	return ""
}

// nameDecls gives every declaration a name of its own: components first, then alternatives of
// unions, inputs and outputs, and last what has no name in the document.
func (c *converter) nameDecls() {
	names := newNamer("Server", "Service", "Source")
	for _, g := range c.groups {
		names.take(g.iface)
		names.take("Unimplemented" + g.name)
	}
	for _, d := range c.decls {
		if d.wish != "" && d.shared && !d.variant {
			d.name = names.take(d.wish)
		}
	}
	for _, d := range c.decls {
		if d.wish != "" && d.shared && d.variant {
			d.name = names.take(d.wish, d.wish+"Variant")
		}
	}
	for _, d := range c.decls {
		if d.wish != "" && d.name == "" {
			d.name = names.take(d.wish)
		}
	}
	for _, d := range c.decls {
		nameInline(d, names)
	}
	for _, d := range c.decls {
		nameConstants(d, names)
	}
}

// nameInline names a declaration after its parent.
func nameInline(d *decl, names *namer) {
	var chain []*decl
	for ; d != nil && d.name == "" && len(chain) < maxDepth; d = d.parent {
		chain = append(chain, d)
	}
	for _, d := range slices.Backward(chain) {
		own := exported(d.suffix)
		switch {
		case d.parent == nil && d.shared && envelopeName(d) != "":
			d.name = names.take(envelopeName(d), own)
		case d.parent == nil:
			d.name = names.take(own)
		case d.kind == kList && d.suffix == "list":
			d.name = names.take(pluralName(d.parent.name), d.parent.name+"List")
		case d.shared && len(words(own)) > 1 && len(own) > 5:
			d.name = names.take(own, stem(d.parent.name)+own)
		default:
			d.name = names.take(stem(d.parent.name) + own)
		}
	}
}

// envelopeName names an answer that several methods have, such as {data: Task}, after what is in it,
// and not after the first method. It returns "" for others.
func envelopeName(d *decl) string {
	if !strings.HasSuffix(d.suffix, " out") {
		return ""
	}
	for _, f := range d.fields {
		t := f.t
		if t.kind == kList {
			t = t.elem
		}
		name := ""
		switch {
		case t.decl != nil && t.kind != kEnum:
			name = t.decl.wish
		case t.kind == kMap && t.s != nil && t.s.ref != "":
			name = exported(t.s.ref)
		}
		switch {
		case name == "":
		case f.t.kind == kList:
			return pluralName(name) + "Out"
		default:
			return name + "Out"
		}
	}
	return ""
}

// stem returns the name of a parent without the word for its place.
func stem(name string) string {
	for _, end := range []string{"In", "Out", "Body", "Event"} {
		if s := strings.TrimSuffix(name, end); s != name && len(s) > 3 {
			return s
		}
	}
	return name
}

// nameConstants names the values of an enum.
func nameConstants(d *decl, names *namer) {
	for i, v := range d.values {
		word := exported(v.text)
		switch {
		case d.named != nil && len(words(d.named[i].title)) > 0:
			word = exported(strings.ToLower(d.named[i].title))
		case v.text == "":
			word = "Empty"
		case strings.HasPrefix(v.text, "-") && len(v.text) > 1 && isDigit(v.text[1]):
			word = "Minus" + exported(v.text)
		}
		if len(word) > 1 && word[0] == 'N' && isDigit(word[1]) {
			word = word[1:] // behind the name of the type
		}
		d.constants = append(d.constants, names.take(d.name+word))
	}
}

// extensionNames returns the names that extensions of OpenAPI give the values of an enum, or nil.
func extensionNames(n *node, count int) []namedValue {
	var out []namedValue
	titles := n.list("x-enum-varnames")
	if titles == nil {
		titles = n.list("x-enumNames")
	}
	descs := n.list("x-enum-descriptions")
	if len(titles) != count || len(n.list("enum")) != count {
		return nil
	}
	for i, t := range titles {
		v := namedValue{title: t.text}
		if len(descs) == count {
			v.desc = descs[i].text
		}
		out = append(out, v)
	}
	return out
}

// nameFields gives the fields of all structs their Go names. Embedded types have theirs already.
func (c *converter) nameFields() {
	for _, d := range c.decls {
		names := newNamer("ByType")
		for _, f := range d.fields {
			if f.embedded {
				names.take(f.t.expr())
				names.take(strings.TrimPrefix(f.t.expr(), "svc."))
			}
		}
		for _, f := range d.fields {
			if f.embedded {
				continue
			}
			wish := f.name
			if wish == "" {
				wish = exported(f.json)
			}
			f.name = names.take(wish)
		}
	}
}
