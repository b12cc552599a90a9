package blackbox_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"example.com/svc"
)

// namePath matches a path with the name of a repository, and what follows the name.
var namePath = regexp.MustCompile(`^/v2/(.+)(/(?:manifests|blobs|tags)/.*)$`)

// escapeNames makes the name one segment: /v2/library/app/tags/list becomes /v2/library%2Fapp/tags/list.
func escapeNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if parts := namePath.FindStringSubmatch(r.URL.Path); parts != nil {
			u := *r.URL
			u.RawPath = "/v2/" + url.PathEscape(parts[1]) + parts[2]
			r = r.WithContext(r.Context())
			r.URL = &u
		}
		next.ServeHTTP(w, r)
	})
}

type (
	// NamedAPI has a name in the middle of its path.
	NamedAPI interface {
		ListTags(context.Context, *NamedIn) (*NamedOut, error)
	}
	NamedIn struct {
		Name string `path:"name" pattern:"^[a-z/]+$"`
	}
	NamedOut struct {
		Name string `json:"name"`
	}
	named struct{}
)

func (named) ListTags(_ context.Context, in *NamedIn) (*NamedOut, error) {
	return &NamedOut{in.Name}, nil
}

// Verify that a placeholder takes escaped slashes, and that escapeNames lets it take others.
func TestNamesWithSlashes(t *testing.T) {
	h := svc.MustRegister[NamedAPI](named{}, &svc.Options{Resource: "named", Methods: map[string]svc.MethodOptions{
		"ListTags": {HTTP: "GET /v2/{name}/tags/list"}}}).REST()
	for _, test := range []struct {
		h          http.Handler
		path, want string // the body, or "" for 404
	}{
		{h, "/v2/app/tags/list", `{"name":"app"}`},
		{h, "/v2/library%2Fapp/tags/list", `{"name":"library/app"}`},
		{h, "/v2/library/app/tags/list", ""},
		{escapeNames(h), "/v2/app/tags/list", `{"name":"app"}`},
		{escapeNames(h), "/v2/library/app/tags/list", `{"name":"library/app"}`},
		{escapeNames(h), "/v2/library%2Fapp/tags/list", `{"name":"library/app"}`},
		{escapeNames(h), "/v2/a/tags/b/tags/list", `{"name":"a/tags/b"}`},
	} {
		t.Run(test.path, func(t *testing.T) {
			a := answerTo(test.h, "GET", test.path, "")
			if got := textOf(a); a.StatusCode == 200 && got != test.want+"\n" && got != test.want || (a.StatusCode == 404) != (test.want == "") {
				t.Errorf("got %d %s, want %s", a.StatusCode, got, test.want)
			}
		})
	}
}
