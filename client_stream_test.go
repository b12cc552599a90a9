package svc

// This file tests streams of clients that go on over several connections. Nothing waits: the
// connection of the client has another wait.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A cutAPI has streams that can go on after a cut, and others that cannot.
type cutAPI interface {
	Ticks(context.Context, *cutIn) (Stream[cutTick], error)
	Plain(context.Context, *cutIn) (Stream[cutPlain], error)
	Never(context.Context, *cutFrom) (Stream[cutTick], error)
}

type (
	cutTick  struct{ N int }
	cutPlain struct{ N int }
	cutIn    struct {
		After int `json:"after,omitempty" header:"Last-Event-ID"`
		To    int `json:"to,omitempty"`
	}
	cutFrom struct {
		To int `json:"to,omitempty"`
	}
)

func (t *cutTick) SSE() Event { return Event{ID: strconv.Itoa(t.N)} }

type cutTicks struct{}

func (cutTicks) Ticks(_ context.Context, in *cutIn) (Stream[cutTick], error) {
	return func(yield func(*cutTick, error) bool) {
		for n := in.After + 1; n <= in.To; n++ {
			if !yield(&cutTick{n}, nil) {
				return
			}
		}
	}, nil
}

func (cutTicks) Plain(context.Context, *cutIn) (Stream[cutPlain], error) {
	return func(func(*cutPlain, error) bool) {}, nil
}

func (cutTicks) Never(context.Context, *cutFrom) (Stream[cutTick], error) {
	return func(func(*cutTick, error) bool) {}, nil
}

type cutClient struct {
	Ticks func(context.Context, *cutIn) (Stream[cutTick], error)
	Plain func(context.Context, *cutIn) (Stream[cutPlain], error)
	Never func(context.Context, *cutFrom) (Stream[cutTick], error)
}

func cutOptions() *Options {
	return &Options{Logger: slog.New(slog.DiscardHandler), Methods: map[string]MethodOptions{
		"Ticks": {HTTP: "GET /ticks"}, "Plain": {HTTP: "GET /plain"}, "Never": {HTTP: "GET /never"},
	}}
}

// connectTicks returns a client that does not wait, and its waits.
func connectTicks(t testing.TB, url string, opts ClientOptions) (*cutClient, *connection, *[]time.Duration) {
	client, waits := new(cutClient), new([]time.Duration)
	opts.Service = cutOptions()
	c := connectWith(t, client, reflect.TypeFor[cutAPI](), url, opts)
	c.wait = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return client, c, waits
}

// Verify that every event comes once and in order, over a proxy that cuts connections anywhere.
func TestClientStreamGoesOn(t *testing.T) {
	const to = 2000
	server := httptest.NewServer(MustRegister[cutAPI](cutTicks{}, cutOptions()).REST())
	defer server.Close()
	at, _ := url.Parse(server.URL)
	forward := httputil.NewSingleHostReverseProxy(at)
	forward.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	forward.FlushInterval = -1
	random := rand.New(rand.NewPCG(1, 2))
	var cuts atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cuts.Add(1)%5 == 0 {
			w.WriteHeader(503)
			return
		}
		forward.ServeHTTP(&cuttingWriter{ResponseWriter: w, left: random.IntN(5000)}, r)
	}))
	defer proxy.Close()
	proxy.Config.ErrorLog = forward.ErrorLog
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	client, _, waits := connectTicks(t, proxy.URL, ClientOptions{HTTPClient: &http.Client{Transport: transport}})
	stream, err := client.Ticks(t.Context(), &cutIn{To: to})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for item, err := range stream {
		if n++; err != nil || item.N != n {
			t.Fatalf("item %d is %+v, %v", n, item, err)
		}
	}
	if n != to || len(*waits) < 5 {
		t.Errorf("%d items over %d more connections, want %d items over several", n, len(*waits), to)
	}
	http.DefaultClient.CloseIdleConnections()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// A cuttingWriter ends the connection after some bytes.
type cuttingWriter struct {
	http.ResponseWriter
	left int
}

