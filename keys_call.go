package svc

// This file makes calls with an idempotency key. In this order: the key of a call; the call in
// Idempotency.Run; its errors. keys.go has the options and the records.

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"sync/atomic"
)

// A keyedCall is the idempotency state of a call.
type keyedCall struct {
	key      string
	sent     sentInput
	input    string      // the fingerprint, once the method is called
	header   http.Header // Info.Header of a call without its own response; else nil
	replayed bool        // the answer repeats an earlier call
}

// readKey sets the idempotency key of the call from the values of the header at path, or adds a
// violation to the violations of the input:
//
//	values   key of the call
//	-------  --------------------------------
//	abc      abc
//	"abc"    abc, since the draft has a structured string
//	none     none, or a violation if the method requires one
//	several  a violation
//
// A transport without headers quotes its key with strconv.Quote, so that quotes inside the key
// stay.
func (c *call) readKey(d *decoder, path string, values []string) {
	wrong := errNotKey
	switch {
	case len(values) == 0 && c.method.keyUse() == KeyAllowed:
		return
	case len(values) == 0:
		wrong = errRequired
	case len(values) > 1:
		wrong = errRepeated
	case isKeyHeader(values[0]):
		c.keyed = &keyedCall{key: values[0]}
		if values[0][0] == '"' {
			c.keyed.key, _ = strconv.Unquote(values[0]) // isKeyHeader allows only two of its escapes
		}
		if c.response == nil && c.request != nil { // headers that the method adds go only into the record
			c.keyed.header = make(http.Header)
			if c.ws.writer != nil {
				c.keyed.header = c.ws.writer.Header().Clone()
			}
		}
		c.keyed.sent = c.method.key.newInput(c.endpoint != nil && c.endpoint.transport == TransportREST)
		d.sent = &c.keyed.sent
		return
	}
	d.wrongKey = &Violation{In: inHeader, Path: path, Rule: wrong.rule, Message: wrong.message}
}

// infoHeader returns the header that a method with this key changes, or nil.
func (c *call) infoHeader() http.Header {
	if c.response == nil && c.keyed != nil {
		return c.keyed.header
	}
	return c.response
}

// IdempotencyKeyFrom returns the idempotency key of the call that ctx belongs to, without quotes.
// Use it to pass the key on to services that the method calls. It reports false if the call has no
// key.
func IdempotencyKeyFrom(ctx context.Context) (string, bool) {
	if c, ok := ctx.Value(callKey{}).(*call); ok && c.keyed != nil {
		return c.keyed.key, true
	}
	return "", false
}

// markReplayed adds the header Idempotent-Replayed to a response that repeats an earlier call with
// the same key. Carriers call it only if the answer is sent, not if an interceptor replaced it by
// an error.
func (c *call) markReplayed(response http.Header) {
	if c.keyed != nil && c.keyed.replayed {
		response.Set("Idempotent-Replayed", "true")
	}
}

// A keyedResult is the outcome of do in Idempotency.Run: an error, or the output and its
// record.
type keyedResult struct {
	error
	out    any
	record []byte
	before http.Header // Info.Header before the method
}

// Unwrap lets errors.As find the error of do in the error that Run returns around it.
func (r *keyedResult) Unwrap() error { return r.error }

// callKeyed is callMethod for a call with a key. Idempotency.Run calls the method, unless it has a
// record. Even the first output is read back from its record: so all answers are equal, and an
// unreadable record is never committed.
func (c *call) callKeyed(ctx context.Context, in any) (any, error) {
	plan := c.method.key
	if c.keyed.input == "" { // an interceptor may call the method twice
		c.keyed.input = c.keyed.sent.fingerprint(c.keyed.key)
		c.keyed.sent = sentInput{}
	}
	var state atomic.Pointer[keyedResult] // of do; nil until it is called
	// Run may return while do still runs, or call it later. Both sides change state in one
	// step, so that only one of them counts.
	record, err := plan.Run(ctx, storeID(ctx, c.keyed.key), func(ctx context.Context) ([]byte, error) {
		if !state.CompareAndSwap(nil, runLost) {
			state.Store(runTwice)
			return nil, runTwice.error
		}
		r := &keyedResult{before: c.infoHeader().Clone()}
		r.run(ctx, c, in)
		state.CompareAndSwap(runLost, r)
		if r.error != nil {
			return nil, r
		}
		return r.record, nil
	})
	r := state.Swap(runTwice)
	switch {
	case r == runTwice:
		return nil, r.error
	case err != nil:
		return nil, runError(ctx, err, r)
	case r == nil && len(record) == 0, r != nil && r.error != nil: // Run returned neither an error nor a record
		return nil, runLost.error
	case r != nil && (len(record) == 0 || bytes.Equal(record, r.record)):
		return r.out, nil
	}
	out, header, err := plan.readRecord(record, c.keyed.input)
	if r != nil { // the method was rolled back, because a different call was faster
		restoreHeader(c.infoHeader(), r.before)
	}
	header.apply(c.infoHeader())
	c.keyed.replayed = err == nil
	return out, err
}

