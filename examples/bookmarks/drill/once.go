package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/bookmarks"
	"example.com/svc"
)

// A writer is one owner, who writes.
type writer struct {
	*figures
	name     string
	clients  []*bookmarks.Client // of all protocols
	withKeys bool
	made     int // creates that were acknowledged
	changed  int // patches that were acknowledged
}

// newWriter returns an owner whom the database knows.
func newWriter(ctx context.Context, name string, withKeys bool, databaseURL, base string, f *figures) (*writer, error) {
	w := &writer{figures: f, name: name, withKeys: withKeys}
	err := execute(ctx, databaseURL, "insert into tokens values (sha256($1), $2, '{bookmarks:read,bookmarks:write}')", []byte("token-"+name), name)
	for _, p := range protocols {
		client, wrong := newClient(p, base, "token-"+name, withKeys, f)
		w.clients, err = append(w.clients, client), errors.Join(err, wrong)
	}
	return w, err
}

// note returns the input of a create that only a key protects from duplicates.
func note(name string) *bookmarks.NewBookmark {
	return &bookmarks.NewBookmark{Title: name, Item: bookmarks.Item{Note: &bookmarks.Note{Text: name}}}
}

// writeOnce lets writers work for span, while replicas are stopped and the database crashes. Then
// it compares the acknowledged writes with the database: with keys each write is there once, and
// without keys some are there twice.
func writeOnce(ctx context.Context, span time.Duration, withKeys bool, databaseURL, base string, c *chaos) error {
	f := newFigures(&c.downtime)
	load, stop := context.WithTimeout(ctx, span)
	defer stop()
	writers := make([]*writer, 32)
	var working sync.WaitGroup
	for i := range writers {
		w, err := newWriter(ctx, fmt.Sprint("once-", withKeys, "-", i), withKeys, databaseURL, base, f)
		if err != nil {
			return err
		}
		writers[i] = w
		working.Go(func() {
			for i := 0; load.Err() == nil; i++ {
				w.write(i)
			}
		})
	}
	c.run(load, 5*time.Second)
	working.Wait()
	return reportOnce(ctx, databaseURL, writers, f, c)
}

// write makes the i-th write: a create, or a change of the last created bookmark. With keys it then
// sends it once more, over a different protocol, and the answer must be the same.
func (w *writer) write(i int) {
	name := fmt.Sprint(w.name, "-", i)
	send := func(ctx context.Context, protocol int) (*bookmarks.Bookmark, error) {
		client := w.clients[(i/2+protocol)%len(protocols)]
		if i%2 == 0 {
			return client.Create(svc.WithIdempotencyKey(ctx, name), note(name))
		}
		page, err := w.clients[0].List(ctx, &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 1}})
		if err != nil || len(page.Data) == 0 {
			return nil, errors.Join(err, errors.New("the bookmark is gone"))
		}
		return client.Patch(svc.WithIdempotencyKey(ctx, name), &bookmarks.Change{ID: page.Data[0].ID, Title: name})
	}
	var b *bookmarks.Bookmark
	ok := w.survive(name, func(ctx context.Context) (err error) {
		b, err = send(ctx, 0)
		return err
	})
	switch {
	case !ok:
		return
	case i%2 == 0:
		w.made++
	default:
		w.changed++
	}
	if w.withKeys {
		w.survive(name+" again", func(ctx context.Context) error {
			again, err := send(ctx, 1)
			if err != nil {
				return err
			}
			return same(again, b)
		})
	}
}

// reportOnce prints the figures and returns the problems.
func reportOnce(ctx context.Context, databaseURL string, writers []*writer, f *figures, c *chaos) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	acked, twice := 0, 0
	for _, w := range writers {
		var made, changed int
		err := conn.QueryRow(ctx, "select count(*), coalesce(sum(version-1), 0) from bookmarks where owner = $1", w.name).Scan(&made, &changed)
		if err != nil {
			return err
		}
		acked, twice = acked+w.made+w.changed, twice+made-w.made+changed-w.changed
		if lost := made < w.made || changed < w.changed; lost || w.withKeys && (made != w.made || changed != w.changed) {
			f.fail("%s: %d bookmarks and %d changes acknowledged, %d and %d found", w.name, w.made, w.changed, made, changed)
		}
	}
	what := "with keys"
	if !writers[0].withKeys {
		if what = "without keys"; twice == 0 {
			f.fail("no write was made twice without keys, so this drill finds nothing")
		}
	}
	log.Printf("%s: %d writes acknowledged, %d made twice; %d SIGKILL, %d crashes of the database", what, acked, twice, c.kills, c.crashes)
	log.Printf("%s: %s", what, f.survival())
	return errors.Join(append(c.errs, f.problems())...)
}

// together sends equal calls at the same time, over all protocols and to all replicas, and
// returns an error unless each has acted once and all of its answers are equal.
func together(ctx context.Context, isolation, databaseURL, base string) error {
	const rounds, equal = 3, 64
	f := newFigures(nil)
	w, err := newWriter(ctx, "together-"+strings.ReplaceAll(isolation, " ", "-"), true, databaseURL, base, f)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, rounds*patience)
	defer cancel()
	start := time.Now()
	var aborted atomic.Int64
	for round := range rounds {
		name := fmt.Sprint(w.name, "-", round)
		answers, errs := make([]*bookmarks.Bookmark, equal), make([]error, equal)
		var calls sync.WaitGroup
		for i := range answers {
			calls.Go(func() {
				client := w.clients[i%len(w.clients)]
				for {
					answers[i], errs[i] = client.Create(svc.WithIdempotencyKey(ctx, name), note(name))
					if svc.CodeOf(errs[i]) != svc.CodeAborted { // ABORTED: other calls were in the way each time
						return
					}
					aborted.Add(1)
					sleep(ctx, rand.N(time.Second))
				}
			})
		}
		calls.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for _, b := range answers {
			if err := same(b, answers[0]); err != nil {
				f.fail("%s: %v", name, err)
			}
		}
	}
	page, err := w.clients[0].List(ctx, &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 100}})
	if err != nil {
		return err
	}
	if len(page.Data) != rounds {
		f.fail("%d of %d calls acted", len(page.Data), rounds)
	}
	log.Printf("%s: %d times %d equal calls at a time: %d bookmarks in %v; %d calls were ABORTED after all attempts, and made anew; sent again after %v", isolation, rounds, equal, len(page.Data), time.Since(start).Round(time.Second), aborted.Load(), f.again)
	return f.problems()
}
