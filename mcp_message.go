package svc

// This file reads the messages of one request, decides by the rules of which
// revision each is answered, and answers it. It comes in this order: revisions and
// eras; messages and the members that are read; the exchange; the body of a
// request, alone or a batch; the choice of an era and its rules; the methods of the
// protocol but tools/call; results; errors; and the sending of both.
//
// The revisions up to 2025-11-25 are called legacy here, those from 2026-07-28
// modern (MCP 2026-07-28, Versioning). A legacy client agrees on a revision with
// the server by initialize. A modern client sends in each request everything the
// server has to know. Legacy clients repeat the revision in a header from
// 2025-06-18 on, so the server need not remember the result of initialize:
//
//	                         2024-11-05  2025-03-26  2025-06-18  2025-11-25  2026-07-28
//	-----------------------  ----------  ----------  ----------  ----------  ----------
//	era                      legacy      legacy      legacy      legacy      modern
//	MCP-Protocol-Version     optional    optional    optional    optional    required
//	the same in _meta        no          no          no          no          required
//	Mcp-Method, -Name        optional    optional    optional    optional    required
//	Mcp-Param-*              optional    optional    optional    optional    as x-mcp-header says
//	clientCapabilities       no          no          no          no          required in _meta
//	initialize, ping         yes         yes         yes         yes         no
//	logging/setLevel         yes         yes         yes         yes         no
//	server/discover          no          no          no          no          yes
//	subscriptions/listen     no          no          no          no          yes
//	tools/list, tools/call   yes         yes         yes         yes         yes
//	resources/*, prompts/*   yes         yes         yes         yes         yes
//	completion/complete      yes         yes         yes         yes         yes
//	resources/subscribe      {}          {}          {}          {}          no
//	questions of a method    no          no          no          no          yes
//	batches                  yes         yes         no          no          no
//	audio blocks             as text     yes         yes         yes         yes
//	links to resources       as text     as text     yes         yes         yes
//	least level of messages  info        info        info        info        logLevel of _meta
//	resultType, serverInfo   no          no          no          no          in each result
//	ttlMs, cacheScope        no          no          no          no          in lists
//	status of most errors    200         200         200         200         of the error
//
// The table lists the actions of the server. It is more lenient than the
// specification in one row: clients of 2025-06-18 and 2025-11-25 must send the
// header after initialize (MCP 2025-11-25, Transports, Protocol Version Header),
// but the same page tells the server to assume 2025-03-26 without it.

import (
	"cmp"
	"net/http"
	"slices"
)

// The revisions that are served.
const (
	modernRevision  = "2026-07-28" // the first without a handshake
	revisionNov2025 = "2025-11-25"
	revisionJun2025 = "2025-06-18" // batches end, links to resources begin
	revisionMar2025 = "2025-03-26" // batches and audio begin
	revisionNov2024 = "2024-11-05"
)

// assumedRevision is the revision of a legacy request without a header (MCP
// 2025-11-25, Transports, Protocol Version Header).
const assumedRevision = revisionMar2025

// legacyRevisions has the latest revision first. The server offers it to a client
// whose initialize asks for a revision that is not here (MCP 2025-11-25,
// Lifecycle, Version Negotiation). It never offers the modern one, which no
// client can use after initialize.
var legacyRevisions = []string{revisionNov2025, revisionJun2025, revisionMar2025, revisionNov2024}

// appendRevisions appends all revisions as a JSON array. server/discover and the
// error -32022 must list the same ones (MCP 2026-07-28, Versioning).
func appendRevisions(dst []byte) []byte {
	dst = appendQuoted(append(dst, '['), modernRevision)
	for _, v := range legacyRevisions {
		dst = appendQuoted(append(dst, ','), v)
	}
	return append(dst, ']')
}

func isLegacyRevision(v string) bool { return slices.Contains(legacyRevisions, v) }

// isModernRevision reports whether v is the date of a modern revision, also of
// one that is not known yet: dates in this form compare as strings.
func isModernRevision(v string) bool {
	if len(v) != len("2006-01-02") || v < modernRevision {
		return false
	}
	for i := range len(v) {
		if dash := i == 4 || i == 7; dash != (v[i] == '-') || !dash && !isDigit(v[i]) {
			return false
		}
	}
	return true
}

