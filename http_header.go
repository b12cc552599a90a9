package svc

// This file knows about header fields: which ones a response may set, how documents spell them,
// valid values, and entity tags with the conditions of a request (RFC 9110, sections 8.8.3 and
// 13.1).

import (
	"net/http"
	"slices"
	"strings"
)

// headerValues is memory for the header values that this package sets in one response.
// Transports allocate it together with the call. Responses do not share it, although
// most have the same values, because middleware may change the values in place.
type headerValues [3]string

// setBodyHeader sets the headers of every response with a body. nosniff keeps browsers
// from showing JSON as a page. Each slice has capacity 1, so that an append to one
// cannot overwrite the next.
func (values *headerValues) setBodyHeader(h http.Header, contentType string, length int) {
	*values = headerValues{contentType, "nosniff", decimal(length)}
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
	h["Content-Length"] = values[2:3:3]
	if len(h) > 3 && h["Content-Encoding"] != nil { // middleware outside will encode the body, and only it knows the length
		delete(h, "Content-Length")
	}
}

// A contentHeader has the headers of a response that begin with Content-, as they were when svc was
// called. Some middleware sets Content-Encoding before it calls the next handler and then compresses
// whatever comes, so an error keeps that one. It does not keep what a method has set for a body that
// is not sent.
type contentHeader []contentField

type contentField struct {
	name   string
	values []string
}

// appendContent appends the headers in h that begin with Content-.
func (c contentHeader) appendContent(h http.Header) contentHeader {
	if len(h) == 0 { // mostly; a loop over an empty map costs as much as setting a header
		return c
	}
	for name, values := range h {
		if strings.HasPrefix(name, "Content-") {
			c = append(c, contentField{name, values})
		}
	}
	return c
}

// restore makes the headers in h that begin with Content- those of c again.
func (c contentHeader) restore(h http.Header) {
	if len(h) == 0 {
		return
	}
	for name := range h {
		if strings.HasPrefix(name, "Content-") {
			delete(h, name)
		}
	}
	for _, f := range c {
		h[f.name] = f.values
	}
}

// setHeaders sets copies of the headers of an output or of a middleware.
func setHeaders(h, header http.Header) {
	for name, texts := range header {
		var before []string
		if isAddedHeader(name) {
			before = h[name]
		}
		h[name] = slices.Concat(before, texts)
	}
}

// setErrorHeader sets the headers of an error, except headers that applications may not set.
// Set-Cookie, Link and Vary are added to the values that middleware has set: Vary must list every
// header that the response depends on (RFC 9110, section 12.5.5).
func setErrorHeader(h, header http.Header) {
	for name, values := range header {
		switch {
		case len(values) == 0 || !isHeaderValue(values[0]):
		case isAddedHeader(name):
			addHeader(h, name, values[0])
		case isResponseHeader(name), name == "Content-Range": // of a 416 (RFC 9110, section 14.4)
			h[name] = slices.Clone(values) // an error can be sent many times, and middleware may change the values
		}
	}
}

// isAddedHeader reports whether a header of an output or an error is added to the headers of the
// same name, such as the cookies of middleware, the Link of Version and Vary, which must name every
// header on which the response depends (RFC 9110, section 12.5.5).
func isAddedHeader(name string) bool {
	return name == "Set-Cookie" || name == "Link" || name == "Vary"
}

// maxEchoed is the maximum number of bytes of a request that one header of its response may repeat.
// Proxies have a buffer of 4 or 8 KiB for the header of a response. If it does not fit, they treat
// the server as broken; nginx then sends it no requests for 10 s.
const maxEchoed = 1 << 10

// addHeader adds a value to a header unless the header has it already. Several handlers
// of one request may add the same name to Vary.
func addHeader(h http.Header, name, value string) {
	if !slices.Contains(h[name], value) {
		h.Add(name, value)
	}
}

// isResponseHeader reports whether an output or an error may set a header of the
// response. svc, the server or CORS set the others, or they belong to the connection
// (RFC 9110, section 7.6.1). name is in canonical form.
func isResponseHeader(name string) bool {
	switch name {
	case "Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Content-Disposition",
		"Date", "Trailer", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
		"Proxy-Authorization", "Te", "Transfer-Encoding", "Upgrade", "X-Content-Type-Options":
		return false
	}
	return isToken(name) && !strings.HasPrefix(name, "Access-Control-")
}

// ownedHeaders are the request headers, in canonical form, that neither a field nor an API key can
// use, with an alternative. "Sec-" stands for every name with this prefix. Pages cannot set the
// headers of the last two rows (Fetch, section 2.2.2), and a proxy replaces or drops the headers of
// a connection (RFC 9110, section 7.6.1).
var ownedHeaders = [...]struct{ names, instead string }{
	{"Authorization Proxy-", "let a middleware such as BasicAuth read it"},
	{"Cookie", "give the field a tag cookie:\"name\""},
	{"Accept Accept-Charset Accept-Encoding Content-Type Content-Length Content-Encoding", "svc chooses the content types of bodies; choose another name"},
	{"Host Connection Expect Keep-Alive Te Trailer Transfer-Encoding Upgrade", "it belongs to the connection; choose another name"},
	{"Origin Sec- Access-Control- Set-Cookie", "it belongs to the browser; choose another name"},
}

