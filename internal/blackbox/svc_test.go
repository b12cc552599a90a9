package blackbox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
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

// Verify the descriptor of a service by itself, of a strict one and of joined ones.
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
		t.Run(test.name, func(t *testing.T) {
			text, err := json.MarshalIndent(test.service.Descriptor(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "descriptor/"+test.name+".json", append(text, '\n'))
			if !reflect.DeepEqual(test.service.Descriptor(), test.service.Descriptor()) {
				t.Error("two descriptors differ")
			}
		})
	}
}

// Verify that Call finds methods by the names that clients use, checks the input as a
// transport does, and returns what the method returns.
func TestCall(t *testing.T) {
	service := newShelf(svc.Options{})
	good := func() *shelfBook { return &shelfBook{Title: "Emma", Price: 1, Kind: "novel"} }
	for _, test := range []struct {
		name             string
		resource, method string
		input            any
		want             string // the output, or the error
	}{
		{"by the wire name", "books", "mark_read", &shelfID{7}, "Volume 7"},
		{"by the alias in camel case", "books", "markRead", &shelfID{7}, "Volume 7"},
		{"by the alias in lower case", "books", "markread", &shelfID{7}, "Volume 7"},
		{"by the name in Go", "books", "MarkRead", &shelfID{7}, "Volume 7"},
		{"by a mixture of names", "books", "Mark_Read", &shelfID{7}, `UNIMPLEMENTED: there is no method "Mark_Read" in resource "books"`},
		{"another resource", "films", "mark_read", &shelfID{7}, `UNIMPLEMENTED: there is no method "mark_read" in resource "films"`},
		{"an error of the method", "books", "mark_read", &shelfID{}, "NOT_FOUND: there is no book 0"},
		{"neither input nor output", "books", "ping", nil, "<nil>"},
		{"no output", "books", "delete", &shelfID{1}, "<nil>"},
		{"what InfoFrom says", "books", "where", nil, "&{call books where}"},

		{"no input where one is needed", "books", "mark_read", nil, "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a <nil>"},
		{"a nil pointer as the input", "books", "mark_read", (*shelfID)(nil), "INVALID_ARGUMENT: the input of books.mark_read is a nil *blackbox_test.shelfID"},
		{"a struct as the input", "books", "mark_read", shelfID{7}, "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a blackbox_test.shelfID"},
		{"the input of another method", "books", "mark_read", &shelfQuery{}, "INVALID_ARGUMENT: books.mark_read takes a *blackbox_test.shelfID that is not nil, not a *blackbox_test.shelfQuery"},
		{"an input where there is none", "books", "ping", &shelfID{}, "INVALID_ARGUMENT: books.ping takes no input; give nil"},

		{"an output", "books", "create", good(), "Emma"},
		{"one rule is broken", "books", "create", &shelfBook{Price: 1, Kind: "novel"}, "INVALID_ARGUMENT: invalid input: /title must have at least 1 character"},
		{"three rules are broken", "books", "create", &shelfBook{Title: "Emma", Price: -1, Kind: "x", Tags: []string{"a", "a"}},
			"INVALID_ARGUMENT: invalid input: /price must be more than 0 (and 2 more)"},
		{"Validate refuses", "books", "create", &shelfBook{Title: "Nothing", Price: 1, Kind: "novel"}, "INVALID_ARGUMENT: invalid input: is no book"},
		{"Validate of an item refuses", "books", "create", &shelfBook{Title: "Emma", Price: 1, Kind: "novel", Contains: []shelfBook{*good(), {Title: "Nothing", Price: 1, Kind: "essay"}}},
			"INVALID_ARGUMENT: invalid input: /contains/1 is no book"},

		{"neither output nor error", "books", "count", nil, "Count returned neither an output nor an error"},
		{"a panic", "books", "panic", nil, "panic: out of shelves"},
	} {
		t.Run(test.name, func(t *testing.T) {
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
		})
	}
}

