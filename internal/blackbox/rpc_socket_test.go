package blackbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// This file is what clients can do to a connection to JSON-RPC; rest_socket_test.go
// has the same for REST, and the ways to do it.

const rpcSocketPing = `{"jsonrpc":"2.0","method":"math.ping","id":1}`

// Verify that a body that is refused, cut, stalled or too long calls nothing,
// and that its client is told so: at once, where the body does not matter.
func TestRPCBodies(t *testing.T) {
	head := wireHead("POST /rpc")
	plain := strings.Replace(head, "application/json", "text/plain", 1)
	for _, test := range []struct {
		name, text string
		end        bool // of what the client sends
		timeout    time.Duration
		status     int
	}{
		{"chunked", head + chunked(chunks(rpcSocketPing, 3)+lastChunk), false, -1, 200},
		{"cut", head + withLength(100, rpcSocketPing), true, -1, 400},
		{"cut in chunks", head + chunked(chunks(rpcSocketPing, 3)), true, -1, 400},
		{"bad chunk", head + chunked(chunks(rpcSocketPing, 3)+"x\r\n"), false, -1, 400},
		{"stalled", head + withLength(100, rpcSocketPing), false, 20 * time.Millisecond, 408},
		{"stalled in chunks", head + chunked(chunks(rpcSocketPing, 3)), false, 20 * time.Millisecond, 408},
		{"too long", head + withLength(300_001, rpcSocketPing), false, -1, 413},
		{"far too long", head + withLength(1<<62, rpcSocketPing), false, -1, 413},
		{"too long in chunks", head + chunked(chunks(strings.Repeat(" ", 300_001), 100_000)), false, -1, 413},
		{"GET with a body", wireHead("GET /rpc") + withLength(100, "{"), false, -1, 405},
		{"text", plain + withLength(100, "{"), false, -1, 415},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls atomic.Int64
			opts := mathOptions()
			opts.BodyTimeout = test.timeout
			impl := &mathService{called: func(context.Context, string) { calls.Add(1) }}
			server := wireServer(t, svc.MustRegister[MathAPI](impl, opts).RPC(), false)
			conn := wireDial(t, server.Listener.Addr().String())
			conn.send(test.text)
			if test.end {
				conn.end()
			}
			a := conn.answer(t)
			if a.status == test.status && test.status == 200 {
				return
			}
			var body struct {
				Error struct{ Code int }
				ID    json.RawMessage
			}
			err := json.Unmarshal([]byte(a.body), &body)
			if a.status != test.status || err != nil || body.Error.Code != -32600 || string(body.ID) != "null" || calls.Load() != 0 {
				t.Errorf("%d %s after %d calls, want %d", a.status, a.body, calls.Load(), test.status)
			}
		})
	}
}

// Verify that the calls of a batch learn that their client has left.
func TestRPCClientLeaves(t *testing.T) {
	var left atomic.Int64
	called := make(chan struct{}, 8)
	done := make(chan struct{})
	h := newMath(t, &mathService{called: func(ctx context.Context, _ string) {
		called <- struct{}{}
		<-ctx.Done()
		if left.Add(1) == 8 {
			close(done)
		}
	}})
	conn := wireDial(t, wireServer(t, h, false).Listener.Addr().String())
	body := rpcBatchOf(8, rpcPing)
	conn.send(wireHead("POST /rpc") + withLength(int64(len(body)), body))
	for range 8 {
		<-called
	}
	conn.Close()
	<-done
}
