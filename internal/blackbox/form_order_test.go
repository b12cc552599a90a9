package blackbox_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// OrderAPI has a form whose file may come first.
	OrderAPI interface {
		Transcribe(context.Context, *Transcribe) (*Transcribed, error)
		Limited(context.Context, *LimitedForm) (*Transcribed, error)
		Last(context.Context, *LastForm) (*Transcribed, error)
	}
	LimitedForm struct {
		Model string   `json:"model,omitempty"`
		File  svc.Body `json:"file" order:"any"`
	}
	LastForm struct {
		Model string   `json:"model,omitempty"`
		Lang  string   `json:"lang"`
		File  svc.Body `json:"file"`
	}
	Transcribed struct {
		Model, Text, Name string
		Size              int64
	}
	orderForms struct{}
)

type Transcribe struct {
	Model string   `json:"model"`
	File  svc.Body `json:"file" maxBytes:"26214400" order:"any"`
}

func transcribed(model string, b svc.Body) (*Transcribed, error) {
	text, err := io.ReadAll(&b)
	if len(text) > 100 {
		text = text[:100]
	}
	return &Transcribed{model, string(text), b.FileName, b.Size}, err
}

func (orderForms) Transcribe(_ context.Context, in *Transcribe) (*Transcribed, error) {
	return transcribed(in.Model, in.File)
}
func (orderForms) Limited(_ context.Context, in *LimitedForm) (*Transcribed, error) {
	return transcribed(in.Model, in.File)
}
func (orderForms) Last(_ context.Context, in *LastForm) (*Transcribed, error) {
	return transcribed(in.Model, in.File)
}

func orderOptions(logger *slog.Logger) *svc.Options {
	form := svc.MethodOptions{Form: true}
	return &svc.Options{Resource: "audio", Logger: logger, MaxBody: 2000, Methods: map[string]svc.MethodOptions{"Transcribe": form, "Limited": form, "Last": form}}
}

// Verify that the parts of a form with the tag have any order, and that all limits hold.
func TestFormOrder(t *testing.T) {
	var log bytes.Buffer
	h := svc.MustRegister[OrderAPI](orderForms{}, orderOptions(slog.New(slog.NewTextHandler(&log, nil)))).REST()
	file := func(n int) string {
		return formPart("name=\"file\"; filename=\"a.mp3\"\r\nContent-Type: audio/mpeg", strings.Repeat("x", n))
	}
	model := formPart(`name="model"`, "w")
	// fill returns a form with n bytes beside the content of its file.
	fill := func(n int) string {
		rest := file(0) + model + formPart(`name="a"`, "") + formEnd
		return formPart(`name="a"`, strings.Repeat("y", (n-len(rest))/2)) + file(5000) + model + formPart(`name="a"`, strings.Repeat("y", n-len(rest)-(n-len(rest))/2-len(formPart(`name="a"`, "")))) + formEnd
	}
	for _, test := range []struct {
		name, action, body string
		status             int
		want               string
	}{
		{"the file first", "transcribe", file(3) + model + formEnd, 200, `{"Model":"w","Text":"xxx","Name":"a.mp3","Size":3}`},
		{"the file last", "transcribe", model + file(3) + formEnd, 200, `{"Model":"w","Text":"xxx","Name":"a.mp3","Size":3}`},
		{"an empty file", "transcribe", file(0) + model + formEnd, 200, `"Size":0}`},
		{"one byte of a file without a name", "transcribe", formPart(`name="file"; filename=""`, "x") + model + formEnd, 200, `"Text":"x","Name":"","Size":1}`},
		{"a file input left empty", "transcribe", formPart(`name="file"; filename=""`, "") + file(2) + model + formEnd, 200, `"Size":2}`},
		{"no file", "transcribe", model + formEnd, 400, `"path":"/file","rule":"required"`},
		{"a missing field", "transcribe", file(3) + formEnd, 400, `"path":"/model","rule":"required"`},
		{"two files", "transcribe", file(3) + model + file(3) + formEnd, 400, `"path":"/file","rule":"duplicate"`},
		{"a cut behind the file", "transcribe", file(3) + model, 400, `"rule":"syntax"`},
		{"a cut in the file", "transcribe", model + file(3)[:90], 400, `"rule":"syntax"`},
		{"a large file", "transcribe", file(1<<20) + model + formEnd, 200, `"Size":1048576}`},
		{"as many bytes beside it as there may be", "transcribe", fill(2000), 200, `"Size":5000}`},
		{"one more", "transcribe", fill(2001), 413, "RESOURCE_EXHAUSTED"},
		{"many more", "transcribe", file(3) + model + formPart(`name="a"`, strings.Repeat("y", 1<<20)) + formEnd, 413, "RESOURCE_EXHAUSTED"},
		{"MaxBody for the file", "limited", file(2000) + formEnd, 200, `"Size":2000}`},
		{"one more than MaxBody", "limited", file(2001) + formEnd, 413, "the file file has more than 2000 bytes"},
		{"more than maxBytes", "transcribe", file(26214401) + formEnd, 413, `"limit":26214400`},
		{"without the tag", "last", file(3) + formPart(`name="lang"`, "de") + formEnd, 400, `"rule":"order"`},
		{"without the tag, an optional field", "last", formPart(`name="lang"`, "de") + file(3) + model + formEnd, 400, `"path":"/model","rule":"order"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request("POST", "/audio/"+test.action, test.body, "Content-Type", formMultipart))
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, test.status, test.want)
			}
			if strings.Contains(log.String(), `order:\"any\"`) != (test.action == "last") {
				t.Errorf("the log is %s", &log)
			}
		})
	}
}

