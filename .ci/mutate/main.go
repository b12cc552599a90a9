// Command mutate measures the tests: it changes single tokens of the sources at
// random, one at a time, and lists the changes that no test notices. It is run by
// hand, since a survivor may mean nothing:
//
//	cd .ci/mutate && nice go run . -n 300 -seed 1
//	cd .ci/mutate && nice go run . -n 50 -files auth.go,page.go
//
// All changes are compiled into one copy of the module, each behind a condition
// that the variable MUTANT turns on, so nothing is compiled twice. Each test runs
// once alone to find out which changes it reaches; a change is then tried by those
// tests, the short ones first. Tests that fail in the copy, as those of the sources
// do, are left out.
//
//	Change                             As
//	---------------------------------  ---------------------------------
//	< <= > >= == !=, && ||             < for <=, == for !=, && for ||
//	+ - of numbers                     the other
//	!x                                 x
//	true, false                        the other
//	an integer outside of const        one more
//	return of two values of one type   the two swapped
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A mutant is one change: from and to are offsets in file.
type mutant struct {
	file     string
	line     int
	from, to int
	typ      string // of the expression; "" for a return statement
	old, new string
	short    []test // that reach it
	long     []test
}

// A test is one test of one of the two packages.
type test struct{ dir, name string }

var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ,
	token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
}

const support = `package svc
import ("os"; "strconv"; "sync")
var mutantNow = os.Getenv("MUTANT")
var mutantSeen sync.Map
func mutant(k int) bool {
	if file := os.Getenv("MUTANTS_REACHED"); file != "" {
		if _, seen := mutantSeen.LoadOrStore(k, true); !seen {
			f, _ := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
			f.WriteString(strconv.Itoa(k) + "\n")
			f.Close()
		}
	}
	return mutantNow == strconv.Itoa(k)
}
`

var dirs = []string{".", "internal/blackbox"}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 300, "how many changes")
	seed := flag.Uint64("seed", 1, "which changes")
	jobs := flag.Int("jobs", 2, "how many at a time")
	names := flag.String("files", "auth.go,version.go,page.go,bind.go,decode.go,rest.go,rpc.go,mcp_http.go", "the sources to change")
	flag.Parse()
	copied, err := os.MkdirTemp("", "mutate")
	check(err)
	defer os.RemoveAll(copied)
	check(exec.Command("cp", "-r", "../../.", copied).Run())
	mutants := pick(find(copied, strings.Split(*names, ",")), *n, *seed)
	apply(copied, mutants)
	for _, dir := range dirs {
		out, err := command(copied, "go", "test", "-c", "-vet=off", "-o", filepath.Join(dir, "mutate.test"), "./"+dir).CombinedOutput()
		if err != nil {
			log.Fatalf("the changes do not compile: %s", out)
		}
		reach(copied, dir, mutants)
	}
	killed := 0
	var mu sync.Mutex
	var running sync.WaitGroup
	next := make(chan int)
	for range *jobs {
		running.Add(1)
		go func() {
			defer running.Done()
			for k := range next {
				how := try(copied, k, &mutants[k])
				mu.Lock()
				if m := mutants[k]; how == "" {
					killed++
				} else {
					fmt.Printf("%s:%d: %s, now %s: %s\n", m.file, m.line, m.old, m.new, how)
				}
				mu.Unlock()
			}
		}()
	}
	for k := range mutants {
		next <- k
	}
	close(next)
	running.Wait()
	fmt.Printf("%d of %d changes were noticed (seed %d)\n", killed, len(mutants), *seed)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}

// find returns all changes that the files of the package have room for.
func find(dir string, names []string) (found []mutant) {
	fset := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	check(err)
	var files []*ast.File
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			check(err)
			files = append(files, file)
		}
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object)}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("svc", fset, files, info)
	check(err)
	for _, file := range files {
		path := fset.File(file.Pos()).Name()
		if slices.Contains(names, filepath.Base(path)) {
			text, err := os.ReadFile(path)
			check(err)
			f := &finder{fset: fset, info: info, pkg: pkg, file: filepath.Base(path), text: text}
			ast.Inspect(file, f.visit)
			found = append(found, f.found...)
		}
	}
	return found
}

// A finder looks for places in one file.
type finder struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	file    string
	text    []byte
	parents []ast.Node
	found   []mutant
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

// visit adds the changes of one node. Constants are declared once and used where
// no call may stand, so they are left out.
func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		f.parents = f.parents[:len(f.parents)-1]
		return true
	}
	if d, ok := n.(*ast.GenDecl); ok && d.Tok != token.VAR {
		return false
	}
	switch n.(type) {
	case *ast.ArrayType, *ast.Field:
		return false
	}
	f.parents = append(f.parents, n)
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if op, ok := swaps[n.Op]; ok && !strings.Contains(f.typeOf(n), "string") {
			f.add(n, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String())
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add(n, n.OpPos, n.X.Pos(), "")
		}
	case *ast.Ident:
		if f.info.Uses[n] == types.Universe.Lookup("true") {
			f.add(n, n.Pos(), n.End(), "false")
		} else if f.info.Uses[n] == types.Universe.Lookup("false") {
			f.add(n, n.Pos(), n.End(), "true")
		}
	case *ast.BasicLit:
		if n.Kind == token.INT {
			f.add(n, n.Pos(), n.End(), "("+n.Value+"+1)")
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 2 && f.typeOf(n.Results[0]) != "" && f.typeOf(n.Results[0]) == f.typeOf(n.Results[1]) {
			a, b := f.source(n.Results[0]), f.source(n.Results[1])
			f.found = append(f.found, mutant{file: f.file, line: f.fset.Position(n.Pos()).Line, from: f.offset(n.Pos()), to: f.offset(n.End()),
				old: f.source(n), new: "return " + b + ", " + a})
		}
	}
	return true
}

