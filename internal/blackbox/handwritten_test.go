package blackbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// This file is the other side of the benchmark: BenchAPI by hand. It does what
// a careful author does and no more: bounded bodies, the content type, nothing
// after the document, every rule checked and every violation listed, nothing
// written before it is complete. It does not try to be fast where that would
// cost clarity, because nobody would.

type handwritten struct{ api BenchAPI }

func newHandwritten(api BenchAPI) http.Handler {
	h := handwritten{api}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /todos", h.create)
	mux.HandleFunc("GET /todos", h.list)
	mux.HandleFunc("GET /todos/{id}", h.get)
	mux.HandleFunc("POST /todos/import", h.bulk)
	return mux
}

func (h handwritten) create(w http.ResponseWriter, r *http.Request) {
	var in BenchCreate
	if !readJSON(w, r, &in) {
		return
	}
	v := violations{in: "body"}
	v.length("/title", in.Title, 1, 100)
	v.length("/description", in.Description, 0, 1000)
	v.between("/tags", "items", len(in.Tags), 0, 8)
	v.between("/priority", "value", in.Priority, 1, 5)
	if v.write(w) {
		return
	}
	out, err := h.api.Create(r.Context(), &in)
	writeResult(w, out, err)
}

func (h handwritten) get(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v := violations{in: "query"}
	in := BenchGet{ID: r.PathValue("id"), Lang: query.Get("lang"), Fields: query.Get("fields")}
	in.Depth = v.number(query, "depth", 0, 0, 9)
	in.Expand = v.boolean(query, "expand")
	v.length("/lang", in.Lang, 0, 8)
	v.length("/fields", in.Fields, 0, 200)
	if v.write(w) {
		return
	}
	out, err := h.api.Get(r.Context(), &in)
	writeResult(w, out, err)
}

func (h handwritten) list(w http.ResponseWriter, r *http.Request) {
	v := violations{in: "query"}
	in := BenchList{Limit: v.number(r.URL.Query(), "limit", 20, 1, 100)}
	if v.write(w) {
		return
	}
	out, err := h.api.List(r.Context(), &in)
	writeResult(w, out, err)
}

func (h handwritten) bulk(w http.ResponseWriter, r *http.Request) {
	var in BenchImport
	if !readJSON(w, r, &in) {
		return
	}
	v := violations{in: "body"}
	v.between("/records", "items", len(in.Records), 1, 1000)
	for i := range in.Records {
		checkRecord(&v, i, &in.Records[i])
	}
	if v.write(w) {
		return
	}
	out, err := h.api.Import(r.Context(), &in)
	writeResult(w, out, err)
}

// checkRecord spells a path only where something is wrong.
func checkRecord(v *violations, i int, rec *BenchRecord) {
	before := len(v.list)
	v.length("/title", rec.Title, 1, 100)
	v.between("/priority", "value", rec.Priority, 1, 5)
	if rec.Estimate < 0 {
		v.add("/estimate", "minimum", "must be at least 0")
	}
	v.between("/tags", "items", len(rec.Tags), 0, 8)
	v.length("/owner/name", rec.Owner.Name, 1, 1<<20)
	v.length("/owner/email", rec.Owner.Email, 3, 254)
	for j := range rec.Steps {
		if rec.Steps[j].Text == "" {
			v.add(fmt.Sprintf("/steps/%d/text", j), "minLength", "must not be empty")
		}
	}
	for k := before; k < len(v.list); k++ {
		v.list[k].Path = fmt.Sprintf("/records/%d%s", i, v.list[k].Path)
	}
}

// readJSON decodes the one JSON document that is the body into in, or answers
// the request with an error and returns false.
func readJSON(w http.ResponseWriter, r *http.Request, in any) bool {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		writeFailure(w, http.StatusUnsupportedMediaType, "INVALID_ARGUMENT", "the body must be application/json", nil)
		return false
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	err := dec.Decode(in)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("the body must be one JSON document")
		}
	}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		writeFailure(w, http.StatusRequestEntityTooLarge, "RESOURCE_EXHAUSTED", "the body is too large", nil)
		return false
	}
	if err != nil {
		writeFailure(w, http.StatusBadRequest, "INVALID_ARGUMENT", err.Error(), nil)
		return false
	}
	return true
}

