package svc

// This file describes how MCP shows a method: its name, texts and icons, and whether it is a tool,
// a resource or a prompt. All of this is checked at registration. Names belong to the service,
// because documents and contracts list them too. In this order: the options; content of outputs;
// the plan of a method; names. svc_mcp_uri.go has URIs, and svc_mcp_header.go the headers that
// mirror arguments.

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
	"strings"
	"time"
)

// An MCPMethod describes how MCP shows a method. The zero value is a tool with the defaults. A
// field whose comment names no default is empty by default.
//
// A method is a tool, which models call. With a URI it is also a resource, which programs put in
// front of a model; NotTool leaves the tool out. With Prompt it is only a prompt, which people
// choose (MCP 2025-11-25, Server Features). Name, Title, Description, Icons and Meta apply to the
// tool, the resource and the prompt alike. doc/tools.md has more.
type MCPMethod struct {
	// Name is the name of the tool or the prompt, in place of the default: at most 60 ASCII
	// letters, digits, _ and -, the first a letter or _. Default: resource_method, such as
	// todos_get; see Options.ToolPrefix.
	Name string
	// Title is the name that people see. Default: the first sentence of the method's Description or
	// comment, or else its names, as in "todos: mark done".
	Title string
	// Description is what models read to decide whether to call the tool. Default:
	// MethodOptions.Description, the comment of the method, or else a sentence made of the names.
	Description string
	// Icons are for people.
	Icons []MCPIcon
	// Meta is sent as _meta, in lists and in the contents of a resource. It must be JSON, and its names
	// must have the form of MCP, such as ui or example.com/id (MCP 2026-07-28, Base Protocol, _meta).
	Meta map[string]any
	// Complete suggests values while a user fills in an argument of a prompt or a URI. Arguments
	// with an enum do not need it: svc suggests the values of the enum.
	Complete MCPCompleteFunc

	// InputSchema is a JSON Schema with "type":"object" to publish for the tool instead of the
	// generated one. Arguments are still checked by the Go type of the input; doc/tools.md has more.
	InputSchema []byte
	// RequiredCapabilities are the capabilities that a client needs for the tool, such as
	// "sampling", or with a slash the extensions, such as "io.modelcontextprotocol/tasks". From
	// revision 2026-07-28 on, a call without them gets error -32021 (MCP 2026-07-28, Base Protocol).
	RequiredCapabilities []string
	// ReadOnly says that the tool changes nothing. It and the next three are hints, by which clients
	// decide whether to ask a person before they call the tool (MCP 2026-07-28, Tools, annotations).
	// Default: true for GET.
	ReadOnly *bool
	// Destructive says that the tool may change or delete existing data. Default: true, unless the
	// tool is read-only or the first word of the method's name is create, add or new.
	Destructive *bool
	// Idempotent says that a second call with the same arguments changes nothing more.
	// Default: true for GET, PUT and DELETE, and with KeyRequired.
	Idempotent *bool
	// OpenWorld says that the tool uses things outside the service. Default: false.
	OpenWorld *bool
	// Structured says that results of a tool whose output has [MCPContent] also have the output as
	// structuredContent, with an output schema, as without MCPContent: models read the blocks, and the
	// page of an app the data. It is a mistake for other outputs, which always have it.
	Structured bool

	// URI makes the method a resource, which clients read, such as "todos://todos/{id}" or
	// "todos://todos{?limit,cursor}" (RFC 6570, level 1 and {?…}). The method must have an output
	// and a GET route. A name in braces is the JSON name of a scalar field of the input. The URI
	// must name all required fields, and must be unique. The contents are the blocks of
	// [MCPContent], or else the JSON of the output.
	URI string
	// MIMEType is the media type of the resource's texts. Default: "application/json", or
	// "text/plain" for an output with MCPContent. For a [File] it is the type of its tag, or else
	// its own.
	MIMEType string
	// TTL is how long clients may cache what they have read, for one user, from revision 2026-07-28
	// on (MCP 2026-07-28, Caching), in whole milliseconds. It must not be negative. Zero means not
	// at all.
	TTL time.Duration
	// NotTool says that the method is only a resource, not a tool.
	NotTool bool

	// Prompt makes the method a prompt: messages that a person lets a client send to a model (MCP
	// 2025-11-25, Prompts). The output must have a method [MCPContent], whose blocks are the
	// messages. The fields of the input are the arguments, and must be scalars. The method cannot
	// have an idempotency key.
	Prompt bool
}

