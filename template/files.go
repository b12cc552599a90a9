package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"

	"example.com/svc"
)

// ImportTodos is the input of Import: a table with the title of a todo in the first
// column, and a description in the second.
type ImportTodos struct {
	Table svc.Body `contentType:"text/csv" maxBytes:"1048576" doc:"A title and, if you like, a description in each line."`
}

// Imported is the output of Import.
type Imported struct {
	Imported int `json:"imported"` // the number of todos
}

// TodoTable is the output of Export.
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
			return nil, err // of the Body: too large, too slow or cut
		}
		if len(line) > 2 || len(line[0]) == 0 || len(line[0]) > 200 {
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d has no title of at most 200 bytes, or more than a title and a description", len(lines)+1)
		}
		lines = append(lines, append(line, "")[:2])
	}
	for _, line := range lines {
		t.store.add(line[0], line[1])
	}
	return &Imported{len(lines)}, nil
}

// Export returns all todos as a table. A browser saves it as todos.csv, and a model gets
// it as text.
func (t *todos) Export(ctx context.Context) (*TodoTable, error) {
	var text bytes.Buffer
	table := csv.NewWriter(&text)
	for _, todo := range t.store.after("", 1_000_000) {
		table.Write([]string{todo.Title, todo.Description, strconv.FormatBool(todo.Completed)})
	}
	table.Flush()
	return &TodoTable{svc.File{Name: "todos.csv", Content: bytes.NewReader(text.Bytes())}}, nil
}
