package svc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"time"

	"example.com/svc"
)

// How is a service registered, routed and described? Its examples have the lamps, which other files
// use too. An example that is a whole program has a file of its own, since the documentation then
// shows all of it.

type LampAPI interface {
	List(ctx context.Context) (*Lamps, error)
	Dim(ctx context.Context, in *DimLamp) (*Lamp, error)
	SwitchOff(ctx context.Context, in *LampID) error
}

type (
	Lamp struct {
		ID    string `json:"id"`
		Level int    `json:"level"`
	}
	Lamps  struct{ Lamps []Lamp }
	LampID struct {
		ID string `json:"id"`
	}
	DimLamp struct {
		ID    string        `json:"id"`
		Level int           `json:"level" minimum:"0" maximum:"100"`
		Over  time.Duration `json:"over" default:"1s"`
	}
)

type lamps struct{}

func (lamps) List(ctx context.Context) (*Lamps, error) { return &Lamps{}, nil }

func (lamps) Dim(ctx context.Context, in *DimLamp) (*Lamp, error) {
	if in.ID != "hall" {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no lamp %q", in.ID)
	}
	return &Lamp{in.ID, in.Level}, nil
}

func (lamps) SwitchOff(ctx context.Context, in *LampID) error { return nil }

// try sends one request to a handler and prints the response.
func try(h http.Handler, method, path, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	fmt.Println(w.Code, w.Body)
}

var noLog = slog.New(slog.DiscardHandler)

// Register reports all mistakes in types, tags and options at once.
func ExampleRegister() {
	_, err := svc.Register[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Methods: map[string]svc.MethodOptions{
			"Dim": {HTTP: "PUT /lamps/{lamp}/level"},
			"Off": {HTTP: "POST /lamps/{id}/off"},
		},
	})
	fmt.Println(err)

	// Output:
	// svc: cannot register svc_test.LampAPI:
	//   - LampAPI.Dim: svc_test.DimLamp: no field fills the placeholder {lamp}; add one with the tag `path:"lamp"`
	//   - Options.Methods["Off"]: svc_test.LampAPI has no method of that name
}

// A method can have a pattern of http.ServeMux instead of the route of its name. The
// placeholders fill the fields of the same names; the other fields come from the body.
func ExampleMethodOptions() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Methods: map[string]svc.MethodOptions{
			"Dim": {HTTP: "PUT /lamps/{id}/level", Description: "Set how bright a lamp is."},
		},
	})
	try(service.REST(), "PUT", "/lamps/hall/level", `{"level":40}`)

	// Output:
	// 200 {"id":"hall","level":40}
}

// RepoAPI has files by their paths.
type RepoAPI interface {
	Get(ctx context.Context, in *GetRepoFile) (*RepoFile, error)
}

type GetRepoFile struct {
	Repo string `json:"repo"`
	Path string `json:"path" maxLength:"4096"`
}

type RepoFile struct {
	Name string `json:"name"`
}

type repos struct{}

func (repos) Get(_ context.Context, in *GetRepoFile) (*RepoFile, error) {
	return &RepoFile{Name: path.Base(in.Path)}, nil
}

// A placeholder with three dots takes all segments to the end of the path.
func ExampleMethodOptions_path() {
	service := svc.MustRegister[RepoAPI](repos{}, &svc.Options{
		Resource: "contents",
		Methods:  map[string]svc.MethodOptions{"Get": {HTTP: "GET /repos/{repo}/contents/{path...}"}},
	})
	try(service.REST(), "GET", "/repos/svc/contents/docs/intro.txt", "")
	try(service.REST(), "GET", "/repos/svc/contents/docs%2Fintro.txt", "")
	try(service.REST(), "GET", "/repos/svc/contents/", "")

	// Output:
	// 200 {"name":"intro.txt"}
	// 200 {"name":"intro.txt"}
	// 404 {"error":{"code":"NOT_FOUND","message":"there is nothing at this path"}}
}

