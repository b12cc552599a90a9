package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests unions: what is decoded and refused, what is encoded, what a method
// and a client find in Go, and what is a mistake.

type (
	unionPayment struct {
		Type unionKind    `json:"type" discriminator:"true" doc:"How it is paid."`
		ID   string       `json:"id" minLength:"1"`
		Card *unionCard   `variant:"card"`
		IBAN *unionIBAN   `variant:"iban"`
		Cash *struct{}    `variant:"cash"`
		Both *unionBundle `variant:"bundle"`
		Note string       `json:"note,omitempty" default:"none"`
	}
	unionKind string
	unionCard struct {
		Number string    `json:"number" maxLength:"4"`
		Holder unionName `json:"holder,omitzero"`
		Debit  bool      `json:"debit" default:"true"`
	}
	unionName struct{ First string }
	unionIBAN struct {
		unionBank
		Number int `json:"number" minimum:"10"`
	}
	unionBank struct {
		BIC string `json:"bic,omitempty"`
	}
	unionBundle struct {
		Parts []unionPayment `json:"parts" maxItems:"3"`
		Rest  *unionPayment  `json:"rest,omitempty"`
	}
	unionOrder struct {
		Payment unionPayment               `json:"payment"`
		Other   *unionPayment              `json:"other,omitempty"`
		Maybe   svc.Optional[unionPayment] `json:"maybe,omitzero"`
		List    []unionPayment             `json:"list,omitempty"`
		Map     map[string]unionPayment    `json:"map,omitempty"`
		Zero    unionPayment               `json:"zero,omitzero"`
	}
)

func (c *unionCard) Validate() error {
	if c.Number == "bad" {
		return errors.New("has a bad number")
	}
	c.Number += "!"
	return nil
}

func (p *unionPayment) Validate() error {
	if p.Card != nil && p.Card.Number == "odd!" {
		return fmt.Errorf("%s is odd", p.Type)
	}
	return nil
}

type UnionAPI interface {
	Create(context.Context, *unionOrder) (*unionOrder, error)
	Pay(context.Context, *unionPayment) (*unionPayment, error)
	Watch(context.Context, *unionOrder) (svc.Stream[unionPayment], error)
}

// unionImpl returns what it gets.
type unionImpl struct{}

func (unionImpl) Create(_ context.Context, in *unionOrder) (*unionOrder, error)  { return in, nil }
func (unionImpl) Pay(_ context.Context, in *unionPayment) (*unionPayment, error) { return in, nil }
func (unionImpl) Watch(_ context.Context, in *unionOrder) (svc.Stream[unionPayment], error) {
	return func(yield func(*unionPayment, error) bool) {
		for i := range in.List {
			yield(&in.List[i], nil)
		}
	}, nil
}

func unionOptions() *svc.Options {
	return &svc.Options{Resource: "orders", Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Methods: map[string]svc.MethodOptions{
		"Pay": {Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}},
	}}
}

