package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests null for an argument that may be left out, which frameworks of models send for
// every argument that the model did not name.

type mcpNulls interface {
	Plan(context.Context, *nullsIn) (*nullsIn, error)
	Pay(context.Context, *nullsKeyed) (*nullsKeyed, error)
	Ask(context.Context, *nullsAsk) (*mcpShown, error)
}

// A nullsIn echoes what a call has set. A field without a comment may be left out and not be null.
type nullsIn struct {
	Title   string               `json:"title"` // required
	Note    string               `json:"note,omitempty" minLength:"2"`
	Limit   int                  `json:"limit" minimum:"1" default:"20"`
	Tags    []string             `json:"tags" default:"[\"a\"]"`
	Ratio   int64                `json:"ratio,omitempty,string"`
	Region  string               `json:"region,omitempty" mcpheader:"Region"`
	Inner   *nullsInner          `json:"inner,omitempty"` // null is nil
	Place   nullsInner           `json:"place,omitzero"`
	Places  []nullsInner         `json:"places,omitempty"`
	ByName  map[string]int       `json:"byName,omitempty"`
	Maybe   svc.Optional[string] `json:"maybe,omitzero" minLength:"2"` // null is a value
	Never   *string              `json:"never,omitempty" nullable:"false"`
	Any     any                  `json:"any,omitempty"` // null is a value
	Picky   nullsPicky           `json:"picky,omitzero" default:"\"p\""`
	Patient nullsPatient         `json:"patient,omitzero"` // reads null
	Shape   *nullsShape          `json:"shape,omitempty"`
	Either  nullsEither          `json:"either,omitzero"`
	*NullsBase
}

type NullsBase struct {
	Base string `json:"base,omitempty" minLength:"2"`
}

type nullsInner struct {
	City string `json:"city,omitempty" minLength:"2"`
	Code int    `json:"code" default:"7"`
	Must int    `json:"must"` // required
}

type nullsShape struct {
	Type string      `json:"type" discriminator:"true"`
	Disc *nullsInner `variant:"disc"`
}

type nullsEither struct {
	svc.ByType
	Text *string
	List []int
}

// A nullsPicky refuses null.
type nullsPicky struct{ text string }

func (p *nullsPicky) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return errors.New("not a text")
	}
	return json.Unmarshal(text, &p.text)
}

func (p nullsPicky) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

// A nullsPatient reads null as "none".
type nullsPatient struct{ text string }

func (p *nullsPatient) UnmarshalJSON(text []byte) error {
	if p.text = "none"; string(text) != "null" {
		return json.Unmarshal(text, &p.text)
	}
	return nil
}

func (p nullsPatient) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

type nullsKeyed struct {
	Amount int    `json:"amount"`
	Note   string `json:"note,omitempty" minLength:"2"`
}

type nullsAsk struct {
	Topic string `json:"topic" minLength:"2" default:"all"`
}

type nullsImpl struct{}

func (nullsImpl) Plan(_ context.Context, in *nullsIn) (*nullsIn, error)      { return in, nil }
func (nullsImpl) Pay(_ context.Context, in *nullsKeyed) (*nullsKeyed, error) { return in, nil }
func (nullsImpl) Ask(_ context.Context, in *nullsAsk) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "about " + in.Topic}}}, nil
}

func newNulls() *svc.Service {
	return svc.MustRegister[mcpNulls](nullsImpl{}, &svc.Options{
		Resource: "nulls", Logger: slog.New(slog.DiscardHandler), Idempotency: &svc.Idempotency{
			Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
				return do(ctx)
			}},
		Methods: map[string]svc.MethodOptions{
			"Pay": {IdempotencyKey: svc.KeyAllowed},
			"Ask": {MCP: &svc.MCPMethod{Prompt: true}},
		},
	})
}

