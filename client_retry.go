package svc

// This file sends calls of a client again. In this order:
//
//   - which calls, and after which failures
//   - the attempts of a call
//   - how long a client waits, and how often
//   - what a caller knows after a failure
//   - a Body that is still unread

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// isRepeatable reports whether the call of r may run twice: several requests have the effect of one
// (RFC 9110, section 9.2.2), or the server recognizes a repetition by its key. A write with a
// precondition may not: if its answer was lost, the precondition fails because of the write.
func (c *clientCall) isRepeatable(r *http.Request) bool {
	if c.key != nil { // if so, every request has a key
		return true
	}
	h := r.Header
	isConditional := h["If-Match"] != nil || h["If-None-Match"] != nil || h["If-Unmodified-Since"] != nil
	return c.isIdempotent() && (c.isRead() || !isConditional)
}

// isTransient reports whether a call is sent again after e:
//
//	an attempt ended with                         repeatable  other
//	--------------------------------------------  ----------  -------
//	no connection: not_sent                       yes         yes
//	UNAVAILABLE of Limit: overloaded              yes         yes
//	no answer, or half an answer                  yes         no
//	UNAVAILABLE, and RESOURCE_EXHAUSTED as 429    yes         no
//	ABORTED with Retry-After                      yes         no
//	429, 502, 503 or 504 not from the service     yes         no
//	anything else                                 no          no
func (e *Error) isTransient(repeatable bool) bool {
	switch {
	case e.reason == reasonNotSent, e.reason == reasonOverloaded:
		return true
	case !repeatable:
		return false
	}
	switch e.Code {
	case CodeUnavailable:
		return true
	case CodeResourceExhausted:
		return e.HTTPStatus() == http.StatusTooManyRequests
	case CodeAborted:
		return e.header.Get("Retry-After") != ""
	case CodeDeadlineExceeded: // 504 of a proxy; a service does not send this reason
		return e.origin.received != nil && e.reason == reasonOutcomeUnknown
	}
	return false
}

// defaultAttempts is how often a call is sent at most, without ClientOptions.Attempts.
const defaultAttempts = 3

// roundTrip makes a call, in one or several attempts. It returns the output, if any, or an error.
func (c *clientCall) roundTrip(ctx context.Context, in any) (reflect.Value, *Error) {
	if ctx == nil {
		return reflect.Value{}, Errorf(CodeInvalidArgument, "%s was called with a nil context; give context.Background()", c.title())
	}
	b := c.conn.buffers.Get().(*callBuffer)
	defer c.conn.release(b)
	sent := c.newTrace(ctx)
	r, err := c.newRequest(sent.ctx, b, in)
	if err != nil {
		return reflect.Value{}, c.unsentError(err)
	}
	repeatable, mayHaveRun := c.isRepeatable(r), false
	defer func() { endUpload(r) }()
	for n := 0; ; n++ {
		out, e := c.send(ctx, b, r, sent)
		if e == nil {
			c.conn.budget.giveBack(n > 0)
			return out, nil
		}
		pause, again := c.conn.pauseAfter(ctx, e, n, repeatable)
		if !again || !canSendAgain(r) || !c.conn.budget.take() {
			return out, e.afterAttempts(mayHaveRun)
		}
		mayHaveRun = mayHaveRun || MayHaveRun(e)
		if c.conn.wait(ctx, pause) != nil {
			return out, c.conn.interruptedError(ctx, e, mayHaveRun)
		}
		sent = c.newTrace(ctx)
		if r, err = c.cloneRequest(sent.ctx, r, in); err != nil {
			sent.stop()
			return out, c.unsentError(err).afterAttempts(mayHaveRun)
		}
	}
}

// cloneRequest returns a request for the next attempt: the same, with the same key.
func (c *clientCall) cloneRequest(ctx context.Context, r *http.Request, in any) (*http.Request, error) {
	next := r.Clone(ctx)
	if next.GetBody != nil {
		next.Body, _ = next.GetBody() // no error: it is in memory
	}
	if b, ok := next.Body.(*clientBody); ok {
		again := newClientBody(c.bodyOf(in))
		again.head, again.tail = b.head, b.tail
		return next, c.sendBody(next, again)
	}
	return next, nil
}

