package blackbox_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// SlashAPI has routes with a slash at their end.
	SlashAPI interface {
		Root(context.Context) (*SlashOut, error)
		List(context.Context) (*SlashOut, error)
		Search(context.Context) (*SlashOut, error)
		GetDir(context.Context, *SlashID) (*SlashOut, error)
		Get(context.Context, *SlashID) (*SlashOut, error)
		Files(context.Context) (*SlashOut, error)
		AddFile(context.Context) (*SlashOut, error)
		Item(context.Context, *SlashID) (*SlashOut, error)
	}
	SlashID struct {
		ID string `json:"id"`
	}
	SlashOut struct {
		Name string `json:"name"`
	}
	slashes struct{}
)

func (slashes) Root(context.Context) (*SlashOut, error)    { return &SlashOut{"root"}, nil }
func (slashes) List(context.Context) (*SlashOut, error)    { return &SlashOut{"list"}, nil }
func (slashes) Search(context.Context) (*SlashOut, error)  { return &SlashOut{"search"}, nil }
func (slashes) Files(context.Context) (*SlashOut, error)   { return &SlashOut{"files"}, nil }
func (slashes) AddFile(context.Context) (*SlashOut, error) { return &SlashOut{"add"}, nil }
func (slashes) GetDir(_ context.Context, in *SlashID) (*SlashOut, error) {
	return &SlashOut{"dir " + in.ID}, nil
}
func (slashes) Get(_ context.Context, in *SlashID) (*SlashOut, error) {
	return &SlashOut{"get " + in.ID}, nil
}
func (slashes) Item(_ context.Context, in *SlashID) (*SlashOut, error) {
	return &SlashOut{"item " + in.ID}, nil
}

func slashOptions() *svc.Options {
	return &svc.Options{Resource: "notes", Methods: map[string]svc.MethodOptions{
		"Root": {HTTP: "GET /"}, "List": {HTTP: "GET /notes/"}, "Search": {HTTP: "GET /notes"}, "Files": {HTTP: "GET /files/"}, "AddFile": {HTTP: "POST /files"},
		"GetDir": {HTTP: "GET /dirs/{id}/"}, "Get": {HTTP: "GET /notes/{id}"}, "Item": {HTTP: "GET /items/{id}/"},
	}}
}

// Verify that a path with a slash at its end is that one alone, and that REST never redirects.
func TestSlashAtTheEnd(t *testing.T) {
	s := svc.MustRegister[SlashAPI](slashes{}, slashOptions())
	for _, test := range []struct{ verb, path, want, allow string }{
		{"GET", "/", "200 root", ""},
		{"GET", "/notes/", "200 list", ""},
		{"HEAD", "/notes/", "200 ", ""},
		{"GET", "/notes", "200 search", ""},
		{"GET", "/notes/a", "200 get a", ""},
		{"GET", "/notes/a/", "404 ", ""},
		{"GET", "/files/", "200 files", ""},
		{"GET", "/files", "405 ", "POST"},
		{"POST", "/files", "200 add", ""},
		{"POST", "/files/", "405 ", "GET, HEAD"},
		{"GET", "/files/x", "404 ", ""},
		{"GET", "/dirs/a/", "200 dir a", ""},
		{"GET", "/dirs/a%2Fb/", "200 dir a/b", ""},
		{"GET", "/dirs/a", "404 ", ""},
		{"GET", "/dirs/a%2F", "404 ", ""},
		{"GET", "/dirs/a/b", "404 ", ""},
		{"GET", "/dirs//", "404 ", ""},
		{"PUT", "/dirs/a", "404 ", ""},
		{"GET", "/none", "404 ", ""},
	} {
		for _, prefix := range []string{"", "/v1"} {
			a := answerTo(s.At(prefix).REST(), test.verb, prefix+test.path, "", "Content-Type", "application/json")
			got := a.Status[:4]
			if a.StatusCode == 200 {
				got += strings.TrimSuffix(strings.TrimPrefix(textOf(a), `{"name":"`), `"}`)
			}
			if got != test.want || a.Header.Get("Allow") != test.allow {
				t.Errorf("%s %s: %s %q, want %s", test.verb, prefix+test.path, got, a.Header.Get("Allow"), test.want)
			}
		}
	}
	mux := http.NewServeMux()
	s.Mount(mux)
	for path, want := range map[string]string{"/files/": "200 OK", "/files/x": "404 Not Found", "/dirs/a": "307 Temporary Redirect"} {
		if a := answerTo(mux, "GET", path, ""); a.Status != want && !(a.StatusCode/100 == 3 && want[0] == '3') {
			t.Errorf("on a mux, %s: %s, want %s", path, a.Status, want)
		}
	}
}