// run calls the method and makes the record. An output that REST cannot send is an error for every
// transport: if it were committed, all calls with the key would fail over REST.
func (r *keyedResult) run(ctx context.Context, c *call, in any) {
	if r.out, r.error = c.callNow(ctx, in); r.error == nil {
		r.out, r.error = c.checkOutput(r.out)
	}
	if r.error == nil {
		r.record, r.out, r.error = c.method.key.writeRecord(c.keyed.input, r.out, compareHeaders(r.before, c.infoHeader()))
	}
	if r.error == nil && c.method.headers != nil {
		if _, err := c.method.headers.encodeHeader(reflect.ValueOf(r.out).Elem()); err != nil {
			r.error = &Error{Code: CodeInternal, cause: err}
		}
	}
}

// restoreHeader sets a header back to before.
func restoreHeader(h, before http.Header) {
	clear(h)
	maps.Copy(h, before)
}

// The results for a do that has not returned, and for one that was called twice or too late.
var (
	runLost = &keyedResult{error: &Error{Code: CodeInternal, sentParts: sentParts{reason: reasonOutcomeUnknown, ours: true},
		cause: errors.New("Idempotency.Run returned no error, although do failed or has not returned, or without a record")}}
	runTwice = &keyedResult{error: &Error{Code: CodeInternal, sentParts: sentParts{reason: reasonOutcomeUnknown, ours: true},
		cause: errors.New("Idempotency.Run called do twice, or after it had returned; return ABORTED, and the client tries again")}}
)

// runError returns the error for err of Idempotency.Run: the error of the method, an *Error, the
// end of ctx, or else UNAVAILABLE. r is the result of do, or nil if Run did not call it. If Run
// called it and err is not its error, the call may be committed, and the error gets the reason for
// this.
func runError(ctx context.Context, err error, r *keyedResult) error {
	var own *Error
	errors.As(err, &own)
	early := r == nil
	switch done, ok := err.(*keyedResult); {
	case ok:
		return done.error
	case errors.As(err, &done):
		return err
	case own != nil && early && own.Code == CodeAborted:
		return replaceIn(err, own, own.keyRunning())
	case own != nil && !early && own.Code == CodeUnavailable && own.reason == "" && !errors.Is(r.error, own):
		return replaceIn(err, own, own.withOwnReason(reasonOutcomeUnknown))
	case own != nil:
		return err
	case ctx.Err() != nil && early:
		return ErrorFrom(ctx.Err()).WithCause(err)
	case ctx.Err() != nil:
		return ErrorFrom(ctx.Err()).WithCause(err).withOwnReason(reasonOutcomeUnknown)
	case early:
		return Errorf(CodeUnavailable, "the call could not begin, and nothing has happened; try again: %w",
			err).WithHeader("Retry-After", "1")
	}
	e := Errorf(CodeUnavailable, "it is not known whether the call has happened; repeat it with the same idempotency key: %w", err)
	return e.withOwnReason(reasonOutcomeUnknown).WithHeader("Retry-After", "1")
}

// keyRunning returns e, with which Idempotency.Run reports that a call with the key is still
// running. It adds the reason and a retry time if e lacks them.
func (e *Error) keyRunning() *Error {
	if e.reason == "" {
		e = e.withOwnReason(reasonKeyRunning)
	}
	if e.header.Get("Retry-After") == "" {
		e = e.WithHeader("Retry-After", "1")
	}
	return e
}
