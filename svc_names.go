package svc

// This file decides what a method is called on each transport and where its
// route is, from its Go name and its options.

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits a Go name into its words, in lower case. A run of capitals is
// one word, whose last capital starts the next word if a lower-case letter
// follows; digits belong to the word before:
//
//	MarkDone    mark done
//	GetURL      get url
//	HTTPServer  http server
//	ListV2All   list v2 all
func words(name string) []string {
	var out []string
	runes := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i == 0 || !unicode.IsUpper(r):
		case !unicode.IsUpper(runes[i-1]), i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			flush(i)
		}
	}
	flush(len(runes))
	return out
}

// A route is an HTTP method and a path.
type route struct {
	method       string
	path         string // with placeholders, without Service.prefix
	placeholders []string
	explicit     bool // from MethodOptions.HTTP
}

// hasBody reports whether requests to the route have a body that means
// something (RFC 9110, section 9.3).
func (r route) hasBody() bool { return r.method != http.MethodGet && r.method != http.MethodDelete }

// firstWords says what the first word of a method's name makes of its route.
// Find is not here: see inferRoute.
var firstWords = map[string]struct {
	method string
	item   bool // the route is of one item, not of the collection
}{
	"create": {http.MethodPost, false}, "add": {http.MethodPost, false}, "new": {http.MethodPost, false},
	"list": {http.MethodGet, false}, "all": {http.MethodGet, false}, "search": {http.MethodGet, false},
	"get": {http.MethodGet, true}, "fetch": {http.MethodGet, true}, "read": {http.MethodGet, true}, "find": {http.MethodGet, true},
	"update": {http.MethodPut, true}, "edit": {http.MethodPut, true}, "modify": {http.MethodPut, true}, "set": {http.MethodPut, true},
	"delete": {http.MethodDelete, true}, "remove": {http.MethodDelete, true},
	"patch": {http.MethodPatch, true},
}

// inferRoute returns the route of a method by its name. placeholder is what the
// item is called in the path.
func inferRoute(resource string, name []string, placeholder string) route {
	verb, ok := firstWords[name[0]]
	path := "/" + resource
	switch {
	case !ok:
		return route{method: http.MethodPost, path: path + "/" + strings.Join(name, "_")}
	case name[0] == "find" && len(name) > 1 && isPlural(name[1]), !verb.item:
		return route{method: verb.method, path: path}
	}
	return route{method: verb.method, path: path + "/{" + placeholder + "}", placeholders: []string{placeholder}}
}

// isPlural reports whether a word after Find asks for a list.
func isPlural(word string) bool {
	if word == "all" {
		return true
	}
	return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is")
}

// parsePattern reads MethodOptions.HTTP: a pattern of http.ServeMux as far as
// OpenAPI can say it too.
func parsePattern(pattern string) (route, error) {
	method, path, ok := strings.Cut(pattern, " ")
	path = strings.TrimLeft(path, " \t")
	allowed := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch}
	switch {
	case !ok || !slices.Contains(allowed, method):
		return route{}, fmt.Errorf("want a pattern such as \"POST /todos/{id}/archive\", with one of the methods %s first", strings.Join(allowed, ", "))
	case !strings.HasPrefix(path, "/"):
		return route{}, fmt.Errorf("want a path that starts with a slash, without a host")
	}
	r := route{method: method, path: path, explicit: true}
	for _, segment := range strings.Split(path[1:], "/") {
		name, err := parseSegment(segment)
		switch {
		case err != nil:
			return route{}, err
		case name == "":
		case slices.Contains(r.placeholders, name):
			return route{}, fmt.Errorf("the placeholder {%s} is there twice", name)
		default:
			r.placeholders = append(r.placeholders, name)
		}
	}
	if text := tryMux(r); text != "" {
		return route{}, fmt.Errorf("http.ServeMux does not take it: %s", text)
	}
	return r, nil
}

