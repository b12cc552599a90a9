package svc

// This file is about routes: the one inferred from a method's name, patterns and their segments,
// and which of two routes gets the requests that both match.

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chooseRoute returns the route of m: the pattern of its options, or the one inferred from its
// name. An inferred route has at most one placeholder, which takes the name of the field with a
// path tag. So the tag alone is enough to rename {id}.
func (c *methodCompiler) chooseRoute(m *method, name []string, pattern string) route {
	if pattern != "" {
		r, err := parsePattern(pattern)
		c.addIf(err != nil, "the HTTP pattern %q: %v", pattern, err)
		return r
	}
	placeholder := "id"
	var tagged []string
	if m.in != nil {
		for _, f := range m.in.fields {
			if f.bound[wherePath] != "" {
				tagged = append(tagged, f.bound[wherePath])
			}
		}
	}
	switch {
	case len(tagged) > 1:
		c.addf("%d fields have a path tag, and the route inferred from the name has one placeholder at most; "+
			"give the method an HTTP pattern in Options.Methods", len(tagged))
	case len(tagged) == 1:
		placeholder = tagged[0]
		c.addIf(!isPlaceholderName(placeholder), "path:%q: a placeholder must have a name of letters, digits and _, such as todo_id",
			placeholder)
	}
	base := m.resource
	if base == c.opts.Resource {
		base = c.opts.Path
	}
	return inferRoute(base, name, placeholder)
}

// firstWord returns the route that the first word of a method's name asks for: its verb, and
// whether it is the route of one item, not of the collection. The verb is "" for a word that is
// an action. Find is a special case of inferRoute too.
func firstWord(word string) (verb string, ofItem bool) {
	switch word {
	case "create", "add", "new":
		return http.MethodPost, false
	case "list", "all", "search":
		return http.MethodGet, false
	case "get", "fetch", "read", "find":
		return http.MethodGet, true
	case "update", "edit", "modify", "set":
		return http.MethodPut, true
	case "delete", "remove":
		return http.MethodDelete, true
	case "patch":
		return http.MethodPatch, true
	}
	return "", false
}

// inferRoute returns the route of a method by the words of its name. base is the path of its
// resource, without a leading slash. placeholder is the name of the item in the path. FindUsers is
// a list, FindUser an item. A method that does not concern an item, such as GetAll or DeleteMe,
// needs its own HTTP pattern, which the route suggests.
func inferRoute(base string, name []string, placeholder string) route {
	verb, ofItem := firstWord(name[0])
	path := "/" + base
	switch {
	case verb == "":
		return route{verb: http.MethodPost, path: path + "/" + strings.Join(name, "_")}
	case name[0] == "find" && len(name) > 1 && isPlural(name[1]), !ofItem:
		return route{verb: verb, path: path}
	}
	instead := verb + " " + path // as for GetAll
	if len(name) > 1 && name[1] != "all" {
		instead += "/" + strings.Join(name[1:], "_") // as for DeleteMe
	}
	return route{verb: verb, path: path + "/{" + placeholder + "}", placeholders: []string{placeholder}, instead: instead}
}

// isPlural reports whether the word after Find asks for a list. English endings
// are a guess; MethodOptions.HTTP says otherwise where it is wrong.
func isPlural(word string) bool {
	return word == "all" || strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") &&
		!strings.HasSuffix(word, "is")
}

// parsePattern parses MethodOptions.HTTP: a pattern of http.ServeMux, without a host and without
// {$}, since a slash at the end means the same.
func parsePattern(pattern string) (route, error) {
	verb, path, ok := strings.Cut(pattern, " ")
	path = strings.TrimLeft(path, " \t")
	switch {
	case !ok || !slices.Contains(routeVerbs, verb):
		return route{}, fmt.Errorf("want a pattern such as \"POST /todos/{id}/archive\", with one of the methods %s first",
			strings.Join(routeVerbs, ", "))
	case !strings.HasPrefix(path, "/"):
		return route{}, fmt.Errorf("want a path that starts with a slash, without a host")
	}
	r := route{verb: verb, path: path}
	for _, segment := range strings.Split(strings.TrimSuffix(path, "/"), "/")[1:] {
		name, tail, err := parseSegment(segment)
		switch {
		case err != nil:
			return route{}, err
		case tail && !strings.HasSuffix(path, segment):
			return route{}, fmt.Errorf("%s takes all segments to the end of the path, and nothing can follow; write {%s}, which takes one "+
				"segment", segment, name)
		case name == "":
		case slices.Contains(r.placeholders, name):
			return route{}, fmt.Errorf("the placeholder {%s} is there twice", name)
		default:
			r.placeholders = append(r.placeholders, name)
		}
		r.tail = tail
	}
	return r, nil
}

