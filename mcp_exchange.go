package svc

// This file has the data of one request: its messages, the exchange that answers each, the results
// and errors that an exchange writes, and how they are sent. It calls no method of the protocol.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"
)

// A message is a JSON-RPC message that is being answered, with the data for its answer. It comes
// from a pool and goes back there after the answer, so a goroutine that a method has left behind
// must not use it.
type message struct {
	*rpcMessage // in ws.text
	mcpParams
	tool  *tool // the tool it calls, which readParams may find; or nil
	quiet quietTimer
}

// An mcpParams holds the members of params that several methods of MCP use. Each is JSON, a part of
// the body or of a string in it, or nil if it is absent or null. Only the type of arguments has
// been checked.
type mcpParams struct {
	meta      requestMeta
	name      []byte // of the tool or prompt, for tools/call and prompts/get
	arguments []byte // an object, for tools/call and prompts/get; of resources/read the parts of the URI
	responses []byte // inputResponses, the answers to questions
	state     []byte // requestState, the sealed earlier answers
	found     bool   // the fields above are set
	wrong     bool   // params or its _meta is not an object
}

// newMessage returns a message whose timer is stopped. Messages come from a pool for the
// timer's sake: a new one makes a call 6 to 17 % slower.
func newMessage() *message {
	m := new(message)
	m.quiet.timer = time.AfterFunc(time.Hour, func() { m.quiet.stream.beginQuiet() })
	m.quiet.timer.Stop()
	return m
}

// A requestMeta has the members of params._meta that describe a request. Each is JSON,
// or nil if it is absent. Their types have not been checked.
type requestMeta struct {
	version      []byte // the revision; its presence makes a request modern
	capabilities []byte // the capabilities of the client
	logLevel     []byte // the least level of log messages; nil for none
	token        []byte // progressToken; nil if the client does not want progress
	trace        []byte // the whole of _meta if it has a traceparent
}

// parseParams sets x.message.mcpParams, unless readParams has. It runs before the revision is
// known, so it must not depend on it.
func (x *exchange) parseParams() {
	m := x.message
	if len(m.params) > 0 && !m.found {
		m.wrong = !isJSONObject(m.params) && !isEmptyArray(m.params)
		// Members with other names belong to other revisions or to extensions.
		for name, value := range eachMember(m.params) {
			m.setMember(slices.Index(mcpNames.names, string(name)), value)
		}
	}
	if x.h.options.ReadStrings {
		if inside := jsonInside(m.arguments, '{', 0); inside != nil {
			m.arguments = inside
		}
	}
	m.wrong = m.wrong || m.arguments != nil && !isJSONObject(m.arguments)
}

// describeWrong says which member of a wrong message must be an object.
func (m *message) describeWrong() string {
	place, value := "/params", m.params
	switch {
	case !isJSONObject(m.params):
	case m.arguments != nil && !isJSONObject(m.arguments):
		place, value = "/params/arguments", m.arguments
	default:
		place, value = "/params/_meta", memberAt(m.params, "_meta")
	}
	return place + " " + errNotObject.about(value).message
}

// checkPlace returns an error for a call of t without arguments that has them elsewhere in params. To
// go on would be a call with other arguments than were sent.
func (m *message) checkPlace(t *tool) *mcpError {
	if m.arguments != nil {
		return nil
	}
	found := ""
	for name, value := range eachMember(m.params) {
		isArgument := t.fieldNamed(string(name)) != nil && !slices.Contains(paramNames, string(name))
		if found == "" && (isArgument || slices.Contains(nearArguments, string(name)) && !isJSONNull(value)) {
			found = string(name)
		}
	}
	if found == "" {
		return nil
	}
	return protocolError(rpcInvalidParams, "/params/"+found+" is not read; send the arguments as the object /params/arguments")
}

var (
	nearArguments = []string{"params", "parameters", "args", "input"}                                          // in place of arguments
	paramNames    = []string{"name", "arguments", "inputResponses", "requestState", "_meta", "task", "cursor"} // of any revision
)

// emptyObject is the value of an empty array.
var emptyObject = []byte("{}")

