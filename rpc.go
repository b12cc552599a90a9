package svc

// This file serves every method of a service over JSON-RPC 2.0, on one endpoint.
// rpc_envelope.go reads the messages and writes the answers, rpc_batch.go
// answers many at once, rpc_discover.go writes the OpenRPC document.
//
// This file reads JSON-RPC 2.0 messages out of a text and writes the answers.
// It knows nothing of services, of methods or of HTTP: rpc.go and mcp.go, which
// differ in what they make of a message, both start from here.
//
// This file makes the errors of JSON-RPC itself, where nothing was called. The
// texts are those of JSON-RPC 2.0, section 5.1, where it has one.
//
// This file answers the calls of a JSON-RPC batch concurrently.

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// maxBatch is how many calls one batch may have. A batch of a million calls
// fits into a small body, and one client should not get to ask for that.
const maxBatch = 1000

// RPC returns a handler that serves every method over JSON-RPC 2.0: single
// calls, notifications and batches, by POST.
//
// A method is called as resource.name: todos.mark_done for MarkDone. It also
// answers to todos.markDone and to todos.markdone. Params are given by name: the
// fields of the input by their wire names, wherever REST takes them from. A
// method without an input takes no params, {} or []. As many clients send it,
// "params":null counts as absent. A result of nothing is null. The items of a
// [Stream] are collected into {"items":[…]}, at most 1,000.
//
// An error has the number of its code, its message, and in data its code and
// details, as the envelope of REST has them:
//
//	{"code":-32005,"message":"no such todo","data":{"code":"NOT_FOUND"}}
//
// What is no JSON is -32700, what is no request -32600, an unknown method
// -32601, a wrong input -32602 with every [Violation].
//
// The calls of a batch run concurrently, at most 8 at a time, and are answered
// in their order. A batch of more than 1,000 is refused whole. What a method of
// a batch adds to Info.Header goes nowhere, since one response answers for all.
//
// The status is 200 with an answer and 204 without one: for notifications, also
// as the whole of a batch. Faults of HTTP itself have their own status, with an
// error of number -32600: 405 for another method than POST, 415 for a body that
// does not say it is JSON, 413 and 408 for one beyond Options.MaxBody and
// Options.BodyTimeout (after [Join], those of the first service).
//
// The method rpc.discover returns the OpenRPC document of the service. Names
// that start with "rpc." are reserved (JSON-RPC 2.0, sections 4 and 8), so RPC panics
// if the service has a resource of the name rpc.
func (s *Service) RPC() http.Handler {
	for _, m := range s.methods {
		if m.resource == "rpc" {
			panic("svc: JSON-RPC reserves names that start with rpc., so it cannot serve " + m.goName + "; put it into another resource than rpc")
		}
	}
	return &rpcHandler{
		endpoint: s.endpoint(TransportRPC),
		document: appendOpenRPC(nil, s),
		pool:     &sync.Pool{New: func() any { return new(rpcExchange) }},
	}
}

// An rpcHandler serves all methods of a service on one endpoint.
type rpcHandler struct {
	endpoint
	document []byte // what rpc.discover answers
	pool     *sync.Pool
}

var _ http.Handler = (*rpcHandler)(nil)

