package svc

// This file reads request bodies: whole or not at all, within a size and a
// time, and only as JSON.
//
// This file refuses requests: what middleware in front of any handler, svc's
// or not, has in common when it does not let a request through.
//
// This file puts errors on the wire of HTTP: the envelope, problem details,
// handlers that return errors, and recovery from panics. It is the only place
// that decides what a client gets to see of an error.
//
// This file holds what the HTTP transports of a service share.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DefaultMaxBody is the largest request body accepted where Options.MaxBody is
// zero, in bytes.
const DefaultMaxBody = 1 << 20

// DefaultBodyTimeout is how long a client has for sending a body where
// Options.BodyTimeout is zero.
const DefaultBodyTimeout = 30 * time.Second

// limits says what a request body may cost.
type limits struct {
	size int64         // bytes; negative means any
	time time.Duration // for receiving it; negative means for ever
}

// A httpError is a fault of the HTTP exchange itself, which has a status
// of its own beside its code.
func httpError(status int, code Code, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.status = status
	return e
}

// hasBody reports whether the client sends a body, or may be sending one.
func hasBody(r *http.Request) bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// setDeadline limits the time that receiving the body of r takes. It comes
// first on every request that has a body, also on those that are refused
// unread: net/http reads a small body to its end before it sends the answer,
// and waits for ever for a client that sends no more of it. Nothing needs to
// take the deadline back: net/http does so at the end of the body.
func (l limits) setDeadline(w http.ResponseWriter, r *http.Request) {
	if l.time < 0 || !hasBody(r) {
		return
	}
	deadline := time.Now().Add(l.time)
	if c, ok := w.(interface{ SetReadDeadline(time.Time) error }); ok {
		c.SetReadDeadline(deadline) // a writer without a connection has nothing to limit
		return
	}
	http.NewResponseController(w).SetReadDeadline(deadline)
}