// headerOwner returns what to do instead of reading one of ownedHeaders, and "" for any
// other header.
func headerOwner(name string) string {
	canonical := http.CanonicalHeaderKey(name)
	for _, row := range ownedHeaders {
		for _, name := range strings.Fields(row.names) {
			if canonical == name || strings.HasSuffix(name, "-") && strings.HasPrefix(canonical, name) {
				return row.instead
			}
		}
	}
	return ""
}

// spelledHeader returns a name as its standard spells it, for documents. A name that does not differ
// from http.CanonicalHeaderKey there stays as it is.
func spelledHeader(name string) string {
	switch canonical := http.CanonicalHeaderKey(name); canonical {
	case "Etag":
		return "ETag"
	case "Www-Authenticate":
		return "WWW-Authenticate"
	case "Dav", "Nel":
		return strings.ToUpper(canonical)
	case "Sourcemap":
		return "SourceMap"
	}
	return name
}

// isHeaderValue reports whether text can be the value of a header unchanged: it has only visible
// ASCII characters, with spaces and tabs between them (RFC 9110, section 5.5). The grammar also
// allows bytes above ASCII, but recipients do not agree on their meaning.
func isHeaderValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return strings.Trim(text, " \t") == text
}

// isCookieValue reports whether text can be the value of a cookie without changes: a value in
// quotation marks is read without them.
func isCookieValue(text string) bool {
	quoted := len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"'
	return isHeaderValue(text) && !quoted && !strings.Contains(text, ";")
}

// isEntityTag reports whether text is an entity tag, strong such as "v1" or weak such as
// W/"v1", with the quotes (RFC 9110, section 8.8.3).
func isEntityTag(text string) bool {
	text = strings.TrimPrefix(text, "W/")
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return false
	}
	for _, c := range []byte(text[1 : len(text)-1]) {
		if c <= ' ' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}

// isUnchanged reports whether the client of r, which is a read, already has the representation that
// a response with the header h would send, so that the response is 304:
//
//	If-None-Match       is * or lists the ETag by the weak comparison (RFC 9110, section 13.1.2)
//	If-Modified-Since   is not before Last-Modified (section 13.1.3); for GET and HEAD without
//	                    If-None-Match
//
// Two changes within a second have one Last-Modified.
func isUnchanged(r *http.Request, h http.Header) bool {
	if tags := r.Header["If-None-Match"]; tags != nil {
		etag, list := h.Get("Etag"), strings.Join(tags, ",")
		return etag != "" && (strings.Trim(list, " \t") == "*" || listsEntityTag(list, strings.TrimPrefix(etag, "W/"), false))
	}
	since := r.Header["If-Modified-Since"]
	if len(since) != 1 || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	at, err := http.ParseTime(since[0])
	modified, wrong := http.ParseTime(h.Get("Last-Modified"))
	return err == nil && wrong == nil && !modified.After(at)
}

// isTagList reports whether text is * or a list of entity tags (RFC 9110, section 13.1.1).
func isTagList(text string) bool {
	if strings.Trim(text, " \t") == "*" {
		return true
	}
	for {
		_, _, rest, ok := cutEntityTag(text)
		switch text = strings.TrimLeft(rest, " \t"); {
		case !ok:
			return false
		case strings.Trim(text, " \t,") == "":
			return true
		case text[0] != ',':
			return false
		}
	}
}

// cutEntityTag cuts a list of entity tags behind its first one, which it returns without W/. weak
// reports whether that was there. ok is false if the list does not begin with an entity tag.
func cutEntityTag(list string) (tag string, weak bool, rest string, ok bool) {
	tag, weak = strings.CutPrefix(strings.TrimLeft(list, " \t,"), "W/")
	end := strings.IndexByte(strings.TrimPrefix(tag, `"`), '"') + len(`""`)
	if !strings.HasPrefix(tag, `"`) || end < len(`""`) || !isEntityTag(tag[:end]) {
		return "", false, "", false
	}
	return tag[:end], weak, tag[end:], true
}

// MatchesETag reports whether a request with the If-Match header ifMatch may change a record whose
// entity tag is etag (RFC 9110, section 13.1.1). It is true if ifMatch is empty, is "*", or lists
// the tag. The comparison is strong: weak tags never match. If it is false, respond with 412;
// doc/routes.md has an example.
func MatchesETag(ifMatch, etag string) bool {
	list := strings.Trim(ifMatch, " \t")
	return list == "" || list == "*" || listsEntityTag(list, etag, true)
}

// listsEntityTag reports whether a list of entity tags has the tag etag, by the strong
// or the weak comparison (RFC 9110, section 8.8.3.2). For the weak one, etag is without W/.
// The list ends at text that is not an entity tag:
//
//	list            etag   weak   strong
//	"a", "b"        "b"    true   true
//	"a", W/"b"      "b"    true   false
//	"a", b, "c"     "c"    false  false
func listsEntityTag(list, etag string, strong bool) bool {
	for {
		tag, weak, rest, ok := cutEntityTag(list)
		switch {
		case !ok:
			return false
		case tag == etag && !(weak && strong):
			return true
		}
		list = rest
	}
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2), such as the name of a
// header.
func isToken(s string) bool {
	return isMadeOf(s, "!#$%&'*+-.^_`|~")
}

// isMadeOf reports whether s is not empty and consists of ASCII letters, digits and the characters
// in others.
func isMadeOf(s, others string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !isAlphanumeric(r) && !strings.ContainsRune(others, r)
	})
}

// isControl reports whether r is an ASCII control character.
func isControl(r rune) bool { return r < ' ' || r == 0x7F }
