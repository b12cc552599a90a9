package svc

// This file contains the code that the HTTP transports and the middleware of this package share, in
// this order:
//
//   - request bodies
//   - write deadlines of responses
//   - content types
//   - responses with a body
//   - errors as responses: ErrorWriter, WriteError, WriteProblem, refuse
//   - handlers that return errors and panic: Handle, Recover, the log
//   - trackedWriter, which knows whether a response has begun
//   - prefixes of paths
//
// No other file decides which parts of an error a client sees.

import (
	"bufio"
	"cmp"
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
	"reflect"
	"strconv"
	"strings"
	"time"
)

// verbQuery is a read that has a body (RFC 10008). net/http has no constant for it.
const verbQuery = "QUERY"

// DefaultMaxBody is the largest request body, in bytes, if Options.MaxBody is zero: 1 MiB.
const DefaultMaxBody = 1 << 20

// DefaultBodyTimeout limits how long a client may take to send a request body if
// [Options].BodyTimeout is zero. It also limits the unread body of a request that middleware of
// this package rejects.
const DefaultBodyTimeout = 30 * time.Second

// limits bounds the size of a request body and the time to send it. Negative values mean
// no limit.
type limits struct {
	size int64 // bytes
	time time.Duration
}

// hasBody reports whether the client sends a body. A chunked body has ContentLength -1
// and can be empty.
func hasBody(r *http.Request) bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// setDeadline limits the time for receiving the body of r. Transports call it first
// for every request, even if they do not read the body: net/http reads an unread body
// of up to 256 KiB before it sends the response. Without a deadline it would wait for
// ever for a client that stops sending.
//
// net/http itself removes the deadline at the end of the body, and again before the
// next request of the connection.
func (l limits) setDeadline(w http.ResponseWriter, r *http.Request) {
	if l.time >= 0 && hasBody(r) {
		http.NewResponseController(w).SetReadDeadline(started.Add(time.Since(started)).Add(l.time)) // the sum of the two could overflow
	}
}

// started is a time from which others are measured. time.Since asks only the monotonic clock,
// which takes half the time of time.Now.
var started = time.Now()

// readBody reads the whole body of r and appends it to buf, but not more than keep bytes of it. A body
// that is not needed must be read too: net/http notices that a client disconnects, and cancels the
// context of the request, only after the end of the body. After an error the rest of the body is unread.
//
// body is r.Body, or a reader of it that may fail with an error of isBusy.
func (l limits) readBody(r *http.Request, body io.Reader, buf []byte, keep int) ([]byte, error) {
	if !hasBody(r) {
		return buf, nil
	}
	err := errOverLimit
	if l.size < 0 || r.ContentLength <= l.size {
		buf, err = readAll(buf, body, l.size, r.ContentLength, keep)
	}
	switch {
	case err == nil:
		return buf, nil
	case err == errOverLimit:
		return buf, l.tooLargeError()
	case isBusy(err):
		return buf, err
	}
	return buf, bodyError(r, err)
}

// errOverLimit is the error of readAll for more bytes than its limit.
var errOverLimit = errors.New("the body has more bytes than its limit")

// keepAll is for all bytes of a body.
const keepAll = math.MaxInt

