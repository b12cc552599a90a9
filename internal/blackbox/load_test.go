package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file tests Options.MaxConcurrent and Options.MaxStreams: what counts, when it counts no
// more, and how each transport refuses.

// LoadAPI has a method for each way to be busy, or only to wait.
type (
	LoadAPI interface {
		Hold(context.Context) error
		Quick(context.Context, *LoadIn) (*LoadOut, error)
		Read(context.Context) (*LoadOut, error)
		Watch(context.Context) (svc.Stream[LoadOut], error)
		Export(context.Context) (*svc.File, error)
		Ask(context.Context) (*LoadOut, error)
		Both(context.Context) (*LoadOut, error)
		Secret(context.Context) error
	}
	LoadIn struct {
		Text string `json:"text,omitempty"`
	}
	LoadOut struct {
		N int `json:"n"`
	}
	loadImpl struct{ entered, leave, begun chan bool } // of Hold; of a stream or a file
)

func (l loadImpl) Hold(ctx context.Context) error {
	l.entered <- true
	<-l.leave
	return nil
}

func (loadImpl) Quick(_ context.Context, in *LoadIn) (*LoadOut, error) {
	return &LoadOut{len(in.Text)}, nil
}

func (loadImpl) Read(context.Context) (*LoadOut, error) { return &LoadOut{1}, nil }

func (l loadImpl) Watch(ctx context.Context) (svc.Stream[LoadOut], error) {
	return func(yield func(*LoadOut, error) bool) {
		l.begun <- true
		if yield(&LoadOut{1}, nil) {
			<-ctx.Done()
		}
	}, nil
}

func (l loadImpl) Export(ctx context.Context) (*svc.File, error) {
	return &svc.File{Content: loadContent{ctx, l}}, nil
}

func (loadImpl) Ask(ctx context.Context) (*LoadOut, error) {
	return &LoadOut{2}, svc.Confirm(ctx, "sure", "Sure?")
}

// Both asks two questions at once.
func (loadImpl) Both(ctx context.Context) (*LoadOut, error) {
	errs := make(chan error, 2)
	for _, key := range []string{"one", "two"} {
		go func() { errs <- svc.Confirm(ctx, key, "Really "+key+"?") }()
	}
	return &LoadOut{3}, errors.Join(<-errs, <-errs)
}

func (loadImpl) Secret(context.Context) error { return nil }

// A loadContent is a file that never ends.
type loadContent struct {
	ctx context.Context
	loadImpl
}

func (c loadContent) Read(p []byte) (int, error) {
	select {
	case c.begun <- true:
	case <-c.ctx.Done():
	}
	<-c.ctx.Done()
	return 0, c.ctx.Err()
}

// A loaded is a service that can be made busy, with what it observes and logs.
type loaded struct {
	*svc.Service
	loadImpl
	mu       sync.Mutex
	observed []string
	log      bytes.Buffer
	all      http.Handler
}

func newLoaded(resource string, maxConcurrent, maxStreams int) *loaded {
	l := &loaded{loadImpl: loadImpl{make(chan bool), make(chan bool), make(chan bool)}}
	methods := map[string]svc.MethodOptions{"Secret": {}, "Read": {HTTP: "GET /" + resource + "/read"}, "Watch": {HTTP: "GET /" + resource + "/watch"}, "Export": {HTTP: "GET /" + resource + "/export"}}
	for _, name := range []string{"Hold", "Quick", "Read", "Watch", "Export", "Ask", "Both"} {
		o := methods[name]
		o.Public = true
		methods[name] = o
	}
	l.Service = svc.MustRegister[LoadAPI](l.loadImpl, &svc.Options{
		Resource: resource, MaxConcurrent: maxConcurrent, MaxStreams: maxStreams, Defaults: svc.Defaults{Auth: "bearer"},
		Methods: methods, Logger: slog.New(slog.NewTextHandler(&l.log, nil)),
		Observe: func(_ context.Context, o svc.Observation) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.observed = append(l.observed, fmt.Sprintf("%s %s %v %d", o.Transport, o.Method, svc.CodeOf(o.Err), o.Status))
		},
	})
	l.all = l.serve(l.Service)
	return l
}

