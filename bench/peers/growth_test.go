package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

// This file shows how svc grows with the service, with its requests and with its
// clients. Time for a byte, a call or a method should stay the same as there are
// more of them; where it is not obvious each benchmark reports it.

// TenAPI has ten methods. Services of more are joined from it.
type TenAPI interface {
	A(context.Context, *Create) (*Todo, error)
	B(context.Context, *Create) (*Todo, error)
	C(context.Context, *Create) (*Todo, error)
	D(context.Context, *Create) (*Todo, error)
	E(context.Context, *Create) (*Todo, error)
	F(context.Context, *Get) (*Todo, error)
	G(context.Context, *Get) (*Todo, error)
	H(context.Context, *Get) (*Todo, error)
	I(context.Context, *Import) (*Imported, error)
	J(context.Context, *Import) (*Imported, error)
}

type ten struct{ *todos }

func (t ten) A(ctx context.Context, in *Create) (*Todo, error)     { return t.Create(ctx, in) }
func (t ten) B(ctx context.Context, in *Create) (*Todo, error)     { return t.Create(ctx, in) }
func (t ten) C(ctx context.Context, in *Create) (*Todo, error)     { return t.Create(ctx, in) }
func (t ten) D(ctx context.Context, in *Create) (*Todo, error)     { return t.Create(ctx, in) }
func (t ten) E(ctx context.Context, in *Create) (*Todo, error)     { return t.Create(ctx, in) }
func (t ten) F(ctx context.Context, in *Get) (*Todo, error)        { return t.Get(ctx, in) }
func (t ten) G(ctx context.Context, in *Get) (*Todo, error)        { return t.Get(ctx, in) }
func (t ten) H(ctx context.Context, in *Get) (*Todo, error)        { return t.Get(ctx, in) }
func (t ten) I(ctx context.Context, in *Import) (*Imported, error) { return t.Import(ctx, in) }
func (t ten) J(ctx context.Context, in *Import) (*Imported, error) { return t.Import(ctx, in) }

// joined returns a service of n methods, a multiple of ten.
func joined(n int) *svc.Service {
	services, impl := make([]*svc.Service, n/10), ten{newTodos()}
	for i := range services {
		services[i] = svc.MustRegister[TenAPI](impl, &svc.Options{Resource: fmt.Sprintf("r%d", i), Logger: slog.New(slog.DiscardHandler)})
	}
	return svc.Join("all", services...)
}

func BenchmarkRegistration(b *testing.B) {
	for _, n := range []int{10, 100, 500, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				joined(n)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/method")
		})
	}
}

func BenchmarkDispatch(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		s := joined(n)
		rest, rpc := s.REST(), s.RPC()
		isJSON := []string{"Content-Type", "application/json"}
		b.Run(fmt.Sprintf("REST/%d", n), func(b *testing.B) {
			serveAll(b, rest, workload{"", "POST", fmt.Sprintf("/r%d/a", n/10-1), created, isJSON, false}, http.StatusOK)
		})
		b.Run(fmt.Sprintf("RPC/%d", n), func(b *testing.B) {
			body := strings.Replace(rpcCreate(1), "todos.create", fmt.Sprintf("r%d.a", n/10-1), 1)
			serveAll(b, rpc, workload{"", "POST", "/", body, isJSON, false}, http.StatusOK)
		})
	}
}

// BulkAPI takes bodies of any size.
type BulkAPI interface {
	Load(context.Context, *Bulk) (*Imported, error)
}

type Bulk struct {
	Records []Record `json:"records,omitempty"`
	Few     []Record `json:"few,omitempty" maxItems:"10"`
	Any     any      `json:"any,omitempty"`
	Text    string   `json:"text,omitempty"`
	Numbers []int    `json:"numbers,omitempty"`
}

type bulk struct{}

func (bulk) Load(_ context.Context, in *Bulk) (*Imported, error) {
	return &Imported{len(in.Records)}, nil
}

func newBulk() http.Handler {
	return svc.MustRegister[BulkAPI](bulk{}, &svc.Options{Resource: "bulk", MaxBody: -1, Logger: slog.New(slog.DiscardHandler)}).REST()
}

func BenchmarkBody(b *testing.B) {
	h := newBulk()
	for _, n := range []int{1, 10, 100, 1000, 10_000, 50_000} {
		body := importBody(n)
		b.Run(fmt.Sprintf("%d bytes", len(body)), func(b *testing.B) { bulkLoad(b, h, body, http.StatusOK) })
	}
}

// BenchmarkHostile has bodies of one megabyte that were made to cost much.
func BenchmarkHostile(b *testing.B) {
	const size = 1 << 20
	fill := func(before, unit, after string) string {
		return before + strings.TrimSuffix(strings.Repeat(unit, size/len(unit)), ",") + after
	}
	var names strings.Builder
	for i := 0; names.Len() < size; i++ {
		fmt.Fprintf(&names, `"n%d":0,`, i)
	}
	h := newBulk()
	for _, row := range []struct {
		name, body string
		status     int
	}{
		{"empty objects", fill(`{"records":[`, `{},`, `]}`), 400},
		{"empty objects in a bounded list", fill(`{"few":[`, `{},`, `]}`), 400},
		{"nesting", fill(`{"any":`, `[`, ``), 400},
		{"escapes", fill(`{"text":"`, `\u00e4`, `"}`), 200},
		{"short escapes", fill(`{"text":"`, `\n`, `"}`), 200},
		{"non-ASCII", fill(`{"text":"`, `ä€`, `"}`), 200},
		{"numbers", fill(`{"numbers":[`, `1,`, `]}`), 200},
		{"long number", fill(`{"any":`, `9`, `}`), 200},
		{"unknown names", `{` + strings.TrimSuffix(names.String(), ",") + `}`, 200},
		{"names of a map", `{"any":{` + strings.TrimSuffix(names.String(), ",") + `}}`, 200},
		{"one name", fill(`{`, `"text":"",`, `}`), 400},
		{"white space", fill(`{`, ` `, `}`), 200},
	} {
		b.Run(row.name, func(b *testing.B) { bulkLoad(b, h, row.body, row.status) })
	}
}

func bulkLoad(b *testing.B, h http.Handler, body string, status int) {
	b.SetBytes(int64(len(body)))
	serveAll(b, h, workload{"", "POST", "/bulk/load", body, []string{"Content-Type", "application/json"}, false}, status)
}

func BenchmarkBatch(b *testing.B) {
	h := svcMux(newTodos(), false)
	for _, n := range []int{1, 10, 100} {
		calls := make([]string, n)
		for i := range calls {
			calls[i] = rpcCreate(i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			serveAll(b, h, workload{"", "POST", "/rpc", "[" + strings.Join(calls, ",") + "]", []string{"Content-Type", "application/json"}, false}, http.StatusOK)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/call")
		})
	}
}

func BenchmarkGoroutines(b *testing.B) {
	h := svcMux(newTodos(), false)
	load := workloads()[0]
	for _, n := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetParallelism(n) // times GOMAXPROCS
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				r, err := newReplay(contender{handler: h}, load)
				if err != nil {
					panic(err)
				}
				for pb.Next() {
					r.serve()
				}
			})
		})
	}
}

// serveAll measures one request and verifies that it gets the status.
func serveAll(b *testing.B, h http.Handler, load workload, status int) {
	r, err := newReplay(contender{handler: h}, load)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.serve()
	}
	if r.w.status != status {
		b.Fatalf("status %d, want %d: %.300s", r.w.status, status, r.w.body)
	}
}
