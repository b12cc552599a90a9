package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests what hosts do, beyond the specification: forms of prompts, names in _meta, pages
// of apps, and long texts.

type promptsAPI interface {
	Plan(context.Context, *promptIn) (*mcpShown, error)
	Plain(context.Context) (*mcpShown, error)
}

type promptIn struct {
	Topic string  `json:"topic" minLength:"2"`
	Tone  string  `json:"tone" minLength:"2" default:"kind"`
	Day   string  `json:"day,omitempty" format:"date"`
	Words int     `json:"words,omitempty" minimum:"5"`
	Who   *string `json:"who,omitempty"`
}

type promptsImpl struct{}

func (promptsImpl) Plan(_ context.Context, in *promptIn) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: fmt.Sprint(in.Topic, " ", in.Tone, " ", in.Day, " ", in.Words, " ", in.Who != nil)}}}, nil
}
func (promptsImpl) Plain(context.Context) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "plain"}}}, nil
}

// Verify that an empty text for an optional argument of a prompt is its absence, and the argument input.
func TestMCPPromptForms(t *testing.T) {
	prompt := svc.MethodOptions{MCP: &svc.MCPMethod{Prompt: true}}
	s := svc.MustRegister[promptsAPI](promptsImpl{}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Plan": prompt, "Plain": prompt}})
	for _, test := range []struct{ name, params, want string }{
		{"all left empty", `"name":"p_plan","arguments":{"topic":"ab","tone":"","day":"","words":"","who":""}`, `"text":"ab kind  0 false"`},
		{"all filled", `"name":"p_plan","arguments":{"topic":"ab","tone":"dry","day":"2026-01-02","words":"7","who":"x"}`, `"text":"ab dry 2026-01-02 7 true"`},
		{"a required one left empty", `"name":"p_plan","arguments":{"topic":""}`, `-32602,"message":"INVALID_ARGUMENT: invalid input: /topic must`},
		{"blanks", `"name":"p_plan","arguments":{"topic":"ab","day":" "}`, `-32602`},
		{"input without arguments", `"name":"p_plain","arguments":{"input":"x"}`, `"text":"plain"`},
		{"another name without arguments", `"name":"p_plain","arguments":{"inputs":"x"}`, `/inputs is not a known property`},
		{"input of a prompt with arguments", `"name":"p_plan","arguments":{"topic":"ab","input":"x"}`, `/input is not a known property`},
	} {
		t.Run(test.name, func(t *testing.T) { eachMCP(t, s, nil, "prompts/get", test.params, test.want) })
	}
	eachMCP(t, newTrips(svc.Options{}), nil, "tools/call", `"name":"trips_stop","arguments":{"input":"x"}`, `/input is not a known property`)
	eachMCP(t, newTrips(svc.Options{}), nil, "tools/call", `"name":"trips_plan","arguments":{"title":"x","note":""}`, `"isError":false`)
}

// Verify which names _meta can have: in options a mistake, and in an answer left out and logged.
func TestMCPMetaNames(t *testing.T) {
	for name, ok := range map[string]bool{"ui": true, "a": true, "a.b-c_d": true, "": true, "9": true, "example.com/": true, "example.com/a": true,
		"com.example.x-y/a_b": true, "io.modelcontextprotocol/ui": true, "openai/outputTemplate": true,
		"b<": false, "$a": false, "a.": false, "-a": false, "_a": false, "/a": false, "9x/a": false, "a..b/c": false, "a-/b": false, "a/b/c": false,
		"a b": false, "ä": false, ".a/b": false} {
		t.Run(rowName(name), func(t *testing.T) {
			text := regText(func() error {
				_, err := svc.Register[mcpApp](mcpAppImpl{}, &svc.Options{Resource: "app", Methods: map[string]svc.MethodOptions{
					"GetPage": {HTTP: "GET /page", MCP: &svc.MCPMethod{URI: "ui://app/page", Meta: map[string]any{name: 1}}}}})
				return err
			})
			if strings.Contains(text, "which _meta of MCP does not allow; a name begins and ends") == ok {
				t.Errorf("Register says %q", text)
			}
			var log bytes.Buffer
			s := svc.MustRegister[mcpApp](mcpAppImpl{{Text: "x", Meta: map[string]any{name: 1, "ok": 2}}}, &svc.Options{Resource: "app",
				Logger: slog.New(slog.NewTextHandler(&log, nil)), Methods: map[string]svc.MethodOptions{"GetPage": {HTTP: "GET /page", MCP: &svc.MCPMethod{URI: "ui://app/page"}}}})
			want := `"_meta":{` + metaJSON(map[string]any{name: 1, "ok": 2})[1:]
			if !ok {
				want = `"_meta":{"ok":2}`
			}
			eachMCP(t, s, nil, "tools/call", `"name":"app_get_page"`, want)
			eachMCP(t, s, nil, "resources/read", `"uri":"ui://app/page"`, want)
			if strings.Contains(log.String(), "level=ERROR") == ok || strings.Contains(log.String(), "MCPContent.Meta has the name") == ok {
				t.Errorf("the log has %s", log.String())
			}
			if !strings.Contains(name, "/") {
				return
			}
			text = fmt.Sprint(regPanic(func() { s.MCP(&svc.MCPOptions{Extensions: map[string]any{name: struct{}{}}}) }))
			if strings.Contains(text, "the name of an extension") == (ok && !strings.HasSuffix(name, "/")) {
				t.Errorf("MCP says %q", text)
			}
		})
	}
}

// regPanic returns what fn panics with, or nil.
func regPanic(fn func()) (v any) {
	defer func() { v = recover() }()
	fn()
	return nil
}

// Verify the line in the log about texts that hosts cut: one for each handler, with all names.
func TestMCPLongTexts(t *testing.T) {
	var log bytes.Buffer
	long, full := strings.Repeat("é", 2049), strings.Repeat("é", 2048)
	o := svc.Options{Resource: "trips", Logger: slog.New(slog.NewTextHandler(&log, nil))}
	showing(&o, map[string]svc.MCPMethod{"Plan": {Description: long}, "Stop": {Description: long}})
	s := svc.MustRegister[mcpTrip](tripImpl{}, &o)
	s.MCP(&svc.MCPOptions{Instructions: long})
	const want = `level=WARN msg="svc: some hosts, such as Claude Code, cut descriptions of tools and instructions to 2048 characters" ` +
		`longer="MCPOptions.Instructions, trips_plan, trips_stop"`
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
		t.Errorf("the log has %s", got)
	}
	log.Reset()
	o.Methods = nil
	showing(&o, map[string]svc.MCPMethod{"Plan": {Description: full}})
	svc.MustRegister[mcpTrip](tripImpl{}, &o).MCP(&svc.MCPOptions{Instructions: full})
	if log.Len() > 0 {
		t.Errorf("the log has %s", log.String())
	}
}

