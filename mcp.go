package svc

// This file serves the methods of a service as tools for AI assistants, by the
// Model Context Protocol over Streamable HTTP: every published revision on one
// endpoint, and nothing kept between two requests.
//
// A revision up to 2025-11-25 is called legacy here: the client shakes hands by
// initialize. From 2026-07-28 on, called modern, every request says itself what
// a server has to know. The files follow the way of a request: mcp_http.go is
// HTTP, mcp_era.go decides by which rules a message is answered, mcp_message.go
// reads and answers messages, mcp_methods.go has the methods but for tools/call,
// which is mcp_call.go with mcp_content.go and mcp_header.go; mcp_stream.go tells
// clients of progress, and mcp_tools.go makes tools of methods at the start.

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// MCPOptions configures [Service.MCP]. The zero value, and nil, stand for the
// defaults.
type MCPOptions struct {
	// ServerInfo is what the server calls itself. Default: Options.Name and
	// Options.Version.
	ServerInfo ServerInfo
	// Instructions tell a model how to use the tools. Default: nothing.
	Instructions string
	// AllowedOrigins are the web origins, such as "https://app.example", whose
	// pages may call. A request without an Origin header does not come from a
	// page and is always served; a page that the same machine serves may call a
	// server that runs there. Any other gets 403 (MCP, Streamable HTTP, Security
	// Warning). "null" allows pages without an origin, and "*" all: that is for
	// servers that authenticate every call.
	AllowedOrigins []string
	// Invoke makes the calls in place of the service. The input is bound and
	// valid; Options.Intercept runs only if Invoke calls [Service.Call].
	// Default: nil, the service itself.
	Invoke InvokeFunc
	// ListTTL is how long clients of revision 2026-07-28 and later may keep the
	// list of tools, in whole milliseconds. Default: zero, not at all.
	ListTTL time.Duration
	// ListScope says who may share a kept list: "public", or "private" for one
	// user's cache. Default: "private".
	ListScope string
	// Tools has the options of single tools, by the Go name of the method, or by
	// the name of the tool where a joined service has the Go name twice. A name
	// that is neither panics.
	Tools map[string]ToolOptions
}

// A ServerInfo is how a server introduces itself.
type ServerInfo struct {
	Name    string
	Version string
}

// ToolOptions configures one tool. The zero value stands for the defaults. The
// last four are hints for clients, true or false where they are set.
type ToolOptions struct {
	// Title is the name that people see. Default: the words of the Go name.
	Title string
	// InputSchema, a JSON Schema of an object, is published in place of the
	// generated one, as it is. It documents: arguments are held to the Go type
	// all the same.
	InputSchema []byte
	// RequiredCapabilities are capabilities without which a client cannot use
	// the tool, such as "sampling". A client of revision 2026-07-28 or later
	// that does not declare them gets error -32021; earlier ones do not say.
	RequiredCapabilities []string
	// ReadOnly says that the tool changes nothing. Default: true for GET.
	ReadOnly *bool
	// Destructive says that the tool may change or delete what is there, not
	// only add to it. Default: true unless the tool is read-only.
	Destructive *bool
	// Idempotent says that calling again with the same arguments changes
	// nothing more. Default: true for GET, PUT and DELETE.
	Idempotent *bool
	// OpenWorld says that the tool deals with things outside the service, such
	// as web pages. Default: false.
	OpenWorld *bool
}

// An mcpHandler answers requests on the endpoint. It keeps nothing between
// them, so it is safe for concurrent use and any replica can take any request.
type mcpHandler struct {
	*config
	service *Service
	origins *originPolicy
	invoke  InvokeFunc
	tools   map[string]*tool
	texts   mcpTexts
}

var _ http.Handler = (*mcpHandler)(nil)

// mcpTexts are pieces of JSON that every answer of a kind has.
type mcpTexts struct {
	serverInfo string // {"name":…,"version":…}
	modern     string // the first members of every modern result, with a comma behind
	initialize string // what follows the version in the result of initialize
	discover   string // the members of that result
	list       string // "tools":[…]
	listModern string // list, and what may be cached for how long
}

// MCP returns a handler for one path, such as /mcp, that serves every method as
// a tool named resource_method by the Model Context Protocol: revisions
// 2024-11-05 to 2026-07-28, over POST, without sessions, so that any replica
// can take any request. The arguments of a tool are the method's input, all
// fields by their names in JSON, and the result its output; an error that the
// method returns is a result too, with isError, for the model to act on.
//
// Browsers are refused but for those that MCPOptions.AllowedOrigins names. The
// handler authenticates nobody: put middleware in front of it, and let a server
// for local use listen on 127.0.0.1. It panics if the options are wrong or a
// tool's name is not what clients take, and names everything that is.
func (s *Service) MCP(opts *MCPOptions) http.Handler {
	var o MCPOptions
	if opts != nil {
		o = *opts
	}
	p := new(problems)
	h := &mcpHandler{
		config:  s.methods[0].config,
		service: s,
		origins: newOriginPolicy(p, o.AllowedOrigins),
		invoke:  o.Invoke,
		tools:   make(map[string]*tool),
	}
	tools := compileTools(p, s, o.Tools)
	for _, t := range tools {
		h.tools[t.name] = t
	}
	if o.ListScope == "" {
		o.ListScope = "private"
	}
	p.where = "MCPOptions"
	if o.ListScope != "private" && o.ListScope != "public" {
		p.addf("ListScope is %q; write \"public\" or \"private\"", o.ListScope)
	}
	if o.ListTTL < 0 {
		p.addf("ListTTL is negative")
	}
	if len(p.list) > 0 {
		panic(fmt.Sprintf("svc: cannot serve %s over MCP:\n%v", s.name, errors.Join(p.list...)))
	}
	h.texts = newMCPTexts(s, &o, tools)
	return h
}

// mcpCapabilities is what the server can do: call tools and send log messages
// while it does. The list of tools never changes.
const mcpCapabilities = `"capabilities":{"logging":{},"tools":{}}`

const mcpMetaServerInfo = `"io.modelcontextprotocol/serverInfo":`

func newMCPTexts(s *Service, o *MCPOptions, tools []*tool) mcpTexts {
	info := o.ServerInfo
	if info.Name == "" {
		info.Name = s.name
	}
	if info.Version == "" {
		info.Version = s.version
	}
	name := openMembers(nil)
	name.text("name", info.Name)
	name.text("version", info.Version)
	serverInfo := string(name.close())

	instructions := ""
	if o.Instructions != "" {
		instructions = `,"instructions":` + string(appendQuoted(nil, o.Instructions))
	}
	cache := `"ttlMs":` + strconv.FormatInt(o.ListTTL.Milliseconds(), 10) + `,"cacheScope":"` + o.ListScope + `"`
	list := appendTools([]byte(`"tools":`), tools)
	return mcpTexts{
		serverInfo: serverInfo,
		modern:     `"resultType":"complete","_meta":{` + mcpMetaServerInfo + serverInfo + `},`,
		initialize: mcpCapabilities + `,"serverInfo":` + serverInfo + instructions,
		discover:   `"supportedVersions":` + string(appendVersions(nil)) + `,` + mcpCapabilities + `,` + cache + instructions,
		list:       string(list),
		listModern: string(list) + `,` + cache,
	}
}
