package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/svc"
)

// This file tests batches, and what runs at the same time in them. Calls wait for each
// other on channels, so that no test depends on the speed of the machine; a test that
// fails may hang.

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
		t.Run(fmt.Sprint(n, " calls"), func(t *testing.T) {
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
				t.Errorf("%d were called, answered %.300s", calls.Load(), got)
			}
		})
	}
}

// Verify that a batch of over 1,000 calls is refused as a whole.
func TestRPCBatchTooLong(t *testing.T) {
	h := newMath(t, &mathService{called: func(_ context.Context, method string) { t.Errorf("%s was called", method) }})
	const want = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"a batch has at most 1000 calls","data":{"code":"RESOURCE_EXHAUSTED"}},"id":null}`
	for _, test := range []struct{ name, body string }{
		{"1,001 calls", rpcBatchOf(1001, rpcPing)},
		{"1,001 notifications", rpcBatchOf(1001, func(int) string { return `{"jsonrpc":"2.0","method":"math.ping"}` })},
		{"100,000 numbers", rpcBatchOf(100_000, func(int) string { return "1" })},
	} {
		t.Run(test.name, func(t *testing.T) {
			if w := rpcPost(h, test.body); w.Code != http.StatusOK || w.Body.String() != want {
				t.Errorf("%.60s: %d %.300s, want %s", test.body, w.Code, w.Body, want)
			}
		})
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
func TestRPCBatchRunsEightCallsAtOnce(t *testing.T) {
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
		t.Run(fmt.Sprint("from call ", first), func(t *testing.T) {
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
		})
	}
}

// Verify that no call of a batch runs any more when the batch is answered. A panic
// fails one call. A call that aborts the connection, ends its goroutine or meets a
// panicking logger drops the connection after every other call has ended. The call that
// fails is the first, which runs on the goroutine of the request, or the second, which
// does not.
func TestRPCBatchFailures(t *testing.T) {
	for _, how := range []string{"panic", "abort", "goexit", "log"} {
		for _, first := range []bool{true, false} {
			if how == "goexit" && first {
				continue // ends the goroutine of the request, as everywhere in net/http
			}
			t.Run(how+map[bool]string{true: " in the first call", false: " in the second call"}[first], func(t *testing.T) { testRPCBatchFailure(t, how, first) })
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

func rpcFail(how string, i int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"math.fail","params":{"how":%q},"id":%d}`, how, i)
}

// Verify that the answers of a batch have at most 16 MiB, that no call begins when
// one did not fit, that each call has an answer in its place that says what became
// of it, and that one call alone has no such bound.
func TestRPCBatchBudget(t *testing.T) {
	var calls atomic.Int64
	h := newMath(t, &mathService{called: func(context.Context, string) { calls.Add(1) }})
	for _, test := range []struct {
		how     string
		n       int
		fit     int // calls whose answers fit
		inLimit int // how many may begin
	}{
		{"large", 5, 5, 5},
		{"large", 6, 5, 6},
		{"large", 1000, 5, 5 + 8},
		{"huge", 1, 0, 1},
		{"huge", 1000, 0, 8},
	} {
		t.Run(fmt.Sprintf("%d %s answers", test.n, test.how), func(t *testing.T) {
			calls.Store(0)
			w := rpcPost(h, rpcBatchOf(test.n, func(i int) string { return rpcFail(test.how, i) }))
			body := w.Body.Bytes()
			begun, unrun := bytes.Count(body, []byte("the call was begun, but")), bytes.Count(body, []byte("the call was not begun"))
			fit := bytes.Count(body, []byte(`"result":`))
			if fit != test.fit || begun+fit != int(calls.Load()) || int(calls.Load()) > test.inLimit || fit+begun+unrun != test.n {
				t.Errorf("%d called, %d answered, %d too large, %d not run; want %d answered and at most %d called", calls.Load(), fit, begun, unrun, test.fit, test.inLimit)
			}
			if limit := 16<<20 + test.n*300; len(body) > limit {
				t.Errorf("the body has %d bytes, want at most %d", len(body), limit)
			}
			if ids, _ := rpcIDs(t, body); len(ids) != test.n || ids[test.n-1] != fmt.Sprint(test.n-1) {
				t.Errorf("%d ids", len(ids))
			}
		})
	}
	if w := rpcPost(h, rpcFail("huge", 1)); w.Body.Len() < 17<<20 {
		t.Errorf("one call is answered with %.200s", w.Body)
	}
}

