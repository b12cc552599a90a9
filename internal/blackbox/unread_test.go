package blackbox_test

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests responses to requests whose body svc does not read. A server that closes a
// connection with unread bytes resets it, and a proxy such as nginx then counts the server as
// broken: it sends it nothing for 10 s.

// An unreadCase is a request whose body stays unread, and the handler that answers it.
type unreadCase struct {
	name    string
	handler http.Handler
	line    string // verb, space, target
	header  string // lines
	length  int    // of the body, 40 KiB if it is 0
	status  int
	reads   bool // the handler reads a part of the body first
	waits   bool // it waits a second for more of the body, which may have the id
}

const jsonLine = "Content-Type: application/json\r\n"

// unreadCases has the middleware alone and in front of a service, each transport, and Bodies.
func unreadCases(t *testing.T) []unreadCase {
	t.Helper()
	s, _ := newWire(t, wireOptions())
	quiet := &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)}
	secret := wireOptions()
	secret.Defaults.Auth = "bearer"
	guarded, _ := newWire(t, secret)
	upload := svc.MustRegister[FilesAPI](files{read: func(_ context.Context, b svc.Body) error {
		if n, _ := io.ReadFull(b, make([]byte, 3)); n == 3 {
			return nil
		}
		return svc.Errorf(svc.CodeNotFound, "there is no such thing")
	}}, fileOptions())
	denied := svc.MustRegister[FilesAPI](files{read: func(context.Context, svc.Body) error {
		return svc.Errorf(svc.CodeNotFound, "there is no such thing")
	}}, fileOptions())
	deny := func(http.ResponseWriter, *http.Request) error { return svc.Errorf(svc.CodePermissionDenied, "no") }
	guardedBy := func(mw func(http.Handler) http.Handler) http.Handler { return mw(s.REST()) }
	const post, big = "POST /items", 2 << 20
	return []unreadCase{
		{name: "unknown path", handler: s.REST(), line: "POST /users", status: 404},
		{name: "path that is not clean", handler: s.REST(), line: "POST //items", status: 404},
		{name: "wrong verb", handler: s.REST(), line: "PATCH /items", status: 405},
		{name: "too large", handler: s.REST(), line: post, header: jsonLine, length: big, status: 413},
		{name: "too large for a method without an input", handler: s.REST(), line: "POST /items/ping", header: jsonLine, length: big, status: 413},
		{name: "wrong type", handler: s.REST(), line: post, header: "Content-Type: text/plain\r\n", status: 415},
		{name: "compressed", handler: s.REST(), line: post, header: jsonLine + "Content-Encoding: gzip\r\n", status: 415},
		{name: "page of another site", handler: s.REST(), line: post, header: "Sec-Fetch-Site: cross-site\r\n", status: 403},
		{name: "no principal", handler: guarded.REST(), line: post, header: jsonLine, status: 401},
		{name: "no principal, over JSON-RPC to the wrong path", handler: s.RPC(), line: "PUT /rpc", header: jsonLine, status: 405},
		{name: "JSON-RPC of a wrong type", handler: s.RPC(), line: "POST /rpc", header: "Content-Type: text/plain\r\n", status: 415},
		{name: "JSON-RPC that is too large", handler: s.RPC(), line: "POST /rpc", header: jsonLine, length: big, status: 413},
		{name: "MCP of a wrong type", handler: s.MCP(nil), line: "POST /mcp", status: 415},
		{name: "MCP of another site", handler: s.MCP(nil), line: "POST /mcp", header: jsonLine + "Origin: https://evil.example\r\n", status: 403},
		{name: "MCP with a wrong verb", handler: s.MCP(nil), line: "DELETE /mcp", status: 405},
		{name: "MCP that is too large", handler: s.MCP(nil), line: "POST /mcp", header: jsonLine, length: big, status: 200, waits: true},
		{name: "MCP of 2026 that is too large", handler: s.MCP(nil), line: "POST /mcp", header: jsonLine + "MCP-Protocol-Version: 2026-07-28\r\n", length: big, status: 413, waits: true},
		{name: "MCP asked for its verbs", handler: s.MCP(nil), line: "OPTIONS /mcp", status: 204},
		{name: "document with a wrong verb", handler: s.OpenAPI(), line: "POST /openapi.json", status: 405},
		{name: "document with a body", handler: s.OpenAPI(), line: "GET /openapi.json", status: 200},
		{name: "BasicAuth", handler: guardedBy(svc.BasicAuth("staff", nil, nil)), line: post, header: jsonLine, status: 401},
		{name: "Bearer", handler: guardedBy(svc.Bearer(verifyTest, &svc.BearerOptions{Logger: quiet.Logger})), line: post, header: jsonLine, status: 401},
		{name: "APIKey", handler: guardedBy(svc.APIKey("X-Api-Key", verifyTest, &svc.APIKeyOptions{Logger: quiet.Logger})), line: post, header: jsonLine, status: 401},
		{name: "AllowIPs", handler: guardedBy(svc.AllowIPs(nil, nil)), line: post, header: jsonLine, status: 403},
		{name: "Version", handler: guardedBy(svc.Version(&svc.VersionOptions{Supported: []string{"1"}})), line: post, header: jsonLine, status: 400},
		{name: "preflight that is refused", handler: guardedBy(svc.CORS(nil)), line: "OPTIONS /items", header: "Origin: https://evil.example\r\nAccess-Control-Request-Method: PUT\r\n", status: 403},
		{name: "preflight", handler: guardedBy(svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"*"}})), line: "OPTIONS /items", header: "Origin: https://app.example\r\nAccess-Control-Request-Method: PUT\r\n", status: 204},
		{name: "Recover", handler: svc.Recover(quiet)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("crash") })), line: post, header: jsonLine, status: 500},
		{name: "Handle", handler: svc.Handle(deny, quiet), line: post, header: jsonLine, status: 403},
		{name: "Handle with another limit", handler: svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
			_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
			return err
		}, quiet), line: post, header: jsonLine, status: 413, reads: true},
		{name: "Pprof", handler: svc.Pprof("")(nil), line: "POST /debug/pprof/symbol", length: big, status: 413},
		{name: "metadata", handler: (svc.BearerOptions{Resource: "https://r.example", AuthorizationServers: []string{"https://l.example"}}).Metadata(), line: "PUT /", status: 405},
		{name: "Body of a wrong type", handler: upload.REST(), line: "PUT /files/1", header: "Content-Type: image/gif\r\n", status: 415},
		{name: "Body that is too large", handler: upload.REST(), line: "PUT /files/1", header: "Content-Type: image/png\r\n", status: 413},
		{name: "Body with another violation", handler: upload.REST(), line: "PUT /files/0", header: "Content-Type: image/png\r\n", length: 900, status: 400},
		{name: "Body of which a part is read", handler: upload.REST(), line: "POST /files", status: 204, reads: true},
		{name: "Body that is refused unread", handler: denied.REST(), line: "POST /files", status: 404},
		{name: "Body that is too large for the method", handler: upload.REST(), line: "POST /files", length: big, status: 413},
	}
}

