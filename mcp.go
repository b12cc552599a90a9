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
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
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
	options    MCPOptions          // with defaults, but for ServerInfo
	cors       corsPolicy          // for options.AllowedOrigins
	tools      map[string]*tool    // by the name of the tool
	resources  []*tool             // with a URI
	prompts    map[string]*tool    // by the name of the prompt
	lists      map[string]*mcpList // by method, such as tools/list
	newest     *revision           // of MCPOptions.Newest
	unagreed   agreement           // the zero one, of requests over HTTP without a session
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

// MCP returns a handler for one path, such as /mcp, that serves every method as a tool by the Model
// Context Protocol, revisions 2024-11-05 to 2026-07-28. It takes POST requests, and any replica can
// answer any of them, with one exception: for clients before 2026-07-28, answers to questions and
// cancellations must reach the replica that runs the call. doc/questions.md says how.
//
// The name of a tool is resource_method, such as todos_get. Its arguments are the fields of the
// method's input by their JSON names, and its result is the output, or the blocks of
// [MCPContent]; the items of a [Stream] are collected in {"items":[…]}. An error of the method
// is a result with isError, so that the model can read it and try again.
//
// Requests from web pages get 403 unless [MCPOptions].AllowedOrigins lists their origin. The
// handler does not authenticate: put middleware in front of it, and let servers for local use
// listen on 127.0.0.1. Headers that a method adds to [Info].Header are not sent.
//
// MCP panics if the options, the name of a tool or a tag mcpheader are not valid. doc/tools.md has
// the rules of the tag, and doc/mcp.md says what each revision has.
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
	// Pages need WWW-Authenticate to log in. MCP does not use cookies, and for CORS a bearer token
	// is a header like any other, so credentials are off. GET and DELETE are allowed so that a page
	// gets their 405 and not a network error, and all headers, since Mcp-Param-* can have any name.
	// Some browsers keep the answer to a preflight request for two hours at most.
	h.cors = corsPolicy{
		origins:   newOriginSet(p, "MCPOptions.AllowedOrigins", o.AllowedOrigins),
		echo:      true,
		always:    http.Header{"Access-Control-Expose-Headers": {"WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version"}},
		preflight: http.Header{"Access-Control-Allow-Methods": {"POST, GET, DELETE, OPTIONS"}, "Access-Control-Max-Age": {"7200"}},
	}
	h.newest = revisionOf(cmp.Or(o.Newest, newestRevision.date))
	h.sessions = newMCPSessions(o.StateKey)
	h.messages.New = func() any { return newMessage() }
	h.compileTools(p)
	o.checkOptions(p)
	o.checkExtensions(p)
	h.compileTasks(p)
	p.panicIfAny("cannot serve " + s.opts.Name + " over MCP")
	h.texts = h.newTexts()
	h.extensions = s.compileExtensions(o)
	return h
}

// checkOptions adds the mistakes in options that are about no method. Defaults are set.
func (o *MCPOptions) checkOptions(p *mistakes) {
	p.where = "MCPOptions"
	p.addIf(o.ListScope != "private" && o.ListScope != "public", "ListScope is %q; write \"public\" or \"private\"", o.ListScope)
	p.addIf(o.Show != nil && o.ListScope == "public",
		"Show and ListScope \"public\": a cache would give the list of one caller to another; write \"private\"")
	p.addIf(o.ListTTL < 0, "ListTTL is negative")
	p.addIf(o.Newest != "" && revisionOf(o.Newest) == nil, "Newest is %q; write one of %s", o.Newest,
		strings.Join(newestRevision.datesUpTo(), ", "))
	p.addIf(o.MaxResult < 0, "MaxResult is negative")
	if err := checkIcons(o.ServerInfo.Icons); err != nil {
		p.addf("ServerInfo: %v", err)
	}
	p.addIf(o.StateKey != nil && len(o.StateKey.secrets) == 0, "StateKey has no key; make it with NewCursorKey")
}

