package blackbox_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rowName returns a name for the row of a table, from what tells it from the other rows:
//
//	rowName("GET", "/todos/7", 200)   GET .todos.7 200
//	rowName("")                       empty
//	rowName(" ")                      blank
//	rowName("a\r\n\xff")              a\r\n\xff
//
// A slash is a dot, which -run takes for any character: there a slash would end the name.
// Line ends and invalid UTF-8 are escaped, since go test would write _ for each kind of space.
// A long text loses its middle: its end often differs where its beginning does not.
func rowName(parts ...any) string {
	if fmt.Sprint(parts...) == "" {
		return "empty"
	}
	name := strings.Trim(strings.TrimSuffix(fmt.Sprintln(parts...), "\n"), " ")
	if name == "" {
		return "blank"
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || r != ' ' && unicode.IsSpace(r) }) {
		quoted := strconv.Quote(name)
		name = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	}
	const most, head, tail = 60, 36, 23
	runes := []rune(strings.ReplaceAll(name, "/", "."))
	if len(runes) > most {
		return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
	}
	return string(runes)
}
