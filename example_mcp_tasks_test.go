package svc_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"example.com/svc"
)

// ExportAPI writes the orders of a year into a table, which takes a minute.
type ExportAPI interface {
	// Begin an export. Ask get with its id until the state is not "working".
	Create(ctx context.Context, in *NewExport) (*Export, error)
	// Read an export: how far it is, and at the end where the table is.
	Get(ctx context.Context, in *ExportID) (*Export, error)
	// Stop an export that has not ended.
	Cancel(ctx context.Context, in *ExportID) error
}

type NewExport struct {
	Year int `json:"year" minimum:"2000" maximum:"2100"`
}

type ExportID struct {
	ID string `json:"id"`
}

// An Export is the record of the work. Create and Get both return it.
type Export struct {
	ID      string `json:"id"`
	State   string `json:"state" enum:"working,completed,failed,cancelled"`
	Message string `json:"message,omitempty"`
	URL     string `json:"url,omitempty"` // of the table
}

// TaskState lets svc show the record as a task.
func (e *Export) TaskState() (state, message string) { return e.State, e.Message }

// Exports keeps the records in memory. With several replicas they belong into a database, as
// does everything that must survive a restart.
type Exports struct {
	program context.Context // ends with the program
	write   func(ctx context.Context, year int, progress func(string)) (url string, err error)
	working sync.WaitGroup // the program waits for it before it ends

	mu      sync.Mutex
	records map[string]Export
	stop    map[string]context.CancelFunc // of the exports that run
}

// Create stores the record before it returns. The work goes on in the context of the program,
// because the context of the call ends when Create returns.
func (s *Exports) Create(_ context.Context, in *NewExport) (*Export, error) {
	ctx, stop := context.WithCancel(s.program)
	e := Export{ID: rand.Text(), State: "working", Message: "queued"}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[e.ID], s.stop[e.ID] = e, stop
	s.working.Add(1)
	go s.work(ctx, e.ID, in.Year)
	return &e, nil
}

// work writes the table, and stores how far it is and how it ends.
func (s *Exports) work(ctx context.Context, id string, year int) {
	defer s.working.Done()
	url, err := s.write(ctx, year, func(message string) {
		s.change(Export{ID: id, State: "working", Message: message})
	})
	if err != nil {
		s.change(Export{ID: id, State: "failed", Message: err.Error()})
		return
	}
	s.change(Export{ID: id, State: "completed", URL: url})
}

// change replaces a record that has not ended, and reports whether it did.
func (s *Exports) change(e Export) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop := s.stop[e.ID]
	if stop == nil {
		return false
	}
	if s.records[e.ID] = e; e.State != "working" {
		stop() // the work too, if it still runs
		delete(s.stop, e.ID)
	}
	return true
}

func (s *Exports) Get(_ context.Context, in *ExportID) (*Export, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.records[in.ID]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no export %s", in.ID)
	}
	return &e, nil
}

func (s *Exports) Cancel(_ context.Context, in *ExportID) error {
	if !s.change(Export{ID: in.ID, State: "cancelled"}) {
		return svc.Errorf(svc.CodeFailedPrecondition, "the export %s does not run", in.ID)
	}
	return nil
}

// NewExports returns a handler for the routes, and for assistants at /mcp.
func NewExports(s *Exports, key []byte) http.Handler {
	service := svc.MustRegister[ExportAPI](s, &svc.Options{
		Name: "Exports", Resource: "exports",
		Methods: map[string]svc.MethodOptions{
			"Create": {Status: http.StatusAccepted, Task: "Get", TaskCancel: "Cancel"},
		},
	})
	mux := http.NewServeMux()
	mux.Handle("/", service.REST())
	mux.Handle("/mcp", service.MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey(key)}))
	return mux
}

// An assistant begins an export, and reads the task until the work has ended.
func ExampleMethodOptions_task() {
	half, goOn := make(chan bool), make(chan bool)
	exports := &Exports{
		program: context.Background(), records: make(map[string]Export), stop: make(map[string]context.CancelFunc),
		write: func(_ context.Context, year int, progress func(string)) (string, error) {
			progress("half of the orders")
			half <- true
			<-goOn
			return fmt.Sprintf("https://files.example/orders-%d.csv", year), nil
		},
	}
	h := NewExports(exports, []byte("a secret of all replicas, 32 bytes"))
	task := callMCP(h, "tools/call", "exports_create", `"name":"exports_create","arguments":{"year":2026}`)
	fmt.Println(task.ResultType, task.Status, task.Message)

	<-half
	now := callMCP(h, "tasks/get", task.ID, `"taskId":"`+task.ID+`"`)
	fmt.Println(now.ResultType, now.Status, now.Message)

	goOn <- true
	exports.working.Wait()
	now = callMCP(h, "tasks/get", task.ID, `"taskId":"`+task.ID+`"`)
	fmt.Println(now.ResultType, now.Status, now.Result.Content.URL)
	// Output:
	// task working queued
	// complete working half of the orders
	// complete completed https://files.example/orders-2026.csv
}

// A mcpTask is what the example reads of the answers.
type mcpTask struct {
	ResultType string `json:"resultType"`
	ID         string `json:"taskId"`
	Status     string `json:"status"`
	Message    string `json:"statusMessage"`
	Result     struct {
		Content Export `json:"structuredContent"`
	} `json:"result"`
}

// callMCP sends a request as a client of 2026-07-28 that has the extension. name is the tool or the
// task, which is a header too.
func callMCP(h http.Handler, method, name, params string) mcpTask {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`,"_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	r.Header.Set("Mcp-Name", name)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer struct{ Result mcpTask }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		panic(err)
	}
	return answer.Result
}
