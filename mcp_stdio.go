package svc

// This file serves MCP over standard input and output, for clients that start their servers
// themselves: one JSON-RPC message per line, in both directions (MCP 2026-07-28, stdio). An
// exchange answers the messages as over HTTP. This file replaces net/http: it finds the end of a
// message, runs calls concurrently, and cancels them. In this order: MCPStdio and how it ends; the
// pipe and its states; lines; calls and their cancellation; ids; and the output queue.
//
// One goroutine reads messages and answers the ones that need no call, each call has its own
// goroutine, and one goroutine writes. So a slow method does not delay a cancellation, and a slow
// client does not delay reading until the queue is full.
//
//	                   over HTTP                     over stdio
//	-----------------  ----------------------------  ------------------------------
//	a message          a body                        a line
//	legacy revision    a header, or the session      agreed on by initialize
//	Mcp-* headers      as in mcp_call.go             none
//	cancellation       the connection ends, or       notifications/cancelled
//	                   this, in a session
//	legacy questions   events, in a session          lines
//	progress, logs     events before the answer      lines before the answer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// MCPStdio serves the methods over in and out by the Model Context Protocol, with one message
// per line, for assistants that start their servers themselves:
//
//	err := service.MCPStdio(ctx, os.Stdin, os.Stdout, nil)
//
// The caller is the [Principal] in ctx; see [WithPrincipal]. [Info].Request and Info.Header are
// nil. At most 64 calls run at a time. A line of more than [Options].MaxBody bytes, or a line that
// is not a message, gets an error. Do not let the program log to out.
//
// At the end of in, calls have 2 seconds to end; then MCPStdio cancels them and returns nil. When
// ctx ends, calls have 0.75 seconds, and MCPStdio returns the error of ctx. It also returns errors
// of in and out. It does not wait for a method that ignores its context, or for a Read or a Write
// that does not return; their goroutines stay until they do. It returns an error if the client
// reads no message for 2 seconds while 1,024 are waiting and it sends more. It panics like
// [Service.MCP].
func (s *Service) MCPStdio(ctx context.Context, in io.Reader, out io.Writer, opts *MCPOptions) error {
	o := valueOf(opts)
	o.StateKey = cmp.Or(o.StateKey, newProcessKey())
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &mcpPipe{
		h:       s.newMCPHandler(&o),
		agreed:  new(agreement),
		cancel:  cancel,
		written: make(chan struct{}),
		running: make(map[string]*pipeLine),
		slots:   make(chan struct{}, maxPipeCalls),
		ended:   make(chan struct{}),
	}
	p.changed.L = &p.mu
	go p.writeMessages(out)
	stop := context.AfterFunc(ctx, func() { p.setState(pipeStopped) })
	defer stop()
	read := make(chan error, 1)
	go func() { read <- p.serveLines(ctx, in) }() // a Read may take for ever
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
	}
	close(p.ended)
	return p.finish(ctx, err)
}

// finish waits for the running calls and their answers after the end of in, which was err,
// or of ctx, and no longer than they may take: a method may ignore its context, and a Write
// may block.
func (p *mcpPipe) finish(ctx context.Context, err error) error {
	wait := func(limit time.Duration, ended <-chan struct{}) {
		select {
		case <-p.written:
		case <-ended:
		case <-time.After(limit):
		}
	}
	p.setState(pipeEnded)
	wait(pipeGrace, ctx.Done())
	err = cmp.Or(err, context.Cause(ctx)) // ctx may have ended after the end of in, even because of an error of out
	p.cancel(nil)
	wait(pipePatience, nil)
	return cmp.Or(err, p.setState(pipeLeft))
}

const (
	pipeGrace    = 2 * time.Second     // for calls after the end of in, and for a client that takes no message
	pipePatience = 3 * time.Second / 4 // after the end of ctx for methods that ignore it, and for a Write

	maxPipeCalls = 64 // how many calls run at a time
	// How many calls may be read but not answered: each holds its message in memory.
	maxPipeUnanswered = 1024
)

// An mcpPipe serves one client over standard input and output.
//
// Invariants: only the goroutine of serveLines uses agreed; a call is in running from
// before it starts until it has ended.
type mcpPipe struct {
	h      *mcpHandler
	agreed *agreement // with a legacy client
	cancel context.CancelCauseFunc
	slots  chan struct{} // one element for each running call

	ended   chan struct{} // closed at the end of in
	written chan struct{} // closed after the last write

	mu         sync.Mutex // protects the fields below; not held during writes
	changed    sync.Cond  // signals that state, queue or unanswered has changed
	state      pipeState
	unanswered int                  // how many calls are read but not answered
	queue      [][]byte             // messages that are to be written
	taken      int                  // how many messages are written
	err        error                // an error of out, after which nothing is written
	running    map[string]*pipeLine // of the calls that can be canceled, by idKey of the id

	questions questionTable
}

