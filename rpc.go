package svc

// This file serves every method of a service over JSON-RPC 2.0, on one endpoint.
// In this order:
//
//   - RPC and its handler: one HTTP request
//   - one message: the call and its result
//   - errors, including errors of messages that make no call
//   - batches: several goroutines for one request
//   - rpc.discover: the OpenRPC document
//
// jsonrpc.go reads and writes the messages.

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxBatch is the maximum number of calls in a batch. A small body has room for a million calls,
// which is too much work for one request.
const maxBatch = 1000

// RPC returns a handler that serves every method over JSON-RPC 2.0: single calls, notifications and
// batches, by POST. A method is called as resource.name: todos.mark_done for MarkDone. Params are
// the fields of the input by their JSON names. The result of a method without an output is null,
// and the result of a [Stream] is {"items":[…]}. An error has the number of its code:
//
//	{"code":-32005,"message":"no such todo","data":{"code":"NOT_FOUND"}}
//
// A batch has at most 1,000 calls. They run concurrently, at most 8 at a time, and are answered in
// order, in at most 16 MiB. Headers that a method adds to [Info].Header are not sent.
// doc/jsonrpc.md has more about params, batches, the log and the protocol's own errors.
//
// The method rpc.discover returns the OpenRPC document of the service. RPC panics if the
// service has a resource named rpc, which is reserved (JSON-RPC 2.0, section 8).
func (s *Service) RPC() http.Handler {
	for _, m := range s.methodsOn(TransportRPC) {
		if m.resource == "rpc" {
			panic("svc: JSON-RPC reserves names that start with rpc., so it cannot serve " + m.goName +
				"; put it into another resource than rpc")
		}
	}
	h := &rpcHandler{endpoint: s.newEndpoint(TransportRPC), methods: s.namesOn(TransportRPC), document: buildOpenRPC(&s.service)}
	h.names = s.knownOn(TransportRPC)
	h.batches.New = func() any { return new(rpcBatch) }
	return h
}

// An rpcHandler serves all methods of a service. The options of its endpoint apply to the request
// as a whole, and the options of a method to its calls.
type rpcHandler struct {
	endpoint
	methods  map[string]*method // by resource.name
	names    []knownName        // for suggestions
	document []byte             // the result of rpc.discover
	batches  sync.Pool          // of *rpcBatch
}

func (h *rpcHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond answers every message of the body. It returns errors of the request as a whole; errors of
// calls are part of the response.
func (h *rpcHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	if r.Method != http.MethodPost {
		return notAllowed(http.MethodPost)
	}
	err := checkRPCType(w, r)
	if err == nil {
		err = ws.readBody(r, h.limits, keepAll)
	}
	if isBusy(err) {
		h.refuseBody(w, r, ws, ErrorFrom(err))
		return nil
	}
	if err != nil {
		return err
	}
	// The call and the header must be on the heap, and are one allocation like this.
	var single struct {
		rpcCall
		values headerValues
	}
	c := &single.rpcCall
	c.call = call{Context: r.Context(), endpoint: &h.endpoint, request: r, response: w.Header(), ws: ws}
	c.handler = h
	ws.text.readText(&ws.dec.scan, ws.body, maxBatch, c)
	switch err = c.answerText(); {
	case err != nil:
	case len(ws.enc.buf) == 0: // only notifications, which get no response (JSON-RPC 2.0, section 4.1)
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, r, http.StatusOK, ws.enc.buf, &single.values)
	}
	return err
}

// checkRPCType is checkJSON, but also accepts the two former media types of JSON-RPC over HTTP. As
// with application/json, pages of other sites cannot send these types without a preflight request.
func checkRPCType(w http.ResponseWriter, r *http.Request) error {
	if isPlainJSON(r) {
		return nil
	}
	subtype := requestSubtype(r)
	if subtype == "json-rpc" || subtype == "jsonrequest" {
		return checkUncompressed(w, r)
	}
	return checkSubtype(w, r, subtype)
}

// refuseBody responds with e, an error of isBusy, to a message whose body is large and was not read
// to its end. The response has the id if it was already read, but never for a batch.
func (h *rpcHandler) refuseBody(w http.ResponseWriter, r *http.Request, ws *workspace, e *Error) {
	ws.leaveBody(r)
	id := idBefore(ws.body)
	if id == nil {
		id = rpcNull
	}
	ws.enc.buf = appendRPCErrorOf(ws.enc.buf, e, id)
	writeJSON(w, r, http.StatusOK, ws.enc.buf, new(headerValues))
}

