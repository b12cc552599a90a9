package blackbox_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// This file keeps the layers of a flat package honest, which the compiler
// cannot: a file may use what is declared in itself and in lower layers,
// nothing else. house_test.go adds the rules about single files. Both read the
// package as a house, so that a test can show them a bad one.

// layers names the rooms of the package, the lowest layer first. A room is
// name.go together with every name_*.go that is no room itself; its files may use each
// other freely, unless ordered has them. A room can have files of two names: keys.go is about
// methods, so it is of svc.
var layers = [...][]string{
	{"json", "suggest", "comments"},
	{"errors"},
	{"http", "jsonrpc", "deprecation", "testing"},
	{"file", "sse", "trace", "cors", "auth", "pprof"},
	{"type", "load"},
	{"decode", "encode", "form", "schema"},
	{"bind check"},
	{"svc keys", "codec", "examples"},
	{"call keys_call", "page", "cursor"},
	{"document", "rest", "rpc", "client"},
	{"mcp", "openapi", "contract", "version", "webhook"},
	{"typescript"},
	{"docs"},
}

// ordered has the files of rooms in which each file uses only those before it.
var ordered = [...][]string{
	{"type", "type_rules", "type_fields"},
	{"mcp_revision", "mcp_session", "mcp_stream", "mcp", "mcp_exchange", "mcp_content", "mcp_ask", "mcp_call", "mcp_extension",
		"mcp_resources", "mcp_tasks", "mcp_unread", "mcp_message", "mcp_handler", "mcp_http", "mcp_stdio"},
}

// roomOf returns the room that a file belongs to and the layer of the room,
// which is -1 for a file that the table does not know.
func roomOf(file string) (room string, layer int) {
	base := strings.TrimSuffix(filepath.Base(file), ".go")
	layer = -1
	longest := 0 // of the prefixes that fit
	for i, rooms := range layers {
		for _, r := range rooms {
			for _, prefix := range strings.Fields(r) {
				if strings.HasPrefix(base+"_", prefix+"_") && len(prefix) > longest {
					room, layer, longest = strings.Fields(r)[0], i, len(prefix)
				}
			}
		}
	}
	return cmp.Or(room, base), layer
}

// A house is a package, parsed and type-checked, and what is wrong with it.
type house struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  types.Info
	bad   []string // "file.go:12: what is wrong"
}

var checking sync.Mutex

// inspect checks the types and the rules of the files. The complaints are sorted.
func inspect(fset *token.FileSet, files []*ast.File, imp types.Importer) (*house, error) {
	h := &house{fset: fset, files: files, info: types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}}
	conf := types.Config{Importer: imp}
	var err error
	checking.Lock() // the importer of all tests is not for several goroutines
	defer checking.Unlock()
	if h.pkg, err = conf.Check("svc", fset, files, &h.info); err != nil {
		return nil, err
	}
	h.checkLayers()
	h.checkFiles()
	h.checkVariables()
	slices.Sort(h.bad)
	h.bad = slices.Compact(h.bad)
	return h, nil
}

func (h *house) complain(at token.Pos, format string, args ...any) {
	p := h.fset.Position(at)
	h.bad = append(h.bad, fmt.Sprintf("%s:%d: ", filepath.Base(p.Filename), p.Line)+fmt.Sprintf(format, args...))
}

// checkLayers complains of every use of a name from another room that is not
// in a lower layer. Where a name is declared decides, so a field or a method
// counts like a function, and a method belongs to the file it is written in,
// not to the file of its type: rest.go may attach one to *Service, and svc.go
// may then not call it. Uses holds the names in selections too.
func (h *house) checkLayers() {
	for _, f := range h.files {
		if room, layer := roomOf(h.fset.Position(f.FileStart).Filename); layer < 0 {
			h.complain(f.Package, "%s.go is not in the layer table", room)
		}
	}
	for id, obj := range h.info.Uses {
		if obj.Pkg() != h.pkg {
			continue
		}
		from, user := roomOf(h.fset.Position(id.Pos()).Filename)
		to, owner := roomOf(h.fset.Position(obj.Pos()).Filename)
		for _, files := range ordered {
			from, to := slices.Index(files, h.fileOf(id.Pos())), slices.Index(files, h.fileOf(obj.Pos()))
			if from >= 0 && to > from {
				h.complain(id.Pos(), "%s.go uses %s of %s.go, which comes after it", files[from], id.Name, files[to])
			}
		}
		if from != to && owner >= user {
			h.complain(id.Pos(), "%s (layer %d) uses %s of %s (layer %d)", from, user, id.Name, to, owner)
		}
	}
}

// fileOf returns the name of the file at a position, without .go.
func (h *house) fileOf(at token.Pos) string {
	return strings.TrimSuffix(filepath.Base(h.fset.Position(at).Filename), ".go")
}

// std imports what the sources of svc and the rows of TestHouseRules import, as
// the go command has compiled it for these tests. That is found once for all tests.
var std = sync.OnceValues(func() (types.Importer, error) {
	names, err := filepath.Glob(root("*.go"))
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-export", "-f", "{{.ImportPath}} {{.Export}}", "expvar", "net/http/pprof"}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, spec := range f.Imports {
			// A package of a module has a dot in its first element.
			if path, _ := strconv.Unquote(spec.Path.Value); !strings.Contains(path, ".") {
				args = append(args, path)
			}
		}
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	exports := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	// A package that is not listed has no file, and Check says which it is.
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	}), nil
})

func standardLibrary(t *testing.T) types.Importer {
	t.Helper()
	imp, err := std()
	if err != nil {
		t.Fatal(err)
	}
	return imp
}

func TestLayering(t *testing.T) {
	fset := token.NewFileSet()
	h, err := inspect(fset, readSources(t, fset), standardLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range h.bad {
		t.Error(complaint)
	}
}

// Verify that .ci/run tests with the oldest Go that go.mod promises.
func TestOldestToolchain(t *testing.T) {
	mod, err := readText(root("go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := readText(root(".ci/toolchains"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(mod), "\ngo ")
	version, _, _ := strings.Cut(rest, "\n")
	if want := "\noldest=go" + version + ".0\n"; !strings.Contains(string(pinned), want) {
		t.Errorf(".ci/toolchains has no line %q", strings.TrimSpace(want))
	}
}

// Nobody who uses svc gets anything else with it.
func TestNoDependencies(t *testing.T) {
	mod, err := readText(root("go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "", "module", "go", "//":
		default:
			t.Errorf("go.mod: unexpected line %q", line)
		}
	}
}
