package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file is REST as a whole: what a request may touch, the ways to mount the
// routes, and many clients at once.

// Verify that no request reaches another item than the one in its path, and no
// field that its method does not have (OWASP API1 and API3).
func TestRESTReachesOnlyTheItemOfThePath(t *testing.T) {
	for _, test := range []struct {
		name string
		wireRequest
		status int
	}{
		{"another id in the body, at the end", wireRequest{"PUT /items/1", "", `{"title":"x","id":"2"}`}, 200},
		{"another id in the body, at the start", wireRequest{"PUT /items/1", "", `{"id":"2","title":"x"}`}, 200},
		{"another id in the query", wireRequest{"PUT /items/1?id=2", "", `{"title":"x"}`}, 200},
		{"another id in the query and the body, in every case", wireRequest{"PUT /items/1?id=2&ID=2", "", `{"title":"x","ID":"2","Id":"2","iD":"2"}`}, 200},
		{"another id under an escaped name", wireRequest{"PUT /items/1", "", `{"title":"x","\u0069d":"2"}`}, 200},
		{"another id as a list", wireRequest{"PUT /items/1", "", `{"title":"x","id":["2"]}`}, 200},
		{"another id twice", wireRequest{"PUT /items/1", "", `{"title":"x","id":"2","id":"2"}`}, 400},
		{"another id in an object and under a dotless i", wireRequest{"PUT /items/1", "", `{"title":"x","item":{"id":"2"},"ıd":"2"}`}, 200},
		{"another id behind an escaped slash", wireRequest{"PUT /items/1%2F..%2F2", "", `{"title":"x"}`}, 404},
		{"another id behind dots", wireRequest{"PUT /items/1/../2", "", `{"title":"x"}`}, 404},
		{"another id behind a semicolon", wireRequest{"PUT /items/;id=2", "", `{"title":"x"}`}, 404},
		{"no id in the path, another in the query", wireRequest{"PUT /items/?id=2", "", `{"title":"x"}`}, 404},
		{"no path of an item, another id in the query and the body", wireRequest{"PUT /items?id=2", "", `{"title":"x","id":"2"}`}, 405},
		{"names of fields that the method does not have", wireRequest{"PUT /items/1", "", `{"title":"x","tags":["x"],"createdAt":"x","owner":"x","__proto__":{"id":"2"}}`}, 200},
		{"an id for a new item in the body", wireRequest{"POST /items", "", `{"title":"x","id":"2"}`}, 200},
		{"an id for a new item in the query and in capitals", wireRequest{"POST /items?id=2", "", `{"title":"x","ID":"2"}`}, 200},
		{"an id for a new item in the path", wireRequest{"POST /items/2", "", `{"title":"x"}`}, 405},
		{"a deletion with another id in the query", wireRequest{"DELETE /items/1?id=2", "", ""}, 204},
		{"a deletion with another id in the query, twice", wireRequest{"DELETE /items/1?id=2&id=2&ID=2&_method=PUT", "", ""}, 204},
		{"a deletion with another id in the body", wireRequest{"DELETE /items/1", "", `{"id":"2"}`}, 204},
		{"a deletion with another id in a form", wireRequest{"DELETE /items/1", "Content-Type: application/x-www-form-urlencoded", "id=2"}, 204},
		{"a deletion with another id in headers", wireRequest{"DELETE /items/1", "X-Original-URL: /items/2\nX-Rewrite-URL: /items/2\nX-Item-Id: 2\nId: 2", ""}, 204},
		{"a deletion without an id in the path", wireRequest{"DELETE /items/?id=2", "", ""}, 404},
		{"a deletion of the collection", wireRequest{"DELETE /items?id=2", "", ""}, 405},
		{"a read with another id in the query and the body", wireRequest{"GET /items/1?id=2", "", `{"id":"2"}`}, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, store := newWire(t, wireOptions())
			store.Create(context.Background(), &WireCreate{Title: "second", Size: 2, Tags: []string{"mine"}})
			a := wireDirect(s.REST())(t, test.wireRequest)
			if a.status != test.status {
				t.Errorf("%s %s: status %d, want %d", test.line, test.body, a.status, test.status)
			}
			if got := store.items["2"]; got == nil || got.Title != "second" || got.Size != 2 || got.ID != "2" || len(got.Tags) != 1 {
				t.Errorf("%s %s: the second item is %+v", test.line, test.body, got)
			}
			if got := store.items["1"]; got != nil && (got.ID != "1" || len(got.Tags) > 0) {
				t.Errorf("%s %s: the first item is %+v", test.line, test.body, got)
			}
			if test.status == 200 && strings.Contains(a.body, "second") {
				t.Errorf("%s %s: the answer tells of the second item: %s", test.line, test.body, a.body)
			}
		})
	}
}

