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
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/svc"
)

// This file holds the README to what is: its programs run, its other code is
// part of a test, its commands give the answers that stand below them, and its
// tables say what the package says.

// A readmeBlock is a piece of the README between two lines of ```.
type readmeBlock struct {
	heading string // the last one before it
	lang    string
	text    string
}

func readReadme(t *testing.T) (text string, blocks []readmeBlock) {
	t.Helper()
	data, err := os.ReadFile(root("README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var block *readmeBlock
	heading := ""
	for line := range strings.Lines(string(data)) {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && block == nil:
			block = &readmeBlock{heading: heading, lang: strings.TrimSpace(lang)}
		case fence:
			blocks = append(blocks, *block)
			block = nil
		case block != nil:
			block.text += line
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	return string(data), blocks
}

// Verify that code that is no program is code that is tested.
func TestReadmeCode(t *testing.T) {
	var tested []string
	for _, pattern := range []string{"*_test.go", root("*_test.go"), root("template/*.go")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tested = append(tested, withoutIndent(string(data)))
		}
	}
	_, blocks := readReadme(t)
	for _, b := range blocks {
		if b.lang != "go" || strings.HasPrefix(b.text, "package ") {
			continue
		}
		code := withoutIndent(b.text)
		if !slices.ContainsFunc(tested, func(text string) bool { return strings.Contains(text, code) }) {
			t.Errorf("no test has this code:\n%s", b.text)
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
	_, blocks := readReadme(t)
	i := slices.IndexFunc(blocks, func(b readmeBlock) bool { return strings.HasPrefix(b.text, "package main\n") })
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

// Verify that the README names nothing that does not exist, and links nowhere.
func TestReadmeNames(t *testing.T) {
	text, _ := readReadme(t)
	names := exportedNames(t)
	for _, match := range regexp.MustCompile("`(?:svc\\.)?([A-Z][A-Za-z]*(?:\\.[A-Z][A-Za-z]*)?)`").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, match[1]) && match[1] != "In" && match[1] != "Out" && match[1] != "EventSource" {
			t.Errorf("the README has %s, which the package does not", match[1])
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([A-Za-z_./-]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(root(link[1])); err != nil {
			t.Error(err)
		}
	}
}

// Verify that the examples that the README promises are listed beside their types.
func TestReadmeExamples(t *testing.T) {
	text, _ := readReadme(t)
	var sources strings.Builder
	files, err := filepath.Glob(root("example_*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(source)
	}
	promised := regexp.MustCompile("[Ee]xamples? of\\s`([A-Za-z]+)`").FindAllStringSubmatch(text, -1)
	for _, match := range promised {
		if !regexp.MustCompile(`(?m)^func Example` + match[1] + `(_[a-z]+)?\(\)`).MatchString(sources.String()) {
			t.Errorf("%s has no example", match[1])
		}
	}
	if len(promised) < 3 {
		t.Errorf("the README promises %q", promised)
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

// Verify that the table of rooms has those that there are, in the layers that
// layering_test.go holds them to.
func TestReadmePicture(t *testing.T) {
	text, _ := readReadme(t)
	for layer, rooms := range layers {
		for _, room := range rooms {
			if _, err := os.Stat(root(room + ".go")); err != nil {
				continue
			}
			if row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %d \\|[^|]*`%s`[^|]*\\|", layer, room)); !row.MatchString(text) {
				t.Errorf("the table of rooms has no %s in layer %d", room, layer)
			}
		}
	}
}

// Verify that what the README says to look at is declared where it says.
func TestReadmeWhere(t *testing.T) {
	text, _ := readReadme(t)
	rows := regexp.MustCompile("(?m)^\\| .+ \\| `([a-z_]+\\.go)` \\| (.+) \\|$").FindAllStringSubmatch(text, -1)
	if len(rows) == 0 {
		t.Error("the README does not say where to look")
	}
	for _, row := range rows {
		source, err := os.ReadFile(root(row[1]))
		if err != nil {
			t.Error(err)
		}
		for _, name := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(row[2], -1) {
			if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|var |type |const )` + name[1] + `\b`).Match(source) {
				t.Errorf("the README says that %s has %s, which it does not", row[1], name[1])
			}
		}
	}
}

// Verify that the table of codes in the documentation is what the package does, and
// complete.
func TestCodeTable(t *testing.T) {
	source, err := os.ReadFile(root("errors.go"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^//\t([A-Z_]+) +(\d+) +(-\d+)$`).FindAllStringSubmatch(string(source), -1)
	if len(rows) != 16 {
		t.Errorf("the table has %d codes, want 16", len(rows))
	}
	for _, row := range rows {
		e := svc.Errorf(svc.Code(row[1]), "")
		if got := fmt.Sprintf("%s %d %d", svc.CodeOf(e), e.HTTPStatus(), e.RPCCode()); got != strings.Join(row[1:], " ") {
			t.Errorf("the documentation says %v, the package %s", row[1:], got)
		}
	}
}

// Verify that the README has the limits of the package, and that the sources do.
func TestReadmeLimits(t *testing.T) {
	text, _ := readReadme(t)
	for _, limit := range []struct{ file, source, row string }{
		{"http.go", "DefaultMaxBody = 1 << 20", "| request body | 1 MiB |"},
		{"http.go", "DefaultBodyTimeout = 30 * time.Second", "| time to send it | 30 s |"},
		{"json.go", "maxDepth = 1000", "| nesting of JSON | 1000 levels |"},
		{"rpc.go", "maxBatch = 1000", "| calls in a JSON-RPC batch | 1000, of which 8 run at a time; 16 MiB of answers |"},
		{"svc_stream.go", "maxAnswers = 16 << 20", "| messages in an MCP batch | 100, one after the other; 16 MiB of answers |"},
		{"mcp_message.go", "maxMCPBatch = 100", "| messages in an MCP batch | 100, one after the other; 16 MiB of answers |"},
		{"mcp_stdio.go", "maxPipeCalls = 64", "| calls over standard input and output | 64 run at a time, 1024 are read; 2 s after the end of the input |"},
		{"mcp_stdio.go", "maxPipeUnanswered = 1024", "| calls over standard input and output | 64 run at a time, 1024 are read; 2 s after the end of the input |"},
		{"mcp_ask.go", "stateLife = 10 * time.Minute", "| answers to questions of a method | can be sent again for 10 minutes |"},
		{"svc_stream.go", "maxCollected = 1000", "| items of a stream collected for JSON-RPC or MCP; of a page | 1000, and 16 MiB; 100 |"},
		{"page.go", "maxPageSize = 100", "| items of a stream collected for JSON-RPC or MCP; of a page | 1000, and 16 MiB; 100 |"},
		{"errors.go", "maxViolations = 32", "| an error: violations, message, body | 32; 4 KiB; 16 KiB, "},
		{"errors.go", "maxMessage = 4 << 10", "| an error: violations, message, body | 32; 4 KiB; 16 KiB, "},
		{"errors.go", "maxDetails = 16 << 10", "| an error: violations, message, body | 32; 4 KiB; 16 KiB, "},
		{"page.go", "maxLinks = 2 << 10", "| `PageResponse.Links`; what a header repeats of its request | 2 KiB, "},
		{"http.go", "maxLoggedPath = 256", "| path and error text in a log line | 256 bytes and 2 KiB |"},
	} {
		source, err := os.ReadFile(root(limit.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(source)), " "), limit.source) {
			t.Errorf("%s does not have %q, of which the README says %q", limit.file, limit.source, limit.row)
		}
		if !strings.Contains(text, limit.row) {
			t.Errorf("the README does not have %q", limit.row)
		}
	}
}

// Verify that what the README shows for other programs is what they get: the lines
// for nginx are those that the bookmarks run behind, the probe is a route of the
// template, which stops in the time that there is, and the JSON is JSON.
func TestReadmeDeployment(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(root(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	program := read("template/main.go")
	_, blocks := readReadme(t)
	seen := make(map[string]int)
	for _, b := range blocks {
		seen[b.lang]++
		switch b.lang {
		case "json":
			if !json.Valid([]byte(b.text)) {
				t.Errorf("this is not JSON:\n%s", b.text)
			}
		case "nginx":
			if conf := withoutIndent(read("examples/bookmarks/drill/nginx.conf")); !strings.Contains(conf, withoutIndent(b.text)) {
				t.Errorf("nobody runs nginx with these lines:\n%s", b.text)
			}
		case "yaml":
			if path := regexp.MustCompile(`path: ([^,]+),`).FindStringSubmatch(b.text); path == nil || !strings.Contains(program, `"GET `+path[1]+`"`) {
				t.Errorf("the template does not serve what is probed: %q", path)
			}
			var grace, drain int
			fmt.Sscanf(b.text, "terminationGracePeriodSeconds: %d", &grace)
			if m := regexp.MustCompile(`const drainTime = (\d+) \* time\.Second`).FindStringSubmatch(program); m != nil {
				drain, _ = strconv.Atoi(m[1])
			}
			if drain == 0 || grace <= drain {
				t.Errorf("Kubernetes waits for %d s, and the template takes %d s", grace, drain)
			}
		}
	}
	if seen["json"] != 1 || seen["nginx"] != 1 || seen["yaml"] != 1 {
		t.Errorf("the README has blocks of %v", seen)
	}
}
