package svc

// This file serves methods as resources and as prompts. In this order: the options
// of both; their compilation, with the objects that lists have for them; URIs, which
// name resources; resources/read; prompts/get; and completion/complete, which clients
// call while their users fill in an argument.
//
// Tools are for models, resources for programs that put them in front of a model,
// and prompts for people who choose them (MCP 2025-11-25, Server Features). A method
// is called for all three in the same way; what differs is where its input comes
// from and what becomes of its output:
//
//	             Tool                Resource          Prompt
//	-----------  ------------------  ----------------  -------------------
//	input        params.arguments    parts of the URI  params.arguments, texts
//	output       structured content  contents          messages
//	NOT_FOUND    result, isError     error, -32602 *   error, -32603
//	a bad input  result, isError     error, -32602     error, -32602
//	other        result, isError     error, -32603     error, -32603
//
// * -32002 before 2026-07-28.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MCPResourceOptions makes a resource of a method that has an output and that GET serves:
// something to read, under a URI (MCP 2026-07-28, Resources). Its contents are the blocks of
// [MCPContent], or else the JSON of the output. doc/tools.md has more.
type MCPResourceOptions struct {
	// URI is the address, such as "todos://todos/{id}" or "todos://todos{?limit,cursor}" (RFC
	// 6570, level 1 and {?…}). A name in braces is the JSON name of a scalar field of the
	// input. The URI must have all required fields, and no other resource may have it.
	URI string
	// Title is the name that people see. Default: that of the tool.
	Title string
	// Description says what the resource is. Default: that of the method.
	Description string
	// MIMEType is the media type of texts. Default: "application/json", or "text/plain" for an
	// output with MCPContent. A File has the one of its tag, or its own.
	MIMEType string
	// TTL is how long clients may keep what they have read, for one user, from revision
	// 2026-07-28 on (MCP 2026-07-28, Caching), in whole milliseconds. It must not be negative.
	// Zero: not at all.
	TTL time.Duration
	// Icons are for people. Meta, which must be JSON, is sent as _meta, in lists and contents.
	Icons []MCPIcon
	Meta  map[string]any
	// NotTool says that the method is not a tool too.
	NotTool bool
	// Complete returns values for the argument that a user fills in, of those without an enum.
	Complete MCPCompleteFunc
}

// MCPPromptOptions makes a prompt of a method: messages that a person lets a client send to a
// model (MCP 2025-11-25, Prompts). The output must have a method [MCPContent], whose blocks are
// the messages. The fields of the input are the arguments, which must be scalars. A prompt is
// not a tool, and its method has no idempotency key.
type MCPPromptOptions struct {
	// Title is the name that people see. Default: that of the tool.
	Title string
	// Description says what the prompt is for. Default: that of the method.
	Description string
	// Icons are for people.
	Icons []MCPIcon
	// Complete returns values for the argument that a user fills in, of those without an enum.
	Complete MCPCompleteFunc
}

// An MCPCompleteFunc returns the values with which a user can go on (MCP 2026-07-28, Completion).
// It runs as a call of the method, with its caller and scopes; ctx and an error are as in one.
// Clients get the first 100 values, the best ones first; svc does not filter them.
type MCPCompleteFunc func(ctx context.Context, c MCPCompletion) ([]string, error)

// An MCPCompletion is what a user has typed so far.
type MCPCompletion struct {
	Argument  string            // the JSON name of the field, or the name in the URI
	Value     string            // what the argument begins with; "" at first
	Arguments map[string]string // the other ones that are known; nil for none
}

// A resource is a method that clients read by a URI.
type resource struct {
	*tool
	options MCPResourceOptions
	meta    []byte // MCPResourceOptions.Meta as JSON; nil for none
	uri     uriTemplate
}

// optionsByTool returns options by the tools that their keys name. what is the member of
// MCPOptions. An unknown key is a mistake. It goes over the keys in order, so that the
// mistakes have one order too.
func optionsByTool[O any](p *mistakes, x *toolIndex, what string, options map[string]O) map[*tool]O {
	byTool := make(map[*tool]O)
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if t := x.lookupTool(p, what, key); t != nil {
			byTool[t] = options[key]
		}
	}
	return byTool
}

