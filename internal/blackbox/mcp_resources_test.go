package blackbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"example.com/svc"
)

// This file tests the resources and the prompts of MCP.

type mcpReading interface {
	GetNote(context.Context, *mcpGet) (*mcpNote, error)
	GetPart(context.Context, *mcpPart) (*mcpCount, error)
	ListAll(context.Context, *mcpPage) (*mcpCount, error)
	GetShown(context.Context, *mcpShow) (*mcpShown, error)
	Create(context.Context, *mcpCreate) (*mcpNote, error)
	GetCount(context.Context) (*mcpCount, error)
}

type mcpPart struct {
	ID   string `json:"id" path:"id"`
	Part int    `json:"part" path:"part" minimum:"1"`
}

type mcpPage struct {
	Limit int  `json:"limit,omitempty" query:"limit" maximum:"9"`
	Done  bool `json:"done,omitempty" query:"done"`
}

type mcpReader struct{ mcpService }

func (r mcpReader) GetNote(ctx context.Context, in *mcpGet) (*mcpNote, error) {
	if in.ID == "boom" {
		panic("secret-17")
	}
	if in.ID == "a/b" || in.ID == "ä" {
		in.ID = "n1"
	}
	return r.Get(ctx, in)
}

func (mcpReader) GetPart(_ context.Context, in *mcpPart) (*mcpCount, error) {
	return &mcpCount{N: in.Part}, nil
}

func (mcpReader) ListAll(_ context.Context, in *mcpPage) (*mcpCount, error) {
	n := in.Limit
	if in.Done {
		n = -n
	}
	return &mcpCount{N: n}, nil
}

func (r mcpReader) GetShown(ctx context.Context, in *mcpShow) (*mcpShown, error) {
	return r.Show(ctx, &mcpShow{Kinds: in.Kinds})
}

func (r mcpReader) GetCount(ctx context.Context) (*mcpCount, error) { return r.Count(ctx) }

func readingOptions() *svc.Options {
	return &svc.Options{
		Name: "Notes", Resource: "notes", Version: "1.2.3", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"GetPart": {HTTP: "GET /notes/{id}/{part}"}, "GetShown": {HTTP: "GET /shown"}, "GetCount": {HTTP: "GET /count", Transports: []svc.Transport{svc.TransportREST}}},
	}
}

// showing sets what MCP shows of methods in o, and returns it.
func showing(o *svc.Options, shown map[string]svc.MCPMethod) *svc.Options {
	if o.Methods == nil {
		o.Methods = make(map[string]svc.MethodOptions)
	}
	for name, mcp := range shown {
		m := o.Methods[name]
		m.MCP = &mcp
		o.Methods[name] = m
	}
	return o
}

