package svc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A gateUser is somebody who tries, waits for and leaves a gate in TestGate.
type gateUser struct {
	inside bool
	cancel context.CancelFunc // of a wait that goes on; nil without
	done   chan error         // of that wait
}

// Verify a gate against a model of it, by all sequences of up to 5 steps that 3 users can take: to
// try, to wait, to leave, and to give up waiting.
func TestGate(t *testing.T) {
	const longest, users = 5, 3
	var steps func(n int, taken []int)
	steps = func(n int, taken []int) {
		for step := range 2 * users {
			next := append(slices.Clone(taken), step)
			if runGate(t, n, next) && len(next) < longest {
				steps(n, next)
			}
		}
	}
	for n := 1; n <= 2; n++ {
		steps(n, nil)
	}
}

// runGate takes steps at a gate with n slots. The step i is for user i/2. It reports false if the
// last step is none that the user can take.
func runGate(t *testing.T, n int, steps []int) bool {
	g := &gate{free: n}
	var users [3]gateUser
	var queue []int // the model: who waits, the longest first
	free := n
	defer func() { // no goroutine stays
		for i := range users {
			if users[i].cancel != nil {
				users[i].cancel()
				<-users[i].done
			}
		}
	}()
	for _, step := range steps {
		i, u := step/2, &users[step/2]
		switch first := step%2 == 0; {
		case u.cancel != nil && first: // gives up
			u.cancel()
			if err := <-u.done; !errors.Is(err, context.Canceled) {
				t.Fatalf("%d slots, %v: a wait that was given up returns %v", n, steps, err)
			}
			u.cancel = nil
			queue = slices.DeleteFunc(queue, func(other int) bool { return other == i })
		case u.cancel != nil:
			return false
		case u.inside && first:
			g.leave()
			u.inside = false
			if len(queue) == 0 {
				free++
				break
			}
			next := &users[queue[0]]
			queue = queue[1:]
			if err := <-next.done; err != nil {
				t.Fatalf("%d slots, %v: who has waited longest gets %v", n, steps, err)
			}
			next.cancel()
			next.inside, next.cancel = true, nil
		case u.inside:
			return false
		case first:
			if got := g.try(); got != (free > 0) {
				t.Fatalf("%d slots, %v: try is %v with %d free", n, steps, got, free)
			}
			if free > 0 {
				u.inside, free = true, free-1
			}
		case free > 0:
			if err := g.wait(context.Background()); err != nil {
				t.Fatalf("%d slots, %v: wait with a free slot: %v", n, steps, err)
			}
			u.inside, free = true, free-1
		default:
			var ctx context.Context
			ctx, u.cancel = context.WithCancel(context.Background())
			u.done = make(chan error, 1)
			queue = append(queue, i)
			go func() { u.done <- g.wait(ctx) }()
			for g.queued() < len(queue) {
				runtime.Gosched()
			}
		}
		if g.free != free || g.queued() != len(queue) {
			t.Fatalf("%d slots, %v: %d free and %d wait, want %d and %d", n, steps, g.free, g.queued(), free, len(queue))
		}
	}
	return true
}

func (g *gate) queued() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// Verify the slots of two requests at one gate, by all sequences of up to 7 steps: that a request
// has one slot while a call of it runs, and no more; that only the first call is refused; that
// nothing runs after that; and that all is free when both have ended. What would wait gives up.
func TestSlot(t *testing.T) {
	const longest = 7
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	type request struct {
		slot
		calls                            int // that have entered and not left
		begun, refused, asks, read, over bool
	}
	names := []string{"enter", "leave", "pause", "resume", "enterAhead", "close"}
	run := func(steps []int) (possible bool) {
		g := &gate{free: 1}
		requests := [2]*request{{slot: slot{gate: g}}, {slot: slot{gate: g}}}
		for _, step := range steps {
			r, other := requests[step/len(names)], requests[1-step/len(names)]
			had, room := r.users > 0, other.users == 0
			if r.over {
				return false
			}
			var err error
			switch names[step%len(names)] {
			case "enter":
				if r.asks {
					return false
				}
				err = r.enter(gone)
				switch {
				case r.refused && err != errBusy,
					!r.refused && !r.begun && (err == errBusy) == (had || room),
					!r.refused && r.begun && (err == nil) != (had || room),
					r.begun && err == errBusy:
					t.Fatalf("%v: enter: %v", steps, err)
				}
				if r.refused = err == errBusy; err == nil {
					r.begun = true
					r.calls++
				}
			case "leave":
				if r.calls == 0 || r.asks {
					return false
				}
				r.calls--
				r.leave()
			case "pause":
				if r.calls != 1 || r.asks || r.users != 1 {
					return false
				}
				r.asks = true
				r.pause()
			case "resume":
				if !r.asks {
					return false
				}
				if err = r.resume(gone); (err == nil) != room {
					t.Fatalf("%v: resume: %v", steps, err)
				}
				if r.asks = false; err != nil {
					r.calls = 0 // it leaves without a slot
					r.leave()
				}
			case "enterAhead":
				if r.read || r.begun || r.refused {
					return false
				}
				if err = r.enterAhead(); (err == nil) != room {
					t.Fatalf("%v: enterAhead: %v", steps, err)
				}
				r.read, r.refused = true, err != nil
			case "close":
				r.over = true
				r.close()
			}
			inside := 0
			for _, r := range requests {
				if r.users > 0 {
					inside++
				}
				if r.users < 0 || r.refused && r.users > 0 || r.over && r.users > 0 {
					t.Fatalf("%v: a request has %d users, refused %v, over %v", steps, r.users, r.refused, r.over)
				}
			}
			if g.free+inside != 1 || len(g.waiting) > 0 {
				t.Fatalf("%v: %d free, %d requests inside, %d wait", steps, g.free, inside, len(g.waiting))
			}
		}
		for _, r := range requests {
			r.close()
		}
		if g.free != 1 {
			t.Fatalf("%v: %d free at the end", steps, g.free)
		}
		return true
	}
	var all func(taken []int)
	all = func(taken []int) {
		for step := range 2 * len(names) {
			next := append(slices.Clone(taken), step)
			if run(next) && len(next) < longest {
				all(next)
			}
		}
	}
	all(nil)
}

