package blackbox_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests questions to legacy clients over standard input and output, where a
// question is a request of the server.

// A mcpConversation is a client on the other side of MCPStdio.
type mcpConversation struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  *bufio.Scanner
	result chan error
}

func converse(t *testing.T, s *svc.Service, opts *svc.MCPOptions, revision, capabilities string) *mcpConversation {
	in, client := io.Pipe()
	answers, out := io.Pipe()
	c := &mcpConversation{t, client, bufio.NewScanner(answers), make(chan error, 1)}
	go func() {
		err := s.MCPStdio(context.Background(), in, out, opts)
		in.Close() // what is sent after the end gets an error
		out.Close()
		c.result <- err
	}()
	if revision != "" {
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":` + capabilities + `}}`)
		c.want(`…"protocolVersion":"` + revision + `"…"id":0}`)
	}
	return c
}

func (c *mcpConversation) send(text string) { fmt.Fprintln(c.in, text) }

func (c *mcpConversation) call(id, name, more string) {
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `"` + more + `}}`)
}

// want checks the next line and returns the id in it, as JSON.
func (c *mcpConversation) want(want string) string {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("the conversation has ended, want %s", want)
	}
	if got := c.lines.Text(); !mcpMatches(got, want) {
		c.t.Errorf("got  %s\nwant %s", got, want)
	}
	var m struct{ ID json.RawMessage }
	json.Unmarshal(c.lines.Bytes(), &m)
	return string(m.ID)
}

