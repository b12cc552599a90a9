package svc

// This file holds pagination: inputs that say which part of a list is wanted,
// and outputs that carry one part.
//
// The inputs are ordinary structs. Their tags bind, default and publish them as
// they do for any other input, so no transport knows about pagination. The one
// special rule, that a size above 100 is not an error, is in the Validate
// methods: a maximum tag would refuse it. Cursors are encoded in cursor.go.

import (
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// Sizes are in items. The struct tags and the doc comments below repeat both
// numbers, because a tag cannot refer to a constant.
const (
	defaultPageSize = 20
	maxPageSize     = 100
)

// PageRequest is an input that selects one page of a list, either by page
// number or by cursor. Embed it in an input that supports both. Most lists
// support one of them: embed [PageQuery] or [CursorQuery] instead.
//
// Over REST the fields are query parameters, for every HTTP method. Over JSON-RPC
// and MCP they are members of the params object. Page counts from 1. PerPage and
// Limit are in items; an absent one is 20. The zero value selects the first page.
//
// A number below 1, or a value that is not an integer, is an INVALID_ARGUMENT
// error. A size above 100 counts as 100 on every transport, so that a client
// that asks for too much gets the most there is.
type PageRequest struct {
	Page    int    `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int    `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"Items after a cursor; more than 100 counts as 100."`
	Cursor  string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer."`
}

// PageQuery is the part of a [PageRequest] that selects a page by its number.
// The same defaults, limits and errors apply.
type PageQuery struct {
	Page    int `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
}

// CursorQuery is the part of a [PageRequest] that selects the items after a
// cursor. The same defaults, limits and errors apply. An empty Cursor selects
// the beginning of the list.
type CursorQuery struct {
	Cursor string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer; empty for the beginning."`
	Limit  int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"How many items; more than 100 counts as 100."`
}

// Validate replaces numbers below 1 by their defaults and sizes above 100 by
// 100. It always returns nil. The service calls it for every input. An input
// from a client has passed the minimum tags before, so the defaults matter only
// for a Go value given to [Service.Call], where zero means absent.
func (p *PageRequest) Validate() error {
	p.Page, p.PerPage, p.Limit = max(p.Page, 1), cappedSize(p.PerPage), cappedSize(p.Limit)
	return nil
}

// Validate checks a PageQuery as [PageRequest.Validate] does.
func (q *PageQuery) Validate() error {
	q.Page, q.PerPage = max(q.Page, 1), cappedSize(q.PerPage)
	return nil
}

// Validate checks a CursorQuery as [PageRequest.Validate] does.
func (q *CursorQuery) Validate() error {
	q.Limit = cappedSize(q.Limit)
	return nil
}

// cappedSize returns the page size that a client gets for n.
func cappedSize(n int) int { return min(orDefaultSize(n), maxPageSize) }

// orDefaultSize returns n, or the default for an n below 1. It does not cap:
// an application may build a PageRequest itself, with any size it wants.
func orDefaultSize(n int) int {
	if n < 1 {
		return defaultPageSize
	}
	return n
}

// PageRequest returns q as a [PageRequest], for [NewPage] and
// [PageRequest.Offset].
func (q PageQuery) PageRequest() PageRequest { return PageRequest{Page: q.Page, PerPage: q.PerPage} }

// PageRequest returns q as a [PageRequest], for [PageRequest.Size] and code
// that takes both kinds of request.
func (q CursorQuery) PageRequest() PageRequest { return PageRequest{Cursor: q.Cursor, Limit: q.Limit} }

// pageBinding binds a PageRequest as any service would, for ParsePage. It is never
// written after the program has started.
var pageBinding = compilePageBinding()

// compilePageBinding compiles pageBinding. It panics if the tags of
// PageRequest are wrong, which no user of the package can cause.
func compilePageBinding() *binding {
	p := new(mistakes)
	c := newShapes(p)
	s := c.shapeFor(reflect.TypeFor[PageRequest](), "PageRequest")
	c.finishShapes()
	b := compileBinding(newDecoders(p, false), s, bindSpec{})
	if len(p.list) > 0 {
		panic(p.list[0])
	}
	return b
}

// ParsePage reads page, per_page, limit and cursor from the query parameters
// q, for handlers that do not belong to a service. Defaults, limits and errors
// are those of a [PageRequest] in an input. Other parameters are ignored.
//
// A number that is below 1, not an integer, empty, or given twice gives an
// *Error with code INVALID_ARGUMENT that carries a [Violation] for each
// parameter that is not acceptable.
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

// Offset returns the number of items before the page: (Page-1)*PerPage, where a
// Page below 1 counts as 1 and a PerPage below 1 as 20. It returns math.MaxInt
// if an int cannot hold the product, so a page far beyond the end is empty
// and the result is never negative.
func (p PageRequest) Offset() int {
	before, size := max(p.Page, 1)-1, orDefaultSize(p.PerPage)
	if before > math.MaxInt/size {
		return math.MaxInt
	}
	return before * size
}

// IsCursor reports whether p has a cursor. The first request for a feed has
// none; a list that only has cursors embeds [CursorQuery] and need not ask.
func (p PageRequest) IsCursor() bool { return p.Cursor != "" }

// Size returns how many items the page may have: Limit if IsCursor reports
// true, else PerPage. A size below 1 counts as 20.
func (p PageRequest) Size() int {
	if p.IsCursor() {
		return orDefaultSize(p.Limit)
	}
	return orDefaultSize(p.PerPage)
}

// PageResponse is an output that carries one numbered page of a list. The zero
// value is a page without items. Services write a nil Data as [] on every
// transport, as they do for every list. encoding/json writes it as null; code
// that marshals a PageResponse itself makes it by [NewPage], whose Data is
// never nil.
type PageResponse[T any] struct {
	Data       []T `json:"data"`        // the items of this page
	Page       int `json:"page"`        // the number of this page, from 1
	PerPage    int `json:"per_page"`    // the number of items on a full page
	Total      int `json:"total"`       // the number of items on all pages
	TotalPages int `json:"total_pages"` // Total/PerPage, rounded up; 0 if Total is 0
}

// NewPage returns the page that req selects. data holds the items of that page
// and is not copied; total is the number of items on all pages, where a
// negative total counts as 0. Data is never nil.
//
// Page numbers count from the beginning of the list on every request. If an
// item is inserted before a reader's place, the reader gets one item twice. If
// one is deleted there, the reader misses one. Use cursors for lists that
// change while they are read.
func NewPage[T any](data []T, req PageRequest, total int) *PageResponse[T] {
	size := orDefaultSize(req.PerPage)
	total = max(total, 0)
	pages := total / size
	if total%size > 0 {
		pages++
	}
	return &PageResponse[T]{nonNil(data), max(req.Page, 1), size, total, pages}
}

// Links returns the value of a Link header (RFC 8288, section 3) with the
// relations first, prev, next and last, as far as those pages exist. u is the
// URL of this page. The links keep its other query parameters and drop user,
// password and fragment. Links returns "" if TotalPages is below 1, and also if
// the value would have more than 2 KiB. Each link repeats the parameters, which
// the client chooses, and proxies answer 502 to a response whose header is larger
// than a few KiB, and some then take the server for broken.
//
// A method adds the header through its context:
//
//	if info, ok := svc.InfoFrom(ctx); ok && info.Request != nil {
//		info.Header.Add("Link", page.Links(info.Request.URL))
//	}
func (p *PageResponse[T]) Links(u *url.URL) string {
	if p.TotalPages < 1 || len(u.RawQuery) > maxLinks {
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
	value := strings.Join(links, ", ")
	if len(value) > maxLinks {
		return ""
	}
	return value
}

// maxLinks is the longest value of a Link header that Links returns, in bytes.
const maxLinks = 2 << 10

// CursorResponse is an output that carries one part of a list and the cursor
// of the next part. The zero value is the end of a list, without items. For a
// nil Data the same holds as in a [PageResponse]: services write [], and
// [NewCursorPage] never leaves it nil.
type CursorResponse[T any] struct {
	Data       []T    `json:"data"`                  // the items of this part
	NextCursor string `json:"next_cursor,omitempty"` // leads to the items after these; empty at the end
	PrevCursor string `json:"prev_cursor,omitempty"` // leads to the items before these; set by applications that can go back
	HasMore    bool   `json:"has_more"`              // there may be items after these
}

// NewCursorPage returns a part of a list with at most limit items of data. If data
// has at least limit items, HasMore is true and NextCursor is the result of cursor
// for the last item of the part; further items are left for the next part. A list
// that ends with a full part therefore has an empty part after it. A limit below 1
// means that data is the end of the list. data is not copied, and Data is never
// nil.
//
// Readers neither skip nor repeat items while others insert and delete, if the
// list is sorted by a key that no two items share and the method reads the
// items after the key in the cursor. See [EncodeCursor].
func NewCursorPage[T any](data []T, limit int, cursor func(last T) string) *CursorResponse[T] {
	page := &CursorResponse[T]{Data: nonNil(data)}
	if limit < 1 || len(data) < limit {
		return page
	}
	page.Data, page.HasMore = page.Data[:limit:limit], true
	page.NextCursor = cursor(page.Data[limit-1])
	return page
}

// nonNil returns data, or an empty slice for nil, which encoding/json would
// write as null.
func nonNil[T any](data []T) []T {
	if data == nil {
		return []T{}
	}
	return data
}
