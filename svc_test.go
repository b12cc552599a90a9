package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// TestMain fails the run if the tests leave goroutines behind: in a server each
// would be one request's leak.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)        // the tests make much garbage and keep little
	flag.Set("test.parallel", "8") // many of them wait; the flag -parallel comes after this
	code := m.Run()
	if code == 0 && !fuzzing() {
		if left := leaked(time.Minute); len(left) > 0 {
			fmt.Fprintf(os.Stderr, "FAIL: the tests left %d goroutines behind:\n\n%s\n", len(left), strings.Join(left, "\n\n"))
			code = 1
		}
	}
	os.Exit(code)
}

// fuzzing reports whether this process looks for new inputs. The processes that
// do so keep goroutines of package testing until they exit.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// leaked waits for the goroutines that the tests started to end, and returns
// the stacks of those that have not ended when the patience is over.
func leaked(patience time.Duration) []string {
	var left []string
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		// An idle connection of a client has goroutines on both ends.
		http.DefaultClient.CloseIdleConnections()
		if left = strangers(); len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// strangers returns the stacks of the goroutines that belong neither to the
// runtime nor to package testing, in a stable order.
func strangers() []string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	var found []string
	// The first stack is that of the caller.
	for _, stack := range strings.Split(string(buf), "\n\n")[1:] {
		if !expected(stack) {
			found = append(found, strings.TrimSpace(stack))
		}
	}
	slices.Sort(found)
	return found
}

// expected reports whether a goroutine may outlive the tests: the main one, one
// of package testing, of the runtime, or of os/signal, which starts one for the
// whole life of the process.
func expected(stack string) bool {
	return strings.Contains(stack, "\nmain.main()") ||
		strings.Contains(stack, "created by testing.") ||
		strings.Contains(stack, "created by runtime.") ||
		strings.Contains(stack, "created by os/signal.")
}

func TestLeakedGoroutinesAreFound(t *testing.T) {
	before := len(leaked(time.Second))
	stop := make(chan struct{})
	go func() { <-stop }()
	if left := leaked(20 * time.Millisecond); len(left) != before+1 {
		t.Errorf("found %d goroutines, want one more than the %d before", len(left), before)
	}
	close(stop)
	if left := leaked(10 * time.Second); len(left) != before {
		t.Errorf("found %d goroutines after the end, want the %d before", len(left), before)
	}
}

var update = flag.Bool("update", false, "rewrite testdata with the output of the tests")

// rounds returns how often a test does what it does with inputs of many kinds: few
// times; or many times, if SVC_TEST_ROUNDS is many, as in .ci/run, without -short.
func rounds(few, many int) int {
	if os.Getenv("SVC_TEST_ROUNDS") == "many" && !testing.Short() {
		return many
	}
	return few
}

// golden compares got with the file testdata/name, or with -update writes it
// there. The external tests reach it as svc.Golden.
func golden(t testing.TB, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := writeGolden(file, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readText(file)
	if err != nil {
		t.Errorf("%v; if the output is right, run go test -update:\n%s", err, got)
		return
	}
	if strconv.IntSize < 64 {
		return // the files have the bounds of an int of 64 bits
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if the new output is right, run go test -update\n%s", file, firstDifference(got, want))
	}
}

// A transcript is a golden file to which each row of a table adds a part, so that a row can
// be run alone.
type transcript struct {
	file string // below testdata
	all  bytes.Buffer
	ran  int // how many rows have added a part
}

// add adds the part of one row, and reports it in t if the file does not have it.
func (g *transcript) add(t *testing.T, part []byte) {
	t.Helper()
	g.ran++
	g.all.Write(part)
	want, err := readText(filepath.Join("testdata", filepath.FromSlash(g.file)))
	if !*update && (err != nil || !bytes.Contains(want, part)) {
		t.Errorf("testdata/%s does not have this part (%v); if the output is right, run go test -update\n%s", g.file, err, part)
	}
}

// compare compares the whole file with the parts, if each of the rows has added one: not
// if go test -run has left some out.
func (g *transcript) compare(t *testing.T, rows int) {
	t.Helper()
	if g.ran == rows {
		golden(t, g.file, g.all.Bytes())
	}
}

// readText returns the text of a file. Each of its lines ends in \n, also in a checkout
// that has \r\n, as one on Windows may.
func readText(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), err
}

// writeGolden leaves a file that is right alone, so that -update keeps its time
// and with it the go command's cache of test results.
func writeGolden(file string, got []byte) error {
	if want, err := os.ReadFile(file); err == nil && bytes.Equal(got, want) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, got, 0o666)
}

// firstDifference describes the first line in which got and want differ. The
// lines are quoted, since a difference is often a space or a \r; of a long line,
// such as a whole JSON document, only the surroundings of the difference show.
func firstDifference(got, want []byte) string {
	g, w := bytes.SplitAfter(got, []byte("\n")), bytes.SplitAfter(want, []byte("\n"))
	i := 0
	for i < len(g) && i < len(w) && bytes.Equal(g[i], w[i]) {
		i++
	}
	if i == len(g) || i == len(w) { // only if the texts are equal
		return "no difference"
	}
	from := 0
	for from < len(g[i]) && from < len(w[i]) && g[i][from] == w[i][from] {
		from++
	}
	return fmt.Sprintf("line %d, column %d\n got: %q\nwant: %q\n(got %d lines, want %d)",
		i+1, from+1, around(g[i], from), around(w[i], from), len(g), len(w))
}

// around returns at most 60 bytes of line on each side of column i.
func around(line []byte, i int) []byte {
	return line[max(0, i-60):min(len(line), i+60)]
}

func TestFirstDifference(t *testing.T) {
	for _, test := range []struct{ name, got, want, says string }{
		{"another line", "a\nb\n", "a\nc\n", "line 2, column 1\n got: \"b\\n\"\nwant: \"c\\n\"\n(got 3 lines, want 3)"},
		{"no end of the line", "a", "a\n", "line 1, column 2\n got: \"a\"\nwant: \"a\\n\"\n(got 1 lines, want 2)"},
		{"a line more", "a\n", "a\nb", "line 2, column 1\n got: \"\"\nwant: \"b\"\n(got 2 lines, want 2)"},
		{"nothing", "", "x", "line 1, column 1\n got: \"\"\nwant: \"x\"\n(got 1 lines, want 1)"},
		{"equal texts", "same\n", "same\n", "no difference"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := firstDifference([]byte(test.got), []byte(test.want)); got != test.says {
				t.Errorf("firstDifference(%q, %q) = %s\nwant %s", test.got, test.want, got, test.says)
			}
		})
	}
}

func TestWriteGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "b", "c.txt")
	for _, text := range []string{"one", "one", "two"} {
		if err := writeGolden(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); string(got) != text {
			t.Errorf("the file holds %q, %v; want %q", got, err, text)
		}
	}
}

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
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(splitWords(test.name), " "); got != test.want {
				t.Errorf("words(%q) = %q, want %q", test.name, got, test.want)
			}
		})
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
		t.Run(test.name, func(t *testing.T) {
			r := inferRoute("todos", splitWords(test.name), "id")
			if got := r.verb + " " + r.path; got != test.want {
				t.Errorf("the route of %s is %s, want %s", test.name, got, test.want)
			}
			if got, want := slices.Equal(r.placeholders, []string{"id"}), strings.Contains(test.want, "{id}"); got != want {
				t.Errorf("the route of %s has the placeholders %q", test.name, r.placeholders)
			}
		})
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
		t.Run(rowName(test.word), func(t *testing.T) {
			if got := isPlural(test.word); got != test.want {
				t.Errorf("isPlural(%q) = %t, want %t", test.word, got, test.want)
			}
		})
	}
}

// Verify which names a method answers to, and that it answers to no other case.
func TestNames(t *testing.T) {
	methods := func(names ...string) []*method {
		var list []*method
		for _, name := range names {
			list = append(list, &method{config: &config{iface: reflect.TypeFor[any]()}, resource: "todos", goName: name,
				name: strings.Join(splitWords(name), "_")})
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
		t.Run(rowName(test.methods, "by", test.name), func(t *testing.T) {
			p := new(mistakes)
			s := &Service{service{names: nameMethods(p, methods(strings.Fields(test.methods)...))}}
			got := ""
			if m := s.names[methodName{"todos", test.name}]; m != nil {
				got = m.goName
			}
			if got != test.want || len(p.list) > 0 {
				t.Errorf("of %s, %q calls %q, want %q; %v", test.methods, test.name, got, test.want, p.list)
			}
			if m := s.names[methodName{"lists", test.name}]; m != nil {
				t.Errorf("%q is found in another resource", test.name)
			}
		})
	}
}

// Verify that clashes are found between methods that clash with others too, each
// pair once and in the order of the methods.
func TestRouteClashes(t *testing.T) {
	var methods []*method
	for i, text := range []string{"GET /a/{x}", "GET /b", "", "GET /a/{y}", "GET /{z}/c", "POST /a/{x}", "GET /a/c", "GET /{w}/c",
		"GET /a{b"} {
		verb, path, _ := strings.Cut(text, " ")
		methods = append(methods, &method{config: &config{iface: reflect.TypeFor[any]()}, goName: strconv.Itoa(i),
			name: strconv.Itoa(i), route: route{verb: verb, path: path}})
	}
	p := new(mistakes)
	checkRoutes(p, methods)
	var got []string
	for _, text := range p.list {
		first, rest, _ := strings.Cut(text.Error(), " and ")
		second, _, _ := strings.Cut(rest, " ")
		got = append(got, first+second)
	}
	if got, want := strings.Join(got, " "), "03 04 34 07 37 47"; got != want {
		t.Errorf("the pairs %s clash, want %s: %q", got, want, p.list)
	}
}

// tryMux registers a route on mux and returns the text of its panic, or "".
func tryMux(mux *http.ServeMux, r route) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	mux.Handle(r.verb+" "+r.path, http.NotFoundHandler())
	return ""
}

// Verify by random patterns that http.ServeMux takes what parsePattern takes, and that
// routes clash where it says so, or where documents cannot tell them apart.
func TestRoutesLikeServeMux(t *testing.T) {
	segments := strings.Split("a a b c {x} {y} {z} a%2fb %61 %2F %2f%2F %7B%7D {{} } {} {$} {r...} {x.} :id . .. ~ é {é} {1} a{b} % %zz a?b", " ")
	random := rand.New(rand.NewPCG(1, 2))
	clashes, refused := 0, 0
	for range 2000 {
		var methods []*method
		for len(methods) < 6 {
			text := []string{"GET ", "GET ", "POST ", "PUT \t"}[random.IntN(4)]
			most := []int{6, 7, 9, len(segments)}[random.IntN(4)]
			for range 1 + random.IntN(3) {
				text += "/" + segments[random.IntN(most)]
			}
			r, err := parsePattern(text)
			if err != nil {
				refused++
				continue
			}
			if panicked := tryMux(http.NewServeMux(), r); panicked != "" {
				t.Fatalf("http.ServeMux does not take %s: %s", text, panicked)
			}
			methods = append(methods, &method{config: &config{iface: reflect.TypeFor[any]()}, goName: strconv.Itoa(len(methods)),
				name: strconv.Itoa(len(methods)), route: r})
		}
		var want, got []string
		for i, m := range methods {
			for _, other := range methods[:i] {
				mux := http.NewServeMux()
				alike := templateOf(segmentsOf(m.pattern()), nil) == templateOf(segmentsOf(other.pattern()), nil)
				if tryMux(mux, other.route); tryMux(mux, m.route) != "" || alike {
					want = append(want, other.goName+" and "+m.goName)
				}
			}
		}
		p := new(mistakes)
		checkRoutes(p, methods)
		for _, err := range p.list {
			got = append(got, err.Error()[:len("0 and 1")])
		}
		slices.Sort(want) // documents come last
		slices.Sort(got)
		if clashes += len(want); !slices.Equal(got, want) {
			t.Fatalf("of %v %v %v %v %v %v these clash: %q, want %q", methods[0].route, methods[1].route, methods[2].route, methods[3].route,
				methods[4].route, methods[5].route, got, want)
		}
	}
	if clashes < 500 || refused < 500 { // the rest says little
		t.Errorf("%d pairs clash, and %d patterns are refused", clashes, refused)
	}
}

