// Package after is the program of package before, moved to svc.
package after

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.com/svc"
)

// A Person is stored, and answered.
type Person struct {
	ID    string   `json:"id" format:"uuid"`
	Name  string   `json:"name"`
	Mail  string   `json:"mail,omitempty" format:"email"`
	Born  string   `json:"born,omitempty" format:"date"`
	Site  string   `json:"site,omitempty" format:"uri"`
	Role  string   `json:"role"`
	Tags  []string `json:"tags"`
	Level int      `json:"level"`
}

// People is a bare list over REST.
type People []Person

// PutPerson is what clients may choose of a Person.
type PutPerson struct {
	ID    string   `json:"id" path:"id" format:"uuid"`
	Name  string   `json:"name" minLength:"1" maxLength:"20" doc:"The full name"`
	Mail  string   `json:"mail,omitempty" format:"email"`
	Born  string   `json:"born,omitempty" format:"date"`
	Site  string   `json:"site,omitempty" format:"uri"`
	Role  string   `json:"role,omitempty" enum:"admin,member,guest" default:"member"`
	Tags  []string `json:"tags,omitempty" maxItems:"3" uniqueItems:"true"`
	Level int      `json:"level,omitempty" minimum:"0" maximum:"9"`
}

// StoredPerson is the answer to PutPerson.
type StoredPerson struct {
	Status int    `json:"-" status:"200,201"`
	ETag   string `json:"-" header:"ETag"`
	Person
}

// TaggedPerson is a Person with its ETag.
type TaggedPerson struct {
	ETag string `json:"-" header:"ETag"`
	Person
}

// PersonID says which person.
type PersonID struct {
	ID string `json:"id" path:"id" format:"uuid"`
}

// ListPeople says which people.
type ListPeople struct {
	Tags   []string `json:"tags,omitempty" query:"tags"`
	Role   string   `json:"role,omitempty" query:"role" enum:"admin,member,guest"`
	Before string   `json:"before,omitempty" query:"before" format:"date"`
	Limit  int      `json:"limit,omitempty" query:"limit" minimum:"1" maximum:"100" default:"20"`
}

// SetBadge sets a badge, whose level and color must fit.
type SetBadge struct {
	ID    string `json:"id" path:"id" format:"uuid"`
	Color string `json:"color" enum:"red,green"`
	Level int    `json:"level" minimum:"0"`
}

// Validate checks two fields together.
func (in *SetBadge) Validate() error {
	if in.Color == "red" && in.Level > 3 {
		return svc.Errorf(svc.CodeInvalidArgument, "the badge is wrong").WithDetail("violations", []svc.Violation{{Path: "/level", Rule: "badge", Message: "a red badge has a level of 3 at most"}})
	}
	return nil
}

// PutPhoto is a form.
type PutPhoto struct {
	ID      string   `json:"id" path:"id" format:"uuid"`
	Caption string   `json:"caption" minLength:"1" maxLength:"10"`
	Width   int      `json:"width,omitempty" minimum:"1"`
	Photo   svc.Body `json:"photo" contentType:"image/png"`
}

// A Photo is what was stored.
type Photo struct {
	Caption string `json:"caption"`
	Width   int    `json:"width"`
	Size    int    `json:"size"`
	Name    string `json:"name"`
}

// API is the program.
type API interface {
	Put(context.Context, *PutPerson) (*StoredPerson, error)
	Get(context.Context, *PersonID) (*TaggedPerson, error)
	List(context.Context, *ListPeople) (*People, error)
	Delete(context.Context, *PersonID) error
	SetBadge(context.Context, *SetBadge) error
	PutPhoto(context.Context, *PutPhoto) (*Photo, error)
	GetPhoto(context.Context, *PersonID) (*svc.File, error)
}

// directory is the state of the program.
type directory struct {
	mu     sync.Mutex
	people map[string]Person
	photos map[string][]byte
	order  []string
}

var (
	errNoPerson = svc.Errorf(svc.CodeNotFound, "there is no such person")
	errNoPhoto  = svc.Errorf(svc.CodeNotFound, "there is no such photo")
	errTaken    = svc.Errorf(svc.CodeAlreadyExists, "the name is taken")
)

func (d *directory) Put(_ context.Context, in *PutPerson) (*StoredPerson, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, known := d.people[in.ID]
	if in.Name == "taken" {
		return nil, errTaken
	}
	p := Person{ID: in.ID, Name: in.Name, Mail: in.Mail, Born: in.Born, Site: in.Site, Role: in.Role, Tags: in.Tags, Level: in.Level}
	d.people[in.ID] = p
	out := &StoredPerson{ETag: etag(p), Person: p}
	if !known {
		out.Status, d.order = http.StatusCreated, append(d.order, in.ID)
	}
	return out, nil
}

