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

// A gateUser is somebody who tries, queues for and leaves a gate in TestGate.
type gateUser struct {
	inside bool
	turn   chan struct{} // nil without one
}

// Verify a gate against a model of it, by all sequences of up to 5 steps that 3 users can take: to
// try, to queue, to leave, and to give up waiting.
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
	for _, step := range steps {
		i, u := step/2, &users[step/2]
		switch first := step%2 == 0; {
		case u.turn != nil && first: // gives up
			if g.cancel(u.turn); !isClosed(u.turn) {
				t.Fatalf("%d slots, %v: the channel of a turn that was given up is open", n, steps)
			}
			u.turn = nil
			queue = slices.DeleteFunc(queue, func(other int) bool { return other == i })
		case u.turn != nil:
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
			if !isClosed(next.turn) {
				t.Fatalf("%d slots, %v: who has waited longest gets none", n, steps)
			}
			next.inside, next.turn = true, nil
		case u.inside:
			return false
		case first:
			if got := g.try(); got != (free > 0) {
				t.Fatalf("%d slots, %v: try is %v with %d free", n, steps, got, free)
			}
			if free > 0 {
				u.inside, free = true, free-1
			}
		default:
			turn := g.queue()
			if isClosed(turn) != (free > 0) {
				t.Fatalf("%d slots, %v: with %d free, the turn has come: %v", n, steps, free, isClosed(turn))
			}
			if free > 0 {
				u.inside, free = true, free-1
			} else {
				u.turn, queue = turn, append(queue, i)
			}
		}
		if g.free != free || len(g.waiting) != len(queue) {
			t.Fatalf("%d slots, %v: %d free and %d wait, want %d and %d", n, steps, g.free, len(g.waiting), free, len(queue))
		}
	}
	for _, i := range queue { // a turn that came, and is given up, leaves its slot
		g.leave()
		g.try()
		if free++; isClosed(users[i].turn) {
			g.cancel(users[i].turn)
		}
	}
	return true
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A modelSlot is a request of TestSlot, with a model of what it has.
type modelSlot struct {
	slot
	calls                int // that have entered and not left
	inSlot, hasBody      bool
	begun, refused, asks bool
	wasUpload, closed    bool
}

// The steps of TestSlot: what a request can do.
var slotSteps = []struct {
	name string
	can  func(r *modelSlot) bool
}{
	{"enter", func(r *modelSlot) bool { return !r.asks && !(r.arrives && (r.calls > 0 || r.wasUpload)) }},
	{"leave", func(r *modelSlot) bool { return r.calls > 0 }},
	{"pause", func(r *modelSlot) bool { return r.calls == 1 && r.inSlot }},
	{"resume", func(r *modelSlot) bool { return r.calls == 1 }},
	{"takeBody", func(r *modelSlot) bool { return !r.begun && !r.refused }},
	{"arrive", func(r *modelSlot) bool { return r.hasBody && !r.arrives }},
	{"close", func(r *modelSlot) bool { return true }},
}

// take takes a step of r beside another request. It returns what is wrong with the result.
func (r *modelSlot) take(step string, other *modelSlot) (wrong string) {
	gone, cancel := context.WithCancel(context.Background())
	cancel() // what would wait gives up
	var err, want error
	room := !other.inSlot
	switch step {
	case "enter":
		err = r.enter()
		switch {
		case r.arrives:
			r.wasUpload = true
		case !r.inSlot:
			r.hasBody = false
			if r.refused || !room {
				r.refused, want = !r.begun, errBusy
			} else {
				r.inSlot = true
			}
		}
		if err == nil {
			r.begun = true
			r.calls++
		}
	case "leave":
		r.leave()
		if r.calls--; r.calls == 0 || r.arrives {
			r.inSlot, r.asks, r.hasBody = false, false, false
		}
	case "pause":
		r.pause()
		r.inSlot, r.asks = false, true
	case "resume":
		err = r.resume(gone)
		if r.asks && !room {
			want = context.Canceled
		} else if r.asks {
			r.inSlot, r.asks = true, false
		}
	case "takeBody":
		if err = r.takeBody(asker{}); other.hasBody && !r.hasBody {
			want = errBusy
		}
		r.hasBody = r.hasBody || err == nil
	case "arrive":
		r.arrives = true
	case "close":
		r.close()
		r.calls, r.inSlot, r.hasBody, r.asks, r.refused, r.closed = 0, false, false, false, true, true
	}
	if !errors.Is(err, want) || err == nil != (want == nil) {
		return fmt.Sprintf("%v, want %v", err, want)
	}
	return ""
}