// readAll reads the bytes of r and appends the first keep of them to buf. After more than limit bytes
// it returns errOverLimit; a negative limit means no limit. announced is the Content-Length, or -1. A
// client that announces a large body and sends nothing must not cost much memory, so the buffer
// grows with the data:
//
//	announced  buffers
//	700 bytes  701 bytes, the last one for io.EOF
//	1 MiB      512 bytes, 1 KiB, 2 KiB … 512 KiB, 1 MiB and 1 byte
func readAll(buf []byte, r io.Reader, limit, announced int64, keep int) ([]byte, error) {
	start, total := len(buf), int64(0)
	for {
		if len(buf) == cap(buf) {
			more := max(len(buf), 512) // doubles it, where append would add a quarter
			if rest := int64(start) + announced + 1 - int64(len(buf)); rest > 0 && rest <= 3*int64(more) {
				more = int(rest) // the end is near
			}
			buf = append(make([]byte, 0, len(buf)+more), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		total += int64(n)
		buf = buf[:len(buf)+min(n, keep-(len(buf)-start))]
		switch {
		case limit >= 0 && total > limit:
			return buf, errOverLimit
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		}
	}
}

// tooLargeError returns the error for a body of more than l.size bytes.
func (l limits) tooLargeError() error {
	return httpError(http.StatusRequestEntityTooLarge, CodeResourceExhausted, "the request body has more than %d bytes", l.size)
}

// bodyError returns the error for a body that could not be read because of err.
//
// In HTTP/1 every failed read cancels the context of the request, even if the client
// only sent a wrong length and waits for the response. Only an error of the connection
// means that the client has disconnected.
func bodyError(r *http.Request, err error) error {
	var max *http.MaxBytesError // from middleware outside
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

// leaveBody prepares a response that leaves the body of r, or the rest of it, unread. Over HTTP/1
// it makes the response the last one on its connection, so net/http sends it at once. Otherwise
// net/http would first read the rest of a small body to find the next request, and a client that
// stalls would get no response before the deadline. A body that has already arrived could be read
// without waiting, but finding out takes a read that may wait. In HTTP/2 each request has its own
// stream.
//
// The callers are the transports, for errors by workspace.leaveBody, and the middleware, by
// refuse. A deadline must be set, by limits.setDeadline or by Server.ReadTimeout: after the
// response net/http still reads up to 256 KiB of the body.
func leaveBody(w http.ResponseWriter, r *http.Request) {
	if hasBody(r) && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
		closeGently(w)
	}
}

// closeGently makes net/http end the connection after the response in two steps: it sends FIN, and
// closes half a second later. A connection that is closed at once with unread bytes is reset
// instead. That can take the response from the client, and nginx, which sees the reset while it
// sends the body, counts the server as failed and sends it no requests for 10 s. net/http closes at
// once after requests of HTTP/1.0, and after requests of HTTP/1.1 with Connection: close or Expect.
//
// A MaxBytesReader does this at its limit. It must have the ResponseWriter of net/http, which is
// found by Unwrap. If outer middleware has a ResponseWriter without this method, the response only
// gets Connection: close.
func closeGently(w http.ResponseWriter) {
	for wrapper, ok := w.(rwUnwrapper); ok; wrapper, ok = w.(rwUnwrapper) {
		w = wrapper.Unwrap()
	}
	http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}

// An rwUnwrapper is a ResponseWriter that wraps one, as in http.ResponseController.
type rwUnwrapper interface{ Unwrap() http.ResponseWriter }

// leaveBodyEarly is leaveBody for middleware, which runs before a transport sets the
// deadline of the body. It sets one unless the server has a ReadTimeout.
func leaveBodyEarly(w http.ResponseWriter, r *http.Request) {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); !ok || s.ReadTimeout <= 0 {
		limits{time: DefaultBodyTimeout}.setDeadline(w, r)
	}
	leaveBody(w, r)
}

// leaveHandled is leaveBodyEarly for the error of a handler of the application, unless the
// handler has read the body to its end.
func leaveHandled(w http.ResponseWriter, r *http.Request) {
	if hasBody(r) && r.ProtoMajor == 1 && !isAtEnd(r) {
		leaveBodyEarly(w, r)
	}
}

// isAtEnd reports whether the body of r, over HTTP/1, has been read to its end or closed. For a
// body with a Content-Length an empty Read tells at once. For other bodies it can wait for the next
// chunk, and with Expect: 100-continue it makes net/http ask for one, so isAtEnd returns false for
// these.
func isAtEnd(r *http.Request) bool {
	if r.ContentLength < 0 || r.Header["Expect"] != nil {
		return false
	}
	defer func() { recover() }() // the body can be code of the application
	_, err := r.Body.Read(nil)
	return err == io.EOF || err == http.ErrBodyReadAfterClose
}

// leaveUnknown is for an ErrorWriter, which does not know whether the body of r has been read:
// if the connection ends after this response in any case, it ends gently. Otherwise net/http
// reads a small body itself, and ends the connection gently after the start of a large one.
func leaveUnknown(w http.ResponseWriter, r *http.Request) {
	if r != nil && r.Close && hasBody(r) {
		closeGently(w)
	}
}

// responseTime is the minimum time that a client has to receive a response, from its first byte, if
// the server has a WriteTimeout.
const responseTime = 30 * time.Second

// protectResponse returns a writer to use instead of w, so that a response is not lost
// because its method took longer than http.Server.WriteTimeout. net/http measures that
// time from the end of the request's header. After it, net/http drops the response without
// an error over HTTP/1, and resets the stream over HTTP/2. The time of a method is limited
// by its ctx, so the writer starts the time for the client at the first byte of the
// response.
//
// Without a WriteTimeout it returns w, at the cost of one look-up in the context.
func protectResponse(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok || server.WriteTimeout <= 0 {
		return w
	}
	if r.ProtoMajor > 1 {
		http.NewResponseController(w).SetWriteDeadline(time.Time{})
	}
	return &trackedWriter{ResponseWriter: w, responseTime: max(responseTime, server.WriteTimeout)}
}

// The content types that this package writes.
const (
	contentTypeJSON    = "application/json"
	contentTypeProblem = "application/problem+json"
	contentTypeEvents  = "text/event-stream"
)

// isPlainJSON reports whether r has exactly the Content-Type application/json, like most requests,
// and no Content-Encoding. It costs two map lookups.
func isPlainJSON(r *http.Request) bool {
	types := r.Header["Content-Type"]
	return len(types) == 1 && types[0] == contentTypeJSON && len(r.Header["Content-Encoding"]) == 0
}

// checkJSON checks the headers of a request with a JSON body. It returns an error with the
// status 403 or 415; see checkSite and checkContentType.
func checkJSON(w http.ResponseWriter, r *http.Request) error {
	if isPlainJSON(r) {
		return nil
	}
	return checkSubtype(w, r, requestSubtype(r))
}

// checkSubtype is checkJSON for a request whose Content-Type is application with this subtype:
//
//	accepted      none, application/json, application/merge-patch+json; v=1
//	not accepted  text/plain, application/json; charset=iso-8859-1, two values
//
// checkMCPContentType is stricter: MCP requests need a Content-Type.
func checkSubtype(w http.ResponseWriter, r *http.Request, subtype string) error {
	isJSON := isJSONSubtype(subtype)
	if !isJSON {
		if err := checkSimple(r); err != nil {
			return err
		}
	}
	if err := checkUncompressed(w, r); err != nil {
		return err
	}
	types := r.Header["Content-Type"]
	if isJSON || len(types) == 0 || len(types) == 1 && types[0] == "" {
		return nil
	}
	return errNotJSONType
}

var errNotJSONType = httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be application/json in UTF-8")

// checkUncompressed rejects a body that has a Content-Encoding, because a small compressed
// body can expand to gigabytes. Accept-Encoding in the response lists the accepted
// encodings (RFC 9110, section 12.5.3).
//
// identity is none (section 12.5.3).
func checkUncompressed(w http.ResponseWriter, r *http.Request) error {
	encodings := r.Header["Content-Encoding"]
	if len(encodings) == 0 || len(encodings) == 1 && strings.EqualFold(strings.Trim(encodings[0], " \t"), "identity") {
		return nil
	}
	w.Header().Set("Accept-Encoding", "identity")
	return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the request body must not have a Content-Encoding")
}

// isJSONType reports whether a media type is application/json, or an application
// type with the suffix +json (RFC 6839, section 3.1), in UTF-8. JSON ignores other
// parameters than charset (RFC 8259, section 11).
func isJSONType(value string) bool { return isJSONSubtype(applicationSubtype(value)) }

func isJSONSubtype(subtype string) bool {
	return subtype == "json" || len(subtype) > len("+json") && strings.HasSuffix(subtype, "+json")
}

// requestSubtype is applicationSubtype for the Content-Type of r; "" without one and for two.
func requestSubtype(r *http.Request) string {
	if types := r.Header["Content-Type"]; len(types) == 1 {
		return applicationSubtype(types[0])
	}
	return ""
}

// maxMediaType is how many bytes a media type with its parameters may have. Parameters in parts
// (RFC 2231) cost mime.ParseMediaType 60 times their length.
const maxMediaType = 1 << 10

// parseMediaType is mime.ParseMediaType for the header of a request.
func parseMediaType(value string) (mediaType string, params map[string]string, err error) {
	if len(value) > maxMediaType {
		return "", nil, errLongMediaType
	}
	return mime.ParseMediaType(value)
}

var errLongMediaType = errors.New("a media type has more than 1 KiB")

// applicationSubtype returns json for application/json, and "" for types that are not of an
// application or not in UTF-8.
func applicationSubtype(value string) string {
	mediaType, params, err := parseMediaType(value)
	if charset, given := params["charset"]; err != nil || given && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	subtype, _ := strings.CutPrefix(mediaType, "application/")
	if subtype == mediaType {
		return ""
	}
	return subtype
}

// chooseType returns the media type to which the Accept headers give the highest weight.
// The first of types is the default. The others must be named, since browsers and curl
// accept */*. Of types with the same weight it returns the last:
//
//	Accept                            of text/html, text/markdown
//	*/*                               text/html
//	text/markdown                     text/markdown
//	text/markdown;q=0.5, text/html    text/html
//	text/html, text/markdown          text/markdown
func chooseType(accept []string, types ...string) (chosen string) {
	highest := 0.0
	for i, w := range weighTypes(accept, types...) {
		if i == 0 || w.isNamed() && w.weight > 0 && w.weight >= highest {
			chosen, highest = types[i], w.weight
		}
	}
	return chosen
}

// A typeWeight is what Accept headers say of a media type: the weight of the most specific range
// that includes it, or 0 if none does (RFC 9110, sections 12.4.2 and 12.5.1).
type typeWeight struct {
	weight   float64
	specific int // of that range: 3 for the type itself, 2 for text/*, 1 for */*, 0 for none
}

// isNamed reports whether that range is the type itself.
func (w typeWeight) isNamed() bool { return w.specific == 3 }

// weighTypes returns the weight of each of types in Accept headers, which it parses once:
//
//	text/html in "text/*;q=0.5, */*;q=0.1"  =>  0.5, not named
//
// If a type has the parameter version, a range that is the type itself must have a
// version that is equal or begins with it: 3 matches 3 and 3.1.
func weighTypes(accept []string, types ...string) []typeWeight {
	weights := make([]typeWeight, len(types))
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, params, _ := parseMediaType(item) // "" if item is not a media type
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil || !(q >= 0 && q <= 1) {
			q = 1 // the default
		}
		for i, t := range types {
			mediaType, version, _ := strings.Cut(t, ";version=")
			n := specificity(name, mediaType)
			if n == 3 && version != "" && !strings.HasPrefix(params["version"]+".", version+".") {
				continue
			}
			if w := &weights[i]; n > w.specific || n == w.specific && n > 0 && q > w.weight {
				*w = typeWeight{q, n}
			}
		}
	}
	return weights
}