// A message is one JSON-RPC message with the parts of its params that calls have.
// Each part is the text of a JSON value within the body, or nil
// if it is absent. Only arguments is known to have the right type.
type message struct {
	rpcMessage
	meta      requestMeta
	name      []byte // tools/call, prompts/get: the tool or the prompt
	arguments []byte // tools/call, prompts/get: an object; nil also for null
	responses []byte // inputResponses, the answers to questions; nil also for null
	state     []byte // requestState, which goes with them; nil also for null
}

// A requestMeta holds the members of params._meta that describe a request. Each
// part is the text of a JSON value, or nil if it is absent. No part is known to
// have the right type.
type requestMeta struct {
	version      []byte // the revision; its presence makes a request modern
	capabilities []byte // what the client can do
	logLevel     []byte // the least level of log messages; nil for none
	token        []byte // progressToken; nil if the client does not want progress
}

// findParts finds the parts of m.params. It needs to run before the era is known
// and must not depend on it. Other members are ignored, because clients may send
// those of another revision or an extension.
func (x *exchange) findParts(m *message) *mcpError {
	if len(m.params) == 0 {
		return nil
	}
	ok := isJSONObject(m.params)
	if ok {
		eachMember(m.params, func(name, value []byte) {
			switch place := m.partNamed(name); {
			case place != nil:
				*place = value
			case string(name) != "_meta" || isJSONNull(value): // clients send null for no _meta
			case isJSONObject(value):
				m.meta.readMembers(value)
			default:
				ok = false
			}
		})
	}
	if m.arguments != nil && !isJSONObject(m.arguments) {
		ok = ok && isJSONNull(m.arguments) // clients send null for no arguments
		m.arguments = nil
	}
	if isJSONNull(m.responses) {
		m.responses = nil
	}
	if isJSONNull(m.state) {
		m.state = nil
	}
	if !ok {
		x.modern = x.saysModern() // all that is known for the status of the error
		return badParams
	}
	return nil
}

// partNamed returns the place for a member of params, or nil if it means nothing.
func (m *message) partNamed(name []byte) *[]byte {
	switch string(name) {
	case "name":
		return &m.name
	case "arguments":
		return &m.arguments
	case "inputResponses":
		return &m.responses
	case "requestState":
		return &m.state
	}
	return nil
}

// readMembers finds the parts of a _meta object.
func (meta *requestMeta) readMembers(text []byte) {
	eachMember(text, func(name, value []byte) {
		switch string(name) {
		case "io.modelcontextprotocol/protocolVersion":
			meta.version = value
		case "io.modelcontextprotocol/clientCapabilities":
			meta.capabilities = value
		case "io.modelcontextprotocol/logLevel":
			meta.logLevel = value
		case "progressToken":
			if !isJSONNull(value) { // which clients send for none
				meta.token = value
			}
		}
	})
}

// maxMCPID is how long an id or a progressToken may be, in bytes of JSON. The
// token is repeated in each report of progress, so that a long one would cost its
// length hundreds of times.
const maxMCPID = 1 << 10

// isMCPID reports whether a JSON value is allowed as an id or as a progressToken:
// a string or an integer of at most maxMCPID. JSON-RPC itself allows null and
// fractions as ids (MCP 2025-11-25, Base Protocol, Requests). Integers have any
// size up to there, because an id is repeated as text and never computed with.
func isMCPID(id []byte) bool {
	if len(id) > maxMCPID {
		return false
	}
	if isText(id) {
		return true
	}
	if !isJSONNumber(id) {
		return false
	}
	_, _, kind := parseInteger(id)
	return kind != integerFraction
}

