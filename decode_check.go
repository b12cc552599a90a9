package svc

// This file checks finished inputs: the Validate methods of the application,
// and, for inputs that no decoder has seen since Service.Call was given them as
// Go values, the constraints.

import (
	"cmp"
	"errors"
	"reflect"
	"runtime"
	"slices"
)

// A validator is a struct that checks itself.
type validator interface{ Validate() error }

var typeValidator = reflect.TypeFor[validator]()

// A checkFunc checks the value v, which is addressable. What is wrong goes to
// the decoder, whose path leads to v.
type checkFunc func(d *decoder, v reflect.Value)

// checks is one compile pass over shapes. A nil checkFunc stands for a value
// that has nothing to check, so that most services pay nothing.
type checks struct {
	rules   bool // constraints too, not only Validate
	byShape map[*shape]*checkFunc
}

func newChecks(rules bool) *checks {
	return &checks{rules: rules, byShape: make(map[*shape]*checkFunc)}
}

// of returns the check for values of shape s, or nil.
func (c *checks) of(s *shape) checkFunc {
	if !c.need(s, make(map[*shape]bool)) {
		return nil
	}
	if fn, ok := c.byShape[s]; ok {
		if *fn != nil {
			return *fn
		}
		return func(d *decoder, v reflect.Value) { (*fn)(d, v) } // s contains itself
	}
	fn := new(checkFunc)
	c.byShape[s] = fn
	*fn = c.compile(s)
	return *fn
}

// need reports whether there is anything to check in values of shape s.
func (c *checks) need(s *shape, open map[*shape]bool) bool {
	if s == nil || open[s] {
		return false
	}
	open[s] = true
	if len(hooksOf(s.typ)) > 0 || c.need(s.elem, open) {
		return true
	}
	return slices.ContainsFunc(s.fields, func(f *field) bool {
		return c.rules && len(f.rules) > 0 || c.need(f.shape, open)
	})
}

func (c *checks) compile(s *shape) checkFunc {
	switch s.kind {
	case kindPointer:
		elem := c.of(s.elem)
		return func(d *decoder, v reflect.Value) {
			if !v.IsNil() {
				elem(d, v.Elem())
			}
		}
	case kindSlice, kindArray:
		elem := c.of(s.elem)
		return func(d *decoder, v reflect.Value) {
			d.path = append(d.path, step{})
			for i := range v.Len() {
				d.path[len(d.path)-1].index = i
				elem(d, v.Index(i))
			}
			d.pop()
		}
	case kindMap:
		return checkMap(s, c.of(s.elem))
	}
	return c.object(s, nil)
}

