package svc

// This file writes and reads server-sent events (WHATWG HTML, section 9.2). It does not know
// methods: rest.go and the MCP files choose the events to write, and client.go interprets the
// events that are read.

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// An Event holds the fields of a server-sent event except its data. Set them with a method of the
// item:
//
//	SSE() svc.Event
//
// svc calls it once for each item sent over REST. The zero value is an event with only data. The
// stream fails with INTERNAL if Name is not one line of UTF-8 without NUL, if Name is "done" or
// "error", if Retry is negative, or if a header cannot carry ID: it must be UTF-8, without control
// characters other than tab, and without blanks at its ends.
type Event struct {
	ID    string        // sent back in Last-Event-ID when the client reconnects; "" keeps the last one
	Name  string        // the type of the event in browsers; "" means "message"
	Retry time.Duration // how long clients wait before they reconnect, in whole milliseconds; less than one keeps the last one
}

// The names of the events that end a stream. A stream without either was cut.
const (
	eventDone  = "done"
	eventError = "error"
)

// checkFields returns an error if an item cannot have e. A line break in a value would start a new
// field, so whoever supplies the value could forge events.
func (e *Event) checkFields() error {
	switch {
	case e.Name == eventDone || e.Name == eventError:
		return fmt.Errorf("an item has the event name %q, which ends a stream", e.Name)
	case !isEventID(e.ID):
		return errors.New("the ID of an event is not UTF-8 that a header can carry: it has a control character, or a blank at one end")
	case !isFieldValue(e.Name):
		return errors.New("the name of an event is not one line of UTF-8 without NUL")
	case e.Retry < 0:
		return fmt.Errorf("the Retry of an event is %v, which is negative", e.Retry)
	}
	return nil
}

// isEventID reports whether s can be an id: a client sends it back in the header Last-Event-ID, in
// UTF-8 (section 9.2.4), which net/http and fetch let pass.
func isEventID(s string) bool {
	isControl := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	return utf8.ValidString(s) && !strings.ContainsFunc(s, isControl) && strings.Trim(s, " \t") == s
}

// isFieldValue reports whether s can be the value of a field.
func isFieldValue(s string) bool { return !strings.ContainsAny(s, "\r\n\x00") && utf8.ValidString(s) }

// appendEvent appends an event whose ID and Name pass isFieldValue. data is JSON of this package,
// which has no line ends, so it is one field. Clients dispatch the event at the empty line that
// ends it.
//
//	Event                         data    appended lines
//	{}                            {"a":1} data: {"a":1}
//	{ID: "7", Name: "added"}      {}      id: 7, event: added, data: {}
//	{Retry: 2 * time.Second}      {}      retry: 2000, data: {}
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
	return append(append(append(dst, "data: "...), data...), "\n\n"...)
}

// comment is a comment line and an empty line. Clients ignore both, but proxies see
// traffic.
const comment = ":\n\n"

type eventTimes struct {
	// heartbeat is the longest silence of a stream. Many proxies drop a connection
	// that is silent for 30 or 60 seconds.
	heartbeat time.Duration
	// write is how long each write may take. It must be longer than heartbeat: in
	// HTTP/2 an expired deadline ends the stream even if nothing is being written,
	// and each heartbeat sets a new deadline.
	write time.Duration
}

// defaultEventTimes are the times of every stream, except in tests.
var defaultEventTimes = eventTimes{heartbeat: 15 * time.Second, write: 30 * time.Second}

// An eventStream is a response that carries server-sent events. Any goroutine may
// send on it. A timer writes comments in its own goroutine; close waits for it.
//
// Events go into a queue, and one goroutine at a time writes the queue, without the mutex: a
// ResponseWriter is often code of the application, which may send events, and ask for the Info of
// its call, while it writes.
//
// Every write has its own deadline. So Server.WriteTimeout does not cut a stream whose client
// reads, and a client that stops reading is dropped. The last deadline stays when the stream ends:
// it limits the remaining writes of net/http, which removes it before the next request.
//
// Invariants:
//
//	err != nil implies that no further write begins
//	beats counts the timer while it is armed, and its callback while it runs
type eventStream struct {
	w       http.ResponseWriter
	times   eventTimes
	onError func(error) // called with the first error, once

	mu      sync.Mutex // protects the fields below; not held during writes
	idle    sync.Cond  // signals that writing has become false
	writing bool       // a goroutine writes the queue
	ending  bool       // the end of the response flushes the data
	err     error      // why no more can be sent
	queue   []byte
	spare   []byte    // memory for the next queue
	last    time.Time // when the last write began
	timer   *time.Timer
	beats   sync.WaitGroup
}

// errEventsEnded is the error of sending on a stream after close.
var errEventsEnded = errors.New("the event stream has ended")

// errWriterPanicked is the error of a stream whose ResponseWriter panicked.
var errWriterPanicked = errors.New("the ResponseWriter panicked")