// A pipeLine is one line of the client while it is answered.
type pipeLine struct {
	pipe     *mcpPipe
	cancel   context.CancelFunc // of its calls, which run on their own goroutine; nil for a line without calls
	canceled bool               // by the client, so nothing more is sent for the line; protected by pipe.mu
}

// A pipeState says how far a pipe is. It only grows.
type pipeState int

const (
	pipeOpen    pipeState = iota
	pipeEnded             // in has ended, so no further call begins
	pipeStopped           // ctx has ended too, so calls no longer wait for room in the queue
	pipeLeft              // MCPStdio returns, so no more is written
)

// maxPipeQueue is how many messages may be queued before calls wait.
const maxPipeQueue = 64

// serveLines answers the lines of in until it ends or ctx does. An error of out ends ctx.
// The text after the last line end is a line, unless in ends by an error. A panic is an
// error, since no other goroutine could recover it.
func (p *mcpPipe) serveLines(ctx context.Context, in io.Reader) (err error) {
	defer recoverTo(&err)
	r := bufio.NewReader(in)
	for {
		line, err := readLine(r, nil, p.h.limits.size)
		var tail []byte                                           // of a line that is too long
		for err == errLineTooLong || err == bufio.ErrBufferFull { // drop the rest
			if tail == nil {
				tail = endOf(line)
			}
			var part []byte
			part, err = r.ReadSlice('\n')
			tail = endOf(append(tail, part...))
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && err != io.EOF:
			return err
		}
		p.serveLine(ctx, line, tail)
		if err == io.EOF {
			return nil
		}
	}
}

// serveLine answers one line, of which tail is the end if it is too long. If that calls a method, it does so on a new goroutine, so
// that the next lines need not wait.
func (p *mcpPipe) serveLine(ctx context.Context, line, tail []byte) {
	body := bytes.TrimSpace(line)
	if len(body) == 0 && tail == nil {
		return
	}
	answered := &pipeLine{pipe: p}
	r := mcpRequest{h: p.h, line: answered, agreed: p.agreed, accept: accepted{json: true, events: true}}
	x := newExchange(ctx, r, nil, p.h.service.borrowWorkspace(true))
	x.message = new(message) // it needs no timer
	x.ws.body = append(x.ws.body[:0], body...)
	switch m := x.message; {
	case tail != nil:
		x.refuseUnread(body, tail, protocolError(rpcInvalidRequest, "the message has more bytes than this server accepts"))
	case !x.readBody(): // readBody has answered with an error
	// A request with an invalid id gets its error here, because it calls nothing.
	case m.kind == rpcRequest && isMCPID(m.id) && p.h.callsApplication(string(m.method)):
		p.startCall(x, answered, m.id)
		return
	case wantsAnswer(*m.rpcMessage):
		x.serveMessage()
	default:
		p.handleNote(m.rpcMessage)
	}
	p.h.service.returnWorkspace(x.ws)
}

// handleNote handles a message that gets no answer: an answer to a question, or a cancellation.
func (p *mcpPipe) handleNote(m *rpcMessage) {
	switch {
	case m.kind == rpcResponse:
		p.questions.deliver("", m.id, answerIn(m))
	case m.kind == rpcNotification && string(m.method) == "notifications/cancelled":
		p.cancelCall(m.params)
	}
}

// startCall serves x on a new goroutine, which answers the request of this id.
func (p *mcpPipe) startCall(x *exchange, line *pipeLine, id []byte) {
	key := idKey(id)
	p.mu.Lock()
	full := p.unanswered == maxPipeUnanswered
	if !full {
		p.unanswered++
		x.Context, line.cancel = context.WithCancel(x.Context)
		if key != "" {
			p.running[key] = line
		}
	}
	p.mu.Unlock()
	if full { // reading goes on, since a cancellation may be next
		x.sendError(id, protocolError(rpcInternalError,
			"RESOURCE_EXHAUSTED: the server runs or holds 1024 requests, as many as it can; wait for their answers"))
		return
	}
	go func() {
		defer p.endCall(line, key)
		p.runCall(x, id)
	}()
}

// endCall removes a call and makes room for the next.
func (p *mcpPipe) endCall(line *pipeLine, key string) {
	line.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running[key] == line { // not a later one, to which a client gave the same id
		delete(p.running, key)
	}
	p.unanswered--
	p.changed.Broadcast()
}

