package svc

// This file parses and expands the URIs of resources.

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A uriTemplate is the parsed URI of a resource: todos://lists/{list}/todos/{id}{?limit} has the
// names list and id, and limit in the query.
type uriTemplate struct {
	text         string         // MCPMethod.URI
	pattern      *regexp.Regexp // of a URI without its query; a group for each name
	names, query []string
}

// isTemplate reports whether more than one URI fits.
func (u *uriTemplate) isTemplate() bool { return len(u.names)+len(u.query) > 0 }

// compileURI splits the URI of a resource: a scheme, names in braces with text between them, and
// parameters at the end.
func compileURI(p *mistakes, text string) (u uriTemplate) {
	const scheme, char, name, query = `[A-Za-z][A-Za-z0-9+.-]*://`, `[^{} #]`, `\{[^{} #?]+\}`, `\{\?[^{} #?]+\}`
	syntax := regexp.MustCompile("^" + scheme + char + "*(" + name + char + "+)*(" + name + ")?(" + query + ")?$")
	u.text = text
	if !syntax.MatchString(text) {
		p.addf("MethodOptions.MCP.URI is %q; write one such as todos://todos/{id} or todos://todos{?limit,cursor}, with text between names in "+
			"braces and parameters at the end", text)
		return u
	}
	path, params, ok := strings.Cut(text, "{?")
	if ok {
		u.query = strings.Split(strings.TrimSuffix(params, "}"), ",")
	}
	pattern := regexp.QuoteMeta(path)
	for _, name := range regexp.MustCompile(name).FindAllString(path, -1) {
		u.names = append(u.names, strings.Trim(name, "{}"))
		// A value is one segment, and ends where the text after it first fits.
		pattern = strings.Replace(pattern, regexp.QuoteMeta(name), "([^/?#]+?)", 1)
	}
	u.pattern = regexp.MustCompile("^" + pattern + "$")
	return u
}

// matchURI returns the decoded values of a URI by name, or false if the URI does not match.
// A value that could lead out of a folder does not match, since a method may use it as the
// name of a file.
func (u *uriTemplate) matchURI(uri string) (map[string]string, bool) {
	values := make(map[string]string)
	if len(u.query) > 0 {
		before, params, _ := strings.Cut(uri, "?")
		parsed, err := url.ParseQuery(params)
		if err != nil {
			return nil, false
		}
		for name, list := range parsed {
			if !slices.Contains(u.query, name) || len(list) != 1 || !utf8.ValidString(list[0]) || leadsOut(list[0]) {
				return nil, false
			}
			values[name] = list[0]
		}
		uri = before
	}
	found := u.pattern.FindStringSubmatch(uri)
	if found == nil {
		return nil, false
	}
	for i, name := range u.names {
		value, err := url.PathUnescape(found[i+1])
		if err != nil || !utf8.ValidString(value) || leadsOut(value) {
			return nil, false
		}
		values[name] = value
	}
	return values, true
}

// expand returns the URI with the values for its names in arguments, a JSON object. It reports
// false if resources/read would refuse it, for example because a value in the path is missing.
func (u *uriTemplate) expand(arguments []byte) (string, bool) {
	uri, _, _ := strings.Cut(u.text, "{?")
	valueOf := func(name string) string {
		value := memberAt(arguments, name)
		if isJSONNull(value) {
			return ""
		}
		return textOr(string(value))
	}
	for _, name := range u.names {
		uri = strings.Replace(uri, "{"+name+"}", url.PathEscape(valueOf(name)), 1)
	}
	before := "?"
	for _, name := range u.query {
		if value := valueOf(name); value != "" {
			uri += before + url.QueryEscape(name) + "=" + url.QueryEscape(value)
			before = "&"
		}
	}
	_, ok := u.matchURI(uri)
	return uri, ok
}

// leadsOut reports whether a value has a dot segment (RFC 3986, section 5.2.4), or a NUL, which
// ends the name of a file in C. A backslash also separates segments, as on Windows, and so does a
// slash that was sent as %2F.
func leadsOut(value string) bool {
	segments := strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(segments, ".") || slices.Contains(segments, "..") || strings.Contains(value, "\x00")
}

// coversURI reports whether every URI that fits the template was also fits the template is. The two
// may differ only in the names in braces, and is may have more parameters.
func coversURI(is, was string) bool {
	split := func(template string) (path string, query []string) {
		path, params, _ := strings.Cut(template, "{?")
		path = regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(path, "{}")
		return path, strings.Split(strings.TrimSuffix(params, "}"), ",")
	}
	path, query := split(is)
	oldPath, oldQuery := split(was)
	isLost := func(name string) bool { return name != "" && !slices.Contains(query, name) }
	return path == oldPath && !slices.ContainsFunc(oldQuery, isLost)
}
