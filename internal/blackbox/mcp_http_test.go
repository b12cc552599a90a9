package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/svc"
)

// This file tests MCP over HTTP beyond single messages: replicas, streams, connections that
// end, and whole conversations.

// Requirements 0.5, 2.3: two replicas behind a proxy answer one client's requests
// in turn, in both eras, and many requests with one id at the same time.
func TestMCPReplicas(t *testing.T) {
	var replicas []*url.URL
	for range 2 {
		s := httptest.NewServer(newMCP(nil))
		defer s.Close()
		u, _ := url.Parse(s.URL)
		replicas = append(replicas, u)
	}
	var turn atomic.Int64
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(replicas[turn.Add(1)%2]) },
	})
	defer proxy.Close()
	client := proxy.Client()
	post := func(text string) string {
		head, body, _ := strings.Cut(text, "\n\n")
		r, _ := http.NewRequest("POST", proxy.URL, strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for line := range strings.Lines(head) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			r.Header.Set(name, value)
		}
		w, err := client.Do(r)
		if err != nil {
			return err.Error()
		}
		defer w.Body.Close()
		answer, err := io.ReadAll(w.Body)
		return fmt.Sprint(w.StatusCode, " ", string(answer), err)
	}
	for _, test := range []struct{ name, text, want string }{
		{"initialize", mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`), `200 …"protocolVersion":"2025-11-25"…`},
		{"initialized", "\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `202 <nil>`},
		{"logging/setLevel", mcpLegacy("2025-11-25", "logging/setLevel", `"level":"warning"`), `200 …"result":{}…`},
		{"tools/list", mcpLegacy("2025-11-25", "tools/list", ""), `200 …"tools":[…`},
		{"a call with progress", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_work","arguments":{"steps":3},"_meta":{"progressToken":1}`), `200 …"progress":2…"result":…<nil>`},
		{"server/discover", mcpModern("server/discover", ""), `200 …"supportedVersions"…`},
		{"tools/list in 2026", mcpModern("tools/list", ""), `200 …"ttlMs":0…`},
		{"a call with progress in 2026", mcpModern("tools/call", `"name":"notes_work","arguments":{"steps":3}`, `meta: "progressToken":1`), `200 …"progress":2…"result":…<nil>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // on each of them
				if got := post(test.text); !mcpMatches(got, test.want) {
					t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
				}
			}
		})
	}
	var group sync.WaitGroup
	for i := range 20 {
		group.Add(1)
		go func() {
			defer group.Done()
			want := fmt.Sprintf(`200 …"title":"note %d"…`, i)
			if got := post(mcpLegacy("2025-06-18", "tools/call", fmt.Sprintf(`"name":"notes_create","arguments":{"title":"note %d"}`, i))); !mcpMatches(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}()
	}
	group.Wait()
}

// mcpHooked is a service whose methods do what a test wants.
type mcpHooked interface {
	Run(context.Context) error
}

type mcpHook func(context.Context) error

func (f mcpHook) Run(ctx context.Context) error { return f(ctx) }

func newHookedMCP(hook mcpHook) http.Handler {
	return svc.MustRegister[mcpHooked](hook, &svc.Options{Resource: "hook", Logger: slog.New(slog.DiscardHandler)}).MCP(nil)
}

// Requirement 11.4: what a method has left running says is not heard after the
// result, nor is progress that does not rise, and of very much some is dropped.
func TestMCPSendsNothingAfterTheResult(t *testing.T) {
	var kept context.Context
	h := newHookedMCP(func(ctx context.Context) error {
		kept = ctx
		svc.MCPLog(ctx, slog.LevelError, func() {}) // which JSON cannot carry
		svc.Progress(ctx, 1, 2, "")
		svc.Progress(ctx, 0.5, 2, "")
		svc.Progress(ctx, 1, 2, "")
		for i := range 5000 {
			svc.Progress(ctx, 2+float64(i), 1e6, "")
		}
		svc.Progress(ctx, 1e6, 1e6, "done")
		return nil
	})
	w := mcpPost(h, mcpLegacy("", "tools/call", `"name":"hook_run","_meta":{"progressToken":1}`))
	before := w.Body.String()
	svc.Progress(kept, 2e6, 2e6, "")
	svc.MCPLog(kept, slog.LevelError, "late")
	if after := w.Body.String(); after != before || !strings.HasSuffix(after, `"id":1}`+"\n\n") {
		t.Errorf("the stream ends with %s", after[max(0, len(after)-300):])
	}
	if n := strings.Count(before, "notifications/progress"); n > 1000 || !strings.Contains(before, `"message":"done"`) || strings.Contains(before, `"progress":0.5`) {
		t.Errorf("%d reports reached the client", n)
	}
	if strings.Contains(before, "notifications/message") {
		t.Errorf("a function was logged: %.200s", before)
	}
	svc.Progress(context.Background(), 1, 1, "nobody is there")
	svc.MCPLog(context.Background(), slog.LevelInfo, "nobody is there")
}

// An mcpTelling logs when it is encoded.
type mcpTelling struct{ ctx context.Context }

func (l mcpTelling) MarshalJSON() ([]byte, error) {
	svc.MCPLog(l.ctx, slog.LevelInfo, "inside")
	svc.Progress(l.ctx, 1, 2, "inside")
	return []byte(`"outside"`), nil
}

// Verify that what a method logs may log while it is encoded.
func TestMCPLogWhileEncoding(t *testing.T) {
	h := newHookedMCP(func(ctx context.Context) error {
		svc.MCPLog(ctx, slog.LevelInfo, mcpTelling{ctx})
		return nil
	})
	got := mcpPost(h, mcpLegacy("", "tools/call", `"name":"hook_run","_meta":{"progressToken":1}`)).Body.String()
	inside, progress, outside := strings.Index(got, `"data":"inside"`), strings.Index(got, `"progress":1`), strings.Index(got, `"data":"outside"`)
	if inside < 0 || progress < inside || outside < progress {
		t.Errorf("the messages are %s", got)
	}
}

// Requirements 11.5, 11.6: the context ends when the client leaves, in either era.
func TestMCPContextEndsWithTheClient(t *testing.T) {
	for _, test := range []struct{ name, text string }{
		{"2025-11-25", mcpLegacy("2025-11-25", "tools/call", `"name":"hook_run"`)},
		{"2026-07-28", mcpModern("tools/call", `"name":"hook_run"`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			running, ended := make(chan struct{}), make(chan error, 1)
			s := httptest.NewServer(newHookedMCP(func(ctx context.Context) error {
				close(running)
				<-ctx.Done()
				ended <- ctx.Err()
				return ctx.Err()
			}))
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			head, body, _ := strings.Cut(test.text, "\n\n")
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n\r\n%s", len(body), strings.ReplaceAll(head, "\n", "\r\n"), body)
			<-running
			conn.Close()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the context ended with %v", err)
			}
			s.Close()
		})
	}
}

// Verify that a method that aborts the connection leaves no goroutine, and that
// no client takes what it got for an answer.
func TestMCPAbort(t *testing.T) {
	s := httptest.NewUnstartedServer(newMCP(nil))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Start()
	defer s.Close()
	_, body, _ := strings.Cut(mcpLegacy("", "tools/call", `"name":"notes_work","arguments":{"level":"warning","abort":true}`), "\n\n")
	w, err := s.Client().Post(s.URL, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if text, err := io.ReadAll(w.Body); err == nil || strings.Contains(string(text), `"result"`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// Verify that a stream outlives Server.WriteTimeout (requirement 11.1).
func TestMCPWriteTimeout(t *testing.T) {
	s := httptest.NewUnstartedServer(newHookedMCP(func(ctx context.Context) error {
		for i := range 5 {
			svc.Progress(ctx, float64(i), 4, "")
		}
		return nil
	}))
	s.Config.WriteTimeout = 1 // ns: over before anything is written
	s.Start()
	defer s.Close()
	_, body, _ := strings.Cut(mcpLegacy("", "tools/call", `"name":"hook_run","_meta":{"progressToken":1}`), "\n\n")
	w, err := s.Client().Post(s.URL, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if text, err := io.ReadAll(w.Body); err != nil || strings.Count(string(text), "data: ") != 6 {
		t.Errorf("got %s, %v", text, err)
	}
}

// Requirement 13: the differences between the revisions that reach the wire.
func TestMCPRevisions(t *testing.T) {
	h := newMCP(nil)
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			for _, test := range []struct{ name, text, want string }{
				{"initialize", mcpLegacy("", "initialize", `"protocolVersion":"`+revision+`"`), `200 …"protocolVersion":"` + revision + `"…`},
				{"ping", mcpLegacy(revision, "ping", ""), `200 …"result":{}…`},
				{"an unknown method", mcpLegacy(revision, "nope", ""), `200 …-32601…`},
				{"a call", mcpLegacy(revision, "tools/call", `"name":"notes_count"`), `200 …"structuredContent":{"n":7}…`},
				{"a call without its arguments", mcpLegacy(revision, "tools/call", `"name":"notes_create"`), `200 …"isError":true…`},
				{"server/discover", mcpLegacy(revision, "server/discover", ""), `400 …-32602…`},
			} {
				t.Run(test.name, func(t *testing.T) {
					w := mcpPost(h, test.text)
					got := fmt.Sprint(w.Code, " ", w.Body)
					if !mcpMatches(got, test.want) || strings.Contains(got, "resultType") || strings.Contains(got, "ttlMs") {
						t.Errorf("%s: got %s\nwant %s", test.text, got, test.want)
					}
				})
			}
			w := mcpPost(h, "MCP-Protocol-Version: "+revision+"\n\n"+`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"code":-32600,"message":"there are no batches`) {
				t.Errorf("a batch at %s is %d %s", revision, w.Code, w.Body)
			}
		})
	}
}