// parseSegment returns the name of the placeholder if a segment of a path is one, and "" for
// literal text. tail is set for {name...}. It rejects :id, which is a placeholder in other routers
// and would be literal text here.
func parseSegment(segment string) (name string, tail bool, err error) {
	if segment == "" || segment == "." || segment == ".." {
		return "", false, fmt.Errorf("the path has an empty segment or a dot segment, which no request matches")
	}
	if strings.HasPrefix(segment, ":") {
		return "", false, fmt.Errorf("a placeholder is written {%s}, and not %s", segment[1:], segment)
	}
	if !strings.ContainsAny(segment, "{}") {
		return "", false, checkLiteral(segment)
	}
	name, opened := strings.CutPrefix(segment, "{")
	name, closed := strings.CutSuffix(name, "}")
	if !opened || !closed || strings.ContainsAny(name, "{}") {
		return "", false, fmt.Errorf("a placeholder such as {id} is a whole segment, between two slashes, and %s is not", segment)
	}
	name, tail = strings.CutSuffix(name, "...")
	switch {
	case name == "$":
		return "", false, fmt.Errorf("{$} is not needed: a slash at the end of the path stands for itself")
	case !isPlaceholderName(name):
		return "", false, fmt.Errorf("the placeholder %s must have a name of letters, digits and _, such as {todo_id}", segment)
	}
	return name, tail, nil
}

// isPlaceholderName reports whether http.ServeMux takes a placeholder of this
// name: an identifier of Go.
func isPlaceholderName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	isOther := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
	return name != "" && !unicode.IsDigit(first) && !strings.ContainsFunc(name, isOther)
}

// checkLiteral returns an error for text that a path cannot contain unescaped (RFC 3986, section
// 3.3). OpenAPI publishes the path without escaping it.
func checkLiteral(segment string) error {
	for _, r := range segment {
		if r <= ' ' || r == 0x7f || strings.ContainsRune("?#\"<>\\^`|[]", r) {
			return fmt.Errorf("the path has %q in it, which a URL spells %%%02X", r, r)
		}
	}
	text, err := url.PathUnescape(segment)
	switch {
	case err != nil:
		return fmt.Errorf("the path has a %% that two hexadecimal digits do not follow")
	case text == "/": // by package net/http
		return fmt.Errorf("the path has the segment %s, which http.ServeMux takes for the slash at the end of a path; write other text", segment)
	}
	if !utf8.ValidString(segment) {
		return fmt.Errorf("the path is not valid UTF-8")
	}
	return nil
}

// pattern returns the route in the form of http.ServeMux and MethodOptions.HTTP.
func (r route) pattern() string { return r.verb + " " + r.path }

// muxPattern returns a pattern or a path for http.ServeMux, where a slash at its end alone would
// stand for everything below it.
func muxPattern(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return pattern + "{$}"
	}
	return pattern
}

// A segment is what stands between two slashes in the path of a route.
type segment struct {
	kind segmentKind
	text string // of a literal, without escapes
}

type segmentKind int

const (
	literalSegment segmentKind = iota // as text has it
	placeholder                       // {id}, one segment
	tailSegment                       // {path...} at the end, one segment or more
	endSlash                          // nothing, behind a slash at the end
	noSegment                         // behind the end of a path
)

// segmentsOf returns the segments of a path, or of a pattern, whose first segment is the verb. Of
// a path the first one is a literal without a text.
func segmentsOf(pattern string) []segment {
	texts := strings.Split(pattern, "/")
	list := make([]segment, len(texts))
	for i, text := range texts {
		switch {
		case strings.HasSuffix(text, "...}"):
			list[i].kind = tailSegment
		case strings.HasPrefix(text, "{"):
			list[i].kind = placeholder
		case text == "" && i > 0:
			list[i].kind = endSlash
		default:
			list[i].text, _ = url.PathUnescape(text)
		}
	}
	return list
}

// templateOf returns a path as documents have it, with these names for the placeholders: there
// {path...} is {path}. Without names they are {}.
func templateOf(path []segment, names []string) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteByte('/')
		}
		name := ""
		if s.isFilled() && len(names) > 0 {
			name, names = names[0], names[1:]
		}
		if s.isFilled() {
			b.WriteString("{" + name + "}")
		} else { // http.ServeMux unescapes patterns, so two spellings are one path; this one is what clients send
			b.WriteString(url.PathEscape(s.text))
		}
	}
	return b.String()
}

// isFilled reports whether requests have their own text in place of s.
func (s segment) isFilled() bool { return s.kind == placeholder || s.kind == tailSegment }

// looksLike reports whether documents show s as they show other.
func (s segment) looksLike(other segment) bool { return s == other || s.isFilled() && other.isFilled() }

