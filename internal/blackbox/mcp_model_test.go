package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// These tests are about how a model fares with the tools: arguments that it misspells,
// answers that are too long for it, and what the lists tell it.

// mcpRevisions are all revisions, the oldest first.
var mcpRevisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// eachMCP makes a request on every revision, over HTTP and over standard input and output,
// and checks its answer. want is like that of mcpMatches, without the part around it that
// differs.
func eachMCP(t *testing.T, s *svc.Service, opts *svc.MCPOptions, method, params, want string) {
	t.Helper()
	for _, revision := range mcpRevisions {
		modern := revision == "2026-07-28"
		request := mcpLegacy(revision, method, params)
		if modern {
			request = mcpModern(method, params)
			if _, uri, ok := strings.Cut(params, `"uri":"`); ok {
				uri, _, _ = strings.Cut(uri, `"`)
				request = mcpModern(method, params, "Mcp-Name: "+uri)
			}
		}
		_, line, _ := strings.Cut(request, "\n\n")
		if !modern {
			line = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `"}}` + "\n" + line
		}
		var out bytes.Buffer
		if err := s.MCPStdio(context.Background(), strings.NewReader(line), &out, opts); err != nil {
			t.Errorf("%s over stdio: %v", revision, err)
		}
		for where, got := range map[string]string{"HTTP": mcpPost(s.MCP(opts), request).Body.String(), "stdio": out.String()} {
			if !mcpMatches(got, "…"+want+"…") {
				t.Errorf("%s %s on %s over %s\n got %s\nwant %s", method, params, revision, where, got, want)
			}
		}
	}
}

type mcpTrip interface {
	Plan(context.Context, *tripPlan) (*tripPlan, error)
	Stop(context.Context) error
}

type tripPlan struct {
	Title string              `json:"title"`
	Note  string              `json:"note,omitempty"`
	Stops []tripStop          `json:"stops,omitempty"`
	Costs map[string]tripStop `json:"costs,omitempty"`
}

type tripStop struct {
	CityName string `json:"cityName,omitempty"`
}

type tripImpl struct{}

func (tripImpl) Plan(_ context.Context, in *tripPlan) (*tripPlan, error) { return in, nil }
func (tripImpl) Stop(context.Context) error                              { return nil }

func newTrips(o svc.Options) *svc.Service {
	o.Name, o.Resource, o.Version, o.Logger = "Trips", "trips", "1", slog.New(slog.DiscardHandler)
	return svc.MustRegister[mcpTrip](tripImpl{}, &o)
}

