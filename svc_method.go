package svc

// This file compiles one method of the interface. In this order:
//
//   - method and config: the parts of a compiled method
//   - the compiler: signature, types, plans
//   - names, and the checks between methods
//
// svc_route.go finds its route, and svc_direct.go calls it.

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// A method is one method of a service, ready to be called. It is compiled once;
// after that many goroutines read it and nothing writes it.
//
// Invariants:
//
//	call is set, and calls the method of the implementation, unless m is the
//	  method of a client
//	in and bind are set if the method takes an input, and nil otherwise
//	out, outType, result and encode are set if it returns an output
//	path is set if REST serves the method, and "" otherwise
//	stream, each, item and encodeItem are set if the outputs are sent as items.
//	  item is out, and result is the record of all items, for transports that
//	  send one answer. Otherwise result is out
//	either is set if the output is a ValueOrStream. out, outType aside, is then
//	  the value, and result is a union of out and of the record of all items
type method struct {
	*config
	route
	goName   string
	name     string // Method.Name
	resource string
	served   []Transport // the transports that serve it
	methodTexts
	methodCallers
	errors   []*Error // of MethodOptions.Errors and Options.Errors
	declares bool     // MethodOptions.Errors is set, so other codes are a mistake of the method
	limits   limits   // on its body over REST
	status   int      // of success over REST; the usual one if chosen is set
	in       *shape   // of the struct, not of the pointer to it
	bind     *binding // where each field of in comes from; see noBinding for a method without an input
	methodOutput
	call callFunc  // without the interceptor
	key  *keyPlan  // nil if calls cannot have an idempotency key
	mcp  *mcpPlan  // MethodOptions.MCP; never nil in a service
	task *taskPlan // nil without MethodOptions.Task
}

// methodTexts are the documentation of a method, from its options or its comment.
type methodTexts struct {
	id          string // MethodOptions.OperationID; see method.operationID
	about       prose  // MethodOptions.Description, or the comment without end
	described   bool   // about is the Description
	end         prose  // the part of the comment after "Deprecated: "
	place       int    // in the source, from 1; 0 without a comment of the interface
	deprecated  bool   // by its options or its comment
	deprecation *Deprecation
}

// methodCallers says who may call a method.
type methodCallers struct {
	schemes []Scheme // of the service; any of them lets a caller in
	public  bool     // callable without credentials, although the service has schemes
	scopes  []string // the caller must have all of them; each once
}

// A methodOutput describes the output of a method and how it is sent. It is zero without an output.
type methodOutput struct {
	out        *shape       // of one output, or of one item of a stream
	outType    reflect.Type // the type that the method returns: *Out, a stream of them or a *ValueOrStream
	encode     encodeFunc
	either     bool // the output is a ValueOrStream
	item       *shape
	encodeItem encodeFunc
	headers    *outputHeaders // of REST responses; nil without header tags
	chosen     *statusField   // nil without a field for the status
	stream     StreamMode     // "" if the output is sent as one record
	streamEnd  string         // MethodOptions.StreamEnd
	mediaType  string         // of a record over REST
	bare       bool           // the output is only headers and a status, so its response has no body
	dropped    *atomic.Bool   // the log has reported a header that the method sets but that cannot be sent
	each       eachFunc       // calls yield for each item of what call returned
	result     *shape         // of a whole answer
}

// A config holds the options that the methods of one service share. Join makes a service of methods
// with different configs. Only registration writes it.
type config struct {
	iface       reflect.Type
	strict      bool
	keyNames    []string   // the query parameters that contain the keys of Options.Schemes
	baseURL     string     // Defaults.BaseURL
	toolPrefix  string     // Options.ToolPrefix
	errorForm   *ErrorForm // nil without
	onError     ErrorWriter
	logger      *slog.Logger
	observe     func(context.Context, Observation)
	words       func(context.Context, Violation) string
	eventTimes  eventTimes
	intercepted InvokeFunc // what Options.Intercept returned; nil without
}

// newConfig returns the config of a service with these options, in which defaults are filled in.
func newConfig(iface reflect.Type, o Options) *config {
	c := &config{
		iface: iface, strict: o.Strict, baseURL: o.Defaults.BaseURL, toolPrefix: o.ToolPrefix, errorForm: o.ErrorForm, onError: o.OnError,
		logger: o.Logger, observe: o.Observe, words: o.Words, eventTimes: defaultEventTimes,
	}
	for _, s := range o.Schemes {
		if s.Query != "" {
			c.keyNames = append(c.keyNames, s.Query)
		}
	}
	return c
}

// A callFunc calls a method of one implementation. in is a pointer to the input,
// or nil if the method takes none. out is a pointer to the output, a stream, or
// nil; never an interface that holds a nil pointer.
type callFunc func(ctx context.Context, in any) (out any, err error)

// typeError is the type of the last result of every method.
var typeError = reflect.TypeFor[error]()

