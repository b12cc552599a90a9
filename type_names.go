package svc

// This file gives the types of a service their names in documents.

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A typeName is the name of a Go type while nameTypes works on it. Documents derive more names from
// it: for an alternative with a suffix such as Card, for a part with the suffix Body.
type typeName struct {
	typ      reflect.Type
	name     string
	suffixes []string // of the derived names; "" for the name itself
	level    int      // how many elements of package paths are in name
	fixed    bool     // the name is from SchemaName
}

// nameTypes gives every type the name it has in documents: what its method SchemaName returns, or
// its Go name with the names of its type arguments. A struct without a name in Go that contains
// itself is called Type. If types share a name, the last element of the package path is put before
// each name in it, and then more of the path. All of them change, so adding a type never makes an
// old name mean the new type. A name also counts as shared if svc has it, or if it is made from a
// type's name and a suffix: of these two, the one without a suffix changes. Types that still share
// a name get a number. If a type is both strict and not strict, the strict one gets the suffix
// Strict. Names that differ only by case count as one, since many generators write both to the same
// file. For example:
//
//	app.Todo                                   Todo
//	app.Todo and shop.Todo                     AppTodo and ShopTodo
//	app.Page[app.Todo]                         PageTodo
//	app.Page[app.Todo] and app.Page[shop.Todo] AppPageAppTodo and AppPageShopTodo
//	app.Error                                  AppError, since svc has an Error
func nameTypes(p *mistakes, named []*shape, parts map[reflect.Type][]string) map[*shape]string {
	byType, isOpen := make(map[reflect.Type]*typeName), make(map[[2]any]bool) // two services may each have a shape of the same type
	var all []*typeName
	for _, s := range named {
		n := byType[s.typ]
		if n == nil {
			n = p.newTypeName(s.typ)
			all = append(all, n)
			byType[n.typ] = n
		}
		if own := onlyNameBytes(s.suffix); !slices.Contains(n.suffixes, own) {
			n.suffixes = append(n.suffixes, own)
			for _, part := range parts[s.typ] {
				n.suffixes = append(n.suffixes, own+part)
			}
		}
		isOpen[[2]any{s.typ, s.suffix}] = isOpen[[2]any{s.typ, s.suffix}] || !s.strict
	}
	for p.qualifyNames(all) {
	}
	taken, numbers := make(map[string]bool), make(map[string]int) // the last one behind each name
	take := func(name string) string {
		free, fold := name, strings.ToLower(name)
		for i := max(numbers[fold], 1) + 1; taken[strings.ToLower(free)] || isOwnName(strings.ToLower(free)); i++ {
			free, numbers[fold] = name+strconv.Itoa(i), i
		}
		taken[strings.ToLower(free)] = true
		return free
	}
	type variant struct {
		typ    reflect.Type
		suffix string
		closed bool // of a type that is open too
	}
	names, chosen := make(map[*shape]string), make(map[variant]string)
	for _, s := range named {
		v := variant{s.typ, s.suffix, false}
		if chosen[v] == "" {
			chosen[v] = take(byType[s.typ].name + onlyNameBytes(s.suffix))
		}
		names[s] = chosen[v]
	}
	for _, s := range named {
		if v := (variant{s.typ, s.suffix, true}); s.strict && isOpen[[2]any{s.typ, s.suffix}] {
			if chosen[v] == "" {
				chosen[v] = take(names[s] + "Strict")
			}
			names[s] = chosen[v]
		}
	}
	return names
}

// newTypeName returns the short name of t.
func (p *mistakes) newTypeName(t reflect.Type) (n *typeName) {
	n = &typeName{typ: t, name: documentName(t.Name(), 0)}
	v, ok := reflect.New(t).Interface().(interface{ SchemaName() string })
	if !ok || !declaresMethod(t, "SchemaName") {
		return n
	}
	defer func() {
		if r := recover(); r != nil {
			p.addf("%v.SchemaName panics on the zero value: %v", t, r)
		}
	}()
	n.fixed, n.name = true, v.SchemaName()
	isBad := func(r rune) bool { return !isNameRune(r) && !strings.ContainsRune(".-", r) }
	p.addIf(n.name == "" || strings.ContainsFunc(n.name, isBad),
		"%v.SchemaName returns %q; want letters, digits, dots, dashes and underscores", t, n.name)
	return n
}