// specificity returns how specific a range of an Accept header is, or 0 if it does not include the
// media type.
func specificity(name, mediaType string) int {
	switch {
	case name == mediaType:
		return 3
	case strings.HasSuffix(name, "/*") && strings.HasPrefix(mediaType, name[:len(name)-1]):
		return 2
	case name == "*/*":
		return 1
	}
	return 0
}

// writeJSON sends a successful response with a complete body. For HEAD it sends only
// the header. values is memory for the header.
func writeJSON(w http.ResponseWriter, r *http.Request, status int, body []byte, values *headerValues) {
	writeRecord(w, r, status, contentTypeJSON, body, values)
}

// writeRecord is writeJSON with a different JSON media type.
func writeRecord(w http.ResponseWriter, r *http.Request, status int, mediaType string, body []byte, values *headerValues) {
	values.setBodyHeader(w.Header(), mediaType, len(body))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // fails only if the client has disconnected
	}
}

// threeDigits holds the numbers from 100 to 999: "100101102…999". Without it a create, whose
// response has such a length, takes 5 % longer.
var threeDigits = func() string {
	var digits strings.Builder
	for n := 100; n < 1000; n++ {
		digits.WriteString(strconv.Itoa(n))
	}
	return digits.String()
}()

// decimal returns n in decimal. strconv.Itoa allocates for 100 and more. Most bodies
// have less than 1,000 bytes, so their length is a substring of threeDigits.
func decimal(n int) string {
	if n < 100 || n >= 1000 {
		return strconv.Itoa(n)
	}
	start := 3 * (n - 100)
	return threeDigits[start : start+3]
}

