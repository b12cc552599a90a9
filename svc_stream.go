package svc

// This file implements streams: the results of methods that return several outputs. svc_either.go
// has results that may be streams.

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"runtime/debug"
)

// A Stream is the result of a method that returns its outputs one after the other:
//
//	Watch(ctx context.Context, in *WatchIn) (svc.Stream[Todo], error)
//
// svc calls the iterator exactly once, even if the client has gone, so that it can release its
// resources. ctx is canceled when the client has gone: watch it while you wait. Stop when yield
// returns false. You may call yield from any goroutine, and change an item after yield has
// returned. An error ends the stream, and so does a nil item without an error.
//
// Over REST the items are server-sent events; doc/streams.md describes them. Other transports
// collect at most 1,000 items in {"items":[…]}, so serve an endless stream over REST only, by
// [MethodOptions].Transports. End your streams when the program stops.
type Stream[T any] = iter.Seq2[*T, error]

// StreamSSE sends the outputs of a method as server-sent events (WHATWG HTML, section 9.2). It
// is the default for methods that return a [Stream]. For other methods the output is the only
// event.
const StreamSSE StreamMode = "sse"

// StreamEndNone is the [MethodOptions].StreamEnd of a stream that just ends with the response,
// without a last event. Clients then notice a cut only if the body breaks off.
const StreamEndNone = "-"

// setStreamEnd sets the end of a stream of m. It notes a text that clients could take for an item
// or would not see.
func (c *methodCompiler) setStreamEnd(m *method, end string) {
	m.streamEnd = end
	switch {
	case end == "":
	case m.stream == "":
		c.addf("MethodOptions.StreamEnd is %q, and the method has no stream", end)
	case end == StreamEndNone:
	case !isFieldValue(end):
		c.addf("MethodOptions.StreamEnd is %q; want one line of UTF-8 without NUL", end)
	case isJSON([]byte(end)):
		c.addf("MethodOptions.StreamEnd is %q, which is JSON, as items are; want a text that is not, such as [DONE]", end)
	}
}

// endsWith reports whether an event with this name and this data ends a successful stream of m.
func (m *method) endsWith(name string, data []byte) bool {
	switch m.streamEnd {
	case "":
		return name == eventDone
	case StreamEndNone:
		return false
	}
	return name == "" && string(data) == m.streamEnd
}

// itemsHaveIDs reports whether the items of streams of m say which events they are sent as.
func (m *method) itemsHaveIDs() bool {
	return reflect.PointerTo(m.item.typ).Implements(reflect.TypeFor[interface{ SSE() Event }]())
}

// sendEnd sends the end of a successful stream of m.
func (m *method) sendEnd(events *eventStream) error {
	switch end := m.streamEnd; end {
	case "":
		// Browsers drop events without data (WHATWG HTML, section 9.2.6).
		return events.sendLast(&Event{Name: eventDone}, []byte("{}"))
	case StreamEndNone:
		return nil
	default:
		return events.sendLast(&Event{}, []byte(end))
	}
}

// DirectStream is [Direct] for a method that returns a [Stream].
func DirectStream[I, In, Out any](method func(I, context.Context, *In) (Stream[Out], error)) DirectCall {
	return newDirectCall(method, reflect.TypeFor[In](), reflect.TypeFor[Out](), eachStreamItem[Out],
		func(impl I, ctx context.Context, in any) (any, error) {
			stream, err := method(impl, ctx, in.(*In))
			return orNil(stream, stream == nil), err
		})
}

// DirectStreamOut is [DirectStream] for a method without an input.
func DirectStreamOut[I, Out any](method func(I, context.Context) (Stream[Out], error)) DirectCall {
	return newDirectCall(method, nil, reflect.TypeFor[Out](), eachStreamItem[Out], func(impl I, ctx context.Context, _ any) (any, error) {
		stream, err := method(impl, ctx)
		return orNil(stream, stream == nil), err
	})
}

// A yieldFunc takes one item, a pointer or nil, and reports whether the next
// one is wanted.
type yieldFunc func(item any, err error) bool

// An eachFunc runs the stream that a method returned and calls yield for each
// item.
type eachFunc func(out any, yield yieldFunc)

// eachStreamItem is the eachFunc of a Stream[Out]. It does not range over the stream,
// since the yield of a range statement panics when it is called after the end.
func eachStreamItem[Out any](out any, yield yieldFunc) {
	out.(Stream[Out])(func(item *Out, err error) bool { return yield(orNil(item, item == nil), err) })
}

