// Command typescript holds the TypeScript client of services to Connect: it makes each call
// of a table with Connect, with client.ts in Node 22 and 24, Deno and Bun, with client.js in
// Chromium, also without what Chrome 111 lacks, and Firefox, with curl and by Service.Call, and compares what comes back and what
// arrived. It also has the runtimes call over connections that break, and uploads 1 GiB from a
// browser.
//
// Usage, after npm ci, with the folder for the clients and the address of the template:
//
//	go run . -clients dist -template http://127.0.0.1:8080
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

func main() {
	log.SetFlags(0)
	dist := flag.String("clients", "dist", "the `folder` into which the clients are written")
	template := flag.String("template", "", "the `address` of the template")
	only := flag.String("only", "", "the `name` of the one client to run, such as bun, curl or call")
	write := flag.Bool("write", false, "only write the clients")
	serve := flag.Bool("serve", false, "only serve, for a client that is run by hand")
	flag.Parse()
	s := newServer()
	defer s.Close()
	s.writeClients(*dist)
	if *write {
		return
	}
	if *serve {
		log.Printf("serving at %s, cut at %s, lossy at %s", s.URL, s.cutting.url(), s.lossy.url())
		select {}
	}
	want := s.runGo()
	good := s.runAll(want, *dist, *template, *only)
	if *only == "" || *only == "call" {
		calls, faults := s.runCall(want)
		good = report("Service.Call", calls, faults) && good
	}
	if *only == "" || *only == "curl" {
		calls, faults := s.runCurl(want, *dist)
		good = report("curl", calls, faults) && good
	}
	if !good {
		os.Exit(1)
	}
}

// check ends the program if there is an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A server serves the services below their names, and remembers what arrives.
type server struct {
	*httptest.Server
	services map[string]service
	desk     *desk
	marks    *markStore
	cutting  *cuttingProxy
	lossy    *lossyProxy

	mu      sync.Mutex // protects the fields below
	arrived []any
}

func newServer() *server {
	s := &server{desk: newDesk(), marks: new(markStore)}
	s.services = services(s.desk, s.marks, func(method string, in any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.arrived = append(s.arrived, map[string]any{"method": method, "input": dump(reflect.ValueOf(&in))})
	})
	mux := http.NewServeMux()
	for name, service := range s.services {
		mux.Handle("/"+name+"/", http.StripPrefix("/"+name, service.guard(service.REST())))
		client := service.TypeScript()
		mux.Handle("/"+name+"/client.ts", client)
		mux.Handle("/"+name+"/client.js", client)
	}
	mux.HandleFunc("GET /table", func(w http.ResponseWriter, r *http.Request) { json.NewEncoder(w).Encode(table()) })
	mux.HandleFunc("POST /reset", func(http.ResponseWriter, *http.Request) { s.reset() })
	mux.HandleFunc("GET /arrived", func(w http.ResponseWriter, r *http.Request) { json.NewEncoder(w).Encode(s.takeArrived()) })
	mux.HandleFunc("GET /memory", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, residentPeak()) })
	mux.HandleFunc("GET /{file}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, r.PathValue("file")) })
	s.Server = httptest.NewUnstartedServer(nil)
	own := "http://" + s.Listener.Addr().String() // pages of this origin call over the proxies, which are other origins
	s.Config.Handler = svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{own}, Credentials: true, MaxAge: time.Hour})(mux)
	s.Start()
	s.cutting = newCuttingProxy(s.Listener.Addr().String())
	s.lossy = newLossyProxy(s.Listener.Addr().String())
	return s
}

func (s *server) Close() {
	s.Server.CloseClientConnections()
	s.Server.Close()
}

func (s *server) reset() {
	s.desk.reset()
	s.marks.reset()
	s.takeArrived()
}

// takeArrived returns what has arrived since it was called last.
func (s *server) takeArrived() []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	arrived := s.arrived
	s.arrived = nil
	return arrived
}