func (h *rpcHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond answers the request, or returns the error to answer the whole of it
// with.
func (h *rpcHandler) respond(w http.ResponseWriter, r *http.Request, sc *workspace) error {
	sc.dec.lean = true // nobody but svc sees the errors of this transport
	if r.Method != http.MethodPost {
		leaveBody(w, r)
		w.Header().Set("Allow", http.MethodPost)
		return rpcHTTPError(httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: POST"))
	}
	err := checkContentType(w, r)
	if err == nil {
		sc.body, err = h.limits.readBody(w, r, sc.body[:0])
	}
	if err != nil {
		return rpcHTTPError(err)
	}
	x := h.pool.Get().(*rpcExchange)
	x.text.readText(&sc.dec.scan, sc.body, maxBatch)
	body, err := h.answer(w, r, sc, x)
	switch {
	case err != nil:
	case len(body) == 0: // to a notification there is no response (JSON-RPC 2.0, section 4.1)
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, r, body)
	}
	h.giveBack(x)
	return err
}

// answer returns the body of the response: nothing, if there is nobody to
// answer.
func (h *rpcHandler) answer(w http.ResponseWriter, r *http.Request, sc *workspace, x *rpcExchange) ([]byte, error) {
	switch {
	case sc.dec.scan.err != nil:
		return nil, rpcTextError(sc.dec.scan.err)
	case !x.text.batch:
		sc.enc.buf = sc.enc.buf[:0]
		worker := rpcWorker{h, r, w.Header(), sc}
		worker.answer(&x.text.messages[0])
		return sc.enc.buf, nil
	case x.text.count == 0:
		return nil, rpcRequestError(rpcEmptyBatch)
	case x.text.count > maxBatch:
		return nil, rpcProtocolError(rpcInvalidRequest, CodeResourceExhausted, "a batch has at most 1000 calls", nil)
	}
	return x.batch.answer(h, r, sc, x.text.messages), nil
}

// An rpcExchange is the memory that one request needs beside its scratch.
type rpcExchange struct {
	text  rpcText
	batch rpcBatch
}

// giveBack keeps x for another request, unless an unusual one made it large.
func (h *rpcHandler) giveBack(x *rpcExchange) {
	if cap(x.text.messages) > maxBatch/4 || cap(x.batch.body) > 64<<10 {
		return
	}
	x.text.reset()
	h.pool.Put(x)
}

// An rpcWorker answers messages, one after the other. It belongs to one
// goroutine.
type rpcWorker struct {
	handler *rpcHandler
	request *http.Request
	header  http.Header // for Info.Header
	ws      *workspace
}

// answer appends the response to msg to w.buf, or nothing if it wants none.
func (w *rpcWorker) answer(msg *rpcMessage) {
	before := w.ws.enc.buf
	w.ws.enc.buf = openRPCResult(w.ws.enc.buf)
	m, err := w.result(msg)
	if err == nil && msg.kind != rpcNotification {
		w.ws.enc.buf = closeRPCResult(w.ws.enc.buf, msg.id)
		return
	}
	w.ws.enc.buf = before // what a failed call leaves may be anything
	if err == nil {
		return
	}
	w.handler.logError(w.request.Context(), w.request, err, m)
	if msg.kind == rpcNotification {
		return // nobody hears of it (JSON-RPC 2.0, section 4.1)
	}
	id := msg.id
	if id == nil {
		id = rpcNull
	}
	w.ws.enc.buf = appendRPCFailure(w.ws.enc.buf, ErrorFrom(err), id)
}

// result appends what the call that msg asks for returns, if it is wanted. It
// returns the method too, where there is one.
func (w *rpcWorker) result(msg *rpcMessage) (*method, error) {
	switch {
	case msg.kind == rpcInvalid:
		return nil, rpcRequestError(msg.violation)
	case msg.kind == rpcResponse:
		return nil, rpcRequestError(rpcNoName) // nothing was asked
	case string(msg.method) == "rpc.discover":
		w.ws.enc.buf = append(w.ws.enc.buf, w.handler.document...)
		return nil, checkNoParams(msg.params)
	}
	m := w.handler.find(msg.method)
	if m == nil {
		return nil, rpcProtocolError(rpcNoMethod, CodeUnimplemented, "Method not found", nil)
	}
	return m, w.call(m, msg)
}

// find returns the method of a name such as todos.mark_done, or nil.
func (h *rpcHandler) find(name []byte) *method {
	dot := bytes.IndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	return h.service.names[methodName{string(name[:dot]), string(name[dot+1:])}]
}

func (w *rpcWorker) call(m *method, msg *rpcMessage) (err error) {
	ctx := &callContext{w.request.Context(), Info{Transport: TransportRPC, Resource: m.resource, Method: m.name, Request: w.request, Header: w.header}}
	var in any
	if m.bind == nil {
		err = checkNoParams(msg.params)
	} else {
		in, err = m.bindObject(&w.ws.dec, msg.params)
	}
	if err != nil {
		return err
	}
	if m.stream != "" {
		return w.callStream(ctx, m, in, msg)
	}
	out, err := m.invoke(ctx, in)
	if err != nil || msg.kind == rpcNotification {
		return err
	}
	if m.out == nil {
		w.ws.enc.buf = append(w.ws.enc.buf, "null"...)
		return nil
	}
	w.ws.enc.buf, err = m.appendOutput(&w.ws.enc, w.ws.enc.buf, out)
	return err
}

// callStream calls a method with more than one output, which go into one result.
func (w *rpcWorker) callStream(ctx context.Context, m *method, in any, msg *rpcMessage) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out, err := m.invoke(ctx, in)
	switch {
	case err != nil:
		return err
	case msg.kind == rpcNotification:
		return m.discardStream(cancel, out)
	}
	w.ws.enc.buf, err = m.appendItems(cancel, &w.ws.enc, w.ws.enc.buf, out, nil)
	return err
}