// Verify that Invoke makes the calls, with the bound input, and may pass them on.
func TestMCPInvoke(t *testing.T) {
	var seen, around string // of one call
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler), Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			around += " " + method
			return next(ctx, resource, method, input)
		}
	}})
	h := s.MCP(&svc.MCPOptions{Invoke: func(ctx context.Context, resource, method string, input any) (any, error) {
		info, _ := svc.InfoFrom(ctx)
		seen = fmt.Sprintf("%s %s.%s %T", info.Transport, resource, method, input)
		switch method {
		case "count":
			return &mcpCount{N: 99}, nil
		case "locate":
			return (*mcpCount)(nil), nil
		case "delete":
			return nil, svc.Errorf(svc.CodePermissionDenied, "no")
		case "get":
			return &mcpCount{N: 1}, nil // not what Get returns
		}
		return s.Call(ctx, resource, method, input)
	}})
	for _, test := range []struct{ name, params, want, seen, around string }{
		{"an answer of Invoke", `"name":"notes_count"`, `…{"n":99}…"isError":false…`, "mcp notes.count <nil>", "count"},
		{"an error of Invoke", `"name":"notes_delete","arguments":{"id":"x"}`, `…PERMISSION_DENIED: no…"isError":true…`, "mcp notes.delete *blackbox_test.mcpGet", "delete"},
		{"an answer of another type", `"name":"notes_get","arguments":{"id":"x"}`, `…INTERNAL: internal error…"isError":true…`, "mcp notes.get *blackbox_test.mcpGet", "get"},
		{"a call that is passed on", `"name":"notes_create","arguments":{"title":"x"}`, `…"title":"x"…"isError":false…`, "mcp notes.create *blackbox_test.mcpCreate", "create create"},
		{"a nil answer", `"name":"notes_locate","arguments":{"region":"eu"}`, `…INTERNAL: internal error…"isError":true…`, "mcp notes.locate *blackbox_test.mcpFind", "locate"},
		{"a wrong input", `"name":"notes_create","arguments":{}`, `…/title is required…"isError":true…`, "", ""},
		{"a call with progress that is passed on", `"name":"notes_work","arguments":{"steps":1},"_meta":{"progressToken":1}`, `…"progress":0…"isError":false…`, "mcp notes.work *blackbox_test.mcpWork", "work work"},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen, around = "", ""
			if got := mcpPost(h, mcpLegacy("", "tools/call", test.params)).Body.String(); !mcpMatches(got, test.want) {
				t.Errorf("%s: %s", test.params, got)
			}
			if seen != test.seen {
				t.Errorf("Invoke saw %q, want %q", seen, test.seen)
			}
			// A call that Invoke passes on comes twice.
			if got := strings.TrimSpace(around); got != test.around {
				t.Errorf("Intercept saw %q, want %q", got, test.around)
			}
		})
	}
}

