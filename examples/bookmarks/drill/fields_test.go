package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
	google "github.com/google/jsonschema-go/jsonschema"
	tekuri "github.com/santhosh-tekuri/jsonschema/v6"
)

type lister interface {
	List(ctx context.Context, in *bookmarks.Filter) (*svc.CursorResponse[bookmarks.Bookmark], error)
}

type hundred struct{}

func (hundred) List(context.Context, *bookmarks.Filter) (*svc.CursorResponse[bookmarks.Bookmark], error) {
	out := new(svc.CursorResponse[bookmarks.Bookmark])
	for i := range 100 {
		b := bookmarks.Bookmark{ID: int64(i), Title: fmt.Sprint("What to read on day ", i), Tags: []string{"reading", "later"}, CreatedAt: time.Unix(int64(i), 0), ETag: fmt.Sprint(i)}
		switch i % 3 {
		case 0:
			b.Item = bookmarks.Item{Kind: "link", Link: &bookmarks.Link{URL: "https://example.org/articles/" + strings.Repeat("a-long-way/", 9)}}
		case 1:
			b.Item = bookmarks.Item{Kind: "note", Note: &bookmarks.Note{Text: strings.Repeat("Some words of a note. ", 20)}}
		default:
			b.Item = bookmarks.Item{Kind: "file", File: &bookmarks.File{Name: "report.pdf", Type: "application/pdf"}}
		}
		out.Data = append(out.Data, b)
	}
	return out, nil
}

// Verify that 100 bookmarks with every subset of their fields are valid by two validators,
// and that two fields of them take at most a fifth of the whole.
func TestFields(t *testing.T) {
	h := svc.MustRegister[lister](hundred{}, &svc.Options{Resource: "bookmarks"}).MCP(&svc.MCPOptions{Tools: map[string]svc.MCPToolOptions{"List": {Fields: true}}})
	post := func(method, params string, result any) {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), &struct{ Result any }{result}); err != nil {
			t.Fatal(err)
		}
	}
	var list struct {
		Tools []struct{ OutputSchema json.RawMessage }
	}
	post("tools/list", `{}`, &list)
	text := list.Tools[0].OutputSchema
	first := new(google.Schema)
	if err := json.Unmarshal(text, first); err != nil {
		t.Fatal(err)
	}
	byFirst, err := first.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	document, err := tekuri.UnmarshalJSON(bytes.NewReader(text))
	c := tekuri.NewCompiler()
	if err != nil || c.AddResource("output.json", document) != nil {
		t.Fatal(err)
	}
	bySecond := c.MustCompile("output.json")
	names := []string{"id", "title", "item", "tags", "created_at", "etag"}
	sizes := make(map[string]int)
	for set := range 1 << len(names) {
		var chosen []string
		for i, name := range names {
			if set>>i&1 != 0 {
				chosen = append(chosen, name)
			}
		}
		arguments := `{}`
		if chosen != nil {
			arguments = `{"fields":["` + strings.Join(chosen, `","`) + `"]}`
		}
		var answer struct{ StructuredContent any }
		post("tools/call", `{"name":"bookmarks_list","arguments":`+arguments+`}`, &answer)
		whole, _ := answer.StructuredContent.(map[string]any)
		data, _ := whole["data"].([]any)
		if err := byFirst.Validate(whole); err != nil || len(data) != 100 || chosen != nil && len(data[0].(map[string]any)) != len(chosen) {
			t.Errorf("%v: %d bookmarks, the first %v: %v", chosen, len(data), data[:min(1, len(data))], err)
		}
		if err := bySecond.Validate(answer.StructuredContent); err != nil {
			t.Errorf("%v: %v", chosen, err)
		}
		out, _ := json.Marshal(whole)
		sizes[strings.Join(chosen, ",")] = len(out)
	}
	data, broken := map[string]any{"id": "1"}, map[string]any{"has_more": false}
	if broken["data"] = []any{data}; byFirst.Validate(broken) == nil || bySecond.Validate(broken) == nil {
		t.Error("the schema takes a text for an id")
	}
	if part, all := sizes["id,title"], sizes[""]; 5*part > all {
		t.Errorf("id and title take %d bytes of %d, over a fifth", part, all)
	} else {
		t.Logf("%d subsets; id and title take %d bytes of %d", len(sizes), part, all)
	}
}
