package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"example.com/svc"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file holds the third dialect to the server: JSON Schema 2020-12, which
// descriptors have and JSON-RPC goes by, with every field in one object.

// A call is a method that takes an input.
type call struct {
	name          string
	schema        map[string]any
	input, output *jsonschema.Schema // output is nil if there is none
}

// loadCalls returns the calls of s.
func loadCalls(s *svc.Service) []*call {
	var calls []*call
	document := documentOf(s, "")
	for _, r := range s.Descriptor().Resources {
		for _, m := range r.Methods {
			if m.Input == nil || m.Stream != "" {
				continue
			}
			c := &call{name: r.Name + "." + m.Name}
			c.schema, c.input = compileType(m.Input)
			mayStream := dig(document, "paths", m.HTTP.Path, strings.ToLower(m.HTTP.Method), "responses", "200", "content", eventStream) != nil
			if m.Output != nil && !mayStream { // the descriptor has the value alone
				_, c.output = compileType(m.Output)
			}
			calls = append(calls, c)
		}
	}
	return calls
}

func compileType(t *svc.TypeInfo) (map[string]any, *jsonschema.Schema) {
	text, err := json.Marshal(t.Schema)
	if err != nil {
		panic(err)
	}
	schema := parse(string(text)).(map[string]any)
	c := newCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		panic(err)
	}
	return schema, c.MustCompile("schema.json")
}

// runCalls makes n calls of the methods of s in turn.
func runCalls(s *svc.Service, n int, seed uint64) *tally {
	t := &tally{}
	handler := withScope(s.RPC())
	calls := slices.DeleteFunc(loadCalls(s), func(c *call) bool { return !c.isServed(handler) })
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 99))}
	for i := range n {
		c := calls[i%len(calls)]
		g.document = c.schema
		g.wrongs = [...]float64{0, 0, 0.01, 0.04, 0.15}[g.IntN(5)]
		t.call(handler, c, g.value(c.schema, "", 0))
	}
	return t
}

// isServed reports whether JSON-RPC has the method: one with a Body is REST's alone.
func (c *call) isServed(h http.Handler) bool {
	r := httptest.NewRequest("POST", "/rpc", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, c.name)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return !strings.Contains(w.Body.String(), "-32601")
}

// call makes one call and compares what everyone says of it.
func (t *tally) call(h http.Handler, c *call, params string) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.name, params)
	r := httptest.NewRequest("POST", "/rpc", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer struct {
		Result json.RawMessage
		Error  *struct {
			Code int
			Data struct{ Details json.RawMessage }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.failures = append(t.failures, fmt.Sprintf("%s: %s gets %d %s", c.name, body, w.Code, w.Body))
		return
	}
	value := parse(params)
	if _, object := value.(map[string]any); !object {
		return // no params by name, which JSON-RPC has rules of its own for
	}
	t.bodies++
	err := c.input.Validate(value)
	accepted := answer.Error == nil || answer.Error.Code != -32602
	if accepted {
		t.accepted++
	}
	var rows []int
	ok := true
	switch {
	case (err == nil) == accepted:
		t.agree++
	case err != nil:
		rows, ok = explainError(finding{dialect: 1}, value, err)
	default:
		rows, ok = explainViolations(1, value, violationsOf([]byte(`{"details":`+string(answer.Error.Data.Details)+`}`)))
	}
	if !ok {
		t.failures = append(t.failures, fmt.Sprintf("%s: answer %s, validator %v, params %s", c.name, w.Body, err, params))
	}
	if answer.Error == nil && c.output != nil {
		t.answers++
		value := parse(string(answer.Result))
		if err := c.output.Validate(value); err != nil {
			more, ok := explainError(finding{dialect: 1, answer: true}, value, err)
			if rows = append(rows, more...); !ok {
				t.failures = append(t.failures, fmt.Sprintf("%s: the result %s is wrong: %v", c.name, answer.Result, err))
			}
		}
	}
	for _, row := range rows {
		t.differences[row]++
	}
	t.failures = t.failures[:min(len(t.failures), 100)]
}
