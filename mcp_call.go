package svc

// This file calls tools: tools/call.
//
// This file tells clients what a method has to say before it returns: progress
// and log messages. The answer begins as JSON that nobody has sent yet; the first
// notification turns it into a stream of events, and the result is the last.
//
// This file is what a tool can show a model beside JSON: blocks of text, images,
// sound and resources.
//
// This file compares headers with what they repeat from the body, so that a
// gateway that reads only headers and the server that reads only the body act
// on the same request (MCP 2026-07-28, Streamable HTTP, Server Validation).

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
)

// answerToolsCall answers tools/call. What the caller can put right, with arguments
// that are wrong and errors of the method among it, is a result with isError,
// which models get to see; what a program has to put right is an error.
func (x *exchange) answerToolsCall(m *message) *mcpError {
	if !isText(m.name) {
		return invalidParams("params.name is required and must be a string")
	}
	name := textOf(m.name)
	if x.modern && !x.hasHeader("Mcp-Name", name) {
		return badRequest(mcpHeaderMismatch, "the header Mcp-Name must be there once and be params.name")
	}
	t := x.h.tools[string(name)]
	if t == nil {
		return invalidParams("there is no tool of this name; tools/list has all")
	}
	if x.modern {
		if failure := x.checkParamHeaders(t, m.arguments); failure != nil {
			return failure
		}
		if failure := t.checkCapabilities(m.meta.capabilities); failure != nil {
			return failure
		}
	}
	x.called = t.method
	x.info.Resource, x.info.Method = t.resource, t.method.name
	err := x.runTool(t, m)
	switch {
	case err == nil:
		return nil
	case panicIn(err) != nil:
		e := rpcError(http.StatusOK, mcpInternalError, "internal error")
		e.cause = err
		return e
	}
	x.logError(err)
	x.openResult()
	x.addJSON(`"content":[{"type":"text","text":`)
	x.ws.enc.buf = appendQuoted(x.ws.enc.buf, errorText(ErrorFrom(err)))
	x.addJSON(`}],"isError":true`)
	x.closeResult(m)
	return nil
}

// runTool calls the method with the arguments of m and makes a result of what it
// returns.
func (x *exchange) runTool(t *tool, m *message) error {
	in, err := x.bindArguments(t, m.arguments)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // the method aborts the connection
			x.stream.abandon()
		}
	}()
	x.stream.start(x, m)
	x.openResult()
	if t.stream != "" {
		err = x.collectItems(t, in)
	} else if out, failure := t.invokeBy(x.invoker(t), x, in); failure == nil {
		err = x.addOutput(t, out)
	} else {
		err = failure
	}
	x.stream.stop()
	done = true
	x.addJSON(`,"isError":false`)
	x.closeResult(m)
	return err
}

// invoker returns what makes the calls of t in place of the method, or nil.
func (x *exchange) invoker(t *tool) InvokeFunc {
	if x.h.invoke != nil {
		return x.h.invoke
	}
	return t.intercepted
}

// bindArguments makes the method's input of the arguments, which are an object or nil.
func (x *exchange) bindArguments(t *tool, arguments []byte) (in any, err error) {
	d := &x.ws.dec
	if t.method.bind != nil {
		return t.bindObject(d, arguments)
	}
	d.start(nil)
	if arguments != nil {
		eachMember(arguments, func(name, _ []byte) {
			d.push(string(name))
			d.addViolation(isUnknown)
			d.pop()
		})
	}
	return nil, d.finish()
}

// checkCapabilities refuses a client that cannot do what the tool needs.
func (t *tool) checkCapabilities(declared []byte) *mcpError {
	if t.required == nil {
		return nil
	}
	missing := len(t.options.RequiredCapabilities)
	eachMember(declared, func(name, value []byte) {
		for _, required := range t.options.RequiredCapabilities {
			if string(name) == required && value[0] == '{' {
				missing--
			}
		}
	})
	if missing == 0 {
		return nil
	}
	e := badRequest(mcpMissingCapability, "the tool needs capabilities that the client does not declare")
	e.data = []byte(`{"requiredCapabilities":` + string(t.required) + `}`)
	return e
}

