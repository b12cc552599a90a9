package svc

// This file makes tools of methods, once, when the handler is made: their names,
// what models and people are told of them, and their schemas.

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// maxToolName is the longest name that all big model APIs take. MCP itself
// advises to stay below 129 characters.
const maxToolName = 64

// A tool is a method as MCP has it.
type tool struct {
	*method
	name     string // resource_method
	about    string // the description, never empty
	options  ToolOptions
	input    []byte        // its JSON Schema
	output   []byte        // nil if the result has no structured content
	headers  []headerParam // that mirror arguments
	required []byte        // the capabilities that a client must have, as MCP spells them; nil for none
	blocks   bool          // the output brings its own content
	wrapped  bool          // the output is no JSON object and goes into {"result":…}
}

// compileTools makes the tools of all methods, in the order of the methods.
func compileTools(p *problems, s *Service, options map[string]ToolOptions) []*tool {
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
		t.compile(p, o, s.name)
	}
	return tools
}

// compile fills in t, a tool of the named service.
func (t *tool) compile(p *problems, o ToolOptions, service string) {
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
		t.options.Title = capitalized(strings.Join(words(t.goName), " "))
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
			m.raw(name, "{}")
		}
		t.required = m.close()
	}
}

// compileInput decides the input schema: the author's own, or the input's.
func (t *tool) compileInput(p *problems, own []byte) {
	switch {
	case own != nil:
		var root struct {
			Type string `json:"type"`
		}
		s := scanner{data: own}
		s.skip()
		if s.end(); s.fault != nil {
			p.addf("InputSchema is not JSON: %v", s.fault)
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
	t.headers = schemaHeaders(p, t.input)
}

// A contentBringer is an output that says itself what a model gets to see.
type contentBringer interface{ MCPContent() []Content }

// compileOutput decides what the result looks like.
func (t *tool) compileOutput() {
	switch {
	case t.out == nil:
	case t.stream == "" && t.outType.Implements(reflect.TypeFor[contentBringer]()):
		t.blocks = true
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
		dst = t.append(dst)
	}
	return append(dst, ']')
}

// append appends the tool as clients see it.
func (t *tool) append(dst []byte) []byte {
	m := openMembers(dst)
	m.text("name", t.name)
	m.text("title", t.options.Title)
	m.text("description", t.about)
	m.raw("inputSchema", string(t.input))
	if t.output != nil {
		m.raw("outputSchema", string(t.output))
	}
	m.key("annotations")
	m.buf = t.appendAnnotations(m.buf)
	return m.close()
}

// appendAnnotations appends all hints, also those with the value that they have
// by default: directories of servers want them said.
func (t *tool) appendAnnotations(dst []byte) []byte {
	verb := t.route.method
	readOnly := or(t.options.ReadOnly, verb == http.MethodGet)
	m := openMembers(dst)
	m.text("title", t.options.Title)
	for _, hint := range [...]struct {
		name  string
		value bool
	}{
		{"readOnlyHint", readOnly},
		{"destructiveHint", or(t.options.Destructive, !readOnly)},
		{"idempotentHint", or(t.options.Idempotent, readOnly || verb == http.MethodPut || verb == http.MethodDelete)},
		{"openWorldHint", or(t.options.OpenWorld, false)},
	} {
		m.raw(hint.name, strconv.FormatBool(hint.value))
	}
	return m.close()
}

// or returns what p points to, or def if p is nil.
func or(p *bool, def bool) bool {
	if p == nil {
		return def
	}
	return *p
}