// Verify that the memory for registering methods grows with their number and not
// with its square: all routes and names of 1,000 methods, with room for the rest.
func TestManyMethods(t *testing.T) {
	const limit = 3 << 20
	var services []*Service
	for i := range 250 {
		services = append(services, MustRegister[manyAPI](manyImpl{}, &Options{Resource: fmt.Sprint("r", i), Logger: quiet}))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := Join("many", services...)
	s.REST()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; len(s.methods) != 1000 || got > limit {
		t.Errorf("%d methods take %d bytes, want at most %d", len(s.methods), got, limit)
	}
}

// A manyAPI has methods whose routes a mux has to compare.
type manyAPI interface {
	Create(context.Context, *tickIn) error
	Mark(context.Context) error
	List(context.Context) error
	Send(context.Context) error
}

type manyImpl struct{ manyAPI }

// Verify that Options.Intercept runs around what stands in the place of a method,
// and who is told of a value of the wrong type: the log, and no client.
func TestInvokeBy(t *testing.T) {
	type out = tickItem
	answers := func(out any, err error) InvokeFunc {
		return func(context.Context, string, string, any) (any, error) { return out, err }
	}
	passes := func(input any) func(InvokeFunc) InvokeFunc {
		return func(next InvokeFunc) InvokeFunc {
			return func(ctx context.Context, resource, method string, in any) (any, error) {
				return next(ctx, resource, method, input)
			}
		}
	}
	passesCall := func(ctx context.Context, resource, method string) func(InvokeFunc) InvokeFunc {
		return func(next InvokeFunc) InvokeFunc {
			return func(own context.Context, _, _ string, in any) (any, error) {
				if ctx != nil {
					own = ctx
				}
				return next(own, resource, method, in)
			}
		}
	}
	around := func(next InvokeFunc) InvokeFunc {
		return func(ctx context.Context, resource, method string, in any) (any, error) {
			got, err := next(ctx, resource, method, in)
			if o, ok := got.(*out); ok && o != nil {
				got = &out{N: o.N + 100}
			}
			return got, err
		}
	}
	replaces := func(out any) func(InvokeFunc) InvokeFunc {
		return func(InvokeFunc) InvokeFunc { return answers(out, nil) }
	}
	const neither, other = " returned neither an output nor an error", " was answered with a *svc.tickIn instead of *svc.tickItem"
	for _, test := range []struct {
		name      string
		intercept func(InvokeFunc) InvokeFunc
		inner     InvokeFunc
		method    string
		want      string // the output, or what the log says
	}{
		{"the method", nil, nil, "get", "7"},
		{"in its place", nil, answers(&out{N: 1}, nil), "get", "1"},
		{"around the method", around, nil, "get", "107"},
		{"around what is in its place", around, answers(&out{N: 1}, nil), "get", "101"},
		{"of a method that calls another", around, answers(&out{N: 1}, nil), "call", "101"},
		{"an error", around, answers(nil, Errorf(CodeAborted, "no")), "get", "ABORTED: no"},
		{"an error beside an output", around, answers(&out{}, Errorf(CodeAborted, "no")), "get", "ABORTED: no"},
		{"no output of the method", nil, nil, "nothing", "Nothing" + neither},
		{"no output in its place", nil, answers(nil, nil), "get", "Get, called through Invoke," + neither},
		{"a nil pointer in its place", nil, answers((*out)(nil), nil), "get", "Get, called through Invoke," + neither},
		{"another output in its place", nil, answers(&tickIn{}, nil), "get", "Get, called through Invoke," + other},
		{"a nil pointer of another type", nil, answers((*tickIn)(nil), nil), "get", "Get, called through Invoke," + other},
		{"a nil pointer of the interceptor", replaces((*out)(nil)), nil, "get", "Get, called through Options.Intercept," + neither},
		{"another output of the interceptor", replaces(&tickIn{}), nil, "get", "Get, called through Options.Intercept," + other},
		{"an output of a method without one", replaces(&tickIn{}), nil, "drop", "<nil>"},
		{"another input", passes(&out{}), nil, "get", "INTERNAL: Options.Intercept passed on another input: INVALID_ARGUMENT: invoke.get takes a *svc.tickIn that is not nil, not a *svc.tickItem"},
		{"a nil pointer as input", passes((*tickIn)(nil)), nil, "get", "INTERNAL: Options.Intercept passed on another input: INVALID_ARGUMENT: the input of invoke.get is a nil *svc.tickIn"},
		{"a context of its own", passesCall(context.Background(), "invoke", "get"), answers(&out{N: 1}, nil), "get", "INTERNAL: Options.Intercept passed on a context that is not derived from the one it got"},
		{"a context of its own, without a replacement", passesCall(context.Background(), "invoke", "get"), nil, "get", "INTERNAL: Options.Intercept passed on a context that is not derived from the one it got"},
		{"another name", passesCall(nil, "invoke", "ask"), nil, "get", `INTERNAL: Options.Intercept passed on the names "invoke" and "ask", or the context of another call`},
		{"another resource", passesCall(nil, "invokes", "get"), nil, "get", `INTERNAL: Options.Intercept passed on the names "invokes" and "get", or the context of another call`},
		{"no input", passes(nil), answers(&out{N: 1}, nil), "get", "INTERNAL: Options.Intercept passed on another input: INVALID_ARGUMENT: invoke.get takes a *svc.tickIn that is not nil, not a <nil>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, direct := range []bool{false, true} {
				impl := &invokeImpl{}
				o := &Options{Resource: "invoke", Intercept: test.intercept, Methods: invokeRoutes, Logger: quiet}
				if direct {
					o.Methods = map[string]MethodOptions{"Get": {HTTP: "GET /invoke", Direct: Direct(invokeAPI.Get)},
						"Nothing": {Direct: Direct(invokeAPI.Nothing)}, "Call": {Direct: Direct(invokeAPI.Call)}}
				}
				impl.service = MustRegister[invokeAPI](impl, o)
				m := impl.service.names[methodName{"invoke", test.method}]
				got, err := runMethod(m, test.inner, &tickIn{})
				text := fmt.Sprint(err)
				if o, ok := got.(*out); ok && err == nil {
					text = strconv.Itoa(o.N)
				}
				if text != test.want {
					t.Errorf("%s, direct %t: %s, want %s", test.name, direct, text, test.want)
				}
				if err == nil {
					continue
				}
				if body := string(appendEnvelope(nil, ErrorFrom(err))); strings.Contains(body, "svc.") {
					t.Errorf("%s: a client gets %s", test.name, body)
				}
			}
		})
	}
	// What is called from within a call is that itself.
	impl := &invokeImpl{}
	impl.service = MustRegister[invokeAPI](impl, &Options{Resource: "invoke", Intercept: around, Methods: invokeRoutes, Logger: quiet})
	m := impl.service.names[methodName{"invoke", "call"}]
	got, err := runMethod(m, func(ctx context.Context, _, _ string, in any) (any, error) { return impl.Call(ctx, in.(*tickIn)) }, &tickIn{})
	if o, ok := got.(*out); err != nil || !ok || o.N != 207 {
		t.Errorf("a call within another call: %v, %v", got, err)
	}
}

