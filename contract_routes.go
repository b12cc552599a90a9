package svc

// This file finds requests that reached one method of the release and now reach a different one.
//
// A mux gives a request to the most specific route that matches it. The release had the route
// GET /todos/{id}, where id is a string. A new method has GET /todos/export, which is more
// specific, so the request GET /todos/export reaches it. If id is an integer, the release refused
// that request, and nothing breaks.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A routeSet is the routes of all methods of a contract.
type routeSet struct {
	methods []*contractMethod
	tree    routeTree
}

func newRouteSet(methods []*contractMethod) *routeSet {
	set := &routeSet{methods: methods}
	for i, m := range methods {
		if m.segments = segmentsOf(m.HTTP); m.HTTP != "" {
			set.tree.add(m.segments, i)
		}
	}
	return set
}

// takersFrom returns the methods whose routes are more specific than the route of m: a mux gives them
// requests that match both.
func (r *routeSet) takersFrom(m *contractMethod) (takers []*contractMethod) {
	if m.HTTP == "" {
		return nil
	}
	for _, i := range r.tree.meeting(m.segments) {
		if losesTo(m.segments, r.methods[i].segments) {
			takers = append(takers, r.methods[i])
		}
	}
	return takers
}

// findTakers returns the methods of now whose routes take requests of was, a method of old that has
// the same route as is. It leaves out methods whose routes an old route already covered. Such a
// route took all of their requests, because placeholders match any text.
func findTakers(was, is *contractMethod, old, now *routeSet) (takers []*contractMethod) {
	if !sameRoute(was, is) {
		return nil
	}
	before := old.takersFrom(was)
	for _, m := range now.takersFrom(was) {
		tookBefore := func(o *contractMethod) bool {
			_, less, meet := compareRoutes(o.segments, m.segments)
			return meet && !less
		}
		if m != is && !slices.ContainsFunc(before, tookBefore) {
			takers = append(takers, m)
		}
	}
	return takers
}

// A placeholderText is the text that one route has where a different one has a placeholder.
type placeholderText struct {
	field *contractPlan // from the placeholder, of an input
	text  string
}

// placeholderTexts returns the texts that the route of other, which takes requests of m, has in
// place of the placeholders of m, with the fields of an input of m.
func (m *contractMethod) placeholderTexts(other *contractMethod, input *contractPlan) (list []placeholderText) {
	k := 0
	for i, s := range m.segments {
		if !s.isFilled() {
			continue
		}
		k++
		place, texts := inPath+" "+strconv.Itoa(k), []string{other.segments[i].text}
		if s.kind == tailSegment {
			place += tailMark
			for _, more := range other.segments[i+1:] {
				texts = append(texts, more.text)
			}
			for j := range texts {
				texts[j] = cmp.Or(texts[j], "a") // any text of a placeholder
			}
		}
		if f := fieldFrom(place, input.Fields); f != nil && texts[0] != "" {
			list = append(list, placeholderText{f, strings.Join(texts, "/")})
		}
	}
	return list
}

// compareRoutes adds a break for each of p.takers that takes a request which the release accepted.
// old is the plan of the released input.
func (p *prober) compareRoutes(old *contractPlan) {
	for _, m := range p.takers {
		at, first, unsure, accepted := "", "", false, true
		for _, t := range p.was.placeholderTexts(m, old) { // any text of the others
			f, value := t.field, t.field.textValue(t.text)
			unsure = unsure || f.unknown != nil || f.reader.decode == nil
			accepted = accepted && f.fitsREST(value) && p.takes(f, value)
			at, first = cmp.Or(at, placeIn("input", f.Name)), cmp.Or(first, value)
		}
		why := fmt.Sprintf("%s calls %s now", m.HTTP, m.Name)
		switch {
		case accepted && unsure:
			p.doubt(at, "%s, and svc does not know whether the release accepted the path", why)
		case accepted:
			p.refuse(at, why, first)
		}
	}
}

// textValue returns the JSON of a value that is a text in a URL.
func (p *contractPlan) textValue(text string) string {
	if p.Quoted || p.jsonType() == "string" {
		return string(appendQuoted(nil, text))
	}
	return text
}
