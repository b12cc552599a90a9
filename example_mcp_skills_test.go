package svc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"path"
	"strings"
	"testing/fstest"

	"example.com/svc"
)

// Skills are folders with instructions for models. Each has a file SKILL.md, whose first lines
// say what the skill is for.
type Skills struct{ fs.FS }

// A Skill is what a model reads to decide whether it needs the rest.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// List answers skills/list.
func (s Skills) List(context.Context, json.RawMessage) (any, error) {
	files, err := fs.Glob(s, "*/SKILL.md")
	list := []Skill{}
	for _, file := range files {
		text, err := fs.ReadFile(s, file)
		if err != nil {
			return nil, err
		}
		skill := Skill{Name: path.Dir(file)}
		for line := range strings.Lines(string(text)) {
			if about, ok := strings.CutPrefix(line, "description:"); ok {
				skill.Description = strings.TrimSpace(about)
			}
		}
		list = append(list, skill)
	}
	return map[string]any{"skills": list}, err
}

// Read answers skills/read. A name that leads out of the folder is not valid in an fs.FS.
func (s Skills) Read(_ context.Context, params json.RawMessage) (any, error) {
	in := struct{ Name, File string }{File: "SKILL.md"}
	if json.Unmarshal(params, &in) != nil || !fs.ValidPath(path.Join(in.Name, in.File)) || in.Name == "" {
		return nil, svc.Errorf(svc.CodeInvalidArgument, "name must be that of a skill, and file one of its files")
	}
	text, err := fs.ReadFile(s, path.Join(in.Name, in.File))
	if err != nil {
		return nil, svc.Errorf(svc.CodeNotFound, "the skill has no such file; skills/list has all skills")
	}
	return map[string]string{"text": string(text)}, nil
}

// MCP returns the options of a server that has these skills.
func (s Skills) MCP() *svc.MCPOptions {
	type method = func(context.Context, json.RawMessage) (any, error)
	return &svc.MCPOptions{
		Extensions: map[string]any{"io.modelcontextprotocol/skills": struct{}{}},
		Methods:    map[string]method{"skills/list": s.List, "skills/read": s.Read},
	}
}

// An extension of MCP that svc does not have: its methods are functions of the program.
func ExampleMCPOptions_skills() {
	skills := Skills{fstest.MapFS{
		"charts/SKILL.md":    {Data: []byte("---\ndescription: How to draw a chart that people can read.\n---\nUse two colors.\n")},
		"charts/colors.md":   {Data: []byte("Blue and orange.\n")},
		"releases/SKILL.md":  {Data: []byte("---\ndescription: How to write release notes.\n---\nThe newest first.\n")},
		"releases/sample.md": {Data: []byte("## v1\n")},
	}}
	h := svc.MustRegister[ChartsAPI](charts{}, &svc.Options{Resource: "charts", Logger: slog.New(slog.DiscardHandler)}).MCP(skills.MCP())
	for _, request := range []string{
		`"method":"skills/list"`,
		`"method":"skills/read","params":{"name":"charts","file":"colors.md"}`,
		`"method":"skills/read","params":{"name":"charts","file":"../../secret"}`,
	} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,`+request+`}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Body)
	}
	// Output:
	// {"jsonrpc":"2.0","result":{"skills":[{"name":"charts","description":"How to draw a chart that people can read."},{"name":"releases","description":"How to write release notes."}]},"id":1}
	// {"jsonrpc":"2.0","result":{"text":"Blue and orange.\n"},"id":1}
	// {"jsonrpc":"2.0","error":{"code":-32602,"message":"name must be that of a skill, and file one of its files","data":{"code":"INVALID_ARGUMENT"}},"id":1}
}