// Verify resources: their lists, what a URI gives, and what it does not.
func TestMCPResources(t *testing.T) {
	h := svc.MustRegister[mcpReading](mcpReader{}, showing(readingOptions(), map[string]svc.MCPMethod{
		"GetNote":  {URI: "notes://notes/{id}", Title: "A note", Description: "One note."},
		"GetPart":  {URI: "notes://notes/{id}/parts/{part}.txt", MIMEType: "text/x-part", NotTool: true},
		"ListAll":  {URI: "notes://all{?limit,done}", TTL: 1500 * 1e6},
		"GetShown": {URI: "notes://shown"},
	})).MCP(nil)
	read := func(uri string) string { return mcpModern("resources/read", `"uri":"`+uri+`"`, "Mcp-Name: "+uri) }
	old := func(uri string) string { return mcpLegacy("2025-11-25", "resources/read", `"uri":"`+uri+`"`) }
	text := func(uri, kind, text string) string {
		return `{"jsonrpc":"2.0","result":{"contents":[{"uri":"` + uri + `","mimeType":"` + kind + `","text":` + text + `}]},"id":1}`
	}
	missing := func(uri string) string { return `…"code":-32602,…"data":{"uri":"` + uri + `"}},"id":1}` }
	const n5 = `"{\"n\":5}"`
	for _, test := range []struct {
		name   string
		text   string
		status int
		want   string
	}{
		{"initialize", mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"capabilities":{"completions":{},"logging":{},"resources":{},"tools":{}}…`},
		{"resources/list", mcpLegacy("", "resources/list", ""), 200, `{"jsonrpc":"2.0","result":{"resources":[{"uri":"notes://shown","name":"notes_get_shown","title":"notes: get shown","description":"…","mimeType":"text/plain"}]},"id":1}`},
		{"resources/templates/list", mcpModern("resources/templates/list", ""), 200, mcpModern1 + `"resourceTemplates":[{"uriTemplate":"notes://notes/{id}","name":"notes_get_note","title":"A note","description":"One note.","mimeType":"application/json"},{…"text/x-part"},{"uriTemplate":"notes://all{?limit,done}",…}],"ttlMs":0,"cacheScope":"private"},"id":1}`},
		{"a cursor", mcpLegacy("", "resources/list", `"cursor":"x"`), 200, mcpFailure("-32602", "cursor")},
		{"tools/list", mcpLegacy("", "tools/list", ""), 200, `…"notes_get_note"…`},
		{"a resource that is no tool", mcpLegacy("", "tools/call", `"name":"notes_get_part"`), 200, mcpFailure("-32602", "no tool")},
		{"a resource", old("notes://notes/n1"), 200, text("notes://notes/n1", "application/json", `"{\"id\":\"n1\",\"title\":\"a <b> & \\\"c\\\"\",\"tags\":[]}"`)},
		{"a resource in 2026", read("notes://notes/n1"), 200, mcpModern1 + `"contents":[{"uri":"notes://notes/n1",…}],"ttlMs":0,"cacheScope":"private"},"id":1}`},
		{"an escaped slash", read("notes://notes/a%2Fb"), 200, `…"contents"…`},
		{"an escaped letter", read("notes://notes/%C3%A4"), 200, `…"contents"…`},
		{"an item that is not there", read("notes://notes/n2"), 400, `…"code":-32602,"message":"NOT_FOUND: there is no note \"n2\"\n…"data":{"uri":"notes://notes/n2"}},"id":1}`},
		{"an item that is not there in 2025", old("notes://notes/n2"), 200, `…"code":-32002,…"data":{"uri":"notes://notes/n2"}…`},
		{"an unknown URI in 2025", old("notes://nope"), 200, `…"code":-32002,"message":"there is no resource of this URI","data":{"uri":"notes://nope"}…`},
		{"an empty segment", read("notes://notes/"), 400, missing("notes://notes/")},
		{"dots", read("notes://notes/.."), 400, missing("notes://notes/..")},
		{"escaped dots", read("notes://notes/%2e%2E"), 400, missing("notes://notes/%2e%2E")},
		{"dots and an escaped slash", read("notes://notes/..%2fetc"), 400, missing("notes://notes/..%2fetc")},
		{"dots and an escaped backslash", read("notes://notes/a%5c..%5cb"), 400, missing("notes://notes/a%5c..%5cb")},
		{"an escaped NUL", read("notes://notes/a%00"), 400, missing("notes://notes/a%00")},
		{"no UTF-8", read("notes://notes/%ff"), 400, missing("notes://notes/%ff")},
		{"a wrong escape", read("notes://notes/%zz"), 400, missing("notes://notes/%zz")},
		{"a query that is not in the template", read("notes://notes/n1?x=1"), 400, missing("notes://notes/n1?x=1")},
		{"the scheme in capitals", read("NOTES://notes/n1"), 400, missing("NOTES://notes/n1")},
		{"two placeholders", old("notes://notes/n1/parts/5.txt"), 200, text("notes://notes/n1/parts/5.txt", "text/x-part", n5)},
		{"a placeholder that breaks a rule", read("notes://notes/n1/parts/0.txt"), 400, mcpFailure("-32602", "/part must be at least 1")},
		{"a placeholder of another type", read("notes://notes/n1/parts/x.txt"), 400, mcpFailure("-32602", "/part must be an integer")},
		{"a slash behind the template", read("notes://notes/n1/parts/5.txt/"), 400, missing("notes://notes/n1/parts/5.txt/")},
		{"an empty placeholder", read("notes://notes/n1/parts/.txt"), 400, missing("notes://notes/n1/parts/.txt")},
		{"no query", old("notes://all"), 200, text("notes://all", "application/json", `"{\"n\":0}"`)},
		{"a query", read("notes://all?limit=5&done=true"), 200, `…"text":"{\"n\":-5}"}],"ttlMs":1500,"cacheScope":"private"…`},
		{"a query that breaks a rule", read("notes://all?limit=50"), 400, mcpFailure("-32602", "/limit must be at most 9")},
		{"a parameter twice", read("notes://all?limit=5&limit=5"), 400, missing("notes://all?limit=5&limit=5")},
		{"an unknown parameter", read("notes://all?other=5"), 400, missing("notes://all?other=5")},
		{"a wrong escape in the query", read("notes://all?limit=%"), 400, missing("notes://all?limit=%")},
		{"no UTF-8 in the query", read("notes://all?limit=%ff"), 400, missing("notes://all?limit=%ff")},
		{"no blocks", read("notes://shown"), 200, mcpFailure("-32603", "internal error")}, // no blocks
		{"a panic", read("notes://notes/boom"), 200, mcpFailure("-32603", "internal error")},
		{"no Mcp-Name", mcpModern("resources/read", `"uri":"notes://notes/n1"`), 400, mcpFailure("-32020", "Mcp-Name")},
		{"another Mcp-Name", mcpLegacy("", "resources/read", `"uri":"notes://notes/n1"`, "Mcp-Name: notes://notes/n2"), 400, mcpFailure("-32020", "Mcp-Name")},
		{"a number as URI", mcpLegacy("", "resources/read", `"uri":5`), 200, mcpFailure("-32602", "params.uri")},
		{"resources/subscribe", mcpLegacy("", "resources/subscribe", `"uri":"notes://shown"`), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"resources/unsubscribe", mcpLegacy("", "resources/unsubscribe", `"uri":"notes://shown"`), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"resources/subscribe in 2026", mcpModern("resources/subscribe", `"uri":"notes://shown"`), 404, mcpFailure("-32601", "no such method")},
		{"prompts/list", mcpModern("prompts/list", ""), 404, mcpFailure("-32601", "no such method")},
		{"completion/complete", mcpLegacy("", "completion/complete", `"ref":{"type":"ref/resource","uri":"notes://notes/{id}"},"argument":{"name":"id","value":""}`), 200, `…"completion":{"values":[],"total":0,"hasMore":false}…`},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMCPAnswer(t, h, test.text, test.status, test.want)
		})
	}
}

