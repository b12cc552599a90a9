package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file is about forms: it makes them, and reads them as the document has them read, which is
// as a query is read, and as browsers send what was left empty or was ticked. The fields of a form
// are parameters here, in a place of their own. The service at its end has them.

// inForm is the place of the fields of a form.
const inForm = "form"

const (
	encodedForm = "application/x-www-form-urlencoded"
	formOfParts = "multipart/form-data"
)

// compileForm sets the fields of the form of o by document i.
func (o *operation) compileForm(i int, c *jsonschema.Compiler, document, op map[string]any) {
	for _, contentType := range []string{encodedForm, formOfParts} {
		ref, ok := dig(op, "requestBody", "content", contentType, "schema")["$ref"].(string)
		if !ok {
			continue
		}
		o.form = contentType
		schema := plain(document, map[string]any{"$ref": ref})
		required, _ := schema["required"].([]any)
		for _, name := range sortedKeys(dig(schema, "properties")) {
			p := &param{in: inForm, name: name, required: slices.Contains(required, any(name)), object: dig(schema, "properties", name)}
			if i == 0 {
				p.file = p.object["format"] == "binary"
				o.params = append(o.params, p)
			}
			p = o.params[slices.IndexFunc(o.params, func(p *param) bool { return p.in == inForm && p.name == name })]
			p.compile(i, c, document, "doc.json"+ref+"/properties/"+escape(name), dig(schema, "properties", name))
		}
	}
}

// formBody returns a form with these fields and its Content-Type. The file is the last part.
func (g *generator) formBody(o *operation, params []sent) (body, contentType string) {
	var names, texts []string
	file := ""
	for _, s := range params {
		for _, text := range s.texts {
			switch {
			case s.in != inForm:
			case s.file:
				file = "--b\r\nContent-Disposition: form-data; name=\"" + s.name + "\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n" + text + "\r\n"
			default:
				names, texts = append(names, s.name), append(texts, text)
			}
		}
	}
	if o.form == encodedForm && g.IntN(2) == 0 {
		for i, name := range names {
			body += "&" + url.QueryEscape(name) + "=" + url.QueryEscape(texts[i])
		}
		return strings.TrimPrefix(body, "&"), encodedForm
	}
	for i, name := range names {
		body += "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + texts[i] + "\r\n"
	}
	return body + file + "--b--\r\n", formOfParts + "; boundary=b"
}

// isTaken reports whether the document takes an optional field of a form: what was left empty is
// absent, unless the field can be empty.
func (s sent) isTaken(dialect int) bool {
	filled := slices.DeleteFunc(slices.Clone(s.texts), func(text string) bool { return text == "" })
	for _, texts := range [][]string{s.texts, filled} {
		if len(texts) == 0 {
			return true
		}
		value, ok := s.readAll(dialect, texts)
		if ok && s.schema[dialect].Validate(value) == nil {
			return true
		}
	}
	return false
}

// formAPI is a service with forms.
type formAPI interface {
	Fill(context.Context, *formFields) (*formSeen, error)
	Upload(context.Context, *formFile) (*formSeen, error)
	Drop(context.Context, *formDrop) (*formSeen, error)
}

type (
	// formFields has each kind of value that a form can have.
	formFields struct {
		ID       int8            `json:"id" path:"id" minimum:"-1"`
		Page     *int            `json:"page,omitempty" query:"page" maximum:"9"`
		Tenant   string          `json:"tenant,omitempty" header:"X-Tenant" maxLength:"5"`
		Name     string          `json:"name" minLength:"1" maxLength:"5"`
		Agrees   bool            `json:"agrees"`
		Maybe    *bool           `json:"maybe,omitempty"`
		Tiny     int8            `json:"tiny,omitempty" minimum:"-5"`
		Small    int16           `json:"small"`
		Large    *int64          `json:"large,omitempty"`
		Unsigned uint16          `json:"unsigned,omitempty" multipleOf:"2"`
		Ratio    float64         `json:"ratio,omitempty" exclusiveMaximum:"1"`
		Number   json.Number     `json:"number,omitempty"`
		Quoted   int64           `json:"quoted,string,omitempty"`
		Quarter  float64         `json:"quarter,string,omitempty"`
		Since    time.Time       `json:"since,omitzero"`
		Until    *time.Time      `json:"until,omitempty"`
		Wait     time.Duration   `json:"wait,omitempty"`
		Blob     []byte          `json:"blob,omitempty"`
		From     netip.Addr      `json:"from,omitzero" example:"::1"`
		Shade    kitchen.Shade   `json:"shade,omitempty"`
		Sort     string          `json:"sort,omitempty" enum:"asc,desc" default:"asc"`
		Code     string          `json:"code,omitempty" pattern:"^[A-Z]{2}-[0-9]+$"`
		Email    string          `json:"email,omitempty" format:"email"`
		Note     *string         `json:"note,omitempty" maxLength:"3"`
		Tags     []string        `json:"tags,omitempty" maxItems:"3" uniqueItems:"true"`
		Words    []string        `json:"words" minItems:"1" minLength:"1" maxLength:"4"`
		Sizes    []*int8         `json:"sizes,omitempty"`
		Shades   []kitchen.Shade `json:"shades,omitempty" maxItems:"2"`
		Marks    []bool          `json:"marks,omitempty"`
	}
	formFile struct {
		Title string   `json:"title" minLength:"1"`
		Count *int32   `json:"count,omitempty" minimum:"1"`
		Tags  []string `json:"tags,omitempty"`
		File  svc.Body `json:"file" contentType:"text/plain"`
	}
	formDrop struct {
		Title string   `json:"title,omitempty" maxLength:"5"`
		File  svc.Body `json:"file,omitempty"`
	}
	formSeen struct {
		Bytes int `json:"bytes"`
	}
	formImpl struct{}
)

func (formImpl) Fill(context.Context, *formFields) (*formSeen, error) { return &formSeen{}, nil }

func (formImpl) Upload(_ context.Context, in *formFile) (*formSeen, error) {
	content, err := io.ReadAll(in.File)
	return &formSeen{len(content)}, err
}

func (formImpl) Drop(_ context.Context, in *formDrop) (*formSeen, error) {
	content, err := io.ReadAll(in.File)
	return &formSeen{len(content)}, err
}

// newForms returns the service of formAPI.
func newForms() *svc.Service {
	return svc.MustRegister[formAPI](formImpl{}, &svc.Options{
		Name: "Forms", Resource: "forms", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Fill":   {HTTP: "POST /forms/{id}", Form: true},
			"Upload": {HTTP: "POST /forms/upload", Form: true},
			"Drop":   {HTTP: "PUT /forms/drop", Form: true},
		},
	})
}
