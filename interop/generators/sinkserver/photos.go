package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"

	"example.com/svc"
)

// PhotoAPI has a body and a file that are not JSON.
type PhotoAPI interface {
	SetPhoto(ctx context.Context, in *SetPhoto) (*PhotoSize, error)
	GetPhoto(ctx context.Context, in *PhotoID) (*Photo, error)
}

type SetPhoto struct {
	ID    int32    `json:"id"`
	Photo svc.Body `contentType:"image/png" maxBytes:"1000000"`
}

type PhotoID struct {
	ID int32 `json:"id"`
}

type PhotoSize struct {
	Size int32 `json:"size"`
}

type Photo struct {
	svc.File `contentType:"image/png"`
}

// photos keeps what it was sent.
type photos struct {
	mu   sync.Mutex
	byID map[int32][]byte
}

func newPhotos() *svc.Service {
	return svc.MustRegister[PhotoAPI](&photos{byID: make(map[int32][]byte)}, &svc.Options{Resource: "photos", Logger: slog.New(slog.DiscardHandler)})
}

func (p *photos) SetPhoto(_ context.Context, in *SetPhoto) (*PhotoSize, error) {
	data, err := io.ReadAll(in.Photo)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byID[in.ID] = data
	return &PhotoSize{int32(len(data))}, nil
}

func (p *photos) GetPhoto(_ context.Context, in *PhotoID) (*Photo, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.byID[in.ID]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no such photo")
	}
	return &Photo{svc.File{Name: "photo.png", Content: bytes.NewReader(data)}}, nil
}
