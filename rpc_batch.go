package svc

// This file answers the calls of a JSON-RPC batch concurrently.

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

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
	running sync.WaitGroup         // the workers but the first
	helpers [batchWorkers]*scratch // theirs
	failure atomic.Pointer[any]    // what one of them panicked with
}

// answer returns the body of the response to messages, empty if none of them
// wants an answer. It returns after the last worker is done.
func (b *rpcBatch) answer(h *rpcHandler, r *http.Request, sc *scratch, messages []rpcMessage) []byte {
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
			h.service.giveBack(helper)
			b.helpers[i] = nil
		}
	}
	b.handler, b.request, b.messages = nil, nil, nil
	clear(b.answers)
	return b.body
}

// run is the first worker. It waits for the others, also if it panics.
func (b *rpcBatch) run(sc *scratch) {
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
func (b *rpcBatch) work(sc *scratch, worker int) {
	sc.buf = sc.buf[:0]
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
		start := len(sc.buf)
		w.answer(&b.messages[i])
		b.answers[i] = sc.buf[start:]
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
		b.helpers[worker] = b.handler.borrow()
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
