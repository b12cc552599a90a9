package main

// This file streams todos as they are created.

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"example.com/svc"
)

// WatchTodos is the input of Watch.
type WatchTodos struct {
	After string `json:"after,omitempty" header:"Last-Event-ID" pattern:"^(0|[1-9][0-9]*)$" doc:"The ID of the last todo that the client got. Without it the stream begins with the next todo."`
	Count int    `json:"count,omitempty" minimum:"1" doc:"After how many todos the stream ends. Without it, it does not."`
}

// SSE returns the fields of the todo's event: its ID. A browser that has lost its
// connection sends the last ID back in the header Last-Event-ID and so gets the
// todos that it has missed.
func (t *Todo) SSE() svc.Event { return svc.Event{ID: t.ID} }

// errStopping ends the streams of a server that shuts down. Clients connect
// again, to another process. For its cause svc does not log it as an error: that a
// server stops is no news, and there may be thousands of streams.
var errStopping = svc.Errorf(svc.CodeUnavailable, "the server is stopping; come back: %w", http.ErrServerClosed)

// Watch returns a stream of the todos that are created from now on, or since the
// last one that the client has seen. The code up to return runs before the
// response begins, so an error there still gets a status of its own. The function
// that it returns runs afterwards, until it returns or the client disconnects.
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

// begin returns the ID after which a stream begins: that of the newest todo if
// the client names none, or else the one it names. An ID greater than all that
// this store has given comes from an earlier process, whose todos are gone: then
// the stream begins at the first todo.
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

// maxSince is how many todos since returns at a time, so that a stream that begins
// far back does not hold a copy of all there are.
const maxSince = 100

// since returns the first todos after an ID, and a channel that is closed when the
// next one is added. Both come from one lock, so no todo can be missed between
// them. All streams call since for each new todo, so it searches and does not look
// at every todo.
func (s *store) since(id string) ([]Todo, <-chan struct{}) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.find(id)
	if err == nil {
		i++
	}
	rest := s.todos[i:]
	return slices.Clone(rest[:min(maxSince, len(rest))]), s.grown
}
