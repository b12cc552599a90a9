package svc

// This file describes the transports: their names, a table of their abilities, and the methods that
// each serves. The file of a transport, such as rpc.go, implements it.

import (
	"cmp"
	"slices"
	"strings"
)

// A Transport names a way to call a method. The zero value is not a transport.
type Transport string

// The transports.
const (
	TransportREST Transport = "rest" // HTTP routes
	TransportRPC  Transport = "rpc"  // JSON-RPC 2.0
	TransportMCP  Transport = "mcp"  // the Model Context Protocol
	TransportCall Transport = "call" // Service.Call outside of other calls
)

// A transportRow is what registration, contracts and documents need to know of a transport. For
// example, a method whose input has a Body is served only by REST, because only the row of REST
// sets body. No code compares names of transports for this.
type transportRow struct {
	name    Transport
	title   string // for mistakes; the constant is named Transport and this
	body    bool   // carries an input with a Body
	file    bool   // carries a File as the output
	streams bool   // carries a Stream, item by item or as one answer
	byName  string // the name of the transport in contracts, if calls use the name of the method or an alias; else empty
}

// transports has a row for each transport of MethodOptions.Transports. Contracts and mistakes
// list them in this order.
var transports = [...]transportRow{
	{name: TransportREST, title: "REST", body: true, file: true, streams: true},
	{name: TransportRPC, title: "RPC", streams: true, byName: "JSON-RPC"},
	{name: TransportMCP, title: "MCP", file: true, streams: true},
}

// row returns the row of t. It is zero if a method cannot be limited to t.
func (t Transport) row() (row transportRow) {
	for _, row := range transports {
		if row.name == t {
			return row
		}
	}
	return row
}

// carries reports whether calls by the transport can have the input and the output of m.
func (t transportRow) carries(m *method) bool {
	return (t.body || !m.takesBody()) && (t.file || !m.sendsFile()) && (t.streams || m.stream == "")
}

// isServedBy reports whether t serves m.
func (m *method) isServedBy(t Transport) bool { return slices.Contains(m.served, t) }

// callsByName returns the name in contracts, such as "JSON-RPC", of the first of the transports
// whose calls use the name of the method. It returns "" if none does: then no client uses an alias.
func callsByName(names []Transport) string {
	for _, t := range names {
		if name := t.row().byName; name != "" {
			return name
		}
	}
	return ""
}

// methodsOn returns the methods that t serves.
func (s *service) methodsOn(t Transport) []*method {
	return slices.DeleteFunc(slices.Clone(s.methods), func(m *method) bool { return !m.isServedBy(t) })
}

// namesOn returns the methods that t serves by every name that a call can have: todos.mark_done,
// and the aliases todos.markDone and todos.markdone.
func (s *service) namesOn(t Transport) map[string]*method {
	names := make(map[string]*method)
	for name, m := range s.names {
		if m.isServedBy(t) {
			names[name.resource+"."+name.method] = m
		}
	}
	return names
}

// nameOn returns the name of m in calls by t: todos_mark_done over MCP, and else todos.mark_done.
func (m *method) nameOn(t Transport) string {
	if t == TransportMCP {
		return m.toolName()
	}
	return m.resource + "." + m.name
}

// knownNames returns the names by which a call by t may mean m: its own, and those that other
// transports have. instead replaces the suggestion unless it is empty.
func (m *method) knownNames(t Transport, instead string) (list []knownName) {
	own, aliases := m.nameOn(t), m.otherNames()
	texts := []string{own, m.nameOn(TransportMCP), m.resource + "_" + m.name, m.nameOn(TransportRPC)}
	for _, alias := range aliases {
		texts = append(texts, m.resource+"."+alias)
	}
	for i, text := range texts {
		if slices.Contains(texts[:i], text) {
			continue
		}
		known := newKnownName(text)
		known.meant, known.note, known.instead = own, m.writeNote(), instead
		list = append(list, known)
	}
	return list
}