// appendRecord appends the JSON of an output, of one item of a stream or of an input, by its
// encoder. Any error is INTERNAL, whatever code MarshalJSON returns: the method itself has not
// failed, and the client cannot fix it.
func appendRecord(e *encoder, dst []byte, out any, encode encodeFunc) ([]byte, error) {
	*e = encoder{buf: dst}
	encode(e, reflect.ValueOf(out).Elem())
	if e.err != nil {
		return e.buf, &Error{Code: CodeInternal, cause: e.err}
	}
	return e.buf, nil
}

// label returns the name of the method for people, such as "todos: mark done".
func (m *method) label() string { return m.resource + ": " + strings.ReplaceAll(m.name, "_", " ") }

// summary returns the first sentence of the description, or the label without one.
func (m *method) summary() string { return cmp.Or(firstSentence(m.about.text), m.label()) }

// describe returns the description of the method for documents, including the texts about tasks and
// deprecation.
func (m *method) describe() prose {
	return m.about.join("\n\n", m.describeTask()).join("\n\n", m.farewell())
}

// farewell returns a text about the deprecation of a method, or nothing.
func (m *method) farewell() prose {
	switch {
	case m.deprecation != nil:
		return plainProse(m.deprecation.text()).join(" ", m.end)
	case m.deprecated:
		return goComment{end: cmp.Or(m.end, plainProse("it may go away."))}.whole()
	}
	return prose{}
}

// setComment adds the comment of a method to its texts. An explicit Description replaces the
// comment.
func (m *method) setComment(place int, c goComment) {
	m.end, m.place, m.deprecated = c.end, place, m.deprecated || c.deprecated
	if !m.described {
		m.about = c.about
	}
}

// inSourceOrder returns methods in the order for readers. If a service has comments, its methods
// are in the order of the source, and methods with an unknown place come last. Everything else in a
// service is sorted by name, so that moving a method in the source does not change names that
// clients depend on, such as the names of components and operations.
func inSourceOrder(methods []*method) []*method {
	ordered := slices.Clone(methods)
	for list := ordered; len(list) > 0; {
		n := slices.IndexFunc(list, func(m *method) bool { return m.config != list[0].config })
		if n < 0 {
			n = len(list)
		}
		slices.SortStableFunc(list[:n], func(a, b *method) int { return a.place - b.place })
		list = list[n:]
	}
	return ordered
}

// title returns the name of the method for mistakes.
func (m *method) title() string { return m.titleOf(m.goName) }

// titleOf returns the name of a method for mistakes: TodoAPI.Create, or just Create if the
// interface has no name.
func (c *config) titleOf(goName string) string {
	if name := nameOf(c.iface); name != "" {
		return name + "." + goName
	}
	return goName
}

// nameOf returns the name of an interface type in its own package, with [...]
// for type arguments, as in the texts of Go itself. It is empty for a type
// without a name.
func nameOf(iface reflect.Type) string {
	name, _, generic := strings.Cut(iface.Name(), "[")
	if generic {
		name += "[...]"
	}
	return name
}

// A methodCompiler compiles the methods of one interface. It notes mistakes and
// goes on, so that one run finds them all.
type methodCompiler struct {
	*mistakes
	*config
	opts Options // with defaults
	impl any     // nil for a client

	shapes   *shapes
	decoders *decoders
	encoders *encoders
	bindings map[bindingKey]*binding
	closed   map[*shape]bool                        // the shapes closed by closeObjects
	statuses map[reflect.Type][]reflect.StructField // the results of statusFields
}

// A bindingKey identifies the binding of an input: equal keys share it.
type bindingKey struct {
	in              *shape
	placeholders    string
	tail            bool
	hasBody, isRead bool
	noRoute         bool
	isForm          bool
}

// newMethodCompiler returns a compiler that notes mistakes in p.
func newMethodCompiler(p *mistakes, iface reflect.Type, impl any, o Options) *methodCompiler {
	if o.ErrorForm != nil {
		form := *o.ErrorForm
		form.logger = o.Logger
		for _, each := range form.forms() {
			p.list = append(p.list, each.mistakes...)
		}
		o.ErrorForm, o.OnError = &form, form.Write
	}
	shapes := newShapes(p)
	if impl != nil {
		shapes.comments = o.Comments
	}
	shapes.schemas = o.Schemas
	p.checkSchemas(o.Schemas)
	return &methodCompiler{
		mistakes: p, impl: impl, opts: o,
		config: newConfig(iface, o),
		shapes: shapes, decoders: newDecoders(p,
			o.Strict), encoders: newEncoders(false), bindings: make(map[bindingKey]*binding), closed: make(map[*shape]bool),
		statuses: make(map[reflect.Type][]reflect.StructField),
	}
}

