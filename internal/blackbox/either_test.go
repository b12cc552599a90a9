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
	// EitherAPI answers with one value or a stream, as the service of a published API.
	EitherAPI interface {
		Complete(context.Context, *EitherIn) (*svc.ValueOrStream[EitherWhole, EitherPart], error)
	}
	EitherIn struct {
		Stream bool   `json:"stream,omitempty"`
		How    string `json:"how,omitempty"`
		Behind int    `json:"behind,omitempty" header:"Last-Event-ID"`
	}
	EitherWhole struct {
		Text string `json:"text"`
		Tag  string `json:"-" header:"ETag"`
	}
	EitherPart struct {
		N int `json:"n"`
	}
	eithers struct{}
)

func (p *EitherPart) SSE() svc.Event { return svc.Event{ID: fmt.Sprint(p.N)} }

func (eithers) Complete(_ context.Context, in *EitherIn) (*svc.ValueOrStream[EitherWhole, EitherPart], error) {
	whole := &EitherWhole{"ab", `"1"`}
	stream := func(yield func(*EitherPart, error) bool) {
		for n := in.Behind + 1; n <= 2; n++ {
			if !yield(&EitherPart{n}, nil) {
				return
			}
		}
		if in.How == "fail" {
			yield(nil, svc.Errorf(svc.CodeNotFound, "there is no more"))
		}
	}
	switch {
	case in.How == "error":
		return nil, svc.Errorf(svc.CodeNotFound, "there is none")
	case in.How == "both":
		return &svc.ValueOrStream[EitherWhole, EitherPart]{Value: whole, Stream: stream}, nil
	case in.How == "none":
		return &svc.ValueOrStream[EitherWhole, EitherPart]{}, nil
	case in.Stream:
		return &svc.ValueOrStream[EitherWhole, EitherPart]{Stream: stream}, nil
	}
	return &svc.ValueOrStream[EitherWhole, EitherPart]{Value: whole}, nil
}

