package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"

	"example.com/svc"
)

// The contenders.
const (
	byHand    = "by hand"
	direct    = "direct"
	reflected = "reflect"
	waiting   = "waiting" // see waiting.go
)

const size = 1 << 20

// A ThingAPI has one method for each cost.
type ThingAPI interface {
	CreateAPI
	Watch(context.Context) (svc.Stream[Thing], error)
	SetContent(context.Context, *Content) error
}

// CreateAPI is what the client of a call knows.
type CreateAPI interface {
	Create(context.Context, *Thing) (*Thing, error)
}

// A Thing is input and output.
type Thing struct {
	Text string `json:"text"`
}

// Content is an upload.
type Content struct {
	Body svc.Body `contentType:"application/octet-stream" maxBytes:"1073741824"`
}

type things struct{}

func (things) Create(_ context.Context, in *Thing) (*Thing, error) { return in, nil }

// Watch returns a stream without items.
func (things) Watch(ctx context.Context) (svc.Stream[Thing], error) {
	return func(func(*Thing, error) bool) { <-ctx.Done() }, nil
}

func (things) SetContent(_ context.Context, in *Content) error {
	_, err := io.Copy(io.Discard, in.Body)
	return err
}

func options() *svc.Options {
	return &svc.Options{Resource: "things", Methods: map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(CreateAPI.Create)},
	}}
}

// handlerOf returns the handler of a contender.
func handlerOf(contender string) (http.Handler, error) {
	o := &svc.Options{Resource: "things", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"SetContent": {HTTP: "PUT /things/content"},
		"Watch":      {HTTP: "GET /things/watch"},
	}}
	switch contender {
	case byHand:
		mux := http.NewServeMux()
		mux.HandleFunc("POST /things", createThing)
		mux.HandleFunc("GET /things/watch", watch)
		mux.HandleFunc("PUT /things/content", setContent)
		return mux, nil
	case direct:
		o.Methods["Create"] = svc.MethodOptions{Direct: svc.Direct(ThingAPI.Create)}
		o.Methods["SetContent"] = svc.MethodOptions{HTTP: "PUT /things/content", Direct: svc.DirectIn(ThingAPI.SetContent)}
		o.Methods["Watch"] = svc.MethodOptions{HTTP: "GET /things/watch", Direct: svc.DirectStreamOut(ThingAPI.Watch)}
	case waiting:
		return waitingHandler()
	case reflected:
	default:
		return nil, fmt.Errorf("no contender %q", contender)
	}
	s, err := svc.Register[ThingAPI](things{}, o)
	if err != nil {
		return nil, err
	}
	return s.REST(), nil
}

func createThing(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, size))
	var in Thing
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		http.Error(w, "the body is not acceptable", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(&in)
}

func watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func setContent(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 1<<30)); err != nil {
		http.Error(w, "the body did not arrive", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// createByHand is a call as a careful client makes it with net/http.
func createByHand(url string) error {
	text, err := json.Marshal(&Thing{Text: "a"})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(context.Background(), "POST", url+"/things", bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(io.LimitReader(answer.Body, size)); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusCreated {
		return errors.New(answer.Status)
	}
	return json.Unmarshal(text, new(Thing))
}

// serveContender serves one contender until standard input ends. It answers each line there with
// the bytes of the heap and of the stacks that are in use.
func serveContender(name string) error {
	h, err := handlerOf(name)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	go srv.Serve(l)
	fmt.Println(l.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		runtime.GC()
		runtime.GC() // which empties the pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapAlloc + m.StackInuse)
	}
	os.Exit(0)
	return nil
}
