// Package bookmarks contains the code that the server and its clients share: the methods with their
// inputs and outputs, and a client.
package bookmarks

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"strconv"
	"time"

	"example.com/svc"
)

// Source is this file and events.go. The server shows their comments in documents, so they are written for
// clients.
//
//go:embed api.go events.go
var Source embed.FS

// Links, notes and small files, with tags. All of them are those of the caller.
type API interface {
	// Add a bookmark. A link that is there already is refused.
	Create(ctx context.Context, in *NewBookmark) (*Bookmark, error)
	// List bookmarks, newest first, all of them or those of a kind, with some words and tags.
	List(ctx context.Context, in *Filter) (*svc.CursorResponse[Bookmark], error)
	// Get one bookmark.
	Get(ctx context.Context, in *ID) (*Bookmark, error)
	// Get the content of a file.
	Download(ctx context.Context, in *ID) (*svc.File, error)
	// Change title or tags; null removes all tags.
	Patch(ctx context.Context, in *Change) (*Bookmark, error)
	// Delete a bookmark.
	Delete(ctx context.Context, in *ID) error
	// Get all bookmarks, oldest first, and then each new one.
	Watch(ctx context.Context, in *Since) (svc.Stream[Bookmark], error)
	// Add the links of a table, but those that are there already.
	Import(ctx context.Context, in *Table) (*Imported, error)
	// Get all links as a table in CSV.
	Export(ctx context.Context) (*Exported, error)
	// Begin to pack all bookmarks and files into an archive. Ask get_archive until its state is not
	// "working".
	Pack(ctx context.Context) (*Archive, error)
	// See how far an archive is, and at the end where it can be downloaded.
	GetArchive(ctx context.Context, in *ArchiveID) (*Archive, error)
	// Stop an archive that has not ended.
	CancelArchive(ctx context.Context, in *ArchiveID) error
	// Get the content of a completed archive.
	DownloadArchive(ctx context.Context, in *ArchiveID) (*ArchiveFile, error)
}

// A Bookmark is an item that somebody wants to find again.
type Bookmark struct {
	ID        int64     `json:"id"`
	Title     string    `json:"title"`
	Item      Item      `json:"item"`
	Tags      []string  `json:"tags"`
	CreatedAt time.Time `json:"created_at"`
	// Differs after each change. Send it back in a Change to change no newer bookmark.
	ETag     string `json:"etag" header:"ETag"`
	Location string `json:"-" header:"Location"`
}

// SSE gives the event of a bookmark its ID, from which a client goes on that came back.
func (b *Bookmark) SSE() svc.Event { return svc.Event{ID: strconv.FormatInt(b.ID, 10)} }

// An Item is a link, a note or a file.
type Item struct { // a member and not the whole input, since assistants drop tools whose whole input is one of several
	Kind string `json:"kind" discriminator:"true"`
	Link *Link  `variant:"link"`
	Note *Note  `variant:"note"`
	File *File  `variant:"file"`
}

// A Link is an address on the web.
type Link struct {
	URL string `json:"url" format:"uri" pattern:"^https?://[!-~]+$" patternHint:"an address of http or https" maxLength:"2000"`
}

// A Note is text.
type Note struct {
	Text string `json:"text" maxLength:"5000"`
}

// A File is stored as a whole, and no larger than the body of a request: 1 MiB.
type File struct {
	Name string `json:"name" minLength:"1" maxLength:"200"`
	Type string `json:"type" pattern:"^[a-z]+/[a-z0-9.+-]+$" maxLength:"100" example:"image/png"`
	Data []byte `json:"data,omitempty"` // For Create alone. Download has it.
}

// A NewBookmark is a bookmark without what the server gives it.
type NewBookmark struct {
	Title string   `json:"title" minLength:"1" maxLength:"200"`
	Item  Item     `json:"item"`
	Tags  []string `json:"tags,omitempty" maxItems:"10" uniqueItems:"true" pattern:"^[a-z0-9-]+$" maxLength:"30"`
}

