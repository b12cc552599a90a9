package main

// This file streams todos as they are created.

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"example.com/svc"
)

// WatchTodos says where the stream begins and ends.
type WatchTodos struct {
	// The ID of the last todo that the client got. Without it, the stream begins with the next new todo.
	After string `json:"after,omitempty" header:"Last-Event-ID" pattern:"^(0|[1-9][0-9]*)$"`
	// The number of todos after which the stream ends. Without it, the stream does not end.
	Count int `json:"count,omitempty" minimum:"1"`
}

// SSE sets the ID of the event. A browser that reconnects sends the last ID in the header
// Last-Event-ID, and gets the todos that it has missed.
func (t *Todo) SSE() svc.Event { return svc.Event{ID: t.ID} }

// errStopping ends the streams of a server that shuts down. Clients reconnect to a different
// process. Because of the cause http.ErrServerClosed, svc logs it at the level debug.
var errStopping = svc.Errorf(svc.CodeUnavailable, "the server is stopping; connect again: %w", http.ErrServerClosed)

// Watch returns a stream of the todos that are created from now on, or after the last todo that the
// client got. The code before return runs before the response begins, so an error there has its own
// status. The returned function runs afterwards, until the client disconnects.
func (t *todos) Watch(ctx context.Context, in *WatchTodos) (svc.Stream[Todo], error) {
	after := t.store.begin(in.After)
	svc.StreamFrom(ctx, after) // for a client that is cut before the first todo
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
			if len(list) > 0 {
				continue // there may be more already
			}
			select {
			case <-more:
			case <-ctx.Done(): // the client has disconnected
				return
			case <-t.stopping:
				yield(nil, errStopping)
				return
			}
		}
	}, nil
}

// begin returns the ID after which a stream begins: id, or the ID of the newest todo if
// id is empty. An ID greater than all in this store comes from an earlier process, whose
// todos are lost, so the stream begins with the first todo.
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

// maxSince is how many todos since returns at a time, so that a stream does not copy all
// todos.
const maxSince = 100

// since returns the first todos after an ID, and a channel that is closed when the next
// todo is added. Both are read under one lock, so no todo is missed. Every stream calls
// since for each new todo, so it uses a binary search.
func (s *store) since(id string) ([]Todo, <-chan struct{}) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.indexOf(id)
	if err == nil {
		i++
	}
	rest := s.todos[i:]
	return slices.Clone(rest[:min(maxSince, len(rest))]), s.grown
}
