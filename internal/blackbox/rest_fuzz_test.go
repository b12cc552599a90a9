package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/svc"
)

// This file has the fuzz targets of REST. The seeds are the rows of the tables.

// wireStatuses are those that a request alone can bring about.
var wireStatuses = []int{200, 204, 400, 404, 405, 413, 415}

// Verify of any request that it is answered with a status that is documented,
// that an error is a small envelope that tells nothing, and that what was
// accepted was JSON.
func FuzzREST(f *testing.F) {
	for _, rows := range [][]badInput{badBodies, badTypes, badPaths, badQueries, badStrict} {
		for _, row := range rows {
			if len(row.line)+len(row.body) > 4<<10 {
				continue // seeds are to be small
			}
			verb, target, _ := strings.Cut(row.line, " ")
			path, query, _ := strings.Cut(target, "?")
			contentType := "application/json"
			if value, ok := strings.CutPrefix(row.header, "Content-Type: "); ok {
				contentType = value
			}
			f.Add(verb, path, query, contentType, row.body)
		}
	}
	strict := wireOptions()
	strict.Strict = true
	services, stores := make([]http.Handler, 2), make([]*wireStore, 2)
	for i, opts := range []*svc.Options{wireOptions(), strict} {
		var s *svc.Service
		s, stores[i] = newWire(f, opts)
		services[i] = s.REST()
	}
	f.Fuzz(func(t *testing.T, verb, path, query, contentType, body string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || verb == "" {
			t.Skip("net/http would not pass it on")
		}
		u.RawQuery = query
		for i, h := range services {
			store := stores[i]
			store.reset()
			r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
			r.Method, r.URL, r.RequestURI = verb, u, u.String()
			r.Header["Content-Type"] = []string{contentType}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			a := wireAnswer{w.Code, w.Result().Header, w.Body.String()}
			checkFuzzed(t, r, body, a, store)
		}
	})
}

func checkFuzzed(t *testing.T, r *http.Request, body string, a wireAnswer, store *wireStore) {
	if !slices.Contains(wireStatuses, a.status) {
		t.Errorf("status %d", a.status)
	}
	executed := store.calls.Load() > 0
	switch {
	case r.Method == http.MethodHead:
	case a.status >= 400:
		checkWireError(t, "error", a)
		if executed && a.status != 404 {
			t.Errorf("a method was called for %d %s", a.status, clipped(a.body))
		}
	case a.status == 200 && !json.Valid([]byte(a.body)):
		t.Errorf("the answer is no JSON: %s", clipped(a.body))
	}
	if needsBody := r.Method == http.MethodPost && r.URL.Path != "/items/ping" || r.Method == http.MethodPut; needsBody && executed {
		if _, ok := strictJSON(body, 1); !ok {
			t.Errorf("a method was called with what is no JSON: %s", clipped(body))
		}
	}
	if store.items["1"] == nil && r.Method != http.MethodDelete || store.next > 1 && r.Method != http.MethodPost {
		t.Errorf("%s has changed the store", r.Method)
	}
}

// A seenInput is the input that a method was last called with.
type seenInput struct {
	input any
	calls int
}

// wireSpy returns the REST handler of a service that keeps the input of each
// call and answers nothing of interest.
func wireSpy(t testing.TB) (http.Handler, *seenInput) {
	t.Helper()
	seen := new(seenInput)
	opts := wireOptions()
	opts.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			seen.input = input
			seen.calls++
			return next(ctx, resource, method, input)
		}
	}
	s, _ := newWire(t, opts)
	return s.REST(), seen
}

// Verify that a query string means what net/url says where net/url has an
// opinion, and is refused where a parameter of the method has none.
func FuzzQuery(f *testing.F) {
	for _, row := range badQueries {
		if _, query, ok := strings.Cut(row.line, "?"); ok && len(query) < 1<<10 {
			f.Add(query)
		}
	}
	h, seen := wireSpy(f)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/items", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		*seen = seenInput{}
		h.ServeHTTP(w, r)
		if strings.Count(query, "&") > 30 {
			return // perhaps more violations than are listed
		}
		values, _ := url.ParseQuery(query) // without what it refuses
		others := []string{"i8", "i64", "u8", "u64", "f32", "f64", "b", "time", "dur", "bytes", "ptr", "num", "list", "limit", "level"}
		malformed := false
		for _, pair := range strings.Split(query, "&") {
			name, _, _ := strings.Cut(pair, "=")
			name, nameErr := url.QueryUnescape(name)
			_, err := url.ParseQuery(pair)
			malformed = malformed || nameErr == nil && err != nil && slices.Contains(append(others, "s", "tag", "word", "color"), name)
		}
		if syntax := bytes.Contains(w.Body.Bytes(), []byte(`"rule":"syntax"`)); syntax != malformed {
			t.Fatalf("%q: %d %s; net/url says malformed: %t", query, w.Code, w.Body, malformed)
		}
		for _, name := range others {
			if values.Has(name) || malformed {
				return // the oracle is for strings
			}
		}
		fits := len(values["s"]) <= 1 && len(values["tag"]) <= 3 && len(values["color"]) <= 1
		for _, text := range slices.Concat(values["s"], values["tag"], values["word"]) {
			fits = fits && utf8.ValidString(text)
		}
		for _, text := range values["word"] {
			n := utf8.RuneCountInString(text)
			fits = fits && n >= 2 && n <= 4
		}
		for _, text := range values["color"] {
			fits = fits && slices.Contains([]string{"red", "green", "blue"}, text)
		}
		if fits != (w.Code == 200) {
			t.Fatalf("%q: %d %s; net/url says %q", query, w.Code, w.Body, values)
		}
		if in, ok := seen.input.(*WireList); fits && (!ok || in.S != values.Get("s") || !slices.Equal(in.Tags, values["tag"]) || !slices.Equal(in.Words, values["word"]) || string(in.Color) != values.Get("color")) {
			t.Errorf("%q: the method got %+v; net/url says %q", query, seen.input, values)
		}
	})
}

// Verify that a segment of a path means what net/url says, once, and names
// nothing but an item.
func FuzzPath(f *testing.F) {
	for _, row := range badPaths {
		if path, ok := strings.CutPrefix(row.line, "GET /items/"); ok && len(path) < 1<<10 {
			f.Add(path)
		}
	}
	h, seen := wireSpy(f)
	f.Fuzz(func(t *testing.T, segment string) {
		u, err := url.ParseRequestURI("/items/" + segment)
		if err != nil || strings.Contains(segment, "?") {
			t.Skip("net/http would not pass it on")
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL, r.RequestURI = u, "/items/"+segment
		w := httptest.NewRecorder()
		*seen = seenInput{}
		h.ServeHTTP(w, r)
		id, err := url.PathUnescape(segment)
		if err != nil {
			t.Fatalf("%q: net/url takes it for a path and not for a segment: %v", segment, err)
		}
		got, called := seen.input.(*WireKey)
		switch {
		case segment == "" || segment == "." || segment == ".." || strings.Count(u.EscapedPath(), "/") != 2:
			if called || w.Code != 404 {
				t.Errorf("%q: %d, called with %+v; want 404", segment, w.Code, seen.input)
			}
		case !utf8.ValidString(id):
			if called || w.Code != 400 {
				t.Errorf("%q: %d, called with %+v; want 400", segment, w.Code, seen.input)
			}
		case !called || got.ID != id || seen.calls != 1:
			t.Errorf("%q: %d, called with %+v; want %q", segment, w.Code, seen.input, id)
		}
	})
}
