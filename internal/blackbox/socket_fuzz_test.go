package blackbox_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file sends anything over a connection to a server that has everything: all
// transports, uploads and files, streams, idempotency keys and the middleware of svc.
// Beside it an honest client calls, which must notice nothing.

// A CallersAPI says who called.
type CallersAPI interface {
	Who(ctx context.Context, in *WhoValue) (*Who, error)
}

type WhoValue struct {
	Value  string `json:"value" maxLength:"64"`
	Region string `json:"-" header:"X-Region,omitempty"`
}

type Who struct {
	Subject string `json:"subject"` // empty without a credential
	Value   string `json:"value"`
}

// callers implements CallersAPI, and is the store of its idempotency keys.
type callers struct {
	mu      sync.Mutex
	records map[string][]byte
}

func (c *callers) Who(ctx context.Context, in *WhoValue) (*Who, error) {
	who := &Who{Value: in.Value}
	if p, ok := svc.PrincipalFrom(ctx); ok {
		who.Subject = p.Subject
	}
	return who, nil
}

func (c *callers) run(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if record, ok := c.records[id]; ok {
		return record, nil
	}
	record, err := do(ctx)
	if err == nil && len(c.records) < 1000 { // the others are only forgotten
		c.records[id] = record
	}
	return record, err
}

// callerOf accepts each token of letters. The token "down" stands for a verifier that fails.
func callerOf(_ context.Context, token string) (*svc.Principal, error) {
	switch {
	case token == "down":
		return nil, errors.New("the directory does not answer")
	case strings.Trim(token, "abcdefghijklmnopqrstuvwxyz") != "":
		return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is not valid")
	}
	return &svc.Principal{Subject: token, Scopes: []string{kitchen.Scope}}, nil
}

// A socketTarget is the server, what happened in it, and the honest client.
type socketTarget struct {
	addr    string
	serving atomic.Int64 // requests
	open    atomic.Int64 // connections
	mu      sync.Mutex
	faults  []string          // from logs
	ended   map[string]string // by the client's address: the header Connection of the last response
	honest  *wireConn
	calls   int // of the honest client and the last requests, each with a number of its own
}

func newSocketTarget(t testing.TB) *socketTarget {
	s := &socketTarget{ended: make(map[string]string)}
	srv := httptest.NewUnstartedServer(s.watch(everything(t, slog.New(s))))
	srv.Config.ErrorLog = slog.NewLogLogger(s, slog.LevelError)
	srv.Config.ConnState = func(_ net.Conn, now http.ConnState) {
		switch now {
		case http.StateNew:
			s.open.Add(1)
		case http.StateClosed:
			s.open.Add(-1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	s.addr = srv.Listener.Addr().String()
	s.honest = wireDial(t, s.addr)
	return s
}

// everything returns the handler of a server that has everything.
func everything(t testing.TB, logger *slog.Logger) http.Handler {
	wire := wireOptions()
	wire.Logger, wire.MaxBody = logger, 4<<10
	items, _ := newWire(t, wire)
	content := strings.Repeat("0123456789", 100)
	stored := files{
		read: func(_ context.Context, b svc.Body) error { _, err := io.Copy(io.Discard, b); return err },
		file: func(id int) *svc.File {
			return &svc.File{Name: "a.txt", ContentType: "image/png", ETag: `"` + strconv.Itoa(id) + `"`, Content: strings.NewReader(content)}
		},
	}
	filesOpts := fileOptions()
	filesOpts.Logger = logger
	who := &callers{records: make(map[string][]byte)}
	sink := kitchen.SinkOptions(false)
	sink.Logger = logger
	forms := formOptions()
	forms.Logger = logger
	all := svc.Join("Everything",
		kitchen.SinkWith(sink), kitchen.Second().At("/v2"), items,
		svc.MustRegister[FilesAPI](stored, filesOpts),
		svc.MustRegister[FormAPI](formService{}, forms),
		svc.MustRegister[CallersAPI](who, &svc.Options{
			Resource: "callers", Logger: logger, Idempotency: &svc.Idempotency{Run: who.run},
			Methods: map[string]svc.MethodOptions{"Who": {HTTP: "POST /callers/who", IdempotencyKey: svc.KeyAllowed}},
		}))
	mux := http.NewServeMux()
	mux.Handle("/", all.REST())
	mux.Handle("/rpc", all.RPC())
	mux.Handle("/mcp", listensBriefly(all.MCP(nil)))
	mux.Handle("/notes", listensBriefly(newMCP(mcpWireOptions)))
	mux.Handle("/docs", all.Docs(nil))
	h := svc.APIKey("X-Api-Key", callerOf, &svc.APIKeyOptions{Optional: true, Logger: logger})(mux)
	h = svc.Bearer(callerOf, &svc.BearerOptions{Optional: true, Logger: logger})(h)
	h = svc.Version(&svc.VersionOptions{Supported: []string{"1", "2"}, DefaultVersion: "1", Deprecated: []string{"1"}})(h)
	return svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}, Credentials: true})(h)
}

