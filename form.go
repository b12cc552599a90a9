package svc

// This file reads forms: request bodies as browsers send them for <form method="post">. bind.go
// sets the fields of an input from the result. In this order:
//
//   - the media types of forms
//   - formInput, the part of a form before its file
//   - formReader, which reads the parts of multipart/form-data
//   - formFile, the file of a form, which is read while it arrives
//   - the form in a request
//
// Forms have one of two media types (WHATWG HTML, section 4.10.21.8). Only the second can have a
// file:
//
//	application/x-www-form-urlencoded   title=My+cat&tags=a&tags=b
//	multipart/form-data (RFC 7578)      --b
//	                                    Content-Disposition: form-data; name="title"
//
//	                                    My cat
//	                                    --b
//	                                    Content-Disposition: form-data; name="photo"; filename="cat.png"
//	                                    Content-Type: image/png
//
//	                                    …
//	                                    --b--
//
// The file is the last part, so that the method can have all fields before it reads the file. With
// the tag order:"any" it may be any part: then it is read into memory before the method is called.

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// contentTypeForm is the media type of forms without files; forms with files use
// contentTypeMultipart.
const contentTypeForm = "application/x-www-form-urlencoded"

// maxFormParts is the maximum number of parts in a form. net/http has the same limit.
const maxFormParts = 1000

// A formInput is the part of a form before its file.
type formInput struct {
	encoded string     // application/x-www-form-urlencoded; "" for a form of parts
	parts   []formPart // of multipart/form-data, without the file
	hasFile bool       // a file follows, or is read
	whole   bool       // everything after the file has been read
}

// A formPart is a part of a form that is not a file, or a complaint about one.
type formPart struct {
	name  string
	value []byte
	wrong *complaint // in place of the value; nil if it can be read
}

// boundaryOf returns the boundary of a multipart form, and "" for the other media type. With a file
// the form must be multipart. The error has the status 415.
func boundaryOf(types []string, withFile bool) (boundary string, err error) {
	want := contentTypeForm + " or " + contentTypeMultipart
	if withFile {
		want = contentTypeMultipart
	}
	refuse := func(text string) (string, error) {
		return "", httpError(http.StatusUnsupportedMediaType, CodeInvalidArgument, "%s", text)
	}
	if len(types) != 1 {
		return refuse("the Content-Type must be " + want)
	}
	mediaType, params, err := parseMediaType(types[0])
	switch {
	case err != nil, mediaType != contentTypeMultipart && (mediaType != contentTypeForm || withFile):
		return refuse("the Content-Type must be " + want)
	case params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8"):
		return refuse("the form must be in UTF-8")
	case mediaType == contentTypeForm:
		return "", nil
	case !isBoundary(params["boundary"]):
		return refuse("the Content-Type " + contentTypeMultipart + " must have a boundary of 1 to 70 characters")
	}
	return params["boundary"], nil
}

// isBoundary reports whether text can be a boundary (RFC 2046, section 5.1.1).
func isBoundary(text string) bool {
	for _, c := range []byte(text) {
		if !isAlphanumeric(c) && !strings.ContainsRune("'()+_,-./:=? ", rune(c)) {
			return false
		}
	}
	return text != "" && len(text) <= 70 && !strings.HasSuffix(text, " ")
}

// A formReader reads the parts of a form with mime/multipart. formSource adds the missing limits.
// Errors of mime/multipart are replaced, because they quote the client's data.
type formReader struct {
	parts  *multipart.Reader
	source *formSource
	read   int // parts started so far
}

// newFormReader returns a reader of the form in r. Before the file it reads at most limit bytes, or
// without a limit if limit is negative.
func newFormReader(r io.Reader, boundary string, limit int64) *formReader {
	source := &formSource{reader: r, limit: limit}
	return &formReader{parts: multipart.NewReader(source, boundary), source: source}
}

// A formSource is the text of a form. It keeps the error of reading it, which mime/multipart wraps
// in its own.
//
// At the end of the text it first returns a line end, which the last boundary may lack, and then
// errFormEnded instead of io.EOF. mime/multipart treats io.EOF in the header of a part as the end
// of the form, so a form that was cut there would look complete.
type formSource struct {
	reader io.Reader
	limit  int64  // on total, before the file; negative for no limit
	inFile bool   // the limit does not count
	total  int64  // bytes that have been read
	last   string // still to be read after the end of the text
	ended  bool
	err    error // of reader, but for io.EOF, or errFormOverLimit
}

