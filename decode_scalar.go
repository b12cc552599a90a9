package svc

// This file reads one scalar and says which rules it breaks, for contracts and for examples.

import (
	"bytes"
	"math/big"
	"reflect"
	"slices"
)

// A scalarReader says which rules a scalar breaks. It reads the scalar with the decoder of inputs.
type scalarReader struct {
	shape  *shape
	decode decodeFunc // nil for a type that nobody can decode any more
	enum   [][]byte   // the values, if they are listed
	quoted bool
}

// read returns the rules that a value breaks. A type with its own JSON that panics breaks a rule
// too.
func (r *scalarReader) read(text string) (broken []string) {
	if r.decode == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			broken = []string{ruleType}
		}
	}()
	d := new(decoder)
	d.start([]byte(text))
	r.decode(d, reflect.New(r.shape.typ).Elem())
	if d.scan.checkEnd(); d.scan.err != nil {
		return []string{d.scan.err.rule}
	}
	for _, v := range d.report.found.list {
		broken = append(broken, v.Rule)
	}
	if r.quoted {
		text = textOr(text)
	}
	isOne := func(value []byte) bool { return sameScalar(value, []byte(text)) }
	if r.enum != nil && !slices.Contains(broken, ruleType) && !slices.ContainsFunc(r.enum, isOne) {
		broken = append(broken, ruleEnum)
	}
	return broken
}

// sameScalar reports whether two values are the same text or number, such as 1 and 1.0.
func sameScalar(a, b []byte) bool {
	x, isNumber := new(big.Rat).SetString(string(a))
	y, both := new(big.Rat).SetString(string(b))
	return bytes.Equal(a, b) || isNumber && both && x.Cmp(y) == 0
}