// nothingThere is the message for a path without a route. Clients recognize it.
const nothingThere = "there is nothing at this path"

// sendingError returns the error for a part of a response that could not be sent, or nil if err is
// nil: the client has disconnected or does not read. It counts as a cancellation by the client, not
// as an error of the server.
func sendingError(what string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeCanceled, cause: fmt.Errorf("sending %s: %w", what, err)}
}

// httpError returns an error with its own status, which the code does not determine:
// 405, 408, 413, 415.
func httpError(status int, code Code, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.status = int32(status)
	return e
}

// notAllowed returns the error for a verb that a path does not have. allow lists the verbs that it
// has, for the header Allow (RFC 9110, section 15.5.6).
func notAllowed(allow string) *Error {
	e := httpError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: %s", allow)
	return e.WithHeader("Allow", allow)
}

// An ErrorWriter writes the response for an error. This package has two: [WriteError] and
// [WriteProblem]. The headers of [Error.WithHeader] are set before it runs. If it returns or panics
// before it has written anything, WriteError responds instead. A panic is logged. err is never nil;
// [ErrorFrom] returns the part that clients may see. An ErrorWriter must be safe for concurrent
// use.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, err error)

// WriteError responds with the envelope that every svc handler uses,
//
//	{"error":{"code":"NOT_FOUND","message":"no such todo","reason":"…","details":{…}}}
//
// with the status and the headers of the error. reason and details are left out if the error has
// none. [ErrorFrom] converts errors that are not an [*Error]; nil counts as UNKNOWN. Headers of w
// that describe a success, such as ETag and Cache-Control, are deleted. Content-Encoding stays, since
// middleware that compresses may have set it. r may be nil.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	leaveUnknown(w, r)
	writeEnvelope(w, err, make([]byte, 0, 512), new(headerValues))
}