// unionInputs are inputs of Create with what comes back: an output, or violations as
// "rule place: message".
var unionInputs = []struct{ name, in, want string }{
	{"a card", `{"payment":{"type":"card","id":"7","number":"1"}}`, `{"payment":{"type":"card","id":"7","note":"none","number":"1!","debit":true}}`},
	{"spaces, escapes and another order", ` { "payment" : { "note":"n", "number":"1","id":"7", "ty\u0070e" : "c\u0061rd" } } `, `{"payment":{"type":"card","id":"7","note":"n","number":"1!","debit":true}}`},
	{"an IBAN", `{"payment":{"type":"iban","id":"7","number":10,"bic":"B"}}`, `{"payment":{"type":"iban","id":"7","note":"none","bic":"B","number":10}}`},
	{"no members of the alternative", `{"payment":{"id":"7","type":"cash"}}`, `{"payment":{"type":"cash","id":"7","note":"none"}}`},
	{"members of other alternatives", `{"payment":{"type":"cash","id":"7","number":{"x":[1]},"debit":7}}`, `{"payment":{"type":"cash","id":"7","note":"none"}}`}, // members of others are unknown
	{"members that are missing", `{"payment":{"type":"card"}}`, `required /payment/id: is required; required /payment/number: is required`},
	{"three rules are broken", `{"payment":{"type":"iban","number":9,"id":"","bic":1}}`, `minimum /payment/number: must be at least 10; minLength /payment/id: must have at least 1 character; type /payment/bic: must be a string, is a number`},
	{"no discriminator", `{"payment":{"id":1}}`, `required /payment/type: is required`},
	{"a discriminator of null", `{"payment":{"id":1,"type":null}}`, `type /payment/type: must be a string, is null`},
	{"a discriminator in another case", `{"payment":{"type":"Card","id":1}}`, `enum /payment/type: must be one of card, iban, cash, bundle`},
	{"an empty discriminator", `{"payment":{"type":"","id":1}}`, `enum /payment/type: must be one of card, iban, cash, bundle`},
	{"a list", `{"payment":[]}`, `type /payment: must be an object, is an array`},
	{"null", `{"payment":null}`, `type /payment: must be an object, is null`},
	{"the discriminator twice", `{"payment":{"type":"cash","type":"cash","id":"7"}}`, `duplicate /payment/type: is the name of two members of one object, at byte 33`},
	{"a common member twice", `{"payment":{"id":"7","id":"7","type":"no"}}`, `duplicate /payment/id: is the name of two members of one object, at byte 26`},
	{"Validate of the alternative", `{"payment":{"type":"card","id":"7","number":"bad"}}`, `validate /payment: has a bad number`},
	{"Validate of the union", `{"payment":{"type":"card","id":"7","number":"odd"}}`, `validate /payment: card is odd`},
	{"unions in other places that are wrong", `{"payment":{"type":"cash","id":"7"},"other":null,"maybe":null,"zero":{"type":"x"},"list":[{"type":"cash","id":"a"},{"id":"b","type":"y"}],"map":{"k":{}}}`,
		`enum /zero/type: must be one of card, iban, cash, bundle; enum /list/1/type: must be one of card, iban, cash, bundle; required /map/k/type: is required`},
	{"unions in all places", `{"payment":{"type":"bundle","id":"7","parts":[{"number":"1","type":"card","id":"8"},{"type":"bundle","id":"9","parts":[]}],"rest":{"id":"1","type":"cash"}},"other":{"type":"cash","id":"2"},"maybe":{"type":"cash","id":"3"},"list":[{"type":"cash","id":"4"}],"map":{"k":{"type":"cash","id":"5"}},"zero":{"type":"cash","id":"6"}}`,
		`{"payment":{"type":"bundle","id":"7","note":"none","parts":[{"type":"card","id":"8","note":"none","number":"1!","debit":true},{"type":"bundle","id":"9","note":"none","parts":[]}],"rest":{"type":"cash","id":"1","note":"none"}},"other":{"type":"cash","id":"2","note":"none"},"maybe":{"type":"cash","id":"3","note":"none"},"list":[{"type":"cash","id":"4","note":"none"}],"map":{"k":{"type":"cash","id":"5","note":"none"}},"zero":{"type":"cash","id":"6","note":"none"}}`},
	{"unions in a union that are wrong", `{"payment":{"type":"bundle","id":"7","parts":[{"type":"card","id":"8"},{"id":3,"type":"cash"},{},{}]}}`,
		`required /payment/parts/0/number: is required; type /payment/parts/1/id: must be a string, is a number; required /payment/parts/2/type: is required; maxItems /payment/parts: must have at most 3 items`},
}

// unionOutcome returns what is in the body of a response: the output, or the violations.
func unionOutcome(text string) string {
	var e struct {
		Error struct {
			Message string
			Data    struct{ Details rpcDetails }
			Details rpcDetails
		}
	}
	json.Unmarshal([]byte(text), &e)
	var said []string
	for _, v := range append(e.Error.Details.Violations, e.Error.Data.Details.Violations...) {
		said = append(said, v.Rule+" "+v.Path+": "+v.Message)
	}
	if said != nil {
		return strings.Join(said, "; ")
	}
	return text
}