func (l *loaded) serve(s *svc.Service) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.REST())
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("/openapi.json", s.OpenAPI())
	return mux
}

// hold takes a place, and returns a function that gives it back and waits until that is done.
func (l *loaded) hold(h http.Handler, path string) (leave func()) {
	done := make(chan int)
	go func() { done <- answerTo(h, "POST", path, "").StatusCode }()
	<-l.entered
	return func() {
		l.leave <- true
		<-done
	}
}

// Verify how each transport refuses when the only place is taken, and what needs none.
func TestBusy(t *testing.T) {
	l := newLoaded("load", 1, 0)
	leave := l.hold(l.all, "/load/hold")
	const busyREST = `{"error":{"code":"UNAVAILABLE","message":"the server is busy; try again","reason":"overloaded"}}`
	const busyRPC = `{"jsonrpc":"2.0","error":{"code":-32014,"message":"the server is busy; try again","data":{"code":"UNAVAILABLE","reason":"overloaded"}}`
	const busyMCP = `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the server is busy; try again","data":{"code":"UNAVAILABLE","reason":"overloaded"}}`
	large := strings.Repeat("a", 70<<10)
	rpc := func(id, method string) string { return `{"jsonrpc":"2.0",` + id + `"method":"` + method + `"}` }
	const quick = `"method":"load.quick","params":{"text":"`
	tool := `"name":"load_read","arguments":{}`
	legacy := mcpLegacy("2025-11-25", "tools/call", tool)
	modern := mcpModern("tools/call", tool)
	largeTool := `"arguments":{"text":"` + large + `"},"name":"load_quick"`
	for _, test := range []struct {
		name   string
		method string
		path   string
		body   string
		status int
		want   string // the body, or how it begins if it ends with …
	}{
		{"REST", "GET", "/load/read", "", 503, busyREST},
		{"REST with a body", "POST", "/load/quick", `{"text":"a"}`, 503, busyREST},
		{"REST with a body that is wrong", "POST", "/load/quick", `{"text":1}`, 503, busyREST},
		{"REST with a large body", "POST", "/load/quick", `{"text":"` + large + `"}`, 503, busyREST},
		{"a stream", "GET", "/load/watch", "", 503, busyREST},
		{"a file", "GET", "/load/export", "", 503, busyREST},
		{"an unknown caller", "POST", "/load/secret", "", 401, `{"error":{"code":"UNAUTHENTICATED"…`},
		{"an unknown path", "GET", "/nothing", "", 404, `{"error":{"code":"NOT_FOUND"…`},
		{"another verb", "DELETE", "/load/quick", "", 405, `{"error":{"code":"UNIMPLEMENTED"…`},
		{"no JSON", "POST", "/load/quick", "text", 415, `{"error":{"code":"INVALID_ARGUMENT"…`},
		{"a document", "GET", "/openapi.json", "", 200, `{"openapi":…`},
		{"JSON-RPC", "POST", "/rpc", rpc(`"id":7,`, "load.read"), 200, busyRPC + `,"id":7}`},
		{"JSON-RPC, a stream", "POST", "/rpc", rpc(`"id":7,`, "load.watch"), 200, busyRPC + `,"id":7}`},
		{"JSON-RPC, a notification", "POST", "/rpc", rpc("", "load.read"), 204, ""},
		{"JSON-RPC, a large body", "POST", "/rpc", `{"jsonrpc":"2.0","id":"a",` + quick + large + `"}}`, 200, busyRPC + `,"id":"a"}`},
		{"JSON-RPC, a large body before its id", "POST", "/rpc", `{"jsonrpc":"2.0",` + quick + large + `"},"id":1}`, 200, busyRPC + `,"id":1}`},
		{"JSON-RPC, a batch", "POST", "/rpc", `[` + rpc(`"id":1,`, "load.read") + `,` + rpc("", "load.read") + `,` + rpc(`"id":2,`, "load.read") + `]`,
			200, `[` + busyRPC + `,"id":1},` + busyRPC + `,"id":2}]`},
		{"JSON-RPC, an unknown method", "POST", "/rpc", rpc(`"id":1,`, "load.none"), 200, `{"jsonrpc":"2.0","error":{"code":-32601…`},
		{"JSON-RPC, an unknown caller", "POST", "/rpc", rpc(`"id":1,`, "load.secret"), 200, `{"jsonrpc":"2.0","error":{"code":-32016…`},
		{"rpc.discover", "POST", "/rpc", rpc(`"id":1,`, "rpc.discover"), 200, `{"jsonrpc":"2.0","result":…`},
		{"MCP", "MCP", "", legacy, 200, busyMCP + `,"id":1}`},
		{"MCP of 2026-07-28", "MCP", "", modern, 503, busyMCP + `,"id":1}`},
		{"MCP, a large body", "MCP", "", strings.Replace(mcpLegacy("2025-11-25", "tools/call", largeTool), `"id":1`, `"id":5`, 1), 200, busyMCP + `,"id":5}`},
		{"MCP of 2026-07-28, a large body", "MCP", "", mcpModern("tools/call", largeTool), 503, busyMCP + `,"id":1}`},
		{"MCP, a large answer", "MCP", "", `{"jsonrpc":"2.0","id":1,"result":{"text":"` + large + `"}}`, 202, ""},
		{"MCP, a large error as the answer", "MCP", "", `{"jsonrpc":"2.0","error":{"code":1,"message":"` + large + `"},"id":1}`, 202, ""},
		{"MCP, a large notification", "MCP", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"` + large + `"}}`, 202, ""},
		{"MCP, a large body whose id comes last", "MCP", "", `{"method":"tools/call","params":{` + largeTool + `},"jsonrpc":"2.0","id":1}`, 200, busyMCP + `,"id":1}`},
		{"MCP, the list", "MCP", "", mcpLegacy("2025-11-25", "tools/list", ""), 200, `{"jsonrpc":"2.0","result":{"tools":…`},
		{"MCP, initialize", "MCP", "", mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`), 200, `{"jsonrpc":"2.0","result":…`},
		{"MCP, ping", "MCP", "", mcpLegacy("2025-11-25", "ping", ""), 200, `{"jsonrpc":"2.0","result":{}…`},
	} {
		t.Run(test.name, func(t *testing.T) {
			l.mu.Lock()
			l.observed = nil
			l.mu.Unlock()
			l.log.Reset()
			var a *http.Response
			switch test.method {
			case "MCP":
				a = mcpPost(l.serveAt("/mcp"), test.body).Result()
			default:
				contentType := "application/json"
				if test.body == "text" {
					contentType = "text/plain"
				}
				a = answerTo(l.all, test.method, test.path, test.body, "Content-Type", contentType)
			}
			text := textOf(a)
			want, isStart := strings.CutSuffix(test.want, "…")
			if a.StatusCode != test.status || !isStart && text != want || !strings.HasPrefix(text, want) {
				t.Errorf("got  %d %s\nwant %d %s", a.StatusCode, text, test.status, test.want)
			}
			isBusy := strings.Contains(test.want, "overloaded")
			if got := a.Header.Get("Retry-After"); (got == "1") != (a.StatusCode == 503) {
				t.Errorf("Retry-After is %q with the status %d", got, a.StatusCode)
			}
			if isBusy && l.log.Len() > 0 {
				t.Errorf("the log has %s", &l.log)
			}
			wholeBody := !strings.Contains(test.name, "large") || strings.HasPrefix(test.name, "REST")
			if got := strings.Join(l.observed, "; "); isBusy && wholeBody && !strings.Contains(got, "UNAVAILABLE") {
				t.Errorf("observed: %q", got)
			}
		})
	}
	if _, err := l.Call(context.Background(), "load", "Read", nil); err != nil {
		t.Errorf("a Service.Call counts: %v", err)
	}
	leave()
	if a := answerTo(l.all, "GET", "/load/read", ""); a.StatusCode != 200 {
		t.Errorf("the place is free, and the answer is %d", a.StatusCode)
	}
}

