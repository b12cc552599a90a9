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
//	out and encode are set if it returns one
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
	outType     reflect.Type // of what the method returns: *Out
	encode      encodeFunc
	call        callFunc
}

// A config is what the methods of one service share, also after Join.
type config struct {
	limits      limits
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
			limits:  limits{size: o.MaxBody, time: o.BodyTimeout},
			onError: o.OnError,
			logger:  o.Logger,
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
	var methods []*method
	for i := range c.iface.NumMethod() {
		if m := c.shapeOf(c.iface.Method(i)); m != nil {
			methods = append(methods, m)
		}
	}
	c.where = ""
	c.shapes.finish()
	if len(c.list) > 0 {
		return methods // plans of broken shapes would only repeat the bad news
	}
	decoders, encoders := newDecoders(c.problems, c.opts.Strict), make(encoders)
	for _, m := range methods {
		c.at(m.goName)
		c.plan(m, decoders, encoders)
	}
	return methods
}

// at names the method that problems are noted for.
func (c *methodCompiler) at(goName string) { c.where = c.iface.Name() + "." + goName }

// shapeOf checks the shape of a method and compiles its types. It returns nil if
// there is no method to speak of.
func (c *methodCompiler) shapeOf(rm reflect.Method) *method {
	c.at(rm.Name)
	if !rm.IsExported() {
		c.addf("the method is not exported, so nobody could call it")
		return nil
	}
	in, out, ok := signature(rm.Type)
	if !ok {
		c.addf("a method is func(context.Context, *In) (*Out, error) with In and Out structs, without *In or *Out if there is none; this one is %v", rm.Type)
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
		m.resource = c.opts.Resource
	}
	if !isResource(m.resource) {
		c.addf("the resource %q is not a name of letters, digits, - and _, which paths and tool names are made from", m.resource)
	}
	if in != nil {
		m.in = c.shapes.of(in, in.String())
		c.shapes.check(m.in, asInput, in.String())
		c.checkObject(m.in, "input")
	}
	if out != nil {
		m.out, m.outType = c.shapes.of(out, out.String()), reflect.PointerTo(out)
		c.shapes.check(m.out, asOutput, out.String())
		c.checkObject(m.out, "output")
	}
	m.route = c.routeOf(m, name, o.HTTP)
	m.call = c.callerOf(rm, in, out, o.Direct)
	return m
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

// signature returns the input and output structs of a method's type, nil where
// there is none.
func signature(t reflect.Type) (in, out reflect.Type, ok bool) {
	nIn, nOut := t.NumIn(), t.NumOut()
	if nIn < 1 || nIn > 2 || nOut < 1 || nOut > 2 || t.IsVariadic() || t.In(0) != typeContext || t.Out(nOut-1) != typeError {
		return nil, nil, false
	}
	ok = true
	if nIn == 2 {
		in, ok = structBehind(t.In(1))
	}
	if nOut == 2 && ok {
		out, ok = structBehind(t.Out(0))
	}
	return in, out, ok
}

func structBehind(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	return t.Elem(), true
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
	} else if m.explicit && len(m.placeholders) > 0 {
		c.addf("the method has no input that could fill {%s}", strings.Join(m.placeholders, "}, {"))
	}
	if m.out != nil {
		m.encode = e.of(m.out)
	}
}

// callerOf returns the function that calls the method: the one given as Direct,
// or by reflection.
func (c *methodCompiler) callerOf(rm reflect.Method, in, out reflect.Type, direct Caller) callFunc {
	if direct.bind == nil {
		return reflectCaller(reflect.TypeOf(c.impl), reflect.ValueOf(c.impl), rm.Name, in != nil, out != nil)
	}
	want := fmt.Sprintf("write %s(%s.%s)", directName(in != nil, out != nil), c.iface.Name(), rm.Name)
	switch {
	case direct.iface != c.iface:
		c.addf("Direct has a method of %v, not of the interface; %s", direct.iface, want)
	case direct.in != in || direct.out != out || !strings.HasSuffix(direct.name, "."+rm.Name):
		c.addf("Direct has another function than the method %s; %s", rm.Name, want)
	default:
		return direct.bind(c.impl)
	}
	return nil
}

// directName returns the function that makes the Caller of a method's shape.
func directName(in, out bool) string {
	switch {
	case in && out:
		return "Direct"
	case in:
		return "DirectIn"
	case out:
		return "DirectOut"
	}
	return "DirectNone"
}
