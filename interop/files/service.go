package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"example.com/svc"
)

// FileAPI takes files of any size and makes some.
type FileAPI interface {
	Put(ctx context.Context, in *PutFile) (*Stored, error)
	Small(ctx context.Context, in *PutSmall) (*Stored, error)
	Form(ctx context.Context, in *FileForm) (*Stored, error)
	Get(ctx context.Context, in *GetFile) (*svc.File, error)
	Copy(ctx context.Context, in *GetFile) (*svc.File, error)
}

type PutFile struct {
	Name    string `json:"name"`
	Content svc.Body
}

type PutSmall struct {
	Content svc.Body `contentType:"text/plain" maxBytes:"1000"`
}

type FileForm struct {
	Title   string   `json:"title"`
	Tags    []string `json:"tags,omitempty"`
	Content svc.Body `json:"content" contentType:"application/octet-stream,text/plain" maxBytes:"3000000"`
}

type Stored struct {
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

// GetFile asks for a file of so many bytes.
type GetFile struct {
	Size int64 `json:"size"`
}

func options() *svc.Options {
	return &svc.Options{Resource: "files", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Put":   {HTTP: "PUT /files/{name}", MaxBody: -1},
		"Small": {HTTP: "PUT /small"},
		"Form":  {HTTP: "POST /forms", Form: true},
		"Get":   {HTTP: "GET /files/{size}"},
		"Copy":  {HTTP: "GET /copies/{size}"},
	}}
}

type service struct{}

// Put reads the file, and its hash if it is called hash.
func (service) Put(_ context.Context, in *PutFile) (*Stored, error) {
	if in.Name != "hash" {
		n, err := io.Copy(io.Discard, in.Content)
		return &Stored{Size: n}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, in.Content)
	return &Stored{n, hex.EncodeToString(h.Sum(nil))}, err
}

func (service) Small(_ context.Context, in *PutSmall) (*Stored, error) {
	n, err := io.Copy(io.Discard, in.Content)
	return &Stored{Size: n}, err
}

// Form answers with the title, the tags and the name of the file in place of the hash if the title is
// names.
func (service) Form(_ context.Context, in *FileForm) (*Stored, error) {
	h := sha256.New()
	n, err := io.Copy(h, in.Content)
	if in.Title == "names" {
		return &Stored{n, strings.Join(append(in.Tags, in.Content.FileName), ",")}, err
	}
	return &Stored{n, hex.EncodeToString(h.Sum(nil))}, err
}

func (service) Get(_ context.Context, in *GetFile) (*svc.File, error) {
	if in.Size < 0 {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no such file")
	}
	return &svc.File{Name: fmt.Sprintf("größe %d.bin", in.Size), ETag: `"v1"`, Content: &pattern{size: in.Size}}, nil
}

func (s service) Copy(ctx context.Context, in *GetFile) (*svc.File, error) {
	f, err := s.Get(ctx, in)
	if err == nil {
		f.Size, f.Content = in.Size, io.MultiReader(f.Content)
	}
	return f, err
}

// A pattern is a file whose byte at n is byte(n % 251).
type pattern struct{ size, at int64 }

func (p *pattern) Read(b []byte) (int, error) {
	if p.at >= p.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(b)), p.size-p.at))
	for i := 0; i < n; {
		i += copy(b[i:n], patternBytes[(p.at+int64(i))%251:])
	}
	p.at += int64(n)
	return n, nil
}

func (p *pattern) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		p.at = offset
	case io.SeekCurrent:
		p.at += offset
	case io.SeekEnd:
		p.at = p.size + offset
	}
	if p.at < 0 {
		return 0, errors.New("before the start")
	}
	return p.at, nil
}

// patternBytes is 64 KiB of the pattern, and as much again as one period.
var patternBytes = func() []byte {
	b := make([]byte, 64<<10+251)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}()

// serve runs the server, with the time-outs of a program that knows of no files.
func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	server := &http.Server{
		Handler:           svc.MustRegister[FileAPI](service{}, options()).REST(),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute,
	}
	log.Fatal(server.Serve(l))
}
