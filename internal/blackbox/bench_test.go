package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file measures what requests cost, for work on svc itself and above all in
// allocations, which do not depend on the machine. bench/peers measures svc
// beside a handler by hand and beside other packages.

// BenchAPI is the service that is measured.
type BenchAPI interface {
	Create(context.Context, *BenchCreate) (*BenchTodo, error)
	Get(context.Context, *BenchGet) (*BenchTodo, error)
	List(context.Context, *BenchList) (*BenchTodos, error)
	Import(context.Context, *BenchImport) (*BenchImported, error)
}

type BenchCreate struct {
	Title       string     `json:"title" minLength:"1" maxLength:"100"`
	Description string     `json:"description,omitempty" maxLength:"1000"`
	Tags        []string   `json:"tags,omitempty" maxItems:"8"`
	Priority    int        `json:"priority" minimum:"1" maximum:"5"`
	Due         *time.Time `json:"due,omitempty"`
}

type BenchTodo struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Priority    int        `json:"priority"`
	Completed   bool       `json:"completed"`
	Due         *time.Time `json:"due,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
}

type BenchGet struct {
	ID     string `json:"id"`
	Lang   string `json:"lang,omitempty" maxLength:"8"`
	Depth  int    `json:"depth,omitempty" minimum:"0" maximum:"9"`
	Expand bool   `json:"expand,omitempty"`
	Fields string `json:"fields,omitempty" maxLength:"200"`
}

type BenchList struct {
	Limit int `json:"limit,omitempty" minimum:"1" maximum:"100"`
}

type BenchTodos struct {
	Items []BenchTodo `json:"items"`
	Total int         `json:"total"`
}

type BenchImport struct {
	Records []BenchRecord `json:"records" minItems:"1" maxItems:"1000"`
}

type BenchRecord struct {
	Title    string      `json:"title" minLength:"1" maxLength:"100"`
	Priority int         `json:"priority" minimum:"1" maximum:"5"`
	Estimate float64     `json:"estimate,omitempty" minimum:"0"`
	Tags     []string    `json:"tags,omitempty" maxItems:"8"`
	Owner    BenchOwner  `json:"owner"`
	Steps    []BenchStep `json:"steps,omitempty"`
}

type BenchOwner struct {
	Name  string `json:"name" minLength:"1"`
	Email string `json:"email" minLength:"3" maxLength:"254"`
}

type BenchStep struct {
	Text string `json:"text" minLength:"1"`
	Done bool   `json:"done,omitempty"`
}

type BenchImported struct {
	Imported int `json:"imported"`
}

// benchService does next to nothing, so that what is measured is the way to it.
type benchService struct {
	todo  BenchTodo
	todos BenchTodos
}

func newBenchService() *benchService {
	at := time.Date(2026, 3, 1, 9, 30, 0, 123456000, time.UTC)
	s := &benchService{todo: BenchTodo{
		ID: "todo-17", Title: "Water the plants", Description: "The ones on the balcony too.",
		Tags: []string{"home", "plants"}, Priority: 3, CreatedAt: at,
	}}
	for i := range 20 {
		todo := s.todo
		todo.ID = fmt.Sprintf("todo-%d", i)
		todo.Completed = i%3 == 0
		todo.CreatedAt = at.Add(time.Duration(i) * time.Hour)
		s.todos.Items = append(s.todos.Items, todo)
	}
	s.todos.Total = len(s.todos.Items)
	return s
}

func (s *benchService) Create(_ context.Context, in *BenchCreate) (*BenchTodo, error) {
	return &BenchTodo{
		ID: s.todo.ID, Title: in.Title, Description: in.Description, Tags: in.Tags,
		Priority: in.Priority, Due: in.Due, CreatedAt: s.todo.CreatedAt,
	}, nil
}

// Get answers with what it understood, so that a test sees it.
func (s *benchService) Get(_ context.Context, in *BenchGet) (*BenchTodo, error) {
	todo := s.todo
	todo.ID, todo.Title, todo.Description = in.ID, in.Lang, in.Fields
	todo.Priority, todo.Completed = in.Depth, in.Expand
	return &todo, nil
}

func (s *benchService) List(_ context.Context, in *BenchList) (*BenchTodos, error) {
	if in.Limit != len(s.todos.Items) {
		return nil, fmt.Errorf("limit = %d", in.Limit)
	}
	return &s.todos, nil
}

func (s *benchService) Import(_ context.Context, in *BenchImport) (*BenchImported, error) {
	return &BenchImported{Imported: len(in.Records)}, nil
}

// benchmarkSides runs every workload on one transport of the service, by
// reflection and directly.
func benchmarkSides(b *testing.B, transport func(*svc.Service) http.Handler, loads []workload) {
	direct := map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(BenchAPI.Create)},
		"Get":    {Direct: svc.Direct(BenchAPI.Get)},
		"List":   {Direct: svc.Direct(BenchAPI.List)},
		"Import": {Direct: svc.Direct(BenchAPI.Import)},
	}
	for _, load := range loads {
		for _, side := range []struct {
			name    string
			methods map[string]svc.MethodOptions
		}{{"reflect", nil}, {"direct", direct}} {
			b.Run(load.name+"/"+side.name, func(b *testing.B) {
				opts := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler), Methods: side.methods}
				h := transport(svc.MustRegister[BenchAPI](newBenchService(), opts))
				r := newReplay(load)
				b.ReportAllocs()
				for b.Loop() {
					r.serve(h)
				}
				if r.w.status != load.status {
					b.Fatalf("status %d, want %d: %s", r.w.status, load.status, r.w.body)
				}
			})
		}
	}
}

func BenchmarkREST(b *testing.B) { benchmarkSides(b, (*svc.Service).REST, workloads()) }
func BenchmarkRPC(b *testing.B)  { benchmarkSides(b, (*svc.Service).RPC, rpcWorkloads()) }
func BenchmarkMCP(b *testing.B) {
	benchmarkSides(b, func(s *svc.Service) http.Handler { return s.MCP(nil) }, []workload{mcpBenchCall})
}

type workload struct {
	name, verb, target, body string
	status                   int
}

func workloads() []workload {
	return []workload{
		{"create", "POST", "/todos",
			`{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3}`, 200},
		{"get", "GET", "/todos/todo-17?lang=en&depth=2&expand=true&fields=id%2Ctitle", "", 200},
		{"list", "GET", "/todos?limit=20", "", 200},
		{"import", "POST", "/todos/import", importBody(100), 200},
		{"invalid", "POST", "/todos",
			`{"title":"","description":"The ones on the balcony too.","tags":["a","b","c","d","e","f","g","h","i"],"priority":9}`, 400},
	}
}

// importBody returns about 200 bytes a record.
func importBody(n int) string {
	var in BenchImport
	for i := range n {
		in.Records = append(in.Records, BenchRecord{
			Title:    fmt.Sprintf("Water plant number %d", i),
			Priority: i%5 + 1,
			Estimate: float64(i) / 4,
			Tags:     []string{"home", "plants"},
			Owner:    BenchOwner{Name: "Zoë Ångström", Email: "zoe@example.com"},
			Steps:    []BenchStep{{Text: "fill the can"}, {Text: "pour \"gently\"", Done: i%2 == 0}},
		})
	}
	body, err := json.Marshal(in)
	if err != nil {
		panic(err) // no value above is out of JSON's reach
	}
	return string(body)
}

// A replay sends one request again and again without allocating, so that every
// allocation that the benchmark counts is the handler's.
type replay struct {
	fresh, req http.Request // req is what fresh was, before each use
	text       string
	body       requestBody
	w          sink
}

// A requestBody is no more than a server's body is: a handler cannot see
// through it to the text.
type requestBody struct{ text strings.Reader }

func (b *requestBody) Read(p []byte) (int, error) { return b.text.Read(p) }
func (b *requestBody) Close() error               { return nil }

func newReplay(load workload) *replay {
	r := &replay{text: load.body, w: sink{header: make(http.Header)}}
	r.fresh = *httptest.NewRequest(load.verb, load.target, nil)
	if load.body != "" {
		r.fresh.Body = &r.body
		r.fresh.ContentLength = int64(len(load.body))
		r.fresh.Header.Set("Content-Type", "application/json")
	}
	r.fresh.Header.Set("Accept", "application/json, text/event-stream") // for MCP
	return r
}

func (r *replay) serve(h http.Handler) {
	r.req = r.fresh
	r.body.text.Reset(r.text)
	clear(r.w.header)
	r.w.status, r.w.body = 0, r.w.body[:0]
	h.ServeHTTP(&r.w, &r.req)
}

// A sink is the least that a handler may expect of the server's
// http.ResponseWriter, which has deadlines and flushes.
type sink struct {
	header http.Header
	status int
	body   []byte
}

func (w *sink) Header() http.Header { return w.header }

func (w *sink) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *sink) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, p...)
	return len(p), nil
}

func (w *sink) Flush()                           {}
func (w *sink) SetReadDeadline(time.Time) error  { return nil }
func (w *sink) SetWriteDeadline(time.Time) error { return nil }

var mcpBenchCall = workload{"call", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_create","arguments":{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3}}}`, 200}

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
