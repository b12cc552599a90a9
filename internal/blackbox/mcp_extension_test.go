package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file tests what an application adds to MCP: methods and extensions of its own,
// completions, and the names of tools.

// newExtended returns a service with the methods of MCP that TestMCPMethods calls, and its
// observations and its log.
func newExtended(o svc.Options) (*svc.Service, *svc.MCPOptions, *[]string, *bytes.Buffer) {
	var mu sync.Mutex
	seen, log := new([]string), new(bytes.Buffer)
	o.Name, o.Resource, o.Version = "Notes", "notes", "1.2.3"
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	o.Observe = func(_ context.Context, ob svc.Observation) {
		mu.Lock()
		defer mu.Unlock()
		*seen = append(*seen, fmt.Sprint(ob.Transport, " ", ob.Resource, ".", ob.Method, " ", ob.RPC, " ", svc.CodeOf(ob.Err)))
	}
	type method = func(context.Context, json.RawMessage) (any, error)
	return svc.MustRegister[mcpNotes](mcpService{}, &o), &svc.MCPOptions{
		StateKey:   svc.NewCursorKey([]byte("0123456789abcdef0123456789abcdef")),
		Extensions: map[string]any{"example.com/events": map[string]any{"poll": true}, "example.com/skills": struct{}{}},
		Methods: map[string]method{
			"events/list": func(ctx context.Context, params json.RawMessage) (any, error) {
				var in struct {
					After int `json:"after"`
				}
				if err := json.Unmarshal(params, &in); err != nil {
					return nil, svc.Errorf(svc.CodeInvalidArgument, "after must be an integer")
				}
				svc.Progress(ctx, 1, 2, "half")
				name := "nobody"
				if p, ok := svc.PrincipalFrom(ctx); ok {
					name = p.Subject
				}
				return map[string]any{"events": []int{in.After}, "for": name, "html": "<b>"}, nil
			},
			"events/none": func(context.Context, json.RawMessage) (any, error) { return nil, nil },
			"events/own": func(context.Context, json.RawMessage) (any, error) {
				return map[string]any{"resultType": "task", "_meta": map[string]int{"a": 1}}, nil
			},
			"events/list_of": func(context.Context, json.RawMessage) (any, error) { return []int{1}, nil },
			"events/broken":  func(context.Context, json.RawMessage) (any, error) { return func() {}, nil },
			"events/missing": func(context.Context, json.RawMessage) (any, error) {
				return nil, svc.Errorf(svc.CodeNotFound, "there is no event 7").WithReason("event_gone").WithDetail("hint", "1 to 6")
			},
			"events/secret": func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("secret-17") },
			"events/panic":  func(context.Context, json.RawMessage) (any, error) { panic("secret-17") },
			"events/ask": func(ctx context.Context, _ json.RawMessage) (any, error) {
				if err := svc.Confirm(ctx, "sure", "Sure?"); err != nil {
					return nil, err
				}
				return map[string]bool{"sure": true}, nil
			},
		},
	}, seen, log
}

