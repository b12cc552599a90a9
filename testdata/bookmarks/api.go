// Package bookmarks has what the server of the bookmarks and the programs that call it
// share: the methods with what they take and return, and a client.
package bookmarks

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"example.com/svc"
)

// API has the methods. All of them are about the bookmarks of the caller.
type API interface {
	Create(ctx context.Context, in *NewBookmark) (*Bookmark, error)
	List(ctx context.Context, in *Filter) (*svc.CursorResponse[Bookmark], error)
	Get(ctx context.Context, in *ID) (*Bookmark, error)
	Patch(ctx context.Context, in *Change) (*Bookmark, error)
	Delete(ctx context.Context, in *ID) error
	Watch(ctx context.Context, in *Since) (svc.Stream[Bookmark], error)
	Import(ctx context.Context, in *Table) (*Imported, error)
	Export(ctx context.Context) (*Exported, error)
}

// A Bookmark is an address on the web that somebody wants to find again.
type Bookmark struct {
	ID        int64     `json:"id"`
	URL       string    `json:"url" format:"uri"`
	Title     string    `json:"title"`
	Note      string    `json:"note,omitempty"`
	Tags      []string  `json:"tags"`
	CreatedAt time.Time `json:"created_at"`
	// Over REST these two are headers, but in lists. Elsewhere the ETag is a member, so
	// that all clients can send it back in a Change.
	ETag     string `json:"etag" header:"ETag"`
	Location string `json:"-" header:"Location"`
}

// SSE gives the event of a bookmark its ID, from which a client goes on that came back.
func (b *Bookmark) SSE() svc.Event { return svc.Event{ID: strconv.FormatInt(b.ID, 10)} }

// NewBookmark is the input of Create. Every text has a largest length: it is stored.
type NewBookmark struct {
	URL   string   `json:"url" format:"uri" pattern:"^https?://[!-~]+$" maxLength:"2000"`
	Title string   `json:"title" minLength:"1" maxLength:"200"`
	Note  string   `json:"note,omitempty" maxLength:"5000"`
	Tags  []string `json:"tags,omitempty" maxItems:"10" uniqueItems:"true" pattern:"^[a-z0-9-]+$" maxLength:"30"`
}

// Filter is the input of List, with the parameters cursor and limit.
type Filter struct {
	Query string   `json:"q,omitempty" maxLength:"200" doc:"Words of the title or the note, as one types them into a search engine."`
	Tags  []string `json:"tag,omitempty" maxItems:"10" maxLength:"30" doc:"The bookmark has all of them."`
	svc.CursorQuery
}

// ID is the input of Get and Delete.
type ID struct {
	ID int64 `json:"id" minimum:"1"`
}

// Change is the input of Patch. An absent title stays, and so need not be Optional: no
// title is empty. The address stays in any case, since it is what a bookmark is.
type Change struct {
	ID      int64                  `json:"id" minimum:"1"`
	Title   string                 `json:"title,omitempty" minLength:"1" maxLength:"200"`
	Note    svc.Optional[string]   `json:"note,omitzero" maxLength:"5000"`
	Tags    svc.Optional[[]string] `json:"tags,omitzero" maxItems:"10" uniqueItems:"true" pattern:"^[a-z0-9-]+$" maxLength:"30"`
	IfMatch string                 `json:"if_match,omitempty" header:"If-Match" doc:"The ETag of the bookmark that is to be changed. Without it the last writer wins."`
}

// Since is the input of Watch.
type Since struct {
	After int64 `json:"after,omitempty" header:"Last-Event-ID" minimum:"0" doc:"The ID of the last bookmark that the client has."`
}

// The errors that methods return beside those of svc. The ETag is an example; each
// response has that of its bookmark.
var (
	ErrNotFound = svc.Errorf(svc.CodeNotFound, "there is no bookmark with this id")
	ErrExists   = svc.Errorf(svc.CodeAlreadyExists, "there is a bookmark of this address")
	ErrChanged  = svc.Errorf(svc.CodeFailedPrecondition, "the bookmark has changed; get it again").WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", `"7"`)

	// ErrUnavailable has the time to wait twice, since only REST sends headers with errors.
	ErrUnavailable = svc.Errorf(svc.CodeUnavailable, "the database does not answer; try again").WithHeader("Retry-After", "1").WithDetail("retry_after", 1)
)

