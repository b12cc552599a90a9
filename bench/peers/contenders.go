package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"example.com/svc"
	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
	"github.com/creachadair/jrpc2/jhttp"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/go-chi/chi/v5"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A contender is one way to serve TodoAPI. The first of a list is the one that
// the others are compared with.
type contender struct {
	name    string
	handler http.Handler
	serves  string               // the first words of its workloads, such as "RPC MCP"; "" for all
	adapt   func(load *workload) // turns a request into what its clients send, if that is different
}

// does reports whether c serves a workload.
func (c *contender) does(load workload) bool {
	if c.serves == "" {
		return true
	}
	for _, one := range strings.Split(c.serves, ",") {
		if load.name == one {
			return true
		}
	}
	return false
}

// contenders returns what is measured.
func contenders() []contender {
	const rest = "create,get,list of 20,import 20 KB,invalid create"
	api := newTodos()
	list := []contender{
		{name: "handwritten", handler: byHandMux(api, withJSON)},
		{name: "leanest", handler: leanMux(api, withJSON)},
		{name: "direct", handler: svcMux(api, true)},
		{name: "reflect", handler: svcMux(api, false)},
		{name: "chi", handler: chiRouter(api), serves: rest},
		{name: "huma", handler: humaMux(api), serves: rest},
		{name: "connect", handler: connectMux(api), serves: "create,import 20 KB,invalid create", adapt: adaptConnect},
		{name: "jrpc2", handler: jrpc2Handler(api), serves: "RPC,RPC batch of 20"},
		{name: "go-sdk", handler: sdkHandler(api), serves: "MCP,MCP 2026-07-28,MCP invalid"},
		{name: "mcp-go", handler: mcpGoHandler(api), serves: "MCP,MCP 2026-07-28,MCP invalid"},
	}
	if withV2 != nil {
		list = append(list, contender{name: "handwritten v2", handler: byHandMux(api, *withV2)}, contender{name: "leanest v2", handler: leanMux(api, *withV2)})
	}
	return list
}

func byHandMux(api TodoAPI, c codec) http.Handler {
	mux := http.NewServeMux()
	byHand{c, api}.mount(func(method, path string, fn http.HandlerFunc) { mux.Handle(method+" "+path, fn) })
	return mux
}

func leanMux(api TodoAPI, c codec) http.Handler {
	mux := http.NewServeMux()
	lean{byHand{c, api}}.mount(mux)
	return mux
}

func chiRouter(api TodoAPI) http.Handler {
	r := chi.NewRouter()
	byHand{withJSON, api}.mount(func(method, path string, fn http.HandlerFunc) { r.Method(method, path, fn) })
	return r
}

// svcMux serves a service as its README says, on one ServeMux.
func svcMux(api TodoAPI, direct bool) http.Handler {
	opts := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler)}
	if direct {
		opts.Methods = map[string]svc.MethodOptions{
			"Create": {Direct: svc.Direct(TodoAPI.Create)},
			"Get":    {Direct: svc.Direct(TodoAPI.Get)},
			"List":   {Direct: svc.Direct(TodoAPI.List)},
			"Import": {Direct: svc.Direct(TodoAPI.Import)},
		}
	}
	s := svc.MustRegister[TodoAPI](api, opts)
	mux := http.NewServeMux()
	s.Mount(mux)
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	return mux
}

// humaMux serves REST with huma, without the links to schemas that it adds to
// every answer by default.
func humaMux(api TodoAPI) http.Handler {
	mux := http.NewServeMux()
	config := huma.DefaultConfig("Todos", "1")
	config.CreateHooks = nil
	h := humago.New(mux, config)
	type out[T any] struct{ Body T }
	type getIn struct {
		ID     string `path:"id"`
		Lang   string `query:"lang" maxLength:"8"`
		Depth  int    `query:"depth" minimum:"0" maximum:"9"`
		Expand bool   `query:"expand"`
		Fields string `query:"fields" maxLength:"200"`
	}
	type listIn struct {
		Limit int `query:"limit" minimum:"1" maximum:"100"`
	}
	huma.Post(h, "/todos", func(ctx context.Context, in *struct{ Body Create }) (*out[*Todo], error) {
		todo, err := api.Create(ctx, &in.Body)
		return &out[*Todo]{todo}, err
	})
	huma.Get(h, "/todos/{id}", func(ctx context.Context, in *getIn) (*out[*Todo], error) {
		todo, err := api.Get(ctx, &Get{ID: in.ID, Lang: in.Lang, Depth: in.Depth, Expand: in.Expand, Fields: in.Fields})
		return &out[*Todo]{todo}, err
	})
	huma.Get(h, "/todos", func(ctx context.Context, in *listIn) (*out[*Todos], error) {
		list, err := api.List(ctx, &List{Limit: in.Limit})
		return &out[*Todos]{list}, err
	})
	huma.Post(h, "/todos/import", func(ctx context.Context, in *struct{ Body Import }) (*out[*Imported], error) {
		n, err := api.Import(ctx, &in.Body)
		return &out[*Imported]{n}, err
	})
	return mux
}

