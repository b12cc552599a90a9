package svc

// This file serves methods as resources and as prompts. In this order: the options of both; their
// compilation, with their objects in lists; URIs, which name resources; resources/read;
// prompts/get; and completion/complete, which clients call while their users fill in an argument.
//
// Tools are for models, resources for programs that put them in front of a model, and prompts for
// people who choose them (MCP 2025-11-25, Server Features). All three call a method in the same
// way. They differ in the source of its input and the use of its output:
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
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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

// mediaType returns the media type of the texts of a resource; "" if each File sets its own.
func (t *tool) mediaType() string {
	switch {
	case t.sendsFile() && len(t.out.file.tags.types) == 1:
		return t.out.file.tags.types[0]
	case t.sendsFile():
		return t.mcp.MIMEType
	case t.mcp.MIMEType == "" && t.ownContent:
		return "text/plain"
	}
	return cmp.Or(t.mcp.MIMEType, contentTypeJSON)
}

// answerRead answers resources/read. A resource that does not exist is an error (MCP
// 2026-07-28, Resources).
func (x *exchange) answerRead() error {
	m := x.message
	asked := memberAt(m.params, "uri")
	uri, e := x.readName(asked, "uri")
	if e != nil {
		return e
	}
	t, values := x.h.lookupResource(string(uri))
	if t == nil {
		return x.notFound(asked, "there is no resource of this URI")
	}
	args := openMembers(nil)
	for _, name := range slices.Concat(t.mcp.uri.names, t.mcp.uri.query) {
		if value, ok := values[name]; ok {
			args.addRaw(name, textValue(t.fieldNamed(name), value))
		}
	}
	m.tool, m.arguments = t, args.close()
	return x.callTool(func(x *exchange, out any) error { return x.addContents(t, asked, out) })
}

// lookupResource returns the resource of a URI and the values in it, or nil. Resources
// without braces come before templates; templates are tried in the order of the list.
func (h *mcpHandler) lookupResource(uri string) (found *tool, values map[string]string) {
	for _, t := range h.resources {
		if v, ok := t.mcp.uri.matchURI(uri); ok && (found == nil || !t.mcp.uri.isTemplate()) {
			found, values = t, v
		}
	}
	return found, values
}

// addContents adds the contents of a resource to the result: the blocks of MCPContent, or the JSON
// of the output as one text.
//
//	Block                 Contents
//	--------------------  -------------------------------
//	text, link            uri as asked, mimeType, text
//	image, audio          uri as asked, mimeType, blob
//	resource              its own uri, mimeType?, text or blob
//
// The cache scope is always private, because svc cannot know whether a method gives all callers the
// same answer.
func (x *exchange) addContents(t *tool, uri []byte, out any) error {
	var content []MCPContent
	var err error
	if t.ownContent {
		content, err = x.contentOf(out)
	} else {
		var text []byte
		begun := x.ws.enc.buf
		text, err = appendRecord(&x.ws.enc, nil, out, t.encode)
		x.ws.enc.buf, content = begun, []MCPContent{{Text: string(text)}}
	}
	switch {
	case err != nil:
		return err
	case len(content) == 0:
		return errors.New("MCPContent returned no blocks, and a resource needs one")
	}
	if err = x.addResultMeta(out); err != nil {
		return err
	}
	x.addJSON(`"contents":`)
	err = x.addBlocks(content, 0, func(dst []byte, c *MCPContent) ([]byte, error) {
		meta, err := x.metaWith(c, t)
		c.becomeContents(textAt(uri), t)
		return c.appendContents(dst, meta), err
	})
	if x.rev.typed {
		x.addJSON(`,"ttlMs":` + strconv.FormatInt(t.mcp.TTL.Milliseconds(), 10) + `,"cacheScope":"private"`)
	}
	return err
}

// becomeContents changes a block into the contents of t, which was read by uri.
func (c *MCPContent) becomeContents(uri string, t *tool) {
	switch c.Type {
	case "resource":
		if !t.sendsFile() {
			return
		}
	case "image", "audio":
		if c.Data == nil {
			c.Data = []byte{} // nil would be a text
		}
	case "resource_link":
		c.Data, c.MIMEType, c.Text = nil, "text/plain", c.Name+": "+c.URI
	default:
		c.Data, c.MIMEType = nil, t.mediaType()
	}
	c.URI = uri
}

