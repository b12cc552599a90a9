package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// TodoAPI is the service that all contenders serve.
type TodoAPI interface {
	Create(context.Context, *Create) (*Todo, error)
	Get(context.Context, *Get) (*Todo, error)
	List(context.Context, *List) (*Todos, error)
	Import(context.Context, *Import) (*Imported, error)
}

type Create struct {
	Title       string     `json:"title" minLength:"1" maxLength:"100"`
	Description string     `json:"description,omitempty" maxLength:"1000"`
	Tags        []string   `json:"tags,omitempty" maxItems:"8"`
	Priority    int        `json:"priority" minimum:"1" maximum:"5"`
	Due         *time.Time `json:"due,omitempty"`
}

type Todo struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Priority    int        `json:"priority"`
	Completed   bool       `json:"completed"`
	Due         *time.Time `json:"due,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
}

type Get struct {
	ID     string `json:"id"`
	Lang   string `json:"lang,omitempty" maxLength:"8"`
	Depth  int    `json:"depth,omitempty" minimum:"0" maximum:"9"`
	Expand bool   `json:"expand,omitempty"`
	Fields string `json:"fields,omitempty" maxLength:"200"`
}

type List struct {
	Limit int `json:"limit,omitempty" minimum:"1" maximum:"100"`
}

type Todos struct {
	Items []Todo `json:"items"`
	Total int    `json:"total"`
}

type Import struct {
	Records []Record `json:"records" minItems:"1" maxItems:"1000"`
}

type Record struct {
	Title    string   `json:"title" minLength:"1" maxLength:"100"`
	Priority int      `json:"priority" minimum:"1" maximum:"5"`
	Estimate float64  `json:"estimate,omitempty" minimum:"0"`
	Tags     []string `json:"tags,omitempty" maxItems:"8"`
	Owner    Owner    `json:"owner"`
	Steps    []Step   `json:"steps,omitempty"`
}

type Owner struct {
	Name  string `json:"name" minLength:"1"`
	Email string `json:"email" minLength:"3" maxLength:"254"`
}

type Step struct {
	Text string `json:"text" minLength:"1"`
	Done bool   `json:"done,omitempty"`
}

type Imported struct {
	Imported int `json:"imported"`
}

// todos does next to nothing, so that what is measured is the way to it.
type todos struct {
	todo Todo
	list Todos
}

func newTodos() *todos {
	at := time.Date(2026, 3, 1, 9, 30, 0, 123456000, time.UTC)
	s := &todos{todo: Todo{
		ID: "todo-17", Title: "Water the plants", Description: "The ones on the balcony too.",
		Tags: []string{"home", "plants"}, Priority: 3, CreatedAt: at,
	}}
	for i := range 20 {
		todo := s.todo
		todo.ID = fmt.Sprintf("todo-%d", i)
		todo.Completed = i%3 == 0
		todo.CreatedAt = at.Add(time.Duration(i) * time.Hour)
		s.list.Items = append(s.list.Items, todo)
	}
	s.list.Total = len(s.list.Items)
	return s
}

func (s *todos) Create(_ context.Context, in *Create) (*Todo, error) {
	return &Todo{
		ID: s.todo.ID, Title: in.Title, Description: in.Description, Tags: in.Tags,
		Priority: in.Priority, Due: in.Due, CreatedAt: s.todo.CreatedAt,
	}, nil
}

// Get answers with what it understood, so that the test sees it.
func (s *todos) Get(_ context.Context, in *Get) (*Todo, error) {
	todo := s.todo
	todo.ID, todo.Title, todo.Description = in.ID, in.Lang, in.Fields
	todo.Priority, todo.Completed = in.Depth, in.Expand
	return &todo, nil
}

func (s *todos) List(_ context.Context, in *List) (*Todos, error) {
	if in.Limit != len(s.list.Items) {
		return nil, fmt.Errorf("limit = %d", in.Limit)
	}
	return &s.list, nil
}

func (s *todos) Import(_ context.Context, in *Import) (*Imported, error) {
	return &Imported{Imported: len(in.Records)}, nil
}

// A workload is one request, as the clients of most contenders send it.
type workload struct {
	name, method, target, body string
	header                     []string // names and values, in turn
	refused                    bool     // the input is invalid
}

const (
	created    = `{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3}`
	notCreated = `{"title":"","description":"The ones on the balcony too.","tags":["a","b","c","d","e","f","g","h","i"],"priority":9}`
	toolCall   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_create","arguments":%s%s}}`
	toolMeta   = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

// workloads returns all workloads, in the order of the table.
func workloads() []workload {
	isJSON := []string{"Content-Type", "application/json"}
	era := func(version string, more ...string) []string {
		return append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", version}, more...)
	}
	calls := make([]string, 20)
	for i := range calls {
		calls[i] = rpcCreate(i)
	}
	return []workload{
		{"create", "POST", "/todos", created, isJSON, false},
		{"get", "GET", "/todos/todo-17?lang=en&depth=2&expand=true&fields=id%2Ctitle", "", nil, false},
		{"list of 20", "GET", "/todos?limit=20", "", nil, false},
		{"import 20 KB", "POST", "/todos/import", importBody(100), isJSON, false},
		{"invalid create", "POST", "/todos", notCreated, isJSON, true},
		{"RPC", "POST", "/rpc", rpcCreate(1), isJSON, false},
		{"RPC batch of 20", "POST", "/rpc", "[" + strings.Join(calls, ",") + "]", isJSON, false},
		{"MCP", "POST", "/mcp", fmt.Sprintf(toolCall, created, ""), era("2025-06-18"), false},
		{"MCP 2026-07-28", "POST", "/mcp", fmt.Sprintf(toolCall, created, toolMeta), era("2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "todos_create"), false},
		{"MCP invalid", "POST", "/mcp", fmt.Sprintf(toolCall, notCreated, ""), era("2025-06-18"), true},
	}
}

func rpcCreate(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"todos.create","params":%s,"id":%d}`, created, id)
}

// importBody returns the JSON of n records, of about 200 bytes each.
func importBody(n int) string {
	var in Import
	for i := range n {
		in.Records = append(in.Records, Record{
			Title:    fmt.Sprintf("Water plant number %d", i),
			Priority: i%5 + 1,
			Estimate: float64(i) / 4,
			Tags:     []string{"home", "plants"},
			Owner:    Owner{Name: "Zoë Ångström", Email: "zoe@example.com"},
			Steps:    []Step{{Text: "fill the can"}, {Text: "pour \"gently\"", Done: i%2 == 0}},
		})
	}
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // no value above is out of JSON's reach
	}
	return string(text)
}