// The errors of a formSource for a text of more bytes than its limit, and after the end of the
// text.
var (
	errFormOverLimit = errors.New("the form has more bytes than its limit")
	errFormEnded     = errors.New("the form has ended")
)

// Read implements io.Reader. It reads no byte beyond the limit, so that a form of that many bytes
// before its file is accepted, although mime/multipart reads ahead.
func (s *formSource) Read(p []byte) (n int, err error) {
	room := s.limit - s.total
	switch limited := s.limit >= 0 && !s.inFile; {
	case s.err != nil:
		return 0, s.err
	case s.ended:
		if n = copy(p, s.last); n == 0 {
			return 0, errFormEnded
		}
		s.last = s.last[n:]
		return n, nil
	case limited && room <= 0: // the text must end here
		var next [1]byte
		if n, err = io.ReadFull(s.reader, next[:]); n > 0 {
			n, err = 0, errFormOverLimit
		}
	case limited && room < int64(len(p)):
		n, err = s.reader.Read(p[:room])
	default:
		n, err = s.reader.Read(p)
	}
	s.total += int64(n)
	if err == io.EOF {
		s.ended, s.last, err = true, "\r\n", nil
	}
	s.err = err
	return n, err
}

// next returns the next part, or io.EOF at the end of the form.
func (f *formReader) next() (*multipart.Part, error) {
	part, err := f.parts.NextRawPart()
	switch {
	case f.source.err != nil:
		return nil, f.source.err
	case err == io.EOF:
		return nil, f.readEnd()
	case err != nil:
		return nil, f.syntaxError("is not a form: part " + strconv.Itoa(f.read+1) + " has no correct beginning, or the end is missing")
	}
	if f.read++; f.read > maxFormParts {
		return nil, httpError(http.StatusRequestEntityTooLarge, CodeResourceExhausted, "the form has more than %d parts", maxFormParts)
	}
	return part, nil
}

// maxEpilogue is the maximum number of bytes after the last boundary. They are ignored (RFC 2046,
// section 5.1.1), and browsers send only a line end.
const maxEpilogue = 4 << 10

// readEnd reads the rest after the last boundary, because net/http serves the next request of the
// connection only after that. It returns io.EOF, or why the text does not end.
func (f *formReader) readEnd() error {
	_, err := io.CopyN(io.Discard, f.source, maxEpilogue)
	switch {
	case err == nil:
		return f.syntaxError("is not a form: a text follows its end")
	case f.source.err != nil:
		return f.source.err
	}
	return io.EOF // behind errFormEnded
}

// syntaxError returns the error for a text that is not a form.
func (f *formReader) syntaxError(message string) error {
	return formError("", &complaint{rule: ruleSyntax, message: message})
}

// formError returns the error for the part of this name; "" means the whole form.
func formError(name string, c *complaint) error {
	path := ""
	if name != "" {
		path = pointerToken(strings.ToValidUTF8(name, "\uFFFD"))
	}
	var found violations
	found.addViolation(c.inBody(path))
	return found.err()
}

// A partHeader is the parsed header of a part.
type partHeader struct {
	name     string
	isFile   bool   // it has a file name, which may be empty
	fileName string // as it was sent
}

// readHeader parses the header of a part.
func (f *formReader) readHeader(part *multipart.Part) (h partHeader, err error) {
	values := part.Header["Content-Disposition"]
	var params map[string]string
	if len(values) == 1 {
		var kind string
		if kind, params, err = mime.ParseMediaType(values[0]); err != nil || kind != "form-data" {
			params = nil
		}
	}
	if params["name"] == "" {
		return h, f.syntaxError("is not a form: part " + strconv.Itoa(f.read) +
			" must have one header Content-Disposition, form-data with a name")
	}
	h.name = params["name"]
	h.fileName, h.isFile = params["filename"]
	if !strings.Contains(strings.ToLower(values[0]), "filename*") { // a value with filename* has different escapes (RFC 8187)
		h.fileName = strings.ReplaceAll(h.fileName, quoteInName, `"`)
	}
	return h, nil
}

