package svc

// This file reads and writes the messages of JSON-RPC 2.0. MCP sends the same messages, so this
// file does not know services, methods or HTTP.

import (
	"bytes"
	"slices"
	"strconv"
)

type rpcKind uint8

const (
	rpcInvalid      rpcKind = iota // not a message; rpcMessage.violation says why
	rpcRequest                     // wants an answer
	rpcNotification                // a request without an id, which wants no answer
	rpcResponse                    // an answer to a request of the receiver
)

// An rpcMessage is one message (JSON-RPC 2.0, sections 4 and 5). It aliases its text. Names of
// members match exactly, and unknown members are ignored. Params of null count as absent. A message
// without a method that has a result or an error is a response. A request whose id is null gets a
// response: JSON-RPC discourages such ids but allows them.
//
// Invariants:
//
//	kind is rpcInvalid exactly if violation is set
//	method is set if kind is rpcRequest or rpcNotification
//	id is set if kind is rpcRequest, and nil if it is rpcNotification
type rpcMessage struct {
	kind      rpcKind
	violation *Violation // why it is invalid; nil for the other kinds
	id        []byte     // JSON; nil if absent or not allowed as an id
	method    []byte     // the unquoted name; nil if absent or not a string
	params    []byte     // JSON, an object or an array; of a response its result; nil if absent
	failure   []byte     // the error of a response, as JSON; nil if absent
	target    any        // set by the paramsReader, found by the method, for its own use; or nil
	input     any        // the decoded params; nil if the paramsReader did not decode them
	inputErr  error      // the error of the paramsReader
	twin      bool       // a different message of the batch has the same idempotency key
}

// A paramsReader decodes the params of a message while the scanner reads the message,
// so that they are read only once. This works if the method comes before the params,
// as most clients write it.
type paramsReader interface {
	// readParams decodes the object at the position of the scanner as the params of m, and sets its
	// input, inputErr and target. The error concerns the values, not the text, and is valid until
	// the decoder is used again. If readParams sets neither input nor inputErr, the params are
	// decoded when the method is called.
	readParams(m *rpcMessage)
}

// The complaints about a value that is not a message.
var (
	rpcNotObject  = wrongType("a request must be an object", "object", isJSONObject)
	rpcNoVersion  = &complaint{rule: ruleRequired, message: `is required and must be "2.0"`}
	rpcBadVersion = &complaint{rule: "enum", message: `must be "2.0"`}
	rpcBadID      = wrongType("must be a string, a number or null", "", nil)
	rpcNoName     = &complaint{rule: ruleRequired, message: "is required"}
	rpcBadName    = wrongType("must be a string", "", nil)
	rpcBadParams  = wrongType("must be an object or an array", "object", isJSONObject)
)

// An rpcText is one message or a batch of messages. readText reuses its memory.
type rpcText struct {
	messages []rpcMessage // at most as many as the limit of readText
	batch    bool         // the text is an array
	count    int          // the number of messages, including those beyond the limit
}

// maxEagerBatch is the size of a batch up to which params are decoded before the first call runs.
// All inputs are then in memory at once, and an input can be a hundred times as large as its text.
const maxEagerBatch = 16 << 10

// readText reads a text in one strict pass. If it sets s.err, the text is not
// acceptable JSON and t must not be used. Messages beyond the limit must be valid JSON
// too; they are counted but not kept. params may be nil.
func (t *rpcText) readText(s *scanner, text []byte, limit int, params paramsReader) {
	s.reset(text)
	t.reset()
	if t.batch = s.peek() == '['; t.batch {
		if len(text) > maxEagerBatch {
			params = nil
		}
		s.openBracket()
		for first := true; s.more(']', first); first = false {
			t.addMessage(s, limit, params)
		}
	} else {
		t.addMessage(s, limit, params)
	}
	s.checkEnd()
}

// reset empties t and keeps its memory.
func (t *rpcText) reset() {
	clear(t.messages) // they alias the text, which a pool should not keep alive
	*t = rpcText{messages: t.messages[:0]}
}

// addMessage reads the message at the position of s.
func (t *rpcText) addMessage(s *scanner, limit int, params paramsReader) {
	if t.count++; t.count > limit {
		s.skipValue()
		return
	}
	t.messages = append(t.messages, rpcMessage{})
	t.messages[len(t.messages)-1].readMessage(s, params)
}

// The known members of a message.
const (
	rpcVersionMember = iota
	rpcIDMember
	rpcMethodMember
	rpcParamsMember
	rpcResultMember
	rpcErrorMember
)

