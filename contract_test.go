package svc

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A ruledAPI has one method, to whose inputs a test adds rules.
type ruledAPI[In any] interface {
	Make(context.Context, *In) error
}

type ruledImpl[In any] struct{}

func (ruledImpl[In]) Make(context.Context, *In) error { return nil }

// ruledBy returns a service whose input has one more rule for its first field, or for the items
// of that, as if a tag had made it: the rule of a row with this text, or none for "".
func ruledBy[In any](row ruleRow, text string) *Service {
	s := MustRegister[ruledAPI[In]](ruledImpl[In]{}, &Options{Resource: "t"})
	if text == "" {
		return s
	}
	f := s.methods[0].in.fields[0]
	target := f.shape
	if !row.fits(target) {
		target = target.elem
	}
	ruled := *target
	r, _ := row.parseRule(&ruled, text)
	ruled.rules = append(slices.Clone(ruled.rules), r)
	f.shape = f.shape.replaced(target, &ruled)
	return s
}

// Verify that Breaks says of a rule whose role no probe knows that it cannot tell, where the
// rule is new or changed, and nothing where it is as it was or gone.
func TestBreaksOfUnprobedRule(t *testing.T) {
	type number struct {
		A int `json:"a"`
	}
	type small struct {
		A int `json:"a" maximum:"9"`
	}
	type large struct {
		A int `json:"a" maximum:"99"`
	}
	type three struct {
		A int `json:"a" maximum:"3"`
	}
	type four struct {
		A int `json:"a" maximum:"4"`
	}
	type word struct {
		A string `json:"a"`
	}
	type short struct {
		A string `json:"a" maxLength:"10"`
	}
	type shorter struct {
		A string `json:"a" maxLength:"5"`
	}
	type list struct {
		A []int `json:"a"`
	}
	type long struct {
		A []int `json:"a" minItems:"2"`
	}
	prime := ruleRow{ // no value of a probe shows that it refuses 4
		keyword: "prime", must: "must be a prime, or below #", fits: isBoundable, on: "a number",
		parse: func(s *shape, text string) (rule, string) {
			return rule{value: []byte(text), violates: func(v reflect.Value) bool { return v.Int() == 4 }}, ""
		},
	}
	prefix := ruleRow{
		keyword: "startsWith", must: "must start with #", fits: isString, on: "a string",
		parse: func(_ *shape, text string) (rule, string) {
			return rule{value: appendQuoted(nil, text), violates: func(v reflect.Value) bool { return !strings.HasPrefix(v.String(), text) }}, ""
		},
	}
	sorted := ruleRow{
		keyword: "sorted", must: "must be sorted", fits: isSlice, on: "a slice",
		parse: func(_ *shape, text string) (rule, string) {
			return rule{value: []byte(text), violates: func(reflect.Value) bool { return false }}, ""
		},
	}
	for _, test := range []struct {
		name     string
		old, now *Service
		want     string
	}{
		{"new", ruledBy[number](prime, ""), ruledBy[number](prime, "1"), "[t.make input /a: cannot tell: prime is 1, was none, and svc cannot compare the rule]"},
		{"changed", ruledBy[number](prime, "2"), ruledBy[number](prime, "1"), "[t.make input /a: cannot tell: prime is 1, was 2, and svc cannot compare the rule]"},
		{"the same", ruledBy[number](prime, "1"), ruledBy[number](prime, "1"), "[]"},
		{"gone", ruledBy[number](prime, "1"), ruledBy[number](prime, ""), "[]"},
		{"beside another break", ruledBy[number](prime, ""), ruledBy[small](prime, "1"), `[t.make input /a: maximum is 9, was none; for example 10]`},
		{"new for a list", ruledBy[list](sorted, ""), ruledBy[list](sorted, "true"), "[t.make input /a: cannot tell: sorted is true, was none, and svc cannot compare the rule]"},
		{"beside a rule that may refuse short lists", ruledBy[list](sorted, "true"), ruledBy[long](sorted, "true"), "[t.make input /a: cannot tell: minItems is 2, was none, and svc cannot compare a rule of the release]"},
		{"beside a lower limit", ruledBy[short](prefix, "ABCD"), ruledBy[shorter](prefix, "ABCD"), "[t.make input /a: cannot tell: maxLength is 5, was 10, but no value was found that the release took]"},
		{"beside a higher limit", ruledBy[shorter](prefix, "ABCD"), ruledBy[short](prefix, "ABCD"), "[]"},
		{"beside a limit that a value shows", ruledBy[short](prefix, "a"), ruledBy[shorter](prefix, "a"), `[t.make input /a: maxLength is 5, was 10; for example "aaaaaa"]`},
		{"beside another type", ruledBy[word](prefix, "ABCD"), ruledBy[number](prefix, ""), "[t.make input /a: cannot tell: is int, was string, but no value was found that the release took]"},
		{"beside a lower limit of numbers", ruledBy[large](prime, "1"), ruledBy[small](prime, "1"), `[t.make input /a: maximum is 9, was 99; for example 10]`},
		{"beside a limit that one value would show", ruledBy[four](prime, "1"), ruledBy[three](prime, "1"), "[t.make input /a: cannot tell: maximum is 3, was 4, but no value was found that shows it]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := test.now.breaksBy(append(slices.Clone(ruleRows), &prime, &sorted, &prefix), test.old.Contract())
			if got := fmt.Sprint(breaks); err != nil || got != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

// Verify that a rule for the size of bytes needs no code but its row to be compared.
func TestBreaksOfBytes(t *testing.T) {
	type bytes struct {
		A []byte `json:"a"`
	}
	type lists struct {
		A [][]byte `json:"a" maxItems:"10"`
	}
	type fewer struct {
		A [][]byte `json:"a" maxItems:"2"`
	}
	type number struct {
		A int `json:"a"`
	}
	type long struct {
		A string `json:"a" minLength:"20"`
	}
	least := ruleRow{
		keyword: "minBytes", must: "must have at least # bytes", role: roleLeast, opposite: roleMost,
		fits: isBytes, on: "a []byte", parse: parseSize("bytes", hasFewer),
	}
	most := ruleRow{
		keyword: "mostBytes", must: "must have at most # bytes", role: roleMost,
		fits: isBytes, on: "a []byte", parse: parseSize("bytes", hasMore),
	}
	for _, test := range []struct {
		name     string
		old, now *Service
		want     string
	}{
		{"a higher least size", ruledBy[bytes](least, "10"), ruledBy[bytes](least, "16"), `[t.make input /a: minBytes is 16, was 10; for example "AAAAAAAAAAAAAA=="]`},
		{"a lower least size", ruledBy[bytes](least, "16"), ruledBy[bytes](least, "10"), "[]"},
		{"a least size for none", ruledBy[bytes](least, ""), ruledBy[bytes](least, "16"), `[t.make input /a: minBytes is 16, was none; for example "AA=="]`},
		{"a lower greatest size", ruledBy[bytes](most, "16"), ruledBy[bytes](most, "10"), `[t.make input /a: mostBytes is 10, was 16; for example "AAAAAAAAAAAAAAA="]`},
		{"another type", ruledBy[bytes](least, "10"), ruledBy[number](least, ""), `[t.make input /a: is int, was bytes; for example "AAAAAAAAAAAAAA=="]`},
		{"a text", ruledBy[bytes](least, "10"), ruledBy[long](least, ""), `[t.make input /a: minLength is 20, was none; for example "AAAAAAAAAAAAAA=="]`},
		{"in a list", ruledBy[lists](least, "10"), ruledBy[fewer](least, "10"), `[t.make input /a: maxItems is 2, was 10]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := test.now.breaksBy(append(slices.Clone(ruleRows), &least, &most), test.old.Contract())
			if got := fmt.Sprint(breaks); err != nil || got != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

func isBytes(s *shape) bool { return s.kind == kindBytes }

// Verify against the routers of net/http which routes take requests of another: for all pairs of
// up to three routes with two segments or a tail, and all paths.
func TestFindTakers(t *testing.T) {
	type version struct {
		methods []*contractMethod
		routes  *routeSet
		mux     *http.ServeMux
	}
	var patterns []string
	for _, a := range []string{"a", "b", "{x}"} {
		for _, b := range []string{"a", "b", "{y}"} {
			patterns = append(patterns, "GET /"+a+"/"+b)
		}
	}
	patterns = append(patterns, "GET /{x...}", "GET /a/{y...}")
	var versions []version
	for set := range 1 << len(patterns) {
		v := version{mux: http.NewServeMux()}
		for i, pattern := range patterns {
			if set>>i&1 == 1 {
				v.methods = append(v.methods, &contractMethod{Name: pattern, HTTP: pattern})
			}
		}
		if len(v.methods) <= 3 && mounts(v.mux, v.methods) {
			v.routes = newRouteSet(v.methods)
			versions = append(versions, v)
		}
	}
	var requests []*http.Request
	for _, a := range "abc" {
		for _, b := range "abc" {
			requests = append(requests, httptest.NewRequest("GET", fmt.Sprintf("/%c/%c", a, b), nil),
				httptest.NewRequest("GET", fmt.Sprintf("/%c/%c/c", a, b), nil))
		}
	}
	taken := 0
	for _, old := range versions {
		for _, now := range versions {
			for _, was := range old.methods {
				i := slices.IndexFunc(now.methods, func(m *contractMethod) bool { return m.HTTP == was.HTTP })
				if i < 0 {
					continue
				}
				want := make(map[string]bool)
				for _, r := range requests {
					_, before := old.mux.Handler(r)
					if _, after := now.mux.Handler(r); before == was.HTTP && after != before {
						want[after] = true
					}
				}
				got := make(map[string]bool)
				for _, m := range findTakers(was, now.methods[i], old.routes, now.routes) {
					got[m.HTTP] = true
				}
				if taken += len(want); !maps.Equal(got, want) {
					t.Fatalf("%s of %v and %v: got %v, want %v", was.HTTP, old.methods, now.methods, got, want)
				}
			}
		}
	}
	if taken == 0 {
		t.Error("no route takes requests")
	}
}

// mounts puts methods on mux, and reports whether their routes do not clash.
func mounts(mux *http.ServeMux, methods []*contractMethod) (ok bool) {
	defer func() { ok = recover() == nil }()
	for _, m := range methods {
		mux.Handle(m.HTTP, http.NotFoundHandler())
	}
	return true
}
