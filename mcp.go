package svc

// These files serve the methods of a service as tools, resources and prompts for AI assistants, by
// the Model Context Protocol (MCP) over Streamable HTTP or standard input and output. One endpoint
// serves all published revisions. Between two requests it keeps only open questions and the calls
// that wait for their answers.
//
//	mcp.go            options, the handler, its texts, tools made of methods
//	mcp_http.go       HTTP: statuses, origins, CORS, Accept
//	mcp_stdio.go      standard input and output, in place of HTTP
//	mcp_revision.go   how the revisions differ
//	mcp_message.go    messages, the choice of the revision, the methods that call nothing
//	mcp_call.go       tools/call: arguments, results, progress and log messages
//	mcp_resources.go  resources, prompts and the completion of their arguments
//	mcp_ask.go        questions of a method to its caller
//	mcp_extension.go  methods that are not in the core of the protocol
//	mcp_tasks.go      records of work as tasks, by the extension Tasks
//	mcp_session.go    sealed sessions of legacy clients over HTTP, and their open questions
//
// The specification is named by the date of its revision; comments cite it as "MCP 2026-07-28,
// Tools", which is the page Tools of this revision.
//
// MCP 2026-07-28 has no sessions. In the legacy revisions they are optional (MCP 2025-11-25,
// Transports, Session Management), and here the client keeps them. So any replica can answer any
// request, and a restart loses only open questions. But over HTTP the server cannot remember the
// level of logging/setLevel, and sends messages only during a call. Over standard input and output
// the process is the session.
//
// In this order: options, handler, texts, tools. All of it runs once, when the handler is made.
// svc_mcp.go handles tools, resources and prompts at registration.

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// MCPOptions configures [Service.MCP]. The zero value and nil stand for the defaults; a field
// whose comment names no default is empty by default. Do not change it after the call. What MCP
// shows of a method is decided at registration; see [MCPMethod].
type MCPOptions struct {
	// ServerInfo is the name and version that clients show to people and write to their logs.
	ServerInfo MCPServerInfo
	// Instructions tell a model how to use the tools together.
	Instructions string
	// AllowedOrigins lists the web origins, such as "https://app.example", whose pages may call the
	// server. "null" allows pages without an origin. "*" allows all pages: use it only if every
	// call is authenticated. Other origins get 403 (MCP 2026-07-28, Streamable HTTP, Security
	// Warning). Requests without an Origin header are served; doc/mcp.md has more.
	AllowedOrigins []string
	// Invoke is called instead of the methods, with a valid input. It must return a result of the
	// method's type, or the call fails with INTERNAL. Options.Intercept runs around it, and again
	// if Invoke calls [Service.Call].
	Invoke InvokeFunc
	// ListTTL is how long clients may cache the list of tools and the answer of server/discover,
	// from revision 2026-07-28 on (MCP 2026-07-28, Caching), in whole milliseconds, rounded down.
	// It must not be negative. Zero means not at all.
	ListTTL time.Duration
	// ListScope is "public" if shared caches may keep a list. Default: "private".
	ListScope string
	// Show reports whether lists show the tool, the resource or the prompt of a method. ctx has the
	// [Principal] of the caller. If Show panics, the answer is an error. Show does not protect
	// methods; MethodOptions.Scopes does. With Show, ListScope must be "private". Default: lists
	// show all.
	Show func(ctx context.Context, m Method) bool
	// StateKey seals answers for methods that ask again after an answer, the sessions of clients
	// before 2026-07-28, and the IDs of tasks; see [Ask] and MethodOptions.Task. Use the same key
	// on all replicas. Clients can read what it seals. Over HTTP the default is none: a method can
	// then ask in one round only, only the process that began a session knows it, and a Task is a
	// mistake. [Service.MCPStdio] makes a key for its process.
	StateKey *CursorKey
	// MaxResult limits the Unicode characters of all texts of a result together. A call with a
	// longer result fails with RESOURCE_EXHAUSTED; the text of any other error is cut. It must not
	// be negative. Zero means 100,000.
	MaxResult int
	// AllowUnknown ignores arguments that the input does not have, unless Options.Strict is set. By
	// default they are violations, so that a model learns that it has misspelled an argument.
	AllowUnknown bool
	// ReadStrings also reads an argument that should be an object, a list, a number or a boolean
	// from a string with its JSON, as some hosts send it. By default such a string is a violation,
	// whose message says what to send. 64-bit integers are always read from strings too.
	ReadStrings bool
	// Newest is the newest revision to speak, such as "2025-11-25". Set it for hosts that break
	// with a newer one; doc/assistants.md lists them. Methods and members of later revisions are
	// then unknown. A revision that svc does not know is a mistake. "" stands for "2026-07-28".
	Newest string
	// Extensions lists the extensions of MCP that the server has: names such as
	// "example.com/skills", with settings that are JSON objects (MCP 2026-07-28, Extensions).
	Extensions map[string]any
	// Methods answer requests outside the core of MCP, by name, such as "events/list". ctx is like
	// the context of a call: it has the [Principal], and functions such as [Progress] work. params
	// is an object. encoding/json writes the result, which must be an object; nil is {}. An error
	// becomes a JSON-RPC error with the message of the [Error], and its code and details as data.
	// If Options.Schemes is set, the caller must be known. Invoke and Options.Intercept do not run.
	Methods map[string]func(ctx context.Context, params json.RawMessage) (any, error)
}

