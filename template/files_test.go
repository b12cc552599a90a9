package main

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// Verify that a table that was imported is exported, and that a wrong one adds nothing.
func TestImportExport(t *testing.T) {
	h := newService(newStore(), nil, nil, nil).REST()
	do := func(method, path, contentType, body string) (int, string) {
		r := httptest.NewRequest(method, path, io.MultiReader(strings.NewReader(body)))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for _, test := range []struct {
		contentType, table string
		status             int
		want               string // a part of the response
	}{
		{"text/csv", "Buy milk,Two bottles\n\"Say \"\"hi\"\"\"\n", 200, `{"imported":2}`},
		{"text/csv; charset=utf-8", "", 200, `{"imported":0}`},
		{"text/csv", "a\n\"b", 400, "line 2 is not a line of CSV"},
		{"text/csv", "a\n,b", 400, "line 2 has no title"},
		{"text/csv", "a,b,c", 400, "line 1 has"},
		{"text/csv", strings.Repeat("x\n", 1<<19) + "x", 413, "1048576 bytes"},
		{"application/json", `{"table":"a"}`, 415, "text/csv"},
	} {
		if status, text := do("POST", "/todos/import", test.contentType, test.table); status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%.40q: %d %s, want %d with %s", test.table, status, text, test.status, test.want)
		}
	}
	if status, text := do("GET", "/todos/export", "", ""); status != 200 || text != "Buy milk,Two bottles,false\n\"Say \"\"hi\"\"\",,false\n" {
		t.Errorf("the export is %d %q", status, text)
	}
}
