package svc

// This file decides by which revision's rules a message is answered, and holds
// modern requests to what they have to say of themselves.

import (
	"net/http"
	"slices"
)

// The revisions that are served. Legacy ones are listed the latest first, which
// is what a client is offered that asks for another.
const (
	modernVersion = "2026-07-28"
	oldestVersion = "2024-11-05"
	assumed       = "2025-03-26" // of a request that does not say
	firstStrict   = "2025-06-18" // batches end, links to resources begin
)

var legacyVersions = []string{"2025-11-25", firstStrict, assumed, oldestVersion}

// appendVersions appends all revisions as a JSON array.
func appendVersions(dst []byte) []byte {
	dst = appendQuoted(append(dst, '['), modernVersion)
	for _, v := range legacyVersions {
		dst = appendQuoted(append(dst, ','), v)
	}
	return append(dst, ']')
}

func isLegacyVersion(v string) bool { return slices.Contains(legacyVersions, v) }

// isModernVersion reports whether v is the date of a revision without the
// handshake, known or not.
func isModernVersion(v string) bool {
	if len(v) != len("2006-01-02") || v < modernVersion {
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
	return len(values) == 1 && isModernVersion(values[0])
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
	x.version = assumed
	switch values := x.versionHeader(); {
	case len(values) == 0:
	case len(values) > 1:
		return repeatedVersion
	case isLegacyVersion(values[0]):
		x.version = values[0]
	case string(m.method) == "initialize" && isModernVersion(values[0]):
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
	x.version = modernVersion
	header := x.versionHeader()
	switch {
	case len(header) == 0:
		return missingVersion
	case len(header) > 1:
		return repeatedVersion
	case m.meta.version == nil && header[0] != modernVersion && !isLegacyVersion(header[0]):
		return unsupportedVersion(header[0])
	case !isText(m.meta.version):
		return noMetaVersion
	}
	switch version := textOf(m.meta.version); {
	case string(version) != header[0]:
		return wrongVersion
	case header[0] != modernVersion:
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
	data := appendVersions([]byte(`{"supported":`))
	data = appendQuoted(append(data, `,"requested":`...), clip(requested, 64))
	e.data = append(data, '}')
	return e
}

// badRequest makes an error that is 400 in every era.
func badRequest(number int, text string) *mcpError {
	return &mcpError{number: number, text: text, status: http.StatusBadRequest, always: true}
}
