package svc

// These files serve the methods of a service as tools, resources and prompts for AI
// assistants, by the Model Context Protocol (MCP) over Streamable HTTP or standard
// input and output. All published revisions are served on one endpoint, and between
// two requests nothing is kept but the questions and the calls that wait for the second.
//
//	mcp.go            options, the handler, its texts, tools made of methods
//	mcp_http.go       HTTP: statuses, origins, CORS, Accept
//	mcp_stdio.go      standard input and output, in place of HTTP
//	mcp_revision.go   how the revisions differ
//	mcp_message.go    messages, the choice of the revision, the methods that call nothing
//	mcp_call.go       tools/call: arguments, results, progress and log messages
//	mcp_resources.go  resources, prompts and the completion of their arguments
//	mcp_ask.go        questions of a method to its caller
//	mcp_extension.go  methods that the core of the protocol does not have
//	mcp_session.go    sealed sessions of legacy clients over HTTP, and what waits in them
//
// The specification calls itself by the date of its revision; comments cite it
// as "MCP 2026-07-28, Tools", which is the page Tools of that revision.
//
// MCP 2026-07-28 has no sessions. Those of the legacy revisions are optional (MCP
// 2025-11-25, Transports, Session Management), and here the client keeps them. So any
// replica can answer any request, and restarts lose nothing but what waits. But over HTTP
// the server cannot remember what logging/setLevel said, and sends only during a call. Over
// standard input and output the process is the session.
//
// This file comes in this order: options, handler, texts, tools, headers that
// mirror arguments. All of it runs once, when the handler is made.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MCPOptions configures [Service.MCP]. The zero value and nil stand for the defaults; a field
// whose comment names no default is empty by default. Do not change it after the call.
type MCPOptions struct {
	// ServerInfo is the name and version that clients show to people and write to their logs.
	ServerInfo MCPServerInfo
	// Instructions tell a model how to use the tools together.
	Instructions string
	// AllowedOrigins are the web origins, such as "https://app.example", whose pages may call
	// the server. "null" allows pages without an origin, and "*" all pages: use it only if
	// every call is authenticated. Other origins get 403 (MCP 2026-07-28, Streamable HTTP,
	// Security Warning). Requests without an Origin header are served; doc/mcp.md has more.
	AllowedOrigins []string
	// Invoke is called instead of the methods, with a valid input. It must return what the
	// method would return; anything else is INTERNAL. Options.Intercept runs around it, and
	// again if Invoke calls [Service.Call].
	Invoke InvokeFunc
	// ListTTL is how long clients may keep the list of tools and the answer of server/discover,
	// from revision 2026-07-28 on (MCP 2026-07-28, Caching), in whole milliseconds, rounded
	// down. It must not be negative. Zero: not at all.
	ListTTL time.Duration
	// ListScope is "public" if caches that users share may keep a list, or else "private", the
	// default.
	ListScope string
	// Show reports whether the lists show the tool, the resource or the prompt of a method. ctx
	// has the [Principal] of the caller. If Show panics, the answer is an error. Show does not
	// protect methods: use MethodOptions.Scopes. With Show, ListScope must be "private".
	// Default: all are shown.
	Show func(ctx context.Context, m Method) bool
	// StateKey seals answers for methods that ask again after an answer, and the sessions of
	// clients before 2026-07-28; see [Ask]. It must be the same on all replicas. Clients can read
	// what it seals. Without it a method can ask in one round only, and a session is known to the
	// process that began it.
	StateKey *CursorKey
	// MaxResult is how many Unicode characters all texts of a result may have together. A
	// result with more is the error RESOURCE_EXHAUSTED, and the text of another error is cut.
	// It must not be negative. Default: 0, which means 100,000.
	MaxResult int
	// AllowUnknown ignores arguments that the input does not have, unless Options.Strict is
	// set. Default: they are violations, so that a model that misspells an argument learns of
	// it.
	AllowUnknown bool
	// ReadStrings reads an argument that should be an object or a list from a string with its
	// JSON, as some hosts send it. Default: that is a violation, which says so.
	ReadStrings bool
	// Prefix takes the place of the resource in the default names of tools and prompts, and "-"
	// leaves it out: todos_get is then get. Default: the resource.
	Prefix string
	// Extensions are the extensions of MCP that the server has, by name, such as
	// "example.com/skills", with their settings, which are JSON objects (MCP 2026-07-28,
	// Extensions).
	Extensions map[string]any
	// Methods answer requests that the core of MCP does not have, by name, such as
	// "events/list". ctx is that of a call, with the [Principal] and the functions for methods,
	// such as [Progress]; params is an object. The result is written by encoding/json and must
	// be an object; nil is {}. An error is a JSON-RPC error with the message of the [Error], and
	// its code and details as data. Where Options.Schemes is set, the caller must be known. Invoke and
	// Options.Intercept do not run.
	Methods map[string]func(ctx context.Context, params json.RawMessage) (any, error)
	// Resources makes resources of methods, and Prompts makes prompts, by names as in Tools.
	Resources map[string]MCPResourceOptions
	Prompts   map[string]MCPPromptOptions
	// Tools has the options of single tools, by the Go name of the method, such as "GetTodo",
	// or by the name of the tool, such as "todos_get". An unknown name is a mistake, and so is
	// a Go name that joined services have twice.
	Tools map[string]MCPToolOptions
}

