package svc

// This file lets a model ask for some members of an output, so that an answer is no longer
// than what the model needs: the argument fields of [ToolOptions].

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
)

// FieldsFrom returns the members of the output that the client wants, in its order, or nil
// if it wants all: in a call of a tool without [ToolOptions].Fields or without the argument,
// and everywhere else. ctx is the context of the method or derived from it. svc leaves out
// the others; a method can save the work for them.
func FieldsFrom(ctx context.Context) []string {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	if c, ok := ctx.Value(callKey{}).(*call); !ok || x == nil || c != &x.call {
		return nil
	}
	return slices.Clone(x.fields)
}

// maxFields is how many members an output with fields may have: each is in the list of
// tools once more.
const maxFields = 40

// A fieldChoice is what the argument fields of a tool can name.
type fieldChoice struct {
	shape *shape     // whose members it names
	list  string     // the member of the output with a list of them; "" if the output is one
	names []string   // in the order of the schema
	wrong *complaint // about a name that is not one of them; made once, since a client can send many
}

// compileFields sets t.fields, and adds the argument to those of t.
func (t *tool) compileFields(p *mistakes) {
	c := &fieldChoice{shape: t.out}
	switch {
	case t.out == nil:
	case t.stream != "":
		c.list = "items"
	case reflect.PointerTo(t.out.typ).Implements(reflect.TypeFor[interface{ isPage() }]()):
		i := slices.IndexFunc(t.out.fields, func(f *field) bool { return f.name == "data" })
		if i >= 0 && t.out.fields[i].shape.kind == kindSlice {
			c.list, c.shape = "data", t.out.fields[i].shape.elem.deref()
		}
	}
	if c.shape != nil {
		for _, f := range c.shape.fields {
			if !f.hidden && !f.isNameless() {
				c.names = append(c.names, f.name)
			}
		}
	}
	switch {
	case t.fieldNamed("fields") != nil:
		p.addf("ToolOptions.Fields: the input has a field named fields already")
	case c.shape == nil || c.shape.kind != kindObject || c.shape.alternatives != nil || len(c.names) == 0 || t.outType.Implements(reflect.TypeFor[contentProvider]()):
		p.addf("ToolOptions.Fields: the output, or its items, must be a struct that is no union and has no MCPContent; drop Fields")
	case len(c.names) > maxFields:
		p.addf("ToolOptions.Fields: the output has %d members, over %d; return what a model needs", len(c.names), maxFields)
	default:
		t.fields, c.wrong = c, &complaint{"enum", "must be one of " + strings.Join(c.names, ", ")}
		t.addArgument("fields", "", true, map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": c.names}, "minItems": 1})
	}
}

// checkArgument adds the violations of the argument, which is at path.
func (c *fieldChoice) checkArgument(d *decoder, value []byte) {
	items := itemsOf(value)
	switch {
	case value[0] != '[':
		d.addViolation(mustBeArray)
	case len(items) == 0:
		d.addViolation(&complaint{"minItems", "must have at least 1 item"})
	}
	for i, item := range items {
		if !isText(item) || !slices.Contains(c.names, string(textOf(item))) {
			d.path = append(d.path, step{index: i})
			d.addViolation(c.wrong)
			d.pop()
		}
	}
}

// fieldChoiceIn returns the names in the argument, which has been checked, or nil if it is
// absent. Names that are there twice count once.
func fieldChoiceIn(value []byte) (names []string) {
	for _, item := range itemsOf(value) {
		if name := string(textOf(item)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// selectFrom returns an encoded output with only these members, or with items that have
// only these.
func (c *fieldChoice) selectFrom(output []byte, names []string) []byte {
	if c.list == "" {
		return selectMembers(output, names)
	}
	m := openMembers(nil)
	eachMember(output, func(name, value []byte) {
		if string(name) == c.list {
			items := itemsOf(value)
			for i, item := range items {
				items[i] = selectMembers(item, names)
			}
			value = slices.Concat([]byte{'['}, bytes.Join(items, []byte{','}), []byte{']'})
		}
		m.addRaw(string(name), value)
	})
	return m.close()
}

// selectMembers returns an object with only the members of these names, or another value
// as it is: an item may be null.
func selectMembers(object []byte, names []string) []byte {
	if !isJSONObject(object) {
		return object
	}
	m := openMembers(nil)
	eachMember(object, func(name, value []byte) {
		if slices.Contains(names, string(name)) {
			m.addRaw(string(name), value)
		}
	})
	return m.close()
}
