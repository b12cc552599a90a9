package svc_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// Handlers and methods read the requested version from their context.
func ExampleVersion() {
	version := svc.Version(svc.VersionOptions{
		DefaultVersion: "v2",
		PathPrefix:     true,
		Supported:      []string{"v1", "v2"},
		Deprecations: map[string]svc.Deprecation{"v1": {
			Since:  time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
			Sunset: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Link:   "https://example.com/migrate",
		}},
	})
	handler := version(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, svc.GetVersion(r.Context()))
	}))
	for _, target := range []string{"/todos", "/v1/todos", "/v3/todos"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		fmt.Printf("%d %s %q %q\n", w.Code, w.Body, w.Header().Get("Deprecation"), w.Header().Get("Sunset"))
	}
	// Output:
	// 200 v2 "" ""
	// 200 v1 "@1735689600" "Thu, 01 Jan 2026 00:00:00 GMT"
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"this version of the API does not exist","details":{"supported":["v1","v2"]}}} "" ""
}

// The guard protects the pages of Pprof and no other path.
func ExamplePprof() {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the site") })
	guard := svc.Under("/debug/pprof", svc.BasicAuth("profiles", map[string]string{"op": "secret"}, nil))
	handler := guard(svc.Pprof("")(site))

	for _, path := range []string{"/", "/debug/pprof/heap"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Body)
	}
	r := httptest.NewRequest("GET", "/debug/pprof/heap", nil)
	r.SetBasicAuth("op", "secret")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// 200 the site
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"a valid name and password are required"}}
	// 200 application/octet-stream
}

// Programs keep hashes of keys, and compare them in constant time.
func ExampleAPIKey() {
	known := sha256.Sum256([]byte("robot-key"))
	guard := svc.APIKey("X-Api-Key", func(ctx context.Context, key string) (*svc.Principal, error) {
		hash := sha256.Sum256([]byte(key))
		if subtle.ConstantTimeCompare(hash[:], known[:]) != 1 {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is unknown")
		}
		return &svc.Principal{Subject: "robot"}, nil
	}, svc.APIKeyOptions{Logger: noLog})
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Schemes:  []svc.Scheme{{Type: "apiKey", Header: "X-Api-Key"}},
	})
	for _, key := range []string{"robot-key", "other"} {
		r := httptest.NewRequest("GET", "/lamps", nil)
		r.Header.Set("X-Api-Key", key)
		w := httptest.NewRecorder()
		guard(service.REST()).ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 {"Lamps":[]}
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"the API key is not valid"}}
}

func ExampleAllowIPs() {
	allow := svc.AllowIPs(nil, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	handler := svc.Under("/admin", allow)(http.NotFoundHandler())

	r := httptest.NewRequest("GET", "/admin", nil)
	r.RemoteAddr = "192.0.2.1:1234"
	r.Header.Set("X-Forwarded-For", "127.0.0.1") // any client can send this
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output:
	// 403 {"error":{"code":"PERMISSION_DENIED","message":"requests from this address are not allowed"}}
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

// A span is created at the end of a call. It started o.Took before.
func ExampleObservation_span() {
	var spans []Span
	observe := func(ctx context.Context, o svc.Observation) {
		end := time.Now()
		info, _ := svc.InfoFrom(ctx)
		s := Span{Parent: info.Trace, Start: end.Add(-o.Took), End: end, Attributes: make(map[string]string)}
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
