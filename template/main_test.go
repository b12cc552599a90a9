package main

// This file tests the program as its users meet it: started as a process, spoken
// to over a socket, and stopped by a signal.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/svc"
)

// program is the path of the program. It is that of these tests, which TestMain
// turns into the program if it is started by a test.
var program string

var update = flag.Bool("update", false, "write testdata/released.json")

// Verify that the clients of the last release still work.
func TestReleased(t *testing.T) {
	service := newService(newStore(), nil, nil, nil)
	svc.CheckReleased(t, service, "testdata/released.json", *update)
}

func TestMain(m *testing.M) {
	const started = "TEMPLATE_STARTED_BY_TEST"
	if os.Getenv(started) != "" {
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError) // without the flags of package testing
		main()
		return
	}
	var err error
	if program, err = os.Executable(); err == nil {
		err = os.Setenv(started, "1")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
}

// A process is the program while it runs.
type process struct {
	cmd    *exec.Cmd
	url    string
	guide  []string // the lines it printed for people to copy
	stderr *bufio.Scanner
}

// start starts the program on a free port and waits until it says where. env
// adds to the environment. After SIGTERM it stops at once.
func start(t *testing.T, env ...string) *process {
	t.Helper()
	return startDraining(t, "0s", env...)
}

// startDraining is start for a program that accepts requests for so long after SIGTERM.
func startDraining(t *testing.T, drain string, env ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program, "-addr", "127.0.0.1:0", "-drain", drain)}
	p.cmd.Env = append(os.Environ(), append([]string{"PPROF_USER=", "PPROF_PASSWORD=", "TODO_TOKENS=", "TODO_ORIGINS="}, env...)...)
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill() // unless it has ended as it should
		p.cmd.Wait()
		http.DefaultClient.CloseIdleConnections()
	})
	p.stderr = bufio.NewScanner(stderr)
	lines := bufio.NewScanner(stdout)
	for i := 0; i < len(guide)+2 && lines.Scan(); i++ {
		p.guide = append(p.guide, lines.Text())
	}
	if len(p.guide) < len(guide)+2 {
		t.Fatalf("the program printed %q", p.guide)
	}
	address := regexp.MustCompile(`^listening on (http://127\.0\.0\.1:[1-9][0-9]*)$`).FindStringSubmatch(p.guide[0])
	if address == nil {
		t.Fatalf("the first line is %q", p.guide[0])
	}
	p.url, p.guide = address[1], p.guide[2:]
	return p
}

// stop sends a signal and waits until the program has taken notice of it.
func (p *process) stop(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	for p.stderr.Scan() {
		if strings.Contains(p.stderr.Text(), "stopping") {
			return
		}
	}
	t.Fatal("the program ended without a word")
}

// wait expects the program to end well.
func (p *process) wait(t *testing.T) {
	t.Helper()
	for p.stderr.Scan() { // Wait wants the pipe read to its end
		if line := p.stderr.Text(); strings.Contains(line, " ERROR ") {
			t.Errorf("at the end the program logged %s", line)
		}
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v, want status 0", err)
	}
}

