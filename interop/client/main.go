// Command client calls the template as a process: all its methods, pages, cursors and
// streams, over HTTP/1.1, over HTTP/2 and behind nginx. Before that it makes calls over a
// proxy that fails in each way, and reads a stream over one that cuts connections. It ends
// with an error at the first difference.
//
//	go run . TEMPLATE DIR   the template's binary, and a directory for nginx
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/svc"
)

// TodoAPI is the interface of the template, which is a program and cannot be
// imported.
type TodoAPI interface {
	Create(ctx context.Context, in *CreateTodo) (*Todo, error)
	List(ctx context.Context, in *ListTodos) (*svc.PageResponse[Todo], error)
	Feed(ctx context.Context, in *FeedTodos) (*svc.CursorResponse[Todo], error)
	Get(ctx context.Context, in *TodoID) (*Todo, error)
	Update(ctx context.Context, in *UpdateTodo) (*Todo, error)
	Delete(ctx context.Context, in *TodoID) error
	Archive(ctx context.Context) (*Archived, error)
	Watch(ctx context.Context, in *WatchTodos) (svc.Stream[Todo], error)
}

type (
	Todo struct {
		ID          string    `json:"id"`
		Title       string    `json:"title"`
		Description string    `json:"description,omitempty"`
		Completed   bool      `json:"completed"`
		CreatedAt   time.Time `json:"createdAt"`
	}
	CreateTodo struct {
		Title       string `json:"title" minLength:"1" maxLength:"200"`
		Description string `json:"description,omitempty" maxLength:"2000"`
	}
	ListTodos struct{ svc.PageQuery }
	FeedTodos struct{ svc.CursorQuery }
	TodoID    struct {
		ID string `json:"id" path:"id"`
	}
	UpdateTodo struct {
		ID        string `json:"id" path:"id"`
		Title     string `json:"title" minLength:"1" maxLength:"200"`
		Completed bool   `json:"completed"`
	}
	Archived struct {
		Archived int `json:"archived"`
	}
	WatchTodos struct {
		After string `json:"after,omitempty" header:"Last-Event-ID" pattern:"^(0|[1-9][0-9]*)$"`
		Count int    `json:"count,omitempty" minimum:"1"`
	}
)

// Todos is the client.
type Todos struct {
	Create  func(ctx context.Context, in *CreateTodo) (*Todo, error)
	List    func(ctx context.Context, in *ListTodos) (*svc.PageResponse[Todo], error)
	Feed    func(ctx context.Context, in *FeedTodos) (*svc.CursorResponse[Todo], error)
	Get     func(ctx context.Context, in *TodoID) (*Todo, error)
	Update  func(ctx context.Context, in *UpdateTodo) (*Todo, error)
	Delete  func(ctx context.Context, in *TodoID) error
	Archive func(ctx context.Context) (*Archived, error)
	Watch   func(ctx context.Context, in *WatchTodos) (svc.Stream[Todo], error)
}

// items is how many todos a stream has.
const items = 100_000

func main() {
	log.SetFlags(0)
	template, dir := os.Args[1], os.Args[2]
	placeCalls()
	readEvents()
	process, base := start(template)
	defer process.Process.Kill()

	todos, _ := connect(base, http.DefaultClient)
	callAll("HTTP/1.1", todos)
	for i := range items {
		must(todos.Create(context.Background(), &CreateTodo{Title: fmt.Sprint(i)}))
	}
	stream("HTTP/1.1", todos)

	proxy := httptest.NewUnstartedServer(reverseProxy(base))
	proxy.EnableHTTP2 = true
	proxy.StartTLS()
	defer proxy.Close()
	protocol := new(atomic.Int64)
	h2 := proxy.Client()
	h2.Transport = counting{h2.Transport, protocol}
	todos, _ = connect(proxy.URL, h2)
	callAll("HTTP/2", todos)
	stream("HTTP/2", todos)
	check(protocol.Load() == 2, "the protocol is HTTP/%d", protocol.Load())

	front, stop := startNginx(dir, strings.TrimPrefix(base, "http://"))
	defer stop()
	behind, _ := connect(front, http.DefaultClient)
	callAll("nginx", behind)
	stream("nginx", behind)
	left(behind)

	once, _ := connectTimes(1, front, http.DefaultClient) // with more attempts, the stream would go on
	open, err := once.Watch(context.Background(), &WatchTodos{})
	check(err == nil, "watch: %v", err)
	process.Process.Signal(syscall.SIGTERM) // streams end with UNAVAILABLE
	for _, err = range open {
	}
	check(svc.CodeOf(err) == svc.CodeUnavailable, "the stream of a server that stops ends with %v", err)
	process.Wait()
	_, err = behind.Get(context.Background(), &TodoID{"1"})
	want := "UNAVAILABLE: the response is not from the service: it has the status 502 Bad Gateway"
	check(err != nil && err.Error() == want, "behind nginx without a server: %v, want %s", err, want)
	direct, _ := connect(base, http.DefaultClient)
	_, err = direct.Get(context.Background(), &TodoID{"1"})
	check(svc.CodeOf(err) == svc.CodeUnavailable, "without a server: %v", err)
	log.Print("a server that stops and a 502 of nginx: ok")
}

