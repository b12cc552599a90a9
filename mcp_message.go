package svc

// This file takes the messages of one request through their answers: it reads
// what MCP has in a JSON-RPC message, has the method answer it, and sends the
// answer as JSON or as an event.
//
// This file decides by which revision's rules a message is answered, and holds
// modern requests to what they have to say of themselves.
//
// This file has the methods of the protocol but for tools/call.

import (
	"context"
	"net/http"
	"slices"
)

// maxMCPBatch is how many messages a batch may have. The revisions that have
// batches set no limit, and nobody is known to send more than a few.
const maxMCPBatch = 100

// A message is one message of a request, with the parts of its params that the
// protocol knows. It aliases the text of the request.
type message struct {
	*rpcMessage
	meta      requestMeta
	name      []byte // of the tool
	arguments []byte
	cursor    []byte
	version   []byte // that initialize asks for
	level     []byte // that logging/setLevel asks for
}

// A requestMeta is what a request says of itself in params._meta. Each is a
// JSON value, or nil if it is absent.
type requestMeta struct {
	version      []byte
	capabilities []byte
	logLevel     []byte
	token        []byte // for progress
}

// An exchange is one HTTP request while it is answered. It is the context of
// the method too, which saves an allocation and lets Progress and Log find it.
type exchange struct {
	callContext
	h        *mcpHandler
	w        http.ResponseWriter
	r        *http.Request
	sc       *workspace
	modern   bool   // the era of the message being answered
	revision string // and its revision
	accept   accepted
	batch    bool // answers are collected in out
	out      []byte
	stream   mcpStream
	text     rpcText
	one      [1]rpcMessage
	called   *method // by the message being answered; nil if it calls none
}

func newExchange(h *mcpHandler, w http.ResponseWriter, r *http.Request, sc *workspace) *exchange {
	x := &exchange{
		callContext: callContext{r.Context(), Info{Transport: TransportMCP, Request: r, Header: w.Header()}},
		h:           h,
		w:           w,
		r:           r,
		sc:          sc,
	}
	x.text.messages = x.one[:0]
	return x
}

func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	return x.callContext.Value(key)
}

type exchangeKey struct{}

var _ context.Context = (*exchange)(nil)

// An mcpError is an answer that is no result.
type mcpError struct {
	number   int
	text     string
	data     []byte // JSON, or nil
	status   int    // of HTTP, in the modern era
	everyEra bool   // the status is for every era; else legacy clients get 200
	cause    error  // for the log, or nil
}

// rpcError makes an error that is about the method, not about the message.
func rpcError(status, number int, text string) *mcpError {
	return &mcpError{number: number, text: text, status: status}
}

func invalidParams(text string) *mcpError {
	return rpcError(http.StatusBadRequest, mcpInvalidParams, text)
}

// serveBody answers everything that the body holds.
func (x *exchange) serveBody() error {
	s := &x.sc.dec.scan
	x.text.readText(s, x.sc.body, maxMCPBatch)
	x.accept = parseAccept(x.r.Header["Accept"])
	switch {
	case s.err != nil:
		x.sendError(nil, badRequest(rpcParseError, "the body is not valid JSON: "+s.err.Error()))
	case x.text.batch:
		x.serveBatch()
	default:
		return x.serveMessage(&x.text.messages[0])
	}
	return nil
}

// serveMessage answers a body that is one message.
func (x *exchange) serveMessage(m *rpcMessage) error {
	switch m.kind {
	case rpcNotification:
		// Nobody says what a notification's header has to be, and what it
		// tells, cancellation first of all, may be for another replica.
		x.w.WriteHeader(http.StatusAccepted)
	case rpcResponse:
		// A legacy server may have asked something; this one has not.
		if x.saysModern() {
			x.sendError(nil, badRequest(rpcInvalidRequest, "a client sends no responses in this revision"))
			return nil
		}
		x.w.WriteHeader(http.StatusAccepted)
	default:
		if x.accept == (accepted{}) {
			return httpError(http.StatusNotAcceptable, CodeInvalidArgument, "accept application/json, text/event-stream, or both")
		}
		x.answerRequest(m)
	}
	return nil
}

