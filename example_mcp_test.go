package svc_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"

	"example.com/svc"
)

// ChartsAPI has a method that takes a while and returns an image.
type ChartsAPI interface {
	Draw(ctx context.Context, in *DrawIn) (*Chart, error)
}

// DrawIn has an argument that clients also send in the header Mcp-Param-Region, so that
// a gateway can choose a server in that region.
type DrawIn struct {
	Region string `json:"region" enum:"eu,us" mcpheader:"Region" doc:"where the numbers come from"`
}

// A Chart is an image. REST sends it as JSON.
type Chart struct {
	Title string `json:"title"`
	SVG   string `json:"svg"`
}

// MCPContent returns the title as text and the chart as an image.
func (c *Chart) MCPContent() []svc.MCPContent {
	return []svc.MCPContent{
		{Text: c.Title},
		{Type: "image", MIMEType: "image/svg+xml", Data: []byte(c.SVG), Audience: []string{"user"}},
	}
}

type charts struct{}

// Draw reports progress and sends a log message. Both do nothing if the caller is not
// an MCP client.
func (charts) Draw(ctx context.Context, in *DrawIn) (*Chart, error) {
	svc.Progress(ctx, 1, 2, "reading")
	svc.MCPLog(ctx, slog.LevelWarn, "2 rows have no number")
	svc.Progress(ctx, 2, 2, "drawing")
	return &Chart{Title: "Sales in " + in.Region, SVG: "<svg/>"}, nil
}

// A client that asks for progress gets a stream of events. The last event is the result.
func ExampleService_MCP() {
	service := svc.MustRegister[ChartsAPI](charts{}, &svc.Options{Resource: "charts"})
	handler := service.MCP(&svc.MCPOptions{Instructions: "Draw a chart before you explain numbers."})

	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call",
		"params":{"name":"charts_draw","arguments":{"region":"eu"},"_meta":{"progressToken":"p"}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	for line := range strings.Lines(w.Body.String()) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			fmt.Print(data)
		}
	}
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2,"message":"reading"}}
	// {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"2 rows have no number"}}
	// {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"total":2,"message":"drawing"}}
	// {"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"Sales in eu"},{"type":"image","data":"PHN2Zy8+","mimeType":"image/svg+xml","annotations":{"audience":["user"]}}],"isError":false},"id":1}
}
