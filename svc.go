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

//
// This file describes a service to programs: Descriptor.
//
// This file calls methods: by reflection, directly, and by name.

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"runtime"
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
	workspaces  *sync.Pool // of *scratch
}

// A methodName is a name that a method answers to.
type methodName struct{ resource, method string }

// A workspace is the memory that one request needs while it is served.
type workspace struct {
	dec  decoder
	enc  encoder
	body []byte
}

func (s *Service) borrowWorkspace() *workspace {
	sc := s.workspaces.Get().(*workspace)
	sc.dec.lean = false
	return sc
}

// returnWorkspace keeps sc for another request, unless an unusual one made it large.
func (s *Service) returnWorkspace(sc *workspace) {
	const most = 64 << 10 // bytes
	if cap(sc.body) > most || cap(sc.enc.buf) > most || cap(sc.dec.scratch) > most || cap(sc.dec.scan.names) > most/16 || cap(sc.dec.texts) > most/16 {
		return
	}
	sc.dec.start(nil) // with the line below, drops what points into the request
	clear(sc.dec.scan.names[:cap(sc.dec.scan.names)])
	s.workspaces.Put(sc)
}

// An endpoint is what every handler of a transport has: a service, the name of
// the transport, and the options that hold where no method has been found yet.
type endpoint struct {
	*config
	service   *Service
	transport Transport
	only      *method // that the handler serves; nil if it serves all
}

// endpoint returns an endpoint for all methods. Its options are those of the
// first, which matters after Join alone.
func (s *Service) endpoint(t Transport) endpoint {
	return endpoint{config: s.methods[0].config, service: s, transport: t}
}

// A responder is the part of a handler that differs between transports.
type responder interface {
	// respond answers r, or returns the error to refuse r with. It has then
	// written nothing.
	respond(w http.ResponseWriter, r *http.Request, ws *workspace) error
	// writeRefusal answers r with err in the form of the transport.
	writeRefusal(w http.ResponseWriter, r *http.Request, err error)
}

// serveRequest is the frame around every request on every transport. The
// deadline comes first, so that it holds for requests that are refused unread
// as well. The workspace is not given back by defer: after a panic its parts
// may contradict each other, and a new one is cheap.
func (e *endpoint) serveRequest(w http.ResponseWriter, r *http.Request, h responder) {
	e.limits.setDeadline(w, r)
	ws := e.service.borrowWorkspace()
	if err := h.respond(w, r, ws); err != nil {
		e.logError(r.Context(), r, err, e.only)
		h.writeRefusal(w, r, err)
	}
	e.service.returnWorkspace(ws)
}

// logError logs err, which the call of m ended with; m is nil if nothing was
// called. A method is logged by the logger of its own service, also after Join.
func (e *endpoint) logError(ctx context.Context, r *http.Request, err error, m *method) {
	place, logger := logPlace{transport: string(e.transport), request: r}, e.logger
	if m != nil {
		place.resource, place.method, logger = m.resource, m.name, m.logger
	}
	logError(ctx, logger, err, place)
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
	p := new(mistakes)
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
	return nil, p.err("register " + iface.String())
}

func isNilPointer(impl any) bool {
	v := reflect.ValueOf(impl)
	return v.Kind() == reflect.Pointer && v.IsNil()
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
		o.Resource = strings.Join(splitWords(o.Name), "_")
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.BodyTimeout == 0 {
		o.BodyTimeout = DefaultBodyTimeout
	}
	return o
}

