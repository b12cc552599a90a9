package blackbox_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests sessions of legacy clients over HTTP: questions to them, and their
// cancellations.

// serveMCP serves a handler to callers that name themselves by the header Caller.
func serveMCP(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := r.Header.Get("Caller"); name != "" {
			r = r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: name}))
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A mcpSession is a legacy client with a session.
type mcpSession struct {
	t        *testing.T
	url      string
	revision string   // of the header MCP-Protocol-Version; "" for none
	header   []string // names and values
}

// beginSession begins a session over HTTP, of the caller in header if there is one.
func beginSession(t *testing.T, url, revision, capabilities string, header ...string) *mcpSession {
	t.Helper()
	c := &mcpSession{t, url, "", header}
	w := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":` + capabilities + `}}`)
	c.want(w, 200, `{"jsonrpc":"2.0","result":{"protocolVersion":"`+revision+`"…`)
	session := w.Header.Get("Mcp-Session-Id")
	if len(session) == 0 || len(session) > 256 || strings.Trim(session, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Fatalf("the session is %q", session)
	}
	c.revision, c.header = revision, append([]string{"Mcp-Session-Id", session}, header...)
	return c
}

// with returns a client with another session, or another header.
func (c *mcpSession) with(header ...string) *mcpSession {
	return &mcpSession{c.t, c.url, c.revision, header}
}

func (c *mcpSession) session() string { return c.header[1] }

// post sends a message and returns the response, whose body is open.
func (c *mcpSession) post(body string) *http.Response {
	c.t.Helper()
	w, err := http.DefaultClient.Do(c.request(c.t.Context(), body))
	if err != nil { // maybe on a goroutine of the test
		c.t.Error(err)
		return &http.Response{Body: http.NoBody}
	}
	c.t.Cleanup(func() { w.Body.Close() })
	return w
}

// request returns the request of a message.
func (c *mcpSession) request(ctx context.Context, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, "POST", c.url, strings.NewReader(body))
	if err != nil {
		panic(err) // of an address of a test server
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.revision != "" {
		r.Header.Set("MCP-Protocol-Version", c.revision)
	}
	for pair := range slices.Chunk(c.header, 2) {
		if pair[0] == "Accept" {
			r.Header.Del("Accept")
		}
		r.Header.Add(pair[0], pair[1])
	}
	return r
}

// want reads the whole response. An answer as events is that of the last one.
func (c *mcpSession) want(w *http.Response, status int, want string) {
	c.t.Helper()
	body, err := io.ReadAll(w.Body)
	text := strings.TrimSpace(string(body))
	if i := strings.LastIndex(text, "data: "); i >= 0 {
		text = text[i+len("data: "):]
	}
	if err != nil || w.StatusCode != status || !mcpMatches(text, want) {
		c.t.Errorf("got  %d %s, %v\nwant %d %s", w.StatusCode, text, err, status, want)
	}
}

// A mcpCall is a call that has not been answered, with what came of its stream.
type mcpCall struct {
	*mcpSession
	w     *http.Response
	lines *bufio.Scanner
}

const sessionCall = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s"%s}}`

// call calls a tool that asks, or reports something, before it answers.
func (c *mcpSession) call(id, tool, more string) *mcpCall {
	c.t.Helper()
	w := c.post(fmt.Sprintf(sessionCall, id, tool, more))
	return &mcpCall{c, w, bufio.NewScanner(w.Body)}
}

// event checks the next message and returns the id in it.
func (c *mcpCall) event(want string) string {
	c.t.Helper()
	for c.lines.Scan() {
		data, ok := strings.CutPrefix(c.lines.Text(), "data: ")
		if !ok {
			continue
		}
		if !mcpMatches(data, want) {
			c.t.Errorf("got  %s\nwant %s", data, want)
		}
		var m struct{ ID json.RawMessage }
		json.Unmarshal([]byte(data), &m)
		return string(m.ID)
	}
	c.t.Fatalf("the stream has ended (%v), want %s", c.lines.Err(), want)
	return ""
}