func (w *cuttingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *cuttingWriter) Write(p []byte) (int, error) {
	n, _ := w.ResponseWriter.Write(p[:min(len(p), w.left)])
	if w.left -= n; w.left == 0 {
		http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// Verify what a stream makes of each way to end, by the events that it sends on one connection
// after the other, and which id it asks for.
func TestClientStreamEnds(t *testing.T) {
	const ok, one, two, done = "200 ", "id: 1\ndata: {\"N\":1}\n\n", "id: 2\ndata: {\"N\":2}\n\n", "event: done\ndata: {}\n\n"
	stopping := "event: error\ndata: {\"error\":{\"code\":\"UNAVAILABLE\",\"message\":\"stopping\"}}\n\n"
	failed := "event: error\ndata: {\"error\":{\"code\":\"ABORTED\",\"message\":\"m\"}}\n\n"
	for _, test := range []struct {
		name    string
		after   int
		answers []string // the status and the body of each connection; the last one for all others
		want    string   // the items and the error
		asked   string   // Last-Event-ID of each request
	}{
		{"cut", 0, []string{ok + one, ok + two + done}, "1 2 ", " 1"},
		{"a server that stops", 0, []string{ok + one + stopping, ok + two + done}, "1 2 ", " 1"},
		{"cut in an event", 0, []string{ok + one + two[:len(two)-1], ok + two + done}, "1 2 ", " 1"},
		{"cut before the first item, with an id", 0, []string{ok + "id: 7\n\n", ok + done}, "", " 7"},
		{"cut in the id", 0, []string{ok + "id: 7\n", ok + done}, "", " "},
		{"cut before everything", 3, []string{ok, ok + done}, "", "3 3"},
		{"an id of the caller, and then another", 3, []string{ok + one, ok + done}, "1 ", "3 1"},
		{"an item without an id", 0, []string{ok + one + "data: {\"N\":2}\n\n", ok + done}, "1 2 UNAVAILABLE", ""},
		{"an id that no header carries", 0, []string{ok + "id: \x01\ndata: {\"N\":2}\n\n", ok + done}, "2 UNAVAILABLE", ""},
		{"an id that is not ASCII", 0, []string{ok + "id: größe\t7\ndata: {\"N\":1}\n\n", ok + two + done}, "1 2 ", " größe\t7"},
		{"a blank at the end of an id", 0, []string{ok + "id: a \ndata: {\"N\":2}\n\n", ok + done}, "2 UNAVAILABLE", ""},
		{"many failures", 0, []string{ok + one, "503 ", "429 ", "502 ", "504 ", ok + stopping, ok, ok + two + done}, "1 2 ", " 1 1 1 1 1 1 1"},
		{"another error", 0, []string{ok + one + failed, ok + done}, "1 ABORTED", ""},
		{"refused later", 0, []string{ok + one, "404 ", ok + done}, "1 NOT_FOUND", " 1"},
		{"no longer allowed", 0, []string{ok + one, "401 ", ok + done}, "1 UNAUTHENTICATED", " 1"},
		{"a conflict", 0, []string{ok + one, "409 ", ok + done}, "1 ALREADY_EXISTS", " 1"},
		{"a bug", 0, []string{ok + one, "500 ", ok + done}, "1 INTERNAL", " 1"},
		{"no content", 0, []string{ok + one, "204 ", ok + done}, "1 INTERNAL", " 1"},
		{"an item of another type", 0, []string{ok + "id: 1\ndata: 7\n\n", ok + done}, "INTERNAL", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			client, _, _ := connectTicks(t, "", ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status, body, _ := strings.Cut(test.answers[min(len(asked), len(test.answers)-1)], " ")
				asked = append(asked, r.Header.Get(lastEventID))
				w.Header().Set("Content-Type", contentTypeEvents)
				code, _ := strconv.Atoi(status)
				w.WriteHeader(code)
				io.WriteString(w, body)
			})})
			got := ""
			stream, err := client.Ticks(t.Context(), &cutIn{After: test.after})
			if err != nil {
				t.Fatal(err)
			}
			for item, err := range stream {
				if err == nil {
					got += fmt.Sprint(item.N, " ")
				} else if got += string(CodeOf(err)); !MayHaveRun(err) {
					t.Errorf("%v says that the call has not run", err)
				}
			}
			if got != test.want || strings.Join(asked, " ") != test.asked {
				t.Errorf("got %q for %q, want %q for %q", got, asked, test.want, test.asked)
			}
		})
	}
}

