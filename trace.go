package svc

// This file passes the trace context of a request to the calls that its method makes
// (W3C Trace Context).

import (
	"context"
	"net/http"
)

// A Trace is a trace context (W3C Trace Context and Baggage) in its wire form. svc passes it on
// without parsing it. Parts of more than 8 KiB are left out. The zero Trace is empty.
type Trace struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// traceNames are the names of the parts of a Trace, in headers and in the _meta of MCP.
var traceNames = [...]string{"traceparent", "tracestate", "baggage"}

// maxTrace is how many bytes a part of a Trace may have.
const maxTrace = 8 << 10

// traceOf returns the Trace with the parts that text returns, by their index in traceNames.
func traceOf(text func(i int) string) Trace {
	var parts [len(traceNames)]string
	for i := range parts {
		if parts[i] = text(i); len(parts[i]) > maxTrace {
			parts[i] = ""
		}
	}
	return Trace{parts[0], parts[1], parts[2]}
}

// The context keys of a Trace: one for WithTrace, which sends it, and one for a Trace received with
// a message of MCP.
type (
	sentTrace     struct{}
	receivedTrace struct{}
)

// WithTrace returns a copy of ctx in which calls of a client send t in their headers. Without it
// they send no trace, even in a method that was called with one. Parts that a header cannot hold,
// and parts of more than 8 KiB, are not sent.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, sentTrace{}, t)
}

// addTrace adds the Trace that WithTrace put into ctx to the header of a request. A header that is
// already set comes from a field of the input, and stays.
func addTrace(ctx context.Context, header http.Header) {
	t, ok := ctx.Value(sentTrace{}).(Trace)
	if !ok {
		return
	}
	for i, text := range [...]string{t.Parent, t.State, t.Baggage} {
		name := http.CanonicalHeaderKey(traceNames[i])
		if text != "" && len(text) <= maxTrace && isHeaderValue(text) && header[name] == nil {
			header[name] = []string{text}
		}
	}
}
