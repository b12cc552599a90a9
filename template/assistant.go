package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/svc"
)

// mcpOptions returns the instructions for AI assistants. The options of each method decide how
// assistants see it, such as a prompt that users can choose.
func mcpOptions() *svc.MCPOptions {
	return &svc.MCPOptions{Instructions: "A list of things to do. Read a todo by its URI, todos://todos/ and its id."}
}

// A PlanDay says how to plan.
type PlanDay struct {
	// Which todos come first.
	Order string `json:"order,omitempty" query:"order,omitempty" enum:"oldest,newest"`
}

// Plan is text for a model.
type Plan struct {
	Text string `json:"text"`
}

// MCPContent returns the message of the prompt. Other transports send JSON.
func (p *Plan) MCPContent() []svc.MCPContent { return []svc.MCPContent{{Text: p.Text}} }

// maxPlanned is the largest number of todos in a plan: models miss items of long lists.
const maxPlanned = 50

// PlanDay asks a model to plan the day with the open todos.
func (t *todos) PlanDay(_ context.Context, in *PlanDay) (*Plan, error) {
	open := t.store.open(maxPlanned, in.Order == "newest")
	if len(open) == 0 {
		return &Plan{"Everything is done. Suggest how I could spend a free day."}, nil
	}
	var text strings.Builder
	text.WriteString("Plan my day. These are my open todos:\n")
	for _, todo := range open {
		fmt.Fprintf(&text, "- %s (todo %s)\n", todo.Title, todo.ID)
	}
	return &Plan{text.String()}, nil
}

// open returns up to limit todos that are not completed, the oldest or the newest first.
func (s *store) open(limit int, newest bool) []Todo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	open := slices.DeleteFunc(slices.Clone(s.todos), func(todo Todo) bool { return todo.Completed })
	if newest {
		slices.Reverse(open)
	}
	return open[:min(limit, len(open))]
}
