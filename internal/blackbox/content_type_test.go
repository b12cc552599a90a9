package blackbox_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// TypedAPI has outputs of two media types.
	TypedAPI interface {
		Get(context.Context) (*TypedOut, error)
		GetPlain(context.Context) (*TypedOut, error)
	}
	TypedOut struct {
		N int `json:"n"`
	}
	typedAnswers struct{}
)

func (typedAnswers) Get(ctx context.Context) (*TypedOut, error) {
	if info, ok := svc.InfoFrom(ctx); ok && info.Header != nil {
		info.Header.Set("Content-Type", "application/dropped")
	}
	return &TypedOut{1}, nil
}
func (typedAnswers) GetPlain(context.Context) (*TypedOut, error) { return &TypedOut{2}, nil }

const vendorType = "application/vnd.api+json; ext=a"

func typedOptions(logger *slog.Logger) *svc.Options {
	return &svc.Options{Resource: "typed", ContentType: vendorType, Logger: logger, Methods: map[string]svc.MethodOptions{
		"Get": {HTTP: "GET /typed"}, "GetPlain": {HTTP: "GET /plain", ContentType: "application/json"},
	}}
}

type (
	// DroppedAPI has methods that set a header which svc sets itself.
	DroppedAPI interface {
		Show(context.Context) (*svc.File, error)
		Save(context.Context) (*svc.File, error)
		List(context.Context) (*svc.File, error)
		Watch(context.Context) (svc.Stream[TypedOut], error)
		Drop(context.Context) error
		Head(context.Context) (*DroppedOut, error)
	}
	DroppedOut struct {
		ETag string `json:"-" header:"ETag"`
	}
	dropper struct{}
)

// setHeader sets a header of the response.
func setHeader(ctx context.Context, name, value string) {
	if info, ok := svc.InfoFrom(ctx); ok {
		info.Header.Set(name, value)
	}
}

func (dropper) file() *svc.File {
	return &svc.File{Content: strings.NewReader("a"), ContentType: "text/plain", Name: "a.txt"}
}
func (d dropper) Show(ctx context.Context) (*svc.File, error) {
	setHeader(ctx, "Content-Type", "text/csv")
	return d.file(), nil
}
func (d dropper) Save(ctx context.Context) (*svc.File, error) {
	setHeader(ctx, "Content-Disposition", "inline")
	return d.file(), nil
}
func (d dropper) List(ctx context.Context) (*svc.File, error) {
	setHeader(ctx, "Content-Type", "text/plain")
	setHeader(ctx, "Content-Disposition", `attachment; filename="a.txt"`)
	return d.file(), nil
}
func (dropper) Drop(ctx context.Context) error {
	setHeader(ctx, "Content-Type", "text/plain")
	return nil
}
func (dropper) Head(ctx context.Context) (*DroppedOut, error) {
	setHeader(ctx, "Content-Type", "text/plain")
	return &DroppedOut{`"1"`}, nil
}
func (d dropper) Watch(ctx context.Context) (svc.Stream[TypedOut], error) {
	setHeader(ctx, "Content-Type", "text/plain")
	return func(yield func(*TypedOut, error) bool) {}, nil
}

