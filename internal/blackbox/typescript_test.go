package blackbox_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// This file is the client in TypeScript as a text. interop/typescript compiles and runs it.

// getClient returns what the handler of a service answers.
func getClient(s *svc.Service, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.TypeScript().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// ownPart returns the part of a client that is written for the service: without the first comment,
// and without the runtime.
func ownPart(t *testing.T, client []byte) []byte {
	t.Helper()
	_, text, _ := bytes.Cut(client, []byte(" */\n"))
	runtime, err := readText(root("typescript_runtime.txt"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(runtime, []byte("\n"))
	own, _, ok := bytes.Cut(text, append([]byte("\n"), first...))
	if !ok {
		t.Fatalf("the client has no line %s", first)
	}
	return append(own, '\n')
}

type (
	clientTodo struct {
		ID      string    `json:"id" doc:"Given by the server."`
		Title   string    `json:"title"`
		Done    bool      `json:"done"`
		Made    time.Time `json:"made"`
		ETag    string    `json:"-" header:"ETag"`
		Cookies []string  `json:"-" header:"Set-Cookie"`
	}
	clientTodos  []clientTodo
	clientCreate struct {
		Title string `json:"title" minLength:"1" maxLength:"200" example:"Buy milk"`
		Place struct {
			City string  `json:"city" maxLength:"9"`
			Lat  float64 `json:"lat" minimum:"-90" maximum:"90"`
		} `json:"place"`
		Account string `json:"-" header:"X-Account,omitempty"`
		Session string `json:"-" cookie:"session,omitempty"`
	}
	clientUpdate struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		IfMatch string `json:"ifMatch,omitempty" doc:"A member of the body."`
		Match   string `json:"-" header:"If-Match,omitempty" doc:"A header."`
	}
	clientClash struct {
		ID     string `json:"id"`
		Eq     string `json:"xCount"`
		XCount int    `json:"-" header:"X-Count,omitempty"`
	}
	clientWatch struct {
		After string `json:"after,omitempty" header:"Last-Event-ID"`
	}
	clientID struct {
		ID int64 `json:"id" minimum:"1"`
	}
	clientUpload struct {
		ID    int64    `json:"id"`
		Photo svc.Body `contentType:"image/png,image/jpeg" maxBytes:"10485760"`
	}
	clientPage struct {
		svc.PageQuery
		Tags []string `json:"tags,omitempty" query:"tag"`
	}
	clientFeed   struct{ svc.CursorQuery }
	clientSearch struct {
		svc.CursorQuery
		Text string `json:"text"`
	}
	// ClientAPI has a method of each kind.
	clientAPI interface {
		Create(context.Context, *clientCreate) (*clientTodo, error)
		Get(context.Context, *clientID) (*clientTodo, error)
		Update(context.Context, *clientUpdate) (*clientTodo, error)
		Count(context.Context, *clientClash) (*clientClash, error)
		Delete(context.Context, *clientID) error
		All(context.Context) (*clientTodos, error)
		List(context.Context, *clientPage) (*svc.PageResponse[clientTodo], error)
		Feed(context.Context, *clientFeed) (*svc.CursorResponse[clientTodo], error)
		Search(context.Context, *clientSearch) (*svc.CursorResponse[clientTodo], error)
		Watch(context.Context, *clientWatch) (svc.Stream[clientEvent], error)
		SetPhoto(context.Context, *clientUpload) error
		GetPhoto(context.Context, *clientID) (*svc.File, error)
		Internal(context.Context, *clientID) error
	}
	clientEvent struct {
		N int `json:"n"`
	}
	clientProblem struct {
		Title string `json:"title"`
	}
)

func (*clientEvent) SSE() svc.Event { return svc.Event{ID: "1"} }

// clientImpl has the methods of clientAPI, which are never called.
type clientImpl struct{ clientAPI }

func newClientService(change func(*svc.Options)) *svc.Service {
	full := svc.Errorf(svc.CodeFailedPrecondition, "the list is full").WithReason("list_full")
	opts := &svc.Options{
		Name: "Todos", Description: "A list of things to do.", Resource: "todos",
		Schemes: []svc.Scheme{{Type: "apiKey", Header: "X-Api-Key"}},
		Idempotency: &svc.Idempotency{Run: func(ctx context.Context, _ string, do func(context.Context) ([]byte, error)) ([]byte, error) {
			return do(ctx)
		}},
		ErrorForm: svc.NewErrorForm(func(e *svc.Error) *clientProblem { return &clientProblem{e.Message} }, func(p *clientProblem) *svc.Error {
			return svc.Errorf(svc.CodeUnknown, "%s", p.Title)
		}),
		Methods: map[string]svc.MethodOptions{
			"Create":   {IdempotencyKey: svc.KeyAllowed, Errors: []*svc.Error{full, svc.Errorf(svc.CodeAlreadyExists, "it is there")}, Description: "Add a todo."},
			"Count":    {HTTP: "POST /todos/{id}/count"},
			"Get":      {Public: true},
			"All":      {HTTP: "GET /todos/all", Deprecated: true},
			"Feed":     {HTTP: "GET /todos/feed"},
			"Search":   {HTTP: "QUERY /todos/search"},
			"Watch":    {HTTP: "GET /todos/watch"},
			"SetPhoto": {HTTP: "PUT /todos/{id}/photo", Resource: "todo-photos", Scopes: []string{"photos:write"}},
			"GetPhoto": {HTTP: "GET /todos/{id}/photo", Resource: "todo-photos"},
			"Internal": {Transports: []svc.Transport{svc.TransportRPC}},
		},
	}
	if change != nil {
		change(opts)
	}
	return svc.MustRegister[clientAPI](clientImpl{}, opts)
}

func TestTypeScriptGolden(t *testing.T) {
	for name, s := range map[string]*svc.Service{
		"kitchen": kitchen.Both(), "todos": newClientService(nil), "forms": newForms(), "hostile": newHostile(),
		"unions": svc.MustRegister[UnionAPI](unionImpl{}, unionOptions()), "statuses": choosingService(new(int)), "headers": blobService(),
	} {
		for _, ext := range []string{".ts", ".js"} {
			t.Run(name+ext, func(t *testing.T) {
				golden(t, "typescript/"+name+ext, ownPart(t, getClient(s, "/client"+ext).Body.Bytes()))
			})
		}
	}
}

// Verify that the client knows which forms of errors have a member error, as the envelope has.
func TestTypeScriptForms(t *testing.T) {
	type nested struct {
		Error clientProblem `json:"error"`
	}
	form := svc.NewErrorForm(func(e *svc.Error) *nested { return &nested{clientProblem{e.Message}} }, nil)
	for name, test := range map[string]struct {
		form *svc.ErrorForm
		want string
	}{
		"flat":   {svc.NewErrorForm(func(e *svc.Error) *clientProblem { return &clientProblem{e.Message} }, nil), "\n  form: true,\n"},
		"nested": {form, "\n  form: \"error\",\n"},
		"none":   {nil, "export type Form = undefined;\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newClientService(func(o *svc.Options) { o.ErrorForm = test.form })
			if text := getClient(s, "/client.ts").Body.String(); !strings.Contains(text, test.want) {
				t.Errorf("client.ts lacks %q", test.want)
			}
		})
	}
}

// Names and texts that try to become code. Each has the word pwned, or is a word of the language.
type (
	Response struct {
		Proto  string            `json:"__proto__" maxLength:"3"`
		Make   string            `json:"constructor" enum:"*/ pwned,${pwned},</script>,'pwned"`
		End    string            `json:"*/ pwned()" default:"*/ pwned" example:"${pwned}"`
		Script string            `json:"</script>" doc:"*/ pwned() </script> @ts-ignore" pattern:"^[*]/$" patternHint:"*/ pwned"`
		Quote  string            `json:"delete" doc:"'\"; pwned() // "`
		Map    map[string]string `json:"a/b~c"`
		Await  hostileEnum       `json:"await"`
	}
	Promise struct {
		ID     string `json:"class" path:"id"`
		Header string `json:"-" header:"X-Pwned,omitempty"`
	}
	hostileEnum string
	HostileAPI  interface {
		Delete(context.Context, *Promise) (*Response, error)
		Await(context.Context, *Response) (*Response, error)
		Constructor(context.Context) error
	}
	hostileImpl struct{ HostileAPI }
)

func (hostileEnum) Enum() []hostileEnum {
	return []hostileEnum{"*/ pwned", "`${pwned}`", "\"; pwned()", "</script>pwned", "\u2028pwned", "‹pwned›", "\\"}
}

func (hostileEnum) EnumTitles() []string {
	return []string{"*/ pwned", "@ts-ignore", "‹pwned›", "</script>", "a\nb", "c", "d"}
}

func newHostile() *svc.Service {
	bad := "*/ pwned() /* ‹pwned› </script> `${pwned}`\n@ts-ignore\n* @ts-nocheck"
	return svc.MustRegister[HostileAPI](hostileImpl{}, &svc.Options{
		Name: bad, Description: bad, Resource: "__proto__", Methods: map[string]svc.MethodOptions{
			"Delete":      {Description: bad, HTTP: "DELETE /pw%7Bned/*$'/{id}", Errors: []*svc.Error{svc.Errorf(svc.CodeNotFound, "%s", bad)}},
			"Constructor": {Description: "@ts-ignore pwned", Resource: "constructor", HTTP: "POST /constructor", Deprecated: true},
		},
	})
}

// scriptCode returns what of a module is neither a comment nor in a string.
func scriptCode(module string) string {
	return regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"`).ReplaceAllString(module, `""`)
}

func TestTypeScriptHostile(t *testing.T) {
	for _, path := range []string{"/client.ts", "/client.js"} {
		t.Run(strings.TrimPrefix(path, "/"), func(t *testing.T) {
			text := string(ownPart(t, getClient(newHostile(), path).Body.Bytes()))
			code := scriptCode(text)
			for line := range strings.Lines(code) {
				if strings.Contains(line, "pwned") || strings.ContainsAny(line, "`'‹›") {
					t.Errorf("a text is code: %s", line)
				}
			}
			if lower := strings.ToLower(text); strings.Contains(lower, "</script") || strings.Contains(text, "\u2028") || regexp.MustCompile(`(?m)^[ /*]*@ts`).MatchString(text) {
				t.Error("a text ends the script element or the line, or begins a tag")
			}
			if strings.Contains(text, "{ __proto__:") || strings.Contains(text, "\n    __proto__: {\n      ") || strings.Contains(text, `"__proto__": {`) {
				t.Error("__proto__ is the prototype of an object")
			}
		})
	}
}

func TestTypeScriptServed(t *testing.T) {
	for _, test := range []struct{ path, contentType string }{
		{"/client.ts", "text/typescript; charset=utf-8"}, {"/any/path", "text/typescript; charset=utf-8"}, {"/client.js", "text/javascript; charset=utf-8"},
	} {
		t.Run(rowName(test.path), func(t *testing.T) {
			w := getClient(newClientService(nil), test.path)
			if got := w.Header().Get("Content-Type"); w.Code != 200 || got != test.contentType || w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("got %d with %v", w.Code, w.Header())
			}
			first, rest, _ := strings.Cut(w.Body.String(), " */\n")
			if sum := sha256.Sum256([]byte(rest)); !strings.HasPrefix(first, "/**\n * sha256-"+hex.EncodeToString(sum[:16])+" ") {
				t.Errorf("the first comment does not have the digest of what follows: %s", first)
			}
			again := getClient(newClientService(nil), test.path)
			if !bytes.Equal(again.Body.Bytes(), w.Body.Bytes()) || again.Header().Get("ETag") != w.Header().Get("ETag") {
				t.Error("another service of the same methods has another text")
			}
			for _, ask := range []struct {
				verb   string
				header http.Header
				status int
			}{{"GET", http.Header{"If-None-Match": {w.Header().Get("ETag")}}, 304}, {"HEAD", nil, 200}, {"POST", nil, 405}} {
				r := httptest.NewRequest(ask.verb, test.path, nil)
				for name, values := range ask.header {
					r.Header[name] = values
				}
				w := httptest.NewRecorder()
				newClientService(nil).TypeScript().ServeHTTP(w, r)
				if w.Code != ask.status {
					t.Errorf("%s: got %d, want %d", ask.verb, w.Code, ask.status)
				}
			}
		})
	}
}

