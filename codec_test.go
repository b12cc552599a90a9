package svc

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"
)

// A codecOrder is 1 KiB with codecText.
type codecOrder struct {
	ID    string      `json:"id" minLength:"1"`
	Notes []string    `json:"notes"`
	Lines []codecLine `json:"lines"`
	Pay   codecPay    `json:"pay"`
}

type codecLine struct {
	SKU   string `json:"sku" maxLength:"20"`
	Count int    `json:"count" minimum:"1"`
	Cents int64  `json:"cents"`
}

type codecPay struct {
	Type string     `json:"type" discriminator:"true"`
	Card *codecLine `variant:"card"`
	Cash *struct{}  `variant:"cash"`
}

func codecText() []byte {
	var b bytes.Buffer
	b.WriteString(`{"id":"o-1","notes":["ring twice","leave it at the door"],"lines":[`)
	for i := range 20 {
		fmt.Fprintf(&b, `{"sku":"chair-%d","count":%d,"cents":1999},`, i, i+1)
	}
	b.Truncate(b.Len() - 1)
	b.WriteString(`],"pay":{"type":"card","sku":"4242","count":1,"cents":5}}`)
	return b.Bytes()
}

// codecBinding returns the binding of a call whose input is a codecOrder.
func codecBinding(tb testing.TB) *binding {
	p := new(mistakes)
	shapes := newShapes(p)
	s := shapes.shapeFor(reflect.TypeFor[codecOrder](), "")
	shapes.finishShapes()
	b := compileBinding(newDecoders(p, false), s, route{})
	if p.list != nil {
		tb.Fatal(p.list)
	}
	return b
}

// Decode allocates no more than a call for its input. The least of many counts, since under the
// race detector a pool forgets some of what it gets.
func TestCodecCost(t *testing.T) {
	text, codec, b, d := codecText(), NewCodec[codecOrder](), codecBinding(t), new(decoder)
	least := func(decode func() error) float64 {
		n := math.Inf(1)
		for range 50 {
			n = min(n, testing.AllocsPerRun(1, func() {
				if err := decode(); err != nil {
					t.Fatal(err)
				}
			}))
		}
		return n
	}
	call := least(func() error { _, err := b.bindObject(d, text); return err })
	own := least(func() error { _, err := codec.Decode(text); return err })
	t.Logf("%d bytes: %v allocations for a call, %v for a codec", len(text), call, own)
	if own > call+1 {
		t.Errorf("%v allocations, and %v for a call", own, call)
	}
}

// BenchmarkCodec compares a codec with what a call does for its input.
func BenchmarkCodec(b *testing.B) {
	text, codec, bound, d := codecText(), NewCodec[codecOrder](), codecBinding(b), new(decoder)
	value, err := codec.Decode(text)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		run  func() error
	}{
		{"call", func() error { _, err := bound.bindObject(d, text); return err }},
		{"decode", func() error { _, err := codec.Decode(text); return err }},
		{"encode", func() error { _, err := codec.Encode(value); return err }},
		{"check", func() error { return codec.Check(value) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for range b.N {
				if err := bench.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
