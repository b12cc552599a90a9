package blackbox_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
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

// pprofOwn returns the profile of that name, which cannot be made twice.
func pprofOwn(name string) *pprof.Profile {
	if p := pprof.Lookup(name); p != nil {
		return p
	}
	return pprof.NewProfile(name)
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
		t.Run(rowName(test.prefix, test.path, test.want), func(t *testing.T) {
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
		})
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
		{"/", "svc: Pprof: the prefix / covers all paths; write a path such as /debug/pprof"},
		{"///", "svc: Pprof: the prefix /// covers all paths; write a path such as /debug/pprof"},
		{"debug", "svc: Pprof: the prefix debug must be a clean path that starts with a slash"},
		{"//debug", "svc: Pprof: the prefix //debug must be a clean path that starts with a slash"},
		{"/a/../b", "svc: Pprof: the prefix /a/../b must be a clean path that starts with a slash"},
	} {
		t.Run(rowName(test.prefix), func(t *testing.T) {
			if got := guardPanic(func() { svc.Pprof(test.prefix) }); got != test.want {
				t.Errorf("Pprof(%q) panics with %v, want %v", test.prefix, got, test.want)
			}
		})
	}
}

// Verify every refusal: it takes no time, profiles nothing, and has the form
// that go tool pprof shows.
func TestPprofRefuses(t *testing.T) {
	const number, whole = "seconds must be a number from 1 to 300\n", "seconds must be a whole number from 1 to 300\n"
	const method = "method not allowed\n"
	named := func(name string) string {
		return "seconds is only for profile and trace; to see what changes, fetch " + name + " twice and subtract: go tool pprof -diff_base=first second\n"
	}
	own := pprofOwn("svc.test/own")
	own.Add(t, 0)
	defer own.Remove(t)
	for _, test := range []struct {
		method, target string
		status         int
		body           string
	}{
		{"GET", "profile?seconds=abc", 400, whole},
		{"GET", "profile?seconds=-1", 400, whole},
		{"GET", "profile?seconds=0", 400, whole},
		{"GET", "profile?seconds=301", 400, whole},
		{"GET", "profile?seconds=100000", 400, whole},
		{"GET", "profile?seconds=99999999999999999999", 400, whole},
		{"GET", "profile?seconds=1.5", 400, whole},
		{"GET", "profile?seconds=%201", 400, whole},
		{"GET", "profile?seconds=0&seconds=1", 400, whole},
		{"HEAD", "profile?seconds=abc", 400, whole},
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
		t.Run(rowName(test.method, test.target), func(t *testing.T) {
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
		})
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
		t.Run(rowName(test.counters), func(t *testing.T) {
			want := "num_symbols: 1\n" + test.want
			if got := pprofGet("", "GET", "/debug/pprof/symbol?"+test.counters).Body.String(); got != want {
				t.Errorf("GET symbol?%.40s = %q, want %q", test.counters, got, want)
			}
			r := httptest.NewRequest("POST", "/debug/pprof/symbol?"+pc, strings.NewReader(test.counters))
			if got := guardServe(svc.Pprof(""), r).Body.String(); got != want {
				t.Errorf("POST symbol %.40s = %q, want %q", test.counters, got, want)
			}
		})
	}
}

// Verify that every link of the index leads to a page, from both of its
// addresses and under any prefix.
func TestPprofIndexLinks(t *testing.T) {
	own := pprofOwn(`svc.test/<a href="x">`)
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
		"profile": "another CPU profile is being recorded; try again later\n",
		"trace":   "another trace is being recorded; try again later\n",
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
		t.Run(rowName(test.target, test.contentType), func(t *testing.T) {
			w := pprofGet("", "GET", "/debug/pprof/"+test.target)
			h := w.Header()
			if w.Code != 200 || h.Get("Content-Type") != test.contentType || h.Get("Content-Disposition") != test.disposition || !strings.HasPrefix(w.Body.String(), test.begins) {
				t.Errorf("%s: %d, %v, %.20q", test.target, w.Code, h, w.Body)
			}
		})
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
		t.Run(rowName(test.path), func(t *testing.T) {
			if got, body := rawGet(t, server.Listener.Addr().String(), test.path); got != test.want {
				t.Errorf("GET %s: %d %s, want %d", test.path, got, body, test.want)
			}
		})
	}
}
