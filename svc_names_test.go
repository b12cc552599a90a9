package svc

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"Create", "create"},
		{"MarkDone", "mark done"},
		{"GetURL", "get url"},
		{"GetURLs", "get ur ls"}, // as every splitter without a dictionary does
		{"HTTPServer", "http server"},
		{"ServeHTTP", "serve http"},
		{"GetHTTPURL", "get httpurl"},
		{"ListV2", "list v2"},
		{"ListV2All", "list v2 all"},
		{"V2List", "v2 list"},
		{"Get2FA", "get2 fa"},
		{"A", "a"},
		{"AB", "ab"},
		{"ABc", "a bc"},
		{"X509Verify", "x509 verify"},
		{"Snake_Case", "snake case"},
		{"Änderung", "änderung"},
		{"ÄndereÖl", "ändere öl"},
		{"TodoAPI", "todo api"},
	} {
		if got := strings.Join(splitWords(test.name), " "); got != test.want {
			t.Errorf("words(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestInferRoute(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"Create", "POST /todos"},
		{"CreateTodo", "POST /todos"},
		{"Add", "POST /todos"},
		{"AddMany", "POST /todos"},
		{"New", "POST /todos"},
		{"NewTodo", "POST /todos"},
		{"Newsletter", "POST /todos/newsletter"}, // not New

		{"List", "GET /todos"},
		{"ListAll", "GET /todos"},
		{"ListV2", "GET /todos"},
		{"Listen", "POST /todos/listen"},
		{"All", "GET /todos"},
		{"AllOpen", "GET /todos"},
		{"Allow", "POST /todos/allow"},
		{"Search", "GET /todos"},
		{"SearchByTitle", "GET /todos"},
		{"FindAll", "GET /todos"},
		{"FindTodos", "GET /todos"},
		{"FindTodosByName", "GET /todos"},
		{"FindAllByName", "GET /todos"},

		{"Find", "GET /todos/{id}"},
		{"FindTodo", "GET /todos/{id}"},
		{"FindByID", "GET /todos/{id}"},
		{"FindByTags", "GET /todos/{id}"},   // By is no plural
		{"FindStatus", "GET /todos/{id}"},   // us
		{"FindAddress", "GET /todos/{id}"},  // ss
		{"FindAnalysis", "GET /todos/{id}"}, // is
		{"Findings", "POST /todos/findings"},
		{"Get", "GET /todos/{id}"},
		{"GetURL", "GET /todos/{id}"},
		{"GetAll", "GET /todos/{id}"}, // the first word decides
		{"Getaway", "POST /todos/getaway"},
		{"Fetch", "GET /todos/{id}"},
		{"Read", "GET /todos/{id}"},
		{"Ready", "POST /todos/ready"},

		{"Update", "PUT /todos/{id}"},
		{"UpdateTitle", "PUT /todos/{id}"},
		{"Edit", "PUT /todos/{id}"},
		{"Modify", "PUT /todos/{id}"},
		{"Set", "PUT /todos/{id}"},
		{"SetTitle", "PUT /todos/{id}"},
		{"Settle", "POST /todos/settle"}, // not Set
		{"SETUp", "PUT /todos/{id}"},     // a run of capitals is one word
		{"Setup", "POST /todos/setup"},

		{"Delete", "DELETE /todos/{id}"},
		{"Remove", "DELETE /todos/{id}"},
		{"RemoveTag", "DELETE /todos/{id}"},
		{"Removed", "POST /todos/removed"},
		{"Patch", "PATCH /todos/{id}"},
		{"Patches", "POST /todos/patches"},

		{"Archive", "POST /todos/archive"},
		{"MarkDone", "POST /todos/mark_done"},
		{"ReGet", "POST /todos/re_get"},
		{"V2", "POST /todos/v2"},
		{"V2List", "POST /todos/v2_list"},
		{"GetV2", "GET /todos/{id}"},
		{"Get2", "POST /todos/get2"}, // digits belong to the word before
		{"HTTPCheck", "POST /todos/http_check"},
		{"Öffne", "POST /todos/öffne"},
	} {
		r := inferRoute("todos", splitWords(test.name), "id")
		if got := r.method + " " + r.path; got != test.want {
			t.Errorf("the route of %s is %s, want %s", test.name, got, test.want)
		}
		if got, want := slices.Equal(r.placeholders, []string{"id"}), strings.Contains(test.want, "{id}"); got != want {
			t.Errorf("the route of %s has the placeholders %q", test.name, r.placeholders)
		}
	}
}

func TestIsPlural(t *testing.T) {
	for _, test := range []struct {
		word string
		want bool
	}{
		{"all", true}, {"todos", true}, {"items", true}, {"boxes", true}, {"s", true},
		{"todo", false}, {"by", false}, {"status", false}, {"bus", false}, {"address", false}, {"class", false},
		{"analysis", false}, {"this", false}, {"people", false}, {"", false},
	} {
		if got := isPlural(test.word); got != test.want {
			t.Errorf("isPlural(%q) = %t, want %t", test.word, got, test.want)
		}
	}
}

// Verify which names a method answers to, and that it answers to no other case.
func TestNames(t *testing.T) {
	methods := func(names ...string) []*method {
		var list []*method
		for _, name := range names {
			list = append(list, &method{config: new(config), resource: "todos", goName: name, name: strings.Join(splitWords(name), "_")})
		}
		return list
	}
	for _, test := range []struct {
		methods string // Go names
		name    string
		want    string // the Go name that answers; "" if none does
	}{
		{"MarkDone", "mark_done", "MarkDone"},
		{"MarkDone", "markDone", "MarkDone"},
		{"MarkDone", "markdone", "MarkDone"},
		{"MarkDone", "MarkDone", ""},
		{"MarkDone", "MARKDONE", ""},
		{"MarkDone", "Mark_Done", ""},
		{"MarkDone", "markdOne", ""},
		{"MarkDone", "mark-done", ""},
		{"MarkDone", "", ""},
		{"Create", "create", "Create"},
		{"Create", "Create", ""},
		{"GetURL", "get_url", "GetURL"},
		{"GetURL", "getURL", "GetURL"},
		{"GetURL", "geturl", "GetURL"},
		{"GetURL", "getUrl", ""},
		{"HTTPCheck", "http_check", "HTTPCheck"},
		{"HTTPCheck", "httpCheck", "HTTPCheck"},
		{"HTTPCheck", "hTTPCheck", ""},
		{"V2List", "v2_list", "V2List"},
		{"V2List", "v2List", "V2List"},
		{"V2List", "v2list", "V2List"},
		// A primary name wins over an alias, whichever comes first.
		{"MarkDone Markdone", "markdone", "Markdone"},
		{"MarkDone Markdone", "markDone", "MarkDone"},
		{"Markdone MarkDone", "markdone", "Markdone"},
	} {
		p := new(mistakes)
		s := &Service{names: nameMethods(p, methods(strings.Fields(test.methods)...))}
		got := ""
		if m := s.findMethod("todos", test.name); m != nil {
			got = m.goName
		}
		if got != test.want || len(p.list) > 0 {
			t.Errorf("of %s, %q calls %q, want %q; %v", test.methods, test.name, got, test.want, p.list)
		}
		if m := s.findMethod("lists", test.name); m != nil {
			t.Errorf("%q is found in another resource", test.name)
		}
	}
}
