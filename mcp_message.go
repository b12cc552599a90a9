package svc

// This file reads the messages of a request, finds the revision of each, and answers
// it. In this order: messages and their members; the exchange; the body of a request; the
// choice of the revision and its checks; the methods of the protocol except tools/call;
// results; errors; and sending both.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
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
		eachMember(m.params, func(name, value []byte) { m.setMember(slices.Index(mcpNames.names, string(name)), value) })
	}
	if x.h.options.ReadStrings {
		if inside := jsonInside(m.arguments, '{', 0); inside != nil {
			m.arguments = inside
		}
	}
	m.wrong = m.wrong || m.arguments != nil && !isJSONObject(m.arguments)
}

// emptyObject is the value of an empty array.
var emptyObject = []byte("{}")

// isEmptyArray reports whether a value is []. PHP writes an empty object so.
func isEmptyArray(value []byte) bool {
	return len(value) > 1 && value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

// The members of params that several methods of MCP have.
const (
	mcpNameMember = iota
	mcpArgumentsMember
	mcpResponsesMember
	mcpStateMember
	mcpMetaMember
)

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
	eachMember(text, func(name, value []byte) {
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
	})
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
	line   *pipeLine           // nil over HTTP
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
	place   *place    // of the request; ws is not the exchange's any more when a method asks too late
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
	x := &soleExchange{request: r}
	x.mcpRequest = &x.request
	x.call = call{Context: ctx, endpoint: &r.h.endpoint, request: request, ws: ws}
	x.place = ws.place
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

// readBody reads the message in ws.body into x.message. If that is not JSON, or a
// batch, which two old revisions have, it answers with an error and reports false.
func (x *exchange) readBody() bool {
	text, s := &x.ws.text, &x.ws.dec.scan
	text.readText(s, x.ws.body, 1, x)
	switch {
	case s.err != nil:
		x.refuseUnread(x.ws.body, nil, protocolError(rpcParseError, "the body is not valid JSON: "+s.err.Error()))
		return false
	case text.batch:
		x.sendError(nil, noBatches)
		return false
	}
	x.message.rpcMessage = &text.messages[0]
	return true
}

// serveBody answers the body. A client whose Accept allows no form of an answer gets 406 only if a
// message needs an answer.
func (x *exchange) serveBody() {
	switch text := &x.ws.text; {
	case x.accept == (accepted{}) && slices.ContainsFunc(text.messages, wantsAnswer):
		x.sendError(nil, notAcceptable)
	default:
		x.serveMessage()
	}
}

// returnMessage empties the message and gives it back to the pool, unless its timer has
// fired: that goroutine may still use it, and must not meet the next call.
func (x *exchange) returnMessage() {
	m := x.message
	if x.message = nil; !m.quiet.fired {
		*m = message{quiet: quietTimer{timer: m.quiet.timer}}
		x.h.messages.Put(m)
	}
}

// serveMessage answers a body that is one message.
func (x *exchange) serveMessage() {
	m, version := x.message, x.version
	switch {
	case wantsAnswer(*m.rpcMessage) && x.agreed.session != "":
		x.answerInSession()
	case wantsAnswer(*m.rpcMessage):
		x.answerRequest()
	case m.kind == rpcNotification && x.headerOf("Mcp-Method") != nil && !x.saysMethod(m.method):
		// The specification does not require headers, but a gateway may have trusted
		// Mcp-Method, so it must be right if it is present.
		x.sendError(nil, methodMismatch)
	case m.kind == rpcResponse && len(version) == 1 && version[0] == newestRevision.date && x.h.speaksModern():
		// A response is how a legacy client answers questions. A modern client must not send one
		// (MCP 2026-07-28, Streamable HTTP).
		x.sendError(nil, protocolError(rpcInvalidRequest, "clients must not send responses in this revision"))
	default:
		x.acceptNote()
	}
}

// acceptNote accepts a message that needs no answer. The response is 202 for all messages, because
// some clients end their session at any other status: an answer may come too late, and the call
// that notifications/cancelled names may have ended, or run on a different replica. Only an unknown
// revision gets 400.
func (x *exchange) acceptNote() {
	if e := x.checkVersion(); e != nil {
		x.sendError(nil, e)
		return
	}
	if !x.receiveNote() {
		x.log(x, unasked)
	}
	x.accept202()
}

// accept202 answers a message that needs no answer. Over standard output it sends nothing.
func (x *exchange) accept202() {
	if x.line == nil {
		x.w.WriteHeader(http.StatusAccepted)
	}
}

// wantsAnswer reports whether a message needs an answer.
func wantsAnswer(m rpcMessage) bool { return m.kind == rpcRequest || m.kind == rpcInvalid }

// answerRequest answers a request, or a message that is not valid JSON-RPC. If its id is not
// allowed, the error has no id: null would not be valid MCP (MCP 2025-11-25, Base Protocol).
func (x *exchange) answerRequest() {
	m := x.message
	id := m.id
	if !isMCPID(id) {
		id = nil
	}
	x.parseParams()
	x.setRevision()
	switch {
	case m.kind == rpcInvalid:
		x.sendError(id, protocolError(rpcInvalidRequest, strings.TrimSpace(m.violation.Path+" "+m.violation.Message)))
		return
	case id == nil:
		x.sendError(nil, protocolError(rpcInvalidRequest, "/id must be a string or an integer, of at most 1024 bytes"))
		return
	}
	status, err := x.closeAnswer(id, x.answerMessage())
	if x.ofCall != nil && x.abortCall() {
		status = x.abortedStatus()
	}
	x.status = uint16(status)
	x.end(x, err)
	x.sendResponse(status)
}

// closeAnswer ends the result in ws.enc.buf, or puts an *mcpError in its place. It returns
// the status and the error to log.
func (x *exchange) closeAnswer(id []byte, err error) (int, error) {
	if e, ok := err.(*mcpError); ok {
		return x.addError(id, e), e.cause
	}
	x.ws.enc.buf = endRPCResult(append(x.ws.enc.buf, '}'), id)
	return http.StatusOK, err
}

// answerMessage writes the result of a valid request to ws.enc.buf, except for its end, or returns
// an *mcpError to send instead. It returns any other error together with a result that says that
// the tool failed.
func (x *exchange) answerMessage() error {
	m := x.message
	if m.wrong {
		return protocolError(rpcInvalidParams, "/params, and _meta and arguments in it, must be objects")
	}
	if e := x.checkRevision(); e != nil {
		return e
	}
	if t := m.meta.trace; isText(memberAt(t, traceNames[0])) {
		x.Context = context.WithValue(x.Context, receivedTrace{}, traceOf(func(i int) string { return textAt(t, traceNames[i]) }))
	}
	return x.answerMethod()
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

// setRevision sets x.rev.
//
// initialize is legacy even with a modern header, which clients of both eras send; if _meta has a
// revision, it is a method that is unknown in modern revisions. Methods that exist only in modern
// revisions are always modern: clients send them to probe the server, and an error that only modern
// servers send tells them its era (MCP 2026-07-28, Versioning, Backward Compatibility). If
// [MCPOptions.Newest] is a legacy revision, no request is modern.
func (x *exchange) setRevision() {
	m, method := x.message, string(x.message.method)
	switch isModern := m.meta.version != nil || isProbe(method) || saysModern(x.version) && method != "initialize"; {
	case isModern && x.h.speaksModern():
		x.rev = newestRevision
	case x.rev.modern: // by the header of initialize
		x.rev = x.agreedRevision()
	}
}

// isProbe reports whether a method exists only in modern revisions.
func isProbe(method string) bool {
	return method == "server/discover" || method == "subscriptions/listen"
}

// checkRevision makes the checks of the revision.
func (x *exchange) checkRevision() *mcpError {
	if x.rev.modern {
		return x.checkModern()
	}
	return x.checkLegacy()
}

// checkLegacy checks a legacy request. An unknown revision in the header must get 400 (MCP
// 2025-11-25, Transports, Protocol Version Header). 2024-11-05 and 2025-03-26 do not define the
// header, but clients send it after agreeing on them too. For initialize its params decide. A
// method that exists only in modern revisions passes this check and is then unknown, so that a
// client of both eras continues with initialize.
func (x *exchange) checkLegacy() *mcpError {
	m := x.message
	method, version := string(m.method), m.meta.version
	switch {
	case method == "initialize":
	case isProbe(method):
		return nil
	case x.line != nil && isText(version) && x.h.revisionOf(string(textOf(version))) == nil:
		return x.h.unsupportedVersion(string(textOf(version)))
	default:
		if e := x.checkVersion(); e != nil {
			return e
		}
	}
	if !x.saysMethod(m.method) {
		return methodMismatch
	}
	return nil
}

// checkVersion returns an error if the header names a revision that is not served, or several.
func (x *exchange) checkVersion() *mcpError {
	switch values := x.version; {
	case len(values) > 1:
		return repeatedVersion
	case len(values) == 1 && x.h.revisionOf(values[0]) == nil:
		return x.h.unsupportedVersion(values[0])
	}
	return nil
}

// revisionOf returns the revision of a date, or nil if it is not served.
func (h *mcpHandler) revisionOf(date string) *revision {
	if rev := revisionOf(date); rev != nil && rev.date <= h.newest.date {
		return rev
	}
	return nil
}

// speaksModern reports whether the newest revision that is served is a modern one.
func (h *mcpHandler) speaksModern() bool { return h.newest.modern }

// saysMethod reports whether the header Mcp-Method agrees with the method, or is absent
// where it need not be there. Clients never need base64 for it.
func (x *exchange) saysMethod(method []byte) bool {
	values := x.headerOf("Mcp-Method")
	return len(values) == 0 && !x.needsHeaders() || len(values) == 1 && values[0] == string(method)
}

// checkModern checks the members and headers that all modern requests must have. Then a gateway
// that reads only headers and a server that reads only the body act on the same request (MCP
// 2026-07-28, Streamable HTTP, Server Validation). The specification sets the number of each error,
// but not the order of the checks. A repeated header is an error, since two programs might read
// different ones.
func (x *exchange) checkModern() *mcpError {
	m, header := x.message, x.version
	overHTTP, version := x.line == nil, []byte(nil)
	if isText(m.meta.version) {
		version = textOf(m.meta.version)
	}
	switch {
	case overHTTP && len(header) == 0:
		return protocolError(mcpHeaderMismatch, "the header MCP-Protocol-Version is required")
	case overHTTP && len(header) > 1:
		return repeatedVersion
	case overHTTP && m.meta.version == nil && revisionOf(header[0]) == nil:
		// Without _meta only the header names the revision. A later revision may not have _meta at
		// all.
		return x.h.unsupportedVersion(header[0])
	case version == nil:
		return protocolError(rpcInvalidParams, `params._meta["io.modelcontextprotocol/protocolVersion"] is required and must be a string`)
	case overHTTP && string(version) != header[0]:
		return protocolError(mcpHeaderMismatch, "the header MCP-Protocol-Version differs from the protocolVersion in _meta")
	case string(version) != x.rev.date:
		return x.h.unsupportedVersion(string(version))
	case !x.saysMethod(m.method):
		return methodMismatch
	case !isJSONObject(m.meta.capabilities):
		return protocolError(rpcInvalidParams,
			`params._meta["io.modelcontextprotocol/clientCapabilities"] is required and must be an object`)
	}
	return nil
}

// answerMethod answers a request that the rules of its era allow; see answerMessage.
func (x *exchange) answerMethod() error {
	m := x.message
	method := string(m.method)
	switch {
	case m.meta.logLevel != nil && x.rev.namesLevel && !isLogLevel(m.meta.logLevel):
		return badLogLevel // MCP 2026-07-28, Logging
	case m.meta.token != nil && !isMCPID(m.meta.token):
		// MCP 2025-11-25, Progress
		return protocolError(rpcInvalidParams, "params._meta.progressToken must be a string or an integer, of at most 1024 bytes")
	case method == "tools/call":
		return x.answerToolsCall()
	case x.h.lists[method] != nil:
		return x.answerList()
	case len(x.h.resources) > 0 && method == "resources/read":
		return x.answerRead()
	case len(x.h.prompts) > 0 && method == "prompts/get":
		return x.answerPrompt()
	case len(x.h.resources)+len(x.h.prompts) > 0 && method == "completion/complete":
		return x.answerComplete()
	case x.rev.modern && method == "server/discover":
		x.ws.enc.buf = append(beginRPCResult(x.ws.enc.buf[:0]), '{')
		x.addJSON(x.h.texts.discover)
	case x.rev.modern && method == "subscriptions/listen":
		return x.answerListen()
	case x.rev.tasks && x.h.servesTasks(method):
		return x.answerTask()
	case !x.rev.modern && method == "initialize":
		return x.answerInitialize()
	case !x.rev.modern && (method == "ping" || len(x.h.resources) > 0 &&
		(method == "resources/subscribe" || method == "resources/unsubscribe")):
		// A subscription has no effect, because this server cannot notify clients later.
		x.openResult()
	case !x.rev.modern && method == "logging/setLevel":
		// Over HTTP the level is not kept, since a session is sealed before; see [MCPLog].
		level, ok := parseLogLevel(memberAt(m.params, "level"))
		if !ok {
			return badLogLevel
		}
		if x.line != nil {
			agreed := *x.agreed
			agreed.logLevel = level
			x.line.pipe.agreed = &agreed
		}
		x.openResult()
	default:
		if own, ok := x.h.extensions[method]; ok {
			return x.answerExtension(own)
		}
		return protocolError(rpcNoMethod, "there is no such method")
	}
	return nil
}

// answerInitialize agrees on a revision with a legacy client (MCP 2025-11-25, Lifecycle, Version
// Negotiation): the revision that the client asks for, if the server knows it, or else the latest.
// Over HTTP the client keeps it, in its session. Calls without initialize are answered too.
func (x *exchange) answerInitialize() error {
	m := x.message
	wanted := memberAt(m.params, "protocolVersion")
	if !isText(wanted) {
		return protocolError(rpcInvalidParams, "params.protocolVersion is required and must be a string")
	}
	rev := revisionOf(string(textOf(wanted)))
	if rev == nil || rev.modern { // a modern revision has no initialize
		rev = newestAgreed
	}
	if rev.date > x.h.newest.date {
		rev = x.h.newest
	}
	capabilities := memberAt(m.params, "capabilities")
	if isEmptyArray(capabilities) {
		capabilities = emptyObject
	}
	switch {
	case x.line != nil:
		x.line.pipe.agreed = &agreement{rev: rev, capabilities: bytes.Clone(capabilities)}
	case rev.sessions:
		x.w.Header()[sessionHeader] = []string{x.h.sessions.seal(storeID(x, ""), rev.date, capabilities)}
	}
	x.openResult()
	x.addJSON(`"protocolVersion":"` + rev.date + `",` + x.h.texts.initialize)
	return nil
}

// An agreement holds the data of a legacy client's initialize on a pipe, or in a session. It never
// changes.
type agreement struct {
	rev          *revision  // nil before initialize
	capabilities []byte     // from initialize, as JSON; or nil
	logLevel     slog.Level // of logging/setLevel, on a pipe
	session      string     // over HTTP, as the client sends it; "" without one
}

// answerList lists all tools, resources, templates or prompts on one page, because many
// clients read only the first page. So the server makes no cursors, and every cursor,
// even an empty one, is invalid, which is -32602 (MCP 2025-11-25, Pagination).
func (x *exchange) answerList() error {
	m := x.message
	if cursor := memberAt(m.params, "cursor"); cursor != nil && !isJSONNull(cursor) {
		return protocolError(rpcInvalidParams, "params.cursor is unknown: the list has only one page")
	}
	x.openResult()
	if err := x.addObjects(x.h.lists[string(m.method)]); err != nil {
		return &mcpError{number: rpcInternalError, text: "internal error", cause: err}
	}
	if x.rev.typed {
		x.addJSON(x.h.texts.cache)
	}
	return nil
}

// answerListen answers subscriptions/listen (MCP 2026-07-28, Subscriptions). Lists never
// change here, so it acknowledges an empty set of notifications, which must be the
// first message, and ends the subscription at once by its result. A client that accepts
// no events gets only the result.
func (x *exchange) answerListen() error {
	m := x.message
	if len(x.h.tasks) > 0 && !m.declaresTasks() && memberAt(m.params, "notifications", "taskIds") != nil {
		return withoutTasks
	}
	if x.line == nil {
		if err := x.h.service.load.beginStream(); err != nil {
			return x.busyAnswer()
		}
		defer x.h.service.load.endStream()
	}
	subscription := `"io.modelcontextprotocol/subscriptionId":` + string(m.id)
	if x.sendsEvents() {
		x.stream.to = x.mcpRequest
		x.stream.queueNotification("notifications/subscriptions/acknowledged", []byte(`{"_meta":{`+subscription+`},"notifications":{}}`))
	}
	x.ws.enc.buf = beginRPCResult(x.ws.enc.buf[:0])
	x.addJSON(`{"resultType":"complete","_meta":{` + x.h.texts.serverInfo + `,` + subscription + `}`)
	return nil
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

// busyAnswer returns errBusy as an answer with the id. It is not a result: nothing has run. Only
// modern clients understand a status other than 200.
func (x *exchange) busyAnswer() *mcpError {
	e := &mcpError{number: rpcInternalError, text: errBusy.message(), data: appendRPCData(nil, errBusy), refusal: http.StatusOK,
		cause: errBusy}
	if x.rev.statuses {
		e.refusal = errBusy.HTTPStatus()
		if x.line == nil {
			setErrorHeader(x.w.Header(), errBusy.header)
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
		x.line.writeMessage(body)
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
