package blackbox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

type (
	// TailAPI has files by their paths.
	TailAPI interface {
		GetFile(context.Context, *TailFile) (*TailOut, error)
		PutFile(context.Context, *TailFile) (*TailOut, error)
		ListFiles(context.Context, *TailRepo) (*TailOut, error)
		GetReadme(context.Context, *TailRepo) (*TailOut, error)
		GetRaw(context.Context, *TailRaw) (*TailOut, error)
		GetOld(context.Context, *TailOld) (*TailOut, error)
		AddPage(context.Context, *TailPage) (*TailOut, error)
	}
	TailFile struct {
		Repo string `json:"repo"`
		Path string `json:"path" path:"path" maxLength:"200"`
	}
	TailRepo struct {
		Repo string `json:"repo"`
	}
	TailRaw struct {
		Repo string `json:"repo"`
		Dir  string `json:"dir"`
	}
	TailOld struct {
		Repo string `json:"repo"`
		Path string `json:"path"`
	}
	TailPage struct {
		Name TailName `json:"title" path:"name" minLength:"3"`
		Text string   `json:"text,omitempty"`
	}
	TailName string
	TailOut  struct {
		Name string `json:"name"`
	}
	tails struct{}
)

func (tails) GetFile(_ context.Context, in *TailFile) (*TailOut, error) {
	return &TailOut{"get " + in.Repo + " " + in.Path}, nil
}
func (tails) PutFile(_ context.Context, in *TailFile) (*TailOut, error) {
	return &TailOut{"put " + in.Repo + " " + in.Path}, nil
}
func (tails) ListFiles(_ context.Context, in *TailRepo) (*TailOut, error) {
	return &TailOut{"list " + in.Repo}, nil
}
func (tails) GetReadme(_ context.Context, in *TailRepo) (*TailOut, error) {
	return &TailOut{"readme " + in.Repo}, nil
}
func (tails) GetRaw(_ context.Context, in *TailRaw) (*TailOut, error) {
	return &TailOut{"raw " + in.Repo + " " + in.Dir}, nil
}
func (tails) GetOld(_ context.Context, in *TailOld) (*TailOut, error) {
	return &TailOut{"old " + in.Repo + " " + in.Path}, nil
}
func (tails) AddPage(_ context.Context, in *TailPage) (*TailOut, error) {
	return &TailOut{"page " + string(in.Name)}, nil
}

func tailOptions() *svc.Options {
	return &svc.Options{Resource: "files", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"GetFile": {HTTP: "GET /repos/{repo}/contents/{path...}"}, "PutFile": {HTTP: "PUT /repos/{repo}/contents/{path...}"},
		"ListFiles": {HTTP: "POST /repos/{repo}/contents"}, "GetReadme": {HTTP: "GET /repos/{repo}/contents/README"},
		"GetRaw": {HTTP: "GET /repos/{repo}/contents/{dir}/raw"}, "GetOld": {HTTP: "GET /repos/{repo}/contents/old/all/{path...}"},
		"AddPage": {HTTP: "POST /pages/{name...}"},
	}}
}

const notTail = `must be segments with a slash between two, none of them empty, "." or ".."`

