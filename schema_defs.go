package svc

// This file writes schemas that do not refer to other documents, for tools and descriptors. A small
// schema is written out, except for types that contain themselves. A large schema lists each type
// under $defs and refers to it, so its size is linear in its types. If these structs were written
// out, each would contain the next twice:
//
//	type A struct{ Left, Right B }
//	type B struct{ Left, Right C }

// maxWrittenOut is the maximum size, in bytes of JSON, of a schema that is written out. Below it,
// models and people read schemas more easily without references.
const maxWrittenOut = 4096

// maxInPlace ends the writing of a schema that will be larger than maxWrittenOut.
const maxInPlace = 256

// defsPrefix begins a reference to a type under $defs. Names of types need no escapes in a
// JSON Pointer.
const defsPrefix = "#/$defs/"

// appendSchema appends the schema of s that w writes, as its readers take it. names has the names of
// types under $defs.
func (w schemaWriter) appendSchema(dst []byte, s *shape, names map[*shape]string) []byte {
	if text, isSmall := w.writeOut(s, names); isSmall {
		return append(dst, text...)
	}
	c := w.newDefs(names, func(*shape) bool { return true })
	m := c.openSchema(s)
	m.add("$defs", c.writeSchemas())
	return w.use.appendFor(dst, m.close())
}

// writeOut returns the schema of s, in which only types that contain themselves are under $defs. It
// reports false if that is large; the text can then be incomplete.
func (w schemaWriter) writeOut(s *shape, names map[*shape]string) (text []byte, isSmall bool) {
	inPlace := 0
	c := w.newDefs(names, func(t *shape) bool {
		inPlace++
		return t.recursive || inPlace > maxInPlace
	})
	m := c.openSchema(s)
	if inPlace <= maxInPlace {
		m.add("$defs", c.writeSchemas())
		text = w.use.appendFor(nil, m.close())
	}
	return text, inPlace <= maxInPlace && len(text) <= maxWrittenOut
}

// newDefs returns an empty list of schemas under $defs, for the types for which refers returns
// true.
func (w schemaWriter) newDefs(names map[*shape]string, refers func(*shape) bool) *components {
	c := &components{writer: w, names: names, schemas: make(map[string][]byte)}
	c.writer.prefix = defsPrefix
	c.writer.ref = func(t *shape) string {
		if !t.isComponent() || !refers(t) {
			return ""
		}
		return c.referShape(t)
	}
	return c
}

// openSchema returns the schema of s, without its last brace. The schema of a type with a name is
// not a $ref to itself.
func (c *components) openSchema(s *shape) members {
	if !s.isComponent() {
		text := c.writer.appendShape(nil, s)
		return members{text[:len(text)-1]}
	}
	m := openMembers(make([]byte, 0, 512)) // most fit
	c.writer.writePlain(&m, s, anywhere, false)
	if c.writer.use != forToolInput { // the description of the tool says more
		c.writer.writeAbout(&m, s)
	}
	return m
}