// Verify that a service answers on a mux of the user's, under a prefix and on
// another router as it does by itself, and leaves to the mux what is the mux's.
func TestRESTAnswersAlikeHoweverMounted(t *testing.T) {
	type mounting struct {
		name, prefix string
		own404       bool // svc answers where there is no route
		handler      func(*svc.Service) http.Handler
	}
	for _, m := range []mounting{
		{"REST", "", true, (*svc.Service).REST},
		{"Mount", "", false, func(s *svc.Service) http.Handler {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
			s.Mount(mux)
			return mux
		}},
		{"At", "/api/v1", true, func(s *svc.Service) http.Handler { return s.At("/v1/").At("api").REST() }},
		{"At and Mount", "/v2", false, func(s *svc.Service) http.Handler {
			mux := http.NewServeMux()
			s.At("/v2").Mount(mux)
			return mux
		}},
		{"StripPrefix", "/api", true, func(s *svc.Service) http.Handler { return http.StripPrefix("/api", s.REST()) }},
		{"Routes", "", false, routerOf},
	} {
		t.Run(m.name, func(t *testing.T) {
			for _, test := range []struct {
				line, body string
				status     int
				answer     string
			}{
				{"GET /items/1", "", 200, `{"id":"1","title":"first","size":0,"tags":[]}`},
				{"HEAD /items/1", "", 200, ""},
				{"POST /items", `{"title":"a"}`, 200, `{"id":"2","title":"a","size":0,"tags":[]}`},
				{"PUT /items/1?dry=true", `{"title":"b"}`, 200, `{"id":"1","title":"b","size":0,"tags":[]}`},
				{"GET /items?limit=3&tag=x", "", 200, `{"tag":["x"],"limit":3}`},
				{"POST /items/ping", "", 204, ""},
				{"DELETE /items/1", "", 204, ""},
				{"GET /items/2", "", 404, `{"error":{"code":"NOT_FOUND","message":"no such item"}}`},
				{"POST /items", `{}`, 400, invalid("/title", "required", "is required")},
				{"GET /users", "", 404, `{"error":{"code":"NOT_FOUND","message":"there is nothing at this path"}}`},
				{"PATCH /items/1", "", 405, `{"error":{"code":"UNIMPLEMENTED","message":"the method is not allowed here; allowed: GET, HEAD, PUT, DELETE"}}`},
			} {
				t.Run(test.line, func(t *testing.T) {
					if m.name == "Routes" && strings.HasPrefix(test.line, "HEAD") {
						return // is the router's to offer
					}
					s, _ := newWire(t, wireOptions())
					method, path, _ := strings.Cut(test.line, " ")
					a := wireDirect(m.handler(s))(t, wireRequest{line: method + " " + m.prefix + path, body: test.body})
					mine := m.own404 || test.answer == "" || !strings.Contains(test.answer, "path") && !strings.Contains(test.answer, "allowed") || test.status == 400
					if a.status != test.status || mine && a.body != test.answer {
						t.Errorf("%d %s, want %d %s", a.status, a.body, test.status, test.answer)
					}
					if !mine && strings.Contains(a.body, "error") {
						t.Errorf("svc answers for the user's mux: %s", a.body)
					}
				})
			}
		})
	}
}

// routerOf is a router of the user's: it knows nothing of http.ServeMux.
func routerOf(s *svc.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found := false
		for _, route := range s.Routes() {
			literal, id, _ := strings.Cut(r.URL.Path[1:], "/")
			switch {
			case route.Path == r.URL.Path:
			case route.Path == "/"+literal+"/{id}" && id != "" && id != "ping":
				r.SetPathValue("id", id)
			default:
				continue
			}
			if found = true; route.Method == r.Method {
				route.Handler.ServeHTTP(w, r)
				return
			}
		}
		w.WriteHeader(map[bool]int{true: 405, false: 404}[found])
	})
}

// A wireLoad is a client of many: it creates, changes, reads and deletes items
// of its own, and remembers what it was told.
type wireLoad struct {
	testing.TB
	client *http.Client
	url    string
	name   string
}

func (c *wireLoad) do(method, path, body string) (int, string) {
	r, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	res, err := c.client.Do(r)
	if err != nil {
		c.Errorf("%s: %s %s: %v", c.name, method, path, err)
		return 0, ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Errorf("%s: %s %s: %v", c.name, method, path, err)
	}
	return res.StatusCode, string(text)
}

func (c *wireLoad) want(status int, item WireItem, method, path, body string) WireItem {
	got, text := c.do(method, path, body)
	var answer WireItem
	if got == 200 {
		json.Unmarshal([]byte(text), &answer)
	}
	if item.ID == "" {
		item.ID = answer.ID
	}
	if got != status || got == 200 && (answer.ID != item.ID || answer.Title != item.Title || answer.Size != item.Size) {
		c.Errorf("%s: %s %s: %d %s, want %d %+v", c.name, method, path, got, text, status, item)
	}
	return answer
}

