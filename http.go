package svc

// This file does the work that all HTTP transports and middleware of this package
// share. In this order:
//
//   - request bodies and their content types, pages of other sites
//   - answers that take longer than Server.WriteTimeout
//   - responses with a body
//   - errors as responses: ErrorHandler, WriteError, WriteProblem, refuse
//   - handlers that return errors and panic: Handle, Recover, PanicError, the log
//   - Limit, which bounds how many requests are served at a time
//   - trackedWriter, which knows whether a response has begun
//   - small text: quoted strings and tokens of headers, prefixes of paths
//
// It is the only place that decides which parts of an error a client sees.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DefaultMaxBody is the largest request body, in bytes, that a service accepts
// where Options.MaxBody is zero: 1 MiB.
const DefaultMaxBody = 1 << 20

// DefaultBodyTimeout is how long a client has for sending a request body where
// Options.BodyTimeout is zero. The middleware of this package gives a client
// as long for a body that it refuses to read.
const DefaultBodyTimeout = 30 * time.Second

// limits bounds the size of a request body and the time to send it.
type limits struct {
	size int64         // bytes; negative means any
	time time.Duration // for receiving it; negative means for ever
}

// hasBody reports whether the client sends a body. A chunked one has the
// ContentLength -1 and may turn out to be empty.
func hasBody(r *http.Request) bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// setDeadline limits the time that receiving the body of r takes. Transports call
// it first for every request, also for one that they are going to refuse unread.
// The reason is the way net/http treats an unread body of up to 256 KiB: it reads
// the body to its end before it sends the response, and without a deadline it waits
// for ever for a client that sends no more.
//
// Nothing takes the deadline back. net/http does so itself at the end of the
// body, where it begins to watch for the client leaving, and again before the
// next request of the connection.
func (l limits) setDeadline(w http.ResponseWriter, r *http.Request) {
	if l.time < 0 || !hasBody(r) {
		return
	}
	deadline := time.Now().Add(l.time)
	// net/http's own writer, without the allocation of a ResponseController.
	if c, ok := w.(interface{ SetReadDeadline(time.Time) error }); ok {
		c.SetReadDeadline(deadline) // an error means that there is no connection to limit
		return
	}
	http.NewResponseController(w).SetReadDeadline(deadline)
}

// readBody appends the whole body of r to buf. Its memory grows with the bytes that
// have arrived, not with the length that the client announces.
func (l limits) readBody(w http.ResponseWriter, r *http.Request, buf []byte) ([]byte, error) {
	if !hasBody(r) {
		return buf, nil
	}
	if l.size >= 0 && r.ContentLength > l.size {
		return buf, l.tooLargeError(w, r)
	}
	start := len(buf)
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(len(buf), 512)) // append grows by a quarter only, and copies more
		}
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if l.size >= 0 && int64(len(buf)-start) > l.size {
			return buf, l.tooLargeError(w, r)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, l.bodyError(w, r, err)
		}
	}
}

// discardBody reads the body of a request that needs none to its end, within
// the same limits. net/http watches for a client that leaves, and cancels the
// context of the request, only after the end of the body.
func (l limits) discardBody(w http.ResponseWriter, r *http.Request) error {
	if !hasBody(r) {
		return nil
	}
	if l.size >= 0 && r.ContentLength > l.size {
		return l.tooLargeError(w, r)
	}
	var body io.Reader = r.Body
	if l.size >= 0 && l.size < math.MaxInt64 { // one more byte tells a body that is too large
		body = io.LimitReader(r.Body, l.size+1)
	}
	n, err := io.Copy(io.Discard, body)
	switch {
	case err != nil:
		return l.bodyError(w, r, err)
	case l.size >= 0 && n > l.size:
		return l.tooLargeError(w, r)
	}
	return nil
}

// tooLargeError returns the error for a body of more than l.size bytes, and
// leaves the rest of the body unread.
func (l limits) tooLargeError(w http.ResponseWriter, r *http.Request) error {
	leaveBody(w, r)
	return httpError(http.StatusRequestEntityTooLarge, CodeResourceExhausted, "the request body has more than %d bytes", l.size)
}