// An MCPIcon is a picture for people (MCP 2025-11-25, Icons). A Src or a Theme that is not allowed
// is a mistake in options; in [MCPContent] it makes the call fail.
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

// metaNameForm is the form of a name in _meta, for people (MCP 2026-07-28, Base Protocol, _meta).
const metaNameForm = "a name begins and ends with a letter or digit and has - _ . in between; before it may be a prefix such as example.com/, " +
	"whose labels begin with a letter and end with a letter or digit"

// isMetaName reports whether _meta can have a member of this name. The reserved prefixes of MCP are
// allowed, since extensions have them.
func isMetaName(name string) bool {
	prefix, rest, isPrefixed := strings.Cut(name, "/")
	if !isPrefixed {
		rest = name
	}
	for label := range strings.SplitSeq(prefix, ".") {
		if isPrefixed && (!isWithin(label, "-") || isDigit(label[0])) {
			return false
		}
	}
	return rest == "" || isWithin(rest, "-_.")
}

// isWithin reports whether a text is made of letters and digits of ASCII, with these others in between.
func isWithin(text, others string) bool {
	ends := text[:min(1, len(text))] + text[max(0, len(text)-1):]
	return text != "" && isMadeOf(text, others) && isMadeOf(ends, "")
}

// checkMeta adds the names that _meta of MCP does not allow.
func (p *mistakes) checkMeta(meta map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		p.addIf(!isMetaName(name), "MethodOptions.MCP.Meta has the name %q, which _meta of MCP does not allow; %s", clip(name, 100), metaNameForm)
	}
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

// A contentProvider is an output that makes its own content for models. See
// [MCPContent].
type contentProvider interface{ MCPContent() []MCPContent }

// A resultMetaProvider is an output with members for _meta of its result.
type resultMetaProvider interface{ MCPResultMeta() map[string]any }

// An MCPCompleteFunc returns values to suggest to a user who fills in an argument (MCP 2026-07-28,
// Completion). It runs like a call of the method, with the same checks of caller and scopes, the
// same kind of ctx, and errors sent the same way. Clients get the first 100 values, so return the
// best ones first; svc does not filter them.
type MCPCompleteFunc func(ctx context.Context, c MCPCompletion) ([]string, error)

// An MCPCompletion is the text that a user has typed so far.
type MCPCompletion struct {
	Argument  string            // the JSON name of the field, or the name in the URI
	Value     string            // the beginning of the argument; "" at first
	Arguments map[string]string // the other known arguments; or nil
}

// MCPContent is one block of content in the result of a tool (MCP 2026-07-28, Tools). By default
// models see the output of a method as JSON. To show them something else, give the output type a
// method on its pointer:
//
//	MCPContent() []svc.MCPContent
//
// Models then see these blocks in this order, and the tool has no output schema unless
// MCPMethod.Structured is set. An output with a method MCPResultMeta() map[string]any, on its pointer
// too, adds to _meta of the result, for the page of an app. Type decides which other fields are required and used; doc/tools.md has the table. Empty fields are left out. The
// zero value is an empty text. An invalid block makes the call fail with INTERNAL.
type MCPContent struct {
	Type        string // "text", "image", "audio", "resource" or "resource_link"; "" means "text"
	Text        string // the text of a text block or of a resource whose Data is nil
	Data        []byte // the bytes of an image, a sound or a binary resource; sent in base64
	MIMEType    string // the media type of Data, Text, or the target of the URI, such as "image/png"
	URI         string // the address of a resource, embedded or linked
	Name        string // the name of a linked resource, for programs
	Title       string // the name of a linked resource, for people; "" leaves it out
	Description string // describes the linked resource for models; "" leaves it out

	// Audience says for whom the block is: "user", "assistant" or both.
	Audience []string
	// Priority is how important the block is, from 0 for optional to 1 for required.
	Priority float64
	// LastModified is when the resource was last changed. It is sent in UTC, in whole seconds.
	LastModified time.Time
	// Meta is sent as _meta. Its keys win over the keys of MCPMethod.Meta. A name that MCP does not allow
	// is left out, and logged as an error.
	Meta map[string]any
	// Icons are the icons of a linked resource.
	Icons []MCPIcon
}