// serveAt returns the handler of a path, whatever the path of the request is.
func (l *loaded) serveAt(path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = path
		l.all.ServeHTTP(w, r)
	})
}

// Verify whose calls count together: those of At do, and a service of Join counts for itself.
func TestBusyTogether(t *testing.T) {
	l := newLoaded("load", 1, 0)
	moved, joined := l.At("/v1").REST(), svc.Join("both", l.Service, newLoaded("other", 1, 0).Service).REST()
	leave := l.hold(l.all, "/load/hold")
	for _, test := range []struct {
		name   string
		h      http.Handler
		path   string
		status int
	}{{"At", moved, "/v1/load/read", 503}, {"Join", joined, "/load/read", 200}} {
		if a := answerTo(test.h, "GET", test.path, ""); a.StatusCode != test.status {
			t.Errorf("%s: %d, want %d", test.name, a.StatusCode, test.status)
		}
	}
	leave()
	leave = l.hold(joined, "/load/hold")
	for _, test := range []struct {
		name   string
		h      http.Handler
		path   string
		status int
	}{{"the service alone", l.all, "/load/read", 200}, {"the other one of Join", joined, "/other/read", 503}} {
		if a := answerTo(test.h, "GET", test.path, ""); a.StatusCode != test.status {
			t.Errorf("%s: %d, want %d", test.name, a.StatusCode, test.status)
		}
	}
	leave()
}