// Verify that a call of a stream gives the stream, and that a panic in Call is
// an error that says where.
func TestCallOfStreamAndPanic(t *testing.T) {
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

// Verify that NewInput returns a new input with its defaults for each call.
func TestNewInput(t *testing.T) {
	service := newShelf(svc.Options{})
	for _, test := range []struct{ method, want string }{
		{"list", "&blackbox_test.shelfQuery{Limit:20, Tag:[]string(nil)} <nil>"},
		{"List", "&blackbox_test.shelfQuery{Limit:20, Tag:[]string(nil)} <nil>"},
		{"mark_read", "&blackbox_test.shelfID{ID:0x0} <nil>"},
		{"ping", "<nil> <nil>"},
		{"pong", `<nil> UNIMPLEMENTED: there is no method "pong" in resource "books"`},
	} {
		t.Run(test.method, func(t *testing.T) {
			in, err := service.NewInput("books", test.method)
			if got := fmt.Sprintf("%#v %v", in, err); got != test.want {
				t.Errorf("NewInput(%q) = %s, want %s", test.method, got, test.want)
			}
		})
	}
	a, _ := service.NewInput("books", "create")
	b, _ := service.NewInput("books", "create")
	if a == b || a.(*shelfBook).Kind != "novel" {
		t.Errorf("two inputs: %p and %p, %+v", a, b, a)
	}
}

type (
	AlbumAPI interface {
		Create(context.Context, *albumIn) (*albumIn, error)
		Merge(context.Context, *albumNode) (*albumNode, error)
		Rules(context.Context, *albumRules) (*albumRules, error)
		Press(context.Context, *albumPress) (*albumPress, error)
	}
	albums struct{}

	// An albumIn has a Validate method, and a place for each thing that it writes to.
	albumIn struct {
		Title  string            `json:"title" minLength:"1"`
		Tags   map[string]*label `json:"tags,omitempty"`
		Values map[string]label  `json:"values,omitempty"`
		List   []label           `json:"list,omitempty"`
		Cover  cover             `json:"cover"`
		Extra
	}
	label struct {
		Name string `json:"name"`
	}
	cover struct {
		Width  int     `json:"width" default:"640" minimum:"1"`
		Format string  `json:"format" default:"png" enum:"png,jpeg"`
		Frame  frame   `json:"frame"`
		Other  *cover2 `json:"other,omitempty"`
	}
	cover2 struct {
		Width int `json:"width" default:"640" minimum:"1"`
	}
	frame struct {
		Inset *int `json:"inset" default:"3"`
	}
	Extra struct {
		Seen map[string]int `json:"seen,omitempty"`
	}

	// An albumNode may contain itself, and has nothing that would be checked.
	albumNode struct {
		Name  string                `json:"name,omitempty"`
		Left  *albumNode            `json:"left,omitempty"`
		Right *albumNode            `json:"right,omitempty"`
		List  []albumNode           `json:"list,omitempty"`
		Map   map[string]*albumNode `json:"map,omitempty"`
	}
	// An albumRules has rules in maps and no Validate method.
	albumRules struct {
		Any   any               `json:"any,omitempty"`
		Sizes map[string]cover2 `json:"sizes,omitempty"`
		Node  *validNode        `json:"node,omitempty"`
	}
	// An albumPress has structs with defaults in arrays, where the zero value is
	// against the rules.
	albumPress struct {
		Discs  [2]cover2    `json:"discs"`
		Sides  [1][2]cover2 `json:"sides"`
		Covers [1]cover     `json:"covers"`
		Box    pressBox     `json:"box"`
		Links  [2]*cover2   `json:"links"`
		Spare  [2]cover2    `json:"spare,omitzero"`
	}
	pressBox struct {
		Cards  [2]cover2 `json:"cards"`
		Sleeve sleeve    `json:"sleeve"`
		Insert insert    `json:"insert"`
	}
	// A sleeve leads back to itself through an insert.
	sleeve struct {
		Inserts []insert `json:"inserts,omitempty"`
		Size    int      `json:"size" minimum:"1" default:"12"`
	}
	insert struct {
		Sleeve sleeve `json:"sleeve"`
	}
	validNode struct {
		Name string     `json:"name"`
		Next *validNode `json:"next,omitempty"`
		Also *validNode `json:"also,omitempty"`
	}
)

func (albums) Create(_ context.Context, in *albumIn) (*albumIn, error)      { return in, nil }
func (albums) Merge(_ context.Context, in *albumNode) (*albumNode, error)   { return in, nil }
func (albums) Rules(_ context.Context, in *albumRules) (*albumRules, error) { return in, nil }
func (albums) Press(_ context.Context, in *albumPress) (*albumPress, error) { return in, nil }

func (l *label) Validate() error {
	l.Name = strings.ToUpper(l.Name)
	return nil
}

func (a *albumIn) Validate() error {
	a.Title += "!"
	if a.Seen != nil {
		a.Seen["validate"]++
	}
	return nil
}

func newAlbums(t *testing.T) *svc.Service {
	t.Helper()
	s, err := svc.Register[AlbumAPI](albums{}, &svc.Options{Resource: "albums", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Verify that Call hands on the caller's own value, and that only Validate methods
// change it: calls may share a value that has none.
func TestCallChangesNothing(t *testing.T) {
	s := newAlbums(t)
	fresh := func() *albumIn {
		return &albumIn{
			Title: "a", Tags: map[string]*label{"x": {"x"}, "nil": nil}, Values: map[string]label{"y": {"y"}}, List: []label{{"z"}},
			Cover: cover{Width: 1, Format: "png", Frame: frame{new(int)}}, Extra: Extra{map[string]int{}},
		}
	}
	in, want := fresh(), fresh()
	want.Title, want.Tags["x"].Name, want.Values["y"], want.List[0].Name, want.Seen["validate"] = "a!", "X", label{"Y"}, "Z", 1
	if out, err := s.Call(context.Background(), "albums", "create", in); err != nil || out != any(in) || !reflect.DeepEqual(in, want) {
		t.Errorf("the method got %+v, want %+v at the same address; %v", out, want, err)
	}
	var calls sync.WaitGroup
	sizes := &albumRules{Sizes: map[string]cover2{"a": {1}, "b": {2}}}
	for range 4 {
		calls.Add(1)
		go func() {
			defer calls.Done()
			if out, err := s.Call(context.Background(), "albums", "rules", sizes); err != nil || out != any(sizes) {
				t.Errorf("rules: %v, %v", out, err)
			}
		}()
	}
	calls.Wait()
}

// Verify that a value that contains itself is refused, and one of 1,000 levels is not.
func TestCallDepth(t *testing.T) {
	s := newAlbums(t)
	chain := func(levels int) *validNode {
		var n *validNode
		for range levels {
			n = &validNode{Name: "n", Next: n}
		}
		return n
	}
	twice := &albumNode{}
	twice.Left, twice.Right = twice, twice
	listed, mapped := &albumNode{List: make([]albumNode, 1)}, &albumNode{Map: map[string]*albumNode{}}
	listed.List[0].List = listed.List
	mapped.Map["x"] = mapped
	lists, maps := func(levels int) (v any) {
		for range levels {
			v = []any{v}
		}
		return v
	}, func(levels int) (v any) {
		for range levels {
			v = map[string]any{"a": v}
		}
		return v
	}
	var pointer any
	pointer = &pointer
	circle := chain(1)
	circle.Next, circle.Also = circle, circle
	for name, test := range map[string]struct {
		method string
		in     any
		ok     bool
	}{
		"twice":  {"merge", twice, false},
		"listed": {"merge", listed, false},
		"mapped": {"merge", mapped, false},
		"plain":  {"merge", &albumNode{Left: &albumNode{}}, true},
		"circle": {"rules", &albumRules{Node: circle}, false},
		"1000":   {"rules", &albumRules{Node: chain(999)}, true},
		"1001":   {"rules", &albumRules{Node: chain(1000)}, false},

		"a list of 1000": {"rules", &albumRules{Any: lists(999)}, true},
		"a list of 1001": {"rules", &albumRules{Any: lists(1000)}, false},
		"a map of 1000":  {"rules", &albumRules{Any: maps(999)}, true},
		"a map of 1001":  {"rules", &albumRules{Any: maps(1000)}, false},
		"a pointer":      {"rules", &albumRules{Any: pointer}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Call(context.Background(), "albums", test.method, test.in)
			if (err == nil) != test.ok {
				t.Errorf("%v", err)
			}
			if e := svc.ErrorFrom(err); err != nil && (e.Code != svc.CodeInvalidArgument || !strings.Contains(e.Message, "is nested more than 1000 levels deep, or contains itself")) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Verify that NewInput sets the defaults of structs in the input, so that Call takes
// it when the rest is filled in.
func TestNewInputNested(t *testing.T) {
	s := newAlbums(t)
	in, err := s.NewInput("albums", "create")
	if err != nil {
		t.Fatal(err)
	}
	album := in.(*albumIn)
	if c := album.Cover; c.Width != 640 || c.Format != "png" || c.Frame.Inset == nil || *c.Frame.Inset != 3 || c.Other != nil {
		t.Errorf("NewInput has %+v", c)
	}
	album.Title = "a"
	if _, err := s.Call(context.Background(), "albums", "create", album); err != nil {
		t.Error(err)
	}
	if in, err = s.NewInput("albums", "press"); err != nil {
		t.Fatal(err)
	}
	three, wide := 3, cover2{Width: 640}
	want := albumPress{
		Discs:  [2]cover2{wide, wide},
		Sides:  [1][2]cover2{{wide, wide}},
		Covers: [1]cover{{Width: 640, Format: "png", Frame: frame{Inset: &three}}},
		Box:    pressBox{Cards: [2]cover2{wide, wide}, Sleeve: sleeve{Size: 12}, Insert: insert{sleeve{Size: 12}}},
	}
	if !reflect.DeepEqual(in, &want) {
		t.Errorf("NewInput has %+v in arrays, want %+v", in, &want)
	}
	if _, err := s.Call(context.Background(), "albums", "press", in); err != nil {
		t.Error(err)
	}
}

// Verify what Strict says of arguments for a method without an input: JSON-RPC refuses
// them, as MCP always does, and REST reads no body.
func TestStrictNoInput(t *testing.T) {
	rest := func(s *svc.Service) http.Handler { return s.REST() }
	rpc := func(s *svc.Service) http.Handler { return s.RPC() }
	mcp := func(s *svc.Service) http.Handler { return s.MCP(nil) }
	const rpcPing = `{"jsonrpc":"2.0","id":1,"method":"books.ping"`
	const mcpPing = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"books_ping"`
	const ok, refused = `"result"`, `{"in":"body","path":"/a","rule":"unknown","message":"is not a known property"}`
	for _, test := range []struct {
		name           string
		handler        func(*svc.Service) http.Handler
		path, body     string
		status         int
		lenient, rigid string
	}{
		{"REST, an unknown name", rest, "/books/ping", `{"a":1}`, 204, "", ""},
		{"REST, no JSON", rest, "/books/ping", `{"a"`, 204, "", ""},
		{"REST, nothing", rest, "/books/ping", ``, 204, "", ""},
		{"RPC, an unknown name", rpc, "/rpc", rpcPing + `,"params":{"a":1}}`, 200, ok, refused},
		{"RPC, no names", rpc, "/rpc", rpcPing + `,"params":{}}`, 200, ok, ok},
		{"RPC, nothing", rpc, "/rpc", rpcPing + `}`, 200, ok, ok},
		{"MCP, an unknown name", mcp, "/mcp", mcpPing + `,"arguments":{"a":1}}}`, 200, `/a is not a known property`, `/a is not a known property`},
		{"MCP, no names", mcp, "/mcp", mcpPing + `,"arguments":{}}}`, 200, `"isError":false`, `"isError":false`},
		{"MCP, nothing", mcp, "/mcp", mcpPing + `}}`, 200, `"isError":false`, `"isError":false`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for strict, want := range map[bool]string{false: test.lenient, true: test.rigid} {
				r := httptest.NewRequest("POST", test.path, strings.NewReader(test.body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				test.handler(newShelf(svc.Options{Strict: strict})).ServeHTTP(w, r)
				if got := w.Body.String(); w.Code != test.status || !strings.Contains(got, want) {
					t.Errorf("%s, strict %t: %d %s, want %d %s", test.name, strict, w.Code, got, test.status, want)
				}
			}
		})
	}
}

// Verify that At moves the routes, the document and nothing else, however its prefix is
// written, and leaves the service as it is.
func TestAtMovesRoutes(t *testing.T) {
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
		t.Run(cmp.Or(test.prefix, "no prefix"), func(t *testing.T) {
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
		})
	}
	if got := service.At("/v1").At("/api").Routes()[0].Path; got != "/api/v1/books/count" {
		t.Errorf(`At("/v1").At("/api") has %s`, got)
	}
	if got := service.Routes()[0].Path; got != "/books/count" {
		t.Errorf("the service itself has moved to %s", got)
	}
}

// Verify that Join keeps what is each method's own.
func TestJoinKeepsOptionsOfEachPart(t *testing.T) {
	problem := newShelf(svc.Options{Resource: "a", OnError: svc.WriteProblem, Description: "First.", Version: "2"})
	strict := newShelf(svc.Options{Resource: "b", Strict: true, MaxBody: 60})
	service := svc.Join("Both", problem.At("/v1"), strict)
	if d := service.Descriptor(); d.Name != "Both" || d.Description != "First." || len(d.Resources) != 2 {
		t.Errorf("the descriptor: %q, %q, %d resources", d.Name, d.Description, len(d.Resources))
	}
	const book = `{"title":"Emma","author":null,"price":1,"tags":[],"printed":"2026-01-02T03:04:05Z"`
	for _, test := range []struct {
		name               string
		method, path, body string
		status             int
		contentType        string
	}{
		{"all is well", "POST", "/v1/a", book + "}", 200, "application/json"},
		{"an unknown name is allowed", "POST", "/v1/a", book + `,"more":1}`, 200, "application/json"},
		{"an error of the first", "POST", "/v1/a", `{}`, 400, "application/problem+json"},
		{"no prefix", "POST", "/a", book + "}", 404, "application/problem+json"}, // document-level facts come from the first
		{"a body too large for the second", "POST", "/b", book + "}", 413, "application/json"},
		{"an unknown name is not allowed", "POST", "/b", `{"more":1}`, 400, "application/json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			service.REST().ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
			if got := w.Header().Get("Content-Type"); w.Code != test.status || got != test.contentType {
				t.Errorf("%s %s %s = %d %s %s", test.method, test.path, test.body, w.Code, got, w.Body)
			}
		})
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
		name               string
		method, path, body string
		status             int
		call               string
	}{
		{"an input", "POST", "/books/mark_read", `{"id":7}`, 200, "rest books.mark_read &{7} true"},
		{"an input that is refused", "POST", "/books/mark_read", `{"id":-7}`, 400, ""}, // refused before
		{"no input", "POST", "/books/ping", "", 204, "rest books.ping <nil> true"},
		{"a method that panics", "POST", "/books/panic", "", 500, "rest books.panic <nil> true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls = nil
			w := httptest.NewRecorder()
			service.REST().ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
			if got := strings.Join(calls, ", "); w.Code != test.status || got != test.call {
				t.Errorf("%s %s %s = %d, intercepted %q; want %d, %q", test.method, test.path, test.body, w.Code, got, test.status, test.call)
			}
		})
	}
	for _, test := range []struct {
		name   string
		answer func(any) (any, error)
		want   string
	}{
		{"an output", func(any) (any, error) { return &shelfCount{3}, nil }, `200 {"Books":3}`},
		{"an error", func(any) (any, error) { return nil, svc.Errorf(svc.CodeUnavailable, "closed") }, `503 {"error":{"code":"UNAVAILABLE","message":"closed"}}`},
		{"nothing", func(any) (any, error) { return nil, nil }, `500 {"error":{"code":"INTERNAL","message":"internal error"}}`},
		{"an output of another type", func(any) (any, error) { return shelfCount{3}, nil }, `500 {"error":{"code":"INTERNAL","message":"internal error"}}`},
		{"a panic", func(any) (any, error) { panic("closed") }, `500 {"error":{"code":"INTERNAL","message":"internal error"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer = test.answer
			w := httptest.NewRecorder()
			service.REST().ServeHTTP(w, httptest.NewRequest("POST", "/books/count", nil))
			if got := fmt.Sprint(w.Code, " ", w.Body); got != test.want {
				t.Errorf("an interceptor's answer: %s, want %s", got, test.want)
			}
		})
	}
}

