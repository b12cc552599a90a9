package svc

// This file decodes objects into structs: which member is which field, what is
// missing, what is unknown.

import (
	"errors"
	"math/bits"
	"reflect"
	"strings"
)

// An objectPlan decodes an object into a struct, or into some fields of one.
type objectPlan struct {
	fields []fieldPlan
	byName map[string]int
	need   []uint64 // bit sets: the fields whose absence needs something done
	strict bool
}

// A fieldPlan is the part of an objectPlan for one member.
type fieldPlan struct {
	*field
	prefix string // the name as compact JSON has it, with quotes and colon
	in     string // what Violation.In is for the member, or "" for as before
	decode decodeFunc
	absent func(v reflect.Value) // gives the default, or nil
}

// object compiles the plan for these fields. in says for each where its value
// comes from; nil, for a struct inside another, that hidden fields are left
// out.
func (c *decoders) object(fields []*field, in func(*field) string) *objectPlan {
	p := &objectPlan{byName: make(map[string]int), strict: c.strict}
	for _, f := range fields {
		if in == nil && f.hidden {
			continue
		}
		plan := fieldPlan{field: f, prefix: string(appendQuoted(nil, f.name)) + ":"}
		if in != nil {
			plan.in = in(f)
		}
		plan.decode = c.fieldDecoder(f)
		plan.absent = c.defaultOf(&plan)
		i := len(p.fields)
		if i%64 == 0 {
			p.need = append(p.need, 0)
		}
		if !f.optional || plan.absent != nil {
			p.need[i/64] |= 1 << (i % 64)
		}
		p.byName[f.name] = i
		p.fields = append(p.fields, plan)
	}
	return p
}

// fieldDecoder returns the decoder for a field, without its constraints.
func (c *decoders) fieldDecoder(f *field) decodeFunc {
	if f.quoted {
		return decodeQuoted(f.shape)
	}
	return c.of(f.shape)
}

// value decodes the member that the decoder is at into v, the field.
func (f *fieldPlan) value(d *decoder, v reflect.Value) {
	if len(f.rules) == 0 {
		f.decode(d, v)
		return
	}
	before := d.count()
	if f.decode(d, v); d.fault == nil && d.count() == before {
		d.checkRules(f.rules, v)
	}
}

// checkRules notes the constraints that a decoded value breaks. A null breaks
// none: they are about the value that is not there.
func (d *decoder) checkRules(rules []rule, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	for i := range rules {
		if r := &rules[i]; r.broken(v) {
			d.violate(r.wrong)
		}
	}
}

// defaultOf returns a function that sets a field to its default, or nil if it
// has none. The default is decoded anew for each input: two inputs must not
// share a slice.
func (c *decoders) defaultOf(plan *fieldPlan) func(reflect.Value) {
	f, decode := plan.field, plan.decode
	if f.def == nil {
		return nil
	}
	fresh := func(v reflect.Value) error {
		d := new(decoder)
		d.start(f.def)
		member := fieldPlan{field: f, decode: decode}
		member.value(d, v)
		return d.finish()
	}
	value := reflect.New(f.shape.typ).Elem()
	trying, endless := false, false
	c.pending = append(c.pending, func() {
		trying = true
		err := fresh(value)
		trying = false
		var e *Error
		switch {
		case endless:
			c.addf("%s: the default %s leaves out a field that has it as its default, and so on without end", f.place, f.def)
		case errors.As(err, &e):
			c.addf("%s: the default %s is refused: %s", f.place, f.def, strings.TrimPrefix(e.Message, codes[CodeInvalidArgument.row()].text+": "))
		}
	})
	c.settle()
	// A text type may be a slice, as net.IP is, or hold one.
	if f.shape.kind.isScalar() && f.shape.kind != kindBytes && f.shape.kind != kindText {
		return func(v reflect.Value) { v.Set(value) }
	}
	return func(v reflect.Value) {
		if trying {
			endless = true
			return
		}
		fresh(v) // it was tried above
	}
}

// decode is the decodeFunc of p.
func (p *objectPlan) decode(d *decoder, v reflect.Value) {
	if d.peek() != '{' {
		d.mismatch(mustBeObject)
		return
	}
	base := len(d.seen)
	for range p.need {
		d.seen = append(d.seen, 0)
	}
	unknown := nameSet{base: len(d.names)}
	d.open()
	next := 0
	for first := true; d.more('}', first); first = false {
		i, name := p.find(d, next)
		if i < 0 {
			p.unknown(d, &unknown, name)
			continue
		}
		f := &p.fields[i]
		if seen := &d.seen[base+i/64]; *seen>>(i%64)&1 != 0 {
			d.failDuplicate()
		} else {
			*seen |= 1 << (i % 64)
		}
		d.enter(f)
		f.value(d, f.of(v))
		if d.fault != nil {
			return
		}
		d.pop()
		next = i + 1
	}
	unknown.close(&d.scanner)
	if d.fault == nil {
		p.complete(d, v, d.seen[base:base+len(p.need)])
	}
	d.seen = d.seen[:base]
}

// enter makes the member f the current place.
func (d *decoder) enter(f *fieldPlan) {
	if f.in != "" {
		d.in = f.in
	}
	d.pushToken(f.token)
}

// find reads a member's name and returns the index of its field, or -1 and the
// name. Most senders write members in the order of the document, so next is
// tried first.
func (p *objectPlan) find(d *decoder, next int) (int, []byte) {
	d.peek()
	if next < len(p.fields) {
		prefix := p.fields[next].prefix
		if end := d.pos + len(prefix); end <= len(d.data) && string(d.data[d.pos:end]) == prefix {
			d.pos = end
			return next, nil
		}
	}
	name := d.name()
	if i, ok := p.byName[string(name)]; ok {
		return i, nil
	}
	return -1, name
}

var isUnknown = &mistake{ruleUnknown, "is not a known property"}

// unknown passes over a member that is not in the plan.
func (p *objectPlan) unknown(d *decoder, set *nameSet, name []byte) {
	if d.fault == nil && !set.add(&d.scanner, name) {
		d.failDuplicate()
	}
	d.skip()
	if p.strict && d.fault == nil {
		d.push(string(name))
		d.violate(isUnknown)
		d.pop()
	}
}

var isRequired = &mistake{ruleRequired, "is required"}

// complete gives the absent fields their defaults and notes those that may not
// be absent. seen has a bit for each field that was there.
func (p *objectPlan) complete(d *decoder, v reflect.Value, seen []uint64) {
	for w, need := range p.need {
		for absent := need &^ seen[w]; absent != 0; absent &= absent - 1 {
			f := &p.fields[w*64+bits.TrailingZeros64(absent)]
			if f.absent != nil {
				f.absent(f.of(v))
				continue
			}
			d.enter(f)
			d.violate(isRequired)
			d.pop()
		}
	}
}