// writeEnvelope is WriteError with memory for the body, which it returns, and the header.
func writeEnvelope(w http.ResponseWriter, err error, buf []byte, values *headerValues) []byte {
	e := errorOrUnknown(err)
	buf = appendEnvelope(buf[:0], e)
	writeErrorBody(w, e.HTTPStatus(), e.header, contentTypeJSON, buf, values)
	return buf
}

// appendEnvelope appends the body of an error response.
func appendEnvelope(dst []byte, e *Error) []byte {
	dst = appendQuoted(append(dst, `{"error":{"code":`...), string(e.code()))
	dst = e.appendMessage(append(dst, `,"message":`...))
	return append(appendDetails(appendReason(dst, e), e), "}}"...)
}

// maxPooled is the largest buffer, in bytes, that a pool keeps, so that one unusual
// response does not occupy memory for ever.
const maxPooled = 64 << 10

// isHandler reports whether h is the top-level function fn. Go compares functions only
// with nil, but the code pointer identifies a function that is not a closure.
func isHandler(h, fn ErrorWriter) bool {
	return reflect.ValueOf(h).Pointer() == reflect.ValueOf(fn).Pointer()
}

// WriteProblem is like [WriteError], but writes application/problem+json (RFC 9457, section 3)
// instead of the envelope. doc/errors.md lists the members. r must not be nil.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	leaveUnknown(w, r)
	e := errorOrUnknown(err)
	writeErrorBody(w, e.HTTPStatus(), e.header, contentTypeProblem, appendProblem(nil, r, e), new(headerValues))
}

// appendProblem appends the body of WriteProblem.
func appendProblem(dst []byte, r *http.Request, e *Error) []byte {
	status := e.HTTPStatus()
	title := cmp.Or(http.StatusText(status), codes[e.Code.row()].text) // 499 is not registered
	dst = appendQuoted(append(dst, `{"type":"about:blank","title":`...), title)
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(status), 10)
	dst = appendQuoted(append(dst, `,"detail":`...), e.message())
	if path := requestedPath(r); path != "" && len(path) <= maxInstance {
		dst = appendQuoted(append(dst, `,"instance":`...), path)
	}
	dst = appendQuoted(append(dst, `,"code":`...), string(e.code()))
	return append(appendDetails(appendReason(dst, e), e), '}')
}

// requestedPath returns the path of r as the client sent it, which http.StripPrefix and other handlers
// do not change, or "" if r does not come from net/http.
func requestedPath(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if path != "" && path[0] != '/' { // such as http://a.example/todos, to a proxy
		u, err := url.ParseRequestURI(path)
		if err != nil {
			return ""
		}
		path = u.EscapedPath()
	}
	return path
}

// maxInstance is the longest path, in bytes, that WriteProblem writes. Clients choose the
// path, and must not choose the size of an error.
const maxInstance = 2 << 10

// writeErrorBody sends an error response. It deletes headers that the application has set for a
// successful response: headers that describe its body or would keep the error in a cache. Other
// headers stay, such as Vary, Set-Cookie, Allow, Retry-After, WWW-Authenticate and the headers of
// middleware. So does Content-Encoding, as with http.Error: a method's own is gone already, by
// contentHeader. It then sets the headers of the error. values is memory for the header.
func writeErrorBody(w http.ResponseWriter, status int, header http.Header, contentType string, body []byte, values *headerValues) {
	h := w.Header()
	if len(h) > 0 { // a loop over an empty map costs as much as setting a header
		deleteSuccess(h)
	}
	if len(header) > 0 {
		setErrorHeader(h, header)
	}
	values.setBodyHeader(h, contentType, len(body))
	w.WriteHeader(status)
	w.Write(body) // fails only if the client has disconnected
}

// deleteSuccess deletes the headers that writeErrorBody does not keep.
func deleteSuccess(h http.Header) {
	for name := range h {
		switch name {
		case "Content-Disposition", "Content-Range", "Etag", "Last-Modified", "Cache-Control", "Expires", "Location":
			delete(h, name)
		}
	}
}

