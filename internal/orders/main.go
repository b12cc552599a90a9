// Command orders is the service that AGENTS.md shows.
package main

import (
	"context"
	"embed"
	"log"
	"net/http"
	"slices"
	"sync"

	"example.com/svc"
)

//go:embed *.go
var source embed.FS // its comments become the documentation

// OrderAPI is about the orders of a shop.
type OrderAPI interface {
	// Place an order.
	Create(ctx context.Context, in *NewOrder) (*PlacedOrder, error)
	// List orders, the newest first.
	List(ctx context.Context, in *ListOrders) (*svc.PageResponse[PlacedOrder], error)
	// Find one order.
	Get(ctx context.Context, in *OrderID) (*PlacedOrder, error)
	// Cancel an order that is not shipped yet.
	Cancel(ctx context.Context, in *OrderID) (*PlacedOrder, error)
}

type (
	NewOrder struct {
		Product string             `json:"product" minLength:"1" maxLength:"80"` // required: no omitempty
		Count   int                `json:"count" minimum:"1" maximum:"99" default:"1"`
		Gift    svc.Optional[bool] `json:"gift,omitzero"` // absent, null or a value
		Ship    Shipping           `json:"ship"`
		Tags    []string           `json:"tags,omitempty" maxItems:"5" uniqueItems:"true"`
	}
	// Shipping is one of several kinds: {"kind":"post","address":"…"} or {"kind":"pickup","shop":3}.
	Shipping struct {
		Kind   string  `json:"kind" discriminator:"true"`
		Post   *Post   `variant:"post"`
		Pickup *Pickup `variant:"pickup"`
	}
	Post struct {
		Address string `json:"address" minLength:"5"`
	}
	Pickup struct {
		Shop int `json:"shop" minimum:"1"`
	}
	ListOrders struct {
		svc.PageQuery        // ?page=2&per_page=50
		Status        Status `json:"status,omitempty"`
	}
	OrderID struct {
		ID int `json:"id" minimum:"1"` // from the path, since the route has {id}
	}
	PlacedOrder struct {
		ID      int    `json:"id"`
		Product string `json:"product"`
		Status  Status `json:"status"`
	}
	Status string
)

func (Status) Enum() []Status { return []Status{"open", "shipped", "canceled"} }

// shop implements OrderAPI. Requests run at the same time, so it locks.
type shop struct {
	mu     sync.Mutex
	orders []PlacedOrder
}

func (s *shop) Create(ctx context.Context, in *NewOrder) (*PlacedOrder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := PlacedOrder{ID: len(s.orders) + 1, Product: in.Product, Status: "open"}
	s.orders = append(s.orders, order)
	return &order, nil
}

func (s *shop) List(ctx context.Context, in *ListOrders) (*svc.PageResponse[PlacedOrder], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := slices.DeleteFunc(slices.Clone(s.orders), func(o PlacedOrder) bool { return in.Status != "" && o.Status != in.Status })
	slices.Reverse(found)
	req := in.PageRequest()
	from := min(req.Offset(), len(found))
	return svc.NewPage(found[from:min(from+req.Size(), len(found))], req, len(found)), nil
}

func (s *shop) Get(ctx context.Context, in *OrderID) (*PlacedOrder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(in.ID)
}

func (s *shop) Cancel(ctx context.Context, in *OrderID) (*PlacedOrder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order, err := s.find(in.ID)
	if err == nil && order.Status == "shipped" {
		return nil, errShipped
	}
	if err == nil {
		s.orders[in.ID-1].Status = "canceled"
		order.Status = "canceled"
	}
	return order, err
}

func (s *shop) find(id int) (*PlacedOrder, error) {
	if id > len(s.orders) {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no order %d", id) // 404; the text is for clients
	}
	order := s.orders[id-1] // a copy: the answer is encoded when the lock is gone
	return &order, nil
}

var errShipped = svc.Errorf(svc.CodeFailedPrecondition, "the order is on its way").WithReason("shipped")

func orderOptions() *svc.Options {
	return &svc.Options{
		Name:     "Orders",
		Comments: svc.ReadComments(source),
		Defaults: svc.Defaults{Auth: "bearer"}, // every call needs a token, but of Public methods
		Methods: map[string]svc.MethodOptions{
			"List":   {Public: true},
			"Get":    {Public: true},
			"Create": {Scopes: []string{"orders:write"}},
			"Cancel": {HTTP: "POST /orders/{id}/cancel", Scopes: []string{"orders:write"}, Errors: []*svc.Error{errShipped}},
		},
	}
}

func newOrders() http.Handler {
	service := svc.MustRegister[OrderAPI](&shop{}, orderOptions())
	mux := http.NewServeMux()
	mux.Handle("/", service.REST())
	mux.Handle("/rpc", service.RPC())
	mux.Handle("/mcp", service.MCP(nil))
	mux.Handle("/openapi.json", service.OpenAPI())
	mux.Handle("/client.ts", service.TypeScript())
	mux.Handle("/{$}", service.Docs(&svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp", OpenAPI: "openapi.json", Client: "client.ts"}))
	return svc.Bearer(verify, &svc.BearerOptions{Optional: true})(mux) // Optional lets public methods through
}

func main() {
	log.Print("open http://127.0.0.1:8081")
	log.Fatal(http.ListenAndServe("127.0.0.1:8081", newOrders()))
}

// verify looks a token up. Any other error than UNAUTHENTICATED means that it could not.
func verify(ctx context.Context, token string) (*svc.Principal, error) {
	if token != "secret" {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "there is no such token")
	}
	return &svc.Principal{Subject: "ada", Scopes: []string{"orders:write"}}, nil
}