// runMethod calls m with an input that is valid, or invoke in its place.
func runMethod(m *method, invoke InvokeFunc, in any) (any, error) {
	c := &goCall{call: call{Context: context.Background(), endpoint: &endpoint{config: m.config, invoke: invoke}, method: m,
		ws: new(workspace)}, in: in}
	err := c.run(c)
	return c.out, err
}

// A goCall is the carrier of runMethod.
type goCall struct {
	call
	in, out any
}

func (c *goCall) readText() error         { return nil }
func (c *goCall) bindInput() (any, error) { return c.in, nil }

func (c *goCall) encodeOutput(out any) error {
	c.out = out
	return nil
}

// invokeRoutes is needed since the input of invokeAPI has no ID.
var invokeRoutes = map[string]MethodOptions{"Get": {HTTP: "GET /invoke"}}

// An invokeAPI has a method for each thing that a call can return.
type invokeAPI interface {
	Get(context.Context, *tickIn) (*tickItem, error)
	Nothing(context.Context, *tickIn) (*tickItem, error)
	Call(context.Context, *tickIn) (*tickItem, error)
	Drop(context.Context, *tickIn) error
}

type invokeImpl struct{ service *Service }

func (*invokeImpl) Get(context.Context, *tickIn) (*tickItem, error)     { return &tickItem{N: 7}, nil }
func (*invokeImpl) Nothing(context.Context, *tickIn) (*tickItem, error) { return nil, nil }
func (*invokeImpl) Drop(context.Context, *tickIn) error                 { return nil }

// Call calls Get by its name.
func (i *invokeImpl) Call(ctx context.Context, in *tickIn) (*tickItem, error) {
	out, err := i.service.Call(ctx, "invoke", "get", in)
	if err != nil {
		return nil, err
	}
	return out.(*tickItem), nil
}

// FuzzRoutePattern verifies that a pattern which is accepted is one that requests
// match: its literals as they stand, and its placeholders by any value.
func FuzzRoutePattern(f *testing.F) {
	for _, pattern := range []string{
		"GET /todos", "POST /todos/{id}", "PUT /a/{b}/c/{d_1}", "PATCH  /a%20b/{x}/caf\u00e9:x@y", "GET /a%2Fb", "GET /a%2E%2e/b",
		"GET /%7Bid%7D", "DELETE /{_}/{ä}", "GET /a;b=c,d/(e)/!$&'*+~", "GET /%", "GET /%zz", "GET /a b", "GET /{}", "GET /{a", "GET /a}",
		"GET /a/", "GET //", "GET /.", "GET /..", "GET /{a...}", "GET /{$}", "HEAD /a", "GET a", "/a", "", "GET", "GET /\x80", "GET /a\x00",
	} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		r, err := parsePattern(pattern)
		if err != nil {
			return
		}
		path := percent(r.path)
		for _, name := range r.placeholders {
			path = strings.Replace(path, "{"+percent(name)+"}", "va%2Flue", 1)
			path = strings.Replace(path, "{"+percent(name)+"...}", "va/lue", 1)
		}
		req, err := http.NewRequest(r.verb, path, nil)
		if err != nil {
			t.Fatalf("%q is accepted, and no request can be made of it: %v", pattern, err)
		}
		matched := false
		mux := http.NewServeMux()
		mux.HandleFunc(r.verb+" "+r.path, func(_ http.ResponseWriter, req *http.Request) {
			matched = true
			for _, name := range r.placeholders {
				if got := req.PathValue(name); got != "va/lue" {
					t.Errorf("%q: the value of {%s} is %q", pattern, name, got)
				}
			}
		})
		if !isClean(req.URL) {
			t.Fatalf("%q is accepted, and REST finds that %q is not clean", pattern, path)
		}
		mux.ServeHTTP(httptest.NewRecorder(), req)
		if !matched {
			t.Errorf("%q is accepted, and a request to %q does not match it", pattern, path)
		}
	})
}

