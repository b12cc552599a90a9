package svc

// This file makes the handler: it checks the options, makes tools, resources and prompts of methods,
// and the texts that are the same in every answer. All of it runs once. svc_mcp.go handles tools,
// resources and prompts at registration.

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

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
		always:    http.Header{exposedHeader: {"WWW-Authenticate, " + mcpExposed}},
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
	h.logLong()
	return h
}

// mcpExposed are the headers that MCP pages need in addition to the headers of CORS.
const mcpExposed = "Mcp-Session-Id, MCP-Protocol-Version"

// maxShown is how many characters of a description and of the instructions Claude Code shows to its model.
const maxShown = 2048

// logLong logs which texts are longer than maxShown, since no error ever says so.
func (h *mcpHandler) logLong() {
	var names []string
	if utf8.RuneCountInString(h.options.Instructions) > maxShown {
		names = append(names, "MCPOptions.Instructions")
	}
	for _, t := range h.lists["tools/list"].tools {
		if utf8.RuneCountInString(t.about) > maxShown {
			names = append(names, t.name)
		}
	}
	if names != nil {
		cmp.Or(h.service.opts.Logger, slog.Default()).Warn("svc: some hosts, such as Claude Code, cut descriptions of tools and instructions to 2048 characters",
			"longer", strings.Join(names, ", "))
	}
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
		serverInfo: membersOf(serverInfoName, serverInfo),
		modern:     membersOf("resultType", "complete", "_meta", object(serverInfoName, serverInfo)) + ",",
		initialize: membersOf("capabilities", h.capabilities(o.Extensions), "serverInfo", withIcons, "instructions", o.Instructions),
		discover: membersOf("resultType", "complete", "_meta", object(serverInfoName, withIcons), "supportedVersions",
			encodeDocument(newestRevision.datesUpTo()),
			"capabilities", h.capabilities(h.modernExtensions()), "ttlMs", ttl, "cacheScope", o.ListScope, "instructions", o.Instructions),
		cache: "," + membersOf("ttlMs", ttl, "cacheScope", o.ListScope),
	}
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
	var all []*tool
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
		all = append(all, t)
	}
	h.nameTools(all, named)
}

// nameTools sets what suggestions for unknown tools and prompts know: first those that exist, then
// what has another kind or is served elsewhere. named has all of them by their names.
func (h *mcpHandler) nameTools(all []*tool, named map[string]*tool) {
	h.names = make(map[string][]toolNames)
	elsewhere := toolNames{nil, h.service.knownElsewhere(TransportMCP)}
	for _, list := range []string{"tools/list", "prompts/list"} {
		var here, others []toolNames
		for _, t := range all {
			if instead := t.isOther(list); instead != "" {
				others = append(others, toolNames{t, t.knownNames(TransportMCP, `"`+t.name+`" `+instead)})
				continue
			}
			names := slices.DeleteFunc(t.knownNames(TransportMCP, ""), func(k knownName) bool { return named[k.text] != nil && named[k.text] != t })
			for i := range names {
				if t.isPrompt() { // its messages change nothing
					names[i].note = ""
				}
			}
			here = append(here, toolNames{t, names})
		}
		h.names[list] = append(append(here, others...), elsewhere)
	}
}

