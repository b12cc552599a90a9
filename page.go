package svc

// This file has pagination. In this order:
//
//   - PageRequest, PageQuery and CursorQuery, inputs that select a part of a list
//   - PageResponse and CursorResponse, outputs with such a part
//   - cursors, and CursorKey, which seals them
//
// A cursor holds the cursor key of the last item that a client has seen: a value by which
// the list is sorted, such as an ID, so that any replica can continue after the item.
//
// The inputs are ordinary structs with ordinary tags, so no transport knows about
// pagination. Only the rule for large sizes is not a tag: a size above 100 counts as 100,
// where a maximum tag would reject it. It is in the Validate methods.
//
// Cursors come from clients, so reading them is strict: one spelling for each cursor,
// valid UTF-8, I-JSON. All cursors that are not accepted get the same error.

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Sizes are in items. The tags below repeat both, since a tag cannot refer to a constant.
const (
	defaultPageSize = 20
	maxPageSize     = 100
)

// PageRequest is an input that selects one page of a list, by page number or by cursor. Embed
// it in an input that supports both; most support one, and embed [PageQuery] or [CursorQuery].
//
// Over REST the fields are query parameters, for every HTTP method. Page counts from 1. PerPage
// and Limit are in items; the default is 20, and more than 100 counts as 100. The zero value
// selects the first page. A number below 1 is INVALID_ARGUMENT.
type PageRequest struct {
	Page    int    `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int    `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"Items after a cursor; more than 100 counts as 100."`
	Cursor  string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer."`
}

// PageQuery is the part of a [PageRequest] that selects a page by its number, with the same
// defaults, limits and errors.
type PageQuery struct {
	Page    int `json:"page,omitempty" query:"page" minimum:"1" default:"1" doc:"The number of the page, from 1."`
	PerPage int `json:"per_page,omitempty" query:"per_page" minimum:"1" default:"20" doc:"Items on a page; more than 100 counts as 100."`
}

// CursorQuery is the part of a [PageRequest] that selects the items after a cursor, with the
// same defaults, limits and errors. An empty Cursor selects the beginning of the list.
type CursorQuery struct {
	Cursor string `json:"cursor,omitempty" query:"cursor" doc:"The next_cursor of an earlier answer; empty for the beginning."`
	Limit  int    `json:"limit,omitempty" query:"limit" minimum:"1" default:"20" doc:"How many items; more than 100 counts as 100."`
}

// Validate replaces numbers below 1 by their defaults, since zero means absent in a
// [Service.Call], and sizes above 100 by 100. It always returns nil. The service calls it for
// every input.
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

// pageBinding reads a PageRequest for ParsePage, by the plan that a service would have. It
// never changes.
var pageBinding = compileQuery(reflect.TypeFor[PageRequest]())

