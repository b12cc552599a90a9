package svc

// This file serves the profiles of package runtime/pprof, with the paths and formats of
// net/http/pprof that go tool pprof expects. It does not import net/http/pprof, because
// that package registers its handlers on http.DefaultServeMux of every program that
// links it. Errors are plain text, not the envelope: go tool pprof shows them.

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pprof returns middleware that serves profiles of the running program below prefix, for go tool
// pprof, with the same paths as net/http/pprof. Other requests go to the next handler. An empty
// prefix means /debug/pprof. Slashes at the end are ignored. doc/profiles.md lists the paths, the
// errors and the differences from net/http/pprof.
//
// Profiles show the inner workings of the program, and recording slows it down. Put a guard
// such as [BasicAuth] or [AllowIPs] in front, with [Under].
//
// Pprof panics if prefix is not empty and does not start with a slash, if it consists of
// slashes only, or if path.Clean would change it.
func Pprof(prefix string) func(http.Handler) http.Handler {
	if prefix == "" {
		prefix = "/debug/pprof"
	}
	trimmed := trimmedPrefix("Pprof", prefix)
	if trimmed == "" {
		panic("svc: Pprof: the prefix " + prefix + " covers all paths; write a path such as /debug/pprof")
	}
	return middleware(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		name, ok := cutPrefixPath(r.URL.Path, trimmed)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if err := servePprof(w, r, name); err != nil {
			w.Header().Del("Content-Disposition")
			w.Header().Set("X-Go-Pprof", "1") // makes go tool pprof print the text
			setPprofText(w)
			e := ErrorFrom(err)
			w.WriteHeader(e.HTTPStatus())
			io.WriteString(w, e.message()+"\n")
		}
	})
}

// servePprof serves the path name below the prefix, such as "heap". If it returns an error, it has
// written nothing.
func servePprof(w http.ResponseWriter, r *http.Request, name string) error {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// Always read the body first: net/http notices that a client has disconnected
	// only after it has read the body.
	l := limits{DefaultMaxBody, DefaultBodyTimeout}
	l.setDeadline(w, r)
	body, err := l.readBody(r, r.Body, nil, keepAll) // only symbol uses it
	if err != nil {
		leaveBody(w, r)
		return err
	}
	allowed := []string{http.MethodGet, http.MethodHead}
	if name == "symbol" {
		allowed = append(allowed, http.MethodPost)
	}
	if !slices.Contains(allowed, r.Method) {
		w.Header().Set("Allow", strings.Join(allowed, ", ")) // RFC 9110, section 15.5.6
		return httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "method not allowed")
	}
	switch name {
	case "":
		writeProfileIndex(w, r)
	case "cmdline":
		setPprofText(w)
		io.WriteString(w, strings.Join(os.Args, "\x00"))
	case "symbol":
		writeSymbols(w, r, body)
	case "profile", "trace":
		return serveRecording(w, r, name)
	default:
		return serveNamedProfile(w, r, name)
	}
	return nil
}

// serveNamedProfile serves a profile of package runtime/pprof, such as heap, or a profile that the
// program has added.
func serveNamedProfile(w http.ResponseWriter, r *http.Request, name string) error {
	profile := pprof.Lookup(name)
	if profile == nil {
		return httpError(http.StatusNotFound, CodeNotFound, "Unknown profile")
	}
	query := r.URL.Query()
	if query.Get("seconds") != "" {
		// The client wants to see a few seconds. Without this error it would see the time
		// since the program started.
		return Errorf(CodeInvalidArgument, "seconds is only for profile and trace; to see what changes, fetch %s twice and subtract: go tool "+
			"pprof -diff_base=first second", name)
	}
	debug, _ := strconv.Atoi(query.Get("debug")) // other text counts as 0, as in net/http/pprof
	if gc, _ := strconv.Atoi(query.Get("gc")); gc > 0 && name == "heap" {
		runtime.GC()
	}
	if debug != 0 {
		setPprofText(w)
	} else {
		setPprofFile(w, name)
	}
	profile.WriteTo(w, debug) // an error means that the client has disconnected
	return nil
}

// maxProfileSeconds is the longest recording. It keeps a mistyped number from running
// a profiler for hours.
const maxProfileSeconds = 300

