package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// exTraceImpl returns the trace context that the method sees.
type exTraceOut struct {
	Trace svc.Trace `json:"trace"`
	ETag  string    `json:"-" header:"ETag"`
}

type exTraceAPI interface {
	GetAll(ctx context.Context) (*exTraceOut, error)
	Fail(ctx context.Context) error
	Watch(ctx context.Context) (svc.Stream[exOnly], error)
}

type exTraceImpl struct{}

func (exTraceImpl) GetAll(ctx context.Context) (*exTraceOut, error) {
	info, _ := svc.InfoFrom(ctx)
	return &exTraceOut{info.Trace, `"1"`}, nil
}
func (exTraceImpl) Watch(context.Context) (svc.Stream[exOnly], error) {
	return func(yield func(*exOnly, error) bool) { yield(nil, errors.New("broken")) }, nil
}
func (exTraceImpl) Fail(context.Context) error { return svc.Errorf(svc.CodeNotFound, "no") }

// exTraced returns a service whose calls are observed in what it appends to seen.
func exTraced(seen *[]string) *svc.Service {
	return svc.MustRegister[exTraceAPI](exTraceImpl{}, &svc.Options{Resource: "x", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"GetAll": {HTTP: "GET /x"}},
		Observe: func(ctx context.Context, o svc.Observation) {
			info, _ := svc.InfoFrom(ctx)
			*seen = append(*seen, fmt.Sprintf("%s %d %q %s", o.Transport, o.Status, o.RPC, info.Trace.Parent))
		}})
}

// Verify the status, the name and the trace of calls that are observed.
func TestObservationHasStatusNameAndTrace(t *testing.T) {
	t.Parallel()
	var seen []string
	s := exTraced(&seen)
	mcp := func(method, name, meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"` + name + `","arguments":{},"_meta":{` + meta + `}}}`
	}
	long := strings.Repeat("x", 8<<10+1)
	for _, test := range []struct{ name, handler, method, target, header, body, want string }{
		{"REST", "rest", "GET", "/x", "Traceparent: a", "", `rest 200 "" a`},
		{"REST, 304", "rest", "GET", "/x", "If-None-Match: \"1\"", "", `rest 304 "" `},
		{"REST, two headers", "rest", "GET", "/x", "Traceparent: a\nTraceparent: b", "", `rest 200 "" `},
		{"REST, the longest header", "rest", "GET", "/x", "Traceparent: " + long[1:], "", `rest 200 "" ` + long[1:]},
		{"REST, a longer header", "rest", "GET", "/x", "Traceparent: " + long, "", `rest 200 "" `},
		{"REST, an error", "rest", "POST", "/x/fail", "", "", `rest 404 "" `},
		{"REST, a stream", "rest", "POST", "/x/watch", "", "", `rest 200 "" `},
		{"RPC", "rpc", "POST", "/", "Traceparent: a", `{"jsonrpc":"2.0","id":1,"method":"x.getAll"}`, `rpc 200 "x.get_all" a`},
		{"RPC, an error", "rpc", "POST", "/", "", `{"jsonrpc":"2.0","id":1,"method":"x.fail"}`, `rpc 200 "x.fail" `},
		{"RPC, a notification", "rpc", "POST", "/", "", `{"jsonrpc":"2.0","method":"x.fail"}`, `rpc 204 "x.fail" `},
		{"RPC, a batch", "rpc", "POST", "/", "", `[{"jsonrpc":"2.0","id":1,"method":"x.fail"}]`, `rpc 0 "x.fail" `},
		{"MCP, the header", "mcp", "POST", "/", "Traceparent: a", mcp("tools/call", "x_get_all", ""), `mcp 200 "tools/call" a`},
		{"MCP, the member", "mcp", "POST", "/", "Traceparent: a", mcp("tools/call", "x_get_all", `"traceparent":"b"`), `mcp 200 "tools/call" b`},
		{"MCP, a member that is no string", "mcp", "POST", "/", "Traceparent: a", mcp("tools/call", "x_get_all", `"traceparent":7`), `mcp 200 "tools/call" a`},
		{"MCP, an error", "mcp", "POST", "/", "Traceparent: a", mcp("tools/call", "x_fail", `"tracestate":"c"`), `mcp 200 "tools/call" a`},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen = nil
			r := httptest.NewRequest(test.method, test.target, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			for _, line := range strings.Split(test.header, "\n") {
				if name, value, ok := strings.Cut(line, ": "); ok {
					r.Header.Add(name, value)
				}
			}
			map[string]http.Handler{"rest": s.REST(), "rpc": s.RPC(), "mcp": s.MCP(nil)}[test.handler].ServeHTTP(httptest.NewRecorder(), r)
			if len(seen) != 1 || seen[0] != test.want {
				t.Errorf("%.60s %s %s: %.100q, want %q", test.header, test.handler, test.body, seen, test.want)
			}
		})
	}
	seen = nil
	if s.Call(context.Background(), "x", "fail", nil); len(seen) != 1 || seen[0] != `call 0 "" ` {
		t.Errorf("Call: %q", seen)
	}
}

// exTraceClient is exTraceAPI as a client has it.
type exTraceClient struct {
	GetAll func(context.Context) (*exTraceOut, error)
	Fail   func(context.Context) error
	Watch  func(context.Context) (svc.Stream[exOnly], error)
}

// Verify that a client sends the trace that its context has, as far as headers hold it.
func TestClientSendsTrace(t *testing.T) {
	t.Parallel()
	var seen []string
	s := exTraced(&seen)
	server := httptest.NewServer(s.REST())
	defer server.Close()
	var client exTraceClient
	err := svc.Connect[exTraceAPI](&client, server.URL, &svc.ClientOptions{Service: &svc.Options{Resource: "x", Methods: map[string]svc.MethodOptions{"GetAll": {HTTP: "GET /x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ sent, want svc.Trace }{
		{svc.Trace{}, svc.Trace{}},
		{svc.Trace{Parent: "a", State: "b=1", Baggage: "c=2"}, svc.Trace{Parent: "a", State: "b=1", Baggage: "c=2"}},
		{svc.Trace{Parent: "a\r\nX: y", State: " b", Baggage: strings.Repeat("x", 8<<10+1)}, svc.Trace{}},
	} {
		t.Run(rowName(test.sent), func(t *testing.T) {
			out, err := client.GetAll(svc.WithTrace(context.Background(), test.sent))
			if err != nil || out.Trace != test.want {
				t.Errorf("%.80v: %.80v, %v, want %v", test.sent, out, err, test.want)
			}
		})
	}
}
