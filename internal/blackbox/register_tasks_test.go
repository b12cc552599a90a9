package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/svc"
)

// TasksAPI has methods that MethodOptions.Task can name, and others that it cannot.
type (
	TasksAPI interface {
		Begin(context.Context) (*regTask, error)
		Cancel(context.Context, *regTaskID) error
		Count(context.Context) (*regOut, error)
		Download(context.Context) (*svc.File, error)
		Follow(context.Context, *regTaskID) (svc.Stream[regTask], error)
		Get(context.Context, *regTaskID) (*regTask, error)
		GetNumber(context.Context, *regTaskNumber) (*regTask, error)
		GetOne(context.Context, *regTaskOne) (*regTask, error)
		GetOther(context.Context, *regTaskID) (*regOtherTask, error)
		Refresh(context.Context, *regTaskID) (*regTask, error)
		Stop(context.Context, *regTaskOne) error
		Throw(context.Context) error
		Upload(context.Context, *regTaskUpload) error
	}
	regTasks struct{ TasksAPI }

	regTask struct {
		ID   string `json:"id"`
		Page string `json:"page,omitempty"`
		Size int    `json:"-" header:"X-Size"`
	}
	regOtherTask regTask
	regTaskID    struct {
		ID   string   `json:"-" path:"id"`
		Page []string `json:"page,omitempty"`
	}
	regTaskNumber struct {
		ID int `json:"-" path:"id"`
	}
	regTaskUpload struct{ Data svc.Body }
	regTaskOne    struct {
		ID   string `json:"id"`
		Site string `json:"site"`
		Page string `json:"page,omitempty"`
		Size int    `json:"size"`
	}
)

func (*regTask) TaskState() (state, message string)      { return "working", "" }
func (*regOtherTask) TaskState() (state, message string) { return "working", "" }

// taskMethods are the options of Begin, and of the methods whose routes must be said.
func taskMethods(begin svc.MethodOptions, more map[string]svc.MethodOptions) *svc.Options {
	o := &svc.Options{Methods: map[string]svc.MethodOptions{
		"Follow": {HTTP: "GET /follow/{id}"}, "Get": {HTTP: "GET /tasks/{id}"}, "GetNumber": {HTTP: "GET /numbers/{id}"},
		"GetOther": {HTTP: "GET /others/{id}"}, "Cancel": {HTTP: "POST /tasks/{id}/cancel"}, "Refresh": {HTTP: "POST /tasks/{id}/refresh"},
	}}
	for name, options := range more {
		options.HTTP = o.Methods[name].HTTP
		o.Methods[name] = options
	}
	o.Methods["Begin"] = begin
	return o
}

func TestRegisterTasks(t *testing.T) {
	task := func(name string) *svc.Options { return taskMethods(svc.MethodOptions{Task: name}, nil) }
	cancel := func(name string) *svc.Options {
		return taskMethods(svc.MethodOptions{Task: "Get", TaskCancel: name}, nil)
	}
	of := func(name string) *svc.Options {
		return taskMethods(svc.MethodOptions{}, map[string]svc.MethodOptions{name: {Task: "Get"}})
	}
	regGolden(t, "tasks.txt", []regCase{
		{"a task", reg[TasksAPI](task("Get"))},
		{"a task that can be canceled", reg[TasksAPI](cancel("Cancel"))},
		{"an unknown name", reg[TasksAPI](task("Gett"))},
		{"the method itself", reg[TasksAPI](task("Begin"))},
		{"no tool", reg[TasksAPI](taskMethods(svc.MethodOptions{Task: "Get", Transports: []svc.Transport{svc.TransportREST}}, nil))},
		{"a resource alone", reg[TasksAPI](taskMethods(svc.MethodOptions{}, map[string]svc.MethodOptions{
			"Get": {Task: "Refresh", MCP: &svc.MCPMethod{URI: "tasks://{id}", NotTool: true}},
		}))},
		{"no output", reg[TasksAPI](of("Throw"))},
		{"an output without TaskState", reg[TasksAPI](of("Count"))},
		{"a stream", reg[TasksAPI](of("Follow"))},
		{"a file", reg[TasksAPI](of("Download"))},
		{"a reader of another record", reg[TasksAPI](task("GetOther"))},
		{"a reader without an output", reg[TasksAPI](task("Throw"))},
		{"a reader that streams", reg[TasksAPI](task("Follow"))},
		{"a reader with a Body", reg[TasksAPI](task("Upload"))},
		{"a reader with a task", reg[TasksAPI](taskMethods(svc.MethodOptions{Task: "Refresh"}, map[string]svc.MethodOptions{"Refresh": {Task: "Get"}}))},
		{"a reader that requires a key", reg[TasksAPI](taskMethods(svc.MethodOptions{Task: "Refresh"}, map[string]svc.MethodOptions{"Refresh": {IdempotencyKey: svc.KeyRequired}}))},
		{"a reader that needs another type", reg[TasksAPI](task("GetNumber"))},
		{"a reader that needs more", reg[TasksAPI](task("GetOne"))},
		{"an unknown canceller", reg[TasksAPI](cancel("Cancle"))},
		{"a canceller that needs more", reg[TasksAPI](cancel("Stop"))},
		{"a canceller that streams", reg[TasksAPI](cancel("Follow"))},
		{"the method as its canceller", reg[TasksAPI](cancel("Begin"))},
		{"a canceller without a task", reg[TasksAPI](taskMethods(svc.MethodOptions{TaskCancel: "Cancel"}, nil))},
		{"all at once", reg[TasksAPI](taskMethods(svc.MethodOptions{Task: "GetOne", TaskCancel: "Begin"}, map[string]svc.MethodOptions{
			"Count": {Task: "Count", Transports: []svc.Transport{svc.TransportRPC}}, "Throw": {TaskCancel: "Cancel"},
		}))},
		{"MCP without a StateKey", func() error {
			svc.MustRegister[TasksAPI](regTasks{}, task("Get")).MCP(nil)
			return nil
		}},
		{"MCP with the names of tasks", func() error {
			fn := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
			svc.MustRegister[TasksAPI](regTasks{}, task("Get")).MCP(&svc.MCPOptions{
				Extensions: map[string]any{"io.modelcontextprotocol/tasks": struct{}{}},
				Methods:    map[string]func(context.Context, json.RawMessage) (any, error){"tasks/list": fn, "tasks/get": fn, "a/b": fn},
			})
			return nil
		}},
	})
}

// Verify that two services with methods of one name keep their own readers after Join.
func TestJoinTasks(t *testing.T) {
	a, b := new(taskStore), new(taskStore)
	other := newTaskService(b, io.Discard, func(o *svc.Options) { o.Resource, o.Name = "others", "Others" })
	h := svc.Join("both", newTaskService(a, io.Discard), other.At("/v1")).MCP(taskOptions())
	id := beginTask(t, h, strings.Replace(exportWorking, "exports_", "others_", 1))
	checkMCPAnswer(t, h, mcpTask("tasks/get", `"taskId":"`+id+`"`), 200, `…"status":"working"…`)
	if len(a.calls) != 0 || len(b.calls) != 1 {
		t.Error(fmt.Sprint(a.calls, b.calls))
	}
}
