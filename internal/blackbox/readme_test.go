package blackbox_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests README.md, CONTRIBUTING.md, AGENTS.md, those of template, and the pages in doc:
// their programs run, their other code is part of a test, their commands exist, their links
// lead somewhere, and their tables say what the package does.

// A document is a file of Markdown.
type document struct {
	name   string // relative to the root of the repository, such as "doc/errors.md"
	text   string
	blocks []block
}

// A block is the text between two lines of ```.
type block struct {
	heading string // the last one before it
	lang    string // behind the first ```
	text    string
}

// readDocument reads one document.
func readDocument(t *testing.T, name string) document {
	t.Helper()
	data, err := readText(root(name))
	if err != nil {
		t.Fatal(err)
	}
	d := document{name: name, text: string(data)}
	var open *block
	heading := ""
	for line := range strings.Lines(d.text) {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{heading: heading, lang: strings.TrimSpace(lang)}
		case fence:
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	if open != nil {
		t.Errorf("%s: a block does not end:\n%s", name, open.text)
	}
	return d
}

// readDocuments reads all documents that this file tests.
func readDocuments(t *testing.T) []document {
	t.Helper()
	pages, err := filepath.Glob(root("doc/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("doc has %d pages, %v", len(pages), err)
	}
	documents := []document{readDocument(t, "README.md"), readDocument(t, "CONTRIBUTING.md"), readDocument(t, "AGENTS.md"), readDocument(t, "template/README.md"),
		readDocument(t, "template/AGENTS.md")}
	for _, page := range pages {
		documents = append(documents, readDocument(t, "doc/"+filepath.Base(page)))
	}
	return documents
}

// program returns the index of the block that is a whole program, or -1.
func (d document) program() int {
	return slices.IndexFunc(d.blocks, func(b block) bool { return strings.HasPrefix(b.text, "package main\n") })
}

// Verify that each block is covered by a test: this one, or the one that its case names.
func TestDocumentBlocks(t *testing.T) {
	sources := readSourcesAsText(t)
	for _, d := range readDocuments(t) {
		for i, b := range d.blocks {
			switch b.lang {
			case "go":
				if d.name == "README.md" && i == d.program() { // TestReadmeProgram runs it
					continue
				}
				code := withoutIndent(b.text)
				if !slices.ContainsFunc(sources, func(text string) bool { return strings.Contains(text, code) }) {
					t.Errorf("%s: no test has this code:\n%s", d.name, b.text)
				}
			case "console":
				if d.name != "README.md" || i != d.program()+1 { // TestReadmeProgram runs its commands
					t.Errorf("%s: no test runs these commands:\n%s", d.name, b.text)
				}
			case "sh":
				if d.name == "README.md" && b.heading == "Install" || d.name == "template/README.md" {
					continue // TestReadmeInstall and TestTemplateReadme run them
				}
				for line := range strings.Lines(b.text) {
					checkCommand(t, d.name, strings.TrimSpace(line), sources)
				}
			case "json":
				if !json.Valid([]byte(b.text)) {
					t.Errorf("%s: this is not JSON:\n%s", d.name, b.text)
				}
			case "nginx", "yaml": // TestDeployment reads them
				if d.name != "doc/production.md" {
					t.Errorf("%s: no test reads this:\n%s", d.name, b.text)
				}
			case "ts", "tsx": // interop/typescript compiles them
				if d.name != "README.md" && d.name != "doc/browser.md" {
					t.Errorf("%s: nothing compiles this:\n%s", d.name, b.text)
				}
			default:
				t.Errorf("%s: no test reads a block of %q:\n%s", d.name, b.lang, b.text)
			}
		}
	}
}

// readSourcesAsText returns the Go files of the repository that a document may quote,
// without their indents.
func readSourcesAsText(t *testing.T) (texts []string) {
	t.Helper()
	for _, pattern := range []string{"*_test.go", root("*.go"), root("template/*.go"), root("interop/otel/*.go"), root("internal/orders/*.go"), root("interop/transcribe/*_test.go"), root("interop/transcribe/testdata/*/*.go")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := readText(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, withoutIndent(string(data)))
		}
	}
	return texts
}

// checkCommand reports a command line of which a part does not exist: the script, the
// variable that tests read, the package, the test, or the flag of the tests. A line is
//
//	SVC_TEST_ROUNDS=many go test -run TestX ./internal/blackbox -update # a comment
func checkCommand(t *testing.T, document, line string, sources []string) {
	t.Helper()
	known := func(format string, args ...any) bool {
		text := fmt.Sprintf(format, args...)
		return slices.ContainsFunc(sources, func(source string) bool { return strings.Contains(source, text) })
	}
	complain := func(word string) { t.Errorf("%s: %s: there is no %s", document, line, word) }
	command, _, _ := strings.Cut(line, "#")
	words := strings.Fields(command)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		if name, _, _ := strings.Cut(words[0], "="); !known("os.Getenv(%q)", name) {
			complain(name)
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	if words[0] != "go" {
		if _, err := os.Stat(root(words[0])); err != nil {
			complain(words[0])
		}
		return
	}
	for i, word := range words[1:] {
		word = strings.Trim(word, "'^$")
		switch {
		case strings.HasPrefix(word, "./"):
			if _, err := os.Stat(root(strings.TrimSuffix(word, "/..."))); err != nil {
				complain(word)
			}
		case strings.HasPrefix(word, "Test"), strings.HasPrefix(word, "Fuzz"):
			name, _, _ := strings.Cut(word, "/")
			if !known("func %s(", strings.TrimRight(name, "'^$")) {
				complain(word)
			}
		case slices.Contains([]string{"run", "test", "vet", "-run", "-fuzz", "-fuzztime", "-race", "-tags", "-v", ".", "slow"}, word):
		case words[i] == "-fuzztime":
		case strings.HasPrefix(word, "-"):
			if !known("flag.Bool(%q,", word[1:]) {
				complain(word)
			}
		default:
			complain(word)
		}
	}
}

func withoutIndent(code string) string {
	var out strings.Builder
	for line := range strings.Lines(code) {
		out.WriteString(strings.TrimLeft(line, " \t"))
	}
	return out.String()
}

// Verify that the program compiles as it stands, and answers as the README says.
func TestReadmeProgram(t *testing.T) {
	t.Parallel()
	readme := readDocument(t, "README.md")
	blocks, i := readme.blocks, readme.program()
	if i < 0 || i+1 == len(blocks) || blocks[i+1].lang != "console" {
		t.Fatal("the README has no program with a console block behind it")
	}
	// It is built with the svc of these tests, which is compiled already; with -tags
	// slow TestReadmeInstall builds it in a module of its own. It listens on a fixed
	// port, which somebody else may have here.
	dir := t.TempDir()
	program, main, serve := filepath.Join(dir, "server.exe"), filepath.Join(dir, "main.go"), filepath.Join(dir, "serve.go")
	for file, text := range map[string]string{
		main:  strings.Replace(blocks[i].text, "http.ListenAndServe(", "listenAndServe(", 1),
		serve: readmeServe,
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, main, serve).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	address := startReadme(t, program)
	commands := strings.Split("\n"+strings.TrimSpace(blocks[i+1].text), "\n$ ")[1:]
	for _, c := range commands {
		command, want, _ := strings.Cut(c, "\n")
		args, ok := strings.CutPrefix(command, "curl ")
		if !ok {
			t.Errorf("%q is no curl line", command)
			continue
		}
		line := curl + " -sS " + strings.ReplaceAll(args, "127.0.0.1:8080", address)
		got, err := exec.Command("sh", "-c", line).Output()
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", command, err, got, want)
		}
	}
}

// readmeServe stands in for http.ListenAndServe: it takes a free port, and says
// which.
const readmeServe = `package main

import (
	"fmt"
	"net"
	"net/http"
)

func listenAndServe(_ string, h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, h)
}
`

// startReadme starts the program and returns the address that it prints. The program
// ends with the test.
func startReadme(t *testing.T, program string) string {
	t.Helper()
	cmd := exec.Command(program)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var address string
	if _, err := fmt.Fscanln(stdout, &address); err != nil {
		t.Fatal(err)
	}
	return address
}

// Verify that svc itself depends on nothing.
func TestModuleGraph(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "all").CombinedOutput()
	if err != nil || string(out) != "example.com/svc\n" {
		t.Errorf("go list -m all: %v\n%s", err, out)
	}
}