// An MCPServerInfo says which program a server is (MCP 2025-11-25, schema, Implementation).
type MCPServerInfo struct {
	Name    string    `json:"name"`    // for programs and people; "" means Options.Name
	Version string    `json:"version"` // of the program, in any form; "" means Options.Version
	Icons   []MCPIcon `json:"icons,omitempty"`
}

// An MCPIcon is a picture for people (MCP 2025-11-25, Icons). A Src or a Theme that is not
// allowed is a mistake in options, and an error of the method in [MCPContent].
type MCPIcon struct {
	Src      string   `json:"src"`                // its URL, which must begin with https: or data:
	MIMEType string   `json:"mimeType,omitempty"` // "" leaves it to Src
	Sizes    []string `json:"sizes,omitempty"`    // such as "48x48", or "any"; empty means any
	Theme    string   `json:"theme,omitempty"`    // "light" or "dark" for that background only
}

// checkIcons returns an error if one of the icons breaks a rule.
func checkIcons(icons []MCPIcon) error {
	for _, icon := range icons {
		scheme, _, _ := strings.Cut(icon.Src, ":")
		switch {
		case scheme != "https" && scheme != "data":
			return fmt.Errorf("the Src of an icon is %q; an icon has an https: or a data: URL", clip(icon.Src, 64))
		case icon.Theme != "" && icon.Theme != "light" && icon.Theme != "dark":
			return fmt.Errorf("the Theme of an icon is %q; write light or dark, or leave it out", icon.Theme)
		}
	}
	return nil
}

// encodeExtras returns the member _meta as JSON, or nil without one, and notes the mistakes in
// meta and icons.
func encodeExtras(p *mistakes, meta map[string]any, icons []MCPIcon) []byte {
	if err := checkIcons(icons); err != nil {
		p.addf("%s", err.Error())
	}
	text, err := encodeMeta(meta)
	p.addIf(err != nil, "Meta is not JSON: %v", err)
	return text
}

// encodeMeta returns the member _meta as JSON, or nil without one.
func encodeMeta(meta map[string]any) ([]byte, error) {
	if len(meta) == 0 {
		return nil, nil
	}
	return json.Marshal(meta)
}

// encodeIcons returns the member icons as JSON, or nil without one.
func encodeIcons(icons []MCPIcon) []byte {
	if len(icons) == 0 {
		return nil
	}
	return encodeDocument(icons)
}

// MCPToolOptions configures one tool. The zero value stands for the defaults. A field whose
// comment names no default is empty by default.
//
// ReadOnly, Destructive, Idempotent and OpenWorld are hints (MCP 2026-07-28, Tools,
// annotations), by which clients decide whether to ask a person before they call the tool. nil
// stands for the default of each.
type MCPToolOptions struct {
	// Name is the name of the tool: at most 64 letters, digits, _ and - of ASCII. The default
	// name then calls nothing. Default: resource_method.
	Name string
	// Title is the name that people see. Default: the first sentence of the
	// method's Description or comment, or else such as "todos: mark done".
	Title string
	// Icons are for people. Meta is sent with the tool as its _meta, and must be JSON.
	Icons []MCPIcon
	Meta  map[string]any
	// Description is what models read to decide whether to call the tool. Default:
	// MethodOptions.Description, or the comment of the method, or else a sentence made of the names.
	Description string
	// InputSchema is a JSON Schema with "type":"object" to publish instead of the generated
	// one. Arguments are still checked by the Go type of the input; doc/tools.md has more.
	InputSchema []byte
	// RequiredCapabilities are the capabilities that a client needs for the tool, such as
	// "sampling". From revision 2026-07-28 on, a call without them gets error -32021 (MCP
	// 2026-07-28, Base Protocol).
	RequiredCapabilities []string
	// ReadOnly says that the tool changes nothing. Default: true for GET.
	ReadOnly *bool
	// Destructive says that the tool may change or delete existing data. Default: true unless
	// the tool is read-only, or the first word of the method's name is create, add or new.
	Destructive *bool
	// Idempotent says that a second call with the same arguments changes nothing more.
	// Default: true for GET, PUT and DELETE, and with KeyRequired.
	Idempotent *bool
	// OpenWorld says that the tool uses things outside the service. Default: false.
	OpenWorld *bool
}

