// Command sinkserver serves the kitchen sink and its document. With the flag -token it
// serves it to callers with that token, together with the second service of the kitchen:
// a few methods are public, a few ask for a scope that the token has, and Delete for one
// that it does not have.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

func main() {
	log.SetFlags(0)
	token := flag.String("token", "", "the `token` of callers; without it all may call")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	sink, guard := kitchen.Sink(false), func(next http.Handler) http.Handler { return next }
	if *token != "" {
		sink, guard = guardedSink(), bearer(*token)
	}
	mux := http.NewServeMux()
	mux.Handle("/", sink.REST())
	mux.Handle("/openapi.json", sink.OpenAPI())
	photos := newPhotos()
	mux.Handle("/photos/", photos.REST())
	mux.Handle("/photos.json", photos.OpenAPI())
	forms := newForms()
	mux.Handle("/forms/", forms.REST())
	mux.Handle("/forms.json", forms.OpenAPI())
	pay, document := servePayments()
	paths := http.NewServeMux() // beside the guard of the others
	paths.Handle("/", guard(mux))
	paths.Handle("/payments", pay)
	paths.Handle("/payments/", pay)
	paths.Handle("/payments.json", document)
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, paths))
}

// bearer returns middleware that knows the caller with the token.
func bearer(token string) func(http.Handler) http.Handler {
	return svc.Bearer(func(_ context.Context, got string) (*svc.Principal, error) {
		if got != token {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is unknown")
		}
		return &svc.Principal{Subject: "caller", Scopes: []string{kitchen.Scope}}, nil
	}, &svc.BearerOptions{Optional: true})
}

// guardedSink returns the sink for callers with a token, joined with the second service.
func guardedSink() *svc.Service {
	opts := kitchen.SinkOptions(false)
	opts.Defaults.Auth = "bearer"
	set := func(name string, change func(*svc.MethodOptions)) {
		m := opts.Methods[name]
		change(&m)
		opts.Methods[name] = m
	}
	for _, name := range []string{"Count", "Seek", "EchoTexts"} {
		set(name, func(m *svc.MethodOptions) { m.Public = true })
	}
	for _, name := range []string{"List", "Get", "Pages"} {
		set(name, func(m *svc.MethodOptions) { m.Scopes = []string{kitchen.Scope} })
	}
	set("Delete", func(m *svc.MethodOptions) { m.Scopes = []string{"sinks:delete"} })
	return svc.Join("Both", kitchen.SinkWith(opts), kitchen.Second().At("/v2"))
}
