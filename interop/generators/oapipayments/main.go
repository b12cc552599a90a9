// Command oapipayments calls the payments with the client that oapi-codegen made of their
// document: a 409 has a type, which is the form of their errors.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	payments "example.com/svc/interop/generators/dist/oapipayments"
)

func main() {
	log.SetFlags(0)
	c, err := payments.NewClientWithResponses(os.Args[1], payments.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-Key", "k")
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	res, err := c.PaymentsRefundWithResponse(context.Background(), "p1")
	if err != nil {
		log.Fatal(err)
	}
	if e := res.JSON409; e == nil || len(e.Errors) != 1 || e.Errors[0].Code != "already_exists" {
		log.Fatalf("oapi-codegen: refund: %s %s", res.Status(), res.Body)
	}
	wrong, err := c.PaymentsCreateWithResponse(context.Background(), payments.NewPayment{})
	if err != nil {
		log.Fatal(err)
	}
	if e := wrong.JSON422; e == nil || len(e.Errors) != 1 || e.Errors[0].Field == nil || *e.Errors[0].Field != "amount" {
		log.Fatalf("oapi-codegen: create: %s %s", wrong.Status(), wrong.Body)
	}
	fmt.Println("oapi-codegen: the errors of the payments have their type")
}