// ParsePage reads page, per_page, limit and cursor from the query parameters q, for handlers
// that do not belong to a service, as a [PageRequest] in an input is read. It returns an
// [*Error] with code INVALID_ARGUMENT and a [Violation] for each number that is below 1, not an
// integer, empty, or given twice.
func ParsePage(q url.Values) (PageRequest, error) {
	in, err := pageBinding.parseQuery(q.Encode())
	if err != nil {
		return PageRequest{}, err
	}
	return *in.(*PageRequest), nil
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

// IsCursor reports whether p has a cursor. The first request for a feed has none.
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

// isPage marks the types whose items are in Data. Types that embed a page have it too.
func (*PageResponse[T]) isPage() {}

// NewPage returns the page that req selects. data holds the items of that page and is not
// copied. total is the number of items on all pages; a negative total counts as 0. Data is
// never nil. A page beyond the last one keeps its number. Use cursors for lists that change
// while clients read them; doc/lists.md says why.
func NewPage[T any](data []T, req PageRequest, total int) *PageResponse[T] {
	size := orDefaultSize(req.PerPage)
	total = max(total, 0)
	pages := total/size + min(total%size, 1) // rounded up
	return &PageResponse[T]{nonNil(data), max(req.Page, 1), size, total, pages}
}

// Links returns the value of a Link header (RFC 8288, section 3) with the relations first,
// prev, next and last, if those pages exist. u is the URL of this page. The links keep its
// other query parameters and drop user, password and fragment. doc/lists.md shows how a method
// adds the header. Links returns "" if TotalPages is below 1, or if the value would be longer
// than 2 KiB.
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
// limit items, HasMore is true and NextCursor is the result of cursor for the last item of the
// part, usually by [EncodeCursor]. A limit below 1 means that data is the end of the list. data
// is not copied, and Data is never nil. doc/lists.md has an example.
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

// EncodeCursor returns a cursor that holds key, the value by which the list is sorted, in
// base64url without padding (RFC 4648, section 5). doc/lists.md says how values are stored. The
// cursor of the empty string is empty. Clients can read and forge cursors; see [CursorKey].
//
// EncodeCursor returns an error, which is not an [*Error], for a nil key, for a text that is
// not valid UTF-8, and for a value that encoding/json cannot encode.
func EncodeCursor(key any) (string, error) {
	payload, err := cursorPayload(key)
	return base64.RawURLEncoding.EncodeToString(payload), err
}

// DecodeCursor decodes a cursor that [EncodeCursor] returned. key is a pointer to a value of
// the type that was encoded. The client may have forged the cursor: check its values like any
// input.
//
// A cursor that does not decode, or does not fit the type, is an [*Error] with code
// INVALID_ARGUMENT and one [Violation], at the query parameter "cursor". If key is nil or not a
// pointer, the error is not an *Error. After an error the value is unchanged.
func DecodeCursor(cursor string, key any) error {
	payload, err := decodeBase64(cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// TimeCursor is a value for cursors of lists that are sorted by time and then by ID, which
// tells items of the same time apart. Its JSON is {"id":"…","at":"…"}, with At in nanoseconds
// (RFC 3339, section 5.6). The zero value is valid.
type TimeCursor struct {
	ID string    `json:"id"` // of the last item of the page
	At time.Time `json:"at"` // of the last item of the page; compare it with Equal
}

// CursorKey seals cursors: clients can read a sealed cursor, but cannot change or forge it. The
// zero CursorKey has no secret: Encode returns an error and Decode accepts no cursor. A
// CursorKey is safe for concurrent use.
type CursorKey struct {
	secrets [][]byte // the first one seals; never written after NewCursorKey
}

// minCursorKey is the smallest number of bytes in a secret: 128 bits cannot be guessed.
const minCursorKey = 16

// NewCursorKey returns a CursorKey that seals with the first of secrets and accepts cursors
// sealed with any of them. A secret should be at least 32 random bytes, the length of the hash
// (RFC 2104, section 3), and the same on every replica. The secrets are copied. doc/lists.md
// says how to replace one.
//
// NewCursorKey panics if there are no secrets, or if one is shorter than 16 bytes.
func NewCursorKey(secrets ...[]byte) *CursorKey {
	if len(secrets) == 0 {
		panic("svc: NewCursorKey: at least one key is needed")
	}
	k := &CursorKey{secrets: make([][]byte, len(secrets))}
	for i, secret := range secrets {
		if len(secret) < minCursorKey {
			panic(fmt.Sprintf("svc: NewCursorKey: key %d has %d bytes; a key needs at least %d, and should have 32 random ones", i+1, len(secret), minCursorKey))
		}
		k.secrets[i] = slices.Clone(secret)
	}
	return k
}

// Encode returns a cursor like [EncodeCursor], with a seal in front: 32 bytes of HMAC-SHA-256
// (RFC 2104). It returns an error if EncodeCursor does, or if k has no secret.
func (k *CursorKey) Encode(key any) (string, error) {
	if len(k.secrets) == 0 {
		return "", errors.New("svc: the CursorKey has no key; make it with NewCursorKey")
	}
	payload, err := cursorPayload(key)
	if err != nil {
		return "", err
	}
	return k.seal(cursorLabel, payload), nil
}

// Decode is [DecodeCursor] for a cursor that [CursorKey.Encode] returned. A cursor that was
// changed, cut off, or sealed with an unknown secret counts as one that does not decode.
// Nothing is parsed before a seal matches.
func (k *CursorKey) Decode(cursor string, key any) error {
	payload, err := k.open(cursorLabel, cursor)
	if err != nil {
		return cursorError(err)
	}
	return setCursorKey(payload, key)
}

// cursorLabel is the label of cursors. A seal is computed over a label and a payload, so that
// a text sealed for one use, or signed by the application with the same secret, is not
// accepted for another.
const cursorLabel = "svc cursor\x00"

// seal returns the seal of a payload and the payload, in base64url. k must have a secret.
func (k *CursorKey) seal(label string, payload []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(sealOf(k.secrets[0], label, payload), payload...))
}

// open returns the payload of a text that seal has returned for the same label.
func (k *CursorKey) open(label, text string) ([]byte, error) {
	sealed, err := decodeBase64(text)
	if err == nil && len(sealed) < sha256.Size {
		err = errors.New("it is shorter than a seal")
	}
	if err != nil {
		return nil, err
	}
	seal, payload := sealed[:sha256.Size], sealed[sha256.Size:]
	for _, secret := range k.secrets {
		if hmac.Equal(seal, sealOf(secret, label, payload)) {
			return payload, nil
		}
	}
	return nil, errors.New("it was not sealed with any of the keys")
}

// sealOf returns the seal of a payload. No label is the beginning of another label, so two
// uses never sign the same text.
func sealOf(secret []byte, label string, payload []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(label))
	mac.Write(payload)
	return mac.Sum(nil)
}

// cursorError returns the error for a cursor that is not accepted. The cause is only
// logged, since it would help clients that forge cursors.
func cursorError(cause error) error {
	var vs violations
	vs.addViolation(Violation{In: "query", Path: "/cursor", Rule: ruleType, Message: "must be a cursor from an earlier answer of this list"})
	return ErrorFrom(vs.err()).WithCause(cause)
}

// decodeBase64 decodes base64url without padding. It accepts one spelling of each
// payload: no line ends, which package base64 ignores, and no stray bits at the end.
func decodeBase64(cursor string) ([]byte, error) {
	if strings.ContainsAny(cursor, "\r\n") {
		return nil, errors.New("a line break in base64")
	}
	return base64.RawURLEncoding.Strict().DecodeString(cursor)
}

// isTextType reports whether *t has both MarshalText and UnmarshalText. A cursor that is
// written by one of them can be read only by the other.
func isTextType(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// cursorPayload returns the text or the JSON of a cursor key: "a" => a, 7 => 7, a TimeCursor
// => {"id":"…","at":"…"}.
func cursorPayload(key any) (payload []byte, err error) {
	v := reflect.ValueOf(key)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return nil, errors.New("svc: the key of a cursor must not be nil")
	case isTextType(v.Type()):
		p := reflect.New(v.Type()) // the methods may want a pointer
		p.Elem().Set(v)
		payload, err = p.Interface().(encoding.TextMarshaler).MarshalText()
	case v.Kind() == reflect.String:
		payload = []byte(v.String())
	default:
		payload, err = json.Marshal(v.Interface())
		if string(payload) == "null" {
			err = errNullKey
		}
	}
	if err == nil && !utf8.Valid(payload) {
		err = errTextKey
	}
	if err != nil {
		return nil, fmt.Errorf("svc: a cursor of type %v: %w", v.Type(), err)
	}
	return payload, nil
}

// setCursorKey decodes payload into the value that key points to. It decodes into a new
// value first, so that an error leaves the old one unchanged. EncodeCursor has followed
// pointers, so if the value is a pointer itself, it gets a new value to point to.
func setCursorKey(payload []byte, key any) (err error) {
	p := reflect.ValueOf(key)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("svc: the key to decode a cursor into must be a pointer, not %T", key)
	}
	fresh := reflect.New(p.Type().Elem()).Elem()
	target := fresh
	for target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	switch {
	case !utf8.Valid(payload):
		err = errTextKey
	case isTextType(target.Type()):
		err = target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(payload)
	case target.Kind() == reflect.String:
		target.SetString(string(payload))
	default:
		err = unmarshalCursor(payload, target.Addr().Interface())
	}
	if err != nil {
		return cursorError(err)
	}
	p.Elem().Set(fresh)
	return nil
}

// unmarshalCursor calls json.Unmarshal after the scanner has rejected duplicate names
// and lone surrogates (RFC 7493). It rejects null, which json.Unmarshal would accept
// for any type.
func unmarshalCursor(payload []byte, key any) error {
	s := scanner{data: payload}
	text := s.skipValue()
	s.checkEnd()
	switch {
	case s.err != nil:
		return s.err
	case string(text) == "null":
		return errNullKey
	}
	return json.Unmarshal(payload, key)
}

// The errors of cursor keys that could be written but not read back. Clients do not see them.
var (
	errNullKey = errors.New("the JSON of the key is null")
	errTextKey = errors.New("the text of the key is not UTF-8")
)