// Verify what becomes of inputs with unions, over REST and JSON-RPC, as a part of the input
// and as the whole of it.
func TestUnionInputs(t *testing.T) {
	service := svc.MustRegister[UnionAPI](unionImpl{}, unionOptions())
	post := func(path, body string) string {
		h := service.REST()
		if path == "/rpc" {
			h = service.RPC()
		}
		return strings.TrimSuffix(postJSON(h, path, body).Body.String(), "\n")
	}
	for _, test := range unionInputs {
		t.Run(test.name, func(t *testing.T) {
			if got := unionOutcome(post("/orders", test.in)); got != test.want {
				t.Errorf("REST, %s:\n got %s\nwant %s", test.in, got, test.want)
			}
			if strings.HasPrefix(test.want, "duplicate") {
				return // of the whole message there
			}
			want := test.want
			if strings.HasPrefix(want, "{") {
				want = `{"jsonrpc":"2.0","result":` + want + `,"id":1}`
			}
			if got := unionOutcome(post("/rpc", `{"jsonrpc":"2.0","id":1,"method":"orders.create","params":`+test.in+`}`)); got != want {
				t.Errorf("JSON-RPC, %s:\n got %s\nwant %s", test.in, got, want)
			}
			// The same union as the whole of an input.
			in := map[string]json.RawMessage{}
			if json.Unmarshal([]byte(test.in), &in); len(in) > 1 || strings.Contains(test.want, "parts/") {
				return
			}
			want = strings.NewReplacer(`{"payment":`, "", "/payment/", "/", "/payment:", ":", "}}", "}").Replace(test.want)
			if got := unionOutcome(post("/orders/pay", string(in["payment"]))); got != want {
				t.Errorf("whole, %s:\n got %s\nwant %s", in["payment"], got, want)
			}
		})
	}
}

