package blackbox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests MCP over standard input and output, one message a line.

type mcpPiped interface {
	Add(context.Context, *mcpCount) (*mcpCount, error)
	Run(context.Context, *mcpFail) (*mcpCount, error)
}

type mcpPipedHook func(context.Context, *mcpFail) (*mcpCount, error)

func (f mcpPipedHook) Add(_ context.Context, in *mcpCount) (*mcpCount, error) {
	return &mcpCount{N: in.N + 1}, nil
}

func (f mcpPipedHook) Run(ctx context.Context, in *mcpFail) (*mcpCount, error) { return f(ctx, in) }

func newPiped(hook mcpPipedHook) *svc.Service {
	return svc.MustRegister[mcpPiped](hook, &svc.Options{Name: "Piped", Resource: "p", Version: "1", Logger: slog.New(slog.DiscardHandler), MaxBody: 2000})
}

// mcpLines serves the lines of in and returns the lines of out, sorted into answers
// by id; those without an id have "".
func mcpLines(t *testing.T, s *svc.Service, in string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := s.MCPStdio(context.Background(), strings.NewReader(in), &out, nil); err != nil {
		t.Errorf("MCPStdio returned %v", err)
	}
	answers := make(map[string]string)
	for line := range strings.Lines(out.String()) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil && line[0] != '[' {
			t.Errorf("%q is no message: %v", line, err)
		}
		answers[string(m.ID)] += strings.TrimSuffix(line, "\n")
	}
	return answers
}

