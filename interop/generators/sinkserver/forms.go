package main

import (
	"context"
	"io"
	"log/slog"

	"example.com/svc"
)

// FormAPI has a form, and one with a file.
type FormAPI interface {
	Order(ctx context.Context, in *Order) (*FormSeen, error)
	Attach(ctx context.Context, in *Attachment) (*FormSeen, error)
}

type Order struct {
	Title string   `json:"title"`
	Tags  []string `json:"tags,omitempty"`
	Count *int32   `json:"count,omitempty"`
	Gift  bool     `json:"gift,omitempty"`
}

type Attachment struct {
	Title string   `json:"title"`
	Tags  []string `json:"tags,omitempty"`
	File  svc.Body `json:"file" maxBytes:"1000000"`
}

// FormSeen has what a method has read.
type FormSeen struct {
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	Count int32    `json:"count"`
	Gift  bool     `json:"gift"`
	File  string   `json:"file"`
}

type forms struct{}

func newForms() *svc.Service {
	return svc.MustRegister[FormAPI](forms{}, &svc.Options{Resource: "forms", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Order":  {Form: true, HTTP: "POST /forms/order"},
		"Attach": {Form: true, HTTP: "POST /forms/attach"},
	}})
}

func (forms) Order(_ context.Context, in *Order) (*FormSeen, error) {
	out := &FormSeen{Title: in.Title, Tags: in.Tags, Gift: in.Gift}
	if in.Count != nil {
		out.Count = *in.Count
	}
	return out, nil
}

func (forms) Attach(_ context.Context, in *Attachment) (*FormSeen, error) {
	file, err := io.ReadAll(in.File)
	return &FormSeen{Title: in.Title, Tags: in.Tags, File: string(file)}, err
}
