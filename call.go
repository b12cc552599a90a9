package svc

// This file runs calls, from the caller to the outcome, in the same way for every transport. In
// this order:
//
//   - call and carrier: the steps of a call, and what its transport does in them
//   - the steps: caller, input, method, output
//   - the end of a call: Options.Observe and the log
//   - Call and NewInput, for calls from within the program
//   - Info, the data of a call for its method
//   - batchBudget: the limits on the answers and the log lines of a batch
//   - the frame of a request: workspaces, endpoints, deadlines
//
// A transport turns text into calls and outcomes into text. Everything that does not depend on the
// transport is here.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A call is one call of a method. It is the context of the method too, from which
// [InfoFrom] reads.
//
// Every call takes these steps, in this order. An error ends it:
//
//	Step    Function              Errors
//	------  --------------------  ------------------------------------------------
//	caller  method.checkCaller    UNAUTHENTICATED, PERMISSION_DENIED; the input is
//	                              not read
//	text    carrier.readText      the errors of reading a body
//	slot    call.takeSlot         UNAVAILABLE if the service is busy
//	input   carrier.bindInput     INVALID_ARGUMENT
//	method  call.invoke           the errors of the method; Options.Intercept runs around
//	                              call.callMethod, which runs endpoint.invoke or
//	                              the method, with an idempotency key in
//	                              Idempotency.Run
//	body    call.endBody          errors of reading a Body, unless the method returned one
//	output  carrier.encodeOutput  INTERNAL for an output that cannot be written
//	end     call.end              tells Options.Observe and the log
//
// run takes the steps up to the output. The transport calls end itself, since it may
// still replace the outcome: an answer can be too large for its batch.
type call struct {
	context.Context                        // of the request
	endpoint        *endpoint              // the receiver of the request; nil for Service.Call
	method          *method                // nil if the request does not name one
	request         *http.Request          // nil without a request
	response        http.Header            // nil in a batch and over MCP, without its own response
	ws              *workspace             // nil for Service.Call
	start           time.Duration          // since started; 0 without Options.Observe, and once the call is observed
	keyed           *keyedCall             // of a call with an idempotency key; nil otherwise
	ended           atomic.Bool            // the method has returned, or its stream has ended
	streamFrom      atomic.Pointer[string] // of StreamFrom; nil without it
	refused         bool                   // checkCaller failed
}

// A carrier is a call and the parts of it that depend on the transport. It embeds a call, and is
// the context of the method.
type carrier interface {
	context.Context
	// readText reads what the client sends for the call. The client can take long, so no part of
	// the text is decoded yet: the call has no slot before readText has returned.
	readText() error
	// bindInput returns the input of the method in that text, a pointer, or nil if the method takes
	// none.
	bindInput() (any, error)
	// encodeOutput encodes the output of the method, a pointer, or nil if the method returns none.
	encodeOutput(out any) error
	// httpStatus returns the status of the response, which ended with err, for
	// Options.Observe. It is asked for once, and only if one response answers c alone.
	httpStatus(err error) int
	// rpcName returns Observation.RPC.
	rpcName() string
	// bodyReader returns the Body that the method reads, or nil if it is not open. It is called
	// only if the input has a Body.
	bodyReader() *bodyReader
}

// httpStatus returns 0, for a carrier without a response.
func (c *call) httpStatus(error) int { return 0 }

// rpcName returns "", for carriers whose calls have no name besides the method's.
func (c *call) rpcName() string { return "" }

// bodyReader returns nil, for a carrier whose transport carries no Body.
func (c *call) bodyReader() *bodyReader { return nil }

// A streamCarrier is a carrier that runs the streams of methods. For other carriers, the stream is
// the output. If transportRow.streams is set, the carrier must be a streamCarrier.
type streamCarrier interface {
	carrier
	// runStream runs a stream to its end. ctx is the context of the method, and
	// cancel cancels it.
	runStream(ctx context.Context, cancel context.CancelCauseFunc, stream any) error
}

// run takes the steps of a call up to its output and returns the error of the step
// that failed. A panic of the application becomes an error. A panic with
// http.ErrAbortHandler goes on, so that net/http closes the connection.
func (c *call) run(t carrier) error { return c.runFunc(t, nil) }

