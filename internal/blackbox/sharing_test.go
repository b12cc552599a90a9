//lint:file-ignore U1000 the fields of these types are embedded for their number alone

package blackbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.com/svc"
)

// This file has chains of types in which each type has the next in two members. Written out,
// each level is twice the next, so that no document of 40 levels would fit into a computer.
// Everything that svc makes of types must grow by the same for each level.

// These are the forms of a level.
type (
	sharedPointers[T any] struct{ A, B *T }
	sharedLists[T any]    struct{ A, B []T }
	sharedMaps[T any]     struct{ A, B map[string]T }
	sharedStructs[T any]  struct{ A, B T }
	sharedVariants[T any] struct {
		Type string `discriminator:"true"`
		One  *T     `variant:"one"`
		Two  *T     `variant:"two"`
	}
	sharedOptionals[T any] struct {
		A svc.Optional[T] `json:"A,omitzero"`
		B svc.Optional[T] `json:"B,omitzero"`
	}
)

// Each level has another form.
type (
	sharing00 struct{ N int }
	sharing01 sharedPointers[sharing00]
	sharing02 sharedLists[sharing01]
	sharing03 sharedMaps[sharing02]
	sharing04 sharedStructs[sharing03]
	sharing05 sharedVariants[sharing04]
	sharing06 sharedOptionals[sharing05]
	sharing07 sharedPointers[sharing06]
	sharing08 sharedLists[sharing07]
	sharing09 sharedMaps[sharing08]
	sharing10 sharedStructs[sharing09]
	sharing11 sharedVariants[sharing10]
	sharing12 sharedOptionals[sharing11]
	sharing13 sharedPointers[sharing12]
	sharing14 sharedLists[sharing13]
	sharing15 sharedMaps[sharing14]
	sharing16 sharedStructs[sharing15]
	sharing17 sharedVariants[sharing16]
	sharing18 sharedOptionals[sharing17]
	sharing19 sharedPointers[sharing18]
	sharing20 sharedLists[sharing19]
	sharing21 sharedMaps[sharing20]
	sharing22 sharedStructs[sharing21]
	sharing23 sharedVariants[sharing22]
	sharing24 sharedOptionals[sharing23]
	sharing25 sharedPointers[sharing24]
	sharing26 sharedLists[sharing25]
	sharing27 sharedMaps[sharing26]
	sharing28 sharedStructs[sharing27]
	sharing29 sharedVariants[sharing28]
	sharing30 sharedOptionals[sharing29]
	sharing31 sharedPointers[sharing30]
	sharing32 sharedLists[sharing31]
	sharing33 sharedMaps[sharing32]
	sharing34 sharedStructs[sharing33]
	sharing35 sharedVariants[sharing34]
	sharing36 sharedOptionals[sharing35]
	sharing37 sharedPointers[sharing36]
	sharing38 sharedLists[sharing37]
	sharing39 sharedMaps[sharing38]
	sharing40 sharedStructs[sharing39]
	sharing41 sharedVariants[sharing40]
	sharing42 sharedOptionals[sharing41]
	sharing43 sharedPointers[sharing42]
	sharing44 sharedLists[sharing43]
	sharing45 sharedMaps[sharing44]
	sharing46 sharedStructs[sharing45]
	sharing47 sharedVariants[sharing46]
	sharing48 sharedOptionals[sharing47]
	sharing49 sharedPointers[sharing48]
	sharing50 sharedLists[sharing49]
	sharing51 sharedMaps[sharing50]
	sharing52 sharedStructs[sharing51]
	sharing53 sharedVariants[sharing52]
	sharing54 sharedOptionals[sharing53]
	sharing55 sharedPointers[sharing54]
	sharing56 sharedLists[sharing55]
	sharing57 sharedMaps[sharing56]
	sharing58 sharedStructs[sharing57]
	sharing59 sharedVariants[sharing58]
	sharing60 sharedOptionals[sharing59]
	sharing61 sharedPointers[sharing60]
	sharing62 sharedLists[sharing61]
	sharing63 sharedMaps[sharing62]
	sharing64 sharedStructs[sharing63]
)