// An unreadClient is a way to send a request with a body.
type unreadClient struct {
	name    string
	version string // of HTTP
	header  string // lines
	sends   string // "at once", "late" is after the answer
}

func unreadClients() (list []unreadClient) {
	for _, protocol := range []struct{ name, version, header string }{
		{"HTTP 1.0", "HTTP/1.0", ""},
		{"HTTP 1.0 kept alive", "HTTP/1.0", "Connection: keep-alive\r\n"},
		{"HTTP 1.1", "HTTP/1.1", ""},
		{"HTTP 1.1 closed", "HTTP/1.1", "Connection: close\r\n"},
		{"HTTP 1.1 that asks first", "HTTP/1.1", "Expect: 100-continue\r\n"},
	} {
		for _, sends := range []string{"at once", "late", "never"} {
			list = append(list, unreadClient{protocol.name + ", " + sends, protocol.version, protocol.header, sends})
		}
	}
	return list
}

// Verify that a response does not wait for a body that stays unread, that it is the last one of
// its connection and says so, and that the connection ends without a reset, whether the body
// comes with the request, after the response or never.
func TestUnreadBody(t *testing.T) {
	t.Parallel()
	handlers := make(map[string]http.Handler) // by Host
	addr := wireServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers[r.Host].ServeHTTP(w, r)
	}), false).Listener.Addr().String()
	cases := unreadCases(t)
	for i, test := range cases {
		handlers["case"+strconv.Itoa(i)] = test.handler
	}
	for i, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			for _, client := range unreadClients() {
				if test.reads && (client.sends != "at once" || strings.Contains(client.header, "Expect")) {
					continue // it must wait for the body, and ask for it
				}
				if test.waits && !strings.HasPrefix(client.name, "HTTP 1.1, ") && !strings.Contains(client.header, "Expect") {
					continue // three such waits are enough
				}
				t.Run(client.name, func(t *testing.T) {
					length := cmp.Or(test.length, 40<<10)
					body := strings.Repeat("x", min(length, 40<<10))
					request := test.line + " " + client.version + "\r\nHost: case" + strconv.Itoa(i) + "\r\n" + test.header + client.header + withLength(int64(length), "")
					conn := wireDial(t, addr)
					if client.sends == "at once" {
						request += body
					}
					conn.send(request)
					a := conn.answer(t)
					if a.status != test.status || a.header.Get("Connection") != "close" {
						t.Errorf("status %d, Connection %q, want %d and close", a.status, a.header.Get("Connection"), test.status)
					}
					if client.sends == "late" {
						conn.send(body)
					}
					conn.end()
					if n, err := io.Copy(io.Discard, conn.r); n > 0 || err != nil {
						t.Errorf("after the response: %d bytes, %v", n, err)
					}
				})
			}
		})
	}
}

