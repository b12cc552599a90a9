package svc

// This file reads JSON-RPC 2.0 messages out of a text and writes the answers.
// It knows nothing of services, of methods or of HTTP: rpc.go and mcp.go, which
// differ in what they make of a message, both start from here.

import (
	"bytes"
	"strconv"
)

// The error numbers of JSON-RPC 2.0, section 5.1, which say that nothing was
// called. Those of calls are in the table of errors.go.
const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcNoMethod       = -32601
)

// An rpcKind says what a message is.
type rpcKind uint8

const (
	rpcInvalid      rpcKind = iota // none of the others; see rpcMessage.flaw
	rpcRequest                     // wants an answer
	rpcNotification                // a request without an id, which wants none
	rpcResponse                    // an answer to a request of the receiver's
)

// An rpcMessage is one message as the text has it (JSON-RPC 2.0, sections 4 and
// 5). It aliases the text.
//
//	Member    Value                         Here
//	--------  ----------------------------  ---------------------------------
//	jsonrpc   "2.0"                         a message with another is invalid
//	id        a string, a number or null    id, as it is written
//	method    a string                      method, what the string stands for
//	params    an object or an array         params, as it is written
//	params    null                          as if it were absent
//	result    anything                      a response, if there is no method
//	error     anything                      likewise
//
// Names match exactly, and other members mean nothing. A request whose id is
// null wants an answer: the specification advises against it and allows it.
type rpcMessage struct {
	kind   rpcKind
	flaw   *Violation // why it is invalid; nil for the other kinds
	id     []byte     // nil if absent, or not what an id may be
	method []byte     // nil if absent, or no string
	params []byte     // nil if absent
}

// The flaws of a message that is none, as what [Violation.In] calls the body.
var (
	rpcNotObject  = &Violation{inBody, "", ruleType, "a request must be an object"}
	rpcNoVersion  = &Violation{inBody, "/jsonrpc", ruleRequired, `is required and must be "2.0"`}
	rpcBadVersion = &Violation{inBody, "/jsonrpc", "enum", `must be "2.0"`}
	rpcBadID      = &Violation{inBody, "/id", ruleType, "must be a string, a number or null"}
	rpcNoName     = &Violation{inBody, "/method", ruleRequired, "is required"}
	rpcBadName    = &Violation{inBody, "/method", ruleType, "must be a string"}
	rpcBadParams  = &Violation{inBody, "/params", ruleType, "must be an object or an array"}
)

// An rpcText is what one text holds: a message, or a batch of them. It is made
// to be read into again.
type rpcText struct {
	messages []rpcMessage // at most as many as the limit
	batch    bool         // the text is an array
	count    int          // how many messages there are, beyond the limit too
}

// read reads a text by one strict pass over it. s.fault says whether it is JSON
// at all; if not, t means nothing. The messages beyond the limit are held to
// the rules of JSON and not kept.
func (t *rpcText) read(s *scanner, text []byte, limit int) {
	s.reset(text)
	t.reset()
	if t.batch = s.peek() == '['; t.batch {
		s.open()
		for first := true; s.more(']', first); first = false {
			t.next(s, limit)
		}
	} else {
		t.next(s, limit)
	}
	s.end()
}

// reset forgets the last text and keeps the memory.
func (t *rpcText) reset() {
	clear(t.messages) // they alias the last text
	*t = rpcText{messages: t.messages[:0]}
}

func (t *rpcText) next(s *scanner, limit int) {
	if t.count++; t.count > limit {
		s.skip()
		return
	}
	t.messages = append(t.messages, rpcMessage{})
	t.messages[len(t.messages)-1].read(s)
}

// rpcMembers has the members that mean something, as they are written; nil if
// absent.
type rpcMembers struct {
	version, id, method, params, result, err []byte
}

// of returns where the value of a name goes, or nil if it means nothing.
func (seen *rpcMembers) of(name []byte) *[]byte {
	switch string(name) {
	case "jsonrpc":
		return &seen.version
	case "id":
		return &seen.id
	case "method":
		return &seen.method
	case "params":
		return &seen.params
	case "result":
		return &seen.result
	case "error":
		return &seen.err
	}
	return nil
}