// Verify that what methods add to the header is dropped.
func TestMCPCallHeader(t *testing.T) {
	h := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler), Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			info, _ := svc.InfoFrom(ctx)
			info.Header.Add("X-Call", method)
			return next(ctx, resource, method, input)
		}
	}}).MCP(nil)
	if w := mcpPost(h, mcpLegacy("", "tools/call", `"name":"notes_count"`)); w.Code != 200 || w.Header().Get("X-Call") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// Verify that svc does not make mistakes which other MCP SDKs make. The comment of a
// row is what they do.
func TestMCPMistakesOfOthers(t *testing.T) {
	h := newMCP(nil)
	for _, test := range []struct{ name, who, text, want string }{
		{"a fraction as id", "go-sdk", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `200 …-32600…`},                                                                     // becomes 1
		{"no method", "go-sdk, mcp-go", `{"jsonrpc":"2.0","id":1}`, `200 …-32600…`},                                                                                      // gets 202
		{"accepts JSON alone", "go-sdk", mcpLegacy("", "ping", "", "Accept: application/json"), `200 …`},                                                                 // gets 400
		{"a foreign Origin", "go-sdk, mcp-go", "Origin: http://evil.example\n\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `403 …`},                                  // gets 200
		{"an id over 2^53", "go-sdk", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `200 …"id":9007199254740993}`},                                          // rounds
		{"an unknown method", "go-sdk", mcpLegacy("", "nope", ""), `200 …-32601…`},                                                                                       // 400 in plain text
		{"more text behind the message", "go-sdk", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, `200 …-32700…`},                                                         // ignores the rest
		{"an unknown version", "mcp-go", mcpLegacy("1999-01-01", "tools/list", ""), `400 …-32022…`},                                                                      // gets 200
		{"Method beside method", "mcp-go", `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}`, `200 …"tools":[…`},                                    // runs the latter
		{"a notification of 2026 without its header", "go-sdk, mcp-go", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, `202 `}, // gets 400
	} {
		t.Run(test.name, func(t *testing.T) {
			w := mcpPost(h, test.text)
			if got := fmt.Sprint(w.Code, " ", w.Body); !mcpMatches(got, test.want) && got != test.want {
				t.Errorf("%s: %s\n got %s\nwant %s", test.who, test.text, got, test.want)
			}
		})
	}
	r := httptest.NewRequest("OPTIONS", "/mcp", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 204 { // go-sdk answers 405
		t.Errorf("OPTIONS is %d", w.Code)
	}
	// mcp-go sends one caller's progress to any client that holds a GET stream;
	// here there is none to hold.
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/mcp", nil))
	if w.Code != 405 {
		t.Errorf("GET is %d", w.Code)
	}
}

// Verify whole conversations, one file each.
func TestMCPTranscripts(t *testing.T) {
	h := newMCP(mcpWireOptions)
	for _, test := range []struct {
		name  string
		texts []string
	}{
		{"handshake", []string{mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`), "MCP-Protocol-Version: 2025-11-25\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, mcpLegacy("2025-11-25", "ping", "")}},
		{"discover", []string{mcpModern("server/discover", "")}},
		{"call", []string{mcpLegacy("2025-06-18", "tools/call", `"name":"notes_create","arguments":{"title":"x","tags":["a"]}`), mcpModern("tools/call", `"name":"notes_create","arguments":{"title":"x","tags":["a"]}`)}},
		{"errors-for-models", []string{mcpLegacy("2025-06-18", "tools/call", `"name":"notes_create","arguments":{"tags":[1],"stars":9}`), mcpModern("tools/call", `"name":"notes_get","arguments":{"id":"n2"}`)}},
		{"errors-for-programs", []string{mcpLegacy("2025-06-18", "tools/call", `"name":"notes_nope"`), mcpModern("nope", ""), mcpModern("tools/call", `"name":"notes_sample"`), `{`, mcpLegacy("1999-01-01", "ping", "")}},
		{"progress", []string{mcpLegacy("2025-06-18", "tools/call", `"name":"notes_work","arguments":{"steps":3},"_meta":{"progressToken":"abc"}`)}},
		{"log", []string{mcpModern("tools/call", `"name":"notes_work","arguments":{"level":"warning"}`, `meta: "io.modelcontextprotocol/logLevel":"info"`)}},
		{"stream", []string{mcpLegacy("2025-06-18", "tools/call", `"name":"notes_watch","arguments":{"n":2},"_meta":{"progressToken":1}`)}},
		{"content", []string{mcpLegacy("2025-11-25", "tools/call", `"name":"notes_show","arguments":{"kinds":["text","image","audio","resource","blob","link"]}`)}},
		{"listen", []string{mcpModern("subscriptions/listen", `"notifications":{"toolsListChanged":true}`)}},
		{"batch", []string{"MCP-Protocol-Version: 2025-03-26\n\n" + `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"nope"}]`}},
		{"browser", []string{mcpLegacy("", "ping", "", "Origin: http://localhost:5173"), mcpLegacy("", "ping", "", "Origin: http://evil.example")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			for _, text := range test.texts {
				w := mcpPost(h, text)
				if !strings.Contains(text, "\n\n") {
					text = "\n\n" + text
				}
				fmt.Fprintf(&out, "> POST /mcp\n%s\n\n< %d\n", strings.TrimLeft(text, "\n"), w.Code)
				if w.Header().Get("Mcp-Session-Id") != "" { // which is random
					w.Header().Set("Mcp-Session-Id", "(sealed)")
				}
				w.Header().Write(&out)
				fmt.Fprintf(&out, "\n%s\n\n", w.Body)
			}
			golden(t, "mcp/"+test.name+".txt", bytes.ReplaceAll(out.Bytes(), []byte("\r\n"), []byte("\n")))
		})
	}
}

// FuzzMCP sends any message with any header of the protocol: whatever comes, the
// answer is no error of the server's, and JSON.
func FuzzMCP(f *testing.F) {
	for _, row := range mcpRows() {
		head, body, ok := strings.Cut(row.request, "\n\n")
		if !ok {
			head, body = "", row.request
		}
		f.Add(head, body)
	}
	h := newMCP(mcpWireOptions)
	f.Fuzz(func(t *testing.T, head, body string) {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for line := range strings.Lines(head) {
			name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
			r.Header.Add(name, value)
		}
		if strings.Contains(body, "abort") {
			return // the method asks net/http for a panic
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		for line := range strings.Lines(w.Body.String()) {
			if data, ok := strings.CutPrefix(line, "data: "); ok || w.Header().Get("Content-Type") == "application/json" {
				if !json.Valid([]byte(data)) {
					t.Errorf("%d: %q is not JSON", w.Code, line)
				}
			}
		}
		if w.Code == 202 && w.Body.Len() > 0 {
			t.Errorf("202 with %s", w.Body)
		}
	})
}

// A lateLog is what a method logs when its call is over, which JSON cannot hold.
type lateLog struct{ begun, over chan bool }

func (l lateLog) MarshalJSON() ([]byte, error) {
	close(l.begun)
	<-l.over
	return nil, errors.New("it has no JSON")
}

type LateLogAPI interface {
	Do(ctx context.Context) error
}

type lateLogger func(ctx context.Context)

func (l lateLogger) Do(ctx context.Context) error { l(ctx); return nil }

// Verify, by the race detector, that a log message which fails after its call is over
// touches nothing that other requests have by then.
func TestMCPLateLog(t *testing.T) {
	data, logged, first := lateLog{make(chan bool), make(chan bool)}, make(chan bool), true
	h := svc.MustRegister[LateLogAPI](lateLogger(func(ctx context.Context) {
		if first {
			first = false
			go func() { svc.MCPLog(ctx, slog.LevelError, data); close(logged) }()
			<-data.begun
		}
	}), &svc.Options{Logger: slog.New(slog.DiscardHandler)}).MCP(nil)
	for i := range 20 {
		r := httptest.NewRequest("POST", "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"late_log_api_do"}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `"isError":false`) {
			t.Fatal(w.Body)
		}
		if i == 0 {
			close(data.over)
		}
	}
	<-logged
}

func ExampleService_MCP() {
	service := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{
		Resource: "notes",
		Methods:  map[string]svc.MethodOptions{"Count": {MCP: &svc.MCPMethod{Title: "Count the notes"}}},
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", service.MCP(&svc.MCPOptions{
		Instructions:   "Create a note for everything that is worth keeping.",
		AllowedOrigins: []string{"https://app.example"},
	}))
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_count"}}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Body)
	// Output: {"jsonrpc":"2.0","result":{"structuredContent":{"n":7},"content":[{"type":"text","text":"{\"n\":7}"}],"isError":false},"id":1}
}