// A mistaken input is made of the types below, of which each has one mistake.
type (
	unionNoPointer struct {
		Type string    `json:"type" discriminator:"true"`
		A    unionName `variant:"a"`
	}
	unionNoStruct struct {
		Type string  `json:"type" discriminator:"true"`
		A    *string `variant:"a"`
	}
	unionEmbedded struct {
		Type       string `json:"type" discriminator:"true"`
		*unionCard `variant:"a"`
	}
	unionUnexported struct {
		Type string     `json:"type" discriminator:"true"`
		a    *unionName `variant:"a"` //lint:ignore U1000 the mistake is that it is unexported
	}
	unionOwnJSON struct {
		Type string     `json:"type" discriminator:"true"`
		A    *time.Time `variant:"a"`
	}
	unionFile struct {
		Type string    `json:"type" discriminator:"true"`
		A    *svc.File `variant:"a"`
	}
	unionBody struct {
		Type string    `json:"type" discriminator:"true"`
		A    *svc.Body `variant:"a"`
	}
	unionTwice struct {
		Type string    `json:"type" discriminator:"true"`
		A, B *struct{} `variant:"a"`
	}
	unionNoValue struct {
		Type string    `json:"type" discriminator:"true"`
		ID   string    `json:"id"`
		A    *struct{} `variant:""`
		B    *struct{} `variant:"b"`
	}
	unionBadValue struct {
		Type string    `json:"type" discriminator:"true"`
		A    *struct{} `variant:"a b"`
	}
	unionSameName struct {
		Type string `json:"type" discriminator:"true"`
		A    *struct {
			Kind string `json:"type"`
		} `variant:"a"`
	}
	unionCommonName struct {
		Type string `json:"type" discriminator:"true"`
		ID   string `json:"id"`
		A    *struct {
			ID string `json:"id"`
		} `variant:"a"`
	}
	unionCaseName struct {
		Type string               `json:"type" discriminator:"true"`
		ID   string               `json:"id"`
		A    *struct{ ID string } `variant:"a"`
	}
	unionJSONTag struct {
		Type string    `json:"type" discriminator:"true"`
		A    *struct{} `variant:"a" json:"a"`
	}
	unionPathInside struct {
		Type string `json:"type" discriminator:"true"`
		A    *struct {
			ID string `path:"id"`
		} `variant:"a"`
	}
	unionQueryInside struct {
		Type string `json:"type" discriminator:"true"`
		A    *struct {
			ID string `query:"q"`
		} `variant:"a"`
	}
	unionUnion struct {
		Type string `json:"type" discriminator:"true"`
		A    *struct {
			Kind string    `json:"kind" discriminator:"true"`
			B    *struct{} `variant:"b"`
		} `variant:"a"`
	}
	unionNumber struct {
		Type int       `json:"type" discriminator:"true"`
		A    *struct{} `variant:"a"`
	}
	unionOptional struct {
		Type string    `json:"type,omitempty" discriminator:"true"`
		A    *struct{} `variant:"a"`
	}
	unionPointer struct {
		Type *string   `json:"type" discriminator:"true"`
		A    *struct{} `variant:"a"`
	}
	unionRules struct {
		Type string    `json:"type" discriminator:"true" maxLength:"3"`
		A    *struct{} `variant:"a"`
	}
	unionExample struct {
		Type string    `json:"type" discriminator:"true" example:"a"`
		A    *struct{} `variant:"a"`
	}
	unionEnum struct {
		Type unionColor `json:"type" discriminator:"true"`
		A    *struct{}  `variant:"a"`
		B    *struct{}  `variant:"b"`
	}
	unionColor string
	unionQuery struct {
		Type string    `query:"type" discriminator:"true"`
		A    *struct{} `variant:"a"`
	}
	unionHidden struct {
		Type string    `json:"-" path:"type" discriminator:"true"`
		A    *struct{} `variant:"a"`
	}
	unionTrue struct {
		Type string    `json:"type" discriminator:"yes"`
		A    *struct{} `variant:"a"`
	}
	unionTwoTypes struct {
		Type string    `json:"type" discriminator:"true"`
		Kind string    `json:"kind" discriminator:"true"`
		A    *struct{} `variant:"a"`
	}
	unionNone struct {
		Type string `json:"type" discriminator:"true"`
	}
	unionNoType struct {
		A *struct{} `variant:"a"`
	}
	unionInside  struct{ unionPayment }
	unionInside2 struct{ unionNoType }
	unionEmpty   struct {
		P unionPayment `json:"p,omitempty"`
	}
	unionPath struct {
		P unionPayment `path:"id"`
	}
	unionHeader struct {
		P unionPayment `header:"X-P"`
	}
	unionCookie struct {
		P *unionPayment `cookie:"p,omitempty"`
	}
	unionEndless struct {
		Type string         `json:"type" discriminator:"true"`
		A    *unionEndless2 `variant:"a"`
		B    *unionEndless2 `variant:"b"`
	}
	unionEndless2 struct {
		Next unionEndless `json:"next"`
	}
	unionFinite struct {
		Type string        `json:"type" discriminator:"true"`
		A    *unionFinite2 `variant:"a"`
		B    *struct{}     `variant:"b"`
	}
	unionFinite2 struct {
		Next unionFinite `json:"next"`
	}
	unionValidate struct {
		Type string          `json:"type" discriminator:"true"`
		A    *unionValidate2 `variant:"a"`
	}
	unionValidate2 struct{}
)

func (unionColor) Enum() []unionColor                     { return []unionColor{"a", "c"} }
func (unionValidate2) Validate(ctx context.Context) error { return nil }

type unionTakes[T any] interface {
	Create(context.Context, *T) error
}
type unionTaker[T any] struct{}

func (unionTaker[T]) Create(context.Context, *T) error { return nil }

