// Package svc turns a Go interface into network endpoints.
//
// Write an interface and a type that implements it. [Register] compiles the two into a
// [Service], which serves the methods and describes them:
//
//   - [Service.REST] and [Service.Mount]: one HTTP route per method
//   - [Service.RPC]: JSON-RPC 2.0
//   - [Service.MCP] and [Service.MCPStdio]: tools for AI assistants
//   - [Service.OpenAPI] and [Service.Docs]: the document of the REST routes, and a
//     page that shows it and can call them
//   - [Service.TypeScript]: a client of the REST routes for TypeScript and JavaScript
//   - [Service.Call]: a call by name, within the program
//
// [Connect] returns a client for the same interface. REST, RPC, MCP, OpenAPI
// and Docs return plain http.Handlers, and every middleware is a plain
// func(http.Handler) http.Handler.
//
// Register reports all mistakes in the interface, its types and its options at once. The
// Service does not change and is safe for concurrent use. Inputs are checked, and
// documents written, by one plan for each type, so that they agree.
//
// The folder doc of the repository has a page for each subject, such as doc/routes.md and
// doc/types.md.
//
// # Methods
//
// A method takes a context.Context and at most one input, a pointer to a struct. It
// returns at most one output, a pointer to a struct, a pointer to another JSON value whose type has
// a name (type Todos []Todo), a [Stream] or a [ValueOrStream], and an error:
//
//	Create(ctx context.Context, in *CreateIn) (*Todo, error)
//
// The first word of a method's name decides its route. [MethodOptions].HTTP sets another:
//
//	Create, Add, New                 POST /{resource}
//	List, All, Search, Find+plural   GET /{resource}
//	Get, Find, Fetch, Read           GET /{resource}/{id}
//	Update, Edit, Modify, Set        PUT /{resource}/{id}
//	Delete, Remove                   DELETE /{resource}/{id}
//	Patch                            PATCH /{resource}/{id}
//	anything else                    POST /{resource}/{action}
//
// MarkDone of the resource todos is called todos.mark_done over JSON-RPC, and todos_mark_done as a
// tool.
//
// # Inputs and outputs
//
// The json tag names a field on every transport. A field is required unless its tag says omitempty
// or omitzero, or it has a default. Over REST it comes from
//
//	that placeholder of the path   with a path tag, or named like a placeholder
//	that query parameter           with a query tag
//	that header or cookie          with a tag header:"If-Match" or cookie:"session"
//	the query                      any other, for GET and DELETE
//	the JSON body                  any other
//
// The tags minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
// multipleOf, minItems, maxItems, uniqueItems, minProperties, maxProperties and enum are rules:
// every transport enforces them and every schema publishes them. Give a struct a method Validate()
// error for what tags cannot say. format is a rule for the formats that doc/rules.md lists. The
// tags example, doc and patternHint are for documents and messages. idempotency:"-" leaves a field
// out when calls with the same idempotency key are compared.
//
// A field of an output with the tag header:"Name" is a header of the REST response. An [Optional]
// distinguishes absent, null and a value. A struct with a discriminator is a union: one of several
// kinds. One that embeds [ByType] is one of several JSON types. [Body] and [File] carry what is not
// JSON.
//
// # JSON and errors
//
// JSON is read strictly (RFC 8259, RFC 7493): names match exactly, no name occurs twice, only
// pointers, Optionals, any and json.RawMessage can be null, and no integer is rounded. An invalid
// input gets INVALID_ARGUMENT with up to 32 violations; see [Violation].
//
// Return an [*Error] to tell the caller why a method failed; see [Errorf]. The text of any other
// error, and of a panic, is logged and never sent: the client gets the code that [ErrorFrom] finds,
// mostly INTERNAL. Each transport writes errors in its own form, with the same code, message,
// reason and details.
package svc

