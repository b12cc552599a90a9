package svc

// This file reads the messages of a request, finds the revision of each, and answers
// it. In this order: messages and their members; the exchange; the body of a request; the
// choice of the revision and its checks; the methods of the protocol except tools/call;
// results; errors; and sending both.

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// readBody reads the message in ws.body into x.message. If that is not JSON, or a
// batch, which two old revisions have, it answers with an error and reports false.
func (x *exchange) readBody() bool {
	text, s := &x.ws.text, &x.ws.dec.scan
	text.readText(s, x.ws.body, 1, x)
	switch {
	case s.err != nil:
		x.refuseUnread(x.ws.body, nil, protocolError(rpcParseError, x.describeUnread(s.err)))
		return false
	case text.batch:
		x.sendError(nil, noBatches)
		return false
	}
	x.message.rpcMessage = &text.messages[0]
	return true
}

// describeUnread returns what is wrong with a body that is not JSON. Programs that are new to standard
// input write a message over several lines, of which none is whole.
func (x *exchange) describeUnread(err error) string {
	if x.line == nil {
		return "the body is not valid JSON: " + err.Error()
	}
	text := "the line is not valid JSON: " + err.Error()
	if l := (looseText{x.ws.body}); x.ws.body[0] != '{' || l.skipValue() == nil {
		text += "; write each message on one line"
	}
	return text
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

// answerMessage writes the result of a valid request to ws.enc.buf, except for its end, or returns
// an *mcpError to send instead. It returns any other error together with a result that says that
// the tool failed.
func (x *exchange) answerMessage() error {
	m := x.message
	if m.wrong {
		return protocolError(rpcInvalidParams, m.describeWrong())
	}
	if e := x.checkRevision(); e != nil {
		return e
	}
	if t := m.meta.trace; isText(memberAt(t, traceNames[0])) {
		x.Context = context.WithValue(x.Context, receivedTrace{}, traceOf(func(i int) string { return textAt(t, traceNames[i]) }))
	}
	return x.answerMethod()
}

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

// An mcpRow describes a method of the protocol.
type mcpRow struct {
	name   string
	era    mcpEra
	calls  bool                     // it calls code of the application; over stdio, on a goroutine
	has    func(h *mcpHandler) bool // whether the server has it; nil: always
	answer func(x *exchange) error  // see answerMessage
}

// An mcpEra says in which revisions a method exists.
type mcpEra uint8

const (
	everyEra mcpEra = iota
	modernEra
	legacyEra
)

func hasResources(h *mcpHandler) bool { return len(h.resources) > 0 }
func hasPrompts(h *mcpHandler) bool   { return len(h.prompts) > 0 }
func hasTasks(h *mcpHandler) bool     { return len(h.tasks) > 0 }

// mcpRows has a row for each method of the protocol that this server can have.
var mcpRows = [...]mcpRow{
	{name: "tools/call", calls: true, answer: (*exchange).answerToolsCall},
	{name: "tools/list", answer: (*exchange).answerList},
	{name: "resources/read", calls: true, has: hasResources, answer: (*exchange).answerRead},
	{name: "resources/list", has: hasResources, answer: (*exchange).answerList},
	{name: "resources/templates/list", has: hasResources, answer: (*exchange).answerList},
	{name: "prompts/get", calls: true, has: hasPrompts, answer: (*exchange).answerPrompt},
	{name: "prompts/list", has: hasPrompts, answer: (*exchange).answerList},
	{name: "completion/complete", calls: true, has: func(h *mcpHandler) bool { return hasResources(h) || hasPrompts(h) },
		answer: (*exchange).answerComplete},
	{name: "server/discover", era: modernEra, answer: (*exchange).answerDiscover},
	{name: "subscriptions/listen", era: modernEra, answer: (*exchange).answerListen},
	{name: "initialize", era: legacyEra, answer: (*exchange).answerInitialize},
	{name: "ping", era: legacyEra, answer: (*exchange).answerNothing},
	{name: "logging/setLevel", era: legacyEra, answer: (*exchange).answerSetLevel},
	// A subscription has no effect, because this server cannot notify clients later.
	{name: "resources/subscribe", era: legacyEra, has: hasResources, answer: (*exchange).answerNothing},
	{name: "resources/unsubscribe", era: legacyEra, has: hasResources, answer: (*exchange).answerNothing},
	{name: "tasks/get", era: modernEra, calls: true, has: hasTasks, answer: (*exchange).answerTask},
	{name: "tasks/update", era: modernEra, calls: true, has: hasTasks, answer: (*exchange).answerTask},
	{name: "tasks/cancel", era: modernEra, calls: true, has: hasTasks, answer: (*exchange).answerTask},
}

// lookupRow returns the row of a method of the protocol, and reports whether there is one.
func lookupRow(method string) (row mcpRow, ok bool) {
	for _, row := range mcpRows {
		if row.name == method {
			return row, true
		}
	}
	return row, false
}

// isIn reports whether the server has the method, in any revision.
func (r *mcpRow) isIn(h *mcpHandler) bool { return r.has == nil || r.has(h) }

// isOf reports whether the revision has the method.
func (r *mcpRow) isOf(rev *revision) bool {
	return r.era == everyEra || rev.modern == (r.era == modernEra)
}

// isProbe reports whether a method exists only in modern revisions, and in every server of them.
func isProbe(method string) bool {
	row, ok := lookupRow(method)
	return ok && row.era == modernEra && row.has == nil
}

// callsApplication reports whether a request for this method calls code of the application.
func (h *mcpHandler) callsApplication(method string) bool {
	if row, ok := lookupRow(method); ok && row.isIn(h) {
		return row.calls
	}
	_, own := h.extensions[method]
	return own
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
	}
	if row, ok := lookupRow(method); ok && row.isIn(x.h) && row.isOf(x.rev) {
		return row.answer(x)
	}
	if own, ok := x.h.extensions[method]; ok {
		return x.answerExtension(own)
	}
	return x.unknownMethod(method)
}