// Verify every route in one conversation, each line of which builds on those
// before it.
func TestRoutes(t *testing.T) {
	p := start(t)
	const (
		milk     = `{"id":"1","title":"Buy milk","completed":false,"createdAt":"TIME"}`
		milkDone = `{"id":"1","title":"Buy oat milk","completed":true,"createdAt":"TIME"}`
		milkTwo  = `{"id":"1","title":"Buy oat milk","description":"Two bottles","completed":true,"createdAt":"TIME"}`
		rent     = `{"id":"2","title":"Pay rent","description":"by Friday","completed":false,"createdAt":"TIME"}`
		third    = `{"id":"3","title":"Buy milk","completed":false,"createdAt":"TIME"}`
		noTodo   = `{"error":{"code":"NOT_FOUND","message":"there is no todo with this id","reason":"no_todo"}}`
		noJSON   = `{"error":{"code":"INVALID_ARGUMENT","message":"the request body is not JSON"}}`
	)
	for _, test := range []struct {
		route, body string
		status      int
		answer      string
	}{
		{"HEAD /", "", 200, ""},
		{"GET /health", "", 200, `{"status":"ok"}`},
		{"GET /hello", "", 200, "Hello from svc.\n"},
		{"GET /users", "", 200, `[{"id":"1","name":"Ada"},{"id":"2","name":"Grace"}]`},

		{"POST /echo", ` {"b":1.0, "a":["\u00e9","é",null]} `, 200, ` {"b":1.0, "a":["\u00e9","é",null]} `},
		{"POST /echo", `{"b":`, 400, noJSON},
		{"POST /echo", "\"\xff\"", 400, noJSON},
		{"POST /echo", "", 400, noJSON},
		{"POST /echo", `"` + strings.Repeat("x", 1<<20) + `"`, 413, `{"error":{"code":"RESOURCE_EXHAUSTED","message":"the request body has more than 1048576 bytes"}}`},

		{"GET /todos", "", 200, `{"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}`},
		{"POST /todos", `{"title":"Buy milk"}`, 200, milk},
		{"POST /todos", `{"title":"Pay rent","description":"by Friday"}`, 200, rent},
		{"POST /todos", `{"title":""}`, 400, strings.Replace(invalid("body", "/title", "minLength", "must have at least 1 character"), "}]", `,"limit":1,"empty":true}]`, 1)},
		{"GET /todos", "", 200, `{"data":[` + milk + `,` + rent + `],"page":1,"per_page":20,"total":2,"total_pages":1}`},
		{"GET /todos?page=2&per_page=1", "", 200, `{"data":[` + rent + `],"page":2,"per_page":1,"total":2,"total_pages":2}`},
		{"GET /todos?page=2147483647", "", 200, `{"data":[],"page":2147483647,"per_page":20,"total":2,"total_pages":1}`},

		{"GET /todos/feed?limit=1", "", 200, `{"data":[` + milk + `],"next_cursor":"MQ","has_more":true}`},
		{"GET /todos/feed?limit=1&cursor=MQ", "", 200, `{"data":[` + rent + `],"next_cursor":"Mg","has_more":true}`},
		{"GET /todos/feed?limit=1&cursor=Mg", "", 200, `{"data":[],"has_more":false}`},
		{"GET /todos/feed?cursor=MQ==", "", 400, invalid("query", "/cursor", "type", "must be a cursor from an earlier answer of this list")},
		{"GET /todos?version=v1", "", 200, `{"data":[` + milk + `,` + rent + `],"page":1,"per_page":20,"total":2,"total_pages":1}`},
		{"GET /todos?version=v3", "", 400, `{"error":{"code":"INVALID_ARGUMENT","message":"this version of the API does not exist","details":{"supported":["v1","v2"]}}}`},

		{"GET /todos/1", "", 200, milk},
		{"GET /todos/17", "", 404, noTodo},
		{"GET /todos/01", "", 404, noTodo},
		{"PUT /todos/1", `{"title":"Buy oat milk","completed":true}`, 200, milkDone},
		{"PUT /todos/17", `{"title":"x","completed":true}`, 404, noTodo},
		{"PATCH /todos/1", `{"description":"Two bottles"}`, 200, milkTwo},
		{"PATCH /todos/1", `{"completed":null,"title":"Buy milk","unknown":1}`, 200, strings.NewReplacer("oat ", "", "true", "false").Replace(milkTwo)},
		{"PATCH /todos/1", `{"title":null}`, 400, invalid("body", "/title", "type", "must not be null; leave it out")},
		{"PATCH /todos/1", `{"title":"Buy oat milk","completed":true,"description":null}`, 200, milkDone},
		{"PATCH /todos/17", `{}`, 404, noTodo},
		{"POST /todos/archive", "", 200, `{"archived":1}`},
		{"GET /todos/1", "", 404, noTodo},
		{"DELETE /todos/2", "", 204, ""},
		{"DELETE /todos/2", "", 404, noTodo},
		{"POST /todos", `{"title":"Buy milk"}`, 200, third},

		{"POST /rpc", `{"jsonrpc":"2.0","method":"todos.get","params":{"id":"17"},"id":1}`, 200, `{"jsonrpc":"2.0","error":{"code":-32005,"message":"there is no todo with this id","data":{"code":"NOT_FOUND","reason":"no_todo"}},"id":1}`},
		{"GET /nowhere", "", 404, `{"error":{"code":"NOT_FOUND","message":"there is nothing at this path"}}`},
	} {
		status, answer := p.send(t, test.route, test.body)
		if status != test.status || answer != test.answer {
			t.Errorf("%s %.80q = %d %s\nwant %d %s", test.route, test.body, status, answer, test.status, test.answer)
		}
	}
}

