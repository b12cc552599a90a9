package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file holds the schemas of tools to what the hosts of MCP have in common: each hands them to
// models whose APIs refuse all tools of a server for one that has more.

// toolKeywords are the keywords that all hosts take, or drop without a word.
var toolKeywords = strings.Fields("type properties required items enum anyOf description default examples minimum maximum minLength maxLength pattern " +
	"minItems maxItems minProperties maxProperties additionalProperties format contentEncoding deprecated title $ref $defs x-mcp-header")

// besides returns what a schema of an input has besides the common subset, with its place.
func besides(place string, schema any) (found []string) {
	s, ok := schema.(map[string]any)
	if !ok {
		return []string{place + " is no object"}
	}
	add := func(format string, args ...any) { found = append(found, place+" "+fmt.Sprintf(format, args...)) }
	for keyword, value := range s {
		switch {
		case !slices.Contains(toolKeywords, keyword):
			add("has %s", keyword)
		case keyword == "type" && fmt.Sprintf("%T", value) != "string":
			add("has the types %v", value)
		case keyword == "format" && value != "date-time":
			add("has the format %v", value)
		case keyword == "anyOf" && len(s) > 1:
			add("has an anyOf beside other members")
		case keyword == "enum":
			for _, v := range value.([]any) {
				if text, ok := v.(string); !ok || text == "" {
					add("has %v in an enum", v)
				}
			}
		case keyword == "items":
			found = append(found, besides(place+"/*", value)...)
		case keyword == "additionalProperties":
			found = append(found, besides(place+"/**", value)...)
		case keyword == "anyOf":
			for i, branch := range value.([]any) {
				found = append(found, besides(fmt.Sprint(place, "|", i), branch)...)
			}
		case keyword == "properties", keyword == "$defs":
			for name, child := range value.(map[string]any) {
				if !regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`).MatchString(name) {
					add("has the member %s", name)
				}
				found = append(found, besides(place+"/"+name, child)...)
			}
		}
	}
	return found
}

// checkTools reports what the tools of a list have besides the common subset.
func checkTools(t *testing.T, list string) {
	t.Helper()
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema map[string]any
			}
		}
	}
	if err := json.Unmarshal([]byte(list), &answer); err != nil || len(answer.Result.Tools) == 0 {
		t.Fatalf("%v: %s", err, clipped(list))
	}
	for _, tool := range answer.Result.Tools {
		if _, ok := tool.InputSchema["properties"].(map[string]any); !ok || tool.InputSchema["type"] != "object" {
			t.Errorf("%s: the root is no object with properties", tool.Name)
		}
		if !regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,59}$`).MatchString(tool.Name) {
			t.Errorf("the name %s", tool.Name)
		}
		for _, text := range besides(tool.Name, tool.InputSchema) {
			t.Error(text)
		}
	}
}

type mcpAllIn struct {
	Number  mcpStep            `json:"number"`
	Numbers []mcpStep          `json:"numbers,omitempty" uniqueItems:"true"`
	Word    mcpWord            `json:"word,omitempty"`
	Never   *mcpWord           `json:"never"`
	Size    float64            `json:"size,omitempty" exclusiveMinimum:"0" exclusiveMaximum:"9" multipleOf:"0.5"`
	Sizes   map[int8]float64   `json:"sizes,omitempty" doc:"By floor."`
	Words   map[mcpWord]*int32 `json:"words,omitempty"`
	Due     *time.Time         `json:"due,omitempty"`
	Maybe   svc.Optional[bool] `json:"maybe,omitzero" doc:"Yes or no."`
	Payment *unionPayment      `json:"payment,omitempty" doc:"How it is paid."`
	Pair    [2]int8            `json:"pair,omitzero"`
	Raw     []byte             `json:"raw,omitempty"`
	Any     any                `json:"any,omitempty"`
	Own     mcpOwnSchema       `json:"own,omitzero"`
	Inner   struct {
		On bool `json:"on,omitempty"`
	} `json:"inner,omitzero"`
}

type mcpStep int

func (mcpStep) Enum() []mcpStep { return []mcpStep{1, 2} }

type mcpWord string

func (mcpWord) Enum() []mcpWord { return []mcpWord{"", "a", "b"} }

type mcpOwnSchema struct{ json.RawMessage }

func (mcpOwnSchema) JSONSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{"n": map[string]any{"type": "integer", "enum": []int{1}, "multipleOf": 2}}}
}

