package svc

// This file answers tools/call. It is in the order of a call: the checks before it; the
// headers that mirror arguments; the call itself; its result; and its error as a
// text for models.
//
// Errors that a model can correct are results with isError, which clients show to
// the model. Errors that its program must correct are JSON-RPC errors, which
// clients do not show (MCP 2025-11-25, Tools, Error Handling):
//
//	The call                                       Answer
//	---------------------------------------------  -------------------------
//	names no tool, or an unknown tool              error -32602
//	has headers that contradict it                 error -32020
//	lacks a capability of the client (modern)      error -32021
//	has arguments that are not valid               result with isError
//	ends in an error or a panic of the method      result with isError
//	has an output that cannot be written           result with isError
//
// A panic is a result too, because frameworks that run models turn a JSON-RPC error into an
// exception, which ends the run.
//
// A client that disconnects cancels the context of the method in every era. For modern clients this
// is the rule (MCP 2026-07-28, Cancellation). Legacy clients should send notifications/cancelled
// instead (MCP 2025-11-25, Transports), which also works in a session, but after a disconnect
// nobody could receive the answer.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unknownName returns the error for a tool or a prompt that does not exist, with the closest name
// in the list. It never suggests a name that [MCPOptions.Show] hides from the caller.
func (x *exchange) unknownName(list, noun, name string) *mcpError {
	hint := "; " + list + " has all"
	if meant := suggestName(name, x.shownNames(list)...); meant != "" {
		hint = meant
	}
	return protocolError(rpcInvalidParams, "there is no "+noun+" of this name"+hint)
}

// shownNames returns the names that suggestions may say to the caller, or none if Show panics.
func (x *exchange) shownNames(list string) (names [][]knownName) {
	var err error
	defer func() {
		if err != nil {
			x.log(x, err)
			names = nil
		}
	}()
	defer recoverTo(&err)
	for _, known := range x.h.names[list] {
		if show := x.h.options.Show; show == nil || known.tool == nil || show(x, known.tool.described) {
			names = append(names, known.names)
		}
	}
	return names
}

// readName returns the text of value, a member of params that is a name. If the header
// Mcp-Name contradicts it, readName returns an error.
func (x *exchange) readName(value []byte, member string) ([]byte, *mcpError) {
	if !isText(value) {
		return nil, protocolError(rpcInvalidParams, "params."+member+" is required and must be a string")
	}
	name := textOf(value)
	if !x.agreesOn("Mcp-Name", name) {
		return nil, protocolError(mcpHeaderMismatch, "the request must have one Mcp-Name header, equal to params."+member)
	}
	return name, nil
}

// failCall makes the answer to a request that ended with err, and returns the error to log. For
// tools/call the answer is a result with isError, which the model sees. Other methods of MCP have
// no such result, so their answer is a JSON-RPC error; see the table at the top of
// mcp_resources.go.
func (x *exchange) failCall(err error) error {
	m := x.message
	if _, ok := err.(*mcpError); ok || err == nil {
		return err
	}
	e := ErrorFrom(err)
	x.ws.dec.scratch = appendErrorText(x.ws.dec.scratch[:0], e)
	text := x.cutErrorText(x.ws.dec.scratch, err)
	if string(m.method) == "tools/call" {
		x.openResult()
		x.addErrorText(text)
		return err
	}
	answer := protocolError(rpcInternalError, string(text))
	switch code := e.code(); {
	case code == CodeInvalidArgument:
		answer.number = rpcInvalidParams
	case code == CodeNotFound && string(m.method) == "resources/read":
		answer = x.notFound(memberAt(m.params, "uri"), answer.text)
	}
	answer.cause = err
	return answer
}

// notFound returns the error for a resource that does not exist. uri comes from the request, as
// JSON.
func (x *exchange) notFound(uri []byte, text string) *mcpError {
	e := protocolError(x.rev.notFound, text)
	e.data = append(append([]byte(`{"uri":`), uri...), '}')
	return e
}

// addErrorText adds the text of an error to a result of tools/call.
func (x *exchange) addErrorText(text []byte) {
	x.addJSON(`"content":[{"type":"text","text":`)
	x.ws.enc.buf = appendQuoted(x.ws.enc.buf, text)
	x.addJSON(`}],"isError":true`)
}