// bodyError returns the error for a body that ended early with err.
//
// In HTTP/1 every failed read cancels the context of the request, also if the
// client has only miscounted and still waits for the answer. A client that has
// left shows as an error of the connection.
func (l limits) bodyError(w http.ResponseWriter, r *http.Request, err error) error {
	leaveBody(w, r)
	var max *http.MaxBytesError // from middleware in front of this handler
	var conn *net.OpError
	switch {
	case errors.As(err, &max):
		return err // ErrorFrom makes it a 413
	case errors.Is(err, os.ErrDeadlineExceeded):
		return httpError(http.StatusRequestTimeout, CodeDeadlineExceeded, "the request body did not arrive in time").WithCause(err)
	case r.Context().Err() != nil && (r.ProtoMajor != 1 || errors.As(err, &conn)):
		return &Error{Code: CodeCanceled, cause: fmt.Errorf("reading the body: %w", err)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Errorf(CodeInvalidArgument, "the request body ended early: %w", err)
	}
	return Errorf(CodeInvalidArgument, "the request body could not be read: %w", err)
}

// leaveBody prepares for a response that leaves the body of r, or the rest of it,
// unread: it makes the response the last one on its connection. net/http then sends
// the response at once. Otherwise it would first read the rest of a small body, to
// find the next request after it, and a client that announced a body and stalls
// would get no answer before the deadline. HTTP/2 needs none of this: each request
// is a stream of its own, which net/http ends.
//
// A deadline must be set, by limits.setDeadline or by Server.ReadTimeout: after
// the response net/http still reads up to 256 KiB of the body, to close it.
func leaveBody(w http.ResponseWriter, r *http.Request) {
	if hasBody(r) && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// leaveBodyEarly is leaveBody for middleware. It sets a deadline for the body, since
// no transport has done so yet. If the server has a ReadTimeout it leaves that one,
// which it would replace.
func leaveBodyEarly(w http.ResponseWriter, r *http.Request) {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); !ok || s.ReadTimeout <= 0 {
		limits{time: DefaultBodyTimeout}.setDeadline(w, r)
	}
	leaveBody(w, r)
}

// answerTime is how long a client has at least for taking an answer, from its
// first byte, where the server has a WriteTimeout.
const answerTime = 30 * time.Second

// protectAnswer returns a writer that is to be used in place of w, so that an
// answer is not lost because its method took longer than http.Server.WriteTimeout.
// That time begins when the header of the request has been read. When it is over,
// net/http drops the answer over HTTP/1, without an error anywhere, and resets the
// stream at once over HTTP/2. What a method costs is bounded by its ctx and not by
// the connection, so the time for the client begins anew with the answer.
//
// Without a WriteTimeout it returns w itself, and costs the look-up of the server
// in the context.
func protectAnswer(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok || server.WriteTimeout <= 0 {
		return w
	}
	if r.ProtoMajor > 1 {
		setWriteDeadline(w, time.Time{})
	}
	return &trackedWriter{ResponseWriter: w, answerTime: max(answerTime, server.WriteTimeout)}
}

// setWriteDeadline sets the time until which the client of w must have read the
// answer; the zero time sets none.
func setWriteDeadline(w http.ResponseWriter, deadline time.Time) {
	// net/http's own writer, without the allocation of a ResponseController.
	if c, ok := w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		c.SetWriteDeadline(deadline) // an error means that there is no connection to limit
		return
	}
	http.NewResponseController(w).SetWriteDeadline(deadline)
}

// The content types that this package writes, beside that of events.
const (
	contentTypeJSON    = "application/json"
	contentTypeProblem = "application/problem+json"
)

// checkJSON checks the headers that describe the body, for a method that reads it.
// It comes to nothing more than two look-ups for nearly every request.
func checkJSON(w http.ResponseWriter, r *http.Request) error {
	if types := r.Header["Content-Type"]; len(types) == 1 && types[0] == contentTypeJSON && len(r.Header["Content-Encoding"]) == 0 {
		return nil
	}
	if err := checkSite(w, r); err != nil {
		return err
	}
	return checkContentType(w, r)
}

// checkSite answers 403 to the requests that a web page of another site can make
// its reader's browser send without asking first. Such a request carries the
// reader's cookies, or the password that the browser keeps for this server, and the
// page need not see the answer for the method to have run.
//
//	The request                                       Refused
//	------------------------------------------------  -------------------------
//	has another method than POST                      no: a browser asks first
//	                                                  for PUT, PATCH and DELETE,
//	                                                  and GET should change nothing
//	says that its body is JSON                        no: a browser asks first
//	has an Origin that CORS allows by its name        no
//	has Sec-Fetch-Site: same-origin or none           no
//	has any other Sec-Fetch-Site                      yes
//	has none, and an Origin whose host is not Host    yes
//	has neither header                                no: it is not of a browser
//
// The Fetch standard calls asking first a preflight request (CORS protocol).
// Sec-Fetch-Site is the word of the browser itself (W3C, Fetch Metadata Request
// Headers, section 2.4), and right also where a proxy has changed Host. It holds
// for methods without an input too, which accept any body.
func checkSite(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	if types := r.Header["Content-Type"]; len(types) == 1 && isJSONType(types[0]) {
		return nil
	}
	if !isFromOtherSite(r) || isAllowedOrigin(r.Context()) {
		return nil
	}
	leaveBody(w, r)
	return Errorf(CodePermissionDenied, "a page of another site must send this with the Content-Type application/json")
}

