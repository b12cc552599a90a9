package blackbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// This file is what clients can do to a connection: bodies in pieces, too long,
// too short and too slow, requests in a row, and leaving.

// wirePatience is for tests that would otherwise hang where svc does. It is
// below the default BodyTimeout: an answer that only that brings is too late.
const wirePatience = 20 * time.Second

// A wireConn is a connection to a server, with nothing in between.
type wireConn struct {
	net.Conn
	r *bufio.Reader
}

func wireDial(t testing.TB, addr string) *wireConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(wirePatience))
	return &wireConn{conn, bufio.NewReader(conn)}
}

// send sends text as it stands. The server may have hung up already.
func (c *wireConn) send(text string) { io.WriteString(c, text) }

// end tells the server that nothing more comes, and keeps listening.
func (c *wireConn) end() { c.Conn.(*net.TCPConn).CloseWrite() }

// answer reads one response. The body of one to HEAD is not there.
func (c *wireConn) answer(t testing.TB) wireAnswer {
	t.Helper()
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Fatalf("reading the answer: %v", err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("reading the body of the answer: %v", err)
	}
	if res.Close {
		res.Header.Set("Connection", "close") // which net/http takes out
	}
	return wireAnswer{res.StatusCode, res.Header, string(body)}
}

// mustRefuse complains if the answer is not an error of that status, after which
// the server hangs up.
func (c *wireConn) mustRefuse(t testing.TB, name string, status int) {
	t.Helper()
	a := c.answer(t)
	if a.status != status || a.header.Get("Connection") != "close" {
		t.Errorf("%s: status %d, Connection %q, want %d and close", name, a.status, a.header.Get("Connection"), status)
	}
	checkWireError(t, name, a)
	c.mustClose(t, name)
}

// mustClose complains if the server does not hang up.
func (c *wireConn) mustClose(t testing.TB, name string) {
	t.Helper()
	if n, err := io.Copy(io.Discard, c.r); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s: the connection is open after the answer: %d bytes more, %v", name, n, err)
	}
}

// wireHead is the head of a request, without the line that says how long the
// body is and the empty line.
func wireHead(line string) string {
	return line + " HTTP/1.1\r\nHost: svc.test\r\nContent-Type: application/json\r\n"
}

func withLength(n int64, body string) string {
	return "Content-Length: " + strconv.FormatInt(n, 10) + "\r\n\r\n" + body
}

func chunked(body string) string { return "Transfer-Encoding: chunked\r\n\r\n" + body }

// chunks writes body in chunks of at most size bytes, without the last one.
func chunks(body string, size int) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String()
}

const lastChunk = "0\r\n\r\n"

func TestChunkedBodies(t *testing.T) {
	title := strings.Repeat("é", 1500)
	body := `{"title":"` + title + `","size":9007199254740993}`
	for _, line := range []string{"POST /items", "PUT /items/1"} {
		for _, size := range []int{1, 7, 1 << 10, len(body)} {
			s, store := newWire(t, wireOptions())
			srv := wireServer(t, s.REST(), false)
			conn := wireDial(t, srv.Listener.Addr().String())
			conn.send(wireHead(line) + chunked(chunks(body, size)+lastChunk))
			a := conn.answer(t)
			if a.status != 200 || !strings.Contains(a.body, title) || !strings.Contains(a.body, "9007199254740993") || store.calls.Load() != 1 {
				t.Errorf("%s in chunks of %d: %d %s", line, size, a.status, clipped(a.body))
			}
		}
	}
}

const wholeBody = `{"title":"cut"}`

