// Command replicas runs three processes of the fixture behind nginx, which gives each
// request to the next of them, and holds a conversation of three rounds with them: a
// method that asks three questions, one after the other. Then it brings states that
// no replica may take: one that is cut, forged, of another call or of another caller.
// At last clients of 2025-11-25 are asked, by an nginx that chooses the replica by their
// session, and by the one that does not, where the answer must say what to configure. A
// replica is killed while it asks: the client calls again, in the session it has. Another one is
// killed when it has begun a task, which the last one then reads.
// Usage: replicas FIXTURE DIR
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("replicas: ")
	var upstream strings.Builder
	fixtures := make(map[string]*exec.Cmd) // by address
	jobs := filepath.Join(os.Args[2], "jobs")
	err := os.Mkdir(jobs, 0o700)
	check(err == nil, "%v", err)
	for range 3 {
		address, process := startFixture(os.Args[1], jobs)
		fmt.Fprintf(&upstream, "server %s; ", address)
		fixtures[address] = process
	}
	c := &client{url: startNginx(os.Args[2], upstream.String()) + "/mcp", replicas: make(map[string]int)}
	state := c.converse()
	c.refuse(state)
	dir := filepath.Join(os.Args[2], "hashed")
	err = os.Mkdir(dir, 0o700)
	check(err == nil, "%v", err)
	hashed := startNginx(dir, "hash $http_mcp_session_id consistent; "+upstream.String()) + "/mcp"
	askBySession(hashed)
	askByTurns(c.url)
	killWhileAsking(hashed, fixtures)
	a := c.call("ada", "test_conversation", `{"about":"colors"}`, round("sure", `{"ok":true}`, state))
	check(len(a.Result.Content) == 1 && a.Result.Content[0].Text == "colors: Ada, red, true", "a conversation from before the kill ends with %+v", a)
	fmt.Println("ok a conversation of 2026-07-28 goes on after one of the processes was killed")
	killBeforeGet(c.url, fixtures)
}

func check(ok bool, format string, args ...any) {
	if !ok {
		log.Fatalf(format, args...)
	}
}

// start starts a process that ends with this one.
func start(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.Stderr = os.Stderr
	err := c.Start()
	check(err == nil, "%v", err)
}

// startFixture starts one replica, whose jobs are in a directory, and returns its address.
func startFixture(program, jobs string) (address string, c *exec.Cmd) {
	c = exec.Command(program, "-addr", "127.0.0.1:0", "-jobs", jobs)
	out, err := c.StdoutPipe()
	check(err == nil, "%v", err)
	start(c)
	line, err := bufio.NewReader(out).ReadString('\n')
	_, port, ok := strings.Cut(strings.TrimPrefix(line, "http://"), ":")
	port, _, _ = strings.Cut(port, "/")
	check(err == nil && ok, "the fixture says %q, %v", line, err)
	return "127.0.0.1:" + port, c
}

// startNginx starts an nginx in front of the servers, in turn, and returns its URL.
func startNginx(dir, servers string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err == nil, "%v", err)
	address := l.Addr().String()
	l.Close()
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
	access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	upstream replicas { %[3]s}
	server {
		listen %[2]s;
		location / { proxy_pass http://replicas; proxy_http_version 1.1; proxy_next_upstream off; add_header X-Replica $upstream_addr always; }
	}
}
`, dir, address, servers)
	file := filepath.Join(dir, "nginx.conf")
	err = os.WriteFile(file, []byte(config), 0o600)
	check(err == nil, "%v", err)
	path, err := exec.LookPath("nginx")
	if err != nil {
		path = "/usr/sbin/nginx"
	}
	start(exec.Command(path, "-c", file))
	for range 1200 { // 60 s
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address
		}
		time.Sleep(50 * time.Millisecond)
	}
	log.Fatal("nginx does not listen")
	return ""
}

// A client calls tools as clients of revision 2026-07-28 do, one message a request.
type client struct {
	url      string
	replicas map[string]int // how many requests each has answered
}

// An answer is what the client reads of a response.
type answer struct {
	Result struct {
		InputRequests map[string]any
		RequestState  string
		Content       []struct{ Text string }
	}
	Error struct {
		Code    int
		Message string
	}
}

// call calls a tool for caller, who may be "", with more members in params.
func (c *client) call(caller, tool, arguments, more string) (a answer) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + more +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
	r, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	check(err == nil, "%v", err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	if caller != "" {
		r.Header.Set("Authorization", "Bearer "+caller)
	}
	w, err := http.DefaultClient.Do(r)
	check(err == nil, "%v", err)
	defer w.Body.Close()
	if w.StatusCode == http.StatusBadGateway { // nginx finds out so that a replica is gone
		return c.call(caller, tool, arguments, more)
	}
	text, err := io.ReadAll(w.Body)
	check(err == nil && json.Unmarshal(text, &a) == nil, "%d %s, %v", w.StatusCode, text, err)
	c.replicas[w.Header.Get("X-Replica")]++
	return a
}

// round returns the members that answer the question key.
func round(key, content, state string) string {
	return `,"inputResponses":{"` + key + `":{"action":"accept","content":` + content + `}},"requestState":"` + state + `"`
}

// converse holds the conversation and returns the last state of it.
func (c *client) converse() (state string) {
	a := c.call("ada", "test_conversation", `{"about":"colors"}`, "")
	for _, turn := range []struct{ key, content string }{{"name", `{"name":"Ada"}`}, {"color", `{"color":"red"}`}, {"sure", `{"ok":true}`}} {
		_, asked := a.Result.InputRequests[turn.key]
		check(asked && len(a.Result.InputRequests) == 1, "the question %s is not asked: %+v", turn.key, a)
		state = a.Result.RequestState
		a = c.call("ada", "test_conversation", `{"about":"colors"}`, round(turn.key, turn.content, state))
	}
	check(len(a.Result.Content) == 1 && a.Result.Content[0].Text == "colors: Ada, red, true", "the conversation ends with %+v", a)
	check(len(c.replicas) == 3, "it used the replicas %v, not three", c.replicas)
	fmt.Println("ok a conversation of three rounds with three processes behind nginx")
	return state
}

// refuse brings states that are not for the call, three times each, so that every
// replica sees each of them.
func (c *client) refuse(state string) {
	c.replicas = make(map[string]int)
	const about = `{"about":"colors"}`
	forged := []byte(state)
	forged[len(forged)/2] ^= 1 // another character of base64url, or none
	for _, test := range []struct{ what, caller, tool, arguments, state string }{
		{"cut", "ada", "test_conversation", about, state[:len(state)-1]},
		{"empty", "ada", "test_conversation", about, ""},
		{"forged", "ada", "test_conversation", about, string(forged)},
		{"of another tool", "ada", "test_input_required_result_multi_round", about, state},
		{"of other arguments", "ada", "test_conversation", `{"about":"names"}`, state},
		{"of another caller", "bob", "test_conversation", about, state},
		{"of a known caller", "", "test_conversation", about, state},
	} {
		for range 3 {
			a := c.call(test.caller, test.tool, test.arguments, round("sure", `{"ok":true}`, test.state))
			check(a.Error.Code == -32602 && strings.Contains(a.Error.Message, "requestState"), "a state that is %s: %+v", test.what, a)
		}
	}
	check(len(c.replicas) == 3, "it used the replicas %v, not three", c.replicas)
	fmt.Println("ok states that are cut, forged, of another call or caller are refused by each process")
}
