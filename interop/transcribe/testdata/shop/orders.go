// Package shop is the API "Shop" as Go interfaces, written by transcribe from its OpenAPI document.
// Change it as you like.
package shop

import (
	"context"

	"example.com/svc"
)

// What customers buy.
type OrdersAPI interface {
	// List orders.
	List(ctx context.Context, in *ListOrdersIn) (*ListOrdersOut, error)

	// Create an order.
	Create(ctx context.Context, in *CreateOrderIn) (*CreateOrderOut, error)

	// Get an order.
	Get(ctx context.Context, in *GetOrderIn) (*Order, error)
	Delete(ctx context.Context, in *DeleteOrderIn) error
	Cancel(ctx context.Context, in *CancelOrderIn) (*Order, error)
}

var ordersMethods = map[string]svc.MethodOptions{
	"List": {HTTP: "GET /orders", OperationID: "listOrders"},
	"Create": {
		HTTP:        "POST /orders",
		Errors:      []*svc.Error{errAnotherOrderHasTheNumber, errTheOrderCannotBeDelivered},
		OperationID: "createOrder",
	},
	"Get":    {HTTP: "GET /orders/{order_id}", Errors: []*svc.Error{errWhatIsWrong}, OperationID: "getOrder"},
	"Delete": {HTTP: "DELETE /orders/{order_id}", Deprecated: true, OperationID: "deleteOrder"},
	"Cancel": {HTTP: "POST /orders/{order_id}/cancel", Status: 202},
}

type ListOrdersIn struct {
	Status     []string `json:"status,omitempty" enum:"open,paid"`
	Fields     string   `json:"fields,omitempty"`
	CreatedGte *int     `json:"created[gte],omitempty" nullable:"false"`
	CreatedLt  *int     `json:"created[lt],omitempty" nullable:"false"`
	Page       int32    `json:"page" default:"1"`
	XTrace     string   `json:"-" header:"X-Trace,omitempty"`
	Tracker    string   `json:"-" cookie:"tracker,omitempty"`
}

type CreateOrderIn struct {
	Body *CreateOrderBody `json:"body,omitempty" body:"*" nullable:"false"`
}

type CreateOrderOut struct {
	Status   int    `json:"-" status:"200,201"`
	Location string `json:"-" header:"Location"`
	Order
}

type GetOrderIn struct {
	OrderID int64 `json:"order_id"` // The number of the order.
}

type DeleteOrderIn struct {
	OrderID int64  `json:"order_id"` // The number of the order.
	Why     string `json:"why,omitempty" body:"why"`
}

type CancelOrderIn struct {
	OrderID int64 `json:"order_id"` // The number of the order.
}