// Verify what a client gets that announces a body and sends a part of it: an answer at
// once if nobody reads the body, and otherwise one that says so.
func TestStalledBodies(t *testing.T) {
	patient := newServer(newTestHandler(newStore(), nil))
	hasty := newServer(patient.Handler)
	hasty.ReadTimeout = 200 * time.Millisecond
	defer patient.Close()
	defer hasty.Close()
	for _, test := range []struct {
		server *http.Server
		route  string
		status int
	}{
		{patient, "GET /health", 200},
		{patient, "GET /hello", 200},
		{patient, "GET /users", 200},
		{hasty, "POST /echo", 408},
	} {
		t.Run(test.route, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			go test.server.Serve(listener)
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(20 * time.Second)) // less than ReadTimeout
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", test.route)
			w, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || w.StatusCode != test.status {
				t.Errorf("%v, %v; want %d", w, err, test.status)
			}
		})
	}
}

// invalid returns the envelope for one violation.
func invalid(in, path, rule, message string) string {
	return fmt.Sprintf(`{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: %s %s",`+
		`"details":{"violations":[{"in":%q,"path":%q,"rule":%q,"message":%q}]}}}`, path, message, in, path, rule, message)
}

// do sends one request to a handler. headers are names and values.
func do(h http.Handler, verb, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(verb, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var timestamp = regexp.MustCompile(`"20\d\d-[^"]*Z"`)

// send sends one request and returns the status and the body of its answer,
// with TIME in place of what time it is.
func (p *process) send(t *testing.T, route, body string) (int, string) {
	t.Helper()
	verb, path, _ := strings.Cut(route, " ")
	r, err := http.NewRequest(verb, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	answer, err := io.ReadAll(w.Body)
	if err != nil {
		t.Errorf("%s: %v", route, err)
	}
	return w.StatusCode, timestamp.ReplaceAllString(string(answer), `"TIME"`)
}

// Verify that profiles need both variables and this user and password.
func TestProfiles(t *testing.T) {
	for _, test := range []struct {
		name                   string
		user, password, header string
		want                   int
	}{
		{"neither", "", "", "op:secret", 404},
		{"no password", "op", "", "op:", 404},
		{"no user", "", "secret", ":secret", 404},
		{"the user and the password", "op", "secret", "op:secret", 200},
		{"no password in the request", "op", "secret", "op:", 401},
		{"no user in the request", "op", "secret", ":secret", 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := withProfiles(http.NotFoundHandler(), test.user, test.password)
			given := "Basic " + base64.StdEncoding.EncodeToString([]byte(test.header))
			if w := do(h, "GET", "/debug/pprof/heap", "", "Authorization", given); w.Code != test.want {
				t.Errorf("with %q and %q, %s gets %d, want %d", test.user, test.password, test.header, w.Code, test.want)
			}
		})
	}
}

// Verify the headers that go with a page and with a deprecated version.
func TestHeaders(t *testing.T) {
	s := newStore()
	s.add("one", "")
	s.add("two", "")
	h := newTestHandler(s, nil)
	for _, test := range []struct{ name, version, target, header, want string }{
		{"links of a page", "", "/todos?per_page=1", "Link", `<?page=1&per_page=1>; rel="first", <?page=2&per_page=1>; rel="next", <?page=2&per_page=1>; rel="last"`},
		{"the newest version", "v2", "/todos", "Deprecation", ""},
		{"the date of the deprecation of v1", "v1", "/todos", "Deprecation", "@1767225600"},
		{"the date of the end of v1", "v1", "/todos", "Sunset", "Fri, 01 Jan 2027 00:00:00 GMT"},
		{"links of v1", "v1", "/todos", "Link", `<https://example.com/docs/from-v1-to-v2>; rel="deprecation", <?page=1&per_page=20>; rel="first", <?page=1&per_page=20>; rel="last"`},
		{"no version of other routes", "v1", "/health", "Deprecation", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := do(h, "GET", test.target, "", "Accept-Version", test.version)
			if got := strings.Join(w.Header().Values(test.header), ", "); got != test.want || w.Code != 200 {
				t.Errorf("GET %s, version %q: %d, %s: %q, want %q", test.target, test.version, w.Code, test.header, got, test.want)
			}
		})
	}
}

// Verify that the commands printed at the start work when they are pasted.
func TestGuide(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	p := start(t)
	for i, line := range p.guide {
		command, ok := strings.CutPrefix(line, fmt.Sprintf("%-20s curl ", guide[i].route))
		if !ok {
			t.Errorf("line %q does not begin with its route and curl", line)
			continue
		}
		if out, err := exec.Command("sh", "-c", curl+" -sS --fail-with-body "+command).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// Verify that the guide leaves out no method.
func TestGuideIsComplete(t *testing.T) {
	for _, r := range newService(newStore(), nil, nil, nil).Routes() {
		route := r.Method + " " + r.Path
		if !slices.ContainsFunc(guide, func(g struct{ route, curl string }) bool { return g.route == route }) {
			t.Errorf("the guide does not have %s", route)
		}
	}
}

// Verify that a signal lets a request in flight finish, and that SIGINT waits for nothing
// else. The request is known to
// be in flight, since the server asks for its body (RFC 9110, section 10.1.1).
func TestSignal(t *testing.T) {
	for _, test := range []struct {
		signal       os.Signal
		drain        string
		route        string
		first, other string // halves of the body, before and after the signal
		answer       string
	}{
		{syscall.SIGTERM, "0s", "POST /echo", `{"before":1,`, `"after":2}`, `{"before":1,"after":2}`},
		{os.Interrupt, "1h", "POST /todos", `{"title":`, `"Buy milk"}`, `{"id":"1","title":"Buy milk","completed":false,"createdAt":"TIME"}`},
	} {
		t.Run(test.signal.String(), func(t *testing.T) {
			p := startDraining(t, test.drain)
			address := strings.TrimPrefix(p.url, "http://")
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			answers := bufio.NewReader(conn)
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
				test.route, address, len(test.first+test.other))
			if line, err := answers.ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 100 ") {
				t.Fatalf("before the body came %q, %v", line, err)
			}
			answers.ReadString('\n')
			io.WriteString(conn, test.first)
			p.stop(t, test.signal)
			waitUntilClosed(address)
			io.WriteString(conn, test.other)
			w, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(w.Body)
			got := timestamp.ReplaceAllString(string(answer), `"TIME"`)
			if w.StatusCode != http.StatusOK || got != test.answer || err != nil {
				t.Errorf("the request in flight got %d %s, %v; want %s", w.StatusCode, got, err, test.answer)
			}
			p.wait(t)
		})
	}
}

// Verify that a request gets its answer that comes on an open connection when the
// program takes no new ones any more. The program waits a moment for such requests, and
// a busy machine may take longer, so there are several attempts.
func TestSignalOpenConnection(t *testing.T) {
	for range 5 {
		p := start(t)
		address := strings.TrimPrefix(p.url, "http://")
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		answers := bufio.NewReader(conn)
		ask := func() error {
			fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: %s\r\n\r\n", address)
			w, err := http.ReadResponse(answers, nil)
			if err == nil {
				_, err = io.ReadAll(w.Body)
			}
			return err
		}
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		p.stop(t, syscall.SIGTERM)
		waitUntilClosed(address)
		err = ask()
		p.wait(t)
		if err == nil {
			return
		}
	}
	t.Error("requests on open connections are dropped")
}

// Verify that after SIGTERM the program serves old and new connections, which it closes
// after a response that says so. A second signal kills it.
func TestDrain(t *testing.T) {
	p := startDraining(t, "1h")
	address := strings.TrimPrefix(p.url, "http://")
	dial := func() (ask func(route, body string) *http.Response) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		answers := bufio.NewReader(conn)
		return func(route, body string) *http.Response {
			fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", route, address, len(body), body)
			w, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatalf("%s: %v", route, err)
			}
			text, err := io.ReadAll(w.Body)
			if w.StatusCode != http.StatusOK || err != nil {
				t.Errorf("%s: %s %s, %v", route, w.Status, text, err)
			}
			if w.Close {
				if _, err := answers.Peek(1); err != io.EOF {
					t.Errorf("%s: after Connection: close the connection ends with %v", route, err)
				}
			}
			return w
		}
	}
	kept, unused := dial(), dial()
	if w := kept("GET /health", ""); w.Close {
		t.Error("before the signal a response has Connection: close")
	}
	p.stop(t, syscall.SIGTERM)
	for _, test := range []struct {
		name, route, body string
		ask               func(route, body string) *http.Response
	}{
		{"a connection that was kept", "POST /todos", `{"title":"one"}`, kept},
		{"a connection that was unused", "GET /health", "", unused},
		{"a new connection", "POST /todos", `{"title":"two"}`, dial()},
	} {
		t.Run(test.name, func(t *testing.T) {
			if w := test.ask(test.route, test.body); !w.Close {
				t.Errorf("%s: the response has no Connection: close", test.route)
			}
		})
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err == nil || !strings.Contains(err.Error(), "signal: terminated") {
		t.Errorf("after a second signal the program ended with %v", err)
	}
}

