package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/svc"
)

// ImportTodos is a table as Export writes one: the title of a todo in the first column, a description
// in the second, and in the third whether it is done.
type ImportTodos struct {
	// A title in each line and, if you like, a description, and true for a todo that is done.
	Table svc.Body `contentType:"text/csv" maxBytes:"1048576"`
}

// Imported says what Import did.
type Imported struct {
	Imported int `json:"imported"` // how many todos were added
}

// A TodoTable is the table in CSV.
type TodoTable struct {
	svc.File `contentType:"text/csv"`
}

// Import adds a todo for each line of a table. It reads the table while it arrives, and
// adds nothing if a line is wrong or the table is cut.
func (t *todos) Import(ctx context.Context, in *ImportTodos) (*Imported, error) {
	table := csv.NewReader(in.Table)
	table.FieldsPerRecord = -1
	var lines [][]string
	for {
		line, err := table.Read()
		if err == io.EOF {
			break
		}
		if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d is not a line of CSV", wrong.Line)
		}
		if err != nil {
			return nil, err // the Body is too large, too slow or cut
		}
		columns := len(line)
		line = append(line, "", "")
		line[0], line[1] = readCell(line[0]), readCell(line[1])
		if columns > 3 || !isText(line[0], 1, 200) || !isText(line[1], 0, 2000) { // as CreateTodo says
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d is not a title of at most 200 characters and a description of at most 2000, in UTF-8", len(lines)+1)
		}
		if done := line[2]; done != "" && done != "true" && done != "false" {
			return nil, svc.Errorf(svc.CodeInvalidArgument, "the third column of line %d must be true, false or empty", len(lines)+1)
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		todo := t.store.add(line[0], line[1])
		if line[2] == "true" {
			t.store.update(todo.ID, func(todo *Todo) error {
				todo.Completed = true
				return nil
			})
		}
	}
	return &Imported{len(lines)}, nil
}

// isText reports whether s is UTF-8 with so many characters.
func isText(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return utf8.ValidString(s) && least <= n && n <= most
}

// writeCell puts a ' before a text that a spreadsheet would run as a formula, since a todo can come from
// anybody (CWE-1236). readCell takes it off again.
func writeCell(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

func readCell(text string) string {
	if isFormula(text) {
		return strings.TrimPrefix(text, "'")
	}
	return text
}

// isFormula reports whether a text is a formula, or one behind quotation marks, which get one more.
func isFormula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0]))
}

// Export returns all todos as a table. A browser saves it as todos.csv, and a model gets
// it as text.
func (t *todos) Export(ctx context.Context) (*TodoTable, error) {
	var text bytes.Buffer
	table := csv.NewWriter(&text)
	for _, todo := range t.store.after("", 1_000_000) {
		table.Write([]string{writeCell(todo.Title), writeCell(todo.Description), strconv.FormatBool(todo.Completed)})
	}
	table.Flush()
	return &TodoTable{svc.File{Name: "todos.csv", Content: bytes.NewReader(text.Bytes())}}, nil
}
