package main

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// get returns the body and the header of a GET.
func (p *process) get(t *testing.T, path string) (string, http.Header) {
	t.Helper()
	r, err := http.Get(p.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d, %v", path, r.StatusCode, err)
	}
	return string(body), r.Header
}

// Verify that the client is served with and without types.
func TestClient(t *testing.T) {
	p := start(t)
	for _, row := range []struct{ path, contentType, part string }{
		{"/client.ts", "text/typescript; charset=utf-8", "export interface CreateTodo {"},
		{"/client.js", "text/javascript; charset=utf-8", "export function connect(options = {}) {"},
	} {
		t.Run(row.path, func(t *testing.T) {
			body, header := p.get(t, row.path)
			if got := header.Get("Content-Type"); got != row.contentType || !strings.Contains(body, row.part) {
				t.Errorf("%s, want %s with %q:\n%s", got, row.contentType, row.part, body)
			}
		})
	}
}

// Verify that the page may load what it loads and nothing else, and that its parts are there.
// interop/typescript uses it in browsers.
func TestApp(t *testing.T) {
	p := start(t)
	page, header := p.get(t, "/app/")
	policy := strings.Split(header.Get("Content-Security-Policy"), "; ")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'", "trusted-types 'none'"} {
		if !slices.Contains(policy, want) {
			t.Errorf("the policy %q does not have %s", policy, want)
		}
	}
	if regexp.MustCompile(`(?i)\son\w+=|\sstyle=|<style|<script(?: [^>]*)?>[^<]`).MatchString(page) {
		t.Error("the page has a script or a style in it, which its policy does not allow")
	}
	for _, file := range regexp.MustCompile(`(?:href|src)="([^":]+)"`).FindAllStringSubmatch(page, -1) {
		p.get(t, "/app/"+file[1])
	}
	script, _ := p.get(t, "/app/app.js")
	for _, id := range regexp.MustCompile(`\$\("([^"]+)"\)`).FindAllStringSubmatch(script, -1) {
		if !strings.Contains(page, `id="`+id[1]+`"`) {
			t.Errorf("the script looks for %s, which is not on the page", id[1])
		}
	}
}

// Verify that the members that the script of the page uses are those of the client.
func TestAppCalls(t *testing.T) {
	p := start(t)
	script, _ := p.get(t, "/app/app.js")
	client, _ := p.get(t, "/client.ts")
	calls := regexp.MustCompile(`api\.todos\.(\w+)`).FindAllStringSubmatch(script, -1)
	if len(calls) < 6 {
		t.Errorf("the script makes %d kinds of calls", len(calls))
	}
	for _, call := range calls {
		if !strings.Contains(client, "\n    "+call[1]+": ") {
			t.Errorf("the client has no api.todos.%s", call[1])
		}
	}
	for _, rule := range regexp.MustCompile(`rules\.(\w+)\.(\w+)`).FindAllStringSubmatch(script, -1) {
		if !regexp.MustCompile(`(?s)\n  ` + rule[1] + `: \{.*?\n    ` + rule[2] + `: `).MatchString(client) {
			t.Errorf("the client has no rules.%s.%s", rule[1], rule[2])
		}
	}
}