// end checks that nothing more comes.
func (c *mcpCall) end() {
	c.t.Helper()
	for c.lines.Scan() {
		if line := c.lines.Text(); line != "" && !strings.HasPrefix(line, ":") {
			c.t.Errorf("after the end came %s", line)
		}
	}
	if c.lines.Err() != nil {
		c.t.Error(c.lines.Err())
	}
}

// answer posts the result of a question, which must be accepted.
func (c *mcpSession) answer(id, result string) {
	c.t.Helper()
	c.want(c.post(`{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`), 202, "")
}

// Verify each kind of question in each revision with sessions: answered, declined, canceled,
// answered with an error and answered twice, while the method runs once.
func TestMCPSessionQuestions(t *testing.T) {
	for _, revision := range mcpRevisions[1:4] {
		t.Run(revision, func(t *testing.T) {
			s, runs := newQuestions()
			url := serveMCP(t, s.MCP(nil))
			for _, test := range []struct{ tool, since, method, params, accept, done string }{
				{"q_form", "2025-06-18", "elicitation/create", `…"message":"How?","requestedSchema":{…`, `{"action":"accept","content":{"mood":"g","other":null}}`, `{"n":4}`},
				{"q_lists", "2025-11-25", "elicitation/create", `…"message":"Which?"…`, `{"action":"accept","content":{"moods":["g","b"]}}`, `{"n":2}`},
				{"q_page", "2025-11-25", "elicitation/create", `…"mode":"url","url":"https://x/login","elicitationId":"…`, `{"action":"accept"}`, `{"n":0}`},
				{"q_sample", "2025-03-26", "sampling/createMessage", `,"params":{"maxTokens":5}}`, `{"a":1}`, `{"n":7}`},
				{"q_roots", "2025-03-26", "roots/list", `}`, `{"roots":[]}`, `{"n":12}`},
			} {
				t.Run(test.tool, func(t *testing.T) {
					c := beginSession(t, url, revision, everyCapability)
					if revision < test.since {
						c.want(c.post(fmt.Sprintf(sessionCall, "1", test.tool, "")), 200, cannotAsk(test.tool, "1"))
						return
					}
					asks := `{"jsonrpc":"2.0","id":"svc-…","method":"` + test.method + `"` + test.params
					*runs = 0
					call := c.call("1", test.tool, "")
					id := call.event(asks)
					c.want(c.post(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`), 200, `{"jsonrpc":"2.0","result":{},"id":`+id+`}`)
					c.want(c.post(`{"jsonrpc":"2.0","id":"svc-7","result":`+test.accept+`}`), 202, "")
					c.answer(id, test.accept)
					call.event(`…"structuredContent":` + test.done + `…"id":1}`)
					call.end()
					if test.tool == "q_form" && *runs != 1 {
						t.Errorf("the method ran %d times", *runs)
					}
					c.want(c.post(`{"jsonrpc":"2.0","id":`+id+`,"result":`+test.accept+`}`), 202, "")

					call = c.call("2", test.tool, "")
					c.want(c.post(`{"jsonrpc":"2.0","id":`+call.event(asks)+`,"error":{"code":-1,"message":"no"}}`), 202, "")
					call.event(`…FAILED_PRECONDITION: not done, since the client did not answer; …"id":2}`)
					for _, code := range []string{"-32601", "-32602"} { // declared, and not there
						call = c.call("5", test.tool, "")
						c.want(c.post(`{"jsonrpc":"2.0","id":`+call.event(asks)+`,"error":{"code":`+code+`,"message":"no"}}`), 202, "")
						call.event(cannotAsk(test.tool, "5"))
					}
					call = c.call("3", test.tool, "")
					c.answer(call.event(asks), `[]`)
					call.event(`…INVALID_ARGUMENT: invalid input: /…must be an object…"id":3}`)
					if test.method != "elicitation/create" {
						return
					}
					for _, row := range [][2]string{{"decline", "said no"}, {"cancel", "did not answer"}} {
						call = c.call("4", test.tool, "")
						c.answer(call.event(asks), `{"action":"`+row[0]+`"}`)
						call.event(`…FAILED_PRECONDITION: not done, since the user ` + row[1] + `…"id":4}`)
					}
				})
			}
		})
	}
}

// Verify the whole conversation of a question, with its headers.
func TestMCPSessionTranscript(t *testing.T) {
	s, _ := newQuestions()
	c := beginSession(t, serveMCP(t, s.MCP(nil)), "2025-11-25", everyCapability)
	var out bytes.Buffer
	show := func(body string, w *http.Response, rest func() string) {
		fmt.Fprintf(&out, "> POST /mcp\nMCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: (sealed)\n\n%s\n\n< %d\n", body, w.StatusCode)
		w.Header.Del("Date")
		w.Header.Write(&out)
		fmt.Fprintf(&out, "\n%s\n", rest())
	}
	whole := func(w *http.Response) func() string {
		return func() string {
			body, err := io.ReadAll(w.Body)
			if err != nil {
				t.Error(err)
			}
			return string(body)
		}
	}
	body := fmt.Sprintf(sessionCall, "1", "q_sure", "")
	w := c.post(body)
	reader := bufio.NewReader(w.Body)
	id := ""
	show(body, w, func() (text string) {
		for !strings.HasSuffix(text, "}\n\n") {
			line, err := reader.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			text += line
		}
		_, id, _ = strings.Cut(text, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		return text
	})
	body = `{"jsonrpc":"2.0","id":"` + id + `","result":{"action":"accept","content":{"yes":true}}}`
	answer := c.post(body)
	show(body, answer, whole(answer))
	rest, _ := io.ReadAll(reader)
	fmt.Fprintf(&out, "(the response to the first request goes on)\n\n%s", rest)
	again := c.post(body)
	show(body, again, whole(again))
	body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	note := c.post(body)
	show(body, note, whole(note))
	golden(t, "mcp/session.txt", bytes.ReplaceAll(bytes.ReplaceAll(out.Bytes(), []byte("\r\n"), []byte("\n")), []byte(id), []byte("svc-(random)")))
}

// Verify that a client learns what can be asked by its session: by the revision of the
// header before that of the session, and by the capabilities that it has declared.
func TestMCPSessionCanAsk(t *testing.T) {
	s, _ := newQuestions()
	url := serveMCP(t, s.MCP(nil))
	for _, test := range []struct{ name, revision, header, capabilities, want string }{
		{"2025-03-26", "2025-03-26", "2025-03-26", everyCapability, "sampling roots "},
		{"2025-06-18", "2025-06-18", "2025-06-18", everyCapability, "elicitation sampling roots "},
		{"2025-11-25", "2025-11-25", "2025-11-25", everyCapability, "elicitation elicitation.url sampling roots "},
		{"no header", "2025-11-25", "", everyCapability, "elicitation elicitation.url sampling roots "},
		{"an earlier header", "2025-11-25", "2025-06-18", everyCapability, "elicitation sampling roots "},
		{"a later header", "2025-06-18", "2025-11-25", everyCapability, "elicitation elicitation.url sampling roots "},
		{"the earliest header", "2025-11-25", "2024-11-05", everyCapability, "sampling roots "},
		{"forms", "2025-11-25", "2025-11-25", `{"elicitation":{}}`, "elicitation "},
		{"forms by name", "2025-11-25", "2025-11-25", `{"elicitation":{"form":{"applyDefaults":true}}}`, "elicitation "},
		{"pages", "2025-11-25", "2025-11-25", `{"elicitation":{"url":{}}}`, "elicitation.url "},
		{"sampling", "2025-11-25", "2025-11-25", `{"sampling":{"tools":{}}}`, "sampling "},
		{"nothing", "2025-11-25", "2025-11-25", `{}`, ""},
		{"no objects", "2025-11-25", "2025-11-25", `{"elicitation":true,"sampling":1,"roots":null}`, ""},
		{"a list", "2025-11-25", "2025-11-25", `[]`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := beginSession(t, url, test.revision, test.capabilities)
			c.revision = test.header
			for _, more := range []string{"", `,"arguments":{}`} {
				c.want(c.post(fmt.Sprintf(sessionCall, "1", "q_can", more)), 200, `…{"id":"`+test.want+`"…`)
			}
			for _, accept := range []string{"application/json", "application/json, text/event-stream;q=0"} {
				c.with("Mcp-Session-Id", c.session(), "Accept", accept).want(
					c.with("Mcp-Session-Id", c.session(), "Accept", accept).post(fmt.Sprintf(sessionCall, "1", "q_can", "")), 200, `…{"id":""…`)
			}
		})
	}
	t.Run("2024-11-05", func(t *testing.T) {
		c := &mcpSession{t: t, url: url}
		w := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}`)
		if w.Header["Mcp-Session-Id"] != nil {
			t.Errorf("there is a session: %v", w.Header)
		}
	})
	t.Run("2026-07-28", func(t *testing.T) { // asks in its own way, also beside a session
		c := beginSession(t, url, "2025-11-25", everyCapability)
		c.revision = "2026-07-28"
		w := c.with("Mcp-Session-Id", c.session(), "Mcp-Method", "tools/call", "Mcp-Name", "q_sample").post(
			fmt.Sprintf(sessionCall, "1", "q_sample", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}`))
		c.want(w, 200, `…"resultType":"input_required"…`)
	})
}

// Verify that a session which is not one counts as none: calls work, and nothing can be asked,
// answered or canceled by it.
func TestMCPSessionCountsAsNone(t *testing.T) {
	s, _ := newQuestions()
	key := svc.NewCursorKey(bytes.Repeat([]byte("k"), 32))
	url := serveMCP(t, s.MCP(&svc.MCPOptions{StateKey: key}))
	other := serveMCP(t, s.MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey(bytes.Repeat([]byte("o"), 32))}))
	alone := serveMCP(t, s.MCP(nil))
	c := beginSession(t, url, "2025-11-25", everyCapability, "Caller", "ada")
	session := c.session()
	forged := []byte(session)
	forged[len(forged)/2] ^= 1
	flipped := []byte(session) // the capabilities and what follows
	flipped[len(flipped)-20] ^= 2
	cursor, err := key.Encode("2025-11-25" + strings.Repeat("x", 17))
	if err != nil {
		t.Fatal(err)
	}
	question := c.call("1", "q_sample", "")
	id := question.event(`…"method":"sampling/createMessage"…`)
	for _, test := range []struct {
		name string
		*mcpSession
	}{
		{"none", c.with("Caller", "ada")},
		{"empty", c.with("Caller", "ada", "Mcp-Session-Id", "")},
		{"forged", c.with("Caller", "ada", "Mcp-Session-Id", string(forged))},
		{"changed", c.with("Caller", "ada", "Mcp-Session-Id", string(flipped))},
		{"cut", c.with("Caller", "ada", "Mcp-Session-Id", session[:len(session)-1])},
		{"longer", c.with("Caller", "ada", "Mcp-Session-Id", session+"A")},
		{"padded", c.with("Caller", "ada", "Mcp-Session-Id", session+"=")},
		{"very long", c.with("Caller", "ada", "Mcp-Session-Id", strings.Repeat(session, 4))},
		{"twice", c.with("Caller", "ada", "Mcp-Session-Id", session, "Mcp-Session-Id", session)},
		{"a cursor", c.with("Caller", "ada", "Mcp-Session-Id", cursor)},
		{"a word", c.with("Caller", "ada", "Mcp-Session-Id", "x")},
		{"of another caller", c.with("Caller", "bob", "Mcp-Session-Id", session)},
		{"of a known caller", c.with("Mcp-Session-Id", session)},
		{"of another key", c.with("Caller", "ada", "Mcp-Session-Id", beginSession(t, other, "2025-11-25", everyCapability, "Caller", "ada").session())},
		{"of another process", c.with("Caller", "ada", "Mcp-Session-Id", beginSession(t, alone, "2025-11-25", everyCapability, "Caller", "ada").session())},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.t = t
			test.want(test.post(fmt.Sprintf(sessionCall, "1", "q_can", "")), 200, `…{"id":""…`)
			test.want(test.post(fmt.Sprintf(sessionCall, "1", "q_sure", "")), 200, `…FAILED_PRECONDITION: not done, since this client cannot be asked…`)
			test.want(test.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"forged":true}}`), 202, "")
			test.want(test.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`), 202, "")
		})
	}
	t.Run("another session of the same caller", func(t *testing.T) {
		second := beginSession(t, url, "2025-11-25", everyCapability, "Caller", "ada")
		second.want(second.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"forged":true}}`), 202, "")
		second.want(second.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`), 202, "")
	})
	c.answer(id, `{"a":1}`) // the question still waits, and for its own client
	question.event(`…{"n":7}…"id":1}`)
}

// Verify that every replica with the key reads a session, and that an answer which comes to
// another replica than the one that asks says what to configure.
func TestMCPSessionReplicas(t *testing.T) {
	first, _ := newQuestions()
	second, _ := newQuestions()
	opts := &svc.MCPOptions{StateKey: svc.NewCursorKey(bytes.Repeat([]byte("k"), 32))}
	a, b := serveMCP(t, first.MCP(opts)), serveMCP(t, second.MCP(opts))
	at := beginSession(t, a, "2025-11-25", everyCapability)
	to := *at
	to.url = b
	call := to.call("1", "q_sample", "")
	id := call.event(`…"method":"sampling/createMessage"…`)
	at.want(at.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"a":1}}`), 202, "")
	to.answer(id, `{"a":1}`)
	call.event(`…{"n":7}…"id":1}`)

	// A key that is replaced goes on reading the sessions that it has sealed.
	rotated := serveMCP(t, first.MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey(bytes.Repeat([]byte("n"), 32), bytes.Repeat([]byte("k"), 32))}))
	later := *at
	later.url = rotated
	later.want(later.post(fmt.Sprintf(sessionCall, "1", "q_can", "")), 200, `…{"id":"elicitation elicitation.url sampling roots "…`)
}

