package svc

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// A ruledAPI has one method, to whose inputs a test adds rules.
type ruledAPI[In any] interface {
	Make(context.Context, *In) error
}

type ruledImpl[In any] struct{}

func (ruledImpl[In]) Make(context.Context, *In) error { return nil }

// ruledBy returns a service whose input has one more rule for its first field, as if a tag had
// made it: the rule of a row with this text, or none for "".
func ruledBy[In any](row ruleRow, text string) *Service {
	s := MustRegister[ruledAPI[In]](ruledImpl[In]{}, &Options{Resource: "t"})
	if text == "" {
		return s
	}
	f := s.methods[0].in.fields[0]
	ruled := *f.shape
	r, _ := row.parseRule(&ruled, text)
	ruled.rules = append(slices.Clone(ruled.rules), r)
	f.shape = &ruled
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
	type list struct {
		A []int `json:"a"`
	}
	type long struct {
		A []int `json:"a" minItems:"2"`
	}
	prime := ruleRow{ // no value of a probe shows that it refuses 4
		keyword: "prime", lower: "prime", must: "must be a prime, or below #", fits: isBoundable, on: "a number",
		parse: func(s *shape, text string) (rule, string) {
			return rule{value: []byte(text), violates: func(v reflect.Value) bool { return v.Int() == 4 }}, ""
		},
	}
	sorted := ruleRow{
		keyword: "sorted", lower: "sorted", must: "must be sorted", fits: isSlice, on: "a slice",
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
		{"beside another break", ruledBy[number](prime, ""), ruledBy[small](prime, "1"), `[t.make input /a: maximum is 9, was none; for example {"a":10}]`},
		{"new for a list", ruledBy[list](sorted, ""), ruledBy[list](sorted, "true"), "[t.make input /a: cannot tell: sorted is true, was none, and svc cannot compare the rule]"},
		{"kept by no sample", ruledBy[list](sorted, "true"), ruledBy[long](sorted, "true"), "[t.make input /a: cannot tell: minItems is 2, was none, but no value for the rule sorted of the release can be made]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			breaks, err := test.now.breaksBy(append(slices.Clone(ruleRows), &prime, &sorted), test.old.Contract())
			if got := fmt.Sprint(breaks); err != nil || got != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}