// writeNotModified responds with 304. It deletes the headers that describe the body and keeps the
// headers that a cache needs (RFC 9110, section 15.4.5): Cache-Control, Content-Location, Date,
// ETag, Expires and Vary, and Last-Modified without an ETag.
func writeNotModified(w http.ResponseWriter) {
	h := w.Header()
	for _, name := range [...]string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Range",
		"Content-Disposition"} {
		delete(h, name)
	}
	if h["Etag"] != nil {
		delete(h, "Last-Modified")
	}
	w.WriteHeader(http.StatusNotModified)
}

// errorOrUnknown returns ErrorFrom(err), or an UNKNOWN error if err is nil. An application
// that calls WriteError with nil by mistake must not send a success.
func errorOrUnknown(err error) *Error {
	if err == nil {
		return &Error{Code: CodeUnknown}
	}
	return ErrorFrom(err)
}

// respondError writes the response for err by opts.OnError. A panic of OnError is logged. If
// OnError wrote nothing, WriteError responds. If it panicked after a write, the connection is
// closed.
func respondError(w http.ResponseWriter, r *http.Request, err error, opts ErrorOptions) {
	if opts.OnError == nil {
		WriteError(w, r, err)
		return
	}
	content := contentHeader(nil).appendContent(w.Header())
	setErrorHeader(w.Header(), errorOrUnknown(err).header)
	tw := &trackedWriter{ResponseWriter: w}
	panicked := callHandler(func(w http.ResponseWriter, r *http.Request) error {
		opts.OnError(w, r, hideReason(err))
		return nil
	}, tw, r)
	if panicked != nil {
		logError(r.Context(), opts.Logger, fmt.Errorf("the ErrorWriter: %w", panicked), logPlace{request: r})
	}
	switch {
	case !tw.wrote:
		content.restore(w.Header())
		WriteError(w, r, err)
	case panicked != nil:
		panic(http.ErrAbortHandler)
	}
}

// middleware returns middleware that serves each request by serve.
func middleware(serve func(w http.ResponseWriter, r *http.Request, next http.Handler)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, next) })
	}
}

// serveCopy calls next with inner, a copy of r that middleware has changed. It copies the pattern
// of the route back, even after a panic, because outer traces and access logs read it from r. Path
// values stay inside.
func serveCopy(w http.ResponseWriter, r, inner *http.Request, next http.Handler) {
	defer func() { r.Pattern = inner.Pattern }()
	next.ServeHTTP(w, inner)
}

// refuse writes the response for err in middleware that has not read the body. It does not
// log err, because any client can cause such errors, as often as it likes.
func refuse(w http.ResponseWriter, r *http.Request, err error, opts ErrorOptions) {
	leaveBodyEarly(w, r)
	respondError(w, r, err, opts)
}

// ErrorOptions configures how a handler or middleware responds with errors and where it
// logs. The zero value and nil stand for the defaults.
type ErrorOptions struct {
	// OnError writes the responses to errors. Default: [WriteError].
	OnError ErrorWriter
	// Logger gets one line for each panic of OnError and for each error of [Handle] and [Recover].
	// Responses of [BasicAuth] and [AllowIPs] are not logged. Default: slog.Default.
	Logger *slog.Logger
}

// valueOf returns *opts, or the zero value if opts is nil.
func valueOf[T any](opts *T) (value T) {
	if opts != nil {
		value = *opts
	}
	return value
}

// A HandlerFunc is an http.HandlerFunc that may return an error; see [Handle].
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handle returns an [http.Handler] that calls fn. If fn returns an error, Handle logs it and writes
// the response by opts. A panic counts as an INTERNAL error with a [*PanicError] as its cause,
// except that a panic with [http.ErrAbortHandler] goes on to net/http. If the response has already
// begun, an error or a panic closes the connection, so that clients notice.
//
// Unlike methods of a service, fn also gets POST requests that browsers send for pages of other
// sites, with the user's cookies; see doc/origins.md.
func Handle(fn HandlerFunc, opts *ErrorOptions) http.Handler {
	o := valueOf(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tw := &trackedWriter{ResponseWriter: w}
		content := contentHeader(nil).appendContent(w.Header())
		err := callHandler(fn, tw, r)
		if err == nil {
			return
		}
		logError(r.Context(), o.Logger, err, logPlace{request: r})
		if tw.wrote {
			panic(http.ErrAbortHandler) // closes the connection
		}
		content.restore(w.Header())
		leaveHandled(tw, r)
		respondError(tw, r, err, o)
	})
}