// compileMethods compiles every method, in the order of their names. The shapes
// of all methods come before the plans of any: a plan depends on which types
// contain themselves, which is known only when all types have been walked.
func (c *methodCompiler) compileMethods() []*method {
	c.addIf(c.iface.NumMethod() == 0, "%v has no methods", c.iface)
	var methods []*method
	misshapen := make(map[*method]bool)
	textsOf := c.methodComments()
	for i := range c.iface.NumMethod() {
		if m, whole := c.compileMethod(c.iface.Method(i)); m != nil {
			m.setComment(textsOf(m.goName))
			methods, misshapen[m] = append(methods, m), !whole
		}
	}
	c.where = ""
	c.shapes.checkKeyTags(inputsOf(methods))
	c.shapes.finishShapes()
	for _, m := range methods { // including methods with mistakes, whose fields and defaults may have more
		c.where = m.title()
		c.compilePlans(m, misshapen[m])
	}
	return methods
}

// methodComments returns a function that returns the place of a method in the source, from 1, and
// its comment. A method of an interface that is not in the sources has the last place. Without
// Options.Comments all places are 0. A client does not show comments, so it reads none.
func (c *methodCompiler) methodComments() func(name string) (int, goComment) {
	if c.opts.Comments == nil || c.impl == nil {
		return func(string) (int, goComment) { return 0, goComment{} }
	}
	c.list = append(c.list, c.opts.Comments.mistakes...)
	list, mistake := c.opts.Comments.methodComments(c.iface)
	c.addIf(mistake != "", "%s", mistake)
	places := make(map[string]int)
	for i, m := range list {
		places[m.name] = i + 1
	}
	return func(name string) (int, goComment) {
		if place := places[name]; place > 0 {
			return place, list[place-1].goComment
		}
		return len(list) + 1, goComment{}
	}
}

// inputsOf returns the inputs of these methods.
func inputsOf(methods []*method) (inputs []*shape) {
	for _, m := range methods {
		if m.in != nil {
			inputs = append(inputs, m.in)
		}
	}
	return inputs
}

// A methodSpec is what the interface and the options say of a method.
type methodSpec struct {
	rm reflect.Method
	signature
	whole   bool          // the signature has no mistake
	words   []string      // of the name; see splitWords
	options MethodOptions // of this method alone
	in, out *shape
}

// compileMethod compiles the types, the route and the call of a method. It returns nil for an
// unexported method. If the signature has a mistake, whole is false, and m contains the readable
// parts.
func (c *methodCompiler) compileMethod(rm reflect.Method) (m *method, whole bool) {
	c.where = c.titleOf(rm.Name)
	if !rm.IsExported() {
		c.addf("the method is not exported; export it or remove it from the interface")
		return nil, false
	}
	spec := c.readSpec(rm)
	return c.planMethod(&spec), spec.whole
}

// readSpec reads the signature, the options and the types of a method. It checks the options even
// if the signature is wrong, to report all mistakes of a method at once.
func (c *methodCompiler) readSpec(rm reflect.Method) methodSpec {
	o, before := c.opts.Methods[rm.Name], len(c.list)
	s := methodSpec{rm: rm, signature: c.readSignature(rm.Type), words: splitWords(rm.Name), options: o}
	s.whole = len(c.list) == before
	c.addIf(o.Resource != "" && !isResource(o.Resource),
		"MethodOptions.Resource is %q; want letters, digits, - and _, since paths and tool names are made from it", o.Resource)
	c.addIf(o.OperationID != "" && !isOperationID(o.OperationID),
		"MethodOptions.OperationID is %q; want visible characters without blanks, such as createTodo or todos/create", o.OperationID)
	c.checkCallers(o)
	checkErrors(c.mistakes, "MethodOptions", o.Errors, c.opts.Errors)
	s.in, s.out = c.compileObject(s.signature.in, asInput), c.compileObject(s.signature.out, asOutput)
	if c.opts.Strict && s.in != nil { // Strict is about inputs alone
		s.in.closeObjects(c.closed)
	}
	c.addIf(o.Stream != "" && o.Stream != StreamSSE, "the stream mode %q is unknown; there is StreamSSE, %q", o.Stream, StreamSSE)
	return s
}