// Verify which requests reach a route with {name...}, with which text.
func TestTailRoutes(t *testing.T) {
	s := svc.MustRegister[TailAPI](tails{}, tailOptions())
	const at = "/repos/r/contents"
	for _, test := range []struct{ verb, path, want string }{
		{"GET", at + "/a", "200 get r a"},
		{"HEAD", at + "/a", "200 "},
		{"HEAD", at + "/a//b", "400 "},
		{"PUT", at + "/a", "200 put r a"},
		{"GET", at + "/a/b/c.txt", "200 get r a/b/c.txt"},
		{"GET", at + "/a%2Fb/c", "200 get r a/b/c"},
		{"GET", at + "/a%2fb", "200 get r a/b"},
		{"GET", at + "/...", "200 get r ..."},
		{"GET", at + "/.git/config", "200 get r .git/config"},
		{"GET", at + "/%C3%A9/%20/%25", "200 get r é/ /%"},
		{"GET", at + "/README", "200 readme r"},
		{"GET", at + "/README/x", "200 get r README/x"},
		{"GET", at + "/a/raw", "200 raw r a"},
		{"GET", at + "/a/b/raw", "200 get r a/b/raw"},
		{"GET", at + "/a%2Fb/raw", "200 raw r a/b"},
		{"GET", at + "/old/all/a/b", "200 old r a/b"},
		{"GET", at + "/old/all", "200 get r old/all"},
		{"GET", at + "/old/all/", "400 /path"},
		{"GET", at + "/", "404 "},
		{"GET", at, "405 POST"},
		{"PUT", at + "/", "404 "},
		{"PATCH", at + "/a", "405 GET, HEAD, PUT"},
		{"GET", at + "//", "400 /path"},
		{"GET", at + "/a/", "400 /path"},
		{"GET", at + "//a", "400 /path"},
		{"GET", at + "/a//b", "400 /path"},
		{"GET", at + "/./a", "400 /path"},
		{"GET", at + "/a/.", "400 /path"},
		{"GET", at + "/..", "400 /path"},
		{"GET", at + "/../../x", "400 /path"},
		{"GET", at + "/a/../raw", "400 /path"},
		{"GET", at + "/%2e", "400 /path"},
		{"GET", at + "/a/%2e%2E/b", "400 /path"},
		{"GET", at + "/a%2F..%2Fb", "400 /path"},
		{"GET", at + "/%2F", "400 /path"},
		{"GET", at + "/%2Fa", "400 /path"},
		{"GET", at + "/a%2F%2Fb", "400 /path"},
		{"GET", at + "/a%2F", "400 /path"},
		{"GET", at + "/%FF", "400 /path"},
		{"GET", at + "/" + strings.Repeat("a/", 100) + "b", "400 /path"},
		{"GET", at + "/old/all//a", "400 /path"},
		{"GET", "/repos/r//contents/a", "404 "},
		{"GET", "/repos//contents/a", "404 "},
		{"GET", "/repos/../contents/a//b", "404 "},
		{"GET", "//repos/r/contents/a", "404 "},
		{"GET", "/repos/./r/contents/a", "404 "},
		{"GET", "/repos/a%2Fb/contents/a//b", "400 /path"},
		{"PATCH", at + "/a//b", "405 GET, HEAD, PUT"},
		{"PATCH", at + "/old/all", "405 GET, HEAD, PUT"},
		{"POST", "/pages/a/b", "200 page a/b"},
		{"POST", "/pages/", "404 "},
		{"POST", "/pages/a", "400 /name"},
		{"POST", "/pages/a/b/", "400 /name"},
		{"POST", "/pages//a/..", "400 /name"},
		{"GET", "/pages/a", "405 POST"},
		{"GET", "/pages/", "404 "},
		{"GET", "/pages", "404 "},
	} {
		t.Run(test.verb+" "+test.path, func(t *testing.T) {
			for _, prefix := range []string{"", "/v1"} {
				a := answerTo(s.At(prefix).REST(), test.verb, prefix+test.path, "{}", "Content-Type", "application/json")
				body, got := textOf(a), a.Status[:4]
				switch {
				case a.StatusCode == 200:
					got += strings.TrimSuffix(strings.TrimPrefix(body, `{"name":"`), `"}`)
				case a.StatusCode == 405:
					got += a.Header.Get("Allow")
				case a.StatusCode == 400 && test.verb != "HEAD":
					_, got, _ = strings.Cut(body, `"path":"`)
					got, _, _ = strings.Cut(got, `"`)
					got = "400 " + got
				}
				if got != test.want {
					t.Errorf("%s: %s, want %s: %s", prefix, got, test.want, body)
				}
			}
		})
	}
}

