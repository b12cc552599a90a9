// Command server serves the bookmarks of package bookmarks from a PostgreSQL database. It keeps no
// state: run as many processes as you like behind a load balancer.
//
//	DATABASE_URL=postgres://… server -addr 127.0.0.1:8080
//
//	main.go      the process: its configuration, start and stop, routes, metrics
//	service.go   the methods, with their SQL
//	archive.go   work that continues after its call
//	hooks.go     events for subscribers
//	postgres.go  the database: migrations, transactions with keys, tokens, errors
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"example.com/svc"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on; with port 0, a free port")
	drain := flag.Duration("drain", 5*time.Second, "for how `long` to say after SIGTERM that this process is not ready, and serve, before it stops")
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	if err := run(untilSignal(), os.Getenv("DATABASE_URL"), *addr, *drain); err != nil {
		slog.Error("the server ends", "error", err)
		os.Exit(1)
	}
}

// errTerminated is the cause of a context that ended because of SIGTERM.
var errTerminated = errors.New("the process got SIGTERM")

// untilSignal returns a context that ends at SIGINT or SIGTERM. A second signal ends the
// process at once.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cause := error(nil)
		if <-signals == syscall.SIGTERM {
			cause = errTerminated
		}
		signal.Stop(signals)
		cancel(cause)
	}()
	return ctx
}

// run serves until ctx ends. After SIGTERM it reports for drain that it is not ready, so that load
// balancers send no more requests, and asks clients to close their connections. Then it lets the
// requests in flight end.
func run(ctx context.Context, databaseURL, addr string, drain time.Duration) error {
	db, err := openPostgres(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer db.pool.Close()
	var background sync.WaitGroup
	defer background.Wait() // for attempts that have begun, before the pool is closed
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
	hooks := &hookSender{pool: db.pool, client: newHookClient(), pause: pauseAfter, idle: time.Second}
	background.Add(1)
	sending, stopSending := context.WithCancel(ctx)
	defer stopSending()
	go func() {
		defer background.Done()
		hooks.run(sending)
	}()
	fmt.Println("listening on http://" + listener.Addr().String())

	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		if context.Cause(ctx) == errTerminated { // SIGINT comes from a terminal
			time.Sleep(drain)
		}
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

// newHandler returns the handler of everything that the process serves. Behind Bearer
// are the methods, which ask for scopes; the documents and the page are for everybody.
// When ctx ends the process is about to stop, and when stopping is closed it stops.
func newHandler(ctx context.Context, db *postgres, stopping <-chan struct{}) http.Handler {
	counts, mux := &metrics{count: map[string]int{}, took: map[string]time.Duration{}}, http.NewServeMux()
	service := newService(db, stopping, counts.observe)
	mux.Handle("/", service.REST())
	mux.Handle("/rpc", service.RPC())
	mux.Handle("/mcp", service.MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey(db.stateKey)}))
	mux.Handle("/openapi.json", service.OpenAPI())
	docs := service.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp", OpenAPI: "openapi.json"})
	mux.Handle("/{$}", docs)
	mux.Handle("/llms.txt", docs) // the same for assistants
	guard := svc.Bearer(db.verify, &svc.BearerOptions{Optional: true})

	front := http.NewServeMux()
	front.Handle("/", guard(mux))
	// Outside of the guard, and not passed on by a proxy that faces the public.
	front.HandleFunc("GET /livez", func(http.ResponseWriter, *http.Request) {}) // an error restarts the process
	// An error stops new requests. The database does not count, or while it is down no process is
	// ready.
	front.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			svc.WriteError(w, r, errStopping)
		}
	})
	front.Handle("GET /metrics", counts)
	recovering := svc.Recover(nil)(front)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close") // the client reconnects, to a different process
		}
		recovering.ServeHTTP(w, r)
	})
}

// metrics has the number of calls and the time they took, by their labels: the call and its
// outcome. Labels have few values, and clients cannot choose them.
type metrics struct {
	mu    sync.Mutex
	count map[string]int
	took  map[string]time.Duration
}

// observe is svc.Options.Observe. It logs who called too; svc logs why a call failed.
func (m *metrics) observe(ctx context.Context, o svc.Observation) {
	method, code, subject := o.Resource+"."+o.Method, svc.CodeOf(o.Err), ""
	if p, ok := svc.PrincipalFrom(ctx); ok {
		subject = p.Subject
	}
	slog.InfoContext(ctx, "call", "transport", o.Transport, "method", method, "code", code, "seconds", o.Duration.Seconds(), "subject", subject)
	labels := fmt.Sprintf("{transport=%q,method=%q,code=%q}", o.Transport, method, code)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count[labels]++
	m.took[labels] += o.Duration
}

// ServeHTTP writes the text form of Prometheus, version 0.0.4.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := []byte("# HELP svc_call_seconds How many calls ended and how long they took.\n# TYPE svc_call_seconds summary\n")
	m.mu.Lock()
	for _, labels := range slices.Sorted(maps.Keys(m.count)) {
		text = fmt.Appendf(text, "svc_call_seconds_count%s %d\nsvc_call_seconds_sum%s %g\n", labels, m.count[labels], labels, m.took[labels].Seconds())
	}
	m.mu.Unlock() // before a slow reader
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(text)
}
