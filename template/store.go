package main

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/svc"
)

// A store keeps todos in memory, for as long as the process lives. A real one
// would be a database: todo.go would look the same.
type store struct {
	mu    sync.RWMutex
	last  int           // the ID given last
	todos []Todo        // by ID, which is the order of their creation
	grown chan struct{} // closed when there is one more, and then another channel
}

var errNoTodo = svc.Errorf(svc.CodeNotFound, "there is no todo with this id")

func newStore() *store { return &store{grown: make(chan struct{})} }

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

// page returns up to limit todos from the offset on, and how many there are.
func (s *store) page(offset, limit int) ([]Todo, int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	total := len(s.todos)
	from := min(offset, total)
	to := from + min(limit, total-from)
	return slices.Clone(s.todos[from:to]), total
}

// after returns up to limit todos after the one with the ID, which need not be
// there; "" comes before all.
func (s *store) after(id string, limit int) []Todo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.find(id)
	if err == nil {
		i++
	}
	rest := s.todos[i:]
	return slices.Clone(rest[:min(limit, len(rest))])
}

func (s *store) get(id string) (Todo, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, err := s.find(id)
	if err != nil {
		return Todo{}, err
	}
	return s.todos[i], nil
}

// update lets change work on the todo and returns the outcome.
func (s *store) update(id string, change func(*Todo)) (Todo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return Todo{}, err
	}
	change(&s.todos[i])
	return s.todos[i], nil
}

func (s *store) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return err
	}
	s.todos = slices.Delete(s.todos, i, i+1)
	return nil
}

// removeIf removes the todos for which gone is true, and returns how many.
func (s *store) removeIf(gone func(Todo) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.todos)
	s.todos = slices.DeleteFunc(s.todos, gone)
	return before - len(s.todos)
}

// find returns where in s.todos the todo is, or would be. The caller holds the
// lock.
func (s *store) find(id string) (int, error) {
	i, found := slices.BinarySearchFunc(s.todos, id, func(todo Todo, id string) int {
		return compareIDs(todo.ID, id)
	})
	if !found {
		return i, errNoTodo
	}
	return i, nil
}

// compareIDs orders decimal numbers without leading zeros: the shorter one is
// the smaller.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
