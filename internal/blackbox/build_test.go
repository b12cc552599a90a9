//go:build slow

package blackbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file builds programs: with svc beside them, vendored and copied, in every
// way to build, and to see that importing svc has no side effect. Building takes
// seconds, so it is tested with -tags slow only.

// The first program is about the two places where svc asks the runtime what a
// function is called and where it is written: whether Direct was given the method
// itself, and whether a struct has a Validate method of its own or by embedding.
// Neither may depend on how the program was built.

// buildProgram prints what happened, without errors only if all went well.
const buildProgram = `package main

import (
	"context"
	"fmt"

	"example.com/svc"
)

type API interface {
	Other
	Create(context.Context, *Outer) (*Count, error)
}

type Other interface {
	Purge(context.Context) error
}

type Of[T any] interface {
	Create(context.Context, *T) (*Count, error)
}

// Count counts the calls of each Validate.
type Count struct{ Inner, Own, Value, Generic int }

type Inner struct{ count *Count }

func (i *Inner) Validate() error { i.count.Inner++; return nil }

type Value struct{ count *Count }

func (v Value) Validate() error { v.count.Value++; return nil }

type Generic[T any] struct{ count *Count }

func (g *Generic[T]) Validate() error { g.count.Generic++; return nil }

type Own struct {
	Value
	ID  int
	own *Count // what is exported Call copies, with all that it leads to
}

func (o *Own) Validate() error { o.own.Own++; return nil }

type Middle struct{ Inner }

// Outer has one Validate promoted to it over two levels, and structs with others.
type Outer struct {
	Middle
	Own     Own
	Generic struct{ Generic[int] }
}

type impl struct{}

func (impl) Create(_ context.Context, in *Outer) (*Count, error) { return in.count, nil }
func (impl) Purge(context.Context) error                         { return nil }

func main() {
	for _, direct := range []svc.DirectCall{svc.Direct(API.Create), {}} {
		s, err := svc.Register[API](impl{}, &svc.Options{Methods: map[string]svc.MethodOptions{
			"Create": {Direct: direct},
			"Purge":  {Direct: svc.DirectNone(API.Purge)},
		}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		c := new(Count)
		in := &Outer{Middle: Middle{Inner{c}}, Own: Own{Value{c}, 0, c}}
		in.Generic.Generic = Generic[int]{c}
		fmt.Println(s.Call(context.Background(), "api", "create", in))
	}
	_, err := svc.Register[Of[Outer]](impl{}, &svc.Options{Resource: "of", Methods: map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(Of[Outer].Create)},
	}})
	fmt.Println(err)
	_, err = svc.Register[API](impl{}, &svc.Options{Methods: map[string]svc.MethodOptions{
		"Create": {Direct: svc.Direct(create)},
		"Purge":  {Direct: svc.DirectNone(Other.Purge)},
	}})
	fmt.Println(err)
}

func create(API, context.Context, *Outer) (*Count, error) { return nil, nil }
`

const buildWant = `&{1 1 1 1} <nil>
&{1 1 1 1} <nil>
<nil>
svc: cannot register main.API:
  - API.Create: Direct has a function that is not the method Create; write Direct(API.Create)
  - API.Purge: Direct has a method of main.Other, not of the interface; write DirectNone(API.Purge)
`

// Verify that the program above prints the same however it is built.
func TestBuildModes(t *testing.T) {
	t.Parallel()
	m := newScratchModule(t, buildProgram)
	m.run("go", "mod", "edit", "-require=example.com/svc@v0.0.0", "-replace=example.com/svc=../svc")
	for _, flags := range []string{
		"-trimpath",
		"-trimpath -ldflags=-s",
		"-trimpath -gcflags=app=-l -gcflags=example.com/svc=-l", // nothing is inlined
		"-trimpath=false",
	} {
		t.Run(flags, func(t *testing.T) {
			if got := m.run("go", append(append([]string{"run"}, strings.Fields(flags)...), ".")...); got != buildWant {
				t.Errorf("go run %s prints\n%swant\n%s", flags, got, buildWant)
			}
		})
	}
}

