package main

import (
	"regexp"
	"slices"
	"strings"
)

// union returns the type of one of several schemas.
func (m *typeMaker) union(s *schema, parent *decl, suffix string) *typ {
	if t := m.discriminated(s, parent, suffix); t != nil {
		return t
	}
	byType, order := m.byJSONType(s)
	if order == nil {
		return &typ{kind: kAny}
	}
	if len(order) == 1 {
		if s.ref != "" {
			parent, suffix = nil, s.ref
		}
		return m.oneType(s, order[0], byType[order[0]], parent, suffix)
	}
	if t := m.same(s, "bytype"); t != nil {
		return t
	}
	d := m.declare(kByType, s, parent, suffix)
	t := m.remember(s, "bytype", &typ{kind: kByType, decl: d, s: s})
	ok := true
	d.lacks = m.within(func() {
		m.meet(s.lacks)
		for _, k := range order {
			ok = ok && m.addAlternative(d, s, k, byType[k])
		}
	})
	if !ok {
		m.drop(d)
		m.meet(d.lacks)
		t.kind, t.decl = kAny, nil
		delete(m.shapes, "bytype"+s.at.fingerprint())
	}
	return t
}

// byJSONType sorts the alternatives by their JSON types. It returns nothing if one may be any
// JSON. Numbers and integers are one type.
func (m *typeMaker) byJSONType(s *schema) (byType map[string][]*schema, order []string) {
	byType = map[string][]*schema{}
	for _, a := range m.flatAlts(s.alts) {
		k := a.kind()
		switch {
		case k == "":
			return nil, nil
		case k == "integer" && byType["number"] != nil:
			k = "number"
		case k == "number" && byType["integer"] != nil:
			byType[k] = byType["integer"]
			delete(byType, "integer")
			order[slices.Index(order, "integer")] = k
		}
		if byType[k] == nil {
			order = append(order, k)
		}
		byType[k] = append(byType[k], a)
	}
	return byType, order
}

// alternativeNames are the fields of a struct that embeds svc.ByType.
var alternativeNames = map[string]string{"string": "text", "integer": "number", "number": "number", "boolean": "flag", "array": "list", "object": "object"}

// addAlternative adds the field of a JSON type. It reports false if that is any JSON.
func (m *typeMaker) addAlternative(d *decl, s *schema, k string, list []*schema) bool {
	name := alternativeNames[k]
	ft := m.oneType(s, k, list, d, name)
	if ft.kind == kAny || k == "" || name == "" {
		return false
	}
	var rules *schema
	if len(list) == 1 && ft.s != nil {
		rules = ft.s.copied()
	} else {
		rules = newSchema(s.at)
		rules.types, rules.enum = []string{k}, joinedEnum(list)
	}
	rules.null = false
	f := &typ{kind: ft.kind, name: ft.name, elem: ft.elem, decl: ft.decl, s: rules}
	d.fields = append(d.fields, &field{name: exported(name), t: f, s: rules, pointer: true})
	return true
}

// oneType returns the type for alternatives of one JSON type.
func (m *typeMaker) oneType(s *schema, k string, list []*schema, parent *decl, suffix string) *typ {
	if len(list) == 1 {
		return m.typeOfSchema(list[0], parent, suffix)
	}
	switch k {
	case "object":
		return m.oneObject(s, list, parent, suffix)
	case "array":
		return m.oneList(s, list, parent, suffix)
	case "string":
		one := m.oneScalar(s, list)
		one.at, one.ref, one.pattern = s.at, s.ref, ""
		for _, a := range list {
			if a.format != one.format {
				one.format = ""
			}
		}
		return &typ{kind: kString, name: "string", s: one}
	}
	one := m.oneScalar(s, list)
	one.ref = ""
	if k == "number" {
		one.types = []string{k}
	}
	t := m.build(one, parent, suffix)
	t.s = one
	return t
}

// oneScalar returns a schema for texts or numbers with different rules: it has none of them.
func (m *typeMaker) oneScalar(s *schema, list []*schema) *schema {
	one := list[0].copied()
	one.enum, one.named, one.rules = joinedEnum(list), nil, map[string]string{}
	for _, a := range list {
		if len(a.rules) > 0 || a.pattern != "" || a.format != list[0].format || a.enum != nil && one.enum == nil {
			m.lack(lackScalars, s.at, "oneOf or anyOf of several "+a.kind()+" schemas")
			break
		}
	}
	return one
}

func (m *typeMaker) oneObject(s *schema, list []*schema, parent *decl, suffix string) *typ {
	if slices.ContainsFunc(list, func(a *schema) bool { return len(a.props) == 0 && !a.closed }) {
		m.lackBut(lackObjects, s.at, "an object of named members or any object", "any object")
		return &typ{kind: kMap, elem: &typ{kind: kAny}}
	}
	m.lack(lackObjects, s.at, "oneOf or anyOf of objects")
	one := m.mergedObjects(list)
	one.at, one.desc, one.ref = s.at, s.desc, s.ref
	return m.object(one, parent, suffix)
}

func (m *typeMaker) oneList(s *schema, list []*schema, parent *decl, suffix string) *typ {
	a := list[0]
	same := !slices.ContainsFunc(list[1:], func(b *schema) bool {
		return a.items == nil || b.items == nil || a.items.fingerprint() != b.items.fingerprint()
	})
	if same {
		return m.typeOfSchema(a, parent, suffix)
	}
	m.lack(lackLists, s.at, "oneOf or anyOf of lists")
	u := newSchema(s.at)
	for _, l := range list {
		u.alts = append(u.alts, m.schema(l.items))
	}
	return &typ{kind: kList, elem: m.nested(u, parent, strings.Join(singularWords(words(suffix)), " ")+" item")}
}

