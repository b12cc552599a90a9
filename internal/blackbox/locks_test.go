package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.com/svc"
)

// LockAPI runs code of the application wherever svc might hold a lock.
type LockAPI interface {
	Work(ctx context.Context) (*mcpCount, error)
	Watch(ctx context.Context) (svc.Stream[lockItem], error)
}

type lockImpl struct {
	work  func(context.Context)
	watch func(ctx context.Context, yield func(*lockItem, error) bool)
}

// A lockItem calls a function when it is written.
type lockItem struct{ write func() }

func (i *lockItem) MarshalJSON() ([]byte, error) { i.write(); return []byte(`{"n":1}`), nil }

func (*lockItem) UnmarshalJSON([]byte) error { return nil }

func (lockItem) JSONSchema() map[string]any { return map[string]any{"type": "object"} }

func (l lockImpl) Work(ctx context.Context) (*mcpCount, error) {
	l.work(ctx)
	return &mcpCount{N: 1}, nil
}

func (l lockImpl) Watch(ctx context.Context) (svc.Stream[lockItem], error) {
	return func(yield func(*lockItem, error) bool) { l.watch(ctx, yield) }, nil
}

// A busyWriter is the ResponseWriter of some middleware: it does something in each of its
// methods, but not while it does so.
type busyWriter struct {
	*httptest.ResponseRecorder
	do   func()
	busy bool
}

func (w *busyWriter) act() {
	if w.do != nil && !w.busy {
		w.busy = true
		w.do()
		w.busy = false
	}
}

func (w *busyWriter) Header() http.Header         { w.act(); return w.ResponseRecorder.Header() }
func (w *busyWriter) WriteHeader(status int)      { w.act(); w.ResponseRecorder.WriteHeader(status) }
func (w *busyWriter) Write(b []byte) (int, error) { w.act(); return w.ResponseRecorder.Write(b) }
func (w *busyWriter) Flush()                      { w.act(); w.ResponseRecorder.Flush() }

// A noFlush hides Flush.
type noFlush struct{ http.ResponseWriter }

// A logFunc is a slog.Handler.
type logFunc func(context.Context)

func (f logFunc) Enabled(ctx context.Context, _ slog.Level) bool  { f(ctx); return true }
func (f logFunc) Handle(ctx context.Context, _ slog.Record) error { f(ctx); return nil }
func (f logFunc) WithAttrs([]slog.Attr) slog.Handler              { return f }
func (f logFunc) WithGroup(string) slog.Handler                   { return f }