// Verify that a context of no call has no Info.
func TestInfoFromContextOfNoCall(t *testing.T) {
	if info, ok := svc.InfoFrom(context.Background()); ok {
		t.Errorf("a context from nowhere has %v", info)
	}
}

// This file holds what Register, Join, At and Mount refuse, as their user reads
// it: each mistake is in a service that could be somebody's first, and the whole
// text is in testdata/register.

// A regCase is a program with a mistake in it.
type regCase struct {
	name string
	do   func() error
}

// regGolden compares what each of the programs is told with its part of
// testdata/register/file.
func regGolden(t *testing.T, file string, cases []regCase) {
	t.Helper()
	var parts []goldenCase
	for _, c := range cases {
		name := strings.ToValidUTF8(c.name, "�")
		parts = append(parts, goldenCase{name, func(*testing.T) string {
			return fmt.Sprintf("# %s\n%s\n\n", name, regText(c.do))
		}})
	}
	goldenCases(t, "register/"+file, parts)
}

// regMuxText is where http.ServeMux's own words begin to be about places in
// files, and what may be another text with the next release of Go.
var regMuxText = regexp.MustCompile(`(?s) \(registered at .*`)

// regText returns the text of the error, or of the panic, or that all is well.
func regText(do func() error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = regMuxText.ReplaceAllString(fmt.Sprintf("panic: %v", v), "...")
		}
	}()
	if err := do(); err != nil {
		return err.Error()
	}
	return "(accepted)"
}

