package blackbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify that what cannot be read is answered with its id, over HTTP in each era and over
// standard input and output, and that what is no request gets no answer.
func TestMCPUnread(t *testing.T) {
	const limit = 4000
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", MaxBody: limit, Logger: slog.New(slog.DiscardHandler)})
	long := strings.Repeat("x", 2*limit)
	call := func(arguments string) string {
		return `"method":"tools/call","params":{"name":"notes_create","arguments":{` + arguments + `}}`
	}
	for _, test := range []struct {
		name, text string
		id         string // "" for none
		modern     int    // the status of 2026-07-28
	}{
		{"a lone surrogate", `{"jsonrpc":"2.0","id":1,` + call(`"title":"\ud800"`) + `}`, `1`, 400},
		{"bad UTF-8", `{"jsonrpc":"2.0","id":"a",` + call("\"title\":\"\xff\"") + `}`, `"a"`, 400},
		{"a name twice", `{"id":1,"jsonrpc":"2.0",` + call(`"title":"x","title":"y"`) + `}`, `1`, 400},
		{"the id at the end", `{` + call(`"title":"x","title":"y"`) + `,"jsonrpc":"2.0","id":7}`, `7`, 400},
		{"the id in the middle", `{"jsonrpc":"2.0", "method" : "ping" , "id" : 7 , "params":{"a":"\udfff"}}`, `7`, 400},
		{"too deep", `{` + call(`"title":`+strings.Repeat("[", 1200)+strings.Repeat("]", 1200)) + `,"jsonrpc":"2.0","id":7}`, `7`, 400},
		{"another id inside", `{"jsonrpc":"2.0","id":7,` + call(`"id":8,"title":"\ud800"`) + `}`, `7`, 400},
		{"an id inside alone", `{"jsonrpc":"2.0",` + call(`"id":8,"title":"\ud800"`), ``, 400},
		{"cut behind the id", `{"jsonrpc":"2.0","id":7,"method":"too`, `7`, 400},
		{"cut in the id", `{"jsonrpc":"2.0","id":7`, ``, 400},
		{"two ids", `{"jsonrpc":"2.0","id":7,"method":"ping","id":8}`, ``, 400},
		{"one id twice", `{"jsonrpc":"2.0","id":7,"method":"ping","id":7}`, `7`, 400},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping","params":{"a":1,"a":1}}`, ``, 400},
		{"an id with a lone surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, ``, 400},
		{"too long", `{"jsonrpc":"2.0","id":7,` + call(`"title":"`+long+`"`) + `}`, `7`, 413},
		{"too long with the id at the end", `{` + call(`"title":"`+long+`"`) + `,"jsonrpc":"2.0","id":"b"}`, `"b"`, 413},
		{"too long by one byte", `{"method":"` + strings.Repeat("x", limit-len(`{"method":"","id":7}`)+1) + `","id":7}`, `7`, 413},
		{"an id without quotes", `{"jsonrpc":"2.0",id:1,"method":"tools/list"}`, ``, 400},
		{"a comma at the end", `{"jsonrpc":"2.0","method":"tools/list",}`, ``, 400},
		{"single quotes", `{'jsonrpc':'2.0','id':1,'method':'tools/list'}`, ``, 400},
		{"no id, and too long", `{"jsonrpc":"2.0",` + call(`"title":"`+long+`"`) + `}`, ``, 413},
		{"a method like a notification", `{"jsonrpc":"2.0","method":"notifications","params":{"a":1,"a":1}}`, ``, 400},
		{"a list", `[{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1,"a":1}}]`, ``, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := `…,"error":{"code":-32…"}}`
			if test.id != "" {
				want = `…,"error":{"code":-32…"},"id":` + test.id + `}`
			}
			for _, length := range []int64{int64(len(test.text)), -1} {
				for revision, status := range map[string]int{"": 200, "2025-11-25": 200, "2026-07-28": test.modern} {
					r := httptest.NewRequest("POST", "/mcp", strings.NewReader(test.text))
					r.ContentLength = length
					r.Header.Set("Content-Type", "application/json")
					if revision != "" {
						r.Header.Set("MCP-Protocol-Version", revision)
					}
					w := httptest.NewRecorder()
					s.MCP(nil).ServeHTTP(w, r)
					if w.Code != status || !mcpMatches(w.Body.String(), want) {
						t.Errorf("%s: %d %s\nwant %d %s", revision, w.Code, w.Body, status, want)
					}
				}
			}
			var out bytes.Buffer
			const ping = `{"jsonrpc":"2.0","id":99,"method":"ping"}`
			if err := s.MCPStdio(context.Background(), strings.NewReader(test.text+"\n"+ping), &out, nil); err != nil {
				t.Error(err)
			}
			if got, next, _ := strings.Cut(out.String(), "\n"); !mcpMatches(got, want) || !strings.Contains(next, `"id":99`) {
				t.Errorf("over stdio: %s\nwant %s", out.String(), want)
			}
		})
	}
	for _, test := range []struct{ name, text string }{
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":1}}`},
		{"a notification with an escape", `{"jsonrpc":"2.0","method":"notifications\/x","params":{"a":1,"a":1}}`},
		{"a notification that is cut", `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1`},
		{"an answer", `{"jsonrpc":"2.0","id":7,"result":{"a":"\ud800"}}`},
		{"an error as answer", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"code":1}}`},
		{"an answer that is too long", `{"jsonrpc":"2.0","id":7,"result":{"a":"` + long + `"}}`},
		{"an answer that nobody asked for", `{"jsonrpc":"2.0","id":7,"result":{}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if w := mcpPost(s.MCP(nil), "MCP-Protocol-Version: 2025-11-25\n\n"+test.text); w.Code != 202 || w.Body.Len() > 0 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w := mcpPost(s.MCP(nil), "MCP-Protocol-Version: 2026-07-28\n\n"+test.text); w.Code/100 != 4 {
				t.Errorf("in 2026: %d %s", w.Code, w.Body)
			}
			var out bytes.Buffer
			if err := s.MCPStdio(context.Background(), strings.NewReader(test.text+"\n"), &out, nil); err != nil || out.Len() > 0 {
				t.Errorf("over stdio: %s, %v", out.String(), err)
			}
		})
	}
}