// Verify that documents name nothing that the package does not have.
func TestDocumentNames(t *testing.T) {
	names := append(exportedNames(t), "CallError", "In", "Out", "EventSource", "Response", "GET", "PUT", "PATCH", "DELETE", "Dockerfile", "TaskState")
	exported := regexp.MustCompile("`(?:svc\\.)?([A-Z][A-Za-z]*(?:\\.[A-Z][A-Za-z]*)?)`")
	for _, d := range readDocuments(t) {
		for _, match := range exported.FindAllStringSubmatch(d.text, -1) {
			if !slices.Contains(names, match[1]) {
				t.Errorf("%s has %s, which the package does not", d.name, match[1])
			}
		}
	}
}

// Verify that README.md stays a first screen: what is about another subject has a page in doc/.
func TestReadmeLength(t *testing.T) {
	const limit = 1500
	if n := len(strings.Fields(readDocument(t, "README.md").text)); n > limit {
		t.Errorf("README.md has %d words, want at most %d", n, limit)
	}
}

// Verify that links lead to files and headings that exist, that the README leads to all
// pages, and that each page begins with its title and a paragraph.
func TestDocumentLinks(t *testing.T) {
	code := regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	documents := readDocuments(t)
	for _, d := range documents {
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(d.text, ""), -1) {
			if strings.HasPrefix(match[1], "https://") {
				continue
			}
			file, anchor, _ := strings.Cut(match[1], "#")
			target := d.name
			if file != "" {
				target = path.Join(path.Dir(d.name), file)
			}
			if _, err := os.Stat(root(target)); err != nil {
				t.Errorf("%s: %v", d.name, err)
			} else if anchor != "" && !slices.Contains(anchors(t, target), anchor) {
				t.Errorf("%s: %s has no heading #%s", d.name, target, anchor)
			}
		}
		if strings.HasPrefix(d.name, "doc/") && !strings.Contains(documents[0].text, "]("+d.name+")") {
			t.Errorf("README.md does not lead to %s", d.name)
		}
		if !regexp.MustCompile(`^# .+\n\n[A-Z]`).MatchString(d.text) {
			t.Errorf("%s does not begin with a title and a paragraph", d.name)
		}
	}
}

