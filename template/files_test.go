package main

import (
	"strings"
	"testing"
)

// Verify that a table that was imported is exported, and that a wrong one adds nothing.
func TestImportExport(t *testing.T) {
	title := strings.Repeat("é", 200)
	h := newService(newStore(), nil, nil, nil).REST()
	for _, test := range []struct {
		contentType, table string
		status             int
		want               string // a part of the response
	}{
		{"text/csv", "Buy milk,Two bottles\n\"Say \"\"hi\"\"\"\n", 200, `{"imported":2}`},
		{"text/csv; charset=utf-8", "", 200, `{"imported":0}`},
		{"text/csv", "a\n\"b", 400, "line 2 is not a line of CSV"},
		{"text/csv", "a\n,b", 400, "line 2 is not"},
		{"text/csv", "a,b,c", 400, "line 1 is not"},
		{"text/csv", title, 200, `{"imported":1}`},
		{"text/csv", title + "é", 400, "line 1 is not"},
		{"text/csv", "a," + strings.Repeat("é", 2001), 400, "line 1 is not"},
		{"text/csv", "a\xff", 400, "line 1 is not"},
		{"text/csv", strings.Repeat("x\n", 1<<19) + "x", 413, "1048576 bytes"},
		{"application/json", `{"table":"a"}`, 415, "text/csv"},
	} {
		if w := do(h, "POST", "/todos/import", test.table, "Content-Type", test.contentType); w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%.40q: %d %s, want %d with %s", test.table, w.Code, w.Body, test.status, test.want)
		}
	}
	want := "Buy milk,Two bottles,false\n\"Say \"\"hi\"\"\",,false\n" + title + ",,false\n"
	if w := do(h, "GET", "/todos/export", ""); w.Code != 200 || w.Body.String() != want {
		t.Errorf("the export is %d %q", w.Code, w.Body)
	}
}