// isFromOtherSite reports whether a browser sends r for a page of another origin.
// Several values of one header are no browser's and count as another origin.
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

// An originKey is the key of the mark that withAllowedOrigin sets.
type originKey struct{}

// withAllowedOrigin returns a context that says that the Origin of its request is
// one that the program allows by name. Middleware sets it; checkSite and the
// handlers of transports that look at Origin themselves let such requests pass.
func withAllowedOrigin(ctx context.Context) context.Context {
	return context.WithValue(ctx, originKey{}, true)
}

// isAllowedOrigin reports whether ctx comes from withAllowedOrigin.
func isAllowedOrigin(ctx context.Context) bool { return ctx.Value(originKey{}) != nil }

// checkContentType accepts a body that says it is JSON in UTF-8 and refuses any
// other with 415.
//
//	accepted      none, application/json, application/merge-patch+json; v=1
//	not accepted  text/plain, application/json; charset=iso-8859-1, two of them
//
// checkMCPContentType is stricter: MCP requests need a Content-Type. A compressed
// body is refused since a small one can unpack to gigabytes. Accept-Encoding in the
// response lists the accepted encodings (RFC 9110, section 12.5.3).
func checkContentType(w http.ResponseWriter, r *http.Request) error {
	if len(r.Header["Content-Encoding"]) > 0 {
		leaveBody(w, r)
		w.Header().Set("Accept-Encoding", "identity")
		return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the request body must not have a Content-Encoding")
	}
	switch types := r.Header["Content-Type"]; {
	case len(types) == 0, len(types) == 1 && (types[0] == contentTypeJSON || types[0] == ""):
		return nil // nearly every request: no parsing, no allocation
	case len(types) == 1 && isJSONType(types[0]):
		return nil
	}
	leaveBody(w, r)
	return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be application/json in UTF-8")
}

// isJSONType reports whether a media type is application/json, or an application
// type with the suffix +json (RFC 6839, section 3.1), in UTF-8. Parameters
// other than charset mean nothing to JSON (RFC 8259, section 11).
func isJSONType(value string) bool {
	mediaType, params, err := mime.ParseMediaType(value)
	if err != nil {
		return false
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	subtype, ok := strings.CutPrefix(mediaType, "application/")
	return ok && (subtype == "json" || len(subtype) > len("+json") && strings.HasSuffix(subtype, "+json"))
}

// chooseType returns the one of some media types that the Accept headers give the
// highest weight. The first is served where none is acceptable, and the others only if
// they are named: browsers and curl send */*. Of equals the last wins.
func chooseType(accept []string, types ...string) (chosen string) {
	highest := 0.0
	for i, t := range types {
		if weight, named := acceptWeight(accept, t); i == 0 || named && weight > 0 && weight >= highest {
			chosen, highest = t, weight
		}
	}
	return chosen
}

// acceptWeight returns the weight of a media type in Accept headers: that of the most
// specific range that includes it, or 0 if none does (RFC 9110, sections 12.4.2 and
// 12.5.1). It reports whether that range is the type itself. A type may have the
// parameter version, which is then that of the range or the beginning of it.
func acceptWeight(accept []string, mediaType string) (weight float64, named bool) {
	mediaType, version, _ := strings.Cut(mediaType, ";version=")
	best := 0
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, params, err := mime.ParseMediaType(item)
		if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil || !(q >= 0 && q <= 1) {
			q = 1 // the default
		}
		n := specificity(name, mediaType)
		if n == 3 && version != "" && !strings.HasPrefix(params["version"]+".", version+".") {
			continue
		}
		if n > best || n == best && n > 0 && q > weight {
			best, weight = n, q
		}
	}
	return weight, best == 3
}