// Validate is only in the last one, so that it is searched through all others.
func (sharing00) Validate() error { return nil }

// The structs have no name, and the lists around them have one.
type (
	sharingItems00 []struct{ N int }
	sharingItems01 []struct{ A, B sharingItems00 }
	sharingItems02 []struct{ A, B sharingItems01 }
	sharingItems03 []struct{ A, B sharingItems02 }
	sharingItems04 []struct{ A, B sharingItems03 }
	sharingItems05 []struct{ A, B sharingItems04 }
	sharingItems06 []struct{ A, B sharingItems05 }
	sharingItems07 []struct{ A, B sharingItems06 }
	sharingItems08 []struct{ A, B sharingItems07 }
	sharingItems09 []struct{ A, B sharingItems08 }
	sharingItems10 []struct{ A, B sharingItems09 }
	sharingItems11 []struct{ A, B sharingItems10 }
	sharingItems12 []struct{ A, B sharingItems11 }
	sharingItems13 []struct{ A, B sharingItems12 }
	sharingItems14 []struct{ A, B sharingItems13 }
	sharingItems15 []struct{ A, B sharingItems14 }
	sharingItems16 []struct{ A, B sharingItems15 }
)

// These have no names at all.
type (
	sharingInline00 = struct{ N int }
	sharingInline01 = struct{ A *sharingInline00 }
	sharingInline02 = struct{ A *sharingInline01 }
	sharingInline03 = struct{ A *sharingInline02 }
	sharingInline04 = struct{ A *sharingInline03 }
	sharingInline05 = struct{ A *sharingInline04 }
	sharingInline06 = struct{ A *sharingInline05 }
	sharingInline07 = struct{ A *sharingInline06 }
	sharingInline08 = struct{ A *sharingInline07 }
	sharingInline09 = struct{ A *sharingInline08 }
	sharingInline10 = struct{ A *sharingInline09 }
	sharingInline11 = struct{ A *sharingInline10 }
	sharingInline12 = struct{ A *sharingInline11 }
	sharingInline13 = struct{ A *sharingInline12 }
	sharingInline14 = struct{ A *sharingInline13 }
	sharingInline15 = struct{ A *sharingInline14 }
	sharingInline16 = struct{ A *sharingInline15 }
)

