package main

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/svc"
)

// A store keeps todos in memory. A real program would use a database; the methods in
// todo.go could stay as they are.
type store struct {
	mu    sync.RWMutex  // protects the fields below
	last  int           // the ID of the newest todo; IDs are never reused
	todos []Todo        // sorted by ID, so the oldest is first
	grown chan struct{} // closed and replaced when a todo is added; see since
}

// errNoTodo is the error for an unknown ID. Its reason tells it from a path that is not there.
var errNoTodo = svc.Errorf(svc.CodeNotFound, "there is no todo with this id").WithReason("no_todo")

// newStore returns an empty store.
func newStore() *store { return &store{grown: make(chan struct{})} }

// add adds a todo with a new ID and wakes all streams.
func (s *store) add(title, description string) Todo {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	todo := Todo{
		ID:          strconv.Itoa(s.last),
		Title:       title,
		Description: description,
		CreatedAt:   time.Now().UTC(),
	}
	s.todos = append(s.todos, todo)
	close(s.grown)
	s.grown = make(chan struct{})
	return todo
}

// page returns up to limit todos, beginning at offset, and the number of all todos.
func (s *store) page(offset, limit int) ([]Todo, int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	total := len(s.todos)
	from := min(offset, total)
	to := from + min(limit, total-from)
	return slices.Clone(s.todos[from:to]), total
}

// after returns up to limit todos with an ID greater than id. The todo with this id may
// have been deleted. "" is less than every ID.
func (s *store) after(id string, limit int) []Todo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.indexOf(id)
	if err == nil {
		i++
	}
	rest := s.todos[i:]
	return slices.Clone(rest[:min(limit, len(rest))])
}

// get returns the todo with the ID, or errNoTodo.
func (s *store) get(id string) (Todo, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.indexOf(id)
	if err != nil {
		return Todo{}, err
	}
	return s.todos[i], nil
}

// update calls change with the todo that has the ID and returns the changed todo, or
// errNoTodo. If change returns an error, the todo stays as it was. change must not call
// the store, because it runs under the lock: of two writers with the same If-Match, one
// must fail.
func (s *store) update(id string, change func(*Todo) error) (Todo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.indexOf(id)
	if err != nil {
		return Todo{}, err
	}
	todo := s.todos[i]
	if err := change(&todo); err != nil {
		return Todo{}, err
	}
	s.todos[i] = todo
	return todo, nil
}

// remove deletes the todo with the ID, or returns errNoTodo. If check returns an error,
// the todo is not deleted. check runs under the lock, like change in update.
func (s *store) remove(id string, check func(Todo) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.indexOf(id)
	if err != nil {
		return err
	}
	if err := check(s.todos[i]); err != nil {
		return err
	}
	s.todos = slices.Delete(s.todos, i, i+1)
	return nil
}

// removeIf deletes the todos for which gone returns true and returns their number.
func (s *store) removeIf(gone func(Todo) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.todos)
	s.todos = slices.DeleteFunc(s.todos, gone)
	return before - len(s.todos)
}

// indexOf returns the index of the todo with the ID. If there is none, it returns the
// index where the todo would be, and errNoTodo. The lock must be held.
func (s *store) indexOf(id string) (int, error) {
	i, found := slices.BinarySearchFunc(s.todos, id, func(todo Todo, id string) int {
		return compareIDs(todo.ID, id)
	})
	if !found {
		return i, errNoTodo
	}
	return i, nil
}

// compareIDs compares IDs as numbers. They are decimal without leading zeros, so a
// shorter ID is smaller, and IDs of the same length compare as text.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