// unionMistake returns the mistakes of a service that takes a T by this route, or "none".
func unionMistake[T any](pattern string) string {
	_, err := svc.Register[unionTakes[T]](unionTaker[T]{}, &svc.Options{Resource: "x", Methods: map[string]svc.MethodOptions{"Create": {HTTP: pattern}}})
	if err == nil {
		return "none"
	}
	_, list, _ := strings.Cut(err.Error(), ":\n  - ")
	return strings.NewReplacer("blackbox_test.", "", "Create: ", "", "unionTakes[...].", "").Replace(list)
}

// Verify what is said of every mistake that one can make with a union.
func TestUnionMistakes(t *testing.T) {
	const post = "POST /x"
	for _, test := range []struct{ name, got, want string }{
		{"order", unionMistake[unionOrder](post), `none`},
		{"payment", unionMistake[unionPayment](post), `none`},
		{"finite", unionMistake[unionFinite](post), `none`},
		{"no pointer", unionMistake[unionNoPointer](post), `unionNoPointer.A: an alternative is a pointer to a struct, such as *Card, not a unionName`},
		{"no struct", unionMistake[unionNoStruct](post), `unionNoStruct.A: an alternative is a pointer to a struct, such as *Card, not a *string`},
		{"embedded", unionMistake[unionEmbedded](post), `unionEmbedded.unionCard: an alternative cannot be embedded; give the field a name`},
		{"unexported", unionMistake[unionUnexported](post), `unionUnexported.a: an alternative must be exported, since svc has to set it`},
		{"own JSON", unionMistake[unionOwnJSON](post), `unionOwnJSON.A: time.Time has its own JSON, and an alternative has members; put it into a field of a struct`},
		{"file", unionMistake[unionFile](post), `unionFile.A: a svc.File is no JSON, and an alternative has members; give it a method of its own`},
		{"body", unionMistake[unionBody](post), `unionBody.A: a svc.Body is no JSON, and an alternative has members; give it a method of its own`},
		{"twice", unionMistake[unionTwice](post), `unionTwice.B: variant:"a" is the value of another alternative too; rename one`},
		{"no value", unionMistake[unionNoValue](post), `unionNoValue.A: variant:"": want letters, digits and any of _.:-`},
		{"bad value", unionMistake[unionBadValue](post), `unionBadValue.A: variant:"a b": want letters, digits and any of _.:-`},
		{"same name", unionMistake[unionSameName](post), `unionSameName.A.Kind: unionSameName.Type has the name "type" too; rename one`},
		{"common name", unionMistake[unionCommonName](post), `unionCommonName.A.ID: unionCommonName.ID has the name "id" too; rename one`},
		{"case name", unionMistake[unionCaseName](post), `unionCaseName.A: the fields ID and ID have the names "id" and "ID", which differ only by case; rename one`},
		{"jsontag", unionMistake[unionJSONTag](post), `unionJSONTag.A: an alternative is no member, but its fields are; drop the tag json`},
		{"path inside", unionMistake[unionPathInside]("POST /x/{id}"), `unionPathInside.A.ID: a field of an alternative is a member of the body; drop the tags for other places`},
		{"query inside", unionMistake[unionQueryInside](post), `unionQueryInside.A.ID: a field of an alternative is a member of the body; drop the tags for other places`},
		{"union", unionMistake[unionUnion](post), `unionUnion.A: an alternative cannot be a union itself; put that into a field of a struct`},
		{"number", unionMistake[unionNumber](post), `unionNumber.Type: a discriminator is a string, or of a named type of strings, not of the type int`},
		{"optional", unionMistake[unionOptional](post), `unionOptional.Type: a discriminator cannot be absent; drop omitempty, omitzero or the default`},
		{"pointer", unionMistake[unionPointer](post), `unionPointer.Type: a discriminator is a string, or of a named type of strings, not of the type *string`},
		{"rules", unionMistake[unionRules](post), `unionRules.Type: the values of a discriminator are those of the alternatives; drop the tags for rules, format and example`},
		{"example", unionMistake[unionExample](post), `unionExample.Type: the values of a discriminator are those of the alternatives; drop the tags for rules, format and example`},
		{"enum", unionMistake[unionEnum](post), `unionEnum.Type: unionColor.Enum returns ["a","c"], and the alternatives are a, b; list the same values`},
		{"query", unionMistake[unionQuery](post), `unionQuery.Type: a discriminator is a member of the body; drop the tags for other places`},
		{"hidden", unionMistake[unionHidden]("POST /x/{type}"), `unionHidden.Type: a discriminator is a member of the body; drop the tags for other places`},
		{"true", unionMistake[unionTrue](post), `unionTrue.Type: discriminator:"yes": want "true"`},
		{"two types", unionMistake[unionTwoTypes](post), `unionTwoTypes.Type: Kind is a discriminator too; drop one of the tags`},
		{"none", unionMistake[unionNone](post), "unionNone.Type: a discriminator needs alternatives, which are fields such as Card *Card `variant:\"card\"`"},
		{"no type", unionMistake[unionNoType](post), "unionNoType: alternatives need a field that says which of them is there, such as Type string `json:\"type\" discriminator:\"true\"`"},
		{"inside", unionMistake[unionInside](post), `unionInside: unionPayment is a union, which cannot be embedded; give the field a name`},
		{"inside 2", unionMistake[unionInside2](post), `unionInside2: unionNoType is a union, which cannot be embedded; give the field a name`},
		{"empty", unionMistake[unionEmpty](post), `unionEmpty.P: omitempty never leaves out a union; write omitzero, or a pointer`},
		{"path", unionMistake[unionPath]("POST /x/{id}"), `unionPath.P: the type unionPayment cannot come from the path, which carries scalars`},
		{"header", unionMistake[unionHeader](post), `unionHeader.P: the type unionPayment cannot come from the header, which carries scalars`},
		{"cookie", unionMistake[unionCookie](post), `unionCookie.P: the type *unionPayment cannot come from the cookie, which carries scalars`},
		{"payment by GET", unionMistake[unionPayment]("GET /x"), `unionPayment: a union comes from a JSON body, and here type would come from the query; use POST, PUT or PATCH, and no placeholder of that name`},
		{"payment with a placeholder", unionMistake[unionPayment]("POST /x/{type}"), `unionPayment: a union comes from a JSON body, and here type would come from the path; use POST, PUT or PATCH, and no placeholder of that name`},
		{"endless", unionMistake[unionEndless](post), `unionEndless must contain itself or a type that does, so that no value is finite; make a field on the way optional (omitempty) or a pointer`},
		{"validate", unionMistake[unionValidate](post), `unionValidate: svc does not call unionValidate2.Validate, since its signature is not Validate() error; change it, and do what needs a context in the method of the service`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got\n%s\nwant\n%s", test.got, test.want)
			}
		})
	}
}