// planMethod decides what a method is on its transports. Each step may read what the steps before
// it have set.
func (c *methodCompiler) planMethod(s *methodSpec) *method {
	o := s.options
	m := &method{
		config:   c.config,
		goName:   s.rm.Name,
		name:     strings.Join(s.words, "_"),
		resource: cmp.Or(o.Resource, c.opts.Resource), // compileService checks it
		methodTexts: methodTexts{
			id: o.OperationID, about: plainProse(o.Description), described: o.Description != "",
			deprecated: o.Deprecated || o.Deprecation != nil, deprecation: c.compileDeprecation(o.Deprecation),
		},
		methodCallers: methodCallers{schemes: c.opts.Schemes, public: o.Public, scopes: missingScopes(nil, o.Scopes)},
		errors:        slices.Concat(o.Errors, c.opts.Errors),
		declares:      o.Errors != nil,
		limits:        limits{cmp.Or(o.MaxBody, c.opts.MaxBody), cmp.Or(o.BodyTimeout, c.opts.BodyTimeout)},
		in:            s.in,
		methodOutput:  methodOutput{out: s.out, outType: s.outType},
	}
	c.setItem(m, s.signature, o.Stream)
	c.setTransports(m, o.Transports)
	c.setRoute(m, s)
	c.setStreamEnd(m, o.StreamEnd)
	m.bare = c.isBare(m)
	c.setContentType(m, o.ContentType)
	if s.whole {
		m.call = c.chooseCall(s.rm, s.signature, o.Direct)
		c.setStream(m, s.signature, o)
		c.setStatus(m, o.Status)
	}
	c.setKey(m, o.IdempotencyKey)
	return m
}

// setRoute sets the route of m, or after a mistake in it a route to check the fields against.
func (c *methodCompiler) setRoute(m *method, s *methodSpec) {
	before := len(c.list)
	if m.isServedBy(TransportREST) {
		m.route = c.chooseRoute(m, s.words, s.options.HTTP)
	}
	m.form = s.options.Form
	c.checkForm(m)
	if len(c.list) > before {
		m.route = m.presumedRoute()
	}
}

// checkForm notes a form that no request to m can have.
func (c *methodCompiler) checkForm(m *method) {
	switch {
	case !m.form:
	case !m.isServedBy(TransportREST):
		c.addf("MethodOptions.Form is about the body of a REST request, and MethodOptions.Transports leaves REST out; drop one of the two")
	case m.verb != "" && (!m.hasBody() || m.verb == verbQuery):
		c.addf("MethodOptions.Form is set, and a form comes in the body of a POST, PUT or PATCH, not with %s; "+
			"give the method an HTTP pattern with one of these, or drop the option", m.verb)
	case m.in == nil:
		c.addf("MethodOptions.Form is set, and the method has no input to read a form into; drop the option")
	}
	if m.takesBody() && m.in.file.tags.anyOrder {
		place := m.in.file.place
		c.addIf(!m.form, "%s: order:\"any\" is for the parts of a form; set MethodOptions.Form, or drop the tag", place)
		c.addIf(m.in.file.tags.max == 0 && m.limits.size < 0,
			"%s: order:\"any\" reads the file into memory, and MaxBody sets no limit; add a tag maxBytes", place)
	}
}

// presumedRoute returns a route to check the fields of m against, because its own has a mistake. It
// has exactly the placeholders that the fields name.
func (m *method) presumedRoute() route {
	r := route{verb: cmp.Or(m.verb, http.MethodPost), form: m.form, wrong: true}
	if m.in != nil {
		for _, f := range m.in.fields {
			if f.bound[wherePath] != "" && !slices.Contains(r.placeholders, f.bound[wherePath]) {
				r.placeholders = append(r.placeholders, f.bound[wherePath])
			}
		}
	}
	return r
}

// isUndeclared reports whether m has declared its errors, but not the code of err. Only the codes
// below are for the method to choose. Inputs, guards, limits and bugs use the other codes, so any
// call can end with one of them. A method does not have to declare the FAILED_PRECONDITION and
// OUT_OF_RANGE of a File, the ABORTED of an idempotency key, and errUnanswered for a question,
// which svc itself returns.
func (m *method) isUndeclared(err error) bool {
	if !m.declares || errorOrUnknown(err).Is(errUnanswered) {
		return false
	}
	switch code := CodeOf(err); code {
	case CodeFailedPrecondition, CodeOutOfRange, CodeNotFound, CodeAlreadyExists, CodeAborted, CodeUnimplemented:
		ofFile := m.sendsFile() && (code == CodeFailedPrecondition || code == CodeOutOfRange)
		ofKey := m.key != nil && code == CodeAborted
		return !ofFile && !ofKey && !slices.ContainsFunc(m.errors, func(e *Error) bool { return e.Code == code })
	}
	return false
}

// checkCaller returns an error if the caller in ctx must not call m. It is the first step of
// every call.
func (m *method) checkCaller(ctx context.Context) error {
	if !m.needsCaller() {
		return nil
	}
	return checkIdentity(ctx, m.schemes, m.scopes)
}

// needsCaller reports whether only known callers may call m.
func (m *method) needsCaller() bool { return len(m.schemes) > 0 && !m.public }

