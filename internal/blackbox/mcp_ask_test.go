package blackbox_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests questions of methods to their callers, which MCP of 2026 sends as the
// result of a call.

// mcpAsking is a service whose methods ask their callers.
type mcpAsking interface {
	Archive(context.Context, *mcpArchive) (*mcpCount, error)
	Converse(context.Context, *mcpArchive) (*mcpShown, error)
	Model(context.Context) (*mcpCount, error)
	Several(context.Context) (*mcpCount, error)
	Wrong(context.Context) error
	GetFile(context.Context, *mcpGet) (*mcpShown, error)
	Compose(context.Context, *mcpCompose) (*mcpShown, error)
}

type mcpArchive struct {
	Folder string `json:"folder,omitempty"`
	Limit  int64  `json:"limit,omitempty"`
}

type mcpCompose struct {
	Style mcpStyle `json:"style" doc:"how it sounds"`
	Words int      `json:"words,omitempty" minimum:"1"`
	Loud  *bool    `json:"loud,omitempty"`
	Size  float64  `json:"size,omitempty" enum:"1,1.5"`
}

type mcpStyle string

func (mcpStyle) Enum() []mcpStyle { return []mcpStyle{"formal", "friendly", "funny"} }

type mcpSure struct {
	Sure  bool    `json:"sure" doc:"there is no way back"`
	Why   string  `json:"why,omitempty" minLength:"3" enum:"old,wrong"`
	Count *uint8  `json:"count,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`

	Kinds []string   `json:"kinds,omitempty" enum:"note,task" maxItems:"1"`
	Moods []mcpMood  `json:"moods,omitempty"`
	When  *time.Time `json:"when,omitempty"`
	Mail  string     `json:"mail,omitempty" format:"email"`
}

type mcpMood string

func (mcpMood) Enum() []mcpMood { return []mcpMood{"good", "bad"} }

type mcpName struct {
	Name string `json:"name"`
}

func (n *mcpName) Validate() error {
	if n.Name == "nobody" {
		return errors.New("nobody has no name")
	}
	return nil
}

type mcpAsker struct{}

func (mcpAsker) Archive(ctx context.Context, in *mcpArchive) (*mcpCount, error) {
	sure, err := svc.Ask[mcpSure](ctx, "sure", "Archive all of it?")
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if !sure.Sure {
		return &mcpCount{N: 0}, nil
	}
	return &mcpCount{N: len(sure.Why)}, nil
}

func (mcpAsker) Converse(ctx context.Context, in *mcpArchive) (*mcpShown, error) {
	said := []string{in.Folder}
	for i := range 3 {
		name, err := svc.Ask[mcpName](ctx, fmt.Sprint("name/", i), "And the next one?")
		if err != nil {
			return nil, svc.Errorf(svc.CodeAborted, "not said: %w", err)
		}
		said = append(said, name.Name)
	}
	return &mcpShown{[]svc.MCPContent{{Text: strings.Join(said, ", ")}}}, nil
}

func (mcpAsker) Model(ctx context.Context) (*mcpCount, error) {
	answer, err := svc.AskClient(ctx, "roots", "roots/list", nil)
	if err != nil {
		return nil, err
	}
	return &mcpCount{N: len(answer)}, nil
}

func (mcpAsker) Several(ctx context.Context) (*mcpCount, error) {
	_, a := svc.Ask[mcpName](ctx, "z", "Z?")
	_, b := svc.AskClient(ctx, "a", "sampling/createMessage", map[string]int{"maxTokens": 5})
	return &mcpCount{N: 5}, errors.Join(a, b)
}

func (mcpAsker) Wrong(ctx context.Context) error {
	_, a := svc.Ask[struct{ A []string }](ctx, "a", "Q?")
	_, b := svc.Ask[struct{ B *string }](ctx, "b", "Q?")
	_, c := svc.Ask[struct {
		C []int `enum:"1,2"`
	}](ctx, "c", "Q?")
	for _, err := range []error{a, b, c} {
		if !strings.Contains(fmt.Sprint(err), "form") {
			return nil
		}
	}
	return errors.Join(a, b, c)
}

func (mcpAsker) GetFile(ctx context.Context, in *mcpGet) (*mcpShown, error) {
	name, err := svc.Ask[mcpName](ctx, "n", "Who reads "+in.ID+"?")
	if err != nil {
		return nil, err
	}
	if name.Name == "blank" {
		return &mcpShown{[]svc.MCPContent{{Type: "image", MIMEType: "image/png"}}}, nil
	}
	return &mcpShown{[]svc.MCPContent{{Text: name.Name}}}, nil
}

