package svc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// A sealed session says what initialize has said, and nothing else opens.
func TestMCPSessionSeal(t *testing.T) {
	s := newMCPSessions(nil)
	for _, revision := range newestRevision.datesUpTo()[1:4] {
		for bits := range 1 << len(sessionCapabilities) {
			capabilities := unpackCapabilities(byte(bits))
			text := s.seal("ada", revision, capabilities)
			a := s.open("ada", text)
			if a == nil || a.rev.date != revision || a.session != text || !bytes.Equal(a.capabilities, capabilities) {
				t.Fatalf("%s %b: %s opens as %+v", revision, bits, text, a)
			}
			if len(text) > maxSession || text == s.seal("ada", revision, capabilities) || s.open("bob", text) != nil ||
				newMCPSessions(nil).open("ada", text) != nil {
				t.Fatalf("the session %s is too long, not random, or opens for others", text)
			}
		}
	}
}

// What a client declares in other words comes to the same bits.
func TestMCPSessionCapabilities(t *testing.T) {
	for _, test := range []struct{ declared, kept string }{
		{``, `{}`},
		{`null`, `{}`},
		{`{}`, `{}`},
		{`{"elicitation":{}}`, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{"form":{"applyDefaults":true}}}`, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{"url":{}}}`, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"url":{},"form":{}}}`, `{"elicitation":{"form":{},"url":{}}}`},
		{`{"elicitation":{"voice":{}}}`, `{}`},
		{`{"sampling":{}}`, `{"sampling":{}}`},
		{`{"sampling":{"tools":{},"context":{},"x":1}}`, `{"sampling":{"context":{},"tools":{}}}`},
		{`{"roots":{"listChanged":true},"experimental":{"a":{}},"tasks":{}}`, `{"roots":{}}`},
		{`{"roots":true,"sampling":null,"elicitation":[]}`, `{}`},
	} {
		t.Run("declared "+test.declared, func(t *testing.T) {
			if got := string(unpackCapabilities(packCapabilities([]byte(test.declared)))); got != test.kept {
				t.Errorf("got %s, want %s", got, test.kept)
			}
		})
	}
}

// FuzzMCPSession brings any text as a session: only what was sealed opens, in one spelling.
func FuzzMCPSession(f *testing.F) {
	s := newMCPSessions(NewCursorKey([]byte("0123456789abcdef")))
	whole := s.seal("ada", newestAgreed.date, []byte(`{"roots":{}}`))
	state := (&mcpHandler{options: MCPOptions{StateKey: s.key}, now: time.Now}).sealState("ada", []byte(`{}`))
	for _, text := range []string{"", "x", whole, whole[1:], whole[:len(whole)-1], whole + "=", whole + "\n", whole + whole, state,
		s.key.seal(sessionLabel+"ada", []byte("2026-07-28")), s.key.seal(sessionLabel+"ada", make([]byte, sessionLength)),
		s.key.seal(sessionLabel+"ada", append([]byte("2026-07-28"), make([]byte, 1+sessionNonce)...))} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := s.open("ada", text)
		if a == nil {
			return
		}
		sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err != nil || base64.RawURLEncoding.EncodeToString(sealed) != text || !a.rev.sessions || a.session != text {
			t.Errorf("%q opens as %+v", text, a)
		}
		if payload := sealed[len(sealed)-sessionLength:]; s.key.seal(sessionLabel+"ada", payload) != text {
			t.Errorf("%q opens, although it was not sealed", text)
		}
		if s.open("bob", text) != nil {
			t.Errorf("%q opens for another caller", text)
		}
	})
}

// askingAPI has a method that asks as often at once as it is told.
type askingAPI interface {
	Ask(context.Context, *askingIn) (*askingOut, error)
}

type askingIn struct {
	Questions int `json:"questions"`
}

type askingOut struct {
	Answers []string `json:"answers"`
	Errors  []string `json:"errors"`
}

// An askingImpl sends to refused for each question that ends in an error.
type askingImpl struct{ refused chan struct{} }

func (a askingImpl) Ask(ctx context.Context, in *askingIn) (*askingOut, error) {
	out := &askingOut{make([]string, in.Questions), make([]string, in.Questions)}
	var all sync.WaitGroup
	for i := range in.Questions {
		all.Add(1)
		go func() {
			defer all.Done()
			answer, err := AskClient(ctx, fmt.Sprint(i), "roots/list", map[string]int{"n": i})
			out.Answers[i] = string(answer)
			if err != nil {
				out.Errors[i] = err.Error()
				a.refused <- struct{}{}
			}
		}()
	}
	all.Wait()
	return out, nil
}

// An askedClient is a client whose calls ask it.
type askedClient struct {
	t       *testing.T
	url     string
	session string
	http    *http.Client
}

func newAskedClient(t *testing.T, url string, client *http.Client) *askedClient {
	c := &askedClient{t, url, "", client}
	w := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}`)
	defer w.Body.Close()
	c.session = w.Header.Get(sessionHeader)
	return c
}

