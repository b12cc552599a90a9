package svc

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// These embed what paging there is: a list by pages and a feed by cursors
// have one half each, a list by both the whole.
type (
	pageByNumber struct{ PageQuery }
	pageByCursor struct{ CursorQuery }
	pageByBoth   struct{ PageRequest }
	// A type of the application's own in between must not lose the cap.
	pageOwn       struct{ PageQuery }
	pageByOwn     struct{ pageOwn }
	pageByPointer struct{ *PageQuery }
	pageFiltered  struct {
		CursorQuery
		Done bool `json:"done,omitempty"`
	}
)

// A pageAPI echoes the requests for pages that reach it.
type pageAPI interface {
	ListNumbers(ctx context.Context, in *pageByNumber) (*PageRequest, error)
	ListCursors(ctx context.Context, in *pageByCursor) (*PageRequest, error)
	ListBoth(ctx context.Context, in *pageByBoth) (*PageRequest, error)
	ListOwn(ctx context.Context, in *pageByOwn) (*PageRequest, error)
	ListPointer(ctx context.Context, in *pageByPointer) (*PageRequest, error)
	Query(ctx context.Context, in *pageFiltered) (*PageRequest, error)
	Version(ctx context.Context) (*pageVersion, error)
}

type pageVersion struct {
	Version string `json:"version"`
}

type pageEcho struct{}

func (pageEcho) ListNumbers(_ context.Context, in *pageByNumber) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListCursors(_ context.Context, in *pageByCursor) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListBoth(_ context.Context, in *pageByBoth) (*PageRequest, error) {
	return &in.PageRequest, nil
}

