// Command template is a program to copy: a todo service that keeps its data in
// memory, and a few plain handlers beside it.
//
//	main.go       the server: its routes, middleware, timeouts, start and stop
//	todo.go       the service: its interface, inputs, outputs and methods
//	watch.go      its one method that streams
//	assistant.go  a prompt, resources and a question for AI assistants
//	store.go      the data
//	handlers.go   the handlers that are not methods of the service
//	metrics.go    counts of calls, for Prometheus
//	tokens.go     callers with a token, from TODO_TOKENS
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/svc"
)

// main parses the flags and serves until the process gets SIGINT or SIGTERM.
func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on; with port 0, a free port")
	stdio := flag.Bool("mcp", false, "serve an AI assistant that has started this program, on standard input and output")
	probe := flag.Bool("health", false, "ask the process at the address whether it is well, and exit with 0 if it is")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := error(nil)
	switch {
	case *probe:
		err = askHealth(ctx, *addr)
	case *stdio:
		err = runMCP(ctx, os.Stdin, os.Stdout)
	default:
		err = run(ctx, *addr, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// runMCP serves one assistant until it closes in, or until ctx ends. Nothing else may
// be written to out; package log writes to standard error.
func runMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	err := newService(newStore(), ctx.Done(), nil, nil).MCPStdio(ctx, in, out, mcpOptions())
	if ctx.Err() != nil {
		return nil // a signal is how the program ends
	}
	return err
}

// newHandler returns the handler of everything that the program serves to the
// public. Middleware for all of it is applied at the end, the outermost last.
func newHandler(todos *svc.Service, counts *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /hello", ignoreBody(hello))
	mux.Handle("GET /users", ignoreBody(users))
	mux.Handle("POST /echo", svc.Handle(echo, nil, nil))
	mux.Handle("/openapi.json", todos.OpenAPI())
	mux.Handle("/rpc", todos.RPC())
	mux.Handle("/mcp", todos.MCP(mcpOptions()))
	docs := todos.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp"})
	mux.Handle("/{$}", docs) // a page to read about the service and to call it
	mux.Handle("/llms.txt", docs)
	mux.Handle("/", versions()(todos.REST())) // also writes the 404 for all other paths

	front := http.NewServeMux()
	front.Handle("GET /health", ignoreBody(health)) // outside the limit: a busy process must not count as a dead one
	front.Handle("GET /metrics", ignoreBody(counts.ServeHTTP))
	front.Handle("/", svc.Limit(maxRequests, nil)(mux))

	var handler http.Handler = front
	handler = svc.Recover(nil, nil)(handler)
	return handler
}

// maxRequests is how many requests are served at a time, streams included; more
// get 503. Together with the largest body of a request it bounds the memory that
// clients can make the process use. Choose it by the memory that there is.
const maxRequests = 500

// versions returns middleware that lets clients choose a version of the API, by
// the header Accept-Version or the query parameter version. Methods read it with
// svc.GetVersion. Here v1 and v2 do the same; v1 shows how to announce that a
// version is deprecated.
func versions() func(http.Handler) http.Handler {
	return svc.Version(svc.VersionOptions{
		DefaultVersion: "v2",
		Supported:      []string{"v1", "v2"},
		Deprecations: map[string]svc.Deprecation{"v1": {
			Since:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Sunset: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
			Link:   "https://example.com/docs/from-v1-to-v2",
		}},
	})
}

// withProfiles returns a handler that serves profiles below /debug/pprof to
// clients with this user and password, and everything else by handler. If user
// or password is empty, it serves no profiles.
func withProfiles(handler http.Handler, user, password string) http.Handler {
	if user == "" || password == "" {
		return handler
	}
	guard := svc.Under("/debug/pprof", svc.BasicAuth("profiles", map[string]string{user: password}, nil))
	return guard(svc.Pprof("/debug/pprof")(handler))
}

// withOrigins returns a handler that web pages of these origins may call, such as
// "https://app.example,http://localhost:5173". It is outside of all that can refuse a
// request, so that a page can read why. If there are none, it returns handler itself.
func withOrigins(handler http.Handler, origins string) http.Handler {
	if origins == "" {
		return handler
	}
	return svc.CORS(svc.CORSOptions{Origins: strings.Split(origins, ","), MaxAge: time.Hour})(handler)
}

// newServer returns a server with all four timeouts, so that a slow client cannot
// keep a connection open for ever. net/http sets none of them by default.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // begins when the header is read, so it has to cover ReadTimeout; svc extends it for streams
		IdleTimeout:       2 * time.Minute,
	}
}

