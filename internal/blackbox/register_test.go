package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/internal/blackbox/testdata/huma"
)

// This file tests the mistakes that Register, Join, At and Mount report. The text of
// each is in testdata/register.

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

// EithersAPI has outputs that cannot be a value or a stream.
type EithersAPI interface {
	Value(context.Context) (svc.ValueOrStream[EitherWhole, EitherPart], error)
	Text(context.Context) (*svc.ValueOrStream[string, EitherPart], error)
	Texts(context.Context) (*svc.ValueOrStream[EitherWhole, string], error)
	File(context.Context) (*svc.ValueOrStream[svc.File, EitherPart], error)
	Files(context.Context) (*svc.ValueOrStream[EitherWhole, svc.File], error)
	Statuses(context.Context) (*svc.ValueOrStream[EitherWhole, regStatusItem], error)
	Within(context.Context) (*struct {
		A svc.ValueOrStream[EitherWhole, EitherPart] `json:"a"`
	}, error)
	Around(context.Context, *regAround) (*regAround, error)
	Next(context.Context, *svc.ValueOrStream[EitherWhole, EitherPart]) error
}
type regEithers struct{ EithersAPI }
type regAround struct {
	*svc.ValueOrStream[EitherWhole, EitherPart]
}
type regStatusItem struct {
	Status int `json:"-" status:"200,201"`
}

// regEither registers EitherAPI.
func regEither(m svc.MethodOptions) func() error {
	return func() error {
		o := eitherOptions(m)
		o.Idempotency = &svc.Idempotency{Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
			return do(ctx)
		}}
		_, err := svc.Register[EitherAPI](eithers{}, o)
		return err
	}
}

// regEnds registers EndAPI, which has a stream.
func regEnds(opts *svc.Options) func() error {
	return func() error {
		_, err := svc.Register[EndAPI](ends{}, opts)
		return err
	}
}

