package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests tasks: the extension io.modelcontextprotocol/tasks of MCP 2026-07-28.

// taskAPI has a method for each way in which work begins, goes on and ends.
type taskAPI interface {
	Export(context.Context, *taskExport) (*taskRecord, error)
	Import(context.Context) (*taskRecord, error)
	Asked(context.Context) (*taskRecord, error)
	Get(context.Context, *taskGet) (*taskRecord, error)
	Cancel(context.Context, *taskID) error
}

type taskExport struct {
	State string `json:"state"`
	ID    string `json:"id,omitempty"`
	Big   int64  `json:"big,omitempty"`
}

type taskID struct {
	ID string `json:"id"`
}

type taskGet struct {
	ID     string   `path:"id" json:"-"`
	Big    int64    `json:"big,omitempty" query:"big"`
	Note   *string  `json:"note,omitempty" query:"note"`
	Fields []string `json:"fields,omitempty" query:"fields"`
}

// A taskRecord has a member fields of another type than the input of Get.
type taskRecord struct {
	ID      string  `json:"id"`
	State   string  `json:"state"`
	Message string  `json:"message,omitempty"`
	Big     int64   `json:"big"`
	Note    *string `json:"note"`
	Fields  int     `json:"fields"`
}

func (r *taskRecord) TaskState() (state, message string) {
	if r.State == "panic" {
		panic("TaskState")
	}
	return r.State, r.Message
}

// A taskStore is the database that all replicas share.
type taskStore struct {
	mu      sync.Mutex
	records map[string]*taskRecord
	calls   []string // of Get and Cancel, with their inputs
	fail    error    // of Get and Cancel, if it is set
	ask     func(context.Context) error
}

func (s *taskStore) Export(_ context.Context, in *taskExport) (*taskRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &taskRecord{ID: in.ID, State: in.State, Big: in.Big, Message: "begun"}
	if r.ID == "" {
		r.ID = fmt.Sprint(len(s.records) + 1)
	}
	if s.records == nil {
		s.records = make(map[string]*taskRecord)
	}
	s.records[r.ID] = r
	c := *r
	return &c, nil
}

func (s *taskStore) Import(ctx context.Context) (*taskRecord, error) {
	return s.Export(ctx, &taskExport{State: "working"})
}

func (s *taskStore) Asked(ctx context.Context) (*taskRecord, error) {
	if err := svc.Confirm(ctx, "sure", "Begin?"); err != nil {
		return nil, err
	}
	return s.Import(ctx)
}

func (s *taskStore) Get(ctx context.Context, in *taskGet) (*taskRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := json.Marshal(in)
	s.calls = append(s.calls, "Get "+in.ID+" "+string(text))
	r := s.records[in.ID]
	switch {
	case s.fail != nil:
		return nil, s.fail
	case r == nil:
		return nil, svc.Errorf(svc.CodeNotFound, "there is no export %s", in.ID)
	case s.ask != nil:
		if err := s.ask(ctx); err != nil {
			return nil, err
		}
	}
	svc.Progress(ctx, 1, 2, "half") // which tasks do not have
	svc.MCPLog(ctx, slog.LevelError, "read")
	c := *r
	return &c, nil
}

func (s *taskStore) Cancel(ctx context.Context, in *taskID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, "Cancel "+in.ID)
	if s.fail == errTaskConfirm {
		return svc.Confirm(ctx, "sure", "End it?")
	}
	if s.fail != nil {
		return s.fail
	}
	s.records[in.ID].State = "cancelled"
	return nil
}

var errTaskConfirm = errors.New("ask")

func (s *taskStore) set(id, state, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[id].State, s.records[id].Message = state, message
}

// newTaskService returns a replica.
func newTaskService(s *taskStore, log io.Writer, change ...func(*svc.Options)) *svc.Service {
	o := &svc.Options{
		Name: "Exports", Resource: "exports", Version: "1.2.3", Logger: slog.New(slog.NewTextHandler(log, nil)),
		Methods: map[string]svc.MethodOptions{
			"Export": {Task: "Get", TaskCancel: "Cancel"},
			"Import": {Task: "Get"},
			"Asked":  {Task: "Get"},
		},
	}
	for _, change := range change {
		change(o)
	}
	return svc.MustRegister[taskAPI](s, o)
}

