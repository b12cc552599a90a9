package svc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// transcribe appends a request's response, as far as svc decides it, and what
// the log has of it.
func transcribe(dst *bytes.Buffer, name string, h http.Handler, r *http.Request, log *tickLog) {
	w := httptest.NewRecorder()
	fmt.Fprintf(dst, "=== %s\n", name)
	if v := catch(func() { h.ServeHTTP(w, r) }); v != nil {
		fmt.Fprintf(dst, "panics: %v\n", v)
	}
	fmt.Fprintf(dst, "%d %s; Cache-Control: %s; X-Accel-Buffering: %s; %s; length %q\n", w.Code, w.Header().Get("Content-Type"),
		w.Header().Get("Cache-Control"), w.Header().Get("X-Accel-Buffering"), w.Header().Get("X-Content-Type-Options"),
		w.Header().Get("Content-Length"))
	fmt.Fprintf(dst, "%s\n--- log\n%s\n", w.Body, log.take())
}

func catch(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// yields makes a method that returns the stream.
func yields(stream Stream[tickItem]) func(context.Context, *tickIn) (Stream[tickItem], error) {
	return func(context.Context, *tickIn) (Stream[tickItem], error) { return stream, nil }
}

// What a stream looks like on the wire and in the log, by reflection and
// directly the same.
func TestStreamTranscripts(t *testing.T) {
	run := func(count string) *http.Request {
		return httptest.NewRequest("POST", "/ticks/run", strings.NewReader(count))
	}
	get := func(path string) *http.Request { return httptest.NewRequest("GET", path, nil) }
	after := func(r *http.Request, id string) *http.Request {
		r.Header.Set("Last-Event-ID", id)
		return r
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Unix(1, 0))
	defer cancel()
	item := &tickItem{N: 1}
	first := func(rest func(yield func(*tickItem, error) bool)) *tickImpl {
		return &tickImpl{run: yields(func(yield func(*tickItem, error) bool) { yield(item, nil); rest(yield) })}
	}
	gone := Errorf(CodeNotFound, "the list is gone").WithDetail("list", "a").WithCause(errors.New("secret"))
	text := func(json string, err error) *tickImpl {
		return &tickImpl{any: func(context.Context) (Stream[anyItem], error) {
			return func(yield func(*anyItem, error) bool) {
				yield(&anyItem{func() ([]byte, error) { return []byte(json), err }}, nil)
			}, nil
		}}
	}
	one := func(item *tickItem, err error) *tickImpl {
		return &tickImpl{one: func(context.Context, *tickIn) (*tickItem, error) { return item, err }}
	}
	for _, direct := range []bool{false, true} {
		got := transcript{file: "rest/streams.txt"}
		rows := []struct {
			name string
			impl *tickImpl
			r    *http.Request
		}{
			{"three items", &tickImpl{run: ticks("")}, run(`{"count":3}`)},
			{"after an item", &tickImpl{run: ticks("")}, after(run(`{"count":2}`), "40")},
			{"names", &tickImpl{run: ticks("name tick")}, run(`{"count":1}`)},
			{"no items", &tickImpl{run: ticks("")}, get("/ticks")},
			{"bad input", &tickImpl{run: ticks("")}, after(run(`{"count":-1}`), "x")},
			{"one record", one(&tickItem{N: 7}, nil), get("/one")},
			{"no record", one(nil, gone), get("/one")},
			{"JSON of several lines", text("{\n\"a\":\r\n[1]}", nil), get("/any")},
			{"HEAD", &tickImpl{run: ticks("")}, httptest.NewRequest("HEAD", "/ticks", nil)},
			{"error of the method", &tickImpl{run: func(context.Context, *tickIn) (Stream[tickItem], error) { return nil, gone }}, run(`{}`)},
			{"panic of the method", &tickImpl{run: func(context.Context, *tickIn) (Stream[tickItem], error) { panic("oh") }}, run(`{}`)},
			{"no stream", &tickImpl{run: yields(nil)}, run(`{}`)},
			{"error", first(func(yield func(*tickItem, error) bool) { yield(nil, gone) }), run(`{}`)},
			{"plain error", first(func(yield func(*tickItem, error) bool) { yield(nil, errors.New("secret")) }), run(`{}`)},
			{"panic", first(func(func(*tickItem, error) bool) { panic("oh") }), run(`{}`)},
			{"abort", first(func(func(*tickItem, error) bool) { panic(http.ErrAbortHandler) }), run(`{}`)},
			{"nothing", first(func(yield func(*tickItem, error) bool) { yield(nil, nil) }), run(`{}`)},
			{"late yield", first(func(yield func(*tickItem, error) bool) { yield(nil, gone); yield(item, nil) }), run(`{}`)},
			{"reserved name", &tickImpl{run: ticks("name done")}, run(`{"count":2}`)},
			{"bad name", &tickImpl{run: ticks("name a\ndata: b")}, run(`{"count":2}`)},
			{"no JSON", text("", errors.New("secret")), get("/any")},
			{"canceled", &tickImpl{run: ticks("")}, run(`{"count":1}`).WithContext(canceled)},
			{"too late", &tickImpl{run: ticks("")}, run(`{"count":1}`).WithContext(late)},
		}
		for _, test := range rows {
			t.Run(rowName(test.name, "direct", direct), func(t *testing.T) {
				log := new(tickLog)
				var part bytes.Buffer
				transcribe(&part, test.name, tickService(t, test.impl, direct, log.logger()).REST(), test.r, log)
				got.add(t, part.Bytes())
			})
		}
		got.compare(t, len(rows))
	}
}

// A stream that nobody listens to is run all the same, with a canceled ctx:
// what the method holds for it is released only there.
func TestStreamAlwaysRuns(t *testing.T) {
	for _, test := range []struct {
		name   string
		method string
		w      http.ResponseWriter
		status int
		log    string
	}{
		{"HEAD", "HEAD", httptest.NewRecorder(), http.StatusOK, ""},
		{"no Flush", "GET", struct{ http.ResponseWriter }{httptest.NewRecorder()}, http.StatusInternalServerError, "events need a ResponseWriter that can flush"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ran []string
			impl := &tickImpl{run: func(ctx context.Context, _ *tickIn) (Stream[tickItem], error) {
				return func(yield func(*tickItem, error) bool) {
					<-ctx.Done()
					ran = append(ran, fmt.Sprint(context.Cause(ctx)), fmt.Sprint(yield(new(tickItem), nil)))
					panic("in the end")
				}, nil
			}}
			log := new(tickLog)
			tickService(t, impl, false, log.logger()).REST().ServeHTTP(test.w, httptest.NewRequest(test.method, "/ticks", nil))
			if len(ran) != 2 || ran[1] != "false" {
				t.Errorf("%s: ran %q", test.name, ran)
			}
			rec, ok := test.w.(*httptest.ResponseRecorder)
			if !ok {
				rec = test.w.(struct{ http.ResponseWriter }).ResponseWriter.(*httptest.ResponseRecorder)
			}
			if text := log.take(); rec.Code != test.status || !strings.Contains(text, "panic: in the end") || !strings.Contains(text, test.log) {
				t.Errorf("%s: %d, log %s", test.name, rec.Code, text)
			}
		})
	}
}

