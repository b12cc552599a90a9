package blackbox_test

//
// These tests need the go command and processes of their own: what importing
// svc does to a program, and whether Pprof serves what net/http/pprof does.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"example.com/svc"
)

// pprofGet answers a request for target by Pprof(prefix).
func pprofGet(prefix, method, target string) *guardWriter {
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	return guardServe(svc.Pprof(prefix), r)
}

func TestPprofPaths(t *testing.T) {
	const passed, index, named, unknown = "passed", "index", "profile", "unknown"
	for _, test := range []struct{ prefix, path, want string }{
		{"", "/debug/pprof", index},
		{"", "/debug/pprof/", index},
		{"", "/debug/pprof/cmdline", named},
		{"", "/debug/pprof/threadcreate", named},
		{"", "/debug/pprof/nothing", unknown},
		{"", "/debug/pprof/Heap", unknown},
		{"", "/debug/pprof/heap/", unknown},
		{"", "/debug/pprof/cmdline/", unknown},
		{"", "/debug/pprof//", unknown},
		{"", "/debug/pprof//heap", unknown},
		{"", "/debug/pprof/../x", unknown},
		{"", "/debug/pprof/../pprof/heap", unknown},
		{"", "/debug/pprof/./heap", unknown},
		{"", "/debug/pprof/heap\x00", unknown},
		{"", "/debug/pprofx", passed},
		{"", "/debug/pprofx/heap", passed},
		{"", "/debug/pprof.", passed},
		{"", "//debug/pprof", passed},
		{"", "//debug/pprof/heap", passed},
		{"", "/x/../debug/pprof/heap", passed},
		{"", "/debug//pprof/heap", passed},
		{"", "/DEBUG/PPROF/heap", passed},
		{"", "/debug", passed},
		{"", "/", passed},
		{"", "*", passed},
		{"", "", passed},
		{"/p", "/p", index},
		{"/p", "/p/threadcreate", named},
		{"/p", "/debug/pprof/", passed},
		{"/p/", "/p", index},
		{"/p//", "/p/", index},
		{"/a/b/c", "/a/b/c/threadcreate", named},
		{"/a/b/c", "/a/b", passed},
	} {
		w := pprofGet(test.prefix, "GET", test.path)
		body, got := w.Body.String(), named
		switch {
		case w.Code == 200 && body == "passed":
			got = passed
		case w.Code == 200 && strings.Contains(body, "<title>Profiles"):
			got = index
		case w.Code == 404 && body == "Unknown profile\n":
			got = unknown
		case w.Code != 200:
			got = fmt.Sprintf("%d %s", w.Code, body)
		}
		if got != test.want {
			t.Errorf("Pprof(%q) on %q: %s, want %s", test.prefix, test.path, got, test.want)
		}
	}
}

func TestPprofPanics(t *testing.T) {
	for _, test := range []struct {
		prefix string
		want   any
	}{
		{"", nil},
		{"/x", nil},
		{"/x/", nil},
		{"/", "svc: Pprof: the prefix / covers everything"},
		{"///", "svc: Pprof: the prefix /// covers everything"},
		{"debug", "svc: Pprof: the prefix debug must be a clean path that starts with a slash"},
		{"//debug", "svc: Pprof: the prefix //debug must be a clean path that starts with a slash"},
		{"/a/../b", "svc: Pprof: the prefix /a/../b must be a clean path that starts with a slash"},
	} {
		if got := guardPanic(func() { svc.Pprof(test.prefix) }); got != test.want {
			t.Errorf("Pprof(%q) panics with %v, want %v", test.prefix, got, test.want)
		}
	}
}