// writeClients writes the clients as they are served.
func (s *server) writeClients(dir string) {
	for name, service := range s.services {
		check(os.MkdirAll(filepath.Join(dir, name), 0o777))
		for _, file := range []string{"client.ts", "client.js"} {
			w := httptest.NewRecorder()
			service.TypeScript().ServeHTTP(w, httptest.NewRequest("GET", "/"+file, nil))
			check(os.WriteFile(filepath.Join(dir, name, file), w.Body.Bytes(), 0o666))
		}
	}
}

// An outcome is what one client made of the table.
type outcome struct {
	Results []result
	Arrived []any
	by      [][]any // Arrived, by rows
}

// add adds what a row came to.
func (o *outcome) add(r result, arrived []any) {
	o.Results, o.by = append(o.Results, r), append(o.by, arrived)
	o.Arrived = append(o.Arrived, arrived...)
}

// runGo makes the calls of the table with Connect.
func (s *server) runGo() (o outcome) {
	s.reset()
	clients := connectAll(s.services, s.URL)
	for _, r := range table() {
		result := clients[r.Service].run(r).plain()
		if r.unsized {
			s.awaitArrival()
		}
		o.add(result, s.takeArrived())
	}
	return o
}

// awaitArrival waits until a call has arrived. Connect counts the bytes of a Body while it sends them,
// and may give up before the server has called the method.
func (s *server) awaitArrival() {
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		n := len(s.arrived)
		s.mu.Unlock()
		if n > 0 {
			return
		}
	}
}

// runCall makes the calls of the table by Service.Call and returns how they differ. What comes back
// are values of Go, in which a list that is nil is the same as an empty one. The message of an error
// is that of the method, also if it has none or if it is not for clients, and the rules of a list
// come before those of its items.
func (s *server) runCall(want outcome) (calls int, faults []string) {
	s.reset()
	clients := connectAll(s.services, s.URL)
	for name, c := range clients {
		c.service = s.services[name].Service
	}
	var expected, got outcome
	for i, r := range table() {
		expected.add(want.Results[i].inGo(), want.by[i])
		if r.needsTransport() {
			got.add(result{}, want.by[i])
			continue
		}
		calls++
		got.add(clients[r.Service].run(r).plain().inGo(), s.takeArrived())
	}
	return calls, differences(expected, got, row.needsTransport)
}

// needsTransport reports whether a row is about what only REST has: texts that are no values of
// Go, a key, a path that no URL has, and errors and answers in another form.
func (r row) needsTransport() bool {
	return r.sent != "" || r.Key != "" || r.refused || r.want != nil || r.overREST
}

// inGo returns what Service.Call returns for r.
func (r result) inGo() result {
	r = result{Value: withoutEmpty(r.output), Error: maps.Clone(r.Error)}
	delete(r.Error, "message")
	if list, ok := r.Error["violations"].([]any); ok {
		r.Error["violations"] = slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(text(a), text(b)) })
	}
	return r
}

// withoutEmpty returns v without empty lists and members that are null or empty.
func withoutEmpty(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any)
		for name, member := range x {
			if member = withoutEmpty(member); member != nil {
				out[name] = member
			}
		}
		return out
	case []any:
		var out []any
		for _, item := range x {
			out = append(out, withoutEmpty(item))
		}
		if out != nil {
			return out
		}
		return nil
	}
	return v
}

// report reports what a caller beside the runtimes came to, and whether all is well.
func report(name string, calls int, faults []string) bool {
	for _, f := range faults[:min(len(faults), 40)] {
		log.Printf("FAILED: %s: %s", name, f)
	}
	log.Printf("%s: %d calls, %d faults", name, calls, len(faults))
	return len(faults) == 0
}

// A runtime runs a script. Its command gets the script as its last arguments.
type runtime struct {
	name    string
	command []string
}

var runtimes = []runtime{
	{"node22", []string{"node_modules/node22/bin/node", "--no-warnings", "runtime.mjs"}},
	{"node24", []string{"node_modules/node24/bin/node", "runtime.mjs"}},
	{"deno", []string{"node_modules/deno/deno", "run", "--quiet", "--no-check", "--allow-all", "runtime.mjs"}},
	{"bun", []string{"node_modules/bun/bin/bun", "run", "runtime.mjs"}},
	{"chromium", []string{"node_modules/node22/bin/node", "browser.mjs", "chromium"}},
	{"chromium111", []string{"node_modules/node22/bin/node", "browser.mjs", "chromium111"}},
	{"firefox", []string{"node_modules/node22/bin/node", "browser.mjs", "firefox"}},
}