// runFunc is run with fn, unless it is nil, in place of the text, the input, the method and the
// output.
func (c *call) runFunc(t carrier, fn func() error) (err error) {
	c.startClock()
	done := false
	defer func() {
		c.ended.Store(true)
		c.endBody(t, nil)
		c.leaveLoad()
		if done {
			return
		}
		v := recover()
		if c.ws != nil {
			c.ws.dec.forgetKey() // or the next input of ws would get it
		}
		if v == nil || v == http.ErrAbortHandler { // nil: the method called runtime.Goexit
			c.observe(t, http.ErrAbortHandler)
		}
		if v != nil {
			err = panicError(v)
		}
	}()
	if err = c.method.checkCaller(t); err != nil {
		c.refused = true
	} else if fn == nil {
		err = c.runSteps(t)
	} else if err = c.takeSlot(); err == nil {
		err = probeError(fn())
	}
	done = true
	return err
}

// runSteps does the work of run. t is the carrier that embeds c. It is also the method's
// context.
func (c *call) runSteps(t carrier) error {
	if err := t.readText(); err != nil {
		return err
	}
	if err := c.takeSlot(); err != nil {
		return err
	}
	in, err := t.bindInput()
	if err != nil {
		return err
	}
	if c.method.stream != "" {
		if t, ok := t.(streamCarrier); ok {
			return c.callStream(t, in)
		}
	}
	out, err := c.invoke(t, in)
	if err != nil {
		return err
	}
	if err = c.endBody(t, out); err != nil {
		return c.discardOutput(func(error) {}, out, err)
	}
	if c.method.sendsFile() && c.ws != nil {
		c.ws.giveSlot()
		return c.sendFile(t, out)
	}
	return t.encodeOutput(out)
}

// sendFile sends an output with a File, and closes the File. The answer is complete by then,
// whatever Close does. It is not part of runSteps, where a defer would cost every call.
func (c *call) sendFile(t carrier, out any) error {
	defer func() {
		if err := closeReader(c.method.out.file.fileIn(out).Content); err != nil {
			c.log(t, err)
		}
	}()
	return t.encodeOutput(out)
}

// callStream calls a method that returns a stream, and runs the stream. The context of
// the method ends with the stream. It encodes the value of a ValueOrStream.
func (c *call) callStream(t streamCarrier, in any) error {
	ctx, cancel := context.WithCancelCause(t)
	defer cancel(nil)
	out, err := c.invoke(ctx, in)
	if err != nil {
		return err
	}
	if err = c.endBody(t, out); err != nil {
		return c.discardOutput(cancel, out, err)
	}
	value, stream := c.method.split(out)
	if value != nil {
		return t.encodeOutput(value)
	}
	if c.ws != nil {
		c.ws.giveSlot()
	}
	return t.runStream(ctx, cancel, stream)
}

// takeSlot takes the slot of the request for this call, unless its goroutine has it already, and
// counts a stream or a file; see load.go. Its error satisfies isBusy. It does nothing for a
// Service.Call and for calls over standard input and output, which have other limits.
func (c *call) takeSlot() (err error) {
	ws := c.ws
	if ws == nil || c.request == nil {
		return nil
	}
	if ws.slot != nil && !ws.inSlot {
		if err = ws.slot.enter(); err != nil {
			return err
		}
		ws.inSlot = true
	}
	if c.method.stream != "" || c.method.sendsFile() {
		ws.stream, err = c.endpoint.service.load.streams.take(askerOf(c.Context))
	}
	return err // leaveLoad gives the slot back
}

// leaveLoad gives back all that takeSlot took, at the end of the call. The worker of a batch keeps
// the slot for its next call.
func (c *call) leaveLoad() {
	ws := c.ws
	if ws == nil {
		return
	}
	if ws.budget == nil {
		ws.giveSlot()
	}
	if ws.stream != nil {
		ws.stream.giveBack()
		ws.stream = nil
	}
}

// giveSlot gives back the slot, if the goroutine has it.
func (ws *workspace) giveSlot() {
	if ws.inSlot {
		ws.inSlot = false
		ws.slot.leave()
	}
}

// endBody ends the Body that the method reads, if there is one. It is called before any part of the
// response is sent, and on all other ways out of run, because a later Read could read the next
// request of the connection. If the method returned no error, the call fails with the error of
// endBody, which is the error of a Read.
func (c *call) endBody(t carrier, out any) error {
	if !c.method.takesBody() {
		return nil
	}
	err := t.bodyReader().end(c.Context)
	if err == errBodyRead && c.method.isRecord(out) {
		return nil // the output is complete
	}
	return err
}

// discardOutput releases an output in whose place the answer is err: it closes a File, and runs
// a stream, whose ctx it ends by cancel, without taking items. It returns err, with the panic of
// either.
func (c *call) discardOutput(cancel context.CancelCauseFunc, out any, err error) error {
	var panicked error
	switch {
	case c.method.sendsFile():
		panicked = closeReader(c.method.out.file.fileIn(out).Content)
	default:
		if _, stream := c.method.split(out); stream != nil {
			panicked = c.method.discardStream(cancel, stream)
		}
	}
	if panicked != nil {
		return errors.Join(err, panicked)
	}
	return err
}