// An mcpHandler answers requests on the endpoint. It is safe for concurrent use.
type mcpHandler struct {
	endpoint
	options    MCPOptions       // with defaults, but for ServerInfo
	cors       corsPolicy       // for options.AllowedOrigins
	tools      map[string]*tool // by the name of the tool
	resources  []*resource
	prompts    map[string]*tool    // by the name of the prompt
	lists      map[string]*mcpList // by method, such as tools/list
	unagreed   agreement           // the zero one, of requests over HTTP without a session
	sessions   *mcpSessions
	forms      sync.Map             // of *form, by reflect.Type; see formOf
	extensions map[string]extension // by name
	messages   sync.Pool            // of *message
	now        func() time.Time
	texts      mcpTexts
}

// mcpTexts are pieces of JSON that are the same in every answer of a kind. They
// are made once, so that most methods of the protocol only copy bytes.
type mcpTexts struct {
	serverInfo string // the member of _meta in which modern results name the server, since there is no initialize
	modern     string // the first members of every modern result, and a comma
	initialize string // the members of the result of initialize, after protocolVersion
	discover   string // the members of the result of server/discover
	cache      string // the last members of modern lists: a comma, ttlMs and cacheScope
}

// MCP returns a handler for one path, such as /mcp, that serves every method as a tool by the
// Model Context Protocol, revisions 2024-11-05 to 2026-07-28. It takes POST requests, and any
// replica can answer any of them. Only questions to clients before 2026-07-28, and their
// cancellations, must come to the replica that runs the call; doc/questions.md says how.
//
// The name of a tool is resource_method, such as todos_get. Its arguments are the fields of the
// method's input by their JSON names, and its result is the output, or the blocks of
// [MCPContent]; the items of a [Stream] are collected in {"items":[…]}. An error of the method
// is a result with isError, so that the model can read it and try again.
//
// Requests from web pages get 403 unless MCPOptions.AllowedOrigins has their origin. The
// handler does not authenticate: put middleware in front of it, and let servers for local use
// listen on 127.0.0.1. What a method adds to Info.Header is not sent.
//
// MCP panics if the options, the name of a tool or a tag mcpheader are mistaken.
// doc/tools.md has the rules of the tag, and doc/mcp.md says what each revision has.
func (s *Service) MCP(opts *MCPOptions) http.Handler { return s.newMCPHandler(opts) }

// newMCPHandler returns the handler, which [Service.MCPStdio] uses without HTTP.
func (s *service) newMCPHandler(opts *MCPOptions) *mcpHandler {
	p := new(mistakes)
	h := &mcpHandler{
		endpoint: s.newEndpoint(TransportMCP),
		tools:    make(map[string]*tool),
		prompts:  make(map[string]*tool),
		lists:    map[string]*mcpList{"tools/list": {begin: `"tools":[`}},
		now:      time.Now,
		options:  valueOf(opts),
	}
	o := &h.options
	o.ListScope = cmp.Or(o.ListScope, "private")
	o.MaxResult = cmp.Or(o.MaxResult, 100_000)
	h.invoke = o.Invoke
	// Pages need WWW-Authenticate to log in. MCP has no cookies, and for CORS a bearer token
	// is a header like any other, so there are no credentials. GET and DELETE are allowed so
	// that a page gets their 405 and not a network error, and all headers, since Mcp-Param-*
	// can have any name. Some browsers keep the answer to a preflight request for two hours
	// at most.
	h.cors = corsPolicy{
		origins:   newOriginSet(p, "MCPOptions.AllowedOrigins", o.AllowedOrigins),
		echo:      true,
		always:    http.Header{"Access-Control-Expose-Headers": {"WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version"}},
		preflight: http.Header{"Access-Control-Allow-Methods": {"POST, GET, DELETE, OPTIONS"}, "Access-Control-Max-Age": {"7200"}},
	}
	h.sessions = newMCPSessions(o.StateKey)
	h.messages.New = func() any { return newMessage() }
	if len(o.Prompts) > 0 {
		h.lists["prompts/list"] = &mcpList{begin: `"prompts":[`}
	}
	if len(o.Resources) > 0 {
		h.lists["resources/list"] = &mcpList{begin: `"resources":[`}
		h.lists["resources/templates/list"] = &mcpList{begin: `"resourceTemplates":[`}
	}
	h.compileTools(p)
	o.checkOptions(p)
	o.checkExtensions(p)
	p.panicIfAny("cannot serve " + s.opts.Name + " over MCP")
	h.texts = newMCPTexts(s, o)
	h.extensions = s.compileExtensions(o)
	return h
}

