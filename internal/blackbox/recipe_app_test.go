package blackbox_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"example.com/svc"
)

// The code of these examples stands in doc/assistants.md.

type Clock interface {
	GetTime(context.Context) (*Time, error)
	GetFace(context.Context) (*Face, error)
}

type Time struct {
	Time string `json:"time"`
}

type Face struct{}

func (*Face) MCPContent() []svc.MCPContent {
	return []svc.MCPContent{{Text: `<!doctype html><title>Clock</title><script type="module" src="https://cdn.example/clock.js"></script>`}}
}

func clockOptions() *svc.Options {
	const face = "ui://clock/face"
	return &svc.Options{Resource: "clock", Methods: map[string]svc.MethodOptions{
		"GetTime": {HTTP: "GET /clock", MCP: &svc.MCPMethod{Meta: map[string]any{"ui": map[string]any{"resourceUri": face}}}},
		"GetFace": {HTTP: "GET /face", MCP: &svc.MCPMethod{URI: face, MIMEType: "text/html;profile=mcp-app", NotTool: true,
			Meta: map[string]any{"ui": map[string]any{"csp": map[string]any{"resourceDomains": []string{"https://cdn.example"}}}}}},
	}}
}

type clock struct{}

func (clock) GetTime(context.Context) (*Time, error) { return &Time{"12:00"}, nil }
func (clock) GetFace(context.Context) (*Face, error) { return &Face{}, nil }

func Example_mcpApp() {
	h := svc.MustRegister[Clock](clock{}, clockOptions()).MCP(nil)
	list := mcpPost(h, mcpLegacy("2025-11-25", "tools/list", "")).Body.String()
	fmt.Println(list[strings.Index(list, `"_meta"`):])
	for _, method := range []string{"resources/list", "resources/read"} {
		_, text, _ := strings.Cut(mcpPost(h, mcpLegacy("2025-11-25", method, `"uri":"ui://clock/face"`)).Body.String(), `"mimeType":`)
		fmt.Println(strings.SplitN(text, `,`, 2)[0], text[strings.Index(text, `"_meta"`):])
	}
	// Output:
	// "_meta":{"ui":{"resourceUri":"ui://clock/face"}}}]},"id":1}
	// "text/html;profile=mcp-app" "_meta":{"ui":{"csp":{"resourceDomains":["https://cdn.example"]}}}}]},"id":1}
	// "text/html;profile=mcp-app" "_meta":{"ui":{"csp":{"resourceDomains":["https://cdn.example"]}}}}]},"id":1}
}

// Reports makes reports that take minutes.
type Reports interface {
	Create(context.Context, *ReportOf) (*Begun, error)
	Get(context.Context, *ReportID) (*Report, error)
}

type ReportOf struct {
	Year int `json:"year"`
}

type ReportID struct {
	ID int `json:"id"`
}

type Report struct {
	Done bool   `json:"done"` // if not, ask again in a few seconds
	Text string `json:"text,omitempty"`
}

type reports struct{ queue func(year int) (id int) }

type Begun struct {
	ID         int    `json:"id"` // ask for it by Get
	Location   string `json:"-" header:"Location"`
	RetryAfter int    `json:"-" header:"Retry-After"` // seconds
}

func (r reports) Create(_ context.Context, in *ReportOf) (*Begun, error) {
	id := r.queue(in.Year) // for a worker that outlives the request
	return &Begun{ID: id, Location: fmt.Sprint("/reports/", id), RetryAfter: 5}, nil
}

func (reports) Get(_ context.Context, in *ReportID) (*Report, error) {
	return &Report{Done: in.ID == 7, Text: "All is well."}, nil
}

func Example_longRunning() {
	h := svc.MustRegister[Reports](reports{func(int) int { return 7 }}, &svc.Options{Methods: map[string]svc.MethodOptions{"Create": {Status: 202}}}).REST()
	for _, r := range []struct{ method, path, body string }{{"POST", "/reports", `{"year":2026}`}, {"GET", "/reports/7", ""}} {
		w := httptest.NewRecorder()
		request := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
		request.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, request)
		fmt.Println(w.Code, w.Header()["Location"], w.Header()["Retry-After"], w.Body)
	}
	// Output:
	// 202 [/reports/7] [5] {"id":7}
	// 200 [] [] {"done":true,"text":"All is well."}
}