// bindsEarly reports whether an input may be decoded while the message around it is read. That
// is so if the caller may call m, if decoding runs no code of the application, which must not
// see a text before it is known to be JSON, and if no idempotency key is to be checked with the
// input.
func (m *method) bindsEarly(ctx context.Context) bool {
	return m.in != nil && !m.bind.runsCode && m.key == nil && m.checkCaller(ctx) == nil
}

// bindObject returns the input in text, a JSON object with all fields by their JSON names. An
// empty text stands for {}. read and readErr are the results of the paramsReader, or nil without
// one. A paramsReader does not call Validate methods, since they must not run before the whole
// message is known to be JSON, so bindObject calls finishInput.
func (c *call) bindObject(text []byte, read any, readErr error) (any, error) {
	m := c.method
	switch {
	case readErr != nil:
		return nil, readErr
	case read == nil:
		return m.bind.bindObject(&c.ws.dec, text)
	case m.in != nil && (m.in.validates || m.bind.rest.tail != nil):
		c.ws.dec.start(nil)
		return read, m.bind.finishInput(&c.ws.dec, reflect.ValueOf(read).Elem(), false)
	}
	return read, nil
}

// invoke calls the method with a valid input, through Options.Intercept if the service
// has one, and checks the output. A method must return an output or an error.
func (c *call) invoke(ctx context.Context, in any) (out any, err error) {
	m := c.method
	if m.intercepted != nil {
		out, err = m.intercepted(ctx, m.resource, m.name, in)
	} else {
		out, err = c.callMethod(ctx, in)
	}
	if err != nil {
		return nil, m.bind.completeError(probeError(err))
	}
	return c.checkOutput(out)
}

// callMethod calls the method, or endpoint.invoke instead: in Idempotency.Run if the call has an
// idempotency key.
func (c *call) callMethod(ctx context.Context, in any) (any, error) {
	if c.keyed != nil {
		return c.callKeyed(ctx, in)
	}
	return c.callNow(ctx, in)
}

// callNow is callMethod without a key.
func (c *call) callNow(ctx context.Context, in any) (any, error) {
	m := c.method
	if e := c.endpoint; e != nil && e.invoke != nil {
		return e.invoke(ctx, m.resource, m.name, in)
	}
	return m.call(ctx, in)
}

// callIntercepted is callMethod for an interceptor, which can pass on any names and any
// input. Its mistakes are errors of the program, so clients get INTERNAL.
func (c *call) callIntercepted(ctx context.Context, resource, name string, in any) (any, error) {
	if m := c.method; m.resource != resource || m.name != name {
		return nil, &Error{Code: CodeInternal,
			cause: fmt.Errorf("Options.Intercept passed on the names %q and %q, or the context of another call", resource, name)}
	}
	if err := c.method.checkType(in); err != nil {
		return nil, &Error{Code: CodeInternal, cause: fmt.Errorf("Options.Intercept passed on another input: %w", err)}
	}
	return c.callMethod(ctx, in)
}

// checkOutput returns out if it is a valid output of the method. An interceptor or a replacement
// can return anything, so the error, which goes to the log, names the option. A nil pointer in an
// interface counts as no output.
func (c *call) checkOutput(out any) (_ any, err error) {
	m := c.method
	if m.out == nil {
		return nil, nil
	}
	isOutput := reflect.TypeOf(out) == m.outType
	if isOutput && !reflect.ValueOf(out).IsNil() {
		record := out
		if m.either {
			if record, err = m.oneOf(out); err != nil {
				return nil, err
			}
		}
		if m.chosen != nil && record != nil {
			if _, err := m.chosen.statusOf(record); err != nil {
				return nil, &Error{Code: CodeInternal, cause: err}
			}
		}
		return out, nil
	}
	by := ""
	switch {
	case m.intercepted != nil:
		by = ", called through Options.Intercept,"
	case c.endpoint != nil && c.endpoint.invoke != nil:
		by = ", called through Invoke,"
	}
	if out == nil || isOutput {
		return nil, fmt.Errorf("%s%s returned neither an output nor an error", m.goName, by)
	}
	return nil, fmt.Errorf("%s%s was answered with a %T instead of %v", m.goName, by, out, m.outType)
}

