package svc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"
)

// An sseMessage is what a client dispatches for one event.
type sseMessage struct {
	id    string // the last event ID, also of an earlier event
	name  string
	data  string
	retry string // the last one that was digits
}

// An sseReader reads an event stream as section 9.2.6 of the HTML standard has
// it, one character at a time, so that it shares no idea with the writer.
type sseReader struct {
	r        *bufio.Reader
	comments int

	lastID, retry string
	name, data    string
	sawCR         bool
}

func newSSEReader(r io.Reader) *sseReader {
	br := bufio.NewReader(r)
	if bom, err := br.Peek(3); err == nil && string(bom) == "\ufeff" {
		br.Discard(3)
	}
	return &sseReader{r: br}
}

// line returns the next line without its end. A line that nothing ends is none.
func (r *sseReader) line() (string, error) {
	var line []byte
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			return "", err
		}
		afterCR := r.sawCR
		r.sawCR = c == '\r'
		switch {
		case c == '\n' && afterCR:
		case c == '\n' || c == '\r':
			return string(line), nil
		default:
			line = append(line, c)
		}
	}
}

// next returns the next event that a client would dispatch.
func (r *sseReader) next() (sseMessage, error) {
	for {
		line, err := r.line()
		if err != nil {
			return sseMessage{}, err
		}
		if line != "" {
			r.field(line)
			continue
		}
		m := sseMessage{r.lastID, r.name, strings.TrimSuffix(r.data, "\n"), r.retry}
		drop := r.data == ""
		r.name, r.data = "", ""
		if !drop {
			return m, nil
		}
	}
}

func (r *sseReader) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "":
		r.comments++
	case "event":
		r.name = value
	case "data":
		r.data += value + "\n"
	case "id":
		if !strings.Contains(value, "\x00") {
			r.lastID = value
		}
	case "retry":
		if value != "" && strings.Trim(value, "0123456789") == "" {
			r.retry = value
		}
	}
}

// readSSE returns every event of a finished stream.
func readSSE(r io.Reader) ([]sseMessage, error) {
	reader := newSSEReader(r)
	var list []sseMessage
	for {
		m, err := reader.next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, m)
	}
}

// The examples of the standard, and the places where parsers differ.
func TestSSEReader(t *testing.T) {
	for _, test := range []struct {
		stream string
		want   []sseMessage
	}{
		{"data: YHOO\ndata: +2\ndata: 10\n\n", []sseMessage{{data: "YHOO\n+2\n10"}}},
		{": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n", []sseMessage{{id: "1", data: "first event"}, {data: "second event"}, {data: " third event"}}},
		{"data\n\ndata\ndata\n\ndata:", []sseMessage{{data: ""}, {data: "\n"}}},
		{"data:test\n\ndata: test\n\n", []sseMessage{{data: "test"}, {data: "test"}}},
		{"\ufeffdata: a\r\n\r\ndata: b\r\rdata: c\n\n", []sseMessage{{data: "a"}, {data: "b"}, {data: "c"}}},
		{"event: x\n\ndata: y\nretry: 10\nretry: 1x\nid: a\x00b\n\n", []sseMessage{{data: "y", retry: "10"}}},
	} {
		t.Run(test.stream, func(t *testing.T) {
			if got, err := readSSE(strings.NewReader(test.stream)); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%q reads as %+v, %v; want %+v", test.stream, got, err, test.want)
			}
		})
	}
}

var sseEvents = []struct {
	event Event
	data  string
	want  string
}{
	{Event{}, `{"a":1}`, "data: {\"a\":1}\n\n"},
	{Event{}, "", "data: \n\n"},
	{Event{}, " leading", "data:  leading\n\n"},
	{Event{}, "\ufeff", "data: \ufeff\n\n"},
	{Event{ID: "17"}, "x", "id: 17\ndata: x\n\n"},
	{Event{ID: ": é"}, "x", "id: : é\ndata: x\n\n"},
	{Event{Name: "tick"}, "x", "event: tick\ndata: x\n\n"},
	{Event{Retry: 1500 * time.Millisecond}, "x", "retry: 1500\ndata: x\n\n"},
	{Event{Retry: time.Microsecond}, "x", "data: x\n\n"},
	{Event{ID: "a", Name: "b", Retry: time.Second}, "c", "id: a\nevent: b\nretry: 1000\ndata: c\n\n"},
}