// An mcpPlan is what MCP shows of a method, compiled. It is zero without MethodOptions.MCP.
type mcpPlan struct {
	MCPMethod               // InputSchema is nil after a mistake
	meta      []byte        // Meta as JSON; or nil
	headers   []headerParam // the arguments of InputSchema that headers mirror
	uri       uriTemplate   // of URI
}

// compileMCP compiles MethodOptions.MCP, and notes the mistakes in it. A client does not serve MCP.
func (c *methodCompiler) compileMCP(m *method) {
	m.mcp = new(mcpPlan)
	if m.outType != nil {
		_, isThere := m.outType.MethodByName("MCPResultMeta")
		c.addIf(isThere && !m.outType.Implements(reflect.TypeFor[resultMetaProvider]()),
			"the method MCPResultMeta of %v must be MCPResultMeta() map[string]any", m.outType)
	}
	own := c.opts.Methods[m.goName].MCP
	if own == nil || c.impl == nil {
		return
	}
	if !m.isServedBy(TransportMCP) {
		c.addf("MethodOptions.MCP is set, and MCP does not serve the method; add TransportMCP to its Transports, or drop the option if the " +
			"method takes a Body, which MCP has not")
		return
	}
	o := &m.mcp.MCPMethod
	*o = *own
	c.checkMCPFields(o)
	if wrong := wrongToolName(o.Name); o.Name != "" {
		c.addIf(wrong != "", "MethodOptions.MCP.Name is %q, which %s", clip(o.Name, 100), wrong)
	}
	if err := checkIcons(o.Icons); err != nil {
		c.addf("MethodOptions.MCP: %v", err)
	}
	var err error
	m.mcp.meta, err = encodeMeta(o.Meta)
	c.addIf(err != nil, "MethodOptions.MCP.Meta is not JSON: %v", err)
	c.checkMeta(o.Meta)
	c.addIf(o.Structured && (m.sendsFile() || !m.hasOwnContent()),
		"MethodOptions.MCP has Structured, which is for an output with a method MCPContent() []svc.MCPContent; add the method, or drop it")
	c.addIf(o.TTL < 0, "MethodOptions.MCP.TTL is %v; it must not be negative", o.TTL)
	if o.InputSchema != nil {
		c.compileInputSchema(m)
	}
	switch {
	case o.Prompt:
		c.checkPrompt(m)
	case o.URI != "":
		m.mcp.uri = compileURI(c.mistakes, o.URI)
		c.checkResource(m)
	}
}

