package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/svc"
)

// This file makes calls over a proxy that fails in each way, and holds the client to what it may
// send again: how many requests, which error, what the caller knows, and no effect twice.

// OrderAPI has a method of each kind that a client treats in its own way.
type OrderAPI interface {
	Get(ctx context.Context, in *OrderID) (*Done, error)
	Search(ctx context.Context, in *Order) (*Done, error)
	Post(ctx context.Context, in *Order) (*Done, error)
	PostKeyed(ctx context.Context, in *Order) (*Done, error)
	Put(ctx context.Context, in *OrderID) (*Done, error)
	PutKeyed(ctx context.Context, in *OrderID) (*Done, error)
	Patch(ctx context.Context, in *OrderID) (*Done, error)
	PatchKeyed(ctx context.Context, in *OrderID) (*Done, error)
	Delete(ctx context.Context, in *OrderID) error
	DeleteKeyed(ctx context.Context, in *OrderID) error
}

type (
	OrderID struct {
		ID    int    `path:"id"`
		Match string `json:"-" header:"If-Match,omitempty"`
	}
	Order struct {
		ID int `json:"id"`
	}
	Done struct {
		ID int `json:"id"`
	}
)

// Orders is the client.
type Orders struct {
	Get, Put, PutKeyed, Patch, PatchKeyed func(ctx context.Context, in *OrderID) (*Done, error)
	Search, Post, PostKeyed               func(ctx context.Context, in *Order) (*Done, error)
	Delete, DeleteKeyed                   func(ctx context.Context, in *OrderID) error
}

var (
	errGone    = svc.Errorf(svc.CodeNotFound, "there is no such order")
	errChanged = svc.Errorf(svc.CodeFailedPrecondition, "the order has changed").WithStatus(412)
)

// A kind is one kind of call.
type kind struct {
	name       string
	repeatable bool   // it may run twice
	resent     bool   // net/http sends it again if a connection that was used before breaks
	effect     effect // of the method
	call       func(ctx context.Context, c *Orders, id int) error
}

// isKeyed reports whether the call has an idempotency key.
func (k *kind) isKeyed() bool { return strings.Contains(k.name, "with a key") }

// An effect says what a method does to its order.
type effect int

const (
	nothing effect = iota
	always         // each run is one effect
	setOnce        // a run that finds its own value has no effect
	remove         // and NOT_FOUND for what is not there
	change         // if it has not changed, or else FAILED_PRECONDITION
)

var kinds = []kind{
	{"GET", true, true, nothing, func(ctx context.Context, c *Orders, id int) error { return second(c.Get(ctx, &OrderID{ID: id})) }},
	{"QUERY", true, false, nothing, func(ctx context.Context, c *Orders, id int) error { return second(c.Search(ctx, &Order{id})) }},
	{"POST", false, false, always, func(ctx context.Context, c *Orders, id int) error { return second(c.Post(ctx, &Order{id})) }},
	{"POST with a key", true, true, always, func(ctx context.Context, c *Orders, id int) error { return second(c.PostKeyed(ctx, &Order{id})) }},
	{"PUT", true, false, setOnce, func(ctx context.Context, c *Orders, id int) error { return second(c.Put(ctx, &OrderID{ID: id})) }},
	{"PUT with If-Match", false, false, change, func(ctx context.Context, c *Orders, id int) error { return second(c.Put(ctx, &OrderID{id, `"0"`})) }},
	{"PUT with a key and If-Match", true, true, change, func(ctx context.Context, c *Orders, id int) error {
		return second(c.PutKeyed(ctx, &OrderID{id, `"0"`}))
	}},
	{"PATCH", false, false, always, func(ctx context.Context, c *Orders, id int) error { return second(c.Patch(ctx, &OrderID{ID: id})) }},
	{"PATCH with a key", true, true, always, func(ctx context.Context, c *Orders, id int) error {
		return second(c.PatchKeyed(ctx, &OrderID{ID: id}))
	}},
	{"DELETE", true, false, remove, func(ctx context.Context, c *Orders, id int) error { return c.Delete(ctx, &OrderID{ID: id}) }},
	{"DELETE with If-Match", false, false, remove, func(ctx context.Context, c *Orders, id int) error { return c.Delete(ctx, &OrderID{id, `"0"`}) }},
	{"DELETE with a key", true, true, remove, func(ctx context.Context, c *Orders, id int) error { return c.DeleteKeyed(ctx, &OrderID{ID: id}) }},
}

func second(_ any, err error) error { return err }

// A fault is a way in which the proxy fails.
type fault struct {
	name   string
	called bool   // after the server has answered
	again  string // which calls are sent again: all, repeatable or none
	want   string // code and reason of the error
	ran    bool   // what MayHaveRun says
	answer func(w http.ResponseWriter)
}