func taskOptions() *svc.MCPOptions {
	return &svc.MCPOptions{StateKey: svc.NewCursorKey([]byte("0123456789abcdef0123456789abcdef"))}
}

// mcpTask is a request of a client of 2026-07-28 with tasks. caps are more of its capabilities.
func mcpTask(method, params string, head ...string) string {
	caps := `"extensions":{"io.modelcontextprotocol/tasks":{}}`
	head = slices.DeleteFunc(head, func(line string) bool {
		more, ok := strings.CutPrefix(line, "caps: ")
		if ok {
			caps = strings.Trim(more+","+caps, ",")
		}
		if line == "no caps" {
			caps, ok = "", true
		}
		return ok
	})
	if _, after, ok := strings.Cut(params, `"taskId":"`); ok {
		id, _, _ := strings.Cut(after, `"`)
		head = append([]string{"-Mcp-Name", "Mcp-Name: " + id}, head...)
	}
	return strings.Replace(mcpModern(method, params, head...), `clientCapabilities":{}`, `clientCapabilities":{`+caps+`}`, 1)
}

// beginTask calls a tool and returns the id of the task.
func beginTask(t *testing.T, h http.Handler, params string, head ...string) string {
	t.Helper()
	w := mcpPost(h, mcpTask("tools/call", params, head...))
	var answer struct{ Result struct{ TaskID string } }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Result.TaskID == "" {
		t.Fatalf("%s begins no task: %d %s", params, w.Code, w.Body)
	}
	return answer.Result.TaskID
}

const (
	exportWorking  = `"name":"exports_export","arguments":{"state":"working"}`
	taskServer     = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Exports","version":"1.2.3"}}`
	taskAcked      = `{"jsonrpc":"2.0","result":{"resultType":"complete",` + taskServer + `},"id":1}`
	taskUnknown    = "is the id of no task of this caller"
	taskNeeds      = `{"jsonrpc":"2.0","error":{"code":-32021,"message":"…","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}},"id":1}`
	taskIDText     = `"taskId":"…"`
	taskTimes      = `"createdAt":"…Z","lastUpdatedAt":"…Z","ttlMs":null,"pollIntervalMs":1000`
	exportWasBegun = `{"jsonrpc":"2.0","result":{"resultType":"task",` + taskServer + `,` + taskIDText + `,"status":"working","statusMessage":"begun",` + taskTimes + `},"id":1}`
	exportRecord   = `{"jsonrpc":"2.0","result":{"resultType":"complete",` + taskServer + `,"structuredContent":{"id":"1","state":"working",…},"content":[…],"isError":false},"id":1}`
)

// Verify who gets a task, and who the record as ever.
func TestMCPTaskBegins(t *testing.T) {
	legacy := func(revision string) string { return mcpLegacy(revision, "tools/call", exportWorking) }
	for _, test := range []struct{ name, request, want string }{
		{"a client with tasks", mcpTask("tools/call", exportWorking), exportWasBegun},
		{"a client without", mcpTask("tools/call", exportWorking, "no caps"), exportRecord},
		{"an extension that is no object", strings.Replace(mcpTask("tools/call", exportWorking), `tasks":{}`, `tasks":true`, 1), exportRecord},
		{"the member task of 2025", mcpTask("tools/call", exportWorking+`,"task":{"ttl":5}`, "no caps"), exportRecord},
		{"2025-11-25", legacy("2025-11-25"), `{"jsonrpc":"2.0","result":{"structuredContent":{"id":"1",…`},
		{"2025-11-25 with a task", mcpLegacy("2025-11-25", "tools/call", exportWorking+`,"task":{"ttl":5}`), `{"jsonrpc":"2.0","result":{"structuredContent":{"id":"1",…`},
		{"work that has ended", mcpTask("tools/call", `"name":"exports_export","arguments":{"state":"completed"}`), `…"resultType":"complete"…"state":"completed"…`},
		{"work that has failed", mcpTask("tools/call", `"name":"exports_export","arguments":{"state":"failed"}`), `…"state":"failed"…"isError":false…`},
		{"a wrong argument", mcpTask("tools/call", `"name":"exports_export","arguments":{}`), `…/state is required…"isError":true…`},
		{"a state that is none", mcpTask("tools/call", `"name":"exports_export","arguments":{"state":"done"}`), `…INTERNAL: internal error…"isError":true…`},
		{"a TaskState that panics", mcpTask("tools/call", `"name":"exports_export","arguments":{"state":"panic"}`), `…INTERNAL: internal error…"isError":true…`},
		{"a record with a long id", mcpTask("tools/call", `"name":"exports_export","arguments":{"state":"working","id":"`+strings.Repeat("i", 800)+`"}`), `…"resultType":"complete"…"state":"working"…`},
		{"a question first", mcpTask("tools/call", `"name":"exports_asked","arguments":{}`, `caps: "elicitation":{}`), `…"resultType":"input_required"…"inputRequests":{"sure":…`},
		{"a method without a task", mcpTask("tools/call", `"name":"exports_get","arguments":{"id":"9"}`), `…NOT_FOUND: there is no export 9…"isError":true…`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			h := newTaskService(new(taskStore), &log).MCP(taskOptions())
			checkMCPAnswer(t, h, test.request, 200, test.want)
			wants := map[string]string{"a state that is none": `returned the state \"done\"`, "a record with a long id": "over 1024"}[test.name]
			if !strings.Contains(log.String(), wants) {
				t.Errorf("the log does not say %s: %s", wants, &log)
			}
		})
	}
}