// sessionWaits is a service whose calls run until they are canceled.
type sessionWaits interface {
	Wait(context.Context, *sessionWait) (*mcpCount, error)
	Leave(context.Context) (*mcpCount, error)
}

type sessionWait struct {
	Report bool `json:"report,omitempty"`
	Stay   bool `json:"stay,omitempty"`
}

type sessionWaiter struct {
	begun chan struct{}
	ended chan error
}

func (s sessionWaiter) Wait(ctx context.Context, in *sessionWait) (*mcpCount, error) {
	if in.Report {
		svc.Progress(ctx, 1, 2, "")
	}
	s.begun <- struct{}{}
	<-ctx.Done()
	s.ended <- ctx.Err()
	if in.Stay { // it does not care
		return &mcpCount{N: 1}, nil
	}
	return nil, ctx.Err()
}

// Leave leaves a goroutine behind that asks until the call ends.
func (s sessionWaiter) Leave(ctx context.Context) (*mcpCount, error) {
	go func() {
		s.begun <- struct{}{}
		_, err := svc.AskClient(ctx, "c", "roots/list", nil)
		s.ended <- err
	}()
	<-s.begun
	return &mcpCount{N: 1}, nil
}

func newWaits(opts *svc.Options) (*svc.Service, sessionWaiter) {
	w := sessionWaiter{make(chan struct{}), make(chan error, 2)}
	opts.Resource, opts.Logger = "w", cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	return svc.MustRegister[sessionWaits](w, opts), w
}

