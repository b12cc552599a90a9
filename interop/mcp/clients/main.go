// Command clients calls the fixture with the Go clients that people use, at every
// revision that they speak, over HTTP and over the standard input and output of
// FIXTURE, and lets their users decide what the template archives.
// Last they resolve each $ref of the kitchen, and call a tool with $defs.
// Usage: clients URL FIXTURE TEMPLATE_URL TEMPLATE KITCHEN_URL KITCHEN
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	failed := false
	sides := []struct {
		name    string
		connect func(ctx context.Context, server, revision string, asked *person, heard *reports) (session, error)
	}{{"go-sdk", connectSDK}, {"mcp-go", connectMCPGo}}
	for _, side := range sides {
		for _, server := range os.Args[1:3] {
			for _, revision := range revisions {
				if err := exercise(ctx, side.connect, server, revision); err != nil {
					fmt.Printf("FAILED %s %s %s: %v\n", side.name, filepath.Base(server), revision, err)
					failed = true
					continue
				}
				fmt.Printf("ok %s %s %s\n", side.name, filepath.Base(server), revision)
			}
		}
	}
	for _, side := range sides {
		for _, server := range os.Args[3:5] {
			for _, revision := range revisions[2:] {
				if err := archive(ctx, side.connect, server, revision); err != nil {
					fmt.Printf("FAILED %s %s %s, archive: %v\n", side.name, filepath.Base(server), revision, err)
					failed = true
					continue
				}
				fmt.Printf("ok %s %s %s, archive\n", side.name, filepath.Base(server), revision)
			}
			for _, revision := range revisions {
				if err := unasked(ctx, side.connect, server, revision); err != nil {
					fmt.Printf("FAILED %s %s %s, without a handler: %v\n", side.name, filepath.Base(server), revision, err)
					failed = true
					continue
				}
				fmt.Printf("ok %s %s %s, without a handler\n", side.name, filepath.Base(server), revision)
			}
		}
	}
	for _, side := range sides {
		for _, server := range os.Args[5:] {
			for _, revision := range revisions {
				if err := refer(ctx, side.connect, server, revision); err != nil {
					fmt.Printf("FAILED %s %s %s, $defs: %v\n", side.name, filepath.Base(server), revision, err)
					failed = true
					continue
				}
				fmt.Printf("ok %s %s %s, $defs\n", side.name, filepath.Base(server), revision)
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// reports collects the progress that a client hears of, on its goroutines.
type reports struct {
	mu   sync.Mutex
	done []float64
}

func (r *reports) add(done float64) {
	r.mu.Lock()
	r.done = append(r.done, done)
	r.mu.Unlock()
}

// check waits a moment for reports that clients deliver after the result.
func (r *reports) check() error {
	want := []float64{0, 50, 100}
	for range 6000 { // 60 s
		r.mu.Lock()
		got := slices.Clone(r.done)
		r.mu.Unlock()
		if slices.Equal(got, want) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("progress %v, want %v", r.done, want)
}

// A person answers the questions of a server, and declines what it should confirm.
type person struct {
	mu    sync.Mutex
	asked []string
	yes   []bool // to what the template asks
}

func (p *person) answer(message string) (action string, content map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, message)
	switch {
	case strings.Contains(message, "off the list"):
		yes := p.yes[0]
		p.yes = p.yes[1:]
		return "accept", map[string]any{"yes": yes}
	case strings.Contains(message, "confirm"):
		return "decline", nil
	case strings.Contains(message, "color"):
		return "accept", map[string]any{"color": "red"}
	case strings.Contains(message, "sure"):
		return "accept", map[string]any{"ok": true}
	}
	return "accept", map[string]any{"name": "Ada"}
}

// A result is what came of a call, in the terms of either client.
type result struct {
	isError bool
	data    any    // the structured content
	kind    string // of the first block
	text    string // of the first block, if it is one
}

// A session is a connection of either client.
type session interface {
	listTools(ctx context.Context) ([]any, error) // as the client has them
	call(ctx context.Context, tool string, arguments map[string]any, token any) (result, error)
	read(ctx context.Context, uri string) (string, error)
	prompt(ctx context.Context, name string, arguments map[string]string) (string, error)
	complete(ctx context.Context, prompt, argument, value string) ([]string, error)
	close()
}

// exercise does with one client what a client can do.
func exercise(ctx context.Context, connect func(context.Context, string, string, *person, *reports) (session, error), server, revision string) error {
	var user person
	var heard reports
	s, err := connect(ctx, server, revision, &user, &heard)
	if err != nil {
		return err
	}
	defer s.close()
	if tools, err := s.listTools(ctx); len(tools) != 42 || err != nil {
		return fmt.Errorf("%d tools, %v", len(tools), err)
	}
	for _, test := range []struct {
		tool, arguments string
		want            result
	}{
		{"test_add_numbers", `{"a":1,"b":2}`, result{data: map[string]any{"sum": 3.0}, kind: "text", text: `{"sum":3}`}},
		{"test_add_numbers", `{"a":"one"}`, result{isError: true, kind: "text", text: "INVALID_ARGUMENT: invalid input: /a must be a number, is a string (and 1 more)\n- /a must be a number, is a string\n- /b is required"}},
		{"test_add_numbers", `{"a":1,"b":2,"B_":3}`, result{isError: true, kind: "text", text: "INVALID_ARGUMENT: invalid input: /B_ is not a known property; did you mean \"b\"?"}},
		{"test_header_tool", `{"region":"Zürich"}`, result{data: map[string]any{"region": "Zürich"}, kind: "text", text: `{"region":"Zürich"}`}},
		{"test_draw", `{"first":{"kind":"circle","radius":2},"rest":[{"kind":"dot"}]}`, result{data: map[string]any{"first": map[string]any{"kind": "circle", "radius": 2.0}, "rest": []any{map[string]any{"kind": "dot"}}}, kind: "text", text: `{"first":{"kind":"circle","radius":2},"rest":[{"kind":"dot"}]}`}},
		{"test_draw", `{"first":{"kind":"line"}}`, result{isError: true, kind: "text", text: "INVALID_ARGUMENT: invalid input: /first/kind must be one of circle, square, dot"}},
		{"test_get_picture", `{}`, result{kind: "image"}},
		{"test_get_table", `{}`, result{kind: "resource", text: "a,b,sum\n1,2,3\n"}},
		{"test_image_content", `{}`, result{kind: "image"}},
		{"test_audio_content", `{}`, result{kind: map[bool]string{true: "text", false: "audio"}[revision == "2024-11-05"]}},
	} {
		var arguments map[string]any
		json.Unmarshal([]byte(test.arguments), &arguments)
		got, err := s.call(ctx, test.tool, arguments, nil)
		if test.want.text == "" {
			got.text = ""
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			return fmt.Errorf("%s %s: %+v, %v", test.tool, test.arguments, got, err)
		}
	}
	if _, err := s.call(ctx, "test_no_such_tool", nil, nil); err == nil {
		return errors.New("an unknown tool was called")
	}
	if text, err := s.read(ctx, "test://template/7/data"); !strings.Contains(text, `"id":"7"`) || err != nil {
		return fmt.Errorf("the resource is %q, %v", text, err)
	}
	if _, err := s.read(ctx, "test://template/missing/data"); err == nil {
		return errors.New("a resource was read that is not there")
	}
	if text, err := s.prompt(ctx, "test_styled_prompt", map[string]string{"style": "funny", "words": "20"}); text != "Write 20 words in a funny tone." || err != nil {
		return fmt.Errorf("the prompt is %q, %v", text, err)
	}
	if list, err := s.complete(ctx, "test_styled_prompt", "style", "f"); !slices.Equal(list, []string{"formal", "friendly", "funny"}) || err != nil {
		return fmt.Errorf("the completion is %q, %v", list, err)
	}
	if err := converse(ctx, s, revision, &user); err != nil {
		return err
	}
	return cancel(ctx, s, &heard)
}

// converse answers and declines questions, which begin with 2025-06-18.
func converse(ctx context.Context, s session, revision string, user *person) error {
	want, refused, n := "colors: Ada, red, true", "FAILED_PRECONDITION: not done, since the user said no", 4
	if revision < "2025-06-18" {
		want, refused, n = "FAILED_PRECONDITION: not done, since this client cannot be asked", "FAILED_PRECONDITION: not done, since this client cannot be asked", 0
	}
	talk, err := s.call(ctx, "test_conversation", map[string]any{"about": "colors"}, nil)
	if err != nil || !strings.HasPrefix(talk.text, want) {
		return fmt.Errorf("the conversation ends with %+v, %v", talk, err)
	}
	declined, err := s.call(ctx, "test_input_required_result_request_state", nil, nil)
	if err != nil || !declined.isError || !strings.HasPrefix(declined.text, refused) {
		return fmt.Errorf("a question that is declined ends with %+v, %v", declined, err)
	}
	if len(user.asked) != n {
		return fmt.Errorf("the user was asked %q", user.asked)
	}
	return nil
}

// cancel cancels a call that would take for ever, and hears of the progress of another. It asks
// the server whether the call has ended, since the client would believe it anyway.
func cancel(ctx context.Context, s session, heard *reports) error {
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	if got, err := s.call(short, "test_endless", nil, nil); err == nil {
		return fmt.Errorf("a canceled call ends with %+v", got)
	}
	var counts map[string]any
	for range 1200 { // 60 s
		got, err := s.call(ctx, "test_ended", nil, nil)
		if err != nil {
			return err
		}
		counts = nil
		if err := json.Unmarshal([]byte(got.text), &counts); err != nil {
			return err
		}
		if counts["begun"] == counts["ended"] {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if counts["begun"] != counts["ended"] || counts["begun"] == 0.0 {
		return fmt.Errorf("the calls of test_endless are %v", counts)
	}
	if _, err := s.call(ctx, "test_tool_with_progress", nil, "t"); err != nil {
		return err
	}
	return heard.check()
}

// archive lets the user of a client say no and then yes to what cannot be undone.
func archive(ctx context.Context, connect func(context.Context, string, string, *person, *reports) (session, error), server, revision string) error {
	user := person{yes: []bool{false, true}}
	s, err := connect(ctx, server, revision, &user, new(reports))
	if err != nil {
		return err
	}
	defer s.close()
	var todo struct{ ID string }
	for _, step := range []struct {
		tool      string
		arguments map[string]any
		want      string // the beginning of the text
	}{
		{"todos_create", map[string]any{"title": "for the archive"}, `{"id":`},
		{"todos_patch", map[string]any{"completed": true}, `{"id":`},
		{"todos_archive", nil, "FAILED_PRECONDITION: not done, since the user has not said yes"},
		{"todos_get", map[string]any{}, `{"id":`},
		{"todos_archive", nil, `{"archived":`},
		{"todos_get", map[string]any{}, "NOT_FOUND"},
	} {
		if todo.ID != "" && step.arguments != nil {
			step.arguments["id"] = todo.ID
		}
		got, err := s.call(ctx, step.tool, step.arguments, nil)
		if err != nil || !strings.HasPrefix(got.text, step.want) {
			return fmt.Errorf("%s ends with %+v, %v", step.tool, got, err)
		}
		if step.tool == "todos_create" {
			if err := json.Unmarshal([]byte(got.text), &todo); err != nil {
				return err
			}
		}
	}
	return nil
}

// unasked is what a client gets that has no handler for questions.
func unasked(ctx context.Context, connect func(context.Context, string, string, *person, *reports) (session, error), server, revision string) error {
	s, err := connect(ctx, server, revision, nil, new(reports))
	if err != nil {
		return err
	}
	defer s.close()
	got, err := s.call(ctx, "todos_archive", nil, nil)
	if err != nil || !got.isError || !strings.HasPrefix(got.text, "FAILED_PRECONDITION: not done, since this client cannot be asked") {
		return fmt.Errorf("todos_archive ends with %+v, %v", got, err)
	}
	return nil
}

// checkRefs resolves each $ref in the schemas of the tools of the kitchen.
func checkRefs(tools []any) error {
	with := 0 // schemas with $refs
	for _, tool := range tools {
		text, err := json.Marshal(tool)
		if err != nil {
			return err
		}
		var schemas struct{ InputSchema, OutputSchema map[string]any }
		if err := json.Unmarshal(text, &schemas); err != nil {
			return err
		}
		for _, schema := range []map[string]any{schemas.InputSchema, schemas.OutputSchema} {
			defs, _ := schema["$defs"].(map[string]any)
			n, err := follow(schema, defs)
			if err != nil {
				return fmt.Errorf("%w in %s", err, text)
			}
			if n > 0 {
				with++
			}
		}
	}
	if len(tools) != 41 || with != 10 {
		return fmt.Errorf("%d tools, %d schemas with $refs", len(tools), with)
	}
	return nil
}

// follow returns how many $refs are in a schema, each of which must be of a type in defs.
func follow(schema any, defs map[string]any) (n int, err error) {
	var parts []any
	switch schema := schema.(type) {
	case []any:
		parts = schema
	case map[string]any:
		for name, part := range schema {
			parts = append(parts, part)
			if ref, ok := part.(string); ok && name == "$ref" {
				n++
				if _, ok := defs[strings.TrimPrefix(ref, "#/$defs/")]; !ok {
					return n, fmt.Errorf("%s is not there", ref)
				}
			}
		}
	}
	for _, part := range parts {
		more, err := follow(part, defs)
		if err != nil {
			return n, err
		}
		n += more
	}
	return n, nil
}

// refer calls a tool with $defs, with a right and with a wrong argument.
func refer(ctx context.Context, connect func(context.Context, string, string, *person, *reports) (session, error), server, revision string) error {
	s, err := connect(ctx, server, revision, new(person), new(reports))
	if err != nil {
		return err
	}
	defer s.close()
	tools, err := s.listTools(ctx)
	if err != nil {
		return err
	}
	if err := checkRefs(tools); err != nil {
		return err
	}
	const ada = `{"name":"Ada","street":"1 High Street","city":"Bath","land":"GB"}`
	const order = `{"billing":` + ada + `,"lines":[{"sender":` + ada + `,"product":"p","count":1}],"parts":[{"billing":` + ada + `,"lines":[]}]}`
	var arguments map[string]any
	if err := json.Unmarshal([]byte(order), &arguments); err != nil {
		return err
	}
	got, err := s.call(ctx, "shipping_echo_order", arguments, nil)
	if err != nil || got.isError || got.text != order {
		return fmt.Errorf("a right call ends with %+v, %v", got, err)
	}
	arguments["parts"].([]any)[0].(map[string]any)["billing"].(map[string]any)["land"] = "Great Britain"
	got, err = s.call(ctx, "shipping_echo_order", arguments, nil)
	if err != nil || !got.isError || !strings.Contains(got.text, "/parts/0/billing/land") {
		return fmt.Errorf("a wrong call ends with %+v, %v", got, err)
	}
	return nil
}

// flagOf returns the flag with which a program serves standard input and output.
func flagOf(program string) string {
	if filepath.Base(program) == "template" {
		return "-mcp"
	}
	return "-stdio"
}

func anys[T any](list []T) (all []any) {
	for _, item := range list {
		all = append(all, item)
	}
	return all
}

type sdkSession struct{ *mcp.ClientSession }

func connectSDK(ctx context.Context, server, revision string, user *person, heard *reports) (session, error) {
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: server}
	if !strings.HasPrefix(server, "http") {
		transport = &mcp.CommandTransport{Command: exec.Command(server, flagOf(server))}
	}
	options := &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard.add(r.Params.Progress) },
	}
	if user != nil {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			action, content := user.answer(r.Params.Message)
			return &mcp.ElicitResult{Action: action, Content: content}, nil
		}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "svc-interop", Version: "1"}, options)
	s, err := c.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return nil, err
	}
	if got := s.InitializeResult().ProtocolVersion; got != revision {
		return nil, fmt.Errorf("agreed on %s", got)
	}
	return sdkSession{s}, nil
}

