package svc

// This file checks Go values, of Service.Call and of inputs that are complete: their rules, and
// the methods Validate in them.

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
)

// setDefaults sets the fields with a default of the struct v and of the structs in it. v may also
// be an array of such structs, or of such arrays. A struct behind a pointer or in a slice does not
// exist yet, and a struct in an optional field is absent as long as it is zero, so these get no
// defaults. d decodes them.
func (p *objectPlan) setDefaults(d *decoder, v reflect.Value) {
	if v.Kind() == reflect.Array {
		for i := range v.Len() {
			p.setDefaults(d, v.Index(i))
		}
		return
	}
	for i := range p.fields {
		f := &p.fields[i]
		switch {
		case f.absent != nil:
			d.defaulted = 0 // the type says how many there are, and no input
			f.absent(d, f.settableIn(v))
		case f.inner != nil && !f.optional:
			f.inner.setDefaults(d, f.settableIn(v))
		}
	}
}

// checkValue checks an input that is a Go value, with the rules that a decoder would have checked.
// in is a struct of the calling program, whose goroutines may share it. So checkValue only reads
// it, except that it sets empty discriminators of unions and that Validate methods may change it.
func (b *binding) checkValue(d *decoder, in reflect.Value) error {
	d.opts.fills = true
	return b.checkRules(d, in)
}

// checkRules is checkValue for an input that is not changed.
func (b *binding) checkRules(d *decoder, in reflect.Value) error {
	d.start(nil)
	b.checkInput(&valueCheck{decoder: d}, in)
	return b.finishInput(d, in, false)
}

// A valueCheck visits the addressable Go value of an input, and the values inside it. It adds
// violations to the decoder, whose path leads to the value. It visits only values of shapes with
// something to check at or below them: most have nothing.
type valueCheck struct {
	*decoder
	validate bool // call Validate, which may change the value; otherwise check rules and the depth
	forREST  bool // violations have the places that REST clients know
}

// check checks v, a value of shape s.
func (c *valueCheck) check(s *shape, v reflect.Value) {
	if c.validate && !s.validates || !c.validate && !s.ruled {
		return
	}
	if !c.validate {
		c.checkRules(s.rules, v)
	}
	switch s.kind {
	case kindAny:
		c.report.tooDeep = c.report.tooDeep || !c.validate && !endsInTime(v, len(c.path))
	case kindPointer, kindOptional:
		if value, ok := notNull(v); ok {
			c.check(s.deref(), value)
		}
	case kindSlice, kindArray:
		c.path = append(c.path, step{})
		for i := range v.Len() {
			c.path[len(c.path)-1].index = i
			c.check(s.elem, v.Index(i))
		}
		c.pop()
	case kindMap:
		c.checkMap(s, v)
	case kindObject, kindFile:
		c.checkObject(s, v, nil)
	case kindByType:
		c.checkChoice(s, v)
	case kindText, kindCustom:
		c.callHooks(s, v)
	}
}

// checkChoice checks v, a value of kindByType: the alternative, and then v itself.
func (c *valueCheck) checkChoice(s *shape, v reflect.Value) {
	i, value, err := s.choiceIn(v)
	switch {
	case err == nil:
		c.check(s.fields[i].shape, value)
		c.callHooks(s, v)
	case !c.validate:
		c.addViolation(&complaint{rule: ruleVariant, message: "must have exactly one of the alternatives " + s.choiceNames()})
	}
}

// callHooks calls the Validate methods of v and of the structs that it embeds.
func (c *valueCheck) callHooks(s *shape, v reflect.Value) {
	if !c.validate {
		return
	}
	for _, h := range s.hooks {
		value, ok := followIndex(v, h, false)
		if ok && value.Kind() == reflect.Pointer {
			value, ok = value.Elem(), !value.IsNil()
		}
		if ok {
			c.callValidate(value)
		}
	}
}

// endsInTime reports whether v, the value of an any, has no lists, maps and pointers nested deeper
// than JSON allows. It does not look into structs.
func endsInTime(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Interface:
		return endsInTime(v.Elem(), depth) // of nil, a value without a kind
	case reflect.Pointer:
		return depth < maxDepth && endsInTime(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array, reflect.Map:
		if depth >= maxDepth {
			return false
		}
		if k := v.Type().Elem().Kind(); k <= reflect.Complex128 || k == reflect.String { // these lead nowhere
			return true
		}
		if v.Kind() == reflect.Map {
			for entry := v.MapRange(); entry.Next(); {
				if !endsInTime(entry.Value(), depth+1) {
					return false
				}
			}
			return true
		}
		for i := range v.Len() { // Value.Seq2 would allocate for each item
			if !endsInTime(v.Index(i), depth+1) {
				return false
			}
		}
	}
	return true
}

