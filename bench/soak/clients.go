package main

// This file has the clients that write, and know what must be there.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
)

// A call is a method, its input, and what came back.
type call struct {
	method string // put, get or delete
	item   Item
	got    Item
	code   string // of the error; "" for success
}

// A transport makes calls, one or several at a time. It returns an error if it is
// not known which of them were made.
type transport struct {
	name  string
	most  int // the calls at a time
	calls func(r *run, calls []*call) error
}

var transports = []transport{
	{"rest", 1, overREST},
	{"rpc", 1, overRPC},
	{"batch", 40, overBatch},
	{"mcp", 1, overMCP},
}

// post sends a request and returns the answer, of which none may have a status of
// 500 or more.
func (r *run) post(ctx context.Context, method, path, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	w, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if w.StatusCode >= 500 && path != "/items/fail" {
		r.complain("%s %s: %d %.300s", method, path, w.StatusCode, text)
	}
	r.count("status " + w.Status[:1] + "xx")
	return text, err
}

func overREST(r *run, calls []*call) error {
	c := calls[0]
	verb, body := map[string]string{"put": "PUT", "get": "GET", "delete": "DELETE"}[c.method], ""
	if verb == "PUT" {
		body = `{"value":"` + c.item.Value + `"}`
	}
	text, err := r.post(context.Background(), verb, "/items/"+c.item.Key, body)
	if err != nil {
		return err
	}
	var answer struct {
		Item
		Error struct{ Code string }
	}
	if len(text) > 0 {
		err = json.Unmarshal(text, &answer)
	}
	c.got, c.code = answer.Item, answer.Error.Code
	return err
}

// An rpcAnswer is an answer over JSON-RPC, and over MCP.
type rpcAnswer struct {
	ID     int
	Result struct {
		Item                   // JSON-RPC
		StructuredContent Item // MCP
		IsError           bool
		Content           []struct{ Text string }
	}
	Error *struct {
		Code int
		Data struct{ Code string }
	}
}

func rpcRequest(method string, params any, id int) string {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params, "id": id})
	return string(text)
}

func (c *call) input() any {
	if c.method == "put" {
		return c.item
	}
	return map[string]string{"key": c.item.Key}
}

func (c *call) take(a *rpcAnswer) {
	if c.got = a.Result.Item; a.Error != nil {
		c.code = a.Error.Data.Code
	}
}

func overRPC(r *run, calls []*call) error {
	text, err := r.post(context.Background(), "POST", "/rpc", rpcRequest("items."+calls[0].method, calls[0].input(), 1))
	var a rpcAnswer
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	calls[0].take(&a)
	return err
}

func overBatch(r *run, calls []*call) error {
	requests := make([]string, len(calls))
	for i, c := range calls {
		requests[i] = rpcRequest("items."+c.method, c.input(), i)
	}
	text, err := r.post(context.Background(), "POST", "/rpc", "["+strings.Join(requests, ",")+"]")
	var answers []rpcAnswer
	if err == nil {
		err = json.Unmarshal(text, &answers)
	}
	if err == nil && len(answers) != len(calls) {
		r.complain("%d answers to %d calls: %.300s", len(answers), len(calls), text)
		return io.ErrUnexpectedEOF
	}
	for i := range answers {
		if answers[i].ID != i {
			r.complain("answer %d has the id %d", i, answers[i].ID)
		}
		calls[i].take(&answers[i])
	}
	return err
}

func overMCP(r *run, calls []*call) error {
	params := map[string]any{"name": "items_" + calls[0].method, "arguments": calls[0].input()}
	text, err := r.post(context.Background(), "POST", "/mcp", rpcRequest("tools/call", params, 1))
	var a rpcAnswer
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	calls[0].got = a.Result.StructuredContent
	if a.Error != nil {
		calls[0].code = fmt.Sprint("JSON-RPC ", a.Error.Code)
	}
	if a.Result.IsError && len(a.Result.Content) > 0 {
		calls[0].code, _, _ = strings.Cut(a.Result.Content[0].Text, ":")
	}
	return err
}

// A writer is a client with keys of its own, of which it knows the values.
type writer struct {
	*run
	transport
	id     string
	random *rand.Rand
	known  map[string]string // the values; a key that is not here is not in the store
	unsure map[string]bool   // keys of calls without an answer, which are never used again
}

const keysOfWriter = 60

// step makes some calls and compares their answers with what is known.
func (w *writer) step() {
	var calls []*call
	used := make(map[string]bool)
	for range 1 + w.random.IntN(w.most) {
		key := fmt.Sprintf("%s-%d", w.id, w.random.IntN(keysOfWriter))
		for w.unsure[key] {
			key += "x"
		}
		if used[key] {
			continue
		}
		used[key] = true
		method := []string{"put", "put", "get", "get", "delete"}[w.random.IntN(5)]
		calls = append(calls, &call{method: method, item: Item{key, fmt.Sprintf("%s=%d", key, w.random.Int64())}})
	}
	err := w.calls(w.run, calls)
	if err != nil && !w.stopping.Load() {
		w.complain("%s: %v", w.id, err)
	}
	for _, c := range calls {
		w.compare(c, err)
	}
	w.count(w.name)
}

func (w *writer) compare(c *call, err error) {
	key := c.item.Key
	value, there := w.known[key]
	switch {
	case err != nil:
		delete(w.known, key)
		w.unsure[key] = true
	case c.method == "put" && c.code == "" && c.got == c.item:
		w.known[key] = c.item.Value
		w.count("acknowledged writes")
	case c.method == "delete" && c.code == "":
		delete(w.known, key)
		w.count("acknowledged writes")
	case c.method == "get" && there && c.code == "" && c.got == Item{key, value}:
	case c.method == "get" && !there && c.code == "NOT_FOUND":
	default:
		w.complain("%s: %s %s gave %q and %+v, want %q (%t)", w.id, c.method, key, c.code, c.got, value, there)
	}
}

// checkItems compares what the server kept with what its clients know.
func checkItems(r *run, writers []*writer, dump []byte) (kept, unsure int) {
	var items map[string]string
	if err := json.NewDecoder(bytes.NewReader(dump)).Decode(&items); err != nil {
		r.complain("the items: %v: %.300s", err, dump)
		return 0, 0
	}
	for _, w := range writers {
		for key, value := range w.known {
			if got, ok := items[key]; got != value {
				r.complain("lost: %s is %q (%t), want %q", key, got, ok, value)
			}
			delete(items, key)
			kept++
		}
		for key := range w.unsure {
			delete(items, key)
			unsure++
		}
	}
	for key := range items {
		if !strings.HasPrefix(key, "reset-") {
			r.complain("%s is there, and must not be", key)
		}
	}
	return kept, unsure
}
