package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"example.com/svc"
)

// mcpNotes is the service that the tests of MCP call.
type mcpNotes interface {
	Create(context.Context, *mcpCreate) (*mcpNote, error)
	Get(context.Context, *mcpGet) (*mcpNote, error)
	Delete(context.Context, *mcpGet) error
	Count(context.Context) (*mcpCount, error)
	Work(context.Context, *mcpWork) (*mcpCount, error)
	Show(context.Context, *mcpShow) (*mcpShown, error)
	Fail(context.Context, *mcpFail) (*mcpCount, error)
	Locate(context.Context, *mcpFind) (*mcpCount, error)
	Sample(context.Context) error
	Watch(context.Context, *mcpCount) (svc.Stream[mcpCount], error)
}

type mcpCreate struct {
	Title string   `json:"title" minLength:"1" maxLength:"20" doc:"what to call it"`
	Tags  []string `json:"tags,omitempty" maxItems:"3"`
	Stars *int     `json:"stars,omitempty" minimum:"1" maximum:"5"`
}

type mcpNote struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	Stars *int     `json:"stars,omitempty"`
}

type mcpGet struct {
	ID string `json:"id" path:"id"`
}

type mcpCount struct {
	N int `json:"n"`
}

type mcpWork struct {
	Steps int    `json:"steps,omitempty"`
	Level string `json:"level,omitempty"`
	Abort bool   `json:"abort,omitempty"`
}

type mcpShow struct {
	Kinds []string `json:"kinds,omitempty"`
}

type mcpShown struct {
	content []svc.MCPContent
}

func (s *mcpShown) MCPContent() []svc.MCPContent { return s.content }

type mcpFail struct {
	How string `json:"how"`
}

type mcpFind struct {
	Region string      `json:"region" mcpheader:"Region"`
	Limit  *int        `json:"limit,omitempty" mcpheader:"Limit"`
	Deep   bool        `json:"deep,omitempty" mcpheader:"Deep"`
	Where  mcpPlace    `json:"where,omitempty"`
	More   []mcpPlace2 `json:"more,omitempty"`
}

type mcpPlace struct {
	City string `json:"city,omitempty" mcpheader:"City"`
}

type mcpPlace2 struct {
	City string `json:"city,omitempty"`
}

type mcpService struct{}

func (mcpService) Create(_ context.Context, in *mcpCreate) (*mcpNote, error) {
	return &mcpNote{ID: "n1", Title: in.Title, Tags: in.Tags, Stars: in.Stars}, nil
}

func (mcpService) Get(_ context.Context, in *mcpGet) (*mcpNote, error) {
	if in.ID != "n1" {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no note %q", in.ID).WithDetail("hint", "the ids are n1 to n9")
	}
	return &mcpNote{ID: "n1", Title: "a <b> & \"c\""}, nil
}

func (mcpService) Delete(context.Context, *mcpGet) error               { return nil }
func (mcpService) Count(context.Context) (*mcpCount, error)            { return &mcpCount{7}, nil }
func (mcpService) Sample(context.Context) error                        { return nil }
func (mcpService) Locate(context.Context, *mcpFind) (*mcpCount, error) { return &mcpCount{1}, nil }

// Watch breaks after the first item if n is negative.
func (mcpService) Watch(_ context.Context, in *mcpCount) (svc.Stream[mcpCount], error) {
	return func(yield func(*mcpCount, error) bool) {
		for i := range max(in.N, 1) {
			if !yield(&mcpCount{i}, nil) {
				return
			}
		}
		if in.N < 0 {
			yield(nil, svc.Errorf(svc.CodeAborted, "it broke"))
		}
	}, nil
}

func (mcpService) Work(ctx context.Context, in *mcpWork) (*mcpCount, error) {
	for i := range in.Steps {
		svc.Progress(ctx, float64(i), float64(in.Steps-1), fmt.Sprintf("step %d", i))
		svc.Progress(ctx, float64(i), 0, "not above the last")
	}
	switch in.Level {
	case "debug":
		svc.MCPLog(ctx, slog.LevelDebug, "told")
	case "warning":
		svc.MCPLog(ctx, slog.LevelWarn, map[string]int{"n": 1})
	}
	if in.Abort {
		panic(http.ErrAbortHandler)
	}
	return &mcpCount{in.Steps}, nil
}