// collect appends the items of a stream to ws.enc.buf, as the one record that the
// transport sends: {"items":[…]}. seen is called with the number of items so far; it
// may be nil. The item that exceeds maxCollected or maxAnswers ends the stream with
// RESOURCE_EXHAUSTED. A stream that fails counts against the budget of its batch.
func (c *call) collect(cancel context.CancelCauseFunc, stream any, seen func(n int)) error {
	m, enc := c.method, &c.ws.enc
	n, before := 0, len(enc.buf)
	enc.buf = append(enc.buf, `{"items":[`...)
	start := len(enc.buf)
	err := m.eachItem(cancel, stream, func(item any) (err error) {
		if n == maxCollected {
			return Errorf(CodeResourceExhausted, "the stream has more than %d items, which is as many as fit into one answer", maxCollected)
		}
		if n > 0 {
			enc.buf = append(enc.buf, ',')
		}
		n++
		enc.buf, err = appendRecord(enc, enc.buf, item, m.encodeItem)
		switch {
		case err != nil:
			return err
		case len(enc.buf)-start > maxAnswers:
			return errItemsTooLarge
		case seen != nil:
			seen(n)
		}
		return nil
	})
	enc.buf = append(enc.buf, "]}"...)
	if err != nil {
		c.ws.budget.keepAnswer(len(enc.buf) - before)
	}
	return err
}

// end tells Options.Observe and the log how the call ended: with err, or with success
// if err is nil. Call it before the response to err is written.
func (c *call) end(t carrier, err error) {
	c.observe(t, err)
	if err != nil {
		c.ws.leaveBody(c.request)
		c.log(t, err)
	}
}

// log logs an error of the call, or counts it if the batch has logged enough.
func (c *call) log(ctx context.Context, err error) {
	if c.ws.budget.mayLog(err) {
		c.endpoint.logError(ctx, c.request, err, c.method)
	}
}

// startClock notes when the call began, if it is observed. A time.Time would make each
// call larger.
func (c *call) startClock() {
	if c.method.observe != nil {
		c.start = max(1, time.Since(started))
	}
}

// observe calls Options.Observe, once for each call. Observe may keep the error.
func (c *call) observe(t carrier, err error) {
	if c.start == 0 {
		return
	}
	o := Observation{Transport: c.transport(), Resource: c.method.resource, Method: c.method.name, Err: err,
		Duration: time.Since(started) - c.start}
	o.Replayed = c.keyed != nil && c.keyed.replayed
	c.start = 0
	if c.endpoint != nil {
		o.Route, o.RPC = c.endpoint.route, t.rpcName()
		if c.request != nil && !c.inBatch() && err != http.ErrAbortHandler {
			o.Status = t.httpStatus(err)
		}
	}
	if e, ok := err.(*Error); ok && e != nil && e.found != nil { // a decoder overwrites them for its next input
		kept := *e
		kept.Message, kept.Details, kept.found = e.message(), map[string]any{"violations": e.Violations()}, nil
		o.Err = &kept
	}
	defer func() {
		if v := recover(); v != nil {
			err := fmt.Errorf("Options.Observe: %w", &PanicError{Value: v, Stack: debug.Stack()})
			logError(t, c.method.logger, err, logPlace{transport: string(o.Transport), resource: o.Resource, method: o.Method})
		}
	}()
	c.method.observe(t, o)
}

// inBatch reports whether one response answers other calls too.
func (c *call) inBatch() bool { return c.ws.budget != nil }

// observeSkipped observes a call that is not run because of err.
func (c *call) observeSkipped(t carrier, err error) {
	if c.method != nil {
		c.startClock()
		c.observe(t, err)
	}
}

// transport returns the transport of the call. A Service.Call within a call has the transport of
// the outer call.
func (c *call) transport() Transport {
	if c.endpoint != nil {
		return c.endpoint.transport
	}
	if outer, ok := c.Context.Value(callKey{}).(*call); ok {
		return outer.transport()
	}
	return TransportCall
}

