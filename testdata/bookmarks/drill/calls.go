package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
)

// figures counts what the load sees.
type figures struct {
	mu       sync.Mutex
	requests map[string]int // by protocol
	errors   map[string]int // by kind, each of them answered by a retry
	wrong    []string       // what must not happen
	longest  time.Duration  // until a call with its retries succeeded
	next     *http.Transport
}

func (f *figures) count(protocol, kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests[protocol]++
	if kind != "" {
		f.errors[kind]++
	}
}

// fail reports an answer that is wrong.
func (f *figures) fail(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// A recorder is a RoundTripper that counts requests and looks at every answer that is
// not the method's: it must be 503, with Retry-After and the envelope. A stream that
// ends too early is seen by the one who reads it.
type recorder struct {
	protocol string
	*figures
}

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil && response.Header.Get("Content-Type") == "text/event-stream" {
		r.count(r.protocol, "")
		return response, nil
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	if err != nil {
		if request.Context().Err() == nil {
			r.count(r.protocol, "no answer, or half of one")
		}
		return nil, err
	}
	if response.StatusCode < 500 {
		r.count(r.protocol, "")
		return response, nil
	}
	var envelope struct {
		Error struct{ Code, Message string }
	}
	json.Unmarshal(body, &envelope)
	r.count(r.protocol, fmt.Sprint(response.StatusCode, " ", envelope.Error.Message))
	if response.StatusCode != 503 || envelope.Error.Code != "UNAVAILABLE" || response.Header.Get("Retry-After") == "" {
		r.fail("%s %s: %s %v %s", request.Method, request.URL.Path, response.Status, response.Header, body)
	}
	return response, nil
}

// newClient returns a client over one of the protocols. All of them have the same
// methods, and send again what may run twice.
func newClient(protocol, base, token string, f *figures) (*bookmarks.Client, error) {
	rest, err := bookmarks.Connect(base, token, recorder{"REST", f})
	if protocol == "REST" || err != nil {
		return rest, err
	}
	e := &endpoint{protocol: protocol, url: base + "/mcp", http: &http.Client{Transport: recorder{protocol, f}}, token: token, figures: f}
	if protocol == "JSON-RPC" {
		e.url = base + "/rpc"
	}
	return &bookmarks.Client{
		Create: func(ctx context.Context, in *bookmarks.NewBookmark) (*bookmarks.Bookmark, error) {
			return again(ctx, e, func() (*bookmarks.Bookmark, error) { return call[bookmarks.Bookmark](ctx, e, "create", in) })
		},
		Get: func(ctx context.Context, in *bookmarks.ID) (*bookmarks.Bookmark, error) {
			return again(ctx, e, func() (*bookmarks.Bookmark, error) { return call[bookmarks.Bookmark](ctx, e, "get", in) })
		},
		List: func(ctx context.Context, in *bookmarks.Filter) (*svc.CursorResponse[bookmarks.Bookmark], error) {
			return again(ctx, e, func() (*svc.CursorResponse[bookmarks.Bookmark], error) {
				return call[svc.CursorResponse[bookmarks.Bookmark]](ctx, e, "list", in)
			})
		},
		Patch: func(ctx context.Context, in *bookmarks.Change) (*bookmarks.Bookmark, error) {
			return call[bookmarks.Bookmark](ctx, e, "patch", in)
		},
		Watch: rest.Watch,
	}, nil
}

// An endpoint is that of JSON-RPC or MCP.
type endpoint struct {
	protocol, url, token string
	http                 *http.Client
	*figures
}

// again calls until the answer is another than UNAVAILABLE.
func again[T any](ctx context.Context, e *endpoint, call func() (*T, error)) (*T, error) {
	for {
		out, err := call()
		if code := svc.CodeOf(err); code != svc.CodeUnavailable && code != svc.CodeAborted || !sleep(ctx, 300*time.Millisecond) {
			return out, err
		}
	}
}

const modern = "MCP 2026-07-28"

// call sends one message and reads the output or the error in its answer.
func call[T any](ctx context.Context, e *endpoint, method string, in any) (*T, error) {
	message := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "bookmarks." + method, "params": in}
	if e.protocol != "JSON-RPC" {
		message["method"], message["params"] = "tools/call", map[string]any{"name": "bookmarks_" + method, "arguments": withKey(ctx, in)}
	}
	result, err := e.send(ctx, message, "bookmarks_"+method)
	if err != nil {
		return nil, err
	}
	if e.protocol != "JSON-RPC" {
		var tool struct {
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
			IsError           bool
		}
		if err := json.Unmarshal(result, &tool); err != nil || len(tool.Content) != 1 {
			return nil, fmt.Errorf("no result of a tool: %s", result)
		}
		if tool.IsError {
			code, text, _ := strings.Cut(tool.Content[0].Text, ": ")
			return nil, e.refused(code, text)
		}
		result = tool.StructuredContent
	}
	out := new(T)
	return out, json.Unmarshal(result, out)
}

