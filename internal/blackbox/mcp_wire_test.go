package blackbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// mcpRow is one request and its answer. The numbers are those of the
// requirements in mcp_requirements_test.go.
type mcpRow struct {
	numbers string
	request string // see mcpPost
	status  int
	body    string // … stands for anything
}

const (
	mcpOK      = `{"jsonrpc":"2.0","result":{…},"id":1}`
	mcpNone    = ""
	mcpN7      = `"structuredContent":{"n":7},"content":[{"type":"text","text":"{\"n\":7}"}],"isError":false`
	mcpModern1 = `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Notes","version":"1.2.3"}},`
)

// mcpFailure is the answer with an error under the id 1.
func mcpFailure(number, message string) string {
	return `{"jsonrpc":"2.0","error":{"code":` + number + `,"message":"…` + message + `…},"id":1}`
}

// mcpAnonymous is the answer with an error and without an id.
func mcpAnonymous(number, message string) string {
	return `{"jsonrpc":"2.0","error":{"code":` + number + `,"message":"…` + message + `…}}`
}

const mcpCallCount = `"name":"notes_count"`

func mcpEnvelopeRows() []mcpRow {
	return []mcpRow{
		{"1.1 7.3", mcpLegacy("", "initialize", `"protocolVersion":"2025-06-18"`), 200, mcpOK},
		{"1.6", "Content-Type: text/plain\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "Content-Type:\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "Content-Type: application/x-www-form-urlencoded\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "Content-Type: application/vnd.api+json\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "Content-Type: application/json; charset=latin1\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "Content-Encoding: gzip\n\n{}", 415, mcpAnonymous("-32600", "Content-Encoding")},
		{"1.6", "Content-Type: Application/JSON; charset=UTF-8\n\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"1.7", mcpLegacy("", "ping", "", "Accept: application/json"), 200, mcpOK},
		{"1.7", mcpLegacy("", "ping", "", "Accept:"), 200, mcpOK},
		{"1.7", mcpLegacy("", "ping", "", "Accept: */*"), 200, mcpOK},
		{"1.7", mcpLegacy("", "ping", "", "Accept: application/*;q=0.1, text/plain"), 200, mcpOK},
		{"1.7 1.8", mcpLegacy("", "ping", "", "Accept: text/event-stream"), 200, "event: message\ndata: " + `{"jsonrpc":"2.0","result":{},"id":1}` + "\n\n"},
		{"1.7", mcpLegacy("", "ping", "", "Accept: application/json;q=0, text/*"), 200, "event: message\n…"},
		{"1.7", mcpLegacy("", "ping", "", "Accept: text/html"), 406, mcpAnonymous("-32600", "accept")},
		{"1.7", mcpLegacy("", "ping", "", "Accept: */*;q=0.0"), 406, mcpAnonymous("-32600", "accept")},
		{"1.9 2.4", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, mcpNone},
		{"1.9 2.4", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"notes_count"}}`, 202, mcpNone},
		{"1.9 4.8", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, mcpNone},
		{"1.9", "Accept: text/html\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, 202, mcpNone},
		{"1.10", `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, mcpNone},
		{"1.10", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, 202, mcpNone},
		{"1.10", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, mcpAnonymous("-32600", "responses")},
		{"1.11 1.12", `{"jsonrpc":"2.0",`, 400, mcpAnonymous("-32700", "not valid JSON")},
		{"1.11 1.12", ``, 400, mcpAnonymous("-32700", "not valid JSON")},
		{"1.11", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, 400, mcpAnonymous("-32700", "more text")},
		{"1.11", `17`, 400, mcpAnonymous("-32600", "object")},
		{"1.11 1.12", `{}`, 400, mcpAnonymous("-32600", "jsonrpc")},
		{"1.15", `{"jsonrpc":"2.0","id":1}`, 400, mcpFailure("-32600", "method is required")},
		{"2.1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400, mcpFailure("-32600", "jsonrpc")},
		{"2.1", `{"id":1,"method":"ping"}`, 400, mcpFailure("-32600", "jsonrpc")},
		{"2.1 1.12", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, mcpAnonymous("-32600", "id")},
		{"2.1 1.12", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, mcpAnonymous("-32600", "id")},
		{"2.1 1.12", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, 400, mcpAnonymous("-32600", "id")},
		{"2.1 1.12", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, mcpAnonymous("-32600", "id")},
		{"2.1", `{"jsonrpc":"2.0","id":1,"method":5}`, 400, mcpFailure("-32600", "method")},
		{"2.2", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 200, `{"jsonrpc":"2.0","result":{},"id":9007199254740993}`},
		{"2.2", `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}`, 200, `…"id":123456789012345678901234567890}`},
		{"2.2", `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, 200, `…"id":-0}`},
		{"2.2", `{"jsonrpc":"2.0","id":"\u0041\"é","method":"ping"}`, 200, `…"id":"\u0041\"é"}`},
		{"2.2", `{"jsonrpc":"2.0","id":"","method":"nope"}`, 200, `…"id":""}`},
		{"2.5 2.6", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, 200, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"there is no such method"},"id":1}`},
		{"2.7", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/list"}`, 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"2.7", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, 400, mcpFailure("-32600", "method is required")},
		{"2.7", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, mcpAnonymous("-32700", "same name twice")},
		{"2.7", mcpLegacy("", "tools/call", `"name":"notes_create","arguments":{"TITLE":"x"}`), 200, `…/title is required…"isError":true…`},
		{"2.7", mcpLegacy("", "tools/call", `"name":"notes_create","arguments":{"title":"x","title":"y"}`), 400, mcpAnonymous("-32700", "same name twice")},
		{"2.8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}", 400, mcpAnonymous("-32700", "UTF-8")},
		{"2.8", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, 400, mcpAnonymous("-32700", "surrogate")},
		{"2.9", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, 200, mcpFailure("-32602", "params")},
		{"2.9", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, 400, mcpFailure("-32600", "params")},
		{"2.9", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, 200, mcpFailure("-32602", "_meta")},
		{"2.9", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null,"more":1}`, 200, mcpOK},
		{"2.9 8.5", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"_meta":{"example.com/x":1}}}`, 200, mcpOK},
	}
}