// parseSegment returns the name of the placeholder that a segment of a path is,
// or "" if it is none.
func parseSegment(segment string) (name string, err error) {
	if segment == "" || segment == "." || segment == ".." {
		return "", fmt.Errorf("the path has an empty segment, a dot segment or a slash at its end, which no request matches")
	}
	if !strings.ContainsAny(segment, "{}") {
		return "", checkLiteral(segment)
	}
	name, opened := strings.CutPrefix(segment, "{")
	name, closed := strings.CutSuffix(name, "}")
	switch {
	case !opened || !closed || strings.ContainsAny(name, "{}"):
		return "", fmt.Errorf("a placeholder such as {id} is a whole segment, between two slashes, and %s is not", segment)
	case strings.HasSuffix(name, "...") || name == "$":
		return "", fmt.Errorf("{%s} has no form in OpenAPI; name each segment", name)
	case !isPlaceholderName(name):
		return "", fmt.Errorf("the placeholder {%s} must have a name of letters, digits and _, such as {todo_id}", name)
	}
	return name, nil
}

// isPlaceholderName reports whether http.ServeMux takes a placeholder of this
// name: one that a Go variable could have.
func isPlaceholderName(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

// checkLiteral refuses what a segment of a path in a URL does not hold (RFC
// 3986, section 3.3), since OpenAPI publishes it as it is.
func checkLiteral(segment string) error {
	for _, r := range segment {
		if r <= ' ' || r == 0x7f || strings.ContainsRune("?#\"<>\\^`|[]", r) {
			return fmt.Errorf("the path has %q in it, which a URL spells %%%02X", r, r)
		}
	}
	if _, err := url.PathUnescape(segment); err != nil {
		return fmt.Errorf("the path has a %% that two hexadecimal digits do not follow")
	}
	if !utf8.ValidString(segment) {
		return fmt.Errorf("the path is not valid UTF-8")
	}
	return nil
}

// tryMux registers the routes on a mux and returns the text of its panic.
func tryMux(routes ...route) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.method+" "+r.path, http.NotFoundHandler())
	}
	return ""
}

// checkRoutes notes pairs of methods that would answer the same request.
func checkRoutes(p *problems, methods []*method) {
	for i, m := range methods {
		for _, other := range methods[:i] {
			switch {
			case m.path == "" || other.path == "": // noted already
			case m.method == other.method && sameRequests(m.path, other.path):
				p.addf("%s and %s have the same route %s %s; give one of them an HTTP pattern or a resource of its own", other.title(), m.title(), m.method, m.path)
			case m.method == other.method && tryMux(m.route, other.route) != "":
				p.addf("%s and %s have the routes %s %s and %s, which some requests match alike; change one", other.title(), m.title(), m.method, other.path, m.path)
			}
		}
	}
}

// sameRequests reports whether two paths differ at most in what their
// placeholders are called.
func sameRequests(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	return slices.EqualFunc(as, bs, func(a, b string) bool {
		return a == b || strings.HasPrefix(a, "{") && strings.HasPrefix(b, "{")
	})
}

// nameMethods returns the methods by every name they answer to: Method.Name,
// the Go name with its first word in lower case, and all in lower case. A
// Method.Name always wins over an alias.
func nameMethods(p *problems, methods []*method) map[methodName]*method {
	names := make(map[methodName]*method)
	for _, m := range methods {
		key := methodName{m.resource, m.name}
		if other := names[key]; other != nil {
			p.addf("%s and %s both have the name %s.%s; rename one or give it a resource of its own", other.title(), m.title(), m.resource, m.name)
			continue
		}
		names[key] = m
	}
	primary := len(names)
	aliases := make(map[methodName]*method, primary)
	for _, m := range methods {
		for _, alias := range m.aliases() {
			key := methodName{m.resource, alias}
			other := aliases[key]
			switch {
			case names[key] != nil || other == m:
			case other != nil && other.name == m.name: // noted above
			case other != nil:
				p.addf("%s and %s both answer to the alias %s.%s; rename one or give it a resource of its own", other.title(), m.title(), m.resource, alias)
			default:
				aliases[key] = m
			}
		}
	}
	for key, m := range aliases {
		names[key] = m
	}
	return names
}

// aliases returns the other names of m.
func (m *method) aliases() []string {
	first := words(m.goName)[0]
	return []string{first + m.goName[len(first):], strings.ToLower(m.goName)}
}

// find returns the method that answers to a name, or nil.
func (s *Service) find(resource, name string) *method {
	return s.names[methodName{resource, name}]
}