// regImpl returns a value of the interface type I that is not nil. Only a type
// with methods of its own implements an interface, so there is one per test
// interface.
func regImpl[I any]() I {
	for _, impl := range []any{
		regEmpty{}, regShapes{}, regObjects{}, regOptions{}, regOptionsKeyed{}, regClash{}, regPatterns{}, regBinding{},
		regTypes{}, regEndlessDefaults{}, regTags{}, regForeignTags{}, regElsewhere{}, regReceiver{}, regFields{}, regAliases{}, regDirect{}, regMany{}, regHidden{},
		regPaths{}, regOddPaths{}, regBodyTags{}, regLone{}, regSpellings{}, regList[regOut]{}, regAll{}, regStatuses{}, regTasks{}, regEithers{},
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
	full := svc.Errorf(svc.CodeFailedPrecondition, "no more room").WithReason("list_full")
	regGolden(t, "options.txt", []regCase{
		{"options of a method that is not there", reg[OptionsAPI](methods("create", svc.MethodOptions{HTTP: "POST /x"}))},
		{"an authentication that documents cannot say", reg[OptionsAPI](&svc.Options{Defaults: svc.Defaults{Auth: "basic"}})},
		{"errors that are none", reg[OptionsAPI](&svc.Options{
			Errors:  []*svc.Error{nil, {}, {Code: "OK"}, {Code: "not_found"}},
			Methods: map[string]svc.MethodOptions{"Do": {Errors: []*svc.Error{nil, svc.Errorf(svc.CodeOK, "fine"), svc.Errorf(svc.CodeUnknown, "x")}}},
		})},
		{"reasons that nobody could rely on", reg[OptionsAPI](&svc.Options{
			Errors: []*svc.Error{full, svc.Errorf(svc.CodeAborted, "a").WithReason("list_full"), svc.Errorf(svc.CodeAborted, "b").WithReason("key_running")},
			Methods: map[string]svc.MethodOptions{"Do": {Errors: []*svc.Error{
				full, full.WithStatus(422), svc.Errorf(svc.CodeNotFound, "c").WithReason("list_full"), svc.Errorf(svc.CodeAborted, "d").WithReason("gone"),
				svc.Errorf(svc.CodeNotFound, "e").WithReason("gone"), svc.Errorf(svc.CodeUnavailable, "f").WithReason("overloaded"),
			}}},
		})},
		{"schemes that cannot be", reg[OptionsAPI](&svc.Options{Schemes: []svc.Scheme{
			{}, {Type: "digest"}, {Type: "bearer", Header: "X-Token"}, {Type: "basic", ConfigURL: "https://a.example", AuthURL: "a", TokenURL: "t"},
			{Type: "apiKey"}, {Type: "apiKey", Header: "Cookie"}, {Type: "apiKey", Header: "X Key"}, {Type: "apiKey", Header: "X-Key", AuthURL: "https://a.example"},
			{Type: "openIdConnect"}, {Type: "openIdConnect", ConfigURL: "login.example"}, {Type: "oauth2", AuthURL: "https://login.example/authorize"}, {Type: "oauth2", AuthURL: "ftp://x", TokenURL: "https://login.example/#a"},
		}})},
		{"an API key in two places", reg[OptionsAPI](&svc.Options{Schemes: []svc.Scheme{{Type: "apiKey", Cookie: "a", Query: "b"}, {Type: "apiKey", Header: "X-A", Cookie: "c"}, {Type: "apiKey", Query: "a b"}, {Type: "bearer", Cookie: "d"}}})},
		{"two equal schemes", reg[OptionsAPI](&svc.Options{Schemes: []svc.Scheme{{Type: "bearer"}, {Type: "apiKey", Header: "X-API-Key"}, {Type: "bearer"}, {Type: "apiKey", Header: "x-api-key"}}})},
		{"Auth beside schemes without a bearer", reg[OptionsAPI](&svc.Options{Defaults: svc.Defaults{Auth: "bearer"}, Schemes: []svc.Scheme{{Type: "basic"}}})},
		{"a field that has the header of a key", reg[KeyedAPI](&svc.Options{Schemes: []svc.Scheme{{Type: "apiKey", Header: "x-api-key"}}, Methods: map[string]svc.MethodOptions{"Open": {Public: true}}})},
		{"a resource that is no name", reg[OptionsAPI](&svc.Options{Resource: "api/todos"})},
		{"a method's resource that is no name", reg[OptionsAPI](methods("Do", svc.MethodOptions{Resource: "to do"}))},
		{"a stream mode that does not exist", reg[OptionsAPI](methods("Do", svc.MethodOptions{Stream: "websocket"}))},
		{"a StreamEnd that is an item", regEnds(methods("Complete", svc.MethodOptions{StreamEnd: "[]"}))},
		{"a StreamEnd of two lines", regEnds(methods("Complete", svc.MethodOptions{StreamEnd: "a\nb"}))},
		{"a StreamEnd without a stream", reg[OptionsAPI](methods("Do", svc.MethodOptions{StreamEnd: "[DONE]"}))},
		{"an output that is a value or a stream, with options of one", regEither(svc.MethodOptions{Stream: svc.StreamSSE, IdempotencyKey: svc.KeyRequired, Status: 204, MCP: &svc.MCPMethod{URI: "chats://all"}, Task: "Complete"})},
		{"an output that is a value or a stream, by the wrong function", regEither(svc.MethodOptions{Direct: svc.Direct(func(EitherAPI, context.Context, *EitherIn) (*EitherWhole, error) { return nil, nil })})},
		{"values or streams that cannot be", reg[EithersAPI](&svc.Options{})},
		{"a ContentType that is not JSON", reg[OptionsAPI](&svc.Options{ContentType: "text/html", Methods: map[string]svc.MethodOptions{"Create": {ContentType: "application/json, application/a+json"}}})},
		{"a ContentType of a stream", regEnds(methods("Complete", svc.MethodOptions{ContentType: "application/a+json"}))},
		{"a status that no method has", reg[OptionsAPI](methods("Create", svc.MethodOptions{Status: 302}))},
		{"a status that says there is no body", reg[OptionsAPI](methods("Create", svc.MethodOptions{Status: 204}))},
		{"a status that says there is a body", reg[OptionsAPI](methods("Do", svc.MethodOptions{Status: 201}))},
		{"statuses of an output that cannot be", reg[StatusesAPI](methods("Both", svc.MethodOptions{Status: 201}))},
		{"operationIds that cannot be", reg[OptionsAPI](&svc.Options{Methods: map[string]svc.MethodOptions{"Do": {OperationID: "first\nmake"}, "Create": {OperationID: "make it"}}})},
		{"an OperationID for two methods", reg[OptionsAPI](&svc.Options{Methods: map[string]svc.MethodOptions{"Do": {OperationID: "make"}, "Create": {OperationID: "make"}}})},
		{"an OperationID that another method has by its names", reg[OptionsAPI](methods("Do", svc.MethodOptions{OperationID: "options_api_Create"}))},
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
		"POST /todos/{id}/%2f",
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
		Speak(context.Context, *regSpoken) (*regSpokenOut, error)
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
	regSpoken struct {
		Tongue  regTongue `header:"X-Tongue,omitempty" json:"-"`
		Accent  string    `header:"X-Accent" enum:"north,sëuth"`
		Crumb   string    `cookie:"crumb" enum:"a;b,\"c\",d"`
		Written regTongue `json:"written"`
	}
	regSpokenOut struct {
		Tongue  regTongue   `header:"X-Tongue"`
		Tongues []regTongue `header:"X-Tongues"`
		Words   []string    `header:"X-Words" enum:"one,two\x01"`
		Tag     string      `header:"ETag" enum:"\"1\",2"`
	}
	regSamePlace struct {
		ID   string `json:"id"`
		Name string `json:"name" path:"id"`
	}
)

// A regTongue has a value that no header can have.
type regTongue string

func (regTongue) Enum() []regTongue { return []regTongue{"en", "русский", "two\nlines"} }

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
		{"tags body", reg[BodyTagAPI](&svc.Options{Resource: "todos", Methods: map[string]svc.MethodOptions{
			"Beside": {HTTP: "PUT /todos/{id}"},
			"Both":   {HTTP: "POST /both"},
			"Clear":  {HTTP: "DELETE /todos"},
			"Form":   {HTTP: "POST /form", Form: true},
			"Get":    {HTTP: "GET /todos"},
			"Name":   {HTTP: "POST /todos/{labels}"},
			"Read":   {HTTP: "GET /todos/read"},
		}})},
	})
}

