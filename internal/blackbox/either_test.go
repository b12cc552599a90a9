package blackbox_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

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
	items := `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}},"required":["items"]}`
	for _, test := range []struct{ name, text, want string }{
		{"3.0", endText(both.OpenAPI(), "GET", "/openapi.json?openapi=3.0", ""), header + `,"content":{` + value + "," + stream + `}}`},
		{"3.1", endText(both.OpenAPI(), "GET", "/openapi.json?openapi=3.1", ""), header + `,"content":{` + value + "," + stream + `}}`},
		{"3.2", endText(both.OpenAPI(), "GET", "/openapi.json?openapi=3.2", ""), `"content":{` + value + `,"text/event-stream":{"itemSchema":{"oneOf":[{"title":"Item"`},
		{"its description", endText(both.OpenAPI(), "GET", "/openapi.json", ""), `"200":{"description":"JSON, or a stream of events if the request asks for one. Server-sent events. `},
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

type (
	// AnyEitherAPI answers with what it gets.
	AnyEitherAPI interface {
		Create(context.Context, *AnyEitherIn) (*svc.ValueOrStream[AnyWhole, AnyItem], error)
	}
	AnyEitherIn struct {
		Value *AnyWhole `json:"value,omitempty"`
		Items []AnyItem `json:"items,omitempty"`
		Fail  bool      `json:"fail,omitempty"` // behind the items
	}
	AnyWhole struct {
		Text    string               `json:"text"`
		N       int64                `json:"n,string"`
		Ratio   float64              `json:"ratio"`
		Data    []byte               `json:"data,omitempty"`
		Content byContent            `json:"content"`
		Opt     svc.Optional[string] `json:"opt,omitzero"`
		Map     map[string]AnyItem   `json:"map,omitempty"`
	}
	AnyItem struct {
		ID    int32     `json:"id"`
		Text  string    `json:"text"`
		At    time.Time `json:"at"`
		Maybe *byStop   `json:"maybe,omitempty"`
	}
	anyEithers struct{}
)

func (i *AnyItem) SSE() svc.Event { return svc.Event{ID: fmt.Sprint(i.ID)} }

func (anyEithers) Create(_ context.Context, in *AnyEitherIn) (*svc.ValueOrStream[AnyWhole, AnyItem], error) {
	if in.Value != nil {
		return &svc.ValueOrStream[AnyWhole, AnyItem]{Value: in.Value}, nil
	}
	return &svc.ValueOrStream[AnyWhole, AnyItem]{Stream: func(yield func(*AnyItem, error) bool) {
		for i := range in.Items {
			if !yield(&in.Items[i], nil) {
				return
			}
		}
		if in.Fail {
			yield(nil, svc.Errorf(svc.CodeAborted, "there is no more"))
		}
	}}, nil
}

func (r byRandom) either() *AnyEitherIn {
	text := func() string {
		return r.text() + []string{"", "\n", "\r\ndata: x\n\n", "\u2028", "event: done"}[r.IntN(5)]
	}
	item := func() AnyItem {
		i := AnyItem{ID: int32(r.Uint32()), Text: text(), At: time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()}
		if r.IntN(2) == 0 {
			i.Maybe = byPtr(r.stop())
		}
		return i
	}
	in := &AnyEitherIn{}
	if r.IntN(2) == 0 {
		for range r.IntN(4) {
			in.Items = append(in.Items, item())
		}
		in.Fail = r.IntN(8) == 0
		return in
	}
	in.Value = &AnyWhole{Text: text(), N: int64(r.Uint64()), Ratio: r.NormFloat64(), Content: r.content(0)}
	switch r.IntN(4) {
	case 0:
		in.Value.Data = []byte(text() + "\xff")
	case 1:
		in.Value.Opt.Set(text())
	case 2:
		in.Value.Opt.SetNull()
	default:
		in.Value.Map = map[string]AnyItem{text(): item()}
	}
	return in
}

// anyOut returns what an output has, in the form of the input that asks for it.
func anyOut(out any, err error) (*AnyEitherIn, error) {
	if err != nil {
		return nil, err
	}
	either, in := out.(*svc.ValueOrStream[AnyWhole, AnyItem]), &AnyEitherIn{}
	if (either.Value == nil) == (either.Stream == nil) {
		return nil, fmt.Errorf("%+v", either)
	}
	if in.Value = either.Value; in.Value != nil {
		return in, nil
	}
	for item, err := range either.Stream {
		if in.Fail = svc.CodeOf(err) == svc.CodeAborted; err != nil && !in.Fail {
			return in, err
		}
		if err == nil {
			in.Items = append(in.Items, *item)
		}
	}
	return in, nil
}

// anyCodecs write what a method of AnyEitherAPI gets and returns.
type anyCodecs struct {
	in    *svc.Codec[AnyEitherIn]
	whole *svc.Codec[AnyWhole]
	item  *svc.Codec[AnyItem]
}

// answers returns what REST answers to in, and what is in the answers of JSON-RPC and MCP.
func (c *anyCodecs) answers(in *AnyEitherIn) (rest, rpc, mcp string, err error) {
	both := func(result string) (string, string) {
		return `"result":` + result + `,"id":1}`, `"structuredContent":` + result + `,`
	}
	if in.Value != nil {
		text, err := c.whole.Encode(in.Value)
		rpc, mcp = both(string(text))
		return string(text), rpc, mcp, err
	}
	var items []string
	rest = ":\n\n"
	for i := range in.Items {
		text, err := c.item.Encode(&in.Items[i])
		if err != nil {
			return "", "", "", err
		}
		rest += fmt.Sprintf("id: %d\ndata: %s\n\n", in.Items[i].ID, text)
		items = append(items, string(text))
	}
	if in.Fail {
		return rest + "event: error\ndata: {\"error\":{\"code\":\"ABORTED\",\"message\":\"there is no more\"}}\n\n", `"data":{"code":"ABORTED"}`, "ABORTED: there is no more", nil
	}
	rpc, mcp = both(`{"items":[` + strings.Join(items, ",") + `]}`)
	return rest + "event: done\ndata: {}\n\n", rpc, mcp, nil
}

// Verify that 10,000 random values and streams, some of which fail, come back as they were over REST, JSON-RPC, MCP, by
// Connect and by Service.Call.
func TestValueOrStreamRoundTrip(t *testing.T) {
	opts := &svc.Options{Resource: "things", Logger: slog.New(slog.DiscardHandler)}
	service, r := svc.MustRegister[AnyEitherAPI](anyEithers{}, opts), byRandom{rand.New(rand.NewPCG(1, 2))}
	rest, rpc, mcp := service.REST(), service.RPC(), service.MCP(nil)
	codecs := anyCodecs{svc.NewCodec[AnyEitherIn](), svc.NewCodec[AnyWhole](), svc.NewCodec[AnyItem]()}
	var client struct {
		Create func(context.Context, *AnyEitherIn) (*svc.ValueOrStream[AnyWhole, AnyItem], error)
	}
	if err := svc.Connect[AnyEitherAPI](&client, "", &svc.ClientOptions{Service: opts, Handler: rest}); err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		in := r.either()
		text, err := codecs.in.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		body, inCall, inTool, err := codecs.answers(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := postJSON(rest, "/things", string(text)).Body.String(); got != body {
			t.Fatalf("%d: REST gives\n%s\nof\n%s", i, got, text)
		}
		call := postJSON(rpc, "/", `{"jsonrpc":"2.0","id":1,"method":"things.create","params":`+string(text)+`}`).Body.String()
		tool := callTool(mcp, "things_create", string(text))
		if !strings.Contains(call, inCall) || !strings.Contains(tool, inTool) {
			t.Fatalf("%d: JSON-RPC gives\n%s\nand MCP\n%s\nof\n%s", i, call, tool, text)
		}
		if out, err := anyOut(client.Create(t.Context(), in)); err != nil || !reflect.DeepEqual(out, in) {
			t.Fatalf("%d: Connect gives %+v %v of\n%s", i, out, err, text)
		}
		if out, err := anyOut(service.Call(t.Context(), "things", "create", in)); err != nil || !reflect.DeepEqual(out, in) {
			t.Fatalf("%d: Call gives %+v %v of\n%s", i, out, err, text)
		}
	}
}

type (
	EitherInsideAPI interface {
		Create(context.Context, *EitherInside) (*EitherStreams, error)
		List(context.Context) (*EitherEmbeds, error)
	}
	EitherInside struct {
		List []svc.ValueOrStream[EitherWhole, EitherPart] `json:"list"`
	}
	EitherStreams struct {
		Parts svc.Stream[EitherPart] `json:"parts"`
	}
	EitherEmbeds struct {
		svc.ValueOrStream[EitherWhole, EitherPart]
	}
)

// Verify what is said of a ValueOrStream and of a Stream that are not the output itself.
func TestValueOrStreamMistakes(t *testing.T) {
	_, err := svc.Register[EitherInsideAPI](nil, &svc.Options{Resource: "things"})
	for _, want := range []string{
		"EitherInsideAPI.Create: blackbox_test.EitherInside.List[]: a *svc.ValueOrStream is the output of a method and cannot be inside another type; return it from the method",
		"EitherInsideAPI.Create: blackbox_test.EitherStreams.Parts: a svc.Stream is the output of a method and cannot be inside another type; return it from the method",
		"EitherInsideAPI.List: blackbox_test.EitherEmbeds.Stream: a svc.Stream is the output of a method and cannot be inside another type; return it from the method",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("no mistake %q in %v", want, err)
			}
		})
	}
}