// This file turns an interface into a Service. In this order:
//
//   - options: Options, Defaults, MethodOptions
//   - Service, and its registration: Register, Join, At
//   - its description for programs: Descriptor
//   - Observation, the report to Options.Observe about a call
//
// svc_method.go compiles one method, svc_route.go its route; svc_transport.go lists the transports. svc_stream.go and
// svc_either.go handle streams, svc_errorform.go ErrorForm, and keys.go idempotency
// keys. call.go runs the calls.

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options configures a service. The zero value and nil stand for the defaults. A field whose
// comment names no default is empty by default.
type Options struct {
	// Name is the name of the service in documents. Default: the interface's name.
	Name string
	// Description describes the service in documents. Default: the comment of the interface, if
	// Comments has it.
	Description string
	// Version is the version of the API in documents. Default: "0.1.0".
	Version string
	// Contact is where users of the API find help, in documents: an https URL or an e-mail
	// address.
	Contact string
	// License is an SPDX identifier such as "Apache-2.0", for documents.
	License string
	// OpenAPI is the version of the document for requests that do not ask for one: "3.0", "3.1" or
	// "3.2". Generators make better clients from 3.1. Default: "3.0.3".
	OpenAPI string
	// Document changes the finished OpenAPI document, to add what svc does not know: extensions of
	// vendors such as x-google-backend, servers, routes of other handlers. It is called for each of
	// the versions 3.0.3, 3.1 and 3.2, which doc["openapi"] names, each time that OpenAPI or
	// [CheckDocument] is called. Numbers are json.Number. Members keep their order, and new ones
	// follow by name. svc does not check the result. It must be the same in every process, since the
	// ETag is that of the text. The page, clients, tools and contracts do not show it.
	Document func(doc map[string]any)
	// Resource is the resource of all methods, unless MethodOptions.Resource names a different one:
	// the first segment of their paths, and the first part of their names on other transports. It
	// has ASCII letters, digits, - and _. Default: Name in snake_case.
	Resource string
	// Path replaces Resource in REST paths only: one or more segments, without placeholders.
	// doc/versions.md says how two versions of a service share their paths. Default: Resource.
	Path string
	// ToolPrefix replaces the resource in the default names of tools and prompts over MCP. "-"
	// leaves it out: todos_get becomes get. It has ASCII letters, digits, - and _. Default: the
	// resource.
	ToolPrefix string
	// ContentType is the media type of JSON outputs over REST, such as application/vnd.api+json. It
	// may have parameters. Errors have the type of their form. Requests may have any JSON type, and
	// Accept is ignored. Default: application/json.
	ContentType string
	// Comments holds the comments of the source, from [ReadComments]: above the interface, its
	// methods, their types and fields. Documents, tools and the page show them, unless a
	// Description or a tag doc replaces them, and list the methods in the order of the source.
	// Source without the interface is a mistake; other packages may be missing and then have no
	// comments. Types are found by the names of their package and of the type. doc/comments.md says
	// where each comment goes.
	Comments *Comments
	// Methods has the options of single methods by Go name. An unknown name is a mistake.
	Methods map[string]MethodOptions
	// Defaults apply to every method of the service.
	Defaults Defaults
	// Schemes lists the credentials that documents and the page of Docs ask for; any one of them is
	// enough. With Schemes, a call without a [Principal] in its context fails with UNAUTHENTICATED,
	// on every transport, before its input is read, unless the method is Public. Default: a bearer
	// token if Defaults.Auth says so.
	Schemes []Scheme
	// Strict rejects unknown members of JSON objects and unknown query parameters, instead of
	// ignoring them. The query parameter that [Version] reads is accepted. doc/types.md has more.
	Strict bool
	// MaxBody is the largest request body, in bytes. A larger one gets 413 (RFC 9110, section
	// 15.5.14) and the method is not called. Zero means DefaultMaxBody; a negative value means no
	// limit.
	MaxBody int64
	// BodyTimeout is how long a client may take to send a body. After that it gets 408 (RFC 9110,
	// section 15.5.9) and the method is not called. It replaces http.Server.ReadTimeout; a negative
	// value leaves ReadTimeout in force. Zero means DefaultBodyTimeout.
	BodyTimeout time.Duration
	// MaxConcurrent is how many calls run at once, over REST, JSON-RPC and MCP together, and how many
	// bodies of more than 64 KiB arrive at once beside them. Choose the number that the bottleneck
	// serves at a time, such as the connections to the database. A request beyond the limit fails
	// before its method is called, with UNAVAILABLE and the reason overloaded: over REST 503 with a
	// Retry-After of one second. Streams and files that are being sent, and calls that wait for an
	// answer of their caller, do not count; a large upload counts as a body until its method
	// returns. One caller can hold half of the bodies. [Service.Call] and [Service.MCPStdio] do not
	// count. doc/limits.md has each case. Zero means no limit; a negative value is a mistake.
	MaxConcurrent int
	// MaxStreams is how many streams, files and MCP subscriptions the service sends at once, over
	// all transports; half of them to one caller. Further ones fail as with MaxConcurrent. Zero
	// means 10,000; a negative value means no limit.
	MaxStreams int
	// Intercept wraps every call on every transport, for access checks, tracing, transactions.
	// [Register] calls it once with the function that calls a method; return the function to call
	// instead. Its inputs are already valid. Pass on a context derived from yours, the same names
	// and an input of the method's type, and return an output of the method's type; otherwise the
	// call fails with INTERNAL. A [File] is read, and a [Stream] runs, after your function has
	// returned.
	Intercept func(InvokeFunc) InvokeFunc
	// Observe is called at the end of every call, for metrics and traces; see [Observation].
	Observe func(ctx context.Context, o Observation)
	// Webhooks lists the events that the service sends to subscribers, each made by [WebhooksOf]. The
	// OpenAPI documents of 3.1 and 3.2 have them under webhooks, and [CheckReleased] reports changes
	// that break receivers. doc/webhooks.md says how to send them.
	Webhooks []*Webhooks
	// Idempotency makes calls with a key happen once, for methods with
	// MethodOptions.IdempotencyKey.
	Idempotency *Idempotency
	// Schemas has JSON Schemas (2020-12) for types that write their own JSON or text and to which
	// you cannot add a method JSONSchema, such as types of other modules. Each is a JSON object
	// without $ref. Documents, tools and clients show it instead of any JSON or any string; inputs
	// are not checked against it. A type that does not write its own JSON or text is a mistake.
	Schemas map[reflect.Type]string
	// Errors lists errors that every method can return; see MethodOptions.Errors.
	Errors []*Error
	// ErrorForm is the form of errors over REST, including streams. Give its Write to middleware.
	// Default: the envelope of [WriteError].
	ErrorForm *ErrorForm
	// OnError writes the error responses of REST. Use it if an [ErrorForm] is not enough. Default:
	// WriteError.
	OnError ErrorWriter
	// Words returns the message of a violation in the language of the caller, from its rule, limit
	// and path: InfoFrom(ctx) has the request with its Accept-Language, or no request over standard
	// input. It replaces the message in the violations of errors over REST and JSON-RPC, at most 32
	// in each. The other members, and the message of the error, stay: programs and logs read them.
	// So do errors over MCP, which models read, and those of [Service.Call]. The message of svc is
	// sent if Words returns "" or a text that is not UTF-8, or panics, which is logged; a text is cut
	// after 1,000 bytes. It must be safe for concurrent use.
	Words func(ctx context.Context, v Violation) string
	// Logger gets one line for every error that is sent to a client, with the cause. A path is
	// cut after 256 bytes, the text of an error after 2 KiB. Default: slog.Default.
	Logger *slog.Logger
}