// addResource makes a resource of t and adds it to its list.
func (h *mcpHandler) addResource(p *mistakes, t *tool, o MCPResourceOptions) {
	r := &resource{tool: t, options: o, uri: compileURI(p, o.URI), meta: encodeExtras(p, o.Meta, o.Icons)}
	t.uri = &r.uri
	r.checkResource(p)
	for _, other := range h.resources {
		p.addIf(other.options.URI == o.URI, "the resource has the URI of %s, %s", other.goName, o.URI)
	}
	h.resources = append(h.resources, r)
	list, uri := "resources/list", "uri"
	if r.uri.isTemplate() {
		list, uri = "resources/templates/list", "uriTemplate"
	}
	h.lists[list].add(t, object(uri, o.URI, "name", t.name, "title", cmp.Or(o.Title, t.options.Title),
		"description", cmp.Or(o.Description, t.about), "mimeType", r.mediaType(), "icons", encodeIcons(o.Icons), "_meta", r.meta))
}

// checkResource adds mistakes if the method of r cannot be a resource.
func (r *resource) checkResource(p *mistakes) {
	p.addIf(r.route.verb != http.MethodGet, "a resource is read by GET, and the method is a %s", r.route.verb)
	p.addIf(r.out == nil || r.stream != "", "a resource is one output, and the method has none or a stream")
	p.addIf(r.options.TTL < 0, "MCPResourceOptions.TTL is negative")
	for _, name := range slices.Concat(r.uri.names, r.uri.query) {
		if f := r.fieldNamed(name); f == nil || !f.shape.deref().kind.isScalar() {
			p.addf("the URI %s has {%s}, and the input has no scalar field of that name", r.options.URI, name)
		}
	}
	if r.in == nil || r.uri.pattern == nil {
		return
	}
	for _, f := range r.in.fields {
		p.addIf(f.isRequired() && !slices.Contains(r.uri.names, f.name), "the URI %s lacks {%s}, which the input requires", r.options.URI, f.name)
	}
}

// addPrompt makes a prompt of t and adds it to the list.
func (h *mcpHandler) addPrompt(p *mistakes, t *tool, o MCPPromptOptions) {
	p.addIf(!t.ownContent, "the messages of a prompt are blocks; give the output a method MCPContent() []svc.MCPContent")
	p.addIf(t.key != nil, "a prompt has no idempotency key; take MethodOptions.IdempotencyKey away, or the prompt")
	arguments := [][]byte{} // not nil, since clients need the list
	if t.in != nil {
		for _, f := range t.in.fields {
			p.addIf(!f.shape.deref().kind.isScalar(), "%s: the arguments of a prompt are texts, so they cannot be a %v", f.place, f.shape.typ)
			if !f.isNameless() {
				arguments = append(arguments, object("name", f.name, "description", f.doc.text, "required", strconv.AppendBool(nil, f.isRequired())))
			}
		}
	}
	encodeExtras(p, nil, o.Icons)
	t.complete = o.Complete
	t.purpose = cmp.Or(o.Description, t.about)
	h.prompts[t.name] = t
	h.lists["prompts/list"].add(t, object("name", t.name, "title", cmp.Or(o.Title, t.options.Title), "description", t.purpose,
		"arguments", arguments, "icons", encodeIcons(o.Icons)))
}

// fieldNamed returns the field of the input with a wire name, or nil.
func (t *tool) fieldNamed(name string) *field {
	if t.in == nil {
		return nil
	}
	for _, f := range t.in.fields {
		if f.name == name && !f.isNameless() {
			return f
		}
	}
	return nil
}

// A uriTemplate is the URI of a resource in parts: todos://lists/{list}/todos/{id}{?limit}
// has the names list and id, and limit in the query.
type uriTemplate struct {
	text         string         // as MCPResourceOptions has it
	pattern      *regexp.Regexp // of a URI without its query; a group for each name
	names, query []string
}

// isTemplate reports whether more than one URI fits.
func (u *uriTemplate) isTemplate() bool { return len(u.names)+len(u.query) > 0 }

// uriSyntax is the form of the URI of a resource: a scheme, names in braces with text
// between them, and parameters at the end.
const uriSyntax = `^[A-Za-z][A-Za-z0-9+.-]*://[^{} #]*(\{[^{} #?]+\}[^{} #]+)*(\{[^{} #?]+\})?(\{\?[^{} #?]+\})?$`

