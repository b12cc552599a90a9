package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
)

// A worker is one owner, who calls one method after the other over one protocol, and
// knows what all answers have to be.
type worker struct {
	*figures
	name, protocol string
	url, token     string
	client         *bookmarks.Client
	acked          []bookmarks.Bookmark // in the order of their IDs, as they are now
	patched        int
	watched        []int64 // IDs, as the stream had them
	seen           atomic.Int64
}

// newWorker returns an owner whom the database knows.
func newWorker(ctx context.Context, name, protocol, databaseURL, base string, f *figures) (*worker, error) {
	w := &worker{figures: f, name: name, protocol: protocol, url: base, token: "token-" + name}
	err := execute(ctx, databaseURL, "insert into tokens values (sha256($1), $2, '{bookmarks:read,bookmarks:write}')", []byte(w.token), w.name)
	if err != nil {
		return nil, err
	}
	w.client, err = newClient(protocol, base, w.token, true, f)
	return w, err
}

// run works until ctx ends. It ends what it has begun.
func (w *worker) run(ctx context.Context) {
	for i := 0; sleep(ctx, 15*time.Millisecond); i++ {
		if !w.survive(w.name+": create", func(ctx context.Context) error { return w.create(ctx, i) }) {
			continue
		}
		switch last := len(w.acked) - 1; {
		case i%3 == 0:
			w.survive(w.name+": get", func(ctx context.Context) error { return w.get(ctx, last*(i%7)/7) })
		case i%3 == 1:
			w.survive(w.name+": patch", func(ctx context.Context) error { return w.patch(ctx, last*(i%5)/5, i) })
		}
		if i%20 == 0 {
			w.survive(w.name+": repeat", func(ctx context.Context) error { return w.repeat(ctx, i) })
			w.survive(w.name+": search", func(ctx context.Context) error { return w.search(ctx, i) })
			w.survive(w.name+": handshake", func(ctx context.Context) error {
				return (&translator{w.figures, w.protocol, true}).handshake(ctx, w.url, w.token)
			})
		}
		if i%60 == 59 {
			w.survive(w.name+": list", w.list)
		}
	}
	w.survive(w.name+": list", w.list)
}

func (w *worker) create(ctx context.Context, i int) error {
	b, err := w.add(ctx, w.client, fmt.Sprint(i))
	if err != nil {
		return err
	}
	if n := len(w.acked); n > 0 && b.ID <= w.acked[n-1].ID {
		return fmt.Errorf("%d comes after %d", b.ID, w.acked[n-1].ID)
	}
	w.acked = append(w.acked, *b)
	return nil
}

// newBookmark returns the input of a bookmark: a link, a note or a file, by its name.
func (w *worker) newBookmark(name string) *bookmarks.NewBookmark {
	in := &bookmarks.NewBookmark{Title: "Ünïque w" + name + "w", Tags: []string{"drill", "t" + name}}
	switch text := w.name + "/" + name; len(text) % 3 {
	case 0:
		in.Item.Link = &bookmarks.Link{URL: "https://example.com/" + text}
	case 1:
		in.Item.Note = &bookmarks.Note{Text: "note of " + text}
	case 2:
		in.Item.File = &bookmarks.File{Name: text, Type: "text/plain", Data: []byte(text)}
	}
	return in
}

// add creates a bookmark with the key of its name, and checks the answer.
func (w *worker) add(ctx context.Context, client *bookmarks.Client, name string) (*bookmarks.Bookmark, error) {
	in := w.newBookmark(name)
	b, err := client.Create(svc.WithIdempotencyKey(ctx, w.name+"-"+name), in)
	if err != nil {
		return nil, err
	}
	want := bookmarks.Bookmark{ID: b.ID, Title: in.Title, Item: in.Item, Tags: in.Tags, CreatedAt: b.CreatedAt, ETag: `"1"`}
	return b, same(b, &want)
}

// text returns the data of a bookmark, except for the content of a file.
func text(b *bookmarks.Bookmark) string {
	item := ""
	switch i := b.Item; {
	case i.Link != nil:
		item = "link " + i.Link.URL
	case i.Note != nil:
		item = "note " + i.Note.Text
	case i.File != nil:
		item = "file " + i.File.Name + " " + i.File.Type
	}
	return fmt.Sprintf("%d %q %q %q %v %s", b.ID, b.Title, item, b.Tags, b.CreatedAt.UTC(), b.ETag)
}