type mcpAllAPI interface {
	Take(context.Context, *mcpAllIn) error
	Nothing(context.Context) error
}

type mcpAll struct{ mcpAllAPI }

// Verify that the tools of all services here have nothing besides the common subset, those of the
// golden files, of the bookmarks and of the template too, and where types have all that tags and methods
// can say; and that what is left out is said in words.
func TestToolSchemasOfAllHosts(t *testing.T) {
	all := svc.MustRegister[mcpAllAPI](mcpAll{}, &svc.Options{Resource: "all", Strict: true, Logger: slog.New(slog.DiscardHandler)})
	for name, s := range map[string]*svc.Service{"kitchen": kitchen.Both(), "notes": newMCPService(), "asking": svc.MustRegister[mcpAsking](mcpAsker{}, askingOptions()), "all": all, "tickets": newTickets()} {
		t.Run(name, func(t *testing.T) {
			checkTools(t, mcpPost(s.MCP(nil), mcpLegacy("", "tools/list", "")).Body.String())
		})
	}
	for _, file := range []string{"internal/blackbox/testdata/mcp/tools-list.txt", "internal/blackbox/testdata/unions/tools.json",
		"internal/blackbox/testdata/comments/tools.txt", "examples/bookmarks/testdata/tools.json"} {
		t.Run(file, func(t *testing.T) {
			list, err := readText(root(file))
			if err != nil {
				t.Fatal(err)
			}
			checkTools(t, string(list))
		})
	}
	t.Run("template", func(t *testing.T) {
		cmd := exec.Command("go", "run", "-buildvcs=false", "./template", "-mcp")
		cmd.Dir, cmd.Stdin = root("."), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n")
		list, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		checkTools(t, string(list))
	})
	list := mcpPost(all.MCP(nil), mcpLegacy("", "tools/list", "")).Body.String()
	for _, want := range []string{
		`"number":{"type":"integer","description":"must be one of 1, 2"}`,
		`"numbers":{"type":"array","items":{"type":"integer","description":"must be one of 1, 2"},"description":"must not have the same item twice"}`,
		`"word":{"type":"string","enum":["a","b"],"description":"or an empty text"}`,
		`"never":{"anyOf":[{"type":"string","enum":["a","b"],"description":"or an empty text"},{"type":"null"}]}`,
		`"description":"must be more than 0; must be less than 9; must be a multiple of 0.5"`,
		`"due":{"type":"string","format":"date-time"}`,
		`"maybe":{"anyOf":[{"type":"boolean","description":"Yes or no."},{"type":"null"}]}`,
		`"payment":{"$ref":"#/$defs/unionPayment","description":"How it is paid."}`, `"inputSchema":{"type":"object","properties":{}}`,
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(list)
	}
}

type mcpBadNames interface {
	Seek(context.Context, *struct {
		Name string   `json:"filter[name]"`
		Tags []string `json:"$tags"`
		In   struct {
			Size int `json:"größe"`
		} `json:"in"`
	}) error
	Long(context.Context, *struct {
		A string `json:"a_name_of_an_argument_that_has_more_characters_than_sixty_four_of_them"`
	}) error
	Fine(context.Context, *struct {
		A string `json:"a.b-c_D9"`
	}) error
	Hidden(context.Context, *struct {
		A string `json:"$a"`
	}) error
}

