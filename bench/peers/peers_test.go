package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Verify that all contenders give every workload the same answer, twice. In what
// words an input is refused is the choice of each.
func TestContendersAnswerAlike(t *testing.T) {
	list := contenders()
	for _, load := range workloads() {
		var want any
		for _, c := range list {
			if !c.does(load) {
				continue
			}
			r, err := newReplay(c, load)
			if err != nil {
				t.Fatal(err)
			}
			r.serve()
			first := outcome(t, &r.w, load)
			r.serve()
			if got := outcome(t, &r.w, load); !reflect.DeepEqual(got, first) {
				t.Errorf("%s: %s answers %v, at first %v", load.name, c.name, got, first)
			}
			if want == nil {
				want = first
			} else if !reflect.DeepEqual(first, want) {
				t.Errorf("%s: %s answers %v\nwant %v as %s\nbody %s", load.name, c.name, first, want, list[0].name, r.w.body)
			}
		}
	}
}

// outcome returns what an answer says, apart from the envelope: the output, or
// "refused".
func outcome(t *testing.T, w *sink, load workload) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(w.body, &value); err != nil {
		t.Fatalf("%s: %v: %d %s", load.name, err, w.status, w.body)
	}
	switch {
	case strings.HasPrefix(load.name, "RPC"):
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, one := range list { // as in JSON-RPC 2.0, section 5
			m := one.(map[string]any)
			if m["jsonrpc"] != "2.0" || m["id"] == nil || m["result"] == nil {
				t.Errorf("%s: not an answer: %v", load.name, m)
			}
		}
		return list
	case strings.HasPrefix(load.name, "MCP"):
		m := value.(map[string]any)
		result, _ := m["result"].(map[string]any)
		failure, _ := m["error"].(map[string]any)
		if load.refused && (result["isError"] == true || failure["code"] == float64(-32602)) {
			return "refused"
		}
		return result["structuredContent"]
	case load.refused && w.status >= 400 && w.status < 500:
		return "refused"
	case load.refused, w.status != 200:
		t.Errorf("%s: status %d", load.name, w.status)
	}
	return value
}

// Verify that svc and the handwritten handler find the same violations at the
// same places, and that the leanest finds one of them.
func TestViolations(t *testing.T) {
	places := func(c contender, load workload) []string {
		r, err := newReplay(c, load)
		if err != nil {
			t.Fatal(err)
		}
		r.serve()
		var answer struct {
			Error struct {
				Code    string
				Details struct{ Violations []violation }
			}
		}
		if err := json.Unmarshal(r.w.body, &answer); err != nil {
			t.Fatal(err)
		}
		list := []string{answer.Error.Code}
		for _, v := range answer.Error.Details.Violations {
			list = append(list, v.In+v.Path)
		}
		slices.Sort(list)
		return list
	}
	list := contenders()
	for _, load := range []workload{
		{"", "POST", "/todos", notCreated, []string{"Content-Type", "application/json"}, true},
		{"", "GET", "/todos/1?lang=123456789&depth=x&expand=maybe", "", nil, true},
		{"", "GET", "/todos?limit=101", "", nil, true},
		{"", "POST", "/todos/import", strings.ReplaceAll(importBody(2), `"fill the can"`, `""`), []string{"Content-Type", "application/json"}, true},
	} {
		want := places(list[0], load)
		if len(want) < 2 {
			t.Errorf("%s %s: %s finds no violation", load.method, load.target, list[0].name)
		}
		for _, c := range list {
			switch strings.TrimSuffix(c.name, " v2") {
			case "leanest":
				if first := places(c, load); len(first) != 2 || !slices.Contains(want, first[1]) {
					t.Errorf("%s %s: %s finds %v, want one of %v", load.method, load.target, c.name, first, want)
				}
			case "direct", "reflect":
				if got := places(c, load); !slices.Equal(got, want) {
					t.Errorf("%s %s: %s finds %v, %s %v", load.method, load.target, c.name, got, list[0].name, want)
				}
			}
		}
	}
}

// Verify that the handwritten handler is as careful as it claims to be: a lax one
// would be faster than what it is compared with.
func TestByHand(t *testing.T) {
	list := contenders()
	isJSON := []string{"Content-Type", "application/json"}
	for _, row := range []struct {
		method, target, body string
		header               []string
		status               int
		says                 string
	}{
		{"POST", "/todos", `{"title":"a","priority":1}`, isJSON, 200, `"title":"a"`},
		{"POST", "/todos", `{"title":"a","priority":1} x`, isJSON, 400, "not acceptable"},
		{"POST", "/todos", `{"title":1}`, isJSON, 400, "INVALID_ARGUMENT"},
		{"POST", "/todos", `{}`, nil, 415, "application/json"},
		{"POST", "/todos", `{"title":"` + strings.Repeat("a", 1<<20) + `"}`, isJSON, 413, "could not be read"},
		{"POST", "/todos", `{}`, isJSON, 400, `"path":"/priority"`},
		{"GET", "/todos/a%2Fb?depth=1&expand=true&lang=en", "", nil, 200, `"id":"a/b"`},
		{"GET", "/todos?limit=2", "", nil, 500, `"message":"internal error"`},
		{"PUT", "/todos", "", nil, 405, ""},
		{"POST", "/rpc", `{`, isJSON, 200, "-32700"},
		{"POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"x"}`, isJSON, 200, "-32601"},
		{"POST", "/rpc", `[]`, isJSON, 200, "-32600"},
		{"POST", "/rpc", `{"jsonrpc":"2.0","method":"todos.create"}`, isJSON, 204, ""},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"x"}`, isJSON, 200, "-32601"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}`, isJSON, 200, "-32601"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, isJSON, 200, "-32602"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, isJSON, 200, "-32602"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","method":"x"}`, isJSON, 202, ""},
	} {
		r, err := newReplay(list[0], workload{"", row.method, row.target, row.body, row.header, false})
		if err != nil {
			t.Fatal(err)
		}
		r.serve()
		if r.w.status != row.status || !strings.Contains(string(r.w.body), row.says) {
			t.Errorf("%s %s %.60s: %d %s, want %d and %s", row.method, row.target, row.body, r.w.status, r.w.body, row.status, row.says)
		}
	}
}
