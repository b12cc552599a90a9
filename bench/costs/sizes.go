package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
)

// A sized program is built stripped, and so is the program that does the same by hand, or has
// nothing of svc. Its size may be at most limit times the other's. The limits are a tenth above
// what the programs had on 2026-11-28 with Go 1.26: they are there to see a megabyte, not a line.
type sized struct {
	name   string
	svc    string // what main has beside the handlers by hand, or in their place
	byHand string
	limit  float64
}

// handlers is a service of two methods by hand.
const handlers = `
	mux := http.NewServeMux()
	things := map[string]*Thing{}
	mux.HandleFunc("POST /things", func(w http.ResponseWriter, r *http.Request) {
		var in Thing
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		things[in.ID] = &in
		json.NewEncoder(w).Encode(in)
	})
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(things[r.PathValue("id")])
	})
	http.ListenAndServe("127.0.0.1:0", mux)
`

// service is the same by svc.
const service = `
	s := svc.MustRegister[API](things{}, nil)
	mux := http.NewServeMux()
	mux.Handle("/", s.REST())
`

const all = service + `
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("/openapi.json", s.OpenAPI())
	mux.Handle("/client.ts", s.TypeScript())
	mux.Handle("/docs", s.Docs(nil))
	mux.Handle("/debug/pprof/", svc.Pprof("")(mux))
	os.Stdout.Write(s.Contract())
	var client struct {
		Create func(context.Context, *Thing) (*Thing, error)
	}
	svc.Connect[API](&client, "http://127.0.0.1:1", nil)
	http.ListenAndServe("127.0.0.1:0", mux)
`

const profiles = `
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	http.ListenAndServe("127.0.0.1:0", mux)
`

const declarations = `
type Thing struct {
	ID string ` + "`json:\"id\"`" + `
}

type API interface {
	Create(context.Context, *Thing) (*Thing, error)
	Get(context.Context, *Thing) (*Thing, error)
}

type things struct{}

func (things) Create(_ context.Context, in *Thing) (*Thing, error) { return in, nil }
func (things) Get(_ context.Context, in *Thing) (*Thing, error)    { return in, nil }
`

// programs are what svc costs who imports it for nothing, for its profiles, for REST, and for all.
var programs = []sized{
	{"blank import", "\n\tvar _ svc.Code" + handlers, handlers, 1.19},
	{"Pprof alone", "\n\thttp.ListenAndServe(\"127.0.0.1:0\", svc.Pprof(\"\")(http.NotFoundHandler()))\n", profiles, 1.13},
	{"REST alone", service + "\thttp.ListenAndServe(\"127.0.0.1:0\", mux)\n", handlers, 1.69},
	{"all", all, handlers, 2.06},
}

// importsOf returns the imports of a program: each of these packages that it names.
func importsOf(program string) (imports string) {
	for _, name := range []string{"context", "encoding/json", "net/http", "net/http/pprof", "os", "example.com/svc"} {
		if regexp.MustCompile(`\b` + path.Base(name) + `\.[A-Z]`).MatchString(program) {
			imports += fmt.Sprintf("import %q\n", name)
		}
	}
	return imports
}

// binarySizes builds the programs, and returns an error that names those above their limit.
func binarySizes(_, _ int) (err error) {
	fmt.Println("binaries, stripped")
	for _, p := range programs {
		with, err1 := sizeOf(p.svc)
		without, err2 := sizeOf(p.byHand)
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		ratio := with / without
		fmt.Printf("  %-12s %5.2f MB, by hand %.2f: %.2f times, at most %.2f\n", p.name, with/1e6, without/1e6, ratio, p.limit)
		if ratio > p.limit {
			err = errors.Join(err, fmt.Errorf("%s has %.2f times the bytes of the same by hand, want at most %.2f", p.name, ratio, p.limit))
		}
	}
	return err
}

// sizeOf builds a program with this body and returns how many bytes it has.
func sizeOf(body string) (bytes float64, err error) {
	dir, err := os.MkdirTemp("", "sizes-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program := declarations + "\nfunc main() {" + body + "}\n"
	if err := writeModule(dir, "package main\n\n"+importsOf(program)+program); err != nil {
		return 0, err
	}
	binary := filepath.Join(dir, "sized")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}
