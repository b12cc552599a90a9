package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// A task is what the answers of tools/call and tasks/get have.
type task struct {
	Result struct {
		ResultType, TaskID, Status string
		Result                     struct{ StructuredContent struct{ Result string } }
	}
}

// request sends a request as a client with the extension Tasks, and returns the replica that has
// answered. The first requests after a kill are 502, until nginx knows.
func (t *task) request(url, method, name, params string) (replica string) {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
	for range 100 {
		r, err := http.NewRequest("POST", url, strings.NewReader(body))
		check(err == nil, "%v", err)
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer ada"},
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name},
		}
		w, err := http.DefaultClient.Do(r)
		check(err == nil, "%v", err)
		text, err := io.ReadAll(w.Body)
		w.Body.Close()
		if w.StatusCode == http.StatusBadGateway {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		check(err == nil && json.Unmarshal(text, t) == nil && t.Result.ResultType != "", "%s is answered with %d %s, %v", method, w.StatusCode, text, err)
		return w.Header.Get("X-Replica")
	}
	check(false, "%s is answered by no replica", method)
	return ""
}

// killBeforeGet kills the replica that has begun a task, and reads the task from the others until
// it has ended.
func killBeforeGet(url string, fixtures map[string]*exec.Cmd) {
	var begun task
	first := begun.request(url, "tools/call", "slow_compute", `"name":"slow_compute","arguments":{"seconds":1,"label":"done"}`)
	check(begun.Result.ResultType == "task" && fixtures[first] != nil, "slow_compute is answered by %q with %+v", first, begun)
	fixtures[first].Process.Kill()
	fixtures[first].Wait()
	id := begun.Result.TaskID
	for range 100 {
		var now task
		other := now.request(url, "tasks/get", id, `"taskId":"`+id+`"`)
		check(other != first && now.Result.TaskID == id, "the task is read by %q as %+v", other, now)
		if now.Result.Status == "completed" {
			check(now.Result.Result.StructuredContent.Result == "done", "the task ends with %+v", now)
			fmt.Println("ok a task is read by another process after the one that began it was killed")
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	check(false, "the task does not end")
}