// Verify one conversation over standard input and output: both eras, errors, and
// that a revision holds from initialize on.
func TestMCPStdioConversation(t *testing.T) {
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		switch in.How {
		case "panic":
			panic("secret-17")
		case "abort":
			panic(http.ErrAbortHandler)
		case "info":
			info, _ := svc.InfoFrom(ctx)
			if info.Transport != "mcp" || info.Request != nil || info.Header != nil || info.Method != "run" {
				return nil, fmt.Errorf("the info is %+v", info)
			}
		}
		svc.Progress(ctx, 1, 2, "")
		svc.MCPLog(ctx, slog.LevelWarn, "told")
		return &mcpCount{N: 7}, nil
	})
	modern := func(id, method, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	}
	call := func(id, how, meta string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"p_run","arguments":{"how":"` + how + `"}` + meta + `}}`
	}
	rows := []struct{ name, id, line, want string }{
		{"initialize", `1`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, `…"protocolVersion":"2025-06-18"…`},
		{"initialized", ``, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{"ping", `2`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","result":{},"id":2}`},
		{"server/discover", `3`, modern("3", "server/discover", ""), `…"supportedVersions"…`},
		{"tools/list in 2026", `4`, modern("4", "tools/list", ""), `…"resultType":"complete"…"ttlMs":0…`},
		{"a call in 2026", `5`, modern("5", "tools/call", `"name":"p_add","arguments":{"n":4},`), `…"resultType":"complete"…{"n":5}…`},
		{"ping in 2026", `6`, modern("6", "ping", ""), `…-32601…`},
		{"no clientCapabilities", `7`, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `…-32602…clientCapabilities…`},
		{"an unknown version", `8`, `{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, `…-32022…`},
		{"server/discover without a version", `9`, `{"jsonrpc":"2.0","id":9,"method":"server/discover"}`, `…-32602…protocolVersion…`},
		{"a call", `"a"`, call(`"a"`, "info", ``), `{"jsonrpc":"2.0","result":{"structuredContent":{"n":7},…`},
		{"a panic", `10`, call(`10`, "panic", ``), `…INTERNAL: internal error…"isError":true…`},
		{"an abort", `11`, call(`11`, "abort", ``), `{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"},"id":11}`},
		{"an unknown method", `12`, `{"jsonrpc":"2.0","id":12,"method":"nope"}`, `…-32601…`},
		{"a call with progress", `13`, call(`13`, "x", `,"_meta":{"progressToken":13}`), `…"structuredContent"…`},
		{"an argument twice", `14`, `{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"p_run","arguments":{"how":"a","how":"b"}}}`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"the line is not valid JSON: the same name twice…},"id":14}`},
		{"a fraction as id", ``, call(`1.5`, "x", ``), ``}, // an id that is not allowed, so nothing is called
		{"spaces around the message", `15`, " \t" + `{"jsonrpc":"2.0","id":15,"method":"ping"}` + "\r", `{"jsonrpc":"2.0","result":{},"id":15}`},
		{"subscriptions/listen", `16`, modern("16", "subscriptions/listen", ""), `…subscriptionId":16}},"id":16}`},
		{"a batch", ``, `[{"jsonrpc":"2.0","id":99,"method":"ping"}]`, ``},
		{"an empty batch", ``, `[]`, ``},
		{"half a batch", ``, `[`, ``},
		{"a response", ``, `{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
		{"an empty line", ``, ``, ``},
		{"half a message", ``, `{"jsonrpc":"2.0",`, ``},
		{"a message that is too long", `98`, `{"jsonrpc":"2.0","id":98,"method":"` + strings.Repeat("x", 2000) + `"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the message has more bytes than this server accepts"},"id":98}`},
		{"a message that is too long, with its id at the end", `97`, `{"method":"` + strings.Repeat("x", 9000) + `","jsonrpc":"2.0","id":97}`, `…"message":"the message has more bytes…},"id":97}`},
		{"an answer that is too long", ``, `{"jsonrpc":"2.0","id":96,"result":"` + strings.Repeat("x", 9000) + `"}`, ``},
		{"a notification that cannot be read", ``, `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":2}}`, ``},
		{"the last line", `17`, `{"jsonrpc":"2.0","id":17,"method":"ping"}`, `{"jsonrpc":"2.0","result":{},"id":17}`}, // the last line has no end
	}
	var in []string
	for _, row := range rows {
		in = append(in, row.line)
	}
	answers := mcpLines(t, s, strings.Join(in, "\n"))
	for _, row := range rows {
		if row.id == "" {
			continue // it has no answer of its own
		}
		t.Run(row.name, func(t *testing.T) {
			if !mcpMatches(answers[row.id], row.want) {
				t.Errorf("%s\n got %s\nwant %s", row.line, answers[row.id], row.want)
			}
		})
	}
	rest := answers[""]
	for want, n := range map[string]int{
		`"method":"notifications/progress","params":{"progressToken":13,"progress":1,"total":2}`: 1,
		`"method":"notifications/message","params":{"level":"warning","data":"told"}`:            2,
		`"method":"notifications/subscriptions/acknowledged"`:                                    1,
		`"message":"there are no batches`:                                                        2,
		`"message":"the line is not valid JSON`:                                                  2,
		`"message":"/id must be a string or an integer, of at most 1024 bytes"}}`:                1,
	} {
		if got := strings.Count(rest, want); got != n {
			t.Errorf("%d times %s, want %d\n%s", got, want, n, rest)
		}
	}
	if strings.Contains(rest, "secret") || len(answers) != 21 {
		t.Errorf("%d answers, and\n%s", len(answers), rest)
	}
	// Nothing of it is called.
	batch := mcpLines(t, s, `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"p_add","arguments":{"n":1}}}]`)
	if !mcpMatches(batch[""], `{"jsonrpc":"2.0","error":{"code":-32600,"message":"there are no batches; send one message at a time"}}`) {
		t.Errorf("a batch before initialize: %s", batch)
	}
}

// Verify that a canceled call ends and nothing is sent for it, and that others go on; then
// that the end of ctx ends what is left.
func TestMCPStdioCancel(t *testing.T) {
	running := make(chan string, 100)
	var ended atomic.Int64
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		running <- in.How
		<-ctx.Done()
		svc.MCPLog(ctx, slog.LevelError, "told too late by "+in.How)
		ended.Add(1)
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(context.Background())
	in, client := io.Pipe()
	answers, out := io.Pipe()
	result := make(chan error, 1)
	go func() {
		err := s.MCPStdio(ctx, in, out, nil)
		out.Close()
		result <- err
	}()
	lines := bufio.NewScanner(answers)
	send := func(text string) { fmt.Fprintln(client, text) }
	call := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"p_run","arguments":{"how":"` + strings.Trim(id, `"`) + `"}}}`
	}
	waiting := make(map[string]bool)
	for i := range 70 { // more than run at a time
		waiting[fmt.Sprint(i)] = true
		send(call(fmt.Sprint(i)))
	}
	runs, waits := "", ""
	for range 64 { // which ones they are is for the scheduler to say
		runs = <-running
		delete(waiting, runs)
	}
	for waits = range waiting {
	}
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + runs + `}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + waits + `}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nope"}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`)
	<-running        // one of those that waited begins
	ping := func() { // what was sent before has been read when it is answered
		send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		if !lines.Scan() || lines.Text() != `{"jsonrpc":"2.0","result":{},"id":"p"}` {
			t.Errorf("got %s", lines.Text())
		}
	}
	ping()
	send(call(`"\u0061"`))
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	ping()
	cancel()
	for lines.Scan() {
		for _, end := range []string{`"id":` + runs + `}`, `"id":` + waits + `}`, `"id":"a"}`, `"id":"\u0061"}`, ` by ` + runs + `"}}`} {
			if strings.HasSuffix(lines.Text(), end) {
				t.Errorf("sent for a canceled call: %s", lines.Text())
			}
		}
	}
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("MCPStdio returned %v", err)
	}
	if n := ended.Load(); n < 65 || n > 71 {
		t.Errorf("%d calls have ended", n)
	}
	client.Close()
}

// Verify that the calls that run at the end of in are answered, and that an error of
// in or out is returned.
func TestMCPStdioEnds(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"p_run","arguments":{"how":"x"}}}` + "\n"
	release := make(chan struct{})
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		<-release
		return &mcpCount{N: 1}, ctx.Err()
	})
	in, client := io.Pipe()
	var out bytes.Buffer
	result := make(chan error, 1)
	go func() { result <- s.MCPStdio(context.Background(), in, &out, nil) }()
	fmt.Fprint(client, call)
	client.Close()
	close(release)
	if err := <-result; err != nil || !strings.Contains(out.String(), `"isError":false`) {
		t.Errorf("%v, %s", err, out.String())
	}
	broken := errors.New("broken")
	if err := s.MCPStdio(context.Background(), io.MultiReader(strings.NewReader(call), errorReader{broken}), io.Discard, nil); err != broken {
		t.Errorf("with a broken in: %v", err)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, in := range []string{call, ping, ping + "\n"} { // in ends before out can fail, or at the same time
		if err := s.MCPStdio(context.Background(), strings.NewReader(in), errorWriter{broken}, nil); err != broken {
			t.Errorf("with a broken out behind the end of in: %v", err)
		}
	}
	stuck, client := io.Pipe()
	go fmt.Fprint(client, call+call)
	if err := s.MCPStdio(context.Background(), stuck, errorWriter{broken}, nil); err != broken {
		t.Errorf("with a broken out: %v", err)
	}
	client.Close()
}

// Verify that a client can die at any point: wherever in ends, and whichever message
// is the first that out does not take, MCPStdio returns, and nothing runs after that.
func TestMCPStdioSurvivesDyingClients(t *testing.T) {
	var running atomic.Int64
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		running.Add(1)
		defer running.Add(-1)
		svc.Progress(ctx, 1, 0, "")
		return &mcpCount{N: 1}, nil
	})
	text := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"p_run","arguments":{"how":"é"},"_meta":{"progressToken":0}}}`+"\n", 3)
	for n := range len(text) {
		if err := s.MCPStdio(context.Background(), strings.NewReader(text[:n]), io.Discard, nil); err != nil || running.Load() != 0 {
			t.Fatalf("in ends at byte %d: %v, %d calls run", n, err, running.Load())
		}
	}
	broken := errors.New("broken")
	for n := range 6 {
		in, client := io.Pipe() // which does not end by itself
		go fmt.Fprint(client, text)
		err := s.MCPStdio(context.Background(), in, &dyingWriter{n, broken}, nil)
		if err != broken || running.Load() != 0 {
			t.Errorf("out takes %d messages: %v, %d calls run", n, err, running.Load())
		}
		client.Close()
		in.Close()
	}
}

// A dyingWriter takes left messages.
type dyingWriter struct {
	left int
	err  error
}

func (w *dyingWriter) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, w.err
	}
	return len(b), nil
}

