package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"example.com/svc"
)

// This file compares what is read of forms with what net/http reads, by ParseMultipartForm and
// ParseForm: each form has the same fields for both, or svc refuses it and names the part.

// JudgedAPI returns what it reads of a form. All fields are lists of strings, which take every text.
type JudgedAPI interface {
	Fields(ctx context.Context, in *JudgedForm) (*JudgedFields, error)
	File(ctx context.Context, in *JudgedFile) (*JudgedFields, error)
}

type (
	JudgedForm struct {
		A []string `json:"a,omitempty"`
		B []string `json:"b c,omitempty"`
		U []string `json:"ü,omitempty"`
	}
	JudgedFile struct {
		JudgedForm
		File svc.Body `json:"file,omitempty"`
	}
	JudgedFields struct {
		Fields map[string][]string `json:"fields"`
		Name   string              `json:"name"`
		Type   string              `json:"type"`
		File   []byte              `json:"file"`
	}
	judge struct{}
)

func (judge) Fields(_ context.Context, in *JudgedForm) (*JudgedFields, error) {
	return &JudgedFields{Fields: in.fields()}, nil
}

func (in *JudgedForm) fields() map[string][]string {
	return map[string][]string{"a": in.A, "b c": in.B, "ü": in.U}
}

func (judge) File(_ context.Context, in *JudgedFile) (*JudgedFields, error) {
	content, err := io.ReadAll(in.File)
	return &JudgedFields{in.fields(), in.File.FileName, in.File.ContentType, content}, err
}

func judgedForms() http.Handler {
	return svc.MustRegister[JudgedAPI](judge{}, &svc.Options{Resource: "judged", Methods: map[string]svc.MethodOptions{
		"Fields": {Form: true, HTTP: "POST /fields"},
		"File":   {Form: true, HTTP: "POST /file"},
	}}).REST()
}

// A formSample is a request with a form.
type formSample struct {
	path, contentType string
	body              []byte
	plain             bool // it is as browsers and mime/multipart write it, and must be accepted
}

func (s formSample) request() *http.Request {
	r := httptest.NewRequest("POST", s.path, bytes.NewReader(s.body))
	r.Header.Set("Content-Type", s.contentType)
	return r
}

// randomForm returns a form with parts of all kinds, as a writer of forms writes it, or damaged.
func randomForm(r *rand.Rand) formSample {
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	value := func() string {
		return pick("", "x", "a b&c=d;e", "ü€", "\r\n--b", "--b--\r\n", strings.Repeat("long ", r.Intn(2000)), "1", "\r\n", "\n--", "\x00")
	}
	if r.Intn(5) == 0 {
		var pairs []string
		for range r.Intn(6) {
			pairs = append(pairs, pick("a", "b+c", "b%20c", "%C3%BC", "%61", "z", "")+pick("=", "=", "=", "")+pick("x", "", "%20", "+", "%zz", ";", "%FF", "%C3%BC", "a=b", "%3B%26", "%"))
		}
		return formSample{path: "/fields", contentType: "application/x-www-form-urlencoded", body: []byte(strings.Join(pairs, pick("&", "&", "&", "&&")))}
	}
	s := formSample{path: pick("/fields", "/file"), plain: true}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	w.SetBoundary(pick("b", "----WebKitFormBoundary7MA4YWxkTrZu0gW", strings.Repeat("x", 70), "a b:c"))
	for range r.Intn(6) {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + pick("a", "a", "b c", "ü", "z") + `"`}}
		if r.Intn(8) == 0 {
			h.Set(pick("Content-Type", "X-Other"), "text/plain; charset=utf-8")
		}
		part, _ := w.CreatePart(h)
		io.WriteString(part, value())
	}
	if s.path == "/file" && r.Intn(3) > 0 {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` + pick("a.png", "ä.txt", "../../etc/passwd", "/tmp/x", `C:\\a\\b`, "a\tb", "..", " ") + `"`}}
		h.Set("Content-Type", pick("image/png", "application/octet-stream", "text/plain; charset=iso-8859-1"))
		part, _ := w.CreatePart(h)
		io.WriteString(part, strings.Repeat(value(), 1+r.Intn(3)))
	}
	w.Close()
	s.contentType, s.body = w.FormDataContentType(), body.Bytes()
	s.plain = w.Boundary() != "b" // which some values have
	if r.Intn(2) == 0 {
		s.damage(r)
	}
	return s
}

