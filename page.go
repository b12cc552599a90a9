package svc

// This file has pagination: inputs that select a part of a list, and outputs that
// carry it. cursor.go encodes cursors.
//
// The inputs are ordinary structs with ordinary tags, so no transport knows about
// pagination. One rule is special: a size above 100 is not an error. It is in the
// Validate methods, because a maximum tag would reject such a size.

import (
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// Sizes are in items. The tags below repeat both, since a tag cannot refer to a constant.
const (
	defaultPageSize = 20
	maxPageSize     = 100
)

// PageRequest is an input that selects one page of a list, by page number or by
// cursor. Embed it in an input that supports both. Most lists support only one: embed
// [PageQuery] or [CursorQuery] instead.
//
// Over REST the fields are query parameters, for every HTTP method. Over JSON-RPC
// and MCP they are members of the params object. Page counts from 1. PerPage and
// Limit are in items; the default is 20. The zero value selects the first page. A number
// below 1 is INVALID_ARGUMENT. On every transport, a size above 100 counts as 100.
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
// cursor. The same defaults, limits and errors apply: a method finds a Limit from 1 to
// 100, for [NewCursorPage]. An empty Cursor selects the beginning of the list.
type CursorQuery struct {
	Cursor string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer; empty for the beginning."`
	Limit  int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"How many items; more than 100 counts as 100."`
}

// Validate replaces numbers below 1 by their defaults and sizes above 100 by 100. It
// always returns nil. The service calls it for every input. The minimum tags have
// already rejected such numbers from clients, so the defaults are for [Service.Call],
// where zero means absent.
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

// cappedSize returns the page size for a client that asks for n.
func cappedSize(n int) int { return min(orDefaultSize(n), maxPageSize) }

// orDefaultSize returns n, or the default if n is below 1. It has no upper limit: an
// application may build a PageRequest of any size itself.
func orDefaultSize(n int) int {
	if n < 1 {
		return defaultPageSize
	}
	return n
}

// PageRequest returns q as a [PageRequest], for [NewPage] and
// [PageRequest.Offset].
func (q PageQuery) PageRequest() PageRequest { return PageRequest{Page: q.Page, PerPage: q.PerPage} }

// pageBinding binds a PageRequest for ParsePage, as any service does. It never changes.
var pageBinding = compileQuery(reflect.TypeFor[PageRequest]())

// ParsePage reads page, per_page, limit and cursor from the query parameters q. It is
// for handlers that do not belong to a service. Defaults, limits and errors are those
// of a [PageRequest] in an input. Other parameters are ignored.
//
// If a number is below 1, not an integer, empty, or given twice, ParsePage returns an
// *Error with code INVALID_ARGUMENT and a [Violation] for each invalid parameter.
func ParsePage(q url.Values) (PageRequest, error) {
	in, err := pageBinding.parseQuery(q.Encode())
	if err != nil {
		return PageRequest{}, err
	}
	return *in.(*PageRequest), nil
}

// Offset returns the number of items before the page: (Page-1)*PerPage. A Page below 1
// counts as 1, a PerPage below 1 as 20. If the product overflows, Offset returns
// math.MaxInt, so it is never negative and such a page is empty.
func (p PageRequest) Offset() int {
	before, size := max(p.Page, 1)-1, orDefaultSize(p.PerPage)
	if before > math.MaxInt/size {
		return math.MaxInt
	}
	return before * size
}

// IsCursor reports whether p has a cursor. The first request for a feed has none. Lists
// that use only cursors do not need it: they embed [CursorQuery].
func (p PageRequest) IsCursor() bool { return p.Cursor != "" }

// Size returns the largest number of items on the page: Limit if p has a cursor, and
// PerPage otherwise. A size below 1 counts as 20.
func (p PageRequest) Size() int {
	if p.IsCursor() {
		return orDefaultSize(p.Limit)
	}
	return orDefaultSize(p.PerPage)
}

// PageResponse is an output that carries one numbered page of a list. The zero value is
// a page without items. Services write a nil Data as [], like every nil slice, but
// encoding/json writes it as null. [NewPage] never leaves Data nil.
type PageResponse[T any] struct {
	Data       []T `json:"data"`        // the items of this page
	Page       int `json:"page"`        // the number of this page, from 1
	PerPage    int `json:"per_page"`    // the number of items on a full page
	Total      int `json:"total"`       // the number of items on all pages
	TotalPages int `json:"total_pages"` // Total/PerPage, rounded up; 0 if Total is 0
}

// isPage says that the items are in Data. Types that embed a page have it too.
func (*PageResponse[T]) isPage() {}

// NewPage returns the page that req selects. data holds the items of that page and is
// not copied. total is the number of items on all pages; a negative total counts as 0.
// Data is never nil. Use cursors for lists that change while clients read them: with
// page numbers, a client gets an item twice if another is inserted before it between two
// requests, and misses one if another is deleted.
func NewPage[T any](data []T, req PageRequest, total int) *PageResponse[T] {
	size := orDefaultSize(req.PerPage)
	total = max(total, 0)
	pages := total/size + min(total%size, 1) // rounded up
	return &PageResponse[T]{nonNil(data), max(req.Page, 1), size, total, pages}
}

// Links returns the value of a Link header (RFC 8288, section 3) with the relations
// first, prev, next and last, if those pages exist. u is the URL of this page. The
// links keep its other query parameters and drop user, password and fragment.
//
// Links returns "" if TotalPages is below 1, or if the value would be longer than 2
// KiB. The client chooses the parameters, which each link repeats, and many proxies
// answer 502 if the header of a response is larger than a few KiB.
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
		target.Path, target.RawPath = "/."+target.Path, "" // otherwise // begins a host (RFC 3986, section 4.2)
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

// maxLinks is the longest value that Links returns, in bytes.
const maxLinks = 2 << 10

// CursorResponse is an output that carries one part of a list and the cursor of the
// next part. The zero value is the end of a list, without items. Services write a nil
// Data as []; [NewCursorPage] never leaves it nil.
type CursorResponse[T any] struct {
	Data       []T    `json:"data"`                  // the items of this part
	NextCursor string `json:"next_cursor,omitempty"` // the cursor for the items after these; empty at the end
	PrevCursor string `json:"prev_cursor,omitempty"` // the cursor for the items before these; for the application to set
	HasMore    bool   `json:"has_more"`              // there may be items after these
}

func (*CursorResponse[T]) isPage() {}

// NewCursorPage returns a part of a list with at most limit items of data. If data has
// at least limit items, HasMore is true and NextCursor is the result of cursor for the
// last item of the part, which [EncodeCursor] makes of the key of the item:
//
//	page := svc.NewCursorPage(todos, in.Limit, func(last Todo) (cursor string) {
//		cursor, err = svc.EncodeCursor(last.ID)
//		return cursor
//	})
//	return page, err
//
// So a list that ends with a full part has an empty part after it. A limit below 1 means
// that data is the end of the list. data is not copied, and Data is never nil. Clients
// neither skip nor repeat items while others insert and delete, if the list is sorted by
// a unique key and the method reads the items after the key in the cursor.
func NewCursorPage[T any](data []T, limit int, cursor func(last T) string) *CursorResponse[T] {
	page := &CursorResponse[T]{Data: nonNil(data)}
	if limit < 1 || len(data) < limit {
		return page
	}
	page.Data, page.HasMore = page.Data[:limit:limit], true
	page.NextCursor = cursor(page.Data[limit-1])
	return page
}

// nonNil returns data, or an empty slice for nil, which encoding/json writes as null.
func nonNil[T any](data []T) []T {
	if data == nil {
		return []T{}
	}
	return data
}