// checkType returns an error if the method cannot be called with in. Transports make inputs of
// the right type; code of the application can give any.
func (m *method) checkType(in any) error {
	switch {
	case m.in == nil && in == nil:
		return nil
	case m.in == nil:
		return Errorf(CodeInvalidArgument, "%s.%s takes no input; give nil", m.resource, m.name)
	case in == nil || reflect.TypeOf(in) != reflect.PointerTo(m.in.typ):
		return Errorf(CodeInvalidArgument, "%s.%s takes a *%v that is not nil, not a %T", m.resource, m.name, m.in.typ, in)
	case reflect.ValueOf(in).IsNil():
		return Errorf(CodeInvalidArgument, "the input of %s.%s is a nil %T", m.resource, m.name, in)
	}
	return nil
}

// takesBody reports whether the input of m has a Body.
func (m *method) takesBody() bool { return m.in != nil && m.in.file != nil }

// filePart returns the part of a form that is the Body of m, or "" if that is the whole body of a
// request.
func (m *method) filePart() string {
	if m.form {
		return m.in.file.name
	}
	return ""
}

// sendsFile reports whether the output of m is a File.
func (m *method) sendsFile() bool { return m.out != nil && m.out.kind == kindFile }

// sendsRecord reports whether the body of a successful REST response of m is one JSON text.
func (m *method) sendsRecord() bool {
	return m.out != nil && (m.stream == "" || m.either) && !m.sendsFile() && !m.bare
}

// setContentType sets the media type of the JSON of m.
func (c *methodCompiler) setContentType(m *method, own string) {
	m.mediaType, m.dropped = cmp.Or(own, c.opts.ContentType, contentTypeJSON), new(atomic.Bool)
	switch {
	case own == "":
	case !m.sendsRecord() || !m.isServedBy(TransportREST):
		c.addf("MethodOptions.ContentType is %q, and the method has no JSON output over REST", own)
	default:
		c.checkContentType("MethodOptions", own)
	}
}

// checkContentType complains of a ContentType that is not a type of JSON.
func (p *mistakes) checkContentType(options, text string) {
	if !isMediaType(text) || !isJSONType(text) {
		p.addf("%s.ContentType is %q; want application/json or a type that ends in +json, such as application/vnd.api+json", options, text)
	}
}

// checkCallers notes mistakes in the options about callers.
func (c *methodCompiler) checkCallers(o MethodOptions) {
	c.addIf(len(c.opts.Schemes) == 0 && (o.Public || len(o.Scopes) > 0),
		"Public and Scopes need Options.Schemes, or Options.Defaults.Auth \"bearer\"")
	c.addIf(o.Public && len(o.Scopes) > 0, "the method is Public and has Scopes, which only known callers have; drop one of the two")
	for _, s := range o.Scopes {
		c.addIf(!isScope(s), "MethodOptions.Scopes has %q; a scope is visible ASCII without quotes and backslashes", s)
	}
}

// schemesIn returns the schemes that a caller of m may use, out of all schemes of a document.
func (m *method) schemesIn(all []scheme) (list []*scheme) {
	for _, s := range m.schemes {
		list = append(list, &all[slices.IndexFunc(all, func(d scheme) bool { return d.source == s })])
	}
	return list
}

// addSecurity adds the security requirements of m to a document with these schemes, an item for
// each scheme. If roles is set, each item lists its scopes, as OpenAPI allows since 3.1; otherwise
// only OAuth items do. The first item of a public method is empty, because the method needs no
// credentials. Credentials that are sent must still be valid.
//
//	"security": [{}, {"bearer": []}]
func (m *method) addSecurity(out *members, all []scheme, roles bool) {
	if m.public {
		out.openItem()
		out.end("}")
	}
	for _, s := range m.schemesIn(all) {
		out.openItem()
		out.open(s.Name, '[')
		for _, scope := range m.scopes {
			if roles || s.scoped {
				out.addItem(scope)
			}
		}
		out.end("]}")
	}
}

// compileObject returns the shape of an input or an output, or nil if the method has none. It notes
// a struct that is not a JSON object, such as time.Time. An output may write its own JSON, because
// svc does not look inside.
func (c *methodCompiler) compileObject(t reflect.Type, u use) *shape {
	if t == nil {
		return nil
	}
	s := c.shapes.shapeFor(t, t.String())
	c.shapes.checkUse(s, u, t.String())
	c.shapes.checkForeignFields(s)
	c.shapes.checkFiles(s, u, t.String())
	fits := s.kind == kindObject || s.kind == kindFile || u == asOutput && isWholeOutput(s.kind)
	if !fits { // addIf would allocate for each method
		c.addf("the %s %v is not a JSON object; put it into a field of a struct", u, t)
	}
	if s.kind == kindCustom {
		c.checkNoHeaders(t)
	}
	return s
}

// isWholeOutput reports whether a value of this kind that is no object can be an output.
func isWholeOutput(k shapeKind) bool {
	switch k {
	case kindCustom, kindSlice, kindMap, kindByType, kindRaw, kindText, kindTime, kindDuration, kindString, kindBool, kindNumber, kindInt,
		kindUint, kindFloat:
		return true
	}
	return false
}