// round makes 12 requests. It returns the id of an item that stays.
func (c *wireLoad) round(n int) string {
	title := fmt.Sprintf("%s-%d-%s", c.name, n, strings.Repeat("é", n%50))
	item := c.want(200, WireItem{Title: title, Size: int64(n)}, "POST", "/items", fmt.Sprintf(`{"title":%q,"size":%d}`, title, n))
	at := "/items/" + item.ID
	c.want(200, item, "GET", at, "")
	c.want(400, item, "PUT", at, `{"title":"","size":1}`)
	c.want(200, item, "GET", at, "")
	item.Title += "!"
	c.want(200, item, "PUT", at, fmt.Sprintf(`{"title":%q,"size":%d}`, item.Title, n))
	c.want(200, item, "GET", at, "")
	c.want(400, item, "POST", "/items", `{"title":"`+title)
	if got, text := c.do("POST", "/items/echo", fmt.Sprintf(`{"value":[%q,%d]}`, title, n)); text != fmt.Sprintf(`{"value":[%q,%d]}`, title, n) {
		c.Errorf("%s: echo: %d %s", c.name, got, text)
	}
	if got, text := c.do("GET", fmt.Sprintf("/items?i64=%d&tag=%s", n, c.name), ""); text != fmt.Sprintf(`{"i64":%d,"tag":[%q],"limit":20}`, n, c.name) {
		c.Errorf("%s: list: %d %s", c.name, got, text)
	}
	if n%3 == 0 {
		c.want(204, item, "DELETE", at, "")
		c.want(404, item, "GET", at, "")
		c.want(404, item, "DELETE", at, "")
		return ""
	}
	return item.ID
}

// Verify that with many clients at once nothing acknowledged is lost, nothing
// deleted comes back, and no answer goes to somebody else.
func TestConcurrentClientsLoseNothing(t *testing.T) {
	const clients = 16
	rounds := rounds(9, 18)
	for _, http2 := range []bool{false, true} {
		t.Run(versionName(http2), func(t *testing.T) {
			s, store := newWire(t, wireOptions())
			srv := wireServer(t, s.REST(), http2)
			srv.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = clients
			living := make([][]string, clients)
			var wg sync.WaitGroup
			for i := range clients {
				wg.Add(1)
				go func() {
					defer wg.Done()
					c := &wireLoad{t, srv.Client(), srv.URL, "client" + strconv.Itoa(i)}
					for n := range rounds {
						if id := c.round(n + 1); id != "" {
							living[i] = append(living[i], id)
						}
					}
				}()
			}
			wg.Wait()
			owner := map[string]string{"1": "first"}
			for i, ids := range living {
				for _, id := range ids {
					if other, ok := owner[id]; ok {
						t.Errorf("%s and client%d both have item %s", other, i, id)
					}
					owner[id] = "client" + strconv.Itoa(i)
					if item := store.items[id]; item == nil || !strings.HasPrefix(item.Title, owner[id]+"-") {
						t.Errorf("item %s of %s is %+v", id, owner[id], item)
					}
				}
			}
			if len(store.items) != len(owner) {
				t.Errorf("%d items in the store, %d were acknowledged", len(store.items), len(owner))
			}
		})
	}
}

// Verify that requests leave nothing behind: no goroutine, no connection, no
// memory, whatever became of them.
func TestRequestsLeaveNothingBehind(t *testing.T) {
	s, _ := newWire(t, wireOptions())
	h := s.REST()
	srv := wireServer(t, h, false)
	call, overSocket := wireDirect(h), wireClient(srv.Client(), srv.URL)
	large := post("/items/echo", `{"value":"`+strings.Repeat("x", 500_000)+`"}`)
	requests := []wireRequest{
		get("/items/1"), post("/items/echo", `{"value":[1,"a",{}]}`), create(`{}`), create(`{"title`), list("limit=x"), wireRequest{line: "PATCH /items"},
		{"POST /items", "Content-Type: text/plain", "x"}, create(manyMembers(100, func(i int) string { return fmt.Sprintf(`"x%d":%d`, i, i) })),
	}
	round := func(n int) {
		for i := range n {
			call(t, wireRequest{line: fmt.Sprintf("GET /never/seen/%d?x%d=1", i, i)})
			for _, q := range requests {
				call(t, q)
			}
		}
		call(t, large)
	}
	round(100)
	for _, q := range requests {
		overSocket(t, q)
	}
	before := heapInUse()
	goroutines := runtime.NumGoroutine()
	round(1000)
	for range 30 {
		for _, q := range requests {
			overSocket(t, q)
		}
	}
	if after := heapInUse(); after > before+4<<20 {
		t.Errorf("9,000 requests took the heap from %d to %d bytes", before, after)
	}
	if n := runtime.NumGoroutine(); n > goroutines+20 {
		t.Errorf("%d goroutines became %d", goroutines, n)
	}
}