// Verify methods of the application, on every revision, over HTTP and over standard input.
func TestMCPMethods(t *testing.T) {
	for _, test := range []struct{ method, params, want string }{
		{"events/list", `"after":3`, `"events":[3],"for":"nobody","html":"<b>"},"id":1}`},
		{"events/list", `"after":"x"`, `"error":{"code":-32602,"message":"after must be an integer","data":{"code":"INVALID_ARGUMENT"}},"id":1}`},
		{"events/none", ``, `"result":{…},"id":1}`},
		{"events/missing", ``, `"error":{"code":-32603,"message":"there is no event 7","data":{"code":"NOT_FOUND","reason":"event_gone","details":{"hint":"1 to 6"}}},"id":1}`},
		{"events/secret", ``, `"error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`},
		{"events/panic", ``, `"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`},
		{"events/list_of", ``, `"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`},
		{"events/broken", ``, `"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`},
		{"events/nope", ``, `"code":-32601,"message":"there is no such method"`},
	} {
		t.Run(rowName(test.method, test.params), func(t *testing.T) {
			s, opts, _, _ := newExtended(svc.Options{})
			eachMCP(t, s, opts, test.method, test.params, test.want)
		})
	}
	s, opts, seen, log := newExtended(svc.Options{})
	h := s.MCP(opts)
	for _, test := range []struct {
		name, request string
		status        int
		want          string
	}{
		{"a legacy result", mcpLegacy("2025-11-25", "events/none", ""), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"a modern result", mcpModern("events/none", ""), 200, `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Notes","version":"1.2.3"}}},"id":1}`},
		{"a type of its own", mcpModern("events/own", ""), 200, `{"jsonrpc":"2.0","result":{"_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{"name":"Notes","version":"1.2.3"}},"resultType":"task"},"id":1}`},
		{"a type of its own in 2025", mcpLegacy("2025-11-25", "events/own", ""), 200, `{"jsonrpc":"2.0","result":{"_meta":{"a":1},"resultType":"task"},"id":1}`},
		{"progress", mcpLegacy("2025-11-25", "events/list", `"after":1,"_meta":{"progressToken":"p"}`), 200, `…"method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"half"}}…"events":[1]…`},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"events/list"}`, 200, `…"events":[0]…`},
		{"another Mcp-Method", mcpModern("events/list", "", "-Mcp-Method", "Mcp-Method: events/none"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"a legacy call", mcpLegacy("2025-03-26", "events/list", `"after":1`), 200, `…"events":[1]…`},
		{"a panic", mcpLegacy("2025-03-26", "events/panic", ""), 200, mcpFailure("-32603", "internal error")},
		{"capabilities", mcpModern("server/discover", ""), 200, `…"extensions":{"example.com/events":{"poll":true},"example.com/skills":{}}…`},
		{"capabilities in 2025", mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"capabilities":{"extensions":{"example.com/events":{"poll":true},"example.com/skills":{}},"logging":{},"tools":{}}…`},
	} {
		t.Run(test.name, func(t *testing.T) { checkMCPAnswer(t, h, test.request, test.status, test.want) })
	}
	if got := strings.Join(*seen, "\n"); !strings.Contains(got, "mcp .events/list events/list OK\n") || !strings.Contains(got, "mcp .events/panic events/panic INTERNAL") || strings.Count(got, "events/panic INTERNAL") != 1 {
		t.Errorf("the observations are\n%s", got)
	}
	if !strings.Contains(log.String(), "secret-17") || !strings.Contains(log.String(), "call=events/panic ") {
		t.Errorf("the log is %s", log)
	}
}

// Verify that a question of such a method is answered in another round, and that the answer is for
// the same params alone.
func TestMCPMethodsAsk(t *testing.T) {
	s, opts, _, _ := newExtended(svc.Options{})
	h := s.MCP(opts)
	first := mcpPost(h, mcpAsk(`{"elicitation":{}}`, "events/ask", `"of":1`)).Body.String()
	if !strings.Contains(first, `"resultType":"input_required"`) {
		t.Fatalf("the first answer is %s", first)
	}
	_, state := mcpAskedKey([]byte(first))
	answer := `,"requestState":"` + state + `","inputResponses":{"sure":{"action":"accept","content":{"yes":true}}}`
	if got := mcpPost(h, mcpAsk(`{"elicitation":{}}`, "events/ask", `"of":1`+answer)).Body.String(); !strings.Contains(got, `"sure":true`) {
		t.Errorf("with the answer: %s", got)
	}
	if got := mcpPost(h, mcpAsk(`{"elicitation":{}}`, "events/ask", `"of":2`+answer)).Body.String(); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("with the answer to another: %s", got)
	}
}

// Verify that such a method is called by known callers alone where the service has a scheme.
func TestMCPMethodsCaller(t *testing.T) {
	s, opts, seen, _ := newExtended(svc.Options{Defaults: svc.Defaults{Auth: "bearer"}})
	h := svc.Bearer(verifyTest, &svc.BearerOptions{Optional: true, Logger: slog.New(slog.DiscardHandler)})(s.MCP(opts))
	w := mcpPost(h, mcpLegacy("2025-11-25", "events/list", `"after":1`))
	if w.Code != 401 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("without a token: %d %v %s", w.Code, w.Header(), w.Body)
	}
	w = mcpPost(h, mcpLegacy("2025-11-25", "events/list", `"after":1`, "Authorization: Bearer good.1"))
	if w.Code != 200 || strings.Contains(w.Body.String(), "nobody") {
		t.Errorf("with a token: %d %s", w.Code, w.Body)
	}
	if got := strings.Join(*seen, "\n"); !strings.Contains(got, "events/list UNAUTHENTICATED") {
		t.Errorf("the observations are\n%s", got)
	}
}