// checkOptions adds the mistakes in options that are about no method. Defaults are set.
func (o *MCPOptions) checkOptions(p *mistakes) {
	p.where = "MCPOptions"
	p.addIf(o.ListScope != "private" && o.ListScope != "public", "ListScope is %q; write \"public\" or \"private\"", o.ListScope)
	p.addIf(o.Show != nil && o.ListScope == "public", "Show and ListScope \"public\": a cache would give the list of one caller to another; write \"private\"")
	p.addIf(o.ListTTL < 0, "ListTTL is negative")
	p.addIf(o.MaxResult < 0, "MaxResult is negative")
	p.addIf(o.Prefix != "" && !isMadeOf(o.Prefix, "-_"), "Prefix is %q; write letters, digits, - and _ of ASCII, or \"-\" for no prefix", o.Prefix)
	if err := checkIcons(o.ServerInfo.Icons); err != nil {
		p.addf("ServerInfo: %v", err)
	}
	p.addIf(o.StateKey != nil && len(o.StateKey.secrets) == 0, "StateKey has no key; make it with NewCursorKey")
}

// capabilities returns the object that declares what the server can do: call tools, send
// log messages during a call, and what the options add. It declares neither listChanged
// nor subscribe, since lists never change and the server could not tell anyone.
func (o *MCPOptions) capabilities() []byte {
	none := struct{}{}
	all := map[string]any{"logging": none, "tools": none}
	if len(o.Prompts) > 0 {
		all["completions"], all["prompts"] = none, none
	}
	if len(o.Resources) > 0 {
		all["completions"], all["resources"] = none, none
	}
	if len(o.Extensions) > 0 {
		all["extensions"] = o.Extensions
	}
	return encodeDocument(all)
}

// newMCPTexts makes the texts of a handler. The defaults of o are already set, but for
// those of ServerInfo.
func newMCPTexts(s *service, o *MCPOptions) mcpTexts {
	const inMeta = "io.modelcontextprotocol/serverInfo" // MCP 2026-07-28, Base Protocol
	info := MCPServerInfo{cmp.Or(o.ServerInfo.Name, s.opts.Name), cmp.Or(o.ServerInfo.Version, s.opts.Version), o.ServerInfo.Icons}
	withIcons := encodeDocument(info)
	info.Icons = nil // each result has the text below, and icons are large
	serverInfo := encodeDocument(info)
	ttl := strconv.AppendInt(nil, o.ListTTL.Milliseconds(), 10)
	membersOf := func(pairs ...any) string { // without braces: a result has more members than these
		text := object(pairs...)
		return string(text[1 : len(text)-1])
	}
	return mcpTexts{
		serverInfo: membersOf(inMeta, serverInfo),
		modern:     membersOf("resultType", "complete", "_meta", object(inMeta, serverInfo)) + ",",
		initialize: membersOf("capabilities", o.capabilities(), "serverInfo", withIcons, "instructions", o.Instructions),
		discover: membersOf("resultType", "complete", "_meta", object(inMeta, withIcons), "supportedVersions", encodeDocument(revisionDates()),
			"capabilities", o.capabilities(), "ttlMs", ttl, "cacheScope", o.ListScope, "instructions", o.Instructions),
		cache: "," + membersOf("ttlMs", ttl, "cacheScope", o.ListScope),
	}
}

