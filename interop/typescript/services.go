package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

var quiet = slog.New(slog.DiscardHandler)

// A service is one of those that the table calls.
type service struct {
	*svc.Service
	options *svc.Options // for Connect
	guard   func(http.Handler) http.Handler
}

// services returns them by their names. arrived is called with each call of a method.
func services(d *desk, marks *markStore, arrived func(method string, in any)) map[string]service {
	record := func(o *svc.Options) *svc.Options {
		o.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
			return func(ctx context.Context, resource, method string, in any) (any, error) {
				arrived(resource+"."+method, in)
				return next(ctx, resource, method, in)
			}
		}
		return o
	}
	open := func(next http.Handler) http.Handler { return next }
	markOptions := record(bookmarks.Options())
	markOptions.Comments, markOptions.Logger = svc.ReadComments(bookmarks.Source), quiet
	markOptions.Idempotency = &svc.Idempotency{Run: func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		return do(ctx)
	}}
	return map[string]service{
		"desk":      {svc.MustRegister[DeskAPI](d, record(deskOptions(d))), deskOptions(nil), open},
		"kitchen":   {kitchen.SinkWith(record(kitchen.SinkOptions(false))), kitchen.SinkOptions(false), open},
		"bookmarks": {svc.MustRegister[bookmarks.API](marks, markOptions), bookmarks.Options(), bearer},
		"payments":  {svc.MustRegister[PaymentAPI](payments{}, record(paymentOptions())), paymentOptions(), open},
		"entries":   {svc.MustRegister[EntryAPI](entries{}, record(entryOptions("entries", queryKey))), entryOptions("entries", queryKey), keyGuard(queryKey)},
		"members":   {svc.MustRegister[EntryAPI](entries{}, record(entryOptions("members", cookieKey))), entryOptions("members", cookieKey), keyGuard(cookieKey)},
		"hostile":   {svc.MustRegister[NastyAPI](nasty{}, record(nastyOptions())), nastyOptions(), open},
	}
}

// bearer lets in who brings the token "fresh".
func bearer(next http.Handler) http.Handler {
	return svc.Bearer(func(_ context.Context, token string) (*svc.Principal, error) {
		if token != "fresh" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is stale")
		}
		return ada, nil
	}, &svc.BearerOptions{Logger: quiet})(next)
}

// --- Errors of a form of their own

type PaymentAPI interface {
	Create(ctx context.Context, in *NewPayment) (*Receipt, error)
	Refund(ctx context.Context, in *PaymentID) (*Receipt, error)
	Statement(ctx context.Context, in *StatementPath) (*Statement, error)
}

type (
	NewPayment struct {
		Amount int32 `json:"amount" minimum:"1"`
	}
	PaymentID struct {
		ID string `json:"id"`
	}
	Receipt struct {
		ID     string `json:"id"`
		Amount int32  `json:"amount"`
	}
	StatementPath struct {
		Account string `json:"account"`
		Path    string `json:"path" maxLength:"40"`
	}
	Statement struct {
		Account string `json:"account"`
		Path    string `json:"path"`
	}
	PaymentErrors struct {
		Errors []PaymentError `json:"errors"`
	}
	PaymentError struct {
		Code    string `json:"code"`
		Field   string `json:"field,omitempty"`
		Message string `json:"message"`
	}
)

var errRefunded = svc.Errorf(svc.CodeAlreadyExists, "already refunded").WithReason("refunded").WithHeader("Retry-After", "60")