// runCall waits for a slot and serves x. It also answers if the method panics with
// http.ErrAbortHandler, which over HTTP drops the connection, or calls runtime.Goexit.
func (p *mcpPipe) runCall(x *exchange, id []byte) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-x.Done():
	}
	if x.Err() != nil {
		return // canceled before it ran
	}
	answered := false
	defer func() {
		v := recover()
		if answered {
			return
		}
		if v != nil {
			x.log(x, Errorf(CodeInternal, "the call ended with the panic %v", v))
		}
		x.sendError(id, protocolError(rpcInternalError, "internal error"))
	}()
	x.serveBody()
	answered = true
	p.h.service.returnWorkspace(x.ws)
}

// cancelCall cancels the call that the params name. It ignores an unknown id, as it may
// (MCP 2025-11-25, Cancellation).
func (p *mcpPipe) cancelCall(params []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line := p.running[idKey(memberAt(params, "requestId"))]; line != nil {
		line.canceled = true
		line.cancel()
	}
}

// writeMessage sends an answer or a question. Reading waits later than calls do, since the end
// of in may be next.
func (l *pipeLine) writeMessage(body []byte, always bool) {
	if always {
		l = &pipeLine{pipe: l.pipe}
	}
	l.queueMessage(body)
	limit := maxPipeQueue
	if l.cancel == nil {
		limit = maxPipeUnanswered
	}
	l.pipe.awaitRoom(limit)
}

// errUnread is the error of a client that sends, and does not read.
var errUnread = fmt.Errorf("the client has taken none of more than %d messages for 2 seconds", maxPipeUnanswered)

// watchClient cancels all calls if the client takes no message for pipeGrace before stop is
// called. p.mu must be held now and for stop.
func (p *mcpPipe) watchClient() (stop func()) {
	taken, stopped := p.taken, false
	var timer *time.Timer
	timer = time.AfterFunc(pipeGrace, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case stopped:
		case p.taken == taken:
			p.cancel(errUnread)
		default:
			taken = p.taken
			timer.Reset(pipeGrace)
		}
	})
	return func() {
		stopped = true
		timer.Stop()
	}
}

// agree changes what the client has agreed on. Requests that run keep what they began with.
func (l *pipeLine) agree(change func(*agreement)) {
	agreed := *l.pipe.agreed
	change(&agreed)
	l.pipe.agreed = &agreed
}

func (l *pipeLine) asked() (*questionTable, <-chan struct{}) { return &l.pipe.questions, l.pipe.ended }

func (l *pipeLine) awaitRoom() { l.pipe.awaitRoom(maxPipeQueue) }

// queueMessage queues a copy of a message and a line end; the JSON of this package contains none.
// It queues nothing for a canceled call (MCP 2026-07-28, stdio, Cancellation).
func (l *pipeLine) queueMessage(body []byte) {
	p := l.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil && !l.canceled {
		p.queue = append(p.queue, append(append(make([]byte, 0, len(body)+1), body...), '\n'))
		p.changed.Broadcast()
	}
}

// awaitRoom waits while more than limit messages are queued, and watches the client meanwhile:
// while reading waits, the end of in is not noticed, and a client that has died must not leave a
// process behind.
func (p *mcpPipe) awaitRoom(limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > maxPipeUnanswered {
		defer p.watchClient()()
	}
	for len(p.queue) > limit && p.state < pipeStopped {
		p.changed.Wait()
	}
}

// setState notes how far the pipe is, and returns the error of out.
func (p *mcpPipe) setState(state pipeState) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = max(p.state, state)
	p.changed.Broadcast()
	return p.err
}

// writeMessages writes the messages that are queued, each in one Write, until no call is
// left to queue any. It is the only goroutine that writes, and holds no mutex meanwhile, since a
// Write may take for ever. An error means that the client is gone, so it cancels all
// calls.
func (p *mcpPipe) writeMessages(out io.Writer) {
	defer close(p.written)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.queue) == 0 && (p.state == pipeOpen || p.unanswered > 0 && p.state < pipeLeft) {
			p.changed.Wait()
		}
		if len(p.queue) == 0 || p.state == pipeLeft {
			return
		}
		message := p.queue[0]
		p.queue = p.queue[1:]
		p.changed.Broadcast()
		p.mu.Unlock()
		err := writeAll(out, message)
		if err != nil {
			p.cancel(err)
		}
		p.mu.Lock()
		p.taken++
		if err != nil {
			p.err, p.queue = err, nil
		}
	}
}

// writeAll writes a message. A panic of out is an error, since no other goroutine could
// recover it.
func writeAll(out io.Writer, message []byte) (err error) {
	defer recoverTo(&err)
	_, err = out.Write(message)
	return err
}