func TestAppendEvent(t *testing.T) {
	for _, test := range sseEvents {
		if err := test.event.checkFields(); err != nil {
			t.Errorf("%+v: %v", test.event, err)
		}
		if got := string(appendEvent(nil, &test.event, []byte(test.data))); got != test.want {
			t.Errorf("%+v with %q is %q, want %q", test.event, test.data, got, test.want)
		}
	}
}

func TestEventCheck(t *testing.T) {
	const noHeader = "the ID of an event is not UTF-8 that a header can carry: it has a control character, or a blank at one end"
	for _, test := range []struct {
		name  string
		event Event
		want  string
	}{
		{"LF in the ID", Event{ID: "a\nb"}, noHeader},
		{"CR in the ID", Event{ID: "a\rb"}, noHeader},
		{"NUL in the ID", Event{ID: "a\x00b"}, noHeader},
		{"ID is not UTF-8", Event{ID: "\xff"}, noHeader},
		{"DEL in the ID", Event{ID: "a\x7fb"}, noHeader},
		{"a blank behind the ID", Event{ID: "a "}, noHeader},
		{"a tab before the ID", Event{ID: "\ta"}, noHeader},
		{"a tab in the ID", Event{ID: "a\tb c"}, ""},
		{"an ID that is not ASCII", Event{ID: "größe-7"}, ""},
		{"line end in the name", Event{Name: "a\r\ndata: b"}, "the name of an event is not one line of UTF-8 without NUL"},
		{"negative Retry", Event{Retry: -1}, "the Retry of an event is -1ns, which is negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := test.event.checkFields(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%+v: %q; want %q", test.event, got, test.want)
			}
		})
	}
}

// What is written is what a client reads, and the next event is whole too.
func FuzzEvent(f *testing.F) {
	for _, test := range sseEvents {
		f.Add(test.event.ID, test.event.Name, int64(test.event.Retry), test.data)
	}
	f.Add("a\nb", "a\x00", int64(-1), "\xff\r")
	f.Fuzz(func(t *testing.T, id, name string, retry int64, data string) {
		e := Event{ID: id, Name: name, Retry: time.Duration(retry)}
		isControl := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
		unsendable := strings.ContainsFunc(id, isControl) || strings.Trim(id, " \t") != id
		bad := unsendable || strings.ContainsAny(name, "\r\n\x00") || !utf8.ValidString(id) || !utf8.ValidString(name) || retry < 0
		if err := e.checkFields(); (err != nil) != bad {
			t.Fatalf("check of %+v: %v", e, err)
		}
		if bad || strings.ContainsAny(data, "\r\n") { // JSON has no line ends
			return
		}
		stream := []byte(comment)
		stream = appendEvent(stream, &e, []byte(data))
		stream = appendEvent(stream, &Event{}, []byte("next"))
		want := []sseMessage{
			{id: id, name: name, data: data},
			{id: id, data: "next"},
		}
		got, err := readSSE(bytes.NewReader(stream))
		for i := range got {
			got[i].retry = ""
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q reads as %q, %v; want %q", stream, got, err, want)
		}
	})
}

// An sseWriter is a response writer that keeps a log of what is asked of it.
type sseWriter struct {
	header http.Header
	mu     sync.Mutex
	log    []string
	wrote  chan string // gets every write, if it is not nil
	err    error       // of Write
	panics bool        // Write does
}

func (w *sseWriter) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, s)
}

func (w *sseWriter) Header() http.Header    { return w.header }
func (w *sseWriter) WriteHeader(status int) { w.note(http.StatusText(status)) }
func (w *sseWriter) FlushError() error      { w.note("flush"); return nil }

func (w *sseWriter) SetWriteDeadline(at time.Time) error {
	if at.IsZero() {
		w.note("no deadline")
	} else {
		w.note("deadline")
	}
	return nil
}