// A unionValue is a union as a Go value, and what becomes of it: in an output its JSON or
// the error that is logged, in an input whether it is refused.
var unionValues = []struct {
	name  string
	value unionPayment
	json  string // or the error of an output
	said  string // the discriminator that a method finds
}{
	{"a card", unionPayment{ID: "1", Card: &unionCard{Number: "2", Holder: unionName{"A"}}}, `{"type":"card","id":"1","number":"2","holder":{"First":"A"},"debit":false}`, "card"},
	{"said", unionPayment{Type: "iban", ID: "1", IBAN: &unionIBAN{Number: 12}}, `{"type":"iban","id":"1","number":12}`, "iban"},
	{"no members", unionPayment{ID: "1", Cash: &struct{}{}, Note: "n"}, `{"type":"cash","id":"1","note":"n"}`, "cash"},
	{"a list", unionPayment{ID: "1", Both: &unionBundle{Parts: []unionPayment{{ID: "2", Cash: &struct{}{}}}}}, `{"type":"bundle","id":"1","parts":[{"type":"cash","id":"2"}]}`, "bundle"},
	{"none", unionPayment{Type: "card", ID: "1"}, `a blackbox_test.unionPayment with 0 of its alternatives set, and the discriminator "card"; set one, and leave Type empty`, ""},
	{"two", unionPayment{ID: "1", Card: &unionCard{}, Cash: &struct{}{}}, `a blackbox_test.unionPayment with 2 of its alternatives set, and the discriminator ""; set one, and leave Type empty`, ""},
	{"contradicts", unionPayment{Type: "card", ID: "1", Cash: &struct{}{}}, `a blackbox_test.unionPayment with 1 of its alternatives set, and the discriminator "card"; set one, and leave Type empty`, ""},
}