// specificity returns 3 if a media range is the media type, 2 if it is all of its
// kind, 1 if it is all types, and 0 if it does not include the type.
func specificity(mediaRange, mediaType string) int {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch mediaRange {
	case mediaType:
		return 3
	case kind + "/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// writeJSON sends a complete body with the status of a success; to HEAD, the
// header of that response alone. values is memory for the header.
func writeJSON(w http.ResponseWriter, r *http.Request, status int, body []byte, values *headerValues) {
	values.setBodyHeader(w.Header(), contentTypeJSON, len(body))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // an error means that the client has gone
	}
}

// headerValues is the memory of the values that the header of one response has
// from this package. Transports have it in what they allocate for the call anyway.
// Responses do not share it, though most have the same values: middleware may
// write to the values of a header that it finds.
type headerValues [3]string

// setBodyHeader sets the headers that every response with a body has. nosniff keeps
// browsers from taking JSON for a page. Each value has the capacity 1, so that an
// append to one cannot overwrite the next.
func (values *headerValues) setBodyHeader(h http.Header, contentType string, length int) {
	*values = headerValues{contentType, "nosniff", decimal(length)}
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
	h["Content-Length"] = values[2:3:3]
}

// threeDigits holds the numbers from 100 to 999, one after the other.
var threeDigits = func() string {
	var digits strings.Builder
	for n := 100; n < 1000; n++ {
		digits.WriteString(strconv.Itoa(n))
	}
	return digits.String()
}()

// decimal returns n in decimal. strconv.Itoa allocates from 100 on; most bodies
// have less than 1,000 bytes, and their length is a part of threeDigits.
func decimal(n int) string {
	if n < 100 || n >= 1000 {
		return strconv.Itoa(n)
	}
	start := 3 * (n - 100)
	return threeDigits[start : start+3]
}

// nothingThere is the message for a path that no route has, by which clients know it.
const nothingThere = "there is nothing at this path"

// httpError returns an error about the HTTP exchange, not about the call. It has
// a status of its own, which the code does not determine: 405, 408, 413, 415.
func httpError(status int, code Code, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.status = int32(status)
	return e
}

// An ErrorHandler writes the response for an error. [WriteError] and
// [WriteProblem] are the two of this package. The headers of the error, which
// [Error.WithHeader] gives, are set before it runs. If a handler returns or panics
// without having written, WriteError answers in its place. A panic is logged.
type ErrorHandler func(w http.ResponseWriter, r *http.Request, err error)

// WriteError responds with the envelope that every svc handler uses:
//
//	{"error":{"code":"NOT_FOUND","message":"no such todo","details":{…}}}
//
// and the status and the headers of the error. The message is a general text for
// UNKNOWN, INTERNAL and DATA_LOSS; details are left out if there are none. [ErrorFrom]
// converts errors that are not an *Error; nil counts as UNKNOWN. WriteError is the
// default [ErrorHandler].
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	e := errorOrUnknown(err)
	buf := buffers.Get().(*[]byte)
	*buf = appendEnvelope((*buf)[:0], e)
	writeErrorBody(w, e.HTTPStatus(), e.header, contentTypeJSON, *buf)
	if cap(*buf) <= maxPooled {
		buffers.Put(buf)
	}
}

// appendEnvelope appends the body of an error response.
func appendEnvelope(dst []byte, e *Error) []byte {
	dst = appendQuoted(append(dst, `{"error":{"code":`...), string(e.code()))
	dst = appendQuoted(append(dst, `,"message":`...), e.message())
	return append(appendDetails(dst, e), "}}"...)
}

// buffers holds memory for envelopes. It is the only pool of the package that is
// not in a Service: WriteError is called without one, by middleware and by
// applications. It holds nothing but bytes, so sharing it cannot be noticed.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest buffer, in bytes, that is kept for the next use: one
// unusual answer must not occupy its memory for ever.
const maxPooled = 64 << 10

// WriteProblem responds with application/problem+json (RFC 9457, section 3) and
// the status and the headers of the error. It is an [ErrorHandler].
//
//	type      "about:blank"
//	title     the phrase of the status
//	status    the status
//	detail    the message, as in WriteError
//	instance  the path of the request; left out if it has more than 2 KiB
//	code      the code, an extension member
//	details   the details, an extension member; left out if there are none
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	e := errorOrUnknown(err)
	status := e.HTTPStatus()
	title := http.StatusText(status)
	if title == "" { // 499, which is not registered
		title = codes[e.Code.row()].text
	}
	buf := appendQuoted([]byte(`{"type":"about:blank","title":`), title)
	buf = strconv.AppendInt(append(buf, `,"status":`...), int64(status), 10)
	buf = appendQuoted(append(buf, `,"detail":`...), e.message())
	if path := r.URL.EscapedPath(); len(path) <= maxInstance {
		buf = appendQuoted(append(buf, `,"instance":`...), path)
	}
	buf = appendQuoted(append(buf, `,"code":`...), string(e.code()))
	buf = appendDetails(buf, e)
	writeErrorBody(w, status, e.header, contentTypeProblem, append(buf, '}'))
}