// check ends the program unless ok is set.
func check(ok bool, format string, args ...any) {
	if !ok {
		log.Fatalf(format, args...)
	}
}

// must returns v, and ends the program if there is an error.
func must[T any](v T, err error) T {
	check(err == nil, "%v", err)
	return v
}

// start starts the template and returns its URL, which it prints.
func start(template string) (*exec.Cmd, string) {
	c := exec.Command(template, "-addr", "127.0.0.1:0")
	out := must(c.StdoutPipe())
	check(c.Start() == nil, "cannot start %s", template)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			go func() {
				for lines.Scan() {
				}
			}()
			return c, "http://" + strings.TrimSpace(host)
		}
	}
	log.Fatal("the template printed no URL")
	return nil, ""
}

// connect returns a client of the service at base.
func connect(base string, h *http.Client) (*Todos, error) { return connectTimes(0, base, h) }

// connectTimes is connect with ClientOptions.Attempts.
func connectTimes(attempts int, base string, h *http.Client) (*Todos, error) {
	todos := new(Todos)
	err := svc.Connect[TodoAPI](todos, base, &svc.ClientOptions{Attempts: attempts, HTTPClient: h, Service: &svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{
		"Feed": {HTTP: "GET /todos/feed"}, "Watch": {HTTP: "GET /todos/watch"},
	}}})
	check(err == nil, "%v", err)
	return todos, err
}

// reverseProxy returns a handler that passes requests on to base.
func reverseProxy(base string) http.Handler {
	p := httputil.NewSingleHostReverseProxy(must(url.Parse(base)))
	p.FlushInterval = -1
	p.ErrorLog = log.New(new(strings.Builder), "", 0)
	return p
}

// counting keeps the protocol of the last response.
type counting struct {
	next     http.RoundTripper
	protocol *atomic.Int64
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err == nil {
		c.protocol.Store(int64(response.ProtoMajor))
	}
	return response, err
}

// callAll calls every method that does not stream.
func callAll(name string, todos *Todos) {
	ctx := context.Background()
	a := must(todos.Create(ctx, &CreateTodo{Title: "Milk & <bread>", Description: "ü"}))
	check(a.Title == "Milk & <bread>" && a.Description == "ü", "created %+v", a)
	check(*must(todos.Get(ctx, &TodoID{a.ID})) == *a, "got another than %+v", a)
	b := must(todos.Update(ctx, &UpdateTodo{ID: a.ID, Title: "Bread", Completed: true}))
	check(b.Title == "Bread" && b.Completed, "updated %+v", b)
	must(todos.Create(ctx, &CreateTodo{Title: "Eggs"}))
	in := &ListTodos{}
	in.Page, in.PerPage = 2, 1
	page := must(todos.List(ctx, in))
	check(len(page.Data) == 1 && page.Page == 2, "page %+v", page)
	feed := &FeedTodos{}
	feed.Limit = 1
	first := must(todos.Feed(ctx, feed))
	feed.Cursor = first.NextCursor
	second := must(todos.Feed(ctx, feed))
	check(len(second.Data) == 1 && second.Data[0].ID != first.Data[0].ID, "feed %+v %+v", first, second)
	check(must(todos.Archive(ctx)).Archived == 1, "archived another number")
	_, err := todos.Get(ctx, &TodoID{a.ID})
	check(svc.CodeOf(err) == svc.CodeNotFound, "get after archive: %v", err)
	check(svc.CodeOf(todos.Delete(ctx, &TodoID{"nothing"})) == svc.CodeNotFound, "delete")
	_, err = todos.Create(ctx, &CreateTodo{})
	check(err.Error() == "INVALID_ARGUMENT: invalid input: /title must have at least 1 character", "%v", err)
	log.Printf("%s: all methods: ok", name)
}

// stream reads a stream from its beginning to its end.
func stream(name string, todos *Todos) {
	events := must(todos.Watch(context.Background(), &WatchTodos{After: "0", Count: items}))
	n := 0
	for todo, err := range events {
		check(err == nil && todo.ID != "", "item %d: %v", n, err)
		n++
	}
	check(n == items, "%d items, want %d", n, items)
	log.Printf("%s: a stream of %d items: ok", name, n)
}

// left leaves a stream that has no end.
func left(todos *Todos) {
	for range must(todos.Watch(context.Background(), &WatchTodos{After: "0"})) {
		break
	}
}

// startNginx starts an nginx in front of upstream, and returns its URL and a function
// that ends it. It ends with this program in any case.
func startNginx(dir, upstream string) (front string, stop func()) {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	address := l.Addr().String()
	l.Close()
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
	access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen %[2]s; location / { proxy_pass http://%[3]s; proxy_http_version 1.1; } }
}
`, dir, address, upstream)
	file := filepath.Join(dir, "nginx.conf")
	check(os.WriteFile(file, []byte(config), 0o600) == nil, "cannot write %s", file)
	path, err := exec.LookPath("nginx")
	if err != nil {
		path = "/usr/sbin/nginx"
	}
	c := exec.Command(path, "-c", file)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.Stderr = os.Stderr
	check(c.Start() == nil, "cannot start nginx")
	for range 1200 { // 60 s
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address, func() {
				c.Process.Kill()
				c.Wait()
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	log.Fatal("nginx does not listen")
	return "", nil
}
