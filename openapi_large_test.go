package svc

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

// largeService returns a service of n methods, each with an input and an output
// of its own, as far as documents are concerned: reflection can make the types
// and not the methods.
func largeService(n int) *Service {
	p := new(mistakes)
	shapes := newShapes(p)
	s := &Service{name: "Large", version: "1"}
	var methods []*method
	for i := range n {
		number := reflect.StructField{Name: fmt.Sprintf("Number%d", i), Type: reflect.TypeFor[int64](), Tag: `json:"number,omitempty" minimum:"1"`}
		in := reflect.StructOf([]reflect.StructField{
			{Name: "ID", Type: reflect.TypeFor[string](), Tag: `path:"id"`},
			{Name: "Title", Type: reflect.TypeFor[string](), Tag: `json:"title" minLength:"1"`},
			{Name: "Before", Type: reflect.TypeFor[*oaTodo](), Tag: `json:"before,omitempty"`},
			number,
		})
		out := reflect.StructOf([]reflect.StructField{
			{Name: "ID", Type: reflect.TypeFor[string](), Tag: `json:"id"`},
			{Name: "Items", Type: reflect.TypeFor[[]oaTodo](), Tag: `json:"items"`},
			number,
		})
		methods = append(methods, &method{
			config:   new(config),
			goName:   fmt.Sprintf("Update%d", i),
			name:     fmt.Sprintf("update%d", i),
			resource: fmt.Sprintf("r%d", i),
			route:    route{method: http.MethodPut, path: fmt.Sprintf("/r%d/{id}", i), placeholders: []string{"id"}},
			in:       shapes.of(in, "in"),
			out:      shapes.of(out, "out"),
		})
	}
	for _, t := range shapes.all {
		if t.kind == kindObject && t.typ.Name() == "" { // StructOf makes types without names
			shapes.named = append(shapes.named, t)
		}
	}
	shapes.finish()
	s.methods, s.types = methods, shapes.named
	s.typeNames = make(map[*shape]string)
	for i, t := range s.types {
		s.typeNames[t] = fmt.Sprintf("Type%d", i)
	}
	d := newDecoders(p, false)
	for _, m := range methods {
		m.bind = compileBinding(d, m.in, bindSpec{placeholders: m.placeholders, hasBody: true})
	}
	if err := p.err("register oaAPI"); len(p.list) > 0 {
		panic(err)
	}
	return s
}

// BenchmarkOpenAPI makes and serves the document of 500 methods and 1,000 types.
func BenchmarkOpenAPI(b *testing.B) {
	b.Run("cycles", func(b *testing.B) {
		all := chainOfObjects(1000)
		for range b.N {
			findCycles(all, false)
		}
	})
	s := largeService(500)
	for _, d := range []dialect{openAPI30, openAPI31} {
		b.Run("build/"+d.version(), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				b.SetBytes(int64(len(buildDocument(s, d))))
			}
		})
	}
	b.Run("serve", func(b *testing.B) {
		h := s.OpenAPI()
		r := httptest.NewRequest("GET", "/openapi.json", nil)
		h.ServeHTTP(httptest.NewRecorder(), r) // makes the document
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
}

// chainOfObjects returns n objects each of which contains the next, and the last
// the first.
func chainOfObjects(n int) []*shape {
	all := make([]*shape, n)
	for i := range all {
		all[i] = &shape{kind: kindObject}
	}
	for i, s := range all {
		pointer := &shape{kind: kindPointer, elem: all[(i+1)%n]}
		s.fields = []*field{{shape: pointer}, {shape: &shape{kind: kindString}}}
	}
	return all
}

// Verify the cycle finder against the plain search over random small graphs.
func TestFindCycles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		all := make([]*shape, 1+random.IntN(6))
		for i := range all {
			all[i] = &shape{kind: kindObject}
		}
		for _, s := range all {
			for range random.IntN(3) {
				elem := all[random.IntN(len(all))]
				shapes := []*shape{elem, {kind: kindPointer, elem: elem}, {kind: kindSlice, elem: elem}, {kind: kindMap, elem: elem}}
				s.fields = append(s.fields, &field{shape: shapes[random.IntN(4)], optional: random.IntN(3) == 0, minItems: random.IntN(2)})
			}
		}
		for _, must := range []bool{false, true} {
			got := findCycles(all, must)
			for i, s := range all {
				if want := reachesItself(s, must); got[s] != want {
					t.Fatalf("object %d of %d, must %t: %t, want %t", i, len(all), must, got[s], want)
				}
			}
		}
	}
}

// reachesItself is the plain search.
func reachesItself(s *shape, must bool) bool {
	done := make(map[*shape]bool)
	var below func(e *shape) bool
	below = func(e *shape) bool {
		for _, f := range e.fields {
			next := f.shape.object(must, f.minItems)
			if next == nil || must && !f.required() {
				continue
			}
			if next == s {
				return true
			}
			if !done[next] {
				done[next] = true
				if below(next) {
					return true
				}
			}
		}
		return false
	}
	return below(s)
}
