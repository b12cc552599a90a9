package svc

// This file announces that a version or a method is deprecated: by headers of responses, and
// in words for documents.

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Deprecation describes a deprecated version, in [VersionOptions], or a deprecated method, in
// [MethodOptions]. Zero fields are not sent, with one exception: a version without Since sends
// "Deprecation: true". A method must have a Since. Times are sent in whole seconds.
type Deprecation struct {
	Since  time.Time // when it is deprecated: the Deprecation header (RFC 9745, section 2); may be in the future
	Sunset time.Time // when it is removed: the Sunset header (RFC 8594, section 3); not before Since
	Link   string    // the URL of a page about it: a Link header with rel="deprecation" (RFC 9745, section 3)
}

// mistake returns the mistake in d, or "".
func (d Deprecation) mistake() string {
	_, err := url.Parse(d.Link)
	switch {
	case !d.Sunset.IsZero() && d.Sunset.Before(d.Since):
		return "the Sunset comes before Since (RFC 9745, section 4)"
	case !hasFourDigits(d.Since) || !hasFourDigits(d.Sunset):
		return "Since and Sunset need a year of four digits, since an HTTP-date has no other (RFC 9110, section 5.6.7)"
	case err != nil || strings.ContainsAny(d.Link, "<>\" "):
		return "the Link is not a URL: " + strconv.Quote(d.Link)
	}
	return ""
}

// hasFourDigits reports whether the year of t, in UTC, is one of 0 to 9999.
func hasFourDigits(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

// header returns the headers of responses.
func (d Deprecation) header() http.Header {
	h := http.Header{"Deprecation": {"true"}}
	if !d.Since.IsZero() {
		h.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10)) // a Date of RFC 9651, section 3.3.7
	}
	if !d.Sunset.IsZero() {
		h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
	}
	if d.Link != "" {
		h.Set("Link", "<"+d.Link+`>; rel="deprecation"`)
	}
	return h
}

// announce sets the headers of a deprecated method in addition to the headers that [Version] has
// set for a deprecated version. Each kind of date can be sent only once: the earlier one wins,
// because the method is deprecated, or gone, by then.
func (d Deprecation) announce(h http.Header) {
	own := d.header()
	since, err := strconv.ParseInt(strings.TrimPrefix(h.Get("Deprecation"), "@"), 10, 64)
	if err != nil || since > d.Since.Unix() {
		h["Deprecation"] = own["Deprecation"]
	}
	sunset, err := http.ParseTime(h.Get("Sunset"))
	if own["Sunset"] != nil && (err != nil || sunset.After(d.Sunset)) {
		h["Sunset"] = own["Sunset"]
	}
	h["Link"] = append(h["Link"], own["Link"]...)
}

// text says the same in a sentence for readers of documents.
func (d Deprecation) text() string {
	const day = "January 2, 2006"
	text := "Deprecated since " + d.Since.UTC().Format(day)
	if !d.Sunset.IsZero() {
		text += ", and removed on " + d.Sunset.UTC().Format(day)
	}
	if d.Link != "" {
		text += "; see " + d.Link
	}
	return text + "."
}
