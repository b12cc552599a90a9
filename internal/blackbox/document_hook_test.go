package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	hookedAPI interface {
		Zip(context.Context, *hookedIn) error
		Get(context.Context, *hookedID) error
	}
	hookedIn struct {
		Wide int64  `json:"wide" maximum:"9223372036854775807" example:"9007199254740993"`
		Able string `json:"able"`
	}
	hookedID struct {
		ID string `path:"id"`
	}
	hookedImpl struct{ hookedAPI }
)

func hookedService(hook func(map[string]any)) *svc.Service {
	return svc.MustRegister[hookedAPI](hookedImpl{}, &svc.Options{Name: "Hooked", Document: hook})
}

// Verify that a hook that changes nothing leaves each version as it is, byte for byte: the order of
// members, and numbers that a float64 cannot hold.
func TestDocumentHookKeepsOrder(t *testing.T) {
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		t.Run(version, func(t *testing.T) {
			plain := kitchenDocument(hookedService(nil), "?openapi="+version)
			if got := kitchenDocument(hookedService(func(map[string]any) {}), "?openapi="+version); string(got) != string(plain) {
				t.Errorf("got\n%s\nwant\n%s", got, plain)
			}
			if !strings.Contains(string(plain), "9007199254740993") {
				t.Errorf("no wide number in %s", plain)
			}
		})
	}
}

// Verify what a hook adds, where it stands, and that it is in all versions and in no other text.
func TestDocumentHook(t *testing.T) {
	var versions []string
	s := hookedService(func(doc map[string]any) {
		versions = append(versions, doc["openapi"].(string))
		doc["x-zone"], doc["x-backend"] = map[string]any{"b": json.Number("9223372036854775807"), "a": "1 < 2"}, []string{"one"}
		paths := doc["paths"].(map[string]any)
		paths["/health"] = map[string]any{"get": map[string]any{"responses": map[string]any{"200": map[string]any{"description": "OK"}}}}
		delete(paths, "/hooked/zip")
		doc["servers"] = append([]any{map[string]any{"url": "https://a.example"}}, doc["servers"].([]any)...)
	})
	for _, version := range []string{"3.0.3", "3.1.0", "3.2.0"} {
		t.Run(version, func(t *testing.T) {
			text := string(kitchenDocument(s, "?openapi="+version))
			want := regexp.MustCompile(`^\{"openapi":"` + version + `","info":.*,"servers":\[\{"url":"https://a\.example"\},\{"url":"/"\}\],.*"paths":\{"/hooked/\{id\}":.*,` +
				`"/health":\{"get":\{"responses":\{"200":\{"description":"OK"\}\}\}\}\},"components":.*,"x-backend":\["one"\],"x-zone":\{"a":"1 < 2","b":9223372036854775807\}\}$`)
			if !want.MatchString(text) || strings.Contains(text, "/hooked/zip") {
				t.Errorf("got %s", text)
			}
		})
	}
	if got := strings.Join(versions[:3], " "); got != "3.0.3 3.1.0 3.2.0" || len(versions) != 9 {
		t.Errorf("it was called for %s", versions)
	}
	if text := kitchenDocument(svc.Join("Joined", s, kitchenSinkless()), ""); !strings.Contains(string(text), "x-zone") {
		t.Error("a joined service does not have the hook of the first one")
	}
	if text := kitchenDocument(svc.Join("Joined", kitchenSinkless(), s), ""); strings.Contains(string(text), "x-zone") {
		t.Error("a joined service has the hook of the second one")
	}
	if text := string(s.Contract()) + getClient(s, "/client.ts").Body.String(); strings.Contains(text, "x-zone") {
		t.Error("another text shows what the hook adds")
	}
}

// kitchenSinkless is a service without a hook.
func kitchenSinkless() *svc.Service { return taking[one[int]]() }

