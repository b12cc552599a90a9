package svc

// This file handles inputs and outputs that are not JSON: a Body, which a method reads, and a File,
// which a method returns. svc buffers neither. In this order:
//
//   - Body, and reading the Body of a request
//   - File, and sending one by http.ServeContent
//   - the header Content-Disposition
//   - media types, and the tags contentType and maxBytes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
)

// A Body is a request body that is not JSON, such as a picture. Use it as a field of an input. The
// other fields then come from the path, the query, headers and cookies:
//
//	Photo svc.Body `contentType:"image/png,image/jpeg" maxBytes:"10485760"`
//
// The method reads the Body while it arrives, until the method returns. maxBytes replaces MaxBody.
// BodyTimeout limits the wait for each 64 KiB, not for the whole body. doc/files.md lists when a
// Body is rejected, before the method or by Read.
//
// If the body is too large, too slow or cut, Read returns an [*Error]. Check for it before you
// store the file, because you may have read only a part of it. If your method ignores the error of
// Read, the client still gets it. A method that returns a [Stream] or a [File] must read the Body
// before it returns.
type Body struct {
	ContentType string // one media type, as the client sent it; empty if the client sent none
	Size        int64  // in bytes; -1 if it is not known, as in a form
	// FileName is the client's name of the file, without directories and control characters, of at
	// most 255 bytes, or empty. Show it to people. Choose the name on disk yourself, since clients
	// can send the same name, or one with a meaning for the system.
	FileName string
	content  io.Reader
}

// NewBody returns a Body for a client or for [Service.Call]. A nil content is empty. NewBody sets
// Size if content can seek or has a method Len. Otherwise set Size yourself if you know it. A
// client fails if the length of content differs from Size, and closes content if it is an
// [io.Closer].
func NewBody(content io.Reader, contentType string) Body {
	b := Body{ContentType: contentType, Size: -1, content: content}
	if c, ok := content.(interface{ Len() int }); ok {
		b.Size = int64(c.Len())
	} else if c, ok := content.(io.Seeker); ok {
		here, _ := c.Seek(0, io.SeekCurrent)
		if end, err := c.Seek(0, io.SeekEnd); err == nil {
			b.Size = end - here
			c.Seek(here, io.SeekStart)
		}
	}
	return b
}

// Read implements [io.Reader]. The zero Body is empty. In a method, Read fails with INTERNAL while
// a different goroutine reads, and after the method has returned.
func (b Body) Read(p []byte) (int, error) {
	if b.content == nil {
		return 0, io.EOF
	}
	return b.content.Read(p)
}

// reader returns the content of a Body of a request, or nil without a Body.
func (b *Body) reader() *bodyReader {
	if b == nil {
		return nil
	}
	return b.content.(*bodyReader)
}

// bodyBlock is the number of bytes for which a client has BodyTimeout. A limit on the whole body
// would cut off large files of honest clients. A limit on each Read would let a client send one
// byte at a time forever.
const bodyBlock = 64 << 10

// A bodyReader is the content of a Body during a call. The goroutine that sent on turn owns total,
// spent and err. A mutex would not do: Read fails at once while a second goroutine reads, because
// the body may be application code that blocks for long.
//
// Invariant: err is set by the first Read that fails; nothing is read after it.
type bodyReader struct {
	limits
	w     http.ResponseWriter // nil outside a request
	r     *http.Request       // nil outside a request
	body  io.Reader
	turn  chan struct{} // buffered, with a length of 1
	ended atomic.Bool   // the method has returned; if end got turn, turn stays full
	ruled bool          // size comes from the tag maxBytes
	part  string        // of a form, whose file this is; "" for the whole body

	total int64         // bytes read so far
	spent time.Duration // in waiting for the current block
	err   error         // what every later Read returns
	ahead []byte        // was read ahead of the method, and comes before err
}

// The errors of misuse: errBodyOver is the error of a Read. errBodyRead is the answer of a method
// whose Stream or File comes while a goroutine reads: over HTTP/1 the end of that Read cancels the
// ctx of the method, with which both may work.
var (
	errBodyOver = Errorf(CodeInternal, "a Body can be read only until its method returns, by one goroutine at a time")
	errBodyRead = Errorf(CodeInternal, "the method has returned a Stream or a File while another goroutine read its Body: wait for that "+
		"goroutine first")
)

