package blackbox_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests what a model reads that calls a tool wrongly: whether the message leads to
// the right call.

type ticketsAPI interface {
	Create(context.Context, *ticketIn) (*ticketOut, error)
	Inspect(context.Context, *ticketSearch) (*ticketOut, error)
}

type ticketLevel string

func (ticketLevel) Enum() []ticketLevel { return []ticketLevel{"low", "high"} }

type ticketIn struct {
	Title    string                    `json:"title"`
	Count    int                       `json:"count"`
	Level    ticketLevel               `json:"level,omitempty"`
	Room     int                       `json:"room,omitempty"`
	Note     string                    `json:"note,omitempty"`
	Urgent   bool                      `json:"urgent,omitempty"`
	Due      time.Time                 `json:"due,omitzero"`
	Tags     []string                  `json:"tags,omitempty"`
	Sizes    []int                     `json:"sizes,omitempty"`
	Pair     [2]int                    `json:"pair,omitzero"`
	Place    ticketPlace               `json:"place,omitzero"`
	Lengths  map[string]int            `json:"lengths,omitempty"`
	Optional svc.Optional[ticketPlace] `json:"optional,omitzero"`
}

type ticketPlace struct {
	CityName string  `json:"cityName,omitempty"`
	Floor    int     `json:"floor,omitempty"`
	Lat      float64 `json:"lat,omitempty"`
}

type ticketSearch struct {
	Filter  *ticketFilter          `json:"filter,omitempty"`
	Pages   []ticketPage           `json:"pages,omitempty"`
	Named   map[string]ticketNamed `json:"named,omitempty"`
	Regions []string               `json:"regions,omitempty"`
}

type ticketFilter struct {
	Region string        `json:"region,omitempty"`
	Open   bool          `json:"open,omitempty"`
	Range  ticketRange   `json:"range,omitzero"`
	Same   *ticketFilter `json:"same,omitempty"`
}

type ticketRange struct {
	From string `json:"from,omitempty"`
	Till string `json:"till,omitempty"`
}

type ticketPage struct {
	Size ticketRange `json:"size,omitzero"`
}

type ticketNamed struct {
	Inner ticketPage `json:"inner,omitzero"`
}

type ticketOut struct {
	In *ticketIn `json:"in,omitempty"`
}

type tickets struct{}

func (tickets) Create(_ context.Context, in *ticketIn) (*ticketOut, error) {
	return &ticketOut{In: in}, nil
}

func (tickets) Inspect(context.Context, *ticketSearch) (*ticketOut, error) { return &ticketOut{}, nil }

func newTickets() *svc.Service {
	return svc.MustRegister[ticketsAPI](tickets{}, &svc.Options{Name: "Tickets", Resource: "tickets", Version: "1", Logger: slog.New(slog.DiscardHandler)})
}