// The limits of waiting and the budget of a client are the same as in the AWS SDKs since November
// 2026.
const (
	maxPause       = 20 * time.Second // between two attempts; a longer wait is for the caller to decide
	firstPause     = 50 * time.Millisecond
	firstThrottled = time.Second // after 429

	budgetTokens   = 500 // limits a client to 35 repetitions while nothing succeeds
	tokensToRepeat = 14  // given back if the repetition succeeds
	tokensOfFirst  = 1   // returned for a successful first attempt
)

// pauseAfter returns how long to wait before sending a call again that ended with e, after n
// repetitions. It reports false to give up.
func (c *connection) pauseAfter(ctx context.Context, e *Error, n int, repeatable bool) (time.Duration, bool) {
	if n+1 >= c.attempts || ctx.Err() != nil || !e.isTransient(repeatable) {
		return 0, false
	}
	pause := e.retryAfter()
	switch {
	case pause > maxPause:
		return 0, false
	case pause >= 0: // clients that were refused together must not come back together
		pause = min(pause+randomBelow(pause/10), maxPause)
	case e.HTTPStatus() == http.StatusTooManyRequests:
		pause = randomBelow(doubled(firstThrottled, n, maxPause))
	default:
		pause = randomBelow(doubled(firstPause, n, maxPause))
	}
	deadline, limited := ctx.Deadline()
	return pause, !limited || time.Until(deadline) > pause
}

// retryAfter returns the value of Retry-After (RFC 9110, section 10.2.3), in seconds or as a date,
// or -1 without one.
func (e *Error) retryAfter() time.Duration {
	text := e.header.Get("Retry-After")
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	const most = 1e9 // seconds; more does not fit into a Duration
	switch seconds, err := strconv.ParseUint(text, 10, 64); {
	case errors.Is(err, strconv.ErrRange):
		return most * time.Second
	case err == nil:
		return time.Duration(min(seconds, most)) * time.Second
	}
	return -1
}

// doubled returns d, doubled n times, up to most.
func doubled(d time.Duration, n int, most time.Duration) time.Duration {
	for ; n > 0 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}

// randomBelow returns a random duration from 0 to d, which is 0 for 0.
func randomBelow(d time.Duration) time.Duration { return rand.N(d + 1) }

// waitFor waits, or returns the error of ctx.
func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A retryBudget limits the repetitions of all calls of a client together: during an outage every
// call fails, and repetitions would multiply the load. The zero value is full.
type retryBudget struct{ used atomic.Int64 }

// take takes the tokens for one repetition, and reports whether there were enough.
func (b *retryBudget) take() bool {
	for {
		used := b.used.Load()
		if used+tokensToRepeat > budgetTokens {
			return false
		}
		if b.used.CompareAndSwap(used, used+tokensToRepeat) {
			return true
		}
	}
}

// giveBack returns tokens for a successful attempt, which may be a repetition.
func (b *retryBudget) giveBack(repetition bool) {
	n := int64(tokensOfFirst)
	if repetition {
		n = tokensToRepeat
	}
	for used := b.used.Load(); used > 0 && !b.used.CompareAndSwap(used, max(used-n, 0)); {
		used = b.used.Load()
	}
}

// MayHaveRun reports whether a call of a client from [Connect] that ended with err may have had an
// effect. It is false if the call surely had none: nothing was sent, the service refused the call,
// or the method returned an error that it declares. It is true for everything else, including no
// answer, the answer of a proxy, INTERNAL, and a nil err.
//
// If the call was sent several times, one attempt that may have run is enough: a DELETE that fails
// with NOT_FOUND may have deleted the record in an attempt whose answer was lost. doc/failures.md
// has a table.
func MayHaveRun(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e == nil || e.origin.unsure {
		return true
	}
	switch e.reason {
	case reasonNotSent, reasonOverloaded:
		return false
	case reasonOutcomeUnknown:
		return true
	}
	switch e.Code {
	case CodeInvalidArgument, CodeUnauthenticated, CodePermissionDenied:
		return false
	}
	return !e.origin.unrun
}

