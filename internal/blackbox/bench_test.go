package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/svc"
)

// This file measures what svc costs next to the handler that a careful author
// writes with net/http and encoding/json for the same types
// (below). To compare, run go run -C testdata/bench . , which
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

// This file is the other side of the benchmark: BenchAPI by hand. It does what
// a careful author does and no more: bounded bodies, the content type, nothing
// after the document, every rule checked and every violation listed, nothing
// written before it is complete. It does not try to be fast where that would
// cost clarity, because nobody would.

type handwritten struct{ api BenchAPI }

func newHandwritten(api BenchAPI) http.Handler {
	h := handwritten{api}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /todos", h.create)
	mux.HandleFunc("GET /todos", h.list)
	mux.HandleFunc("GET /todos/{id}", h.get)
	mux.HandleFunc("POST /todos/import", h.bulk)
	return mux
}

func (h handwritten) create(w http.ResponseWriter, r *http.Request) {
	var in BenchCreate
	if !readJSON(w, r, &in) {
		return
	}
	v := violations{in: "body"}
	v.length("/title", in.Title, 1, 100)
	v.length("/description", in.Description, 0, 1000)
	v.between("/tags", "items", len(in.Tags), 0, 8)
	v.between("/priority", "value", in.Priority, 1, 5)
	if v.write(w) {
		return
	}
	out, err := h.api.Create(r.Context(), &in)
	writeResult(w, out, err)
}

func (h handwritten) get(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v := violations{in: "query"}
	in := BenchGet{ID: r.PathValue("id"), Lang: query.Get("lang"), Fields: query.Get("fields")}
	in.Depth = v.number(query, "depth", 0, 0, 9)
	in.Expand = v.boolean(query, "expand")
	v.length("/lang", in.Lang, 0, 8)
	v.length("/fields", in.Fields, 0, 200)
	if v.write(w) {
		return
	}
	out, err := h.api.Get(r.Context(), &in)
	writeResult(w, out, err)
}

func (h handwritten) list(w http.ResponseWriter, r *http.Request) {
	v := violations{in: "query"}
	in := BenchList{Limit: v.number(r.URL.Query(), "limit", 20, 1, 100)}
	if v.write(w) {
		return
	}
	out, err := h.api.List(r.Context(), &in)
	writeResult(w, out, err)
}

func (h handwritten) bulk(w http.ResponseWriter, r *http.Request) {
	var in BenchImport
	if !readJSON(w, r, &in) {
		return
	}
	v := violations{in: "body"}
	v.between("/records", "items", len(in.Records), 1, 1000)
	for i := range in.Records {
		checkRecord(&v, i, &in.Records[i])
	}
	if v.write(w) {
		return
	}
	out, err := h.api.Import(r.Context(), &in)
	writeResult(w, out, err)
}

// checkRecord spells a path only where something is wrong.
func checkRecord(v *violations, i int, rec *BenchRecord) {
	before := len(v.list)
	v.length("/title", rec.Title, 1, 100)
	v.between("/priority", "value", rec.Priority, 1, 5)
	if rec.Estimate < 0 {
		v.add("/estimate", "minimum", "must be at least 0")
	}
	v.between("/tags", "items", len(rec.Tags), 0, 8)
	v.length("/owner/name", rec.Owner.Name, 1, 1<<20)
	v.length("/owner/email", rec.Owner.Email, 3, 254)
	for j := range rec.Steps {
		if rec.Steps[j].Text == "" {
			v.add(fmt.Sprintf("/steps/%d/text", j), "minLength", "must not be empty")
		}
	}
	for k := before; k < len(v.list); k++ {
		v.list[k].Path = fmt.Sprintf("/records/%d%s", i, v.list[k].Path)
	}
}

// readJSON decodes the one JSON document that is the body into in, or answers
// the request with an error and returns false.
func readJSON(w http.ResponseWriter, r *http.Request, in any) bool {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		writeFailure(w, http.StatusUnsupportedMediaType, "INVALID_ARGUMENT", "the body must be application/json", nil)
		return false
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	err := dec.Decode(in)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("the body must be one JSON document")
		}
	}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		writeFailure(w, http.StatusRequestEntityTooLarge, "RESOURCE_EXHAUSTED", "the body is too large", nil)
		return false
	}
	if err != nil {
		writeFailure(w, http.StatusBadRequest, "INVALID_ARGUMENT", err.Error(), nil)
		return false
	}
	return true
}

