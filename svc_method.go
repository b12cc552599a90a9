package svc

// This file compiles one method of the interface: its shape, its types, its
// plans, and the function that calls it.

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
)

// A method is one method of a service, ready to be called. It is compiled once,
// then read by many goroutines and never written.
//
// Invariants:
//
//	in and bind are set if the method takes an input
//	out, result and encode are set if it returns one
//	stream and each are set if it is sent as items, of shape out each; result
//	  is then the record of all items, for transports that answer once, and
//	  else the same as out
type method struct {
	*config
	route
	goName      string
	name        string // Method.Name
	resource    string
	description string
	in          *shape
	bind        *binding
	out         *shape
	outType     reflect.Type // of what the method returns: *Out or a stream of them
	encode      encodeFunc
	stream      StreamMode
	each        eachFunc
	result      *shape
	call        callFunc
}

// A config is what the methods of one service share, also after Join.
type config struct {
	iface       string // what its author calls the interface; see titleOf
	limits      limits
	eventTimes  eventTimes
	onError     ErrorHandler
	logger      *slog.Logger
	intercepted InvokeFunc // nil if nothing intercepts
}

// A callFunc calls a method. in is a pointer to its input, or nil if it takes
// none; out likewise.
type callFunc func(ctx context.Context, in any) (out any, err error)

var (
	typeContext = reflect.TypeFor[context.Context]()
	typeError   = reflect.TypeFor[error]()
)

// A methodCompiler compiles the methods of one interface.
type methodCompiler struct {
	*problems
	iface  reflect.Type
	impl   any
	opts   Options
	config *config
	shapes *shapes
}

func newMethodCompiler(p *problems, iface reflect.Type, impl any, o Options) *methodCompiler {
	return &methodCompiler{
		problems: p, iface: iface, impl: impl, opts: o,
		config: &config{
			iface:      titleOf(iface),
			limits:     limits{size: o.MaxBody, time: o.BodyTimeout},
			eventTimes: defaultEventTimes,
			onError:    o.OnError,
			logger:     o.Logger,
		},
		shapes: &shapes{problems: p, strict: o.Strict, byType: make(map[reflect.Type]*shape)},
	}
}

// methods compiles every method. All shapes come before all plans, since plans
// want to know which types contain themselves.
func (c *methodCompiler) methods() []*method {
	if c.iface.NumMethod() == 0 {
		c.addf("%v has no methods", c.iface)
	}
	var methods, sound []*method
	for i := range c.iface.NumMethod() {
		before := len(c.list)
		m := c.shapeOf(c.iface.Method(i))
		if m != nil {
			methods = append(methods, m)
		}
		if len(c.list) == before {
			sound = append(sound, m)
		}
	}
	c.where = ""
	c.shapes.finish()
	decoders, encoders := newDecoders(c.problems, c.opts.Strict), make(encoders)
	for _, m := range sound { // plans of the others would only repeat the bad news
		if c.shapes.sound(m.in) && c.shapes.sound(m.out) {
			c.where = m.title()
			c.plan(m, decoders, encoders)
		}
	}
	return methods
}

// title returns what the author of the service calls the method.
func (m *method) title() string { return m.iface + "." + m.goName }

// titleOf returns what an interface type is called in its own package: [...] for
// the type arguments, as in Go's own texts. It is empty for a type without a
// name.
func titleOf(iface reflect.Type) string {
	name, _, generic := strings.Cut(iface.Name(), "[")
	if generic {
		return name + "[...]"
	}
	return name
}

// shapeOf checks the shape of a method and compiles its types. It returns nil if
// there is no method to speak of.
func (c *methodCompiler) shapeOf(rm reflect.Method) *method {
	c.where = strings.TrimPrefix(c.config.iface+"."+rm.Name, ".")
	if !rm.IsExported() {
		c.addf("the method is not exported, so nobody could call it")
		return nil
	}
	before := len(c.list)
	sig := c.signature(rm.Type)
	if len(c.list) > before {
		return nil
	}
	o := c.opts.Methods[rm.Name]
	name := words(rm.Name)
	m := &method{
		config:      c.config,
		goName:      rm.Name,
		name:        strings.Join(name, "_"),
		resource:    o.Resource,
		description: o.Description,
	}
	if m.resource == "" {
		m.resource = c.opts.Resource // which compileService checks
	} else if !isResource(m.resource) {
		c.addf("MethodOptions.Resource is %q; want letters, digits, - and _, since paths and tool names are made from it", m.resource)
	}
	if in := sig.in; in != nil {
		m.in = c.shapes.of(in, in.String())
		c.shapes.check(m.in, asInput, in.String())
		c.checkObject(m.in, "input")
	}
	if out := sig.out; out != nil {
		m.out, m.outType = c.shapes.of(out, out.String()), sig.outType
		c.shapes.check(m.out, asOutput, out.String())
		c.checkObject(m.out, "output")
	}
	m.route = c.routeOf(m, name, o.HTTP)
	m.call = c.callerOf(rm, sig, o.Direct)
	c.setStream(m, sig, o)
	return m
}

// setStream decides whether the outputs of m are sent as items, and how they
// are got.
func (c *methodCompiler) setStream(m *method, sig signature, o MethodOptions) {
	m.result = m.out
	switch {
	case o.Stream != "" && o.Stream != StreamSSE:
		c.addf("the stream mode %q is unknown; there is StreamSSE, %q", o.Stream, StreamSSE)
	case o.Stream != "" && sig.out == nil:
		c.addf("StreamSSE needs outputs, and the method has none")
	case !sig.stream && o.Stream == "":
		return
	case !sig.stream:
		m.each = eachRecord
	case o.Direct.each != nil:
		m.each = o.Direct.each
	default:
		m.each = reflectEach(sig.outType)
	}
	if sig.out != nil {
		m.stream = StreamSSE
		m.result = c.shapes.of(collected(sig.out), sig.out.String())
	}
}