func (w *sseWriter) Write(b []byte) (int, error) {
	w.note(string(b))
	if w.wrote != nil {
		w.wrote <- string(b)
	}
	if w.panics {
		panic("no writer")
	}
	return len(b), w.err
}

// An sseWrapper is a middleware's writer.
type sseWrapper struct{ http.ResponseWriter }

func (w sseWrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Every write has a fresh deadline before it and a flush after it, also through
// a writer that wraps another. The last event is flushed by the end of the response;
// nothing is written after it.
func TestEventStream(t *testing.T) {
	for i, wrap := range []func(http.ResponseWriter) http.ResponseWriter{
		func(w http.ResponseWriter) http.ResponseWriter { return w },
		func(w http.ResponseWriter) http.ResponseWriter { return sseWrapper{sseWrapper{w}} },
		func(w http.ResponseWriter) http.ResponseWriter { return &trackedWriter{ResponseWriter: w} },
	} {
		w := &sseWriter{header: http.Header{"Content-Length": {"3"}}}
		s, err := openEvents(wrap(w), defaultEventTimes, func(err error) { t.Errorf("failed with %v", err) })
		if err != nil {
			t.Fatal(err)
		}
		s.flush(true)
		last := &Event{Name: []string{eventDone, eventError}[i%2]}
		if err := errors.Join(s.sendEvent(&Event{ID: "1"}, []byte("x")), s.sendLast(last, []byte("{}"))); err != nil {
			t.Error(err)
		}
		s.close()
		s.close()
		if err := s.sendEvent(&Event{}, []byte("late")); err != errEventsEnded {
			t.Errorf("after the end: %v", err)
		}
		want := []string{"OK", "deadline", ":\n\n", "flush", "deadline", "id: 1\ndata: x\n\n", "flush", "deadline",
			"event: " + last.Name + "\ndata: {}\n\n"}
		if !slices.Equal(w.log, want) {
			t.Errorf("did %q, want %q", w.log, want)
		}
		header := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache, no-transform"}, "X-Accel-Buffering": {"no"},
			"X-Content-Type-Options": {"nosniff"}}
		for name := range header {
			if w.header.Get(name) != header.Get(name) {
				t.Errorf("%s is %q, want %q", name, w.header.Get(name), header.Get(name))
			}
		}
		if len(w.header) != len(header) {
			t.Errorf("the header is %v, want %v", w.header, header)
		}
	}
}

func TestEventStreamKeepsCacheControl(t *testing.T) {
	h := http.Header{"Cache-Control": {"no-store"}}
	if setEventHeader(h); h.Get("Cache-Control") != "no-store, no-transform" {
		t.Errorf("Cache-Control is %q", h.Get("Cache-Control"))
	}
}

// A writer that cannot flush would hold events back.
func TestEventStreamWithoutFlush(t *testing.T) {
	w := struct{ http.ResponseWriter }{httptest.NewRecorder()}
	if s, err := openEvents(w, defaultEventTimes, nil); s != nil || err == nil || !strings.Contains(err.Error(), "that can flush") {
		t.Errorf("openEvents = %v, %v", s, err)
	}
	if h := w.Header(); len(h) > 0 {
		t.Errorf("the header is %v", h)
	}
}

// The first error of a write is told once and ends the stream, whether the
// handler writes or the timer.
func TestEventStreamFails(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		w    *sseWriter
		want string
	}{
		{"error", &sseWriter{err: broken}, "broken"},
		{"panic", &sseWriter{panics: true}, "the ResponseWriter panicked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			failed := make(chan error, 2)
			fine := &sseWriter{header: make(http.Header)}
			s, err := openEvents(fine, eventTimes{time.Millisecond, time.Minute}, func(err error) { failed <- err })
			if err != nil {
				t.Fatal(err)
			}
			s.flush(true)
			s.mu.Lock()
			s.w = test.w
			s.mu.Unlock()
			if err := <-failed; err.Error() != test.want {
				t.Errorf("%s: failed with %v, want %s", test.name, err, test.want)
			}
			if err := s.sendEvent(&Event{}, nil); err == nil || err.Error() != test.want {
				t.Errorf("%s: send = %v", test.name, err)
			}
			s.close()
			if len(failed) > 0 {
				t.Errorf("%s: failed again with %v", test.name, <-failed)
			}
		})
	}
}