func mcpBatchRows() []mcpRow {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	const pong = `{"jsonrpc":"2.0","result":{},"id":1}`
	return []mcpRow{
		{"1.14", `[` + ping + `]`, 200, `[` + pong + `]`},
		{"1.14", "MCP-Protocol-Version: 2025-03-26\n\n[" + ping + `,` + ping + `]`, 200, `[` + pong + `,` + pong + `]`},
		{"1.14", "MCP-Protocol-Version: 2024-11-05\n\n[" + ping + `]`, 200, `[` + pong + `]`},
		{"1.14", "Accept: text/event-stream\n\n[" + ping + `]`, 200, "event: message\ndata: [" + pong + "]\n\n"},
		{"1.14", "MCP-Protocol-Version: 2025-06-18\n\n[" + ping + `]`, 400, mcpAnonymous("-32600", "no batches")},
		{"1.14", "MCP-Protocol-Version: 2026-07-28\n\n[" + ping + `]`, 400, mcpAnonymous("-32600", "no batches")},
		{"1.14", `[]`, 400, mcpAnonymous("-32600", "at least one")},
		{"1.14", `[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":1,"result":{}}]`, 202, mcpNone},
		{"1.14", `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]`, 200, `[` + mcpFailure("-32600", "batch") + `]`},
		{"1.14", `[1,` + ping + `]`, 200, `[` + mcpAnonymous("-32600", "object") + `,` + pong + `]`},
		{"1.14", `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + mcpCallCount + `}}]`, 200, `[` + pong + `,{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":2}]`},
		{"1.14", `[` + ping + `,]`, 400, mcpAnonymous("-32700", "valid JSON")},
		{"1.14", `[` + strings.Repeat(ping+`,`, 100) + ping + `]`, 400, mcpAnonymous("-32600", "at most 100")},
		{"1.14 11.4", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_work","arguments":{"steps":2},"_meta":{"progressToken":1}}}]`, 200, `[{"jsonrpc":"2.0","result":{…"isError":false},"id":1}]`},
	}
}

func mcpVersionRows() []mcpRow {
	discover := mcpModern("server/discover", "")
	return []mcpRow{
		{"3.2", mcpLegacy("", "tools/call", mcpCallCount), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"3.1 0.5", mcpLegacy("2025-11-25", "tools/call", mcpCallCount), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"3.1", mcpLegacy("2025-06-18", "tools/list", ""), 200, `{"jsonrpc":"2.0","result":{"tools":[{…}]},"id":1}`},
		{"3.6", mcpLegacy("2024-11-05", "ping", ""), 200, mcpOK},
		{"3.3", mcpLegacy("1999-01-01", "tools/list", ""), 400, `{"jsonrpc":"2.0","error":{"code":-32022,"message":"this protocol version is not supported","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"1999-01-01"}},"id":1}`},
		{"3.3", mcpLegacy("banana", "initialize", `"protocolVersion":"2025-06-18"`), 400, mcpFailure("-32022", "not supported")},
		{"3.3", mcpLegacy("2027-01-01x", "ping", ""), 400, mcpFailure("-32022", "not supported")},
		{"3.7", mcpLegacy("2025-06-18", "ping", "", "MCP-Protocol-Version: 2025-06-18"), 400, mcpFailure("-32020", "more than once")},
		{"0.3", mcpLegacy("2026-07-28", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"protocolVersion":"2025-11-25"…`},
		{"0.3", mcpLegacy("2027-01-01", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"protocolVersion":"2025-11-25"…`},
		{"0.3 8.8", mcpModern("initialize", `"protocolVersion":"2025-11-25"`), 404, mcpFailure("-32601", "no such method")},
		{"0.1 0.2", discover, 200, mcpModern1 + `"supportedVersions":[…}`},
		{"0.4 3.4", mcpModern("server/discover", "", "-MCP-Protocol-Version"), 400, mcpFailure("-32020", "required")},
		{"0.4 9.4", mcpLegacy("", "server/discover", ""), 400, mcpFailure("-32020", "required")},
		{"0.4 9.4", mcpLegacy("2026-07-28", "server/discover", ""), 400, mcpFailure("-32602", "protocolVersion")},
		{"0.4", mcpLegacy("2027-07-28", "tools/list", ""), 400, mcpFailure("-32022", "not supported")},
		{"0.4 8.1", mcpLegacy("2026-07-28", "tools/list", ""), 400, mcpFailure("-32602", "protocolVersion")},
		{"0.4 8.1", mcpLegacy("2026-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":5}`), 400, mcpFailure("-32602", "protocolVersion")},
		{"0.4 3.4", mcpModern("tools/list", "", "-MCP-Protocol-Version", "MCP-Protocol-Version: 2025-11-25"), 400, mcpFailure("-32020", "differs")},
		{"0.4 3.5", mcpLegacy("2027-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-07-28"}`), 400, mcpFailure("-32022", "not supported")},
		{"3.5", mcpLegacy("1900-01-01", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}`), 400, mcpFailure("-32022", "not supported")},
		{"3.7", mcpModern("tools/list", "", "MCP-Protocol-Version: 2026-07-28"), 400, mcpFailure("-32020", "more than once")},
		{"4.1", mcpModern("tools/list", "", "-Mcp-Method"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1", mcpModern("tools/list", "", "-Mcp-Method", "Mcp-Method: tools/call"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1", mcpModern("tools/list", "", "-Mcp-Method", "Mcp-Method: Tools/List"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1 3.7", mcpModern("tools/list", "", "Mcp-Method: tools/list"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"0.4 8.1", mcpLegacy("2026-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, "Mcp-Method: tools/list"), 400, mcpFailure("-32602", "clientCapabilities")},
		{"8.1", mcpLegacy("2026-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}`, "Mcp-Method: tools/list"), 400, mcpFailure("-32602", "clientCapabilities")},
		{"4.1", mcpLegacy("2025-11-25", "tools/list", "", "Mcp-Method: nonsense"), 200, mcpOK},
		{"2.6 8.8", mcpModern("resources/list", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8 7.6", mcpModern("ping", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8 7.7", mcpModern("logging/setLevel", `"level":"info"`), 404, mcpFailure("-32601", "no such method")},
		{"8.8", mcpModern("resources/subscribe", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8", mcpModern("resources/unsubscribe", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8", mcpModern("prompts/list", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8", mcpModern("completion/complete", ""), 404, mcpFailure("-32601", "no such method")},
	}
}

func mcpNameRows() []mcpRow {
	count := func(head ...string) string { return mcpModern("tools/call", mcpCallCount, head...) }
	locate := func(arguments string, head ...string) string {
		return mcpModern("tools/call", `"name":"notes_locate","arguments":{`+arguments+`}`, head...)
	}
	const eu = "Mcp-Param-Region: eu"
	mismatch := mcpFailure("-32020", "Mcp-")
	return []mcpRow{
		{"4.2 8.3 8.4", count(), 200, mcpModern1 + mcpN7 + `},"id":1}`},
		{"4.2", count("-Mcp-Name"), 400, mismatch},
		{"4.2", count("-Mcp-Name", "Mcp-Name: notes_get"), 400, mismatch},
		{"4.2 3.7", count("Mcp-Name: notes_count"), 400, mismatch},
		{"4.2", mcpLegacy("2025-11-25", "tools/call", mcpCallCount, "Mcp-Name: nonsense"), 200, mcpOK},
		{"4.3", count("-Mcp-Name", "Mcp-Name: =?base64?bm90ZXNfY291bnQ=?="), 200, mcpOK},
		{"4.3", count("-Mcp-Name", "Mcp-Name: =?base64?bm90ZXNfY291bnQ?="), 400, mismatch},
		{"4.3", count("-Mcp-Name", "Mcp-Name: =?base64?bm90ZXNf!!!uQ=?="), 400, mismatch},
		{"4.3", count("-Mcp-Name", "Mcp-Name: =?BASE64?bm90ZXNfY291bnQ=?="), 400, mismatch},
		{"4.3", locate(`"region":"=?base64?eu"`, "Mcp-Param-Region: =?base64?eu"), 200, mcpOK},
		{"4.3", locate(`"region":"?="`, "Mcp-Param-Region: ?="), 200, mcpOK},
		{"4.3", locate(`"region":"é\n"`, "Mcp-Param-Region: =?base64?w6kK?="), 200, mcpOK},
		{"4.4", locate(`"region":"é"`, "Mcp-Param-Region: é"), 400, mismatch},
		{"4.4", locate("\"region\":\"a\u007f\"", "Mcp-Param-Region: a\x7f"), 400, mismatch},
		{"4.6", locate(`"region":"eu"`, eu), 200, mcpOK},
		{"4.6", locate(`"region":"eu"`), 400, mismatch},
		{"4.6", locate(`"region":"eu"`, "Mcp-Param-Region: us"), 400, mismatch},
		{"4.6", locate(`"region":"eu"`, eu, eu), 400, mismatch},
		{"4.6", locate(``), 200, `…/region is required…"isError":true…`},
		{"4.6", locate(`"region":null`), 200, `…/region must be a string…"isError":true…`},
		{"4.6", locate(`"region":"eu","limit":null`, eu), 200, mcpOK},
		{"4.6", locate(`"region":"eu"`, eu, "Mcp-Param-Limit: 5"), 400, mismatch},
		{"4.6", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: 5"), 200, mcpOK},
		{"4.6", locate(`"region":"eu","limit":5.0`, eu, "Mcp-Param-Limit: 5"), 200, mcpOK},
		{"4.6", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: 0.5e1"), 200, mcpOK},
		{"4.6", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: 6"), 400, mismatch},
		{"4.6", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: -5"), 400, mismatch},
		{"4.6", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: five"), 400, mismatch},
		{"4.5", locate(`"region":"eu","limit":9007199254740992`, eu, "Mcp-Param-Limit: 9007199254740992"), 400, mismatch},
		{"4.6", locate(`"region":"eu","deep":true`, eu, "Mcp-Param-Deep: true"), 200, mcpOK},
		{"4.6", locate(`"region":"eu","deep":true`, eu, "Mcp-Param-Deep: false"), 400, mismatch},
		{"4.6", locate(`"region":"eu","where":{"city":"Bern"}`, eu, "Mcp-Param-City: Bern"), 200, mcpOK},
		{"4.6", locate(`"region":"eu","where":{"city":"Bern"}`, eu), 400, mismatch},
		{"4.6", locate(`"region":"eu","where":7`, eu), 200, `…/where must be an object…"isError":true…`},
		{"4.6", locate(`"region":["eu"]`, eu), 400, mismatch},
		{"4.6", locate(`"region":"eu","more":[{"city":"Bern"}]`, eu), 200, mcpOK},
		{"4.6", locate(`"region":"eu"`, eu, "Mcp-Param-Other: x"), 200, mcpOK},
		{"4.6", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_locate","arguments":{"region":"eu"}`), 200, mcpOK},
		{"2.7 4.6", locate(`"REGION":"eu"`, eu), 400, mismatch},
	}
}

func mcpLifecycleRows() []mcpRow {
	initialize := func(version string) string { return mcpLegacy("", "initialize", `"protocolVersion":`+version) }
	initialized := func(version string) string {
		return `{"jsonrpc":"2.0","result":{"protocolVersion":"` + version + `","capabilities":{"logging":{},"tools":{}},"serverInfo":{"name":"Notes","version":"1.2.3"}},"id":1}`
	}
	return []mcpRow{
		{"7.1 7.2 7.8", initialize(`"2025-11-25"`), 200, initialized("2025-11-25")},
		{"7.1", initialize(`"2025-06-18"`), 200, initialized("2025-06-18")},
		{"7.1", initialize(`"2025-03-26"`), 200, initialized("2025-03-26")},
		{"7.1", initialize(`"2024-11-05"`), 200, initialized("2024-11-05")},
		{"7.1", initialize(`"2026-07-28"`), 200, initialized("2025-11-25")},
		{"7.1", initialize(`"1999-01-01"`), 200, initialized("2025-11-25")},
		{"7.3", mcpLegacy("", "initialize", ""), 200, mcpFailure("-32602", "protocolVersion")},
		{"7.3", initialize(`5`), 200, mcpFailure("-32602", "protocolVersion")},
		{"7.4", mcpLegacy("2025-11-25", "ping", "", "Mcp-Session-Id: x", "Last-Event-ID: 7"), 200, mcpOK},
		{"7.5", mcpLegacy("2025-11-25", "tools/call", mcpCallCount), 200, mcpOK},
		{"7.6", mcpLegacy("2025-11-25", "ping", ""), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"7.7", mcpLegacy("2025-11-25", "logging/setLevel", `"level":"warning"`), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"7.7", mcpLegacy("2025-11-25", "logging/setLevel", `"level":"loud"`), 200, mcpFailure("-32602", "log level")},
		{"7.7", mcpLegacy("2025-11-25", "logging/setLevel", ``), 200, mcpFailure("-32602", "log level")},
		{"8.7", mcpModern("tools/list", "", `meta: "io.modelcontextprotocol/logLevel":"loud"`), 400, mcpFailure("-32602", "log level")},
		{"8.7", mcpModern("tools/list", "", `meta: "io.modelcontextprotocol/logLevel":"debug"`), 200, mcpOK},
		{"8.1", mcpModern("tools/list", "", `meta: "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`), 200, mcpOK},
		{"8.5", mcpModern("tools/list", `"x":1`, `meta: "io.modelcontextprotocol/unknown":{},"traceparent":"00-0-0-00"`), 200, mcpOK},
		{"8.2", mcpModern("tools/call", `"name":"notes_sample"`), 400, `{"jsonrpc":"2.0","error":{"code":-32021,"message":"…","data":{"requiredCapabilities":{"sampling":{},"elicitation":{}}}},"id":1}`},
		{"8.2", mcpModern("tools/call", `"name":"notes_sample"`, `-Mcp-Name`), 400, mcpFailure("-32020", "Mcp-Name")},
		{"8.2", strings.Replace(mcpModern("tools/call", `"name":"notes_sample"`), `Capabilities":{}`, `Capabilities":{"sampling":{"tools":{}},"elicitation":{}}`, 1), 200, mcpModern1 + `"content":[],"isError":false},"id":1}`},
		{"8.2", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_sample"`), 200, `{"jsonrpc":"2.0","result":{"content":[],"isError":false},"id":1}`},
		{"9.1 9.2 9.3", mcpModern("server/discover", ""), 200, mcpModern1 + `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"logging":{},"tools":{}},"ttlMs":60000,"cacheScope":"public"},"id":1}`},
	}
}

func mcpToolRows() []mcpRow {
	call := func(name, arguments string) string {
		return mcpLegacy("2025-06-18", "tools/call", `"name":"notes_`+name+`","arguments":`+arguments)
	}
	tellsModel := func(text string) string {
		return `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"` + text + `"}],"isError":true},"id":1}`
	}
	show := func(version, kind string) string {
		return mcpLegacy(version, "tools/call", `"name":"notes_show","arguments":{"kinds":["`+kind+`"]}`)
	}
	shows := func(block string) string {
		return `{"jsonrpc":"2.0","result":{"content":[` + block + `],"isError":false},"id":1}`
	}
	return []mcpRow{
		{"10.3", mcpLegacy("", "tools/list", `"cursor":""`), 200, mcpFailure("-32602", "cursor")},
		{"10.3", mcpLegacy("", "tools/list", `"cursor":"bm90ZXNfZ2V0"`), 200, mcpFailure("-32602", "cursor")},
		{"10.3", mcpLegacy("", "tools/list", `"cursor":5`), 200, mcpFailure("-32602", "cursor")},
		{"10.3", mcpModern("tools/list", `"cursor":"x"`), 400, mcpFailure("-32602", "cursor")},
		{"10.4", mcpModern("tools/list", ""), 200, mcpModern1 + `"tools":[…],"ttlMs":60000,"cacheScope":"public"},"id":1}`},
		{"10.4", mcpLegacy("2025-11-25", "tools/list", ""), 200, `{"jsonrpc":"2.0","result":{"tools":[…"openWorldHint":false}}]},"id":1}`},
		{"10.12 10.11", call("create", `{"title":"x"}`), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"id":"n1","title":"x","tags":[]},"content":[{"type":"text","text":"{\"id\":\"n1\",\"title\":\"x\",\"tags\":[]}"}],"isError":false},"id":1}`},
		{"10.12", call("get", `{"id":"n1"}`), 200, `…"structuredContent":{"id":"n1","title":"a <b> & \"c\"","tags":[]},"content":[{"type":"text","text":"{\"id\":\"n1\",\"title\":\"a <b> & \\\"c\\\"\",\"tags\":[]}"}]…`},
		{"10.14", call("delete", `{"id":"n1"}`), 200, shows("")},
		{"10.16", mcpLegacy("", "tools/call", `"name":"notes_nope"`), 200, mcpFailure("-32602", "no tool")},
		{"10.16", mcpModern("tools/call", `"name":"notes_nope"`), 400, mcpFailure("-32602", "no tool")},
		{"10.16", mcpLegacy("", "tools/call", `"name":"Notes_Count"`), 200, mcpFailure("-32602", "no tool")},
		{"10.16", mcpLegacy("", "tools/call", ``), 200, mcpFailure("-32602", "params.name")},
		{"10.16", mcpLegacy("", "tools/call", `"name":7`), 200, mcpFailure("-32602", "params.name")},
		{"10.16", call("count", `[]`), 200, mcpFailure("-32602", "arguments")},
		{"10.16", call("count", `"x"`), 200, mcpFailure("-32602", "arguments")},
		{"10.16", call("count", `null`), 200, shows(`{"type":"text","text":"{\"n\":7}"}`)[:27] + `…`},
		{"10.16", mcpLegacy("", "tools/call", `"name":"notes_show"`), 200, shows("")},
		{"10.17 10.13", call("create", `{}`), 200, tellsModel(`INVALID_ARGUMENT: invalid input: /title is required`)},
		{"10.17", call("create", `{"title":"","tags":[1],"stars":9}`), 200, tellsModel(`INVALID_ARGUMENT: invalid input: /title must …\n- /title must …\n- /tags/0 must be a string\n- /stars must be at most 5`)},
		{"10.17", call("create", `{"title":5}`), 200, tellsModel(`…/title must be a string`)},
		{"10.17", call("count", `{"verbose":true}`), 200, tellsModel(`INVALID_ARGUMENT: invalid input: /verbose is not a known property`)},
		{"10.18 10.13", call("get", `{"id":"n2"}`), 200, tellsModel(`NOT_FOUND: there is no note \"n2\"\ndetails: {\"hint\":\"the ids are n1 to n9\"}`)},
		{"10.18", call("fail", `{"how":"no"}`), 200, tellsModel(`FAILED_PRECONDITION: not now`)},
		{"10.18", call("fail", `{"how":"plain"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", call("fail", `{"how":"internal"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", call("fail", `{"how":"nil"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", call("fail", `{"how":"panic"}`), 200, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"},"id":1}`},
		{"10.18", mcpModern("tools/call", `"name":"notes_fail","arguments":{"how":"panic"}`), 200, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"},"id":1}`},
		{"10.15", show("2025-11-25", "text"), 200, shows(`{"type":"text","text":"plain"}`)},
		{"10.15", show("2025-11-25", "image"), 200, shows(`{"type":"image","data":"cG5n","mimeType":"image/png"}`)},
		{"10.15", show("2025-11-25", "audio"), 200, shows(`{"type":"audio","data":"d2F2","mimeType":"audio/wav"}`)},
		{"10.15", show("2025-03-26", "audio"), 200, shows(`{"type":"audio","data":"d2F2","mimeType":"audio/wav"}`)},
		{"10.15", show("2024-11-05", "audio"), 200, shows(`{"type":"text","text":"(audio, audio/wav)"}`)},
		{"10.15", show("2025-11-25", "resource"), 200, shows(`{"type":"resource","resource":{"uri":"note://1","mimeType":"text/plain","text":"a note"}}`)},
		{"10.15", show("2025-11-25", "blob"), 200, shows(`{"type":"resource","resource":{"uri":"note://2","blob":"AAE="}}`)},
		{"10.15", show("2025-06-18", "link"), 200, shows(`{"type":"resource_link","uri":"note://3","name":"three","annotations":{"audience":["user"],"priority":0.5}}`)},
		{"10.15", show("2025-03-26", "link"), 200, shows(`{"type":"text","text":"three: note://3","annotations":{"audience":["user"],"priority":0.5}}`)},
		{"10.15", show("2025-11-25", "broken"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15", show("2025-11-25", "unknown"), 200, tellsModel(`INTERNAL: internal error`)},
	}
}

func mcpStreamRows() []mcpRow {
	const (
		work  = `"name":"notes_work","arguments":{"steps":2}`
		begin = ":\n\nevent: message\ndata: "
		next  = "\n\nevent: message\ndata: "
	)
	warn := func(head ...string) string {
		return mcpModern("tools/call", `"name":"notes_work","arguments":{"level":"warning"}`, head...)
	}
	legacyLog := func(level string) string {
		return mcpLegacy("2025-06-18", "tools/call", `"name":"notes_work","arguments":{"level":"`+level+`"}`)
	}
	report := func(token, n string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + n + `,"total":1,"message":"step ` + n + `"}}`
	}
	const warning = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":{"n":1}}}`
	const two = `{"jsonrpc":"2.0","result":{"structuredContent":{"n":2},…},"id":1}` + "\n\n"
	return []mcpRow{
		{"11.1 11.2 11.3 11.4", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":"p\u0041"}`), 200, begin + report(`"p\u0041"`, "0") + next + report(`"p\u0041"`, "1") + next + two},
		{"11.4", mcpModern("tools/call", work, `meta: "progressToken":9007199254740993`), 200, begin + report(`9007199254740993`, "0") + next + report(`9007199254740993`, "1") + next + mcpModern1 + `…`},
		{"11.4", mcpLegacy("", "tools/call", work), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"n":2},…`},
		{"11.4", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":1.5}`), 200, mcpFailure("-32602", "progressToken")},
		{"11.4", mcpModern("tools/call", work, `meta: "progressToken":null`), 400, mcpFailure("-32602", "progressToken")},
		{"11.4 1.7", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":1}`, "Accept: application/json"), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"n":2},…`},
		{"8.7", warn(), 200, mcpModern1 + `…`},
		{"8.7", warn(`meta: "io.modelcontextprotocol/logLevel":"warning"`), 200, begin + warning + next + mcpModern1 + `…`},
		{"8.7", warn(`meta: "io.modelcontextprotocol/logLevel":"debug"`), 200, begin + warning + next + mcpModern1 + `…`},
		{"8.7", warn(`meta: "io.modelcontextprotocol/logLevel":"error"`), 200, mcpModern1 + `…`},
		{"7.7", legacyLog("warning"), 200, begin + warning + next + `…`},
		{"7.7", legacyLog("debug"), 200, `{"jsonrpc":"2.0","result":{…`},
		{"10.11", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":2}`), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"items":[{"n":0},{"n":1}]},"content":[{"type":"text","text":"{\"items\":[{\"n\":0},{\"n\":1}]}"}],"isError":false},"id":1}`},
		{"11.4", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":1},"_meta":{"progressToken":5}`), 200, begin + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}` + next + `{"jsonrpc":"2.0","result":{"structuredContent":{"items":[{"n":0}]},…`},
		{"10.18", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":-1}`), 200, `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"ABORTED: it broke"}],"isError":true},"id":1}`},
		{"10.18", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":1001}`), 200, `…RESOURCE_EXHAUSTED: …"isError":true…`},
		{"11.7", mcpModern("subscriptions/listen", `"notifications":{"toolsListChanged":true}`), 200, begin + `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}}` + next + `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{…},"io.modelcontextprotocol/subscriptionId":1}},"id":1}` + "\n\n"},
		{"11.7", mcpModern("subscriptions/listen", ``, "Accept: application/json"), 200, `{"jsonrpc":"2.0","result":{"resultType":"complete",…`},
		{"11.7 9.4", mcpLegacy("2025-11-25", "subscriptions/listen", ""), 400, mcpFailure("-32602", "protocolVersion")},
	}
}

func mcpRows() []mcpRow {
	return slices.Concat(mcpEnvelopeRows(), mcpBatchRows(), mcpVersionRows(), mcpNameRows(), mcpLifecycleRows(), mcpToolRows(), mcpStreamRows())
}

// mcpWireOptions is what the rows are answered with.
var mcpWireOptions = &svc.MCPOptions{
	ListTTL: time.Minute, ListScope: "public",
	Tools: map[string]svc.ToolOptions{"Sample": {RequiredCapabilities: []string{"sampling", "elicitation"}}},
}

func TestMCPWire(t *testing.T) {
	h := newMCP(mcpWireOptions)
	for _, row := range mcpRows() {
		w := mcpPost(h, row.request)
		if got := w.Body.String(); w.Code != row.status || !mcpMatches(got, row.body) {
			t.Errorf("%s: %s\n got: %d %s\nwant: %d %s", row.numbers, row.request, w.Code, got, row.status, row.body)
		}
		checkMCPHeader(t, row, w.Header())
	}
}

// checkMCPHeader holds the header of an answer to what every answer has.
func checkMCPHeader(t *testing.T, row mcpRow, h http.Header) {
	t.Helper()
	want := "application/json"
	switch {
	case row.body == mcpNone:
		want = ""
	case !strings.HasPrefix(row.body, "{") && !strings.HasPrefix(row.body, "[") && !strings.HasPrefix(row.body, "…"):
		want = "text/event-stream"
	}
	if got := h.Get("Content-Type"); got != want {
		t.Errorf("%s: %s\nContent-Type is %q, want %q", row.numbers, row.request, got, want)
	}
	if want == "text/event-stream" && (h.Get("Cache-Control") != "no-cache" || h.Get("X-Accel-Buffering") != "no") { // 11.1
		t.Errorf("%s: %s\nthe header of the stream is %v", row.numbers, row.request, h)
	}
	if h.Get("Mcp-Session-Id") != "" { // 7.4
		t.Errorf("%s: %s\nthere is a session: %v", row.numbers, row.request, h)
	}
}
