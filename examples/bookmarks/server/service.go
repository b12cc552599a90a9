package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/bookmarks"
	"example.com/svc"
)

// newService registers the methods. Streams end when stopping is closed.
func newService(db *postgres, stopping <-chan struct{}, observe func(context.Context, svc.Observation)) *svc.Service {
	options := bookmarks.Options()
	options.Comments = svc.ReadComments(bookmarks.Source)
	options.Webhooks = []*svc.Webhooks{svc.WebhooksOf[bookmarks.Events](&svc.Options{Resource: "bookmarks", Comments: options.Comments})}
	options.Observe = observe
	options.MaxConcurrent = 1000 // with the size of bodies, it bounds the memory; streams do not count
	options.Idempotency = &svc.Idempotency{Run: db.once}
	options.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			switch method {
			case "watch", "import", "export": // these last for as long as their clients take
				return next(ctx, resource, method, input)
			}
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return next(ctx, resource, method, input)
		}
	}
	impl := &service{postgres: db, stopping: stopping, codec: svc.NewCodec[bookmarks.Bookmark]()}
	impl.self = svc.MustRegister[bookmarks.API](impl, options)
	return impl.self
}

// callTimeout is how long a call may take. Its client has given up by then.
const callTimeout = 10 * time.Second

type service struct {
	*postgres
	stopping <-chan struct{}
	self     *svc.Service                   // for Import, which calls Create
	codec    *svc.Codec[bookmarks.Bookmark] // for archives
}

// owner returns the caller. There always is one, since all methods need scopes.
func owner(ctx context.Context) string {
	p, _ := svc.PrincipalFrom(ctx)
	return p.Subject
}

// columns are what scan reads.
const columns = ` id, title, tags, kind, url, text, name, type, created_at, '"' || version || '"' `

func scan(row pgx.CollectableRow) (b bookmarks.Bookmark, err error) {
	link, note, file := new(bookmarks.Link), new(bookmarks.Note), new(bookmarks.File)
	err = row.Scan(&b.ID, &b.Title, &b.Tags, &b.Item.Kind, &link.URL, &note.Text, &file.Name, &file.Type, &b.CreatedAt, &b.ETag)
	switch b.Item.Kind {
	case "link":
		b.Item.Link = link
	case "note":
		b.Item.Note = note
	case "file":
		b.Item.File = file
	}
	b.CreatedAt = b.CreatedAt.UTC()
	return b, err
}

// one and many take the results of Query, whose error is also in rows.
func one(rows pgx.Rows, _ error) (*bookmarks.Bookmark, error) {
	b, err := pgx.CollectExactlyOneRow(rows, scan)
	return &b, storeError(err)
}

func many(rows pgx.Rows, _ error) ([]bookmarks.Bookmark, error) {
	list, err := pgx.CollectRows(rows, scan)
	return list, storeError(err)
}

// Create takes a lock until it commits, so that bookmarks become visible in the order of their IDs:
// a stream that has seen 7 never has to go back for 6. The batch is one round trip, and one
// transaction if none is open yet.
func (s *service) Create(ctx context.Context, in *bookmarks.NewBookmark) (b *bookmarks.Bookmark, err error) {
	link, note, file := cmp.Or(in.Item.Link, new(bookmarks.Link)), cmp.Or(in.Item.Note, new(bookmarks.Note)), cmp.Or(in.Item.File, new(bookmarks.File))
	batch := new(pgx.Batch)
	batch.Queue("select pg_advisory_xact_lock($1)", createLock)
	batch.Queue(`insert into bookmarks (owner, title, tags, kind, url, text, name, type, data)
		values ($1, $2, coalesce($3::text[], '{}'), $4, $5, $6, $7, $8, $9) returning`+columns,
		owner(ctx), in.Title, in.Tags, in.Item.Kind, link.URL, note.Text, file.Name, file.Type, file.Data).Query(func(rows pgx.Rows) error {
		b, err = one(rows, nil)
		return err
	})
	if err := s.conn(ctx).SendBatch(ctx, batch).Close(); err != nil {
		return nil, storeError(err)
	}
	b.Location = "/bookmarks/" + strconv.FormatInt(b.ID, 10)
	return b, nil
}

