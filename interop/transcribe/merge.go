package main

import (
	"maps"
	"net/url"
	"slices"
)

func percentDecoded(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return out
	}
	return s
}

// merge adds to s what p demands, as allOf does.
func (r *schemaReader) merge(s, p *schema) {
	for _, t := range p.types {
		if !slices.Contains(s.types, t) {
			s.types = append(slices.Clip(s.types), t)
		}
	}
	if !r.spend(len(p.props), p.at) {
		return
	}
	for _, pr := range p.props {
		if old := s.prop(pr.name); old != nil && old != pr.n && old.fingerprint() != pr.n.fingerprint() {
			pr.n = r.combined("allOf", old, pr.n)
		}
		s.setProp(pr)
	}
	s.require(p.required)
	maps.Copy(s.rules, p.rules)
	r.mergeAlts(s, p)
	s.mergeTexts(p)
	s.mergeNull(p)
	s.open, s.closed = s.open || p.open, s.closed || p.closed
	s.readOnly = s.readOnly || p.readOnly
	r.meet(p.lacks)
}

// mergeAlts takes the union of p. Of two unions the members of all become optional.
func (r *schemaReader) mergeAlts(s, p *schema) {
	switch {
	case len(p.alts) == 0:
	case len(s.alts) > 0:
		r.lack(lackTwoUnions, s.at, "allOf of several oneOf or anyOf")
		s.alts = []*schema{r.mergedObjects(append(slices.Clone(s.alts), p.alts...))}
	default:
		s.alts, s.values, s.disc = p.alts, p.values, p.disc
	}
}

func (s *schema) mergeTexts(p *schema) {
	for _, t := range []struct {
		to   *string
		from string
	}{{&s.format, p.format}, {&s.pattern, p.pattern}, {&s.encoding, p.encoding}, {&s.title, p.title}} {
		if t.from != "" {
			*t.to = t.from
		}
	}
	for _, v := range []struct{ to, from **node }{{&s.extra, &p.extra}, {&s.items, &p.items}, {&s.def, &p.def}, {&s.example, &p.example}} {
		if *v.from != nil {
			*v.to = *v.from
		}
	}
	if s.desc == "" {
		s.desc = p.desc
	}
	if p.enum != nil {
		s.enum, s.named = p.enum, p.named
	}
}

// mergeNull takes null away unless all parts that say a type allow it.
func (s *schema) mergeNull(p *schema) {
	if len(p.types) > 0 || len(p.alts) > 0 || len(p.props) > 0 || p.enum != nil {
		s.null = p.null && (s.null || !s.typed)
		s.typed = true
		return
	}
	s.null = s.null || p.null && !s.typed
}

// maxMade is how often a member may be combined from members that were combined themselves.
const maxMade = 20

// combined returns a schema that is allOf or anyOf the two. It returns the same node for the same
// two, so that types that contain themselves come to an end.
func (r *schemaReader) combined(word string, a, b *node) *node {
	key := [3]any{word, a, b}
	if n := r.made[key]; n != nil {
		return n
	}
	parts, depth := []*node{a}, max(a.made, b.made)+1
	if list := a.list(word); a.made > 0 && list != nil { // a third one goes into the list of two
		parts, depth = list, max(a.made, b.made+1)
	}
	for _, p := range parts {
		if p.fingerprint() == b.fingerprint() {
			return a
		}
	}
	if depth > maxMade || !r.spend(len(parts), b) {
		r.lack(lackTooDeep, b, "members that several parts describe")
		return a
	}
	n, list := newObject(b), newObject(b)
	n.made, list.made = depth, depth
	list.kind, list.items = isList, append(slices.Clip(parts), b)
	n.set(word, list)
	r.made[key] = n
	return n
}

// mergedObjects returns a schema with the members of all. Those are required that all require.
func (r *schemaReader) mergedObjects(all []*schema) *schema {
	all = r.flatAlts(all)
	out := newSchema(all[0].at)
	out.types = []string{"object"}
	for i, s := range all {
		if !r.spend(len(s.props), s.at) {
			break
		}
		for _, p := range s.props {
			if old := out.prop(p.name); old != nil && old.fingerprint() != p.n.fingerprint() {
				p.n = r.either(old, p.n)
			}
			out.setProp(p)
		}
		if i == 0 {
			out.required = maps.Clone(s.required)
		}
		maps.DeleteFunc(out.required, func(name string, _ bool) bool { return !s.required[name] })
		out.open = out.open || s.open
	}
	return out
}

// either returns a schema for a member that has two in two alternatives. The values of two enums
// are joined.
func (r *schemaReader) either(a, b *node) *node {
	x, y := r.schema(a), r.schema(b)
	if x.kind() != "string" || y.kind() != "string" {
		return r.combined("anyOf", a, b)
	}
	key := [3]any{"string", a, b}
	if n := r.made[key]; n != nil {
		return n
	}
	n := newObject(a)
	n.made = max(a.made, b.made) + 1
	n.set("type", &node{kind: isString, text: "string"})
	if x.enum != nil && y.enum != nil {
		n.set("enum", &node{kind: isList, items: append(slices.Clone(x.enum), y.enum...)})
	}
	if x.desc != "" {
		n.set("description", &node{kind: isString, text: x.desc})
	}
	r.made[key] = n
	return n
}

// flatAlts returns the alternatives, with those of unions inside of them in their place, and one
// for each type of a schema with several types.
func (r *schemaReader) flatAlts(alts []*schema) []*schema {
	var out []*schema
	seen := map[*node]bool{}
	var add func(list []*schema)
	add = func(list []*schema) {
		for _, a := range list {
			switch {
			case !r.spend(1, a.at):
				return
			case seen[a.at]:
			case len(a.alts) > 0 && len(a.props) == 0:
				seen[a.at] = true
				add(a.alts)
			case len(a.types) > 1 && len(a.alts) == 0:
				out = append(out, a.eachType()...)
			default:
				out = append(out, a)
			}
		}
	}
	add(alts)
	if len(out) == 0 { // alternatives of themselves
		out = append(out, alts[0].bare())
	}
	return out
}

// eachType returns a schema for each type of s.
func (s *schema) eachType() []*schema {
	var out []*schema
	for _, t := range s.types {
		one := s.copied()
		one.types, one.null, one.ref = []string{t}, false, ""
		one.enum = slices.DeleteFunc(slices.Clone(s.enum), func(v *node) bool {
			vt := valueType(v)
			return vt != "" && vt != t && !(vt == "integer" && t == "number")
		})
		out = append(out, one)
	}
	return out
}
