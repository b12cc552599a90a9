// Command page serves the pages that check.mjs opens, each below a prefix that it
// strips before the handlers see the path:
//
//	/app/deep/  the template, which runs as a process of its own: its address is the first argument
//	/tokens/    the template with TODO_TOKENS, whose address is the second argument
//	/sink/      a service that uses everything, with that of extras
//	/many/      a service with 500 methods, with that of extras
//	/hostile/   a service whose texts try to be something else than text
//	/files/     a service with files, and a page of its own that uses them
//	/forms/     a service with forms, and a page of its own that has some
//	/secret/    a service that wants a bearer token, or a user and a password
//	/keys/      a service whose calls can be sent again with an idempotency key
//	/read/      a page that may not call anything
//	/general/   the page with the document of general.json, which has what svc does not write
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

var quiet = slog.New(slog.DiscardHandler)

func main() {
	mux := http.NewServeMux()
	mount(mux, "/app/deep", proxy(os.Args[1]))
	mount(mux, "/tokens", proxy(os.Args[2]))
	mount(mux, "/sink", bearer(pages(svc.Join("Both", kitchen.Sink(false), kitchen.Second().At("/v2"), extras()), &svc.DocsOptions{REST: "./", RPC: "rpc", MCP: "./mcp", OpenAPI: "./openapi.json"})))
	mount(mux, "/many", bearer(pages(many(), all)))
	mount(mux, "/hostile", known(pages(hostile(), all)))
	mount(mux, "/files", photos())
	mount(mux, "/forms", forms())
	mount(mux, "/secret", guard(pages(secret(), all)))
	mount(mux, "/keys", pages(keys(), all))
	mount(mux, "/general", general())
	mount(mux, "/read", pages(kitchen.Sink(false), nil))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}

var all = &svc.DocsOptions{REST: ".", RPC: "rpc", MCP: "mcp", OpenAPI: "openapi.json"}

// proxy returns a handler that passes requests to another process.
func proxy(address string) http.Handler {
	target, err := url.Parse(address)
	if err != nil {
		log.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1 // streams
	proxy.ErrorLog = log.New(discard{}, "", 0)
	return proxy
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// mount puts a handler below a prefix, as a proxy does that strips it.
func mount(mux *http.ServeMux, prefix string, handler http.Handler) {
	mux.Handle(prefix+"/", http.StripPrefix(prefix, handler))
}

// pages returns the page of s with all that it can call.
func pages(s *svc.Service, opts *svc.DocsOptions) http.Handler {
	mux := http.NewServeMux()
	docs := s.Docs(opts)
	mux.Handle("/{$}", docs)
	mux.Handle("/llms.txt", docs)
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("/openapi.json", s.OpenAPI())
	mux.Handle("/", s.REST())
	return mux
}

// An Item is what the methods of many take and return.
type Item struct {
	ID    string   `json:"id" doc:"What it is found by."`
	Name  string   `json:"name" minLength:"1" maxLength:"80" example:"lamp"`
	Size  int32    `json:"size,omitempty" minimum:"1" maximum:"100"`
	Tags  []string `json:"tags,omitempty" maxItems:"5"`
	Ratio *float64 `json:"ratio,omitempty"`
}

type ItemID struct {
	ID string `json:"id"`
}

type ItemAPI interface {
	Create(context.Context, *Item) (*Item, error)
	Get(context.Context, *ItemID) (*Item, error)
	Update(context.Context, *Item) (*Item, error)
	Delete(context.Context, *ItemID) error
	List(context.Context) (*Item, error)
}

type itemService struct{}

func (itemService) Create(_ context.Context, in *Item) (*Item, error) { return in, nil }
func (itemService) Get(_ context.Context, in *ItemID) (*Item, error) {
	return &Item{ID: in.ID, Name: "lamp"}, nil
}
func (itemService) Update(_ context.Context, in *Item) (*Item, error) { return in, nil }
func (itemService) Delete(context.Context, *ItemID) error             { return nil }
func (itemService) List(context.Context) (*Item, error)               { return &Item{Name: "lamp"}, nil }

// many returns a service with 500 methods.
func many() *svc.Service {
	var parts []*svc.Service
	for i := range 100 {
		parts = append(parts, svc.MustRegister[ItemAPI](itemService{}, &svc.Options{Name: fmt.Sprint("Part ", i), Resource: fmt.Sprintf("things_%d", i), Logger: quiet,
			Methods: map[string]svc.MethodOptions{"Get": {Description: fmt.Sprintf("Gets thing number %d of its kind.", i)}}}))
	}
	return svc.Join("Many", append(parts, extras())...)
}

// ExtraAPI has what the other services of this program lack: methods that need
// a scope, and a stream that does not end by itself.
type ExtraAPI interface {
	Tick(context.Context, *Tick) (svc.Stream[Item], error)
	Rename(context.Context, *Rename) (*Rename, error)
	Purge(context.Context) error
}

type Tick struct {
	Count int `json:"count,omitempty" minimum:"1" doc:"After how many ticks the stream ends. Without it, it does not."`
}

// Rename has a type with values of its own, rules for the items of lists, a value that
// can be null, and patterns and bounds that are not for readers.
type Rename struct {
	ID    string               `json:"id" path:"id"`
	Name  string               `json:"name" minLength:"1" maxLength:"80" example:"lamp"`
	Mood  Mood                 `json:"mood,omitempty"`
	Moods []Mood               `json:"moods,omitempty" maxItems:"2"`
	Codes []string             `json:"codes,omitempty" pattern:"^[A-Z]+$"`
	Note  svc.Optional[string] `json:"note,omitzero" minLength:"2"`
	Token string               `json:"-" header:"X-Note,omitempty" doc:"A word."`
	Plate string               `json:"plate,omitempty" pattern:"^[A-Z]{2}[0-9]{3}$" patternHint:"two capital letters and three digits" maxLength:"5"`
	Wait  time.Duration        `json:"wait,omitempty"`
	Age   int32                `json:"age,omitempty"`
	Size  int32                `json:"size,omitempty" minimum:"1"`
	Count int64                `json:"count,string,omitempty"`
	Rank  int                  `json:"rank,omitempty" enum:"1,2" doc:"How rare.\n\n- 1: for all\n- 2: for few"`
}

type Mood string

func (Mood) Enum() []Mood { return []Mood{"calm", "wild"} }

type extra struct{}

func (extra) Tick(ctx context.Context, in *Tick) (svc.Stream[Item], error) {
	return func(yield func(*Item, error) bool) {
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(50 * time.Millisecond):
				if !yield(&Item{ID: fmt.Sprint(n), Name: "tick"}, nil) || n == in.Count {
					return
				}
			}
		}
	}, nil
}
func (extra) Rename(_ context.Context, in *Rename) (*Rename, error) { return in, nil }
func (extra) Purge(context.Context) error                           { return nil }

