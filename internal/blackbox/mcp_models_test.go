package blackbox_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
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
		{"a text for a number", `{"title":"a","count":"seven"}`,
			`INVALID_ARGUMENT: invalid input: /count must be an integer, is a string`, `{"title":"a","count":7}`},
		{"JSON in a string", `{"title":"a","count":1,"tags":"[\"x\"]"}`,
			`INVALID_ARGUMENT: invalid input: /tags must be an array, is a string with JSON in it; send the array itself`, `{"title":"a","count":1,"tags":["x"]}`},
		{"an extra argument", `{"title":"a","count":1,"confidence":0.5}`,
			`INVALID_ARGUMENT: invalid input: /confidence is not a known property`, `{"title":"a","count":1}`},
		{"a missing argument", `{"title":"a"}`,
			`INVALID_ARGUMENT: invalid input: /count is required`, `{"title":"a","count":1}`},
		{"an enum in another case", `{"title":"a","count":1,"level":"High"}`,
			`INVALID_ARGUMENT: invalid input: /level must be one of low, high`, `{"title":"a","count":1,"level":"high"}`},
		{"another form of date", `{"title":"a","count":1,"due":"31.03.2026"}`,
			`INVALID_ARGUMENT: invalid input: /due must be a date and time by RFC 3339, such as 2026-01-02T15:04:05Z`, `{"title":"a","count":1,"due":"2026-03-31T00:00:00Z"}`},
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
	eachMCP(t, s, nil, "tools/call", `"name":"ticket_create"`, `"code":-32602,"message":"there is no tool of this name; did you mean \"tickets_create\", which changes data?"`)
	eachMCP(t, s, nil, "tools/call", `"name":"ticketsCreate","arguments":{"title":"a"}`, `"code":-32602,"message":"there is no tool of this name; did you mean \"tickets_create\", which changes data?"`)
	eachMCP(t, s, nil, "tools/call", `"name":"weather"`, `"code":-32602,"message":"there is no tool of this name; tools/list has all"`)
	hidden := &svc.MCPOptions{Show: func(_ context.Context, m svc.Method) bool { return m.Name != "create" }}
	eachMCP(t, s, hidden, "tools/call", `"name":"ticket_create"`, `"code":-32602,"message":"there is no tool of this name; tools/list has all"`)
	eachMCP(t, s, hidden, "tools/call", `"name":"ticket_inspect"`, `; did you mean \"tickets_inspect\", which changes data?"`)
	broken := &svc.MCPOptions{Show: func(context.Context, svc.Method) bool { panic("secret") }}
	eachMCP(t, s, broken, "tools/call", `"name":"ticket_create"`, `"code":-32602,"message":"there is no tool of this name; tools/list has all"`)
	asking, _ := newAsking(nil)
	opts := &svc.MCPOptions{}
	eachMCP(t, asking, opts, "prompts/get", `"name":"compose_ask"`, `"code":-32602,"message":"there is no prompt of this name; prompts/list has all"`)
	eachMCP(t, asking, opts, "prompts/get", `"name":"ask-compose"`, `"code":-32602,"message":"there is no prompt of this name; did you mean \"ask_compose\"?"`)
	long := strings.Repeat("x", 100_000)
	eachMCP(t, s, nil, "tools/call", `"name":"`+long+`"`, `there is no tool of this name; tools/list has all`)
}