// Verify which streams end with UNAVAILABLE when they are cut: those without ids, without the
// header, and of a client that sends nothing again.
func TestClientStreamEndsAtOnce(t *testing.T) {
	requests := 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", contentTypeEvents)
		w.WriteHeader(200)
	})
	client, _, _ := connectTicks(t, "", ClientOptions{Handler: handler})
	once, _, _ := connectTicks(t, "", ClientOptions{Handler: handler, Attempts: 1})
	for _, test := range []struct {
		name string
		read func() error
	}{
		{"items without SSE", func() error { s, _ := client.Plain(t.Context(), &cutIn{}); return lastOf(s) }},
		{"no Last-Event-ID", func() error { s, _ := client.Never(t.Context(), &cutFrom{}); return lastOf(s) }},
		{"one attempt", func() error { s, _ := once.Ticks(t.Context(), &cutIn{}); return lastOf(s) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			requests = 0
			if err := test.read(); CodeOf(err) != CodeUnavailable || requests != 1 {
				t.Errorf("%v after %d requests", err, requests)
			}
		})
	}
}

// Verify which streams go on by their verbs: those of calls that may run twice. Each request has
// the input again.
func TestClientStreamVerbs(t *testing.T) {
	for _, test := range []struct{ verb, want string }{
		{"GET", "1 2 "}, {"QUERY", "1 2 "}, {"PUT", "1 2 "}, {"DELETE", "1 2 "},
		{"POST", "1 UNAVAILABLE"}, {"PATCH", "1 UNAVAILABLE"},
	} {
		t.Run(test.verb, func(t *testing.T) {
			opts := cutOptions()
			opts.Methods["Ticks"] = MethodOptions{HTTP: test.verb + " /ticks"}
			var asked []string
			client := new(cutClient)
			connectWith(t, client, reflect.TypeFor[cutAPI](), "",
				ClientOptions{Service: opts, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					asked = append(asked, r.URL.RawQuery+string(body))
					last, _ := strconv.Atoi(r.Header.Get(lastEventID))
					w.Header().Set("Content-Type", contentTypeEvents)
					if fmt.Fprintf(w, "id: %d\ndata: {\"N\":%[1]d}\n\n", last+1); last == 1 {
						io.WriteString(w, "event: done\ndata: {}\n\n")
					}
				})}).wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
			got := ""
			stream, err := client.Ticks(t.Context(), &cutIn{To: 7})
			if err != nil {
				t.Fatal(err)
			}
			for item, err := range stream {
				if err != nil {
					got += string(CodeOf(err))
				} else {
					got += fmt.Sprint(item.N, " ")
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for _, input := range asked {
				if input != "to=7" && input != `{"to":7}` {
					t.Errorf("a request has the input %q", input)
				}
			}
		})
	}
}

// lastOf returns the error that ends a stream.
func lastOf[T any](s Stream[T]) (err error) {
	for _, err = range s {
	}
	return err
}

// Verify how long a stream waits: ever longer up to 30 s, as the stream says, and anew after an
// item.
func TestClientStreamWaits(t *testing.T) {
	const ok = "200 "
	failing := slices.Repeat([]string{"503 "}, 12)
	for _, test := range []struct {
		name    string
		answers []string
		least   []time.Duration
		most    []time.Duration
	}{
		{"none", slices.Concat([]string{ok}, failing), []time.Duration{0, 0, 0}, []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond}},
		{"retry", slices.Concat([]string{ok + "retry: 2000\n\n"}, failing), []time.Duration{2 * time.Second, 2 * time.Second}, []time.Duration{2200 * time.Millisecond, 2200 * time.Millisecond}},
		{"a longer retry", slices.Concat([]string{ok + "retry: 60000\n\n"}, failing), []time.Duration{time.Minute}, []time.Duration{66 * time.Second}},
		{"no retry", slices.Concat([]string{ok + "retry: 2s\n\n"}, failing), []time.Duration{0}, []time.Duration{50 * time.Millisecond}},
		{"after an item", []string{ok, "503 ", "503 ", ok + "id: 1\ndata: {\"N\":1}\n\n", ok}, []time.Duration{0, 0, 0, 0}, []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 50 * time.Millisecond}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 0
			client, c, waits := connectTicks(t, "", ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status, body, _ := strings.Cut(test.answers[n], " ")
				n++
				w.Header().Set("Content-Type", contentTypeEvents)
				code, _ := strconv.Atoi(status)
				w.WriteHeader(code)
				io.WriteString(w, body)
			})})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.wait = func(ctx context.Context, d time.Duration) error {
				if *waits = append(*waits, d); len(*waits) == len(test.answers) {
					cancel()
				}
				return ctx.Err()
			}
			stream, err := client.Ticks(ctx, &cutIn{})
			if err != nil {
				t.Fatal(err)
			}
			if err := lastOf(stream); CodeOf(err) != CodeCanceled || len(*waits) != len(test.answers) {
				t.Errorf("%v after %v", err, *waits)
			}
			for i, d := range *waits {
				if i < len(test.least) && (d < test.least[i] || d > test.most[i]) || d > maxStreamPause && test.least[0] < maxStreamPause {
					t.Errorf("wait %d is %v", i, d)
				}
			}
		})
	}
}

