// Command template is a program to copy: a todo service that keeps its data in memory,
// and a few plain handlers.
//
//	main.go       the server: routes, middleware, timeouts
//	shutdown.go   its end after a signal
//	todo.go       the service: its interface, inputs, outputs and methods
//	watch.go      the method that streams
//	files.go      the methods that read and return a file
//	app.go        the page in app/, which calls the service from a browser
//	assistant.go  a prompt, resources and a question for AI assistants
//	words.go      what is wrong with an input, in German
//	store.go      the data
//	handlers.go   handlers that are not methods of the service
//	metrics.go    counts of calls, for Prometheus
//	tokens.go     the access tokens in TODO_TOKENS
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
	"strings"
	"time"

	"example.com/svc"
)

// main parses the flags and serves until the process gets SIGINT or SIGTERM.
func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on; with port 0, a free port")
	stdio := flag.Bool("mcp", false, "serve an AI assistant on standard input and output")
	probe := flag.Bool("health", false, "check the health of the process at the address; exit with 0 if it is healthy")
	drain := flag.Duration("drain", 3*time.Second, "for how `long` to accept requests after SIGTERM, so that load balancers can stop sending them")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	ctx := untilSignal()
	err := error(nil)
	switch {
	case *probe:
		err = askHealth(ctx, *addr)
	case *stdio:
		out := os.Stdout
		os.Stdout = os.Stderr // other text on standard output would garble the messages
		err = runMCP(ctx, os.Stdin, out)
	default:
		err = run(ctx, *addr, *drain, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// runMCP serves one assistant until it closes in, or until ctx ends. Nothing else may
// write to out.
func runMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	err := newService(newStore(), ctx.Done(), nil, nil).MCPStdio(ctx, in, out, mcpOptions())
	if ctx.Err() != nil {
		return nil // a signal is not an error
	}
	return err
}

// newHandler returns the handler for all public routes. Middleware for all routes is
// applied at the end, the outermost last.
func newHandler(todos *svc.Service, counts *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /health", ignoreBody(health))
	mux.Handle("GET /metrics", ignoreBody(counts.ServeHTTP))
	mux.Handle("GET /hello", ignoreBody(hello))
	mux.Handle("GET /users", ignoreBody(users))
	mux.Handle("POST /echo", fromHere(svc.Handle(echo, nil)))
	mux.Handle("/openapi.json", todos.OpenAPI())
	client := todos.TypeScript() // for front ends, with and without types
	mux.Handle("/client.ts", client)
	mux.Handle("/client.js", client)
	mux.Handle("/rpc", todos.RPC())
	mux.Handle("/mcp", todos.MCP(mcpOptions()))
	mux.Handle("GET /app/", ignoreBody(app))
	docs := todos.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp", OpenAPI: "openapi.json", Client: "client.ts"})
	mux.Handle("/{$}", docs) // a page that describes the service and can call it
	mux.Handle("/llms.txt", docs)
	mux.Handle("/", versions()(todos.REST())) // also responds with 404 to all other paths

	var handler http.Handler = mux
	handler = svc.Recover(nil)(handler)
	return handler
}

// versions returns middleware that lets clients choose a version of the API, with the
// header Accept-Version or the query parameter version. Methods read it with
// svc.GetVersion. Here v1 and v2 do the same; v1 is announced as deprecated.
func versions() func(http.Handler) http.Handler {
	return svc.Version(&svc.VersionOptions{
		DefaultVersion: "v2",
		Supported:      []string{"v1", "v2"},
		Deprecations: map[string]svc.Deprecation{"v1": {
			Since:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Sunset: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
			Link:   "https://example.com/docs/from-v1-to-v2",
		}},
	})
}

// withProfiles returns a handler that serves profiles below /debug/pprof to clients with
// this user and password. Other requests go to handler. If user or password is empty,
// there are no profiles.
func withProfiles(handler http.Handler, user, password string) http.Handler {
	if user == "" || password == "" {
		return handler
	}
	guard := svc.Under("/debug/pprof", svc.BasicAuth("profiles", map[string]string{user: password}, nil))
	return guard(svc.Pprof("/debug/pprof")(handler))
}

// withOrigins returns a handler that pages of these origins may call, such as
// "https://app.example,http://localhost:5173". Use it outside of all middleware that
// can reject a request, so that pages can read the error. If origins is empty, it
// returns handler.
func withOrigins(handler http.Handler, origins string) http.Handler {
	if origins == "" {
		return handler
	}
	return svc.CORS(&svc.CORSOptions{AllowedOrigins: strings.Split(origins, ","), MaxAge: time.Hour})(handler)
}

// newServer returns a server with all four timeouts, so that slow clients cannot keep
// connections open for ever. net/http has no default timeouts.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // starts when the header is read, so it must be longer than ReadTimeout; svc extends it for streams
		IdleTimeout:       2 * time.Minute,
	}
}

// run prints the guide to out and serves on addr until ctx ends; then it stops as serve
// says.
func run(ctx context.Context, addr string, drain time.Duration, out io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	callers, err := parseTokens(os.Getenv("TODO_TOKENS"))
	if err != nil {
		return err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && callers == nil && !tcp.IP.IsLoopback() {
		log.Print("everybody who can reach this address may call; set TODO_TOKENS")
	}
	counts, stopping := new(metrics), make(chan struct{})
	handler := newHandler(newService(newStore(), stopping, counts.observe, callers), counts)
	handler = withProfiles(callers.guard(handler), os.Getenv("PPROF_USER"), os.Getenv("PPROF_PASSWORD"))
	handler = withOrigins(handler, os.Getenv("TODO_ORIGINS"))
	server := newServer(handler)
	printGuide(out, "http://"+listener.Addr().String())
	return serve(ctx, server, listener, drainAfter(ctx, drain), func() { close(stopping) })
}

// guide lists the routes, with a command to try each of them. In a new process all
// commands succeed if they are run in this order.
var guide = []struct{ route, curl string }{
	{"GET /", "curl -H 'Accept: text/markdown' URL/"}, // or open it in a browser
	{"GET /app/", "curl URL/app/"},                    // a page that uses the service: open it in a browser
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
	{"GET /todos/export", "curl URL/todos/export"},
	{"POST /todos/import", `curl -H 'Content-Type: text/csv' --data-binary 'Buy milk,Two bottles' URL/todos/import`},
	{"POST /todos/archive", "curl -X POST URL/todos/archive"},
	{"POST /rpc", `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","method":"todos.list","id":1}' URL/rpc`},
	{"POST /mcp", `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","method":"tools/list","id":1}' URL/mcp`},
	{"GET /openapi.json", "curl 'URL/openapi.json?openapi=3.1'"}, // for code generators
	{"GET /client.ts", "curl URL/client.ts"},                     // for front ends; client.js is the same without types
	{"GET /metrics", "curl URL/metrics"},
}
