package svc_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"

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

// CompletionAPI answers with one value or with a stream, as its callers ask.
type CompletionAPI interface {
	Complete(ctx context.Context, in *CompleteIn) (*svc.ValueOrStream[Completion, Token], error)
}

// CompleteIn asks for a stream by a member, as published APIs do.
type CompleteIn struct {
	Prompt string `json:"prompt" minLength:"1"`
	Stream bool   `json:"stream,omitempty"`
}

// A Completion is the whole text.
type Completion struct {
	Text string `json:"text"`
}

// A Token is one item of the stream.
type Token struct {
	Text string `json:"text"`
}

type completions struct{}

func (completions) Complete(ctx context.Context, in *CompleteIn) (*svc.ValueOrStream[Completion, Token], error) {
	words := strings.Fields("you said " + in.Prompt)
	if !in.Stream {
		return &svc.ValueOrStream[Completion, Token]{Value: &Completion{strings.Join(words, " ")}}, nil
	}
	return &svc.ValueOrStream[Completion, Token]{Stream: func(yield func(*Token, error) bool) {
		for _, word := range words {
			if !yield(&Token{word}, nil) {
				return
			}
		}
	}}, nil
}

// The method sets one of the fields. Its streams end as clients of the published API expect.
func ExampleValueOrStream() {
	service := svc.MustRegister[CompletionAPI](completions{}, &svc.Options{
		Resource: "chat",
		Methods: map[string]svc.MethodOptions{
			"Complete": {HTTP: "POST /chat/completions", StreamEnd: "[DONE]", Direct: svc.Direct(CompletionAPI.Complete)},
		},
	})
	for _, body := range []string{`{"prompt":"hi"}`, `{"prompt":"hi","stream":true}`} {
		r := httptest.NewRequest("POST", "/chat/completions", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, r)
		fmt.Println(w.Header().Get("Content-Type"))
		fmt.Println(strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// application/json
	// {"text":"you said hi"}
	// text/event-stream
	// :
	//
	// data: {"text":"you"}
	//
	// data: {"text":"said"}
	//
	// data: {"text":"hi"}
	//
	// data: [DONE]
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