// quoteInName stands for a quotation mark in the name of a file, as browsers write it (WHATWG HTML,
// section 4.10.22.7). They do not escape a percent sign, so a%22b.png arrives as a"b.png too.
const quoteInName = "%22"

// readFields reads the form up to the file of this name, or to its end. file is "" for a form
// without a file. It returns the reader of the file, or nil. A file input that was left empty has
// no name and no bytes, and counts as absent (WHATWG HTML, section 4.10.22.4).
func (f *formReader) readFields(in *formInput, file string) (*formFile, error) {
	for {
		part, err := f.next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return nil, err
		}
		h, err := f.readHeader(part)
		if err != nil {
			return nil, err
		}
		if h.name == file {
			opened, err := f.openFile(part, h)
			if opened != nil || err != nil {
				in.hasFile = opened != nil
				return opened, err
			}
			continue
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, f.partError(h.name)
		}
		in.parts = append(in.parts, formPart{h.name, value, h.complaintAbout(part)})
	}
}

// complaintAbout returns a complaint if a text part is invalid, or nil.
func (h partHeader) complaintAbout(part *multipart.Part) *complaint {
	_, params, err := parseMediaType(part.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	switch {
	case h.fileName != "":
		return errFileInText
	case isEncoded(part):
		return errNotBinary
	case err == nil && !slices.Contains([]string{"", "utf-8", "us-ascii"}, charset):
		return errPartCharset
	}
	return nil
}

// isEncoded reports whether the body of a part must be decoded.
func isEncoded(part *multipart.Part) bool {
	return slices.ContainsFunc(part.Header["Content-Transfer-Encoding"], func(text string) bool {
		return !slices.Contains([]string{"binary", "8bit", "7bit"}, strings.ToLower(text))
	})
}

// partError returns the error for a part that cannot be read to its end.
func (f *formReader) partError(name string) error {
	return cmp.Or(f.source.err, formError(name,
		&complaint{rule: ruleSyntax, message: "has no end: the last boundary of the form is missing"}))
}

// A formFile is the file of a form. As a reader it returns io.EOF only if the form ends properly: a
// form that was cut, or that continues after the file, is an error. So a method that stores the
// file at io.EOF has all of it.
type formFile struct {
	form  *formReader
	part  *multipart.Part
	head  partHeader
	first []byte // read by openFile
}

// openFile returns the file that begins with part, or nil for a file input that was left empty.
// From here on the limit of the fields does not count.
func (f *formReader) openFile(part *multipart.Part, h partHeader) (*formFile, error) {
	f.source.inFile = true
	file := &formFile{form: f, part: part, head: h}
	if h.isFile && h.fileName == "" {
		file.first = make([]byte, 1)
		n, err := io.ReadFull(part, file.first)
		switch {
		case err == io.EOF:
			f.source.inFile = false
			return nil, nil
		case n == 0:
			return nil, f.partError(h.name)
		}
	}
	if isEncoded(part) {
		return nil, formError(h.name, errNotBinary)
	}
	return file, nil
}

// Read implements io.Reader. Its errors come from the connection, or are an *Error.
func (f *formFile) Read(p []byte) (n int, err error) {
	if len(f.first) > 0 {
		n = copy(p, f.first)
		f.first = f.first[n:]
		return n, nil
	}
	n, err = f.part.Read(p)
	switch {
	case err == io.EOF:
		return n, f.end()
	case err != nil:
		return n, f.form.partError(f.head.name)
	}
	return n, nil
}

// maxBehindFile is the maximum number of bytes after the file: the last boundary and the ignored
// rest. It is enough to name a part that must not be there.
const maxBehindFile = maxEpilogue + 128

// end returns io.EOF if the form ends after the file, or an error.
func (f *formFile) end() error {
	source := f.form.source
	source.inFile, source.limit = false, source.total+maxBehindFile
	part, err := f.form.next()
	if err == errFormOverLimit {
		return f.form.syntaxError("is not a form: a text follows its file")
	}
	if err != nil {
		return err
	}
	h, err := f.form.readHeader(part)
	if err != nil {
		return err
	}
	return ErrorFrom(formError(h.name, errOtherFile)).WithCause(errNoOrder)
}

// errNoOrder tells, in the log, how to allow a form with its parts in this order.
var errNoOrder = errors.New("with the tag order:\"any\" on the Body, fields may follow the file")

// explainOrder returns err, the error of an input from the form, with errNoOrder as its cause if a
// field may follow the file.
func (in *formInput) explainOrder(err error) error {
	if in == nil || !in.hasFile || in.whole || err == nil {
		return err
	}
	e := ErrorFrom(err)
	if slices.ContainsFunc(e.Violations(), func(v Violation) bool { return v.Rule == ruleOrder }) {
		return e.WithCause(errNoOrder)
	}
	return err
}

// newBody returns the Body that reads f, or the error of its tags.
func (f *formFile) newBody(l limits, file *field) (*Body, error) {
	header := f.part.Header
	b := &Body{ContentType: strings.Join(header["Content-Type"], ", "), Size: -1, FileName: fileName(f.head.fileName), content: f}
	err := file.tags.limitBody(b, l, file.name)
	if len(header["Content-Type"]) > 1 { // together they can look like one
		err = file.tags.partTypeError(file.name)
	}
	return b, err
}

// hold reads the file into memory, and then the rest of the form, whose fields count with those
// before the file. b is the Body of f.
func (f *formFile) hold(in *formInput, b *Body, name string) error {
	reader, source := b.content.(*bodyReader), f.form.source
	content, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(f.first), f.part), reader.size+1))
	switch {
	case int64(len(content)) > reader.size:
		return reader.tooLargeError()
	case err != nil:
		return f.form.partError(name)
	}
	source.inFile, in.whole = false, true
	if source.limit >= 0 {
		source.limit += int64(len(content))
	}
	again, err := f.form.readFields(in, name)
	switch {
	case err != nil:
		return err
	case again != nil:
		return formError(name, errRepeated)
	case source.limit >= 0 && source.total > source.limit: // they were read with the end of the file
		return errFormOverLimit
	}
	b.Size, reader.body = int64(len(content)), bytes.NewReader(content)
	return nil
}