// Verify that any replica reads, updates and ends a task, also one that began after it, and what
// the answer says in each state.
func TestMCPTaskReplicas(t *testing.T) {
	store := new(taskStore)
	began := newTaskService(store, io.Discard).MCP(taskOptions())
	id := beginTask(t, began, `"name":"exports_export","arguments":{"state":"working","big":9007199254740993}`)
	h := newTaskService(store, io.Discard).MCP(taskOptions())
	get := mcpTask("tasks/get", `"taskId":"`+id+`"`)
	is := func(status, rest string) string {
		return `{"jsonrpc":"2.0","result":{"resultType":"complete",` + taskServer + `,"taskId":"` + id + `","status":"` + status + `",` + rest + `},"id":1}`
	}
	for _, test := range []struct{ name, state, message, want string }{
		{"working", "working", "", is("working", taskTimes)},
		{"with a message", "working", "half", is("working", `"statusMessage":"half",`+taskTimes)},
		{"completed", "completed", "", is("completed", taskTimes+`,"result":{"resultType":"complete",`+taskServer+
			`,"structuredContent":{"id":"1","state":"completed","big":9007199254740993,"note":null,"fields":0},"content":[…],"isError":false}`)},
		{"failed with a message", "failed", "no \"disk\"", is("completed", `"statusMessage":"no \"disk\"",`+taskTimes+`,"result":{"resultType":"complete",`+taskServer+
			`,"content":[{"type":"text","text":"no \"disk\""}],"isError":true}`)},
		{"failed without one", "failed", "", is("failed", taskTimes+`,"error":{"code":-32603,"message":"internal error"}`)},
		{"cancelled", "cancelled", "by Ada", is("cancelled", `"statusMessage":"by Ada",`+taskTimes)},
		{"no state", "done", "", mcpFailure("-32603", "internal error")},
	} {
		t.Run(test.name, func(t *testing.T) {
			store.set("1", test.state, test.message)
			checkMCPAnswer(t, h, get, 200, test.want)
		})
	}
	if got := store.calls[0]; got != `Get 1 {"big":9007199254740993}` {
		t.Errorf("Get was called as %s", got)
	}
	store.set("1", "working", "")
	checkMCPAnswer(t, h, mcpTask("tasks/cancel", `"taskId":"`+id+`"`), 200, taskAcked)
	checkMCPAnswer(t, h, get, 200, `…"status":"cancelled"…`)
	renamed := newTaskService(store, io.Discard, func(o *svc.Options) { o.ToolPrefix = "-" })
	checkMCPAnswer(t, renamed.MCP(taskOptions()), get, 200, `…"status":"cancelled"…`)
}

// Verify a result that is too large, which tools/call answers with the same error.
func TestMCPTaskTooLarge(t *testing.T) {
	store, options := new(taskStore), taskOptions()
	options.MaxResult = 40
	h := newTaskService(store, io.Discard).MCP(options)
	id := beginTask(t, h, exportWorking)
	for _, test := range []struct{ state, message, want string }{
		{"completed", "", `…"status":"completed"…"text":"RESOURCE_EXHAUSTED: the answer has … characters, at most 40 are given; ask for fewer items"}],"isError":true}…`},
		{"failed", strings.Repeat("long ", 20), `…"text":"long long long long long long long long "}],"isError":true}…`},
	} {
		store.set("1", test.state, test.message)
		checkMCPAnswer(t, h, mcpTask("tasks/get", `"taskId":"`+id+`"`), 200, test.want)
	}
}

