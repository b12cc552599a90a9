package svc

// This file writes and reads stored values with the plans that calls use. In this order: Codec, its
// plan, and the errors of writing and reading.
//
// Values from an older version of the program are read like outputs of a server: by type, without
// rules, and with absent or unknown members. A Codec differs from a client that reads an output:
//
//	                          a client               a Codec
//	an absent member          is zero                has its default
//	a field with a default    left out if omitempty  always written
//	an unknown alternative    leaves all nil         is an error: writing it again would lose it

import (
	"reflect"
	"slices"
	"sync"
)

// A Codec writes and reads values of type T as the JSON of calls, for a database or a queue. Unlike
// encoding/json, it knows unions and defaults. It is safe for concurrent use. The zero value cannot
// be used; call [NewCodec] once for each type.
//
// Decode(Encode(v)) equals v with these exceptions. Nil lists and maps become empty; with
// omitempty, empty ones become nil. A pointer to null becomes nil. An empty discriminator is set.
// And what JSON cannot say is lost: text that is not UTF-8, the zone of a time except its offset,
// numbers in an any that do not fit a float64, and fields that are not in the JSON.
type Codec[T any] struct {
	plan *codecPlan
}

// NewCodec returns the codec of T: a struct, or any other type that a field of an input can have.
// It panics if T has mistakes, and lists all of them as [Register] does.
func NewCodec[T any]() *Codec[T] { return &Codec[T]{newCodecPlan(reflect.TypeFor[T]())} }

// Encode returns the JSON of *v. It does not change *v and does not check rules. It fails for a
// union without exactly one alternative and for a value that JSON cannot carry, such as NaN. The
// error is an [*Error] with code INTERNAL and violations.
func (c *Codec[T]) Encode(v *T) ([]byte, error) {
	if v == nil {
		return nil, c.plan.encodeError(nil, errNilValue.violation())
	}
	return c.plan.encodeValue(reflect.ValueOf(v).Elem())
}

// Decode returns the value in data and keeps no reference to data. It is as strict about JSON and
// types as a call. But it ignores unknown members, sets absent members to zero or their default,
// and checks no rules: after a rule has become narrower, older values can still be read, and
// [Codec.Check] finds them. If you add a union to a stored type, make it a pointer or add omitzero,
// or older values cannot be encoded again.
//
// The error is an [*Error] with violations and the code DATA_LOSS. A method may return it: it does
// not blame the input of the call, and clients do not see the violations.
func (c *Codec[T]) Decode(data []byte) (*T, error) {
	v := new(T)
	if err := c.plan.decodeText(data, reflect.ValueOf(v).Elem()); err != nil {
		return nil, err
	}
	return v, nil
}

// Check checks the rules of *v and calls its Validate methods, as [Service.Call] does for an input.
// It changes nothing itself, but Validate methods may. It returns the error that such a call would:
// INVALID_ARGUMENT with violations, or the error of a Validate method.
func (c *Codec[T]) Check(v *T) error {
	if v == nil {
		return &Error{Code: CodeInvalidArgument, Message: errNilValue.message,
			Details: map[string]any{"violations": []Violation{errNilValue.violation()}}}
	}
	w := c.plan.borrow()
	err := c.plan.check.checkRules(&w.dec, reflect.ValueOf(v).Elem())
	c.plan.giveBack(w)
	return err
}

// A codecPlan is the part of a Codec without the type parameter, so that it is compiled once.
// newCodecPlan writes it; after that only the pool changes.
type codecPlan struct {
	typ    reflect.Type
	encode encodeFunc
	decode decodeFunc
	check  *binding  // for checkRules
	pool   sync.Pool // of *codecWorkspace
}

// A codecWorkspace is the memory for one value. Nothing refers to it afterwards.
type codecWorkspace struct {
	dec decoder
	enc encoder
}

