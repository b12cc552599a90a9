package main

import (
	"context"
	"time"

	"example.com/svc"
)

// A TodoAPI is what clients can do with todos. Every method is a route, and
// its first word decides which one.
type TodoAPI interface {
	Create(ctx context.Context, in *CreateTodo) (*Todo, error)
	List(ctx context.Context, in *ListTodos) (*svc.PageResponse[Todo], error)
	Feed(ctx context.Context, in *FeedTodos) (*svc.CursorResponse[Todo], error)
	Get(ctx context.Context, in *TodoID) (*Todo, error)
	Update(ctx context.Context, in *UpdateTodo) (*Todo, error)
	Delete(ctx context.Context, in *TodoID) error
	Archive(ctx context.Context) (*Archived, error)
	Watch(ctx context.Context, in *WatchTodos) (svc.Stream[Todo], error)
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

// ListTodos is the input of List: the parameters page and per_page.
type ListTodos struct{ svc.PageQuery }

// FeedTodos is the input of Feed: the parameters cursor and limit.
type FeedTodos struct{ svc.CursorQuery }

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

// newService makes the service of TodoAPI. Streams end when stopping is closed.
func newService(s *store, stopping <-chan struct{}) *svc.Service {
	return svc.MustRegister[TodoAPI](&todos{s, stopping}, &svc.Options{
		Name:        "Todos",
		Description: "A list of things to do.",
		Resource:    "todos",
		Methods: map[string]svc.MethodOptions{
			"Create":  {Description: "Add a todo."},
			"List":    {Description: "List the todos, oldest first, one page at a time."},
			"Feed":    {HTTP: "GET /todos/feed", Description: "Read the todos, oldest first, from where the last answer ended."},
			"Get":     {Description: "Get one todo."},
			"Update":  {Description: "Change a todo."},
			"Delete":  {Description: "Delete a todo."},
			"Archive": {Description: "Take all completed todos off the list."},
			"Watch":   {Description: "Get each todo when it is created.", HTTP: "GET /todos/watch"},
		},
	})
}

// todos implements TodoAPI. Its inputs have been checked against their tags.
type todos struct {
	store    *store
	stopping <-chan struct{}
}

func (t *todos) Create(ctx context.Context, in *CreateTodo) (*Todo, error) {
	todo := t.store.add(in.Title, in.Description)
	return &todo, nil
}

func (t *todos) List(ctx context.Context, in *ListTodos) (*svc.PageResponse[Todo], error) {
	req := in.PageRequest()
	data, total := t.store.page(req.Offset(), req.Size())
	page := svc.NewPage(data, req, total)
	if info, ok := svc.InfoFrom(ctx); ok && info.Transport == "rest" {
		if links := page.Links(info.Request.URL); links != "" {
			info.Header.Add("Link", links) // beside that of a deprecated version
		}
	}
	return page, nil
}

// Feed goes on after the todo whose ID is in the cursor, which may be gone by
// now. A list in another order would have svc.TimeCursor for its keys, and one
// whose cursors must not be guessed a svc.CursorKey.
func (t *todos) Feed(ctx context.Context, in *FeedTodos) (*svc.CursorResponse[Todo], error) {
	after := ""
	if in.Cursor != "" {
		if err := svc.DecodeCursor(in.Cursor, &after); err != nil {
			return nil, err
		}
	}
	var failed error
	feed := svc.NewCursorPage(t.store.after(after, in.Limit), in.Limit, func(last Todo) string {
		cursor, err := svc.EncodeCursor(last.ID)
		failed = err
		return cursor
	})
	return feed, failed
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
