package svc

// This file reads the streams that a client calls. In this order: opening one; its items, which
// go on over several connections; and the connections.

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
)

// openStream returns the Stream that reads a response, or the one item if the method returns
// no Stream; see readSingle. The loop over the Stream closes the response.
func (c *clientCall) openStream(ctx context.Context, r *http.Request, sent *sendTrace, response *http.Response) (reflect.Value, *Error) {
	source, e := c.newEventSource(sent, response)
	if e != nil {
		return reflect.Value{}, e
	}
	s := &clientStream{call: c, ctx: ctx, request: r, source: source}
	switch {
	case c.either:
		stream, _ := c.outType.Elem().FieldByName("Stream")
		return c.newEither(stream.Index[0], reflect.MakeFunc(stream.Type, s.rangeOver)), nil
	case c.outType.Kind() == reflect.Func:
		return reflect.MakeFunc(c.outType, s.rangeOver), nil
	}
	return s.readSingle()
}

// newEither returns a *ValueOrStream with this field set.
func (c *clientCall) newEither(field int, value reflect.Value) reflect.Value {
	out := reflect.New(c.outType.Elem())
	out.Elem().Field(field).Set(value)
	return out
}

// A clientStream is the stream of a call that is being read.
//
// Invariants:
//
//	taken is set by the first loop, the only one that reads events and closes source. Unless the
//	  stream has ended, this closes the connection, which ends the method on the server
//	ctx is the context of the call; if it has ended, the error says so
type clientStream struct {
	call    *clientCall
	ctx     context.Context
	request *http.Request // of the last connection
	source  *eventSource
	dec     decoder
	taken   atomic.Bool

	id       string        // of the last event that had one
	unplaced bool          // the last item had no id, so the stream could not go on behind it
	retry    time.Duration // as the stream said; 0 if it did not
	vain     int           // connections since the last item
}

// rangeOver is the function of a Stream, for reflect.MakeFunc: it calls yield for
// each item, and for the error that ends the stream.
func (s *clientStream) rangeOver(args []reflect.Value) []reflect.Value {
	yield := func(item reflect.Value, e *Error) bool {
		if e != nil {
			item = reflect.Zero(reflect.PointerTo(s.call.item.typ))
		}
		return args[0].Call([]reflect.Value{item, errorValue(e)})[0].Bool() && e == nil
	}
	if s.taken.Swap(true) {
		yield(reflect.Value{}, Errorf(CodeFailedPrecondition, "the stream of %s was read already; call the method again", s.call.title()))
		return nil
	}
	defer func() { s.source.close() }()
	for {
		item, e := s.next()
		if done := e == nil && !item.IsValid(); done || !yield(item, e) {
			return nil
		}
	}
}

// readSingle returns the item of a stream that has exactly one. Its method returns an output, and
// sends it as an event because of MethodOptions.Stream.
func (s *clientStream) readSingle() (reflect.Value, *Error) {
	defer s.source.close()
	out, e := s.read()
	if e == nil && out.IsValid() {
		var more reflect.Value
		if more, e = s.read(); e == nil && !more.IsValid() {
			return out, nil
		}
	}
	return out, cmp.Or(e, Errorf(CodeInternal, "expected exactly one item in the response"))
}

// next returns the next item, even over a new connection; an invalid value at the end of the
// stream; or the error that ended it.
func (s *clientStream) next() (reflect.Value, *Error) {
	for {
		item, e := s.read()
		if e == nil || !s.goesOn(e) {
			return item, e
		}
		if e = s.reconnect(e); e != nil {
			return item, e
		}
	}
}

// read is next for this connection. By then the method has begun, so its error never says that it
// has not run.
func (s *clientStream) read() (item reflect.Value, e *Error) {
	name, data, err := s.source.events.readEvent()
	s.notePlace()
	switch {
	case err == errLineTooLong:
		return item, s.call.conn.largeError()
	case err == io.EOF && s.call.streamEnd == StreamEndNone:
		return item, nil
	case err == io.EOF: // the event done or error is missing
		return item, s.call.conn.networkError(s.ctx, io.ErrUnexpectedEOF, wasCut)
	case err != nil:
		return item, s.call.conn.networkError(s.ctx, err, wasCut)
	case s.call.endsWith(name, data):
		return item, nil // the rest of the response is ignored; it may have no end
	case name == eventError:
		if isJSON(data) {
			e = s.call.readBody(&s.dec, s.call.errorForm, http.StatusInternalServerError, data)
		}
		return item, cmp.Or(e, Errorf(CodeInternal, "the stream ended with an error that is not from the service")).afterAttempts(true)
	}
	s.unplaced, s.vain = !s.source.events.placed, 0
	return decodeOutput(&s.dec, data, s.call.item.typ, s.call.decodeItem)
}

