package svc

// This file has the methods of the protocol but for tools/call.

import (
	"net/http"
)

// answer answers a request that its era's rules allow. A result ends up in
// sc.buf; a method that has sent its answer itself leaves nil there.
func (x *exchange) answer(m *message) *mcpError {
	method := string(m.method)
	switch {
	case x.modern && m.meta.logLevel != nil && !isLogLevel(m.meta.logLevel):
		return badLogLevel
	case m.meta.token != nil && !isMCPID(m.meta.token):
		return badToken
	case method == "tools/call":
		return x.callTool(m)
	case method == "tools/list":
		return x.listTools(m)
	case x.modern && method == "server/discover":
		x.openResult()
		x.add(x.h.texts.discover)
	case x.modern && method == "subscriptions/listen":
		return x.listen(m)
	case !x.modern && method == "initialize":
		return x.initialize(m)
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

// initialize agrees on a revision (MCP 2025-11-25, Lifecycle, Version
// Negotiation). What is agreed is in the client's hands: it repeats it in each
// request.
func (x *exchange) initialize(m *message) *mcpError {
	if x.batch {
		return badRequest(rpcInvalidRequest, "initialize must not be part of a batch")
	}
	if !isText(m.version) {
		return invalidParams("params.protocolVersion is required and must be a string")
	}
	version := string(textOf(m.version))
	if !isLegacyVersion(version) {
		version = legacyVersions[0]
	}
	x.openResult()
	x.add(`"protocolVersion":"` + version + `",`)
	x.add(x.h.texts.initialize)
	x.closeResult(m)
	return nil
}

// listTools lists all tools on one page, since most clients ask for no other.
// So there is no cursor that this server would have given out.
func (x *exchange) listTools(m *message) *mcpError {
	if m.cursor != nil && m.cursor[0] != 'n' {
		return invalidParams("params.cursor is not one of this server's: the list has one page")
	}
	x.openResult()
	if x.modern {
		x.add(x.h.texts.listModern)
	} else {
		x.add(x.h.texts.list)
	}
	x.closeResult(m)
	return nil
}

// listen answers who wants to hear of changes (MCP 2026-07-28, Subscriptions).
// Nothing here ever changes, so the acknowledgement says that nothing is
// subscribed to, and the result follows at once.
func (x *exchange) listen(m *message) *mcpError {
	subscription := `"io.modelcontextprotocol/subscriptionId":` + string(m.id)
	if x.accept.events && !x.batch {
		x.notify([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{` + subscription + `},"notifications":{}}}`))
	}
	x.sc.buf = openRPCResult(x.sc.buf[:0])
	x.add(`{"resultType":"complete","_meta":{` + mcpMetaServerInfo + x.h.texts.serverInfo + `,` + subscription + `}`)
	x.closeResult(m)
	return nil
}
