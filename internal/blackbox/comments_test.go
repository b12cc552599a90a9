package blackbox_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/svc"
)

// This file tests that comments of the source are in the documents. The sources here are texts:
// files of tests are left out.

type (
	// remarkAPI has its methods in another order than remarkSource.
	remarkAPI interface {
		Create(context.Context, *newRemark) (*remark[remarkKind], error)
		Get(context.Context, *remarkID) (*remark[remarkKind], error)
		List(context.Context) (*remark[remarkKind], error)
	}
	remark[K any] struct {
		ID    int      `json:"id"`
		Kind  K        `json:"kind"`
		By    remarkBy `json:"by"`
		Other remarkBy `json:"other" doc:"the tag"`
		Place struct {
			Line int `json:"line"`
		} `json:"place"`
		Hidden string `json:"hidden" doc:""`
	}
	remarkID struct {
		ID  int       `json:"id" path:"id"`
		Old string    `json:"old,omitempty"`
		At  remarkRef `json:"at,omitempty"`
		// Only one of the values of remarkKind.
		Only remarkKind `json:"only,omitempty" enum:"good"`
	}
	remarkKind string
	remarkRef  string
	remarkBy   struct {
		Name string `json:"name"`
	}
	newRemark  struct{ remarkBy }
	remarkImpl struct{}
)

func (remarkKind) Enum() []remarkKind { return []remarkKind{"good", "bad"} }

func (remarkImpl) Create(context.Context, *newRemark) (*remark[remarkKind], error) { return nil, nil }
func (remarkImpl) Get(context.Context, *remarkID) (*remark[remarkKind], error)     { return nil, nil }
func (remarkImpl) List(context.Context) (*remark[remarkKind], error)               { return nil, nil }

const remarkSource = `package blackbox_test

// Remarks about *everything*.
type remarkAPI interface {
	// List some remarks. Those of:
	//   - yesterday
	//   - <b>today</b>
	List()
	remarkReader
	// Create a remark. Say <script>.
	Create()
}

type remarkReader interface {
	// Get a remark.
	//
	// Deprecated: use List.
	Get()
}

// A remark is of somebody.
type remark[K any] struct {
	ID, Unused int // Above all.
	// The kind.
	Kind K // One of two.
	By remarkBy
	Other remarkBy // not this
	Place struct {
		Line int // From 1.
	}
	Hidden string // not this either
}

// remarkKind is a kind.
type remarkKind string

const (
	// Somebody *likes* it. It is shown
	// first.
	good remarkKind = "good"
	bad  remarkKind = "bad"
)

// remarkRef is a place in a text.
type remarkRef string

type remarkID struct {
	ID int
	// The old ID.
	//
	// Deprecated: nothing reads it.
	Old string
	At remarkRef
	Only remarkKind
}

// remarkBy is somebody.
type remarkBy struct {
	Name string // As it is written.
}

// A newRemark is not there yet.
type newRemark struct { remarkBy }
`

func remarks(source string, more ...fs.FS) *svc.Comments {
	return svc.ReadComments(append(more, fstest.MapFS{"remarks.go": {Data: []byte(source)}})...)
}