// waitUntilClosed returns when nobody listens at the address any more.
func waitUntilClosed(address string) {
	for {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		conn.Close()
	}
}

// Verify that a program that cannot start says why, and how it could.
func TestBadStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	sick := httptest.NewServer(http.NotFoundHandler())
	defer sick.Close()
	for _, test := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"an address that is taken", []string{"-addr", taken.Addr().String()}, 1, "address already in use"},
		{"no port", []string{"-addr", "127.0.0.1"}, 1, "missing port in address"},
		{"an unknown flag", []string{"-port", "8080"}, 2, "flag provided but not defined: -port"},
		{"no value of a flag", []string{"-addr"}, 2, "flag needs an argument: -addr"},
		{"an argument", []string{"8080"}, 2, `unexpected argument "8080"`},
		{"a health check of no server", []string{"-health", "-addr", "127.0.0.1:1"}, 1, "connection refused"},
		{"a health check of another server", []string{"-health", "-addr", sick.Listener.Addr().String()}, 1, "responded with 404 Not Found"},
		{"help", []string{"-h"}, 0, "the address to listen on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command(program, test.args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if status := cmd.ProcessState.ExitCode(); status != test.status || !strings.Contains(stderr.String(), test.says) || stdout.Len() > 0 {
				t.Errorf("%q: exit status %d, stderr %q, stdout %q; want %d and %q", test.args, status, &stderr, &stdout, test.status, test.says)
			}
			if test.status == 2 && !strings.Contains(stderr.String(), "-addr address") {
				t.Errorf("%q: stderr %q does not say which flags there are", test.args, &stderr)
			}
		})
	}
}

