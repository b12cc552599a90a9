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

// This file tests the tools of MCP: what their lists say, arguments that a model misspells,
// answers that are too long for it, and the fields that it chooses.

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
	type own string // MCPMethod.InputSchema
	for _, test := range []struct {
		name            string
		with            any // MCPOptions, a schema of the author's own, or nil
		strict          bool
		arguments, want string
	}{
		{"a known argument", nil, false, `{"title":"x"}`, fine},
		{"an argument in another case", nil, false, `{"title":"x","Note":"y"}`, `"INVALID_ARGUMENT: invalid input: /Note is not a known property; did you mean \"note\"?"}],"isError":true`},
		{"a required argument in another case", nil, false, `{"Title":"x"}`, `\n- /Title is not a known property; did you mean \"title\"?\n- /title is required"`},
		{"an argument like no other", nil, false, `{"title":"x","zzz":1}`, `/zzz is not a known property"`},
		{"an argument in a list", nil, false, `{"title":"x","stops":[{},{"city_name":"a"}]}`, `/stops/1/city_name is not a known property; did you mean \"cityName\"?"`},
		{"an argument in a map", nil, false, `{"title":"x","costs":{"a/b":{"CityNam":"a"}}}`, `/costs/a~1b/CityNam is not a known property; did you mean \"cityName\"?"`},
		{"AllowUnknown", &svc.MCPOptions{AllowUnknown: true}, false, `{"title":"x","zzz":1,"stops":[{"zzz":1}]}`, fine},
		{"AllowUnknown of a strict service", &svc.MCPOptions{AllowUnknown: true}, true, `{"title":"x","zzz":1}`, `/zzz is not a known property`},
		{"a schema that is open", own(`{"type":"object"}`), false, `{"title":"x","zzz":1,"stops":[{"zzz":1}]}`, fine},
		{"a schema that is open, of a strict service", own(`{"type":"object"}`), true, `{"title":"x","zzz":1}`, `/zzz is not a known property`},
		{"a schema with additionalProperties", own(`{"type":"object","additionalProperties":{}}`), false, `{"title":"x","zzz":1}`, fine},
		{"a schema that is closed", own(`{"type":"object","additionalProperties":false}`), false, `{"title":"x","zzz":1}`, `/zzz is not a known property`},
		{"a schema that is closed and knows the argument", own(`{"type":"object","additionalProperties":false,"properties":{"zzz":{}}}`), false, `{"title":"x","zzz":1}`, fine},
		{"a schema that is closed and has patterns", own(`{"type":"object","additionalProperties":false,"patternProperties":{}}`), false, `{"title":"x","zzz":1}`, fine},
		{"a schema that is closed above a list", own(`{"type":"object","additionalProperties":false}`), false, `{"title":"x","stops":[{"zzz":1}]}`, fine},
		{"a schema that is closed in a list", own(`{"type":"object","properties":{"stops":{"items":{"additionalProperties":false}}}}`), false, `{"title":"x","zzz":1,"stops":[{},{"zzz":1}]}`, `: /stops/1/zzz is not a known property"`},
		{"a schema that is closed in one key of a map", own(`{"type":"object","properties":{"costs":{"properties":{"a/~":{"additionalProperties":false}}}}}`), false, `{"title":"x","costs":{"b":{"z":1},"a/~":{"z":1}}}`, `: /costs/a~1~0/z is not a known property"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := svc.Options{Strict: test.strict}
			if schema, ok := test.with.(own); ok {
				showing(&o, map[string]svc.MCPMethod{"Plan": {InputSchema: []byte(schema)}})
			}
			opts, _ := test.with.(*svc.MCPOptions)
			eachMCP(t, newTrips(o), opts, "tools/call", plan(test.arguments), test.want)
		})
	}
	s := newTrips(svc.Options{})
	eachMCP(t, s, nil, "tools/call", `"name":"trips_stop","arguments":{"now":true}`, `/now is not a known property`)
	eachMCP(t, s, nil, "tools/call", `"arguments":{"title":"x","Note":"y"},"name":"trips_plan"`, `/Note is not a known property; did you mean`)
	eachMCP(t, s, nil, "tools/list", "", `"stops":{"type":"array","items":{"type":"object","properties":{"cityName":{"type":"string"}}}}…},"outputSchema":{"type":"object"`)
	if list := mcpPost(s.MCP(nil), mcpLegacy("", "tools/list", "")).Body.String(); strings.Contains(list, `"additionalProperties":false`) {
		t.Errorf("hosts refuse a schema in %s", list)
	}
	open := s.MCP(&svc.MCPOptions{AllowUnknown: true})
	unknown := func(n int) float64 {
		var arguments strings.Builder
		for i := range n {
			fmt.Fprintf(&arguments, `"x%d":0,`, i)
		}
		text := mcpLegacy("2025-06-18", "tools/call", plan(`{`+arguments.String()+`"title":"y"}`))
		return testing.AllocsPerRun(3, func() { mcpPost(open, text) })
	}
	if few, many := unknown(1000), unknown(3000); many > few+5000 {
		t.Errorf("1,000 unknown arguments that are allowed take %v allocations, and 3,000 take %v", few, many)
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
	s := svc.MustRegister[mcpLong](longImpl{}, &svc.Options{Methods: map[string]svc.MethodOptions{
		"Get":       {HTTP: "GET /l/one", MCP: &svc.MCPMethod{URI: "l://get{?n}"}},
		"GetBlocks": {HTTP: "GET /l/blocks", MCP: &svc.MCPMethod{URI: "l://blocks{?n}"}},
		"Write":     {MCP: &svc.MCPMethod{Prompt: true}},
	}, Resource: "l", Logger: slog.New(slog.DiscardHandler), Observe: func(_ context.Context, o svc.Observation) {
		observed = append(observed, svc.CodeOf(o.Err))
	}})
	opts := &svc.MCPOptions{MaxResult: 30}
	refused := func(n int, more string) string {
		return fmt.Sprintf("RESOURCE_EXHAUSTED: the answer has %d characters, at most 30 are given; ask for fewer items%s", n, more)
	}
	const again, ok = ": the call was carried out, do not repeat it", `"isError":false`
	isError := func(text string) string { return `"content":[{"type":"text","text":"` + text + `"}],"isError":true}` }
	call := func(name string, n int) string { return fmt.Sprintf(`"name":"l_%s","arguments":{"n":%d}`, name, n) }
	for _, test := range []struct {
		name           string
		method, params string
		code           svc.Code
		want           string
	}{
		{"a GET that fits", "tools/call", call("get", 19), svc.CodeOK, ok}, // {"text":""} has 11
		{"a GET that does not fit", "tools/call", call("get", 20), svc.CodeResourceExhausted, isError(refused(31, ""))},
		{"a POST that fits", "tools/call", call("add", 19), svc.CodeOK, ok},
		{"a POST that does not fit", "tools/call", call("add", 20), svc.CodeResourceExhausted, isError(refused(31, again))},
		{"blocks that fit", "tools/call", call("get_blocks", 28), svc.CodeOK, ok},
		{"blocks that do not fit", "tools/call", call("get_blocks", 29), svc.CodeResourceExhausted, isError(refused(31, ""))},
		{"a stream that fits", "tools/call", call("watch", 1), svc.CodeOK, ok},
		{"a stream that does not fit", "tools/call", call("watch", 2), svc.CodeResourceExhausted, isError(refused(35, again))},
		{"an error that fits", "tools/call", call("fail", 19), svc.CodeNotFound, isError("NOT_FOUND: " + strings.Repeat("é", 19))},
		{"an error that is cut", "tools/call", call("fail", 20), svc.CodeNotFound, isError("NOT_FOUND: " + strings.Repeat("é", 19))},
		{"a resource that fits", "resources/read", `"uri":"l://get?n=19"`, svc.CodeOK, `"contents":[`},
		{"a resource that does not fit", "resources/read", `"uri":"l://get?n=20"`, svc.CodeResourceExhausted, `-32603,"message":"` + refused(31, "") + `"`},
		{"a resource of blocks that fits", "resources/read", `"uri":"l://blocks?n=28"`, svc.CodeOK, `"contents":[`},
		{"a resource of blocks that does not fit", "resources/read", `"uri":"l://blocks?n=29"`, svc.CodeResourceExhausted, `-32603,"message":"` + refused(31, "") + `"`},
		{"a prompt that fits", "prompts/get", `"name":"l_write","arguments":{"n":"28"}`, svc.CodeOK, `"messages":[`},
		{"a prompt that does not fit", "prompts/get", `"name":"l_write","arguments":{"n":"29"}`, svc.CodeResourceExhausted, `-32603,"message":"` + refused(31, "") + `"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			observed = nil
			eachMCP(t, s, opts, test.method, test.params, test.want)
			if len(observed) != 10 || slices.ContainsFunc(observed, func(c svc.Code) bool { return c != test.code }) {
				t.Errorf("%s: observed %v", test.params, observed)
			}
		})
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

// Verify MCPMethod.Name, Meta and Icons wherever they are sent, and that the default name
// calls nothing.
func TestMCPNamesIconsAndMeta(t *testing.T) {
	icon := func(name string) []svc.MCPIcon {
		return []svc.MCPIcon{{Src: "https://x/" + name, MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"}}
	}
	meta := func(name string) map[string]any { return map[string]any{"ui": map[string]any{"name": name}, "b.c": 1} }
	s := svc.MustRegister[mcpLong](longImpl{}, &svc.Options{Methods: map[string]svc.MethodOptions{
		"Get":       {HTTP: "GET /l/one", MCP: &svc.MCPMethod{Name: "fetch-It", URI: "l://get{?n}", Icons: icon("get"), Meta: meta("get")}},
		"GetBlocks": {HTTP: "GET /l/blocks", MCP: &svc.MCPMethod{URI: "l://blocks{?n}"}},
		"Add":       {MCP: &svc.MCPMethod{Name: "l_get"}},
		"Write":     {MCP: &svc.MCPMethod{Prompt: true, Icons: icon("prompt"), Meta: meta("prompt")}},
	}, Name: "L", Version: "1", Resource: "l", Logger: slog.New(slog.DiscardHandler)})
	opts := &svc.MCPOptions{ServerInfo: svc.MCPServerInfo{Icons: icon("server")}}
	icons := func(name string) string {
		return `"icons":[{"src":"https://x/` + name + `","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}]`
	}
	metas := func(name string) string { return `"_meta":{"b.c":1,"ui":{"name":"` + name + `"}}` }
	for _, test := range []struct{ name, method, params, want string }{
		{"tools/list", "tools/list", "", `{"name":"l_get",…{"name":"fetch-It",…` + icons("get") + `,` + metas("get") + `}`},
		{"a tool by its name", "tools/call", `"name":"fetch-It","arguments":{"n":1}`, `{"text":"é"}`},
		{"a tool by the default name of another", "tools/call", `"name":"l_get","arguments":{"n":2}`, `{"text":"éé"}`},
		{"a tool by its default name", "tools/call", `"name":"l_add","arguments":{"n":1}`, `-32602`},
		{"resources/templates/list", "resources/templates/list", "", `"uriTemplate":"l://get{?n}",…` + icons("get") + `,` + metas("get") + `}`},
		{"resources/read", "resources/read", `"uri":"l://get?n=1"`, `"text":"{\"text\":\"é\"}",` + metas("get") + `}]`},
		{"prompts/list", "prompts/list", "", `"arguments":[…],` + icons("prompt") + `,` + metas("prompt") + `}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachMCP(t, s, opts, test.method, test.params, test.want)
		})
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
		s := svc.MustRegister[mcpApp](mcpAppImpl{c}, &svc.Options{Methods: map[string]svc.MethodOptions{
			"GetPage": {HTTP: "GET /page", MCP: &svc.MCPMethod{URI: "ui://app/page", Meta: map[string]any{"a": 1, "b": 2}}},
		}, Resource: "app", Logger: slog.New(slog.DiscardHandler)})
		h := s.MCP(nil)
		tool = mcpPost(h, mcpLegacy("2025-11-25", "tools/call", `"name":"app_get_page"`)).Body.String()
		return tool, mcpPost(h, mcpLegacy("2025-11-25", "resources/read", `"uri":"ui://app/page"`)).Body.String()
	}
	for _, test := range []struct {
		name           string
		content        svc.MCPContent
		tool, contents string
	}{
		{"no meta", svc.MCPContent{Text: "x"}, `{"type":"text","text":"x"}`, `"text":"x","_meta":{"a":1,"b":2}}`},
		{"meta of a text", svc.MCPContent{Text: "x", Meta: map[string]any{"b": 3, "c": 4}}, `{"type":"text","text":"x","_meta":{"b":3,"c":4}}`, `"text":"x","_meta":{"a":1,"b":3,"c":4}}`},
		{"meta of a resource", svc.MCPContent{Type: "resource", URI: "x://y", Text: "x", Meta: map[string]any{"b": 3}}, `{"type":"resource","resource":{"uri":"x://y","text":"x"},"_meta":{"b":3}}`, `{"uri":"x://y","text":"x","_meta":{"a":1,"b":3}}`},
		{"meta and icons of a link", svc.MCPContent{Type: "resource_link", URI: "x://y", Name: "n", Icons: []svc.MCPIcon{{Src: "data:,x"}}, Meta: map[string]any{"b": 3}}, `"name":"n","icons":[{"src":"data:,x"}],"_meta":{"b":3}}`, `"text":"n: x://y","_meta":{"a":1,"b":3}}`},
		{"an icon with another scheme", svc.MCPContent{Type: "resource_link", URI: "x://y", Name: "n", Icons: []svc.MCPIcon{{Src: "ftp://x"}}}, `INTERNAL`, `-32603`},
		{"meta that is not JSON", svc.MCPContent{Text: "x", Meta: map[string]any{"f": func() {}}}, `INTERNAL`, `-32603`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tool, contents := read(test.content)
			if !strings.Contains(tool, test.tool) || !strings.Contains(contents, test.contents) {
				t.Errorf("%+v\n got %s and\n     %s\nwant %s and\n     %s", test.content, tool, contents, test.tool, test.contents)
			}
		})
	}
}

// Requirements 10.1, 10.2, 10.5, 10.6, 10.7, 10.8, 10.9, 10.10, 10.21: the list of
// tools, in full in testdata/mcp/tools-list.txt.
func TestMCPToolList(t *testing.T) {
	h := newMCP(nil)
	list := mcpLegacy("", "tools/list", "")
	first, second := mcpPost(h, list).Body.Bytes(), mcpPost(newMCP(nil), list).Body.Bytes()
	if !bytes.Equal(first, second) {
		t.Errorf("two lists differ:\n%s\n%s", first, second)
	}
	var reply struct {
		Result struct {
			Tools []struct {
				Name, Title, Description  string
				InputSchema, OutputSchema map[string]any
				Annotations               map[string]any
			}
		}
	}
	if err := json.Unmarshal(first, &reply); err != nil {
		t.Fatal(err)
	}
	for _, tool := range reply.Result.Tools {
		if !strings.HasPrefix(tool.Name, "notes_") || tool.Title == "" || tool.Description == "" || len(tool.Annotations) != 4 {
			t.Errorf("%s lacks something: %+v", tool.Name, tool)
		}
		if tool.InputSchema["type"] != "object" || tool.OutputSchema != nil && tool.OutputSchema["type"] != "object" {
			t.Errorf("%s has a schema of no object", tool.Name)
		}
	}
	var indented bytes.Buffer
	json.Indent(&indented, first, "", "  ")
	golden(t, "mcp/tools-list.txt", indented.Bytes())
	for _, bad := range []string{`"nullable"`, `"$ref"`, `"type":[`, `"listChanged"`} {
		if bytes.Contains(first, []byte(bad)) {
			t.Errorf("the list has %s", bad)
		}
	}
}

// Requirement 10.22: what MethodOptions.MCP changes.
func TestMCPMethodOptions(t *testing.T) {
	no, yes := false, true
	h := svc.MustRegister[mcpNotes](mcpService{}, showing(&svc.Options{Resource: "notes"}, map[string]svc.MCPMethod{
		"Count":  {Title: "How many", Description: "Counts the notes.", ReadOnly: &yes},
		"Create": {InputSchema: []byte(`{"type":"object", "$defs":{"a":{"$anchor":"x"}}, "if":{}}`), Destructive: &no, Idempotent: &yes, OpenWorld: &yes},
	})).MCP(nil)
	list := mcpPost(h, mcpLegacy("", "tools/list", "")).Body.String()
	for _, want := range []string{
		`"title":"How many","description":"Counts the notes.",`,
		`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false`,
		`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true`,
		`"inputSchema":{"type":"object","$defs":{"a":{"$anchor":"x"}},"if":{}}`,
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %s:\n%s", want, list)
		}
	}
}

type mcpMisnamed interface {
	Größe(context.Context) error
	ThisNameOfAMethodIsFarLongerThanWhatTheModelsThatAreAroundAreWillingToTake(context.Context) error
}

type mcpMisnamedService struct{}

func (mcpMisnamedService) Größe(context.Context) error { return nil }
func (mcpMisnamedService) ThisNameOfAMethodIsFarLongerThanWhatTheModelsThatAreAroundAreWillingToTake(context.Context) error {
	return nil
}

// Verify that everything wrong with the options of the server, and with names that follow from Go
// names, is said at once when the handler is made.
func TestMCPMisconfigured(t *testing.T) {
	poke := func(resource string) *svc.Service {
		return svc.MustRegister[PokeAPI](new(poker), &svc.Options{Resource: resource})
	}
	s := svc.Join("mcpMisnamed", svc.MustRegister[mcpMisnamed](mcpMisnamedService{}, &svc.Options{Resource: "a"}), poke("b"), poke("7up"))
	defer func() {
		text := fmt.Sprint(recover())
		for _, want := range []string{
			`mcpMisnamed.Größe: the tool name "a_größe" has other characters than letters, digits, - and _ of ASCII; set MethodOptions.MCP.Name`,
			`a_this_name_of_a_method_is_far_longer_than_what_the_models_that_are_around_are_willing_to_take" is longer than 60 characters`,
			`PokeAPI.Poke: the tool name "7up_poke" does not begin with a letter or _`,
			`MaxResult is negative`, `ServerInfo: the Theme of an icon is "blue"; write light or dark`,
			`AllowedOrigins[0] is "app.example"`, `AllowedOrigins[1] is "https://app.example/x"`,
			`ListScope is "shared"`, `ListTTL is negative`, `StateKey has no key`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the panic does not say %s:\n%s", want, text)
			}
		}
	}()
	s.MCP(&svc.MCPOptions{
		AllowedOrigins: []string{"app.example", "https://app.example/x"}, ListScope: "shared", ListTTL: -1, MaxResult: -1, StateKey: new(svc.CursorKey),
		ServerInfo: svc.MCPServerInfo{Icons: []svc.MCPIcon{{Src: "data:,x", Theme: "blue"}}},
	})
}