// checkMap checks a map of shape s. It visits values in the order of the names of the map keys, so
// that an input always has the same violations. The values of a map are not addressable, so it
// checks a copy, and stores the copy only if a check has changed it: other goroutines may be
// reading the map of a Go value.
func (c *valueCheck) checkMap(s *shape, v reflect.Value) {
	var keys []entry[reflect.Value]
	for _, key := range v.MapKeys() {
		name, _ := s.key.keyText(key) // a map key without a name sorts first
		keys = append(keys, entry[reflect.Value]{name, key})
	}
	slices.SortFunc(keys, func(a, b entry[reflect.Value]) int { return strings.Compare(a.name, b.name) })
	for _, e := range keys {
		c.push(e.name)
		if !c.validate {
			c.naming = true
			c.checkRules(s.key.rules, e.value)
			c.naming = false
		}
		stored := v.MapIndex(e.value)
		value := reflect.New(s.elem.typ).Elem()
		value.Set(stored)
		if c.check(s.elem, value); !isSameValue(value, stored) {
			v.SetMapIndex(e.value, value)
		}
		c.pop()
	}
}

// isSameValue reports whether a, a copy of b that a check may have changed since, still has the
// contents of b. Values of one type are the same if their bytes are, so it follows no pointers: a
// change behind a pointer affects both. Unlike with ==, NaN is the same as NaN, and slices, maps
// and functions can be the same. Functions are compared only by their code.
func isSameValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !isSameValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !isSameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		a, b = a.Elem(), b.Elem()
		if !a.IsValid() || !b.IsValid() {
			return a.IsValid() == b.IsValid()
		}
		return a.Type() == b.Type() && isSameValue(a, b)
	case reflect.Slice:
		return a.Pointer() == b.Pointer() && a.Len() == b.Len() && a.Cap() == b.Cap()
	case reflect.Map, reflect.Func:
		return a.Pointer() == b.Pointer()
	case reflect.Float32, reflect.Float64:
		return isSameFloat(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		return isSameFloat(real(a.Complex()), real(b.Complex())) && isSameFloat(imag(a.Complex()), imag(b.Complex()))
	}
	return a.Equal(b) // numbers, strings, pointers and channels
}

func isSameFloat(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// checkObject checks a struct of shape s. For an input, places is set. For an inner struct it is
// nil, and fields hidden by json:"-" are left out. A union without an alternative has nothing to
// check; while rules are checked, this is a violation. Validate of the fields is called before
// Validate of the struct, which sees their changes.
//
// Rules are not checked for an optional field with its zero value, which stands for an absent field
// in a Go value. A Go value may contain itself, which is detected when it is deeper than any JSON.
// The first such place ends all checks, because a value that contains itself twice would be visited
// 2^1000 times.
func (c *valueCheck) checkObject(s *shape, v reflect.Value, places map[*field]*inputPlace) {
	if c.report.tooDeep = c.report.tooDeep || len(c.path) >= maxDepth; c.report.tooDeep {
		return
	}
	form, err := s.formOf(v)
	if err != nil {
		if !c.validate {
			c.addViolation(s.alternativeComplaint())
		}
		return
	}
	outer := c.in
	for _, f := range form.fields {
		isNeeded := c.validate && f.shape.validates || !c.validate && (f.shape.ruled || f.notNull || f.only != nil)
		if !isNeeded || places == nil && f.hidden {
			continue
		}
		value, ok := f.valueIn(v)
		if !ok {
			continue
		}
		token := f.token
		if place := places[f]; place != nil {
			c.in = place.in
			if c.forREST {
				token = place.sourceToken
			}
		}
		outside := len(c.path)
		if token != "" { // else it is the whole body
			c.pushToken(token)
		}
		switch {
		case c.validate:
			c.check(f.shape, value)
		case f.only != nil:
			f.fillOnly(c.decoder, value)
		case value.IsZero() && (f.optional || f.notNull):
		default:
			if _, ok := notNull(value); f.notNull && !ok {
				c.addViolation(errNull)
			}
			c.check(f.shape, value)
		}
		c.path = c.path[:outside]
	}
	c.in = outer
	c.callHooks(s, v)
}

// alternativeComplaint returns the complaint about a union without exactly one alternative.
func (s *shape) alternativeComplaint() *complaint {
	var values []string
	for _, a := range s.alternatives {
		values = append(values, a.value)
	}
	return &complaint{rule: ruleVariant, message: "must have exactly one of the alternatives " + strings.Join(values, ", ") +
		", and a discriminator that is empty or says which"}
}

// fillOnly sets the empty field v to the one value that it can have, if inputOptions.fills
// is set.
func (f *field) fillOnly(d *decoder, v reflect.Value) {
	if d.opts.fills && v.Len() == 0 {
		v.SetString(string(textOf(f.only)))
	}
}

// callValidate calls the Validate method of the struct v. A plain error becomes a violation at v. A
// nested error adds its violations; see addNested. Any other *Error replaces all violations as the
// error of the input, because the application may want a different code. After that, no further
// Validate is called.
func (d *decoder) callValidate(v reflect.Value) {
	if d.report.validateErr != nil {
		return
	}
	err := v.Addr().Interface().(validator).Validate()
	var e *Error
	switch {
	case err == nil:
	case d.addNested(err):
	case errors.As(err, &e):
		d.report.validateErr = ErrorFrom(err)
	default:
		d.addViolation(&complaint{rule: ruleValidate, message: err.Error()})
	}
}
