package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/svc"
)

// This file holds batches to what happens concurrently. Calls meet on channels,
// so that a test that passes has seen what it is about, however fast the
// machine is; one that fails may hang.

// rpcBatchOf joins n requests, of which the i-th is what request returns.
func rpcBatchOf(n int, request func(i int) string) string {
	requests := make([]string, n)
	for i := range requests {
		requests[i] = request(i)
	}
	return "[" + strings.Join(requests, ",") + "]"
}

func rpcPing(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.ping","id":%d}`, i) }

// Verify that every call of a large batch gets its own answer, in order, and
// that a notification gets none.
func TestRPCBatchOrder(t *testing.T) {
	var calls atomic.Int64
	h := newMath(t, &mathService{called: func(context.Context, string) { calls.Add(1) }})
	for _, n := range []int{1, 2, 20, 1000} {
		calls.Store(0)
		var want []string
		body := rpcBatchOf(n, func(i int) string {
			request := fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.subtract","params":{"minuend":%d,"subtrahend":1}`, i)
			if i%3 == 1 {
				return request + "}"
			}
			want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","result":{"value":%d},"id":%d}`, i-1, i))
			return fmt.Sprintf(`%s,"id":%d}`, request, i)
		})
		w := rpcPost(h, body)
		if got := w.Body.String(); got != "["+strings.Join(want, ",")+"]" || calls.Load() != int64(n) {
			t.Errorf("%d calls: %d were called, answered %.300s", n, calls.Load(), got)
		}
	}
}

func TestRPCBatchTooLong(t *testing.T) {
	h := newMath(t, &mathService{called: func(_ context.Context, method string) { t.Errorf("%s was called", method) }})
	const want = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"a batch has at most 1000 calls","data":{"code":"RESOURCE_EXHAUSTED"}},"id":null}`
	for _, body := range []string{
		rpcBatchOf(1001, rpcPing),
		rpcBatchOf(1001, func(int) string { return `{"jsonrpc":"2.0","method":"math.ping"}` }),
		rpcBatchOf(100_000, func(int) string { return "1" }),
	} {
		if w := rpcPost(h, body); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%.60s: %d %.300s, want %s", body, w.Code, w.Body, want)
		}
	}
}

// Verify that a thousand values that are no requests get a thousand answers.
func TestRPCBatchOfGarbage(t *testing.T) {
	w := rpcPost(newMath(t, &mathService{}), rpcBatchOf(1000, func(i int) string { return []string{"1", "{}", "[]", `"a"`}[i%4] }))
	var answers []struct {
		Error struct{ Code int }
		ID    json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answers); err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if a.Error.Code != -32600 || string(a.ID) != "null" {
			t.Errorf("answer %d: %+v", i, a)
		}
	}
	if len(answers) != 1000 {
		t.Errorf("%d answers, want 1000", len(answers))
	}
}

// Verify that 8 calls of a batch run at once, and no more: each waits until
// there are as many as there can be.
func TestRPCBatchBound(t *testing.T) {
	const bound = 8
	var running, most atomic.Int64
	full := make(chan struct{})
	var once sync.Once
	h := newMath(t, &mathService{called: func(context.Context, string) {
		n := running.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == bound {
			once.Do(func() { close(full) })
		}
		<-full
		running.Add(-1)
	}})
	rpcPost(h, rpcBatchOf(50, rpcPing))
	if most.Load() != bound {
		t.Errorf("%d calls ran at once, want %d", most.Load(), bound)
	}
}

// Verify that slow calls hold nothing back, wherever in the batch they are: each
// of 7 ends only when all the others have been called.
func TestRPCBatchSlowCalls(t *testing.T) {
	const n, slow = 40, 7
	for _, first := range []int{0, 10, n - slow} {
		var others sync.WaitGroup
		others.Add(n - slow)
		h := newMath(t, &mathService{called: func(_ context.Context, method string) {
			if method == "Ping" {
				others.Done()
			} else {
				others.Wait()
			}
		}})
		w := rpcPost(h, rpcBatchOf(n, func(i int) string {
			if first <= i && i < first+slow {
				return fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.get_data","id":%d}`, i)
			}
			return rpcPing(i)
		}))
		if got := strings.Count(w.Body.String(), `"id":`); got != n {
			t.Errorf("%d answers, want %d", got, n)
		}
	}
}

// Verify that a batch is over when it is answered, whatever its calls do: a
// panic fails one call, and one that asks net/http to drop the connection, ends
// its goroutine or meets a panicking logger drops the connection after every
// other call has ended. The call that misbehaves runs on the goroutine of the
// request or on another, as it is the first to be called or not.
func TestRPCBatchFailures(t *testing.T) {
	for _, how := range []string{"panic", "abort", "goexit", "log"} {
		for _, first := range []bool{true, false} {
			if how == "goexit" && first {
				continue // ends the goroutine of the request, as everywhere in net/http
			}
			t.Run(fmt.Sprintf("%s/%t", how, first), func(t *testing.T) { testRPCBatchFailure(t, how, first) })
		}
	}
}

func testRPCBatchFailure(t *testing.T, how string, first bool) {
	var running atomic.Int64
	misbehaves := make(chan struct{})
	impl := &mathService{called: func(_ context.Context, method string) {
		running.Add(1)
		defer running.Add(-1)
		if method == "Fail" {
			close(misbehaves)
		} else {
			<-misbehaves
		}
	}}
	opts := mathOptions()
	param := how
	if how == "log" {
		param, opts.Logger = "plain", slog.New(panickingHandler{slog.DiscardHandler})
	}
	h := svc.MustRegister[MathAPI](impl, opts).RPC()
	fail := fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.fail","params":{"how":%q},"id":"f"}`, param)
	body := rpcBatchOf(20, func(i int) string {
		if first == (i == 0) && i < 2 {
			return fail
		}
		return rpcPing(i)
	})
	value, answer := rpcRecover(func() string { return rpcPost(h, body).Body.String() })
	if running.Load() != 0 {
		t.Errorf("%d calls are running after the answer", running.Load())
	}
	switch how {
	case "panic":
		if value != nil || strings.Count(answer, `"result":null`) != 19 || !strings.Contains(answer, `"message":"internal error","data":{"code":"INTERNAL"}},"id":"f"}`) {
			t.Errorf("panics with %v, or answers %s", value, answer)
		}
	case "log":
		if value != "the log is full" {
			t.Errorf("panics with %v, or answers %s", value, answer)
		}
	default:
		if value != http.ErrAbortHandler {
			t.Errorf("panics with %v, or answers %s", value, answer)
		}
	}
}

func rpcRecover(call func() string) (value any, answer string) {
	defer func() { value = recover() }()
	answer = call()
	return nil, answer
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool { return true }
func (panickingHandler) Handle(context.Context, slog.Record) error {
	panic("the log is full")
}

// Verify that handlers share nothing: many batches at a time, each with its own
// answers.
func TestRPCBatchesAtOnce(t *testing.T) {
	h := newMath(t, &mathService{})
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for range 20 {
				got := rpcPost(h, rpcBatchOf(30, func(i int) string {
					return fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.subtract","params":{"minuend":%d,"subtrahend":%d},"id":%d}`, i, c, i)
				})).Body.String()
				want := rpcBatchOf(30, func(i int) string {
					return fmt.Sprintf(`{"jsonrpc":"2.0","result":{"value":%d},"id":%d}`, i-c, i)
				})
				if got != want {
					t.Errorf("client %d got %s", c, got)
				}
			}
		}()
	}
	clients.Wait()
}
