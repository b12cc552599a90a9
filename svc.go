// Package svc turns a Go interface into network endpoints. Write an interface
// whose methods look like
//
//	Create(ctx context.Context, in *CreateIn) (*Todo, error)
//
// and a type that implements it; [Register] compiles the two into a [Service],
// which serves the methods over REST ([Service.REST], [Service.Mount]), over
// JSON-RPC 2.0 ([Service.RPC]), and as tools for AI assistants over MCP
// ([Service.MCP]). Every transport is a plain http.Handler, and every middleware
// a plain func(http.Handler) http.Handler.
//
// # Methods
//
// A method takes a context.Context and at most one input, a pointer to a
// struct, and returns at most one output, a pointer to a struct, and an error:
//
//	func(ctx context.Context, in *In) (*Out, error)
//	func(ctx context.Context) (*Out, error)
//	func(ctx context.Context, in *In) error
//	func(ctx context.Context) error
//
// With [Stream] in place of a pointer to the output, the outputs come one after
// the other; see below.
//
// The first word of a method's name decides its route, unless
// MethodOptions.HTTP does:
//
//	Create, Add, New                 POST /{resource}
//	List, All, Search, Find+plural   GET /{resource}
//	Get, Find, Fetch, Read           GET /{resource}/{id}
//	Update, Edit, Modify, Set        PUT /{resource}/{id}
//	Delete, Remove                   DELETE /{resource}/{id}
//	Patch                            PATCH /{resource}/{id}
//	anything else                    POST /{resource}/{action}
//
// # Inputs
//
// Fields have the names of their json tags, on every transport. Over REST a
// field fills the placeholder that its path tag names, or that has its own
// name; the rest come from the query for GET and DELETE, and from the JSON body
// otherwise, unless a query tag says query, or header:"Last-Event-ID" the header
// of that name, the only one there can be. A field is required unless its tag
// says omitempty or omitzero or it has a default.
//
// The tags minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum,
// exclusiveMaximum, multipleOf, minItems, maxItems, uniqueItems and enum are
// constraints: enforced on every transport, published in every schema. default
// is what an absent field gets; format, example and doc are published only, and
// mcpheader names the header in which MCP clients repeat the field. A struct with
// a method Validate() error checks itself.
//
// JSON is read strictly (RFC 8259, RFC 7493): names match exactly, no name
// comes twice, nothing is null that is not a pointer, no number is rounded. A
// refused input gets one error with code INVALID_ARGUMENT and every [Violation].
//
// # Streams
//
// A method that returns a [Stream] is served as server-sent events: an error
// that the method itself returns is an ordinary error response; after that the
// response has begun, and has for each item an event
//
//	data: {"id":"1"}
//
// and at the end, so that a cut stream is not taken for a whole one, an event
// named done with the data {}, or one named error with the data of an error
// response. A browser's EventSource comes back after each end: close it on done.
// A comment every 15 seconds keeps the connection alive; a client that does not
// take what is sent within 30 seconds is dropped. On transports that answer
// once, the items come as {"items":[…]}, at most 1,000.
//
// An item with a method SSE() [Event] gives its event an ID, with which a client
// that comes back says, in Last-Event-ID, how far it got. http.Server.Shutdown
// waits for streams: let them end when the program is about to.
//
// # Errors
//
// A method returns an [*Error] to say what went wrong; see [Errorf]. Any other
// error, and a panic, is for the log only: the client gets INTERNAL.
package svc

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options configures a service. The zero value, and nil, stand for the
// defaults.
type Options struct {
	// Name is what documents call the service. Default: the interface's name.
	Name string
	// Description is what documents say of it. Default: nothing.
	Description string
	// Version is the version of the API in documents. Default: "0.1.0".
	Version string
	// Resource is the resource of all methods that MethodOptions puts in no
	// other: the first segment of their paths. Default: Name in snake_case.
	Resource string
	// Methods has the options of single methods, by Go name. A name that the
	// interface does not have is an error.
	Methods map[string]MethodOptions
	// Defaults is what holds for every method of the service.
	Defaults Defaults
	// Strict refuses JSON objects with unknown properties, which are ignored
	// otherwise; schemas then say additionalProperties: false. Query
	// parameters are not concerned.
	Strict bool
	// MaxBody is the largest request body accepted, in bytes. A larger one is
	// answered with 413 (RFC 9110, section 15.5.14) and nothing is called. Zero
	// means DefaultMaxBody; a negative value means no limit.
	MaxBody int64
	// BodyTimeout is how long a client may take to send a body; then it gets
	// 408 (RFC 9110, section 15.5.9). Zero means DefaultBodyTimeout; a negative
	// value means no limit.
	BodyTimeout time.Duration
	// Intercept wraps every call on every transport. The input that the
	// function it returns is called with is bound and valid. Default: none.
	Intercept func(InvokeFunc) InvokeFunc
	// OnError writes REST errors. Default: WriteError.
	OnError ErrorHandler
	// Logger gets what clients are not told. Default: slog.Default, asked for
	// at each use.
	Logger *slog.Logger
}