// Here there are no structs either.
type (
	sharingLists00 = []*int
	sharingLists01 = []*sharingLists00
	sharingLists02 = []*sharingLists01
	sharingLists03 = []*sharingLists02
	sharingLists04 = []*sharingLists03
	sharingLists05 = []*sharingLists04
	sharingLists06 = []*sharingLists05
	sharingLists07 = []*sharingLists06
	sharingLists08 = []*sharingLists07
	sharingLists09 = []*sharingLists08
	sharingLists10 = []*sharingLists09
	sharingLists11 = []*sharingLists10
	sharingLists12 = []*sharingLists11
	sharingLists13 = []*sharingLists12
	sharingLists14 = []*sharingLists13
	sharingLists15 = []*sharingLists14
	sharingLists16 = []*sharingLists15
	sharingLists17 = []*sharingLists16
	sharingLists18 = []*sharingLists17
	sharingLists19 = []*sharingLists18
	sharingLists20 = []*sharingLists19
	sharingLists21 = []*sharingLists20
	sharingLists22 = []*sharingLists21
	sharingLists23 = []*sharingLists22
	sharingLists24 = []*sharingLists23
	sharingLists25 = []*sharingLists24
	sharingLists26 = []*sharingLists25
	sharingLists27 = []*sharingLists26
	sharingLists28 = []*sharingLists27
	sharingLists29 = []*sharingLists28
	sharingLists30 = []*sharingLists29
	sharingLists31 = []*sharingLists30
	sharingLists32 = []*sharingLists31
	sharingLists33 = []*sharingLists32
	sharingLists34 = []*sharingLists33
	sharingLists35 = []*sharingLists34
	sharingLists36 = []*sharingLists35
	sharingLists37 = []*sharingLists36
	sharingLists38 = []*sharingLists37
	sharingLists39 = []*sharingLists38
	sharingLists40 = []*sharingLists39
	sharingLists41 = []*sharingLists40
	sharingLists42 = []*sharingLists41
	sharingLists43 = []*sharingLists42
	sharingLists44 = []*sharingLists43
	sharingLists45 = []*sharingLists44
	sharingLists46 = []*sharingLists45
	sharingLists47 = []*sharingLists46
	sharingLists48 = []*sharingLists47
	sharingLists49 = []*sharingLists48
	sharingLists50 = []*sharingLists49
	sharingLists51 = []*sharingLists50
	sharingLists52 = []*sharingLists51
	sharingLists53 = []*sharingLists52
	sharingLists54 = []*sharingLists53
	sharingLists55 = []*sharingLists54
	sharingLists56 = []*sharingLists55
	sharingLists57 = []*sharingLists56
	sharingLists58 = []*sharingLists57
	sharingLists59 = []*sharingLists58
	sharingLists60 = []*sharingLists59
	sharingLists61 = []*sharingLists60
	sharingLists62 = []*sharingLists61
	sharingLists63 = []*sharingLists62
	sharingLists64 = []*sharingLists63
)

// Each of these embeds the next in two ways, so that there are 2^12 ways to the last. The
// compiler of Go takes all of them, so there cannot be many more.
type (
	embedding00 struct{}
	embedding01 struct {
		embeddingA01
		embeddingB01
	}
	embeddingA01 struct{ embedding00 }
	embeddingB01 struct{ embedding00 }
	embedding02  struct {
		embeddingA02
		embeddingB02
	}
	embeddingA02 struct{ embedding01 }
	embeddingB02 struct{ embedding01 }
	embedding03  struct {
		embeddingA03
		embeddingB03
	}
	embeddingA03 struct{ embedding02 }
	embeddingB03 struct{ embedding02 }
	embedding04  struct {
		embeddingA04
		embeddingB04
	}
	embeddingA04 struct{ embedding03 }
	embeddingB04 struct{ embedding03 }
	embedding05  struct {
		embeddingA05
		embeddingB05
	}
	embeddingA05 struct{ embedding04 }
	embeddingB05 struct{ embedding04 }
	embedding06  struct {
		embeddingA06
		embeddingB06
	}
	embeddingA06 struct{ embedding05 }
	embeddingB06 struct{ embedding05 }
	embedding07  struct {
		embeddingA07
		embeddingB07
	}
	embeddingA07 struct{ embedding06 }
	embeddingB07 struct{ embedding06 }
	embedding08  struct {
		embeddingA08
		embeddingB08
	}
	embeddingA08 struct{ embedding07 }
	embeddingB08 struct{ embedding07 }
	embedding09  struct {
		embeddingA09
		embeddingB09
	}
	embeddingA09 struct{ embedding08 }
	embeddingB09 struct{ embedding08 }
	embedding10  struct {
		embeddingA10
		embeddingB10
	}
	embeddingA10 struct{ embedding09 }
	embeddingB10 struct{ embedding09 }
	embedding11  struct {
		embeddingA11
		embeddingB11
	}
	embeddingA11 struct{ embedding10 }
	embeddingB11 struct{ embedding10 }
	embedding12  struct {
		embeddingA12
		embeddingB12
		F12 int
	}
	embeddingA12 struct{ embedding11 }
	embeddingB12 struct{ embedding11 }
)

func (embedding00) Validate() error { return nil }

type sharingAPI[T any] interface {
	Send(ctx context.Context, in *T) (*T, error)
}

type sharingImpl[T any] struct{}

