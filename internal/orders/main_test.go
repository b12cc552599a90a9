package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/svc"
)

// withToken is a transport that sends a token.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

func TestOrders(t *testing.T) {
	server := httptest.NewServer(newOrders())
	defer server.Close()
	var orders struct { // a client has the methods that you need
		Create func(ctx context.Context, in *NewOrder) (*PlacedOrder, error)
		Get    func(ctx context.Context, in *OrderID) (*PlacedOrder, error)
	}
	if err := svc.Connect[OrderAPI](&orders, server.URL, &svc.ClientOptions{Service: orderOptions(),
		HTTPClient: &http.Client{Transport: withToken("secret")}}); err != nil {
		t.Fatal(err)
	}
	order, err := orders.Create(t.Context(), &NewOrder{Product: "Tea", Count: 2, Ship: Shipping{Kind: "pickup", Pickup: &Pickup{Shop: 3}}})
	if err != nil || order.Status != "open" {
		t.Fatal(order, err)
	}
	if _, err := orders.Get(t.Context(), &OrderID{ID: 9}); svc.ErrorFrom(err).Code != svc.CodeNotFound {
		t.Errorf("an order that is not there: %v", err)
	}
}