// isEmptyArray reports whether a value is []. PHP writes an empty object so.
func isEmptyArray(value []byte) bool {
	return len(value) > 1 && value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

var mcpNames = newMemberNames("name", "arguments", "inputResponses", "requestState", "_meta")

// setMember sets the field of a member of params, one of the constants above.
func (m *mcpParams) setMember(member int, value []byte) {
	if isJSONNull(value) { // clients send null for missing values
		return
	}
	if isEmptyArray(value) && (member == mcpArgumentsMember || member == mcpMetaMember) {
		value = emptyObject
	}
	switch member {
	case mcpNameMember:
		m.name = value
	case mcpArgumentsMember:
		m.arguments = value
	case mcpResponsesMember:
		m.responses = value
	case mcpStateMember:
		m.state = value
	case mcpMetaMember:
		m.wrong = m.wrong || !isJSONObject(value)
		m.meta.readMembers(value)
	}
}

// readMembers sets the fields of meta from a _meta object.
func (meta *requestMeta) readMembers(text []byte) {
	for name, value := range eachMember(text) {
		switch string(name) {
		case "io.modelcontextprotocol/protocolVersion":
			meta.version = value
		case "io.modelcontextprotocol/clientCapabilities":
			if meta.capabilities = value; isEmptyArray(value) {
				meta.capabilities = emptyObject
			}
		case "io.modelcontextprotocol/logLevel":
			meta.logLevel = value
		case "traceparent":
			meta.trace = text
		case "progressToken":
			if !isJSONNull(value) { // clients send null for no token
				meta.token = value
			}
		}
	}
}

// maxMCPID is how many bytes of JSON an id or a progressToken may have. Each report of
// progress repeats the token, so a long token would be sent hundreds of times.
const maxMCPID = 1 << 10

// isMCPID reports whether a JSON value is allowed as an id or a progressToken: a string
// or an integer of at most maxMCPID bytes. MCP does not allow null and fractions, as
// JSON-RPC does (MCP 2025-11-25, Base Protocol, Requests). The size of an integer does
// not matter, because it is only sent back as text.
func isMCPID(id []byte) bool {
	if isJSONNumber(id) && len(id) <= maxMCPID {
		_, _, kind := parseInteger(id)
		return kind != integerFraction
	}
	return isText(id) && len(id) <= maxMCPID
}

// An mcpRequest is one HTTP request, or one line of standard input, while it is answered.
type mcpRequest struct {
	h      *mcpHandler
	w      http.ResponseWriter // nil over standard input and output
	values headerValues        // of the response
	line   mcpLine             // nil over HTTP
	agreed *agreement          // on the pipe; the zero one before initialize and over HTTP
	accept accepted            // by the client
	status uint16              // of the answer, once it is known
	ofCall *sessionCall        // in a session; nil otherwise
}

// An exchange answers one message of an mcpRequest. It is the carrier of the call that the
// message makes, and the context of the method, in which [Progress], [MCPLog] and [Ask] find
// it. One goroutine uses it, except for its stream, which the goroutines of the method may
// use.
type exchange struct {
	call
	*mcpRequest
	slot    *slot     // of the request; ws is not the exchange's any more when a method asks too late
	version []string  // the values of the header MCP-Protocol-Version
	rev     *revision // of the message; at first a revision that fits an unreadable body
	stream  mcpStream // of notifications
	message *message  // that is being answered; it goes back to the pool
	add     addFunc   // adds the output of the method to the result
	task    *taskCall // of a request for a task; nil otherwise

	capabilities []byte             // of the client, as JSON; protected by stream.mu while the method runs
	answers      map[string]*answer // to questions of the method, by their names; likewise
}

// A soleExchange is the memory of a request and of the exchange of its only message.
type soleExchange struct {
	exchange
	request mcpRequest
}

// newExchange returns an exchange of r in ws.
func newExchange(ctx context.Context, r mcpRequest, request *http.Request, ws *workspace) *exchange {
	x := &soleExchange{request: r, exchange: exchange{
		call: call{Context: ctx, endpoint: &r.h.endpoint, request: request, ws: ws}, slot: ws.slot}}
	x.mcpRequest = &x.request
	x.version = x.headerOf("Mcp-Protocol-Version")
	x.rev = x.headerRevision()
	return &x.exchange
}

// headerOf returns the values of a header of the request, whose name is in canonical form, or nil
// over standard input and output.
func (x *exchange) headerOf(name string) []string {
	if x.request == nil {
		return nil
	}
	return x.request.Header[name]
}

// An addFunc adds the output of a method to the result in ws.enc.buf.
type addFunc func(x *exchange, out any) error

// A failFunc makes the answer to an error of the method, such as its questions, or returns the error
// to send.
type failFunc func(x *exchange, err error) error

// target returns where the messages of the call go.
func (x *exchange) target() streamTarget { return streamTarget{x.w, x.line, x.h.eventTimes} }

// exchangeKey is the key of the exchange in a context.
type exchangeKey struct{}

func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	return x.call.Value(key)
}