// Call calls a method by name, as a transport would: it checks the rules and the Validate methods
// of the input, runs Options.Intercept, and turns a panic into an error. method is Method.Name, one
// of its aliases or the Go name. input is a pointer to the method's input, or nil if it takes none.
// The output is a pointer or nil. Run a [Stream] that Call returns, and close the Content of a
// [File] if it is an [io.Closer].
//
// An unknown method fails with UNIMPLEMENTED. An invalid input fails with INVALID_ARGUMENT,
// including an input of the wrong type or nested more than 1,000 levels deep. The media types and
// limits of a [Body] apply as in a request. Without the [Principal] that the method needs in ctx,
// the call fails with UNAUTHENTICATED or PERMISSION_DENIED. If a goroutine of the method still reads
// a Body when the method returns, Call waits for that Read until ctx ends.
//
// A method with idempotency keys runs at each Call, so it may call another such method in its own
// transaction. With [WithIdempotencyKey] in ctx, the call of such a method fails with
// INVALID_ARGUMENT, and nothing runs; call it by a client of [Connect] with ClientOptions.Handler.
//
// An optional field counts as absent if it is zero. Call does not apply defaults;
// [Service.NewInput] does. Call sets empty discriminators of unions, and Validate methods may
// change the input. Otherwise Call only reads the input, so goroutines may share it.
func (s *Service) Call(ctx context.Context, resource, method string, input any) (any, error) {
	m, err := s.lookupMethod(resource, method)
	if err != nil {
		return nil, err
	}
	c := &localCall{call: call{Context: ctx, method: m}, service: &s.service, input: input}
	if outer, ok := ctx.Value(callKey{}).(*call); ok {
		c.request, c.response = outer.request, outer.response
	}
	err = c.run(c)
	c.observe(c, err)
	err = forCaller(err)
	if err != nil && m.isUndeclared(err) { // other errors are for the caller alone
		logError(ctx, m.logger, err, logPlace{transport: string(c.transport()), resource: m.resource, method: m.name, undeclared: true})
	}
	return c.output, err
}

// forCaller returns err, the error of a call, for the program that made the call with Service.Call.
// If a method returns that error, its svc reasons are not sent, like the reasons of a different
// service: they describe the call that has ended. The reasons of a question stay, because it asked
// the user of the outer call.
func forCaller(err error) error {
	err = hideReason(err)
	e := ErrorFrom(err)
	if e == nil || !e.ours || e.Is(errUnanswered) {
		return err
	}
	shown := e.clone()
	shown.ours = false
	return replaceIn(err, e, shown)
}

// errLocalKey is the error of a call that may have been sent before: without the key, it would take
// effect at each attempt.
var errLocalKey = Errorf(CodeInvalidArgument, "Service.Call takes no idempotency key, and nothing has run; "+
	"call through Connect with ClientOptions.Handler, or without WithIdempotencyKey")

// A localCall is the carrier of [Service.Call]. Its input and output are Go values,
// and its caller gets the error, so nothing is logged.
type localCall struct {
	call
	service *service
	input   any
	output  any
	body    *bodyReader // for the method; nil without a Body
}

func (c *localCall) readText() error {
	if c.method.key != nil && c.Context.Value(nextKey{}) != nil {
		return errLocalKey
	}
	return c.method.checkType(c.input)
}

func (c *localCall) bindInput() (any, error) {
	if c.method.in == nil {
		return nil, nil
	}
	ws := c.service.borrowWorkspace(false)
	err := c.method.bind.checkValue(&ws.dec, reflect.ValueOf(c.input).Elem())
	c.service.returnWorkspace(ws)
	if err != nil || !c.method.takesBody() {
		return c.input, err
	}
	// A Body is limited in a copy of the input, which is the caller's.
	f := c.method.in.file
	in, body := f.copyAround(reflect.ValueOf(c.input).Elem())
	b := body.Addr().Interface().(*Body)
	err = f.tags.limitBody(b, c.method.limits, c.method.filePart())
	c.body = b.content.(*bodyReader)
	return in.Addr().Interface(), err
}

func (c *localCall) encodeOutput(out any) error {
	c.output = out
	return nil
}

func (c *localCall) bodyReader() *bodyReader { return c.body }

// NewInput returns a new input of a method for [Service.Call], with all defaults. It returns
// nil for a method without an input, and an UNIMPLEMENTED error for an unknown method.
func (s *Service) NewInput(resource, method string) (any, error) {
	m, err := s.lookupMethod(resource, method)
	if err != nil || m.in == nil {
		return nil, err
	}
	in := reflect.New(m.in.typ)
	m.bind.object.setDefaults(new(decoder), in.Elem())
	return in.Interface(), nil
}

// lookupMethod returns the method of a name that clients use, or of a Go name.
func (s *service) lookupMethod(resource, name string) (*method, error) {
	if m := s.names[methodName{resource, name}]; m != nil {
		return m, nil
	}
	for _, m := range s.methods {
		if m.resource == resource && m.goName == name {
			return m, nil
		}
	}
	return nil, s.unknownMethod(resource, name)
}