// connectCodec is encoding/json. With the JSON of protocol buffers, for which
// connect is usually used, it would be slower.
type connectCodec struct{}

func (connectCodec) Name() string                       { return "json" }
func (connectCodec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (connectCodec) Unmarshal(text []byte, v any) error { return json.Unmarshal(text, v) }

// connectMux serves procedures with connect. It has no rules of its own, so the
// handwritten checks stand in the methods.
func connectMux(api TodoAPI) http.Handler {
	refuse := func(list violations) error {
		return connect.NewError(connect.CodeInvalidArgument, errors.New(list[0].Path+" "+list[0].Message))
	}
	mux := http.NewServeMux()
	mux.Handle("/todos.Todos/Create", connect.NewUnaryHandler("/todos.Todos/Create", func(ctx context.Context, r *connect.Request[Create]) (*connect.Response[Todo], error) {
		if list := checkCreate(r.Msg); list != nil {
			return nil, refuse(list)
		}
		out, err := api.Create(ctx, r.Msg)
		return connect.NewResponse(out), err
	}, connect.WithCodec(connectCodec{})))
	mux.Handle("/todos.Todos/Import", connect.NewUnaryHandler("/todos.Todos/Import", func(ctx context.Context, r *connect.Request[Import]) (*connect.Response[Imported], error) {
		if list := checkImport(r.Msg); list != nil {
			return nil, refuse(list)
		}
		out, err := api.Import(ctx, r.Msg)
		return connect.NewResponse(out), err
	}, connect.WithCodec(connectCodec{})))
	return mux
}

func adaptConnect(load *workload) {
	load.target = "/todos.Todos/Create"
	if strings.HasPrefix(load.name, "import") {
		load.target = "/todos.Todos/Import"
	}
	load.header = append([]string{"Connect-Protocol-Version", "1"}, load.header...)
}

// jrpc2Handler serves JSON-RPC with jrpc2, which has no rules either.
func jrpc2Handler(api TodoAPI) http.Handler {
	return jhttp.NewBridge(handler.Map{"todos.create": handler.New(func(ctx context.Context, in *Create) (*Todo, error) {
		if list := checkCreate(in); list != nil {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s %s", list[0].Path, list[0].Message)
		}
		return api.Create(ctx, in)
	})}, nil)
}

// toolSchema is what the official SDK cannot take from the tags of Create.
const toolSchema = `{"type":"object","required":["title","priority"],"properties":{
	"title":{"type":"string","minLength":1,"maxLength":100},"description":{"type":"string","maxLength":1000},
	"tags":{"type":"array","items":{"type":"string"},"maxItems":8},"priority":{"type":"integer","minimum":1,"maximum":5},
	"due":{"type":"string","format":"date-time"}}}`

// sdkHandler serves MCP with the official SDK: without sessions and with JSON
// answers, which is its fastest.
func sdkHandler(api TodoAPI) http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "todos", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "todos_create", Description: "Creates a todo.", InputSchema: json.RawMessage(toolSchema)}, func(ctx context.Context, _ *mcp.CallToolRequest, in Create) (*mcp.CallToolResult, *Todo, error) {
		out, err := api.Create(ctx, &in)
		return nil, out, err
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

// mcpGoHandler serves MCP with mcp-go, without sessions. It checks arguments
// only if it is told to, which the official SDK and svc always do.
func mcpGoHandler(api TodoAPI) http.Handler {
	s := server.NewMCPServer("todos", "1", server.WithToolCapabilities(false), server.WithInputSchemaValidation())
	tool := mcpgo.NewToolWithRawSchema("todos_create", "Creates a todo.", json.RawMessage(toolSchema))
	s.AddTool(tool, mcpgo.NewStructuredToolHandler(func(ctx context.Context, _ mcpgo.CallToolRequest, in Create) (*Todo, error) {
		return api.Create(ctx, &in)
	}))
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
}