// Verify that clients send such paths, that documents have them, and which are mistakes and breaks.
func TestSlashElsewhere(t *testing.T) {
	s := svc.MustRegister[SlashAPI](slashes{}, slashOptions())
	var client struct {
		Root, List, Search func(context.Context) (*SlashOut, error)
		GetDir, Get        func(context.Context, *SlashID) (*SlashOut, error)
	}
	if err := svc.Connect[SlashAPI](&client, "", &svc.ClientOptions{Handler: s.REST(), Service: slashOptions()}); err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func(context.Context) (*SlashOut, error){"root": client.Root, "list": client.List, "search": client.Search} {
		if out, err := call(t.Context()); err != nil || out.Name != want {
			t.Errorf("%s: %v, %v", want, out, err)
		}
	}
	for want, call := range map[string]func(context.Context, *SlashID) (*SlashOut, error){"dir a/b": client.GetDir, "get a/b": client.Get} {
		if out, err := call(t.Context(), &SlashID{"a/b"}); err != nil || out.Name != want {
			t.Errorf("%s: %v, %v", want, out, err)
		}
	}
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		doc := documentOf(t, s, version)
		for _, path := range []string{"/", "/notes/", "/notes", "/notes/{id}", "/dirs/{id}/"} {
			if dig(doc, "paths", path, "get") == nil {
				t.Errorf("%s has no %s", version, path)
			}
		}
	}
	for _, want := range []string{`"GET /notes/"`, `"GET /notes"`, `"GET /dirs/{id}/"`, `get: { route: "GET /notes/{id}" }`} {
		if text := textOf(answerTo(s.TypeScript(), "GET", "/client.ts", "")); !strings.Contains(text, want) {
			t.Errorf("client.ts has no %s", want)
		}
	}
	if text := getDocs(s, docsAll, "GET", "/llms.txt").Body.String(); !strings.Contains(text, "### GET /dirs/{id}/\n") || !strings.Contains(text, "$URL/dirs/") {
		t.Errorf("llms.txt: %s", text)
	}
	route := func(pattern string) *svc.Service { return giving[SlashOut](svc.MethodOptions{HTTP: pattern}) }
	if breaks, err := route("GET /a/").Breaks(route("GET /a").Contract()); err != nil || len(breaks) != 1 || breaks[0].Reason != "the route is GET /a/, was GET /a" {
		t.Errorf("the breaks are %v, %v", breaks, err)
	}
	o := slashOptions()
	o.Methods["Search"] = svc.MethodOptions{HTTP: "GET /notes/"}
	o.Methods["Item"] = svc.MethodOptions{HTTP: "GET /{id}/a/"}
	o.Methods["Files"] = svc.MethodOptions{HTTP: "GET /files//"}
	_, err := svc.Register[SlashAPI](slashes{}, o)
	for _, want := range []string{
		"SlashAPI.List and SlashAPI.Search have the same route GET /notes/", "the path has an empty segment",
		"SlashAPI.GetDir and SlashAPI.Item have the routes GET /dirs/{id}/ and /{id}/a/, and some requests match both",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
}