// Verify that lines have room where MaxBody is the largest number there is, and that
// the end of in is the end also behind a line that has no end or is too long.
func TestMCPStdioLimits(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, test := range []struct {
		name     string
		limit    int64
		in, want string
	}{
		{"no limit", math.MaxInt64, ping + "\n", `"result":{}`},
		{"no limit and no end of the line", math.MaxInt64, ping, `"result":{}`},
		{"a negative limit", -1, ping, `"result":{}`},
		{"as long as the limit", int64(len(ping)), ping + "\n", `"result":{}`},
		{"as long as the limit without an end of the line", int64(len(ping)), ping, `"result":{}`},
		{"longer than the limit by one", int64(len(ping)) - 1, ping + "\n", "more bytes"},
		{"longer than the limit without an end of the line", 10, ping, "more bytes"},
		{"nothing", 10, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := svc.MustRegister[mcpPiped](mcpPipedHook(nil), &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler), MaxBody: test.limit})
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			var out bytes.Buffer
			err := s.MCPStdio(ctx, strings.NewReader(test.in), &out, nil)
			cancel()
			if got := out.String(); err != nil || !strings.Contains(got, test.want) || strings.Count(got, "\n") > 1 {
				t.Errorf("%d bytes of %q: %.200s, %v; want %q once", test.limit, test.in, got, err, test.want)
			}
		})
	}
}