// Verify prompts and the completion of their arguments.
func TestMCPPrompts(t *testing.T) {
	_, h := newAsking(nil)
	get := func(arguments string) string {
		return mcpLegacy("2025-11-25", "prompts/get", `"name":"ask_compose","arguments":{`+arguments+`}`)
	}
	messages := func(text string) string {
		return `{"jsonrpc":"2.0","result":{"description":"…","messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}},{"role":"user","content":{"type":"image","data":"cG5n","mimeType":"image/png"}}]},"id":1}`
	}
	complete := func(name, value string) string {
		return mcpLegacy("", "completion/complete", `"ref":{"type":"ref/prompt","name":"ask_compose"},"argument":{"name":"`+name+`","value":"`+value+`"}`)
	}
	values := func(list string, n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","result":{"completion":{"values":[%s],"total":%d,"hasMore":false}},"id":1}`, list, n)
	}
	for _, test := range []struct {
		name   string
		text   string
		status int
		want   string
	}{
		{"prompts/list", mcpLegacy("", "prompts/list", ""), 200, `{"jsonrpc":"2.0","result":{"prompts":[{"name":"ask_compose","title":"ask: compose","description":"…","arguments":[{"name":"style","description":"how it sounds","required":true},{"name":"words","required":false},{"name":"loud","required":false},{"name":"size","required":false}]}]},"id":1}`},
		{"prompts/list in 2026", mcpModern("prompts/list", ""), 200, `…],"ttlMs":0,"cacheScope":"private"},"id":1}`},
		{"a prompt that is no tool", mcpLegacy("", "tools/call", `"name":"ask_compose"`), 200, mcpFailure("-32602", "no tool")},
		{"a prompt", get(`"style":"formal","words":"12","loud":"true"`), 200, messages(`formal 12 true\n`)},
		{"a number as an argument", get(`"style":"formal","words":12`), 200, messages(`formal 12 false\n`)},
		{"a prompt in 2026", mcpModern("prompts/get", `"name":"ask_compose","arguments":{"style":"funny"}`), 200, mcpModern1 + `"description":…`},
		{"no Mcp-Name", mcpModern("prompts/get", `"name":"ask_compose"`, "-Mcp-Name"), 400, mcpFailure("-32020", "Mcp-Name")},
		{"no arguments", get(``), 200, mcpFailure("-32602", "/style is required")},
		{"two wrong arguments", get(`"style":"x","words":"many"`), 200, mcpFailure("-32602", `/style must be one of …\n- /words must be an integer`)},
		{"an error", get(`"style":"funny","words":"13"`), 200, mcpFailure("-32603", "NOT_FOUND: no words")},
		{"a panic", get(`"style":"funny","words":"14"`), 200, mcpFailure("-32603", "internal error")},
		{"an argument twice", get(`"style":"a","style":"b"`), 200, mcpFailure("-32700", "same name twice")},
		{"an unknown prompt", mcpLegacy("", "prompts/get", `"name":"nope"`), 200, mcpFailure("-32602", "no prompt")},
		{"no name", mcpLegacy("", "prompts/get", ``), 200, mcpFailure("-32602", "params.name")},
		{"completion of an enum", complete("style", "f"), 200, values(`"formal","friendly","funny"`, 3)},
		{"completion of an enum by two letters", complete("style", "fu"), 200, values(`"funny"`, 1)},
		{"completion of no value", complete("style", "x"), 200, values(``, 0)},
		{"completion of numbers", complete("size", "1"), 200, values(`"1","1.5"`, 2)},
		{"completion of an argument without values", complete("words", "1"), 200, values(``, 0)},
		{"completion of an unknown argument", complete("nope", ""), 200, values(``, 0)},
		{"completion of an unknown prompt", mcpLegacy("", "completion/complete", `"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}`), 200, mcpFailure("-32602", "params.ref")},
		{"completion of a tool", mcpLegacy("", "completion/complete", `"ref":{"type":"ref/tool","name":"ask_compose"},"argument":{"name":"x","value":""}`), 200, mcpFailure("-32602", "params.ref")},
		{"completion without an argument", mcpLegacy("", "completion/complete", `"ref":{"type":"ref/prompt","name":"ask_compose"}`), 200, mcpFailure("-32602", "params.argument")},
		{"completion in 2026", mcpModern("completion/complete", `"ref":{"type":"ref/prompt","name":"ask_compose"},"argument":{"name":"style","value":"fu"}`, "-Mcp-Name"), 200, mcpModern1 + `"completion":{"values":["funny"],…`},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMCPAnswer(t, h, test.text, test.status, test.want)
		})
	}
}
