package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
	"example.com/svc/testdata/jsonschema"
	"example.com/svc/testdata/kitchen"
)

// This file holds the schemas of outputs to what tools return: a host that validates drops an
// answer that breaks a rule, after the tool has done its work.

// outsideRules has values that its rules refuse, as a store has that is older than they are.
type outsideRules struct {
	State  string                  `json:"state" enum:"open,closed"`
	Level  outsideLevel            `json:"level"`
	Price  float64                 `json:"price" multipleOf:"0.01" exclusiveMinimum:"0"`
	Note   string                  `json:"note,omitzero" minLength:"1"`
	Title  string                  `json:"title" maxLength:"3" pattern:"^[a-z]+$"`
	Mail   string                  `json:"mail" format:"email"`
	Tags   []string                `json:"tags" minItems:"1" uniqueItems:"true" enum:"a,b"`
	ByName map[outsideLevel]string `json:"byName" maxProperties:"1"`
	Own    outsideOwn              `json:"own"`
	Listed outsideListed           `json:"listed"`
	Maybe  *outsideInner           `json:"maybe"`
	Pay    *unionPayment           `json:"pay,omitempty"`
}

type outsideInner struct {
	N int8 `json:"n" minimum:"5"`
}

type outsideLevel string

func (outsideLevel) Enum() []outsideLevel { return []outsideLevel{"low", "high"} }

// outsideOwn and outsideListed have rules in their own schemas.
type (
	outsideOwn    struct{ json.RawMessage }
	outsideListed struct{ json.RawMessage }
)

func (outsideOwn) JSONSchema() map[string]any {
	return map[string]any{"type": "object", "minProperties": 2, "additionalProperties": false, "required": []string{"v"},
		"properties": map[string]any{"v": map[string]any{"enum": []any{1, 2}}, "at": map[string]any{"type": "string", "format": "date-time"}},
		"not":        map[string]any{"required": []string{"v"}}}
}

func outsideValue() *outsideRules {
	return &outsideRules{
		State: "archived", Level: "", Price: 19.99, Title: "Ünïcode", Mail: "-", ByName: map[outsideLevel]string{"a": "", "b": ""},
		Tags: []string{"z", "z"}, Own: outsideOwn{json.RawMessage(`{"v":3,"at":"yesterday"}`)}, Listed: outsideListed{json.RawMessage(`["a",1]`)},
		Maybe: &outsideInner{N: -5},
	}
}

type (
	outsideList  []outsideRules
	outsideGroup struct {
		ByName map[string]outsideRules `json:"byName" maxProperties:"0"`
	}
)

func (outsideRules) TaskState() (state, message string) { return "completed", "" }

type outsideAPI interface {
	Get(context.Context) (*outsideRules, error)
	List(context.Context) (*outsideList, error)
	Group(context.Context) (*outsideGroup, error)
	Watch(context.Context) (svc.Stream[outsideRules], error)
	Either(context.Context) (*svc.ValueOrStream[outsideRules, outsideInner], error)
	Create(context.Context) (*outsideRules, error)
}

type outside struct{}

func (outside) Get(context.Context) (*outsideRules, error) { return outsideValue(), nil }

func (outside) List(context.Context) (*outsideList, error) {
	return &outsideList{*outsideValue(), *outsideValue()}, nil
}

func (outside) Group(context.Context) (*outsideGroup, error) {
	return &outsideGroup{map[string]outsideRules{"a": *outsideValue()}}, nil
}

func (outside) Watch(context.Context) (svc.Stream[outsideRules], error) {
	return func(yield func(*outsideRules, error) bool) { yield(outsideValue(), nil) }, nil
}

func (outside) Either(context.Context) (*svc.ValueOrStream[outsideRules, outsideInner], error) {
	return &svc.ValueOrStream[outsideRules, outsideInner]{Value: outsideValue()}, nil
}

func (outside) Create(context.Context) (*outsideRules, error) { return outsideValue(), nil }