// serveRecording serves a CPU profile or an execution trace that starts now. The runtime
// writes a CPU profile when it ends, and a trace while it runs.
func serveRecording(w http.ResponseWriter, r *http.Request, name string) error {
	what, usual, number, start, stop := "CPU profile", "30", "whole number", pprof.StartCPUProfile, pprof.StopCPUProfile
	if name == "trace" {
		what, usual, number, start, stop = "trace", "1", "number", trace.Start, trace.Stop
	}
	seconds, err := strconv.ParseFloat(cmp.Or(r.URL.Query().Get("seconds"), usual), 64)
	// NaN is not >= 1
	if err != nil || !(seconds >= 1 && seconds <= maxProfileSeconds) || name == "profile" && seconds != math.Trunc(seconds) {
		return Errorf(CodeInvalidArgument, "seconds must be a %s from 1 to %d", number, maxProfileSeconds)
	}
	setPprofFile(w, name)
	duration := time.Duration(seconds * float64(time.Second))
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.WriteTimeout > 0 {
		// most WriteTimeouts are shorter than 30 seconds
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(duration + s.WriteTimeout))
	}
	if err := start(recordWriter{w}); err != nil {
		return httpError(http.StatusConflict, CodeAborted, "another %s is being recorded; try again later", what)
	}
	defer stop() // waits for the last write
	ctx, cancel := context.WithTimeout(r.Context(), duration)
	defer cancel()
	<-ctx.Done()
	return nil
}

// A recordWriter writes the recording of the runtime. The runtime calls Write from its own
// goroutine. A client that stops reading would block that goroutine, and with it the only profiler
// of the program, so each write has a deadline. net/http removes the deadline at the end of the
// request.
type recordWriter struct{ w http.ResponseWriter }

// recordWriteTimeout is how long one write may take.
const recordWriteTimeout = 30 * time.Second

func (rec recordWriter) Write(b []byte) (int, error) {
	http.NewResponseController(rec.w).SetWriteDeadline(time.Now().Add(recordWriteTimeout))
	return rec.w.Write(b)
}

// writeSymbols writes the names of program counters in the format that go tool pprof reads. The
// number in the first line must not be 0. Unknown counters are left out:
//
//	0x4711+0x1  =>  num_symbols: 1
//	                0x4711 main.main
func writeSymbols(w http.ResponseWriter, r *http.Request, body []byte) {
	counters := r.URL.RawQuery
	if r.Method == http.MethodPost {
		counters = string(body)
	}
	setPprofText(w)
	io.WriteString(w, "num_symbols: 1\n")
	for word := range strings.SplitSeq(counters, "+") {
		pc, _ := strconv.ParseUint(word, 0, 64)
		if f := runtime.FuncForPC(uintptr(pc)); pc != 0 && f != nil {
			fmt.Fprintf(w, "%#x %s\n", pc, f.Name())
		}
	}
}

// writeProfileIndex writes the HTML page of links. The links are relative, so that they
// work behind a proxy that strips a prefix. Browsers resolve them against the path up
// to its last slash, so if the path does not end with a slash, each link begins with
// the last segment of the path.
func writeProfileIndex(w http.ResponseWriter, r *http.Request) {
	base := ""
	if !strings.HasSuffix(r.URL.Path, "/") {
		base = path.Base(r.URL.Path) + "/"
	}
	link := func(name, query string) string {
		return html.EscapeString((&url.URL{Path: base + name, RawQuery: query}).String())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Profiles</title>\n<h1>Profiles</h1>\n")
	io.WriteString(w, "<table>\n<tr><th>Count<th>Profile\n")
	counts := map[string]int{"cmdline": 0, "profile": 0, "symbol": 0, "trace": 0}
	for _, p := range pprof.Profiles() {
		counts[p.Name()] = p.Count()
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "<tr><td>%d<td><a href=\"%s\">%s</a>\n", counts[name], link(name, "debug=1"), html.EscapeString(name))
	}
	fmt.Fprintf(w, "</table>\n<p><a href=\"%s\">All goroutines with their stacks</a>\n", link("goroutine", "debug=2"))
	io.WriteString(w, "<p>With debug=1 a profile is text; without it, a file for go tool pprof.\n</html>\n")
}

func setPprofText(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/plain; charset=utf-8") }

// setPprofFile sets the headers of a file that browsers save as name.
func setPprofFile(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
}