// A tickServer serves a stream over a real connection.
func tickServer(t testing.TB, s *Service, http2 bool) *httptest.Server {
	server := httptest.NewUnstartedServer(&tickHandler{next: s.REST()})
	if server.EnableHTTP2 = http2; http2 {
		server.StartTLS()
	} else {
		server.Start() // to close a TLS connection that nobody reads takes 5 s
	}
	t.Cleanup(server.Close)
	return server
}

// A tickHandler counts what it serves: over HTTP/2 Server.Close does not wait for
// the handlers of streams that their clients have left.
type tickHandler struct {
	next    http.Handler
	serving sync.WaitGroup
}

func (h *tickHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.serving.Add(1)
	defer h.serving.Done()
	h.next.ServeHTTP(w, r)
}

// closeTicks closes a server and waits for its handlers.
func closeTicks(server *httptest.Server) {
	server.Close()
	server.Config.Handler.(*tickHandler).serving.Wait()
}

// bothProtocols runs a test over HTTP/1.1 and HTTP/2.
func bothProtocols(t *testing.T, test func(t *testing.T, http2 bool)) {
	for _, http2 := range []bool{false, true} {
		t.Run(map[bool]string{false: "HTTP/1.1", true: "HTTP/2"}[http2], func(t *testing.T) { test(t, http2) })
	}
}