func newOutside() *svc.Service {
	return svc.MustRegister[outsideAPI](outside{}, &svc.Options{Resource: "rows", Logger: slog.New(slog.DiscardHandler),
		Schemas: map[reflect.Type]string{reflect.TypeFor[outsideListed](): `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string"},"maxItems":1}`},
		Methods: map[string]svc.MethodOptions{"Create": {Task: "Get"}, "Get": {HTTP: "GET /rows/one"}}})
}

// Verify that a host which validates keeps every answer, also one outside of the rules.
func TestMCPOutputsOutsideRules(t *testing.T) {
	h := newOutside().MCP(taskOptions())
	var list struct {
		Result struct {
			Tools []struct {
				Name         string
				OutputSchema map[string]any
			}
		}
	}
	if err := json.Unmarshal(mcpPost(h, mcpLegacy("", "tools/list", "")).Body.Bytes(), &list); err != nil || len(list.Result.Tools) != 6 {
		t.Fatal(err, list)
	}
	for _, tool := range list.Result.Tools {
		t.Run(tool.Name, func(t *testing.T) {
			w := mcpPost(h, mcpLegacy("2025-11-25", "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, tool.Name)))
			result := dig(parseNumbers(&agreement{T: t}, w.Body.Bytes()), "result")
			if dig(result, "isError") != false || dig(result, "structuredContent") == nil {
				t.Fatalf("%s", w.Body)
			}
			v := &jsonschema.Validator{Root: tool.OutputSchema, Formats: asserted(), Match: regexp.MatchString}
			for _, finding := range v.Validate(tool.OutputSchema, dig(result, "structuredContent")) {
				t.Error(finding.Error())
			}
		})
	}
	text, _ := json.Marshal(list)
	for _, want := range []string{
		`"state":{"description":"one of open, closed","type":"string"}`, `"tags":{"items":{"description":"one of a, b","type":"string"},"type":"array"}`,
		`"own":{"properties":{"at":{"type":"string"},"v":{"description":"one of 1, 2"}},"required":["v"],"type":"object"}`, `"listed":{"type":"array"}`,
		`"level":{"description":"one of low, high","type":"string"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the list lacks %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

// Verify that no schema of an output has a rule.
func TestOutputSchemasAreStructure(t *testing.T) {
	keywords := strings.Fields("type properties required items additionalProperties $ref $defs anyOf const description")
	var rulesOf func(place string, schema any) []string
	rulesOf = func(place string, schema any) (found []string) {
		s, _ := schema.(map[string]any)
		for _, keyword := range slices.Sorted(maps.Keys(s)) {
			children, isText := make(map[string]any), s["const"]
			switch value := s[keyword].(type) {
			case map[string]any:
				if children = value; keyword == "items" || keyword == "additionalProperties" {
					children = map[string]any{"*": value}
				}
			case []any:
				for i, child := range value {
					children[fmt.Sprint(i)] = child
				}
			}
			if _, ok := isText.(string); !slices.Contains(keywords, keyword) || keyword == "const" && !ok {
				found = append(found, place+" has "+keyword)
			}
			if keyword != "required" {
				for _, name := range slices.Sorted(maps.Keys(children)) {
					found = append(found, rulesOf(place+"/"+name, children[name])...)
				}
			}
		}
		return found
	}
	for name, s := range map[string]*svc.Service{"kitchen": kitchen.Both(), "strict sink": kitchen.Sink(true), "outside": newOutside(), "notes": newMCPService(),
		"unions": svc.MustRegister[UnionAPI](unionImpl{}, unionOptions()), "by type": byService()} {
		t.Run(name, func(t *testing.T) {
			opts := &svc.MCPOptions{}
			if name == "outside" {
				opts = taskOptions()
			}
			list := parseNumbers(&agreement{T: t}, mcpPost(s.MCP(opts), mcpLegacy("", "tools/list", "")).Body.Bytes())
			for _, tool := range dig(list, "result", "tools").([]any) {
				for _, text := range rulesOf(dig(tool, "name").(string), dig(tool, "outputSchema")) {
					t.Error(text)
				}
			}
		})
	}
}
