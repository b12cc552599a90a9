package svc

// This file decodes the unions of type_bytype.go: the first byte of a value says which alternative
// it is.

import "reflect"

// A choicePlan decodes a value of kindByType.
type choicePlan struct {
	byJSON   [len(jsonTypes)]int // indexes in choices; -1 for none
	choices  []choice
	mismatch *complaint // about a value of any other type; nil if a client decodes outputs
}

// A choice is one alternative.
type choice struct {
	at     int          // the index of the Go field
	typ    reflect.Type // the target type of a pointer field; nil for a list or a map
	shape  *shape
	decode decodeFunc
}

// choiceDecoder compiles the decodeFunc of s, a shape of kindByType. For any other type, a client
// that decodes an output leaves all alternatives nil: the server may have more.
func (c *decoders) choiceDecoder(s *shape) decodeFunc {
	p := &choicePlan{byJSON: s.choicesByJSON()}
	if c.stored || !c.outputs {
		p.mismatch = wrongType("must be "+s.choiceNouns(), "", nil)
	}
	for _, f := range s.fields {
		a := choice{at: f.index[0], shape: f.shape, decode: c.decoderFor(f.shape)}
		if t := s.typ.Field(a.at).Type; t.Kind() == reflect.Pointer {
			a.typ = t.Elem()
		}
		c.checkExample(f, a.decode)
		p.choices = append(p.choices, a)
	}
	return p.decodeChoice
}

// decodeChoice is the decodeFunc of p.
func (p *choicePlan) decodeChoice(d *decoder, v reflect.Value) {
	i := p.byJSON[jsonTypeOf(d.scan.peek())]
	if i < 0 {
		i = p.findInside(d)
	}
	switch {
	case i < 0 && p.mismatch == nil:
		d.scan.skipValue()
	case i < 0:
		d.skipMismatch(p.mismatch)
	case p.choices[i].typ == nil:
		p.choices[i].decode(d, v.Field(p.choices[i].at))
	case !d.skipIfFull():
		value := reflect.New(p.choices[i].typ)
		p.choices[i].decode(d, value.Elem())
		v.Field(p.choices[i].at).Set(value)
	}
}

// findInside returns the index of the alternative whose JSON is inside the string at the scanner,
// if inputOptions allow this, or -1. It is for a union that takes no strings: if text is allowed,
// every string is text.
func (p *choicePlan) findInside(d *decoder) int {
	if d.scan.peek() != '"' || !d.opts.readStrings && !d.opts.readDigits {
		return -1
	}
	ahead := d.scan
	value := ahead.skipValue()
	if ahead.err != nil {
		return -1
	}
	i := p.byJSON[jsonTypeInside(value, d.scan.depth)]
	if i < 0 || d.opts.readStrings {
		return i
	}
	if s := p.choices[i].shape; s.bits != 64 || !s.kind.isInteger() || !isPlainInteger(textOf(value)) {
		return -1
	}
	return i
}

// jsonTypeInside returns the index in jsonTypes of the type of the JSON inside the string value, at
// this depth of open arrays and objects, or else of the type of value itself.
func jsonTypeInside(value []byte, depth int) int {
	if isText(value) {
		text := trimJSON(textOf(value))
		if len(text) > 0 && jsonInside(value, text[0], depth) != nil {
			return jsonTypeOf(text[0])
		}
	}
	return jsonTypeOf(value[0])
}