// Verify the mistakes in methods, extensions and the prefix, all at once.
func TestMCPExtensionMistakes(t *testing.T) {
	defer func() {
		text := fmt.Sprint(recover())
		for _, want := range []string{
			`Methods["tools/call"]: MCP has this method itself`, `Methods["ping"]: MCP has this method itself`, `Methods["list"]: the name of a method is visible ASCII with a slash, such as events/list`,
			`Methods["a b/c"]: the name`, `Methods["/c"]: the name`, `Methods["notifications/x"]: a notification gets no answer`, `Methods["a/nil"] is nil`,
			`Extensions["example.com/a"] must be a JSON object`, `Extensions["example.com/b"] must be a JSON object`, `Extensions["c"]: the name of an extension has a vendor and a slash`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the panic does not say %s:\n%s", want, text)
			}
		}
	}()
	fn := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	newMCP(&svc.MCPOptions{
		Extensions: map[string]any{"example.com/a": []int{}, "example.com/b": func() {}, "c": struct{}{}},
		Methods:    map[string]func(context.Context, json.RawMessage) (any, error){"tools/call": fn, "ping": fn, "list": fn, "a b/c": fn, "/c": fn, "notifications/x": fn, "a/nil": nil, "good/one": fn},
	})
}

// Verify the names of tools and prompts with a prefix.
func TestMCPPrefix(t *testing.T) {
	for _, test := range []struct{ prefix, tool, prompt string }{{"", "ask_archive", "ask_compose"}, {"my-notes", "my-notes_archive", "my-notes_compose"}, {"-", "archive", "compose"}} {
		t.Run(rowName(test.prefix), func(t *testing.T) {
			o := showing(askingOptions(), map[string]svc.MCPMethod{"Compose": {Prompt: true}, "Archive": {Title: "The archive"}})
			o.ToolPrefix = test.prefix
			s, opts := svc.MustRegister[mcpAsking](mcpAsker{}, o), &svc.MCPOptions{}
			eachMCP(t, s, opts, "tools/list", "", `"name":"`+test.tool+`","title":"The archive"`)
			eachMCP(t, s, opts, "prompts/list", "", `"name":"`+test.prompt+`"`)
			eachMCP(t, s, opts, "tools/call", `"name":"`+test.tool+`x"`, `did you mean \"`+test.tool+`\"`)
		})
	}
}

