package blackbox_test

import (
	"context"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests ETag, If-None-Match and If-Match (RFC 9110, section 13).

// Verify which requests are answered with 304, and with which headers (RFC 9110,
// sections 13.1.2 and 15.4.5).
func TestConditionalGet(t *testing.T) {
	h := headService().REST()
	for _, test := range []struct {
		id, none string
		status   int
	}{
		{"5", `"v1"`, 304},
		{"5", `W/"v1"`, 304},
		{"5", `*`, 304},
		{"5", ` * `, 304},
		{"5", `"a", "v1"`, 304},
		{"5", `"a",,W/"b" ,"v1"`, 304},
		{"5", `"v2"`, 200},
		{"5", `v1`, 200},
		{"5", `"v1`, 200},
		{"5", ``, 200},
		{"5", `"`, 200},
		{"5", `W/`, 200},
		{"5", `"a"*`, 200},
		{"5", `junk, "v1"`, 200},
		{"5", `"V1"`, 200},
		{"weak", `"v1"`, 304},
		{"weak", `W/"v1"`, 304},
		{"none", `*`, 200}, // no tag, no validator
		{"fails", `*`, 404},
		{"value", `"v1"`, 304},
	} {
		t.Run(rowName(test.id, test.none), func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD"} {
				a := answerTo(h, method, "/heads/"+test.id, "", "If-None-Match", test.none)
				if a.StatusCode != test.status {
					t.Errorf("%s %s with %s: %d, want %d", method, test.id, test.none, a.StatusCode, test.status)
				}
				if a.StatusCode == 304 && (textOf(a) != "" || a.Header.Get("ETag") == "") {
					t.Errorf("%s %s with %s: %v", method, test.id, test.none, a.Header)
				}
			}
		})
	}
	a := answerTo(h, "GET", "/heads/5", "", "If-None-Match", `"a"`, "If-None-Match", `"v1"`)
	if a.StatusCode != 304 {
		t.Errorf("two lines of If-None-Match: %d", a.StatusCode)
	}
	for name, want := range map[string]string{"Etag": `"v1"`, "Cache-Control": "private", "Content-Location": "/there", "Last-Modified": "", "Content-Language": "", "Content-Type": "", "Content-Length": ""} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("a 304 has %s %q, want %q", name, got, want)
		}
	}
	if a := answerTo(h, "POST", "/heads/5", "", "If-None-Match", `"v1"`); a.StatusCode != 201 {
		t.Errorf("POST with If-None-Match: %d", a.StatusCode)
	}
}

// OwnTagAPI has a method that reads If-None-Match itself, and one that cannot answer 304.
type (
	OwnTagAPI interface {
		Get(context.Context, *OwnTagIn) (*HeadOut, error)
		Only(context.Context) (*HeadOnly, error)
	}
	OwnTagIn struct {
		ID   string `path:"id" json:"id"`
		None string `json:"-" header:"if-none-match,omitempty" doc:"Its own."`
	}
	ownTagImpl struct{ OwnTagAPI }
)

// Verify that the documents have If-None-Match and 304 where the server reads and
// answers them, and nowhere else.
func TestConditionalGetInDocuments(t *testing.T) {
	const condition = `{"description":"ETag of a cached response. Returns 304 if it is still current.","in":"header","name":"If-None-Match","schema":{"type":"string"}}`
	const unchanged = `{"description":"Not Modified"}`
	own := svc.MustRegister[OwnTagAPI](ownTagImpl{}, &svc.Options{Resource: "heads", Methods: map[string]svc.MethodOptions{"Only": {HTTP: "GET /heads/only"}}})
	for _, test := range []struct {
		service            *svc.Service
		method, path       string
		condition, answers bool
	}{
		{headService(), "get", "/heads/{id}", true, true},
		{headService(), "get", "/heads", false, false},
		{headService(), "get", "/heads/watch", false, false},
		{headService(), "post", "/heads/{id}", false, false},
		{own, "get", "/heads/{id}", false, true},
		{own, "get", "/heads/only", false, false},
	} {
		t.Run(rowName(test.method, test.path, "condition", test.condition), func(t *testing.T) {
			for _, version := range []string{"3.0", "3.1", "3.2"} {
				doc := documentOf(t, test.service, version)
				if got := partOf(doc, "paths", test.path, test.method, "parameters"); strings.Contains(got, condition) != test.condition {
					t.Errorf("%s: %s %s has the parameters %s", version, test.method, test.path, got)
				}
				want := ""
				if test.answers {
					want = unchanged
				}
				if got := partOf(doc, "paths", test.path, test.method, "responses", "304"); got != want {
					t.Errorf("%s: the 304 of %s %s is %s, want %s", version, test.method, test.path, got, want)
				}
			}
		})
	}
	for _, test := range []struct {
		service *svc.Service
		want    string
	}{{headService(), `"header If-None-Match":{"name":""}`}, {own, `"header if-none-match":{"name":""}`}} {
		if page := textOf(answerTo(test.service.Docs(nil), "GET", "/", "")); strings.Count(page, test.want) != 1 {
			t.Errorf("the page has no single %s, so that its forms would send it over JSON-RPC", test.want)
		}
	}
}

// Verify the strong comparison of If-Match, and that no header lets every change pass.
func TestMatchesETag(t *testing.T) {
	for _, test := range []struct {
		ifMatch, etag string
		want          bool
	}{
		{``, `"1"`, true}, {` `, `"1"`, true}, {`*`, `"1"`, true}, {` * `, `"1"`, true},
		{`"1"`, `"1"`, true}, {`"2"`, `"1"`, false}, {`"2", "1"`, `"1"`, true}, {`"2","1"`, `"1"`, true}, {`, ,"1"`, `"1"`, true},
		{`W/"1"`, `"1"`, false}, {`W/"1"`, `W/"1"`, false}, {`"1"`, `W/"1"`, false}, {`W/"1", "1"`, `"1"`, true},
		{`"1,2"`, `"1,2"`, true}, {`"1,2"`, `"1"`, false}, {`1`, `"1"`, false}, {`1`, `1`, false}, {`"1`, `"1"`, false}, {`"1" x "2"`, `"2"`, false},
	} {
		t.Run(rowName("If-Match:", test.ifMatch, "ETag:", test.etag), func(t *testing.T) {
			if got := svc.MatchesETag(test.ifMatch, test.etag); got != test.want {
				t.Errorf("MatchesETag(%q, %q) = %t", test.ifMatch, test.etag, got)
			}
		})
	}
}