// checkRoutes notes pairs of methods whose routes match the same request, and neither is more
// specific, and pairs that documents cannot tell apart. It returns for each method its rivals, in
// order: the methods with a more specific route, to which a mux gives the requests that match both.
func checkRoutes(p *mistakes, methods []*method) (rivals map[*method][]*method) {
	rivals = make(map[*method][]*method)
	routes := make([][]segment, len(methods))
	var known routeTree
	for i, m := range methods {
		if m.path == "" { // noted already, or not served over REST
			continue
		}
		routes[i] = segmentsOf(m.pattern())
		for _, n := range known.meeting(routes[i]) {
			other := methods[n]
			switch more, less, _ := compareRoutes(routes[n], routes[i]); {
			case !more && !less && other.hasNameOf(m): // nameMethods has noted it
			case !more && !less:
				p.addf("%s and %s have the same route %s; give one of them an HTTP pattern or a resource of its own, in Options.Methods",
					other.title(), m.title(), m.pattern())
			case more && less:
				p.addf("%s and %s have the routes %s and %s, and some requests match both; change one", other.title(), m.title(),
					other.pattern(), m.path)
			case slices.EqualFunc(routes[n], routes[i], segment.looksLike): // one has {id} where the other has {path...}
				p.addf("%s and %s have the routes %s and %s, which documents cannot tell apart, since {name...} is {name} there; "+
					"change one", other.title(), m.title(), other.pattern(), m.path)
			case losesTo(routes[n], routes[i]):
				rivals[other] = append(rivals[other], m)
			case losesTo(routes[i], routes[n]):
				rivals[m] = append(rivals[m], other)
			}
		}
		known.add(routes[i], i)
	}
	return rivals
}

// compareRoutes compares the requests that match two routes on a http.ServeMux: meet reports whether
// some match both, more whether others match only the first, and less whether others match only the
// second. Both are in the form of segmentsOf.
//
//	/a/{x}     /a/b        meet, more
//	/a/{x}     /{y}/b      meet, more, less
//	/a/{x...}  /a/, /a/b/  meet, more
//	/a/{x}     /a/         nothing
//	/a/{x...}  /a          nothing
func compareRoutes(route, other []segment) (more, less, meet bool) {
	for i := range max(len(route), len(other)) {
		a, b := segmentAt(route, i), segmentAt(other, i)
		switch {
		case a == b:
		case a.kind == noSegment || b.kind == noSegment:
			return false, false, false
		case a.kind == tailSegment, a.kind == placeholder && b.kind == literalSegment:
			more = true
		case b.kind == tailSegment, b.kind == placeholder && a.kind == literalSegment:
			less = true
		default:
			return false, false, false
		}
	}
	return more, less, true
}

// segmentAt returns the segment of a route that takes segment i of a path.
func segmentAt(route []segment, i int) segment {
	last := len(route) - 1
	switch {
	case i <= last:
		return route[i]
	case route[last].kind == tailSegment:
		return route[last]
	}
	return segment{kind: noSegment}
}

// losesTo reports whether other takes requests of a route, since it is more specific. For svc,
// {name...} is never empty, so it does not lose the path with a slash at its end, as it does on a mux.
func losesTo(route, other []segment) bool {
	more, less, _ := compareRoutes(route, other)
	isEmpty := route[len(route)-1].kind == tailSegment && other[len(other)-1].kind == endSlash
	return more && !less && !isEmpty
}

// A routeTree finds the routes that meet another one without looking at all of them. Below a node
// are the segments that can follow those on the way to it.
type routeTree struct {
	ends  []int // the numbers of the routes that end here
	below map[segment]*routeTree
}

// add adds a route, in the form of segmentsOf, with a number.
func (t *routeTree) add(route []segment, n int) {
	for _, s := range route {
		next := t.below[s]
		if next == nil {
			if next = new(routeTree); t.below == nil {
				t.below = make(map[segment]*routeTree)
			}
			t.below[s] = next
		}
		t = next
	}
	t.ends = append(t.ends, n)
}

// meeting returns the numbers of the routes that meet a route, in their order.
func (t *routeTree) meeting(route []segment) []int {
	found := t.search(route, nil)
	slices.Sort(found)
	return found
}

// search appends the routes below t that meet a route whose next segments are these.
func (t *routeTree) search(next []segment, found []int) []int {
	if t == nil {
		return found
	}
	if len(next) == 0 {
		return append(found, t.ends...)
	}
	s := next[0]
	if tail := t.below[segment{kind: tailSegment}]; tail != nil && s.kind != tailSegment {
		found = append(found, tail.ends...)
	}
	switch s.kind {
	case literalSegment:
		found = t.below[segment{kind: placeholder}].search(next[1:], found)
		return t.below[s].search(next[1:], found)
	case endSlash:
		return t.below[s].search(next[1:], found)
	}
	for other, child := range t.below {
		switch {
		case s.kind == tailSegment:
			found = child.search(next, append(found, child.ends...))
		case other.kind == literalSegment || other.kind == placeholder:
			found = child.search(next[1:], found)
		}
	}
	return found
}

// placeOfTexts returns the segment of a route whose texts decide that a more specific route gets a
// request: the first placeholder where other has a literal, or else the tail.
func placeOfTexts(route, other []segment) int {
	for i, s := range other {
		at := min(i, len(route)-1)
		if kind := route[at].kind; kind == tailSegment || kind == placeholder && s.kind == literalSegment {
			return at
		}
	}
	return 0 // not if other is more specific
}