// Defaults apply to every method of a service. Each field may be empty.
type Defaults struct {
	// BaseURL is the URL of the REST routes in documents. Set it behind a proxy that strips a
	// prefix, such as "https://example.com/api". Slashes at the end are left out. Default: "/".
	BaseURL string
	// Auth is "bearer", short for Options.Schemes with one scheme of Type "bearer". Any other text
	// is a mistake. Default: no scheme.
	Auth string
}

// MethodOptions configures one method. The zero value stands for the defaults. A field whose
// comment names no default is empty by default.
type MethodOptions struct {
	// Resource is the resource of the method, with the same characters as Options.Resource.
	// Default: Options.Resource.
	Resource string
	// HTTP is the route: a pattern of http.ServeMux with a verb, without a host or the prefix of
	// At, such as "POST /todos/{id}/archive". A slash at the end of the path stands for itself, not
	// for the paths below it. {name...} at the end takes one segment or more. The verb QUERY is a
	// read whose input is the JSON of the body (RFC 10008). Default: inferred from the method's name.
	HTTP string
	// Status is the HTTP status of success: 200, 201, 202 or 203 with an output, and 200, 202, 204
	// or 205 without one. A stream has 200. An output whose fields are all headers with json:"-" has
	// no body, and 200, 201, 202 or 204. To choose the status in the method, give the output an
	// int field with json:"-" and a tag such as status:"200,201". Default: 200, or 204 without a
	// body.
	Status int
	// ContentType replaces Options.ContentType. It is a mistake if the output is not JSON.
	ContentType string
	// OperationID is the operationId of the method in OpenAPI documents, from which generators make
	// the names of functions; connect of client.ts and the names in Go do not come from it. It has
	// visible characters without blanks, such as todos/create, and must be unique. Default: the
	// resource and the name of the method, such as todos_Create.
	OperationID string
	// Description describes the method in documents, except OpenAPI 3.0.3, and to models that
	// choose a tool. Its first sentence is the summary in documents and the title of the tool.
	// Default: the comment of the method, if Options.Comments has it.
	Description string
	// Transports lists the transports that serve the method: TransportREST, TransportRPC,
	// TransportMCP. Other transports and their documents leave it out. [Service.Call] calls every
	// method. Default: all that can carry its input and output.
	Transports []Transport
	// Public lets everybody call the method, such as a health check, although Options.Schemes is
	// set. Behind [Bearer], set BearerOptions.Optional too.
	Public bool
	// Scopes lists the scopes that the [Principal] of the caller must all have, or the call fails
	// with PERMISSION_DENIED. Scopes need Options.Schemes.
	Scopes []string
	// IdempotencyKey says whether calls have an idempotency key; see [Idempotency]. By default no
	// key is read.
	IdempotencyKey KeyUse
	// Errors lists the errors that the method can return, for documents, besides the errors of svc
	// itself. If Errors is not nil and the method returns an undeclared code, the error is still
	// sent, and the log says so. doc/errors.md lists the codes that need not be declared. Two
	// errors with the same [Error.Reason] must have the same code. A reason of svc itself is a
	// mistake.
	Errors []*Error
	// Deprecated marks the method as deprecated in every document. It is still served. A paragraph
	// "Deprecated: …" in its comment does the same.
	Deprecated bool
	// Deprecation does the same, and says since when and until when, in documents and in the
	// headers of REST responses. Set its Since. After a released Sunset has passed, [CheckReleased]
	// lets you remove the method.
	Deprecation *Deprecation
	// MaxBody and BodyTimeout replace Options.MaxBody and Options.BodyTimeout, over REST only. Zero
	// means the value of Options.
	MaxBody     int64
	BodyTimeout time.Duration
	// Form says that the body of REST requests is a form instead of JSON, of the media type
	// application/x-www-form-urlencoded or multipart/form-data. Fields are read as in a query. A
	// [Body] must be the last part of a multipart form, and is read while it arrives. Only REST
	// serves a form with a Body; for other forms the other transports take JSON as usual.
	// doc/forms.md has more.
	Form bool
	// MCP says how MCP shows the method: names, texts, hints, and whether it is a resource or a
	// prompt. Default: a tool.
	MCP *MCPMethod
	// Stream says how the outputs are sent. Default: as one record, or as StreamSSE if the
	// method returns a Stream.
	Stream StreamMode
	// StreamEnd is the data of the last event of a stream that ends well, for clients that expect a
	// text such as "[DONE]", as in APIs that are compatible with OpenAI's. It is one line that is
	// not JSON. The event has no name and no ID. [StreamEndNone] sends nothing. A stream that fails
	// ends with only the event error. StreamEnd is a mistake for a method without a stream.
	// Default: the event done.
	StreamEnd string
	// Task says that this method begins work that runs on after the call. It is the Go name of the
	// method of the same interface that reads the record of the work, such as "GetExport". Both
	// return the record, a pointer to a type with the method TaskState() (state, message string).
	// The state is "working", "completed", "failed" or "cancelled"; any other makes the call fail
	// with INTERNAL. MCP clients with the extension io.modelcontextprotocol/tasks get a task for a
	// record that is working, and read it until it has ended. All other callers get the record. The
	// record must have the members that the input of the reader needs, by the same names. Task
	// needs MCPOptions.StateKey; doc/tasks.md has the rest.
	Task string
	// TaskCancel is the Go name of the method that ends the work early. Its input can have the
	// fields of the reader's input and of the record. Without it, clients can ask to cancel, and
	// the work goes on.
	TaskCancel string
	// Direct calls the method without reflection, which is faster; see [Direct].
	Direct DirectCall
}