// Verify that MCP refuses arguments whose names models do not take.
func TestMCPNamesOfArguments(t *testing.T) {
	s := svc.MustRegister[mcpBadNames](struct{ mcpBadNames }{}, &svc.Options{Resource: "b", Methods: map[string]svc.MethodOptions{"Hidden": {Transports: []svc.Transport{svc.TransportRPC}}}})
	text := regText(func() error { s.MCP(nil); return nil })
	for _, want := range []string{
		`mcpBadNames.Seek: the input has the member "filter[name]", and models take names of 1 to 64 letters, digits, _, . and - of ASCII; give the field another name in JSON`,
		`has the member "$tags"`, `has the member "größe"`, `mcpBadNames.Long: the input has the member "a_name_of`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the panic does not say %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Fine") || strings.Contains(text, "Hidden") {
		t.Errorf("names that are fine are refused: %s", text)
	}
}

// Verify which arguments are read from strings: integers of 64 bits always, since hosts in JavaScript
// round them, and other numbers and booleans with ReadStrings.
func TestMCPNumbersInStrings(t *testing.T) {
	type in struct {
		ID    int64    `json:"id,omitempty"`
		Ref   *uint64  `json:"ref,omitempty" minimum:"5"`
		Small int32    `json:"small,omitempty"`
		Ratio float64  `json:"ratio,omitempty"`
		On    bool     `json:"on,omitempty"`
		IDs   []uint64 `json:"ids,omitempty"`
	}
	s := svc.MustRegister[wideAPI[in]](wide[in]{}, &svc.Options{Resource: "w", Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		arguments      string
		plain, strings string // what is read, or a part of the violations
	}{
		{`{"id":"9007199254740993"}`, `{"id":9007199254740993}`, `{"id":9007199254740993}`},
		{`{"id":"-9223372036854775808"}`, `{"id":-9223372036854775808}`, `{"id":-9223372036854775808}`},
		{`{"ids":["18446744073709551615",1]}`, `{"ids":[18446744073709551615,1]}`, `{"ids":[18446744073709551615,1]}`},
		{`{"ref":"4"}`, `/ref must be at least 5`, `/ref must be at least 5`},
		{`{"id":"9223372036854775808"}`, `/id must be an integer between -9223372036854775808 and`, `/id must be an integer between -9223372036854775808 and`},
		{`{"id":"01"}`, `/id must be an integer, is a string`, `/id must be an integer, is a string`},
		{`{"id":"1.5"}`, `/id must be an integer`, `/id must be an integer`},
		{`{"id":""}`, `/id must be an integer, is a string`, `/id must be an integer, is a string`},
		{`{"small":"7"}`, `/small must be an integer, is a string`, `{"small":7}`},
		{`{"ratio":"2.5"}`, `/ratio must be a number, is a string`, `{"ratio":2.5}`},
		{`{"ratio":"x"}`, `/ratio must be a number, is a string`, `/ratio must be a number, is a string`},
		{`{"on":"true"}`, `/on must be true or false, is a string`, `{"on":true}`},
		{`{"on":"false"}`, `/on must be true or false, is a string`, `{}`},
		{`{"on":"yes"}`, `/on must be true or false, is a string`, `/on must be true or false, is a string`},
	} {
		for _, reads := range []bool{false, true} {
			t.Run(rowName(test.arguments, reads), func(t *testing.T) {
				want := test.plain
				if reads {
					want = test.strings
				}
				if strings.HasPrefix(want, "{") {
					want = `"structuredContent":` + want + `,`
				}
				got := mcpPost(s.MCP(&svc.MCPOptions{ReadStrings: reads}), mcpLegacy("", "tools/call", `"name":"w_do","arguments":`+test.arguments)).Body.String()
				if !strings.Contains(got, want) {
					t.Errorf("got %s\nwant %s", got, want)
				}
			})
		}
	}
	r, w := httptest.NewRequest("POST", "/w/do", strings.NewReader(`{"id":"1"}`)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	if s.REST().ServeHTTP(w, r); w.Code != 400 {
		body, _ := io.ReadAll(w.Body)
		t.Errorf("REST reads a number from a string: %d %s", w.Code, body)
	}
}

type wideAPI[T any] interface {
	Do(context.Context, *T) (*T, error)
}

type wide[T any] struct{}

func (wide[T]) Do(_ context.Context, in *T) (*T, error) { return in, nil }
