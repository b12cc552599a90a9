package svc

// This file writes the page that lists the profiles.

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"runtime/pprof"
	"slices"
	"strings"
)

// A profilePage is one line of the index.
type profilePage struct {
	name, about string
	count       int
}

// profilePages returns a line for each profile there is, sorted by name.
func profilePages() []profilePage {
	pages := []profilePage{
		{name: "cmdline", about: "The command line of the program."},
		{name: "profile", about: "A CPU profile, of 30 seconds or as many as the parameter seconds says."},
		{name: "symbol", about: "The functions at program counters, given in the query or in a POST body with + between them."},
		{name: "trace", about: "An execution trace for go tool trace, of 1 second or as many as the parameter seconds says."},
	}
	for _, p := range pprof.Profiles() {
		pages = append(pages, profilePage{p.Name(), aboutProfile(p.Name()), p.Count()})
	}
	slices.SortFunc(pages, func(a, b profilePage) int { return strings.Compare(a.name, b.name) })
	return pages
}

func aboutProfile(name string) string {
	switch name {
	case "allocs":
		return "Where memory was allocated since the program began, sampled."
	case "block":
		return "Where goroutines waited for each other; empty unless the program calls runtime.SetBlockProfileRate."
	case "goroutine":
		return "What every goroutine is doing; with debug=2 in the form of a panic."
	case "goroutineleak":
		return "What goroutines that can never go on are waiting for."
	case "heap":
		return "Where the memory in use was allocated, sampled; with gc=1 after a garbage collection."
	case "mutex":
		return "Who held contended mutexes; empty unless the program calls runtime.SetMutexProfileFraction."
	case "threadcreate":
		return "What led to new threads of the operating system."
	}
	return "A profile of the program's own."
}

// writeProfileIndex answers with a page of links. They are relative, so that
// they hold behind a proxy that strips a prefix, and take account of whether
// the page itself was asked for with a slash at the end.
func writeProfileIndex(w http.ResponseWriter, r *http.Request) {
	base := ""
	if !strings.HasSuffix(r.URL.Path, "/") {
		base = path.Base(r.URL.Path) + "/"
	}
	link := func(name, query string) string {
		return html.EscapeString((&url.URL{Path: base + name, RawQuery: query}).String())
	}
	var buf bytes.Buffer
	buf.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Profiles</title>\n<h1>Profiles</h1>\n")
	buf.WriteString("<table>\n<tr><th>Count<th>Profile<th>What it shows\n")
	for _, p := range profilePages() {
		fmt.Fprintf(&buf, "<tr><td>%d<td><a href=\"%s\">%s</a><td>%s\n", p.count, link(p.name, "debug=1"), html.EscapeString(p.name), p.about)
	}
	fmt.Fprintf(&buf, "</table>\n<p><a href=\"%s\">All goroutines with their stacks</a>\n", link("goroutine", "debug=2"))
	buf.WriteString("<p>With debug=1 a profile is text; without, it is a file for go tool pprof.\n</html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	buf.WriteTo(w)
}
