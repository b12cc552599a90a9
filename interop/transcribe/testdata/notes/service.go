package notes

import (
	"embed"

	"example.com/svc"
)

// Source is the source of this package, whose comments become the documentation.
//
//go:embed *.go
var Source embed.FS

// Errors that the methods declare.
var (
	errThereIsNoSuchNote = svc.Errorf(svc.CodeNotFound, "There is no such note")
)

// Service returns the service of impl.
func Service(impl NotesAPI) *svc.Service {
	return svc.MustRegister[NotesAPI](impl, options(svc.ReadComments(Source), "notes", methods))
}

// options returns the options of one interface.
func options(comments *svc.Comments, resource string, methods map[string]svc.MethodOptions) *svc.Options {
	return &svc.Options{
		Name:     "Notes API",
		Version:  "1.4",
		License:  "MIT",
		OpenAPI:  "3.2",
		Resource: resource,
		Comments: comments,
		Methods:  methods,
		Defaults: svc.Defaults{BaseURL: "https://notes.example/v1"},
	}
}
