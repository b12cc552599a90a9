package svc

// This file decodes unions: it finds out which alternative an object is, and leaves the
// rest to the plan of that (decode.go).

import (
	"bytes"
	"reflect"
	"slices"
)

// structPlan is objectPlan for the object s, of which a union has alternatives too.
func (c *decoders) structPlan(s *shape, fields []*field, in map[*field]string) *objectPlan {
	p := c.objectPlan(fields, in)
	if s.alternatives == nil {
		return p
	}
	name, rules := s.fields[0].name, slices.Concat(s.fields[0].rules, s.fields[0].shape.rules)
	if _, ok := c.unions[name]; !ok {
		c.unions[name] = len(c.unions)
	}
	u := &unionPlan{name: name, start: s.fields[0].prefix[1:] + `"`, names: c.unions, byValue: make(map[string]*alternativePlan), lenient: c.outputs}
	for i := range rules { // the one of the values, if there is no mistake
		u.unknown = rules[i].complaint
	}
	for _, a := range s.alternatives {
		plan := c.objectPlan(s.withFields(a, fields), in)
		plan.fields[0].decode = func(d *decoder, v reflect.Value) { // choosePlan has read it
			if d.scan.skipValue() != nil {
				v.SetString(a.value)
			}
		}
		plan.fields[0].field = plan.fields[0].lenientField() // its rules were kept
		u.byValue[a.value] = &alternativePlan{plan, a.index, a.structType()}
	}
	p.union = u
	return p
}

// A unionPlan chooses the plan of an alternative by the discriminator.
//
// Invariants:
//
//	start is `"type":"`, as encoders without white space write it
//	names numbers the discriminators of all unions, for findMember
//	unknown is the violation of a discriminator that is not in byValue
type unionPlan struct {
	name    string // of the discriminator
	start   string
	names   map[string]int
	byValue map[string]*alternativePlan
	unknown *complaint
	lenient bool // a client decodes outputs: another alternative than those is no violation
}

// An alternativePlan decodes a union with this alternative, a field of the type *typ.
type alternativePlan struct {
	plan  *objectPlan
	index int
	typ   reflect.Type
}

// choosePlan returns the plan of the alternative of a union, whose { the caller has
// seen, and sets the alternative in v. If the discriminator does not say which it is,
// that is the one violation of the object, which choosePlan skips; it returns nil then.
//
// The discriminator is the first member where encoders write it, which costs one
// comparison. Anywhere else it is found by reading ahead, once for the whole text.
func (p *objectPlan) choosePlan(d *decoder, v reflect.Value) *objectPlan {
	u, c := p.union, isRequired
	a := u.firstMember(d.scan.data[d.scan.pos+1:])
	if a == nil {
		if value := d.scan.findMember(u.names, u.name); isText(value) {
			a, c = u.byValue[string(textOf(value))], u.unknown
		} else if value != nil {
			c = mustBeString
		}
	}
	switch {
	case a != nil:
		v.Field(a.index).Set(reflect.New(a.typ))
		return a.plan
	case u.lenient:
		return p
	}
	if d.scan.skipValue(); d.scan.err == nil {
		d.enterMember(&p.fields[0])
		d.addViolation(c)
		d.pop()
	}
	return nil
}

// firstMember returns the alternative that the discriminator says if text, which
// begins behind a {, begins with it, or nil.
func (u *unionPlan) firstMember(text []byte) *alternativePlan {
	if len(text) <= len(u.start) || string(text[:len(u.start)]) != u.start {
		return nil
	}
	text = text[len(u.start):]
	return u.byValue[string(text[:max(0, bytes.IndexByte(text, '"'))])]
}