// metaWith returns the _meta of a block that is part of the contents of t: the keys of both. Keys
// of the block take precedence.
func (x *exchange) metaWith(c *MCPContent, t *tool) ([]byte, error) {
	if len(c.Meta) == 0 {
		return t.mcp.meta, nil
	}
	all := make(map[string]any)
	maps.Copy(all, t.mcp.Meta)
	maps.Copy(all, x.allowedMeta("MCPContent.Meta", c.Meta))
	return encodeMeta(all)
}

// answerPrompt answers prompts/get.
func (x *exchange) answerPrompt() error {
	m := x.message
	name, e := x.readName(m.name, "name")
	if e != nil {
		return e
	}
	t := x.h.prompts[string(name)]
	if t == nil {
		return x.unknownName("prompts/list", "prompt", string(name))
	}
	if e := m.checkPlace(t); e != nil {
		return e
	}
	m.tool, m.arguments = t, t.promptArguments(m.arguments)
	return x.callTool((*exchange).addMessages)
}

// promptArguments returns the input of the prompt t in arguments. Clients show a form, and send an empty
// text for each field that their user has left empty: for an optional argument it is its absence. Some
// send the argument input to a prompt that has no arguments.
func (t *tool) promptArguments(arguments []byte) []byte {
	m := openMembers(nil)
	for name, given := range eachMember(arguments) {
		f := t.fieldNamed(string(name))
		switch {
		case f != nil && !f.isRequired() && isEmptyText(given), t.in == nil && string(name) == "input":
			continue
		case isText(given):
			given = textValue(f, textAt(given))
		}
		m.addRaw(string(name), given)
	}
	return m.close()
}

// addMessages adds the messages of a prompt to the result.
func (x *exchange) addMessages(out any) error {
	content, err := x.contentOf(out)
	if err == nil {
		err = x.addResultMeta(out)
	}
	if err != nil {
		return err
	}
	x.addJSON(`"description":`)
	x.ws.enc.buf = appendQuoted(x.ws.enc.buf, x.message.tool.about)
	x.addJSON(`,"messages":`)
	return x.addBlocks(content, 0, func(dst []byte, c *MCPContent) ([]byte, error) {
		dst, err := x.appendBlock(append(dst, `{"role":"user","content":`...), c)
		return append(dst, '}'), err
	})
}

// maxCompletions is the maximum number of values in one answer (MCP 2025-11-25, Completion).
const maxCompletions = 100

// answerComplete answers completion/complete with the values of the argument's enum that begin with
// the user's text, or with the values of an [MCPCompleteFunc]. Other arguments have no completions.
// There is no next page: after the first hundred values, the user has to type on.
func (x *exchange) answerComplete() error {
	m := x.message
	ref, argument := memberAt(m.params, "ref"), memberAt(m.params, "argument")
	if !isJSONObject(ref) || !isJSONObject(argument) {
		return protocolError(rpcInvalidParams, "params.ref and params.argument are required and must be objects")
	}
	t := x.h.lookupReferred(ref)
	if t == nil {
		return protocolError(rpcInvalidParams, "params.ref names no prompt and no resource of this server")
	}
	c := MCPCompletion{Argument: textAt(argument, "name"), Value: textAt(argument, "value")}
	f := t.fieldNamed(c.Argument)
	if f == nil {
		return x.answerCompletion([]string{})
	}
	if enum := f.shape.deref().rules.lookup(roleValues); enum != nil || t.mcp.Complete == nil {
		return x.answerCompletion(enum.textsWith(c.Value))
	}
	for name, value := range eachMember(memberAt(m.params, "context", "arguments")) {
		if c.Arguments == nil {
			c.Arguments = make(map[string]string)
		}
		if isText(value) {
			c.Arguments[string(name)] = string(textOf(value))
		}
	}
	m.tool = t
	return x.callFunc(t.method, func() error {
		values, err := t.mcp.Complete(x, c)
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

// lookupReferred returns the prompt or the resource that a client refers to, or nil.
func (h *mcpHandler) lookupReferred(ref []byte) *tool {
	switch textAt(ref, "type") {
	case "ref/prompt":
		return h.prompts[textAt(ref, "name")]
	case "ref/resource":
		uri := textAt(ref, "uri")
		if i := slices.IndexFunc(h.resources, func(t *tool) bool { return t.mcp.URI == uri }); i >= 0 {
			return h.resources[i]
		}
	}
	return nil
}