// addOutput adds what the method returned to the result.
func (x *exchange) addOutput(t *tool, out any) error {
	switch {
	case t.out == nil:
		x.addJSON(`"content":[]`)
		return nil
	case t.ownContent:
		content, err := callContent(out)
		if err != nil {
			return err
		}
		x.addJSON(`"content":`)
		x.ws.enc.buf, err = appendBlocks(x.ws.enc.buf, content, x.revision)
		return err
	}
	x.addJSON(`"structuredContent":`)
	start := len(x.ws.enc.buf)
	if t.wrapped {
		x.addJSON(`{"result":`)
	}
	var err error
	x.ws.enc.buf, err = t.appendOutput(&x.ws.enc, x.ws.enc.buf, out)
	if t.wrapped {
		x.addJSON(`}`)
	}
	x.addText(start)
	return err
}

// collectItems calls a method that returns a stream, adds the items to the result as
// {"items":[…]} and reports each as progress.
func (x *exchange) collectItems(t *tool, in any) error {
	ctx, cancel := context.WithCancelCause(x)
	defer cancel(nil)
	out, err := t.invokeBy(x.invoker(t), ctx, in)
	if err != nil {
		return err
	}
	x.addJSON(`"structuredContent":`)
	start := len(x.ws.enc.buf)
	x.ws.enc.buf, err = t.appendItems(cancel, &x.ws.enc, x.ws.enc.buf, out, func(n int) { x.stream.countItem(x, n) })
	x.addText(start)
	return err
}

// addText adds the structured content, which begins at start, as a text too, for
// clients that do not know it.
func (x *exchange) addText(start int) {
	text := x.ws.enc.buf[start:]
	x.addJSON(`,"content":[{"type":"text","text":`)
	x.ws.enc.buf = appendQuotedJSON(x.ws.enc.buf, text)
	x.addJSON(`}]`)
}

// errorText says what a model needs to know of an error to do better: the code
// and the message, a line for each violation, and the other details.
func errorText(e *Error) string {
	var text strings.Builder
	text.WriteString(string(e.code()) + ": " + e.message())
	details := maps.Clone(e.Details)
	if list, ok := details["violations"].([]Violation); ok {
		delete(details, "violations")
		for _, v := range list {
			line := strings.TrimSpace(v.Path + " " + v.Message)
			if len(list) > 1 || !strings.HasSuffix(e.message(), line) {
				text.WriteString("\n- " + line)
			}
		}
	}
	if len(details) > 0 {
		text.WriteString("\ndetails: " + string(appendDetailsObject(nil, details)))
	}
	return text.String()
}

// Progress tells the caller of the running method how far it has come: done of
// total, in any unit, total being 0 where nobody knows; message is for people and
// may be empty. It reaches an MCP client that asked for progress; everywhere else
// it does nothing, and so does a done that is not above the last. Of very many
// reports some are left out. A method that returns a [Stream] need not call it:
// each item counts as progress, as long as the method reports none itself.
func Progress(ctx context.Context, done, total float64, message string) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.stream.sendProgress(x, done, total, message)
	}
}

// MCPLog sends a message to the caller of the running method, if that is an MCP
// client that wants messages of the level; everywhere else it does nothing. data
// is a string or anything that encoding/json can write. The levels of MCP stand
// two or four apart, as those of package slog do: debug, info (0), notice (2),
// warning (4), error (8), critical (12), alert (16) and emergency (20).
//
// Clients of revision 2026-07-28 say with each request what they want. Earlier
// ones say it once (logging/setLevel), which a server without sessions cannot
// remember: they get info and above.
func MCPLog(ctx context.Context, level slog.Level, data any) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.stream.sendLog(x, level, data)
	}
}

