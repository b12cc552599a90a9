package svc

// This file reads Go source for the comments that documents show. In this order:
//
//   - Comments, and its data: packages, types, their members and constants
//   - its queries: the comment of a type, of a field, of the methods of an interface
//   - ReadComments, which parses the source
//   - a comment as Markdown and as text
//
// A program that does not call ReadComments must not contain the parser. So Comments is plain
// data, and the only way from it to the code below ReadComments is the field format, which
// ReadComments sets.

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	doc "go/doc/comment"
	"go/parser"
	goscanner "go/scanner"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Comments holds the comments of Go source, for [Options].Comments. Make it with [ReadComments]:
// the zero value has no source, and [Register] reports it. It does not change and is safe for
// concurrent use.
type Comments struct {
	packages []*sourcePackage
	mistakes []error // such as of source that does not parse
	format   func(text string, in *sourcePackage) goComment
}

// A sourcePackage is a package in a folder of one of the sources. Two folders can have packages
// with the same name. The maps are for lookups only.
type sourcePackage struct {
	source int // the index in the arguments of ReadComments
	dir    string
	name   string
	types  map[string]*sourceType
	values map[string]map[string]string // the comments of the constants of each type, by their values
}

// A sourceType is the declaration of a type. For
//
//	// A Todo is something to do.
//	type Todo struct {
//		Owner struct {
//			Name string // of the person
//		}
//	}
//
// text is "A Todo is something to do.", and the member is Owner, with the member Name.
type sourceType struct {
	place   string // such as api/todo.go:12
	text    string
	members []sourceMember
	from    *typeRef // for "type A B" and "type A = B": B, which has the members
	in      *sourcePackage
}

// A sourceMember is a field of a struct, a method of an interface, or an embedded interface.
type sourceMember struct {
	name     string
	text     string
	embedded *typeRef       // an embedded type of an interface, which has no name here
	members  []sourceMember // of a struct without a name
}

// findMember returns the member with a name such as Owner.Name, or nil.
func findMember(list []sourceMember, name string) *sourceMember {
	first, rest, isInside := strings.Cut(name, ".")
	i := slices.IndexFunc(list, func(m sourceMember) bool { return m.name == first })
	switch {
	case i < 0:
		return nil
	case isInside:
		return findMember(list[i].members, rest)
	}
	return &list[i]
}

// A typeRef is the name of a type in source.
type typeRef struct {
	qualifier string // the name of a different package in this file
	path      string // likewise: the import path
	renamed   bool   // likewise: the import sets the name
	name      string
}

// A goComment is what one comment says. A paragraph "Deprecated: use Find." is apart: end is
// "Use Find.".
type goComment struct {
	about      prose
	end        prose
	deprecated bool
}

// prose is a text for people and models. For texts that the author writes for documents, both forms
// are equal. For comments, markdown escapes characters with a meaning in Markdown.
type prose struct{ markdown, text string }

// plainProse returns the prose of a text that is shown unchanged.
func plainProse(text string) prose { return prose{text, text} }

// join returns p and then q, with between between them if neither is empty.
func (p prose) join(between string, q prose) prose {
	if p.text == "" || q.text == "" {
		return cmp.Or(p, q)
	}
	return prose{p.markdown + between + q.markdown, p.text + between + q.text}
}

// whole returns the text with the paragraph about the end.
func (c goComment) whole() prose {
	if c.end.text == "" {
		return c.about
	}
	return c.about.join("\n\n", prose{"Deprecated: " + c.end.markdown, "Deprecated: " + c.end.text})
}

// packageOf returns the name of the package of a named type, and the name of the type without
// type arguments.
func packageOf(t reflect.Type) (pkg, name string) {
	pkg, _, _ = strings.Cut(t.String(), ".")
	name, _, _ = strings.Cut(t.Name(), "[")
	return pkg, name
}

// lookupType returns the declaration of a named type, or nil if the sources lack it. mistake
// reports two packages that declare it.
func (c *Comments) lookupType(t reflect.Type) (found *sourceType, mistake string) {
	if c == nil || t.Name() == "" || t.PkgPath() == "" {
		return nil, ""
	}
	pkg, name := packageOf(t)
	for _, p := range c.packages {
		switch s := p.types[name]; {
		case p.name != pkg || s == nil:
		case found != nil:
			return nil, fmt.Sprintf("Options.Comments: %s and %s declare a %s.%s each, and only the names of packages can be compared; "+
				"give ReadComments one of the two packages", found.place, s.place, pkg, name)
		default:
			found = s
		}
	}
	return found, ""
}