// unfinishedBodies are requests that stop before their end. In most the JSON
// value is complete: only the end of the body is missing.
var unfinishedBodies = []struct{ name, rest string }{
	{"length, whole value", withLength(100, wholeBody)},
	{"length, one byte short", withLength(int64(len(wholeBody)+1), wholeBody)},
	{"length, half a value", withLength(int64(len(wholeBody)), wholeBody[:8])},
	{"length, nothing", withLength(int64(len(wholeBody)), "")},
	{"chunked, nothing", chunked("")},
	{"chunked, no last chunk", chunked(chunks(wholeBody, 100))},
	{"chunked, chunk cut", chunked("64\r\n" + wholeBody)},
	{"chunked, size cut", chunked(chunks(wholeBody, 100) + "1")},
	{"chunked, last chunk without its end", chunked(chunks(wholeBody, 100) + "0\r\n")},
	{"chunked, trailer cut", chunked(chunks(wholeBody, 100) + "0\r\nX-Sum: 1")},
}

// wireMethods are one route of each kind: with a body, with path and body, and
// two that need none.
var wireMethods = []string{"POST /items", "PUT /items/1", "DELETE /items/1", "POST /items/ping"}

// Verify that what ends early calls nothing, also where the part that arrived
// would do.
func TestTruncatedBodies(t *testing.T) {
	t.Parallel()
	s, store := newWire(t, wireOptions())
	srv := wireServer(t, s.REST(), false)
	for _, line := range wireMethods {
		for _, test := range unfinishedBodies {
			t.Run(line+", "+test.name, func(t *testing.T) {
				conn := wireDial(t, srv.Listener.Addr().String())
				conn.send(wireHead(line) + test.rest)
				conn.end()
				conn.mustRefuse(t, line+", "+test.name, 400)
			})
		}
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify that a client that stalls is told so, and that nothing is called.
func TestStalledBodies(t *testing.T) {
	t.Parallel()
	opts := wireOptions()
	opts.BodyTimeout = 20 * time.Millisecond
	s, store := newWire(t, opts)
	srv := wireServer(t, s.REST(), false)
	for _, line := range wireMethods {
		for _, test := range unfinishedBodies {
			t.Run(line+", "+test.name, func(t *testing.T) {
				conn := wireDial(t, srv.Listener.Addr().String())
				conn.send(wireHead(line) + test.rest)
				want := 408
				if strings.Contains(test.rest, "\r\n0\r\n") {
					want = 400 // net/http does not say what went wrong with a trailer
				}
				conn.mustRefuse(t, line+", "+test.name, want)
			})
		}
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify that a body that trickles in is given the time for a whole body, not
// the time for each byte of it.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	opts := wireOptions()
	opts.BodyTimeout = 50 * time.Millisecond
	s, store := newWire(t, opts)
	srv := wireServer(t, s.REST(), false)
	for _, test := range []struct{ name, head, piece string }{
		{"length", withLength(1<<19, `{"title":"`), "x"},
		{"chunked", chunked(chunks(`{"title":"`, 100)), "1\r\nx\r\n"},
		{"chunk extension", chunked("1;"), "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, srv.Listener.Addr().String())
			conn.send(wireHead("POST /items") + test.head)
			for {
				conn.SetReadDeadline(time.Now().Add(time.Millisecond))
				if _, err := conn.r.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
					break
				}
				conn.send(test.piece)
			}
			conn.SetReadDeadline(time.Now().Add(wirePatience))
			if a := conn.answer(t); a.status != 408 {
				t.Errorf("%s: status %d, want 408", test.name, a.status)
			}
			conn.mustClose(t, test.name)
		})
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify that what is refused for its head is refused at once, whatever is to
// come of the body: here there is no BodyTimeout to help.
func TestEarlyRefusals(t *testing.T) {
	t.Parallel()
	opts := wireOptions()
	opts.BodyTimeout = -1
	s, store := newWire(t, opts)
	srv := wireServer(t, s.REST(), false)
	for _, test := range []struct {
		name, line, header string
		status             int
	}{
		{"type", "POST /items", "Content-Type: text/plain\r\n", 415},
		{"encoding", "POST /items", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", 415},
		{"no route", "POST /users", "", 404},
		{"no route for a body-less verb", "DELETE /users", "", 404},
		{"path that is not clean", "POST //items", "", 404},
		{"no method", "PATCH /items/1", "", 405},
		{"TRACE", "TRACE /items/1", "", 405},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, body := range []string{withLength(1000, "{"), withLength(1000, ""), chunked("1\r\n{\r\n"), chunked(""), withLength(200_000, "{")} {
				conn := wireDial(t, srv.Listener.Addr().String())
				conn.send(test.line + " HTTP/1.1\r\nHost: svc.test\r\n" + test.header + body)
				a := conn.answer(t) // before anything more is sent
				if a.status != test.status || a.header.Get("Connection") != "close" {
					t.Errorf("%s: status %d, Connection %q, want %d and close", test.name, a.status, a.header.Get("Connection"), test.status)
				}
				checkWireError(t, test.name, a)
				conn.end()
				conn.mustClose(t, test.name)
			}
		})
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify that a refusal without a body leaves the connection as it is.
func TestRefusalKeepsConnection(t *testing.T) {
	s, _ := newWire(t, wireOptions())
	conn := wireDial(t, wireServer(t, s.REST(), false).Listener.Addr().String())
	for _, test := range []struct {
		name    string
		request string
		status  int
	}{
		{"unknown path", wireHead("GET /users") + "\r\n", 404},
		{"wrong verb", wireHead("PATCH /items") + "\r\n", 405},
		{"no body", wireHead("POST /items") + withLength(0, ""), 400},
		{"empty object", wireHead("POST /items") + withLength(2, "{}"), 400},
		{"cut JSON in chunks", wireHead("POST /items") + chunked(chunks("{", 1)+lastChunk), 400},
		{"bad query", wireHead("GET /items?limit=x") + "\r\n", 400},
		{"GET with a body", wireHead("GET /items/1") + withLength(5, "hello"), 400},
		{"GET with an empty object", wireHead("GET /items/1") + withLength(2, "{}"), 200},
		{"POST that succeeds", wireHead("POST /items") + withLength(13, `{"title":"a"}`), 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn.send(test.request)
			if a := conn.answer(t); a.status != test.status || a.header.Get("Connection") != "" {
				t.Errorf("%q: status %d, Connection %q, want %d and the connection", test.request, a.status, a.header.Get("Connection"), test.status)
			}
		})
	}
}

// Verify that a client that asks first is told to go on only if its request is
// wanted.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	s, _ := newWire(t, wireOptions())
	addr := wireServer(t, s.REST(), false).Listener.Addr().String()
	conn := wireDial(t, addr)
	conn.send(wireHead("POST /items") + "Expect: 100-continue\r\n" + withLength(13, ""))
	if a := conn.answer(t); a.status != 100 {
		t.Errorf("status %d, want 100", a.status)
	}
	conn.send(`{"title":"a"}`)
	if a := conn.answer(t); a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
	for _, test := range []struct {
		line   string
		length int64
		status int
	}{{"POST /users", 13, 404}, {"PATCH /items", 13, 405}, {"POST /items", 2 << 20, 413}} {
		t.Run(rowName(test.line), func(t *testing.T) {
			conn := wireDial(t, addr)
			conn.send(wireHead(test.line) + "Expect: 100-continue\r\n" + withLength(test.length, ""))
			if a := conn.answer(t); a.status != test.status {
				t.Errorf("%s: status %d, want %d", test.line, a.status, test.status)
			}
			conn.end()
			conn.mustClose(t, test.line)
		})
	}
}

// Verify that no size that a client announces is allocated.
func TestAnnouncedSizes(t *testing.T) {
	opts := wireOptions()
	opts.MaxBody = -1
	s, store := newWire(t, wireOptions())
	limited := wireServer(t, s.REST(), false).Listener.Addr().String()
	s, storeUnlimited := newWire(t, opts)
	unlimited := wireServer(t, s.REST(), false).Listener.Addr().String()
	for _, test := range []struct {
		name   string
		addr   string
		rest   string
		status int
	}{
		{"8 GiB", limited, withLength(8<<30, wholeBody), 413},
		{"int64", limited, withLength(math.MaxInt64, wholeBody), 413},
		{"8 GiB without a limit", unlimited, withLength(8<<30, wholeBody), 400},
		{"int64 without a limit", unlimited, withLength(math.MaxInt64, wholeBody), 400},
		{"chunk of 8 GiB", limited, chunked("200000000\r\n" + wholeBody), 400},
		{"chunk of int64 without a limit", unlimited, chunked("7fffffffffffffff\r\n" + wholeBody), 400},
		{"chunk of uint64 without a limit", unlimited, chunked("ffffffffffffffff\r\n" + wholeBody), 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, line := range wireMethods {
				conn := wireDial(t, test.addr)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				conn.send(wireHead(line) + test.rest)
				conn.end()
				a := conn.answer(t)
				runtime.ReadMemStats(&after)
				if a.status != test.status {
					t.Errorf("%s, %s: status %d, want %d", line, test.name, a.status, test.status)
				}
				checkWireError(t, test.name, a)
				if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
					t.Errorf("%s, %s: %d bytes allocated", line, test.name, n)
				}
				conn.mustClose(t, test.name)
			}
			if n := store.calls.Load() + storeUnlimited.calls.Load(); n != 0 {
				t.Errorf("%s: %d methods were called", test.name, n)
			}
		})
	}
}