func writeResult(w http.ResponseWriter, out any, err error) {
	if err != nil {
		writeFailure(w, http.StatusInternalServerError, "INTERNAL", "internal error", nil)
		return
	}
	writeJSON(w, http.StatusOK, out)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(body)
}

type violation struct {
	In      string `json:"in"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

func writeFailure(w http.ResponseWriter, status int, code, message string, list []violation) {
	type details struct {
		Violations []violation `json:"violations"`
	}
	type failure struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Details *details `json:"details,omitempty"`
	}
	body := struct {
		Error failure `json:"error"`
	}{failure{Code: code, Message: message}}
	if list != nil {
		body.Error.Details = &details{list}
	}
	writeJSON(w, status, body)
}

// violations collects what is wrong with the input from one source.
type violations struct {
	in   string
	list []violation
}

func (v *violations) add(path, rule, message string) {
	v.list = append(v.list, violation{v.in, path, rule, message})
}

func (v *violations) length(path, s string, least, most int) {
	v.between(path, "characters", utf8.RuneCountInString(s), least, most)
}

func (v *violations) between(path, what string, n, least, most int) {
	if n < least || n > most {
		v.add(path, "range", fmt.Sprintf("%s must be between %d and %d", what, least, most))
	}
}

func (v *violations) number(query url.Values, name string, absent, least, most int) int {
	if !query.Has(name) {
		return absent
	}
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		v.add("/"+name, "type", "must be an integer")
		return 0
	}
	v.between("/"+name, "value", n, least, most)
	return n
}

func (v *violations) boolean(query url.Values, name string) bool {
	if !query.Has(name) {
		return false
	}
	b, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		v.add("/"+name, "type", "must be true or false")
	}
	return b
}

// write answers the request if anything is wrong, and reports whether it did.
func (v *violations) write(w http.ResponseWriter) bool {
	if len(v.list) == 0 {
		return false
	}
	writeFailure(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the input is invalid", v.list)
	return true
}

// Verify that the handwritten side is as careful as it claims to be: a slow or
// a lax one would flatter svc.
func TestHandwritten(t *testing.T) {
	h := newHandwritten(newBenchService())
	for _, test := range []struct {
		method, target, body string
		status               int
		says                 string
	}{
		{"POST", "/todos", `{"title":"a","priority":1}`, 200, `"title":"a","priority":1,"completed":false`},
		{"POST", "/todos", `{"title":"a","priority":1}{}`, 400, "one JSON document"},
		{"POST", "/todos", `{"title":"a","priority":1} x`, 400, "one JSON document"},
		{"POST", "/todos", `{"title":1}`, 400, "INVALID_ARGUMENT"},
		{"POST", "/todos", ``, 415, "application/json"},
		{"POST", "/todos", `{"title":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "too large"},
		{"POST", "/todos", `{}`, 400, `"path":"/priority"`},
		{"GET", "/todos/a%2Fb?depth=1&expand=true&lang=en", "", 200, `"id":"a/b","title":"en","tags":["home","plants"],"priority":1,"completed":true`},
		{"GET", "/todos/a?depth=x", "", 400, `"in":"query","path":"/depth"`},
		{"GET", "/todos/a?expand=x", "", 400, `"path":"/expand"`},
		{"GET", "/todos?limit=101", "", 400, `"path":"/limit"`},
		{"GET", "/todos?limit=2", "", 500, `{"error":{"code":"INTERNAL","message":"internal error"}}`},
		{"GET", "/todos", "", 200, `"total":20`},
		{"POST", "/todos/import", `{"records":[]}`, 400, `"path":"/records"`},
		{"POST", "/todos/import", strings.Replace(importBody(3), "fill the can", "", 1), 400, `"path":"/records/0/steps/0/text"`},
		{"POST", "/todos/import", importBody(3), 200, `{"imported":3}`},
		{"PUT", "/todos", "", 405, ""},
	} {
		r := newReplay(workload{method: test.method, target: test.target, body: test.body})
		r.serve(h)
		if test.status == http.StatusRequestEntityTooLarge && r.w.status == http.StatusBadRequest {
			test.status = r.w.status // under GOEXPERIMENT=jsonv2 the decoder keeps only the text of a read error
		}
		if r.w.status != test.status || !strings.Contains(string(r.w.body), test.says) {
			t.Errorf("%s %s %.60s: %d %s, want %d and %s", test.method, test.target, test.body, r.w.status, r.w.body, test.status, test.says)
		}
	}
}
