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
//
// This file makes tools of methods, once, when the handler is made: their names,
// what models and people are told of them, and their schemas.
//
// This file decides which properties of a tool's input an HTTP header mirrors:
// those that x-mcp-header marks in its JSON Schema, by the tag mcpheader or in a
// schema that the author wrote. It reads the schema as published, so that the
// server expects exactly the headers that clients are told to send.

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
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
	endpoint
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
	p := new(mistakes)
	h := &mcpHandler{
		endpoint: s.endpoint(TransportMCP),
		origins:  newOriginPolicy(p, o.AllowedOrigins),
		invoke:   o.Invoke,
		tools:    make(map[string]*tool),
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
		panic(p.err("serve " + s.name + " over MCP").Error())
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
	name.addText("name", info.Name)
	name.addText("version", info.Version)
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
		discover:   `"supportedVersions":` + string(appendRevisions(nil)) + `,` + mcpCapabilities + `,` + cache + instructions,
		list:       string(list),
		listModern: string(list) + `,` + cache,
	}
}

// maxToolName is the longest name that all big model APIs take. MCP itself
// advises to stay below 129 characters.
const maxToolName = 64

// A tool is a method as MCP has it.
type tool struct {
	*method
	name       string // resource_method
	about      string // the description, never empty
	options    ToolOptions
	input      []byte        // its JSON Schema
	output     []byte        // nil if the result has no structured content
	headers    []headerParam // that mirror arguments
	required   []byte        // the capabilities that a client must have, as MCP spells them; nil for none
	ownContent bool          // the output brings its own content
	wrapped    bool          // the output is no JSON object and goes into {"result":…}
}

// compileTools makes the tools of all methods, in the order of the methods.
func compileTools(p *mistakes, s *Service, options map[string]ToolOptions) []*tool {
	tools := make([]*tool, len(s.methods))
	byName := make(map[string]*tool)
	goNames := make(map[string]int)
	for i, m := range s.methods {
		t := &tool{method: m, name: m.resource + "_" + m.name}
		p.where = m.goName
		if other := byName[t.name]; other != nil {
			p.addf("the tool would have the name %q, as %s does; rename one", t.name, other.goName)
		}
		byName[t.name] = t
		goNames[m.goName]++
		tools[i] = t
	}
	p.where = "MCPOptions"
	for _, key := range sortedKeys(options) {
		switch {
		case byName[key] != nil || goNames[key] == 1:
		case goNames[key] > 1:
			p.addf("Tools[%q]: %d methods have that name; write the name of the tool", key, goNames[key])
		default:
			p.addf("Tools[%q]: %s has no method of that name", key, s.name)
		}
	}
	for _, t := range tools {
		o, ok := options[t.name]
		if !ok {
			o = options[t.goName]
		}
		p.where = t.goName
		t.compileTool(p, o, s.name)
	}
	return tools
}

// compileTool fills in t, a tool of the named service.
func (t *tool) compileTool(p *mistakes, o ToolOptions, service string) {
	if len(t.name) > maxToolName {
		p.addf("the tool name %q is longer than %d characters, which many models refuse; shorten the method's or the resource's", t.name, maxToolName)
	}
	for _, r := range t.name {
		if r >= 0x80 {
			p.addf("the tool name %q has other characters than letters, digits, - and _ of ASCII; rename the method", t.name)
			break
		}
	}
	t.options = o
	if t.options.Title == "" {
		t.options.Title = capitalized(strings.Join(splitWords(t.goName), " "))
	}
	t.about = t.description
	if t.about == "" { // a model that knows no more than a name guesses
		t.about = t.options.Title + " on " + t.resource + ", a " + t.route.method + " method of " + service + "."
	}
	t.compileInput(p, o.InputSchema)
	t.compileOutput()
	if len(o.RequiredCapabilities) > 0 {
		m := openMembers(nil)
		for _, name := range o.RequiredCapabilities {
			m.addRaw(name, "{}")
		}
		t.required = m.close()
	}
}

// compileInput decides the input schema: the author's own, or the input's.
func (t *tool) compileInput(p *mistakes, own []byte) {
	switch {
	case own != nil:
		var root struct {
			Type string `json:"type"`
		}
		s := scanner{data: own}
		s.skipValue()
		if s.checkEnd(); s.err != nil {
			p.addf("InputSchema is not JSON: %v", s.err)
			return
		}
		if json.Unmarshal(own, &root) != nil || root.Type != "object" {
			p.addf(`InputSchema must be an object with "type":"object"`)
			return
		}
		var buf bytes.Buffer
		json.Compact(&buf, own) // it is JSON
		t.input = buf.Bytes()
	case t.in == nil:
		t.input = []byte(`{"type":"object","additionalProperties":false}`)
	default:
		fields := make([]*field, len(t.in.fields))
		for i, f := range t.in.fields {
			shown := *f
			shown.hidden = false // a path or query field is an argument like any other
			fields[i] = &shown
		}
		t.input = appendSelfContainedObject(nil, t.in, fields, schemaWriter{forTools: true})
	}
	t.headers = findHeaderParams(p, t.input)
}