func isResource(name string) bool {
	for _, r := range name {
		if r >= 0x80 || !isDigit(byte(r)) && !('a' <= r|0x20 && r|0x20 <= 'z') && r != '_' && r != '-' {
			return false
		}
	}
	return name != ""
}

// checkObject notes a struct that is not a JSON object, such as time.Time. An
// output may bring its own JSON.
func (c *methodCompiler) checkObject(s *shape, role string) {
	if s.kind != kindObject && (role == "input" || s.kind != kindCustom) {
		c.addf("the %s %v is no JSON object; put it into a field of a struct", role, s.typ)
	}
}

// A signature is what a method takes and returns, nil where there is none.
type signature struct {
	in, out reflect.Type // structs
	outType reflect.Type // of the first result: *out or a stream of them
	stream  bool
}

// signature returns the signature of a method's type. What is not as in the
// package documentation is noted.
func (c *methodCompiler) signature(t reflect.Type) (sig signature) {
	nIn, nOut := t.NumIn(), t.NumOut()
	if nIn == 0 || t.In(0) != typeContext {
		c.addf("the first parameter must be a context.Context")
	} else if nIn > 2 {
		c.addf("a method takes one input at most after the context; put everything into one struct")
	}
	if nOut == 0 || t.Out(nOut-1) != typeError {
		c.addf("the last result must be an error")
	} else if nOut > 2 {
		c.addf("a method returns one output at most before the error; put everything into one struct")
	}
	if nIn == 2 && t.In(0) == typeContext {
		sig.in = c.structBehind(t.In(1), "input")
	}
	if nOut == 2 && t.Out(1) == typeError {
		sig.outType = t.Out(0)
		if sig.out = streamItem(sig.outType); sig.out != nil {
			sig.stream = true
		} else {
			sig.out = c.structBehind(sig.outType, "output")
		}
	}
	return sig
}

// structBehind returns the struct that t points to.
func (c *methodCompiler) structBehind(t reflect.Type, role string) reflect.Type {
	switch {
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return t.Elem()
	case t.Kind() == reflect.Struct:
		c.addf("the %s is a %v; make it a pointer, *%v", role, t, t)
	case t.Kind() == reflect.Func:
		c.addf("the %s is a %v; a stream is an output of type svc.Stream[Out], an iter.Seq2 of pointers to a struct and errors", role, t)
	default:
		c.addf("the %s is a %v, and must be a pointer to a struct; make this a field of one", role, t)
	}
	return nil
}

// routeOf returns the route of m: the one that its options give, or inferred.
func (c *methodCompiler) routeOf(m *method, name []string, pattern string) route {
	if pattern != "" {
		r, err := parsePattern(pattern)
		if err != nil {
			c.addf("the HTTP pattern %q: %v", pattern, err)
		}
		return r
	}
	placeholder := "id"
	var tagged []string
	if m.in != nil {
		for _, f := range m.in.fields {
			if f.path != "" {
				tagged = append(tagged, f.path)
			}
		}
	}
	switch {
	case len(tagged) > 1:
		c.addf("%d fields have a path tag, and the route inferred from the name has one placeholder at most; give the method an HTTP pattern", len(tagged))
	case len(tagged) == 1:
		placeholder = tagged[0]
	}
	if !isPlaceholderName(placeholder) {
		c.addf("path:%q: a placeholder must have a name of letters, digits and _, such as todo_id", placeholder)
	}
	return inferRoute(m.resource, name, placeholder)
}

// plan compiles the binding and the encoder of m.
func (c *methodCompiler) plan(m *method, d *decoders, e encoders) {
	if m.in != nil {
		m.bind = compileBinding(d, m.in, bindSpec{
			placeholders: m.placeholders,
			explicit:     m.explicit,
			hasBody:      m.hasBody(),
		})
		c.shapes.checkHeaders(m.in)
	} else if m.explicit && len(m.placeholders) > 0 {
		c.addf("the method has no input that could fill {%s}", strings.Join(m.placeholders, "}, {"))
	}
	if m.out != nil {
		m.encode = e.of(m.out)
	}
}

// callerOf returns the function that calls the method: the one given as Direct,
// or by reflection.
func (c *methodCompiler) callerOf(rm reflect.Method, sig signature, direct Caller) callFunc {
	if direct.bind == nil {
		return reflectCaller(reflect.TypeOf(c.impl), reflect.ValueOf(c.impl), rm.Name, sig.in != nil, sig.out != nil)
	}
	want := fmt.Sprintf("write %s(%s.%s)", sig.directName(), c.config.iface, rm.Name)
	switch {
	case direct.iface != c.iface:
		c.addf("Direct has a method of %v, not of the interface; %s", direct.iface, want)
	case direct.in != sig.in || direct.out != sig.out || (direct.each != nil) != sig.stream || !direct.is(rm.Name):
		c.addf("Direct has another function than the method %s; %s", rm.Name, want)
	default:
		return direct.bind(c.impl)
	}
	return nil
}

// directName returns the function that makes the Caller of a method.
func (sig signature) directName() string {
	in, out := sig.in != nil, sig.out != nil
	switch {
	case sig.stream && in:
		return "DirectStream"
	case sig.stream:
		return "DirectStreamOut"
	case in && out:
		return "Direct"
	case in:
		return "DirectIn"
	case out:
		return "DirectOut"
	}
	return "DirectNone"
}