// serveBatch answers an array of messages, which only the first revisions have
// (MCP 2025-03-26, Messages). The answers are collected: nobody can tell which
// of several calls an event would be about.
func (x *exchange) serveBatch() {
	if header := x.versionHeader(); len(header) > 0 && !slices.Contains([]string{assumedRevision, oldestRevision}, header[0]) {
		x.sendError(nil, badRequest(rpcInvalidRequest, "this revision has no batches; send one message at a time"))
		return
	}
	switch n := x.text.count; {
	case n == 0:
		x.sendError(nil, badRequest(rpcInvalidRequest, "a batch must have at least one message"))
		return
	case n > maxMCPBatch:
		x.sendError(nil, badRequest(rpcInvalidRequest, "a batch must have at most 100 messages"))
		return
	}
	x.batch = true
	for i := range x.text.messages {
		if m := &x.text.messages[i]; m.kind == rpcRequest || m.kind == rpcInvalid {
			x.answerRequest(m)
		}
	}
	if len(x.out) == 0 {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	x.batch = false
	x.sc.enc.buf = append(append(append(x.sc.enc.buf[:0], '['), x.out...), ']')
	x.sendAnswer(http.StatusOK)
}

// answerRequest answers one answerRequest, or what is neither that nor anything else.
func (x *exchange) answerRequest(rpc *rpcMessage) {
	id := rpc.id
	if !isMCPID(id) {
		id = nil
	}
	m := message{rpcMessage: rpc}
	var failure *mcpError
	switch {
	case rpc.kind == rpcInvalid:
		failure = badRequest(rpcInvalidRequest, violationText(rpc.violation))
	case id == nil:
		failure = badRequest(rpcInvalidRequest, "/id must be a string or an integer")
	default:
		if failure = x.readParams(&m); failure == nil {
			if failure = x.chooseEra(&m); failure == nil {
				failure = x.answerMethod(&m)
			}
		}
	}
	if failure != nil {
		x.sendError(id, failure)
		return
	}
	x.sendAnswer(http.StatusOK)
}

func violationText(v *Violation) string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + " " + v.Message
}

// isMCPID reports whether the id of a request is one of MCP's: a string or an
// integer, of any size.
func isMCPID(id []byte) bool {
	if isText(id) {
		return true
	}
	if len(id) == 0 || id[0] == 'n' {
		return false
	}
	_, _, bad := parseInteger(id)
	return bad != integerFraction
}

var badParams = invalidParams("/params must be an object, and so must _meta and arguments in it")

// readParams finds the parts of m.params. The text is known to be valid JSON.
func (x *exchange) readParams(m *message) *mcpError {
	if len(m.params) == 0 {
		return nil
	}
	ok := m.params[0] == '{'
	if ok {
		eachMember(m.params, func(name, value []byte) {
			switch string(name) {
			case "name":
				m.name = value
			case "arguments":
				m.arguments = value
			case "cursor":
				m.cursor = value
			case "protocolVersion":
				m.version = value
			case "level":
				m.level = value
			case "_meta":
				if ok = value[0] == '{'; ok {
					m.meta.readMembers(value)
				}
			}
		})
	}
	if len(m.arguments) > 0 && m.arguments[0] != '{' {
		ok = ok && m.arguments[0] == 'n'
		m.arguments = nil
	}
	if !ok {
		x.modern = x.saysModern()
		return badParams
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
			meta.token = value
		}
	})
}

// openResult begins the result of the request that is being answered.
func (x *exchange) openResult() {
	x.sc.enc.buf = append(openRPCResult(x.sc.enc.buf[:0]), '{')
	if x.modern {
		x.sc.enc.buf = append(x.sc.enc.buf, x.h.texts.modern...)
	}
}

// addJSON appends JSON to the result.
func (x *exchange) addJSON(text string) { x.sc.enc.buf = append(x.sc.enc.buf, text...) }

// closeResult ends the result of the request m.
func (x *exchange) closeResult(m *message) {
	x.sc.enc.buf = closeRPCResult(append(x.sc.enc.buf, '}'), m.id)
}

// sendError answers with an error, under the id if there is one.
func (x *exchange) sendError(id []byte, e *mcpError) {
	err := e.cause
	if err == nil {
		err = Errorf(CodeInvalidArgument, "%s", e.text)
	}
	x.logError(err)
	x.sc.enc.buf = appendRPCError(x.sc.enc.buf[:0], e.number, e.text, e.data, id)
	if x.modern || e.everyEra {
		x.sendAnswer(e.status)
		return
	}
	x.sendAnswer(http.StatusOK)
}

// sendAnswer sends the answer in sc.buf. An answer with a status of its own is JSON,
// whatever the client likes better: it has to see the status first.
func (x *exchange) sendAnswer(status int) {
	body := x.sc.enc.buf
	switch {
	case x.batch:
		if len(x.out) > 0 {
			x.out = append(x.out, ',')
		}
		x.out = append(x.out, body...)
	case x.stream.hasBegun():
		x.stream.finish(body)
	case status != http.StatusOK:
		writeErrorBody(x.w, status, contentTypeJSON, body)
	case !x.accept.json:
		x.sendEvent(body)
	default:
		writeJSON(x.w, x.r, body)
	}
}