// A request whose answer shall keep its connection, or that ends after it.
type keptCase struct {
	name    string
	handler http.Handler
	request string
	status  int
}

// Verify that a response keeps its connection if there is no body or it was read to its end,
// whoever has read it.
func TestReadBodyKeepsConnection(t *testing.T) {
	t.Parallel()
	s, _ := newWire(t, wireOptions())
	upload := svc.MustRegister[FilesAPI](files{read: func(_ context.Context, b svc.Body) error {
		io.Copy(io.Discard, b)
		return svc.Errorf(svc.CodeNotFound, "there is no such thing")
	}}, fileOptions())
	quiet := &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)}
	deny := func(http.ResponseWriter, *http.Request) error { return svc.Errorf(svc.CodePermissionDenied, "no") }
	handleAfter := func(read func(w http.ResponseWriter, r *http.Request)) http.Handler {
		return svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
			read(w, r)
			return deny(w, r)
		}, quiet)
	}
	readAll := func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }
	const get = "GET /items HTTP/1.1\r\nHost: svc.test\r\n\r\n"
	post := wireHead("POST /items") + withLength(40<<10, strings.Repeat("x", 40<<10))
	for _, test := range []keptCase{
		{"GET of a method", s.REST(), get, 200},
		{"GET of an unknown path", s.REST(), "GET /users HTTP/1.1\r\nHost: svc.test\r\n\r\n", 404},
		{"GET, AllowIPs", svc.AllowIPs(nil, nil)(nil), get, 403},
		{"GET, BasicAuth", svc.BasicAuth("staff", nil, nil)(nil), get, 401},
		{"GET, Version", svc.Version(&svc.VersionOptions{Supported: []string{"1"}})(nil), get, 400},
		{"GET, Handle", svc.Handle(deny, quiet), get, 403},
		{"GET, Recover", svc.Recover(quiet)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("crash") })), get, 500},
		{"GET over HTTP/1.0", s.REST(), "GET /users HTTP/1.0\r\nHost: svc.test\r\nConnection: keep-alive\r\n\r\n", 404},
		{"JSON that is not valid", s.REST(), post, 400},
		{"JSON that is not valid, in chunks", s.REST(), wireHead("POST /items") + chunked(chunks("{", 1)+lastChunk), 400},
		{"JSON-RPC that is not valid", s.RPC(), post, 200},
		{"Body that was read, before an error", upload.REST(), strings.Replace(post, "/items", "/files", 1), 404},
		{"Handle that has read the body", handleAfter(readAll), post, 403},
		{"Handle that has closed the body", handleAfter(func(_ http.ResponseWriter, r *http.Request) { r.Body.Close() }), post, 403},
		{"Handle that has read with a limit", handleAfter(func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, 40<<10)
			readAll(w, r)
		}), post, 403},
		{"Handle without a body", handleAfter(readAll), wireHead("POST /items") + withLength(0, ""), 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, wireServer(t, test.handler, false).Listener.Addr().String())
			for range 2 {
				conn.send(test.request)
				if a := conn.answer(t); a.status != test.status || a.header.Get("Connection") == "close" {
					t.Errorf("status %d, Connection %q, want %d and the connection", a.status, a.header.Get("Connection"), test.status)
				}
			}
		})
	}
}