// With Direct, a method is called without reflection, which is faster.
func ExampleDirect() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Methods: map[string]svc.MethodOptions{
			"Dim":       {Direct: svc.Direct(LampAPI.Dim)},
			"List":      {Direct: svc.DirectOut(LampAPI.List)},
			"SwitchOff": {Direct: svc.DirectIn(LampAPI.SwitchOff)},
		},
	})
	try(service.REST(), "POST", "/lamps/switch_off", `{"id":"hall"}`)

	// Output:
	// 204
}

// Routes lists the routes, for routers other than http.ServeMux.
func ExampleService_Routes() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	for _, r := range service.Routes() {
		fmt.Println(r.Method, r.Path, "calls", r.Resource+"."+r.Name)
	}

	// Output:
	// POST /lamps/dim calls lamps.dim
	// GET /lamps calls lamps.list
	// POST /lamps/switch_off calls lamps.switch_off
}

// Mount adds the routes to a mux that has other routes.
func ExampleService_Mount() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "fine") })
	svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"}).Mount(mux)
	try(mux, "GET", "/health", "")
	try(mux, "GET", "/lamps", "")

	// Output:
	// 200 fine
	// 200 {"Lamps":[]}
}

// At serves two versions of an API in one program.
func ExampleService_At() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	mux := http.NewServeMux()
	service.At("/v1").Mount(mux)
	service.At("/v2").Mount(mux)
	try(mux, "GET", "/v2/lamps", "")

	// Output:
	// 200 {"Lamps":[]}
}

// Join combines two interfaces in one service, with one set of routes and one document.
func ExampleJoin() {
	service := svc.Join("Home",
		svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"}),
		svc.MustRegister[NoteAPI](&notes{}, &svc.Options{Resource: "notes"}),
	)
	for _, r := range service.Descriptor().Resources {
		fmt.Println(r.Name, len(r.Methods))
	}

	// Output:
	// lamps 3
	// notes 3
}

// JSON-RPC clients call a method as resource.name, with named parameters, alone or in a
// batch.
func ExampleService_RPC() {
	h := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps", Logger: noLog}).RPC()
	try(h, "POST", "/rpc", `{"jsonrpc":"2.0","method":"lamps.dim","params":{"id":"hall","level":40},"id":1}`)
	try(h, "POST", "/rpc", `{"jsonrpc":"2.0","method":"lamps.dim","params":{"id":"attic","level":40},"id":"a"}`)
	try(h, "POST", "/rpc", `[{"jsonrpc":"2.0","method":"lamps.switch_off","params":{"id":"hall"}},{"jsonrpc":"2.0","method":"lamps.list","id":2}]`)

	// Output:
	// 200 {"jsonrpc":"2.0","result":{"id":"hall","level":40},"id":1}
	// 200 {"jsonrpc":"2.0","error":{"code":-32005,"message":"there is no lamp \"attic\"","data":{"code":"NOT_FOUND"}},"id":"a"}
	// 200 [{"jsonrpc":"2.0","result":{"Lamps":[]},"id":2}]
}

// Descriptor describes the service as data.
func ExampleService_Descriptor() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	for _, m := range service.Descriptor().Resources[0].Methods {
		fmt.Println(m.Name, m.HTTP.Method, m.HTTP.Path)
		if m.Output != nil {
			schema, err := json.Marshal(m.Output.Schema)
			fmt.Println(" ", m.Output.Name, string(schema), err)
		}
	}

	// Output:
	// dim POST /lamps/dim
	//   Lamp {"properties":{"id":{"type":"string"},"level":{"format":"int64","type":"integer"}},"required":["id","level"],"type":"object"} <nil>
	// list GET /lamps
	//   Lamps {"properties":{"Lamps":{"items":{"properties":{"id":{"type":"string"},"level":{"format":"int64","type":"integer"}},"required":["id","level"],"type":"object"},"type":"array"}},"required":["Lamps"],"type":"object"} <nil>
	// switch_off POST /lamps/switch_off
}
