package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file measures what svc costs next to the handler that a careful author
// writes with net/http and encoding/json for the same types
// (handwritten_test.go). To compare, run go run -C testdata/bench . , which
// interleaves the runs: two runs minutes apart differ by more than two designs.

// BenchAPI is the service that both sides serve.
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

// benchSides are the handlers to compare, the one to compare with first: one
// written by hand, and one transport of a service.
func benchSides(byHand func(BenchAPI) http.Handler, transport func(*svc.Service) http.Handler) []benchSide {
	impl := newBenchService()
	reflected := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler)}
	direct := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(BenchAPI.Create)},
		"Get":    {Direct: svc.Direct(BenchAPI.Get)},
		"List":   {Direct: svc.Direct(BenchAPI.List)},
		"Import": {Direct: svc.Direct(BenchAPI.Import)},
	}}
	return []benchSide{
		{"handwritten", byHand(impl)},
		{"reflect", transport(svc.MustRegister[BenchAPI](impl, reflected))},
		{"direct", transport(svc.MustRegister[BenchAPI](impl, direct))},
	}
}

func restBenchSides() []benchSide {
	return benchSides(newHandwritten, (*svc.Service).REST)
}

type benchSide struct {
	name    string
	handler http.Handler
}

type workload struct {
	name, method, target, body string
	status                     int
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
	r.fresh = *httptest.NewRequest(load.method, load.target, nil)
	if load.body != "" {
		r.fresh.Body = &r.body
		r.fresh.ContentLength = int64(len(load.body))
		r.fresh.Header.Set("Content-Type", "application/json")
	}
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

func BenchmarkREST(b *testing.B) { benchmarkSides(b, restBenchSides(), workloads()) }

// benchmarkSides runs every workload on every side, by names that testdata/bench
// takes apart.
func benchmarkSides(b *testing.B, sides []benchSide, loads []workload) {
	for _, load := range loads {
		b.Run(load.name, func(b *testing.B) {
			for _, side := range sides {
				b.Run(side.name, func(b *testing.B) {
					r := newReplay(load)
					b.ReportAllocs()
					for b.Loop() {
						r.serve(side.handler)
					}
					if r.w.status != load.status {
						b.Fatalf("status %d, want %d: %s", r.w.status, load.status, r.w.body)
					}
				})
			}
		})
	}
}

// Verify that the benchmark compares like with like.
func TestBenchmarkSides(t *testing.T) { compareSides(t, restBenchSides(), workloads(), answer) }

// compareSides wants every side to give every workload the same answer, as far
// as said goes, twice.
func compareSides(t *testing.T, sides []benchSide, loads []workload, said func(*testing.T, []byte) any) {
	for _, load := range loads {
		var want any
		for _, side := range sides {
			r := newReplay(load)
			r.serve(side.handler)
			first := slices.Clone(r.w.body)
			r.serve(side.handler)
			if r.w.status != load.status || !bytes.Equal(r.w.body, first) {
				t.Errorf("%s/%s: status %d, want %d; body %s, at first %s", load.name, side.name, r.w.status, load.status, r.w.body, first)
			}
			if load.status == http.StatusNoContent {
				continue
			}
			checkHeader(t, load.name+"/"+side.name, &r.w)
			got := said(t, r.w.body)
			if want == nil {
				want = got
			} else if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s answers %v, want %v as %s", load.name, side.name, got, want, sides[0].name)
			}
		}
	}
}

func checkHeader(t *testing.T, name string, w *sink) {
	t.Helper()
	for key, want := range map[string]string{
		"Content-Type":           "application/json",
		"Content-Length":         fmt.Sprint(len(w.body)),
		"X-Content-Type-Options": "nosniff",
	} {
		if got := w.header.Get(key); got != want {
			t.Errorf("%s: %s is %q, want %q", name, key, got, want)
		}
	}
}

// answer returns the JSON value of body. Of an error it returns the code and
// the places of the violations: how to word a message is each side's choice.
func answer(t *testing.T, body []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var failure struct {
		Error *struct {
			Code    string
			Details struct{ Violations []struct{ In, Path string } }
		}
	}
	if err := json.Unmarshal(body, &failure); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if failure.Error != nil {
		return *failure.Error
	}
	return value
}