// A tooMuchAPI has a stream that no answer has room for.
type tooMuchAPI interface {
	Flow(context.Context) (svc.Stream[wireNote], error)
}

type wireNote struct {
	Text string `json:"text"`
}

// A tooMuch notes how many calls began and how many items were taken.
type tooMuch struct{ calls, items atomic.Int64 }

func (s *tooMuch) Flow(context.Context) (svc.Stream[wireNote], error) {
	s.calls.Add(1)
	return func(yield func(*wireNote, error) bool) {
		note := &wireNote{strings.Repeat("x", 1<<20)}
		for yield(note, nil) {
			s.items.Add(1)
		}
	}, nil
}

// Verify that what a stream collected before its own bound ended it counts against
// the budget of the batch, so that no further call begins.
func TestBatchOfLargeStreams(t *testing.T) {
	const n, atOnce = 300, 8
	const call = `{"jsonrpc":"2.0","id":1,"method":"x.flow"}`
	impl := new(tooMuch)
	s := svc.MustRegister[tooMuchAPI](impl, &svc.Options{Resource: "x", Logger: slog.New(slog.DiscardHandler)})
	body := rpcPost(s.RPC(), "["+strings.Repeat(call+",", n-1)+call+"]").Body.Bytes()
	calls := int(impl.calls.Load())
	if skipped := bytes.Count(body, []byte("the call was not begun")); calls > atOnce || skipped != n-calls {
		t.Errorf("%d calls took %d items, %d were not begun; want at most %d calls", calls, impl.items.Load(), skipped, atOnce)
	}
}

// Verify that the rest of a batch is not run when the client has gone: its calls
// are answered as canceled, in their places, and counted in one line of the log.
func TestRPCBatchAbandoned(t *testing.T) {
	const n, last = 1000, 70
	ctx, leave := context.WithCancel(context.Background())
	var calls atomic.Int64
	var log bytes.Buffer
	opts := mathOptions()
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	h := svc.MustRegister[MathAPI](&mathService{called: func(context.Context, string) {
		if calls.Add(1) == last {
			leave()
		}
	}}, opts).RPC()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/rpc", strings.NewReader(rpcBatchOf(n, rpcPing))).WithContext(ctx))
	unrun := strings.Count(w.Body.String(), `"code":"CANCELED"`)
	if got := int(calls.Load()); got < last || got >= last+8 || got+unrun != n {
		t.Errorf("%d were called and %d canceled after the client left in call %d of %d", got, unrun, last, n)
	}
	want := fmt.Sprintf(`level=INFO msg="svc: more in this batch" transport=rpc method=POST path=/rpc errors=0 notRun=%d`, unrun)
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
		t.Errorf("the log has %s\nwant %s", got, want)
	}
}

// Verify that each call of a batch keeps its own Info and header.
func TestRPCBatchCallsShareNoContext(t *testing.T) {
	var mu sync.Mutex
	var seen []svc.Info
	h := newMath(t, &mathService{called: func(ctx context.Context, _ string) {
		info, _ := svc.InfoFrom(ctx)
		mu.Lock()
		defer mu.Unlock()
		info.Header.Set("X-Call", fmt.Sprint(len(seen)))
		seen = append(seen, info)
	}})
	rpcPost(h, rpcBatchOf(3, rpcPing))
	for i, info := range seen {
		if got := info.Header.Get("X-Call"); got != fmt.Sprint(i) {
			t.Errorf("the header of call %d says %q", i, got)
		}
	}
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