// Verify two requests at one slot and one share of the bodies, by all sequences of up to 7 steps:
// that a request has one slot while a call of it runs, and no more; that only the first call is
// refused, or a later one without a slot; that nothing runs after that; that an upload has its
// share until its call ends, and no slot; and that all is free when both have ended.
func TestSlot(t *testing.T) {
	const longest = 7
	run := func(steps []int) (possible bool) {
		l := newLoad(1, 0, false, false)
		requests := [2]*modelSlot{{slot: slot{load: l}}, {slot: slot{load: l}}}
		for _, step := range steps {
			r, other, s := requests[step/len(slotSteps)], requests[1-step/len(slotSteps)], slotSteps[step%len(slotSteps)]
			if r.closed || !s.can(r) {
				return false
			}
			if wrong := r.take(s.name, other); wrong != "" {
				t.Fatalf("%v: %s: %s", steps, s.name, wrong)
			}
			slots, bodies := 1, 0
			for _, r := range requests {
				if r.inSlot {
					slots--
				}
				if r.hasBody {
					bodies++
				}
				if (r.users > 0) != r.inSlot || (r.body != nil) != r.hasBody || r.turn != nil || r.slot.waiting > 0 {
					t.Fatalf("%v: a request has %d users, a body %v, a turn %v; want %v, %v", steps, r.users, r.body != nil, r.turn != nil, r.inSlot, r.hasBody)
				}
			}
			if l.gate.free != slots || l.bodies.used != bodies || len(l.gate.waiting) > 0 {
				t.Fatalf("%v: %d free, %d bodies, %d wait", steps, l.gate.free, l.bodies.used, len(l.gate.waiting))
			}
		}
		for _, r := range requests {
			r.close()
		}
		if l.gate.free != 1 || l.bodies.used != 0 || len(l.bodies.of) > 0 {
			t.Fatalf("%v: %d free and %d bodies at the end", steps, l.gate.free, l.bodies.used)
		}
		return true
	}
	var all func(taken []int)
	all = func(taken []int) {
		for step := range 2 * len(slotSteps) {
			next := append(slices.Clone(taken), step)
			if run(next) && len(next) < longest {
				all(next)
			}
		}
	}
	all(nil)
}

// Verify the goroutines of one call that have the answers to their questions while the service is
// full: they wait for one slot together, so none of them waits for the others to end.
func TestSlotAnswers(t *testing.T) {
	for _, test := range []struct {
		name string
		then func(s *slot, other *slot, leave []context.CancelFunc)
		errs []error // of the goroutines
		free int     // at the end, if the call and the other request have what they then have
	}{
		{"the slot comes", func(_, other *slot, _ []context.CancelFunc) { other.leave() }, []error{nil, nil}, 0},
		{"one gives up", func(s, other *slot, leave []context.CancelFunc) {
			leave[0]()
			for waiting(s) > 1 {
				runtime.Gosched()
			}
			other.leave()
		}, []error{context.Canceled, nil}, 0},
		{"both give up", func(_, _ *slot, leave []context.CancelFunc) { leave[0](); leave[1]() },
			[]error{context.Canceled, context.Canceled}, 0},
		{"the call ends", func(s, _ *slot, _ []context.CancelFunc) { s.leave() }, []error{nil, nil}, 0},
		{"the request ends, and then the other one", func(s, other *slot, _ []context.CancelFunc) { s.close(); other.leave() },
			[]error{nil, nil}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLoad(1, 0, false, false)
			s, other := l.newSlot(), l.newSlot()
			s.enter()
			s.pause()
			s.pause() // of the second goroutine
			if err := other.enter(); err != nil {
				t.Fatal(err)
			}
			results := [2]chan error{make(chan error, 1), make(chan error, 1)}
			var leave []context.CancelFunc
			for i := range results {
				ctx, cancel := context.WithCancel(t.Context())
				leave = append(leave, cancel)
				go func() { results[i] <- s.resume(ctx) }()
			}
			for waiting(s) < 2 {
				runtime.Gosched()
			}
			if len(l.gate.waiting) != 1 {
				t.Errorf("they wait for %d slots", len(l.gate.waiting))
			}
			test.then(s, other, leave)
			for i, result := range results {
				if err := <-result; err != test.errs[i] {
					t.Errorf("goroutine %d: %v, want %v", i, err, test.errs[i])
				}
			}
			if l.gate.free != test.free || len(l.gate.waiting) != 0 {
				t.Errorf("%d free, and %d wait", l.gate.free, len(l.gate.waiting))
			}
			s.close()
			other.close()
			if l.gate.free != 1 {
				t.Errorf("%d free at the end", l.gate.free)
			}
		})
	}
}