func (mcpService) Show(_ context.Context, in *mcpShow) (*mcpShown, error) {
	all := map[string]svc.MCPContent{
		"text":     {Text: "plain"},
		"image":    {Type: "image", Data: []byte("png"), MIMEType: "image/png"},
		"audio":    {Type: "audio", Data: []byte("wav"), MIMEType: "audio/wav"},
		"resource": {Type: "resource", URI: "note://1", MIMEType: "text/plain", Text: "a note"},
		"blob":     {Type: "resource", URI: "note://2", Data: []byte{0, 1}},
		"link":     {Type: "resource_link", URI: "note://3", Name: "three", Audience: []string{"user"}, Priority: 0.5},
		"broken":   {Type: "image"},
		"unknown":  {Type: "video"},
	}
	out := new(mcpShown)
	for _, kind := range in.Kinds {
		out.content = append(out.content, all[kind])
	}
	return out, nil
}

func (mcpService) Fail(_ context.Context, in *mcpFail) (*mcpCount, error) {
	switch in.How {
	case "panic":
		panic("secret-17")
	case "internal":
		return nil, svc.Errorf(svc.CodeInternal, "secret-17")
	case "plain":
		return nil, errors.New("secret-17")
	case "nil":
		return nil, nil
	}
	return nil, svc.Errorf(svc.CodeFailedPrecondition, "not now")
}

func newMCP(opts *svc.MCPOptions) http.Handler {
	return svc.MustRegister[mcpNotes](mcpService{}, &svc.Options{
		Name: "Notes", Resource: "notes", Version: "1.2.3", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Create": {Description: "Makes a note."}},
	}).MCP(opts)
}

// mcpPost sends a POST with lines of header in front of the body:
//
//	MCP-Protocol-Version: 2025-06-18
//
//	{"jsonrpc":"2.0",…}
//
// The Content-Type and Accept of a well-behaved client are there unless the
// header has them; one with an empty value is left out.
func mcpPost(h http.Handler, text string) *httptest.ResponseRecorder {
	head, body, ok := strings.Cut(text, "\n\n")
	if !ok {
		head, body = "", text
	}
	r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "Content-Type", "Accept":
			r.Header.Del(name)
		}
		if value != "" || name != "Content-Type" && name != "Accept" {
			r.Header.Add(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// mcpLegacy is the text of a request of a legacy client; params are the members
// of its params. A head is a line of header, or the name of one to leave out
// with a minus in front.
func mcpLegacy(version, method, params string, head ...string) string {
	lines := []string{}
	if version != "" {
		lines = append(lines, "MCP-Protocol-Version: "+version)
	}
	return mcpText(lines, head, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`)
}

// mcpModern is the same for a client of 2026-07-28, with what that has to say of
// itself. meta are further members of _meta, given as a line "meta: …".
func mcpModern(method, params string, head ...string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	var rest []string
	for _, line := range head {
		if more, ok := strings.CutPrefix(line, "meta: "); ok {
			meta += "," + more
		} else {
			rest = append(rest, line)
		}
	}
	meta += "}"
	if params != "" {
		meta = "," + meta
	}
	lines := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if _, after, ok := strings.Cut(params, `"name":"`); ok {
		name, _, _ := strings.Cut(after, `"`)
		lines = append(lines, "Mcp-Name: "+name)
	}
	return mcpText(lines, rest, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`)
}

func mcpText(lines, head []string, body string) string {
	for _, line := range head {
		if name, ok := strings.CutPrefix(line, "-"); ok {
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+":") })
		} else {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + body
}

// mcpMatches reports whether text is like want, in which … stands for anything.
func mcpMatches(text, want string) bool {
	parts := strings.Split(want, "…")
	if len(parts) == 1 {
		return text == want
	}
	text, ok := strings.CutPrefix(text, parts[0])
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		if ok {
			_, text, ok = strings.Cut(text, part)
		}
	}
	return ok && strings.HasSuffix(text, last)
}
