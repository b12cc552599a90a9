package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests services without a transport: the descriptor, calls by name,
// Join, At and Intercept.

type ShelfAPI interface {
	Create(context.Context, *shelfBook) (*shelfBook, error)
	Count(context.Context) (*shelfCount, error)
	Delete(context.Context, *shelfID) error
	List(context.Context, *shelfQuery) (*shelfPage[shelfBook], error)
	MarkRead(context.Context, *shelfID) (*shelfBook, error)
	Panic(context.Context) error
	Ping(context.Context) error
	Watch(context.Context) (svc.Stream[shelfBook], error)
	Where(context.Context) (*shelfInfo, error)
}

type (
	shelfBook struct {
		Title    string            `json:"title" minLength:"1" maxLength:"40" doc:"As on the cover." example:"Emma"`
		Author   *shelfAuthor      `json:"author"`
		Pages    int16             `json:"pages,omitempty" minimum:"1"`
		Price    float64           `json:"price" exclusiveMinimum:"0"`
		Tags     []string          `json:"tags" maxItems:"3" uniqueItems:"true"`
		Kind     shelfKind         `json:"kind" enum:"novel,essay" default:"novel"`
		Notes    map[string]string `json:"notes,omitempty"`
		Printed  time.Time         `json:"printed"`
		Cover    []byte            `json:"cover,omitempty"`
		Extra    any               `json:"extra,omitempty"`
		Contains []shelfBook       `json:"contains,omitempty"`
	}
	shelfAuthor struct{ Name string }
	shelfKind   string
	shelfID     struct {
		ID uint32 `json:"id"`
	}
	shelfQuery struct {
		Limit int      `json:"limit" default:"20" minimum:"1"`
		Tag   []string `json:"tag,omitempty"`
	}
	shelfPage[T any] struct {
		Items []T `json:"items"`
		Total int `json:"total"`
	}
	shelfCount struct{ Books int }
	shelfInfo  struct{ Transport, Resource, Method string }
)

// Validate makes one title impossible.
func (b *shelfBook) Validate() error {
	if b.Title == "Nothing" {
		return errors.New("is no book")
	}
	return nil
}

type shelf struct{}

func (shelf) Create(_ context.Context, in *shelfBook) (*shelfBook, error) { return in, nil }
func (shelf) Count(context.Context) (*shelfCount, error)                  { return nil, nil }
func (shelf) Delete(context.Context, *shelfID) error                      { return nil }
func (shelf) Panic(context.Context) error                                 { panic("out of shelves") }
func (shelf) Ping(context.Context) error                                  { return nil }

func (shelf) List(context.Context, *shelfQuery) (*shelfPage[shelfBook], error) {
	return &shelfPage[shelfBook]{}, nil
}

func (shelf) MarkRead(_ context.Context, in *shelfID) (*shelfBook, error) {
	if in.ID == 0 {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no book %d", in.ID)
	}
	return &shelfBook{Title: fmt.Sprint("Volume ", in.ID)}, nil
}

func (shelf) Watch(context.Context) (svc.Stream[shelfBook], error) {
	return func(yield func(*shelfBook, error) bool) { yield(&shelfBook{Title: "Emma"}, nil) }, nil
}

func (shelf) Where(ctx context.Context) (*shelfInfo, error) {
	info, _ := svc.InfoFrom(ctx)
	return &shelfInfo{string(info.Transport), info.Resource, info.Method}, nil
}

func newShelf(o svc.Options) *svc.Service {
	o.Logger = slog.New(slog.DiscardHandler)
	if o.Resource == "" {
		o.Resource = "books"
	}
	return svc.MustRegister[ShelfAPI](shelf{}, &o)
}

