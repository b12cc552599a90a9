package svc

// This file calls methods: by reflection, directly, and by name.

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// A Caller calls one method without reflection. [Direct] and its siblings make
// them, for MethodOptions.Direct; the zero value means none.
type Caller struct {
	iface   reflect.Type
	in, out reflect.Type // nil where the method has none
	name    string       // of the function, as the runtime knows it
	bind    func(impl any) callFunc
	each    eachFunc // where the method returns a stream
}

// Direct makes the Caller of a method with an input and an output from the
// method expression of the interface:
//
//	"Create": {Direct: svc.Direct(TodoAPI.Create)},
//
// The call then costs what it costs in Go; by reflection it costs a few hundred
// nanoseconds more. Another function than the method itself is an error at
// registration.
func Direct[I, In, Out any](method func(I, context.Context, *In) (*Out, error)) Caller {
	return newCaller[I](method, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(impl I) callFunc {
		return func(ctx context.Context, in any) (any, error) {
			out, err := method(impl, ctx, in.(*In))
			return orNil(out), err
		}
	})
}

// DirectIn is [Direct] for a method without an output.
func DirectIn[I, In any](method func(I, context.Context, *In) error) Caller {
	return newCaller[I](method, reflect.TypeFor[In](), nil, func(impl I) callFunc {
		return func(ctx context.Context, in any) (any, error) {
			return nil, method(impl, ctx, in.(*In))
		}
	})
}

// DirectOut is [Direct] for a method without an input.
func DirectOut[I, Out any](method func(I, context.Context) (*Out, error)) Caller {
	return newCaller[I](method, nil, reflect.TypeFor[Out](), func(impl I) callFunc {
		return func(ctx context.Context, _ any) (any, error) {
			out, err := method(impl, ctx)
			return orNil(out), err
		}
	})
}

// DirectNone is [Direct] for a method without input and output.
func DirectNone[I any](method func(I, context.Context) error) Caller {
	return newCaller[I](method, nil, nil, func(impl I) callFunc {
		return func(ctx context.Context, _ any) (any, error) {
			return nil, method(impl, ctx)
		}
	})
}

func newCaller[I any](method any, in, out reflect.Type, bind func(I) callFunc) Caller {
	name := ""
	if v := reflect.ValueOf(method); !v.IsNil() {
		name = runtime.FuncForPC(v.Pointer()).Name()
	}
	return Caller{
		iface: reflect.TypeFor[I](),
		in:    in,
		out:   out,
		name:  name,
		bind:  func(impl any) callFunc { return bind(impl.(I)) },
	}
}

// is reports whether the function is the interface's method of that name. The
// runtime calls it pkg.TodoAPI.Create, with [...] behind TodoAPI if the type is
// generic, and a number behind a dot in mid-line if it is local to a function.
func (c Caller) is(method string) bool {
	rest, ok := strings.CutSuffix(c.name, "."+method)
	name, _, _ := strings.Cut(c.iface.Name(), "[")
	i := strings.LastIndex(rest, "."+name)
	if !ok || name == "" || i < 0 {
		return ok && strings.HasPrefix(rest, "go:interface")
	}
	behind := rest[i+len("."+name):]
	return behind == "" || strings.HasPrefix(behind, "[") || strings.HasPrefix(behind, "·")
}

// orNil returns out as an any that is nil if out is.
func orNil[Out any](out *Out) any {
	if out == nil {
		return nil
	}
	return out
}

// reflectCaller returns a callFunc that calls the named method of impl by
// reflection. Of the ways to do so the function of the concrete type, with the
// receiver as its first argument, is the cheapest: a bound method value copies
// its arguments once more.
func reflectCaller(t reflect.Type, impl reflect.Value, name string, hasIn, hasOut bool) callFunc {
	m, _ := t.MethodByName(name)
	fn := m.Func
	return func(ctx context.Context, in any) (any, error) {
		args := [3]reflect.Value{impl, reflect.ValueOf(&ctx).Elem()}
		n := 2
		if hasIn {
			args[2] = reflect.ValueOf(in)
			n = 3
		}
		results := fn.Call(args[:n])
		err, _ := results[len(results)-1].Interface().(error)
		if !hasOut || results[0].IsNil() {
			return nil, err
		}
		return results[0].Interface(), err
	}
}

// invoke calls m with a bound and valid input, through what intercepts it. A
// panic becomes an error. An output that is not there, or not of the method's
// type, is a fault of the method's.
func (m *method) invoke(ctx context.Context, in any) (out any, err error) {
	return m.invokeBy(m.intercepted, ctx, in)
}

