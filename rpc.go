package svc

// This file serves every method of a service over JSON-RPC 2.0, on one endpoint.
// In this order:
//
//   - RPC and its handler: one HTTP request
//   - one message: the call and its result
//   - errors, and what the protocol says in place of a call
//   - batchBudget: what the answers and the log of a batch may take
//   - batches: several goroutines for one request
//   - rpc.discover: the OpenRPC document
//
// jsonrpc.go reads and writes the messages.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxBatch is how many calls one batch may have. A small body has room for a
// million calls, and one request should not be able to ask for that much work.
const maxBatch = 1000

// RPC returns a handler that serves every method over JSON-RPC 2.0: single
// calls, notifications and batches, by POST.
//
// A method is called as resource.name: todos.mark_done for MarkDone. It also
// answers to todos.markDone and to todos.markdone. Params are given by name: the
// fields of the input by their wire names, wherever REST takes them from. A
// method without an input takes no params, {} or []. "params":null counts as
// absent, since many clients send it. The result of a method without an output
// is null. The items of a [Stream] are collected into {"items":[…]}, at most
// 1,000 and 16 MiB; a stream that has more is ended and answered with
// RESOURCE_EXHAUSTED.
//
// An error has the number of its code, its message, and in data its code and
// details, as the envelope of REST has them:
//
//	{"code":-32005,"message":"no such todo","data":{"code":"NOT_FOUND"}}
//
// The errors of the protocol itself have the numbers of JSON-RPC 2.0, section
// 5.1:
//
//	The request                     Number  Status
//	------------------------------  ------  ------
//	is not valid JSON               -32700  200
//	is not a JSON-RPC request       -32600  200
//	has an empty or too long batch  -32600  200
//	names an unknown method         -32601  200
//	has a wrong input               -32602  200, with every Violation
//	uses another method than POST   -32600  405
//	does not say that it is JSON    -32600  415; 403 from a page of another site
//	exceeds Options.MaxBody         -32600  413
//	exceeds Options.BodyTimeout     -32600  408
//
// After [Join], the limits are those of the first service.
//
// The calls of a batch run concurrently, at most 8 at a time, and are answered
// in their order. A batch of more than 1,000 calls nothing. What a method of a
// batch adds to Info.Header is dropped, since one response answers all calls.
//
// The answers of a batch have at most 16 MiB together. An answer that does not
// fit is replaced by RESOURCE_EXHAUSTED, and calls that have not begun by then are
// answered with RESOURCE_EXHAUSTED and not run; the messages of the two differ. What
// a stream collected before an error ended it counts too.
// When the client has disconnected, or the context of the request ends otherwise,
// the calls that have not begun are not run either. A batch logs at most 8 errors,
// and one line that counts the rest.
//
// A request that wants no answer gets 204: a notification, or a batch of them.
//
// The method rpc.discover returns the OpenRPC document of the service. Names
// that start with "rpc." are reserved (JSON-RPC 2.0, sections 4 and 8), so RPC panics
// if the service has a resource of the name rpc.
func (s *Service) RPC() http.Handler {
	for _, m := range s.methodsOn(TransportRPC) {
		if m.resource == "rpc" {
			panic("svc: JSON-RPC reserves names that start with rpc., so it cannot serve " + m.goName + "; put it into another resource than rpc")
		}
	}
	h := &rpcHandler{endpoint: s.newEndpoint(TransportRPC), document: buildOpenRPC(s)}
	h.pool.New = func() any { return &rpcExchange{handler: h} }
	return h
}

// An rpcHandler serves all methods of a service on one endpoint. The options of
// the endpoint are for the request as a whole; each call has those of its
// method.
type rpcHandler struct {
	endpoint
	document []byte    // the result of rpc.discover
	pool     sync.Pool // of *rpcExchange
}

// An rpcExchange is the memory that one request needs beside its workspace.
type rpcExchange struct {
	handler *rpcHandler
	request *http.Request // while its text is read, by
	dec     *decoder
	text    rpcText
	batch   rpcBatch
}

