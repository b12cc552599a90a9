package main

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.com/svc"
)

// A TickAPI has streams that test their clients.
type TickAPI interface {
	// Ticks has six items, and cuts the connection after each two.
	Ticks(context.Context, *From) (svc.Stream[Tick], error)
	// Fail ends with an error.
	Fail(context.Context) (svc.Stream[Tick], error)
}

// From is where a client wants to go on.
type From struct {
	After int `json:"after,omitempty" header:"Last-Event-ID" minimum:"0"`
}

// A Tick is an item.
type Tick struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// SSE gives each event an ID, every third a name, and says that clients are to
// come back soon.
func (t *Tick) SSE() svc.Event {
	e := svc.Event{ID: strconv.Itoa(t.N), Retry: 10 * time.Millisecond}
	if t.N%3 == 0 {
		e.Name = "third"
	}
	return e
}

const (
	lastTick = 6
	text     = "a\r\nb\n\nc: é\u2028\t\"<data>"
)

// ticks implements TickAPI, and notes what it was asked for.
type ticks struct {
	mu    sync.Mutex
	after []int
	proto map[string]bool
}

func (t *ticks) note(ctx context.Context, after int) {
	info, _ := svc.InfoFrom(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = append(t.after, after)
	t.proto[info.Request.Proto] = true
}

// seen returns what was noted since it was called last.
func (t *ticks) seen() (after []int, proto map[string]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	after, proto = t.after, t.proto
	t.after, t.proto = nil, make(map[string]bool)
	return after, proto
}

func (t *ticks) Ticks(ctx context.Context, in *From) (svc.Stream[Tick], error) {
	t.note(ctx, in.After)
	return func(yield func(*Tick, error) bool) {
		for n := in.After + 1; n <= lastTick; n++ {
			if n == in.After+3 {
				// A browser throws away what it has not read when HTTP/2 resets the
				// stream, and would come back for the same two for ever.
				time.Sleep(500 * time.Millisecond)
				panic(http.ErrAbortHandler) // cuts the connection
			}
			if !yield(&Tick{n, text}, nil) {
				return
			}
		}
	}, nil
}

func (t *ticks) Fail(ctx context.Context) (svc.Stream[Tick], error) {
	return func(yield func(*Tick, error) bool) {
		if yield(&Tick{1, text}, nil) {
			yield(nil, svc.Errorf(svc.CodeNotFound, "there is no more"))
		}
	}, nil
}
