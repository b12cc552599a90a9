package svc

// This file calls the implementation of a method, with and without reflection.

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// chooseCall returns the function that calls the method: the DirectCall of its options, or a call
// by reflection. A DirectCall of a different method may happen to have the right types, so
// chooseCall also compares names. A client has no implementation and calls nothing; see [Connect].
func (c *methodCompiler) chooseCall(rm reflect.Method, sig signature, direct DirectCall) callFunc {
	if c.impl == nil {
		return nil
	}
	if direct.bind == nil {
		return reflectCaller(reflect.TypeOf(c.impl), reflect.ValueOf(c.impl), rm.Name, sig.in != nil, sig.out != nil)
	}
	// The message names the function for the form of this method, because the one in the options
	// may be for a different form.
	form := ""
	switch {
	case sig.in == nil && sig.out == nil:
		form = "None"
	case sig.in == nil:
		form = "Out"
	case sig.out == nil:
		form = "In"
	}
	if sig.stream {
		form = "Stream" + form
	}
	want := fmt.Sprintf("write Direct%s(%s.%s)", form, cmp.Or(nameOf(c.iface), "interface{…}"), rm.Name)
	switch {
	case direct.iface != c.iface:
		c.addf("Direct has a method of %v, not of the interface; %s", direct.iface, want)
	case direct.in != sig.in || direct.out != sig.returned() || (direct.each != nil) != sig.stream || !direct.callsMethod(rm.Name):
		c.addf("Direct has a function that is not the method %s; %s", rm.Name, want)
	case len(c.list) == 0: // else there may be no implementation
		return direct.bind(c.impl)
	}
	return nil
}

// A DirectCall calls one method without reflection, for [MethodOptions].Direct. [Direct] and its
// siblings make it. The zero value means none. It holds no implementation, so one DirectCall serves
// any number of services.
type DirectCall struct {
	iface   reflect.Type
	in, out reflect.Type // nil if the method has none
	name    string       // of the function, as package runtime gives it
	bind    func(impl any) callFunc
	each    eachFunc // nil if the method returns no stream
}

// Direct returns the [DirectCall] of a method with an input and an output, from the method
// expression of the interface:
//
//	"Create": {Direct: svc.Direct(TodoAPI.Create)},
//
// Such a call costs as much as a plain Go call; doc/speed.md has measurements. [Register] reports
// any other function, including a method expression of the concrete type. There is one function for
// each form of a method:
//
//	func(ctx, *In) (*Out, error)         Direct
//	func(ctx, *In) error                 DirectIn
//	func(ctx) (*Out, error)              DirectOut
//	func(ctx) error                      DirectNone
//	func(ctx, *In) (Stream[Out], error)  DirectStream
//	func(ctx) (Stream[Out], error)       DirectStreamOut
func Direct[I, In, Out any](method func(I, context.Context, *In) (*Out, error)) DirectCall {
	return newDirectCall(method, reflect.TypeFor[In](), reflect.TypeFor[Out](), nil,
		func(impl I, ctx context.Context, in any) (any, error) {
			out, err := method(impl, ctx, in.(*In))
			return orNil(out, out == nil), err
		})
}

// DirectIn is [Direct] for a method without an output.
func DirectIn[I, In any](method func(I, context.Context, *In) error) DirectCall {
	return newDirectCall(method, reflect.TypeFor[In](), nil, nil, func(impl I, ctx context.Context, in any) (any, error) {
		return nil, method(impl, ctx, in.(*In))
	})
}

// DirectOut is [Direct] for a method without an input.
func DirectOut[I, Out any](method func(I, context.Context) (*Out, error)) DirectCall {
	return newDirectCall(method, nil, reflect.TypeFor[Out](), nil, func(impl I, ctx context.Context, _ any) (any, error) {
		out, err := method(impl, ctx)
		return orNil(out, out == nil), err
	})
}

// DirectNone is [Direct] for a method without input and output.
func DirectNone[I any](method func(I, context.Context) error) DirectCall {
	return newDirectCall(method, nil, nil, nil, func(impl I, ctx context.Context, _ any) (any, error) {
		return nil, method(impl, ctx)
	})
}

// newDirectCall returns a DirectCall that calls method through call. A nil function gets the name
// "", which is reported later.
func newDirectCall[I any](method any, in, out reflect.Type, each eachFunc,
	call func(impl I, ctx context.Context, in any) (any, error)) DirectCall {
	name := runtime.FuncForPC(reflect.ValueOf(method).Pointer()).Name()
	return DirectCall{iface: reflect.TypeFor[I](), in: in, out: out, name: name, each: each, bind: func(impl any) callFunc {
		typed := impl.(I)
		return func(ctx context.Context, in any) (any, error) { return call(typed, ctx, in) }
	}}
}

// callsMethod reports whether the function is the interface's method of this name. Methods can have
// the same types, so it looks at the function's name in the runtime:
//
//	pkg.TodoAPI.Create       an interface type
//	pkg.TodoAPI[...].Create  a generic interface
//	pkg.f.TodoAPI·1.Create   an interface that is local to a function
//
// For an interface without a name it begins with "go:interface".
func (c DirectCall) callsMethod(method string) bool {
	owner, ok := strings.CutSuffix(c.name, "."+method)
	owner, _, _ = strings.Cut(owner, "·")
	if name := nameOf(c.iface); name != "" {
		return ok && strings.HasSuffix(owner, "."+name)
	}
	return ok && strings.HasPrefix(owner, "go:interface")
}

// orNil returns an output, or an any that is nil if the output is: an any that holds a nil
// pointer or a nil function is not equal to nil.
func orNil[T any](out T, isNil bool) any {
	if isNil {
		return nil
	}
	return out
}

// reflectCaller returns a callFunc that calls the named method of impl by
// reflection. It calls the function of the concrete type, with the receiver as
// the first argument, because a bound method value copies its arguments once more.
func reflectCaller(t reflect.Type, impl reflect.Value, name string, hasIn, hasOut bool) callFunc {
	m, _ := t.MethodByName(name)
	fn := m.Func
	return func(ctx context.Context, in any) (any, error) {
		// The address of ctx makes a value of the interface type itself, also for
		// a nil context. The array saves the allocation of a slice.
		args := [3]reflect.Value{impl, reflect.ValueOf(&ctx).Elem()}
		n := 2
		if hasIn {
			args[2] = reflect.ValueOf(in)
			n = 3
		}
		results := fn.Call(args[:n])
		var err error
		if last := results[len(results)-1]; !last.IsNil() {
			err = last.Interface().(error)
		}
		if !hasOut || results[0].IsNil() {
			return nil, err
		}
		return results[0].Interface(), err
	}
}