// A StreamMode is a way to send several outputs. The zero value stands for the default of the
// method; [StreamSSE] is the only other value.
type StreamMode string

// An InvokeFunc calls a method by resource and name. The input is a pointer to the method's input,
// or nil if the method takes none. The output is a pointer, nil or the method's [Stream]. Pass a
// Stream on without running it. [Service.Call] is an InvokeFunc.
type InvokeFunc func(ctx context.Context, resource, method string, input any) (any, error)

// A Service is a compiled interface: a table of methods with their routes, plans and calls. It
// never changes and is safe for concurrent use. Between requests it keeps only their number. The
// zero Service has no methods and cannot be served.
type Service struct{ service }

// A service is the part of a Service that handlers need. It has no exported methods, so that the
// linker can leave out the transports that a program does not use.
type service struct {
	// Invariants:
	//
	//	methods is not empty, and no two have the same route or the same name
	//	names has every method by its name and its aliases
	//	typeNames has every shape in types, and two types never share a name

	opts       Options // for documents and whole requests: after Join, methods have their own in their config
	about      prose   // Options.Description, or the comment of the interface
	prefix     string  // of REST paths: "" or, after At, "/v1"
	cookies    bool    // a scheme uses a Cookie; see checkCookieSite
	methods    []*method
	webhooks   []*method              // the events that it sends, by name; see compileWebhook
	names      map[methodName]*method // by every name they answer to
	rivals     map[*method][]*method  // whose routes take requests of a method; see checkRoutes
	types      []*shape               // every named type that the methods reach
	typeNames  map[*shape]string      // in documents
	workspaces *sync.Pool             // of *workspace; see call.go
	load       *load                  // its current load, shared with all services that At derived from it
}

// A methodName is a name that a method answers to, Method.Name or an alias.
type methodName struct{ resource, method string }

// Register compiles the interface I and its implementation:
//
//	s, err := svc.Register[TodoAPI](impl, nil)
//
// Always write the interface in brackets: Go would infer the type of impl. A nil opts stands for
// the defaults. The error lists every mistake in the interface, its types and opts, with a
// correction for each.
func Register[I any](impl I, opts *Options) (*Service, error) {
	return register(reflect.TypeFor[I](), impl, opts)
}

// MustRegister is like [Register], but panics on an error. It is for the start of a program.
func MustRegister[I any](impl I, opts *Options) *Service {
	s, err := Register(impl, opts)
	if err != nil {
		panic(err)
	}
	return s
}

// register is Register without the type parameter, so that registration is
// compiled once and not for every interface.
func register(iface reflect.Type, impl any, opts *Options) (*Service, error) {
	p := new(mistakes)
	v := reflect.ValueOf(impl) // a nil pointer is probably a forgotten assignment
	switch {
	case iface.Kind() != reflect.Interface:
		p.addf("%v is not an interface; write Register[TodoAPI](…) with the interface it implements", iface)
	default:
		if impl == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			p.addf("the implementation of %v is nil", iface)
			impl = struct{}{} // it is never called
		}
		if s := compileService(p, iface, impl, opts.withDefaults(iface)); len(p.list) == 0 {
			return &Service{*s}, nil
		}
	}
	return nil, p.err("cannot register " + iface.String())
}

// withDefaults returns a copy of opts, which may be nil, with the defaults filled in.
func (opts *Options) withDefaults(iface reflect.Type) Options {
	o := *cmp.Or(opts, new(Options))
	if o.Name == "" && iface.Name() != "" {
		o.Name = documentName(iface.Name(), 0)
	}
	o.Version = cmp.Or(o.Version, "0.1.0")
	o.Resource = cmp.Or(o.Resource, strings.Join(splitWords(o.Name), "_"))
	o.Path = cmp.Or(strings.Trim(o.Path, "/"), o.Resource)
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.Schemes = slices.Clone(o.Schemes)
	// One spelling of a header, so that schemes can be compared, and with the fields of inputs.
	for i := range o.Schemes {
		o.Schemes[i].Header = http.CanonicalHeaderKey(o.Schemes[i].Header)
	}
	if o.Schemes == nil && o.Defaults.Auth == bearer.Type {
		o.Schemes = []Scheme{bearer}
	}
	o.BodyTimeout = cmp.Or(o.BodyTimeout, DefaultBodyTimeout)
	return o
}

