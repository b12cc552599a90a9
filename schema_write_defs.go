package svc

// This file writes schemas that need nothing beside them, for tools and descriptors. A small
// one is written out. A larger one has under $defs what it would repeat, and $refs to it, so
// its size is linear in its types. Each of these structs would have the next twice:
//
//	type A struct{ Left, Right B }
//	type B struct{ Left, Right C }
//
// Each type is written once, as a piece with $refs to other types. A schema is then put
// together from pieces: it has a $ref, or the text of the other piece in its place.

import (
	"math"
	"slices"
)

// These limits are in bytes of JSON.
const (
	// maxWrittenOut is the size up to which a schema is written out, since models and people
	// read that with less effort than references.
	maxWrittenOut = 4096

	// maxRepeated is the size up to which a type in a larger schema is written out wherever it
	// is used: a $ref to it is hardly shorter.
	maxRepeated = 128
)

// A schemaBundler writes schemas of JSON Schema 2020-12 by one writer. It keeps the pieces, so
// that many schemas with the same types cost little more than their texts.
type schemaBundler struct {
	writer schemaWriter
	pieces map[*shape]*schemaPiece
}

// newBundler returns a bundler of schemas that w writes. names has the names of types under
// $defs.
func newBundler(w schemaWriter, names map[*shape]string) *schemaBundler {
	w.prefix = defsPrefix
	w.ref = func(s *shape) string {
		if !s.isComponent() {
			return ""
		}
		return names[s]
	}
	return &schemaBundler{writer: w, pieces: make(map[*shape]*schemaPiece)}
}

// defsPrefix begins a reference to a type under $defs. Names of types need no escapes in a
// JSON Pointer.
const defsPrefix = "#/$defs/"

// A schemaPiece is the schema of one type, in which all other types with a name are $refs. What
// the comment of the type says is not in text: where the piece is written out in a field with a
// text of its own, that text is there instead.
type schemaPiece struct {
	of      *shape
	text    []byte
	refs    []schemaRef // in the order of the text
	inPlace int         // the size of the text with all that can be written out; 0 for not known yet
}

// A schemaRef is the member $ref in the text of a piece, from its name to its value.
type schemaRef struct {
	from, to  int
	target    *shape
	described bool // the field has a text of its own
}

// pieceOf returns the piece of s, or writes it.
func (b *schemaBundler) pieceOf(s *shape) *schemaPiece {
	if p := b.pieces[s]; p != nil {
		return p
	}
	p, w, root := &schemaPiece{of: s}, b.writer, s
	w.refs, w.bare = &p.refs, s
	w.ref = func(inner *shape) string {
		if inner == root { // the first time, which is for s itself
			root = nil
			return ""
		}
		return b.writer.ref(inner)
	}
	p.text = w.appendShape(make([]byte, 0, 512), s) // most fit
	b.pieces[s] = p
	return p
}

// sizeOf returns the size of the schema of s with all types written out but those that contain
// themselves. It is never more than math.MaxInt16.
func (b *schemaBundler) sizeOf(s *shape) int {
	p := b.pieceOf(s)
	if p.inPlace == 0 {
		p.inPlace = p.size(func(inner *shape) int {
			if inner.recursive {
				return 0
			}
			return b.sizeOf(inner)
		})
	}
	return p.inPlace
}

// size returns the size of p if each type in it is written out for which sizeOf returns a
// size, and 0 stands for a $ref.
func (p *schemaPiece) size(sizeOf func(*shape) int) int {
	n := len(p.text) + len(p.of.about.text)
	for _, r := range p.refs {
		if inner := sizeOf(r.target); inner > 0 {
			n += inner - len("{}") - (r.to - r.from)
		}
	}
	return min(n, math.MaxInt16)
}

