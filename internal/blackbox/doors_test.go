package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// This file has what a request must not open or cost, one test for each door: first
// what an answer repeats of its request.

// TestEchoes sends everything that a header of the response repeats, in lengths around
// the limit. A proxy takes a server whose header does not fit into its buffer for
// broken, and then nobody gets through.
func TestEchoes(t *testing.T) {
	service := svc.MustRegister[interface{ Poke(context.Context) error }](new(poker), &svc.Options{Name: "Pokes", Resource: "pokes", Logger: slog.New(slog.DiscardHandler)})
	anything := svc.BearerOptions{Scopes: []string{"one"}, Logger: slog.New(slog.DiscardHandler)}
	scoped := func(scopes ...string) http.Handler {
		return svc.Bearer(func(context.Context, string) (*svc.Principal, error) {
			return &svc.Principal{Scopes: scopes}, nil
		}, &anything)(service.REST())
	}
	cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"*", "https://app.example"}})(service.REST())
	mcp := service.MCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}})
	const ask = "Access-Control-Request-Headers"
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		name    string
		handler http.Handler
		header  []string // names and values
		status  int
		echoes  string // a header that the response has
	}{
		{"CORS", cors, []string{ask, long(1024)}, 204, "Access-Control-Allow-Headers"},
		{"CORS", cors, []string{ask, long(1025)}, 403, ""},
		{"CORS, in parts", cors, []string{ask, long(512), ask, long(512)}, 403, ""},
		{"CORS, many", cors, []string{ask, strings.Repeat("a,", 3400)}, 403, ""},
		{"CORS, a long origin", cors, []string{"Origin", "https://" + long(1100)}, 403, ""},
		{"CORS, no origin", cors, []string{"Origin", "x" + long(100)}, 403, ""},
		{"MCP", mcp, []string{ask, long(1024)}, 204, "Access-Control-Allow-Headers"},
		{"MCP", mcp, []string{ask, long(1025)}, 403, ""},
		{"MCP, in parts", mcp, []string{ask, long(512), ask, long(512)}, 403, ""},
		{"MCP, an origin", mcp, []string{"Origin", "https://" + long(200)}, 204, "Access-Control-Allow-Origin"},
		{"MCP, a long origin", mcp, []string{"Origin", "https://" + long(1100)}, 403, ""},
		{"MCP, no origin", mcp, []string{"Origin", "x" + long(100)}, 403, ""},
		{"MCP, a path", mcp, []string{"Origin", "https://app.example/" + long(100)}, 403, ""},
		{"scopes", scoped(long(1020)), []string{"Authorization", "Bearer x"}, 403, "Www-Authenticate"},
		{"scopes", scoped(long(900), "y"+long(900)), []string{"Authorization", "Bearer x"}, 403, "Www-Authenticate"},
		{"any path", service.REST(), []string{}, 404, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("OPTIONS", "/"+long(5000)+"?"+long(5000), nil)
			r.Header.Set("Origin", "https://app.example")
			r.Header.Set("Access-Control-Request-Method", "POST")
			for i := 0; i < len(test.header); i += 2 {
				if i == 0 {
					r.Header.Del(test.header[i])
				}
				r.Header.Add(test.header[i], test.header[i+1])
			}
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, r)
			if w.Code != test.status || test.echoes != "" && w.Header().Get(test.echoes) == "" {
				t.Errorf("%s: the status is %d, want %d with %q; the header %.300v", test.name, w.Code, test.status, test.echoes, w.Header())
			}
			if size := len(fmt.Sprint(w.Header())); size > 1024+600 {
				t.Errorf("%s: the header has %d bytes", test.name, size)
			}
		})
	}
}

// SafeAPI is of a program that has set Auth and forgotten its guard.
type SafeAPI interface {
	Open(ctx context.Context, in *SafeIn) (*VaultOut, error)
}

// SafeIn notes that somebody has read it.
type SafeIn struct {
	Key safeKey `json:"key"`
}

type safeKey struct{}