// Verify that JSON in a string is read where an object or a list is wanted, with ReadStrings, and
// nowhere else.
func TestMCPReadStrings(t *testing.T) {
	opts := &svc.MCPOptions{ReadStrings: true}
	call := func(arguments string) string { return `"name":"tickets_create","arguments":` + arguments }
	const before = `{"title":"a","count":1,`
	for _, test := range []struct{ name, arguments, want string }{
		{"a list of strings", before + `"tags":"[\"x\", \"[y]\"]"}`, `"structuredContent":{"in":{"title":"a","count":1,"tags":["x","[y]"]`},
		{"a list of numbers", before + `"sizes":" [1,2] \n"}`, `"sizes":[1,2]`},
		{"an array", before + `"pair":"[3,4]"}`, `"pair":[3,4]`},
		{"an object", before + `"place":"{\"cityName\":\"a \\\"b\\\" \u00e4\"}"}`, `"place":{"cityName":"a \"b\" ä"}`},
		{"an optional object", before + `"optional":"{\"floor\":3}"}`, `"optional":{"floor":3}`},
		{"a map", before + `"lengths":"{\"b\":2,\"a\":1}"}`, `"lengths":{"a":1,"b":2}`},
		{"what comes after it", `{"place":"{\"floor\":3}","title":"after","count":5}`, `"in":{"title":"after","count":5,"place":{"floor":3}`},
		{"all arguments", `"{\"title\":\"a\",\"count\":1,\"tags\":\"[]\"}"`, `"in":{"title":"a","count":1`},
		{"a violation in it", before + `"place":"{\"floor\":\"x\"}"}`, `: /place/floor must be an integer, is a string"`},
		{"an unknown member in it", before + `"place":"{\"flor\":1}"}`, `: /place/flor is not a known property; did you mean \"floor\"?"`},
		{"the other type", before + `"tags":"{}"}`, `: /tags must be an array, is a string"`},
		{"no JSON", before + `"tags":"[1,"}`, `: /tags must be an array, is a string"`},
		{"two values", before + `"tags":"[] []"}`, `: /tags must be an array, is a string"`},
		{"a name twice", before + `"place":"{\"floor\":1,\"floor\":2}"}`, `: /place must be an object, is a string"`},
		{"a comma list", before + `"tags":"x,y"}`, `: /tags must be an array, is a string"`},
		{"null in a string", before + `"place":"null"}`, `: /place must be an object, is a string"`},
		{"a number in a string", `{"title":"a","count":"1"}`, `"in":{"title":"a","count":1`},
		{"JSON where a string is wanted", `{"title":"[1]","count":1,"note":"{}"}`, `"in":{"title":"[1]","count":1,"note":"{}"`},
		{"an item", `{"title":"a","count":1,"tags":"[\"a\"]","sizes":"[1,\"x\"]"}`, `: /sizes/1 must be an integer, is a string"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachMCP(t, newTickets(), opts, "tools/call", call(test.arguments), test.want)
		})
	}
	eachMCP(t, newTickets(), opts, "tools/call", `"name":"tickets_inspect","arguments":{"pages":"[{\"size\":\"{\\\"from\\\":1}\"}]"}`, `: /pages/0/size/from must be a string, is a number"`)
	deep := strings.Repeat(`[`, 990) + strings.Repeat(`]`, 990)
	got := mcpPost(newTickets().MCP(opts), mcpLegacy("", "tools/call", call(before+`"tags":"`+deep+`"}`))).Body.String()
	if !strings.Contains(got, "/tags/0 must be a string, is an array") {
		t.Errorf("a deep list: %s", clipped(got))
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/tickets", strings.NewReader(before+`"tags":"[]"}`))
	r.Header.Set("Content-Type", "application/json")
	if newTickets().REST().ServeHTTP(w, r); w.Code != 400 {
		t.Errorf("REST answered %d %s", w.Code, w.Body)
	}
}

// FuzzMCPReadStrings sends values in strings, once and twice inside each other, and as they are:
// the answers must not differ, unless a value is not read from a string.
func FuzzMCPReadStrings(f *testing.F) {
	for _, text := range []string{`{"place":{"floor":1}}`, `{"tags":["a","[b]"]}`, `{"pages":[{"size":{"from":"x"}}]}`, `{"sizes":[1,2.5]}`, `{"lengths":{"a":{}}}`, `{"optional":null}`, `{}`, `[`} {
		f.Add(text)
	}
	h := newTickets().MCP(&svc.MCPOptions{ReadStrings: true})
	call := func(arguments []byte) string {
		return mcpPost(h, mcpLegacy("2025-11-25", "tools/call", `"name":"tickets_create","arguments":`+string(arguments))).Body.String()
	}
	f.Fuzz(func(t *testing.T, text string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil || members == nil {
			return
		}
		plain, err := json.Marshal(members)
		if err != nil || !json.Valid(plain) || len(plain) > 10_000 {
			return
		}
		want := call(plain)
		if strings.Contains(want, `"code":-32700`) { // such as a name twice
			return
		}
		for name, value := range members {
			if value[0] != '{' && value[0] != '[' {
				continue
			}
			quoted, _ := json.Marshal(string(value))
			members[name] = quoted
		}
		inside, _ := json.Marshal(members)
		got := call(inside)
		if strings.Contains(want, `"isError":false`) && got != want {
			t.Errorf("%s\n got %s\nwant %s", inside, got, want)
		}
		whole, _ := json.Marshal(string(inside))
		if again := call(whole); again != got {
			t.Errorf("%s\n got %s\nwant %s", whole, again, got)
		}
	})
}

type wordsAPI interface {
	Store(context.Context, *wordsIn) (*wordsIn, error)
}

type wordsIn struct {
	Day    string               `json:"day" format:"date" doc:"When it begins."`
	Plain  string               `json:"plain,omitempty" format:"date"`
	Clock  string               `json:"clock,omitempty" format:"time" doc:"when it begins"`
	At     string               `json:"at,omitempty" format:"date-time" doc:"when it begins"`
	Mail   *string              `json:"mail,omitempty" format:"email" doc:"whom to tell"`
	Hosts  []string             `json:"hosts,omitempty" format:"hostname" doc:"where it runs"`
	Phone  string               `json:"phone,omitempty" format:"phone"`
	N      int                  `json:"n,omitempty" format:"int32"`
	Part   wordsPart            `json:"part,omitzero" doc:"one \"part\""`
	Parts  []wordsPart          `json:"parts,omitempty"`
	Spoken wordsSpoken          `json:"spoken,omitzero"`
	Own    wordsSpoken          `json:"own,omitzero" doc:"my own"`
	ByName map[string]wordsPart `json:"byName,omitempty"`
}

// A wordsPart has a format by its schema.
type wordsPart struct{ text string }

func (p wordsPart) MarshalText() ([]byte, error)  { return []byte(p.text), nil }
func (p *wordsPart) UnmarshalText(b []byte) error { p.text = string(b); return nil }
func (wordsPart) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "format": "uuid"}
}

type wordsSpoken struct{ wordsPart }

func (wordsSpoken) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "format": "ipv4", "description": "its address"}
}