// extras returns a service with the methods of ExtraAPI.
func extras() *svc.Service {
	return svc.MustRegister[ExtraAPI](extra{}, &svc.Options{Name: "Extras", Resource: "extras", Defaults: svc.Defaults{Auth: "bearer"}, Logger: quiet,
		Methods: map[string]svc.MethodOptions{
			"Tick":   {HTTP: "GET /extras/tick", Public: true, Description: "Sends a tick now and then."},
			"Rename": {HTTP: "PUT /extras/{id}", Scopes: []string{"items:write"}},
			"Purge":  {Scopes: []string{"items:write", "items:purge"}, Deprecated: true, Status: 202},
		}})
}

// bearer lets callers in who bring the token open-sesame, which has one scope, and
// those without a token.
func bearer(next http.Handler) http.Handler {
	return svc.Bearer(func(_ context.Context, token string) (*svc.Principal, error) {
		if token != "open-sesame" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is unknown")
		}
		return &svc.Principal{Subject: "ada", Scopes: []string{"items:write"}}, nil
	}, &svc.BearerOptions{Optional: true, Logger: quiet})(next)
}

// secret returns a service that says that it wants a bearer token, a user and a password,
// or a key.
func secret() *svc.Service {
	return svc.MustRegister[ItemAPI](itemService{}, &svc.Options{Name: "Secret", Resource: "items", Schemes: []svc.Scheme{{Type: "bearer"}, {Type: "basic"}, {Type: "apiKey", Header: "X-Api-Key"}}, Logger: quiet})
}

// keys returns a service that makes an item once for each idempotency key.
func keys() *svc.Service {
	var mu sync.Mutex
	records := make(map[string][]byte)
	once := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if records[id] == nil {
			if record, err = do(ctx); err != nil {
				return nil, err
			}
			records[id] = record
		}
		return records[id], nil
	}
	return svc.MustRegister[ItemAPI](itemService{}, &svc.Options{Name: "Keys", Resource: "items", Idempotency: &svc.Idempotency{Run: once}, Logger: quiet,
		Methods: map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}}})
}

// known lets everybody call what asks for no scopes.
func known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: "anybody"})))
	})
}

// guard wants credentials for everything but the page.
func guard(next http.Handler) http.Handler {
	basic := svc.BasicAuth("secret", map[string]string{"ada": "pass:wörd"}, nil)(next)
	return bearer(svc.APIKey("X-Api-Key", verifyKey, &svc.APIKeyOptions{Optional: true, Logger: quiet})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); scheme {
		case "Basic":
			basic.ServeHTTP(w, r)
		default: // a browser shows a dialog of its own if it is asked for a password
			next.ServeHTTP(w, r)
		}
	})))
}

func verifyKey(_ context.Context, key string) (*svc.Principal, error) {
	if key != "open-key" {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is unknown")
	}
	return &svc.Principal{Subject: "robot"}, nil
}