type (
	BodyTagAPI interface {
		Beside(context.Context, *regBodyBeside) error
		Both(context.Context, *regBodyTwice) error
		Clear(context.Context, *regBodyOdd) error
		Form(context.Context, *regBodyWhole) error
		Get(context.Context, *regBodyWhole) error
		Name(context.Context, *regBodyWhole) error
		Read(context.Context, *regBodyMember) error
	}
	regBodyTags   struct{ BodyTagAPI }
	regBodyBeside struct {
		ID     string   `json:"id"`
		Labels []string `json:"labels" body:"*"`
		Text   string   `json:"text"`
	}
	regBodyTwice struct {
		Labels []string `json:"labels" body:"*"`
		Others []string `json:"others" body:"*"`
	}
	regBodyEmbedded struct{ A string }
	regBodyOdd      struct {
		regBodyEmbedded `body:"*"`
		Hidden          []string `json:"-" body:"*"`
		Label           string   `json:"label" body:"name"`
		Query           string   `json:"query" query:"query" body:"query"`
	}
	regBodyWhole struct {
		Labels []string `json:"labels" body:"*"`
	}
	regBodyMember struct {
		Labels []string `json:"labels" body:"labels"`
	}
)

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
		MAC      net.HardwareAddr    `json:"mac"`
		Mask     net.IPMask          `json:"mask"`
		Net      *net.IPNet          `json:"net"`
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

	// ElsewhereAPI is written as huma would have it.
	ElsewhereAPI interface {
		Create(context.Context, *regHumaIn) (*regHumaOut, error)
		Save(context.Context, *regNamedBody) (*regNamedBody, error) // without mistakes
		Files(context.Context, *regHumaForm) error
		List(context.Context, *regHumaQuery) error
		Send(context.Context, *regBodies) (*regBodies, error) // without mistakes
		Raw(context.Context, *regRawBody) error
		Watch(context.Context) (svc.Stream[regHumaOut], error)
	}
	regElsewhere struct{ ElsewhereAPI }
	regHumaIn    struct {
		Body struct {
			ID      string         `json:"id,omitempty" readOnly:"true"`
			Secret  string         `json:"secret,omitempty" writeOnly:"true"`
			Card    string         `json:"card,omitempty" dependentRequired:"owner"`
			Data    []byte         `json:"data" encoding:"base64url"`
			Inner   regHumaChecked `json:"inner"`
			Shown   string         `json:"shown" hidden:"false" readOnly:"false"`
			Channel chan int       `json:"channel"` // also told
		}
	}
	regHumaOut struct {
		Since time.Time   `header:"Last-Modified" json:"since" timeFormat:"Mon, 02 Jan 2006 15:04:05 GMT"`
		Body  *regHumaTop // also behind a pointer
	}
	regHumaTop struct {
		Note string `json:"note" hidden:"true" readOnly:"true" min:"1"` // min checks inputs alone
	}
	regHumaChecked struct {
		Name string `json:"name"`
	}
	regHumaForm struct {
		RawBody multipart.Form
		Files   []*multipart.FileHeader `json:"files"`
		Open    multipart.File          `json:"open"`
	}
	regHumaQuery struct {
		Tags  []string `query:"tags,explode"`
		Words []string `query:"words,omitempty"`
		Last  string   `query:"last,omitzero,required"`
	}
	regRawBody   struct{ RawBody []byte }
	regNamedBody struct {
		Body    regPlainPart `json:"Body"`
		RawBody []byte       `json:",omitempty"`
		Nested  struct {
			Body regPlainPart // a member of a member, there too
		} `json:"nested"`
	}
	regPlainPart struct {
		Name string `json:"name"`
	}
	regBodies struct {
		Body string
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
// read, types, fields and methods that mean something else in other libraries, and methods that
// read into a copy. Outputs may have the tags that other libraries read in inputs alone.
func TestRegisterInVain(t *testing.T) {
	regGolden(t, "vain.txt", []regCase{
		{"tags of other libraries", reg[ForeignAPI](nil)},
		{"what means something else in huma", reg[ElsewhereAPI](nil)},
		{"methods that read into a copy", reg[ReceiverAPI](nil)},
	})
}

// Resolve is called by huma when the input is decoded.
func (*regHumaChecked) Resolve(huma.Context, *huma.PathBuffer) []error {
	return []error{errors.New("refused")}
}

// Resolve is the application's own, which calls it.
func (*regPlainPart) Resolve(context.Context) error { return nil }

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

// StatusesAPI has outputs whose field for the status is a mistake.
type StatusesAPI interface {
	Both(context.Context, *struct{}) (*statusOf200, error)
	File(context.Context, *struct{}) (*struct {
		svc.File
		S int `json:"-" status:"200"`
	}, error)
	Hidden(context.Context, *struct{}) (*struct {
		s int `json:"-" status:"200,201"`
		A int
	}, error)
	Late(context.Context, *struct{}) (*struct {
		S int `json:"-" status:"200,204"`
		A int
	}, error)
	LateHeader(context.Context, *struct{}) (*struct {
		S int    `json:"-" status:"200,203"`
		E string `json:"-" header:"ETag"`
	}, error)
	Member(context.Context, *struct{}) (*struct {
		S int `json:"s" status:"200,201"`
	}, error)
	Pointer(context.Context, *struct{}) (*struct{ *statusOf200 }, error)
	Text(context.Context, *struct{}) (*struct {
		S string `json:"-" status:"200,201"`
	}, error)
	Twice(context.Context, *struct{}) (*struct {
		S int `json:"-" status:"200,200"`
	}, error)
	Two(context.Context, *struct{}) (*struct {
		A int `json:"-" status:"200"`
		B int `json:"-" status:"201"`
	}, error)
	Watch(context.Context, *struct{}) (svc.Stream[statusOf200], error)
}

type regStatuses struct{ StatusesAPI }

type statusOf200 struct {
	S int `json:"-" status:"200,201"`
}