// answerText makes the body of the response in ws.enc.buf, which is empty before, and stays so if
// there are only notifications. c is the call of a single message.
func (c *rpcCall) answerText() error {
	text := &c.ws.text
	switch err := c.ws.dec.scan.err; {
	case err != nil:
		return rpcProtocolError(rpcParseError, CodeInvalidArgument, "Parse error",
			Violation{In: inBody, Rule: err.rule, Message: err.describe("the text")})
	case !text.batch:
		c.answerMessage(&text.messages[0])
	case text.count == 0:
		return rpcRequestError(rpcEmptyBatch.inBody(""))
	case text.count > maxBatch:
		return rpcProtocolError(rpcInvalidRequest, CodeResourceExhausted, "a batch has at most 1000 calls")
	default:
		b := c.handler.batches.Get().(*rpcBatch)
		b.answerMessages(c.handler, c.request, c.ws)
		c.handler.batches.Put(b)
	}
	return nil
}

// writeErrorResponse answers the whole request with err: one of rpcProtocolError, or one of
// HTTP, which is an invalid request for JSON-RPC. The id is null, since the error belongs to
// no message.
func (h *rpcHandler) writeErrorResponse(w http.ResponseWriter, _ *http.Request, err error) {
	e := *ErrorFrom(err)
	e.number = cmp.Or(e.number, rpcInvalidRequest)
	writeErrorBody(w, e.HTTPStatus(), e.header, contentTypeJSON, appendRPCErrorOf(nil, &e, rpcNull), new(headerValues))
}

// An rpcCall is the carrier of one message.
type rpcCall struct {
	call
	handler *rpcHandler
	msg     *rpcMessage
}

// readParams is the paramsReader of JSON-RPC. In a batch it also leaves params with
// violations to bindInput, since the decoder keeps only one error.
func (c *rpcCall) readParams(msg *rpcMessage) {
	m := c.handler.methods[string(msg.method)]
	if msg.target = m; m == nil || !m.bindsEarly(c.request.Context()) {
		return
	}
	if msg.input, msg.inputErr = m.bind.readObject(&c.ws.dec); c.ws.text.batch {
		msg.inputErr = nil
	}
}

// answerMessage appends the response to msg to ws.enc.buf, or nothing if msg needs none.
//
// It writes the result before it knows whether the call succeeds, to avoid a copy. After an error
// it drops all appended bytes, because a failed encoder may leave an incomplete value.
func (c *rpcCall) answerMessage(msg *rpcMessage) {
	ws := c.ws
	if c.msg = msg; msg.kind == rpcRequest || msg.kind == rpcNotification {
		var found bool
		if c.method, found = msg.target.(*method); !found {
			c.method = c.handler.methods[string(msg.method)]
		}
	}
	if err := ws.budget.checkNext(c); err != nil {
		c.observeSkipped(c, err)
		c.appendError(err)
		return
	}
	before := ws.enc.buf
	ws.enc.buf = beginRPCResult(before)
	err := c.appendResult()
	if err == nil && msg.kind != rpcNotification {
		ws.enc.buf = endRPCResult(ws.enc.buf, msg.id)
	} else {
		ws.enc.buf = before
		c.appendError(err)
	}
	if tooLarge := ws.budget.keepAnswer(len(ws.enc.buf) - len(before)); tooLarge != nil {
		err, ws.enc.buf = tooLarge, before
		c.appendError(err)
	}
	c.end(c, err)
}

// appendError appends the response that says that the call failed with err, if it did
// and if msg wants a response. A notification gets no error either (JSON-RPC 2.0,
// section 4.1).
func (c *rpcCall) appendError(err error) {
	if err == nil || c.msg.kind == rpcNotification {
		return
	}
	id := c.msg.id
	if id == nil {
		id = rpcNull
	}
	c.ws.enc.buf = appendRPCErrorOf(c.ws.enc.buf, ErrorFrom(c.inWords(c, err)), id)
}

// meant returns the end of a message about an unknown method. In a batch it is empty, because a
// search for each of its calls would cost much more than the calls.
func (c *rpcCall) meant() string {
	if c.response == nil {
		return ""
	}
	return suggestName(string(c.msg.method), c.handler.names)
}

