package blackbox_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// EndAPI has streams, as the service of a published API.
	EndAPI interface {
		Complete(context.Context, *EndIn) (svc.Stream[EndToken], error)
	}
	EndIn struct {
		Fail bool `json:"fail,omitempty"`
	}
	EndToken struct {
		N int `json:"n"`
	}
	ends struct{}
)

func (ends) Complete(_ context.Context, in *EndIn) (svc.Stream[EndToken], error) {
	return func(yield func(*EndToken, error) bool) {
		if yield(&EndToken{1}, nil) && in.Fail {
			yield(nil, svc.Errorf(svc.CodeNotFound, "there is no more"))
		}
	}, nil
}

// endOptions are those of a service whose streams end in this way.
func endOptions(end string) *svc.Options {
	return &svc.Options{Resource: "chat", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Complete": {HTTP: "POST /chat", StreamEnd: end}}}
}

// endRows are the ways in which streams end, with what is sent for it.
var endRows = []struct{ name, end, sent, schema, row string }{
	{"by default", "", "event: done\ndata: {}\n\n", `{"title":"Done","type":"object","properties":{"event":{"const":"done"},"data":{"const":"{}"}},"required":["event","data"]},`, `kind: "stream" `},
	{"a text", "[DONE]", "data: [DONE]\n\n", `{"title":"Done","type":"object","properties":{"data":{"const":"[DONE]"}},"required":["data"]},`, `kind: "stream", end: "[DONE]" `},
	{"nothing", svc.StreamEndNone, "", ``, `kind: "stream", end: "-" `},
}

// endText returns the body of the answer to a request.
func endText(h http.Handler, verb, target, body string) string {
	return textOf(answerTo(h, verb, target, body, "Content-Type", "application/json"))
}

// Verify how streams end over REST, and that one which fails ends with its error alone.
func TestStreamEnd(t *testing.T) {
	for _, test := range endRows {
		t.Run(test.name, func(t *testing.T) {
			s := svc.MustRegister[EndAPI](ends{}, endOptions(test.end))
			item := ":\n\ndata: {\"n\":1}\n\n"
			if got := endText(s.REST(), "POST", "/chat", "{}"); got != item+test.sent {
				t.Errorf("got %q, want %q", got, item+test.sent)
			}
			failed := item + `event: error` + "\n" + `data: {"error":{"code":"NOT_FOUND","message":"there is no more"}}` + "\n\n"
			if got := endText(s.REST(), "POST", "/chat", `{"fail":true}`); got != failed {
				t.Errorf("got %q, want %q", got, failed)
			}
			if doc := endText(s.OpenAPI(), "GET", "/openapi.json?openapi=3.2", ""); !strings.Contains(doc, `"oneOf":[{"title":"Item"`) ||
				!strings.Contains(doc, "},"+test.schema+`{"title":"Error"`) && test.schema != "" || strings.Contains(doc, `"title":"Done"`) != (test.schema != "") {
				t.Errorf("the document is %s", doc)
			}
			if client := endText(s.TypeScript(), "GET", "/client.ts", ""); !strings.Contains(client, test.row) {
				t.Errorf("client.ts has no %q", test.row)
			}
		})
	}
}

// Verify what a client makes of each end, and of a body that breaks off.
func TestStreamEndConnect(t *testing.T) {
	for _, test := range []struct {
		name, end, body string
		cut             error // how the body ends
		want            string
	}{
		{"a text", "[DONE]", "data: {\"n\":1}\n\ndata: [DONE]\n\n", nil, "1"},
		{"what comes behind it", "[DONE]", "data: [DONE]\n\ndata: {\"n\":1}\n\n", nil, ""},
		{"without the text", "[DONE]", "data: {\"n\":1}\n\n", nil, "1 UNAVAILABLE"},
		{"the text with a name", "[DONE]", "event: x\ndata: [DONE]\n\n", nil, " INTERNAL"},
		{"done in place of the text", "[DONE]", "event: done\ndata: {\"n\":2}\n\n", nil, "2 UNAVAILABLE"},
		{"the end of the response", "-", "data: {\"n\":1}\n\n", nil, "1"},
		{"a response that breaks off", "-", "data: {\"n\":1}\n\n", io.ErrUnexpectedEOF, "1 UNAVAILABLE"},
		{"an error", "-", "event: error\ndata: {\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"x\"}}\n\n", nil, " NOT_FOUND"},
		{"an empty response", "-", "", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
				body := io.MultiReader(strings.NewReader(test.body), endsBy{test.cut})
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body), Request: r}, nil
			})
			var client struct {
				Complete func(context.Context, *EndIn) (svc.Stream[EndToken], error)
			}
			if err := svc.Connect[EndAPI](&client, "http://127.0.0.1", &svc.ClientOptions{Service: endOptions(test.end), HTTPClient: &http.Client{Transport: transport}, Attempts: 1}); err != nil {
				t.Fatal(err)
			}
			stream, err := client.Complete(t.Context(), new(EndIn))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for item, err := range stream {
				if err != nil {
					got += " " + string(svc.CodeOf(err))
				} else {
					got += fmt.Sprint(item.N)
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Verify that a client reads what a server sends, for each end.
func TestStreamEndBoth(t *testing.T) {
	for _, test := range endRows {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(svc.MustRegister[EndAPI](ends{}, endOptions(test.end)).REST())
			defer server.Close()
			var client struct {
				Complete func(context.Context, *EndIn) (svc.Stream[EndToken], error)
			}
			if err := svc.Connect[EndAPI](&client, server.URL, &svc.ClientOptions{Service: endOptions(test.end), HTTPClient: server.Client()}); err != nil {
				t.Fatal(err)
			}
			stream, err := client.Complete(t.Context(), new(EndIn))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for item, err := range stream {
				if err != nil || item.N != 1 {
					t.Errorf("%v, %v", item, err)
				}
				n++
			}
			if n != 1 {
				t.Errorf("%d items", n)
			}
		})
	}
}

// endsBy reads as this error, or as the end.
type endsBy struct{ err error }

func (e endsBy) Read([]byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return 0, io.EOF
}

// Verify the stream of doc/streams.md, whose last event has data alone.
func TestStreamEndOpenAI(t *testing.T) {
	options := endOptions("")
	options.Methods = map[string]svc.MethodOptions{
		"Complete": {HTTP: "POST /v1/chat/completions", StreamEnd: "[DONE]"},
	}
	s := svc.MustRegister[EndAPI](ends{}, options)
	if got, want := endText(s.REST(), "POST", "/v1/chat/completions", "{}"), "data: {\"n\":1}\n\ndata: [DONE]\n\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
}