// FuzzMCPStdio sends any lines: whatever comes, all that is written is messages.
func FuzzMCPStdio(f *testing.F) {
	for _, row := range mcpRows() {
		_, body, _ := strings.Cut("\n\n"+row.request, "\n\n")
		f.Add(body)
	}
	f.Add("[]\n[]")
	s := newMCPService()
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		if err := s.MCPStdio(context.Background(), strings.NewReader(in), &out, mcpWireOptions); err != nil {
			t.Errorf("MCPStdio returned %v", err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q is not JSON", line)
			}
		}
	})
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

type errorWriter struct{ err error }

func (w errorWriter) Write([]byte) (int, error) { return 0, w.err }

// Verify 10,000 messages, many of them broken, huge or canceled: each request that
// can be answered is answered once, and nothing but messages is written.
func TestMCPStdioMany(t *testing.T) {
	s := newPiped(func(ctx context.Context, in *mcpFail) (*mcpCount, error) {
		svc.Progress(ctx, 1, 0, "")
		return &mcpCount{N: 1}, nil
	})
	random := rand.New(rand.NewPCG(1, 2))
	want := make(map[string]int)
	var in bytes.Buffer
	for i := range 10000 {
		id := fmt.Sprint(i)
		ping := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		switch random.IntN(8) {
		case 0:
			half := ping[:random.IntN(len(ping))]
			if in.WriteString(half); strings.Contains(half, `"id":`+id+`,`) {
				want[id] = 1 // what cannot be read is answered with its id, if that is there
			}
		case 1:
			in.WriteString(`{"jsonrpc":"2.0","id":"l","method":"` + strings.Repeat("x", 2000+random.IntN(9000)))
		case 2:
			in.WriteString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000000}}`)
		case 3:
			in.Write([]byte{byte(random.IntN(256)), 0, 0xff})
		case 4:
			in.WriteString(ping)
			want[id] = 1
		case 5:
			in.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"p_add","arguments":{"n":` + id + `}}}`)
			want[id] = 1
		case 6:
			in.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"p_run","arguments":{"how":""},"_meta":{"progressToken":0}}}`)
			want[id] = 1
		case 7:
			in.WriteString(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":[]}`)
			want[id] = 1
		}
		in.WriteByte('\n')
	}
	out := &lineWriter{t: t, got: make(map[string]int)}
	if err := s.MCPStdio(context.Background(), &in, out, nil); err != nil {
		t.Error(err)
	}
	for id := range want {
		if out.got[id] != 1 {
			t.Errorf("%s was answered %d times", id, out.got[id])
		}
	}
	delete(out.got, "")
	delete(out.got, `"l"`)
	if len(out.got) != len(want) {
		t.Errorf("%d ids, want %d", len(out.got), len(want))
	}
}

// A lineWriter checks that each Write is one message, and counts the ids.
type lineWriter struct {
	t   *testing.T
	mu  sync.Mutex
	got map[string]int
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var m struct {
		JSONRPC string
		ID      json.RawMessage
	}
	if err := json.Unmarshal(b, &m); err != nil || m.JSONRPC != "2.0" || bytes.IndexByte(b, '\n') != len(b)-1 {
		w.t.Errorf("%q is no message: %v", b, err)
	}
	w.got[string(m.ID)]++
	return len(b), nil
}