func (x *exchange) httpStatus(error) int { return int(x.status) }

func (x *exchange) rpcName() string { return string(x.message.method) }

// An answer is that to one question, of this request or of an earlier round.
type answer struct {
	text []byte // a JSON object
	used bool   // the method has asked for it
}

// A taskCall is a request for a task while it is answered.
type taskCall struct {
	*mcpTask
	id    string
	began time.Time
	input []byte // of the reader, a JSON object
}

// declaresTasks reports whether the client declares the extension with this request.
func (m *message) declaresTasks() bool {
	return isJSONObject(memberAt(m.meta.capabilities, "extensions", tasksExtension))
}

// tasksExtension is the name of the extension.
const tasksExtension = "io.modelcontextprotocol/tasks"

// The members of params that several methods of MCP have.
const (
	mcpNameMember = iota
	mcpArgumentsMember
	mcpResponsesMember
	mcpStateMember
	mcpMetaMember
)

// accepted says which forms of an answer a client accepts. With json alone, methods
// cannot send progress and log messages. With events alone, an answer is a stream of one
// event. The zero value gets 406.
type accepted struct{ json, events bool }

// returnMessage empties the message and gives it back to the pool, unless its timer has
// fired: that goroutine may still use it, and must not meet the next call.
func (x *exchange) returnMessage() {
	m := x.message
	if x.message = nil; !m.quiet.fired {
		*m = message{quiet: quietTimer{timer: m.quiet.timer}}
		x.h.messages.Put(m)
	}
}

// accept202 answers a message that needs no answer. Over standard output it sends nothing.
func (x *exchange) accept202() {
	if x.line == nil {
		x.w.WriteHeader(http.StatusAccepted)
	}
}

// saysModern reports whether the values of the header name a modern revision.
func saysModern(header []string) bool { return len(header) == 1 && isModern(header[0]) }

// headerRevision returns the revision that the header MCP-Protocol-Version or the session says. It
// is the revision of the answer if a body cannot be read.
func (x *exchange) headerRevision() *revision {
	if saysModern(x.version) && x.h.speaksModern() {
		return newestRevision
	}
	if len(x.version) == 1 {
		if rev := x.h.revisionOf(x.version[0]); rev != nil {
			return rev
		}
	}
	return x.agreedRevision()
}

// agreedRevision returns the revision of a legacy request without a header.
func (x *exchange) agreedRevision() *revision { return cmp.Or(x.agreed.rev, assumedRevision) }

// revisionOf returns the revision of a date, or nil if it is not served.
func (h *mcpHandler) revisionOf(date string) *revision {
	if rev := revisionOf(date); rev != nil && rev.date <= h.newest.date {
		return rev
	}
	return nil
}

// speaksModern reports whether the newest revision that is served is a modern one.
func (h *mcpHandler) speaksModern() bool { return h.newest.modern }

// closeAnswer ends the result in ws.enc.buf, or puts an *mcpError in its place. It returns
// the status and the error to log.
func (x *exchange) closeAnswer(id []byte, err error) (int, error) {
	if e, ok := err.(*mcpError); ok {
		return x.addError(id, e), e.cause
	}
	x.ws.enc.buf = endRPCResult(append(x.ws.enc.buf, '}'), id)
	return http.StatusOK, err
}

// openResult begins a result in ws.enc.buf. Modern results begin with resultType and _meta, which
// legacy results lack.
func (x *exchange) openResult() {
	x.ws.enc.buf = append(beginRPCResult(x.ws.enc.buf[:0]), '{')
	if x.rev.typed {
		x.ws.enc.buf = append(x.ws.enc.buf, x.h.texts.modern...)
	}
}

// addJSON appends JSON to the result.
func (x *exchange) addJSON(text string) { x.ws.enc.buf = append(x.ws.enc.buf, text...) }

