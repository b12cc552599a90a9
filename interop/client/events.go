package main

import (
	"context"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// This file reads a stream over a proxy that cuts its connections anywhere: in the head of a
// response, in an event, in a chunk.

// TickAPI has a stream that can go on.
type TickAPI interface {
	Ticks(ctx context.Context, in *TicksAfter) (svc.Stream[Tick], error)
}

type (
	TicksAfter struct {
		After int `json:"after,omitempty" header:"Last-Event-ID"`
	}
	Tick struct {
		N    int    `json:"n"`
		Text string `json:"text"`
	}
)

// SSE gives each event its place.
func (t *Tick) SSE() svc.Event { return svc.Event{ID: strconv.Itoa(t.N)} }

// ticks is how many events the stream has.
const ticks = 10_000

type ticker struct{}

func (ticker) Ticks(_ context.Context, in *TicksAfter) (svc.Stream[Tick], error) {
	return func(yield func(*Tick, error) bool) {
		for n := in.After + 1; n <= ticks && yield(&Tick{n, tickText(n)}, nil); n++ {
		}
	}, nil
}

// tickText is the text of an event, so that they have several lengths.
func tickText(n int) string { return strings.Repeat("ü", n%50) }

// readEvents reads the stream.
func readEvents() {
	began, options := time.Now(), &svc.Options{Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Ticks": {HTTP: "GET /ticks"}}}
	server := httptest.NewServer(svc.MustRegister[TickAPI](ticker{}, options).REST())
	defer server.Close()
	proxy := &cuttingProxy{to: server.Listener.Addr().String(), listener: must(net.Listen("tcp", "127.0.0.1:0"))}
	defer proxy.listener.Close()
	go proxy.accept()

	var client struct {
		Ticks func(ctx context.Context, in *TicksAfter) (svc.Stream[Tick], error)
	}
	h := &http.Client{Transport: new(http.Transport)}
	err := svc.Connect[TickAPI](&client, "http://"+proxy.listener.Addr().String(), &svc.ClientOptions{HTTPClient: h, Service: options})
	check(err == nil, "%v", err)
	n := 0
	for tick, err := range must(client.Ticks(context.Background(), &TicksAfter{})) {
		n++
		check(err == nil && tick.N == n && tick.Text == tickText(n), "event %d is %+v, %v", n, tick, err)
	}
	proxy.mu.Lock()
	defer proxy.mu.Unlock()
	check(n == ticks && proxy.cuts > 50, "%d events over %d cuts, want %d over more than 50", n, proxy.cuts, ticks)
	log.Printf("a stream of %d events over %d connections, %d of them cut: each once, in order: ok (%v)", n, proxy.connections, proxy.cuts, time.Since(began).Round(time.Second))
}

// A cuttingProxy passes bytes on, until it closes or resets the connection.
type cuttingProxy struct {
	to       string
	listener net.Listener

	mu                sync.Mutex // protects the fields below
	connections, cuts int
}

// accept passes on each connection until the listener is closed.
func (p *cuttingProxy) accept() {
	random := rand.New(rand.NewPCG(41, 2))
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.connections++
		p.mu.Unlock()
		left, reset := int64(random.IntN(10_000)), random.IntN(2) == 0
		if random.IntN(10) == 0 {
			left = int64(random.IntN(300)) // within the head
		}
		go p.pass(client.(*net.TCPConn), left, reset)
	}
}

// pass passes on so many bytes of the answer.
func (p *cuttingProxy) pass(client *net.TCPConn, left int64, reset bool) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	check(err == nil, "%v", err)
	defer server.Close()
	go io.Copy(server, client)
	_, err = io.CopyN(client, server, left)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.cuts++
		if reset {
			client.SetLinger(0)
		}
	}
}