// writeNote is what a suggestion says of m, unless m only reads: nobody can know what an unknown name
// was meant to do.
func (m *method) writeNote() string {
	if m.isReadOnly() {
		return ""
	}
	return ", which changes data"
}

// servedElsewhere returns what a call by t of m, which t does not serve, is told: that m is served
// over REST only. It is "" if REST does not serve m: then the public document does not name it.
func (m *method) servedElsewhere(t Transport) string {
	if m.isServedBy(t) || !m.isServedBy(TransportREST) {
		return ""
	}
	var titles []string
	for _, name := range m.served {
		row := name.row()
		titles = append(titles, cmp.Or(row.byName, row.title))
	}
	return `"` + m.nameOn(t) + `" is served over ` + strings.Join(titles, " and ") + " only"
}

// knownOn returns the names that suggestions over t know: first the methods that t serves, then others
// of which a caller may know.
func (s *service) knownOn(t Transport) (list []knownName) {
	for _, m := range s.methodsOn(t) {
		list = append(list, m.knownNames(t, "")...)
	}
	return append(list, s.knownElsewhere(t)...)
}

// knownElsewhere returns the names of the methods that t does not serve, and REST does.
func (s *service) knownElsewhere(t Transport) (list []knownName) {
	for _, m := range s.methods {
		if instead := m.servedElsewhere(t); instead != "" {
			list = append(list, m.knownNames(t, instead)...)
		}
	}
	return list
}

// unknownMethod returns the error about a name that lookupMethod does not know, with the one that was
// meant.
func (s *service) unknownMethod(resource, name string) error {
	var resources, methods []knownName
	for _, m := range s.methods {
		if m.resource != resource {
			resources = append(resources, newKnownName(m.resource))
			continue
		}
		for _, text := range []string{m.name, m.goName} {
			known := newKnownName(text)
			known.note = m.writeNote()
			methods = append(methods, known)
		}
	}
	if methods == nil {
		return Errorf(CodeUnimplemented, "there is no resource %q%s", resource, suggestName(resource, resources))
	}
	return Errorf(CodeUnimplemented, "there is no method %q in resource %q%s", name, resource, suggestName(name, methods))
}

// setTransports sets the transports that serve m: those in names, from MethodOptions.Transports, or
// all that can carry the input and the output if names is nil. It notes names that do not exist or
// cannot serve m.
func (c *methodCompiler) setTransports(m *method, names []Transport) {
	for _, t := range transports {
		if names == nil && t.carries(m) || slices.Contains(names, t.name) {
			m.served = append(m.served, t.name)
		}
	}
	c.addIf(names != nil && len(names) == 0,
		"MethodOptions.Transports is empty, so nothing serves the method; leave it nil for all transports")
	for _, t := range names {
		switch row := t.row(); {
		case row.name == "":
			c.addf("MethodOptions.Transports has %q; there are %s", t, listTransports("Transport", func(transportRow) bool { return true }))
		case m.stream != "" && !row.streams:
			c.addf("MethodOptions.Transports has %q, which carries no Stream; leave it out", t)
		case !row.carries(m):
			bodies := listTransports("", func(t transportRow) bool { return t.body })
			files := listTransports("", func(t transportRow) bool { return t.file })
			c.addf("MethodOptions.Transports has %q, but only %s carries a Body, and only %s a File; leave it out", t, bodies, files)
		}
	}
}

// listTransports returns the titles of some transports as words of a sentence, such as "REST and
// MCP", each with prefix in front.
func listTransports(prefix string, isListed func(transportRow) bool) string {
	var titles []string
	for _, t := range transports {
		if isListed(t) {
			titles = append(titles, prefix+t.title)
		}
	}
	if last := len(titles) - 1; last > 0 {
		return strings.Join(titles[:last], ", ") + " and " + titles[last]
	}
	return titles[0]
}