func (sharingImpl[T]) Send(_ context.Context, in *T) (*T, error) { return in, nil }

type sharingClient[T any] struct {
	Send func(context.Context, *T) (*T, error)
}

// sharingWork has what svc makes of the types of a service.
var sharingWork = []struct {
	what string
	make func(s *svc.Service) []byte
}{
	{"OpenAPI 3.0.3", func(s *svc.Service) []byte { return sharingAnswer(s.OpenAPI(), "/?openapi=3.0", "") }},
	{"OpenAPI 3.1", func(s *svc.Service) []byte { return sharingAnswer(s.OpenAPI(), "/?openapi=3.1", "") }},
	{"OpenAPI 3.2", func(s *svc.Service) []byte { return sharingAnswer(s.OpenAPI(), "/?openapi=3.2", "") }},
	{"OpenRPC", func(s *svc.Service) []byte {
		return sharingAnswer(s.RPC(), "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`)
	}},
	{"tools", func(s *svc.Service) []byte {
		return sharingAnswer(s.MCP(nil), "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	}},
	{"tools with Show", func(s *svc.Service) []byte {
		options := &svc.MCPOptions{Show: func(context.Context, svc.Method) bool { return true }}
		return sharingAnswer(s.MCP(options), "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	}},
	{"page", func(s *svc.Service) []byte { return sharingAnswer(s.Docs(nil), "/", "") }},
	{"Markdown", func(s *svc.Service) []byte { return sharingAnswer(s.Docs(nil), "/llms.txt", "") }},
	{"contract", (*svc.Service).Contract},
	{"breaks", func(s *svc.Service) []byte {
		breaks, err := s.Breaks(s.Contract())
		return fmt.Append(nil, breaks, err)
	}},
	{"descriptor", func(s *svc.Service) []byte { s.Descriptor(); return nil }},
	{"call", func(s *svc.Service) []byte {
		r := httptest.NewRequest("POST", "/x/send", strings.NewReader(`{}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, r)
		return w.Body.Bytes()
	}},
}

// sharingAnswer returns the body of the answer to a GET, or to a POST with a body.
func sharingAnswer(h http.Handler, path, body string) []byte {
	r := httptest.NewRequest("GET", path, nil)
	if body != "" {
		r = httptest.NewRequest("POST", path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		panic(w.Body.String())
	}
	return w.Body.Bytes()
}

// A sharingCost is what something costs that svc makes.
type sharingCost struct {
	size, count, memory int // the bytes of a text, and the objects and bytes that were allocated
}

// sharingCosts returns the costs of a service with the type T.
func sharingCosts[T any](t *testing.T) map[string]sharingCost {
	costs := make(map[string]sharingCost)
	measure := func(what string, work func() []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text := work()
		runtime.ReadMemStats(&after)
		costs[what] = sharingCost{len(text), int(after.Mallocs - before.Mallocs), int(after.TotalAlloc - before.TotalAlloc)}
	}
	var s *svc.Service
	register := func() []byte {
		s = svc.MustRegister[sharingAPI[T]](sharingImpl[T]{}, &svc.Options{Resource: "x", Logger: slog.New(slog.DiscardHandler)})
		return nil
	}
	register() // what reflect and the package keep is not counted
	measure("registration", register)
	measure("client", func() []byte {
		var client sharingClient[T]
		if err := svc.Connect[sharingAPI[T]](&client, "http://localhost", nil); err != nil {
			t.Fatal(err)
		}
		return nil
	})
	for _, work := range sharingWork {
		measure(work.what, func() []byte { return work.make(s) })
	}
	return costs
}

// Verify that what svc makes of types that share types grows by the same for each of them. Each
// row would be 2^64 times as large, or far more, if it were written out. Those that embed types
// would be 2^12 times as large.
func TestSharing(t *testing.T) { // not parallel, since it counts allocations
	sharingCosts[sharing16](t) // what is made once in a process
	for _, chain := range []struct {
		name            string
		some, half, all map[string]sharingCost // of a quarter of the levels, of half of them, and of all
	}{
		{"named", sharingCosts[sharing16](t), sharingCosts[sharing32](t), sharingCosts[sharing64](t)},
		{"lists", sharingCosts[struct{ L sharingLists16 }](t), sharingCosts[struct{ L sharingLists32 }](t), sharingCosts[struct{ L sharingLists64 }](t)},
		{"embedded", sharingCosts[embedding03](t), sharingCosts[embedding06](t), sharingCosts[embedding12](t)},
	} {
		for what, all := range chain.all {
			t.Run(rowName(chain.name+" "+what), func(t *testing.T) {
				some, half := chain.some[what], chain.half[what]
				for _, c := range []struct {
					name                   string
					some, half, all, slack int
				}{
					{"bytes of text", some.size, half.size, all.size, 16_000},
					{"allocations", some.count, half.count, all.count, 400},
					{"allocated bytes", some.memory, half.memory, all.memory, 1_000_000},
				} {
					// 32 levels more cost twice as much as 16 levels more. Buffers and maps double, and
					// a struct without a name is written out several levels deep, so there is some slack.
					if c.all-c.half > 3*max(c.half-c.some, 0)+c.slack {
						t.Errorf("%s are %d for a quarter of the levels, %d for half of them and %d for all", c.name, c.some, c.half, c.all)
					}
				}
			})
		}
	}
}

// Verify that a struct without a name in Go is refused where documents would write out the next in it
// twice, level by level.
func TestSharingInline(t *testing.T) {
	t.Parallel()
	const want = ": documents write out a struct without a name in Go wherever it is used"
	for name, err := range map[string]error{
		"items":  sharingError[struct{ L sharingItems16 }](),
		"inline": sharingError[sharingInline16](),
	} {
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sharingError returns the error of registering a service with the type T.
func sharingError[T any]() error {
	_, err := svc.Register[sharingAPI[T]](sharingImpl[T]{}, &svc.Options{Resource: "x"})
	return err
}

// These have the next by value, so that the least value of 16 levels has 65,536 objects.
type (
	sharingValue04[T any] sharedStructs[sharedStructs[sharedStructs[sharedStructs[T]]]]
	sharingValue08[T any] sharingValue04[sharingValue04[T]]
	sharingValue16[T any] struct {
		V sharingValue08[sharingValue08[T]]
	}
)

// Verify that no example is made that is larger than any request, and that a change breaks nothing
// where each input is.
func TestSharingValues(t *testing.T) {
	t.Parallel()
	type narrow struct {
		N int `maximum:"5"`
	}
	type wide struct{ N int }
	register := func(s *svc.Service, err error) *svc.Service {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var was *svc.Service
	for _, test := range []struct {
		most int64 // MaxBody
		want string
	}{
		{4 << 20, "[x.send input /V/A/A/A/A/A/A/A/A/A/A/A/A/A/A/A/A/N: maximum is 5, was none; for example 6]"},
		{1 << 20, "[]"}, // each input is longer
	} {
		opts := svc.Options{Resource: "x", MaxBody: test.most}
		was = register(svc.Register[sharingAPI[sharingValue16[wide]]](sharingImpl[sharingValue16[wide]]{}, &opts))
		is := register(svc.Register[sharingAPI[sharingValue16[narrow]]](sharingImpl[sharingValue16[narrow]]{}, &opts))
		if breaks, err := is.Breaks(was.Contract()); err != nil || fmt.Sprint(breaks) != test.want {
			t.Errorf("with MaxBody %d, breaks are %s, %v", test.most, breaks, err)
		}
	}
	page := sharingAnswer(was.Docs(nil), "/llms.txt", "")
	if len(page) > 20_000 || strings.Contains(string(page), " -d '") { // each example is too long to be shown whole
		t.Errorf("the Markdown has %d bytes: %.2000s", len(page), page)
	}
}