// checkNoHeaders notes header tags in the output t, which has its own JSON methods.
func (c *methodCompiler) checkNoHeaders(t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	for _, l := range levelsOf(t, embeddedStruct) {
		for i := range l.typ.NumField() {
			f := l.typ.Field(i)
			name := f.Tag.Get("header")
			c.addIf(name != "", "%v.%s: nothing reads header:%q, since %v has methods for its own JSON; set the header by InfoFrom(ctx).Header",
				t, f.Name, name, t)
		}
	}
}

// A signature has the input and output types of a method; nil for none.
type signature struct {
	in, out reflect.Type // structs; out may be another JSON value
	outType reflect.Type // of the first result: *out, a stream of them or a *ValueOrStream
	stream  bool
	either  either       // if it is a ValueOrStream, of out and item
	item    reflect.Type // a struct
}

// readSignature returns the signature of a method's type. It notes each difference
// from the forms in the package documentation, and how to change it.
func (c *methodCompiler) readSignature(t reflect.Type) (sig signature) {
	nIn, nOut := t.NumIn(), t.NumOut()
	hasContext := nIn > 0 && t.In(0) == reflect.TypeFor[context.Context]()
	hasError := nOut > 0 && t.Out(nOut-1) == typeError
	c.addIf(!hasContext, "the first parameter must be a context.Context")
	c.addIf(hasContext && nIn > 2, "a method takes one input at most after the context; put everything into one struct")
	c.addIf(!hasError, "the last result must be an error")
	c.addIf(hasError && nOut > 2, "a method returns one output at most before the error; put everything into one struct")
	if nIn == 2 && hasContext {
		sig.in = c.structBehind(t.In(1), "input")
	} else { // continue with the probable meaning, to find its mistakes
		for i := range nIn {
			sig.in = cmp.Or(sig.in, structIn(t.In(i)))
		}
	}
	if nOut == 2 && hasError {
		sig.outType, sig.out = t.Out(0), streamItem(t.Out(0))
		sig.stream, sig.either = sig.out != nil, eitherOf(sig.outType)
		if sig.either != nil {
			c.readEither(&sig)
		} else if !sig.stream {
			sig.out = c.outputBehind(sig.outType)
		}
	} else {
		for i := range nOut {
			sig.out = cmp.Or(sig.out, structIn(t.Out(i)))
		}
	}
	return sig
}

// returned returns the type that a DirectCall must have as its out.
func (sig signature) returned() reflect.Type {
	if sig.either != nil {
		return sig.outType.Elem()
	}
	return sig.out
}

// structIn returns the struct that t is or points to if it is an object in JSON, or nil.
func structIn(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if hasMembers(t) {
		return t
	}
	return nil
}

// structBehind returns the struct that t points to, or notes a mistake. It returns a struct that is
// not a pointer all the same, for the mistakes in it.
func (c *methodCompiler) structBehind(t reflect.Type, role string) reflect.Type {
	switch {
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return t.Elem()
	case t.Kind() == reflect.Struct:
		c.addf("the %s is a %v; make it a pointer, *%v", role, t, t)
		return t
	case t.Kind() == reflect.Func, t.Kind() == reflect.Chan, t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Func:
		c.addf("the %s is a %v; a stream is a svc.Stream[Out], which is an iter.Seq2[*Out, error], for a struct Out", role, t)
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Pointer:
		c.addf("the %s has the type %v; one pointer is enough", role, t)
	default:
		c.addf("the %s has the type %v; it must be a pointer to a struct, so put the %v into a field of one", role, t, t)
	}
	return nil
}

// outputBehind returns the type that t points to, or notes a mistake. What is not a struct must have a
// named type, which can get methods later and has a name in documents.
func (c *methodCompiler) outputBehind(t reflect.Type) reflect.Type {
	list := t
	if t.Kind() == reflect.Pointer {
		list = t.Elem()
	}
	isBytes := list.Kind() == reflect.Slice && list.Elem().Kind() == reflect.Uint8
	switch {
	case list == typeRaw && t != list:
		return list
	case isPlainOutput(list) && t == list:
		c.addf("the output is a %v; make it a pointer, *%v", t, t)
		return nil
	case isPlainOutput(list) && list.PkgPath() == "":
		c.addf("the output has the type %v; give it a name, as in *Answer with type Answer %v", t, list)
		return nil
	case isPlainOutput(list):
		return list
	case list.Kind() != reflect.Slice || isBytes: // bytes are a string in JSON
		return c.structBehind(t, "output")
	case t == list || list.Name() == "":
		c.addf("the output has the type %v; a list is a pointer to a type with a name, such as *Todos with type Todos []Todo", t)
		return nil
	}
	return list
}

// isPlainOutput reports whether an output of type t is a JSON value that is neither a struct nor a list.
func isPlainOutput(t reflect.Type) bool {
	return t.Kind() == reflect.Map || t.Kind() == reflect.String || t.Kind() <= reflect.Float64 && t.Kind() != reflect.Invalid
}

