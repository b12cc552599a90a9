// Command kitchen serves the tools of the kitchen sink, whose schemas have every kind of
// type there is, and one whose types are large enough to be shared by $defs. Beside them it
// lists those of the bookmarks, which need a database to be called.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"

	"example.com/bookmarks"
	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// Shipping has the tool with $defs in its input and in its output.
type Shipping interface {
	EchoOrder(context.Context, *Order) (*Order, error)
}

// An Order has the same large types in many places, and one that contains itself.
type Order struct {
	Billing  Address            `json:"billing"`
	Shipping *Address           `json:"shipping,omitempty"`
	ByName   map[string]Address `json:"byName,omitempty"`
	Lines    []Line             `json:"lines"`
	Returned []Line             `json:"returned,omitempty" maxItems:"9"`
	Parts    []Order            `json:"parts,omitempty"`
}

// A Line is of an order.
type Line struct {
	Sender  Address `json:"sender"`
	From    Address `json:"from,omitzero" doc:"Where it is sent from."`
	Product string  `json:"product" doc:"The number of the product, as it is in the catalog."`
	Count   int     `json:"count" minimum:"1" maximum:"1000"`
}

// An Address is in orders and lines.
type Address struct {
	Name   string `json:"name" doc:"The name of the person or of the company." maxLength:"200"`
	Street string `json:"street" doc:"The street with the number of the house." maxLength:"200"`
	City   string `json:"city" doc:"The city, without its postal code." maxLength:"200"`
	Code   string `json:"code,omitempty" doc:"The postal code, as it is written there." pattern:"^[A-Z0-9 -]+$"`
	Land   string `json:"land" doc:"The country by ISO 3166, in two letters." minLength:"2" maxLength:"2"`
	Mail   string `json:"mail,omitempty" doc:"Where to write to." format:"email"`
	Phone  string `json:"phone,omitempty" doc:"Where to call, with the code of the country."`
	Note   string `json:"note,omitempty" doc:"What the driver should know, such as a gate that is closed at night."`
}

type shipping struct{}

func (shipping) EchoOrder(_ context.Context, in *Order) (*Order, error) { return in, nil }

// listOnly returns the bookmarks, of which nothing can be called.
func listOnly() http.Handler {
	options := bookmarks.Options()
	options.Comments = svc.ReadComments(bookmarks.Source)
	options.Idempotency = &svc.Idempotency{
		Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
			return do(ctx)
		},
	}
	return svc.MustRegister[bookmarks.API](struct{ bookmarks.API }{}, options).MCP(&svc.MCPOptions{StateKey: svc.NewCursorKey(make([]byte, 32))})
}

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:0", "where to listen; the URL is printed")
	stdio := flag.Bool("stdio", false, "serve standard input and output instead")
	flag.Parse()
	service := svc.Join("kitchen", kitchen.Sink(false),
		svc.MustRegister[Shipping](shipping{}, &svc.Options{Resource: "shipping", Logger: slog.New(slog.DiscardHandler)}))
	if *stdio {
		if err := service.MCPStdio(context.Background(), os.Stdin, os.Stdout, nil); err != nil {
			log.Fatal(err)
		}
		return
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", service.MCP(nil))
	mux.Handle("/bookmarks", listOnly())
	fmt.Printf("http://localhost:%d/mcp\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, mux))
}