// appendResult makes the call that the message asks for and appends its result.
func (c *rpcCall) appendResult() error {
	switch {
	case c.msg.kind == rpcInvalid:
		return rpcRequestError(*c.msg.violation)
	case c.msg.kind == rpcResponse:
		return rpcRequestError(rpcNoName.inBody("/method")) // svc sends no requests, so no response belongs here
	case c.method == nil && string(c.msg.method) == "rpc.discover":
		c.ws.enc.buf = append(c.ws.enc.buf, c.handler.document...)
		return checkNoParams(c.msg.params)
	case c.method == nil:
		return rpcProtocolError(rpcNoMethod, CodeUnimplemented, "Method not found"+c.meant())
	}
	err := c.run(c)
	switch {
	case c.response == nil: // in a batch, where one response answers all calls
	case err == nil:
		c.markReplayed(c.response)
	default:
		c.ws.before.restore(c.response)
		if c.refused {
			setErrorHeader(c.response, ErrorFrom(err).header) // the challenge
		}
	}
	return err
}

func (c *rpcCall) httpStatus(error) int {
	if c.msg.kind == rpcNotification {
		return http.StatusNoContent
	}
	return http.StatusOK
}

func (c *rpcCall) rpcName() string { return rpcName(c.method) }

// rpcName returns the name of a method over JSON-RPC, such as todos.mark_done.
func rpcName(m *method) string { return m.resource + "." + m.name }

// readText does nothing, since respond has read the whole message.
func (c *rpcCall) readText() error { return nil }

func (c *rpcCall) bindInput() (any, error) {
	msg := c.msg
	read := msg.input
	msg.input = nil // or a long batch would keep it until its end
	if c.method.in == nil && len(msg.params) > 0 && msg.params[0] == '[' {
		if err := checkNoParams(msg.params); err != nil {
			return nil, err
		}
		msg.params = nil
	}
	if msg.twin {
		return nil, errTwin
	}
	if c.method.key != nil {
		c.readKey(&c.ws.dec, "/"+keyHeader, c.request.Header[keyHeader])
	}
	if c.keyed != nil && c.inBatch() { // all calls share the header, and a batch can be sent again unchanged
		if msg.kind == rpcNotification {
			c.ws.dec.forgetKey() // the input is not read
			return nil, Errorf(CodeInvalidArgument,
				"a notification in a batch has no id of which its idempotency key could be made, so it was not run")
		}
		c.keyed.key = string(appendIDValue([]byte(c.keyed.key+"#"), msg.id))
	}
	in, err := c.bindObject(msg.params, read, msg.inputErr)
	if err == nil && !c.inBatch() && cap(c.ws.body) > maxPooled {
		*msg = rpcMessage{kind: msg.kind, id: bytes.Clone(msg.id)} // the rest is done
		c.ws.forgetBody()
	}
	return in, err
}

func (c *rpcCall) encodeOutput(out any) (err error) {
	enc := &c.ws.enc
	switch {
	case c.msg.kind == rpcNotification:
	case c.method.out == nil:
		enc.buf = append(enc.buf, "null"...)
	default:
		enc.buf, err = appendRecord(enc, enc.buf, out, c.method.encode)
	}
	return err
}

// runStream appends the items of the stream as one result.
func (c *rpcCall) runStream(_ context.Context, cancel context.CancelCauseFunc, stream any) error {
	if c.msg.kind == rpcNotification {
		return c.method.discardStream(cancel, stream)
	}
	return c.collect(cancel, stream, nil)
}

// checkNoParams checks the params of a method without an input, but not the names in an
// object. A list must be empty, since its values cannot mean anything.
func checkNoParams(params []byte) error {
	if len(params) == 0 || params[0] == '{' || len(bytes.TrimLeft(params[1:], " \t\r\n")) == 1 {
		return nil
	}
	var v violations
	v.addViolation(Violation{In: inBody, Rule: "maxItems", Message: "must be empty, since the method takes no input", Limit: "0"})
	return v.err()
}

// appendRPCErrorOf appends the response for e. Its data contains the code, the reason and the
// details of e, like the envelope of REST.
func appendRPCErrorOf(dst []byte, e *Error, id []byte) []byte {
	var buf [512]byte
	return appendRPCError(dst, e.RPCCode(), e.message(), appendRPCData(buf[:0], e), id)
}

func appendRPCData(dst []byte, e *Error) []byte {
	dst = appendQuoted(append(dst, `{"code":`...), string(e.code()))
	return append(appendDetails(appendReason(dst, e), e), '}')
}

