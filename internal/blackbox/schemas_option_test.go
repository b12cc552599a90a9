package blackbox_test

import (
	"context"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"example.com/svc"
)

type pricedItem struct {
	Price *big.Float `json:"price"`
	Big   big.Int    `json:"big"`
}

// Verify that Options.Schemas describes types of other modules wherever a schema is.
func TestSchemasOption(t *testing.T) {
	t.Parallel()
	const price = `{"type":"string","pattern":"^[0-9]+(\\.[0-9]{2})?$","examples":["9.90"]}`
	s, err := exactly[pricedItem](nil, svc.Options{Schemas: map[reflect.Type]string{
		reflect.TypeFor[big.Float](): price,
		reflect.TypeFor[big.Int]():   `{"type":"integer","description":"As many digits as it takes."}`,
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, want string }{
		"OpenAPI":    {string(sharingAnswer(s.OpenAPI(), "/?openapi=3.1", "")), `^[0-9]+(`},
		"tools":      {string(sharingAnswer(s.MCP(nil), "/", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)), `^[0-9]+(`},
		"page":       {string(sharingAnswer(s.Docs(nil), "/", "")), `^[0-9]+(`},
		"TypeScript": {getClient(s, "/client.ts").Body.String(), "big: number"},
	} {
		if !strings.Contains(test.text, test.want) {
			t.Errorf("%s lacks %s", name, test.want)
		}
	}
	s, err = exactly[pricedItem](nil, svc.Options{Schemas: map[reflect.Type]string{
		reflect.TypeFor[big.Int](): `{"type":["integer","null"]}`,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(sharingAnswer(s.OpenAPI(), "/?openapi=3.0", "")); !strings.Contains(text, `"big":{"nullable":true,"type":"integer"}`) {
		t.Errorf("OpenAPI 3.0.3 has no nullable: %s", text)
	}
	_, err = exactly[pricedItem](nil, svc.Options{Schemas: map[reflect.Type]string{
		reflect.TypeFor[*big.Float](): price,
		reflect.TypeFor[pricedItem](): price,
		reflect.TypeFor[big.Int]():    `[]`,
		nil:                           price,
	}})
	for _, want := range []string{
		"Options.Schemas has the type nil",
		"Options.Schemas has *big.Float; write the type that it points to, big.Float",
		"Options.Schemas has blackbox_test.pricedItem, which has no MarshalJSON or MarshalText of its own",
		"Options.Schemas has for big.Int what is not JSON Schema",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
}

type twicePointedAPI interface {
	Create(ctx context.Context, in **pricedItem) error
}
type twicePointed struct{}

func (twicePointed) Create(context.Context, **pricedItem) error { return nil }

// Verify that an input behind two pointers is one mistake.
func TestInputBehindTwoPointers(t *testing.T) {
	_, err := svc.Register[twicePointedAPI](twicePointed{}, &svc.Options{Resource: "x"})
	const want = "the input has the type **blackbox_test.pricedItem; one pointer is enough"
	if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v", err)
	}
}