func (mcpAsker) Compose(ctx context.Context, in *mcpCompose) (*mcpShown, error) {
	switch in.Words {
	case 13:
		return nil, svc.Errorf(svc.CodeNotFound, "no words")
	case 14:
		panic("secret-17")
	}
	return &mcpShown{[]svc.MCPContent{{Text: fmt.Sprintln(in.Style, in.Words, in.Loud != nil && *in.Loud)}, {Type: "image", Data: []byte("png"), MIMEType: "image/png"}}}, nil
}

func newAsking(opts *svc.MCPOptions) (*svc.Service, http.Handler) {
	s := svc.MustRegister[mcpAsking](mcpAsker{}, askingOptions())
	return s, s.MCP(opts)
}

// askingOptions returns the options of a service with a resource and a prompt.
func askingOptions() *svc.Options {
	return &svc.Options{Name: "Notes", Resource: "ask", Version: "1.2.3", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"GetFile": {MCP: &svc.MCPMethod{URI: "files://f/{id}", NotTool: true}},
		"Compose": {MCP: &svc.MCPMethod{Prompt: true}},
	}}
}

// mcpAsk is mcpModern for a client with these capabilities.
func mcpAsk(capabilities, method, params string, head ...string) string {
	return strings.Replace(mcpModern(method, params, head...), `Capabilities":{}`, `Capabilities":`+capabilities, 1)
}

const mcpForms = `{"elicitation":{}}`