type mcpTagged[In any] interface {
	Call(context.Context, *In) error
}

type mcpTaggedService[In any] struct{}

func (mcpTaggedService[In]) Call(context.Context, *In) error { return nil }

type mcpTree struct {
	Name string    `json:"name" mcpheader:"Name"`
	Kids []mcpTree `json:"kids,omitempty"`
}

// Requirement 4.5: a tag that clients would not accept is refused when the tools are made.
func TestMCPHeaderTags(t *testing.T) {
	register := func(mistakes any) string { return fmt.Sprint(mistakes) }
	for _, test := range []struct{ name, got, want string }{
		{"a header name that is no token", register(mcpRegister[struct {
			A string `json:"a" mcpheader:"Two Words"`
		}]()), `the argument /a: the header name "Two Words" is not a token`},
		{"a number", register(mcpRegister[struct {
			A float64 `json:"a" mcpheader:"A"`
		}]()), `the argument /a: the header "A" can carry a string, an integer or a boolean`},
		{"a pointer that is required", register(mcpRegister[struct {
			A *string `json:"a" mcpheader:"A"`
		}]()), `a pointer must be optional`},
		{"two headers that differ by case", register(mcpRegister[struct {
			A string `json:"a" mcpheader:"Same"`
			B string `json:"b" mcpheader:"sAME"`
		}]()), `the argument /b: the header "sAME" is there twice`},
		{"a union as the input", register(mcpRegister[unionPayment]()), `Call: the input blackbox_test.unionPayment is a union, and assistants drop a tool whose input is anyOf or oneOf; put it into a field of a struct`},
		{"a header in a list", register(mcpRegister[struct {
			A []mcpTree `json:"a"`
		}]()), `Call: the argument /name: the header "Name" can carry what is always at one place`},
		{"a header in a map", register(mcpRegister[struct {
			A map[string]mcpPlace `json:"a"`
		}]()), `the argument /a/city: the header "City" can carry what is always at one place`},
		{"headers as they may be", register(mcpRegister[struct {
			A *string  `json:"a,omitempty" mcpheader:"A"`
			B int8     `json:"b" mcpheader:"B"`
			C bool     `json:"c" mcpheader:"C"`
			D mcpPlace `json:"d"`
		}]()), `<nil>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("got %s\nwant %s", test.got, test.want)
			}
		})
	}
}

// Verify that an argument inside a string, which ReadStrings reads, needs its header as well: a
// gateway that routes by the header has not seen it otherwise.
func TestMCPHeaderInStrings(t *testing.T) {
	type inner struct {
		Region string `json:"region,omitempty" mcpheader:"Region"`
		Count  int    `json:"count,omitempty" mcpheader:"Count"`
	}
	type outer struct {
		Inner *inner `json:"inner,omitempty"`
	}
	type input struct {
		Place *mcpPlace `json:"place,omitempty"`
		Outer *outer    `json:"outer,omitempty"`
		Zone  string    `json:"zone,omitempty" mcpheader:"Zone" default:"a"`
	}
	s := svc.MustRegister[mcpTagged[input]](mcpTaggedService[input]{}, &svc.Options{Name: "Tagged"})
	h := s.MCP(&svc.MCPOptions{ReadStrings: true})
	for _, test := range []struct{ name, arguments, head string }{ // head is what lets the call pass, in each of its lines
		{"all in a string", `"{\"zone\":\"x\"}"`, "Mcp-Param-Zone: x"},
		{"an object in a string", `{"place":"{\"city\":\"x\"}"}`, "Mcp-Param-City: x"},
		{"white space around it", `{"place":" \n{\"city\":\"x\"} "}`, "Mcp-Param-City: x"},
		{"an escaped brace", `{"place":"\u007b\"city\":\"x\"}"}`, "Mcp-Param-City: x"},
		{"two levels, the inner one in a string", `{"outer":{"inner":"{\"region\":\"x\"}"}}`, "Mcp-Param-Region: x"},
		{"two levels, the outer one in a string", `{"outer":"{\"inner\":{\"region\":\"x\"}}"}`, "Mcp-Param-Region: x"},
		{"two levels, a string in a string", `{"outer":"{\"inner\":\"{\\\"region\\\":\\\"x\\\"}\"}"}`, "Mcp-Param-Region: x"},
		{"all in strings", `"{\"outer\":\"{\\\"inner\\\":\\\"{\\\\\\\"region\\\\\\\":\\\\\\\"x\\\\\\\"}\\\"}\"}"`, "Mcp-Param-Region: x"},
		{"a number in a string", `{"outer":{"inner":"{\"count\":\"5\"}"}}`, "Mcp-Param-Count: 5"},
		{"null on the path", `{"outer":"{\"inner\":null}"}`, ""},
		{"absent, with a default", `{}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := `"name":"tagged_call","arguments":` + test.arguments
			for _, head := range []string{"", test.head, "Mcp-Param-Region: other", "Mcp-Param-City: other"} {
				lines := []string{head}
				if head == "" {
					lines = nil
				}
				got := mcpPost(h, mcpModern("tools/call", call, lines...)).Body.String()
				want := "-32020"
				if head == test.head {
					want = `"isError":false`
				}
				if !strings.Contains(got, want) {
					t.Errorf("with %q: %s", head, got)
				}
			}
		})
	}
	// without ReadStrings the string is no object, and binding says so
	got := mcpPost(s.MCP(nil), mcpModern("tools/call", `"name":"tagged_call","arguments":{"place":"{\"city\":\"x\"}"}`)).Body.String()
	if !strings.Contains(got, "/place must be an object") {
		t.Errorf("without ReadStrings: %s", got)
	}
}