// reg registers an implementation that is never called: the interface itself,
// embedded in a struct.
func reg[I any](opts *svc.Options) func() error {
	return func() error {
		_, err := svc.Register[I](regImpl[I](), opts)
		return err
	}
}

// regImpl returns a value of the interface type I that is not nil. Only a type
// with methods of its own implements an interface, so there is one per test
// interface.
func regImpl[I any]() I {
	for _, impl := range []any{
		regEmpty{}, regShapes{}, regObjects{}, regOptions{}, regOptionsKeyed{}, regClash{}, regPatterns{}, regBinding{},
		regTypes{}, regEndlessDefaults{}, regTags{}, regForeignTags{}, regReceiver{}, regFields{}, regAliases{}, regDirect{}, regMany{}, regHidden{},
		regPaths{}, regOddPaths{}, regLone{}, regSpellings{}, regList[regOut]{},
	} {
		if i, ok := impl.(I); ok {
			return i
		}
	}
	panic(fmt.Sprintf("no implementation of %T", *new(I)))
}

type (
	regIn  struct{ Text string }
	regOut struct{ Text string }
	regID  struct {
		ID string `json:"id"`
	}
)

type (
	EmptyAPI interface{}
	regEmpty struct{}

	HiddenAPI interface{ create(context.Context) error }
	regHidden struct{ HiddenAPI }

	ShapeAPI interface {
		ContextSecond(*regIn, context.Context) (*regOut, error)
		ErrorFirst(context.Context) (error, *regOut)
		ExtraInput(context.Context, *regIn, *regIn) error
		ExtraOutput(context.Context) (*regOut, *regOut, error)
		InputBySlice(context.Context, []regIn) error
		InputByValue(context.Context, regIn) error
		InputOfScalar(context.Context, *string) error
		NoContext(*regIn) (*regOut, error)
		NoError(context.Context, *regIn) *regOut
		Nothing()
		OutputByValue(context.Context) (regOut, error)
		OutputOfList(context.Context) ([]regOut, error)
		OutputOfChannel(context.Context) (<-chan regOut, error)
		OutputOfPointer(context.Context) (*svc.Stream[regOut], error)
		StreamOfNothing(context.Context) (func(), error)
		StreamOfText(context.Context) (func(string), error)
		StreamOfTwo(context.Context) (func(func(*regOut, error) bool, int), error)
		StreamThatReturns(context.Context) (func(func(*regOut, error) bool) error, error)
		Variadic(context.Context, ...*regIn) error
		Sound(context.Context, *regIn) (*regOut, error)
	}
	regShapes struct{ ShapeAPI }

	ObjectAPI interface {
		After(context.Context, *time.Time) error
		Now(context.Context) (*time.Time, error)
		Parse(context.Context, *regCustom) (*regCustom, error)
	}
	regObjects struct{ ObjectAPI }
)

// A regCustom brings JSON of its own.
type regCustom struct{ text string }

func (c *regCustom) UnmarshalJSON(b []byte) error { c.text = string(b); return nil }
func (c regCustom) MarshalJSON() ([]byte, error)  { return []byte(c.text), nil }

// Verify what is said of methods that no transport can serve.
func TestRegisterShapes(t *testing.T) {
	regGolden(t, "shapes.txt", []regCase{
		{"the type of the implementation in place of the interface", func() error {
			_, err := svc.Register(&regShapes{}, nil)
			return err
		}},
		{"a struct that is no interface", func() error {
			_, err := svc.Register(regShapes{}, nil)
			return err
		}},
		{"no implementation", func() error {
			_, err := svc.Register[ShapeAPI](nil, nil)
			return err
		}},
		{"an implementation that is a nil pointer", func() error {
			_, err := svc.Register[ShapeAPI]((*regShapes)(nil), nil)
			return err
		}},
		{"an interface without methods", reg[EmptyAPI](nil)},
		{"an interface without a name", reg[interface {
			Do(context.Context, *regID) error
		}](nil)},
		{"a method that is not exported", reg[HiddenAPI](nil)},
		{"methods of other shapes", reg[ShapeAPI](nil)},
		{"inputs and outputs that are no JSON objects", reg[ObjectAPI](nil)},
	})
}

type (
	OptionsAPI interface {
		Create(context.Context, *regIn) (*regOut, error)
		Do(context.Context, *regID) error
	}
	regOptions struct{ OptionsAPI }

	KeyedAPI interface {
		Create(context.Context, *regKeyed) error
		Open(context.Context, *regKeyed) error
	}
	regOptionsKeyed struct{ KeyedAPI }
	regKeyed        struct {
		Key string `json:"-" header:"X-API-KEY,omitempty"`
	}
)