func (c *mcpConversation) answer(id, result string) {
	c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`)
}

// end closes the input and drops what is left.
func (c *mcpConversation) end() {
	c.t.Helper()
	c.in.Close()
	for c.lines.Scan() {
	}
	if err := <-c.result; err != nil {
		c.t.Errorf("MCPStdio returned %v", err)
	}
}

type mcpQuestions interface {
	Form(context.Context) (*mcpCount, error)
	Lists(context.Context) (*mcpCount, error)
	Page(context.Context) (*mcpCount, error)
	Sample(context.Context) (*mcpCount, error)
	Roots(context.Context) (*mcpCount, error)
	ByHand(context.Context) (*mcpCount, error)
	NoObject(context.Context) (*mcpCount, error)
	Two(context.Context) (*mcpCount, error)
	Twice(context.Context) (*mcpCount, error)
	Sure(context.Context) error
	Can(context.Context) (*questionCan, error)
	Quick(context.Context) (*mcpCount, error)
	Titles(context.Context) (*mcpCount, error)
}

// A questionCan says which capabilities the caller has.
type questionCan struct {
	ID string `json:"id"`
}

type questionMood string

func (questionMood) Enum() []questionMood { return []questionMood{"g", "b"} }
func (questionMood) EnumTitles() []string { return []string{"Good", "Bad"} }

type questionLevel int

func (questionLevel) Enum() []questionLevel { return []questionLevel{1, 2} }
func (questionLevel) EnumTitles() []string  { return []string{"One"} }

type questionForm struct {
	Mood  questionMood  `json:"mood" doc:"how it goes"`
	Other *questionMood `json:"other,omitempty"`
	Mail  string        `json:"mail,omitempty" format:"email"`
	Link  string        `json:"link,omitempty" format:"uri"`
	Day   string        `json:"day,omitempty" format:"date"`
	Host  string        `json:"host,omitempty" format:"hostname"`
	Size  int           `json:"size,omitempty" default:"3"`
}

type questionList struct {
	Moods []questionMood `json:"moods"`
}

type questionImpl struct{ runs *int }

func (q questionImpl) Form(ctx context.Context) (*mcpCount, error) {
	*q.runs++
	f, err := svc.Ask[questionForm](ctx, "f", "How?")
	if err != nil {
		return nil, err
	}
	return &mcpCount{N: len(f.Mood) + f.Size}, nil
}

func (questionImpl) Lists(ctx context.Context) (*mcpCount, error) {
	f, err := svc.Ask[questionList](ctx, "l", "Which?")
	if err != nil {
		return nil, err
	}
	return &mcpCount{N: len(f.Moods)}, nil
}

func (questionImpl) Titles(ctx context.Context) (*mcpCount, error) {
	_, err := svc.Ask[struct{ L questionLevel }](ctx, "l", "Which?")
	return nil, err
}

func (questionImpl) Page(ctx context.Context) (*mcpCount, error) {
	return &mcpCount{}, svc.AskURL(ctx, "p", "Log in", "https://x/login")
}

func (questionImpl) client(ctx context.Context, method string, params any) (*mcpCount, error) {
	answer, err := svc.AskClient(ctx, "c", method, params)
	return &mcpCount{N: len(answer)}, err
}

func (q questionImpl) Sample(ctx context.Context) (*mcpCount, error) {
	return q.client(ctx, "sampling/createMessage", map[string]int{"maxTokens": 5})
}

func (q questionImpl) Roots(ctx context.Context) (*mcpCount, error) {
	return q.client(ctx, "roots/list", nil)
}

func (q questionImpl) ByHand(ctx context.Context) (*mcpCount, error) {
	return q.client(ctx, "elicitation/create", map[string]string{"mode": "url", "url": "https://x"})
}

func (q questionImpl) NoObject(ctx context.Context) (*mcpCount, error) {
	return q.client(ctx, "elicitation/create", []int{1})
}

func (q questionImpl) Two(ctx context.Context) (*mcpCount, error) {
	*q.runs++
	_, a := svc.Ask[mcpName](ctx, "a", "A?")
	_, b := svc.Ask[mcpName](ctx, "b", "B?")
	return &mcpCount{N: 2}, errors.Join(a, b)
}

func (questionImpl) Twice(ctx context.Context) (*mcpCount, error) {
	a, err := svc.Ask[mcpName](ctx, "a", "A?")
	if err != nil {
		return nil, err
	}
	b, err := svc.Ask[mcpName](ctx, "a", "A?")
	if err != nil {
		return nil, err
	}
	return &mcpCount{N: len(a.Name + b.Name)}, nil
}

func (questionImpl) Sure(ctx context.Context) error { return svc.Confirm(ctx, "s", "Sure?") }

func (questionImpl) Can(ctx context.Context) (*questionCan, error) {
	can := ""
	for _, c := range []string{"elicitation", "elicitation.url", "sampling", "roots"} {
		if svc.CanAsk(ctx, c) {
			can += c + " "
		}
	}
	return &questionCan{ID: can}, nil
}

// Quick has no time to ask.
func (questionImpl) Quick(ctx context.Context) (*mcpCount, error) {
	ctx, cancel := context.WithDeadline(ctx, time.Now())
	defer cancel()
	_, err := svc.Ask[mcpName](ctx, "a", "A?")
	return nil, err
}

func newQuestions() (*svc.Service, *int) {
	runs := new(int)
	return svc.MustRegister[mcpQuestions](questionImpl{runs}, &svc.Options{Resource: "q", Logger: slog.New(slog.DiscardHandler)}), runs
}

const everyCapability = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`

// cannotAsk is the answer to a call of a tool of newQuestions whose client cannot be asked: with the
// address of a page.
func cannotAsk(tool, id string) string {
	switch tool {
	case "q_page":
		return `…FAILED_PRECONDITION: not done, since this client cannot be asked to open a page; give the user the address at the end. The question: Log in https://x/login"…"id":` + id + `}`
	case "q_by_hand":
		return `…FAILED_PRECONDITION: not done, since this client cannot be asked to open a page; give the user the address at the end. The question: elicitation/create https://x"…"id":` + id + `}`
	}
	return `…FAILED_PRECONDITION: not done, since this client cannot be asked; let the user do it elsewhere, or in a client that can ask. The question: …"id":` + id + `}`
}

// Verify the four questions over standard input and output, on every legacy revision that
// has them: asked, answered, declined, canceled and answered with an error, while other
// requests go on and nothing runs twice.
func TestMCPQuestionsLegacy(t *testing.T) {
	const (
		schema = `{"type":"object","properties":{"mood":{"type":"string",%s,"description":"how it goes"},"other":{"type":"string",%s},"mail":{"type":"string","format":"email"},"link":{"type":"string","format":"uri"},"day":{"type":"string","format":"date"},"host":{"type":"string","description":"a host name, such as example.com"},"size":{"type":"integer","default":3}},"required":["mood"]}`
		oneOf  = `"oneOf":[{"const":"g","title":"Good"},{"const":"b","title":"Bad"}]`
		names  = `"enum":["g","b"],"enumNames":["Good","Bad"]`
	)
	forms := map[string]string{
		"2025-06-18": `{"message":"How?","requestedSchema":` + fmt.Sprintf(schema, names, names) + `}`,
		"2025-11-25": `{"mode":"form","message":"How?","requestedSchema":` + fmt.Sprintf(schema, oneOf, oneOf) + `}`,
	}
	urls := map[string]string{"2025-11-25": `{"message":"Log in","mode":"url","url":"https://x/login","elicitationId":"…"}`}
	lists := map[string]string{"2025-11-25": `{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"moods":{"type":"array","items":{"anyOf":[{"const":"g","title":"Good"},{"const":"b","title":"Bad"}]}}},"required":["moods"]}}`}
	for _, revision := range mcpRevisions[:4] {
		t.Run(revision, func(t *testing.T) {
			s, runs := newQuestions()
			for _, test := range []struct{ tool, method, params, accept, done string }{
				{"q_form", "elicitation/create", forms[revision], `{"action":"accept","content":{"mood":"g","other":null}}`, `{"n":4}`},
				{"q_lists", "elicitation/create", lists[revision], `{"action":"accept","content":{"moods":["g","b"]}}`, `{"n":2}`},
				{"q_page", "elicitation/create", urls[revision], `{"action":"accept"}`, `{"n":0}`},
				{"q_by_hand", "elicitation/create", strings.Replace(urls[revision], `"message":"Log in","mode":"url","url":"https://x/login"`, `"mode":"url","url":"https://x"`, 1), `{"a":1}`, `{"n":7}`},
				{"q_sample", "sampling/createMessage", `{"maxTokens":5}`, `{"a":1}`, `{"n":7}`},
				{"q_roots", "roots/list", "", `{"roots":[]}`, `{"n":12}`},
			} {
				t.Run(test.tool, func(t *testing.T) {
					c := converse(t, s, nil, revision, everyCapability)
					if test.method == "elicitation/create" && test.params == "" {
						c.call("1", test.tool, "")
						c.want(cannotAsk(test.tool, "1"))
						c.end()
						return
					}
					asks := `{"jsonrpc":"2.0","id":"svc-…","method":"` + test.method + `","params":` + test.params + `}`
					if test.params == "" {
						asks = `{"jsonrpc":"2.0","id":"svc-…","method":"` + test.method + `"}`
					}
					*runs = 0
					c.call("1", test.tool, "")
					id := c.want(asks)
					c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`) // the directions have ids of their own
					c.want(`{"jsonrpc":"2.0","result":{},"id":` + id + `}`)
					c.answer(`"svc-7"`, test.accept) // nobody asked that
					c.answer(id, test.accept)
					c.want(`…"structuredContent":` + test.done + `…"id":1}`)
					if test.tool == "q_form" && *runs != 1 {
						t.Errorf("the method ran %d times", *runs)
					}
					c.answer(id, test.accept) // late
					c.call("2", test.tool, "")
					c.send(`{"jsonrpc":"2.0","id":` + c.want(asks) + `,"error":{"code":-1,"message":"no"}}`)
					c.want(`…FAILED_PRECONDITION: not done, since the client did not answer; …"id":2}`)
					for _, code := range []string{"-32601", "-32602"} { // declared, and not there
						c.call("7", test.tool, "")
						c.send(`{"jsonrpc":"2.0","id":` + c.want(asks) + `,"error":{"code":` + code + `,"message":"no"}}`)
						c.want(cannotAsk(test.tool, "7"))
					}
					c.call("3", test.tool, "")
					c.answer(c.want(asks), `[]`)
					c.want(`…INVALID_ARGUMENT: invalid input: /…must be an object…"id":3}`)
					if test.tool != "q_by_hand" && test.method == "elicitation/create" {
						for action, said := range map[string]string{"decline": "said no", "cancel": "did not answer"} {
							c.call("4", test.tool, "")
							c.answer(c.want(`…"method":"elicitation/create"…`), `{"action":"`+action+`"}`)
							c.want(`…FAILED_PRECONDITION: not done, since the user ` + said + `…"id":4}`)
						}
						c.call("5", test.tool, "")
						c.answer(c.want(`…"method":"elicitation/create"…`), `{"action":"x"}`)
						c.want(`…/action must be accept, decline or cancel…"id":5}`)
					}
					c.call("6", test.tool, "")
					c.want(`…"method":"` + test.method + `"…`)
					c.end() // ends the question at once
				})
			}
		})
	}
}

// Verify rounds, a question asked again, cancellation, deadlines, the end of in, and what
// can be asked of whom.
func TestMCPQuestionsEndInEveryWay(t *testing.T) {
	s, runs := newQuestions()
	c := converse(t, s, nil, "2025-11-25", `{"elicitation":{}}`)
	c.call("1", "q_two", "")
	c.answer(c.want(`…"message":"A?"…`), `{"action":"accept","content":{"name":"x"}}`)
	c.answer(c.want(`…"message":"B?"…`), `{"action":"decline"}`)
	c.want(`…FAILED_PRECONDITION: not done, since the user said no; call again only if the user wants it. The question: B?…"id":1}`)
	if *runs != 1 {
		t.Errorf("it ran %d times", *runs)
	}
	c.call("2", "q_twice", "")
	c.answer(c.want(`…"message":"A?"…`), `{"action":"accept","content":{"name":"xy"}}`)
	c.want(`…{"n":4}…"id":2}`)
	c.call("3", "q_two", "")
	asked := c.want(`…"message":"A?"…`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	c.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + asked + `}}`)
	c.call("4", "q_quick", "")
	c.want(`…DEADLINE_EXCEEDED…"id":4}`)
	c.call("5", "q_sure", "")
	c.answer(c.want(`…"requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}…`), `{"action":"accept","content":{}}`)
	c.want(`…/s/yes is required…"id":5}`)
	c.call("6", "q_sure", "")
	c.answer(c.want(`…Sure?…`), `{"action":"accept","content":{"yes":true}}`)
	c.want(`…"text":"done"…"id":6}`)
	c.call("7", "q_titles", "")
	c.want(`…INTERNAL: internal error…"id":7}`)
	c.call("7", "q_no_object", "")
	c.want(`…INTERNAL: internal error…"id":7}`)
	if got := mcpPost(s.MCP(nil), mcpAsk(everyCapability, "tools/call", `"name":"q_no_object"`)).Body.String(); !strings.Contains(got, "INTERNAL") {
		t.Errorf("params that are no object are sent: %s", got)
	}
	c.call("8", "q_sure", "")
	c.want(`…Sure?…`)
	c.in.Close()
	c.want(`…FAILED_PRECONDITION: not done, since the client did not answer; call again when the user can answer. The question: Sure?…"id":8}`)
	c.end()

	can := func(revision, capabilities, more string) string {
		c := converse(t, s, nil, revision, capabilities)
		defer c.end()
		c.call("1", "q_can", more)
		c.lines.Scan()
		_, rest, _ := strings.Cut(c.lines.Text(), `"structuredContent":{"id":"`)
		rest, _, _ = strings.Cut(rest, `"`)
		return rest
	}
	const modern = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	for _, test := range []struct{ name, revision, capabilities, more, want string }{
		{"2024-11-05", "2024-11-05", everyCapability, "", "sampling roots "},
		{"2025-03-26", "2025-03-26", everyCapability, "", "sampling roots "},
		{"2025-06-18", "2025-06-18", everyCapability, "", "elicitation sampling roots "},
		{"2025-11-25", "2025-11-25", everyCapability, "", "elicitation elicitation.url sampling roots "},
		{"elicitation without a mode", "2025-11-25", `{"elicitation":{}}`, "", "elicitation "},
		{"elicitation by pages", "2025-11-25", `{"elicitation":{"url":{}}}`, "", "elicitation.url "},
		{"no capabilities", "2025-11-25", `{}`, "", ""},
		{"null as capabilities", "2025-11-25", `null`, "", ""},
		{"no initialize", "", "", "", ""},
		{"a modern call after initialize that says it can do nothing", "2025-11-25", everyCapability, modern + `{}}`, ""},
		{"a modern call with pages", "", "", modern + `{"elicitation":{"url":{}}}}`, "elicitation.url "},
		{"a modern call with everything", "", "", modern + everyCapability + `}`, "elicitation elicitation.url sampling roots "},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := can(test.revision, test.capabilities, test.more); got != test.want {
				t.Errorf("%s %s %s: %q, want %q", test.revision, test.capabilities, test.more, got, test.want)
			}
		})
	}
	for _, revision := range mcpRevisions[:4] { // no conversation over HTTP, whatever the client says
		request := mcpLegacy(revision, "tools/call", `"name":"q_can","_meta":{"io.modelcontextprotocol/clientCapabilities":`+everyCapability+`}`)
		if got := mcpPost(s.MCP(nil), request).Body.String(); !strings.Contains(got, `{"id":""}`) {
			t.Errorf("over HTTP: %s", got)
		}
	}
	page := mcpPost(s.MCP(nil), mcpAsk(everyCapability, "tools/call", `"name":"q_page"`)).Body.String()
	if !mcpMatches(page, `…"p":{"method":"elicitation/create","params":{"message":"Log in","mode":"url","url":"https://x/login"}}…`) {
		t.Errorf("a page is asked for by %s", page)
	}
	for action, want := range map[string]string{"accept": `{"n":0}`, "decline": "FAILED_PRECONDITION", "x": "/p/action must be"} {
		t.Run("a page over HTTP, "+action, func(t *testing.T) {
			got := mcpPost(s.MCP(nil), mcpAsk(everyCapability, "tools/call", `"name":"q_page","inputResponses":{"p":{"action":"`+action+`"}}`)).Body.String()
			if !strings.Contains(got, want) {
				t.Errorf("%s", got)
			}
		})
	}
	if got := mcpPost(s.MCP(nil), mcpAsk(`{"elicitation":{}}`, "tools/call", `"name":"q_by_hand"`)).Body.String(); !strings.Contains(got, "FAILED_PRECONDITION") {
		t.Errorf("a URL is asked of a client that shows forms only: %s", got)
	}
}

