package main

import (
	"strings"
	"testing"
)

// Verify that a table that was imported is exported, and that a wrong one adds nothing.
func TestImportExport(t *testing.T) {
	title := strings.Repeat("é", 200)
	for _, test := range []struct {
		name               string
		contentType, table string
		status             int
		want               string // a part of the response
		exported           string
	}{
		{"two lines", "text/csv", "Buy milk,Two bottles\n\"Say \"\"hi\"\"\"\n", 200, `{"imported":2}`, "Buy milk,Two bottles,false\n\"Say \"\"hi\"\"\",,false\n"},
		{"formulas", "text/csv", "=1+1,@x\n-1,+1\n'=2,''=3\n'quoted,a=b\n", 200, `{"imported":4}`, "'=1+1,'@x,false\n'-1,'+1,false\n'=2,''=3,false\n'quoted,a=b,false\n"},
		{"nothing", "text/csv; charset=utf-8", "", 200, `{"imported":0}`, ""},
		{"an open quote", "text/csv", "a\n\"b", 400, "line 2 is not a line of CSV", ""},
		{"no title", "text/csv", "a\n,b", 400, "line 2 is not", ""},
		{"what an export has", "text/csv", "a,b,true\nc,,false\n", 200, `{"imported":2}`, "a,b,true\nc,,false\n"},
		{"a third column of another kind", "text/csv", "a,b,true\na,b,yes", 400, "the third column of line 2 must be true, false or empty", ""},
		{"a column too many", "text/csv", "a,b,true,d", 400, "line 1 is not", ""},
		{"the longest title", "text/csv", title, 200, `{"imported":1}`, title + ",,false\n"},
		{"a title that is too long", "text/csv", title + "é", 400, "line 1 is not", ""},
		{"a description that is too long", "text/csv", "a," + strings.Repeat("é", 2001), 400, "line 1 is not", ""},
		{"no UTF-8", "text/csv", "a\xff", 400, "line 1 is not", ""},
		{"a table that is too large", "text/csv", strings.Repeat("x\n", 1<<19) + "x", 413, "1048576 bytes", ""},
		{"JSON", "application/json", `{"table":"a"}`, 415, "text/csv", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newService(newStore(), nil, nil, nil).REST()
			if w := do(h, "POST", "/todos/import", test.table, "Content-Type", test.contentType); w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%.40q: %d %s, want %d with %s", test.table, w.Code, w.Body, test.status, test.want)
			}
			if w := do(h, "GET", "/todos/export", ""); w.Code != 200 || w.Body.String() != test.exported {
				t.Errorf("the export is %d %q, want %q", w.Code, w.Body, test.exported)
			}
		})
	}
}
