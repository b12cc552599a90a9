package blackbox_test

import (
	"context"
	"math"
	"regexp"
	"slices"
	"testing"

	"example.com/svc"
)

// This file tests the mistakes that there are in MethodOptions.MCP and Options.ToolPrefix.

type regMCP interface {
	Get(context.Context, *regMCPID) (*regMCPID, error)
	List(context.Context, *regMCPTags) (*regMCPID, error)
	Create(context.Context, *regMCPID) (*regMCPID, error)
	Delete(context.Context, *regMCPID) error
	Compose(context.Context, *regMCPTags) (*regMCPPoem, error)
	Send(context.Context, *regMCPBody) error
	Write(context.Context) (*regMCPPoem, error)
}

type regMCPID struct {
	ID string `json:"id"`
}

type regMCPBody struct{ svc.Body }

type regMCPTags struct {
	Tags []string `json:"tags,omitempty"`
	Mood string   `json:"mood,omitempty"`
}

type regMCPPoem struct{}

func (*regMCPPoem) MCPContent() []svc.MCPContent { return nil }

// Verify the mistakes in what MCP shows of methods: each is told at registration.
func TestRegisterMCP(t *testing.T) {
	yes := true
	complete := func(context.Context, svc.MCPCompletion) ([]string, error) { return nil, nil }
	register := func(o *svc.Options) (*svc.Service, error) { return svc.Register[regMCP](struct{ regMCP }{}, o) }
	with := func(shown map[string]svc.MCPMethod) func() error {
		return func() error {
			_, err := register(showing(&svc.Options{Resource: "r"}, shown))
			return err
		}
	}
	options := func(prefix string, methods map[string]svc.MethodOptions) func() error {
		return func() error {
			_, err := register(&svc.Options{Resource: "r", ToolPrefix: prefix, Methods: methods})
			return err
		}
	}
	join := func(names ...string) func() error {
		return func() error {
			var all []*svc.Service
			for _, resource := range []string{"a", "b"} {
				o := showing(&svc.Options{Resource: resource}, map[string]svc.MCPMethod{"Get": {Name: names[0], URI: names[1]}})
				o.ToolPrefix = names[2]
				s, err := register(o)
				if err != nil {
					return err
				}
				all = append(all, s)
			}
			svc.Join("both", all...)
			return nil
		}
	}
	mcp := []svc.Transport{svc.TransportMCP}
	regGolden(t, "mcp.txt", []regCase{
		{"all is well", with(map[string]svc.MCPMethod{
			"Get":     {Name: "_get-It", URI: "r://{id}", MIMEType: "text/plain", TTL: 1, Complete: complete, ReadOnly: &yes, Meta: map[string]any{"a": 1}},
			"List":    {URI: "r://all{?mood}", NotTool: true},
			"Create":  {InputSchema: []byte(` {"type": "object"} `), RequiredCapabilities: []string{"sampling"}, OpenWorld: &yes},
			"Compose": {Title: "A poem"},
		})},
		{"prompts that are more", with(map[string]svc.MCPMethod{
			"Compose": {Prompt: true, URI: "r://poem", NotTool: true, TTL: 1, MIMEType: "text/x", InputSchema: []byte("{}"), ReadOnly: &yes, Destructive: &yes},
			"Get":     {Prompt: true},
		})},
		{"what needs a URI", with(map[string]svc.MCPMethod{"Get": {NotTool: true, MIMEType: "text/x"}, "List": {TTL: 1}, "Create": {Complete: complete}})},
		{"a resource alone with what a tool has", with(map[string]svc.MCPMethod{"Get": {URI: "r://{id}", NotTool: true, Idempotent: &yes}})},
		{"a method that takes a Body", with(map[string]svc.MCPMethod{"Send": {Title: "Send it"}})},
		{"a method that MCP does not serve", options("", map[string]svc.MethodOptions{"Get": {Transports: []svc.Transport{svc.TransportREST}, MCP: new(svc.MCPMethod)}})},
		{"a resource that REST does not serve", options("", map[string]svc.MethodOptions{"Get": {Transports: mcp, MCP: &svc.MCPMethod{URI: "r://{id}"}}})},
		{"names", with(map[string]svc.MCPMethod{"Get": {Name: "größe"}, "List": {Name: "7up"}, "Create": {Name: "-x"}, "Delete": {Name: "a_name_that_has_more_characters_than_models_take_behind_a_prefix"}})},
		{"icons and Meta", with(map[string]svc.MCPMethod{"Get": {Icons: []svc.MCPIcon{{Src: "http://x/y"}}, Meta: map[string]any{"f": math.Inf(1)}}, "List": {Icons: []svc.MCPIcon{{Src: "data:,x", Theme: "blue"}}}})},
		{"schemas", with(map[string]svc.MCPMethod{"Get": {InputSchema: []byte(`{"type":"object"`)}, "List": {InputSchema: []byte(`{"Type":"object"}`)}, "Create": {InputSchema: []byte(`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}`)}})},
		{"URIs", with(map[string]svc.MCPMethod{
			"Get": {URI: "r://{nope}"}, "List": {URI: "r://all{?tags}", TTL: -1}, "Create": {URI: "r://{id}"}, "Delete": {URI: "r://x/{id}"}, "Compose": {URI: "{id}{id}"},
		})},
		{"two equal names", with(map[string]svc.MCPMethod{"Get": {Name: "r_list"}})},
		{"two equal URIs", with(map[string]svc.MCPMethod{"List": {URI: "r://all"}, "Compose": {URI: "r://all"}})},
		{"a prefix with a blank", options("a b", nil)},
		{"a prefix with a digit first", options("7up", nil)},
		{"no prefix", options("-", nil)},
		{"two names after Join", join("one", "", "")},
		{"two URIs after Join", join("", "r://{id}", "")},
		{"two equal prefixes after Join", join("", "", "all")},
	})
}