// compileService compiles every method; p says whether it worked.
func compileService(p *mistakes, iface reflect.Type, impl any, o Options) *Service {
	c := newMethodCompiler(p, iface, impl, o)
	s := &Service{
		name:        o.Name,
		description: o.Description,
		version:     o.Version,
		defaults:    o.Defaults,
		methods:     c.compileMethods(),
		workspaces:  &sync.Pool{New: func() any { return new(workspace) }},
	}
	p.where = ""
	for _, name := range sortedKeys(o.Methods) {
		if _, ok := iface.MethodByName(name); !ok {
			p.addf("Options.Methods[%q]: %v has no method of that name%s", name, iface, suggestName(s.methods, name))
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

// suggestName returns which method was perhaps meant by a name that none has.
func suggestName(methods []*method, name string) string {
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
	p := new(mistakes)
	if len(services) == 0 {
		p.addf("there is nothing to join")
	}
	j := &Service{name: name, workspaces: &sync.Pool{New: func() any { return new(workspace) }}}
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
		panic(p.err("join " + name).Error())
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

// A Transport is a way to call a method.
type Transport string

// The transports.
const (
	TransportREST Transport = "rest" // HTTP routes
	TransportRPC  Transport = "rpc"  // JSON-RPC 2.0
	TransportMCP  Transport = "mcp"  // the Model Context Protocol
	TransportCall Transport = "call" // [Service.Call], without any other
)

// Info says how the running call came about.
type Info struct {
	Transport Transport     // by which the call came
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

// A ServiceDescriptor says what a service has. It is plain data; as JSON its
// names are in lowerCamelCase, and what is absent is left out.
type ServiceDescriptor struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Resources   []Resource `json:"resources"`
	Types       []TypeInfo `json:"types"` // every named type, once, by name
}

// A Resource is a set of methods with one name in front.
type Resource struct {
	Name    string   `json:"name"`
	Methods []Method `json:"methods"`
}

// A Method is one method of a service.
type Method struct {
	Name        string      `json:"name"` // mark_done for MarkDone
	Description string      `json:"description,omitempty"`
	Input       *TypeInfo   `json:"input,omitempty"`  // nil if there is none
	Output      *TypeInfo   `json:"output,omitempty"` // nil if there is none
	HTTP        HTTPBinding `json:"http"`
	Stream      StreamMode  `json:"stream,omitempty"`
}

// A TypeInfo describes a Go type.
type TypeInfo struct {
	Name   string         `json:"name"`   // as in documents; "" for a type without a name
	Kind   string         `json:"kind"`   // of package reflect: "struct", "string"
	Schema map[string]any `json:"schema"` // JSON Schema 2020-12, needing nothing beside it
}

// An HTTPBinding is the REST route of a method.
type HTTPBinding struct {
	Method string `json:"method"`
	Path   string `json:"path"` // with placeholders, as in "/todos/{id}"
}

// Descriptor returns a description of the service, new at each call.
func (s *Service) Descriptor() *ServiceDescriptor {
	d := &ServiceDescriptor{Name: s.name, Description: s.description, Resources: []Resource{}, Types: []TypeInfo{}}
	for _, m := range s.methods {
		i := slices.IndexFunc(d.Resources, func(r Resource) bool { return r.Name == m.resource })
		if i < 0 {
			i = len(d.Resources)
			d.Resources = append(d.Resources, Resource{Name: m.resource})
		}
		d.Resources[i].Methods = append(d.Resources[i].Methods, Method{
			Name:        m.name,
			Description: m.description,
			Input:       s.typeInfo(m.in),
			Output:      s.typeInfo(m.out),
			HTTP:        HTTPBinding{Method: m.method, Path: s.prefix + m.path},
			Stream:      m.stream,
		})
	}
	done := make(map[string]bool)
	for _, t := range s.types {
		if name := s.typeNames[t]; !done[name] {
			done[name] = true
			d.Types = append(d.Types, *s.typeInfo(t))
		}
	}
	slices.SortFunc(d.Types, func(a, b TypeInfo) int { return strings.Compare(a.Name, b.Name) })
	return d
}

func (s *Service) typeInfo(t *shape) *TypeInfo {
	if t == nil {
		return nil
	}
	return &TypeInfo{Name: s.typeNames[t], Kind: t.typ.Kind().String(), Schema: t.schemaMap()}
}

// A Caller calls one method without reflection. [Direct] and its siblings make
// them, for MethodOptions.Direct; the zero value means none.
type Caller struct {
	iface   reflect.Type
	in, out reflect.Type // nil where the method has none
	name    string       // of the function, as the runtime knows it
	bind    func(impl any) callFunc
	each    eachFunc // where the method returns a stream
}

// Direct makes the Caller of a method with an input and an output from the
// method expression of the interface:
//
//	"Create": {Direct: svc.Direct(TodoAPI.Create)},
//
// The call then costs what it costs in Go; by reflection it costs a few hundred
// nanoseconds more. Another function than the method itself is an error at
// registration.
func Direct[I, In, Out any](method func(I, context.Context, *In) (*Out, error)) Caller {
	return newCaller[I](method, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(impl I) callFunc {
		return func(ctx context.Context, in any) (any, error) {
			out, err := method(impl, ctx, in.(*In))
			return orNil(out), err
		}
	})
}

// DirectIn is [Direct] for a method without an output.
func DirectIn[I, In any](method func(I, context.Context, *In) error) Caller {
	return newCaller[I](method, reflect.TypeFor[In](), nil, func(impl I) callFunc {
		return func(ctx context.Context, in any) (any, error) {
			return nil, method(impl, ctx, in.(*In))
		}
	})
}

// DirectOut is [Direct] for a method without an input.
func DirectOut[I, Out any](method func(I, context.Context) (*Out, error)) Caller {
	return newCaller[I](method, nil, reflect.TypeFor[Out](), func(impl I) callFunc {
		return func(ctx context.Context, _ any) (any, error) {
			out, err := method(impl, ctx)
			return orNil(out), err
		}
	})
}

// DirectNone is [Direct] for a method without input and output.
func DirectNone[I any](method func(I, context.Context) error) Caller {
	return newCaller[I](method, nil, nil, func(impl I) callFunc {
		return func(ctx context.Context, _ any) (any, error) {
			return nil, method(impl, ctx)
		}
	})
}

func newCaller[I any](method any, in, out reflect.Type, bind func(I) callFunc) Caller {
	name := ""
	if v := reflect.ValueOf(method); !v.IsNil() {
		name = runtime.FuncForPC(v.Pointer()).Name()
	}
	return Caller{
		iface: reflect.TypeFor[I](),
		in:    in,
		out:   out,
		name:  name,
		bind:  func(impl any) callFunc { return bind(impl.(I)) },
	}
}

// callsMethod reports whether the function callsMethod the interface's method of that name. The
// runtime calls it pkg.TodoAPI.Create, with [...] behind TodoAPI if the type callsMethod
// generic, and a number behind a dot in mid-line if it callsMethod local to a function.
func (c Caller) callsMethod(method string) bool {
	rest, ok := strings.CutSuffix(c.name, "."+method)
	name, _, _ := strings.Cut(c.iface.Name(), "[")
	i := strings.LastIndex(rest, "."+name)
	if !ok || name == "" || i < 0 {
		return ok && strings.HasPrefix(rest, "go:interface")
	}
	behind := rest[i+len("."+name):]
	return behind == "" || strings.HasPrefix(behind, "[") || strings.HasPrefix(behind, "·")
}

// orNil returns out as an any that is nil if out is.
func orNil[Out any](out *Out) any {
	if out == nil {
		return nil
	}
	return out
}

// reflectCaller returns a callFunc that calls the named method of impl by
// reflection. Of the ways to do so the function of the concrete type, with the
// receiver as its first argument, is the cheapest: a bound method value copies
// its arguments once more.
func reflectCaller(t reflect.Type, impl reflect.Value, name string, hasIn, hasOut bool) callFunc {
	m, _ := t.MethodByName(name)
	fn := m.Func
	return func(ctx context.Context, in any) (any, error) {
		args := [3]reflect.Value{impl, reflect.ValueOf(&ctx).Elem()}
		n := 2
		if hasIn {
			args[2] = reflect.ValueOf(in)
			n = 3
		}
		results := fn.Call(args[:n])
		err, _ := results[len(results)-1].Interface().(error)
		if !hasOut || results[0].IsNil() {
			return nil, err
		}
		return results[0].Interface(), err
	}
}

// invoke calls m with a bound and valid input, through what intercepts it. A
// panic becomes an error. An output that is not there, or not of the method's
// type, is a fault of the method's.
func (m *method) invoke(ctx context.Context, in any) (out any, err error) {
	return m.invokeBy(m.intercepted, ctx, in)
}

// invokeBy is invoke by another function than the service's own; nil means the
// method itself.
func (m *method) invokeBy(invoke InvokeFunc, ctx context.Context, in any) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	if invoke != nil {
		out, err = invoke(ctx, m.resource, m.name, in)
	} else {
		out, err = m.call(ctx, in)
	}
	switch {
	case err != nil:
		probeError(err)
		return nil, err
	case m.out == nil:
		return nil, nil
	case out == nil:
		return nil, fmt.Errorf("%s returned neither an output nor an error", m.goName)
	case reflect.TypeOf(out) != m.outType:
		return nil, fmt.Errorf("%s was answered with a %T, which is no %v", m.goName, out, m.outType)
	}
	return out, nil
}

// bindObject makes the input of m from one JSON object that has every field by
// its wire name. An empty text counts as {}. m must take an input.
func (m *method) bindObject(d *decoder, text []byte) (in any, err error) {
	defer func() { // Validate and UnmarshalJSON are the application's
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	v, err := m.bind.bindObject(d, text)
	return v.Interface(), err
}

// appendOutput appends the JSON of what the method returned, or of one item of
// the stream that it returned.
func (m *method) appendOutput(e *encoder, dst []byte, out any) (_ []byte, err error) {
	defer func() { // MarshalJSON is the application's
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	*e = encoder{buf: dst}
	if m.encode(e, reflect.ValueOf(out).Elem()); e.err != nil {
		// Whatever MarshalJSON returned, the call had succeeded.
		return e.buf, &Error{Code: CodeInternal, cause: e.err}
	}
	return e.buf, nil
}

// invokeByName is the end of the chain that Options.Intercept is the rest of.
func (s *Service) invokeByName(ctx context.Context, resource, name string, in any) (any, error) {
	m := s.findMethod(resource, name)
	if m == nil {
		return nil, noMethodError(resource, name)
	}
	if err := m.checkType(in); err != nil {
		return nil, err
	}
	return m.call(ctx, in)
}

func noMethodError(resource, name string) *Error {
	return Errorf(CodeUnimplemented, "there is no method %q in resource %q", name, resource)
}

// checkType refuses an input that the method could not be called with.
func (m *method) checkType(in any) error {
	switch {
	case m.in == nil && in == nil:
		return nil
	case m.in == nil:
		return Errorf(CodeInvalidArgument, "%s.%s takes no input; give nil", m.resource, m.name)
	case in == nil || reflect.TypeOf(in) != reflect.PointerTo(m.in.typ) || reflect.ValueOf(in).IsNil():
		return Errorf(CodeInvalidArgument, "%s.%s takes a *%v that is not nil, not a %T", m.resource, m.name, m.in.typ, in)
	}
	return nil
}

// Call calls a method by name, as a transport would: the input, a pointer to
// the method's input or nil if it has none, is held to the constraints and the
// Validate methods, Options.Intercept runs, and a panic becomes an error. The
// method may be given by Method.Name, by its aliases or by its Go name. An
// unknown one is UNIMPLEMENTED; an input of the wrong type is INVALID_ARGUMENT.
// A [Stream] is returned as it is, and the caller has to run it.
//
// A Go value cannot say that a field is absent: a field that is optional counts
// as absent if it is zero, and defaults are for [Service.NewInput] to fill in.
func (s *Service) Call(ctx context.Context, resource, method string, input any) (any, error) {
	m := s.findMethod(resource, method)
	if m == nil {
		m = s.findGoName(resource, method)
	}
	if m == nil {
		return nil, noMethodError(resource, method)
	}
	if err := m.checkType(input); err != nil {
		return nil, err
	}
	if m.in != nil {
		if err := s.checkInput(m, input); err != nil {
			return nil, err
		}
	}
	info, ok := InfoFrom(ctx)
	if !ok {
		info.Transport = TransportCall
	}
	info.Resource, info.Method = m.resource, m.name
	return m.invoke(&callContext{ctx, info}, input)
}

func (s *Service) findGoName(resource, goName string) *method {
	for _, m := range s.methods {
		if m.resource == resource && m.goName == goName {
			return m
		}
	}
	return nil
}

func (s *Service) checkInput(m *method, input any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	sc := s.borrowWorkspace()
	err = m.bind.checkValue(&sc.dec, reflect.ValueOf(input))
	s.returnWorkspace(sc)
	return err
}

// NewInput returns a new input for a method, with the defaults filled in, to be
// filled further and given to [Service.Call]. It returns nil for a method that
// takes none, and UNIMPLEMENTED for one that is not there.
func (s *Service) NewInput(resource, method string) (any, error) {
	m := s.findMethod(resource, method)
	if m == nil {
		m = s.findGoName(resource, method)
	}
	switch {
	case m == nil:
		return nil, noMethodError(resource, method)
	case m.in == nil:
		return nil, nil
	}
	in := reflect.New(m.in.typ)
	for i := range m.bind.all.fields {
		if f := &m.bind.all.fields[i]; f.absent != nil {
			f.absent(f.settableIn(in.Elem()))
		}
	}
	return in.Interface(), nil
}