// Verify that a nil slot, of a service without a limit, allows everything.
func TestNoSlot(t *testing.T) {
	var p *slot
	r, _ := http.NewRequest("POST", "/", strings.NewReader("body"))
	if p.enter(t.Context()) != nil || p.resume(t.Context()) != nil || p.bodyOf(r) != r.Body {
		t.Error("a nil slot does not allow everything")
	}
	p.pause()
	p.leave()
	p.close()
}

// Verify how much of a body is read without a slot.
func TestSlotBody(t *testing.T) {
	for _, test := range []struct {
		size      int
		announced bool
		full      bool // no slot is free
		want      int  // bytes that are read
	}{
		{freeBody, true, true, freeBody},
		{freeBody + 1, true, true, freeBody},
		{freeBody + 1, false, true, freeBody},
		{freeBody, false, false, freeBody},
		{3 * freeBody, true, false, 3 * freeBody},
	} {
		t.Run(fmt.Sprintf("%d announced %v full %v", test.size, test.announced, test.full), func(t *testing.T) {
			g := &gate{free: 1}
			if test.full {
				g.free = 0
			}
			p := &slot{gate: g}
			r, _ := http.NewRequest("POST", "/", strings.NewReader(strings.Repeat("a", test.size)))
			if !test.announced {
				r.ContentLength = -1
			}
			data, err := io.ReadAll(p.bodyOf(r))
			if len(data) != test.want || (err == errBusy) != (test.want < test.size) || err != nil && err != errBusy {
				t.Errorf("%d bytes, %v; want %d", len(data), err, test.want)
			}
		})
	}
}

// Verify that the limit on streams is exact, and that a negative one is none.
func TestMaxStreams(t *testing.T) {
	for _, test := range []struct{ max, want int }{{0, 10_000}, {1, 1}, {3, 3}, {-1, 20_000}} {
		l := newLoad(0, test.max)
		n := 0
		for n < 20_000 && l.beginStream() == nil {
			n++
		}
		if n != test.want {
			t.Errorf("MaxStreams %d: %d begin, want %d", test.max, n, test.want)
		}
		if l.endStream(); l.beginStream() != nil {
			t.Errorf("MaxStreams %d: a stream has ended, and none may begin", test.max)
		}
	}
}

// Verify which ids are found in a part of a message.
func TestIDBefore(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"jsonrpc":"2.0","id":7,"params":{"text":"aaaa`, "7"},
		{`{"id" : "a\"b" ,"params":{"text":"aaaa`, `"a\"b"`},
		{`{"params":{"id":1,"text":"aaaa`, ""},
		{`{"params":{"a":["id",{"x":1}]},"id":-1.5e3,"b":"a`, "-1.5e3"},
		{`{"method":"id","params":{"a":"`, ""},
		{`{"params":"id","id":null,"b":"`, ""},
		{`{"id":1`, ""}, // perhaps 12
		{`{"id":"a`, ""},
		{`{"id":{"a":1},"b":`, ""},
		{`{"id":01,"b":`, ""},
		{`{"id`, ""},
		{`[{"id":1,"a":`, ""},
		{``, ""},
		{`"id":1,`, ""},
	} {
		t.Run(test.text, func(t *testing.T) {
			if got := string(idBefore([]byte(test.text))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
