package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"example.com/svc"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file holds streams to the documents: in the 3.2 form every event, as an object
// with the members event and data, satisfies itemSchema, the last too; in the others
// the data of every event but the last satisfies the schema of the response. The
// service at its end has streams that end in every way.

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
			value = strings.TrimPrefix(value, " ")
			switch {
			case name == "": // a comment
			case name == "retry":
				event[name] = json.Number(value)
			case event[name] != nil:
				return nil, fmt.Errorf("the event %q has %s twice", block, name)
			default:
				event[name] = value
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
		if ended = event["event"] == "done" || event["event"] == "error"; !ended {
			items = append(items, parse(event["data"].(string)))
		}
	}
	if !ended {
		return nil, errors.New("the stream does not end")
	}
	return items, nil
}

// streamAPI is a service whose streams end in every way.
type streamAPI interface {
	Count(context.Context, *countIn) (svc.Stream[countItem], error)
}

// countIn says how many items the stream has and how it ends.
type countIn struct {
	To  int    `json:"to" minimum:"0" maximum:"20"`
	End string `json:"end" enum:"done,plain,code,details,panic"`
}

// countItem has what an event must not be cut by.
type countItem struct {
	N    int       `json:"n"`
	Text string    `json:"text,omitempty"`
	At   time.Time `json:"at"`
	Raw  any       `json:"raw"`
}

// SSE gives some items an ID, a name or a time to wait.
func (i *countItem) SSE() svc.Event {
	switch i.N % 4 {
	case 1:
		return svc.Event{ID: strconv.Itoa(i.N)}
	case 2:
		return svc.Event{Name: "count", Retry: time.Second}
	}
	return svc.Event{}
}

type streamImpl struct{}

func (streamImpl) Count(_ context.Context, in *countIn) (svc.Stream[countItem], error) {
	return func(yield func(*countItem, error) bool) {
		for n := range in.To {
			item := &countItem{N: n, Text: texts[n*7%len(texts)], At: time.Unix(int64(n)<<20, 5).UTC(), Raw: map[string]any{"data: x\n\n": []any{nil, n}}}
			if !yield(item, nil) {
				return
			}
		}
		switch in.End {
		case "plain":
			yield(nil, errors.New("a reason that stays on the server"))
		case "code":
			yield(nil, svc.Errorf(svc.CodeUnavailable, "come back\n\nlater"))
		case "details":
			yield(nil, svc.Errorf(svc.CodeResourceExhausted, "enough").WithDetail("left", 0))
		case "panic":
			panic("in a stream")
		}
	}, nil
}

// newStreams returns the service of streamAPI.
func newStreams() *svc.Service {
	return svc.MustRegister[streamAPI](streamImpl{}, &svc.Options{
		Name:     "Streams",
		Resource: "streams",
		Logger:   slog.New(slog.DiscardHandler),
		Methods:  map[string]svc.MethodOptions{"Count": {HTTP: "POST /streams/count"}},
	})
}
