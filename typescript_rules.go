package svc

// This file writes data for the forms of a page: the rules of inputs as HTML attributes, the
// maximum sizes of files, and the values of enums. It uses the rules with which the service checks
// inputs. A form with these attributes accepts everything that the service accepts; the reverse
// need not hold.

import (
	"slices"
	"strconv"
	"strings"
)

// appendValues appends the values of enums and of the discriminators of unions.
func (w *clientWriter) appendValues(dst []byte) []byte {
	dst = append(dst, "/** The values of each enum, and the alternatives of each union. */\nexport const values = {"...)
	at := len(dst)
	for _, d := range w.list {
		if d.role != ofComponent {
			continue
		}
		var list [][]byte
		if enum := d.shape.rules.lookup(roleValues); enum != nil {
			list = itemsOf(enum.value)
		}
		for _, a := range d.shape.alternatives {
			list = append(list, appendQuoted(nil, a.value))
		}
		for i, value := range list {
			before := ", "
			if i == 0 {
				before = "\n  " + d.name + ": ["
			}
			dst = appendLiterals(append(dst, before...), [][]byte{value})
		}
		if list != nil {
			dst = append(dst, "],"...)
		}
	}
	return closeConstant(dst, at)
}

// closeConstant ends a constant, which begins before the place at.
func closeConstant(dst []byte, at int) []byte {
	if len(dst) > at {
		dst = append(dst, '\n')
	}
	return append(dst, "}"+beginTypes+" as const"+endTypes+";\n\n"...)
}

// appendLimits appends the sizes of files.
func (w *clientWriter) appendLimits(dst []byte) []byte {
	dst = append(dst, "/** How large the file in an input may be. */\nexport const limits = {"...)
	at := len(dst)
	for _, d := range w.inputTypes() {
		members := w.inputMembers(d.in, d.shape)
		i := slices.IndexFunc(members, func(m clientMember) bool { return m.shape.kind == kindFile })
		if i < 0 {
			continue
		}
		most := members[i].tags.max
		if most == 0 {
			most = d.in.limits.size
		}
		if most > 0 {
			dst = append(appendKey(append(append(append(dst, "\n  "...), d.name...), ": { "...), members[i].name), ": { maxBytes: "...)
			dst = append(strconv.AppendInt(dst, most, 10), " } },"...)
		}
	}
	return closeConstant(dst, at)
}

// inputTypes returns the types of inputs, each name once.
func (w *clientWriter) inputTypes() (list []*clientType) {
	listed := make(map[string]bool)
	for _, d := range w.list {
		if d.role == ofInput && !listed[d.name] {
			listed[d.name] = true
			list = append(list, d)
		}
	}
	return list
}

// appendRules appends the rules of inputs.
func (w *clientWriter) appendRules(dst []byte) []byte {
	dst = append(dst, "/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. "+
		"A field inside an object has a pointer as its name. */\nexport const rules = {"...)
	at := len(dst)
	for _, d := range w.inputTypes() {
		r := new(ruleWriter)
		for _, form := range d.shape.forms() {
			r.addFields(w.inputMembers(d.in, form), "", d.shape.alternatives == nil)
		}
		dst = r.appendFields(dst, d.name)
	}
	return closeConstant(dst, at)
}

// maxRuleFields is the maximum number of fields with rules inside objects, in one input: if types
// share types, each level can have many times the fields of the level above.
const maxRuleFields = 100

// A ruleWriter collects the rules of one input.
type ruleWriter struct {
	fields []ruleField
	inside []*shape // the objects around the field
	nested int      // how many fields inside objects there were
}

// A ruleField has the attributes for one field, by its name or pointer.
type ruleField struct{ name, attributes string }

