package blackbox_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests what a model reads that calls what is not there: each answer names the right next
// step, and one that suggests a write says so.

type clinicAPI interface {
	List(context.Context, *clinicList) (*clinicOut, error)
	Get(context.Context, *clinicID) (*clinicOut, error)
	Create(context.Context, *clinicOut) (*clinicOut, error)
	Patch(context.Context, *clinicOut) (*clinicOut, error)
	Delete(context.Context, *clinicID) error
	Archive(context.Context) error                                     // archive_all
	Watch(context.Context, *clinicList) (svc.Stream[clinicOut], error) // REST alone
	Import(context.Context, *clinicFile) (*clinicOut, error)           // REST alone
	Count(context.Context) (*clinicOut, error)                         // REST and JSON-RPC
	Remind(context.Context, *clinicID) error                           // JSON-RPC alone
	Brief(context.Context, *clinicDay) (*mcpShown, error)              // a prompt
	Rules(context.Context) (*mcpShown, error)                          // a resource
}

type clinicID struct {
	ID string `json:"id"`
}

type clinicList struct {
	Day  string `json:"day,omitempty" query:"day,omitempty"`
	Task string `json:"task,omitempty" query:"task,omitempty"`
}

type clinicDay struct {
	Day string `json:"day,omitempty"`
}

type clinicFile struct {
	svc.Body
}

type clinicOut struct {
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
}

type clinicImpl struct{}

func (clinicImpl) List(context.Context, *clinicList) (*clinicOut, error) { return &clinicOut{}, nil }
func (clinicImpl) Get(_ context.Context, in *clinicID) (*clinicOut, error) {
	return &clinicOut{ID: in.ID}, nil
}
func (clinicImpl) Create(_ context.Context, in *clinicOut) (*clinicOut, error) { return in, nil }
func (clinicImpl) Patch(_ context.Context, in *clinicOut) (*clinicOut, error)  { return in, nil }
func (clinicImpl) Delete(context.Context, *clinicID) error                     { return nil }
func (clinicImpl) Archive(context.Context) error                               { return nil }
func (clinicImpl) Import(context.Context, *clinicFile) (*clinicOut, error)     { return &clinicOut{}, nil }
func (clinicImpl) Count(context.Context) (*clinicOut, error)                   { return &clinicOut{}, nil }
func (clinicImpl) Remind(context.Context, *clinicID) error                     { return nil }
func (clinicImpl) Brief(_ context.Context, in *clinicDay) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "on " + in.Day}}}, nil
}
func (clinicImpl) Rules(context.Context) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "rules"}}}, nil
}
func (clinicImpl) Watch(context.Context, *clinicList) (svc.Stream[clinicOut], error) {
	return func(func(*clinicOut, error) bool) {}, nil
}

func newClinic() *svc.Service {
	return svc.MustRegister[clinicAPI](clinicImpl{}, &svc.Options{Resource: "appointments", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Patch":   {HTTP: "PATCH /appointments/{id}"},
			"Archive": {MCP: &svc.MCPMethod{Name: "archive_all"}},
			"Watch":   {HTTP: "GET /appointments/watch", Transports: []svc.Transport{svc.TransportREST}},
			"Count":   {HTTP: "GET /appointments/count", Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}},
			"Remind":  {Transports: []svc.Transport{svc.TransportRPC}},
			"Brief":   {MCP: &svc.MCPMethod{Prompt: true}},
			"Rules":   {HTTP: "GET /appointments/rules", MCP: &svc.MCPMethod{URI: "clinic://rules", NotTool: true}},
		}})
}

