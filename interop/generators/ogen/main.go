// Command ogen calls the kitchen sink and the template with the clients that ogen
// made of their documents. Of the kitchen sink ogen leaves out list and update,
// so the template's do for them.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	sink "example.com/svc/interop/generators/dist/ogensink"
	todos "example.com/svc/interop/generators/dist/ogentodos"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	s, err := sink.NewClient(os.Args[1])
	if err == nil {
		err = callSink(ctx, s)
	}
	if err != nil {
		log.Fatalf("ogen, kitchen sink: %v", err)
	}
	t, err := todos.NewClient(os.Args[2])
	if err == nil {
		err = callTodos(ctx, t)
	}
	if err != nil {
		log.Fatalf("ogen, template: %v", err)
	}
	fmt.Println("ogen: create, get, delete, headers, cookies and unions of the kitchen sink made their round trip; create, get, list, update and delete of the template did")
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func callSink(ctx context.Context, c *sink.Client) error {
	numbers := sink.Numbers{
		Int: 1<<31 - 1, Int8: -128, Int16: 1<<15 - 1, Int32: -1 << 31, Int64: -1 << 63,
		Uint: 1, Uint8: 255, Uint16: 1<<16 - 1, Uint32: 1<<32 - 1, Uint64: 1<<63 - 1, Float32: 1.5, Float64: 0.1, Number: 2.5, Bool: true,
	}
	created, err := c.SinksCreate(ctx, &numbers)
	if got, ok := created.(*sink.CreatedHeaders); err != nil || !ok || got.Location.Value != "/sinks/65536" || sink.Numbers(got.Response) != numbers {
		return fmt.Errorf("create: %v, %v", created, err)
	}
	got, err := c.SinksGet(ctx, sink.SinksGetParams{ID: "7"})
	if inner, ok := got.(*sink.Inner); err != nil || !ok || inner.ID != 7 {
		return fmt.Errorf("get: %v, %v", got, err)
	}
	got, err = c.SinksGet(ctx, sink.SinksGetParams{ID: "0"})
	if missing, ok := got.(*sink.SinksGetNotFound); err != nil || !ok || missing.Response.Error.Code != sink.ErrorObjectCodeNOTFOUND {
		return fmt.Errorf("get: %v, %v", got, err)
	}
	sifted, err := c.SinksSift(ctx, &sink.SiftBody{Note: sink.NewOptString("n")}, sink.SinksSiftParams{
		XRegion: "north", XLevel: -5, XWide: sink.NewOptInt64(1 << 62), XSince: sink.NewOptDateTime(noon),
		Session: "a1", Page: 2, Share: sink.NewOptFloat32(1.5), Until: sink.NewOptDateTime(noon), Stay: sink.NewOptString("1h30m"),
	})
	if got, ok := sifted.(*sink.SiftedResponseHeaders); err != nil || !ok || got.XRegion != "north" || got.XLevel != -5 || got.XWide.Value != 1<<62 || got.Response.Note != "n" {
		return fmt.Errorf("sift: %+v, %v", sifted, err)
	}
	deleted, err := c.SinksDelete(ctx, sink.SinksDeleteParams{ID: "7"})
	if _, ok := deleted.(*sink.SinksDeleteNoContent); err != nil || !ok {
		return fmt.Errorf("delete: %v, %v", deleted, err)
	}
	return sendUnions(ctx, c)
}

// sendUnions sends the alternatives of a union, one of which the generated code makes of
// its members, and takes them apart again.
func sendUnions(ctx context.Context, c *sink.Client) error {
	text, err := os.ReadFile("choices.json")
	if err != nil {
		return err
	}
	var sent sink.Choices
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	sent.One = sink.NewChoiceTextChoice(sink.ChoiceText{ID: 1, Value: "a", Color: sink.NewOptChoiceTextColor(sink.ChoiceTextColorRed)})
	res, err := c.SinksEchoChoices(ctx, &sent)
	got, ok := res.(*sink.Choices)
	if err != nil || !ok || len(got.List) != 3 || !got.One.IsChoiceText() || got.One.ChoiceText.Value != "a" {
		return fmt.Errorf("echo choices: %+v, %v", res, err)
	}
	number, _ := got.List[0].GetChoiceNumber()
	nested, _ := got.List[1].GetChoiceNested()
	x, _ := got.ByName.Value["x"].GetChoiceNested()
	if number.Value != 2.5 || number.Exact.Or(true) || len(nested.Parts) != 2 || nested.Parts[1].ChoiceText.Value != "b" || !got.List[2].IsChoiceNone() || x.Inner.ID != 70 {
		return fmt.Errorf("echo choices: %+v", got)
	}
	return sendLetter(ctx, c)
}