const (
	head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
	lost = "UNAVAILABLE outcome_unknown"
)

var faults = []*fault{
	{"refused", false, "all", "UNAVAILABLE not_sent", false, nil},
	{"reset before the call", false, "repeatable", lost, true, cut("", true)},
	{"reset before the status line", true, "repeatable", lost, true, cut("", true)},
	{"reset after the status line", true, "repeatable", lost, true, cut(head[:40], true)},
	{"reset in the body", true, "repeatable", lost, true, cut(head+"{", true)},
	{"EOF before the call", false, "repeatable", lost, true, cut("", false)},
	{"EOF", true, "repeatable", lost, true, cut("", false)},
	{"EOF in the status line", true, "repeatable", lost, true, cut("HTTP/1.1 2", false)},
	{"EOF in the body", true, "repeatable", lost, true, cut(head+`{"id":1`, false)},
	{"429", false, "repeatable", "RESOURCE_EXHAUSTED ", true, html(429, "Retry-After", "0")},
	{"502 before the call", false, "repeatable", lost, true, html(502)},
	{"502", true, "repeatable", lost, true, html(502, "Retry-After", "0")},
	{"503 before the call", false, "repeatable", "UNAVAILABLE ", true, html(503, "Retry-After", "0")},
	{"503", true, "repeatable", "UNAVAILABLE ", true, html(503)},
	{"504 before the call", false, "repeatable", "DEADLINE_EXCEEDED outcome_unknown", true, html(504)},
	{"504", true, "repeatable", "DEADLINE_EXCEEDED outcome_unknown", true, html(504, "Retry-After", "0")},
	{"UNAVAILABLE", true, "repeatable", "UNAVAILABLE ", true, envelope(503, "UNAVAILABLE", "")},
	{"overloaded", false, "all", "UNAVAILABLE overloaded", false, envelope(503, "UNAVAILABLE", "overloaded", "Retry-After", "0")},
	{"ABORTED with Retry-After", true, "repeatable", "ABORTED ", true, envelope(409, "ABORTED", "", "Retry-After", "0")},
	{"ABORTED", true, "none", "ABORTED ", true, envelope(409, "ABORTED", "")},
	{"INTERNAL", true, "none", "INTERNAL ", true, envelope(500, "INTERNAL", "", "Retry-After", "0")},
	{"INTERNAL before the call", false, "none", "INTERNAL ", true, envelope(500, "INTERNAL", "")},
	{"500 with HTML", true, "none", "INTERNAL ", true, html(500)},
	{"200 with HTML", true, "none", "INTERNAL ", true, html(200)},
}

// cut returns the answer that ends the connection after some text.
func cut(text string, reset bool) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		c, _, err := http.NewResponseController(w).Hijack()
		check(err == nil, "%v", err)
		io.WriteString(c, text)
		if reset {
			c.(*net.TCPConn).SetLinger(0)
		}
		c.Close()
	}
}

// html returns the answer of a proxy with a page of its own.
func html(status int, header ...string) func(w http.ResponseWriter) {
	return reply(status, "text/html", "<html><h1>It works!</h1></html>", header)
}

// envelope returns the answer with an error of svc.
func envelope(status int, code, reason string, header ...string) func(w http.ResponseWriter) {
	if reason != "" {
		reason = fmt.Sprintf(`,"reason":%q`, reason)
	}
	return reply(status, "application/json", fmt.Sprintf(`{"error":{"code":%q,"message":"m"%s}}`, code, reason), header)
}