// A Filter says which bookmarks to list.
type Filter struct {
	// Words of the title or of a note, as one types them into a search engine.
	Query string   `json:"q,omitempty" maxLength:"200"`
	Kind  string   `json:"kind,omitempty" enum:"link,note,file"`
	Tags  []string `json:"tag,omitempty" maxItems:"10" maxLength:"30"` // The bookmark has all of them.
	svc.CursorQuery
}

// An ID says which bookmark.
type ID struct {
	ID int64 `json:"id" minimum:"1"`
}

// A Change has what is to be changed. An absent member stays as it is.
type Change struct {
	ID    int64                  `json:"id" minimum:"1"`
	Title string                 `json:"title,omitempty" minLength:"1" maxLength:"200"`
	Tags  svc.Optional[[]string] `json:"tags,omitzero" maxItems:"10" uniqueItems:"true" pattern:"^[a-z0-9-]+$" maxLength:"30"`
	// The ETag of the bookmark that is to be changed. Without it the last writer wins.
	IfMatch string `json:"if_match,omitempty" header:"If-Match"`
}

// Since says where the stream begins.
type Since struct {
	// The ID of the last bookmark that the client has.
	After int64 `json:"after,omitempty" header:"Last-Event-ID" minimum:"0"`
}

// A Table has a line for each link, with its address, its title, and its tags with spaces between
// them.
type Table struct {
	// Lines of CSV with address, title and tags.
	Table svc.Body `contentType:"text/csv" maxBytes:"104857600"`
}

// Imported says what Import did.
type Imported struct {
	Added int `json:"added"`
	Known int `json:"known"` // How many addresses were there already.
}

// Exported has the form that Import reads.
type Exported struct {
	svc.File `contentType:"text/csv"`
}

// An Archive is the record of work that goes on after its call.
type Archive struct {
	ID      int64  `json:"id"`
	State   string `json:"state" enum:"working,completed,failed,cancelled"`
	Message string `json:"message,omitempty"` // How far it is, or why it has failed.
	Path    string `json:"path,omitempty"`    // Where it can be downloaded, once it is completed.
}

// TaskState lets clients of MCP that know tasks wait for the archive.
func (a *Archive) TaskState() (state, message string) { return a.State, a.Message }

// An ArchiveID says which archive.
type ArchiveID struct {
	ID int64 `json:"id" minimum:"1"`
}

// An ArchiveFile has each bookmark as JSON, and the files.
type ArchiveFile struct {
	svc.File `contentType:"application/zip"`
}

// The errors that methods return in addition to the errors of svc. The ETag is an example; each
// response has the ETag of its bookmark.
var (
	ErrNotFound = svc.Errorf(svc.CodeNotFound, "there is no such bookmark").WithReason("no_bookmark")
	ErrExists   = svc.Errorf(svc.CodeAlreadyExists, "there is a bookmark of this address").WithReason("bookmark_exists")
	ErrChanged  = svc.Errorf(svc.CodeFailedPrecondition, "the bookmark has changed; get it again").WithReason("bookmark_changed").WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", `"7"`)

	ErrNoArchive    = svc.Errorf(svc.CodeNotFound, "there is no such archive, or it is not completed").WithReason("no_archive")
	ErrArchiveEnded = svc.Errorf(svc.CodeFailedPrecondition, "the archive has ended already").WithReason("archive_ended")

	// These two come from the database, and ask to try again. ErrUnavailable states the time to
	// wait twice, because only REST sends headers with errors.
	ErrBusy        = svc.Errorf(svc.CodeAborted, "another call is in the way; try again").WithHeader("Retry-After", "1")
	ErrUnavailable = svc.Errorf(svc.CodeUnavailable, "the database does not answer; try again").WithHeader("Retry-After", "1").WithDetail("retry_after", 1)
)

