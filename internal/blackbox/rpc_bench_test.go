package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

// This file measures JSON-RPC next to the handler that a careful author writes
// for the same calls: see bench_test.go, and run
//
//	go run -C testdata/bench . -bench '^BenchmarkRPC$'

func rpcBenchSides() []benchSide {
	return benchSides(newHandwrittenRPC, (*svc.Service).RPC)
}

const rpcBenchCreate = `{"jsonrpc":"2.0","method":"todos.create","params":{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3},"id":%d}`

func rpcWorkloads() []workload {
	calls := make([]string, 20)
	for i := range calls {
		calls[i] = fmt.Sprintf(rpcBenchCreate, i)
	}
	batch := "[" + strings.Join(calls, ",") + "]"
	return []workload{
		{"single", "POST", "/rpc", fmt.Sprintf(rpcBenchCreate, 1), 200},
		{"batch", "POST", "/rpc", batch, 200},
	}
}

func BenchmarkRPC(b *testing.B) { benchmarkSides(b, rpcBenchSides(), rpcWorkloads()) }

// Verify that the benchmark compares like with like, also where things go wrong.
func TestRPCBenchmarkSides(t *testing.T) {
	post := func(name, body string) workload { return workload{name, "POST", "/rpc", body, 200} }
	loads := append(rpcWorkloads(),
		post("invalid", strings.Replace(fmt.Sprintf(rpcBenchCreate, 1), ":3}", ":9}", 1)),
		post("unknown", `{"jsonrpc":"2.0","method":"todos.burn","id":1}`),
		post("no request", `[{},1]`),
		post("empty batch", `[]`),
		post("no JSON", `{`),
		workload{"notification", "POST", "/rpc", `{"jsonrpc":"2.0","method":"todos.create","params":{"title":"a","priority":1}}`, 204},
	)
	compareSides(t, rpcBenchSides(), loads, rpcOutcome)
}

// rpcOutcome returns what body says, without the texts of errors.
func rpcOutcome(t *testing.T, body []byte) any {
	t.Helper()
	type response struct {
		Version string `json:"jsonrpc"`
		ID      any
		Result  any
		Error   *struct {
			Code int
			Data struct {
				Code    string
				Details struct{ Violations []struct{ In, Path string } }
			}
		}
	}
	var list []response
	if body[0] != '[' {
		body = fmt.Appendf(nil, "[%s]", body)
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for i := range list {
		if e := list[i].Error; e != nil && e.Code != -32602 {
			e.Data.Details.Violations = nil // what to say of the envelope is each side's choice
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// handwrittenRPC is BenchAPI over JSON-RPC by hand. Like [handwritten] it does
// what a careful author does and no more: calls are decoded in two steps, looked
// up in a map, checked in full; a batch is answered in turn.
type handwrittenRPC struct {
	methods map[string]func(context.Context, json.RawMessage) (any, *rpcError)
}

type rpcCall struct {
	Version string          `json:"jsonrpc"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

type rpcReply struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
	ID      json.RawMessage `json:"id"`
}

type rpcError struct {
	Code    int           `json:"code"`
	Message string        `json:"message"`
	Data    *rpcErrorData `json:"data,omitempty"`
}

type rpcErrorData struct {
	Code    string         `json:"code"`
	Details *rpcViolations `json:"details,omitempty"`
}

type rpcViolations struct {
	Violations []violation `json:"violations"`
}

var rpcNullID = json.RawMessage("null")

func newHandwrittenRPC(api BenchAPI) http.Handler {
	h := &handwrittenRPC{make(map[string]func(context.Context, json.RawMessage) (any, *rpcError))}
	h.methods["todos.create"] = func(ctx context.Context, params json.RawMessage) (any, *rpcError) {
		var in BenchCreate
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, invalidParams(nil)
		}
		v := violations{in: "body"}
		v.length("/title", in.Title, 1, 100)
		v.length("/description", in.Description, 0, 1000)
		v.between("/tags", "items", len(in.Tags), 0, 8)
		v.between("/priority", "value", in.Priority, 1, 5)
		if len(v.list) > 0 {
			return nil, invalidParams(v.list)
		}
		out, err := api.Create(ctx, &in)
		if err != nil {
			return nil, &rpcError{Code: -32603, Message: "internal error", Data: &rpcErrorData{Code: "INTERNAL"}}
		}
		return out, nil
	}
	return h
}

func invalidParams(list []violation) *rpcError {
	return &rpcError{Code: -32602, Message: "the input is invalid", Data: &rpcErrorData{Code: "INVALID_ARGUMENT", Details: &rpcViolations{list}}}
}

func (h *handwrittenRPC) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "use POST", http.StatusMethodNotAllowed)
		return
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		http.Error(w, "the body must be application/json", http.StatusUnsupportedMediaType)
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
	if body = bytes.TrimLeft(body, " \t\r\n"); len(body) > 0 && body[0] == '[' {
		h.serveBatch(w, r, body)
		return
	}
	if reply := h.answer(r.Context(), body); reply != nil {
		writeJSON(w, http.StatusOK, reply)
	} else {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (h *handwrittenRPC) serveBatch(w http.ResponseWriter, r *http.Request, body []byte) {
	var calls []json.RawMessage
	if err := json.Unmarshal(body, &calls); err != nil {
		writeJSON(w, http.StatusOK, failedCall(-32700, "INVALID_ARGUMENT", "Parse error"))
		return
	}
	if len(calls) == 0 || len(calls) > 1000 {
		writeJSON(w, http.StatusOK, failedCall(-32600, "INVALID_ARGUMENT", "Invalid Request"))
		return
	}
	replies := make([]*rpcReply, 0, len(calls))
	for _, call := range calls {
		if reply := h.answer(r.Context(), call); reply != nil {
			replies = append(replies, reply)
		}
	}
	if len(replies) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writeJSON(w, http.StatusOK, replies)
}

// answer returns the reply to one call, or nil if it wants none.
func (h *handwrittenRPC) answer(ctx context.Context, text json.RawMessage) *rpcReply {
	var call rpcCall
	err := json.Unmarshal(text, &call)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		return failedCall(-32700, "INVALID_ARGUMENT", "Parse error")
	}
	if err != nil || call.Version != "2.0" || call.Method == nil {
		return failedCall(-32600, "INVALID_ARGUMENT", "Invalid Request")
	}
	reply := &rpcReply{Version: "2.0", ID: call.ID}
	if method, ok := h.methods[*call.Method]; !ok {
		reply.Error = &rpcError{Code: -32601, Message: "Method not found", Data: &rpcErrorData{Code: "UNIMPLEMENTED"}}
	} else {
		reply.Result, reply.Error = method(ctx, call.Params)
	}
	if call.ID == nil {
		return nil
	}
	return reply
}

func failedCall(number int, code, message string) *rpcReply {
	return &rpcReply{Version: "2.0", Error: &rpcError{Code: number, Message: message, Data: &rpcErrorData{Code: code}}, ID: rpcNullID}
}