// Verify that a body of MaxBody bytes is taken and that one more is refused,
// with a length and without one, also where the body is only read away.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	const limit = 100
	opts := wireOptions()
	opts.MaxBody = limit
	s, store := newWire(t, opts)
	addr := wireServer(t, s.REST(), false).Listener.Addr().String()
	for _, line := range []string{"POST /items", "PUT /items/1", "POST /items/ping", "GET /items/1"} {
		for _, size := range []int{limit - 1, limit, limit + 1, 10 * limit} {
			body := `{"title":"` + strings.Repeat("x", size-12) + `"}`
			if line == "GET /items/1" { // which takes nothing
				body = strings.Repeat(" ", size)
			}
			for _, rest := range []string{withLength(int64(size), body), chunked(chunks(body, 7) + lastChunk)} {
				before := store.calls.Load()
				conn := wireDial(t, addr)
				conn.send(wireHead(line) + rest)
				a := conn.answer(t)
				called := store.calls.Load() - before
				if size <= limit && (a.status >= 400 || called != 1) || size > limit && (a.status != 413 || called != 0) {
					t.Errorf("%s with %d bytes of %d: status %d, %d calls", line, size, limit, a.status, called)
				}
				if size > limit {
					checkWireError(t, line, a)
					conn.end()
					conn.mustClose(t, line)
				}
			}
		}
	}
}