// readParams is the paramsReader of JSON-RPC. It leaves the params to callMethod if
// the caller must not call the method, and if code of the application takes part in
// decoding, which must not run before the text is known to be JSON. In a batch it
// also leaves those with violations: the decoder keeps one error only.
func (x *rpcExchange) readParams(name []byte) (in any, err error) {
	m := x.handler.resolveMethod(name)
	if m == nil || m.bind == nil || m.bind.runsCode || m.checkCaller(x.request.Context()) != nil {
		return nil, nil
	}
	if in, err = m.bind.readObject(x.dec); x.text.batch {
		err = nil
	}
	return in, err
}

func (h *rpcHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

// respond answers every message of the body. An error it returns is about the
// request as a whole; the error of a call is part of a response.
func (h *rpcHandler) respond(w http.ResponseWriter, r *http.Request, ws *workspace) error {
	ws.dec.lean = true // only svc reads the details of these errors
	if r.Method != http.MethodPost {
		leaveBody(w, r)
		w.Header().Set("Allow", http.MethodPost)
		return rpcHTTPError(httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: POST"))
	}
	err := checkJSON(w, r)
	if err == nil {
		ws.body, err = h.limits.readBody(w, r, ws.body[:0])
	}
	if err != nil {
		return rpcHTTPError(err)
	}
	x := h.pool.Get().(*rpcExchange)
	x.request, x.dec = r, &ws.dec
	x.text.readText(&ws.dec.scan, ws.body, maxBatch, x)
	x.request, x.dec = nil, nil
	body, err := h.answerText(w, r, ws, x)
	switch {
	case err != nil:
	case len(body) == 0: // only notifications, which get no response (JSON-RPC 2.0, section 4.1)
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, r, http.StatusOK, body, new(headerValues))
	}
	h.returnExchange(x)
	return err
}

// answerText returns the body of the response to x.text, which is empty if no
// message wants an answer. The body aliases ws or x.
func (h *rpcHandler) answerText(w http.ResponseWriter, r *http.Request, ws *workspace, x *rpcExchange) ([]byte, error) {
	switch {
	case ws.dec.scan.err != nil:
		return nil, rpcTextError(ws.dec.scan.err)
	case !x.text.batch:
		ws.enc.buf = ws.enc.buf[:0]
		worker := rpcWorker{handler: h, request: r, header: w.Header(), ws: ws}
		defer worker.watch.end(http.ErrAbortHandler)
		worker.watch.end(worker.answerMessage(&x.text.messages[0]))
		return ws.enc.buf, nil
	case x.text.count == 0:
		return nil, rpcRequestError(rpcEmptyBatch)
	case x.text.count > maxBatch:
		return nil, rpcProtocolError(rpcInvalidRequest, CodeResourceExhausted, "a batch has at most 1000 calls", nil)
	}
	return x.batch.answerMessages(h, r, ws, x.text.messages), nil
}

// returnExchange keeps x for another request, unless an unusual one made it large:
// memory in a pool is never smaller than its largest request needed.
func (h *rpcHandler) returnExchange(x *rpcExchange) {
	if cap(x.text.messages) > maxBatch/4 || cap(x.batch.body) > maxPooled {
		return
	}
	x.text.reset()
	h.pool.Put(x)
}

// writeErrorResponse answers the whole request with err. Its id is null, since no
// message belongs to it.
func (h *rpcHandler) writeErrorResponse(w http.ResponseWriter, _ *http.Request, err error) {
	e := ErrorFrom(err)
	var buf [512]byte
	writeErrorBody(w, e.HTTPStatus(), e.header, contentTypeJSON, appendRPCErrorOf(buf[:0], e, rpcNull))
}

// An rpcWorker answers messages, one after the other. It belongs to one
// goroutine.
type rpcWorker struct {
	handler *rpcHandler
	request *http.Request
	header  http.Header // of the response; nil in a batch
	ws      *workspace  // of this worker alone; answers are appended to enc.buf
	budget  *batchBudget
	watch   callWatch // of the call that is being answered
}

// answerMessage appends the response to msg, or nothing if it wants none. It
// returns the error that the response says; the caller ends w.watch by it.
//
// The result is written behind the beginning of a response before it is known
// whether the call succeeds, so that it need not be copied. After an error all
// appended bytes are dropped, because a failed encoder may leave an incomplete
// value.
func (w *rpcWorker) answerMessage(msg *rpcMessage) error {
	before := w.ws.enc.buf
	w.ws.enc.buf = beginRPCResult(w.ws.enc.buf)
	m, err := w.appendResult(msg)
	if err == nil && msg.kind != rpcNotification {
		w.ws.enc.buf = endRPCResult(w.ws.enc.buf, msg.id)
		return nil
	}
	w.ws.enc.buf = before
	if err != nil {
		w.budget.logError(&w.handler.endpoint, w.request.Context(), w.request, err, m)
		w.appendError(msg, err)
	}
	return err
}

// appendError appends the response to msg that says that it failed with err.
func (w *rpcWorker) appendError(msg *rpcMessage, err error) {
	if msg.kind == rpcNotification {
		return // a notification gets no error either (JSON-RPC 2.0, section 4.1)
	}
	id := msg.id
	if id == nil {
		id = rpcNull
	}
	w.ws.enc.buf = appendRPCErrorOf(w.ws.enc.buf, ErrorFrom(err), id)
}

// appendResult makes the call that msg asks for and appends its result. It also
// returns the method, or nil if the message names none.
func (w *rpcWorker) appendResult(msg *rpcMessage) (*method, error) {
	switch {
	case msg.kind == rpcInvalid:
		return nil, rpcRequestError(msg.violation)
	case msg.kind == rpcResponse:
		return nil, rpcRequestError(rpcNoName) // svc sends no requests, so no response belongs here
	case string(msg.method) == "rpc.discover":
		w.ws.enc.buf = append(w.ws.enc.buf, w.handler.document...)
		return nil, checkNoParams(msg.params)
	}
	m := w.handler.resolveMethod(msg.method)
	if m == nil {
		return nil, rpcProtocolError(rpcNoMethod, CodeUnimplemented, "Method not found", nil)
	}
	return m, w.callMethod(m, msg)
}

// resolveMethod returns the method of a name such as todos.mark_done, or nil. The
// name is cut at its first dot, since neither part can have one.
func (h *rpcHandler) resolveMethod(name []byte) *method {
	dot := bytes.IndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	m := h.service.names[methodName{string(name[:dot]), string(name[dot+1:])}]
	if m == nil || !m.isServedBy(TransportRPC) {
		return nil
	}
	return m
}

// callContext returns the context of a call of m.
func (w *rpcWorker) callContext(m *method) *callContext {
	return &callContext{w.request.Context(), &w.handler.endpoint, m, w.request, w.header}
}

// skipMessage appends the error for a message that is not run because of err.
func (w *rpcWorker) skipMessage(msg *rpcMessage, err error) {
	w.appendError(msg, err)
	if msg.kind != rpcRequest && msg.kind != rpcNotification {
		return
	}
	if m := w.handler.resolveMethod(msg.method); m != nil {
		w.watch = m.watchCall(w.callContext(m), TransportRPC, "")
		w.watch.end(err)
	}
}

// callMethod calls m with the params of msg and appends its output.
func (w *rpcWorker) callMethod(m *method, msg *rpcMessage) (err error) {
	ctx := w.callContext(m)
	w.watch = m.watchCall(ctx, TransportRPC, "")
	if err := m.checkCaller(ctx); err != nil {
		if w.header != nil {
			setErrorHeader(w.header, ErrorFrom(err).header) // the challenge
		}
		return err
	}
	in, err := msg.input, msg.inputErr
	msg.input = nil // a long batch needs not keep it until its end
	switch {
	case in != nil:
		in, err = m.finishObject(&w.ws.dec, in)
	case err != nil:
	case m.bind == nil && len(msg.params) > 0 && msg.params[0] == '[':
		err = checkNoParams(msg.params)
	default:
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

// callStream calls a method that returns a stream and appends its items as one
// result.
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
	start := len(w.ws.enc.buf)
	if w.ws.enc.buf, err = m.appendItems(cancel, &w.ws.enc, w.ws.enc.buf, out, nil); err != nil {
		w.budget.countDropped(len(w.ws.enc.buf) - start)
	}
	return err
}

// checkNoParams checks the params of a method without an input, as far as their
// names do not matter. A value at a position cannot be meant for anything, so a
// list must be empty.
func checkNoParams(params []byte) error {
	if len(params) == 0 || params[0] == '{' || len(bytes.TrimLeft(params[1:], " \t\r\n")) == 1 {
		return nil
	}
	var v violations
	v.addViolation(Violation{inBody, "", "maxItems", "must be empty, since the method takes no input"})
	return v.makeError()
}

// appendRPCErrorOf appends the response for e. Its data are the members that the
// envelope of REST has beside the message.
func appendRPCErrorOf(dst []byte, e *Error, id []byte) []byte {
	var buf [512]byte
	data := appendQuoted(append(buf[:0], `{"code":`...), string(e.code()))
	data = append(appendDetails(data, e), '}')
	return appendRPCError(dst, e.RPCCode(), e.message(), data, id)
}

// rpcEmptyBatch is the violation of an array without messages (JSON-RPC 2.0,
// section 6).
var rpcEmptyBatch = &Violation{inBody, "", "minItems", "a batch must have a call"}

// rpcProtocolError returns the error for a request that calls nothing. Its
// status is 200: the exchange of HTTP itself went well, and clients read the
// body only then. v may be nil. The messages are those of JSON-RPC 2.0, section
// 5.1, where it has one.
func rpcProtocolError(number int32, code Code, message string, v *Violation) *Error {
	e := &Error{Code: code, Message: message, status: http.StatusOK, number: number}
	if v != nil {
		e.violations = []Violation{*v}
	}
	return e
}

// rpcRequestError returns the error for a text that is JSON and no request.
func rpcRequestError(v *Violation) *Error {
	return rpcProtocolError(rpcInvalidRequest, CodeInvalidArgument, "Invalid Request", v)
}

// rpcTextError returns the error for a text that is not acceptable JSON.
func rpcTextError(err *syntaxError) *Error {
	return rpcProtocolError(rpcParseError, CodeInvalidArgument, "Parse error",
		&Violation{In: inBody, Rule: err.rule, Message: "the text is not valid JSON: " + err.Error()})
}

// rpcHTTPError returns the error for an HTTP request that carries no text. It
// keeps the status of err, unlike the others.
func rpcHTTPError(err error) *Error {
	e := *ErrorFrom(err)
	e.number = rpcInvalidRequest
	return &e
}

// batchLines is how many errors of one batch are logged one by one.
const batchLines = 8

// A batchBudget bounds the answers and the log lines of one batch. A small request
// can ask for the largest answer of a service, or cause an error, as often as a
// batch has calls. The batches of JSON-RPC have one each, and so have those of MCP,
// which answers them as follows:
//
//	for each message: checkNext; if it returns an error, answer with that and call
//	  nothing; if not, answer the message and give the length to keepAnswer; if
//	  that returns an error, log it, drop the answer and answer with the error
//	for each error: logError in place of endpoint.logError
//	at the end: logRest
//
// The errors themselves are not counted as answers: they are short. The items of a
// stream that ended in an error are counted, by countDropped. An answer that
// does not fit has been made in full before it is dropped. So a batch takes the
// memory of maxAnswers and of one answer for each of its workers.
//
// The zero value is a whole budget. Methods may be called by several goroutines.
type batchBudget struct {
	kept   atomic.Int64 // the bytes of the answers that are kept, at most maxAnswers
	spent  atomic.Bool  // an answer did not fit, so no call begins any more
	unrun  atomic.Int64 // the calls that did not begin, for whatever reason
	errors atomic.Int64 // the errors that were to be logged
	severe atomic.Bool  // an error that was counted and not logged has a status of 500 or more
}

// The errors of calls that the budget is too small for. A client can tell by the
// message whether the call was begun, which matters if it is a write.
var (
	errAnswerTooLarge = Errorf(CodeResourceExhausted, "the call was begun, but its answer does not fit: the answers of a batch have at most 16 MiB together")
	errBudgetSpent    = Errorf(CodeResourceExhausted, "the call was not begun: the answers of a batch have at most 16 MiB together, and those of other calls have used them up")
)

// checkNext returns nil if the next call of the batch may begin. It returns
// errBudgetSpent if the answers so far use up the budget, and the error of ctx if
// that has ended: nobody waits for the answers of a client that has disconnected.
func (b *batchBudget) checkNext(ctx context.Context) error {
	err := ctx.Err()
	if err == nil && b.spent.Load() {
		err = errBudgetSpent
	}
	if err != nil {
		b.unrun.Add(1)
	}
	return err
}

// keepAnswer counts an answer of n bytes. It returns errAnswerTooLarge if the
// budget has not so many left; then no further call may begin.
func (b *batchBudget) keepAnswer(n int) error {
	for {
		kept := b.kept.Load()
		if kept+int64(n) > maxAnswers {
			b.spent.Store(true)
			return errAnswerTooLarge
		}
		if b.kept.CompareAndSwap(kept, kept+int64(n)) {
			return nil
		}
	}
}

// countDropped counts n bytes that a call collected before it ended in an error. They
// were made all the same, so a batch of streams that are all too large must not run
// to its end: the first of them uses up the budget. A nil budget counts nothing.
func (b *batchBudget) countDropped(n int) {
	if b != nil {
		b.keepAnswer(n)
	}
}

// logError logs err as endpoint.logError does, or only counts it if the batch has
// logged as many as it may. A nil budget, that of a single message, logs.
func (b *batchBudget) logError(e *endpoint, ctx context.Context, r *http.Request, err error, m *method) {
	switch {
	case b == nil || b.errors.Add(1) <= batchLines:
		e.logError(ctx, r, err, m)
	case ErrorFrom(err).HTTPStatus() >= http.StatusInternalServerError:
		b.severe.Store(true)
	}
}

// logRest writes a line with the number of the errors that were not logged and of
// the calls that were not run, if there are any. Its level is error if one of the
// errors has that level, and info if the only reason is that the client has gone.
// It goes to the logger of the endpoint, also after Join.
func (b *batchBudget) logRest(ctx context.Context, e *endpoint, r *http.Request) {
	more, unrun := max(0, b.errors.Load()-batchLines), b.unrun.Load()
	if more == 0 && unrun == 0 {
		return
	}
	level := slog.LevelInfo
	switch {
	case b.severe.Load():
		level = slog.LevelError
	case more > 0 || b.spent.Load():
		level = slog.LevelWarn
	}
	logger := e.logger
	if logger == nil {
		logger = slog.Default()
	}
	place := logPlace{transport: string(e.transport), request: r}
	attrs := append(place.appendAttrs(nil), slog.Int64("errors", more), slog.Int64("notRun", unrun))
	logger.LogAttrs(ctx, level, "svc: more in this batch", attrs...)
}

// batchWorkers is how many calls of one batch run at a time.
const batchWorkers = 8

// batchPatience is how long the goroutine of the request works on a batch
// alone. Most batches are answered by then, for less than it costs to wake
// another processor.
const batchPatience = 100 * time.Microsecond

// An rpcBatch is one batch while it is answered.
//
// The goroutine of the request takes messages from the first instant. If there
// are messages left after batchPatience, a timer starts helpers that take some
// as well, so calls that wait for something do not add up.
//
// Invariants:
//
//	messages[:next] are taken, each by one worker, which alone writes its answer
//	every goroutine is counted in running before it starts
//	answers alias the buffers of the workspaces, or buffers that workers have
//	  given up; all of them live until body is made
//	the lengths of answers that are results are counted in budget
type rpcBatch struct {
	handler  *rpcHandler
	request  *http.Request
	messages []rpcMessage
	answers  [][]byte // in the order of messages; empty if none is wanted
	body     []byte
	budget   batchBudget

	next     atomic.Int64                 // the first message that is not taken
	running  sync.WaitGroup               // the timer and the helpers
	helpers  [batchWorkers - 1]*workspace // of the helpers; nil for one that had nothing to do
	panicked atomic.Pointer[any]          // the value that a helper panicked with first
}

// answerMessages returns the body of the response to messages, which is empty if
// no message wants an answer. When it returns, also by a panic, every call has
// ended.
func (b *rpcBatch) answerMessages(h *rpcHandler, r *http.Request, ws *workspace, messages []rpcMessage) []byte {
	b.handler, b.request, b.messages = h, r, messages
	if cap(b.answers) < len(messages) {
		b.answers = make([][]byte, len(messages))
	}
	b.answers = b.answers[:len(messages)]
	b.next.Store(0)
	b.budget = batchBudget{}
	b.runWorkers(ws)
	if v := b.panicked.Load(); v != nil {
		panic(*v) // on this goroutine net/http or a middleware recovers from it
	}
	b.budget.logRest(r.Context(), &h.endpoint, r)
	b.joinAnswers()
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

// runWorkers takes messages until none are left, with the helpers that the timer
// starts. It waits for all of them even if it panics: a method must not run
// after its request has ended.
func (b *rpcBatch) runWorkers(ws *workspace) {
	b.running.Add(1)
	timer := time.AfterFunc(batchPatience, b.startHelpers)
	defer func() {
		b.takeAll()
		if timer.Stop() {
			b.running.Done() // startHelpers never runs
		}
		b.running.Wait()
	}()
	b.takeMessages(ws)
}

// startHelpers starts as many helpers as there is work for.
func (b *rpcBatch) startHelpers() {
	defer b.running.Done()
	for i := range min(len(b.helpers), len(b.messages)-int(b.next.Load())) {
		b.running.Add(1)
		go b.helpOut(i)
	}
}

// helpOut takes messages on a goroutine of its own. A panic there would end the
// process, so it is kept for the goroutine of the request.
func (b *rpcBatch) helpOut(i int) {
	done := false
	defer func() {
		if v := recover(); !done {
			if v == nil { // a method called runtime.Goexit, so its answer is missing
				v = http.ErrAbortHandler
			}
			b.panicked.CompareAndSwap(nil, &v)
			b.takeAll()
		}
		b.running.Done()
	}()
	ws := b.handler.service.borrowWorkspace()
	ws.dec.lean = true
	b.helpers[i] = ws
	b.takeMessages(ws)
	done = true
}

// takeMessages answers messages until there are none left.
//
// A worker gives up a buffer that has grown large. Appending to it would copy the
// answers in it again and again, and those that are kept would hold each copy.
func (b *rpcBatch) takeMessages(ws *workspace) {
	ws.enc.buf = ws.enc.buf[:0]
	for {
		i := int(b.next.Add(1)) - 1
		if i >= len(b.messages) {
			return
		}
		start := len(ws.enc.buf)
		b.takeMessage(ws, &b.messages[i])
		b.answers[i] = ws.enc.buf[start:] // stays valid where the next answer makes the buffer grow
		if len(ws.enc.buf) > maxPooled {
			ws.enc.buf = nil
		}
	}
}

// takeMessage appends the answer to msg, if the budget lets the call begin and has
// room for the answer, or else an error in its place.
func (b *rpcBatch) takeMessage(ws *workspace, msg *rpcMessage) {
	w := rpcWorker{handler: b.handler, request: b.request, ws: ws, budget: &b.budget}
	if err := b.budget.checkNext(b.request.Context()); err != nil {
		w.skipMessage(msg, err)
		return
	}
	before := ws.enc.buf
	defer w.watch.end(http.ErrAbortHandler)
	err := w.answerMessage(msg)
	if tooLarge := b.budget.keepAnswer(len(ws.enc.buf) - len(before)); tooLarge != nil {
		err, ws.enc.buf = tooLarge, before
		b.budget.logError(&b.handler.endpoint, b.request.Context(), b.request, err, nil)
		w.appendError(msg, err)
	}
	w.watch.end(err)
}

// takeAll leaves nothing for workers to take.
func (b *rpcBatch) takeAll() { b.next.Store(int64(len(b.messages))) }

// joinAnswers makes the body of the answers.
func (b *rpcBatch) joinAnswers() {
	size := len("[]")
	for _, answer := range b.answers {
		size += len(answer) + len(",")
	}
	b.body = append(slices.Grow(b.body[:0], size), '[')
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

// An openRPCDocument is the OpenRPC document of a service, which rpc.discover
// returns: the methods, their params and their results. It follows version 1.3.2
// of the OpenRPC specification. Each type that methods name is written once, as a
// component. The document is written when RPC is called and never again.
//
//	Member of a method  Here
//	------------------  ------------------------------------------------
//	name                resource.name
//	description         MethodOptions.Description; absent if that is empty
//	tags                the resource
//	paramStructure      by-name
//	params              the fields of the input, those that are required first
//	result              the output, or {"type":"null"}
//	deprecated          MethodOptions.Deprecated; absent if it is not set
type openRPCDocument struct {
	OpenRPC    string          `json:"openrpc"`
	Info       documentInfo    `json:"info"`
	Methods    []openRPCMethod `json:"methods"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

// An openRPCMethod is a Method Object.
type openRPCMethod struct {
	Name           string         `json:"name"`
	Description    string         `json:"description,omitempty"`
	Tags           []documentTag  `json:"tags"`
	ParamStructure string         `json:"paramStructure"`
	Params         []openRPCValue `json:"params"`
	Result         openRPCValue   `json:"result"`
	Deprecated     bool           `json:"deprecated,omitempty"`
	// OpenRPC has no word for identity; an extension says it as OpenAPI does.
	Security []documentSecurity `json:"x-security,omitempty"`
}

// An openRPCValue is a Content Descriptor Object: a param or a result.
type openRPCValue struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Required    bool            `json:"required,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// buildOpenRPC returns the document of s. A field that is no member of JSON
// objects is a param too, by the name that its path or query tag gives it.
// OpenRPC requires a name of a result; that of the type tells most.
func buildOpenRPC(s *Service) []byte {
	c := newComponents(jsonSchema, func(t *shape) string { return s.typeNames[t] })
	doc := openRPCDocument{OpenRPC: "1.3.2", Info: documentInfo{s.name, s.description, s.version}}
	for _, m := range s.methodsOn(TransportRPC) {
		params, optional := []openRPCValue{}, []openRPCValue(nil) // an empty list is not null
		if m.in != nil {
			for _, f := range m.in.fields {
				if f.isNameless() {
					continue
				}
				param := openRPCValue{f.name, f.doc, f.isRequired(), c.writer.appendField(nil, f)}
				if param.Required {
					params = append(params, param)
				} else {
					optional = append(optional, param)
				}
			}
		}
		params = append(params, optional...) // in this order (OpenRPC 1.3, Method Object)
		result := openRPCValue{Name: "result", Schema: json.RawMessage(`{"type":"null"}`)}
		if m.result != nil {
			result.Name = cmp.Or(s.typeNames[m.result], result.Name)
			result.Schema = c.writer.appendShape(nil, m.result)
		}
		tags := []documentTag{{Name: m.resource}}
		doc.Methods = append(doc.Methods, openRPCMethod{m.resource + "." + m.name, m.description, tags, "by-name", params, result, m.deprecated, m.listSecurity(true)})
	}
	doc.Components.Schemas = c.writeSchemas()
	return encodeDocument(doc)
}