// unionEcho answers with a value and keeps what it gets.
type unionEcho struct {
	answer *unionPayment
	got    *unionPayment
}

// A unionShade has its discriminators by a method Enum.
type unionShade struct {
	Type unionShadeKind `json:"type" discriminator:"true"`
	Dark *struct{}      `variant:"dark"`
}

type unionShadeKind string

func (unionShadeKind) Enum() []unionShadeKind { return []unionShadeKind{"dark"} }

type UnionEchoAPI interface {
	Pay(context.Context, *unionPayment) (*unionPayment, error)
	Show(context.Context) (*unionPayment, error)
	Tint(context.Context, *unionShade) (*unionShade, error)
}

func (e *unionEcho) Tint(_ context.Context, in *unionShade) (*unionShade, error) { return in, nil }

func (e *unionEcho) Pay(_ context.Context, in *unionPayment) (*unionPayment, error) {
	e.got = in
	return in, nil
}
func (e *unionEcho) Show(context.Context) (*unionPayment, error) { return e.answer, nil }

// Verify what becomes of unions as Go values: in outputs, in calls and in clients.
func TestUnionValues(t *testing.T) {
	var log strings.Builder
	echo := new(unionEcho)
	options := &svc.Options{Resource: "orders", Logger: slog.New(slog.NewTextHandler(&log, nil)), Methods: map[string]svc.MethodOptions{
		"Pay":  {Transports: []svc.Transport{svc.TransportREST}},
		"Show": {HTTP: "GET /show"},
		"Tint": {Transports: []svc.Transport{svc.TransportREST}},
	}}
	service := svc.MustRegister[UnionEchoAPI](echo, options)
	var client struct {
		Pay  func(context.Context, *unionPayment) (*unionPayment, error)
		Show func(context.Context) (*unionPayment, error)
	}
	if err := svc.Connect[UnionEchoAPI](&client, "", &svc.ClientOptions{Service: options, Handler: service.REST()}); err != nil {
		t.Fatal(err)
	}
	refused := func(t *testing.T, err error) {
		t.Helper()
		var e *svc.Error
		if !errors.As(err, &e) || e.Code != svc.CodeInvalidArgument || len(e.Violations()) != 1 || e.Violations()[0].Rule != "variant" || !strings.Contains(e.Message, "exactly one of the alternatives card, iban") || e.Violations()[0].Path != "" {
			t.Errorf("the error is %v", err)
		}
	}
	for _, test := range unionValues {
		t.Run(test.name, func(t *testing.T) {
			value := test.value
			if value.Card != nil {
				card := *value.Card // which Validate changes
				value.Card = &card
			}
			echo.answer = &value
			log.Reset()
			w := httptest.NewRecorder()
			service.REST().ServeHTTP(w, httptest.NewRequest("GET", "/show", nil))
			if test.said == "" {
				if w.Code != 500 || !strings.Contains(log.String(), strconv.Quote(test.json)[1:]) {
					t.Errorf("answered %d, and the log has %s", w.Code, log.String())
				}
				_, err := service.Call(context.Background(), "orders", "pay", &value)
				refused(t, err)
				_, err = client.Pay(context.Background(), &value)
				refused(t, err)
				return
			}
			if got := strings.TrimSpace(w.Body.String()); got != test.json {
				t.Errorf("the output is\n%s\nwant\n%s", got, test.json)
			}
			shown, err := client.Show(context.Background())
			if err != nil || string(shown.Type) != test.said || shown.ID != "1" || (shown.Card == nil) != (value.Card == nil) {
				t.Errorf("the client gets %+v, %v", shown, err)
			}
			before := value.Type
			paid, err := client.Pay(context.Background(), &value)
			if err != nil || string(paid.Type) != test.said || value.Type != before {
				t.Errorf("the client sends and gets %+v, %v", paid, err)
			}
			if _, err = service.Call(context.Background(), "orders", "pay", &value); err != nil || echo.got != &value || string(value.Type) != test.said {
				t.Errorf("Call gives %+v, %v", echo.got, err)
			}
			if both := value.Both; both != nil && both.Parts[0].Type != "cash" {
				t.Errorf("Call gives %+v inside", both.Parts[0])
			}
		})
	}
}

