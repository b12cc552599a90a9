package main

import (
	"strings"
	"testing"
)

// Verify the words for callers who prefer German, and that others, and models, get those of svc.
func TestWords(t *testing.T) {
	h := newTestHandler(newStore(), nil)
	for _, test := range []struct{ name, language, path, body, want string }{
		{"required", "de-AT,en;q=0.5", "/todos", `{}`, `"rule":"required","message":"muss ausgefüllt sein"}`},
		{"empty", "de", "/todos", `{"title":""}`, `"message":"muss ausgefüllt sein"`},
		{"long", "DE", "/todos", `{"title":"` + strings.Repeat("a", 201) + `"}`, `"message":"darf höchstens 200 Zeichen haben","limit":200}`},
		{"the type", "de", "/todos", `{"title":1}`, `"message":"hat den falschen Typ"`},
		{"JSON-RPC", "de", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"todos.create","params":{}}`, `"message":"muss ausgefüllt sein"`},
		{"the message of the error", "de", "/todos", `{}`, `"message":"invalid input: /title is required"`},
		{"a tool", "de", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_create","arguments":{}}}`, `title is required`},
		{"another language", "en,de;q=0.5", "/todos", `{}`, `"rule":"required","message":"is required"}`},
		{"Dene", "den", "/todos", `{}`, `"rule":"required","message":"is required"}`},
		{"none", "", "/todos", `{}`, `"rule":"required","message":"is required"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := do(h, "POST", test.path, test.body, "Content-Type", "application/json", "Accept-Language", test.language)
			if !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %s, want %s", w.Body, test.want)
			}
		})
	}
}
