package blackbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file tests that Service.Call only reads an input. The race detector finds a write to an
// input that several goroutines share; concurrent writes to a map end the process without it.

type (
	sharedIn struct {
		Value     sharedValue                        `json:"value,omitzero"`
		Pointer   *sharedPointer                     `json:"pointer,omitempty"`
		Maybe     svc.Optional[sharedPointer]        `json:"maybe,omitzero"`
		Array     [2]sharedPointer                   `json:"array,omitzero"`
		Slice     []sharedPointer                    `json:"slice,omitempty"`
		Slices    [][]sharedValue                    `json:"slices,omitempty"`
		Pointers  []*sharedPointer                   `json:"pointers,omitempty"`
		Values    map[string]sharedValue             `json:"values,omitempty"`
		ByPointer map[string]sharedPointer           `json:"byPointer,omitempty"`
		Nested    map[string]map[int][]sharedPointer `json:"nested,omitempty"`
		Arrays    map[string][1]sharedPointer        `json:"arrays,omitempty"`
		Boxes     map[string]sharedBox               `json:"boxes,omitempty"`
		Ruled     map[spelledLevel]string            `json:"ruled,omitempty" minProperties:"1"`
		Unions    map[string]sharedUnion             `json:"unions,omitempty"`
		Union     sharedUnion                        `json:"union,omitzero"`
		Any       any                                `json:"any,omitempty"`
		Default   string                             `json:"default" default:"none"`
	}
	sharedValue struct{ Name string }
	// A sharedPointer has fields of all kinds that a copy in a map is compared by.
	sharedPointer struct {
		Name   string         `json:"name"`
		Large  bool           `json:"large,omitempty"`
		Ratio  float64        `json:"-"`
		Wide   complex128     `json:"-"`
		Size   uint8          `json:"size,omitempty"`
		Count  int            `json:"count,omitempty"`
		List   []string       `json:"list,omitempty"`
		Map    map[string]int `json:"map,omitempty"`
		Any    any            `json:"any,omitempty"`
		Next   *sharedPointer `json:"next,omitempty"`
		Array  [2]int         `json:"array,omitzero"`
		Hidden func()         `json:"-"`
		done   chan bool
	}
	sharedBox struct {
		Inner svc.Optional[sharedPointer] `json:"inner,omitzero"`
	}
	sharedUnion struct {
		Type string       `json:"type" discriminator:"true"`
		Card *sharedCard  `variant:"card"`
		Cash *sharedValue `variant:"cash"`
	}
	sharedCard struct {
		Number string `json:"number"`
	}
)

func (v sharedValue) Validate() error {
	if v.Name == "bad" {
		return errors.New("has a bad name")
	}
	return nil
}

// Validate writes nothing into a p that is as it should be.
func (p *sharedPointer) Validate() error {
	if lower := strings.ToLower(p.Name); p.Name != lower {
		p.Name = lower
	}
	return nil
}

func (*sharedCard) Validate() error { return nil }

func TestSharedInput(t *testing.T) {
	full := sharedPointer{
		Name: "a", Large: true, Ratio: math.NaN(), Wide: complex(math.NaN(), 1), Size: 1, Count: 2, List: []string{"a"}, Map: map[string]int{"a": 1},
		Any: []any{sharedValue{"a"}, func() {}}, Next: &sharedPointer{Name: "b"}, Array: [2]int{1, 2}, Hidden: func() {}, done: make(chan bool),
	}
	var maybe svc.Optional[sharedPointer]
	maybe.Set(full)
	card := sharedUnion{Type: "card", Card: &sharedCard{"1"}}
	inner := map[string]any{"a": []any{&full, full, sharedValue{}, []sharedValue{{}}}}
	s := taking[sharedIn]()
	for _, test := range []struct {
		name string
		in   sharedIn
	}{
		{"a struct whose Validate has a value receiver", sharedIn{Value: sharedValue{"a"}}},
		{"a pointer", sharedIn{Pointer: &full}},
		{"an Optional", sharedIn{Maybe: maybe}},
		{"an array", sharedIn{Array: [2]sharedPointer{full, full}}},
		{"a slice", sharedIn{Slice: []sharedPointer{full, {Name: "b"}}}},
		{"a slice of slices", sharedIn{Slices: [][]sharedValue{{{"a"}}}}},
		{"a slice of pointers", sharedIn{Pointers: []*sharedPointer{&full, &full}}},
		{"a map of values", sharedIn{Values: map[string]sharedValue{"a": {"a"}}}},
		{"a map of values whose Validate has a pointer receiver", sharedIn{ByPointer: map[string]sharedPointer{"a": full, "b": {Name: "b"}}}},
		{"a map of maps", sharedIn{Nested: map[string]map[int][]sharedPointer{"a": {1: {full}}, "b": nil}}},
		{"a map of arrays", sharedIn{Arrays: map[string][1]sharedPointer{"a": {full}}}},
		{"a map of structs with an Optional", sharedIn{Boxes: map[string]sharedBox{"a": {maybe}, "b": {}}}},
		{"a map with rules", sharedIn{Ruled: map[spelledLevel]string{"low": "b"}}},
		{"a map of unions", sharedIn{Unions: map[string]sharedUnion{"a": card}}},
		{"a union", sharedIn{Union: card}},
		{"an any", sharedIn{Any: inner}},
		{"an absent default", sharedIn{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := fmt.Sprintf("%#v", test.in)
			var calls sync.WaitGroup
			for range 4 {
				calls.Add(1)
				go func() {
					defer calls.Done()
					for range 50 {
						if _, err := s.Call(context.Background(), "t", "make", &test.in); err != nil {
							t.Error(err)
							return
						}
					}
				}()
			}
			calls.Wait()
			if after := fmt.Sprintf("%#v", test.in); after != before {
				t.Errorf("the input is %s, want %s as before", after, before)
			}
		})
	}
}