func cancellation(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"enough"}}`
}

// Verify that a cancellation ends the context of the method, and what becomes of the response.
func TestMCPSessionCancellation(t *testing.T) {
	var log bytes.Buffer
	status := make(chan int, 1)
	s, waiter := newWaits(&svc.Options{
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
		Observe: func(_ context.Context, o svc.Observation) { status <- o.Status },
	})
	c := beginSession(t, serveMCP(t, s.MCP(nil)), "2025-11-25", everyCapability)
	for _, test := range []struct {
		name, id, cancels, arguments, accept string
		status                               int
		contentType                          string
	}{
		{"as JSON", "1", "1", `{}`, "application/json, text/event-stream", 202, ""},
		{"JSON alone", "2", "2", `{}`, "application/json", 202, ""},
		{"events alone", "3", "3", `{}`, "text/event-stream", 200, "text/event-stream"},
		{"a stream that has begun", "4", "4", `{"report":true}`, "application/json, text/event-stream", 200, "text/event-stream"},
		{"a text as id", `"a"`, `"\u0061"`, `{}`, "application/json", 202, ""},
		{"a method that does not care", "5", "5", `{"stay":true}`, "application/json", 202, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			done := make(chan *http.Response)
			go func() {
				done <- c.with("Mcp-Session-Id", c.session(), "Accept", test.accept).post(fmt.Sprintf(sessionCall, test.id, "w_wait", `,"arguments":`+test.arguments+`,"_meta":{"progressToken":1}`))
			}()
			<-waiter.begun
			for _, wrong := range []string{"6", `"1"`, "null", "{}"} {
				c.want(c.post(cancellation(wrong)), 202, "")
			}
			c.want(c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`), 202, "")
			if len(waiter.ended) > 0 {
				t.Error("the id of another request has ended it")
			}
			c.want(c.post(cancellation(test.cancels)), 202, "")
			if err := <-waiter.ended; err != context.Canceled {
				t.Errorf("the context ended with %v", err)
			}
			w := <-done
			if got := w.Header.Get("Content-Type"); got != test.contentType {
				t.Errorf("the Content-Type is %q, want %q", got, test.contentType)
			}
			(&mcpCall{c, w, bufio.NewScanner(w.Body)}).endAfter(test.arguments == `{"report":true}`)
			if got := <-status; w.StatusCode != test.status || got != test.status {
				t.Errorf("the status is %d, observed as %d, want %d", w.StatusCode, got, test.status)
			}
			if strings.Contains(log.String(), "level=WARN") || strings.Contains(log.String(), "level=ERROR") {
				t.Errorf("the log is %s", log.String())
			}
			c.want(c.post(cancellation(test.cancels)), 202, "") // late
		})
	}
}

