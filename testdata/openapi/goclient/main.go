// Command goclient is a client of the template that oapi-codegen made from its
// OpenAPI document; testdata/openapi/check makes it before it runs this.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"

	"example.com/svc/testdata/openapi/goclient/dist/template"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: goclient URL")
	}
	c, err := template.NewClientWithResponses(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := roundTrip(context.Background(), c); err != nil {
		log.Fatal(err)
	}
	fmt.Println("oapi-codegen: a client of the template made its round trip")
}

// roundTrip makes a todo, changes it, finds it, deletes it and misses it.
func roundTrip(ctx context.Context, c *template.ClientWithResponses) error {
	description := "two litres"
	created, err := c.TodosCreateWithResponse(ctx, template.TodosCreateJSONRequestBody{Title: "Buy milk", Description: &description})
	if err != nil {
		return err
	}
	todo := created.JSON200
	if todo == nil || todo.Title != "Buy milk" || todo.Description == nil || *todo.Description != description || todo.CreatedAt.IsZero() {
		return fmt.Errorf("create: %s %s", created.Status(), created.Body)
	}
	updated, err := c.TodosUpdateWithResponse(ctx, todo.Id, template.TodosUpdateJSONRequestBody{Title: "Buy bread", Completed: true})
	if err != nil {
		return err
	}
	if updated.JSON200 == nil || updated.JSON200.Id != todo.Id || !updated.JSON200.Completed {
		return fmt.Errorf("update: %s %s", updated.Status(), updated.Body)
	}
	perPage := int32(100)
	list, err := c.TodosListWithResponse(ctx, &template.TodosListParams{PerPage: &perPage})
	if err != nil {
		return err
	}
	if list.JSON200 == nil || !slices.ContainsFunc(list.JSON200.Data, func(t template.Todo) bool { return t.Id == todo.Id }) {
		return fmt.Errorf("list: %s %s", list.Status(), list.Body)
	}
	refused, err := c.TodosCreateWithResponse(ctx, template.TodosCreateJSONRequestBody{})
	if err != nil {
		return err
	}
	if e := refused.JSON4XX; e == nil || e.Error.Code != template.INVALIDARGUMENT || e.Error.Details == nil || len(*e.Error.Details.Violations) != 1 {
		return fmt.Errorf("create without a title: %s %s", refused.Status(), refused.Body)
	}
	deleted, err := c.TodosDeleteWithResponse(ctx, todo.Id)
	if err != nil {
		return err
	}
	if deleted.StatusCode() != http.StatusNoContent {
		return fmt.Errorf("delete: %s %s", deleted.Status(), deleted.Body)
	}
	gone, err := c.TodosGetWithResponse(ctx, todo.Id)
	if err != nil {
		return err
	}
	if gone.JSON4XX == nil || gone.JSON4XX.Error.Code != template.NOTFOUND {
		return fmt.Errorf("get what is deleted: %s %s", gone.Status(), gone.Body)
	}
	return nil
}
