package svc

// This file is the one struct walk: which fields a struct has as JSON, by the
// rules of encoding/json, and what their tags say.

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A field is one member of an object.
type field struct {
	goName string // for messages to the service's author
	place  string // likewise: the type and goName
	name   string // the wire name, on every transport
	token  string // the name as a reference token of a JSON Pointer
	index  []int  // as for reflect.Value.FieldByIndex
	shape  *shape

	tagged   bool // the wire name was given in a json tag
	hidden   bool // json:"-": no member of an object; only a path, query or header tag names it
	quoted   bool // json:",string"
	optional bool // absence is no mistake
	omit     omission

	path      string // the placeholder of the route that it fills
	query     string // the query parameter that it fills
	header    string // the request header that it takes
	mcpHeader string // the x-mcp-header that mirrors it

	rules    []rule // constraints, in the order they are published
	minItems int    // the constraint of that name, or 0
	def      []byte // the default, as JSON; nil if there is none
	format   string // replaces that of the type
	doc      string
	example  []byte // as JSON; nil if there is none
}

// omission says when the encoder leaves a field out: never, or where one of its
// rules says so.
type omission uint8

const (
	omitEmpty omission = 1 << iota // by encoding/json's rule for omitempty
	omitZero                       // by its rule for omitzero
)

// bound reports whether a tag names a place of its own for the field.
func (f *field) bound() bool { return f.path != "" || f.query != "" || f.header != "" }

// required reports whether an input must have the field.
func (f *field) required() bool { return !f.optional && f.def == nil }

// fillFields gives s its fields.
func (c *shapes) fillFields(s *shape, at string) {
	if s.typ.Name() != "" {
		at = s.typ.String() // from here on, fields are named by their own type
	}
	all := c.collect(s.typ, at)
	c.checkClashes(all, at)
	s.fields = dominant(all)
	c.checkNames(s.fields, at)
}

// A level is a struct whose fields are promoted to the one being walked.
type level struct {
	typ      reflect.Type
	index    []int
	optional bool // behind a pointer, which may be nil
}

// collect returns every field of t that could be a member, breadth first: the
// fields of t, then those of the structs it embeds, and so on.
func (c *shapes) collect(t reflect.Type, at string) []*field {
	var all []*field
	visited := make(map[reflect.Type]bool)
	for current := []level{{typ: t}}; len(current) > 0; {
		for _, l := range current {
			visited[l.typ] = true
		}
		var next []level
		for _, l := range current {
			for i := range l.typ.NumField() {
				sf := l.typ.Field(i)
				index := append(slices.Clone(l.index), i)
				if e, ok := c.embedded(sf, at); ok {
					if !visited[e.typ] {
						next = append(next, level{e.typ, index, l.optional || e.optional})
					}
					continue
				}
				if f := c.field(sf, index, l.optional, at); f != nil {
					all = append(all, f)
				}
			}
		}
		current = next
	}
	return all
}

// embedded returns the struct whose fields sf promotes, if it does.
func (c *shapes) embedded(sf reflect.StructField, at string) (level, bool) {
	t, ok := promoted(sf)
	pointer := sf.Type.Kind() == reflect.Pointer
	if ok && pointer && !sf.IsExported() {
		c.addf("%s.%s: an embedded pointer to an unexported struct cannot be set; embed the struct itself", at, sf.Name)
	}
	return level{typ: t, optional: pointer}, ok
}