// Verify that no code of the application runs while svc holds a lock, by letting all of
// it come back to svc in every way that takes one. If one is held, the test hangs. The
// locks, and what runs where they were held:
//
//	the messages of an MCP call   the logger, all methods of a ResponseWriter
//	a stream of events            the same writer, from the timer too
//	a run over a Stream           MarshalJSON and SSE of items, and that writer
//	a pipe of MCPStdio            the io.Writer
func TestNothingUnderLock(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"l_%s","_meta":{"progressToken":1}}}`
	var last context.Context
	back := func(ctx context.Context) {
		svc.InfoFrom(ctx)
		svc.Progress(ctx, 5, 10, "back")
		svc.MCPLog(ctx, slog.LevelError, "back")
		svc.CanAsk(ctx, "roots")
	}
	impl := lockImpl{
		work: func(ctx context.Context) {
			last = ctx
			svc.Progress(ctx, 1, 10, "")
			svc.MCPLog(ctx, slog.LevelError, make(chan int)) // which no JSON has, so it is logged
		},
		watch: func(ctx context.Context, yield func(*lockItem, error) bool) {
			last = ctx
			yield(&lockItem{func() { back(ctx) }}, nil)
			ended := make(chan bool)
			go func() {
				defer close(ended)
				yield(&lockItem{func() { back(ctx) }}, nil)
			}()
			<-ended
		},
	}
	for _, observed := range []bool{false, true} {
		options := &svc.Options{Name: "L", Resource: "l", Logger: slog.New(logFunc(back))}
		if observed {
			options.Observe = func(ctx context.Context, _ svc.Observation) { back(ctx) }
		}
		options.Methods = map[string]svc.MethodOptions{"Watch": {HTTP: "GET /l/watch"}}
		s := svc.MustRegister[LockAPI](impl, options)
		for _, test := range []struct {
			h            http.Handler
			method, body string
		}{
			{s.MCP(nil), "work", call}, {s.MCP(nil), "watch", call}, {s.REST(), "watch", ""}, {s.RPC(), "watch", `{"jsonrpc":"2.0","id":1,"method":"l.%s"}`},
		} {
			t.Run(rowName(test.method, test.body, "observed", observed), func(t *testing.T) {
				for _, flushes := range []bool{true, false} {
					r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Replace(test.body, "%s", test.method, 1)))
					if test.body == "" {
						r = httptest.NewRequest("GET", "/l/"+test.method, nil)
					}
					r.Header.Set("Content-Type", "application/json")
					last = context.Background()
					w := &busyWriter{ResponseRecorder: httptest.NewRecorder()}
					w.do = func() { back(last) }
					if flushes {
						test.h.ServeHTTP(w, r)
					} else {
						test.h.ServeHTTP(noFlush{w}, r)
					}
					if got := w.Body.String(); !strings.Contains(got, `"n":1`) && flushes {
						t.Errorf("%s %s: %s", test.method, test.body, got)
					}
				}
			})
		}
		in, out := io.Pipe()
		go func() { io.WriteString(out, strings.Replace(call, "%s", "work", 1)+"\n"); out.Close() }()
		last = context.Background()
		if err := s.MCPStdio(context.Background(), in, writerFunc(func(b []byte) (int, error) { back(last); return len(b), nil }), nil); err != nil {
			t.Error(err)
		}
	}
}

// A writerFunc is an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Verify that MCPStdio returns at the end of ctx although its client reads nothing.
func TestMCPStdioBlocked(t *testing.T) {
	t.Parallel()
	for _, calls := range []int{1, 300} {
		ctx, cancel := context.WithCancel(context.Background())
		release := make(chan struct{})
		out := writerFunc(func(b []byte) (int, error) { cancel(); <-release; return len(b), nil })
		in, lines := io.Pipe()
		fed := make(chan struct{})
		go func() {
			defer close(fed)
			for i := range calls {
				fmt.Fprintf(lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"notes_count"}}`+"\n", i)
			}
		}()
		err := newMCPService().MCPStdio(ctx, in, out, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d calls: %v", calls, err)
		}
		close(release)
		in.Close()
		<-fed
	}
}

// Verify that a goroutine that ends while it writes an item, by runtime.Goexit, spoils
// the answer: it is an error, and never the half of an item.
func TestGoexitInItem(t *testing.T) {
	s := svc.MustRegister[LockAPI](lockImpl{watch: func(ctx context.Context, yield func(*lockItem, error) bool) {
		yield(&lockItem{func() {}}, nil)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			yield(&lockItem{runtime.Goexit}, nil)
		}()
		<-ended
	}}, &svc.Options{Name: "L", Resource: "l", Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		h          http.Handler
		path, body string
		want       string
	}{
		{s.REST(), "/l/watch", "", "event: error\ndata: {\"error\":{\"code\":\"INTERNAL\""},
		{s.RPC(), "/", `{"jsonrpc":"2.0","id":1,"method":"l.watch"}`, `"data":{"code":"INTERNAL"}`},
		{s.MCP(nil), "/", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"l_watch"}}`, `"isError":true`},
	} {
		t.Run(rowName(test.path, test.body), func(t *testing.T) {
			r := httptest.NewRequest("POST", test.path, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if test.h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s %s: %s", test.path, test.body, w.Body)
			}
		})
	}
}
