package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A watcher reads the stream of todos.
type watcher struct {
	response *http.Response
	lines    *bufio.Scanner
}

// watch begins to watch, after a todo if last is not empty.
func (p *process) watch(t *testing.T, last string) *watcher {
	t.Helper()
	r, err := http.NewRequest("GET", p.url+"/todos/watch", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Body.Close() })
	if got := w.Header.Get("Content-Type"); w.StatusCode != 200 || got != "text/event-stream" {
		t.Fatalf("got %d, %s", w.StatusCode, got)
	}
	return &watcher{w, bufio.NewScanner(w.Body)}
}

// next returns the next event that is more than a comment, with TIME in place of
// what time it is, or "" at the end.
func (w *watcher) next() string {
	event := ""
	for w.lines.Scan() {
		line := w.lines.Text()
		switch {
		case line == "" && event != "":
			return event
		case line != "" && line[0] != ':':
			event += timestamp.ReplaceAllString(line, `"TIME"`) + "\n"
		}
	}
	return ""
}

// Verify that a stream looks at few todos to find the next ones, takes few at a
// time, and misses none.
func TestSince(t *testing.T) {
	s := newStore()
	for range 1000 {
		s.add("x", "")
	}
	s.todos[0].ID = "9999" // which only a search through all would find
	list, more := s.since("990")
	if len(list) != 10 || list[0].ID != "991" {
		t.Errorf("after 990 there are %d todos, %v", len(list), list)
	}
	s.add("y", "")
	select {
	case <-more:
	default:
		t.Error("a new todo is not told of")
	}
	s.todos[0].ID = "1"
	next := 2
	for after := "1"; ; after = list[len(list)-1].ID {
		if list, _ = s.since(after); len(list) == 0 {
			break
		}
		for _, todo := range list {
			if todo.ID != strconv.Itoa(next) || len(list) > maxSince {
				t.Fatalf("got %s of %d todos, want %d", todo.ID, len(list), next)
			}
			next++
		}
	}
	if next != 1002 {
		t.Errorf("the last todo is %d", next-1)
	}
}