// percent escapes what is not ASCII, as clients do.
func percent(s string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		if b < utf8.RuneSelf {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// tickItem and what follows make the services of the stream tests.
type tickItem struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

// SSE gives an event an ID, and a name if the text says so.
func (t *tickItem) SSE() Event {
	e := Event{ID: fmt.Sprint(t.N)}
	e.Name, _ = strings.CutPrefix(t.Text, "name ")
	if e.Name == t.Text {
		e.Name = ""
	}
	return e
}

type tickIn struct {
	After int `json:"after,omitempty" header:"Last-Event-ID" minimum:"0"`
	Count int `json:"count,omitempty" minimum:"0"`
}

// anyItem brings its own JSON: a func may say what it is.
type anyItem struct {
	json func() ([]byte, error)
}

func (i *anyItem) MarshalJSON() ([]byte, error) { return i.json() }

type tickAPI interface {
	All(context.Context) (Stream[tickItem], error)
	Any(context.Context) (Stream[anyItem], error)
	Run(context.Context, *tickIn) (Stream[tickItem], error)
	One(context.Context, *tickIn) (*tickItem, error)
}

// tickImpl answers as its functions do.
type tickImpl struct {
	run func(context.Context, *tickIn) (Stream[tickItem], error)
	one func(context.Context, *tickIn) (*tickItem, error)
	any func(context.Context) (Stream[anyItem], error)
}

func (i *tickImpl) All(ctx context.Context) (Stream[tickItem], error) {
	return i.run(ctx, new(tickIn))
}
func (i *tickImpl) Any(ctx context.Context) (Stream[anyItem], error) { return i.any(ctx) }
func (i *tickImpl) Run(ctx context.Context, in *tickIn) (Stream[tickItem], error) {
	return i.run(ctx, in)
}
func (i *tickImpl) One(ctx context.Context, in *tickIn) (*tickItem, error) { return i.one(ctx, in) }

// ticks yields the items after in.After, in.Count of them, with the text.
func ticks(text string) func(context.Context, *tickIn) (Stream[tickItem], error) {
	return func(_ context.Context, in *tickIn) (Stream[tickItem], error) {
		return func(yield func(*tickItem, error) bool) {
			var item tickItem // the same one for all
			for n := in.After + 1; n <= in.After+in.Count; n++ {
				if item = (tickItem{n, text}); !yield(&item, nil) {
					return
				}
			}
		}, nil
	}
}

// A tickLog keeps the log of a service, without times and stacks.
type tickLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *tickLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *tickLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

func (l *tickLog) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" {
			return slog.Attr{}
		}
		return a
	}}))
}

// tickService serves impl, by reflection or directly.
func tickService(t testing.TB, impl *tickImpl, direct bool, logger *slog.Logger) *Service {
	t.Helper()
	o := &Options{Name: "ticks", Logger: logger, Methods: map[string]MethodOptions{
		"All": {HTTP: "GET /ticks"},
		"Any": {HTTP: "GET /any"},
		"Run": {HTTP: "POST /ticks/run"},
		"One": {HTTP: "GET /one", Stream: StreamSSE},
	}}
	if direct {
		for name, caller := range map[string]DirectCall{
			"All": DirectStreamOut(tickAPI.All), "Any": DirectStreamOut(tickAPI.Any),
			"Run": DirectStream(tickAPI.Run), "One": Direct(tickAPI.One),
		} {
			m := o.Methods[name]
			m.Direct = caller
			o.Methods[name] = m
		}
	}
	s, err := Register[tickAPI](impl, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var quiet = slog.New(slog.DiscardHandler)

// Transports that answer once get all items in one record, within a limit.
func TestStreamCollected(t *testing.T) {
	for _, direct := range []bool{false, true} {
		s := tickService(t, &tickImpl{run: ticks(""), one: func(context.Context, *tickIn) (*tickItem, error) { return &tickItem{N: 5}, nil }}, direct, quiet)
		for _, test := range []struct {
			method string
			in     *tickIn
			items  int
			want   string // the beginning, or the error
		}{
			{"run", &tickIn{Count: 2}, 2, `{"items":[{"n":1},{"n":2}]}`},
			{"run", &tickIn{Count: 1, After: 8}, 1, `{"items":[{"n":9}]}`},
			{"run", &tickIn{}, 0, `{"items":[]}`},
			{"run", &tickIn{Count: 1000}, 1000, `{"items":[{"n":1},`},
			{"run", &tickIn{Count: 1001}, 1000, `RESOURCE_EXHAUSTED: the stream has more than 1000 items, which is as many as fit into one answer`},
			{"one", &tickIn{}, 1, `{"items":[{"n":5}]}`},
		} {
			t.Run(rowName(test.method, test.in.Count, "after", test.in.After, "direct", direct), func(t *testing.T) {
				m := s.names[methodName{"ticks", test.method}]
				out, err := runMethod(m, nil, test.in)
				if err != nil {
					t.Fatal(err)
				}
				seen := 0
				c := &call{method: m, ws: new(workspace)}
				err = c.collect(func(error) {}, out, func(n int) {
					if seen++; n != seen {
						t.Errorf("told of %d items after %d", n, seen)
					}
				})
				got := c.ws.enc.buf
				if err != nil {
					got = []byte(err.Error())
				}
				if !strings.HasPrefix(string(got), test.want) || seen != test.items {
					t.Errorf("%s with %+v: %.100s with %d items; want %d, %s", test.method, test.in, got, seen, test.items, test.want)
				}
				if err == nil && !json.Valid(got) {
					t.Errorf("%s with %+v: not JSON: %.100s", test.method, test.in, got)
				}
			})
		}
	}
}

// The record that has the items has a schema.
func TestStreamResultShape(t *testing.T) {
	s := tickService(t, &tickImpl{}, false, quiet)
	for _, test := range []struct{ method, want string }{
		{"run", `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer","format":"int64"},"text":{"type":"string"}},"required":["n"]},"maxItems":1000}},"required":["items"]}`},
	} {
		t.Run(test.method, func(t *testing.T) {
			m := s.names[methodName{"ticks", test.method}]
			got, err := json.Marshal(readSchema(appendBundle(nil, m.result, schemaWriter{})))
			var a, b any
			json.Unmarshal(got, &a)
			json.Unmarshal([]byte(test.want), &b)
			if err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s, %v; want %s", test.method, got, err, test.want)
			}
		})
	}
}

func TestStreamDescriptor(t *testing.T) {
	d := tickService(t, &tickImpl{}, false, quiet).Descriptor()
	for _, m := range d.Resources[0].Methods {
		want := "tickItem"
		if m.Name == "any" {
			want = "anyItem"
		}
		if m.Stream != StreamSSE || m.Output == nil || m.Output.Name != want {
			t.Errorf("%s: stream %q, output %+v", m.Name, m.Stream, m.Output)
		}
	}
	text, err := json.Marshal(d)
	if want := `"http":{"method":"GET","path":"/ticks"},"stream":"sse"}`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s, %v; want %s in it", text, err, want)
	}
}