// read reads the value at the position of s.
func (m *rpcMessage) read(s *scanner) {
	if s.peek() != '{' {
		s.skip()
		m.flaw = rpcNotObject
		return
	}
	var seen rpcMembers
	others := nameSet{base: len(s.names)}
	s.open()
	for first := true; s.more('}', first); first = false {
		name := s.name()
		value := seen.of(name)
		switch {
		case s.fault != nil:
		case value == nil && !others.add(s, name), value != nil && *value != nil:
			s.failDuplicate()
		}
		if text := s.skip(); value != nil {
			*value = text
		}
	}
	others.close(s)
	if s.fault == nil {
		m.decide(&seen)
	}
}

// decide fills in m. The id comes first: an invalid message is answered with it
// where it can be read.
func (m *rpcMessage) decide(seen *rpcMembers) {
	if isRPCID(seen.id) {
		m.id = seen.id
	}
	if isText(seen.method) {
		m.method = textOf(seen.method)
	}
	if isContainer(seen.params) {
		m.params = seen.params
	}
	switch {
	case seen.id != nil && m.id == nil:
		m.flaw = rpcBadID
	case seen.version == nil:
		m.flaw = rpcNoVersion
	case !isText(seen.version) || string(textOf(seen.version)) != "2.0":
		m.flaw = rpcBadVersion
	case seen.method == nil && (seen.result != nil || seen.err != nil):
		m.kind = rpcResponse
	case seen.method == nil:
		m.flaw = rpcNoName
	case m.method == nil:
		m.flaw = rpcBadName
	case seen.params != nil && m.params == nil && seen.params[0] != 'n':
		m.flaw = rpcBadParams
	case m.id == nil:
		m.kind = rpcNotification
	default:
		m.kind = rpcRequest
	}
}

// isRPCID reports whether a value may be an id. A number of any size and with a
// fraction may, since it is never read.
func isRPCID(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == 'n' || value[0] == '-' || isDigit(value[0]))
}

func isText(value []byte) bool      { return len(value) > 0 && value[0] == '"' }
func isContainer(value []byte) bool { return len(value) > 0 && (value[0] == '{' || value[0] == '[') }

// textOf returns what a JSON string stands for: a part of it, unless it has
// escapes.
func textOf(value []byte) []byte {
	inside := value[1 : len(value)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return appendUnescaped(make([]byte, 0, len(inside)), inside)
}

// rpcNull is the id of an answer to what has none that can be read (JSON-RPC
// 2.0, section 5).
var rpcNull = []byte("null")

// A response with a result is openRPCResult, the result as JSON, and
// closeRPCResult.
func openRPCResult(dst []byte) []byte { return append(dst, `{"jsonrpc":"2.0","result":`...) }

func closeRPCResult(dst, id []byte) []byte { return append(appendRPCID(dst, id), '}') }

// appendRPCError appends a response with an error. data is JSON; nil leaves it
// out.
func appendRPCError(dst []byte, number int, message string, data, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(number), 10)
	dst = appendQuoted(append(dst, `,"message":`...), message)
	if data != nil {
		dst = append(append(dst, `,"data":`...), data...)
	}
	return append(appendRPCID(append(dst, '}'), id), '}')
}

// appendRPCID appends the last member of a response: the id as the request has
// it, or nothing if it is nil. JSON-RPC writes rpcNull for an unknown id, where
// MCP leaves it out.
func appendRPCID(dst, id []byte) []byte {
	if id == nil {
		return dst
	}
	return append(append(dst, `,"id":`...), id...)
}

// appendRPCErrorData appends the data of an error response, which is what the
// envelope of REST says beside the message.
func appendRPCErrorData(dst []byte, e *Error) []byte {
	dst = appendQuoted(append(dst, `{"code":`...), string(e.code()))
	return append(appendDetails(dst, e), '}')
}