// openBody returns the Body of r, or the error that rejects the request. body is r.Body, or a reader
// of it.
func (t *fileTags) openBody(w http.ResponseWriter, r *http.Request, body io.Reader, l limits) (*Body, error) {
	types := r.Header["Content-Type"]
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Disposition"))
	b := &Body{ContentType: strings.Join(types, ", "), Size: r.ContentLength, FileName: fileName(params["filename"]), content: body}
	err := cmp.Or(checkUncompressed(w, r), t.limitBody(b, l, ""))
	switch {
	case checkSite(r) != nil:
		err = Errorf(CodePermissionDenied, "an upload from a page of another site needs an origin that CORS allows by name")
	case len(types) > 1: // together they can look like one, whose parameter is in quotes
		err = t.mediaTypeError()
	case isMediaType(b.ContentType) && withoutParameters(b.ContentType) == contentTypeMultipart &&
		!slices.Contains(t.types, contentTypeMultipart):
		err = httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument,
			"the body must be the file itself, not a form; a method reads forms by MethodOptions.Form")
	}
	if err != nil || !hasBody(r) {
		return b, err
	}
	b.content.(*bodyReader).openIn(w, r)
	return b, nil
}

// openIn makes b the reader of a Body in r. From here on Read sets the deadlines.
func (b *bodyReader) openIn(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor != 1 { // in HTTP/2 a deadline ends the body even if nothing reads it
		http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	b.w, b.r = w, r
}

// checkRest returns the error of Read for a Body of at least size bytes if it is too large.
func (b *bodyReader) checkRest(size int64) error {
	if b.size >= 0 && size > b.size {
		return b.tooLargeError()
	}
	return nil
}

// limitBody puts a bodyReader into b. It returns an error with the status 415 if the content type
// is not one media type or the tags do not allow it, and with 413 if Size is over the limit. If the
// size is unknown, Read returns the 413 instead. part is the name of the form part, or "".
func (t *fileTags) limitBody(b *Body, l limits, part string) error {
	l.size = cmp.Or(t.max, l.size)
	reader := &bodyReader{limits: l, body: *b, turn: make(chan struct{}, 1), ruled: t.max > 0, part: part}
	b.content = reader
	switch isOne := b.ContentType == "" || isMediaType(b.ContentType); {
	case part != "" && !(isOne && t.allows(b.ContentType)):
		return t.partTypeError(part)
	case !isOne:
		return t.mediaTypeError()
	case !t.allows(b.ContentType):
		return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be %s", strings.Join(t.types, " or "))
	}
	return reader.checkRest(b.Size)
}

// tooLargeError returns the error for a body over the limit, with the rule if the limit comes from
// a tag.
func (b *bodyReader) tooLargeError() error {
	err, path := b.limits.tooLargeError(), ""
	if b.part != "" {
		err = httpError(http.StatusRequestEntityTooLarge, CodeResourceExhausted, "the file %s has more than %d bytes", b.part, b.size)
		path = pointerToken(b.part)
	}
	if !b.ruled {
		return err
	}
	size := strconv.FormatInt(b.size, 10)
	c := complaint{rule: ruleMaxBytes, message: "must have at most " + size + " bytes", limit: json.Number(size)}
	return ErrorFrom(err).WithDetail("violations", []Violation{c.inBody(path)})
}

// Read implements io.Reader. It fails at once while a different goroutine reads, and after the end
// of the call.
func (b *bodyReader) Read(p []byte) (n int, err error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	default:
		return 0, errBodyOver
	}
	if len(b.ahead) > 0 {
		if b.ended.Load() {
			return 0, errBodyOver
		}
		n = copy(p, b.ahead)
		if b.ahead = b.ahead[n:]; len(b.ahead) == 0 {
			b.ahead = nil
		}
		return n, nil
	}
	return b.readNow(p)
}

// readAhead reads a part of the body for a later Read.
func (b *bodyReader) readAhead() {
	if len(b.ahead) == cap(b.ahead) {
		b.ahead = append(make([]byte, 0, max(2*len(b.ahead), 4<<10)), b.ahead...)
	}
	n, _ := b.readNow(b.ahead[len(b.ahead):cap(b.ahead)])
	b.ahead = b.ahead[:len(b.ahead)+n]
}

