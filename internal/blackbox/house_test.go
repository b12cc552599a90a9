package blackbox_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// This file holds the house rules that need no layer table: what a file may import,
// that exported names are documented, that no package-level variable ever changes, and
// that documents which the sources name exist. No rule counts lines: how long a file or
// a function may be is for its readers to judge.

// forbiddenImports are packages that break a promise of the package comment by
// being imported at all. The last two publish endpoints on
// http.DefaultServeMux of every program that uses svc.
var forbiddenImports = []string{"unsafe", "C", "net/http/pprof", "expvar"}

// checkFiles complains of what is wrong with single files and functions.
func (h *house) checkFiles() {
	for _, f := range h.files {
		for _, spec := range f.Imports {
			h.checkImport(spec)
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname") || strings.HasPrefix(c.Text, "//go:generate") {
					h.complain(c.Pos(), "forbidden directive %s", c.Text)
				}
			}
		}
		for _, decl := range f.Decls {
			h.checkDocumented(decl)
			if fn, ok := decl.(*ast.FuncDecl); ok {
				h.checkFunc(fn)
			}
		}
	}
}

// checkDocumented complains of exported names without a comment. A comment on a
// group or at the end of a line counts.
func (h *house) checkDocumented(decl ast.Decl) {
	var names []*ast.Ident
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && (d.Recv == nil || ast.IsExported(receiverName(d))) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			return
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Doc == nil && spec.Comment == nil {
					names = append(names, spec.Name)
				}
			case *ast.ValueSpec:
				if spec.Doc == nil && spec.Comment == nil {
					names = append(names, spec.Names...)
				}
			}
		}
	}
	for _, name := range names {
		if name.IsExported() {
			h.complain(name.Pos(), "%s has no comment", name.Name)
		}
	}
}

// receiverName returns the name of the type that has the method.
func receiverName(fn *ast.FuncDecl) string {
	name := ""
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

func (h *house) checkImport(spec *ast.ImportSpec) {
	path, _ := strconv.Unquote(spec.Path.Value) // the parser has seen that it is a string
	first, _, _ := strings.Cut(path, "/")
	switch {
	case slices.Contains(forbiddenImports, path):
		h.complain(spec.Pos(), "forbidden import %s", path)
	case strings.Contains(first, "."):
		h.complain(spec.Pos(), "import %s is not in the standard library", path)
	case spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == "."):
		h.complain(spec.Pos(), "import %s %s: say what is used of it", spec.Name.Name, path)
	}
}

func (h *house) checkFunc(fn *ast.FuncDecl) {
	if fn.Recv == nil && fn.Name.Name == "init" {
		h.complain(fn.Pos(), "func init runs in every program that imports svc")
	}
}

// checkVariables complains of package-level variables that can change: of types
// made to, and of statements that could do it. It does not follow a pointer or
// a map through a call, so it finds accidents, not sabotage.
func (h *house) checkVariables() {
	pools := 0
	for _, name := range h.pkg.Scope().Names() {
		v, ok := h.pkg.Scope().Lookup(name).(*types.Var)
		if !ok {
			continue
		}
		if isPool(v.Type()) {
			if pools++; pools > 1 {
				h.complain(v.Pos(), "%s is one package-level sync.Pool too many", name)
			}
		} else if changeable(v.Type()) {
			h.complain(v.Pos(), "package-level %s is of type %v, which is made to change", name, v.Type())
		}
	}
	for _, f := range h.files {
		ast.Inspect(f, func(n ast.Node) bool {
			h.checkChange(n)
			return true
		})
	}
}

// checkChange complains of n if it changes a package-level variable, of svc or
// of another package, or takes its address.
func (h *house) checkChange(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			h.mustBeLocal(x, "assigns to")
		}
	case *ast.IncDecStmt:
		h.mustBeLocal(n.X, "assigns to")
	case *ast.RangeStmt:
		h.mustBeLocal(n.Key, "assigns to")
		h.mustBeLocal(n.Value, "assigns to")
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			h.mustBeLocal(n.X, "takes the address of")
		}
	case *ast.SliceExpr:
		if t := h.info.TypeOf(n.X); t != nil && isArray(t) {
			h.mustBeLocal(n.X, "takes the address of") // and shares the array
		}
	case *ast.SelectorExpr:
		// v.M() means (&v).M() if M has a pointer receiver.
		sel := h.info.Selections[n]
		if sel != nil && sel.Kind() == types.MethodVal && !isPointer(sel.Recv()) && !isPool(sel.Recv()) && hasPointerReceiver(sel.Obj()) {
			h.mustBeLocal(n.X, "calls a pointer method of")
		}
	case *ast.CallExpr:
		id, _ := n.Fun.(*ast.Ident)
		if b, ok := h.info.Uses[id].(*types.Builtin); ok && slices.Contains([]string{"clear", "copy", "delete"}, b.Name()) {
			h.mustBeLocal(n.Args[0], b.Name()+" changes")
		}
	}
}

