package svc

import (
	"regexp"
	"testing"
)

// pathVersionRows are path segments and whether they are versions.
var pathVersionRows = []struct {
	segment string
	want    bool
}{
	{"v1", true}, {"V1", true}, {"v10", true}, {"v1.0", true}, {"v1.2.3", true}, {"v0", true}, {"v2025.03.01", true},
	{"api", false}, {"", false}, {"v", false}, {"va", false}, {"v1..2", false}, {"v1.", false}, {"v.1", false}, {"v.", false},
	{"vv1", false}, {"1", false}, {"v1a", false}, {"v-1", false}, {"v1 ", false}, {" v1", false}, {"v１", false}, {"version1", false},
	{"v1\r\n", false}, {"v1\x00", false}, {"6", false}, {"\x56", false},
}

func TestPathVersion(t *testing.T) {
	for _, test := range pathVersionRows {
		if got := isPathVersion(test.segment); got != test.want {
			t.Errorf("isPathVersion(%q) = %t, want %t", test.segment, got, test.want)
		}
	}
	for _, test := range []struct{ path, want string }{
		{"/v1/todos", "v1"},
		{"/V1/todos", "V1"},
		{"/v1/", "v1"},
		{"/v1//", "v1"},
		{"/v1", ""},
		{"/v1?/", ""},
		{"/api/v1/todos", ""},
		{"//v1/todos", ""},
		{"v1/todos", ""},
		{"/", ""},
		{"", ""},
		{"*", ""},
	} {
		if got := parsePathVersion(test.path); got != test.want {
			t.Errorf("parsePathVersion(%q) = %q, want %q", test.path, got, test.want)
		}
	}
}

func FuzzPathVersion(f *testing.F) {
	for _, test := range pathVersionRows {
		f.Add(test.segment)
	}
	pattern := regexp.MustCompile(`\A[vV][0-9]+(\.[0-9]+)*\z`)
	f.Fuzz(func(t *testing.T, segment string) {
		if got, want := isPathVersion(segment), pattern.MatchString(segment); got != want {
			t.Errorf("isPathVersion(%q) = %t, want %t", segment, got, want)
		}
	})
}
