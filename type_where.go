package svc

// This file has one table of the parts of a REST request that the fields of an input come from, and
// the ways in which a value is written there. Which part a field has is decided in bind.go.

import (
	"net/textproto"
	"slices"
)

// A where is a part of a REST request.
type where uint8

const (
	wherePath where = iota
	whereQuery
	whereHeader
	whereCookie
	whereForm // no tag names this one and the next, but see bodyTag
	whereBody // JSON, or the bytes of a Body
)

// bodyTag is the tag of a field that comes from the JSON body. With wholeBody the field is the body.
// With its own JSON name it is a member of the body where a method would read the query: in a DELETE.
// Elsewhere such a member needs no tag, so that one type can serve both routes.
const (
	bodyTag   = "body"
	wholeBody = "*"
)

// tagCount is how many parts have a tag, which binds a field to them.
const tagCount = int(whereForm)

// A whereRow describes a part of a request.
//
// Invariants:
//
//	name is also the tag, for the first of them
//	in is Violation.In: for a client a form is a body
//	onWire says that a field from there is a member over JSON-RPC and MCP too, even with
//	  json:"-"; a header and a cookie exist over REST alone
//	options says that the tag can have omitempty and omitzero
//	param is what messages call one value of it
//	lists says that a slice can come from there, each of whose items is a text; else a scalar
//	carrier is the header that has all values of it, if there is one
//	ofBrowser says that a browser adds it to the requests of a page, which cannot set it
//	instead ends the message about a type that cannot come from there
type whereRow struct {
	name    string
	in      string
	onWire  bool
	options bool
	param   string
	lists   bool
	instead string

	carrier   string
	ofBrowser bool
}

// wheres has the row of each where. REST reads the parts in this order, which is also that of
// violations and of the parameters in documents.
var wheres = []whereRow{
	wherePath: {name: "path", in: inPath, onWire: true, param: "placeholder"},
	whereQuery: {name: "query", in: inQuery, onWire: true, options: true, param: "query parameter", lists: true,
		instead: "use POST, PUT or PATCH, whose fields come from the body, or hide it with `json:\"-\"`"},
	whereHeader: {name: "header", in: inHeader, options: true, param: "header"},
	whereCookie: {name: "cookie", in: inCookie, options: true, param: "cookie", carrier: "Cookie", ofBrowser: true},
	whereForm: {name: "form", in: inBody, onWire: true, param: "part", lists: true,
		instead: "drop MethodOptions.Form, so that the body is JSON, or hide the field with `json:\"-\"`"},
	whereBody: {name: "body", in: inBody, onWire: true},
}

// String returns the name of w in messages and in documents.
func (w where) String() string { return wheres[w].name }

// whereTags returns the tags that bind a field to a part of a request.
func whereTags() (tags []string) {
	for _, row := range wheres[:tagCount] {
		tags = append(tags, row.name)
	}
	return append(tags, bodyTag)
}

// canonical returns a name in the form in which two names are compared: the case of headers does not
// count (RFC 9110, section 5.1).
func (w where) canonical(name string) string {
	if w == whereHeader {
		return textproto.CanonicalMIMEHeaderKey(name)
	}
	return name
}

// orderOf returns the place in wheres of a Violation.In, or -1 for any other text. Transports that
// take all fields from one object find violations in the order of its members; sorted by orderOf,
// they are in the same order on every transport.
func orderOf(in string) int {
	return slices.IndexFunc(wheres, func(row whereRow) bool { return row.in == in })
}

// A style says how a value is written in its part of a request.
type style uint8

const (
	styleJSON  style = iota // as JSON, such as a member of a JSON body
	stylePlain              // as a text without quotes, or one for each item of a list
	styleWhole              // as the whole JSON body
	styleBytes              // as bytes: the content of a Body
)