// maxInstance is the longest path, in bytes, that WriteProblem repeats: an error
// must not grow with its request.
const maxInstance = 2 << 10

// writeErrorBody sends the body of an error response. It deletes the headers that
// the application has set for the success: those that describe a body that is not
// sent, and those that would keep the error in a cache. What is said of the
// exchange stays, such as Vary, Set-Cookie, Allow, Retry-After, WWW-Authenticate
// and the headers of middleware. The headers of the error itself are set again.
func writeErrorBody(w http.ResponseWriter, status int, header http.Header, contentType string, body []byte) {
	h := w.Header()
	for name := range h {
		switch name {
		case "Content-Encoding", "Content-Disposition", "Content-Language", "Content-Location", "Content-Range",
			"Etag", "Last-Modified", "Cache-Control", "Expires", "Location":
			delete(h, name)
		}
	}
	setErrorHeader(h, header)
	new(headerValues).setBodyHeader(h, contentType, len(body))
	w.WriteHeader(status)
	w.Write(body) // an error means that the client has gone
}

// setErrorHeader sets the headers of an error, but for those that are not the
// application's to set. Those that the middleware in front may have set as well are
// added to its own; Vary, for example, has all that the answer depends on (RFC 9110,
// section 12.5.5).
func setErrorHeader(h, header http.Header) {
	for name, values := range header {
		switch {
		case len(values) == 0 || !isHeaderValue(values[0]):
		case name == "Vary", isAddedHeader(name):
			addHeader(h, name, values[0])
		case isAnswerHeader(name):
			h[name] = values[:1:1]
		}
	}
}

// isAddedHeader reports whether a header of an output or an error is sent beside those
// of the same name that middleware has set: its cookies, and the Link of Version.
func isAddedHeader(name string) bool { return name == "Set-Cookie" || name == "Link" }

// maxEchoed is how many bytes of a request a header of its response repeats at most. A
// proxy has a buffer of 4 or 8 KiB for the header of a response, and takes a server
// whose header does not fit for broken; nginx then sends it no requests for 10 s.
const maxEchoed = 1 << 10

// addHeader adds a value to a header unless it is there. Several handlers of one
// request may depend on the same header, and each names it in Vary.
func addHeader(h http.Header, name, value string) {
	if !slices.Contains(h[name], value) {
		h.Add(name, value)
	}
}

// isAnswerHeader reports whether an application may give a header of a response by
// an output or an error. The others are set by svc, by the server or by CORS, or
// belong to the connection and not to the answer (RFC 9110, section 7.6.1). name
// is in canonical form.
func isAnswerHeader(name string) bool {
	switch name {
	case "Date", "Vary", "Trailer", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
		"Proxy-Authorization", "Te", "Transfer-Encoding", "Upgrade", "X-Content-Type-Options":
		return false
	}
	return isToken(name) && !strings.HasPrefix(name, "Content-") && !strings.HasPrefix(name, "Access-Control-")
}

// isHeaderValue reports whether text arrives as it is where it is the value of a
// header: it has visible ASCII characters, with spaces and tabs only between them
// (RFC 9110, section 5.5). The bytes above ASCII that the grammar allows mean
// something else to each recipient.
func isHeaderValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return strings.Trim(text, " \t") == text
}

// isEntityTag reports whether text is an entity tag, strong or weak (RFC 9110,
// section 8.8.3).
func isEntityTag(text string) bool {
	text = strings.TrimPrefix(text, "W/")
	return len(text) >= 2 && text[0] == '"' && strings.IndexByte(text[1:], '"') == len(text)-2 && !strings.ContainsAny(text, " \t")
}

// isUnchanged reports whether the client of r has the representation with the entity
// tag etag already, so that 304 is the answer: whether If-None-Match is * or has the
// tag, by the weak comparison (RFC 9110, sections 13.1.2 and 8.8.3.2).
func isUnchanged(r *http.Request, etag string) bool {
	for _, list := range r.Header["If-None-Match"] {
		if strings.Trim(list, " \t") == "*" || listsEntityTag(list, strings.TrimPrefix(etag, "W/"), false) {
			return true
		}
	}
	return false
}

// MatchesETag reports whether a request with the header If-Match may change the
// record whose entity tag is now etag (RFC 9110, section 13.1.1): whether ifMatch is
// "*" or lists the tag, by the strong comparison, for which a weak tag matches
// nothing. An empty text stands for no header, with which every request may. The
// answer to the others is 412:
//
//	if !svc.MatchesETag(in.IfMatch, etag) {
//		return nil, svc.Errorf(svc.CodeFailedPrecondition, "the note has changed").WithStatus(412).WithHeader("ETag", etag)
//	}
func MatchesETag(ifMatch, etag string) bool {
	list := strings.Trim(ifMatch, " \t")
	return list == "" || list == "*" || listsEntityTag(list, etag, true)
}

