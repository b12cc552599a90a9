package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests methods whose output is a JSON value that is neither a struct nor a list.

type (
	WholeCount  int
	WholeText   string
	WholeFlag   bool
	WholeRatio  float64
	WholeByName map[string]WholeItem
	WholeItem   struct {
		ID int `json:"id"`
	}
	WholeChoice struct {
		svc.ByType
		Text *string
		Item *WholeItem
	}
)

type WholesAPI interface {
	Count(context.Context) (*WholeCount, error)
	Text(context.Context) (*WholeText, error)
	Flag(context.Context) (*WholeFlag, error)
	Ratio(context.Context) (*WholeRatio, error)
	ByName(context.Context) (*WholeByName, error)
	None(context.Context) (*WholeByName, error)
	Now(context.Context) (*time.Time, error)
	Raw(context.Context) (*json.RawMessage, error)
	RawNone(context.Context) (*json.RawMessage, error)
	Choice(context.Context) (*WholeChoice, error)
}

type wholes struct{}

func (wholes) Count(context.Context) (*WholeCount, error) { return pointerTo(WholeCount(3)), nil }
func (wholes) Text(context.Context) (*WholeText, error)   { return pointerTo(WholeText(`a"b`)), nil }
func (wholes) Flag(context.Context) (*WholeFlag, error)   { return new(WholeFlag), nil }
func (wholes) Ratio(context.Context) (*WholeRatio, error) { return pointerTo(WholeRatio(1.5)), nil }
func (wholes) ByName(context.Context) (*WholeByName, error) {
	return &WholeByName{"b": {2}, "a": {1}}, nil
}
func (wholes) None(context.Context) (*WholeByName, error) { return new(WholeByName), nil }
func (wholes) Now(context.Context) (*time.Time, error) {
	return pointerTo(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), nil
}
func (wholes) Raw(context.Context) (*json.RawMessage, error) {
	return pointerTo(json.RawMessage(`{"a":[1]}`)), nil
}
func (wholes) RawNone(context.Context) (*json.RawMessage, error) { return new(json.RawMessage), nil }
func (wholes) Choice(context.Context) (*WholeChoice, error) {
	return &WholeChoice{Item: &WholeItem{4}}, nil
}

// Verify that REST and JSON-RPC send the value, MCP an object, and that Connect reads it again.
func TestWholeOutputs(t *testing.T) {
	options := &svc.Options{Resource: "w", Logger: slog.New(slog.DiscardHandler), Methods: make(map[string]svc.MethodOptions)}
	for i := range reflect.TypeFor[WholesAPI]().NumMethod() {
		name := reflect.TypeFor[WholesAPI]().Method(i).Name
		options.Methods[name] = svc.MethodOptions{HTTP: "GET /w/" + strings.ToLower(name)}
	}
	s := svc.MustRegister[WholesAPI](wholes{}, options)
	var client struct {
		Count  func(context.Context) (*WholeCount, error)
		Text   func(context.Context) (*WholeText, error)
		ByName func(context.Context) (*WholeByName, error)
		Now    func(context.Context) (*time.Time, error)
		Raw    func(context.Context) (*json.RawMessage, error)
		Choice func(context.Context) (*WholeChoice, error)
	}
	if err := svc.Connect[WholesAPI](&client, "", &svc.ClientOptions{Service: options, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	doc := endText(s.OpenAPI(), "GET", "/openapi.json?openapi=3.1", "")
	script := endText(s.TypeScript(), "GET", "/client.ts", "")
	for _, test := range []struct{ name, json, tool, schema, script string }{
		{"Count", `3`, `{"result":3}`, `{"type":"integer","format":"int64"}`, "count: GetCall<NoInput, number>"},
		{"Text", `"a\"b"`, `{"result":"a\"b"}`, `{"type":"string"}`, "text: GetCall<NoInput, string>"},
		{"Flag", `false`, `{"result":false}`, `{"type":"boolean"}`, "flag: GetCall<NoInput, boolean>"},
		{"Ratio", `1.5`, `{"result":1.5}`, `{"type":"number","format":"double"}`, "ratio: GetCall<NoInput, number>"},
		{"ByName", `{"a":{"id":1},"b":{"id":2}}`, `{"a":{"id":1},"b":{"id":2}}`, `{"type":"object","additionalProperties":{"$ref":"#/components/schemas/WholeItem"}}`, "byName: GetCall<NoInput, Record<string, WholeItem>>"},
		{"None", `{}`, `{}`, `{"type":"object","additionalProperties":{"$ref":"#/components/schemas/WholeItem"}}`, "none: GetCall<NoInput, Record<string, WholeItem>>"},
		{"Now", `"2026-01-02T03:04:05Z"`, `{"result":"2026-01-02T03:04:05Z"}`, `{"type":"string","format":"date-time"}`, "now: GetCall<NoInput, string>"},
		{"Raw", `{"a":[1]}`, `{"result":{"a":[1]}}`, `{}`, "raw: GetCall<NoInput, unknown>"},
		{"RawNone", `null`, `{"result":null}`, `{}`, "rawNone: GetCall<NoInput, unknown>"},
		{"Choice", `{"id":4}`, `{"result":{"id":4}}`, `{"$ref":"#/components/schemas/WholeChoice"}`, "choice: GetCall<NoInput, WholeChoice>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := "/w/" + strings.ToLower(test.name)
			if got := endText(s.REST(), "GET", path, ""); strings.TrimSpace(got) != test.json {
				t.Errorf("REST: %s", got)
			}
			name := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(test.name, "ByName", "by_name"), "RawNone", "raw_none"))
			if got := rpc(s, `{"jsonrpc":"2.0","id":1,"method":"w.`+name+`"}`); !strings.Contains(got, `"result":`+test.json) {
				t.Errorf("JSON-RPC: %s", got)
			}
			if got := callTool(s.MCP(nil), "w_"+name, "{}"); !strings.Contains(got, `"structuredContent":`+test.tool) {
				t.Errorf("MCP: %s", got)
			}
			if _, text, _ := strings.Cut(doc, `"`+path+`":`); !strings.Contains(text[:min(len(text), 900)], `"schema":`+test.schema+"}") {
				t.Errorf("no %s in %.900s", test.schema, text)
			}
			if !strings.Contains(script, test.script) {
				t.Errorf("no %q in %s", test.script, script[strings.Index(script, "export interface Api"):][:900])
			}
		})
	}
	ctx := context.Background()
	count, err1 := client.Count(ctx)
	text, err2 := client.Text(ctx)
	byName, err3 := client.ByName(ctx)
	now, err4 := client.Now(ctx)
	raw, err5 := client.Raw(ctx)
	choice, err6 := client.Choice(ctx)
	if got := fmt.Sprintln(*count, *text, *byName, *now, string(*raw), choice.Item.ID, err1, err2, err3, err4, err5, err6); strings.TrimSpace(got) !=
		`3 a"b map[a:{1} b:{2}] 2026-01-02 03:04:05 +0000 UTC {"a":[1]} 4 <nil> <nil> <nil> <nil> <nil> <nil>` {
		t.Error(got)
	}
	if breaks, err := s.Breaks(s.Contract()); err != nil || len(breaks) > 0 {
		t.Error(breaks, err)
	}
}