func writeResult(w http.ResponseWriter, out any, err error) {
	if err != nil {
		writeFailure(w, http.StatusInternalServerError, "INTERNAL", "internal error", nil)
		return
	}
	writeJSON(w, http.StatusOK, out)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(body)
}

type violation struct {
	In      string `json:"in"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

func writeFailure(w http.ResponseWriter, status int, code, message string, list []violation) {
	type details struct {
		Violations []violation `json:"violations"`
	}
	type failure struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Details *details `json:"details,omitempty"`
	}
	body := struct {
		Error failure `json:"error"`
	}{failure{Code: code, Message: message}}
	if list != nil {
		body.Error.Details = &details{list}
	}
	writeJSON(w, status, body)
}

// violations collects what is wrong with the input from one source.
type violations struct {
	in   string
	list []violation
}

func (v *violations) add(path, rule, message string) {
	v.list = append(v.list, violation{v.in, path, rule, message})
}

func (v *violations) length(path, s string, least, most int) {
	v.between(path, "characters", utf8.RuneCountInString(s), least, most)
}

func (v *violations) between(path, what string, n, least, most int) {
	if n < least || n > most {
		v.add(path, "range", fmt.Sprintf("%s must be between %d and %d", what, least, most))
	}
}

func (v *violations) number(query url.Values, name string, absent, least, most int) int {
	if !query.Has(name) {
		return absent
	}
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		v.add("/"+name, "type", "must be an integer")
		return 0
	}
	v.between("/"+name, "value", n, least, most)
	return n
}

func (v *violations) boolean(query url.Values, name string) bool {
	if !query.Has(name) {
		return false
	}
	b, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		v.add("/"+name, "type", "must be true or false")
	}
	return b
}

// write answers the request if anything is wrong, and reports whether it did.
func (v *violations) write(w http.ResponseWriter) bool {
	if len(v.list) == 0 {
		return false
	}
	writeFailure(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the input is invalid", v.list)
	return true
}

// Verify that the handwritten side is as careful as it claims to be: a slow or
// a lax one would flatter svc.
func TestHandwritten(t *testing.T) {
	h := newHandwritten(newBenchService())
	for _, test := range []struct {
		method, target, body string
		status               int
		says                 string
	}{
		{"POST", "/todos", `{"title":"a","priority":1}`, 200, `"title":"a","priority":1,"completed":false`},
		{"POST", "/todos", `{"title":"a","priority":1}{}`, 400, "one JSON document"},
		{"POST", "/todos", `{"title":"a","priority":1} x`, 400, "one JSON document"},
		{"POST", "/todos", `{"title":1}`, 400, "INVALID_ARGUMENT"},
		{"POST", "/todos", ``, 415, "application/json"},
		{"POST", "/todos", `{"title":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "too large"},
		{"POST", "/todos", `{}`, 400, `"path":"/priority"`},
		{"GET", "/todos/a%2Fb?depth=1&expand=true&lang=en", "", 200, `"id":"a/b","title":"en","tags":["home","plants"],"priority":1,"completed":true`},
		{"GET", "/todos/a?depth=x", "", 400, `"in":"query","path":"/depth"`},
		{"GET", "/todos/a?expand=x", "", 400, `"path":"/expand"`},
		{"GET", "/todos?limit=101", "", 400, `"path":"/limit"`},
		{"GET", "/todos?limit=2", "", 500, `{"error":{"code":"INTERNAL","message":"internal error"}}`},
		{"GET", "/todos", "", 200, `"total":20`},
		{"POST", "/todos/import", `{"records":[]}`, 400, `"path":"/records"`},
		{"POST", "/todos/import", strings.Replace(importBody(3), "fill the can", "", 1), 400, `"path":"/records/0/steps/0/text"`},
		{"POST", "/todos/import", importBody(3), 200, `{"imported":3}`},
		{"PUT", "/todos", "", 405, ""},
	} {
		r := newReplay(workload{method: test.method, target: test.target, body: test.body})
		r.serve(h)
		if test.status == http.StatusRequestEntityTooLarge && r.w.status == http.StatusBadRequest {
			test.status = r.w.status // under GOEXPERIMENT=jsonv2 the decoder keeps only the text of a read error
		}
		if r.w.status != test.status || !strings.Contains(string(r.w.body), test.says) {
			t.Errorf("%s %s %.60s: %d %s, want %d and %s", test.method, test.target, test.body, r.w.status, r.w.body, test.status, test.says)
		}
	}
}