func reply(status int, contentType, body string, header []string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const (
	calls    = 100_000
	attempts = 3  // of a call, by default
	callers  = 96 // at a time
)

// An order is one call, with what is to happen and what has happened. Its index is its ID.
type order struct {
	*kind
	plan [attempts]*fault // of each attempt; nil for one that the proxy passes on

	sent    int // attempts
	reached atomic.Int64
	runs    atomic.Int64
	effects atomic.Int64
	ended   atomic.Bool            // the proxy has answered with INTERNAL
	key     atomic.Pointer[string] // of the first request
}

// run is what each method does.
func (o *order) run() error {
	o.runs.Add(1)
	switch o.effect {
	case always:
		o.effects.Add(1)
	case setOnce:
		o.effects.CompareAndSwap(0, 1)
	case remove:
		if !o.effects.CompareAndSwap(0, 1) {
			return errGone
		}
	case change:
		if !o.effects.CompareAndSwap(0, 1) {
			return errChanged
		}
	}
	return nil
}

// A result is how a call ends.
type result struct {
	attempts   int
	reached    int // attempts that reach the proxy
	ran        bool
	err        string // code and reason; "" for success
	mayHaveRun bool
}

// expected returns the result of the plan by the table of doc/failures.md.
func (o *order) expected() (want result) {
	unsure := false
	for n, f := range o.plan {
		want.attempts++
		if f == nil {
			want.reached++
			if o.effect == remove && want.ran && !o.isKeyed() {
				want.err = "NOT_FOUND "
			}
			want.ran = true
			want.mayHaveRun = unsure || want.err == ""
			return want
		}
		if f.answer != nil {
			want.reached++
		}
		want.ran = want.ran || f.called
		if again := f.again == "all" || f.again == "repeatable" && o.repeatable; !again || n+1 == attempts {
			want.err = f.want
			if unsure && !f.ran {
				want.err = lost
			}
			want.mayHaveRun = unsure || f.ran
			return want
		}
		unsure = unsure || f.ran
	}
	return want
}

// check ends the program unless the call that has ended with err was as expected.
func (o *order) check(id int, err error) {
	want, got := o.expected(), result{attempts: o.sent, reached: int(o.reached.Load()), ran: o.runs.Load() > 0, mayHaveRun: svc.MayHaveRun(err)}
	if err != nil {
		var e *svc.Error
		check(errors.As(err, &e), "call %d: %v", id, err)
		got.err = string(e.Code) + " " + e.Reason()
	}
	if o.resent && got.reached > want.reached {
		got.reached = want.reached // the others are those of net/http
	}
	names := []string{o.name}
	for _, f := range o.plan {
		if f != nil {
			names = append(names, f.name)
		} else {
			names = append(names, "ok")
		}
	}
	check(got == want, "call %d, %s: got %+v, %v; want %+v", id, strings.Join(names, ", "), got, err, want)
	effects := int64(0)
	if want.ran && o.effect != nothing {
		effects = 1
	}
	check(o.effects.Load() == effects, "call %d, %s: %d effects, want %d", id, strings.Join(names, ", "), o.effects.Load(), effects)
}

// orders are all calls, and the service that counts them.
type orders []order

func (s orders) do(id int) (*Done, error) { return &Done{id}, s[id].run() }

func (s orders) Get(_ context.Context, in *OrderID) (*Done, error)        { return s.do(in.ID) }
func (s orders) Search(_ context.Context, in *Order) (*Done, error)       { return s.do(in.ID) }
func (s orders) Post(_ context.Context, in *Order) (*Done, error)         { return s.do(in.ID) }
func (s orders) PostKeyed(_ context.Context, in *Order) (*Done, error)    { return s.do(in.ID) }
func (s orders) Put(_ context.Context, in *OrderID) (*Done, error)        { return s.do(in.ID) }
func (s orders) PutKeyed(_ context.Context, in *OrderID) (*Done, error)   { return s.do(in.ID) }
func (s orders) Patch(_ context.Context, in *OrderID) (*Done, error)      { return s.do(in.ID) }
func (s orders) PatchKeyed(_ context.Context, in *OrderID) (*Done, error) { return s.do(in.ID) }
func (s orders) Delete(_ context.Context, in *OrderID) error              { return second(s.do(in.ID)) }
func (s orders) DeleteKeyed(_ context.Context, in *OrderID) error         { return second(s.do(in.ID)) }

// orderOptions returns options with a store that keeps what was committed.
func orderOptions() *svc.Options {
	var mu sync.Mutex
	records := make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if record, ok := records[id]; ok {
			return record, nil
		}
		record, err := do(ctx)
		if err == nil {
			records[id] = record
		}
		return record, err
	}
	declared := []*svc.Error{errGone, errChanged}
	return &svc.Options{Resource: "orders", Logger: slog.New(slog.DiscardHandler), Idempotency: &svc.Idempotency{Run: run}, Methods: map[string]svc.MethodOptions{
		"Search":      {HTTP: "QUERY /orders"},
		"Post":        {HTTP: "POST /orders"},
		"Put":         {HTTP: "PUT /orders/{id}", Errors: declared},
		"Delete":      {Errors: declared},
		"PostKeyed":   {HTTP: "POST /keyed", IdempotencyKey: svc.KeyRequired},
		"PutKeyed":    {HTTP: "PUT /keyed/{id}", IdempotencyKey: svc.KeyAllowed, Errors: declared},
		"PatchKeyed":  {HTTP: "PATCH /keyed/{id}", IdempotencyKey: svc.KeyAllowed},
		"DeleteKeyed": {HTTP: "DELETE /keyed/{id}", IdempotencyKey: svc.KeyAllowed, Errors: declared},
	}}
}

// The headers by which the proxy knows the call and its attempt, from 0.
const callHeader, attemptHeader = "Call", "Attempt"