// Requirement 10.20: what a question looks like, and what becomes of the answers.
func TestMCPAskAnswers(t *testing.T) {
	_, h := newAsking(nil)
	archive := func(more string) string { return mcpAsk(mcpForms, "tools/call", `"name":"ask_archive"`+more) }
	answer := func(content string) string {
		return archive(`,"inputResponses":{"sure":{"action":"accept","content":` + content + `},"other":{}}`)
	}
	failure := func(text string) string {
		return mcpModern1 + `"content":[{"type":"text","text":"` + text + `"}],"isError":true},"id":1}`
	}
	done := func(n int) string { return fmt.Sprintf(`%s"structuredContent":{"n":%d},…`, mcpModern1, n) }
	const cannot = `FAILED_PRECONDITION: not done, since this client cannot be asked; let the user do it elsewhere, or in a client that can ask. The question: Archive all of it?`
	question := strings.Replace(mcpModern1, `"complete"`, `"input_required"`, 1) + `"inputRequests":{"sure":{"method":"elicitation/create","params":{"mode":"form","message":"Archive all of it?","requestedSchema":{"type":"object","properties":{"sure":{"type":"boolean","description":"there is no way back"},"why":{"type":"string","enum":["old","wrong"],"minLength":3},"count":{"type":"integer","minimum":0,"maximum":255},"ratio":{"type":"number"},"kinds":{"type":"array","items":{"type":"string","enum":["note","task"]},"maxItems":1},"moods":{"type":"array","items":{"type":"string","enum":["good","bad"]}},"when":{"type":"string","format":"date-time"},"mail":{"type":"string","format":"email"}},"required":["sure"]}}}}},"id":1}`
	for _, test := range []struct {
		name   string
		text   string
		status int
		want   string
	}{
		{"the question", archive(""), 200, question},
		{"no answers", archive(`,"inputResponses":{}`), 200, question},
		{"null as answers", archive(`,"inputResponses":null,"requestState":null`), 200, question},
		{"an answer to another question", archive(`,"inputResponses":{"wrong":{"action":"accept"}}`), 200, question},
		{"a client with forms and pages", mcpAsk(`{"elicitation":{"form":{},"url":{}}}`, "tools/call", `"name":"ask_archive"`), 200, question},
		{"an answer", answer(`{"sure":true,"why":"old"}`), 200, done(3)},
		{"an answer of no", answer(`{"sure":false}`), 200, done(0)},
		{"an answer with null for what may be left out", answer(`{"sure":true,"why":null,"count":null}`), 200, done(0)},
		{"an answer that breaks three rules", answer(`{"why":"x","count":300}`), 200, failure(`…\n- /sure/why must be one of old, wrong\n…\n- /sure/count must be an integer between 0 and 255\n- /sure/sure is required`)},
		{"an answer with lists", answer(`{"sure":true,"kinds":["task"],"moods":["bad","good"]}`), 200, done(0)},
		{"an answer with wrong items in lists", answer(`{"sure":true,"kinds":["x"],"moods":["ugly"]}`), 200, failure(`…\n- /sure/kinds/0 must be one of note, task\n- /sure/moods/0 must be one of good, bad`)},
		{"a list as the answer", answer(`[]`), 200, failure(`…/sure/content must be an object, is an array`)},
		{"an answer without content", archive(`,"inputResponses":{"sure":{"action":"accept"}}`), 200, failure(`…/sure/sure is required`)},
		{"declined", archive(`,"inputResponses":{"sure":{"action":"decline"}}`), 200, failure(`FAILED_PRECONDITION: not done, since the user said no; call again only if the user wants it. The question: Archive all of it? (reason: not_confirmed)`)},
		{"canceled", archive(`,"inputResponses":{"sure":{"action":"cancel"}}`), 200, failure(`FAILED_PRECONDITION: not done, since the user did not answer; call again when the user can answer. The question: Archive all of it? (reason: not_confirmed)`)},
		{"no action", archive(`,"inputResponses":{"sure":{}}`), 200, failure(`…/sure/action must be accept, decline or cancel`)},
		{"a number as an answer", archive(`,"inputResponses":{"sure":5}`), 400, mcpFailure("-32602", "inputResponses")},
		{"a list as answers", archive(`,"inputResponses":[]`), 400, mcpFailure("-32602", "inputResponses")},
		{"a state of nobody", archive(`,"requestState":"x"`), 400, mcpFailure("-32602", "requestState")},
		{"a number as state", archive(`,"requestState":5`), 400, mcpFailure("-32602", "requestState")},
		{"a client without forms", mcpModern("tools/call", `"name":"ask_archive"`), 200, failure(cannot)},
		{"a client with pages alone", mcpAsk(`{"elicitation":{"url":{}}}`, "tools/call", `"name":"ask_archive"`), 200, failure(cannot)},
		{"a legacy client", mcpLegacy("2025-11-25", "tools/call", `"name":"ask_archive","inputResponses":5,"requestState":5`), 200, `…` + cannot + `…"isError":true…`},
		{"a client without roots", mcpModern("tools/call", `"name":"ask_model"`), 200, failure("FAILED_PRECONDITION: not done, since this client cannot be asked; let the user do it elsewhere, or in a client that can ask. The question: roots/list")},
		{"the question for roots", mcpAsk(`{"roots":{}}`, "tools/call", `"name":"ask_model"`), 200, `…"inputRequests":{"roots":{"method":"roots/list"}}},"id":1}`},
		{"the answer with roots", mcpAsk(`{"roots":{}}`, "tools/call", `"name":"ask_model","inputResponses":{"roots":{"roots":[]}}`), 200, done(len(`{"roots":[]}`))},
		{"a list as a capability", mcpAsk(`{"roots":[]}`, "tools/call", `"name":"ask_model"`), 200, `…"isError":true…`},
		{"two questions", mcpAsk(`{"sampling":{},"elicitation":{}}`, "tools/call", `"name":"ask_several"`), 200, `…"inputRequests":{"a":{"method":"sampling/createMessage","params":{"maxTokens":5}},"z":{"method":"elicitation/create","params":{…}}}},"id":1}`},
		{"two answers", mcpAsk(`{"sampling":{},"elicitation":{}}`, "tools/call", `"name":"ask_several","inputResponses":{"a":{},"z":{"action":"accept","content":{"name":"nobody"}}}`), 200, failure(`…nobody has no name…`)},
		{"the first of two questions a client can show", mcpAsk(mcpForms, "tools/call", `"name":"ask_several"`), 200, `…"inputRequests":{"z":…`},
		{"a wrong question", mcpAsk(mcpForms, "tools/call", `"name":"ask_wrong"`), 200, failure("INTERNAL: internal error")},
		{"an answer without a state", mcpAsk(mcpForms, "tools/call", `"name":"ask_converse","inputResponses":{"name/0":{"action":"accept","content":{"name":"x"}}}`), 200, failure("INTERNAL: internal error")},
		{"a question of a resource", mcpAsk(mcpForms, "resources/read", `"uri":"files://f/1"`, "Mcp-Name: files://f/1"), 200, `…"resultType":"input_required"…"message":"Who reads 1?"…`},
		{"the answer for a resource", mcpAsk(mcpForms, "resources/read", `"uri":"files://f/1","inputResponses":{"n":{"action":"accept","content":{"name":"me"}}}`, "-Mcp-Name", "Mcp-Name: files://f/1"), 200, `…"contents":[{"uri":"files://f/1","mimeType":"text/plain","text":"me"}],"ttlMs":0,"cacheScope":"private"},"id":1}`},
		{"the answer for a resource without a text", mcpAsk(mcpForms, "resources/read", `"uri":"files://f/1","inputResponses":{"n":{"action":"accept","content":{"name":"blank"}}}`, "-Mcp-Name", "Mcp-Name: files://f/1"), 200, `…"contents":[{"uri":"files://f/1","mimeType":"image/png","blob":""}],"ttlMs":0,"cacheScope":"private"},"id":1}`},
		{"a resource for a client without forms", mcpModern("resources/read", `"uri":"files://f/1"`, "Mcp-Name: files://f/1"), 200, mcpFailure("-32603", "FAILED_PRECONDITION: not done, since this client cannot be asked")},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkMCPAnswer(t, h, test.text, test.status, test.want)
		})
	}
	s, _ := newAsking(nil)
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest("POST", "/ask/archive", strings.NewReader(`{}`)))
	if w.Code != 400 || !strings.Contains(w.Body.String(), "FAILED_PRECONDITION") {
		t.Errorf("over REST: %d %s", w.Code, w.Body)
	}
	if _, err := s.Call(context.Background(), "ask", "archive", &mcpArchive{}); !strings.Contains(fmt.Sprint(err), cannot) {
		t.Errorf("by Call: %v", err)
	}
}