// Verify that the program says so if others can reach it without a token.
func TestOpenAddress(t *testing.T) {
	cmd := exec.Command(program, "-addr", ":0")
	cmd.Env = append(os.Environ(), "TODO_TOKENS=")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if !strings.Contains(line, "set TODO_TOKENS") {
		t.Errorf("the first line of the log is %q, %v", line, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// Verify that a health check succeeds, for all addresses that a server can have.
func TestHealthFlag(t *testing.T) {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(start(t).url, "http://"))
	for _, host := range []string{"127.0.0.1", "localhost", ""} {
		t.Run(cmp.Or(host, "no host"), func(t *testing.T) {
			cmd := exec.Command(program, "-health", "-addr", net.JoinHostPort(host, port))
			cmd.Env = append(os.Environ(), "HTTP_PROXY=http://127.0.0.1:1")
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("host %q: %v, %s", host, err, out)
			}
		})
	}
}

// Verify that all four time-outs are set, and in an order that lets a slow
// request have its answer.
func TestTimeouts(t *testing.T) {
	s := newServer(nil)
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout <= 0 || s.WriteTimeout <= s.ReadTimeout || s.IdleTimeout <= 0 {
		t.Errorf("time-outs: header %v, read %v, write %v, idle %v", s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout)
	}
}

// newTestHandler returns everything that the program serves to the public.
func newTestHandler(s *store, stopping <-chan struct{}) http.Handler {
	counts := new(metrics)
	return newHandler(newService(s, stopping, counts.observe, nil), counts)
}

// Verify that calls are counted by how they ended, refused ones too.
func TestMetrics(t *testing.T) {
	h := newTestHandler(newStore(), nil)
	do(h, "POST", "/todos", `{"title":"Buy milk"}`)
	do(h, "POST", "/todos", `{"title":""}`)
	do(h, "POST", "/rpc", `[{"jsonrpc":"2.0","method":"todos.get","params":{"id":"1"},"id":1},{"jsonrpc":"2.0","method":"todos.get","params":{"id":"2"},"id":2}]`)
	text := do(h, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		"# TYPE svc_call_seconds summary\n",
		`svc_call_seconds_count{transport="rest",method="todos.create",code="OK"} 1`,
		`svc_call_seconds_count{transport="rest",method="todos.create",code="INVALID_ARGUMENT"} 1`,
		`svc_call_seconds_count{transport="rpc",method="todos.get",code="NOT_FOUND"} 1`,
		`svc_call_seconds_sum{transport="rpc",method="todos.get",code="OK"} `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// Verify that a client does not get a todo that it has, and that of two writers who have
// seen the same todo the second is told of the first. The rows are one sequence, so they
// are no subtests.
func TestConditionalRequests(t *testing.T) {
	h := newTestHandler(newStore(), nil)
	first := do(h, "POST", "/todos", `{"title":"Buy milk"}`).Header().Get("ETag")
	for _, test := range []struct {
		verb, name, value string
		want              int
	}{
		{"GET", "If-None-Match", first, 304},
		{"PUT", "If-Match", `"x"`, 412},
		{"PUT", "If-Match", first, 200},
		{"PUT", "If-Match", first, 412}, // the other writer
		{"GET", "If-None-Match", first, 200},
		{"PATCH", "If-Match", first, 412},
		{"DELETE", "If-Match", first, 412},
		{"DELETE", "If-Match", "*", 204},
	} {
		body := ""
		if test.verb == "PUT" || test.verb == "PATCH" {
			body = `{"title":"Buy oat milk","completed":false}`
		}
		w := do(h, test.verb, "/todos/1", body, test.name, test.value)
		if w.Code != test.want || (w.Header().Get("ETag") == "") != (w.Code == 204) {
			t.Errorf("%s with %s: %s: %d %s with the ETag %q, want %d", test.verb, test.name, test.value, w.Code, w.Body, w.Header().Get("ETag"), test.want)
		}
	}
}

// Verify that of many writers who have seen the same todo exactly one changes it.
func TestWritersRace(t *testing.T) {
	h := newTestHandler(newStore(), nil)
	first := do(h, "POST", "/todos", `{"title":"Buy tea"}`).Header().Get("ETag")
	statuses := make(chan int, 16)
	for i := range cap(statuses) {
		go func() {
			statuses <- do(h, []string{"PUT", "PATCH"}[i%2], "/todos/1", `{"title":"Buy tea","completed":true}`, "If-Match", first).Code
		}()
	}
	count := make(map[int]int)
	for range cap(statuses) {
		count[<-statuses]++
	}
	if count[200] != 1 || count[412] != cap(statuses)-1 {
		t.Errorf("the statuses and how often: %v", count)
	}
}

// Verify that the program reads TODO_ORIGINS and TODO_TOKENS, and that pages of these
// origins can read that they need a token.
func TestOrigins(t *testing.T) {
	p := start(t, "TODO_ORIGINS=https://app.example,http://localhost:5173", "TODO_TOKENS=abc:todos:read")
	for _, test := range []struct{ origin, allowed string }{
		{"https://app.example", "https://app.example"},
		{"https://evil.example", ""},
	} {
		t.Run(test.origin, func(t *testing.T) {
			r, err := http.NewRequest("GET", p.url+"/todos", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", test.origin)
			w, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			w.Body.Close()
			if got := w.Header.Get("Access-Control-Allow-Origin"); w.StatusCode != 401 || got != test.allowed {
				t.Errorf("from %q: %d, allowed %q; want 401, %q", test.origin, w.StatusCode, got, test.allowed)
			}
		})
	}
}

// Verify that tokens are asked for if there are any, with their scopes.
func TestTokens(t *testing.T) {
	callers, err := parseTokens("abc:todos:read+todos:write,def:todos:read")
	if err != nil {
		t.Fatal(err)
	}
	counts := new(metrics)
	h := callers.guard(newHandler(newService(newStore(), nil, counts.observe, callers), counts))
	for _, test := range []struct {
		name                      string
		verb, path, authorization string
		status                    int
	}{
		{"no token", "GET", "/todos", "", 401}, {"an unknown token", "GET", "/todos", "Bearer xyz", 401}, {"a token that may read", "GET", "/todos", "Bearer def", 200},
		{"a token that may not write", "POST", "/todos", "Bearer def", 403}, {"a token that may write", "POST", "/todos", "Bearer abc", 200}, {"the document", "GET", "/openapi.json", "", 200}, {"the health", "GET", "/health", "", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			headers := []string{"Authorization", test.authorization}
			if test.authorization == "" {
				headers = nil
			}
			body := ""
			if test.verb == "POST" {
				body = `{"title":"Buy milk"}`
			}
			if w := do(h, test.verb, test.path, body, headers...); w.Code != test.status {
				t.Errorf("%s %s with %q: %d %s", test.verb, test.path, test.authorization, w.Code, w.Body)
			}
		})
	}
	for _, text := range []string{"abc", ":todos:read", "abc:x,", "abc d:x"} {
		t.Run(text, func(t *testing.T) {
			if _, err := parseTokens(text); err == nil || strings.Contains(err.Error(), "abc") {
				t.Errorf("%q: %v", text, err)
			}
		})
	}
}

// Verify that a page of another site cannot make the browser of its reader post to a
// plain handler without asking first.
func TestPlainHandlersRefuseOtherSites(t *testing.T) {
	h := newTestHandler(newStore(), nil)
	for _, test := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"no headers", nil, 200},
		{"the same origin", []string{"Sec-Fetch-Site", "same-origin", "Origin", "null"}, 200},
		{"a page that somebody typed in", []string{"Sec-Fetch-Site", "none"}, 200},
		{"another site", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"the same site", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://example.com"}, 403},
		{"the Origin of another site", []string{"Origin", "https://evil.example"}, 403},
		{"the Origin null", []string{"Origin", "null"}, 403},
		{"the Origin of the host", []string{"Origin", "http://EXAMPLE.com"}, 200}, // the host of the request
		{"text of another site", []string{"Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain"}, 403},
		{"JSON of another site, which a browser asks for first", []string{"Sec-Fetch-Site", "cross-site", "Content-Type", "application/json; charset=utf-8"}, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			if w := do(h, "POST", "/echo", `{}`, test.headers...); w.Code != test.status {
				t.Errorf("%q: %d %s, want %d", test.headers, w.Code, w.Body, test.status)
			}
		})
	}
}
