package svc

// This file has what HTTP says of the values of some headers of requests: entity tags and dates.

import (
	"net/http"
	"reflect"
	"strings"
	"time"
)

// applyHTTP lets the headers of a route be read as HTTP defines them:
//
//	a time                           an HTTP-date or RFC 3339; see parseHeaderTime
//	a string from If-Match or
//	If-None-Match, of a write        * or entity tags, since a tag without its quotation marks matches
//	                                 nothing, and the method would find that the record has changed
//
// A read ignores such an If-None-Match: many clients send it, and the whole answer is right.
func (rest *restPlan) applyHTTP(r route) {
	for i := range rest.params[whereHeader] {
		p := &rest.params[whereHeader][i]
		switch {
		case p.value == nil:
		case p.value.kind == kindTime:
			p.set = headerSetter(p.set, errNotHeaderTime, func(text string) (string, bool) {
				t, ok := parseHeaderTime(text)
				return t.Format(time.RFC3339Nano), ok
			})
		case p.value.kind == kindString && !r.isRead() && (p.canonical == "If-Match" || p.canonical == "If-None-Match"):
			p.set = headerSetter(p.set, errNotTag, func(text string) (string, bool) { return text, isTagList(text) })
		}
	}
}

// headerSetter returns a setter that reads the text of a header before set does, and refuses with c
// what read refuses.
func headerSetter(set setter, c *complaint, read func(text string) (string, bool)) setter {
	return func(d *decoder, v reflect.Value, text []byte) *complaint {
		value, ok := read(string(text))
		if !ok {
			return c
		}
		return set(d, v, []byte(value))
	}
}

// parseHeaderTime reads one of the three forms of an HTTP-date (RFC 9110, section 5.6.7), or RFC 3339.
func parseHeaderTime(text string) (time.Time, bool) {
	if t, ok := parseTime(text); ok {
		return t, true
	}
	t, err := http.ParseTime(strings.Trim(text, " \t"))
	return t.UTC(), err == nil
}

// hasHTTPDate reports whether HTTP defines that a header of a request is a date (RFC 9110, section
// 5.6.7). Clients write it as one.
func hasHTTPDate(canonical string) bool {
	switch canonical {
	case "Date", "Expires", "If-Modified-Since", "If-Range", "If-Unmodified-Since", "Last-Modified", "Sunset":
		return true
	}
	return false
}

// countsAsAbsent reports whether a request with this value of the header is read as if it had none:
// a condition that is no date is ignored (RFC 9110, sections 13.1.3 and 13.1.4), and a client whose
// last event had no ID may send an empty Last-Event-ID.
func (p *param) countsAsAbsent(value string) bool {
	if value == "" && p.canonical == lastEventID {
		return true
	}
	if p.value.kind != kindTime || p.canonical != "If-Modified-Since" && p.canonical != "If-Unmodified-Since" {
		return false
	}
	_, ok := parseHeaderTime(value)
	return !ok
}