// listsEntityTag reports whether a list of entity tags has the tag etag, by the strong
// or by the weak comparison (RFC 9110, section 8.8.3.2). What follows text that is no
// entity tag is not looked at.
func listsEntityTag(list, etag string, strong bool) bool {
	for {
		tag, weak := strings.CutPrefix(strings.TrimLeft(list, " \t,"), "W/")
		end := strings.IndexByte(strings.TrimPrefix(tag, `"`), '"') + len(`""`)
		if !strings.HasPrefix(tag, `"`) || end < len(`""`) || !isEntityTag(tag[:end]) {
			return false
		}
		if tag[:end] == etag && !(weak && strong) {
			return true
		}
		list = tag[end:]
	}
}

// writeNotModified answers 304. Of the headers that describe a representation, the
// response keeps those that a cache needs to update what it has (RFC 9110, section
// 15.4.5): Cache-Control, Content-Location, Date, ETag, Expires and Vary.
func writeNotModified(w http.ResponseWriter) {
	h := w.Header()
	for _, name := range [...]string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Range", "Content-Disposition", "Last-Modified"} {
		delete(h, name)
	}
	w.WriteHeader(http.StatusNotModified)
}

// errorOrUnknown returns ErrorFrom(err), and an UNKNOWN error for nil: an
// application may call WriteError with a nil error by mistake, and it must not
// then say that all is well.
func errorOrUnknown(err error) *Error {
	if err == nil {
		return &Error{Code: CodeUnknown}
	}
	return ErrorFrom(err)
}

// respondError answers with err by onError, where nil means WriteError; see
// ErrorHandler. An onError that panics after it has written cuts the connection.
// Its panic is logged, since it hides the error. A nil logger means slog.Default.
func respondError(w http.ResponseWriter, r *http.Request, err error, onError ErrorHandler, logger *slog.Logger) {
	if onError == nil {
		WriteError(w, r, err)
		return
	}
	if e := errorOrUnknown(err); e.header != nil {
		setErrorHeader(w.Header(), e.header)
	}
	tw := &trackedWriter{ResponseWriter: w}
	panicked := callHandler(func(w http.ResponseWriter, r *http.Request) error {
		onError(w, r, err)
		return nil
	}, tw, r)
	if panicked != nil {
		logError(r.Context(), logger, fmt.Errorf("the ErrorHandler: %w", panicked), logPlace{request: r})
	}
	switch {
	case !tw.wrote:
		WriteError(w, r, err)
	case panicked != nil:
		panic(http.ErrAbortHandler)
	}
}

// refuse is for middleware: it answers with err, by onError or by WriteError,
// before anything of the body was read. It logs nothing, since anybody on the
// network can cause such answers, as often as they like.
func refuse(w http.ResponseWriter, r *http.Request, err error, onError ErrorHandler) {
	leaveBodyEarly(w, r)
	respondError(w, r, err, onError, nil)
}

// A HandlerFunc is an http.HandlerFunc that may return an error; see [Handle].
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handle returns an http.Handler that calls fn. It logs an error that fn returns
// and answers with it by onError; nil means [WriteError]. It recovers a panic,
// which counts as an INTERNAL error with a [*PanicError] as its cause. If fn has
// already begun its response, an error or a panic cuts the connection, so that
// no client takes half an answer for a whole one. A panic with
// http.ErrAbortHandler goes on to net/http. A nil logger means slog.Default.
func Handle(fn HandlerFunc, onError ErrorHandler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tw := &trackedWriter{ResponseWriter: w}
		err := callHandler(fn, tw, r)
		if err == nil {
			return
		}
		logError(r.Context(), logger, err, logPlace{request: r})
		if tw.wrote {
			panic(http.ErrAbortHandler) // a response has begun, so the connection is cut
		}
		respondError(tw, r, err, onError, logger)
	})
}

// Recover returns middleware that turns a panic in the next handler into a
// response with the status 500, as [Handle] does with the same arguments. A
// panic with http.ErrAbortHandler goes on to net/http.
func Recover(onError ErrorHandler, logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return Handle(func(w http.ResponseWriter, r *http.Request) error {
			next.ServeHTTP(w, r)
			return nil
		}, onError, logger)
	}
}

// callHandler calls fn and returns its error, or its panic as an error.
func callHandler(fn HandlerFunc, w http.ResponseWriter, r *http.Request) (err error) {
	defer recoverTo(&err)
	err = fn(w, r)
	probeError(err)
	return err
}

