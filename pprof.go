package svc

// This file serves the runtime's profiles at the paths, and in the forms, that
// go tool pprof expects of net/http/pprof. That package cannot be imported: it
// publishes its endpoints on http.DefaultServeMux of every program that has it
// // linked in. It answers with texts, not the envelope, since that is what go
// tool pprof reads. The times that a profile takes are in pprof_record.go.
//
// This file writes the page that lists the profiles.
//
// This file holds the profiles that take their time: those that the runtime
// records while it goes on, and what changes in the others meanwhile.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
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

// Pprof is middleware that serves profiles of the running program below
// prefix, by default /debug/pprof, as net/http/pprof does, and passes every
// other request on. Nothing is published unless it stands in front of a
// handler.
//
//	Path           Answer
//	-------------  ----------------------------------------------------------
//	prefix         an index in HTML, with and without a slash at the end
//	…/profile      a CPU profile of ?seconds, by default 30
//	…/trace        an execution trace of ?seconds, by default 1; may be 1.5
//	…/cmdline      the command line, with NUL between the arguments
//	…/symbol       names of program counters, in the query or a POST body
//	…/heap         that profile of runtime/pprof, and so are allocs, block,
//	               goroutine, mutex, threadcreate and the program's own
//
// A profile comes as the gzipped protocol buffer that go tool pprof reads; with
// ?debug=1 or 2 as text. With ?seconds it is what changed in that time, which
// the program's own profiles do not offer. /heap?gc=1 collects garbage before.
//
// Errors are short texts, which go tool pprof prints: 404 for an unknown
// profile, 400 for seconds that are not a number from 1 to 300, 405 for a
// method other than GET and HEAD, and 409 for a CPU profile or a trace while
// another runs, as the runtime has one of each. A client that leaves ends its
// profile, and so does one that takes no data for 30 seconds.
//
// These pages tell how the program works inside and can slow it down: put a
// guard such as [BasicAuth] or [AllowIPs] in front, with [Under]. 30 to 60
// seconds are enough for a profile; keep traces short, they grow fast.
//
// Pprof panics if prefix is not empty and does not start with a slash, is not
// clean as path.Clean has it, or has nothing but slashes. Slashes at its end
// do not count.
func Pprof(prefix string) func(http.Handler) http.Handler {
	if prefix == "" {
		prefix = "/debug/pprof"
	}
	trimmed := trimmedPrefix("Pprof", prefix)
	if trimmed == "" {
		panic("svc: Pprof: the prefix " + prefix + " covers everything")
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name, ok := cutPrefixPath(r.URL.Path, trimmed)
			if !ok {
				next.ServeHTTP(w, r)
				return
			}
			if err := servePprof(w, r, name); err != nil {
				writePprofError(w, err)
			}
		})
	}
}

// maxProfileSeconds is the longest wait that a request can ask for: nobody
// should keep a profiler running by mistake.
const maxProfileSeconds = 300

