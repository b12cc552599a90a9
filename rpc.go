package svc

// This file serves every method of a service over JSON-RPC 2.0, on one endpoint.
// rpc_envelope.go reads the messages and writes the answers, rpc_batch.go
// answers many at once, rpc_discover.go writes the OpenRPC document.

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"sync"
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
		service:  s,
		config:   s.methods[0].config,
		document: appendOpenRPC(nil, s),
		pool:     &sync.Pool{New: func() any { return new(rpcExchange) }},
	}
}

// An rpcHandler serves all methods of a service on one endpoint.
type rpcHandler struct {
	service  *Service
	config   *config // of the endpoint; each call has its method's
	document []byte  // what rpc.discover answers
	pool     *sync.Pool
}

var _ http.Handler = (*rpcHandler)(nil)

func (h *rpcHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.config.limits.setDeadline(w, r)
	sc := h.borrow()
	if err := h.serve(w, r, sc); err != nil {
		h.refuse(w, r, err)
	}
	h.service.giveBack(sc) // not deferred: after a panic it is not fit for reuse
}

// borrow is Service.borrow for errors that only svc looks into.
func (h *rpcHandler) borrow() *scratch {
	sc := h.service.borrow()
	sc.lean = true
	return sc
}

// serve answers the request, or returns the error to answer the whole of it
// with.
func (h *rpcHandler) serve(w http.ResponseWriter, r *http.Request, sc *scratch) error {
	if r.Method != http.MethodPost {
		leaveUnread(w, r)
		w.Header().Set("Allow", http.MethodPost)
		return rpcHTTPFault(transportError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: POST"))
	}
	err := checkContentType(w, r)
	if err == nil {
		sc.body, err = h.config.limits.read(w, r, sc.body[:0])
	}
	if err != nil {
		return rpcHTTPFault(err)
	}
	x := h.pool.Get().(*rpcExchange)
	x.text.read(&sc.decoder.scanner, sc.body, maxBatch)
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
func (h *rpcHandler) answer(w http.ResponseWriter, r *http.Request, sc *scratch, x *rpcExchange) ([]byte, error) {
	switch {
	case sc.fault != nil:
		return nil, rpcTextFault(sc.fault)
	case !x.text.batch:
		sc.buf = sc.buf[:0]
		worker := rpcWorker{h, r, w.Header(), sc}
		worker.answer(&x.text.messages[0])
		return sc.buf, nil
	case x.text.count == 0:
		return nil, rpcRequestFault(rpcEmptyBatch)
	case x.text.count > maxBatch:
		return nil, rpcFault(rpcInvalidRequest, CodeResourceExhausted, "a batch has at most 1000 calls", nil)
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
	*scratch
}

// answer appends the response to msg to w.buf, or nothing if it wants none.
func (w *rpcWorker) answer(msg *rpcMessage) {
	before := w.buf
	w.buf = openRPCResult(w.buf)
	m, err := w.result(msg)
	if err == nil && msg.kind != rpcNotification {
		w.buf = closeRPCResult(w.buf, msg.id)
		return
	}
	w.buf = before // what a failed call leaves may be anything
	if err == nil {
		return
	}
	w.log(m, err)
	if msg.kind == rpcNotification {
		return // nobody hears of it (JSON-RPC 2.0, section 4.1)
	}
	id := msg.id
	if id == nil {
		id = rpcNull
	}
	w.buf = appendRPCFailure(w.buf, ErrorFrom(err), id)
}

// result appends what the call that msg asks for returns, if it is wanted. It
// returns the method too, where there is one.
func (w *rpcWorker) result(msg *rpcMessage) (*method, error) {
	switch {
	case msg.kind == rpcInvalid:
		return nil, rpcRequestFault(msg.flaw)
	case msg.kind == rpcResponse:
		return nil, rpcRequestFault(rpcNoName) // nothing was asked
	case string(msg.method) == "rpc.discover":
		w.buf = append(w.buf, w.handler.document...)
		return nil, checkNoParams(msg.params)
	}
	m := w.handler.find(msg.method)
	if m == nil {
		return nil, rpcFault(rpcNoMethod, CodeUnimplemented, "Method not found", nil)
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
	ctx := &callContext{w.request.Context(), Info{Transport: "rpc", Resource: m.resource, Method: m.name, Request: w.request, Header: w.header}}
	var in any
	if m.bind == nil {
		err = checkNoParams(msg.params)
	} else {
		in, err = m.bindObject(&w.decoder, msg.params)
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
		w.buf = append(w.buf, "null"...)
		return nil
	}
	w.buf, err = m.appendOutput(&w.encoder, w.buf, out)
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
		return m.drop(cancel, out)
	}
	w.buf, err = m.appendItems(cancel, &w.encoder, w.buf, out, nil)
	return err
}

// checkNoParams refuses params by position where no input is taken. Names are
// ignored, as unknown properties are.
func checkNoParams(params []byte) error {
	if len(params) == 0 || params[0] == '{' || len(bytes.TrimLeft(params[1:], " \t\r\n")) == 1 {
		return nil
	}
	var v violations
	v.add(Violation{inBody, "", "maxItems", "must be empty, since the method takes no input"})
	return v.err()
}

func (w *rpcWorker) log(m *method, err error) {
	logger := w.handler.config.logger
	if m != nil {
		logger = m.logger
	}
	logError(w.request.Context(), logger, err, func() []slog.Attr {
		attrs := []slog.Attr{slog.String("transport", "rpc")}
		if m == nil {
			return attrs
		}
		return append(attrs, slog.String("call", m.resource+"."+m.name))
	})
}