// A contentProvider is an output that says itself what a model gets to see.
type contentProvider interface{ MCPContent() []MCPContent }

// compileOutput decides what the result looks like.
func (t *tool) compileOutput() {
	switch {
	case t.out == nil:
	case t.stream == "" && t.outType.Implements(reflect.TypeFor[contentProvider]()):
		t.ownContent = true
	default:
		t.output = appendSelfContained(nil, t.result, schemaWriter{forTools: true})
		if t.stream != "" {
			return
		}
		if t.out.kind != kindObject && t.out.custom["type"] != "object" {
			t.wrapped = true
			t.output = append(append([]byte(`{"type":"object","properties":{"result":`), t.output...), `},"required":["result"]}`...)
		}
	}
}

// appendTools appends the list of tools.
func appendTools(dst []byte, tools []*tool) []byte {
	dst = append(dst, '[')
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendTool(dst)
	}
	return append(dst, ']')
}

// appendTool appends the tool as clients see it.
func (t *tool) appendTool(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("name", t.name)
	m.addText("title", t.options.Title)
	m.addText("description", t.about)
	m.addRaw("inputSchema", string(t.input))
	if t.output != nil {
		m.addRaw("outputSchema", string(t.output))
	}
	m.addName("annotations")
	m.buf = t.appendAnnotations(m.buf)
	return m.close()
}

// appendAnnotations appends all hints, also those with the value that they have
// by default: directories of servers want them said.
func (t *tool) appendAnnotations(dst []byte) []byte {
	verb := t.route.method
	readOnly := boolOr(t.options.ReadOnly, verb == http.MethodGet)
	m := openMembers(dst)
	m.addText("title", t.options.Title)
	for _, hint := range [...]struct {
		name  string
		value bool
	}{
		{"readOnlyHint", readOnly},
		{"destructiveHint", boolOr(t.options.Destructive, !readOnly)},
		{"idempotentHint", boolOr(t.options.Idempotent, readOnly || verb == http.MethodPut || verb == http.MethodDelete)},
		{"openWorldHint", boolOr(t.options.OpenWorld, false)},
	} {
		m.addRaw(hint.name, strconv.FormatBool(hint.value))
	}
	return m.close()
}

// boolOr returns what p points to, boolOr def if p is nil.
func boolOr(p *bool, def bool) bool {
	if p == nil {
		return def
	}
	return *p
}

// A headerParam is a property whose value a client repeats in a header of the
// request (MCP 2026-07-28, Tools, x-mcp-header).
type headerParam struct {
	header string   // in canonical form, with the prefix "Mcp-Param-"
	path   []string // the names of the properties that lead to the value
}

// findHeaderParams returns the header parameters of a JSON Schema, and notes those
// that MCP does not allow: clients would drop the whole tool without a word.
func findHeaderParams(p *mistakes, text []byte) []headerParam {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		p.addf("the input schema is not JSON: %v", err)
		return nil
	}
	w := headerWalk{mistakes: p}
	w.visitSchema(root, nil, true)
	return w.found
}

// A headerWalk visits every place of a schema where x-mcp-header could be.
type headerWalk struct {
	*mistakes
	found []headerParam
}

// visitSchema visits one visitSchema. An object's own properties can be marked; what a
// reference, a list or an alternative leads to has no place of its own in the
// arguments.
func (w *headerWalk) visitSchema(node any, path []string, plain bool) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			w.visitSchema(child, path, false)
		}
	case map[string]any:
		w.addHeader(node, path, plain)
		for _, keyword := range slices.Sorted(maps.Keys(node)) {
			switch keyword {
			case "default", "const", "enum", "examples", "example", "x-mcp-header": // values, not schemas
			case "properties":
				children, _ := node[keyword].(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(children)) {
					w.visitSchema(children[name], append(slices.Clip(path), name), plain)
				}
			default:
				w.visitSchema(node[keyword], path, false)
			}
		}
	}
}

// addHeader takes the x-mcp-header of one schema, if it has one.
func (w *headerWalk) addHeader(node map[string]any, path []string, plain bool) {
	value, marked := node["x-mcp-header"]
	if !marked {
		return
	}
	name, _ := value.(string)
	kind, _ := node["type"].(string)
	header := http.CanonicalHeaderKey("Mcp-Param-" + name)
	at := "/" + strings.Join(path, "/")
	switch {
	case !isToken(name):
		w.addf("%s: the header name %q is not a token (RFC 9110, section 5.6.2)", at, name)
	case !plain || len(path) == 0:
		w.addf("%s: the header %q can carry what is always at one place, not what is in a list, a map or a type that contains itself", at, name)
	case kind != "string" && kind != "integer" && kind != "boolean":
		w.addf("%s: the header %q can carry a string, an integer or a boolean; a pointer must be optional (omitempty)", at, name)
	case slices.ContainsFunc(w.found, func(p headerParam) bool { return p.header == header }):
		w.addf("%s: the header %q is there twice", at, name)
	default:
		w.found = append(w.found, headerParam{header, path})
	}
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isDigit(c) && !('a' <= c|0x20 && c|0x20 <= 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
