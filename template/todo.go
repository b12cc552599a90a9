package main

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"time"

	"example.com/svc"
)

// source is the Go source of the program. Clients see the comments above TodoAPI, its methods, and
// their types and fields, in documents, in the tools and on the page: write them for clients.
//
//go:embed *.go
var source embed.FS

// A list of things to do.
type TodoAPI interface {
	// Add a todo.
	Create(ctx context.Context, in *CreateTodo) (*Todo, error)
	// List the todos, oldest first, one page at a time.
	List(ctx context.Context, in *ListTodos) (*svc.PageResponse[Todo], error)
	// Read the todos, oldest first, from where the last answer ended.
	Feed(ctx context.Context, in *FeedTodos) (*svc.CursorResponse[Todo], error)
	// Get one todo.
	Get(ctx context.Context, in *TodoID) (*Todo, error)
	// Replace the title and the completed mark of a todo.
	Update(ctx context.Context, in *UpdateTodo) (*Todo, error)
	// Change the fields of a todo that are given.
	Patch(ctx context.Context, in *PatchTodo) (*Todo, error)
	// Delete a todo.
	Delete(ctx context.Context, in *DeleteTodo) error
	// Take all completed todos off the list. Over MCP, the user is asked first.
	Archive(ctx context.Context) (*Archived, error)
	// Get each todo when it is created.
	Watch(ctx context.Context, in *WatchTodos) (svc.Stream[Todo], error)
	// Plan the day with the todos that are open.
	PlanDay(ctx context.Context, in *PlanDay) (*Plan, error)
	// Add a todo for each line of a table.
	Import(ctx context.Context, in *ImportTodos) (*Imported, error)
	// Get all todos as a table in CSV.
	Export(ctx context.Context) (*TodoTable, error)
}

// A Todo is something to do.
type Todo struct {
	ID          string    `json:"id"` // given by the server
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Completed   bool      `json:"completed"`
	CreatedAt   time.Time `json:"createdAt"`
	// Differs after each change. Send it in If-Match to change no newer todo.
	ETag string `json:"-" header:"ETag"`
}

// A CreateTodo says what there is to do.
type CreateTodo struct {
	Title       string `json:"title" minLength:"1" maxLength:"200" example:"Buy milk"`
	Description string `json:"description,omitempty" maxLength:"2000"`
}

// ListTodos says which page.
type ListTodos struct{ svc.PageQuery }

// FeedTodos says where the last answer ended.
type FeedTodos struct{ svc.CursorQuery }

// A TodoID says which todo.
type TodoID struct {
	ID string `json:"id" path:"id"`
}

// An UpdateTodo has all that can be replaced.
type UpdateTodo struct {
	ID        string `json:"id" path:"id"`
	Title     string `json:"title" minLength:"1" maxLength:"200" example:"Buy oat milk"`
	Completed bool   `json:"completed"`
	// The ETag of the todo that is to be replaced. Without it the last writer wins.
	IfMatch string `json:"-" header:"If-Match,omitempty"`
}

// A PatchTodo has what is to be changed. An absent field keeps its value; null removes it, as
// in JSON Merge Patch (RFC 7396), except that a todo always has a title.
type PatchTodo struct {
	ID          string               `json:"id" path:"id"`
	Title       svc.Optional[string] `json:"title,omitzero" nullable:"false" minLength:"1" maxLength:"200"`
	Description svc.Optional[string] `json:"description,omitzero" maxLength:"2000"`
	Completed   svc.Optional[bool]   `json:"completed,omitzero"`
	// The ETag of the todo that is to be changed. Without it the last writer wins.
	IfMatch string `json:"-" header:"If-Match,omitempty"`
}

// A DeleteTodo says which todo to delete.
type DeleteTodo struct {
	ID string `json:"id" path:"id"`
	// The ETag of the todo to delete. Without it, the todo is deleted even if it has changed.
	IfMatch string `json:"-" header:"If-Match,omitempty"`
}

// Archived says what Archive did.
type Archived struct {
	Archived int `json:"archived"` // how many todos were taken off
}

// maxConcurrent is how many requests the service works on at once. Further requests get 503.
const maxConcurrent = 500

// newService registers TodoAPI. The streams of Watch end when stopping is closed,
// because a server that shuts down waits for all responses. observe is called at the
// end of each call.
func newService(s *store, stopping <-chan struct{}, observe func(context.Context, svc.Observation), callers tokens) *svc.Service {
	// Feed and Watch are for programs: a model needs no second list, and over MCP all items of
	// a stream are one result, which an endless stream never has.
	programs := []svc.Transport{svc.TransportREST, svc.TransportRPC}
	return svc.MustRegister[TodoAPI](&todos{s, stopping}, callers.scopes(&svc.Options{
		Name:     "Todos",
		Comments: svc.ReadComments(source),
		Resource: "todos",
		Observe:  observe,
		Words:    words,
		// With the largest size of a body, it bounds the memory that clients can use. Choose it by
		// what the bottleneck serves at a time, such as the connections to your database.
		MaxConcurrent: maxConcurrent,
		Methods: map[string]svc.MethodOptions{ // the first word of a name decides the route of the others
			"Feed":    {HTTP: "GET /todos/feed", Transports: programs},
			"Get":     {Errors: []*svc.Error{errNoTodo}, MCP: &svc.MCPMethod{URI: "todos://todos/{id}"}},
			"Update":  {Errors: []*svc.Error{errNoTodo, errChanged}},
			"Patch":   {Errors: []*svc.Error{errNoTodo, errChanged}},
			"Delete":  {Errors: []*svc.Error{errNoTodo, errChanged}},
			"Watch":   {HTTP: "GET /todos/watch", Transports: programs},
			"Export":  {HTTP: "GET /todos/export"},
			"PlanDay": {HTTP: "GET /todos/plan", MCP: &svc.MCPMethod{Title: "Plan my day", Prompt: true}},
		},
	}))
}

