package svc

import (
	"fmt"
	"reflect"
	"testing"
)

type (
	hookOwn       struct{}
	hookPointer   struct{}
	hookPromoted  struct{ hookOwn }
	hookExported  struct{ HookBase }
	hookOverrides struct{ HookBase }
	hookTwice     struct{ hookPromoted }
	hookTwo       struct {
		HookBase
		hookOwn
	}
	hookBelow struct{ hookMiddle }
	HookBase  struct{}

	hookMiddle struct{ HookBase }
)

func (hookOwn) Validate() error        { return nil }
func (*hookPointer) Validate() error   { return nil }
func (HookBase) Validate() error       { return nil }
func (*hookOverrides) Validate() error { return nil }

// Verify where Validate is called: once per struct that declares it, on the
// struct around where that one is out of reach.
func TestHooksOf(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{struct{}{}, "[]"},
		{hookOwn{}, "[[]]"},
		{hookPointer{}, "[[]]"},
		{hookPromoted{}, "[[]]"}, // hookOwn by its promoted method
		{hookExported{}, "[[0]]"},
		{hookOverrides{}, "[[0] []]"},
		{hookTwice{}, "[[]]"},
		{hookTwo{hookOwn: hookOwn{}}, "[[0]]"}, // ambiguous: nothing is promoted, and hookOwn is out of reach
		{hookBelow{}, "[[0 0]]"},
	} {
		if got := fmt.Sprint(hooksOf(reflect.TypeOf(test.value))); got != test.want {
			t.Errorf("hooksOf(%T) = %s, want %s", test.value, got, test.want)
		}
	}
}