// Verify the answers to wrong calls, in every revision, over HTTP and over standard input and output.
func TestMCPWrongCalls(t *testing.T) {
	s := newClinic()
	call := func(name string) string { return `"name":"` + name + `","arguments":{"id":"7"}` }
	const tool, prompt, method = "there is no tool of this name", "there is no prompt of this name", "there is no such method"
	const writes = `, which changes data?`
	meant := func(what, name, note string) string { return what + `; did you mean \"` + name + `\"` + note + `"` }
	unread := func(member string) string {
		return "/params/" + member + ` is not read; send the arguments as the object /params/arguments"`
	}
	for _, test := range []struct{ name, method, params, want string }{
		// names of other transports
		{"of JSON-RPC", "tools/call", call("appointments.get"), meant(tool, "appointments_get", "?")},
		{"of JSON-RPC, a write", "tools/call", call("appointments.delete"), meant(tool, "appointments_delete", writes)},
		{"an alias of JSON-RPC", "tools/call", call("appointments.Get"), meant(tool, "appointments_get", "?")},
		{"of JSON-RPC, with another name of the tool", "tools/call", call("appointments.archive"), meant(tool, "archive_all", writes)},
		{"the name by default", "tools/call", call("appointments_archive"), meant(tool, "archive_all", writes)},
		{"a stream of REST", "tools/call", call("appointments_watch"), tool + `; \"appointments_watch\" is served over REST only"`},
		{"a stream of REST, by its name in JSON-RPC", "tools/call", call("appointments.watch"), tool + `; \"appointments_watch\" is served over REST only"`},
		{"near a stream of REST", "tools/call", call("appointments_wacth"), tool + `; \"appointments_watch\" is served over REST only"`},
		{"a Body", "tools/call", call("appointments_import"), tool + `; \"appointments_import\" is served over REST only"`},
		{"of REST and JSON-RPC", "tools/call", call("appointments_count"), tool + `; \"appointments_count\" is served over REST and JSON-RPC only"`},
		{"of JSON-RPC alone, which no document names", "tools/call", call("appointments_remind"), tool + `; tools/list has all"`},
		{"a route", "tools/call", call("GET /appointments/7"), tool + `; tools/list has all"`},
		// other kinds
		{"a prompt", "tools/call", call("appointments_brief"), tool + `; \"appointments_brief\" is a prompt; get it by prompts/get"`},
		{"a resource", "tools/call", call("appointments_rules"), tool + `; \"appointments_rules\" is a resource; read clinic://rules by resources/read"`},
		{"a tool as a prompt", "prompts/get", `"name":"appointments_list"`, prompt + `; \"appointments_list\" is a tool; call it by tools/call"`},
		{"a write as a prompt", "prompts/get", `"name":"appointments_delete"`, prompt + `; \"appointments_delete\" is a tool, which changes data; call it by tools/call"`},
		{"near a prompt", "prompts/get", `"name":"appointments-brief"`, meant(prompt, "appointments_brief", "?")},
		{"a tool as a method", "appointments_list", "", method + `; \"appointments_list\" is a tool: call it by tools/call"`},
		{"a write as a method", "appointments_delete", `"id":"7"`, method + `; \"appointments_delete\" is a tool, which changes data: call it by tools/call"`},
		{"a method of JSON-RPC", "appointments.get", `"id":"7"`, method + `; \"appointments_get\" is a tool: call it by tools/call"`},
		{"a stream as a method", "appointments_watch", "", method + `"`},
		// other resources and spellings
		{"another resource", "tools/call", call("patients_get"), tool + `; tools/list has all"`},
		{"one of them", "tools/call", call("appointment_get"), meant(tool, "appointments_get", "?")},
		{"one of them, a write", "tools/call", call("appointment_create"), meant(tool, "appointments_create", writes)},
		{"without the resource", "tools/call", call("get"), tool + `; tools/list has all"`},
		{"camel case", "tools/call", call("appointmentsGet"), meant(tool, "appointments_get", "?")},
		{"with hyphens", "tools/call", call("appointments-get"), meant(tool, "appointments_get", "?")},
		{"upper case", "tools/call", call("APPOINTMENTS_LIST"), meant(tool, "appointments_list", "?")},
		{"a slip", "tools/call", call("appointments_lst"), meant(tool, "appointments_list", "?")},
		{"between a read and a write", "tools/call", call("appointments_pet"), meant(tool, "appointments_get", "?")},
		{"tool/call", "tool/call", call("appointments_get"), meant(method, "tools/call", "?")},
		{"tools.call", "tools.call", call("appointments_get"), meant(method, "tools/call", "?")},
		{"tools/List", "tools/List", "", meant(method, "tools/list", "?")},
		{"tasks/get without tasks", "tasks/get", "", method + `"`},
		// arguments in another form
		{"as a text", "tools/call", `"name":"appointments_get","arguments":"{\"id\":\"7\"}"`, `-32602,"message":"/params/arguments must be an object, is a string with JSON in it; send the object itself"`},
		{"as a text that is no JSON", "tools/call", `"name":"appointments_get","arguments":"7"`, `-32602,"message":"/params/arguments must be an object, is a string"`},
		{"as a list", "tools/call", `"name":"appointments_get","arguments":["7"]`, `-32602,"message":"/params/arguments must be an object, is an array"`},
		{"as params", "tools/call", `"name":"appointments_get","params":{"id":"7"}`, unread("params")},
		{"as args", "tools/call", `"name":"appointments_list","args":{"day":"7"}`, unread("args")},
		{"as input of a prompt", "prompts/get", `"name":"appointments_brief","input":{"day":"7"}`, unread("input")},
		{"beside the name", "tools/call", `"name":"appointments_get","id":"7"`, unread("id")},
		{"no name", "tools/call", `"tool":"appointments_get","arguments":{"id":"7"}`, `-32602,"message":"params.name is required and must be a string"`},
		{"another argument", "tools/call", `"name":"appointments_get","arguments":{"Id":"7"}`, `/Id is not a known property; did you mean \"id\"?`},
		// what is right
		{"a call", "tools/call", call("appointments_get"), `"isError":false`},
		{"null", "tools/call", `"name":"appointments_list","arguments":null,"args":null`, `"isError":false`},
		{"params of another revision", "tools/call", `"name":"appointments_list","task":{"ttl":1}`, `"isError":false`},
	} {
		t.Run(test.name, func(t *testing.T) { eachMCP(t, s, nil, test.method, test.params, test.want) })
	}
	reads := func(context.Context, svc.Method) bool { return false }
	eachMCP(t, s, &svc.MCPOptions{Show: reads}, "tools/call", call("appointments-get"), tool+`; tools/list has all"`)
	eachMCP(t, s, &svc.MCPOptions{Show: reads}, "tools/call", call("appointments_brief"), tool+`; tools/list has all"`)
	eachMCP(t, s, &svc.MCPOptions{Show: reads}, "appointments_get", "", method+`"`)
}

