package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
)

// figures counts the observations of the load.
type figures struct {
	mu       sync.Mutex
	requests map[string]int   // by protocol
	streams  int              // opened
	again    map[string]int   // answers after which a client sends a request again, by kind
	calls    int              // ended, with any outcome
	errors   int              // of calls while the database was up
	failed   map[svc.Code]int // calls that ended with an error, all of them while the database was down
	wrong    []string         // what must not happen
	longest  time.Duration    // of a call with all of its attempts
	database *downtime        // nil if it is never down
	next     http.RoundTripper
}

func newFigures(database *downtime) *figures {
	return &figures{requests: make(map[string]int), again: make(map[string]int), failed: make(map[svc.Code]int), database: database,
		next: &http.Transport{MaxIdleConnsPerHost: 100}}
}

func (f *figures) count(protocol, kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if protocol != "" {
		f.requests[protocol]++
	}
	if kind != "" {
		f.again[kind]++
	}
}

// fail reports an answer that is wrong.
func (f *figures) fail(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

// problems prints the first problems, and returns an error if there are any.
func (f *figures) problems() error {
	for _, text := range f.wrong[:min(10, len(f.wrong))] {
		log.Print("WRONG: ", text)
	}
	if len(f.wrong) > 0 {
		return fmt.Errorf("%d answers are wrong", len(f.wrong))
	}
	return nil
}

const modern = "MCP 2026-07-28"

var protocols = []string{"REST", "JSON-RPC", "MCP 2025-11-25", modern}

// newClient returns a client over one of the protocols.
func newClient(protocol, base, token string, withKeys bool, f *figures) (*bookmarks.Client, error) {
	return bookmarks.Connect(base, token, &translator{f, protocol, withKeys})
}

// A translator is a RoundTripper that sends the REST requests of a svc client over a different
// protocol, and translates the answers back. So all clients are the same, and all protocols must
// behave the same.
type translator struct {
	*figures
	protocol string
	withKeys bool // else it takes them away
}

func (t *translator) RoundTrip(r *http.Request) (*http.Response, error) {
	if !t.withKeys {
		r.Header.Del("Idempotency-Key") // of a clone
	}
	parts := strings.Split(r.URL.Path, "/") // "", "bookmarks" and an ID or an action
	if t.protocol == "REST" || len(parts) > 3 || len(parts) == 3 && strings.Trim(parts[2], "0123456789") != "" {
		return t.send(r)
	}
	method := map[string]string{"POST": "create", "GET": "list", "PATCH": "patch"}[r.Method]
	params := make(map[string]any)
	if r.Body != nil {
		json.NewDecoder(r.Body).Decode(&params) // no error: it is an input
	}
	for name, values := range r.URL.Query() {
		switch params[name] = values[0]; name {
		case "limit":
			params[name] = json.Number(values[0])
		case "tag":
			params[name] = values
		}
	}
	if len(parts) == 3 {
		params["id"] = json.Number(parts[2])
		method = strings.Replace(method, "list", "get", 1)
	}
	if etag := r.Header.Get("If-Match"); etag != "" {
		params["if_match"] = etag
	}
	result, err := t.call(r, method, params)
	w := httptest.NewRecorder()
	if refused := (*svc.Error)(nil); errors.As(err, &refused) {
		svc.WriteError(w, r, refused)
		return w.Result(), nil
	} else if err != nil { // no answer
		return nil, err
	}
	var b struct {
		ID   int64
		ETag string
	}
	json.Unmarshal(result, &b) // no error: it has been read as a part of the answer
	w.Header().Set("Content-Type", "application/json")
	if b.ETag != "" { // not a list
		w.Header().Set("ETag", b.ETag)
		w.Header().Set("Location", "/bookmarks/"+strconv.FormatInt(b.ID, 10))
	}
	w.Write(result)
	return w.Result(), nil
}

// call calls a method for r, and returns its result or its error. An error without a code means
// that there was no answer.
func (t *translator) call(r *http.Request, method string, params map[string]any) (json.RawMessage, error) {
	key := r.Header["Idempotency-Key"]
	if t.protocol == "JSON-RPC" {
		return t.post(r, "/rpc", "bookmarks."+method, params, http.Header{"Idempotency-Key": key})
	}
	if key != nil {
		params["idempotency_key"] = key[0]
	}
	result, err := t.post(r, "/mcp", "tools/call", map[string]any{"name": "bookmarks_" + method, "arguments": params}, http.Header{"Mcp-Name": {"bookmarks_" + method}})
	if err != nil {
		return nil, err
	}
	var tool struct {
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
		IsError           bool
	}
	if err := json.Unmarshal(result, &tool); err != nil || len(tool.Content) != 1 {
		return nil, svc.Errorf(svc.CodeInternal, "no result of a tool: %s", result)
	}
	if tool.IsError {
		code, text, _ := strings.Cut(tool.Content[0].Text, ": ")
		text, _, _ = strings.Cut(text, "\n") // models also see the details
		return nil, t.refused(code, text)
	}
	return tool.StructuredContent, nil
}

// refused returns the error of a method, and counts it if that is to be sent again.
func (t *translator) refused(code, text string) error {
	err := svc.Errorf(svc.Code(code), "%s", text)
	switch err.Code {
	case svc.CodeUnavailable, svc.CodeAborted:
		t.count("", "call: "+text)
		return err.WithHeader("Retry-After", "1")
	case svc.CodeFailedPrecondition:
		return err.WithStatus(http.StatusPreconditionFailed)
	}
	return err
}

// post sends one message for r, and returns its result.
func (t *translator) post(r *http.Request, path, method string, params map[string]any, header http.Header) (json.RawMessage, error) {
	header.Set("Content-Type", "application/json")
	header.Set("Authorization", r.Header.Get("Authorization"))
	header.Set("Accept", "application/json, text/event-stream")
	if path == "/mcp" {
		header.Set("MCP-Protocol-Version", strings.TrimPrefix(t.protocol, "MCP "))
	}
	if t.protocol == modern {
		header.Set("Mcp-Method", method)
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": struct{}{},
			"io.modelcontextprotocol/clientInfo": map[string]string{"name": "drill", "version": "1"},
		}
	}
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) // no error: JSON can carry it
	request, err := http.NewRequestWithContext(r.Context(), "POST", r.URL.ResolveReference(&url.URL{Path: path}).String(), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header = header
	response, err := t.send(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body) // in memory already
	var answer struct {
		ID     int
		Result json.RawMessage
		Error  *struct {
			Message string
			Data    struct{ Code string }
		}
	}
	switch wrong := json.Unmarshal(body, &answer); {
	case response.StatusCode == http.StatusServiceUnavailable: // of nginx or of the guard
		return nil, svc.Errorf(svc.CodeUnavailable, "%s", response.Status).WithHeader("Retry-After", response.Header.Get("Retry-After"))
	case wrong != nil || response.StatusCode != http.StatusOK || answer.ID != 1:
		return nil, svc.Errorf(svc.CodeInternal, "%s: %s", response.Status, body)
	case answer.Error != nil:
		return nil, t.refused(answer.Error.Data.Code, answer.Error.Message)
	}
	return answer.Result, err
}