// unknownMethod returns the error for a method that does not exist, with the one that was meant. Models
// that write requests themselves send the name of a tool as the method.
func (x *exchange) unknownMethod(method string) *mcpError {
	const text = "there is no such method"
	if known, ok := findFolded(method, x.shownNames("tools/list")); ok && known.instead == "" {
		return protocolError(rpcNoMethod, text+`; "`+known.meant+`" is a tool`+known.note+": call it by tools/call")
	}
	var names []string
	for _, row := range mcpRows {
		if row.isIn(x.h) && row.isOf(x.rev) {
			names = append(names, row.name)
		}
	}
	return protocolError(rpcNoMethod, text+suggestName(method, newKnownNames(names)))
}

// answerNothing answers with an empty result.
func (x *exchange) answerNothing() error {
	x.openResult()
	return nil
}

func (x *exchange) answerDiscover() error {
	x.ws.enc.buf = append(beginRPCResult(x.ws.enc.buf[:0]), '{')
	x.addJSON(x.h.texts.discover)
	return nil
}

// answerSetLevel sets the level of log messages. Over HTTP it is not kept, since a session is sealed
// before; see [MCPLog].
func (x *exchange) answerSetLevel() error {
	level, ok := parseLogLevel(memberAt(x.message.params, "level"))
	if !ok {
		return badLogLevel
	}
	if x.line != nil {
		x.line.agree(func(a *agreement) { a.logLevel = level })
	}
	return x.answerNothing()
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
		x.line.agree(func(a *agreement) { *a = agreement{rev: rev, capabilities: bytes.Clone(capabilities)} })
	case rev.sessions:
		x.w.Header()[sessionHeader] = []string{x.h.sessions.seal(storeID(x, ""), rev.date, capabilities)}
	}
	x.openResult()
	x.addJSON(`"protocolVersion":"` + rev.date + `",` + x.h.texts.initialize)
	return nil
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
		share, err := x.h.service.load.streams.take(askerOf(x))
		if err != nil {
			return x.busyAnswer(err)
		}
		defer share.giveBack()
	}
	subscription := `"io.modelcontextprotocol/subscriptionId":` + string(m.id)
	if x.sendsEvents() {
		x.stream.to = x.target()
		x.stream.queueNotification("notifications/subscriptions/acknowledged", []byte(`{"_meta":{`+subscription+`},"notifications":{}}`))
	}
	x.ws.enc.buf = beginRPCResult(x.ws.enc.buf[:0])
	x.addJSON(`{"resultType":"complete","_meta":{` + x.h.texts.serverInfo + `,` + subscription + `}`)
	return nil
}