// rpcNames are the names of the known members.
var rpcNames = newMemberNames("jsonrpc", "id", "method", "params", "result", "error")

// An rpcMembers has the text of each known member of a message; nil if absent.
type rpcMembers [rpcErrorMember + 1][]byte

// readMessage reads the value at the position of s as a message. A duplicate name is an error at
// any depth. A nameSet finds duplicate unknown members; a known member is a duplicate if its text
// is already set.
func (m *rpcMessage) readMessage(s *scanner, params paramsReader) {
	if s.peek() != '{' {
		if value := s.skipValue(); s.err == nil {
			m.refuse(rpcNotObject, "", value)
		}
		return
	}
	var seen rpcMembers
	others := nameSet{base: len(s.names)}
	s.openBracket()
	for i, ok := rpcNames.readNext(s, &others, -1, true); ok; i, ok = rpcNames.readNext(s, &others, i, false) {
		if i < 0 {
			s.skipValue()
			continue
		}
		if seen[i] != nil {
			s.failDuplicate()
		}
		if i == rpcParamsMember && params != nil && m.method != nil && s.peek() == '{' {
			start := s.pos
			if params.readParams(m); s.pos > start {
				seen[i] = s.data[start:s.pos]
				continue
			}
		}
		seen[i] = s.skipValue()
		if i == rpcMethodMember && isText(seen[i]) {
			m.method = textOf(seen[i])
		}
	}
	others.forgetNames(s)
	if s.err == nil {
		m.setMembers(&seen)
	}
}

// memberNames are the names that the members of an object can have.
type memberNames struct {
	names    []string
	prefixes []string // the texts before the values of members: "id":
}

func newMemberNames(names ...string) *memberNames {
	n := &memberNames{names: names}
	for _, name := range names {
		n.prefixes = append(n.prefixes, `"`+name+`":`)
	}
	return n
}

// readNext moves to the value of the next member and returns the index of its name, or -1 for any
// other name, which it adds to others. It reports false at the end of the object. last is the
// result for the previous member, or -1.
//
// It first compares the text with the prefixes, like objectPlan.nextMember, starting after last:
// most clients write the members of all messages in the same order.
func (n *memberNames) readNext(s *scanner, others *nameSet, last int, first bool) (i int, ok bool) {
	if rest := s.data[s.pos:]; first || len(rest) > 0 && rest[0] == ',' {
		if !first {
			rest = rest[1:]
		}
		for range n.prefixes {
			if last++; last == len(n.prefixes) {
				last = 0
			}
			if prefix := n.prefixes[last]; len(prefix) <= len(rest) && string(rest[:len(prefix)]) == prefix {
				s.pos = len(s.data) - len(rest) + len(prefix)
				return last, true
			}
		}
	}
	if !s.more('}', first) {
		return -1, false
	}
	name := s.readName()
	if i = slices.Index(n.names, string(name)); i < 0 {
		others.addName(s, name)
	}
	return i, true
}

// refuse sets the violation of m, which has this value at path.
func (m *rpcMessage) refuse(c *complaint, path string, value []byte) {
	v := c.about(value).inBody(path)
	m.violation = &v
}

// setMembers sets the fields and the kind of m, except the method, which readMessage has set. It
// also sets the id of an invalid message, because the response needs it.
func (m *rpcMessage) setMembers(seen *rpcMembers) {
	version, id, params := seen[rpcVersionMember], seen[rpcIDMember], seen[rpcParamsMember]
	if isRPCID(id) {
		m.id = id
	}
	if isContainer(params) {
		m.params = params
	}
	switch {
	case id != nil && m.id == nil:
		m.refuse(rpcBadID, "/id", id)
	case version == nil:
		m.refuse(rpcNoVersion, "/jsonrpc", nil)
	case string(version) != `"2.0"` && (!isText(version) || string(textOf(version)) != "2.0"): // it may contain escapes
		m.refuse(rpcBadVersion, "/jsonrpc", nil)
	case seen[rpcMethodMember] == nil && (seen[rpcResultMember] != nil || seen[rpcErrorMember] != nil):
		m.kind, m.params, m.failure = rpcResponse, seen[rpcResultMember], seen[rpcErrorMember]
	case seen[rpcMethodMember] == nil:
		m.refuse(rpcNoName, "/method", nil)
	case m.method == nil:
		m.refuse(rpcBadName, "/method", seen[rpcMethodMember])
	case params != nil && m.params == nil && params[0] != 'n':
		m.refuse(rpcBadParams, "/params", params)
	case m.id == nil:
		m.kind = rpcNotification
	default:
		m.kind = rpcRequest
	}
}

