package svc

// This file serves MCP methods outside the core with functions of the application, and declares the
// extensions that define them (MCP 2026-07-28, Extensions). Such a request is a call: it has a
// caller, the log, Options.Observe and the usual limits, over HTTP and over standard input and
// output.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An mcpMethod is the type of MCPOptions.Methods.
type mcpMethod = func(ctx context.Context, params json.RawMessage) (any, error)

// coreMethods are the requests of all revisions, in both directions. Notifications are not listed,
// because they get no answer.
var coreMethods = []string{
	"completion/complete", "elicitation/create", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list",
	"resources/list", "resources/read", "resources/subscribe", "resources/templates/list", "resources/unsubscribe",
	"roots/list", "sampling/createMessage", "server/discover", "subscriptions/listen", "tools/call", "tools/list",
}

// checkExtensions adds the mistakes in Extensions and Methods.
func (o *MCPOptions) checkExtensions(p *mistakes) {
	for _, name := range slices.Sorted(maps.Keys(o.Extensions)) {
		text, ok := plainJSON(o.Extensions[name])
		p.addIf(!ok || !isJSONObject(text), "Extensions[%q] must be a JSON object, of its settings; write struct{}{} for none", name)
		vendor, rest, _ := strings.Cut(name, "/")
		p.addIf(vendor == "" || rest == "", "Extensions[%q]: the name of an extension has a vendor and a slash, such as example.com/skills", name)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Methods)) {
		group, rest, _ := strings.Cut(name, "/")
		isVisible := !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) // it is in a header too
		switch {
		case o.Methods[name] == nil:
			p.addf("Methods[%q] is nil", name)
		case slices.Contains(coreMethods, name):
			p.addf("Methods[%q]: MCP has this method itself; name another one", name)
		case group == "notifications":
			p.addf("Methods[%q]: a notification gets no answer, so nothing calls it", name)
		case group == "" || rest == "" || !isVisible:
			p.addf("Methods[%q]: the name of a method is visible ASCII with a slash, such as events/list", name)
		}
	}
}

// An extension is a method of MCPOptions.Methods.
type extension struct {
	*method // for the caller, the log and Options.Observe; it has no input, output or routes
	fn      mcpMethod
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

// answerExtension answers a request for e with the result of its function, which must be an object.
func (x *exchange) answerExtension(e extension) error {
	m := x.message
	params := json.RawMessage("{}")
	if len(m.params) > 0 {
		params = bytes.Clone(m.params) // the request goes back to its pool
	}
	all := openMembers(nil)
	eachMember(params, func(name, value []byte) {
		switch string(name) {
		case "_meta", "inputResponses", "requestState": // they change with each round
		default:
			all.addRaw(string(name), value)
		}
	})
	m.arguments = all.close() // to which answers are sealed
	return x.callFunc(e.method, func() error {
		if e := x.readAnswers(); e != nil {
			return e
		}
		x.startStream()
		result, err := e.fn(x, params)
		if err != nil {
			return err
		}
		text, ok := plainJSON(result)
		switch {
		case ok && isJSONNull(text):
			text = []byte("{}")
		case !ok || !isJSONObject(text):
			return &Error{Code: CodeInternal,
				cause: fmt.Errorf("MCPOptions.Methods[%q] returned a %T, which is not a JSON object", e.name, result)}
		}
		x.addResult(bytes.TrimSpace(text))
		return nil
	})
}

// addResult makes a JSON object the result. A modern result has the members resultType and _meta:
// members of the object take precedence, and its _meta is extended.
func (x *exchange) addResult(object []byte) {
	m := openMembers(beginRPCResult(x.ws.enc.buf[:0]))
	if x.rev.typed {
		meta := openMembers(nil)
		eachMember(memberAt(object, "_meta"), func(name, value []byte) { meta.addRaw(string(name), value) })
		meta.separate()
		meta.buf = append(meta.buf, x.h.texts.serverInfo...)
		if memberAt(object, "resultType") == nil {
			m.addText("resultType", "complete")
		}
		m.addRaw("_meta", meta.close())
	}
	eachMember(object, func(name, value []byte) {
		if !x.rev.typed || string(name) != "_meta" {
			m.addRaw(string(name), value)
		}
	})
	x.ws.enc.buf = m.buf
}

// callFunc calls fn in place of own. It turns an error of fn into a JSON-RPC error, with its code,
// reason and details in data.
func (x *exchange) callFunc(own *method, fn func() error) error {
	x.method = own
	return methodError(x.makeCall(fn), CodeInvalidArgument)
}

// methodError returns the error of a request whose answer cannot have isError, or nil. An error
// with one of the invalid codes is -32602, and any other is -32603.
func methodError(err error, invalid ...Code) error {
	if _, ok := err.(*mcpError); ok || err == nil {
		return err
	}
	e := ErrorFrom(err)
	answer := protocolError(rpcInternalError, e.message())
	if slices.Contains(invalid, e.code()) {
		answer.number = rpcInvalidParams
	}
	answer.data, answer.cause = appendRPCData(nil, e), err
	return answer
}