// An mcpList is the answer to a method of the protocol that lists something, such as
// tools/list.
type mcpList struct {
	begin string // of the member, such as "tools":[
	tools []*tool
	names []knownName // of the tools, for suggestions
	texts [][]byte    // the object of each tool, as JSON
	size  int         // of all, with commas
}

func (l *mcpList) add(t *tool, text []byte) {
	l.tools = append(l.tools, t)
	l.names = append(l.names, newKnownNames([]string{t.name})...)
	l.texts = append(l.texts, text)
	l.size += len(text) + len(",")
}

// maxToolName is the longest name of a tool, in characters. The specification allows 128
// (MCP 2025-11-25, Tools, Tool Names), but the APIs of several models only 64.
const maxToolName = 64

// A tool is a method as MCP clients see it. At most one of output and ownContent is set.
// wrapper needs output: structuredContent must be a JSON object before MCP 2026-07-28, and
// some legacy clients reject the whole list of tools if an output schema is not of
// "type":"object".
type tool struct {
	*method
	toolArguments
	toolResult
	name      string          // that of MCPToolOptions or of toolName; unique in the handler
	about     string          // the description, never empty
	complete  MCPCompleteFunc // of a prompt; or nil
	purpose   string          // the description of a prompt; "" for another tool
	uri       *uriTemplate    // of the resource that the method is too; or nil
	options   MCPToolOptions
	meta      []byte // MCPToolOptions.Meta as JSON; nil for none
	readOnly  bool   // MCPToolOptions.ReadOnly or its default
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
	output     []byte // the output schema; nil if results have no structuredContent
	ownContent bool   // the output makes the content itself
	wrapper    string // the member that holds an output which is not a JSON object; "" for others
}

// toolName returns the name of the tool of a method that has no other in its options.
func toolName(m *method) string { return m.resource + "_" + m.name }

// toolName is the same with MCPOptions.Prefix.
func (o *MCPOptions) toolName(m *method) string {
	switch o.Prefix {
	case "":
		return toolName(m)
	case "-":
		return m.name
	}
	return o.Prefix + "_" + m.name
}

// A toolIndex finds the methods of a service by the names that options have.
type toolIndex struct {
	service *service
	options *MCPOptions
	named   map[string][]*tool // by the default name of the tool and by the Go name
	schemas map[schemaKey][]byte
}

// A schemaKey stands for the schema that tools with one type share.
type schemaKey struct {
	of  *shape
	use schemaUse
}

// lookupTool returns the tool of a key in an option, or notes the mistake and returns nil.
func (x *toolIndex) lookupTool(p *mistakes, option, key string) *tool {
	p.where = "MCPOptions"
	switch list := x.named[key]; {
	case len(list) == 1:
		return list[0]
	case list != nil:
		p.addf("%s[%q]: %d methods have that name; write the name of the tool", option, key, len(list))
	case slices.ContainsFunc(x.service.methods, func(m *method) bool { return m.goName == key || x.options.toolName(m) == key }):
		p.addf("%s[%q]: MCP does not serve the method; add TransportMCP to its Transports, or drop this if it takes a Body, which MCP has not", option, key)
	default:
		p.addf("%s[%q]: %s has no method of that name%s", option, key, x.service.opts.Name, suggestName(key, newKnownNames(slices.Sorted(maps.Keys(x.named)))))
	}
	return nil
}

// compileTools makes the tools, resources and prompts of all methods, in one order of the
// methods, so that tools/list is the same each time (MCP 2026-07-28, Tools).
func (h *mcpHandler) compileTools(p *mistakes) {
	s, o := h.service, &h.options
	x := &toolIndex{service: s, options: o, named: make(map[string][]*tool), schemas: make(map[schemaKey][]byte)}
	var all []*tool
	for _, m := range inSourceOrder(s.methodsOn(TransportMCP)) {
		t := &tool{method: m, name: o.toolName(m)}
		all = append(all, t)
		for _, name := range []string{t.name, m.goName} {
			x.named[name] = append(x.named[name], t)
		}
	}
	tools := optionsByTool(p, x, "Tools", o.Tools)
	resources := optionsByTool(p, x, "Resources", o.Resources)
	prompts := optionsByTool(p, x, "Prompts", o.Prompts)
	named := make(map[string]*tool)
	var describer *describer
	if o.Show != nil {
		describer = s.newDescriber()
	}
	for _, t := range all {
		p.where = t.goName
		t.closed = !o.AllowUnknown
		if o.Show != nil {
			t.described = describer.describeMethod(t.method)
		}
		t.compileTool(p, tools[t], x)
		if other := named[t.name]; other != nil {
			p.addf("the tool would have the name %q, as %s does; rename one", t.name, other.goName)
		}
		named[t.name] = t
		if o, ok := resources[t]; ok {
			h.addResource(p, t, o)
		}
		if o, ok := prompts[t]; ok {
			h.addPrompt(p, t, o)
		} else if !resources[t].NotTool {
			h.tools[t.name] = t
			h.lists["tools/list"].add(t, t.describeTool())
		}
	}
}

