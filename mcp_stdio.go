package svc

// This file serves MCP over standard input and output, for clients that start their
// servers themselves: one JSON-RPC message a line, in both directions (MCP
// 2026-07-28, stdio). The exchange answers the messages as over HTTP; what is here
// is what HTTP gives otherwise: where a message ends, what runs at the same time,
// and how a call is canceled.
//
//	                   HTTP                          here
//	-----------------  ----------------------------  ------------------------------
//	a message          a body                        a line
//	revision, legacy   a header                      what initialize has agreed on
//	Mcp-* headers      as in mcp_call.go             none
//	cancellation       the connection ends           notifications/cancelled
//	progress, logs     events before the answer      lines before the answer
//	a batch            one array                     one array

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// MCPStdio serves the methods over in and out, by the Model Context Protocol in the
// form that has a message on each line. Assistants that start their servers
// themselves speak it, on standard input and output:
//
//	err := service.MCPStdio(ctx, os.Stdin, os.Stdout, nil)
//
// The methods, the revisions and the options are those of [Service.MCP], but for
// AllowedOrigins. Nobody sends a token here, so the caller is the [Principal] in
// ctx, which methods need where the service has Auth; see [WithPrincipal].
// Info.Request and Info.Header are nil. At most 64 calls run at a time; others wait.
// notifications/cancelled ends the context of a call, for which nothing is sent any
// more. A line of more than
// Options.MaxBody gets an error, and so does one that is no message; the lines after
// it are read all the same.
//
// Nothing but messages is written to out. A program that logs must do so elsewhere:
// the default logger writes to standard error.
//
// MCPStdio returns nil at the end of in, when the calls that are running have been
// answered. When ctx ends, it cancels them, waits for them and returns the error of
// ctx; one goroutine stays until in ends, since a Read cannot be interrupted. It
// returns the error if in or out has one. It panics as [Service.MCP] does.
func (s *Service) MCPStdio(ctx context.Context, in io.Reader, out io.Writer, opts *MCPOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &mcpPipe{
		h:       s.newMCPHandler(opts),
		out:     out,
		cancel:  cancel,
		running: make(map[string]*pipeCall),
		taken:   make(chan struct{}, maxPipeTaken),
		slots:   make(chan struct{}, maxPipeCalls),
	}
	lines := make(chan pipeLine)
	go readLines(in, p.h.limits.size, lines, ctx.Done())
	err := p.serveLines(ctx, lines)
	p.calls.Wait()
	if err == nil {
		err = p.err // in can end before out has failed
	}
	return err
}

const (
	maxPipeCalls = 64   // how many calls run at a time
	maxPipeTaken = 1024 // how many are read and not answered; then reading waits
)

// An mcpPipe is one conversation over standard input and output.
//
// Invariants: agreed is written and read by the goroutine that takes the lines; a
// call is in running from before it is started until it is answered or canceled.
type mcpPipe struct {
	h      *mcpHandler
	agreed string // the revision of initialize; "" before
	cancel context.CancelCauseFunc
	calls  sync.WaitGroup
	taken  chan struct{} // has one element for each call that is read and not answered
	slots  chan struct{} // and one for each that runs

	mu      sync.Mutex // protects the fields below
	out     io.Writer
	buf     []byte
	err     error                // of out; nothing is written after it
	running map[string]*pipeCall // by id, in the form of idKey
}

// A pipeCall is a request that runs on a goroutine of its own.
type pipeCall struct {
	cancel   context.CancelFunc
	canceled bool // the client wants to hear no more of it; protected by mcpPipe.mu
}

// A pipeLine is one line. With an error it is the last one: with io.EOF it has what
// came after the last line end, with any other it is incomplete.
type pipeLine struct {
	text    []byte
	tooLong bool
	err     error
}

// readLines sends the lines of in until its end, or until done is closed.
func readLines(in io.Reader, limit int64, lines chan<- pipeLine, done <-chan struct{}) {
	r := bufio.NewReader(in)
	for {
		line := readLine(r, limit)
		select {
		case lines <- line:
		case <-done:
			return
		}
		if line.err != nil {
			return
		}
	}
}