// logError logs what the client is about to be told of.
func (x *exchange) logError(err error) {
	x.h.logError(x, x.r, err, x.called)
}

// The revisions that are served. Legacy ones are listed the latest first, which
// is what a client is offered that asks for another.
const (
	modernRevision  = "2026-07-28"
	oldestRevision  = "2024-11-05"
	assumedRevision = "2025-03-26" // of a request that does not say
	revisionJun2025 = "2025-06-18" // batches end, links to resources begin
)

var legacyRevisions = []string{"2025-11-25", revisionJun2025, assumedRevision, oldestRevision}

// appendRevisions appends all revisions as a JSON array.
func appendRevisions(dst []byte) []byte {
	dst = appendQuoted(append(dst, '['), modernRevision)
	for _, v := range legacyRevisions {
		dst = appendQuoted(append(dst, ','), v)
	}
	return append(dst, ']')
}

func isLegacyRevision(v string) bool { return slices.Contains(legacyRevisions, v) }

// isModernRevision reports whether v is the date of a revision without the
// handshake, known or not.
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

// The error numbers that MCP 2026-07-28 adds to JSON-RPC's.
const (
	mcpHeaderMismatch     = -32020
	mcpMissingCapability  = -32021
	mcpUnsupportedVersion = -32022
	mcpInvalidParams      = -32602
	mcpInternalError      = -32603
)

// versionHeader returns the values of MCP-Protocol-Version.
func (x *exchange) versionHeader() []string { return x.r.Header["Mcp-Protocol-Version"] }

// saysModern reports whether the header names a modern revision.
func (x *exchange) saysModern() bool {
	values := x.versionHeader()
	return len(values) == 1 && isModernRevision(values[0])
}

// chooseEra decides by which rules m is answered. A request whose _meta names
// a revision is modern, also if the header does not agree; so is one that the
// header says is, and one of a method that no other revision has. Everything
// else is legacy, also initialize with a header of a client that speaks both.
func (x *exchange) chooseEra(m *message) *mcpError {
	switch method := string(m.method); {
	case m.meta.version != nil, x.saysModern() && method != "initialize", method == "server/discover", method == "subscriptions/listen":
		x.modern = true
		return x.checkModern(m)
	}
	x.modern = false
	return x.checkLegacy(m)
}

// checkLegacy holds a request to the one header of the legacy revisions (MCP
// 2025-11-25, Transports, Protocol Version Header).
func (x *exchange) checkLegacy(m *message) *mcpError {
	x.revision = assumedRevision
	switch values := x.versionHeader(); {
	case len(values) == 0:
	case len(values) > 1:
		return repeatedVersion
	case isLegacyRevision(values[0]):
		x.revision = values[0]
	case string(m.method) == "initialize" && isModernRevision(values[0]):
	default:
		return unsupportedVersion(values[0])
	}
	return nil
}

var (
	repeatedVersion = badRequest(mcpHeaderMismatch, "the header MCP-Protocol-Version is given more than once")
	missingVersion  = badRequest(mcpHeaderMismatch, "the header MCP-Protocol-Version is required")
	wrongVersion    = badRequest(mcpHeaderMismatch, "the header MCP-Protocol-Version differs from the protocolVersion in _meta")
	noMetaVersion   = badRequest(mcpInvalidParams, `params._meta["io.modelcontextprotocol/protocolVersion"] is required and must be a string`)
	noCapabilities  = badRequest(mcpInvalidParams, `params._meta["io.modelcontextprotocol/clientCapabilities"] is required and must be an object`)
	badLogLevel     = invalidParams("the log level must be one of debug, info, notice, warning, error, critical, alert and emergency")
	badToken        = invalidParams("params._meta.progressToken must be a string or an integer")
	wrongMethod     = badRequest(mcpHeaderMismatch, "the header Mcp-Method must be there once and be the method of the request")
)