func metaJSON(meta map[string]any) string {
	text, _ := json.Marshal(meta) // of texts and numbers
	return string(text)
}

type appPageAPI interface {
	Show(context.Context) (*appPageChart, error)
	ShowList(context.Context) (*appPageList, error)
	ShowPlain(context.Context) (*appPageChart, error)
}

// A appPageChart has blocks for a model, data for a page, and what only the page gets.
type appPageChart struct {
	Title  string `json:"title"`
	Points []int  `json:"points"`
	meta   map[string]any
}

func (c *appPageChart) MCPContent() []svc.MCPContent {
	return []svc.MCPContent{{Text: "a chart of " + c.Title}}
}
func (c *appPageChart) MCPResultMeta() map[string]any { return c.meta }

type appPageList []string

func (l *appPageList) MCPContent() []svc.MCPContent {
	return []svc.MCPContent{{Text: fmt.Sprint(len(*l))}}
}

type appPageImpl struct{ meta map[string]any }

func (p appPageImpl) Show(context.Context) (*appPageChart, error) {
	return &appPageChart{"x", []int{1}, p.meta}, nil
}
func (p appPageImpl) ShowPlain(context.Context) (*appPageChart, error) {
	return &appPageChart{"x", nil, p.meta}, nil
}
func (appPageImpl) ShowList(context.Context) (*appPageList, error) { return &appPageList{"a"}, nil }