// A stuckWriter takes nothing until release is closed.
type stuckWriter struct{ release chan struct{} }

func (w stuckWriter) Write(b []byte) (int, error) {
	<-w.release
	return len(b), nil
}

// Verify that MCPStdio returns whatever holds it: a method that ignores its context, at the
// end of ctx, of in and of out, and a client that reads no answer.
func TestMCPStdioReturnsWhateverHoldsIt(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"p_run","arguments":{"how":"x"}}}` + "\n"
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	broken := errors.New("broken")
	unread := errors.New("the client has taken none of more than 1024 messages for 2 seconds")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	stuck := stuckWriter{release}
	open, client := io.Pipe()
	t.Cleanup(func() { client.Close() })
	for _, test := range []struct {
		name string
		in   io.Reader
		out  io.Writer
		want error
	}{
		{"the end of ctx", io.MultiReader(strings.NewReader(call), open), io.Discard, context.Canceled},
		{"the end of ctx, with a stuck out", io.MultiReader(strings.NewReader(call+ping), open), stuck, context.Canceled},
		{"the end of in", strings.NewReader(call), io.Discard, nil},
		{"a broken in", io.MultiReader(strings.NewReader(call), errorReader{broken}), io.Discard, broken},
		{"a broken out", io.MultiReader(strings.NewReader(call+ping), open), errorWriter{broken}, broken},
		{"answers that nobody reads", strings.NewReader(strings.Repeat(ping, 500)), stuck, nil},
		{"refusals that nobody reads", strings.NewReader(strings.Repeat(call, 1500)), stuck, nil},
		{"more refusals than wait, before the end of in", strings.NewReader(strings.Repeat(call, 1024+2000)), stuck, unread},
		{"more answers than wait, before the end of in", strings.NewReader(strings.Repeat(ping, 2000)), stuck, unread},
		{"more answers than wait, and no end of in", io.MultiReader(strings.NewReader(strings.Repeat(ping, 2000)), open), stuck, unread},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := newPiped(func(context.Context, *mcpFail) (*mcpCount, error) {
				if strings.HasPrefix(test.name, "the end of ctx") {
					cancel()
				}
				<-release
				return &mcpCount{}, nil
			})
			if got := s.MCPStdio(ctx, test.in, test.out, nil); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// Verify that an answer counts though the end of in comes with it.
func TestMCPStdioLastAnswer(t *testing.T) {
	const lines = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + everyCapability + `}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"q_sample"}}
`
	s, _ := newQuestions()
	for range 300 {
		in, client := io.Pipe()
		out := new(answeringWriter)
		out.client = client
		if err := s.MCPStdio(context.Background(), io.MultiReader(strings.NewReader(lines), in), out, nil); err != nil || !strings.Contains(out.text.String(), `{"n":7}`) {
			t.Fatalf("%v, %s", err, out.text.String())
		}
	}
}

// An answeringWriter is a client that answers the first question and ends.
type answeringWriter struct {
	client *io.PipeWriter
	text   bytes.Buffer
}

func (w *answeringWriter) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(`"sampling/createMessage"`)) {
		var question struct{ ID json.RawMessage }
		json.Unmarshal(b, &question)
		fmt.Fprintf(w.client, `{"jsonrpc":"2.0","id":%s,"result":{"a":1}}`, question.ID)
		w.client.Close()
	}
	return w.text.Write(b)
}

type abortAPI interface {
	Create(ctx context.Context) error
}

type aborting struct{}

func (aborting) Create(context.Context) error { panic(http.ErrAbortHandler) }

// Verify that a client gets an answer if a method aborts: over standard output there is no
// connection to close.
func TestMCPStdioAnswersForAMethodThatAborts(t *testing.T) {
	s := svc.MustRegister[abortAPI](aborting{}, &svc.Options{Resource: "x", Logger: slog.New(slog.DiscardHandler)})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x_create"}}`
	var out strings.Builder
	if err := s.MCPStdio(context.Background(), strings.NewReader(call+"\n"), &out, nil); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"error":{"code":-32603,"message":"internal error"}`) {
		t.Errorf("got %q, want an internal error", got)
	}
}