// Verify what is said of options that contradict each other or the methods.
func TestRegisterOptions(t *testing.T) {
	methods := func(name string, o svc.MethodOptions) *svc.Options {
		return &svc.Options{Methods: map[string]svc.MethodOptions{name: o}}
	}
	regGolden(t, "options.txt", []regCase{
		{"options of a method that is not there", reg[OptionsAPI](methods("create", svc.MethodOptions{HTTP: "POST /x"}))},
		{"an authentication that documents cannot say", reg[OptionsAPI](&svc.Options{Defaults: svc.Defaults{Auth: "basic"}})},
		{"errors that are none", reg[OptionsAPI](&svc.Options{
			Errors:  []*svc.Error{nil, {}, {Code: "OK"}, {Code: "not_found"}},
			Methods: map[string]svc.MethodOptions{"Do": {Errors: []*svc.Error{nil, svc.Errorf(svc.CodeOK, "fine"), svc.Errorf(svc.CodeUnknown, "x")}}},
		})},
		{"schemes that cannot be", reg[OptionsAPI](&svc.Options{Schemes: []svc.Scheme{
			{}, {Type: "digest"}, {Type: "bearer", Header: "X-Token"}, {Type: "basic", ConfigURL: "https://a.example", AuthURL: "a", TokenURL: "t"},
			{Type: "apiKey"}, {Type: "apiKey", Header: "Cookie"}, {Type: "apiKey", Header: "X Key"}, {Type: "apiKey", Header: "X-Key", AuthURL: "https://a.example"},
			{Type: "openIdConnect"}, {Type: "openIdConnect", ConfigURL: "login.example"}, {Type: "oauth2", AuthURL: "https://login.example/authorize"}, {Type: "oauth2", AuthURL: "ftp://x", TokenURL: "https://login.example/#a"},
		}})},
		{"two equal schemes", reg[OptionsAPI](&svc.Options{Schemes: []svc.Scheme{{Type: "bearer"}, {Type: "apiKey", Header: "X-API-Key"}, {Type: "bearer"}, {Type: "apiKey", Header: "x-api-key"}}})},
		{"Auth beside schemes without a bearer", reg[OptionsAPI](&svc.Options{Defaults: svc.Defaults{Auth: "bearer"}, Schemes: []svc.Scheme{{Type: "basic"}}})},
		{"a field that has the header of a key", reg[KeyedAPI](&svc.Options{Schemes: []svc.Scheme{{Type: "apiKey", Header: "x-api-key"}}, Methods: map[string]svc.MethodOptions{"Open": {Public: true}}})},
		{"a resource that is no name", reg[OptionsAPI](&svc.Options{Resource: "api/todos"})},
		{"a method's resource that is no name", reg[OptionsAPI](methods("Do", svc.MethodOptions{Resource: "to do"}))},
		{"a stream mode that does not exist", reg[OptionsAPI](methods("Do", svc.MethodOptions{Stream: "websocket"}))},
		{"a status that no method has", reg[OptionsAPI](methods("Create", svc.MethodOptions{Status: 302}))},
		{"a status that says there is no body", reg[OptionsAPI](methods("Create", svc.MethodOptions{Status: 204}))},
		{"a status that says there is a body", reg[OptionsAPI](methods("Do", svc.MethodOptions{Status: 201}))},
		{"transports that are none", reg[OptionsAPI](methods("Do", svc.MethodOptions{Transports: []svc.Transport{"grpc", svc.TransportRPC}}))},
		{"no transport at all", reg[OptionsAPI](methods("Do", svc.MethodOptions{Transports: []svc.Transport{}}))},
		{"a path with a placeholder", reg[OptionsAPI](&svc.Options{Path: "tenants/{tenant}"})},
		{"a path with an empty segment", reg[OptionsAPI](&svc.Options{Path: "a//b"})},
		{"an interceptor that is none", reg[OptionsAPI](&svc.Options{Intercept: func(svc.InvokeFunc) svc.InvokeFunc { return nil }})},
		{"several mistakes at once", reg[OptionsAPI](&svc.Options{
			Resource: "to do",
			Defaults: svc.Defaults{Auth: "Bearer"},
			Methods:  map[string]svc.MethodOptions{"Crate": {}, "Do": {HTTP: "POST todos"}, "create": {}},
		})},
	})
}

type (
	ClashAPI interface {
		Add(context.Context, *regIn) (*regOut, error)
		Create(context.Context, *regIn) (*regOut, error)
		Find(context.Context, *regID) (*regOut, error)
		Get(context.Context, *regID) (*regOut, error)
		List(context.Context) (*regOut, error)
		Search(context.Context) (*regOut, error)
	}
	regClash struct{ ClashAPI }
)

// A LoneAPI has one of each, so that no route needs an ID.
type LoneAPI interface {
	Get(context.Context) (*regOut, error)
	Update(context.Context, *regIn) error
}

type regLone struct{ LoneAPI }

// Verify what is said of routes that two methods have, or that fields do not fill.
func TestRegisterRoutes(t *testing.T) {
	regGolden(t, "routes.txt", []regCase{
		{"two methods with one route", reg[ClashAPI](&svc.Options{Resource: "todos"})},
		{"routes that match the same requests", reg[OptionsAPI](&svc.Options{Methods: map[string]svc.MethodOptions{
			"Create": {HTTP: "POST /todos/{text}/archive"},
			"Do":     {HTTP: "POST /todos/first/{id}"},
		}})},
		{"an inferred placeholder that no field fills", reg[LoneAPI](nil)},
		{"placeholders of other names", reg[OptionsAPI](&svc.Options{Methods: map[string]svc.MethodOptions{
			"Create": {HTTP: "POST /todos/{Text}"},
			"Do":     {HTTP: "POST /todos/{id}"},
		}})},
	})
}

type (
	PatternAPI interface {
		Do(context.Context, *regID) error
	}
	regPatterns struct{ PatternAPI }
)

// Verify what is said of each pattern of MethodOptions.HTTP that is wrong, and that the
// others are accepted.
func TestRegisterPatterns(t *testing.T) {
	var cases []regCase
	for _, pattern := range []string{
		"/todos/{id}",
		"POST",
		"post /todos/{id}",
		"HEAD /todos/{id}",
		"OPTIONS /todos/{id}",
		"POST todos/{id}",
		"POST example.com/todos/{id}",
		"POST https://example.com/todos/{id}",
		"POST /todos/{id...}",
		"POST /todos/{id}/{$}",
		"POST /todos/{id}/",
		"POST /todos//{id}",
		"POST /todos/../{id}",
		"POST /todos/{id}/{id}",
		"POST /todos/{}",
		"POST /todos/{todo-id}",
		"POST /todos/{id",
		"POST /todos/:id",
		"POST /todos/id}",
		"POST /todos/no-{id}",
		"POST /todos/{id}.json",
		"POST /todos/{name}",
		"POST /todos/{id}/a b",
		"POST /todos/{id}?full=1",
		"POST /todos/{id}/%zz",
		"POST /todos/{id}/\x80",
		"POST /",
		// And what is right.
		"POST /todos/{id}/archive",
		"POST /v1/lists/{list}/todos/{id}",
		"PATCH /a%20b/{id}/caf\u00e9:x@y",
		"GET  /todos/{id}",
	} {
		cases = append(cases, regCase{pattern, reg[PatternAPI](&svc.Options{Methods: map[string]svc.MethodOptions{"Do": {HTTP: pattern}}})})
	}
	regGolden(t, "patterns.txt", cases)
}