type wordsImpl struct{}

func (wordsImpl) Store(_ context.Context, in *wordsIn) (*wordsIn, error) { return in, nil }

// Verify that a format which hosts drop is said in the description of an argument, and that the
// format of a result is not.
func TestMCPFormatsInWords(t *testing.T) {
	s := svc.MustRegister[wordsAPI](wordsImpl{}, &svc.Options{Resource: "f", Logger: slog.New(slog.DiscardHandler)})
	var list struct {
		Result struct {
			Tools []struct{ InputSchema, OutputSchema map[string]any }
		}
	}
	if err := json.Unmarshal(mcpPost(s.MCP(nil), mcpLegacy("", "tools/list", "")).Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	const uuid = "a UUID, such as 123e4567-e89b-42d3-a456-426614174000"
	for _, test := range []struct{ name, at, want string }{
		{"a sentence", "day", `{"description":"When it begins (a date, such as 2026-01-02).","type":"string"}`},
		{"no text", "plain", `{"description":"a date, such as 2026-01-02","type":"string"}`},
		{"a phrase", "clock", `{"description":"when it begins (a time with its offset from UTC, such as 15:04:05Z)","type":"string"}`},
		{"a format that stays", "at", `{"description":"when it begins","format":"date-time","type":"string"}`},
		{"a pointer", "mail", `{"description":"whom to tell (an email address, such as ada@example.com)","type":"string"}`},
		{"items", "hosts", `{"description":"where it runs","items":{"description":"a host name, such as example.com","type":"string"},"type":"array"}`},
		{"another format", "phone", `{"description":"format: phone","type":"string"}`},
		{"a number", "n", `{"maximum":2147483647,"minimum":-2147483648,"type":"integer"}`},
		{"a schema of the type, described", "part", `{"description":"one \"part\" (` + uuid + `)","type":"string"}`},
		{"a schema of the type", "parts", `{"items":{"description":"` + uuid + `","type":"string"},"type":"array"}`},
		{"a schema with a description", "spoken", `{"description":"its address (an IPv4 address, such as 192.0.2.1)","type":"string"}`},
		{"a schema with a description in a field with its own", "own", `{"description":"my own (an IPv4 address, such as 192.0.2.1)","type":"string"}`},
		{"in a map", "byName", `{"additionalProperties":{"description":"` + uuid + `","type":"string"},"type":"object"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			of := func(schema map[string]any) string {
				text, _ := json.Marshal(schema["properties"].(map[string]any)[test.at])
				return string(text)
			}
			if got := of(list.Result.Tools[0].InputSchema); test.at != "n" && got != test.want {
				t.Errorf("%s is %s\nwant %s", test.at, got, test.want)
			} else if strings.Contains(got, "format: int32") {
				t.Errorf("%s is %s", test.at, got)
			}
			if got := of(list.Result.Tools[0].OutputSchema); strings.Contains(got, "such as") || strings.Contains(got, "format: ") {
				t.Errorf("of the output, %s is %s", test.at, got)
			}
		})
	}
}
