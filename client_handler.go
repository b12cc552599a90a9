package svc

// This file puts a handler in the place of the network: ClientOptions.Handler serves the calls of
// a client in its own process.

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// A handlerTransport is an http.RoundTripper that calls a handler. The client and the server
// of net/http are at the two ends of a pipe, so both behave as over a network.
type handlerTransport struct{ handler http.Handler }

// RoundTrip sends r over a new connection. Its server uses the context of r, which ends when the
// client leaves. Nothing is kept for the next request, so goroutines do not outlive the response. A
// client waits one second for 100 Continue, like http.DefaultTransport.
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	dial := func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		accepted := make(pipeListener, 1)
		accepted <- pipeConn{far}
		close(accepted)
		left, leave := context.WithCancel(r.Context())
		server := &http.Server{Handler: t.handler, BaseContext: func(net.Listener) context.Context { return left }}
		go server.Serve(accepted) // it returns after one Accept; the connection ends with near
		return clientConn{near, left, leave}, nil
	}
	transport := &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true, ExpectContinueTimeout: time.Second}
	return transport.RoundTrip(r)
}

// A clientConn is the client's end of the pipe. If the server responds and closes before it has
// read the whole request, Write waits for the client to leave, because an error of Write would hide
// the response.
type clientConn struct {
	net.Conn
	left  context.Context
	leave context.CancelFunc
}

func (c clientConn) Write(p []byte) (n int, err error) {
	if n, err = c.Conn.Write(p); err == io.ErrClosedPipe {
		<-c.left.Done()
	}
	return n, err
}

// Close also ends the context of the server: net/http checks whether the client has left only after
// it has read the whole request.
func (c clientConn) Close() error {
	c.leave()
	return c.Conn.Close()
}

// A pipeListener accepts the connections in it.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	if conn := <-l; conn != nil {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l pipeListener) Addr() net.Addr { return pipeConn{}.RemoteAddr() }

// Close does nothing. A server closes its listener when Serve returns, which is before its
// connection ends.
func (l pipeListener) Close() error { return nil }

// A pipeConn is a connection to a client with an IP address, which middleware may need.
type pipeConn struct{ net.Conn }

// RemoteAddr returns an address for documentation (RFC 5737), as package httptest does.
func (pipeConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1234}
}
