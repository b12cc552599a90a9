package main

import (
	"errors"
	"fmt"
	"strings"

	"example.com/svc"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file holds streams to the documents: in the 3.2 form every event, as an object
// with the members event and data, satisfies itemSchema, the last too; in the others
// the data of every event but the last satisfies the schema of the response.

const eventStream = "text/event-stream"

// loadEvents returns a compiler with the 3.2 document of s, for which the data of an
// event is JSON of a schema (contentSchema).
func loadEvents(s *svc.Service) *jsonschema.Compiler {
	c := newCompiler()
	c.AssertContent()
	if err := c.AddResource("doc.json", documentOf(s, "?openapi=3.2")); err != nil {
		panic(err)
	}
	return c
}

// readStream returns the data of the items of a stream, having held its events to the
// document.
func (o *operation) readStream(body string) (items []any, wrong error) {
	ended := false
	for _, block := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		event := make(map[string]any)
		for _, line := range strings.Split(block, "\n") {
			name, value, _ := strings.Cut(line, ":")
			if name != "" { // a comment
				event[name] = strings.TrimPrefix(value, " ")
			}
		}
		if len(event) == 0 {
			continue
		}
		if ended {
			return nil, errors.New("there is an event behind the last one")
		}
		if err := o.event.Validate(event); err != nil {
			return nil, fmt.Errorf("the event %q: %w", block, err)
		}
		if ended = event["event"] != nil; !ended {
			items = append(items, parse(event["data"].(string)))
		}
	}
	if !ended {
		return nil, errors.New("the stream does not end")
	}
	return items, nil
}
