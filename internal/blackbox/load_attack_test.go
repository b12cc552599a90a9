package blackbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/svc"
)

// This file attacks Options.MaxConcurrent and Options.MaxStreams: by clients that send slowly, by
// batches, by idle streams and by clients that vanish. Others must get their answers meanwhile, and
// all must be free afterwards.

// SiegeAPI has a method for each kind of request that can be held open.
type (
	SiegeAPI interface {
		Hold(context.Context) error
		Read(context.Context) (*SiegeOut, error)
		Write(context.Context, *SiegeIn) (*SiegeOut, error)
		Secret(context.Context) error
		Import(context.Context, *SiegeFile) (*SiegeOut, error)
		Photo(context.Context, *SiegePhoto) (*SiegeOut, error)
		Watch(context.Context) (svc.Stream[SiegeOut], error)
		Private(context.Context) (svc.Stream[SiegeOut], error)
		Fail(context.Context, *SiegeIn) error
	}
	SiegeIn struct {
		Text string `json:"text,omitempty"`
	}
	SiegeFile struct {
		svc.Body `maxBytes:"1000000"`
	}
	SiegePhoto struct {
		Title string   `json:"title,omitempty"`
		File  svc.Body `json:"file" maxBytes:"1000000"`
	}
	SiegeOut struct {
		N int `json:"n"`
	}
	siege struct {
		entered, begun chan bool     // of Hold; of a stream
		uploading      chan bool     // of a method with a Body
		leave, release chan struct{} // ends a stream; ends Hold
	}
)

func (s *siege) Hold(ctx context.Context) error {
	s.entered <- true
	<-s.release
	return nil
}

// letGo ends all streams and every Hold.
func (s *siege) letGo() {
	close(s.leave)
	close(s.release)
}

func (*siege) Read(context.Context) (*SiegeOut, error) { return &SiegeOut{1}, nil }

func (*siege) Write(_ context.Context, in *SiegeIn) (*SiegeOut, error) {
	return &SiegeOut{len(in.Text)}, nil
}

func (*siege) Secret(context.Context) error { return nil }

func (s *siege) Import(_ context.Context, in *SiegeFile) (*SiegeOut, error) {
	return s.drain(&in.Body)
}

func (s *siege) Photo(_ context.Context, in *SiegePhoto) (*SiegeOut, error) {
	return s.drain(&in.File)
}

func (s *siege) drain(b *svc.Body) (*SiegeOut, error) {
	s.uploading <- true
	n, err := io.Copy(io.Discard, b)
	return &SiegeOut{int(n)}, err
}

func (s *siege) Watch(ctx context.Context) (svc.Stream[SiegeOut], error) {
	return func(yield func(*SiegeOut, error) bool) {
		s.begun <- true
		if !yield(&SiegeOut{1}, nil) {
			return
		}
		select {
		case <-ctx.Done():
		case <-s.leave:
		}
	}, nil
}

func (s *siege) Private(ctx context.Context) (svc.Stream[SiegeOut], error) { return s.Watch(ctx) }

func (*siege) Fail(_ context.Context, in *SiegeIn) error {
	switch in.Text {
	case "panic":
		panic("on purpose")
	case "abort":
		panic(http.ErrAbortHandler)
	}
	return svc.Errorf(svc.CodeNotFound, "nothing here")
}

// A besieged is a service behind a server of net/http, whose callers name themselves by a token.
type besieged struct {
	*siege
	*httptest.Server
	handler http.Handler
	active  atomic.Int64 // the connections that have sent something
}

