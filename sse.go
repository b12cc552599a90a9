package svc

// This file writes server-sent events by the rules of the WHATWG HTML standard,
// section 9.2: what an event looks like, and a response that carries events for
// as long as its client reads them. It knows nothing of methods.

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// An Event is what a server-sent event has beside its data. An item of a stream
// that wants one has a method
//
//	SSE() svc.Event
//
// which is called once for each item sent. The zero value is an event with
// nothing but data. An ID or Name that is not one line of UTF-8 without NUL, a
// negative Retry, and the names done and error, which end a stream, are faults
// of the method: the stream ends with INTERNAL.
type Event struct {
	ID    string        // what Last-Event-ID is to be when the client comes back; "" leaves it as it was
	Name  string        // which listeners of a client get it; "" means those for "message"
	Retry time.Duration // how long clients wait before they come back, in whole milliseconds; 0 leaves it as it was
}

// checkFields returns what makes e impossible to send: a line end would begin another
// field, and a client drops an id with a NUL.
func (e *Event) checkFields() error {
	switch {
	case !isFieldValue(e.ID):
		return errors.New("the ID of an event is not one line of UTF-8 without NUL")
	case !isFieldValue(e.Name):
		return errors.New("the name of an event is not one line of UTF-8 without NUL")
	case e.Retry < 0:
		return fmt.Errorf("the Retry of an event is %v, which is negative", e.Retry)
	}
	return nil
}

func isFieldValue(s string) bool {
	return !strings.ContainsAny(s, "\r\n\x00") && utf8.ValidString(s)
}

// appendEvent appends an event, which checkFields has found to be right, and the
// empty line that makes clients act on it.
func appendEvent(dst []byte, e *Event, data []byte) []byte {
	if e.ID != "" {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if e.Name != "" {
		dst = append(append(append(dst, "event: "...), e.Name...), '\n')
	}
	if ms := e.Retry.Milliseconds(); ms > 0 {
		dst = append(strconv.AppendInt(append(dst, "retry: "...), ms, 10), '\n')
	}
	return append(appendData(dst, data), '\n')
}

// appendData appends a data field for each line of data. CR, LF and CRLF end a
// line, and the client puts LF between the lines. There is at least one field,
// since an event without data is dropped.
func appendData(dst, data []byte) []byte {
	dst = append(dst, "data: "...)
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return append(append(dst, data...), '\n')
	}
	for i, c := range data {
		switch {
		case c == '\n' && i > 0 && data[i-1] == '\r': // the CR has ended the line
		case c == '\n' || c == '\r':
			dst = append(dst, "\ndata: "...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '\n')
}

const contentTypeEvents = "text/event-stream"

// comment is an event without fields, which clients pass over.
const comment = ":\n\n"

// eventTimes are the times of one event stream.
type eventTimes struct {
	// heartbeat is how long a stream is silent at most. Proxies drop
	// connections that are silent for longer than 30 or 60 seconds.
	heartbeat time.Duration
	// write is how long the client has for taking what is sent. It is longer
	// than heartbeat, since a deadline of HTTP/2 ends a stream also when
	// nothing is being written.
	write time.Duration
}

var defaultEventTimes = eventTimes{heartbeat: 15 * time.Second, write: 30 * time.Second}

// An eventStream is a response that carries server-sent events. Any goroutine
// may send on it. Its only goroutine is that of a timer, for the time that a
// comment takes to write, and close waits for it.
//
// Every write gets a deadline of its own, so that Server.WriteTimeout does not
// cut a healthy stream and a client that no longer reads is dropped. The
// deadline is not taken back at the end: it limits what net/http has to write
// after the handler, and net/http takes it back then.
type eventStream struct {
	w       http.ResponseWriter
	c       *http.ResponseController
	times   eventTimes
	onError func(error) // told of the first error, once

	mu    sync.Mutex // protects the fields below
	err   error      // why nothing can be sent any more
	buf   []byte
	last  time.Time // of the last write
	timer *time.Timer
	beats sync.WaitGroup // the armed timer and its running callback
}

var errEventsEnded = errors.New("the event stream has ended")

// startEvents begins a response with status 200 and a first comment, so that
// the client knows at once that its request is heard. It reports an error, and
// has sent nothing, if w cannot flush: events would then wait for each other.
// onError is called with the first error of a write, from any goroutine; it must
// not use the stream.
func startEvents(w http.ResponseWriter, times eventTimes, fail func(error)) (*eventStream, error) {
	if !canFlush(w) {
		return nil, fmt.Errorf("a %T cannot flush, so it cannot carry events; give it a method Flush or Unwrap", w)
	}
	setEventHeader(w.Header())
	w.WriteHeader(http.StatusOK)
	s := &eventStream{w: w, c: http.NewResponseController(w), times: times, onError: fail}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeLocked([]byte(comment)) // an error meets the first event
	s.beats.Add(1)
	s.timer = time.AfterFunc(times.heartbeat, s.beat)
	return s, nil
}

// canFlush reports whether http.ResponseController can flush w.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// setEventHeader sets the header of a response with events. Caches may have
// been told more by the application; X-Accel-Buffering keeps nginx from holding
// events back.
func setEventHeader(h http.Header) {
	h.Set("Content-Type", contentTypeEvents)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
}

// sendEvent sends one event, which checkFields has found to be right. After an error it
// sends nothing any more.
func (s *eventStream) sendEvent(e *Event, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(s.buf) > 64<<10 {
		s.buf = nil // of one unusual event, in a stream that may live for days
	}
	s.buf = appendEvent(s.buf[:0], e, data)
	return s.writeLocked(s.buf)
}

// writeLocked writes b and flushes it on its way.
func (s *eventStream) writeLocked(b []byte) error {
	if s.err != nil {
		return s.err
	}
	s.last = time.Now()
	s.c.SetWriteDeadline(s.last.Add(s.times.write)) // a writer without a connection has nothing to limit
	_, err := s.w.Write(b)
	if err == nil {
		err = s.c.Flush()
	}
	if err != nil {
		s.failLocked(err)
	}
	return err
}

func (s *eventStream) failLocked(err error) {
	s.err = err
	s.onError(err)
}

// beat sends a comment if nothing was sent for a while. It runs on the timer's
// goroutine, where nobody else would catch the panic of a middleware's writer.
func (s *eventStream) beat() {
	defer s.beats.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			s.failLocked(fmt.Errorf("writing a comment: panic: %v", v))
		}
	}()
	if s.err != nil {
		return
	}
	wait := s.times.heartbeat - time.Since(s.last)
	if wait <= 0 {
		if s.writeLocked([]byte(comment)) != nil {
			return
		}
		wait = s.times.heartbeat
	}
	s.beats.Add(1)
	s.timer.Reset(wait)
}

// close ends the stream. When it returns, no goroutine of the stream is left
// and nothing more is written, whoever tries. Defer it: the handler may panic.
func (s *eventStream) close() {
	s.mu.Lock()
	if s.err == nil {
		s.err = errEventsEnded
	}
	if s.timer.Stop() {
		s.beats.Done()
	}
	s.mu.Unlock()
	s.beats.Wait()
}
