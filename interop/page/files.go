package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"sync"

	"example.com/svc"
)

// PhotoAPI takes pictures and gives them back.
type PhotoAPI interface {
	SetPhoto(ctx context.Context, in *SetPhoto) (*PhotoSize, error)
	GetPhoto(ctx context.Context, in *PhotoID) (*svc.File, error)
	Sound(ctx context.Context) (*svc.File, error)
}

type SetPhoto struct {
	ID    int      `json:"id"`
	Photo svc.Body `contentType:"image/png,image/jpeg" maxBytes:"1000000" doc:"A picture of the thing."`
}

type PhotoID struct {
	ID int `json:"id"`
}

type PhotoSize struct {
	Size int64 `json:"size"`
}

type photoService struct {
	mu   sync.Mutex
	data map[int][]byte
}

func (s *photoService) SetPhoto(_ context.Context, in *SetPhoto) (*PhotoSize, error) {
	data, err := io.ReadAll(in.Photo)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[in.ID] = data
	return &PhotoSize{int64(len(data))}, nil
}

func (s *photoService) GetPhoto(_ context.Context, in *PhotoID) (*svc.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.data[in.ID]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no such photo")
	}
	return &svc.File{Name: "größe 1;x=y.png", ContentType: "image/png", Content: bytes.NewReader(data)}, nil
}

// Sound returns five minutes of silence as WAV.
func (s *photoService) Sound(context.Context) (*svc.File, error) {
	const rate, size = 44100, 300 * 44100 * 2
	head := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	head = binary.LittleEndian.AppendUint32(head, rate)
	head = binary.LittleEndian.AppendUint32(head, 2*rate)
	head = append(head, 2, 0, 16, 0)
	head = binary.LittleEndian.AppendUint32(append(head, "data"...), size)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(head)-8+size))
	return &svc.File{ContentType: "audio/wav", Inline: true, Content: bytes.NewReader(append(head, make([]byte, size)...))}, nil
}

// photos returns the page of a service with files, and a page of its own beside it.
func photos() http.Handler {
	s := svc.MustRegister[PhotoAPI](&photoService{data: make(map[int][]byte)}, &svc.Options{Name: "Photos", Resource: "photos", Logger: quiet,
		Methods: map[string]svc.MethodOptions{"Sound": {HTTP: "GET /sound"}}})
	mux := http.NewServeMux()
	mux.HandleFunc("/own", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,"><a id="save" href="photos/7" download>save</a> <video id="v" src="sound" preload="metadata"></video>`)
	})
	mux.Handle("/", pages(s, all))
	return mux
}
