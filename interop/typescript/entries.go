package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"example.com/svc"
)

// This file has the service of what the desk does not have: forms, statuses that the method
// chooses, reads with a body, and keys in the query and in a cookie.

// Entries of a competition.
type EntryAPI interface {
	// Apply by a form without a file.
	Apply(ctx context.Context, in *Application) (*Applied, error)
	// Send a form with a file.
	Send(ctx context.Context, in *Parcel) (*Sent, error)
	// Send a form whose file can be missing.
	Drop(ctx context.Context, in *Drop) (*Sent, error)
	// Save an entry, which is there already or new.
	Save(ctx context.Context, in *Entry) (*Saved, error)
	// Find entries by pages.
	Find(ctx context.Context, in *Find) (*svc.PageResponse[Entry], error)
	// Look an entry up.
	Look(ctx context.Context, in *Look) (*Saved, error)
	// Count to a number, with ids.
	Follow(ctx context.Context, in *Watch) (svc.Stream[Tick], error)
	// Say who calls.
	Whose(ctx context.Context) (*Whose, error)
}

type (
	Application struct {
		ID      int64         `json:"id" path:"id" minimum:"1"`
		Round   int           `json:"round,omitempty" query:"round" maximum:"9"`
		Account string        `json:"-" header:"X-Account,omitempty"`
		Name    string        `json:"name" minLength:"2" maxLength:"20"`
		Agrees  bool          `json:"agrees"`
		Age     *int8         `json:"age,omitempty" minimum:"0"`
		Big     uint64        `json:"big,string,omitempty"`
		Ratio   float64       `json:"ratio,omitempty" exclusiveMaximum:"1"`
		Since   *time.Time    `json:"since,omitempty"`
		Wait    time.Duration `json:"wait,omitempty"`
		Sign    []byte        `json:"sign,omitempty"`
		From    netip.Addr    `json:"from,omitzero"`
		Mood    Mood          `json:"mood,omitempty" default:"calm"`
		Email   string        `json:"email,omitempty" format:"email"`
		Note    *string       `json:"note,omitempty" maxLength:"9"`
		Tags    []string      `json:"tags,omitempty" maxItems:"3" uniqueItems:"true"`
		Sizes   []int8        `json:"sizes,omitempty"`
		Moods   []Mood        `json:"moods,omitempty"`
	}
	Applied struct {
		ID   int64    `json:"id"`
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	Parcel struct {
		Title string   `json:"title" minLength:"1"`
		Tags  []string `json:"tags,omitempty" maxItems:"2"`
		File  svc.Body `json:"file" contentType:"text/csv,image/png" maxBytes:"1000"`
	}
	Drop struct {
		Title string   `json:"title,omitempty" maxLength:"5"`
		File  svc.Body `json:"file,omitempty"`
	}
	Sent struct {
		Title string   `json:"title"`
		Tags  []string `json:"tags,omitempty"`
		Name  string   `json:"name"`
		Type  string   `json:"type"`
		Text  string   `json:"text"`
	}
	Entry struct {
		ID    int64  `json:"id"`
		Title string `json:"title" minLength:"1"`
	}
	Saved struct {
		Entry
		Status int    `json:"-" status:"200,201"`
		ETag   string `json:"-" header:"ETag"`
	}
	Find struct {
		svc.PageQuery
		Words []string `json:"words" minItems:"1"`
	}
	Look struct {
		ID          int64  `json:"id" path:"id"`
		Title       string `json:"title" minLength:"1"`
		IfNoneMatch string `json:"-" header:"If-None-Match,omitempty"`
	}
	Whose struct {
		Name string `json:"name"`
	}
)

// entryOptions returns the options of a service with the key in one place.
func entryOptions(name string, key svc.Scheme) *svc.Options {
	return &svc.Options{
		Name: "Entries", Resource: name, Path: "entries", Logger: quiet, Schemes: []svc.Scheme{key},
		Methods: map[string]svc.MethodOptions{
			"Apply":  {HTTP: "POST /entries/{id}/apply", Form: true},
			"Send":   {HTTP: "POST /entries/send", Form: true},
			"Drop":   {HTTP: "PUT /entries/drop", Form: true},
			"Save":   {HTTP: "PUT /entries/{id}"},
			"Find":   {HTTP: "QUERY /entries"},
			"Look":   {HTTP: "QUERY /entries/{id}", Errors: []*svc.Error{errNoEntry}},
			"Follow": {HTTP: "QUERY /entries/follow"},
			"Whose":  {HTTP: "GET /entries/whose"},
		},
	}
}

var errNoEntry = svc.Errorf(svc.CodeNotFound, "there is no such entry").WithReason("no_entry")

var (
	queryKey  = svc.Scheme{Type: "apiKey", Query: "key"}
	cookieKey = svc.Scheme{Type: "apiKey", Cookie: "session"}
)

// keyGuard lets in who brings the key "fresh" where the scheme says.
func keyGuard(scheme svc.Scheme) func(http.Handler) http.Handler {
	return svc.APIKey(scheme.Cookie+scheme.Query, func(_ context.Context, key string) (*svc.Principal, error) {
		if key != "fresh" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is stale")
		}
		return ada, nil
	}, &svc.APIKeyOptions{Cookie: scheme.Cookie != "", Query: scheme.Query != "", Logger: quiet})
}

// ada is who calls with each of the keys and tokens.
var ada = &svc.Principal{Subject: "ada", Scopes: []string{"bookmarks:read", "bookmarks:write"}}

// entries implements EntryAPI. It keeps nothing: the entries from 1 to 3 are there.
type entries struct{}

func (entries) Apply(_ context.Context, in *Application) (*Applied, error) {
	return &Applied{in.ID, in.Name, in.Tags}, nil
}

func (entries) Send(_ context.Context, in *Parcel) (*Sent, error) {
	text, err := io.ReadAll(in.File)
	return &Sent{in.Title, in.Tags, in.File.FileName, in.File.ContentType, string(text)}, err
}

func (entries) Drop(_ context.Context, in *Drop) (*Sent, error) {
	text, err := io.ReadAll(in.File)
	return &Sent{Title: in.Title, Name: in.File.FileName, Type: in.File.ContentType, Text: string(text)}, err
}

func (entries) Save(_ context.Context, in *Entry) (*Saved, error) {
	out := &Saved{Entry: *in, Status: http.StatusOK, ETag: strconv.Quote(in.Title)}
	if in.ID > 3 {
		out.Status = http.StatusCreated
	}
	return out, nil
}

func (entries) Find(_ context.Context, in *Find) (*svc.PageResponse[Entry], error) {
	req := in.PageRequest()
	var all []Entry
	for i := range 3 * len(in.Words) {
		all = append(all, Entry{int64(i%3 + 1), fmt.Sprint(in.Words[i/3], " ", i%3+1)})
	}
	from := min(req.Offset(), len(all))
	return svc.NewPage(all[from:min(from+req.Size(), len(all))], req, len(all)), nil
}

func (entries) Look(_ context.Context, in *Look) (*Saved, error) {
	if in.ID > 3 {
		return nil, errNoEntry
	}
	return &Saved{Entry: Entry{in.ID, in.Title}, ETag: `"1"`}, nil
}

func (entries) Follow(ctx context.Context, in *Watch) (svc.Stream[Tick], error) {
	return new(desk).Watch(ctx, in)
}

func (entries) Whose(ctx context.Context) (*Whose, error) {
	caller, _ := svc.PrincipalFrom(ctx)
	return &Whose{caller.Subject}, nil
}
