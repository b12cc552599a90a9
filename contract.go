package svc

// This file is a test helper for users: does my service keep what it publishes?
// contract_schema.go reads schemas back, contract_values.go makes values from
// them, contract_output.go makes outputs.

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// CheckContract tests in one line that a service keeps its published contract:
//
//	func TestContract(t *testing.T) { svc.CheckContract(t, newService()) }
//
// For each method it makes inputs from the published schemas, right ones and
// damaged ones, and checks that the service takes those that the schema takes
// and refuses those that the schema refuses; and it makes outputs and checks
// that, encoded, they are what the schema promises. It is about types that bring
// MarshalJSON, UnmarshalJSON, JSONSchema or MarshalText: for all others the
// schema and the code are made from one plan.
//
// The implementation is never called, nor are Validate methods, of which a
// schema knows nothing. What cannot be checked is reported by t.Logf, if t has
// it, as a *testing.T does: a pattern without an example or an enum, or a text
// that only its type can judge, of which an example tag gives one. The same
// service always gets the same inputs.
func CheckContract(t interface {
	Helper()
	Errorf(format string, args ...any)
}, s *Service) {
	t.Helper()
	logger, _ := t.(interface {
		Logf(format string, args ...any)
	})
	for _, m := range s.methods {
		c := &contract{service: s, method: m}
		c.check()
		for _, text := range c.broken {
			t.Errorf("svc: %s.%s: %s", m.resource, m.name, text)
		}
		for _, text := range c.skipped {
			if logger != nil {
				logger.Logf("svc: %s.%s: %s", m.resource, m.name, text)
			}
		}
	}
}

// A contract is what is being found out about one method.
type contract struct {
	service *Service
	method  *method
	broken  []string
	skipped []string
}

// contractFindings is how many mistakes of one method are told: they are often
// one.
const contractFindings = 5

func (c *contract) brokenf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(c.broken) < contractFindings && !slices.Contains(c.broken, text) {
		c.broken = append(c.broken, text)
	}
}

func (c *contract) skippedf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.skipped, text) {
		c.skipped = append(c.skipped, text)
	}
}

func (c *contract) check() {
	defer func() { // the methods of the application's types are called
		if v := recover(); v != nil {
			c.brokenf("panic: %v", v)
		}
	}()
	m := c.method
	if m.bind != nil {
		c.checkInput()
	}
	if m.out != nil {
		c.checkOutput()
	}
}

// checkInput checks the input of each kind of transport: one object with every
// field, and over REST the body and each parameter by itself.
func (c *contract) checkInput() {
	bind := *c.method.bind
	bind.hooks = nil // Validate is not the schema's business
	every := make([]*field, len(bind.in.fields))
	for i, f := range bind.in.fields {
		shown := *f
		shown.hidden = false
		every[i] = &shown
	}
	c.compare("input", appendSelfContainedObject(nil, bind.in, every, schemaWriter{}), func(v any) error {
		_, err := bind.object(new(decoder), encodeContract(v))
		return err
	})
	if bind.body != nil {
		c.compare("body", appendSelfContainedObject(nil, bind.in, bind.bodyFields, schemaWriter{}), func(v any) error {
			_, err := bind.request(new(decoder), requestValues{path: noPath{}, body: encodeContract(v)})
			return violationsOf(err, inBody, "")
		})
	}
	w := schemaWriter{dialect: openAPI31}
	for i := range bind.path {
		p := &bind.path[i]
		c.compare("path parameter "+p.param, w.pathParameter(nil, p.field), func(v any) error {
			_, err := bind.request(new(decoder), requestValues{path: onePath{p.param, urlText(v)}})
			return violationsOf(err, inPath, p.name)
		})
	}
	for i := range bind.query {
		p := &bind.query[i]
		c.compare("query parameter "+p.param, w.parameter(nil, p.field), func(v any) error {
			_, err := bind.request(new(decoder), requestValues{path: noPath{}, query: queryText(p.param, v)})
			return violationsOf(err, inQuery, p.name)
		})
	}
}

// compare makes values from a schema and holds what bind says of each to what
// the schema says. where is the input, the body or a parameter.
func (c *contract) compare(where string, schema []byte, bind func(any) error) {
	root := parseContract(schema)
	g := &contractMaker{rand.New(rand.NewPCG(1, uint64(len(schema)))), root}
	accepted := 0
	rounds := min(60+20*len(root.Properties), 1000)
	for i := range rounds {
		v := g.value(root, 0)
		if i%2 == 1 {
			v = g.damage(root, v)
		}
		parameter := strings.Contains(where, "parameter")
		if parameter && !fitsURL(root, v) {
			continue
		}
		want := root.judge(root, v)
		err := bind(v)
		switch {
		case err == nil && want == refuses:
			c.brokenf("%s: the schema refuses %s, and the service takes it", where, clip(string(encodeContract(v)), 300))
		case err != nil && want == takes && !c.excuse(where, err):
			c.brokenf("%s: the schema takes %s, and the service refuses it: %v", where, clip(string(encodeContract(v)), 300), err)
		case err == nil:
			accepted++
		}
	}
	if accepted == 0 {
		c.skippedf("%s: no value was found that is right, so only wrong ones were checked", where)
	}
}

