package svc

// This file gives types their names in documents.

import (
	"reflect"
	"strconv"
	"strings"
)

// nameTypes gives every named type the name it has in documents: its Go name
// with the names of its type arguments. The second type of a name gets its
// package's name in front, and a number if that is taken too. Names that differ
// only by case count as one, since they are one file to many generators.
func nameTypes(named []*shape) map[*shape]string {
	names := make(map[*shape]string)
	byType := make(map[reflect.Type]string) // two services may both have made a shape of a type
	taken := make(map[string]bool)
	take := func(name string) bool {
		fold := strings.ToLower(name)
		free := !taken[fold]
		taken[fold] = true
		return free
	}
	for _, s := range named {
		name, known := byType[s.typ]
		if !known {
			name = documentName(s.typ.Name())
			if !take(name) {
				pkg := s.typ.PkgPath()
				name = capitalized(documentName(pkg[strings.LastIndexByte(pkg, '/')+1:])) + name
				for base, i := name, 1; !take(name); {
					i++
					name = base + strconv.Itoa(i)
				}
			}
			byType[s.typ] = name
		}
		names[s] = name
	}
	return names
}

// documentName turns a Go type name into one that OpenAPI allows
// (^[A-Za-z0-9._-]+$; we use letters and digits): Page[app.Todo] to PageTodo.
func documentName(goName string) string {
	name, args, generic := strings.Cut(goName, "[")
	out := onlyNameBytes(name)
	if generic {
		for _, arg := range strings.FieldsFunc(args, func(r rune) bool { return strings.ContainsRune("[],* ", r) }) {
			arg = arg[strings.LastIndexByte(arg, '/')+1:]
			arg = arg[strings.LastIndexByte(arg, '.')+1:]
			out += capitalized(onlyNameBytes(arg))
		}
	}
	if out == "" {
		return "Type"
	}
	return out
}

func onlyNameBytes(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (isDigit(byte(r)) || 'a' <= r|0x20 && r|0x20 <= 'z' || r == '_') {
			return r
		}
		return -1
	}, s)
}

func capitalized(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