// rpcEmptyBatch is the complaint about an array without messages (JSON-RPC 2.0,
// section 6).
var rpcEmptyBatch = &complaint{rule: "minItems", message: "a batch must have a call", limit: "1"}

// rpcProtocolError returns the error for a request that calls nothing, with the violation that
// caused it, if any. The status is 200, because many clients read the body only then. Where
// JSON-RPC 2.0, section 5.1, has a message, it is used.
func rpcProtocolError(number int32, code Code, message string, list ...Violation) *Error {
	e := &Error{Code: code, Message: message, sentParts: sentParts{status: http.StatusOK, number: number}}
	if list != nil {
		e.found = &violations{list: list}
	}
	return e
}

// rpcRequestError returns the error for a text that is JSON and no request.
func rpcRequestError(v Violation) *Error {
	return rpcProtocolError(rpcInvalidRequest, CodeInvalidArgument, "Invalid Request", v)
}

// batchWorkers is how many calls of one batch run at a time.
const batchWorkers = 8

// batchPatience is how long the goroutine of the request answers a batch alone. Most batches are
// answered by then. If workers started at once, a batch of 20 short calls would be 17 to 29 %
// slower and take 13 allocations more.
const batchPatience = 100 * time.Microsecond

// An rpcBatch answers one batch. The goroutine of the request answers messages from the
// start. If there are messages left after batchPatience, a timer starts helpers that
// answer messages too, so that the waiting times of calls do not add up.
//
// Invariants:
//
//	messages[:next] are taken, each by one worker, the only one that writes its answer
//	every goroutine is counted in running before it starts
//	answers alias the buffers of the workspaces, or buffers that workers have
//	  given up; all of them live until they are joined
//	budget counts the lengths of answers that are results
type rpcBatch struct {
	handler  *rpcHandler
	request  *http.Request
	slot     *slot // of the request, for all its calls
	messages []rpcMessage
	answers  [][]byte // in the order of messages; empty if a message needs none
	body     []byte   // of the response, before it takes the place of ws.enc.buf
	budget   batchBudget

	next     atomic.Int64                 // the first message that is not taken
	running  sync.WaitGroup               // the timer and the helpers
	helpers  [batchWorkers - 1]*workspace // of the helpers; nil for an idle one
	panicked atomic.Pointer[any]          // the value that a helper panicked with first
}

// answerMessages makes the body of the response to ws.text in ws.enc.buf. When it returns
// or panics, every call has ended.
func (b *rpcBatch) answerMessages(h *rpcHandler, r *http.Request, ws *workspace) {
	n := len(ws.text.messages)
	*b = rpcBatch{handler: h, request: r, slot: ws.slot, messages: ws.text.messages, answers: slices.Grow(b.answers[:0], n)[:n],
		body: b.body}
	if len(r.Header[keyHeader]) > 0 {
		b.findTwins()
	}
	b.runWorkers(ws)
	if v := b.panicked.Load(); v != nil {
		panic(*v) // on this goroutine net/http or a middleware recovers from it
	}
	b.budget.logRest(r.Context(), &h.endpoint, r)
	b.joinAnswers()
	for _, helper := range b.helpers {
		if helper != nil {
			h.service.returnWorkspace(helper)
		}
	}
	clear(b.answers) // a pool must not keep a request alive
	// The workspace keeps the body until it is written, and the batch takes its buffer.
	ws.enc.buf, *b = b.body, rpcBatch{answers: b.answers, body: ws.enc.buf}
}

// errTwin is the error of a call with the same key as an earlier call of its batch.
var errTwin = Errorf(CodeInvalidArgument, "another call of the batch has this id, of which its idempotency key is made, so it was not "+
	"run; give each call an id of its own")

// findTwins marks each call with a key whose id equals the id of an earlier call with a key in the
// batch: both would have the same key, and their answers could not be told apart.
func (b *rpcBatch) findTwins() {
	seen := make(map[string]bool)
	for i := range b.messages {
		msg := &b.messages[i]
		m := b.handler.methods[string(msg.method)]
		if msg.kind == rpcRequest && m != nil && m.key != nil {
			id := string(appendIDValue(nil, msg.id))
			msg.twin = seen[id]
			seen[id] = true
		}
	}
}

