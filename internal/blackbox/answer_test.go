package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests what a method's options and its output say of the answer beside
// its body: statuses, transports and versions.

// answerTo returns the answer of h to a request, whose headers are pairs of a name
// and a value.
func answerTo(h http.Handler, method, path, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// textOf returns the body of an answer.
func textOf(a *http.Response) string {
	text, _ := io.ReadAll(a.Body)
	return string(text)
}

// documentOf returns the OpenAPI document of s in a version.
func documentOf(t testing.TB, s *svc.Service, version string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(textOf(answerTo(s.OpenAPI(), "GET", "/?openapi="+version, ""))), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// partOf returns the part of a document that names lead to, as JSON; "" if there is
// none.
func partOf(doc any, names ...string) string {
	for _, name := range names {
		m, ok := doc.(map[string]any)
		if !ok || m[name] == nil {
			return ""
		}
		doc = m[name]
	}
	text, _ := json.Marshal(doc)
	return string(text)
}

type (
	StatusAPI interface {
		Create(context.Context, *StatusItem) (*StatusItem, error)
		Drop(context.Context) error
		Queue(context.Context) error
		Clear(context.Context) error
		Sort(context.Context) error
		Empty(context.Context) error
		Look(context.Context) (*StatusItem, error)
		Ask(context.Context) (*StatusItem, error)
	}
	StatusItem struct {
		Name string `json:"name"`
	}
	statusImpl struct{}
)

func (statusImpl) Create(_ context.Context, in *StatusItem) (*StatusItem, error) { return in, nil }
func (statusImpl) Drop(context.Context) error                                    { return nil }
func (statusImpl) Queue(context.Context) error                                   { return nil }
func (statusImpl) Clear(context.Context) error                                   { return nil }
func (statusImpl) Sort(context.Context) error                                    { return nil }
func (statusImpl) Empty(context.Context) error                                   { return nil }
func (statusImpl) Look(context.Context) (*StatusItem, error)                     { return &StatusItem{}, nil }
func (statusImpl) Ask(context.Context) (*StatusItem, error)                      { return &StatusItem{}, nil }

// statusOptions returns options that give each method of StatusAPI another status.
func statusOptions() *svc.Options {
	return &svc.Options{Resource: "items", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Create": {Status: 201},
		"Queue":  {Status: 202},
		"Clear":  {Status: 205},
		"Sort":   {Status: 204},
		"Empty":  {Status: 200},
		"Look":   {Status: 203, HTTP: "GET /items/look"},
		"Ask":    {Status: 202, HTTP: "GET /items/ask", Deprecated: true, Description: "Asks."},
	}}
}

// Verify that the status of a success is the one of the options, on the wire and in
// the documents, also for HEAD, and that an answer without an output has no body.
func TestStatus(t *testing.T) {
	s := svc.MustRegister[StatusAPI](statusImpl{}, statusOptions())
	server := httptest.NewServer(s.REST())
	defer server.Close()
	doc := documentOf(t, s, "3.0")
	for _, test := range []struct {
		method, path string
		want         string // status, Content-Length and body
	}{
		{"POST", "/items", "201 14 {\"name\":\"pen\"}"},
		{"POST", "/items/drop", "204  "},
		{"POST", "/items/queue", "202 0 "},
		{"POST", "/items/clear", "205 0 "},
		{"POST", "/items/sort", "204  "},
		{"POST", "/items/empty", "200 0 "},
		{"GET", "/items/look", `203 11 {"name":""}`},
		{"HEAD", "/items/look", "203 11 "},
		{"GET", "/items/ask", `202 11 {"name":""}`},
	} {
		t.Run(rowName(test.method, test.path), func(t *testing.T) {
			body := `{"name":"pen"}`
			if test.method != "POST" {
				body = "{}" // what some clients send in place of nothing
			}
			r, _ := http.NewRequest(test.method, server.URL+test.path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join([]string{a.Status[:3], a.Header.Get("Content-Length"), textOf(a)}, " ")
			a.Body.Close()
			if got != test.want {
				t.Errorf("%s %s: %s, want %s", test.method, test.path, got, test.want)
			}
			if test.method == "HEAD" {
				return
			}
			responses := doc["paths"].(map[string]any)[test.path].(map[string]any)[strings.ToLower(test.method)].(map[string]any)["responses"]
			if described := partOf(responses, a.Status[:3], "description"); described != `"`+http.StatusText(a.StatusCode)+`"` || a.StatusCode != 200 && partOf(responses, "200") != "" {
				t.Errorf("%s %s: the document has %s", test.method, test.path, partOf(responses))
			}
		})
	}
}

// Verify that all documents say which methods are deprecated, and of no other.
func TestDeprecated(t *testing.T) {
	s := svc.MustRegister[StatusAPI](statusImpl{}, statusOptions())
	for _, version := range []string{"3.0", "3.1"} {
		doc := documentOf(t, s, version)
		if got := partOf(doc, "paths", "/items/ask", "get", "deprecated"); got != "true" {
			t.Errorf("%s: deprecated is %s", version, got)
		}
		if got := partOf(doc, "paths", "/items/look", "get", "deprecated"); got != "" {
			t.Errorf("%s: deprecated is %s where nothing says so", version, got)
		}
	}
	rpc := textOf(answerTo(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, "Content-Type", "application/json"))
	if strings.Count(rpc, `"deprecated":true`) != 1 {
		t.Errorf("OpenRPC has %s", rpc)
	}
	if tools := toolsOf(s); strings.Count(tools, "Deprecated: ") != 1 || !strings.Contains(tools, "call another tool if one fits. Asks.") {
		t.Errorf("the tools are %s", tools)
	}
	if a := answerTo(s.REST(), "GET", "/items/ask", ""); a.StatusCode != 202 {
		t.Errorf("the method is not served: %d", a.StatusCode)
	}
}

// toolsOf returns the list of tools of s.
func toolsOf(s *svc.Service) string {
	return textOf(answerTo(s.MCP(nil), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18"))
}

type (
	PartAPI interface {
		All(context.Context) (*StatusItem, error)
		GetOnRPC(context.Context, *PartID) (*StatusItem, error)
		PatchOnMCP(context.Context, *PartIDs) error
		UpdateOnREST(context.Context, *PartID) (*StatusItem, error)
	}
	// A PartID has a path tag, which means nothing without a route.
	PartID struct {
		ID   string `json:"id" path:"key"`
		Size int    `json:"size,omitempty" query:"size"`
	}
	PartIDs struct {
		From string `path:"from"`
		To   string `path:"to"`
	}
	partImpl struct{}
)

func (partImpl) All(context.Context) (*StatusItem, error) { return &StatusItem{"all"}, nil }
func (partImpl) GetOnRPC(_ context.Context, in *PartID) (*StatusItem, error) {
	return &StatusItem{in.ID}, nil
}
func (partImpl) PatchOnMCP(context.Context, *PartIDs) error { return nil }
func (partImpl) UpdateOnREST(_ context.Context, in *PartID) (*StatusItem, error) {
	return &StatusItem{in.ID}, nil
}

// partService returns a service with a method for all transports and one for each
// alone.
func partService() *svc.Service {
	return svc.MustRegister[PartAPI](partImpl{}, &svc.Options{Resource: "parts", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"GetOnRPC":     {Transports: []svc.Transport{svc.TransportRPC}},
		"PatchOnMCP":   {Transports: []svc.Transport{svc.TransportMCP}},
		"UpdateOnREST": {Transports: []svc.Transport{svc.TransportREST}},
	}})
}

// Verify that a method is called by the transports that serve it and by Call, and
// that the others know nothing of it.
func TestTransports(t *testing.T) {
	s := partService()
	if routes := s.Routes(); len(routes) != 2 || routes[0].Name != "all" || routes[1].Name != "update_on_rest" {
		t.Errorf("the routes are %v", routes)
	}
	for _, test := range []struct{ method, path, want string }{
		{"GET", "/parts", `{"name":"all"}`},
		{"PUT", "/parts/7", `{"name":"7"}`},
		{"GET", "/parts/7", "the method is not allowed here; allowed: PUT"},
		{"PATCH", "/parts/7", "the method is not allowed here; allowed: PUT"},
	} {
		t.Run(rowName(test.method, test.path), func(t *testing.T) {
			if got := textOf(answerTo(s.REST(), test.method, test.path, "")); !strings.Contains(got, test.want) {
				t.Errorf("%s %s: %s, want %s", test.method, test.path, got, test.want)
			}
		})
	}
	for _, test := range []struct{ call, want string }{
		{`"parts.all"`, `{"name":"all"}`},
		{`"parts.get_on_rpc","params":{"id":"7"}`, `{"name":"7"}`},
		{`"parts.getOnRPC","params":{"id":"7"}`, `{"name":"7"}`},
		{`"parts.update_on_rest","params":{"id":"7"}`, `-32601`},
		{`"parts.updateOnREST","params":{"id":"7"}`, `-32601`},
		{`"parts.patch_on_mcp","params":{"from":"a","to":"b"}`, `-32601`},
	} {
		t.Run(rowName(test.call), func(t *testing.T) {
			got := textOf(answerTo(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":`+test.call+`}`, "Content-Type", "application/json"))
			if !strings.Contains(got, test.want) {
				t.Errorf("%s: %s, want %s", test.call, got, test.want)
			}
		})
	}
	for name, want := range map[string]string{"parts_all": "/from is not a known property", "parts_patch_on_mcp": `"isError":false`, "parts_get_on_rpc": "-32602", "parts_update_on_rest": "-32602"} {
		got := textOf(answerTo(s.MCP(nil), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":{"from":"a","to":"b"}}}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18"))
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"All", "GetOnRPC", "PatchOnMCP", "UpdateOnREST"} {
		in, err := s.NewInput("parts", name)
		if err == nil {
			_, err = s.Call(context.Background(), "parts", name, in)
		}
		if err != nil {
			t.Errorf("Call of %s: %v", name, err)
		}
	}
}

// Verify that a method is in the documents of the transports that serve it alone.
func TestTransportsInDocuments(t *testing.T) {
	s := partService()
	rpc := textOf(answerTo(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, "Content-Type", "application/json"))
	api, _ := json.Marshal(documentOf(t, s, "3.1"))
	for _, test := range []struct {
		document, text string
		with, without  []string
	}{
		{"OpenAPI", string(api), []string{"parts_All", "parts_UpdateOnREST"}, []string{"parts_GetOnRPC", "parts_PatchOnMCP", "PartIDs"}},
		{"OpenRPC", rpc, []string{"parts.all", "parts.get_on_rpc"}, []string{"parts.patch_on_mcp", "parts.update_on_rest"}},
		{"tools", toolsOf(s), []string{"parts_all", "parts_patch_on_mcp", "a method of PartAPI."}, []string{"parts_get_on_rpc", "parts_update_on_rest"}},
	} {
		t.Run(test.document, func(t *testing.T) {
			for _, name := range test.with {
				if !strings.Contains(test.text, name) {
					t.Errorf("%s has no %s:\n%s", test.document, name, test.text)
				}
			}
			for _, name := range test.without {
				if strings.Contains(test.text, name) {
					t.Errorf("%s has %s:\n%s", test.document, name, test.text)
				}
			}
		})
	}
	for _, m := range s.Descriptor().Resources[0].Methods {
		if unrouted := m.HTTP == (svc.HTTPBinding{}); unrouted != slices.Contains([]string{"get_on_rpc", "patch_on_mcp"}, m.Name) {
			t.Errorf("the route of %s is %v", m.Name, m.HTTP)
		}
	}
}

type (
	OrdersV1API interface {
		Create(context.Context, *Order) (*Order, error)
		Get(context.Context, *PartID) (*Order, error)
	}
	OrdersV2API interface {
		Create(context.Context, *OrderV2) (*OrderV2, error)
		Get(context.Context, *PartID) (*OrderV2, error)
		Move(context.Context, *PartIDs) error
	}
	Cookie   struct{ Text string }
	Order    = Cookie
	OrderV2  = http.Cookie // a type of the same name in another package
	ordersV1 struct{}
	ordersV2 struct{}
)

func (ordersV1) Create(_ context.Context, in *Order) (*Order, error)     { return in, nil }
func (ordersV1) Get(context.Context, *PartID) (*Order, error)            { return &Order{"1"}, nil }
func (ordersV2) Create(_ context.Context, in *OrderV2) (*OrderV2, error) { return in, nil }
func (ordersV2) Get(context.Context, *PartID) (*OrderV2, error)          { return &OrderV2{Name: "2"}, nil }
func (ordersV2) Move(context.Context, *PartIDs) error                    { return nil }

// Verify that two versions of a service with the same names of methods are joined
// side by side, that both are served, and that the document has the same paths and
// components whatever the order.
func TestVersionsSideBySide(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	v1 := svc.MustRegister[OrdersV1API](ordersV1{}, &svc.Options{Resource: "orders", Logger: quiet}).At("/v1")
	v2 := svc.MustRegister[OrdersV2API](ordersV2{}, &svc.Options{Resource: "orders_v2", Path: "/orders/", Logger: quiet, Methods: map[string]svc.MethodOptions{
		"Move": {HTTP: "POST /orders/{from}/{to}"},
	}}).At("/v2")
	one, two := svc.Join("Orders", v1, v2), svc.Join("Orders", v2, v1)
	for _, s := range []*svc.Service{one, two} {
		for path, want := range map[string]string{"/v1/orders/7": `"Text":"1"`, "/v2/orders/7": `"Name":"2"`} {
			if got := textOf(answerTo(s.REST(), "GET", path, "")); !strings.Contains(got, want) {
				t.Errorf("%s: %s", path, got)
			}
		}
		got := textOf(answerTo(s.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"orders_v2.get","params":{"id":"7"}}`, "Content-Type", "application/json"))
		if !strings.Contains(got, `"Name":"2"`) {
			t.Errorf("orders_v2.get: %s", got)
		}
	}
	for _, version := range []string{"3.0", "3.1"} {
		a, b := documentOf(t, one, version), documentOf(t, two, version)
		for _, part := range []string{"paths", "components"} {
			if partOf(a, part) != partOf(b, part) {
				t.Errorf("%s %s: %s\nin the other order %s", version, part, partOf(a, part), partOf(b, part))
			}
		}
	}
}

// Verify that the status and the headers of an error are sent by every
// ErrorWriter, over those of the success that the method had set already, and that
// no header is sent that would break the response or is not the application's. Vary
// and Link are added to those of the middleware.
func TestErrorHeaders(t *testing.T) {
	known := svc.Errorf(svc.CodeFailedPrecondition, "pay first")
	paid := known.WithStatus(402).WithHeader("retry-after", "9").WithHeader("Retry-After", "7").WithHeader("ETag", `"now"`)
	if known.Header() != nil || !errors.Is(paid, known) || paid.Header().Get("Retry-After") != "7" {
		t.Errorf("the error has %v, the one it was made from %v", paid.Header(), known.Header())
	}
	paid.Header().Set("Retry-After", "1") // of a copy
	bad := paid.WithHeader("Link", "</pay>").WithHeader("Content-Type", "text/html").WithHeader("Vary", "X").WithHeader("Access-Control-Allow-Origin", "*").
		WithHeader("X Y", "1").WithHeader("X-Cut", "a\r\nSet-Cookie: b=c").WithHeader("X-Nul", "\x00").WithHeader("X-Wide", "ä").WithHeader("X-Edge", " a")
	seen := ""
	look := func(w http.ResponseWriter, _ *http.Request, err error) {
		seen = w.Header().Get("Retry-After")
		w.WriteHeader(svc.ErrorFrom(err).HTTPStatus())
	}
	for _, onError := range []svc.ErrorWriter{nil, svc.WriteError, svc.WriteProblem, look} {
		h := svc.Handle(func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("ETag", `"old"`)
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Link", "</old>")
			return bad
		}, &svc.ErrorOptions{OnError: onError, Logger: slog.New(slog.DiscardHandler)})
		h = svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://a.example"}})(svc.VersionFromHeader("")(h))
		a := answerTo(h, "GET", "/", "")
		if vary, link := strings.Join(a.Header["Vary"], ", "), strings.Join(a.Header["Link"], ", "); vary != "Origin, Accept-Version, X" || link != "</old>, </pay>" {
			t.Errorf("Vary is %s and Link is %s", vary, link)
		}
		if a.StatusCode != 402 || a.Header.Get("Retry-After") != "7" || a.Header.Get("ETag") != `"now"` {
			t.Errorf("the response is %d with %v", a.StatusCode, a.Header)
		}
		for name := range a.Header {
			if !slices.Contains([]string{"Retry-After", "Etag", "Vary", "Link", "Content-Type", "Content-Length", "X-Content-Type-Options"}, name) && seen == "" {
				t.Errorf("the response has the header %s: %q", name, a.Header[name])
			}
		}
		if ct := a.Header.Get("Content-Type"); ct == "text/html" {
			t.Errorf("the Content-Type is %s", ct)
		}
	}
	if seen != "7" {
		t.Error("the ErrorWriter saw no header")
	}
	for _, status := range []int{0, 200, 399, 600} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("WithStatus(%d) does not panic", status)
				}
			}()
			known.WithStatus(status)
		}()
	}
}

// Verify that Violations finds those of svc's own errors and of errors that have
// been through JSON, and that a change of the list changes no error.
func TestErrorViolations(t *testing.T) {
	s := svc.MustRegister[StatusAPI](statusImpl{}, statusOptions())
	_, err := s.Call(context.Background(), "items", "create", &StatusItem{})
	if got := svc.ErrorFrom(err).Violations(); len(got) != 0 {
		t.Errorf("a valid call has the violations %v", got)
	}
	var received struct{ Error svc.Error }
	text := textOf(answerTo(s.REST(), "POST", "/items", `{"name":5}`, "Content-Type", "application/json"))
	if err := json.Unmarshal([]byte(text), &received); err != nil {
		t.Fatal(err)
	}
	want := svc.Violation{In: "body", Path: "/name", Rule: "type", Message: "must be a string, is a number"}
	if got := received.Error.Violations(); len(got) != 1 || got[0] != want {
		t.Errorf("the violations of %s are %v", text, got)
	}
	own := svc.Errorf(svc.CodeInvalidArgument, "no").WithDetail("violations", []svc.Violation{want})
	own.Violations()[0].In = "path"
	if got := own.Violations(); len(got) != 1 || got[0] != want {
		t.Errorf("the violations are %v", got)
	}
	if got := (*svc.Error)(nil).Violations(); got != nil {
		t.Errorf("a nil error has %v", got)
	}
	odd := svc.Errorf(svc.CodeInvalidArgument, "no").WithDetail("violations", []any{7, map[string]any{"in": 5, "rule": "type"}})
	if got := odd.Violations(); len(got) != 1 || got[0] != (svc.Violation{Rule: "type"}) {
		t.Errorf("the violations of odd JSON are %v", got)
	}
}