// documentsOf returns the documents of a service, by their names.
func documentsOf(s *svc.Service) map[string]string {
	texts := make(map[string]string)
	get := func(name, method, target, body string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		switch name {
		case "openapi-3.0", "openapi-3.1":
			s.OpenAPI().ServeHTTP(w, r)
		case "openrpc":
			s.RPC().ServeHTTP(w, r)
		case "tools":
			s.MCP(nil).ServeHTTP(w, r)
		default:
			s.Docs(nil).ServeHTTP(w, r)
		}
		texts[name] = w.Body.String()
	}
	get("openapi-3.0", "GET", "/?openapi=3.0", "")
	get("openapi-3.1", "GET", "/?openapi=3.1", "")
	get("openrpc", "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`)
	get("tools", "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	get("page", "GET", "/", "")
	get("markdown", "GET", "/llms.txt", "")
	return texts
}

// Verify where each comment goes, in which order the methods are, and what wins.
func TestCommentsGolden(t *testing.T) {
	s := svc.MustRegister[remarkAPI](remarkImpl{}, &svc.Options{Resource: "remarks", Comments: remarks(remarkSource)})
	texts := documentsOf(s)
	for _, name := range []string{"openapi-3.0", "openapi-3.1", "openrpc", "tools", "markdown"} {
		t.Run(name, func(t *testing.T) {
			text := []byte(texts[name])
			if name != "markdown" {
				var v any
				if err := json.Unmarshal(text, &v); err != nil {
					t.Fatal(err)
				}
				text, _ = json.MarshalIndent(json.RawMessage(text), "", " ")
			}
			golden(t, "comments/"+name+".txt", text)
		})
	}
}

// Verify that the order of the source changes neither contracts nor IDs nor descriptors.
func TestCommentsOrder(t *testing.T) {
	plain := svc.MustRegister[remarkAPI](remarkImpl{}, &svc.Options{Resource: "remarks"})
	ordered := svc.MustRegister[remarkAPI](remarkImpl{}, &svc.Options{Resource: "remarks", Comments: remarks(remarkSource)})
	tool := regexp.MustCompile(`"name":"remarks_(\w+)"`)
	names := func(s *svc.Service) (list []string) {
		for _, m := range tool.FindAllStringSubmatch(documentsOf(s)["tools"], -1) {
			list = append(list, m[1])
		}
		return list
	}
	if got, want := names(ordered), []string{"list", "get", "create"}; !slices.Equal(got, want) {
		t.Errorf("tools/list has %v, want %v", got, want)
	}
	if got, want := names(plain), []string{"create", "get", "list"}; !slices.Equal(got, want) {
		t.Errorf("without comments tools/list has %v, want %v", got, want)
	}
	var routes [2][]string
	for i, s := range []*svc.Service{plain, ordered} {
		for _, r := range s.Descriptor().Resources[0].Methods {
			routes[i] = append(routes[i], r.Name)
		}
	}
	if !slices.Equal(routes[0], routes[1]) {
		t.Errorf("Descriptor has %v with comments, and %v without", routes[1], routes[0])
	}
}

// Verify that explicit texts replace comments.
func TestCommentsPrecedence(t *testing.T) {
	s := svc.MustRegister[remarkAPI](remarkImpl{}, &svc.Options{Resource: "remarks", Comments: remarks(remarkSource), Description: "Explicit.",
		Methods: map[string]svc.MethodOptions{"List": {Description: "Own words. More."}}})
	for name, text := range documentsOf(s) {
		t.Run(name, func(t *testing.T) {
			for _, gone := range []string{"Remarks about", "List some", "yesterday", "not this"} {
				if strings.Contains(text, gone) {
					t.Errorf("the comment %q is there", gone)
				}
			}
			if !strings.Contains(text, "the tag") || name != "tools" && !strings.Contains(text, "Explicit.") || name != "openapi-3.0" && !strings.Contains(text, "Own words. More.") {
				t.Errorf("an explicit text is missing:\n%s", text)
			}
		})
	}
}

// Verify the mistakes, which come with all others.
func TestCommentsMistakes(t *testing.T) {
	other := func(dir, text string) fs.FS { return fstest.MapFS{dir + "/x.go": {Data: []byte(text)}} }
	for _, test := range []struct {
		name     string
		comments *svc.Comments
		want     []string
	}{
		{"no sources", svc.ReadComments(), []string{"the sources do not declare blackbox_test.remarkAPI"}},
		{"a zero Comments", new(svc.Comments), []string{"the sources do not declare blackbox_test.remarkAPI"}},
		{"a nil source", remarks(remarkSource, nil), []string{"source 1 of ReadComments is nil"}},
		{"another package", svc.ReadComments(other("a", "package a\ntype remarkAPI interface{}")), []string{"the sources do not declare"}},
		{"does not parse", remarks("package blackbox_test\n\nfunc {\n"), []string{"remarks.go:3 does not parse: "}},
		{"a folder that is not there", svc.ReadComments(os.DirFS("missing")), []string{"cannot read .: "}},
		{"two packages with the interface", remarks(remarkSource, other("a", "package blackbox_test\ntype remarkAPI interface{}")), []string{"a/x.go:2 and remarks.go:4 declare a blackbox_test.remarkAPI each"}},
		{"two packages with a type", remarks(remarkSource, other("a", "package blackbox_test\ntype remarkBy int")), []string{"a/x.go:2 and remarks.go:58 declare a blackbox_test.remarkBy each"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := svc.Register[remarkAPI](remarkImpl{}, &svc.Options{Comments: test.comments, Contact: "nobody"})
			if err == nil {
				t.Fatal("no mistake")
			}
			for _, want := range append(test.want, "Options.Contact") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant %q", err, want)
				}
			}
		})
	}
}

