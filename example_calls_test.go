package svc_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// What happens around a call: in process, in an interceptor, with an idempotency key, and for metrics
// and traces?

// Call calls a method by name, for example for an event from a queue. NewInput returns
// an input with its defaults.
func ExampleService_Call() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	in, err := service.NewInput("lamps", "dim")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := json.Unmarshal([]byte(`{"id":"hall","level":70}`), in); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("over", in.(*DimLamp).Over)
	out, err := service.Call(context.Background(), "lamps", "dim", in)
	fmt.Println(out, err)

	_, err = service.Call(context.Background(), "lamps", "dim", &DimLamp{ID: "hall", Level: 101})
	fmt.Println(err)

	// Output:
	// over 1s
	// &{hall 70} <nil>
	// INVALID_ARGUMENT: invalid input: /level must be at most 100
}

// Intercept wraps every call, on every transport.
func ExampleOptions() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
			return func(ctx context.Context, resource, method string, input any) (any, error) {
				output, err := next(ctx, resource, method, input)
				fmt.Println(resource+"."+method, svc.CodeOf(err))
				return output, err
			}
		},
		Logger: noLog,
	})
	try(service.REST(), "POST", "/lamps/dim", `{"id":"hall","level":10}`)
	try(service.REST(), "POST", "/lamps/dim", `{"id":"attic","level":10}`)

	// Output:
	// lamps.dim OK
	// 200 {"id":"hall","level":10}
	// lamps.dim NOT_FOUND
	// 404 {"error":{"code":"NOT_FOUND","message":"there is no lamp \"attic\""}}
}

// InfoFrom tells a method how it is called, and lets it add headers to the response.
func ExampleInfoFrom() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
			return func(ctx context.Context, resource, method string, input any) (any, error) {
				if info, ok := svc.InfoFrom(ctx); ok && info.Header != nil {
					info.Header.Set("X-Called", string(info.Transport)+" "+info.Resource+"."+info.Method)
				}
				return next(ctx, resource, method, input)
			}
		},
	})
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, httptest.NewRequest("GET", "/lamps", nil))
	fmt.Println(w.Header().Get("X-Called"))

	// Output:
	// rest lamps.list
}

// A call that is sent again with its key has one effect. Here the effects and the records
// are in memory, in one process, and a method that fails has done nothing. If the
// effects are in a database, keep the records in their transaction, as doc/keystore.md shows.
func ExampleIdempotency() {
	var records sync.Map // by id; nil while the call runs
	once := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		if known, ok := records.LoadOrStore(id, record); ok {
			if record = known.([]byte); record == nil {
				err = svc.Errorf(svc.CodeAborted, "a call with this key is running; try again")
			}
			return record, err
		}
		defer func() {
			if records.Store(id, record); record == nil { // of an error or a panic
				records.Delete(id)
			}
		}()
		return do(ctx)
	}
	service := svc.MustRegister[NoteAPI](&notes{}, &svc.Options{
		Resource:    "notes",
		Idempotency: &svc.Idempotency{Run: once},
		Methods:     map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}},
	})
	for range 2 {
		r := httptest.NewRequest("POST", "/notes", strings.NewReader(`{"text":"Buy milk"}`))
		r.Header.Set("Idempotency-Key", "k-1")
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, r)
		fmt.Printf("%d %s %q\n", w.Code, w.Body, w.Header().Get("Idempotent-Replayed"))
	}
	try(service.REST(), "GET", "/notes", "")

	// Output:
	// 200 {"id":1,"text":"Buy milk"} ""
	// 200 {"id":1,"text":"Buy milk"} "true"
	// 200 {"items":[{"id":1,"text":"Buy milk"}],"total":1}
}

// CallMetrics counts calls and writes the counts in the text format of Prometheus.
type CallMetrics struct {
	mu     sync.Mutex
	counts map[string]int // by labels; each label has few values
}

// Observe is for Options.Observe.
func (m *CallMetrics) Observe(_ context.Context, o svc.Observation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[fmt.Sprintf("{transport=%q,method=%q,code=%q}", o.Transport, o.Resource+"."+o.Method, svc.CodeOf(o.Err))]++
}