// servePprof answers for the page called name. If it returns an error, nothing
// was written yet.
func servePprof(w http.ResponseWriter, r *http.Request, name string) *pprofError {
	// A body is read whatever the page: until then, a handler is never told
	// that its client has gone.
	body, failure := readPprofBody(w, r)
	if failure != nil {
		return failure
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !(r.Method == http.MethodPost && name == "symbol") {
		return pprofMethodError(w, name)
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch name {
	case "":
		writeProfileIndex(w, r)
	case "cmdline":
		setPprofText(w)
		io.WriteString(w, strings.Join(os.Args, "\x00"))
	case "symbol":
		writeSymbols(w, r, body)
	case "profile":
		return recordCPU(w, r)
	case "trace":
		return recordTrace(w, r)
	default:
		return serveProfile(w, r, name)
	}
	return nil
}

func pprofMethodError(w http.ResponseWriter, name string) *pprofError {
	allow := "GET, HEAD"
	if name == "symbol" {
		allow += ", POST"
	}
	w.Header().Set("Allow", allow)
	return &pprofError{http.StatusMethodNotAllowed, "method not allowed"}
}

// A pprofError is the answer to a request that gets no profile.
type pprofError struct {
	status  int
	message string
}

// writePprofError answers in the form that go tool pprof shows to its user: it
// looks for X-Go-Pprof and a plain text.
func writePprofError(w http.ResponseWriter, e *pprofError) {
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Go-Pprof", "1")
	setPprofText(w)
	w.WriteHeader(e.status)
	io.WriteString(w, e.message+"\n")
}

func setPprofText(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
}

func setPprofFile(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
}

// serveProfile answers with a profile of package runtime/pprof.
func serveProfile(w http.ResponseWriter, r *http.Request, name string) *pprofError {
	profile := pprof.Lookup(name)
	if profile == nil {
		return &pprofError{http.StatusNotFound, "Unknown profile"}
	}
	query := r.URL.Query()
	debug, _ := strconv.Atoi(query.Get("debug")) // what is no number is 0, as in net/http/pprof
	if seconds := query.Get("seconds"); seconds != "" {
		return serveDelta(w, r, profile, seconds, debug)
	}
	if gc, _ := strconv.Atoi(query.Get("gc")); gc > 0 && name == "heap" {
		runtime.GC()
	}
	if debug != 0 {
		setPprofText(w)
	} else {
		setPprofFile(w, name)
	}
	profile.WriteTo(w, debug) // a client that has gone cannot be told
	return nil
}

// writeSymbols answers in the format of go tool pprof's symbolizer: a line
// with a number, of which only zero would mean something, and a line for each
// counter that is known.
func writeSymbols(w http.ResponseWriter, r *http.Request, body []byte) {
	counters := r.URL.RawQuery
	if r.Method == http.MethodPost {
		counters = string(body)
	}
	setPprofText(w)
	var buf bytes.Buffer
	buf.WriteString("num_symbols: 1\n")
	for word := range strings.SplitSeq(counters, "+") {
		pc, _ := strconv.ParseUint(word, 0, 64)
		if f := runtime.FuncForPC(uintptr(pc)); pc != 0 && f != nil {
			fmt.Fprintf(&buf, "%#x %s\n", pc, f.Name())
		}
	}
	buf.WriteTo(w)
}

// Limits on a body, which only a list of program counters has a use for.
const (
	pprofBodyBytes   = 1 << 20
	pprofBodyTimeout = 30 * time.Second
)

// readPprofBody reads the whole body, in time.
func readPprofBody(w http.ResponseWriter, r *http.Request) ([]byte, *pprofError) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(pprofBodyTimeout)) // best effort: not every writer has deadlines
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, pprofBodyBytes))
	var tooLarge *http.MaxBytesError
	var timeout net.Error
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLarge):
		return nil, &pprofError{http.StatusRequestEntityTooLarge, "the body is too large"}
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, &pprofError{http.StatusRequestTimeout, "the body took too long"}
	}
	return nil, &pprofError{http.StatusBadRequest, "the body ended too early"}
}

// A profilePage is one line of the index.
type profilePage struct {
	name, about string
	count       int
}

// profilePages returns a line for each profile there is, sorted by name.
func profilePages() []profilePage {
	pages := []profilePage{
		{name: "cmdline", about: "The command line of the program."},
		{name: "profile", about: "A CPU profile, of 30 seconds or as many as the parameter seconds says."},
		{name: "symbol", about: "The functions at program counters, given in the query or in a POST body with + between them."},
		{name: "trace", about: "An execution trace for go tool trace, of 1 second or as many as the parameter seconds says."},
	}
	for _, p := range pprof.Profiles() {
		pages = append(pages, profilePage{p.Name(), aboutProfile(p.Name()), p.Count()})
	}
	slices.SortFunc(pages, func(a, b profilePage) int { return strings.Compare(a.name, b.name) })
	return pages
}

func aboutProfile(name string) string {
	switch name {
	case "allocs":
		return "Where memory was allocated since the program began, sampled."
	case "block":
		return "Where goroutines waited for each other; empty unless the program calls runtime.SetBlockProfileRate."
	case "goroutine":
		return "What every goroutine is doing; with debug=2 in the form of a panic."
	case "goroutineleak":
		return "What goroutines that can never go on are waiting for."
	case "heap":
		return "Where the memory in use was allocated, sampled; with gc=1 after a garbage collection."
	case "mutex":
		return "Who held contended mutexes; empty unless the program calls runtime.SetMutexProfileFraction."
	case "threadcreate":
		return "What led to new threads of the operating system."
	}
	return "A profile of the program's own."
}

