package odd

import (
	"context"

	"example.com/svc"
)

// UnimplementedTypeFuncPlus answers every call with UNIMPLEMENTED. Embed it and write one method
// after the other; or leave it out, and the compiler names what is missing.
type UnimplementedTypeFuncPlus struct{}

func (UnimplementedTypeFuncPlus) Select(ctx context.Context, in *SelectIn) (*Func, error) {
	return nil, unimplemented("Select")
}

func (UnimplementedTypeFuncPlus) DeleteRange(ctx context.Context, in *DeleteRangeIn) error {
	return unimplemented("DeleteRange")
}

func (UnimplementedTypeFuncPlus) GetRange(ctx context.Context, in *GetRangeIn) error {
	return unimplemented("GetRange")
}

func (UnimplementedTypeFuncPlus) GetA(ctx context.Context, in *GetAIn) error {
	return unimplemented("GetA")
}

func (UnimplementedTypeFuncPlus) GetB(ctx context.Context, in *GetBIn) error {
	return unimplemented("GetB")
}

func (UnimplementedTypeFuncPlus) GetRoot(ctx context.Context, in *GetRootIn) error {
	return unimplemented("GetRoot")
}

func (UnimplementedTypeFuncPlus) Main(ctx context.Context) error {
	return unimplemented("Main")
}

func (UnimplementedTypeFuncPlus) CreateF(ctx context.Context, in *Circle) (*CreateFOut, error) {
	return nil, unimplemented("CreateF")
}

func (UnimplementedTypeFuncPlus) UpdateG(ctx context.Context, in *Mixed) (*UpdateGOut, error) {
	return nil, unimplemented("UpdateG")
}

func unimplemented(method string) error {
	return svc.Errorf(svc.CodeUnimplemented, "%s is not implemented yet", method)
}