// List reads on from the ID where a page ended, and not by page number, so that nobody
// misses a bookmark or gets one twice when others come and go.
func (s *service) List(ctx context.Context, in *bookmarks.Filter) (*svc.CursorResponse[bookmarks.Bookmark], error) {
	before := int64(math.MaxInt64)
	if in.Cursor != "" {
		if err := svc.DecodeCursor(in.Cursor, &before); err != nil {
			return nil, err
		}
	}
	list, err := s.list(ctx, in, before)
	if err != nil {
		return nil, err
	}
	return svc.NewCursorPage(list, in.Limit, func(last bookmarks.Bookmark) string {
		cursor, _ := svc.EncodeCursor(last.ID) // no error: JSON can carry it
		return cursor
	}), nil
}

// list returns up to in.Limit bookmarks with an ID below before, newest first.
func (s *service) list(ctx context.Context, in *bookmarks.Filter, before int64) ([]bookmarks.Bookmark, error) {
	sql := "select" + columns + "from bookmarks where owner = @owner and id < @before"
	if in.Query != "" { // and not one text for all, which PostgreSQL would run without this index
		sql += " and search @@ websearch_to_tsquery('english', @query)"
	}
	if in.Kind != "" {
		sql += " and kind = @kind"
	}
	if len(in.Tags) > 0 {
		sql += " and tags @> @tags"
	}
	return many(s.pool.Query(ctx, sql+" order by id desc limit @limit", pgx.NamedArgs{
		"owner": owner(ctx), "before": before, "query": in.Query, "kind": in.Kind, "tags": in.Tags, "limit": in.Limit}))
}