// Verify that a connection goes on after a body over the limit whose end was read.
func TestMCPUnreadConnection(t *testing.T) {
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", MaxBody: 4000, Logger: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(s.MCP(nil))
	t.Cleanup(server.Close)
	for i := range 3 {
		text := fmt.Sprintf(`{"method":"%s","jsonrpc":"2.0","id":%d}`, strings.Repeat("x", 3<<20), i)
		w, err := server.Client().Post(server.URL, "application/json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(w.Body)
		w.Body.Close()
		if err != nil || w.StatusCode != 200 || w.Close || !strings.HasSuffix(string(body), fmt.Sprintf(`},"id":%d}`, i)) {
			t.Errorf("%d %s, closed %t, %v", w.StatusCode, body, w.Close, err)
		}
	}
}

// Verify that a server whose newest revision is an older one looks like one of before to clients
// of all later ones.
func TestMCPNewest(t *testing.T) {
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler)})
	const inMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	h := s.MCP(&svc.MCPOptions{Newest: "2025-11-25"})
	june := s.MCP(&svc.MCPOptions{Newest: "2025-06-18"})
	initialize := func(header, wanted string) string {
		return mcpLegacy(header, "initialize", `"protocolVersion":"`+wanted+`"`)
	}
	answers := func(revision string) string {
		return `{"jsonrpc":"2.0","result":{"protocolVersion":"` + revision + `",…`
	}
	for _, test := range []struct {
		name, request string
		status        int
		want          string
	}{
		{"server/discover", mcpModern("server/discover", ""), 200, mcpFailure("-32601", "no such method")},
		{"server/discover with an older header", mcpLegacy("2025-11-25", "server/discover", inMeta), 200, mcpFailure("-32601", "no such method")},
		{"server/discover with an unknown header", mcpLegacy("2029-01-01", "server/discover", ""), 200, mcpFailure("-32601", "no such method")},
		{"subscriptions/listen", mcpModern("subscriptions/listen", ""), 200, mcpFailure("-32601", "no such method")},
		{"tools/list", mcpModern("tools/list", ""), 400, mcpFailure("-32600", "not supported")},
		{"ping of a later revision", mcpLegacy("2029-01-01", "ping", ""), 400, mcpFailure("-32600", "not supported")},
		{"_meta beside an older header", mcpLegacy("2025-11-25", "tools/call", mcpCallCount+","+inMeta), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"_meta without a header", mcpLegacy("", "tools/call", mcpCallCount+","+inMeta), 200, `{"jsonrpc":"2.0","result":{` + mcpN7 + `},"id":1}`},
		{"a header that is no name", mcpLegacy("banana", "ping", ""), 400, mcpFailure("-32600", "not supported")},
		{"two headers", mcpLegacy("2025-11-25", "ping", "", "MCP-Protocol-Version: 2025-11-25"), 400, mcpFailure("-32600", "more than once")},
		{"another Mcp-Method", mcpLegacy("2025-11-25", "ping", "", "Mcp-Method: x"), 400, mcpFailure("-32600", "Mcp-Method")},
		{"initialize for the newest", initialize("", "2025-11-25"), 200, answers("2025-11-25")},
		{"initialize for a later one", initialize("2026-07-28", "2026-07-28"), 200, answers("2025-11-25")},
		{"initialize for an older one", initialize("", "2025-03-26"), 200, answers("2025-03-26")},
		{"initialize with _meta", mcpModern("initialize", `"protocolVersion":"2025-11-25"`), 200, answers("2025-11-25")},
		{"a notification of a later revision", "MCP-Protocol-Version: 2026-07-28\n\n" + `{"jsonrpc":"2.0","method":"notifications/x"}`, 400, mcpAnonymous("-32600", "not supported")},
	} {
		t.Run(test.name, func(t *testing.T) { checkMCPAnswer(t, h, test.request, test.status, test.want) })
	}
	checkMCPAnswer(t, june, initialize("", "2025-11-25"), 200, answers("2025-06-18"))
	checkMCPAnswer(t, june, initialize("", "x"), 200, answers("2025-06-18"))
	checkMCPAnswer(t, june, mcpLegacy("2025-11-25", "ping", ""), 400, mcpFailure("-32600", "not supported"))
	checkMCPAnswer(t, june, mcpLegacy("2025-06-18", "ping", ""), 200, mcpOK)
	first := s.MCP(&svc.MCPOptions{Newest: "2024-11-05"})
	checkMCPAnswer(t, first, mcpLegacy("2025-03-26", "ping", ""), 400, mcpFailure("-32600", "not supported"))
	checkMCPAnswer(t, s.MCP(&svc.MCPOptions{Newest: "2026-07-28"}), mcpModern("tools/call", mcpCallCount), 200, `…`+mcpN7+`…`)

	var out bytes.Buffer
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + inMeta + `}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + inMeta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2026-07-28",` + inMeta + `}}`,
		`{"jsonrpc":"2.0","id":4,"method":"ping"}`,
	}
	if err := s.MCPStdio(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out, &svc.MCPOptions{Newest: "2025-11-25"}); err != nil {
		t.Error(err)
	}
	want := `…-32601,…"id":1}` + "\n" + `…-32600,…"id":2}` + "\n" + `…"protocolVersion":"2025-11-25"…"id":3}` + "\n" + `{"jsonrpc":"2.0","result":{},"id":4}` + "\n"
	if !mcpMatches(out.String(), want) {
		t.Errorf("over stdio: %s", out.String())
	}

	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `Newest is "2025-01-01"; write one of 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05`) {
			t.Error(text)
		}
	}()
	s.MCP(&svc.MCPOptions{Newest: "2025-01-01"})
}