// same returns an error if b is not the bookmark that is wanted.
func same(b, want *bookmarks.Bookmark) error {
	if got, want := text(b), text(want); got != want {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	return nil
}

// get also reads the content if it is a file.
func (w *worker) get(ctx context.Context, i int) error {
	b, err := w.client.Get(ctx, &bookmarks.ID{ID: w.acked[i].ID})
	if err != nil {
		return err
	}
	if b.Item.File == nil {
		return same(b, &w.acked[i])
	}
	file, err := w.client.Download(ctx, &bookmarks.ID{ID: b.ID})
	if err != nil {
		return err
	}
	defer file.Content.(io.Closer).Close()
	if data, err := io.ReadAll(file.Content); err != nil || string(data) != b.Item.File.Name {
		return fmt.Errorf("the file %s has %q, %w", b.Item.File.Name, data, err)
	}
	return same(b, &w.acked[i])
}

// patch changes a title, unless somebody has changed it since.
func (w *worker) patch(ctx context.Context, i, n int) error {
	want := w.acked[i]
	var version int
	fmt.Sscanf(want.ETag, `"%d"`, &version)
	in := &bookmarks.Change{ID: want.ID, IfMatch: want.ETag, Title: fmt.Sprintf("%.40s %d", want.Title, n)}
	b, err := w.client.Patch(svc.WithIdempotencyKey(ctx, fmt.Sprint(w.name, "-patch-", n)), in)
	if err != nil {
		return err
	}
	want.Title, want.ETag = in.Title, fmt.Sprintf(`"%d"`, version+1)
	w.acked[i] = want
	w.patched++
	return same(b, &want)
}

// repeat sends the i-th create again: with its key, with the key and a different title, and with a
// different key; and a change with a stale ETag.
func (w *worker) repeat(ctx context.Context, i int) error {
	again, err := w.add(ctx, w.client, fmt.Sprint(i)) // as it was created, whatever it is now
	if err != nil {
		return err
	}
	in := w.newBookmark(fmt.Sprint(i))
	in.Title = "again"
	_, err1 := w.client.Create(svc.WithIdempotencyKey(ctx, fmt.Sprint(w.name, "-", i)), in)
	_, err2 := w.client.Patch(ctx, &bookmarks.Change{ID: again.ID, IfMatch: `"0"`})
	for _, err := range []error{err1, err2} {
		if isAway(err) {
			return err
		}
	}
	if svc.CodeOf(err1) != svc.CodeInvalidArgument || svc.CodeOf(err2) != svc.CodeFailedPrecondition {
		return errors.Join(errors.New("not refused as they should be"), err1, err2)
	}
	if in.Item.Link == nil {
		return nil
	}
	if _, err := w.client.Create(ctx, in); svc.CodeOf(err) != svc.CodeAlreadyExists {
		return fmt.Errorf("a link that is there: %w", err)
	}
	return nil
}

// search finds the one bookmark with a word.
func (w *worker) search(ctx context.Context, i int) error {
	last := &w.acked[len(w.acked)-1]
	page, err := w.client.List(ctx, &bookmarks.Filter{Query: fmt.Sprintf("w%dw", i), Tags: []string{"drill"}, CursorQuery: svc.CursorQuery{Limit: 5}})
	if err != nil {
		return err
	}
	if len(page.Data) != 1 || page.HasMore {
		return fmt.Errorf("found %+v", page)
	}
	return same(&page.Data[0], last)
}

// list reads all pages: everything that was acknowledged, newest first and once.
func (w *worker) list(ctx context.Context) error {
	i := len(w.acked)
	err := pages(ctx, w.client, func(b *bookmarks.Bookmark) error {
		if i--; i < 0 {
			return fmt.Errorf("there is more than the %d that were created", len(w.acked))
		}
		return same(b, &w.acked[i])
	})
	if err == nil && i > 0 {
		return fmt.Errorf("%d of %d are missing", i, len(w.acked))
	}
	return err
}

// pages calls each with everything that is on the pages.
func pages(ctx context.Context, client *bookmarks.Client, each func(*bookmarks.Bookmark) error) error {
	in := &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 100}}
	for {
		page, err := client.List(ctx, in)
		if err != nil {
			return err
		}
		for i := range page.Data {
			if err := each(&page.Data[i]); err != nil {
				return err
			}
		}
		if in.Cursor = page.NextCursor; !page.HasMore {
			return nil
		}
	}
}

// crowd is one of several programs of the same owner, which create at the same time. Pages and the
// stream must still be complete.
func (w *worker) crowd(ctx context.Context, client *bookmarks.Client, name string) {
	for i := 1; sleep(ctx, 15*time.Millisecond); i++ {
		w.survive(w.name+": create", func(ctx context.Context) error {
			b, err := w.add(ctx, client, fmt.Sprint(name, "-", i))
			if err == nil {
				w.mu.Lock()
				w.acked = append(w.acked, *b)
				w.mu.Unlock()
			}
			return err
		})
		if i%80 == 0 {
			w.survive(w.name+": list", func(ctx context.Context) error { return w.listCrowd(ctx, client) })
		}
	}
}

// listCrowd reads all pages while others create.
func (w *worker) listCrowd(ctx context.Context, client *bookmarks.Client) error {
	missing := make(map[int64]bool) // acknowledged before
	w.mu.Lock()
	for _, b := range w.acked {
		missing[b.ID] = true
	}
	w.mu.Unlock()
	var last int64
	err := pages(ctx, client, func(b *bookmarks.Bookmark) error {
		if last != 0 && b.ID >= last {
			return fmt.Errorf("%d comes after %d", b.ID, last)
		}
		last = b.ID
		delete(missing, b.ID)
		return nil
	})
	if err == nil && len(missing) > 0 {
		return fmt.Errorf("the pages lack %d bookmarks", len(missing))
	}
	return err
}

// watch follows the stream of the owner until ctx ends. It is one stream, since the client goes on
// after each cut.
func (w *worker) watch(ctx context.Context) {
	stream, err := w.client.Watch(ctx, new(bookmarks.Since))
	if err != nil {
		w.fail("%s: watch: %v", w.name, err)
		return
	}
	for b, err := range stream {
		if err != nil {
			if ctx.Err() == nil {
				w.fail("%s: watch: %v", w.name, err)
			}
			return
		}
		w.watched = append(w.watched, b.ID)
		w.seen.Store(b.ID)
	}
}
