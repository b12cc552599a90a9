package blackbox_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file tests the page of Service.Docs as text. interop/page/check opens it in
// a browser and uses it.

// A docsNote has texts that would do something if they were more than text.
type docsNote struct {
	ID   string   `json:"id" path:"id" doc:"</script><script>alert(1)</script>"`
	Text string   `json:"text" minLength:"1" maxLength:"80" enum:"<b>,it's" default:"it's" doc:"Two\n# lines, \u202eturned."`
	Tags []string `json:"tags,omitempty" maxItems:"3"`
	Dry  bool     `query:"dry_run,omitempty" json:"dry,omitempty"`
	Seen *int64   `json:"seen,omitempty" header:"Last-Event-ID"`
	Next *docsBox `json:"next,omitempty"`
	If   string   `json:"-" header:"If-Match,omitempty"`
	N    int8     `json:"n,string,omitempty" query:"n"`

	Tree []*docsBox              `json:"tree,omitempty"`
	None svc.Optional[[]docsBox] `json:"none,omitzero"`
}

type docsBox struct {
	In map[string]docsBox `json:"in"`
}

type docsAPI interface {
	Update(context.Context, *docsNote) (*docsBox, error)
	Purge(context.Context) error
	Hide(context.Context) error
}

type docsImpl struct{}

func (docsImpl) Update(context.Context, *docsNote) (*docsBox, error) { return &docsBox{}, nil }
func (docsImpl) Purge(context.Context) error                         { return nil }
func (docsImpl) Hide(context.Context) error                          { return nil }

func docsService() *svc.Service {
	return svc.MustRegister[docsAPI](docsImpl{}, &svc.Options{
		Name: "Notes </title><script>alert(2)</script>", Resource: "notes", Version: "7", Defaults: svc.Defaults{Auth: "bearer"}, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Purge": {Description: "Throws all <i>away</i>.", Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}},
			"Hide":  {Transports: []svc.Transport{svc.TransportRPC, svc.TransportMCP}}, // not a route, so not on the page
		},
	})
}

// getDocs requests a path of the page of s.
func getDocs(s *svc.Service, opts *svc.DocsOptions, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.Docs(opts).ServeHTTP(w, r)
	return w
}

var docsAll = &svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "../mcp", OpenAPI: "/v1/openapi.json"}

// between returns what stands between two texts.
func between(t *testing.T, text, start, end string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, start)
	found, _, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("there is nothing between %s and %s", start, end)
	}
	return found
}