// setItem decides whether m sends items, as a stream or as a ValueOrStream, and sets their shape.
func (c *methodCompiler) setItem(m *method, sig signature, mode StreamMode) {
	m.item, m.either = m.out, sig.either != nil
	if sig.item != nil {
		m.item = c.compileObject(sig.item, asOutput)
	}
	if sig.out != nil && !m.sendsFile() && (sig.stream || m.either || mode != "") {
		m.stream = StreamSSE
		isPlain := isWholeOutput(m.out.kind) && m.out.kind != kindCustom && m.out.kind != kindSlice
		c.addIf(isPlain && !m.either, "the items of the stream have the type %v, which is not a JSON object; put it into a field of a struct",
			sig.out)
	}
}

// setStream decides whether the outputs of m are sent as items, and which function
// takes the items out of the stream.
func (c *methodCompiler) setStream(m *method, sig signature, o MethodOptions) {
	m.result = m.out
	switch {
	case o.Stream != "" && o.Stream != StreamSSE: // a mistake
	case m.either && (m.sendsFile() || m.item.kind == kindFile):
		c.addf("a ValueOrStream is JSON or events, and a File is neither; write another method for the File")
		return
	case m.either && o.Stream != "":
		c.addf("MethodOptions.Stream is %q, and the output says whether there is a stream; drop the option", o.Stream)
	case m.sendsFile() && (sig.stream || o.Stream != ""):
		c.addf("the items of a stream are JSON, and a File is not; return one File")
		return
	case o.Stream != "" && sig.out == nil:
		c.addf("StreamSSE needs outputs, and the method has none")
	case m.either:
		m.each = sig.either.each()
		for _, f := range c.statusFields(m.item.typ) {
			c.addf("%v.%s: a stream has the status 200; drop the tag %s of its items", m.item.typ, f.Name, statusTag)
		}
	case !sig.stream && o.Stream == "":
		return
	case !sig.stream:
		m.each = func(out any, yield yieldFunc) { yield(out, nil) }
	case o.Direct.each != nil:
		m.each = o.Direct.each
	default:
		m.each = reflectEach(sig.outType)
	}
	if sig.out != nil { // result is the record that call.collect writes; only schemas use it
		tag := reflect.StructTag(fmt.Sprintf(`json:"items" maxItems:"%d"`, maxCollected))
		item := cmp.Or(sig.item, sig.out)
		items := reflect.StructField{Name: "Items", Type: reflect.SliceOf(item), Tag: tag}
		m.result = c.shapes.shapeFor(reflect.StructOf([]reflect.StructField{items}), item.String())
	}
	if m.either {
		m.result = &shape{kind: kindObject, alternatives: []*shape{m.out, m.result}}
	}
}

// compilePlans compiles the binding and the encoder of m. Methods with the same bindingKey share a
// binding, because a service of a thousand methods often has a few dozen inputs. If there are
// mistakes, each method gets its own binding, to report them for every method. Then only the parts
// without mistakes are compiled, to find the mistakes that only a plan shows; plans of the other
// parts would repeat known mistakes in other words. misshapen says that the signature has a
// mistake.
func (c *methodCompiler) compilePlans(m *method, misshapen bool) {
	switch {
	case m.in != nil:
		key := bindingKey{m.in, strings.Join(m.placeholders, "/"), m.tail, m.hasBody(), m.isRead(), m.path == "", m.form}
		if m.bind = c.bindings[key]; m.bind == nil || len(c.list) > 0 {
			m.bind = compileBinding(c.decoders, m.in, m.route)
			c.bindings[key] = m.bind
		}
		for _, place := range m.bind.places {
			c.checkKeyPlace(m, place)
		}
	case !misshapen:
		m.bind = noBinding(m.strict)
		if len(m.placeholders) > 0 {
			c.addf("the method has no input to fill {%s}; give it an input with such a field%s", strings.Join(m.placeholders, "}, {"),
				m.orPattern())
		}
	}
	c.addIf(m.verb == verbQuery && !misshapen && c.isSound(m.in) && !m.form && (m.takesBody() || m.bind.rest.body == nil),
		"a QUERY asks by the JSON in its body (RFC 10008); give the input fields there, or the method another verb")
	if m.out != nil {
		if c.isSound(m.out) {
			m.encode = c.encoders.encoderFor(m.out)
		}
		if m.encodeItem = m.encode; m.either && c.isSound(m.item) {
			m.encodeItem = c.encoders.encoderFor(m.item)
		}
		if m.sendsFile() {
			for _, f := range m.out.fields {
				c.addIf(f.bound[whereHeader] == "", "%s: the File is the whole body of the response; give this field a header tag, or json:\"-\"",
					f.place)
			}
		}
		if (m.stream == "" || m.either) && (m.path != "" || m.wrong) {
			m.headers = c.encoders.compileHeaders(c.mistakes, m.out)
		}
	}
	if m.key != nil && c.impl != nil {
		c.compileKey(m)
	}
	c.compileMCP(m)
}