func waiting(s *slot) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.waiting)
}

// Verify that a slot that is nil, of a service without a limit, allows everything.
func TestNoSlot(t *testing.T) {
	s := newLoad(0, 0, false, false).newSlot()
	r, _ := http.NewRequest("POST", "/", strings.NewReader("body"))
	if s != nil || s.resume(t.Context()) != nil || s.bodyOf(r) != r.Body || s.readAhead(nil, nil) != nil {
		t.Error("a nil slot does not allow everything")
	}
	s.pause()
}

// Verify how much of a body is read without a share of the bodies.
func TestSlotBody(t *testing.T) {
	for _, test := range []struct {
		size      int
		announced bool
		full      bool // no share is free
		want      int  // bytes that are read
	}{
		{freeBody, true, true, freeBody},
		{freeBody + 1, true, true, freeBody},
		{freeBody + 1, false, true, freeBody},
		{freeBody, false, false, freeBody},
		{3 * freeBody, true, false, 3 * freeBody},
	} {
		t.Run(fmt.Sprintf("%d announced %v full %v", test.size, test.announced, test.full), func(t *testing.T) {
			l := newLoad(1, 0, false, false)
			if test.full {
				l.bodies.take(asker{})
			}
			s := l.newSlot()
			r, _ := http.NewRequest("POST", "/", strings.NewReader(strings.Repeat("a", test.size)))
			if !test.announced {
				r.ContentLength = -1
			}
			data, err := io.ReadAll(s.bodyOf(r))
			if len(data) != test.want || (err == errBusy) != (test.want < test.size) || err != nil && err != errBusy {
				t.Errorf("%d bytes, %v; want %d", len(data), err, test.want)
			}
			if l.gate.free != 1 {
				t.Error("the body has taken the slot")
			}
		})
	}
}

// Verify how many each caller can have of a number that all share, and that what is given back can
// be had again.
func TestShares(t *testing.T) {
	ada, bob, nobody := asker{true, "ada"}, asker{true, "bob"}, asker{}
	for _, test := range []struct {
		name  string
		most  int
		known bool
		of    []asker // each takes as many as it can
		want  []int
		last  error // of the last one
	}{
		{"one caller", 5, false, []asker{ada}, []int{3}, errShare},
		{"two callers", 5, false, []asker{ada, bob}, []int{3, 2}, errBusy},
		{"a caller without a subject", 4, false, []asker{{known: true}, nobody}, []int{2, 2}, errBusy},
		{"strangers where nobody else needs any", 5, false, []asker{nobody}, []int{5}, errBusy},
		{"strangers where others need some", 5, true, []asker{nobody, ada}, []int{3, 2}, errBusy},
		{"only one", 1, true, []asker{ada, nobody}, []int{1, 0}, errBusy},
		{"none", 0, false, []asker{nobody}, []int{0}, errBusy},
		{"no limit", -1, true, []asker{nobody, ada}, []int{99, 99}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShares(test.most, test.known)
			var all []*share
			for i, a := range test.of {
				n, err := 0, error(nil)
				for n < 99 {
					var own *share
					if own, err = s.take(a); err != nil {
						break
					}
					all = append(all, own)
					n++
				}
				if n != test.want[i] || i == len(test.of)-1 && err != test.last {
					t.Errorf("%v has %d, and then %v; want %d, %v", a, n, err, test.want[i], test.last)
				}
			}
			for _, own := range all {
				own.giveBack()
			}
			if s.used != 0 || len(s.of) != 0 {
				t.Errorf("%d are used at the end, by %d", s.used, len(s.of))
			}
		})
	}
}

// Verify that the limit on streams is exact, and that a negative one is none.
func TestMaxStreams(t *testing.T) {
	for _, test := range []struct{ max, want int }{{0, 10_000}, {1, 1}, {3, 3}, {-1, 20_000}} {
		streams := newLoad(0, test.max, true, false).streams
		n := 0
		var last *share
		for n < 20_000 {
			own, err := streams.take(asker{})
			if err != nil {
				break
			}
			last = own
			n++
		}
		if n != test.want {
			t.Errorf("MaxStreams %d: %d begin, want %d", test.max, n, test.want)
		}
		last.giveBack()
		if _, err := streams.take(asker{}); err != nil {
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