// leaveBody ends the connection with the answer that r is about to get, so
// that net/http sends the answer at once: a client that announced a body and
// stalls would get none before the deadline, and the rest of a body that nobody
// wants is not worth waiting for. A stream of HTTP/2 ends by itself.
func leaveBody(w http.ResponseWriter, r *http.Request) {
	if hasBody(r) && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// readBody appends the whole body of r to buf.
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
			buf = append(buf, 0)[:len(buf)]
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

// discardBody reads the body of a request that needs none to its end: net/http
// notices that a client has left only when nothing is left to read.
func (l limits) discardBody(w http.ResponseWriter, r *http.Request) error {
	if !hasBody(r) {
		return nil
	}
	if l.size >= 0 && r.ContentLength > l.size {
		return l.tooLargeError(w, r)
	}
	var body io.Reader = r.Body
	if l.size >= 0 {
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

// tooLargeError refuses a body for its size.
func (l limits) tooLargeError(w http.ResponseWriter, r *http.Request) error {
	leaveBody(w, r)
	return httpError(http.StatusRequestEntityTooLarge, CodeResourceExhausted, "the request body has more than %d bytes", l.size)
}

// bodyError says why a body ended early. In HTTP/1 every failed read cancels the
// context, also that of a client that has only miscounted and waits for the
// answer; a client that has left shows as an error of the connection.
func (l limits) bodyError(w http.ResponseWriter, r *http.Request, err error) error {
	leaveBody(w, r)
	var max *http.MaxBytesError // of a middleware in front of us
	var conn *net.OpError
	switch {
	case errors.As(err, &max):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return httpError(http.StatusRequestTimeout, CodeDeadlineExceeded, "the request body did not arrive in time").WithCause(err)
	case r.Context().Err() != nil && (r.ProtoMajor != 1 || errors.As(err, &conn)):
		return &Error{Code: CodeCanceled, cause: fmt.Errorf("reading the body: %w", err)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Errorf(CodeInvalidArgument, "the request body ended early: %w", err)
	}
	return Errorf(CodeInvalidArgument, "the request body could not be read: %w", err)
}

// checkContentType accepts what says JSON in UTF-8: application/json,
// application/*+json, and no type at all.
func checkContentType(w http.ResponseWriter, r *http.Request) error {
	if len(r.Header["Content-Encoding"]) > 0 {
		leaveBody(w, r)
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 12.5.3
		return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the request body must not have a Content-Encoding")
	}
	switch types := r.Header["Content-Type"]; {
	case len(types) == 0, len(types) == 1 && (types[0] == contentTypeJSON || types[0] == ""):
		return nil
	case len(types) == 1 && isJSONType(types[0]):
		return nil
	}
	leaveBody(w, r)
	return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be application/json in UTF-8")
}

// isJSONType reports whether a media type is JSON (RFC 6839, section 3.1) in
// UTF-8. Other parameters than charset mean nothing to JSON (RFC 8259, section
// 11).
func isJSONType(value string) bool {
	mediaType, params, err := mime.ParseMediaType(value)
	if err != nil {
		return false
	}
	charset, given := params["charset"]
	if given && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	subtype, ok := strings.CutPrefix(mediaType, "application/")
	return ok && (subtype == "json" || len(subtype) > len("+json") && strings.HasSuffix(subtype, "+json"))
}

// refuse answers with err, by onError or with the envelope, before anything of
// the request's body was read. It logs nothing: what any passer-by can cause
// should not fill a disk.
func refuse(w http.ResponseWriter, r *http.Request, err error, onError ErrorHandler) {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); !ok || s.ReadTimeout <= 0 {
		limits{time: DefaultBodyTimeout}.setDeadline(w, r)
	}
	leaveBody(w, r)
	respondError(w, r, err, onError)
}

// An ErrorHandler writes the response for an error. [WriteError] and
// [WriteProblem] are the two that svc brings. A handler that panics or returns
// without having written gets the default envelope in its place.
type ErrorHandler func(w http.ResponseWriter, r *http.Request, err error)

// WriteError answers with the envelope that every svc handler uses:
//
//	{"error":{"code":"NOT_FOUND","message":"no such todo","details":{…}}}
//
// and the status of the error's code. It is the default ErrorHandler.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	e := errorOrUnknown(err)
	buf := buffers.Get().(*[]byte)
	*buf = appendEnvelope((*buf)[:0], e)
	writeErrorBody(w, e.HTTPStatus(), contentTypeJSON, *buf)
	if cap(*buf) <= maxPooled {
		buffers.Put(buf)
	}
}

// buffers holds memory for error bodies, which have no Service to keep it.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest buffer worth keeping for the next use, in bytes.
const maxPooled = 64 << 10

// WriteProblem answers with application/problem+json (RFC 9457): type
// "about:blank", the status and its phrase as title, the message as detail, the
// path as instance, and the code and the details as extension members.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	e := errorOrUnknown(err)
	status := e.HTTPStatus()
	title := http.StatusText(status)
	if title == "" {
		title = codes[e.Code.row()].text
	}
	buf := appendQuoted([]byte(`{"type":"about:blank","title":`), title)
	buf = strconv.AppendInt(append(buf, `,"status":`...), int64(status), 10)
	buf = appendQuoted(append(buf, `,"detail":`...), e.message())
	buf = appendQuoted(append(buf, `,"instance":`...), r.URL.EscapedPath())
	buf = appendQuoted(append(buf, `,"code":`...), string(e.code()))
	buf = appendDetails(buf, e)
	writeErrorBody(w, status, contentTypeProblem, append(buf, '}'))
}

const (
	contentTypeJSON    = "application/json"
	contentTypeProblem = "application/problem+json"
)

// errorOrUnknown is ErrorFrom for handlers that may be called with nil.
func errorOrUnknown(err error) *Error {
	if err == nil {
		return &Error{Code: CodeUnknown}
	}
	return ErrorFrom(err)
}

func writeErrorBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	// What the application set for the answer it meant to give does not
	// describe this one.
	if len(h) > 0 {
		for _, name := range [...]string{"Content-Encoding", "Etag", "Last-Modified", "Cache-Control"} {
			delete(h, name)
		}
	}
	setBodyHeader(h, contentType, len(body))
	w.WriteHeader(status)
	w.Write(body) // a client that has gone cannot be told
}

// threeDigits holds the numbers from 100 to 999, one after the other.
var threeDigits = func() string {
	var digits strings.Builder
	for n := 100; n < 1000; n++ {
		digits.WriteString(strconv.Itoa(n))
	}
	return digits.String()
}()

// decimal is strconv.Itoa, which allocates from 100 on; most bodies are shorter
// than 1,000 bytes.
func decimal(n int) string {
	if n < 100 || n >= 1000 {
		return strconv.Itoa(n)
	}
	start := 3 * (n - 100)
	return threeDigits[start : start+3]
}

// setBodyHeader sets what every answer with a body has. The three values share
// one allocation.
func setBodyHeader(h http.Header, contentType string, length int) {
	values := [...]string{contentType, "nosniff", decimal(length)}
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
	h["Content-Length"] = values[2:3:3]
}

