package svc

import (
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
		rest, ok := cutPrefixPath(test.path, test.prefix)
		if ok != test.ok || ok && rest != test.rest {
			t.Errorf("cutPrefixPath(%q, %q) = %q, %t; want %q, %t", test.path, test.prefix, rest, ok, test.rest, test.ok)
		}
	}
}