// checkNoParams refuses params by position where no input is taken. Names are
// ignored, as unknown properties are.
func checkNoParams(params []byte) error {
	if len(params) == 0 || params[0] == '{' || len(bytes.TrimLeft(params[1:], " \t\r\n")) == 1 {
		return nil
	}
	var v violations
	v.addViolation(Violation{inBody, "", "maxItems", "must be empty, since the method takes no input"})
	return v.makeError()
}

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
	kind      rpcKind
	violation *Violation // why it is invalid; nil for the other kinds
	id        []byte     // nil if absent, or not what an id may be
	method    []byte     // nil if absent, or no string
	params    []byte     // nil if absent
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

// readText reads a text by one strict pass over it. s.fault says whether it is JSON
// at all; if not, t means nothing. The messages beyond the limit are held to
// the rules of JSON and not kept.
func (t *rpcText) readText(s *scanner, text []byte, limit int) {
	s.reset(text)
	t.reset()
	if t.batch = s.peek() == '['; t.batch {
		s.openBracket()
		for first := true; s.more(']', first); first = false {
			t.next(s, limit)
		}
	} else {
		t.next(s, limit)
	}
	s.checkEnd()
}

// reset forgets the last text and keeps the memory.
func (t *rpcText) reset() {
	clear(t.messages) // they alias the last text
	*t = rpcText{messages: t.messages[:0]}
}

