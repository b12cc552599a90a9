package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
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

// Verify that there is a limit on requests, and that the health of the program is
// told beyond it.
func TestRequestsAreLimited(t *testing.T) {
	s := newStore()
	stopping := make(chan struct{})
	server := httptest.NewServer(newTestHandler(s, stopping))
	defer server.Close()
	client := server.Client()
	var streams []*http.Response
	for range maxRequests {
		w, err := client.Get(server.URL + "/todos/watch")
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, w)
	}
	for _, test := range []struct {
		path   string
		status int
	}{{"/todos", 503}, {"/rpc", 503}, {"/health", 200}} {
		t.Run(test.path, func(t *testing.T) {
			w, err := client.Get(server.URL + test.path)
			if err != nil {
				t.Fatal(err)
			}
			w.Body.Close()
			if w.StatusCode != test.status {
				t.Errorf("%d, want %d", w.StatusCode, test.status)
			}
		})
	}
	close(stopping)
	for _, w := range streams {
		io.Copy(io.Discard, w.Body)
		w.Body.Close()
	}
}