// isSmall reports whether a schema of s that is written out has at most maxWrittenOut bytes,
// with the types that contain themselves under $defs.
func (b *schemaBundler) isSmall(s *shape) bool {
	n, seen := b.sizeOf(s), make(map[*shape]bool)
	for queue := []*shape{s}; len(queue) > 0 && n <= maxWrittenOut; queue = queue[1:] {
		for _, r := range b.pieceOf(queue[0]).refs {
			if t := r.target; !seen[t] {
				seen[t] = true
				queue = append(queue, t)
				if t.recursive {
					n += b.sizeOf(t)
				}
			}
		}
	}
	return n <= maxWrittenOut
}

// appendSchema appends the schema of s.
func (b *schemaBundler) appendSchema(dst []byte, s *shape) []byte {
	root := b.pieceOf(s)
	w := &schemaBundle{schemaBundler: b}
	if root.refs == nil { // as for most inputs
		return w.appendPiece(dst, root, false, w.writer.use == forToolInput) // the description of the tool says more
	}
	if !b.isSmall(s) {
		w.share(s)
	}
	dst = slices.Grow(dst, min(b.sizeOf(s), maxWrittenOut))
	m := members{w.appendPiece(dst, root, false, w.writer.use == forToolInput)}
	m.buf = m.buf[:len(m.buf)-1]
	at := m.open("$defs", '{')
	for i := 0; i < len(w.defs); i++ { // writing one may add others
		m.addName(b.writer.ref(w.defs[i]))
		m.buf = w.appendPiece(m.buf, b.pieceOf(w.defs[i]), false, false)
	}
	m.closeSome(at, '}')
	return m.close()
}

// A schemaBundle is one schema, or several that refer to the same types. Types that contain
// themselves are always under $defs. Its maps are nil until share or appendPiece needs them.
type schemaBundle struct {
	*schemaBundler
	uses   map[*shape]int  // how many $refs there are to each type, in the pieces of the types
	types  []*shape        // the keys of uses, what is inside a type before the type
	shared map[*shape]bool // the others under $defs
	listed map[*shape]bool
	defs   []*shape // the keys of listed: those under $defs, in the order of their first $refs
}

// share decides which types in the schemas of roots are under $defs: those that are used more
// than once and have more than maxRepeated bytes. So each $ref stands for a few bytes, for a
// type that is written once, or for one at this place alone.
func (w *schemaBundle) share(roots ...*shape) {
	w.uses, w.shared = make(map[*shape]int), make(map[*shape]bool)
	for _, s := range roots {
		w.countUses(w.pieceOf(s))
	}
	sizes := make(map[*shape]int) // 0 for a type that is under $defs
	for _, t := range w.types {
		n := w.pieceOf(t).size(func(inner *shape) int { return sizes[inner] })
		if t.recursive || w.uses[t] > 1 && n > maxRepeated {
			w.shared[t] = true
		} else {
			sizes[t] = n
		}
	}
}

// countUses counts the $refs in p and in the pieces of the types that they lead to.
func (w *schemaBundle) countUses(p *schemaPiece) {
	for _, r := range p.refs {
		if w.uses[r.target]++; w.uses[r.target] == 1 {
			w.countUses(w.pieceOf(r.target))
			w.types = append(w.types, r.target)
		}
	}
}

// appendPiece appends the text of p, in which the types that are not under $defs are written out.
// If it is inside another one, it has no braces; if that describes it, it has no text of its own.
func (w *schemaBundle) appendPiece(dst []byte, p *schemaPiece, inside, described bool) []byte {
	at := 0
	if inside {
		at = len("{")
	}
	for _, r := range p.refs {
		dst = append(dst, p.text[at:r.from]...)
		switch at = r.to; {
		case !w.shared[r.target] && !r.target.recursive:
			dst = w.appendPiece(dst, w.pieceOf(r.target), true, r.described)
			continue
		case !w.listed[r.target]:
			if w.listed == nil {
				w.listed = make(map[*shape]bool)
			}
			w.listed[r.target] = true
			w.defs = append(w.defs, r.target)
		}
		dst = append(dst, p.text[r.from:r.to]...)
	}
	m := members{append(dst, p.text[at:len(p.text)-len("}")]...)}
	if !described {
		w.writer.writeAbout(&m, p.of)
	}
	if inside {
		return m.buf
	}
	return m.close()
}