// addFields adds the rules of these members and the members inside them. place is a pointer to
// their object, and required says that all objects around them are required.
func (r *ruleWriter) addFields(members []clientMember, place string, required bool) {
	for _, m := range members {
		pointer, name := place+pointerToken(m.name), m.name
		if place != "" {
			name = pointer
			if r.nested++; r.nested > maxRuleFields {
				return
			}
		}
		target, needed := m.shape.deref(), required && !m.optional
		switch {
		case target.kind != kindObject || target.custom != nil:
			r.addField(name, m.attributes(target, needed))
		case !slices.Contains(r.inside, target):
			r.inside = append(r.inside, target)
			for _, form := range target.forms() {
				r.addFields(bodyMembers(form), pointer, needed && target.alternatives == nil)
			}
			r.inside = r.inside[:len(r.inside)-1]
		}
	}
}

// bodyMembers returns the members of an object inside an input.
func bodyMembers(s *shape) (list []clientMember) {
	for _, f := range s.fields {
		if !f.hidden && f.only == nil {
			list = append(list, clientMember{field: f, name: f.name, in: inBody, optional: !f.isRequired()})
		}
	}
	return list
}

// addField adds the attributes of the field name. Two alternatives of a union may have a field with
// the same name; unless their attributes are the same, the field gets none.
func (r *ruleWriter) addField(name string, attributes []string) {
	text := strings.Join(attributes, ", ")
	if i := slices.IndexFunc(r.fields, func(f ruleField) bool { return f.name == name }); i < 0 {
		r.fields = append(r.fields, ruleField{name, text})
	} else if r.fields[i].attributes != text {
		r.fields[i].attributes = ""
	}
}

// appendFields appends the fields with attributes, if any, as the fields of the input name.
func (r *ruleWriter) appendFields(dst []byte, name string) []byte {
	at := len(dst)
	for _, f := range r.fields {
		if f.attributes == "" {
			continue
		}
		if len(dst) == at {
			dst = append(append(append(dst, "\n  "...), name...), ": {"...)
		}
		dst = appendKey(append(dst, "\n    "...), f.name)
		dst = append(append(append(dst, ": { "...), f.attributes...), " },"...)
	}
	if len(dst) > at {
		dst = append(dst, "\n  },"...)
	}
	return dst
}

// attributes returns the attributes of the element for a member whose values have the shape s. It
// leaves out attributes that would refuse values that the rules allow.
func (m *clientMember) attributes(s *shape, needed bool) (list []string) {
	if s.kind == kindFile {
		if m.tags.types != nil {
			list = append(list, "accept: "+string(appendScriptText(nil, strings.Join(m.tags.types, ","))))
		}
		return list
	}
	if needed && m.refusesEmpty(s) {
		list = append(list, "required: true")
	}
	if m.quoted {
		return list
	}
	step, low := s.rules.lookup(roleStep), s.rules.lookup(roleLow)
	for i := range s.rules {
		r := &s.rules[i]
		// An element counts its steps from its min.
		isOff := r.role == roleStep && low != nil && step.violates(low.values[0])
		if r.html.attribute == "" || isOff || !s.rules.isTightest(*r) {
			continue
		}
		value := string(r.value)
		if r.html.value != nil {
			value = r.html.value(s, r)
		}
		switch digits := strings.TrimLeft(strings.Trim(value, "0"), "-0."); {
		case isText([]byte(value)):
			value = string(appendScriptText(nil, textOr(value)))
		case len(digits) > 16: // more than a number of JavaScript holds; an element takes a text too
			value = string(appendScriptText(nil, value))
		}
		list = append(list, r.html.attribute+": "+value)
	}
	if s.kind == kindFloat && !slices.ContainsFunc(list, func(text string) bool { return strings.HasPrefix(text, "step:") }) {
		list = append(list, `step: "any"`) // without it an element takes integers only
	}
	return list
}

// refusesEmpty reports whether the service refuses an empty text for a value of shape s, for sure.
func (m *clientMember) refusesEmpty(s *shape) bool {
	switch {
	case m.quoted || m.in == inPath || s.kind.isNumeric() || s.kind == kindTime || s.kind == kindDuration:
		return true
	case s.kind == kindString:
		return s.rules.refuseEmpty()
	}
	return false
}