// This file measures tools/call next to the handler that a careful author writes
// for one tool: see the head of this file, and run
//
//	go run -C testdata/bench . -bench '^BenchmarkMCP$'
//
// testdata/mcp has the same call on the official SDK and on mcp-go.

func mcpBenchSides() []benchSide {
	impl := newBenchService()
	reflected := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler)}
	direct := &svc.Options{Resource: "todos", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(BenchAPI.Create)},
	}}
	return []benchSide{
		{"handwritten", newHandwrittenMCP(impl)},
		{"reflect", svc.MustRegister[BenchAPI](impl, reflected).MCP(nil)},
		{"direct", svc.MustRegister[BenchAPI](impl, direct).MCP(nil)},
	}
}

var mcpBenchCall = workload{"call", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_create","arguments":{"title":"Water the plants","description":"The ones on the balcony too.","tags":["home","plants"],"priority":3}}}`, 200}

// newMCPReplay sends a workload as the clients of 2025-06-18 do.
func newMCPReplay(load workload) *replay {
	r := newReplay(load)
	r.fresh.Header.Set("Accept", "application/json, text/event-stream")
	r.fresh.Header.Set("MCP-Protocol-Version", "2025-06-18")
	return r
}

func BenchmarkMCP(b *testing.B) {
	b.Run(mcpBenchCall.name, func(b *testing.B) {
		for _, side := range mcpBenchSides() {
			b.Run(side.name, func(b *testing.B) {
				r := newMCPReplay(mcpBenchCall)
				b.ReportAllocs()
				for b.Loop() {
					r.serve(side.handler)
				}
				if r.w.status != mcpBenchCall.status {
					b.Fatalf("status %d: %s", r.w.status, r.w.body)
				}
			})
		}
	})
}

// Verify that every side gives every workload the same answer.
func TestMCPBenchmarkSides(t *testing.T) {
	for _, load := range []workload{
		mcpBenchCall,
		{"invalid", "POST", "/mcp", strings.Replace(mcpBenchCall.body, `:3}`, `:9}`, 1), 200},
		{"unknown tool", "POST", "/mcp", strings.Replace(mcpBenchCall.body, `todos_create`, `todos_burn`, 1), 200},
		{"unknown method", "POST", "/mcp", `{"jsonrpc":"2.0","id":"a","method":"tools/burn"}`, 200},
		{"notification", "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202},
		{"ping", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200},
		{"no id", "POST", "/mcp", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400},
		{"no request", "POST", "/mcp", `{"jsonrpc":"2.0","id":1}`, 400},
		{"no JSON", "POST", "/mcp", `{`, 400},
	} {
		var want any
		for _, side := range mcpBenchSides() {
			r := newMCPReplay(load)
			r.serve(side.handler)
			if r.w.status != load.status {
				t.Errorf("%s/%s: status %d, want %d; body %s", load.name, side.name, r.w.status, load.status, r.w.body)
			}
			if load.status == http.StatusAccepted {
				continue
			}
			checkHeader(t, load.name+"/"+side.name, &r.w)
			got := mcpOutcome(t, r.w.body)
			if want == nil {
				want = got
			} else if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s answers %v, want %v as %s", load.name, side.name, got, want, "handwritten")
			}
		}
	}
}

// mcpOutcome returns what body says, without texts that are each side's choice.
func mcpOutcome(t *testing.T, body []byte) any {
	t.Helper()
	var reply struct {
		JSONRPC string
		ID      any
		Error   *struct{ Code int }
		Result  *struct {
			Content           []struct{ Type, Text string }
			StructuredContent any
			IsError           bool
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if reply.Result != nil && reply.Result.IsError {
		reply.Result.Content[0].Text = ""
	}
	text, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// handwrittenMCP is one tool over MCP by hand. Like [handwritten] it does what a
// careful author does and no more: the checks of HTTP that the protocol demands,
// a message decoded in steps, arguments checked in full, the result as structured
// content and as text.
type handwrittenMCP struct{ api BenchAPI }

func newHandwrittenMCP(api BenchAPI) http.Handler { return handwrittenMCP{api} }

type mcpCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

type mcpReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *mcpReplyError  `json:"error,omitempty"`
}

type mcpReplyError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type mcpToolResult struct {
	Content           []mcpTextBlock  `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError"`
}

type mcpTextBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (h handwrittenMCP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Hostname() != "localhost" {
			http.Error(w, "this origin is not allowed", http.StatusForbidden)
			return
		}
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "use POST", http.StatusMethodNotAllowed)
		return
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		http.Error(w, "the body must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	if accept := r.Header.Get("Accept"); !strings.Contains(accept, "application/json") && !strings.Contains(accept, "*/*") {
		http.Error(w, "accept application/json", http.StatusNotAcceptable)
		return
	}
	version := r.Header.Get("MCP-Protocol-Version")
	if version != "" && !slices.Contains([]string{"2025-11-25", "2025-06-18", "2025-03-26"}, version) {
		http.Error(w, "the protocol version is not supported", http.StatusBadRequest)
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
	h.answer(w, r.Context(), body)
}

func (h handwrittenMCP) answer(w http.ResponseWriter, ctx context.Context, body []byte) {
	var call mcpCall
	err := json.Unmarshal(body, &call)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		failMCP(w, http.StatusBadRequest, nil, -32700, "Parse error")
		return
	}
	if err != nil || call.Version != "2.0" || call.Method == nil && call.Result == nil && call.Error == nil {
		failMCP(w, http.StatusBadRequest, call.ID, -32600, "Invalid Request")
		return
	}
	if call.ID == nil || call.Method == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var number int64
	if call.ID[0] != '"' && (json.Unmarshal(call.ID, &number) != nil || bytes.Equal(call.ID, []byte("null"))) {
		failMCP(w, http.StatusBadRequest, nil, -32600, "Invalid Request")
		return
	}
	switch *call.Method {
	case "ping":
		writeJSON(w, http.StatusOK, mcpReply{Version: "2.0", ID: call.ID, Result: struct{}{}})
	case "tools/call":
		h.call(w, ctx, call)
	default:
		failMCP(w, http.StatusOK, call.ID, -32601, "Method not found")
	}
}

func (h handwrittenMCP) call(w http.ResponseWriter, ctx context.Context, call mcpCall) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(call.Params, &params); err != nil || params.Name != "todos_create" {
		failMCP(w, http.StatusOK, call.ID, -32602, "unknown tool")
		return
	}
	var in BenchCreate
	v := violations{in: "body"}
	if err := json.Unmarshal(params.Arguments, &in); err != nil {
		v.add("", "type", err.Error())
	} else {
		v.length("/title", in.Title, 1, 100)
		v.length("/description", in.Description, 0, 1000)
		v.between("/tags", "items", len(in.Tags), 0, 8)
		v.between("/priority", "value", in.Priority, 1, 5)
	}
	if len(v.list) > 0 {
		lines := make([]string, len(v.list))
		for i, violation := range v.list {
			lines[i] = violation.Path + " " + violation.Message
		}
		writeJSON(w, http.StatusOK, mcpReply{Version: "2.0", ID: call.ID, Result: mcpToolResult{
			Content: []mcpTextBlock{{"text", strings.Join(lines, "\n")}}, IsError: true,
		}})
		return
	}
	out, err := h.api.Create(ctx, &in)
	var text []byte
	if err == nil {
		text, err = json.Marshal(out)
	}
	if err != nil {
		failMCP(w, http.StatusOK, call.ID, -32603, "internal error")
		return
	}
	writeJSON(w, http.StatusOK, mcpReply{Version: "2.0", ID: call.ID, Result: mcpToolResult{
		Content: []mcpTextBlock{{"text", string(text)}}, StructuredContent: text,
	}})
}

func failMCP(w http.ResponseWriter, status int, id json.RawMessage, number int, message string) {
	writeJSON(w, status, mcpReply{Version: "2.0", ID: id, Error: &mcpReplyError{number, message}})
}

// This file measures JSON-RPC next to the handler that a careful author writes
// for the same calls: see the head of this file, and run
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