func (t *rpcText) next(s *scanner, limit int) {
	if t.count++; t.count > limit {
		s.skipValue()
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
		s.skipValue()
		m.violation = rpcNotObject
		return
	}
	var seen rpcMembers
	others := nameSet{base: len(s.names)}
	s.openBracket()
	for first := true; s.more('}', first); first = false {
		name := s.readName()
		value := seen.of(name)
		switch {
		case s.err != nil:
		case value == nil && !others.addName(s, name), value != nil && *value != nil:
			s.failDuplicate()
		}
		if text := s.skipValue(); value != nil {
			*value = text
		}
	}
	others.forgetNames(s)
	if s.err == nil {
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
		m.violation = rpcBadID
	case seen.version == nil:
		m.violation = rpcNoVersion
	case !isText(seen.version) || string(textOf(seen.version)) != "2.0":
		m.violation = rpcBadVersion
	case seen.method == nil && (seen.result != nil || seen.err != nil):
		m.kind = rpcResponse
	case seen.method == nil:
		m.violation = rpcNoName
	case m.method == nil:
		m.violation = rpcBadName
	case seen.params != nil && m.params == nil && seen.params[0] != 'n':
		m.violation = rpcBadParams
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

// rpcEmptyBatch is the flaw of a batch that is none (JSON-RPC 2.0, section 6).
var rpcEmptyBatch = &Violation{inBody, "", "minItems", "a batch must have a call"}

// rpcProtocolError returns the error for what calls nothing. It is answered with the
// status 200: as far as HTTP goes, all is well. v may be nil.
func rpcProtocolError(number int, code Code, message string, v *Violation) *Error {
	e := &Error{Code: code, Message: message, status: http.StatusOK, number: number}
	if v != nil {
		e.violations = []Violation{*v}
	}
	return e
}

func rpcRequestError(v *Violation) *Error {
	return rpcProtocolError(rpcInvalidRequest, CodeInvalidArgument, "Invalid Request", v)
}

// rpcTextError returns the error for a text that is not acceptable JSON.
func rpcTextError(f *syntaxError) *Error {
	return rpcProtocolError(rpcParseError, CodeInvalidArgument, "Parse error",
		&Violation{In: inBody, Rule: f.rule, Message: "the text is not valid JSON: " + f.Error()})
}

// rpcHTTPError returns the error for a fault of the HTTP exchange, which keeps
// its status.
func rpcHTTPError(err error) *Error {
	e := *ErrorFrom(err)
	e.number = rpcInvalidRequest
	return &e
}

// writeRefusal answers the whole request with err.
func (h *rpcHandler) writeRefusal(w http.ResponseWriter, _ *http.Request, err error) {
	e := ErrorFrom(err)
	var buf [512]byte
	writeErrorBody(w, e.HTTPStatus(), contentTypeJSON, appendRPCFailure(buf[:0], e, rpcNull))
}

// appendRPCFailure appends the response that tells of e.
func appendRPCFailure(dst []byte, e *Error, id []byte) []byte {
	var buf [512]byte
	return appendRPCError(dst, e.RPCCode(), e.message(), appendRPCErrorData(buf[:0], e), id)
}

// batchWorkers is how many calls of one batch run at a time.
const batchWorkers = 8

// batchPatience is how long a batch is left to one goroutine. Most are answered
// by then, for less than it costs to wake another processor.
const batchPatience = 100 * time.Microsecond

// An rpcBatch is one batch while it is being answered.
//
// The goroutine of the request is the first worker. If it is not through after
// batchPatience, a second one starts, and from then on each worker, as it takes
// its first message, starts one more if there is anything left to take. A
// goroutine that was started does not run before a processor has time for it, so
// that chain goes on while calls wait for something or processors do nothing,
// and no further.
//
// Invariants:
//
//	messages[:next] are taken, each by one worker, which alone writes its answer
//	every goroutine is counted in running before it starts
//	answers alias the buffers of the workers, which live until the body is made
type rpcBatch struct {
	handler  *rpcHandler
	request  *http.Request
	messages []rpcMessage
	answers  [][]byte // in the order of messages; empty if none is wanted
	body     []byte

	next    atomic.Int64
	running sync.WaitGroup           // the workers but the first
	helpers [batchWorkers]*workspace // theirs
	failure atomic.Pointer[any]      // what one of them panicked with
}

// answer returns the body of the response to messages, empty if none of them
// wants an answer. It returns after the last worker is done.
func (b *rpcBatch) answer(h *rpcHandler, r *http.Request, sc *workspace, messages []rpcMessage) []byte {
	b.handler, b.request, b.messages = h, r, messages
	if cap(b.answers) < len(messages) {
		b.answers = make([][]byte, len(messages))
	}
	b.answers = b.answers[:len(messages)]
	b.next.Store(0)
	b.run(sc)
	if v := b.failure.Load(); v != nil {
		panic(*v) // where net/http or a middleware recovers from it
	}
	b.join()
	for i, helper := range b.helpers {
		if helper != nil {
			h.service.returnWorkspace(helper)
			b.helpers[i] = nil
		}
	}
	b.handler, b.request, b.messages = nil, nil, nil
	clear(b.answers)
	return b.body
}

// run is the first worker. It waits for the others, also if it panics.
func (b *rpcBatch) run(sc *workspace) {
	b.running.Add(1)
	second := time.AfterFunc(batchPatience, func() { b.help(1) })
	defer func() {
		b.stop()
		if second.Stop() {
			b.running.Done() // it never started
		}
		b.running.Wait()
	}()
	b.work(sc, 0)
}

// stop leaves nothing for workers to take.
func (b *rpcBatch) stop() { b.next.Store(int64(len(b.messages))) }

// work answers messages until there are none left.
func (b *rpcBatch) work(sc *workspace, worker int) {
	sc.enc.buf = sc.enc.buf[:0]
	w := rpcWorker{b.handler, b.request, make(http.Header), sc}
	for first := true; ; first = false {
		i := int(b.next.Add(1)) - 1
		if i >= len(b.messages) {
			return
		}
		if first && 0 < worker && worker+1 < batchWorkers && i+1 < len(b.messages) {
			b.running.Add(1)
			go b.help(worker + 1)
		}
		start := len(sc.enc.buf)
		w.answer(&b.messages[i])
		b.answers[i] = sc.enc.buf[start:]
		clear(w.header) // it was for this call
	}
}

// help is the goroutine of every worker but the first. What it panics with is
// kept for the goroutine of the request: here it would end the process.
func (b *rpcBatch) help(worker int) {
	done := false
	defer func() {
		if v := recover(); !done {
			if v == nil { // a method has called runtime.Goexit
				v = http.ErrAbortHandler
			}
			b.failure.CompareAndSwap(nil, &v)
			b.stop()
		}
		b.running.Done()
	}()
	if int(b.next.Load()) < len(b.messages) {
		b.helpers[worker] = b.handler.service.borrowWorkspace()
		b.helpers[worker].dec.lean = true
		b.work(b.helpers[worker], worker)
	}
	done = true
}

// join makes the body of the answers.
func (b *rpcBatch) join() {
	b.body = append(b.body[:0], '[')
	for _, answer := range b.answers {
		if len(answer) == 0 {
			continue
		}
		if len(b.body) > 1 {
			b.body = append(b.body, ',')
		}
		b.body = append(b.body, answer...)
	}
	if b.body = append(b.body, ']'); len(b.body) == len("[]") {
		b.body = b.body[:0]
	}
}

// This file writes the OpenRPC 1.3 document of a service, which rpc.discover
// returns: what may be called, with which params, and what comes back.

const openRPCVersion = "1.3.2"

// An openRPCWriter writes one document. The types that methods name are written
// once, as components.
type openRPCWriter struct {
	service *Service
	schemas schemaWriter
	pending []*shape          // components that are referred to and not yet written
	written map[string]string // by name
}

// appendOpenRPC appends the document of s.
func appendOpenRPC(dst []byte, s *Service) []byte {
	w := &openRPCWriter{service: s, written: make(map[string]string)}
	w.schemas.ref = w.ref
	doc := openMembers(dst)
	doc.addText("openrpc", openRPCVersion)
	doc.addName("info")
	doc.buf = w.info(doc.buf)
	doc.addName("methods")
	doc.buf = append(doc.buf, '[')
	for i, m := range s.methods {
		if i > 0 {
			doc.buf = append(doc.buf, ',')
		}
		doc.buf = w.method(doc.buf, m)
	}
	doc.buf = append(doc.buf, ']')
	doc.addName("components")
	doc.buf = w.components(doc.buf)
	return doc.close()
}

func (w *openRPCWriter) info(dst []byte) []byte {
	m := openMembers(dst)
	m.addText("title", w.service.name)
	if w.service.description != "" {
		m.addText("description", w.service.description)
	}
	m.addText("version", w.service.version)
	return m.close()
}

func (w *openRPCWriter) method(dst []byte, method *method) []byte {
	m := openMembers(dst)
	m.addText("name", method.resource+"."+method.name)
	if method.description != "" {
		m.addText("description", method.description)
	}
	tag := openMembers(nil)
	tag.addText("name", method.resource)
	m.addRaw("tags", "["+string(tag.close())+"]")
	m.addText("paramStructure", "by-name")
	m.addName("params")
	m.buf = append(m.buf, '[')
	if method.in != nil {
		for i, f := range method.in.fields {
			if i > 0 {
				m.buf = append(m.buf, ',')
			}
			m.buf = w.param(m.buf, f)
		}
	}
	m.buf = append(m.buf, ']')
	m.addName("result")
	m.buf = w.result(m.buf, method.result)
	return m.close()
}

// param writes a field of an input. Also one that is no member of JSON objects
// is a param, by the name that a path or query tag gives it.
func (w *openRPCWriter) param(dst []byte, f *field) []byte {
	m := openMembers(dst)
	m.addText("name", f.name)
	if f.doc != "" {
		m.addText("description", f.doc)
	}
	if f.required() {
		m.addRaw("required", "true")
	}
	m.addName("schema")
	m.buf = w.schemas.field(m.buf, f)
	return m.close()
}

func (w *openRPCWriter) result(dst []byte, out *shape) []byte {
	m := openMembers(dst)
	name := "result"
	if out != nil && w.service.typeNames[out] != "" {
		name = w.service.typeNames[out]
	}
	m.addText("name", name)
	m.addName("schema")
	if out == nil {
		m.buf = append(m.buf, `{"type":"null"}`...)
	} else {
		m.buf = w.schemas.shape(m.buf, out)
	}
	return m.close()
}

// ref makes a component of every object that has a name.
func (w *openRPCWriter) ref(s *shape) string {
	name := w.service.typeNames[s]
	if s.kind != kindObject || name == "" {
		return ""
	}
	w.pending = append(w.pending, s)
	return "#/components/schemas/" + name
}

// components writes the components that have been referred to, and those that
// they refer to.
func (w *openRPCWriter) components(dst []byte) []byte {
	for len(w.pending) > 0 {
		s := w.pending[0]
		w.pending = w.pending[1:]
		name := w.service.typeNames[s]
		if _, done := w.written[name]; done {
			continue
		}
		m := openMembers(nil)
		w.schemas.object(&m, s, s.fields)
		w.written[name] = string(m.close())
	}
	schemas := openMembers(nil)
	for _, name := range sortedKeys(w.written) {
		schemas.addRaw(name, w.written[name])
	}
	m := openMembers(dst)
	m.addRaw("schemas", string(schemas.close()))
	return m.close()
}
