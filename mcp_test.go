package svc

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// SSE items that bring content of their own are still items.
type contentItem struct {
	N int `json:"n"`
}

func (*contentItem) MCPContent() []MCPContent { return nil }

type contentAPI interface {
	One(context.Context) (*contentItem, error)
}

type contentImpl struct{}

func (contentImpl) One(context.Context) (*contentItem, error) { return &contentItem{3}, nil }

// A stream is one result over MCP too. Each item is progress, where the client
// asks for it and the method does not report its own.
func TestMCPItems(t *testing.T) {
	impl := &tickImpl{
		run: func(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
			stream, err := ticks("")(ctx, in)
			return func(yield func(*tickItem, error) bool) {
				if in.After == 6 {
					Progress(ctx, 10, 20, "on its way")
				}
				stream(yield)
				switch in.After {
				case 7:
					yield(nil, Errorf(CodeNotFound, "no more"))
				case 8:
					panic("oh")
				}
			}, err
		},
		one: func(context.Context, *tickIn) (*tickItem, error) { return &tickItem{N: 5}, nil },
	}
	tick := tickService(t, impl, true, quiet).MCP(nil)
	content := MustRegister[contentAPI](contentImpl{}, &Options{Resource: "ticks", Logger: quiet, Methods: map[string]MethodOptions{"One": {Stream: StreamSSE}}}).MCP(nil)
	result := func(json string) string {
		return `{"jsonrpc":"2.0","result":{"structuredContent":` + json + `,"content":[{"type":"text","text":` + string(appendQuoted(nil, json)) + `}],"isError":false},"id":1}`
	}
	failure := func(text string) string {
		return `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"` + text + `"}],"isError":true},"id":1}`
	}
	progress := func(text string) string {
		return "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t",` + text + `}}` + "\n\n"
	}
	last := func(json string) string { return "event: message\ndata: " + json + "\n\n" }
	tooMany := "RESOURCE_EXHAUSTED: the stream has more than 1000 items, which is as many as fit into one answer"
	for _, test := range []struct{ name, params, want string }{
		{"items", `"name":"ticks_run","arguments":{"count":2}`, result(`{"items":[{"n":1},{"n":2}]}`)},
		{"no items", `"name":"ticks_all"`, result(`{"items":[]}`)},
		{"one record", `"name":"ticks_one"`, result(`{"items":[{"n":5}]}`)},
		{"error", `"name":"ticks_run","arguments":{"count":1,"after":7}`, failure("NOT_FOUND: no more")},
		{"too many", `"name":"ticks_run","arguments":{"count":1001}`, failure(tooMany)},
		{"panic", `"name":"ticks_run","arguments":{"count":1,"after":8}`, failure("INTERNAL: internal error")},
		{"progress", `"name":"ticks_run","arguments":{"count":2},"_meta":{"progressToken":"t"}`,
			":\n\n" + progress(`"progress":1`) + progress(`"progress":2`) + last(result(`{"items":[{"n":1},{"n":2}]}`))},
		{"its own progress", `"name":"ticks_run","arguments":{"count":2,"after":6},"_meta":{"progressToken":"t"}`,
			":\n\n" + progress(`"progress":10,"total":20,"message":"on its way"`) + last(result(`{"items":[{"n":7},{"n":8}]}`))},
		{"progress, then an error", `"name":"ticks_run","arguments":{"count":1,"after":7},"_meta":{"progressToken":"t"}`,
			":\n\n" + progress(`"progress":1`) + last(failure("NOT_FOUND: no more"))},
		{"content", `"name":"ticks_one"`, result(`{"items":[{"n":3}]}`)},
	} {
		h := tick
		if test.name == "content" {
			h = content
		}
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+test.params+`}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); strings.TrimRight(w.Body.String(), "\n") != strings.TrimRight(test.want, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", test.name, w.Body, test.want)
		}
	}
}

func TestMCPItemsSchema(t *testing.T) {
	tools := tickService(t, &tickImpl{}, false, quiet).MCP(nil).(*mcpHandler).texts.list
	want := `"outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}},"required":["n"]}}},"required":["items"]}`
	if strings.Count(tools, want) != 3 {
		t.Errorf("the tools lack %s three times\n%s", want, tools)
	}
}

// Verify that a tool without input promises to refuse arguments only where it does.
func TestMCPEmptyInputSchema(t *testing.T) {
	for strict, want := range map[bool]string{
		false: `"name":"todos_mark_done","title":"Mark done","description":"Mark done on todos, a POST method of oaAPI.","inputSchema":{"type":"object"}`,
		true:  `"name":"todos_mark_done","title":"Mark done","description":"Mark done on todos, a POST method of oaAPI.","inputSchema":{"type":"object","additionalProperties":false}`,
	} {
		tools := oaService(Options{Strict: strict}).MCP(nil).(*mcpHandler).texts.list
		if !strings.Contains(tools, want) {
			t.Errorf("strict %t: the tools lack %s\n%s", strict, want, tools)
		}
	}
}

// Verify that the quick way to quote a JSON text gives what the plain way does.
func TestAppendQuotedJSON(t *testing.T) {
	for n := range 40 {
		for _, special := range []string{`"`, `\\`, `\"`, `""`, "é"} {
			for i := range n {
				text := strings.Repeat("a", i) + special + strings.Repeat("b", n-i)
				got, want := appendQuotedJSON([]byte("x"), []byte(text)), appendQuoted([]byte("x"), text)
				if string(got) != string(want) {
					t.Errorf("%s: got %s, want %s", text, got, want)
				}
			}
		}
	}
}

// Verify that the parts of a message are found whatever stands between them.
func TestEachMember(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{}`, ``},
		{" { }"[1:], ``},
		{`{"a":1}`, `a=1;`},
		{"{ \"a\" :\t1 ,\n\"b\":[ {\"}\":\"]\"} , 2 ],\r\"c\" : null }", `a=1;b=[ {"}":"]"} , 2 ];c=null;`},
		{`{"\u0061\"":"x\\\"y","b":-1.5e3,"c":{"d":{}},"e":true}`, `a"="x\\\"y";b=-1.5e3;c={"d":{}};e=true;`},
	} {
		var got strings.Builder
		eachMember([]byte(test.text), func(name, value []byte) { fmt.Fprintf(&got, "%s=%s;", name, value) })
		if got.String() != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got.String(), test.want)
		}
	}
}
