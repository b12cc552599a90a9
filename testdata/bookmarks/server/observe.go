package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/svc"
)

// metrics has the number of calls and the time they took, by their labels: what they
// were and how they ended. Labels have few values, none of which a client chooses.
type metrics struct {
	mu    sync.Mutex
	count map[string]int
	took  map[string]time.Duration
}

// observe is svc.Options.Observe. It also logs who called; why a call failed is in the
// lines of svc.
func (m *metrics) observe(ctx context.Context, o svc.Observation) {
	method, code, subject := o.Resource+"."+o.Method, svc.CodeOf(o.Err), ""
	if p, ok := svc.PrincipalFrom(ctx); ok {
		subject = p.Subject
	}
	slog.InfoContext(ctx, "call", "transport", o.Transport, "method", method, "code", code, "seconds", o.Took.Seconds(), "subject", subject)
	labels := fmt.Sprintf("{transport=%q,method=%q,code=%q}", o.Transport, method, code)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count[labels]++
	m.took[labels] += o.Took
}

// ServeHTTP writes the text form of Prometheus, version 0.0.4.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := []byte("# HELP svc_call_seconds How many calls ended and how long they took.\n# TYPE svc_call_seconds summary\n")
	m.mu.Lock()
	for _, labels := range slices.Sorted(maps.Keys(m.count)) {
		text = fmt.Appendf(text, "svc_call_seconds_count%s %d\nsvc_call_seconds_sum%s %g\n", labels, m.count[labels], labels, m.took[labels].Seconds())
	}
	m.mu.Unlock() // before a slow reader
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(text)
}