// endAfter checks that nothing comes but, if reported is set, one report of progress.
func (c *mcpCall) endAfter(reported bool) {
	c.t.Helper()
	if reported {
		c.event(`{"jsonrpc":"2.0","method":"notifications/progress"…`)
	}
	c.end()
}

// Verify that of two requests with one id both end, and that those of another session and
// those without one go on.
func TestMCPSessionCancelsItsOwn(t *testing.T) {
	s, waiter := newWaits(&svc.Options{})
	url := serveMCP(t, s.MCP(nil))
	c, other := beginSession(t, url, "2025-11-25", `{}`), beginSession(t, url, "2025-11-25", `{}`)
	done := make(chan *http.Response, 3)
	for _, client := range []*mcpSession{c, c, other} {
		go func() { done <- client.post(fmt.Sprintf(sessionCall, "1", "w_wait", "")) }()
		<-waiter.begun
	}
	ctx, disconnect := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { // a client without a session
		_, err := http.DefaultClient.Do(c.with().request(ctx, fmt.Sprintf(sessionCall, "1", "w_wait", "")))
		gone <- err
	}()
	<-waiter.begun
	c.want(c.post(cancellation("1")), 202, "")
	for range 2 {
		<-waiter.ended
		c.want(<-done, 202, "")
	}
	c.with().want(c.with().post(cancellation("1")), 202, "")
	if len(waiter.ended) > 0 {
		t.Error("a call of another client has ended")
	}
	other.want(other.post(cancellation("1")), 202, "")
	<-waiter.ended
	other.want(<-done, 202, "")
	disconnect()
	<-waiter.ended
	if err := <-gone; err == nil {
		t.Error("the last call has an answer")
	}
}

