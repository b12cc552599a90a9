package svc

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// A manyMethods is the type of an interface with count methods, which no source has. Each five of
// them have routes of five kinds, of which the second loses requests to the third:
//
//	POST /r0/act, GET /r0/{id}, GET /r0/all, PUT /r0/{id}/parts/{part}, DELETE /{id}/a0
type manyMethods struct {
	reflect.Type // of an interface
	count        int
}

type manyIn struct {
	ID   string `json:"id"`
	Part string `json:"part,omitempty"`
	Size int    `json:"size,omitempty" minimum:"0"`
}

type manyOut struct {
	Name  string   `json:"name"`
	Parts []string `json:"parts,omitempty"`
}

func (t manyMethods) NumMethod() int { return t.count }

func (t manyMethods) Method(i int) reflect.Method {
	return reflect.Method{Name: fmt.Sprintf("Act%04d", i), Type: reflect.TypeFor[func(context.Context, *manyIn) (*manyOut, error)]()}
}

func (t manyMethods) MethodByName(name string) (reflect.Method, bool) {
	i := 0
	if _, err := fmt.Sscanf(name, "Act%d", &i); err != nil || i >= t.count {
		return reflect.Method{}, false
	}
	return t.Method(i), true
}

// options returns the routes of the methods.
func (t manyMethods) options() *Options {
	forms := []string{"POST /r%d/act", "GET /r%d/{id}", "GET /r%d/all", "PUT /r%d/{id}/parts/{part}", "DELETE /{id}/a%d"}
	methods := make(map[string]MethodOptions)
	for i := range t.count {
		methods[t.Method(i).Name] = MethodOptions{HTTP: fmt.Sprintf(forms[i%len(forms)], i/len(forms))}
	}
	return &Options{Name: "Many", Resource: "many", Methods: methods, Logger: quiet}
}

// client returns a pointer to a struct with a function for each method.
func (t manyMethods) client() reflect.Value {
	fields := make([]reflect.StructField, t.count)
	for i := range fields {
		m := t.Method(i)
		fields[i] = reflect.StructField{Name: m.Name, Type: m.Type}
	}
	return reflect.New(reflect.StructOf(fields))
}

// A countingWriter drops the body of a response: the buffer of a recorder doubles, and would count.
type countingWriter struct {
	header     http.Header
	code, size int
}

func (w *countingWriter) Header() http.Header  { return w.header }
func (w *countingWriter) WriteHeader(code int) { w.code = cmp.Or(w.code, code) }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.size += len(p)
	return len(p), nil
}

// Verify that ten times as many methods take ten times as many allocations, and not a hundred times,
// in all that looks at every method of a service.
func TestGrowth(t *testing.T) {
	const most = 12
	get := func(h http.Handler, path string) {
		w := &countingWriter{header: make(http.Header)}
		if h.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.code != http.StatusOK || w.size == 0 {
			t.Errorf("GET answers %d with %d bytes", w.code, w.size)
		}
	}
	listTools := func(s *Service) {
		const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		r := httptest.NewRequest("POST", "/", strings.NewReader(list))
		r.Header.Set("Content-Type", contentTypeJSON)
		w := httptest.NewRecorder()
		if s.MCP(nil).ServeHTTP(w, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "inputSchema") {
			t.Errorf("tools/list answers %d: %.200s", w.Code, w.Body)
		}
	}
	few, many := manyMethods{reflect.TypeFor[manyAPI](), 100}, manyMethods{reflect.TypeFor[manyAPI](), 1000}
	register := func(of manyMethods) *Service {
		s, err := register(of, manyImpl{}, of.options())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	services := map[int]*Service{few.count: register(few), many.count: register(many)}
	for _, test := range []struct {
		name string
		do   func(of manyMethods, s *Service)
	}{
		{"Register", func(of manyMethods, _ *Service) { register(of) }},
		{"Join", func(_ manyMethods, s *Service) { Join("joined", s.At("/v1")) }},
		{"Connect", func(of manyMethods, _ *Service) {
			if err := connect(of, of.client(), "http://svc.test", &ClientOptions{Service: of.options()}); err != nil {
				t.Fatal(err)
			}
		}},
		{"REST", func(_ manyMethods, s *Service) { s.REST() }},
		{"RPC", func(_ manyMethods, s *Service) { s.RPC() }},
		{"client.ts", func(_ manyMethods, s *Service) { get(s.TypeScript(), "/") }},
		{"OpenAPI", func(_ manyMethods, s *Service) { get(s.OpenAPI(), "/") }},
		{"the page", func(_ manyMethods, s *Service) { get(s.Docs(nil), "/") }},
		{"Markdown", func(_ manyMethods, s *Service) { get(s.Docs(nil), "/llms.txt") }},
		{"tools", func(_ manyMethods, s *Service) { listTools(s) }},
		{"OpenRPC", func(_ manyMethods, s *Service) { buildOpenRPC(&s.service) }},
		{"contract", func(_ manyMethods, s *Service) { s.Contract() }},
		{"Descriptor", func(_ manyMethods, s *Service) { s.Descriptor() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			allocations := func(of manyMethods) (count, bytes float64) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				test.do(of, services[of.count])
				runtime.ReadMemStats(&after)
				return float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)
			}
			fewCount, fewBytes := allocations(few)
			manyCount, manyBytes := allocations(many)
			if manyCount > most*fewCount || manyBytes > most*fewBytes {
				t.Errorf("%d methods take %.1f times the allocations of %d, and %.1f times the bytes, want at most %d",
					many.count, manyCount/fewCount, few.count, manyBytes/fewBytes, most)
			}
		})
	}
}