// listensBriefly ends the requests of MCP that last until the client leaves; the honest
// client makes none.
func listensBriefly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer honest" {
			next.ServeHTTP(w, r) // a busy machine may need longer
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// watch notes how each connection stands.
func (s *socketTarget) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serving.Add(1)
		defer s.serving.Add(-1)
		next.ServeHTTP(w, r)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended[r.RemoteAddr] = w.Header().Get("Connection")
		if r.RequestURI == "*" { // which http.ServeMux refuses, and closes at once
			s.ended[r.RemoteAddr] = ""
		}
	})
}

// A socketTarget is a slog.Handler: errors in the log are faults of the server, and so is
// everything that net/http logs.
func (s *socketTarget) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }
func (s *socketTarget) WithAttrs([]slog.Attr) slog.Handler           { return s }
func (s *socketTarget) WithGroup(string) slog.Handler                { return s }
func (s *socketTarget) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	if strings.Contains(text, "the directory does not answer") {
		return nil // which is what the token "down" asks for
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, text)
	return nil
}

// honestCall calls over the kept connection, by each transport in turn, and complains of
// any answer but its own.
func (s *socketTarget) honestCall(t *testing.T, n int) {
	value := fmt.Sprint("honest-", n)
	head, body := "POST /callers/who", `{"value":"`+value+`"}`
	want := `{"subject":"honest","value":"` + value + `"}`
	switch n % 3 {
	case 1:
		head, body = "POST /rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"callers.who","params":{"value":%q}}`, n, value)
		want = fmt.Sprintf(`{"jsonrpc":"2.0","result":%s,"id":%d}`, want, n)
	case 2:
		head, body = "POST /mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"callers_who","arguments":{"value":%q}}}`, n, value)
		want = fmt.Sprintf(`{"jsonrpc":"2.0","result":{"structuredContent":%s,"content":[{"type":"text","text":%q}],"isError":false},"id":%d}`, want, want, n)
	}
	s.honest.SetDeadline(time.Now().Add(wirePatience))
	s.honest.send(wireHead(head) + "Authorization: Bearer honest\r\nIdempotency-Key: " + value + "\r\n" + withLength(int64(len(body)), body))
	if a := s.honest.answer(t); a.status != 200 || a.body != want {
		t.Errorf("the honest client got %d %s, want %s", a.status, clipped(a.body), want)
	}
}

// checkQuiet complains of what has not ended although no client is left but the honest one.
func (s *socketTarget) checkQuiet(t *testing.T) {
	var left []string
	for deadline := time.Now().Add(wirePatience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		left = slices.DeleteFunc(strangers(), func(stack string) bool {
			return !strings.Contains(stack, "example.com/svc.") || strings.Contains(stack, "net/http.(*conn).serve")
		})
		if s.serving.Load() == 0 && s.open.Load() == 1 && len(left) == 0 {
			break
		}
	}
	if serving, open := s.serving.Load(), s.open.Load(); serving != 0 || open != 1 || len(left) > 0 {
		t.Errorf("%d requests and %d connections are left, and %q", serving, open, left)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.ended)
	for _, fault := range s.faults {
		t.Errorf("the log has %s", fault)
	}
	s.faults = nil
}