// Verify completions by a function: what it is told, whose call it is, and how many values there
// are.
func TestMCPComplete(t *testing.T) {
	var asked []string
	complete := func(ctx context.Context, c svc.MCPCompletion) ([]string, error) {
		asked = append(asked, fmt.Sprint(c.Argument, "=", c.Value, " ", c.Arguments))
		switch c.Value {
		case "many":
			return make([]string, 150), nil
		case "none":
			return nil, nil
		case "error":
			return nil, svc.Errorf(svc.CodeUnavailable, "try later")
		case "panic":
			panic("secret-17")
		}
		info, _ := svc.InfoFrom(ctx)
		return []string{c.Value + "!", info.Method}, nil
	}
	s := svc.MustRegister[mcpAsking](mcpAsker{}, showing(askingOptions(), map[string]svc.MCPMethod{
		"GetFile": {URI: "files://f/{id}", Complete: complete}, "Compose": {Prompt: true, Complete: complete},
	}))
	ask := func(ref, name, value, more string) string {
		return `"ref":{` + ref + `},"argument":{"name":"` + name + `","value":"` + value + `"}` + more
	}
	const file, compose = `"type":"ref/resource","uri":"files://f/{id}"`, `"type":"ref/prompt","name":"ask_compose"`
	for _, test := range []struct{ name, params, want string }{
		{"a resource", ask(file, "id", "a", ""), `"completion":{"values":["a!","get_file"],"total":2,"hasMore":false}`},
		{"a prompt", ask(compose, "words", "1", `,"context":{"arguments":{"style":"formal","n":1}}`), `"completion":{"values":["1!","compose"],"total":2,"hasMore":false}`},
		{"an enum", ask(compose, "style", "fu", ""), `"completion":{"values":["funny"],"total":1,"hasMore":false}`},
		{"an unknown argument", ask(file, "nope", "a", ""), `"completion":{"values":[],"total":0,"hasMore":false}`},
		{"many values", ask(file, "id", "many", ""), `"total":150,"hasMore":true}`},
		{"no values", ask(file, "id", "none", ""), `"completion":{"values":[],"total":0,"hasMore":false}`},
		{"an error", ask(file, "id", "error", ""), `"error":{"code":-32603,"message":"try later","data":{"code":"UNAVAILABLE"}}`},
		{"a panic", ask(file, "id", "panic", ""), `"error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := s.MCP(nil)
			for _, text := range []string{mcpLegacy("2025-11-25", "completion/complete", test.params), mcpModern("completion/complete", test.params, "-Mcp-Name")} {
				if got := mcpPost(h, text).Body.String(); !mcpMatches(got, "…"+test.want+"…") || strings.Contains(got, "secret") {
					t.Errorf("got %s\nwant %s", got, test.want)
				}
			}
		})
	}
	if got := strings.Join(asked, "\n"); !strings.Contains(got, "id=a map[]\n") || !strings.Contains(got, "words=1 map[style:formal]\n") || strings.Contains(got, "nope") {
		t.Errorf("it was asked\n%s", got)
	}
}

// Verify that the scopes of methods are listed, that the metadata document has them, and that
// a completion is for a caller who has those of its method.
func TestMCPScopes(t *testing.T) {
	called := 0
	complete := func(context.Context, svc.MCPCompletion) ([]string, error) {
		called++
		return nil, nil
	}
	s := svc.MustRegister[mcpAsking](mcpAsker{}, &svc.Options{Resource: "ask", Logger: slog.New(slog.DiscardHandler), Defaults: svc.Defaults{Auth: "bearer"}, Methods: map[string]svc.MethodOptions{
		"GetFile": {Scopes: []string{"files:read"}, MCP: &svc.MCPMethod{URI: "files://f/{id}", Complete: complete}}, "Archive": {Scopes: []string{"files:write", "files:read"}}, "Compose": {Public: true}}})
	if got := fmt.Sprint(s.Scopes()); got != "[files:read files:write]" {
		t.Errorf("the scopes are %s", got)
	}
	if got := newMCPService().Scopes(); got == nil || len(got) != 0 {
		t.Errorf("the scopes of a service without any are %v", got)
	}
	o := svc.BearerOptions{Resource: "https://api.example/mcp", AuthorizationServers: []string{"https://login.example"}, Scopes: []string{"base", "files:read"}, ScopesSupported: s.Scopes()}
	w := httptest.NewRecorder()
	o.Metadata().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if !strings.Contains(w.Body.String(), `"scopes_supported":["base","files:read","files:write"]`) {
		t.Errorf("the metadata are %s", w.Body)
	}
	h := s.MCP(nil)
	r := mcpLegacy("2025-11-25", "completion/complete", `"ref":{"type":"ref/resource","uri":"files://f/{id}"},"argument":{"name":"id","value":""}`)
	as := func(p *svc.Principal) int {
		w := mcpPost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p != nil {
				r = r.WithContext(svc.WithPrincipal(r.Context(), p))
			}
			h.ServeHTTP(w, r)
		}), r)
		return w.Code
	}
	if got := as(nil); got != 401 {
		t.Errorf("without a caller: %d", got)
	}
	if got := as(&svc.Principal{Subject: "a", Scopes: []string{"files:write"}}); got != 403 || called != 0 {
		t.Errorf("without the scope: %d, called %d times", got, called)
	}
	if got := as(&svc.Principal{Subject: "a", Scopes: []string{"files:read"}}); got != 200 || called != 1 {
		t.Errorf("with the scope: %d, called %d times", got, called)
	}
}