// compileURI splits the URI of a resource.
func compileURI(p *mistakes, text string) (u uriTemplate) {
	u.text = text
	if !regexp.MustCompile(uriSyntax).MatchString(text) {
		p.addf("MCPResourceOptions.URI is %q; write one such as todos://todos/{id} or todos://todos{?limit,cursor}, with text between names in braces and parameters at the end", text)
		return u
	}
	path, params, ok := strings.Cut(text, "{?")
	if ok {
		u.query = strings.Split(strings.TrimSuffix(params, "}"), ",")
	}
	pattern := regexp.QuoteMeta(path)
	for _, name := range regexp.MustCompile(`\{[^{}]*\}`).FindAllString(path, -1) {
		u.names = append(u.names, strings.Trim(name, "{}"))
		// A value is one segment, and ends where the text after it first fits.
		pattern = strings.Replace(pattern, regexp.QuoteMeta(name), "([^/?#]+?)", 1)
	}
	u.pattern = regexp.MustCompile("^" + pattern + "$")
	return u
}

// matchURI returns the decoded values of a URI by name, or false if the URI does not match.
// A value that could lead out of a folder does not match, since a method may use it as the
// name of a file.
func (u *uriTemplate) matchURI(uri string) (map[string]string, bool) {
	values := make(map[string]string)
	if len(u.query) > 0 {
		before, params, _ := strings.Cut(uri, "?")
		parsed, err := url.ParseQuery(params)
		if err != nil {
			return nil, false
		}
		for name, list := range parsed {
			if !slices.Contains(u.query, name) || len(list) != 1 || !utf8.ValidString(list[0]) || leadsOut(list[0]) {
				return nil, false
			}
			values[name] = list[0]
		}
		uri = before
	}
	found := u.pattern.FindStringSubmatch(uri)
	if found == nil {
		return nil, false
	}
	for i, name := range u.names {
		value, err := url.PathUnescape(found[i+1])
		if err != nil || !utf8.ValidString(value) || leadsOut(value) {
			return nil, false
		}
		values[name] = value
	}
	return values, true
}

// expand returns the URI with the values that arguments, a JSON object, have for its names. It
// reports false if resources/read would not take it, as where the path lacks a value.
func (u *uriTemplate) expand(arguments []byte) (string, bool) {
	uri, _, _ := strings.Cut(u.text, "{?")
	valueOf := func(name string) string {
		value := memberAt(arguments, name)
		if isJSONNull(value) {
			return ""
		}
		return textOr(string(value))
	}
	for _, name := range u.names {
		uri = strings.Replace(uri, "{"+name+"}", url.PathEscape(valueOf(name)), 1)
	}
	before := "?"
	for _, name := range u.query {
		if value := valueOf(name); value != "" {
			uri += before + url.QueryEscape(name) + "=" + url.QueryEscape(value)
			before = "&"
		}
	}
	_, ok := u.matchURI(uri)
	return uri, ok
}

// leadsOut reports whether a value has a dot segment (RFC 3986, section 5.2.4), or a NUL,
// which ends the name of a file in C. A backslash divides segments too, as in paths of
// Windows, and so does a slash that was sent as %2F.
func leadsOut(value string) bool {
	segments := strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(segments, ".") || slices.Contains(segments, "..") || strings.Contains(value, "\x00")
}

// textValue returns a text as the JSON value of a field: a number, a boolean or a string. A
// text that is not a number becomes a string, and the decoder finds the violation.
func textValue(f *field, text string) []byte {
	if f != nil && !f.quoted {
		switch kind := f.shape.deref().kind; {
		case kind == kindBool && (text == "true" || text == "false"):
			return []byte(text)
		case kind.isNumeric():
			if num, ok := jsonNumber(text); ok {
				return num
			}
		}
	}
	return appendQuoted(nil, text)
}

// mediaType returns the media type of the texts of r; "" if each File has its own.
func (r *resource) mediaType() string {
	switch {
	case r.sendsFile() && len(r.out.file.tags.types) == 1:
		return r.out.file.tags.types[0]
	case r.sendsFile():
		return r.options.MIMEType
	case r.options.MIMEType == "" && r.ownContent:
		return "text/plain"
	}
	return cmp.Or(r.options.MIMEType, contentTypeJSON)
}