// socketSeeds are requests of all kinds. %d is the length of the body.
func socketSeeds() (seeds []string) {
	add := func(line, header, body string) {
		header = strings.ReplaceAll(header, "\n", "\r\n")
		if body != "" {
			header += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
		}
		seeds = append(seeds, line+" HTTP/1.1\r\nHost: svc.test\r\n"+header+"\r\n"+body)
	}
	const content = "Content-Type: application/json\n"
	who := `{"value":"x"}`
	for _, header := range []string{
		"", "Authorization: Bearer alice\n", "Authorization: Bearer down\n", "Authorization: Bearer 1\n", "X-Api-Key: bob\n",
		"Authorization: Bearer alice\nX-Api-Key: bob\n", "Authorization: Bearer alice\nIdempotency-Key: \"k\"\n",
		"Authorization: Bearer bob\nIdempotency-Key: \"k\"\nX-Region: eu\n", "Idempotency-Key: \"k\"\n", "Origin: https://app.example\n",
		"Accept-Version: 2\n", "Accept-Version: 9\n", "Connection: close\n", "Expect: 100-continue\n", "Content-Encoding: gzip\n",
	} {
		add("POST /callers/who", content+header, who)
	}
	for _, line := range []string{
		"GET /sinks/1", "HEAD /sinks/1", "GET /sinks/1/follow", "GET /sinks/watch", "GET /sinks/pages?limit=1", "GET /tools/first", "DELETE /sinks/1",
		"GET /sinks?required=a&limit=3&tag=a&tag=b&version=2", "GET /v2/sinks/1", "GET /files/1", "HEAD /files/1", "GET /files/1/picture",
		"GET /openapi.json?version=3.1", "GET /docs", "OPTIONS /sinks", "TRACE /", "GET /mcp", "GET //", "OPTIONS *", "PATCH /files/1",
	} {
		add(line, "", "")
	}
	for _, header := range []string{
		"Range: bytes=0-9\n", "Range: bytes=-1\n", "Range: bytes=0-0,5-\n", "Range: bytes=990-99999999999999999999\n", "If-None-Match: \"1\"\n",
		"If-Range: \"1\"\nRange: bytes=1-\n", "If-Match: *\n", "If-Modified-Since: Mon, 02 Jan 2006 15:04:05 GMT\n",
	} {
		add("GET /files/1", header, "")
	}
	for _, upload := range []string{"image/png", "text/csv; charset=utf-8", "text/html", "image/png,text/html"} {
		add("PUT /files/1?note=n", "Content-Type: "+upload+"\n", "content")
	}
	add("PUT /files/1", "Content-Type: text/csv\n", strings.Repeat("x", 1001))
	seeds = append(seeds, fileHead("POST /files")+chunked(chunks("content", 3)+lastChunk), wireHead("POST /items/echo")+chunked(chunks(`{"value":1}`, 3)+"0\r\nX-Sum: 1\r\n\r\n"))
	add("GET /sinks/seek", "X-Tenant: a\nX-Trace: 1\nCookie: theme=dark; visits=2\n", "")
	add("PUT /tools/saw", content+"If-Match: \"1\"\n", `{"handle":"h"}`)
	add("POST /sinks", content, `{"int":1,"int8":1,"int16":1,"int32":1,"int64":1,"uint":1,"uint8":1,"uint16":1,"uint32":1,"uint64":1,"float32":1,"float64":1,"number":1,"bool":true}`)
	add("POST /sinks/echo-choices", content, `{"one":{"type":"text","id":1,"value":"a"},"list":[{"type":"none","id":2}]}`)
	add("POST /v2/sinks", content+"Authorization: Bearer alice\n", `{"id":1}`)
	for _, row := range formRequests {
		if row.path != "optional" && len(row.body) < 2<<10 {
			add("POST /forms/"+row.path, "Content-Type: "+row.contentType+"\n", row.body)
		}
	}
	add("POST /rpc", content, `[{"jsonrpc":"2.0","id":"k","method":"callers.who","params":{"value":"x","idempotency_key":"k"}},{"jsonrpc":"2.0","id":"\u006b","method":"callers.who","params":{"value":"y"}}]`)
	add("POST /rpc", content+"Idempotency-Key: \"k\"\n", `[{"jsonrpc":"2.0","id":1,"method":"callers.who","params":{"value":"x"}},{"jsonrpc":"2.0","id":2,"method":"callers.who","params":{"value":"y"}}]`)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"callers.who","params":{"value":"x"}}`, `{"jsonrpc":"2.0","method":"callers.who","params":{"value":"x"}}`,
		`[{"jsonrpc":"2.0","id":"a","method":"sinks.count"},{"jsonrpc":"2.0","id":null,"method":"sinks.get","params":[1]},1]`, `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`,
	} {
		add("POST /rpc", content, body)
	}
	for _, row := range mcpRows() {
		head, body, ok := strings.Cut(row.request, "\n\n")
		if !ok {
			head, body = "", row.request
		}
		if head != "" {
			head += "\n"
		}
		if len(body) < 2<<10 && !strings.Contains(body, "abort") { // the method asks net/http for a panic
			add("POST /notes", content+head, body)
		}
	}
	return seeds
}

// socketTokens are what mutations put anywhere.
var socketTokens = []string{
	"\r\n", "\n", " ", "\x00", "\xff", "\"", "{", "}", "[", "]", ",", ":", ";", "%2f", "%", "?", "&", "=", "/", "//", "..", "é", "\\u0000", "\\ud800",
	"0", "-1", "1e400", "18446744073709551616", "99999999999999999999", "null", "true", "\"x\":", "bytes=", "HTTP/1.0", "HTTP/9.9", "HEAD", "GET", "POST", "QUERY", "PRI",
	"Content-Length: 3\r\n", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "Connection: close\r\n", "Connection: upgrade\r\nUpgrade: h2c\r\n",
	"Expect: 100-continue\r\n", "Host: a\r\n", "Authorization: Bearer bob\r\n", "Authorization: Basic eDp5\r\n", "X-Api-Key: x\r\n", "Idempotency-Key: k\r\n", "Origin: https://app.example\r\n",
	"Access-Control-Request-Method: PUT\r\n", "Accept-Version: 2\r\n", "Content-Type: text/plain\r\n", "Accept: text/event-stream\r\n", "Last-Event-ID: 3\r\n", "If-None-Match: *\r\n",
	"Range: bytes=5-\r\n", "MCP-Protocol-Version: 2026-07-28\r\n", "MCP-Protocol-Version: 2025-06-18\r\n", "MCP-Protocol-Version: 2025-03-26\r\n", "Mcp-Method: tools/call\r\n",
	"tools/call", "tools/list", "server/discover", "subscriptions/listen", "initialize", "rpc.discover", "/rpc", "/mcp", "/callers/who", "/files/1", "/sinks/watch",
}

// mutateRequest changes a request in a few places, and in most cases lets its Content-Length
// be right again.
func mutateRequest(random *rand.Rand, seeds []string) string {
	text := seeds[random.IntN(len(seeds))]
	for range random.IntN(4) {
		from := 0
		if head, _, ok := strings.Cut(text, "\r\n\r\n"); ok && random.IntN(2) == 0 {
			from = len(head) + 4 // only the body, or the head is hardly ever valid
		}
		i := from + random.IntN(len(text)+1-from)
		j := min(len(text), i+random.IntN(16))
		switch random.IntN(5) {
		case 0:
			text = text[:i] + text[j:]
		case 1:
			text = text[:j] + text[i:]
		case 2:
			text = text[:i] + socketTokens[random.IntN(len(socketTokens))] + text[j:]
		case 3: // a line of header
			if head, rest, ok := strings.Cut(text, "\r\n"); ok {
				text = head + "\r\n" + strings.TrimSuffix(socketTokens[random.IntN(len(socketTokens))], "\r\n") + "\r\n" + rest
			}
		case 4: // the rest of another one
			other := seeds[random.IntN(len(seeds))]
			text = text[:i] + other[random.IntN(len(other)):]
		}
	}
	head, body, ok := strings.Cut(text, "\r\n\r\n")
	before, after, hasLength := strings.Cut(head, "Content-Length: ")
	if ok && hasLength && random.IntN(8) > 0 {
		_, after, _ = strings.Cut(after, "\r\n")
		text = strings.TrimSuffix(before+"Content-Length: "+strconv.Itoa(len(body))+"\r\n"+after, "\r\n") + "\r\n\r\n" + body
	}
	return text
}

// A sentRequest is what the server has to make of a request, as net/http reads it.
type sentRequest struct {
	verb    string
	subject string // of the call of Who; "?" if it is another request
}

// readSent returns the requests in text, and whether text ends with the last one.
func readSent(text string) (requests []sentRequest, whole bool) {
	r := bufio.NewReader(strings.NewReader(text))
	for {
		if _, err := r.Peek(1); err != nil {
			return requests, true
		}
		request, err := http.ReadRequest(r)
		if err != nil {
			return requests, false
		}
		sent := sentRequest{request.Method, "?"}
		key, tokens := request.Header["X-Api-Key"], request.Header["Authorization"]
		if request.URL.Path == "/callers/who" && key == nil && len(tokens) <= 1 {
			sent.subject = ""
			if scheme, token, _ := strings.Cut(strings.Join(tokens, ""), " "); strings.EqualFold(scheme, "Bearer") {
				sent.subject = strings.TrimLeft(token, " ") // another scheme is no credential for Bearer
			}
		}
		requests = append(requests, sent)
		if _, err := io.Copy(io.Discard, request.Body); err != nil || request.ProtoMajor != 1 {
			return requests, false
		}
	}
}

// FuzzSocket sends text, and requests that are made of valid ones by seed, over one
// connection in pieces. Whatever it is: each answer is a response of HTTP with a body of its
// type, in the order of the requests; no answer is an INTERNAL error; the log has no panic;
// the honest client notices nothing; and nothing is left when the client has left.
func FuzzSocket(f *testing.F) {
	seeds := socketSeeds()
	for i, seed := range seeds {
		f.Add(seed, uint64(i))
	}
	f.Add("GET /sinks/1 HTTP/1.1\r\nHost: svc.test\r\n\r\n\x00\xff", uint64(0))
	f.Add("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", uint64(0))
	s := newSocketTarget(f)
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 64<<10 {
			t.Skip("longer than what is worth sending")
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for range random.IntN(4) {
			text = mutateRequest(random, seeds) + text
		}
		s.calls++
		s.exchange(t, text, random)
		if s.calls%128 == 0 || t.Failed() {
			s.checkQuiet(t)
		}
	})
}

// exchange sends text, and checks the answers while the honest client calls.
func (s *socketTarget) exchange(t *testing.T, text string, random *rand.Rand) {
	requests, whole := readSent(text)
	last := fmt.Sprint("last-", s.calls)
	if body := `{"value":"` + last + `"}`; whole {
		text += wireHead("POST /callers/who") + "Authorization: Bearer last\r\nConnection: close\r\n" + withLength(int64(len(body)), body)
		requests = append(requests, sentRequest{"POST", "last"})
	}
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(wirePatience))
	defer conn.Close()
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Add(1)
	pieces := cut(text, random)
	go func() {
		defer beside.Done()
		for _, piece := range pieces {
			io.WriteString(conn, piece)
		}
		if !whole {
			conn.(*net.TCPConn).CloseWrite() // or the server would wait for the rest
		}
	}()
	s.honestCall(t, s.calls)
	answers, err := readAnswers(t, conn, requests)
	s.honestCall(t, s.calls+1<<30)
	switch {
	case t.Failed() || !whole:
	case errors.Is(err, syscall.ECONNRESET) && s.endedBy(conn) != "close": // by net/http, which has refused a request
	case err != nil:
		t.Errorf("reading the answers: %v", err)
	case len(answers) == 0:
		t.Error("no answer")
	case !answers[len(answers)-1].close:
		t.Error("the connection ends after an answer without Connection: close")
	case len(answers) == len(requests) && answers[len(answers)-1].body != `{"subject":"last","value":"`+last+`"}`:
		t.Errorf("the last answer is %s", clipped(answers[len(answers)-1].body))
	}
	if t.Failed() {
		t.Logf("sent: %q", text)
	}
}

// endedBy returns the header Connection of the last response of svc on conn.
func (s *socketTarget) endedBy(conn net.Conn) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended[conn.LocalAddr().String()]
}

// cut cuts text into pieces.
func cut(text string, random *rand.Rand) (pieces []string) {
	for range random.IntN(4) {
		i := random.IntN(len(text) + 1)
		pieces, text = append(pieces, text[:i]), text[i:]
	}
	return append(pieces, text)
}

// A socketAnswer is an answer, and whether the server says that it is the last one.
type socketAnswer struct {
	body  string
	close bool
}

// readAnswers reads until the server closes, and checks each answer. The error is that of
// the connection.
func readAnswers(t *testing.T, conn net.Conn, requests []sentRequest) (answers []socketAnswer, err error) {
	r := bufio.NewReader(conn)
	for {
		if _, err := r.Peek(1); err != nil {
			if err == io.EOF {
				err = nil
			}
			return answers, err
		}
		sent := sentRequest{"GET", "?"} // of what is no request
		if len(answers) < len(requests) {
			sent = requests[len(answers)]
		}
		res, err := http.ReadResponse(r, &http.Request{Method: sent.verb})
		if err != nil {
			return answers, fmt.Errorf("answer %d: %w", len(answers), err)
		}
		if res.StatusCode < 200 {
			continue
		}
		if sent.verb == http.MethodHead && res.StatusCode >= 400 && isOfNetHTTP(res) { // with a body all the same
			res.Body = io.NopCloser(r)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return answers, fmt.Errorf("the body of answer %d, %s: %w", len(answers), res.Status, err)
		}
		checkSocketAnswer(t, sent, res, string(body))
		answers = append(answers, socketAnswer{string(body), res.Close})
	}
}

// isOfNetHTTP reports whether net/http has refused the request. What svc answers has nosniff.
func isOfNetHTTP(res *http.Response) bool { return res.Header.Get("X-Content-Type-Options") == "" }

// checkSocketAnswer complains of an answer that no request can bring about.
func checkSocketAnswer(t *testing.T, sent sentRequest, res *http.Response, body string) {
	if strings.Contains(body, "honest-") {
		t.Errorf("%d has what is the honest client's: %s", res.StatusCode, clipped(body))
	}
	if res.StatusCode == 500 {
		t.Errorf("500 %s", clipped(body))
	}
	kind, _, _ := mime.ParseMediaType(cmp.Or(res.Header.Get("Content-Type"), "none/none"))
	switch {
	case sent.verb == http.MethodHead || res.StatusCode == 304:
	case kind == "application/json" && !strings.HasPrefix(body, `{"jsonrpc"`) && res.StatusCode >= 400:
		var e wireEnvelope
		if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Code == "" || e.Error.Message == "" {
			t.Errorf("%d is no envelope: %s", res.StatusCode, clipped(body))
		}
	case kind == "application/json" || kind == "application/problem+json":
		if !json.Valid([]byte(body)) {
			t.Errorf("%d is no JSON: %s", res.StatusCode, clipped(body))
		}
	case kind == "text/event-stream":
		for line := range strings.Lines(body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok && !json.Valid([]byte(data)) {
				t.Errorf("an event is no JSON: %s", clipped(line))
			}
		}
	case res.StatusCode >= 400 && !isOfNetHTTP(res):
		t.Errorf("%d is a %s: %s", res.StatusCode, kind, clipped(body))
	}
	var who Who
	if json.Unmarshal([]byte(body), &who); res.StatusCode == 200 && sent.subject != "?" && who.Subject != sent.subject && kind == "application/json" {
		t.Errorf("the answer to %q is %s", sent.subject, clipped(body))
	}
}