func etag(p Person) string { return fmt.Sprintf(`"%s-%d"`, strings.ToLower(p.Name), p.Level) }

func (d *directory) Get(_ context.Context, in *PersonID) (*TaggedPerson, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[in.ID]
	if !ok {
		return nil, errNoPerson
	}
	return &TaggedPerson{etag(p), p}, nil
}

func (d *directory) List(_ context.Context, in *ListPeople) (*People, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out People
	for _, id := range d.order {
		p := d.people[id]
		hasTags := !slices.ContainsFunc(in.Tags, func(tag string) bool { return !slices.Contains(p.Tags, tag) })
		if hasTags && (in.Role == "" || p.Role == in.Role) && (in.Before == "" || p.Born < in.Before) && len(out) < in.Limit {
			out = append(out, p)
		}
	}
	return &out, nil
}

func (d *directory) Delete(_ context.Context, in *PersonID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.people[in.ID]; !ok {
		return errNoPerson
	}
	delete(d.people, in.ID)
	d.order = slices.DeleteFunc(d.order, func(id string) bool { return id == in.ID })
	return nil
}

func (d *directory) SetBadge(_ context.Context, in *SetBadge) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[in.ID]
	if !ok {
		return errNoPerson
	}
	p.Level = in.Level
	d.people[in.ID] = p
	return nil
}

func (d *directory) PutPhoto(_ context.Context, in *PutPhoto) (*Photo, error) {
	data, err := io.ReadAll(in.Photo)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.people[in.ID]; !ok {
		return nil, errNoPerson
	}
	d.photos[in.ID] = data
	return &Photo{in.Caption, in.Width, len(data), in.Photo.FileName}, nil
}

func (d *directory) GetPhoto(_ context.Context, in *PersonID) (*svc.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, ok := d.photos[in.ID]
	if !ok {
		return nil, errNoPhoto
	}
	return &svc.File{ContentType: "image/png", ETag: fmt.Sprintf(`"%d"`, len(data)), Content: bytes.NewReader(data)}, nil
}

// A problem is the form of errors of huma, which clients know.
type problem struct {
	Title  string   `json:"title"`
	Status int      `json:"status"`
	Detail string   `json:"detail"`
	Errors []detail `json:"errors,omitempty"`
}

type detail struct {
	Message  string `json:"message"`
	Location string `json:"location"`
}

// newForm returns the form. What huma calls body.tags[0] is /tags/0 in the body here.
func newForm() *svc.ErrorForm {
	return svc.NewErrorForm(func(e *svc.Error) *problem {
		p := &problem{Title: http.StatusText(e.HTTPStatus()), Status: e.HTTPStatus(), Detail: e.Message}
		for _, v := range e.Violations() {
			p.Detail = "validation failed"
			place := v.In + strings.ReplaceAll(v.Path, "/", ".")
			if v.Rule == "required" { // huma names the object that lacks the member
				place = place[:max(strings.LastIndexByte(place, '.'), len(v.In))]
			}
			p.Errors = append(p.Errors, detail{v.Message, place})
		}
		return p
	}, nil).WithContentType("application/problem+json").WithStatus(svc.CodeInvalidArgument, 422).WithRuleStatus("syntax", 400)
}

func verify(_ context.Context, token string) (*svc.Principal, error) {
	if token != "secret" {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "no such token")
	}
	return &svc.Principal{Subject: "ada"}, nil
}

// New returns the program.
func New() http.Handler {
	logger := slog.New(slog.DiscardHandler)
	options := &svc.Options{
		Resource: "people", Strict: true, Logger: logger, ErrorForm: newForm(), Schemes: []svc.Scheme{{Type: "bearer"}},
		Methods: map[string]svc.MethodOptions{
			"Put":      {OperationID: "putPerson", HTTP: "PUT /people/{id}"},
			"Get":      {OperationID: "getPerson", Public: true},
			"List":     {OperationID: "listPeople", Public: true},
			"Delete":   {OperationID: "deletePerson"},
			"SetBadge": {OperationID: "setBadge", HTTP: "POST /people/{id}/badge"},
			"PutPhoto": {OperationID: "putPhoto", HTTP: "POST /people/{id}/photo", Status: http.StatusCreated, Form: true},
			"GetPhoto": {OperationID: "getPhoto", HTTP: "GET /people/{id}/photo", Public: true},
		},
	}
	service := svc.MustRegister[API](&directory{people: make(map[string]Person), photos: make(map[string][]byte)}, options)
	guard := svc.Bearer(verify, &svc.BearerOptions{Optional: true, OnError: options.ErrorForm.Write, Logger: logger})
	mux := http.NewServeMux()
	mux.Handle("/", guard(service.REST()))
	mux.Handle("GET /openapi.json", service.OpenAPI())
	return mux
}