// An exchange answers one request, or one message of a batch. It is the carrier of the
// call that the message makes, and so the context of the method, where [Progress],
// [MCPLog] and [Ask] find it. It is used by one goroutine, except for its stream, which
// goroutines of the method may use; Value changes nothing but the header of its Info.
type exchange struct {
	call
	h        *mcpHandler
	w        http.ResponseWriter // nil over standard input and output
	values   headerValues        // of the response
	header   http.Header         // of the request; nil over standard input and output
	pipe     *mcpPipe            // nil over HTTP
	onPipe   *pipeCall           // of a call that runs by itself on the pipe; nil otherwise
	accept   accepted
	agreed   string    // the revision of initialize on this pipe; "" before, and over HTTP
	revision string    // of the message that is being answered
	modern   bool      // its era
	stream   mcpStream // events of the answer; unused in a batch

	message   message // that is being answered
	tool      *tool   // that it calls; nil if it calls none
	arguments []byte  // of the tool, as JSON; nil if there are none
	add       addFunc // adds the output of the method to the result

	capabilities []byte  // of the client, as JSON; protected by stream.mu while the method runs
	answers      answers // to questions of the method; likewise
}

// An addFunc adds what a method has returned to the result in ws.enc.buf.
type addFunc func(x *exchange, out any) error

func newExchange(h *mcpHandler, w http.ResponseWriter, r *http.Request, ws *workspace) *exchange {
	x := &exchange{h: h, w: w, header: r.Header, accept: parseAccept(r.Header["Accept"])}
	x.call = call{Context: r.Context(), endpoint: &h.endpoint, request: r, response: w.Header(), ws: ws}
	return x
}

// exchangeKey is the key of the exchange in a context.
type exchangeKey struct{}

func (x *exchange) Value(key any) any {
	switch key {
	case exchangeKey{}:
		return x
	case infoKey{}:
		x.stream.copyHeader(x)
	}
	return x.call.Value(key)
}

// serveBody answers all messages of the body, which is in ws.body. It returns an
// error only if it has not sent anything.
func (x *exchange) serveBody() error {
	if x.isBatch() {
		return x.serveBatch()
	}
	var m rpcMessage
	if !x.readMessage(&m) {
		return nil
	}
	return x.serveMessage(&m)
}

// isBatch reports whether the body is an array.
func (x *exchange) isBatch() bool {
	s := scanner{data: x.ws.body}
	return s.peek() == '['
}

// readMessage reads the one message of the body, or reports false and answers with an
// error if it cannot be read.
func (x *exchange) readMessage(m *rpcMessage) bool {
	s := &x.ws.dec.scan
	s.reset(x.ws.body)
	m.readMessage(s, x)
	s.checkEnd()
	if s.err != nil {
		x.sendError(nil, notJSON(s.err))
	}
	return s.err == nil
}

// serveMessage answers a body that is one message.
func (x *exchange) serveMessage(m *rpcMessage) error {
	switch m.kind {
	case rpcNotification:
		// 202 without a body, whatever the notification says. The specification
		// does not say which headers it needs, but a Mcp-Method that contradicts it
		// gets 400: a gateway may have decided by it. What it is about, such as the
		// call that notifications/cancelled names, may run on another replica;
		// receivers may ignore ids that they do not know (MCP 2025-11-25,
		// Cancellation).
		if len(x.header["Mcp-Method"]) > 0 && !x.saysMethod(m.method) {
			x.sendError(nil, methodMismatch)
			return nil
		}
		x.acceptMessage()
	case rpcResponse:
		// A legacy client may send one, though this server has not asked
		// anything. A modern client must not (MCP 2026-07-28, Streamable HTTP).
		if x.saysModern() {
			x.sendError(nil, badRequest(rpcInvalidRequest, "a client sends no responses in this revision"))
			return nil
		}
		x.acceptMessage()
	default:
		if x.accept == (accepted{}) {
			return notAcceptable
		}
		x.answerRequest(m)
	}
	return nil
}

// notAcceptable is the error for a client that takes no form of an answer.
var notAcceptable = httpError(http.StatusNotAcceptable, CodeInvalidArgument, "accept application/json, text/event-stream, or both")

// acceptMessage says that messages which get no answer have arrived. Over standard
// output they get nothing.
func (x *exchange) acceptMessage() {
	if x.pipe == nil {
		x.w.WriteHeader(http.StatusAccepted)
	}
}

// hasBatches reports whether the revision of the request has batches.
func (x *exchange) hasBatches() bool {
	revision := x.agreed
	if header := x.versionHeader(); len(header) > 0 {
		revision = header[0]
	}
	return revision == "" || revision == revisionMar2025 || revision == revisionNov2024
}

