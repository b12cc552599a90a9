package blackbox_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/svc"
)

// These embed what paging there is: a list by pages and a feed by cursors
// have one half each, a list by both the whole.
type (
	pageByNumber struct{ svc.PageQuery }
	pageByCursor struct{ svc.CursorQuery }
	pageByBoth   struct{ svc.PageRequest }
	// A type of the application's own in between must not lose the cap.
	pageOwn       struct{ svc.PageQuery }
	pageByOwn     struct{ pageOwn }
	pageByPointer struct{ *svc.PageQuery }
	pageFiltered  struct {
		svc.CursorQuery
		Done bool `json:"done,omitempty"`
	}
)

// A pageAPI echoes the requests for pages that reach it.
type pageAPI interface {
	ListNumbers(ctx context.Context, in *pageByNumber) (*svc.PageRequest, error)
	ListCursors(ctx context.Context, in *pageByCursor) (*svc.PageRequest, error)
	ListBoth(ctx context.Context, in *pageByBoth) (*svc.PageRequest, error)
	ListOwn(ctx context.Context, in *pageByOwn) (*svc.PageRequest, error)
	ListPointer(ctx context.Context, in *pageByPointer) (*svc.PageRequest, error)
	Query(ctx context.Context, in *pageFiltered) (*svc.PageRequest, error)
	Version(ctx context.Context) (*pageVersion, error)
}

type pageVersion struct {
	Version string `json:"version"`
}

type pageEcho struct{}

func (pageEcho) ListNumbers(_ context.Context, in *pageByNumber) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListCursors(_ context.Context, in *pageByCursor) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListBoth(_ context.Context, in *pageByBoth) (*svc.PageRequest, error) {
	return &in.PageRequest, nil
}

func (pageEcho) ListOwn(_ context.Context, in *pageByOwn) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) ListPointer(_ context.Context, in *pageByPointer) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Query(_ context.Context, in *pageFiltered) (*svc.PageRequest, error) {
	p := in.PageRequest()
	return &p, nil
}

func (pageEcho) Version(ctx context.Context) (*pageVersion, error) {
	return &pageVersion{svc.GetVersion(ctx)}, nil
}