// notePlace keeps where the stream goes on. The id of an event counts once the event is whole.
func (s *clientStream) notePlace() {
	events := s.source.events
	if string(events.lastID) != s.id {
		s.id = string(events.lastID)
	}
	if events.retry > 0 {
		s.retry = events.retry
	}
}

// maxStreamPause is the longest wait before a stream connects again, unless the stream asks for
// a longer one.
const maxStreamPause = 30 * time.Second

// goesOn reports whether a stream that ended with e continues over a new connection. It does if the
// connection was cut or the server is stopping:
//
//	the last item  the field of Last-Event-ID  goes on
//	-------------  --------------------------  ------------------------
//	had an id      yes                         after it
//	had none       yes                         no: items would come twice
//	none has come  yes                         from the id of StreamFrom, or else as at first
//	any            no                          no
func (s *clientStream) goesOn(e *Error) bool {
	c := s.call
	return c.resumes && c.conn.attempts > 1 && e.Code == CodeUnavailable && s.ctx.Err() == nil &&
		!s.unplaced && (s.id != "" || c.hasIDs) && isEventID(s.id) && c.isRepeatable(s.request)
}

// reconnect makes a connection after e, which ended the last one, until ctx ends or the server
// refuses. Streams do not use the budget of the client: each makes one request at a time, and
// waits longer from one to the next.
func (s *clientStream) reconnect(e *Error) *Error {
	conn := s.call.conn
	for {
		s.source.close()
		if conn.wait(s.ctx, s.pauseAfter(e)) != nil {
			return conn.networkError(s.ctx, e, "")
		}
		s.vain++
		if e = s.connect(); e == nil {
			return nil
		}
		if status := e.HTTPStatus(); !e.isTransient(true) || status/100 == 4 && status != http.StatusTooManyRequests {
			return e.afterAttempts(true)
		}
	}
}

// pauseAfter returns how long to wait before the next connection.
func (s *clientStream) pauseAfter(e *Error) time.Duration {
	least := max(s.retry, min(e.retryAfter(), maxStreamPause), 0)
	first := firstPause
	if e.HTTPStatus() == http.StatusTooManyRequests {
		first = firstThrottled
	}
	return max(least+randomBelow(least/10), randomBelow(doubled(first, s.vain, maxStreamPause)))
}

// connect makes one connection, on which the stream goes on.
func (s *clientStream) connect() *Error {
	c := s.call
	sent := c.newTrace(s.ctx)
	s.request, _ = c.cloneRequest(sent.ctx, s.request, nil) // never fails: it has no Body
	if s.id != "" {
		s.request.Header[lastEventID] = []string{s.id}
	}
	response, e := c.exchange(s.ctx, s.request, sent)
	if e == nil && response.StatusCode/100 != 2 {
		b := c.conn.buffers.Get().(*callBuffer)
		_, e = c.readResponse(s.ctx, b, response)
		response.Body.Close()
		c.conn.release(b)
	}
	if e == nil {
		var source *eventSource
		if source, e = c.newEventSource(sent, response); e == nil {
			source.events.lastID = []byte(s.id)
			s.source = source
			return nil
		}
	}
	sent.stop()
	return e
}

// streamSilence is how long a client waits for the next byte of a stream: three comments of the
// server, which sends one every 15 seconds.
const streamSilence = 45 * time.Second

// errSilent is the cause of a stream that was cut because no data arrived.
var errSilent = errors.New("nothing came for 45 seconds, although the server sends a comment every 15 seconds")

// An eventSource is one response with events.
type eventSource struct {
	body   io.ReadCloser
	sent   *sendTrace
	events *eventReader
	timer  *time.Timer // ends the request; it runs during each Read
	limit  time.Duration
}

// isEvents reports whether the response is a stream of events.
func isEvents(response *http.Response) bool {
	mediaType, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), contentTypeEvents)
}

// newEventSource returns the source of the events in a response. Close it.
func (c *clientCall) newEventSource(sent *sendTrace, response *http.Response) (*eventSource, *Error) {
	if response.StatusCode != http.StatusOK || !isEvents(response) {
		response.Body.Close()
		return nil, Errorf(CodeInternal, "the Content-Type of the response is not text/event-stream")
	}
	s := &eventSource{body: response.Body, sent: sent, limit: c.conn.silence}
	s.events = newEventReader(s, c.conn.max)
	return s, nil
}

// Read implements io.Reader, for events. The time that the program spends on an item does not count
// as silence.
func (s *eventSource) Read(p []byte) (n int, err error) {
	if s.timer == nil {
		s.timer = time.AfterFunc(s.limit, func() { s.sent.cancel(errSilent) })
	} else {
		s.timer.Reset(s.limit)
	}
	n, err = s.body.Read(p)
	s.timer.Stop()
	if err != nil && context.Cause(s.sent.ctx) == errSilent {
		err = errSilent
	}
	return n, err
}

// close ends the response, and its connection unless the response has been read to its end.
func (s *eventSource) close() {
	s.body.Close()
	s.sent.stop()
}