// damage changes the form in one to three places.
func (s *formSample) damage(r *rand.Rand) {
	s.plain = false
	for range 1 + r.Intn(3) {
		at := r.Intn(len(s.body) + 1)
		if i := bytes.Index(s.body[at:], []byte("\r\n")); i >= 0 && r.Intn(2) == 0 {
			at += i // where there is more to break
		}
		switch r.Intn(5) {
		case 0:
			s.body = s.body[:at]
		case 1:
			s.body = slices.Delete(s.body, at, min(at+1+r.Intn(4), len(s.body)))
		case 2:
			text := []string{"\r\n", "\n", "--", "\"", ";", " ", "\x00", "\xff", "filename=\"\"; ", "; filename=x", "Content-Transfer-Encoding: quoted-printable\r\n", "\r\n--b\r\n"}[r.Intn(12)]
			s.body = slices.Insert(s.body, at, []byte(text)...)
		case 3:
			from := r.Intn(at + 1)
			s.body = slices.Insert(s.body, at, s.body[from:at]...)
		case 4:
			if at < len(s.body) {
				s.body[at] ^= 1 << r.Intn(8)
			}
		}
	}
}

// judgeForm sends s, and compares the answer with net/http. It reports whether s is accepted.
func judgeForm(t *testing.T, h http.Handler, s formSample) bool {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, s.request())
	r := s.request()
	r.ParseForm()
	fields, files, err := r.PostForm, map[string][]*multipart.FileHeader(nil), error(nil)
	if strings.HasPrefix(s.contentType, "multipart/") {
		if err = r.ParseMultipartForm(1 << 20); err == nil {
			fields, files = r.MultipartForm.Value, r.MultipartForm.File
		}
	}
	if w.Code != 200 {
		var answer struct {
			Error struct {
				Message string
				Details struct{ Violations []svc.Violation }
			}
		}
		json.Unmarshal(w.Body.Bytes(), &answer)
		names := func(v svc.Violation) bool {
			return v.In == "body" && (v.Path != "" || strings.Contains(v.Message, "part ") || strings.Contains(v.Message, "follows its end"))
		}
		isNamed := len(answer.Error.Details.Violations) > 0 && !slices.ContainsFunc(answer.Error.Details.Violations, func(v svc.Violation) bool { return !names(v) })
		if w.Code/100 != 4 || !isNamed && w.Code != 415 && w.Code != 413 || s.plain && !strings.Contains(string(s.body), "\x00") {
			t.Fatalf("%s %q\n%q\nis refused: %d %s", s.path, s.contentType, s.body, w.Code, w.Body)
		}
		return false
	}
	var got JudgedFields
	if e := json.Unmarshal(w.Body.Bytes(), &got); e != nil || err != nil {
		t.Fatalf("%q is accepted: %v %v", s.body, e, err)
	}
	for name, values := range got.Fields {
		if !slices.Equal(values, fields[name]) {
			t.Fatalf("%q: %s is %q, for net/http %q", s.body, name, values, fields[name])
		}
	}
	checkJudgedFile(t, s, &got, fields, files)
	return true
}

