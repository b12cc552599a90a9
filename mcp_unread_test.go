package svc

import (
	"encoding/json"
	"testing"
)

// FuzzGlimpse looks at texts with a member put in, at their ends too: the id of what encoding/json
// can read is found, and no other one.
func FuzzGlimpse(f *testing.F) {
	for _, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"method":"\"id\":2","params":{"id":3},"jsonrpc":"2.0","id":"a"}`, `{"id":{}}`, `{"id":1x}`, "{\"id\":1\xffa\",\"b\"}", `{"id":1`, `{`, ``, `[]`, `{"a":[}],"id":4}`,
		`{"result":{"id":5},"id":6}`, `{"method":"notifications/a","params":[1,2]}`} {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var members map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &members)
		head, tail := text, []byte(nil)
		if cut >= 0 && cut < len(text) {
			head, tail = text[:cut], endOf([]byte(text))
		}
		whole, parts := glimpseAt([]byte(text), nil), glimpseAt([]byte(head), tail)
		for _, g := range []glimpse{whole, parts} {
			s := scanner{data: g.id}
			if g.id != nil && (!scans(&s) || !isMCPID(g.id)) {
				t.Errorf("%q has the id %q", text, g.id)
			}
		}
		if s := (scanner{data: []byte(text)}); err != nil || members == nil || !scans(&s) {
			return
		}
		id, plain := members["id"], isMCPID(members["id"])
		_, hasMethod := members["method"]
		if whole.id != nil && string(whole.id) != string(id) || parts.id != nil && string(parts.id) != string(id) {
			t.Errorf("%q has the ids %q and %q", text, whole.id, parts.id)
		}
		if plain && hasMethod && string(whole.id) != string(id) && json.Valid([]byte(text)) && !hasEscapedName(text) {
			t.Errorf("%q has the id %q, and %q was found", text, id, whole.id)
		}
	})
}

// scans reports whether s reads its text to the end.
func scans(s *scanner) bool {
	s.skipValue()
	s.checkEnd()
	return s.err == nil
}

// hasEscapedName reports whether a text has an escape, by which a name may be written.
func hasEscapedName(text string) bool {
	for i := range len(text) {
		if text[i] == '\\' {
			return true
		}
	}
	return false
}