// compileService compiles every method and checks the options. It adds mistakes to p; the service
// can be used only if it adds none.
func compileService(p *mistakes, iface reflect.Type, impl any, o Options) *service {
	c := newMethodCompiler(p, iface, impl, o)
	methods, about := c.compileMethods(), plainProse(o.Description)
	p.where = ""
	p.checkMethodNames(iface, o.Methods)

	if o.Comments != nil && impl != nil && o.Description == "" {
		comment, _ := o.Comments.typeComment(iface) // compileMethods has noted mistakes in it
		about = comment.whole()
	}
	usesDefault := func(m *method) bool { return m.resource == o.Resource }
	p.addIf(!isResource(o.Resource) && slices.ContainsFunc(methods, usesDefault),
		"Options.Resource is %q; want letters, digits, - and _, since paths and tool names are made from it", o.Resource)
	wrong := wrongToolName(o.ToolPrefix + "_")
	p.addIf(o.ToolPrefix != "" && o.ToolPrefix != "-" && wrong != "",
		"Options.ToolPrefix is %q; want letters, digits, - and _ of ASCII, a letter or _ first, or \"-\" for no prefix", o.ToolPrefix)
	checkDocuments(p, o)
	checkPath(p, o)
	checkSchemes(p, o)
	checkErrors(p, "Options", o.Errors, nil)
	if o.ContentType != "" {
		p.checkContentType("Options", o.ContentType)
	}
	p.addIf(o.ErrorForm != nil && o.OnError != nil, "Options has an ErrorForm and an OnError; set one, since each writes all errors")

	types := c.shapes.named // compiling the methods has found them
	for _, form := range o.ErrorForm.forms() {
		types = append(types, form.types...)
	}
	if o.Webhooks != nil {
		types = append(slices.Clone(types), webhookTypes(o.Webhooks)...)
		slices.SortStableFunc(types, compareTypes) // a type can be of a method too
	}
	s := newService(p, o, about, methods, types)
	taskCompiler{p, methods, o.Methods}.compileTasks()

	isKeeper := o.Idempotency == nil || o.Idempotency.Run != nil && o.Idempotency.KeepFor >= 0
	p.addIf(!isKeeper, "Options.Idempotency needs a Run that keeps the records, as in doc/keys.md, "+
		"and a KeepFor that is not negative; 0 means 24 hours")
	p.addIf(o.MaxConcurrent < 0, "Options.MaxConcurrent is %d; want how many requests are worked on at once, or 0 for no limit",
		o.MaxConcurrent)
	if o.Intercept != nil {
		c.intercepted = o.Intercept(invokeIntercepted)
		p.addIf(c.intercepted == nil, "Options.Intercept returns nil; return the function that it gets, or one that calls it")
	}
	return s
}

// checkMethodNames notes options of methods that iface does not have.
func (p *mistakes) checkMethodNames(iface reflect.Type, options map[string]MethodOptions) {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if _, ok := iface.MethodByName(name); !ok {
			p.addf("Options.Methods[%q]: %v has no method of that name%s", name, iface, suggestMethod(iface, name))
		}
	}
}

// newService returns a service of these methods, for Register and Join: it gives names to the
// methods and to their types, and checks what only all of them together can have wrong. types has
// every named type that they reach; the order of a name's types decides their names in documents.
func newService(p *mistakes, o Options, about prose, methods []*method, types []*shape) *service {
	s := &service{opts: o, about: about, methods: methods, webhooks: listWebhooks(p, o.Webhooks), types: types, workspaces: new(sync.Pool)}
	s.load = newLoad(o.MaxConcurrent, o.MaxStreams, slices.ContainsFunc(methods, (*method).needsCaller),
		slices.ContainsFunc(methods, func(m *method) bool { return m.needsCaller() && (m.stream != "" || m.sendsFile()) }))
	s.cookies = slices.ContainsFunc(methods, func(m *method) bool {
		return slices.ContainsFunc(m.schemes, func(s Scheme) bool { return s.Cookie != "" })
	})
	s.typeNames = nameTypes(p, types, listParts(methods))
	s.names = nameMethods(p, methods)
	s.rivals = checkRoutes(p, methods)
	checkOperationIDs(p, methods)
	checkMCPNames(p, methods)
	return s
}

// checkPath notes mistakes in Options.Path, unless it is the resource.
func checkPath(p *mistakes, o Options) {
	if o.Path == o.Resource {
		return
	}
	r, err := parsePattern("GET /" + o.Path)
	p.addIf(err != nil, "Options.Path is %q; want segments of a path without placeholders, such as orders", o.Path)
	p.addIf(len(r.placeholders) > 0, "Options.Path is %q, and has no placeholders; "+
		"write the route of each method in Options.Methods, such as {HTTP: %q}", o.Path, "GET /"+o.Path)
}

// checkErrors adds a mistake for each declared error that is not an error, and for each reason that
// clients could not rely on. beside are other errors that the methods declare.
func checkErrors(p *mistakes, of string, list, beside []*Error) {
	for i, e := range list {
		clashes := func(other *Error) bool {
			return other != nil && e.reason != "" && other.reason == e.reason && other.Code != e.Code
		}
		switch {
		case e == nil:
			p.addf("%s.Errors[%d] is nil; is a package variable set later than it is used here?", of, i)
		case e.Code != e.code():
			p.addf("%s.Errors[%d] has the code %q, which no error has; write one of the constants, such as CodeNotFound", of, i, e.Code)
		case isOwnReason(e.reason):
			p.addf("%s.Errors[%d] has the reason %q, which is one of svc itself; choose another name", of, i, e.reason)
		case slices.ContainsFunc(list[:i], clashes), slices.ContainsFunc(beside, clashes):
			p.addf("%s.Errors[%d] has the reason %q with the code %s, and another declared error has it with another code; "+
				"give one of them another reason", of, i, e.reason, e.Code)
		}
	}
}