// readNow is Read for what has not been read yet.
func (b *bodyReader) readNow(p []byte) (n int, err error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if b.size >= 0 && b.size-b.total < int64(len(p)) {
		p = p[:b.size-b.total+1] // one more byte means that the body is too large
	}
	start, timed := time.Now(), b.w != nil && b.time >= 0
	if timed {
		http.NewResponseController(b.w).SetReadDeadline(start.Add(b.time - b.spent))
	}
	if b.ended.Load() { // after the deadline, or it could replace the one by which end interrupts
		return 0, errBodyOver
	}
	n, err = b.body.Read(p)
	if timed && b.r.ProtoMajor != 1 { // see openIn
		http.NewResponseController(b.w).SetReadDeadline(time.Time{})
	}
	b.spent += time.Since(start)
	b.total += int64(n)
	if b.total%bodyBlock < int64(n) { // a block has been filled; the time for the next one starts
		b.spent = 0
	}
	switch {
	case b.size >= 0 && b.total > b.size:
		n, err = n-1, b.tooLargeError()
	case err != nil && err != io.EOF && b.r != nil:
		if _, told := err.(*Error); !told { // by a formFile
			err = bodyError(b.r, err)
		}
	}
	b.err = err
	return n, err
}

// end makes every later Read fail, and interrupts a Read on any other goroutine. It returns the
// error of a failed Read, errBodyRead if it interrupted one, or nil. Further calls do nothing. If
// the Body was not read to its end, the response is the last one of the connection.
func (b *bodyReader) end(ctx context.Context) error {
	if b == nil || b.ended.Swap(true) {
		return nil
	}
	select {
	case b.turn <- struct{}{}:
	default:
		if !b.interrupt(ctx) {
			return errBodyRead
		}
	}
	switch {
	case b.err == io.EOF:
		return nil
	case b.w == nil:
	case b.err != nil:
		leaveBody(b.w, b.r)
	default: // this is the time that the client has for the rest
		b.setDeadline(b.w, b.r)
		leaveBody(b.w, b.r)
	}
	return b.err
}

// interrupt ends the Read of a goroutine of the method, and waits for turn. It reports false if the
// Read failed because of this, or still runs: readers of the application have no deadline, so
// interrupt waits for them only until ctx ends.
func (b *bodyReader) interrupt(ctx context.Context) bool {
	var over <-chan struct{}
	if b.w == nil || http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0)) != nil {
		over = ctx.Done()
	}
	select {
	case b.turn <- struct{}{}:
	case <-over:
		if b.w != nil {
			leaveBody(b.w, b.r)
		}
		return false
	}
	if b.w == nil || !errors.Is(b.err, os.ErrDeadlineExceeded) {
		return true
	}
	leaveBody(b.w, b.r)
	b.setDeadline(b.w, b.r) // for what net/http reads after the response
	return false
}

// A File is an output that is not JSON, such as a picture or an export. Return a *File, or a struct
// that embeds File beside fields with header tags:
//
//	GetPhoto(ctx context.Context, in *UserID) (*svc.File, error)
//
// A Content that is an [io.Seeker] is sent as by [http.ServeContent], with conditional and range
// requests (RFC 9110, sections 13 and 14), but without lists of ranges. svc reads Content after the
// method and [Options].Intercept have returned, and then closes it if it is an [io.Closer]. If an
// interceptor returns an error or a different File, it must close the Content itself.
//
// If Content fails before the first byte, the client gets INTERNAL; a later error closes the
// connection. An end before Size counts as an error. doc/files.md has more.
type File struct {
	Name        string    // to save the file as; cut at 255 bytes
	ContentType string    // a media type, one of the tag contentType; default: its only type, else application/octet-stream
	ETag        string    // an entity tag, such as `"v1"`; or empty
	Modified    time.Time // zero if not known
	Size        int64     // of a Content without Seek, in bytes; 0 if not known
	Inline      bool      // browsers show the file, with the rights of this site, instead of saving it; the tag inline:"true" sets it too
	Content     io.Reader // must not be nil
}