func (c *askedClient) post(body string) *http.Response {
	r, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	if err != nil {
		panic(err) // of an address of a test server
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"}}
	if c.session != "" {
		r.Header.Set(sessionHeader, c.session)
	}
	w, err := c.http.Do(r)
	if err != nil {
		c.t.Error(err)
		return &http.Response{Header: make(http.Header), Body: http.NoBody}
	}
	return w
}

// answer answers a question, and returns the status of that.
func (c *askedClient) answer(id, result string) int {
	w := c.post(`{"jsonrpc":"2.0","id":"` + id + `","result":` + result + `}`)
	w.Body.Close()
	return w.StatusCode
}

// call makes a call that asks n questions, gives each to asked, and returns the answer.
func (c *askedClient) call(n int, asked func(id, n string)) string {
	w := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_ask","arguments":{"questions":%d}}}`, n))
	defer w.Body.Close()
	lines := bufio.NewScanner(w.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch id := textAt([]byte(data), "id"); {
		case !ok:
		case id != "":
			asked(id, string(memberAt([]byte(data), "params", "n")))
		case memberAt([]byte(data), "result") != nil:
			return string(memberAt([]byte(data), "result", "structuredContent"))
		}
	}
	c.t.Errorf("the call has no answer: %v", lines.Err())
	return ""
}

// serveAsking serves askingAPI, and checks at the end that nothing is left of it.
func serveAsking(t *testing.T, impl askingImpl) (*mcpHandler, func() *askedClient) {
	before := runtime.NumGoroutine()
	h := MustRegister[askingAPI](impl, &Options{Resource: "a", Logger: quiet}).newMCPHandler(nil)
	server := httptest.NewServer(h)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close() // a client may read an answer before its call ends here
		wantNothingLeft(t, h)
		for range 3000 { // net/http ends its own a little later
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	})
	return h, func() *askedClient { return newAskedClient(t, server.URL, &http.Client{Transport: transport}) }
}

func wantNothingLeft(t *testing.T, h *mcpHandler) {
	t.Helper()
	s := h.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions.mu.Lock()
	defer s.questions.mu.Unlock()
	if n := len(s.running) + len(s.questions.waiting) + len(s.questions.sessions); n > 0 {
		t.Errorf("left are the calls %v and the questions %v of %v", s.running, s.questions.waiting, s.questions.sessions)
	}
}

// 1,000 questions of 20 sessions wait at once. Each gets the answer of its own session, which
// comes after one of another session that must not count.
func TestMCPSessionManyQuestions(t *testing.T) {
	const sessions, questions = 20, 50
	_, newClient := serveAsking(t, askingImpl{})
	clients := make([]*askedClient, sessions)
	for i := range clients {
		clients[i] = newClient()
	}
	var asked, done sync.WaitGroup
	asked.Add(sessions * questions)
	for i, c := range clients {
		done.Add(1)
		go func() {
			defer done.Done()
			ids := make(map[string]string)
			got := c.call(questions, func(id, n string) {
				ids[n] = id
				asked.Done()
				if len(ids) < questions {
					return
				}
				asked.Wait() // all 1,000 questions wait
				for n, id := range ids {
					if status := clients[(i+1)%sessions].answer(id, `{"of":"another"}`); status != http.StatusAccepted {
						t.Errorf("the answer of another session is %d", status)
					}
					if status := c.answer(id, fmt.Sprintf(`{"of":"%d %s"}`, i, n)); status != http.StatusAccepted {
						t.Errorf("the answer is %d", status)
					}
				}
			})
			for n := range questions {
				if want := fmt.Sprintf(`{\"of\":\"%d %d\"}`, i, n); !strings.Contains(got, `"`+want+`"`) {
					t.Errorf("session %d, question %d has no answer of its own in %s", i, n, got)
					return
				}
			}
		}()
	}
	done.Wait()
}

// 1,000 questions are left when their clients cancel, disconnect or let them wait.
func TestMCPSessionAbandonedQuestions(t *testing.T) {
	const questions = 50
	for _, test := range []struct {
		name    string
		abandon func(c *askedClient, ids []string, disconnect func())
	}{
		{"canceled", func(c *askedClient, _ []string, _ func()) {
			c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`).Body.Close()
		}},
		{"disconnected", func(_ *askedClient, _ []string, disconnect func()) { disconnect() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, newClient := serveAsking(t, askingImpl{make(chan struct{}, 20*questions)})
			var done sync.WaitGroup
			for range 20 {
				c := newClient()
				done.Add(1)
				go func() {
					defer done.Done()
					w := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_ask","arguments":{"questions":%d}}}`, questions))
					defer w.Body.Close()
					var ids []string
					for lines := bufio.NewScanner(w.Body); lines.Scan(); {
						if id := textAt([]byte(strings.TrimPrefix(lines.Text(), "data: ")), "id"); id != "" {
							if ids = append(ids, id); len(ids) == questions {
								test.abandon(c, ids, func() { w.Body.Close() })
							}
						}
					}
				}()
			}
			done.Wait()
		})
	}
}

