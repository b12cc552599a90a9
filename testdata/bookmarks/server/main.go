// Command server serves the bookmarks of package bookmarks from a PostgreSQL database.
// It keeps nothing itself: run as many processes as you like behind a load balancer.
//
//	DATABASE_URL=postgres://… server -addr 127.0.0.1:8080
//
//	main.go      the process: its configuration, routes, start and stop
//	service.go   the methods, with what does not depend on the database
//	postgres.go  the database: queries, migrations, tokens, errors
//	observe.go   metrics and the log of calls
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
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
	drain := flag.Duration("drain", 5*time.Second, "for how long to say that this process is not ready before it stops")
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Getenv("DATABASE_URL"), *addr, *drain); err != nil {
		slog.Error("the server ends", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Then it says for drain that it is not ready, so that load
// balancers send nothing more, and after that it lets the requests in flight end.
func run(ctx context.Context, databaseURL, addr string, drain time.Duration) error {
	db, err := openPostgres(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer db.pool.Close()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	stopping := make(chan struct{})
	server := &http.Server{
		Handler:           newHandler(ctx, db, stopping),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // svc extends it for streams
		IdleTimeout:       2 * time.Minute,
	}
	server.RegisterOnShutdown(func() { close(stopping) }) // Shutdown waits for streams
	fmt.Println("listening on http://" + listener.Addr().String())

	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		time.Sleep(drain)
		// Shutdown drops requests that it finds unread. So first take no new connections.
		listener.Close()
		time.Sleep(100 * time.Millisecond)
		limit, cancel := context.WithTimeout(context.Background(), 20*time.Second) // Kubernetes kills after 30
		defer cancel()
		stopped <- server.Shutdown(limit)
	}()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return <-stopped
}

// maxRequests is how many requests are served at a time, streams included. Together
// with the largest body it bounds the memory that clients can make the process use.
const maxRequests = 1000

// newHandler returns the handler of everything that the process serves. Behind Bearer
// are the methods, which ask for scopes; the documents and the page are for everybody.
// When ctx ends the process is about to stop, and when stopping is closed it stops.
func newHandler(ctx context.Context, db *postgres, stopping <-chan struct{}) http.Handler {
	counts, mux := &metrics{count: map[string]int{}, took: map[string]time.Duration{}}, http.NewServeMux()
	service := newService(db, stopping, counts.observe)
	mux.Handle("/", service.REST())
	mux.Handle("/rpc", service.RPC())
	mux.Handle("/mcp", service.MCP(nil))
	mux.Handle("/openapi.json", service.OpenAPI())
	docs := service.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp"})
	mux.Handle("/{$}", docs)
	mux.Handle("/llms.txt", docs) // the same for assistants
	guard := svc.Bearer(db.verify, svc.BearerOptions{Optional: true})

	front := http.NewServeMux()
	front.Handle("/", svc.Limit(maxRequests, nil)(guard(mux)))
	// Outside of the limit, and not passed on by a proxy that faces the public.
	front.HandleFunc("GET /livez", func(http.ResponseWriter, *http.Request) {}) // else: start me anew
	// else: send me nothing more; not while the database is down, or no process is ready
	front.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			svc.WriteError(w, r, errStopping)
		}
	})
	front.Handle("GET /metrics", counts)
	return svc.Recover(nil, nil)(front)
}
