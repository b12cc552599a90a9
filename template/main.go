// Command template is a program to copy: a todo service with an in-memory
// store, and a few plain handlers beside it.
//
// main.go starts and stops the server and says what is where; todo.go is the
// service, store.go what it keeps, and handlers.go the handlers that are not
// part of it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/svc"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on; with port 0, a free port")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := run(ctx, *addr, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// newHandler returns everything that the program serves to the public. What
// wraps all of it is applied here, the outermost last.
func newHandler(todos *svc.Service) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", health)
	mux.HandleFunc("GET /hello", hello)
	mux.HandleFunc("GET /users", users)
	mux.Handle("POST /echo", svc.Handle(echo, nil, nil))
	mux.Handle("/openapi.json", todos.OpenAPI())
	mux.Handle("/rpc", todos.RPC())
	mux.Handle("/mcp", todos.MCP(nil))
	mux.Handle("/", versions()(todos.REST())) // and the 404 for what is nowhere

	var handler http.Handler = mux
	handler = svc.Recover(nil, nil)(handler)
	return handler
}

// versions is the middleware that lets clients ask for a version of the API, by
// the header Accept-Version or the parameter version. Methods learn it from
// svc.GetVersion. Here, v1 and v2 are the same; v1 shows how to take leave of
// one.
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

// withProfiles serves /debug/pprof/ to whoever knows the user and the password.
// Without both, there are no profiles to be had.
func withProfiles(handler http.Handler, user, password string) http.Handler {
	if user == "" || password == "" {
		return handler
	}
	guard := svc.Under("/debug/pprof", svc.BasicAuth("profiles", map[string]string{user: password}, nil))
	return guard(svc.Pprof("/debug/pprof")(handler))
}

// newServer returns a server that no slow client can hold on to for ever.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // counts from the header, so it has to cover ReadTimeout; streams extend it
		IdleTimeout:       2 * time.Minute,
	}
}

// drainTime is how long requests in flight may take after a signal. It is less
// than the 30 seconds that Kubernetes and Docker Swarm leave a process.
const drainTime = 25 * time.Second

// run serves on addr until ctx ends; then it finishes what is in flight.
func run(ctx context.Context, addr string, out io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	handler := withProfiles(newHandler(newService(newStore(), ctx.Done())), os.Getenv("PPROF_USER"), os.Getenv("PPROF_PASSWORD"))
	server := newServer(handler)
	printGuide(out, "http://"+listener.Addr().String())

	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		log.Print("stopping: requests in flight get their answers")
		drain, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		stopped <- server.Shutdown(drain)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("some requests were cut off after %v: %w", drainTime, err)
	}
	return nil
}

// guide says what the program serves, with a command to try each route. From
// top to bottom, on a new process, every command succeeds.
var guide = []struct{ route, curl string }{
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
	{"DELETE /todos/{id}", "curl -X DELETE URL/todos/1"},
	{"POST /todos/archive", "curl -X POST URL/todos/archive"},
	{"POST /rpc", `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","method":"todos.list","id":1}' URL/rpc`},
	{"POST /mcp", `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","method":"tools/list","id":1}' URL/mcp`},
	{"GET /openapi.json", "curl URL/openapi.json"},
}