func (s sdkSession) close() { s.Close() }

func (s sdkSession) listTools(ctx context.Context) ([]any, error) {
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	return anys(list.Tools), nil
}

func (s sdkSession) call(ctx context.Context, tool string, arguments map[string]any, token any) (r result, err error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	if arguments == nil {
		params.Arguments = map[string]any{}
	}
	if token != nil {
		params.SetProgressToken(token)
	}
	got, err := s.CallTool(ctx, params)
	if err != nil {
		return r, err
	}
	r.isError, r.data = got.IsError, got.StructuredContent
	switch c := got.Content[0].(type) {
	case *mcp.TextContent:
		r.kind, r.text = "text", c.Text
	case *mcp.ImageContent:
		r.kind = "image"
	case *mcp.AudioContent:
		r.kind = "audio"
	case *mcp.EmbeddedResource:
		r.kind, r.text = "resource", c.Resource.Text
	}
	return r, nil
}

func (s sdkSession) read(ctx context.Context, uri string) (string, error) {
	got, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return got.Contents[0].Text, nil
}

func (s sdkSession) prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	got, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", err
	}
	return got.Messages[0].Content.(*mcp.TextContent).Text, nil
}

func (s sdkSession) complete(ctx context.Context, prompt, argument, value string) ([]string, error) {
	got, err := s.Complete(ctx, &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: prompt}, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	})
	if err != nil {
		return nil, err
	}
	return got.Completion.Values, nil
}