// isRefusal reports whether e, an error that the service sent, means that the call had no effect:
// it comes from svc, before the method, or the method declares it. A 413 can also come from a Body,
// after the method has read a part. UNAVAILABLE and other codes that any call can end with count as
// declared only with their reason.
func (c *clientCall) isRefusal(e *Error) bool {
	switch status := e.HTTPStatus(); {
	case e.Code == CodeNotFound && e.Message == nothingThere, status == http.StatusMethodNotAllowed:
		return true
	case status == http.StatusRequestEntityTooLarge:
		return !c.takesBody()
	}
	switch e.code() {
	case CodeUnknown, CodeInternal, CodeDataLoss, CodeUnavailable, CodeDeadlineExceeded, CodeCanceled:
		if e.reason == "" {
			return false
		}
	}
	return slices.ContainsFunc(c.errors, func(d *Error) bool {
		return d.code() == e.code() && d.reason == e.reason && (e.reason != "" || c.errorForm.statusOf(d) == e.HTTPStatus())
	})
}

// unsentError returns the error for an input that is not sent.
func (c *clientCall) unsentError(err error) *Error {
	e := ErrorFrom(err)
	e = e.WithStatus(c.errorForm.statusOf(e)) // as the server would
	e.origin.unrun = true
	return e
}

// afterAttempts returns e, the error of the last attempt, as the error of the whole call.
// mayHaveRun says that an earlier attempt may have run.
func (e *Error) afterAttempts(mayHaveRun bool) *Error {
	if !mayHaveRun {
		return e
	}
	c := e.clone()
	c.origin.unsure = true
	if c.reason == reasonNotSent || c.reason == reasonOverloaded { // of this attempt alone
		c.reason = reasonOutcomeUnknown
	}
	return c
}

// interruptedError returns the error of a call that was to be sent again after e, and was not.
func (c *connection) interruptedError(ctx context.Context, e *Error, mayHaveRun bool) *Error {
	ended := c.networkError(ctx, e, "")
	if !mayHaveRun {
		ended.origin.unrun, ended.reason = true, ""
		if e.reason == reasonNotSent {
			ended.reason = reasonNotSent
		}
	}
	return ended
}

// A clientBody is the body of a request whose input has a Body. Its content is read once: a call is
// sent again only if none of it was read.
type clientBody struct {
	Body         // within the limits of the tags
	head  []byte // of a form: head is sent before the content, and tail after it
	tail  []byte
	given io.Reader // the content of the input; nil for an empty Body
	state atomic.Int32

	sent  int  // bytes of head and tail that have been read; the transport alone reads
	whole bool // the content has been read
}

// The states of a clientBody.
const (
	bodyUnread = iota // whoever changes this first owns the content
	bodyRead          // by the transport, which closes it
	bodyLeft          // by the call, which sends it again or closes it
	bodyClosed
)

// newClientBody returns the body of an attempt.
func newClientBody(b Body) *clientBody { return &clientBody{Body: b, given: b.content} }

// Close is called by the transport. If the transport has not read the content, the call closes it.
func (b *clientBody) Close() error {
	if b.state.CompareAndSwap(bodyRead, bodyClosed) {
		closeReader(b.given)
	}
	return nil
}

// errBodyLeft is the read error for a transport that still holds the body of an earlier attempt.
var errBodyLeft = errors.New("the request was given up")

// take reports whether the transport may read the content.
func (b *clientBody) take() bool {
	return b.state.CompareAndSwap(bodyUnread, bodyRead) || b.state.Load() == bodyRead
}

// canSendAgain reports whether the body of r can be sent again. If so, r is not sent any more.
func canSendAgain(r *http.Request) bool {
	b, ok := r.Body.(*clientBody)
	return !ok || b.given == nil || b.state.CompareAndSwap(bodyUnread, bodyLeft)
}

// endUpload says that r was the last attempt of its call.
func endUpload(r *http.Request) {
	b, ok := r.Body.(*clientBody)
	if ok && (b.state.CompareAndSwap(bodyUnread, bodyClosed) || b.state.CompareAndSwap(bodyLeft, bodyClosed)) {
		closeReader(b.given)
	}
}
