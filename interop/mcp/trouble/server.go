package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/svc"
)

// Tools are the tools that clients call in trouble.
type Tools interface {
	// Ask asks the user. The question is open for a second.
	Ask(context.Context, *Text) (*Text, error)
	// Echo says what it was told.
	Echo(context.Context, *Text) (*Text, error)
	// Hold runs until the driver releases it.
	Hold(context.Context, *Text) (*Text, error)
}

// Text is the input and the output of all tools.
type Text struct {
	Text string `json:"text"`
}

// An Answer is the form of the question.
type Answer struct {
	Name string `json:"name"`
}

// maxBody is the limit on a message.
const maxBody = 128 << 10

// tools write what runs to the file calls of a directory, which outlives the process.
type tools struct {
	dir   string
	mu    sync.Mutex
	asked map[string]time.Time // by text, when each question was asked first
}

// note adds a line to the file of the calls.
func (t *tools) note(what, text string) {
	f, err := os.OpenFile(filepath.Join(t.dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %.20s\n", what, text)
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		fatal(err)
	}
}

func (t *tools) Echo(_ context.Context, in *Text) (*Text, error) {
	t.note("echo", in.Text)
	return in, nil
}

func (t *tools) Hold(ctx context.Context, in *Text) (*Text, error) {
	t.note("hold", in.Text)
	err := awaitFile(ctx, filepath.Join(t.dir, "release-"+in.Text))
	t.note("held", in.Text)
	return in, err
}

// awaitFile waits until there is a file of this name.
func awaitFile(ctx context.Context, name string) error {
	for {
		if _, err := os.Stat(name); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (t *tools) Ask(ctx context.Context, in *Text) (*Text, error) {
	t.note("ask", in.Text)
	t.mu.Lock()
	first, ok := t.asked[in.Text]
	if !ok {
		first = time.Now()
		t.asked[in.Text] = first
	}
	t.mu.Unlock()
	if !strings.HasPrefix(in.Text, "late") {
		first = time.Now().Add(time.Minute)
	}
	ctx, cancel := context.WithDeadline(ctx, first.Add(time.Second))
	defer cancel()
	answer, err := svc.Ask[Answer](ctx, "name", "What is your name?")
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded): // also a client that calls again with its answer
		return nil, svc.Errorf(svc.CodeFailedPrecondition, "the answer came too late; call again")
	case err != nil:
		return nil, err
	}
	return &Text{answer.Name}, nil
}

// lone is what clients send that cannot send a lone surrogate. It is as long as the escape.
const lone = "@LONE@"

// receive returns a message as the service gets it, and notes how a client wrote a lone surrogate.
func (t *tools) receive(message []byte) []byte {
	for _, each := range []struct{ form, is string }{
		{"a\xed\xa0\x80b", "bytes"}, {`a\ud800b`, "escape"}, {"a\ufffdb", "replacement"}, {`a\ufffdb`, "replacement"},
		{"a" + lone + "b", "marker"},
	} {
		if bytes.Contains(bytes.ToLower(message), bytes.ToLower([]byte(each.form))) {
			t.note("lone", each.is)
		}
	}
	return bytes.ReplaceAll(message, []byte(lone), []byte(`\ud800`))
}

// A serving says how the server runs.
type serving struct {
	addr, dir, key string
	stdio          bool
}

// serve serves until SIGTERM, or the end of standard input.
func serve(o serving) error {
	t := &tools{dir: o.dir, asked: make(map[string]time.Time)}
	service := svc.MustRegister[Tools](t, &svc.Options{
		Resource: "trouble", MaxBody: maxBody, MaxConcurrent: 1, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Hold": {HTTP: "POST /hold"}},
	})
	mcp := &svc.MCPOptions{StateKey: svc.NewCursorKey([]byte("a key for tests, and no secret: " + o.key))}
	if o.stdio {
		in, out := io.Pipe()
		go t.receiveLines(os.Stdin, out)
		return service.MCPStdio(context.Background(), in, os.Stdout, mcp)
	}
	mux := http.NewServeMux()
	endpoint := service.MCP(mcp)
	mux.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if 0 < r.ContentLength && r.ContentLength < 4096 {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the client is gone
			}
			r.Body = io.NopCloser(bytes.NewReader(t.receive(body)))
		}
		endpoint.ServeHTTP(w, r)
	}))
	mux.Handle("/", service.REST())
	return serveHTTP(o, &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second})
}

// receiveLines copies standard input, with receive for short lines.
func (t *tools) receiveLines(in io.Reader, out *io.PipeWriter) {
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes('\n')
		if len(line) < 4096 {
			line = t.receive(line)
		}
		if len(line) > 0 {
			out.Write(line)
		}
		if err != nil {
			out.CloseWithError(err)
			return
		}
	}
}

// serveHTTP stops as the template does: it accepts no connections, reads the requests on the open
// ones, and waits for those in progress, which it cancels when the driver has made the file cancel.
func serveHTTP(o serving, server *http.Server) error {
	var listener net.Listener
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var err error
		if listener, err = net.Listen("tcp", o.addr); err == nil {
			break
		}
		if time.Now().After(deadline) { // the process before this one has the address
			return err
		}
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	stopping := make(chan struct{})
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stopping:
			w.Header().Set("Connection", "close")
		default:
		}
		handler.ServeHTTP(w, r)
	})
	base, cancelBase := context.WithCancel(context.Background())
	server.BaseContext = func(net.Listener) context.Context { return base }
	go server.Serve(listener)
	fmt.Println("listens at", listener.Addr())
	<-stop
	close(stopping)
	listener.Close()
	time.Sleep(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	go func() {
		awaitFile(ctx, filepath.Join(o.dir, "cancel"))
		cancelBase()
	}()
	return server.Shutdown(ctx)
}