// An mcpStream is what a call has told its client before its result.
type mcpStream struct {
	mu         sync.Mutex   // protects the fields below: a method may have goroutines
	running    bool         // the method may still tell something
	token      []byte       // of progress; nil if the client does not ask for it
	logs       bool         // the client wants log messages,
	logLevel   slog.Level   // from this level on
	events     *eventStream // nil as long as nothing was sent
	ownReports bool         // the method reports progress itself
	reported   bool         // there was progress,
	last       float64      // this far
	sent       int          // notifications
	sentAt     time.Time    // when the last of them was
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

// hasBegun reports whether the answer is a stream. It may be called only where the
// method is not running, as the functions below may.
func (s *mcpStream) hasBegun() bool { return s.events != nil }

// finish sends the answer as the last event.
func (s *mcpStream) finish(body []byte) {
	s.events.sendEvent(&Event{Name: messageEvent}, body) // a client that has gone cannot be told
	s.events.close()
}

// abandon ends the stream without an answer, if there is one.
func (s *mcpStream) abandon() {
	s.stop()
	if s.events != nil {
		s.events.close()
	}
}

// sendProgress sends a report of the method's, if it may.
func (s *mcpStream) sendProgress(x *exchange, done, total float64, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ownReports = true
	s.sendProgressLocked(x, done, total, message)
}

// countItem reports that a stream has had n items, unless the method says more.
func (s *mcpStream) countItem(x *exchange, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ownReports {
		s.sendProgressLocked(x, float64(n), 0, "")
	}
}

func (s *mcpStream) sendProgressLocked(x *exchange, done, total float64, message string) {
	finite := !math.IsNaN(done) && !math.IsInf(done, 0)
	if !s.running || s.token == nil || !finite || s.reported && done <= s.last {
		return
	}
	if done != total && s.tooMany() {
		return
	}
	s.reported, s.last = true, done
	m := openMembers([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":`))
	m.addName("progressToken")
	m.buf = append(m.buf, s.token...)
	m.addName("progress")
	m.buf = appendFloat(m.buf, done, 64)
	if total > 0 && !math.IsInf(total, 0) {
		m.addName("total")
		m.buf = appendFloat(m.buf, total, 64)
	}
	if message != "" {
		m.addText("message", message)
	}
	s.sendLocked(x, append(m.close(), '}'))
}

// sendLog sends a log message, if it may.
func (s *mcpStream) sendLog(x *exchange, level slog.Level, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running || !s.logs || level < s.logLevel || s.tooMany() {
		return
	}
	text, err := json.Marshal(data)
	if err != nil {
		x.logError(err)
		return
	}
	m := openMembers([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":`))
	m.addText("level", logLevelName(level))
	m.addRaw("data", string(text))
	s.sendLocked(x, append(m.close(), '}'))
}

// tooMany reports whether a notification would come too soon after very many.
func (s *mcpStream) tooMany() bool {
	return s.sent >= freeNotifications && time.Since(s.sentAt) < notificationInterval
}

// messageEvent is the name of the events that carry messages.
const messageEvent = "message"

// sendNotification sends a notification of the protocol's own.
func (x *exchange) sendNotification(body []byte) {
	x.stream.mu.Lock()
	defer x.stream.mu.Unlock()
	x.stream.sendLocked(x, body)
}

// sendEvent sends an answer that is complete as the one event of a response,
// for clients that take nothing else.
func (x *exchange) sendEvent(body []byte) {
	setEventHeader(x.w.Header())
	x.w.WriteHeader(http.StatusOK)
	x.w.Write(appendEvent(nil, &Event{Name: messageEvent}, body)) // a client that has gone cannot be told
}

// sendLocked sends a notification; the first begins the stream.
func (s *mcpStream) sendLocked(x *exchange, body []byte) {
	if s.events == nil {
		events, err := startEvents(x.w, x.h.eventTimes, func(error) {}) // net/http cancels the context
		if err != nil {
			x.logError(err)
			s.running = false
			return
		}
		s.events = events
	}
	s.sent++
	s.sentAt = time.Now()
	s.events.sendEvent(&Event{Name: messageEvent}, body)
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

// A MCPContent is one block of a tool's result. An output type with a method
//
//	MCPContent() []svc.MCPContent
//
// on its pointer decides what models get to see of it; its fields then are for
// the other transports. The block is a text unless Type says otherwise:
//
//	Type           Fields that are required
//	-------------  -----------------------------------
//	text           Text
//	image, audio   Data, MIMEType
//	resource       URI, and either Text or Data
//	resource_link  URI, Name
//
// Clients of revisions that do not know a type get a text in its place. A block
// that lacks a field is a fault of the method.
type MCPContent struct {
	Type        string // "text", "image", "audio", "resource" or "resource_link"; "" is text
	Text        string // of a text or a resource
	Data        []byte // of an image, a sound or a binary resource
	MIMEType    string // of Data, or of what the URI leads to
	URI         string // of a resource
	Name        string // of a linked resource
	Title       string // of a linked resource, for people; "" leaves it out
	Description string // of a linked resource; "" leaves it out

	Audience     []string  // whom the block is for: "user", "assistant" or both; empty leaves it out
	Priority     float64   // how important it is, from 0 to 1, which is required reading; 0 leaves it out
	LastModified time.Time // the zero time leaves it out
}

// callContent returns the blocks of an output.
func callContent(out any) (content []MCPContent, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	return out.(contentProvider).MCPContent(), nil
}

// appendBlocks appends the blocks for a client of a revision.
func appendBlocks(dst []byte, content []MCPContent, version string) ([]byte, error) {
	dst = append(dst, '[')
	for i := range content {
		if i > 0 {
			dst = append(dst, ',')
		}
		c := content[i]
		if err := c.checkFields(); err != nil {
			return dst, fmt.Errorf("MCPContent()[%d]: %w", i, err)
		}
		c.adaptTo(version)
		dst = c.appendBlock(dst)
	}
	return append(dst, ']'), nil
}

// checkFields returns what is wrong with c.
func (c *MCPContent) checkFields() error {
	lacks := ""
	switch c.Type {
	case "", "text":
	case "image", "audio":
		if c.MIMEType == "" {
			lacks = "MIMEType"
		}
	case "resource":
		if c.URI == "" {
			lacks = "URI"
		}
	case "resource_link":
		if c.URI == "" {
			lacks = "URI"
		} else if c.Name == "" {
			lacks = "Name"
		}
	default:
		return fmt.Errorf("there is no content of type %q", c.Type)
	}
	if lacks != "" {
		return fmt.Errorf("a block of type %s needs a %s", c.Type, lacks)
	}
	for _, who := range c.Audience {
		if who != "user" && who != "assistant" {
			return fmt.Errorf("the audience is user or assistant, not %q", who)
		}
	}
	if !(c.Priority >= 0 && c.Priority <= 1) {
		return fmt.Errorf("the priority %v is not between 0 and 1", c.Priority)
	}
	return nil
}

// adaptTo makes a text of a block that clients of the revision do not know.
func (c *MCPContent) adaptTo(version string) {
	switch {
	case c.Type == "resource_link" && version < revisionJun2025:
		c.Text = c.Name + ": " + c.URI
	case c.Type == "audio" && version < assumedRevision:
		c.Text = "(audio, " + c.MIMEType + ")"
	default:
		return
	}
	c.Type = "text"
}

// appendBlock appends the block.
func (c *MCPContent) appendBlock(dst []byte) []byte {
	m := openMembers(dst)
	kind := c.Type
	if kind == "" {
		kind = "text"
	}
	m.addText("type", kind)
	switch kind {
	case "text":
		m.addText("text", c.Text)
	case "image", "audio":
		m.addBase64("data", c.Data)
		m.addText("mimeType", c.MIMEType)
	case "resource":
		m.addName("resource")
		r := openMembers(m.buf)
		r.addText("uri", c.URI)
		r.addOptional("mimeType", c.MIMEType)
		if c.Data != nil {
			r.addBase64("blob", c.Data)
		} else {
			r.addText("text", c.Text)
		}
		m.buf = r.close()
	case "resource_link":
		m.addText("uri", c.URI)
		m.addText("name", c.Name)
		m.addOptional("title", c.Title)
		m.addOptional("description", c.Description)
		m.addOptional("mimeType", c.MIMEType)
	}
	c.appendAnnotations(&m)
	return m.close()
}

// appendAnnotations writes the annotations, if there are any.
func (c *MCPContent) appendAnnotations(m *members) {
	if len(c.Audience) == 0 && c.Priority == 0 && c.LastModified.IsZero() {
		return
	}
	m.addName("annotations")
	a := openMembers(m.buf)
	if len(c.Audience) > 0 {
		a.addName("audience")
		a.buf = append(a.buf, '[')
		for i, who := range c.Audience {
			if i > 0 {
				a.buf = append(a.buf, ',')
			}
			a.buf = appendQuoted(a.buf, who)
		}
		a.buf = append(a.buf, ']')
	}
	if c.Priority != 0 {
		a.addName("priority")
		a.buf = appendFloat(a.buf, c.Priority, 64)
	}
	if !c.LastModified.IsZero() {
		a.addText("lastModified", c.LastModified.UTC().Format(time.RFC3339))
	}
	m.buf = a.close()
}

// hasHeader reports whether the request has the header once and it stands for
// value.
func (x *exchange) hasHeader(name string, value []byte) bool {
	values := x.r.Header[name]
	if len(values) != 1 {
		return false
	}
	text, ok := decodeHeader(values[0])
	return ok && text == string(value)
}

// decodeHeader returns what a header stands for: itself, or what it has in
// base64 where it is written =?base64?…?=. It reports false for base64 that is
// none and for bytes that a header must not have.
func decodeHeader(value string) (string, bool) {
	const prefix, suffix = "=?base64?", "?="
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", false
		}
	}
	if len(value) < len(prefix)+len(suffix) || !strings.HasPrefix(value, prefix) || !strings.HasSuffix(value, suffix) {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(value[len(prefix) : len(value)-len(suffix)])
	return string(text), err == nil
}

// checkParamHeaders holds the headers Mcp-Param-* of a call against its
// arguments.
func (x *exchange) checkParamHeaders(t *tool, arguments []byte) *mcpError {
	for _, p := range t.headers {
		values := x.r.Header[p.header]
		value := argumentAt(arguments, p.path)
		if value == nil && len(values) == 0 {
			continue
		}
		if value == nil || len(values) != 1 || !sameArgument(values[0], value) {
			return badRequest(mcpHeaderMismatch, "the header "+p.header+" must be there once and be the argument /"+strings.Join(p.path, "/")+", or not be there if that is absent or null")
		}
	}
	return nil
}

// argumentAt returns the JSON value that a path of properties leads to, or nil
// if it is absent or null.
func argumentAt(object []byte, path []string) []byte {
	for _, property := range path {
		if len(object) == 0 || object[0] != '{' {
			return nil
		}
		var next []byte
		eachMember(object, func(name, value []byte) {
			if string(name) == property {
				next = value
			}
		})
		object = next
	}
	if bytes.Equal(object, []byte("null")) {
		return nil
	}
	return object
}

// maxSafeInteger is the last integer that every client can tell from the next
// one (RFC 7493, section 2.2).
const maxSafeInteger = 1<<53 - 1

// sameArgument reports whether a header stands for a JSON value: a string, a
// boolean, or a number, which is compared as one.
func sameArgument(header string, value []byte) bool {
	text, ok := decodeHeader(header)
	switch {
	case !ok || value[0] == '{' || value[0] == '[':
		return false
	case isText(value):
		return text == string(textOf(value))
	case text == string(value):
		return value[0] == 't' || value[0] == 'f' || isSafeInteger(value)
	case !isSafeInteger(value):
		return false
	}
	if _, ok := jsonNumber(text); !ok {
		return false
	}
	a, aNeg, aBad := parseInteger([]byte(text))
	b, bNeg, _ := parseInteger(value)
	return aBad == integerOK && a == b && (aNeg == bNeg || a == 0)
}

func isSafeInteger(value []byte) bool {
	if value[0] != '-' && !isDigit(value[0]) {
		return false
	}
	mag, _, bad := parseInteger(value)
	return bad == integerOK && mag <= maxSafeInteger
}