// Defaults holds for every method of a service.
type Defaults struct {
	BaseURL string // where the REST routes are, for documents; "" means wherever the document is
	Auth    string // "bearer" if documents are to ask for a bearer token, else ""
}

// MethodOptions configures one method. The zero value stands for the defaults.
type MethodOptions struct {
	// Resource puts the method in another resource than Options.Resource.
	Resource string
	// HTTP is the route, as a pattern of http.ServeMux with a method and
	// without a host: "POST /todos/{id}/archive". Default: inferred from the
	// method's name; see the package documentation.
	HTTP string
	// Description is read by the descriptor, by rpc.discover and by MCP tools.
	// Default: nothing.
	Description string
	// Stream says how the outputs are sent. Default: as one record, or as
	// StreamSSE if the method returns a Stream.
	Stream StreamMode
	// Direct calls the method without reflection; see [Direct]. Default: by
	// reflection.
	Direct Caller
}

// A StreamMode is a way to send more than one output.
type StreamMode string

// An InvokeFunc calls a method by name. The input is a pointer to the method's
// input, or nil if it has none; the output likewise, or the method's [Stream],
// which is not for an InvokeFunc to run. [Service.Call] is one.
type InvokeFunc func(ctx context.Context, resource, method string, input any) (any, error)

// A Service is a compiled interface: a table of methods, each with its route,
// its plans and its call. It never changes, keeps nothing between requests, and
// is safe for concurrent use.
type Service struct {
	name        string
	description string
	version     string
	prefix      string // of REST paths: "" or "/v1"
	defaults    Defaults
	methods     []*method
	names       map[methodName]*method // also by alias
	types       []*shape               // every named type the methods reach
	typeNames   map[*shape]string
	scratch     *sync.Pool // of *scratch
}

// A methodName is a name that a method answers to.
type methodName struct{ resource, method string }

// A scratch is the memory that one request needs while it is served.
type scratch struct {
	decoder
	encoder
	body []byte
}

func (s *Service) borrow() *scratch {
	sc := s.scratch.Get().(*scratch)
	sc.lean = false
	return sc
}

// giveBack keeps sc for another request, unless an unusual one made it large.
func (s *Service) giveBack(sc *scratch) {
	const most = 64 << 10 // bytes
	if cap(sc.body) > most || cap(sc.buf) > most || cap(sc.decoder.scratch) > most || cap(sc.names) > most/16 || cap(sc.texts) > most/16 {
		return
	}
	sc.decoder.start(nil) // with the line below, drops what points into the request
	clear(sc.names[:cap(sc.names)])
	s.scratch.Put(sc)
}

// Register compiles the interface I and its implementation. The error names
// everything that is wrong, not only the first.
func Register[I any](impl I, opts *Options) (*Service, error) {
	return register(reflect.TypeFor[I](), impl, opts)
}

// MustRegister is [Register] for program initialisation: it panics where
// Register returns an error.
func MustRegister[I any](impl I, opts *Options) *Service {
	s, err := Register(impl, opts)
	if err != nil {
		panic(err)
	}
	return s
}

// register compiles the interface iface, which impl implements.
func register(iface reflect.Type, impl any, opts *Options) (*Service, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	p := new(problems)
	switch {
	case iface.Kind() != reflect.Interface:
		p.addf("%v is not an interface; write Register[TodoAPI](…) with the interface it implements", iface)
	case impl == nil || isNilPointer(impl):
		p.addf("the implementation of %v is nil", iface)
	default:
		o = o.withDefaults(iface)
		if s := compileService(p, iface, impl, o); len(p.list) == 0 {
			return s, nil
		}
	}
	return nil, p.err(iface)
}