// newEvents returns a stream that begins with its first flush: with the status 200, the
// header and a comment, so that the client knows at once that its request is being
// served. w must be able to flush, or events would wait until a buffer is full. onError
// is called with the first error, from any goroutine. It must not use the stream.
func newEvents(w http.ResponseWriter, times eventTimes, onError func(error)) *eventStream {
	s := &eventStream{w: w, times: times, onError: onError, queue: []byte(comment)}
	s.idle.L = &s.mu
	return s
}

// openEvents is newEvents for a w that may not be able to flush. That is an error.
func openEvents(w http.ResponseWriter, times eventTimes, onError func(error)) (*eventStream, error) {
	if !canFlush(w) {
		return nil, fmt.Errorf("events need a ResponseWriter that can flush: give %T a method Flush or Unwrap", w)
	}
	return newEvents(w, times, onError), nil
}

// setEventHeader sets the header of a response with events. X-Accel-Buffering makes
// nginx pass events on at once.
func setEventHeader(h http.Header) {
	h.Set("Content-Type", contentTypeEvents)
	setUntransformed(h)
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
}

// setUntransformed sets Cache-Control of a stream. Proxies that compress, such as the development
// servers of webpack and Next, hold events back until the end, unless it has no-transform (RFC 9111,
// section 5.2.2.6). The directives of the method stay.
func setUntransformed(h http.Header) {
	list := strings.Join(h["Cache-Control"], ", ")
	for directive := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.Trim(directive, " \t"), "no-transform") {
			return
		}
	}
	h.Set("Cache-Control", cmp.Or(strings.Trim(list, " \t"), "no-cache")+", no-transform")
}

// sendEvent sends an event in the form of appendEvent, and flushes it. After an error it sends
// nothing more and returns the same error.
func (s *eventStream) sendEvent(e *Event, data []byte) error {
	s.queueEvent(e, data)
	return s.flush(true)
}

// sendLast sends the event that ends the stream, together with the end of the response: a client
// that stops there has read all of it, and can use the connection again.
func (s *eventStream) sendLast(e *Event, data []byte) error {
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	return s.sendEvent(e, data)
}

// queueID adds an id without an event (WHATWG HTML, section 9.2.6), unless it is empty: clients send
// it back when they reconnect before the first event.
func (s *eventStream) queueID(id string) {
	if id != "" {
		s.queue = append(append(append(s.queue, "id: "...), id...), "\n\n"...)
	}
}

// queueEvent adds an event to the queue, which the next flush writes.
func (s *eventStream) queueEvent(e *Event, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.queue = appendEvent(s.queue, e, data)
	}
}

// flush writes the queue. If a different goroutine is writing, flush waits for it, or without wait
// leaves the queue to it: the writer may be the same goroutine, in a Write that sends a message.
func (s *eventStream) flush(wait bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.writing && wait {
		s.idle.Wait()
	}
	if !s.writing {
		s.writeLocked()
	}
	return s.err
}

// writeLocked writes the queue until it is empty. The caller holds mu, which is free
// during each write.
func (s *eventStream) writeLocked() {
	for s.err == nil && len(s.queue) > 0 { // others may queue more during a write
		text := s.queue
		s.queue, s.writing, s.last = s.spare[:0], true, time.Now()
		s.writeUnlocked(text, s.timer == nil, s.ending)
	}
}

// writeUnlocked writes text and flushes it. It frees mu meanwhile, and takes it again
// also if a writer of middleware panics.
func (s *eventStream) writeUnlocked(text []byte, first, last bool) {
	s.mu.Unlock()
	err := errWriterPanicked
	defer func() {
		if err != nil {
			s.onError(err)
		}
		s.mu.Lock()
		if s.writing = false; s.err == nil {
			s.err = err
		}
		if s.spare = text[:0]; cap(text) > maxPooled { // a stream may last for days after one large event
			s.spare = nil
		}
		s.idle.Broadcast()
		if first && s.err == nil {
			s.beats.Add(1)
			s.timer = time.AfterFunc(s.times.heartbeat, s.beat)
		}
	}()
	if first {
		setEventHeader(s.w.Header())
		s.w.WriteHeader(http.StatusOK)
	}
	http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(s.times.write)) // fails only without a connection
	if _, err = s.w.Write(text); err == nil && !last {
		err = http.NewResponseController(s.w).Flush()
	}
}