// checkForm checks the header of a request with a form, and returns its boundary as boundaryOf
// does. It returns an error with the status 403 or 415.
func checkForm(w http.ResponseWriter, r *http.Request, withFile bool) (boundary string, err error) {
	if checkSite(r) != nil {
		return "", Errorf(CodePermissionDenied, "a form from a page of another site needs an origin that CORS allows by name")
	}
	if err = checkUncompressed(w, r); err != nil {
		return "", err
	}
	return boundaryOf(r.Header["Content-Type"], withFile)
}

// parseForm returns the form in body. The form must not have a file.
func parseForm(body []byte, boundary string) (*formInput, error) {
	if boundary == "" {
		return &formInput{encoded: string(body)}, nil
	}
	in := new(formInput)
	_, err := newFormReader(bytes.NewReader(body), boundary, -1).readFields(in, "")
	return in, err
}

// openForm reads the form in the body of r up to its file, which it returns as a Body, or nil
// without a file. If the parts may be in any order, it reads all of them. file is the field of the
// Body. After an error, a part of the body is unread.
//
// body is r.Body, or a reader of it that may fail with an error of isBusy.
func openForm(
	w http.ResponseWriter, r *http.Request, body io.Reader, boundary string, l limits, file *field,
) (*formInput, *Body, error) {
	in, form := new(formInput), newFormReader(body, boundary, l.size)
	part, err := form.readFields(in, file.name)
	var b *Body
	if err == nil && part != nil {
		b, err = part.newBody(l, file)
	}
	isHeld := b != nil && file.tags.anyOrder
	if err == nil && isHeld {
		err = part.hold(in, b, file.name)
	}
	if err == nil && b != nil && !isHeld && r.ContentLength >= 0 {
		err = b.content.(*bodyReader).checkRest(r.ContentLength - form.source.total - maxEpilogue)
	}
	_, ours := err.(*Error)
	switch {
	case err == nil && b != nil && !isHeld:
		b.content.(*bodyReader).openIn(w, r)
	case err == nil:
	case ours:
		return in, nil, err
	case err == errFormOverLimit:
		return nil, nil, l.tooLargeError()
	case isBusy(err):
		return nil, nil, err
	default:
		return nil, nil, bodyError(r, err)
	}
	return in, b, nil
}