// typeOf returns the type of e as this package can write it, or "".
func (f *finder) typeOf(e ast.Expr) string {
	t := types.Default(f.info.Types[e].Type)
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() == f.pkg {
		return named.Obj().Name()
	}
	if basic, ok := t.(*types.Basic); ok && basic.Kind() != types.UntypedNil {
		return basic.Name()
	}
	return ""
}

// add adds the change of the text from..to in e. The whole constant that e is a
// part of is replaced, since Go computes it without calling anything.
func (f *finder) add(e ast.Expr, from, to token.Pos, text string) {
	for i := len(f.parents) - 2; i >= 0 && f.info.Types[e].Value != nil; i-- {
		parent, ok := f.parents[i].(ast.Expr)
		if !ok || f.info.Types[parent].Value == nil {
			break
		}
		e = parent
	}
	typ := f.typeOf(e)
	if typ == "" {
		return
	}
	old := f.source(e)
	start := f.offset(e.Pos())
	f.found = append(f.found, mutant{file: f.file, line: f.fset.Position(from).Line, from: start, to: f.offset(e.End()), typ: typ,
		old: old, new: old[:f.offset(from)-start] + text + old[f.offset(to)-start:]})
}

// pick returns n of the mutants, no two of which overlap.
func pick(all []mutant, n int, seed uint64) (picked []mutant) {
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, m := range all {
		overlaps := slices.ContainsFunc(picked, func(p mutant) bool { return p.file == m.file && p.from < m.to && m.from < p.to })
		if len(picked) < n && !overlaps {
			picked = append(picked, m)
		}
	}
	log.Printf("%d places, %d picked", len(all), len(picked))
	return picked
}

// apply writes the mutants into the copy, from the end of each file.
func apply(dir string, mutants []mutant) {
	order := make([]int, len(mutants))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return mutants[b].from - mutants[a].from })
	for _, k := range order {
		m := mutants[k]
		path := filepath.Join(dir, m.file)
		text, err := os.ReadFile(path)
		check(err)
		change := fmt.Sprintf("(func() %s { if mutant(%d) { return %s }; return %s }())", m.typ, k, m.new, m.old)
		if m.typ == "" {
			change = fmt.Sprintf("if mutant(%d) { %s }; %s", k, m.new, m.old)
		}
		check(os.WriteFile(path, slices.Concat(text[:m.from], []byte(change), text[m.to:]), 0o666))
	}
	check(os.WriteFile(filepath.Join(dir, "mutant.go"), []byte(support), 0o666))
}

// reach runs each test of a package alone, and notes which mutants it reaches.
func reach(copied, dir string, mutants []mutant) {
	path := filepath.Join(copied, dir)
	out, err := command(path, "./mutate.test", "-test.list", "^(Test|Fuzz|Example)").Output()
	check(err)
	names, failed := strings.Fields(string(out)), 0
	for _, name := range names {
		file := filepath.Join(copied, "reached")
		os.Remove(file)
		cmd := command(path, "./mutate.test", "-test.short", "-test.timeout=60s", "-test.run=^"+name+"$")
		cmd.Env = append(os.Environ(), "MUTANTS_REACHED="+file)
		start := time.Now()
		if cmd.Run() != nil {
			failed++
			continue
		}
		text, _ := os.ReadFile(file)
		for _, line := range slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(text))))) {
			k, err := strconv.Atoi(line)
			check(err)
			if m := &mutants[k]; time.Since(start) < time.Second {
				m.short = append(m.short, test{dir, name})
			} else {
				m.long = append(m.long, test{dir, name})
			}
		}
	}
	log.Printf("%s: %d tests, %d of them left out", dir, len(names), failed)
}

// try runs the tests that reach a mutant until one fails. It returns "" if one
// does, and else how many have passed.
func try(copied string, k int, m *mutant) string {
	for _, tests := range [][]test{m.short, m.long} {
		for _, dir := range dirs {
			var names []string
			for _, t := range tests {
				if t.dir == dir {
					names = append(names, t.name)
				}
			}
			if len(names) == 0 {
				continue
			}
			cmd := command(filepath.Join(copied, dir), "sh", "-c", `ulimit -v 16000000; exec ./mutate.test -test.short -test.failfast -test.timeout=60s "-test.run=$0"`,
				"^("+strings.Join(names, "|")+")$")
			cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(k))
			if cmd.Run() != nil {
				return ""
			}
		}
	}
	return fmt.Sprintf("%d tests pass", len(m.short)+len(m.long))
}
