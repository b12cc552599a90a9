package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strings"

	"example.com/bookmarks"
	"example.com/svc"
)

// Import adds the bookmarks of a table while it arrives, each by a call of Create, which
// checks it. Lines before one that is wrong stay: to send the table again is harmless,
// since addresses that are there are passed over.
func (s *service) Import(ctx context.Context, in *bookmarks.Table) (*bookmarks.Imported, error) {
	table := csv.NewReader(in.Table)
	table.FieldsPerRecord = -1
	out := new(bookmarks.Imported)
	for {
		line, err := table.Read()
		switch wrong := (*csv.ParseError)(nil); {
		case err == io.EOF:
			return out, nil
		case errors.As(err, &wrong):
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d is not a line of CSV", wrong.Line)
		case err != nil:
			return nil, err // of the Body
		}
		n, _ := table.FieldPos(0)
		if len(line) < 2 || len(line) > 4 {
			return nil, svc.Errorf(svc.CodeInvalidArgument, "line %d has %d columns; want address, title, note and tags", n, len(line))
		}
		line = append(line, "", "")
		b := &bookmarks.NewBookmark{URL: line[0], Title: line[1], Note: line[2], Tags: strings.Fields(line[3])}
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

// Export sends all bookmarks, newest first, and reads a page of them from the database
// when the client has taken the one before.
func (s *service) Export(ctx context.Context) (*bookmarks.Exported, error) {
	if info, ok := svc.InfoFrom(ctx); ok && info.Request != nil {
		ctx = svc.WithPrincipal(info.Request.Context(), &svc.Principal{Subject: owner(ctx)}) // that of the call ends with it
	}
	e := &export{ctx: ctx, service: s, before: math.MaxInt64}
	if err := e.readPage(); err != nil {
		return nil, err // as an answer, and not in the middle of one
	}
	return &bookmarks.Exported{File: svc.File{Name: "bookmarks.csv", Content: e}}, nil
}

// An export is a table of all bookmarks of a caller.
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

// readPage reads the next bookmarks.
func (e *export) readPage() error {
	ctx, cancel := context.WithTimeout(e.ctx, callTimeout)
	defer cancel()
	list, err := e.service.store.list(ctx, owner(ctx), &bookmarks.Filter{CursorQuery: svc.CursorQuery{Limit: 100}}, e.before)
	if err != nil {
		return err
	}
	table := csv.NewWriter(&e.page)
	for _, b := range list {
		table.Write([]string{b.URL, b.Title, b.Note, strings.Join(b.Tags, " ")})
		e.before = b.ID
	}
	table.Flush()
	e.done = len(list) < 100
	return nil
}
