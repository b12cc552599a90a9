package svc

// This file finds the structs that contain themselves, all in one walk: a
// service may have thousands.

// A cycleFinder finds the strongly connected components of the graph whose nodes
// are objects and whose edges are "contains" (R. Tarjan, Depth-first search and
// linear graph algorithms, 1972).
//
// Invariants:
//
//	order numbers the objects from 1 as they are met
//	open holds those whose component is not known yet, in that order
type cycleFinder struct {
	must  bool
	order map[*shape]int
	open  []*shape
	known map[*shape]bool // the component is known; true if it is a cycle
}

// findCycles returns true for the objects of which a value can contain one of
// the same type; with must, for those of which it cannot do without.
func findCycles(all []*shape, must bool) map[*shape]bool {
	c := &cycleFinder{must: must, order: make(map[*shape]int), known: make(map[*shape]bool)}
	for _, s := range all {
		if s.kind == kindObject && c.order[s] == 0 {
			c.visit(s)
		}
	}
	return c.known
}

// visit walks everything below s and returns the number of the first object that
// is in a cycle with it: that of s itself if there is none before s.
func (c *cycleFinder) visit(s *shape) int {
	number, start, self := len(c.order)+1, len(c.open), false
	c.order[s] = number
	c.open = append(c.open, s)
	first := number
	for _, f := range s.fields {
		if c.must && !f.required() {
			continue
		}
		e := f.shape.object(c.must, f.minItems)
		if e == nil {
			continue
		}
		self = self || e == s
		if c.order[e] == 0 {
			first = min(first, c.visit(e))
		} else if _, known := c.known[e]; !known {
			first = min(first, c.order[e])
		}
	}
	if first == number {
		component := c.open[start:]
		for _, e := range component {
			c.known[e] = self || len(component) > 1
		}
		c.open = c.open[:start]
	}
	return first
}

// object returns the object that a value of s is or can contain with no other
// object around it; with must, cannot do without. It returns nil if there is
// none.
func (s *shape) object(must bool, minItems int) *shape {
	if s.broken && s.kind != kindObject {
		return nil // it may have no end
	}
	switch s.kind {
	case kindPointer, kindMap:
		if !must {
			return s.elem.object(must, 0)
		}
	case kindSlice:
		if !must || minItems > 0 {
			return s.elem.object(must, 0)
		}
	case kindArray:
		if s.typ.Len() > 0 {
			return s.elem.object(must, 0)
		}
	case kindObject:
		return s
	}
	return nil
}
