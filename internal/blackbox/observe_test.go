package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
)

// ObserveAPI has a method of each kind. The mode says how a call ends.
type ObserveAPI interface {
	Get(ctx context.Context, in *ObserveIn) (*ObserveOut, error)
	Watch(ctx context.Context, in *ObserveIn) (svc.Stream[ObserveOut], error)
	Poke(ctx context.Context) error
}

type ObserveIn struct {
	Mode string `json:"mode" maxLength:"10"`
}

type ObserveOut struct {
	Value observeValue `json:"value"`
}

// An observeValue cannot be encoded if it is "bad".
type observeValue string

func (v observeValue) MarshalText() ([]byte, error) {
	if v == "bad" {
		return nil, errors.New("it is bad")
	}
	return []byte(v), nil
}

func (v *observeValue) UnmarshalText(text []byte) error { *v = observeValue(text); return nil }

type observed struct{}

func (observed) Poke(context.Context) error { return nil }

func (observed) Get(_ context.Context, in *ObserveIn) (*ObserveOut, error) {
	switch in.Mode {
	case "none":
		return nil, svc.Errorf(svc.CodeNotFound, "there is none")
	case "plain":
		return nil, errors.New("the disk is full")
	case "panic":
		panic("oops")
	case "abort":
		panic(http.ErrAbortHandler)
	case "bad":
		return &ObserveOut{"bad"}, nil
	case "large":
		return &ObserveOut{observeValue(strings.Repeat("x", 9<<20))}, nil
	}
	return &ObserveOut{"ok"}, nil
}

func (o observed) Watch(ctx context.Context, in *ObserveIn) (svc.Stream[ObserveOut], error) {
	if in.Mode != "late" {
		if out, err := o.Get(ctx, in); err != nil || out.Value == "bad" {
			return nil, err
		}
	}
	return func(yield func(*ObserveOut, error) bool) {
		if yield(&ObserveOut{"one"}, nil) && in.Mode == "late" {
			yield(nil, svc.Errorf(svc.CodeUnavailable, "too late"))
		}
	}, nil
}

// An observer keeps what Options.Observe was told.
type observer struct {
	mu   sync.Mutex
	seen []string
	bad  []string
}

func (o *observer) observe(ctx context.Context, ob svc.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	info, ok := svc.InfoFrom(ctx)
	if !ok || info.Method != ob.Method || info.Transport != ob.Transport || ob.Duration < 0 || ob.Duration > time.Minute {
		o.bad = append(o.bad, fmt.Sprintf("%+v in a call of %+v", ob, info))
	}
	code := svc.Code("OK")
	if ob.Err != nil {
		code = svc.CodeOf(ob.Err)
	}
	o.seen = append(o.seen, strings.TrimSpace(fmt.Sprintf("%s %s.%s %s %s", ob.Transport, ob.Resource, ob.Method, code, ob.Route)))
}

// flush returns what was seen, in the order of text, and forgets it.
func (o *observer) flush() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.Sort(o.seen)
	text := strings.Join(o.seen, "\n")
	o.seen = nil
	return text
}

// newObserved returns a handler of all transports at /o/…, /rpc and /mcp.
func newObserved(observe func(context.Context, svc.Observation), logger *slog.Logger) (*svc.Service, http.Handler) {
	s := svc.MustRegister[ObserveAPI](observed{}, &svc.Options{
		Resource: "o", Observe: observe, Logger: logger, MaxBody: 4096,
		Methods: map[string]svc.MethodOptions{"Get": {HTTP: "POST /o/get"}, "Watch": {HTTP: "POST /o/watch"}},
	}).At("/v1")
	mux := http.NewServeMux()
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(&svc.MCPOptions{MaxResult: 1 << 30}))
	mux.Handle("/", s.REST())
	return s, mux
}

// observeSend posts a body and survives http.ErrAbortHandler.
func observeSend(h http.Handler, path, contentType, body string) {
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			panic(v)
		}
	}()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	h.ServeHTTP(httptest.NewRecorder(), r)
}

