package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/bookmarks"
	"example.com/svc"
)

// A fake is a store for the tests of service.go, with one bookmark and no database.
type fake struct {
	store // for methods that a test does not call
	b     bookmarks.Bookmark
}

func (f *fake) create(context.Context, string, *bookmarks.NewBookmark) (*bookmarks.Bookmark, error) {
	b := f.b
	return &b, nil
}

func (f *fake) change(_ context.Context, owner string, id int64, edit func(*bookmarks.Bookmark) error) (*bookmarks.Bookmark, error) {
	b := f.b
	if owner != "ada" || id != b.ID {
		return nil, errNotFound
	}
	return &b, edit(&b)
}

// Verify status, headers and body of answers that do not take a database.
func TestService(t *testing.T) {
	note := "old"
	service := newService(&fake{b: bookmarks.Bookmark{ID: 7, URL: "https://go.dev", Title: "Go", Note: &note, ETag: `"2"`}}, nil, nil)
	for _, test := range []struct{ request, body, ifMatch, status, header, want string }{
		{"POST /bookmarks", `{"url":"https://go.dev","title":"Go"}`, "", "201", "/bookmarks/7", `"note":"old"`},
		{"POST /bookmarks", `{"url":"https://go.dev/x","title":"Go"}`, "", "422", "", `"FAILED_PRECONDITION"`},
		{"POST /bookmarks", `{"url":"gopher://go.dev","title":""}`, "", "400", "", `must have at least 1 character`},
		{"POST /bookmarks", `{"url":"https://go.dev","title":"Go","tags":["go","Go!"]}`, "", "400", "", `"path":"/tags/1"`},
		{"PATCH /bookmarks/7", `{"title":"Gopher"}`, `"1", "2"`, "200", "", `"title":"Gopher","note":"old","tags":[]`},
		{"PATCH /bookmarks/7", `{"note":null,"tags":["go"]}`, "*", "200", "", `"title":"Go","tags":["go"]`},
		{"PATCH /bookmarks/7", `{"note":"new"}`, "", "200", "", `"note":"new"`},
		{"PATCH /bookmarks/7", `{"note":"new"}`, `"1"`, "412", "", `"the bookmark has changed; get it again"`},
		{"PATCH /bookmarks/8", `{}`, "", "404", "", `"NOT_FOUND"`},
		{"GET /bookmarks?cursor=x", "", "", "400", "", `"in":"query","path":"/cursor"`},
	} {
		method, target, _ := strings.Cut(test.request, " ")
		r := httptest.NewRequest(method, target, strings.NewReader(test.body))
		r.Header.Set("If-Match", test.ifMatch)
		w := httptest.NewRecorder()
		caller := &svc.Principal{Subject: "ada", Scopes: []string{"bookmarks:read", "bookmarks:write"}}
		service.REST().ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), caller)))
		if status := w.Result().Status[:3]; status != test.status || w.Header().Get("Location") != test.header || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %s %v %s", test.request, test.body, status, w.Header(), w.Body)
		}
	}
}

// Verify that a client sends requests again that may run twice, and no others.
func TestClient(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests%2 == 1 {
			svc.WriteError(w, r, errUnavailable.WithHeader("Retry-After", "0"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"id":7,"url":"https://go.dev","title":"Go","tags":[],"created_at":"2026-01-01T00:00:00Z"}`))
	}))
	defer server.Close()
	client, _ := bookmarks.Connect(server.URL, "secret", nil)
	_, err := client.Create(t.Context(), &bookmarks.NewBookmark{URL: "https://go.dev", Title: "Go"})
	if svc.CodeOf(err) != svc.CodeUnavailable || requests != 1 {
		t.Errorf("without a key: %v after %d requests", err, requests)
	}
	requests = 0
	b, err := client.Create(t.Context(), &bookmarks.NewBookmark{URL: "https://go.dev", Title: "Go", Key: "12345678"})
	if err != nil || b.ID != 7 || requests != 2 {
		t.Errorf("with a key: %+v, %v after %d requests", b, err, requests)
	}
}
