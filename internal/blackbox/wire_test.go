package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// This file has the service that the tests of REST call, and the ways to call it: as a
// function, over HTTP/1.1 and over HTTP/2.

// WireAPI has a store, and methods that answer with what they understood.
type WireAPI interface {
	Create(context.Context, *WireCreate) (*WireItem, error)
	Delete(context.Context, *WireKey) error
	Echo(context.Context, *WireValue) (*WireValue, error)
	Get(context.Context, *WireKey) (*WireItem, error)
	Kinds(context.Context, *WireKinds) (*WireKinds, error)
	List(context.Context, *WireList) (*WireList, error)
	Mark(context.Context, *WireMark) (*WireMarked, error)
	Ping(context.Context) error
	Update(context.Context, *WireUpdate) (*WireItem, error)
}

type WireItem struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Size  int64    `json:"size"`
	Tags  []string `json:"tags"`
}

type WireCreate struct {
	Title string   `json:"title" minLength:"1"`
	Size  int64    `json:"size,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

type WireKey struct {
	ID string `json:"id"`
}

type WireUpdate struct {
	ID    string `json:"id"`
	Title string `json:"title" minLength:"1"`
	Size  int64  `json:"size,omitempty"`
	Dry   bool   `json:"dry,omitempty" query:"dry"`
}

type WireValue struct {
	Value any `json:"value"`
}

// WireKinds has a field of every kind, all of them optional.
type WireKinds struct {
	I8    int8              `json:"i8,omitempty"`
	I64   int64             `json:"i64,omitempty"`
	U8    uint8             `json:"u8,omitempty"`
	U64   uint64            `json:"u64,omitempty"`
	F32   float32           `json:"f32,omitempty"`
	F64   float64           `json:"f64,omitempty"`
	B     bool              `json:"b,omitempty"`
	S     string            `json:"s,omitempty"`
	Time  *time.Time        `json:"time,omitempty"`
	Dur   time.Duration     `json:"dur,omitempty"`
	Bytes []byte            `json:"bytes,omitempty"`
	Ptr   *int8             `json:"ptr,omitempty"`
	Num   json.Number       `json:"num,omitempty"`
	Raw   json.RawMessage   `json:"raw,omitempty"`
	Any   any               `json:"any,omitempty"`
	List  []int8            `json:"list,omitempty"`
	Pair  *[2]int8          `json:"pair,omitempty"`
	Map   map[string]int8   `json:"map,omitempty"`
	Keys  map[int8]string   `json:"keys,omitempty"`
	Grid  map[string][]int8 `json:"grid,omitempty"`
	Node  *WireNode         `json:"node,omitempty"`
	Quote int               `json:"quote,omitempty,string"`
	Enum  string            `json:"enum,omitempty" enum:"red,green"`
	Mail  string            `json:"mail,omitempty" pattern:"^[^@]+@[^@]+$" maxLength:"20"`
	Score float64           `json:"score,omitempty" minimum:"0" maximum:"1" multipleOf:"0.1"`
	Set   []string          `json:"set,omitempty" uniqueItems:"true" minItems:"1" maxItems:"3"`
	Deep  map[string][]any  `json:"deep,omitempty"`

	Color   WireColor           `json:"color,omitempty"`
	Level   *WireLevel          `json:"level,omitempty" minimum:"2"`
	Colors  []WireColor         `json:"colors,omitempty" maxItems:"3"`
	ByLevel map[WireLevel]uint8 `json:"byLevel,omitempty"`
	Words   []string            `json:"words,omitempty" maxItems:"3" minLength:"2" maxLength:"4" pattern:"^[a-z]*$"`
	Sizes   [2]*int8            `json:"sizes,omitzero" minimum:"-1" enum:"-1,0,1e1"`
}

// A WireColor is one of three strings, and a WireLevel one of three numbers.
type (
	WireColor string
	WireLevel int8
)

func (WireColor) Enum() []WireColor { return []WireColor{"red", "green", "blue"} }
func (WireLevel) Enum() []WireLevel { return []WireLevel{1, 2, 3} }

type WireNode struct {
	Next *WireNode `json:"next,omitempty"`
}

// WireList has a query parameter of every kind that a query carries.
type WireList struct {
	I8    int8          `json:"i8,omitempty"`
	I64   int64         `json:"i64,omitempty"`
	U8    uint8         `json:"u8,omitempty"`
	U64   uint64        `json:"u64,omitempty"`
	F32   float32       `json:"f32,omitempty"`
	F64   float64       `json:"f64,omitempty"`
	B     bool          `json:"b,omitempty"`
	S     string        `json:"s,omitempty"`
	Time  *time.Time    `json:"time,omitempty"`
	Dur   time.Duration `json:"dur,omitempty"`
	Bytes []byte        `json:"bytes,omitempty"`
	Ptr   *int8         `json:"ptr,omitempty"`
	Num   json.Number   `json:"num,omitempty"`
	Tags  []string      `json:"tag,omitempty" maxItems:"3"`
	List  []int8        `json:"list,omitempty"`
	Limit int           `json:"limit" default:"20" minimum:"1" maximum:"100"`

	Color  WireColor   `json:"color,omitempty"`
	Levels []WireLevel `json:"level,omitempty"`
	Words  []string    `json:"word,omitempty" minLength:"2" maxLength:"4"`
}

// WireMark has parameters in headers and cookies only.
type WireMark struct {
	ID    int64     `json:"id,omitempty" header:"X-ID"`
	Note  string    `json:"-" header:"X-Note,omitempty" maxLength:"8"`
	Since time.Time `json:"since,omitzero" header:"If-Modified"`
	Size  uint8     `json:"size" cookie:"size" default:"7"`
	Word  string    `json:"-" cookie:"word,omitempty" maxLength:"8"`
	Level WireLevel `json:"-" header:"X-Level,omitempty"`
	Color WireColor `json:"-" cookie:"color,omitempty" enum:"red,blue"`
}

type WireMarked struct {
	ID    int64     `json:"id"`
	Note  string    `json:"note"`
	Since time.Time `json:"since,omitzero"`
	Size  uint8     `json:"size"`
	Word  string    `json:"word"`
	Level WireLevel `json:"level,omitempty"`
	Color WireColor `json:"color,omitempty"`
}

// A wireStore implements WireAPI. It counts what is executed, so that a test
// can tell a refused request from one that was answered with an error.
type wireStore struct {
	mu    sync.Mutex
	items map[string]*WireItem
	next  int
	calls atomic.Int64
}

func newWireStore() *wireStore { return &wireStore{items: make(map[string]*WireItem)} }

// reset leaves one item in the store, whose id is "1", and forgets all calls.
func (s *wireStore) reset() {
	s.items, s.next = make(map[string]*WireItem), 0
	s.Create(context.Background(), &WireCreate{Title: "first"})
	s.calls.Store(0)
}

func (s *wireStore) Create(_ context.Context, in *WireCreate) (*WireItem, error) {
	s.calls.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	item := &WireItem{ID: strconv.Itoa(s.next), Title: in.Title, Size: in.Size, Tags: in.Tags}
	s.items[item.ID] = item
	return item, nil
}

func (s *wireStore) get(id string) (*WireItem, error) {
	item, ok := s.items[id]
	if !ok {
		return nil, svc.Errorf(svc.CodeNotFound, "no such item")
	}
	return item, nil
}

func (s *wireStore) Get(_ context.Context, in *WireKey) (*WireItem, error) {
	s.calls.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(in.ID)
}

func (s *wireStore) Update(_ context.Context, in *WireUpdate) (*WireItem, error) {
	s.calls.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.get(in.ID)
	if err != nil {
		return nil, err
	}
	item := &WireItem{ID: old.ID, Title: in.Title, Size: in.Size, Tags: old.Tags}
	if !in.Dry {
		s.items[in.ID] = item
	}
	return item, nil
}

func (s *wireStore) Delete(_ context.Context, in *WireKey) error {
	s.calls.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.get(in.ID); err != nil {
		return err
	}
	delete(s.items, in.ID)
	return nil
}

func (s *wireStore) Echo(_ context.Context, in *WireValue) (*WireValue, error) {
	s.calls.Add(1)
	return in, nil
}

func (s *wireStore) Mark(_ context.Context, in *WireMark) (*WireMarked, error) {
	s.calls.Add(1)
	return (*WireMarked)(in), nil
}

func (s *wireStore) Kinds(_ context.Context, in *WireKinds) (*WireKinds, error) {
	s.calls.Add(1)
	return in, nil
}

func (s *wireStore) List(_ context.Context, in *WireList) (*WireList, error) {
	s.calls.Add(1)
	return in, nil
}

func (s *wireStore) Ping(context.Context) error {
	s.calls.Add(1)
	return nil
}

// wireOptions are those of the service at /items, without a log.
func wireOptions() *svc.Options {
	return &svc.Options{Resource: "items", Logger: slog.New(slog.DiscardHandler)}
}

// newWire returns a service with one item, whose id is "1", and its store.
func newWire(t testing.TB, opts *svc.Options) (*svc.Service, *wireStore) {
	t.Helper()
	store := newWireStore()
	s, err := svc.Register[WireAPI](store, opts)
	if err != nil {
		t.Fatal(err)
	}
	store.reset()
	return s, store
}

// A wireRequest is a request as it goes over the wire.
type wireRequest struct {
	line   string // verb, space, target
	header string // lines; "" means Content-Type: application/json where there is a body, "-" no header at all
	body   string
}

func (q wireRequest) headers() [][2]string {
	switch {
	case q.header == "-", q.header == "" && q.body == "":
		return nil
	case q.header == "":
		return [][2]string{{"Content-Type", "application/json"}}
	}
	var out [][2]string
	for line := range strings.SplitSeq(q.header, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		out = append(out, [2]string{name, value})
	}
	return out
}

// A wireAnswer is what a client sees.
type wireAnswer struct {
	status int
	header http.Header
	body   string
}

// text is the part of an answer that is the same on every version of HTTP.
func (a wireAnswer) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", a.status)
	for _, name := range []string{"Content-Type", "Content-Length", "X-Content-Type-Options", "Allow", "Accept-Encoding", "Location"} {
		if values := a.header.Values(name); len(values) > 0 {
			fmt.Fprintf(&b, "; %s: %s", name, strings.Join(values, " | "))
		}
	}
	return b.String() + "\n" + a.body + "\n"
}

// A wireCaller sends a request to a service.
type wireCaller func(testing.TB, wireRequest) wireAnswer

// wireDirect calls h as a function.
func wireDirect(h http.Handler) wireCaller {
	return func(t testing.TB, q wireRequest) wireAnswer {
		t.Helper()
		verb, target, _ := strings.Cut(q.line, " ")
		u, err := url.ParseRequestURI(target)
		if err != nil {
			t.Fatalf("%s: %v", q.line, err)
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(q.body))
		r.Method, r.URL, r.RequestURI, r.Host = verb, u, target, "svc.test"
		if q.body == "" {
			r.Body = http.NoBody
		}
		for _, h := range q.headers() {
			r.Header.Add(h[0], h[1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		a := wireAnswer{w.Code, w.Result().Header, w.Body.String()}
		if verb == http.MethodHead {
			a.body = "" // net/http drops it
		}
		return a
	}
}

// wireClient sends requests over a socket, the target as it stands.
func wireClient(client *http.Client, base string) wireCaller {
	host := strings.TrimPrefix(strings.TrimPrefix(base, "http://"), "https://")
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return func(t testing.TB, q wireRequest) wireAnswer {
		t.Helper()
		verb, target, _ := strings.Cut(q.line, " ")
		r, err := http.NewRequest(verb, base, strings.NewReader(q.body))
		if err != nil {
			t.Fatal(err)
		}
		path, query, hasQuery := strings.Cut(target, "?")
		if strings.HasPrefix(path, "//") {
			path = "//" + host + path
		}
		r.URL.Opaque, r.URL.RawQuery, r.URL.ForceQuery = path, query, hasQuery && query == ""
		if q.body == "" {
			r.Body, r.ContentLength = nil, 0
		}
		for _, h := range q.headers() {
			r.Header.Add(h[0], h[1])
		}
		r.Header["User-Agent"] = nil
		if r.Header.Get("Accept-Encoding") == "" {
			r.Header.Set("Accept-Encoding", "identity")
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", clipped(q.line), err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatalf("%s: reading the answer: %v", clipped(q.line), err)
		}
		return wireAnswer{res.StatusCode, res.Header, string(body)}
	}
}

func clipped(s string) string { return s[:min(len(s), 200)] }

// wireServer serves h on a socket of its own, as HTTP/1.1 or as HTTP/2.
func wireServer(t testing.TB, h http.Handler, http2 bool) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if srv.EnableHTTP2 = http2; http2 {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	return srv
}

// postJSON sends a body of JSON to h and returns the answer.
func postJSON(h http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// versionName returns the name of the subtest that has a server of wireServer.
func versionName(http2 bool) string {
	if http2 {
		return "HTTP/2"
	}
	return "HTTP/1.1"
}

// A wireEnvelope is the body of every error.
type wireEnvelope struct {
	Error struct {
		Code    string
		Message string
		Details map[string]json.RawMessage
	}
}

func (e *wireEnvelope) violations() (list []svc.Violation) {
	json.Unmarshal(e.Error.Details["violations"], &list)
	return list
}

// wireNeedles are texts that would tell a client of the inside of the server:
// Go's own errors, names of types and files, and what the tests let methods say.
var wireNeedles = []string{
	"strconv.", "json:", "encoding/", "reflect.", "goroutine ", ".go:", "runtime error", "runtime.", "blackbox", "svc.",
	"Wire", "panic", "invalid character", "unmarshal", "Unmarshal", "parsing ", "time: ", "illegal base64", "http: ",
	"unexpected EOF", "i/o timeout", "mime: ", "invalid URL", "0xc000", "secret",
}

// checkWireError complains of an answer that is no proper error.
func checkWireError(t testing.TB, name string, a wireAnswer) {
	t.Helper()
	var e wireEnvelope
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil || e.Error.Code == "" || e.Error.Message == "" {
		t.Errorf("%s: the body is no envelope (%v): %s", name, err, clipped(a.body))
	}
	if len(a.body) > 16<<10 || len(e.violations()) > 32 {
		t.Errorf("%s: an error of %d bytes with %d violations", name, len(a.body), len(e.violations()))
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: Content-Type %q", name, got)
	}
	if got := a.header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("%s: X-Content-Type-Options %q", name, got)
	}
	if got := a.header.Get("Content-Length"); got != strconv.Itoa(len(a.body)) {
		t.Errorf("%s: Content-Length %q for %d bytes", name, got, len(a.body))
	}
	for _, needle := range wireNeedles {
		if strings.Contains(a.body, needle) {
			t.Errorf("%s: the error tells %q: %s", name, needle, clipped(a.body))
		}
	}
}

func post(path, body string) wireRequest { return wireRequest{line: "POST " + path, body: body} }

// kinds sends one member to the method that has a field of every kind.
func kinds(member string) wireRequest { return post("/items/kinds", "{"+member+"}") }

func echo(value string) wireRequest { return post("/items/echo", `{"value":`+value+`}`) }

func create(body string) wireRequest { return post("/items", body) }

func list(query string) wireRequest { return wireRequest{line: "GET /items?" + query} }

func get(path string) wireRequest { return wireRequest{line: "GET " + path} }

func typed(contentType string) wireRequest {
	return wireRequest{"POST /items", "Content-Type: " + contentType, `{"title":"a"}`}
}

func with(q wireRequest, header string) wireRequest {
	q.header = header
	return q
}

// manyMembers returns an object of n members.
func manyMembers(n int, member func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(member(i))
	}
	return "{" + b.String() + "}"
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