// Verify that logging/setLevel is obeyed, before and after initialize.
func TestMCPStdioLevel(t *testing.T) {
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		svc.MCPLog(ctx, slog.LevelDebug, "debug")
		svc.MCPLog(ctx, slog.LevelWarn, "warning")
		return &mcpCount{N: 7}, nil
	})
	for _, revision := range []string{"", "2025-11-25"} {
		t.Run(cmp.Or(revision, "before initialize"), func(t *testing.T) {
			c := converse(t, s, nil, revision, `{}`)
			level := func(name string) {
				c.send(`{"jsonrpc":"2.0","id":"l","method":"logging/setLevel","params":{"level":"` + name + `"}}`)
				c.want(`{"jsonrpc":"2.0","result":{},"id":"l"}`)
			}
			c.call("1", "p_run", `,"arguments":{"how":"x"}`)
			c.want(`…"data":"warning"…`)
			c.want(`…"id":1}`)
			level("debug")
			c.call("2", "p_run", `,"arguments":{"how":"x"}`)
			c.want(`…"data":"debug"…`)
			c.want(`…"data":"warning"…`)
			c.want(`…"id":2}`)
			level("error")
			c.call("3", "p_run", `,"arguments":{"how":"x"}`)
			c.want(`…"id":3}`)
			c.end()
		})
	}
}