// anchors returns the names by which links refer to the headings of a document, as code
// forges make them: "Errors keep their form" is errors-keep-their-form.
func anchors(t *testing.T, name string) (names []string) {
	t.Helper()
	text := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(readDocument(t, name).text, "")
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchor := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(match[1]), "")
		names = append(names, strings.ReplaceAll(anchor, " ", "-"))
	}
	return names
}

// Verify that the examples that documents promise are listed beside their types.
func TestDocumentExamples(t *testing.T) {
	var sources strings.Builder
	files, err := filepath.Glob(root("example_*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := readText(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(source)
	}
	promises := 0
	for _, d := range readDocuments(t) {
		for _, match := range regexp.MustCompile("[Ee]xamples? of\\s`([A-Za-z]+)`").FindAllStringSubmatch(d.text, -1) {
			promises++
			if !regexp.MustCompile(`(?m)^func Example` + match[1] + `(_[a-z]+)?\(\)`).MatchString(sources.String()) {
				t.Errorf("%s: %s has no example", d.name, match[1])
			}
		}
	}
	if promises < 3 {
		t.Errorf("the documents promise %d examples", promises)
	}
}

// exportedNames returns what the package exports: T, F, T.Method and T.Field.
func exportedNames(t *testing.T) []string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	paths, err := filepath.Glob(root("*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, "example.com/svc")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range pkg.Funcs {
		names = append(names, f.Name)
	}
	for _, c := range pkg.Consts {
		names = append(names, c.Names...)
	}
	for _, typ := range pkg.Types {
		names = append(names, typ.Name)
		for _, f := range typ.Funcs {
			names = append(names, f.Name)
		}
		for _, m := range typ.Methods {
			names = append(names, typ.Name+"."+m.Name)
		}
		for _, spec := range typ.Decl.Specs {
			if st, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType); ok {
				for _, field := range st.Fields.List {
					for _, name := range field.Names {
						names = append(names, typ.Name+"."+name.Name)
					}
				}
			}
		}
	}
	return names
}

// Verify that the table of rooms in CONTRIBUTING.md has those that there are, in the
// layers that layering_test.go holds them to.
func TestContributingRooms(t *testing.T) {
	text := readDocument(t, "CONTRIBUTING.md").text
	for layer, rooms := range layers {
		for _, room := range strings.Fields(strings.Join(rooms, " ")) {
			if row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %d \\|[^|]*`%s`[^|]*\\|", layer, room)); !row.MatchString(text) {
				t.Errorf("the table of rooms has no %s in layer %d", room, layer)
			}
		}
	}
}