// The response begins before the first item; a client that leaves cancels ctx
// and ends the iteration, also if its request has a body.
func TestStreamDisconnect(t *testing.T) {
	bothProtocols(t, func(t *testing.T, http2 bool) {
		ended := make(chan error, 1)
		impl := &tickImpl{run: func(ctx context.Context, _ *tickIn) (Stream[tickItem], error) {
			return func(yield func(*tickItem, error) bool) {
				<-ctx.Done()
				yield(nil, ctx.Err())
				ended <- ctx.Err()
			}, nil
		}}
		log := new(tickLog)
		server := tickServer(t, tickService(t, impl, true, log.logger()), http2)
		for _, body := range []string{"", `{"count":1}`} {
			path, method := "/ticks", "GET"
			if body != "" {
				path, method = "/ticks/run", "POST"
			}
			ctx, cancel := context.WithCancel(context.Background())
			r, _ := http.NewRequestWithContext(ctx, method, server.URL+path, io.MultiReader(strings.NewReader(body))) // chunked
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(resp.Body).ReadString('\n'); line != ":\n" || err != nil {
				t.Errorf("began with %q, %v", line, err)
			}
			cancel()
			resp.Body.Close()
			if err := <-ended; err != context.Canceled {
				t.Errorf("ended with %v", err)
			}
		}
		closeTicks(server)
		if text := log.take(); strings.Count(text, "level=INFO") != 2 || strings.Count(text, "\n") != 2 {
			t.Errorf("the log has %s", text)
		}
	})
}

// A client that does not read is dropped after the write deadline, and the ctx
// of its method is canceled.
func TestStreamStuckReader(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, http2 bool) {
		ended := make(chan error, 1)
		large := strings.Repeat("x", 64<<10)
		impl := &tickImpl{run: func(ctx context.Context, _ *tickIn) (Stream[tickItem], error) {
			return func(yield func(*tickItem, error) bool) {
				for yield(&tickItem{1, large}, nil) {
				}
				<-ctx.Done()
				ended <- ctx.Err()
			}, nil
		}}
		log := new(tickLog)
		s := tickService(t, impl, true, log.logger())
		s.methods[0].config.eventTimes = eventTimes{heartbeat: 200 * time.Millisecond, write: 400 * time.Millisecond} // less may pass before the header
		server := tickServer(t, s, http2)
		resp, err := server.Client().Get(server.URL + "/ticks")
		if err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != context.Canceled {
			t.Errorf("ended with %v", err)
		}
		resp.Body.Close()
		closeTicks(server)
		if text := log.take(); !strings.Contains(text, "level=INFO") || !strings.Contains(text, "sending an event: ") ||
			strings.Contains(text, "level=ERROR") {
			t.Errorf("the log has %s", text)
		}
	})
}