func TestDescriptor(t *testing.T) {
	service := newShelf(svc.Options{
		Name:        "Shelf",
		Description: "What there is to read.",
		Methods: map[string]svc.MethodOptions{
			"Create": {Description: "Put a book on the shelf."},
			"Delete": {HTTP: "DELETE /rooms/{id}/books"},
			"Ping":   {Resource: "health"},
		},
	})
	for _, test := range []struct {
		name    string
		service *svc.Service
	}{
		{"plain", service},
		{"strict", newShelf(svc.Options{Strict: true})},
		{"joined", svc.Join("Everything", service.At("v1/"), newShelf(svc.Options{Resource: "films"}))},
	} {
		text, err := json.MarshalIndent(test.service.Descriptor(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "descriptor/"+test.name+".json", append(text, '\n'))
		if !reflect.DeepEqual(test.service.Descriptor(), test.service.Descriptor()) {
			t.Errorf("%s: two descriptors differ", test.name)
		}
	}
}

func TestCall(t *testing.T) {
	service := newShelf(svc.Options{})
	good := func() *shelfBook { return &shelfBook{Title: "Emma", Price: 1, Kind: "novel"} }
	for _, test := range []struct {
		resource, method string
		input            any
		want             string // the output, or the error
	}{
		{"books", "mark_read", &shelfID{7}, "Volume 7"},
		{"books", "markRead", &shelfID{7}, "Volume 7"},
		{"books", "markread", &shelfID{7}, "Volume 7"},
		{"books", "MarkRead", &shelfID{7}, "Volume 7"},
		{"books", "Mark_Read", &shelfID{7}, `UNIMPLEMENTED: there is no method "Mark_Read" in resource "books"`},
		{"films", "mark_read", &shelfID{7}, `UNIMPLEMENTED: there is no method "mark_read" in resource "films"`},
		{"books", "mark_read", &shelfID{}, "NOT_FOUND: there is no book 0"},
		{"books", "ping", nil, "<nil>"},
		{"books", "delete", &shelfID{1}, "<nil>"},
		{"books", "where", nil, "&{call books where}"},

		{"books", "mark_read", nil, "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a <nil>"},
		{"books", "mark_read", (*shelfID)(nil), "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a *blackbox_test.shelfID"},
		{"books", "mark_read", shelfID{7}, "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a blackbox_test.shelfID"},
		{"books", "mark_read", &shelfQuery{}, "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a *blackbox_test.shelfQuery"},
		{"books", "ping", &shelfID{}, "INVALID_ARGUMENT: books.ping takes no input; give nil"},

		{"books", "create", good(), "Emma"},
		{"books", "create", &shelfBook{Price: 1, Kind: "novel"}, "INVALID_ARGUMENT: invalid input: /title must have at least 1 character"},
		{"books", "create", &shelfBook{Title: "Emma", Price: -1, Kind: "x", Tags: []string{"a", "a"}},
			"INVALID_ARGUMENT: invalid input: /price must be more than 0 (and 2 more)"},
		{"books", "create", &shelfBook{Title: "Nothing", Price: 1, Kind: "novel"}, "INVALID_ARGUMENT: invalid input: is no book"},
		{"books", "create", &shelfBook{Title: "Emma", Price: 1, Kind: "novel", Contains: []shelfBook{*good(), {Title: "Nothing", Price: 1, Kind: "essay"}}},
			"INVALID_ARGUMENT: invalid input: /contains/1 is no book"},

		{"books", "count", nil, "Count returned neither an output nor an error"},
		{"books", "panic", nil, "panic: out of shelves"},
	} {
		out, err := service.Call(context.Background(), test.resource, test.method, test.input)
		got := fmt.Sprint(out)
		if book, ok := out.(*shelfBook); ok {
			got = book.Title
		}
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s.%s(%v) = %s\nwant %s", test.resource, test.method, test.input, got, test.want)
		}
	}
}

// Verify that a call of a stream gives the stream, and that a panic in Call is
// an error that says where.
func TestCallMore(t *testing.T) {
	service := newShelf(svc.Options{})
	out, err := service.Call(context.Background(), "books", "watch", nil)
	stream, ok := out.(svc.Stream[shelfBook])
	if err != nil || !ok {
		t.Fatalf("watch = %T, %v", out, err)
	}
	for book, err := range stream {
		if err != nil || book.Title != "Emma" {
			t.Errorf("the stream has %v, %v", book, err)
		}
	}
	_, err = service.Call(context.Background(), "books", "panic", nil)
	var p *svc.PanicError
	if !errors.As(err, &p) || p.Value != "out of shelves" || !strings.Contains(string(p.Stack), "shelf.Panic") {
		t.Errorf("panic = %v", err)
	}
	if svc.CodeOf(err) != svc.CodeInternal {
		t.Errorf("the code of a panic is %s", svc.CodeOf(err))
	}
}

func TestNewInput(t *testing.T) {
	service := newShelf(svc.Options{})
	for _, test := range []struct{ method, want string }{
		{"list", "&blackbox_test.shelfQuery{Limit:20, Tag:[]string(nil)} <nil>"},
		{"List", "&blackbox_test.shelfQuery{Limit:20, Tag:[]string(nil)} <nil>"},
		{"mark_read", "&blackbox_test.shelfID{ID:0x0} <nil>"},
		{"ping", "<nil> <nil>"},
		{"pong", `<nil> UNIMPLEMENTED: there is no method "pong" in resource "books"`},
	} {
		in, err := service.NewInput("books", test.method)
		if got := fmt.Sprintf("%#v %v", in, err); got != test.want {
			t.Errorf("NewInput(%q) = %s, want %s", test.method, got, test.want)
		}
	}
	a, _ := service.NewInput("books", "create")
	b, _ := service.NewInput("books", "create")
	if a == b || a.(*shelfBook).Kind != "novel" {
		t.Errorf("two inputs: %p and %p, %+v", a, b, a)
	}
}