// readLine reads one line. Of a line over the limit it keeps nothing. The last line
// need not have an end, and comes together with io.EOF, so nothing is read after it.
func readLine(r *bufio.Reader, limit int64) pipeLine {
	var line pipeLine
	for {
		part, err := r.ReadSlice('\n')
		if limit >= 0 && int64(len(line.text)+len(part))-1 > limit { // without the line end; limit+1 could overflow
			line.text, line.tooLong = nil, true
		}
		if !line.tooLong {
			line.text = append(line.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			line.err = err
			return line
		}
	}
}

// serveLines answers the lines until there are no more, or until ctx ends, which it
// also does if out has an error.
func (p *mcpPipe) serveLines(ctx context.Context, lines <-chan pipeLine) error {
	for {
		var line pipeLine
		select {
		case <-ctx.Done():
		case line = <-lines:
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case line.err != nil && line.err != io.EOF:
			return line.err
		}
		p.serveLine(ctx, line)
		if line.err == io.EOF {
			return nil
		}
	}
}

// serveLine answers one line, or starts a goroutine that does: for what calls a
// method, so that nothing else waits for that.
func (p *mcpPipe) serveLine(ctx context.Context, line pipeLine) {
	body := bytes.TrimSpace(line.text)
	if len(body) == 0 && !line.tooLong {
		return
	}
	x := &exchange{
		call:   call{Context: ctx, endpoint: &p.h.endpoint, ws: p.h.service.borrowWorkspace()},
		h:      p.h,
		pipe:   p,
		agreed: p.agreed,
		accept: accepted{json: true, events: true},
	}
	x.ws.body = append(x.ws.body[:0], body...)
	m := new(rpcMessage)
	switch {
	case line.tooLong:
		x.sendError(nil, badRequest(rpcInvalidRequest, "the message has more bytes than this server takes"))
	case x.isBatch():
		p.startCall(ctx, x, nil)
		return
	case !x.readMessage(m): // it has answered
	case callsMethod(m):
		p.startCall(ctx, x, m)
		return
	case m.kind == rpcNotification && string(m.method) == "notifications/cancelled":
		p.cancelCall(m.params)
	default:
		x.serveMessage(m)
	}
	p.h.service.returnWorkspace(x.ws)
}

// callsMethod reports whether a message calls a method of the service.
func callsMethod(m *rpcMessage) bool {
	switch string(m.method) {
	case "tools/call", "resources/read", "prompts/get":
		return m.kind == rpcRequest
	}
	return false
}

// startCall answers m on a goroutine of its own, or all of x if m is nil: that is a
// batch, whose calls cannot be canceled one by one.
func (p *mcpPipe) startCall(ctx context.Context, x *exchange, m *rpcMessage) {
	select {
	case p.taken <- struct{}{}:
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	x.Context = ctx
	call, key := &pipeCall{cancel: cancel}, ""
	if m != nil {
		key = idKey(m.id)
	}
	if key != "" {
		x.onPipe = call
		p.mu.Lock()
		p.running[key] = call
		p.mu.Unlock()
	}
	p.calls.Add(1)
	go func() {
		defer p.calls.Done()
		defer p.endCall(call, key)
		p.runCall(x, m)
	}()
}

// endCall makes room for one more call.
func (p *mcpPipe) endCall(call *pipeCall, key string) {
	call.cancel()
	p.mu.Lock()
	if p.running[key] == call {
		delete(p.running, key)
	}
	p.mu.Unlock()
	<-p.taken
}

// runCall answers m, or all of x, when there is room for one more call. It answers
// also if the method panics with http.ErrAbortHandler, by which it wants its
// connection dropped, or ends its goroutine.
func (p *mcpPipe) runCall(x *exchange, m *rpcMessage) {
	select {
	case p.slots <- struct{}{}:
	case <-x.Done():
		return // canceled before it began
	}
	defer func() { <-p.slots }()
	answered := false
	defer func() {
		v := recover()
		if answered {
			return
		}
		if v != nil {
			x.log(x, Errorf(CodeInternal, "the call ended with the panic %v", v))
		}
		var id []byte
		if m != nil {
			id = m.id
		}
		x.sendError(id, rpcError(0, rpcInternalError, "internal error"))
	}()
	if m == nil {
		x.serveBatch()
	} else {
		x.serveMessage(m)
	}
	answered = true
	p.h.service.returnWorkspace(x.ws)
}

// cancelCall ends the call that params name. Receivers may ignore ids that they do
// not know (MCP 2025-11-25, Cancellation).
func (p *mcpPipe) cancelCall(params []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call := p.running[idKey(memberAt(params, "requestId"))]; call != nil {
		call.canceled = true
		call.cancel()
	}
}

// idKey returns an id as a key of a map: the same for all spellings of a string, and
// the text of a number. It is empty if id is neither.
func idKey(id []byte) string {
	switch {
	case isText(id):
		return `"` + string(textOf(id))
	case isJSONNumber(id):
		return string(id)
	}
	return ""
}

// writeMessage writes the answer to x, or a notification, and a line end, at once. The
// JSON of this package has no line ends in it. Nothing more is written for a call that
// the client has canceled (MCP 2026-07-28, stdio, Cancellation). An error means that
// the client has gone, so it ends all calls.
func (p *mcpPipe) writeMessage(x *exchange, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || x.onPipe != nil && x.onPipe.canceled {
		return
	}
	p.buf = append(append(p.buf[:0], body...), '\n')
	if _, p.err = p.out.Write(p.buf); p.err != nil {
		p.cancel(p.err)
	}
	if cap(p.buf) > maxPooled {
		p.buf = nil
	}
}
