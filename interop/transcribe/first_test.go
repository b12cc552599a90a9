package main

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
	"example.com/svc/interop/transcribe/testdata/notes"
)

// This file has the code of doc/from-openapi.md.

// A board has the methods that are moved already. All others are UNIMPLEMENTED.
type board struct {
	notes.UnimplementedNotes
	texts map[int]string
}

func (b *board) Edit(ctx context.Context, in *notes.EditIn) (*notes.EditOut, error) {
	text, ok := b.texts[in.ID]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no note %d", in.ID)
	}
	if in.Text != "" {
		text = in.Text
		b.texts[in.ID] = text
	}
	return &notes.EditOut{Note: notes.Note{ID: in.ID, Text: text}}, nil
}

func TestFirstMethod(t *testing.T) {
	handler := notes.Service(&board{texts: map[int]string{7: "milk"}}).REST()
	tests := []struct {
		method, target, body string
		code                 int
		want                 string
	}{
		{"PATCH", "/notes/7", `{"text":"oat milk"}`, 200, `"text":"oat milk"`},
		{"PATCH", "/notes/8", `{"text":"oat milk"}`, 404, "there is no note 8"},
		{"PATCH", "/notes/7", `{"text":""}`, 400, "/text must have at least 1 character"},
		{"GET", "/notes/7/photo", "", 501, "GetPhoto is not implemented yet"},
	}
	for _, test := range tests {
		t.Run(test.method+test.target, func(t *testing.T) {
			req := httptest.NewRequest(test.method, test.target, strings.NewReader(test.body))
			if test.body != "" {
				req.Header.Set("Content-Type", "application/json")
			}
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			if rec.Code != test.code || !strings.Contains(rec.Body.String(), test.want) {
				t.Errorf("%d %s; want %d %s", rec.Code, rec.Body, test.code, test.want)
			}
		})
	}
}