// eitherOptions are the options of a service of EitherAPI.
func eitherOptions(m svc.MethodOptions) *svc.Options {
	m.HTTP = "POST /chat"
	return &svc.Options{Resource: "chat", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Complete": m}}
}

// Verify what each transport answers with a value, with a stream, and where the method is wrong.
func TestValueOrStream(t *testing.T) {
	calls := map[string]svc.DirectCall{"by reflection": {}, "direct": svc.Direct(EitherAPI.Complete)}
	for _, how := range []string{"by reflection", "direct"} {
		s := svc.MustRegister[EitherAPI](eithers{}, eitherOptions(svc.MethodOptions{Status: 201, Direct: calls[how]}))
		for _, test := range []struct{ name, in, accept, head, rest, rpc, mcp string }{
			{"a value", `{}`, "text/event-stream", `201 application/json "1"`, `{"text":"ab"}`, `"result":{"text":"ab"}`, `"structuredContent":{"text":"ab"}`},
			{"a stream", `{"stream":true}`, "application/json", "200 text/event-stream ", ":\n\nid: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}\n\nevent: done\ndata: {}\n\n",
				`"result":{"items":[{"n":1},{"n":2}]}`, `"structuredContent":{"items":[{"n":1},{"n":2}]}`},
			{"a stream that fails", `{"stream":true,"how":"fail"}`, "", "200 text/event-stream ",
				":\n\nid: 1\ndata: {\"n\":1}\n\nid: 2\ndata: {\"n\":2}\n\nevent: error\ndata: {\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"there is no more\"}}\n\n", `"NOT_FOUND"`, `"isError":true`},
			{"an error", `{"how":"error"}`, "", "404 application/json ", `{"error":{"code":"NOT_FOUND","message":"there is none"}}`, `"NOT_FOUND"`, `"isError":true`},
			{"both", `{"how":"both"}`, "", "500 application/json ", `{"error":{"code":"INTERNAL","message":"internal error"}}`, `"INTERNAL"`, `"isError":true`},
			{"none", `{"how":"none"}`, "", "500 application/json ", `{"error":{"code":"INTERNAL","message":"internal error"}}`, `"INTERNAL"`, `"isError":true`},
		} {
			t.Run(how+", "+test.name, func(t *testing.T) {
				w := answerTo(s.REST(), "POST", "/chat", test.in, "Content-Type", "application/json", "Accept", test.accept)
				if head, text := fmt.Sprint(w.StatusCode, " ", w.Header.Get("Content-Type"), " ", w.Header.Get("ETag")), textOf(w); head != test.head || text != test.rest {
					t.Errorf("REST: %s %q, want %s %q", head, text, test.head, test.rest)
				}
				rpc := endText(s.RPC(), "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"chat.complete","params":`+test.in+`}`)
				if !strings.Contains(rpc, test.rpc) {
					t.Errorf("JSON-RPC: %s, want %s", rpc, test.rpc)
				}
				mcp := endText(s.MCP(nil), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chat_complete","arguments":`+test.in+`}}`)
				if !strings.Contains(mcp, test.mcp) {
					t.Errorf("MCP: %s, want %s", mcp, test.mcp)
				}
			})
		}
	}
}

// Verify what a program gets, what an interceptor passes on, and when a call is observed.
func TestValueOrStreamInside(t *testing.T) {
	var log []string
	options := eitherOptions(svc.MethodOptions{})
	options.Observe = func(_ context.Context, o svc.Observation) {
		log = append(log, fmt.Sprint("end ", svc.CodeOf(o.Err), " ", o.Status))
	}
	options.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, in any) (any, error) {
			out, err := next(ctx, resource, method, in)
			if either, ok := out.(*svc.ValueOrStream[EitherWhole, EitherPart]); ok && either.Stream != nil {
				stream := either.Stream
				out = &svc.ValueOrStream[EitherWhole, EitherPart]{Value: either.Value, Stream: func(yield func(*EitherPart, error) bool) {
					log = append(log, "run")
					stream(yield)
				}}
			}
			log = append(log, "returned")
			return out, err
		}
	}
	s := svc.MustRegister[EitherAPI](eithers{}, options)
	for _, test := range []struct {
		name string
		call func() string
		want string
	}{
		{"a value over REST", func() string { return endText(s.REST(), "POST", "/chat", `{}`)[:3] }, `{"t [returned end OK 200]`},
		{"a stream over REST", func() string { return endText(s.REST(), "POST", "/chat", `{"stream":true}`)[:1] }, `: [returned run end OK 200]`},
		{"a stream that fails", func() string { return endText(s.REST(), "POST", "/chat", `{"stream":true,"how":"fail"}`)[:1] }, `: [returned run end NOT_FOUND 200]`},
		{"both, whose stream is released", func() string { return endText(s.REST(), "POST", "/chat", `{"how":"both"}`)[:3] }, `{"e [returned run end INTERNAL 500]`},
		{"a value by Service.Call", func() string { return callEither(t, s, &EitherIn{}) }, `value ab [returned end OK 0]`},
		{"a stream by Service.Call", func() string { return callEither(t, s, &EitherIn{Stream: true}) }, `stream 12 [returned end OK 0 run]`},
		{"none by Service.Call", func() string { return callEither(t, s, &EitherIn{How: "none"}) }, `INTERNAL [returned end INTERNAL 0]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			log = nil
			if got := test.call(); fmt.Sprint(got, " ", log) != test.want {
				t.Errorf("got %s %v, want %s", got, log, test.want)
			}
		})
	}
}

// callEither returns what Service.Call returns.
func callEither(t *testing.T, s *svc.Service, in *EitherIn) string {
	out, err := s.Call(t.Context(), "chat", "complete", in)
	if err != nil {
		return string(svc.CodeOf(err))
	}
	return eitherText(out.(*svc.ValueOrStream[EitherWhole, EitherPart]))
}

// eitherText returns what is set in an output.
func eitherText(out *svc.ValueOrStream[EitherWhole, EitherPart]) string {
	if out.Value != nil {
		return "value " + out.Value.Text
	}
	text := "stream "
	for part, err := range out.Stream {
		if err != nil {
			return text + " " + string(svc.CodeOf(err))
		}
		text += fmt.Sprint(part.N)
	}
	return text
}

// eitherClient is the client of EitherAPI.
type eitherClient struct {
	Complete func(context.Context, *EitherIn) (*svc.ValueOrStream[EitherWhole, EitherPart], error)
}

// Verify that a client gets what the service has set.
func TestValueOrStreamConnect(t *testing.T) {
	options := eitherOptions(svc.MethodOptions{Status: 201})
	server := httptest.NewServer(svc.MustRegister[EitherAPI](eithers{}, options).REST())
	defer server.Close()
	var client eitherClient
	if err := svc.Connect[EitherAPI](&client, server.URL, &svc.ClientOptions{Service: options, HTTPClient: server.Client()}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		in   EitherIn
		want string
	}{
		{"a value", EitherIn{}, "value ab"},
		{"a stream", EitherIn{Stream: true}, "stream 12"},
		{"a stream that fails", EitherIn{Stream: true, How: "fail"}, "stream 12 NOT_FOUND"},
		{"an error", EitherIn{How: "error"}, "NOT_FOUND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := client.Complete(t.Context(), &test.in)
			got := string(svc.CodeOf(err))
			if err == nil {
				got = eitherText(out)
			} else if out != nil {
				t.Errorf("an output beside %v", err)
			}
			if got != test.want || out != nil && out.Value != nil && out.Value.Tag != `"1"` {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Verify what a client makes of the media type of a response, and that its stream goes on.
func TestValueOrStreamResponses(t *testing.T) {
	const item1, rest = "id: 1\ndata: {\"n\":1}\n\n", "id: 2\ndata: {\"n\":2}\n\nevent: done\ndata: {}\n\n"
	for _, test := range []struct{ name, mediaType, first, second, want string }{
		{"a value", "application/json; charset=utf-8", `{"text":"x"}`, "", "value x "},
		{"a stream", "Text/Event-Stream;charset=utf-8", item1 + rest, "", "stream 12 "},
		{"a stream that is cut", "text/event-stream", item1, rest, "stream 12 /1"},
		{"a page of a proxy", "text/html", "<p>", "", "INTERNAL "},
		{"nothing", "application/json", "", "", "INTERNAL "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
				if accept := r.Header.Get("Accept"); accept != "application/json, text/event-stream" {
					t.Errorf("Accept is %q", accept)
				}
				text := test.first
				if len(asked) > 0 {
					text = test.second
				}
				asked = append(asked, r.Header.Get("Last-Event-ID"))
				body := io.Reader(strings.NewReader(text))
				if test.second != "" && len(asked) == 1 {
					body = io.MultiReader(body, endsBy{io.ErrUnexpectedEOF})
				}
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {test.mediaType}}, Body: io.NopCloser(body), Request: r}, nil
			})
			options := eitherOptions(svc.MethodOptions{})
			options.Methods["Complete"] = svc.MethodOptions{HTTP: "GET /chat"}
			var client eitherClient
			if err := svc.Connect[EitherAPI](&client, "http://127.0.0.1", &svc.ClientOptions{Service: options, HTTPClient: &http.Client{Transport: transport}}); err != nil {
				t.Fatal(err)
			}
			out, err := client.Complete(t.Context(), &EitherIn{})
			got := string(svc.CodeOf(err))
			if err == nil {
				got = eitherText(out)
			}
			if got += " " + strings.Join(asked, "/"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Verify that the goroutine of a Body and an output that is a list have their rules here too.
func TestValueOrStreamBody(t *testing.T) {
	s := svc.MustRegister[EitherBodyAPI](eitherBodies{}, &svc.Options{Resource: "texts", Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct{ name, body, want string }{
		{"a value", "a b", `["a","b"]`},
		{"a stream", "stream", ":\n\ndata: {\"n\":6}\n\nevent: done\ndata: {}\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := textOf(answerTo(s.REST(), "POST", "/texts", test.body, "Content-Type", "application/octet-stream")); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	list := svc.MustRegister[EitherListAPI](eitherLists{}, &svc.Options{Resource: "texts"})
	if got := endText(list.MCP(nil), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"texts_list","arguments":{}}}`); !strings.Contains(got, `"structuredContent":{"items":["a"]}`) {
		t.Errorf("a list is %s", got)
	}
}

type (
	EitherBodyAPI interface {
		Create(context.Context, *EitherBodyIn) (*svc.ValueOrStream[EitherTexts, EitherCount], error)
	}
	EitherListAPI interface {
		List(context.Context) (*svc.ValueOrStream[EitherTexts, EitherCount], error)
	}
	EitherBodyIn struct {
		Text svc.Body
	}
	EitherTexts []string
	EitherCount struct {
		N int `json:"n"`
	}
	eitherBodies struct{}
	eitherLists  struct{}
)

func (eitherBodies) Create(_ context.Context, in *EitherBodyIn) (*svc.ValueOrStream[EitherTexts, EitherCount], error) {
	text, err := io.ReadAll(&in.Text)
	if string(text) == "stream" {
		return &svc.ValueOrStream[EitherTexts, EitherCount]{Stream: func(yield func(*EitherCount, error) bool) { yield(&EitherCount{len(text)}, nil) }}, err
	}
	texts := EitherTexts(strings.Fields(string(text)))
	return &svc.ValueOrStream[EitherTexts, EitherCount]{Value: &texts}, err
}

func (eitherLists) List(context.Context) (*svc.ValueOrStream[EitherTexts, EitherCount], error) {
	return &svc.ValueOrStream[EitherTexts, EitherCount]{Value: &EitherTexts{"a"}}, nil
}

// Verify what documents say of a method that answers with a value or a stream.
func TestValueOrStreamDocuments(t *testing.T) {
	stream := `"text/event-stream":{"schema":{"$ref":"#/components/schemas/EitherPart"}}`
	value := `"application/json":{"schema":{"$ref":"#/components/schemas/EitherWhole"}}`
	header := `,"headers":{"ETag":{"schema":{"type":"string"}}}`
	both, one := svc.MustRegister[EitherAPI](eithers{}, eitherOptions(svc.MethodOptions{})), svc.MustRegister[EitherAPI](eithers{}, eitherOptions(svc.MethodOptions{Status: 201}))
	list := svc.MustRegister[EitherListAPI](eitherLists{}, &svc.Options{Resource: "texts"})
	items := `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer","format":"int64"}},"required":["n"]},"maxItems":1000}},"required":["items"]}`
	for _, test := range []struct{ name, text, want string }{
		{"3.0", endText(both.OpenAPI(), "GET", "/openapi.json?openapi=3.0", ""), header + `,"content":{` + value + "," + stream + `}}`},
		{"3.1", endText(both.OpenAPI(), "GET", "/openapi.json?openapi=3.1", ""), header + `,"content":{` + value + "," + stream + `}}`},
		{"3.2", endText(both.OpenAPI(), "GET", "/openapi.json?openapi=3.2", ""), `"content":{` + value + `,"text/event-stream":{"itemSchema":{"oneOf":[{"title":"Item"`},
		{"its description", endText(both.OpenAPI(), "GET", "/openapi.json", ""), `"200":{"description":"One value as JSON, or a stream, as the input asks. Server-sent events. `},
		{"a stream beside another status", endText(one.OpenAPI(), "GET", "/openapi.json?openapi=3.1", ""), `cut.","content":{` + stream + `}},"201":{"description":"Created"` + header + `,"content":{` + value + `}}`},
		{"OpenRPC", endText(both.RPC(), "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`), `"result":{"name":"result","schema":{"anyOf":[{"$ref":"#/components/schemas/EitherWhole"},{"type":"object","properties":{"items":`},
		{"a tool", endText(both.MCP(nil), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), `"outputSchema":{"type":"object","anyOf":[{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},` + items + `]}`},
		{"a tool with a list", endText(list.MCP(nil), "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), `"outputSchema":{"type":"object","anyOf":[{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}}},"required":["items"]},` + items + `]}`},
		{"Markdown", textOf(answerTo(both.Docs(nil), "GET", "/docs", "", "Accept", "text/markdown")), "cut, `EitherWhole` as application/json, `EitherPart` as text/event-stream"},
		{"Markdown of one", textOf(answerTo(one.Docs(nil), "GET", "/docs", "", "Accept", "text/markdown")), "cut, `EitherPart` as text/event-stream\n- answer 201: Created, `EitherWhole` as application/json"},
		{"client.ts, its type", endText(both.TypeScript(), "GET", "/client.ts", ""), "complete: ValueOrStreamCall<EitherIn, EitherWhole, EitherPart>;"},
		{"client.ts, its row", endText(both.TypeScript(), "GET", "/client.ts", ""), `kind: "either", out: { tag: "ETag" }, ids: "all"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.text, test.want) {
				t.Errorf("there is no %s in %s", test.want, test.text)
			}
		})
	}
	if m := both.Descriptor().Resources[0].Methods[0]; m.Stream != "" || m.Output.Name != "EitherWhole" {
		t.Errorf("the descriptor has %+v", m)
	}
}
