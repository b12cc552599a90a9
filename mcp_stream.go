package svc

// This file sends progress and log messages before a method returns, and implements the stream of
// events that carries them over HTTP.

import (
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A notices lists the notifications that a client wants during a call. The zero value is none.
type notices struct {
	token    []byte     // progressToken, as JSON; nil if the client does not want progress
	logs     bool       // the client wants log messages
	logLevel slog.Level // the least level that it wants
}

// An mcpStream sends the notifications of a method to the client before the method returns.
// The answer is JSON unless there are notifications: the first one begins a stream of events
// (MCP 2026-07-28, Streamable HTTP), in which the answer is the last event.
//
// The life of a stream: startCall, notifications while running is true, stopCall, and then
// exchange.sendResponse unless the method has panicked. Invariants: only startCall sets to and
// wants; once running is false, only the answer is sent, and one goroutine uses events. Events have
// no ids, because a stream cannot be resumed: a client whose connection breaks calls again.
type mcpStream struct {
	mu         sync.Mutex   // protects the fields below, because methods may start goroutines; not held while sending
	running    bool         // the method may still send notifications and ask
	ownReports bool         // the method has reported progress itself
	sent       int32        // how many notifications were sent; an int would make each exchange larger
	wants      notices      // set by the client
	to         streamTarget // where notifications go
	quiet      *quietTimer  // begins the stream of a silent call; nil if the client takes no events
	events     *eventStream // nil until something is to be sent, and over standard output
	last       float64      // the value done of the last report of progress
	sentAt     time.Time    // when the last notification was sent
}

// A streamTarget is where the messages of a call go: to a line of standard output, or to a response.
type streamTarget struct {
	w     http.ResponseWriter // nil over standard input and output
	line  mcpLine             // nil over HTTP
	times eventTimes
}

// An mcpLine is a line of the client over standard input and output while it is answered.
type mcpLine interface {
	writeMessage(body []byte, always bool) // sends, and waits for room; always: also if the client has canceled the line
	queueMessage(body []byte)              // sends without waiting
	awaitRoom()                            // waits while too many messages are queued
	agree(change func(*agreement))         // changes what a legacy client has agreed on
	asked() (questions *questionTable, ended <-chan struct{})
}

// A quietTimer begins the stream of a call that has sent nothing for one heartbeat interval.
type quietTimer struct {
	timer  *time.Timer // nil over standard input and output, where no proxy drops a silent connection
	stream *mcpStream  // of the call that the timer is for
	fired  bool        // the timer runs or ran for this call
}

// Progress and log messages should be limited in rate (MCP 2025-11-25, Progress and
// Logging). A call may send freeNotifications at any rate, which is enough for most calls,
// and then one in each notificationInterval, since people read no faster. Others are dropped.
const (
	freeNotifications    = 200
	notificationInterval = 50 * time.Millisecond
)

// startCall allows a method to send notifications. It does not lock, because no other goroutine has
// s yet.
func (s *mcpStream) startCall(to streamTarget, wants notices, quiet *quietTimer) {
	s.running, s.to, s.wants, s.quiet, s.last = true, to, wants, quiet, math.Inf(-1)
	if quiet != nil {
		quiet.stream = s
		quiet.timer.Reset(to.times.heartbeat)
	}
}

// stopCall ends the call. From then on only the answer can be sent, even if the method has left
// goroutines behind.
func (s *mcpStream) stopCall() {
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
	if s.quiet != nil {
		s.quiet.fired = !s.quiet.timer.Stop()
	}
	if s.events != nil { // no other goroutine changes it from here on
		s.events.flush(true)
	}
}

// beginQuiet begins the stream, unless the method has begun it or has ended: many proxies drop a
// connection that is silent for 30 or 60 seconds. It runs on the goroutine of a timer, where a
// panic would end the program. So it recovers panics of a writer of middleware, which will panic
// again when the answer is sent.
func (s *mcpStream) beginQuiet() {
	defer func() { _ = recover() }()
	s.mu.Lock()
	if s.running {
		s.beginEvents()
	}
	s.mu.Unlock()
	s.sendQueued()
}

// beginEvents makes the response a stream of events. The mutex must be held.
func (s *mcpStream) beginEvents() {
	if s.events == nil {
		s.events = newEvents(s.to.w, s.to.times, func(error) {}) // net/http cancels the context
	}
}

// sendProgress sends a report if the client wants it. own is set if the method made the report by
// Progress. From then on svc does not report the items of its stream, because the method may count
// in a different unit. Progress must increase, and stop when the call ends (MCP 2025-11-25,
// Progress). The last report is not rate-limited, so that clients do not show 99 % forever. The
// token is sent unchanged, because it may be an integer of any size.
func (s *mcpStream) sendProgress(done, total float64, message string, own bool) {
	defer s.sendQueued()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ownReports = s.ownReports || own
	finite := !math.IsNaN(done) && !math.IsInf(done, 0)
	switch {
	case !s.running, s.wants.token == nil, !finite, s.ownReports && !own:
		return
	case done <= s.last, done != total && s.tooMany():
		return
	}
	s.queueProgress(done, total, message)
}

// queueProgress queues a report. The mutex must be held.
func (s *mcpStream) queueProgress(done, total float64, message string) {
	s.last = done
	var known []byte // the total; nil if it is unknown
	if total > 0 && !math.IsInf(total, 0) {
		known = appendFloat(nil, total, 64)
	}
	s.queueNotification("notifications/progress",
		object("progressToken", s.wants.token, "progress", appendFloat(nil, done, 64), "total", known, "message", message))
}

// beginWaiting returns a channel with a value whenever the client is to be told that a question still
// waits: many clients end a call after 60 seconds without progress, and do not count the comments that
// keep a connection open. It is nil if the client does not want progress.
func (s *mcpStream) beginWaiting() (<-chan time.Time, func()) {
	if s.wants.token == nil {
		return nil, func() {}
	}
	ticker := time.NewTicker(s.to.times.heartbeat)
	return ticker.C, ticker.Stop
}

// firstWait is the progress of the first report of sendWaiting, if the method has reported none: all
// that it may report later is above it.
const firstWait = 1e-9

// sendWaiting reports that the user is being asked. The report is the least progress above the last one,
// and does not count against the rate, so the reports of the method are sent as without it.
func (s *mcpStream) sendWaiting() {
	defer s.sendQueued()
	s.mu.Lock()
	defer s.mu.Unlock()
	next := firstWait
	if !math.IsInf(s.last, -1) {
		next = math.Nextafter(s.last, math.Inf(1))
	}
	if !s.running || s.wants.token == nil || math.IsInf(next, 1) {
		return
	}
	sent, at := s.sent, s.sentAt
	s.queueProgress(next, 0, "waiting for the user")
	s.sent, s.sentAt = sent, at
}

// sendLog sends a log message if the client wants its level. It encodes data without
// the lock, since a MarshalJSON may send messages itself. It returns the error of encoding.
func (s *mcpStream) sendLog(level slog.Level, data any) error {
	s.mu.Lock()
	wanted := s.wantsLog(level)
	s.mu.Unlock()
	if !wanted {
		return nil
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	s.mu.Lock()
	if s.wantsLog(level) { // the call may have ended meanwhile
		s.queueNotification("notifications/message", object("level", logLevelName(level), "data", text))
	}
	s.mu.Unlock()
	s.sendQueued()
	return nil
}

// wantsLog reports whether a log message of this level may be sent now. A modern client that names
// no level must not get any (MCP 2026-07-28, Logging). The mutex must be held.
func (s *mcpStream) wantsLog(level slog.Level) bool {
	return s.running && s.wants.logs && level >= s.wants.logLevel && !s.tooMany()
}

// tooMany reports whether a notification sent now would exceed the rate.
func (s *mcpStream) tooMany() bool {
	return s.sent >= freeNotifications && time.Since(s.sentAt) < notificationInterval
}

// messageEvent is the name of all events: each carries one JSON-RPC message.
const messageEvent = "message"

// queueNotification queues a notification with these params, in the order of the calls. The
// mutex must be held; call sendQueued after it is released.
func (s *mcpStream) queueNotification(method string, params []byte) {
	body := slices.Concat([]byte(`{"jsonrpc":"2.0","method":"`), []byte(method), []byte(`","params":`), params, []byte("}"))
	s.sent++
	s.sentAt = time.Now()
	if s.to.line != nil {
		s.to.line.queueMessage(body)
		return
	}
	s.queueEvent(body)
}

// queueEvent queues a message as an event. The mutex must be held.
func (s *mcpStream) queueEvent(body []byte) {
	s.beginEvents()
	s.events.queueEvent(&Event{Name: messageEvent}, body)
}

// sendMessage sends a message over HTTP if the call runs.
func (s *mcpStream) sendMessage(body []byte) {
	s.mu.Lock()
	if s.running {
		s.queueEvent(body)
	}
	s.mu.Unlock()
	s.sendQueued()
}

// sendQueued sends the queued notifications. It does not hold the mutex while it writes,
// since a writer of middleware may call svc, for example for the Info of the call.
func (s *mcpStream) sendQueued() {
	if s.to == (streamTarget{}) {
		return // the call ended before its method began; Options.Observe may have its context
	}
	if s.to.line != nil {
		s.to.line.awaitRoom()
		return
	}
	s.mu.Lock()
	events := s.events
	s.mu.Unlock()
	if events != nil {
		events.flush(false)
	}
}

// logLevels has the levels of MCP, which come from RFC 5424 (MCP 2025-11-25, Logging), and the
// least slog.Level of each. notice lies between two levels of slog; levels above error are 4 apart,
// like slog's own.
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

// parseLogLevel returns the least slog.Level of a level of MCP, given as JSON. It
// reports false for other values.
func parseLogLevel(value []byte) (slog.Level, bool) {
	name := textAt(value)
	for _, level := range logLevels {
		if level.name == name {
			return level.from, true
		}
	}
	return 0, false
}

func isLogLevel(value []byte) bool {
	_, ok := parseLogLevel(value)
	return ok
}

// logLevelName returns the name of the highest level of MCP that is not above l.
func logLevelName(l slog.Level) string {
	name := ""
	for _, level := range logLevels {
		if l >= level.from {
			name = level.name
		}
	}
	return name
}