// Verify that what CONTRIBUTING.md says to look at is declared where it says. The rows of
// these tables are
//
//	| a question | `file.go` | `name`, and `receiver.name`, with words around |
func TestContributingPlaces(t *testing.T) {
	text := readDocument(t, "CONTRIBUTING.md").text
	rows := regexp.MustCompile("(?m)^\\| .+ \\| `([a-z_]+\\.go)` \\| (.+) \\|$").FindAllStringSubmatch(text, -1)
	if len(rows) < 20 {
		t.Errorf("CONTRIBUTING.md has %d places, want 20 or more", len(rows))
	}
	for _, row := range rows {
		declared := declaredNames(t, row[1])
		names := regexp.MustCompile("`([A-Za-z0-9]+(?:\\.[A-Za-z0-9]+)?)`").FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 {
			t.Errorf("CONTRIBUTING.md names nothing in %q", row[0])
		}
		for _, name := range names {
			if !slices.Contains(declared, name[1]) {
				t.Errorf("CONTRIBUTING.md says that %s has %s, which it does not", row[1], name[1])
			}
		}
	}
}

// declaredNames returns what a source of the package declares at its top level. A method
// is listed as name and as receiver.name.
func declaredNames(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), root(file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			names = append(names, decl.Name.Name)
			if decl.Recv != nil {
				receiver := decl.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				switch generic := receiver.(type) {
				case *ast.IndexExpr:
					receiver = generic.X
				case *ast.IndexListExpr:
					receiver = generic.X
				}
				names = append(names, receiver.(*ast.Ident).Name+"."+decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// Verify that the table of codes in doc/codes.md is what the package does, and complete.
func TestCodeTable(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| ([A-Z_]+) \| (\d+) \| (-\d+) \|$`).FindAllStringSubmatch(readDocument(t, "doc/codes.md").text, -1)
	if len(rows) != 16 {
		t.Errorf("the table has %d codes, want 16", len(rows))
	}
	for _, row := range rows {
		e := svc.Errorf(svc.Code(row[1]), "")
		if got := fmt.Sprintf("%s %d %d", svc.CodeOf(e), e.HTTPStatus(), e.RPCCode()); got != strings.Join(row[1:], " ") {
			t.Errorf("doc/codes.md says %v, the package %s", row[1:], got)
		}
	}
}

// Verify that the tables of the documents have each row of the tables in the sources that
// they are about.
func TestDocumentTables(t *testing.T) {
	for _, test := range []struct {
		name         string
		file, source string // source matches a row, and its name
		row          string // of the document; % stands for the name
		documents    []string
		least        int
	}{
		{"rules", "type_rules.go", `keyword: "(\w+)", must`, "`%", []string{"README.md", "doc/rules.md"}, 13},
		{"security schemes", "auth.go", `Name: "(\w+)", contract`, "| `\"%\"` |", []string{"doc/identity.md"}, 5},
		{"revisions of MCP", "mcp_revision.go", `(?m)^\t\{date: "([\d-]+)"`, " % |", []string{"doc/mcp.md"}, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			source, err := readText(root(test.file))
			if err != nil {
				t.Fatal(err)
			}
			rows := regexp.MustCompile(test.source).FindAllStringSubmatch(string(source), -1)
			if len(rows) < test.least {
				t.Errorf("%s has %d rows, want %d or more", test.file, len(rows), test.least)
			}
			for _, document := range test.documents {
				text := readDocument(t, document).text
				for _, row := range rows {
					if want := strings.ReplaceAll(test.row, "%", row[1]); !strings.Contains(text, want) {
						t.Errorf("%s does not have %s", document, want)
					}
				}
			}
		})
	}
}

// Verify that doc/limits.md has the limits of the package, and that the sources do.
func TestLimitsTable(t *testing.T) {
	text := readDocument(t, "doc/limits.md").text
	for _, limit := range []struct{ file, source, row string }{
		{"http.go", "DefaultMaxBody = 1 << 20", "| request body | 1 MiB |"},
		{"http.go", "DefaultBodyTimeout = 30 * time.Second", "| time to send it | 30 s |"},
		{"mcp_tasks.go", "maxTaskID = 1024", "needs | 1,024 bytes |"},
		{"form.go", "maxFormParts = 1000", "| a form | 1000 parts, and"},
		{"json.go", "maxDepth = 1000", "| nesting of JSON | 1000 levels |"},
		{"rpc.go", "maxBatch = 1000", "| calls in a JSON-RPC batch | 1000, of which 8 run at a time; 16 MiB of answers |"},
		{"mcp_stdio.go", "maxPipeCalls = 64", "| calls over standard input and output | 64 run at a time, 1024 are read; 2 s after the end of the input |"},
		{"mcp_stdio.go", "maxPipeUnanswered = 1024", "| calls over standard input and output | 64 run at a time, 1024 are read; 2 s after the end of the input |"},
		{"mcp_ask.go", "stateLife = 10 * time.Minute", "| answers to questions of a method | can be sent again for 10 minutes |"},
		{"svc_stream.go", "maxCollected = 1000", "| items of a stream collected for JSON-RPC or MCP; of a page | 1000, and 16 MiB; 100 |"},
		{"page.go", "maxPageSize = 100", "| items of a stream collected for JSON-RPC or MCP; of a page | 1000, and 16 MiB; 100 |"},
		{"errors.go", "maxViolations = 32", "| an error: violations, message, details | 32; 4 KiB; 16 KiB. "},
		{"errors.go", "maxMessage = 4 << 10", "| an error: violations, message, details | 32; 4 KiB; 16 KiB. "},
		{"errors.go", "maxDetails = 16 << 10", "| an error: violations, message, details | 32; 4 KiB; 16 KiB. "},
		{"page.go", "maxLinks = 2 << 10", "| `PageResponse.Links` | 2 KiB, "},
		{"http.go", "maxLoggedPath = 256", "| path and error text in a log line | 256 bytes and 2 KiB |"},
	} {
		source, err := readText(root(limit.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(source)), " "), limit.source) {
			t.Errorf("%s does not have %q, of which doc/limits.md says %q", limit.file, limit.source, limit.row)
		}
		if !strings.Contains(text, limit.row) {
			t.Errorf("doc/limits.md does not have %q", limit.row)
		}
	}
}