// Verify that a tool, a prompt or a URI that is renamed or gone breaks a contract, and that a contract
// of before there were names says nothing about them.
func TestContractOfMCPNames(t *testing.T) {
	service := func(prefix string, shown map[string]svc.MCPMethod) *svc.Service {
		o := showing(&svc.Options{Resource: "r", Methods: map[string]svc.MethodOptions{"Compose": {HTTP: "GET /r/poem"}}}, shown)
		o.ToolPrefix = prefix
		return svc.MustRegister[regMCP](struct{ regMCP }{}, o)
	}
	type shown = map[string]svc.MCPMethod
	for _, test := range []struct {
		name     string
		was, is  shown
		old, now string // prefixes
		breaks   []string
	}{
		{name: "nothing", was: shown{"Get": {Name: "one"}}, is: shown{"Get": {Name: "one", Title: "One"}}},
		{name: "a name", is: shown{"Get": {Name: "one"}}, breaks: []string{"r.get: the tool is called one, was r_get"}},
		{name: "a prefix", now: "-", breaks: []string{
			"r.compose: the tool is called compose, was r_compose", "r.create: the tool is called create, was r_create", "r.delete: the tool is called delete, was r_delete",
			"r.get: the tool is called get, was r_get", "r.list: the tool is called list, was r_list", "r.write: the tool is called write, was r_write"}},
		{name: "no tool any more", is: shown{"Get": {URI: "r://{id}", NotTool: true}}, breaks: []string{"r.get: the tool r_get is gone"}},
		{name: "a resource", was: shown{"Get": {URI: "r://{id}"}}, is: shown{"Get": {URI: "r://r/{id}"}}, breaks: []string{"r.get: the resource has the URI r://r/{id}, had r://{id}"}},
		{name: "a resource that is gone", was: shown{"Get": {URI: "r://{id}"}}, breaks: []string{"r.get: the resource r://{id} is gone"}},
		{name: "a prompt in place of a tool", was: shown{"Write": {Name: "w"}}, is: shown{"Write": {Prompt: true}}, breaks: []string{"r.write: the tool w is gone"}},
		{name: "a prompt", was: shown{"Write": {Prompt: true}}, is: shown{"Write": {Prompt: true, Name: "w"}}, breaks: []string{"r.write: the prompt is called w, was r_write"}},
		{name: "one more parameter", was: shown{"List": {URI: "r://all"}}, is: shown{"List": {URI: "r://all{?mood}"}}},
		{name: "one parameter less", was: shown{"List": {URI: "r://all{?mood}"}}, is: shown{"List": {URI: "r://all"}}, breaks: []string{"r.list: the resource has the URI r://all, had r://all{?mood}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			released, now := service(test.old, test.was).Contract(), service(test.now, test.is)
			breaks, err := now.Breaks(released)
			var got []string
			for _, b := range breaks {
				got = append(got, b.String())
			}
			if err != nil || !slices.Equal(got, test.breaks) {
				t.Errorf("got %q, %v, want %q", got, err, test.breaks)
			}
			before := regexp.MustCompile(`,"(tool|prompt|resource)":"[^"]*"`).ReplaceAll(released, nil)
			if breaks, err := now.Breaks(before); err != nil || breaks != nil {
				t.Errorf("a contract without names: %v, %v", breaks, err)
			}
		})
	}
}
