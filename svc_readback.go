package svc

// This file takes the print of an input of Service.Call from the JSON that svc writes for it. The
// JSON of a type may hide data, such as the number of a card, and two different inputs would look
// equal. So values with their own JSON or text methods are read back and compared.

import (
	"encoding/json"
	"reflect"
)

// errHidden is the complaint about a field for which two different inputs may have the same JSON.
var errHidden = &complaint{rule: ruleType, message: "is not read back from its JSON as the same value, so calls with an idempotency key " +
	"cannot be compared; see Idempotency"}

// errUnwritten is the complaint about a field that cannot be written as JSON.
var errUnwritten = &complaint{rule: ruleType, message: "cannot be written as JSON, so calls with an idempotency key cannot be compared"}

// A sentField is the plan of a field of an input of Service.Call.
type sentField struct {
	memberEncoder
	plan *sentPlan
}

// planValues returns the fields that count of each form of the input s, whose plans are p.
func (c *sentPlans) planValues(s *shape) map[*shape][]sentField {
	encoders := newEncoders(false)
	encoders.keyed = true
	forms := make(map[*shape][]sentField)
	for _, form := range s.forms() {
		for _, f := range form.fields {
			if f.unkeyed {
				continue
			}
			member := sentField{encoders.memberEncoder(f), c.planFor(f.shape)}
			if f.isNameless() {
				member.omits = reflect.Value.IsZero
			}
			forms[form] = append(forms[form], member)
		}
	}
	return forms
}

// noteValue takes the print of in, the struct of a program, or adds violations to d.
func (k *keyPlan) noteValue(d *decoder, sent *sentInput, in reflect.Value) {
	form, err := k.bind.in.formOf(in)
	if err != nil { // it is already a violation
		return
	}
	for i := range k.values[form] {
		member := &k.values[form][i]
		value, ok := member.valueIn(in)
		if !ok || member.omits != nil && member.omits(value) {
			continue
		}
		if c := sent.noteField(member, value); c != nil {
			d.in = k.bind.sources[member.field].in
			d.pushToken(member.token)
			d.addViolation(c)
			d.pop()
		}
	}
}

// noteField takes the print of the value of a field, or returns a complaint about it.
func (in *sentInput) noteField(f *sentField, v reflect.Value) *complaint {
	if isHidden(v, 0) {
		return errHidden
	}
	text := f.only
	if text == nil {
		var err error
		if text, err = appendRecord(new(encoder), nil, v.Addr().Interface(), f.encode); err != nil {
			return errUnwritten
		}
	}
	w := &in.writer
	m := w.beginField(f.field)
	w.scan = scanner{data: text, wanted: []string{}}
	w.addValue(f.plan)
	w.endMember(m)
	return nil
}

// isHidden reports whether the JSON or text methods of v, or of a value inside it, write something
// that they read back as a different value. A value nested too deep for JSON counts as hidden.
func isHidden(v reflect.Value, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch t := v.Type(); {
	case t == typeTime, t == typeRaw: // svc writes all that they have
		return false
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Interface:
		return !v.IsNil() && isHidden(v.Elem(), depth+1)
	case v.CanAddr() && v.Addr().CanInterface():
		if o, ok := v.Addr().Interface().(optionalField); ok {
			value, _ := o.parts()
			return isHidden(reflect.ValueOf(value).Elem(), depth+1)
		}
	}
	if hasMethods(v.Type(), typeJSONMarshaler) || hasMethods(v.Type(), typeTextMarshaler) {
		return !isReadBack(v)
	}
	return isHiddenInside(v, depth+1)
}

// isHiddenInside is isHidden for the values inside v, which itself has no such methods.
func isHiddenInside(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			isMember := (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" && f.Tag.Get(keyTag) != "-"
			if isMember && isHidden(v.Field(i), depth) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if elem := v.Type().Elem(); isPlainKind(elem.Kind()) && !hasOwnText(elem) {
			return false
		}
		for i := range v.Len() {
			if isHidden(v.Index(i), depth) {
				return true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if isHidden(it.Key(), depth) || isHidden(addressable(it.Value()), depth) {
				return true
			}
		}
	}
	return false
}

// isPlainKind reports whether values of a kind lead to no others.
func isPlainKind(k reflect.Kind) bool { return k <= reflect.Complex128 || k == reflect.String }

// addressable returns a copy of v whose methods with pointer receivers can be called. The encoder
// calls them for the values of maps too.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// isReadBack reports whether v is unchanged when its JSON is read back. Its methods may never have
// been tested for this, so they may panic.
func isReadBack(v reflect.Value) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	x := v.Interface()
	if v.CanAddr() {
		x = v.Addr().Interface()
	}
	text, ok := plainJSON(x)
	again := reflect.New(v.Type())
	return ok && json.Unmarshal(text, again.Interface()) == nil && isEqual(addressable(v), again.Elem())
}

// isEqual reports whether a and b, which are addressable, are equal: by the method Equal or Cmp of
// their type, or by their contents.
func isEqual(a, b reflect.Value) bool {
	if out, ok := compareBy(a.Addr().MethodByName("Equal"), b); ok && out.Kind() == reflect.Bool {
		return out.Bool()
	}
	if out, ok := compareBy(a.Addr().MethodByName("Cmp"), b); ok && out.CanInt() {
		return out.Int() == 0
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// compareBy calls a method with b, if it takes such a value or a pointer to one, and no more.
func compareBy(method, b reflect.Value) (out reflect.Value, ok bool) {
	if !method.IsValid() || method.Type().NumIn() != 1 || method.Type().NumOut() != 1 {
		return out, false
	}
	switch method.Type().In(0) {
	case b.Type():
		return method.Call([]reflect.Value{b})[0], true
	case b.Addr().Type():
		return method.Call([]reflect.Value{b.Addr()})[0], true
	}
	return out, false
}
