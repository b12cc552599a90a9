package svc

// This file serves MCP methods outside the core with functions of the application, and declares the
// extensions that define them (MCP 2026-07-28, Extensions). Such a request is a call: it has a
// caller, the log, Options.Observe and the usual limits, over HTTP and over standard input and
// output.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// answerExtension answers a request for e with the result of its function, which must be an object.
func (x *exchange) answerExtension(e extension) error {
	m := x.message
	params := json.RawMessage("{}")
	if len(m.params) > 0 {
		params = bytes.Clone(m.params) // the request goes back to its pool
	}
	all := openMembers(nil)
	for name, value := range eachMember(params) {
		switch string(name) {
		case "_meta", "inputResponses", "requestState": // they change with each round
		default:
			all.addRaw(string(name), value)
		}
	}
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
		for name, value := range eachMember(memberAt(object, "_meta")) {
			meta.addRaw(string(name), value)
		}
		meta.separate()
		meta.buf = append(meta.buf, x.h.texts.serverInfo...)
		if memberAt(object, "resultType") == nil {
			m.addText("resultType", "complete")
		}
		m.addRaw("_meta", meta.close())
	}
	for name, value := range eachMember(object) {
		if !x.rev.typed || string(name) != "_meta" {
			m.addRaw(string(name), value)
		}
	}
	x.ws.enc.buf = m.buf
}

// callFunc calls fn in place of own. It turns an error of fn into a JSON-RPC error, with its code,
// reason and details in data.
func (x *exchange) callFunc(own *method, fn func() error) error {
	x.method = own
	return methodError(x.makeCall(fn, (*exchange).answerQuestions), CodeInvalidArgument)
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
