package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
)

// patience is how long a client sends again. Everything is up again long before.
const patience = time.Minute

// A worker is one owner, who calls one method after the other over one protocol, and
// knows what all answers have to be.
type worker struct {
	*figures
	name, protocol string
	url, token     string
	client         *bookmarks.Client
	acked          []bookmarks.Bookmark // in the order of their IDs, as they are now
	keys           []string             // of acked
	patched        int
	uncertain      int     // changes that were made although their answer was lost
	watched        []int64 // IDs, as the stream had them
	seen           atomic.Int64
	reconnects     int
}

// try calls f with what patience allows, and remembers how long it took.
func (w *worker) try(what string, f func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start := time.Now()
	err := f(ctx)
	if err != nil {
		w.fail("%s: %s: %v", w.name, what, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.longest = max(w.longest, time.Since(start))
	return err == nil
}

// run works until ctx ends. It ends what it has begun.
func (w *worker) run(ctx context.Context) {
	for i := 0; sleep(ctx, 15*time.Millisecond); i++ {
		if !w.try("create", func(ctx context.Context) error { return w.create(ctx, i) }) {
			continue
		}
		switch last := len(w.acked) - 1; {
		case i%3 == 0:
			w.try("get", func(ctx context.Context) error { return w.get(ctx, last*(i%7)/7) })
		case i%3 == 1:
			w.try("patch", func(ctx context.Context) error { return w.patch(ctx, last*(i%5)/5, i) })
		}
		if i%20 == 0 {
			w.try("repeat", w.repeat)
			w.try("search", func(ctx context.Context) error { return w.search(ctx, i) })
			w.try("handshake", w.handshake)
		}
		if i%60 == 59 {
			w.try("list", w.list)
		}
	}
	w.try("list", w.list)
}

func (w *worker) create(ctx context.Context, i int) error {
	b, want, err := w.add(ctx, w.client, fmt.Sprint(i))
	if err != nil {
		return err
	}
	if n := len(w.acked); n > 0 && b.ID <= w.acked[n-1].ID {
		return fmt.Errorf("%d comes after %d", b.ID, w.acked[n-1].ID)
	}
	w.acked, w.keys = append(w.acked, want), append(w.keys, w.key(fmt.Sprint(i)))
	return same(b, want)
}

func (w *worker) key(name string) string { return fmt.Sprintf("key-%s-%s", w.name, name) }

// add creates a bookmark, and returns it and what it has to be.
func (w *worker) add(ctx context.Context, client *bookmarks.Client, name string) (b *bookmarks.Bookmark, want bookmarks.Bookmark, err error) {
	note := "note of " + w.name
	in := &bookmarks.NewBookmark{URL: "https://example.com/" + w.name + "/" + name, Title: "Ünïque w" + name + "w",
		Note: note, Tags: []string{"drill", "t" + name}}
	if b, err = client.Create(keyed(ctx, w.key(name)), in); err == nil {
		want = bookmarks.Bookmark{ID: b.ID, URL: in.URL, Title: in.Title, Note: in.Note, Tags: in.Tags, CreatedAt: b.CreatedAt, ETag: `"1"`}
	}
	return b, want, err
}

// crowd is one of several programs of the same owner, who create at the same time. Pages
// and the stream must have everything all the same.
func (w *worker) crowd(ctx context.Context, client *bookmarks.Client, name string) {
	for i := 1; sleep(ctx, 15*time.Millisecond); i++ {
		w.try("create", func(ctx context.Context) error {
			b, want, err := w.add(ctx, client, fmt.Sprint(name, "-", i))
			if err != nil {
				return err
			}
			w.mu.Lock()
			w.acked = append(w.acked, want)
			w.mu.Unlock()
			return same(b, want)
		})
		if i%80 == 0 {
			w.try("list", func(ctx context.Context) error { return w.listCrowd(ctx, client) })
		}
	}
}

// listCrowd reads all pages while others create.
func (w *worker) listCrowd(ctx context.Context, client *bookmarks.Client) error {
	missing := make(map[int64]bool) // of those that were acknowledged before
	w.mu.Lock()
	for _, b := range w.acked {
		missing[b.ID] = true
	}
	w.mu.Unlock()
	in := &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 100}}
	for before := int64(math.MaxInt64); ; {
		page, err := client.List(ctx, in)
		if err != nil {
			return err
		}
		for _, b := range page.Data {
			if b.ID >= before {
				return fmt.Errorf("%d comes after %d", b.ID, before)
			}
			before = b.ID
			delete(missing, b.ID)
		}
		if in.Cursor = page.NextCursor; !page.HasMore {
			if len(missing) > 0 {
				return fmt.Errorf("the pages lack %d bookmarks", len(missing))
			}
			return nil
		}
	}
}

// same returns an error if b is not the bookmark that is wanted.
func same(b *bookmarks.Bookmark, want bookmarks.Bookmark) error {
	if b.ID != want.ID || b.URL != want.URL || b.Title != want.Title || b.Note != want.Note ||
		!slices.Equal(b.Tags, want.Tags) || !b.CreatedAt.Equal(want.CreatedAt) || b.ETag != want.ETag {
		return fmt.Errorf("got %+v, want %+v", *b, want)
	}
	return nil
}