// checkCapabilities returns an error if a modern client does not declare all capabilities
// that the tool needs. declared, and the data of the error, are objects with one member per
// capability (MCP 2026-07-28, Base Protocol).
func (x *exchange) checkCapabilities(t *tool, declared []byte) *mcpError {
	isMissing := func(name string) bool {
		if strings.Contains(name, "/") {
			return !isJSONObject(memberAt(declared, "extensions", name))
		}
		return !isJSONObject(memberAt(declared, name))
	}
	if !x.rev.modern || !slices.ContainsFunc(t.mcp.RequiredCapabilities, isMissing) {
		return nil
	}
	return missingCapabilities("the tool needs capabilities that the client does not declare", t.mcp.RequiredCapabilities)
}

// missingCapabilities returns the error for a client that must declare these capabilities. Names
// with a slash belong to extensions.
func missingCapabilities(text string, names []string) *mcpError {
	m, extensions := openMembers([]byte(`{"requiredCapabilities":`)), openMembers(nil)
	for _, name := range names {
		if strings.Contains(name, "/") {
			extensions.addRaw(name, []byte("{}"))
		} else {
			m.addRaw(name, []byte("{}"))
		}
	}
	if all := extensions.close(); len(all) > len("{}") {
		m.addRaw("extensions", all)
	}
	e := protocolError(mcpMissingCapability, text)
	e.data = append(m.close(), '}')
	return e
}

// Modern clients repeat parts of the body in headers, so that gateways can decide without
// reading the body. The server checks that both agree. Otherwise a gateway could pass a
// request because of its headers, and the server would act on a body that says something
// else (MCP 2026-07-28, Streamable HTTP, Server Validation).
//
//	Header            Repeats            Compared
//	----------------  -----------------  -----------------------------------
//	Mcp-Method        method             as text
//	Mcp-Name          params.name        as text, base64 decoded
//	Mcp-Param-{name}  an argument that   strings and booleans as text, integers
//	                  x-mcp-header marks as numbers, base64 decoded
//
// Legacy clients need not send these headers. But a gateway may decide by them in any era,
// so headers that are there must agree. That applies to the Mcp-Method of notifications
// too.

// needsHeaders reports whether the request must have the headers.
func (x *exchange) needsHeaders() bool { return x.rev.modern && x.line == nil }

// agreesOn reports whether the request has the header exactly once, with this value, or is a legacy
// request without the header. name is in canonical form.
func (x *exchange) agreesOn(name string, value []byte) bool {
	values := x.headerOf(name)
	if len(values) != 1 {
		return len(values) == 0 && !x.needsHeaders()
	}
	text, ok := decodeHeader(values[0])
	return ok && text == string(value)
}

// decodeHeader returns the text of a header (MCP 2026-07-28, Streamable HTTP). It reports
// false for characters that headers cannot have, and for base64 that is not strict, which
// two programs could decode differently.
//
//	Mcp-Name: notes_get             notes_get
//	Mcp-Name: =?base64?w6TDtg==?=   äö
//	Mcp-Name: =?BASE64?w6TDtg==?=   =?BASE64?w6TDtg==?=
func decodeHeader(value string) (string, bool) {
	if !isHeaderValue(value) {
		return "", false
	}
	inside, begins := strings.CutPrefix(value, "=?base64?")
	inside, ends := strings.CutSuffix(inside, "?=")
	if !begins || !ends {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inside)
	return string(text), err == nil
}

// checkParamHeaders checks the headers Mcp-Param-* of a call against its arguments. An argument
// that is absent or null must not have a header. An argument inside a value that is not an object
// counts as absent, and binding will report that value. Headers that the schema does not name are
// ignored.
func (x *exchange) checkParamHeaders(t *tool, arguments []byte) *mcpError {
	for _, p := range t.headers {
		values := x.headerOf(p.header)
		if len(values) == 0 && !x.needsHeaders() {
			continue // before the search in the arguments
		}
		value := x.argumentAt(arguments, p.path)
		isAbsent := value == nil || isJSONNull(value)
		switch {
		case len(values) == 0 && isAbsent:
		case isAbsent || len(values) != 1 || !sameArgument(values[0], value):
			return protocolError(mcpHeaderMismatch, "the request must have one "+p.header+" header, equal to the argument /"+
				strings.Join(p.path, "/")+", or none if the argument is absent or null")
		}
	}
	return nil
}

// argumentAt returns the value at a path of the arguments, or nil. With MCPOptions.ReadStrings it
// goes into a string wherever the decoder reads an object from one, so that no argument is bound that
// a gateway has not seen in a header. It may also go into a string that the decoder refuses: the depth
// of the text around it does not count here.
func (x *exchange) argumentAt(arguments []byte, path []string) []byte {
	value := arguments
	for _, name := range path {
		if x.h.options.ReadStrings && isText(value) {
			value = jsonInside(value, '{', 0)
		}
		value = memberOf(value, name)
	}
	return value
}