// addObjects adds the objects of a list that the caller is shown. A panic of Show becomes an error.
func (x *exchange) addObjects(l *mcpList) (err error) {
	defer recoverTo(&err)
	x.addJSON(l.begin)
	x.ws.enc.buf = slices.Grow(x.ws.enc.buf, l.size)
	start := len(x.ws.enc.buf)
	for i, t := range l.tools {
		if show := x.h.options.Show; show != nil && !show(x, t.described) {
			continue
		}
		if len(x.ws.enc.buf) > start {
			x.addJSON(`,`)
		}
		x.ws.enc.buf = append(x.ws.enc.buf, l.texts[i]...)
	}
	x.addJSON(`]`)
	return nil
}

// answerToolsCall answers tools/call. See the table at the top of the file.
func (x *exchange) answerToolsCall() error {
	m := x.message
	name, e := x.readName(m.name, "name")
	if e != nil {
		return e
	}
	if m.tool == nil {
		m.tool = x.h.tools[string(name)]
	}
	if m.tool == nil {
		return x.unknownName("tools/list", "tool", string(name))
	}
	if e := m.checkPlace(m.tool); e != nil {
		return e
	}
	if m.tool.task != nil && x.rev.tasks && m.declaresTasks() {
		return x.callTool((*exchange).addOutputOrTask)
	}
	return x.callTool((*exchange).addOutput)
}

// answerInSession is answerRequest for a request that its client can cancel. At the end it cancels
// the context of goroutines that the method has left behind.
func (x *exchange) answerInSession() {
	m := x.message
	s, c := x.h.sessions, &sessionCall{key: sessionKey{x.agreed.session, idKey(m.id)}}
	x.Context, c.cancel = context.WithCancel(x.Context)
	x.ofCall = c
	s.addCall(c)
	defer s.removeCall(c)
	defer c.cancel()
	x.answerRequest()
}

// abortCall reports whether the client of x, which has a session, has already canceled the request.
// A later cancellation comes too late to stop the answer.
func (x *exchange) abortCall() bool {
	x.h.sessions.mu.Lock()
	defer x.h.sessions.mu.Unlock()
	x.ofCall.aborted = x.ofCall.canceled
	return x.ofCall.aborted
}

// receiveNote handles a message over HTTP that needs no answer: a cancellation, or the answer to a
// question. It reports false for an answer without an open question.
func (x *exchange) receiveNote() (known bool) {
	m, s, session := x.message, x.h.sessions, x.agreed.session
	switch {
	case x.line != nil:
	case m.kind == rpcResponse:
		return session != "" && s.questions.deliver(session, m.id, answerIn(m.rpcMessage))
	case m.kind == rpcNotification && session != "" && string(m.method) == "notifications/cancelled":
		s.cancelCalls(session, m.params)
	}
	return true
}

// unasked is logged for an answer without a question, since the client is not told: it is answered
// as if it had come in time.
var unasked = Errorf(CodeInvalidArgument, "no question waits here for this answer: it came too late, "+
	"or another replica of the server has asked; a proxy in front of several replicas must choose one by the header Mcp-Session-Id "+
	"(nginx: hash $http_mcp_session_id consistent;)")