// Verify every refusal: it takes no time, profiles nothing, and has the form
// that go tool pprof shows.
func TestPprofRefuses(t *testing.T) {
	const number = "seconds must be a number from 1 to 300\n"
	const method = "method not allowed\n"
	named := func(name string) string {
		return "seconds is for profile and trace only; to see what changes, fetch " + name + " twice and subtract: go tool pprof -diff_base=first second\n"
	}
	own := pprof.NewProfile("svc.test/own")
	own.Add(t, 0)
	defer own.Remove(t)
	for _, test := range []struct {
		method, target string
		status         int
		body           string
	}{
		{"GET", "profile?seconds=abc", 400, number},
		{"GET", "profile?seconds=-1", 400, number},
		{"GET", "profile?seconds=0", 400, number},
		{"GET", "profile?seconds=301", 400, number},
		{"GET", "profile?seconds=100000", 400, number},
		{"GET", "profile?seconds=99999999999999999999", 400, number},
		{"GET", "profile?seconds=1.5", 400, number},
		{"GET", "profile?seconds=%201", 400, number},
		{"GET", "profile?seconds=0&seconds=1", 400, number},
		{"HEAD", "profile?seconds=abc", 400, number},
		{"GET", "trace?seconds=abc", 400, number},
		{"GET", "trace?seconds=-1", 400, number},
		{"GET", "trace?seconds=0.5", 400, number},
		{"GET", "trace?seconds=300.5", 400, number},
		{"GET", "trace?seconds=100000", 400, number},
		{"GET", "trace?seconds=NaN", 400, number},
		{"GET", "trace?seconds=Inf", 400, number},
		{"GET", "trace?seconds=1e400", 400, number},
		{"GET", "heap?seconds=1", 400, named("heap")},
		{"GET", "heap?seconds=0", 400, named("heap")},
		{"GET", "heap?seconds=abc", 400, named("heap")},
		{"GET", "heap?seconds=1&debug=1", 400, named("heap")},
		{"GET", "heap?seconds=1&gc=1", 400, named("heap")},
		{"HEAD", "goroutine?seconds=1", 400, named("goroutine")},
		{"GET", "svc.test/own?seconds=1", 400, named("svc.test/own")},
		{"GET", "nothing", 404, "Unknown profile\n"},
		{"GET", "nothing?seconds=1", 404, "Unknown profile\n"},
		{"GET", "<b>?seconds=abc", 404, "Unknown profile\n"},
		{"POST", "profile", 405, method},
		{"POST", "", 405, method},
		{"PUT", "symbol", 405, method},
		{"DELETE", "heap", 405, method},
		{"OPTIONS", "cmdline", 405, method},
		{"TRACE", "trace", 405, method},
		{"QUERY", "nothing", 405, method},
	} {
		w := pprofGet("", test.method, "/debug/pprof/"+test.target)
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s %s: %d %s; want %d %s", test.method, test.target, w.Code, w.Body, test.status, test.body)
		}
		want := http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "X-Go-Pprof": {"1"}}
		if test.status == 405 {
			want.Set("Allow", "GET, HEAD")
			if test.target == "symbol" {
				want.Set("Allow", "GET, HEAD, POST")
			}
		}
		if got := w.Header(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s: headers %v, want %v", test.method, test.target, got, want)
		}
		if n := len(w.writeDeadlines); n > 0 {
			t.Errorf("%s %s: %d write deadlines", test.method, test.target, n)
		}
	}
}

func TestPprofCmdlineAndSymbol(t *testing.T) {
	if got, want := pprofGet("", "GET", "/debug/pprof/cmdline").Body.String(), strings.Join(os.Args, "\x00"); got != want {
		t.Errorf("cmdline = %q, want %q", got, want)
	}
	pc := fmt.Sprintf("%#x", reflect.ValueOf(pprofGet).Pointer())
	known := pc + " example.com/svc/internal/blackbox_test.pprofGet\n"
	for _, test := range []struct{ counters, want string }{
		{"", ""},
		{pc, known},
		{pc + "+" + pc, known + known},
		{"0+x+" + pc + "+-1+0x", known},
		{strings.Repeat("1", 5000) + "+" + pc, known},
		{"1", ""},
	} {
		want := "num_symbols: 1\n" + test.want
		if got := pprofGet("", "GET", "/debug/pprof/symbol?"+test.counters).Body.String(); got != want {
			t.Errorf("GET symbol?%.40s = %q, want %q", test.counters, got, want)
		}
		r := httptest.NewRequest("POST", "/debug/pprof/symbol?"+pc, strings.NewReader(test.counters))
		if got := guardServe(svc.Pprof(""), r).Body.String(); got != want {
			t.Errorf("POST symbol %.40s = %q, want %q", test.counters, got, want)
		}
	}
}