// checkSchemes notes each wrong scheme of o, and an Auth that contradicts them.
func checkSchemes(p *mistakes, o Options) {
	for i, s := range o.Schemes {
		p.where = fmt.Sprintf("Options.Schemes[%d]", i)
		checkScheme(p, s)
		p.where = ""
		p.addIf(slices.Contains(o.Schemes[:i], s), "Options.Schemes[%d] is there twice; remove one of the two", i)
	}
	auth := o.Defaults.Auth
	p.addIf(auth != "" && auth != bearer.Type,
		"Options.Defaults.Auth is %q; want %q or nothing, and Options.Schemes for other credentials", auth, bearer.Type)
	p.addIf(auth == bearer.Type && !slices.Contains(o.Schemes, bearer),
		"Options.Defaults.Auth is %q, and Options.Schemes has no such scheme; add it there, or remove Auth", auth)
}

// bearer is the scheme of Defaults.Auth.
var bearer = Scheme{Type: "bearer"}

// listSchemes returns the schemes of methods, each once, as documents show them. If two have the
// same name, the second gets a number, such as apiKey2.
func listSchemes(methods []*method) (list []scheme) {
	scopes, count := make(map[Scheme]map[string]string), make(map[string]int)
	for _, m := range methods {
		for _, source := range m.schemes {
			if scopes[source] == nil {
				scopes[source] = make(map[string]string) // scopes have no descriptions
				list = append(list, scheme{source: source})
			}
			for _, scope := range m.scopes {
				scopes[source][scope] = ""
			}
		}
	}
	for i, d := range list {
		list[i] = d.source.describe(scopes[d.source])
		count[d.source.Type]++
		if n := count[d.source.Type]; n > 1 {
			list[i].Name += strconv.Itoa(n)
		}
	}
	return list
}

// isLicense reports whether text has the form of a license expression (SPDX 2.3, annex D), such
// as "MIT OR (Apache-2.0 AND BSD-3-Clause)", whatever its parentheses enclose.
func isLicense(text string) bool {
	isOther := func(r rune) bool { return !isNameRune(r) && !strings.ContainsRune(".+-", r) }
	for i, word := range strings.Split(text, " ") {
		isOperator := word == "AND" || word == "OR" || word == "WITH"
		name := strings.TrimRight(strings.TrimLeft(word, "("), ")")
		if i%2 == 1 && !isOperator || i%2 == 0 && (name == "" || strings.ContainsFunc(name, isOther)) {
			return false
		}
	}
	return strings.Count(text, " ")%2 == 0 && strings.Count(text, "(") == strings.Count(text, ")")
}

// checkDocuments notes mistakes in the options that are about documents alone.
func checkDocuments(p *mistakes, o Options) {
	u, err := url.Parse(o.Contact)
	isURL := err == nil && u.Scheme == "https" && u.Host != ""
	name, host, _ := strings.Cut(o.Contact, "@")
	isEmail := name != "" && host != "" && !strings.ContainsAny(o.Contact, " \t\r\n<>:/") && !strings.Contains(host, "@")
	p.addIf(o.Contact != "" && !isURL && !isEmail,
		"Options.Contact is %q; want a URL such as https://example.com/help, or an e-mail address such as help@example.com", o.Contact)
	p.addIf(o.License != "" && !isLicense(o.License), "Options.License is %q; want an SPDX identifier, such as Apache-2.0", o.License)
	_, ok := dialectOf(o.OpenAPI)
	p.addIf(!ok, "Options.OpenAPI is %q; there are 3.0, 3.1 and 3.2", o.OpenAPI)
}

// suggestMethod is suggestName for a method of iface.
func suggestMethod(iface reflect.Type, name string) string {
	var known []string
	for i := range iface.NumMethod() {
		known = append(known, iface.Method(i).Name)
	}
	return suggestName(name, newKnownNames(known))
}

// Join returns one service with the methods of all services: one set of routes and one document.
// Each method keeps the options of its own service. Options that belong to no method come from the
// first service. doc/versions.md lists them, and shows how to join versions.
//
// Join panics without services, if one is nil, or if they differ in Defaults.BaseURL, MaxConcurrent
// or MaxStreams. It also panics if two methods have the same route, the same OperationID, or the
// same name in the same resource, or if an [MCPMethod] or a ToolPrefix gives two tools one name.
// The joined service counts its requests separately from the services that it joins.
func Join(name string, services ...*Service) *Service {
	p := new(mistakes)
	p.addIf(len(services) == 0, "there is nothing to join")
	var first *service
	var methods []*method
	var types []*shape
	var webhooks []*Webhooks
	for i, s := range services {
		if s == nil {
			p.addf("service %d is nil", i+1)
			continue
		}
		if first == nil {
			first = &s.service
		}
		first.checkJoined(p, &s.service)
		for _, m := range s.methods {
			if m.path != "" && s.prefix != "" { // empty without REST
				moved := *m // s goes on with its own paths
				moved.path = s.prefix + m.path
				m = &moved
			}
			methods = append(methods, m)
		}
		types = append(types, s.types...)
		webhooks = append(webhooks, s.opts.Webhooks...)
	}
	first = cmp.Or(first, new(service))
	o := first.opts
	o.Name, o.Webhooks = name, webhooks
	slices.SortStableFunc(types, compareTypes) // names are given in this order
	j := newService(p, o, first.about, methods, types)
	p.panicIfAny("cannot join " + name)
	return &Service{*j}
}

