package svc

// This file tells clients what a method has to say before it returns: progress
// and log messages. The answer begins as JSON that nobody has sent yet; the first
// notification turns it into a stream of events, and the result is the last.

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"
)

// Progress tells the caller of the running method how far it has come: done of
// total, in any unit, total being 0 where nobody knows; message is for people and
// may be empty. It reaches an MCP client that asked for progress; everywhere else
// it does nothing, and so does a done that is not above the last. Of very many
// reports some are left out. A method that returns a [Stream] need not call it:
// each item counts as progress, as long as the method reports none itself.
func Progress(ctx context.Context, done, total float64, message string) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.stream.progress(x, done, total, message)
	}
}

// Log sends a message to the caller of the running method, if that is an MCP
// client that wants messages of the level; everywhere else it does nothing. data
// is a string or anything that encoding/json can write. The levels of MCP stand
// two or four apart, as those of package slog do: debug, info (0), notice (2),
// warning (4), error (8), critical (12), alert (16) and emergency (20).
//
// Clients of revision 2026-07-28 say with each request what they want. Earlier
// ones say it once (logging/setLevel), which a server without sessions cannot
// remember: they get info and above.
func Log(ctx context.Context, level slog.Level, data any) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.stream.log(x, level, data)
	}
}

// An mcpStream is what a call has told its client before its result.
type mcpStream struct {
	mu       sync.Mutex   // protects the fields below: a method may have goroutines
	running  bool         // the method may still tell something
	token    []byte       // of progress; nil if the client does not ask for it
	logs     bool         // the client wants log messages,
	logLevel slog.Level   // from this level on
	events   *eventStream // nil as long as nothing was sent
	own      bool         // the method reports progress itself
	reported bool         // there was progress,
	last     float64      // this far
	sent     int          // notifications
	sentAt   time.Time    // when the last of them was
}

// A call may send this many notifications as fast as it likes, and more only
// with time between them (MCP, Progress: both parties should limit the rate).
const (
	freeNotifications    = 200
	notificationInterval = 50 * time.Millisecond
)

// start lets the method that is about to run send what the client of m wants.
// Nobody else has x yet, so there is nothing to lock.
func (s *mcpStream) start(x *exchange, m *message) {
	if x.batch || !x.accept.events {
		return
	}
	s.running = true
	s.token = m.meta.token
	switch {
	case !x.modern:
		s.logs, s.logLevel = true, slog.LevelInfo
	case m.meta.logLevel != nil:
		s.logLevel, s.logs = parseLogLevel(m.meta.logLevel)
	}
}

// stop lets nothing more be sent but the answer.
func (s *mcpStream) stop() {
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
}

// begun reports whether the answer is a stream. It may be called only where the
// method is not running, as the functions below may.
func (s *mcpStream) begun() bool { return s.events != nil }

// finish sends the answer as the last event.
func (s *mcpStream) finish(body []byte) {
	s.events.send(&Event{Name: messageEvent}, body) // a client that has gone cannot be told
	s.events.close()
}

// abandon ends the stream without an answer, if there is one.
func (s *mcpStream) abandon() {
	s.stop()
	if s.events != nil {
		s.events.close()
	}
}

// progress sends a report of the method's, if it may.
func (s *mcpStream) progress(x *exchange, done, total float64, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own = true
	s.progressLocked(x, done, total, message)
}

// item reports that a stream has had n items, unless the method says more.
func (s *mcpStream) item(x *exchange, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.own {
		s.progressLocked(x, float64(n), 0, "")
	}
}

func (s *mcpStream) progressLocked(x *exchange, done, total float64, message string) {
	finite := !math.IsNaN(done) && !math.IsInf(done, 0)
	if !s.running || s.token == nil || !finite || s.reported && done <= s.last {
		return
	}
	if done != total && s.tooMany() {
		return
	}
	s.reported, s.last = true, done
	m := openMembers([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":`))
	m.key("progressToken")
	m.buf = append(m.buf, s.token...)
	m.key("progress")
	m.buf = appendFloat(m.buf, done, 64)
	if total > 0 && !math.IsInf(total, 0) {
		m.key("total")
		m.buf = appendFloat(m.buf, total, 64)
	}
	if message != "" {
		m.text("message", message)
	}
	s.notifyLocked(x, append(m.close(), '}'))
}

// log sends a log message, if it may.
func (s *mcpStream) log(x *exchange, level slog.Level, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running || !s.logs || level < s.logLevel || s.tooMany() {
		return
	}
	text, err := json.Marshal(data)
	if err != nil {
		x.log(err)
		return
	}
	m := openMembers([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":`))
	m.text("level", logLevelName(level))
	m.raw("data", string(text))
	s.notifyLocked(x, append(m.close(), '}'))
}

// tooMany reports whether a notification would come too soon after very many.
func (s *mcpStream) tooMany() bool {
	return s.sent >= freeNotifications && time.Since(s.sentAt) < notificationInterval
}

// messageEvent is the name of the events that carry messages.
const messageEvent = "message"

// notify sends a notification of the protocol's own.
func (x *exchange) notify(body []byte) {
	x.stream.mu.Lock()
	defer x.stream.mu.Unlock()
	x.stream.notifyLocked(x, body)
}

// sendEvent sends an answer that is complete as the one event of a response,
// for clients that take nothing else.
func (x *exchange) sendEvent(body []byte) {
	setEventHeader(x.w.Header())
	x.w.WriteHeader(http.StatusOK)
	x.w.Write(appendEvent(nil, &Event{Name: messageEvent}, body)) // a client that has gone cannot be told
}

// notifyLocked sends a notification; the first begins the stream.
func (s *mcpStream) notifyLocked(x *exchange, body []byte) {
	if s.events == nil {
		events, err := startEvents(x.w, x.h.eventTimes, func(error) {}) // net/http cancels the context
		if err != nil {
			x.log(err)
			s.running = false
			return
		}
		s.events = events
	}
	s.sent++
	s.sentAt = time.Now()
	s.events.send(&Event{Name: messageEvent}, body)
}

// logLevels are the levels of MCP, which are those of RFC 5424, and the least
// slog.Level that each stands for.
var logLevels = [...]struct {
	name string
	from slog.Level
}{
	{"debug", math.MinInt},
	{"info", slog.LevelInfo},
	{"notice", slog.LevelInfo + 2},
	{"warning", slog.LevelWarn},
	{"error", slog.LevelError},
	{"critical", slog.LevelError + 4},
	{"alert", slog.LevelError + 8},
	{"emergency", slog.LevelError + 12},
}

// parseLogLevel returns the least slog.Level of a level that is given as JSON.
func parseLogLevel(value []byte) (slog.Level, bool) {
	if isText(value) {
		for _, level := range logLevels {
			if string(textOf(value)) == level.name {
				return level.from, true
			}
		}
	}
	return 0, false
}

func isLogLevel(value []byte) bool {
	_, ok := parseLogLevel(value)
	return ok
}

// logLevelName returns the highest level that is not above l.
func logLevelName(l slog.Level) string {
	name := ""
	for _, level := range logLevels {
		if l >= level.from {
			name = level.name
		}
	}
	return name
}
