package main

// This file stops the server so that no client gets an error.

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// readTime is how long open connections are served after the last one was accepted, so
	// that requests that clients have already sent can arrive.
	readTime = 100 * time.Millisecond

	// endTime is how long requests in progress may take after that. With the flag -drain, it is
	// less than 30 seconds, after which Kubernetes kills the process by default.
	endTime = 25 * time.Second
)

// errTerminated is the cause of a context that ended because of SIGTERM.
var errTerminated = errors.New("the process got SIGTERM")

// untilSignal returns a context that ends at SIGINT or SIGTERM. A second signal kills the
// process.
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

// drainAfter returns a function that waits, if ctx ended because of SIGTERM, until load balancers
// have noticed that they must not send more requests. SIGINT comes from a terminal.
func drainAfter(ctx context.Context, wait time.Duration) func() {
	return func() {
		if context.Cause(ctx) == errTerminated {
			time.Sleep(wait)
		}
	}
}

// serve serves until ctx ends. Then it keeps serving until drain returns, but tells clients to
// reconnect, which leads them to other servers. After that it accepts no connections, calls
// endStreams, and waits for the requests in progress.
func serve(ctx context.Context, server *http.Server, listener net.Listener, drain, endStreams func()) error {
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close") // after this response
		}
		handler.ServeHTTP(w, r)
	})
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		log.Print("stopping: waiting for requests in progress")
		drain()
		// Shutdown drops requests that have not been read. So first accept no new
		// connections, and read the requests on the open ones.
		listener.Close()
		endStreams()
		time.Sleep(readTime)
		end, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		stopped <- server.Shutdown(end)
	}()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("some requests were still in progress after %v: %w", endTime, err)
	}
	return nil
}