// maxMCPBatch is how many messages a batch may have. The revisions that have
// batches set no limit. Clients that use them send only a few messages.
const maxMCPBatch = 100

// serveBatch answers an array of messages. Only 2025-03-26 requires servers to
// take one (MCP 2025-03-26, Base Protocol, Batching), and 2025-06-18 removed
// batches. Messages are answered one after the other, and the answers are sent
// as one array at the end. Methods cannot send events meanwhile: the first event
// would fix the status, and a log message does not say which call it is about.
//
// Each message has an exchange of its own, since that is the context of the method
// it calls: a goroutine that the method leaves behind still reads it. What methods
// add to Info.Header is dropped, since one response answers all of them.
//
// The answers have the bounds of JSON-RPC's batches; see batchBudget. When the client
// has gone, the rest of the calls is not run, and nothing is sent.
func (x *exchange) serveBatch() error {
	messages, e := x.readBatch()
	switch {
	case e != nil:
		x.sendError(nil, e)
		return nil
	case x.accept == (accepted{}) && slices.ContainsFunc(messages, wantsAnswer):
		return notAcceptable
	}
	out := []byte{'['}
	budget := new(batchBudget)
	defer budget.logRest(x, &x.h.endpoint, x.request)
	for i := range messages {
		m := &messages[i]
		if !wantsAnswer(*m) {
			continue
		}
		y := &exchange{call: x.call, h: x.h, w: x.w, header: x.header, pipe: x.pipe, agreed: x.agreed, accept: x.accept}
		y.response, y.budget = nil, budget
		y.answerWithin(m)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, x.ws.enc.buf...)
	}
	switch {
	case x.Err() != nil:
	case len(out) == 1: // notifications and responses only
		x.acceptMessage()
	default:
		x.ws.enc.buf = append(append(x.ws.enc.buf[:0], out...), ']')
		x.sendAnswer(http.StatusOK)
	}
	return nil
}

// wantsAnswer reports whether a message of a batch has an answer.
func wantsAnswer(m rpcMessage) bool { return m.kind == rpcRequest || m.kind == rpcInvalid }

// readBatch returns the messages of a batch, or the error to answer it with.
func (x *exchange) readBatch() ([]rpcMessage, *mcpError) {
	s := &x.ws.dec.scan
	var text rpcText
	text.readText(s, x.ws.body, maxMCPBatch, nil)
	switch {
	case s.err != nil:
		return nil, notJSON(s.err)
	case !x.hasBatches():
		return nil, noBatches
	case text.count == 0:
		return nil, badRequest(rpcInvalidRequest, "a batch must have at least one message")
	case text.count > maxMCPBatch:
		return nil, badRequest(rpcInvalidRequest, "a batch must have at most 100 messages")
	}
	return text.messages, nil
}

// answerWithin answers one message of a batch, if the budget lets its call begin. What
// is no valid request calls nothing.
func (x *exchange) answerWithin(rpc *rpcMessage) {
	if rpc.kind == rpcRequest && isMCPID(rpc.id) {
		if err := x.budget.checkNext(x); err != nil {
			x.method = x.findCalled(rpc)
			x.observeSkipped(x, err)
			x.addExhausted(rpc, err)
			return
		}
	}
	x.answerRequest(rpc)
}

// addExhausted makes the answer that says RESOURCE_EXHAUSTED: a result for a tool,
// which its model reads, and an error for everything else.
func (x *exchange) addExhausted(rpc *rpcMessage, err error) {
	if string(rpc.method) == "tools/call" {
		x.addFailure(rpc, err)
		return
	}
	x.ws.enc.buf = appendRPCError(x.ws.enc.buf[:0], rpcInternalError, string(appendErrorText(nil, ErrorFrom(err))), nil, rpc.id)
}

// findCalled returns the method that a message calls, or nil if it calls none.
func (x *exchange) findCalled(rpc *rpcMessage) *method {
	var called *tool
	switch name := textAt(rpc.params, "name"); string(rpc.method) {
	case "tools/call":
		called = x.h.tools[name]
	case "prompts/get":
		if q := x.h.prompts[name]; q != nil {
			called = q.tool
		}
	case "resources/read":
		if r, _ := x.h.findResource(textAt(rpc.params, "uri")); r != nil {
			called = r.tool
		}
	}
	if called == nil {
		return nil
	}
	return called.method
}