type mcpGoSession struct{ *client.Client }

// A mcpGoPerson is a person as the handler of mcp-go.
type mcpGoPerson struct{ *person }

func (p mcpGoPerson) Elicit(_ context.Context, r mcpgo.ElicitationRequest) (*mcpgo.ElicitationResult, error) {
	action, content := p.answer(r.Params.Message)
	return &mcpgo.ElicitationResult{ElicitationResponse: mcpgo.ElicitationResponse{Action: mcpgo.ElicitationResponseAction(action), Content: content}}, nil
}

func connectMCPGo(ctx context.Context, server, revision string, user *person, heard *reports) (session, error) {
	c, err := client.NewStreamableHttpClient(server)
	if !strings.HasPrefix(server, "http") {
		c, err = client.NewStdioMCPClient(server, nil, flagOf(server))
	}
	if err != nil {
		return nil, err
	}
	client.WithProtocolVersion(revision)(c)
	if user != nil {
		client.WithElicitationHandler(mcpGoPerson{user})(c)
	}
	c.OnNotification(func(n mcpgo.JSONRPCNotification) {
		if done, ok := n.Params.AdditionalFields["progress"].(float64); ok && n.Method == "notifications/progress" {
			heard.add(done)
		}
	})
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	var hello mcpgo.InitializeRequest
	hello.Params.ProtocolVersion = revision
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "svc-interop", Version: "1"}
	agreed, err := c.Initialize(ctx, hello)
	if err != nil {
		return nil, err
	}
	if agreed.ProtocolVersion != revision {
		return nil, fmt.Errorf("agreed on %s", agreed.ProtocolVersion)
	}
	return mcpGoSession{c}, nil
}