// checkMCPFields notes fields that have no effect together.
func (c *methodCompiler) checkMCPFields(o *MCPMethod) {
	var ofTool, ofResource []string
	add := func(list *[]string, name string, isSet bool) {
		if isSet {
			*list = append(*list, name)
		}
	}
	add(&ofTool, "InputSchema", o.InputSchema != nil)
	add(&ofTool, "RequiredCapabilities", o.RequiredCapabilities != nil)
	add(&ofTool, "ReadOnly", o.ReadOnly != nil)
	add(&ofTool, "Destructive", o.Destructive != nil)
	add(&ofTool, "Idempotent", o.Idempotent != nil)
	add(&ofTool, "OpenWorld", o.OpenWorld != nil)
	add(&ofTool, "Structured", o.Structured)
	add(&ofResource, "MIMEType", o.MIMEType != "")
	add(&ofResource, "TTL", o.TTL != 0)
	add(&ofResource, "NotTool", o.NotTool)
	if o.URI != "" {
		ofResource = append([]string{"URI"}, ofResource...)
	}
	switch beside := slices.Concat(ofResource, ofTool); {
	case o.Prompt && beside != nil:
		c.addf("MethodOptions.MCP has Prompt and %s, and a prompt is no resource and no tool; drop one, or write two methods",
			strings.Join(beside, ", "))
	case o.Prompt:
	case o.URI == "" && ofResource != nil:
		c.addf("MethodOptions.MCP has %s, which a resource has, and no URI; add one such as todos://todos/{id}, or drop this",
			strings.Join(ofResource, ", "))
	case o.NotTool && ofTool != nil:
		c.addf("MethodOptions.MCP has NotTool and %s, which a tool has; drop one", strings.Join(ofTool, ", "))
	}
	c.addIf(o.Complete != nil && o.URI == "" && !o.Prompt,
		"MethodOptions.MCP has Complete, which completes arguments of a prompt or of a URI; add Prompt or a URI, or drop it")
}

// compileInputSchema compiles an InputSchema of the author.
func (c *methodCompiler) compileInputSchema(m *method) {
	own := m.mcp.InputSchema
	m.mcp.InputSchema = nil
	s := scanner{data: own}
	s.skipValue()
	if s.checkEnd(); s.err != nil {
		c.addf("MethodOptions.MCP.InputSchema is not JSON: %v", s.err)
		return
	}
	var buf bytes.Buffer
	json.Compact(&buf, own) // cannot fail: the scanner has checked it
	schema := buf.Bytes()
	if textAt(schema, "type") != "object" {
		c.addf(`MethodOptions.MCP.InputSchema must be an object with "type":"object"`)
		return
	}
	c.addIf(m.key != nil && memberAt(schema, "properties", keyArgument) == nil,
		"MethodOptions.MCP.InputSchema has no property %s, in which a call has its key; add it, with type string", keyArgument)
	m.mcp.InputSchema, m.mcp.headers = schema, readHeaderParams(c.mistakes, schema)
}

// checkResource notes why m cannot be a resource.
func (c *methodCompiler) checkResource(m *method) {
	u := &m.mcp.uri
	c.addIf(m.verb == "" && !m.wrong, "MethodOptions.MCP.URI: a resource is read by GET, and REST does not serve the method; "+
		"add TransportREST to its Transports")
	c.addIf(m.verb != "" && m.verb != http.MethodGet && !m.wrong,
		"MethodOptions.MCP.URI: a resource is read by GET, and the method is a %s", m.verb)
	c.addIf(m.out == nil || m.stream != "", "MethodOptions.MCP.URI: a resource is one output, and the method has none or a stream")
	if !c.isSound(m.in) || u.pattern == nil {
		return
	}
	for _, name := range slices.Concat(u.names, u.query) {
		if f := m.fieldNamed(name); f == nil || !f.shape.deref().kind.isScalar() {
			c.addf("MethodOptions.MCP.URI %s has {%s}, and the input has no scalar field of that name", u.text, name)
		}
	}
	if m.in == nil {
		return
	}
	for _, f := range m.in.fields {
		c.addIf(f.isRequired() && !slices.Contains(u.names, f.name), "MethodOptions.MCP.URI %s lacks {%s}, which the input requires",
			u.text, f.name)
	}
}

// checkPrompt notes why m cannot be a prompt.
func (c *methodCompiler) checkPrompt(m *method) {
	c.addIf(!m.hasOwnContent(), "MethodOptions.MCP.Prompt: the messages of a prompt are blocks; "+
		"give the output a method MCPContent() []svc.MCPContent")
	c.addIf(m.key != nil, "MethodOptions.MCP.Prompt: a prompt has no idempotency key; take MethodOptions.IdempotencyKey away, or the prompt")
	if m.in == nil || !c.isSound(m.in) {
		return
	}
	for _, f := range m.in.fields {
		c.addIf(!f.shape.deref().kind.isScalar(), "%s: the arguments of a prompt are texts, so they cannot be a %v", f.place, f.shape.typ)
	}
}