// checkJoined notes the options that s and other must have alike to be joined.
func (s *service) checkJoined(p *mistakes, other *service) {
	p.addIf(other.opts.Defaults.BaseURL != s.opts.Defaults.BaseURL,
		"%s and %s differ in Options.Defaults.BaseURL, of which one document has one", s.opts.Name, other.opts.Name)
	p.addIf(other.opts.MaxConcurrent != s.opts.MaxConcurrent,
		"%s and %s have %d and %d as Options.MaxConcurrent, of which the requests to all have one",
		s.opts.Name, other.opts.Name, s.opts.MaxConcurrent, other.opts.MaxConcurrent)
	p.addIf(other.opts.MaxStreams != s.opts.MaxStreams,
		"%s and %s have %d and %d as Options.MaxStreams, of which the requests to all have one",
		s.opts.Name, other.opts.Name, s.opts.MaxStreams, other.opts.MaxStreams)
}

// listParts returns the suffixes of the components that documents make of a part of a type, each
// once: the fields of an input that are in the body, and the fields of an output that are not headers.
func listParts(methods []*method) map[reflect.Type][]string {
	parts := make(map[reflect.Type][]string)
	add := func(s *shape, part string) {
		if !slices.Contains(parts[s.typ], part) {
			parts[s.typ] = append(parts[s.typ], part)
		}
	}
	for _, m := range methods {
		if m.bind != nil && m.bind.rest.body != nil && m.bind.rest.inBody != m.in { // nil after a mistake
			add(m.in, "Body")
		}
		if m.form && m.in != nil {
			add(m.in, "Form")
		}
		if m.hasHeaderMembers() {
			add(m.out, "Response")
		}
	}
	return parts
}

// hasHeaderMembers reports whether a header of the output is also a member, on other transports.
func (m *method) hasHeaderMembers() bool {
	return m.headers != nil && slices.ContainsFunc(m.headers.fields, func(h outputHeader) bool { return !h.hidden })
}

// compareTypes orders shapes by package, name and strictness. Types of one name get their
// names in documents in this order, whatever the order of the arguments of Join.
func compareTypes(a, b *shape) int {
	strict := func(s *shape) string { return strconv.FormatBool(s.strict) } // "false" comes before "true"
	s, t := a.typ, b.typ
	return cmp.Or(strings.Compare(s.PkgPath(), t.PkgPath()), strings.Compare(s.Name(), t.Name()), strings.Compare(a.suffix, b.suffix),
		strings.Compare(a.value, b.value), strings.Compare(strict(a), strict(b)))
}

// At returns the same service under a path prefix: At("/v1") serves GET /v1/todos if s serves GET
// /todos. A missing leading slash is added and trailing slashes are removed; "" and "/" change
// nothing. Names on other transports do not change. It panics if the prefix is not a plain path.
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

// A ServiceDescriptor describes a service to programs. Its JSON has names in
// lowerCamelCase and leaves out absent fields.
type ServiceDescriptor struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Resources   []Resource `json:"resources"`
	Types       []TypeInfo `json:"types"` // every named type once, sorted by name
}

// A Resource is a group of methods with one name: the first segment of their paths, unless an
// HTTP pattern says otherwise, and the first part of their names on other transports.
type Resource struct {
	Name    string   `json:"name"`
	Methods []Method `json:"methods"` // in the order of their Go names
}

// A Method is one method of a service.
type Method struct {
	Name        string      `json:"name"`                  // mark_done for MarkDone
	Description string      `json:"description,omitempty"` // MethodOptions.Description, else the comment; or ""
	Input       *TypeInfo   `json:"input,omitempty"`       // nil without an input
	Output      *TypeInfo   `json:"output,omitempty"`      // nil without an output
	HTTP        HTTPBinding `json:"http"`                  // zero if REST does not serve the method
	Stream      StreamMode  `json:"stream,omitempty"`      // "" if REST sends one record, or may; Output is one item of a stream
}

// A TypeInfo describes the type of an input or an output.
type TypeInfo struct {
	Name   string         `json:"name"`   // as in documents; "" for a type without a name
	Kind   string         `json:"kind"`   // of package reflect: "struct", "string"
	Schema map[string]any `json:"schema"` // JSON Schema 2020-12, complete in itself; see Descriptor
}

// An HTTPBinding is the REST route of a method, with the prefix of [Service.At]. It is zero if REST
// does not serve the method.
type HTTPBinding struct {
	Method string `json:"method"` // the verb, in capitals
	Path   string `json:"path"`   // with placeholders, as in "/todos/{id}"
}

