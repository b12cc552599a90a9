package main

// This file has the server, which is a process of its own.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/svc"
)

// ItemAPI keeps items by their keys.
type ItemAPI interface {
	Put(context.Context, *Item) (*Item, error)
	Get(context.Context, *Key) (*Item, error)
	Delete(context.Context, *Key) error
	List(context.Context, *ListItems) (*svc.PageResponse[Item], error)
	Watch(context.Context, *WatchItems) (svc.Stream[Item], error)
	Large(context.Context, *Size) (*Blob, error)
	Wait(context.Context) error
	Fail(context.Context, *Failure) error
}

type Item struct {
	Key   string `json:"key" path:"key" minLength:"1" maxLength:"40"`
	Value string `json:"value" maxLength:"2000"`
}

type Key struct {
	Key string `json:"key" path:"key"`
}

type ListItems struct{ svc.PageQuery }

type WatchItems struct {
	Count int `json:"count,omitempty" minimum:"0"`
}

type Size struct {
	KiB int `json:"kib" minimum:"1" maximum:"4096"`
}

type Blob struct {
	Text string `json:"text"`
}

type Failure struct {
	Panic bool `json:"panic"`
}

// A store is the service and its data.
type store struct {
	stopping <-chan struct{}

	mu    sync.Mutex // protects the fields below
	items map[string]string
	added chan struct{} // closed and replaced by each Put
}

func (s *store) Put(_ context.Context, in *Item) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[in.Key] = in.Value
	close(s.added)
	s.added = make(chan struct{})
	return in, nil
}

func (s *store) Get(_ context.Context, in *Key) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.items[in.Key]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no such item")
	}
	return &Item{in.Key, value}, nil
}

func (s *store) Delete(_ context.Context, in *Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, in.Key)
	return nil
}

func (s *store) List(_ context.Context, in *ListItems) (*svc.PageResponse[Item], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var page []Item
	for key, value := range s.items {
		if page = append(page, Item{key, value}); len(page) == in.PageRequest().Size() {
			break
		}
	}
	return svc.NewPage(page, in.PageRequest(), len(s.items)), nil
}

// Watch yields an item after each Put, and one each 100 ms. After the end it yields
// from another goroutine: a yield may come from anywhere and at any time.
func (s *store) Watch(ctx context.Context, in *WatchItems) (svc.Stream[Item], error) {
	return func(yield func(*Item, error) bool) {
		for n := 0; n != in.Count || n == 0; n++ {
			s.mu.Lock()
			added := s.added
			s.mu.Unlock()
			select {
			case <-added:
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				go yield(&Item{"late", ""}, nil)
				return
			case <-s.stopping:
				yield(nil, svc.Errorf(svc.CodeUnavailable, "the server stops, %s", askedFor))
				return
			}
			if !yield(&Item{"watched", strings.Repeat("x", 1000)}, nil) {
				return
			}
		}
	}, nil
}

func (s *store) Large(_ context.Context, in *Size) (*Blob, error) {
	return &Blob{strings.Repeat("x", in.KiB<<10)}, nil
}

// Wait waits for 20 ms, so that calls are in progress when clients leave.
func (s *store) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

func (s *store) Fail(_ context.Context, in *Failure) error {
	if in.Panic {
		panic(askedFor)
	}
	return errors.New(askedFor)
}

// Each log line of level ERROR has one of these, if a client asked for the error:
// the error itself, or what svc says of a batch with many of them.
const (
	askedFor  = "as the client asked"
	moreAsked = "more in this batch"
)

// Stats are what must not grow.
type Stats struct {
	Goroutines, Files int
	Heap              uint64 // in bytes, after a collection
	Items             int
}

func (s *store) stats() Stats {
	runtime.GC() // empties the victims of the pools on the second call
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd")
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{runtime.NumGoroutine(), len(files), m.HeapAlloc, len(s.items)}
}

// serve serves until SIGTERM, prints its address first, and at the end the items
// as JSON. What it writes to standard error is a mistake, but for the lines that clients asked for.
func serve() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := &store{stopping: ctx.Done(), items: make(map[string]string), added: make(chan struct{})}
	api := svc.MustRegister[ItemAPI](s, &svc.Options{
		Name: "Soak", Resource: "items", BodyTimeout: 2 * time.Second,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Methods: map[string]svc.MethodOptions{
			"Put":   {HTTP: "PUT /items/{key}"},
			"Watch": {HTTP: "GET /items/watch"},
			"Large": {HTTP: "GET /items/large"},
			"Wait":  {HTTP: "GET /items/wait"},
			"Fail":  {HTTP: "POST /items/fail"},
		},
	})
	mux := http.NewServeMux()
	mux.Handle("/", api.REST())
	mux.Handle("/rpc", api.RPC())
	mux.Handle("/mcp", api.MCP(nil))
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(s.stats()) })
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 2 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
		ErrorLog: log.New(os.Stderr, "net/http: ", 0),
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		stopped <- server.Shutdown(drain)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s.items)
}