// mcpAskedKey returns the only key that an answer asks for, and its requestState.
func mcpAskedKey(body []byte) (key, state string) {
	var answer struct {
		Result struct {
			InputRequests map[string]any
			RequestState  string
		}
	}
	json.Unmarshal(body, &answer)
	for key = range answer.Result.InputRequests {
	}
	return key, answer.Result.RequestState
}

// Requirement 10.20: a conversation of three rounds hops over three replicas, and a
// state that is not of this call opens nowhere.
func TestMCPAskRounds(t *testing.T) {
	key := svc.NewCursorKey([]byte("the key of all three replicas"))
	var replicas []http.Handler
	for range 3 {
		_, h := newAsking(&svc.MCPOptions{StateKey: key})
		replicas = append(replicas, h)
	}
	call := func(i int, name, arguments, more string) *httptest.ResponseRecorder {
		return mcpPost(replicas[i%3], mcpAsk(mcpForms, "tools/call", `"name":"`+name+`","arguments":`+arguments+more))
	}
	more := func(key, name, state string) string {
		text := `,"inputResponses":{"` + key + `":{"action":"accept","content":{"name":"` + name + `"}},"extra":{}}`
		return text + `,"requestState":"` + state + `"`
	}
	const arguments = `{"folder":"f","limit":9007199254740993}`
	w := call(0, "ask_converse", arguments, "")
	states := []string{}
	for i := range 3 {
		asked, state := mcpAskedKey(w.Body.Bytes())
		if asked != fmt.Sprint("name/", i) || state == "" {
			t.Fatalf("round %d: %s", i, w.Body)
		}
		states = append(states, state)
		again := arguments
		if i == 1 { // a client may write its arguments in another way
			again = `{ "limit" : 9007199254740993, "f\u006flder":"f"}`
		}
		w = call(i+1, "ask_converse", again, more(asked, fmt.Sprint("n", i), state))
	}
	if !strings.Contains(w.Body.String(), `"text":"f, n0, n1, n2"`) || strings.Contains(states[2], "extra") {
		t.Errorf("the end of the conversation is %s", w.Body)
	}

	state := states[2]
	_, other := newAsking(&svc.MCPOptions{StateKey: svc.NewCursorKey([]byte("another key, of another service"))})
	replicas = append(replicas[:2], other)
	cursor, _ := key.Encode("x")
	refused := []struct{ name, arguments, state string }{
		{"ask_archive", arguments, state},
		{"ask_converse", `{"folder":"f","limit":9007199254740992}`, state},
		{"ask_converse", `{"folder":"g","limit":9007199254740993}`, state},
		{"ask_converse", `{}`, state},
		{"ask_converse", arguments, cursor},
		{"ask_converse", arguments, state + "-TAMPERED"},
		{"ask_converse", arguments, state + "\\n"},
	}
	for n := range len(state) {
		refused = append(refused, struct{ name, arguments, state string }{"ask_converse", arguments, state[:n]})
		changed := []byte(state)
		changed[n] = "AB"[len(changed)%2]
		if changed[n] == state[n] {
			changed[n] = 'C'
		}
		refused = append(refused, struct{ name, arguments, state string }{"ask_converse", arguments, string(changed)})
	}
	for _, test := range refused {
		if w := call(0, test.name, test.arguments, more("name/2", "x", test.state)); w.Code != 400 || !strings.Contains(w.Body.String(), "requestState") {
			t.Errorf("%s %s with the state %s: %d %s", test.name, test.arguments, test.state, w.Code, w.Body)
		}
	}
	if w := call(2, "ask_converse", arguments, more("name/2", "x", state)); w.Code != 400 {
		t.Errorf("with another key: %d %s", w.Code, w.Body)
	}
	if err := key.Decode(state, new(string)); err == nil {
		t.Error("a state opens as a cursor")
	}
}

