package bookmarks

import "example.com/svc"

// Table is the input of Import: a line for each bookmark, with its address, title, note
// and tags, of which the last two may be left out. Tags have spaces between them.
type Table struct {
	Table svc.Body `contentType:"text/csv" maxBytes:"104857600" doc:"Lines of CSV with address, title, note and tags."`
}

// Imported is the output of Import.
type Imported struct {
	Added int `json:"added"`
	Known int `json:"known" doc:"How many addresses were there already."`
}

// Exported is the output of Export, in the form that Import reads.
type Exported struct {
	svc.File `contentType:"text/csv"`
}
