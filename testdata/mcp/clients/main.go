// Command clients calls the fixture with the Go clients that people use, at every
// revision that they speak: each lists, calls, gets an error that it can act on,
// gets progress, and reads a resource and a prompt, over HTTP and over the standard
// input and output of FIXTURE. Usage: clients URL FIXTURE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	failed := false
	for _, side := range []struct {
		name string
		run  func(ctx context.Context, server, revision string) error
	}{{"go-sdk", runSDK}, {"mcp-go", runMCPGo}} {
		for _, server := range os.Args[1:] {
			for _, revision := range revisions {
				if err := side.run(ctx, server, revision); err != nil {
					fmt.Printf("FAILED %s %s %s: %v\n", side.name, filepath.Base(server), revision, err)
					failed = true
					continue
				}
				fmt.Printf("ok %s %s %s\n", side.name, filepath.Base(server), revision)
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
	for range 100 {
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

// answers is what the calls answered, in the terms of either client.
type answers struct {
	tools      int
	sum        any
	wrong      string
	wrongIsErr bool
	unknown    error
	data       string // of a resource
	message    string // of a prompt
}

func (a *answers) check() error {
	sum, _ := json.Marshal(a.sum)
	switch {
	case a.tools != 22:
		return fmt.Errorf("%d tools", a.tools)
	case string(sum) != `{"sum":3}`:
		return fmt.Errorf("the sum is %s", sum)
	case !a.wrongIsErr || !strings.Contains(a.wrong, "/a must be a number\n- /b is required"):
		return fmt.Errorf("a wrong call answered %q, isError %t", a.wrong, a.wrongIsErr)
	case a.unknown == nil:
		return fmt.Errorf("an unknown tool was called")
	case !strings.Contains(a.data, `"id":"7"`):
		return fmt.Errorf("the resource is %q", a.data)
	case a.message != "Write 20 words in a funny tone.":
		return fmt.Errorf("the prompt is %q", a.message)
	}
	return nil
}

func runSDK(ctx context.Context, server, revision string) error {
	var heard reports
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: server}
	if !strings.HasPrefix(server, "http") {
		transport = &mcp.CommandTransport{Command: exec.Command(server, "-stdio")}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "svc-interop", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard.add(r.Params.Progress) },
	})
	s, err := c.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return err
	}
	defer s.Close()
	if got := s.InitializeResult().ProtocolVersion; got != revision {
		return fmt.Errorf("agreed on %s", got)
	}
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	sum, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "test_add_numbers", Arguments: map[string]any{"a": 1, "b": 2}})
	if err != nil {
		return err
	}
	wrong, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "test_add_numbers", Arguments: map[string]any{"a": "one"}})
	if err != nil {
		return err
	}
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "test_header_tool", Arguments: map[string]any{"region": "Zürich"}}); err != nil {
		return err
	}
	slow := &mcp.CallToolParams{Name: "test_tool_with_progress", Arguments: map[string]any{}}
	slow.SetProgressToken("t")
	if _, err := s.CallTool(ctx, slow); err != nil {
		return err
	}
	_, unknown := s.CallTool(ctx, &mcp.CallToolParams{Name: "test_no_such_tool"})
	data, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://template/7/data"})
	if err != nil {
		return err
	}
	prompt, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "test_styled_prompt", Arguments: map[string]string{"style": "funny", "words": "20"}})
	if err != nil {
		return err
	}
	a := answers{len(list.Tools), sum.StructuredContent, wrong.Content[0].(*mcp.TextContent).Text, wrong.IsError, unknown,
		data.Contents[0].Text, prompt.Messages[0].Content.(*mcp.TextContent).Text}
	if err := a.check(); err != nil {
		return err
	}
	return heard.check()
}

func runMCPGo(ctx context.Context, server, revision string) error {
	c, err := client.NewStreamableHttpClient(server)
	if !strings.HasPrefix(server, "http") {
		c, err = client.NewStdioMCPClient(server, nil, "-stdio")
	}
	if err != nil {
		return err
	}
	client.WithProtocolVersion(revision)(c)
	defer c.Close()
	var heard reports
	c.OnNotification(func(n mcpgo.JSONRPCNotification) {
		if done, ok := n.Params.AdditionalFields["progress"].(float64); ok && n.Method == "notifications/progress" {
			heard.add(done)
		}
	})
	if err := c.Start(ctx); err != nil {
		return err
	}
	var hello mcpgo.InitializeRequest
	hello.Params.ProtocolVersion = revision
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "svc-interop", Version: "1"}
	result, err := c.Initialize(ctx, hello)
	if err != nil {
		return err
	}
	if result.ProtocolVersion != revision {
		return fmt.Errorf("agreed on %s", result.ProtocolVersion)
	}
	list, err := c.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return err
	}
	call := func(name string, arguments map[string]any, token any) (*mcpgo.CallToolResult, error) {
		var r mcpgo.CallToolRequest
		r.Params.Name, r.Params.Arguments = name, arguments
		if token != nil {
			r.Params.Meta = &mcpgo.Meta{ProgressToken: token}
		}
		return c.CallTool(ctx, r)
	}
	sum, err := call("test_add_numbers", map[string]any{"a": 1, "b": 2}, nil)
	if err != nil {
		return err
	}
	wrong, err := call("test_add_numbers", map[string]any{"a": "one"}, nil)
	if err != nil {
		return err
	}
	if _, err := call("test_tool_with_progress", map[string]any{}, "t"); err != nil {
		return err
	}
	_, unknown := call("test_no_such_tool", nil, nil)
	var read mcpgo.ReadResourceRequest
	read.Params.URI = "test://template/7/data"
	data, err := c.ReadResource(ctx, read)
	if err != nil {
		return err
	}
	var get mcpgo.GetPromptRequest
	get.Params.Name, get.Params.Arguments = "test_styled_prompt", map[string]string{"style": "funny", "words": "20"}
	prompt, err := c.GetPrompt(ctx, get)
	if err != nil {
		return err
	}
	a := answers{len(list.Tools), sum.StructuredContent, wrong.Content[0].(mcpgo.TextContent).Text, wrong.IsError, unknown,
		data.Contents[0].(mcpgo.TextResourceContents).Text, prompt.Messages[0].Content.(mcpgo.TextContent).Text}
	if err := a.check(); err != nil {
		return err
	}
	return heard.check()
}
