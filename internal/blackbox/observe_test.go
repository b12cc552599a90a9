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
	if !ok || info.Method != ob.Method || info.Transport != ob.Transport || ob.Took < 0 || ob.Took > time.Minute {
		o.bad = append(o.bad, fmt.Sprintf("%+v in a call of %+v", ob, info))
	}
	code := svc.Code("OK")
	if ob.Err != nil {
		code = svc.CodeOf(ob.Err)
	}
	o.seen = append(o.seen, strings.TrimSpace(fmt.Sprintf("%s %s.%s %s %s", ob.Transport, ob.Resource, ob.Method, code, ob.Route)))
}

// take returns what was seen, in the order of text, and forgets it.
func (o *observer) take() string {
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
	mux.Handle("/mcp", s.MCP(nil))
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
	ways := []struct{ input, get, watch string }{
		{`{"mode":"ok"}`, "OK", "OK"},
		{`{"mode":"none"}`, "NOT_FOUND", "NOT_FOUND"},
		{`{"mode":"plain"}`, "INTERNAL", "INTERNAL"},
		{`{"mode":"panic"}`, "INTERNAL", "INTERNAL"},
		{`{"mode":"abort"}`, "INTERNAL", "INTERNAL"},
		{`{"mode":"bad"}`, "INTERNAL", "INTERNAL"},
		{`{"mode":"late"}`, "OK", "UNAVAILABLE"},
		{`{"mode":"longer than ten"}`, "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
		{`{"mode":1}`, "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
		{`{}`, "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	}
	for _, method := range []string{"get", "watch"} {
		for _, way := range ways {
			code := way.get
			if method == "watch" {
				code = way.watch
			}
			rpc := `{"jsonrpc":"2.0","id":1,"method":"o.` + method + `","params":` + way.input + `}`
			mcp := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_` + method + `","arguments":` + way.input + `}}`
			for _, test := range []struct{ path, body, want string }{
				{"/v1/o/" + method, way.input, "rest o." + method + " " + code + " POST /v1/o/" + method},
				{"/rpc", rpc, "rpc o." + method + " " + code},
				{"/rpc", strings.Replace(rpc, `"id":1,`, "", 1), "rpc o." + method + " " + code},
				{"/rpc", "[" + rpc + "]", "rpc o." + method + " " + code},
				{"/mcp", mcp, "mcp o." + method + " " + code},
				{"/mcp", "[" + mcp + "]", "mcp o." + method + " " + code},
			} {
				observeSend(h, test.path, "application/json", test.body)
				want := test.want
				if notified := test.path == "/rpc" && !strings.Contains(test.body, `"id"`); notified && method == "get" && strings.Contains(way.input, "bad") {
					want = "rpc o.get OK" // nothing is encoded for a notification
				} else if notified && strings.Contains(way.input, "late") {
					want = "rpc o." + method + " OK" // and nothing of a stream is taken
				}
				if got := o.take(); got != want {
					t.Errorf("%s %s: observed %q, want %q", test.path, test.body, got, want)
				}
			}
		}
	}
	if _, err := s.Call(context.Background(), "o", "Get", &ObserveIn{"none"}); err == nil || o.take() != "call o.get NOT_FOUND" {
		t.Error("Call is not observed")
	}
	if _, err := s.Call(context.Background(), "o", "Get", &ObserveIn{"longer than ten"}); err == nil || o.take() != "call o.get INVALID_ARGUMENT" {
		t.Error("a Call with a wrong input is not observed")
	}
	for _, bad := range o.bad {
		t.Error(bad)
	}
}

// Refusals before the input, batches, and requests that reach no method.
func TestObserveRefusals(t *testing.T) {
	o := new(observer)
	_, h := newObserved(o.observe, slog.New(slog.DiscardHandler))
	const get = `{"jsonrpc":"2.0","id":1,"method":"o.get","params":{"mode":"ok"}}`
	large := strings.Replace(get, "ok", "large", 1)
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"o_get","arguments":{"mode":"ok"}}}`
	largeTool := strings.Replace(tool, `"ok"`, `"large"`, 1)
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
		{"MCP: a batch", "/mcp", "application/json", "[" + tool + "," + strings.Replace(tool, `"ok"`, `"none"`, 1) + "]", "mcp o.get NOT_FOUND\nmcp o.get OK"},
		{"MCP: a batch of large answers, of which the last is not run", "/mcp", "application/json", "[" + largeTool + "," + tool + "]", "mcp o.get RESOURCE_EXHAUSTED\nmcp o.get RESOURCE_EXHAUSTED"},
	} {
		observeSend(h, test.path, test.contentType, test.body)
		if got := o.take(); got != test.want {
			t.Errorf("%s: observed\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// Verify that a call is observed before its answer is sent, with its cause, and that
// a panic of Observe is logged and changes no answer.
func TestObserveBefore(t *testing.T) {
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
		log.Reset()
		answer := httptest.NewRecorder()
		w = answer
		r := httptest.NewRequest("POST", test.path, io.NopCloser(strings.NewReader(test.body)))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(answer, r)
		if got := answer.Body.String(); got != test.want {
			t.Errorf("%s: %s", test.path, got)
		}
		if !strings.Contains(log.String(), `error="Options.Observe: panic: observing panics"`) || !strings.Contains(log.String(), "call=o.get") {
			t.Errorf("%s: the log has no panic of Observe:\n%s", test.path, &log)
		}
	}
}