// checkJudgedFile compares the file that svc has read with that of net/http, for which a file without
// a name is a field.
func checkJudgedFile(t *testing.T, s formSample, got *JudgedFields, fields map[string][]string, files map[string][]*multipart.FileHeader) {
	t.Helper()
	if strings.ContainsAny(got.Name, `/\`) || got.Name == "." || got.Name == ".." || strings.ContainsFunc(got.Name, unicode.IsControl) || len(got.Name) > 255 {
		t.Fatalf("%q: the name is %q", s.body, got.Name)
	}
	if s.path != "/file" {
		return
	}
	var want []byte
	switch {
	case len(files["file"]) > 0:
		file, err := files["file"][0].Open()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		want, _ = io.ReadAll(file)
		name := filepath.Base(files["file"][0].Filename)
		if got.Name != "" && !strings.ContainsAny(name, `\`) && strings.TrimSpace(name) != got.Name && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
			t.Fatalf("%q: the name is %q, for net/http %q", s.body, got.Name, name)
		}
		if kind := strings.Join(files["file"][0].Header["Content-Type"], ", "); kind != got.Type {
			t.Fatalf("%q: the type is %q, for net/http %q", s.body, got.Type, kind)
		}
	case len(fields["file"]) > 0: // of several, all but the last are empty, and absent
		want = []byte(fields["file"][len(fields["file"])-1])
	}
	if !bytes.Equal(got.File, want) {
		t.Fatalf("%q: the file is %q, for net/http %q", s.body, got.File, want)
	}
}

// Verify that random forms, of which half are damaged, have the fields that net/http finds, or are
// refused with the name of a part.
func TestRandomForms(t *testing.T) {
	n := rounds(2000, 20_000)
	h, r, accepted := judgedForms(), rand.New(rand.NewSource(45)), 0
	for range n {
		if judgeForm(t, h, randomForm(r)) {
			accepted++
		}
	}
	if accepted < n/4 || accepted > n*9/10 {
		t.Errorf("%d of %d are accepted, which says little", accepted, n)
	}
}

// Any text is refused with the name of a part, or has the fields that net/http finds.
func FuzzForm(f *testing.F) {
	for _, test := range formRequests {
		f.Add(test.contentType, []byte(test.body))
	}
	r := rand.New(rand.NewSource(1))
	for range 20 {
		s := randomForm(r)
		f.Add(s.contentType, s.body)
	}
	h := judgedForms()
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		if strings.Count(string(body), "\n--") > 100 || len(body) > 1<<16 { // the limits of the two differ
			return
		}
		for _, path := range []string{"/fields", "/file"} {
			judgeForm(t, h, formSample{path: path, contentType: contentType, body: body})
		}
	})
}

// hostileNames are names of files that lead somewhere, on some system.
var hostileNames = []string{
	"../../etc/passwd", "/etc/passwd", `..\\..\\windows\\win.ini`, `C:\\boot.ini`, "..", ".", "a/..", "a/b/", "x\x00.png", "x\u0085y", "\u202egnp.exe", "nul\x7f", strings.Repeat("ä", 300), "%2e%2e%2f", "~/x", "\xff/\xfe",
}

// Verify that names of files never have directories or control characters, and that svc opens
// no file for them.
func TestFileNamesLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Chdir(dir)
	h := judgedForms()
	for i, name := range hostileNames {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for _, params := range []string{`filename="` + strings.NewReplacer("\x00", "", "\r", "", "\n", "").Replace(name) + `"`, "filename*=UTF-8''" + escapedName(name)} {
				s := formSample{path: "/file", contentType: formMultipart, body: []byte(formPart(`name="file"; `+params, strings.Repeat("x", 1<<20)) + formEnd)}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, s.request()); w.Code != 200 && w.Code != 413 && w.Code != 400 {
					t.Fatalf("%d %.300s", w.Code, w.Body)
				}
				var got JudgedFields
				json.Unmarshal(w.Body.Bytes(), &got)
				checkJudgedFile(t, formSample{}, &got, nil, nil)
			}
		})
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// escapedName returns name with all bytes escaped.
func escapedName(name string) string {
	var text strings.Builder
	for _, c := range []byte(name) {
		fmt.Fprintf(&text, "%%%02X", c)
	}
	return text.String()
}