// compileTool sets everything but the method, the default name and closed of t.
func (t *tool) compileTool(p *mistakes, o MCPToolOptions, x *toolIndex) {
	t.name = cmp.Or(o.Name, t.name)
	p.addIf(len(t.name) > maxToolName, "the tool name %q is longer than %d characters, which many models refuse; set MCPToolOptions.Name", t.name, maxToolName)
	p.addIf(!isMadeOf(t.name, "-_"), "the tool name %q has other characters than letters, digits, - and _ of ASCII; set MCPToolOptions.Name", t.name)
	t.meta = encodeExtras(p, o.Meta, o.Icons)
	isRead := t.route.isRead()
	t.options, t.readOnly = o, *cmp.Or(o.ReadOnly, &isRead)
	t.options.Title = cmp.Or(o.Title, t.summary())
	t.about = cmp.Or(o.Description, t.method.about.text, capitalized(strings.Join(splitWords(t.goName), " "))+" on "+t.resource+", a "+strings.TrimLeft(t.route.verb+" method of ", " ")+x.service.opts.Name+".")
	switch {
	case t.deprecation != nil, t.end.text != "":
		t.about = t.farewell().text + " Call another tool if one fits. " + t.about
	case t.deprecated:
		t.about = "Deprecated: it may go away, so call another tool if one fits. " + t.about
	}
	if t.key != nil {
		t.addArgument(keyArgument, "A text that you choose: the same for a repetition of this call, a new one for each new call.",
			t.keyUse() == KeyAllowed, map[string]any{"type": "string", "pattern": "^[!-~]{1,255}$"})
	}
	if t.closed || t.beside != nil || o.InputSchema != nil { // else the plan knows it, without an allocation
		t.allow = t.allows
	}
	t.compileInput(p, o.InputSchema, x)
	t.compileOutput(x)
}

// compileInput sets the input schema and the headers that mirror its properties.
// own is MCPToolOptions.InputSchema, or nil to generate a schema.
//
// The root must be an object with the plain "type":"object" in every revision
// (MCP 2024-11-05, Tools). Clients drop tools, or the whole list, otherwise.
func (t *tool) compileInput(p *mistakes, own []byte, x *toolIndex) {
	switch {
	case own != nil:
		s := scanner{data: own}
		s.skipValue()
		if s.checkEnd(); s.err != nil {
			p.addf("InputSchema is not JSON: %v", s.err)
			return
		}
		var buf bytes.Buffer
		json.Compact(&buf, own) // cannot fail: the scanner has found it to be JSON
		if t.input = buf.Bytes(); textAt(t.input, "type") != "object" {
			p.addf(`InputSchema must be an object with "type":"object"`)
			return
		}
		p.addIf(t.key != nil && memberAt(t.input, "properties", keyArgument) == nil, "InputSchema has no property %s, in which a call has its key; add it, with type string", keyArgument)
	case t.in != nil && t.in.alternatives != nil:
		p.addf("the input %v is a union, and assistants drop a tool whose input is anyOf or oneOf; put it into a field of a struct, or leave MCP out of MethodOptions.Transports", t.in.typ)
		return
	default:
		in := t.in
		if in == nil {
			in = &shape{kind: kindObject, strict: t.strict}
		}
		t.input = x.schemaOf(in, schemaWriter{use: forToolInput, closed: t.closed}, t.beside...)
	}
	if own != nil || bytes.Contains(t.input, []byte(`"x-mcp-header"`)) {
		t.addHeaders(p, t.input, nil, true)
	}
}