// Verify that what is hostile in comments is text everywhere.
func TestCommentsHostile(t *testing.T) {
	evil := "</script><script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) &lt;b&gt; | a | ~~~ *b* \u202e " + strings.Repeat("long ", 20_000)
	source := strings.ReplaceAll(strings.ReplaceAll(remarkSource, "A remark is of somebody.", evil), "List some remarks.", evil)
	s := svc.MustRegister[remarkAPI](remarkImpl{}, &svc.Options{Resource: "remarks", Comments: remarks(source)})
	texts := documentsOf(s)
	for _, name := range []string{"openapi-3.1", "openrpc", "tools"} {
		if !json.Valid([]byte(texts[name])) {
			t.Errorf("%s is not JSON", name)
		}
	}
	if !strings.Contains(texts["tools"], `</script>`) && !strings.Contains(texts["tools"], `\u003c/script`) {
		t.Error("the tools do not have the comment")
	}
	if strings.Count(texts["page"], "</script>") != 2 || strings.Contains(texts["page"], "<img src=x") {
		t.Errorf("the page has %d ends of scripts", strings.Count(texts["page"], "</script>"))
	}
	prose := regexp.MustCompile("(?ms)^```ts$.*?^```$").ReplaceAllString(texts["markdown"], "") // code is no markup
	if found := regexp.MustCompile(`(^|[^\\])(<script|<img|</script|\[x\]\(javascript)`).FindString(prose); found != "" || strings.Contains(texts["markdown"], "\u202e") {
		t.Errorf("the Markdown has markup: %q", found)
	}
}

type (
	gradeAPI interface {
		Get(context.Context, *gradeID) (*remarkBy, error)
	}
	gradeID struct {
		ID grade `json:"id" doc:"the one to get"`
	}
	grade     int
	gradeImpl struct{}
)

func (grade) Enum() []grade                                        { return []grade{1, 2} }
func (gradeImpl) Get(context.Context, *gradeID) (*remarkBy, error) { return nil, nil }

const gradeSource = `package blackbox_test

type gradeAPI interface { Get() }

// A grade says how hard it is.
type grade int

const (
	easy grade = 1 // for all
	hard grade = 2 // for few
)
`

// Verify that an integer in a path has the comments of its type. In 3.0.3 it is written as texts,
// in place and not by a $ref.
func TestCommentsOfPathInteger(t *testing.T) {
	t.Parallel()
	service := svc.MustRegister[gradeAPI](gradeImpl{}, &svc.Options{Name: "grades", Comments: remarks(gradeSource)})
	const about = `"description":"A grade says how hard it is.\n\n- ` + "`1`: for all\\n- `2`: for few" + `"`
	for _, test := range []struct{ query, want string }{
		{"?openapi=3.0", `"description":"the one to get","required":true,"schema":{"type":"string","enum":["1","2"],` + about + `}`},
		{"?openapi=3.1", `"grade":{"type":"integer","format":"int64","enum":[1,2],` + about + `}`},
	} {
		t.Run(rowName(test.query), func(t *testing.T) {
			if text := string(kitchenDocument(service, test.query)); !strings.Contains(text, test.want) {
				t.Errorf("%s\nhas no %s", text, test.want)
			}
		})
	}
}