// Verify that a client that closes in, or sends more than is kept, leaves nothing behind:
// 1,100 calls that end only by their context, cancellations, and a ping.
func TestMCPStdioCrowd(t *testing.T) {
	t.Parallel()
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c := converse(t, s, nil, "2025-11-25", `{}`)
	go func() {
		for i := range 1100 {
			c.call(fmt.Sprint(i+1), "p_run", `,"arguments":{"how":"x"}`)
		}
		for i := range 1100 {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i+1))
		}
		c.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	}()
	for range 1100 - 1024 {
		c.want(`{"jsonrpc":"2.0","error":{"code":-32603,"message":"RESOURCE_EXHAUSTED: …"},"id":…}`)
	}
	c.want(`{"jsonrpc":"2.0","result":{},"id":"p"}`)
	c.call("2000", "p_add", `,"arguments":{"n":1}`)
	c.want(`…{"n":2}…"id":2000}`)
	c.call("2001", "p_run", `,"arguments":{"how":"x"}`)
	c.end() // within pipeGrace
}

type questionTitled interface {
	Set(context.Context, *questionSet) error
}

type questionSet struct {
	Level questionLevel `json:"level"`
}

type questionTitledImpl struct{}

func (questionTitledImpl) Set(context.Context, *questionSet) error { return nil }

