package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// maxToolsBytes is how long the list of tools may be. A model reads all of it before it begins, and
// 5,024 bytes of such JSON are 1,188 tokens of o200k_base, 1,200 are about 5,070.
const maxToolsBytes = 5070

// Verify that the list of tools stays short.
func TestToolsSize(t *testing.T) {
	r, w := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)), httptest.NewRecorder()
	r.Header.Set("Content-Type", "application/json")
	newHandler(newService(newStore(), nil, nil, nil), new(metrics)).ServeHTTP(w, r)
	if w.Code != 200 || w.Body.Len() > maxToolsBytes {
		t.Errorf("the list of tools is a %d of %d bytes, over %d", w.Code, w.Body.Len(), maxToolsBytes)
	}
}
