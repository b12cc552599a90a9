package svc

// This file serves documents: texts made from the plans of a service, such as the OpenAPI document
// and the reference page. It does not know their contents. To add a document, write its text in a
// separate room above this one, and serve it:
//
//	text := lazyDocument(func() []byte { return appendRouteList(nil, s) })
//	return s.serveDocument("routelist", func(http.Header, *http.Request) (*document, string, error) {
//		return text(), "text/plain; charset=utf-8", nil
//	})

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
)

// A document is a text with its entity tag. It never changes.
type document struct {
	text []byte
	etag string // a strong validator: a hash of the text (RFC 9110, section 8.8.3)
}

// lazyDocument returns a function that returns the document with the text of write. It
// calls write once, at the first call. All replicas of a program must get the same text,
// and so the same ETag: write depends on the plans of the service alone, and on no order
// of a map.
func lazyDocument(write func() []byte) func() *document {
	return sync.OnceValue(func() *document {
		text := write()
		sum := sha256.Sum256(text)
		return &document{text, `"` + hex.EncodeToString(sum[:16]) + `"`} // 128 bits do not collide by accident
	})
}

// A chooseFunc returns the document that r asks for, and its media type, with parameters
// such as charset. It may add headers to the response, and return an error that is sent
// instead.
type chooseFunc func(header http.Header, r *http.Request) (d *document, contentType string, err error)

// A documentHandler serves documents to GET and HEAD requests.
type documentHandler struct {
	endpoint
	choose chooseFunc
}

// serveDocument returns a handler that serves the result of choose. The log shows name as the
// transport; it needs no constant.
func (s *service) serveDocument(name Transport, choose chooseFunc) http.Handler {
	return &documentHandler{s.newEndpoint(name), choose}
}

func (h *documentHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serveRequest(w, r, h) }

func (h *documentHandler) writeErrorResponse(w http.ResponseWriter, r *http.Request, err error) {
	h.respondByOption(w, r, err)
}

// respond sends the document that r asks for. http.ServeContent answers conditional and
// range requests. The body of r is not read.
func (h *documentHandler) respond(w http.ResponseWriter, r *http.Request, _ *workspace) error {
	leaveBody(w, r)
	header := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed("GET, HEAD")
	}
	d, contentType, err := h.choose(header, r)
	if err != nil {
		return err
	}
	addHeader(header, "Vary", "Accept") // one URL can have several documents, and middleware may have set Vary
	header.Set("Content-Type", contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("ETag", d.etag)
	if value := r.Header.Get("Range"); value != "" {
		if clamped, ok := clampRange(value); ok && clamped != value {
			r = r.WithContext(r.Context())
			r.Header = maps.Clone(r.Header)
			r.Header.Set("Range", clamped)
		}
	}
	// The zero time sends no Last-Modified: the text depends on the program and not on the
	// time when it began.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.text))
	return nil
}

// visibleText returns text with JSON escapes for characters that are invisible or change the
// direction of text, so that readers see them: "a\u202eb". The two joiners stay, because scripts
// and emoji need them.
func visibleText(text string) string {
	isPlain := func(r rune) bool { return ' ' <= r && r <= '~' }
	if strings.IndexFunc(text, func(r rune) bool { return !isPlain(r) }) < 0 { // nearly always
		return text
	}
	var visible strings.Builder
	for _, r := range text {
		if isPlain(r) || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == '\u200c' || r == '\u200d' {
			visible.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&visible, `\u%04x`, unit)
		}
	}
	return visible.String()
}

// pageText returns source with \n in place of \r\n, which a checkout on Windows may have.
// Browsers do the same with a page (HTML, section 13.2.3.5) before they hash the script and compare it
// with the policy: of "f()\r\n" they hash "f()\n".
func pageText(source string) string {
	return strings.ReplaceAll(source, "\r\n", "\n")
}