// Verify that a client takes an alternative that it does not know, as a newer service may
// answer with, and no discriminator.
func TestUnionUnknownToTheClient(t *testing.T) {
	var client struct {
		Show func(context.Context) (*unionPayment, error)
		Tint func(context.Context, *unionShade) (*unionShade, error)
	}
	answer := `{"type":"light"}`
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	})
	options := &svc.Options{Methods: map[string]svc.MethodOptions{"Show": {HTTP: "GET /show"}, "Tint": {HTTP: "POST /tint"}}}
	if err := svc.Connect[UnionEchoAPI](&client, "", &svc.ClientOptions{Service: options, Handler: handler}); err != nil {
		t.Fatal(err)
	}
	shade, err := client.Tint(context.Background(), &unionShade{Dark: &struct{}{}})
	if err != nil || *shade != (unionShade{Type: "light"}) {
		t.Errorf("of a type with Enum: %+v, %v", shade, err)
	}
	for _, test := range []struct{ name, answer, want string }{
		{"an unknown alternative", `{"id":"1","type":"coin","number":[]}`, `coin 1`},
		{"no discriminator", `{"id":"1","number":[]}`, ` 1`},
		{"a member too few", `{"type":"cash"}`, `cash  cash`},
		{"a discriminator of another type", `{"type":1}`, `INTERNAL: the response does not match the type of the output: /type must be a string, is a number`},
		{"a member of another type", `{"type":"iban","number":""}`, `INTERNAL: the response does not match the type of the output: /number must be an integer, is a string`},
		{"no object", `[]`, `INTERNAL: the response does not match the type of the output: must be an object, is an array`},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer = test.answer
			got, err := client.Show(context.Background())
			said := fmt.Sprint(err)
			if err == nil {
				said = fmt.Sprintf("%s %s", got.Type, got.ID)
				if got.Cash != nil {
					said += " cash"
				}
			}
			if said != test.want {
				t.Errorf("%s: %s, want %s", test.answer, said, test.want)
			}
		})
	}
}

// Verify what every kind of document says of unions.
func TestUnionDocuments(t *testing.T) {
	service := svc.MustRegister[UnionAPI](unionImpl{}, unionOptions())
	get := func(h http.Handler, path string, accept string) []byte {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.Bytes()
	}
	indent := func(text []byte) []byte {
		var buf bytes.Buffer
		if err := json.Indent(&buf, text, "", "  "); err != nil {
			t.Fatal(err)
		}
		return append(buf.Bytes(), '\n')
	}
	golden(t, "unions/openapi-3.0.3.json", indent(get(service.OpenAPI(), "/?", "application/json")))
	golden(t, "unions/openapi-3.1.json", indent(get(service.OpenAPI(), "/?openapi=3.1", "application/json")))
	golden(t, "unions/markdown.txt", get(service.Docs(nil), "/", "text/markdown"))
	discover := httptest.NewRecorder()
	service.RPC().ServeHTTP(discover, httptest.NewRequest("POST", "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`)))
	golden(t, "unions/openrpc.json", indent(discover.Body.Bytes()))
	tools := mcpPost(service.MCP(nil), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.Bytes()
	golden(t, "unions/tools.json", indent(tools))
	types, err := json.MarshalIndent(service.Descriptor().Types, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "unions/types.json", append(types, '\n'))
}
