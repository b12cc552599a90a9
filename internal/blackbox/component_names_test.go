package blackbox_test

import (
	"context"
	"encoding/json"
	"image"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify which names types have in documents.
func TestComponentNames(t *testing.T) {
	t.Parallel()
	type Point struct {
		X int `json:"x"`
	}
	type ErrorBody struct {
		X int `json:"x"`
	}
	type alone struct {
		P Point `json:"p"`
	}
	type both struct {
		P Point       `json:"p"`
		I image.Point `json:"i"`
	}
	type other struct {
		I image.Point `json:"i"`
		P Point       `json:"p"`
	}
	type own struct {
		N exNamed   `json:"n"`
		E ErrorBody `json:"e"`
		O exOver    `json:"o"`
	}
	type wrong struct {
		B exBadName `json:"b"`
		C exSame    `json:"c"`
		N exNamed   `json:"n"`
		P exPanics  `json:"p"`
	}
	names := func(s *svc.Service, err error) string {
		if err != nil {
			return err.Error()
		}
		var list []string
		for _, i := range s.Descriptor().Types {
			list = append(list, i.Name)
		}
		return strings.Join(list, " ")
	}
	for _, test := range []struct{ got, want string }{
		{names(exactly[alone](nil, svc.Options{})), "Point alone"},
		{names(exactly[both](nil, svc.Options{})), "BlackboxTestPoint ImagePoint both"},
		{names(exactly[other](nil, svc.Options{})), "BlackboxTestPoint ImagePoint other"},
		{names(exactly[own](nil, svc.Options{})), "BlackboxTestErrorBody Over a.named-Type own"},
		{names(exactly[wrong](nil, svc.Options{})), `blackbox_test.exBadName.SchemaName returns "a b"; want letters, digits, dots, dashes and underscores`},
		{names(exactly[wrong](nil, svc.Options{})), "blackbox_test.exSame.SchemaName and blackbox_test.exNamed.SchemaName return the same name; change one of them"},
		{names(exactly[wrong](nil, svc.Options{})), "blackbox_test.exPanics.SchemaName panics on the zero value: no name"},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("got %s, want %s", test.got, test.want)
			}
		})
	}
}

// Verify that a struct without a name is written in place, and refused where that would grow.
func TestInlineStructs(t *testing.T) {
	t.Parallel()
	type m1 = struct{ A, B, C, D, E, F, G, H int }
	type m2 = struct{ A, B, C, D, E, F, G, H m1 }
	type m3 = struct{ A, B, C, D, E, F, G, H m2 }
	type m4 = struct{ A, B m3 }
	type fine struct{ One, Two m3 } // of 584 members each
	type large struct{ One m4 }
	s, err := exactly[fine](nil, svc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if list := s.Descriptor().Types; len(list) != 1 {
		t.Errorf("%d types in place of one", len(list))
	}
	const want = "blackbox_test.large.One: documents write out a struct without a name in Go wherever it is used, and this one would have more than 1000 members with those in it; declare it as a type with a name"
	if _, err := exactly[large](nil, svc.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

type (
	exNamed   struct{ A int }
	exSame    struct{ A int }
	exBadName struct{ A int }
	exPanics  struct{ A int }
	exOver    struct{ exNamed } // with a name of its own, and not that of what it embeds
)

func (exNamed) SchemaName() string   { return "a.named-Type" }
func (exSame) SchemaName() string    { return "A.Named-Type" }
func (exBadName) SchemaName() string { return "a b" }
func (exPanics) SchemaName() string  { panic("no name") }
func (exOver) SchemaName() string    { return "Over" }

type exBoth struct {
	Shared exShared `json:"shared"`
	Kind   exKind   `json:"kind"`
}

type (
	exShared struct{ A string }
	exKind   string
	exResult struct {
		Shared exShared `json:"shared"`
		Only   exOnly   `json:"only"`
		Kind   exKind   `json:"kind"`
	}
	exOnly struct{ A string }
)

func (exKind) Enum() []exKind { return []exKind{"a", "b"} }

type exBothAPI interface {
	Do(ctx context.Context, in *exBoth) (*exResult, error)
}

type exBothImpl struct{}

func (exBothImpl) Do(context.Context, *exBoth) (*exResult, error) { return new(exResult), nil }

type (
	derivedOrder struct {
		ID   int    `json:"id"`
		Text string `json:"text"`
	}
	derivedOrderBody struct{ A int }
	derivedPay       struct {
		Type string    `json:"type" discriminator:"true"`
		Card *struct{} `variant:"card"`
	}
	derivedPayCard struct{ B int }
	derivedMade    struct {
		Tag   string `json:"tag" header:"ETag"`
		Count int    `json:"count"`
	}
	derivedMadeResponse struct{ C int }
	derivedBillCashBody struct{ E int }
	derivedAll          struct {
		Body derivedOrderBody    `json:"body"`
		Pay  derivedPay          `json:"pay"`
		Card derivedPayCard      `json:"card"`
		Made derivedMadeResponse `json:"made"`
		Bill derivedBillCashBody `json:"bill"`
	}
	derivedBill struct {
		ID   int              `json:"id"`
		Type string           `json:"type" discriminator:"true"`
		Cash *derivedBillCash `variant:"cash"`
	}
	derivedBillCash struct{ D int }
	derivedAPI      interface {
		Move(ctx context.Context, in *derivedOrder) error
		Bill(ctx context.Context, in *derivedBill) error
		Update(ctx context.Context, in *derivedOrder) (*derivedMade, error)
		Create(ctx context.Context, in *derivedAll) error
	}
	derivedImpl struct{}
)

func (derivedImpl) Update(context.Context, *derivedOrder) (*derivedMade, error) { return nil, nil }
func (derivedImpl) Create(context.Context, *derivedAll) error                   { return nil }
func (derivedImpl) Move(context.Context, *derivedOrder) error                   { return nil }
func (derivedImpl) Bill(context.Context, *derivedBill) error                    { return nil }

// Verify that the names that documents make of others are taken, so that a type that has
// such a name in Go has its package in front, and only the second of two parts of one type
// has a number.
func TestDerivedNamesAreTaken(t *testing.T) {
	s := svc.MustRegister[derivedAPI](derivedImpl{}, &svc.Options{Resource: "orders", Methods: map[string]svc.MethodOptions{"Move": {HTTP: "POST /orders/{text}/move"}, "Bill": {HTTP: "POST /orders/{id}/bill"}}})
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	want := []string{"BlackboxTestDerivedBillCashBody", "BlackboxTestDerivedMadeResponse", "BlackboxTestDerivedOrderBody", "BlackboxTestDerivedPayCard", "ErrorBody", "ErrorDetails", "ErrorObject", "Violation", "derivedAll", "derivedBillBody", "derivedBillCashBody", "derivedMadeResponse", "derivedOrderBody", "derivedOrderBody2", "derivedPay", "derivedPayCard"}
	if got := slices.Sorted(maps.Keys(doc.Components.Schemas)); !slices.Equal(got, want) {
		t.Errorf("the components are %q, want %q", got, want)
	}
}
