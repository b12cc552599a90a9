package svc

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The types below complain always, each by its name and what it sees, so that
// the answer shows which Validate was called, when, and where.

type vLeaf struct{ N int }

func (v vLeaf) Validate() error { return fmt.Errorf("leaf %d", v.N) }

type vPointer struct{ N int }

func (v *vPointer) Validate() error { return fmt.Errorf("pointer %d", v.N) }

type VBase struct{ ID int }

func (v VBase) Validate() error { return errors.New("base") }

type VPointerBase struct{ PID int }

func (v *VPointerBase) Validate() error { return errors.New("pointer base") }

// A VTiny has a Validate that the compiler may put in the place of its call.
type VTiny struct{ T int }

func (VTiny) Validate() error { return errTiny }

var errTiny = errors.New("tiny")

type vbase struct{ Low int }

func (v vbase) Validate() error { return errors.New("unexported base") }

type (
	vPromoted        struct{ VBase }
	vPromotedPointer struct{ VPointerBase }
	vPromotedTiny    struct{ VTiny }
	vEmbeddedPointer struct {
		*VBase
		X int `json:",omitempty"`
	}
	vEmbeddedPointer2 struct {
		*VPointerBase
		X int `json:",omitempty"`
	}
	vUnexported        struct{ vbase }
	vUnexportedOuter   struct{ vUnexported }
	vUnexportedAndBase struct {
		vbase
		VBase
	}
	VMiddle  struct{ VBase }
	vDeep    struct{ VMiddle }
	vTwoways struct { // neither is promoted
		VBase
		VPointerBase
	}
	vNamed struct {
		Base VBase `json:"base"`
	}
	vTagged struct { // promoted in Go, and a member in JSON
		VBase `json:"base"`
	}
	vEmbedsGeneric    struct{ VGenericPointer[int] }
	vOverridesGeneric struct{ *VGeneric[int] }
	vInterface        struct {
		Any any `json:"any"`
	}
	vTalker struct{ N int }
)

func (v vOverridesGeneric) Validate() error { return errors.New("overrides") }

func (v vTalker) Validate() error { return errors.New(strings.Repeat("talk ", 1000)) }

// A VGeneric is generic: the compiler writes a part of its method for each type.
type VGeneric[T any] struct{ G T }

func (v VGeneric[T]) Validate() error { return fmt.Errorf("generic %v", v.G) }

type VGenericPointer[T any] struct{ P T }

func (v *VGenericPointer[T]) Validate() error { return fmt.Errorf("generic pointer %v", v.P) }

type vOverride struct{ VBase }

func (v vOverride) Validate() error { return errors.New("override") }

type vOverridePointer struct {
	*VMiddle
	A vLeaf `json:",omitzero"`
}

func (v *vOverridePointer) Validate() error { return errors.New("override pointer") }

type vOverrideUnexported struct{ vbase }

func (v vOverrideUnexported) Validate() error { return errors.New("override unexported") }

type vTree struct {
	N    int              `json:"n"`
	Kids []vTree          `json:"kids,omitempty"`
	Next *vTree           `json:"next,omitempty"`
	Map  map[string]vTree `json:"map,omitempty"`
}

func (v *vTree) Validate() error { return fmt.Errorf("tree %d", v.N) }

type vEverywhere struct {
	Leaf  vLeaf              `json:"leaf"`
	Ptr   *vLeaf             `json:"ptr"`
	PPtr  **vPointer         `json:"pptr"`
	List  []vPointer         `json:"list"`
	Ptrs  []*vPointer        `json:"ptrs"`
	Array [2]vLeaf           `json:"array"`
	Map   map[string]vLeaf   `json:"map"`
	PMap  map[int8]*vPointer `json:"pmap"`
	Lists map[string][]vLeaf `json:"lists"`
	Plain struct {
		Leaf vLeaf `json:"leaf"`
	} `json:"plain"`
}

func (v vEverywhere) Validate() error { return errors.New("everywhere") }

// vText is a string in JSON and a struct in Go.
type vText struct{ text string }

func (v vText) MarshalText() ([]byte, error)     { return []byte(v.text), nil }
func (v *vText) UnmarshalText(text []byte) error { v.text = string(text); return nil }
func (v vText) Validate() error                  { return errors.New("text " + v.text) }