// mustBeLocal complains if x is a package-level variable or a part of one.
func (h *house) mustBeLocal(x ast.Expr, what string) {
	v, ok := h.root(x).(*types.Var)
	if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		h.complain(x.Pos(), "%s the package-level variable %s", what, v.Name())
	}
}

// root returns the object that x is a part of, or nil if x begins with a call
// or a literal: a, a.b, a[i], a[i:j], *a and (a) are all parts of a.
func (h *house) root(x ast.Expr) types.Object {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return h.info.Uses[e]
		case *ast.SelectorExpr:
			if h.info.Selections[e] == nil { // pkg.Name
				return h.info.Uses[e.Sel]
			}
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func isPool(t types.Type) bool { return strings.TrimPrefix(t.String(), "*") == "sync.Pool" }

func hasPointerReceiver(method types.Object) bool {
	recv := method.Type().(*types.Signature).Recv()
	return recv != nil && isPointer(recv.Type())
}

// changeable reports whether t is, or holds in a pointer, a field or an
// element, a channel or a type of package sync or sync/atomic.
func changeable(t types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		switch path := named.Obj().Pkg().Path(); {
		case path == "sync" || path == "sync/atomic":
			return true
		case path != "svc":
			return false // a *regexp.Regexp keeps a pool, and that is its business
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		elem := types.Unalias(u.Elem())
		named, ok := elem.(*types.Named)
		return ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), "sync") && changeable(elem)
	case *types.Array:
		return changeable(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if changeable(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// readSources parses the sources of svc.
func readSources(t *testing.T, fset *token.FileSet) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(root("*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		built, err := build.Default.MatchFile(filepath.Split(name)) // not of a file for other versions of Go
		if err != nil {
			t.Fatal(err)
		}
		if !built {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		t.Fatal("found no source: is this the root of the repository?")
	}
	return files
}

// Verify that nothing refers to a document that is not in the repository: a file
// of text is named by its path, and documents in capitals are README and LICENSE.
func TestDocumentsExist(t *testing.T) {
	document := regexp.MustCompile(`[\w./-]+\.md\b|\b(DESIGN|RELIABILITY|STYLE)\b`)
	marks := []string{".md", "DESIGN", "RELIABILITY", "STYLE"}
	for _, pattern := range []string{"*.go", "internal/blackbox/*.go", "template/*.go", "testdata/*/*.go", "*.md", "doc/*.md", "template/*.md", ".ci/run", ".ci/*/*.go",
		"interop/*.md", "interop/*/*.md", "interop/*/*.go", "interop/*/check", "bench/*.md", "bench/*/*.go", "bench/*/check", "examples/*/*.go", "examples/*/check"} {
		names, err := filepath.Glob(root(pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := readText(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if !slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(line, mark) }) {
					continue // for speed
				}
				for _, found := range document.FindAllString(line, -1) {
					_, err := os.Stat(root(found))
					if strings.HasSuffix(name, ".md") || filepath.Base(name) == "check" { // in which a path is relative to its own directory
						if _, beside := os.Stat(filepath.Join(filepath.Dir(name), found)); beside == nil {
							err = nil
						}
					}
					if base := filepath.Base(name); err != nil && base != "house_test.go" && base != "example_mcp_skills_test.go" && found != "REPORT.md" { // which has files of its own; transcribe writes a REPORT.md
						t.Errorf("%s:%d: refers to %s, which is not in the repository", name, i+1, found)
					}
				}
			}
		}
	}
}

// Verify that the rules can be broken: each row is a package with one mistake.
func TestHouseRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		files map[string]string // without their package clause
		want  string            // part of the only complaint; "" means none
	}{
		{"down", map[string]string{"json.go": "func f() {}", "errors.go": "func g() { f() }"}, ""},
		{"up", map[string]string{"json.go": "func f() { g() }", "errors.go": "func g() {}"},
			"json.go:2: json (layer 0) uses g of errors (layer 1)"},
		{"sideways", map[string]string{"http.go": "func f() { g() }", "jsonrpc.go": "func g() {}"}, "uses g of jsonrpc"},
		{"within a room", map[string]string{"mcp_tools.go": "func f() { g() }", "mcp.go": "func g() { f() }"}, ""},
		{"against the order of a room", map[string]string{"type.go": "func f() { g() }", "type_rules.go": "func g() {}"}, "type.go uses g of type_rules.go"},
		{"in the order of a room", map[string]string{"type_fields.go": "func f() { g() }", "type_rules.go": "func g() {}"}, ""},
		{"a file whose name begins as another room's", map[string]string{"keys.go": "func f() { g() }", "keys_call.go": "func g() {}"}, "uses g of call (layer 8)"},
		{"type", map[string]string{"json.go": "type a b", "bind.go": "type b int"}, "uses b of bind"},
		{"constant", map[string]string{"json.go": "var a [n]int", "bind.go": "const n = 2"}, "uses n of bind"},
		{"attach a method", map[string]string{"svc.go": "type s struct{}", "rest.go": "func (*s) REST() {}"}, ""},
		{"call a method from below", map[string]string{"svc.go": "type s struct{}; func (x *s) f() { x.REST() }", "rest.go": "func (*s) REST() {}"},
			"svc.go:2: svc (layer 7) uses REST of rest (layer 9)"},
		{"method of a generic type", map[string]string{"svc.go": "type s[T any] struct{}; func f(x s[int]) { x.g() }", "rest.go": "func (s[T]) g() {}"}, "uses g of rest"},
		{"interface method", map[string]string{"svc.go": "type i = interface{ j }", "svc_b.go": "func f(x i) { x.m() }", "svc_c.go": "type j interface{ m() }"}, ""},
		{"unknown file", map[string]string{"util.go": ""}, "util.go is not in the layer table"},
		{"room by prefix only", map[string]string{"bindings.go": ""}, "not in the layer table"},

		{"pprof", map[string]string{"pprof.go": `import "net/http/pprof"; var _ = pprof.Index`}, "forbidden import net/http/pprof"},
		{"expvar", map[string]string{"json.go": `import "expvar"; var _ = expvar.Get`}, "forbidden import expvar"},
		{"unsafe", map[string]string{"json.go": `import "unsafe"; var _ unsafe.Pointer`}, "forbidden import unsafe"},
		{"side effect", map[string]string{"json.go": `import _ "embed"`}, "import _ embed"},
		{"init", map[string]string{"json.go": "func init() {}"}, "func init"},
		{"method named init", map[string]string{"json.go": "type t int; func (t) init() {}"}, ""},
		{"exported without a comment", map[string]string{"json.go": "func F() {}"}, "F has no comment"},
		{"constants without a comment", map[string]string{"json.go": "const (\n\tA = 1 // one\n\tB = 2\n)"}, "B has no comment"},
		{"method of a type of its own", map[string]string{"json.go": "type t[K any] int; func (*t[K]) F() {}"}, ""},
		{"linkname", map[string]string{"json.go": "//go:linkname f runtime.f"}, "forbidden directive"},

		{"table", map[string]string{"json.go": "var v = [...]int{1}; func f() int { return v[0] }"}, ""},
		{"local", map[string]string{"json.go": "func f() { v := []int{1}; v[0]++; p := &v; *p = nil }"}, ""},
		{"shadow", map[string]string{"json.go": "var v int; func f() { v := 1; v++ }"}, ""},
		{"assertion", map[string]string{"json.go": `import "io"; type t struct{ io.Reader }; var _ io.Reader = t{}; var _ io.Reader = (*t)(nil)`}, ""},
		{"regexp", map[string]string{"json.go": `import "regexp"; var v = regexp.MustCompile("x"); func f() bool { return v.MatchString("") }`}, ""},
		{"assign", map[string]string{"json.go": "var v int; func f() { v = 1 }"}, "assigns to the package-level variable v"},
		{"increment", map[string]string{"json.go": "var v struct{ n [2]int }; func f() { v.n[1]++ }"}, "assigns to the package-level variable v"},
		{"range", map[string]string{"json.go": "var v int; func f() { for v = range 3 { } }"}, "assigns to the package-level variable v"},
		{"element", map[string]string{"json.go": "var v = map[int]int{}; func f() { (v)[1] = 1 }"}, "assigns to the package-level variable v"},
		{"through a pointer", map[string]string{"json.go": "var v = new(int); func f() { *v = 1 }"}, "assigns to the package-level variable v"},
		{"delete", map[string]string{"json.go": "var v = map[int]int{}; func f() { delete(v, 1) }"}, "delete changes the package-level variable v"},
		{"address", map[string]string{"json.go": "var v int; func f() *int { return &v }"}, "takes the address of the package-level variable v"},
		{"slice of an array", map[string]string{"json.go": "var v [2]int; func f() []int { return v[:] }"}, "takes the address of the package-level variable v"},
		{"pointer method", map[string]string{"json.go": "type t int; func (*t) set() {}; var v t; func f() { v.set() }"}, "calls a pointer method of the package-level variable v"},
		{"somebody else's", map[string]string{"json.go": `import "net/http"; func f() { http.DefaultClient = nil }`}, "assigns to the package-level variable DefaultClient"},
		{"mutex", map[string]string{"json.go": `import "sync"; var v struct{ mu sync.Mutex }`}, "made to change"},
		{"atomic", map[string]string{"json.go": `import "sync/atomic"; var v = new(atomic.Int64)`}, "made to change"},
		{"one pool", map[string]string{"json.go": `import "sync"; var v sync.Pool; func f() { v.Put(v.Get()) }`}, ""},
		{"two pools", map[string]string{"json.go": `import "sync"; var v sync.Pool; var w = &sync.Pool{}`}, "w is one package-level sync.Pool too many"},
	} {
		t.Run(test.name, func(t *testing.T) { wantComplaint(t, test.files, test.want) })
	}
}

func wantComplaint(t *testing.T, sources map[string]string, want string) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for name, src := range sources {
		f, err := parser.ParseFile(fset, name, "package svc\n"+src+"\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	h, err := inspect(fset, files, standardLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	got := h.bad
	switch {
	case want == "" && len(got) > 0:
		t.Errorf("got %q, want no complaint", got)
	case want != "" && (len(got) != 1 || !strings.Contains(got[0], want)):
		t.Errorf("got %q, want one complaint with %q", got, want)
	}
}

// TestNamesInComments checks that comments of the package and CONTRIBUTING.md name what exists: words
// such as newMessage are names of the code or of a text in it, and so are the words of [Links].
func TestNamesInComments(t *testing.T) {
	known := map[string]bool{ // of examples, and of TypeScript
		"newService": true, "newestID": true, "isMeasured": true, "dueDate": true, "planDay": true, "lowerCamelCase": true, "exactOptionalPropertyTypes": true,
		"encodeURIComponent": true, "whereExtra": true, "writeRequest": true, "toString": true, "appendRouteList": true}
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	for _, text := range readSourcesAsText(t) {
		for line := range strings.Lines(text) {
			code, _, _ := strings.Cut(line, "// ")
			for _, w := range words(code) {
				known[w] = true
			}
		}
	}
	fset := token.NewFileSet()
	links := regexp.MustCompile(`\]\([^)]*\)`) // of Markdown
	texts := map[string]string{"CONTRIBUTING.md": links.ReplaceAllString(readDocument(t, "CONTRIBUTING.md").text, "")}
	for _, f := range readSources(t, fset) {
		for _, group := range f.Comments {
			texts[fset.Position(group.Pos()).String()] = group.Text()
		}
	}
	name := regexp.MustCompile(`\b[a-z]+[A-Z]\w*|\[\*?[A-Z]\w*(?:\.[A-Z]\w*)?\]`)
	for at, text := range texts {
		for _, n := range name.FindAllString(text, -1) {
			for _, w := range words(n) {
				if !known[w] && !known[strings.TrimSuffix(w, "s")] {
					t.Errorf("%s: there is no %s", at, w)
				}
			}
		}
	}
}
