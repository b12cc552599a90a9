package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// An earlier is a client of 2025-11-25 with a session.
type earlier struct{ url, session string }

func (c *earlier) post(body string) *http.Response {
	r, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	check(err == nil, "%v", err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	w, err := http.DefaultClient.Do(r)
	check(err == nil, "%v", err)
	return w
}

// begin begins a session, and returns which replica has done it.
func (c *earlier) begin() string {
	w := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}`)
	defer w.Body.Close()
	c.session = w.Header.Get("Mcp-Session-Id")
	check(c.session != "", "initialize is answered without a session: %v", w.Header)
	return w.Header.Get("X-Replica")
}

// call calls a tool and returns its answer. It answers questions by answer, which may refuse
// to go on.
func (c *earlier) call(tool, arguments string, answer func(id, message string) bool) string {
	w := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
	defer w.Body.Close()
	if strings.HasPrefix(w.Header.Get("Content-Type"), "application/json") {
		text, err := io.ReadAll(w.Body)
		check(err == nil, "%v", err)
		return string(text)
	}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Message string }
		}
		switch {
		case !ok || json.Unmarshal([]byte(data), &m) != nil:
		case m.Method == "":
			return data
		case !answer(string(m.ID), m.Params.Message):
			return ""
		}
	}
	return ""
}

// answer answers one question of the conversation, and returns which replica has taken it.
func (c *earlier) answer(id, message string) string {
	content := `{"ok":true}`
	if strings.Contains(message, "color") {
		content = `{"color":"red"}`
	} else if strings.Contains(message, "name") {
		content = `{"name":"Ada"}`
	}
	w := c.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":` + content + `}}`)
	w.Body.Close()
	check(w.StatusCode == http.StatusAccepted, "an answer is %s", w.Status)
	return w.Header.Get("X-Replica")
}

// killWhileAsking kills the replica of a session when it asks its second question. The client
// calls again, and another replica reads the session and asks all three.
func killWhileAsking(url string, fixtures map[string]*exec.Cmd) {
	c := &earlier{url: url}
	c.begin()
	var first, second string
	got := c.call("test_conversation", `{"about":"colors"}`, func(id, message string) bool {
		if first != "" {
			check(fixtures[first] != nil, "an answer was taken by %q", first)
			fixtures[first].Process.Kill()
			fixtures[first].Wait()
			return true
		}
		first = c.answer(id, message)
		return true
	})
	check(first != "" && got == "", "the call whose replica was killed ends with %q", got)
	for range 1200 { // 60 s
		got = c.call("test_conversation", `{"about":"colors"}`, func(id, message string) bool {
			second = c.answer(id, message)
			return true
		})
		if got != "" {
			break // the first calls are 502, until nginx knows
		}
		time.Sleep(50 * time.Millisecond)
	}
	check(strings.Contains(got, "colors: Ada, red, true") && second != first, "the call after the kill ends with %q, by %s after %s", got, second, first)
	fmt.Println("ok a client of 2025-11-25 whose replica was killed while it asked goes on in its session with another")
}

// askBySession asks 12 clients, each of them three times, where the proxy chooses the replica
// by the session, and lets each cancel a call.
func askBySession(url string) {
	replicas, began := make(map[string]int), make(map[string]int)
	for range 12 {
		c := &earlier{url: url}
		began[c.begin()]++
		got := c.call("test_conversation", `{"about":"colors"}`, func(id, message string) bool {
			replicas[c.answer(id, message)]++
			return true
		})
		check(strings.Contains(got, "colors: Ada, red, true"), "the conversation ends with %s", got)
		go func() {
			time.Sleep(200 * time.Millisecond)
			c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`).Body.Close()
		}()
		got = c.call("test_endless", `{}`, nil)
		check(got == "", "a canceled call ends with %s", got)
	}
	check(len(replicas) > 1, "all sessions went to %v", replicas)
	check(len(began) == 3, "requests without a session went to %v, not in turn to three", began)
	fmt.Println("ok questions and cancellations of 2025-11-25 in sessions behind nginx, by their hash")
}

// askByTurns asks where each request goes to the next replica: calls work, and the answer to a
// question is taken, since another status would end the session of some clients.
func askByTurns(url string) {
	c := &earlier{url: url}
	c.begin()
	for range 3 {
		got := c.call("test_add_numbers", `{"a":1,"b":2}`, nil)
		check(strings.Contains(got, `"sum":3`), "a call ends with %s", got)
	}
	c.call("test_conversation", `{"about":"colors"}`, func(id, _ string) bool {
		w := c.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"name":"Ada"}}}`)
		defer w.Body.Close()
		check(w.StatusCode == 202, "an answer to another replica is %s", w.Status) // the log says what to configure
		return false
	})
	fmt.Println("ok without the hash calls work, and a question says what to configure")
}