var safeKeysRead atomic.Int64

func (*safeKey) UnmarshalText([]byte) error { safeKeysRead.Add(1); return nil }

func (safeKey) MarshalText() ([]byte, error) { return []byte("k"), nil }

func (vaultOf) Open(ctx context.Context, _ *SafeIn) (*VaultOut, error) { return vault{}.out(ctx), nil }

type vaultOf struct{}

// Verify that a service with Auth calls nothing for a caller that nobody knows, on any
// transport, and reads nothing either; that the log says what is missing where nobody
// has looked for the caller; and that WithPrincipal is enough to be let in.
func TestForgottenGuard(t *testing.T) {
	var log bytes.Buffer
	options := &svc.Options{Resource: "safe", Defaults: svc.Defaults{Auth: "bearer"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	s := svc.MustRegister[SafeAPI](vaultOf{}, options)
	post := func(h http.Handler, path, body string) func(context.Context) string {
		return func(ctx context.Context) string {
			r := httptest.NewRequest("POST", path, strings.NewReader(body)).WithContext(ctx)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return fmt.Sprintln(w.Code, w.Body)
		}
	}
	var client struct {
		Open func(context.Context, *SafeIn) (*VaultOut, error)
	}
	if err := svc.Connect[SafeAPI](&client, "", &svc.ClientOptions{Service: options, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"safe.open","params":{"key":"k"}}`
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe_open","arguments":{"key":"k"}}}`
	for _, test := range []struct {
		name    string
		send    func(context.Context) string
		refusal string
	}{
		{"REST", post(s.REST(), "/safe/open", `{"key":"k"}`), `401 {"error":{"code":"UNAUTHENTICATED","message":"the caller is not known"}}`},
		{"JSON-RPC", post(s.RPC(), "/", call), `"message":"the caller is not known","data":{"code":"UNAUTHENTICATED"}`},
		{"a batch", post(s.RPC(), "/", "["+call+"]"), `"message":"the caller is not known","data":{"code":"UNAUTHENTICATED"}`},
		{"MCP", post(s.MCP(nil), "/", tool), `401 {"jsonrpc":"2.0","error":{"code":-32600,"message":"the caller is not known"},"id":1}`},
		{"stdio", func(ctx context.Context) string {
			var out bytes.Buffer
			s.MCPStdio(ctx, strings.NewReader(tool), &out, nil)
			return out.String()
		}, `{"code":-32600,"message":"the caller is not known"}`},
		{"Call", func(ctx context.Context) string {
			_, err := s.Call(ctx, "safe", "open", nil) // a wrong input, too: the caller is first
			return fmt.Sprint(err)
		}, "UNAUTHENTICATED: the caller is not known"},
		{"Connect", func(ctx context.Context) string {
			out, err := client.Open(ctx, new(SafeIn))
			return fmt.Sprint(out, err)
		}, "UNAUTHENTICATED: the caller is not known"},
	} {
		t.Run(test.name, func(t *testing.T) {
			const forgotten = "no middleware in front of this service sets a Principal; see WithPrincipal"
			log.Reset()
			safeKeysRead.Store(0)
			got := test.send(context.Background())
			if n := safeKeysRead.Load(); !strings.Contains(got, test.refusal) || n > 0 && test.name != "Connect" { // a client checks what it sends
				t.Errorf("%s: %s; the input was read %d times", test.name, got, n)
			}
			if test.name != "Call" && !strings.Contains(log.String(), forgotten) || strings.Contains(got, forgotten) != (test.name == "Call") {
				t.Errorf("%s: the answer %s and the log %s", test.name, got, log.String())
			}
			log.Reset()
			if got = test.send(svc.WithPrincipal(context.Background(), nil)); !strings.Contains(got, test.refusal) || strings.Contains(got+log.String(), forgotten) {
				t.Errorf("%s, by nobody: %s\n%s", test.name, got, log.String())
			}
			if got = test.send(svc.WithPrincipal(context.Background(), &svc.Principal{Subject: "ada"})); test.name != "Call" && !strings.Contains(got, "ada") {
				t.Errorf("%s, by ada: %s", test.name, got)
			}
		})
	}
}

// Verify that what an error of a server makes a client allocate is a small multiple of
// the body, whatever its details are, and that details of up to 64 KiB arrive.
func TestClientHostileErrors(t *testing.T) {
	var body string
	client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(409)
		io.WriteString(w, body)
	})})
	const before, after = `{"error":{"code":"ABORTED","message":"later","details":`, `}}`
	const size, most = 3 << 20, 16 << 20
	for _, details := range []string{
		`{"violations":[` + strings.Repeat(`{},`, size/3) + `{}]}`,
		`{"list":[` + strings.Repeat(`[],`, size/3) + `0]}`,
		`{"` + strings.Repeat(`x`, 64<<10) + `":1}`,
	} {
		body = before + details + after
		var m1, m2 runtime.MemStats
		runtime.ReadMemStats(&m1)
		_, err := client.One(context.Background())
		runtime.ReadMemStats(&m2)
		e := svc.ErrorFrom(err)
		if used := m2.TotalAlloc - m1.TotalAlloc; used > most || e.Code != svc.CodeAborted || e.Message != "later" || e.Details != nil {
			t.Errorf("details %.20s…: %d bytes for %d, code %s, message %.100s, %d details", details, used, len(body), e.Code, e.Message, len(e.Details))
		}
	}
	text := strings.Repeat("x", 64<<10-len(`{"text":""}`))
	body = before + `{"text":"` + text + `"}` + after
	_, err := client.One(context.Background())
	if got := svc.ErrorFrom(err).Details["text"]; got != text {
		t.Errorf("details of 64 KiB: %.100v", err)
	}
}

