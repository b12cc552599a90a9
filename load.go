package svc

// This file limits how much a service works on at once: Options.MaxConcurrent and
// Options.MaxStreams. In this order:
//
//   - load: the limits of one service
//   - gate: a number of slots, and the requests that wait for one
//   - slot: the slot of one request
//   - freeBody: the part of a body that is read without a slot
//
// Waiting is not load. So a request has a slot only while one of its calls runs:
//
//	The request                                Its slot
//	-----------------------------------------  -----------------------------------------
//	sends the first 64 KiB of its body         none
//	sends more                                 taken, for the call that follows
//	makes its first call                       taken, or the request is refused
//	makes a further call of a batch            taken again, if no other call of it runs
//	waits for the answer to a question         given back, and taken again afterwards
//	has a stream or a file from its method     given back
//	has its output, which is not yet sent      given back
//
// A request is only refused when it takes its slot for the first time, so no part of a refused
// request has run. To take its slot again, a request waits, ahead of all new requests, until its
// context ends.
//
// call.go takes and gives back slots, because it knows when a method runs.

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// defaultMaxStreams is Options.MaxStreams if that is zero.
const defaultMaxStreams = 10_000

// A load is the current work of a service, with its limits. Services derived by At share one.
type load struct {
	gate       *gate // nil without Options.MaxConcurrent
	streams    atomic.Int64
	maxStreams int64 // negative: no limit
}

// newLoad returns an empty load with these limits, of Options.
func newLoad(maxConcurrent, maxStreams int) *load {
	l := &load{maxStreams: int64(maxStreams)}
	if maxConcurrent > 0 {
		l.gate = &gate{free: maxConcurrent}
	}
	if maxStreams == 0 {
		l.maxStreams = defaultMaxStreams
	}
	return l
}

// beginStream counts one more stream or file, for which endStream must be called. It returns
// errBusy if there are too many.
func (l *load) beginStream() error {
	if l.streams.Add(1) > l.maxStreams && l.maxStreams >= 0 {
		l.streams.Add(-1)
		return errBusy
	}
	return nil
}

func (l *load) endStream() { l.streams.Add(-1) }

// newSlot returns a slot for a request, which does not hold it yet, or nil without a limit. A nil
// slot is never refused.
func (l *load) newSlot() *slot {
	if l.gate == nil {
		return nil
	}
	return &slot{gate: l.gate}
}

// A gate is a number of slots.
//
// Invariant: if somebody waits, no slot is free.
type gate struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{} // the longest first; a channel is closed when its owner gets a slot
}

// try takes a slot if one is free.
func (g *gate) try() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free == 0 {
		return false
	}
	g.free--
	return true
}

// wait takes a slot as soon as one is free, before later callers. If ctx ends first, it takes none
// and returns the error of ctx.
func (g *gate) wait(ctx context.Context) error {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	i := slices.Index(g.waiting, turn)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	g.mu.Unlock()
	if i < 0 { // the slot came at the same time
		g.leave()
	}
	return ctx.Err()
}

// leave gives a slot back: to the longest waiter, or to everybody.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.free++
		return
	}
	close(g.waiting[0])
	g.waiting = slices.Delete(g.waiting, 0, 1)
}

// A slot belongs to one request, for all its calls. The goroutines of a batch, and those in which
// a method asks its caller, use it together.
//
// Invariant: the request has one of the slots of gate if and only if users is not 0.
type slot struct {
	gate *gate

	mu       sync.Mutex
	users    int  // the calls that run; and one if ahead is set
	ahead    bool // the body has taken the slot, ahead of the first call
	admitted bool // a call has held the slot
	refused  bool // the first call did not get it
	closed   bool // the request has ended
}

// enter is called before a call of the request runs. It returns errBusy if this is the first one
// and no slot is free. A later call waits, and gets the error of ctx if that ends.
func (p *slot) enter(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	switch {
	case p.ahead:
		p.ahead = false
	case p.users > 0:
		p.users++
	case !p.admitted:
		p.admit()
	default:
		p.mu.Unlock()
		return p.enterAgain(ctx)
	}
	defer p.mu.Unlock()
	if p.refused {
		return errBusy
	}
	return nil
}

// admit takes the slot for the first time, for one user. p.mu must be held.
func (p *slot) admit() {
	if p.refused = p.refused || !p.gate.try(); !p.refused {
		p.admitted, p.users = true, 1
	}
}

// enterAgain waits for the slot, for one more user. p.mu is not held while it waits: a different
// call may get the slot of the request first, or the request may end.
func (p *slot) enterAgain(ctx context.Context) error {
	if err := p.gate.wait(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 || p.closed {
		p.gate.leave() // one is enough
	}
	if !p.closed {
		p.users++
	}
	return nil
}

// leave is called once after each enter that returned nil. After pause, it has nothing to give
// back.
func (p *slot) leave() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 {
		return
	}
	if p.users--; p.users == 0 {
		p.gate.leave()
	}
}

// pause gives the slot back while the only call of the request waits for its caller.
func (p *slot) pause() { p.leave() }

// resume takes the slot again after pause. It waits as enterAgain does. Several goroutines of one
// method may ask at once: the first that gets its answer takes the slot.
func (p *slot) resume(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	isThere := p.users > 0 || p.closed
	p.mu.Unlock()
	if isThere {
		return nil
	}
	if err := p.gate.wait(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 || p.closed {
		p.gate.leave()
	} else {
		p.users = 1
	}
	return nil
}

// close gives back the slot at the end of the request.
func (p *slot) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed = true; p.users > 0 {
		p.users, p.ahead = 0, false
		p.gate.leave()
	}
}

// enterAhead takes the slot before the first call, for its body.
func (p *slot) enterAhead() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.admitted {
		p.admit()
		p.ahead = p.admitted
	}
	if p.refused {
		return errBusy
	}
	return nil
}

// freeBody is how many bytes of a body are read without a slot. So a slow client with a small body
// does not hold a slot, and the memory of each connection is limited.
const freeBody = 64 << 10

// bodyOf returns the body of r, which takes the slot before it is read beyond freeBody.
func (p *slot) bodyOf(r *http.Request) io.Reader {
	if p == nil || 0 <= r.ContentLength && r.ContentLength <= freeBody || !hasBody(r) {
		return r.Body
	}
	return &slotBody{body: r.Body, slot: p, free: freeBody}
}

// A slotBody reads a body. After it fails with errBusy, it reads no more.
type slotBody struct {
	body io.Reader
	slot *slot
	free int // bytes that may be read without the slot; -1 once it is taken
}

func (b *slotBody) Read(buf []byte) (int, error) {
	if b.free == 0 {
		if err := b.slot.enterAhead(); err != nil {
			return 0, err
		}
		b.free = -1
	}
	if b.free < 0 {
		return b.body.Read(buf)
	}
	n, err := b.body.Read(buf[:min(len(buf), b.free)])
	b.free -= n
	return n, err
}