// Verify the same over JSON-RPC and by Service.Call.
func TestWrongCalls(t *testing.T) {
	s := newClinic()
	for method, want := range map[string]string{
		"appointments_get":   `Method not found; did you mean \"appointments.get\"?"`,
		"archive_all":        `Method not found; did you mean \"appointments.archive\", which changes data?"`,
		"appointments.watch": `Method not found; \"appointments.watch\" is served over REST only"`,
		"appointments_watch": `Method not found; \"appointments.watch\" is served over REST only"`,
		"appointments.delte": `Method not found; did you mean \"appointments.delete\", which changes data?"`,
		"appointments.remnd": `Method not found; did you mean \"appointments.remind\", which changes data?"`,
		"patients.get":       `Method not found"`,
	} {
		if got := rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`).Body.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", method, got, want)
		}
	}
	for _, test := range []struct{ resource, name, want string }{
		{"appointments", "gett", `there is no method "gett" in resource "appointments"; did you mean "get"?`},
		{"appointments", "delte", `there is no method "delte" in resource "appointments"; did you mean "delete", which changes data?`},
		{"appointment", "get", `there is no resource "appointment"; did you mean "appointments"?`},
		{"patients", "get", `there is no resource "patients"`},
	} {
		_, err := s.Call(context.Background(), test.resource, test.name, nil)
		if svc.CodeOf(err) != svc.CodeUnimplemented || err.Error() != "UNIMPLEMENTED: "+test.want {
			t.Errorf("%s.%s: %v\nwant %s", test.resource, test.name, err, test.want)
		}
	}
}