// sendLetter sends unions by JSON type, takes them apart again, and asks for one value where a
// stream could be, of which ogen has no code.
func sendLetter(ctx context.Context, c *sink.Client) error {
	text, err := os.ReadFile("letter.json")
	if err != nil {
		return err
	}
	var sent sink.Letter
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	res, err := c.SinksEchoLetter(ctx, &sent)
	got, ok := res.(*sink.Letter)
	if err != nil || !ok || got.Prose.String != "hi" || len(got.More) != 2 || !got.More[1].IsInnerArray() || got.Hue.Value.Shade != sink.ShadeRed {
		return fmt.Errorf("echo letter: %+v, %v", res, err)
	}
	answered, err := c.SinksAnswer(ctx, &sink.Question{Text: "a b"})
	if answer, ok := answered.(*sink.Answer); err != nil || !ok || answer.Count != 2 {
		return fmt.Errorf("answer: %+v, %v", answered, err)
	}
	if words, err := c.SinksAnswer(ctx, &sink.Question{Text: "a b", Stream: sink.NewOptBool(true)}); err == nil {
		return fmt.Errorf("answer by a stream: %+v", words)
	}
	return nil
}

func callTodos(ctx context.Context, c *todos.Client) error {
	created, err := c.TodosCreate(ctx, &todos.CreateTodo{Title: "Buy milk", Description: todos.NewOptString("two litres")})
	answer, ok := created.(*todos.TodoHeaders)
	if err != nil || !ok || answer.ETag.Value == "" || answer.Response.Title != "Buy milk" || answer.Response.Description.Value != "two litres" || answer.Response.CreatedAt.IsZero() {
		return fmt.Errorf("create: %v, %v", created, err)
	}
	todo := answer.Response
	updated, err := c.TodosUpdate(ctx, &todos.UpdateTodoBody{Title: "Buy bread", Completed: true}, todos.TodosUpdateParams{ID: todo.ID})
	if got, ok := updated.(*todos.TodoHeaders); err != nil || !ok || got.Response.ID != todo.ID || got.Response.Title != "Buy bread" || !got.Response.Completed {
		return fmt.Errorf("update: %v, %v", updated, err)
	}
	list, err := c.TodosList(ctx, todos.TodosListParams{PerPage: todos.NewOptInt32(100)})
	page, ok := list.(*todos.PageResponseTodo)
	if err != nil || !ok || !slices.ContainsFunc(page.Data, func(t todos.Todo) bool { return t.ID == todo.ID }) {
		return fmt.Errorf("list: %v, %v", list, err)
	}
	got, err := c.TodosGet(ctx, todos.TodosGetParams{ID: todo.ID})
	if found, ok := got.(*todos.TodoHeaders); err != nil || !ok || found.Response.Title != "Buy bread" {
		return fmt.Errorf("get: %v, %v", got, err)
	}
	deleted, err := c.TodosDelete(ctx, todos.TodosDeleteParams{ID: todo.ID})
	if _, ok := deleted.(*todos.TodosDeleteNoContent); err != nil || !ok {
		return fmt.Errorf("delete: %v, %v", deleted, err)
	}
	got, err = c.TodosGet(ctx, todos.TodosGetParams{ID: todo.ID})
	if missing, ok := got.(*todos.ErrorBody); err != nil || !ok || missing.Error.Code != todos.ErrorObjectCodeNOTFOUND {
		return fmt.Errorf("get what is deleted: %v, %v", got, err)
	}
	return nil
}
