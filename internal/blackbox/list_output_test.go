package blackbox_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests methods whose output is a list and no object.

// A ListsAPI has outputs that are lists: of structs, of pointers, of scalars, of lists, and one
// with a JSON of its own.
type ListsAPI interface {
	List(context.Context) (*ListedTodos, error)
	Search(context.Context, *listedQuery) (*ListedRefs, error)
	Replay(context.Context, *listedQuery) (*ListedTodos, error)
	Table(context.Context) (*ListedTable, error)
	Own(context.Context) (*ListedOwn, error)
}

type (
	ListedTodo struct {
		ID   string `json:"id"`
		Done bool   `json:"done,omitempty"`
	}
	ListedTodos []ListedTodo
	ListedRefs  []*ListedTodo
	ListedTable [][]int
	ListedOwn   []string
	listedQuery struct {
		Text string `json:"text"`
	}
)

func (l ListedOwn) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Join(l, " ")) }

// listed answers Search with what is asked for.
type listed struct{ replays int }

func (*listed) List(context.Context) (*ListedTodos, error) {
	return &ListedTodos{{ID: "a", Done: true}, {ID: "b"}}, nil
}

func (*listed) Search(_ context.Context, in *listedQuery) (*ListedRefs, error) {
	switch in.Text {
	case "nil":
		return new(ListedRefs), nil
	case "none":
		return nil, nil
	}
	return &ListedRefs{{ID: in.Text}, nil}, nil
}

func (l *listed) Replay(context.Context, *listedQuery) (*ListedTodos, error) {
	l.replays++
	return &ListedTodos{{ID: strings.Repeat("x", l.replays)}}, nil
}

func (*listed) Table(context.Context) (*ListedTable, error) { return &ListedTable{{1, 2}, nil}, nil }
func (*listed) Own(context.Context) (*ListedOwn, error)     { return &ListedOwn{"a", "b"}, nil }

// listedOptions returns options with a store of records in memory.
func listedOptions() *svc.Options {
	records := make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		if records[id] == nil {
			if record, err = do(ctx); err != nil {
				return nil, err
			}
			records[id] = record
		}
		return records[id], nil
	}
	return &svc.Options{
		Resource: "todos", Logger: slog.New(slog.DiscardHandler), Idempotency: &svc.Idempotency{Run: run},
		Methods: map[string]svc.MethodOptions{
			"List":   {Direct: svc.DirectOut(ListsAPI.List)},
			"Search": {HTTP: "POST /found"},
			"Replay": {IdempotencyKey: svc.KeyRequired},
			"Own":    {Transports: []svc.Transport{svc.TransportMCP}},
		},
	}
}

