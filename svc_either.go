package svc

// This file has ValueOrStream: results of methods that are one output or several, as the call asks.

import (
	"fmt"
	"reflect"
	"slices"
)

// A ValueOrStream is the output of a method that answers with one value or with a [Stream], as
// its input asks, for example by a member stream:
//
//	Complete(ctx context.Context, in *CompleteIn) (*svc.ValueOrStream[Completion, Token], error)
//
// The method sets one of the fields; both or none is INTERNAL. T is what any output can be,
// except a [File]. Over REST the answer is JSON or events by what is set, whatever the request
// accepts. Status and headers are those of T; a stream has the status 200. Other transports
// answer with the value, or with the items as those of a Stream. The method has no idempotency key.
type ValueOrStream[T, Item any] struct {
	Value  *T
	Stream Stream[Item]
}

// An either is a *ValueOrStream; see eitherOf.
type either interface {
	// parts returns Value and Stream, or nil for what is not set.
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
// embeds a ValueOrStream has its methods, and is not one.
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

// split returns the one value of out, which m has returned, or the stream. Both are nil without an
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

// isRecord reports whether out, which m has returned, is complete, since it is sent as one record.
func (m *method) isRecord(out any) bool {
	_, stream := m.split(out)
	return stream == nil && !m.sendsFile()
}

// oneOf returns the value of out, or nil for a stream. It returns an error for a ValueOrStream that
// has both, whose stream it releases, or none.
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