// probeError panics if looking into err panics, as methods of a nil pointer in
// an error interface do. Callers call it where they still recover panics; the
// writers of answers and the log, which look into err later, do not.
func probeError(err error) {
	if err != nil {
		CodeOf(err)
		panicIn(err)
	}
}

// A PanicError is the cause of the INTERNAL error that a panic becomes. The log
// has it, with the stack; clients never see it.
type PanicError struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine that panicked, as debug.Stack formats it
}

// Error returns the value of the panic as text, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// panicError returns the error for the recovered value v. It panics again with
// http.ErrAbortHandler, by which a handler asks net/http to drop the
// connection. Call it in the deferred function that recovered, so that the
// stack shows where the panic was.
func panicError(v any) error {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// recoverTo, when deferred, turns a panic into an error, as panicError does.
func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = panicError(v)
	}
}

// panicIn returns the panic in err's tree, or nil.
func panicIn(err error) *PanicError {
	var p *PanicError
	errors.As(err, &p)
	return p
}

// A logPlace says where an error happened. What is zero is left out of the log.
type logPlace struct {
	transport        string        // "rest"; "" for handlers that belong to no service
	request          *http.Request // its method and path are logged
	resource, method string        // of the call; "" if nothing was called
}

// What a log line holds at most of a text that a client has a part in, in bytes.
// A request of 1 MiB, which costs its sender nothing, must not become a line of
// as much.
const (
	maxLoggedPath  = 256
	maxLoggedError = 2048
)

// appendAttrs appends the attributes of p. It cuts what is long.
func (p *logPlace) appendAttrs(attrs []slog.Attr) []slog.Attr {
	if p.transport != "" {
		attrs = append(attrs, slog.String("transport", p.transport))
	}
	if p.request != nil {
		attrs = append(attrs, slog.String("method", clip(p.request.Method, maxLoggedPath)), slog.String("path", clip(p.request.URL.Path, maxLoggedPath)))
	}
	if p.method != "" {
		attrs = append(attrs, slog.String("call", p.resource+"."+p.method))
	}
	return attrs
}

// logError writes one line about an error that a client is about to get, with
// the attributes transport, method, path, call, code, error and stack, in this
// order. The level is error for a status of 500 or more and warning below, and
// info for a call that its client canceled. It is debug for an error that has
// http.ErrServerClosed in its tree, with which a program ends the streams that are
// open when it stops: that is no news. A nil logger means slog.Default.
//
// A path is cut after 256 bytes, the text of an error after 2 KiB.
//
// All transports use it, so a search over the log finds the same names everywhere.
func logError(ctx context.Context, logger *slog.Logger, err error, place logPlace) {
	if logger == nil {
		logger = slog.Default()
	}
	e := errorOrUnknown(err)
	level := slog.LevelWarn
	switch {
	case e.code() == CodeCanceled && ctx.Err() != nil:
		level = slog.LevelInfo
	case errors.Is(err, http.ErrServerClosed):
		level = slog.LevelDebug
	case e.HTTPStatus() >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := place.appendAttrs(make([]slog.Attr, 0, 7))
	attrs = append(attrs, slog.String("code", string(e.code())), slog.String("error", clip(fmt.Sprint(err), maxLoggedError))) // fmt survives an Error method that panics
	if p := panicIn(err); p != nil {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	logger.LogAttrs(ctx, level, "svc: "+codes[e.Code.row()].text, attrs...)
}

// Limit returns middleware that serves at most n requests at a time. One more gets
// 503 with an UNAVAILABLE error and Retry-After at once, written by onError, or by
// [WriteError] if onError is nil. Nothing waits: the clients of queued requests
// have often given up when their turn comes.
//
// It bounds the total cost of all requests where the cost of each is bounded: the
// memory for bodies is at most n times Options.MaxBody, and that for decoded values
// a small multiple of it. A stream counts for as long as it lasts. Leave the route
// by which a load balancer asks for the health of the process outside, or a busy
// process counts as a dead one.
//
// Limit panics if n is less than 1, since nothing would ever be served.
func Limit(n int, onError ErrorHandler) func(http.Handler) http.Handler {
	if n < 1 {
		panic(fmt.Sprintf("svc: Limit(%d): the number of requests must be at least 1", n))
	}
	places := make(chan struct{}, n)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case places <- struct{}{}:
				defer func() { <-places }()
				next.ServeHTTP(w, r)
			default:
				w.Header().Set("Retry-After", "1") // in seconds (RFC 9110, section 10.2.3)
				refuse(w, r, Errorf(CodeUnavailable, "the server is busy; try again"), onError)
			}
		})
	}
}