// Verify that a stream on which nothing comes is cut, and goes on if it can.
func TestClientStreamSilence(t *testing.T) {
	client, c, waits := connectTicks(t, "", ClientOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last, _ := strconv.Atoi(r.Header.Get(lastEventID))
		w.Header().Set("Content-Type", contentTypeEvents)
		if last < 2 {
			fmt.Fprintf(w, "id: %d\ndata: {\"N\":%d}\n\n", last+1, last+1)
			http.NewResponseController(w).Flush()
		}
		if last > 0 { // on a busy machine the second connection may be silent after its item
			io.WriteString(w, "event: done\ndata: {}\n\n")
			return
		}
		<-r.Context().Done()
	})})
	c.silence = 50 * time.Millisecond
	stream, err := client.Ticks(t.Context(), &cutIn{})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for item, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprint(item.N, " ")
	}
	if got != "1 2 " || len(*waits) == 0 {
		t.Errorf("got %q over %d more connections", got, len(*waits))
	}
	never, err := client.Never(t.Context(), &cutFrom{})
	if err != nil {
		t.Fatal(err)
	}
	if err := lastOf(never); CodeOf(err) != CodeUnavailable || !errors.Is(err, errSilent) {
		t.Errorf("a stream that cannot go on ends with %v", err)
	}
}

// A fromAPI has a stream that says where it begins.
type fromAPI interface {
	Watch(context.Context, *cutIn) (Stream[cutTick], error)
	Get(context.Context) (*cutPlain, error)
}

type fromService struct{ id string }

func (f fromService) Watch(ctx context.Context, in *cutIn) (Stream[cutTick], error) {
	StreamFrom(ctx, f.id)
	return func(yield func(*cutTick, error) bool) { yield(&cutTick{8}, nil) }, nil
}

func (f fromService) Get(ctx context.Context) (*cutPlain, error) {
	StreamFrom(ctx, f.id)
	return &cutPlain{}, nil
}

// Verify what StreamFrom sends, and that other transports and methods ignore it.
func TestStreamFrom(t *testing.T) {
	StreamFrom(context.Background(), "7") // does nothing
	for _, test := range []struct{ id, want string }{
		{"7", "200 :\n\nid: 7\n\nid: 8\ndata: {\"N\":8}\n\nevent: done\ndata: {}\n\n"},
		{"", "200 :\n\nid: 8\ndata: {\"N\":8}\n\nevent: done\ndata: {}\n\n"},
		{"a\nb", "500 {\"error\":{\"code\":\"INTERNAL\",\"message\":\"internal error\"}}\n"},
	} {
		t.Run(strconv.Quote(test.id), func(t *testing.T) {
			s := MustRegister[fromAPI](fromService{test.id}, &Options{Resource: "from", Logger: slog.New(slog.DiscardHandler),
				Methods: map[string]MethodOptions{"Watch": {HTTP: "GET /watch"}, "Get": {HTTP: "GET /get"}}})
			for path, want := range map[string]string{"/watch": test.want, "/get": "200 {\"N\":0}\n"} {
				w := httptest.NewRecorder()
				s.REST().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				if got := fmt.Sprint(w.Code, " ", w.Body); strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("%s: got %q, want %q", path, got, want)
				}
			}
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", "/rpc", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"from.watch"}`))
			r.Header.Set("Content-Type", "application/json")
			s.RPC().ServeHTTP(w, r)
			if got := w.Body.String(); !strings.Contains(got, `"items":[{"N":8}]`) {
				t.Errorf("over JSON-RPC: %s", got)
			}
			if out, err := s.Call(t.Context(), "from", "watch", &cutIn{}); err != nil || out == nil {
				t.Errorf("Call returns %v, %v", out, err)
			}
		})
	}
}
