package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// Verify one conversation on standard input and output: a resource, the prompt, and
// that Archive asks before it deletes. Nothing but messages is written.
func TestAssistant(t *testing.T) {
	modern := func(id, method, params string) string {
		return `{"jsonrpc":"2.0","id":"` + id + `","method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
	}
	archive := func(id, more string) string { return modern(id, "tools/call", `"name":"todos_archive",`+more) }
	answer := func(action, content string) string {
		return `"inputResponses":{"archive":{"action":"` + action + `","content":` + content + `}},`
	}
	cmd := exec.Command(program, "-mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(out)
	for _, test := range []struct{ text, want string }{ // one after the other, since calls run at the same time
		{modern("1", "prompts/get", `"name":"todos_plan_day",`), "Everything is done."},
		{modern("2", "tools/call", `"name":"todos_create","arguments":{"title":"Buy milk"},`), `"id":"1"`},
		{modern("3", "prompts/get", `"name":"todos_plan_day","arguments":{"order":"newest"},`), `- Buy milk (todo 1)`},
		{modern("4", "completion/complete", `"ref":{"type":"ref/prompt","name":"todos_plan_day"},"argument":{"name":"order","value":"n"},`), `"values":["newest"]`},
		{modern("5", "resources/templates/list", ""), `"uriTemplate":"todos://todos/{id}"`},
		{modern("6", "resources/read", `"uri":"todos://todos/1",`), `\"title\":\"Buy milk\"`},
		{modern("7", "resources/read", `"uri":"todos://todos/2",`), `"code":-32602`},
		{modern("8", "tools/call", `"name":"todos_update","arguments":{"id":"1","title":"Buy milk","completed":true},`), `"completed":true`},
		{`{"jsonrpc":"2.0","id":"legacy","method":"tools/call","params":{"name":"todos_archive"}}`, `"text":"FAILED_PRECONDITION: not done, since this client cannot be asked`},
		{archive("9", ""), `"inputRequests":{"archive":{"method":"elicitation/create"`},
		{archive("10", answer("decline", "{}")), `FAILED_PRECONDITION`},
		{archive("11", answer("accept", `{"yes":false}`)), `FAILED_PRECONDITION: not done, since the user has not said yes; call again only if the user wants it. The question: `},
		{archive("12", answer("accept", `{"yes":true}`)), `{"archived":1}`},
		{archive("13", answer("accept", `{"yes":true}`)), `{"archived":0}`},
	} {
		var got json.RawMessage
		in.Write([]byte(test.text + "\n"))
		if err := lines.Decode(&got); err != nil || !strings.Contains(string(got), test.want) {
			t.Errorf("%s\n got %s, %v\nwant %s", test.text, got, err, test.want)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
