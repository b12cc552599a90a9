package notes

import (
	"context"

	"example.com/svc"
)

// UnimplementedNotes answers every call with UNIMPLEMENTED. Embed it and write one method after the
// other; or leave it out, and the compiler names what is missing.
type UnimplementedNotes struct{}

func (UnimplementedNotes) Search(ctx context.Context, in *SearchIn) (*Notes, error) {
	return nil, unimplemented("Search")
}

func (UnimplementedNotes) Edit(ctx context.Context, in *EditIn) (*EditOut, error) {
	return nil, unimplemented("Edit")
}

func (UnimplementedNotes) Watch(ctx context.Context) (svc.Stream[Note], error) {
	return nil, unimplemented("Watch")
}

func (UnimplementedNotes) Chat(ctx context.Context, in *ChatIn) (*svc.ValueOrStream[Note, ChatEvent], error) {
	return nil, unimplemented("Chat")
}

func (UnimplementedNotes) SetPhoto(ctx context.Context, in *SetPhotoIn) error {
	return unimplemented("SetPhoto")
}

func (UnimplementedNotes) GetPhoto(ctx context.Context, in *GetPhotoIn) (*GetPhotoOut, error) {
	return nil, unimplemented("GetPhoto")
}

func unimplemented(method string) error {
	return svc.Errorf(svc.CodeUnimplemented, "%s is not implemented yet", method)
}