// Verify that a stream says first where it begins, that todos arrive as they are created,
// that a client that comes back gets what it has missed, and that the end of the program ends its streams.
func TestWatch(t *testing.T) {
	p := start(t)
	create := func(title string) {
		if status, answer := p.send(t, "POST /todos", `{"title":"`+title+`"}`); status != http.StatusOK {
			t.Fatalf("POST /todos = %d %s", status, answer)
		}
	}
	event := func(id, title string) string {
		return "id: " + id + "\ndata: " + `{"id":"` + id + `","title":"` + title + `","completed":false,"createdAt":"TIME"}` + "\n"
	}
	create("before")
	first := p.watch(t, "")
	create("one")
	create("two")
	for _, want := range []string{"id: 1\n", event("2", "one"), event("3", "two")} {
		if got := first.next(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	first.response.Body.Close()
	create("three")
	again := p.watch(t, "3")
	all := p.watch(t, "0")
	other := p.watch(t, "17") // of another process
	create("four")
	for _, test := range []struct {
		w      *watcher
		events []string
	}{
		{again, []string{"id: 3\n", event("4", "three"), event("5", "four")}},
		{all, []string{"id: 0\n", event("1", "before"), event("2", "one"), event("3", "two"), event("4", "three"), event("5", "four")}},
		{other, []string{"id: 0\n", event("1", "before"), event("2", "one"), event("3", "two"), event("4", "three"), event("5", "four")}},
	} {
		for _, want := range test.events {
			if got := test.w.next(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	p.stop(t, syscall.SIGTERM)
	stopping := "event: error\n" + `data: {"error":{"code":"UNAVAILABLE","message":"the server is stopping; connect again"}}` + "\n"
	for _, w := range []*watcher{again, all, other} {
		if got := w.next(); got != stopping {
			t.Errorf("at the end got %q, want %q", got, stopping)
		}
		if rest, err := io.ReadAll(w.response.Body); strings.TrimSpace(string(rest)) != "" || err != nil {
			t.Errorf("after the end got %q, %v", rest, err)
		}
	}
	p.wait(t)
}

// Verify that the streams of before and after SIGTERM go on until -drain is over.
func TestDrainStreams(t *testing.T) {
	p := startDraining(t, "1h")
	old := p.watch(t, "0")
	p.stop(t, syscall.SIGTERM)
	if status, answer := p.send(t, "POST /todos", `{"title":"one"}`); status != http.StatusOK {
		t.Errorf("%d %s", status, answer)
	}
	for _, w := range []*watcher{old, p.watch(t, "0")} {
		for _, want := range []string{"id: 0\n", `"title":"one"`} {
			if got := w.next(); !strings.Contains(got, want) {
				t.Errorf("a stream got %q, want %s", got, want)
			}
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil { // the second one kills it
		t.Fatal(err)
	}
	p.cmd.Wait()
}

// Verify that over JSON-RPC the stream ends with its last todo, and begins with the first one for an
// ID of an earlier process.
func TestWatchOverRPC(t *testing.T) {
	s := newStore()
	s.add("Buy milk", "")
	h := newTestHandler(s, nil)
	for _, after := range []string{"0", "17"} {
		w := do(h, "POST", "/rpc", `{"jsonrpc":"2.0","method":"todos.watch","params":{"after":"`+after+`","count":1},"id":1}`)
		if want := `"result":{"items":[{"id":"1","title":"Buy milk",`; w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("after %s: %d %s, want %s", after, w.Code, w.Body, want)
		}
	}
}

// Verify that clients which wait do not stop the program: with more idle streams and more questions
// than requests may be worked on at once, everything else is answered, and all is gone when they
// leave.
func TestWaitingIsNoLoad(t *testing.T) {
	const streams, sessions, questions = maxConcurrent + 100, 10, 60 // of each session
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", http2), func(t *testing.T) {
			before := runtime.NumGoroutine()
			s := newStore()
			s.add("Buy milk", "")
			server := httptest.NewUnstartedServer(newTestHandler(s, nil))
			if server.EnableHTTP2 = http2; http2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			client := server.Client()
			ctx, leave := context.WithCancel(context.Background())
			post := func(body, session string) *http.Response {
				r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/mcp", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
				if session != "" {
					r.Header["Mcp-Session-Id"], r.Header["Mcp-Protocol-Version"] = []string{session}, []string{"2025-11-25"}
				}
				w, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				return w
			}
			var waiting []*http.Response
			for range streams {
				r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/todos/watch", nil)
				if err != nil {
					t.Fatal(err)
				}
				w, err := client.Do(r)
				if err != nil || w.StatusCode != http.StatusOK {
					t.Fatal(w, err)
				}
				waiting = append(waiting, w)
			}
			for range sessions {
				w := post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}`, "")
				w.Body.Close()
				session := w.Header.Get("Mcp-Session-Id")
				for i := range questions {
					w := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"todos_archive"}}`, i), session)
					lines := bufio.NewScanner(w.Body)
					for lines.Scan() && !strings.Contains(lines.Text(), "elicitation/create") {
					}
					waiting = append(waiting, w)
				}
			}
			for _, test := range []struct{ method, path, body string }{
				{"GET", "/health", ""},
				{"GET", "/todos", ""},
				{"POST", "/todos", `{"title":"Pay rent"}`},
				{"POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"todos.list"}`},
				{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_list"}}`},
				{"GET", "/todos/export", ""},
				{"GET", "/openapi.json", ""},
			} {
				r, err := http.NewRequest(test.method, server.URL+test.path, strings.NewReader(test.body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				w, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(w.Body)
				w.Body.Close()
				if w.StatusCode >= 300 || strings.Contains(string(body), `"reason":"overloaded"`) {
					t.Errorf("%s %s: %d %s", test.method, test.path, w.StatusCode, body)
				}
			}
			leave()
			for _, w := range waiting {
				io.Copy(io.Discard, w.Body)
				w.Body.Close()
			}
			client.CloseIdleConnections()
			server.Close()
			for range 6000 { // net/http ends its own goroutines a little later
				if runtime.NumGoroutine() <= before {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		})
	}
}