func paymentOptions() *svc.Options {
	form := svc.NewErrorForm(func(e *svc.Error) *PaymentErrors {
		var out PaymentErrors
		for _, v := range e.Violations() {
			out.Errors = append(out.Errors, PaymentError{"invalid", strings.TrimPrefix(v.Path, "/"), v.Message})
		}
		if out.Errors == nil {
			out.Errors = []PaymentError{{strings.ToLower(string(e.Code)), "", e.Message}}
		}
		return &out
	}, nil).WithStatus(svc.CodeInvalidArgument, http.StatusUnprocessableEntity)
	return &svc.Options{Name: "Payments", Resource: "payments", ErrorForm: form, Logger: quiet, Methods: map[string]svc.MethodOptions{
		"Refund":    {HTTP: "POST /payments/{id}/refund", Errors: []*svc.Error{errRefunded}},
		"Statement": {HTTP: "GET /accounts/{account}/statements/{path...}"},
	}}
}

type payments struct{}

func (payments) Create(_ context.Context, in *NewPayment) (*Receipt, error) {
	return &Receipt{"p1", in.Amount}, nil
}
func (payments) Refund(context.Context, *PaymentID) (*Receipt, error) { return nil, errRefunded }
func (payments) Statement(_ context.Context, in *StatementPath) (*Statement, error) {
	return &Statement{in.Account, in.Path}, nil
}

// --- Bookmarks in memory

type markStore struct {
	mu    sync.Mutex // protects the fields below
	marks []bookmarks.Bookmark
	last  int64
}

func (s *markStore) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks, s.last = nil, 0
}

// index returns the place of a bookmark. The lock must be held.
func (s *markStore) index(id int64) (int, error) {
	i := slices.IndexFunc(s.marks, func(b bookmarks.Bookmark) bool { return b.ID == id })
	if i < 0 {
		return 0, bookmarks.ErrNotFound
	}
	return i, nil
}

func (s *markStore) Create(_ context.Context, in *bookmarks.NewBookmark) (*bookmarks.Bookmark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.marks {
		if b.Item.Link != nil && in.Item.Link != nil && b.Item.Link.URL == in.Item.Link.URL {
			return nil, bookmarks.ErrExists
		}
	}
	s.last++
	b := bookmarks.Bookmark{ID: s.last, Title: in.Title, Item: in.Item, Tags: append([]string{}, in.Tags...), CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), ETag: fmt.Sprintf(`"%d.1"`, s.last)}
	s.marks = append(s.marks, b)
	b.Location = fmt.Sprint("/bookmarks/", b.ID)
	return &b, nil
}

func (s *markStore) List(_ context.Context, in *bookmarks.Filter) (*svc.CursorResponse[bookmarks.Bookmark], error) {
	after := int64(0)
	if in.Cursor != "" {
		if err := svc.DecodeCursor(in.Cursor, &after); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.marks), func(b bookmarks.Bookmark) bool { return b.ID <= after || in.Kind != "" && b.Item.Kind != in.Kind })
	return svc.NewCursorPage(list[:min(in.Limit, len(list))], in.Limit, func(b bookmarks.Bookmark) string {
		cursor, _ := svc.EncodeCursor(b.ID) // an int64 has JSON
		return cursor
	}), nil
}

func (s *markStore) Get(_ context.Context, in *bookmarks.ID) (*bookmarks.Bookmark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.index(in.ID)
	if err != nil {
		return nil, err
	}
	b := s.marks[i]
	return &b, nil
}

func (s *markStore) Download(_ context.Context, in *bookmarks.ID) (*svc.File, error) {
	return nil, bookmarks.ErrNotFound
}

func (s *markStore) Patch(_ context.Context, in *bookmarks.Change) (*bookmarks.Bookmark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.index(in.ID)
	if err != nil {
		return nil, err
	}
	b := &s.marks[i]
	if !svc.MatchesETag(in.IfMatch, b.ETag) {
		return nil, bookmarks.ErrChanged.WithHeader("ETag", b.ETag)
	}
	if in.Title != "" {
		b.Title = in.Title
	}
	if in.Tags.IsSet() {
		tags, _ := in.Tags.Get()
		b.Tags = append([]string{}, tags...)
	}
	b.ETag = fmt.Sprintf(`"%d.%s"`, b.ID, b.Title)
	out := *b
	return &out, nil
}