// promoted returns the struct whose fields sf promotes, if it does: one that is
// embedded, by itself or by a pointer, without a json name, and that does not
// bring its own JSON.
func promoted(sf reflect.StructField) (reflect.Type, bool) {
	name, _ := parseJSONTag(sf.Tag.Get("json"))
	if !sf.Anonymous || name != "" || sf.Tag.Get("json") == "-" {
		return nil, false
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t, t.Kind() == reflect.Struct && t != typeTime && !brings(t)
}

// field returns what sf is as a member, or nil if it is none.
func (c *shapes) field(sf reflect.StructField, index []int, optional bool, at string) *field {
	jsonTag := sf.Tag.Get("json")
	if !sf.IsExported() {
		// An embedded unexported struct without a name has been walked by collect.
		if name, _ := parseJSONTag(jsonTag); sf.Anonymous && name != "" {
			c.addf("%s.%s: a field that is embedded and of an unexported type cannot have a JSON name; write a name before the type", at, sf.Name)
		}
		return nil
	}
	f := &field{
		goName:    sf.Name,
		index:     index,
		path:      sf.Tag.Get("path"),
		header:    sf.Tag.Get("header"),
		mcpHeader: sf.Tag.Get("mcpheader"),
		hidden:    jsonTag == "-",
		optional:  optional,
	}
	var queryOptions []string
	f.query, queryOptions = parseTag(sf.Tag.Get("query"))
	if f.hidden && !f.bound() {
		return nil
	}
	name, jsonOptions := parseJSONTag(jsonTag)
	switch {
	case name != "" && !f.hidden:
		f.name, f.tagged = name, true
	default:
		f.name = cmp.Or(f.path, f.query, f.header, sf.Name)
	}
	f.token = string(appendPointer(nil, f.name))
	at += "." + sf.Name
	f.place = at
	f.shape = c.of(sf.Type, at)
	c.applyOptions(f, jsonOptions, queryOptions)
	c.applyTags(f, sf.Tag, at)
	return f
}

// applyOptions takes what stands behind the names in the json and query tags.
func (c *shapes) applyOptions(f *field, jsonOptions, queryOptions []string) {
	for _, o := range jsonOptions {
		switch o {
		case "omitempty":
			f.optional, f.omit = true, f.omit|omitEmpty
		case "omitzero":
			f.optional, f.omit = true, f.omit|omitZero
		case "string":
			f.quoted = f.shape.canBeQuoted()
		}
	}
	for _, o := range queryOptions {
		if o == "omitempty" || o == "omitzero" {
			f.optional = true
		}
	}
}

// canBeQuoted reports whether the option string of a json tag means anything to
// a field of shape s. As in encoding/json, one pointer may be before the scalar.
func (s *shape) canBeQuoted() bool {
	if s.kind == kindPointer {
		s = s.elem
	}
	return s.kind == kindString || s.kind == kindBool || s.kind.isNumeric()
}

// parseTag splits a tag into its name and the options behind it.
func parseTag(tag string) (name string, options []string) {
	parts := strings.Split(tag, ",")
	return parts[0], parts[1:]
}

// parseJSONTag is parseTag, except that a name that encoding/json would not
// take counts as none.
func parseJSONTag(tag string) (name string, options []string) {
	name, options = parseTag(tag)
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return "", options
		}
	}
	return name, options
}

// dominant drops the fields that encoding/json would: of those with one name,
// the least nested wins, then the tagged; if that leaves two, neither is seen.
// The rest are in the order of their declaration.
func dominant(all []*field) []*field {
	byName := make(map[string][]*field)
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	var out []*field
	for _, f := range all {
		rivals := byName[f.name]
		if !slices.ContainsFunc(rivals, func(r *field) bool { return r != f && !beats(f, r) }) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b *field) int { return slices.Compare(a.index, b.index) })
	return out
}

func beats(a, b *field) bool {
	if len(a.index) != len(b.index) {
		return len(a.index) < len(b.index)
	}
	return a.tagged && !b.tagged
}

// checkClashes notes two fields of one name where encoding/json would hide both
// without a word, or knows nothing of the tag that names them.
func (c *shapes) checkClashes(all []*field, at string) {
	for i, f := range all {
		for _, other := range all[:i] {
			declared := len(f.index) == 1 && len(other.index) == 1
			bound := f.bound() || other.bound()
			switch {
			case !declared && !(bound && !beats(f, other) && !beats(other, f)):
			case f.name == other.name:
				c.addf("%s: the fields %s and %s have the same name %q; rename one", at, other.goName, f.goName, f.name)
			case f.path != "" && f.path == other.path:
				c.addf("%s: the fields %s and %s have the same path name %q; rename one", at, other.goName, f.goName, f.path)
			case f.query != "" && f.query == other.query:
				c.addf("%s: the fields %s and %s have the same query name %q; rename one", at, other.goName, f.goName, f.query)
			case f.header != "" && f.header == other.header:
				c.addf("%s: the fields %s and %s take the same header %q; drop one of the tags", at, other.goName, f.goName, f.header)
			}
		}
	}
}

// checkNames notes names that differ only by case: they are two names to us,
// and one to many a client and generator.
func (c *shapes) checkNames(fields []*field, at string) {
	byFold := make(map[string]*field)
	for _, f := range fields {
		fold := strings.ToLower(strings.ToUpper(f.name))
		if other := byFold[fold]; other != nil {
			c.addf("%s: the fields %s and %s have the names %q and %q, which differ only by case; rename one", at, other.goName, f.goName, other.name, f.name)
		}
		byFold[fold] = f
	}
}

// of returns the field of the struct v, making the embedded structs on the way
// that are behind nil pointers.
func (f *field) of(v reflect.Value) reflect.Value {
	v = v.Field(f.index[0])
	for _, i := range f.index[1:] {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// lookup returns the field of the struct v, if no nil pointer is on the way.
func (f *field) lookup(v reflect.Value) (reflect.Value, bool) { return lookup(v, f.index) }

// lookup follows index from the struct v; the result is the struct or field
// there, and not a pointer on the way to it.
func lookup(v reflect.Value, index []int) (reflect.Value, bool) {
	for n, i := range index {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}