// closeReader closes the content of a File or a Body if it can be closed. It returns a
// panic of Close as an error.
func closeReader(r io.Reader) (err error) {
	defer recoverTo(&err)
	if c, ok := r.(io.Closer); ok {
		c.Close()
	}
	return err
}

// check returns an error if the File cannot be sent. It sets a missing content type and Inline from
// the tags.
func (f *File) check(t *fileTags) error {
	if f.ContentType == "" && len(t.types) == 1 {
		f.ContentType = t.types[0]
	}
	f.ContentType = cmp.Or(f.ContentType, "application/octet-stream")
	f.Inline = f.Inline || t.inline
	switch {
	case f.Content == nil:
		return errors.New("the File has no Content")
	case !isMediaType(f.ContentType) || !t.allows(f.ContentType):
		return fmt.Errorf("the ContentType of the File is %q (application/octet-stream if it is not set); "+
			"want a media type, one of the tag contentType if there is one", f.ContentType)
	case f.ETag != "" && !isEntityTag(f.ETag):
		return fmt.Errorf("the ETag %q of the File is not an entity tag, such as %q", f.ETag, `"v1"`)
	}
	return nil
}

// clampRange returns a value of Range with numbers that fit into an int64, for http.ServeContent;
// files are never larger. It reports false for values to ignore: everything but a single range of
// bytes (RFC 9110, section 14.1.2). For a file of 1000 bytes,
//
//	bytes=0-499  => 206 with the first 500 bytes
//	bytes=500-   => 206 with all from byte 500
//	bytes=-500   => 206 with the last 500
//	bytes=1000-  => 416
//	bytes=0-1,5- => 200 with all, as if there were no Range
//
// Numbers can have any length: bytes=0-99999999999999999999 is the whole file.
func clampRange(value string) (clamped string, ok bool) {
	text, isBytes := strings.CutPrefix(value, "bytes=")
	first, last, isRange := strings.Cut(text, "-")
	if !isBytes || !isRange || strings.Trim(first+last, "0123456789") != "" {
		return "", false
	}
	isSuffix := first == "" // the last bytes, of which there must be one
	if isSuffix && strings.Trim(last, "0") == "" {
		return "", false
	}
	clamp := func(number string) string {
		if number == "" {
			return ""
		}
		n, _ := strconv.ParseInt(number, 10, 64) // the largest one for a number that does not fit
		return strconv.FormatInt(n, 10)
	}
	return "bytes=" + clamp(first) + "-" + clamp(last), true
}

// A fileSender sends a File. As the ResponseWriter of http.ServeContent it records the status and
// the header of the response without sending them. It sends the header with the first byte of the
// file, so that an earlier error can still become the response.
type fileSender struct {
	http.ResponseWriter
	status int
	begun  bool  // the header is sent
	err    error // of the File or the connection
}

// send sends the File, which must have passed check, as the response to r, with more headers. If
// nothing was sent, it removes the headers of the file, since an error response follows.
func (f *File) send(w http.ResponseWriter, r *http.Request, more http.Header) (s *fileSender) {
	s = &fileSender{ResponseWriter: w}
	h := w.Header()
	defer func(before http.Header) {
		if !s.begun {
			clear(h)
			maps.Copy(h, before)
		}
	}(h.Clone())
	setHeaders(h, more)
	if err := s.sendFile(f, r); err != nil && s.err == nil {
		s.err = &Error{Code: CodeInternal, cause: fmt.Errorf("the Content of the File: %w", err)}
	}
	return s
}