func (s *markStore) Delete(_ context.Context, in *bookmarks.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.index(in.ID)
	if err == nil {
		s.marks = slices.Delete(s.marks, i, i+1)
	}
	return err
}

// Watch ends with the last bookmark there is.
func (s *markStore) Watch(_ context.Context, in *bookmarks.Since) (svc.Stream[bookmarks.Bookmark], error) {
	s.mu.Lock()
	list := slices.Clone(s.marks)
	s.mu.Unlock()
	return func(yield func(*bookmarks.Bookmark, error) bool) {
		for i := range list {
			if list[i].ID > in.After && !yield(&list[i], nil) {
				return
			}
		}
	}, nil
}

func (s *markStore) Import(ctx context.Context, in *bookmarks.Table) (*bookmarks.Imported, error) {
	out := &bookmarks.Imported{}
	for lines := csv.NewReader(in.Table); ; {
		line, err := lines.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil || len(line) != 3 {
			return nil, svc.Errorf(svc.CodeInvalidArgument, "this is no table of links")
		}
		_, err = s.Create(ctx, &bookmarks.NewBookmark{Title: line[1], Item: bookmarks.Item{Kind: "link", Link: &bookmarks.Link{URL: line[0]}}, Tags: strings.Fields(line[2])})
		if err != nil {
			out.Known++
		} else {
			out.Added++
		}
	}
}

func (s *markStore) Export(context.Context) (*bookmarks.Exported, error) {
	return &bookmarks.Exported{File: svc.File{Name: "links.csv", Content: bytes.NewReader([]byte("https://go.dev,Go,go\n"))}}, nil
}

// --- Inputs of the kitchen that JSON alone cannot say in Go

func sinkQuery() *kitchen.Query {
	unsigned, one, two := uint16(7), int8(1), int8(-2)
	return &kitchen.Query{
		Text: "1234", Required: "ä ö&+/?#%", Limit: 5, Tiny: -3, Unsigned: &unsigned, Ratio: 0.1, Number: "1.25", On: true,
		Since: time.Date(2026, 1, 2, 3, 4, 5, 6e8, time.UTC), Blob: []byte{0, 1, 127}, From: netip.MustParseAddr("::1"),
		Tags: []string{"a,b", "c"}, Sizes: []*int8{&one, &two}, Shade: "green", Depths: []kitchen.Depth{1, 300}, Words: []string{"a", "b c"}, Sort: "desc", Quoted: 12,
	}
}

func sinkTexts() *kitchen.Texts {
	return &kitchen.Texts{String: "\u0000\u2028</script>😀", Named: "x", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: time.Hour + 2*time.Minute + 3*time.Second, Bytes: []byte{0, 1, 127}, Address: netip.MustParseAddr("::1"), UUID: "00000000-0000-0000-0000-000000000000"}
}

func sinkChoice() *kitchen.ChoiceOrNull {
	in := &kitchen.ChoiceOrNull{
		Needed: &kitchen.Choice{Type: "text", ID: 1, Text: &kitchen.TextChoice{Value: "abc", Color: "red"}},
		Other:  &kitchen.Choice{Type: "none", ID: 2, None: &struct{}{}},
	}
	in.Maybe.SetNull()
	return in
}

// The table calls no archives: this store has none, and makes none.

func (s *markStore) Pack(context.Context) (*bookmarks.Archive, error) {
	return nil, svc.Errorf(svc.CodeUnimplemented, "this store makes no archives")
}

func (s *markStore) GetArchive(context.Context, *bookmarks.ArchiveID) (*bookmarks.Archive, error) {
	return nil, bookmarks.ErrNoArchive
}

func (s *markStore) CancelArchive(context.Context, *bookmarks.ArchiveID) error {
	return bookmarks.ErrNoArchive
}

func (s *markStore) DownloadArchive(context.Context, *bookmarks.ArchiveID) (*bookmarks.ArchiveFile, error) {
	return nil, bookmarks.ErrNoArchive
}
