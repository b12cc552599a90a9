package main

import (
	"context"
	"math"
	"time"

	"example.com/svc"
)

// A TodoAPI is what clients can do with todos. Every method is a route, and
// its first word decides which one.
type TodoAPI interface {
	Create(ctx context.Context, in *CreateTodo) (*Todo, error)
	List(ctx context.Context, in *ListTodos) (*TodoPage, error)
	Get(ctx context.Context, in *TodoID) (*Todo, error)
	Update(ctx context.Context, in *UpdateTodo) (*Todo, error)
	Delete(ctx context.Context, in *TodoID) error
	Archive(ctx context.Context) (*Archived, error)
}

// A Todo is something to do.
type Todo struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Completed   bool      `json:"completed"`
	CreatedAt   time.Time `json:"createdAt"`
}

// CreateTodo is the input of Create.
type CreateTodo struct {
	Title       string `json:"title" minLength:"1"`
	Description string `json:"description,omitempty"`
}

// ListTodos is the input of List.
type ListTodos struct {
	Page    int `json:"page" minimum:"1" default:"1"`
	PerPage int `json:"per_page" minimum:"1" default:"20"` // at most 100 are sent
}

// A TodoPage is one page of the list.
type TodoPage struct {
	Data       []Todo `json:"data"`
	Page       int    `json:"page"`
	PerPage    int    `json:"per_page"`
	Total      int    `json:"total"` // of todos, on all pages
	TotalPages int    `json:"total_pages"`
}

// TodoID is the input of the methods that need no more than the todo's ID.
type TodoID struct {
	ID string `json:"id" path:"id"`
}

// UpdateTodo is the input of Update.
type UpdateTodo struct {
	ID        string `json:"id" path:"id"`
	Title     string `json:"title" minLength:"1"`
	Completed bool   `json:"completed"`
}

// Archived is the output of Archive.
type Archived struct {
	Archived int `json:"archived"` // how many
}

// newService makes the service of TodoAPI.
func newService(s *store) *svc.Service {
	return svc.MustRegister[TodoAPI](&todos{s}, &svc.Options{
		Name:        "Todos",
		Description: "A list of things to do.",
		Resource:    "todos",
		Methods: map[string]svc.MethodOptions{
			"Create":  {Description: "Add a todo."},
			"List":    {Description: "List the todos, oldest first, one page at a time."},
			"Get":     {Description: "Get one todo."},
			"Update":  {Description: "Change a todo."},
			"Delete":  {Description: "Delete a todo."},
			"Archive": {Description: "Take all completed todos off the list."},
		},
	})
}

// todos implements TodoAPI. Its inputs have been checked against their tags.
type todos struct{ store *store }

func (t *todos) Create(ctx context.Context, in *CreateTodo) (*Todo, error) {
	todo := t.store.add(in.Title, in.Description)
	return &todo, nil
}

func (t *todos) List(ctx context.Context, in *ListTodos) (*TodoPage, error) {
	size := min(in.PerPage, 100)
	offset := math.MaxInt // a page so far out has nothing on it
	if in.Page-1 < math.MaxInt/size {
		offset = (in.Page - 1) * size
	}
	data, total := t.store.page(offset, size)
	return &TodoPage{
		Data:       data,
		Page:       in.Page,
		PerPage:    size,
		Total:      total,
		TotalPages: (total + size - 1) / size,
	}, nil
}

func (t *todos) Get(ctx context.Context, in *TodoID) (*Todo, error) {
	todo, err := t.store.get(in.ID)
	return &todo, err
}

func (t *todos) Update(ctx context.Context, in *UpdateTodo) (*Todo, error) {
	todo, err := t.store.update(in.ID, func(todo *Todo) {
		todo.Title, todo.Completed = in.Title, in.Completed
	})
	return &todo, err
}

func (t *todos) Delete(ctx context.Context, in *TodoID) error {
	return t.store.remove(in.ID)
}

func (t *todos) Archive(ctx context.Context) (*Archived, error) {
	n := t.store.removeIf(func(todo Todo) bool { return todo.Completed })
	return &Archived{n}, nil
}

var _ TodoAPI = (*todos)(nil)
