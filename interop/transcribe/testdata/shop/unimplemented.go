package shop

import (
	"context"

	"example.com/svc"
)

// UnimplementedOrders answers every call with UNIMPLEMENTED. Embed it and write one method after
// the other; or leave it out, and the compiler names what is missing.
type UnimplementedOrders struct{}

func (UnimplementedOrders) List(ctx context.Context, in *ListOrdersIn) (*ListOrdersOut, error) {
	return nil, unimplemented("List")
}

func (UnimplementedOrders) Create(ctx context.Context, in *CreateOrderIn) (*CreateOrderOut, error) {
	return nil, unimplemented("Create")
}

func (UnimplementedOrders) Get(ctx context.Context, in *GetOrderIn) (*Order, error) {
	return nil, unimplemented("Get")
}

func (UnimplementedOrders) Delete(ctx context.Context, in *DeleteOrderIn) error {
	return unimplemented("Delete")
}

func (UnimplementedOrders) Cancel(ctx context.Context, in *CancelOrderIn) (*Order, error) {
	return nil, unimplemented("Cancel")
}

type UnimplementedCustomers struct{}

func (UnimplementedCustomers) Replace(ctx context.Context, in *ReplaceCustomerIn) (*Customer, error) {
	return nil, unimplemented("Replace")
}

func (UnimplementedCustomers) Update(ctx context.Context, in *UpdateCustomerIn) (*Customer, error) {
	return nil, unimplemented("Update")
}

func (UnimplementedCustomers) UploadPhoto(ctx context.Context, in *UploadCustomerPhotoIn) (*UploadCustomerPhotoOut, error) {
	return nil, unimplemented("UploadPhoto")
}

func (UnimplementedCustomers) List(ctx context.Context) (*ListCustomersOut, error) {
	return nil, unimplemented("List")
}

func (UnimplementedCustomers) Import(ctx context.Context, in *ImportCustomerIn) error {
	return unimplemented("Import")
}

func unimplemented(method string) error {
	return svc.Errorf(svc.CodeUnimplemented, "%s is not implemented yet", method)
}
