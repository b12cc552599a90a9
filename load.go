package svc

// This file limits how much a service works on at once: Options.MaxConcurrent and
// Options.MaxStreams. In this order:
//
//   - load: the limits of one service
//   - shares: what callers hold for as long as they like
//   - gate: a number of slots, and the calls that wait for one
//   - slot: the part of one request in both
//   - slotBody: a body that arrives
//
// MaxConcurrent limits two numbers: the calls that run, which have a slot, and the bodies that
// arrive, which have a share. Neither is waited for, and a request never takes one while it holds
// the other, so that clients who send slowly stop no calls, and nothing can lock. Waiting is not
// load, so a request has a slot only while one of its calls runs:
//
//	The request                                Its slot               Its share of the bodies
//	-----------------------------------------  ---------------------  ------------------------
//	sends the first 64 KiB of its body         none                   none
//	sends more                                 none                   taken, or it is refused
//	makes its first call                       taken, or it is        given back, also by a
//	                                             refused                refusal
//	makes the call of an upload of which more  none                   kept until the method
//	  than 64 KiB come                                                  returns
//	makes a further call of a batch            of the batch, which
//	                                             has one as long as a
//	                                             worker is in it
//	collects a stream in a batch               the worker leaves it
//	makes the next call after that             as before; if it is
//	                                             gone, taken, or the
//	                                             call is refused
//	waits for the answer to a question         given back, and taken
//	                                             again with the answer
//	has a stream or a file from its method     given back             given back
//	has its output, which is not yet sent      given back             given back
//
// So no part of a refused call has run. The only wait is that of a call with the answer to its
// question: it comes ahead of all new requests, and ends with its context.
//
// call.go takes and gives back slots, because it knows when a method runs.

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
)

// defaultMaxStreams is Options.MaxStreams if that is zero.
const defaultMaxStreams = 10_000

// A load is the current work of a service, with its limits. Services derived by At share one.
type load struct {
	gate    *gate   // the calls that run; nil without Options.MaxConcurrent
	bodies  *shares // as many bodies that arrive, beyond freeBody of each
	streams *shares // Options.MaxStreams
}

// newLoad returns an empty load with these limits, of Options. known reports whether some method
// needs a known caller, and knownStreams whether a stream or a file does.
func newLoad(maxConcurrent, maxStreams int, known, knownStreams bool) *load {
	l := &load{bodies: newShares(maxConcurrent, known), streams: newShares(cmp.Or(maxStreams, defaultMaxStreams), knownStreams)}
	if maxConcurrent > 0 {
		l.gate = &gate{free: maxConcurrent}
	}
	return l
}

// An asker is a caller as shares count it: by its Subject, or as one of all callers without a
// Principal.
type asker struct {
	known   bool // it has a Principal
	subject string
}

// askerOf returns the caller of a request or a call.
func askerOf(ctx context.Context) asker {
	if p, ok := PrincipalFrom(ctx); ok {
		return asker{true, p.Subject}
	}
	return asker{}
}

// name says who the caller is, for messages.
func (a asker) name() string {
	if a.known {
		return "this caller"
	}
	return "callers who are not known"
}

// shares limit what callers hold for as long as they like: a client ends a stream, a body or a
// question when it wants to. So one caller cannot hold all.
type shares struct {
	most    int // of all together; negative: no limit
	each    int // of one Subject
	unknown int // of all callers without a Principal together

	mu   sync.Mutex
	used int
	of   map[asker]*share // of those who hold something
}

// A share is what one caller holds.
type share struct {
	shares *shares
	asker  asker
	held   int // never 0 in shares.of
}

// newShares returns shares of which one Subject has at most half, rounded up. So have all callers
// without a Principal together if known is set: they must leave some to others.
func newShares(most int, known bool) *shares {
	half := (most + 1) / 2
	s := &shares{most: most, each: half, unknown: most}
	if known {
		s.unknown = half
	}
	return s
}

