package svc

// This file serves the runtime's profiles at the paths, and in the forms, that
// go tool pprof expects of net/http/pprof. That package cannot be imported: it
// publishes its endpoints on http.DefaultServeMux of every program that has it
// // linked in. It answers with texts, not the envelope, since that is what go
// tool pprof reads. The times that a profile takes are in pprof_record.go.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"runtime"
	"runtime/pprof"
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

// trimmedPrefix returns prefix without its trailing slashes. It panics where
// prefix is not a path as a request has it after cleaning, since no request
// would ever be below it; who names the caller in the text.
func trimmedPrefix(who, prefix string) string {
	trimmed := strings.TrimRight(prefix, "/")
	if trimmed != "" && (trimmed[0] != '/' || path.Clean(trimmed) != trimmed) {
		panic("svc: " + who + ": the prefix " + prefix + " must be a clean path that starts with a slash")
	}
	return trimmed
}

// cutPrefixPath returns what follows prefix in p, without the slash between,
// and whether p is the prefix or below it on a segment boundary: /debug/pprofx
// is not below /debug/pprof. Where it is not, rest means nothing.
func cutPrefixPath(p, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, prefix)
	if !ok || rest == "" {
		return "", ok
	}
	return strings.CutPrefix(rest, "/")
}
