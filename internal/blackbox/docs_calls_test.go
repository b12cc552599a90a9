package blackbox_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// HutchAPI has a call of each form that the page shows in TypeScript and Go.
type HutchAPI interface {
	Create(context.Context, *NewHutch) (*Hutch, error)
	Get(context.Context, *HutchID) (*Hutch, error)
	Delete(context.Context, *HutchID) error
	Watch(context.Context) (svc.Stream[Hutch], error)
	SetPhoto(context.Context, *HutchPhoto) error
	List(context.Context, *HutchPages) (*svc.PageResponse[Hutch], error)
	Label(context.Context, *HutchLabel) (*Hutch, error)
	Paint(context.Context, *HutchPaint) error
}

type (
	NewHutch struct {
		Name   string   `json:"name" example:"it's \"oak\""`
		Sizes  []int    `json:"sizes" example:"[1]"`
		Inside HutchBox `json:"inside"`
		Wide   bool     `json:"wide"`
	}
	HutchBox struct {
		Depth float64 `json:"depth" example:"0.5"`
	}
	Hutch struct {
		ID int `json:"id"`
	}
	HutchID struct {
		ID int `json:"id"`
	}
	HutchPhoto struct {
		ID    int      `json:"id"`
		Photo svc.Body `contentType:"image/png"`
	}
	HutchPages struct {
		svc.PageQuery
		Word string `query:"w" json:"word" example:"oak"`
	}
	HutchLabel struct {
		ID      int    `json:"id"`
		IfMatch string `json:"-" header:"If-Match,omitempty" example:"\"1\""`
		Text    string `json:"text" example:"a"`
	}
	HutchPaint struct {
		ID     int      `json:"id"`
		Colors []string `json:"colors" example:"[\"red\"]"`
		Coats  int      `json:"coats" example:"2"`
	}
)

type hutches struct{}

func (hutches) Create(context.Context, *NewHutch) (*Hutch, error)  { return &Hutch{1}, nil }
func (hutches) Get(context.Context, *HutchID) (*Hutch, error)      { return &Hutch{1}, nil }
func (hutches) Delete(context.Context, *HutchID) error             { return nil }
func (hutches) SetPhoto(context.Context, *HutchPhoto) error        { return nil }
func (hutches) Label(context.Context, *HutchLabel) (*Hutch, error) { return &Hutch{1}, nil }
func (hutches) Paint(context.Context, *HutchPaint) error           { return nil }
func (hutches) Watch(context.Context) (svc.Stream[Hutch], error)   { return nil, nil }
func (hutches) List(_ context.Context, in *HutchPages) (*svc.PageResponse[Hutch], error) {
	return svc.NewPage([]Hutch{}, in.PageRequest(), 0), nil
}

// Verify what the page and the Markdown show of calls in TypeScript and Go: only if they know
// where the client is, and with the example of each method.
func TestDocsCalls(t *testing.T) {
	s := svc.MustRegister[HutchAPI](hutches{}, &svc.Options{Resource: "hutches-x", Methods: map[string]svc.MethodOptions{"Watch": {HTTP: "GET /hutches/watch"}, "Label": {HTTP: "POST /hutches-x/{id}/label"}, "Paint": {HTTP: "POST /hutches-x/{id}/paint", Form: true}}})
	read := func(path string, opts *svc.DocsOptions) string {
		w := httptest.NewRecorder()
		s.Docs(opts).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Body.String()
	}
	markdown, page := read("/llms.txt", &svc.DocsOptions{Client: "client.ts"}), read("/", &svc.DocsOptions{REST: ".", Client: "../client.ts"})
	for _, row := range []struct{ name, typeScript, golang string }{
		{"an object, with what takes more than a literal", `api["hutches-x"].create({ name: "it's \"oak\"", sizes: [1], inside: {"depth":0.5}, wide: true })`,
			`client.Create(ctx, &blackbox_test.NewHutch{Name: "it's \"oak\"", Sizes: []int{1}, Inside: blackbox_test.HutchBox{Depth: 0.5}, Wide: true})`},
		{"a path", `api["hutches-x"].get({ id: 1 })`, `client.Get(ctx, &blackbox_test.HutchID{ID: 1})`},
		{"no answer", `api["hutches-x"].delete({ id: 1 })`, `client.Delete(ctx, &blackbox_test.HutchID{ID: 1})`},
		{"no input", `api["hutches-x"].watch()`, `client.Watch(ctx)`},
		{"a file", `api["hutches-x"].setPhoto({ id: 1, photo: file })`, `client.SetPhoto(ctx, &blackbox_test.HutchPhoto{ID: 1, Photo: svc.NewBody(file, "image/png")})`},
		{"a query", `api["hutches-x"].list({ word: "oak" })`, `client.List(ctx, &blackbox_test.HutchPages{Word: "oak"})`},
		{"a header", `api["hutches-x"].label({ id: 1, ifMatch: "\"1\"", text: "a" })`, `client.Label(ctx, &blackbox_test.HutchLabel{ID: 1, IfMatch: "\"1\"", Text: "a"})`},
		{"a form", `api["hutches-x"].paint({ id: 1, colors: ["red"], coats: 2 })`,
			`client.Paint(ctx, &blackbox_test.HutchPaint{ID: 1, Colors: []string{"red"}, Coats: 2})`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if want := "- in TypeScript: `" + row.typeScript + "`\n- in Go: `" + row.golang + "`\n"; !strings.Contains(markdown, want) {
				t.Errorf("the Markdown does not have\n%s\n%s", want, markdown)
			}
		})
	}
	for _, want := range []string{
		`"client":"../client.ts"`, `"ts":{"call":"api[\"hutches-x\"].label"`, `"header If-Match":"ifMatch"`, `"body":"photo"`, `"query w":"word"`,
		`var client struct {\n\tDelete func(context.Context, *blackbox_test.HutchID) error\n}\nerr := svc.Connect[blackbox_test.HutchAPI](&client, url, &svc.ClientOptions{Service: options})\n// …\nerr = client.Delete(`,
		`List func(context.Context, *blackbox_test.HutchPages) (*svc.PageResponse[blackbox_test.Hutch], error)`, `items, err := client.Watch(ctx)\n`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if strings.Contains(page, `"form `) {
		t.Error("the page has a name for a field of a form, which all have by their JSON names")
	}
	for name, text := range map[string]string{"page": read("/", &svc.DocsOptions{REST: "."}), "Markdown": read("/llms.txt", nil)} {
		if strings.Contains(text, `"ts":`) || strings.Contains(text, "in TypeScript") && name == "Markdown" {
			t.Errorf("the %s shows calls of a client that is not served", name)
		}
	}
}