// A silent stream is kept alive, and close waits for a comment on its way.
func TestEventStreamHeartbeat(t *testing.T) {
	w := &sseWriter{header: make(http.Header), wrote: make(chan string)}
	started := make(chan *eventStream)
	go func() {
		s, err := openEvents(w, eventTimes{time.Millisecond, time.Minute}, func(err error) { t.Errorf("failed with %v", err) })
		if err != nil {
			t.Error(err)
		}
		s.flush(true)
		started <- s
	}()
	if first := <-w.wrote; first != ":\n\n" {
		t.Errorf("began with %q", first)
	}
	s := <-started
	for range 3 {
		if beat := <-w.wrote; beat != ":\n\n" {
			t.Errorf("kept alive with %q", beat)
		}
	}
	closed := make(chan bool)
	go func() {
		s.close()
		close(closed)
	}()
	for done := false; !done; {
		select {
		case <-w.wrote:
		case <-closed:
			done = true
		}
	}
}

// A client that has stopped reading is dropped, over HTTP/1.1 and HTTP/2, and
// its handler's context is canceled. The deadline of the first write is long: a busy
// machine would miss a short one before the client has a header.
func TestEventStreamStuckReader(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		begun, ended := make(chan bool), make(chan error, 1)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancelCause(r.Context())
			s, err := openEvents(w, eventTimes{time.Minute, time.Minute}, cancel)
			if err != nil {
				t.Error(err)
				return
			}
			s.flush(true)
			<-begun
			s.times.write = 100 * time.Millisecond
			defer s.close()
			data := bytes.Repeat([]byte("x"), 64<<10)
			for err == nil {
				err = s.sendEvent(&Event{}, data)
			}
			<-ctx.Done()
			ended <- err
		}))
		if server.EnableHTTP2 = http2; http2 {
			server.StartTLS()
		} else {
			server.Start() // to close a TLS connection that nobody reads takes 5 s
		}
		resp, err := server.Client().Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		close(begun)
		err = <-ended
		if resp.ProtoMajor == 1 && !errors.Is(err, os.ErrDeadlineExceeded) || err == nil {
			t.Errorf("%s: the stream ended with %v", resp.Proto, err)
		}
		resp.Body.Close()
		server.Close()
	}
}

// Server.WriteTimeout does not end a stream that its client reads: here it is
// over before the third comment is written.
func TestEventStreamOutlivesWriteTimeout(t *testing.T) {
	read := make(chan bool)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := openEvents(w, eventTimes{20 * time.Millisecond, time.Minute}, func(err error) { t.Errorf("failed with %v", err) })
		if err != nil {
			t.Error(err)
			return
		}
		s.flush(true)
		defer s.close()
		<-read
		s.sendEvent(&Event{}, []byte("still here"))
	}))
	server.Config.WriteTimeout = 20 * time.Millisecond
	server.Start()
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reader := newSSEReader(resp.Body)
	for reader.comments < 3 {
		line, err := reader.line()
		if err != nil {
			t.Fatal(err)
		}
		if line != "" {
			reader.field(line)
		}
	}
	close(read)
	if m, err := reader.next(); err != nil || m.data != "still here" {
		t.Errorf("read %+v, %v", m, err)
	}
}

