package svc

// This file implements pagination: PageRequest, PageQuery and CursorQuery, inputs that select a
// part of a list; and PageResponse and CursorResponse, outputs with such a part. cursor.go
// implements cursors.
//
// The inputs are ordinary structs with ordinary tags, so no transport knows about pagination. Only
// the rule for large sizes is in the Validate methods: a size above 100 counts as 100, whereas a
// maximum tag would reject it.

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes are in items. The tags below repeat both, since a tag cannot refer to a constant.
const (
	defaultPageSize = 20
	maxPageSize     = 100
)

// PageRequest is an input that selects one page of a list, by page number or by cursor. Embed it in
// an input that supports both. Most support only one: embed [PageQuery] or [CursorQuery] there.
//
// Over REST the fields are query parameters, for every HTTP method. Page counts from 1. PerPage and
// Limit are in items; the default is 20, and more than 100 counts as 100. The zero value selects
// the first page. A number below 1 fails with INVALID_ARGUMENT.
type PageRequest struct {
	Page    int    `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int    `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"Items after a cursor; more than 100 counts as 100."`
	Cursor  string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer."`
}

// PageQuery is the half of a [PageRequest] that selects a page by its number, with the same
// defaults, limits and errors.
type PageQuery struct {
	Page    int `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
}

// CursorQuery is the half of a [PageRequest] that selects the items after a cursor, with the same
// defaults, limits and errors. An empty Cursor selects the beginning of the list.
type CursorQuery struct {
	Cursor string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer; empty for the beginning."`
	Limit  int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"How many items; more than 100 counts as 100."`
}

// Validate replaces numbers below 1 by their defaults, because zero means absent in a
// [Service.Call], and sizes above 100 by 100. It always returns nil. The service calls it for every
// input.
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

// PageRequest returns q as a [PageRequest], for [NewPage] and [PageRequest.Offset].
func (q PageQuery) PageRequest() PageRequest { return PageRequest{Page: q.Page, PerPage: q.PerPage} }

// ParsePage reads page, per_page, limit and cursor from the query parameters q, as a service reads
// a [PageRequest] in an input. It is for handlers that do not belong to a service. It returns an
// [*Error] with code INVALID_ARGUMENT and a [Violation] for each number that is below 1, not an
// integer, empty, or given twice.
func ParsePage(q url.Values) (PageRequest, error) {
	p := PageRequest{Page: 1, PerPage: defaultPageSize, Limit: defaultPageSize}
	var vs violations
	for _, param := range []struct {
		name   string
		number *int // nil for the cursor
	}{{"cursor", nil}, {"limit", &p.Limit}, {"page", &p.Page}, {"per_page", &p.PerPage}} {
		rule, message := "", ""
		switch values := q[param.name]; {
		case len(values) == 0:
		case len(values) > 1:
			rule, message = ruleDuplicate, errRepeated.message
		case !utf8.ValidString(values[0]):
			rule, message = ruleType, "must be valid UTF-8"
		case param.number == nil:
			p.Cursor = values[0]
		default:
			n, err := strconv.Atoi(values[0])
			switch {
			case !isPlainInteger([]byte(values[0])):
				rule, message = ruleType, "must be an integer"
			case err != nil:
				rule, message = ruleRange, fmt.Sprintf("must be an integer between %d and %d", math.MinInt, math.MaxInt)
			case n < 1:
				rule, message = "minimum", "must be at least 1"
			default:
				*param.number = n
			}
		}
		if rule != "" {
			vs.addViolation(Violation{In: inQuery, Path: "/" + param.name, Rule: rule, Message: message})
		}
	}
	if len(vs.list) > 0 {
		return PageRequest{}, vs.err()
	}
	p.Validate() // caps the sizes, and returns nil
	return p, nil
}

// Offset returns the number of items before the page: (Page-1)*PerPage, or math.MaxInt if that
// overflows. A Page below 1 counts as 1, a PerPage below 1 as 20.
func (p PageRequest) Offset() int {
	before, size := max(p.Page, 1)-1, orDefaultSize(p.PerPage)
	if before > math.MaxInt/size {
		return math.MaxInt
	}
	return before * size
}

// IsCursor reports whether p has a cursor. The first request of a feed does not.
func (p PageRequest) IsCursor() bool { return p.Cursor != "" }

// Size returns the largest number of items on the page: Limit if p has a cursor, and
// PerPage otherwise. A size below 1 counts as 20.
func (p PageRequest) Size() int {
	if p.IsCursor() {
		return orDefaultSize(p.Limit)
	}
	return orDefaultSize(p.PerPage)
}

// PageResponse is an output that carries one numbered page of a list. The zero value is a page
// without items. Services write a nil Data as [].
type PageResponse[T any] struct {
	Data       []T `json:"data"`        // the items of this page
	Page       int `json:"page"`        // the number of this page, from 1
	PerPage    int `json:"per_page"`    // the number of items on a full page
	Total      int `json:"total"`       // the number of items on all pages
	TotalPages int `json:"total_pages"` // Total/PerPage, rounded up; 0 if Total is 0
}

// isPage marks the types whose items are in Data, and types that embed them.
func (*PageResponse[T]) isPage() {}

// NewPage returns the page that req selects. data holds the items of this page and is not copied.
// total is the number of items on all pages; a negative total counts as 0. Data is never nil. A
// page beyond the last keeps its number. Use cursors for lists that change while clients read them;
// doc/lists.md says why.
func NewPage[T any](data []T, req PageRequest, total int) *PageResponse[T] {
	size := orDefaultSize(req.PerPage)
	total = max(total, 0)
	pages := total/size + min(total%size, 1) // rounded up
	return &PageResponse[T]{nonNil(data), max(req.Page, 1), size, total, pages}
}

// Links returns the value of a Link header (RFC 8288, section 3) with the relations first,
// prev, next and last, if those pages exist. u is the URL of this page. The links keep its
// other query parameters and drop user, password and fragment. If u has no host, as the URL of a
// request, the links are the query alone, such as <?page=2&per_page=10>: that is right for whoever
// resolves it, also behind http.StripPrefix and proxies that change the path. For clients that
// resolve nothing give it the public address; doc/lists.md shows both. Links returns "" if TotalPages
// is below 1, or if the value would be longer than 2 KiB.
func (p *PageResponse[T]) Links(u *url.URL) string {
	if p.TotalPages < 1 || len(u.RawQuery) > maxLinks {
		return ""
	}
	query := u.Query()
	query.Set("per_page", strconv.Itoa(p.PerPage))
	target := url.URL{}
	if u.Host != "" {
		target = url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
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

// maxLinks is the longest value that Links returns, in bytes. Each link repeats the
// parameters, which the client chooses, and many proxies answer 502 if the header of a
// response is larger than a few KiB.
const maxLinks = 2 << 10

// CursorResponse is an output that carries one part of a list and the cursor of the next part.
// The zero value is the end of a list, without items. Services write a nil Data as [].
type CursorResponse[T any] struct {
	Data       []T    `json:"data"`                  // the items of this part
	NextCursor string `json:"next_cursor,omitempty"` // the cursor for the items after these; empty at the end
	PrevCursor string `json:"prev_cursor,omitempty"` // the cursor for the items before these; for the application to set
	HasMore    bool   `json:"has_more"`              // there may be items after these
}

func (*CursorResponse[T]) isPage() {}

// NewCursorPage returns a part of a list with at most limit items of data. If data has at least
// limit items, HasMore is true and NextCursor is what cursor returns for the last item of the part,
// usually by [EncodeCursor]. A limit below 1 means that data is the end of the list. data is not
// copied, and Data is never nil. doc/lists.md has an example.
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