type vEmbedsText struct{ vText }

// A VString is no struct, but the struct that embeds it has its method.
type VString string

func (v VString) Validate() error { return errors.New("string " + string(v)) }

type VMiddleUnexported struct{ vbase }

// vList has a Validate and is no struct, so nobody asks it.
type vList []int

func (v vList) Validate() error { return errors.New("list") }

// Verify which Validate methods are called, in which order, with which place.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		typ  reflect.Type
		text string
		want []string
	}{
		{reflect.TypeFor[vLeaf](), `{"N":1}`, []string{" leaf 1"}},
		{reflect.TypeFor[vPointer](), `{"N":1}`, []string{" pointer 1"}},
		{reflect.TypeFor[vPromoted](), `{"ID":1}`, []string{" base"}},
		{reflect.TypeFor[vPromotedPointer](), `{"PID":1}`, []string{" pointer base"}},
		{reflect.TypeFor[vPromotedTiny](), `{"T":1}`, []string{" tiny"}},
		{reflect.TypeFor[vDeep](), `{"ID":1}`, []string{" base"}},
		{reflect.TypeFor[vOverride](), `{"ID":1}`, []string{" base", " override"}},
		{reflect.TypeFor[vOverridePointer](), `{"ID":1,"A":{"N":2}}`, []string{"/A leaf 2", " base", " override pointer"}},
		{reflect.TypeFor[vOverridePointer](), `{}`, []string{"/A leaf 0", " override pointer"}},
		{reflect.TypeFor[vEmbeddedPointer](), `{"ID":1}`, []string{" base"}},
		{reflect.TypeFor[vEmbeddedPointer](), `{}`, nil},
		{reflect.TypeFor[vEmbeddedPointer2](), `{"PID":1}`, []string{" pointer base"}},
		{reflect.TypeFor[vEmbeddedPointer2](), `{"X":1}`, nil},
		{reflect.TypeFor[vUnexported](), `{"Low":1}`, []string{" unexported base"}},
		{reflect.TypeFor[vUnexportedOuter](), `{"Low":1}`, []string{" unexported base"}},
		{reflect.TypeFor[vUnexportedAndBase](), `{"Low":1,"ID":2}`, []string{" base"}},          // Go promotes neither, and the other cannot be reached
		{reflect.TypeFor[vOverrideUnexported](), `{"Low":1}`, []string{" override unexported"}}, // as in Go, it calls the inner one or does not
		{reflect.TypeFor[vTwoways](), `{"ID":1,"PID":2}`, []string{" base", " pointer base"}},
		{reflect.TypeFor[vNamed](), `{"base":{"ID":1}}`, []string{"/base base"}},
		{reflect.TypeFor[vTagged](), `{"base":{"ID":1}}`, []string{"/base base"}},
		{reflect.TypeFor[vInterface](), `{"any":{"N":1}}`, nil},
		{reflect.TypeFor[struct{ VString }](), `{"VString":"x"}`, []string{" string x"}},
		{reflect.TypeFor[struct{ *VString }](), `{"VString":"x"}`, []string{" string x"}},
		{reflect.TypeFor[struct{ T vEmbedsText }](), `{"T":"x"}`, []string{"/T text x"}},
		{reflect.TypeFor[struct{ VMiddleUnexported }](), `{"Low":1}`, []string{" unexported base"}},
		{reflect.TypeFor[struct {
			VMiddleUnexported
			VMiddle
		}](), `{"Low":1,"ID":2}`, []string{" unexported base", " base"}},
		{reflect.TypeFor[VGeneric[int]](), `{"G":1}`, []string{" generic 1"}},
		{reflect.TypeFor[VGenericPointer[string]](), `{"P":"a"}`, []string{" generic pointer a"}},
		{reflect.TypeFor[VGeneric[vLeaf]](), `{"G":{"N":1}}`, []string{"/G leaf 1", " generic {1}"}},
		{reflect.TypeFor[struct{ VGeneric[int] }](), `{"G":1}`, []string{" generic 1"}},
		{reflect.TypeFor[vEmbedsGeneric](), `{"P":1}`, []string{" generic pointer 1"}},
		{reflect.TypeFor[vOverridesGeneric](), `{"G":1}`, []string{" generic 1", " overrides"}},
		{reflect.TypeFor[vTree](), `{"n":1,"kids":[{"n":2,"kids":[{"n":3}]},{"n":4}],"next":{"n":5},"map":{"b":{"n":6},"a":{"n":7}}}`,
			[]string{"/kids/0/kids/0 tree 3", "/kids/0 tree 2", "/kids/1 tree 4", "/next tree 5", "/map/a tree 7", "/map/b tree 6", " tree 1"}},
		{reflect.TypeFor[vEverywhere](), `{"leaf":{"N":1},"ptr":{"N":2},"pptr":{"N":3},"list":[{"N":4},{"N":5}],"ptrs":[null,{"N":6}],"array":[{"N":7},{"N":8}],"map":{"z":{"N":9},"a/b":{"N":10}},"pmap":{"5":{"N":11},"-1":null,"10":{"N":12}},"lists":{"l":[{"N":13}]},"plain":{"leaf":{"N":14}}}`,
			[]string{"/leaf leaf 1", "/ptr leaf 2", "/pptr pointer 3", "/list/0 pointer 4", "/list/1 pointer 5", "/ptrs/1 pointer 6", "/array/0 leaf 7", "/array/1 leaf 8",
				"/map/a~1b leaf 10", "/map/z leaf 9", "/pmap/10 pointer 12", "/pmap/5 pointer 11", "/lists/l/0 leaf 13", "/plain/leaf leaf 14", " everywhere"}},
		{reflect.TypeFor[vEverywhere](), `{"leaf":{"N":1},"ptr":null,"pptr":null,"list":[],"ptrs":[],"array":[{"N":0},{"N":0}],"map":{},"pmap":{},"lists":{},"plain":{"leaf":{"N":0}}}`,
			[]string{"/leaf leaf 1", "/array/0 leaf 0", "/array/1 leaf 0", "/plain/leaf leaf 0", " everywhere"}},
		{reflect.TypeFor[struct{ T vText }](), `{"T":"x"}`, []string{"/T text x"}},
		{reflect.TypeFor[struct{ L vList }](), `{"L":[1]}`, nil},
		{reflect.TypeFor[vLeaf](), `{"N":"1"}`, []string{"/N must be an integer"}}, // only what fits is asked
		{reflect.TypeFor[struct {
			A vLeaf
			B int
		}](), `{"A":{"N":1}}`, []string{"/B is required"}},
	} {
		b := bindingOf(t, test.typ)
		for range 2 { // the second time on a used decoder
			_, err := b.bindObject(new(decoder), []byte(test.text))
			var got []string
			for _, v := range listOf(err) {
				got = append(got, v.Path+" "+v.Message)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v %s\n got %q\nwant %q", test.typ, test.text, got, test.want)
			}
		}
	}
}