// Verify that Handle leaves a body of which it cannot be told whether it was read, and one whose
// Read panics.
func TestHandleLeavesUnknownBody(t *testing.T) {
	t.Parallel()
	quiet := &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)}
	addr := wireServer(t, svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		switch r.URL.Path {
		case "/read":
			io.Copy(io.Discard, r.Body)
		case "/panics":
			r.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) { return int(p[0]), nil }))
		}
		return svc.Errorf(svc.CodePermissionDenied, "no")
	}, quiet), false).Listener.Addr().String()
	for _, test := range []struct{ name, request string }{
		{"in chunks", wireHead("POST /read") + chunked(chunks("{}", 1)+lastChunk)},
		{"a chunk that never comes", wireHead("POST /unread") + chunked("")},
		{"Read panics", wireHead("POST /panics") + withLength(2, "{}")},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, addr)
			conn.send(test.request)
			a := conn.answer(t)
			if a.status != 403 || a.header.Get("Connection") != "close" {
				t.Errorf("status %d, Connection %q", a.status, a.header.Get("Connection"))
			}
			conn.end()
			conn.mustClose(t, test.name)
		})
	}
}

// Verify that the error writers, which do not know what a handler of the application has read,
// do not reset a connection that ends after the response, and keep one that does not.
func TestErrorWritersEndGently(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		write svc.ErrorWriter
	}{
		{"WriteError", svc.WriteError},
		{"WriteProblem", svc.WriteProblem},
		{"ErrorForm.Write", svc.NewErrorForm(func(e *svc.Error) *PayErrors { return &PayErrors{[]PayError{{Message: e.Message}}} }, nil).Write},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := wireServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				test.write(w, r, svc.Errorf(svc.CodePermissionDenied, "no"))
			}), false).Listener.Addr().String()
			for _, protocol := range []struct {
				name, version, header string
				ends                  bool
			}{
				{"HTTP 1.0", "HTTP/1.0", "", true},
				{"HTTP 1.0 kept alive", "HTTP/1.0", "Connection: keep-alive\r\n", false},
				{"HTTP 1.1", "HTTP/1.1", "", false},
				{"HTTP 1.1 closed", "HTTP/1.1", "Connection: close\r\n", true},
			} {
				t.Run(protocol.name, func(t *testing.T) {
					conn := wireDial(t, addr)
					conn.send("POST / " + protocol.version + "\r\nHost: svc.test\r\n" + protocol.header + withLength(40<<10, strings.Repeat("x", 40<<10)))
					a := conn.answer(t)
					if a.status != 403 || (a.header.Get("Connection") == "close") != protocol.ends {
						t.Errorf("status %d, Connection %q", a.status, a.header.Get("Connection"))
					}
					conn.end()
					if n, err := io.Copy(io.Discard, conn.r); n > 0 || err != nil {
						t.Errorf("after the response: %d bytes, %v", n, err)
					}
				})
			}
		})
	}
}