// maxSafeInteger is the greatest integer n for which a float64 distinguishes n from n+1
// (RFC 7493, section 2.2). Headers can carry integers up to it (MCP 2026-07-28, Tools,
// x-mcp-header).
const maxSafeInteger = 1<<53 - 1

// sameArgument reports whether a header stands for a JSON value that is not nil. Integers
// are compared as numbers, so 1.0 is 1. Fractions, integers beyond maxSafeInteger, objects
// and arrays never agree with a header.
func sameArgument(header string, value []byte) bool {
	text, ok := decodeHeader(header)
	switch {
	case !ok || isContainer(value):
		return false
	case isText(value):
		return text == string(textOf(value))
	case !isJSONNumber(value):
		return text == string(value)
	}
	num, ok := jsonNumber(text)
	if !ok {
		return false
	}
	a, aNeg, aKind := parseInteger(num)
	b, bNeg, bKind := parseInteger(value)
	return aKind == integerOK && bKind == integerOK && a == b && a <= maxSafeInteger && (aNeg == bNeg || a == 0)
}

// callTool calls the method of m.tool with m.arguments and makes the result in ws.enc.buf. add adds
// the output to the result. If the method asks its caller, the result has the questions. The error
// is from failCall: the caller sends an *mcpError, and only logs other errors, because the result
// with isError is already made.
func (x *exchange) callTool(add addFunc) error {
	m := x.message
	x.method, x.add = m.tool.method, add
	return x.failCall(x.makeCall(nil, (*exchange).answerQuestions))
}

// makeCall makes the call of x.method, or of fn in its place. If that panics with
// http.ErrAbortHandler, makeCall ends the stream without an answer and lets net/http close
// the connection.
func (x *exchange) makeCall(fn func() error, failed failFunc) (err error) {
	done := false
	defer func() {
		if !done { // the panic continues; if the stream has begun, it ends without an answer
			x.stream.stopCall()
			if x.stream.events != nil {
				x.stream.events.close()
			}
		}
	}()
	err = x.runFunc(x, fn)
	done = true
	x.stream.stopCall()
	switch {
	case x.refused:
		// A JSON-RPC error has a status and a challenge, with which a client can log in. A result
		// with isError would reach only the model. Over stdio there is only the error.
		if x.line == nil {
			setErrorHeader(x.w.Header(), ErrorFrom(err).header)
		}
		return refusal(err)
	case isBusy(err):
		return x.busyAnswer(err)
	case err != nil:
		return failed(x, err)
	}
	return nil
}

// readText checks the headers, capabilities and answers of a call, whose text has been read.
func (x *exchange) readText() error {
	m := x.message
	var e *mcpError
	if string(m.method) == "tools/call" {
		e = cmp.Or(x.checkParamHeaders(m.tool, m.arguments), x.checkCapabilities(m.tool, m.meta.capabilities))
	}
	if e = cmp.Or(e, x.readAnswers()); e != nil {
		return e
	}
	return nil
}

// bindInput decodes the arguments of a call and begins the result. From then on the method may send
// messages.
func (x *exchange) bindInput() (in any, err error) {
	m, t := x.message, x.message.tool
	x.setInputOptions(t)
	if t.key != nil { // from an argument, since some hosts send the same header with each request
		var values []string
		if value := memberAt(m.arguments, keyArgument); value != nil && !isJSONNull(value) {
			values = []string{strconv.Quote(textAt(value))} // quoted unchanged, so inner quotes stay; "" is not a key
		}
		x.readKey(&x.ws.dec, "/"+keyArgument, values)
	}
	if in, err = x.bindObject(m.arguments, m.input, m.inputErr); err == nil {
		x.startStream()
		x.openResult()
	}
	return in, err
}

// setInputOptions says how the arguments of t are read.
func (x *exchange) setInputOptions(t *tool) {
	o := &x.ws.dec.opts
	o.allow, o.beside, o.readStrings, o.readDigits, o.dropNulls = t.allow, t.suggest, x.h.options.ReadStrings, true, true
}

func (x *exchange) encodeOutput(out any) error { return x.add(x, out) }

// maxFileBlock is the largest File that a result can have, in bytes. It is small, because a model
// reads the whole file.
const maxFileBlock = 1 << 20