// newSiege serves a service. If secret is set, some of its methods need a known caller.
func newSiege(t *testing.T, maxConcurrent, maxStreams int, secret bool) *besieged {
	b := &besieged{siege: &siege{entered: make(chan bool), begun: make(chan bool, 10_000), uploading: make(chan bool, 10_000), leave: make(chan struct{}), release: make(chan struct{})}}
	methods := map[string]svc.MethodOptions{"Read": {HTTP: "GET /s/read"}, "Watch": {HTTP: "GET /s/watch"}, "Private": {HTTP: "GET /s/private"},
		"Photo": {Form: true}}
	for _, name := range []string{"Hold", "Read", "Write", "Import", "Photo", "Watch", "Private", "Fail", "Secret"} {
		o := methods[name]
		o.Public = !secret || name != "Secret" && name != "Private"
		methods[name] = o
	}
	service := svc.MustRegister[SiegeAPI](b.siege, &svc.Options{Resource: "s", MaxConcurrent: maxConcurrent, MaxStreams: maxStreams,
		Defaults: svc.Defaults{Auth: "bearer"}, Methods: methods, Logger: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	mux.Handle("/", service.REST())
	mux.Handle("/rpc", service.RPC())
	mux.Handle("/mcp", service.MCP(nil))
	b.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			r = r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: name}))
		}
		mux.ServeHTTP(w, r)
	})
	b.Server = httptest.NewUnstartedServer(b.handler)
	b.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	b.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateActive {
			b.active.Add(1)
		}
	}
	b.Config.Protocols = new(http.Protocols)
	b.Config.Protocols.SetHTTP1(true)
	b.Config.Protocols.SetUnencryptedHTTP2(true)
	b.Start()
	t.Cleanup(b.Close)
	return b
}

// call makes a request in process, as bob, and returns the status and the body.
func (b *besieged) call(method, path, body string, headers ...string) string {
	contentType := "application/json"
	if path == "/s/import" {
		contentType = "text/plain"
	}
	a := answerTo(b.handler, method, path, body, append(headers, "Content-Type", contentType, "Authorization", "Bearer bob")...)
	return fmt.Sprint(a.StatusCode, " ", textOf(a))
}

// checkOthers verifies that bob gets his answers, over each transport.
func (b *besieged) checkOthers(t *testing.T) {
	t.Helper()
	large := strings.Repeat("a", 100<<10)
	for _, test := range []struct{ method, path, body, want string }{
		{"GET", "/s/read", "", `200 {"n":1}`},
		{"POST", "/s/write", `{"text":"abc"}`, `{"n":3}`},
		{"POST", "/s/write", `{"text":"` + large + `"}`, `{"n":102400}`},
		{"POST", "/s/import", "abc", `{"n":3}`},
		{"POST", "/s/import", large, `{"n":102400}`},
		{"POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"s.read"}`, `"result":{"n":1}`},
		{"POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"s.write","params":{"text":"` + large + `"}}`, `"result":{"n":102400}`},
		{"POST", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"s.read"},{"jsonrpc":"2.0","id":2,"method":"s.read"}]`, `"id":1},{"jsonrpc":"2.0","result":{"n":1},"id":2}]`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_read"}}`, `"n":1`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_write","arguments":{"text":"` + large + `"}}}`, `"n":102400`},
	} {
		if got := b.call(test.method, test.path, test.body); !strings.Contains(got, test.want) {
			t.Errorf("another %s %s of %d bytes gets %.200s", test.method, test.path, len(test.body), got)
		}
	}
}

