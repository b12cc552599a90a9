package svc

// This file holds lists: the part of an input that says which page is wanted,
// and the outputs that carry one. The inputs are ordinary structs, bound,
// defaulted and published by their tags like any other; what is special about
// a page size, that too much of it is no mistake, is in their Validate methods.

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// The sizes of pages. The defaults stand in the tags below too.
const (
	defaultPageSize = 20
	maxPageSize     = 100
)

// A PageRequest says which part of a list is wanted: a page by its number, or
// what follows a cursor. Embed it in an input that takes both; most lists want
// one of its halves, [PageQuery] and [CursorQuery]. The fields are query
// parameters over REST, on every verb. The zero value asks for the first page.
//
// A number below 1, or none, is INVALID_ARGUMENT. A size above 100 counts as
// 100, on every transport: a client that asks for too much gets what there is.
type PageRequest struct {
	Page    int    `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int    `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"Items after a cursor; more than 100 counts as 100."`
	Cursor  string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer."`
}

// A PageQuery is the half of a [PageRequest] that numbers pages.
type PageQuery struct {
	Page    int `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
}

// A CursorQuery is the half of a [PageRequest] that goes on after a cursor.
// With an empty Cursor it asks for the beginning.
type CursorQuery struct {
	Cursor string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer; empty for the beginning."`
	Limit  int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"How many items; more than 100 counts as 100."`
}

// Validate puts in the defaults for numbers below 1 and caps the sizes. It
// returns nil. The service calls it on every input, and so on one that was
// given to [Service.Call] as a Go value, where zero means absent.
func (p *PageRequest) Validate() error {
	p.Page, p.PerPage, p.Limit = max(p.Page, 1), cappedSize(p.PerPage), cappedSize(p.Limit)
	return nil
}

// Validate is [PageRequest.Validate] for this half.
func (q *PageQuery) Validate() error {
	q.Page, q.PerPage = max(q.Page, 1), cappedSize(q.PerPage)
	return nil
}

// Validate is [PageRequest.Validate] for this half.
func (q *CursorQuery) Validate() error {
	q.Limit = cappedSize(q.Limit)
	return nil
}

func cappedSize(n int) int { return min(orDefaultSize(n), maxPageSize) }

func orDefaultSize(n int) int {
	if n < 1 {
		return defaultPageSize
	}
	return n
}

// PageRequest returns the request that q is half of, for [NewPage] and
// [PageRequest.Offset].
func (q PageQuery) PageRequest() PageRequest { return PageRequest{Page: q.Page, PerPage: q.PerPage} }

// PageRequest returns the request that q is half of.
func (q CursorQuery) PageRequest() PageRequest { return PageRequest{Cursor: q.Cursor, Limit: q.Limit} }

// pageBinding is how any service would bind a PageRequest.
var pageBinding = compilePageBinding()

func compilePageBinding() *binding {
	p := new(mistakes)
	c := newShapes(p)
	s := c.of(reflect.TypeFor[PageRequest](), "PageRequest")
	c.finish()
	b := compileBinding(newDecoders(p, false), s, bindSpec{})
	if len(p.list) > 0 {
		panic(p.list[0])
	}
	return b
}

// ParsePage reads page, per_page, limit and cursor from a query, for handlers
// that are not a service's: with the same defaults, limits and errors as a
// [PageRequest] in an input. Other parameters are not looked at.
//
// A number that is below 1, not an integer, empty, or given twice is an *Error
// with INVALID_ARGUMENT and every [Violation].
func ParsePage(q url.Values) (PageRequest, error) {
	known := make(url.Values)
	for i := range pageBinding.query {
		if name := pageBinding.query[i].sourceName; len(q[name]) > 0 {
			known[name] = q[name]
		}
	}
	in, err := pageBinding.bindRequest(new(decoder), requestValues{query: known.Encode()})
	if err != nil {
		return PageRequest{}, err
	}
	return *in.Interface().(*PageRequest), nil
}

// Offset returns how many items come before the page: (Page-1)*PerPage, and
// math.MaxInt where that is more than an int holds, so that a page beyond all
// bounds is empty and nothing else. It is never negative.
func (p PageRequest) Offset() int {
	before, size := max(p.Page, 1)-1, orDefaultSize(p.PerPage)
	if before > math.MaxInt/size {
		return math.MaxInt
	}
	return before * size
}

// IsCursor reports whether the request goes on after a cursor. An empty one
// counts as none, so a feed, whose first request has none, embeds CursorQuery
// and need not ask.
func (p PageRequest) IsCursor() bool { return p.Cursor != "" }

// Size returns how many items are wanted: Limit if IsCursor, else PerPage; 20
// where that is below 1.
func (p PageRequest) Size() int {
	if p.IsCursor() {
		return orDefaultSize(p.Limit)
	}
	return orDefaultSize(p.PerPage)
}

// A PageResponse is one page of a list, by its number. The zero value is a
// page without items; Data is never null in JSON.
type PageResponse[T any] struct {
	Data       items[T] `json:"data"`        // a []T
	Page       int      `json:"page"`        // the number of this page, from 1
	PerPage    int      `json:"per_page"`    // items on a full page
	Total      int      `json:"total"`       // items on all pages
	TotalPages int      `json:"total_pages"` // ⌈Total/PerPage⌉, so 0 where there are none
}

// NewPage returns the page that req asks for: data holds its items, and total
// is how many there are on all pages. Data is not copied.
//
// Pages are counted from the beginning of the list each time. While a client
// goes through them, an insert before its place moves items to the next page,
// where it meets them again, and a delete moves items to the page that it has
// left, where it misses them. A list that changes while it is read is better
// served by cursors.
func NewPage[T any](data []T, req PageRequest, total int) *PageResponse[T] {
	size := orDefaultSize(req.PerPage)
	total = max(total, 0)
	pages := total / size
	if total%size > 0 {
		pages++
	}
	return &PageResponse[T]{nonNil(data), max(req.Page, 1), size, total, pages}
}

// A CursorResponse is one part of a list and the place where it goes on. The
// zero value is an end without items; Data is never null in JSON.
type CursorResponse[T any] struct {
	Data       items[T] `json:"data"`                  // a []T
	NextCursor string   `json:"next_cursor,omitempty"` // for the items after these; empty at the end
	PrevCursor string   `json:"prev_cursor,omitempty"` // for a list that can be read backwards; the application sets it
	HasMore    bool     `json:"has_more"`              // there may be more after these
}

// NewCursorPage returns a part of a list. It has more if it is full, that is,
// if there are limit items; then the cursor of the last one is NextCursor. (A
// list that ends with a full part has an empty one after it.) Items beyond
// limit are left for the next part. Data is not copied.
//
// Items are not skipped or repeated while others insert and delete, if the
// list is in the order of a key that no two items share, and a method reads
// what comes after the key in the cursor. See [EncodeCursor].
func NewCursorPage[T any](data []T, limit int, cursor func(last T) string) *CursorResponse[T] {
	page := &CursorResponse[T]{Data: nonNil(data)}
	if limit < 1 || len(data) < limit {
		return page
	}
	page.Data, page.HasMore = page.Data[:limit:limit], true
	page.NextCursor = cursor(page.Data[limit-1])
	return page
}

func nonNil[T any](data []T) []T {
	if data == nil {
		return []T{}
	}
	return data
}

// items are a []T that encoding/json, too, writes as [] where it is nil.
type items[T any] []T

// MarshalJSON is for encoding/json.
func (list items[T]) MarshalJSON() ([]byte, error) {
	if list == nil {
		return []byte("[]"), nil
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false) // the encoder that called does so if it was told to
	err := e.Encode([]T(list))
	return buf.Bytes(), err
}

func (items[T]) isItsKind() {}

var _ plainType = items[int]{}

// Links returns the value of a Link header (RFC 8288, section 3) that leads to
// the first, previous, next and last pages, as far as there are such. u is the
// URL of this page: its other parameters are kept; user, password and fragment
// are not. A list without items has no links.
//
// A method sets it by its context:
//
//	if info, ok := svc.InfoFrom(ctx); ok && info.Request != nil {
//		info.Header.Add("Link", page.Links(info.Request.URL))
//	}
func (p *PageResponse[T]) Links(u *url.URL) string {
	if p.TotalPages < 1 {
		return ""
	}
	query := u.Query()
	query.Set("per_page", strconv.Itoa(p.PerPage))
	target := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if target.Host == "" && strings.HasPrefix(target.Path, "//") {
		target.Path, target.RawPath = "/."+target.Path, "" // else it would name a host (RFC 3986, section 4.2)
	}
	var links []string
	link := func(rel string, page int) {
		query.Set("page", strconv.Itoa(page))
		target.RawQuery = query.Encode()
		links = append(links, "<"+target.String()+`>; rel="`+rel+`"`)
	}
	link("first", 1)
	if p.Page > 1 {
		link("prev", min(p.Page-1, p.TotalPages))
	}
	if p.Page < p.TotalPages {
		link("next", p.Page+1)
	}
	link("last", p.TotalPages)
	return strings.Join(links, ", ")
}