// schemaOf returns the schema of s that w writes, of an input with more fields. Over MCP
// those of paths and queries are arguments too.
func (x *toolIndex) schemaOf(s *shape, w schemaWriter, more ...*field) []byte {
	key, isShared := schemaKey{s, w.use}, more == nil
	if text := x.schemas[key]; text != nil && isShared {
		return text
	}
	if w.use == forToolInput {
		s = s.onWire(more...)
	}
	text := w.appendSchema(nil, s, x.service.typeNames)
	if isShared {
		x.schemas[key] = text
	}
	return text
}

// allows reports whether a call may have an argument that the input does not have, which is
// at d.path: one of t.beside, or else what the schema or the options allow.
func (t *tool) allows(d *decoder, value []byte) bool {
	isHere := func(f *field) bool { return len(d.path) == 1 && d.path[0].token == "/"+f.name }
	switch {
	case slices.ContainsFunc(t.beside, isHere): // which exchange.readInput checks
	case t.strict:
		return false
	case t.options.InputSchema != nil:
		return allowsUnknown(t.input, d.path)
	default:
		return !t.closed
	}
	return true
}

// addArgument adds an argument that the input does not have.
func (t *tool) addArgument(name, doc string, optional bool, schema map[string]any) {
	t.suggest = append(t.suggest, newKnownNames([]string{name})...)
	t.beside = append(t.beside, &field{fieldName: fieldName{name: name}, fieldTexts: fieldTexts{doc: plainProse(doc)}, optional: optional, shape: &shape{kind: kindCustom, custom: schema}})
}

// allowsUnknown reports whether a JSON Schema allows the member at path, which the Go type does
// not have. It does not if the schema of the object has additionalProperties false, no
// patternProperties, and no such property. It allows what is behind other keywords than
// properties and items. The schema below allows /a and /a/x, and not /b:
//
//	{"properties":{"a":{}},"additionalProperties":false}
func allowsUnknown(schema []byte, path []step) bool {
	object, unescape := schema, strings.NewReplacer("~1", "/", "~0", "~")
	for _, s := range path {
		if object = schema; s.token == "" {
			schema = memberAt(schema, "items")
		} else {
			schema = memberAt(schema, "properties", unescape.Replace(s.token[1:]))
		}
	}
	return schema != nil || string(memberAt(object, "additionalProperties")) != "false" || memberAt(object, "patternProperties") != nil
}

// A contentProvider is an output that makes its own content for models. See
// [MCPContent].
type contentProvider interface{ MCPContent() []MCPContent }

// compileOutput decides the form of the result by the type of the output:
//
//	The method returns            content              structuredContent  outputSchema
//	----------------------------  -------------------  -----------------  ------------
//	no output                     the text "done"      none               none
//	a type with MCPContent        its blocks           none               none
//	a File                        a block of it        none               none
//	an object                     its JSON, as a text  the object         of the object
//	a list                        its JSON, as a text  {"items":[…]}      of that object
//	another JSON value            the JSON, as a text  {"result":…}       of that object
//	a stream                      its JSON, as a text  {"items":[…]}      of that object
//
// A tool with an output schema must return structured content (MCP 2025-06-18, Tools), and
// clients check that, so a type with blocks of its own has no schema. The text is for
// clients of earlier revisions, which do not know structured content.
func (t *tool) compileOutput(x *toolIndex) {
	switch {
	case t.out == nil:
	case t.sendsFile(), t.stream == "" && t.outType.Implements(reflect.TypeFor[contentProvider]()):
		t.ownContent = true
	default:
		whole := t.result
		if t.stream == "" && t.out.kind != kindObject && t.out.custom["type"] != "object" {
			if t.wrapper = "result"; t.out.kind == kindSlice {
				t.wrapper = "items" // as of a stream
			}
			whole = &shape{kind: kindObject, fields: []*field{{fieldName: fieldName{name: t.wrapper}, shape: t.result}}}
		}
		t.output = x.schemaOf(whole, schemaWriter{use: forToolOutput})
		if t.result.alternatives != nil { // the root must be an object here too
			t.output = append([]byte(`{"type":"object",`), t.output[1:]...)
		}
	}
}

// addObjects adds the objects of a list, those that the caller is shown. A panic of Show
// becomes an error.
func (x *exchange) addObjects(l *mcpList) (err error) {
	defer recoverTo(&err)
	x.addJSON(l.begin)
	x.ws.enc.buf = slices.Grow(x.ws.enc.buf, l.size)
	start := len(x.ws.enc.buf)
	for i, t := range l.tools {
		if show := x.h.options.Show; show != nil && !show(x, t.described) {
			continue
		}
		if len(x.ws.enc.buf) > start {
			x.addJSON(`,`)
		}
		x.ws.enc.buf = append(x.ws.enc.buf, l.texts[i]...)
	}
	x.addJSON(`]`)
	return nil
}