// checkFree verifies that exactly so many calls may run, and that so many large uploads and streams
// may be open, half of them of one caller each. What vanished clients hold comes back a little
// later, so each is asked for until it is there.
func (b *besieged) checkFree(t *testing.T, calls, streams int) {
	t.Helper()
	var open crew
	until := func(signal <-chan bool, send func(ctx context.Context) string) {
		for !t.Failed() {
			refused := make(chan string, 1)
			open.Go(func() { refused <- send(t.Context()) })
			select {
			case <-signal:
				return
			case text := <-refused:
				if !strings.Contains(text, "overloaded") {
					t.Errorf("got %.200s", text)
					return
				}
			}
		}
	}
	send := func(ctx context.Context, method, path, caller string, body io.Reader) string {
		r, _ := http.NewRequestWithContext(ctx, method, b.URL+path, body)
		r.Header.Set("Authorization", "Bearer "+caller)
		a, err := b.Client().Do(r)
		if err != nil {
			return err.Error()
		}
		defer a.Body.Close()
		return textOf(a)
	}
	for len(b.uploading) > 0 {
		<-b.uploading
	}
	for i := range streams { // they need a slot to begin
		until(b.begun, func(ctx context.Context) string { return send(ctx, "GET", "/s/watch", fmt.Sprint("caller", i%2), nil) })
	}
	if t.Failed() {
		b.letGo()
		return
	}
	b.wantBusy(t, "GET", "/s/watch", "")
	for range calls {
		until(b.entered, func(ctx context.Context) string { return send(ctx, "POST", "/s/hold", "ada", nil) })
	}
	b.wantBusy(t, "GET", "/s/read", "")
	for i := range calls {
		until(b.uploading, func(ctx context.Context) string {
			body := io.MultiReader(strings.NewReader(strings.Repeat("a", 200<<10)), restReader{b.leave})
			return send(ctx, "POST", "/s/import", fmt.Sprint("caller", i%2), body)
		})
	}
	b.wantBusy(t, "POST", "/s/import", strings.Repeat("a", 100<<10))
	b.letGo()
	open.Wait()
}

// wantBusy verifies that a request is refused.
func (b *besieged) wantBusy(t *testing.T, method, path, body string) {
	t.Helper()
	if got := b.call(method, path, body); !strings.HasPrefix(got, "503") || !strings.Contains(got, "the server is busy; try again") {
		t.Errorf("one %s %s more gets %.200s", method, path, got)
	}
}

// Verify that clients that send slowly hold nothing that others need: heads, bodies and forms that
// do not end, over each transport, of strangers and of one caller.
func TestSlowBodies(t *testing.T) {
	const attackers, limit = 24, 4
	large := strings.Repeat("a", 64<<10+1)
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	for _, test := range []struct {
		name, path, contentType, body string
		counts                        bool // more than 64 KiB have come
	}{
		{"the head of an upload", "/s/import", "text/plain", "", false},
		{"a part of an upload", "/s/import", "text/plain", large[:1000], false},
		{"64 KiB of an upload and a byte", "/s/import", "text/plain", large, true},
		{"the head of a form", "/s/photo", "multipart/form-data; boundary=x", "", false},
		{"half a form", "/s/photo", "multipart/form-data; boundary=x", form + large[:1000], false},
		{"64 KiB of a form and more", "/s/photo", "multipart/form-data; boundary=x", form + large, true},
		{"half a JSON text", "/s/write", "application/json", `{"text":"`, false},
		{"64 KiB of a JSON text and a byte", "/s/write", "application/json", `{"text":"` + large, true},
		{"half a message of JSON-RPC", "/rpc", "application/json", `{"jsonrpc":"2.0","id":1,`, false},
		{"64 KiB of a message of JSON-RPC", "/rpc", "application/json", `{"jsonrpc":"2.0","id":1,"method":"s.write","params":{"text":"` + large, true},
		{"64 KiB of a batch", "/rpc", "application/json", `[{"jsonrpc":"2.0","id":1,"method":"s.write","params":{"text":"` + large, true},
		{"half a message of MCP", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,`, false},
		{"64 KiB of a message of MCP", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_write","arguments":{"text":"` + large, true},
	} {
		for _, who := range []struct{ name, header string }{
			{"strangers", ""}, {"one caller", "Authorization: Bearer mallory\r\n"},
			{"strangers who drip", "Transfer-Encoding: chunked\r\n"},
		} {
			t.Run(test.name+" of "+who.name, func(t *testing.T) {
				t.Parallel() // most of it is waiting for connections to end
				b := newSiege(t, limit, 2, true)
				length, body := "Content-Length: 900000\r\n", test.body
				if strings.Contains(who.header, "chunked") {
					length = ""
					if body != "" {
						body = fmt.Sprintf("%x\r\n%s\r\n", len(body), body)
					}
				}
				refused := make(chan bool, attackers)
				var conns []net.Conn
				for range attackers {
					c, err := net.Dial("tcp", b.Listener.Addr().String())
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					conns = append(conns, c)
					go func() {
						fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\n%s%s\r\n%s", test.path, test.contentType, length, who.header, body)
						if a, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil && strings.Contains(textOf(a), "overloaded") {
							refused <- true
						}
					}()
				}
				for b.active.Load() < attackers {
					b.call("GET", "/s/read", "")
				}
				if test.counts {
					for range attackers - limit/2 {
						<-refused
					}
				}
				b.checkOthers(t)
				for _, c := range conns {
					fmt.Fprint(c, "1\r\na\r\n") // one more, or a few bytes of the body
				}
				b.checkOthers(t)
				for _, c := range conns {
					c.Close()
				}
				b.checkFree(t, limit, 2)
			})
		}
	}
}