// Verify that a loop over a stream ends at the event done, although the server goes on.
func TestClientDone(t *testing.T) {
	ended := make(chan struct{})
	client := connectParts(t, "", svc.ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: done\ndata: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	})})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stream, err := client.Count(ctx, &Counting{To: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range stream {
		t.Error(err)
	}
	if ctx.Err() != nil {
		t.Error("the loop waited for the end of the body")
	}
	<-ended
	if ctx.Err() != nil {
		t.Error("the handler was not told that its client had left")
	}
}

// ConfirmAPI deletes what cannot be had back.
type ConfirmAPI interface {
	Delete(ctx context.Context, in *VaultOut) error
	Outer(ctx context.Context) error
	GetFile(ctx context.Context, in *mcpGet) (*mcpShown, error)
	Compose(ctx context.Context) (*mcpShown, error)
}

// A confirmer has the context of its last call.
type confirmer struct {
	service *svc.Service
	ctx     context.Context
	deleted int
}

func (c *confirmer) Delete(ctx context.Context, in *VaultOut) error {
	c.ctx = ctx
	if err := svc.Confirm(ctx, "sure", "Delete it?"); err != nil {
		return err
	}
	c.deleted++
	return nil
}

func (c *confirmer) Outer(ctx context.Context) error {
	_, err := c.service.Call(ctx, "c", "delete", &VaultOut{"x"})
	return err
}

func (c *confirmer) GetFile(ctx context.Context, _ *mcpGet) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "x"}}}, c.Outer(ctx)
}

func (c *confirmer) Compose(ctx context.Context) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "x"}}}, c.Delete(ctx, nil)
}