// Verify that importing svc registers nothing and starts nothing.
func TestImportHasNoSideEffects(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(pprofBuild(t, "sideeffects")).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for name := range strings.FieldsSeq(pprofGo(t, "list", "-deps", root("."))) {
		switch name {
		case "net/http/pprof", "expvar":
			t.Errorf("svc depends on %s", name)
		}
	}
}

// Verify that the commands for installing do install.
func TestReadmeInstall(t *testing.T) {
	t.Parallel()
	readme := readDocument(t, "README.md")
	blocks, i := readme.blocks, readme.program()
	var commands []block
	for _, b := range blocks {
		if b.lang == "sh" && b.heading == "Install" {
			commands = append(commands, b)
		}
	}
	if i < 0 || len(commands) != 2 || !strings.Contains(readme.text, "`go mod vendor`") {
		t.Fatalf("the README has %d ways to install, want 2, and go mod vendor", len(commands))
	}
	m := newScratchModule(t, blocks[i].text)
	m.run("sh", "-ec", commands[0].text) // beside
	m.run("go", "build", ".")
	if got, want := m.run("go", "list", "-m", "all"), "app\nexample.com/svc v0.0.0 => ../svc\n"; got != want {
		t.Errorf("the modules of a program with svc: %q, want %q", got, want)
	}
	m.run("go", "mod", "vendor")
	m.remove("../svc")
	m.run("go", "build", ".")

	m = newScratchModule(t, strings.Replace(blocks[i].text, "example.com/svc", "app/internal/svc", 1))
	m.run("sh", "-ec", commands[1].text) // copied
	m.remove("../svc")
	m.run("go", "build", ".")
	if got := m.run("go", "list", "-m", "all"); got != "app\n" {
		t.Errorf("the modules of a program with a copy: %q", got)
	}
}