// failingProxy returns a handler that passes on to the server at base, or fails.
func (s orders) failingProxy(base string) http.HandlerFunc {
	next := &http.Transport{MaxIdleConnsPerHost: callers}
	return func(w http.ResponseWriter, r *http.Request) {
		id, attempt := must(strconv.Atoi(r.Header.Get(callHeader))), must(strconv.Atoi(r.Header.Get(attemptHeader)))
		o := &s[id]
		o.reached.Add(1)
		check(!o.ended.Load(), "call %d was sent again after INTERNAL", id)
		key := r.Header.Get("Idempotency-Key")
		check(o.isKeyed() == (key != ""), "call %d: %s with the key %q", id, o.name, key)
		if !o.key.CompareAndSwap(nil, &key) {
			check(*o.key.Load() == key, "call %d: another key", id)
		}
		body := must(io.ReadAll(r.Body)) // so that no client writes in vain
		f := o.plan[attempt]
		if f != nil && !f.called {
			o.fail(f, w)
			return
		}
		forward := must(http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), bytes.NewReader(body)))
		forward.Header = r.Header
		response := must(next.RoundTrip(forward))
		answer := must(io.ReadAll(response.Body))
		response.Body.Close()
		if f != nil {
			o.fail(f, w)
			return
		}
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		w.Write(answer)
	}
}

func (o *order) fail(f *fault, w http.ResponseWriter) {
	o.ended.Store(strings.HasPrefix(f.want, "INTERNAL"))
	f.answer(w)
}

// An orderTransport marks each request with its call and attempt, and dials a port on which nobody
// listens for those that are refused.
type orderTransport struct {
	all           orders
	open, refused *http.Transport
}

type orderKey struct{}

func (t orderTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	id := r.Context().Value(orderKey{}).(int)
	o := &t.all[id]
	n := o.sent
	o.sent++
	check(n < attempts, "call %d is sent again after %d attempts", id, attempts)
	if f := o.plan[n]; f != nil && f.answer == nil {
		return t.refused.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Header.Set(callHeader, strconv.Itoa(id))
	r.Header.Set(attemptHeader, strconv.Itoa(n))
	return t.open.RoundTrip(r)
}

// placeCalls makes all calls: each attempt fails with a probability of two thirds.
func placeCalls() {
	began, all := time.Now(), make(orders, calls)
	random := rand.New(rand.NewPCG(41, 1))
	for i := range all {
		all[i].kind = &kinds[i%len(kinds)]
		for n := range all[i].plan {
			if random.IntN(3) > 0 {
				all[i].plan[n] = faults[random.IntN(len(faults))]
			}
		}
	}
	server := httptest.NewServer(svc.MustRegister[OrderAPI](all, orderOptions()).REST())
	defer server.Close()
	proxy := httptest.NewServer(all.failingProxy(server.URL))
	defer proxy.Close()
	nobody := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:1")
	}
	transport := orderTransport{all, &http.Transport{MaxIdleConnsPerHost: callers}, &http.Transport{DialContext: nobody}}
	h := &http.Client{Transport: transport}

	var next atomic.Int64
	var wait sync.WaitGroup
	for range callers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var client *Orders
			for n := 0; ; n++ {
				id := int(next.Add(1)) - 1
				if id >= calls {
					return
				}
				if n%callsOfClient == 0 {
					client = connectOrders(proxy.URL, h)
				}
				o := &all[id]
				o.check(id, o.call(context.WithValue(context.Background(), orderKey{}, id), client, id))
			}
		}()
	}
	wait.Wait()
	all.report(time.Since(began))
}

// callsOfClient is how many calls a client makes: with so many failures the budget of its
// repetitions lasts no longer.
const callsOfClient = 500 / (2 * 14)

// connectOrders returns a client of the service at base.
func connectOrders(base string, h *http.Client) *Orders {
	client := new(Orders)
	err := svc.Connect[OrderAPI](client, base, &svc.ClientOptions{HTTPClient: h, Service: orderOptions()})
	check(err == nil, "%v", err)
	return client
}

// report prints what has happened.
func (s orders) report(took time.Duration) {
	sent, again, failed, effects, resent := 0, 0, 0, int64(0), int64(0)
	for i := range s {
		o := &s[i]
		want := o.expected()
		sent += o.sent
		again += o.sent - 1
		effects += o.effects.Load()
		resent += o.reached.Load() - int64(want.reached)
		if want.err != "" {
			failed++
		}
	}
	log.Printf("%d calls over a proxy that fails in %d ways: %d requests, %d of them again, and %d again by net/http; %d calls failed; %d effects, none twice: ok (%v)",
		len(s), len(faults), sent, again, resent, failed, effects, took.Round(time.Second))
}