// Verify that a request costs memory in proportion to its size, whatever is
// wrong with it and however often.
func TestWrongRequestsAllocateInProportion(t *testing.T) {
	const size = 500_000
	long := strings.Repeat(`\"`, size/4)
	strict := wireOptions()
	strict.Strict = true
	for _, test := range []struct {
		name string
		wireRequest
	}{
		{"wrong elements below a long name", kinds(`"grid":{"` + long + `":[` + strings.Repeat(`"",`, size/6) + `""]}`)},
		{"numbers out of range below a long name", kinds(`"grid":{"` + long + `":[` + strings.Repeat(`300,`, size/8) + `1]}`)},
		{"wrong elements", kinds(`"list":[` + strings.Repeat(`"",`, size/3) + `1]`)},
		{"wrong members", kinds(`"map":` + manyMembers(size/10, func(i int) string { return fmt.Sprintf(`"%d":[]`, i) }))},
		{"wrong keys", kinds(`"keys":` + manyMembers(size/10, func(i int) string { return fmt.Sprintf(`"k%d":""`, i) }))},
		{"unknown names", kinds(strings.Trim(manyMembers(size/10, func(i int) string { return fmt.Sprintf(`"%d":0`, i) }), "{}"))},
		{"unknown names below a deep node", kinds(strings.Repeat(`"node":{`, 1) + strings.Repeat(`"next":{`, 900) + strings.Trim(manyMembers(size/10, func(i int) string { return fmt.Sprintf(`"%d":0`, i) }), "{}") + strings.Repeat("}", 901))},
		{"long list with a repeated element", kinds(`"set":[` + strings.Repeat(`"a",`, size/4) + `"b"]`)},
		{"wrong query values", list(strings.Repeat("list=x&", size/7))},
		{"repeated query values", list(strings.Repeat("i8=1&", size/5))},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := newWire(t, strict)
			h := s.REST()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			a := wireDirect(h)(t, test.wireRequest)
			runtime.ReadMemStats(&after)
			if a.status != 400 {
				t.Errorf("status %d: %s", a.status, clipped(a.body))
			}
			checkWireError(t, "the answer", a)
			if n := after.TotalAlloc - before.TotalAlloc; n > 200*size {
				t.Errorf("%d bytes allocated for a request of %d", n, size)
			}
		})
	}
}

// heapInUse returns what is left after a collection. Two empty the pools.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// This file is what clients get to know of errors, and what the log does.

// FailAPI fails in every way that a service can.
type FailAPI interface {
	Do(context.Context, *FailIn) (*FailOut, error)
	Drop(context.Context, *FailIn) error
}

type FailIn struct {
	How   string    `json:"how"`
	Text  *FailText `json:"text,omitempty"`
	JSON  *FailJSON `json:"json,omitempty"`
	Inner *FailSub  `json:"inner,omitempty"`
}

type FailOut struct {
	N    float64   `json:"n"`
	JSON *FailJSON `json:"json,omitempty"`
}

type FailSub struct {
	How string `json:"how"`
}

func (s *FailSub) Validate() error { return failAs(s.How) }

type FailText string

func (s *FailText) UnmarshalText(text []byte) error { return failAs(string(text)) }
func (s FailText) MarshalText() ([]byte, error)     { return []byte(s), nil }

type FailJSON struct{ how string }

func (j *FailJSON) UnmarshalJSON(text []byte) error { return failAs(strings.Trim(string(text), `"`)) }
func (j FailJSON) MarshalJSON() ([]byte, error)     { return []byte("1"), failAs(j.how) }

// A failError is an error that the application forgot to make: its methods
// panic, as those of any nil pointer to a struct do.
type failError struct{ inner error }

func (e *failError) Error() string { return e.inner.Error() }
func (e *failError) Unwrap() error { return e.inner }

var (
	errFail      = errors.New("secret: the disk is full")
	errFailLocal = svc.Errorf(svc.CodeNotFound, "no such thing").WithCause(errFail)
)

// failAs fails in one way. Whatever has the word secret in it is not for clients.
func failAs(how string) error {
	switch how {
	case "plain":
		return errFail
	case "wrapped":
		return fmt.Errorf("secret place: %w", errFail)
	case "cause":
		return errFailLocal
	case "public inside":
		return fmt.Errorf("secret place: %w", errFailLocal)
	case "%w":
		return svc.Errorf(svc.CodeAborted, "try again: %w", errFail)
	case "internal":
		return svc.Errorf(svc.CodeInternal, "secret message").WithDetail("ticket", "T-17")
	case "unknown":
		return svc.Errorf(svc.CodeUnknown, "secret message")
	case "data loss":
		return svc.Errorf(svc.CodeDataLoss, "secret message")
	case "no such code":
		return svc.Errorf("SECRET_CODE", "secret message")
	case "OK":
		return svc.Errorf(svc.CodeOK, "secret message")
	case "nil *Error":
		var e *svc.Error
		return e
	case "nil error of its own":
		var e *failError
		return e
	case "nil error inside":
		return svc.Errorf(svc.CodeAborted, "try again: %w", (*failError)(nil))
	case "error whose text panics":
		return &failError{}
	case "deadline":
		return fmt.Errorf("secret place: %w", context.DeadlineExceeded)
	case "canceled":
		return fmt.Errorf("secret place: %w", context.Canceled)
	case "details":
		return svc.Errorf(svc.CodeFailedPrecondition, "not now").WithDetails(map[string]any{"z": 1, "a": "x", "bad": math.NaN(), "m": []int{1}})
	case "panic":
		panic("secret panic")
	case "panic with an error":
		panic(errFail)
	case "panic with a public error":
		panic(errFailLocal)
	case "panic with nil":
		panic(nil)
	case "nil map":
		nilMap()["secret"] = 1
	case "abort":
		panic(http.ErrAbortHandler)
	}
	return nil
}

// nilMap hides from linters what writing to its result does.
func nilMap() map[string]int { return nil }

type failService struct{}