// Options returns what the server and its clients have to agree about.
func Options() *svc.Options {
	read, write := []string{"bookmarks:read"}, []string{"bookmarks:write"}
	return &svc.Options{
		Name:        "Bookmarks",
		Description: "Addresses on the web, with notes and tags.",
		Version:     "1.0.0",
		Resource:    "bookmarks",
		Defaults:    svc.Defaults{Auth: "bearer"},
		Errors:      []*svc.Error{ErrUnavailable},
		Methods: map[string]svc.MethodOptions{
			"Create": {Scopes: write, Status: 201, IdempotencyKey: svc.KeyAllowed, Errors: []*svc.Error{ErrExists}, Description: "Add a bookmark. An address that is there already is refused."},
			"List":   {Scopes: read, Errors: []*svc.Error{}, Description: "List bookmarks, newest first, all of them or those with some words and tags."},
			"Get":    {Scopes: read, Errors: []*svc.Error{ErrNotFound}, Description: "Get one bookmark."},
			"Patch":  {Scopes: write, IdempotencyKey: svc.KeyAllowed, Errors: []*svc.Error{ErrNotFound, ErrChanged}, Description: "Change title, note or tags; null removes a note or all tags."},
			"Delete": {Scopes: write, IdempotencyKey: svc.KeyAllowed, Errors: []*svc.Error{ErrNotFound}, Description: "Delete a bookmark."},
			"Import": {Scopes: write, Description: "Add the bookmarks of a table, but those whose address is there already."},
			"Export": {Scopes: read, HTTP: "GET /bookmarks/export", Description: "Get all bookmarks as a table in CSV."},
			// Over the other transports a stream is one answer when it has ended, and
			// this one never ends.
			"Watch": {Scopes: read, HTTP: "GET /bookmarks/watch", Transports: []svc.Transport{svc.TransportREST}, Description: "Get all bookmarks, oldest first, and then each new one."},
		},
	}
}

// A Client calls the service. In a test its fields are set to functions of the test.
type Client struct {
	Create func(ctx context.Context, in *NewBookmark) (*Bookmark, error)
	List   func(ctx context.Context, in *Filter) (*svc.CursorResponse[Bookmark], error)
	Get    func(ctx context.Context, in *ID) (*Bookmark, error)
	Patch  func(ctx context.Context, in *Change) (*Bookmark, error)
	Delete func(ctx context.Context, in *ID) error
	Watch  func(ctx context.Context, in *Since) (svc.Stream[Bookmark], error)
	Import func(ctx context.Context, in *Table) (*Imported, error)
	Export func(ctx context.Context) (*Exported, error)
}

// Connect returns a client that calls with token. Requests that may run twice are sent
// again while the service is not available, for as long as their context lasts; limit
// it. next sends single requests; nil stands for http.DefaultTransport.
func Connect(baseURL, token string, next http.RoundTripper) (*Client, error) {
	if next == nil {
		next = http.DefaultTransport
	}
	c := new(Client)
	h := &http.Client{Transport: &transport{next, token}}
	return c, svc.Connect[API](c, baseURL, &svc.ClientOptions{Service: Options(), HTTPClient: h})
}

// A transport adds the token to requests, and sends some of them again.
type transport struct {
	next  http.RoundTripper
	token string
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	again := r.Method == http.MethodGet || r.Header.Get("Idempotency-Key") != ""
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		attempt := r.Clone(r.Context()) // a RoundTripper must not change r
		attempt.Header.Set("Authorization", "Bearer "+t.token)
		if r.GetBody != nil {
			attempt.Body, _ = r.GetBody() // no error: the body is in memory
		}
		response, err := t.next.RoundTrip(attempt)
		if err == nil && r.Header.Get("Accept") == "application/json" { // and no stream: a body that is cut counts, too
			var body []byte
			body, err = io.ReadAll(response.Body)
			response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader(body))
		}
		// 409 has the header only if the same call is running.
		if !again || err == nil && svc.CodeFromHTTP(response.StatusCode) != svc.CodeUnavailable && (response.StatusCode != http.StatusConflict || response.Header.Get("Retry-After") == "") {
			return response, err
		}
		// Clients that were cut off together should not come back together.
		pause := wait + time.Duration(rand.Int64N(int64(wait)))
		if err == nil {
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			pause += time.Duration(seconds) * time.Second
		}
		if deadline, ok := r.Context().Deadline(); ok && time.Until(deadline) < pause || r.Context().Err() != nil {
			return response, err // which says more than the end of the context
		}
		if err == nil {
			response.Body.Close()
		}
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}