// A keyOfCall is the key in a context of the idempotency key of the next write. Without
// one, a client of svc makes one, and the others send none.
type keyOfCall struct{}

// keyed returns a context with a key, for clients of all protocols.
func keyed(ctx context.Context, key string) context.Context {
	return context.WithValue(svc.WithIdempotencyKey(ctx, key), keyOfCall{}, key)
}

// withKey returns the arguments of a tool, with the key of ctx if there is one.
func withKey(ctx context.Context, in any) any {
	key, ok := ctx.Value(keyOfCall{}).(string)
	if !ok {
		return in
	}
	arguments, text := make(map[string]any), new(bytes.Buffer)
	json.NewEncoder(text).Encode(in) // no error: it is an input
	json.NewDecoder(text).Decode(&arguments)
	arguments["idempotency_key"] = key
	return arguments
}

// refused returns the error of a method, and counts it if that is to be sent again.
func (e *endpoint) refused(code, text string) error {
	text, _, _ = strings.Cut(text, "\n") // models also see the details
	if code == "UNAVAILABLE" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.errors["call: "+text]++
	}
	return svc.Errorf(svc.Code(code), "%s", text)
}

// send posts a message in the form of the endpoint's protocol, and returns its result.
func (e *endpoint) send(ctx context.Context, message map[string]any, name string) (json.RawMessage, error) {
	header := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + e.token}}
	if e.protocol != "JSON-RPC" {
		header.Set("Accept", "application/json, text/event-stream")
		header.Set("MCP-Protocol-Version", strings.TrimPrefix(e.protocol, "MCP "))
	}
	if e.protocol == modern {
		header.Set("Mcp-Method", message["method"].(string))
		if name != "" {
			header.Set("Mcp-Name", name)
		}
		message["params"].(map[string]any)["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": struct{}{},
			"io.modelcontextprotocol/clientInfo": map[string]string{"name": "drill", "version": "1"},
		}
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", e.url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if key, ok := ctx.Value(keyOfCall{}).(string); ok && e.protocol == "JSON-RPC" {
		header.Set("Idempotency-Key", key)
	}
	request.Header = header
	response, err := e.http.Do(request)
	if err != nil {
		return nil, svc.Errorf(svc.CodeUnavailable, "no answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == 503 { // counted by recorder, or cut
		return nil, svc.Errorf(svc.CodeUnavailable, "no whole answer: %w", err)
	}
	var answer struct {
		ID     int
		Result json.RawMessage
		Error  *struct {
			Message string
			Data    struct{ Code string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || response.StatusCode != 200 || message["id"] != nil && answer.ID != 1 {
		return nil, fmt.Errorf("%s: %s", response.Status, body)
	}
	if answer.Error != nil {
		return nil, e.refused(answer.Error.Data.Code, answer.Error.Message)
	}
	return answer.Result, nil
}