// Verify that the log says once for each method which header of it is not sent, and what to use.
func TestDroppedHeaders(t *testing.T) {
	var log bytes.Buffer
	h := svc.MustRegister[DroppedAPI](dropper{}, &svc.Options{Resource: "dropped", Logger: slog.New(slog.NewTextHandler(&log, nil)), Methods: map[string]svc.MethodOptions{
		"Show": {HTTP: "GET /show"}, "Save": {HTTP: "GET /save"}, "List": {HTTP: "GET /list"}, "Watch": {HTTP: "GET /watch"},
		"Drop": {HTTP: "GET /drop"}, "Head": {HTTP: "GET /head", Status: 200}}}).REST()
	for _, test := range []struct{ path, want string }{
		{"/show", `level=WARN msg="svc: the Content-Type of Info.Header is not sent; set File.ContentType" call=DroppedAPI.Show value=text/csv`},
		{"/save", `level=WARN msg="svc: the Content-Disposition of Info.Header is not sent; set File.Name and File.Inline" call=DroppedAPI.Save value=inline`},
		{"/list", ""}, // as it is sent
		{"/watch", `level=WARN msg="svc: the Content-Type of Info.Header is not sent; events have a media type of their own" call=DroppedAPI.Watch value=text/plain`},
		{"/drop", `level=WARN msg="svc: the Content-Type of Info.Header is not sent; the response has no body" call=DroppedAPI.Drop value=text/plain`},
		{"/head", `level=WARN msg="svc: the Content-Type of Info.Header is not sent; the response has no body" call=DroppedAPI.Head value=text/plain`},
	} {
		t.Run(test.path, func(t *testing.T) {
			log.Reset()
			answerTo(h, "GET", test.path, "")
			w := answerTo(h, "GET", test.path, "")
			if set := w.Header.Get("Content-Type"); strings.Contains(test.want, "no body") && set != "" {
				t.Errorf("the Content-Type is %s", set)
			}
			if got := log.String(); !strings.Contains(got, test.want) || strings.Count(got, "\n") != min(1, len(test.want)) {
				t.Errorf("the log is %swant once %s", got, test.want)
			}
		})
	}
}

// Verify which media type JSON has over REST, in documents and for both clients, and that errors
// and other transports keep theirs.
func TestContentType(t *testing.T) {
	var log bytes.Buffer
	s := svc.MustRegister[TypedAPI](typedAnswers{}, typedOptions(slog.New(slog.NewTextHandler(&log, nil))))
	for _, test := range []struct {
		h          http.Handler
		verb, path string
		body, want string
	}{
		{s.REST(), "GET", "/typed", "", vendorType},
		{s.REST(), "GET", "/typed", "", vendorType},
		{s.REST(), "HEAD", "/typed", "", vendorType},
		{s.REST(), "GET", "/plain", "", "application/json"},
		{s.REST(), "GET", "/none", "", "application/json"},
		{s.RPC(), "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"typed.get"}`, "application/json"},
	} {
		if got := answerTo(test.h, test.verb, test.path, test.body, "Accept", "text/html").Header.Values("Content-Type"); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s %s has the Content-Type %q, want %s", test.verb, test.path, got, test.want)
		}
	}
	if n := strings.Count(log.String(), "set MethodOptions.ContentType"); n != 1 {
		t.Errorf("the log tells %d times that a Content-Type is dropped:\n%s", n, &log)
	}
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		doc := textOf(answerTo(s.OpenAPI(), "GET", "/openapi.json?openapi="+version, ""))
		if !strings.Contains(doc, `"content":{"`+vendorType+`":{"schema":`) || strings.Count(doc, vendorType) != 1 {
			t.Errorf("OpenAPI %s: %s", version, doc)
		}
	}
	if client := textOf(answerTo(s.TypeScript(), "GET", "/client.ts", "")); strings.Count(client, `accept: "`+vendorType+`"`) != 1 {
		t.Error("client.ts does not ask for the type")
	}
}

// Verify that a client asks for the type, and takes any type of JSON.
func TestContentTypeConnect(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Accept"))
		w.Header().Set("Content-Type", "application/other+json")
		w.Write([]byte(`{"n":3}`))
	}))
	defer server.Close()
	var client struct {
		Get      func(context.Context) (*TypedOut, error)
		GetPlain func(context.Context) (*TypedOut, error)
	}
	if err := svc.Connect[TypedAPI](&client, server.URL, &svc.ClientOptions{Service: typedOptions(nil)}); err != nil {
		t.Fatal(err)
	}
	for _, call := range []func(context.Context) (*TypedOut, error){client.Get, client.GetPlain} {
		if out, err := call(t.Context()); err != nil || out.N != 3 {
			t.Errorf("%v, %v", out, err)
		}
	}
	if got := strings.Join(asked, " | "); got != vendorType+" | application/json" {
		t.Errorf("asked for %s", got)
	}
}