// bindingOf is bindingFor for a type that only reflect knows.
func bindingOf(t *testing.T, typ reflect.Type) *binding {
	t.Helper()
	p := new(mistakes)
	c := newShapes(p)
	s := c.of(typ, "T")
	c.finish()
	b := compileBinding(newDecoders(p, false), s, bindSpec{hasBody: true})
	for _, err := range p.list {
		t.Fatal(err)
	}
	return b
}

type vCoded struct{ Code string }

func (v vCoded) Validate() error {
	switch v.Code {
	case "":
		return nil
	case "plain":
		return errors.New("plain")
	case "wrapped":
		return fmt.Errorf("secret: %w", Errorf(CodeNotFound, "no such thing"))
	case "nil":
		var e *Error
		return e
	}
	return Errorf(Code(v.Code), "coded %s", v.Code)
}

// Verify what an error of Validate becomes: a violation, or, if it is an
// *Error, the answer.
func TestValidateErrors(t *testing.T) {
	b := bindingOf(t, reflect.TypeFor[struct{ A, B, C vCoded }]())
	for _, test := range []struct {
		a, b, c string
		code    Code
		message string
		list    int
	}{
		{"", "", "", CodeOK, "", 0},
		{"plain", "", "", CodeInvalidArgument, "invalid input: /A plain", 1},
		{"plain", "plain", "plain", CodeInvalidArgument, "invalid input: /A plain (and 2 more)", 3},
		{"", "NOT_FOUND", "", CodeNotFound, "coded NOT_FOUND", 0},
		{"", "ABORTED", "NOT_FOUND", CodeAborted, "coded ABORTED", 0},
		{"plain", "", "NOT_FOUND", CodeNotFound, "coded NOT_FOUND", 0},
		{"PERMISSION_DENIED", "plain", "", CodePermissionDenied, "coded PERMISSION_DENIED", 0},
		{"wrapped", "", "", CodeNotFound, "no such thing", 0},
		{"nil", "", "", CodeInternal, "internal error", 0},
	} {
		text := fmt.Sprintf(`{"A":{"Code":%q},"B":{"Code":%q},"C":{"Code":%q}}`, test.a, test.b, test.c)
		_, err := b.bindObject(new(decoder), []byte(text))
		if CodeOf(err) != test.code || err != nil && ErrorFrom(err).message() != test.message || len(listOf(err)) != test.list {
			t.Errorf("%s: %v, want %s %q and %d violations", text, err, test.code, test.message, test.list)
		}
	}
}