// Verify that every link of the index leads to a page, from both of its
// addresses and under any prefix.
func TestPprofIndexLinks(t *testing.T) {
	own := pprof.NewProfile(`svc.test/<a href="x">`)
	own.Add(t, 0)
	defer own.Remove(t)
	links := regexp.MustCompile(`<a href="([^"]*)"`)
	for _, target := range []string{"/debug/pprof", "/debug/pprof/", "/debug/pprof?debug=1"} {
		w := pprofGet("", "GET", target)
		found := 0
		for _, m := range links.FindAllStringSubmatch(w.Body.String(), -1) {
			found++
			if strings.Contains(m[1], "profile?") || strings.Contains(m[1], "trace?") {
				continue // these take their time
			}
			base := httptest.NewRequest("GET", target, nil).URL
			to, err := base.Parse(strings.ReplaceAll(m[1], "&#34;", `"`))
			if err != nil {
				t.Errorf("link %s: %v", m[1], err)
				continue
			}
			if got := pprofGet("", "GET", to.Path+"?"+to.RawQuery); got.Code != 200 || got.Body.String() == "passed" {
				t.Errorf("the link %s on %s leads to %s: %d", m[1], target, to, got.Code)
			}
		}
		if want := len(pprof.Profiles()) + 5; found != want {
			t.Errorf("%s has %d links, want %d:\n%s", target, found, want, w.Body)
		}
		if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("Content-Type %q", got)
		}
	}
}

// A pprofContext says when somebody begins to wait for its end, which is when
// a recording runs.
type pprofContext struct {
	context.Context
	waiting chan struct{}
}

func (c pprofContext) Done() <-chan struct{} {
	select {
	case c.waiting <- struct{}{}:
	default:
	}
	return c.Context.Done()
}

// pprofRecording begins a recording of five minutes, which no test waits for.
// It returns when it runs. Stop ends it as a client does that leaves.
func pprofRecording(t *testing.T, name string) (stop func() *guardWriter) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	waiting, done := make(chan struct{}, 1), make(chan *guardWriter)
	r := httptest.NewRequest("GET", "/debug/pprof/"+name+"?seconds=300", nil)
	go func() { done <- guardServe(svc.Pprof(""), r.WithContext(pprofContext{ctx, waiting})) }()
	select {
	case <-waiting:
	case w := <-done:
		cancel()
		t.Fatalf("%s: %d %s", name, w.Code, w.Body)
	}
	return func() *guardWriter {
		cancel()
		return <-done
	}
}

// Verify that of two CPU profiles, or traces, the second gets a clear answer,
// that one ends when its client leaves, and that another can begin then.
func TestPprofOneRecordingAtATime(t *testing.T) {
	pprofNeedsProfiler(t)
	for name, want := range map[string]string{
		"profile": "a CPU profile is running already; try again when it is done\n",
		"trace":   "a trace is running already; try again when it is done\n",
	} {
		for round := range 3 {
			stop := pprofRecording(t, name)
			for _, target := range []string{name, name + "?seconds=300"} {
				w := pprofGet("", "GET", "/debug/pprof/"+target)
				if w.Code != 409 || w.Body.String() != want || w.Header().Get("Content-Disposition") != "" || w.Header().Get("X-Go-Pprof") != "1" {
					t.Errorf("%s, round %d: %d %s %v; want 409 %s", target, round, w.Code, w.Body, w.Header(), want)
				}
			}
			w := stop()
			if w.Code != 200 || w.Body.Len() == 0 || w.Header().Get("Content-Type") != "application/octet-stream" {
				t.Errorf("%s, round %d: %d, %d bytes, %v", name, round, w.Code, w.Body.Len(), w.Header())
			}
			if len(w.writeDeadlines) == 0 {
				t.Errorf("%s: a client that takes nothing is not cut off", name)
			}
		}
	}
	// One of each can run at the same time.
	stopTrace := pprofRecording(t, "trace")
	pprofRecording(t, "profile")()
	stopTrace()
}

