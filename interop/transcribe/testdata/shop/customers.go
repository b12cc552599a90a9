package shop

import (
	"context"
	"encoding/json"

	"example.com/svc"
)

// CustomersAPI has the methods of customers.
type CustomersAPI interface {
	// Replace a customer.
	Replace(ctx context.Context, in *ReplaceCustomerIn) (*Customer, error)

	// Update a customer.
	Update(ctx context.Context, in *UpdateCustomerIn) (*Customer, error)
	UploadPhoto(ctx context.Context, in *UploadCustomerPhotoIn) (*UploadCustomerPhotoOut, error)
	List(ctx context.Context) (*ListCustomersOut, error)
	Import(ctx context.Context, in *ImportCustomerIn) error
}

var customersMethods = map[string]svc.MethodOptions{
	"Replace":     {HTTP: "PUT /customers/{path_id}", OperationID: "customers/replace"},
	"Update":      {HTTP: "POST /customers/{id}", Form: true, OperationID: "PostCustomersId"},
	"UploadPhoto": {HTTP: "POST /customers/{id}/photo", Status: 201, Form: true, Public: true, OperationID: "uploadPhoto"},
	"List":        {HTTP: "GET /customers", OperationID: "getCustomers"},
	"Import":      {HTTP: "POST /customers", OperationID: "importCustomers"},
}

type ReplaceCustomerIn struct {
	PathID string `json:"path_id" format:"uuid"`
	ID     string `json:"id,omitempty"`
	Name   string `json:"name"`
	VAT    string `json:"vat,omitempty"`
}

type UpdateCustomerIn struct {
	ID           string   `json:"id"`
	Email        string   `json:"email" format:"email"`
	Age          int      `json:"age,omitempty"`
	AddressCity  string   `json:"address[city],omitempty"`
	AddressLines []string `json:"address[lines],omitempty"`
	TrialEnd     string   `json:"trial_end,omitempty"`
}

type UploadCustomerPhotoIn struct {
	ID      string   `json:"id"`
	Caption string   `json:"caption,omitempty"`
	Photo   svc.Body `json:"photo" order:"any"`
}

type UploadCustomerPhotoOut struct {
	Location string `json:"-" header:"Location"`
}

type ListCustomersOut struct{ Value map[string]Customer }

func (v ListCustomersOut) MarshalJSON() ([]byte, error) { return json.Marshal(v.Value) }

func (v *ListCustomersOut) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &v.Value) }

// JSONSchema describes the JSON.
func (ListCustomersOut) JSONSchema() map[string]any {
	return map[string]any{
		"type": "object",
		"additionalProperties": map[string]any{
			"anyOf": []any{
				map[string]any{
					"type": "object",
					"properties": map[string]any{
						"name": map[string]any{"type": "string"},
						"born": map[string]any{"type": "string", "format": "date"},
					},
					"required": []any{"name"},
				},
				map[string]any{
					"type": "object",
					"properties": map[string]any{
						"id":   map[string]any{"type": "string"},
						"name": map[string]any{"type": "string"},
						"vat":  map[string]any{"type": "string"},
					},
					"required": []any{"name"},
				},
			},
		},
	}
}

type ImportCustomerIn struct {
	Body []Business `json:"body" body:"*"`
}
