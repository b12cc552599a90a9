// Command sinkserver serves the kitchen sink and its document.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"

	"example.com/svc/testdata/kitchen"
)

func main() {
	log.SetFlags(0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	sink := kitchen.Sink(false)
	mux := http.NewServeMux()
	mux.Handle("/", sink.REST())
	mux.Handle("/openapi.json", sink.OpenAPI())
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}
