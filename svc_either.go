package svc

// This file implements ValueOrStream, for methods that return one output or several, as the call
// asks.

import (
	"fmt"
	"reflect"
	"slices"
)

// A ValueOrStream is the output of a method that answers with one value or with a [Stream],
// depending on its input, for example a member stream:
//
//	Complete(ctx context.Context, in *CompleteIn) (*svc.ValueOrStream[Completion, Token], error)
//
// The method sets one of the fields; both or none is INTERNAL. T can be any output except a [File].
// Over REST the answer is JSON or events, depending on the field that is set and not on the
// request's Accept. Status and headers come from T; a stream has the status 200. Other transports
// answer with the value, or with the items in one answer, as for a Stream. The method cannot have
// an idempotency key.
type ValueOrStream[T, Item any] struct {
	Value  *T
	Stream Stream[Item]
}

// An either is a *ValueOrStream; see eitherOf.
type either interface {
	// parts returns Value and Stream, or nil for a field that is not set.
	parts() (value, stream any)
	// types returns T and Item.
	types() (value, item reflect.Type)
	// each returns the eachFunc of the Stream.
	each() eachFunc
}

func (e *ValueOrStream[T, Item]) parts() (value, stream any) {
	return orNil(e.Value, e.Value == nil), orNil(e.Stream, e.Stream == nil)
}

func (*ValueOrStream[T, Item]) types() (value, item reflect.Type) {
	return reflect.TypeFor[T](), reflect.TypeFor[Item]()
}

func (*ValueOrStream[T, Item]) each() eachFunc { return eachStreamItem[Item] }

// eitherOf returns a nil pointer to the ValueOrStream that t is or points to, or nil. A struct that
// embeds a ValueOrStream inherits its methods, but is not one.
func eitherOf(t reflect.Type) either {
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	if !t.Implements(reflect.TypeFor[either]()) || embeds(t.Elem()) {
		return nil
	}
	return reflect.Zero(t).Interface().(either)
}

// embeds reports whether the struct t embeds a type.
func embeds(t reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
}

// readEither sets the types of sig, whose output is a ValueOrStream.
func (c *methodCompiler) readEither(sig *signature) {
	value, item := sig.either.types()
	isPointer := sig.outType.Kind() == reflect.Pointer
	c.addIf(!isPointer, "the output is a %v; make it a pointer, *%v", sig.outType, sig.outType)
	sig.out = c.outputBehind(reflect.PointerTo(value))
	if item.Kind() == reflect.Struct {
		sig.item = item
	} else {
		c.addf("the items of the Stream have the type %v; make them a struct", item)
	}
}

// split returns the single value of out, the output of m, or its stream. Both are nil without an
// output.
func (m *method) split(out any) (value, stream any) {
	switch e, ok := out.(either); {
	case m.stream == "":
		return out, nil
	case m.either && ok:
		return e.parts()
	case m.either:
		return nil, nil
	}
	return nil, out
}

// isRecord reports whether out, the output of m, is sent as one record, so that it is complete.
func (m *method) isRecord(out any) bool {
	_, stream := m.split(out)
	return stream == nil && !m.sendsFile()
}

// oneOf returns the value of out, or nil for a stream. It fails if a ValueOrStream has neither, or
// both; it then releases the stream.
func (m *method) oneOf(out any) (value any, err error) {
	value, stream := m.split(out)
	switch {
	case value == nil && stream == nil:
		err = fmt.Errorf("%s returned a ValueOrStream without a Value and a Stream; set one", m.goName)
	case value != nil && stream != nil:
		err = fmt.Errorf("%s returned a ValueOrStream with a Value and a Stream; set one", m.goName)
		if panicked := m.discardStream(func(error) {}, stream); panicked != nil {
			err = panicked
		}
	default:
		return value, nil
	}
	return nil, &Error{Code: CodeInternal, cause: err}
}
