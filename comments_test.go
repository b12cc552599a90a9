package svc

// This file tests what is read of source, and the forms of a comment.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// Verify the Markdown and the text of comments, and what of them is about deprecation.
func TestFormatComment(t *testing.T) {
	in := &sourcePackage{types: map[string]*sourceType{"Todo": {}}}
	for _, test := range []struct{ name, text, markdown, plain, end string }{
		{"empty", "", "", "", ""},
		{"a sentence", "Add a todo.", "Add a todo.", "Add a todo.", ""},
		{"two lines", "Add a\ntodo.", "Add a todo.", "Add a todo.", ""},
		{"two paragraphs", "One.\n\nTwo.", "One.\n\nTwo.", "One.\n\nTwo.", ""},
		{"a list", "Of:\n  - one\n  - two", "Of:\n\n  - one\n  - two", "Of:\n  - one\n  - two", ""},
		{"a list with numbers", "Of:\n 1. one\n 2. two", "Of:\n\n 1. one\n 2. two", "Of:\n 1. one\n 2. two", ""},
		{"code", "Such as\n\n\tif x {\n\t\ty()\n\t}", "Such as\n\n\tif x {\n\t\ty()\n\t}", "Such as\n\n    if x {\n    \ty()\n    }", ""},
		{"code with fences", "Such as\n\n\t````\n\tx", "Such as\n\n\t````\n\tx", "Such as\n\n    ````\n    x", ""},
		{"a heading", "One.\n\n# More\n\nTwo.", "One.\n\n#### More\n\nTwo.", "One.\n\n# More\n\nTwo.", ""},
		{"a link", "See [the RFC].\n\n[the RFC]: https://rfc.example/7396", "See [the RFC](https://rfc.example/7396).", "See the RFC.\n\n[the RFC]: https://rfc.example/7396", ""},
		{"a URL", "See https://rfc.example/a_b for more.", "See [https://rfc.example/a\\_b](https://rfc.example/a_b) for more.", "See https://rfc.example/a_b for more.", ""},
		{"a type", "A [Todo], a [Todo.Title] and a [Note].", "A Todo, a Todo.Title and a \\[Note].", "A Todo, a Todo.Title and a [Note].", ""},
		{"a link to a script", "[x]\n\n[x]: javascript:alert(1)", "\\[x]\n\n\\[x]: javascript:alert(1)", "[x]\n\n[x]: javascript:alert(1)", ""},
		{"Markdown", "*a* _b_ `c` [d](e) ~~f~~ mark_done &lt;", "\\*a\\* \\_b\\_ \\`c\\` \\[d](e) ~~f~~ mark\\_done &lt;", "*a* _b_ `c` [d](e) ~~f~~ mark_done &lt;", ""},
		{"HTML", "<b>x</b></script>", "\\<b>x\\</b>\\</script>", "<b>x</b></script>", ""},
		{"a table", "| a | b |\n|---|---|\n| c | d |", "| a | b | |---|---| | c | d |", "| a | b | |---|---| | c | d |", ""},
		{"a heading of Markdown", "## x", `\## x`, "## x", ""},
		{"a quote", "> x", "> x", "> x", ""},
		{"a rule", "---", `\---`, "---", ""},
		{"a fence", "~~~\nx", "~~~ x", "~~~ x", ""},
		{"a number", "2026. A year.", `2026\. A year.`, "2026. A year.", ""},
		{"deprecated", "Add one.\n\nDeprecated: use [Todo]\ninstead.\n\nMore.", "Add one.\n\nMore.", "Add one.\n\nMore.", "use Todo instead."},
		{"nothing but deprecated", "Deprecated: no.", "", "", "no."},
		{"deprecated in a sentence", "It is not Deprecated: no.", "It is not Deprecated: no.", "It is not Deprecated: no.", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := formatComment(test.text, in)
			if want := (prose{test.markdown, test.plain}); got.about != want {
				t.Errorf("%q:\n got %q\nwant %q", test.text, got.about, want)
			}
			if got.end.text != test.end || got.deprecated != (test.end != "") {
				t.Errorf("%q: the end %q, deprecated %t, want %q", test.text, got.end.text, got.deprecated, test.end)
			}
		})
	}
}