// typeComment returns the comment of a named type.
func (c *Comments) typeComment(t reflect.Type) (goComment, string) {
	s, mistake := c.lookupType(t)
	if s == nil {
		return goComment{}, mistake
	}
	return c.format(s.text, s.in), ""
}

// fieldComment returns the comment of a field of the struct t. name includes the fields around it,
// such as Owner.Name.
func (c *Comments) fieldComment(t reflect.Type, name string) goComment {
	s, _ := c.lookupType(t)
	for range maxTypeSteps {
		if s == nil {
			break
		}
		if m := findMember(s.members, name); m != nil {
			return c.format(m.text, s.in)
		}
		s = c.resolve(s.in, s.from)
	}
	return goComment{}
}

// maxTypeSteps is how many declarations such as "type A B" may lead to a struct. Source that does
// not compile could contain a cycle of them.
const maxTypeSteps = 32

// valueComment returns the comment of the constant of type t with this value, as constantText
// writes it.
func (c *Comments) valueComment(t reflect.Type, value string) goComment {
	s, _ := c.lookupType(t)
	if s == nil || s.in.values[t.Name()][value] == "" {
		return goComment{}
	}
	return c.format(s.in.values[t.Name()][value], s.in)
}

// A methodComment is the comment of a method of an interface.
type methodComment struct {
	name string
	goComment
}

// methodComments returns the comments of the methods of an interface, in the order of the source,
// with the methods of an embedded interface in its place. Methods of an interface that is not in
// the sources are missing. mistake says why the list is empty.
func (c *Comments) methodComments(iface reflect.Type) (list []methodComment, mistake string) {
	s, mistake := c.lookupType(iface)
	switch {
	case c == nil || mistake != "":
		return nil, mistake
	case iface.Name() == "":
		return nil, fmt.Sprintf("Options.Comments: the interface %v has no name by which its comments could be found; declare a type for it",
			iface)
	case s == nil && len(c.mistakes) > 0: // the interface may be in the file that does not parse
		return nil, ""
	case s == nil:
		return nil, fmt.Sprintf("Options.Comments: the sources do not declare %v; give ReadComments the folder with the file that does, such "+
			"as by //go:embed *.go beside it", iface)
	}
	known := make(map[string]bool)
	c.addMethods(s, make(map[*sourceType]bool), func(m sourceMember, in *sourcePackage) {
		if !known[m.name] { // two embedded interfaces may have the same method
			known[m.name] = true
			list = append(list, methodComment{m.name, c.format(m.text, in)})
		}
	})
	return list, ""
}

// addMethods calls add for each method of s, also of embedded interfaces.
func (c *Comments) addMethods(s *sourceType, done map[*sourceType]bool, add func(sourceMember, *sourcePackage)) {
	if s == nil || done[s] {
		return
	}
	done[s] = true
	for _, m := range s.members {
		if m.embedded == nil {
			add(m, s.in)
		} else {
			c.addMethods(c.resolve(s.in, m.embedded), done, add)
		}
	}
	c.addMethods(c.resolve(s.in, s.from), done, add)
}

// resolve returns the declaration of the type that a file in a package names, or nil. If the import
// does not set a name, the package is found by its folder, or by the end of its path.
func (c *Comments) resolve(in *sourcePackage, r *typeRef) (found *sourceType) {
	switch {
	case r == nil:
		return nil
	case r.path == "":
		return in.types[r.name]
	}
	for _, p := range c.packages {
		isDir := p.dir != "." && strings.HasSuffix("/"+r.path, "/"+p.dir)
		isNamed := !r.renamed && p.name == r.qualifier || r.renamed && p.name == path.Base(r.path)
		if s := p.types[r.name]; s != nil && (isDir || isNamed && found == nil) {
			found = s
		}
	}
	return found
}

// ReadComments reads the comments in Go source, for [Options].Comments. The comments above your
// methods, types and fields then appear in documents, tools and the page.
//
//	//go:embed *.go
//	var source embed.FS
//
//	options := &svc.Options{Comments: svc.ReadComments(source)}
//
// Each source is a file system with one or more packages in its folders. Like ./... of the go
// command, ReadComments skips folders named testdata or vendor and folders whose name begins with .
// or _. It also skips test files. Embedding ships the source in the program. [Register] reports
// source that cannot be read or parsed.
func ReadComments(sources ...fs.FS) *Comments {
	r := &sourceReader{files: token.NewFileSet(), Comments: &Comments{format: formatComment}}
	for i, source := range sources {
		if source == nil {
			r.addMistake("source %d of ReadComments is nil", i+1)
			continue
		}
		r.source = i
		if err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry,
			err error) error {
			return r.visit(source, name, d, err)
		}); err != nil {
			r.addMistake("source %d of ReadComments ends early: %v", i+1, err)
		}
	}
	return r.Comments
}

