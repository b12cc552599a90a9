package main

import (
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A replay sends one request again and again without allocating, so that what is
// measured is the handler.
type replay struct {
	handler    http.Handler
	fresh, req http.Request // req is what fresh was, before each use
	text       string
	body       requestBody
	w          sink
	burst      int // how many requests go by between two looks at the clock
}

// A requestBody is no more than a server's body is: a handler cannot see through
// it to the text.
type requestBody struct{ text strings.Reader }

func (b *requestBody) Read(p []byte) (int, error) { return b.text.Read(p) }
func (b *requestBody) Close() error               { return nil }

// A sink is the least that a handler may expect of the server's
// http.ResponseWriter, which has deadlines and flushes.
type sink struct {
	header http.Header
	status int
	body   []byte
}

func (w *sink) Header() http.Header              { return w.header }
func (w *sink) Flush()                           {}
func (w *sink) SetReadDeadline(time.Time) error  { return nil }
func (w *sink) SetWriteDeadline(time.Time) error { return nil }

func (w *sink) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *sink) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, p...)
	return len(p), nil
}

// newReplay returns the replay of a workload for c.
func newReplay(c contender, load workload) (*replay, error) {
	if c.adapt != nil {
		c.adapt(&load)
	}
	fresh, err := http.NewRequest(load.method, "http://localhost"+load.target, nil)
	if err != nil {
		return nil, err
	}
	r := &replay{handler: c.handler, fresh: *fresh, text: load.body, w: sink{header: make(http.Header)}, burst: 1}
	r.fresh.RequestURI = load.target
	r.fresh.RemoteAddr = "127.0.0.1:1234"
	for i := 0; i < len(load.header); i += 2 {
		r.fresh.Header.Set(load.header[i], load.header[i+1])
	}
	if load.body != "" {
		r.fresh.Body = &r.body
		r.fresh.ContentLength = int64(len(load.body))
	}
	return r, nil
}

func (r *replay) serve() {
	r.req = r.fresh
	r.body.text.Reset(r.text)
	clear(r.w.header)
	r.w.status, r.w.body = 0, r.w.body[:0]
	r.handler.ServeHTTP(&r.w, &r.req)
}

// slice serves for 0.3 ms and returns the nanoseconds of one request. Its bursts
// grow until the clock, which takes 50 ns, costs less than half a percent.
func (r *replay) slice() float64 {
	const length, between = 300 * time.Microsecond, 10 * time.Microsecond
	n := 0
	start := time.Now()
	for {
		for range r.burst {
			r.serve()
		}
		n += r.burst
		passed := time.Since(start)
		if passed >= length {
			perRequest := passed / time.Duration(n)
			r.burst = max(1, int(between/max(perRequest, 1)))
			return float64(passed) / float64(n)
		}
	}
}

// memory returns the allocations and the bytes of one request.
func (r *replay) memory() (allocs, bytes float64) {
	const n = 100
	r.serve()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		r.serve()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n
}

// A result is what was measured of one contender with one workload.
type result struct {
	ns, allocs, bytes float64
}

// measure runs the contenders of one workload in slices. Each round has another
// order, so that every contender has every other one before it, whose garbage may
// be collected in its time, and the machine's drift meets all alike. It takes the
// 10th percentile of the rounds, which other programs on the machine disturb least.
func measure(list []contender, load workload, rounds int) (map[string]result, error) {
	type runner struct {
		name  string
		slice func() float64
		times []float64
		result
	}
	var runners []*runner
	for _, c := range list {
		if !c.does(load) {
			continue
		}
		run := &runner{name: c.name}
		r, err := newReplay(c, load)
		if err != nil {
			return nil, err
		}
		run.allocs, run.bytes = r.memory()
		run.slice = r.slice
		runners = append(runners, run)
	}
	order := rand.New(rand.NewPCG(1, 2))
	for round := range rounds + 3 {
		for _, i := range order.Perm(len(runners)) {
			run := runners[i]
			if ns := run.slice(); round >= 3 { // the first rounds warm up
				run.times = append(run.times, ns)
			}
		}
	}
	results := make(map[string]result)
	for _, run := range runners {
		slices.Sort(run.times)
		run.ns = run.times[len(run.times)/10]
		results[run.name] = run.result
	}
	return results, nil
}