// drainTime is how long requests may still take after a signal. It is less than
// 30 seconds, after which Kubernetes kills the process by default.
const drainTime = 25 * time.Second

// readTime is how long open connections are served as before after a signal. What
// clients have sent by then has arrived.
const readTime = 100 * time.Millisecond

// run serves on addr until ctx ends. Then it accepts no more requests and waits
// until those in progress are done, for at most drainTime. It prints the guide
// to out.
func run(ctx context.Context, addr string, out io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	callers, err := parseTokens(os.Getenv("TODO_TOKENS"))
	if err != nil {
		return err
	}
	counts := new(metrics)
	handler := newHandler(newService(newStore(), ctx.Done(), counts.observe, callers), counts)
	handler = withProfiles(callers.guard(handler), os.Getenv("PPROF_USER"), os.Getenv("PPROF_PASSWORD"))
	handler = withOrigins(handler, os.Getenv("TODO_ORIGINS"))
	server := newServer(handler)
	printGuide(out, "http://"+listener.Addr().String())

	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		log.Print("stopping: requests in flight get their answers")
		// Shutdown drops the requests that it finds unread. So first take no new
		// connections, and read what clients have sent on those that are open.
		listener.Close()
		time.Sleep(readTime)
		drain, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		stopped <- server.Shutdown(drain)
	}()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("some requests were cut off after %v: %w", drainTime, err)
	}
	return nil
}

// guide lists what the program serves, with a command to try each route. On a
// new process all commands succeed if they are run from top to bottom.
var guide = []struct{ route, curl string }{
	{"GET /", "curl -H 'Accept: text/markdown' URL/"}, // or open it in a browser
	{"GET /health", "curl URL/health"},
	{"GET /hello", "curl URL/hello"},
	{"GET /users", "curl URL/users"},
	{"POST /echo", `curl -d '{"any":"json"}' URL/echo`},
	{"POST /todos", `curl -H 'Content-Type: application/json' -d '{"title":"Buy milk"}' URL/todos`},
	{"GET /todos", "curl 'URL/todos?page=1&per_page=20'"},
	{"GET /todos/feed", "curl 'URL/todos/feed?limit=20'"},
	{"GET /todos/watch", "curl -N -H 'Last-Event-ID: 0' 'URL/todos/watch?count=1'"},
	{"GET /todos/{id}", "curl URL/todos/1"},
	{"PUT /todos/{id}", `curl -X PUT -H 'Content-Type: application/json' -d '{"title":"Buy milk","completed":true}' URL/todos/1`},
	{"PATCH /todos/{id}", `curl -X PATCH -H 'Content-Type: application/json' -d '{"description":"Two bottles"}' URL/todos/1`},
	{"DELETE /todos/{id}", "curl -X DELETE URL/todos/1"},
	{"GET /todos/plan", "curl 'URL/todos/plan?order=oldest'"},
	{"POST /todos/archive", "curl -X POST URL/todos/archive"},
	{"POST /rpc", `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","method":"todos.list","id":1}' URL/rpc`},
	{"POST /mcp", `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","method":"tools/list","id":1}' URL/mcp`},
	{"GET /openapi.json", "curl URL/openapi.json"},
	{"GET /metrics", "curl URL/metrics"},
}