// A sourceReader fills a Comments.
type sourceReader struct {
	*Comments
	source int
	files  *token.FileSet
}

func (r *sourceReader) addMistake(format string, args ...any) {
	r.mistakes = append(r.mistakes, fmt.Errorf("Options.Comments: "+format, args...))
}

// visit reads a file, as fs.WalkDir calls it: the files of a folder in the order of their names.
func (r *sourceReader) visit(source fs.FS, name string, d fs.DirEntry, err error) error {
	if err != nil {
		r.addMistake("cannot read %s: %v", name, err)
		return nil
	}
	base := path.Base(name)
	isHidden := name != "." && (base[0] == '.' || base[0] == '_')
	switch {
	case d.IsDir() && (isHidden || base == "testdata" || base == "vendor"):
		return fs.SkipDir
	case d.IsDir() || isHidden || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
		return nil
	}
	text, err := fs.ReadFile(source, name)
	if err != nil {
		r.addMistake("cannot read %s: %v", name, err)
		return nil
	}
	file, err := parser.ParseFile(r.files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	var wrong goscanner.ErrorList
	switch {
	case errors.As(err, &wrong) && len(wrong) > 0:
		r.addMistake("%s:%d does not parse: %s", name, wrong[0].Pos.Line, wrong[0].Msg)
	case err != nil:
		r.addMistake("%s does not parse: %v", name, err)
	default:
		r.addFile(path.Dir(name), file)
	}
	return nil
}

// addFile adds the declarations of a file.
func (r *sourceReader) addFile(dir string, file *ast.File) {
	i := slices.IndexFunc(r.packages, func(p *sourcePackage) bool {
		return p.source == r.source && p.dir == dir && p.name == file.Name.Name
	})
	if i < 0 {
		i = len(r.packages)
		r.packages = append(r.packages, &sourcePackage{r.source, dir, file.Name.Name, make(map[string]*sourceType),
			make(map[string]map[string]string)})
	}
	f := &sourceFile{r.packages[i], file.Imports}
	for _, decl := range file.Decls {
		switch d, _ := decl.(*ast.GenDecl); {
		case d == nil:
		case d.Tok == token.TYPE:
			for _, spec := range d.Specs {
				spec := spec.(*ast.TypeSpec)
				f.addType(spec, d, r.files.Position(spec.Pos()))
			}
		case d.Tok == token.CONST:
			f.addConstants(d)
		}
	}
}

// A sourceFile is a file of a package.
type sourceFile struct {
	*sourcePackage
	imports []*ast.ImportSpec
}

// addType adds a type, unless a file before this one declares it: with other build constraints,
// as the package compiles.
func (f *sourceFile) addType(spec *ast.TypeSpec, d *ast.GenDecl, at token.Position) {
	if f.types[spec.Name.Name] != nil {
		return
	}
	above := spec.Doc
	if above == nil && len(d.Specs) == 1 {
		above = d.Doc
	}
	t := &sourceType{place: at.Filename + ":" + strconv.Itoa(at.Line), text: commentText(above, spec.Comment), in: f.sourcePackage}
	f.types[spec.Name.Name] = t
	switch underlying := ast.Unparen(spec.Type).(type) {
	case *ast.StructType:
		t.members = f.fieldsOf(underlying)
	case *ast.InterfaceType:
		f.addMethodsOf(t, underlying)
	default:
		t.from = f.refTo(underlying)
	}
}

// fieldsOf returns the fields of a struct, including the fields of unnamed structs inside it.
func (f *sourceFile) fieldsOf(s *ast.StructType) (list []sourceMember) {
	for _, field := range s.Fields.List {
		names := field.Names
		if r := f.refTo(field.Type); names == nil && r != nil { // embedded
			names = []*ast.Ident{{Name: r.name}}
		}
		text := commentText(field.Doc, field.Comment)
		var inside []sourceMember
		if inner := anonymousStruct(field.Type); inner != nil {
			inside = f.fieldsOf(inner)
		}
		for _, name := range names {
			list = append(list, sourceMember{name: name.Name, text: text, members: inside})
		}
	}
	return list
}

// anonymousStruct returns the struct without a name in a type, such as in a list of them, or nil.
func anonymousStruct(e ast.Expr) *ast.StructType {
	for {
		switch inner := e.(type) {
		case *ast.StructType:
			return inner
		case *ast.ParenExpr:
			e = inner.X
		case *ast.StarExpr:
			e = inner.X
		case *ast.ArrayType:
			e = inner.Elt
		case *ast.MapType:
			e = inner.Value
		case *ast.IndexExpr: // an Optional
			e = inner.Index
		default:
			return nil
		}
	}
}

// addMethodsOf adds the methods of an interface and the interfaces that it embeds.
func (f *sourceFile) addMethodsOf(t *sourceType, s *ast.InterfaceType) {
	for _, m := range s.Methods.List {
		for _, name := range m.Names {
			t.members = append(t.members, sourceMember{name: name.Name, text: commentText(m.Doc, m.Comment)})
		}
		if r := f.refTo(m.Type); len(m.Names) == 0 && r != nil {
			t.members = append(t.members, sourceMember{embedded: r})
		}
	}
}

// refTo returns the name of a type, without pointers and type arguments, or nil for an unnamed
// type.
func (f *sourceFile) refTo(e ast.Expr) *typeRef {
	switch e := e.(type) {
	case *ast.Ident:
		return &typeRef{name: e.Name}
	case *ast.ParenExpr:
		return f.refTo(e.X)
	case *ast.StarExpr:
		return f.refTo(e.X)
	case *ast.IndexExpr:
		return f.refTo(e.X)
	case *ast.IndexListExpr:
		return f.refTo(e.X)
	case *ast.SelectorExpr:
		qualifier, ok := e.X.(*ast.Ident)
		if !ok {
			return nil
		}
		r := &typeRef{qualifier: qualifier.Name, path: qualifier.Name, name: e.Sel.Name}
		for _, spec := range f.imports {
			switch of, _ := strconv.Unquote(spec.Path.Value); {
			case spec.Name != nil && spec.Name.Name == r.qualifier:
				r.path, r.renamed = of, true
			case spec.Name == nil && path.Base(of) == r.qualifier:
				r.path = of
			}
		}
		return r
	}
	return nil
}

// addConstants adds the comments of constants whose type and value are clear from the source. As in
// Go, a constant without a value repeats the one before it:
//
//	const (
//		Low Priority = iota // can wait
//		High                // cannot
//	)
func (f *sourceFile) addConstants(d *ast.GenDecl) {
	var typ ast.Expr
	var values []ast.Expr
	for i, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Values != nil {
			typ, values = spec.Type, spec.Values
		}
		for n, name := range spec.Names {
			if n >= len(values) {
				continue
			}
			of := f.refTo(typ)
			if call, ok := values[n].(*ast.CallExpr); ok && typ == nil { // Color("red")
				of = f.refTo(call.Fun)
			}
			value := constantText(evalConstant(values[n], int64(i)))
			above := spec.Doc
			if above == nil && len(d.Specs) == 1 {
				above = d.Doc
			}
			text := commentText(above, spec.Comment)
			if of == nil || of.path != "" || value == "" || text == "" || name.Name == "_" {
				continue
			}
			if f.values[of.name] == nil {
				f.values[of.name] = make(map[string]string)
			}
			if f.values[of.name][value] == "" {
				f.values[of.name][value] = text
			}
		}
	}
}