// todos implements TodoAPI. svc calls its methods only with inputs that have
// passed the checks in their tags.
type todos struct {
	store    *store
	stopping <-chan struct{}
}

// Create adds a todo.
func (t *todos) Create(ctx context.Context, in *CreateTodo) (*Todo, error) {
	return tagged(t.store.add(in.Title, in.Description)), nil
}

// List returns a page of todos. Over REST it also sends links to the other pages
// (RFC 8288); info has the transport of the call.
func (t *todos) List(ctx context.Context, in *ListTodos) (*svc.PageResponse[Todo], error) {
	req := in.PageRequest()
	data, total := t.store.page(req.Offset(), req.Size())
	page := svc.NewPage(data, req, total)
	if info, ok := svc.InfoFrom(ctx); ok && info.Transport == "rest" {
		if links := page.Links(info.Request.URL); links != "" {
			info.Header.Add("Link", links) // not Set: a deprecated version has a Link too
		}
	}
	return page, nil
}

// Feed returns the todos after the one whose ID is in the cursor, even if that one has
// been deleted. For a list that is sorted by time, put a svc.TimeCursor into the cursor. If
// clients must not forge cursors, use svc.CursorKey.
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

// Get returns one todo. If the client sends the ETag of the todo in If-None-Match, svc
// responds with 304.
func (t *todos) Get(ctx context.Context, in *TodoID) (*Todo, error) {
	todo, err := t.store.get(in.ID)
	return tagged(todo), err
}

// errChanged is the error for a client that would overwrite somebody else's change. The ETag is an
// example for documents; each response has the ETag of its todo.
var errChanged = svc.Errorf(svc.CodeFailedPrecondition, "the todo has changed; get it again").WithReason("todo_changed").
	WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", `"5d41402abc4b2a76"`)

// Update replaces the title and the completed mark of a todo, if the todo has not
// changed since the client read it.
func (t *todos) Update(ctx context.Context, in *UpdateTodo) (*Todo, error) {
	return t.change(in.ID, in.IfMatch, func(todo *Todo) {
		todo.Title, todo.Completed = in.Title, in.Completed
	})
}

// Patch changes the fields that are in the input, if the todo has not changed since the
// client read it. Optional.Get returns the zero value for null.
func (t *todos) Patch(ctx context.Context, in *PatchTodo) (*Todo, error) {
	return t.change(in.ID, in.IfMatch, func(todo *Todo) {
		if in.Title.IsSet() {
			todo.Title, _ = in.Title.Get()
		}
		if in.Description.IsSet() {
			todo.Description, _ = in.Description.Get()
		}
		if in.Completed.IsSet() {
			todo.Completed, _ = in.Completed.Get()
		}
	})
}

// change calls edit with the todo that has the ID, if ifMatch allows it.
func (t *todos) change(id, ifMatch string, edit func(*Todo)) (*Todo, error) {
	todo, err := t.store.update(id, func(todo *Todo) error {
		if err := checkMatch(*todo, ifMatch); err != nil {
			return err
		}
		edit(todo)
		return nil
	})
	return tagged(todo), err
}

// checkMatch returns errChanged unless ifMatch allows a change of todo.
func checkMatch(todo Todo, ifMatch string) error {
	if etag := tagged(todo).ETag; !svc.MatchesETag(ifMatch, etag) {
		return errChanged.WithHeader("ETag", etag)
	}
	return nil
}

// tagged returns todo with its ETag, which is different after each change.
func tagged(todo Todo) *Todo {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t", todo.ID, todo.Title, todo.Description, todo.Completed))
	todo.ETag = fmt.Sprintf(`"%x"`, sum[:8])
	return &todo
}

// Delete deletes a todo, if it has not changed since the client read it. The response
// of a method without an output is 204.
func (t *todos) Delete(ctx context.Context, in *DeleteTodo) error {
	return t.store.remove(in.ID, func(todo Todo) error { return checkMatch(todo, in.IfMatch) })
}

// Archive deletes all completed todos. This cannot be undone, so the user of an assistant must
// confirm it; callers over REST and JSON-RPC have already decided.
func (t *todos) Archive(ctx context.Context) (*Archived, error) {
	if err := svc.Confirm(ctx, "archive", "Take all completed todos off the list?"); err != nil {
		return nil, err
	}
	n := t.store.removeIf(func(todo Todo) bool { return todo.Completed })
	return &Archived{n}, nil
}

var _ TodoAPI = (*todos)(nil)