// answerRequest answers a request, or a message that is not valid JSON-RPC. An
// error has the id of the request only if the id is allowed: with null in its
// place the error would not be valid MCP (MCP 2025-11-25, Base Protocol).
func (x *exchange) answerRequest(rpc *rpcMessage) {
	var e *mcpError
	switch {
	case rpc.kind == rpcInvalid:
		e = badRequest(rpcInvalidRequest, violationText(rpc.violation))
	case !isMCPID(rpc.id):
		e = badRequest(rpcInvalidRequest, "/id must be a string or an integer, of at most 1024 bytes")
	}
	if e != nil {
		id := rpc.id
		if !isMCPID(id) {
			id = nil
		}
		x.sendError(id, e)
		return
	}
	m := &x.message
	m.rpcMessage = *rpc
	status, err := http.StatusOK, x.answerMessage(m)
	if e, ok := err.(*mcpError); ok {
		status, err = x.addError(rpc.id, e), e.cause
	}
	if tooLarge := x.budget.keepAnswer(len(x.ws.enc.buf)); tooLarge != nil {
		err = tooLarge
		x.addExhausted(rpc, err)
	}
	x.end(x, err)
	x.sendAnswer(status)
}

// answerMessage leaves the result of a valid request in ws.enc.buf, or returns an
// *mcpError to send in its place. Another error is that of a tool, of which the result
// tells.
func (x *exchange) answerMessage(m *message) error {
	if e := x.findParts(m); e != nil {
		return e
	}
	if e := x.chooseEra(m); e != nil {
		return e
	}
	return x.answerMethod(m)
}

// violationText returns a violation as one text, with its place if it has one.
func violationText(v *Violation) string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + " " + v.Message
}

// versionHeader returns the values of MCP-Protocol-Version.
func (x *exchange) versionHeader() []string { return x.header["Mcp-Protocol-Version"] }

// saysModern reports whether the header names a modern revision.
func (x *exchange) saysModern() bool {
	values := x.versionHeader()
	return len(values) == 1 && isModernRevision(values[0])
}

// chooseEra decides by which rules m is answered, and checks them.
//
// initialize is legacy, also from a client of both eras that sends its modern
// header with it, unless _meta says otherwise: then it is a method that the
// modern revisions have removed. The methods that only modern revisions have
// matter to clients that probe: they get an error that only modern servers send
// (MCP 2026-07-28, Versioning, Backward Compatibility).
func (x *exchange) chooseEra(m *message) *mcpError {
	method := string(m.method)
	x.modern = m.meta.version != nil || x.saysModern() && method != "initialize" ||
		method == "server/discover" || method == "subscriptions/listen"
	if x.modern {
		return x.checkModern(m)
	}
	return x.checkLegacy(m)
}

// checkLegacy sets x.revision by the one header that legacy revisions have. A
// revision that the server does not know must get 400 (MCP 2025-11-25,
// Transports, Protocol Version Header). The 2024-11-05 and 2025-03-26 revisions
// have no such header, but clients send it after they have agreed on those too.
func (x *exchange) checkLegacy(m *message) *mcpError {
	x.revision = cmp.Or(x.agreed, assumedRevision)
	switch values := x.versionHeader(); {
	case len(values) == 0:
	case len(values) > 1:
		return repeatedVersion
	case isLegacyRevision(values[0]):
		x.revision = values[0]
	case string(m.method) == "initialize" && isModernRevision(values[0]):
		// The client speaks both eras, and its params decide the era.
	default:
		return unsupportedVersion(values[0])
	}
	if len(x.header["Mcp-Method"]) > 0 && !x.saysMethod(m.method) {
		return methodMismatch
	}
	return nil
}

// saysMethod reports whether the header Mcp-Method is there once and is the method
// of a message. Clients never need base64 for it.
func (x *exchange) saysMethod(method []byte) bool {
	values := x.header["Mcp-Method"]
	return len(values) == 1 && values[0] == string(method)
}