// joinedEnum returns the values of all, or nil if one takes any.
func joinedEnum(list []*schema) []*node {
	var all []*node
	seen := map[string]bool{}
	for _, a := range list {
		if a.enum == nil {
			return nil
		}
		for _, v := range a.enum {
			if !seen[v.text] {
				seen[v.text] = true
				all = append(all, v)
			}
		}
	}
	return all
}

// discriminated returns a struct with a discriminator, or nil if the alternatives have none.
func (m *typeMaker) discriminated(s *schema, parent *decl, suffix string) *typ {
	alts := m.flatAlts(s.alts)
	if len(alts) < 2 || slices.ContainsFunc(alts, func(a *schema) bool { return !a.isObjectOf() }) {
		return nil
	}
	name, values := m.declared(s, alts)
	if name == "" {
		name, values = m.found(alts)
	}
	if name == "" {
		m.reportNumbers(s, alts)
		return nil
	}
	if t := m.same(s, "union"); t != nil {
		return t
	}
	d := m.declare(kUnion, s, parent, suffix)
	t := m.remember(s, "union", &typ{kind: kUnion, decl: d, s: s})
	d.lacks = m.within(func() {
		m.meet(s.lacks)
		d.fields = append(d.fields, &field{t: stringType(), json: name, disc: true, s: newSchema(s.at)})
		for i, a := range alts {
			vt := m.variant(a, name, d, values[i][0])
			for _, v := range values[i] {
				d.fields = append(d.fields, &field{name: exported(v), t: vt, variant: v, pointer: true, s: newSchema(a.at)})
			}
		}
	})
	return t
}

// declared returns the discriminator that the document names, with its values for each alternative.
func (m *typeMaker) declared(s *schema, alts []*schema) (string, [][]string) {
	if s.disc == "" {
		return "", nil
	}
	values := make([][]string, len(alts))
	for i, a := range alts {
		values[i] = m.tagValues(a, s.disc)
		switch {
		case values[i] != nil:
		case a.ref == "":
			return "", nil
		case s.values[a.ref] != "":
			values[i] = []string{s.values[a.ref]}
		default:
			values[i] = []string{a.ref}
		}
		if slices.ContainsFunc(values[i], func(v string) bool { return !variantText.MatchString(v) }) {
			return "", nil
		}
	}
	if !distinct(values) {
		return "", nil
	}
	return s.disc, values
}

// found returns a member that every alternative requires, with texts that no other has.
func (m *typeMaker) found(alts []*schema) (string, [][]string) {
	for _, p := range alts[0].props {
		values := make([][]string, len(alts))
		ok := true
		for i := 0; i < len(alts) && ok; i++ {
			values[i] = m.tagValues(alts[i], p.name)
			ok = values[i] != nil && alts[i].required[p.name]
		}
		if ok && distinct(values) {
			return p.name, values
		}
	}
	return "", nil
}

var variantText = regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`)

// tagValues returns the few texts that a member of a can have, or nil.
func (m *typeMaker) tagValues(a *schema, name string) []string {
	p := a.prop(name)
	if p == nil {
		return nil
	}
	enum := m.schema(p).enum
	if len(enum) == 0 || len(enum) > 4 {
		return nil
	}
	var out []string
	for _, v := range enum {
		if v.kind != isString || !variantText.MatchString(v.text) {
			return nil
		}
		out = append(out, v.text)
	}
	return out
}

func distinct(values [][]string) bool {
	seen := map[string]bool{}
	for _, list := range values {
		for _, v := range list {
			if seen[v] {
				return false
			}
			seen[v] = true
		}
	}
	return true
}

// variant returns the struct of an alternative, without the discriminator.
func (m *typeMaker) variant(a *schema, disc string, d *decl, value string) *typ {
	key := a.ref + " without " + disc
	if t := m.components[key]; t != nil && a.ref != "" {
		return t
	}
	if len(a.props) == 1 && a.props[0].name == disc {
		return &typ{kind: kString, name: "struct{}", s: a}
	}
	plain := a.copied()
	plain.ref = ""
	vd := m.declare(kStruct, plain, d, value)
	t := &typ{kind: kStruct, decl: vd, s: plain}
	if a.ref != "" {
		vd.wish, vd.shared, vd.parent, vd.suffix = exported(m.shortName(a.ref)), true, nil, ""
		vd.doc, vd.variant = a.desc, true
		m.components[key] = t
	}
	vd.lacks = m.within(func() {
		m.meet(a.lacks)
		m.fill(vd, a, disc)
	})
	return t
}

// reportNumbers reports alternatives that a number or a boolean tells apart.
func (m *typeMaker) reportNumbers(s *schema, alts []*schema) {
	for _, p := range alts[0].props {
		values := make([][]string, len(alts))
		ok := true
		for i := 0; i < len(alts) && ok; i++ {
			if q := alts[i].prop(p.name); q != nil {
				for _, v := range m.schema(q).enum {
					if v.kind == isNumber || v.kind == isBool {
						values[i] = append(values[i], v.text)
					}
				}
			}
			ok = values[i] != nil
		}
		if ok && distinct(values) {
			m.lack(lackNumberTag, s.at, p.name)
			return
		}
	}
}