// Recover returns middleware that turns a panic in the next handler into a 500 response, as
// [Handle] does with the same options.
func Recover(opts *ErrorOptions) func(http.Handler) http.Handler {
	o := valueOf(opts)
	return func(next http.Handler) http.Handler {
		return Handle(func(w http.ResponseWriter, r *http.Request) error {
			next.ServeHTTP(w, r)
			return nil
		}, &o)
	}
}

// callHandler calls fn. It returns a panic as an error.
func callHandler(fn HandlerFunc, w http.ResponseWriter, r *http.Request) (err error) {
	defer recoverTo(&err)
	return probeError(fn(w, r))
}

// probeError returns err after it has called the methods of err that are used later. They may panic,
// for example if err wraps a nil pointer. Call it where panics are recovered: that is not so where
// responses and the log are written. If err itself is a nil pointer, it returns an error that names
// the type in its place, since the log would have <nil>.
func probeError(err error) error {
	if isNilPointer(err) {
		return ErrorFrom(err)
	}
	if err != nil {
		CodeOf(err)
		panicIn(err)
	}
	return err
}

// A logPlace says where an error happened. Zero fields are not logged.
type logPlace struct {
	transport        string        // "rest"; "" for handlers that belong to no service
	request          *http.Request // its verb and path are logged
	resource, method string        // of the call; "" if nothing was called
	undeclared       bool          // the method has not declared the code of the error
}

// Limits, in bytes, for text from clients in a log line. A request of 1 MiB must not
// become a line of 1 MiB.
const (
	maxLoggedPath  = 256
	maxLoggedError = 2048
)

// appendAttrs appends the attributes of p. It cuts long text.
func (p *logPlace) appendAttrs(attrs []slog.Attr) []slog.Attr {
	if p.transport != "" {
		attrs = append(attrs, slog.String("transport", p.transport))
	}
	if p.request != nil {
		attrs = append(attrs, slog.String("method", clip(p.request.Method, maxLoggedPath)),
			slog.String("path", clip(p.request.URL.Path, maxLoggedPath)))
	}
	if p.method != "" {
		// methods of MCPOptions.Methods have no resource
		attrs = append(attrs, slog.String("call", strings.TrimPrefix(p.resource+"."+p.method, ".")))
	}
	return attrs
}

// logError logs one line for an error that a client gets. All transports use it. The
// attributes are transport, method, path, call, code, error, cut and stack, in this order,
// where method is the verb. A nil logger means slog.Default.
//
// The level is error for a status of 500 or more, info for a call that its client
// canceled, and warning otherwise. It is debug for an error that wraps errRoutine, or
// http.ErrServerClosed: programs end their streams with it when they stop.
func logError(ctx context.Context, logger *slog.Logger, err error, place logPlace) {
	if isBusy(err) {
		return
	}
	logger = cmp.Or(logger, slog.Default())
	e := errorOrUnknown(err)
	level := slog.LevelWarn
	switch {
	case e.code() == CodeCanceled && ctx.Err() != nil:
		level = slog.LevelInfo
	case isRoutine(err, e):
		level = slog.LevelDebug
	case e.HTTPStatus() >= http.StatusInternalServerError, place.undeclared:
		level = slog.LevelError
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := place.appendAttrs(make([]slog.Attr, 0, 8))
	// fmt recovers if the Error method panics
	attrs = append(attrs, slog.String("code", string(e.code())), slog.String("error", clip(fmt.Sprint(err), maxLoggedError)))
	if e.isCut() {
		attrs = append(attrs, slog.String("cut", "clients get 4 KiB of a message and no details over 16 KiB"))
	}
	if p := panicIn(err); p != nil {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	text := codes[e.Code.row()].text
	if place.undeclared {
		text = "MethodOptions.Errors does not have " + string(e.code())
	}
	logger.LogAttrs(ctx, level, "svc: "+text, attrs...)
}

// isRoutine reports whether err wraps errRoutine or http.ErrServerClosed. e is ErrorFrom(err). Most
// errors are e itself and wrap nothing, so they need no search.
func isRoutine(err error, e *Error) bool {
	if err == error(e) && e.cause == nil {
		return false
	}
	return errors.Is(err, http.ErrServerClosed) || errors.Is(err, errRoutine)
}

// errRoutine is the cause of an error that clients of a protocol bring about in its normal course.
var errRoutine = errors.New("clients try this to learn whether the server has it")

// The errors that refuse a call before any of it has run; see load.go. errShare is for a caller that
// holds its share of what many callers want.
var (
	errBusy  = busyError("the server is busy; try again")
	errShare = busyError("the server is busy with other requests of this caller, or of all callers who are not known; " +
		"try again when one of them has ended")
)

func busyError(message string) *Error {
	return Errorf(CodeUnavailable, "%s", message).withOwnReason(reasonOverloaded).
		WithHeader("Retry-After", "1") // in seconds (RFC 9110, section 10.2.3)
}

// isBusy reports whether err is one of them. They are not logged: an overloaded server should not
// write a line for each request that it refuses.
func isBusy(err error) bool { return err == errBusy || err == errShare }

// A trackedWriter is a ResponseWriter that knows whether the response has begun, because an error
// cannot be sent after that. http.ResponseController finds the methods of the wrapped writer by
// Unwrap; type assertions find the methods below.
type trackedWriter struct {
	http.ResponseWriter
	wrote        bool
	responseTime time.Duration // for sending, from the first byte; 0 keeps the deadline
}

func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begin is called before the first byte of the response. It records that the response
// begins, and sets its deadline. A stream of events later sets one for each event.
func (w *trackedWriter) begin() {
	if !w.wrote && w.responseTime > 0 {
		http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.responseTime))
	}
	w.wrote = true
}