// mcpRegister returns what MCP panics with for a method with the input In.
func mcpRegister[In any]() (mistakes any) {
	defer func() { mistakes = recover() }()
	svc.MustRegister[mcpTagged[In]](mcpTaggedService[In]{}, &svc.Options{Name: "Tagged"}).MCP(nil)
	return nil
}

type mcpOutputs interface {
	Bill(context.Context) (*unionPayment, error)
	When(context.Context) (*mcpYear, error)
}

type mcpYear struct{}

func (mcpYear) MarshalJSON() ([]byte, error) { return []byte("1970"), nil }
func (mcpYear) JSONSchema() map[string]any   { return map[string]any{"type": "integer"} }

type mcpOutputsService struct{}

func (mcpOutputsService) Bill(context.Context) (*unionPayment, error) {
	return &unionPayment{ID: "1", Cash: &struct{}{}}, nil
}
func (mcpOutputsService) When(context.Context) (*mcpYear, error) { return new(mcpYear), nil }

// Verify that structured content and its schema are objects, whatever the output is.
func TestMCPOutputsAreObjects(t *testing.T) {
	h := svc.MustRegister[mcpOutputs](mcpOutputsService{}, &svc.Options{Resource: "out"}).MCP(nil)
	for _, test := range []struct{ name, text, want string }{
		{"tools/list", mcpLegacy("", "tools/list", ""), `…"name":"out_bill",…"outputSchema":{"type":"object","…Of":[…"name":"out_when",…"outputSchema":{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]…}…`},
		{"a union", mcpLegacy("", "tools/call", `"name":"out_bill"`), `…"structuredContent":{"type":"cash","id":"1"…},…`},
		{"a number", mcpLegacy("", "tools/call", `"name":"out_when"`), `…"structuredContent":{"result":1970},"content":[{"type":"text","text":"{\"result\":1970}"}]…`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := mcpPost(h, test.text).Body.String(); !mcpMatches(got, test.want) {
				t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}
