// Package before is a program of huma: a directory of people with photos, whose callers have a
// token. It was written for the check, as the documentation of huma would have it.
package before

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
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

// PersonData is what clients may choose.
type PersonData struct {
	Name  string   `json:"name" minLength:"1" maxLength:"20" doc:"The full name"`
	Mail  string   `json:"mail,omitempty" format:"email"`
	Born  string   `json:"born,omitempty" format:"date"`
	Site  string   `json:"site,omitempty" format:"uri"`
	Role  string   `json:"role,omitempty" enum:"admin,member,guest" default:"member"`
	Tags  []string `json:"tags,omitempty" maxItems:"3" uniqueItems:"true"`
	Level int      `json:"level,omitempty" minimum:"0" maximum:"9"`
}

type idInput struct {
	ID string `path:"id" format:"uuid"`
}

type putInput struct {
	ID   string `path:"id" format:"uuid"`
	Body PersonData
}

type putOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   Person
}

type getOutput struct {
	ETag string `header:"ETag"`
	Body Person
}

type listInput struct {
	Tags   []string `query:"tags,explode"`
	Role   string   `query:"role" enum:"admin,member,guest"`
	Before string   `query:"before" format:"date"`
	Limit  int      `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type listOutput struct {
	Body []Person
}

// Level and badge must fit: a check of two fields.
type badgeInput struct {
	ID   string `path:"id" format:"uuid"`
	Body badgeBody
}

type badgeBody struct {
	Color string `json:"color" enum:"red,green"`
	Level int    `json:"level" minimum:"0"`
}

// Resolve implements huma.Resolver.
func (in *badgeInput) Resolve(huma.Context) []error {
	if in.Body.Color == "red" && in.Body.Level > 3 {
		return []error{&huma.ErrorDetail{Location: "body.level", Message: "a red badge has a level of 3 at most", Value: in.Body.Level}}
	}
	return nil
}

type photoInput struct {
	ID      string `path:"id" format:"uuid"`
	RawBody huma.MultipartFormFiles[struct {
		Caption string        `form:"caption" minLength:"1" maxLength:"10" required:"true"`
		Width   int           `form:"width" minimum:"1" required:"false"`
		Photo   huma.FormFile `form:"photo" contentType:"image/png" required:"true"`
	}]
}

type photoOutput struct {
	Body struct {
		Caption string `json:"caption"`
		Width   int    `json:"width"`
		Size    int    `json:"size"`
		Name    string `json:"name"`
	}
}

type rawOutput struct {
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Body        []byte
}

// directory is the state of the program.
type directory struct {
	mu     sync.Mutex
	people map[string]Person
	photos map[string][]byte
	order  []string
}

func (d *directory) put(_ context.Context, in *putInput) (*putOutput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, known := d.people[in.ID]
	b := in.Body
	if b.Name == "taken" {
		return nil, huma.Error409Conflict("the name is taken")
	}
	p := Person{ID: in.ID, Name: b.Name, Mail: b.Mail, Born: b.Born, Site: b.Site, Role: b.Role, Tags: b.Tags, Level: b.Level}
	if p.Tags == nil {
		p.Tags = []string{}
	}
	d.people[in.ID] = p
	out := &putOutput{Status: http.StatusOK, ETag: etag(p), Body: p}
	if !known {
		out.Status, d.order = http.StatusCreated, append(d.order, in.ID)
	}
	return out, nil
}

func etag(p Person) string { return fmt.Sprintf(`"%s-%d"`, strings.ToLower(p.Name), p.Level) }

func (d *directory) get(_ context.Context, in *idInput) (*getOutput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[in.ID]
	if !ok {
		return nil, huma.Error404NotFound("there is no such person")
	}
	return &getOutput{ETag: etag(p), Body: p}, nil
}

func (d *directory) list(_ context.Context, in *listInput) (*listOutput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := &listOutput{Body: []Person{}}
	for _, id := range d.order {
		p := d.people[id]
		hasTags := !slices.ContainsFunc(in.Tags, func(tag string) bool { return !slices.Contains(p.Tags, tag) })
		if hasTags && (in.Role == "" || p.Role == in.Role) && (in.Before == "" || p.Born < in.Before) && len(out.Body) < in.Limit {
			out.Body = append(out.Body, p)
		}
	}
	return out, nil
}

func (d *directory) delete(_ context.Context, in *idInput) (*struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.people[in.ID]; !ok {
		return nil, huma.Error404NotFound("there is no such person")
	}
	delete(d.people, in.ID)
	d.order = slices.DeleteFunc(d.order, func(id string) bool { return id == in.ID })
	return nil, nil
}

func (d *directory) badge(_ context.Context, in *badgeInput) (*struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[in.ID]
	if !ok {
		return nil, huma.Error404NotFound("there is no such person")
	}
	p.Level = in.Body.Level
	d.people[in.ID] = p
	return nil, nil
}

func (d *directory) putPhoto(_ context.Context, in *photoInput) (*photoOutput, error) {
	form := in.RawBody.Data()
	data, err := io.ReadAll(form.Photo)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.people[in.ID]; !ok {
		return nil, huma.Error404NotFound("there is no such person")
	}
	d.photos[in.ID] = data
	out := new(photoOutput)
	out.Body.Caption, out.Body.Width, out.Body.Size, out.Body.Name = form.Caption, form.Width, len(data), form.Photo.Filename
	return out, nil
}

func (d *directory) getPhoto(_ context.Context, in *idInput) (*rawOutput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, ok := d.photos[in.ID]
	if !ok {
		return nil, huma.Error404NotFound("there is no such photo")
	}
	return &rawOutput{ContentType: "image/png", ETag: fmt.Sprintf(`"%d"`, len(data)), Body: data}, nil
}

// New returns the program.
func New() http.Handler {
	mux := http.NewServeMux()
	config := huma.DefaultConfig("Directory", "1.0.0")
	config.CreateHooks = nil // no $schema in bodies
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"bearer": {Type: "http", Scheme: "bearer"}}
	api := humago.New(mux, config)
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		if len(ctx.Operation().Security) > 0 && ctx.Header("Authorization") != "Bearer secret" {
			ctx.SetHeader("WWW-Authenticate", `Bearer realm="api"`)
			huma.WriteErr(api, ctx, http.StatusUnauthorized, "a valid token is required")
			return
		}
		next(ctx)
	})
	d := &directory{people: make(map[string]Person), photos: make(map[string][]byte)}
	secured := func(o huma.Operation) huma.Operation {
		o.Security = []map[string][]string{{"bearer": {}}}
		return o
	}
	huma.Register(api, secured(huma.Operation{OperationID: "putPerson", Method: "PUT", Path: "/people/{id}"}), d.put)
	huma.Register(api, huma.Operation{OperationID: "getPerson", Method: "GET", Path: "/people/{id}"}, d.get)
	huma.Register(api, huma.Operation{OperationID: "listPeople", Method: "GET", Path: "/people"}, d.list)
	huma.Register(api, secured(huma.Operation{OperationID: "deletePerson", Method: "DELETE", Path: "/people/{id}"}), d.delete)
	huma.Register(api, secured(huma.Operation{OperationID: "setBadge", Method: "POST", Path: "/people/{id}/badge", DefaultStatus: http.StatusNoContent}), d.badge)
	huma.Register(api, secured(huma.Operation{OperationID: "putPhoto", Method: "POST", Path: "/people/{id}/photo", DefaultStatus: http.StatusCreated}), d.putPhoto)
	huma.Register(api, huma.Operation{OperationID: "getPhoto", Method: "GET", Path: "/people/{id}/photo"}, d.getPhoto)
	return mux
}