// checkModern checks the members and headers that all modern requests must have, so
// that a gateway that reads only headers and a server that reads only the body act
// on the same request (MCP 2026-07-28, Streamable HTTP, Server Validation). The
// specification gives each error its number; the order of the checks is ours. A
// repeated header counts as malformed, since two programs could each take another
// one of them.
func (x *exchange) checkModern(m *message) *mcpError {
	x.revision = modernRevision
	if x.budget != nil {
		return noBatches
	}
	if x.pipe == nil {
		if e := x.checkModernHeaders(m); e != nil {
			return e
		}
	}
	switch {
	case !isText(m.meta.version):
		return noMetaVersion
	case string(textOf(m.meta.version)) != modernRevision:
		return unsupportedVersion(string(textOf(m.meta.version)))
	case !isJSONObject(m.meta.capabilities):
		return noCapabilities
	}
	return nil
}

// checkModernHeaders checks the headers that all modern requests must have.
func (x *exchange) checkModernHeaders(m *message) *mcpError {
	header := x.versionHeader()
	switch {
	case len(header) == 0:
		return missingVersion
	case len(header) > 1:
		return repeatedVersion
	case m.meta.version == nil && header[0] != modernRevision && !isLegacyRevision(header[0]):
		// Without _meta only the header names the revision. A later revision may
		// not even have _meta.
		return unsupportedVersion(header[0])
	case !isText(m.meta.version):
		return noMetaVersion
	}
	switch version := textOf(m.meta.version); {
	case string(version) != header[0]:
		return versionMismatch
	case header[0] != modernRevision:
		return unsupportedVersion(header[0])
	}
	if !x.saysMethod(m.method) {
		return methodMismatch
	}
	return nil
}

// answerMethod answers a request that the rules of its era allow; see answerMessage.
func (x *exchange) answerMethod(m *message) error {
	method := string(m.method)
	switch {
	case x.modern && m.meta.logLevel != nil && !isLogLevel(m.meta.logLevel):
		return badLogLevel // MCP 2026-07-28, Logging
	case m.meta.token != nil && !isMCPID(m.meta.token):
		return badToken // MCP 2025-11-25, Progress
	case method == "tools/call":
		return x.answerToolsCall(m)
	case x.h.texts.lists[method] != "":
		return x.answerList(m)
	case len(x.h.resources) > 0 && method == "resources/read":
		return x.answerRead(m)
	case len(x.h.prompts) > 0 && method == "prompts/get":
		return x.answerPrompt(m)
	case len(x.h.resources)+len(x.h.prompts) > 0 && method == "completion/complete":
		return x.answerComplete(m)
	case x.modern && method == "server/discover":
		x.openResult()
		x.addJSON(x.h.texts.discover)
	case x.modern && method == "subscriptions/listen":
		return x.answerListen(m)
	case !x.modern && method == "initialize":
		return x.answerInitialize(m)
	case !x.modern && (method == "ping" || len(x.h.resources) > 0 && (method == "resources/subscribe" || method == "resources/unsubscribe")):
		// A subscription changes nothing: nobody could be told of a change.
		x.openResult()
	case !x.modern && method == "logging/setLevel":
		// The level is not kept, because there are no sessions; see [MCPLog].
		if !isLogLevel(memberAt(m.params, "level")) {
			return badLogLevel
		}
		x.openResult()
	default:
		return rpcError(http.StatusNotFound, rpcNoMethod, "there is no such method")
	}
	x.closeResult(&m.rpcMessage)
	return nil
}

// answerInitialize agrees on a revision with a legacy client (MCP 2025-11-25,
// Lifecycle, Version Negotiation): the one that the client wants, or else the
// latest. Nothing is kept of it, and calls without initialize are answered too.
func (x *exchange) answerInitialize(m *message) error {
	if x.budget != nil { // MCP 2025-03-26, Lifecycle, Initialization
		return badRequest(rpcInvalidRequest, "initialize must not be part of a batch")
	}
	wanted := memberAt(m.params, "protocolVersion")
	if !isText(wanted) {
		return invalidParams("params.protocolVersion is required and must be a string")
	}
	version := string(textOf(wanted))
	if !isLegacyRevision(version) {
		version = legacyRevisions[0]
	}
	if x.pipe != nil {
		x.pipe.agreed = version
	}
	x.openResult()
	x.addJSON(`"protocolVersion":"` + version + `",`)
	x.addJSON(x.h.texts.initialize)
	x.closeResult(&m.rpcMessage)
	return nil
}