func (failService) Do(ctx context.Context, in *FailIn) (*FailOut, error) {
	if info, ok := svc.InfoFrom(ctx); ok && info.Header != nil {
		// For the answer that it means to give.
		for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Content-Encoding", "X-Kept"} {
			info.Header.Set(name, "secret")
		}
	}
	switch in.How {
	case "nil output":
		return nil, nil
	case "NaN":
		return &FailOut{N: math.NaN()}, nil
	case "infinite":
		return &FailOut{N: math.Inf(-1)}, nil
	}
	if how, ok := strings.CutPrefix(in.How, "encode "); ok {
		return &FailOut{JSON: &FailJSON{how}}, nil
	}
	return &FailOut{}, failAs(in.How)
}

func (failService) Drop(_ context.Context, in *FailIn) error { return failAs(in.How) }

type failKey struct{}

// A failLog is a handler of package slog that says of each record what the
// context says of the request.
type failLog struct {
	slog.Handler
	mu  *sync.Mutex
	out *bytes.Buffer
}

func newFailLog() failLog {
	out := new(bytes.Buffer)
	return failLog{slog.NewJSONHandler(out, nil), new(sync.Mutex), out}
}

func (l failLog) Handle(ctx context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, ok := ctx.Value(failKey{}).(string); ok {
		r.AddAttrs(slog.String("request", id))
	}
	return l.Handler.Handle(ctx, r)
}

// take returns what was logged since the last call.
func (l failLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.out.Reset()
	return l.out.String()
}

// failHandler serves FailAPI, and puts what the log wants into the context.
func failHandler(t testing.TB, log failLog, onError svc.ErrorWriter) http.Handler {
	t.Helper()
	s, err := svc.Register[FailAPI](failService{}, &svc.Options{Resource: "fail", Logger: slog.New(log), OnError: onError})
	if err != nil {
		t.Fatal(err)
	}
	next := s.REST()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), failKey{}, "R-4711")))
	})
}

const (
	failInternal = `{"error":{"code":"INTERNAL","message":"internal error"}}`
	failUnknown  = `{"error":{"code":"UNKNOWN","message":"unknown error"}}`
	failInvalid  = `{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: %s","details":{"violations":[{"in":"body","path":"%s","rule":"%s","message":"%s"}]}}}`
)

func invalid(path, rule, message string) string {
	return fmt.Sprintf(failInvalid, path+" "+message, path, rule, message)
}