// writeProfileIndex answers with a page of links. They are relative, so that
// they hold behind a proxy that strips a prefix, and take account of whether
// the page itself was asked for with a slash at the end.
func writeProfileIndex(w http.ResponseWriter, r *http.Request) {
	base := ""
	if !strings.HasSuffix(r.URL.Path, "/") {
		base = path.Base(r.URL.Path) + "/"
	}
	link := func(name, query string) string {
		return html.EscapeString((&url.URL{Path: base + name, RawQuery: query}).String())
	}
	var buf bytes.Buffer
	buf.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Profiles</title>\n<h1>Profiles</h1>\n")
	buf.WriteString("<table>\n<tr><th>Count<th>Profile<th>What it shows\n")
	for _, p := range profilePages() {
		fmt.Fprintf(&buf, "<tr><td>%d<td><a href=\"%s\">%s</a><td>%s\n", p.count, link(p.name, "debug=1"), html.EscapeString(p.name), p.about)
	}
	fmt.Fprintf(&buf, "</table>\n<p><a href=\"%s\">All goroutines with their stacks</a>\n", link("goroutine", "debug=2"))
	buf.WriteString("<p>With debug=1 a profile is text; without, it is a file for go tool pprof.\n</html>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	buf.WriteTo(w)
}

// recordCPU answers with a CPU profile of some seconds from now.
func recordCPU(w http.ResponseWriter, r *http.Request) *pprofError {
	seconds, err := strconv.Atoi(profileSeconds(r, "30"))
	if err != nil || seconds < 1 || seconds > maxProfileSeconds {
		return errProfileSeconds()
	}
	setPprofFile(w, "profile")
	duration := time.Duration(seconds) * time.Second
	if err := pprof.StartCPUProfile(newRecordWriter(w, r, duration)); err != nil {
		return &pprofError{http.StatusConflict, "a CPU profile is running already; try again when it is done"}
	}
	defer pprof.StopCPUProfile() // waits for the last write
	await(r.Context(), duration)
	return nil
}

// recordTrace answers with an execution trace of some seconds from now.
func recordTrace(w http.ResponseWriter, r *http.Request) *pprofError {
	seconds, err := strconv.ParseFloat(profileSeconds(r, "1"), 64)
	if err != nil || !(seconds >= 1 && seconds <= maxProfileSeconds) { // NaN is neither
		return errProfileSeconds()
	}
	setPprofFile(w, "trace")
	duration := time.Duration(seconds * float64(time.Second))
	if err := trace.Start(newRecordWriter(w, r, duration)); err != nil {
		return &pprofError{http.StatusConflict, "a trace is running already; try again when it is done"}
	}
	defer trace.Stop() // waits for the last write
	await(r.Context(), duration)
	return nil
}

// profileSeconds returns the query parameter seconds as sent, or absent where
// it is missing or empty.
func profileSeconds(r *http.Request, absent string) string {
	if s := r.URL.Query().Get("seconds"); s != "" {
		return s
	}
	return absent
}

func errProfileSeconds() *pprofError {
	return &pprofError{http.StatusBadRequest, fmt.Sprintf("seconds must be a number from 1 to %d", maxProfileSeconds)}
}

// await waits for d to pass or ctx to end, and returns ctx's error if that was
// it.
func await(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// A recordWriter passes on what the runtime records, from a goroutine of the
// runtime's own. A client that takes nothing would block that goroutine and
// with it the one profiler of the program, so each write gets a deadline;
// net/http lifts it when the request is done.
type recordWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

const recordWriteTimeout = 30 * time.Second

func newRecordWriter(w http.ResponseWriter, r *http.Request, d time.Duration) *recordWriter {
	allowWait(w, r, d)
	return &recordWriter{w, http.NewResponseController(w)}
}

func (rec *recordWriter) Write(b []byte) (int, error) {
	rec.control.SetWriteDeadline(time.Now().Add(recordWriteTimeout)) // best effort: not every writer has deadlines
	return rec.w.Write(b)
}

// allowWait moves the deadline that the server's WriteTimeout has set, so that
// it does not count the time the client has asked to wait.
func allowWait(w http.ResponseWriter, r *http.Request, d time.Duration) {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.WriteTimeout > 0 {
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d + s.WriteTimeout))
	}
}

// serveDelta answers with what changes in a profile within some seconds.
func serveDelta(w http.ResponseWriter, r *http.Request, profile *pprof.Profile, param string, debug int) *pprofError {
	seconds, err := strconv.Atoi(param)
	switch {
	case err != nil || seconds < 1 || seconds > maxProfileSeconds:
		return errProfileSeconds()
	case !hasDelta(profile.Name()):
		return &pprofError{http.StatusBadRequest, "this profile cannot be taken over some seconds"}
	case debug != 0:
		return &pprofError{http.StatusBadRequest, "seconds and debug cannot go together"}
	}
	duration := time.Duration(seconds) * time.Second
	allowWait(w, r, duration)
	var before, after, delta bytes.Buffer
	if err := profile.WriteTo(&before, 0); err != nil {
		return &pprofError{http.StatusInternalServerError, "the profile could not be taken"}
	}
	if await(r.Context(), duration) != nil {
		return &pprofError{http.StatusRequestTimeout, "the request ended before its seconds did"}
	}
	if err := profile.WriteTo(&after, 0); err != nil {
		return &pprofError{http.StatusInternalServerError, "the profile could not be taken"}
	}
	if err := writeProfileDelta(&delta, before.Bytes(), after.Bytes()); err != nil {
		return &pprofError{http.StatusInternalServerError, "the profiles could not be compared"}
	}
	setPprofFile(w, profile.Name()+"-delta")
	delta.WriteTo(w)
	return nil
}

// hasDelta reports whether a profile counts events or objects of the runtime's
// own. What the numbers of others mean, only the program knows.
func hasDelta(profile string) bool {
	switch profile {
	case "allocs", "block", "goroutine", "goroutineleak", "heap", "mutex", "threadcreate":
		return true
	}
	return false
}
