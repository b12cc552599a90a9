package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file is forms: which are read, which are refused, and what clients and documents make of
// them. form_oracle_test.go compares with net/http.

// FormAPI reads forms.
type FormAPI interface {
	Plain(ctx context.Context, in *PlainForm) (*FormSeen, error)
	Upload(ctx context.Context, in *UploadForm) (*FormSeen, error)
	Optional(ctx context.Context, in *OptionalForm) (*FormSeen, error)
}

type (
	PlainForm struct {
		ID    int        `json:"id"`
		Title string     `json:"title" minLength:"1" doc:"What it is called."`
		Tags  []string   `json:"tags,omitempty" maxItems:"3"`
		Sizes []*int8    `json:"sizes,omitempty"`
		Count *int       `json:"count,omitempty" minimum:"1"`
		Done  bool       `json:"done,omitempty"`
		Color string     `json:"color,omitempty" default:"red" enum:"red,blue"`
		Level int        `json:"level,omitempty" default:"4"`
		Raw   []byte     `json:"raw,omitempty"`
		At    *time.Time `json:"at,omitempty"`
		Big   int64      `json:"big,string,omitempty"`
	}
	UploadForm struct {
		Title string   `json:"title"`
		Tags  []string `json:"tags,omitempty"`
		Photo svc.Body `json:"photo" contentType:"image/png,text/plain" maxBytes:"1000"`
		Note  string   `json:"note,omitempty"`
	}
	OptionalForm struct {
		Note string   `json:"note,omitempty"`
		File svc.Body `json:"file,omitempty" doc:"Any file."`
	}
	FormSeen struct {
		Text string `json:"text"`
	}
	formService struct{}
)

func (formService) Plain(_ context.Context, in *PlainForm) (*FormSeen, error) {
	text := fmt.Sprintf("id %d, title %q, tags %q, sizes", in.ID, in.Title, in.Tags)
	for _, n := range in.Sizes {
		text += fmt.Sprint(" ", *n)
	}
	if in.Count != nil {
		text += fmt.Sprint(", count ", *in.Count)
	}
	return &FormSeen{text + fmt.Sprintf(", done %v, color %s, level %d, raw %q, at %v, big %d", in.Done, in.Color, in.Level, in.Raw, in.At, in.Big)}, nil
}

func (formService) Upload(_ context.Context, in *UploadForm) (*FormSeen, error) {
	text, err := readPart(in.Photo)
	return &FormSeen{fmt.Sprintf("title %q, tags %q, note %q, photo %s", in.Title, in.Tags, in.Note, text)}, err
}

func (formService) Optional(_ context.Context, in *OptionalForm) (*FormSeen, error) {
	text, err := readPart(in.File)
	return &FormSeen{fmt.Sprintf("note %q, file %s", in.Note, text)}, err
}

// readPart reads a Body and describes it.
func readPart(b svc.Body) (string, error) {
	content, err := io.ReadAll(b)
	return fmt.Sprintf("%q %q %d: %q", b.FileName, b.ContentType, b.Size, content), err
}

func formOptions() *svc.Options {
	return &svc.Options{Resource: "forms", MaxBody: 2000, Methods: map[string]svc.MethodOptions{
		"Plain":    {Form: true, HTTP: "POST /forms/{id}"},
		"Upload":   {Form: true},
		"Optional": {Form: true, HTTP: "PUT /forms/optional"},
	}}
}

func newForms() *svc.Service { return svc.MustRegister[FormAPI](formService{}, formOptions()) }

// The media types of forms, with the boundary of formPart.
const (
	formEncoded   = "application/x-www-form-urlencoded"
	formMultipart = "multipart/form-data; boundary=b"
)

// formPart returns a part of a form whose Content-Disposition has these parameters. More headers
// can follow them.
func formPart(params, value string) string {
	return "--b\r\nContent-Disposition: form-data; " + params + "\r\n\r\n" + value + "\r\n"
}