// sendFile does the work of send. It returns an error of the Content; others are in s.err.
func (s *fileSender) sendFile(f *File, r *http.Request) (err error) {
	defer recoverTo(&s.err) // the content is code of the application
	size := cmp.Or(max(f.Size, 0), math.MaxInt64)
	seeker, canSeek := f.Content.(io.Seeker)
	if canSeek {
		if size, err = seeker.Seek(0, io.SeekEnd); err != nil || size < 0 {
			return cmp.Or(err, fmt.Errorf("it has %d bytes", size))
		}
	}
	start, length := s.decide(f, r, size, canSeek)
	switch {
	case s.status == http.StatusPreconditionFailed:
		s.err = httpError(s.status, CodeFailedPrecondition, "the file is not the one that the request asks for").WithHeader("ETag", f.ETag)
		return nil
	case s.status == http.StatusRequestedRangeNotSatisfiable:
		s.err = httpError(s.status, CodeOutOfRange, "the file has %d bytes and not this range", size).WithHeader("Content-Range",
			fmt.Sprintf("bytes */%d", size))
		return nil
	case s.status == http.StatusNotModified || r.Method == http.MethodHead:
		s.begin()
		return nil
	case canSeek:
		if _, err = seeker.Seek(start, io.SeekStart); err != nil {
			return err
		}
	}
	n, err := io.CopyN(s, f.Content, length)
	if err != nil && err != io.EOF {
		return err
	}
	if n < length && length < math.MaxInt64 {
		return fmt.Errorf("it ended after %d of %d bytes", n, length)
	}
	s.begin() // of an empty file
	return nil
}