// Verify whom the share of the bodies and of the streams belongs to: a caller has half, and
// strangers together have all in a service that needs no caller, and half in another one.
func TestShareOfCallers(t *testing.T) {
	const limit = 4
	busy, share := "the server is busy; try again", "the server is busy with other requests of this caller"
	for _, test := range []struct {
		name   string
		secret bool     // the service has methods for known callers alone
		path   string   // of a stream
		caller []string // of each, in order; "" for a stranger
		want   []string // "" if it begins
	}{
		{"strangers in an open service", false, "/s/watch", []string{"", "", "", "", ""}, []string{"", "", "", "", busy}},
		{"one caller in an open service", false, "/s/watch", []string{"ada", "ada", "ada", "", ""}, []string{"", "", share, "", ""}},
		{"strangers", true, "/s/watch", []string{"", "", "", "ada", "bob", "eve"}, []string{"", "", share, "", "", busy}},
		{"one caller", true, "/s/private", []string{"ada", "ada", "ada", "bob", "", "bob"}, []string{"", "", share, "", "401", ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newSiege(t, limit, limit, test.secret)
			var open crew
			for i, caller := range test.caller {
				answer := make(chan string, 1)
				open.Go(func() {
					r, _ := http.NewRequestWithContext(t.Context(), "GET", b.URL+test.path, nil)
					if caller != "" {
						r.Header.Set("Authorization", "Bearer "+caller)
					}
					a, err := b.Client().Do(r)
					if err != nil {
						answer <- err.Error()
						return
					}
					defer a.Body.Close()
					answer <- fmt.Sprint(a.StatusCode, " ", textOf(a))
				})
				got := ""
				select {
				case <-b.begun:
				case got = <-answer:
				}
				if got == "" != (test.want[i] == "") || !strings.Contains(got, test.want[i]) {
					t.Errorf("stream %d of %q: %q, want %q", i, caller, got, test.want[i])
				}
			}
			b.letGo()
			open.Wait()
		})
	}
}