// appendIDValue appends an id by its value, since a repetition may spell it in another way:
//
//	"a", "\u0061"   "a"
//	1, 1.0, 10e-1   1e0
func appendIDValue(dst, id []byte) []byte {
	switch {
	case isText(id):
		return appendQuoted(dst, textOf(id))
	case isJSONNumber(id):
		return appendDecimal(dst, id)
	}
	return append(dst, id...) // null
}

// runWorkers answers all messages, with the helpers that the timer starts. It waits for
// them even if it panics: a method must not run after its request has ended.
func (b *rpcBatch) runWorkers(ws *workspace) {
	b.running.Add(1)
	timer := time.AfterFunc(batchPatience, b.startHelpers)
	defer func() {
		b.stopWorkers()
		if timer.Stop() {
			b.running.Done() // startHelpers never runs
		}
		b.running.Wait()
	}()
	b.answerUntilDone(ws)
}

// startHelpers starts as many helpers as there is work for.
func (b *rpcBatch) startHelpers() {
	defer b.running.Done()
	for i := range min(len(b.helpers), len(b.messages)-int(b.next.Load())) {
		b.running.Add(1)
		go b.helpOut(i)
	}
}

// helpOut answers messages on its own goroutine. It passes a panic, which would end the process
// here, on to the goroutine of the request.
func (b *rpcBatch) helpOut(i int) {
	done := false
	defer func() {
		if v := recover(); !done {
			if v == nil { // a method called runtime.Goexit, so its answer is missing
				v = http.ErrAbortHandler
			}
			b.panicked.CompareAndSwap(nil, &v)
			b.stopWorkers()
		}
		b.running.Done()
	}()
	ws := b.handler.service.borrowWorkspace(true)
	ws.slot = b.slot
	b.helpers[i] = ws
	b.answerUntilDone(ws)
	done = true
}

// callsAtOnce is how many calls a worker allocates together. A context that a method keeps keeps
// as many in memory, of about 100 bytes each.
const callsAtOnce = 8

// answerUntilDone answers messages until none are left. A worker gives up a buffer that has grown
// large, because appending to it would copy its answers again and again.
func (b *rpcBatch) answerUntilDone(ws *workspace) {
	ws.budget = &b.budget
	defer ws.giveSlot()
	var calls []rpcCall
	for {
		i := int(b.next.Add(1)) - 1
		if i >= len(b.messages) {
			return
		}
		start := len(ws.enc.buf)
		if len(calls) == 0 {
			calls = make([]rpcCall, min(callsAtOnce, len(b.messages)-i))
		}
		c := &calls[0]
		calls = calls[1:]
		c.handler, c.Context, c.endpoint, c.request, c.ws = b.handler, b.request.Context(), &b.handler.endpoint, b.request, ws
		c.answerMessage(&b.messages[i])
		b.answers[i] = ws.enc.buf[start:] // stays valid where the next answer makes the buffer grow
		if len(ws.enc.buf) > maxPooled {
			ws.enc.buf = nil
		}
	}
}

// stopWorkers leaves no message for workers to answer.
func (b *rpcBatch) stopWorkers() { b.next.Store(int64(len(b.messages))) }

func (b *rpcBatch) joinAnswers() {
	size := len("[]")
	for _, answer := range b.answers {
		size += len(answer) + len(",")
	}
	b.body = slices.Grow(b.body[:0], size)
	for _, answer := range b.answers { // each behind a comma, of which the first becomes the bracket
		if len(answer) > 0 {
			b.body = append(append(b.body, ','), answer...)
		}
	}
	if len(b.body) > 0 {
		b.body[0] = '['
		b.body = append(b.body, ']')
	}
}