// Verify that the commands in the template's README make a service of one's own, which
// passes its tests, and that its Dockerfile makes an image that runs: the program is
// built as the Dockerfile says, from vendored files alone, and started with nothing
// else in its root directory.
func TestTemplateReadme(t *testing.T) {
	t.Parallel()
	text, err := readText(root("template/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	copied := newScratchModule(t, "package main\n")
	if err := os.CopyFS(filepath.Join(copied.dir, "../svc/template"), os.DirFS(root("template"))); err != nil {
		t.Fatal(err)
	}
	copied.dir = filepath.Join(copied.dir, "../svc")
	blocks := strings.Split(string(text), "```")
	if len(blocks) != 5 || !strings.HasSuffix(blocks[1], " && go run .\n") || strings.Count(blocks[1], "\n") != 3 || !strings.HasPrefix(blocks[3], "sh\ngo mod vendor\ndocker build ") {
		t.Fatalf("the README has the commands %q", blocks)
	}
	commands := strings.TrimPrefix(strings.TrimSuffix(blocks[1], "go run .\n"), "sh\n")
	copied.run("sh", "-ec", commands+"go test .")

	own := scratchModule{t, filepath.Join(copied.dir, "../todos")}
	own.run("go", "mod", "vendor")
	own.remove("../svc")
	docker, err := readText(filepath.Join(own.dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[string]string) // the last line with each instruction
	for line := range strings.Lines(string(docker)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[name] = rest
	}
	image := filepath.Join(own.dir, "../image") // all there is in the second stage
	own.run("mkdir", image)
	own.run("sh", "-ec", strings.Replace(said["RUN"], "-o /server", "-o "+image+"/server", 1))
	own.checkImage(image, said)
}

// checkImage runs a program in an image that has nothing else, as the user that the
// Dockerfile names, and asks it for its health, as containers do.
func (m scratchModule) checkImage(image string, said map[string]string) {
	m.t.Helper()
	if os.Getuid() != 0 {
		m.t.Log("not root, who alone can change the root directory: the image is not run")
		return
	}
	inside := func(list, addr string) *exec.Cmd {
		var args []string
		if err := json.Unmarshal([]byte(list), &args); err != nil {
			m.t.Fatalf("%s: %v", list, err)
		}
		args = slices.Concat([]string{"--userspec=" + said["USER"], image}, args, []string{"-addr", addr})
		return m.command("chroot", args...)
	}
	server := inside(said["ENTRYPOINT"], "127.0.0.1:0")
	stdout, err := server.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		m.t.Fatal(err)
	}
	defer server.Wait()
	defer server.Process.Kill()
	var url string
	if _, err := fmt.Fscanf(stdout, "listening on http://%s", &url); err != nil {
		m.t.Fatal(err)
	}
	check := strings.TrimPrefix(said["HEALTHCHECK"], "CMD ")
	if out, err := inside(check, url).CombinedOutput(); err != nil {
		m.t.Errorf("the health of a process that runs: %v, %s", err, out)
	}
	if out, err := inside(check, "127.0.0.1:1").CombinedOutput(); err == nil {
		m.t.Errorf("the health of a process that does not run: %s", out)
	}
}

// A scratchModule is a module called app in a directory of its own, with what
// there is of svc in ../svc, and without a network.
type scratchModule struct {
	t   *testing.T
	dir string
}

func newScratchModule(t *testing.T, program string) scratchModule {
	t.Helper()
	m := scratchModule{t, filepath.Join(t.TempDir(), "app")}
	paths, err := fs.Glob(os.DirFS(root(".")), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "docs.html", "typescript_runtime.txt", "go.mod", "internal/blackbox/main_test.go") {
		data, err := os.ReadFile(root(path))
		if err != nil {
			t.Fatal(err)
		}
		m.write("../svc/"+path, string(data))
	}
	m.write("go.mod", "module app\n\ngo 1.24\n")
	m.write("main.go", program)
	return m
}

func (m scratchModule) write(name, text string) {
	m.t.Helper()
	file := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m scratchModule) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-buildvcs=false -trimpath", "PWD="+m.dir)
	return cmd
}

// run runs a command that must succeed, and returns what it prints.
func (m scratchModule) run(name string, args ...string) string {
	m.t.Helper()
	cmd := m.command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		m.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// remove removes a file or a directory of the module, or beside it.
func (m scratchModule) remove(name string) {
	m.t.Helper()
	if err := os.RemoveAll(filepath.Join(m.dir, filepath.FromSlash(name))); err != nil {
		m.t.Fatal(err)
	}
}

// Verify that a program has the parser of Go source only if it calls ReadComments.
func TestCommentsAreNotLinked(t *testing.T) {
	t.Parallel()
	readme := readDocument(t, "README.md")
	program := readme.blocks[readme.program()].text
	for _, test := range []struct {
		name, program string
		has           bool
	}{
		{"with ReadComments", program, true},
		{"without", strings.NewReplacer(", Comments: svc.ReadComments(source)", "", "//go:embed *.go\nvar source embed.FS // its comments become the documentation\n", "", "\t\"embed\"\n", "").Replace(program), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newScratchModule(t, test.program)
			m.run("go", "mod", "edit", "-require=example.com/svc@v0.0.0", "-replace=example.com/svc=../svc")
			m.run("go", "build", "-o", "program", ".")
			symbols := m.run("go", "tool", "nm", "program")
			for _, name := range []string{" go/parser.ParseFile", " go/doc/comment.(*Parser).Parse"} {
				if strings.Contains(symbols, name) != test.has {
					t.Errorf("%s: has %s = %t, want %t", test.name, name, !test.has, test.has)
				}
			}
			info, err := os.Stat(filepath.Join(m.dir, "program"))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d bytes", test.name, info.Size())
		})
	}
}