// Verify that a question ends with the call and with its cancellation, and is taken back.
func TestMCPSessionQuestionsEnd(t *testing.T) {
	s, _ := newQuestions()
	c := beginSession(t, serveMCP(t, s.MCP(nil)), "2025-11-25", everyCapability)
	call := c.call("1", "q_two", "")
	id := call.event(`…"message":"A?"…`)
	c.want(c.post(cancellation("1")), 202, "")
	call.event(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	call.end()
	c.want(c.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":{"name":"x"}}}`), 202, "")
	c.want(c.post(fmt.Sprintf(sessionCall, "2", "q_quick", "")), 200, `…DEADLINE_EXCEEDED…"id":2}`)

	waits, waiter := newWaits(&svc.Options{})
	left := beginSession(t, serveMCP(t, waits.MCP(nil)), "2025-11-25", everyCapability)
	left.want(left.post(fmt.Sprintf(sessionCall, "1", "w_leave", "")), 200, `…{"n":1}…`)
	if err := <-waiter.ended; err == nil {
		t.Error("a question got an answer after its call")
	}

	ctx, cancel := context.WithCancel(context.Background()) // a client that goes
	r := httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(fmt.Sprintf(sessionCall, "1", "q_roots", "")))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	h := s.MCP(nil)
	w := mcpPost(h, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+everyCapability+`}}`)
	r.Header.Set("Mcp-Session-Id", w.Header().Get("Mcp-Session-Id"))
	signal := &writeSignal{httptest.NewRecorder(), cancel}
	h.ServeHTTP(signal, r)
	if got := signal.Body.String(); !strings.Contains(got, "roots/list") || !strings.Contains(got, "CANCELED") {
		t.Errorf("the client that has gone got %s", got)
	}
}

// A writeSignal calls wrote when the response begins.
type writeSignal struct {
	*httptest.ResponseRecorder
	wrote func()
}

func (w *writeSignal) Write(b []byte) (int, error) {
	defer w.wrote()
	return w.ResponseRecorder.Write(b)
}

// sessionKeyed is a service with idempotency keys, whose methods ask.
type sessionKeyed interface {
	Create(context.Context, *mcpArchive) (*mcpCount, error)
	Outer(context.Context) (*mcpCount, error)
}

type sessionKeys struct{ service **svc.Service }

func (sessionKeys) Create(ctx context.Context, in *mcpArchive) (*mcpCount, error) {
	if in.Folder == "ask" {
		_, err := svc.Ask[mcpName](ctx, "a", "A?")
		return &mcpCount{N: 1}, err
	}
	return &mcpCount{N: 2}, svc.Confirm(ctx, "c", "Sure?")
}

// Outer calls Create, which has no key of its own then.
func (s sessionKeys) Outer(ctx context.Context) (*mcpCount, error) {
	out, err := (*s.service).Call(ctx, "k", "create", &mcpArchive{})
	if err != nil {
		return nil, err
	}
	return out.(*mcpCount), nil
}

// Verify that nothing is asked where the method would wait inside a call with an idempotency
// key, and that 2026-07-28, where it does not wait, asks.
func TestMCPSessionKeyedCalls(t *testing.T) {
	keep := func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		return do(ctx)
	}
	s := new(*svc.Service)
	*s = svc.MustRegister[sessionKeyed](sessionKeys{s}, &svc.Options{Resource: "k", Logger: slog.New(slog.DiscardHandler),
		Idempotency: &svc.Idempotency{Run: keep}, Methods: map[string]svc.MethodOptions{
			"Create": {IdempotencyKey: svc.KeyAllowed}, "Outer": {IdempotencyKey: svc.KeyAllowed}}})
	const (
		keyed = `,"arguments":{"idempotency_key":"1"}`
		wait  = `not done, since a call with an idempotency key cannot wait for an answer in this revision of MCP; call without a key, or let the user do it elsewhere. The question`
	)
	c := beginSession(t, serveMCP(t, (*s).MCP(nil)), "2025-11-25", everyCapability)
	stdio := converse(t, *s, nil, "2025-11-25", everyCapability)
	for _, test := range []struct{ name, tool, arguments, want string }{
		{"Confirm", "k_create", keyed, `…FAILED_PRECONDITION: ` + wait + `: Sure? (reason: cannot_ask)…"id":1}`},
		{"Ask", "k_create", `,"arguments":{"folder":"ask","idempotency_key":"1"}`, `…FAILED_PRECONDITION: ` + wait + `: A? (reason: cannot_ask)…"id":1}`},
		{"a call within a call", "k_outer", keyed, `…FAILED_PRECONDITION: ` + wait + `: Sure? (reason: cannot_ask)…"id":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.t, stdio.t = t, t
			c.want(c.post(fmt.Sprintf(sessionCall, "1", test.tool, test.arguments)), 200, test.want)
			stdio.call("1", test.tool, test.arguments)
			stdio.want(test.want)
		})
	}
	c.t, stdio.t = t, t
	for _, tool := range []string{"k_create", "k_outer"} { // without a key
		call := c.call("2", tool, "")
		c.answer(call.event(`…Sure?…`), `{"action":"accept","content":{"yes":true}}`)
		call.event(`…{"n":2}…"id":2}`)
	}
	stdio.end()
	w := mcpPost((*s).MCP(nil), mcpAsk(mcpForms, "tools/call", `"name":"k_create"`+keyed))
	if !strings.Contains(w.Body.String(), `"resultType":"input_required"`) {
		t.Errorf("2026-07-28 with a key: %s", w.Body)
	}
}

// Verify that an array of an answer and a cancellation is refused in a session, and that the
// questions wait on.
func TestMCPSessionArrays(t *testing.T) {
	s, _ := newQuestions()
	c := beginSession(t, serveMCP(t, s.MCP(nil)), "2025-03-26", everyCapability)
	call := c.call("1", "q_roots", "")
	id := call.event(`…roots/list…`)
	c.want(c.post(`[{"jsonrpc":"2.0","id":`+id+`,"result":{"roots":[]}},`+cancellation("1")+`]`), 200, `…no batches…`)
	c.want(c.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"roots":[]}}`), 202, "")
	call.event(`…{"n":12}…`)
}

