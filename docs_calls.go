package svc

// This file writes the calls that the page and the Markdown show besides curl: in TypeScript, with
// the client of Service.TypeScript, and in Go, with Connect. Both use the example of the method as
// input.

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// An exampleMember is a member of an input in TypeScript, with its example.
type exampleMember struct {
	clientMember
	parameter string // its place and its name over REST, such as "query page"; "" in a body
	example   []byte // nil without one
}

// members returns the members of the input of o, with or without cookies.
func (o *docsOperation) members(cookies bool) (list []exampleMember) {
	m := o.method
	if m.in == nil {
		return nil
	}
	body := o.examples["body"]
	for _, member := range m.inputMembers(m.in.forms()[0], cookies) {
		e := exampleMember{clientMember: member}
		switch {
		case member.style == styleWhole:
			e.example = body
		case member.in == whereBody.String() || member.in == whereForm.String():
			e.example = memberAt(body, member.field.name)
		default:
			name := member.wire
			if member.in == inPath {
				name = o.placeholders[slices.Index(m.placeholders, member.wire)]
			}
			e.parameter = member.in + " " + name
			e.example = o.examples[e.parameter]
		}
		list = append(list, e)
	}
	return list
}

// clientNames returns the names in TypeScript of the parameters that REST names differently, by
// place and name, and under "body" the value of a Body.
func (o *docsOperation) clientNames() map[string][]byte {
	names := make(map[string][]byte)
	for _, e := range o.members(false) {
		switch {
		case e.shape.kind == kindFile:
			names["body"] = appendQuoted(nil, e.name)
		case e.parameter != "" && e.parameter != e.in+" "+e.name:
			names[e.parameter] = appendQuoted(nil, e.name)
		}
	}
	return names
}

// typeScriptName returns the function of the client that calls m, such as api.todos.create.
func typeScriptName(m *method) string {
	resource := string(appendMemberName(nil, m.resource))
	if resource[0] == '"' {
		return "api[" + resource + "]." + lowerFirst(m.goName)
	}
	return "api." + resource + "." + lowerFirst(m.goName)
}

// typeScriptCall returns a call of o in TypeScript.
func (o *docsOperation) typeScriptCall() string {
	var members []string
	for _, e := range o.members(false) {
		switch {
		case e.shape.kind == kindFile:
			members = append(members, string(appendMemberName(nil, e.name))+": file")
		case e.example != nil:
			members = append(members, string(appendMemberName(nil, e.name))+": "+string(e.example))
		}
	}
	input := ""
	if members != nil {
		input = "{ " + strings.Join(members, ", ") + " }"
	}
	return typeScriptName(o.method) + "(" + input + ")"
}

// goCall returns a call of o in Go.
func (o *docsOperation) goCall() string {
	m := o.method
	if m.in == nil {
		return "client." + m.goName + "(ctx)"
	}
	return "client." + m.goName + "(ctx, &" + goType(m.in.typ) + "{" + o.goMembers() + "})"
}

// goProgram returns the lines of Go that connect to the service and make the call.
func (o *docsOperation) goProgram() string {
	m := o.method
	function, _ := m.iface.MethodByName(m.goName)
	call := "out, err := " + o.goCall()
	switch {
	case m.either:
		call += " // with out.Value or out.Stream"
	case o.sendsItems():
		call = "items, err := " + o.goCall() + "\n// …\nfor item, err := range items {\n\t// …\n}"
	case m.out == nil:
		call = "err = " + o.goCall()
	}
	return fmt.Sprintf("var client struct {\n\t%s %s\n}\n"+
		"err := svc.Connect[%s](&client, url, &svc.ClientOptions{Service: options})\n// …\n%s",
		m.goName, goType(function.Type), goType(m.iface), call)
}

// sendsItems reports whether o returns a Stream. A method with one output can be served as a stream
// with one event, which clients read.
func (o *docsOperation) sendsItems() bool {
	return o.method.stream != "" && o.method.outType.Kind() == reflect.Func
}

// goMembers returns the fields of the example of o in Go. A value that takes more than a literal
// is left to the reader.
func (o *docsOperation) goMembers() string {
	var fields []string
	for _, e := range o.members(false) {
		switch {
		case len(e.index) > 1 && e.example != nil: // of an embedded struct
			fields = append(fields, "…")
		case e.shape.kind == kindFile:
			types := append(slices.Clone(e.tags.types), "application/octet-stream")
			fields = append(fields, e.goName+": svc.NewBody(file, "+strconv.Quote(types[0])+")")
		case e.example != nil:
			fields = append(fields, e.goName+": "+goLiteral(e.shape, e.example))
		}
	}
	return strings.Join(fields, ", ")
}

// goLiteral returns the value of the shape s with this JSON as a literal of Go, or … where it is
// more than a literal.
func goLiteral(s *shape, text []byte) string {
	var values []string
	switch {
	case s.kind == kindString && isText(text):
		return strconv.Quote(textOr(string(text)))
	case (s.kind == kindBool || s.kind.isNumeric()) && !isText(text):
		return string(text)
	case s.kind == kindPointer && s.elem.kind == kindObject && len(text) > 0 && text[0] == '{':
		return "&" + goLiteral(s.elem, text)
	case s.kind == kindSlice && len(text) > 0 && text[0] == '[':
		for _, item := range itemsOf(text) {
			values = append(values, goLiteral(s.elem, item))
		}
	case s.kind == kindObject && s.alternatives == nil && len(text) > 0 && text[0] == '{':
		for _, f := range s.fields {
			switch value := memberAt(text, f.name); {
			case value == nil || f.hidden:
			case len(f.index) > 1:
				values = append(values, "…")
			default:
				values = append(values, f.goName+": "+goLiteral(f.shape, value))
			}
		}
	default:
		return "…"
	}
	return goType(s.typ) + "{" + strings.Join(values, ", ") + "}"
}

// goType returns the name of a type as written in a program that imports its package. Types of
// package main have no qualifier:
//
//	*svc.PageResponse[example.com/notes.Note]  =>  *svc.PageResponse[notes.Note]
func goType(t reflect.Type) string {
	var out, word bytes.Buffer
	flush := func() {
		name := word.String()
		name = name[strings.LastIndexByte(name, '/')+1:]
		out.WriteString(strings.TrimPrefix(name, "main."))
		word.Reset()
	}
	for _, r := range t.String() {
		if strings.ContainsRune("[]*(), {};", r) {
			flush()
			out.WriteRune(r)
			continue
		}
		word.WriteRune(r)
	}
	flush()
	return out.String()
}
