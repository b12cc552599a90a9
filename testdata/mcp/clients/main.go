// Command clients calls the fixture with the Go clients that people use, at every
// revision that they speak: each lists, calls, gets an error that it can act on,
// and gets progress. Usage: clients URL
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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
	url := os.Args[1]
	failed := false
	for _, side := range []struct {
		name string
		run  func(ctx context.Context, url, revision string) error
	}{{"go-sdk", runSDK}, {"mcp-go", runMCPGo}} {
		for _, revision := range revisions {
			if err := side.run(ctx, url, revision); err != nil {
				fmt.Printf("FAILED %s %s: %v\n", side.name, revision, err)
				failed = true
				continue
			}
			fmt.Printf("ok %s %s\n", side.name, revision)
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
}

func (a *answers) check() error {
	sum, _ := json.Marshal(a.sum)
	switch {
	case a.tools != 14:
		return fmt.Errorf("%d tools", a.tools)
	case string(sum) != `{"sum":3}`:
		return fmt.Errorf("the sum is %s", sum)
	case !a.wrongIsErr || !strings.Contains(a.wrong, "/a must be a number\n- /b is required"):
		return fmt.Errorf("a wrong call answered %q, isError %t", a.wrong, a.wrongIsErr)
	case a.unknown == nil:
		return fmt.Errorf("an unknown tool was called")
	}
	return nil
}

func runSDK(ctx context.Context, url, revision string) error {
	var heard reports
	c := mcp.NewClient(&mcp.Implementation{Name: "svc-interop", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard.add(r.Params.Progress) },
	})
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
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
	a := answers{len(list.Tools), sum.StructuredContent, wrong.Content[0].(*mcp.TextContent).Text, wrong.IsError, unknown}
	if err := a.check(); err != nil {
		return err
	}
	return heard.check()
}

func runMCPGo(ctx context.Context, url, revision string) error {
	c, err := client.NewStreamableHttpClient(url)
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
	a := answers{len(list.Tools), sum.StructuredContent, wrong.Content[0].(mcpgo.TextContent).Text, wrong.IsError, unknown}
	if err := a.check(); err != nil {
		return err
	}
	return heard.check()
}