// send sends a request, and counts it and looks at an answer that is not the method's: it
// must be 503, with Retry-After and the envelope. A stream that is cut is for the client.
func (t *translator) send(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err == nil && response.Header.Get("Content-Type") == "text/event-stream" {
		t.count(t.protocol, "")
		t.mu.Lock()
		t.streams++
		t.mu.Unlock()
		return response, nil
	}
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	if err != nil {
		if r.Context().Err() == nil {
			t.count(t.protocol, "no answer, or half of one")
		}
		return nil, err
	}
	kind := ""
	if response.StatusCode >= 500 || response.Header.Get("Retry-After") != "" {
		var envelope struct {
			Error struct{ Code, Message string }
		}
		json.Unmarshal(body, &envelope)
		kind = fmt.Sprint(response.StatusCode, " ", envelope.Error.Message)
		if busy := response.StatusCode == 409 && envelope.Error.Code == "ABORTED"; !busy && (response.StatusCode != 503 || envelope.Error.Code != "UNAVAILABLE") || response.Header.Get("Retry-After") == "" {
			t.fail("%s %s: %s %v %s", r.Method, r.URL.Path, response.Status, response.Header, body)
		}
	}
	t.count(t.protocol, kind)
	return response, nil
}

// handshake does what MCP clients do when they connect. Any replica can answer it, and calls that
// ask no questions do not depend on it. It is not retried.
func (t *translator) handshake(ctx context.Context, base, token string) error {
	first := map[string]string{"MCP 2025-11-25": "initialize", modern: "server/discover"}[t.protocol]
	if first == "" {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, "POST", base, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for _, method := range []string{first, "tools/list"} {
		params := make(map[string]any)
		if method == "initialize" {
			params = map[string]any{"protocolVersion": "2025-11-25", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "drill", "version": "1"}}
		}
		result, err := t.post(r, "/mcp", method, params, http.Header{})
		if code := svc.CodeOf(err); code != svc.CodeUnavailable && code != svc.CodeUnknown && len(result) < 50 {
			return fmt.Errorf("%s: %s %w", method, result, err)
		}
	}
	return nil
}