// reflectEach returns the eachFunc of streams of type t, which makes a yield of
// the right type by reflection.
func reflectEach(t reflect.Type) eachFunc {
	// shared by all streams: reflect only reads them
	results := map[bool][]reflect.Value{true: {reflect.ValueOf(true)}, false: {reflect.ValueOf(false)}}
	return func(out any, yield yieldFunc) {
		fn := reflect.MakeFunc(t.In(0), func(args []reflect.Value) []reflect.Value {
			var item any
			if !args[0].IsNil() {
				item = args[0].Interface()
			}
			err, _ := args[1].Interface().(error)
			return results[yield(item, err)]
		})
		reflect.ValueOf(out).Call([]reflect.Value{fn})
	}
}

// streamItem returns Out if t is func(yield func(*Out, error) bool), like iter.Seq2, and nil
// otherwise. Named types with this underlying type are streams too.
func streamItem(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Func || !t.CanSeq2() || t.In(0).In(1) != typeError || t.In(0).Out(0) != reflect.TypeFor[bool]() {
		return nil
	}
	if p := t.In(0).In(0); p.Kind() == reflect.Pointer && p.Elem().Kind() == reflect.Struct {
		return p.Elem()
	}
	return nil
}

// An iteration is one run over a stream. Its yield is safe to call from any
// goroutine and at any time.
//
// Invariants:
//
//	turn is full while one goroutine yields or ends the iteration. It protects the
//	  fields below. Consuming an item runs code of the application, so nothing else
//	  of svc waits for it
//	consume is never called after over is set
//	err is set only together with over, by the first error
type iteration struct {
	bind    *binding
	consume func(item any) error
	cancel  context.CancelCauseFunc // of the method's ctx
	turn    chan struct{}           // buffered, with a length of 1

	over bool
	err  error // why it is over before its end
}

// yieldItem takes an item or an error of the stream, and reports whether it wants more. It
// recovers panics of consume for eachItem: this can be a goroutine of the application, where
// nothing else would recover them. If the goroutine ends instead, the item is only written
// in part, so the stream must not end well. An error cancels the ctx of the method too, for
// goroutines of the method that do not wait for yield.
func (it *iteration) yieldItem(item any, err error) bool {
	it.turn <- struct{}{}
	if it.over {
		<-it.turn
		return false
	}
	returned := false
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		} else if !returned {
			err = errors.New("the goroutine ended while it wrote an item, by runtime.Goexit")
		}
		if err != nil {
			it.over, it.err = true, err
			it.cancel(err)
		}
		<-it.turn
	}()
	switch {
	case err != nil:
		err = it.bind.completeError(probeError(err))
	case item == nil:
		err = errors.New("the stream yielded neither an item nor an error")
	default:
		err = it.consume(item)
	}
	returned = true
	return err == nil
}

// eachItem calls consume for each item of the stream, one at a time, until the end or the first
// error: of the stream, of consume, or a panic of either. The error cancels the ctx of m. After
// eachItem returns, consume is never called, even if the application still yields.
func (m *method) eachItem(cancel context.CancelCauseFunc, out any, consume func(item any) error) (err error) {
	it := &iteration{bind: m.bind, consume: consume, cancel: cancel, turn: make(chan struct{}, 1)}
	defer func() {
		v := recover()
		it.turn <- struct{}{} // waits for an item that a different goroutine is yielding
		it.over, err = true, it.err
		<-it.turn
		if v != nil {
			err = panicError(v)
		}
		// yieldItem recovered it, maybe on a goroutine of the application, where it would have
		// ended the program. From here it reaches net/http, which closes the connection.
		if p, ok := err.(*PanicError); ok && p.Value == http.ErrAbortHandler {
			panic(p.Value)
		}
	}()
	m.each(out, it.yieldItem)
	return nil
}

// errNobodyListens is why the ctx of a discarded stream is canceled.
var errNobodyListens = errors.New("nobody listens to the stream")

// discardStream runs the stream without taking items, since a method releases its
// resources in the iterator. It returns panics. Other errors of the stream are dropped,
// since its ctx is canceled.
func (m *method) discardStream(cancel context.CancelCauseFunc, out any) error {
	cancel(errNobodyListens)
	err := m.eachItem(cancel, out, func(any) error { return errNobodyListens })
	if panicIn(err) == nil {
		return nil
	}
	return err
}

// maxCollected is how many items of a stream fit into one record. A stream can be
// endless, and an answer cannot.
const maxCollected = 1000

// maxAnswers is the maximum size in bytes of the items of a stream in one record, and of all
// responses of one batch: 16 MiB. The size of the request does not limit either.
const maxAnswers = 16 << 20

// errItemsTooLarge ends a stream whose items do not fit into one record.
var errItemsTooLarge = Errorf(CodeResourceExhausted,
	"the items of the stream have more than 16 MiB, which is as much as fits into one answer")