// Get returns one bookmark. svc answers If-None-Match.
func (s *service) Get(ctx context.Context, in *bookmarks.ID) (*bookmarks.Bookmark, error) {
	return one(s.pool.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id = $2", owner(ctx), in.ID))
}

// Download returns a file, of which svc sends parts too.
func (s *service) Download(ctx context.Context, in *bookmarks.ID) (*svc.File, error) {
	var f svc.File
	var data []byte
	err := s.pool.QueryRow(ctx, "select name, type, data, created_at from bookmarks where owner = $1 and id = $2 and kind = 'file'", owner(ctx), in.ID).
		Scan(&f.Name, &f.ContentType, &data, &f.Modified)
	f.Content = bytes.NewReader(data)
	return &f, storeError(err)
}

// Patch changes a bookmark that nobody else changes meanwhile.
func (s *service) Patch(ctx context.Context, in *bookmarks.Change) (b *bookmarks.Bookmark, err error) {
	err = pgx.BeginFunc(ctx, s.conn(ctx), func(tx pgx.Tx) error {
		if b, err = one(tx.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id = $2 for update", owner(ctx), in.ID)); err != nil {
			return err
		}
		if !svc.MatchesETag(in.IfMatch, b.ETag) {
			return bookmarks.ErrChanged.WithHeader("ETag", b.ETag)
		}
		if in.Tags.IsSet() {
			b.Tags, _ = in.Tags.Get() // nothing for null
		}
		b, err = one(tx.Query(ctx, `update bookmarks set title = $2, tags = coalesce($3::text[], '{}'), version = version + 1
			where id = $1 returning`+columns, in.ID, cmp.Or(in.Title, b.Title), b.Tags))
		return err
	})
	return b, storeError(err)
}

func (s *service) Delete(ctx context.Context, in *bookmarks.ID) error {
	tag, err := s.conn(ctx).Exec(ctx, "delete from bookmarks where owner = $1 and id = $2", owner(ctx), in.ID)
	if err == nil && tag.RowsAffected() == 0 {
		return bookmarks.ErrNotFound
	}
	return storeError(err)
}

// errStopping ends the streams of a process that stops. Clients continue at a different process.
// Because of its cause it is not logged as an error.
var errStopping = svc.Errorf(svc.CodeUnavailable, "the server is stopping; come back: %w", http.ErrServerClosed)

// Watch ends with an error of the database, as any call does. The client comes back
// with the ID of its last event.
func (s *service) Watch(ctx context.Context, in *bookmarks.Since) (svc.Stream[bookmarks.Bookmark], error) {
	return func(yield func(*bookmarks.Bookmark, error) bool) {
		for after := in.After; ; {
			list, err := many(s.pool.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id > $2 order by id limit 1000", owner(ctx), after))
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range list {
				if after = list[i].ID; !yield(&list[i], nil) {
					return
				}
			}
			select {
			case <-time.After(500 * time.Millisecond): // or LISTEN, for very many streams
			case <-ctx.Done(): // the client has gone
				return
			case <-s.stopping:
				yield(nil, errStopping)
				return
			}
		}
	}, nil
}

// Import adds the links of a table while it arrives, each by a call of Create, which checks it.
// Lines before an invalid line stay: sending the table again is harmless, because existing links
// are skipped.
func (s *service) Import(ctx context.Context, in *bookmarks.Table) (*bookmarks.Imported, error) {
	table := csv.NewReader(in.Table)
	table.FieldsPerRecord = 3
	out := new(bookmarks.Imported)
	for {
		line, err := table.Read()
		switch wrong := (*csv.ParseError)(nil); {
		case err == io.EOF:
			return out, nil
		case errors.As(err, &wrong):
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d is not an address, a title and tags in CSV", wrong.Line)
		case err != nil:
			return nil, err // of the Body
		}
		n, _ := table.FieldPos(0)
		b := &bookmarks.NewBookmark{Title: line[1], Item: bookmarks.Item{Link: &bookmarks.Link{URL: line[0]}}, Tags: strings.Fields(line[2])}
		switch _, err := s.self.Call(ctx, "bookmarks", "create", b); svc.CodeOf(err) {
		case svc.CodeOK:
			out.Added++
		case svc.CodeAlreadyExists:
			out.Known++
		case svc.CodeInvalidArgument:
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d: %s", n, svc.ErrorFrom(err).Message)
		default:
			return nil, err
		}
	}
}

// Export sends all links, newest first. It reads a page of them from the database when the client
// has taken the previous page.
func (s *service) Export(ctx context.Context) (*bookmarks.Exported, error) {
	e := &export{ctx: ctx, service: s, before: math.MaxInt64}
	err := e.readPage() // here an error can still be the response
	return &bookmarks.Exported{File: svc.File{Name: "bookmarks.csv", Content: e}}, err
}

// An export is a table of all links of a caller.
type export struct {
	ctx     context.Context
	service *service
	before  int64 // the ID of the last bookmark that was read
	page    bytes.Buffer
	done    bool
}

// Read implements io.Reader.
func (e *export) Read(p []byte) (int, error) {
	if e.page.Len() == 0 && !e.done {
		if err := e.readPage(); err != nil {
			return 0, err
		}
	}
	return e.page.Read(p)
}

// readPage reads the next links.
func (e *export) readPage() error {
	ctx, cancel := context.WithTimeout(e.ctx, callTimeout)
	defer cancel()
	list, err := e.service.list(ctx, &bookmarks.Filter{Kind: "link", CursorQuery: svc.CursorQuery{Limit: 100}}, e.before)
	table := csv.NewWriter(&e.page)
	for _, b := range list {
		table.Write([]string{b.Item.Link.URL, b.Title, strings.Join(b.Tags, " ")})
		e.before = b.ID
	}
	table.Flush()
	e.done = len(list) < 100
	return err
}