// checkModern holds a request to the rules of MCP 2026-07-28, Streamable HTTP,
// Server Validation. The order is ours; each answer is the specification's.
func (x *exchange) checkModern(m *message) *mcpError {
	x.revision = modernRevision
	header := x.versionHeader()
	switch {
	case len(header) == 0:
		return missingVersion
	case len(header) > 1:
		return repeatedVersion
	case m.meta.version == nil && header[0] != modernRevision && !isLegacyRevision(header[0]):
		return unsupportedVersion(header[0])
	case !isText(m.meta.version):
		return noMetaVersion
	}
	switch version := textOf(m.meta.version); {
	case string(version) != header[0]:
		return wrongVersion
	case header[0] != modernRevision:
		return unsupportedVersion(header[0])
	}
	if method := x.r.Header["Mcp-Method"]; len(method) != 1 || method[0] != string(m.method) {
		return wrongMethod
	}
	if capabilities := m.meta.capabilities; len(capabilities) == 0 || capabilities[0] != '{' {
		return noCapabilities
	}
	return nil
}

// unsupportedVersion tells a client what it may ask for instead.
func unsupportedVersion(requested string) *mcpError {
	e := badRequest(mcpUnsupportedVersion, "this protocol version is not supported")
	data := appendRevisions([]byte(`{"supported":`))
	data = appendQuoted(append(data, `,"requested":`...), clip(requested, 64))
	e.data = append(data, '}')
	return e
}

// badRequest makes an error that is 400 in every era.
func badRequest(number int, text string) *mcpError {
	return &mcpError{number: number, text: text, status: http.StatusBadRequest, everyEra: true}
}

// answerMethod answers a request that its era's rules allow. A result ends up in
// sc.buf; a method that has sent its answerMethod itself leaves nil there.
func (x *exchange) answerMethod(m *message) *mcpError {
	method := string(m.method)
	switch {
	case x.modern && m.meta.logLevel != nil && !isLogLevel(m.meta.logLevel):
		return badLogLevel
	case m.meta.token != nil && !isMCPID(m.meta.token):
		return badToken
	case method == "tools/call":
		return x.answerToolsCall(m)
	case method == "tools/list":
		return x.answerToolsList(m)
	case x.modern && method == "server/discover":
		x.openResult()
		x.addJSON(x.h.texts.discover)
	case x.modern && method == "subscriptions/listen":
		return x.answerListen(m)
	case !x.modern && method == "initialize":
		return x.answerInitialize(m)
	case !x.modern && method == "ping":
		x.openResult()
	case !x.modern && method == "logging/setLevel":
		// The level would have to be remembered; see [Log].
		if !isLogLevel(m.level) {
			return badLogLevel
		}
		x.openResult()
	default:
		return rpcError(http.StatusNotFound, rpcNoMethod, "there is no such method")
	}
	x.closeResult(m)
	return nil
}

// answerInitialize agrees on a revision (MCP 2025-11-25, Lifecycle, Version
// Negotiation). What is agreed is in the client's hands: it repeats it in each
// request.
func (x *exchange) answerInitialize(m *message) *mcpError {
	if x.batch {
		return badRequest(rpcInvalidRequest, "initialize must not be part of a batch")
	}
	if !isText(m.version) {
		return invalidParams("params.protocolVersion is required and must be a string")
	}
	version := string(textOf(m.version))
	if !isLegacyRevision(version) {
		version = legacyRevisions[0]
	}
	x.openResult()
	x.addJSON(`"protocolVersion":"` + version + `",`)
	x.addJSON(x.h.texts.initialize)
	x.closeResult(m)
	return nil
}

// answerToolsList lists all tools on one page, since most clients ask for no other.
// So there is no cursor that this server would have given out.
func (x *exchange) answerToolsList(m *message) *mcpError {
	if m.cursor != nil && m.cursor[0] != 'n' {
		return invalidParams("params.cursor is not one of this server's: the list has one page")
	}
	x.openResult()
	if x.modern {
		x.addJSON(x.h.texts.listModern)
	} else {
		x.addJSON(x.h.texts.list)
	}
	x.closeResult(m)
	return nil
}

// answerListen answers who wants to hear of changes (MCP 2026-07-28, Subscriptions).
// Nothing here ever changes, so the acknowledgement says that nothing is
// subscribed to, and the result follows at once.
func (x *exchange) answerListen(m *message) *mcpError {
	subscription := `"io.modelcontextprotocol/subscriptionId":` + string(m.id)
	if x.accept.events && !x.batch {
		x.sendNotification([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{` + subscription + `},"notifications":{}}}`))
	}
	x.sc.enc.buf = openRPCResult(x.sc.enc.buf[:0])
	x.addJSON(`{"resultType":"complete","_meta":{` + mcpMetaServerInfo + x.h.texts.serverInfo + `,` + subscription + `}`)
	x.closeResult(m)
	return nil
}
