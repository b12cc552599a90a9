// Command oapicodegen calls the kitchen sink with the client that oapi-codegen
// made of its document.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	sink "example.com/svc/interop/generators/dist/oapisink"
)

func main() {
	log.SetFlags(0)
	c, err := sink.NewClientWithResponses(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range []func(context.Context, *sink.ClientWithResponses) error{create, get, list, update, remove, sift, nulls, unions} {
		if err := step(context.Background(), c); err != nil {
			log.Fatalf("oapi-codegen: %v", err)
		}
	}
	fmt.Println("oapi-codegen: create, get, list, update, delete, headers, cookies, null and unions made their round trip")
}

func create(ctx context.Context, c *sink.ClientWithResponses) error {
	numbers := sink.Numbers{
		Int: 1<<31 - 1, Int8: -128, Int16: 1<<15 - 1, Int32: -1 << 31, Int64: -1 << 63,
		Uint: 1, Uint8: 255, Uint16: 1<<16 - 1, Uint32: 1<<32 - 1, Uint64: 1<<63 - 1, Float32: 1.5, Float64: 0.1, Number: 2.5, Bool: true,
	}
	res, err := c.SinksCreateWithResponse(ctx, numbers)
	if err != nil {
		return err
	}
	if res.JSON201 == nil || sink.Numbers(*res.JSON201) != numbers || res.HTTPResponse.Header.Get("Location") != "/sinks/65536" {
		return fmt.Errorf("create: %s %s", res.Status(), res.Body)
	}
	wrong, err := c.SinksCreateWithResponse(ctx, sink.Numbers{Int8: 128})
	if err != nil {
		return err
	}
	if e := wrong.JSON400; e == nil || e.Error.Code != sink.INVALIDARGUMENT || e.Error.Details == nil || len(*e.Error.Details.Violations) != 1 {
		return fmt.Errorf("create: %s %s", wrong.Status(), wrong.Body)
	}
	return nil
}

func get(ctx context.Context, c *sink.ClientWithResponses) error {
	res, err := c.SinksGetWithResponse(ctx, "7")
	if err != nil {
		return err
	}
	if res.JSON200 == nil || res.JSON200.Id != 7 {
		return fmt.Errorf("get: %s %s", res.Status(), res.Body)
	}
	if res, err = c.SinksGetWithResponse(ctx, "0"); err != nil {
		return err
	}
	if res.JSON404 == nil || res.JSON404.Error.Code != sink.NOTFOUND {
		return fmt.Errorf("get: %s %s", res.Status(), res.Body)
	}
	return nil
}

func list(ctx context.Context, c *sink.ClientWithResponses) error {
	text, limit := "ab", int32(5)
	res, err := c.SinksListWithResponse(ctx, &sink.SinksListParams{Required: "x", Text: &text, Limit: &limit, Tag: &[]string{"a", "b"}})
	if err != nil {
		return err
	}
	if p := res.JSON200; p == nil || len(p.Data) != 1 || p.Data[0].Id != 5 || *p.Data[0].Name != "ab" || p.Next != nil {
		return fmt.Errorf("list: %s %s", res.Status(), res.Body)
	}
	return nil
}

func update(ctx context.Context, c *sink.ClientWithResponses) error {
	inner := new(sink.UpdateBody_Inner)
	if err := inner.FromInner(sink.Inner{Id: 3}); err != nil {
		return err
	}
	res, err := c.SinksUpdateWithResponse(ctx, "a1", nil, sink.UpdateBody{Name: "saw", Inner: inner, Tags: &[]string{"t"}})
	if err != nil {
		return err
	}
	if res.JSON200 == nil || res.JSON200.Id != "a1" || res.JSON200.Name != "saw" || res.JSON200.Inner == nil {
		return fmt.Errorf("update: %s %s", res.Status(), res.Body)
	}
	if got, err := res.JSON200.Inner.AsInner(); err != nil || got.Id != 3 {
		return fmt.Errorf("update: %s %s: %v", res.Status(), res.Body, err)
	}
	return nil
}

func remove(ctx context.Context, c *sink.ClientWithResponses) error {
	res, err := c.SinksDeleteWithResponse(ctx, "7")
	if err != nil {
		return err
	}
	if res.StatusCode() != http.StatusNoContent {
		return fmt.Errorf("delete: %s %s", res.Status(), res.Body)
	}
	return nil
}

// sift sends headers and cookies of every kind.
func sift(ctx context.Context, c *sink.ClientWithResponses) error {
	note, wide, since, blob, share, stay := "n", int64(1<<62), time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC), []byte{255, 0}, float32(1.5), "1h30m"
	res, err := c.SinksSiftWithResponse(ctx, &sink.SinksSiftParams{
		XRegion: "north", XLevel: -5, XWide: &wide, XSince: &since, XBlob: &blob,
		Session: "a1", Page: 2, Share: &share, Until: &since, Blot: &blob, Stay: &stay,
	}, sink.SiftBody{Note: &note})
	if err != nil {
		return err
	}
	if header := res.HTTPResponse.Header; res.JSON200 == nil || res.JSON200.Note != note || header.Get("X-Region") != "north" || header.Get("X-Level") != "-5" || header.Get("X-Wide") != "4611686018427387904" {
		return fmt.Errorf("sift: %s %v %s", res.Status(), header, res.Body)
	}
	return nil
}