// Verify that arguments which a tool does not have are refused at every depth, with the
// name that was meant, and what AllowUnknown, Strict and InputSchema change.
func TestMCPUnknownArguments(t *testing.T) {
	plan := func(arguments string) string { return `"name":"trips_plan","arguments":` + arguments }
	const fine = `"isError":false`
	own := func(schema string) *svc.MCPOptions {
		return &svc.MCPOptions{Tools: map[string]svc.ToolOptions{"Plan": {InputSchema: []byte(schema)}}}
	}
	for _, test := range []struct {
		opts            *svc.MCPOptions
		strict          bool
		arguments, want string
	}{
		{nil, false, `{"title":"x"}`, fine},
		{nil, false, `{"title":"x","Note":"y"}`, `"INVALID_ARGUMENT: invalid input: /Note is not a known property; did you mean \"note\"?"}],"isError":true`},
		{nil, false, `{"Title":"x"}`, `\n- /Title is not a known property; did you mean \"title\"?\n- /title is required"`},
		{nil, false, `{"title":"x","zzz":1}`, `/zzz is not a known property"`},
		{nil, false, `{"title":"x","stops":[{},{"city_name":"a"}]}`, `/stops/1/city_name is not a known property; did you mean \"cityName\"?"`},
		{nil, false, `{"title":"x","costs":{"a/b":{"CityNam":"a"}}}`, `/costs/a~1b/CityNam is not a known property; did you mean \"cityName\"?"`},
		{&svc.MCPOptions{AllowUnknown: true}, false, `{"title":"x","zzz":1,"stops":[{"zzz":1}]}`, fine},
		{&svc.MCPOptions{AllowUnknown: true}, true, `{"title":"x","zzz":1}`, `/zzz is not a known property`},
		{own(`{"type":"object"}`), false, `{"title":"x","zzz":1,"stops":[{"zzz":1}]}`, fine},
		{own(`{"type":"object"}`), true, `{"title":"x","zzz":1}`, `/zzz is not a known property`},
		{own(`{"type":"object","additionalProperties":{}}`), false, `{"title":"x","zzz":1}`, fine},
		{own(`{"type":"object","additionalProperties":false}`), false, `{"title":"x","zzz":1}`, `/zzz is not a known property`},
		{own(`{"type":"object","additionalProperties":false,"properties":{"zzz":{}}}`), false, `{"title":"x","zzz":1}`, fine},
		{own(`{"type":"object","additionalProperties":false,"patternProperties":{}}`), false, `{"title":"x","zzz":1}`, fine},
		{own(`{"type":"object","additionalProperties":false}`), false, `{"title":"x","stops":[{"zzz":1}]}`, fine},
		{own(`{"type":"object","properties":{"stops":{"items":{"additionalProperties":false}}}}`), false, `{"title":"x","zzz":1,"stops":[{},{"zzz":1}]}`, `: /stops/1/zzz is not a known property"`},
		{own(`{"type":"object","properties":{"costs":{"properties":{"a/~":{"additionalProperties":false}}}}}`), false, `{"title":"x","costs":{"b":{"z":1},"a/~":{"z":1}}}`, `: /costs/a~1~0/z is not a known property"`},
	} {
		eachMCP(t, newTrips(svc.Options{Strict: test.strict}), test.opts, "tools/call", plan(test.arguments), test.want)
	}
	s := newTrips(svc.Options{})
	eachMCP(t, s, nil, "tools/call", `"name":"trips_stop","arguments":{"now":true}`, `/now is not a known property`)
	eachMCP(t, s, nil, "tools/call", `"arguments":{"title":"x","Note":"y"},"name":"trips_plan"`, `/Note is not a known property; did you mean`)
	const closed = `"additionalProperties":false`
	eachMCP(t, s, nil, "tools/list", "", `"stops":{"type":"array","items":{"type":"object","properties":{"cityName":{"type":"string"}},`+closed+`}}…`+closed+`},"outputSchema":{"type":"object"`)
	if open := mcpPost(s.MCP(&svc.MCPOptions{AllowUnknown: true}), mcpLegacy("", "tools/list", "")).Body.String(); strings.Contains(open, closed) {
		t.Errorf("with AllowUnknown the list is %s", open)
	}
	var list struct {
		Result struct {
			Tools []struct{ OutputSchema json.RawMessage }
		}
	}
	json.Unmarshal(mcpPost(s.MCP(nil), mcpLegacy("", "tools/list", "")).Body.Bytes(), &list)
	if strings.Contains(string(list.Result.Tools[0].OutputSchema), "additionalProperties\":false") {
		t.Errorf("an output is closed: %s", list.Result.Tools[0].OutputSchema)
	}
	if w := rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"trips.plan","params":{"title":"x","zzz":1}}`); !strings.Contains(w.Body.String(), `"result":{"title":"x"}`) {
		t.Errorf("JSON-RPC answered %s", w.Body)
	}
}

type mcpLong interface {
	Add(context.Context, *longIn) (*longOut, error)
	Get(context.Context, *longIn) (*longOut, error)
	GetBlocks(context.Context, *longIn) (*mcpShown, error)
	Watch(context.Context, *longIn) (svc.Stream[longOut], error)
	Fail(context.Context, *longIn) error
	Write(context.Context, *longIn) (*mcpShown, error)
}

type longIn struct {
	N int `json:"n,omitempty" query:"n,omitempty"`
}

type longOut struct {
	Text string `json:"text"`
}

type longImpl struct{}

func (longImpl) Add(_ context.Context, in *longIn) (*longOut, error) {
	return &longOut{strings.Repeat("é", in.N)}, nil
}

func (i longImpl) Get(ctx context.Context, in *longIn) (*longOut, error) { return i.Add(ctx, in) }

func (longImpl) GetBlocks(_ context.Context, in *longIn) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: strings.Repeat("é", in.N)}, {Type: "resource", URI: "x://y", Text: "bc"}, {Type: "image", MIMEType: "image/png", Data: make([]byte, 99)}}}, nil
}

func (i longImpl) Write(ctx context.Context, in *longIn) (*mcpShown, error) {
	return i.GetBlocks(ctx, in)
}

func (longImpl) Watch(_ context.Context, in *longIn) (svc.Stream[longOut], error) {
	return func(yield func(*longOut, error) bool) {
		for range in.N {
			yield(&longOut{}, nil)
		}
	}, nil
}

func (longImpl) Fail(_ context.Context, in *longIn) error {
	return svc.Errorf(svc.CodeNotFound, "%s", strings.Repeat("é", in.N))
}

// Verify the limit of MCPOptions.MaxResult: in characters, at the last one that fits and
// the first that does not, for every kind of result, and what the model and Observe get.
func TestMCPMaxResult(t *testing.T) {
	var observed []svc.Code
	s := svc.MustRegister[mcpLong](longImpl{}, &svc.Options{Methods: map[string]svc.MethodOptions{"Get": {HTTP: "GET /l/one"}, "GetBlocks": {HTTP: "GET /l/blocks"}}, Resource: "l", Logger: slog.New(slog.DiscardHandler), Observe: func(_ context.Context, o svc.Observation) {
		observed = append(observed, svc.CodeOf(o.Err))
	}})
	opts := &svc.MCPOptions{
		MaxResult: 30,
		Resources: map[string]svc.ResourceOptions{"Get": {URI: "l://get{?n}"}, "GetBlocks": {URI: "l://blocks{?n}"}},
		Prompts:   map[string]svc.PromptOptions{"Write": {}},
	}
	refused := func(n int, more string) string {
		return fmt.Sprintf("RESOURCE_EXHAUSTED: the answer has %d characters, at most 30 are given; ask for fewer items or fields%s", n, more)
	}
	const again, ok = ": the call was carried out, do not repeat it", `"isError":false`
	isError := func(text string) string { return `"content":[{"type":"text","text":"` + text + `"}],"isError":true}` }
	call := func(name string, n int) string { return fmt.Sprintf(`"name":"l_%s","arguments":{"n":%d}`, name, n) }
	for _, test := range []struct {
		method, params string
		code           svc.Code
		want           string
	}{
		{"tools/call", call("get", 19), svc.CodeOK, ok}, // {"text":""} has 11
		{"tools/call", call("get", 20), svc.CodeResourceExhausted, isError(refused(31, ""))},
		{"tools/call", call("add", 19), svc.CodeOK, ok},
		{"tools/call", call("add", 20), svc.CodeResourceExhausted, isError(refused(31, again))},
		{"tools/call", call("get_blocks", 28), svc.CodeOK, ok},
		{"tools/call", call("get_blocks", 29), svc.CodeResourceExhausted, isError(refused(31, ""))},
		{"tools/call", call("watch", 1), svc.CodeOK, ok},
		{"tools/call", call("watch", 2), svc.CodeResourceExhausted, isError(refused(35, again))},
		{"tools/call", call("fail", 19), svc.CodeNotFound, isError("NOT_FOUND: " + strings.Repeat("é", 19))},
		{"tools/call", call("fail", 20), svc.CodeNotFound, isError("NOT_FOUND: " + strings.Repeat("é", 19))},
		{"resources/read", `"uri":"l://get?n=19"`, svc.CodeOK, `"contents":[`},
		{"resources/read", `"uri":"l://get?n=20"`, svc.CodeResourceExhausted, `-32603,"message":"` + refused(31, "") + `"`},
		{"resources/read", `"uri":"l://blocks?n=28"`, svc.CodeOK, `"contents":[`},
		{"resources/read", `"uri":"l://blocks?n=29"`, svc.CodeResourceExhausted, `-32603,"message":"` + refused(31, "") + `"`},
		{"prompts/get", `"name":"l_write","arguments":{"n":"28"}`, svc.CodeOK, `"messages":[`},
		{"prompts/get", `"name":"l_write","arguments":{"n":"29"}`, svc.CodeResourceExhausted, `-32603,"message":"` + refused(31, "") + `"`},
	} {
		observed = nil
		eachMCP(t, s, opts, test.method, test.params, test.want)
		if len(observed) != 10 || slices.ContainsFunc(observed, func(c svc.Code) bool { return c != test.code }) {
			t.Errorf("%s: observed %v", test.params, observed)
		}
	}
	if got := mcpPost(s.MCP(&svc.MCPOptions{MaxResult: 5}), mcpLegacy("", "tools/call", call("fail", 9))).Body.String(); !strings.Contains(got, `"text":"NOT_FOUND"`) {
		t.Errorf("the code is cut: %s", got)
	}
	for n, want := range map[int]bool{100_000 - 11: true, 100_001 - 11: false} {
		if got := mcpPost(s.MCP(nil), mcpLegacy("", "tools/call", call("get", n))).Body.String(); strings.Contains(got, ok) != want {
			t.Errorf("by default, with %d: %.200s", n, got)
		}
	}
}

// Verify ToolOptions.Name, Meta and Icons wherever they are sent, and that the default name
// calls nothing.
func TestMCPLooks(t *testing.T) {
	s := svc.MustRegister[mcpLong](longImpl{}, &svc.Options{Methods: map[string]svc.MethodOptions{"Get": {HTTP: "GET /l/one"}, "GetBlocks": {HTTP: "GET /l/blocks"}}, Name: "L", Version: "1", Resource: "l", Logger: slog.New(slog.DiscardHandler)})
	icon := func(name string) []svc.Icon {
		return []svc.Icon{{Src: "https://x/" + name, MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"}}
	}
	meta := func(name string) map[string]any { return map[string]any{"ui": map[string]any{"name": name}, "b<": 1} }
	opts := &svc.MCPOptions{
		ServerInfo: svc.ServerInfo{Icons: icon("server")},
		Tools:      map[string]svc.ToolOptions{"Get": {Name: "fetch-It", Icons: icon("tool"), Meta: meta("tool")}, "l_add": {Name: "l_get"}},
		Resources: map[string]svc.ResourceOptions{
			"l_get":     {URI: "l://get{?n}", Icons: icon("resource"), Meta: meta("resource")},
			"GetBlocks": {URI: "l://blocks{?n}"},
		},
		Prompts: map[string]svc.PromptOptions{"Write": {Icons: icon("prompt")}},
	}
	icons := func(name string) string {
		return `"icons":[{"src":"https://x/` + name + `","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}]`
	}
	metas := func(name string) string { return `"_meta":{"b\u003c":1,"ui":{"name":"` + name + `"}}` }
	for _, test := range []struct{ method, params, want string }{
		{"tools/list", "", `{"name":"l_get",…{"name":"fetch-It",…` + icons("tool") + `,` + metas("tool") + `}`},
		{"tools/call", `"name":"fetch-It","arguments":{"n":1}`, `{"text":"é"}`},
		{"tools/call", `"name":"l_get","arguments":{"n":2}`, `{"text":"éé"}`},
		{"tools/call", `"name":"l_add","arguments":{"n":1}`, `-32602`},
		{"resources/templates/list", "", `"uriTemplate":"l://get{?n}",…` + icons("resource") + `,` + metas("resource") + `}`},
		{"resources/read", `"uri":"l://get?n=1"`, `"text":"{\"text\":\"é\"}",` + metas("resource") + `}]`},
		{"prompts/list", "", `"arguments":[…],` + icons("prompt") + `}`},
	} {
		eachMCP(t, s, opts, test.method, test.params, test.want)
	}
	info := `"serverInfo":{"name":"L","version":"1",` + icons("server") + `}`
	if got := mcpPost(s.MCP(opts), mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`)).Body.String(); !strings.Contains(got, info) {
		t.Errorf("initialize: %s", got)
	}
	if got := mcpPost(s.MCP(opts), mcpModern("server/discover", "")).Body.String(); !strings.Contains(got, `{"io.modelcontextprotocol/`+info[1:]) {
		t.Errorf("server/discover: %s", got)
	}
	if got := mcpPost(s.MCP(opts), mcpModern("tools/list", "")).Body.String(); strings.Contains(got, "https://x/server") {
		t.Errorf("another answer has the icons of the server: %s", got)
	}
}

type mcpApp interface {
	GetPage(context.Context) (*mcpShown, error)
}

type mcpAppImpl []svc.MCPContent

func (i mcpAppImpl) GetPage(context.Context) (*mcpShown, error) { return &mcpShown{i}, nil }

// Verify the Meta and the Icons of blocks, in results and in contents, where they win over
// those of the resource.
func TestMCPBlockMeta(t *testing.T) {
	read := func(c svc.MCPContent) (tool, contents string) {
		s := svc.MustRegister[mcpApp](mcpAppImpl{c}, &svc.Options{Methods: map[string]svc.MethodOptions{"GetPage": {HTTP: "GET /page"}}, Resource: "app", Logger: slog.New(slog.DiscardHandler)})
		h := s.MCP(&svc.MCPOptions{Resources: map[string]svc.ResourceOptions{"GetPage": {URI: "ui://app/page", Meta: map[string]any{"a": 1, "b": 2}}}})
		tool = mcpPost(h, mcpLegacy("2025-11-25", "tools/call", `"name":"app_get_page"`)).Body.String()
		return tool, mcpPost(h, mcpLegacy("2025-11-25", "resources/read", `"uri":"ui://app/page"`)).Body.String()
	}
	for _, test := range []struct {
		content        svc.MCPContent
		tool, contents string
	}{
		{svc.MCPContent{Text: "x"}, `{"type":"text","text":"x"}`, `"text":"x","_meta":{"a":1,"b":2}}`},
		{svc.MCPContent{Text: "x", Meta: map[string]any{"b": 3, "c": 4}}, `{"type":"text","text":"x","_meta":{"b":3,"c":4}}`, `"text":"x","_meta":{"a":1,"b":3,"c":4}}`},
		{svc.MCPContent{Type: "resource", URI: "x://y", Text: "x", Meta: map[string]any{"b": 3}}, `{"type":"resource","resource":{"uri":"x://y","text":"x"},"_meta":{"b":3}}`, `{"uri":"x://y","text":"x","_meta":{"a":1,"b":3}}`},
		{svc.MCPContent{Type: "resource_link", URI: "x://y", Name: "n", Icons: []svc.Icon{{Src: "data:,x"}}, Meta: map[string]any{"b": 3}}, `"name":"n","icons":[{"src":"data:,x"}],"_meta":{"b":3}}`, `"text":"n: x://y","_meta":{"a":1,"b":3}}`},
		{svc.MCPContent{Type: "resource_link", URI: "x://y", Name: "n", Icons: []svc.Icon{{Src: "ftp://x"}}}, `INTERNAL`, `-32603`},
		{svc.MCPContent{Text: "x", Meta: map[string]any{"f": func() {}}}, `INTERNAL`, `-32603`},
	} {
		tool, contents := read(test.content)
		if !strings.Contains(tool, test.tool) || !strings.Contains(contents, test.contents) {
			t.Errorf("%+v\n got %s and\n     %s\nwant %s and\n     %s", test.content, tool, contents, test.tool, test.contents)
		}
	}
}