// Verify that a prompt, a resource and a call within a call ask in a session as the request
// of the client does.
func TestMCPSessionAsksForResources(t *testing.T) {
	_, h := newAsking(nil)
	c := beginSession(t, serveMCP(t, h), "2025-11-25", everyCapability)
	w := c.post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"files://f/7"}}`)
	call := &mcpCall{c, w, bufio.NewScanner(w.Body)}
	c.answer(call.event(`…"message":"Who reads 7?"…`), `{"action":"accept","content":{"name":"Ada"}}`)
	call.event(`…"text":"Ada"…"id":1}`)
}

// Verify that GET and DELETE, which every client with a session tries, fill no log.
func TestMCPSessionLog(t *testing.T) {
	for _, test := range []struct{ verb, level string }{{"GET", "DEBUG"}, {"DELETE", "DEBUG"}, {"PUT", "WARN"}} {
		t.Run(test.verb, func(t *testing.T) {
			var log bytes.Buffer
			s := svc.MustRegister[mcpQuestions](questionImpl{new(int)}, &svc.Options{Resource: "q", Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			w := httptest.NewRecorder()
			s.MCP(nil).ServeHTTP(w, httptest.NewRequest(test.verb, "/mcp", nil))
			if w.Code != 405 || strings.Count(log.String(), "level="+test.level) != 1 || strings.Contains(w.Body.String(), "learn") {
				t.Errorf("%d %s\n%s", w.Code, w.Body, log.String())
			}
		})
	}
}