// nulls sends a tree whose right side is a tree without one.
func nulls(ctx context.Context, c *sink.ClientWithResponses) error {
	leaf := sink.Tree{Value: 2}
	if err := leaf.Right.FromTreeRight0(nil); err != nil {
		return err
	}
	tree := sink.Tree{Value: 1}
	if err := tree.Right.FromTree(leaf); err != nil {
		return err
	}
	res, err := c.SinksEchoTreeWithResponse(ctx, tree)
	if err != nil {
		return err
	}
	if res.JSON200 == nil {
		return fmt.Errorf("echo tree: %s %s", res.Status(), res.Body)
	}
	right, err := res.JSON200.Right.AsTree()
	if err != nil || right.Value != 2 {
		return fmt.Errorf("echo tree: %s: %v", res.Body, err)
	}
	if null, err := right.Right.AsTreeRight0(); err != nil || null != nil {
		return fmt.Errorf("echo tree: %s: %v", res.Body, err)
	}
	return nil
}

// unions sends the alternatives of a union, one of which the generated code makes of its
// members, and takes them apart again.
func unions(ctx context.Context, c *sink.ClientWithResponses) error {
	text, err := os.ReadFile("choices.json")
	if err != nil {
		return err
	}
	var sent sink.Choices
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	red := sink.ChoiceTextColorRed
	if err := sent.One.FromChoiceText(sink.ChoiceText{Id: 1, Value: "a", Color: &red}); err != nil {
		return err
	}
	res, err := c.SinksEchoChoicesWithResponse(ctx, sent)
	if err != nil {
		return err
	}
	got := res.JSON200
	if got == nil || got.List == nil || len(*got.List) != 3 || got.ByName == nil {
		return fmt.Errorf("echo choices: %s %s", res.Status(), res.Body)
	}
	one, err1 := got.One.ValueByDiscriminator()
	number, err2 := (*got.List)[0].ValueByDiscriminator()
	nested, err3 := (*got.List)[1].ValueByDiscriminator()
	none, err4 := (*got.List)[2].ValueByDiscriminator()
	x, err5 := (*got.ByName)["x"].ValueByDiscriminator()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return fmt.Errorf("echo choices: %s: %v", res.Body, err)
	}
	parts := nested.(sink.ChoiceNested).Parts
	if len(parts) != 2 {
		return fmt.Errorf("echo choices: %s", res.Body)
	}
	part, err := parts[1].AsChoiceText()
	if err != nil || one.(sink.ChoiceText).Value != "a" || *number.(sink.ChoiceNumber).Exact || none.(sink.ChoiceNone).Id != 6 || x.(sink.ChoiceNested).Inner.Id != 70 || part.Value != "b" {
		return fmt.Errorf("echo choices: %s: %v", res.Body, err)
	}
	return letter(ctx, c)
}

// letter sends unions by JSON type, takes them apart again, and asks for one value where a stream
// could be.
func letter(ctx context.Context, c *sink.ClientWithResponses) error {
	text, err := os.ReadFile("letter.json")
	if err != nil {
		return err
	}
	var sent sink.Letter
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	res, err := c.SinksEchoLetterWithResponse(ctx, sent)
	if err != nil {
		return err
	}
	if res.JSON200 == nil || res.JSON200.More == nil || len(*res.JSON200.More) != 2 {
		return fmt.Errorf("echo letter: %s %s", res.Status(), res.Body)
	}
	prose, err1 := res.JSON200.Prose.AsProse0()
	parts, err2 := (*res.JSON200.More)[1].AsProse1()
	hue, err3 := res.JSON200.Hue.AsShade()
	if err := errors.Join(err1, err2, err3); err != nil || prose != "hi" || len(parts) != 1 || parts[0].Id != 2 || hue != "red" {
		return fmt.Errorf("echo letter: %s: %v", res.Body, err)
	}
	answer, err := c.SinksAnswerWithResponse(ctx, sink.Question{Text: "a b"})
	if err != nil {
		return err
	}
	stream := true
	words, err := c.SinksAnswerWithResponse(ctx, sink.Question{Text: "a b", Stream: &stream})
	if err != nil || answer.JSON200 == nil || answer.JSON200.Count != 2 || words.JSON200 != nil || !strings.HasPrefix(string(words.Body), ":\n\ndata: {\"text\":\"a\"}") {
		return fmt.Errorf("answer: %s %s: %v", answer.Body, words.Body, err)
	}
	return nil
}
