package main

// This file has the clients that misbehave. Each function does it once.

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

var disturbances = []struct {
	name string
	do   func(r *run, random *rand.Rand) error
}{
	{"streams left", leaveStream},
	{"streams read to the end", readStream},
	{"bodies cut", cutBody},
	{"bodies stalled", stallBody},
	{"resets", reset},
	{"slow readers", readSlowly},
	{"batches left", leaveBatch},
	{"batches over the budget", askForMuch},
	{"garbage", sendGarbage},
	{"errors asked for", askForError},
}

// dial opens a connection of its own, and sends a request.
func (r *run) dial(request string) (*net.TCPConn, error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		return nil, err
	}
	conn := c.(*net.TCPConn)
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, request); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func request(line string, length int, body string) string {
	return fmt.Sprintf("%s HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", line, length, body)
}

// ms returns a time of up to n ms.
func ms(random *rand.Rand, n int) time.Duration {
	return time.Duration(random.IntN(n*1000)) * time.Microsecond
}

// ignore drops the error of a client that left on purpose.
func ignore(error) error { return nil }

func leaveStream(r *run, random *rand.Rand) error {
	ctx, cancel := context.WithTimeout(context.Background(), ms(random, 300))
	defer cancel()
	_, err := r.post(ctx, "GET", "/items/watch", "")
	return ignore(err)
}

func readStream(r *run, random *rand.Rand) error {
	path, body := "/items/watch?count=5", ""
	if random.IntN(2) == 0 {
		path, body = "/rpc", rpcRequest("items.watch", map[string]int{"count": 5}, 1)
	}
	method := map[bool]string{true: "GET", false: "POST"}[body == ""]
	text, err := r.post(context.Background(), method, path, body)
	want := map[bool]string{true: "event: done", false: `"items":[`}[body == ""]
	if err == nil && !strings.Contains(string(text), want) && !r.stopping.Load() {
		r.complain("%s ends in %.300s", path, text[max(0, len(text)-300):])
	}
	return err
}

func cutBody(r *run, random *rand.Rand) error {
	path := []string{"PUT /items/cut-", "POST /rpc?", "POST /mcp?"}[random.IntN(3)]
	conn, err := r.dial(request(fmt.Sprint(path, random.Int64()), 1000, `{"value":"cut"`))
	if err != nil {
		return err
	}
	time.Sleep(ms(random, 50))
	if random.IntN(2) == 0 {
		conn.CloseWrite()
		io.Copy(io.Discard, conn)
	}
	return ignore(conn.Close())
}

// stallBody sends half a body and then waits for the answer, 408.
func stallBody(r *run, random *rand.Rand) error {
	conn, err := r.dial(request("POST /rpc", 1000, `{"jsonrpc"`))
	if err != nil {
		return err
	}
	defer conn.Close()
	answer, err := io.ReadAll(conn)
	if err == nil && !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") && !r.stopping.Load() {
		r.complain("a stalled body is answered with %.100q", answer)
	}
	return err
}

// reset writes an item and resets the connection, before, while or after the
// answer comes.
func reset(r *run, random *rand.Rand) error {
	conn, err := r.dial(request(fmt.Sprintf("PUT /items/reset-%d", random.IntN(100)), 13, `{"value":"r"}`))
	if err != nil {
		return err
	}
	time.Sleep(ms(random, 2))
	conn.SetLinger(0)
	return ignore(conn.Close())
}

func readSlowly(r *run, random *rand.Rand) error {
	conn, err := r.dial("GET /items/large?kib=4096 HTTP/1.1\r\nHost: soak\r\n\r\n")
	if err != nil {
		return err
	}
	conn.SetReadBuffer(1 << 10)
	for range 10 {
		if _, err = io.CopyN(io.Discard, conn, 512); err != nil {
			break
		}
		time.Sleep(ms(random, 100))
	}
	if random.IntN(2) == 0 {
		conn.SetLinger(0)
	}
	return ignore(conn.Close())
}

func leaveBatch(r *run, random *rand.Rand) error {
	batch := "[" + strings.Repeat(rpcRequest("items.wait", nil, 1)+",", 200) + rpcRequest("items.wait", nil, 2) + "]"
	ctx, cancel := context.WithTimeout(context.Background(), ms(random, 100))
	defer cancel()
	_, err := r.post(ctx, "POST", "/rpc", batch)
	return ignore(err)
}

// askForMuch asks for 80 MiB and gets 16.
func askForMuch(r *run, _ *rand.Rand) error {
	one := rpcRequest("items.large", map[string]int{"kib": 4096}, 1)
	text, err := r.post(context.Background(), "POST", "/rpc", "["+strings.Repeat(one+",", 19)+one+"]")
	if n := strings.Count(string(text), `"id":1`); err == nil && (n != 20 || len(text) > 17<<20) {
		r.complain("%d answers of %d bytes", n, len(text))
	}
	return err
}

func sendGarbage(r *run, random *rand.Rand) error {
	path := []string{"/items/garbage", "/rpc", "/mcp"}[random.IntN(3)]
	text := []byte(`[{"jsonrpc":"2.0","id":1,"method":"items.get","params":{"key":"none"}},{"value":1}]`)
	for range 1 + random.IntN(4) {
		text[random.IntN(len(text))] = byte(random.IntN(256))
	}
	_, err := r.post(context.Background(), "POST", path, string(text))
	return err
}

func askForError(r *run, random *rand.Rand) error {
	in := fmt.Sprintf(`{"panic":%t}`, random.IntN(2) == 0)
	if random.IntN(2) == 0 {
		_, err := r.post(context.Background(), "POST", "/items/fail", in)
		return err
	}
	one := `{"jsonrpc":"2.0","id":1,"method":"items.fail","params":` + in + "}"
	_, err := r.post(context.Background(), "POST", "/rpc", "["+strings.Repeat(one+",", 30)+one+"]")
	return err
}
