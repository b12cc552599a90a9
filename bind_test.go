package svc

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type headerIn struct {
	After int    `json:"after,omitempty" header:"Last-Event-ID" minimum:"1" default:"7" doc:"Where to go on."`
	Topic string `json:"topic,omitempty"`
}

type headerTextIn struct {
	After *string `json:"-" header:"Last-Event-ID" default:"none" maxLength:"4"`
}

type headerAPI interface {
	Count(context.Context, *headerIn) (*headerIn, error)
	Text(context.Context, *headerTextIn) (*headerOut, error)
}

type headerOut struct {
	After *string `json:"after"`
}

type headerImpl struct{}

func (headerImpl) Count(_ context.Context, in *headerIn) (*headerIn, error) { return in, nil }
func (headerImpl) Text(_ context.Context, in *headerTextIn) (*headerOut, error) {
	return &headerOut{in.After}, nil
}

func headerService(t *testing.T) *Service {
	s, err := Register[headerAPI](headerImpl{}, &Options{Name: "H", Strict: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A field with a header tag comes from the header and from nothing else.
func TestHeaderField(t *testing.T) {
	const none = "\x00" // no header at all
	rest := headerService(t).REST()
	for _, test := range []struct {
		target, header, body string
		want                 string
	}{
		{"/h/count", "12", `{"topic":"x"}`, `{"after":12,"topic":"x"}`},
		{"/h/count", none, `{}`, `{"after":7}`},
		{"/h/count", "", `{}`, `{"after":7}`},
		{"/h/count?after=3&Last-Event-ID=3", none, `{}`, `{"after":7}`},
		{"/h/count", "1e1", `{}`, `{"after":10}`},
		{"/h/count", "07", `{}`, `{"in":"header","path":"/after","rule":"type","message":"must be an integer"}`},
		{"/h/count", "0", `{}`, `{"in":"header","path":"/after","rule":"minimum","message":"must be at least 1"}`},
		{"/h/count", "12", `{"after":13}`, `{"in":"body","path":"/after","rule":"unknown","message":"is not a known property"}`},
		{"/h/count", "1,2", `{}`, `{"in":"header","path":"/after","rule":"type","message":"must be an integer"}`},
		{"/h/text", "añb", ``, `{"after":"añb"}`},
		{"/h/text", none, ``, `{"after":"none"}`},
		{"/h/text", "12345", ``, `{"in":"header","path":"/Last-Event-ID","rule":"maxLength"`},
		{"/h/text", "\xff", ``, `{"in":"header","path":"/Last-Event-ID","rule":"type","message":"must be valid UTF-8"}`},
	} {
		r := httptest.NewRequest("POST", test.target, strings.NewReader(test.body))
		if test.header != none {
			r.Header.Set("Last-Event-ID", test.header)
		}
		w := httptest.NewRecorder()
		if rest.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s with %q and %s: %d %s; want %s", test.target, test.header, test.body, w.Code, w.Body, test.want)
		}
	}
}

func TestHeaderFieldTwice(t *testing.T) {
	r := httptest.NewRequest("POST", "/h/text", nil)
	r.Header["Last-Event-Id"] = []string{"1", "2"}
	w := httptest.NewRecorder()
	headerService(t).REST().ServeHTTP(w, r)
	if want := `{"in":"header","path":"/Last-Event-ID","rule":"duplicate","message":"is given more than once"}`; w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d %s, want %s", w.Code, w.Body, want)
	}
}

// Where there are no headers the field has its wire name.
func TestHeaderFieldByName(t *testing.T) {
	s := headerService(t)
	for _, test := range []struct{ method, text, want string }{
		{"count", `{"after":12}`, `{"after":12}`},
		{"count", `{}`, `{"after":7}`},
		{"text", `{"Last-Event-ID":"x"}`, `{"after":"x"}`},
		{"text", `{}`, `{"after":"none"}`},
	} {
		m := s.findMethod("h", test.method)
		in, err := m.bindObject(new(decoder), []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		out, err := m.invoke(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.appendOutput(new(encoder), nil, out); string(got) != test.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", test.text, got, err, test.want)
		}
	}
}

func TestHeaderFieldInOpenAPI(t *testing.T) {
	doc := string(buildDocument(headerService(t), openAPI30))
	for _, want := range []string{
		`"parameters":[{"name":"Last-Event-ID","in":"header","description":"Where to go on.","schema":{"type":"integer","format":"int32","minimum":1,"default":7}}]`,
		`"schema":{"$ref":"#/components/schemas/headerInBody"}`,
		`"headerInBody":{"type":"object","properties":{"topic":{"type":"string"}},"additionalProperties":false}`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document lacks %s\n%s", want, doc)
		}
	}
}

type headerTwiceIn struct {
	A string `json:"a,omitempty" header:"Last-Event-ID"`
	B string `json:"b,omitempty" header:"Last-Event-ID"`
}

type headerTwiceAPI interface {
	Count(context.Context, *headerTwiceIn) error
}

type headerTwiceImpl struct{}

func (headerTwiceImpl) Count(context.Context, *headerTwiceIn) error { return nil }

func TestHeaderFieldMistakes(t *testing.T) {
	_, err := Register[headerTwiceAPI](headerTwiceImpl{}, nil)
	if want := `the fields A and B take the same header "Last-Event-ID"; drop one of the tags`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

type headerBadIn struct {
	Required string   `json:"required" header:"Last-Event-ID"`
	Other    string   `json:"other,omitempty" header:"X-Other"`
	Both     string   `json:"both,omitempty" header:"Last-Event-Id" query:"both"`
	List     []string `json:"list,omitempty" header:"last-event-id"`
}

type headerBadAPI interface {
	Count(context.Context, *headerBadIn) error
}

type headerBadImpl struct{}

func (headerBadImpl) Count(context.Context, *headerBadIn) error { return nil }

func TestHeaderFieldMoreMistakes(t *testing.T) {
	_, err := Register[headerBadAPI](headerBadImpl{}, nil)
	if err == nil {
		t.Fatal("registered")
	}
	for _, want := range []string{
		`headerBadIn.Required: a client sends Last-Event-ID only when it comes back, so the field must be optional (omitempty)`,
		`headerBadIn.Other: header:"X-Other": the one header that a field can come from is Last-Event-ID`,
		`headerBadIn.Both: a field cannot come from a header and from the path or the query too; drop one of the tags`,
		`headerBadIn.List: header:"last-event-id": the one header that a field can come from is Last-Event-ID`,
		`headerBadIn.List: the type []string cannot come from the header, which carries scalars`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