// Verify that clients get what is meant for them, that the log gets the rest
// with the request it belongs to, and that nothing stale goes out.
func TestErrorsKeepSecretsFromClients(t *testing.T) {
	log := newFailLog()
	call := wireDirect(failHandler(t, log, nil))
	how := func(how string) string { return `{"how":"` + how + `"}` }
	field := func(name, how string) string { return `{"how":"","` + name + `":` + how + `}` }
	for _, test := range []struct {
		name   string
		body   string
		status int
		answer string
		level  string
		logged string // part of the log
	}{
		{"plain error", how("plain"), 500, failInternal, "ERROR", "secret: the disk is full"},
		{"wrapped error", how("wrapped"), 500, failInternal, "ERROR", "secret place: secret: the disk is full"},
		{"public error with a cause", how("cause"), 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, "WARN", "secret: the disk is full"},
		{"public error inside another", how("public inside"), 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, "WARN", "secret place: "},
		{"cause in the text", how("%w"), 409, `{"error":{"code":"ABORTED","message":"try again"}}`, "WARN", "secret: the disk is full"},
		{"internal error with a message", how("internal"), 500, `{"error":{"code":"INTERNAL","message":"internal error","details":{"ticket":"T-17"}}}`, "ERROR", "secret message"},
		{"unknown error with a message", how("unknown"), 500, failUnknown, "ERROR", "secret message"},
		{"data loss with a message", how("data loss"), 500, `{"error":{"code":"DATA_LOSS","message":"data loss"}}`, "ERROR", "secret message"},
		{"code that does not exist", how("no such code"), 500, failUnknown, "ERROR", "secret message"},
		{"code OK", how("OK"), 500, failUnknown, "ERROR", "secret message"},
		{"nil *Error", how("nil *Error"), 500, failInternal, "ERROR", "nil *svc.Error"},
		{"nil error of another type", how("nil error of its own"), 500, failInternal, "ERROR", "nil pointer dereference"},
		{"nil error inside a public one", how("nil error inside"), 500, failInternal, "ERROR", "nil pointer dereference"},
		{"error whose text panics", how("error whose text panics"), 500, failInternal, "ERROR", "nil pointer dereference"},
		{"deadline", how("deadline"), 504, `{"error":{"code":"DEADLINE_EXCEEDED","message":"the call took too long"}}`, "ERROR", "secret place: "},
		{"canceled", how("canceled"), 499, `{"error":{"code":"CANCELED","message":"the call was canceled"}}`, "WARN", "secret place: "},
		{"details", how("details"), 400, `{"error":{"code":"FAILED_PRECONDITION","message":"not now","details":{"a":"x","m":[1],"z":1}}}`, "WARN", "not now"},
		{"panic", how("panic"), 500, failInternal, "ERROR", "panic: secret panic"},
		{"panic with an error", how("panic with an error"), 500, failInternal, "ERROR", "panic: secret: the disk is full"},
		{"panic with a public error", how("panic with a public error"), 500, failInternal, "ERROR", "panic: NOT_FOUND: no such thing: secret"},
		{"panic with nil", how("panic with nil"), 500, failInternal, "ERROR", "panic called with nil"},
		{"write to a nil map", how("nil map"), 500, failInternal, "ERROR", "assignment to entry in nil map"},
		{"nil output", how("nil output"), 500, failInternal, "ERROR", "Do returned neither an output nor an error"},
		{"NaN in the output", how("NaN"), 500, failInternal, "ERROR", "NaN"},
		{"infinity in the output", how("infinite"), 500, failInternal, "ERROR", "-Inf"},
		{"MarshalJSON with a plain error", how("encode plain"), 500, failInternal, "ERROR", "secret: the disk is full"},
		{"MarshalJSON with a public error", how("encode cause"), 500, failInternal, "ERROR", "secret: the disk is full"}, // the call itself had succeeded
		{"MarshalJSON that panics", how("encode panic"), 500, failInternal, "ERROR", "panic: secret panic"},
		{"Validate with a plain error", field("inner", how("plain")), 400, invalid("/inner", "validate", "secret: the disk is full"), "WARN", "secret: the disk is full"}, // Validate speaks to clients
		{"Validate with a public error", field("inner", how("cause")), 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, "WARN", "secret: the disk is full"},
		{"Validate with an internal error", field("inner", how("internal")), 500, `{"error":{"code":"INTERNAL","message":"internal error","details":{"ticket":"T-17"}}}`, "ERROR", "secret message"},
		{"Validate that panics", field("inner", how("panic")), 500, failInternal, "ERROR", "panic: secret panic"},
		{"UnmarshalText with a plain error", field("text", `"plain"`), 400, invalid("/text", "type", "is not in the form that is expected here"), "WARN", "secret: the disk is full"},
		{"UnmarshalText with a public error", field("text", `"cause"`), 400, invalid("/text", "type", "no such thing"), "WARN", "secret: the disk is full"},
		{"UnmarshalText with an internal error", field("text", `"internal"`), 400, invalid("/text", "type", "is not in the form that is expected here"), "WARN", "secret message"},
		{"UnmarshalText that panics", field("text", `"nil map"`), 500, failInternal, "ERROR", "assignment to entry in nil map"},
		{"UnmarshalJSON with a plain error", field("json", `"plain"`), 400, invalid("/json", "type", "is not in the form that is expected here"), "WARN", "secret: the disk is full"},
		{"UnmarshalJSON that panics", field("json", `"panic"`), 500, failInternal, "ERROR", "panic: secret panic"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := call(t, post("/fail/do", test.body))
			if a.status != test.status || a.body != test.answer {
				t.Errorf("%s: %d %s\nwant %d %s", test.body, a.status, a.body, test.status, test.answer)
			}
			if !strings.Contains(test.body, `"inner":{"how":"plain"}`) {
				checkWireError(t, test.body, a)
			}
			for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Content-Encoding"} {
				if got := a.header.Get(name); got != "" {
					t.Errorf("%s: the error has %s: %s", test.body, name, got)
				}
			}
			checkFailLog(t, test.body, log.take(), test.level, test.logged)
		})
	}
	if a := call(t, post("/fail/drop", `{"how":"panic"}`)); a.body != failInternal {
		t.Errorf("without an output: %d %s", a.status, a.body)
	}
	if a := call(t, post("/fail/do", `{"how":""}`)); a.status != 200 || a.body != `{"n":0}` || a.header.Get("Etag") != "secret" {
		t.Errorf("after all that: %d %s %v", a.status, a.body, a.header)
	}
}

// checkFailLog checks that the log is one record, that it says what happened
// and to whom, and that a panic shows where it was.
func checkFailLog(t *testing.T, name, log, level, logged string) {
	t.Helper()
	var record struct{ Level, Method, Path, Request, Call, Transport, Code, Error, Stack string }
	if err := json.Unmarshal([]byte(log), &record); err != nil {
		t.Errorf("%s: the log is not one record: %v: %q", name, err, log)
		return
	}
	if record.Level != level || !strings.Contains(record.Error, logged) {
		t.Errorf("%s: logged %s %q, want %s with %q", name, record.Level, record.Error, level, logged)
	}
	if record.Method != "POST" || record.Path != "/fail/do" || record.Request != "R-4711" || record.Call != "fail.do" || record.Transport != "rest" {
		t.Errorf("%s: the record is of another request: %+v", name, record)
	}
	if panicked := strings.HasPrefix(record.Error, "panic: "); panicked != strings.Contains(record.Stack, "rest_test.go") {
		t.Errorf("%s: panicked is %t, the stack is %q", name, panicked, record.Stack)
	}
}

// Verify that http.ErrAbortHandler reaches net/http from wherever the
// application panics with it, and is not logged.
func TestErrAbortHandlerReachesTheServer(t *testing.T) {
	log := newFailLog()
	abort := func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	for _, test := range []struct {
		name, body string
		onError    svc.ErrorWriter
	}{
		{"method", `{"how":"abort"}`, nil},
		{"MarshalJSON", `{"how":"encode abort"}`, nil},
		{"Validate", `{"how":"","inner":{"how":"abort"}}`, nil},
		{"UnmarshalText", `{"how":"","text":"abort"}`, nil},
		{"UnmarshalJSON", `{"how":"","json":"abort"}`, nil},
		{"OnError", `{"how":"cause"}`, abort},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := failHandler(t, log, test.onError)
			if v := failPanics(h, post("/fail/do", test.body)); v != http.ErrAbortHandler {
				t.Errorf("the handler panicked with %v", v)
			}
			if text := log.take(); test.onError == nil && text != "" {
				t.Errorf("logged %s", text)
			}
			srv := wireServer(t, h, false)
			conn := wireDial(t, srv.Listener.Addr().String())
			conn.send(wireHead("POST /fail/do") + withLength(int64(len(test.body)), test.body))
			conn.mustClose(t, "the request") // without a byte
		})
	}
}