// Verify that the page runs its own script and no other, and loads nothing.
func TestDocsPolicy(t *testing.T) {
	w := getDocs(docsService(), docsAll, "GET", "/")
	page, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for _, part := range []string{
		"default-src 'none'",
		"script-src " + hash(between(t, page, "<script>", "</script>")),
		"style-src " + hash(between(t, page, "<style>", "</style>")),
		"connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	} {
		if !strings.Contains("; "+policy+";", "; "+part+";") {
			t.Errorf("the policy has no %s: %s", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	for _, name := range []string{"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "localStorage", "sessionStorage", "src=", "@import", ": url("} {
		if source, _ := os.ReadFile(root("docs.html")); bytes.Contains(source, []byte(name)) {
			t.Errorf("docs.html has %s", name)
		}
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("the page has %d scripts, want its data and its own", n)
	}
	if got, want := between(t, page, "<title>", "</title>"), "Notes &lt;/title&gt;&lt;script&gt;alert(2)&lt;/script&gt;"; got != want {
		t.Errorf("the title is %s, want %s", got, want)
	}
}

// Verify that the page has the document, and what OpenAPI has no place for.
func TestDocsData(t *testing.T) {
	s := docsService()
	text := between(t, getDocs(s, docsAll, "GET", "/").Body.String(), `id="data">`, "</script>")
	if strings.Contains(text, "<") {
		t.Error("the data of the page has a <")
	}
	var data struct {
		Document       json.RawMessage
		REST, RPC, MCP string
		OpenAPI        string
		Calls          json.RawMessage
		Codes          [][]any
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json?openapi=3.1", nil))
	if want := strings.ReplaceAll(w.Body.String(), "<", `\u003c`); string(data.Document) != want {
		t.Errorf("the document of the page is\n%s\nwant\n%s", data.Document, want)
	}
	if got, want := (svc.DocsOptions{REST: data.REST, RPC: data.RPC, MCP: data.MCP, OpenAPI: data.OpenAPI}), *docsAll; got != want {
		t.Errorf("the page calls %v, want %v", got, want)
	}
	const calls = `{"notes_Update":{"rpc":"notes.update","mcp":"notes_update",` +
		`"names":{"header If-Match":{"name":""},"header Last-Event-ID":{"name":"seen"},"query dry_run":{"name":"dry"},"query n":{"name":"n","quoted":true}},"examples":{"body":{},"path id":"1"}},"notes_Purge":{"rpc":"notes.purge"}}`
	if got := string(data.Calls); got != calls {
		t.Errorf("the calls are\n%s\nwant\n%s", got, calls)
	}
	if len(data.Codes) != 16 {
		t.Errorf("the page has %d codes", len(data.Codes))
	}
}

// Verify that the page and a joined service know methods by their OperationIDs, and
// that two services cannot be joined that have one.
func TestOperationIDs(t *testing.T) {
	options := svc.Options{Methods: map[string]svc.MethodOptions{"Update": {OperationID: "changeTodo"}}}
	s := oaService(options)
	text := between(t, getDocs(s, docsAll, "GET", "/").Body.String(), `id="data">`, "</script>")
	for _, want := range []string{`"operationId":"changeTodo"`, `"changeTodo":{"rpc":"todos.update"`, `"todos_Create":{"rpc"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	options.Resource = "others"
	defer func() {
		const want = `oaAPI.Update has the OperationID "changeTodo", which oaAPI.Update has too`
		if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
			t.Errorf("Join: %s\nwant %s", text, want)
		}
	}()
	svc.Join("Both", s, oaService(options))
}

// Verify that the page stays small.
func TestDocsSize(t *testing.T) {
	source, err := readText(root("docs.html"))
	if err != nil {
		t.Fatal(err)
	}
	var compressed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	z.Write(source)
	z.Close()
	t.Logf("%d bytes, compressed %d", len(source), compressed.Len())
	if len(source) >= 73_000 || compressed.Len() >= 25_000 {
		t.Errorf("docs.html has %d bytes, compressed %d, want less than 73000 and 25000", len(source), compressed.Len())
	}
}

func TestDocsRequests(t *testing.T) {
	const page, markdown = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
	etag := getDocs(docsService(), nil, "GET", "/").Header().Get("ETag")
	for _, test := range []struct {
		method, path string
		header       []string
		status       int
		contentType  string
	}{
		{"GET", "/", nil, 200, page},
		{"HEAD", "/", nil, 200, page},
		{"GET", "/docs/", []string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}, 200, page},
		{"GET", "/", []string{"Accept", "text/markdown"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/html;q=0.5, text/markdown;q=0.9"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/html", "Accept", "text/markdown"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/markdown;q=0"}, 200, page},
		{"GET", "/", []string{"Accept", "text/markdown;q=0.5, text/html"}, 200, page},
		{"GET", "/", []string{"Accept", "text/markdown;q=0.5, text/html;q=0.51"}, 200, page},
		{"GET", "/", []string{"Accept", "text/markdown;q=0.5, text/html;q=0.5"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/markdown;q=0.5, text/html;q=0, */*"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/markdown;q=0.5, */*;q=0.1"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/markdown;q=0.5, text/*"}, 200, page},
		{"GET", "/", []string{"Accept", "text/markdown;q=NaN, text/html;q=0.9"}, 200, markdown},
		{"GET", "/", []string{"Accept", "text/*, */*"}, 200, page},
		{"GET", "/", []string{"Accept", "image/png"}, 200, page},
		{"GET", "/llms.txt", nil, 200, markdown},
		{"GET", "/?markdown", nil, 200, markdown},
		{"GET", "/docs/llms.txt", []string{"Accept", "text/html"}, 200, markdown},
		{"GET", "/", []string{"If-None-Match", etag}, 304, ""},
		{"POST", "/", nil, 405, "application/json"},
	} {
		t.Run(rowName(test.method, test.path, test.header), func(t *testing.T) {
			w := getDocs(docsService(), nil, test.method, test.path, test.header...)
			if w.Code != test.status || w.Header().Get("Content-Type") != test.contentType {
				t.Errorf("%s %s %v: %d %q, want %d %q", test.method, test.path, test.header, w.Code, w.Header().Get("Content-Type"), test.status, test.contentType)
			}
			if w.Code == 200 && (w.Header().Get("Vary") != "Accept" || w.Header().Get("X-Content-Type-Options") != "nosniff") {
				t.Errorf("%s %s: headers %v", test.method, test.path, w.Header())
			}
		})
	}
}

func TestDocsOptions(t *testing.T) {
	for place, ok := range map[string]bool{
		"": true, ".": true, "rpc": true, "../v1/rpc": true, "/rpc": true, "./": true,
		"https://example.com/rpc": false, "//example.com/rpc": false, `/\example.com`: false, `\\example.com`: false,
		"javascript:alert(1)": false, "rpc?a=b": false, "rpc#a": false, "rpc?": false, "%zz": false,
	} {
		func() {
			defer func() {
				if refused := recover() != nil; refused == ok {
					t.Errorf("Docs takes %q: %t, want %t", place, !refused, ok)
				}
			}()
			docsService().Docs(&svc.DocsOptions{RPC: place})
		}()
	}
}

type docsOrderAPI interface {
	AddNote(context.Context) error
	Archive(context.Context) error
	FindUser(context.Context) error
	FindUsers(context.Context) error
	List(context.Context) (svc.Stream[docsBox], error)
	Overdue(context.Context) error
	PatchNote(context.Context) error
	Remove(context.Context) error
	SearchNotes(context.Context) error
	SetNote(context.Context) error
}

type docsOrder struct{ docsOrderAPI }

// Verify that methods are in the order in which people think, whatever their names and
// routes are.
func TestDocsOrder(t *testing.T) {
	methods := map[string]svc.MethodOptions{"FindUser": {HTTP: "GET /overdue/user"}, "Overdue": {HTTP: "GET /notes/overdue"}, "PatchNote": {HTTP: "PATCH /notes"},
		"Remove": {HTTP: "POST /notes/remove"}, "SetNote": {HTTP: "PUT /notes"}, "FindUsers": {HTTP: "GET /users"}, "List": {HTTP: "GET /notes/list"}}
	s := svc.MustRegister[docsOrderAPI](docsOrder{}, &svc.Options{Resource: "notes", Methods: methods, Logger: slog.New(slog.DiscardHandler)})
	const want = "AddNote FindUser SearchNotes FindUsers SetNote PatchNote Remove Archive Overdue List"
	for _, form := range []struct{ path, pattern string }{{"/", `"notes_(\w+)":\{`}, {"/llms.txt", "JSON-RPC method: `notes\\.(\\w+)`"}} {
		var names []string
		for _, found := range regexp.MustCompile(form.pattern).FindAllStringSubmatch(getDocs(s, docsAll, "GET", form.path).Body.String(), -1) {
			names = append(names, found[1])
		}
		got := strings.ToLower(strings.ReplaceAll(strings.Join(names, " "), "_", ""))
		if got != strings.ToLower(want) {
			t.Errorf("%s has the methods %s, want %s", form.path, got, want)
		}
	}
}

// Verify that the page has the resources of joined services in their order, whatever the order of
// the methods in each: a create comes before an update.
func TestDocsOrderOfJoined(t *testing.T) {
	page := getDocs(svc.Join("Both", docsService(), docsWordsService()), docsAll, "GET", "/").Body.String()
	var groups []string
	for _, found := range regexp.MustCompile(`"(\w+?)_\w+":\{"rpc"`).FindAllStringSubmatch(page, -1) {
		groups = append(groups, found[1])
	}
	if got, want := strings.Join(groups, " "), "notes notes words"; got != want {
		t.Errorf("the page has the groups %s, want %s", got, want)
	}
}

// A docsWords has patterns that are not for readers.
type docsWords struct {
	Plate string         `json:"plate" pattern:"^[A-Z]{2}$" patternHint:"two capital letters"`
	Plain string         `json:"plain" pattern:"^[a-z]+$"`
	Land  string         `json:"land" pattern:"^[a-z]{2}$" patternHint:"the two letters of a country"`
	Talk  string         `json:"talk" pattern:"^[a-z]{2}$" patternHint:"the two letters of a language"`
	Shelf string         `json:"shelf" pattern:"^[A-Z]$" patternHint:"the letter of a shelf"`
	Grade string         `json:"grade" pattern:"^[A-Z]$"`
	Wait  time.Duration  `json:"wait"`
	Count int64          `json:"count,string"`
	Ratio float64        `json:"ratio,string"`
	Text  string         `json:"text"`
	Names map[int8]bool  `json:"names"`
	Deep  [][]docsDeeper `json:"deep"`
}

type docsDeeper struct {
	Codes []string `json:"codes" pattern:"^[0-9]$" patternHint:"a digit"`
}

type docsWordsAPI interface {
	Create(context.Context, *docsWords) error
}

type docsWordsImpl struct{}

func (docsWordsImpl) Create(context.Context, *docsWords) error { return nil }

func docsWordsService() *svc.Service {
	run := func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		return do(ctx)
	}
	return svc.MustRegister[docsWordsAPI](docsWordsImpl{}, &svc.Options{Resource: "words", Defaults: svc.Defaults{Auth: "bearer"}, Idempotency: &svc.Idempotency{Run: run},
		Methods: map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}}, Logger: slog.New(slog.DiscardHandler)})
}

// Verify that the page has words for the patterns of svc itself and for those with a patternHint,
// by the patterns of the document, and for no others: not for one that means something else, or has
// no words, in another field.
func TestDocsWords(t *testing.T) {
	s := docsWordsService()
	text := between(t, getDocs(s, docsAll, "GET", "/").Body.String(), `id="data">`, "</script>")
	var data struct {
		Document json.RawMessage
		Words    map[string]string
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, found := range regexp.MustCompile(`"pattern":("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(string(data.Document), -1) {
		var pattern string
		if err := json.Unmarshal([]byte(found[1]), &pattern); err != nil {
			t.Fatal(err)
		}
		got = append(got, data.Words[pattern])
	}
	slices.Sort(got)
	for _, words := range got {
		maps.DeleteFunc(data.Words, func(_, other string) bool { return other == words })
	}
	want := []string{"", "", "", "", "", "a digit", "a duration, such as 1m30s", "a number, in a string", "an integer, in a string", "an integer, in a string", "two capital letters", "visible ASCII characters"}
	if !slices.Equal(got, want) || len(data.Words) > 0 {
		t.Errorf("the words are %q and %v, want %q", got, data.Words, want)
	}
}

// Verify that the page has words for every rule that a tag makes.
func TestDocsRules(t *testing.T) {
	page := getDocs(docsService(), docsAll, "GET", "/").Body.String()
	for _, want := range []string{`"maxLength":"must have at most # characters"`, `"uniqueItems":"must not have the same item twice"`, `"maxProperties":"must have at most # members"`, `"format":"must have the format #"`} {
		if !strings.Contains(between(t, page, `"rules":{`, "}"), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, keyword := range []string{"minLength", "multipleOf", "uniqueItems", "exclusiveMaximum", "maxItems", "maxProperties"} {
		if script := between(t, page, "<script>", "</script>"); strings.Contains(script, keyword+":") {
			t.Errorf("docs.html has words of its own for %s", keyword)
		}
	}
}

// Verify what assistants read.
func TestDocsMarkdown(t *testing.T) {
	text := getDocs(docsService(), docsAll, "GET", "/llms.txt").Body.String()
	for _, want := range []string{
		"# Notes \\</title>\\<script>alert(2)\\</script>\n",
		"\n## notes\n",
		"\n### POST /notes/purge\n\nThrows all \\<i>away\\</i>.\n\n- JSON-RPC method: `notes.purge`\n- needs credentials: bearer\n- answer 204: No Content\n",
		"\n- input: `docsNote`: `id` in the path; `dry` as `dry_run` (over JSON-RPC and MCP `dry`), `n` (over JSON-RPC and MCP `n` as a string) in the query; " +
			"`seen` as `Last-Event-ID` (over JSON-RPC and MCP `seen`), `if` as `If-Match` (of REST only) in the header\n",
		"\n- answer 200: OK, `docsBox` as application/json\n",
		"\nexport interface docsNote {\n  /** <\\/script><script>alert(1)<\\/script> */\n  id: string;\n",
		"\n   * # lines, \\u202eturned. Must have at least 1 character; must have at most 80 characters.\n   * Default: \"it's\".\n   */\n  text?: \"\\u003cb>\" | \"it's\";\n",
		"\n  /** Must have at most 3 items. */\n  tags?: string[];\n", "\n  seen?: int64;\n", "\n  /** An integer, in a string. */\n  n?: string;\n",
		"\n  next?: docsBox | null;\n", "\n  tree?: (docsBox | null)[];\n", "\n  none?: docsBox[] | null;\n",
		"\nexport interface Violation {\n  in: string;\n  path: string;\n  rule: string;\n  message: string;\n  limit?: number;\n  empty?: boolean;\n}\n```\n",
		"\n```sh\ncurl -X POST -H \"Authorization: Bearer $TOKEN\" \"$URL/notes/purge\"\n```\n",
		"\n```sh\ncurl -X PUT -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' -d '{}' \"$URL/notes/1\"\n```\n",
		"\n## Types\n", "\nexport interface docsBox {\n  in: Record<string, docsBox>;\n}\n",
		"\n| NOT_FOUND | 404 | -32005 |\n",
		"\n- MCP tool: `notes_update`\n", "\n- answer 400: Bad Request, `ErrorBody` as application/json\n", "\n- answer default: any other status, `ErrorBody` as application/json\n",
		" over MCP an error is a result with isError, whose text begins with the code. A method may answer with another HTTP status.\n\n| code | usual HTTP status | JSON-RPC |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the Markdown has no\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A docsOdd has schemas that no tag gives, some of which make little sense.
type docsOdd struct{ json.RawMessage }

func (docsOdd) JSONSchema() map[string]any {
	properties := map[string]any{
		"all":    map[string]any{"allOf": []any{map[string]any{"type": "integer", "minimum": 5}}},
		"kinds":  map[string]any{"type": []any{"integer", "null"}},
		"long":   map[string]any{"type": "string", "maxLength": json.Number("9223372036854775807")},
		"short":  map[string]any{"type": "string", "maxLength": 2},
		"minus":  map[string]any{"type": "array", "minItems": -1},
		"none":   map[string]any{"type": "number", "multipleOf": 0},
		"prefix": map[string]any{"type": "array", "minItems": 3, "prefixItems": []any{map[string]any{"const": 7}}, "items": map[string]any{"type": "string"}},
		"old":    map[string]any{"type": "string", "deprecated": true, "enum": []any{"a`b", "``"}, "description": "# of the\n> house"},
		"regexp": map[string]any{"type": "string", "pattern": "(?<=a)"},
	}
	required := []any{}
	for name := range properties {
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// A docsSample has bounds between which an example has to be.
type docsSample struct {
	Large  int64            `json:"large" minimum:"9007199254740993"`
	Below  float64          `json:"below" exclusiveMaximum:"1"`
	Tens   int32            `json:"tens" minimum:"15" multipleOf:"10"`
	Pair   [2]int32         `json:"pair" uniqueItems:"true"`
	Named  []string         `json:"named" minItems:"2" enum:"a,b"`
	Null   *string          `json:"null"`
	Given  string           `json:"given,omitempty" example:"this"`
	Absent string           `json:"absent,omitempty"`
	Tree   map[string]int32 `json:"tree"`
	Two    map[uint8]string `json:"two" minProperties:"2" maxProperties:"3"`
	Odd    docsOdd          `json:"odd"`
	Text   spelledCode      `json:"text"`
	IP     netip.Addr       `json:"ip"`
	Net    netip.Prefix     `json:"net"`
}

type docsSampleAPI interface {
	Create(context.Context, *docsSample) error
}

type docsSampleImpl struct{}

func (docsSampleImpl) Create(context.Context, *docsSample) error { return nil }

// Verify that examples are what their schemas accept, and that odd schemas have one.
func TestDocsExamples(t *testing.T) {
	s := svc.MustRegister[docsSampleAPI](docsSampleImpl{}, &svc.Options{Resource: "samples", Logger: slog.New(slog.DiscardHandler)})
	const want = `-d '{"large":9007199254740993,"below":0,"tens":20,"pair":[1,2],"named":["a","b"],"null":null,"given":"this","tree":{},"two":{"1":"text","2":"text2"},"odd":{},"text":"C-1","ip":"127.0.0.1","net":"10.0.0.0/8"}' `
	for rest, url := range map[string]string{".": `"$URL/samples"`, "./": `"$URL/samples"`, "api/": `"$URL/api/samples"`, "./.api": `"$URL/.api/samples"`, "../v1": `"$URL/../v1/samples"`, "a$b'": `"$URL"'/a$b'\''/samples'`, "/v1/": `"$URL/v1/samples"`} {
		text := getDocs(s, &svc.DocsOptions{REST: rest}, "GET", "/llms.txt").Body.String()
		if !strings.Contains(text, want+url+"\n") {
			t.Errorf("with REST %q the Markdown has no\n%s\nin\n%s", rest, want+url, text)
		}
		if strings.Contains(text, "the host of this page") != (rest[0] == '/') {
			t.Errorf("with REST %q the Markdown says otherwise what URL is", rest)
		}
		if field := `"old":{"deprecated":true,"description":"# of the\n> house","enum":["a` + "`b\",\"``" + `"],"type":"string"}`; !strings.Contains(text, field) {
			t.Errorf("the Markdown has no\n%s\nin\n%s", field, text)
		}
	}
}

// A docsQuery has lists that no query can have empty.
type docsQuery struct {
	IDs  []*int32 `query:"id"`
	Tags []string `query:"tag" minItems:"2" uniqueItems:"true"`
	Free []string `query:"free,omitempty"`
}

type docsQueryAPI interface {
	Search(context.Context, *docsQuery) error
}

type docsQueryImpl struct{}

func (docsQueryImpl) Search(context.Context, *docsQuery) error { return nil }

// Verify that the example of a required list in a query has an item.
func TestDocsQueryLists(t *testing.T) {
	s := svc.MustRegister[docsQueryAPI](docsQueryImpl{}, &svc.Options{Resource: "samples"})
	text := getDocs(s, nil, "GET", "/llms.txt").Body.String()
	const query = "id=1&tag=text&tag=text2"
	if !strings.Contains(text, `curl "$URL/samples?`+query+"\"\n") {
		t.Errorf("the command has another query than %s:\n%s", query, text)
	}
	w := httptest.NewRecorder()
	if s.REST().ServeHTTP(w, httptest.NewRequest("GET", "/samples?"+query, nil)); w.Code != 204 {
		t.Errorf("the command is answered with %d %s", w.Code, w.Body)
	}
}

// Verify that the Markdown says where the transports are.
func TestDocsAddresses(t *testing.T) {
	const page, host = "URL is the address of this page without the slash at its end, such as https://example.com.\n", "URL is the address of the host of this page without the slash at its end, such as https://example.com.\n"
	for _, test := range []struct {
		opts          *svc.DocsOptions
		baseURL, want string
	}{
		{docsAll, "", page + "OpenAPI is served at `/v1/openapi.json`, relative to this page; add `?openapi=3.1` for code generators.\nJSON-RPC is served at `rpc`, relative to this page; the input of a method is one object with all its fields, and `rpc.discover` returns OpenRPC.\nMCP is served at `../mcp`, relative to this page; the input of a method is one object with all its fields.\n\n## samples\n"},
		{&svc.DocsOptions{REST: "/v1"}, "", host + "\n## samples\n"},
		{&svc.DocsOptions{MCP: "/mcp"}, "", host + "MCP is served at `/mcp`, relative to this page; the input of a method is one object with all its fields.\n\n## samples\n"},
		{docsAll, "https://api.example/x/", page},
		{nil, "https://api.example/x/", "In the commands, URL is https://api.example/x.\n\n## samples\n"},
	} {
		t.Run(rowName(test.baseURL, test.opts), func(t *testing.T) {
			s := svc.MustRegister[docsSampleAPI](docsSampleImpl{}, &svc.Options{Resource: "samples", Defaults: svc.Defaults{BaseURL: test.baseURL}})
			if text := getDocs(s, test.opts, "GET", "/llms.txt").Body.String(); !strings.Contains(text, test.want) {
				t.Errorf("%v and %q: the Markdown has no\n%s\nin\n%s", test.opts, test.baseURL, test.want, text[:min(400, len(text))])
			}
		})
	}
}

// Verify that the commands of the Markdown call the methods: those of a service
// that takes everything succeed, but for inputs that only an example could tell.
func TestDocsCommands(t *testing.T) {
	s := kitchen.Sink(false)
	server := httptest.NewServer(s.REST())
	defer server.Close()
	text := getDocs(s, docsAll, "GET", "/llms.txt").Body.String()
	command := regexp.MustCompile(`(?m)^curl(?: -N)?(?: -X ([A-Z]+))?(?: -H 'Content-Type: application/json' -d '(.*)')? "\$URL(.*)"$`)
	succeeded, lines := 0, strings.Count(text, "\ncurl ")
	for _, found := range command.FindAllStringSubmatch(text, -1) {
		r, err := http.NewRequest(found[1], server.URL+found[3], strings.NewReader(strings.ReplaceAll(found[2], `'\''`, "'")))
		if err != nil {
			t.Fatal(err)
		}
		if found[2] != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		body.ReadFrom(answer.Body)
		answer.Body.Close()
		if answer.StatusCode < 300 {
			succeeded++
		} else {
			t.Logf("%s: %d %s", found[0], answer.StatusCode, body.String())
		}
	}
	if lines < 20 || 4*succeeded < 3*lines {
		t.Errorf("the Markdown has %d commands, of which %d succeed", lines, succeeded)
	}
}

// Verify that a service that serves nothing over REST has all of its documents.
func TestDocsWithoutREST(t *testing.T) {
	s := svc.MustRegister[docsSampleAPI](docsSampleImpl{}, &svc.Options{Resource: "samples", Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Create": {Transports: []svc.Transport{svc.TransportMCP, svc.TransportRPC}}}})
	places := &svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp", OpenAPI: "openapi.json", Client: "client.ts"}
	for _, test := range []struct {
		name, path, want string
		handler          http.Handler
	}{
		{"the client", "/client.ts", "export interface Api {\n}", s.TypeScript()},
		{"the client without types", "/client.js", "export function connect(options = {}) {", s.TypeScript()},
		{"the page", "/", `"calls":{}`, s.Docs(places)},
		{"Markdown", "/llms.txt", "# docsSampleAPI\n", s.Docs(places)},
		{"OpenAPI", "/openapi.json", `"paths":{}`, s.OpenAPI()},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, httptest.NewRequest("GET", test.path, nil))
			if w.Code != 200 || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("status %d, without %s:\n%s", w.Code, test.want, w.Body)
			}
		})
	}
}
