package svc

// This file holds the profiles that take their time: those that the runtime
// records while it goes on, and what changes in the others meanwhile.

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

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
