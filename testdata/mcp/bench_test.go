package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file measures one call of one tool on svc, on the official SDK and on
// mcp-go, each stateless and answering in JSON, which is their fastest. The root
// has the same call beside a handler by hand (BenchmarkMCP).

type Create struct {
	Title       string   `json:"title" minLength:"1" maxLength:"100"`
	Description string   `json:"description,omitempty" maxLength:"1000"`
	Tags        []string `json:"tags,omitempty" maxItems:"8"`
	Priority    int      `json:"priority" minimum:"1" maximum:"5"`
}

type Todo struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	Priority    int       `json:"priority"`
	Completed   bool      `json:"completed"`
	CreatedAt   time.Time `json:"createdAt"`
}

type TodoAPI interface {
	Create(context.Context, *Create) (*Todo, error)
}

type todos struct{}

var createdAt = time.Date(2026, 3, 1, 9, 30, 0, 123456000, time.UTC)

func (todos) Create(_ context.Context, in *Create) (*Todo, error) {
	return &Todo{ID: "todo-17", Title: in.Title, Description: in.Description, Tags: in.Tags, Priority: in.Priority, CreatedAt: createdAt}, nil
}

func sdkHandler() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "todos", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "todos_create", Description: "Creates a todo."}, func(ctx context.Context, _ *mcp.CallToolRequest, in Create) (*mcp.CallToolResult, *Todo, error) {
		out, err := todos{}.Create(ctx, &in)
		return nil, out, err
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func mcpGoHandler() http.Handler {
	s := server.NewMCPServer("todos", "1", server.WithToolCapabilities(false))
	tool := mcpgo.NewTool("todos_create", mcpgo.WithDescription("Creates a todo."), mcpgo.WithInputSchema[Create](), mcpgo.WithOutputSchema[Todo]())
	s.AddTool(tool, mcpgo.NewStructuredToolHandler(func(ctx context.Context, _ mcpgo.CallToolRequest, in Create) (*Todo, error) {
		return todos{}.Create(ctx, &in)
	}))
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
}

func svcHandler(direct bool) http.Handler {
	opts := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler)}
	if direct {
		opts.Methods = map[string]svc.MethodOptions{"Create": {Direct: svc.Direct(TodoAPI.Create)}}
	}
	return svc.MustRegister[TodoAPI](todos{}, opts).MCP(nil)
}

var sides = []struct {
	name    string
	handler func() http.Handler
}{
	{"go-sdk", sdkHandler},
	{"mcp-go", mcpGoHandler},
	{"reflect", func() http.Handler { return svcHandler(false) }},
	{"direct", func() http.Handler { return svcHandler(true) }},
}

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_create","arguments":{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3}}}`

func request() *http.Request {
	r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(call))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	return r
}

func BenchmarkMCP(b *testing.B) {
	for _, side := range sides {
		b.Run("call/"+side.name, func(b *testing.B) {
			h := side.handler()
			r := request()
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(strings.NewReader(call))
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}

// Verify that all sides answer alike.
func TestSides(t *testing.T) {
	var want string
	for _, side := range sides {
		w := httptest.NewRecorder()
		side.handler().ServeHTTP(w, request())
		var reply struct {
			Result struct{ StructuredContent any }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
			t.Fatalf("%s: %v: %d %s", side.name, err, w.Code, w.Body)
		}
		text, _ := json.Marshal(reply.Result.StructuredContent)
		if want == "" {
			want = string(text)
		}
		if string(text) != want || want == "null" {
			t.Errorf("%s answers %s, want %s", side.name, text, want)
		}
	}
}