// answerRead answers resources/read. A resource that does not exist is an error (MCP
// 2026-07-28, Resources).
func (x *exchange) answerRead(m *message) error {
	asked := memberAt(m.params, "uri")
	uri, e := x.readName(asked, "uri")
	if e != nil {
		return e
	}
	r, values := x.h.lookupResource(string(uri))
	if r == nil {
		return x.notFound(asked, "there is no resource of this URI")
	}
	args := openMembers(nil)
	for _, name := range slices.Concat(r.uri.names, r.uri.query) {
		if value, ok := values[name]; ok {
			args.addRaw(name, textValue(r.fieldNamed(name), value))
		}
	}
	m.tool, m.arguments = r.tool, args.close()
	return x.callTool(m, func(x *exchange, out any) error { return x.addContents(r, asked, out) })
}

// lookupResource returns the resource of a URI and the values in it, or nil. Resources
// without braces come before templates; templates are tried in the order of the list.
func (h *mcpHandler) lookupResource(uri string) (found *resource, values map[string]string) {
	for _, r := range h.resources {
		if v, ok := r.uri.matchURI(uri); ok && (found == nil || !r.uri.isTemplate()) {
			found, values = r, v
		}
	}
	return found, values
}

// addContents adds what a resource has returned to the result: the blocks of
// MCPContent, or the JSON of the output as one text.
//
//	Block                 Contents
//	--------------------  -------------------------------
//	text, link            uri as asked, mimeType, text
//	image, audio          uri as asked, mimeType, blob
//	resource              its own uri, mimeType?, text or blob
//
// The scope of a cache is always private, since nothing says that a method answers all
// callers alike.
func (x *exchange) addContents(r *resource, uri []byte, out any) error {
	var content []MCPContent
	var err error
	if r.ownContent {
		content, err = x.contentOf(out)
	} else {
		var text []byte
		begun := x.ws.enc.buf
		text, err = appendRecord(&x.ws.enc, nil, out, r.encode)
		x.ws.enc.buf, content = begun, []MCPContent{{Text: string(text)}}
	}
	switch {
	case err != nil:
		return err
	case len(content) == 0:
		return errors.New("MCPContent returned no blocks, and a resource needs one")
	}
	x.addJSON(`"contents":`)
	err = x.addBlocks(content, func(dst []byte, c *MCPContent) ([]byte, error) {
		meta, err := c.metaWith(r)
		c.becomeContents(textAt(uri), r)
		return c.appendContents(dst, meta), err
	})
	if x.rev.typed {
		x.addJSON(`,"ttlMs":` + strconv.FormatInt(r.options.TTL.Milliseconds(), 10) + `,"cacheScope":"private"`)
	}
	return err
}

// becomeContents changes a block into the contents of r, which was read by uri.
func (c *MCPContent) becomeContents(uri string, r *resource) {
	switch c.Type {
	case "resource":
		if !r.sendsFile() {
			return
		}
	case "image", "audio":
		if c.Data == nil {
			c.Data = []byte{} // nil would be a text
		}
	case "resource_link":
		c.Data, c.MIMEType, c.Text = nil, "text/plain", c.Name+": "+c.URI
	default:
		c.Data, c.MIMEType = nil, r.mediaType()
	}
	c.URI = uri
}

// metaWith returns the _meta of a block that is contents of r: the keys of both, and those
// of the block for keys that both have.
func (c *MCPContent) metaWith(r *resource) ([]byte, error) {
	if len(c.Meta) == 0 {
		return r.meta, nil
	}
	all := make(map[string]any)
	maps.Copy(all, r.options.Meta)
	maps.Copy(all, c.Meta)
	return encodeMeta(all)
}

// answerPrompt answers prompts/get.
func (x *exchange) answerPrompt(m *message) error {
	name, e := x.readName(m.name, "name")
	if e != nil {
		return e
	}
	t := x.h.prompts[string(name)]
	if t == nil {
		return x.unknownName("prompts/list", "prompt", string(name))
	}
	args := openMembers(nil)
	eachMember(m.arguments, func(name, given []byte) {
		if isText(given) {
			given = textValue(t.fieldNamed(string(name)), textAt(given))
		}
		args.addRaw(string(name), given)
	})
	m.tool, m.arguments = t, args.close()
	return x.callTool(m, (*exchange).addMessages)
}