// decide calls http.ServeContent, which decides the status and the header, with a HEAD request and
// an unreadable content of this size. It returns the part of the File to send: ServeContent seeks
// to start, and sets Content-Length to length.
//
//	size 1000, Range: bytes=500-  => 206, start 500, length 500
//	size 1000, If-None-Match hits => 304; start and length mean nothing
func (s *fileSender) decide(f *File, r *http.Request, size int64, canSeek bool) (start, length int64) {
	h := s.Header()
	h.Set("Content-Type", f.ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", contentDisposition(f.Name, f.Inline))
	if f.ETag != "" {
		h.Set("Etag", f.ETag)
	}
	seen := http.Request{Method: http.MethodHead, Header: r.Header.Clone()}
	seen.Header.Del("Range")
	if ranges := r.Header["Range"]; len(ranges) == 1 && canSeek && size > 0 {
		if clamped, ok := clampRange(ranges[0]); ok {
			seen.Header.Set("Range", clamped)
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case verbQuery:
		seen.Header.Del("Range") // only GET supports ranges (RFC 9110, section 14.2)
	default:
		seen.Header = nil // preconditions of a write apply to what it changes (RFC 9110, section 13.1)
	}
	content := io.NewSectionReader(nil, 0, size)
	http.ServeContent(s, &seen, "", f.Modified, content)
	start, _ = content.Seek(0, io.SeekCurrent) // where http.ServeContent would have started to read
	length, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil { // ServeContent does not set it if middleware has set a Content-Encoding
		length = size
	}
	if !canSeek {
		h.Del("Accept-Ranges")
	}
	if size == math.MaxInt64 {
		h.Del("Content-Length")
	}
	return start, length
}

// begin sends the header, if it is not sent.
func (s *fileSender) begin() {
	if s.begun {
		return
	}
	s.begun = true
	if s.status == http.StatusNotModified {
		writeNotModified(s.ResponseWriter)
	} else {
		s.ResponseWriter.WriteHeader(s.status)
	}
}

// WriteHeader records the status for begin.
func (s *fileSender) WriteHeader(status int) { s.status = status }

func (s *fileSender) Write(p []byte) (n int, err error) {
	if s.status >= http.StatusBadRequest { // ServeContent writes the text of its error
		return len(p), nil
	}
	http.NewResponseController(s.ResponseWriter).SetWriteDeadline(time.Now().Add(responseTime))
	s.begin()
	n, err = s.ResponseWriter.Write(p)
	s.err = sendingError("the File", err)
	return n, err
}

// maxFileName is the longest name in most file systems, in bytes.
const maxFileName = 255

// fileName returns the name of a file without directories and control characters, or "":
//
//	../etc/passwd, C:\temp\passwd  =>  passwd
//	.., /tmp/                      =>  ""
func fileName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name[strings.LastIndexAny(name, `/\`)+1:])
	if name = strings.TrimSpace(name); name == "." || name == ".." {
		return ""
	}
	return strings.ToValidUTF8(name[:min(len(name), maxFileName)], "") // the cut may be inside a character
}

// contentDisposition returns the value of Content-Disposition (RFC 6266). filename uses only ASCII
// characters that all clients read alike. If this changes the name, filename* has the original
// name, encoded by RFC 8187:
//
//	a.png    =>  attachment; filename="a.png"
//	50 €.png =>  attachment; filename="50 _.png"; filename*=UTF-8''50%20%E2%82%AC.png
func contentDisposition(name string, inline bool) string {
	text := "attachment"
	if inline {
		text = "inline"
	}
	if name = fileName(name); name == "" {
		return text
	}
	plain := strings.Map(func(r rune) rune {
		if r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
	text += `; filename="` + plain + `"`
	if plain != name {
		text += "; filename*=UTF-8''" + string(appendEscapedText(nil, []byte(name)))
	}
	return text
}

// parseFile returns the File that the header of a response describes.
func parseFile(h http.Header) File {
	kind, params, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	modified, _ := http.ParseTime(h.Get("Last-Modified"))
	return File{Name: fileName(params["filename"]), ContentType: h.Get("Content-Type"), ETag: h.Get("ETag"), Modified: modified,
		Inline: kind == "inline"}
}

// fileTags has the values of the tags of a Body or a File.
type fileTags struct {
	types  []string // media types in lower case; nil for any
	max    int64    // bytes of a Body; 0 if the tag is missing
	inline bool     // browsers show the File instead of saving it

	anyOrder bool // order:"any": the file of a form is read into memory, with the fields behind it
}

// inlineTag is the tag of a File that browsers show.
const inlineTag = "inline"

// isMediaType reports whether text is one media type (RFC 9110, section 8.3.1) that a header can
// carry unchanged. A Body with any other type is refused, so a File can be sent with the type that
// it was uploaded with:
//
//	accepted      image/png, text/csv; charset=utf-8;, a/b;x="1, 2"
//	not accepted  image, image/png;a=b,text/html, text/csv; charset, a/b;x="ä"
func isMediaType(text string) bool {
	kind, rest, _ := strings.Cut(text, "/")
	subtype, rest := cutToken(rest)
	if len(text) > maxMediaType || !isToken(kind) || subtype == "" || !isHeaderValue(text) {
		return false
	}
	for rest != "" {
		var separated bool
		if rest, separated = strings.CutPrefix(strings.TrimLeft(rest, " \t"), ";"); !separated {
			return false
		}
		name, value := cutToken(strings.TrimLeft(rest, " \t"))
		rest = value
		if name == "" { // two semicolons, or one at the end
			continue
		}
		var ok bool
		if value, ok = strings.CutPrefix(value, "="); !ok {
			return false
		}
		if rest, ok = cutParameterValue(value); !ok {
			return false
		}
	}
	return true
}

// cutToken returns the token at the beginning of text, or "", and the rest.
func cutToken(text string) (token, rest string) {
	end := 0
	for end < len(text) && isToken(text[end:end+1]) {
		end++
	}
	return text[:end], text[end:]
}

// cutParameterValue returns the rest of text, the value of a header, after the token or quoted
// string at its beginning (RFC 9110, section 5.6.4). ok is false if it begins with neither.
func cutParameterValue(text string) (rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		token, rest := cutToken(text)
		return rest, token != ""
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return text[i+1:], true
		case '\\': // skip the escaped character
			i++
		}
	}
	return "", false
}

// mediaTypeError returns the error for an upload with more than one Content-Type, or with one that
// isMediaType rejects.
func (t *fileTags) mediaTypeError() error {
	want := ", such as application/octet-stream"
	if t.types != nil {
		want = ": " + strings.Join(t.types, " or ")
	}
	return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type must be one media type%s", want)
}

// partTypeError returns the error for a file whose part of a form has the wrong Content-Type.
func (t *fileTags) partTypeError(part string) error {
	want := cmp.Or(strings.Join(t.types, " or "), "one media type")
	return httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "the Content-Type of the part %s must be %s", part, want)
}

// allows reports whether a Body or a File may have the content type.
func (t *fileTags) allows(contentType string) bool {
	return t.types == nil || slices.Contains(t.types, withoutParameters(contentType))
}

// withoutParameters returns the type and the subtype of a content type, in lower case.
func withoutParameters(contentType string) string {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(mediaType))
}

// contentTypeMultipart is the media type of forms with files (RFC 7578).
const contentTypeMultipart = "multipart/form-data"