// evalConstant returns the value of a constant expression, a string or an int64, or nil if the
// expression contains more than literals and iota.
func evalConstant(e ast.Expr, iota int64) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		switch e.Kind {
		case token.STRING:
			text, _ := strconv.Unquote(e.Value)
			return text
		case token.INT:
			if n, err := strconv.ParseInt(e.Value, 0, 64); err == nil {
				return n
			}
		case token.CHAR:
			if r, _, _, err := strconv.UnquoteChar(e.Value[1:], '\''); err == nil {
				return int64(r)
			}
		}
	case *ast.Ident:
		if e.Name == "iota" {
			return iota
		}
	case *ast.ParenExpr:
		return evalConstant(e.X, iota)
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return evalConstant(e.Args[0], iota)
		}
	case *ast.UnaryExpr:
		if n, ok := evalConstant(e.X, iota).(int64); ok && e.Op == token.SUB {
			return -n
		}
	case *ast.BinaryExpr:
		x, isX := evalConstant(e.X, iota).(int64)
		y, isY := evalConstant(e.Y, iota).(int64)
		if isX && isY {
			return calculate(x, e.Op, y)
		}
	}
	return nil
}

// calculate returns x op y, or nil if constants of enums are not made so.
func calculate(x int64, op token.Token, y int64) any {
	switch {
	case op == token.ADD:
		return x + y
	case op == token.SUB:
		return x - y
	case op == token.MUL:
		return x * y
	case op == token.SHL && 0 <= y && y < 64:
		return x << y
	}
	return nil
}

