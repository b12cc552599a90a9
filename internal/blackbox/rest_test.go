package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file tests REST as a whole: what a request may touch, the ways to mount the
// routes, and many clients at once.

// Verify that a request reaches no other item than the one in its path, and sets no
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
		{"a deletion with another id in the body", wireRequest{"DELETE /items/1", "", `{"id":"2"}`}, 400},
		{"a deletion with another id in a form", wireRequest{"DELETE /items/1", "Content-Type: application/x-www-form-urlencoded", "id=2"}, 400},
		{"a deletion with another id in headers", wireRequest{"DELETE /items/1", "X-Original-URL: /items/2\nX-Rewrite-URL: /items/2\nX-Item-Id: 2\nId: 2", ""}, 204},
		{"a deletion without an id in the path", wireRequest{"DELETE /items/?id=2", "", ""}, 404},
		{"a deletion of the collection", wireRequest{"DELETE /items?id=2", "", ""}, 405},
		{"a read with another id in the query and the body", wireRequest{"GET /items/1?id=2", "", `{"id":"2"}`}, 400},
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

// Verify that a service gives the same answers by itself, on a mux of the user's, under
// a prefix and on another router, and that it does not answer for a mux where it has no
// route.
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
				t.Run(strings.TrimSpace(test.line+" "+test.body), func(t *testing.T) {
					if m.name == "Routes" && strings.HasPrefix(test.line, "HEAD") {
						return // is the router's to offer
					}
					s, _ := newWire(t, wireOptions())
					verb, path, _ := strings.Cut(test.line, " ")
					a := wireDirect(m.handler(s))(t, wireRequest{line: verb + " " + m.prefix + path, body: test.body})
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

func (c *wireLoad) do(verb, path, body string) (int, string) {
	r, err := http.NewRequest(verb, c.url+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	res, err := c.client.Do(r)
	if err != nil {
		c.Errorf("%s: %s %s: %v", c.name, verb, path, err)
		return 0, ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Errorf("%s: %s %s: %v", c.name, verb, path, err)
	}
	return res.StatusCode, string(text)
}

func (c *wireLoad) want(status int, item WireItem, verb, path, body string) WireItem {
	got, text := c.do(verb, path, body)
	var answer WireItem
	if got == 200 {
		json.Unmarshal([]byte(text), &answer)
	}
	if item.ID == "" {
		item.ID = answer.ID
	}
	if got != status || got == 200 && (answer.ID != item.ID || answer.Title != item.Title || answer.Size != item.Size) {
		c.Errorf("%s: %s %s: %d %s, want %d %+v", c.name, verb, path, got, text, status, item)
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

// Verify that with many clients at once no item that was acknowledged is lost, no
// deleted item comes back, and each client gets its own answers.
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

// Verify that requests leave no goroutine, no connection and no memory behind, however
// they were answered.
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
	srv.Close() // waits for connections that end gently
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines became %d", goroutines, n)
	}
}

// Verify that a long path which ServeMux does not match is not cut into pieces for each route.
func TestLongPathsAllocateInProportion(t *testing.T) {
	const size = 500_000
	s, _ := newWire(t, wireOptions())
	h := s.REST()
	for _, path := range []string{
		"/items/%2F" + strings.Repeat("/a", size/2),
		"/items//" + strings.Repeat("/a", size/2),
		"/items/" + strings.Repeat("%2F", size/3),
	} {
		t.Run(path[:12], func(t *testing.T) {
			r := httptest.NewRequest("GET", path, nil)
			w := httptest.NewRecorder()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			h.ServeHTTP(w, r)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 45*size || w.Code < 400 && w.Code != 200 {
				t.Errorf("%d: %d bytes of memory", w.Code, n)
			}
		})
	}
}

// Verify that a request allocates memory in proportion to its size, whatever is wrong
// with it and however often.
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
