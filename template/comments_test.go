package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// Verify that each comment that is written for clients is in the documents, once in each: those
// above the methods in OpenAPI, OpenRPC, the tools and the Markdown, and those of a type and its
// fields in the schemas of tools. None of another comment is there.
func TestComments(t *testing.T) {
	s := newService(newStore(), nil, nil, nil)
	ask := func(path, body string) string {
		r, w := httptest.NewRequest("POST", path, strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/json")
		if body == "" {
			r = httptest.NewRequest("GET", path, nil)
		}
		newHandler(s, new(metrics)).ServeHTTP(w, r)
		return w.Body.String()
	}
	documents := map[string]string{
		"OpenAPI":  ask("/openapi.json?openapi=3.1", ""),
		"OpenRPC":  ask("/rpc", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`),
		"the page": ask("/", ""),
		"Markdown": ask("/llms.txt", ""),
		"tools":    ask("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
	}
	file, err := parser.ParseFile(token.NewFileSet(), "todo.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	types := make(map[string]*ast.TypeSpec)
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			spec := d.Specs[0].(*ast.TypeSpec)
			spec.Doc = d.Doc
			types[spec.Name.Name] = spec
		}
	}
	check := func(comment string, names ...string) {
		text := strings.Join(strings.Fields(comment), " ")
		for name, document := range documents {
			if n := strings.Count(document, text); slices.Contains(names, name) != (n > 0) && text != "" {
				t.Errorf("%q is %d times in %s", text, n, name)
			}
		}
	}
	check(types["TodoAPI"].Doc.Text(), "OpenAPI", "OpenRPC", "the page", "Markdown")
	for _, m := range types["TodoAPI"].Type.(*ast.InterfaceType).Methods.List {
		names := []string{"OpenAPI", "OpenRPC", "the page", "Markdown", "tools"}
		switch m.Names[0].Name {
		case "Feed", "Watch", "PlanDay": // no tools
			names = slices.DeleteFunc(names, func(name string) bool { return name == "tools" })
		case "Import": // over REST alone, since it takes a file
			names = slices.DeleteFunc(names, func(name string) bool { return name == "tools" || name == "OpenRPC" })
		case "Export":
			names = slices.DeleteFunc(names, func(name string) bool { return name == "OpenRPC" })
		}
		whole := strings.TrimSpace(m.Doc.Text())
		for _, name := range names {
			text := `"` + whole + `"`
			switch {
			case name == "Markdown":
				text = "\n" + whole + "\n"
			case (name == "OpenAPI" || name == "the page") && !strings.Contains(whole, ". "): // the summary says it all
				text = `"` + strings.TrimSuffix(whole, ".") + `"`
			}
			if n := strings.Count(documents[name], text); n != 1 {
				t.Errorf("%s is %d times in %s, want 1", text, n, name)
			}
		}
	}
	all := []string{"OpenAPI", "OpenRPC", "the page", "Markdown", "tools"}
	// A tool has a text of its own, which says more than that of its whole input, and an output
	// has none.
	check(types["Todo"].Doc.Text(), "OpenAPI", "OpenRPC", "the page", "Markdown")
	check(types["CreateTodo"].Doc.Text(), "OpenAPI", "the page", "Markdown")
	check("given by the server", all...)
	check(types["todos"].Doc.Text())
	check("ListTodos says which page.", "Markdown")
	check("Items on a page;", "OpenAPI", "OpenRPC", "the page", "Markdown", "tools")
	for _, m := range s.Descriptor().Resources[0].Methods {
		if m.Description == "" {
			t.Errorf("%s has no description", m.Name)
		}
	}
}