// appendEnvelope appends the body of an error response.
func appendEnvelope(dst []byte, e *Error) []byte {
	dst = appendQuoted(append(dst, `{"error":{"code":`...), string(e.code()))
	dst = appendQuoted(append(dst, `,"message":`...), e.message())
	dst = appendDetails(dst, e)
	return append(dst, "}}"...)
}

// appendDetails appends the member "details" with a comma before it, or
// nothing if there are none.
func appendDetails(dst []byte, e *Error) []byte {
	if e.violations != nil {
		dst, _ = appendDetail(append(dst, `,"details":{"violations":`...), e.violations)
		return append(dst, '}')
	}
	if len(e.Details) == 0 {
		return dst
	}
	return appendDetailsObject(append(dst, `,"details":`...), e.Details)
}

// appendDetailsObject appends details in the order of their names. A value that
// JSON cannot carry is left out: the rest is worth more than none.
func appendDetailsObject(dst []byte, details map[string]any) []byte {
	var few [4]string
	names := few[:0]
	for name := range details {
		names = append(names, name)
	}
	slices.Sort(names)
	dst = append(dst, '{')
	start := len(dst)
	for _, name := range names {
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, name), ':')
		var ok bool
		if dst, ok = appendDetail(dst, details[name]); !ok {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

func appendDetail(dst []byte, value any) ([]byte, bool) {
	switch v := value.(type) {
	case []Violation:
		dst = append(dst, '[')
		for i := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendViolation(dst, &v[i])
		}
		return append(dst, ']'), true
	case string:
		return appendQuoted(dst, v), true
	}
	text, ok := marshalDetail(value)
	return append(dst, text...), ok
}

// marshalDetail returns the JSON of a detail, if it has any. A MarshalJSON that
// panics has none: an error is told when something has gone wrong already.
func marshalDetail(value any) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	text, err := json.Marshal(value)
	return text, err == nil
}

func appendViolation(dst []byte, v *Violation) []byte {
	dst = appendQuoted(append(dst, `{"in":`...), v.In)
	dst = appendQuoted(append(dst, `,"path":`...), v.Path)
	dst = appendQuoted(append(dst, `,"rule":`...), v.Rule)
	dst = appendQuoted(append(dst, `,"message":`...), v.Message)
	return append(dst, '}')
}

// A HandlerFunc is an http.HandlerFunc that may fail.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Handle makes an http.Handler of fn. An error that fn returns is logged and
// answered by onError (nil means [WriteError]); a panic is recovered and
// counts as an INTERNAL error. Where fn has already begun its response, an
// error or a panic cuts the connection, so that no client takes half an answer
// for a whole one. A nil logger means slog.Default.
func Handle(fn HandlerFunc, onError ErrorHandler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tw := &trackedWriter{ResponseWriter: w}
		if err := callHandler(fn, tw, r); err != nil {
			failRequest(tw, r, err, onError, logger)
		}
	})
}

// Recover is middleware that answers for a handler that panics, as [Handle]
// does. http.ErrAbortHandler passes through, as net/http wants it.
func Recover(onError ErrorHandler, logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return Handle(func(w http.ResponseWriter, r *http.Request) error {
			next.ServeHTTP(w, r)
			return nil
		}, onError, logger)
	}
}

func callHandler(fn HandlerFunc, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	err = fn(w, r)
	probeError(err)
	return err
}

// probeError panics where a look into err will, as into a nil pointer in an error
// interface. It is called where panics are still recovered.
func probeError(err error) {
	if err != nil {
		CodeOf(err)
		panicIn(err)
	}
}

// A PanicError is the cause of the INTERNAL error that a panic becomes. It
// reaches the log and never a client.
type PanicError struct {
	Value any    // what panic was called with
	Stack []byte // as debug.Stack gives it
}

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

// failRequest logs err and answers with it, or cuts the connection if an
// answer has begun.
func failRequest(w *trackedWriter, r *http.Request, err error, onError ErrorHandler, logger *slog.Logger) {
	logError(r.Context(), logger, err, logPlace{request: r})
	if w.wrote {
		panic(http.ErrAbortHandler)
	}
	respondError(w, r, err, onError)
}

