package blackbox_test

import (
	"context"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/svc"
)

// This file is the media types of uploads and downloads.

// mediaType is the rule media-type of RFC 9110, section 8.3.1, with the rules of section 5.6, but
// for bytes beyond ASCII in quotes, which recipients read in different ways.
var mediaType = func() *regexp.Regexp {
	const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	const quoted = `"(?:[\t !#-\[\]-~]|\\[\t -~])*"`
	const parameter = token + "=(?:" + token + "|" + quoted + ")"
	return regexp.MustCompile("^" + token + "/" + token + `(?:[ \t]*;[ \t]*(?:` + parameter + ")?)*$")
}()

// multipartForm matches the media type of forms, which a Body does not have.
var multipartForm = regexp.MustCompile(`(?i)^multipart/form-data[ \t]*(?:;|$)`)

// randomType returns a text that is made of parts of media types, often in the right order.
func randomType(r *rand.Rand) string {
	pick := func(parts ...string) string { return parts[r.Intn(len(parts))] }
	text := pick("image", "text", "a", "", "*", "multipart", "ä", "a b") + pick("/", "/", "/", "/", "", "//") + pick("png", "x-y+z", "b", "", "*", "form-data", "c,d/e")
	for range r.Intn(4) {
		text += pick(";", "; ", " ;\t", ";;", ",", " ", "; ;")
		text += pick("charset", "a", "x*", "", "ä", "a b") + pick("=", "=", "=", "", " = ", "==")
		text += pick("utf-8", `"a, b"`, `"\""`, `"a`, "", `"ä"`, "a,text/html", "\"\x7f\"", `"a\`, "1\n2", `"\ä"`, "\x00")
	}
	return text
}

// echoType serves a method whose answer is a File with the type of its Body.
func echoType() http.Handler {
	return registerBodies(bodies{copy: func(_ context.Context, b svc.Body) *svc.File {
		return &svc.File{ContentType: b.ContentType, Content: strings.NewReader("x")}
	}}).REST()
}

// checkType sends an upload with these lines of Content-Type to echoType, and reports whether it
// is taken. It fails if one line is taken that is not one media type, if another is refused, or
// if what is taken does not come back.
func checkType(t *testing.T, h http.Handler, lines ...string) bool {
	t.Helper()
	r, w := httptest.NewRequest("POST", "/bodies/copy", strings.NewReader("x")), httptest.NewRecorder()
	r.Header["Content-Type"] = lines
	h.ServeHTTP(w, r)
	got := w.Header().Get("Content-Type")
	switch isOne := len(lines) == 1 && len(lines[0]) <= 1<<10 && mediaType.MatchString(lines[0]) && strings.TrimRight(lines[0], " \t") == lines[0]; { // a header has no space at its end
	case len(lines) == 1 && lines[0] == "": // as none
	case isOne && multipartForm.MatchString(lines[0]):
		if w.Code != 415 || !strings.Contains(w.Body.String(), "MethodOptions.Form") {
			t.Fatalf("%q: %d %s", lines[0], w.Code, w.Body)
		}
	case isOne && (w.Code != 200 || got != lines[0]):
		t.Fatalf("%q: %d, and it comes back as %q", lines[0], w.Code, got)
	case !isOne && (w.Code != 415 || !strings.Contains(w.Body.String(), "must be one media type, such as application/octet-stream")):
		t.Fatalf("%q: %d %s", lines, w.Code, w.Body)
	}
	return w.Code == 200
}

// Verify that a Content-Type that a Body may have can be sent back by a File, unchanged, and that
// it may have each that is one media type.
func TestMediaTypesComeBack(t *testing.T) {
	h, r, taken := echoType(), rand.New(rand.NewSource(1)), 0
	for range 10_000 {
		lines := []string{randomType(r)}
		if r.Intn(10) == 0 {
			lines = append(lines, randomType(r))
		}
		if checkType(t, h, lines...) {
			taken++
		}
	}
	for length, want := range map[int]bool{1 << 10: true, 1<<10 + 1: false} {
		if text := "a/b;c="; checkType(t, h, text+strings.Repeat("d", length-len(text))) != want {
			t.Errorf("%d bytes: want %v", length, want)
		}
	}
	if taken < 500 || taken > 9500 {
		t.Errorf("%d of 10000 are taken, which says little", taken)
	}
}

// A Content-Type of any text is taken if it is one media type, and then comes back.
func FuzzMediaType(f *testing.F) {
	for _, text := range []string{"", "a/b", "image/png;a=b,text/html", `a/b;x="1, \"2"; y=z;`, "text/csv; charset", "a/b;;c=d", "*/*", `a/b;x="\`, "a/b;x=\"\xff\"", " a/b"} {
		f.Add(text)
	}
	h := echoType()
	f.Fuzz(func(t *testing.T, text string) { checkType(t, h, text) })
}

// OrderedAPI has media types that are not in the order of the alphabet, one of them twice.
type OrderedAPI interface {
	Convert(ctx context.Context, in *OrderedUpload) (*OrderedFile, error)
	Any(ctx context.Context, in *PostFile) (*svc.File, error)
}

type (
	OrderedUpload struct {
		Content svc.Body `contentType:"text/plain,image/png,application/pdf,image/png"`
	}
	OrderedFile struct {
		svc.File `contentType:"text/csv,text/html,image/gif"`
	}
	orderedFiles struct{ OrderedAPI }
)

// Verify that documents name media types in the order of the tag, and a Body of any type as
// application/octet-stream.
func TestMediaTypesInDocuments(t *testing.T) {
	s := svc.MustRegister[OrderedAPI](orderedFiles{}, &svc.Options{Resource: "ordered"})
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	const file = `":{"schema":{"type":"string","format":"binary"}}`
	for _, test := range []struct{ name, text, want string }{
		{"upload", w.Body.String(), `"content":{"text/plain` + file + `,"image/png` + file + `,"application/pdf` + file + `}`},
		{"download", w.Body.String(), `"content":{"text/csv` + file + `,"text/html` + file + `,"image/gif` + file + `}`},
		{"any upload", w.Body.String(), `"requestBody":{"description":"Any media type is accepted.","required":true,"content":{"application/octet-stream` + file + `}}`},
		{"any download", w.Body.String(), `"content":{"*/*` + file + `}`},
		{"Markdown", getDocs(s, docsAll, "GET", "/llms.txt").Body.String(), "a file as `text/plain` or `image/png` or `application/pdf`."},
		{"Markdown of any", getDocs(s, docsAll, "GET", "/llms.txt").Body.String(), "a file as `application/octet-stream`. Any media type is accepted."},
		{"curl", getDocs(s, docsAll, "GET", "/llms.txt").Body.String(), "-T FILE -H 'Content-Type: text/plain'"},
		{"curl of any", getDocs(s, docsAll, "GET", "/llms.txt").Body.String(), "-T FILE -H 'Content-Type: application/octet-stream'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.text, test.want) {
				t.Errorf("there is no\n%s\nin\n%s", test.want, test.text)
			}
		})
	}
}