// Verify that a stream and a file hold no place once their method has returned, over each transport,
// that MaxStreams counts them, and that all is free at their end.
func TestStreamsHoldNoPlace(t *testing.T) {
	rpc := `{"jsonrpc":"2.0","id":1,"method":"load.watch"}`
	for _, test := range []struct{ name, method, path, body string }{
		{"a stream", "GET", "/load/watch", ""},
		{"a file", "GET", "/load/export", ""},
		{"a stream over JSON-RPC", "POST", "/rpc", rpc},
		{"a stream in a batch", "POST", "/rpc", "[" + rpc + "]"},
		{"a stream over MCP", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"load_watch"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLoaded("load", 1, 2)
			server := httptest.NewServer(l.all)
			defer server.Close()
			ctx, cancel := context.WithCancel(context.Background())
			answers := make(chan string, 2)
			send := func() {
				r, _ := http.NewRequestWithContext(ctx, test.method, server.URL+test.path, strings.NewReader(test.body))
				r.Header.Set("Content-Type", "application/json")
				a, err := server.Client().Do(r)
				if err != nil {
					answers <- err.Error()
					return
				}
				defer a.Body.Close()
				answers <- textOf(a)
			}
			for range 2 {
				go send()
				<-l.begun
			}
			go send()
			if text := <-answers; !strings.Contains(text, `"reason":"overloaded"`) {
				t.Errorf("a third one is not refused: %s", text)
			}
			if a := answerTo(l.all, "GET", "/load/read", ""); a.StatusCode != 200 {
				t.Errorf("beside them, a read is %d", a.StatusCode)
			}
			leave := l.hold(l.all, "/load/hold")
			leave()
			cancel()
			<-answers
			<-answers
			ctx, cancel = context.WithCancel(context.Background())
			for free := false; !free; { // the server learns a little later that its clients are gone
				go send()
				select {
				case <-answers:
				case <-l.begun:
					free = true
				}
			}
			cancel()
			<-answers
			leave = l.hold(l.all, "/load/hold") // which is there, and only once
			if a := answerTo(l.all, "GET", "/load/read", ""); a.StatusCode != 503 {
				t.Errorf("after them, a read beside another call is %d", a.StatusCode)
			}
			leave()
		})
	}
}