// Verify what the reader makes of every form of line and field, whatever the pieces
// in which the text comes.
func TestReadEvents(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"one", "data: a\n\n", `a|EOF`},
		{"lines", "data: a\ndata:b\ndata:  c\ndata\n\n", `a\nb\n c\n|EOF`},
		{"empty data", "data\n\ndata:\n\n", `||EOF`},
		{"ends", "data: a\n\ndata: b\r\n\r\ndata: c\n\r\ndata: d\r\rdata: e\rdata\r\n\ndata: f\r\n\r", `a|b|c|d|e\n|f|EOF`},
		{"comments", ":\n\n: data: x\n\ndata: a\n:\n\n", `a|EOF`},
		{"fields", "id: 7\nevent: added\nretry: 2000\ndata: a\n\ndata: b\n\n", `added a|b|EOF`},
		{"unknown fields", "Data: x\ndatum: y\n data: z\ndata: a\n\n", `a|EOF`},
		{"fields that count for nothing", "id: a\x00b\nretry: 2s\nretry: 99999999999999999999\nretry: -1\ndata: a\n\n", `a|EOF`},
		{"without data", "id: 7\nevent: x\n\ndata: a\n\n", `a|EOF`},
		{"cut", "data: a\n\ndata: b\n", `a|EOF`},
		{"cut line", "data: a\n\ndata: b", `a|EOF`},
		{"mark", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", `a|EOF`},
		{"large line", "data: a\n\n:" + strings.Repeat("x", 100) + "\n\n", `a|an event is too large`},
		{"large data", strings.Repeat("data: xxxxxxxx\n", 10), `an event is too large`},
		{"line at the limit", ":" + strings.Repeat("x", 63) + "\ndata: a\n\n", `a|EOF`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, pieces := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text)),
				iotest.HalfReader(strings.NewReader(test.text))} {
				if got := readEvents(pieces, 64); got != test.want {
					t.Errorf("%s: got %q, want %q", test.name, got, test.want)
				}
			}
		})
	}
}

// Verify that an event ends with the CR that ends it: the next byte may never come.
func TestReadEventBeforeTheNextByte(t *testing.T) {
	for _, text := range []string{"data: a\r\r", "data: a\r\n\r", "data: a\n\n"} {
		r := newEventReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("it waits"))), 64)
		if _, data, err := r.readEvent(); string(data) != "a" || err != nil {
			t.Errorf("%q: %q, %v", text, data, err)
		}
	}
}

// Verify the limit of a line where it is more than the buffer that a bufio.Scanner has.
func TestReadLongLine(t *testing.T) {
	for _, most := range []int{64 << 10, 100_000} {
		for end, want := range map[string]string{"\n": "|EOF", "\r\n": "|EOF", "x\n": "an event is too large"} {
			t.Run(rowName(most, end), func(t *testing.T) {
				text := "data:" + strings.Repeat("x", most-len("data:")) + end + end
				got := readEvents(iotest.OneByteReader(strings.NewReader(text)), most)
				if !strings.HasSuffix(got, want) {
					t.Errorf("at most %d bytes, and a line with %q: got %q", most, end, clip(got, 100))
				}
			})
		}
	}
}

// readEvents returns the events of a text and the error that ends it.
func readEvents(text io.Reader, most int) string {
	r := newEventReader(text, int64(most))
	out := ""
	for {
		name, data, err := r.readEvent()
		if err != nil {
			return out + err.Error()
		}
		if name != "" {
			out += name + " "
		}
		out += strings.ReplaceAll(string(data), "\n", `\n`) + "|"
	}
}

// FuzzReadEvents reads any text, whole and in pieces, which must be the same; and
// what appendEvent writes of it, which must come back.
func FuzzReadEvents(f *testing.F) {
	f.Add("data: a\r\ndata: b\n\nid: 7\nevent: x\rretry: 1\n:\n\n", "7", "x")
	f.Add("\uFEFFdata\n\n", "", "")
	f.Fuzz(func(t *testing.T, text, id, name string) {
		whole := readEvents(strings.NewReader(text), 1<<10)
		if pieces := readEvents(iotest.OneByteReader(strings.NewReader(text)), 1<<10); pieces != whole {
			t.Fatalf("in pieces %q, whole %q", pieces, whole)
		}
		e := Event{ID: id, Name: name}
		if e.checkFields() != nil || strings.ContainsAny(text, "\r\n") {
			return
		}
		got, data, err := newEventReader(bytes.NewReader(appendEvent(nil, &e, []byte(text))), 1<<20).readEvent()
		if err != nil || got != name || string(data) != text {
			t.Fatalf("wrote %+v %q, read %+v %q, %v", e, text, got, data, err)
		}
	})
}