// Verify that the values of a map have what their Validate has changed, and the names of the
// alternatives of unions, at every depth.
func TestChangedInput(t *testing.T) {
	var maybe svc.Optional[sharedPointer]
	maybe.Set(sharedPointer{Name: "E"})
	in := &sharedIn{
		Value:     sharedValue{"V"},
		ByPointer: map[string]sharedPointer{"a": {Name: "A"}, "b": {Name: "b"}},
		Nested:    map[string]map[int][]sharedPointer{"a": {1: {{Name: "C"}}}},
		Arrays:    map[string][1]sharedPointer{"a": {{Name: "D"}}},
		Boxes:     map[string]sharedBox{"a": {maybe}},
		Unions:    map[string]sharedUnion{"a": {Cash: &sharedValue{"X"}}},
		Default:   "d",
	}
	if _, err := taking[sharedIn]().Call(context.Background(), "t", "make", in); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(in)
	want := `{"value":{"Name":"V"},"byPointer":{"a":{"name":"a"},"b":{"name":"b"}},"nested":{"a":{"1":[{"name":"c"}]}},"arrays":{"a":[{"name":"d"}]},` +
		`"boxes":{"a":{"inner":{"name":"e"}}},"unions":{"a":{"type":"cash","Card":null,"Cash":{"Name":"X"}}},"union":{"type":"","Card":null,"Cash":null},"default":"d"}`
	want = strings.Replace(want, `"union":{"type":"","Card":null,"Cash":null},`, "", 1)
	if string(got) != want {
		t.Errorf("the input is %s\nwant         %s", got, want)
	}
}

type (
	sharedUpload struct {
		*SharedFile
	}
	SharedFile struct {
		File svc.Body `contentType:"text/plain"`
	}
	sharedUploads struct{}
	SharedUploads interface {
		Put(context.Context, *sharedUpload) error
	}
)

func (sharedUploads) Put(_ context.Context, in *sharedUpload) error {
	_, err := io.ReadAll(in.File)
	return err
}

// Verify that the limits of a Body are put into a copy of it, also if an embedded pointer
// leads to it: the caller can use its own Body after the call.
func TestCallKeepsBody(t *testing.T) {
	s := svc.MustRegister[SharedUploads](sharedUploads{}, &svc.Options{Name: "uploads"})
	in := &sharedUpload{&SharedFile{svc.NewBody(strings.NewReader("a"), "text/plain")}}
	if _, err := s.Call(context.Background(), "uploads", "put", in); err != nil {
		t.Fatal(err)
	}
	if n, err := in.File.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the caller's Body returns %d, %v; want 0 and io.EOF", n, err)
	}
}

// A sharedCell replaces itself in the map that it stands in.
type (
	sharedCells struct {
		Cells map[string]sharedCell `json:"cells"`
	}
	sharedCell struct {
		Name  string                `json:"name"`
		cells map[string]sharedCell // it stands in
	}
)

func (c sharedCell) Validate() error {
	if c.cells != nil {
		c.cells["a"] = sharedCell{Name: "new"}
	}
	return nil
}

// Verify, also without the race detector, that a value of a map which Validate has not changed
// is not written back: it would undo what another goroutine has put there, as Validate does
// here.
func TestUnchangedMapValue(t *testing.T) {
	cells := make(map[string]sharedCell)
	cells["a"] = sharedCell{"old", cells}
	if _, err := taking[sharedCells]().Call(context.Background(), "t", "make", &sharedCells{cells}); err != nil {
		t.Fatal(err)
	}
	if cells["a"].Name != "new" {
		t.Errorf("the map has %q again", cells["a"].Name)
	}
}