// An mcpError is an answer that is not a result. Its number decides its status (MCP 2026-07-28,
// Streamable HTTP, Server Validation). Legacy clients get 200 for all errors that are not about
// HTTP itself: some end their session, with all calls in flight, at any other status.
//
//	The request                                 Number  Legacy  Modern
//	------------------------------------------  ------  ------  ------
//	is not JSON                                 -32700  200     400
//	is not a valid message, or a batch          -32600  200     400
//	has a body over Options.MaxBody             -32600  200     413
//	names an unknown method                     -32601  200     404
//	lacks protocolVersion or capabilities       -32602  none    400
//	has other bad params, or an unknown tool    -32602  200     400
//	fails in the server                         -32603  200     200
//	comes from a caller who may not call        -32600  401, 403 as for all
//	has headers that contradict the body        -32020  400     400
//	has MCP-Protocol-Version more than once     -32020  400     400
//	lacks a capability that the tool needs      -32021  none    400
//	wants a revision that is not served         -32022  400     400
//
// Once the answer is a stream, the status is always 200.
type mcpError struct {
	number  int
	text    string
	data    []byte // JSON, or nil
	refusal int    // the status of a refusal, which replaces the status of the number; or 0
	cause   error  // for the log and for Options.Observe; not nil
}

func (e *mcpError) Error() string { return e.text }

// The error numbers that MCP adds to JSON-RPC (MCP 2026-07-28, Base Protocol).
const (
	mcpHeaderMismatch     = -32020
	mcpMissingCapability  = -32021
	mcpUnsupportedVersion = -32022
)

var (
	noBatches   = protocolError(rpcInvalidRequest, "there are no batches; send one message at a time")
	badLogLevel = protocolError(rpcInvalidParams,
		"the log level must be one of debug, info, notice, warning, error, critical, alert and emergency")
	repeatedVersion = protocolError(mcpHeaderMismatch, "the header MCP-Protocol-Version is given more than once")
	methodMismatch  = protocolError(mcpHeaderMismatch, "the request must have one Mcp-Method header, equal to its method")
	notAcceptable   = refusal(httpError(http.StatusNotAcceptable, CodeInvalidArgument,
		"accept application/json, text/event-stream, or both"))
)

// protocolError returns an error that is the client's.
func protocolError(number int, text string) *mcpError {
	return &mcpError{number: number, text: text, cause: Errorf(CodeInvalidArgument, "%s", text)}
}

// refusal returns err as an error with the status of its code, which programs look at
// before they read the body.
func refusal(err error) *mcpError {
	e := ErrorFrom(err)
	return &mcpError{number: rpcInvalidRequest, text: e.message(), refusal: e.HTTPStatus(), cause: err}
}

// busyAnswer returns an error of isBusy as an answer with the id. It is not a result: nothing has
// run. Only modern clients understand a status other than 200.
func (x *exchange) busyAnswer(err error) *mcpError {
	busy := ErrorFrom(err)
	e := &mcpError{number: rpcInternalError, text: busy.message(), data: appendRPCData(nil, busy), refusal: http.StatusOK, cause: err}
	if x.rev.statuses {
		e.refusal = busy.HTTPStatus()
		if x.line == nil {
			setErrorHeader(x.w.Header(), busy.header)
		}
	}
	return e
}

// unsupportedVersion returns the error for an unknown revision. Its data lists the known
// ones and repeats the requested one (MCP 2026-07-28, Versioning), which is clipped:
// a revision is no longer than a date.
func (h *mcpHandler) unsupportedVersion(requested string) *mcpError {
	e := protocolError(mcpUnsupportedVersion, "this protocol version is not supported")
	e.data = fmt.Appendf(nil, `{"supported":%s,"requested":%s}`, encodeDocument(h.newest.datesUpTo()),
		appendQuoted(nil, clip(requested, 64)))
	return e
}

// sendError logs and sends the error of a message that makes no call. id is nil if the id of the
// message is missing or not allowed; the answer then has no id.
func (x *exchange) sendError(id []byte, e *mcpError) {
	if x.accept == (accepted{}) && x.statusOf(e) == http.StatusOK {
		e = notAcceptable
	}
	status := x.addError(id, e)
	x.log(x, e.cause)
	x.sendResponse(status)
}

// addError writes the answer e to ws.enc.buf and returns its status. A legacy server must not send
// the numbers that tell a client of both eras that the server is modern: the client would not fall
// back to initialize.
func (x *exchange) addError(id []byte, e *mcpError) int {
	number, data := e.number, e.data
	if e.isModern() && !x.h.speaksModern() {
		number, data = rpcInvalidRequest, nil
	}
	x.ws.enc.buf = appendRPCError(x.ws.enc.buf[:0], number, e.text, data, id)
	return x.statusOf(e)
}

// isModern reports whether the number of e tells that the server is modern.
func (e *mcpError) isModern() bool {
	return e.number == mcpHeaderMismatch || e.number == mcpMissingCapability || e.number == mcpUnsupportedVersion
}