// Verify that a hook whose result cannot be served is found when the program starts and in the test.
func TestDocumentHookMistakes(t *testing.T) {
	on31 := func(change func(doc map[string]any)) func(map[string]any) {
		return func(doc map[string]any) {
			if doc["openapi"] == "3.1.0" {
				change(doc)
			}
		}
	}
	for _, test := range []struct {
		name string
		hook func(map[string]any)
		want string
	}{
		{"panics", func(doc map[string]any) { _ = doc["x"].(string) }, `3\.0\.3 panics: interface conversion.*document_hook_test\.go`},
		{"a channel", on31(func(doc map[string]any) { doc["info"].(map[string]any)["x-a/b"] = make(chan int) }),
			`3\.1\.0 leaves a value at /info/x-a~1b that is a chan int that JSON does not have$`},
		{"no number", on31(func(doc map[string]any) { doc["x-list"] = []any{1, math.NaN()} }), `3\.1\.0 leaves a value at /x-list/1 that is a float64`},
		{"a number that is none", on31(func(doc map[string]any) { doc["x"] = json.Number("1e") }), `3\.1\.0 leaves a value at /x that is a json\.Number`},
		{"a cycle", on31(func(doc map[string]any) { doc["x"] = []any{doc} }), `3\.1\.0 leaves a value at /x/0 that contains itself$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := regexp.MustCompile(`(?s)Options\.Document on the document of ` + test.want)
			s := hookedService(test.hook)
			func() {
				defer func() {
					if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "svc: OpenAPI: ") || !want.MatchString(got) {
						t.Errorf("OpenAPI panics with %q, want %s", got, want)
					}
				}()
				s.OpenAPI()
			}()
			r := new(recorder)
			svc.CheckDocument(r, s, filepath.Join(t.TempDir(), "openapi.json"), "3.2", true)
			if got := strings.Join(r.texts, "\n"); !strings.HasPrefix(got, "FATAL ") || !want.MatchString(got) {
				t.Errorf("CheckDocument reports %q, want %s", got, want)
			}
		})
	}
}

func TestCheckDocument(t *testing.T) {
	s := hookedService(nil)
	indented := func(version string) string {
		file := filepath.Join(t.TempDir(), "d.json")
		svc.CheckDocument(t, s, file, version, true)
		text, _ := os.ReadFile(file)
		return string(text)
	}
	current := indented("3.1")
	old := strings.Replace(current, `"title": "Hooked"`, `"title": "Old"`, 1)
	for _, test := range []struct {
		name, file, version, text string
		update                    bool
		want, after               string
	}{
		{"current", "openapi.json", "3.1", current, false, "^$", current},
		{"current, of Windows", "openapi.json", "3.1.0", strings.ReplaceAll(current, "\n", "\r\n"), false, "^$", ""},
		{"missing", "openapi.json", "3.1", "", false, "^FATAL FILE: the file is missing; write it by go test -update, and commit it$", ""},
		{"empty", "openapi.json", "3.1", "\n", false, `has another text now.*\n\tline 1:\n\t- \n(\t\+ .*\n){10}\t\+ and \d+ more lines$`, "\n"},
		{"behind", "openapi.json", "3.1", old, false,
			`^FILE: the OpenAPI document of the service has another text now; write it by go test -update, and commit it:\n\tline 4:\n\t- "title": "Old",\n\t\+ "title": "Hooked",$`, old},
		{"behind, with update", "openapi.json", "3.1", old, true, "^$", current},
		{"in a new folder", "sdk/v1/openapi.json", "3.1", "", true, "^$", current},
		{"the version of the service", "openapi.json", "", "", true, "^$", indented("3.0.3")},
		{"3.2", "openapi.json", "3.2", "", true, "^$", indented("3.2.0")},
		{"no version", "openapi.json", "2.0", "", true, `^FATAL FILE: the version of the document is "2\.0"; there are 3\.0, 3\.1 and 3\.2$`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), filepath.FromSlash(test.file))
			if test.text != "" {
				if err := os.WriteFile(file, []byte(test.text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			r := new(recorder)
			svc.CheckDocument(r, s, file, test.version, test.update)
			got := strings.ReplaceAll(strings.Join(r.texts, "\n"), file, "FILE")
			if !regexp.MustCompile(test.want).MatchString(got) {
				t.Errorf("got %q, want %s", got, test.want)
			}
			if text, _ := os.ReadFile(file); test.after != "" && string(text) != test.after {
				t.Errorf("the file has\n%s", text)
			}
		})
	}
	if !strings.HasPrefix(current, "{\n  \"openapi\": \"3.1.0\",\n") || !strings.HasSuffix(current, "\n}\n") {
		t.Errorf("the file has\n%s", current)
	}
}

// addHealth adds the settings of our gateway, and a route that svc does not serve.
func addHealth(doc map[string]any) {
	doc["x-google-backend"] = map[string]any{"address": "https://notes.example.com", "deadline": 10}
	doc["paths"].(map[string]any)["/health"] = map[string]any{
		"get": map[string]any{
			"operationId": "health",
			"responses":   map[string]any{"200": map[string]any{"description": "The server is up."}},
		},
	}
}

// Verify the hook of doc/documents.md.
func TestDocumentHookRecipe(t *testing.T) {
	text := string(kitchenDocument(hookedService(addHealth), "?openapi=3.1"))
	if want := `"/health":{"get":{"operationId":"health","responses":{"200":{"description":"The server is up."}}}}},"components"`; !strings.Contains(text, want) ||
		!strings.HasSuffix(text, `"x-google-backend":{"address":"https://notes.example.com","deadline":10}}`) {
		t.Errorf("got %s", text)
	}
}