// Verify that null for an argument that may be left out is its absence, at every depth, where null
// is no value: its default applies, and its rules do not. Null stays a value, and a mistake where
// something must be. Over REST and JSON-RPC it is a mistake everywhere.
func TestMCPNulls(t *testing.T) {
	s := newNulls()
	echo := func(members string) string {
		return `"structuredContent":{"title":"t",` + members + `},"content"`
	}
	const defaults = `"limit":20,"tags":["a"]`
	const picky = `,"picky":"p"`
	isError := func(text string) string {
		return `"text":"INVALID_ARGUMENT: invalid input: ` + text + `"}],"isError":true`
	}
	for _, test := range []struct{ name, arguments, want string }{
		{"a text with a rule", `"note":null`, echo(defaults + picky)},
		{"an integer with a default and a rule", `"limit":null`, echo(defaults + picky)},
		{"a list with a default", `"tags":null`, echo(defaults + picky)},
		{"a list", `"places":null`, echo(defaults + picky)},
		{"a map", `"byName":null`, echo(defaults + picky)},
		{"a number in a string", `"ratio":null`, echo(defaults + picky)},
		{"a struct", `"place":null`, echo(defaults + picky)},
		{"a union by JSON type", `"either":null`, echo(defaults + picky)},
		{"a pointer that must not be null", `"never":null`, echo(defaults + picky)},
		{"a field of an embedded pointer", `"base":null`, echo(defaults + picky)},
		{"a type that refuses null", `"picky":null`, echo(defaults + picky)},
		{"all of them", `"note":null,"limit":null,"tags":null,"places":null,"byName":null,"ratio":null,"place":null,"either":null,"never":null,"base":null,"picky":null,"region":null`, echo(defaults + picky)},
		{"a member of an object", `"inner":{"city":null,"code":null,"must":1}`, echo(defaults + `,"inner":{"code":7,"must":1}` + picky)},
		{"a member of an item", `"places":[{"city":null,"code":null,"must":1}]`, echo(defaults + `,"places":[{"code":7,"must":1}]` + picky)},
		{"a member of an alternative", `"shape":{"type":"disc","city":null,"code":null,"must":1}`, echo(defaults + picky + `,"shape":{"type":"disc","code":7,"must":1}`)},
		{"a pointer", `"inner":null`, echo(defaults + picky)},
		{"an Optional", `"maybe":null`, echo(defaults + `,"maybe":null` + picky)},
		{"a type that reads null", `"patient":null`, echo(defaults + picky + `,"patient":"none"`)},
		{"any", `"any":null`, echo(defaults + picky)},

		{"a member that is required", `"places":[{"must":null}]`, isError(`/places/0/must must be an integer, is null`)},
		{"an item", `"places":[null]`, isError(`/places/0 must be an object, is null`)},
		{"an item that is a text", `"tags":["a",null]`, isError(`/tags/1 must be a string, is null`)},
		{"a value of a map", `"byName":{"a":null}`, isError(`/byName/a must be an integer, is null`)},
		{"a discriminator", `"shape":{"type":null}`, isError(`/shape/type must be a string, is null`)},
		{"an item of a union by JSON type", `"either":[null]`, isError(`/either/0 must be an integer, is null`)},
		{"an unknown argument", `"nope":null`, isError(`/nope is not a known property; did you mean \"note\"?`)},
		{"null and a value", `"note":null,"note":"ab"`, "the same name twice"},
		{"half a null", `"note":nul`, `-32700`},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachMCP(t, s, nil, "tools/call", `"name":"nulls_plan","arguments":{"title":"t",`+test.arguments+`}`, test.want)
			eachMCP(t, s, nil, "tools/call", `"arguments":{"title":"t",`+test.arguments+`},"name":"nulls_plan"`, test.want)
		})
	}
	eachMCP(t, s, nil, "tools/call", `"name":"nulls_plan","arguments":{"title":null}`, isError(`/title must be a string, is null`))
	eachMCP(t, s, nil, "tools/call", `"name":"nulls_pay","arguments":{"amount":1,"note":null,"idempotency_key":null}`, `"structuredContent":{"amount":1}`)
	eachMCP(t, s, nil, "prompts/get", `"name":"nulls_ask","arguments":{"topic":null}`, `"text":"about all"`)

	call := `"name":"nulls_plan","arguments":{"title":"t","region":null}`
	for header, want := range map[string]string{"": `"isError":false`, "Mcp-Param-Region: null": "-32020", "Mcp-Param-Region: ": "-32020"} {
		if got := mcpPost(s.MCP(nil), mcpModern("tools/call", call, header)).Body.String(); !strings.Contains(got, want) {
			t.Errorf("the header %q: %s", header, got)
		}
	}
	const wrong = `/note must not be null; leave it out`
	if got := postJSON(s.REST(), "/nulls/plan", `{"title":"t","note":null}`).Body.String(); !strings.Contains(got, wrong) {
		t.Errorf("REST answered %s", got)
	}
	if got := rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"nulls.plan","params":{"title":"t","note":null}}`).Body.String(); !strings.Contains(got, wrong) {
		t.Errorf("JSON-RPC answered %s", got)
	}
	list := mcpPost(s.MCP(nil), mcpLegacy("", "tools/list", "")).Body.String()
	if strings.Contains(list, `"default":null`) {
		t.Errorf("a default is null in %s", list)
	}
}