// invokeBy is invoke by another function than the service's own; nil means the
// method itself.
func (m *method) invokeBy(invoke InvokeFunc, ctx context.Context, in any) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	if invoke != nil {
		out, err = invoke(ctx, m.resource, m.name, in)
	} else {
		out, err = m.call(ctx, in)
	}
	switch {
	case err != nil:
		probe(err)
		return nil, err
	case m.out == nil:
		return nil, nil
	case out == nil:
		return nil, fmt.Errorf("%s returned neither an output nor an error", m.goName)
	case reflect.TypeOf(out) != m.outType:
		return nil, fmt.Errorf("%s was answered with a %T, which is no %v", m.goName, out, m.outType)
	}
	return out, nil
}

// bindObject makes the input of m from one JSON object that has every field by
// its wire name. An empty text counts as {}. m must take an input.
func (m *method) bindObject(d *decoder, text []byte) (in any, err error) {
	defer func() { // Validate and UnmarshalJSON are the application's
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	v, err := m.bind.object(d, text)
	return v.Interface(), err
}

// appendOutput appends the JSON of what the method returned, or of one item of
// the stream that it returned.
func (m *method) appendOutput(e *encoder, dst []byte, out any) (_ []byte, err error) {
	defer func() { // MarshalJSON is the application's
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	*e = encoder{buf: dst}
	if m.encode(e, reflect.ValueOf(out).Elem()); e.err != nil {
		// Whatever MarshalJSON returned, the call had succeeded.
		return e.buf, &Error{Code: CodeInternal, cause: e.err}
	}
	return e.buf, nil
}

// invokeByName is the end of the chain that Options.Intercept is the rest of.
func (s *Service) invokeByName(ctx context.Context, resource, name string, in any) (any, error) {
	m := s.find(resource, name)
	if m == nil {
		return nil, noMethod(resource, name)
	}
	if err := m.checkType(in); err != nil {
		return nil, err
	}
	return m.call(ctx, in)
}

func noMethod(resource, name string) *Error {
	return Errorf(CodeUnimplemented, "there is no method %q in resource %q", name, resource)
}

// checkType refuses an input that the method could not be called with.
func (m *method) checkType(in any) error {
	switch {
	case m.in == nil && in == nil:
		return nil
	case m.in == nil:
		return Errorf(CodeInvalidArgument, "%s.%s takes no input; give nil", m.resource, m.name)
	case in == nil || reflect.TypeOf(in) != reflect.PointerTo(m.in.typ) || reflect.ValueOf(in).IsNil():
		return Errorf(CodeInvalidArgument, "%s.%s takes a *%v that is not nil, not a %T", m.resource, m.name, m.in.typ, in)
	}
	return nil
}

// Call calls a method by name, as a transport would: the input, a pointer to
// the method's input or nil if it has none, is held to the constraints and the
// Validate methods, Options.Intercept runs, and a panic becomes an error. The
// method may be given by Method.Name, by its aliases or by its Go name. An
// unknown one is UNIMPLEMENTED; an input of the wrong type is INVALID_ARGUMENT.
// A [Stream] is returned as it is, and the caller has to run it.
//
// A Go value cannot say that a field is absent: a field that is optional counts
// as absent if it is zero, and defaults are for [Service.NewInput] to fill in.
func (s *Service) Call(ctx context.Context, resource, method string, input any) (any, error) {
	m := s.find(resource, method)
	if m == nil {
		m = s.findGoName(resource, method)
	}
	if m == nil {
		return nil, noMethod(resource, method)
	}
	if err := m.checkType(input); err != nil {
		return nil, err
	}
	if m.in != nil {
		if err := s.checkInput(m, input); err != nil {
			return nil, err
		}
	}
	info, ok := InfoFrom(ctx)
	if !ok {
		info.Transport = "call"
	}
	info.Resource, info.Method = m.resource, m.name
	return m.invoke(&callContext{ctx, info}, input)
}

func (s *Service) findGoName(resource, goName string) *method {
	for _, m := range s.methods {
		if m.resource == resource && m.goName == goName {
			return m
		}
	}
	return nil
}

func (s *Service) checkInput(m *method, input any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	sc := s.borrow()
	err = m.bind.value(&sc.decoder, reflect.ValueOf(input))
	s.giveBack(sc)
	return err
}

// NewInput returns a new input for a method, with the defaults filled in, to be
// filled further and given to [Service.Call]. It returns nil for a method that
// takes none, and UNIMPLEMENTED for one that is not there.
func (s *Service) NewInput(resource, method string) (any, error) {
	m := s.find(resource, method)
	if m == nil {
		m = s.findGoName(resource, method)
	}
	switch {
	case m == nil:
		return nil, noMethod(resource, method)
	case m.in == nil:
		return nil, nil
	}
	in := reflect.New(m.in.typ)
	for i := range m.bind.all.fields {
		if f := &m.bind.all.fields[i]; f.absent != nil {
			f.absent(f.of(in.Elem()))
		}
	}
	return in.Interface(), nil
}