func (w *worker) get(ctx context.Context, i int) error {
	b, err := w.client.Get(ctx, &bookmarks.ID{ID: w.acked[i].ID})
	if err != nil {
		return err
	}
	return same(b, w.acked[i])
}

// patch changes a note once. A change whose answer is lost has been made or not: the
// ETag decides, since nobody else changes this bookmark.
func (w *worker) patch(ctx context.Context, i, n int) error {
	note := fmt.Sprintf("changed %d", n)
	want := w.acked[i]
	in := &bookmarks.Change{ID: want.ID, IfMatch: want.ETag}
	in.Note.Set(note)
	var version int
	fmt.Sscanf(want.ETag, `"%d"`, &version)
	want.Note, want.ETag = note, fmt.Sprintf(`"%d"`, version+1)
	for lost := false; ; {
		b, err := w.client.Patch(ctx, in)
		if svc.CodeOf(err) == svc.CodeUnavailable && sleep(ctx, 500*time.Millisecond) {
			lost = true
			continue
		}
		if lost && svc.CodeOf(err) == svc.CodeFailedPrecondition {
			w.uncertain++
			b, err = w.client.Get(ctx, &bookmarks.ID{ID: want.ID})
		}
		if err != nil {
			return err
		}
		w.acked[i] = want
		w.patched++
		return same(b, want)
	}
}

// repeat sends a create again and again in vain: with its key, with the key and another
// title, with another key and with a stale ETag.
func (w *worker) repeat(ctx context.Context) error {
	last := len(w.acked) - 1
	b, name := w.acked[last], strings.TrimPrefix(w.keys[last], w.key(""))
	again, want, err := w.add(ctx, w.client, name)
	if err != nil {
		return err
	}
	in := &bookmarks.NewBookmark{URL: b.URL, Title: "again"}
	_, err1 := w.client.Create(keyed(ctx, w.keys[last]+"-other"), in)
	_, err2 := w.client.Create(keyed(ctx, w.keys[last]), in)
	_, err3 := w.client.Patch(ctx, &bookmarks.Change{ID: b.ID, IfMatch: `"0"`})
	if svc.CodeOf(err3) == svc.CodeUnavailable { // is not sent again
		err3 = svc.Errorf(svc.CodeFailedPrecondition, "")
	}
	if svc.CodeOf(err1) != svc.CodeAlreadyExists || svc.CodeOf(err2) != svc.CodeInvalidArgument || svc.CodeOf(err3) != svc.CodeFailedPrecondition {
		return errors.Join(errors.New("not refused as they should be"), err1, err2, err3)
	}
	return same(again, want) // as it was created, whatever it is now
}

// search finds the one bookmark with a word.
func (w *worker) search(ctx context.Context, i int) error {
	last := w.acked[len(w.acked)-1]
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
	in := &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 100}}
	for i := len(w.acked); ; {
		page, err := w.client.List(ctx, in)
		if err != nil {
			return err
		}
		for j := range page.Data {
			if i--; i < 0 {
				return fmt.Errorf("there is more than the %d that were created", len(w.acked))
			}
			if err := same(&page.Data[j], w.acked[i]); err != nil {
				return err
			}
		}
		if in.Cursor = page.NextCursor; !page.HasMore {
			if i > 0 {
				return fmt.Errorf("%d of %d are missing", i, len(w.acked))
			}
			return nil
		}
	}
}

// handshake does what MCP clients do when they connect. Without sessions it may happen
// on any replica, and means nothing to the next call.
func (w *worker) handshake(ctx context.Context) error {
	e := &endpoint{protocol: w.protocol, url: w.url + "/mcp", token: w.token, figures: w.figures, http: newHTTPClient(w.protocol, w.figures)}
	methods := map[string]map[string]any{
		"MCP 2025-11-25": {"initialize": map[string]any{"protocolVersion": "2025-11-25", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "drill", "version": "1"}}, "tools/list": map[string]any{}},
		modern:           {"server/discover": map[string]any{}, "tools/list": map[string]any{}},
	}
	for method, params := range methods[w.protocol] {
		result, err := again(ctx, e, func() (*string, error) {
			result, err := e.send(ctx, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, "")
			text := string(result)
			return &text, err
		})
		if err == nil && len(*result) < 50 {
			err = errors.New(*result)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
	}
	return nil
}

// watch follows the stream of the owner until ctx ends, over all interruptions.
func (w *worker) watch(ctx context.Context) {
	for ctx.Err() == nil {
		stream, err := w.client.Watch(ctx, &bookmarks.Since{After: w.seen.Load()})
		if err == nil {
			for b, e := range stream {
				if err = e; e != nil {
					break
				}
				w.watched = append(w.watched, b.ID)
				w.seen.Store(b.ID)
			}
		}
		if ctx.Err() != nil {
			return
		}
		w.reconnects++
		if svc.CodeOf(err) != svc.CodeUnavailable {
			w.fail("%s: watch: %v", w.name, err)
		}
		sleep(ctx, 300*time.Millisecond)
	}
}
