package main

// This file counts the calls of the service, for Prometheus.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/svc"
)

// metrics has the number and the total time of calls, by transport, method and code.
// Each label has few values, and clients cannot choose them.
type metrics struct {
	mu    sync.Mutex
	calls map[callLabels]callTotal
}

type callLabels struct{ transport, method, code string }

type callTotal struct {
	count int
	took  time.Duration
}

// observe is for svc.Options.Observe.
func (m *metrics) observe(_ context.Context, o svc.Observation) {
	labels := callLabels{string(o.Transport), o.Resource + "." + o.Method, "OK"}
	if o.Err != nil {
		labels.code = string(svc.CodeOf(o.Err))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = make(map[callLabels]callTotal)
	}
	total := m.calls[labels]
	m.calls[labels] = callTotal{total.count + 1, total.took + o.Duration}
}

// ServeHTTP writes the text format of Prometheus, version 0.0.4.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	calls := maps.Clone(m.calls)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(w, "# HELP svc_call_seconds Number and duration of calls.\n# TYPE svc_call_seconds summary\n")
	byText := func(a, b callLabels) int {
		return cmp.Or(cmp.Compare(a.transport, b.transport), cmp.Compare(a.method, b.method), cmp.Compare(a.code, b.code))
	}
	for _, l := range slices.SortedFunc(maps.Keys(calls), byText) {
		labels := fmt.Sprintf("{transport=%q,method=%q,code=%q}", l.transport, l.method, l.code)
		fmt.Fprintf(w, "svc_call_seconds_count%s %d\nsvc_call_seconds_sum%s %g\n", labels, calls[l].count, labels, calls[l].took.Seconds())
	}
}
