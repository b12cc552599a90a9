package svc

// This file serves the OpenAPI document of a service: which of its two forms a
// request asks for, and whether it has it already. openapi_build.go makes the
// document out of the methods; openapi_document.go is what a document is.

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// OpenAPI returns a handler that serves the OpenAPI document of the REST routes:
// 3.0.3 as application/json, or 3.1 where the request has ?openapi=3.1 or
// Accept: application/vnd.oai.openapi+json;version=3.1. The two differ in what
// they tell readers: only 3.1 has the descriptions of methods, a tag for each
// resource, and parameters of the path by their type rather than as the text
// they are in a URL.
//
// The document is made at the first request for it. It has an ETag, and a
// request with If-None-Match may get 304 (RFC 9110, section 13.1.2).
//
// The error responses are described as what Options.OnError writes if that is
// [WriteError] or [WriteProblem]; of another ErrorHandler the document says only
// that there are errors.
func (s *Service) OpenAPI() http.Handler {
	h := &openAPIHandler{config: s.methods[0].config}
	h.v30 = sync.OnceValue(func() *publication {
		return newPublication(contentTypeJSON, buildDocument(s, openAPI30))
	})
	h.v31 = sync.OnceValue(func() *publication {
		return newPublication(contentTypeJSON, buildDocument(s, openAPI31))
	})
	h.v31Typed = sync.OnceValue(func() *publication {
		return h.v31().as(contentTypeOpenAPI + ";version=3.1")
	})
	return h
}

// contentTypeOpenAPI is the media type that the OpenAPI Initiative uses. It is
// not registered.
const contentTypeOpenAPI = "application/vnd.oai.openapi+json"

// An openAPIHandler serves one document in two forms, the second also under the
// media type that asks for it.
type openAPIHandler struct {
	config             *config
	v30, v31, v31Typed func() *publication
}

var _ http.Handler = (*openAPIHandler)(nil)

// A publication is a document as it is sent. The values of its header are
// shared by all responses: a response adds nothing to what it allocates itself.
type publication struct {
	body        []byte
	etag        string
	contentType []string
	length      []string
	etags       []string
	nosniff     []string
	vary        []string
}

func newPublication(contentType string, body []byte) *publication {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	// Each slice is full, so that who appends to it gets a copy.
	return &publication{
		body:        body,
		etag:        etag,
		contentType: []string{contentType},
		length:      []string{strconv.Itoa(len(body))},
		etags:       []string{etag},
		nosniff:     []string{"nosniff"},
		vary:        []string{"Accept"},
	}
}

// as returns p under another media type.
func (p *publication) as(contentType string) *publication {
	other := *p
	other.contentType = []string{contentType}
	return &other
}

func (h *openAPIHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.config.limits.setDeadline(w, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, transportError(http.StatusMethodNotAllowed, CodeUnimplemented, "the method is not allowed here; allowed: GET, HEAD"))
		return
	}
	p, err := h.choose(r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	p.serve(w, r)
}

func (h *openAPIHandler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	logError(r.Context(), h.config.logger, err, func() []slog.Attr {
		return []slog.Attr{slog.String("transport", "openapi"), slog.String("method", r.Method), slog.String("path", r.URL.Path)}
	})
	respondError(w, r, err, h.config.onError)
}

// choose returns the form that the request asks for, in the query or else by
// Accept.
func (h *openAPIHandler) choose(r *http.Request) (*publication, error) {
	if r.URL.RawQuery != "" {
		switch version := r.URL.Query().Get("openapi"); version {
		case "":
		case "3.0", openAPI30.version():
			return h.v30(), nil
		case "3.1", openAPI31.version():
			return h.v31(), nil
		default:
			return nil, Errorf(CodeInvalidArgument, "the document is there as openapi=3.0 and openapi=3.1")
		}
	}
	for _, accept := range r.Header["Accept"] {
		if strings.Contains(accept, contentTypeOpenAPI) && accepts31(accept) {
			return h.v31Typed(), nil
		}
	}
	return h.v30(), nil
}

// accepts31 reports whether an Accept header has the media type of OpenAPI 3.1
// (RFC 9110, section 12.5.1).
func accepts31(accept string) bool {
	for _, item := range strings.Split(accept, ",") {
		mediaType, params, err := mime.ParseMediaType(item)
		if err != nil || mediaType != contentTypeOpenAPI {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		refused := err == nil && q == 0
		if v := params["version"]; !refused && (v == "3.1" || strings.HasPrefix(v, "3.1.")) {
			return true
		}
	}
	return false
}

// serve answers a GET or HEAD request with p.
func (p *publication) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Etag"] = p.etags
	if len(h["Vary"]) == 0 {
		h["Vary"] = p.vary
	} else {
		h.Add("Vary", p.vary[0])
	}
	if hasETag(r.Header["If-None-Match"], p.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Type"] = p.contentType
	h["Content-Length"] = p.length
	h["X-Content-Type-Options"] = p.nosniff
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(p.body) // a client that has gone cannot be told
	}
}

// hasETag reports whether If-None-Match names etag. The comparison is the weak
// one (RFC 9110, section 13.1.2): a proxy that compresses marks tags as weak.
func hasETag(ifNoneMatch []string, etag string) bool {
	for _, list := range ifNoneMatch {
		for more := true; more; {
			var item string
			item, list, more = strings.Cut(list, ",") // ours has no comma in it
			item = strings.TrimSpace(item)
			if item == "*" || strings.TrimPrefix(item, "W/") == etag {
				return true
			}
		}
	}
	return false
}