// WriteText writes the counts.
func (m *CallMetrics) WriteText(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintln(w, "# TYPE svc_calls_total counter")
	for _, labels := range slices.Sorted(maps.Keys(m.counts)) {
		fmt.Fprintf(w, "svc_calls_total%s %d\n", labels, m.counts[labels])
	}
}

// One function is enough to count calls for Prometheus.
func ExampleObservation_prometheus() {
	metrics := &CallMetrics{counts: make(map[string]int)}
	primes := svc.MustRegister[PrimesAPI](primes{}, &svc.Options{
		Resource: "primes", Observe: metrics.Observe, Logger: slog.New(slog.DiscardHandler),
	})
	for _, target := range []string{"/primes/watch", "/nowhere"} {
		primes.REST().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", target, strings.NewReader(`{"count":2}`)))
	}
	primes.RPC().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"primes.watch","params":{"count":0}}`)))

	var text strings.Builder
	metrics.WriteText(&text)
	fmt.Print(text.String())
	// Output:
	// # TYPE svc_calls_total counter
	// svc_calls_total{transport="rest",method="primes.watch",code="OK"} 1
	// svc_calls_total{transport="rpc",method="primes.watch",code="INVALID_ARGUMENT"} 1
}

// A Span is what tracers such as OpenTelemetry record for a call. The attributes have
// the names of the semantic conventions: the stable ones for HTTP, and those for JSON-RPC
// and MCP, which are not final yet.
type Span struct {
	Parent     svc.Trace // of the caller; a tracer's propagator reads it
	Name       string
	Start, End time.Time
	Attributes map[string]string
	Error      string
}

// A span is created at the end of a call. It started o.Duration before.
func ExampleObservation_span() {
	var spans []Span
	observe := func(ctx context.Context, o svc.Observation) {
		end := time.Now()
		info, _ := svc.InfoFrom(ctx)
		s := Span{Parent: info.Trace, Start: end.Add(-o.Duration), End: end, Attributes: make(map[string]string)}
		switch {
		case o.Route != "": // HTTP; only a status from 500 on is an error of a server
			method, path, _ := strings.Cut(o.Route, " ")
			s.Name, s.Attributes["http.request.method"], s.Attributes["http.route"] = o.Route, method, path
			s.Attributes["http.response.status_code"] = strconv.Itoa(o.Status)
			if o.Status >= 500 {
				s.Error = strconv.Itoa(o.Status)
			}
		case o.Transport == svc.TransportMCP:
			s.Name, s.Attributes["mcp.method.name"] = o.RPC+" "+o.Resource+"_"+o.Method, o.RPC
			s.Attributes["gen_ai.tool.name"] = o.Resource + "_" + o.Method
			if o.Err != nil {
				s.Error = "tool_error"
			}
		default: // JSON-RPC, and Service.Call
			s.Name, s.Attributes["rpc.system.name"], s.Attributes["rpc.method"] = cmp.Or(o.RPC, o.Resource+"."+o.Method), "jsonrpc", o.RPC
			if o.Err != nil {
				s.Error = strconv.Itoa(svc.ErrorFrom(o.Err).RPCCode())
				s.Attributes["rpc.response.status_code"] = s.Error
			}
		}
		if s.Error != "" {
			s.Attributes["error.type"] = s.Error
		}
		spans = append(spans, s) // a real program passes it to its tracer
	}
	primes := svc.MustRegister[PrimesAPI](primes{}, &svc.Options{Resource: "primes", Observe: observe, Logger: slog.New(slog.DiscardHandler)})

	r := httptest.NewRequest("POST", "/primes/watch", strings.NewReader(`{"count":2}`))
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	primes.REST().ServeHTTP(httptest.NewRecorder(), r)
	primes.RPC().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"primes.watch","params":{"count":0}}`)))
	for _, s := range spans {
		fmt.Println(s.Name, s.Parent.Parent, s.Attributes)
	}
	// Output:
	// POST /primes/watch 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 map[http.request.method:POST http.response.status_code:200 http.route:/primes/watch]
	// primes.watch  map[error.type:-32602 rpc.method:primes.watch rpc.response.status_code:-32602 rpc.system.name:jsonrpc]
}