// Verify that a call that waits for the answer to its question has no place, takes it again before
// all new requests, and is not refused.
func TestQuestionsHoldNoPlace(t *testing.T) {
	l := newLoaded("load", 1, 0)
	url := serveMCP(t, l.serveAt("/mcp"))
	c := beginSession(t, url, "2025-11-25", `{"elicitation":{}}`)
	call := c.call("1", "load_ask", "")
	id := call.event(`…Sure?…`)
	leave := l.hold(l.all, "/load/hold") // takes the place meanwhile
	c.answer(id, `{"action":"accept","content":{"yes":true}}`)
	for range 3 {
		if a := answerTo(l.all, "GET", "/load/read", ""); a.StatusCode != 503 {
			t.Errorf("beside a call with the only place, a read is %d", a.StatusCode)
		}
	}
	leave()
	call.event(`…"n":2…`)
	call.end()
	if a := answerTo(l.all, "GET", "/load/read", ""); a.StatusCode != 200 {
		t.Errorf("after the call, a read is %d", a.StatusCode)
	}

	call = c.call("2", "load_ask", "") // whose client leaves before it has answered
	call.event(`…Sure?…`)
	call.w.Body.Close()
	leave = l.hold(l.all, "/load/hold")
	leave()
}

// Verify that a call whose two answers come while the service is full takes one slot for both.
func TestQuestionsShareSlot(t *testing.T) {
	l := newLoaded("load", 1, 0)
	c := beginSession(t, serveMCP(t, l.serveAt("/mcp")), "2025-11-25", `{"elicitation":{}}`)
	call := c.call("1", "load_both", "")
	ids := []string{call.event(`…Really…`), call.event(`…Really…`)}
	leave := l.hold(l.all, "/load/hold")
	for _, id := range ids {
		c.answer(id, `{"action":"accept","content":{"yes":true}}`)
	}
	leave()
	call.event(`…"n":3…`)
	call.end()
	if a := answerTo(l.all, "GET", "/load/read", ""); a.StatusCode != 200 {
		t.Errorf("after the call, a read is %d", a.StatusCode)
	}
}

// Verify that a call which panics, or ends its connection, gives its place back.
func TestPlaceAfterPanic(t *testing.T) {
	l := newLoaded("load", 1, 0)
	close(l.entered) // Hold panics
	for range 3 {
		if a := answerTo(l.all, "POST", "/load/hold", ""); a.StatusCode != 500 {
			t.Errorf("a panic is %d", a.StatusCode)
		}
		if a := answerTo(l.all, "POST", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"load.hold"},{"jsonrpc":"2.0","id":2,"method":"load.read"}]`, "Content-Type", "application/json"); !strings.Contains(textOf(a), `"n":1`) {
			t.Error("a batch with a panic is refused")
		}
	}
}

// Verify the mistakes in the two options.
func TestLoadMistakes(t *testing.T) {
	_, err := svc.Register[LoadAPI](loadImpl{}, &svc.Options{Resource: "load", MaxConcurrent: -1})
	if want := "Options.MaxConcurrent is -1; want how many requests are worked on at once, or 0 for no limit"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
	defer func() {
		got := fmt.Sprint(recover())
		for _, want := range []string{
			"LoadAPI and LoadAPI have 1 and 2 as Options.MaxConcurrent, of which the requests to all have one",
			"LoadAPI and LoadAPI have 0 and 5 as Options.MaxStreams, of which the requests to all have one",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("Join: %s\nwant %s", got, want)
			}
		}
	}()
	svc.Join("both", newLoaded("load", 1, 0).Service, newLoaded("other", 2, 5).Service)
}