// Verify that a state goes on for the caller it was sealed for, and for nobody else,
// known or not.
func TestMCPAskStateIsOfOneCaller(t *testing.T) {
	_, h := newAsking(&svc.MCPOptions{StateKey: svc.NewCursorKey([]byte("the key of one replica"))})
	post := func(caller, more string) *httptest.ResponseRecorder {
		return mcpPost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if caller != "" {
				r = r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: caller}))
			}
			h.ServeHTTP(w, r)
		}), mcpAsk(mcpForms, "tools/call", `"name":"ask_converse"`+more))
	}
	callers := []string{"", "ada", "bob"}
	for _, sealer := range callers {
		_, state := mcpAskedKey(post(sealer, "").Body.Bytes())
		for _, caller := range callers {
			t.Run(cmp.Or(sealer, "nobody")+" to "+cmp.Or(caller, "nobody"), func(t *testing.T) {
				w := post(caller, `,"inputResponses":{"name/0":{"action":"accept","content":{"name":"x"}}},"requestState":"`+state+`"`)
				want := mcpFailure("-32602", "requestState")
				if caller == sealer {
					want = `…"inputRequests":{"name/1":…`
				}
				if !mcpMatches(w.Body.String(), want) {
					t.Errorf("%q brings the state of %q: %s", caller, sealer, w.Body)
				}
			})
		}
	}
}