// isRPCID reports whether a value is allowed as an id: a string, a number or null. The number may
// have any size and a fraction, because it is only sent back as text.
func isRPCID(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == 'n' || value[0] == '-' || isDigit(value[0]))
}

// rpcNull is the id of a response to a request whose id is unknown (JSON-RPC 2.0,
// section 5).
var rpcNull = []byte("null")

// beginRPCResult begins a response. The caller appends the result as JSON, and then
// calls endRPCResult.
func beginRPCResult(dst []byte) []byte { return append(dst, `{"jsonrpc":"2.0","result":`...) }

// endRPCResult ends the response that beginRPCResult began.
func endRPCResult(dst, id []byte) []byte { return append(appendRPCID(dst, id), '}') }

// appendRPCError appends a response with an error. data is JSON; nil omits it.
func appendRPCError(dst []byte, number int, message string, data, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(number), 10)
	dst = appendQuoted(append(dst, `,"message":`...), message)
	if data != nil {
		dst = append(append(dst, `,"data":`...), data...)
	}
	return append(appendRPCID(append(dst, '}'), id), '}')
}

// idBefore returns the id of a message of which only the beginning, text, was read. It returns nil
// if text does not contain the whole id, or if the id is neither a string nor a number, and for a
// batch.
//
//	{"jsonrpc":"2.0","id":7,"params":{"text":"aaaa   7
//	{"jsonrpc":"2.0","params":{"id":1,"text":"aaaa   nil
func idBefore(text []byte) []byte {
	ids, _, _ := (&looseText{text}).readMembers()
	if len(ids) == 0 || !isJSON(ids[0]) || !isText(ids[0]) && !isJSONNumber(ids[0]) {
		return nil
	}
	return ids[0]
}

// A looseText is read as far as braces, brackets and strings go, whatever is between them.
type looseText struct{ rest []byte }

// readMembers returns the ids of an object, its method, and whether it has a result or an error.
// The object may be incomplete. It stops at the closing brace of the object, or where it cannot go
// on.
func (l *looseText) readMembers() (ids [][]byte, method []byte, hasResult bool) {
	for open := byte('{'); l.skipByte(open); open = ',' {
		name := l.skipValue()
		if !l.skipByte(':') {
			break
		}
		value := l.skipValue() // nil if its end is not there
		switch string(name) {
		case `"id"`:
			if value != nil {
				ids = append(ids, value)
			}
		case `"method"`:
			method = value
		case `"result"`, `"error"`:
			hasResult = true
		}
	}
	return ids, method, hasResult
}

// skipByte skips white space, and b if it comes next. It reports whether it does.
func (l *looseText) skipByte(b byte) bool {
	l.rest = bytes.TrimLeft(l.rest, " \t\r\n")
	if len(l.rest) == 0 || l.rest[0] != b {
		return false
	}
	l.rest = l.rest[1:]
	return true
}

// skipValue skips white space and a value, and returns the value; nil if its end is not there.
func (l *looseText) skipValue() []byte {
	l.rest = bytes.TrimLeft(l.rest, " \t\r\n")
	depth, quoted := 0, false
	for i := 0; i < len(l.rest); i++ {
		switch c := l.rest[i]; {
		case quoted && c == '\\':
			i++
			continue
		case c == '"':
			quoted = !quoted
		case quoted:
			continue
		case c == '{', c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth > 0:
			continue
		case bytes.IndexByte([]byte(",}]: \t\r\n"), c) >= 0: // the end of a number or a literal
			return l.cut(i)
		default:
			continue
		}
		if depth == 0 && !quoted {
			return l.cut(i + 1)
		}
	}
	l.rest = nil
	return nil
}

// cut returns the first n bytes of the rest, which it leaves behind.
func (l *looseText) cut(n int) []byte {
	value := l.rest[:n]
	l.rest = l.rest[n:]
	return value
}

// appendRPCID appends the id of a response, its last member, or nothing if id is nil. For an
// unknown id JSON-RPC requires null, while MCP leaves the member out.
func appendRPCID(dst, id []byte) []byte {
	if id == nil {
		return dst
	}
	return append(append(dst, `,"id":`...), id...)
}

// The error numbers of JSON-RPC 2.0, section 5.1. The table in errors.go has the numbers of the
// error codes.
const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcNoMethod       = -32601
	rpcInvalidParams  = -32602
	rpcInternalError  = -32603
)