// mostOf returns how many the caller can hold.
func (s *shares) mostOf(a asker) int {
	if a.known {
		return s.each
	}
	return s.unknown
}

// take takes one more for a caller, for which share.giveBack must be called. Its error is errBusy,
// or errShare if the caller holds its part already.
func (s *shares) take(a asker) (*share, error) {
	if s.most < 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of[a]
	switch {
	case s.used >= s.most:
		return nil, errBusy
	case own != nil && own.held >= s.mostOf(a):
		return nil, errShare
	case own == nil:
		if s.of == nil {
			s.of = make(map[asker]*share)
		}
		own = &share{shares: s, asker: a}
		s.of[a] = own
	}
	own.held++
	s.used++
	return own, nil
}

// giveBack gives back one of h, which is nil without a limit.
func (h *share) giveBack() {
	if h == nil {
		return
	}
	s := h.shares
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	if h.held--; h.held == 0 {
		delete(s.of, h.asker)
	}
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

// queue returns a channel that is closed once its owner has a slot: at once if one is free, else
// before all who come later.
func (g *gate) queue() (turn chan struct{}) {
	turn = make(chan struct{})
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free > 0 {
		g.free--
		close(turn)
	} else {
		g.waiting = append(g.waiting, turn)
	}
	return turn
}

// cancel gives up a turn, or the slot that came with it. The channel is closed then.
func (g *gate) cancel(turn chan struct{}) {
	g.mu.Lock()
	i := slices.Index(g.waiting, turn)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
		close(turn)
	}
	g.mu.Unlock()
	if i < 0 {
		g.leave()
	}
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

// A slot is what one request has of a load, for all its calls. The workers of a batch, and the
// goroutines in which a method asks its caller, use it together.
//
// Invariant: the request has one of the slots of the gate if users is not 0 or turn is closed, and
// then only one.
type slot struct {
	load *load

	mu       sync.Mutex
	users    int32         // the call that runs, or the workers of a batch
	waiting  int32         // the goroutines that wait for turn
	turn     chan struct{} // of the gate, for a call with an answer to its question; nil without one
	body     *share        // of load.bodies
	paused   bool          // a question has given the slot back, and its call goes on
	arrives  bool          // the request is an upload, whose body counts in place of its call
	admitted bool          // a call has held the slot
	refused  bool          // the first call did not get it, or the request has ended
}

// newSlot returns the slot of a request, which holds nothing yet, or nil without a limit.
func (l *load) newSlot() *slot {
	if l.gate == nil {
		return nil
	}
	return &slot{load: l}
}

// enter is called before a call of the request runs, or before the first call of a worker of a
// batch. It returns errBusy if the request has no slot and none is free. Then, if this is the first
// call, all others are refused too.
func (s *slot) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.arrives:
		return nil
	case s.users > 0:
		s.users++
		return nil
	}
	s.giveBody()
	if s.refused || !s.load.gate.try() {
		s.refused = !s.admitted
		return errBusy
	}
	s.users, s.admitted = 1, true
	return nil
}

// leave is called once after each enter that returned nil.
func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBody() // of an upload
	s.endPause()
	if s.users == 0 {
		return
	}
	if s.users--; s.users == 0 {
		s.load.gate.leave()
	}
}

// pause gives back the slot of the only call of the request, if it has one, while a question of it
// waits. s may be nil.
func (s *slot) pause() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 1 {
		s.users, s.paused = 0, true
		s.load.gate.leave()
	}
}