// A trackedWriter is a ResponseWriter that knows whether the response has
// begun, since nothing can be answered after half of a response.
// http.ResponseController finds what the writer behind can do by Unwrap; code that
// asks for an interface finds the methods here.
type trackedWriter struct {
	http.ResponseWriter
	wrote      bool
	answerTime time.Duration // for sending, from the first byte; 0 leaves the deadline as it is
}

func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begin notes that the response begins, and sets the deadline for it before its
// first byte. A stream of events sets a new one for each event, after this one.
func (w *trackedWriter) begin() {
	if !w.wrote && w.answerTime > 0 {
		setWriteDeadline(w.ResponseWriter, time.Now().Add(w.answerTime))
	}
	w.wrote = true
}

// WriteHeader does not count 1xx as a response, as the response follows them.
// Only 101 is final: after it the connection is no longer HTTP (RFC 9110,
// section 15.2.2).
func (w *trackedWriter) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.begin()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *trackedWriter) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// ReadFrom keeps io.Copy able to send a file without copying it through memory
// (sendfile).
func (w *trackedWriter) ReadFrom(r io.Reader) (int64, error) {
	w.begin()
	return io.Copy(w.ResponseWriter, r)
}

// canFlush reports whether the writer behind w can flush. Flush alone does not
// tell.
func (w *trackedWriter) canFlush() bool { return canFlush(w.ResponseWriter) }

// Flush implements http.Flusher, which cannot report an error.
func (w *trackedWriter) Flush() { w.FlushError() }

// http.ResponseController calls FlushError. A flush sends the header, unless the
// writer behind cannot flush.
func (w *trackedWriter) FlushError() error {
	if w.canFlush() {
		w.begin()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack counts as the beginning of a response: the connection then belongs to
// the handler.
func (w *trackedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.wrote = w.wrote || err == nil
	return conn, rw, err
}

var (
	_ http.Flusher                              = (*trackedWriter)(nil)
	_ http.Hijacker                             = (*trackedWriter)(nil)
	_ io.ReaderFrom                             = (*trackedWriter)(nil)
	_ interface{ Unwrap() http.ResponseWriter } = (*trackedWriter)(nil)
)

// quotedString returns s as a quoted-string (RFC 9110, section 5.6.4). It must
// have no control characters, which that grammar cannot express; see isControl.
func quotedString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2), as names of
// headers and parameters are.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// isControl reports whether r is an ASCII control character.
func isControl(r rune) bool { return r < ' ' || r == 0x7F }

// trimmedPrefix returns prefix without its trailing slashes; Under and Pprof
// accept /admin and /admin/ alike. It panics if prefix is not a path as a
// request has it after cleaning, since no request would ever be below it.
// caller is named in the text of the panic.
func trimmedPrefix(caller, prefix string) string {
	trimmed := strings.TrimRight(prefix, "/")
	if trimmed != "" && (trimmed[0] != '/' || path.Clean(trimmed) != trimmed) {
		panic("svc: " + caller + ": the prefix " + prefix + " must be a clean path that starts with a slash")
	}
	return trimmed
}

// cutPrefixPath reports whether p is prefix or below it, and returns the rest
// without the slash between. A prefix matches whole segments. If ok is false, rest
// means nothing.
func cutPrefixPath(p, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, prefix)
	if !ok || rest == "" {
		return "", ok
	}
	return strings.CutPrefix(rest, "/")
}

// isClean reports whether a path has neither empty nor dot segments, which is
// when http.ServeMux does not redirect. An escaped dot or slash is a character of
// its segment. If a path also has characters that should have been escaped,
// net/url escapes it again and takes every slash for a separator; such a path is
// not clean if that moves a value into another segment.
func isClean(u *url.URL) bool {
	path := u.Path
	if u.RawPath != "" {
		path = u.EscapedPath()
		if strings.Count(path, "/") != strings.Count(u.RawPath, "/") {
			return false
		}
	}
	if path == "" || path[0] != '/' {
		return false
	}
	for i := 1; i < len(path); i++ {
		if path[i-1] == '/' && !isCleanSegment(path[i:]) {
			return false
		}
	}
	return true
}

// isCleanSegment reports whether the segment that path begins with is neither
// empty nor a dot segment (RFC 3986, section 3.3).
func isCleanSegment(path string) bool {
	if path[0] != '.' && path[0] != '/' {
		return true
	}
	segment, _, _ := strings.Cut(path, "/")
	return segment != "" && segment != "." && segment != ".."
}