// Verify that Confirm lets nobody through but who says yes, and callers who have decided
// already, and that it fails closed in every other way.
func TestConfirm(t *testing.T) {
	impl := new(confirmer)
	impl.service = svc.MustRegister[ConfirmAPI](impl, &svc.Options{Name: "C", Resource: "c", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Delete": {HTTP: "POST /c/delete"}}})
	mcp := impl.service.MCP(&svc.MCPOptions{
		Resources: map[string]svc.MCPResourceOptions{"GetFile": {URI: "files://f/{id}", NotTool: true}},
		Prompts:   map[string]svc.MCPPromptOptions{"Compose": {}},
	})
	const forms, args = `{"elicitation":{}}`, `"name":"c_delete","arguments":{"by":"x"}`
	answer := func(action, content string) string {
		return args + `,"inputResponses":{"sure":{"action":"` + action + `","content":` + content + `}}`
	}
	const schema = `"inputRequests":{"sure":{"method":"elicitation/create","params":{"mode":"form","message":"Delete it?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]`
	const cannot = `FAILED_PRECONDITION: not confirmed, since this client cannot ask its user, who has to do it elsewhere: Delete it?`
	legacy := mcpLegacy("2025-03-26", "tools/call", args)
	head, body, _ := strings.Cut(legacy, "\n\n")
	for _, test := range []struct {
		name    string
		text    string
		want    string // in the answer
		deleted int
	}{
		{"asked", mcpAsk(forms, "tools/call", args), schema, 0},
		{"accepted with yes", mcpAsk(forms, "tools/call", answer("accept", `{"yes":true}`)), `"isError":false`, 1},
		{"accepted with no", mcpAsk(forms, "tools/call", answer("accept", `{"yes":false}`)), "FAILED_PRECONDITION: the user has not said yes: Delete it?", 0},
		{"declined", mcpAsk(forms, "tools/call", answer("decline", `{"yes":true}`)), "FAILED_PRECONDITION", 0},
		{"canceled", mcpAsk(forms, "tools/call", answer("cancel", `{}`)), "FAILED_PRECONDITION", 0},
		{"accepted without an answer", mcpAsk(forms, "tools/call", answer("accept", `{}`)), "INVALID_ARGUMENT", 0},
		{"accepted with null", mcpAsk(forms, "tools/call", answer("accept", `{"yes":null}`)), "INVALID_ARGUMENT", 0},
		{"accepted with a text", mcpAsk(forms, "tools/call", answer("accept", `{"yes":"true"}`)), "INVALID_ARGUMENT", 0},
		{"asked by an inner call", mcpAsk(forms, "tools/call", `"name":"c_outer"`), schema, 0},
		{"asked for a resource", mcpAsk(forms, "resources/read", `"uri":"files://f/1"`, "Mcp-Name: files://f/1"), schema, 0},
		{"asked for a prompt", mcpAsk(forms, "prompts/get", `"name":"c_compose"`), schema, 0},
		{"answered by a client that cannot ask", mcpAsk(`{}`, "tools/call", answer("accept", `{"yes":true}`)), cannot, 0},
		{"inner call of a client that cannot ask", mcpAsk(`{}`, "tools/call", `"name":"c_outer"`), cannot, 0},
		{"client that can only open URLs", mcpAsk(`{"elicitation":{"url":{}}}`, "tools/call", args), cannot, 0},
		{"client of an older revision", legacy, cannot, 0},
		{"batch of an older revision", head + "\n\n[" + body + "]", cannot, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			impl.deleted = 0
			got := mcpPost(mcp, test.text).Body.String()
			if impl.deleted != test.deleted || !strings.Contains(got, test.want) {
				t.Errorf("%s\ndeleted %d times, want %d: %s\nwant %s", test.text, impl.deleted, test.deleted, got, test.want)
			}
			if impl.ctx != nil && svc.Confirm(impl.ctx, "sure", "Late?") == nil {
				t.Errorf("%s: a call that has ended is confirmed", test.text)
			}
		})
	}
	// A caller without a user to ask has decided; one whose call has ended has not.
	r := httptest.NewRequest("POST", "/c/delete", strings.NewReader(`{"by":"x"}`))
	for name, call := range map[string]func(){
		"REST": func() { impl.service.REST().ServeHTTP(httptest.NewRecorder(), r) },
		"JSON-RPC": func() {
			rpcPost(impl.service.RPC(), `{"jsonrpc":"2.0","id":1,"method":"c.delete","params":{"by":"x"}}`)
		},
		"a batch": func() {
			rpcPost(impl.service.RPC(), `[{"jsonrpc":"2.0","id":1,"method":"c.delete","params":{"by":"x"}}]`)
		},
		"Call":   func() { impl.service.Call(context.Background(), "c", "delete", &VaultOut{"x"}) },
		"nested": func() { impl.service.Call(context.Background(), "c", "outer", nil) },
	} {
		impl.deleted = 0
		if call(); impl.deleted != 1 {
			t.Errorf("%s: deleted %d times", name, impl.deleted)
		}
		if svc.CodeOf(svc.Confirm(impl.ctx, "sure", "Late?")) != svc.CodeFailedPrecondition {
			t.Errorf("%s: a call that has ended is confirmed", name)
		}
	}
	if svc.CodeOf(svc.Confirm(context.Background(), "sure", "Who?")) != svc.CodeFailedPrecondition {
		t.Error("a context of no call is confirmed")
	}
}

// mcpManyAPI has what a client can make an MCP server compute.
type mcpManyAPI interface {
	GetFile(ctx context.Context, in *mcpManyIn) (*mcpShown, error)
	Ask(ctx context.Context) error
}

type mcpManyIn struct {
	ID    string   `json:"id"`
	Name  string   `json:"name,omitempty"`
	Shade mcpShade `json:"shade,omitempty"`
}

type mcpShade string

// Enum returns 250 values.
func (mcpShade) Enum() (all []mcpShade) {
	for i := range 250 {
		all = append(all, mcpShade(fmt.Sprint("shade ", i)))
	}
	return all
}

type mcpMany struct{ calls *int }

func (m mcpMany) GetFile(_ context.Context, in *mcpManyIn) (*mcpShown, error) {
	*m.calls++
	return &mcpShown{[]svc.MCPContent{{Text: in.Name}}}, nil
}

func (mcpMany) Ask(ctx context.Context) error { return svc.Confirm(ctx, "k", "?") }

// Verify that a large argument of a completion is read once, that a state costs nothing
// where no state can be ours, and that a parameter of a URI is checked as a name in it.
func TestMCPBills(t *testing.T) {
	calls := 0
	s := svc.MustRegister[mcpManyAPI](mcpMany{&calls}, &svc.Options{Resource: "m", Logger: slog.New(slog.DiscardHandler)})
	mcp := s.MCP(&svc.MCPOptions{Resources: map[string]svc.MCPResourceOptions{"GetFile": {URI: "files://f/{id}{?name,shade}"}}})
	large := strings.Repeat("x", 900<<10)
	for _, test := range []struct {
		name, text, want string
		most             uint64 // bytes
	}{
		{"long value to complete", mcpLegacy("", "completion/complete", `"ref":{"type":"ref/resource","uri":"files://f/{id}{?name,shade}"},"argument":{"name":"shade","value":"`+large+`"}`), `"values":[],"total":0`, 12 << 20},
		{"long state", mcpModern("tools/call", `"name":"m_ask","arguments":{},"requestState":"`+large+`"`), `-32602`, 8 << 20},
		{"many small values", mcpModern("tools/call", `"name":"m_ask","requestState":"x","arguments":{"a":[`+strings.Repeat("{},", 300<<10)+`0]}`), `-32602`, 24 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcpPost(mcp, test.text) // fills pools
			var m1, m2 runtime.MemStats
			runtime.ReadMemStats(&m1)
			got := mcpPost(mcp, test.text).Body.String()
			runtime.ReadMemStats(&m2)
			if used := m2.TotalAlloc - m1.TotalAlloc; used > test.most || !strings.Contains(got, test.want) {
				t.Errorf("%.300s…\n%d bytes, want at most %d; %.300s", test.text, used, test.most, got)
			}
		})
	}
	for _, name := range []string{"../../etc/passwd", "..%2f..%2fetc%2fpasswd", "a%00b", ".", `..\x`, "%2e%2e"} {
		got := mcpPost(mcp, mcpLegacy("", "resources/read", `"uri":"files://f/1?name=`+strings.ReplaceAll(name, `\`, `%5c`)+`"`)).Body.String()
		if calls > 0 || !strings.Contains(got, `"error"`) {
			t.Errorf("name=%s: %s", name, got)
		}
	}
	if got := mcpPost(mcp, mcpLegacy("", "resources/read", `"uri":"files://f/1?name=a.b..c"`)).Body.String(); calls != 1 {
		t.Errorf("a harmless name: %s", got)
	}
}

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
			t.Run(rowName(test.method, test.body), func(t *testing.T) {
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
		t.Run(rowName(test.path), func(t *testing.T) {
			r := httptest.NewRequest("POST", test.path, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if test.h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s %s: %s", test.path, test.body, w.Body)
			}
		})
	}
}

// GreetAPI answers in the language that a header or a cookie names.
type GreetAPI interface {
	Get(ctx context.Context, in *greetIn) (*greeting, error)
	List(ctx context.Context, in *greetIn) (svc.Stream[greeting], error)
	Search(ctx context.Context) (*greeting, error)
	Create(ctx context.Context, in *greetIn) (*greeting, error)
}

type (
	greetIn struct {
		ID    string `json:"id"`
		Lang  string `json:"-" header:"x-language,omitempty"`
		Theme string `json:"-" cookie:"theme,omitempty" enum:"light,dark"`
	}
	greeting struct {
		Text string   `json:"text"`
		ETag string   `json:"-" header:"ETag"`
		Vary []string `json:"-" header:"Vary"`
	}
	greeter struct{}
)

func (greeter) Get(_ context.Context, in *greetIn) (*greeting, error) {
	if in.ID == "none" {
		return nil, svc.Errorf(svc.CodeNotFound, "nobody")
	}
	return &greeting{"hello " + in.Lang, `"1"`, []string{"X-Own", "Cookie"}}, nil
}

func (greeter) List(context.Context, *greetIn) (svc.Stream[greeting], error) {
	return func(func(*greeting, error) bool) {}, nil
}

func (greeter) Search(context.Context) (*greeting, error) { return &greeting{ETag: `"1"`}, nil }

func (greeter) Create(_ context.Context, in *greetIn) (*greeting, error) {
	return &greeting{ETag: `"1"`}, nil
}

// Verify that Vary names the headers that the answer to a GET depends on, whatever the
// answer is, beside what an output and middleware say: otherwise a cache gives the
// answer in French to everybody.
func TestVary(t *testing.T) {
	s := svc.MustRegister[GreetAPI](greeter{}, &svc.Options{Resource: "g", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"List": {HTTP: "GET /g/{id}/list"}, "Search": {HTTP: "GET /g"},
	}})
	h := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}})(s.REST())
	for _, test := range []struct{ request, header, want string }{
		{"GET /g/1", "", "200 Origin, X-Language, Cookie, X-Own, Cookie"},
		{"HEAD /g/1", "", "200 Origin, X-Language, Cookie, X-Own, Cookie"},
		{"GET /g/1", `If-None-Match: "1"`, "304 Origin, X-Language, Cookie, X-Own, Cookie"},
		{"GET /g/none", "", "404 Origin, X-Language, Cookie"},
		{"GET /g/1", "Cookie: theme=blue", "400 Origin, X-Language, Cookie"},
		{"GET /g/1/list", "", "200 Origin, X-Language, Cookie"},
		{"GET /g", "", "200 Origin"},
		{"POST /g", "", "200 Origin"},
	} {
		t.Run(rowName(test.request, test.header), func(t *testing.T) {
			method, path, _ := strings.Cut(test.request, " ")
			r := httptest.NewRequest(method, path, strings.NewReader(`{"id":"1"}`))
			r.Header.Set("Content-Type", "application/json")
			if name, value, ok := strings.Cut(test.header, ": "); ok {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := fmt.Sprint(w.Code, " ", strings.Join(w.Header()["Vary"], ", ")); got != test.want {
				t.Errorf("%s %s: %s\nwant %s", test.request, test.header, got, test.want)
			}
		})
	}
}