// Info tells a method how it was called.
type Info struct {
	Transport Transport     // of the call
	Resource  string        // of the method
	Method    string        // Method.Name
	Request   *http.Request // nil for a Service.Call outside a request

	// Header is the header of the response, or nil without a response. A method can add to it; Set
	// replaces values that middleware has set, such as Vary. Headers added in a batch or over MCP
	// are not sent, because one response answers several calls or has already begun.
	Header http.Header

	// Trace is the trace context of the caller, from the headers of the request. Over MCP it comes
	// from params._meta if that has a traceparent.
	Trace Trace
}

// InfoFrom returns the [Info] of the call that ctx belongs to. It reports false if ctx
// does not belong to a call.
func InfoFrom(ctx context.Context) (Info, bool) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return Info{}, false
	}
	info := Info{Transport: c.transport(), Request: c.request, Header: c.infoHeader()}
	if info.Header == nil && c.request != nil { // in a batch, and over MCP
		info.Header = make(http.Header)
	}
	if c.method != nil {
		info.Resource, info.Method = c.method.resource, c.method.name
	}
	if t, ok := c.Context.Value(receivedTrace{}).(Trace); ok {
		info.Trace = t
	} else if c.request != nil {
		info.Trace = traceOf(func(i int) string {
			values := c.request.Header.Values(traceNames[i])
			if i == 0 && len(values) > 1 { // the trace is unknown then
				return ""
			}
			return strings.Join(values, ",")
		})
	}
	return info, true
}

// StreamFrom sends an event ID over REST before the first item of the [Stream] that the method
// returns. A client that reconnects with this ID asks for everything after the start of the stream.
// If your stream does not begin with the oldest item, call StreamFrom before the method returns:
//
//	after := in.After // from the header Last-Event-ID
//	if after == "" {
//		after = newestID()
//	}
//	svc.StreamFrom(ctx, after)
//
// Without it, a client whose connection is cut before the first item cannot say where it was, and
// misses the items until it is back. An empty id is not sent. The method fails with INTERNAL if id
// cannot be the ID of an [Event]. Other transports, and methods without a Stream, ignore it.
func StreamFrom(ctx context.Context, id string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.streamFrom.Store(&id)
	}
}

// Value returns c for the key of calls.
func (c *call) Value(key any) any {
	switch key {
	case callKey{}:
		return c
	case nextKey{}: // it was for this call
		return nil
	}
	return c.Context.Value(key)
}

// batchLines is how many errors of one batch are logged one by one.
const batchLines = 8

// A batchBudget limits the responses and the log lines of one batch. A small request can ask for
// the largest response of a service, or cause an error, once for each call of the batch. JSON-RPC
// and MCP use it for each message:
//
//	checkNext; if it fails, respond with its error and do not call the method
//	handle the message and pass the length of the response to keepAnswer; if it fails,
//	respond with its error instead
//
// and logRest at the end. A batch takes the memory of maxAnswers, plus one response for each of its
// workers. The zero value is a whole budget. A nil budget limits nothing; single messages have one.
// Methods may be called by several goroutines.
type batchBudget struct {
	kept   atomic.Int64 // the bytes of the answers that are kept, at most maxAnswers
	spent  atomic.Bool  // an answer did not fit, so no more calls begin
	unrun  atomic.Int64 // the calls that did not begin
	errors atomic.Int64 // the errors, logged or not
	severe atomic.Bool  // an unlogged error has a status of 500 or more
}

// The errors of calls that exceed the budget. They tell whether the call was begun, which
// matters if it is a write.
var (
	errAnswerTooLarge = Errorf(CodeResourceExhausted,
		"the call was begun, but its answer does not fit: the answers of a batch have at most 16 MiB together")
	errBudgetSpent = Errorf(CodeResourceExhausted,
		"the call was not begun: the answers of a batch have at most 16 MiB together, and those of other calls have used them up")
)

// checkNext returns nil if the next call of the batch may begin. It returns errBudgetSpent if the
// responses so far use up the budget, and the error of ctx if the client has gone.
func (b *batchBudget) checkNext(ctx context.Context) error {
	if b == nil {
		return nil
	}
	err := ctx.Err()
	if err == nil && b.spent.Load() {
		err = errBudgetSpent
	}
	if err != nil {
		b.unrun.Add(1)
	}
	return err
}

// keepAnswer counts n bytes of an answer, or of the items that a stream yielded before it
// failed. It returns errAnswerTooLarge if they exceed the budget; then no more calls begin.
func (b *batchBudget) keepAnswer(n int) error {
	if b == nil || b.kept.Add(int64(n)) <= maxAnswers {
		return nil
	}
	b.kept.Add(int64(-n))
	b.spent.Store(true)
	return errAnswerTooLarge
}