// capabilities returns the object that declares the abilities of the server: calling tools, sending
// log messages during a call, and additions of methods and options. It declares neither listChanged
// nor subscribe, because lists never change and the server cannot notify clients.
func (h *mcpHandler) capabilities(extensions map[string]any) []byte {
	none := struct{}{}
	all := map[string]any{"logging": none, "tools": none}
	if len(h.prompts) > 0 {
		all["completions"], all["prompts"] = none, none
	}
	if len(h.resources) > 0 {
		all["completions"], all["resources"] = none, none
	}
	if len(extensions) > 0 {
		all["extensions"] = extensions
	}
	return encodeDocument(all)
}

// newTexts makes the texts of h. All defaults of its options are already set, except for
// ServerInfo.
func (h *mcpHandler) newTexts() mcpTexts {
	s, o := h.service, &h.options
	const inMeta = "io.modelcontextprotocol/serverInfo" // MCP 2026-07-28, Base Protocol
	info := MCPServerInfo{cmp.Or(o.ServerInfo.Name, s.opts.Name), cmp.Or(o.ServerInfo.Version, s.opts.Version), o.ServerInfo.Icons}
	withIcons := encodeDocument(info)
	info.Icons = nil // each result has the text below, and icons are large
	serverInfo := encodeDocument(info)
	ttl := strconv.AppendInt(nil, o.ListTTL.Milliseconds(), 10)
	membersOf := func(pairs ...any) string { // without braces: a result has more members
		text := object(pairs...)
		return string(text[1 : len(text)-1])
	}
	return mcpTexts{
		serverInfo: membersOf(inMeta, serverInfo),
		modern:     membersOf("resultType", "complete", "_meta", object(inMeta, serverInfo)) + ",",
		initialize: membersOf("capabilities", h.capabilities(o.Extensions), "serverInfo", withIcons, "instructions", o.Instructions),
		discover: membersOf("resultType", "complete", "_meta", object(inMeta, withIcons), "supportedVersions",
			encodeDocument(newestRevision.datesUpTo()),
			"capabilities", h.capabilities(h.modernExtensions()), "ttlMs", ttl, "cacheScope", o.ListScope, "instructions", o.Instructions),
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

// A tool is a method as MCP clients see it. At most one of output and ownContent is set.
// wrapper needs output: structuredContent must be a JSON object before MCP 2026-07-28, and
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

// A schemaKey stands for the schema that tools with one type share.
type schemaKey struct {
	of  *shape
	use schemaUse
}

// A toolCompiler compiles the tools of one handler.
type toolCompiler struct {
	*mistakes
	service *service
	schemas map[schemaKey][]byte
}

// compileTools makes the tools, resources and prompts of all methods, in one order of the
// methods, so that tools/list is the same each time (MCP 2026-07-28, Tools).
func (h *mcpHandler) compileTools(p *mistakes) {
	s, show := h.service, h.options.Show
	c := &toolCompiler{mistakes: p, service: s, schemas: make(map[schemaKey][]byte)}
	named := make(map[string]*tool)
	var describer *describer
	if show != nil {
		describer = s.newDescriber()
	}
	for _, m := range inSourceOrder(s.methodsOn(TransportMCP)) {
		p.where = m.title()
		t := &tool{method: m, name: m.toolName()}
		t.closed = !h.options.AllowUnknown
		if show != nil {
			t.described = describer.describeMethod(m)
		}
		c.compileTool(t)
		if other := named[t.name]; other != nil {
			p.addf("the tool would have the name %q, as %s does; set MethodOptions.MCP.Name of one", t.name, other.title())
		}
		named[t.name] = t
		h.addTool(t)
	}
}

// addTool adds t to the lists of its kinds.
func (h *mcpHandler) addTool(t *tool) {
	if t.isTool() {
		h.tools[t.name] = t
		h.listOf("tools/list", "tools").add(t, t.describeTool())
	}
	if t.isResource() {
		h.addResource(t)
	}
	if t.isPrompt() {
		h.addPrompt(t)
	}
}

// listOf returns the answer to a list method, and makes it at the first call. member is the member
// of the result.
func (h *mcpHandler) listOf(method, member string) *mcpList {
	if h.lists[method] == nil {
		h.lists[method] = &mcpList{begin: `"` + member + `":[`}
	}
	return h.lists[method]
}

// compileTool sets everything but the method, the name, closed and described of t.
func (c *toolCompiler) compileTool(t *tool) {
	wrong := wrongToolName(t.name)
	c.addIf(wrong != "", "the tool name %q %s; set MethodOptions.MCP.Name", clip(t.name, 100), wrong)
	isRead := t.route.isRead()
	t.readOnly = *cmp.Or(t.mcp.ReadOnly, &isRead)
	t.heading = cmp.Or(t.mcp.Title, t.summary())
	t.about = cmp.Or(t.mcp.Description, t.method.about.text, capitalized(strings.Join(splitWords(t.goName), " "))+" on "+t.resource+
		", a "+strings.TrimLeft(t.route.verb+" method of ", " ")+c.service.opts.Name+".")
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
	if t.closed || t.beside != nil || t.mcp.InputSchema != nil { // else the plan knows it, without an allocation
		t.allow = t.allows
	}
	c.compileInput(t)
	if t.isTool() && t.mcp.InputSchema == nil { // an InputSchema is published unchanged
		c.checkMembers(t, t.input)
	}
	c.compileOutput(t)
}

// compileInput sets the input schema and the headers that mirror its properties.
//
// The root must be an object with the plain "type":"object" in every revision
// (MCP 2024-11-05, Tools). Clients drop tools, or the whole list, otherwise.
func (c *toolCompiler) compileInput(t *tool) {
	switch {
	case t.mcp.InputSchema != nil:
		t.input, t.headers = t.mcp.InputSchema, t.mcp.headers
		return
	case t.in != nil && t.in.alternatives != nil:
		c.addf("the input %v is a union, and assistants drop a tool whose input is anyOf or oneOf; "+
			"put it into a field of a struct, or leave MCP out of MethodOptions.Transports", t.in.typ)
		return
	}
	in := t.in
	if in == nil {
		in = &shape{kind: kindObject, strict: t.strict}
	}
	t.input = c.schemaOf(in, schemaWriter{use: forToolInput}, t.beside...)
	if bytes.Contains(t.input, []byte(`"x-mcp-header"`)) {
		t.headers = readHeaderParams(c.mistakes, t.input)
	}
}

// checkMembers notes the names of members, anywhere in the input schema of t, that APIs of models do
// not take: they refuse every request of a host with such a tool.
func (c *toolCompiler) checkMembers(t *tool, schema []byte) {
	const remedy = "give the field another name in JSON, and the one of REST in its path, query or header tag"
	eachMember(schema, func(keyword, value []byte) {
		switch string(keyword) {
		case "default", "const", ruleEnum, "examples", "required": // values, not schemas
		case "properties", "$defs":
			eachMember(value, func(name, child []byte) {
				isTaken := len(name) <= 64 && isMadeOf(string(name), "_.-")
				c.addIf(!isTaken && string(keyword) == "properties",
					"the input has the member %q, and models take names of 1 to 64 letters, digits, _, . and - of ASCII; "+
						"%s, or leave MCP out of MethodOptions.Transports", clip(string(name), 100), remedy)
				c.checkMembers(t, child)
			})
		default:
			for _, child := range itemsOf(value) {
				c.checkMembers(t, child)
			}
			c.checkMembers(t, value)
		}
	})
}

// schemaOf returns the schema of s that w writes, of an input with more fields. Over MCP, fields
// from paths and queries are arguments too.
func (c *toolCompiler) schemaOf(s *shape, w schemaWriter, more ...*field) []byte {
	key, isShared := schemaKey{s, w.use}, more == nil
	if text := c.schemas[key]; text != nil && isShared {
		return text
	}
	if w.use == forToolInput {
		s = s.onWire(more...)
	}
	text := w.appendSchema(nil, s, c.service.typeNames)
	if w.use == forToolInput {
		text = appendToolSchema(nil, text)
	}
	if isShared {
		c.schemas[key] = text
	}
	return text
}

// allows reports whether a call may have the argument at d.path, which is not in the input: it is
// in t.beside, or the schema or the options allow it.
func (t *tool) allows(d *decoder, value []byte) bool {
	isHere := func(f *field) bool { return len(d.path) == 1 && d.path[0].token == "/"+f.name }
	switch {
	case slices.ContainsFunc(t.beside, isHere): // exchange.readInput checks it
	case t.strict:
		return false
	case t.mcp.InputSchema != nil:
		return allowsUnknown(t.input, d.path)
	default:
		return !t.closed
	}
	return true
}

// addArgument adds an argument that the input does not have.
func (t *tool) addArgument(name, doc string, optional bool, schema map[string]any) {
	t.suggest = append(t.suggest, newKnownNames([]string{name})...)
	t.beside = append(t.beside, &field{fieldName: fieldName{name: name}, fieldTexts: fieldTexts{doc: plainProse(doc)},
		optional: optional, shape: &shape{kind: kindCustom, custom: schema}})
}

// allowsUnknown reports whether a JSON Schema allows the member at path, which the Go type lacks.
// It does not if the schema of the object has additionalProperties false, but neither
// patternProperties nor this property. It allows everything behind keywords other than properties
// and items. The schema below allows /a and /a/x, and not /b:
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

// compileOutput decides the form of the result by the type of the output:
//
//	The method returns            content              structuredContent  outputSchema
//	----------------------------  -------------------  -----------------  ------------
//	no output                     the text "done"      none               none
//	a type with MCPContent        its blocks           none               none
//	a File                        a block of it        none               none
//	an object                     its JSON, as a text  the object         of the object
//	a list                        its JSON, as a text  {"items":[…]}      of this object
//	any other JSON value          its JSON, as a text  {"result":…}       of this object
//	a stream                      its JSON, as a text  {"items":[…]}      of this object
//	a ValueOrStream               as the value, or the stream              anyOf the two
//
// A tool with an output schema must return structured content (MCP 2025-06-18, Tools), and clients
// check this, so a type with its own blocks gets no schema. The text is for clients of earlier
// revisions, which do not know structured content.
func (c *toolCompiler) compileOutput(t *tool) {
	switch {
	case t.out == nil:
	case t.hasOwnContent():
		t.ownContent = true
	default:
		whole := t.result
		if (t.stream == "" || t.either) && t.out.kind != kindObject && t.out.custom["type"] != "object" {
			if t.wrapper = "result"; t.out.kind == kindSlice {
				t.wrapper = "items" // as of a stream
			}
			whole = &shape{kind: kindObject, fields: []*field{{fieldName: fieldName{name: t.wrapper}, shape: t.out}}}
			if t.either {
				whole = &shape{kind: kindObject, alternatives: []*shape{whole, t.result.alternatives[1]}}
			}
		}
		t.output = c.schemaOf(whole, schemaWriter{use: forToolOutput})
		if whole.alternatives != nil { // the root must be an object here too
			t.output = append([]byte(`{"type":"object",`), t.output[1:]...)
		}
	}
}

// addObjects adds the objects of a list that the caller is shown. A panic of Show becomes an error.
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

// describeTool returns the object for t in tools/list. All revisions get the same members, because
// clients ignore unknown ones: annotations began with 2025-03-26, title and outputSchema with
// 2025-06-18. The verb implies hints: GET and QUERY are safe, and PUT and DELETE are idempotent
// (RFC 9110, section 9.2). Directories of servers require all hints, even hints with the default of
// the specification. The annotations do not repeat the title: it would cost a model more than
// clients of 2025-03-26 would gain.
func (t *tool) describeTool() []byte {
	o := t.mcp
	word, _, _ := strings.Cut(t.method.name, "_")
	adds := word == "create" || word == "add" || word == "new"
	destructive, openWorld := !t.readOnly && !adds, false
	idempotent := t.readOnly || t.route.isIdempotent() || t.keyUse() == KeyRequired
	m := openMembers(make([]byte, 0, len(t.input)+len(t.output)+512)) // most fit
	m.add("name", t.name, "title", t.heading, "description", t.about, "inputSchema", t.input, "outputSchema", t.output)
	m.addName("annotations")
	m.buf = fmt.Appendf(m.buf, `{"readOnlyHint":%t,"destructiveHint":%t,"idempotentHint":%t,"openWorldHint":%t}`,
		t.readOnly, *cmp.Or(o.Destructive, &destructive), *cmp.Or(o.Idempotent, &idempotent), *cmp.Or(o.OpenWorld, &openWorld))
	m.add("icons", encodeIcons(o.Icons), "_meta", o.meta)
	return m.close()
}