// Verify that the memory for a body whose length is announced does not double past it,
// and that one is read right whose length is not, or is wrong.
func TestBodyMemory(t *testing.T) {
	s := svc.MustRegister[SafeAPI](vaultOf{}, &svc.Options{Resource: "safe", MaxBody: 4 << 20, Logger: slog.New(slog.DiscardHandler)})
	h := s.REST()
	body := `{"key":"k"` + strings.Repeat(" ", 1<<20) + `}`
	for _, test := range []struct {
		length int64
		most   uint64 // bytes
	}{{int64(len(body)), 2*1<<20 + 256<<10}, {-1, 5 << 20}} {
		t.Run(rowName(test.length), func(t *testing.T) {
			var m1, m2 runtime.MemStats
			runtime.ReadMemStats(&m1)
			r := httptest.NewRequest("POST", "/safe/open", strings.NewReader(body))
			r.ContentLength = test.length
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			runtime.ReadMemStats(&m2)
			if used := m2.TotalAlloc - m1.TotalAlloc; w.Code != 200 || used > test.most {
				t.Errorf("length %d: %d, %d bytes, want at most %d", test.length, w.Code, used, test.most)
			}
		})
	}
}

// Verify that the MaxBody of a method is that of its route alone: of other requests nobody
// knows the method before the body has been read.
func TestMethodMaxBody(t *testing.T) {
	mcp := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	for _, test := range []struct {
		service, method int64
		size            int
		want            [3]int // of REST, JSON-RPC and MCP
	}{
		{0, 0, 500, [3]int{200, 200, 200}},
		{1000, 4000, 2000, [3]int{200, 413, 413}},
		{4000, 1000, 2000, [3]int{413, 200, 200}},
		{1000, -1, 2000, [3]int{200, 413, 413}},
		{1000, 0, 2000, [3]int{413, 413, 413}},
	} {
		t.Run(rowName(test.service, test.method, test.size), func(t *testing.T) {
			s := svc.MustRegister[SafeAPI](vaultOf{}, &svc.Options{Resource: "safe", MaxBody: test.service, Logger: slog.New(slog.DiscardHandler),
				Methods: map[string]svc.MethodOptions{"Open": {MaxBody: test.method}}})
			space := strings.Repeat(" ", test.size)
			got := [3]int{
				answerTo(s.REST(), "POST", "/safe/open", `{"key":"k"}`+space, mcp...).StatusCode,
				answerTo(s.RPC(), "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"safe.open","params":{"key":"k"}}`+space, mcp...).StatusCode,
				answerTo(s.MCP(nil), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`+space, mcp...).StatusCode,
			}
			if got != test.want {
				t.Errorf("MaxBody %d, of the method %d, %d bytes: %v, want %v", test.service, test.method, test.size, got, test.want)
			}
		})
	}
}

type IdleAPI interface {
	List(ctx context.Context) error
}

type idle struct{}

func (idle) List(context.Context) error { return nil }

// Verify that a body which means nothing is read to its end and not kept.
func TestBodyForNothing(t *testing.T) {
	h := svc.MustRegister[IdleAPI](idle{}, &svc.Options{Resource: "idle", MaxBody: -1}).REST()
	body := strings.NewReader(strings.Repeat("x", 4<<20))
	r := httptest.NewRequest("GET", "/idle", body)
	r.ContentLength = -1
	w := httptest.NewRecorder()
	var m1, m2 runtime.MemStats
	runtime.ReadMemStats(&m1)
	h.ServeHTTP(w, r)
	runtime.ReadMemStats(&m2)
	if used := m2.TotalAlloc - m1.TotalAlloc; w.Code != 204 || body.Len() > 0 || used > 1<<20 {
		t.Errorf("%d, %d bytes unread, %d bytes of memory", w.Code, body.Len(), used)
	}
}