// runAll runs the table and the checks of run.mjs in each runtime, and reports whether all is
// well.
func (s *server) runAll(want outcome, dist, template, only string) bool {
	good := true
	for _, r := range runtimes {
		if only != "" && only != r.name {
			continue
		}
		began := time.Now()
		faults, err := s.runOne(r, want, dist, template)
		if err != nil {
			faults = append(faults, err.Error())
		}
		for _, f := range faults[:min(len(faults), 40)] {
			log.Printf("FAILED: %s: %s", r.name, f)
		}
		log.Printf("%s: %d calls, %d faults (%v)", r.name, len(want.Results), len(faults), time.Since(began).Round(100*time.Millisecond))
		good = good && len(faults) == 0
	}
	return good
}

// runOne runs one runtime and returns how it differs.
func (s *server) runOne(r runtime, want outcome, dist, template string) (faults []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	arguments := slices.Concat(r.command[1:], []string{s.URL, s.cutting.url(), s.lossy.url(), dist, template})
	cmd := exec.CommandContext(ctx, r.command[0], arguments...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-2000):])
	}
	var got struct {
		outcome
		Faults []string
		Notes  []string
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return nil, fmt.Errorf("%w: %.2000s", err, text)
	}
	for _, n := range got.Notes {
		log.Printf("%s: %s", r.name, n)
	}
	return append(got.Faults, differences(want, got.outcome, nil)...), nil
}

// differences compares what two clients made of the table, but for the rows that skips, if it is
// not nil, names.
func differences(want, got outcome, skips func(row) bool) (list []string) {
	rows, code := table(), map[string]any{"code": nil}
	if len(got.Results) != len(rows) {
		list = append(list, fmt.Sprintf("%d results, want %d", len(got.Results), len(rows)))
	}
	for i := range min(len(rows), len(got.Results)) {
		expected, actual := want.Results[i], got.Results[i]
		switch {
		case skips != nil && skips(rows[i]):
			continue
		case rows[i].want != nil:
			expected, actual.Error = result{Error: rows[i].want}, pick(actual.Error, rows[i].want)
		case rows[i].Via == viaEvents: // Connect has the status of the code
			delete(expected.Error, "status")
			delete(actual.Error, "status")
		case rows[i].refused:
			expected.Error, actual.Error = pick(expected.Error, code), pick(actual.Error, code)
		}
		w, g := text(expected), text(actual)
		if w != g {
			list = append(list, fmt.Sprintf("%d: %s.%s(%s) via %s\n    is   %s\n    want %s", i, rows[i].Service, rows[i].Call, rows[i].Input, rows[i].Via, g, w))
		}
	}
	for i := range max(len(want.Arrived), len(got.Arrived)) {
		w, g := "nothing", "nothing"
		if i < len(want.Arrived) {
			w = text(want.Arrived[i])
		}
		if i < len(got.Arrived) {
			g = text(got.Arrived[i])
		}
		if w != g {
			list = append(list, fmt.Sprintf("call %d that arrived\n    is   %s\n    want %s", i, g, w))
			if len(list) > 20 {
				break
			}
		}
	}
	return list
}

// pick returns the members of m whose names like has.
func pick(m, like map[string]any) map[string]any {
	out := make(map[string]any)
	for name := range like {
		out[name] = m[name]
	}
	return out
}

// text returns v as JSON with sorted members.
func text(v any) string {
	data, err := json.Marshal(plain(v))
	check(err)
	return string(data)
}

// residentPeak returns the largest resident memory of this process so far, in bytes.
func residentPeak() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	for line := range bytes.Lines(status) {
		if f := strings.Fields(string(line)); f[0] == "VmHWM:" {
			kib, err := strconv.ParseUint(f[1], 10, 64)
			check(err)
			return kib << 10
		}
	}
	return 0
}