// Verify the first sentence of descriptions.
func TestFirstSentence(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"Add a todo.", "Add a todo"},
		{"Add a todo", "Add a todo"},
		{"Add a todo. It is new.", "Add a todo"},
		{"Add a\r\ntodo.\r\nIt is new.", "Add a todo"},
		{"Add a todo\n\nIt is new.", "Add a todo"},
		{"Is it there? No.", "Is it there?"},
		{"Add e.g. Milk. More.", "Add e.g. Milk"},
		{"Add approx. five. More.", "Add approx. five"},
		{"Read the notes of J. Smith. More.", "Read the notes of J. Smith"},
		{"Use version 1.2 of it. More.", "Use version 1.2 of it"},
		{"一つ追加する。二つ。", "一つ追加する"},
		{strings.Repeat("word ", 100), strings.TrimSpace(strings.Repeat("word ", 23)) + "…"},
		{strings.Repeat("ä", 50_000), strings.Repeat("ä", maxSentence) + "…"},
	} {
		t.Run(rowName(test.text), func(t *testing.T) {
			if got := firstSentence(test.text); got != test.want {
				t.Errorf("firstSentence(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

// Verify which comments of a file belong to what.
func TestReadComments(t *testing.T) {
	const file = `// Package app is not shown.
package app

import (
	"example.com/app/base"
	other "example.com/app/more"
)

// About the API.
//
//go:generate nothing
type API interface {
	// About Create.
	Create() // Behind it.

	base.Reader
	other.Writer
	Own
	Delete() //nolint:all
	//nolint
	List()
	/* About
	   Get. */
	Get()
}

type (
	// About Own.
	Own interface{ Keep() }

	/*About Pair.*/ Pair[K comparable, V any] struct {
		// Above.
		Key, Also K // Behind.
		Value     *struct {
			Name string // Inside.
			In   []struct {
				Deep int // Deepest.
			}
		}
		*Base // Embedded.
		Opt Optional[struct {
			X int // In the Optional.
		}]
	}
)

// About Renamed.
type Renamed Pair[int, int]

type Color string // About Color.

const (
	Red, Green Color = "red", "green" // Two.
	// About blue.
	Blue = Color("blue")
	None = "none" // of no type
)

type Level uint8

const (
	_    Level = iota // not counted
	Low               // Can wait.
	High              // Cannot.
	_
	Top Level = 1<<iota + 'a' // At the top.
)
`
	files := fstest.MapFS{
		"app.go":                  {Data: []byte(file)},
		"base/base.go":            {Data: []byte("package base\ntype Reader interface {\n// About Read.\nRead()\n}")},
		"more/x.go":               {Data: []byte("package different\ntype Writer interface {\n// About Write.\nWrite()\n}")},
		"app_test.go":             {Data: []byte("package app\n// Of a test.\ntype Tested struct{}")},
		"testdata/broken.go":      {Data: []byte("package")},
		"vendor/x/broken.go":      {Data: []byte("package")},
		"_hidden/broken.go":       {Data: []byte("package")},
		".hidden/broken.go":       {Data: []byte("package")},
		"_broken.go":              {Data: []byte("package")},
		"app_windows.go":          {Data: []byte("//go:build windows\n\npackage app\n\n// Of Windows.\ntype Color string\n\n// Also there.\ntype OnWindows int")},
		"notes.txt":               {Data: []byte("package")},
		"sub/app.go":              {Data: []byte("package app\n\n// Of another folder.\ntype Other int")},
		"sub/documentation/d.go":  {Data: []byte("package app_other\n")},
		"sub/documentation/d2.go": {Data: []byte("package app\n\ntype Deep int\n")},
	}
	for _, ending := range []struct{ name, text string }{{"LF", "\n"}, {"CRLF", "\r\n"}} {
		t.Run(ending.name, func(t *testing.T) {
			source := make(fstest.MapFS)
			for name, f := range files {
				source[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(f.Data), "\n", ending.text))}
			}
			c := ReadComments(source)
			if len(c.mistakes) > 0 {
				t.Fatalf("mistakes: %v", c.mistakes)
			}
			var got []string
			for _, p := range c.packages {
				for _, name := range sortedNames(p.types) {
					s := p.types[name]
					got = append(got, fmt.Sprintf("%s %s.%s: %q", s.place, p.name, name, s.text))
					got = appendMembers(got, "", s.members)
					for _, value := range sortedNames(p.values[name]) {
						got = append(got, fmt.Sprintf("  = %s: %q", value, p.values[name][value]))
					}
				}
			}
			golden(t, "comments/read.txt", []byte(strings.Join(got, "\n")+"\n"))
			var methods []string
			c.addMethods(c.packages[0].types["API"], make(map[*sourceType]bool), func(m sourceMember, _ *sourcePackage) { methods = append(methods, m.name) })
			if want := []string{"Create", "Read", "Write", "Keep", "Delete", "List", "Get"}; !slices.Equal(methods, want) {
				t.Errorf("the methods %v, want %v", methods, want)
			}
		})
	}
}

func appendMembers(dst []string, prefix string, list []sourceMember) []string {
	for _, m := range list {
		if m.embedded != nil {
			dst = append(dst, fmt.Sprintf("  embeds %s.%s", m.embedded.path, m.embedded.name))
			continue
		}
		dst = append(dst, fmt.Sprintf("  %s: %q", prefix+m.name, m.text))
		dst = appendMembers(dst, prefix+m.name+".", m.members)
	}
	return dst
}

func sortedNames[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Verify that comments of all kinds are formatted, and that the first sentence of each is short
// and without line ends.
func FuzzFormatComment(f *testing.F) {
	for _, text := range []string{"One. Two.", "A list:\n - a\n - b", "\tcode", "# H\n\nx", "Deprecated: x", "[a]: https://b.example\n[a]", "https://a.example/<b>", "```\n"} {
		f.Add(text)
	}
	in := &sourcePackage{}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r", "") // as Go's scanner gives it
		c := formatComment(text, in)
		if p := c.whole(); strings.Contains(p.text, "\r\n") || p.text == "" && p.markdown != "" {
			t.Errorf("%q is %q", text, p)
		}
		title := firstSentence(c.about.text)
		if strings.ContainsAny(title, "\n") || utf8.RuneCountInString(title) > maxSentence+1 {
			t.Errorf("%q has the first sentence %q", text, title)
		}
	})
}

// Verify that constants are evaluated as Go does.
func TestConstantText(t *testing.T) {
	c := ReadComments(fstest.MapFS{"x.go": {Data: []byte("package p\nconst (\n" +
		"a T = -(1 + 2*3 - 4) // a\nb T = 1 << 3 // b\nc T = T(0x10) // c\nd T = 'ä' // d\ne T = `x` // e\nf T = a // f\ng T = 1 << 70 // g\nh T = 1.5 // h\ni = 5 // i\n)")}})
	got := c.packages[0].values
	want := map[string]map[string]string{"T": {"-3": "a", "8": "b", "16": "c", "228": "d", `"x"`: "e"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
