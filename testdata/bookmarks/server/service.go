package main

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
)

// A store keeps the bookmarks of all owners. Its errors are those that clients get.
type store interface {
	// once is svc.Idempotency.Run. The methods below take part in its transaction.
	once(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error)
	create(ctx context.Context, owner string, in *bookmarks.NewBookmark) (*bookmarks.Bookmark, error)
	get(ctx context.Context, owner string, id int64) (*bookmarks.Bookmark, error)
	// list returns up to in.Limit bookmarks with an ID below before, newest first.
	list(ctx context.Context, owner string, in *bookmarks.Filter, before int64) ([]bookmarks.Bookmark, error)
	// change calls edit with a bookmark that nobody else changes meanwhile, and stores
	// what edit has made of it. An error of edit leaves it as it was.
	change(ctx context.Context, owner string, id int64, edit func(*bookmarks.Bookmark) error) (*bookmarks.Bookmark, error)
	remove(ctx context.Context, owner string, id int64) error
	// since returns the first bookmarks with an ID greater than after, in their order.
	// No bookmark turns up later with a smaller one.
	since(ctx context.Context, owner string, after int64) ([]bookmarks.Bookmark, error)
}

// newService registers the methods. Streams end when stopping is closed.
func newService(s store, stopping <-chan struct{}, observe func(context.Context, svc.Observation)) *svc.Service {
	options := bookmarks.Options()
	options.Observe = observe
	options.Idempotency = &svc.Idempotency{Run: s.once}
	options.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			if method == "watch" || method == "import" { // which last for as long as their clients take
				return next(ctx, resource, method, input)
			}
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return next(ctx, resource, method, input)
		}
	}
	impl := &service{store: s, stopping: stopping}
	impl.self = svc.MustRegister[bookmarks.API](impl, options)
	return impl.self
}

// callTimeout is how long a call may take. Its client has given up by then.
const callTimeout = 10 * time.Second

type service struct {
	store    store
	stopping <-chan struct{}
	self     *svc.Service // for Import, which calls Create
}

// owner returns the caller. There always is one, since all methods need scopes.
func owner(ctx context.Context) string {
	p, _ := svc.PrincipalFrom(ctx)
	return p.Subject
}

// Create says where the bookmark is.
func (s *service) Create(ctx context.Context, in *bookmarks.NewBookmark) (*bookmarks.Bookmark, error) {
	b, err := s.store.create(ctx, owner(ctx), in)
	if err != nil {
		return nil, err
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
	list, err := s.store.list(ctx, owner(ctx), in, before)
	if err != nil {
		return nil, err
	}
	return svc.NewCursorPage(list, in.Limit, func(last bookmarks.Bookmark) string {
		cursor, _ := svc.EncodeCursor(last.ID) // no error: JSON can carry it
		return cursor
	}), nil
}

// Get returns one bookmark. svc answers If-None-Match.
func (s *service) Get(ctx context.Context, in *bookmarks.ID) (*bookmarks.Bookmark, error) {
	return s.store.get(ctx, owner(ctx), in.ID)
}

func (s *service) Patch(ctx context.Context, in *bookmarks.Change) (*bookmarks.Bookmark, error) {
	return s.store.change(ctx, owner(ctx), in.ID, func(b *bookmarks.Bookmark) error {
		if !svc.MatchesETag(in.IfMatch, b.ETag) {
			return bookmarks.ErrChanged.WithHeader("ETag", b.ETag)
		}
		if in.Title != "" {
			b.Title = in.Title
		}
		if in.Note.IsSet() {
			b.Note, _ = in.Note.Get() // nothing for null
		}
		if in.Tags.IsSet() {
			b.Tags, _ = in.Tags.Get()
		}
		return nil
	})
}

func (s *service) Delete(ctx context.Context, in *bookmarks.ID) error {
	return s.store.remove(ctx, owner(ctx), in.ID)
}

// errStopping ends the streams of a process that stops. Clients go on at another one.
// For its cause it is no error in the log.
var errStopping = svc.Errorf(svc.CodeUnavailable, "the server is stopping; come back: %w", http.ErrServerClosed)

// Watch ends with an error of the database, as any call does. The client comes back
// with the ID of its last event.
func (s *service) Watch(ctx context.Context, in *bookmarks.Since) (svc.Stream[bookmarks.Bookmark], error) {
	return func(yield func(*bookmarks.Bookmark, error) bool) {
		for after := in.After; ; {
			list, err := s.store.since(ctx, owner(ctx), after)
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
