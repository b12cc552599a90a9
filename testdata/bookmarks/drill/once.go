package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/bookmarks"
	"example.com/svc"
)

// A writer is one owner, who writes and sends each write again until it has an answer.
type writer struct {
	*figures
	name     string
	clients  []*bookmarks.Client // of all protocols
	withKeys bool
	made     int // creates that were acknowledged
	refused  int // creates that were made twice but for the constraint, without keys
	changed  int // patches that were acknowledged
}

// writeOnce lets writers work for span, or until they have made so many writes, while
// replicas are stopped and the database crashes. Then it compares what was acknowledged
// with what there is: with keys each write is there once, and without keys some are there
// twice.
func writeOnce(ctx context.Context, span time.Duration, most int, withKeys bool, databaseURL, base string, c *chaos) error {
	f := &figures{requests: make(map[string]int), errors: make(map[string]int), next: newTransport()}
	load, stop := context.WithTimeout(ctx, span)
	defer stop()
	writers := make([]*writer, 32)
	var left atomic.Int64
	left.Store(int64(most))
	var working sync.WaitGroup
	for i := range writers {
		w := &writer{figures: f, name: fmt.Sprint("once-", withKeys, "-", i), withKeys: withKeys}
		token := "token-" + w.name
		if err := execute(ctx, databaseURL, "insert into tokens values (sha256($1), $2, '{bookmarks:read,bookmarks:write}')", []byte(token), w.name); err != nil {
			return err
		}
		for _, p := range protocols {
			if p == "REST" && !withKeys { // whose client makes keys of its own
				continue
			}
			client, err := newClient(p, base, token, f)
			if err != nil {
				return err
			}
			w.clients = append(w.clients, client)
		}
		writers[i] = w
		working.Go(func() {
			for i := 0; load.Err() == nil && left.Add(-1) >= 0; i++ {
				w.write(i)
			}
		})
	}
	quiet, calm := context.WithCancel(load)
	defer calm()
	go func() { working.Wait(); calm() }()
	c.run(quiet, 5*time.Second)
	working.Wait()
	return reportOnce(ctx, databaseURL, writers, f, c)
}

// write makes the i-th write. With keys it then sends it once more, over another protocol,
// and the answer must be the same.
func (w *writer) write(i int) {
	var last int64
	send := func(protocol int) (b *bookmarks.Bookmark, err error) {
		client, name := w.clients[protocol%len(w.clients)], fmt.Sprint(w.name, "-", i)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if w.withKeys {
			ctx = keyed(ctx, name)
		}
		for {
			if i%2 == 0 {
				b, err = client.Create(ctx, &bookmarks.NewBookmark{URL: "https://example.com/" + name, Title: name})
			} else {
				in := &bookmarks.Change{ID: last}
				in.Note.Set(name)
				b, err = client.Patch(ctx, in)
			}
			code := svc.CodeOf(err)
			if code == svc.CodeAlreadyExists && !w.withKeys { // it was made before its answer was lost
				w.refused++
				return nil, nil
			}
			if code != svc.CodeUnavailable && code != svc.CodeAborted || !sleep(ctx, 100*time.Millisecond) {
				return b, err
			}
		}
	}
	if i%2 == 1 {
		page, err := w.latest()
		if err != nil {
			w.fail("%s: list: %v", w.name, err)
			return
		}
		last = page
	}
	b, err := send(i / 2)
	if err != nil {
		w.fail("%s: write %d: %v", w.name, i, err)
		return
	}
	if i%2 == 0 {
		w.made++
	} else {
		w.changed++
	}
	if !w.withKeys {
		return
	}
	if again, err := send(i/2 + 1); err != nil || fmt.Sprint(*again) != fmt.Sprint(*b) {
		// Over REST the place is a header, which other protocols do not have.
		if err == nil {
			again.Location, b.Location = "", ""
		}
		if err != nil || fmt.Sprint(*again) != fmt.Sprint(*b) {
			w.fail("%s: write %d: %v and then %v, %v", w.name, i, b, again, err)
		}
	}
}

// latest returns the ID of the newest bookmark.
func (w *writer) latest() (int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	page, err := w.clients[0].List(ctx, &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 1}})
	if err != nil || len(page.Data) == 0 {
		return 0, errors.Join(err, errors.New("the bookmark is gone"))
	}
	return page.Data[0].ID, nil
}

// reportOnce prints the figures and returns what is wrong.
func reportOnce(ctx context.Context, databaseURL string, writers []*writer, f *figures, c *chaos) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	acked, twice, refused := 0, 0, 0
	for _, w := range writers {
		var made, changed int
		err := conn.QueryRow(ctx, "select count(*), coalesce(sum(version-1), 0) from bookmarks where owner = $1", w.name).Scan(&made, &changed)
		if err != nil {
			return err
		}
		acked, twice, refused = acked+w.made+w.changed, twice+changed-w.changed, refused+w.refused
		if made != w.made || w.withKeys && changed != w.changed || changed < w.changed {
			f.fail("%s: %d bookmarks and %d changes acknowledged, %d and %d found", w.name, w.made, w.changed, made, changed)
		}
	}
	what := "with keys"
	if !writers[0].withKeys {
		if what = "without keys"; twice+refused == 0 {
			f.fail("no write was made twice without keys, so this drill finds nothing")
		}
	}
	log.Printf("%s: %d writes acknowledged, %d made twice, and %d but for a constraint; %d SIGKILL, %d crashes of the database", what, acked, twice, refused, c.kills, c.crashes)
	for _, text := range f.wrong[:min(10, len(f.wrong))] {
		log.Print("WRONG: ", text)
	}
	if len(f.wrong) > 0 {
		return fmt.Errorf("%d answers are wrong", len(f.wrong))
	}
	return errors.Join(c.errs...)
}