// Verify that a limit in front of svc is answered as its own is.
func TestForeignBodyLimit(t *testing.T) {
	t.Parallel()
	s, store := newWire(t, wireOptions())
	next := s.REST()
	addr := wireServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 10)
		next.ServeHTTP(w, r)
	}), false).Listener.Addr().String()
	for _, line := range wireMethods {
		for _, rest := range []string{withLength(int64(len(wholeBody)), wholeBody), chunked(chunks(wholeBody, 7) + lastChunk)} {
			conn := wireDial(t, addr)
			conn.send(wireHead(line) + rest)
			conn.end()
			conn.mustRefuse(t, line, 413)
		}
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify that no form of a request line or a head gets more than an answer:
// those that are not HTTP are net/http's to refuse, the others svc's.
func TestRequestTargets(t *testing.T) {
	t.Parallel()
	s, store := newWire(t, wireOptions())
	addr := wireServer(t, s.REST(), false).Listener.Addr().String()
	for _, test := range []struct {
		head   string
		status int
	}{
		{"GET http://svc.test/items/1 HTTP/1.1\r\nHost: svc.test\r\n", 200},
		{"GET http://evil.example/items/1 HTTP/1.1\r\nHost: svc.test\r\n", 200},
		{"GET http://svc.test HTTP/1.1\r\nHost: svc.test\r\n", 404},
		{"GET http://svc.test//evil.example/.. HTTP/1.1\r\nHost: svc.test\r\n", 404},
		{"GET /items/1#x HTTP/1.1\r\nHost: svc.test\r\n", 404},
		{"GET /items/1 HTTP/1.0\r\n", 200},
		{"GET /items/1 HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n", 200},
		{"OPTIONS * HTTP/1.1\r\nHost: svc.test\r\n", 200}, // net/http answers for the server as a whole
		{"GET * HTTP/1.1\r\nHost: svc.test\r\n", 404},
		{"CONNECT svc.test:443 HTTP/1.1\r\nHost: svc.test\r\n", 404},
		{"CONNECT /items/1 HTTP/1.1\r\nHost: svc.test\r\n", 405},
		{"GET /items/%zz HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET /items/% HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET /items/a b HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET /items/\x00 HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET /items/\x7f HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET items/1 HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET  HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET /items/1 HTTP/1.1\r\n", 400}, // without a Host
		{"GET /items/1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400},
		{"G@T /items/1 HTTP/1.1\r\nHost: svc.test\r\n", 400},
		{"GET /items/1 HTTP/9.9\r\nHost: svc.test\r\n", 505},
		{"POST /items HTTP/1.1\r\nHost: svc.test\r\nTransfer-Encoding: gzip, chunked\r\n", 501},
		{"POST /items HTTP/1.1\r\nHost: svc.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400},
		{"POST /items HTTP/1.1\r\nHost: svc.test\r\nContent-Length: -1\r\n", 400},
		{"POST /items HTTP/1.1\r\nHost: svc.test\r\nContent-Length: 9223372036854775808\r\n", 400},
		{"GET /items/1 HTTP/1.1\r\nHost: svc.test\r\nX-A : b\r\n", 400},
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nX-Note: a\r\n b\r\n", 200},      // folded, which net/http undoes
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nX-Note: a\nX-Note: b\r\n", 400}, // given twice
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nX-Note: a\rX-Id: 1\r\n", 400},
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nX-Note: a\nb\r\n", 400},
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nX-Note: a\x00b\r\n", 400},
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nCookie: word=a\x00b\r\n", 400},
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nCookie: word=a\rb\r\n", 400},
		{"POST /items/mark HTTP/1.1\r\nHost: svc.test\r\nCookie: word=" + strings.Repeat("x", 1_200_000) + "\r\n", 431},
		{"GET /items/1 HTTP/1.1\r\nHost: svc.test\r\nX-A: " + strings.Repeat("x", 1_200_000) + "\r\n", 431},
		{"GET /items/" + strings.Repeat("x", 1_200_000) + " HTTP/1.1\r\nHost: svc.test\r\n", 431},
	} {
		t.Run(rowName(test.head), func(t *testing.T) {
			conn := wireDial(t, addr)
			conn.send(test.head + "\r\n")
			a := conn.answer(t)
			if name := clipped(test.head); a.status != test.status {
				t.Errorf("%q: status %d, want %d: %s", name, a.status, test.status, clipped(a.body))
			} else if a.header.Get("Content-Type") == "application/json" && a.status >= 400 {
				checkWireError(t, name, a)
			}
			if location := a.header.Get("Location"); location != "" {
				t.Errorf("%q: redirected to %s", clipped(test.head), location)
			}
		})
	}
	if _, there := store.items["1"]; !there || store.next != 1 {
		t.Errorf("the store has changed: %v", store.items)
	}
}

func TestInvalidChunks(t *testing.T) {
	t.Parallel()
	s, store := newWire(t, wireOptions())
	addr := wireServer(t, s.REST(), false).Listener.Addr().String()
	for _, line := range wireMethods {
		for _, chunk := range []string{
			"zz\r\n", "-1\r\n", "+1\r\n{\r\n", "0x1\r\n{\r\n", "1 1\r\n{\r\n", "\r\n", " \r\n", "1,\r\n{\r\n",
			"f\r\n" + wholeBody + "0\r\n\r\n", "f\r\n" + wholeBody + "xx\r\n0\r\n\r\n", "e\r\n" + wholeBody + "\r\n0\r\n\r\n",
			"10000000000000000\r\n{\r\n", "１\r\n{\r\n", "1\n{\n0\n\n", "1;" + strings.Repeat("x", 100_000) + "\r\n{\r\n0\r\n\r\n",
			strings.Repeat("0", 100_000) + "1\r\n{\r\n", chunks(wholeBody, 100) + "0\r\nno trailer\r\n\r\n",
		} {
			conn := wireDial(t, addr)
			conn.send(wireHead(line) + chunked(chunk))
			conn.end()
			conn.mustRefuse(t, line+" "+strconv.Quote(chunk[:min(len(chunk), 20)]), 400)
		}
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify that answers come in the order of the requests, one each.
func TestPipelining(t *testing.T) {
	s, _ := newWire(t, wireOptions())
	addr := wireServer(t, s.REST(), false).Listener.Addr().String()
	request := func(i int) (text, want string) {
		want = fmt.Sprintf(`{"value":%d}`, i)
		switch i % 4 {
		case 0:
			return wireHead("POST /items/echo") + withLength(int64(len(want)), want), want
		case 1:
			return wireHead("POST /items/echo") + chunked(chunks(want, 3)+lastChunk), want
		case 2:
			return wireHead(fmt.Sprintf("GET /items?i64=%d", i)) + "\r\n", fmt.Sprintf(`{"i64":%d,"limit":20}`, i)
		}
		return wireHead("GET /items/none") + withLength(3, "{ }"), `{"error":{"code":"NOT_FOUND","message":"no such item"}}`
	}
	t.Run("64 at once", func(t *testing.T) {
		conn := wireDial(t, addr)
		var all strings.Builder
		for i := range 64 {
			text, _ := request(i)
			all.WriteString(text)
		}
		go conn.send(all.String())
		for i := range 64 {
			_, want := request(i)
			if a := conn.answer(t); a.body != want {
				t.Fatalf("answer %d is %d %s, want %s", i, a.status, a.body, want)
			}
		}
	})
	t.Run("1,000 in a row", func(t *testing.T) {
		conn := wireDial(t, addr)
		for i := range 1000 {
			text, want := request(i)
			conn.send(text)
			if a := conn.answer(t); a.body != want {
				t.Fatalf("answer %d is %d %s, want %s", i, a.status, a.body, want)
			}
		}
	})
}

// Verify that a method learns that its client has left, whatever the body: net/http
// notices only what has been read to its end.
func TestClientLeaves(t *testing.T) {
	started, stopped := make(chan struct{}), make(chan error)
	opts := wireOptions()
	opts.Intercept = func(svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, _, _ string, _ any) (any, error) {
			started <- struct{}{}
			select {
			case <-ctx.Done():
				stopped <- ctx.Err()
			case <-time.After(wirePatience):
				stopped <- nil
			}
			return nil, ctx.Err()
		}
	}
	s, _ := newWire(t, opts)
	addr := wireServer(t, s.REST(), false).Listener.Addr().String()
	for _, request := range []string{
		wireHead("POST /items") + withLength(int64(len(wholeBody)), wholeBody),
		wireHead("POST /items") + chunked(chunks(wholeBody, 100)+lastChunk),
		wireHead("POST /items") + chunked(chunks(wholeBody, 1)+"0\r\nX-Sum: 1\r\n\r\n"),
		wireHead("PUT /items/1") + chunked(chunks(wholeBody, 7)+lastChunk),
		wireHead("GET /items/1") + "\r\n",
		wireHead("GET /items/1") + withLength(2, "{}"),
		wireHead("DELETE /items/1") + chunked(chunks("[   ]", 5)+lastChunk),
		wireHead("POST /items/ping") + chunked(chunks("hello", 1)+lastChunk),
		wireHead("POST /items/ping") + withLength(0, ""),
	} {
		conn := wireDial(t, addr)
		conn.send(request)
		<-started
		conn.Close()
		if err := <-stopped; !errors.Is(err, context.Canceled) {
			t.Errorf("%q: the context says %v", request, err)
		}
	}
}

// Verify that a refusal over HTTP/2 waits for no body either, and leaves the
// connection to the other requests on it.
func TestEarlyRefusalsHTTP2(t *testing.T) {
	opts := wireOptions()
	opts.BodyTimeout = -1
	s, store := newWire(t, opts)
	srv := wireServer(t, s.REST(), true)
	client := srv.Client()
	client.Timeout = wirePatience
	for _, test := range []struct {
		method, path, contentType string
		status                    int
	}{
		{"POST", "/items", "text/plain", 415},
		{"POST", "/users", "application/json", 404},
		{"PATCH", "/items/1", "application/json", 405},
	} {
		t.Run(rowName(test.method, test.path), func(t *testing.T) {
			body, w := io.Pipe() // from which nothing comes
			r, err := http.NewRequest(test.method, srv.URL+test.path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", test.contentType)
			res, err := client.Do(r)
			if err != nil {
				t.Fatalf("%s %s: %v", test.method, test.path, err)
			}
			text, _ := io.ReadAll(res.Body)
			res.Body.Close()
			w.Close()
			a := wireAnswer{res.StatusCode, res.Header, string(text)}
			if res.ProtoMajor != 2 || a.status != test.status || a.header.Get("Connection") != "" {
				t.Errorf("%s %s: %s %d, Connection %q, want %d", test.method, test.path, res.Proto, a.status, a.header.Get("Connection"), test.status)
			}
			checkWireError(t, test.path, a)
		})
	}
	if n := store.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// Verify over HTTP/2 what the tests above verify of bodies over HTTP/1.1.
func TestUnfinishedBodiesHTTP2(t *testing.T) {
	t.Parallel()
	opts := wireOptions()
	opts.BodyTimeout = 50 * time.Millisecond
	s, store := newWire(t, opts)
	hasty := wireServer(t, s.REST(), true)
	opts.BodyTimeout = wirePatience // as a busy client may be slow to cut a body
	s, patientStore := newWire(t, opts)
	patient := wireServer(t, s.REST(), true)
	send := func(srv *httptest.Server, line string, body io.Reader) (*http.Response, error) {
		method, path, _ := strings.Cut(line, " ")
		r, err := http.NewRequest(method, srv.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		return srv.Client().Do(r)
	}
	for _, line := range wireMethods {
		body, w := io.Pipe()
		go io.WriteString(w, wholeBody)
		res, err := send(hasty, line, body) // and stall
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		w.Close()
		if res.ProtoMajor != 2 || res.StatusCode != 408 {
			t.Errorf("%s stalled: %s %d, want 408", line, res.Proto, res.StatusCode)
		}
		checkWireError(t, line, wireAnswer{res.StatusCode, res.Header, string(text)})

		body, w = io.Pipe()
		go func() {
			io.WriteString(w, wholeBody)
			w.CloseWithError(errors.New("the client has lost its file"))
		}()
		if res, err := send(patient, line, body); err == nil {
			res.Body.Close()
			t.Errorf("%s cut: status %d", line, res.StatusCode)
		}
	}
	hasty.Close() // waits for the handlers
	patient.Close()
	if n := store.calls.Load() + patientStore.calls.Load(); n != 0 {
		t.Errorf("%d methods were called", n)
	}
}

// What clients can do to a connection to JSON-RPC follows, in the same ways as
// over REST.

const rpcSocketPing = `{"jsonrpc":"2.0","method":"math.ping","id":1}`

// Verify that a body that is refused, cut, stalled or too long calls nothing,
// and that its client is told so: at once, where the body does not matter.
func TestRPCBodies(t *testing.T) {
	t.Parallel()
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
			t.Parallel() // a server waits for connections that end gently
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