func TestAt(t *testing.T) {
	service := newShelf(svc.Options{})
	for _, test := range []struct{ prefix, want string }{
		{"", "/books"},
		{"/", "/books"},
		{"//", "/books"},
		{"v1", "/v1/books"},
		{"/v1", "/v1/books"},
		{"/v1/", "/v1/books"},
		{"//v1//", "/v1/books"},
		{"/api/v1", "/api/v1/books"},
		{"/v1.2-beta_3~x", "/v1.2-beta_3~x/books"},
	} {
		s := service.At(test.prefix)
		if got := s.Routes()[0].Path; got != test.want+"/count" {
			t.Errorf("At(%q) has %s", test.prefix, got)
		}
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, httptest.NewRequest("GET", test.want, nil))
		if w.Code != http.StatusOK {
			t.Errorf("At(%q): GET %s = %d", test.prefix, test.want, w.Code)
		}
		if got := s.Descriptor().Resources[0]; got.Name != "books" || !strings.HasPrefix(got.Methods[0].HTTP.Path, test.want) {
			t.Errorf("At(%q): the descriptor has %s, %s", test.prefix, got.Name, got.Methods[0].HTTP.Path)
		}
	}
	if got := service.At("/v1").At("/api").Routes()[0].Path; got != "/api/v1/books/count" {
		t.Errorf(`At("/v1").At("/api") has %s`, got)
	}
	if got := service.Routes()[0].Path; got != "/books/count" {
		t.Errorf("the service itself has moved to %s", got)
	}
}

// Verify that Join keeps what is each method's own.
func TestJoin(t *testing.T) {
	problem := newShelf(svc.Options{Resource: "a", OnError: svc.WriteProblem, Description: "First.", Version: "2"})
	strict := newShelf(svc.Options{Resource: "b", Strict: true, MaxBody: 60})
	service := svc.Join("Both", problem.At("/v1"), strict)
	if d := service.Descriptor(); d.Name != "Both" || d.Description != "First." || len(d.Resources) != 2 {
		t.Errorf("the descriptor: %q, %q, %d resources", d.Name, d.Description, len(d.Resources))
	}
	const book = `{"title":"Emma","author":null,"price":1,"tags":[],"printed":"2026-01-02T03:04:05Z"`
	for _, test := range []struct {
		method, path, body string
		status             int
		contentType        string
	}{
		{"POST", "/v1/a", book + "}", 200, "application/json"},
		{"POST", "/v1/a", book + `,"more":1}`, 200, "application/json"},
		{"POST", "/v1/a", `{}`, 400, "application/problem+json"},
		{"POST", "/a", book + "}", 404, "application/problem+json"}, // document-level facts come from the first
		{"POST", "/b", book + "}", 413, "application/json"},
		{"POST", "/b", `{"more":1}`, 400, "application/json"},
	} {
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
		if got := w.Header().Get("Content-Type"); w.Code != test.status || got != test.contentType {
			t.Errorf("%s %s %s = %d %s %s", test.method, test.path, test.body, w.Code, got, w.Body)
		}
	}
	if _, err := service.Call(context.Background(), "b", "ping", nil); err != nil {
		t.Error(err)
	}
}

// Verify what an interceptor sees and what it may do.
func TestIntercept(t *testing.T) {
	var calls []string
	answer := func(any) (any, error) { return nil, nil } // of this test's own making
	service := newShelf(svc.Options{Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			info, ok := svc.InfoFrom(ctx)
			calls = append(calls, fmt.Sprintf("%s %s.%s %v %t", info.Transport, resource, method, input, ok))
			if resource == "books" && method == "count" {
				return answer(input)
			}
			return next(ctx, resource, method, input)
		}
	}})
	for _, test := range []struct {
		method, path, body string
		status             int
		call               string
	}{
		{"POST", "/books/mark_read", `{"id":7}`, 200, "rest books.mark_read &{7} true"},
		{"POST", "/books/mark_read", `{"id":-7}`, 400, ""}, // refused before
		{"POST", "/books/ping", "", 204, "rest books.ping <nil> true"},
		{"POST", "/books/panic", "", 500, "rest books.panic <nil> true"},
	} {
		calls = nil
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
		if got := strings.Join(calls, ", "); w.Code != test.status || got != test.call {
			t.Errorf("%s %s %s = %d, intercepted %q; want %d, %q", test.method, test.path, test.body, w.Code, got, test.status, test.call)
		}
	}
	for _, test := range []struct {
		answer func(any) (any, error)
		want   string
	}{
		{func(any) (any, error) { return &shelfCount{3}, nil }, `200 {"Books":3}`},
		{func(any) (any, error) { return nil, svc.Errorf(svc.CodeUnavailable, "closed") }, `503 {"error":{"code":"UNAVAILABLE","message":"closed"}}`},
		{func(any) (any, error) { return nil, nil }, `500 {"error":{"code":"INTERNAL","message":"internal error"}}`},
		{func(any) (any, error) { return shelfCount{3}, nil }, `500 {"error":{"code":"INTERNAL","message":"internal error"}}`},
		{func(any) (any, error) { panic("closed") }, `500 {"error":{"code":"INTERNAL","message":"internal error"}}`},
	} {
		answer = test.answer
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, httptest.NewRequest("POST", "/books/count", nil))
		if got := fmt.Sprint(w.Code, " ", w.Body); got != test.want {
			t.Errorf("an interceptor's answer: %s, want %s", got, test.want)
		}
	}
}

func TestInfoFrom(t *testing.T) {
	if info, ok := svc.InfoFrom(context.Background()); ok {
		t.Errorf("a context from nowhere has %v", info)
	}
}
