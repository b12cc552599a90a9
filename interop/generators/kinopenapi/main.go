// Command kinopenapi holds the null of the document to nulls.json with
// kin-openapi.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile("nulls.json")
	if err != nil {
		log.Fatal(err)
	}
	var cases []struct {
		Schema, Property string
		Accept, Reject   []any
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		log.Fatal(err)
	}
	loader := openapi3.NewLoader()
	document, err := loader.LoadFromFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := document.Validate(loader.Context); err != nil {
		log.Fatalf("kin-openapi: %v", err)
	}
	values := 0
	for _, c := range cases {
		schema := document.Components.Schemas[c.Schema].Value.Properties[c.Property].Value
		for i, value := range append(c.Accept, c.Reject...) {
			values++
			if err := schema.VisitJSON(value); (err == nil) != (i < len(c.Accept)) {
				log.Fatalf("kin-openapi: %s.%s: %v: %v", c.Schema, c.Property, value, err)
			}
		}
	}
	fmt.Printf("kin-openapi: %d values, null among them\n", values)
}
