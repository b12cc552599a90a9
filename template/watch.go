package main

// This file streams todos as they are created.

import (
	"context"
	"slices"
	"strconv"

	"example.com/svc"
)

// WatchTodos is the input of Watch.
type WatchTodos struct {
	After string `json:"after,omitempty" header:"Last-Event-ID" pattern:"^(0|[1-9][0-9]*)$" doc:"The ID of the last todo that the client got. Without it the stream begins with the next todo."`
	Count int    `json:"count,omitempty" minimum:"1" doc:"After how many todos the stream ends. Without it, it does not."`
}

// SSE puts the todo's ID on its event. A browser that has lost its connection
// sends it back, as Last-Event-ID, and gets what it has missed.
func (t *Todo) SSE() svc.Event { return svc.Event{ID: t.ID} }

var errStopping = svc.Errorf(svc.CodeUnavailable, "the server is stopping; come back")

// Watch is what runs at once; the stream that it returns runs when the response
// has begun, for as long as the client listens.
func (t *todos) Watch(ctx context.Context, in *WatchTodos) (svc.Stream[Todo], error) {
	after := t.store.begin(in.After)
	return func(yield func(*Todo, error) bool) {
		for sent := 0; ; {
			list, more := t.store.since(after)
			for i := range list {
				if !yield(&list[i], nil) {
					return
				}
				after = list[i].ID
				if sent++; sent == in.Count {
					return
				}
			}
			select {
			case <-more:
			case <-ctx.Done(): // the client has gone
				return
			case <-t.stopping:
				yield(nil, errStopping)
				return
			}
		}
	}, nil
}

// begin returns the ID after which to begin, for a client that names one or
// does not. One that was not given yet is from before this process started.
func (s *store) begin(id string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch last := strconv.Itoa(s.last); {
	case id == "":
		return last
	case compareIDs(id, last) > 0:
		return "0"
	}
	return id
}

// since returns the todos after an ID, and a channel that is closed when there
// are more.
func (s *store) since(id string) ([]Todo, <-chan struct{}) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := slices.IndexFunc(s.todos, func(todo Todo) bool { return compareIDs(todo.ID, id) > 0 })
	if i < 0 {
		return nil, s.grown
	}
	return slices.Clone(s.todos[i:]), s.grown
}
