package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// This file measures tools/call next to the handler that a careful author writes
// for one tool: see bench_test.go, and run
//
//	go run -C testdata/bench . -bench '^BenchmarkMCP$'
//
// testdata/mcp has the same call on the official SDK and on mcp-go.

func mcpBenchSides() []benchSide {
	impl := newBenchService()
	reflected := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler)}
	direct := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(BenchAPI.Create)},
	}}
	return []benchSide{
		{"handwritten", newHandwrittenMCP(impl)},
		{"reflect", svc.MustRegister[BenchAPI](impl, reflected).MCP(nil)},
		{"direct", svc.MustRegister[BenchAPI](impl, direct).MCP(nil)},
	}
}

var mcpBenchCall = workload{"call", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_create","arguments":{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3}}}`, 200}

// newMCPReplay sends a workload as the clients of 2025-06-18 do.
func newMCPReplay(load workload) *replay {
	r := newReplay(load)
	r.fresh.Header.Set("Accept", "application/json, text/event-stream")
	r.fresh.Header.Set("MCP-Protocol-Version", "2025-06-18")
	return r
}

func BenchmarkMCP(b *testing.B) {
	b.Run(mcpBenchCall.name, func(b *testing.B) {
		for _, side := range mcpBenchSides() {
			b.Run(side.name, func(b *testing.B) {
				r := newMCPReplay(mcpBenchCall)
				b.ReportAllocs()
				for b.Loop() {
					r.serve(side.handler)
				}
				if r.w.status != mcpBenchCall.status {
					b.Fatalf("status %d: %s", r.w.status, r.w.body)
				}
			})
		}
	})
}

// Verify that every side gives every workload the same answer.
func TestMCPBenchmarkSides(t *testing.T) {
	for _, load := range []workload{
		mcpBenchCall,
		{"invalid", "POST", "/mcp", strings.Replace(mcpBenchCall.body, `:3}`, `:9}`, 1), 200},
		{"unknown tool", "POST", "/mcp", strings.Replace(mcpBenchCall.body, `todos_create`, `todos_burn`, 1), 200},
		{"unknown method", "POST", "/mcp", `{"jsonrpc":"2.0","id":"a","method":"tools/burn"}`, 200},
		{"notification", "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202},
		{"ping", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200},
		{"no id", "POST", "/mcp", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400},
		{"no request", "POST", "/mcp", `{"jsonrpc":"2.0","id":1}`, 400},
		{"no JSON", "POST", "/mcp", `{`, 400},
	} {
		var want any
		for _, side := range mcpBenchSides() {
			r := newMCPReplay(load)
			r.serve(side.handler)
			if r.w.status != load.status {
				t.Errorf("%s/%s: status %d, want %d; body %s", load.name, side.name, r.w.status, load.status, r.w.body)
			}
			if load.status == http.StatusAccepted {
				continue
			}
			checkHeader(t, load.name+"/"+side.name, &r.w)
			got := mcpOutcome(t, r.w.body)
			if want == nil {
				want = got
			} else if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s answers %v, want %v as %s", load.name, side.name, got, want, "handwritten")
			}
		}
	}
}

// mcpOutcome returns what body says, without texts that are each side's choice.
func mcpOutcome(t *testing.T, body []byte) any {
	t.Helper()
	var reply struct {
		JSONRPC string
		ID      any
		Error   *struct{ Code int }
		Result  *struct {
			Content           []struct{ Type, Text string }
			StructuredContent any
			IsError           bool
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if reply.Result != nil && reply.Result.IsError {
		reply.Result.Content[0].Text = ""
	}
	text, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// handwrittenMCP is one tool over MCP by hand. Like [handwritten] it does what a
// careful author does and no more: the checks of HTTP that the protocol demands,
// a message decoded in steps, arguments checked in full, the result as structured
// content and as text.
type handwrittenMCP struct{ api BenchAPI }

func newHandwrittenMCP(api BenchAPI) http.Handler { return handwrittenMCP{api} }

type mcpCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

type mcpReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *mcpReplyError  `json:"error,omitempty"`
}

type mcpReplyError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type mcpToolResult struct {
	Content           []mcpTextBlock  `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError"`
}

type mcpTextBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (h handwrittenMCP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Hostname() != "localhost" {
			http.Error(w, "this origin is not allowed", http.StatusForbidden)
			return
		}
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "use POST", http.StatusMethodNotAllowed)
		return
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		http.Error(w, "the body must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	if accept := r.Header.Get("Accept"); !strings.Contains(accept, "application/json") && !strings.Contains(accept, "*/*") {
		http.Error(w, "accept application/json", http.StatusNotAcceptable)
		return
	}
	version := r.Header.Get("MCP-Protocol-Version")
	if version != "" && !slices.Contains([]string{"2025-11-25", "2025-06-18", "2025-03-26"}, version) {
		http.Error(w, "the protocol version is not supported", http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	}
	h.answer(w, r.Context(), body)
}

func (h handwrittenMCP) answer(w http.ResponseWriter, ctx context.Context, body []byte) {
	var call mcpCall
	err := json.Unmarshal(body, &call)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		failMCP(w, http.StatusBadRequest, nil, -32700, "Parse error")
		return
	}
	if err != nil || call.Version != "2.0" || call.Method == nil && call.Result == nil && call.Error == nil {
		failMCP(w, http.StatusBadRequest, call.ID, -32600, "Invalid Request")
		return
	}
	if call.ID == nil || call.Method == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var number int64
	if call.ID[0] != '"' && (json.Unmarshal(call.ID, &number) != nil || bytes.Equal(call.ID, []byte("null"))) {
		failMCP(w, http.StatusBadRequest, nil, -32600, "Invalid Request")
		return
	}
	switch *call.Method {
	case "ping":
		writeJSON(w, http.StatusOK, mcpReply{Version: "2.0", ID: call.ID, Result: struct{}{}})
	case "tools/call":
		h.call(w, ctx, call)
	default:
		failMCP(w, http.StatusOK, call.ID, -32601, "Method not found")
	}
}

func (h handwrittenMCP) call(w http.ResponseWriter, ctx context.Context, call mcpCall) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(call.Params, &params); err != nil || params.Name != "todos_create" {
		failMCP(w, http.StatusOK, call.ID, -32602, "unknown tool")
		return
	}
	var in BenchCreate
	v := violations{in: "body"}
	if err := json.Unmarshal(params.Arguments, &in); err != nil {
		v.add("", "type", err.Error())
	} else {
		v.length("/title", in.Title, 1, 100)
		v.length("/description", in.Description, 0, 1000)
		v.between("/tags", "items", len(in.Tags), 0, 8)
		v.between("/priority", "value", in.Priority, 1, 5)
	}
	if len(v.list) > 0 {
		lines := make([]string, len(v.list))
		for i, violation := range v.list {
			lines[i] = violation.Path + " " + violation.Message
		}
		writeJSON(w, http.StatusOK, mcpReply{Version: "2.0", ID: call.ID, Result: mcpToolResult{
			Content: []mcpTextBlock{{"text", strings.Join(lines, "\n")}}, IsError: true,
		}})
		return
	}
	out, err := h.api.Create(ctx, &in)
	var text []byte
	if err == nil {
		text, err = json.Marshal(out)
	}
	if err != nil {
		failMCP(w, http.StatusOK, call.ID, -32603, "internal error")
		return
	}
	writeJSON(w, http.StatusOK, mcpReply{Version: "2.0", ID: call.ID, Result: mcpToolResult{
		Content: []mcpTextBlock{{"text", string(text)}}, StructuredContent: text,
	}})
}

func failMCP(w http.ResponseWriter, status int, id json.RawMessage, number int, message string) {
	writeJSON(w, status, mcpReply{Version: "2.0", ID: id, Error: &mcpReplyError{number, message}})
}
