package svc

import (
	"fmt"
	"strings"
)

// rowName returns a name for the row of a table, from what tells it from the other rows:
//
//	rowName("GET", "/todos/7", 200)   GET .todos.7 200
//
// A slash is a dot, which -run takes for any character: there a slash would end the name.
// A long text is cut.
func rowName(parts ...any) string {
	const most = 60
	name := strings.ReplaceAll(strings.TrimSpace(fmt.Sprintln(parts...)), "/", ".")
	return name[:min(len(name), most)]
}