// resume takes the slot again that pause has given back. It waits ahead of all new requests, until
// ctx ends. Several goroutines of one method may ask at once: they wait for one slot together, and
// those whose answers come later find it there. A call that has ended, or whose stream has no slot,
// takes none. s may be nil.
func (s *slot) resume(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.paused {
		return nil
	}
	if s.turn == nil {
		s.turn = s.load.gate.queue()
	}
	turn := s.turn
	s.waiting++
	s.mu.Unlock()
	err := awaitTurn(ctx, turn)
	s.mu.Lock()
	switch {
	case s.turn != turn: // another goroutine has taken the slot, or the call has ended
		return nil
	case err == nil:
		s.turn, s.waiting, s.paused, s.users = nil, 0, false, 1
	default:
		if s.waiting--; s.waiting == 0 {
			s.load.gate.cancel(turn)
			s.turn = nil
		}
	}
	return err
}

// awaitTurn waits until turn is closed, or returns the error of ctx.
func awaitTurn(ctx context.Context, turn <-chan struct{}) error {
	select {
	case <-turn:
		return nil
	default:
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endPause lets no goroutine take the slot again. s.mu must be held.
func (s *slot) endPause() {
	if s.turn != nil {
		s.load.gate.cancel(s.turn)
	}
	s.turn, s.waiting, s.paused = nil, 0, false
}

// close gives back everything at the end of the request.
func (s *slot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBody()
	s.endPause()
	if s.refused = true; s.users > 0 {
		s.users = 0
		s.load.gate.leave()
	}
}

// takeBody takes a share of the bodies for a caller, or returns an error as shares.take does.
func (s *slot) takeBody(of asker) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.body == nil {
		s.body, err = s.load.bodies.take(of)
	}
	return err
}

// giveBody gives the share back. s.mu must be held.
func (s *slot) giveBody() {
	s.body.giveBack()
	s.body = nil
}

// freeBody is how many bytes of a body are read before it counts. So a slow client with a small
// body does not count, and the memory of each request is limited.
const freeBody = 64 << 10

// bodyOf returns the body of r, which takes a share of the bodies before it is read beyond
// freeBody. s may be nil.
func (s *slot) bodyOf(r *http.Request) io.Reader {
	if s == nil || 0 <= r.ContentLength && r.ContentLength <= freeBody || !hasBody(r) {
		return r.Body
	}
	return &slotBody{Reader: r.Body, request: r, slot: s, free: freeBody}
}

// A slotBody reads a body. After it fails with an error of shares.take, it reads no more.
type slotBody struct {
	io.Reader
	request *http.Request
	slot    *slot
	free    int   // bytes that may be read without a share; -1 once it is taken
	refusal error // of the share
}

func (b *slotBody) Read(buf []byte) (int, error) {
	if b.free == 0 && b.take() != nil {
		return 0, b.refusal
	}
	if b.free < 0 {
		return b.Reader.Read(buf)
	}
	n, err := b.Reader.Read(buf[:min(len(buf), b.free)])
	b.free -= n
	return n, err
}

// take takes the share, unless it is taken.
func (b *slotBody) take() error {
	if b.free >= 0 && b.refusal == nil {
		if b.refusal = b.slot.takeBody(askerOf(b.request.Context())); b.refusal == nil {
			b.free = -1
		}
	}
	return b.refusal
}

// readAhead reads the first part of an upload, before its method is called: to the end, so that its
// call is one like all others; or as much as is read without a share, which the upload then takes
// and keeps until its method has returned. upload reads from content, which is of bodyOf. The error
// is that of Read, or of the share. Both s and upload may be nil.
func (s *slot) readAhead(upload *bodyReader, content io.Reader) error {
	if s == nil || upload == nil || upload.w == nil { // without a limit, or all is in memory
		return nil
	}
	counted, _ := content.(*slotBody) // nil for a short body
	for upload.err == nil && (counted == nil || counted.free > 0) {
		upload.readAhead()
	}
	if counted != nil && upload.err == nil {
		counted.take()
	}
	switch {
	case counted != nil && counted.refusal != nil:
		return counted.refusal
	case upload.err == nil:
		s.arrives = true // no other goroutine knows s yet
	case upload.err != io.EOF:
		return upload.err
	}
	return nil
}