// addMessages adds what a prompt has returned to the result.
func (x *exchange) addMessages(out any) error {
	content, err := x.contentOf(out)
	if err != nil {
		return err
	}
	x.addJSON(`"description":`)
	x.ws.enc.buf = appendQuoted(x.ws.enc.buf, x.message.tool.purpose)
	x.addJSON(`,"messages":`)
	return x.addBlocks(content, func(dst []byte, c *MCPContent) ([]byte, error) {
		dst, err := x.appendBlock(append(dst, `{"role":"user","content":`...), c)
		return append(dst, '}'), err
	})
}

// notFound returns the error for a resource that does not exist. uri is that of the
// request, as JSON.
func (x *exchange) notFound(uri []byte, text string) *mcpError {
	e := protocolError(x.rev.notFound, text)
	e.data = append(append([]byte(`{"uri":`), uri...), '}')
	return e
}

// maxCompletions is how many values one answer may have (MCP 2025-11-25,
// Completion).
const maxCompletions = 100

// answerComplete answers completion/complete with the values of the argument's enum that
// begin with what the user has typed, or with those of an [MCPCompleteFunc]. Other arguments have
// no completions. There is no next page, so the user finds values after the first hundred by
// typing on.
func (x *exchange) answerComplete(m *message) error {
	ref, argument := memberAt(m.params, "ref"), memberAt(m.params, "argument")
	if !isJSONObject(ref) || !isJSONObject(argument) {
		return protocolError(rpcInvalidParams, "params.ref and params.argument are required and must be objects")
	}
	t, complete := x.h.lookupReferred(ref)
	if t == nil {
		return protocolError(rpcInvalidParams, "params.ref names no prompt and no resource of this server")
	}
	c := MCPCompletion{Argument: textAt(argument, "name"), Value: textAt(argument, "value")}
	f := t.fieldNamed(c.Argument)
	if f == nil {
		return x.answerCompletion([]string{})
	}
	if enum := f.shape.deref().rules.lookup(roleValues); enum != nil || complete == nil {
		return x.answerCompletion(enum.textsWith(c.Value))
	}
	eachMember(memberAt(m.params, "context", "arguments"), func(name, value []byte) {
		if c.Arguments == nil {
			c.Arguments = make(map[string]string)
		}
		if isText(value) {
			c.Arguments[string(name)] = string(textOf(value))
		}
	})
	m.tool = t
	return x.callFunc(m, t.method, func() error {
		values, err := complete(x, c)
		if err != nil {
			return err
		}
		return x.answerCompletion(values)
	})
}

// textsWith returns the values of an enum that begin with typed, as texts. r may be nil.
func (r *rule) textsWith(typed string) []string {
	texts := []string{}
	if r != nil {
		for _, value := range itemsOf(r.value) {
			if text := textOr(string(value)); strings.HasPrefix(text, typed) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// answerCompletion makes the result with these values, or the first of them. It returns nil.
func (x *exchange) answerCompletion(values []string) error {
	total := len(values)
	values = append([]string{}, values[:min(total, maxCompletions)]...) // not nil, since clients need the list
	x.openResult()
	x.addJSON(fmt.Sprintf(`"completion":{"values":%s,"total":%d,"hasMore":%t}`, encodeDocument(values), total, total > maxCompletions))
	return nil
}

// lookupReferred returns the prompt or the resource that a client refers to, or nil, and its
// function that completes arguments, if it has one.
func (h *mcpHandler) lookupReferred(ref []byte) (*tool, MCPCompleteFunc) {
	switch textAt(ref, "type") {
	case "ref/prompt":
		if t := h.prompts[textAt(ref, "name")]; t != nil {
			return t, t.complete
		}
	case "ref/resource":
		uri := textAt(ref, "uri")
		if i := slices.IndexFunc(h.resources, func(r *resource) bool { return r.options.URI == uri }); i >= 0 {
			return h.resources[i].tool, h.resources[i].options.Complete
		}
	}
	return nil, nil
}