// A prefix and a joined service are in the paths.
func TestTypeScriptAt(t *testing.T) {
	text := getClient(newClientService(nil).At("/v1"), "/client.ts").Body.String()
	if !strings.Contains(text, `get: { route: "GET /v1/todos/{id}"`) {
		t.Error("the path has no prefix")
	}
}

// The key goes where its scheme says. A browser sends cookies itself.
func TestTypeScriptKey(t *testing.T) {
	for _, test := range []struct {
		name, want string
		schemes    []svc.Scheme
	}{
		{"in a header", `apiKey: { header: "X-Api-Key" }`, []svc.Scheme{{Type: "bearer"}, {Type: "apiKey", Header: "X-Api-Key"}}},
		{"in the query", `apiKey: { query: "key" }`, []svc.Scheme{{Type: "apiKey", Query: "key"}}},
		{"in a cookie", "", []svc.Scheme{{Type: "apiKey", Cookie: "sid"}}},
		{"in a cookie, or a header", `apiKey: { header: "X-Api-Key" }`, []svc.Scheme{{Type: "apiKey", Cookie: "sid"}, {Type: "apiKey", Header: "X-Api-Key"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := string(ownPart(t, getClient(newClientService(func(o *svc.Options) { o.Schemes = test.schemes }), "/client.js").Body.Bytes()))
			if got := regexp.MustCompile("apiKey: [^\n]*}").FindString(text); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Types that share types: all places of share12 together are 2^11.
func TestTypeScriptSharesTypes(t *testing.T) {
	text := getClient(svc.MustRegister[nestingAPI](nestingImpl{}, nil), "/client.ts").Body.String()
	if len(text) > 100_000 {
		t.Errorf("the client has %d bytes", len(text))
	}
}

type (
	share1  struct{ Left, Right share2 }
	share2  struct{ Left, Right share3 }
	share3  struct{ Left, Right share4 }
	share4  struct{ Left, Right share5 }
	share5  struct{ Left, Right share6 }
	share6  struct{ Left, Right share7 }
	share7  struct{ Left, Right share8 }
	share8  struct{ Left, Right share9 }
	share9  struct{ Left, Right share10 }
	share10 struct{ Left, Right share11 }
	share11 struct{ Left, Right share12 }
	share12 struct {
		Name string `minLength:"1"`
	}
	nestingAPI interface {
		Create(context.Context, *share1) (*share1, error)
	}
	nestingImpl struct{ nestingAPI }
)

func TestCheckClient(t *testing.T) {
	s := newClientService(nil)
	current := getClient(s, "/client.ts").Body.String()
	for _, test := range []struct {
		name, file, text string
		update           bool
		want, after      string
	}{
		{"current", "client.ts", current, false, "", current},
		{"current, of Windows", "client.ts", strings.ReplaceAll(current, "\n", "\r\n"), false, "", ""},
		{"missing", "client.ts", "", false, "is missing", ""},
		{"behind", "client.ts", "// old\n", false, "has another text now", "// old\n"},
		{"behind, with update", "client.ts", "// old\n", true, "", current},
		{"missing, with update", "client.ts", "", true, "", current},
		{"in a new folder", "web/src/client.ts", "", true, "", current},
		{"without types", "client.js", "", true, "", getClient(s, "/client.js").Body.String()},
		{"without types, behind", "client.js", current, false, "has another text now", current},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), filepath.FromSlash(test.file))
			if test.text != "" {
				if err := os.WriteFile(file, []byte(test.text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			r := new(clientReport)
			svc.CheckClient(r, s, file, test.update)
			if got := r.String(); test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got, _ := os.ReadFile(file); test.after != "" && string(got) != test.after {
				t.Errorf("the file has another text")
			}
		})
	}
}

// A clientReport is a TestingT that keeps what it is told.
type clientReport struct{ strings.Builder }

func (*clientReport) Helper()                             {}
func (r *clientReport) Errorf(format string, args ...any) { fmt.Fprintf(r, format, args...) }
func (r *clientReport) Fatalf(format string, args ...any) { fmt.Fprintf(r, format, args...) }

// A page of another origin can read the headers of an output.
func TestOutputHeadersExposed(t *testing.T) {
	for _, test := range []struct {
		name    string
		options *svc.CORSOptions
		want    string
	}{
		{"by default", &svc.CORSOptions{AllowedOrigins: []string{"*"}}, strings.TrimPrefix(corsExpose, "Expose-Headers: ") + ", X-Count, X-Ratio, X-Done, X-Wait"},
		{"by a list", &svc.CORSOptions{AllowedOrigins: []string{"*"}, ExposedHeaders: []string{"X-Count"}}, "X-Count"},
		{"by an empty list", &svc.CORSOptions{AllowedOrigins: []string{"*"}, ExposedHeaders: []string{}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/sinks/made", nil)
			r.Header.Set("Origin", "https://app.example")
			w := httptest.NewRecorder()
			svc.CORS(test.options)(kitchen.Sink(false).REST()).ServeHTTP(w, r)
			if got := w.Header().Get("Access-Control-Expose-Headers"); w.Code != 200 || got != test.want {
				t.Errorf("got %d with %q, want %q", w.Code, got, test.want)
			}
		})
	}
}