// Verify that a page of another origin can read the session of an answer, in every order of the
// middleware around MCP.
func TestMCPBehindCORS(t *testing.T) {
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler)})
	cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}})
	guard := svc.Bearer(func(context.Context, string) (*svc.Principal, error) { return &svc.Principal{Subject: "ada"}, nil }, &svc.BearerOptions{Optional: true})
	recover := svc.Recover(nil)
	for name, h := range map[string]http.Handler{
		"CORS alone":      cors(s.MCP(nil)),
		"outside of all":  cors(recover(guard(s.MCP(nil)))),
		"between":         recover(cors(guard(s.MCP(nil)))),
		"inside of all":   recover(guard(cors(s.MCP(nil)))),
		"origins of both": cors(s.MCP(&svc.MCPOptions{AllowedOrigins: []string{"https://app.example"}})),
	} {
		t.Run(name, func(t *testing.T) {
			w := mcpPost(h, mcpLegacy("", "initialize", `"protocolVersion":"2025-11-25"`, "Origin: https://app.example"))
			exposed := w.Header().Values("Access-Control-Expose-Headers")
			if w.Code != 200 || len(exposed) != 1 || !strings.HasSuffix(exposed[0], ", Mcp-Session-Id, MCP-Protocol-Version") || !strings.HasPrefix(exposed[0], "WWW-Authenticate, ") {
				t.Errorf("%d %q", w.Code, exposed)
			}
		})
	}
}

// Verify that MCP adds its headers to the list of an application.
func TestMCPBehindCORSWithAList(t *testing.T) {
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler)})
	for want, list := range map[string][]string{
		"X-A, X-B, Mcp-Session-Id, MCP-Protocol-Version": {"X-A", "X-B"},
		"Mcp-Session-Id, MCP-Protocol-Version":           {},
	} {
		cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}, ExposedHeaders: list})
		for range 2 { // nothing of the first is kept
			w := mcpPost(cors(s.MCP(nil)), mcpLegacy("", "ping", "", "Origin: https://app.example"))
			if got := w.Header().Values("Access-Control-Expose-Headers"); len(got) != 1 || got[0] != want {
				t.Errorf("%q: %q, want %q", list, got, want)
			}
		}
	}
}

// Verify that a message over several lines of standard input is told to be on one.
func TestMCPOverSeveralLines(t *testing.T) {
	const hint = "; write each message on one line"
	s := svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{Resource: "notes", Logger: slog.New(slog.DiscardHandler)})
	for text, want := range map[string]int{
		"{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}\n": 5,
		"{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"ping\"}\n":                2,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"method\":\"ping\"}\n":         0,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n":                  0,
	} {
		t.Run(rowName(text), func(t *testing.T) {
			var out bytes.Buffer
			if err := s.MCPStdio(context.Background(), strings.NewReader(text), &out, nil); err != nil {
				t.Error(err)
			}
			if got := strings.Count(out.String(), hint); got != want {
				t.Errorf("%d times, want %d\n%s", got, want, out.String())
			}
		})
	}
}
