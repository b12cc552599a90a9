package main

// This file packs the bookmarks of an owner into an archive, which takes longer than a call may.
// The record of the work is a row of the database, so every process can read it, and clients of
// MCP see it as a task.

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strconv"

	"github.com/jackc/pgx/v5"

	"example.com/bookmarks"
	"example.com/svc"
)

// maxArchive is how long an archive may be, in bytes: it is made in memory, and is one value in the
// database.
const maxArchive = 64 << 20

// These errors end the work. Their texts are for users.
var (
	errTooLarge  = errors.New("the archive would have more than 64 MiB; delete some files")
	errWorkStops = errors.New("the server has stopped; begin again")
	errCancelled = errors.New("the archive is cancelled")
)

// Pack stores the record before it returns, and outside of a transaction, because a client may read
// it as soon as it has the answer. While one archive is being packed, a second call gets the same
// archive, so a retry starts nothing.
func (s *service) Pack(ctx context.Context) (*bookmarks.Archive, error) {
	if err := s.failAbandoned(ctx); err != nil {
		return nil, err
	}
	a := &bookmarks.Archive{State: "working"}
	err := s.pool.QueryRow(ctx, "insert into archives (owner) values ($1) on conflict do nothing returning id", owner(ctx)).Scan(&a.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return s.archive(ctx, "owner = $1 and state = 'working'")
	}
	if err != nil {
		return nil, storeError(err)
	}
	caller, _ := svc.PrincipalFrom(ctx)
	go s.work(svc.WithPrincipal(context.Background(), caller), a.ID) // the context of the call ends when Pack returns
	return a, nil
}

// GetArchive returns the record whose first state Pack returned.
func (s *service) GetArchive(ctx context.Context, in *bookmarks.ArchiveID) (*bookmarks.Archive, error) {
	if err := s.failAbandoned(ctx); err != nil {
		return nil, err
	}
	return s.archive(ctx, "owner = $1 and id = $2", in.ID)
}

// CancelArchive changes the record. The process that works finds it changed.
func (s *service) CancelArchive(ctx context.Context, in *bookmarks.ArchiveID) error {
	tag, err := s.pool.Exec(ctx, "update archives set state = 'cancelled' where owner = $1 and id = $2 and state = 'working'", owner(ctx), in.ID)
	if err == nil && tag.RowsAffected() == 0 {
		if _, err := s.archive(ctx, "owner = $1 and id = $2", in.ID); err != nil {
			return err
		}
		return bookmarks.ErrArchiveEnded
	}
	return storeError(err)
}

// DownloadArchive returns a completed archive.
func (s *service) DownloadArchive(ctx context.Context, in *bookmarks.ArchiveID) (*bookmarks.ArchiveFile, error) {
	var content []byte
	err := s.pool.QueryRow(ctx, "select content from archives where owner = $1 and id = $2 and state = 'completed'", owner(ctx), in.ID).Scan(&content)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, bookmarks.ErrNoArchive
	}
	return &bookmarks.ArchiveFile{File: svc.File{Name: "bookmarks.zip", Content: bytes.NewReader(content)}}, storeError(err)
}

// archive returns the record that a condition finds. Its first parameter is the owner.
func (s *service) archive(ctx context.Context, where string, args ...any) (*bookmarks.Archive, error) {
	a := new(bookmarks.Archive)
	err := s.pool.QueryRow(ctx, "select id, state, message from archives where "+where, append([]any{owner(ctx)}, args...)...).
		Scan(&a.ID, &a.State, &a.Message)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, bookmarks.ErrNoArchive
	}
	if a.State == "completed" {
		a.Path = "/archives/" + strconv.FormatInt(a.ID, 10) + "/file"
	}
	return a, storeError(err)
}

// failAbandoned fails the work of a process that has not been seen for a minute, because nobody
// will continue it.
func (s *service) failAbandoned(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `update archives set state = 'failed', message = $2
		where owner = $1 and state = 'working' and seen_at < now() - interval '1 minute'`, owner(ctx), errWorkStops.Error())
	return storeError(err)
}

// work packs the archive and stores the outcome. ctx has the caller.
func (s *service) work(ctx context.Context, id int64) {
	state, message := "completed", ""
	content, err := s.pack(ctx, id)
	switch {
	case err == nil:
	case errors.Is(err, errTooLarge), errors.Is(err, errWorkStops):
		state, message = "failed", err.Error()
	default: // a message of the database is not for users
		state = "failed"
		slog.Error("an archive has failed", "archive", id, "error", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err = s.pool.Exec(ctx, "update archives set state = $2, message = $3, content = $4 where id = $1 and state = 'working'", id, state, message, content)
	if err != nil { // the record says working until failAbandoned
		slog.Error("an archive is not stored", "archive", id, "error", err)
	}
}

// pack returns the archive of all bookmarks: each as JSON, and the files. After each page it stores
// its progress, and checks whether to continue.
func (s *service) pack(ctx context.Context, id int64) ([]byte, error) {
	out := new(bytes.Buffer)
	archive := zip.NewWriter(out)
	for after, n := int64(0), 0; ; {
		page, err := s.packPage(ctx, archive, after)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			err := archive.Close() // writes its end
			return out.Bytes(), err
		}
		after, n = page[len(page)-1].ID, n+len(page)
		tag, err := s.pool.Exec(ctx, "update archives set message = $2, seen_at = now() where id = $1 and state = 'working'", id, fmt.Sprint(n, " bookmarks"))
		switch {
		case err != nil:
			return nil, err
		case tag.RowsAffected() == 0:
			return nil, errCancelled
		case out.Len() > maxArchive:
			return nil, errTooLarge
		}
		select {
		case <-s.stopping:
			return nil, errWorkStops
		default:
		}
	}
}

// packPage adds the next bookmarks, and returns them.
func (s *service) packPage(ctx context.Context, archive *zip.Writer, after int64) ([]bookmarks.Bookmark, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	page, err := many(s.pool.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id > $2 order by id limit 20", owner(ctx), after))
	for i := range page {
		b := &page[i]
		text, e := s.codec.Encode(b)
		if err = errors.Join(err, e, addFile(archive, fmt.Sprintf("%d.json", b.ID), text)); err == nil && b.Item.File != nil {
			var data []byte
			err = s.pool.QueryRow(ctx, "select coalesce(data, '') from bookmarks where id = $1", b.ID).Scan(&data)
			if errors.Is(err, pgx.ErrNoRows) { // deleted meanwhile
				err = nil
			}
			err = errors.Join(err, addFile(archive, fmt.Sprintf("%d/%s", b.ID, path.Base("/"+b.Item.File.Name)), data))
		}
	}
	return page, err
}

// addFile adds a file to an archive.
func addFile(archive *zip.Writer, name string, data []byte) error {
	w, err := archive.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}