// Verify that what doc/production.md shows for other programs is what they get: the lines
// for nginx are those that the bookmarks run behind, and the probe is a route of the
// template, which stops in the time that there is.
func TestDeployment(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := readText(root(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	program := read("template/main.go") + read("template/shutdown.go")
	seen := make(map[string]int)
	for _, b := range readDocument(t, "doc/production.md").blocks {
		seen[b.lang]++
		switch b.lang {
		case "nginx":
			conf := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(withoutIndent(read("examples/bookmarks/drill/nginx.conf")), "")
			server := regexp.MustCompile(`"server "\+r\.address\+"([^"]+)"`).FindStringSubmatch(read("examples/bookmarks/drill/processes.go"))
			if server == nil {
				t.Fatal("the drill has no servers for nginx")
			}
			conf = strings.Replace(conf, "SERVERS", "server 10.0.0.7:8080"+server[1]+"\nserver 10.0.0.8:8080"+server[1], 1)
			if !strings.Contains(conf, withoutIndent(b.text)) {
				t.Errorf("nobody runs nginx with these lines:\n%s", b.text)
			}
		case "yaml":
			if path := regexp.MustCompile(`path: ([^,]+),`).FindStringSubmatch(b.text); path == nil || !strings.Contains(program, `"GET `+path[1]+`"`) {
				t.Errorf("the template does not serve what is probed: %q", path)
			}
			var grace int
			fmt.Sscanf(b.text, "terminationGracePeriodSeconds: %d", &grace)
			takes := 1 // for readTime, and all else
			for _, part := range []string{`"drain", (\d+)\*time\.Second`, `endTime = (\d+) \* time\.Second`} {
				m := regexp.MustCompile(part).FindStringSubmatch(program)
				if m == nil {
					t.Fatalf("the template does not have %s", part)
				}
				seconds, _ := strconv.Atoi(m[1])
				takes += seconds
			}
			if grace <= takes {
				t.Errorf("Kubernetes waits for %d s, and the template takes %d s", grace, takes)
			}
		}
	}
	if seen["nginx"] != 2 || seen["yaml"] != 1 {
		t.Errorf("doc/production.md has blocks of %v", seen)
	}
}
