package blackbox_test

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file keeps the exported names of svc in testdata/api, as the folder api of Go keeps
// those of the standard library: now.txt has what the sources declare, and released.txt what
// they declared at the last release. Until there is one, that is the commit from which
// CHANGELOG.md tells. At a release, copy now.txt to released.txt.

// Verify that now.txt has each exported name with its type, so that a review sees each change,
// and that CHANGELOG.md names what was added, changed or removed since the last release.
func TestAPI(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	h, err := inspect(fset, readSources(t, fset), standardLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	now := listAPI(h.pkg)
	golden(t, "api/now.txt", []byte(strings.Join(now, "\n")+"\n"))
	released, err := readText("testdata/api/released.txt")
	if err != nil {
		t.Fatal(err)
	}
	changelog, err := readText(root("CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range untoldChanges(strings.Split(strings.TrimSpace(string(released)), "\n"), now, string(changelog)) {
		t.Errorf("CHANGELOG.md does not name a change of the exported names:\n%s", change)
	}
}

// untoldChanges returns the lines of one of both lists alone whose name changelog does not have. A
// type says it for its fields and methods that are new with it, and what it has lost with it.
func untoldChanges(released, now []string, changelog string) (untold []string) {
	for _, both := range []struct {
		sign string
		from []string
		to   []string
	}{{"-", released, now}, {"+", now, released}} {
		var whole []string // types that are in from alone, and told
		for _, line := range both.from {
			owner, name := nameOf(line)
			if slices.Contains(both.to, line) || slices.Contains(whole, owner) {
				continue
			}
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(changelog) {
				untold = append(untold, both.sign+" "+line)
			} else if owner == "" && !slices.ContainsFunc(both.to, func(line string) bool { return strings.HasPrefix(line, "type "+name+" ") }) {
				whole = append(whole, name)
			}
		}
	}
	return untold
}

// partPattern is a line of the list: a part of a type, a method, or a name of its own.
var partPattern = regexp.MustCompile(`^(?:type (\w+)(?:\[.*?\])? (?:struct|interface), |method \(\*?(\w+)(?:\[.*?\])?\) |\w+ )(\w+)`)

// nameOf returns the name that a line of the list is about, and the type of which it is a part.
func nameOf(line string) (owner, name string) {
	m := partPattern.FindStringSubmatch(line)
	return m[1] + m[2], m[3]
}

// listAPI returns a line for each exported name of a package: for a constant with its value,
// for a function with its types, and for a struct or an interface one for each part more. The lines
// of a type are together, and the first is that of the type itself.
func listAPI(pkg *types.Package) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	short := func(t types.Type) string {
		return types.TypeString(unnamed(t), func(p *types.Package) string {
			if p == pkg {
				return ""
			}
			return p.Path()
		})
	}
	for _, name := range pkg.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			add("const %s %s = %s", name, short(obj.Type()), obj.Val().ExactString())
		case *types.Var:
			add("var %s %s", name, short(obj.Type()))
		case *types.Func:
			add("func %s%s", name, strings.TrimPrefix(short(obj.Type()), "func"))
		case *types.TypeName:
			full := short(obj.Type()) // with the parameters of a generic type
			switch under := obj.Type().Underlying().(type) {
			case *types.Struct:
				add("type %s struct", full)
				for i := range under.NumFields() {
					if f := under.Field(i); f.Exported() {
						add("type %s struct, %s %s", full, f.Name(), short(f.Type()))
					}
				}
			case *types.Interface:
				add("type %s interface", full)
				for i := range under.NumMethods() {
					m := under.Method(i)
					add("type %s interface, %s%s", full, m.Name(), strings.TrimPrefix(short(m.Type()), "func"))
				}
				continue
			default:
				add("type %s %s", full, short(under))
			}
			value, pointer := types.NewMethodSet(obj.Type()), types.NewMethodSet(types.NewPointer(obj.Type()))
			for i := range pointer.Len() {
				m := pointer.At(i).Obj().(*types.Func)
				if !m.Exported() || m.Pkg() != pkg {
					continue
				}
				receiver := "*" + full
				if value.Lookup(pkg, m.Name()) != nil {
					receiver = full
				}
				add("method (%s) %s%s", receiver, m.Name(), strings.TrimPrefix(short(m.Type()), "func"))
			}
		}
	}
	return lines
}

// unnamed returns t without the names of parameters and results, which no caller writes.
func unnamed(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Pointer:
		return types.NewPointer(unnamed(t.Elem()))
	case *types.Slice:
		return types.NewSlice(unnamed(t.Elem()))
	case *types.Map:
		return types.NewMap(t.Key(), unnamed(t.Elem()))
	case *types.Signature:
		var params []*types.TypeParam
		for p := range t.TypeParams().TypeParams() {
			params = append(params, types.NewTypeParam(p.Obj(), p.Constraint()))
		}
		return types.NewSignatureType(nil, nil, params, unnamedTuple(t.Params()), unnamedTuple(t.Results()), t.Variadic())
	}
	return t
}

func unnamedTuple(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewVar(token.NoPos, nil, "", unnamed(v.Type())))
	}
	return types.NewTuple(vars...)
}

// Verify that a change that CHANGELOG.md does not name is found.
func TestUntoldChanges(t *testing.T) {
	released := []string{"const Max untyped int = 1", "func Handle(int)", "type Options struct", "type Options struct, Old int", "type Gone struct", "type Gone struct, Part int"}
	for _, test := range []struct {
		name, changelog string
		now             []string
		want            string
	}{
		{"nothing", "", released, ""},
		{"a value", "Handle", append([]string{"const Max untyped int = 2"}, released[1:]...), "- const Max untyped int = 1, + const Max untyped int = 2"},
		{"a field that is gone", "Options", append(slices.Clone(released[:3]), released[4:]...), "- type Options struct, Old int"},
		{"a field that is told", "Options.Old", append(slices.Clone(released[:3]), released[4:]...), ""},
		{"a new field", "Options", append(slices.Clone(released), "type Options struct, New int"), "+ type Options struct, New int"},
		{"a new method", "Options, Newer", append(slices.Clone(released), "method (*Options) New() int"), "+ method (*Options) New() int"},
		{"a type that is gone and told", "Gone", released[:4], ""},
		{"a type that is gone", "", released[:4], "- type Gone struct, - type Gone struct, Part int"},
		{"a new type that is told", "a type New", append(slices.Clone(released), "type New[T any] struct", "type New[T any] struct, Part int", "method (New[T]) Do()"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(untoldChanges(released, test.now, test.changelog), ", "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
