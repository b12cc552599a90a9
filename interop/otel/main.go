// Otel puts the instrumentation of OpenTelemetry for net/http around every middleware of svc, alone
// and in every order of two, and fails if a span has another name than that of its route, or does
// not go on with the trace of its caller. It also writes a span for each call of a method, as
// doc/recipes.md shows.
//
// Usage:
//
//	go run .
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"example.com/svc"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("otel: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// A ThingAPI is what the service does.
type ThingAPI interface {
	Get(context.Context, *Thing) (*Thing, error)
	Watch(context.Context) (svc.Stream[Thing], error)
}

// A Thing is input and output.
type Thing struct {
	ID string `path:"id" json:"id"`
}

type things struct{}

// Get panics for the id broken.
func (things) Get(_ context.Context, in *Thing) (*Thing, error) {
	if in.ID == "broken" {
		panic("this is in no log")
	}
	return in, nil
}

func (things) Watch(context.Context) (svc.Stream[Thing], error) {
	return func(yield func(*Thing, error) bool) { yield(&Thing{ID: "7"}, nil) }, nil
}

// newMux returns the handlers of the service.
func newMux(quiet *slog.Logger) *http.ServeMux {
	s := svc.MustRegister[ThingAPI](things{}, &svc.Options{Resource: "things", Logger: quiet, Methods: map[string]svc.MethodOptions{
		"Watch": {HTTP: "GET /things/watch"},
	}})
	mux := http.NewServeMux()
	mux.Handle("/", s.REST())
	mux.Handle("POST /rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("GET /openapi.json", s.OpenAPI())
	mux.Handle("GET /by-hand/{id}", svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return svc.Errorf(svc.CodeNotFound, "there is no %s", r.PathValue("id"))
	}, &svc.ErrorOptions{Logger: quiet}))
	return mux
}

// A request has the name that its span gets, and the status of its answer.
type request struct {
	method, path, body string
	span               string
	status             int
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

var requests = []request{
	{"GET", "/things/7", "", "GET /things/{id}", 200},
	{"GET", "/things/broken", "", "GET /things/{id}", 500},
	{"GET", "/things/watch", "", "GET /things/watch", 200},
	{"POST", "/rpc", ping, "POST /rpc", 200},
	{"POST", "/mcp", ping, "POST /mcp", 200},
	{"GET", "/openapi.json", "", "GET /openapi.json", 200},
	{"GET", "/by-hand/7", "", "GET /by-hand/{id}", 404},
}

// A named middleware.
type named struct {
	name string
	wrap func(http.Handler) http.Handler
}

// middleware returns every middleware of svc, which let the requests through.
func middleware(quiet *slog.Logger) []named {
	verify := func(context.Context, string) (*svc.Principal, error) { return &svc.Principal{Subject: "ada"}, nil }
	return []named{
		{"nothing", func(h http.Handler) http.Handler { return h }},
		{"AllowIPs", svc.AllowIPs([]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, nil)},
		{"APIKey", svc.APIKey("X-Api-Key", verify, &svc.APIKeyOptions{Logger: quiet})},
		{"BasicAuth", svc.BasicAuth("things", map[string]string{"ada": "l"}, nil)},
		{"Bearer", svc.Bearer(verify, &svc.BearerOptions{Optional: true, Logger: quiet})},
		{"CORS", svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example"}})},
		{"Pprof", svc.Pprof("/debug/pprof")},
		{"Recover", svc.Recover(&svc.ErrorOptions{Logger: quiet})},
		{"Under", svc.Under("/things", svc.Version(nil))},
		{"Version", svc.Version(nil)},
		{"VersionFromHeader", svc.VersionFromHeader("X-Version")},
		{"VersionFromPath", svc.VersionFromPath()},
		{"VersionFromQuery", svc.VersionFromQuery("v")},
	}
}

func run() error {
	quiet := slog.New(slog.DiscardHandler)
	mux, all := newMux(quiet), middleware(quiet)
	var failed []error
	count := 0
	for _, outer := range all {
		for _, inner := range all {
			spans := tracetest.NewSpanRecorder()
			h := otelhttp.NewHandler(outer.wrap(inner.wrap(mux)), "", otelhttp.WithPropagators(propagation.TraceContext{}),
				otelhttp.WithTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans))))
			for _, r := range requests {
				count++
				if err := check(h, r, spans); err != nil {
					failed = append(failed, fmt.Errorf("%s around %s: %s %s: %w", outer.name, inner.name, r.method, r.path, err))
				}
			}
		}
	}
	fmt.Printf("%d requests through %d orders of middleware\n", count, len(all)*len(all))
	return errors.Join(append(failed, checkObserve(quiet))...)
}

// observe returns a function for Options.Observe, which writes a span for each call of a method.
func observe(tracer oteltrace.Tracer) func(context.Context, svc.Observation) {
	return func(ctx context.Context, o svc.Observation) {
		end := time.Now()
		_, span := tracer.Start(ctx, o.Resource+"."+o.Method, oteltrace.WithTimestamp(end.Add(-o.Duration)))
		span.SetAttributes(attribute.String("svc.transport", string(o.Transport)))
		if o.Err != nil {
			span.SetStatus(codes.Error, string(svc.CodeOf(o.Err)))
		}
		span.End(oteltrace.WithTimestamp(end))
	}
}

// checkObserve makes a call in a batch of JSON-RPC, whose span must be inside that of the request.
func checkObserve(quiet *slog.Logger) error {
	spans := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	s := svc.MustRegister[ThingAPI](things{}, &svc.Options{Resource: "things", Logger: quiet, Observe: observe(provider.Tracer("things"))})
	mux := http.NewServeMux()
	mux.Handle("POST /rpc", s.RPC())
	handler := otelhttp.NewHandler(mux, "", otelhttp.WithTracerProvider(provider))

	r := httptest.NewRequest("POST", "/rpc", strings.NewReader(`[{"jsonrpc":"2.0","id":1,"method":"things.get","params":{"id":"broken"}}]`))
	r.Header.Set("Content-Type", "application/json")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	ended := spans.Ended()
	if len(ended) != 2 || ended[0].Name() != "things.get" || ended[0].Status().Description != "INTERNAL" ||
		ended[0].Parent().SpanID() != ended[1].SpanContext().SpanID() {
		return fmt.Errorf("a call in a batch: the spans are %v", ended)
	}
	return nil
}

// check sends a request to h and looks at its span.
func check(h http.Handler, want request, spans *tracetest.SpanRecorder) error {
	const traceID = "0af7651916cd43dd8448eb211c80319c"
	r, w := httptest.NewRequest(want.method, want.path, strings.NewReader(want.body)), httptest.NewRecorder()
	r.SetBasicAuth("ada", "l")
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"X-Api-Key": "k", "Traceparent": "00-" + traceID + "-b7ad6b7169203331-01"} {
		r.Header.Set(name, value)
	}
	h.ServeHTTP(w, r)
	ended := spans.Ended()
	spans.Reset()
	switch {
	case w.Code != want.status:
		return fmt.Errorf("%d %s, want %d", w.Code, w.Body, want.status)
	case len(ended) != 1:
		return fmt.Errorf("%d spans have ended, want 1", len(ended))
	case ended[0].Name() != want.span:
		return fmt.Errorf("the span is named %q, want %q", ended[0].Name(), want.span)
	case ended[0].SpanContext().TraceID().String() != traceID:
		return fmt.Errorf("the span has the trace %v, want %s", ended[0].SpanContext().TraceID(), traceID)
	}
	return nil
}