const formEnd = "--b--\r\n"

// formRequests are requests with forms, each with the path after /forms/.
var formRequests = []struct{ name, path, contentType, body string }{
	{"fields in a text", "7", formEncoded, "title=My+cat%21&tags=a&tags=b%20c&sizes=1&sizes=-2&count=3&done=true&raw=aGk%3D&at=2026-01-02T15:04:05Z&big=9007199254740993&unknown=1"},
	{"with a charset", "7", formEncoded + "; charset=UTF-8", "title=%C3%A4"},
	{"a Content-Type of more than 1 KiB", "7", formEncoded + "; a=" + strings.Repeat("b", 1<<10), "title=x"},
	{"nothing filled in", "7", formEncoded, "title=x&tags=&sizes=&count=&color=blue&level=&raw=&at=&big="},
	{"an empty text that a rule refuses", "7", formEncoded, "title=x&color="},
	{"a checkbox", "7", formEncoded, "title=x&done=on"},
	{"on is no other value", "7", formEncoded, "title=on&count=on"},
	{"required and empty", "7", formEncoded, "title="},
	{"all that is wrong", "x", formEncoded, "tags=1&tags=2&tags=3&tags=4&sizes=1&sizes=300&count=0&done=of&color=green&at=now"},
	{"twice", "7", formEncoded, "title=a&title=b"},
	{"a bad escape", "7", formEncoded, "title=%zz"},
	{"a semicolon", "7", formEncoded, "title=a;done=true"},
	{"no UTF-8", "7", formEncoded, "title=%ff"},
	{"empty", "7", formEncoded, ""},
	{"parts", "7", formMultipart, formPart(`name="title"`, "My\r\n-- cat\r\n--") + formPart("name=tags", "a") + formPart(`name="tags"`, "") + formPart(`name="done"`, "on") + formPart(`name="count"`, "") + formPart(`name="other"; filename="x"`, "y") + formEnd},
	{"a text before the form", "7", formMultipart, "This is MIME.\r\n" + formPart(`name="title"`, "x") + formEnd},
	{"no end of a line", "7", formMultipart, formPart(`name="title"`, "x") + "--b--"},
	{"a text behind the form", "7", formMultipart, formPart(`name="title"`, "x") + formEnd + "more"},
	{"too much behind the form", "7", formMultipart, formPart(`name="title"`, "x") + formEnd + strings.Repeat("x", 4100)},
	{"a type of a part", "7", formMultipart, formPart("name=\"title\"\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit", "ä") + formEnd},
	{"another charset", "7", formMultipart, formPart("name=\"title\"\r\nContent-Type: text/plain; charset=iso-8859-1", "a") + formEnd},
	{"an encoding", "7", formMultipart, formPart("name=\"title\"\r\nContent-Transfer-Encoding: base64", "YQ==") + formEnd},
	{"a file as a text", "7", formMultipart, formPart(`name="title"; filename="a.txt"`, "a") + formEnd},
	{"an empty file as a text", "7", formMultipart, formPart(`name="title"; filename=""`, "a") + formEnd},
	{"no name", "7", formMultipart, formPart(`name="title"`, "x") + formPart(`nam="a"`, "a") + formEnd},
	{"no form-data", "7", formMultipart, "--b\r\nContent-Disposition: attachment; name=title\r\n\r\nx\r\n" + formEnd},
	{"two dispositions", "7", formMultipart, formPart("name=title\r\nContent-Disposition: form-data; name=color", "x") + formEnd},
	{"a header that is none", "7", formMultipart, formPart("name=title\r\nä b", "x") + formEnd},
	{"cut in a value", "7", formMultipart, formPart(`name="title"`, "My cat")},
	{"cut behind a boundary", "7", formMultipart, formPart(`name="title"`, "My cat") + "--b\r\n"},
	{"cut in a header", "7", formMultipart, formPart(`name="title"`, "My cat") + "--b\r\nContent-Disp"},
	{"cut behind a header", "7", formMultipart, formPart(`name="title"`, "My cat") + "--b\r\nContent-Disposition: form-data; name=done\r\n"},
	{"cut in the last boundary", "7", formMultipart, formPart(`name="title"`, "My cat") + "--b-"},
	{"no parts", "7", formMultipart, formEnd},
	{"no form at all", "7", formMultipart, ""},
	{"lines without a carriage return", "7", formMultipart, "--b\nContent-Disposition: form-data; name=title\n\nx\n--b--\n"},
	{"JSON", "7", "application/json", "{}"},
	{"no Content-Type", "7", "", "title=x"},
	{"no boundary", "7", "multipart/form-data", formEnd},
	{"a boundary that is none", "7", `multipart/form-data; boundary="a<b"`, formEnd},
	{"a Content-Type that is none", "7", `multipart/form-data; boundary`, formEnd},
	{"another charset of all", "7", formEncoded + "; charset=utf-16", "title=x"},
	{"too long", "7", formEncoded, "title=" + strings.Repeat("x", 2000)},

	{"a file", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"C:\\photos\\..\\cat.png\"\r\nContent-Type: image/png", "\x89\r\n--\r\n--bc\x00") + formEnd},
	{"a file without a name", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"\r\nContent-Type: text/plain", "") + formEnd},
	{"an extended name", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"e.png\"; filename*=UTF-8''%e2%82%ac%0a%2fx.png\r\nContent-Type: IMAGE/PNG; a=b", "1") + formEnd},
	{"a quote as browsers write it", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a%22b%20.png\"\r\nContent-Type: image/png", "1") + formEnd},
	{"a quote as other programs write it", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\\\"b%20.png\"\r\nContent-Type: image/png", "1") + formEnd},
	{"a quote in an extended name", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename*=UTF-8''a%22b%2522.png\r\nContent-Type: image/png", "1") + formEnd},
	{"a text with a file", "upload", formEncoded, "title=x"},
	{"no file", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart(`name="note"`, "n") + formEnd},
	{"a file input left empty", "upload", formMultipart, formPart("name=\"photo\"; filename=\"\"\r\nContent-Type: application/octet-stream", "") + formPart(`name="title"`, "cat") + formEnd},
	{"bytes without a name", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"\"\r\nContent-Type: text/plain", "abc") + formEnd},
	{"a file before a required field", "upload", formMultipart, formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", "abc") + formPart(`name="title"`, "cat") + formEnd},
	{"a field behind the file", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", "abc") + formPart(`name="note"`, "n") + formEnd},
	{"two files", "upload", formMultipart, formPart(`name="title"`, "cat") + strings.Repeat(formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", "abc"), 2) + formEnd},
	{"another type", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: image/gif", "abc") + formEnd},
	{"no type", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart(`name="photo"; filename="a"`, "abc") + formEnd},
	{"two types", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: image/png\r\nContent-Type: image/png", "abc") + formEnd},
	{"an encoded file", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: quoted-printable", "abc") + formEnd},
	{"a file that is cut", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", "abc")},
	{"cut behind the file", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", "abc") + "--b\r\n"},
	{"the largest file", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", strings.Repeat("x", 1000)) + formEnd},
	{"a file that is too large", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", strings.Repeat("x", 1001)) + formEnd},
	{"a file that is much too large", "upload", formMultipart, formPart(`name="title"`, "cat") + formPart("name=\"photo\"; filename=\"a\"\r\nContent-Type: text/plain", strings.Repeat("x", 20_000)) + formEnd},
	{"an optional file", "optional", formMultipart, formPart(`name="file"; filename="x/.."`, strings.Repeat("x", 10)) + formEnd},
	{"no optional file", "optional", formMultipart, formEnd},
	{"an optional file left empty", "optional", formMultipart, formPart(`name="file"; filename=""`, "") + formPart(`name="note"`, "n") + formEnd},
}

// Verify what a form is, and that what is none is refused with the place.
func TestForms(t *testing.T) {
	h := newForms().REST()
	var cases []goldenCase
	for _, test := range formRequests {
		cases = append(cases, goldenCase{test.name, func(*testing.T) string {
			verb := "POST"
			if test.path == "optional" {
				verb = "PUT"
			}
			r, w := httptest.NewRequest(verb, "/forms/"+test.path, strings.NewReader(test.body)), httptest.NewRecorder()
			if r.Header.Set("Content-Type", test.contentType); test.contentType == "" {
				r.Header.Del("Content-Type")
			}
			h.ServeHTTP(w, r)
			return fmt.Sprintf("\n%s: %s\n\t%.300q\n\t%d %s\n", test.name, test.contentType, test.body, w.Code, w.Body)
		}})
	}
	goldenCases(t, "forms/requests.txt", cases)
}

// Verify that before the file a form can have as many bytes as MaxBody says, and no more, and that
// it has at most 1,000 parts.
func TestFormLimits(t *testing.T) {
	fields := func(n int) string {
		text := formPart(`name="note"`, "") + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
		return formPart(`name="note"`, strings.Repeat("x", n-len(text))) + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	}
	const end = "\r\n--b--\r\n"
	many := &svc.Options{Resource: "forms", Methods: formOptions().Methods}
	for _, test := range []struct {
		name, body string
		options    *svc.Options
		want       int
	}{
		{"as many as there may be", fields(2000) + strings.Repeat("y", 2000) + end, formOptions(), 200},
		{"one more in the fields", fields(2001) + strings.Repeat("y", 2000) + end, formOptions(), 413},
		{"one more in the file", fields(2000) + strings.Repeat("y", 2001) + end, formOptions(), 413},
		{"no file, and one more", formPart(`name="note"`, strings.Repeat("x", 2001-len(formPart(`name="note"`, ""))-len(formEnd))) + formEnd, formOptions(), 413},
		{"no file, and as many as there may be", formPart(`name="note"`, strings.Repeat("x", 2000-len(formPart(`name="note"`, ""))-len(formEnd))) + formEnd, formOptions(), 200},
		{"1000 parts", strings.Repeat(formPart(`name="a"`, "x"), 999) + formPart(`name="file"; filename="a"`, "x") + formEnd, many, 200},
		{"1001 parts", strings.Repeat(formPart(`name="a"`, "x"), 1000) + formPart(`name="file"; filename="a"`, "x") + formEnd, many, 413},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w := httptest.NewRequest("PUT", "/forms/optional", strings.NewReader(test.body)), httptest.NewRecorder()
			r.Header.Set("Content-Type", formMultipart)
			if svc.MustRegister[FormAPI](formService{}, test.options).REST().ServeHTTP(w, r); w.Code != test.want {
				t.Errorf("%d %.300s", w.Code, w.Body)
			}
		})
	}
}

// formClient has the methods of FormAPI.
type formClient struct {
	Plain    func(ctx context.Context, in *PlainForm) (*FormSeen, error)
	Upload   func(ctx context.Context, in *UploadForm) (*FormSeen, error)
	Optional func(ctx context.Context, in *OptionalForm) (*FormSeen, error)
}

// closeNote is a content that notes its end.
type closeNote struct {
	io.Reader
	closed bool
}

func (c *closeNote) Close() error {
	c.closed = true
	return nil
}

// Verify that clients send forms, and close the content that they send or do not send.
func TestFormClient(t *testing.T) {
	var c formClient
	if err := svc.Connect[FormAPI](&c, "", &svc.ClientOptions{Handler: newForms().REST(), Service: formOptions()}); err != nil {
		t.Fatal(err)
	}
	ctx, three, minus := context.Background(), 3, int8(-1)
	named := func(content io.Reader, contentType, name string) svc.Body {
		b := svc.NewBody(content, contentType)
		b.FileName = name
		return b
	}
	for _, test := range []struct {
		name string
		call func() (*FormSeen, error)
		want string
	}{
		{"all fields", func() (*FormSeen, error) {
			return c.Plain(ctx, &PlainForm{ID: 7, Title: "a+b & ä;\r\n", Tags: []string{"", "x=y"}, Sizes: []*int8{&minus}, Count: &three, Done: true, Color: "blue", Raw: []byte("hi"), Big: 1 << 60})
		}, `id 7, title "a+b & ä;\r\n", tags ["" "x=y"], sizes -1, count 3, done true, color blue, level 4, raw "hi", at <nil>, big 1152921504606846976`},
		{"a null", func() (*FormSeen, error) { return c.Plain(ctx, &PlainForm{Title: "x", Sizes: []*int8{nil}}) }, "must not be null, which a query or a form cannot carry"},
		{"a rule", func() (*FormSeen, error) { return c.Plain(ctx, &PlainForm{}) }, "/title must have at least 1 character"},
		{"a file", func() (*FormSeen, error) {
			return c.Upload(ctx, &UploadForm{Title: "ä\r\n--b", Tags: []string{"a", "b"}, Photo: named(strings.NewReader("x\r\n--"), "text/plain", `a/"q" \ ä.txt`)})
		}, `title "ä\r\n--b", tags ["a" "b"], note "", photo "ä.txt" "text/plain" -1: "x\r\n--"`},
		{"quotes in a name", func() (*FormSeen, error) {
			return c.Upload(ctx, &UploadForm{Title: "x", Photo: named(io.MultiReader(strings.NewReader("of no known length")), "text/plain", `"q".txt`)})
		}, `title "x", tags [], note "", photo "\"q\".txt" "text/plain" -1: "of no known length"`},
		{"another type", func() (*FormSeen, error) {
			return c.Upload(ctx, &UploadForm{Title: "x", Photo: named(strings.NewReader("x"), "image/gif", "a")})
		}, "INVALID_ARGUMENT: the Content-Type of the part photo must be image/png or text/plain"},
		{"a file that is too large", func() (*FormSeen, error) {
			return c.Upload(ctx, &UploadForm{Title: "x", Photo: named(strings.NewReader(strings.Repeat("x", 1001)), "text/plain", "a")})
		}, "RESOURCE_EXHAUSTED: the file photo has more than 1000 bytes"},
		{"a type beside Service.Call", func() (*FormSeen, error) {
			_, err := newForms().Call(ctx, "forms", "upload", &UploadForm{Title: "x", Photo: named(strings.NewReader("x"), "image/gif", "a")})
			return nil, err
		}, "INVALID_ARGUMENT: the Content-Type of the part photo must be image/png or text/plain"},
		{"no file", func() (*FormSeen, error) { return c.Optional(ctx, &OptionalForm{Note: "n"}) }, `note "n", file "" "" 0: ""`},
		{"nothing", func() (*FormSeen, error) { return c.Optional(ctx, &OptionalForm{}) }, `note "", file "" "" 0: ""`},
		{"an optional file", func() (*FormSeen, error) {
			return c.Optional(ctx, &OptionalForm{File: svc.NewBody(bytes.NewReader(nil), "")})
		}, `note "", file "" "" -1: ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := test.call()
			got := fmt.Sprint(err)
			if err == nil {
				got = out.Text
			}
			if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	for _, test := range []struct{ name, title, contentType string }{
		{"sent", "x", "text/plain"},
		{"of a wrong type", "x", "image/gif"},
		{"beside a wrong field", "\xff", "text/plain"},
	} {
		t.Run("closed "+test.name, func(t *testing.T) {
			content := &closeNote{Reader: strings.NewReader("x")}
			if c.Upload(ctx, &UploadForm{Title: test.title, Photo: svc.NewBody(content, test.contentType)}); !content.closed {
				t.Error("the content is not closed")
			}
		})
	}
}

// Verify that the method gets the fields before the file has arrived, reads it while it arrives,
// and learns that it was cut.
func TestFormStreams(t *testing.T) {
	type step struct {
		title, text string
		err         error
	}
	steps := make(chan step, 10)
	s := svc.MustRegister[FormAPI](streamedForm{func(in *UploadForm) {
		steps <- step{title: in.Title}
		for {
			p := make([]byte, 100)
			n, err := in.Photo.Read(p)
			if steps <- (step{text: string(p[:n]), err: err}); err != nil {
				return
			}
		}
	}}, formOptions())
	r, body := io.Pipe()
	done := make(chan int)
	go func() {
		request, w := httptest.NewRequest("POST", "/forms/upload", r), httptest.NewRecorder()
		request.Header.Set("Content-Type", formMultipart)
		s.REST().ServeHTTP(w, request)
		done <- w.Code
	}()
	io.WriteString(body, formPart(`name="title"`, "cat")+"--b\r\nContent-Disposition: form-data; name=photo\r\nContent-Type: image/png\r\n\r\n")
	if got := <-steps; got.title != "cat" {
		t.Fatalf("got %v", got)
	}
	for _, text := range []string{"one", "two"} {
		io.WriteString(body, text)
		if got := <-steps; got.text != text || got.err != nil {
			t.Fatalf("got %q %v", got.text, got.err)
		}
	}
	body.CloseWithError(io.ErrUnexpectedEOF)
	var e *svc.Error
	if got := <-steps; !errors.As(got.err, &e) || e.Message != "the request body ended early" {
		t.Errorf("got %q %v", got.text, got.err)
	}
	if status := <-done; status != 400 {
		t.Errorf("status %d", status)
	}
}

// streamedForm calls a function for an upload.
type streamedForm struct{ read func(in *UploadForm) }

func (f streamedForm) Plain(context.Context, *PlainForm) (*FormSeen, error) { return nil, nil }
func (f streamedForm) Upload(_ context.Context, in *UploadForm) (*FormSeen, error) {
	f.read(in)
	return new(FormSeen), nil
}
func (f streamedForm) Optional(context.Context, *OptionalForm) (*FormSeen, error) { return nil, nil }

// Verify what documents say of forms.
func TestFormDocuments(t *testing.T) {
	s := newForms()
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		t.Run(version, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/?openapi="+version, nil))
			var text bytes.Buffer
			if err := json.Indent(&text, w.Body.Bytes(), "", "  "); err != nil {
				t.Fatal(err)
			}
			golden(t, "forms/openapi"+version+".json", append(text.Bytes(), '\n'))
		})
	}
	t.Run("Markdown", func(t *testing.T) {
		golden(t, "forms/llms.txt", getDocs(s, docsAll, "GET", "/llms.txt").Body.Bytes())
	})
}

// Verify that JSON-RPC and MCP have the methods whose forms have no file, with JSON.
func TestFormOnOtherTransports(t *testing.T) {
	s := newForms()
	for _, test := range []struct{ name, body, want string }{
		{"fields", `{"jsonrpc":"2.0","id":1,"method":"forms.plain","params":{"id":7,"title":"x","tags":["a"],"big":"5"}}`, `id 7, title \"x\", tags [\"a\"]`},
		{"on is no boolean", `{"jsonrpc":"2.0","id":1,"method":"forms.plain","params":{"id":7,"title":"x","done":"on"}}`, "must be true or false, is a string"},
		{"a file", `{"jsonrpc":"2.0","id":1,"method":"forms.upload","params":{"title":"x"}}`, "-32601"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", "/", strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			if s.RPC().ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s", w.Body)
			}
		})
	}
}