// Verify what each transport sends for a list.
func TestListOutputs(t *testing.T) {
	s := svc.MustRegister[ListsAPI](new(listed), listedOptions())
	rest, rpc, mcp := s.REST(), s.RPC(), s.MCP(nil)
	for _, test := range []struct{ name, verb, path, rpc, params, list string }{
		{"structs", "GET", "/todos", "todos.list", `{}`, `[{"id":"a","done":true},{"id":"b"}]`},
		{"pointers", "POST", "/found", "todos.search", `{"text":"x"}`, `[{"id":"x"},null]`},
		{"a nil list", "POST", "/found", "todos.search", `{"text":"nil"}`, `[]`},
		{"lists", "POST", "/todos/table", "todos.table", `{}`, `[[1,2],[]]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w := httptest.NewRequest(test.verb, test.path, strings.NewReader(test.params)), httptest.NewRecorder()
			r.Header.Set("Content-Type", "application/json")
			rest.ServeHTTP(w, r)
			if got := w.Body.String(); w.Code != 200 || strings.TrimSpace(got) != test.list || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("REST: %d %v %s", w.Code, w.Header(), got)
			}
			if got, want := rpcPost(rpc, `{"jsonrpc":"2.0","method":"`+test.rpc+`","params":`+test.params+`,"id":1}`).Body.String(), `"result":`+test.list; !strings.Contains(got, want) {
				t.Errorf("JSON-RPC: %s, want %s", got, want)
			}
			call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Replace(test.rpc, ".", "_", 1) + `","arguments":` + test.params + `}}`
			if got, want := mcpPost(mcp, call).Body.String(), `"structuredContent":{"items":`+test.list+`}`; !strings.Contains(got, want) {
				t.Errorf("MCP: %s, want %s", got, want)
			}
		})
	}
	for _, test := range []struct{ name, call, want string }{
		{"a list with a JSON of its own", `"todos_own"`, `"structuredContent":{"result":"a b"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mcpPost(mcp, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+test.call+`}}`).Body.String()
			if !strings.Contains(got, test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	out, err := s.Call(context.Background(), "todos", "table", nil)
	if want := (&ListedTable{{1, 2}, nil}); err != nil || !reflect.DeepEqual(out, want) {
		t.Errorf("Call: %v, %v", out, err)
	}
	if out, err := s.Call(context.Background(), "todos", "search", &listedQuery{"none"}); svc.CodeOf(err) != svc.CodeInternal {
		t.Errorf("a method that returns no list: %v, %v", out, err)
	}
}

// listedClient is a client of ListsAPI.
type listedClient struct {
	List   func(context.Context) (*ListedTodos, error)
	Search func(context.Context, *listedQuery) (*ListedRefs, error)
	Replay func(context.Context, *listedQuery) (*ListedTodos, error)
	Table  func(context.Context) (*ListedTable, error)
}

// A listedPart is ListsAPI without the method that clients cannot read.
type listedPart interface {
	List(context.Context) (*ListedTodos, error)
	Search(context.Context, *listedQuery) (*ListedRefs, error)
	Replay(context.Context, *listedQuery) (*ListedTodos, error)
	Table(context.Context) (*ListedTable, error)
}

// Verify that clients get lists, and that the record of an idempotency key has one.
func TestListOutputClient(t *testing.T) {
	options := listedOptions()
	options.Methods = map[string]svc.MethodOptions{"Search": {HTTP: "POST /found"}, "Replay": {IdempotencyKey: svc.KeyRequired}}
	impl, client := new(listed), new(listedClient)
	s := svc.MustRegister[listedPart](impl, options)
	if err := svc.Connect[listedPart](client, "", &svc.ClientOptions{Service: options, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if list, err := client.List(ctx); err != nil || !reflect.DeepEqual(list, &ListedTodos{{ID: "a", Done: true}, {ID: "b"}}) {
		t.Errorf("List: %v, %v", list, err)
	}
	if list, err := client.Search(ctx, &listedQuery{"x"}); err != nil || len(*list) != 2 || (*list)[0].ID != "x" || (*list)[1] != nil {
		t.Errorf("Search: %v, %v", list, err)
	}
	if table, err := client.Table(ctx); err != nil || len(*table) != 2 || len((*table)[0]) != 2 {
		t.Errorf("Table: %v, %v", table, err)
	}
	keyed := svc.WithIdempotencyKey(ctx, "k1")
	for range 2 {
		if list, err := client.Replay(keyed, &listedQuery{"x"}); err != nil || !reflect.DeepEqual(list, &ListedTodos{{ID: "x"}}) {
			t.Errorf("Replay: %v, %v", list, err)
		}
	}
	if impl.replays != 1 {
		t.Errorf("the method ran %d times with one key", impl.replays)
	}
}

// Verify what documents say of lists.
func TestListOutputDocuments(t *testing.T) {
	s := svc.MustRegister[ListsAPI](new(listed), listedOptions())
	const items = `{"type":"array","items":{"$ref":"#/components/schemas/ListedTodo"}}`
	for _, query := range []string{"", "?openapi=3.1", "?openapi=3.2"} {
		t.Run(rowName("openapi", query), func(t *testing.T) {
			if got := oaAt(t, kitchenDocument(s, query), "paths", "/todos", "get", "responses", "200", "content", "application/json", "schema"); got != items {
				t.Errorf("the schema is %s, want %s", got, items)
			}
		})
	}
	text := func(h http.Handler, path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Body.String()
	}
	const schema = `{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"done":{"type":"boolean"}},"required":["id"]`
	for _, test := range []struct{ name, got, want string }{
		{"a tool", mcpPost(s.MCP(nil), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.String(), `"outputSchema":{"type":"object","properties":{"items":` + schema},
		{"OpenRPC", rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`).Body.String(), `"schema":` + items},
		{"the page", text(s.Docs(docsAll), "/"), `"schema":` + items},
		{"Markdown", text(s.Docs(docsAll), "/llms.txt"), "- answer 200: OK, `ListedTodo[]` as application/json"},
		{"the contract", string(s.Contract()), `"kind":"list"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s\nlacks %s", test.got, test.want)
			}
		})
	}
	if d := s.Descriptor().Resources[0].Methods[0]; d.Output == nil || d.Output.Kind != "slice" || d.Output.Schema["type"] != "array" {
		t.Errorf("the descriptor of the output: %+v", d.Output)
	}
}

type (
	listedOfItems interface {
		List(context.Context) (*ListedTodos, error)
	}
	listedOfNumbers interface {
		List(context.Context) (*listedNumbers, error)
	}
	listedOfWrappers interface {
		List(context.Context) (*listedWrapper, error)
	}
	listedNumbers []int
	listedWrapper struct {
		Items []ListedTodo `json:"items"`
	}
)

// Verify that a list which becomes something else breaks a release.
func TestListOutputBreaks(t *testing.T) {
	options := &svc.Options{Resource: "todos"}
	released := svc.MustRegister[listedOfItems](new(listed), options).Contract()
	for _, test := range []struct {
		name string
		now  *svc.Service
		want int
	}{
		{"the same", svc.MustRegister[listedOfItems](new(listed), options), 0},
		{"other items", svc.MustRegister[listedOfNumbers](struct{ listedOfNumbers }{}, options), 1},
		{"an object", svc.MustRegister[listedOfWrappers](struct{ listedOfWrappers }{}, options), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := test.now.Breaks(released)
			if err != nil || min(len(breaks), 1) != test.want {
				t.Errorf("%v, %v", breaks, err)
			}
		})
	}
}
