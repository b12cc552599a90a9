package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"time"
)

// amplified is how many times the memory or the time of the handler by hand a request of svc may
// take. Below the least ones a difference is not counted: a megabyte, or a millisecond.
const (
	amplified   = 8
	leastMemory = 1 << 20
	leastTime   = time.Millisecond
)

// A hostile is a request that tries to cost much more than it sends.
type hostile struct {
	name   string
	path   string
	header []string // names and values
	body   string
	status int // of svc, so that a row does not measure something else
	byHand http.HandlerFunc
}

func (h *hostile) request() *http.Request {
	r := httptest.NewRequest("POST", h.path, strings.NewReader(h.body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(h.header); i += 2 {
		r.Header.Set(h.header[i], h.header[i+1])
	}
	return r
}

// sent returns about how many bytes the request has.
func (h *hostile) sent() int { return len(h.body) + len(strings.Join(h.header, "")) }

// A spending is what one request has cost.
type spending struct {
	memory uint64 // that was allocated
	time   time.Duration
	answer int // its bytes
}

// spend serves a request and measures it. Collections before it are not counted, those that it
// makes necessary are.
func (h *hostile) spend(handler http.Handler, status int) (s spending, err error) {
	r, w := h.request(), httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	handler.ServeHTTP(w, r)
	s.time = time.Since(begin)
	runtime.ReadMemStats(&after)
	s.memory, s.answer = after.TotalAlloc-before.TotalAlloc, w.Body.Len()
	if status != 0 && w.Code != status {
		err = fmt.Errorf("%s: %d %.300s, want %d", h.name, w.Code, w.Body, status)
	}
	return s, err
}

// least returns the least of two spendings.
func least(a, b spending) spending {
	return spending{min(a.memory, b.memory), min(a.time, b.time), a.answer}
}

// hostileRequests compares what hostile requests cost svc and a handler by hand, which decodes the
// same type by encoding/json.
func hostileRequests(_, rounds int) error {
	handler, rows, err := hostileRows()
	if err != nil {
		return err
	}
	fmt.Printf("hostile requests\n  %-40s %9s  %10s %10s %6s  %8s %8s %6s\n", "", "sent",
		"memory", "by hand", "times", "time", "by hand", "times")
	var failed []error
	for _, row := range rows {
		var ours, theirs spending
		for i := range min(rounds, 5) + 1 { // the first warms up
			a, err := row.spend(handler, row.status)
			if err != nil {
				return err
			}
			b, err := row.spend(row.byHand, 0)
			if err != nil {
				return err
			}
			if i <= 1 {
				ours, theirs = a, b
			}
			ours, theirs = least(ours, a), least(theirs, b)
		}
		memory, spent := ratio(ours.memory, theirs.memory, leastMemory), ratio(ours.time, theirs.time, leastTime)
		fmt.Printf("  %-40s %6.0f KB  %7.2f MB %7.2f MB %6.1f  %5.1f ms %5.1f ms %6.1f\n", row.name, float64(row.sent())/1e3,
			float64(ours.memory)/1e6, float64(theirs.memory)/1e6, memory, ours.time.Seconds()*1e3, theirs.time.Seconds()*1e3, spent)
		if memory > amplified || spent > amplified {
			failed = append(failed, fmt.Errorf("%s costs %.1f times the memory and %.1f times the time of a handler by hand; %d is the limit",
				row.name, memory, spent, amplified))
		}
		if answer := max(row.sent(), 64<<10); ours.answer > answer && row.status/100 != 2 {
			failed = append(failed, fmt.Errorf("%s is answered by %d bytes", row.name, ours.answer))
		}
	}
	return errors.Join(failed...)
}

// ratio returns how many times b fit into a, of which neither counts as less than least.
func ratio[T uint64 | time.Duration](a, b, least T) float64 {
	return float64(max(a, least)) / float64(max(b, least))
}

// readBody reads the body of a request as a careful handler does.
func readBody(w http.ResponseWriter, r *http.Request) []byte {
	var text bytes.Buffer
	if r.ContentLength > 0 {
		text.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	if _, err := io.Copy(&text, http.MaxBytesReader(w, r.Body, size)); err != nil {
		http.Error(w, "the body is not acceptable", http.StatusBadRequest)
	}
	return text.Bytes()
}