// WriteHeader does not count 1xx as a response, because the response follows. 101 is
// final: after it the connection is no longer HTTP (RFC 9110, section 15.2.2).
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

// ReadFrom lets io.Copy send a file without copying it through memory (sendfile).
func (w *trackedWriter) ReadFrom(r io.Reader) (int64, error) {
	w.begin()
	return io.Copy(w.ResponseWriter, r)
}

// canFlush reports whether http.ResponseController can flush w, without a flush. It looks
// for the same methods in the same order.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case *trackedWriter: // it always has Flush
			w = t.ResponseWriter
		case http.Flusher, interface{ FlushError() error }:
			return true
		case rwUnwrapper:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// Flush implements http.Flusher, which cannot report an error.
func (w *trackedWriter) Flush() { w.FlushError() }

// FlushError is called by http.ResponseController. A flush sends the header, so the response
// begins, unless the wrapped writer cannot flush.
func (w *trackedWriter) FlushError() error {
	if canFlush(w) {
		w.begin()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack counts as the beginning of a response: from then on the connection belongs to the handler.
func (w *trackedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.wrote = w.wrote || err == nil
	return conn, rw, err
}

// appendEscapedText appends text for a segment of a path or for a query. It escapes all but
// the unreserved characters (RFC 3986, section 2.3): "a b/ä" => "a%20b%2F%C3%A4".
func appendEscapedText(dst, text []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range text {
		if isAlphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}

// escapeTail escapes each segment of the text of {name...}, and leaves the slashes.
func escapeTail(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), "%2F", "/")
}

// trimmedPrefix returns prefix without slashes at its end: Under and Pprof accept /admin and
// /admin/. It panics if prefix is not a clean path, because no request would be below it. function
// is the exported function that the panic names.
func trimmedPrefix(function, prefix string) string {
	trimmed := strings.TrimRight(prefix, "/")
	if trimmed != "" && (trimmed[0] != '/' || path.Clean(trimmed) != trimmed) {
		panic("svc: " + function + ": the prefix " + prefix + " must be a clean path that starts with a slash")
	}
	return trimmed
}

// cutPrefixPath reports whether p is prefix or below it, and returns the rest without the slash
// between them. A prefix matches whole segments. If ok is false, rest is undefined.
//
//	p               prefix   rest     ok
//	/admin/users    /admin   users    true
//	/admin          /admin            true
//	/administrator  /admin            false
func cutPrefixPath(p, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, prefix)
	if !ok || rest == "" {
		return "", ok
	}
	return strings.CutPrefix(rest, "/")
}

// isClean reports whether a path has neither empty nor dot segments, so that http.ServeMux
// does not redirect. An escaped dot or slash is part of its segment:
//
//	/todos/1, /todos/, /todos/a%2Fb   clean
//	/todos//1, /todos/../x, /./todos  not clean
//	/a%2Fb|c                          not clean
//
// The last path has a character that should have been escaped. net/url then escapes the whole path
// again, to /a/b%7Cc, with a different number of segments.
func isClean(u *url.URL) bool {
	text := u.Path
	if u.RawPath != "" {
		text = u.EscapedPath()
		if strings.Count(text, "/") != strings.Count(u.RawPath, "/") {
			return false
		}
	}
	if !strings.Contains(text, "//") && !strings.Contains(text, "/.") { // most paths
		return strings.HasPrefix(text, "/")
	}
	segments := strings.TrimSuffix(text, "/")
	return text == "/" || len(segments) > 1 && segments[0] == '/' && path.Clean(segments) == segments
}
