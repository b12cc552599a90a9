package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
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