// statusOf returns the status of an error over HTTP; see mcpError.
func (x *exchange) statusOf(e *mcpError) int {
	switch {
	case e.refusal == http.StatusUnauthorized, e.refusal == http.StatusForbidden, e.refusal == http.StatusNotAcceptable,
		e.refusal != 0 && x.rev.statuses:
		return e.refusal
	case e.number == rpcInternalError, !x.rev.statuses && !e.isModern():
		return http.StatusOK
	case e.number == rpcNoMethod:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// sendResponse sends the answer in ws.enc.buf. A response with a status other than 200 is always
// JSON, because a stream of events has status 200.
func (x *exchange) sendResponse(status int) {
	body := x.ws.enc.buf
	switch {
	case x.ofCall != nil && x.ofCall.aborted:
		x.sendAborted(status)
	case x.line != nil:
		x.line.writeMessage(body, false)
	case x.stream.events != nil:
		x.stream.events.sendEvent(&Event{Name: messageEvent}, body) // ignore the error: the client has gone
		x.stream.events.close()
	case status != http.StatusOK:
		writeErrorBody(x.w, status, nil, contentTypeJSON, body, new(headerValues))
	case !x.accept.json:
		setEventHeader(x.w.Header())
		x.w.WriteHeader(http.StatusOK)
		x.w.Write(appendEvent(nil, &Event{Name: messageEvent}, body))
	default:
		writeJSON(x.w, x.request, http.StatusOK, body, &x.values)
	}
}

// sendAborted answers a call that its client has canceled: nobody waits for the outcome.
func (x *exchange) sendAborted(status int) {
	if x.stream.events != nil {
		x.stream.events.close()
		return
	}
	if status == http.StatusOK {
		setEventHeader(x.w.Header())
	}
	x.w.WriteHeader(status)
}

// abortedStatus returns the status for sendAborted. If the answer would have been JSON, the client
// would take any body with 200 for an answer.
func (x *exchange) abortedStatus() int {
	if x.stream.events != nil || !x.accept.json {
		return http.StatusOK
	}
	return http.StatusAccepted
}

// Progress tells the caller how far the running method has come: done of total, in any unit. A
// total of 0 means unknown. message is for people and may be empty. ctx is the context of the
// method or derived from it. It is safe for concurrent use.
//
// Only MCP clients that asked for progress get it (MCP 2025-11-25, Progress); otherwise Progress
// does nothing. It also does nothing if done is not greater than in the previous report, or after
// the method has returned. If the client does not read, Progress waits; doc/mcp.md says how long,
// and when reports are dropped.
func Progress(ctx context.Context, done, total float64, message string) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		x.stream.sendProgress(done, total, message, true)
	}
}

// MCPLog sends a log message to the caller of the running method. ctx is the context of the method
// or derived from it. data is a string or any value that encoding/json can write. If it cannot be
// written, [Options].Logger gets the error.
//
// level is a level of package slog. Only MCP clients that asked for it get the message; otherwise
// MCPLog does nothing. doc/mcp.md maps the levels of slog to the levels of MCP. Like [Progress],
// MCPLog may wait for the client or drop the message. It is safe for concurrent use.
//
// The specification deprecates log messages from servers (SEP-2577), so clients may stop showing
// them. Use log/slog for messages to the operator of the service.
func MCPLog(ctx context.Context, level slog.Level, data any) {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		if err := x.stream.sendLog(level, data); err != nil {
			x.endpoint.logError(x, x.request, err, x.method)
		}
	}
}

// sendsEvents reports whether messages can be sent to the client before the answer: the
// client accepts events, and the writer can flush.
func (x *exchange) sendsEvents() bool {
	return x.accept.events && (x.line != nil || canFlush(x.w))
}

// startStream allows the method of m to send the notifications that the client wants. Legacy
// clients get log messages from the level info on, since the server may choose the level until a
// client sets one (MCP 2025-11-25, schema, LoggingMessageNotification).
func (x *exchange) startStream() {
	m := x.message
	var wants notices
	var quiet *quietTimer
	if x.sendsEvents() {
		wants = notices{token: m.meta.token, logs: true, logLevel: x.agreed.logLevel}
		if x.rev.namesLevel {
			wants.logLevel, wants.logs = parseLogLevel(m.meta.logLevel)
		}
		if x.line == nil {
			quiet = &m.quiet
		}
	}
	x.stream.startCall(x.target(), wants, quiet)
}