// respondError answers with err by onError, and with the envelope where
// onError did not.
func respondError(w http.ResponseWriter, r *http.Request, err error, onError ErrorHandler) {
	if onError == nil {
		WriteError(w, r, err)
		return
	}
	tw := &trackedWriter{ResponseWriter: w}
	failure := callHandler(func(w http.ResponseWriter, r *http.Request) error {
		onError(w, r, err)
		return nil
	}, tw, r)
	switch {
	case !tw.wrote:
		WriteError(w, r, err)
	case failure != nil:
		panic(http.ErrAbortHandler)
	}
}

// A logPlace says where an error happened. What is zero is left out of the log.
type logPlace struct {
	transport        string        // "rest"; "" for handlers that belong to no service
	request          *http.Request // its method and path are logged
	resource, method string        // of the call; "" if nothing was called
}

// appendAttrs appends the attributes of p.
func (p *logPlace) appendAttrs(attrs []slog.Attr) []slog.Attr {
	if p.transport != "" {
		attrs = append(attrs, slog.String("transport", p.transport))
	}
	if p.request != nil {
		attrs = append(attrs, slog.String("method", p.request.Method), slog.String("path", p.request.URL.Path))
	}
	if p.method != "" {
		attrs = append(attrs, slog.String("call", p.resource+"."+p.method))
	}
	return attrs
}

// logError writes one line about an error that a client is about to get, with
// the attributes transport, method, path, call, code, error and stack, in this
// order. The level is error for a status of 500 or more and warning below, and
// info for a call that its client canceled. A nil logger means slog.Default.
//
// Every error of every transport goes through here, so that a search over the
// log of a program finds the same names everywhere.
func logError(ctx context.Context, logger *slog.Logger, err error, place logPlace) {
	if logger == nil {
		logger = slog.Default()
	}
	e := errorOrUnknown(err)
	level := slog.LevelWarn
	switch {
	case e.code() == CodeCanceled && ctx.Err() != nil:
		level = slog.LevelInfo
	case e.HTTPStatus() >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := place.appendAttrs(make([]slog.Attr, 0, 7))
	attrs = append(attrs, slog.String("code", string(e.code())), slog.String("error", fmt.Sprint(err))) // fmt survives an Error method that panics
	if p := panicIn(err); p != nil {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	logger.LogAttrs(ctx, level, "svc: "+codes[e.Code.row()].text, attrs...)
}

// panicIn returns the panic in err's tree, or nil.
func panicIn(err error) *PanicError {
	var p *PanicError
	errors.As(err, &p)
	return p
}

// A trackedWriter knows whether the response has begun. It passes on what
// net/http's writers can do, to http.ResponseController by Unwrap and to code
// that asks for the interfaces by the methods below.
type trackedWriter struct {
	http.ResponseWriter
	wrote bool
}

func (w *trackedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *trackedWriter) WriteHeader(status int) {
	// 1xx are no responses yet, except that 101 is the last word of HTTP.
	w.wrote = w.wrote || status >= http.StatusOK || status == http.StatusSwitchingProtocols
	w.ResponseWriter.WriteHeader(status)
}

func (w *trackedWriter) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

func (w *trackedWriter) ReadFrom(r io.Reader) (int64, error) {
	w.wrote = true
	return io.Copy(w.ResponseWriter, r)
}

func (w *trackedWriter) Flush() { w.FlushError() } // Flusher has no way to tell of an error

func (w *trackedWriter) FlushError() error {
	w.wrote = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

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

// writeJSON sends a complete body.
func writeJSON(w http.ResponseWriter, r *http.Request, body []byte) {
	setBodyHeader(w.Header(), contentTypeJSON, len(body))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone cannot be told
	}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7F }

// quotedString returns s as a quoted-string (RFC 9110, section 5.6.4). It must
// have no control characters.
func quotedString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// trimmedPrefix returns prefix without its trailing slashes. It panics where
// prefix is not a path as a request has it after cleaning, since no request
// would ever be below it; who names the caller in the text.
func trimmedPrefix(who, prefix string) string {
	trimmed := strings.TrimRight(prefix, "/")
	if trimmed != "" && (trimmed[0] != '/' || path.Clean(trimmed) != trimmed) {
		panic("svc: " + who + ": the prefix " + prefix + " must be a clean path that starts with a slash")
	}
	return trimmed
}

// cutPrefixPath returns what follows prefix in p, without the slash between,
// and whether p is the prefix or below it on a segment boundary: /debug/pprofx
// is not below /debug/pprof. Where it is not, rest means nothing.
func cutPrefixPath(p, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, prefix)
	if !ok || rest == "" {
		return "", ok
	}
	return strings.CutPrefix(rest, "/")
}