// Scopes returns the scopes of all methods, each once and sorted, for example for
// [BearerOptions].ScopesSupported.
func (s *Service) Scopes() []string {
	scopes := []string{}
	for _, m := range s.methods {
		scopes = append(scopes, m.scopes...)
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// Descriptor returns a new description of the service, which you may change. It shows every method,
// whatever its transports and whoever may call it. Schemas of more than 4 KiB refer to types under
// $defs, which is the same map in all of them.
func (s *Service) Descriptor() *ServiceDescriptor {
	d := &ServiceDescriptor{Name: s.opts.Name, Description: s.about.markdown, Resources: []Resource{}, Types: []TypeInfo{}}
	schemas := s.newDescriber()
	for _, m := range s.methods {
		i := slices.IndexFunc(d.Resources, func(r Resource) bool { return r.Name == m.resource })
		if i < 0 {
			i = len(d.Resources)
			d.Resources = append(d.Resources, Resource{Name: m.resource})
		}
		d.Resources[i].Methods = append(d.Resources[i].Methods, schemas.describeMethod(m))
	}
	for _, t := range s.types {
		d.Types = append(d.Types, *schemas.typeInfo(t))
	}
	// In joined services, several shapes can be the same type, with the same name.
	slices.SortStableFunc(d.Types, func(a, b TypeInfo) int { return strings.Compare(a.Name, b.Name) })
	d.Types = slices.CompactFunc(d.Types, func(a, b TypeInfo) bool { return a.Name == b.Name })
	return d
}

// documentInfo returns the Info Object of documents about the service. identified says that
// licenses have an identifier, as in OpenAPI since 3.1. about is the description of the service.
func (s *service) documentInfo(identified bool, about string) []byte {
	o := &s.opts
	var contact, license []byte
	switch {
	case strings.Contains(o.Contact, "://"):
		contact = object("url", o.Contact)
	case o.Contact != "":
		contact = object("email", o.Contact)
	}
	switch {
	case identified && o.License != "":
		license = object("name", o.License, "identifier", o.License)
	case o.License != "":
		license = object("name", o.License)
	}
	return object("title", o.Name, "description", about, "contact", contact, "license", license, "version", o.Version)
}

// A describer describes the methods and types of a service. Large schemas share one map under
// $defs. Otherwise, if types contain each other, each schema would repeat nearly all of them.
type describer struct {
	service *service
	writer  schemaWriter
	shared  *components
	defs    map[string]any
}

func (s *service) newDescriber() *describer {
	w := schemaWriter{sent: sentTypes(s.methods)}
	return &describer{s, w, w.newDefs(s.typeNames, func(*shape) bool { return true }), make(map[string]any)}
}

func (d *describer) describeMethod(m *method) Method {
	out := Method{Name: m.name, Description: m.about.markdown, Input: d.typeInfo(m.in), Output: d.typeInfo(m.out)}
	if !m.either {
		out.Stream = m.stream
	}
	if m.path != "" {
		out.HTTP = HTTPBinding{m.verb, d.service.prefix + m.path}
	}
	return out
}

// typeInfo returns the description of a type, or nil if t is nil. The numbers in its schema
// are json.Number, since a float64 cannot hold bounds of 64 bits.
func (d *describer) typeInfo(t *shape) *TypeInfo {
	if t == nil {
		return nil
	}
	info := &TypeInfo{Name: d.service.typeNames[t], Kind: t.typ.Kind().String()}
	text, isSmall := d.writer.writeOut(t, d.service.typeNames)
	if !isSmall {
		m := d.shared.openSchema(t)
		text = m.close()
	}
	info.Schema = readSchema(text)
	if !isSmall {
		for name, text := range d.shared.writeSchemas() {
			if d.defs[name] == nil {
				d.defs[name] = readSchema(text)
			}
		}
		info.Schema["$defs"] = d.defs
	}
	return info
}

// sentTypes returns the structs in the inputs of methods, which clients send.
func sentTypes(methods []*method) map[reflect.Type]bool {
	return structsOf(methods, func(m *method) *shape { return m.in })
}

// structsOf returns the structs in one side of methods: the inputs or the outputs.
func structsOf(methods []*method, side func(*method) *shape) map[reflect.Type]bool {
	found, done := make(map[reflect.Type]bool), make(map[*shape]bool)
	for _, m := range methods {
		if s := side(m); s != nil {
			s.reaches(done, func(s *shape) bool {
				if s.kind == kindObject {
					found[s.typ] = true
				}
				return false
			})
		}
	}
	return found
}

// invokeIntercepted is the function that Options.Intercept wraps. The call that ctx
// belongs to does the rest: which method it is, and which function replaces it.
func invokeIntercepted(ctx context.Context, resource, method string, input any) (any, error) {
	c, ok := ctx.Value(callKey{}).(runningCall)
	if !ok {
		return nil, &Error{Code: CodeInternal,
			cause: fmt.Errorf("Options.Intercept passed on a context that is not derived from the one it got")}
	}
	return c.callIntercepted(ctx, resource, method, input)
}

// A callKey is the key of the runningCall in a context.
type callKey struct{}

// A runningCall calls its method; see call.callIntercepted.
type runningCall interface {
	callIntercepted(ctx context.Context, resource, method string, input any) (any, error)
}

// An Observation tells [Options].Observe about one call. Each call is observed once, including
// rejected ones. doc/production.md lists what counts as a call, and the error of each. Requests
// that reach no method are not observed.
//
// Observe is called after the answer is known and before it is sent, on the goroutine of the call.
// It must be safe for concurrent use, and the client waits for it. ctx belongs to the call, for
// [InfoFrom]. A panic in Observe is logged and does not change the answer.
type Observation struct {
	Transport Transport     // of the call
	Resource  string        // of the method; empty for one of MCPOptions.Methods
	Method    string        // Method.Name
	Route     string        // the pattern of the REST route, "GET /todos/{id}"; empty on other transports
	Err       error         // as in the log, with its cause; nil for success. CodeOf(Err) has few values
	Duration  time.Duration // since the request
	Replayed  bool          // the answer of an earlier call with the same idempotency key was sent
	// Status is the HTTP status of the response; for an error, the status that [WriteError] sends.
	// It is 0 if the call does not have its own response, as in a batch.
	Status int
	// RPC is the method name of the message: "todos.mark_done" over JSON-RPC, "tools/call" over
	// MCP. It is empty over REST and for a [Service.Call].
	RPC string
}