// checkKeyPlace notes a parameter that has the name of a scheme's key.
func (c *methodCompiler) checkKeyPlace(m *method, p *inputPlace) {
	hasKey := func(s Scheme) bool {
		switch p.where {
		case whereHeader:
			return s.Header == p.canonical
		case whereQuery:
			return s.Query == p.canonical
		case whereCookie:
			return s.Cookie == p.canonical
		}
		return false
	}
	c.addIf(slices.ContainsFunc(c.opts.Schemes, hasKey),
		"%v.%s: the %s %s has the key of a scheme in Options.Schemes; choose another name", m.in.typ, p.goName,
		wheres[p.where].param, p.sourceName)
}

// compileDeprecation returns a copy of MethodOptions.Deprecation, to which the program may go on to
// write, and notes the mistake in it. It returns nil without one.
func (c *methodCompiler) compileDeprecation(given *Deprecation) *Deprecation {
	if given == nil {
		return nil
	}
	d := *given
	mistake := d.mistake()
	if d.Since.IsZero() {
		mistake = "Since is missing, the date of the Deprecation header (RFC 9745, section 2)"
	}
	c.addIf(mistake != "", "MethodOptions.Deprecation: %s", mistake)
	return &d
}

// splitWords splits a Go name into its words, in lower case. A run of capitals
// is one word, whose last capital begins the next word if a lower-case letter
// follows. Digits belong to the word before them:
//
//	MarkDone    mark done
//	GetURL      get url
//	HTTPServer  http server
//	ListV2All   list v2 all
func splitWords(name string) []string {
	var text strings.Builder // with a space or a different separator between two words
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			text.WriteByte(' ')
		}
		text.WriteRune(unicode.ToLower(r))
	}
	isOther := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(text.String(), isOther)
}

// isResource reports whether a name can be a resource. Other characters would
// have to be escaped in a path, and the APIs of models refuse them in tool names.
func isResource(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) && r != '-' })
}

// isOperationID reports whether text can be an OperationID: OpenAPI takes every text, and a reader of
// messages and addresses takes visible characters.
func isOperationID(text string) bool {
	isOther := func(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r) }
	return text != "" && !strings.ContainsFunc(text, isOther)
}

// operationID returns the operationId of m in documents, which is given or made of its names.
func (m *method) operationID() string { return cmp.Or(m.id, m.resource+"_"+m.goName) }

// checkOperationIDs notes each OperationID that a second method also has, set or generated. If two
// generated ones are equal, documents number them.
func checkOperationIDs(p *mistakes, methods []*method) {
	known := make(map[string]*method)
	for _, m := range methods {
		if id := m.id; id != "" && known[id] == nil {
			known[id] = m
		}
	}
	for _, m := range methods {
		if other := known[m.operationID()]; other != nil && other != m {
			p.addf("%s has the OperationID %q, which %s has too; choose another one", other.title(), other.id, m.title())
		}
	}
}

// nameMethods returns the methods by all of their names. A Method.Name always wins over an alias,
// so adding an alias never takes the name of a different method.
func nameMethods(p *mistakes, methods []*method) map[methodName]*method {
	names := make(map[methodName]*method, 3*len(methods))
	for _, m := range methods {
		key := methodName{m.resource, m.name}
		if other := names[key]; other != nil {
			p.addf("%s and %s both have the name %s.%s; rename one, or give it a Resource of its own, which a Path can keep out of its route",
				other.title(), m.title(), m.resource, m.name)
			continue
		}
		names[key] = m
	}
	// Aliases come after all names, so that the order of the methods does not matter.
	for _, m := range methods {
		for _, alias := range m.otherNames() {
			key := methodName{m.resource, alias}
			switch other := names[key]; {
			case other == nil:
				names[key] = m
			case other == m, other.name == alias, other.name == m.name: // noted above
			default:
				p.addf("%s and %s both answer to the alias %s.%s; rename one or give it a resource of its own", other.title(),
					m.title(), m.resource, alias)
			}
		}
	}
	return names
}

// hasNameOf reports whether m and other have one name in one resource. Their routes, and the names of
// their tools, are then equal too unless options say otherwise, and all differ if one is renamed.
func (m *method) hasNameOf(other *method) bool {
	return m.resource == other.resource && m.name == other.name
}

// otherNames returns the aliases of m: the Go name with its first word in lower
// case, as clients in JavaScript spell it, and all in lower case. They are
// markDone and markdone for MarkDone.
func (m *method) otherNames() [2]string {
	first, _, _ := strings.Cut(m.name, "_")
	return [2]string{first + m.goName[len(first):], strings.ToLower(m.goName)}
}