// A hidingWriter is the ResponseWriter of middleware, which has no more methods than it must.
type hidingWriter struct{ http.ResponseWriter }

// An openWriter is that of middleware that http.ResponseController gets through.
type openWriter struct{ http.ResponseWriter }

func (w openWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Verify that the connection ends gently also below middleware with a ResponseWriter of its
// own, if that has Unwrap; and that otherwise the response is the last one too.
func TestUnreadBodyBelowMiddleware(t *testing.T) {
	t.Parallel()
	next := svc.BasicAuth("staff", nil, nil)(nil)
	wrap := func(mw func(w http.ResponseWriter) http.ResponseWriter) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(mw(w), r) })
	}
	for _, test := range []struct {
		name    string
		handler http.Handler
		gentle  bool
	}{
		{"Unwrap", wrap(func(w http.ResponseWriter) http.ResponseWriter { return openWriter{openWriter{w}} }), true},
		{"Recover", svc.Recover(nil)(next), true},
		{"no Unwrap", wrap(func(w http.ResponseWriter) http.ResponseWriter { return hidingWriter{w} }), false},
		{"Unwrap around none", wrap(func(w http.ResponseWriter) http.ResponseWriter { return openWriter{hidingWriter{w}} }), false},
		{"http.TimeoutHandler", http.TimeoutHandler(next, wirePatience, ""), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := wireServer(t, test.handler, false).Listener.Addr().String()
			for _, client := range unreadClients() {
				t.Run(client.name, func(t *testing.T) {
					conn := wireDial(t, addr)
					request := "POST / " + client.version + "\r\nHost: svc.test\r\n" + client.header + withLength(40<<10, "")
					if client.sends == "at once" {
						request += strings.Repeat("x", 40<<10)
					}
					conn.send(request)
					if a := conn.answer(t); a.status != 401 || a.header.Get("Connection") != "close" {
						t.Errorf("status %d, Connection %q, want 401 and close", a.status, a.header.Get("Connection"))
					}
					conn.end()
					if n, err := io.Copy(io.Discard, conn.r); n > 0 || err != nil && test.gentle {
						t.Errorf("after the response: %d bytes, %v", n, err)
					}
				})
			}
		})
	}
}

// Verify that over HTTP/2, where each request has its own stream, a body that stays unread
// neither delays the response nor ends the connection, as Connection: close would.
func TestUnreadBodyHTTP2(t *testing.T) {
	t.Parallel()
	cases := unreadCases(t)
	srv := wireServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.Header.Get("Case"))
		cases[n].handler.ServeHTTP(w, r)
	}), true)
	client := srv.Client()
	client.Timeout = wirePatience
	for i, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			verb, path, _ := strings.Cut(test.line, " ")
			body, feed := io.Pipe() // from which nothing comes
			defer feed.Close()
			if test.reads {
				go io.CopyN(feed, strings.NewReader(strings.Repeat("x", 40<<10)), 40<<10)
			}
			r, err := http.NewRequest(verb, srv.URL+path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = int64(cmp.Or(test.length, 40<<10))
			for line := range strings.Lines(test.header) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				r.Header.Set(name, value)
			}
			r.Header.Set("Case", strconv.Itoa(i))
			reused := false
			r = r.WithContext(httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }}))
			response, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if _, err := io.Copy(io.Discard, response.Body); err != nil || response.ProtoMajor != 2 || response.StatusCode != test.status || response.Header["Connection"] != nil || reused != (i > 0) {
				t.Errorf("%s %d, Connection %q, of a kept connection: %t, %v; want %d", response.Proto, response.StatusCode, response.Header["Connection"], reused, err, test.status)
			}
		})
	}
}