// answerList lists all tools, resources, templates or prompts on one page, because
// many clients ask only for the first. So the server gives out no cursors, and any
// cursor is invalid, the empty string too; invalid cursors get -32602 (MCP
// 2025-11-25, Pagination).
func (x *exchange) answerList(m *message) error {
	if cursor := memberAt(m.params, "cursor"); cursor != nil && !isJSONNull(cursor) {
		return invalidParams("params.cursor is not one of this server's: the list has one page")
	}
	x.openResult()
	if l := x.h.shown[string(m.method)]; l != nil {
		if err := x.addShown(l); err != nil {
			return &mcpError{number: rpcInternalError, text: "internal error", status: http.StatusOK, cause: err}
		}
	} else {
		x.addJSON(x.h.texts.lists[string(m.method)])
	}
	if x.modern {
		x.addJSON(x.h.texts.cache)
	}
	x.closeResult(&m.rpcMessage)
	return nil
}

// answerListen answers a client that wants to hear of changes (MCP 2026-07-28,
// Subscriptions). Lists never change here, so the server acknowledges an empty
// set of notifications, which must be the first message, and ends the
// subscription with its result at once instead of holding a connection open. A
// client that takes no events gets the result alone.
func (x *exchange) answerListen(m *message) error {
	subscription := `"io.modelcontextprotocol/subscriptionId":` + string(m.id)
	if x.accept.events && x.budget == nil {
		x.sendNotification([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{` + subscription + `},"notifications":{}}}`))
	}
	x.ws.enc.buf = beginRPCResult(x.ws.enc.buf[:0])
	x.addJSON(`{"resultType":"complete","_meta":{` + mcpMetaServerInfo + x.h.texts.serverInfo + `,` + subscription + `}`)
	x.closeResult(&m.rpcMessage)
	return nil
}

// openResult begins a result in ws.enc.buf. A modern result begins with
// resultType and _meta, which all of them have; legacy results never have them.
func (x *exchange) openResult() {
	x.ws.enc.buf = append(beginRPCResult(x.ws.enc.buf[:0]), '{')
	if x.modern {
		x.ws.enc.buf = append(x.ws.enc.buf, x.h.texts.modern...)
	}
}

// addJSON appends JSON to the result.
func (x *exchange) addJSON(text string) { x.ws.enc.buf = append(x.ws.enc.buf, text...) }

// closeResult ends the result of the request m.
func (x *exchange) closeResult(m *rpcMessage) {
	x.ws.enc.buf = endRPCResult(append(x.ws.enc.buf, '}'), m.id)
}

// An mcpError is an answer that is not a result. Where the eras differ in the
// status, MCP 2026-07-28 requires the one on the right (Streamable HTTP, Server
// Validation), and the legacy revisions, which only know statuses for HTTP
// itself, get the 200 that goes with a JSON-RPC answer:
//
//	The request                                 Number  Legacy  Modern
//	------------------------------------------  ------  ------  ------
//	is not JSON                                 -32700  400     400
//	is not a valid message, or a late batch     -32600  400     400
//	names an unknown method                     -32601  200     404
//	lacks protocolVersion or capabilities       -32602  none    400
//	has other bad params, or no such tool       -32602  200     400
//	has headers that contradict the body        -32020  400     400
//	has MCP-Protocol-Version more than once     -32020  400     400
//	lacks a capability that the tool needs      -32021  none    400
//	wants a revision that is not served         -32022  400     400
//
// In a batch, and once the answer is a stream, the status is 200 for all.
type mcpError struct {
	number   int
	text     string
	data     []byte // JSON, or nil
	status   int    // of HTTP
	everyEra bool   // status is for both eras; if not, legacy clients get 200
	cause    error  // for the log and for Options.Observe; not nil
}

func (e *mcpError) Error() string { return e.text }

// The numbers of errors that MCP adds to those of JSON-RPC (MCP 2026-07-28, Base
// Protocol).
const (
	mcpHeaderMismatch     = -32020
	mcpMissingCapability  = -32021
	mcpUnsupportedVersion = -32022
)

var (
	noBatches       = badRequest(rpcInvalidRequest, "this revision has no batches; send one message at a time")
	badParams       = invalidParams("/params must be an object, and so must _meta and arguments in it")
	badLogLevel     = invalidParams("the log level must be one of debug, info, notice, warning, error, critical, alert and emergency")
	badToken        = invalidParams("params._meta.progressToken must be a string or an integer, of at most 1024 bytes")
	repeatedVersion = badRequest(mcpHeaderMismatch, "the header MCP-Protocol-Version is given more than once")
	missingVersion  = badRequest(mcpHeaderMismatch, "the header MCP-Protocol-Version is required")
	versionMismatch = badRequest(mcpHeaderMismatch, "the header MCP-Protocol-Version differs from the protocolVersion in _meta")
	methodMismatch  = badRequest(mcpHeaderMismatch, "the header Mcp-Method must be there once and be the method of the request")
	noMetaVersion   = badRequest(rpcInvalidParams, `params._meta["io.modelcontextprotocol/protocolVersion"] is required and must be a string`)
	noCapabilities  = badRequest(rpcInvalidParams, `params._meta["io.modelcontextprotocol/clientCapabilities"] is required and must be an object`)
)

// rpcError returns an error whose status only modern clients get.
func rpcError(status, number int, text string) *mcpError {
	return &mcpError{number: number, text: text, status: status, cause: Errorf(CodeInvalidArgument, "%s", text)}
}

// invalidParams returns an error for parameters that the method does not take.
func invalidParams(text string) *mcpError {
	return rpcError(http.StatusBadRequest, rpcInvalidParams, text)
}

// badRequest returns an error with status 400 in both eras.
func badRequest(number int, text string) *mcpError {
	e := rpcError(http.StatusBadRequest, number, text)
	e.everyEra = true
	return e
}

// notJSON returns the error for a body that is not acceptable JSON.
func notJSON(err *syntaxError) *mcpError {
	return badRequest(rpcParseError, "the body is not valid JSON: "+err.Error())
}

// unsupportedVersion returns the error for a revision that the server does not
// serve. Its data says which ones the client may ask for (MCP 2026-07-28,
// Versioning). requested must be repeated, but need not be longer than a date.
func unsupportedVersion(requested string) *mcpError {
	e := badRequest(mcpUnsupportedVersion, "this protocol version is not supported")
	data := appendRevisions([]byte(`{"supported":`))
	data = appendQuoted(append(data, `,"requested":`...), clip(requested, 64))
	e.data = append(data, '}')
	return e
}

// sendError logs e and sends it, for a message that calls nothing. id is nil if the
// message has none that is allowed; the error then has no id either.
func (x *exchange) sendError(id []byte, e *mcpError) {
	status := x.addError(id, e)
	x.log(x, e.cause)
	x.sendAnswer(status)
}

// addError makes the answer that says e, and returns its status.
func (x *exchange) addError(id []byte, e *mcpError) int {
	x.ws.enc.buf = appendRPCError(x.ws.enc.buf[:0], e.number, e.text, e.data, id)
	if x.modern || e.everyEra {
		return e.status
	}
	return http.StatusOK
}

// sendAnswer sends the result or error in ws.enc.buf, or keeps it for the batch.
// An answer with another status than 200 is always JSON: a response that is a
// stream of events has status 200.
func (x *exchange) sendAnswer(status int) {
	body := x.ws.enc.buf
	switch {
	case x.budget != nil: // serveBatch takes it from there
	case x.pipe != nil:
		x.pipe.writeMessage(x, body)
	case x.stream.hasBegun():
		x.stream.endWithAnswer(body)
	case status != http.StatusOK:
		writeErrorBody(x.w, status, nil, contentTypeJSON, body)
	case !x.accept.json:
		x.sendEvent(body)
	default:
		writeJSON(x.w, x.request, http.StatusOK, body, &x.values)
	}
}