// isOther returns what t is if a list does not have it; "" if it does.
func (t *tool) isOther(list string) string {
	switch {
	case list == "tools/list" && t.isTool(), list == "prompts/list" && t.isPrompt():
		return ""
	case t.isPrompt():
		return "is a prompt; get it by prompts/get"
	case t.isTool():
		return "is a tool" + t.writeNote() + "; call it by tools/call"
	}
	return "is a resource; read " + t.mcp.URI + " by resources/read"
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
	t.readOnly = t.isReadOnly()
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
			t.keyUse() == KeyAllowed, readSchema([]byte(keySchema)))
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
	for keyword, value := range eachMember(schema) {
		switch string(keyword) {
		case "default", "const", ruleEnum, "examples", "required": // values, not schemas
		case "properties", "$defs":
			for name, child := range eachMember(value) {
				isTaken := len(name) <= 64 && isMadeOf(string(name), "_.-")
				c.addIf(!isTaken && string(keyword) == "properties",
					"the input has the member %q, and models take names of 1 to 64 letters, digits, _, . and - of ASCII; "+
						"%s, or leave MCP out of MethodOptions.Transports", clip(string(name), 100), remedy)
				c.checkMembers(t, child)
			}
		default:
			for _, child := range itemsOf(value) {
				c.checkMembers(t, child)
			}
			c.checkMembers(t, value)
		}
	}
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
	case slices.ContainsFunc(t.beside, isHere): // exchange.readText checks it
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
//	a type with MCPContent        its blocks           none, or with Structured as below
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
	case t.hasOwnContent() && !t.mcp.Structured:
		t.ownContent = true
	default:
		t.ownContent = t.mcp.Structured
		whole := t.result
		isObject := t.out.kind == kindObject || t.out.kind == kindMap || t.out.custom["type"] == "object"
		if (t.stream == "" || t.either) && !isObject {
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

// addResource adds t to the list of resources.
func (h *mcpHandler) addResource(t *tool) {
	h.resources = append(h.resources, t)
	list, uri := h.listOf("resources/list", "resources"), "uri"
	templates := h.listOf("resources/templates/list", "resourceTemplates") // it may be empty
	if t.mcp.uri.isTemplate() {
		list, uri = templates, "uriTemplate"
	}
	list.add(t, object(uri, t.mcp.URI, "name", t.name, "title", t.heading, "description", t.about,
		"mimeType", t.mediaType(), "icons", encodeIcons(t.mcp.Icons), "_meta", t.mcp.meta))
}

// addPrompt adds t to the list of prompts.
func (h *mcpHandler) addPrompt(t *tool) {
	arguments := [][]byte{} // not nil, since clients need the list
	if t.in != nil {
		for _, f := range t.in.fields {
			if !f.isNameless() {
				arguments = append(arguments,
					object("name", f.name, "description", f.doc.join("\n\n", f.shape.deref().valueList()).text,
						"required", strconv.AppendBool(nil, f.isRequired())))
			}
		}
	}
	h.prompts[t.name] = t
	h.listOf("prompts/list", "prompts").add(t, object("name", t.name, "title", t.heading, "description", t.about,
		"arguments", arguments, "icons", encodeIcons(t.mcp.Icons), "_meta", t.mcp.meta))
}

// checkExtensions adds the mistakes in Extensions and Methods.
func (o *MCPOptions) checkExtensions(p *mistakes) {
	for _, name := range slices.Sorted(maps.Keys(o.Extensions)) {
		text, ok := plainJSON(o.Extensions[name])
		p.addIf(!ok || !isJSONObject(text), "Extensions[%q] must be a JSON object, of its settings; write struct{}{} for none", name)
		vendor, rest, _ := strings.Cut(name, "/")
		p.addIf(vendor == "" || rest == "" || !isMetaName(name),
			"Extensions[%q]: the name of an extension has a vendor and a slash, such as example.com/skills; %s", name, metaNameForm)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Methods)) {
		group, rest, _ := strings.Cut(name, "/")
		isVisible := !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) // it is in a header too
		switch {
		case o.Methods[name] == nil:
			p.addf("Methods[%q] is nil", name)
		case isCoreMethod(name):
			p.addf("Methods[%q]: MCP has this method itself; name another one", name)
		case group == "notifications":
			p.addf("Methods[%q]: a notification gets no answer, so nothing calls it", name)
		case group == "" || rest == "" || !isVisible:
			p.addf("Methods[%q]: the name of a method is visible ASCII with a slash, such as events/list", name)
		}
	}
}

// compileExtensions returns the methods of the options by name.
func (s *service) compileExtensions(o *MCPOptions) map[string]extension {
	list := make(map[string]extension)
	shared := newConfig(nil, s.opts)
	for name, fn := range o.Methods {
		list[name] = extension{&method{config: shared, name: name, methodCallers: methodCallers{schemes: s.opts.Schemes}}, fn}
	}
	return list
}

// compileTasks sets h.tasks, and adds the mistakes of options that contradict them.
func (h *mcpHandler) compileTasks(p *mistakes) {
	h.tasks = make(map[string]*mcpTask)
	for _, t := range h.lists["tools/list"].tools {
		if t.task != nil {
			h.tasks[taskName(t.method)] = newMCPTask(t)
		}
	}
	if len(h.tasks) == 0 {
		return
	}
	o := &h.options
	p.where = "MCPOptions"
	p.addIf(o.StateKey == nil, "StateKey is nil, and a method has a Task, whose id every replica must be able to open; "+
		"write NewCursorKey with a secret that all have")
	_, own := o.Extensions[tasksExtension]
	p.addIf(own, "Extensions[%q]: svc has this extension itself where a method has a Task; drop it", tasksExtension)
	for _, name := range slices.Sorted(maps.Keys(o.Methods)) {
		p.addIf(strings.HasPrefix(name, "tasks/"),
			"Methods[%q]: svc has these methods itself where a method has a Task; name another one", name)
	}
}

// newMCPTask returns the task of t.
func newMCPTask(t *tool) *mcpTask {
	task := &mcpTask{start: t, read: &tool{method: t.task.reader}}
	if t.task.canceller != nil {
		task.cancel = &tool{method: t.task.canceller}
	}
	return task
}

// isCoreMethod reports whether MCP has the request itself, in either direction.
func isCoreMethod(name string) bool {
	_, ok := lookupRow(name)
	return ok && !strings.HasPrefix(name, "tasks/") || name == "elicitation/create" || name == "roots/list" ||
		name == "sampling/createMessage"
}