// Options returns the options that the server and its clients must share.
func Options() *svc.Options {
	read, write := []string{"bookmarks:read"}, []string{"bookmarks:write"}
	missing, noArchive := []*svc.Error{ErrNotFound}, []*svc.Error{ErrNoArchive}
	return &svc.Options{
		Name:     "Bookmarks",
		Version:  "1.0.0",
		Resource: "bookmarks",
		Defaults: svc.Defaults{Auth: "bearer"},
		Errors:   []*svc.Error{ErrBusy, ErrUnavailable},
		Methods: map[string]svc.MethodOptions{
			"Create":          {Scopes: write, Status: 201, IdempotencyKey: svc.KeyAllowed, Errors: []*svc.Error{ErrExists}},
			"List":            {Scopes: read, Errors: []*svc.Error{}},
			"Get":             {Scopes: read, Errors: missing},
			"Download":        {Scopes: read, Errors: missing, HTTP: "GET /bookmarks/{id}/file"},
			"Patch":           {Scopes: write, IdempotencyKey: svc.KeyAllowed, Errors: []*svc.Error{ErrNotFound, ErrChanged}},
			"Delete":          {Scopes: write, IdempotencyKey: svc.KeyAllowed, Errors: missing},
			"Import":          {Scopes: write, Errors: []*svc.Error{}},
			"Export":          {Scopes: read, Errors: []*svc.Error{}, HTTP: "GET /bookmarks/export"},
			"Pack":            {Scopes: read, Errors: []*svc.Error{}, HTTP: "POST /archives", Status: http.StatusAccepted, Task: "GetArchive", TaskCancel: "CancelArchive"},
			"GetArchive":      {Scopes: read, Errors: noArchive, HTTP: "GET /archives/{id}"},
			"CancelArchive":   {Scopes: read, Errors: append(noArchive, ErrArchiveEnded), HTTP: "DELETE /archives/{id}"},
			"DownloadArchive": {Scopes: read, Errors: noArchive, HTTP: "GET /archives/{id}/file", Transports: []svc.Transport{svc.TransportREST}},
			// Over the other transports a stream is one answer at its end; this one has no end.
			"Watch": {Scopes: read, Errors: []*svc.Error{}, HTTP: "GET /bookmarks/watch", Transports: []svc.Transport{svc.TransportREST}},
		},
	}
}

// A Client calls the service. In a test its fields are set to functions of the test.
type Client struct {
	Create   func(ctx context.Context, in *NewBookmark) (*Bookmark, error)
	List     func(ctx context.Context, in *Filter) (*svc.CursorResponse[Bookmark], error)
	Get      func(ctx context.Context, in *ID) (*Bookmark, error)
	Download func(ctx context.Context, in *ID) (*svc.File, error)
	Patch    func(ctx context.Context, in *Change) (*Bookmark, error)
	Delete   func(ctx context.Context, in *ID) error
	Watch    func(ctx context.Context, in *Since) (svc.Stream[Bookmark], error)
	Import   func(ctx context.Context, in *Table) (*Imported, error)
	Export   func(ctx context.Context) (*Exported, error)

	Pack            func(ctx context.Context) (*Archive, error)
	GetArchive      func(ctx context.Context, in *ArchiveID) (*Archive, error)
	CancelArchive   func(ctx context.Context, in *ArchiveID) error
	DownloadArchive func(ctx context.Context, in *ArchiveID) (*ArchiveFile, error)
}

// Connect returns a client that calls with token. It sends calls again that may run twice; see
// svc.ClientOptions.Attempts. next sends single requests; nil stands for http.DefaultTransport.
func Connect(baseURL, token string, next http.RoundTripper) (*Client, error) {
	c := new(Client)
	h := &http.Client{Transport: &transport{cmp.Or(next, http.DefaultTransport), token}}
	return c, svc.Connect[API](c, baseURL, &svc.ClientOptions{Service: Options(), HTTPClient: h})
}

// A transport adds the token to requests.
type transport struct {
	next  http.RoundTripper
	token string
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // a RoundTripper must not change its request
	r.Header.Set("Authorization", "Bearer "+t.token)
	return t.next.RoundTrip(r)
}