// Verify over a socket that a client that hangs up ends its recording, so that
// the next one can begin.
func TestPprofClientHangsUp(t *testing.T) {
	pprofNeedsProfiler(t)
	waiting, done := make(chan struct{}, 1), make(chan struct{})
	serve := svc.Pprof("")(http.NotFoundHandler())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.ServeHTTP(w, r.WithContext(pprofContext{r.Context(), waiting}))
		done <- struct{}{}
	}))
	defer server.Close()
	for _, name := range []string{"profile", "profile", "trace", "trace"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		// A body must not hide that the client has gone.
		fmt.Fprintf(conn, "GET /debug/pprof/%s?seconds=300 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", name)
		select {
		case <-waiting:
		case <-done:
			conn.Close()
			t.Fatalf("%s did not begin", name)
		}
		conn.Close()
		<-done
	}
}

// pprofNeedsProfiler skips the test if something else records this process,
// such as go test -cpuprofile.
func pprofNeedsProfiler(t *testing.T) {
	t.Helper()
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Skip(err)
	}
	pprof.StopCPUProfile()
	if err := trace.Start(io.Discard); err != nil {
		t.Skip(err)
	}
	trace.Stop()
}

func TestPprofDebugAndGC(t *testing.T) {
	for _, test := range []struct{ target, contentType, disposition, begins string }{
		{"heap", "application/octet-stream", `attachment; filename="heap"`, "\x1f\x8b"},
		{"heap?debug=0", "application/octet-stream", `attachment; filename="heap"`, "\x1f\x8b"},
		{"heap?debug=abc", "application/octet-stream", `attachment; filename="heap"`, "\x1f\x8b"},
		{"heap?seconds=", "application/octet-stream", `attachment; filename="heap"`, "\x1f\x8b"},
		{"heap?seconds=&debug=1", "text/plain; charset=utf-8", "", "heap profile: "},
		{"goroutine?debug=1", "text/plain; charset=utf-8", "", "goroutine profile: total "},
		{"goroutine?debug=2", "text/plain; charset=utf-8", "", "goroutine "},
		{"threadcreate?debug=1", "text/plain; charset=utf-8", "", "threadcreate profile: total "},
	} {
		w := pprofGet("", "GET", "/debug/pprof/"+test.target)
		h := w.Header()
		if w.Code != 200 || h.Get("Content-Type") != test.contentType || h.Get("Content-Disposition") != test.disposition || !strings.HasPrefix(w.Body.String(), test.begins) {
			t.Errorf("%s: %d, %v, %.20q", test.target, w.Code, h, w.Body)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pprofGet("", "GET", "/debug/pprof/heap?gc=1")
	if runtime.ReadMemStats(&after); after.NumForcedGC == before.NumForcedGC {
		t.Error("heap?gc=1 forced no garbage collection")
	}
}

// Verify over a socket that a guard in front covers every way to a profile.
func TestPprofUnderGuard(t *testing.T) {
	guard := svc.Under("/debug/pprof", svc.BasicAuth("pprof", map[string]string{"op": ""}, nil))
	server := httptest.NewServer(guard(svc.Pprof("")(http.NotFoundHandler())))
	defer server.Close()
	for _, test := range []struct {
		path string
		want int
	}{
		{"/debug/pprof", 401},
		{"/debug/pprof/heap", 401},
		{"/debug/pprof/../pprof/heap", 401},
		{"/debug/%70prof/heap", 401},
		{"/debug/pprof%2fheap", 401},
		{"//debug/pprof/heap", 401},
		{"/x/../debug/pprof/heap", 401},
		{"/debug/pprofx", 404},
	} {
		if got, body := rawGet(t, server.Listener.Addr().String(), test.path); got != test.want {
			t.Errorf("GET %s: %d %s, want %d", test.path, got, body, test.want)
		}
	}
}

// pprofGo runs the go command and returns its standard output. It fails the
// test if the command does.
func pprofGo(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String()
}

// pprofBuild builds testdata/name and returns the program.
func pprofBuild(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := "./testdata/" + name
	if _, err := os.Stat(dir + "/main.go"); err != nil { // so that go test knows what the result depends on
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name+".exe") // Windows wants the suffix
	pprofGo(t, "build", "-buildvcs=false", "-o", program, dir)
	return program
}

func TestImportHasNoSideEffects(t *testing.T) {
	out, err := exec.Command(pprofBuild(t, "sideeffects")).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for name := range strings.FieldsSeq(pprofGo(t, "list", "-deps", root("."))) {
		switch name {
		case "net/http/pprof", "expvar":
			t.Errorf("svc depends on %s", name)
		}
	}
}

// pprofServers starts testdata/pprof and returns the URLs at which it serves
// net/http/pprof and Pprof.
func pprofServers(t *testing.T) (theirs, ours string) {
	t.Helper()
	cmd := exec.Command(pprofBuild(t, "pprof"), "an argument", "")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	var urls [2]string
	for i := range urls {
		if !lines.Scan() {
			t.Fatalf("testdata/pprof printed %d addresses: %v", i, lines.Err())
		}
		urls[i] = "http://" + lines.Text()
	}
	return urls[0], urls[1]
}

// A pprofAnswer is what of a response is the same each time.
type pprofAnswer struct {
	status                                 int
	contentType, disposition, nosniff, tag string
	body                                   string
}

func pprofFetch(t *testing.T, method, url, body string) pprofAnswer {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // which follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	h := resp.Header
	return pprofAnswer{resp.StatusCode, h.Get("Content-Type"), h.Get("Content-Disposition"), h.Get("X-Content-Type-Options"), h.Get("X-Go-Pprof"), string(data)}
}

// The ways in which two bodies can agree.
func pprofExactly(t *testing.T, body string) string { return body }
func pprofNothing(*testing.T, string) string        { return "" }

// pprofIndexed returns the links and the names of an index. The counts change
// from one moment to the next.
func pprofIndexed(t *testing.T, body string) string {
	links := regexp.MustCompile(`<a href=['"]([^'"]*)['"]>([^<]*)</a>`).FindAllStringSubmatch(body, -1)
	var all []string
	for _, m := range links {
		if !strings.HasSuffix(m[1], "debug=2") { // in words of their own
			all = append(all, m[1]+" "+m[2])
		}
	}
	return strings.Join(all, "\n")
}

// pprofFirstWords returns how a profile in text begins.
func pprofFirstWords(t *testing.T, body string) string {
	words := strings.Fields(body)
	return strings.Join(words[:min(2, len(words))], " ")
}

// pprofTypes returns the kinds and units of a profile's values: the fields
// sample_type and period_type of the message Profile, which name their texts by
// number (github.com/google/pprof/proto/profile.proto).
func pprofTypes(t *testing.T, body string) string {
	const sampleType, stringTable, periodType = 1, 6, 11
	zr, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	message, err := io.ReadAll(zr)
	if err != nil {
		t.Error(err)
	}
	fields := pprofFields(t, message)
	var texts, types []string
	for _, f := range fields {
		if f.field == stringTable {
			texts = append(texts, string(f.bytes))
		}
	}
	for _, want := range [...]int{sampleType, periodType} {
		for _, f := range fields {
			if f.field == want {
				var numbers [3]uint64 // by field: 1 is the kind, 2 the unit
				for _, n := range pprofFields(t, f.bytes) {
					numbers[n.field] = n.number
				}
				types = append(types, texts[numbers[1]]+"/"+texts[numbers[2]])
			}
		}
	}
	return strings.Join(types, " ")
}

// A pprofField is one field of a protocol buffer: a number, or bytes.
type pprofField struct {
	field  int
	number uint64
	bytes  []byte
}

// pprofFields returns the fields of a message. Profiles have only numbers in
// base 128 and bytes (wire types 0 and 2).
func pprofFields(t *testing.T, message []byte) (fields []pprofField) {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		value, m := binary.Uvarint(message[max(n, 0):])
		message = message[max(n, 0)+max(m, 0):]
		f := pprofField{field: int(tag >> 3), number: value}
		switch {
		case n > 0 && m > 0 && tag&7 == 0:
		case n > 0 && m > 0 && tag&7 == 2 && value <= uint64(len(message)):
			f.bytes, message = message[:value], message[value:]
		default:
			t.Error("not a profile")
			return nil
		}
		fields = append(fields, f)
	}
	return fields
}

// Verify that net/http/pprof, serving the same process, gives the same answers.
func TestPprofAgreesWithNetHTTP(t *testing.T) {
	theirs, ours := pprofServers(t)
	symbol := pprofSymbol(t, theirs)
	for _, test := range []struct {
		method, target, body string
		same                 func(*testing.T, string) string
	}{
		{"GET", "/", "", pprofIndexed},
		{"GET", "/?debug=1", "", pprofIndexed},
		{"HEAD", "/", "", pprofExactly},
		{"GET", "/cmdline", "", pprofExactly},
		{"HEAD", "/cmdline", "", pprofExactly},
		{"GET", "/symbol", "", pprofExactly},
		{"GET", "/symbol?" + symbol, "", pprofExactly},
		{"GET", "/symbol?" + symbol + "+0x1+abc+" + symbol, "", pprofExactly},
		{"POST", "/symbol", symbol + "+" + symbol, pprofExactly},
		{"POST", "/symbol?" + symbol, "", pprofExactly},
		{"GET", "/nothing", "", pprofExactly},
		{"GET", "/heap/", "", pprofExactly},
		{"GET", "/example.com/pprof/own?debug=1", "", pprofFirstWords},
		{"GET", "/example.com/pprof/own", "", pprofTypes},
		{"GET", "/example.com/pprof/own?seconds=1", "", pprofNothing}, // refused
		{"GET", "/allocs", "", pprofTypes},
		{"GET", "/allocs?debug=1", "", pprofFirstWords},
		{"GET", "/block", "", pprofTypes},
		{"GET", "/block?debug=1", "", pprofFirstWords},
		{"GET", "/goroutine", "", pprofTypes},
		{"GET", "/goroutine?debug=1", "", pprofFirstWords},
		{"GET", "/goroutine?debug=2", "", pprofNothing},
		{"GET", "/heap", "", pprofTypes},
		{"GET", "/heap?debug=0&gc=1", "", pprofTypes},
		{"GET", "/heap?debug=1", "", pprofFirstWords},
		{"GET", "/heap?debug=abc", "", pprofTypes},
		{"GET", "/heap?seconds=", "", pprofTypes},
		{"GET", "/heap?seconds=abc", "", pprofNothing}, // 400 from both, with different texts
		{"GET", "/heap?seconds=-1", "", pprofNothing},
		{"GET", "/heap?seconds=1&debug=1", "", pprofNothing},
		{"GET", "/mutex", "", pprofTypes},
		{"GET", "/mutex?debug=1", "", pprofFirstWords},
		{"GET", "/threadcreate", "", pprofTypes},
		{"HEAD", "/threadcreate", "", pprofExactly},
		{"GET", "/threadcreate?debug=1", "", pprofFirstWords},
		{"GET", "/profile?seconds=1", "", pprofTypes},
		{"GET", "/trace?seconds=1", "", func(t *testing.T, body string) string { return body[:16] }},
	} {
		a := pprofFetch(t, test.method, theirs+"/debug/pprof"+test.target, test.body)
		b := pprofFetch(t, test.method, ours+"/debug/pprof"+test.target, test.body)
		a.body, b.body = test.same(t, a.body), test.same(t, b.body)
		if a != b {
			t.Errorf("%s %s:\n theirs %.2000s\n ours   %.2000s", test.method, test.target, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
		}
	}
	checkPprofDifferences(t, theirs, ours)
}

// pprofSymbol returns the address of a function of the process at base.
func pprofSymbol(t *testing.T, base string) string {
	t.Helper()
	body := pprofFetch(t, "GET", base+"/debug/pprof/goroutine?debug=1", "").body
	m := regexp.MustCompile(`#\s+(0x[0-9a-f]+)\s+main\.`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no address in %s", body)
	}
	return m[1]
}

// checkPprofDifferences has the answers that differ on purpose.
func checkPprofDifferences(t *testing.T, theirs, ours string) {
	for _, test := range []struct {
		method, target string
		theirs, ours   int // theirs is 0 where it is not asked
	}{
		{"GET", "", 0, 200},                  // redirected there, by a status that depends on the version of Go
		{"POST", "/", 405, 405},              // the same, by the mux there
		{"POST", "/profile", 405, 405},       // likewise
		{"GET", "/heap?seconds=1", 200, 400}, // what changes in a second there; here the tool subtracts
		{"GET", "/goroutine?seconds=1", 200, 400},
		{"GET", "/heap?seconds=301", 0, 400},    // 301 seconds there
		{"GET", "/profile?seconds=abc", 0, 400}, // 30 seconds of profile there
		{"GET", "/trace?seconds=abc", 0, 400},   // 1 second of trace there
		{"GET", "/trace?seconds=0.01", 200, 400},
	} {
		if test.theirs != 0 {
			if got := pprofFetch(t, test.method, theirs+"/debug/pprof"+test.target, ""); got.status != test.theirs {
				t.Errorf("%s %s: net/http/pprof answers %d, want %d", test.method, test.target, got.status, test.theirs)
			}
		}
		if got := pprofFetch(t, test.method, ours+"/debug/pprof"+test.target, ""); got.status != test.ours {
			t.Errorf("%s %s: %d, want %d", test.method, test.target, got.status, test.ours)
		}
	}
}

// Verify that the tools read what comes over a socket, and find in it what the
// program does.
func TestPprofTools(t *testing.T) {
	_, ours := pprofServers(t)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { // work, so that the recordings have something in them
		defer close(ended)
		for {
			select {
			case <-end:
				return
			default:
				if resp, err := http.Get(ours + "/work"); err == nil {
					resp.Body.Close()
				}
			}
		}
	}()
	defer func() {
		close(end)
		<-ended
	}()
	base := ours + "/debug/pprof/"
	first := filepath.Join(t.TempDir(), "first")
	if err := os.WriteFile(first, []byte(pprofFetch(t, "GET", base+"block", "").body), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ flag, page, want string }{
		{"-seconds=1", "profile", "main.work"},
		{"-diff_base=" + first, "block", "main.work"}, // as the answer to ?seconds says
		{"-lines", "heap?gc=1", "main.work"},
		{"-lines", "goroutine", "main.main"},
	} {
		out := ""
		for attempt := 0; attempt < 20 && !strings.Contains(out, test.want); attempt++ { // a busy machine may do no work in a second
			out = pprofGo(t, "tool", "pprof", "-symbolize=none", "-cum", "-nodefraction=0", test.flag, "-top", base+test.page)
		}
		if !strings.Contains(out, test.want) {
			t.Errorf("go tool pprof %s %s does not show %s:\n%.2000s", test.flag, test.page, test.want, out)
		}
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", base+"nothing").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("Unknown profile")) {
		t.Errorf("go tool pprof shows of an unknown profile: %v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "trace")
	events := ""
	for attempt := 0; attempt < 20 && !strings.Contains(events, "main.work"); attempt++ {
		trace := pprofFetch(t, "GET", base+"trace?seconds=1.5", "").body
		if err := os.WriteFile(file, []byte(trace), 0o666); err != nil {
			t.Fatal(err)
		}
		events = pprofGo(t, "tool", "trace", "-d=parsed", file)
	}
	if !strings.Contains(events, "main.work") {
		t.Errorf("go tool trace shows no main.work:\n%.2000s", events)
	}
}
