package svc

// This file sends the forms of a client: without a Body as application/x-www-form-urlencoded, and
// with one as multipart/form-data, whose last part is sent while it is read.

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// writeForm returns the form with the fields of the input in, as the server will read it.
func (c *clientCall) writeForm(b *callBuffer, in any) *formInput {
	b.dec.in = inBody
	b.query = b.query[:0]
	writePairs(b, c.params[whereForm], reflect.ValueOf(in).Elem())
	return &formInput{encoded: string(b.query), hasFile: c.sendsPart(in), whole: c.takesBody() && c.in.file.tags.anyOrder}
}

// sendsPart reports whether the form of the input in includes a file: an optional Body that is zero
// is not sent.
func (c *clientCall) sendsPart(in any) bool {
	if !c.takesBody() {
		return false
	}
	b := c.bodyOf(in)
	isZero := b.content == nil && b.ContentType == "" && b.FileName == "" && b.Size == 0
	return c.in.file.isRequired() || !isZero
}

// addForm sets the body of r to the form with the input in. writeForm has written the fields into
// b.query.
func (c *clientCall) addForm(b *callBuffer, r *http.Request, in any) error {
	if !c.takesBody() {
		r.Header.Set("Content-Type", contentTypeForm)
		setContent(r, []byte(string(b.query)))
		return nil
	}
	boundary := rand.Text()
	r.Header.Set("Content-Type", contentTypeMultipart+"; boundary="+boundary)
	head := appendParts(nil, string(b.query), boundary)
	if !c.sendsPart(in) {
		setContent(r, append(head, "--"+boundary+"--\r\n"...))
		return nil
	}
	return c.sendBody(r, c.newFormBody(in, head, boundary))
}

// newFormBody returns the body of a form whose file is the Body of in. head has the parts before
// the file.
func (c *clientCall) newFormBody(in any, head []byte, boundary string) *clientBody {
	body := newClientBody(c.bodyOf(in))
	file := ""
	if name := fileName(body.FileName); name != "" {
		file = `; filename="` + strings.ReplaceAll(name, `"`, quoteInName) + `"` // a fileName never contains a backslash
	}
	body.head = appendPart(head, boundary, c.in.file.name, file, body.ContentType)
	body.tail = []byte("\r\n--" + boundary + "--\r\n")
	return body
}

// appendParts appends the parts of a form that is written as application/x-www-form-urlencoded.
func appendParts(dst []byte, pairs, boundary string) []byte {
	for pair := range strings.SplitSeq(pairs, "&") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok { // the empty text
			continue
		}
		name, _ = url.QueryUnescape(name) // both are escaped by writePair
		value, _ = url.QueryUnescape(value)
		dst = append(appendPart(dst, boundary, name, "", ""), value+"\r\n"...)
	}
	return dst
}

// appendPart appends the beginning of a part, up to its value. Names cannot contain quotes, which
// encoding/json does not allow in them.
func appendPart(dst []byte, boundary, name, file, contentType string) []byte {
	dst = append(dst, "--"+boundary+"\r\nContent-Disposition: form-data; name=\""+name+"\""+file+"\r\n"...)
	if contentType != "" {
		dst = append(dst, "Content-Type: "+contentType+"\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// Read implements io.Reader. In a form, the content is between head and tail.
func (b *clientBody) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		switch {
		case b.sent < len(b.head):
			n = copy(p, b.head[b.sent:])
			b.sent += n
		case !b.whole && !b.take():
			err = errBodyLeft
		case !b.whole:
			if n, err = b.Body.Read(p); err == io.EOF {
				b.whole, err = true, nil
			}
		case b.sent-len(b.head) < len(b.tail):
			n = copy(p, b.tail[b.sent-len(b.head):])
			b.sent += n
		default:
			err = io.EOF
		}
	}
	return n, err
}
