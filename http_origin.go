package svc

// This file decides which requests from pages of other sites are refused.

import (
	"context"
	"net/http"
	"strings"
)

// checkSite rejects, with 403, cross-site requests that a browser sends without asking the server
// first by a preflight request (Fetch, CORS protocol). Such a request carries the user's cookies,
// or the password that the browser has stored for this server, and its method would run although
// the page cannot read the response. This one comes from a form on a different site:
//
//	POST /notes/clear
//	Cookie: session=…
//	Content-Type: text/plain
//	Origin: https://evil.example
//	Sec-Fetch-Site: cross-site
//
// The rules are:
//
//	The request                                       Rejected
//	------------------------------------------------  -------------------------
//	is not a POST                                     no: PUT, PATCH and DELETE need
//	                                                  a preflight request, and GET
//	                                                  should change nothing
//	has a JSON Content-Type                           no: needs a preflight request
//	has an Origin that CORS allows by name            no
//	has Sec-Fetch-Site: same-origin or none           no
//	has any other Sec-Fetch-Site                      yes
//	lacks it, and its Origin's host is not Host       yes
//	has neither header                                no: not sent by a browser
//
// A transport whose methods may change something on GET must refuse GET first. The message names
// application/json on every transport, since a page needs a preflight request to send it.
//
// Browsers set Sec-Fetch-Site themselves (W3C, Fetch Metadata Request Headers, section
// 2.4), and it is right even if a proxy has changed Host. Methods without an input are
// checked too, since they accept any body.
func checkSite(r *http.Request) error {
	err := checkSimple(r) // first, because it is free for a GET
	if err != nil && isJSONSubtype(requestSubtype(r)) {
		return nil
	}
	return err
}

// checkSimple is checkSite for a request without a JSON Content-Type.
func checkSimple(r *http.Request) error {
	if r.Method != http.MethodPost || !isFromOtherSite(r) || isAllowedOrigin(r.Context()) {
		return nil
	}
	return Errorf(CodePermissionDenied, "requests from pages of other sites need the Content-Type application/json")
}

// checkCookieSite rejects, with 403, every request that may change something and that a browser
// sends for a page of a different origin, unless CORS allows its Origin by name. It is for services
// that identify callers by a cookie: the browser adds the cookie to requests of any page. It also
// rejects requests that need a preflight request, because a sibling domain or a different port is a
// different origin of the same site, which gets the cookie.
func checkCookieSite(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, verbQuery:
		return nil
	}
	if !isFromOtherSite(r) || isAllowedOrigin(r.Context()) {
		return nil
	}
	return errOtherSite
}

var errOtherSite = Errorf(CodePermissionDenied,
	"a cookie identifies callers here, so pages of other origins may not send requests that change something")

// isFromOtherSite reports whether a page of a different origin made a browser send r. It returns
// true if one of the headers occurs twice, which browsers never send.
func isFromOtherSite(r *http.Request) bool {
	if sites := r.Header["Sec-Fetch-Site"]; len(sites) > 0 {
		return len(sites) > 1 || sites[0] != "same-origin" && sites[0] != "none"
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return false
	}
	_, host, _ := strings.Cut(origins[0], "://")
	return len(origins) > 1 || !strings.EqualFold(host, r.Host)
}

// An originKey is the context key of the mark that CORS gives to requests whose Origin it
// allows by name. checkSite, and transports that check Origin, accept such requests.
type originKey struct{}

// isAllowedOrigin reports whether CORS has marked ctx.
func isAllowedOrigin(ctx context.Context) bool { return ctx.Value(originKey{}) != nil }