// Verify that titles which are not as many as the values are a mistake at registration.
func TestEnumTitlesMistake(t *testing.T) {
	_, err := svc.Register[questionTitled](questionTitledImpl{}, nil)
	if want := "questionLevel.EnumTitles returns 1 title for 2 values of Enum; list one for each"; !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// Verify that an array of an answer is refused in each revision, and that the question goes on.
func TestMCPQuestionsInArrays(t *testing.T) {
	s, _ := newQuestions()
	for _, revision := range mcpRevisions[:4] {
		t.Run(revision, func(t *testing.T) {
			c := converse(t, s, nil, revision, everyCapability)
			c.call("1", "q_sample", "")
			id := c.want(`{"jsonrpc":"2.0","id":"svc-…","method":"sampling/createMessage"…`)
			c.send(`[{"jsonrpc":"2.0","id":` + id + `,"result":{"a":1}}]`)
			c.want(`…"there are no batches; send one message at a time"…`)
			c.answer(id, `{"a":1}`)
			c.want(`…"structuredContent":{"n":7}…"id":1}`)
			c.end()
		})
	}
}

// Verify that the address of a page is in the error on each transport where nobody can be asked, and not
// where the user has said no.
func TestAskURLOfNobody(t *testing.T) {
	s, _ := newQuestions()
	const text = "give the user the address at the end. The question: Log in https://x/login"
	_, err := s.Call(context.Background(), "q", "page", nil)
	for where, got := range map[string]string{
		"REST":         postJSON(s.REST(), "/q/page", "").Body.String(),
		"JSON-RPC":     rpcPost(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"q.page"}`).Body.String(),
		"Service.Call": err.Error() + `"`,
		"2025-11-25":   mcpPost(s.MCP(nil), mcpLegacy("2025-11-25", "tools/call", `"name":"q_page"`)).Body.String(),
		"2026-07-28":   mcpPost(s.MCP(nil), mcpModern("tools/call", `"name":"q_page"`)).Body.String(),
	} {
		if !strings.Contains(got, text+`"`) {
			t.Errorf("%s: %s", where, got)
		}
	}
	c := converse(t, s, nil, "2025-11-25", everyCapability)
	c.call("1", "q_page", "")
	c.answer(c.want(`…"method":"elicitation/create"…`), `{"action":"decline"}`)
	c.want(`…The question: Log in (reason: not_confirmed)"…"id":1}`)
	c.end()
}
