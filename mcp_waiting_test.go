package svc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// waitingAPI has a method that reports progress around a question.
type waitingAPI interface {
	Wait(context.Context, *waitingIn) error
}

type waitingIn struct {
	Before []float64 `json:"before,omitempty"` // reported before the question
	After  []float64 `json:"after,omitempty"`
}

type waitingImpl struct{}

func (waitingImpl) Wait(ctx context.Context, in *waitingIn) error {
	for _, done := range in.Before {
		Progress(ctx, done, 0, "own")
	}
	_, err := AskClient(ctx, "q", "roots/list", nil)
	for _, done := range in.After {
		Progress(ctx, done, 0, "own")
	}
	return err
}

// A waitingClient sends messages, and returns the next one of the server.
type waitingClient struct {
	send func(text string)
	next func() []byte
}

// waitOver serves h over HTTP or over standard input and output.
func waitOver(t *testing.T, s *Service, http bool) waitingClient {
	if !http {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() {
			s.MCPStdio(context.Background(), in, out, nil)
			out.Close()
		}()
		t.Cleanup(func() { toServer.Close() })
		lines := bufio.NewScanner(fromServer)
		return waitingClient{
			func(text string) { fmt.Fprintln(toServer, text) },
			func() []byte { lines.Scan(); return append([]byte(nil), lines.Bytes()...) },
		}
	}
	server := httptest.NewServer(s.newMCPHandler(nil))
	t.Cleanup(server.Close)
	c := &askedClient{t, server.URL, "", server.Client()}
	messages := make(chan []byte, 10000)
	return waitingClient{
		func(text string) {
			w := c.post(text)
			if session := w.Header.Get(sessionHeader); session != "" {
				c.session = session
			}
			go func() {
				defer w.Body.Close()
				for lines := bufio.NewScanner(w.Body); lines.Scan(); {
					if text := strings.TrimPrefix(lines.Text(), "data: "); strings.HasPrefix(text, "{") {
						messages <- []byte(text)
					}
				}
			}()
		},
		func() []byte { return <-messages },
	}
}

// Verify the progress of a call whose question waits: of each heartbeat, always more than before, and
// never in the way of what the method reports.
func TestMCPWaiting(t *testing.T) {
	many := make([]float64, freeNotifications-2) // with two more they are sent at any rate
	for i := range many {
		many[i] = float64(i + 1)
	}
	numbers := func(list []float64) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ",") }
	for _, test := range []struct {
		name          string
		before, after []float64
		least         float64 // of the first report of svc
	}{
		{"nothing is reported", nil, nil, firstWait},
		{"reports after it", nil, []float64{0.5, 1}, firstWait},
		{"reports around it", []float64{1, 2}, []float64{2.0000001, 3}, math.Nextafter(2, 3)},
		{"a bound on reports", many, []float64{1000, 1001}, math.Nextafter(float64(len(many)), 1000)},
		{"no number is greater", []float64{math.MaxFloat64}, nil, 0},
	} {
		for _, http := range []bool{true, false} {
			t.Run(fmt.Sprint(test.name, ", HTTP ", http), func(t *testing.T) {
				s := MustRegister[waitingAPI](waitingImpl{}, &Options{Resource: "w", Logger: quiet})
				s.methods[0].config.eventTimes.heartbeat = time.Millisecond
				c := waitOver(t, s, http)
				c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}`)
				c.next()
				c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w_wait","arguments":{"before":` + numbers(test.before) +
					`,"after":` + numbers(test.after) + `},"_meta":{"progressToken":"p"}}}`)
				var own []float64
				last, waits, question := math.Inf(-1), 0, ""
				for {
					m := c.next()
					if len(m) == 0 || memberAt(m, "result") != nil {
						break
					}
					if textAt(m, "method") == "roots/list" {
						question = textAt(m, "id")
					}
					if textAt(m, "method") == "notifications/progress" {
						done, _ := strconv.ParseFloat(string(memberAt(m, "params", "progress")), 64)
						if done <= last || memberAt(m, "params", "total") != nil {
							t.Errorf("%s after %v", m, last)
						}
						last = done
						if textAt(m, "params", "message") == "own" {
							own = append(own, done)
						} else if waits++; waits == 1 && done != test.least || textAt(m, "params", "message") != "waiting for the user" {
							t.Errorf("%s, want %v", m, test.least)
						}
					}
					if question != "" && (waits == 3 || test.least == 0) {
						c.send(`{"jsonrpc":"2.0","id":"` + question + `","result":{"roots":[]}}`)
						question = ""
					}
				}
				if want := append(append([]float64(nil), test.before...), test.after...); fmt.Sprint(own) != fmt.Sprint(want) {
					t.Errorf("reported are %v, want %v", own, want)
				}
			})
		}
	}
}