// Verify what a ServeMux with the routes of a service answers itself.
func TestTailOnMux(t *testing.T) {
	mux := http.NewServeMux()
	svc.MustRegister[TailAPI](tails{}, tailOptions()).Mount(mux)
	for path, want := range map[string]int{"/a/b": 2, "/a%2F..": 4, "/a/": 4, "/": 4, "/a//b": 3, "/a/../b": 3} {
		a := answerTo(mux, "GET", "/repos/r/contents"+path, "")
		if a.StatusCode/100 != want {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
}

// Verify that every transport and client has the same answer for 10,000 texts.
func TestTailEverywhere(t *testing.T) {
	s := svc.MustRegister[TailAPI](tails{}, tailOptions())
	rest, rpc, mcp := s.REST(), s.RPC(), s.MCP(nil)
	var client struct {
		GetFile func(context.Context, *TailFile) (*TailOut, error)
	}
	if err := svc.Connect[TailAPI](&client, "", &svc.ClientOptions{Handler: rest, Service: tailOptions()}); err != nil {
		t.Fatal(err)
	}
	outcome := func(out *TailOut, err error) string {
		if err != nil {
			return fmt.Sprint(svc.CodeOf(err), " ", err)
		}
		return out.Name
	}
	parts := strings.Split("/ / / a b . .. ... %2F %2e é | ? # ; \\ + % raw old/all old/all README 日本 \t", " ")
	random := rand.New(rand.NewPCG(7, 8))
	seen := make(map[string]int)
	for range 10_000 {
		var text string
		for range 1 + random.IntN(6) {
			text += parts[random.IntN(len(parts))]
		}
		in := &TailFile{"r", text}
		out, err := s.Call(t.Context(), "files", "get_file", in)
		called, _ := out.(*TailOut)
		want := outcome(called, err)
		escaped := strings.ReplaceAll(url.PathEscape(text), "%2F", "/")
		got := outcome(client.GetFile(t.Context(), in))
		kind := "valid"
		switch {
		case strings.Contains(got, "must not name another route"):
			kind, want = "rival", got
			if a := answerTo(rest, "GET", "/repos/r/contents/"+escaped, ""); a.StatusCode != 200 || strings.Contains(textOf(a), `"get r`) {
				t.Fatalf("%q is said to name another route: %s", text, a.Status)
			}
		case err != nil:
			kind = "refused"
		}
		seen[kind]++
		if got != want {
			t.Fatalf("%q: Connect returns %s, and Call %s", text, got, want)
		}
		if kind == "rival" {
			continue
		}
		for _, path := range []string{escaped, url.PathEscape(text)} {
			a := answerTo(rest, "GET", "/repos/r/contents/"+path, "")
			if path != escaped && strings.Contains(text, "/raw") { // one segment more, for another route
				continue
			}
			if body := textOf(a); (a.StatusCode == 200) != (err == nil) || err == nil && !strings.Contains(body, jsonText(want)) ||
				err != nil && (a.StatusCode != 400 || !strings.Contains(body, jsonText(notTail))) {
				t.Fatalf("%q: REST answers %s %s, and Call %s", path, a.Status, body, want)
			}
		}
		if random.IntN(20) > 0 {
			continue
		}
		input := fmt.Sprintf(`{"repo":"r","path":%s}`, jsonText(text))
		byRPC := textOf(answerTo(rpc, "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"files.get_file","params":`+input+`}`, "Content-Type", "application/json"))
		byMCP := textOf(answerTo(mcp, "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files_get_file","arguments":`+input+`}}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream"))
		for _, body := range []string{byRPC, byMCP} {
			if !strings.Contains(body, cmp.Or(map[bool]string{true: jsonText(want)}[err == nil], `none of them empty`)) {
				t.Fatalf("%q: JSON-RPC or MCP answers %s, and Call %s", text, body, want)
			}
		}
	}
	if seen["valid"] < 1000 || seen["refused"] < 1000 || seen["rival"] < 50 {
		t.Errorf("the texts are %v", seen)
	}
}

// jsonText returns a text in JSON.
func jsonText(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// Verify what documents, the page and client.ts say of such routes.
func TestTailDocuments(t *testing.T) {
	s := svc.MustRegister[TailAPI](tails{}, tailOptions())
	for _, version := range []string{"3.0.3", "3.1", "3.2"} {
		doc := documentOf(t, s, version)
		for _, verb := range []string{"get", "put"} {
			if dig(doc, "paths", "/repos/{repo}/contents/{path}", verb) == nil {
				t.Errorf("%s has no %s of contents", version, verb)
			}
		}
	}
	texts := map[string]string{
		"client.ts": textOf(answerTo(s.TypeScript(), "GET", "/client.ts", "")),
		"llms.txt":  textOf(answerTo(s.Docs(docsAll), "GET", "/llms.txt", "")),
		"page":      textOf(answerTo(s.Docs(docsAll), "GET", "/", "", "Accept", "text/html")),
	}
	for _, test := range []struct{ in, want string }{
		{"client.ts", `getFile: { route: "GET /repos/{repo}/contents/{path}", tail: "path", ` +
			`taken: { path: "/repos/[^/]+/contents/old/all/.+|/repos/[^/]+/contents/[^/]+/raw|/repos/[^/]+/contents/README" } }`},
		{"client.ts", `putFile: { route: "PUT /repos/{repo}/contents/{path}", tail: "path" }`},
		{"client.ts", `addPage: { route: "POST /pages/{title}", tail: "title", body: "json" }`},
		{"llms.txt", "### GET /repos/{repo}/contents/{path}\n"},
		{"page", `"tail":"path"`},
	} {
		t.Run(test.in+" "+test.want, func(t *testing.T) {
			if !strings.Contains(texts[test.in], test.want) {
				t.Errorf("%s has no %s\n%.9000s", test.in, test.want, texts[test.in])
			}
		})
	}
}

type (
	tailOne[In any] interface {
		Get(context.Context, *In) (*TailOut, error)
	}
	tailGets[In any] struct{}
	tailPair         interface {
		Get(context.Context, *SlashID) (*TailOut, error)
		Other(context.Context, *SlashID) (*TailOut, error)
	}
	tailPairs struct{}
)

func (tailGets[In]) Get(context.Context, *In) (*TailOut, error)     { return &TailOut{"got"}, nil }
func (tailPairs) Get(context.Context, *SlashID) (*TailOut, error)   { return &TailOut{"get"}, nil }
func (tailPairs) Other(context.Context, *SlashID) (*TailOut, error) { return &TailOut{"other"}, nil }

func tailIn[In any](pattern string) error {
	_, err := svc.Register[tailOne[In]](tailGets[In]{}, &svc.Options{Resource: "x", Methods: map[string]svc.MethodOptions{"Get": {HTTP: pattern}}})
	return err
}

// Verify which routes with {name...} are mistakes.
func TestTailMistakes(t *testing.T) {
	pair := func(first, second string) error {
		_, err := svc.Register[tailPair](tailPairs{}, &svc.Options{Resource: "x", Methods: map[string]svc.MethodOptions{
			"Get": {HTTP: first}, "Other": {HTTP: second}}})
		return err
	}
	const path = "GET /x/{id...}"
	for _, test := range []struct {
		name string
		err  error
		want string // or "" for none
	}{
		{"a text", tailIn[SlashID](path), ""},
		{"a named text", tailIn[struct {
			ID TailName `json:"id"`
		}](path), ""},
		{"a number", tailIn[struct {
			ID int `json:"id"`
		}](path), "{id...} takes a text with slashes, and the type is int; make it a string, or write {id}"},
		{"a pointer", tailIn[struct {
			ID *string `json:"id"`
		}](path), "{id...} takes a text with slashes, and the type is *string; make it a string, or write {id}"},
		{"bytes", tailIn[struct {
			ID []byte `json:"id"`
		}](path), "{id...} takes a text with slashes, and the type is []uint8; make it a string, or write {id}"},
		{"an optional text", tailIn[struct {
			ID string `json:"id,omitempty"`
		}](path), "{id...} always has a text; drop omitempty, omitzero and the tag default"},
		{"a default", tailIn[struct {
			ID string `json:"id" default:"a"`
		}](path), "{id...} always has a text; drop omitempty, omitzero and the tag default"},
		{"in the middle", tailIn[SlashID]("GET /x/{id...}/y"),
			"{id...} takes all segments to the end of the path, and nothing can follow; write {id}, which takes one segment"},
		{"a slash behind it", tailIn[SlashID]("GET /x/{id...}/"),
			"{id...} takes all segments to the end of the path, and nothing can follow; write {id}, which takes one segment"},
		{"twice", tailIn[SlashID]("GET /x/{id}/{id...}"), "the placeholder {id} is there twice"},
		{"no name", tailIn[SlashID]("GET /x/{...}"), "the placeholder {...} must have a name of letters, digits and _"},
		{"no field", tailIn[SlashID]("GET /x/{path...}"), "no field fills the placeholder {path}"},
		{"one template", pair(path, "GET /x/{id}"), "Get and tailPair.Other have the routes GET /x/{id...} and /x/{id}, which documents cannot tell " +
			"apart, since {name...} is {name} there; change one"},
		{"two tails", pair(path, path), "have the same route"},
		{"two verbs", pair(path, "PUT /x/{id}"), ""},
		{"more below", pair(path, "GET /x/{id}/y"), ""},
		{"a slash", pair(path, "GET /x/{id}/"), ""},
		{"crossing", pair("GET /x/y/{id...}", "GET /x/{id}/z"), "and some requests match both"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" && test.err != nil || test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)) {
				t.Errorf("got %v, want %s", test.err, test.want)
			}
		})
	}
}

// Verify which changes of such routes are breaks.
func TestTailBreaks(t *testing.T) {
	route := func(pattern string) *svc.Service {
		return svc.MustRegister[tailOne[SlashID]](tailGets[SlashID]{}, &svc.Options{Resource: "x", Methods: map[string]svc.MethodOptions{"Get": {HTTP: pattern}}})
	}
	pair := func(first, second string) *svc.Service {
		return svc.MustRegister[tailPair](tailPairs{}, &svc.Options{Resource: "x", Methods: map[string]svc.MethodOptions{
			"Get": {HTTP: first}, "Other": {HTTP: second}}})
	}
	for _, test := range []struct {
		name     string
		was, now *svc.Service
		want     string
	}{
		{"nothing", route("GET /a/{id...}"), route("GET /a/{id...}"), ""},
		{"one segment", route("GET /a/{id...}"), route("GET /a/{id}"), "the route is GET /a/{id}, was GET /a/{id...}"},
		{"several segments", route("GET /a/{id}"), route("GET /a/{id...}"), "the route is GET /a/{id...}, was GET /a/{id}"},
		{"a route that takes some", pair("GET /a/{id...}", "POST /b/{id}"), pair("GET /a/{id...}", "GET /a/b/{id}"), `"b/a"`},
		{"a tail that takes some", pair("GET /a/{id...}", "POST /b/{id}"), pair("GET /a/{id...}", "GET /a/b/c/{id...}"), `"b/c/a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := test.now.Breaks(test.was.Contract())
			if got := fmt.Sprintf("%+v", breaks); err != nil || (test.want == "") != (len(breaks) == 0) || !strings.Contains(got, test.want) &&
				!slices.ContainsFunc(breaks, func(b svc.Break) bool { return string(b.Witness) == test.want }) {
				t.Errorf("the breaks are %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

type (
	tailFileAPI interface {
		Get(context.Context, *TailRepoFile) (*svc.File, error)
	}
	TailRepoFile struct {
		Repo string `json:"repo"`
		Path string `json:"path"`
	}
	tailFiles struct{}
)

func (tailFiles) Get(_ context.Context, in *TailRepoFile) (*svc.File, error) {
	return &svc.File{ContentType: "text/plain", Content: strings.NewReader(in.Path)}, nil
}

// Verify that the URL of a File over MCP, and the command of llms.txt, keep the slashes.
func TestTailURLs(t *testing.T) {
	s := svc.MustRegister[tailFileAPI](tailFiles{}, &svc.Options{Resource: "x", Defaults: svc.Defaults{BaseURL: "https://a.example/"},
		Methods: map[string]svc.MethodOptions{"Get": {HTTP: "GET /repos/{repo}/{path...}"}}})
	const want = `"uri":"https://a.example/repos/x%2Fy/a%20b/%C3%BC.txt"`
	got := mcpPost(s.MCP(nil), mcpLegacy("2025-11-25", "tools/call", `"name":"x_get","arguments":{"repo":"x/y","path":"a b/ü.txt"}`)).Body.String()
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	const curl = `$URL/files/a/b%20c`
	if text := textOf(answerTo(svc.MustRegister[tailOne[tailExample]](tailGets[tailExample]{}, &svc.Options{Resource: "files", Methods: map[string]svc.MethodOptions{
		"Get": {HTTP: "GET /files/{path...}"}}}).Docs(docsAll), "GET", "/llms.txt", "")); !strings.Contains(text, curl) {
		t.Errorf("llms.txt has no %s: %s", curl, text)
	}
}

type tailExample struct {
	Path string `json:"path" example:"a/b c"`
}