func (pageEcho) ListOwn(_ context.Context, in *pageByOwn) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListPointer(_ context.Context, in *pageByPointer) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Query(_ context.Context, in *pageFiltered) (*PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Version(ctx context.Context) (*pageVersion, error) {
	return &pageVersion{GetVersion(ctx)}, nil
}

func pageService(t testing.TB) *Service {
	t.Helper()
	s, err := Register[pageAPI](pageEcho{}, &Options{Resource: "p", Logger: slog.New(slog.DiscardHandler), Methods: map[string]MethodOptions{
		"ListNumbers": {HTTP: "GET /numbers"},
		"ListCursors": {HTTP: "GET /cursors"},
		"ListBoth":    {HTTP: "GET /both"},
		"ListOwn":     {HTTP: "GET /own"},
		"ListPointer": {HTTP: "GET /pointer"},
		"Version":     {HTTP: "GET /version"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pageREST sends a request and returns the decoded page request or the body of
// the refusal.
func pageREST(t testing.TB, s *Service, method, target, body string) (PageRequest, string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	if w.Code != 200 {
		return PageRequest{}, w.Body.String()
	}
	var p PageRequest
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, w.Body)
	}
	return p, ""
}

// Verify that a service and ParsePage answer every query alike, text for text.
func TestPagesBindOverREST(t *testing.T) {
	s := pageService(t)
	for _, test := range pageRows {
		got, refusal := pageREST(t, s, "GET", "/both?"+test.query, "")
		q, _ := url.ParseQuery(test.query)
		_, err := ParsePage(q)
		want := ""
		if err != nil {
			want = string(appendEnvelope(nil, ErrorFrom(err)))
		}
		if sortPageViolations(refusal) != sortPageViolations(want) || got != test.want {
			t.Errorf("GET /both?%s = %v %s; want %v %s", test.query, got, refusal, test.want, want)
		}
	}
}

// sortPageViolations puts the violations of an envelope in the order of their
// parameters: those that a query names come in its order, and url.Values has
// none. The message tells of the first.
func sortPageViolations(body string) string {
	var envelope struct {
		Error struct {
			Code    Code
			Details struct{ Violations []Violation }
		}
	}
	if json.Unmarshal([]byte(body), &envelope) != nil {
		return body
	}
	var lines []string
	for _, name := range []string{"/cursor", "/limit", "/page", "/per_page"} {
		for _, v := range envelope.Error.Details.Violations {
			if v.Path == name {
				lines = append(lines, v.In+v.Path+v.Rule+v.Message)
			}
		}
	}
	return string(envelope.Error.Code) + strings.Join(lines, "\n")
}

// Verify that every way to embed a request for a page has defaults and a cap,
// on a verb with a body too.
func TestPagesBindWhereverEmbedded(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		method, target, body string
		want                 PageRequest
	}{
		{"GET", "/numbers", "", PageRequest{1, 20, 0, ""}},
		{"GET", "/numbers?page=2&per_page=1000&limit=7&cursor=x", "", PageRequest{2, 100, 0, ""}},
		{"GET", "/cursors", "", PageRequest{0, 0, 20, ""}},
		{"GET", "/cursors?cursor=x&limit=1000&page=7", "", PageRequest{0, 0, 100, "x"}},
		{"GET", "/own?per_page=1000", "", PageRequest{1, 100, 0, ""}},
		{"GET", "/pointer", "", PageRequest{1, 20, 0, ""}},
		{"GET", "/pointer?per_page=1000", "", PageRequest{1, 100, 0, ""}},
		{"POST", "/p/query?cursor=x&limit=1000", `{"done":true}`, PageRequest{0, 0, 100, "x"}},
		{"POST", "/p/query?limit=7", `{"limit":9,"cursor":"y"}`, PageRequest{0, 0, 7, ""}}, // a query parameter is no body member
	} {
		if got, refusal := pageREST(t, s, test.method, test.target, test.body); refusal != "" || got != test.want {
			t.Errorf("%s %s = %v %s, want %v", test.method, test.target, got, refusal, test.want)
		}
	}
	_, refusal := pageREST(t, s, "POST", "/p/query?limit=0", `{}`)
	if want := `{"in":"query","path":"/limit","rule":"minimum","message":"must be at least 1"}`; !strings.Contains(refusal, want) {
		t.Errorf("POST with limit=0: %s, want %s", refusal, want)
	}
}

// Verify that a call by Go values is held to the same: zero is absent.
func TestPagesThroughCall(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		method string
		in     any
		want   PageRequest
		wrong  []string
	}{
		{"list_both", &pageByBoth{}, PageRequest{1, 20, 20, ""}, nil},
		{"list_both", &pageByBoth{PageRequest{2, 101, 1000, "x"}}, PageRequest{2, 100, 100, "x"}, nil},
		{"list_both", &pageByBoth{PageRequest{Page: math.MaxInt}}, PageRequest{math.MaxInt, 20, 20, ""}, nil},
		{"list_both", &pageByBoth{PageRequest{-1, -1, -1, ""}}, PageRequest{}, []string{"page minimum must be at least 1", "per_page minimum must be at least 1", "limit minimum must be at least 1"}},
		{"list_numbers", &pageByNumber{PageQuery{0, 500}}, PageRequest{1, 100, 0, ""}, nil},
		{"list_cursors", &pageByCursor{CursorQuery{"x", 500}}, PageRequest{0, 0, 100, "x"}, nil},
		{"list_own", &pageByOwn{pageOwn{PageQuery{0, 500}}}, PageRequest{1, 100, 0, ""}, nil},
		{"list_pointer", &pageByPointer{&PageQuery{0, 500}}, PageRequest{1, 100, 0, ""}, nil},
	} {
		out, err := s.Call(context.Background(), "p", test.method, test.in)
		if wrong := pageWrong(t, err); !reflect.DeepEqual(wrong, test.wrong) {
			t.Errorf("%s: %q, want %q", test.method, wrong, test.wrong)
		}
		if got, ok := out.(*PageRequest); ok != (test.wrong == nil) || ok && *got != test.want {
			t.Errorf("%s: %v, want %v", test.method, out, test.want)
		}
	}
	in, err := s.NewInput("p", "list_both")
	if want := (PageRequest{1, 20, 20, ""}); err != nil || in.(*pageByBoth).PageRequest != want {
		t.Errorf("NewInput = %v, %v; want %v", in, err, want)
	}
}

// Verify that the schema publishes what is enforced, and no maximum, which is
// not.
func TestPageSchema(t *testing.T) {
	s := pageService(t)
	const page = `{"default":1,"description":"The number of the page, from 1.","format":"int32","minimum":1,"type":"integer"}`
	const perPage = `{"default":20,"description":"Items on a page; more than 100 counts as 100.","format":"int32","minimum":1,"type":"integer"}`
	const cursor = `{"description":"The next_cursor of an earlier answer; empty for the beginning.","type":"string"}`
	const limit = `{"default":20,"description":"How many items; more than 100 counts as 100.","format":"int32","minimum":1,"type":"integer"}`
	for _, m := range s.Descriptor().Resources[0].Methods {
		want := map[string]string{
			"list_numbers": `{"properties":{"page":` + page + `,"per_page":` + perPage + `},"type":"object"}`,
			"list_cursors": `{"properties":{"cursor":` + cursor + `,"limit":` + limit + `},"type":"object"}`,
		}[m.Name]
		if want == "" {
			continue
		}
		schema := m.Input.Schema
		delete(schema, "$schema")
		if got, err := json.Marshal(schema); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", m.Name, got, err, want)
		}
	}
}

// Verify that the OpenAPI document shows the same, as query parameters.
func TestPageInOpenAPI(t *testing.T) {
	w := httptest.NewRecorder()
	pageService(t).OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
				Schema   struct {
					Default, Minimum, Maximum *int
				}
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	show := func(n *int) string {
		if n == nil {
			return "-"
		}
		return strconv.Itoa(*n)
	}
	for _, test := range []struct{ path, method, want string }{
		{"/numbers", "get", "query page 1 1 -, query per_page 20 1 -"},
		{"/cursors", "get", "query cursor - - -, query limit 20 1 -"},
		{"/both", "get", "query page 1 1 -, query per_page 20 1 -, query limit 20 1 -, query cursor - - -"},
		{"/p/query", "post", "query cursor - - -, query limit 20 1 -"},
	} {
		var got []string
		for _, p := range doc.Paths[test.path][test.method].Parameters {
			got = append(got, strings.Join([]string{p.In, p.Name, show(p.Schema.Default), show(p.Schema.Minimum), show(p.Schema.Maximum)}, " "))
			if p.Required {
				t.Errorf("%s: %s is required", test.path, p.Name)
			}
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s has the parameters %s, want %s", test.path, got, test.want)
		}
	}
}

// Verify that transports with one object for all fields bind pages alike.
func TestPagesBindAsObject(t *testing.T) {
	s := pageService(t)
	for _, test := range []struct {
		params string
		want   PageRequest
		wrong  []string
	}{
		{``, PageRequest{1, 20, 20, ""}, nil},
		{`{}`, PageRequest{1, 20, 20, ""}, nil},
		{`{"page":3,"per_page":101,"limit":1000,"cursor":"x"}`, PageRequest{3, 100, 100, "x"}, nil},
		{`{"page":9223372036854775807}`, PageRequest{math.MaxInt64, 20, 20, ""}, nil},
		{`{"page":0,"limit":0}`, PageRequest{}, []string{"page minimum must be at least 1", "limit minimum must be at least 1"}},
		{`{"page":"1"}`, PageRequest{}, []string{"page type must be an integer"}},
		{`{"page":null}`, PageRequest{}, []string{"page type must be an integer"}},
	} {
		in, err := s.findMethod("p", "list_both").bind.bindObject(new(decoder), []byte(test.params))
		if wrong := pageWrong(t, err); !reflect.DeepEqual(wrong, test.wrong) {
			t.Errorf("%s: %q, want %q", test.params, wrong, test.wrong)
		}
		if err == nil && in.Interface().(*pageByBoth).PageRequest != test.want {
			t.Errorf("%s: %v, want %v", test.params, in, test.want)
		}
	}
}

// Verify that the version middleware's version reaches methods.
func TestVersionReachesMethods(t *testing.T) {
	s := pageService(t)
	h := Version(VersionOptions{PathPrefix: true, DefaultVersion: "v0"})(s.At("/v1").REST())
	for _, test := range []struct{ target, header, want string }{
		{"/v1/version", "", `{"version":"v1"}`},
		{"/v1/version?version=2", "", `{"version":"2"}`},
		{"/v1/version", "2025-03-01", `{"version":"2025-03-01"}`},
	} {
		r := httptest.NewRequest("GET", test.target, nil)
		if test.header != "" {
			r.Header.Set("Accept-Version", test.header)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Body.String() != test.want {
			t.Errorf("GET %s: %d %s, want %s", test.target, w.Code, w.Body, test.want)
		}
	}
}

// Verify that ParsePage and a service agree on any query that both can read,
// and that what they take is within bounds.
func FuzzParsePage(f *testing.F) {
	for _, test := range pageRows {
		f.Add(test.query)
	}
	s := pageService(f)
	f.Fuzz(func(t *testing.T, query string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		got, err := ParsePage(q)
		r := httptest.NewRequest("GET", "/both", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, r)
		if (err == nil) != (w.Code == 200) {
			t.Errorf("%q: ParsePage says %v, the service %d %s", query, err, w.Code, w.Body)
		}
		if err != nil {
			if len(pageWrong(t, err)) == 0 {
				t.Errorf("%q: no violation in %v", query, err)
			}
			return
		}
		var served PageRequest
		if err := json.Unmarshal(w.Body.Bytes(), &served); err != nil || served != got {
			t.Errorf("%q: ParsePage = %v, the service %s", query, got, w.Body)
		}
		if got.Page < 1 || got.PerPage < 1 || got.PerPage > 100 || got.Limit < 1 || got.Limit > 100 || got.Offset() < 0 {
			t.Errorf("%q: %v is out of bounds", query, got)
		}
	})
}