type vNormal struct {
	Name string `json:"name"`
}

func (v *vNormal) Validate() error {
	v.Name = strings.ToLower(v.Name)
	return nil
}

// Verify that a Validate that tidies up tidies what the method gets.
func TestValidateChanges(t *testing.T) {
	type input struct {
		One  vNormal             `json:"one"`
		Map  map[string]vNormal  `json:"map"`
		PMap map[string]*vNormal `json:"pmap"`
		List []vNormal           `json:"list"`
		Arr  [1]vNormal          `json:"arr"`
	}
	b := bindingOf(t, reflect.TypeFor[input]())
	v, err := b.bindObject(new(decoder), []byte(`{"one":{"name":"A"},"map":{"k":{"name":"B"}},"pmap":{"k":{"name":"C"}},"list":[{"name":"D"}],"arr":[{"name":"E"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	in := v.Interface().(*input)
	if got := in.One.Name + in.Map["k"].Name + in.PMap["k"].Name + in.List[0].Name + in.Arr[0].Name; got != "abcde" {
		t.Errorf("the names are %q, want abcde", got)
	}
}

// Verify that an input that came as a Go value is held to the constraints too.
func TestCheckValue(t *testing.T) {
	type input struct {
		*OBase
		Buyer *dBuyer           `json:"buyer"`
		Lines []dLine           `json:"lines" minItems:"1"`
		Map   map[int]dLine     `json:"map"`
		Color string            `json:"color,omitempty" enum:"red,green"`
		Pair  *[2]dLine         `json:"pair,omitempty"`
		Text  map[oFold]*dBuyer `json:"text"`
		Leaf  []vCoded          `json:"leaf"`
	}
	line, buyer := dLine{"a", 2}, dBuyer{Name: "ann"}
	for _, test := range []struct {
		in   input
		want []string
	}{
		{input{Lines: []dLine{line}}, []string{}},
		{input{}, []string{"body /lines minItems"}},
		{input{Lines: []dLine{line, {"c", 1}}, Buyer: &dBuyer{Name: "ANN", Age: 131}}, []string{"body /buyer/name pattern", "body /buyer/age maximum", "body /lines/1/sku enum", "body /lines/1/n multipleOf"}},
		{input{Lines: []dLine{line}, Color: "blue"}, []string{"body /color enum"}},
		{input{Lines: []dLine{line}, Map: map[int]dLine{10: {"a", 0}, 2: {"", 2}, 1: line}}, []string{"body /map/10/n minimum", "body /map/2/sku enum"}},
		{input{Lines: []dLine{line}, Pair: &[2]dLine{line, {}}}, []string{"body /pair/1/sku enum", "body /pair/1/n minimum"}},
		{input{Lines: []dLine{line}, Text: map[oFold]*dBuyer{"B": nil, "A": &buyer, "C/": {}}}, []string{"body /text/C~1/name minLength"}},
		{input{Lines: []dLine{line}, Leaf: []vCoded{{}, {"plain"}}}, []string{"body /leaf/1 validate"}},
	} {
		b := bindingOf(t, reflect.TypeFor[input]())
		if got := placesOf(b.checkValue(new(decoder), reflect.ValueOf(&test.in))); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %q, want %q", test.in, got, test.want)
		}
	}
}
