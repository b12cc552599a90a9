package main

import (
	"fmt"
	"go/format"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A file is a Go file that is being written.
type file struct {
	name string
	b    strings.Builder
}

func (f *file) p(format string, args ...any) { fmt.Fprintf(&f.b, format, args...) }

// files writes the package: a file for each interface with its types, one for shared types, one
// for the service and one for the stubs.
func (c *converter) files() []*file {
	var out []*file
	byGroup := map[*group]*file{}
	names := newNamer("types.go", "service.go", "unimplemented.go", "REPORT.md")
	for _, g := range c.groups {
		f := &file{name: goFileName(g.name, names)}
		byGroup[g] = f
		out = append(out, f)
		c.printInterface(f, g)
		c.printOptions(f, g)
	}
	types := &file{name: "types.go"}
	for _, d := range c.decls {
		f := types
		if g := d.home(); g != nil {
			f = byGroup[g]
		} else if len(c.groups) == 1 && len(c.decls) < 40 {
			f = out[0]
		}
		d.lacks = append(d.lacks, c.within(func() { c.printDecl(f, d) })...)
	}
	if types.b.Len() > 0 {
		out = append(out, types)
	}
	return append(out, c.printService(), c.printStubs())
}

// goFileName returns a name that Go does not take for a test or for one system.
func goFileName(name string, names *namer) string {
	base := snake(name)
	if _, last, ok := strings.Cut(base, "_"); ok && last != "" || base == "" {
		base = strings.ReplaceAll(base, "_", "")
	}
	if base == "" {
		base = "api"
	}
	return names.take(base+".go", base+"api.go")
}

// home returns the group of the only interface that uses d, or nil.
func (d *decl) home() *group {
	for i := 0; d != nil && i < maxDepth; d, i = d.parent, i+1 {
		if d.group != nil {
			return d.group
		}
		if d.shared {
			return nil
		}
	}
	return nil
}

// source returns the file as Go source.
func (c *converter) source(f *file, first bool) ([]byte, error) {
	body := f.b.String()
	var b strings.Builder
	if first {
		title := oneLine(notPrintable.ReplaceAllString(c.root.str("info", "title"), ""))
		b.WriteString(comment(fmt.Sprintf("Package %s is the API %q as Go interfaces, written by transcribe from its OpenAPI document. Change it as you like.", c.opts.pkg, title), ""))
	}
	fmt.Fprintf(&b, "package %s\n\n", c.opts.pkg)
	code := lineComment.ReplaceAllString(body, "")
	var std []string
	for _, path := range []string{"context", "embed", "encoding/json", "time"} {
		if regexp.MustCompile(`\b` + path[strings.LastIndexByte(path, '/')+1:] + `\.[A-Z]`).MatchString(code) {
			std = append(std, path)
		}
	}
	if len(std) > 0 || strings.Contains(code, "svc.") {
		b.WriteString("import (\n")
		for _, path := range std {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
		if strings.Contains(code, "svc.") {
			fmt.Fprintf(&b, "\n\t%q\n", c.opts.svc)
		}
		b.WriteString(")\n\n")
	}
	b.WriteString(body)
	src, err := format.Source([]byte(b.String()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return src, nil
}

var lineComment = regexp.MustCompile("(?m)//.*$|`[^`\n]*`|\"(\\\\.|[^\"\\\\\n])*\"")

func (c *converter) printInterface(f *file, g *group) {
	doc := g.doc
	if doc == "" && len(c.groups) == 1 {
		doc = c.root.str("info", "description")
	}
	if doc == "" {
		doc = g.iface + " has the methods of " + strings.Join(words(g.name), " ") + "."
	}
	f.p("%stype %s interface {\n", comment(doc, ""), g.iface)
	for i, o := range g.ops {
		if i > 0 && o.doc != "" {
			f.p("\n")
		}
		f.p("%s\t%s%s %s\n", comment(o.doc, "\t"), o.name, o.parameters(), o.results())
	}
	f.p("}\n\n")
}

func (o *operation) parameters() string {
	if o.in == nil {
		return "(ctx context.Context)"
	}
	return "(ctx context.Context, in *" + o.in.name + ")"
}

func (o *operation) results() string {
	switch {
	case o.stream != nil && o.value != nil:
		return "(*svc.ValueOrStream[" + o.value.name + ", " + o.stream.expr() + "], error)"
	case o.stream != nil:
		return "(svc.Stream[" + o.stream.expr() + "], error)"
	case o.fileAlone:
		return "(*svc.File, error)"
	case o.out != nil:
		return "(*" + o.out.name + ", error)"
	}
	return "error"
}

func (c *converter) optionsName(g *group) string {
	if len(c.groups) == 1 {
		return "methods"
	}
	return unexported(g.name) + "Methods"
}

func (c *converter) printOptions(f *file, g *group) {
	f.p("var %s = map[string]svc.MethodOptions{\n", c.optionsName(g))
	for _, o := range g.ops {
		parts := c.methodOptions(o)
		line := strings.Join(parts, ", ")
		if len(line)+len(o.name) > 130 {
			line = "\n\t\t" + strings.Join(parts, ",\n\t\t") + ",\n\t"
		}
		f.p("\t%q: {%s},\n", o.name, line)
	}
	f.p("}\n\n")
}

func (c *converter) methodOptions(o *operation) []string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if !o.clashes {
		add("HTTP: %q", o.route)
		if o.status != "" {
			add("Status: %s", o.status)
		}
	}
	if o.media != "" && !o.clashes {
		add("ContentType: %q", o.media)
	}
	if o.form && !o.clashes {
		add("Form: true")
	}
	if list := c.transports(o); len(list) > 0 {
		add("Transports: []svc.Transport{svc.Transport%s}", strings.Join(list, ", svc.Transport"))
	}
	if len(c.usedSchemes) > 0 {
		if o.public {
			add("Public: true")
		}
		if len(o.scopes) > 0 {
			add("Scopes: %#v", o.scopes)
		}
	}
	if len(o.errors) > 0 {
		add("Errors: []*svc.Error{%s}", strings.Join(o.errors, ", "))
	}
	if o.deprecated {
		add("Deprecated: true")
	}
	if o.id != "" && c.opts.ids {
		add("OperationID: %q", o.id)
	}
	return parts
}

// transports returns the transports to name, or nil for all.
func (c *converter) transports(o *operation) []string {
	switch {
	case o.clashes && o.noTool:
		return []string{"RPC"}
	case o.clashes:
		return []string{"RPC", "MCP"}
	case c.opts.rest:
		return []string{"REST"}
	case o.noTool && !o.hasFile:
		return []string{"REST", "RPC"}
	}
	return nil
}

func (c *converter) printDecl(f *file, d *decl) {
	f.p("%s", comment(withDeprecated(d.doc, d.deprecated), ""))
	switch {
	case d.kind == kEnum:
		printEnum(f, d)
	case d.whole != nil:
		c.printWhole(f, d)
	case d.kind == kList:
		f.p("type %s []%s\n\n", d.name, d.elem.inside())
		c.innerRules(d.elem)
		if d.elem.s != nil && d.elem.takesRules() && len(c.scalarTags(d.elem.s, d.elem)) > 0 {
			c.lack(lackInnerRules, d.elem.s.at, "rules of the items of a whole answer")
		}
	default:
		f.p("type %s struct {\n", d.name)
		if d.kind == kByType {
			f.p("\tsvc.ByType\n")
		}
		for _, fd := range d.fields {
			c.printField(f, d, fd)
		}
		f.p("}\n\n")
	}
}

func withDeprecated(doc string, deprecated bool) string {
	if deprecated && !strings.Contains(doc, "Deprecated:") {
		return strings.TrimSpace(doc + "\n\nDeprecated: do not use it in new programs.")
	}
	return doc
}

func printEnum(f *file, d *decl) {
	f.p("type %s %s\n\nconst (\n", d.name, d.elem.name)
	for i, v := range d.values {
		text := v.text
		if d.elem.kind == kString {
			text = strconv.Quote(text)
		}
		tail := ""
		if d.named != nil {
			if desc := oneLine(strings.ToValidUTF8(d.named[i].desc, "?")); desc != "" && isPrintable(desc) {
				tail = " // " + desc
			}
		}
		f.p("\t%s %s = %s%s\n", d.constants[i], d.name, text, tail)
	}
	list := strings.Join(d.constants, ", ")
	if len(list) >= 80 {
		list = "\n\t\t" + strings.Join(d.constants, ",\n\t\t") + ",\n\t"
	}
	f.p(")\n\n// Enum returns the only values.\nfunc (%s) Enum() []%s {\n\treturn []%s{%s}\n}\n\n", d.name, d.name, d.name, list)
}

// printWhole writes a struct that stands for an answer that is not an object.
func (c *converter) printWhole(f *file, d *decl) {
	f.p("type %s struct{ Value %s }\n\n", d.name, d.whole.inside())
	f.p("func (v %s) MarshalJSON() ([]byte, error) { return json.Marshal(v.Value) }\n\n", d.name)
	f.p("func (v *%s) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &v.Value) }\n\n", d.name)
	if literal := c.literal(d.whole.s); literal != "" {
		f.p("// JSONSchema describes the JSON.\nfunc (%s) JSONSchema() map[string]any {\n\treturn %s\n}\n\n", d.name, literal)
	}
}

const shortComment = 60

func (c *converter) printField(f *file, d *decl, fd *field) {
	doc := strings.TrimSpace(withDeprecated(fd.doc, fd.deprecated))
	tail := ""
	if doc != "" && isPrintable(doc) && utf8.RuneCountInString(doc) <= shortComment && !strings.HasPrefix(doc, "```") {
		tail = " // " + doc
	} else {
		f.p("%s", comment(doc, "\t"))
	}
	name, text, tag := fd.name, c.fieldType(d, fd), c.fieldTag(d, fd)
	if fd.embedded {
		name = ""
	}
	if strings.Contains(tag, "`") || !isPrintable(tag) {
		tag = strconv.Quote(tag)
	} else if tag != "" {
		tag = "`" + tag + "`"
	}
	f.p("\t%s %s %s%s\n", name, text, tag, tail)
}