// Verify Structured and MCPResultMeta: who gets what, in every revision.
func TestMCPPages(t *testing.T) {
	for _, test := range []struct {
		name           string
		meta           map[string]any
		legacy, modern string // _meta
	}{
		{"no members", nil, ``, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"P","version":"1"}},`},
		{"a member", map[string]any{"p/a": 1}, `"_meta":{"p/a":1},`, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"P","version":"1"},"p/a":1},`},
		{"a name of svc", map[string]any{"io.modelcontextprotocol/serverInfo": 1}, `"_meta":{"io.modelcontextprotocol/serverInfo":1},`, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"P","version":"1"}},`},
		{"a name that is not allowed", map[string]any{"$a": 1, "b": 2}, `"_meta":{"b":2},`, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"P","version":"1"},"b":2},`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := svc.MustRegister[appPageAPI](appPageImpl{test.meta}, showing(&svc.Options{Name: "P", Version: "1", Resource: "p", Logger: slog.New(slog.DiscardHandler)},
				map[string]svc.MCPMethod{"Show": {Structured: true}, "ShowList": {Structured: true}}))
			for tool, want := range map[string]string{
				"p_show":       `"structuredContent":{"title":"x","points":[1]},"content":[{"type":"text","text":"a chart of x"}],"isError":false}`,
				"p_show_plain": `"content":[{"type":"text","text":"a chart of x"}],"isError":false}`,
			} {
				call := `"name":"` + tool + `"`
				checkMCPAnswer(t, s.MCP(nil), mcpLegacy("2025-11-25", "tools/call", call), 200, `{"jsonrpc":"2.0","result":{`+test.legacy+want+`,"id":1}`)
				checkMCPAnswer(t, s.MCP(nil), mcpModern("tools/call", call), 200, `{"jsonrpc":"2.0","result":{"resultType":"complete",`+test.modern+want+`,"id":1}`)
			}
			eachMCP(t, s, nil, "tools/call", `"name":"p_show_list"`, `"structuredContent":{"items":["a"]},"content":[{"type":"text","text":"1"}],"isError":false`)
			eachMCP(t, s, nil, "tools/list", "", `"name":"p_show",…"outputSchema":{"type":"object","properties":{"title"…"name":"p_show_plain"…`)
			eachMCP(t, s, &svc.MCPOptions{MaxResult: 38}, "tools/call", `"name":"p_show"`, `"isError":false`) // 26 and 12
			eachMCP(t, s, &svc.MCPOptions{MaxResult: 37}, "tools/call", `"name":"p_show"`, `RESOURCE_EXHAUSTED: the answer has 38 characters`)
		})
	}
	broken := svc.MustRegister[appPageAPI](appPageImpl{map[string]any{"a": func() {}}}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler)})
	eachMCP(t, broken, nil, "tools/call", `"name":"p_show"`, `"text":"INTERNAL: internal error"}],"isError":true`)
	text := regText(func() error {
		_, err := svc.Register[mcpTrip](tripImpl{}, showing(&svc.Options{Resource: "t"}, map[string]svc.MCPMethod{"Plan": {Structured: true}}))
		return err
	})
	if !strings.Contains(text, "MethodOptions.MCP has Structured, which is for an output with a method MCPContent") {
		t.Errorf("Structured of another output: %s", text)
	}
}