// describeTool returns the object that tools/list has for t. All revisions get the same
// members, since clients ignore unknown ones: annotations began with 2025-03-26, title and
// outputSchema with 2025-06-18. The verb implies hints: GET and QUERY are safe, and PUT and
// DELETE are idempotent (RFC 9110, section 9.2). Directories of servers require all hints,
// even those that have the default of the specification. The title is not there once more:
// it costs a model more than clients of 2025-03-26 would gain.
func (t *tool) describeTool() []byte {
	o := &t.options
	word, _, _ := strings.Cut(t.method.name, "_")
	adds := word == "create" || word == "add" || word == "new"
	destructive, openWorld := !t.readOnly && !adds, false
	idempotent := t.readOnly || t.route.isIdempotent() || t.keyUse() == KeyRequired
	m := openMembers(make([]byte, 0, len(t.input)+len(t.output)+512)) // most fit
	m.add("name", t.name, "title", o.Title, "description", t.about, "inputSchema", t.input, "outputSchema", t.output)
	m.addName("annotations")
	m.buf = fmt.Appendf(m.buf, `{"readOnlyHint":%t,"destructiveHint":%t,"idempotentHint":%t,"openWorldHint":%t}`,
		t.readOnly, *cmp.Or(o.Destructive, &destructive), *cmp.Or(o.Idempotent, &idempotent), *cmp.Or(o.OpenWorld, &openWorld))
	m.add("icons", encodeIcons(o.Icons), "_meta", t.meta)
	return m.close()
}

// The rules of x-mcp-header (MCP 2026-07-28, Tools). A property of an input schema with
// "x-mcp-header":"Region" tells clients to repeat the argument in the header
// Mcp-Param-Region, so that gateways can route a call without its body. Clients silently
// drop a tool whose schema breaks a rule, so tool.addHeader checks the rules when the
// handler is made. It reads the published schema, not the Go types: the server must expect
// exactly the headers that clients are told to send.

// A headerParam is an argument that a client repeats in a header of the request.
type headerParam struct {
	header string   // in canonical form, with the prefix "Mcp-Param-"
	path   []string // the names of the properties that lead to the argument; not empty
}

// addHeaders adds the headers in a part of the input schema, which can be anywhere in it,
// allowed or not. path has the properties that lead to the part. plain reports whether only
// properties lead to it: behind a list, an alternative or a reference the value has no
// fixed place in the arguments.
func (t *tool) addHeaders(p *mistakes, node []byte, path []string, plain bool) {
	eachMember(node, func(keyword, value []byte) { // of an object
		switch string(keyword) {
		case "default", "const", "enum", "examples", "example": // values, not schemas
		case "x-mcp-header":
			t.addHeader(p, node, path, plain)
		case "properties":
			eachMember(value, func(name, child []byte) {
				t.addHeaders(p, child, append(slices.Clip(path), string(name)), plain)
			})
		default:
			t.addHeaders(p, value, path, false)
		}
	})
	for _, child := range itemsOf(node) { // of a list
		t.addHeaders(p, child, path, false)
	}
}

// addHeader adds the header of a schema with x-mcp-header, or notes the rule that it breaks.
func (t *tool) addHeader(p *mistakes, node []byte, path []string, plain bool) {
	name, kind := textAt(node, "x-mcp-header"), textAt(node, "type")
	header := http.CanonicalHeaderKey("Mcp-Param-" + name)
	at := "the argument /" + strings.Join(path, "/")
	switch {
	case !isToken(name):
		p.addf("%s: the header name %q is not a token (RFC 9110, section 5.6.2); write letters, digits and -", at, name)
	case !plain || len(path) == 0:
		p.addf("%s: the header %q can carry what is always at one place, not what is in a list, a map or a type that contains itself", at, name)
	case kind != "string" && kind != "integer" && kind != "boolean":
		p.addf("%s: the header %q can carry a string, an integer or a boolean; a pointer must be optional (omitempty)", at, name)
	case slices.ContainsFunc(t.headers, func(other headerParam) bool { return other.header == header }):
		p.addf("%s: the header %q is there twice; names of headers do not differ by case", at, name)
	default:
		t.headers = append(t.headers, headerParam{header, path})
	}
}