type (
	BindingAPI interface {
		Both(context.Context, *regBoth) error
		Delete(context.Context, *regTree) error
		Get(context.Context, *regNoSuchPlace) (*regOut, error)
		List(context.Context, *regFilter) (*regOut, error)
		Move(context.Context, *regTwoPaths) error
		Nothing(context.Context) error
		Put(context.Context, *regPutTree) error
		Same(context.Context, *regSamePlace) error
		Unfilled(context.Context, *regIn) error
	}
	regBinding struct{ BindingAPI }
	regBoth    struct {
		ID string `json:"id" path:"id" query:"id"`
	}
	regTree struct {
		ID   string  `json:"id"`
		Tree regIn   `json:"tree"`
		List []regIn `json:"list"`
	}
	regNoSuchPlace struct {
		ID   string `json:"id"`
		Name string `json:"name" path:"todo"`
		Kind string `json:"kind" path:"kind"`
	}
	regFilter struct {
		Labels map[string]string `json:"labels"`
		Any    any               `json:"any"`
		Page   int               `json:"page"`
		Number int               `json:"number" query:"page"`
	}
	regTwoPaths struct {
		From string `path:"from"`
		To   string `path:"to"`
	}
	regPutTree struct {
		ID   []string `json:"id" path:"id"`
		Text string   `json:"text"`
	}
	regSamePlace struct {
		ID   string `json:"id"`
		Name string `json:"name" path:"id"`
	}
)

// Verify what is said of fields that have no place on their route.
func TestRegisterBinding(t *testing.T) {
	regGolden(t, "binding.txt", []regCase{
		{"fields with no place on the route", reg[BindingAPI](&svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{
			"Both":     {HTTP: "POST /both/{id}"},
			"Nothing":  {HTTP: "POST /nothing/{id}/{part}"},
			"Put":      {HTTP: "PUT /put/{id}"},
			"Same":     {HTTP: "POST /same/{id}"},
			"Unfilled": {HTTP: "POST /unfilled/{id}"},
		}})},
		{"path tags that name no placeholder", reg[PathAPI](&svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{
			"Get": {HTTP: "GET /todos/{id}"},
		}})},
		{"path tags that no placeholder can have", reg[OddPathAPI](nil)},
	})
}

type (
	PathAPI interface {
		Archive(context.Context, *regOnePath) error
		Get(context.Context, *regNoSuchPlace) (*regOut, error)
	}
	OddPathAPI interface {
		Get(context.Context, *regOddPath) (*regOut, error)
	}
	regPaths    struct{ PathAPI }
	regOddPaths struct{ OddPathAPI }
	regOnePath  struct {
		ID string `json:"id" path:"id"`
	}
	regOddPath struct {
		ID string `json:"id" path:"todo-id"`
	}
)

type (
	TypesAPI interface {
		Broken(context.Context, *regBroken) (*regBrokenOut, error)
		Endless(context.Context, *regEndless) error
		Family(context.Context, *regChild) error
		Sound(context.Context, *regIn) (*regOut, error)
		Unfilled(context.Context, *regIn) error
	}
	regTypes  struct{ TypesAPI }
	regBroken struct {
		Callback func()              `json:"callback"`
		Channel  chan int            `json:"channel"`
		Complex  []complex128        `json:"complex"`
		Flags    map[bool]string     `json:"flags"`
		Points   map[regPoint]string `json:"points"`
		Reader   fmt.Stringer        `json:"reader"`
		Write    regWriteOnly        `json:"write"`
		Text     regReadText         `json:"text"`
		Panics   regPanicSchema      `json:"panics"`
		NotJSON  regBadSchema        `json:"not_json"`
		Nested   struct {
			Deep chan int `json:"deep"`
		} `json:"nested"`
		*regEmbedded
	}
	regBrokenOut struct {
		Text regReadText `json:"text"`
	}
	regEmbedded struct{ More string }
	regEndless  struct {
		Left, Right *regEndless
		Child       regChild
		Lists       regLists
	}
	// A regChild needs a parent, which needs a child. Its default is of no interest then.
	regChild struct {
		Parents []regParent `json:"parents" minItems:"1"`
		Seats   int         `json:"seats" default:"7" maximum:"5"`
	}
	regParent struct{ Child regChild }
	regLists  []regLists
	regPoint  struct{ X, Y int }

	regWriteOnly   struct{}
	regReadText    struct{}
	regPanicSchema struct{ regCustom }
	regBadSchema   struct{ regCustom }
)

func (regWriteOnly) MarshalJSON() ([]byte, error)  { return []byte("1"), nil }
func (*regReadText) UnmarshalText([]byte) error    { return nil }
func (*regPanicSchema) JSONSchema() map[string]any { panic("not yet") }
func (*regBadSchema) JSONSchema() map[string]any   { return map[string]any{"type": func() {}} }

// Verify what is said of types that JSON cannot carry, wherever in an input they are.
func TestRegisterTypes(t *testing.T) {
	regGolden(t, "types.txt", []regCase{
		{"types that JSON cannot carry, and a mistake of another kind", reg[TypesAPI](&svc.Options{
			Methods: map[string]svc.MethodOptions{"Unfilled": {HTTP: "POST /unfilled/{id}"}},
		})},
		{"an input whose default leaves out what has it as its default", reg[EndlessDefaultAPI](nil)},
	})
}

type (
	EndlessDefaultAPI interface {
		Do(context.Context, *regEndlessDefault) error
	}
	regEndlessDefaults struct{ EndlessDefaultAPI }
	regEndlessDefault  struct {
		Next *regEndlessDefault `json:"next" default:"{}"`
	}
)

type (
	TagsAPI interface {
		Create(context.Context, *regTagged) error
		Edit(context.Context, *regDefaults) error
	}
	regTags   struct{ TagsAPI }
	regTagged struct {
		Length      int      `json:"length" minLength:"1"`
		Negative    string   `json:"negative" maxLength:"-1"`
		NotANumber  string   `json:"not_a_number" maxLength:"ten"`
		Pattern     string   `json:"pattern" pattern:"["`
		LookAhead   string   `json:"look_ahead" pattern:"^(?=a)"`
		Named       string   `json:"named" pattern:"(?P<year>\\d+)"`
		GoOnly      string   `json:"go_only" pattern:"\\A\\pL+\\z"`
		PatternInt  int      `json:"pattern_int" pattern:"^\\d+$"`
		Minimum     string   `json:"minimum" minimum:"1"`
		Fraction    int      `json:"fraction" minimum:"0.5"`
		Below       uint     `json:"below" minimum:"-1"`
		Spelling    int      `json:"spelling" maximum:"1_000"`
		Huge        int64    `json:"huge" maximum:"9223372036854775808"`
		Multiple    int      `json:"multiple" multipleOf:"0"`
		MinItems    string   `json:"min_items" minItems:"1"`
		MaxItems    []string `json:"max_items" maxItems:"many"`
		OnArray     [3]int   `json:"on_array" maxItems:"3"`
		Unique      []string `json:"unique" uniqueItems:"yes"`
		UniqueObj   []regIn  `json:"unique_obj" uniqueItems:"true"`
		Enum        bool     `json:"enum" enum:"true"`
		EnumTwice   string   `json:"enum_twice" enum:"a,b,a"`
		EnumInt     int      `json:"enum_int" enum:"1,two"`
		Time        int64    `json:"time,string" minimum:"1"`
		LowerCase   string   `json:"lower_case" minlength:"1"`
		Example     int      `json:"example" example:"many"`
		OnNested    regIn    `json:"on_nested" minLength:"1"`
		OnPointer   *int     `json:"on_pointer" minLength:"1"`
		SeveralBad  []string `json:"several_bad" minItems:"x" maxItems:"y"`
		DefaultText int      `json:"default_text" default:"one"`
	}
	regDefaults struct {
		OutOfRange int8      `json:"out_of_range" default:"300"`
		WrongType  bool      `json:"wrong_type" default:"1"`
		Broken     int       `json:"broken" minimum:"1" default:"0"`
		NotInEnum  string    `json:"not_in_enum" enum:"a,b" default:"c"`
		When       time.Time `json:"when" default:"yesterday"`
		List       []int     `json:"list" default:"[1,\"2\"]"`
	}
)

