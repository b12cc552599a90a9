package svc

// This file puts errors on the wire of HTTP: the envelope, problem details,
// handlers that return errors, and recovery from panics. It is the only place
// that decides what a client gets to see of an error.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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
	if e.refused != nil {
		dst, _ = appendDetail(append(dst, `,"details":{"violations":`...), e.refused)
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
	probe(err)
	return err
}

// probe panics where a look into err will, as into a nil pointer in an error
// interface. It is called where panics are still recovered.
func probe(err error) {
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
	logError(r.Context(), logger, err, func() []slog.Attr {
		return []slog.Attr{slog.String("method", r.Method), slog.String("path", r.URL.Path)}
	})
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

// logError logs an error that a client is about to be told of: as an error if
// the server is at fault, else as a warning. A call that its client canceled
// is neither. place says where it happened; it is asked only if the line is
// going to be written.
func logError(ctx context.Context, logger *slog.Logger, err error, place func() []slog.Attr) {
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
	attrs := append(place(), slog.String("code", string(e.code())), slog.String("error", fmt.Sprint(err))) // fmt survives an Error method that panics
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
