package main

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// listen returns a listener on a free port.
func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	return l
}

// A cuttingProxy passes bytes on, until it closes or resets the connection: in the head of a
// response, in an event, in a character.
type cuttingProxy struct {
	to string
	net.Listener

	mu     sync.Mutex // protects the fields below
	inHead bool       // the last connection was cut in the head, so that the next is not: a call is sent three times
	random *rand.Rand
}

func newCuttingProxy(to string) *cuttingProxy {
	p := &cuttingProxy{to: to, Listener: listen(), random: rand.New(rand.NewPCG(42, 1))}
	go p.accept()
	return p
}

func (p *cuttingProxy) url() string { return "http://" + p.Addr().String() }

// accept passes on each connection until the listener is closed.
func (p *cuttingProxy) accept() {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		left, reset := int64(1000+p.random.IntN(20_000)), p.random.IntN(2) == 0
		if p.inHead = !p.inHead && p.random.IntN(10) == 0; p.inHead {
			left = int64(p.random.IntN(300))
		}
		p.mu.Unlock()
		go p.pass(client.(*net.TCPConn), left, reset)
	}
}

// pass passes on so many bytes of the answer.
func (p *cuttingProxy) pass(client *net.TCPConn, left int64, reset bool) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	check(err)
	defer server.Close()
	go io.Copy(server, client)
	_, err = io.CopyN(client, server, left)
	time.Sleep(10 * time.Millisecond) // a stream that fails drops what was not read from it
	if err == nil && reset {
		client.SetLinger(0)
	}
}

// A lossyProxy breaks connections as the header X-Lose of a request says: with "ba" it loses the
// first attempt of an X-Row before the server has it, and the answer to the second. A connection
// serves one request, so that no client sends one again because a kept connection was gone.
type lossyProxy struct {
	to string
	net.Listener

	mu   sync.Mutex // protects the field below
	seen map[string]int
}

func newLossyProxy(to string) *lossyProxy {
	p := &lossyProxy{to: to, Listener: listen(), seen: make(map[string]int)}
	go func() {
		for {
			client, err := p.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

func (p *lossyProxy) url() string { return "http://" + p.Addr().String() }

// serve passes on one request, or loses it or its answer.
func (p *lossyProxy) serve(client net.Conn) {
	defer client.Close()
	r, err := http.ReadRequest(bufio.NewReader(client))
	if err != nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	plan := r.Header.Get("X-Lose")
	p.mu.Lock()
	n := p.seen[r.Header.Get("X-Row")]
	p.seen[r.Header.Get("X-Row")]++
	p.mu.Unlock()
	lose := byte('-')
	if n < len(plan) {
		lose = plan[n]
	}
	if lose == 'b' {
		return
	}
	p.pass(client, r, body, lose == 'a')
}

// pass sends a request to the server, and its answer to the client unless it is lost.
func (p *lossyProxy) pass(client net.Conn, r *http.Request, body []byte, lost bool) {
	server, err := net.Dial("tcp", p.to)
	check(err)
	defer server.Close()
	r.Header.Set("Connection", "close")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	check(r.Write(server))
	answer, err := io.ReadAll(server)
	check(err)
	if !lost {
		client.Write(answer)
	}
}
