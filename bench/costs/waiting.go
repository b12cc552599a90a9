package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.com/svc"
)

// A WaitingAPI has calls that wait, and one that does not.
type WaitingAPI interface {
	Get(context.Context, *Numbered) (*Numbered, error)
	Watch(context.Context) (svc.Stream[Numbered], error)
	Ask(context.Context) error // by MCP
}

// Numbered is input and output.
type Numbered struct {
	ID string `path:"id" json:"id"`
}

type waitingThings struct{}

func (waitingThings) Get(_ context.Context, in *Numbered) (*Numbered, error) { return in, nil }

func (waitingThings) Watch(ctx context.Context) (svc.Stream[Numbered], error) {
	return func(func(*Numbered, error) bool) { <-ctx.Done() }, nil
}

func (waitingThings) Ask(ctx context.Context) error {
	return svc.Confirm(ctx, "sure", "Are you sure?")
}

// waitingHandler works on as many requests at once as the template.
func waitingHandler() (http.Handler, error) {
	s, err := svc.Register[WaitingAPI](waitingThings{}, &svc.Options{
		Resource: "things", Logger: slog.New(slog.DiscardHandler), MaxConcurrent: 500,
		Methods: map[string]svc.MethodOptions{"Watch": {HTTP: "GET /things/watch"}},
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.REST())
	mux.Handle("/mcp", s.MCP(nil))
	return mux, nil
}

// What waits while calls are measured, which is more than the service works on at once. A session
// can have 64 questions.
const (
	idle     = 600 // streams
	sessions = 10
	asked    = 60 // questions of each session
)

// slowed is how many times longer a call may take while others wait, and kept how many bytes may
// stay when they have left: they have 40 MB together.
const (
	slowed = 2
	kept   = 4 << 20
)

// waitingClients measures calls without and with clients that wait, in turns, over HTTP/1.1 and
// HTTP/2.
func waitingClients(_, rounds int) error {
	fmt.Printf("a call while %d streams are idle and %d questions wait\n", idle, sessions*asked)
	var failed []error
	for _, http2 := range []bool{false, true} {
		s, err := start(waiting)
		if err != nil {
			return err
		}
		name, protocols := "HTTP/1.1", new(http.Protocols)
		protocols.SetHTTP1(!http2)
		protocols.SetUnencryptedHTTP2(http2)
		if http2 {
			name = "HTTP/2"
		}
		c := &waiter{s, &http.Client{Transport: &http.Transport{Protocols: protocols}}, &http.Client{Transport: &http.Transport{Protocols: protocols}}}
		alone, beside, stays, err := c.compare(min(rounds, 5))
		s.stop()
		if err != nil {
			return fmt.Errorf("a call over %s: %w", name, err)
		}
		times := float64(beside) / float64(alone)
		fmt.Printf("  %-10s %.1f µs, alone %.1f µs: %.2f times, at most %d; %.1f KB stay when they have left\n", name,
			float64(beside.Nanoseconds())/1e3, float64(alone.Nanoseconds())/1e3, times, slowed, stays/1e3)
		if times > slowed {
			failed = append(failed, fmt.Errorf("a call over %s takes %.2f times as long while others wait", name, times))
		}
		if stays > kept {
			failed = append(failed, fmt.Errorf("over %s %.1f MB stay when those that waited have left", name, stays/1e6))
		}
	}
	return errors.Join(failed...)
}

// A waiter has the clients of one server: those that wait, and one that calls.
type waiter struct {
	server *server
	others *http.Client
	client *http.Client
}

// compare returns the least times of a call without others and with them, and the bytes that the
// server has in use when all have left for the last time, beside those when they had left once.
func (c *waiter) compare(rounds int) (alone, beside time.Duration, stays float64, err error) {
	alone, beside = time.Hour, time.Hour
	var first float64
	for round := range rounds + 1 { // the first warms up
		once, err := c.call()
		if err != nil {
			return 0, 0, 0, err
		}
		leave, err := c.wait()
		if err != nil {
			return 0, 0, 0, err
		}
		with, err := c.call()
		leave()
		if err != nil {
			return 0, 0, 0, err
		}
		time.Sleep(200 * time.Millisecond) // until the server has heard of it
		if stays, err = c.server.memory(); err != nil {
			return 0, 0, 0, err
		}
		if round == 0 {
			first = stays
			continue
		}
		alone, beside = min(alone, once), min(beside, with)
	}
	return alone, beside, stays - first, nil
}

// call returns the least time of a call.
func (c *waiter) call() (time.Duration, error) {
	const calls = 100
	least, _, err := timed(10, func() error {
		for range calls {
			r, err := http.NewRequest("GET", "http://"+c.server.address+"/things/7", nil)
			if err != nil {
				return err
			}
			if err := doBy(c.client, r); err != nil {
				return err
			}
		}
		return nil
	})
	return least / calls, err
}

// wait lets the others wait, and returns a function with which all of them leave.
func (c *waiter) wait() (leave func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	for range idle {
		if _, err := c.open(ctx, "GET", "/things/watch", "", ""); err != nil {
			return nil, err
		}
	}
	for range sessions {
		const begin = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}`
		answer, err := c.open(ctx, "POST", "/mcp", begin, "")
		if err != nil {
			return nil, err
		}
		answer.Body.Close()
		for i := range asked {
			const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"things_ask"}}`
			answer, err := c.open(ctx, "POST", "/mcp", fmt.Sprintf(call, i), answer.Header.Get("Mcp-Session-Id"))
			if err != nil {
				return nil, err
			}
			lines := bufio.NewScanner(answer.Body)
			for lines.Scan() && !strings.Contains(lines.Text(), "elicitation/create") {
			}
			if lines.Text() == "" {
				return nil, fmt.Errorf("a question is not asked: %v", lines.Err())
			}
		}
	}
	return cancel, nil
}

// open sends a request and returns its answer, whose body may go on until ctx ends.
func (c *waiter) open(ctx context.Context, method, path, body, session string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.server.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if session != "" {
		r.Header["Mcp-Session-Id"], r.Header["Mcp-Protocol-Version"] = []string{session}, []string{"2025-11-25"}
	}
	answer, err := c.others.Do(r)
	if err == nil && answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return answer, err
}