// Verify that a method cannot ask when it has returned, and does not ask twice.
func TestMCPAskFailsAfterReturn(t *testing.T) {
	var kept context.Context
	h := newHookedMCP(func(ctx context.Context) error {
		if !svc.CanAsk(ctx, "elicitation") {
			return errors.New("cannot ask")
		}
		kept = ctx
		_, err := svc.Ask[mcpName](ctx, "", "no key")
		if _, err2 := svc.AskClient(ctx, "k", "roots", nil); err == nil || err2 == nil {
			return errors.New("asked without a key or a method")
		}
		if _, err := svc.AskClient(ctx, "k", "elicitation/create", func() {}); err == nil {
			return errors.New("asked with a function")
		}
		return nil
	})
	w := mcpPost(h, mcpAsk(mcpForms, "tools/call", `"name":"hook_run"`))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"isError":false`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if svc.CanAsk(kept, "elicitation") || svc.CanAsk(context.Background(), "elicitation") {
		t.Error("it can still ask")
	}
	if _, err := svc.Ask[mcpName](kept, "k", "late?"); svc.CodeOf(err) != svc.CodeFailedPrecondition {
		t.Errorf("got %v", err)
	}
}

// Verify that a form that no client can show is refused with what would be right.
func TestMCPAskMistakes(t *testing.T) {
	h := newHookedMCP(func(ctx context.Context) error {
		for _, test := range []struct {
			name string
			ask  func(context.Context, string, string) error
			want string
		}{
			{"a string", mcpForm[string], "cannot ask for string:\n  - a form must be a struct, not a string"},
			{"a pointer", mcpForm[*mcpName], "cannot ask for *blackbox_test.mcpName:\n  - a form must be a struct, not a *blackbox_test.mcpName"},
			{"a map", mcpForm[map[string]any], "a form must be a struct, not a map[string]interface {}"},
			{"any", mcpForm[any], "a form must be a struct, not a interface {}"},
			{"a union", mcpForm[unionPayment], "a form has one list of fields, and blackbox_test.unionPayment is a union"},
			{"a pointer that is required", mcpForm[struct{ A *string }], "A: a pointer in a form must be optional (omitempty)"},
			{"an Optional", mcpForm[struct {
				A svc.Optional[string] `json:"a,omitzero"`
			}], "A: a form has no null; write a *string that is optional (omitempty)"},
			{"a list without an enum", mcpForm[struct{ A []string }], "A: a form has strings, numbers, booleans, enums and lists of strings with an enum, not a []string"},
			{"a list of pointers", mcpForm[struct {
				A []*string `enum:"a,b"`
			}], "with an enum, not a []*string"},
			{"a list of lists", mcpForm[struct{ A [][]string }], "with an enum, not a [][]string"},
			{"a map as a field", mcpForm[struct{ A map[string]int }], "with an enum, not a map[string]int"},
		} {
			t.Run(test.name, func(t *testing.T) {
				if err := test.ask(ctx, "k", "Q?"); !strings.Contains(fmt.Sprint(err), test.want) {
					t.Errorf("got %v\nwant %s", err, test.want)
				}
			})
		}
		return nil
	})
	if w := mcpPost(h, mcpAsk(mcpForms, "tools/call", `"name":"hook_run"`)); !strings.Contains(w.Body.String(), `"isError":false`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func mcpForm[T any](ctx context.Context, key, message string) error {
	_, err := svc.Ask[T](ctx, key, message)
	return err
}

func ExampleAsk() {
	type Confirm struct {
		Sure bool `json:"sure"`
	}
	h := newHookedMCP(func(ctx context.Context) error {
		answer, err := svc.Ask[Confirm](ctx, "confirm", "Delete 12 files?")
		if err != nil {
			return err // the first time: the question itself
		}
		fmt.Println("delete them:", answer.Sure)
		return nil
	})
	round := func(more string) *bytes.Buffer {
		return mcpPost(h, mcpAsk(mcpForms, "tools/call", `"name":"hook_run"`+more)).Body
	}
	fmt.Println(strings.Contains(round("").String(), `"resultType":"input_required"`))
	round(`,"inputResponses":{"confirm":{"action":"accept","content":{"sure":true}}}`)
	// Output:
	// true
	// delete them: true
}

// ConfirmAPI deletes what cannot be had back.
type ConfirmAPI interface {
	Delete(ctx context.Context, in *VaultOut) error
	Outer(ctx context.Context) error
	GetFile(ctx context.Context, in *mcpGet) (*mcpShown, error)
	Compose(ctx context.Context) (*mcpShown, error)
}

// A confirmer has the context of its last call.
type confirmer struct {
	service *svc.Service
	ctx     context.Context
	deleted int
}

func (c *confirmer) Delete(ctx context.Context, in *VaultOut) error {
	c.ctx = ctx
	if err := svc.Confirm(ctx, "sure", "Delete it?"); err != nil {
		return err
	}
	c.deleted++
	return nil
}

func (c *confirmer) Outer(ctx context.Context) error {
	_, err := c.service.Call(ctx, "c", "delete", &VaultOut{"x"})
	return err
}

func (c *confirmer) GetFile(ctx context.Context, _ *mcpGet) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "x"}}}, c.Outer(ctx)
}

func (c *confirmer) Compose(ctx context.Context) (*mcpShown, error) {
	return &mcpShown{[]svc.MCPContent{{Text: "x"}}}, c.Delete(ctx, nil)
}

// Verify that Confirm lets nobody through but who says yes, and callers who have decided
// already, and that it fails closed in every other way.
func TestConfirm(t *testing.T) {
	impl := new(confirmer)
	impl.service = svc.MustRegister[ConfirmAPI](impl, &svc.Options{Name: "C", Resource: "c", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Delete":  {HTTP: "POST /c/delete"},
		"GetFile": {MCP: &svc.MCPMethod{URI: "files://f/{id}", NotTool: true}},
		"Compose": {MCP: &svc.MCPMethod{Prompt: true}},
	}})
	mcp := impl.service.MCP(nil)
	const forms, args = `{"elicitation":{}}`, `"name":"c_delete","arguments":{"by":"x"}`
	answer := func(action, content string) string {
		return args + `,"inputResponses":{"sure":{"action":"` + action + `","content":` + content + `}}`
	}
	const schema = `"inputRequests":{"sure":{"method":"elicitation/create","params":{"mode":"form","message":"Delete it?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]`
	const cannot = `FAILED_PRECONDITION: not done, since this client cannot be asked; let the user do it elsewhere, or in a client that can ask. The question: Delete it?`
	legacy := mcpLegacy("2025-03-26", "tools/call", args)
	for _, test := range []struct {
		name    string
		text    string
		want    string // in the answer
		deleted int
	}{
		{"asked", mcpAsk(forms, "tools/call", args), schema, 0},
		{"accepted with yes", mcpAsk(forms, "tools/call", answer("accept", `{"yes":true}`)), `"isError":false`, 1},
		{"accepted with no", mcpAsk(forms, "tools/call", answer("accept", `{"yes":false}`)), "FAILED_PRECONDITION: not done, since the user has not said yes; call again only if the user wants it. The question: Delete it?", 0},
		{"declined", mcpAsk(forms, "tools/call", answer("decline", `{"yes":true}`)), "FAILED_PRECONDITION", 0},
		{"canceled", mcpAsk(forms, "tools/call", answer("cancel", `{}`)), "FAILED_PRECONDITION", 0},
		{"accepted without an answer", mcpAsk(forms, "tools/call", answer("accept", `{}`)), "INVALID_ARGUMENT", 0},
		{"accepted with null", mcpAsk(forms, "tools/call", answer("accept", `{"yes":null}`)), "INVALID_ARGUMENT", 0},
		{"accepted with a text", mcpAsk(forms, "tools/call", answer("accept", `{"yes":"true"}`)), "INVALID_ARGUMENT", 0},
		{"asked by an inner call", mcpAsk(forms, "tools/call", `"name":"c_outer"`), schema, 0},
		{"asked for a resource", mcpAsk(forms, "resources/read", `"uri":"files://f/1"`, "Mcp-Name: files://f/1"), schema, 0},
		{"asked for a prompt", mcpAsk(forms, "prompts/get", `"name":"c_compose"`), schema, 0},
		{"answered by a client that cannot ask", mcpAsk(`{}`, "tools/call", answer("accept", `{"yes":true}`)), cannot, 0},
		{"inner call of a client that cannot ask", mcpAsk(`{}`, "tools/call", `"name":"c_outer"`), cannot, 0},
		{"client that can only open URLs", mcpAsk(`{"elicitation":{"url":{}}}`, "tools/call", args), cannot, 0},
		{"client of an older revision", legacy, cannot, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			impl.deleted = 0
			got := mcpPost(mcp, test.text).Body.String()
			if impl.deleted != test.deleted || !strings.Contains(got, test.want) {
				t.Errorf("%s\ndeleted %d times, want %d: %s\nwant %s", test.text, impl.deleted, test.deleted, got, test.want)
			}
			if impl.ctx != nil && svc.Confirm(impl.ctx, "sure", "Late?") == nil {
				t.Errorf("%s: a call that has ended is confirmed", test.text)
			}
		})
	}
	// A caller without a user to ask has decided; one whose call has ended has not.
	r := httptest.NewRequest("POST", "/c/delete", strings.NewReader(`{"by":"x"}`))
	for name, call := range map[string]func(){
		"REST": func() { impl.service.REST().ServeHTTP(httptest.NewRecorder(), r) },
		"JSON-RPC": func() {
			rpcPost(impl.service.RPC(), `{"jsonrpc":"2.0","id":1,"method":"c.delete","params":{"by":"x"}}`)
		},
		"a batch": func() {
			rpcPost(impl.service.RPC(), `[{"jsonrpc":"2.0","id":1,"method":"c.delete","params":{"by":"x"}}]`)
		},
		"Call":   func() { impl.service.Call(context.Background(), "c", "delete", &VaultOut{"x"}) },
		"nested": func() { impl.service.Call(context.Background(), "c", "outer", nil) },
	} {
		impl.deleted = 0
		if call(); impl.deleted != 1 {
			t.Errorf("%s: deleted %d times", name, impl.deleted)
		}
		if svc.CodeOf(svc.Confirm(impl.ctx, "sure", "Late?")) != svc.CodeFailedPrecondition {
			t.Errorf("%s: a call that has ended is confirmed", name)
		}
	}
	if svc.CodeOf(svc.Confirm(context.Background(), "sure", "Who?")) != svc.CodeFailedPrecondition {
		t.Error("a context of no call is confirmed")
	}
}