// A countedReader counts what is read of a text.
type countedReader struct {
	io.Reader
	n int
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

// Verify that little is read behind the file of a form, whatever stands there.
func TestFormBehindFile(t *testing.T) {
	h := svc.MustRegister[OrderAPI](orderForms{}, orderOptions(slog.New(slog.DiscardHandler))).REST()
	head := formPart(`name="lang"`, "de") + formPart(`name="file"; filename="a"`, "xyz")
	for _, test := range []struct{ name, rest, want string }{
		{"a part with a long header", "--b\r\nContent-Disposition: form-data; name=model\r\nX: " + strings.Repeat("y", 1<<20) + "\r\n\r\n", `"rule":"syntax"`},
		{"many headers", "--b\r\n" + strings.Repeat("X: y\r\n", 1<<18) + "\r\n", `"rule":"syntax"`},
		{"a long part", formPart("name=model", strings.Repeat("y", 1<<20)), `"rule":"order"`},
		{"a long epilogue", formEnd + strings.Repeat("y", 1<<20), `"rule":"syntax"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := &countedReader{Reader: strings.NewReader(head + test.rest)}
			r, w := httptest.NewRequest("POST", "/audio/last", body), httptest.NewRecorder()
			r.Header.Set("Content-Type", formMultipart)
			h.ServeHTTP(w, r)
			if w.Code != 400 || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if body.n > len(head)+16<<10 {
				t.Errorf("%d bytes were read", body.n)
			}
		})
	}
}

// Verify that clients send such forms, and what documents and contracts say.
func TestFormOrderElsewhere(t *testing.T) {
	s := svc.MustRegister[OrderAPI](orderForms{}, orderOptions(nil))
	var client struct {
		Transcribe func(context.Context, *Transcribe) (*Transcribed, error)
	}
	if err := svc.Connect[OrderAPI](&client, "", &svc.ClientOptions{Handler: s.REST(), Service: orderOptions(nil)}); err != nil {
		t.Fatal(err)
	}
	out, err := client.Transcribe(t.Context(), &Transcribe{Model: "w", File: svc.NewBody(strings.NewReader("abc"), "audio/mpeg")})
	if err != nil || out.Text != "abc" || out.Size != 3 {
		t.Errorf("Connect: %+v, %v", out, err)
	}
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		if doc := textOf(answerTo(s.OpenAPI(), "GET", "/openapi.json?openapi="+version, "")); !strings.Contains(doc, `"The parts can have any order. At most 26214400 bytes."`) {
			t.Errorf("%s: %s", version, doc)
		}
	}
	if text := getDocs(s, docsAll, "GET", "/llms.txt").Body.String(); !strings.Contains(text, "- body: a form as `multipart/form-data`. The parts can have any order. At most 26214400 bytes.") {
		t.Errorf("llms.txt: %s", text)
	}
}

type (
	// OrderMistakesAPI has the tag where it says nothing.
	OrderMistakesAPI interface {
		Alone(context.Context, *LimitedForm) error
		First(context.Context, *struct {
			File svc.Body `json:"file" order:"first"`
		}) error
		NoLimit(context.Context, *LimitedForm) error
		Sends(context.Context) (*struct {
			svc.File `order:"any"`
		}, error)
		Text(context.Context, *struct {
			A string `json:"a" order:"any"`
			B svc.Body
		}) error
	}
	regOrder struct{ OrderMistakesAPI }
)

// Verify that the tag is a mistake elsewhere, with another value, and without a limit.
func TestFormOrderMistakes(t *testing.T) {
	form := svc.MethodOptions{Form: true}
	_, err := svc.Register[OrderMistakesAPI](regOrder{}, &svc.Options{Methods: map[string]svc.MethodOptions{
		"First": form, "NoLimit": {Form: true, MaxBody: -1}, "Text": form,
	}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`OrderMistakesAPI.Alone: blackbox_test.LimitedForm.File: order:"any" is for the parts of a form; set MethodOptions.Form, or drop the tag`,
		`order:"first": want order:"any", or no tag: then the file is the last part of the form`,
		`OrderMistakesAPI.NoLimit: blackbox_test.LimitedForm.File: order:"any" reads the file into memory, and MaxBody sets no limit; add a tag maxBytes`,
		`.File: the tag order is for the svc.Body of a form, not for a svc.File`, `.A: the tag order is for the svc.Body of a form, not for a string`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in\n%v", want, err)
		}
	}
}