// Verify that each of the typical mistakes of models gets a message from which the right call
// can be read. right is that call.
func TestMCPTypicalMistakes(t *testing.T) {
	for _, test := range []struct{ name, wrong, message, right string }{
		{"a near name", `{"title":"a","count":1,"nots":"x"}`,
			`INVALID_ARGUMENT: invalid input: /nots is not a known property; did you mean \"note\"?`, `{"title":"a","count":1,"note":"x"}`},
		{"a wrong name of a required argument", `{"titel":"a","count":1}`,
			`INVALID_ARGUMENT: invalid input: /titel is not a known property; did you mean \"title\"? (and 1 more)\n- /titel is not a known property; did you mean \"title\"?\n- /title is required`, `{"title":"a","count":1}`},
		{"a text for a number", `{"title":"a","count":"7"}`,
			`INVALID_ARGUMENT: invalid input: /count must be an integer, is a string with JSON in it; send the integer itself`, `{"title":"a","count":7}`},
		{"JSON in a string", `{"title":"a","count":1,"tags":"[\"x\"]"}`,
			`INVALID_ARGUMENT: invalid input: /tags must be an array, is a string with JSON in it; send the array itself`, `{"title":"a","count":1,"tags":["x"]}`},
		{"an extra argument", `{"title":"a","count":1,"confidence":0.5}`,
			`INVALID_ARGUMENT: invalid input: /confidence is not a known property`, `{"title":"a","count":1}`},
		{"null", `{"title":"a","count":1,"room":null}`,
			`INVALID_ARGUMENT: invalid input: /room must be an integer, is null; leave it out`, `{"title":"a","count":1}`},
		{"a missing argument", `{"title":"a"}`,
			`INVALID_ARGUMENT: invalid input: /count is required`, `{"title":"a","count":1}`},
		{"an enum in another case", `{"title":"a","count":1,"level":"High"}`,
			`INVALID_ARGUMENT: invalid input: /level must be one of low, high`, `{"title":"a","count":1,"level":"high"}`},
		{"another form of date", `{"title":"a","count":1,"due":"31.03.2026"}`,
			`INVALID_ARGUMENT: invalid input: /due must be a date and time by RFC 3339, such as 2006-01-02T15:04:05Z`, `{"title":"a","count":1,"due":"2026-03-31T00:00:00Z"}`},
		{"one level too high", `{"title":"a","count":1,"cityName":"Rome"}`,
			`INVALID_ARGUMENT: invalid input: /cityName is not a known property; did you mean /place/cityName?`, `{"title":"a","count":1,"place":{"cityName":"Rome"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newTickets()
			eachMCP(t, s, nil, "tools/call", `"name":"tickets_create","arguments":`+test.wrong, `"text":"`+test.message+`"}],"isError":true`)
			eachMCP(t, s, nil, "tools/call", `"name":"tickets_create","arguments":`+test.right, `"isError":false`)
		})
	}
}

// Verify for which arguments null is told to be left out.
func TestMCPNullArguments(t *testing.T) {
	h := newTickets().MCP(nil)
	for _, test := range []struct{ arguments, want string }{
		{`{"title":"a","count":null}`, `: /count must be an integer, is null"`},
		{`{"title":null,"count":1}`, `: /title must be a string, is null"`},
		{`{"title":"a","count":1,"note":null}`, `: /note must be a string, is null; leave it out"`},
		{`{"title":"a","count":1,"urgent":null}`, `: /urgent must be true or false, is null; leave it out"`},
		{`{"title":"a","count":1,"level":null}`, `: /level must be a string, is null; leave it out"`},
		{`{"title":"a","count":1,"due":null}`, `such as 2006-01-02T15:04:05Z, is null; leave it out"`},
		{`{"title":"a","count":1,"tags":null}`, `: /tags must be an array, is null; leave it out"`},
		{`{"title":"a","count":1,"tags":[null]}`, `: /tags/0 must be a string, is null"`},
		{`{"title":"a","count":1,"sizes":[1,null]}`, `: /sizes/1 must be an integer, is null"`},
		{`{"title":"a","count":1,"pair":null}`, `: /pair must be an array, is null; leave it out"`},
		{`{"title":"a","count":1,"place":null}`, `: /place must be an object, is null; leave it out"`},
		{`{"title":"a","count":1,"place":{"floor":null}}`, `: /place/floor must be an integer, is null; leave it out"`},
		{`{"title":"a","count":1,"lengths":{"a":null}}`, `: /lengths/a must be an integer, is null"`},
		{`{"title":"a","count":1,"optional":{"floor":null}}`, `: /optional/floor must be an integer, is null; leave it out"`},
		{`{"title":"a","count":1,"optional":null}`, `"isError":false`},
		{`{"title":"a","count":1,"room":null,"note":null}`, `\n- /room must be an integer, is null; leave it out\n- /note must be a string, is null; leave it out"`},
	} {
		t.Run(rowName(test.arguments), func(t *testing.T) {
			got := mcpPost(h, mcpLegacy("2025-11-25", "tools/call", `"name":"tickets_create","arguments":`+test.arguments)).Body.String()
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
	many := `{"title":"a","count":1` + strings.Repeat(`,"place":{"floor":null}`, 1) + `,"sizes":[` + strings.Repeat("null,", 100) + `null],"room":null}`
	got := mcpPost(h, mcpLegacy("2025-11-25", "tools/call", `"name":"tickets_create","arguments":`+many)).Body.String()
	if strings.Contains(got, `/sizes/31 must be an integer, is null; leave it out`) || !strings.Contains(got, "more") {
		t.Errorf("of many violations: %s", got)
	}
}

// Verify that an argument at the wrong level is named where it belongs, and what is preferred.
func TestMCPArgumentsOfAnotherLevel(t *testing.T) {
	h := newTickets().MCP(nil)
	for _, test := range []struct{ arguments, want string }{
		{`{"region":"eu"}`, `: /region is not a known property; did you mean /filter/region?"`}, // and not "regions"
		{`{"Region":"eu"}`, `: /Region is not a known property; did you mean /filter/region?"`},
		{`{"Regions":["eu"]}`, `: /Regions is not a known property; did you mean \"regions\"?"`},
		{`{"regionz":"eu"}`, `: /regionz is not a known property; did you mean \"regions\"?"`},
		{`{"filter":{"from":"a"}}`, `: /filter/from is not a known property; did you mean \"range/from\"?"`},
		{`{"pages":[{"till":"a"}]}`, `: /pages/0/till is not a known property; did you mean \"size/till\"?"`},
		{`{"named":{"secret":{"size":{}}}}`, `: /named/secret/size is not a known property; did you mean \"inner/size\"?"`},
		{`{"from":"a"}`, `: /from is not a known property"`}, // two levels too high
		{`{"size":{}}`, `: /size is not a known property"`},  // in a list, which of its items is not known
		{`{"filter":{"regions":["eu"]}}`, `: /filter/regions is not a known property; did you mean \"region\"?"`},
	} {
		t.Run(rowName(test.arguments), func(t *testing.T) {
			got := mcpPost(h, mcpLegacy("2025-11-25", "tools/call", `"name":"tickets_inspect","arguments":`+test.arguments)).Body.String()
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

// Verify that an unknown tool or prompt is told with the nearest name that the caller is shown.
func TestMCPUnknownTool(t *testing.T) {
	s := newTickets()
	eachMCP(t, s, nil, "tools/call", `"name":"ticket_create"`, `"code":-32602,"message":"there is no tool of this name; did you mean \"tickets_create\"?"`)
	eachMCP(t, s, nil, "tools/call", `"name":"ticketsCreate","arguments":{"title":"a"}`, `"code":-32602,"message":"there is no tool of this name; did you mean \"tickets_create\"?"`)
	eachMCP(t, s, nil, "tools/call", `"name":"weather"`, `"code":-32602,"message":"there is no tool of this name; tools/list has all"`)
	hidden := &svc.MCPOptions{Show: func(_ context.Context, m svc.Method) bool { return m.Name != "create" }}
	eachMCP(t, s, hidden, "tools/call", `"name":"ticket_create"`, `"code":-32602,"message":"there is no tool of this name; tools/list has all"`)
	eachMCP(t, s, hidden, "tools/call", `"name":"ticket_inspect"`, `; did you mean \"tickets_inspect\"?"`)
	broken := &svc.MCPOptions{Show: func(context.Context, svc.Method) bool { panic("secret") }}
	eachMCP(t, s, broken, "tools/call", `"name":"ticket_create"`, `"code":-32602,"message":"there is no tool of this name; tools/list has all"`)
	asking, _ := newAsking(nil)
	opts := &svc.MCPOptions{Prompts: map[string]svc.MCPPromptOptions{"Compose": {}}}
	eachMCP(t, asking, opts, "prompts/get", `"name":"compose_ask"`, `"code":-32602,"message":"there is no prompt of this name; prompts/list has all"`)
	eachMCP(t, asking, opts, "prompts/get", `"name":"ask-compose"`, `"code":-32602,"message":"there is no prompt of this name; did you mean \"ask_compose\"?"`)
	long := strings.Repeat("x", 100_000)
	eachMCP(t, s, nil, "tools/call", `"name":"`+long+`"`, `there is no tool of this name; tools/list has all`)
}