// Verify the checks before a task is read, in their order, and the methods that there are.
func TestMCPTaskChecks(t *testing.T) {
	h := newTaskService(new(taskStore), io.Discard).MCP(taskOptions())
	id := beginTask(t, h, exportWorking)
	none := newMCP(taskOptions())
	named := `"taskId":"` + id + `"`
	for _, test := range []struct {
		name, request string
		status        int
		want          string
	}{
		{"no Mcp-Name", mcpTask("tasks/get", named, "-Mcp-Name", "no caps"), 400, mcpFailure("-32020", "Mcp-Name")},
		{"another Mcp-Name", mcpTask("tasks/get", named, "-Mcp-Name", "Mcp-Name: x"), 400, mcpFailure("-32020", "Mcp-Name")},
		{"another Mcp-Method", mcpTask("tasks/get", named, "-Mcp-Method", "Mcp-Method: tasks/cancel"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"no taskId and no Mcp-Name", mcpTask("tasks/get", ""), 400, mcpFailure("-32020", "Mcp-Name")},
		{"no capability", mcpTask("tasks/get", `"taskId":"x"`, "no caps"), 400, taskNeeds},
		{"no capability of an update", mcpTask("tasks/update", named, "no caps"), 400, taskNeeds},
		{"no capability of a cancellation", mcpTask("tasks/cancel", named, "no caps"), 400, taskNeeds},
		{"no taskId", mcpTask("tasks/get", "", "Mcp-Name: "), 400, mcpFailure("-32602", taskUnknown)},
		{"a number", mcpTask("tasks/get", `"taskId":5`, "Mcp-Name: "), 400, mcpFailure("-32602", taskUnknown)},
		{"a forged one", mcpTask("tasks/get", `"taskId":"`+id[:len(id)-2]+`Q0"`), 400, mcpFailure("-32602", taskUnknown)},
		{"a long one", mcpTask("tasks/get", `"taskId":"`+strings.Repeat("A", 2000)+`"`), 400, mcpFailure("-32602", taskUnknown)},
		{"a short one", mcpTask("tasks/cancel", `"taskId":"AAAA"`), 400, mcpFailure("-32602", taskUnknown)},
		{"no inputResponses", mcpTask("tasks/update", named), 400, mcpFailure("-32602", "inputResponses must be an object")},
		{"a list of them", mcpTask("tasks/update", named+`,"inputResponses":[]`), 400, mcpFailure("-32602", "inputResponses must be an object")},
		{"tasks/list", mcpTask("tasks/list", ""), 404, mcpFailure("-32601", "no such method")},
		{"tasks/result", mcpTask("tasks/result", named), 404, mcpFailure("-32601", "no such method")},
		{"an older revision", mcpLegacy("2025-11-25", "tasks/get", named), 200, mcpFailure("-32601", "no such method")},
		{"to listen", mcpTask("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`, "no caps"), 400, taskNeeds},
		{"to listen with the capability", mcpTask("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`), 200, `…"notifications":{}}…"resultType":"complete"…`},
		{"to listen for others", mcpTask("subscriptions/listen", `"notifications":{"toolsListChanged":true}`, "no caps"), 200, `…"resultType":"complete"…`},
		{"progress and a log level", mcpTask("tasks/get", named, `meta: "progressToken":"p","io.modelcontextprotocol/logLevel":"debug"`), 200, `{"jsonrpc":"2.0","result":{"resultType":"complete",…`},
		{"discover", mcpTask("server/discover", "", "no caps"), 200, `…"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}},"logging":{},"tools":{}}…`},
		{"initialize", mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"capabilities":{"logging":{},"tools":{}}…`},
	} {
		t.Run(test.name, func(t *testing.T) { checkMCPAnswer(t, h, test.request, test.status, test.want) })
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		checkMCPAnswer(t, none, mcpTask(method, named), 404, mcpFailure("-32601", "no such method"))
	}
	if text := mcpPost(h, mcpTask("tools/list", "")).Body.String(); strings.Contains(text, "execution") || strings.Contains(text, "askSupport") {
		t.Errorf("tools/list says more than it should: %s", text)
	}
}

// Verify that a task is the caller's alone, and that a read of it is a call.
func TestMCPTaskCaller(t *testing.T) {
	store, seen := new(taskStore), []string(nil)
	s := newTaskService(store, io.Discard, func(o *svc.Options) {
		o.Schemes = []svc.Scheme{{Type: "bearer"}}
		get := o.Methods["Get"]
		get.Scopes = []string{"read"}
		o.Methods["Get"] = get
		o.Observe = func(_ context.Context, ob svc.Observation) {
			seen = append(seen, fmt.Sprint(ob.Method, " ", ob.RPC, " ", svc.CodeOf(ob.Err)))
		}
		o.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
			return func(ctx context.Context, resource, method string, in any) (any, error) {
				seen = append(seen, "intercepted "+method)
				return next(ctx, resource, method, in)
			}
		}
	})
	mcp, scopes := s.MCP(taskOptions()), []string{"read"}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.Header.Get("Caller"); name != "" {
			r = r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: name, Scopes: scopes}))
		}
		mcp.ServeHTTP(w, r)
	})
	id := beginTask(t, h, exportWorking, "Caller: ada")
	get := func(caller ...string) string { return mcpTask("tasks/get", `"taskId":"`+id+`"`, caller...) }
	checkMCPAnswer(t, h, get("Caller: ada"), 200, `…"status":"working"…`)
	checkMCPAnswer(t, h, get("Caller: bob"), 400, mcpFailure("-32602", taskUnknown))
	checkMCPAnswer(t, h, get(), 400, mcpFailure("-32602", taskUnknown))
	scopes = nil
	checkMCPAnswer(t, h, get("Caller: ada"), 403, mcpFailure("-32600", "read"))
	want := "intercepted export, export tools/call OK, intercepted get, get tasks/get OK, get tasks/get PERMISSION_DENIED"
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("the calls were\n%s, want\n%s", got, want)
	}
}

// Verify what becomes of the errors of the methods.
func TestMCPTaskErrors(t *testing.T) {
	store := new(taskStore)
	h := newTaskService(store, io.Discard).MCP(taskOptions())
	id, other := beginTask(t, h, exportWorking), beginTask(t, h, `"name":"exports_import","arguments":{}`)
	for _, test := range []struct {
		name, method string
		fail         error
		status       int
		want         string
	}{
		{"NOT_FOUND", "tasks/get", svc.Errorf(svc.CodeNotFound, "gone").WithReason("purged"), 400,
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"gone","data":{"code":"NOT_FOUND","reason":"purged"}},"id":1}`},
		{"INVALID_ARGUMENT", "tasks/get", svc.Errorf(svc.CodeInvalidArgument, "no"), 400, mcpFailure("-32602", "no")},
		{"UNAVAILABLE", "tasks/get", svc.Errorf(svc.CodeUnavailable, "later"), 200, mcpFailure("-32603", "later")},
		{"an unknown error", "tasks/get", errors.New("secret"), 200, mcpFailure("-32603", "internal error")},
		{"an update of a record", "tasks/update", nil, 200, taskAcked},
		{"an update that fails", "tasks/update", svc.Errorf(svc.CodeFailedPrecondition, "no"), 200, mcpFailure("-32603", "no")},
		{"a cancellation of what has ended", "tasks/cancel", svc.Errorf(svc.CodeFailedPrecondition, "it has ended"), 200, taskAcked},
		{"ABORTED", "tasks/cancel", svc.Errorf(svc.CodeAborted, "it has ended"), 200, taskAcked},
		{"a cancellation that fails", "tasks/cancel", svc.Errorf(svc.CodeUnavailable, "later"), 200, mcpFailure("-32603", "later")},
		{"a cancellation of what is gone", "tasks/cancel", svc.Errorf(svc.CodeNotFound, "gone"), 400, mcpFailure("-32602", "gone")},
		{"a cancellation that asks", "tasks/cancel", errTaskConfirm, 200, mcpFailure("-32603", "not done")},
	} {
		t.Run(test.name, func(t *testing.T) {
			store.fail = test.fail
			checkMCPAnswer(t, h, mcpTask(test.method, `"taskId":"`+id+`","inputResponses":{}`, `caps: "elicitation":{}`), test.status, test.want)
		})
	}
	store.fail, store.calls = nil, nil
	checkMCPAnswer(t, h, mcpTask("tasks/cancel", `"taskId":"`+other+`"`), 200, taskAcked)
	if len(store.calls) > 0 {
		t.Errorf("a task without TaskCancel calls %s", store.calls)
	}
}

// taskForm is the form of a question of a task.
type taskForm struct {
	Name string `json:"name" minLength:"2"`
}

// Verify the questions of a task, one after the other and two at once.
func TestMCPTaskQuestions(t *testing.T) {
	store := new(taskStore)
	h := newTaskService(store, io.Discard).MCP(taskOptions())
	id := beginTask(t, h, exportWorking)
	answers := make(map[string]string)
	text := map[string]string{"name": "Who?", "city": "Where?"}
	store.ask = func(ctx context.Context) error {
		if !svc.CanAsk(ctx, "elicitation") {
			return nil
		}
		var open []error
		for _, key := range []string{"name", "city"} {
			if answers[key] != "" {
				continue
			}
			form, err := svc.Ask[taskForm](ctx, key, text[key])
			if err != nil {
				open = append(open, fmt.Errorf("export: %w", err))
				continue
			}
			answers[key] = form.Name
		}
		return errors.Join(open...)
	}
	request := func(method, more string, head ...string) string {
		return mcpTask(method, `"taskId":"`+id+`"`+more, append(head, `caps: "elicitation":{}`)...)
	}
	keys := func() map[string]string {
		t.Helper()
		w := mcpPost(h, request("tasks/get", ""))
		var answer struct {
			Result struct {
				Status        string
				InputRequests map[string]struct {
					Method string
					Params struct{ Message string }
				}
			}
		}
		json.Unmarshal(w.Body.Bytes(), &answer)
		found := make(map[string]string)
		for key, q := range answer.Result.InputRequests {
			if answer.Result.Status != "input_required" || q.Method != "elicitation/create" {
				t.Fatalf("the questions are %s", w.Body)
			}
			name, _, _ := strings.Cut(key, "-")
			found[name] = key
		}
		return found
	}
	update := func(key, answer string) string {
		return request("tasks/update", `,"inputResponses":{"`+key+`":`+answer+`}`)
	}
	first := keys()
	if len(first) != 2 || !strings.HasPrefix(first["name"], "name-") || fmt.Sprint(keys()) != fmt.Sprint(first) {
		t.Fatalf("the keys are %v", first)
	}
	checkMCPAnswer(t, h, mcpTask("tasks/get", `"taskId":"`+id+`"`), 200, `…"status":"working"…`) // who cannot be asked
	for _, test := range []struct {
		name, request string
		status        int
		want          string
	}{
		{"a form that breaks a rule", update(first["name"], `{"action":"accept","content":{"name":"A"}}`), 400, mcpFailure("-32602", "must have at least 2 characters")},
		{"the place of it", update(first["name"], `{"action":"accept","content":{}}`), 400, mcpFailure("-32602", "/"+first["name"]+"/name is required")},
		{"no object", update(first["name"], `5`), 400, mcpFailure("-32602", "must be an object")},
		{"null", update(first["name"], `null`), 200, taskAcked},
		{"the key of the method", update("name", `{"action":"accept","content":{"name":"Ada"}}`), 200, taskAcked},
		{"a key that is not asked, with anything", update("x", `5`), 200, taskAcked},
		{"a no", update(first["name"], `{"action":"decline"}`), 200, taskAcked},
		{"a state, which counts nothing", request("tasks/update", `,"requestState":"x","inputResponses":{}`), 200, taskAcked},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMCPAnswer(t, h, test.request, test.status, test.want)
			if got := keys(); len(got) != 2 || len(answers) != 0 {
				t.Errorf("then it asks %v, and knows %v", got, answers)
			}
		})
	}
	checkMCPAnswer(t, h, update(first["name"], `{"action":"accept","content":{"name":"Ada"}}`), 200, taskAcked)
	text["city"] = "Where exactly?"
	second := keys()
	if len(second) != 1 || second["city"] == first["city"] {
		t.Errorf("a question with another text has the key %v, as before %v", second, first)
	}
	checkMCPAnswer(t, h, update(first["city"], `{"action":"accept","content":{"name":"Rom"}}`), 200, taskAcked) // an answer to the old text
	checkMCPAnswer(t, h, update(second["city"], `{"action":"accept","content":{"name":"Rom"}}`), 200, taskAcked)
	checkMCPAnswer(t, h, request("tasks/get", ""), 200, `…"status":"working"…`)
	if want := map[string]string{"name": "Ada", "city": "Rom"}; fmt.Sprint(answers) != fmt.Sprint(want) {
		t.Errorf("the answers are %v, want %v", answers, want)
	}
	store.ask = func(ctx context.Context) error { return svc.AskURL(ctx, "pay", "Pay", "https://a.example/") }
	checkMCPAnswer(t, h, mcpTask("tasks/get", `"taskId":"`+id+`"`, `caps: "elicitation":{"url":{}}`), 200, `…"inputRequests":{"pay-…":{"method":"elicitation/create","params":{…"url":"https://a.example/"}}}…`)
}

// Verify tasks over standard input and output, without an option.
func TestMCPTaskStdio(t *testing.T) {
	s := newTaskService(new(taskStore), io.Discard)
	reader, in := io.Pipe()
	out, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.MCPStdio(context.Background(), reader, writer, nil) }()
	lines := json.NewDecoder(out)
	send := func(text string) (raw string) {
		t.Helper()
		_, line, _ := strings.Cut(text, "\n\n")
		fmt.Fprintln(in, line)
		var answer json.RawMessage
		if err := lines.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	begun := send(mcpTask("tools/call", exportWorking))
	if !mcpMatches(begun, exportWasBegun) {
		t.Fatalf("the answer is %s", begun)
	}
	_, id, _ := strings.Cut(begun, `"taskId":"`)
	id, _, _ = strings.Cut(id, `"`)
	for _, test := range []struct{ request, want string }{
		{mcpTask("tasks/get", `"taskId":"`+id+`"`), `…"status":"working"…`},
		{mcpTask("tasks/get", `"taskId":"x"`), mcpFailure("-32602", taskUnknown)},
		{mcpTask("tasks/update", `"taskId":"`+id+`","inputResponses":{}`), taskAcked},
		{mcpTask("tasks/cancel", `"taskId":"`+id+`"`), taskAcked},
		{mcpTask("tasks/get", `"taskId":"`+id+`"`), `…"status":"cancelled"…`},
		{mcpTask("tasks/get", `"taskId":"`+id+`"`, "no caps"), taskNeeds},
		{mcpTask("tools/call", `"name":"exports_asked","arguments":{}`, `caps: "elicitation":{}`), `…"requestState":"…`}, // so it can ask again
	} {
		if got := send(test.request); !mcpMatches(got, test.want) {
			t.Errorf("%s\n got %s\nwant %s", test.request, got, test.want)
		}
	}
	in.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Verify that a tool can need an extension, and that documents say where work goes on.
func TestMCPTaskRequired(t *testing.T) {
	s := newTaskService(new(taskStore), io.Discard, func(o *svc.Options) {
		export := o.Methods["Export"]
		export.MCP = &svc.MCPMethod{RequiredCapabilities: []string{"io.modelcontextprotocol/tasks", "sampling"}}
		o.Methods["Export"] = export
	})
	h := s.MCP(taskOptions())
	checkMCPAnswer(t, h, mcpTask("tools/call", exportWorking), 400,
		`{"jsonrpc":"2.0","error":{"code":-32021,"message":"…","data":{"requiredCapabilities":{"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}},"id":1}`)
	checkMCPAnswer(t, h, mcpTask("tools/call", exportWorking, `caps: "sampling":{}`), 200, exportWasBegun)
	const said = "The work may go on after the answer: exports.get says how far it is, and exports.cancel ends it."
	for name, h := range map[string]http.Handler{"OpenAPI": s.OpenAPI(), "Markdown": s.Docs(nil)} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/llms.txt?openapi=3.1", nil))
		if !strings.Contains(w.Body.String(), said) {
			t.Errorf("%s does not say %q", name, said)
		}
	}
}

// Verify that both times of a new task are now.
func TestMCPTaskTimes(t *testing.T) {
	h := newTaskService(new(taskStore), io.Discard).MCP(taskOptions())
	before := time.Now().Truncate(time.Millisecond)
	var answer struct {
		Result struct{ CreatedAt, LastUpdatedAt time.Time }
	}
	w := mcpPost(h, mcpTask("tools/call", exportWorking))
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Result.CreatedAt.Before(before) || answer.Result.LastUpdatedAt.Before(answer.Result.CreatedAt) {
		t.Errorf("%v, %s", err, w.Body)
	}
}