// Verify that every call, and every refusal on a known method, is observed exactly
// once, on every transport and for each way to end.
func TestObserve(t *testing.T) {
	o := new(observer)
	s, h := newObserved(o.observe, slog.New(slog.DiscardHandler))
	ways := []struct{ name, input, get, watch string }{
		{"ok", `{"mode":"ok"}`, "OK", "OK"},
		{"not found", `{"mode":"none"}`, "NOT_FOUND", "NOT_FOUND"},
		{"plain error", `{"mode":"plain"}`, "INTERNAL", "INTERNAL"},
		{"panic", `{"mode":"panic"}`, "INTERNAL", "INTERNAL"},
		{"abort", `{"mode":"abort"}`, "INTERNAL", "INTERNAL"},
		{"an output that cannot be encoded", `{"mode":"bad"}`, "INTERNAL", "INTERNAL"},
		{"an error behind the first item", `{"mode":"late"}`, "OK", "UNAVAILABLE"},
		{"a mode that is too long", `{"mode":"longer than ten"}`, "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
		{"a mode of another type", `{"mode":1}`, "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
		{"no mode", `{}`, "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	}
	for _, method := range []string{"get", "watch"} {
		t.Run(method, func(t *testing.T) {
			for _, way := range ways {
				t.Run(way.name, func(t *testing.T) {
					code := way.get
					if method == "watch" {
						code = way.watch
					}
					rpc := `{"jsonrpc":"2.0","id":1,"method":"o.` + method + `","params":` + way.input + `}`
					mcp := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_` + method + `","arguments":` + way.input + `}}`
					for _, test := range []struct{ name, path, body, want string }{
						{"REST", "/v1/o/" + method, way.input, "rest o." + method + " " + code + " POST /v1/o/" + method},
						{"JSON-RPC", "/rpc", rpc, "rpc o." + method + " " + code},
						{"a notification", "/rpc", strings.Replace(rpc, `"id":1,`, "", 1), "rpc o." + method + " " + code},
						{"a batch of JSON-RPC", "/rpc", "[" + rpc + "]", "rpc o." + method + " " + code},
						{"MCP", "/mcp", mcp, "mcp o." + method + " " + code},
					} {
						t.Run(test.name, func(t *testing.T) {
							observeSend(h, test.path, "application/json", test.body)
							want := test.want
							if notified := test.path == "/rpc" && !strings.Contains(test.body, `"id"`); notified && method == "get" && strings.Contains(way.input, "bad") {
								want = "rpc o.get OK" // nothing is encoded for a notification
							} else if notified && strings.Contains(way.input, "late") {
								want = "rpc o." + method + " OK" // and nothing of a stream is taken
							}
							if got := o.flush(); got != want {
								t.Errorf("%s %s: observed %q, want %q", test.path, test.body, got, want)
							}
						})
					}
				})
			}
		})
	}
	if _, err := s.Call(context.Background(), "o", "Get", &ObserveIn{"none"}); err == nil || o.flush() != "call o.get NOT_FOUND" {
		t.Error("Call is not observed")
	}
	if _, err := s.Call(context.Background(), "o", "Get", &ObserveIn{"longer than ten"}); err == nil || o.flush() != "call o.get INVALID_ARGUMENT" {
		t.Error("a Call with a wrong input is not observed")
	}
	for _, bad := range o.bad {
		t.Error(bad)
	}
}

// Verify that refusals before the input and each call of a batch are observed, and that
// requests that reach no method are not.
func TestObserveRefusalsAndBatches(t *testing.T) {
	o := new(observer)
	_, h := newObserved(o.observe, slog.New(slog.DiscardHandler))
	const get = `{"jsonrpc":"2.0","id":1,"method":"o.get","params":{"mode":"ok"}}`
	large := strings.Replace(get, "ok", "large", 1)
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_get","arguments":{"mode":"ok"}}}`
	for _, test := range []struct{ name, path, contentType, body, want string }{
		{"415", "/v1/o/get", "text/plain", `{}`, "rest o.get INVALID_ARGUMENT POST /v1/o/get"},
		{"413", "/v1/o/get", "application/json", strings.Repeat(" ", 5000), "rest o.get RESOURCE_EXHAUSTED POST /v1/o/get"},
		{"413, no input", "/v1/o/poke", "application/json", strings.Repeat(" ", 5000), "rest o.poke RESOURCE_EXHAUSTED POST /v1/o/poke"},
		{"no output", "/v1/o/poke", "application/json", "", "rest o.poke OK POST /v1/o/poke"},
		{"404", "/nowhere", "application/json", "{}", ""},
		{"RPC: 415", "/rpc", "text/plain", get, ""},
		{"RPC: no such method", "/rpc", "application/json", strings.Replace(get, "o.get", "o.got", 1), ""},
		{"RPC: not a request", "/rpc", "application/json", `{"id":1}`, ""},
		{"RPC: a batch", "/rpc", "application/json", "[" + get + "," + strings.Replace(get, "ok", "none", 1) + ",1," + get + "]", "rpc o.get NOT_FOUND\nrpc o.get OK\nrpc o.get OK"},
		{"RPC: a batch of large answers", "/rpc", "application/json", "[" + large + "," + large + "]", "rpc o.get OK\nrpc o.get RESOURCE_EXHAUSTED"},
		{"MCP: no such tool", "/mcp", "application/json", strings.Replace(tool, "o_get", "o_got", 1), ""},
		{"MCP: tools/list", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			observeSend(h, test.path, test.contentType, test.body)
			if got := o.flush(); got != test.want {
				t.Errorf("observed\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Verify that a call is observed before its answer is sent, with its cause, and that
// a panic of Observe is logged and changes no answer.
func TestObserveBeforeTheAnswer(t *testing.T) {
	var log strings.Builder
	var w *httptest.ResponseRecorder
	_, h := newObserved(func(_ context.Context, o svc.Observation) {
		if w.Body.Len() > 0 || w.Result().StatusCode != 200 {
			t.Errorf("%s: observed after the answer", o.Transport)
		}
		w = &httptest.ResponseRecorder{}
		if o.Err == nil || o.Err.Error() != "the disk is full" {
			t.Errorf("%s: %v", o.Transport, o.Err)
		}
		panic("observing panics")
	}, slog.New(slog.NewTextHandler(&log, nil)))
	for _, test := range []struct{ path, body, want string }{
		{"/v1/o/get", `{"mode":"plain"}`, `{"error":{"code":"INTERNAL","message":"internal error"}}`},
		{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"o.get","params":{"mode":"plain"}}`, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error","data":{"code":"INTERNAL"}},"id":1}`},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_get","arguments":{"mode":"plain"}}}`, `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"INTERNAL: internal error"}],"isError":true},"id":1}`},
	} {
		t.Run(test.path, func(t *testing.T) {
			log.Reset()
			answer := httptest.NewRecorder()
			w = answer
			r := httptest.NewRequest("POST", test.path, io.NopCloser(strings.NewReader(test.body)))
			r.Header.Set("Content-Type", "application/json")
			h.ServeHTTP(answer, r)
			if got := answer.Body.String(); got != test.want {
				t.Errorf("%s", got)
			}
			if !strings.Contains(log.String(), `error="Options.Observe: panic: observing panics"`) || !strings.Contains(log.String(), "call=o.get") {
				t.Errorf("the log has no panic of Observe:\n%s", &log)
			}
		})
	}
}

// Verify that calls by other methods of MCP than tools/call are observed, and each
// round of a call that asks, over HTTP and over standard input alike.
func TestObserveOtherMethodsOfMCP(t *testing.T) {
	o := new(observer)
	options := askingOptions()
	options.Observe = o.observe
	s := svc.MustRegister[mcpAsking](mcpAsker{}, options)
	opts := &svc.MCPOptions{}
	h := s.MCP(opts)
	compose := func(arguments string) string {
		return mcpAsk(mcpForms, "prompts/get", `"name":"ask_compose","arguments":{`+arguments+`}`)
	}
	read := func(more string, head ...string) string {
		return mcpAsk(mcpForms, "resources/read", `"uri":"files://f/1"`+more, append(head, "Mcp-Name: files://f/1")...)
	}
	const archive = `"name":"ask_archive"`
	for _, test := range []struct{ name, text, want string }{
		{"a round that asks", mcpAsk(mcpForms, "tools/call", archive), "mcp ask.archive OK"},
		{"the round with the answer", mcpAsk(mcpForms, "tools/call", archive+`,"inputResponses":{"sure":{"action":"accept","content":{"sure":true}}}`), "mcp ask.archive OK"},
		{"the round with a refusal", mcpAsk(mcpForms, "tools/call", archive+`,"inputResponses":{"sure":{"action":"decline"}}`), "mcp ask.archive FAILED_PRECONDITION"},
		{"a caller who cannot be asked", mcpModern("tools/call", archive), "mcp ask.archive FAILED_PRECONDITION"},
		{"a wrong question", mcpAsk(mcpForms, "tools/call", `"name":"ask_wrong"`), "mcp ask.wrong INTERNAL"},
		{"resources/read, a round that asks", read(""), "mcp ask.get_file OK"},
		{"resources/read", read(`,"inputResponses":{"n":{"action":"accept","content":{"name":"me"}}}`, "-Mcp-Name"), "mcp ask.get_file OK"},
		{"resources/read, a caller who cannot be asked", mcpModern("resources/read", `"uri":"files://f/1"`, "Mcp-Name: files://f/1"), "mcp ask.get_file FAILED_PRECONDITION"},
		{"resources/read of no resource", mcpModern("resources/read", `"uri":"files://g"`, "Mcp-Name: files://g"), ""},
		{"prompts/get", compose(`"style":"funny"`), "mcp ask.compose OK"},
		{"prompts/get, an error", compose(`"style":"funny","words":"13"`), "mcp ask.compose NOT_FOUND"},
		{"prompts/get, a panic", compose(`"style":"funny","words":"14"`), "mcp ask.compose INTERNAL"},
		{"prompts/get, a wrong argument", compose(`"style":"funny","words":"x"`), "mcp ask.compose INVALID_ARGUMENT"},
		{"prompts/get without an argument", compose(""), "mcp ask.compose INVALID_ARGUMENT"},
		{"prompts/get of no prompt", mcpModern("prompts/get", `"name":"ask_nothing"`), ""},
		{"completion/complete", mcpModern("completion/complete", `"ref":{"type":"ref/prompt","name":"ask_compose"},"argument":{"name":"style","value":"f"}`), ""},
		{"resources/templates/list", mcpModern("resources/templates/list", ""), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcpPost(h, test.text)
			if got := o.flush(); got != test.want {
				t.Errorf("HTTP: observed %q, want %q", got, test.want)
			}
			_, line, _ := strings.Cut(test.text, "\n\n")
			if err := s.MCPStdio(context.Background(), strings.NewReader(line+"\n"), io.Discard, opts); err != nil {
				t.Fatal(err)
			}
			if got := o.flush(); got != test.want {
				t.Errorf("standard input: observed %q, want %q", got, test.want)
			}
		})
	}
	for _, bad := range o.bad {
		t.Error(bad)
	}
}

// Verify that HEAD and what conditions and headers make of a call are observed as
// the one call that they are.
func TestObserveHEADAndConditions(t *testing.T) {
	o := new(observer)
	h := svc.MustRegister[HeadAPI](headImpl{}, &svc.Options{
		Resource: "heads", Observe: o.observe, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Create": {Status: 201, HTTP: "POST /heads/{id}"}, "Watch": {HTTP: "GET /heads/watch"}},
	}).REST()
	for _, test := range []struct {
		name             string
		verb, path, none string
		status           int
		want             string
	}{
		{"GET", "GET", "/heads/5", "", 200, "rest heads.get OK GET /heads/{id}"},
		{"HEAD", "HEAD", "/heads/5", "", 200, "rest heads.get OK GET /heads/{id}"},
		{"GET that is not modified", "GET", "/heads/5", `"v1"`, 304, "rest heads.get OK GET /heads/{id}"},
		{"HEAD that is not modified", "HEAD", "/heads/5", `"v1"`, 304, "rest heads.get OK GET /heads/{id}"},
		{"HEAD of an error", "HEAD", "/heads/fails", "", 404, "rest heads.get NOT_FOUND GET /heads/{id}"},
		{"a tag that is none", "GET", "/heads/etag?value=v1", "", 500, "rest heads.get INTERNAL GET /heads/{id}"}, // no entity-tag
		{"a header that is none", "GET", "/heads/value?value=%00", "", 500, "rest heads.get INTERNAL GET /heads/{id}"},
		{"a wrong input", "GET", "/heads/5?value=%ff", "", 400, "rest heads.get INVALID_ARGUMENT GET /heads/{id}"},
		{"HEAD of a stream", "HEAD", "/heads/watch", "", 200, "rest heads.watch OK GET /heads/watch"},
		{"another verb", "PUT", "/heads/5", "", 405, ""},
		{"no route", "HEAD", "/nowhere", "", 404, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var header []string
			if test.none != "" {
				header = []string{"If-None-Match", test.none}
			}
			a := answerTo(h, test.verb, test.path, "", header...)
			if got := o.flush(); got != test.want || a.StatusCode != test.status {
				t.Errorf("%s %s: %d, observed %q, want %d and %q", test.verb, test.path, a.StatusCode, got, test.status, test.want)
			}
		})
	}
}

// Verify that an observed error stays as it is after the call, with its Details, also
// where the next call is refused too.
func TestObservedErrorsStay(t *testing.T) {
	var kept []error
	keep := func(_ context.Context, o svc.Observation) { kept = append(kept, o.Err) }
	_, mux := newObserved(keep, slog.New(slog.DiscardHandler))
	const rpc, mcp = `{"jsonrpc":"2.0","id":1,"method":"o.get","params":{"mode":%s}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_get","arguments":{"mode":%s}}}`
	for _, test := range []struct{ name, path, body string }{
		{"REST", "/v1/o/get", `{"mode":%s}`},
		{"JSON-RPC", "/rpc", rpc},
		{"a batch of JSON-RPC", "/rpc", "[" + rpc + "]"},
		{"MCP", "/mcp", mcp},
	} {
		t.Run(test.name, func(t *testing.T) {
			kept = nil
			for _, mode := range []string{`"too long a mode"`, "1", `"too long a mode"`, "2"} {
				observeSend(mux, test.path, "application/json", fmt.Sprintf(test.body, mode))
			}
			for i, rule := range []string{"maxLength", "type", "maxLength", "type"} {
				var e *svc.Error
				if i >= len(kept) || !errors.As(kept[i], &e) {
					t.Fatalf("%s: observed %v", test.path, kept)
				}
				if list, _ := e.Details["violations"].([]svc.Violation); len(list) != 1 || list[0].Rule != rule || len(e.Violations()) != 1 {
					t.Errorf("%s, call %d: %v with the details %v, want the rule %s", test.path, i, e, e.Details, rule)
				}
			}
		})
	}
}

// Verify that a caller without identity or scope is observed once on every transport.
func TestObserveMissingIdentity(t *testing.T) {
	o := new(observer)
	s := svc.MustRegister[ObserveAPI](observed{}, &svc.Options{
		Resource: "o", Observe: o.observe, Logger: slog.New(slog.DiscardHandler), Defaults: svc.Defaults{Auth: "bearer"},
		Methods: map[string]svc.MethodOptions{"Get": {HTTP: "POST /o/get", Scopes: []string{"read"}}, "Watch": {HTTP: "POST /o/watch", Scopes: []string{"read"}}},
	})
	mux := http.NewServeMux()
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("/", s.REST())
	const rpc, mcp = `{"jsonrpc":"2.0","id":1,"method":"o.get"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_get","arguments":{}}}`
	for _, caller := range []struct {
		principal *svc.Principal
		code      string
	}{
		{nil, "UNAUTHENTICATED"},
		{&svc.Principal{Subject: "ada", Scopes: []string{"write"}}, "PERMISSION_DENIED"},
	} {
		t.Run(caller.code, func(t *testing.T) {
			ctx := context.Background()
			if caller.principal != nil {
				ctx = svc.WithPrincipal(ctx, caller.principal)
			}
			for _, test := range []struct{ name, path, body, want string }{
				{"REST", "/o/get", "{}", "rest o.get " + caller.code + " POST /o/get"},
				{"REST of a stream", "/o/watch", "{}", "rest o.watch " + caller.code + " POST /o/watch"},
				{"JSON-RPC", "/rpc", rpc, "rpc o.get " + caller.code},
				{"a batch of JSON-RPC", "/rpc", "[" + rpc + "," + rpc + "]", "rpc o.get " + caller.code + "\nrpc o.get " + caller.code},
				{"MCP", "/mcp", mcp, "mcp o.get " + caller.code},
			} {
				t.Run(test.name, func(t *testing.T) {
					r := httptest.NewRequestWithContext(ctx, "POST", test.path, strings.NewReader(test.body))
					r.Header.Set("Content-Type", "application/json")
					mux.ServeHTTP(httptest.NewRecorder(), r)
					if got := o.flush(); got != test.want {
						t.Errorf("%s %s: observed %q, want %q", test.path, test.body, got, test.want)
					}
				})
			}
			if err := s.MCPStdio(ctx, strings.NewReader(mcp+"\n"), io.Discard, nil); err != nil || o.flush() != "mcp o.get "+caller.code {
				t.Errorf("standard input: not observed, or %v", err)
			}
			if _, err := s.Call(ctx, "o", "get", &ObserveIn{}); err == nil || o.flush() != "call o.get "+caller.code {
				t.Errorf("Call: not observed, or %v", err)
			}
		})
	}
}

// Verify that a body that comes too slowly, too short or not as announced is observed
// once, on the route of a method with an input and of one without.
func TestObserveBrokenBodies(t *testing.T) {
	t.Parallel()
	o := new(observer)
	serve := func(timeout time.Duration) (addr string) {
		opts := wireOptions()
		opts.BodyTimeout = timeout
		opts.Observe = o.observe
		s, _ := newWire(t, opts)
		mux := http.NewServeMux()
		mux.Handle("/rpc", s.RPC())
		mux.Handle("/mcp", s.MCP(nil))
		mux.Handle("/", s.REST())
		return wireServer(t, mux, false).Listener.Addr().String()
	}
	hasty, patient := serve(50*time.Millisecond), serve(wirePatience)
	for _, test := range []struct {
		name, line, rest string
		end              bool // the client sends no more, and says so
		status           int
		want             string
	}{
		{"slow", "POST /items", withLength(9, `{"`), false, 408, "rest items.create DEADLINE_EXCEEDED POST /items"},
		{"slow, chunked", "POST /items", chunked(chunks(`{"title":"a`, 3)), false, 408, "rest items.create DEADLINE_EXCEEDED POST /items"},
		{"slow, without an input", "POST /items/ping", withLength(9, `{"`), false, 408, "rest items.ping DEADLINE_EXCEEDED POST /items/ping"},
		{"slow, GET", "GET /items/1", withLength(9, `{"`), false, 408, "rest items.get DEADLINE_EXCEEDED GET /items/{id}"},
		{"short", "POST /items", withLength(9, `{"`), true, 400, "rest items.create INVALID_ARGUMENT POST /items"},
		{"no chunks", "POST /items", chunked("zz\r\n"), true, 400, "rest items.create INVALID_ARGUMENT POST /items"},
		{"slow, JSON-RPC", "POST /rpc", withLength(9, `{"`), false, 408, ""},
		{"slow, MCP", "POST /mcp", withLength(9, `{"`), false, 408, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := hasty
			if test.end {
				addr = patient // as a busy client may be slow to end
			}
			conn := wireDial(t, addr)
			conn.send(wireHead(test.line) + test.rest)
			if test.end {
				conn.end()
			}
			a := conn.answer(t)
			if got := o.flush(); got != test.want || a.status != test.status {
				t.Errorf("%d, observed %q, want %d and %q", a.status, got, test.status, test.want)
			}
		})
	}
}

// A LastingAPI has a method that goes on with its context in a goroutine after it has
// returned, as for a message that must not delay the answer.
type LastingAPI interface {
	Do(ctx context.Context) error
}

type lasting struct{ running *sync.WaitGroup }

func (l lasting) Do(ctx context.Context) error {
	l.running.Add(1)
	go func() {
		defer l.running.Done()
		for range 200 {
			svc.InfoFrom(ctx)
			svc.PrincipalFrom(context.WithoutCancel(ctx))
			_ = ctx.Err()
		}
	}()
	return nil
}

// Verify, by the race detector, that no transport writes what the context of a method reads
// after its call.
func TestContextAfterCall(t *testing.T) {
	const rpc, tool = `{"jsonrpc":"2.0","id":1,"method":"late.do"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"late_do","_meta":{"traceparent":"00-1"}}}`
	l := lasting{new(sync.WaitGroup)}
	s := svc.MustRegister[LastingAPI](l, &svc.Options{Resource: "late"})
	rest, jsonRPC, mcp := s.REST(), s.RPC(), s.MCP(nil)
	for name, call := range map[string]func() string{
		"REST":     func() string { return answerTo(rest, "POST", "/late/do", "").Status },
		"JSON-RPC": func() string { return postRPC(jsonRPC, rpc) },
		"a batch":  func() string { return postRPC(jsonRPC, "["+rpc+","+rpc+"]") },
		"MCP":      func() string { return postRPC(mcp, tool) },
		"stdio": func() string {
			var out strings.Builder
			if err := s.MCPStdio(t.Context(), strings.NewReader(strings.Repeat(tool+"\n", 3)), &out, nil); err != nil {
				return "error: " + err.Error()
			}
			return out.String()
		},
		"Call": func() string { _, err := s.Call(t.Context(), "late", "do", nil); return fmt.Sprint(err) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				if answer := call(); strings.Contains(answer, "error:") || strings.Contains(answer, `"error"`) {
					t.Fatalf("%s", answer)
				}
			}
		})
	}
	l.running.Wait()
}

// A nilErrorAPI returns an error that is a nil *svc.Error.
type nilErrorAPI interface {
	Ping(ctx context.Context) error
}

type nilErrorService struct{}

func (nilErrorService) Ping(context.Context) error { return (*svc.Error)(nil) }

// Verify that an error that is a nil *svc.Error is INTERNAL where calls are observed too.
func TestObserveNilError(t *testing.T) {
	seen := 0
	s := svc.MustRegister[nilErrorAPI](nilErrorService{}, &svc.Options{Logger: slog.New(slog.DiscardHandler), Observe: func(context.Context, svc.Observation) { seen++ }})
	w := httptest.NewRecorder()
	route := s.Routes()[0]
	s.REST().ServeHTTP(w, httptest.NewRequest(route.Method, route.Path, nil))
	if w.Code != 500 || seen != 1 {
		t.Errorf("got %d, observed %d times", w.Code, seen)
	}
}

type limitedAPI interface {
	Create(ctx context.Context, in *limitedIn) error
}

type limitedIn struct {
	Text string `json:"text" minLength:"1"`
}

type limitedImpl struct{}

func (limitedImpl) Create(context.Context, *limitedIn) error { return nil }

// Verify that Observe may report progress for a call whose method has not run.
func TestObserveReportsProgressOfARefusedCall(t *testing.T) {
	var log strings.Builder
	ended := 0
	s := svc.MustRegister[limitedAPI](limitedImpl{}, &svc.Options{Resource: "x", Logger: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(ctx context.Context, _ svc.Observation) {
		svc.Progress(ctx, 1, 2, "half")
		ended++
	}})
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x_create","arguments":{"text":""}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	s.MCP(nil).ServeHTTP(httptest.NewRecorder(), r)
	if ended != 1 || strings.Contains(log.String(), "panic") {
		t.Errorf("Observe ended %d times; log:\n%s", ended, &log)
	}
}