// An MCPServerInfo identifies the program of a server (MCP 2025-11-25, schema, Implementation).
type MCPServerInfo struct {
	Name    string    `json:"name"`    // for programs and people; "" means Options.Name
	Version string    `json:"version"` // of the program, in any form; "" means Options.Version
	Icons   []MCPIcon `json:"icons,omitempty"`
}

// An mcpHandler answers requests on the endpoint. It is safe for concurrent use.
type mcpHandler struct {
	endpoint
	options    MCPOptions             // with defaults, but for ServerInfo
	cors       corsPolicy             // for options.AllowedOrigins
	tools      map[string]*tool       // by the name of the tool
	resources  []*tool                // with a URI
	prompts    map[string]*tool       // by the name of the prompt
	lists      map[string]*mcpList    // by method, such as tools/list
	names      map[string][]toolNames // by tools/list or prompts/list, for suggestions
	newest     *revision              // of MCPOptions.Newest
	unagreed   agreement              // the zero one, of requests over HTTP without a session
	sessions   *mcpSessions
	forms      sync.Map             // of *form, by reflect.Type; see formOf
	extensions map[string]extension // by name
	tasks      map[string]*mcpTask  // by taskName
	messages   sync.Pool            // of *message
	now        func() time.Time
	texts      mcpTexts
}

// mcpTexts are pieces of JSON that are the same in every answer of a kind. They
// are made once, so that most methods of the protocol only copy bytes.
type mcpTexts struct {
	serverInfo string // the member of _meta that names the server in modern results, since they have no initialize
	modern     string // the first members of every modern result, and a comma
	initialize string // the members of the result of initialize, after protocolVersion
	discover   string // the members of the result of server/discover
	cache      string // the last members of modern lists: a comma, ttlMs and cacheScope
}

// A toolNames has the names by which an unknown one may mean a tool or a prompt, or, without a tool,
// a method that MCP does not serve.
type toolNames struct {
	tool  *tool // nil if every caller may know the names
	names []knownName
}

// serverInfoName is the member of _meta that names the server (MCP 2026-07-28, Base Protocol).
const serverInfoName = "io.modelcontextprotocol/serverInfo"

// An mcpList is the answer to a method of the protocol that lists something, such as
// tools/list.
type mcpList struct {
	begin string // of the member, such as "tools":[
	tools []*tool
	texts [][]byte // the object of each tool, as JSON
	size  int      // of all, with commas
}

func (l *mcpList) add(t *tool, text []byte) {
	l.tools = append(l.tools, t)
	l.texts = append(l.texts, text)
	l.size += len(text) + len(",")
}

// A tool is a method as MCP clients see it. Both output and ownContent are set with
// MCPMethod.Structured alone. wrapper needs output: structuredContent must be a JSON object before MCP 2026-07-28, and
// some legacy clients reject the whole list of tools if an output schema is not of
// "type":"object".
type tool struct {
	*method
	toolArguments
	toolResult
	name      string // of toolName; unique in the handler
	heading   string // the title, never empty
	about     string // the description, never empty
	readOnly  bool   // MCPMethod.ReadOnly or its default
	described Method // what MCPOptions.Show gets; zero without it
}

// A toolArguments says which arguments a tool has, and which others a call may have.
type toolArguments struct {
	input   []byte                      // the input schema, an object
	headers []headerParam               // the arguments that headers mirror
	closed  bool                        // unknown arguments are refused: no MCPOptions.AllowUnknown
	allow   func(*decoder, []byte) bool // tool.allows, or nil where Options.Strict decides; see inputOptions.allow
	beside  []*field                    // arguments that the input does not have
	suggest []knownName                 // their names; see inputOptions.beside
}

// A toolResult is the form of the results of a tool; see compileOutput.
type toolResult struct {
	output     []byte // the output schema; nil if results lack structuredContent
	ownContent bool   // the output makes the content itself
	wrapper    string // the member that holds an output which is not a JSON object; "" for others
}

// An mcpMethod is the type of MCPOptions.Methods.
type mcpMethod = func(ctx context.Context, params json.RawMessage) (any, error)

// An extension is a method of MCPOptions.Methods.
type extension struct {
	*method // for the caller, the log and Options.Observe; it has no input, output or routes
	fn      mcpMethod
}

// A mcpTask is a tool whose work can be a task.
type mcpTask struct {
	start        *tool // begins the work; the final result of a task is its result
	read, cancel *tool // of the methods of its taskPlan, which need not be tools; cancel may be nil
}