// Call gives the stream itself; what intercepts the call sees it too.
func TestStreamCall(t *testing.T) {
	var seen []string
	s, err := Register[tickAPI](&tickImpl{run: ticks("x")}, &Options{Name: "ticks", Intercept: func(next InvokeFunc) InvokeFunc {
		return func(ctx context.Context, resource, method string, in any) (any, error) {
			out, err := next(ctx, resource, method, in)
			seen = append(seen, fmt.Sprintf("%s %T", method, out))
			return out, err
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Call(context.Background(), "ticks", "Run", &tickIn{Count: 2})
	stream, ok := out.(Stream[tickItem])
	if !ok || err != nil {
		t.Fatalf("Call = %T, %v", out, err)
	}
	var got []int
	for item, err := range stream {
		if err != nil {
			t.Error(err)
		}
		got = append(got, item.N)
	}
	if fmt.Sprint(got) != "[1 2]" || len(seen) != 1 || seen[0] != "run iter.Seq2[*example.com/svc.tickItem,error]" {
		t.Errorf("got %v, saw %q", got, seen)
	}
}

// A nil stream is an error of the method, and so is another type from an
// InvokeFunc.
func TestStreamMissing(t *testing.T) {
	for _, direct := range []bool{false, true} {
		s := tickService(t, &tickImpl{run: func(context.Context, *tickIn) (Stream[tickItem], error) { return nil, nil }}, direct, quiet)
		for _, in := range []struct {
			method string
			in     any
		}{{"all", nil}, {"run", &tickIn{}}} {
			t.Run(rowName(in.method, "direct", direct), func(t *testing.T) {
				if out, err := s.Call(context.Background(), "ticks", in.method, in.in); out != nil || CodeOf(err) != CodeInternal {
					t.Errorf("%s: %v, %v", in.method, out, err)
				}
			})
		}
	}
	s, err := Register[tickAPI](&tickImpl{run: ticks("")}, &Options{Intercept: func(InvokeFunc) InvokeFunc {
		return func(context.Context, string, string, any) (any, error) {
			return func(func(*tickItem, error) bool) {}, nil
		}
	}, Resource: "ticks"})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := s.Call(context.Background(), "ticks", "all", nil); out != nil || err == nil ||
		!strings.Contains(err.Error(), "instead of iter.Seq2[") {
		t.Errorf("%v, %v", out, err)
	}
}

// The rules of a run over a stream: it ends at the first error, consume is never
// called again, and yield says so for ever, from any goroutine.
func TestIterate(t *testing.T) {
	broken := errors.New("broken")
	item := &tickItem{N: 1}
	for _, test := range []struct {
		name   string
		stream Stream[tickItem]
		fail   int // the item at which consume fails
		items  int
		want   string
	}{
		{"empty", func(func(*tickItem, error) bool) {}, 0, 0, "<nil>"},
		{"two", func(yield func(*tickItem, error) bool) { yield(item, nil); yield(item, nil) }, 0, 2, "<nil>"},
		{"error", func(yield func(*tickItem, error) bool) { yield(item, nil); yield(nil, broken) }, 0, 1, "broken"},
		{"error with an item", func(yield func(*tickItem, error) bool) { yield(item, broken) }, 0, 0, "broken"},
		{"neither", func(yield func(*tickItem, error) bool) { yield(nil, nil) }, 0, 0, "the stream yielded neither an item nor an error"},
		{"goes on after an error", func(yield func(*tickItem, error) bool) {
			for range 9 {
				yield(nil, broken)
				yield(item, nil)
			}
		}, 0, 0, "broken"},
		{"goes on after its consumer failed", func(yield func(*tickItem, error) bool) {
			for range 9 {
				yield(item, nil)
			}
		}, 2, 2, "consumed enough"},
		{"panics", func(yield func(*tickItem, error) bool) { yield(item, nil); panic("oh") }, 0, 1, "panic: oh"},
		{"panics after an error", func(yield func(*tickItem, error) bool) { yield(nil, broken); panic("oh") }, 0, 0, "panic: oh"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, each := range []eachFunc{eachStreamItem[tickItem], reflectEach(reflect.TypeFor[Stream[tickItem]]())} {
				m := &method{methodOutput: methodOutput{each: each}}
				n := 0
				var canceled []error
				err := m.eachItem(func(err error) { canceled = append(canceled, err) }, test.stream, func(got any) error {
					if n++; got != any(item) {
						t.Errorf("%s: got %v", test.name, got)
					}
					if n == test.fail {
						return errors.New("consumed enough")
					}
					return nil
				})
				if fmt.Sprint(err) != test.want || n != test.items {
					t.Errorf("%s: %v after %d items; want %s after %d", test.name, err, n, test.want, test.items)
				}
				if err != nil && panicIn(err) == nil && (len(canceled) != 1 || canceled[0] != err) {
					t.Errorf("%s: canceled ctx with %v, want %v", test.name, canceled, err)
				}
			}
		})
	}
}

// A consumer that panics ends the run too, also where it runs on a goroutine of
// the stream's.
func TestIterateConsumerPanics(t *testing.T) {
	m := &method{methodOutput: methodOutput{each: eachStreamItem[tickItem]}}
	for _, value := range []any{"oh", http.ErrAbortHandler} {
		for _, stream := range []Stream[tickItem]{
			func(yield func(*tickItem, error) bool) { yield(new(tickItem), nil) },
			func(yield func(*tickItem, error) bool) {
				done := make(chan bool)
				go func() {
					defer close(done)
					yield(new(tickItem), nil)
				}()
				<-done
			},
		} {
			got := catch(func() {
				if err := m.eachItem(func(error) {}, stream, func(any) error { panic(value) }); panicIn(err) == nil || panicIn(err).Value != value {
					t.Errorf("iterate = %v", err)
				}
			})
			if want := value == http.ErrAbortHandler; (got != nil) != want || want && got != value {
				t.Errorf("panicked with %v for %v", got, value)
			}
		}
	}
}

// Iterators may yield from several goroutines, and some do so late: after the
// end yield reports false, where under a for-range loop it would panic.
func TestIterateFromManyGoroutines(t *testing.T) {
	for _, each := range []eachFunc{eachStreamItem[tickItem], reflectEach(reflect.TypeFor[Stream[tickItem]]())} {
		m := &method{methodOutput: methodOutput{each: each}}
		var late sync.WaitGroup
		release := make(chan bool)
		n, busy := 0, false
		err := m.eachItem(nil, Stream[tickItem](func(yield func(*tickItem, error) bool) {
			var now sync.WaitGroup
			for range 8 {
				now.Add(1)
				late.Add(1)
				go func() {
					defer late.Done()
					for range 100 {
						if !yield(new(tickItem), nil) {
							t.Error("refused an item before the end")
						}
					}
					now.Done()
					<-release
					if yield(new(tickItem), nil) || yield(nil, errors.New("late")) {
						t.Error("took an item after the end")
					}
				}()
			}
			now.Wait()
		}), func(any) error {
			if busy {
				t.Error("consumed two items at a time")
			}
			busy = true
			n++
			busy = false
			return nil
		})
		if n != 800 || err != nil {
			t.Errorf("consumed %d items, %v", n, err)
		}
		close(release)
		late.Wait()
	}
}

// A stream may be any named func of iter.Seq2's form.
type namedStream func(yield func(*tickItem, error) bool)

type shapesAPI interface {
	Named(context.Context) (namedStream, error)
	Iter(context.Context) (iter.Seq2[*tickItem, error], error)
	One(context.Context) (*tickItem, error)
	None(context.Context) error
}

type shapesImpl struct{}

func (shapesImpl) Named(context.Context) (namedStream, error) {
	return func(yield func(*tickItem, error) bool) { yield(&tickItem{N: 3}, nil) }, nil
}
func (shapesImpl) Iter(context.Context) (iter.Seq2[*tickItem, error], error) {
	return func(yield func(*tickItem, error) bool) { yield(&tickItem{N: 4}, nil) }, nil
}

func (shapesImpl) One(context.Context) (*tickItem, error) { return &tickItem{N: 5}, nil }
func (shapesImpl) None(context.Context) error             { return Errorf(CodeAborted, "none") }

func TestStreamShapes(t *testing.T) {
	s, err := Register[shapesAPI](shapesImpl{}, &Options{Resource: "s",
		Methods: map[string]MethodOptions{"Iter": {Direct: DirectStreamOut(shapesAPI.Iter)}, "One": {Direct: DirectOut(shapesAPI.One)},
			"None": {Direct: DirectNone(shapesAPI.None)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ path, want string }{
		{"/s/named", "id: 3\ndata: {\"n\":3}\n\n"},
		{"/s/iter", "id: 4\ndata: {\"n\":4}\n\n"},
		{"/s/one", `{"n":5}`},
		{"/s/none", `"message":"none"`},
	} {
		t.Run(test.path, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.REST().ServeHTTP(w, httptest.NewRequest("POST", test.path, nil))
			if !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%s: %d %q", test.path, w.Code, w.Body)
			}
		})
	}
}

type mistakesAPI interface {
	Func(context.Context) (iter.Seq2[tickItem, error], error)
	One(context.Context) (iter.Seq[*tickItem], error)
	Plain(context.Context) (iter.Seq2[*int, error], error)
	None(context.Context) error
	Record(context.Context) (*tickItem, error)
	Good(context.Context) (Stream[tickItem], error)
	GoodIn(context.Context, *tickIn) (Stream[tickItem], error)
}

type mistakesImpl struct{ mistakesAPI }

// Each mistake is named, with what would be right.
func TestStreamMistakes(t *testing.T) {
	_, err := Register[mistakesAPI](&mistakesImpl{}, &Options{Methods: map[string]MethodOptions{
		"None":   {Stream: StreamSSE},
		"Record": {Stream: "ws"},
		"Good":   {Direct: DirectStreamOut(tickAPI.All)},
		"GoodIn": {Direct: DirectStreamOut(mistakesAPI.Good)},
	}})
	if err == nil {
		t.Fatal("registered")
	}
	for _, want := range []string{
		`mistakesAPI.Func: the output is a iter.Seq2[example.com/svc.tickItem,error]; a stream is a svc.Stream[Out], which is an iter.Seq2[*Out, error], for a struct Out`,
		`mistakesAPI.One: the output is a iter.Seq[`,
		`mistakesAPI.Plain: the output is a iter.Seq2[`,
		`mistakesAPI.None: StreamSSE needs outputs, and the method has none`,
		`mistakesAPI.Record: the stream mode "ws" is unknown; there is StreamSSE, "sse"`,
		`mistakesAPI.Good: Direct has a method of svc.tickAPI, not of the interface; write DirectStreamOut(mistakesAPI.Good)`,
		`mistakesAPI.GoodIn: Direct has a function that is not the method GoodIn; write DirectStream(mistakesAPI.GoodIn)`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// Documents have the schema of an item as that of the media type, which is what
// generators of clients make typed streams from.
func TestStreamInOpenAPI(t *testing.T) {
	s := tickService(t, &tickImpl{}, false, quiet)
	for _, d := range []dialect{openAPI30, openAPI31} {
		doc := string(newAPIBuilder(&s.service, d, s.methodsIn(d), false).appendDocument(nil))
		if want := `"200":{"description":"` + s.methods[0].describeStream() + `","content":{"text/event-stream":{"schema":{"$ref":"#/components/schemas/tickItem"}}}}`; strings.Count(doc, want) != 3 {
			t.Errorf("the document lacks %s three times\n%s", want, doc)
		}
	}
}

// A largeTodo is in the documents of a large service.
type largeTodo struct {
	ID    string `json:"id"`
	Title string `json:"title" minLength:"1" doc:"What is to be done."`
}

// largeService returns a service of n methods, each with an input and an output
// of its own, as far as documents are concerned: reflection can make the types
// and not the methods.
func largeService(n int) *Service {
	p := new(mistakes)
	shapes := newShapes(p)
	s := &Service{service{opts: Options{Name: "Large", Version: "1"}, workspaces: new(sync.Pool)}}
	var methods []*method
	for i := range n {
		number := reflect.StructField{Name: fmt.Sprintf("Number%d", i), Type: reflect.TypeFor[int64](),
			Tag: `json:"number,omitempty" minimum:"1"`}
		in := reflect.StructOf([]reflect.StructField{
			{Name: "ID", Type: reflect.TypeFor[string](), Tag: `path:"id"`},
			{Name: "Title", Type: reflect.TypeFor[string](), Tag: `json:"title" minLength:"1"`},
			{Name: "Before", Type: reflect.TypeFor[*largeTodo](), Tag: `json:"before,omitempty"`},
			number,
		})
		out := reflect.StructOf([]reflect.StructField{
			{Name: "ID", Type: reflect.TypeFor[string](), Tag: `json:"id"`},
			{Name: "Items", Type: reflect.TypeFor[[]largeTodo](), Tag: `json:"items"`},
			number,
		})
		methods = append(methods, &method{
			config:       &config{iface: reflect.TypeFor[any]()},
			goName:       fmt.Sprintf("Update%d", i),
			name:         fmt.Sprintf("update%d", i),
			resource:     fmt.Sprintf("r%d", i),
			route:        route{verb: http.MethodPut, path: fmt.Sprintf("/r%d/{id}", i), placeholders: []string{"id"}},
			in:           shapes.shapeFor(in, "in"),
			methodOutput: methodOutput{out: shapes.shapeFor(out, "out"), outType: reflect.PointerTo(out)},
		})
		methods[i].result = methods[i].out
	}
	for _, t := range shapes.all {
		if t.kind == kindObject && t.typ.Name() == "" { // StructOf makes types without names
			shapes.named = append(shapes.named, t)
		}
	}
	shapes.finishShapes()
	s.methods, s.types = methods, shapes.named
	s.typeNames = make(map[*shape]string)
	for i, t := range s.types {
		s.typeNames[t] = fmt.Sprintf("Type%d", i)
	}
	d := newDecoders(p, false)
	for _, m := range methods {
		m.bind = compileBinding(d, m.in, m.route)
	}
	if err := p.err("register oaAPI"); len(p.list) > 0 {
		panic(err)
	}
	return s
}

// BenchmarkDocuments makes the documents of 1,000 methods and 2,000 types, and serves one.
func BenchmarkDocuments(b *testing.B) {
	s := largeService(1000)
	openAPI := func(d dialect) int {
		return len(newAPIBuilder(&s.service, d, s.methodsIn(d), false).appendDocument(nil))
	}
	for _, document := range []struct {
		name string
		size func() int
	}{
		{"OpenAPI 3.0", func() int { return openAPI(openAPI30) }},
		{"OpenAPI 3.1", func() int { return openAPI(openAPI31) }},
		{"OpenRPC", func() int { return len(buildOpenRPC(&s.service)) }},
		{"page", func() int {
			return len(newDocsWriter(&s.service, DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp"}).renderPage())
		}},
		{"Markdown", func() int { return len(newDocsWriter(&s.service, DocsOptions{REST: "."}).renderMarkdown()) }},
		{"tools", func() int { return s.newMCPHandler(nil).lists["tools/list"].size }},
		{"contract", func() int { return len(s.Contract()) }},
	} {
		b.Run(document.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				b.SetBytes(int64(document.size()))
			}
		})
	}
	b.Run("serve", func(b *testing.B) {
		h := s.OpenAPI()
		r := httptest.NewRequest("GET", "/openapi.json", nil)
		h.ServeHTTP(httptest.NewRecorder(), r) // makes the document
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
}

// A keyedOut is an output that is read from its record.
type keyedOut struct {
	A int               `json:"a,omitempty"`
	B Optional[string]  `json:"b,omitzero"`
	C []keyedBase       `json:"c,omitempty"`
	D map[string]any    `json:"d,omitempty"`
	H string            `json:"-" header:"X-H,omitempty"`
	J map[string]string `json:"j"`
	keyedBase
}

// Fuzz the reader of the header. The oracle reads a structured string by the steps of RFC
// 8941, section 4.2.5.
func FuzzIdempotencyKey(f *testing.F) {
	for _, text := range []string{"abc", `"abc"`, `"a\"b\\"`, `"`, `""`, `"a"b`, `"a\`, "a b", "\x7f", strings.Repeat("a", 256)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, ok := text, true
		if strings.HasPrefix(text, `"`) {
			want, ok = "", false
			for i := 1; i < len(text) && !ok; i++ {
				switch {
				case text[i] == '"':
					ok = i == len(text)-1
					i = len(text)
				case text[i] != '\\':
					want += text[i : i+1]
				case i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
					i++
					want += text[i : i+1]
				default:
					i = len(text)
				}
			}
		}
		ok = ok && want != "" && len(want) <= 255 && !strings.ContainsFunc(want, func(r rune) bool { return r < '!' || r > '~' })
		c, d := call{method: &method{key: new(keyPlan)}}, new(decoder)
		c.readKey(d, "", []string{text})
		if ok != (d.wrongKey == nil) || ok && c.keyed.key != want {
			t.Errorf("%q: %v, %v; want %q, %v", text, c.keyed, d.wrongKey, want, ok)
		}
	})
}

// Fuzz the reader of records: whatever a store returns gives an output or an error for the
// client, and a record of svc is read as it was written.
func FuzzRecord(f *testing.F) {
	m, input := keyedPlan[keyedBase, keyedOut](f), "input"
	whole, _, err := m.key.writeRecord(input, &keyedOut{A: 1, H: "h", keyedBase: keyedBase{true}},
		&headerChanges{Set: http.Header{"Link": {"a"}}})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{string(whole), "", "{}", "[]", `{"version":1}`, `{"version":4}`,
		`{"version":3,"method":"notes.create","input":"input","output":{}}`, string(whole[:len(whole)-2]), "\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		out, header, err := m.key.readRecord(record, input)
		if err != nil {
			if code := CodeOf(err); code != CodeUnavailable && code != CodeInvalidArgument {
				t.Errorf("%q: %v", record, err)
			}
			return
		}
		again, read, err := m.key.writeRecord(input, out, header)
		if err != nil {
			t.Fatalf("%q: %v", record, err)
		}
		if twice, _, err := m.key.writeRecord(input, read, header); err != nil || string(twice) != string(again) { // a nil list is written as []
			t.Errorf("%q: written as %q, and again as %q, %v", record, again, twice, err)
		}
		if string(record) == string(whole) && (string(again) != string(record) || out.(*keyedOut).H != "h") {
			t.Errorf("%q is read as %+v", record, out)
		}
	})
}
