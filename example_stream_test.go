package svc_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strconv"

	"example.com/svc"
)

// PrimesAPI has a method that returns a stream.
type PrimesAPI interface {
	Watch(ctx context.Context, in *PrimesIn) (svc.Stream[Prime], error)
}

// PrimesIn continues where the client's last connection ended.
type PrimesIn struct {
	After int `json:"after,omitempty" header:"Last-Event-ID" minimum:"0" maximum:"1000000"`
	Count int `json:"count" minimum:"1"`
}

// A Prime is one item of the stream.
type Prime struct {
	N int `json:"n"`
}

// SSE sets the ID of the event.
func (p *Prime) SSE() svc.Event { return svc.Event{ID: strconv.Itoa(p.N)} }

type primes struct{}

// Watch may wait between two items, in a select with ctx.Done, which is closed when the
// client disconnects.
func (primes) Watch(ctx context.Context, in *PrimesIn) (svc.Stream[Prime], error) {
	return func(yield func(*Prime, error) bool) {
		for n, sent := in.After+1, 0; sent < in.Count; n++ {
			if !isPrime(n) {
				continue
			}
			if sent++; !yield(&Prime{n}, nil) {
				return
			}
		}
	}, nil
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n > 1
}

// A client that reconnects gets the items that it has missed.
func ExampleStream() {
	service := svc.MustRegister[PrimesAPI](primes{}, &svc.Options{
		Resource: "primes",
		Methods: map[string]svc.MethodOptions{
			"Watch": {HTTP: "GET /primes/watch", Direct: svc.DirectStream(PrimesAPI.Watch)},
		},
	})
	r := httptest.NewRequest("GET", "/primes/watch?count=2", nil)
	r.Header.Set("Last-Event-ID", "7")
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, r)
	fmt.Print(w.Body)
	// Output:
	// :
	//
	// id: 11
	// data: {"n":11}
	//
	// id: 13
	// data: {"n":13}
	//
	// event: done
	// data: {}
}
