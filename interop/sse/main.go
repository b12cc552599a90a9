// Command sse reads svc's event streams with a browser, curl and Go, over
// HTTP/1.1 and HTTP/2, and expects the same events from all of them: also after
// the connection was cut, which each client answers by coming back with
// Last-Event-ID.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"time"

	"example.com/svc"
)

func main() {
	log.SetFlags(0)
	failed := false
	for _, http2 := range []bool{false, true} {
		for name, err := range check(http2) {
			if err != nil {
				failed = true
				log.Printf("%s: FAILED: %v", name, err)
			} else {
				log.Printf("%s: the same events, and back after two cuts", name)
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// A server serves the streams, the page, and takes the page's result.
type server struct {
	*httptest.Server
	ticks  *ticks
	proto  string
	result chan []byte
}

func newServer(http2 bool) *server {
	s := &server{ticks: &ticks{proto: make(map[string]bool)}, result: make(chan []byte, 1), proto: "HTTP/1.1"}
	api := svc.MustRegister[TickAPI](s.ticks, &svc.Options{
		Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Ticks": {HTTP: "GET /ticks", Direct: svc.DirectStream(TickAPI.Ticks)},
			"Fail":  {HTTP: "GET /fail"},
		},
	})
	mux := http.NewServeMux()
	api.Mount(mux)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	})
	mux.Handle("POST /result", svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		var body json.RawMessage
		err := json.NewDecoder(r.Body).Decode(&body)
		s.result <- body
		return err
	}, nil))
	s.Server = httptest.NewUnstartedServer(mux)
	s.EnableHTTP2 = http2
	s.Config.WriteTimeout = time.Second // must not matter to a stream
	s.Config.ErrorLog = log.New(os.Stderr, "server: ", 0)
	if http2 {
		s.proto = "HTTP/2.0"
		s.StartTLS()
	} else {
		s.Start()
	}
	return s
}

// check yields the outcome for each client.
func check(http2 bool) func(yield func(string, error) bool) {
	return func(yield func(string, error) bool) {
		s := newServer(http2)
		defer s.Close()
		for _, client := range []struct {
			name string
			read func() (ticks, fail []event, err error)
		}{
			{"Go", func() ([]event, []event, error) { return readBoth(viaGo(s.Client(), s.URL)) }},
			{"curl -N", func() ([]event, []event, error) { return readBoth(viaCurl(s.URL)) }},
			{"EventSource", s.readInBrowser},
		} {
			ticks, fail, err := client.read()
			if err == nil {
				err = s.compare(ticks, fail)
			}
			if !yield(client.name+" over "+s.proto, err) {
				return
			}
		}
	}
}

func readBoth(get getter) (ticks, fail []event, err error) {
	if ticks, err = read(get, "/ticks"); err == nil {
		fail, err = read(get, "/fail")
	}
	return ticks, fail, err
}

func (s *server) readInBrowser() (ticks, fail []event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- browse(ctx, s.URL+"/") }()
	select {
	case body := <-s.result:
		var got struct{ Ticks, Fail []event }
		err = json.Unmarshal(body, &got)
		ticks, fail = got.Ticks, got.Fail
		cancel()
		<-ended
	case err = <-ended:
		if err == nil {
			err = fmt.Errorf("the browser sent no result in time")
		}
	}
	return ticks, fail, err
}

// compare says how what a client has got differs from what it should have.
func (s *server) compare(gotTicks, gotFail []event) error {
	var wantTicks []event
	for n := 1; n <= lastTick; n++ {
		name := "message"
		if n%3 == 0 {
			name = "third"
		}
		wantTicks = append(wantTicks, event{name, fmt.Sprint(n), tickData(n)})
	}
	wantTicks = append(wantTicks, event{"done", fmt.Sprint(lastTick), "{}"})
	wantFail := []event{{"message", "1", tickData(1)}, {"error", "1", `{"error":{"code":"NOT_FOUND","message":"there is no more"}}`}}
	after, proto := s.ticks.seen()
	switch {
	case !slices.Equal(gotTicks, wantTicks):
		return fmt.Errorf("got %q\nwant %q", gotTicks, wantTicks)
	case !slices.Equal(gotFail, wantFail):
		return fmt.Errorf("got %q\nwant %q", gotFail, wantFail)
	case !slices.Equal(after, []int{0, 2, 4}):
		return fmt.Errorf("came back after %v, want 0, 2, 4", after)
	case len(proto) != 1 || !proto[s.proto]:
		return fmt.Errorf("spoke %v, want %s", proto, s.proto)
	}
	return nil
}

// tickData is the data of an event, spelt as RFC 8259 wants it and no more.
func tickData(n int) string {
	return fmt.Sprintf(`{"n":%d,"text":"a\r\nb\n\nc: é%s\t\"<data>"}`, n, "\u2028")
}