// newCodecPlan compiles the plan of t.
func newCodecPlan(t reflect.Type) *codecPlan {
	p := new(mistakes)
	shapes := newShapes(p)
	s := shapes.shapeFor(t, t.String())
	shapes.checkUse(s, asStored, t.String())
	isFile := func(s *shape) bool { return s.kind == kindFile || s.file != nil }
	p.addIf(s.reaches(make(map[*shape]bool), isFile),
		"%v has a Body or a File, which is not JSON; keep the bytes elsewhere, or in a []byte", t)
	p.addIf(s.kind == kindOptional, "%v is an Optional, which only a field can be; put it into a struct", t)
	shapes.finishShapes()
	// The decoders of an input try the defaults and the examples. Their plans are not used.
	if tried := newDecoders(p, false); p.isSound(s) {
		tried.decoderFor(s)
	} else {
		tried.tryFields(s)
	}
	p.panicIfAny("cannot make a codec of " + t.String())

	d, e := newDecoders(p, false), newEncoders(false)
	d.outputs, d.stored, e.stored = true, true, true
	return &codecPlan{
		typ:    t,
		encode: e.encoderFor(s),
		decode: d.decoderFor(s),
		check:  &binding{in: s, sourceOf: func(string) string { return inBody }},
	}
}

// borrow returns a workspace, to be given back by giveBack. After a panic of the application's
// MarshalJSON or UnmarshalJSON it is not.
func (p *codecPlan) borrow() *codecWorkspace {
	if w, _ := p.pool.Get().(*codecWorkspace); w != nil {
		return w
	}
	return new(codecWorkspace)
}

// giveBack puts w back into the pool, unless an unusual value made it large.
func (p *codecPlan) giveBack(w *codecWorkspace) {
	w.enc.err = nil
	if w.dec.resetWithin(maxPooled, w.enc.buf) {
		p.pool.Put(w)
	}
}

// encodeValue is Encode for v, which is addressable.
func (p *codecPlan) encodeValue(v reflect.Value) ([]byte, error) {
	w := p.borrow()
	w.enc = encoder{buf: w.enc.buf[:0]}
	p.encode(&w.enc, v)
	if w.enc.err != nil {
		return nil, p.explain(&w.dec, v, w.enc.err)
	}
	text := slices.Clone(w.enc.buf)
	p.giveBack(w)
	return text, nil
}

// decodeText is Decode into v.
func (p *codecPlan) decodeText(text []byte, v reflect.Value) error {
	w := p.borrow()
	w.dec.start(text)
	p.decode(&w.dec, v)
	w.dec.scan.checkEnd()
	err := w.dec.finish()
	p.giveBack(w)
	if err == nil {
		return nil
	}
	e := ErrorFrom(err) // INVALID_ARGUMENT with violations, as for a call
	return &Error{Code: CodeDataLoss, Message: "not the JSON of a " + p.typ.String(), cause: &unsentViolations{e.Violations(), e.cause}}
}

// violation returns the violation of the whole value.
func (c *complaint) violation() Violation {
	return Violation{In: inBody, Rule: c.rule, Message: c.message}
}

// explain returns the error for v, for which an encoder failed with cause. Encoders do not record
// places, so explain checks the rules of v to find the place of a union.
func (p *codecPlan) explain(d *decoder, v reflect.Value, cause error) error {
	d.start(nil)
	p.check.checkInput(&valueCheck{decoder: d}, v)
	list := slices.DeleteFunc(slices.Clone(d.report.found.list), func(v Violation) bool { return v.Rule != ruleVariant })
	switch {
	case d.report.tooDeep:
		list = []Violation{errInputTooDeep.violation()}
	case len(list) == 0:
		list = []Violation{errUnwritable.violation()}
	}
	return p.encodeError(cause, list...)
}

// encodeError returns an error of Encode.
func (p *codecPlan) encodeError(cause error, list ...Violation) *Error {
	return &Error{Code: CodeInternal, Message: "a " + p.typ.String() + " " + errUnwritable.message, cause: &unsentViolations{list, cause}}
}