// Verify what is said of tags that do not fit their field or do not parse, and of defaults
// that break the rules.
func TestRegisterTags(t *testing.T) {
	regGolden(t, "tags.txt", []regCase{
		{"tags that do not fit or do not parse", reg[TagsAPI](nil)},
		{"defaults that the field refuses", func() error {
			_, err := svc.Register[DefaultsAPI](regTags{}, nil)
			return err
		}},
	})
}

type (
	ForeignAPI interface {
		Create(context.Context, *regForeign) error
		Edit(context.Context, *regSelfChecked) (*regForeignOut, error)
		List(context.Context, *regForeignPart) error
		Trim(context.Context, *regForeignPart) error // whose tags are told once
	}
	regForeignTags struct{ ForeignAPI }
	regForeign     struct {
		regForeignPart
		ID     string         `uri:"id"`
		Title  string         `json:"title" binding:"required,max=80"`
		Mail   string         `json:"mail" validate:"email"`
		Note   string         `json:"note" required:"false"`
		Nested []regForeignIn `json:"nested"`
		Cache  string         `json:"-" validate:"required"`
		Same   string         `json:"same" form:"same" required:"true"`
		Left   string         `json:"left,omitempty" uri:"left" required:"false"`
		Must   string         `json:"must,omitempty" required:"true"`
		Least  int            `json:"least" min:"1"`
		Range  string         `json:"range" minLength:"5" maxLength:"3" default:"four"`
		Secret string         `json:"secret" header:"Authorization"`
	}
	regForeignPart struct {
		Page int `form:"page,default=1"`
	}
	regForeignIn struct {
		Key string `json:"key" param:"key" description:"the key"`
	}
	regForeignOut struct {
		Title string `json:"title" binding:"required" validate:"min=1" required:"true" form:"title"`
	}
	regSelfChecked struct {
		ID    string `json:"id" validate:"uuid"`
		Inner struct {
			Name string `validate:"min=1"`
		} `json:"inner"`
	}

	ReceiverAPI interface {
		Create(context.Context, *regReceivers) error
		Show(context.Context) (*regReceiversOut, error)
	}
	regReceiver  struct{ ReceiverAPI }
	regReceivers struct {
		Money    regCopiedMoney           `json:"money"`
		Texts    map[string]regCopiedText `json:"texts"`
		Keys     map[regCopiedText]bool   `json:"keys"`
		Promoted struct{ *regCustom }     `json:"promoted"`
	}
	regReceiversOut struct {
		Money regCopiedMoney `json:"money"`
		Text  regCopiedText  `json:"text"`
	}
	regCopiedMoney struct{ Cents int }
	regCopiedText  string
)

func (*regSelfChecked) Validate() error { return nil }

func (m regCopiedMoney) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (m regCopiedMoney) UnmarshalJSON([]byte) error   { return nil }
func (t regCopiedText) MarshalText() ([]byte, error)  { return []byte(t), nil }
func (t regCopiedText) UnmarshalText([]byte) error    { return nil }

// Verify that what would silently do nothing is found: tags that only other libraries
// read, and methods that read into a copy. Outputs may have them.
func TestRegisterInVain(t *testing.T) {
	regGolden(t, "vain.txt", []regCase{
		{"tags of other libraries", reg[ForeignAPI](nil)},
		{"methods that read into a copy", reg[ReceiverAPI](nil)},
	})
}

// A DefaultsAPI has a part of TagsAPI.
type DefaultsAPI interface {
	Edit(context.Context, *regDefaults) error
}

type (
	FieldsAPI interface {
		Create(context.Context, *regNames) error
		List(context.Context, *regQueryNames) (*regOut, error)
		Update(context.Context, *regPathNames) error
	}
	regFields struct{ FieldsAPI }
	regNames  struct {
		Title   string
		Heading string `json:"Title"`
		URL     string `json:"url"`
		Link    string `json:"URL"`
	}
	regQueryNames struct {
		Page   int `query:"page"`
		Number int `query:"page"`
		Size   int `json:"-" query:"size"`
		Length int `json:"size"`
	}
	regPathNames struct {
		ID   string `path:"id"`
		Name string `path:"id"`
	}
)

// Verify what is said of two fields that have one name.
func TestRegisterFields(t *testing.T) {
	regGolden(t, "fields.txt", []regCase{
		{"fields of one name", reg[FieldsAPI](nil)},
	})
}

type (
	AliasesAPI interface {
		GetURL(context.Context) error
		GetUrl(context.Context) error
		MarkDone(context.Context) error
		Markdone(context.Context) error
		ReloadAB(context.Context) error
		ReloadAb(context.Context) error
	}
	regAliases struct{ AliasesAPI }

	SpellingsAPI interface {
		ReDoIt(context.Context) error
		RedoIt(context.Context) error
	}
	regSpellings struct{ SpellingsAPI }
)

// Verify what is said of methods whose names on the wire are the same.
func TestRegisterNames(t *testing.T) {
	regGolden(t, "names.txt", []regCase{
		{"methods that differ by case", reg[AliasesAPI](&svc.Options{Resource: "todos"})},
		{"methods with one alias", reg[SpellingsAPI](&svc.Options{Resource: "todos"})},
		{"methods of an interface without a name", reg[interface {
			Create(context.Context, *regIn) (*regOut, error)
			Delete(context.Context, *regID) error
			Purge(context.Context) error
		}](&svc.Options{Name: "Todos", Methods: map[string]svc.MethodOptions{
			"Create": {HTTP: "POST /todos"},
			"Delete": {HTTP: "todos", Direct: svc.DirectIn(DirectAPI.Delete)},
			"Purge":  {HTTP: "POST /todos"},
		}})},
	})
}

type (
	DirectAPI interface {
		Create(context.Context, *regIn) (*regOut, error)
		Delete(context.Context, *regID) error
		Purge(context.Context) error
		Stats(context.Context) (*regOut, error)
	}
	// A regOther looks like DirectAPI and is another interface.
	regOther interface {
		Create(context.Context, *regIn) (*regOut, error)
		Recreate(context.Context, *regIn) (*regOut, error)
	}
	regDirect struct{ DirectAPI }
)

func (regDirect) Create(context.Context, *regIn) (*regOut, error) { return nil, nil }

// A ListOf is an interface with a type parameter.
type ListOf[T any] interface {
	Create(context.Context, *T) (*T, error)
	Update(context.Context, chan T) error
}

type regList[T any] struct{ ListOf[T] }

