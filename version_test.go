package svc

import (
	"net/http"
	"net/url"
	"testing"
)

func TestCutPrefixPath(t *testing.T) {
	for _, test := range []struct {
		path, prefix, rest string
		ok                 bool
	}{
		{"/a", "/a", "", true},
		{"/a/", "/a", "", true},
		{"/a/b", "/a", "b", true},
		{"/a/b/", "/a", "b/", true},
		{"/a//b", "/a", "/b", true},
		{"/a/../b", "/a", "../b", true},
		{"/ab", "/a", "b", false},
		{"/a.", "/a", ".", false},
		{"//a", "/a", "//a", false},
		{"/A", "/a", "/A", false},
		{"/b/a", "/a", "/b/a", false},
		{"", "/a", "", false},
		{"*", "/a", "*", false},
		{"/a", "", "a", true},
	} {
		t.Run(rowName("cut", test.prefix, "from", test.path, test.ok), func(t *testing.T) {
			rest, ok := cutPrefixPath(test.path, test.prefix)
			if ok != test.ok || ok && rest != test.rest {
				t.Errorf("cutPrefixPath(%q, %q) = %q, %t; want %q, %t", test.path, test.prefix, rest, ok, test.rest, test.ok)
			}
		})
	}
}

func TestPathVersion(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/v1/todos", "v1"},
		{"/V1/todos", "V1"},
		{"/v1/", "v1"},
		{"/v1//", "v1"},
		{"/v10/", "v10"},
		{"/v1.2.3/", "v1.2.3"},
		{"/v2025.03.01/x", "v2025.03.01"},
		{"/v1", ""},
		{"/v1?/", ""},
		{"/api/v1/todos", ""},
		{"//v1/todos", ""},
		{"v1/todos", ""},
		{"/v/", ""},
		{"/va/", ""},
		{"/v1..2/", ""},
		{"/v1./", ""},
		{"/v.1/", ""},
		{"/vv1/", ""},
		{"/1/", ""},
		{"/v1a/", ""},
		{"/v1 /", ""},
		{"/v１/", ""},
		{"/v1\r\n/", ""},
		{"/v1\x00/", ""},
		{"/", ""},
		{"", ""},
		{"*", ""},
	} {
		t.Run(rowName(test.path, test.want), func(t *testing.T) {
			v := newVersioning(VersionOptions{PathPrefix: true})
			got, ok := v.detectVersion(&http.Request{URL: &url.URL{Path: test.path}})
			if got != test.want || !ok {
				t.Errorf("%q: %q, %t; want %q", test.path, got, ok, test.want)
			}
		})
	}
}

// FuzzQueryParameter verifies that queryParameter returns what url.ParseQuery returns,
// where that finds all there is.
func FuzzQueryParameter(f *testing.F) {
	for _, query := range []string{"", "version=1", "x=1&version=2&version=3", "v%65rsion=%31+", "version", "version=&version=2",
		"version=%", "version=1;2", "a;b&version=1", "&&version==", "%=1&version=2"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		got, ok := queryParameter(query, "version")
		want, err := url.ParseQuery(query)
		if err == nil && (got != want.Get("version") || !ok) {
			t.Errorf("%q: %q, %t; want %q", query, got, ok, want.Get("version"))
		}
		if ok && got != want.Get("version") || !ok && got == "" {
			t.Errorf("%q: %q, %t; url.ParseQuery has %q", query, got, ok, want["version"])
		}
	})
}