// checkMap checks values in the order of their keys, so that one input always
// gets one answer. Validate may change its receiver, so values are put back.
func checkMap(s *shape, elem checkFunc) checkFunc {
	type entry struct {
		name string
		key  reflect.Value
	}
	return func(d *decoder, v reflect.Value) {
		var entries []entry
		for _, key := range v.MapKeys() {
			name, _ := s.key.keyText(key) // an unnameable key sorts first
			entries = append(entries, entry{name, key})
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
		for _, e := range entries {
			value := reflect.New(s.elem.typ).Elem()
			value.Set(v.MapIndex(e.key))
			d.push(e.name)
			elem(d, value)
			d.pop()
			v.SetMapIndex(e.key, value)
		}
	}
}

// object compiles the check of a struct: its fields, then itself. in says where
// the fields of an input come from; nil, for a struct inside another, that
// hidden fields do not count.
func (c *checks) object(s *shape, in func(*field) string) checkFunc {
	type member struct {
		*field
		in    string
		inner checkFunc
	}
	var members []member
	for _, f := range s.fields {
		if in == nil && f.hidden {
			continue
		}
		m := member{field: f, inner: c.of(f.shape)}
		if in != nil {
			m.in = in(f)
		}
		if m.inner != nil || c.rules && len(f.rules) > 0 {
			members = append(members, m)
		}
	}
	hooks, rules := hooksOf(s.typ), c.rules
	return func(d *decoder, v reflect.Value) {
		outer := d.in
		for _, m := range members {
			value, ok := m.lookup(v)
			if !ok {
				continue
			}
			if m.in != "" {
				d.in = m.in
			}
			d.pushToken(m.token)
			if rules && !(m.optional && value.IsZero()) {
				d.checkRules(m.rules, value)
			}
			if m.inner != nil {
				m.inner(d, value)
			}
			d.pop()
		}
		d.in = outer
		for _, h := range hooks {
			value, ok := lookup(v, h)
			if ok && value.Kind() == reflect.Pointer {
				value, ok = value.Elem(), !value.IsNil()
			}
			if ok {
				d.validate(value)
			}
		}
	}
}

// validate calls the Validate method of the struct v. A plain error is a
// violation; an *Error is the answer itself.
func (d *decoder) validate(v reflect.Value) {
	if d.refused != nil {
		return
	}
	err := v.Addr().Interface().(validator).Validate()
	if err == nil {
		return
	}
	var e *Error
	if errors.As(err, &e) {
		d.refused = ErrorFrom(err)
		return
	}
	d.violate(&mistake{ruleValidate, err.Error()})
}

// hooksOf returns where in a struct of type t Validate is to be called: in the
// structs that t embeds, innermost first, then in t itself (the empty index).
func hooksOf(t reflect.Type) [][]int {
	if t.Kind() != reflect.Struct {
		return nil
	}
	return appendHooks(nil, t, nil, true, make(map[reflect.Type]bool))
}

// appendHooks also looks into structs that are embedded under a name that is
// not exported. Their own methods are out of reach but by the structs around
// them, not those of the structs that they embed.
func appendHooks(hooks [][]int, t reflect.Type, index []int, reachable bool, open map[reflect.Type]bool) [][]int {
	if open[t] {
		return hooks
	}
	open[t] = true
	for i := range t.NumField() {
		if e, ok := promoted(t.Field(i)); ok {
			hooks = appendHooks(hooks, e, append(slices.Clone(index), i), t.Field(i).IsExported(), open)
		}
	}
	if reachable && reflect.PointerTo(t).Implements(typeValidator) && (declaresValidate(t) || inheritsUnseen(t)) {
		hooks = append(hooks, index)
	}
	return hooks
}

// inheritsUnseen reports whether the Validate that the struct t inherits is
// called by nobody else: reflect may not call a method of an unexported type
// that is embedded, and what is no struct is not asked by itself.
func inheritsUnseen(t reflect.Type) bool {
	type level struct {
		reflect.Type
		walked, seen bool // by appendHooks, and itself or something around it asked
	}
	visited := make(map[reflect.Type]bool)
	for current := []level{{Type: t, walked: true}}; len(current) > 0; {
		var next []level
		for _, l := range current {
			if visited[l.Type] || l.Kind() != reflect.Struct {
				continue
			}
			visited[l.Type] = true
			for i := range l.NumField() {
				f := l.Field(i)
				if !f.Anonymous {
					continue
				}
				e := level{f.Type, l.walked, l.seen}
				if e.Kind() == reflect.Pointer {
					e.Type = e.Elem()
				}
				name, _ := parseJSONTag(f.Tag.Get("json"))
				_, inside := promoted(f)
				e.seen = e.seen || e.walked && f.IsExported() && e.Kind() == reflect.Struct && (inside || name != "")
				e.walked = e.walked && inside
				if declaresValidate(e.Type) {
					return !e.seen // Go promotes the one that is least deep
				}
				next = append(next, e)
			}
		}
		current = next
	}
	return false
}

// declaresValidate reports whether t has a Validate method of its own, not one
// that it only inherits from what it embeds.
func declaresValidate(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || !reflect.PointerTo(t).Implements(typeValidator) {
		return false
	}
	receiver := t
	if !t.Implements(typeValidator) {
		receiver = reflect.PointerTo(t)
	}
	m, _ := receiver.MethodByName("Validate")
	pc := m.Func.Pointer()
	// The compiler writes the methods that embedding promotes, in no file.
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return file != "<autogenerated>"
}