// After a stream that ended well the connection serves the next request, also
// when the last write deadline is long over.
func TestStreamThenAnother(t *testing.T) {
	t.Parallel()
	s := tickService(t, &tickImpl{run: ticks("")}, true, quiet)
	s.methods[0].config.eventTimes.write = 400 * time.Millisecond // less passes on a busy machine while net/http writes
	server := tickServer(t, s, false)
	for i := range 2 {
		resp, err := server.Client().Post(server.URL+"/ticks/run", "application/json", strings.NewReader(`{"count":2}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readSSE(resp.Body)
		if err != nil || len(got) != 3 || got[2].name != "done" || got[2].data != "{}" {
			t.Errorf("request %d: %+v, %v", i, got, err)
		}
		resp.Body.Close()
		<-time.After(450 * time.Millisecond)
	}
}

// A tickHub is a source of numbered items that many streams follow.
type tickHub struct {
	mu    sync.Mutex
	n     int
	more  chan bool // closed when n grows or the hub ends
	ended bool
}

func newTickHub() *tickHub { return &tickHub{more: make(chan bool)} }

// add makes one more item, or with end the last one.
func (h *tickHub) add(end bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	h.ended = end
	close(h.more)
	h.more = make(chan bool)
}

func (h *tickHub) state() (n int, ended bool, more chan bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n, h.ended, h.more
}

// follow yields every item after one.
func (h *tickHub) follow(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
	return func(yield func(*tickItem, error) bool) {
		for sent := in.After; ; {
			n, ended, more := h.state()
			for sent < n {
				sent++
				if !yield(&tickItem{N: sent}, nil) {
					return
				}
			}
			if ended {
				return
			}
			select {
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			case <-more:
			}
		}
	}, nil
}

// A client that comes back with Last-Event-ID goes on where it was.
func TestStreamReconnect(t *testing.T) {
	bothProtocols(t, func(t *testing.T, http2 bool) {
		hub := newTickHub()
		server := tickServer(t, tickService(t, &tickImpl{run: hub.follow}, true, quiet), http2)
		last := ""
		var got []string
		for _, take := range []int{3, 1, 2, 100} {
			for range 3 {
				hub.add(take == 100)
			}
			r, _ := http.NewRequest("POST", server.URL+"/ticks/run", strings.NewReader("{}"))
			if last != "" {
				r.Header.Set("Last-Event-ID", last)
			}
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			reader := newSSEReader(resp.Body)
			for range take {
				m, err := reader.next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				last = m.id
				got = append(got, m.id+m.name)
			}
			resp.Body.Close()
		}
		if want := "1 2 3 4 5 6 7 8 9 10 11 12 12done"; strings.Join(got, " ") != want {
			t.Errorf("got %q, want %s", got, want)
		}
	})
}

// A thousand streams at once, half of which their clients leave at some item:
// the others get every item in order, and nothing stays behind.
func TestThousandStreams(t *testing.T) {
	bothProtocols(t, func(t *testing.T, http2 bool) {
		manyGoroutines(10000) // the runtime keeps the memory of as many as there ever were
		manyStreams(t, http2, 100)
		// A stream that left one object behind would leave a thousand, each time. What
		// the runtime and net/http keep at a busy moment they keep once.
		for range 3 {
			before := inUse()
			manyStreams(t, http2, 1000)
			after := inUse()
			t.Logf("goroutines %d to %d, objects %d to %d, heap %d to %d KiB",
				before.goroutines, after.goroutines, before.objects, after.objects, before.heap>>10, after.heap>>10)
			if after.goroutines <= before.goroutines && after.objects <= before.objects+900 && after.heap <= before.heap+1<<20 {
				return
			}
		}
		t.Error("something stayed behind")
	})
}

func manyGoroutines(n int) {
	var all sync.WaitGroup
	release := make(chan bool)
	for range n {
		all.Add(1)
		go func() {
			defer all.Done()
			<-release
		}()
	}
	close(release)
	all.Wait()
}

type usage struct {
	goroutines int
	objects    uint64
	heap       uint64 // bytes
}

// inUse waits until no goroutine of a test is left, and returns what is in use.
func inUse() usage {
	u := usage{goroutines: len(leaked(10 * time.Second))}
	for range 3 { // the pools keep what was in use for a round
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.objects, u.heap = m.HeapObjects, m.HeapAlloc
	return u
}

func manyStreams(t *testing.T, http2 bool, streams int) {
	const items = 20
	hub := newTickHub()
	var running, ended atomic.Int64
	impl := &tickImpl{any: func(context.Context) (Stream[anyItem], error) { return nil, ErrorFrom(context.Canceled) }}
	impl.run = func(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
		stream, err := hub.follow(ctx, in)
		return func(yield func(*tickItem, error) bool) {
			running.Add(1)
			defer ended.Add(1)
			stream(yield)
		}, err
	}
	server := httptest.NewUnstartedServer(&tickHandler{next: tickService(t, impl, true, quiet).REST()})
	server.EnableHTTP2 = http2
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 2 * streams}
	if http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	defer server.Close()
	client := server.Client()
	if resp, err := client.Head(server.URL + "/any"); err == nil { // so that HTTP/2 has one connection
		resp.Body.Close()
	}
	random := rand.New(rand.NewPCG(1, 2))
	var clients, begun sync.WaitGroup
	for i := range streams {
		leave := items + 2 // never
		if i%2 == 0 {
			leave = random.IntN(items)
		}
		clients.Add(1)
		begun.Add(1)
		go func() {
			defer clients.Done()
			followTicks(t, client, server.URL, items, leave, begun.Done)
		}()
	}
	begun.Wait()
	for i := range items {
		hub.add(i == items-1)
	}
	clients.Wait()
	closeTicks(server)
	client.CloseIdleConnections()
	if running.Load() != int64(streams) || ended.Load() != int64(streams) {
		t.Errorf("%d streams ran and %d ended, want %d", running.Load(), ended.Load(), streams)
	}
}

// followTicks reads a stream and leaves it after some items, or after the end.
func followTicks(t *testing.T, client *http.Client, url string, items, leave int, begun func()) {
	resp, err := client.Get(url + "/ticks")
	begun()
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	reader := newSSEReader(resp.Body)
	for n := 1; n <= leave; n++ {
		m, err := reader.next()
		switch want := fmt.Sprintf(`{"n":%d}`, n); {
		case n == items+2 && err == io.EOF:
		case err != nil:
			t.Errorf("item %d: %v", n, err)
			return
		case n == items+1 && m.name == "done":
		case m.data != want || m.name != "":
			t.Errorf("item %d is %+v", n, m)
		}
	}
}

// The server may end streams itself, by a ctx of its own: its clients get to
// know that there was more.
func TestStreamShutdown(t *testing.T) {
	hub := newTickHub()
	base, stop := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(tickService(t, &tickImpl{run: hub.follow}, false, quiet).REST())
	server.Config.BaseContext = func(net.Listener) context.Context { return base }
	server.Start()
	defer server.Close()
	resp, err := http.Get(server.URL + "/ticks")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	hub.add(false)
	reader := newSSEReader(resp.Body)
	if m, err := reader.next(); m.data != `{"n":1}` || err != nil {
		t.Fatalf("read %+v, %v", m, err)
	}
	stop()
	if err := server.Config.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	m, err := reader.next()
	if want := `{"error":{"code":"CANCELED","message":"the call was canceled"}}`; m.name != "error" || m.data != want || err != nil {
		t.Errorf("read %+v, %v; want %s", m, err, want)
	}
	if m, err := reader.next(); err != io.EOF {
		t.Errorf("then read %+v, %v", m, err)
	}
}

// discardFlusher is a connection that takes everything.
type discardFlusher struct{ header http.Header }

func (w discardFlusher) Header() http.Header              { return w.header }
func (discardFlusher) WriteHeader(int)                    {}
func (discardFlusher) Write(b []byte) (int, error)        { return len(b), nil }
func (discardFlusher) Flush()                             {}
func (discardFlusher) SetWriteDeadline(t time.Time) error { return nil }

// costItem is an item whose encoding allocates nothing.
type costItem struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

type costAPI interface {
	All(context.Context) (Stream[costItem], error)
}

type costImpl struct{ stream Stream[costItem] }

func (i *costImpl) All(context.Context) (Stream[costItem], error) { return i.stream, nil }

// streamCost returns a function that sends n items.
func streamCost(t testing.TB, direct bool) func(n int) {
	item := &costItem{N: 1, Text: "some text of a usual length"}
	n := 0
	impl := &costImpl{func(yield func(*costItem, error) bool) {
		for range n {
			yield(item, nil)
		}
	}}
	o := &Options{Resource: "cost", Logger: quiet, Methods: map[string]MethodOptions{"All": {HTTP: "GET /cost"}}}
	if direct {
		o.Methods["All"] = MethodOptions{HTTP: "GET /cost", Direct: DirectStreamOut(costAPI.All)}
	}
	s, err := Register[costAPI](impl, o)
	if err != nil {
		t.Fatal(err)
	}
	h := s.Routes()[0].Handler
	r := httptest.NewRequest("GET", "/cost", nil)
	return func(items int) {
		n = items
		h.ServeHTTP(discardFlusher{make(http.Header)}, r)
	}
}

// What an event allocates beyond its item's encoding, which allocates nothing.
func TestStreamAllocations(t *testing.T) {
	for _, test := range []struct {
		direct bool
		most   float64
	}{{true, 0}, {false, 3}} {
		send := streamCost(t, test.direct)
		few := testing.AllocsPerRun(5, func() { send(1) })
		many := testing.AllocsPerRun(5, func() { send(1001) })
		each := (many - few) / 1000
		t.Logf("direct %t: %.2f allocations an event, %.0f a stream", test.direct, each, few-each)
		if each > test.most+0.01 {
			t.Errorf("direct %t: %.2f allocations an event, want at most %.0f", test.direct, each, test.most)
		}
	}
}

func BenchmarkStreamEvent(b *testing.B) {
	for _, direct := range []bool{true, false} {
		b.Run(map[bool]string{true: "direct", false: "reflection"}[direct], func(b *testing.B) {
			send := streamCost(b, direct)
			b.ReportAllocs()
			b.ResetTimer()
			send(b.N)
		})
	}
}

type largeAPI interface {
	Create(context.Context, *largeIn) error
}

type largeIn struct {
	Text string `json:"text"`
}

// A largeImpl notes the memory of its calls.
type largeImpl struct{ kept []int }

func (i *largeImpl) Create(ctx context.Context, _ *largeIn) error {
	c := ctx.Value(callKey{}).(*call)
	i.kept = append(i.kept, cap(c.ws.body)+len(c.ws.dec.scan.data))
	return nil
}

// Verify that a large body is not kept in memory while its method runs, and that the id
// of its message is.
func TestForgetBody(t *testing.T) {
	impl := new(largeImpl)
	s := MustRegister[largeAPI](impl, &Options{Resource: "texts"})
	input := `{"text":"` + strings.Repeat("x", 1<<19) + `"}`
	for _, test := range []struct {
		handler    http.Handler
		body, want string
	}{
		{s.REST(), input, ""},
		{s.RPC(), `{"jsonrpc":"2.0","id":"seven","method":"texts.create","params":` + input + `}`, `{"jsonrpc":"2.0","result":null,"id":"seven"}`},
		{s.RPC(), `{"params":` + input + `,"method":"texts.create","id":7,"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","result":null,"id":7}`},
	} {
		t.Run(test.body, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/texts", strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, r)
			if got := w.Body.String(); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	if len(impl.kept) != 3 || slices.Max(impl.kept) > 0 {
		t.Errorf("bytes that the calls kept: %v", impl.kept)
	}
}
