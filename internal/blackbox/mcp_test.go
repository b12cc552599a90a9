package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// mcpNotes is the service that the tests of MCP call.
type mcpNotes interface {
	Create(context.Context, *mcpCreate) (*mcpNote, error)
	Get(context.Context, *mcpGet) (*mcpNote, error)
	Delete(context.Context, *mcpGet) error
	Count(context.Context) (*mcpCount, error)
	Work(context.Context, *mcpWork) (*mcpCount, error)
	Show(context.Context, *mcpShow) (*mcpShown, error)
	Fail(context.Context, *mcpFail) (*mcpCount, error)
	Locate(context.Context, *mcpFind) (*mcpCount, error)
	Sample(context.Context) error
	Watch(context.Context, *mcpCount) (svc.Stream[mcpCount], error)
}

type mcpCreate struct {
	Title string   `json:"title" minLength:"1" maxLength:"20" doc:"what to call it"`
	Tags  []string `json:"tags,omitempty" maxItems:"3"`
	Stars *int     `json:"stars,omitempty" minimum:"1" maximum:"5"`
}

type mcpNote struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	Stars *int     `json:"stars,omitempty"`
}

type mcpGet struct {
	ID string `json:"id" path:"id"`
}

type mcpCount struct {
	N int     `json:"n"`
	X *mcpOdd `json:"x,omitempty"`
}

// An mcpOdd cannot be written.
type mcpOdd struct{ how string }

func (o *mcpOdd) MarshalJSON() ([]byte, error) {
	if o.how == "marshal" {
		panic("secret-17")
	}
	return nil, errors.New("secret-17")
}

func (o *mcpOdd) UnmarshalJSON([]byte) error { return nil }

type mcpWork struct {
	Steps int    `json:"steps,omitempty"`
	Level string `json:"level,omitempty"`
	Abort bool   `json:"abort,omitempty"`
}

type mcpShow struct {
	Kinds []string `json:"kinds,omitempty"`
}

type mcpShown struct {
	content []svc.MCPContent
}

func (s *mcpShown) MCPContent() []svc.MCPContent { return s.content }

type mcpFail struct {
	How string `json:"how"`
}

type mcpFind struct {
	Region string      `json:"region" mcpheader:"Region"`
	Limit  *int        `json:"limit,omitempty" mcpheader:"Limit"`
	Deep   bool        `json:"deep,omitempty" mcpheader:"Deep"`
	Where  mcpPlace    `json:"where,omitempty"`
	More   []mcpPlace2 `json:"more,omitempty"`
}

type mcpPlace struct {
	City string `json:"city,omitempty" mcpheader:"City"`
}

type mcpPlace2 struct {
	City string `json:"city,omitempty"`
}

type mcpService struct{}

func (mcpService) Create(_ context.Context, in *mcpCreate) (*mcpNote, error) {
	return &mcpNote{ID: "n1", Title: in.Title, Tags: in.Tags, Stars: in.Stars}, nil
}

func (mcpService) Get(_ context.Context, in *mcpGet) (*mcpNote, error) {
	if in.ID != "n1" {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no note %q", in.ID).WithDetail("hint", "the ids are n1 to n9")
	}
	return &mcpNote{ID: "n1", Title: "a <b> & \"c\""}, nil
}

func (mcpService) Delete(context.Context, *mcpGet) error               { return nil }
func (mcpService) Count(context.Context) (*mcpCount, error)            { return &mcpCount{N: 7}, nil }
func (mcpService) Sample(context.Context) error                        { return nil }
func (mcpService) Locate(context.Context, *mcpFind) (*mcpCount, error) { return &mcpCount{N: 1}, nil }

// Watch breaks after the first item if n is negative.
func (mcpService) Watch(_ context.Context, in *mcpCount) (svc.Stream[mcpCount], error) {
	return func(yield func(*mcpCount, error) bool) {
		for i := range max(in.N, 1) {
			if !yield(&mcpCount{N: i}, nil) {
				return
			}
		}
		if in.N == -2 {
			yield(&mcpCount{X: &mcpOdd{"marshal"}}, nil)
		}
		if in.N < 0 {
			yield(nil, svc.Errorf(svc.CodeAborted, "it broke"))
		}
	}, nil
}

func (mcpService) Work(ctx context.Context, in *mcpWork) (*mcpCount, error) {
	for i := range in.Steps {
		svc.Progress(ctx, float64(i), float64(in.Steps-1), fmt.Sprintf("step %d", i))
		svc.Progress(ctx, float64(i), 0, "not above the last")
	}
	switch in.Level {
	case "debug":
		svc.MCPLog(ctx, slog.LevelDebug, "told")
	case "warning":
		svc.MCPLog(ctx, slog.LevelWarn, map[string]int{"n": 1})
	}
	if in.Abort {
		panic(http.ErrAbortHandler)
	}
	return &mcpCount{N: in.Steps}, nil
}

func (mcpService) Show(_ context.Context, in *mcpShow) (*mcpShown, error) {
	all := map[string]svc.MCPContent{
		"text":     {Text: "plain"},
		"image":    {Type: "image", Data: []byte("png"), MIMEType: "image/png"},
		"audio":    {Type: "audio", Data: []byte("wav"), MIMEType: "audio/wav"},
		"resource": {Type: "resource", URI: "note://1", MIMEType: "text/plain", Text: "a note"},
		"blob":     {Type: "resource", URI: "note://2", Data: []byte{0, 1}},
		"link":     {Type: "resource_link", URI: "note://3", Name: "three", Audience: []string{"user"}, Priority: 0.5},
		"dated":    {Text: "old", LastModified: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))},
		"broken":   {Type: "image"},
		"empty":    {Type: "image", MIMEType: "image/png"},
		"unknown":  {Type: "video"},
		"no URI":   {Type: "resource", Text: "a note"},
		"nowhere":  {Type: "resource_link", Name: "three"},
		"unnamed":  {Type: "resource_link", URI: "note://3"},
		"strange":  {Text: "plain", Audience: []string{"user", "stranger"}},
		"urgent":   {Text: "plain", Priority: 1.01},
		"lowly":    {Text: "plain", Priority: -0.01},
	}
	out := new(mcpShown)
	for _, kind := range in.Kinds {
		out.content = append(out.content, all[kind])
	}
	return out, nil
}

func (mcpService) Fail(_ context.Context, in *mcpFail) (*mcpCount, error) {
	switch in.How {
	case "panic":
		panic("secret-17")
	case "internal":
		return nil, svc.Errorf(svc.CodeInternal, "secret-17")
	case "plain":
		return nil, errors.New("secret-17")
	case "nil":
		return nil, nil
	case "marshal", "marshal error":
		return &mcpCount{X: &mcpOdd{in.How}}, nil
	}
	return nil, svc.Errorf(svc.CodeFailedPrecondition, "not now")
}

func newMCP(opts *svc.MCPOptions) http.Handler { return newMCPService().MCP(opts) }

func newMCPService() *svc.Service {
	return svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{
		Name: "Notes", Resource: "notes", Version: "1.2.3", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Create": {Description: "Makes a note."},
			"Sample": {MCP: &svc.MCPMethod{RequiredCapabilities: []string{"sampling", "elicitation"}}},
		},
	})
}

