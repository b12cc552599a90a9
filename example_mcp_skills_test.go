package svc_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing/fstest"

	"example.com/svc"
)

// SkillsAPI serves the files of skills, over MCP as resources.
type SkillsAPI interface {
	GetFile(ctx context.Context, in *SkillFileIn) (*svc.File, error)
}

// SkillFileIn names a file of a skill.
type SkillFileIn struct {
	Skill string `json:"skill"`
	File  string `json:"file"`
}

// Skills are folders with instructions for models, as the extension io.modelcontextprotocol/skills
// has them. A folder has files and no folders. Its SKILL.md begins with lines that say the name of
// the skill, which is the name of the folder, and what it is for.
type Skills struct {
	entries []Skill
	files   map[string][]byte // by their URI
}

// A Skill is what clients and models know of a skill before they read it.
type Skill struct {
	URI         string            `json:"uri"` // of SKILL.md
	Frontmatter map[string]string `json:"frontmatter"`
	Resources   []SkillFile       `json:"resources"` // every file, also SKILL.md
}

// A SkillFile has the digest by which clients check what they have read.
type SkillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// NewSkills reads all skills, so that mistakes are found when the program starts.
func NewSkills(files fs.FS) (*Skills, error) {
	s := &Skills{files: make(map[string][]byte)}
	names, err := fs.Glob(files, "*/*")
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		uri, folder := "skill://"+name, "skill://"+path.Dir(name)
		s.files[uri] = text
		if len(s.entries) == 0 || s.entries[len(s.entries)-1].URI != folder+"/SKILL.md" {
			s.entries = append(s.entries, Skill{URI: folder + "/SKILL.md"})
		}
		skill := &s.entries[len(s.entries)-1]
		skill.Resources = append(skill.Resources, SkillFile{uri, fmt.Sprintf("sha256:%x", sha256.Sum256(text)), len(text)})
	}
	for i := range s.entries {
		skill := &s.entries[i]
		skill.Frontmatter = frontmatter(string(s.files[skill.URI]))
		if name := skill.Frontmatter["name"]; skill.URI != "skill://"+name+"/SKILL.md" || skill.Frontmatter["description"] == "" {
			return nil, fmt.Errorf("%s must begin with the name of its folder and a description", skill.URI)
		}
	}
	return s, err
}

// frontmatter returns the lines between the first two lines "---". A program whose skills need all
// of YAML uses a package for it.
func frontmatter(text string) map[string]string {
	front := make(map[string]string)
	_, text, _ = strings.Cut(text, "---\n")
	text, _, _ = strings.Cut(text, "---\n")
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		front[name] = strings.TrimSpace(value)
	}
	return front
}

// List answers skills/list. It has one page, so that no cursor is one of its own.
func (s *Skills) List(_ context.Context, params json.RawMessage) (any, error) {
	var in struct{ Cursor *string }
	if json.Unmarshal(params, &in) != nil || in.Cursor != nil {
		return nil, svc.Errorf(svc.CodeInvalidArgument, "skills/list returns all skills and knows no cursor; leave it out")
	}
	return map[string]any{"skills": s.entries, "ttlMs": 300_000, "cacheScope": "public"}, nil
}

// Get answers skills/get. NOT_FOUND would be -32603, and the extension requires -32602.
func (s *Skills) Get(_ context.Context, params json.RawMessage) (any, error) {
	var in struct{ URI string }
	if json.Unmarshal(params, &in) == nil {
		for _, skill := range s.entries {
			if skill.URI == in.URI {
				return map[string]any{"skill": skill, "ttlMs": 300_000, "cacheScope": "public"}, nil
			}
		}
	}
	return nil, svc.Errorf(svc.CodeInvalidArgument, "no skill has this uri; skills/list has all skills")
}

// GetFile serves the resources skill://{skill}/{file}, which are the files of the entries and no others.
func (s *Skills) GetFile(_ context.Context, in *SkillFileIn) (*svc.File, error) {
	text, ok := s.files["skill://"+in.Skill+"/"+in.File]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "no skill has this file")
	}
	file := &svc.File{Content: bytes.NewReader(text)}
	if path.Ext(in.File) == ".md" {
		file.ContentType = "text/markdown"
	}
	return file, nil
}