// beat sends a comment if nothing was sent for the time of a heartbeat, and arms the timer again.
// It runs in the goroutine of the timer, where a panic in a writer of middleware would end the
// program, so it recovers panics.
func (s *eventStream) beat() {
	defer s.beats.Done()
	defer func() { _ = recover() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := s.times.heartbeat - time.Since(s.last)
	if wait <= 0 && !s.writing {
		s.queue = append(s.queue, comment...)
		s.writeLocked()
	}
	if wait <= 0 {
		wait = s.times.heartbeat
	}
	if s.err == nil {
		s.beats.Add(1)
		s.timer.Reset(wait)
	}
}

// close ends the stream. When it returns, the stream has no goroutine, and nothing more is written
// even if a goroutine still sends. Defer it: the handler may panic.
func (s *eventStream) close() {
	s.mu.Lock()
	if s.err == nil {
		s.err = errEventsEnded
	}
	for s.writing {
		s.idle.Wait()
	}
	if s.timer != nil && s.timer.Stop() {
		s.beats.Done()
	}
	s.mu.Unlock()
	s.beats.Wait() // without the mutex, which beat needs
}

// An eventReader reads the events of a response (WHATWG HTML, section 9.2.6). It accepts more than
// appendEvent writes:
//
//	text                            result of readEvent
//	data: a, data: b, empty line    the data a\nb
//	data:a and data: a              the same: one space after the colon is ignored
//	data, or data:                  an event with empty data
//	event: x                        the name of the next event that has data
//	id: 7, empty line               nothing, but the stream goes on after 7
//	retry: 2000                     nothing, but the client waits for 2 s before it comes back
//	other: x                        nothing
//	: text                          nothing; heartbeats are such comments
//	no empty line before the end    io.EOF: the event was cut off
//
// Lines end with LF, CR or CRLF. A byte order mark before the first line is ignored.
type eventReader struct {
	in    *bufio.Reader
	most  int64 // bytes of a line, and of the data of an event
	line  []byte
	data  []byte
	begun bool // the first line was read

	lastID []byte        // of the last whole event that had one
	nextID []byte        // of the event that is being read
	placed bool          // the last whole event had an id
	hasID  bool          // the event that is being read has an id
	retry  time.Duration // the last one; or 0
}

// newEventReader returns a reader of the events in r. most is the largest event in bytes;
// a negative one means no limit.
func newEventReader(r io.Reader, most int64) *eventReader {
	return &eventReader{in: bufio.NewReader(&lineEnds{Reader: r}), most: most}
}

// errLineTooLong is the error for a line, or an event, with more bytes than the reader
// accepts.
var errLineTooLong = errors.New("an event is too large")

// lineEnds reads LF in place of a CR and of CRLF. It does not wait for the byte after a
// CR, which may come an hour later: an LF that comes then is dropped.
type lineEnds struct {
	io.Reader
	afterCR bool
}

// Read implements io.Reader. It may return no bytes and no error, if the only new byte is the LF of
// a CRLF; bufio.Reader then reads again.
func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		if c != '\n' || !l.afterCR {
			kept = append(kept, c)
		}
		if l.afterCR = c == '\r'; l.afterCR {
			kept[len(kept)-1] = '\n'
		}
	}
	return len(kept), err
}

// readEvent returns the name of the next event and its data, which is valid until the
// next call. The error is io.EOF at the end, errLineTooLong, or an error of the reader.
func (r *eventReader) readEvent() (name string, data []byte, err error) {
	r.data = r.data[:0]
	for {
		if r.line, err = readLine(r.in, r.line[:0], r.most); err != nil {
			return "", nil, err // a line without an end is dropped
		}
		line := r.line
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			r.endEvent()
			if n := len(r.data); n > 0 {
				return name, r.data[:n-1], nil // without its last LF
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			r.data = append(append(r.data, value...), '\n')
		case "event":
			name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				r.nextID, r.hasID = append(r.nextID[:0], value...), true
			}
		case "retry":
			r.readRetry(value)
		}
		if r.most >= 0 && int64(len(r.data)) > r.most {
			return "", nil, errLineTooLong
		}
	}
}

// endEvent takes the id of an event that is whole.
func (r *eventReader) endEvent() {
	if r.placed = r.hasID && len(r.nextID) > 0; r.hasID {
		r.lastID, r.nextID, r.hasID = r.nextID, r.lastID, false
	}
}

// readRetry reads the value of a field retry, in milliseconds. Like browsers, it ignores a value
// that contains anything but digits.
func (r *eventReader) readRetry(value []byte) {
	const most = 24 * time.Hour
	ms, err := strconv.ParseUint(string(value), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		r.retry = most
	case err == nil:
		r.retry = time.Duration(min(ms, uint64(most/time.Millisecond))) * time.Millisecond
	}
}

// readLine appends the next line to buf, without the LF or CRLF that ends it. limit is in bytes; a
// negative limit means none. At the end it returns the text after the last line end together with
// io.EOF. If a line is over the limit, it returns errLineTooLong and the bytes read, except for the
// last one; at least that byte stays unread.
func readLine(r *bufio.Reader, buf []byte, limit int64) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		line := bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))
		switch {
		case limit >= 0 && int64(len(line)) > limit:
			r.UnreadByte() // cannot fail after ReadSlice
			return buf[:len(buf)-1], errLineTooLong
		case err != bufio.ErrBufferFull:
			return line, err
		}
	}
}
