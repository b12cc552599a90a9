// Command openapigenerator calls the kitchen sink with the Go client that
// openapi-generator made of its document.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"time"

	sink "example.com/svc/interop/generators/dist/openapigo"
)

func main() {
	log.SetFlags(0)
	config := sink.NewConfiguration()
	config.AddDefaultHeader("Cookie", "session=a1; page=2") // which its methods do not send
	config.Servers = sink.ServerConfigurations{{URL: os.Args[1]}}
	api := sink.NewAPIClient(config).DefaultAPI
	for _, step := range []func(context.Context, *sink.DefaultAPIService) error{create, get, list, update, remove, sift, nulls, unions} {
		if err := step(context.Background(), api); err != nil {
			log.Fatalf("openapi-generator go: %v", err)
		}
	}
	fmt.Println("openapi-generator go: create, get, list, update, delete, headers, null and unions made their round trip")
}

func create(ctx context.Context, api *sink.DefaultAPIService) error {
	numbers := sink.Numbers{
		Int: 1<<31 - 1, Int8: -128, Int16: 1<<15 - 1, Int32: -1 << 31, Int64: -1 << 63,
		Uint: 1, Uint8: 255, Uint16: 1<<16 - 1, Uint32: 1<<32 - 1, Uint64: 1<<63 - 1, Float32: 1.5, Float64: 0.1, Number: 2.5, Bool: true,
	}
	got, res, err := api.SinksCreate(ctx).Numbers(numbers).Execute()
	if err != nil || sink.Numbers(*got) != numbers || res.StatusCode != http.StatusCreated || res.Header.Get("Location") != "/sinks/65536" {
		return fmt.Errorf("create: %v, %v", got, err)
	}
	return nil
}

func get(ctx context.Context, api *sink.DefaultAPIService) error {
	got, _, err := api.SinksGet(ctx, "7").Execute()
	if err != nil || got.Id != 7 {
		return fmt.Errorf("get: %v, %v", got, err)
	}
	_, _, err = api.SinksGet(ctx, "0").Execute()
	var typed *sink.GenericOpenAPIError
	if !errors.As(err, &typed) {
		return fmt.Errorf("get: %v", err)
	}
	if body, ok := typed.Model().(sink.ErrorBody); !ok || body.Error.Code != "NOT_FOUND" {
		return fmt.Errorf("get: %T %s", typed.Model(), typed.Body())
	}
	return nil
}

func list(ctx context.Context, api *sink.DefaultAPIService) error {
	page, _, err := api.SinksList(ctx).Required("x").Text("ab").Limit(5).Tag([]string{"a", "b"}).Execute()
	if err != nil || len(page.Data) != 1 || page.Data[0].Id != 5 || page.Data[0].GetName() != "ab" {
		return fmt.Errorf("list: %v, %v", page, err)
	}
	return nil
}

func update(ctx context.Context, api *sink.DefaultAPIService) error {
	body := sink.NewUpdateBody("saw")
	body.SetTags([]string{"t"})
	body.SetInner(sink.Inner{Id: 3})
	got, _, err := api.SinksUpdate(ctx, "a1").UpdateBody(*body).Execute()
	if err != nil || got.Id != "a1" || got.Name != "saw" || got.GetInner().Id != 3 {
		return fmt.Errorf("update: %v, %v", got, err)
	}
	return nil
}

func remove(ctx context.Context, api *sink.DefaultAPIService) error {
	res, err := api.SinksDelete(ctx, "7").Execute()
	if err != nil || res.StatusCode != http.StatusNoContent {
		return fmt.Errorf("delete: %v, %v", res, err)
	}
	return nil
}

// sift sends headers of every kind.
func sift(ctx context.Context, api *sink.DefaultAPIService) error {
	call := api.SinksSift(ctx).XRegion("north").XLevel(-5).XWide(1 << 62).XOn(true).XSince(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)).Session("a1").Page(2)
	got, res, err := call.SiftBody(sink.SiftBody{Note: sink.PtrString("n")}).Execute()
	if err != nil || got.Note != "n" || res.Header.Get("X-Region") != "north" || res.Header.Get("X-Level") != "-5" || res.Header.Get("X-Wide") != "4611686018427387904" {
		return fmt.Errorf("sift: %v, %v", got, err)
	}
	return nil
}

// nulls sends a tree whose right side is a tree without one.
func nulls(ctx context.Context, api *sink.DefaultAPIService) error {
	leaf := sink.NewTree(2, *sink.NewNullableTree(nil))
	tree := sink.NewTree(1, *sink.NewNullableTree(leaf))
	got, _, err := api.SinksEchoTree(ctx).Tree(*tree).Execute()
	if err != nil {
		return fmt.Errorf("echo tree: %v", err)
	}
	right := got.Right.Get()
	if right == nil || right.Value != 2 || right.Right.Get() != nil {
		return fmt.Errorf("echo tree: %v", got)
	}
	return nil
}

// unions sends the alternatives of a union, one of which the generated code makes of its
// members, and takes them apart again.
func unions(ctx context.Context, api *sink.DefaultAPIService) error {
	text, err := os.ReadFile("choices.json")
	if err != nil {
		return err
	}
	var sent sink.Choices
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	one := sink.NewChoiceText("text", 1, "a")
	one.SetColor("red")
	sent.One = sink.ChoiceTextAsChoice(one)
	got, _, err := api.SinksEchoChoices(ctx).Choices(sent).Execute()
	if err != nil {
		return fmt.Errorf("echo choices: %v", err)
	}
	if !reflect.DeepEqual(*got, sent) || got.List[0].ChoiceNumber.GetExact() || got.List[1].ChoiceNested.Parts[1].ChoiceText.Value != "b" || got.List[2].ChoiceNone.Id != 6 || got.ByName["x"].ChoiceNested.Inner.Id != 70 {
		return fmt.Errorf("echo choices: %+v", got)
	}
	return letter(ctx, api)
}

// letter sends unions by JSON type, takes them apart again, and asks for one value where a stream
// could be.
func letter(ctx context.Context, api *sink.DefaultAPIService) error {
	text, err := os.ReadFile("letter.json")
	if err != nil {
		return err
	}
	var sent sink.Letter
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	got, _, err := api.SinksEchoLetter(ctx).Letter(sent).Execute()
	if err != nil {
		return fmt.Errorf("echo letter: %v", err)
	}
	if !reflect.DeepEqual(*got, sent) || *got.Prose.String != "hi" || (*got.More[1].ArrayOfInner)[0].Id != 2 || *got.Hue.Shade != "red" {
		return fmt.Errorf("echo letter: %+v", got)
	}
	answer, _, err := api.SinksAnswer(ctx).Question(*sink.NewQuestion("a b")).Execute()
	if err != nil || answer.Count != 2 {
		return fmt.Errorf("answer: %+v, %v", answer, err)
	}
	return nil
}