// hasOwnContent reports whether the output of m makes the content that models see.
func (m *method) hasOwnContent() bool {
	return m.sendsFile() || m.out != nil && m.stream == "" && m.outType.Implements(reflect.TypeFor[contentProvider]())
}

// fieldNamed returns the field of the input with a wire name, or nil.
func (m *method) fieldNamed(name string) *field {
	if m.in == nil {
		return nil
	}
	for _, f := range m.in.fields {
		if f.name == name && !f.isNameless() {
			return f
		}
	}
	return nil
}

// isTool, isPrompt and isResource report what m is over MCP.
func (m *method) isTool() bool {
	return m.isServedBy(TransportMCP) && !m.mcp.Prompt && !m.mcp.NotTool
}
func (m *method) isPrompt() bool   { return m.isServedBy(TransportMCP) && m.mcp.Prompt }
func (m *method) isResource() bool { return m.isServedBy(TransportMCP) && m.mcp.URI != "" }

// toolName returns the name of m over MCP: the name in its options, or the name derived from its Go
// name and the prefix of its own service, even after Join.
func (m *method) toolName() string {
	switch prefix := m.toolPrefix; {
	case m.mcp.Name != "":
		return m.mcp.Name
	case prefix == "-":
		return m.name
	default:
		return cmp.Or(prefix, m.resource) + "_" + m.name
	}
}

// isNamed reports whether the options say what m is called over MCP.
func (m *method) isNamed() bool { return m.mcp.Name != "" || m.toolPrefix != "" }

// isReadOnly reports whether m changes nothing, as far as its author says, or its verb.
func (m *method) isReadOnly() bool {
	isRead := m.route.isRead()
	return *cmp.Or(m.mcp.ReadOnly, &isRead)
}

// maxToolName is the longest name of a tool, in characters. The specification allows 128 (MCP
// 2025-11-25, Tools, Tool Names), but the APIs of several models only 64, and hosts put a prefix
// before it.
const maxToolName = 60

// wrongToolName returns the mistake in the name of a tool, or "". Some APIs of models refuse all
// tools because of one name that begins with a digit.
func wrongToolName(name string) string {
	switch {
	case len(name) > maxToolName:
		return fmt.Sprintf("is longer than %d characters, so models with a limit of 64 refuse it behind the prefix of a host", maxToolName)
	case !isMadeOf(name, "-_"):
		return "has other characters than letters, digits, - and _ of ASCII"
	case isDigit(name[0]) || name[0] == '-':
		return "does not begin with a letter or _, as many models want it"
	}
	return ""
}

// checkMCPNames notes two tools or prompts with the same name, and two resources with the same URI,
// if options cause this. If the names are derived from Go names, only the handler of MCP refuses
// them, because services without MCP do not use them.
func checkMCPNames(p *mistakes, methods []*method) {
	named, read := make(map[string]*method), make(map[string]*method)
	for _, m := range methods {
		if !m.isServedBy(TransportMCP) {
			continue
		}
		name := m.toolName()
		switch other := named[name]; {
		case other == nil:
			named[name] = m
		case m.mcp.Name == "" && other.mcp.Name == "" && m.hasNameOf(other): // nameMethods has noted it
		case m.isNamed() || other.isNamed():
			p.addf("%s and %s both have the name %q over MCP; give one of them another MethodOptions.MCP.Name", other.title(),
				m.title(), name)
		}
		if m.mcp.URI == "" {
			continue
		}
		if other := read[m.mcp.URI]; other != nil {
			p.addf("%s and %s both have the MethodOptions.MCP.URI %s; change one", other.title(), m.title(), m.mcp.URI)
		}
		read[m.mcp.URI] = m
	}
}
