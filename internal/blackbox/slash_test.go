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
		{"GET", "/notes/%2F", "200 get /", ""},
		{"HEAD", "/notes/%2f", "200 ", ""},
		{"GET", "/notes/%2Fx", "200 get /x", ""},
		{"GET", "/notes/%2F/", "404 ", ""},
		{"GET", "/notes/%2F%2F", "200 get //", ""},
		{"POST", "/notes/%2F", "405 ", "GET, HEAD"},
		{"GET", "/dirs/%2F/", "200 dir /", ""},
		{"GET", "/dirs/%2F", "404 ", ""},
		{"DELETE", "/dirs/%2F/", "405 ", "GET, HEAD"},
		{"GET", "/files/%2F", "404 ", ""},
		{"GET", "/%2F", "404 ", ""},
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
	for path, want := range map[string]string{"/files/": "200 OK", "/files/x": "404 Not Found", "/dirs/a": "307 Temporary Redirect", "/notes/%2F": "404 Not Found",
		"/files/%2f": "404 Not Found", "/%2F": "404 Not Found"} {
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

type (
	// UsersAPI has a method for all users beside one for a single user.
	UsersAPI interface {
		DeleteAll(context.Context) error
		Delete(context.Context, *SlashID) error
		Pair(context.Context, *SlashPair) (*SlashOut, error)
		File(context.Context, *SlashPath) (*SlashOut, error)
	}
	SlashPair struct {
		ID    string `json:"id"`
		Child string `json:"child"`
	}
	SlashPath struct {
		Path string `json:"path"`
	}
	users struct{ deleted *[]string }
)

func (u users) DeleteAll(context.Context) error {
	*u.deleted = append(*u.deleted, "all")
	return nil
}
func (u users) Delete(_ context.Context, in *SlashID) error {
	*u.deleted = append(*u.deleted, in.ID)
	return nil
}
func (users) Pair(_ context.Context, in *SlashPair) (*SlashOut, error) {
	return &SlashOut{in.ID + "|" + in.Child}, nil
}
func (users) File(_ context.Context, in *SlashPath) (*SlashOut, error) {
	return &SlashOut{in.Path}, nil
}

// Verify that the segment %2F is the value "/" of a placeholder: http.ServeMux takes it for the slash
// at the end of a path.
func TestSlashAsSegment(t *testing.T) {
	var deleted []string
	s := svc.MustRegister[UsersAPI](users{&deleted}, &svc.Options{Resource: "users", Methods: map[string]svc.MethodOptions{
		"DeleteAll": {HTTP: "DELETE /users/"}, "Delete": {HTTP: "DELETE /users/{id}"}, "Pair": {HTTP: "GET /r/{id}/c/{child}"},
		"File": {HTTP: "GET /files/{path...}"},
	}})
	mux, router := http.NewServeMux(), http.NewServeMux()
	s.Mount(mux)
	for _, r := range s.Routes() { // a router that takes %2F for the slash at the end
		if r.Method == "DELETE" && strings.HasSuffix(r.Path, "/") {
			router.Handle("/users/", r.Handler)
		}
	}
	for _, test := range []struct {
		name         string
		handler      http.Handler
		request      string
		want, ran    string
		allowed, out string
	}{
		{"the value", s.REST(), "DELETE /users/%2F", "204", "/", "", ""},
		{"in lower case", s.REST(), "DELETE /users/%2f", "204", "/", "", ""},
		{"below a prefix", s.At("/v1").REST(), "DELETE /v1/users/%2F", "204", "/", "", ""},
		{"behind StripPrefix", http.StripPrefix("/api", s.REST()), "DELETE /api/users/%2F", "204", "/", "", ""},
		{"the slash itself", s.REST(), "DELETE /users/", "204", "all", "", ""},
		{"another verb", s.REST(), "GET /users/%2F", "405", "", "DELETE", ""},
		{"in the middle", s.REST(), "GET /r/%2F/c/x", "200", "", "", `{"name":"/|x"}`},
		{"two", s.REST(), "GET /r/%2F/c/%2F", "200", "", "", `{"name":"/|/"}`},
		{"in place of a literal", s.REST(), "GET /r/x/%2F/x", "404", "", "", ""},
		{"in place of the name", s.REST(), "DELETE /%2F/%2F", "404", "", "", ""},
		{"an empty segment beside it", s.REST(), "GET /r//c/%2F", "404", "", "", ""},
		{"in {path...}", s.REST(), "GET /files/%2F", "400", "", "", ""},
		{"in the middle of {path...}", s.REST(), "GET /files/a/%2F/b", "400", "", "", ""},
		{"Mount", mux, "DELETE /users/%2F", "404", "", "", ""},
		{"Mount, the slash itself", mux, "DELETE /users/", "204", "all", "", ""},
		{"Routes", router, "DELETE /users/%2F", "404", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			deleted = nil
			verb, path, _ := strings.Cut(test.request, " ")
			a := answerTo(test.handler, verb, path, "")
			if a.Status[:3] != test.want || strings.Join(deleted, " ") != test.ran || a.Header.Get("Allow") != test.allowed {
				t.Errorf("%s: %s, Allow %q, deleted %q", test.request, a.Status, a.Header.Get("Allow"), deleted)
			}
			if got := textOf(a); test.out != "" && got != test.out {
				t.Errorf("%s: %s, want %s", test.request, got, test.out)
			}
		})
	}
}