// qualifyNames puts one more element of the package paths into each name that several types share,
// and reports whether it changed a name.
func (p *mistakes) qualifyNames(all []*typeName) (changed bool) {
	owners := make(map[string][]*typeName) // by the names that are made of theirs
	for _, n := range all {
		for _, suffix := range n.suffixes {
			fold := strings.ToLower(n.name + suffix)
			owners[fold] = append(owners[fold], n)
		}
	}
	var shared []*typeName
	for _, n := range all {
		rivals := func(suffix string) bool {
			fold := strings.ToLower(n.name + suffix)
			return isOwnName(fold) || slices.ContainsFunc(owners[fold], func(o *typeName) bool {
				isMade := strings.ToLower(o.name) != fold
				// a longer name tells the two apart
				tells := n.fixed && o.fixed || o.typ.PkgPath() != n.typ.PkgPath() || strings.Contains(n.typ.Name(), "[")
				return o != n && (isMade || suffix == "" && tells)
			})
		}
		if slices.ContainsFunc(n.suffixes, rivals) {
			shared = append(shared, n)
		}
	}
	for _, n := range shared {
		if n.fixed {
			i := slices.IndexFunc(shared, func(o *typeName) bool { return o.fixed && o != n && strings.EqualFold(o.name, n.name) })
			if i >= 0 {
				p.addf("%v.SchemaName and %v.SchemaName return the same name; change one of them",
					shared[min(i, slices.Index(shared, n))].typ, shared[max(i, slices.Index(shared, n))].typ)
			}
			continue
		}
		was := n.name
		n.level++
		n.name = packageName(n.typ.PkgPath(), n.level) + capitalized(documentName(n.typ.Name(), n.level))
		changed = changed || n.name != was
	}
	return changed
}

// isOwnName reports whether svc itself has a schema with this name, given in lower case.
func isOwnName(fold string) bool {
	return slices.Contains([]string{"errorbody", "errorobject", "errordetails", "problem", "violation"}, fold)
}

// packageName returns the last elements of a package path as a part of a name: MyShop for
// one element of example.com/my-shop.
func packageName(path string, elements int) string {
	all := strings.Split(path, "/")
	last := strings.Join(all[max(0, len(all)-elements):], "/")
	out := ""
	for _, word := range strings.FieldsFunc(last, func(r rune) bool { return !isNameRune(r) || r == '_' }) {
		out += capitalized(word)
	}
	return out
}

// documentName turns a Go type name into a name that OpenAPI allows (^[A-Za-z0-9._-]+$; we use
// letters and digits): Page[app.Todo] to PageTodo. With a depth of 1 it is PageAppTodo, and
// Page[*app.Todo] becomes PagePointerAppTodo.
func documentName(goName string, depth int) string {
	name, args, _ := strings.Cut(goName, "[")
	out := onlyNameBytes(name)
	if depth > 0 {
		args = strings.NewReplacer("*", " Pointer ", "[]", " List ", "map[", " Map ").Replace(args)
	}
	for _, arg := range strings.FieldsFunc(args, func(r rune) bool { return strings.ContainsRune("[],* ", r) }) {
		dot := strings.LastIndexByte(arg, '.')
		out += packageName(arg[:max(dot, 0)], depth) + capitalized(onlyNameBytes(arg[dot+1:]))
	}
	return cmp.Or(out, "Type")
}

// isNameRune reports whether r is an ASCII letter, a digit or an underscore.
func isNameRune(r rune) bool { return isAlphanumeric(r) || r == '_' }

// onlyNameBytes returns the ASCII letters, digits and underscores of s.
func onlyNameBytes(s string) string {
	return strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return -1
	}, s)
}