// buildOpenRPC returns the OpenRPC document of s, by version 1.3.2 of the OpenRPC
// specification. RPC makes it once. Each named type is a component.
//
//	Member of a method  Here
//	------------------  ------------------------------------------------
//	name                resource.name
//	description         MethodOptions.Description, and under Options.Strict that
//	                    unknown params are refused; absent if that is empty
//	tags                the resource
//	paramStructure      by-name
//	params              the fields of the input, required fields first
//	result              the output, or {"type":"null"}
//	errors              MethodOptions.Errors and Options.Errors, grouped by code
//	deprecated          MethodOptions.Deprecated; absent if it is not set
//	x-idempotencyKey    MethodOptions.IdempotencyKey, about the header; absent without one
//	x-security          the schemes and scopes, in the form of OpenAPI, since OpenRPC says
//	                    nothing about identity; absent if everybody may call the method
func buildOpenRPC(s *service) []byte {
	methods := inSourceOrder(s.methodsOn(TransportRPC))
	c, schemes, out := newComponents(jsonSchema, s.typeNames,
		sentTypes(methods)), listSchemes(s.methods), openMembers(make([]byte, 0, 1024*len(methods)))
	out.add("openrpc", "1.3.2", "info", s.documentInfo(false, s.about.markdown))
	out.open("methods", '[')
	for _, m := range methods {
		about := m.describe().markdown
		if m.strict { // OpenRPC has no member for this
			about = strings.TrimSpace(about + " Unknown params are refused.")
		}
		out.openItem()
		out.addText("name", rpcName(m))
		out.add("description", about)
		out.open("tags", '[')
		out.openItem()
		out.addText("name", m.resource)
		out.buf = append(out.buf, `}],"paramStructure":"by-name"`...)
		c.writeParams(&out, m.in)
		c.writeResult(&out, m.result)
		out.add("errors", m.listRPCErrors(), "deprecated", m.deprecated, "x-idempotencyKey", string(m.keyUse()))
		at := out.open("x-security", '[')
		m.addSecurity(&out, schemes, true)
		out.closeSome(at, ']')
		out.end("}")
	}
	out.end("]")
	out.add("components", object("schemas", c.writeSchemas()))
	return out.close()
}

// writeParams writes the params of a method with the input in, or nil without an input: required
// params first (OpenRPC 1.3, Method Object). A field that is not a member of JSON objects is a
// param too, by the name of its path or query tag. Params that only some alternatives of a union
// have come last. If several alternatives have a param, its schema is anyOf their schemas.
func (c *components) writeParams(out *members, in *shape) {
	in = cmp.Or(in, new(shape))
	out.open("params", '[')
	for _, required := range [...]bool{true, false} {
		for _, f := range in.fields {
			if !f.isNameless() && f.isRequired() == required {
				out.openItem()
				out.add("name", f.name, "description", c.writer.textOf(f.doc), "required", required, "deprecated", f.deprecated)
				out.addName("schema")
				out.buf = append(c.writer.appendField(out.buf, f), '}')
			}
		}
	}
	var own []*field // the first of each name
	schemas := make(map[string][]byte)
	for _, a := range in.alternatives {
		for _, f := range a.fields[len(in.fields):] {
			schema, before := c.writer.appendField(nil, f), schemas[f.name]
			if before == nil {
				own, schemas[f.name] = append(own, f), schema
			} else if !bytes.Equal(before, schema) {
				schemas[f.name] = slices.Concat([]byte(`{"anyOf":[`), before, []byte{','}, schema, []byte(`]}`))
			}
		}
	}
	for _, f := range own {
		out.openItem()
		out.add("name", f.name, "description", c.writer.textOf(f.doc), "schema", schemas[f.name], "deprecated", f.deprecated)
		out.end("}")
	}
	out.end("]")
}

// writeResult writes the result of a method. OpenRPC requires a name for it; the name of its type
// is used.
func (c *components) writeResult(out *members, result *shape) {
	out.open("result", '{')
	if result == nil {
		out.buf = append(out.buf, `"name":"result","schema":{"type":"null"}}`...)
		return
	}
	out.addText("name", cmp.Or(c.names[result], "result"))
	out.addName("schema")
	out.buf = append(c.writer.appendShape(out.buf, result), '}')
}

// listRPCErrors returns the declared errors of m, grouped by code. Each group has the data of its
// first error, and the message lists the reasons if there are several.
func (m *method) listRPCErrors() (list [][]byte) {
	for i, e := range m.errors {
		isSame := func(other *Error) bool { return other.RPCCode() == e.RPCCode() }
		if slices.ContainsFunc(m.errors[:i], isSame) {
			continue
		}
		text := (*Error).message
		if slices.ContainsFunc(m.errors[i+1:], func(other *Error) bool { return isSame(other) && other.reason != e.reason }) {
			text = (*Error).messageWithReason
		}
		message := text(e)
		for _, other := range m.errors[i+1:] {
			if isSame(other) && !strings.Contains(message, text(other)) {
				message += "; " + text(other)
			}
		}
		list = append(list, object("code", strconv.AppendInt(nil, int64(e.RPCCode()), 10), "message", message, "data",
			appendRPCData(nil, e)))
	}
	return list
}