// mayLog reports whether err is to be logged. If not, logRest counts it.
func (b *batchBudget) mayLog(err error) bool {
	if b == nil || b.errors.Add(1) <= batchLines {
		return true
	}
	if ErrorFrom(err).HTTPStatus() >= http.StatusInternalServerError {
		b.severe.Store(true)
	}
	return false
}

// logRest writes a line with the number of errors that were not logged and of calls that were not
// run, if there are any. Its level is error if one of the errors has that level, and info if only
// the client has gone. It goes to the logger of the endpoint, even after Join.
func (b *batchBudget) logRest(ctx context.Context, e *endpoint, r *http.Request) {
	more, unrun := max(0, b.errors.Load()-batchLines), b.unrun.Load()
	if more == 0 && unrun == 0 {
		return
	}
	level := slog.LevelInfo
	switch {
	case b.severe.Load():
		level = slog.LevelError
	case more > 0 || b.spent.Load():
		level = slog.LevelWarn
	}
	place := logPlace{transport: string(e.transport), request: r}
	attrs := append(place.appendAttrs(nil), slog.Int64("errors", more), slog.Int64("notRun", unrun))
	cmp.Or(e.logger, slog.Default()).LogAttrs(ctx, level, "svc: more in this batch", attrs...)
}

// A workspace is the memory that one goroutine needs to serve one request. All requests of
// a service share a pool of workspaces, so most requests allocate little more than their
// input.
//
// Invariants:
//
//	one goroutine uses a workspace at a time
//	no value passed to a method aliases it, since a method may keep its
//	  input after it has returned
//	a workspace in the pool points to nothing of the request that it served
type workspace struct {
	dec    decoder
	enc    encoder
	body   []byte              // of the request
	form   *formInput          // in the request; nil without a form
	upload *Body               // of the request, for a method that reads it itself; nil otherwise
	writer http.ResponseWriter // of the response; nil without HTTP
	before contentHeader       // of the response, when the request came
	unread bool                // the request has a body that is not read to its end, and upload does not know
	text   rpcText             // in body, for JSON-RPC and MCP
	budget *batchBudget        // of the batch; nil for a call that is alone in its request
	slot   *slot               // of the request; nil without Options.MaxConcurrent
	inSlot bool                // this goroutine uses it
	stream *share              // of Options.MaxStreams, during the call; or nil
}

// borrowWorkspace returns a workspace, whose decoder is started and whose enc.buf is empty, to
// be given back by returnWorkspace. lean is set if only svc reads the error of an input; see
// inputOptions.lean.
func (s *service) borrowWorkspace(lean bool) *workspace {
	ws, _ := s.workspaces.Get().(*workspace)
	if ws == nil {
		ws = new(workspace)
	}
	ws.dec.opts = inputOptions{lean: lean}
	return ws
}

// readBody reads the body of r, if there is one, and the first keep bytes of it into ws.body.
func (ws *workspace) readBody(r *http.Request, l limits, keep int) (err error) {
	if ws.body = ws.body[:0]; !ws.unread {
		return nil
	}
	ws.body, err = l.readBody(r, ws.slot.bodyOf(r), ws.body, keep)
	ws.unread = err != nil
	return err
}

// leaveBody prepares the response to an error for the body of r that it leaves unread, if it
// does. See the function leaveBody.
func (ws *workspace) leaveBody(r *http.Request) {
	if ws.unread {
		leaveBody(ws.writer, r)
	}
}

// forgetBody drops a large body that was decoded, since a method may take long and does not read
// it.
func (ws *workspace) forgetBody() {
	if cap(ws.body) > maxPooled {
		ws.body = nil
		ws.dec.resetWithin(math.MaxInt)
	}
}

// returnWorkspace puts ws back into the pool, unless a large request has made it large. Otherwise
// all workspaces of the pool would grow large over time.
func (s *service) returnWorkspace(ws *workspace) {
	if ws.reset() {
		s.workspaces.Put(ws)
	}
}

// reset drops everything of the request and keeps the memory. It reports false if that is more
// than a pool should keep.
func (ws *workspace) reset() bool {
	if !ws.dec.resetWithin(maxPooled, ws.body, ws.enc.buf) || cap(ws.text.messages) > maxPooled/256 {
		return false
	}
	ws.text.reset()
	clear(ws.before)
	ws.before = ws.before[:0]
	ws.enc.buf = ws.enc.buf[:0] // or the next response would begin with this one
	ws.form, ws.upload, ws.writer, ws.unread, ws.budget, ws.slot, ws.inSlot = nil, nil, nil, false, nil, nil, false
	return true
}