func pageService(t testing.TB) *svc.Service {
	t.Helper()
	s, err := svc.Register[pageAPI](pageEcho{}, &svc.Options{Resource: "p", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
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
func pageREST(t testing.TB, s *svc.Service, method, target, body string) (svc.PageRequest, string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	if w.Code != 200 {
		return svc.PageRequest{}, w.Body.String()
	}
	var p svc.PageRequest
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
		_, err := svc.ParsePage(q)
		want := ""
		if err != nil {
			want = envelopeOf(err)
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
			Code    svc.Code
			Details struct{ Violations []svc.Violation }
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
		want                 svc.PageRequest
	}{
		{"GET", "/numbers", "", svc.PageRequest{Page: 1, PerPage: 20, Limit: 0, Cursor: ""}},
		{"GET", "/numbers?page=2&per_page=1000&limit=7&cursor=x", "", svc.PageRequest{Page: 2, PerPage: 100, Limit: 0, Cursor: ""}},
		{"GET", "/cursors", "", svc.PageRequest{Page: 0, PerPage: 0, Limit: 20, Cursor: ""}},
		{"GET", "/cursors?cursor=x&limit=1000&page=7", "", svc.PageRequest{Page: 0, PerPage: 0, Limit: 100, Cursor: "x"}},
		{"GET", "/own?per_page=1000", "", svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}},
		{"GET", "/pointer", "", svc.PageRequest{Page: 1, PerPage: 20, Limit: 0, Cursor: ""}},
		{"GET", "/pointer?per_page=1000", "", svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}},
		{"POST", "/p/query?cursor=x&limit=1000", `{"done":true}`, svc.PageRequest{Page: 0, PerPage: 0, Limit: 100, Cursor: "x"}},
		{"POST", "/p/query?limit=7", `{"limit":9,"cursor":"y"}`, svc.PageRequest{Page: 0, PerPage: 0, Limit: 7, Cursor: ""}}, // a query parameter is no body member
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
		want   svc.PageRequest
		wrong  []string
	}{
		{"list_both", &pageByBoth{}, svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{"list_both", &pageByBoth{svc.PageRequest{Page: 2, PerPage: 101, Limit: 1000, Cursor: "x"}}, svc.PageRequest{Page: 2, PerPage: 100, Limit: 100, Cursor: "x"}, nil},
		{"list_both", &pageByBoth{svc.PageRequest{Page: math.MaxInt}}, svc.PageRequest{Page: math.MaxInt, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{"list_both", &pageByBoth{svc.PageRequest{Page: -1, PerPage: -1, Limit: -1, Cursor: ""}}, svc.PageRequest{}, []string{"page minimum must be at least 1", "per_page minimum must be at least 1", "limit minimum must be at least 1"}},
		{"list_numbers", &pageByNumber{svc.PageQuery{Page: 0, PerPage: 500}}, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, nil},
		{"list_cursors", &pageByCursor{svc.CursorQuery{Cursor: "x", Limit: 500}}, svc.PageRequest{Page: 0, PerPage: 0, Limit: 100, Cursor: "x"}, nil},
		{"list_own", &pageByOwn{pageOwn{svc.PageQuery{Page: 0, PerPage: 500}}}, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, nil},
		{"list_pointer", &pageByPointer{&svc.PageQuery{Page: 0, PerPage: 500}}, svc.PageRequest{Page: 1, PerPage: 100, Limit: 0, Cursor: ""}, nil},
	} {
		out, err := s.Call(context.Background(), "p", test.method, test.in)
		if wrong := pageWrong(t, err); !reflect.DeepEqual(wrong, test.wrong) {
			t.Errorf("%s: %q, want %q", test.method, wrong, test.wrong)
		}
		if got, ok := out.(*svc.PageRequest); ok != (test.wrong == nil) || ok && *got != test.want {
			t.Errorf("%s: %v, want %v", test.method, out, test.want)
		}
	}
	in, err := s.NewInput("p", "list_both")
	if want := (svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}); err != nil || in.(*pageByBoth).PageRequest != want {
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
		want   svc.PageRequest
		wrong  []string
	}{
		{`{}`, svc.PageRequest{Page: 1, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{`{"page":3,"per_page":101,"limit":1000,"cursor":"x"}`, svc.PageRequest{Page: 3, PerPage: 100, Limit: 100, Cursor: "x"}, nil},
		{`{"page":9223372036854775807}`, svc.PageRequest{Page: math.MaxInt64, PerPage: 20, Limit: 20, Cursor: ""}, nil},
		{`{"page":0,"limit":0}`, svc.PageRequest{}, []string{"page minimum must be at least 1", "limit minimum must be at least 1"}},
		{`{"page":"1"}`, svc.PageRequest{}, []string{"page type must be an integer"}},
		{`{"page":null}`, svc.PageRequest{}, []string{"page type must be an integer"}},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"p.list_both","params":` + test.params + `}`
		w := httptest.NewRecorder()
		s.RPC().ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		var answer struct {
			Result svc.PageRequest
			Error  struct {
				Data struct {
					Details struct{ Violations []svc.Violation }
				}
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		var wrong []string
		for _, v := range answer.Error.Data.Details.Violations {
			wrong = append(wrong, strings.Join([]string{strings.TrimPrefix(v.Path, "/"), v.Rule, v.Message}, " "))
		}
		if answer.Result != test.want || !slices.Equal(wrong, test.wrong) {
			t.Errorf("%s: %v, %q; want %v, %q\n%s", test.params, answer.Result, wrong, test.want, test.wrong, w.Body)
		}
	}
}

// Verify that the version middleware's version reaches methods.
func TestVersionReachesMethods(t *testing.T) {
	s := pageService(t)
	h := svc.Version(svc.VersionOptions{PathPrefix: true, DefaultVersion: "v0"})(s.At("/v1").REST())
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
		got, err := svc.ParsePage(q)
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
		var served svc.PageRequest
		if err := json.Unmarshal(w.Body.Bytes(), &served); err != nil || served != got {
			t.Errorf("%q: ParsePage = %v, the service %s", query, got, w.Body)
		}
		if got.Page < 1 || got.PerPage < 1 || got.PerPage > 100 || got.Limit < 1 || got.Limit > 100 || got.Offset() < 0 {
			t.Errorf("%q: %v is out of bounds", query, got)
		}
	})
}

// envelopeOf returns the body of the answer to a request that fails with err.
func envelopeOf(err error) string {
	w := httptest.NewRecorder()
	svc.WriteError(w, httptest.NewRequest("GET", "/", nil), err)
	return w.Body.String()
}