func isNilPointer(impl any) bool {
	v := reflect.ValueOf(impl)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// err returns the error that lists all problems of registering iface.
func (p *problems) err(iface reflect.Type) error {
	return fmt.Errorf("svc: cannot register %v:%s", iface, p.text())
}

// text returns the problems, each on a line of its own.
func (p *problems) text() string {
	var lines strings.Builder
	for _, err := range p.list {
		lines.WriteString("\n  - " + strings.ReplaceAll(err.Error(), "\n", "\n    "))
	}
	return lines.String()
}

// withDefaults returns a copy of o with the defaults filled in.
func (o Options) withDefaults(iface reflect.Type) Options {
	if o.Name == "" && iface.Name() != "" {
		o.Name = documentName(iface.Name())
	}
	if o.Version == "" {
		o.Version = "0.1.0"
	}
	if o.Resource == "" {
		o.Resource = strings.Join(words(o.Name), "_")
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.BodyTimeout == 0 {
		o.BodyTimeout = DefaultBodyTimeout
	}
	return o
}

// compileService compiles every method; problems says whether it worked.
func compileService(p *problems, iface reflect.Type, impl any, o Options) *Service {
	c := newMethodCompiler(p, iface, impl, o)
	s := &Service{
		name:        o.Name,
		description: o.Description,
		version:     o.Version,
		defaults:    o.Defaults,
		methods:     c.methods(),
		scratch:     &sync.Pool{New: func() any { return new(scratch) }},
	}
	p.where = ""
	for _, name := range sortedKeys(o.Methods) {
		if _, ok := iface.MethodByName(name); !ok {
			p.addf("Options.Methods[%q]: %v has no method of that name%s", name, iface, hint(s.methods, name))
		}
	}
	usesDefault := func(m *method) bool { return m.resource == o.Resource }
	if !isResource(o.Resource) && slices.ContainsFunc(s.methods, usesDefault) {
		p.addf("Options.Resource is %q; want letters, digits, - and _, since paths and tool names are made from it", o.Resource)
	}
	if o.Defaults.Auth != "" && o.Defaults.Auth != "bearer" {
		p.addf("Options.Defaults.Auth is %q; the one that documents can say is \"bearer\"", o.Defaults.Auth)
	}
	s.types = c.shapes.named
	s.typeNames = nameTypes(s.types)
	s.names = nameMethods(p, s.methods)
	checkRoutes(p, s.methods)
	if o.Intercept != nil {
		c.config.intercepted = o.Intercept(s.invokeByName)
	}
	return s
}

// hint returns which method was perhaps meant by a name that none has.
func hint(methods []*method, name string) string {
	for _, m := range methods {
		if strings.EqualFold(m.goName, name) || m.name == name {
			return fmt.Sprintf("; write %q", m.goName)
		}
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Join returns one service with the methods of all: one set of routes, one
// document. Each method keeps the options of the service it came from;
// description, version and defaults are those of the first. It panics if two
// methods have the same route or the same name in the same resource, or if the
// services differ in Auth or BaseURL: mistakes of the program's text.
func Join(name string, services ...*Service) *Service {
	p := new(problems)
	if len(services) == 0 {
		p.addf("there is nothing to join")
	}
	j := &Service{name: name, scratch: &sync.Pool{New: func() any { return new(scratch) }}}
	var first *Service
	for i, s := range services {
		if s == nil {
			p.addf("service %d is nil", i+1)
			continue
		}
		if first == nil {
			first = s
			j.description, j.version, j.defaults = s.description, s.version, s.defaults
		}
		if s.defaults != j.defaults {
			p.addf("%s and %s differ in Options.Defaults, of which one document has one", first.name, s.name)
		}
		for _, m := range s.methods {
			moved := *m
			moved.path = s.prefix + m.path
			j.methods = append(j.methods, &moved)
		}
		j.types = append(j.types, s.types...)
	}
	j.typeNames = nameTypes(j.types)
	j.names = nameMethods(p, j.methods)
	checkRoutes(p, j.methods)
	if len(p.list) > 0 {
		panic("svc: cannot join " + name + ":" + p.text())
	}
	return j
}

// At returns the same service under a path prefix: At("/v1") serves GET
// /v1/todos where s serves GET /todos. Slashes are put right; "" and "/" change
// nothing. It changes REST paths and the documents that list them, and no name
// on any other transport. It panics if the prefix is not a plain path.
func (s *Service) At(prefix string) *Service {
	trimmed := strings.Trim(prefix, "/")
	if trimmed == "" {
		return s
	}
	if r, err := parsePattern("GET /" + trimmed); err != nil || len(r.placeholders) > 0 {
		panic(fmt.Sprintf("svc: At(%q): a prefix is a plain path such as /v1", prefix))
	}
	moved := *s
	moved.prefix = "/" + trimmed + s.prefix
	return &moved
}

// Info says how the running call came about.
type Info struct {
	Transport string        // "rest", "rpc" or "mcp"; "call" for Service.Call
	Resource  string        // of the method
	Method    string        // Method.Name
	Request   *http.Request // nil for Service.Call by itself
	Header    http.Header   // of the response, to add to; nil where there is none
}

// InfoFrom returns what a method's context says of the running call. It reports
// false for a context that comes from nowhere near a method.
func InfoFrom(ctx context.Context) (Info, bool) {
	c, ok := ctx.Value(infoKey{}).(*callContext)
	if !ok {
		return Info{}, false
	}
	return c.info, true
}

type infoKey struct{}

// A callContext is the context of one call: one allocation for what would be
// two with context.WithValue.
type callContext struct {
	context.Context
	info Info
}

func (c *callContext) Value(key any) any {
	if key == (infoKey{}) {
		return c
	}
	return c.Context.Value(key)
}
