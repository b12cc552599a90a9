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
	"slices"
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
		{"by a mixture of names", "books", "Mark_Read", &shelfID{7}, `UNIMPLEMENTED: there is no method "Mark_Read" in resource "books"; did you mean "mark_read", which changes data?`},
		{"another resource", "films", "mark_read", &shelfID{7}, `UNIMPLEMENTED: there is no resource "films"`},
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
		{"pong", `<nil> UNIMPLEMENTED: there is no method "pong" in resource "books"; did you mean "ping", which changes data?`},
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

// Verify that Call refuses a value that contains itself, and accepts one of 1,000
// levels.
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

// Verify that with Strict, JSON-RPC refuses arguments for a method without an input.
// MCP refuses them always, and REST reads no body.
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
				w := postJSON(test.handler(newShelf(svc.Options{Strict: strict})), test.path, test.body)
				if got := w.Body.String(); w.Code != test.status || !strings.Contains(got, want) {
					t.Errorf("%s, strict %t: %d %s, want %d %s", test.name, strict, w.Code, got, test.status, want)
				}
			}
		})
	}
}

// Verify that At puts its prefix before the routes and the paths of the document,
// however the prefix is written, and that the service itself does not change.
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

// Verify that each method of a joined service keeps the options of its own service.
func TestJoinKeepsOptionsOfEachPart(t *testing.T) {
	problem := newShelf(svc.Options{Resource: "a", OnError: svc.WriteProblem, Description: "First.", Version: "2"})
	strict := newShelf(svc.Options{Resource: "b", Strict: true, MaxBody: 60})
	service := svc.Join("Both", problem.At("/v1"), strict)
	if d := service.Descriptor(); d.Name != "Both" || d.Description != "First." || len(d.Resources) != 2 {
		t.Errorf("the descriptor: %q, %q, %d resources", d.Name, d.Description, len(d.Resources))
	}
	const book = `{"title":"Emma","author":null,"price":1,"tags":[],"printed":"2026-01-02T03:04:05Z"`
	for _, test := range []struct {
		name             string
		verb, path, body string
		status           int
		contentType      string
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
			service.REST().ServeHTTP(w, httptest.NewRequest(test.verb, test.path, strings.NewReader(test.body)))
			if got := w.Header().Get("Content-Type"); w.Code != test.status || got != test.contentType {
				t.Errorf("%s %s %s = %d %s %s", test.verb, test.path, test.body, w.Code, got, w.Body)
			}
		})
	}
	if _, err := service.Call(context.Background(), "b", "ping", nil); err != nil {
		t.Error(err)
	}
}

// Verify what an interceptor sees of a call, and that it may answer, refuse or panic in
// place of the method.
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
		name             string
		verb, path, body string
		status           int
		call             string
	}{
		{"an input", "POST", "/books/mark_read", `{"id":7}`, 200, "rest books.mark_read &{7} true"},
		{"an input that is refused", "POST", "/books/mark_read", `{"id":-7}`, 400, ""}, // refused before
		{"no input", "POST", "/books/ping", "", 204, "rest books.ping <nil> true"},
		{"a method that panics", "POST", "/books/panic", "", 500, "rest books.panic <nil> true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls = nil
			w := httptest.NewRecorder()
			service.REST().ServeHTTP(w, httptest.NewRequest(test.verb, test.path, strings.NewReader(test.body)))
			if got := strings.Join(calls, ", "); w.Code != test.status || got != test.call {
				t.Errorf("%s %s %s = %d, intercepted %q; want %d, %q", test.verb, test.path, test.body, w.Code, got, test.status, test.call)
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

// Verify that an interceptor gets no output, and not a nil pointer that looks like one, from a
// method that fails, and none from one that has none.
func TestInterceptWithoutOutput(t *testing.T) {
	var got []any
	opts := wireOptions()
	opts.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			out, err := next(ctx, resource, method, input)
			got = append(got, out, err != nil)
			return out, err
		}
	}
	s, _ := newWire(t, opts)
	for _, test := range []struct {
		method string
		input  any
		fails  bool
	}{
		{"get", &WireKey{ID: "none"}, true},
		{"delete", &WireKey{ID: "none"}, true},
		{"delete", &WireKey{ID: "1"}, false},
		{"ping", nil, false},
	} {
		t.Run(rowName(test.method, fmt.Sprint(test.fails)), func(t *testing.T) {
			got = nil
			s.Call(context.Background(), "items", test.method, test.input)
			if !slices.Equal(got, []any{nil, test.fails}) {
				t.Errorf("the interceptor got %#v", got)
			}
		})
	}
}