// failPanics returns what h panics with.
func failPanics(h http.Handler, q wireRequest) (v any) {
	defer func() { v = recover() }()
	method, path, _ := strings.Cut(q.line, " ")
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(q.body)))
	return nil
}

// Verify that every ErrorWriter writes every error, and that one that does not
// do its work is stood in for.
func TestOnErrorWritesEveryError(t *testing.T) {
	notFound := `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`
	var got error
	for _, test := range []struct {
		name    string
		onError svc.ErrorWriter
		q       wireRequest
		status  int
		answer  string
	}{
		{"nil", nil, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"WriteError", svc.WriteError, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"writes nothing", func(http.ResponseWriter, *http.Request, error) {}, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"only sets a header", func(w http.ResponseWriter, _ *http.Request, _ error) { w.Header().Set("Etag", "x") }, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"panics", func(http.ResponseWriter, *http.Request, error) { panic("secret") }, post("/fail/do", `{"how":"cause"}`), 404, notFound},
		{"sends a status", func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(418); got = err }, post("/fail/do", `{"how":"cause"}`), 418, ""},
		{"sends text", func(w http.ResponseWriter, _ *http.Request, err error) { io.WriteString(w, "sorry") }, post("/fail/do", `{"how":"cause"}`), 200, "sorry"},
		{"problem", svc.WriteProblem, post("/fail/do", `{"how":"cause"}`), 404,
			`{"type":"about:blank","title":"Not Found","status":404,"detail":"no such thing","instance":"/fail/do","code":"NOT_FOUND"}`},
		{"problem of an inner error", svc.WriteProblem, post("/fail/do", `{"how":"plain"}`), 500,
			`{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"internal error","instance":"/fail/do","code":"INTERNAL"}`},
		{"problem of a cancelled call", svc.WriteProblem, post("/fail/do", `{"how":"canceled"}`), 499,
			`{"type":"about:blank","title":"the call was canceled","status":499,"detail":"the call was canceled","instance":"/fail/do","code":"CANCELED"}`},
		{"problem with details", svc.WriteProblem, post("/fail/do", `{}`), 400,
			`{"type":"about:blank","title":"Bad Request","status":400,"detail":"invalid input: /how is required","instance":"/fail/do","code":"INVALID_ARGUMENT","details":{"violations":[{"in":"body","path":"/how","rule":"required","message":"is required"}]}}`},
		{"problem of no route", svc.WriteProblem, get("/%22secret%22/%ff"), 404,
			`{"type":"about:blank","title":"Not Found","status":404,"detail":"there is nothing at this path","instance":"/%22secret%22/%ff","code":"NOT_FOUND"}`},
		{"problem of no method", svc.WriteProblem, get("/fail/do"), 405,
			`{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"the method is not allowed here; allowed: POST","instance":"/fail/do","code":"UNIMPLEMENTED"}`},
		{"problem of a type", svc.WriteProblem, wireRequest{"POST /fail/do", "Content-Type: text/plain", "x"}, 415,
			`{"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"the Content-Type must be application/json in UTF-8","instance":"/fail/do","code":"INVALID_ARGUMENT"}`},
		{"problem of a size", svc.WriteProblem, post("/fail/do", strings.Repeat(" ", 1<<20+1)), 413,
			`{"type":"about:blank","title":"Request Entity Too Large","status":413,"detail":"the request body has more than 1048576 bytes","instance":"/fail/do","code":"RESOURCE_EXHAUSTED"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := newFailLog()
			a := wireDirect(failHandler(t, log, test.onError))(t, test.q)
			if a.status != test.status || a.body != test.answer {
				t.Errorf("%d %s\nwant %d %s", a.status, a.body, test.status, test.answer)
			}
			want := "application/json"
			if strings.HasPrefix(test.name, "problem") {
				want = "application/problem+json"
			}
			if got := a.header.Get("Content-Type"); !strings.HasPrefix(test.name, "sends ") && got != want {
				t.Errorf("Content-Type %q, want %q", got, want)
			}
			if strings.Count(log.take(), "\n") < 1 {
				t.Error("not logged")
			}
		})
	}
	if !errors.Is(got, errFail) || svc.CodeOf(got) != svc.CodeNotFound {
		t.Errorf("OnError got %v, want the error of the method, with its cause", got)
	}
}

// Verify that a handler that fails after its first byte cuts the connection,
// with OnError, Handle and Recover alike.
func TestFailureAfterFirstByteCutsTheConnection(t *testing.T) {
	log := newFailLog()
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
	}
	mux := http.NewServeMux()
	mux.Handle("POST /fail/do", failHandler(t, log, func(w http.ResponseWriter, _ *http.Request, _ error) {
		half(w)
		panic("secret")
	}))
	mux.Handle("GET /error", svc.Handle(func(w http.ResponseWriter, _ *http.Request) error {
		half(w)
		return errFail
	}, &svc.ErrorOptions{Logger: slog.New(log)}))
	mux.Handle("GET /panic", svc.Recover(&svc.ErrorOptions{Logger: slog.New(log)})(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		half(w)
		panic("secret")
	})))
	srv := wireServer(t, mux, false)
	for _, test := range []struct{ name, request string }{
		{"OnError", wireHead("POST /fail/do") + withLength(15, `{"how":"cause"}`)},
		{"Handle", wireHead("GET /error") + "\r\n"},
		{"Recover", wireHead("GET /panic") + "\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			conn := wireDial(t, srv.Listener.Addr().String())
			conn.send(test.request)
			res, err := http.ReadResponse(conn.r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(res.Body); err == nil || string(body) != "half" {
				t.Errorf("the client has %q, %v, and takes it for whole", body, err)
			}
			if text := log.take(); !strings.Contains(text, "secret") {
				t.Errorf("logged %q", text)
			}
		})
	}
}

// Verify that Handle and Recover do on a mux of the user's what svc does on its
// own routes.
func TestHandleAndRecover(t *testing.T) {
	log := newFailLog()
	mux := http.NewServeMux()
	mux.Handle("GET /handle/{how}", svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Etag", "secret")
		if err := failAs(r.PathValue("how")); err != nil {
			return err
		}
		_, err := io.WriteString(w, "fine")
		return err
	}, &svc.ErrorOptions{Logger: slog.New(log)}))
	mux.HandleFunc("GET /recover/{how}", func(w http.ResponseWriter, r *http.Request) {
		if err := failAs(r.PathValue("how")); err != nil {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	call := wireDirect(svc.Recover(&svc.ErrorOptions{OnError: svc.WriteProblem, Logger: slog.New(log)})(mux))
	for _, test := range []struct {
		path   string
		status int
		answer string
		logged string
	}{
		{"/handle/x", 200, "fine", ""},
		{"/handle/cause", 404, `{"error":{"code":"NOT_FOUND","message":"no such thing"}}`, `"level":"WARN"`},
		{"/handle/plain", 500, failInternal, "secret: the disk is full"},
		{"/handle/panic", 500, failInternal, "panic: secret panic"},
		{"/recover/x", 200, "", ""},
		{"/recover/plain", 418, "", ""},
		{"/recover/panic", 500, `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"internal error","instance":"/recover/panic","code":"INTERNAL"}`, "panic: secret panic"},
	} {
		t.Run(test.path, func(t *testing.T) {
			a := call(t, get(test.path))
			if a.status != test.status || a.body != test.answer {
				t.Errorf("%d %s\nwant %d %s", a.status, a.body, test.status, test.answer)
			}
			if a.status >= 500 && a.header.Get("Etag") != "" {
				t.Error("the error has an Etag")
			}
			text := log.take()
			if (test.logged == "") != (text == "") || !strings.Contains(text, test.logged) {
				t.Errorf("logged %q, want %q", text, test.logged)
			}
			if text != "" && (!strings.Contains(text, `"method":"GET"`) || !strings.Contains(text, test.path)) {
				t.Errorf("the log names another request: %s", text)
			}
		})
	}
	for _, path := range []string{"/handle/abort", "/recover/abort"} {
		t.Run(path, func(t *testing.T) {
			if v := failPanics(svc.Recover(&svc.ErrorOptions{Logger: slog.New(log)})(mux), get(path)); v != http.ErrAbortHandler {
				t.Errorf("panicked with %v", v)
			}
		})
	}
}

// Verify that a client that leaves is news and not an error, and that a method
// that gives up by itself is one.
func TestLogLevelOfCancel(t *testing.T) {
	log := newFailLog()
	h := failHandler(t, log, nil)
	for _, left := range []bool{true, false} {
		t.Run(map[bool]string{true: "the client left", false: "the method gave up"}[left], func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			r := httptest.NewRequestWithContext(ctx, "POST", "/fail/do", strings.NewReader(`{"how":"canceled"}`))
			want := `"level":"WARN"`
			if left {
				want = `"level":"INFO"`
				cancel()
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			cancel()
			if text := log.take(); !strings.Contains(text, want) {
				t.Errorf("left is %t: logged %s, want %s", left, text, want)
			}
		})
	}
}

// Verify that a body too large for http.MaxBytesReader is the client's error,
// also where the handler passes the error on as it is.
func TestHandleAnswers413ForMaxBytesReader(t *testing.T) {
	h := svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 3))
		return err
	}, &svc.ErrorOptions{Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct {
		name   string
		body   string
		status int
		answer string
	}{
		{"3 bytes", "123", 200, ""},
		{"4 bytes", "1234", 413, `{"error":{"code":"RESOURCE_EXHAUSTED","message":"the request body has more than 3 bytes"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(test.body)))
			if w.Code != test.status || w.Body.String() != test.answer {
				t.Errorf("a body of %d bytes: %d %s, want %d %s", len(test.body), w.Code, w.Body, test.status, test.answer)
			}
		})
	}
}