// contentOf returns the blocks of an output with a method MCPContent, or of a File. A File is
// an image, an audio, or a resource; a text file has Text.
func (x *exchange) contentOf(out any) ([]MCPContent, error) {
	t := x.message.tool
	if !t.sendsFile() {
		return out.(contentProvider).MCPContent(), nil
	}
	f := t.out.file.fileIn(out)
	if err := f.check(t.out.file.tags); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f.Content, maxFileBlock+1)) // one more shows that it is too large
	c := MCPContent{Type: "resource", MIMEType: f.ContentType, Data: data, URI: x.fileURI(f)}
	switch kind, _, _ := strings.Cut(strings.ToLower(f.ContentType), "/"); {
	case err != nil:
		return nil, &Error{Code: CodeInternal, cause: fmt.Errorf("reading the File: %w", err)}
	case len(data) > maxFileBlock:
		where := ""
		if t.isServedBy(TransportREST) {
			where = "; over HTTP it is at " + x.routeURL()
		}
		return nil, Errorf(CodeResourceExhausted, "the file has more than %d bytes, which is as much as fits into an answer%s",
			maxFileBlock, where)
	case kind == "image", kind == "audio":
		c.Type = kind
	case kind == "text" && utf8.Valid(data):
		c.Text, c.Data = string(data), nil
	}
	return []MCPContent{c}, nil
}

// fileURI returns the URI of a File, which must have a scheme: Python clients up to 1.x drop a
// result whose URI is only a path. It is the first of these that applies:
//
//	the method is a resource         exports://5
//	BaseURL is https://a.example     https://a.example/exports/5
//	none of these                    file:///May.csv, by the name of the File
func (x *exchange) fileURI(f *File) string {
	t := x.message.tool
	if t.isResource() {
		if uri, ok := t.mcp.uri.expand(x.message.arguments); ok {
			return uri
		}
	}
	if u, err := url.Parse(t.baseURL); err == nil && u.IsAbs() && u.Host != "" && t.isServedBy(TransportREST) {
		return x.routeURL()
	}
	return "file:///" + url.PathEscape(cmp.Or(fileName(f.Name), t.name))
}

// routeURL returns the URL of the call over REST, without a query, such as /exports/5: with
// Defaults.BaseURL in front.
func (x *exchange) routeURL() string {
	m := x.method
	path := x.h.service.prefix + m.path
	for i := range m.placeholders { // every placeholder has a field
		p := &m.bind.rest.params[wherePath][i]
		value := textOr(string(memberAt(x.message.arguments, p.name)))
		if p == m.bind.rest.tail {
			path = strings.Replace(path, "{"+p.sourceName+"...}", escapeTail(value), 1)
			continue
		}
		path = strings.Replace(path, "{"+p.sourceName+"}", url.PathEscape(value), 1)
	}
	return strings.TrimRight(m.baseURL, "/") + path
}

// runStream adds the items of a stream to the result as {"items":[…]}, since a result of
// MCP is one message. It reports each item as progress.
func (x *exchange) runStream(_ context.Context, cancel context.CancelCauseFunc, stream any) error {
	x.addJSON(structuredName)
	start := len(x.ws.enc.buf)
	err := x.collect(cancel, stream, func(n int) { x.stream.sendProgress(float64(n), 0, "", false) })
	if err == nil {
		err = x.addText(start)
	}
	return err
}

// readParams is the paramsReader of a single message. It sets the fields of x.message. If
// the name of a tool comes before its arguments, it decodes these. It leaves arguments to
// bindInput for the same reasons as rpcCall.readParams.
func (x *exchange) readParams(msg *rpcMessage) {
	s, m := &x.ws.dec.scan, x.message
	m.found = true
	var seen [mcpMetaMember + 1]bool
	others := nameSet{base: len(s.names)}
	s.openBracket()
	for i, ok := mcpNames.readNext(s, &others, -1, true); ok; i, ok = mcpNames.readNext(s, &others, i, false) {
		if i < 0 {
			s.skipValue()
			continue
		}
		if seen[i] {
			s.failDuplicate()
		}
		seen[i] = true
		if t := m.tool; i == mcpArgumentsMember && t != nil && s.peek() == '{' && t.method.bindsEarly(x) {
			start := s.pos
			x.setInputOptions(t)
			msg.input, msg.inputErr = t.bind.readObject(&x.ws.dec)
			m.arguments = s.data[start:s.pos]
			continue
		}
		value := s.skipValue()
		if s.err != nil {
			break
		}
		m.setMember(i, value)
		if i == mcpNameMember && isText(value) && string(msg.method) == "tools/call" {
			m.tool = x.h.tools[string(textOf(value))]
		}
	}
	others.forgetNames(s)
}

