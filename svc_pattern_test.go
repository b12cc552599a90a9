package svc

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRoutePattern verifies that a pattern which is accepted is one that requests
// match: its literals as they stand, and its placeholders by any value.
func FuzzRoutePattern(f *testing.F) {
	for _, pattern := range []string{
		"GET /todos", "POST /todos/{id}", "PUT /a/{b}/c/{d_1}", "PATCH  /a%20b/{x}/caf\u00e9:x@y", "GET /a%2Fb", "GET /a%2E%2e/b",
		"GET /%7Bid%7D", "DELETE /{_}/{ä}", "GET /a;b=c,d/(e)/!$&'*+~", "GET /%", "GET /%zz", "GET /a b", "GET /{}", "GET /{a", "GET /a}",
		"GET /a/", "GET //", "GET /.", "GET /..", "GET /{a...}", "GET /{$}", "HEAD /a", "GET a", "/a", "", "GET", "GET /\x80", "GET /a\x00",
	} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		r, err := parsePattern(pattern)
		if err != nil {
			return
		}
		path := percent(r.path)
		for _, name := range r.placeholders {
			path = strings.Replace(path, "{"+percent(name)+"}", "va%2Flue", 1)
		}
		req, err := http.NewRequest(r.method, path, nil)
		if err != nil {
			t.Fatalf("%q is accepted, and no request can be made of it: %v", pattern, err)
		}
		matched := false
		mux := http.NewServeMux()
		mux.HandleFunc(r.method+" "+r.path, func(_ http.ResponseWriter, req *http.Request) {
			matched = true
			for _, name := range r.placeholders {
				if got := req.PathValue(name); got != "va/lue" {
					t.Errorf("%q: the value of {%s} is %q", pattern, name, got)
				}
			}
		})
		if !isClean(req.URL) {
			t.Fatalf("%q is accepted, and REST finds that %q is not clean", pattern, path)
		}
		mux.ServeHTTP(httptest.NewRecorder(), req)
		if !matched {
			t.Errorf("%q is accepted, and a request to %q does not match it", pattern, path)
		}
	})
}

// percent escapes what is not ASCII, as clients do.
func percent(s string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		if b < utf8.RuneSelf {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}