// mcpPost sends a POST with lines of header in front of the body:
//
//	MCP-Protocol-Version: 2025-06-18
//
//	{"jsonrpc":"2.0",…}
//
// The Content-Type and Accept of a well-behaved client are there unless the
// header has them; one with an empty value is left out.
func mcpPost(h http.Handler, text string) *httptest.ResponseRecorder {
	head, body, ok := strings.Cut(text, "\n\n")
	if !ok {
		head, body = "", text
	}
	r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "Content-Type", "Accept":
			r.Header.Del(name)
		}
		if value != "" || name != "Content-Type" && name != "Accept" {
			r.Header.Add(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// mcpLegacy is the text of a request of a legacy client; params are the members
// of its params. A head is a line of header, or the name of one to leave out
// with a minus in front.
func mcpLegacy(version, method, params string, head ...string) string {
	lines := []string{}
	if version != "" {
		lines = append(lines, "MCP-Protocol-Version: "+version)
	}
	return mcpText(lines, head, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`)
}

// mcpModern is the same for a client of 2026-07-28, with what that has to say of
// itself. meta are further members of _meta, given as a line "meta: …".
func mcpModern(method, params string, head ...string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	var rest []string
	for _, line := range head {
		if more, ok := strings.CutPrefix(line, "meta: "); ok {
			meta += "," + more
		} else {
			rest = append(rest, line)
		}
	}
	meta += "}"
	if params != "" {
		meta = "," + meta
	}
	lines := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if _, after, ok := strings.Cut(params, `"name":"`); ok {
		name, _, _ := strings.Cut(after, `"`)
		lines = append(lines, "Mcp-Name: "+name)
	}
	return mcpText(lines, rest, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`)
}

func mcpText(lines, head []string, body string) string {
	for _, line := range head {
		if name, ok := strings.CutPrefix(line, "-"); ok {
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+":") })
		} else {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + body
}

// mcpMatches reports whether text is like want, in which … stands for anything.
func mcpMatches(text, want string) bool {
	parts := strings.Split(want, "…")
	if len(parts) == 1 {
		return text == want
	}
	text, ok := strings.CutPrefix(text, parts[0])
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		if ok {
			_, text, ok = strings.Cut(text, part)
		}
	}
	return ok && strings.HasSuffix(text, last)
}

// mcpRow is one request and its answer. The numbers are those of the
// requirements below.
type mcpRow struct {
	numbers string
	name    string
	request string // see mcpPost
	status  int
	body    string // … stands for anything
}

const (
	mcpOK      = `{"jsonrpc":"2.0","result":{…},"id":1}`
	mcpNone    = ""
	mcpN7      = `"structuredContent":{"n":7},"content":[{"type":"text","text":"{\"n\":7}"}],"isError":false`
	mcpModern1 = `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Notes","version":"1.2.3"}},`
)

// mcpFailure is the answer with an error under the id 1.
func mcpFailure(number, message string) string {
	return `{"jsonrpc":"2.0","error":{"code":` + number + `,"message":"…` + message + `…},"id":1}`
}

// mcpAnonymous is the answer with an error and without an id.
func mcpAnonymous(number, message string) string {
	return `{"jsonrpc":"2.0","error":{"code":` + number + `,"message":"…` + message + `…}}`
}

const mcpCallCount = `"name":"notes_count"`

func mcpEnvelopeRows() []mcpRow {
	return []mcpRow{
		{"1.1 7.3", "initialize", mcpLegacy("", "initialize", `"protocolVersion":"2025-06-18"`), 200, mcpOK},
		{"1.6", "text/plain", "Content-Type: text/plain\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "no Content-Type", "Content-Type:\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "a form", "Content-Type: application/x-www-form-urlencoded\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "another type of JSON", "Content-Type: application/vnd.api+json\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "another charset", "Content-Type: application/json; charset=latin1\n\n{}", 415, mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "a Content-Type of more than 1 KiB", "Content-Type: application/json;a=" + strings.Repeat("b", 1<<10) + "\n\n{}", 415,
			mcpAnonymous("-32600", "Content-Type")},
		{"1.6", "a compressed body", "Content-Encoding: gzip\n\n{}", 415, mcpAnonymous("-32600", "Content-Encoding")},
		{"1.6", "JSON in capitals with a charset", "Content-Type: Application/JSON; charset=UTF-8\n\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"1.7", "accepts JSON", mcpLegacy("", "ping", "", "Accept: application/json"), 200, mcpOK},
		{"1.7", "no Accept", mcpLegacy("", "ping", "", "Accept:"), 200, mcpOK},
		{"1.7", "accepts anything", mcpLegacy("", "ping", "", "Accept: */*"), 200, mcpOK},
		{"1.7", "accepts any application at a low weight", mcpLegacy("", "ping", "", "Accept: application/*;q=0.1, text/plain"), 200, mcpOK},
		{"1.7 1.8", "accepts events", mcpLegacy("", "ping", "", "Accept: text/event-stream"), 200, "event: message\ndata: " + `{"jsonrpc":"2.0","result":{},"id":1}` + "\n\n"},
		{"1.7", "accepts any text and no JSON", mcpLegacy("", "ping", "", "Accept: application/json;q=0, text/*"), 200, "event: message\n…"},
		{"1.7", "accepts JSON behind HTML", mcpLegacy("", "ping", "", "Accept: text/html, application/json; x"), 200, mcpOK},
		{"1.7", "accepts HTML alone", mcpLegacy("", "ping", "", "Accept: text/html"), 406, mcpAnonymous("-32600", "accept")},
		{"1.7", "accepts anything at a weight of 0", mcpLegacy("", "ping", "", "Accept: */*;q=0.0"), 406, mcpAnonymous("-32600", "accept")},
		{"1.9 2.4", "the notification initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, mcpNone},
		{"1.9 2.4", "a call without an id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"notes_count"}}`, 202, mcpNone},
		{"1.9 4.8", "a notification of 2026", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, mcpNone},
		{"1.9", "a notification of a client that accepts HTML alone", "Accept: text/html\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, 202, mcpNone},
		{"1.10", "a result", `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, mcpNone},
		{"1.10", "an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, 202, mcpNone},
		{"1.10", "a result of 2026", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, mcpAnonymous("-32600", "responses")},
		{"1.11 1.12", "JSON cut short", `{"jsonrpc":"2.0",`, 200, mcpAnonymous("-32700", "not valid JSON")},
		{"1.11 1.12", "no body", ``, 200, mcpAnonymous("-32700", "not valid JSON")},
		{"1.11", "more text behind the message", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, 200, mcpFailure("-32700", "more text")},
		{"1.11", "a number", `17`, 200, mcpAnonymous("-32600", "object")},
		{"1.11 1.12", "an empty object", `{}`, 200, mcpAnonymous("-32600", "jsonrpc")},
		{"1.15", "no method", `{"jsonrpc":"2.0","id":1}`, 200, mcpFailure("-32600", "method is required")},
		{"2.1", "jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 200, mcpFailure("-32600", "jsonrpc")},
		{"2.1", "no jsonrpc", `{"id":1,"method":"ping"}`, 200, mcpFailure("-32600", "jsonrpc")},
		{"2.1 1.12", "an id of null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 200, mcpAnonymous("-32600", "id")},
		{"2.1 1.12", "a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 200, mcpAnonymous("-32600", "id")},
		{"2.1 1.12", "an id of true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, 200, mcpAnonymous("-32600", "id")},
		{"2.1 1.12", "an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 200, mcpAnonymous("-32600", "id")},
		{"2.1", "a number as method", `{"jsonrpc":"2.0","id":1,"method":5}`, 200, mcpFailure("-32600", "method")},
		{"2.2", "an id over 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 200, `{"jsonrpc":"2.0","result":{},"id":9007199254740993}`},
		{"2.2", "an id of 30 digits", `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}`, 200, `…"id":123456789012345678901234567890}`},
		{"2.2", "an id of -0", `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, 200, `…"id":-0}`},
		{"2.2", "an id with escapes", `{"jsonrpc":"2.0","id":"\u0041\"é","method":"ping"}`, 200, `…"id":"\u0041\"é"}`},
		{"2.2", "an empty id", `{"jsonrpc":"2.0","id":"","method":"nope"}`, 200, `…"id":""}`},
		{"2.2", "the longest id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1022) + `","method":"ping"}`, 200, mcpOK[:len(mcpOK)-2] + `"` + strings.Repeat("x", 1022) + `"}`},
		{"2.2 1.12", "an id that is too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1023) + `","method":"ping"}`, 200, mcpAnonymous("-32600", "1024 bytes")},
		{"2.2 1.12", "a number that is too long as id", `{"jsonrpc":"2.0","id":` + strings.Repeat("1", 1025) + `,"method":"ping"}`, 200, mcpAnonymous("-32600", "1024 bytes")},
		{"2.5 2.6", "an unknown method", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, 200, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"there is no such method"},"id":1}`},
		{"2.7", "Method beside method", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/list"}`, 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"2.7", "METHOD in capitals", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, 200, mcpFailure("-32600", "method is required")},
		{"2.7", "method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 200, mcpFailure("-32700", "same name twice")},
		{"2.7", "an argument in capitals", mcpLegacy("", "tools/call", `"name":"notes_create","arguments":{"TITLE":"x"}`), 200, `…/title is required…"isError":true…`},
		{"2.7", "an argument twice", mcpLegacy("", "tools/call", `"name":"notes_create","arguments":{"title":"x","title":"y"}`), 200, mcpFailure("-32700", "same name twice")},
		{"2.7", "an argument twice in front of the name", mcpLegacy("", "tools/call", `"arguments" : {"tags":["}\"",{"a":1,"a":[2]}]} ,"name":"notes_create"`), 200, mcpFailure("-32700", "same name twice")},
		{"2.7", "a member of an unknown param twice", mcpLegacy("", "tools/list", `"arguments":{"a":1,"a":1}`), 200, mcpFailure("-32700", "same name twice")},
		{"2.7", "name twice", mcpLegacy("", "tools/call", `"name":"notes_create","name":"notes_get","arguments":{}`), 200, mcpFailure("-32700", "same name twice")},
		{"2.7", "an argument twice in a notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"notes_count","arguments":{"a":1,"a":1}}}`, 200, mcpAnonymous("-32700", "same name twice")},
		{"2.7", "a member twice in a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"a":1,"a":1}}`, 202, mcpNone},
		{"2.7", "an argument twice in a batch", `[` + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_count","arguments":{"a":1,"a":1}}}` + `]`, 200, mcpAnonymous("-32700", "same name twice")},
		{"2.8", "half a character in an argument", mcpLegacy("", "tools/call", `"name":"notes_create","arguments":{"title":"\ud800"}`), 200, mcpFailure("-32700", "surrogate")},
		{"2.8", "half a character in a name", mcpLegacy("", "tools/call", `"name":"\udfff","arguments":{}`), 200, mcpFailure("-32700", "surrogate")},
		{"2.8", "half a character in an argument that a header repeats", mcpModern("tools/call", `"name":"notes_locate","arguments":{"region":"\ud800"}`, "Mcp-Param-Region: x"), 400, mcpFailure("-32700", "surrogate")},
		{"2.8", "no UTF-8 in an argument", mcpLegacy("", "tools/call", "\"name\":\"notes_create\",\"arguments\":{\"title\":\"\xff\"}"), 200, mcpFailure("-32700", "UTF-8")},
		{"2.8", "no UTF-8 in the method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}", 200, mcpFailure("-32700", "UTF-8")},
		{"2.8", "half a character in the id", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, 200, mcpAnonymous("-32700", "surrogate")},
		{"2.9", "a list as params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, 200, mcpFailure("-32602", "params")},
		{"2.9", "a string as params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, 200, mcpFailure("-32600", "params")},
		{"2.9", "a list as _meta", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, 200, mcpOK},
		{"2.9", "a list of something as _meta", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[1]}}`, 200, mcpFailure("-32602", "_meta")},
		{"2.9", "an empty list as params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[ ]}`, 200, mcpOK},
		{"2.9", "null as params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null,"more":1}`, 200, mcpOK},
		{"2.9 8.5", "unknown params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"_meta":{"example.com/x":1}}}`, 200, mcpOK},
	}
}

// A batch is refused as a whole, whatever it has, with one error.
func mcpBatchRows() []mcpRow {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	none := mcpAnonymous("-32600", "no batches")
	var rows []mcpRow
	for _, revision := range append(slices.Clone(mcpRevisions), "") {
		version, status := []string(nil), 200
		if revision != "" {
			version = []string{"MCP-Protocol-Version: " + revision}
		}
		if revision == "2026-07-28" {
			status = 400
		}
		rows = append(rows, mcpRow{"1.14", "one message in " + revision, mcpText(version, nil, "["+ping+"]"), status, none})
	}
	return append(rows, []mcpRow{
		{"1.14", "two messages", `[` + ping + `,` + ping + `]`, 200, none},
		{"1.14 2.7", "a name twice in the second message", `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes_count","arguments":{"a":1,"a":1}}}]`, 200, mcpAnonymous("-32700", "same name twice")},
		{"1.14 2.8", "half a character in the second message", `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes_count","arguments":{"a":"\ud800"}}}]`, 200, mcpAnonymous("-32700", "surrogate")},
		{"1.14", "an empty batch", `[]`, 200, none},
		{"1.14", "a notification and a result", `[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":1,"result":{}}]`, 200, none},
		{"1.14", "initialize in a batch", `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]`, 200, none},
		{"1.14", "a comma before the end", `[` + ping + `,]`, 200, mcpAnonymous("-32700", "valid JSON")},
	}...)
}

func mcpVersionRows() []mcpRow {
	discover := mcpModern("server/discover", "")
	return []mcpRow{
		{"3.2", "a call without a version", mcpLegacy("", "tools/call", mcpCallCount), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"3.1 0.5", "a call of 2025-11-25", mcpLegacy("2025-11-25", "tools/call", mcpCallCount), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"3.1", "tools/list of 2025-06-18", mcpLegacy("2025-06-18", "tools/list", ""), 200, `{"jsonrpc":"2.0","result":{"tools":[{…}]},"id":1}`},
		{"3.6", "ping of 2024-11-05", mcpLegacy("2024-11-05", "ping", ""), 200, mcpOK},
		{"3.3", "tools/list of 1999", mcpLegacy("1999-01-01", "tools/list", ""), 400, `{"jsonrpc":"2.0","error":{"code":-32022,"message":"this protocol version is not supported","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"1999-01-01"}},"id":1}`},
		{"3.3", "a notification of 1999", "MCP-Protocol-Version: 1999-01-01\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 400, mcpAnonymous("-32022", "not supported")},
		{"3.3", "a result of 2027", "MCP-Protocol-Version: 2027-07-28\n\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, mcpAnonymous("-32022", "not supported")},
		{"3.3", "a notification of 2027", "MCP-Protocol-Version: 2027-07-28\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 400, mcpAnonymous("-32022", `"requested":"2027-07-28"`)},
		{"3.7", "a notification with two versions", "MCP-Protocol-Version: 2025-06-18\nMCP-Protocol-Version: 2025-06-18\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 400, mcpAnonymous("-32020", "more than once")},
		{"3.1", "a notification of 2024-11-05", "MCP-Protocol-Version: 2024-11-05\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, mcpNone},
		{"3.4", "a notification of 2026-07-28", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, mcpNone},
		{"3.3", "initialize with a version that is none", mcpLegacy("banana", "initialize", `"protocolVersion":"2025-06-18"`), 200, `…"protocolVersion":"2025-06-18"…`},
		{"3.7", "initialize with two versions", mcpLegacy("2025-06-18", "initialize", `"protocolVersion":"2025-06-18"`, "MCP-Protocol-Version: 2025-11-25"), 200, `…"protocolVersion":"2025-06-18"…`},
		{"3.3", "ping with a version that is none", mcpLegacy("2027-01-01x", "ping", ""), 400, mcpFailure("-32022", "not supported")},
		{"3.7", "ping with two versions", mcpLegacy("2025-06-18", "ping", "", "MCP-Protocol-Version: 2025-06-18"), 400, mcpFailure("-32020", "more than once")},
		{"0.3", "initialize with 2026-07-28 in the header", mcpLegacy("2026-07-28", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"protocolVersion":"2025-11-25"…`},
		{"0.3", "initialize with 2027 in the header", mcpLegacy("2027-01-01", "initialize", `"protocolVersion":"2025-11-25"`), 200, `…"protocolVersion":"2025-11-25"…`},
		{"0.3 8.8", "initialize of 2026", mcpModern("initialize", `"protocolVersion":"2025-11-25"`), 404, mcpFailure("-32601", "no such method")},
		{"0.1 0.2", "server/discover", discover, 200, mcpModern1 + `"supportedVersions":[…}`},
		{"0.4 3.4", "server/discover without the header", mcpModern("server/discover", "", "-MCP-Protocol-Version"), 400, mcpFailure("-32020", "required")},
		{"0.4 9.4", "server/discover without a version", mcpLegacy("", "server/discover", ""), 400, mcpFailure("-32020", "required")},
		{"0.4 9.4", "server/discover without _meta", mcpLegacy("2026-07-28", "server/discover", ""), 400, mcpFailure("-32602", "protocolVersion")},
		{"0.4", "tools/list of 2027 without _meta", mcpLegacy("2027-07-28", "tools/list", ""), 400, mcpFailure("-32022", "not supported")},
		{"0.4 8.1", "tools/list of 2026 without _meta", mcpLegacy("2026-07-28", "tools/list", ""), 400, mcpFailure("-32602", "protocolVersion")},
		{"0.4 8.1", "a number as the version in _meta", mcpLegacy("2026-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":5}`), 400, mcpFailure("-32602", "protocolVersion")},
		{"0.4 3.4", "another version in the header than in _meta", mcpModern("tools/list", "", "-MCP-Protocol-Version", "MCP-Protocol-Version: 2025-11-25"), 400, mcpFailure("-32020", "differs")},
		{"0.4 3.5", "tools/list of 2027", mcpLegacy("2027-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-07-28"}`), 400, mcpFailure("-32022", "not supported")},
		{"3.5", "tools/list of 1900", mcpLegacy("1900-01-01", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}`), 400, mcpFailure("-32022", "not supported")},
		{"3.7", "tools/list with two versions", mcpModern("tools/list", "", "MCP-Protocol-Version: 2026-07-28"), 400, mcpFailure("-32020", "more than once")},
		{"4.1", "no Mcp-Method", mcpModern("tools/list", "", "-Mcp-Method"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1", "another Mcp-Method", mcpModern("tools/list", "", "-Mcp-Method", "Mcp-Method: tools/call"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1", "Mcp-Method in another case", mcpModern("tools/list", "", "-Mcp-Method", "Mcp-Method: Tools/List"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1 3.7", "Mcp-Method twice", mcpModern("tools/list", "", "Mcp-Method: tools/list"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"0.4 8.1", "no clientCapabilities", mcpLegacy("2026-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, "Mcp-Method: tools/list"), 400, mcpFailure("-32602", "clientCapabilities")},
		{"8.1", "a list as clientCapabilities", mcpLegacy("2026-07-28", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[1]}`, "Mcp-Method: tools/list"), 400, mcpFailure("-32602", "clientCapabilities")},
		{"4.1", "another Mcp-Method of a legacy client", mcpLegacy("2025-11-25", "tools/list", "", "Mcp-Method: nonsense"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1", "Mcp-Method of a legacy client", mcpLegacy("2025-11-25", "tools/list", "", "Mcp-Method: tools/list"), 200, mcpOK},
		{"4.1 0.3", "Mcp-Method of initialize", mcpLegacy("2026-07-28", "initialize", `"protocolVersion":"2025-11-25"`, "Mcp-Method: initialize"), 200, mcpOK},
		{"4.1", "Mcp-Method twice of a legacy client", mcpLegacy("", "tools/list", "", "Mcp-Method: tools/list", "Mcp-Method: tools/list"), 400, mcpFailure("-32020", "Mcp-Method")},
		{"4.1", "another Mcp-Method of a notification", "Mcp-Method: ping\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, 400, `{"jsonrpc":"2.0","error":{"code":-32020,"message":"…Mcp-Method…"}}`},
		{"4.1", "another Mcp-Method of a notification of 2026", "MCP-Protocol-Version: 2026-07-28\nMcp-Method: ping\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, 400, `{"jsonrpc":"2.0","error":{"code":-32020,"message":"…Mcp-Method…"}}`},
		{"4.1", "Mcp-Method of a legacy notification", "MCP-Protocol-Version: 2025-11-25\nMcp-Method: notifications/x\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, 202, ""},
		{"2.6 8.8", "resources/list", mcpModern("resources/list", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8 7.6", "ping", mcpModern("ping", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8 7.7", "logging/setLevel", mcpModern("logging/setLevel", `"level":"info"`), 404, mcpFailure("-32601", "no such method")},
		{"8.8", "resources/subscribe", mcpModern("resources/subscribe", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8", "resources/unsubscribe", mcpModern("resources/unsubscribe", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8", "prompts/list", mcpModern("prompts/list", ""), 404, mcpFailure("-32601", "no such method")},
		{"8.8", "completion/complete", mcpModern("completion/complete", ""), 404, mcpFailure("-32601", "no such method")},
	}
}

func mcpNameRows() []mcpRow {
	count := func(head ...string) string { return mcpModern("tools/call", mcpCallCount, head...) }
	locate := func(arguments string, head ...string) string {
		return mcpModern("tools/call", `"name":"notes_locate","arguments":{`+arguments+`}`, head...)
	}
	const eu = "Mcp-Param-Region: eu"
	mismatch := mcpFailure("-32020", "Mcp-")
	return []mcpRow{
		{"4.2 8.3 8.4", "Mcp-Name", count(), 200, mcpModern1 + mcpN7 + `},"id":1}`},
		{"4.2", "no Mcp-Name", count("-Mcp-Name"), 400, mismatch},
		{"4.2", "another Mcp-Name", count("-Mcp-Name", "Mcp-Name: notes_get"), 400, mismatch},
		{"4.2 3.7", "Mcp-Name twice", count("Mcp-Name: notes_count"), 400, mismatch},
		{"4.2", "another Mcp-Name of a legacy client", mcpLegacy("2025-11-25", "tools/call", mcpCallCount, "Mcp-Name: nonsense"), 400, mismatch},
		{"4.2", "Mcp-Name of a legacy client", mcpLegacy("2025-11-25", "tools/call", mcpCallCount, "Mcp-Name: notes_count"), 200, mcpOK},
		{"4.3", "Mcp-Name in base64", count("-Mcp-Name", "Mcp-Name: =?base64?bm90ZXNfY291bnQ=?="), 200, mcpOK},
		{"4.3", "Mcp-Name in base64 without padding", count("-Mcp-Name", "Mcp-Name: =?base64?bm90ZXNfY291bnQ?="), 400, mismatch},
		{"4.3", "Mcp-Name in broken base64", count("-Mcp-Name", "Mcp-Name: =?base64?bm90ZXNf!!!uQ=?="), 400, mismatch},
		{"4.3", "Mcp-Name in base64 in capitals", count("-Mcp-Name", "Mcp-Name: =?BASE64?bm90ZXNfY291bnQ=?="), 400, mismatch},
		{"4.3", "the beginning of base64 alone", locate(`"region":"=?base64?eu"`, "Mcp-Param-Region: =?base64?eu"), 200, mcpOK},
		{"4.3", "the end of base64 alone", locate(`"region":"?="`, "Mcp-Param-Region: ?="), 200, mcpOK},
		{"4.3", "an argument in base64", locate(`"region":"é\n"`, "Mcp-Param-Region: =?base64?w6kK?="), 200, mcpOK},
		{"4.4", "an argument that is not ASCII", locate(`"region":"é"`, "Mcp-Param-Region: é"), 400, mismatch},
		{"4.4", "an argument with DEL", locate("\"region\":\"a\u007f\"", "Mcp-Param-Region: a\x7f"), 400, mismatch},
		{"4.6", "a string", locate(`"region":"eu"`, eu), 200, mcpOK},
		{"4.6", "a string without its header", locate(`"region":"eu"`), 400, mismatch},
		{"4.6", "another string", locate(`"region":"eu"`, "Mcp-Param-Region: us"), 400, mismatch},
		{"4.6", "a header twice", locate(`"region":"eu"`, eu, eu), 400, mismatch},
		{"4.6", "neither argument nor header", locate(``), 200, `…/region is required…"isError":true…`},
		{"4.6", "an argument of null", locate(`"region":null`), 200, `…/region must be a string…"isError":true…`},
		{"4.6", "an optional argument of null", locate(`"region":"eu","limit":null`, eu), 200, mcpOK},
		{"4.6", "a header without its argument", locate(`"region":"eu"`, eu, "Mcp-Param-Limit: 5"), 400, mismatch},
		{"4.6", "an integer", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: 5"), 200, mcpOK},
		{"4.6", "an integer as 5.0", locate(`"region":"eu","limit":5.0`, eu, "Mcp-Param-Limit: 5"), 200, mcpOK},
		{"4.6", "an integer as 0.5e1 in the header", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: 0.5e1"), 200, mcpOK},
		{"4.6", "another integer", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: 6"), 400, mismatch},
		{"4.6", "a negative integer", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: -5"), 400, mismatch},
		{"4.6", "a word for an integer", locate(`"region":"eu","limit":5`, eu, "Mcp-Param-Limit: five"), 400, mismatch},
		{"4.5", "an integer that is too large", locate(`"region":"eu","limit":9007199254740992`, eu, "Mcp-Param-Limit: 9007199254740992"), 400, mismatch},
		{"4.6", "a boolean", locate(`"region":"eu","deep":true`, eu, "Mcp-Param-Deep: true"), 200, mcpOK},
		{"4.6", "another boolean", locate(`"region":"eu","deep":true`, eu, "Mcp-Param-Deep: false"), 400, mismatch},
		{"4.6", "a string in an object", locate(`"region":"eu","where":{"city":"Bern"}`, eu, "Mcp-Param-City: Bern"), 200, mcpOK},
		{"4.6", "a string in an object without its header", locate(`"region":"eu","where":{"city":"Bern"}`, eu), 400, mismatch},
		{"4.6", "a number for an object", locate(`"region":"eu","where":7`, eu), 200, `…/where must be an object…"isError":true…`},
		{"4.6", "a list for a string", locate(`"region":["eu"]`, eu), 400, mismatch},
		{"4.6", "an object in a list", locate(`"region":"eu","more":[{"city":"Bern"}]`, eu), 200, mcpOK},
		{"4.6", "an unknown header", locate(`"region":"eu"`, eu, "Mcp-Param-Other: x"), 200, mcpOK},
		{"4.6", "no header from a legacy client", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_locate","arguments":{"region":"eu"}`), 200, mcpOK},
		{"4.6", "a header from a legacy client", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_locate","arguments":{"region":"eu"}`, eu), 200, mcpOK},
		{"4.6", "another header from a legacy client", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_locate","arguments":{"region":"us"}`, eu), 400, mismatch},
		{"4.6", "a header without its argument from a legacy client", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_locate","arguments":{}`, eu), 400, mismatch},
		{"2.7 4.6", "an argument in capitals", locate(`"REGION":"eu"`, eu), 400, mismatch},
	}
}

func mcpLifecycleRows() []mcpRow {
	initialize := func(version string) string { return mcpLegacy("", "initialize", `"protocolVersion":`+version) }
	initialized := func(version string) string {
		return `{"jsonrpc":"2.0","result":{"protocolVersion":"` + version + `","capabilities":{"logging":{},"tools":{}},"serverInfo":{"name":"Notes","version":"1.2.3"}},"id":1}`
	}
	return []mcpRow{
		{"7.1 7.2 7.8", "initialize with 2025-11-25", initialize(`"2025-11-25"`), 200, initialized("2025-11-25")},
		{"7.1", "initialize with 2025-06-18", initialize(`"2025-06-18"`), 200, initialized("2025-06-18")},
		{"7.1", "initialize with 2025-03-26", initialize(`"2025-03-26"`), 200, initialized("2025-03-26")},
		{"7.1", "initialize with 2024-11-05", initialize(`"2024-11-05"`), 200, initialized("2024-11-05")},
		{"7.1", "initialize with 2026-07-28", initialize(`"2026-07-28"`), 200, initialized("2025-11-25")},
		{"7.1", "initialize with 1999-01-01", initialize(`"1999-01-01"`), 200, initialized("2025-11-25")},
		{"7.3", "initialize without a version", mcpLegacy("", "initialize", ""), 200, mcpFailure("-32602", "protocolVersion")},
		{"7.3", "initialize with a number", initialize(`5`), 200, mcpFailure("-32602", "protocolVersion")},
		{"7.4", "a session", mcpLegacy("2025-11-25", "ping", "", "Mcp-Session-Id: x", "Last-Event-ID: 7"), 200, mcpOK},
		{"7.5", "a call without initialize", mcpLegacy("2025-11-25", "tools/call", mcpCallCount), 200, mcpOK},
		{"7.6", "ping", mcpLegacy("2025-11-25", "ping", ""), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"7.7", "a log level", mcpLegacy("2025-11-25", "logging/setLevel", `"level":"warning"`), 200, `{"jsonrpc":"2.0","result":{},"id":1}`},
		{"7.7", "an unknown log level", mcpLegacy("2025-11-25", "logging/setLevel", `"level":"loud"`), 200, mcpFailure("-32602", "log level")},
		{"7.7", "no log level", mcpLegacy("2025-11-25", "logging/setLevel", ``), 200, mcpFailure("-32602", "log level")},
		{"8.7", "an unknown log level of 2026", mcpModern("tools/list", "", `meta: "io.modelcontextprotocol/logLevel":"loud"`), 400, mcpFailure("-32602", "log level")},
		{"8.7", "a log level of 2026", mcpModern("tools/list", "", `meta: "io.modelcontextprotocol/logLevel":"debug"`), 200, mcpOK},
		{"8.1", "clientInfo", mcpModern("tools/list", "", `meta: "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`), 200, mcpOK},
		{"8.5", "unknown members of _meta", mcpModern("tools/list", `"x":1`, `meta: "io.modelcontextprotocol/unknown":{},"traceparent":"00-0-0-00"`), 200, mcpOK},
		{"8.2", "missing capabilities", mcpModern("tools/call", `"name":"notes_sample"`), 400, `{"jsonrpc":"2.0","error":{"code":-32021,"message":"…","data":{"requiredCapabilities":{"sampling":{},"elicitation":{}}}},"id":1}`},
		{"8.2", "missing capabilities and no Mcp-Name", mcpModern("tools/call", `"name":"notes_sample"`, `-Mcp-Name`), 400, mcpFailure("-32020", "Mcp-Name")},
		{"8.2", "the capabilities that are needed", strings.Replace(mcpModern("tools/call", `"name":"notes_sample"`), `Capabilities":{}`, `Capabilities":{"sampling":{"tools":{}},"elicitation":{}}`, 1), 200, mcpModern1 + `"content":[{"type":"text","text":"done"}],"isError":false},"id":1}`},
		{"8.2", "a tool with capabilities for a legacy client", mcpLegacy("2025-11-25", "tools/call", `"name":"notes_sample"`), 200, `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"done"}],"isError":false},"id":1}`},
		{"9.1 9.2 9.3", "server/discover", mcpModern("server/discover", ""), 200, mcpModern1 + `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"logging":{},"tools":{}},"ttlMs":60000,"cacheScope":"public"},"id":1}`},
	}
}

func mcpToolRows() []mcpRow {
	call := func(name, arguments string) string {
		return mcpLegacy("2025-06-18", "tools/call", `"name":"notes_`+name+`","arguments":`+arguments)
	}
	tellsModel := func(text string) string {
		return `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"` + text + `"}],"isError":true},"id":1}`
	}
	show := func(version, kind string) string {
		return mcpLegacy(version, "tools/call", `"name":"notes_show","arguments":{"kinds":["`+kind+`"]}`)
	}
	shows := func(block string) string {
		return `{"jsonrpc":"2.0","result":{"content":[` + block + `],"isError":false},"id":1}`
	}
	return []mcpRow{
		{"10.3", "an empty cursor", mcpLegacy("", "tools/list", `"cursor":""`), 200, mcpFailure("-32602", "cursor")},
		{"10.3", "a cursor", mcpLegacy("", "tools/list", `"cursor":"bm90ZXNfZ2V0"`), 200, mcpFailure("-32602", "cursor")},
		{"10.3", "a number as cursor", mcpLegacy("", "tools/list", `"cursor":5`), 200, mcpFailure("-32602", "cursor")},
		{"10.3", "a cursor of 2026", mcpModern("tools/list", `"cursor":"x"`), 400, mcpFailure("-32602", "cursor")},
		{"10.4", "tools/list of 2026", mcpModern("tools/list", ""), 200, mcpModern1 + `"tools":[…],"ttlMs":60000,"cacheScope":"public"},"id":1}`},
		{"10.4", "tools/list of 2025", mcpLegacy("2025-11-25", "tools/list", ""), 200, `{"jsonrpc":"2.0","result":{"tools":[…"openWorldHint":false}}]},"id":1}`},
		{"10.12 10.11", "create", call("create", `{"title":"x"}`), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"id":"n1","title":"x","tags":[]},"content":[{"type":"text","text":"{\"id\":\"n1\",\"title\":\"x\",\"tags\":[]}"}],"isError":false},"id":1}`},
		{"10.12", "get", call("get", `{"id":"n1"}`), 200, `…"structuredContent":{"id":"n1","title":"a <b> & \"c\"","tags":[]},"content":[{"type":"text","text":"{\"id\":\"n1\",\"title\":\"a <b> & \\\"c\\\"\",\"tags\":[]}"}]…`},
		{"10.14", "delete", call("delete", `{"id":"n1"}`), 200, shows(`{"type":"text","text":"done"}`)},
		{"10.16", "an unknown tool", mcpLegacy("", "tools/call", `"name":"notes_nope"`), 200, mcpFailure("-32602", "no tool")},
		{"10.16", "an unknown tool of 2026", mcpModern("tools/call", `"name":"notes_nope"`), 400, mcpFailure("-32602", "no tool")},
		{"10.16", "a name in another case", mcpLegacy("", "tools/call", `"name":"Notes_Count"`), 200, mcpFailure("-32602", "no tool")},
		{"10.16", "no name", mcpLegacy("", "tools/call", ``), 200, mcpFailure("-32602", "params.name")},
		{"10.16", "a number as name", mcpLegacy("", "tools/call", `"name":7`), 200, mcpFailure("-32602", "params.name")},
		{"10.16", "a list as arguments", call("count", `[1]`), 200, mcpFailure("-32602", "arguments")},
		{"10.16", "an empty list as arguments", call("count", `[]`), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"10.16", "a string as arguments", call("count", `"x"`), 200, mcpFailure("-32602", "arguments")},
		{"10.16", "null as arguments", call("count", `null`), 200, shows(`{"type":"text","text":"{\"n\":7}"}`)[:27] + `…`},
		{"10.16", "no arguments", mcpLegacy("", "tools/call", `"name":"notes_show"`), 200, shows("")},
		{"10.17 10.13", "a missing argument", call("create", `{}`), 200, tellsModel(`INVALID_ARGUMENT: invalid input: /title is required`)},
		{"10.17", "several broken rules", call("create", `{"title":"","tags":[1],"stars":9}`), 200, tellsModel(`INVALID_ARGUMENT: invalid input: /title must …\n- /title must …\n- /tags/0 must be a string, is a number\n- /stars must be at most 5`)},
		{"10.17", "an argument of another type", call("create", `{"title":5}`), 200, tellsModel(`…/title must be a string, is a number`)},
		{"10.17", "an unknown argument", call("count", `{"verbose":true}`), 200, tellsModel(`INVALID_ARGUMENT: invalid input: /verbose is not a known property`)},
		{"10.18", "a panic in MarshalJSON", call("fail", `{"how":"marshal"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "an error in MarshalJSON", call("fail", `{"how":"marshal error"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "a panic in MarshalJSON of a call with progress", mcpLegacy("", "tools/call", `"name":"notes_fail","arguments":{"how":"marshal"},"_meta":{"progressToken":1}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "a panic", call("fail", `{"how":"panic"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "a panic in a stream", call("watch", `{"n":-2}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18 10.13", "an error with details", call("get", `{"id":"n2"}`), 200, tellsModel(`NOT_FOUND: there is no note \"n2\"\ndetails: {\"hint\":\"the ids are n1 to n9\"}`)},
		{"10.18", "an error", call("fail", `{"how":"no"}`), 200, tellsModel(`FAILED_PRECONDITION: not now`)},
		{"10.18", "a plain error", call("fail", `{"how":"plain"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "an internal error", call("fail", `{"how":"internal"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "no output", call("fail", `{"how":"nil"}`), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.18", "a panic in 2026", mcpModern("tools/call", `"name":"notes_fail","arguments":{"how":"panic"}`), 200, mcpModern1 + `"content":[{"type":"text","text":"INTERNAL: internal error"}],"isError":true},"id":1}`},
		{"10.15", "text", show("2025-11-25", "text"), 200, shows(`{"type":"text","text":"plain"}`)},
		{"10.15", "an image", show("2025-11-25", "image"), 200, shows(`{"type":"image","data":"cG5n","mimeType":"image/png"}`)},
		{"10.15", "audio", show("2025-11-25", "audio"), 200, shows(`{"type":"audio","data":"d2F2","mimeType":"audio/wav"}`)},
		{"10.15", "audio in 2025-03-26", show("2025-03-26", "audio"), 200, shows(`{"type":"audio","data":"d2F2","mimeType":"audio/wav"}`)},
		{"10.15", "audio in 2024-11-05", show("2024-11-05", "audio"), 200, shows(`{"type":"text","text":"(audio, audio/wav)"}`)},
		{"10.15", "a resource", show("2025-11-25", "resource"), 200, shows(`{"type":"resource","resource":{"uri":"note://1","mimeType":"text/plain","text":"a note"}}`)},
		{"10.15", "a resource with bytes", show("2025-11-25", "blob"), 200, shows(`{"type":"resource","resource":{"uri":"note://2","blob":"AAE="}}`)},
		{"10.15", "a link", show("2025-06-18", "link"), 200, shows(`{"type":"resource_link","uri":"note://3","name":"three","annotations":{"audience":["user"],"priority":0.5}}`)},
		{"10.15", "a link in 2025-03-26", show("2025-03-26", "link"), 200, shows(`{"type":"text","text":"three: note://3","annotations":{"audience":["user"],"priority":0.5}}`)},
		{"10.15 10.8", "a date", show("2025-11-25", "dated"), 200, shows(`{"type":"text","text":"old","annotations":{"lastModified":"2026-01-02T02:04:05Z"}}`)},
		{"10.15", "an image without a type", show("2025-11-25", "broken"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15", "an unknown type", show("2025-11-25", "unknown"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15", "a resource without a URI", show("2025-11-25", "no URI"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15", "a link without a URI", show("2025-11-25", "nowhere"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15", "a link without a name", show("2025-11-25", "unnamed"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15 10.8", "an unknown audience", show("2025-11-25", "strange"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15 10.8", "a priority over 1", show("2025-11-25", "urgent"), 200, tellsModel(`INTERNAL: internal error`)},
		{"10.15 10.8", "a priority under 0", show("2025-11-25", "lowly"), 200, tellsModel(`INTERNAL: internal error`)},
	}
}

func mcpStreamRows() []mcpRow {
	const (
		work  = `"name":"notes_work","arguments":{"steps":2}`
		begin = ":\n\nevent: message\ndata: "
		next  = "\n\nevent: message\ndata: "
	)
	warn := func(head ...string) string {
		return mcpModern("tools/call", `"name":"notes_work","arguments":{"level":"warning"}`, head...)
	}
	legacyLog := func(level string) string {
		return mcpLegacy("2025-06-18", "tools/call", `"name":"notes_work","arguments":{"level":"`+level+`"}`)
	}
	report := func(token, n string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + n + `,"total":1,"message":"step ` + n + `"}}`
	}
	const warning = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":{"n":1}}}`
	const two = `{"jsonrpc":"2.0","result":{"structuredContent":{"n":2},…},"id":1}` + "\n\n"
	return []mcpRow{
		{"11.1 11.2 11.3 11.4", "progress", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":"p\u0041"}`), 200, begin + report(`"p\u0041"`, "0") + next + report(`"p\u0041"`, "1") + next + two},
		{"11.4", "progress in 2026", mcpModern("tools/call", work, `meta: "progressToken":9007199254740993`), 200, begin + report(`9007199254740993`, "0") + next + report(`9007199254740993`, "1") + next + mcpModern1 + `…`},
		{"11.4", "no token", mcpLegacy("", "tools/call", work), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"n":2},…`},
		{"11.4", "a fraction as token", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":1.5}`), 200, mcpFailure("-32602", "progressToken")},
		{"11.4", "true as token", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":true}`), 200, mcpFailure("-32602", "progressToken")},
		{"11.4", "an object as token", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":{}}`), 200, mcpFailure("-32602", "progressToken")},
		{"11.4", "a list as token in 2026", mcpModern("tools/call", work, `meta: "progressToken":[1]`), 400, mcpFailure("-32602", "progressToken")},
		{"11.4", "null as token in 2026", mcpModern("tools/call", work, `meta: "progressToken":null`), 200, mcpModern1 + `…`},
		{"11.4", "null as token", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":null}`), 200, mcpOK},
		{"11.4", "null as _meta", mcpLegacy("", "tools/call", work+`,"_meta":null`), 200, mcpOK},
		{"11.4", "a token that is too long", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":"`+strings.Repeat("x", 1023)+`"}`), 200, mcpFailure("-32602", "1024 bytes")},
		{"11.4", "the longest token", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":"`+strings.Repeat("x", 1022)+`"}`), 200, begin + `…`},
		{"11.4 1.7", "a client that accepts JSON alone", mcpLegacy("", "tools/call", work+`,"_meta":{"progressToken":1}`, "Accept: application/json"), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"n":2},…`},
		{"8.7", "no log level", warn(), 200, mcpModern1 + `…`},
		{"8.7", "the log level of the message", warn(`meta: "io.modelcontextprotocol/logLevel":"warning"`), 200, begin + warning + next + mcpModern1 + `…`},
		{"8.7", "a log level below the message", warn(`meta: "io.modelcontextprotocol/logLevel":"debug"`), 200, begin + warning + next + mcpModern1 + `…`},
		{"8.7", "a log level above the message", warn(`meta: "io.modelcontextprotocol/logLevel":"error"`), 200, mcpModern1 + `…`},
		{"7.7", "a warning for a legacy client", legacyLog("warning"), 200, begin + warning + next + `…`},
		{"7.7", "a debug message for a legacy client", legacyLog("debug"), 200, `{"jsonrpc":"2.0","result":{…`},
		{"10.11", "a stream as items", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":2}`), 200, `{"jsonrpc":"2.0","result":{"structuredContent":{"items":[{"n":0},{"n":1}]},"content":[{"type":"text","text":"{\"items\":[{\"n\":0},{\"n\":1}]}"}],"isError":false},"id":1}`},
		{"11.4", "a stream with progress", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":1},"_meta":{"progressToken":5}`), 200, begin + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}` + next + `{"jsonrpc":"2.0","result":{"structuredContent":{"items":[{"n":0}]},…`},
		{"10.18", "a stream that fails", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":-1}`), 200, `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"ABORTED: it broke"}],"isError":true},"id":1}`},
		{"10.18", "a stream that is too long", mcpLegacy("", "tools/call", `"name":"notes_watch","arguments":{"n":1001}`), 200, `…RESOURCE_EXHAUSTED: …"isError":true…`},
		{"11.7", "subscriptions/listen", mcpModern("subscriptions/listen", `"notifications":{"toolsListChanged":true}`), 200, begin + `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}}` + next + `{"jsonrpc":"2.0","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{…},"io.modelcontextprotocol/subscriptionId":1}},"id":1}` + "\n\n"},
		{"11.7", "subscriptions/listen of a client that accepts JSON alone", mcpModern("subscriptions/listen", ``, "Accept: application/json"), 200, `{"jsonrpc":"2.0","result":{"resultType":"complete",…`},
		{"11.7 9.4", "subscriptions/listen of a legacy client", mcpLegacy("2025-11-25", "subscriptions/listen", ""), 400, mcpFailure("-32602", "protocolVersion")},
	}
}

func mcpRows() []mcpRow {
	return slices.Concat(mcpEnvelopeRows(), mcpBatchRows(), mcpVersionRows(), mcpNameRows(), mcpLifecycleRows(), mcpToolRows(), mcpStreamRows())
}

// mcpWireOptions is what the rows are answered with.
var mcpWireOptions = &svc.MCPOptions{
	ListTTL: time.Minute, ListScope: "public",
}

// Verify the answer to each row.
func TestMCPWire(t *testing.T) {
	h := newMCP(mcpWireOptions)
	for _, row := range mcpRows() {
		t.Run(row.numbers+" "+row.name, func(t *testing.T) {
			checkMCPHeader(t, row, checkMCPAnswer(t, h, row.request, row.status, row.body))
		})
	}
}

// checkMCPAnswer sends a request, as mcpPost does, and compares status and body, in which …
// stands for anything. It returns the header of the answer.
func checkMCPAnswer(t *testing.T, h http.Handler, request string, status int, body string) http.Header {
	t.Helper()
	w := mcpPost(h, request)
	if got := w.Body.String(); w.Code != status || !mcpMatches(got, body) {
		t.Errorf("%s\n got %d %s\nwant %d %s", request, w.Code, got, status, body)
	}
	return w.Header()
}

// checkMCPHeader holds the header of an answer to what every answer has.
func checkMCPHeader(t *testing.T, row mcpRow, h http.Header) {
	t.Helper()
	want := "application/json"
	switch {
	case row.body == mcpNone:
		want = ""
	case !strings.HasPrefix(row.body, "{") && !strings.HasPrefix(row.body, "[") && !strings.HasPrefix(row.body, "…"):
		want = "text/event-stream"
	}
	if got := h.Get("Content-Type"); got != want {
		t.Errorf("%s\nContent-Type is %q, want %q", row.request, got, want)
	}
	if want == "text/event-stream" && (h.Get("Cache-Control") != "no-cache, no-transform" || h.Get("X-Accel-Buffering") != "no") { // 11.1
		t.Errorf("%s\nthe header of the stream is %v", row.request, h)
	}
	begins := !strings.Contains(row.body, "2024-11-05") &&
		(strings.Contains(row.body, `"protocolVersion":`) || row.body == mcpOK && strings.Contains(row.request, `"initialize"`))
	if got := len(h["Mcp-Session-Id"]) == 1; got != begins { // 7.4
		t.Errorf("%s\nthe sessions of the answer are %q", row.request, h["Mcp-Session-Id"])
	}
}

// Requirements 5.1, 5.2, 5.3, 5.4: which pages may call.
func TestMCPOrigin(t *testing.T) {
	listed := newMCP(&svc.MCPOptions{AllowedOrigins: []string{"https://App.example", "http://b.example:8080", "app://local"}})
	open := newMCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}})
	null := newMCP(&svc.MCPOptions{AllowedOrigins: []string{"null"}})
	for _, test := range []struct {
		name         string
		handler      http.Handler
		host, origin string
		status       int
	}{
		{"no Origin", listed, "api.example", "", 200},
		{"no Origin at another host", listed, "evil.example", "", 200}, // proxies rewrite Host
		{"a listed page", listed, "api.example", "https://app.example", 200},
		{"a listed page with the default port and in capitals", listed, "api.example", "https://APP.example:443", 200},
		{"a listed page without TLS", listed, "api.example", "http://app.example", 403},
		{"a listed page on another port", listed, "api.example", "https://app.example:8443", 403},
		{"a page whose name begins with a listed one", listed, "api.example", "https://app.example.evil", 403},
		{"a page with a listed one as its user", listed, "api.example", "https://app.example@evil", 403},
		{"a listed page with a path", listed, "api.example", "https://app.example/x", 403},
		{"a listed page with a port", listed, "api.example", "http://b.example:8080", 200},
		{"a listed page without its port", listed, "api.example", "http://b.example", 403},
		{"a listed app", listed, "api.example", "app://local", 200},
		{"null", listed, "api.example", "null", 403},
		{"a space", listed, "api.example", " ", 403},
		{"a page of the same host", listed, "evil.example", "http://evil.example", 403}, // rebinding makes them agree
		{"a page of localhost at another host", listed, "evil.example", "http://localhost", 403},
		{"another page at localhost", listed, "localhost:8080", "http://evil.example", 403},
		{"localhost", listed, "localhost:8080", "http://localhost:3000", 200},
		{"localhost at 127.0.0.1", listed, "127.0.0.1:8080", "http://localhost:8080", 200},
		{"127.0.0.1 at 127.8.9.1", listed, "127.8.9.1", "https://127.0.0.1", 200},
		{"the loopback address of IPv6", listed, "[::1]:8080", "http://[::1]:9", 200},
		{"localhost at a mapped address", listed, "[::ffff:127.0.0.1]:80", "http://localhost", 200},
		{"a page whose name begins with localhost", listed, "localhost:8080", "http://localhost.evil.example", 403},
		{"a page whose name begins with 127.0.0.1", listed, "localhost:8080", "http://127.0.0.1.evil.example", 403},
		{"127.0.0.1 as a number", listed, "localhost:8080", "http://2130706433", 403},
		{"an extension named localhost", listed, "localhost:8080", "chrome-extension://localhost", 403},
		{"a port out of range", listed, "localhost:8080", "http://localhost:99999", 403},
		{"two pages in one header", listed, "localhost:8080", "http://localhost, http://localhost", 403},
		{"any page where all are allowed", open, "api.example", "https://any.example", 200},
		{"null where all are allowed", open, "api.example", "null", 200},
		{"null where it is listed", null, "api.example", "null", 200},
		{"any page where null is listed", null, "api.example", "https://any.example", 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			r.Host = test.host
			r.Header.Set("Content-Type", "application/json")
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, r)
			allowed := w.Header().Get("Access-Control-Allow-Origin")
			if w.Code != test.status || test.status == 403 && allowed != "" || test.status == 200 && allowed != test.origin {
				t.Errorf("Origin %q at Host %q: %d, Access-Control-Allow-Origin %q; want %d", test.origin, test.host, w.Code, allowed, test.status)
			}
			if w.Code == 403 && !mcpMatches(w.Body.String(), mcpAnonymous("-32600", "origin")) {
				t.Errorf("Origin %q: %s", test.origin, w.Body)
			}
		})
	}
}

// Requirement 5.1: two Origin headers are none that could be trusted.
func TestMCPOriginTwice(t *testing.T) {
	w := mcpPost(newMCP(nil), "Origin: http://localhost\nOrigin: http://localhost\n\n{}")
	if w.Code != 403 {
		t.Errorf("got %d, want 403", w.Code)
	}
}

// Requirements 1.2, 1.3, 1.4, 1.5, 7.9: other verbs than POST are refused.
func TestMCPRefusesOtherVerbs(t *testing.T) {
	h := newMCP(nil)
	for _, test := range []struct {
		verb   string
		status int
	}{
		{"GET", 405}, {"DELETE", 405}, {"HEAD", 405}, {"PUT", 405}, {"PATCH", 405}, {"TRACE", 405}, {"post", 405}, {"OPTIONS", 204},
	} {
		t.Run(test.verb, func(t *testing.T) {
			r := httptest.NewRequest(test.verb, "/mcp", nil)
			r.Header.Set("Accept", "text/event-stream")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status || w.Header().Get("Allow") != "POST, OPTIONS" {
				t.Errorf("%d, Allow: %q; want %d", w.Code, w.Header().Get("Allow"), test.status)
			}
		})
	}
}

// Requirement 1.13: a body over the limit, with and without a length.
func TestMCPBodyLimit(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	h := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{MaxBody: int64(len(ping)), Logger: slog.New(slog.DiscardHandler)}).MCP(nil)
	for _, test := range []struct {
		name   string
		body   string
		length int64
		status int
	}{
		{"as long as the limit", ping, int64(len(ping)), 200}, {"as long as the limit without a length", ping, -1, 200}, {"too long", ping + " ", int64(len(ping)) + 1, 0}, {"too long without a length", ping + " ", -1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/mcp", strings.NewReader(test.body))
			r.ContentLength = test.length
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if test.status == 0 && (w.Code != 200 || !mcpMatches(w.Body.String(), mcpFailure("-32600", "bytes"))) || test.status != 0 && w.Code != test.status {
				t.Errorf("%d bytes: %d %s; want %d", test.length, w.Code, w.Body, test.status)
			}
		})
	}
}

// Requirements 6.1, 6.3, 6.5: every answer to a page that may call can be read by
// it, whatever the answer is, and never with credentials.
func TestMCPCrossOrigin(t *testing.T) {
	h := newMCP(nil)
	for _, test := range []struct{ name, text string }{
		{"an answer", `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"no JSON", `{`},
		{"another Content-Type", "Content-Type: text/plain\n\n{}"},
		{"an unknown method", mcpModern("nope", "")},
		{"a call", mcpLegacy("", "tools/call", `"name":"notes_work","arguments":{"level":"warning"}`)},
		{"events", mcpLegacy("", "ping", "", "Accept: text/event-stream")},
		{"accepts HTML alone", mcpLegacy("", "ping", "", "Accept: text/html")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := mcpPost(h, "Origin: http://localhost:5173\n"+mcpHeaded(test.text))
			head := w.Header()
			if head.Get("Access-Control-Allow-Origin") != "http://localhost:5173" || head.Get("Vary") != "Origin" ||
				!strings.Contains(head.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") || head.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s\n%d %v", test.text, w.Code, head)
			}
		})
	}
}

// mcpHeaded returns text with an empty head if it has none.
func mcpHeaded(text string) string {
	if strings.Contains(text, "\n\n") {
		return text
	}
	return "\n" + text
}

// Requirements 6.2, 6.4: the question that a browser asks first.
func TestMCPPreflight(t *testing.T) {
	h := newMCP(nil)
	ask := func(origin, headers string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("OPTIONS", "http://localhost/mcp", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		if headers != "" {
			r.Header.Set("Access-Control-Request-Headers", headers)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := ask("http://localhost:5173", "content-type,mcp-param-region")
	if head := w.Header(); w.Code != 204 || head.Get("Access-Control-Allow-Headers") != "content-type,mcp-param-region" ||
		head.Get("Access-Control-Allow-Methods") != "POST, GET, DELETE, OPTIONS" || head.Get("Access-Control-Max-Age") != "7200" {
		t.Errorf("%d %v", w.Code, head)
	}
	if w := ask("http://localhost:5173", ""); w.Code != 204 || w.Header()["Access-Control-Allow-Headers"] != nil {
		t.Errorf("a page that asks for no headers got %d %v", w.Code, w.Header())
	}
	if w := ask("http://evil.example", "content-type"); w.Code != 403 || w.Header().Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("an evil page got %d %v", w.Code, w.Header())
	}
}

// mcpRequirements says for each requirement how it is kept: "rows" if rows of
// mcpRow carry its number, the name of a test whose comment does, or
// why it is not done here. The numbers are those of the project's list of what
// the revisions of MCP demand; the texts are short for it.
var mcpRequirements = []struct{ number, text, kept string }{
	{"0.1", "both eras on one endpoint", "rows"},
	{"0.2", "one order of checks", "rows"},
	{"0.3", "initialize in either era", "rows"},
	{"0.4", "one order of the modern checks", "rows"},
	{"0.5", "nothing is kept between requests", "TestMCPReplicas"},
	{"1.1", "POST on one path", "rows"},
	{"1.2", "GET is 405 with Allow", "TestMCPRefusesOtherVerbs"},
	{"1.3", "DELETE is 405", "TestMCPRefusesOtherVerbs"},
	{"1.4", "other verbs are 405", "TestMCPRefusesOtherVerbs"},
	{"1.5", "OPTIONS is answered", "TestMCPRefusesOtherVerbs"},
	{"1.6", "only application/json", "rows"},
	{"1.7", "any Accept that names a form of answer", "rows"},
	{"1.8", "the answer is JSON or a stream", "rows"},
	{"1.9", "notifications are 202 without a body", "rows"},
	{"1.10", "responses that nothing waits for are 400", "rows"},
	{"1.11", "what is no message is 400", "rows"},
	{"1.12", "an id that cannot be read is left out", "rows"},
	{"1.13", "a body too large is 413", "TestMCPBodyLimit"},
	{"1.14", "no batches", "rows"},
	{"1.15", "no method and no result is invalid", "rows"},
	{"2.1", "version 2.0; ids are strings and integers", "rows"},
	{"2.2", "ids are echoed byte for byte", "rows"},
	{"2.3", "two clients may use one id at a time", "TestMCPReplicas"},
	{"2.4", "notifications get no response", "rows"},
	{"2.5", "error codes are integers, messages short", "rows"},
	{"2.6", "which error codes mean what", "rows"},
	{"2.7", "names match exactly", "rows"},
	{"2.8", "messages are UTF-8", "rows"},
	{"2.9", "params is an object; unknown members are ignored", "rows"},
	{"3.1", "the version header of legacy clients", "rows"},
	{"3.2", "without it, 2025-03-26", "rows"},
	{"3.3", "an unsupported version is 400", "rows"},
	{"3.4", "header and _meta agree", "rows"},
	{"3.5", "-32022 says what is supported", "rows"},
	{"3.6", "2024-11-05 is a version", "rows"},
	{"3.7", "a repeated header is malformed", "rows"},
	{"4.1", "Mcp-Method", "rows"},
	{"4.2", "Mcp-Name", "rows"},
	{"4.3", "base64 in headers, strictly", "rows"},
	{"4.4", "which characters headers have", "rows"},
	{"4.5", "which properties x-mcp-header can mark", "TestMCPHeaderTags"},
	{"4.6", "Mcp-Param-*", "rows"},
	{"4.7", "no secrets in headers", "not done: which values are secret only the author knows; the tag is opt-in"},
	{"4.8", "no header is demanded of notifications", "rows"},
	{"5.1", "a bad Origin is 403", "TestMCPOrigin"},
	{"5.2", "Host alone is no reason", "TestMCPOrigin"},
	{"5.3", "a default that is safe behind proxies", "TestMCPOrigin"},
	{"5.4", "null is an origin like any other", "TestMCPOrigin"},
	{"5.5", "listen on 127.0.0.1, authenticate", "not done: where to listen and whom to trust is the program's; Service.MCP says so"},
	{"6.1", "every answer can be read by an allowed page", "TestMCPCrossOrigin"},
	{"6.2", "preflight", "TestMCPPreflight"},
	{"6.3", "exposed headers", "TestMCPCrossOrigin"},
	{"6.4", "preflight comes before authentication", "TestMCPPreflight"},
	{"6.5", "no credentials", "TestMCPCrossOrigin"},
	{"7.1", "the version that initialize agrees on", "rows"},
	{"7.2", "what initialize answers", "rows"},
	{"7.3", "what initialize demands", "rows"},
	{"7.4", "a session, which nothing needs", "rows"},
	{"7.5", "initialized is not demanded", "rows"},
	{"7.6", "ping", "rows"},
	{"7.7", "logging/setLevel", "rows"},
	{"7.8", "no requests to clients", "rows"},
	{"7.9", "clients of HTTP+SSE hear a polite no", "TestMCPRefusesOtherVerbs"},
	{"8.1", "what modern requests say of themselves", "rows"},
	{"8.2", "-32021 for a capability that is missing", "rows"},
	{"8.3", "resultType", "rows"},
	{"8.4", "serverInfo in _meta", "rows"},
	{"8.5", "unknown keys of _meta are ignored", "rows"},
	{"8.6", "trace context in _meta", "not done: a MAY; traceparent as a header reaches methods by Info.Request"},
	{"8.7", "log messages only for who asks", "rows"},
	{"8.8", "removed methods are 404", "rows"},
	{"9.1", "server/discover", "rows"},
	{"9.2", "what it answers", "rows"},
	{"9.3", "the capabilities are true", "rows"},
	{"9.4", "a legacy call of it tells the era", "rows"},
	{"10.1", "tools is declared, listChanged is not", "TestMCPToolList"},
	{"10.2", "the list is the same for everybody, in one order", "TestMCPToolList"},
	{"10.3", "cursors", "rows"},
	{"10.4", "ttlMs and cacheScope, only modern", "rows"},
	{"10.5", "names", "TestMCPToolList"},
	{"10.6", "there is a description", "TestMCPToolList"},
	{"10.7", "titles", "TestMCPToolList"},
	{"10.8", "all four annotations", "TestMCPToolList"},
	{"10.9", "inputSchema is an object's", "TestMCPToolList"},
	{"10.10", "outputSchema is an object's", "TestMCPToolList"},
	{"10.11", "structured content is as the schema says", "rows"},
	{"10.12", "and the same as a text", "rows"},
	{"10.13", "no structured content with isError", "rows"},
	{"10.14", "content is there, if empty", "rows"},
	{"10.15", "blocks of content, by revision", "rows"},
	{"10.16", "an unknown tool is -32602", "rows"},
	{"10.17", "wrong arguments are a result", "rows"},
	{"10.18", "errors and panics are a result", "rows"},
	{"10.19", "inputs are validated; access and rates are controlled", "not done beyond validation, which rows of 10.17 show: access and rates are for middleware"},
	{"10.20", "input_required", "TestMCPAskAnswers"},
	{"10.21", "schemas are 2020-12 and need nothing beside them", "TestMCPToolList"},
	{"10.22", "a schema of the author's own", "TestMCPMethodOptions"},
	{"11.1", "JSON until the first notification, then events", "rows"},
	{"11.2", "no event ids, no retry", "rows"},
	{"11.3", "no requests on a stream", "rows"},
	{"11.4", "progress only for who asks, rising, and not after the result", "TestMCPSendsNothingAfterTheResult"},
	{"11.5", "a disconnect cancels", "TestMCPContextEndsWithTheClient"},
	{"11.6", "in every era", "TestMCPContextEndsWithTheClient"},
	{"11.7", "subscriptions/listen", "rows"},
	{"11.8", "comments on quiet streams", "elsewhere: TestEventStreamHeartbeat"},
	{"13", "what differs between the revisions", "TestMCPRevisions"},
}

// sectionSizes says how many requirements each section has.
var sectionSizes = []int{5, 15, 9, 7, 8, 5, 5, 9, 8, 4, 22, 8}

// Verify that the table above has every requirement, and that the rows or the test that
// it names for one exist.
func TestMCPRequirements(t *testing.T) {
	tests := testComments(t)
	byRow := make(map[string]bool)
	for _, row := range mcpRows() {
		for _, number := range strings.Fields(row.numbers) {
			byRow[number] = true
		}
	}
	known := make(map[string]bool)
	for _, r := range mcpRequirements {
		if known[r.number] {
			t.Errorf("%s is there twice", r.number)
		}
		known[r.number] = true
		name, isElsewhere := strings.CutPrefix(r.kept, "elsewhere: ")
		comment, isTest := tests[name]
		switch {
		case r.kept == "rows":
			if !byRow[r.number] {
				t.Errorf("%s (%s): no row has its number", r.number, r.text)
			}
		case strings.HasPrefix(r.kept, "not done"):
			if _, reason, _ := strings.Cut(r.kept, ": "); len(reason) < 20 {
				t.Errorf("%s (%s): there is no reason", r.number, r.text)
			}
		case !isTest:
			t.Errorf("%s (%s): there is no test %s", r.number, r.text, name)
		case !isElsewhere && !slices.Contains(strings.FieldsFunc(comment, func(r rune) bool { return strings.ContainsRune(" ,:;\n", r) }), r.number):
			t.Errorf("%s (%s): the comment of %s does not have its number", r.number, r.text, name)
		}
	}
	for section, size := range sectionSizes {
		for i := range size {
			if number := strconv.Itoa(section) + "." + strconv.Itoa(i+1); !known[number] {
				t.Errorf("%s is not in the table", number)
			}
		}
	}
	for number := range byRow {
		if !known[number] {
			t.Errorf("rows have the number %s, which is none", number)
		}
	}
}

// testComments returns the comments of the tests, by name.
func testComments(t *testing.T) map[string]string {
	names, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	inside, err := filepath.Glob(root("*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, inside...)
	comments := make(map[string]string)
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				comments[fn.Name.Name] = fn.Doc.Text()
			}
		}
	}
	return comments
}

// Verify that a tool without input promises to refuse arguments where it does.
func TestMCPEmptyInputSchema(t *testing.T) {
	for allow, want := range map[bool]string{
		true:  `"name":"todos_mark_done","title":"todos: mark done","description":"Mark done on todos, a POST method of oaAPI.","inputSchema":{"type":"object","properties":{}}`,
		false: `"name":"todos_mark_done","title":"todos: mark done","description":"Mark done on todos, a POST method of oaAPI.","inputSchema":{"type":"object","properties":{}}`,
	} {
		t.Run(fmt.Sprintf("AllowUnknown %t", allow), func(t *testing.T) {
			tools := rpcPost(oaService(svc.Options{}).MCP(&svc.MCPOptions{AllowUnknown: allow}), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.String()
			if !strings.Contains(tools, want) {
				t.Errorf("the tools lack %s\n%s", want, tools)
			}
		})
	}
}
