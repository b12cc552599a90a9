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
	u := &unionPlan{name: name, start: s.fields[0].prefix[1:] + `"`, byValue: make(map[string]*alternativePlan), lenient: c.outputs}
	for i := range rules { // the one of the values, if there is no mistake
		u.unknown = rules[i].complaint
	}
	u.tooFar = &complaint{ruleAhead, "is too far from the start of its object: put " + name + " first"}
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
//	unknown and tooFar are violations of the discriminator
type unionPlan struct {
	name    string // of the discriminator
	start   string
	byValue map[string]*alternativePlan
	unknown *complaint
	tooFar  *complaint
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
// comparison. Anywhere else it is found by reading ahead, which unions in one another
// would repeat for the same text: of 1 MiB of those, 1,000 deep, a gigabyte would be
// read. So there is a limit for all of an input.
func (p *objectPlan) choosePlan(d *decoder, v reflect.Value) *objectPlan {
	u := p.union
	a, c := u.firstMember(d.scan.data[d.scan.pos+1:]), (*complaint)(nil)
	if a == nil {
		a, c = u.lookAhead(d)
	}
	switch {
	case a != nil:
		v.Field(a.index).Set(reflect.New(a.typ))
		return a.plan
	case u.lenient && c != u.tooFar:
		return p
	}
	if d.scan.skipValue(); d.scan.err == nil && c != nil {
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

// maxAhead is how many bytes are read in search of discriminators at least, beyond
// eight times those of the text; see choosePlan.
const maxAhead = 1 << 20

// lookAhead returns the alternative that the discriminator says, wherever it is in the
// object at hand, or a complaint about it. The first one that is too far is the only
// one that a client is told.
func (u *unionPlan) lookAhead(d *decoder) (*alternativePlan, *complaint) {
	limit := 8*len(d.scan.data) + maxAhead
	if d.looked > limit {
		return nil, nil
	}
	value, read := d.scan.findMember(u.name, limit-d.looked)
	d.looked += read
	switch {
	case value == nil && d.looked == limit:
		d.looked++
		return nil, u.tooFar
	case value == nil:
		return nil, isRequired
	case !isText(value):
		return nil, mustBeString
	}
	if a := u.byValue[string(textOf(value))]; a != nil {
		return a, nil
	}
	return nil, u.unknown
}