func regCreate(DirectAPI, context.Context, *regIn) (*regOut, error) { return nil, nil }

// Purge has the name and the type of the method, and is another function.
func Purge(DirectAPI, context.Context) error { return nil }

// Verify that Direct is refused unless it is the method of the interface itself.
func TestRegisterDirect(t *testing.T) {
	direct := func(name string, c svc.DirectCall) func() error {
		return reg[DirectAPI](&svc.Options{Methods: map[string]svc.MethodOptions{name: {Direct: c}}})
	}
	regGolden(t, "direct.txt", []regCase{
		{"the method itself", direct("Create", svc.Direct(DirectAPI.Create))},
		{"the methods of the other shapes", reg[DirectAPI](&svc.Options{Methods: map[string]svc.MethodOptions{
			"Delete": {Direct: svc.DirectIn(DirectAPI.Delete)},
			"Purge":  {Direct: svc.DirectNone(DirectAPI.Purge)},
			"Stats":  {Direct: svc.DirectOut(DirectAPI.Stats)},
		}})},
		{"the method of the concrete type", direct("Create", svc.Direct(regDirect.Create))},
		{"the method of another interface", direct("Create", svc.Direct(regOther.Create))},
		{"another method", direct("Create", svc.DirectIn(DirectAPI.Delete))},
		{"another method of the same shape", direct("Purge", svc.DirectOut(DirectAPI.Stats))},
		{"a function that is no method", direct("Create", svc.Direct(regCreate))},
		{"a function literal", direct("Create", svc.Direct(func(DirectAPI, context.Context, *regIn) (*regOut, error) { return nil, nil }))},
		{"a function of the method's name", direct("Purge", svc.DirectNone(Purge))},
		{"a method of an interface with a type parameter", reg[ListOf[regOut]](&svc.Options{Methods: map[string]svc.MethodOptions{
			"Create": {Direct: svc.Direct(ListOf[regOut].Create)},
		}})},
		{"the method of another interface with that type parameter", reg[ListOf[regOut]](&svc.Options{Methods: map[string]svc.MethodOptions{
			"Create": {Direct: svc.Direct(regList[regOut].Create)},
		}})},
		{"a method of an interface that is local to a function", func() error {
			type LocalAPI interface {
				Create(context.Context, *regIn) (*regOut, error)
			}
			_, err := svc.Register[LocalAPI](regDirect{}, &svc.Options{Methods: map[string]svc.MethodOptions{
				"Create": {Direct: svc.Direct(LocalAPI.Create)},
			}})
			return err
		}},
		{"a method of an interface without a name", func() error {
			type API = interface {
				Create(context.Context, *regIn) (*regOut, error)
			}
			_, err := svc.Register[API](regDirect{}, &svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{
				"Create": {Direct: svc.Direct(API.Create)},
			}})
			return err
		}},
		{"nil", direct("Create", svc.Direct[DirectAPI, regIn, regOut](nil))},
	})
}

type (
	ManyAPI interface {
		Broken(context.Context, chan int) error
		Create(context.Context, *regNames) error
		List(context.Context) (*regOut, error)
		Search(context.Context) (*regOut, error)
		Update(context.Context, *regDefaults) error
		View(context.Context, *regID) (*regOut, error)
	}
	regMany struct{ ManyAPI }
)

// Verify that mistakes of every kind are told together.
func TestRegisterEverything(t *testing.T) {
	regGolden(t, "everything.txt", []regCase{
		{"a mistake of each kind", reg[ManyAPI](&svc.Options{
			Defaults: svc.Defaults{Auth: "jwt"},
			Methods:  map[string]svc.MethodOptions{"Read": {}, "View": {HTTP: "GET /views/{name}"}},
		})},
	})
}

type regTodoAPI interface {
	Create(context.Context, *regIn) (*regOut, error)
	Get(context.Context, *regID) (*regOut, error)
}

type regTodos struct{ regTodoAPI }

// Verify what Join, At, Mount and MustRegister panic with.
func TestMistakesThatPanic(t *testing.T) {
	todos := func(o svc.Options) *svc.Service {
		return svc.MustRegister[regTodoAPI](regTodos{}, &o)
	}
	a, b := todos(svc.Options{Name: "A", Resource: "todos"}), todos(svc.Options{Name: "B", Resource: "lists"})
	headed := todos(svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{"Create": {HTTP: "GET /todos/{Text}"}, "Get": {HTTP: "GET /todos/watch"}}})
	joined := func(services ...*svc.Service) func() error {
		return func() error {
			svc.Join("Everything", services...)
			return nil
		}
	}
	mounted := func(s *svc.Service, patterns ...string) func() error {
		return func() error {
			mux := http.NewServeMux()
			for _, pattern := range patterns {
				mux.Handle(pattern, http.NotFoundHandler())
			}
			s.Mount(mux)
			return nil
		}
	}
	at := func(prefix string) func() error {
		return func() error {
			a.At(prefix)
			return nil
		}
	}
	regGolden(t, "panics.txt", []regCase{
		{"MustRegister", func() error {
			svc.MustRegister[ObjectAPI](regObjects{}, nil)
			return nil
		}},
		{"Join: two services", joined(a, b)},
		{"Join: the same under two prefixes has the same names", joined(a.At("/v1"), a.At("/v2"))},
		{"Join: one service twice", joined(a, b, a)},
		{"Join: other defaults", joined(a, todos(svc.Options{Name: "B", Resource: "b", Defaults: svc.Defaults{BaseURL: "https://b.example"}}))},
		{"Join: other needs of identity", joined(a, todos(svc.Options{Name: "B", Resource: "b", Defaults: svc.Defaults{Auth: "bearer"}}))},
		{"Join: nothing", joined()},
		{"Join: nil", joined(nil, a, nil)},
		{"At: a relative path", at("v1")},
		{"At: a placeholder", at("/{tenant}")},
		{"At: an empty segment", at("/v1//x")},
		{"At: dots", at("/v1/../x")},
		{"At: a query", at("/v1?x=1")},
		{"At: a host", at("https://example.com/v1")},
		{"Mount: beside other routes", mounted(a, "GET /", "POST /lists", "GET /todos")},
		{"Mount: on a route of the program", mounted(a, "POST /todos")},
		{"Mount: on a route of the program that says so otherwise", mounted(a, "GET /todos/{name}")},
		{"Mount: on a route that overlaps", mounted(a, "GET /{kind}/first")},
		{"Mount: beside a handler of its own for HEAD", mounted(headed, "HEAD /todos/{name}")},
		{"Mount: a method of another service", func() error {
			mux := http.NewServeMux()
			todos(svc.Options{Name: "C", Resource: "todos"}).Mount(mux)
			a.Mount(mux)
			return nil
		}},
		{"Mount: twice", func() error {
			mux := http.NewServeMux()
			a.Mount(mux)
			a.Mount(mux)
			return nil
		}},
		{"Mount: nil", func() error {
			a.Mount(nil)
			return nil
		}},
	})
}