// An endpoint is the common part of the http.Handlers of all transports. Its options apply until
// the method is known. After Join, the method can have different ones.
type endpoint struct {
	*config
	service   *service
	transport Transport
	limits    limits     // on the body of a request
	route     string     // the pattern of the only route, for Observation.Route; or ""
	invoke    InvokeFunc // is called in place of the methods; nil calls the methods
	// readsErrors is set if code of the application, such as an ErrorWriter, gets the errors of
	// inputs, so that they need all their details; see inputOptions.lean.
	readsErrors bool
}

// newEndpoint returns the endpoint of a handler that serves all methods. It has the options of the
// service, or after Join of the first service: the method of a request, and so its own MaxBody and
// BodyTimeout, is known only after the body has been read.
func (s *service) newEndpoint(t Transport) endpoint {
	return endpoint{config: s.methods[0].config, service: s, transport: t, limits: limits{s.opts.MaxBody, s.opts.BodyTimeout}}
}

// A responder is the part of a handler that differs between transports.
//
// To add a transport, add its constant and its row in svc_transport.go, and write a file with:
//
//   - a handler that embeds an endpoint, implements responder, and calls serveRequest in its
//     ServeHTTP. It refuses what pages of other sites can send; see checkSite
//   - a carrier that embeds a call, reads the text of one call, binds its input and encodes its output
//   - a method of *Service that returns the handler
//
// respond makes a carrier for each call in the request, and calls call.run and call.end.
type responder interface {
	// respond writes the response to r. If r makes no call, it writes nothing and returns an error,
	// which serveRequest logs and writes.
	respond(w http.ResponseWriter, r *http.Request, ws *workspace) error
	// writeErrorResponse responds to r with err, in the form of the transport.
	writeErrorResponse(w http.ResponseWriter, r *http.Request, err error)
}

// serveRequest does the part of every request that does not depend on the
// transport. The deadline comes first, since it applies to refused requests too. The
// workspace is not returned by defer: after a panic it may be in any state, and a new
// one is cheap.
func (e *endpoint) serveRequest(w http.ResponseWriter, r *http.Request, h responder) {
	e.limits.setDeadline(w, r)
	w = protectResponse(w, r)
	ws := e.service.borrowWorkspace(!e.readsErrors)
	ws.writer, ws.unread, ws.before = w, hasBody(r), ws.before.appendContent(w.Header())
	if e.service.load.gate != nil {
		ws.slot = e.service.load.newSlot()
		defer ws.slot.close()
	}
	var err error
	if e.service.cookies {
		err = checkCookieSite(r)
	}
	if err == nil {
		err = h.respond(w, r, ws)
	}
	if err != nil {
		ws.before.restore(w.Header())
		ws.leaveBody(r)
		e.logError(r.Context(), r, err, nil)
		h.writeErrorResponse(w, r, err)
	}
	e.service.returnWorkspace(ws)
}

// respondByOption responds with err by Options.OnError, which is for REST and for documents. If err
// can come from an input, readsErrors must be set.
func (e *endpoint) respondByOption(w http.ResponseWriter, r *http.Request, err error) {
	respondError(w, r, err, ErrorOptions{OnError: e.onError, Logger: e.logger})
}

// challenge adds challenges to the response for an UNAUTHENTICATED that the method itself returned,
// such as a login, because a 401 must have a challenge (RFC 9110, section 15.5.2). They come from
// the guards, or else from the schemes of the service.
func (e *endpoint) challenge(ctx context.Context, header http.Header, err error) {
	const name = "Www-Authenticate"
	if sent := errorOrUnknown(err); sent.HTTPStatus() != http.StatusUnauthorized || sent.header[name] != nil || header[name] != nil {
		return
	}
	var schemes []Scheme
	for _, m := range e.service.methods {
		for _, s := range m.schemes {
			if !slices.Contains(schemes, s) {
				schemes = append(schemes, s)
			}
		}
	}
	if c := identityOf(ctx).withChallenges(&Error{}, schemes, "", nil).header[name]; c != nil {
		header[name] = c
	}
}

// logError logs err as the error of a call of m, or of the whole request if m is nil. After Join, m
// can have a different logger than the endpoint.
func (e *endpoint) logError(ctx context.Context, r *http.Request, err error, m *method) {
	place, logger := logPlace{transport: string(e.transport), request: r}, e.logger
	if m != nil {
		place.resource, place.method, logger = m.resource, m.name, m.logger
		place.undeclared = m.isUndeclared(err)
	}
	logError(ctx, logger, err, place)
}