// MCP returns a handler that serves the skills.
func (s *Skills) MCP() http.Handler {
	type method = func(context.Context, json.RawMessage) (any, error)
	file := svc.MethodOptions{HTTP: "GET /skills/{skill}/{file}", MCP: &svc.MCPMethod{URI: "skill://{skill}/{file}", NotTool: true}}
	service := svc.MustRegister[SkillsAPI](s, &svc.Options{
		Resource: "skills",
		Methods:  map[string]svc.MethodOptions{"GetFile": file},
		Logger:   slog.New(slog.DiscardHandler),
	})
	return service.MCP(&svc.MCPOptions{
		Extensions: map[string]any{"io.modelcontextprotocol/skills": struct{}{}},
		Methods:    map[string]method{"skills/list": s.List, "skills/get": s.Get},
	})
}

// An extension of MCP that svc does not have: its methods are functions of the program. A service
// with other methods joins the one that has the files.
func ExampleMCPOptions_skills() {
	skills, err := NewSkills(fstest.MapFS{
		"charts/SKILL.md":   {Data: []byte("---\nname: charts\ndescription: How to draw a chart.\n---\nUse two colors.\n")},
		"charts/colors.md":  {Data: []byte("Blue and orange.\n")},
		"releases/SKILL.md": {Data: []byte("---\nname: releases\ndescription: How to write release notes.\n---\nThe newest first.\n")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := skills.MCP()
	for _, request := range []string{
		`"method":"skills/list"`,
		`"method":"skills/get","params":{"uri":"skill://charts/SKILL.md"}`,
		`"method":"skills/get","params":{"uri":"skill://maps/SKILL.md"}`,
		`"method":"resources/read","params":{"uri":"skill://charts/colors.md"}`,
	} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,`+request+`}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(strings.ReplaceAll(w.Body.String(), `,"resources"`, ",\n  \"resources\""))
	}
	// Output:
	// {"jsonrpc":"2.0","result":{"cacheScope":"public","skills":[{"uri":"skill://charts/SKILL.md","frontmatter":{"description":"How to draw a chart.","name":"charts"},
	//   "resources":[{"uri":"skill://charts/SKILL.md","digest":"sha256:500f10103e1054cc57f7c2d91655c24cb9b1238684fcd891fc876370aa6efe27","size":71},{"uri":"skill://charts/colors.md","digest":"sha256:b57f53244153cebdfa192c0db593ba4643481c6afd1e5591dda98092c3eab3cd","size":17}]},{"uri":"skill://releases/SKILL.md","frontmatter":{"description":"How to write release notes.","name":"releases"},
	//   "resources":[{"uri":"skill://releases/SKILL.md","digest":"sha256:73db216c6fe9423bacf8e32bf7613400c56bd2fec64a10feb233ff472a081b2e","size":82}]}],"ttlMs":300000},"id":1}
	// {"jsonrpc":"2.0","result":{"cacheScope":"public","skill":{"uri":"skill://charts/SKILL.md","frontmatter":{"description":"How to draw a chart.","name":"charts"},
	//   "resources":[{"uri":"skill://charts/SKILL.md","digest":"sha256:500f10103e1054cc57f7c2d91655c24cb9b1238684fcd891fc876370aa6efe27","size":71},{"uri":"skill://charts/colors.md","digest":"sha256:b57f53244153cebdfa192c0db593ba4643481c6afd1e5591dda98092c3eab3cd","size":17}]},"ttlMs":300000},"id":1}
	// {"jsonrpc":"2.0","error":{"code":-32602,"message":"no skill has this uri; skills/list has all skills","data":{"code":"INVALID_ARGUMENT"}},"id":1}
	// {"jsonrpc":"2.0","result":{"contents":[{"uri":"skill://charts/colors.md","mimeType":"text/markdown","text":"Blue and orange.\n"}]},"id":1}
}
