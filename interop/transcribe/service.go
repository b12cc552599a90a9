package main

import (
	"fmt"
	"strconv"
	"strings"
)

// printService writes the function that registers all interfaces, and the options of all.
func (c *converter) printService() *file {
	f := &file{name: "service.go"}
	f.p("// Source is the source of this package, whose comments become the documentation.\n//\n//go:embed *.go\nvar Source embed.FS\n\n")
	if len(c.errs.lines) > 0 {
		f.p("// Errors that the methods declare.\nvar (\n\t%s\n)\n\n", strings.Join(c.errs.lines, "\n\t"))
	}
	if len(c.groups) == 1 {
		g := c.groups[0]
		f.p("// Service returns the service of impl.\nfunc Service(impl %s) *svc.Service {\n\treturn svc.MustRegister[%s](impl, options(svc.ReadComments(Source), %q, methods))\n}\n\n",
			g.iface, g.iface, resourceOf(g))
	} else {
		c.printJoin(f)
	}
	c.printServiceOptions(f)
	if c.errs.chosen != nil {
		c.printErrorForm(f)
	}
	return f
}

func resourceOf(g *group) string { return snake(g.name) }

func (c *converter) printJoin(f *file) {
	f.p("// A Server has the implementation of each interface.\ntype Server struct {\n")
	for _, g := range c.groups {
		f.p("\t%s %s\n", g.name, g.iface)
	}
	f.p("}\n\n// Service returns one service of all interfaces.\nfunc Service(s Server) *svc.Service {\n\tcomments := svc.ReadComments(Source)\n\treturn svc.Join(%q,\n", c.serviceName())
	for _, g := range c.groups {
		f.p("\t\tsvc.MustRegister[%s](s.%s, options(comments, %q, %s)),\n", g.iface, g.name, resourceOf(g), c.optionsName(g))
	}
	f.p("\t)\n}\n\n")
}

func (c *converter) printServiceOptions(f *file) {
	f.p("// options returns the options of one interface.\nfunc options(comments *svc.Comments, resource string, methods map[string]svc.MethodOptions) *svc.Options {\n\treturn &svc.Options{\n")
	add := func(name, value string) {
		if value != "" {
			f.p("\t\t%s: %s,\n", name, value)
		}
	}
	info := c.root.get("info")
	add("Name", strconv.Quote(c.serviceName()))
	if len(c.groups) > 1 {
		add("Description", quoted(strings.TrimSpace(info.str("description"))))
	}
	add("Version", quoted(info.str("version")))
	add("Contact", quoted(contactOf(info.get("contact"))))
	add("License", quoted(licenseOf(info.get("license"))))
	add("OpenAPI", strconv.Quote(c.version))
	add("Resource", "resource")
	add("Comments", "comments")
	add("Methods", "methods")
	if u := c.serverURL(); u != "" {
		add("Defaults", fmt.Sprintf("svc.Defaults{BaseURL: %q}", u))
	}
	if list := c.schemeLiterals(); len(list) > 0 {
		add("Schemes", "[]svc.Scheme{\n"+strings.Join(list, ",\n")+",\n}")
	}
	if c.errs.chosen != nil {
		add("ErrorForm", "errorForm")
	}
	f.p("\t}\n}\n\n")
}

// quoted returns a Go literal, with ` for several lines, or "" for "".
func quoted(s string) string {
	switch {
	case s == "":
		return ""
	case strings.Contains(s, "\n") && strconv.CanBackquote(strings.ReplaceAll(s, "\n", "")):
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func contactOf(n *node) string {
	if email := n.str("email"); strings.Count(email, "@") == 1 && isPrintable(email) && !strings.ContainsAny(email, " <>") {
		return email
	}
	if u := n.str("url"); strings.HasPrefix(u, "https://") && isURL(u) {
		return u
	}
	return ""
}

// spdx has SPDX identifiers for names of licenses that documents use.
var spdx = map[string]string{"Apache 2.0": "Apache-2.0", "Apache-2.0": "Apache-2.0", "Apache License 2.0": "Apache-2.0", "Apache License, Version 2.0": "Apache-2.0", "MIT": "MIT", "MIT License": "MIT"}

func licenseOf(n *node) string {
	if id := n.str("identifier"); id != "" {
		return id
	}
	return spdx[n.str("name")]
}

func (c *converter) serviceName() string {
	name := strings.TrimSpace(notPrintable.ReplaceAllString(c.root.str("info", "title"), ""))
	if len(words(name)) == 0 {
		return "Service"
	}
	return name
}

// serverURL returns the first server that is a whole URL.
func (c *converter) serverURL() string {
	for _, s := range c.root.list("servers") {
		u := s.str("url")
		for name, v := range s.get("variables").members {
			u = strings.ReplaceAll(u, "{"+name+"}", v.str("default"))
		}
		if isURL(u) && !strings.ContainsAny(u, "?#") {
			return strings.TrimRight(u, "/")
		}
	}
	return ""
}

// printStubs writes implementations whose methods return UNIMPLEMENTED.
func (c *converter) printStubs() *file {
	f := &file{name: "unimplemented.go"}
	for i, g := range c.groups {
		t := "Unimplemented" + g.name
		if i == 0 {
			f.p("%s", comment(t+" answers every call with UNIMPLEMENTED. Embed it and write one method after the other; or leave it out, and the compiler names what is missing.", ""))
		}
		f.p("type %s struct{}\n\n", t)
		for _, o := range g.ops {
			results, value := o.results(), "nil, "
			if results == "error" {
				value = ""
			}
			f.p("func (%s) %s%s %s {\n\treturn %sunimplemented(%q)\n}\n\n", t, o.name, o.parameters(), results, value, o.name)
		}
	}
	f.p("func unimplemented(method string) error {\n\treturn svc.Errorf(svc.CodeUnimplemented, \"%%s is not implemented yet\", method)\n}\n")
	return f
}