// addOutput adds the output of the method to the result, in the form that compileOutput chose.
func (x *exchange) addOutput(out any) error {
	t := x.message.tool
	if err := x.addResultMeta(out); err != nil {
		return err
	}
	start := len(x.ws.enc.buf)
	switch {
	case t.out == nil:
		x.addJSON(`"content":[{"type":"text","text":"done"}],"isError":false`) // some hosts refuse an empty list
		return nil
	case t.output != nil:
		if err := x.addStructured(out); err != nil {
			return err
		}
	}
	if t.ownContent {
		content, err := x.contentOf(out)
		if err != nil {
			return err
		}
		size := 0
		if t.output != nil {
			size = utf8.RuneCount(x.ws.enc.buf[start+len(structuredName):])
			x.addJSON(`,`)
		}
		x.addJSON(`"content":`)
		err = x.addBlocks(content, size, x.appendBlock)
		x.addJSON(`,"isError":false`)
		return err
	}
	return x.addText(start + len(structuredName))
}

// structuredName begins the structured content in a result.
const structuredName = `"structuredContent":`

// addStructured adds the output as structured content.
func (x *exchange) addStructured(out any) (err error) {
	t := x.message.tool
	x.addJSON(structuredName)
	if t.wrapper != "" {
		x.addJSON(`{"` + t.wrapper + `":`)
	}
	if x.ws.enc.buf, err = appendRecord(&x.ws.enc, x.ws.enc.buf, out, t.encode); err == nil && t.wrapper != "" {
		x.addJSON(`}`)
	}
	return err
}

// addText adds the structured content, which begins at start in ws.enc.buf, a second time
// as a block of text (MCP 2025-06-18, Tools, Structured Content).
func (x *exchange) addText(start int) error {
	text := x.ws.enc.buf[start:]
	if len(text) > x.h.options.MaxResult { // most texts are shorter
		if err := x.checkSize(utf8.RuneCount(text)); err != nil {
			return err
		}
	}
	x.addJSON(`,"content":[{"type":"text","text":`)
	x.ws.enc.buf = appendQuotedJSON(x.ws.enc.buf, text)
	x.addJSON(`}],"isError":false`)
	return nil
}

// cutErrorText cuts the text of err to MCPOptions.MaxResult characters, but never the code
// at its beginning. It does not cut an error of checkSize.
func (x *exchange) cutErrorText(text []byte, err error) []byte {
	if len(text) <= x.h.options.MaxResult || errors.Is(err, errTooLong) {
		return text
	}
	n := 0
	for i := range string(text) {
		if n++; n > x.h.options.MaxResult {
			return text[:max(i, bytes.IndexByte(text, ':'))]
		}
	}
	return text
}

// appendErrorText appends an error as a text for models. Each violation has a line, unless
// the message already ends in it, so that the model can repair its call:
//
//	INVALID_ARGUMENT: invalid input: /title is required
//
//	INVALID_ARGUMENT: the order cannot be changed
//	- /title is required
//	- /stars must be at most 5
//	details: {"limit":10}
//
// The reason follows the message unless the message already contains its words: list_full is not
// added to "the list is full".
func appendErrorText(dst []byte, e *Error) []byte {
	dst = append(append(dst, e.code()...), ": "...)
	begin := len(dst)
	if e.found != nil && e.Message == "" {
		dst = e.found.appendMessage(dst)
	} else {
		dst = append(dst, e.message()...)
	}
	message := dst[begin:]
	if reason := e.sentReason(); reason != "" && !saysWords(string(message), reason) {
		dst = append(append(append(dst, " (reason: "...), reason...), ')')
	}
	var list []Violation
	if e.found != nil {
		list = e.found.list
	}
	details := e.wireDetails()
	if own, ok := details["violations"].([]Violation); ok {
		list, details = own, maps.Clone(details)
		delete(details, "violations")
	}
	for i := range list {
		start := len(dst)
		dst = append(append(dst, "\n- "...), list[i].Path...)
		if list[i].Path != "" && list[i].Message != "" {
			dst = append(dst, ' ')
		}
		dst = append(dst, list[i].Message...)
		if len(list) == 1 && bytes.HasSuffix(message, dst[start+len("\n- "):]) {
			dst = dst[:start]
		}
	}
	if len(details) > 0 {
		dst = appendDetailsObject(append(dst, "\ndetails: "...), details)
	}
	return dst
}

// saysWords reports whether a text contains all words of a reason, in any order and case.
func saysWords(text, reason string) bool {
	text = strings.ToLower(text)
	for word := range strings.SplitSeq(reason, "_") {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
