package blackbox_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file keeps the table of doc/compatibility.md that says which files may be left out of a copy
// of the package.

// A spareRoom is a row of the table.
type spareRoom struct {
	name     string
	patterns []string // of files
	lines    int      // about
	with     []string // the names of other rooms that need this one
	gone     []string // exported names, as in Service.MCP
}

// TestSpareRooms checks the types of the package without each room and what goes with it, and without
// all rooms.
func TestSpareRooms(t *testing.T) {
	fset := token.NewFileSet()
	files := readSources(t, fset)
	name := func(f *ast.File) string { return filepath.Base(fset.Position(f.FileStart).Filename) }
	rooms := readSpareRooms(t)
	checkWithout := func(t *testing.T, out []spareRoom) {
		kept := slices.DeleteFunc(slices.Clone(files), func(f *ast.File) bool {
			return slices.ContainsFunc(out, func(r spareRoom) bool { return r.has(name(f)) })
		})
		checking.Lock()
		defer checking.Unlock()
		conf := types.Config{Importer: standardLibrary(t), Error: func(err error) { t.Error(err) }}
		conf.Check("svc", fset, kept, nil)
	}
	for _, room := range rooms {
		t.Run(room.name, func(t *testing.T) {
			checkWithout(t, append(findRooms(t, rooms, room.with), room))
			lines := 0
			var declared []string
			for _, f := range files {
				if room.has(name(f)) {
					lines += fset.Position(f.FileEnd).Line
					declared = append(declared, declaredIn(f)...)
				}
			}
			if !isAbout(lines, room.lines) {
				t.Errorf("%d lines, and the page says about %d", lines, room.lines)
			}
			for _, want := range room.gone {
				if !slices.Contains(declared, want) {
					t.Errorf("%s is not declared in these files", want)
				}
			}
		})
	}
	t.Run("all", func(t *testing.T) {
		checkWithout(t, rooms)
		var kept, all int
		for _, f := range files {
			lines := fset.Position(f.FileEnd).Line
			if all += lines; !slices.ContainsFunc(rooms, func(r spareRoom) bool { return r.has(name(f)) }) {
				kept += lines
			}
		}
		number := func(digits string) int { n, _ := strconv.Atoi(strings.ReplaceAll(digits, ",", "")); return n }
		said := regexp.MustCompile(`leave about ([0-9,]+) lines of ([0-9,]+)\.`).FindStringSubmatch(readDocument(t, "doc/compatibility.md").text)
		if said == nil || !isAbout(kept, number(said[1])) || !isAbout(all, number(said[2])) {
			t.Errorf("%d lines of %d are left, and the page says %q", kept, all, said)
		}
	})
}

// isAbout reports whether n is near what a page says: within a tenth, or 50.
func isAbout(n, said int) bool { return n*10 >= said*9-500 && n*10 <= said*11+500 }

// has reports whether a file belongs to the room.
func (r spareRoom) has(file string) bool {
	return slices.ContainsFunc(r.patterns, func(p string) bool { ok, _ := filepath.Match(p, file); return ok })
}

// readSpareRooms reads the table:
//
//	| page | `docs*.go` `docs.html` | 1,200 | TypeScript | `Service.Docs`, with … |
func readSpareRooms(t *testing.T) (rooms []spareRoom) {
	t.Helper()
	_, text, _ := strings.Cut(readDocument(t, "doc/compatibility.md").text, "\n## Leave parts out\n")
	text, _, _ = strings.Cut(text, "\n## ")
	quoted := regexp.MustCompile("`[^`]+`")
	inQuotes := func(cell string) (texts []string) {
		for _, q := range quoted.FindAllString(cell, -1) {
			texts = append(texts, strings.Trim(q, "`"))
		}
		return texts
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.Contains(line, "--:") || strings.Contains(line, "delete with it") {
			continue
		}
		lines, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(cells[3]), ",", ""))
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		room := spareRoom{strings.TrimSpace(cells[1]), inQuotes(cells[2]), lines, nil, inQuotes(cells[5])}
		if with := strings.TrimSpace(cells[4]); with != "" {
			room.with = strings.Split(with, ", ")
		}
		rooms = append(rooms, room)
	}
	if len(rooms) < 10 {
		t.Fatalf("the table has %d rows", len(rooms))
	}
	return rooms
}

// findRooms returns the rooms with these names, and those that go with them.
func findRooms(t *testing.T, rooms []spareRoom, names []string) (found []spareRoom) {
	t.Helper()
	for _, name := range names {
		i := slices.IndexFunc(rooms, func(r spareRoom) bool { return r.name == name })
		if i < 0 {
			t.Fatalf("there is no row %s", name)
		}
		found = append(append(found, rooms[i]), findRooms(t, rooms, rooms[i].with)...)
	}
	return found
}

// declaredIn returns the exported names that a file declares, a method with its receiver: Service.MCP.
func declaredIn(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				receiver := strings.TrimLeft(types.ExprString(d.Recv.List[0].Type), "*")
				receiver, _, _ = strings.Cut(receiver, "[")
				name = receiver + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	return names
}