// constantText returns the key of a string or integer constant, or "".
func constantText(value any) string {
	switch value := value.(type) {
	case string:
		return strconv.Quote(value)
	case int64:
		return strconv.FormatInt(value, 10)
	}
	return ""
}

// commentText returns the text of the comments above and after a declaration. Directives such as
// //go:embed are not text, and neither is //nolint, which has no colon.
func commentText(above, behind *ast.CommentGroup) string {
	var texts []string
	for _, group := range []*ast.CommentGroup{above, behind} {
		if group == nil {
			continue
		}
		lines := slices.DeleteFunc(slices.Clone(group.List), func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//nolint") })
		if text := strings.TrimSpace((&ast.CommentGroup{List: lines}).Text()); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// formatComment returns the parsed text of a comment. Names in brackets refer to types of its
// package or of others. Documents have nothing to link to, so only the names stay.
func formatComment(text string, in *sourcePackage) (c goComment) {
	if text == "" {
		return c
	}
	p := doc.Parser{LookupSym: func(recv, name string) bool { return in.types[cmp.Or(recv, name)] != nil }}
	parsed := p.Parse(text)
	blocks := parsed.Content
	const mark = "Deprecated:"
	for i, block := range blocks {
		paragraph, _ := block.(*doc.Paragraph)
		if paragraph == nil || len(paragraph.Text) == 0 {
			continue
		}
		first, _ := paragraph.Text[0].(doc.Plain)
		rest, ok := strings.CutPrefix(string(first), mark)
		if !ok {
			continue
		}
		paragraph.Text[0] = doc.Plain(strings.TrimLeft(rest, " \n"))
		c.deprecated, c.end = true, writeProse(&doc.Doc{Content: blocks[i : i+1]})
		parsed.Content = slices.Delete(slices.Clone(blocks), i, i+1)
		break
	}
	c.about = writeProse(parsed)
	return c
}

// writeProse returns a comment, with each paragraph on one line. Headings have no anchors, and
// types in brackets are not links.
func writeProse(d *doc.Doc) prose {
	p := doc.Printer{
		HeadingLevel:   4,
		HeadingID:      func(*doc.Heading) string { return "" },
		DocLinkURL:     func(*doc.DocLink) string { return "" },
		TextCodePrefix: "    ",
		TextWidth:      -1,
	}
	return prose{strings.Trim(string(p.Markdown(d)), "\n"), strings.Trim(string(p.Text(d)), "\n")}
}

// maxSentence is the length of a first sentence in characters, since it is a title.
const maxSentence = 120

// firstSentence returns the first sentence of a text without its full stop, or "". A sentence
// ends before a capital, a digit or the end of a paragraph: "See RFC 7396, e.g. its table." is
// one.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n\n")
	if len(text) > 64*maxSentence {
		text = strings.ToValidUTF8(text[:64*maxSentence], "")
	}
	text = strings.Join(strings.Fields(text), " ")
	for i, r := range text {
		rest := text[i+utf8.RuneLen(r):]
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
		isEnd := r == '。' || strings.ContainsRune(".!?", r) && (rest == "" || rest[0] == ' ' && !unicode.IsLower(next))
		initial := i >= 1 && unicode.IsUpper(rune(text[i-1])) && (i == 1 || text[i-2] == ' ')
		if isEnd && (rest == "" || !initial && !strings.HasSuffix(text[:i], "e.g") && !strings.HasSuffix(text[:i], "i.e")) {
			text = text[:i+utf8.RuneLen(r)]
			break
		}
	}
	if runes := []rune(text); len(runes) > maxSentence {
		text = strings.TrimRight(string(runes[:maxSentence]), " ")
		if i := strings.LastIndexByte(text, ' '); i > 0 {
			text = text[:i]
		}
		return text + "…"
	}
	return strings.TrimRight(text, ".。")
}