// excuse reports whether a refusal is of what only the application's types can
// know, and notes that it is not checked.
func (c *contract) excuse(where string, err error) bool {
	list := violationList(err)
	for _, v := range list {
		name, opaque := c.opaqueAt(v.Path)
		if !opaque {
			return false
		}
		if name != "" {
			c.skippedf("%s: %s: only its type knows what is right; give the field an example tag, or the type a JSONSchema method", where, name)
		}
	}
	return len(list) > 0
}

// opaqueAt reports whether the value at a JSON Pointer of the input is, or has
// as its name, what only a type of the application's can judge. The name is that
// of the field, or "" if it has an example, so that right values were tried.
func (c *contract) opaqueAt(pointer string) (name string, opaque bool) {
	s := c.method.bind.in
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		s = s.deref()
		switch s.kind {
		case kindObject:
			i := slices.IndexFunc(s.fields, func(f *field) bool { return f.name == token })
			if i < 0 {
				return "", false
			}
			f := s.fields[i]
			name, s = s.typ.String()+"."+f.goName, f.shape
			if f.example != nil {
				name = ""
			}
		case kindMap:
			if s.key.kind == kindText {
				return name, true
			}
			s = s.elem
		case kindSlice, kindArray:
			s = s.elem
		}
	}
	s = s.deref()
	return name, s.kind == kindText || s.kind == kindCustom && s.custom == nil
}

// violationList returns the violations that an error carries.
func violationList(err error) []Violation {
	list, _ := ErrorFrom(err).Details["violations"].([]Violation)
	return list
}

// violationsOf returns err if it has a violation of the field of that name, or
// of any if name is empty, from the given source; else nil.
func violationsOf(err error, in, name string) error {
	if err == nil {
		return nil
	}
	list := violationList(err)
	kept := slices.DeleteFunc(slices.Clone(list), func(v Violation) bool {
		return v.In != in || name != "" && v.Path != string(appendPointer(nil, name)) && !strings.HasPrefix(v.Path, string(appendPointer(nil, name))+"/")
	})
	if len(kept) == 0 && len(list) > 0 {
		return nil
	}
	return Errorf(CodeInvalidArgument, "%v", ErrorFrom(err).Message).WithDetail("violations", kept)
}

// noPath and onePath stand for the values of a route's placeholders.
type noPath struct{}

func (noPath) PathValue(string) string { return "" }

type onePath struct{ name, value string }

func (p onePath) PathValue(name string) string {
	if name == p.name {
		return p.value
	}
	return ""
}

// fitsURL reports whether v can be said in a URL such that it is read back as
// what it is: "1" and 1 are one text.
func fitsURL(s *contractSchema, v any) bool {
	if list, ok := v.([]any); ok && s.Type == "array" && len(list) > 0 {
		return !slices.ContainsFunc(list, func(item any) bool { return !fitsURL(s.Items, item) })
	}
	switch v := v.(type) {
	case string:
		return s.Type == "string" && v != ""
	case bool:
		return s.Type == "boolean"
	case json.Number:
		return s.Type == "integer" || s.Type == "number"
	}
	return false
}

func urlText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return string(v)
	}
	return ""
}

func queryText(name string, v any) string {
	values := make(url.Values)
	if list, ok := v.([]any); ok {
		for _, item := range list {
			values.Add(name, urlText(item))
		}
	} else {
		values.Set(name, urlText(v))
	}
	return values.Encode()
}

// encodeContract returns v as JSON.
func encodeContract(v any) []byte {
	e := new(encoder)
	e.any(v)
	return e.buf
}

// checkOutput makes outputs and holds what they are encoded as to the schema.
func (c *contract) checkOutput() {
	m := c.method
	root := parseContract(appendSelfContained(nil, m.out, schemaWriter{}))
	o := newOutputs(c)
	for range 200 {
		v := reflect.New(m.out.typ)
		o.fill(v.Elem(), m.out, 0)
		text, err := m.appendOutput(new(encoder), nil, v.Interface())
		if err != nil {
			c.skippedf("output: one was made that cannot be encoded: %v", err)
			continue
		}
		if !o.stuck && root.judge(root, decodeJSON(text)) == refuses {
			c.brokenf("output: the schema refuses %s", clip(string(text), 300))
		}
	}
}