func (s mcpGoSession) close() { s.Close() }

func (s mcpGoSession) listTools(ctx context.Context) ([]any, error) {
	list, err := s.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	return anys(list.Tools), nil
}

func (s mcpGoSession) call(ctx context.Context, tool string, arguments map[string]any, token any) (r result, err error) {
	var request mcpgo.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, arguments
	if arguments == nil {
		request.Params.Arguments = map[string]any{}
	}
	if token != nil {
		request.Params.Meta = &mcpgo.Meta{ProgressToken: token}
	}
	got, err := s.CallTool(ctx, request)
	if err != nil {
		return r, err
	}
	r.isError, r.data = got.IsError, got.StructuredContent
	switch c := got.Content[0].(type) {
	case mcpgo.TextContent:
		r.kind, r.text = "text", c.Text
	case mcpgo.ImageContent:
		r.kind = "image"
	case mcpgo.AudioContent:
		r.kind = "audio"
	case mcpgo.EmbeddedResource:
		r.kind = "resource"
		if text, ok := c.Resource.(mcpgo.TextResourceContents); ok {
			r.text = text.Text
		}
	}
	return r, nil
}

func (s mcpGoSession) read(ctx context.Context, uri string) (string, error) {
	var request mcpgo.ReadResourceRequest
	request.Params.URI = uri
	got, err := s.ReadResource(ctx, request)
	if err != nil {
		return "", err
	}
	return got.Contents[0].(mcpgo.TextResourceContents).Text, nil
}

func (s mcpGoSession) prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	var request mcpgo.GetPromptRequest
	request.Params.Name, request.Params.Arguments = name, arguments
	got, err := s.GetPrompt(ctx, request)
	if err != nil {
		return "", err
	}
	return got.Messages[0].Content.(mcpgo.TextContent).Text, nil
}

func (s mcpGoSession) complete(ctx context.Context, prompt, argument, value string) ([]string, error) {
	var request mcpgo.CompleteRequest
	request.Params.Ref = mcpgo.PromptReference{Type: "ref/prompt", Name: prompt}
	request.Params.Argument = mcpgo.CompleteArgument{Name: argument, Value: value}
	got, err := s.Complete(ctx, request)
	if err != nil {
		return nil, err
	}
	return got.Completion.Values, nil
}
