// Command jsonsuite puts every text of the JSON parsing test suite into every
// place where svc reads JSON. The texts come from a package, as a JSON file of
// names and inputs, and are no part of this repository.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"

	"example.com/svc"
)

// API is what is asked: one method takes anything, one something.
type API interface {
	Echo(context.Context, *Value) (*Value, error)
	Create(context.Context, *Item) (*Item, error)
}

type Value struct {
	Value any `json:"value"`
}

type Item struct {
	Title string `json:"title"`
}

type impl struct{ calls int }

func (i *impl) Echo(_ context.Context, in *Value) (*Value, error) { i.calls++; return in, nil }
func (i *impl) Create(_ context.Context, in *Item) (*Item, error) { i.calls++; return in, nil }

// A text is one file of the suite. Its name begins with y if it must be read, n
// if it must not, and something else if parsers differ.
type text struct{ Name, Input string }

// bytes returns the file as it was. The package has characters where the file
// has bytes that are not UTF-8; any such byte serves.
func (t text) bytes() string {
	if t.expected() == "y" {
		return t.Input
	}
	return strings.ReplaceAll(t.Input, "\ufffd", "\xff")
}

// expected returns y or n where svc has no choice. It uses the one it has: the
// suite lets a name come twice, and svc does not (RFC 7493, section 2.3).
func (t text) expected() string {
	switch {
	case strings.HasPrefix(t.Name, "y_object_duplicated_key"):
		return "n"
	case strings.HasPrefix(t.Name, "y_"), strings.HasPrefix(t.Name, "n_"):
		return t.Name[:1]
	}
	return "either"
}

// A place is where a text goes into a request.
type place struct {
	name, path    string
	before, after string
	// read returns whether an answer says that the text was read as JSON, and
	// whether the answer is in order at all.
	read func(status int, body string) (read, sound bool)
	// value returns what came back, or nil if nothing does.
	value func(body string) any
}

var places = []place{
	{"REST, any value", "/api/echo", `{"value":`, `}`, restRead, member("value")},
	{"REST, body", "/api", "", "", restRead, nil},
	{"REST, ignored member", "/api", `{"title":"a","x":`, `}`, restRead, nil},
	{"JSON-RPC, body", "/rpc", "", "", rpcRead, nil},
	{"JSON-RPC, params", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"api.echo","params":{"value":`, `}}`, rpcRead, member("result", "value")},
	{"JSON-RPC, second of a batch", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"api.create","params":{"title":"a"}},`, `]`, rpcRead, nil},
}

func restRead(status int, body string) (read, sound bool) {
	rules := rulesOf(body)
	syntax := rules == "syntax" || rules == "duplicate"
	empty := strings.Contains(body, "a JSON body is required")
	return status == 200 || status == 400 && !syntax && !empty, status == 200 || status == 400 && rules != ""
}

func rpcRead(status int, body string) (read, sound bool) {
	parse := strings.Contains(body, `"code":-32700`)
	return !parse, status == 200 && strings.Contains(body, `"jsonrpc":"2.0"`) && (!parse || strings.HasSuffix(strings.TrimSpace(body), `"id":null}`)) || status == 204 && body == ""
}

// rulesOf returns what the violations of an envelope are against.
func rulesOf(body string) string {
	var e struct {
		Error struct {
			Details struct{ Violations []struct{ Rule string } }
		}
	}
	if json.Unmarshal([]byte(body), &e) != nil {
		return ""
	}
	var rules []string
	for _, v := range e.Error.Details.Violations {
		rules = append(rules, v.Rule)
	}
	return strings.Join(rules, " ")
}

// member returns a function that finds the member at a path of names.
func member(names ...string) func(string) any {
	return func(body string) any {
		var v any
		if json.Unmarshal([]byte(body), &v) != nil {
			return nil
		}
		for _, name := range names {
			object, _ := v.(map[string]any)
			v = object[name]
		}
		return v
	}
}

// check returns what is wrong with what h does with t at p, or "".
func (p place) check(h http.Handler, i *impl, t text) string {
	i.calls = 0
	r := httptest.NewRequest("POST", p.path, strings.NewReader(p.before+t.bytes()+p.after))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	read, sound := p.read(w.Code, w.Body.String())
	switch want := t.expected(); {
	case !sound:
		return "the answer is not in order"
	case want == "n" && read:
		return "was read"
	case want == "y" && !read:
		return "was not read"
	case !read && i.calls > 0:
		return "called a method"
	case want == "y" && p.value != nil:
		var v any
		if err := json.Unmarshal([]byte(t.bytes()), &v); err != nil {
			return err.Error()
		}
		if got := p.value(w.Body.String()); !reflect.DeepEqual(got, v) {
			return fmt.Sprintf("came back as %v", got)
		}
	}
	return ""
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: jsonsuite suite.json")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var texts []text
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	count := make(map[string]int)
	for _, t := range texts {
		count[t.expected()]++
	}
	if count["n"] < 188 || count["y"] < 93 || count["either"] < 57 {
		return fmt.Errorf("this is not the whole suite: %v", count)
	}

	i := new(impl)
	s, err := svc.Register[API](i, &svc.Options{Resource: "api", Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/", s.REST())
	bad := 0
	for _, p := range places {
		for _, t := range texts {
			if wrong := p.check(mux, i, t); wrong != "" {
				bad++
				fmt.Printf("%s: %s (%.60q): %s\n", p.name, t.Name, t.Input, wrong)
			}
		}
	}
	fmt.Printf("%d texts in %d places: %d to refuse, %d to read, %d as one likes; %d wrong\n",
		len(texts), len(places), count["n"], count["y"], count["either"], bad)
	if bad > 0 {
		return fmt.Errorf("%d answers are wrong", bad)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "jsonsuite:", err)
		os.Exit(1)
	}
}