// evil is text that runs if it is taken for markup or script.
const evil = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2"><!--<script>` + "\u202eright to left\u2066 \u0000\u2028` ${window.hacked=3} '\"\\ &lt;b&gt;"

// Nasty has evil names, values and texts.
type Nasty struct {
	Text string `json:"<img src=x onerror=window.hacked=4>" enum:"<script>window.hacked=5</script>,b" doc:"</script><script>window.hacked=6</script>" example:"b"`
	Free Free   `json:"free"`
	Odd  string `json:"__proto__,omitempty" default:"constructor" doc:"\u202egnp.exe\u2066"`
	Long string `json:"long,omitempty"`
}

// Free says what it is in a schema of the application's own.
type Free struct{ text json.RawMessage }

func (f Free) MarshalJSON() ([]byte, error) {
	if f.text == nil {
		return []byte("null"), nil
	}
	return f.text, nil
}

func (f *Free) UnmarshalJSON(text []byte) error {
	f.text = append(json.RawMessage(nil), text...)
	return nil
}

func (Free) JSONSchema() map[string]any {
	return map[string]any{
		"title": evil, "examples": []any{evil, strings.Repeat("e", 1<<20)}, "description": strings.Repeat(evil, 12000), "pattern": strings.Repeat("(a*)*", 200), evil: evil,
		"oneOf": []any{
			map[string]any{"type": "string", "title": evil, "enum": []any{evil, strings.Repeat("x", 1<<20)}},
			map[string]any{"const": evil},
			map[string]any{"type": []any{"integer", "null"}, "description": "A number, or not."},
			map[string]any{"type": "object", "properties": map[string]any{evil: map[string]any{"type": "string", "default": evil}, strings.Repeat("n", 1<<20): map[string]any{"const": 1}}, "required": []any{evil}, "additionalProperties": false},
			map[string]any{"type": "array", "prefixItems": []any{map[string]any{"type": "boolean"}}, "items": map[string]any{"not": map[string]any{"type": "object"}}},
			true,
		},
	}
}

type NastyAPI interface {
	Create(context.Context, *Nasty) (*Nasty, error)
	Get(context.Context, *ItemID) (*Nasty, error)
	Watch(context.Context) (svc.Stream[Nasty], error)
	Fail(context.Context) error
	Lock(context.Context, *NastyQuery) error
}

// NastyQuery has evil names in every place of a request that can have them.
type NastyQuery struct {
	ID     string   `path:"id" json:"id" example:"</script>/..?#%00\u202e"`
	Query  []string `query:"<b>\u202e&\"q'" json:"-" enum:"a&b,</script>" doc:"](javascript:alert(1)) ![x](//evil.example)" example:"[\"</script>\"]"`
	Header string   `header:"X-Evil,omitempty" json:"-" example:"it's $(id) \u0060id\u0060"`
}

type nasty struct{}

func (nasty) Create(_ context.Context, in *Nasty) (*Nasty, error) { return in, nil }
func (nasty) Get(_ context.Context, in *ItemID) (*Nasty, error) {
	return &Nasty{Text: evil, Odd: in.ID, Long: strings.Repeat(evil+"x", 10000)}, nil
}
func (nasty) Watch(context.Context) (svc.Stream[Nasty], error) {
	return func(yield func(*Nasty, error) bool) {
		for range 1000 {
			if !yield(&Nasty{Text: evil, Long: strings.Repeat("y", 1000)}, nil) {
				return
			}
		}
		yield(nil, svc.Errorf(svc.CodeAborted, "%s", evil))
	}, nil
}
func (nasty) Lock(context.Context, *NastyQuery) error { return nil }
func (nasty) Fail(context.Context) error              { return svc.Errorf(svc.CodeAborted, "%s", evil) }

// hostile returns a service that is full of evil.
func hostile() *svc.Service {
	noModels := []svc.Transport{svc.TransportREST, svc.TransportRPC} // which take no such names
	return svc.MustRegister[NastyAPI](nasty{}, &svc.Options{Name: evil, Description: evil + strings.Repeat(" long", 200000), Version: evil, Resource: "nasties", Defaults: svc.Defaults{Auth: "bearer"}, Logger: quiet,
		Methods: map[string]svc.MethodOptions{
			"Lock":   {Transports: noModels, HTTP: "POST /nasties/{id}/lock", Scopes: []string{"</script><script>window.hacked=9</script>"}, Description: "[x]: //evil.example\n\n# Heading\n- item"},
			"Create": {Transports: noModels, Description: evil}, "Watch": {HTTP: "GET /nasties/watch", Description: strings.Repeat(evil, 10000)}, "Get": {Description: "# " + evil + "\n# two"},
		}})
}

//go:embed general.json
var generalData string

// general returns a page with another document, and a handler that answers what it
// is sent.
func general() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		page := httptest.NewRecorder()
		kitchen.Second().Docs(nil).ServeHTTP(page, r)
		start, rest, _ := strings.Cut(page.Body.String(), `id="data">`)
		_, end, _ := strings.Cut(rest, "</script>")
		w.Header().Set("Content-Security-Policy", page.Header().Get("Content-Security-Policy"))
		fmt.Fprint(w, start, `id="data">`, generalData, "</script>", end)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/things/1")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(map[string]any{"uri": r.RequestURI, "list": r.Header.Values("X-List"), "match": r.Header.Get("If-Match"), "body": string(body)})
	})
	return mux
}