// Verify that a batch is refused as a whole or not at all, however many come at once.
func TestBatchStorm(t *testing.T) {
	b := newSiege(t, 3, 2, false)
	var calls []string
	for i := range 40 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"s.write","params":{"text":"%d"}}`, i, i))
	}
	text := "[" + strings.Join(calls, ",") + "]"
	var whole, refused atomic.Int64
	var storm crew
	for range 60 {
		storm.Go(func() {
			answer := b.call("POST", "/rpc", text)
			switch n := strings.Count(answer, `"result"`); {
			case n == len(calls):
				whole.Add(1)
			case n == 0 && strings.Count(answer, "overloaded") == len(calls):
				refused.Add(1)
			default:
				t.Errorf("%d of %d calls have run: %.300s", n, len(calls), answer)
			}
		})
	}
	storm.Wait()
	if whole.Load() == 0 {
		t.Errorf("all of %d batches are refused", refused.Load())
	}
	b.checkFree(t, 3, 2)
}

// Verify that a batch has no slot while all its workers collect streams, and that a call after that
// is refused under its own id if the slot is gone.
func TestBatchOfStreams(t *testing.T) {
	const workers = 8
	for _, test := range []struct {
		name string
		full bool // others take the slot meanwhile
		want string
	}{
		{"a free slot", false, `{"jsonrpc":"2.0","result":{"n":1},"id":9}`},
		{"no free slot", true, `"reason":"overloaded"}},"id":9}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newSiege(t, 1, 2*workers, false)
			var calls []string
			for i := range workers {
				calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"s.watch"}`, i+1))
			}
			calls = append(calls, `{"jsonrpc":"2.0","id":9,"method":"s.read"}`)
			answer := make(chan string, 1)
			go func() { answer <- b.call("POST", "/rpc", "["+strings.Join(calls, ",")+"]", "X-Caller", "batch") }()
			for range workers {
				<-b.begun
			}
			if got := b.call("GET", "/s/read", ""); !strings.HasPrefix(got, "200") {
				t.Errorf("beside a batch of idle streams: %s", got)
			}
			hold := make(chan string, 1)
			if test.full {
				go func() { hold <- b.call("POST", "/s/hold", "") }()
				<-b.entered
			}
			for range workers {
				b.leave <- struct{}{}
			}
			if got := <-answer; strings.Count(got, `{"items":[{"n":1}]}`) != workers || !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if test.full {
				b.release <- struct{}{}
				<-hold
			}
			b.checkFree(t, 1, 2*workers)
		})
	}
}

// Verify what an upload is that svc has read ahead: cut, late and too large ones do not reach their
// method; the others are whole; and all count as if Read had read them.
func TestReadAhead(t *testing.T) {
	const limit = 1_000_000
	form := func(content string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n" + content + "\r\n--x--\r\n"
	}
	for _, n := range []int{0, 1, 1000, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000, limit, limit + 1} {
		for _, kind := range []string{"a Body", "a form"} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprint(n, " bytes of ", kind, " chunked ", chunked), func(t *testing.T) {
					t.Parallel()
					b := newSiege(t, 2, 2, false)
					text, path, contentType := strings.Repeat("a", n), "/s/import", "text/plain"
					if kind == "a form" {
						text, path, contentType = form(text), "/s/photo", "multipart/form-data; boundary=x"
					}
					r, _ := http.NewRequest("POST", b.URL+path, strings.NewReader(text))
					if chunked {
						r.ContentLength = -1
					}
					r.Header.Set("Content-Type", contentType)
					a, err := b.Client().Do(r)
					if err != nil {
						t.Fatal(err)
					}
					defer a.Body.Close()
					want := fmt.Sprintf(`200 {"n":%d}`, n)
					if n > limit {
						want = "413"
					}
					if got := fmt.Sprint(a.StatusCode, " ", textOf(a)); !strings.HasPrefix(got, want) {
						t.Errorf("got %.200s, want %s", got, want)
					}
				})
			}
		}
	}
	for _, test := range []struct{ name, head, body, want string }{
		{"a body that is cut", "Content-Length: 1000\r\n", "abc", "400"},
		{"a chunk that is none", "Transfer-Encoding: chunked\r\n", "zz\r\n", "400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newSiege(t, 2, 2, false)
			c, err := net.Dial("tcp", b.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "POST /s/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n%s\r\n%s", test.head, test.body)
			c.(*net.TCPConn).CloseWrite()
			a, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err == nil && !strings.HasPrefix(a.Status, test.want) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v, %v", a, err)
			}
			b.checkFree(t, 2, 2)
		})
	}
}

// Verify that a storm of everything that can happen to a request leaves all free.
func TestLoadStorm(t *testing.T) {
	const limit, streams = 4, 6
	for _, two := range []bool{false, true} {
		t.Run(fmt.Sprint("HTTP/2 ", two), func(t *testing.T) {
			b := newSiege(t, limit, streams, true)
			transport := &http.Transport{Protocols: new(http.Protocols), MaxIdleConnsPerHost: 100}
			transport.Protocols.SetHTTP1(!two)
			transport.Protocols.SetUnencryptedHTTP2(two)
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			large := strings.Repeat("a", 100<<10)
			kinds := []struct{ method, path, body string }{
				{"GET", "/s/read", ""},
				{"POST", "/s/write", `{"text":"` + large + `"}`},
				{"POST", "/s/write", `{"text":`},
				{"POST", "/s/fail", `{}`},
				{"POST", "/s/fail", `{"text":"panic"}`},
				{"POST", "/s/fail", `{"text":"abort"}`},
				{"GET", "/s/watch", ""},
				{"GET", "/s/private", ""},
				{"POST", "/s/import", "abc"},
				{"POST", "/s/import", large},
				{"POST", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"s.read"},{"jsonrpc":"2.0","id":2,"method":"s.watch"},{"jsonrpc":"2.0","id":3,"method":"s.read"}]`},
				{"POST", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"s.fail","params":{"text":"abort"}},{"jsonrpc":"2.0","id":2,"method":"s.read"}]`},
				{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_watch"}}`},
				{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s_fail","arguments":{"text":"panic"}}}`},
			}
			stop := make(chan struct{})
			var drain crew
			drain.Go(func() {
				for {
					select {
					case <-b.begun:
					case <-stop:
						return
					}
				}
			})
			var storm crew
			for i := range rounds(40, 200) {
				storm.Go(func() {
					random := rand.New(rand.NewPCG(uint64(i), 7))
					for range 20 {
						kind := kinds[random.IntN(len(kinds))]
						ctx, vanish := context.WithCancel(t.Context())
						var body io.Reader = strings.NewReader(kind.body)
						idle := strings.Contains(kind.path+kind.body, "watch") || strings.Contains(kind.path, "private")
						if random.IntN(4) == 0 { // its client goes in the middle
							body = io.MultiReader(strings.NewReader(kind.body[:len(kind.body)/2]), vanishingReader{vanish})
						}
						r, _ := http.NewRequestWithContext(ctx, kind.method, b.URL+kind.path, body)
						r.Header.Set("Content-Type", "application/json")
						if kind.path == "/s/import" {
							r.Header.Set("Content-Type", "text/plain")
						}
						if n := random.IntN(4); n > 0 {
							r.Header.Set("Authorization", fmt.Sprint("Bearer ", n))
						}
						if idle { // a stream ends when its client goes
							go func() {
								for range 50 {
									b.call("GET", "/s/read", "")
								}
								vanish()
							}()
						}
						if a, err := client.Do(r); err == nil {
							io.Copy(io.Discard, a.Body)
							a.Body.Close()
						}
						vanish()
					}
				})
			}
			storm.Wait()
			close(stop)
			drain.Wait()
			for len(b.begun) > 0 {
				<-b.begun
			}
			b.checkFree(t, limit, streams)
		})
	}
}

// A restReader is the rest of a body, which ends with a channel.
type restReader struct{ end <-chan struct{} }

func (r restReader) Read([]byte) (int, error) {
	<-r.end
	return 0, io.EOF
}

// A crew is a sync.WaitGroup with the method Go, which it has since Go 1.25.
type crew struct{ sync.WaitGroup }

func (c *crew) Go(f func()) {
	c.Add(1)
	go func() {
		defer c.Done()
		f()
	}()
}

// A vanishingReader is the rest of a body whose client goes.
type vanishingReader struct{ vanish context.CancelFunc }

func (r vanishingReader) Read([]byte) (int, error) {
	r.vanish()
	return 0, io.ErrUnexpectedEOF
}
