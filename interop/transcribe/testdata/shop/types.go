package shop

import (
	"time"

	"example.com/svc"
)

type ListOrdersOut struct {
	Data []Order `json:"data"`
	More *bool   `json:"more,omitempty" nullable:"false"`
}

type Order struct {
	ID       int64     `json:"id"`
	MadeAt   time.Time `json:"made_at"`
	Total    float64   `json:"total" minimum:"0" example:"12.5"`
	State    string    `json:"state,omitempty" enum:"open,paid,sent"` // Where the order is.
	Replaces *Order    `json:"replaces,omitempty" nullable:"false"`
	Due      string    `json:"due,omitempty" format:"date"`
	Old      string    `json:"old,omitempty"` // Deprecated: do not use it in new programs.
}

type CreateOrderBody struct {
	ID     string               `json:"id,omitempty"`
	Items  []CreateOrderItem    `json:"items" minItems:"1" maxItems:"50"`
	Note   svc.Optional[string] `json:"note,omitzero"`
	Labels map[string]string    `json:"labels,omitempty"`
}

type CreateOrderItem struct {
	SKU   string `json:"sku" pattern:"^[A-Z]{3}-\\d+$"`
	Count int    `json:"count" exclusiveMinimum:"0"`
}

type Business struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	VAT  string `json:"vat,omitempty"`
}

type Customer struct {
	Name string `json:"name"`
	Born string `json:"born,omitempty" format:"date"`
	ID   string `json:"id,omitempty"`
	VAT  string `json:"vat,omitempty"`
}

type Problem struct {
	Error ProblemError `json:"error"`
}

type ProblemError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  *int   `json:"status,omitempty" nullable:"false"`
}

type ErrorBody struct {
	Reasons []string `json:"reasons,omitempty"`
}