// A question that nobody answers ends, and says what may be wrong; a late answer is dropped.
func TestMCPSessionPatience(t *testing.T) {
	h, newClient := serveAsking(t, askingImpl{make(chan struct{}, 1)})
	h.sessions.patience = time.Millisecond
	c, late := newClient(), ""
	got := c.call(1, func(id, _ string) { late = id })
	if !strings.Contains(got, "not done, since the client did not answer in time; call again when the user can answer (if several replicas serve, their proxy must choose one by the header Mcp-Session-Id)") {
		t.Errorf("a question without an answer ends with %s", got)
	}
	if status := c.answer(late, `{}`); status != http.StatusAccepted {
		t.Errorf("a late answer is %d", status)
	}
}

// A server that stops gets no more requests, so a question that waits ends, and says that the call
// may be made again. Shutdown does not wait for the user.
func TestMCPSessionShutdown(t *testing.T) {
	h, newClient := serveAsking(t, askingImpl{make(chan struct{}, 3)})
	c, asked, stopped := newClient(), 0, make(chan error, 1)
	got := c.call(3, func(string, string) {
		if asked++; asked < 3 {
			return
		}
		h.sessions.mu.Lock()
		defer h.sessions.mu.Unlock()
		for server := range h.sessions.stopping { // the only one
			go func() { stopped <- server.Shutdown(context.Background()) }()
		}
	})
	if want := "UNAVAILABLE: not done, since the server stops before there is an answer; call again. The question: roots/list"; strings.Count(got, want) != 3 {
		t.Errorf("the questions end with %s, want %s", got, want)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A session may have 64 questions, and a process 4,096; the next one is an error at once.
func TestMCPSessionLimits(t *testing.T) {
	refused := make(chan struct{}, 1)
	_, newClient := serveAsking(t, askingImpl{refused})
	c := newClient()
	var ids []string
	got := c.call(maxSessionQuestions+1, func(id, _ string) {
		if ids = append(ids, id); len(ids) == maxSessionQuestions {
			<-refused
			for _, id := range ids {
				c.answer(id, `{}`)
			}
		}
	})
	if strings.Count(got, "64 questions of this session") != 1 || strings.Count(got, `"{}"`) != maxSessionQuestions {
		t.Errorf("65 questions end with %s", got)
	}
	var table questionTable
	for i := range maxQuestions {
		if _, _, ok := table.add(fmt.Sprint(i/maxSessionQuestions), asker{true, fmt.Sprint(i / maxCallerQuestions)}); !ok {
			t.Fatalf("question %d is refused", i)
		}
	}
	if _, _, ok := table.add("another", asker{true, "another"}); ok || len(table.sessions) != maxQuestions/maxSessionQuestions {
		t.Errorf("question %d is taken, or the sessions %d are not right", maxQuestions, len(table.sessions))
	}
	for key, q := range table.waiting {
		if !table.deliver(q.session, appendQuoted(nil, key[1:]), clientAnswer{}) {
			t.Fatalf("the question %s is not there", key)
		}
	}
	if len(table.waiting)+len(table.sessions)+table.shares.used+len(table.shares.of) != 0 {
		t.Error("answered questions are left")
	}
}

// A caller may have 256 questions, in whichever sessions, and all callers without a Principal
// together 2,048; what one has takes nothing from another.
func TestMCPQuestionsOfCallers(t *testing.T) {
	var table questionTable
	for _, test := range []struct {
		name string
		of   asker
		most int
	}{
		{"a caller", asker{true, "ada"}, 256},
		{"another caller", asker{true, "bob"}, 256},
		{"a caller without a subject", asker{true, ""}, 256},
		{"callers who are not known", asker{}, 2048},
	} {
		t.Run(test.name, func(t *testing.T) {
			var id []byte
			for i := range test.most {
				var ok bool
				if id, _, ok = table.add(fmt.Sprint(test.name, i/maxSessionQuestions), test.of); !ok {
					t.Fatalf("question %d is refused", i+1)
				}
			}
			if _, _, ok := table.add("a new session", test.of); ok {
				t.Errorf("question %d is taken", test.most+1)
			}
			if last := fmt.Sprint(test.name, (test.most-1)/maxSessionQuestions); !table.deliver(last, id, clientAnswer{}) {
				t.Error("the last question does not wait")
			}
			if _, _, ok := table.add("a new session", test.of); !ok {
				t.Error("an answered question counts")
			}
			if text := tooManyQuestions(test.of, "Why?").Error(); !strings.Contains(text,
				fmt.Sprint("64 questions of this session, ", test.most, " of ", test.of.name(), ", or 4096 of all")) {
				t.Error(text)
			}
		})
	}
}
