package svc

// This file reads request bodies: whole or not at all, within a size and a
// time, and only as JSON.

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strings"
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

// A transportError is a fault of the HTTP exchange itself, which has a status
// of its own beside its code.
func transportError(status int, code Code, format string, args ...any) *Error {
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

// leaveUnread ends the connection with the answer that r is about to get, so
// that net/http sends the answer at once: a client that announced a body and
// stalls would get none before the deadline, and the rest of a body that nobody
// wants is not worth waiting for. A stream of HTTP/2 ends by itself.
func leaveUnread(w http.ResponseWriter, r *http.Request) {
	if hasBody(r) && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// read appends the whole body of r to buf.
func (l limits) read(w http.ResponseWriter, r *http.Request, buf []byte) ([]byte, error) {
	if !hasBody(r) {
		return buf, nil
	}
	if l.size >= 0 && r.ContentLength > l.size {
		return buf, l.tooLarge(w, r)
	}
	start := len(buf)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if l.size >= 0 && int64(len(buf)-start) > l.size {
			return buf, l.tooLarge(w, r)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, l.readError(w, r, err)
		}
	}
}

// discard reads the body of a request that needs none to its end: net/http
// notices that a client has left only when nothing is left to read.
func (l limits) discard(w http.ResponseWriter, r *http.Request) error {
	if !hasBody(r) {
		return nil
	}
	if l.size >= 0 && r.ContentLength > l.size {
		return l.tooLarge(w, r)
	}
	var body io.Reader = r.Body
	if l.size >= 0 {
		body = io.LimitReader(r.Body, l.size+1)
	}
	n, err := io.Copy(io.Discard, body)
	switch {
	case err != nil:
		return l.readError(w, r, err)
	case l.size >= 0 && n > l.size:
		return l.tooLarge(w, r)
	}
	return nil
}

// tooLarge refuses a body for its size.
func (l limits) tooLarge(w http.ResponseWriter, r *http.Request) error {
	leaveUnread(w, r)
	return transportError(http.StatusRequestEntityTooLarge, CodeResourceExhausted, "the request body has more than %d bytes", l.size)
}

// readError says why a body ended early. In HTTP/1 every failed read cancels the
// context, also that of a client that has only miscounted and waits for the
// answer; a client that has left shows as an error of the connection.
func (l limits) readError(w http.ResponseWriter, r *http.Request, err error) error {
	leaveUnread(w, r)
	var max *http.MaxBytesError // of a middleware in front of us
	var conn *net.OpError
	switch {
	case errors.As(err, &max):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return transportError(http.StatusRequestTimeout, CodeDeadlineExceeded, "the request body did not arrive in time").WithCause(err)
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
		leaveUnread(w, r)
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 12.5.3
		return transportError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the request body must not have a Content-Encoding")
	}
	switch types := r.Header["Content-Type"]; {
	case len(types) == 0, len(types) == 1 && (types[0] == contentTypeJSON || types[0] == ""):
		return nil
	case len(types) == 1 && isJSONType(types[0]):
		return nil
	}
	leaveUnread(w, r)
	return transportError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be application/json in UTF-8")
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
