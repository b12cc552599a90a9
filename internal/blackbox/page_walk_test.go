package blackbox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.com/svc"
)

// A walkItem is an item of a list in order of time. Several have the same time.
type walkItem struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
}

func compareWalk(a, b walkItem) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

// A walkStore is a list that a test inserts into while it is read.
type walkStore struct {
	items []walkItem // sorted
	seal  *svc.CursorKey
}

func (s *walkStore) insert(item walkItem) {
	at, _ := slices.BinarySearchFunc(s.items, item, compareWalk)
	s.items = slices.Insert(s.items, at, item)
}

func (s *walkStore) List(_ context.Context, in *pageByNumber) (*svc.PageResponse[walkItem], error) {
	req := in.PageRequest()
	start := min(req.Offset(), len(s.items))
	end := min(req.Size(), len(s.items)-start) + start
	return svc.NewPage(slices.Clone(s.items[start:end]), req, len(s.items)), nil
}

func (s *walkStore) Feed(_ context.Context, in *pageByCursor) (*svc.CursorResponse[walkItem], error) {
	start := 0
	if in.Cursor != "" {
		var key svc.TimeCursor
		if err := s.seal.Decode(in.Cursor, &key); err != nil {
			return nil, err
		}
		at, found := slices.BinarySearchFunc(s.items, walkItem(key), compareWalk)
		if start = at; found {
			start++
		}
	}
	rest := s.items[start:]
	return svc.NewCursorPage(slices.Clone(rest[:min(in.Limit, len(rest))]), in.Limit, func(last walkItem) string {
		cursor, err := s.seal.Encode(svc.TimeCursor(last))
		if err != nil {
			panic(err)
		}
		return cursor
	}), nil
}

type walkAPI interface {
	List(ctx context.Context, in *pageByNumber) (*svc.PageResponse[walkItem], error)
	Feed(ctx context.Context, in *pageByCursor) (*svc.CursorResponse[walkItem], error)
}

// A walkClient asks for one part of a list by one transport.
type walkClient interface {
	page(t *testing.T, n, size int) *svc.PageResponse[walkItem]
	cursor(t *testing.T, cursor string, limit int) *svc.CursorResponse[walkItem]
}

type walkREST struct{ *svc.Service }

func (c walkREST) get(t *testing.T, target string, out any) {
	w := httptest.NewRecorder()
	c.REST().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil || w.Code != 200 {
		t.Fatalf("GET %s: %d %s", target, w.Code, w.Body)
	}
}

func (c walkREST) page(t *testing.T, n, size int) *svc.PageResponse[walkItem] {
	var out svc.PageResponse[walkItem]
	c.get(t, fmt.Sprintf("/walk?page=%d&per_page=%d", n, size), &out)
	return &out
}

func (c walkREST) cursor(t *testing.T, cursor string, limit int) *svc.CursorResponse[walkItem] {
	var out svc.CursorResponse[walkItem]
	c.get(t, "/walk/feed?"+url.Values{"cursor": {cursor}, "limit": {strconv.Itoa(limit)}}.Encode(), &out)
	return &out
}

type walkCall struct{ *svc.Service }

func (c walkCall) page(t *testing.T, n, size int) *svc.PageResponse[walkItem] {
	out, err := c.Call(context.Background(), "walk", "list", &pageByNumber{svc.PageQuery{Page: n, PerPage: size}})
	if err != nil {
		t.Fatal(err)
	}
	return out.(*svc.PageResponse[walkItem])
}

func (c walkCall) cursor(t *testing.T, cursor string, limit int) *svc.CursorResponse[walkItem] {
	out, err := c.Call(context.Background(), "walk", "feed", &pageByCursor{svc.CursorQuery{Cursor: cursor, Limit: limit}})
	if err != nil {
		t.Fatal(err)
	}
	return out.(*svc.CursorResponse[walkItem])
}

// walkWorlds calls test with many lists, over each transport. between changes
// the list while it is read, if inserting is true.
func walkWorlds(t *testing.T, inserting bool, test func(t *testing.T, name string, store *walkStore, c walkClient, size int, between func())) {
	for seed := range uint64(60) {
		for transport := range 2 {
			r := rand.New(rand.NewPCG(seed, 7))
			store := &walkStore{seal: svc.NewCursorKey([]byte("walk"))}
			next := 0
			insert := func() {
				next++
				store.insert(walkItem{strconv.Itoa(next), time.Unix(r.Int64N(12), 0).UTC()}) // few instants: many ties
			}
			for range r.IntN(30) {
				insert()
			}
			between := func() {
				for range r.IntN(4) {
					insert()
				}
			}
			if !inserting {
				between = func() {}
			}
			s := svc.MustRegister[walkAPI](store, &svc.Options{Resource: "walk", Methods: map[string]svc.MethodOptions{"Feed": {HTTP: "GET /walk/feed"}}})
			clients := [...]walkClient{walkREST{s}, walkCall{s}}
			size := 1 + r.IntN(7)
			name := fmt.Sprintf("seed %d, %T, %d at a time, inserting %t", seed, clients[transport], size, inserting)
			test(t, name, store, clients[transport], size, between)
		}
	}
}

// walked counts how often each item was met.
func walked(lists [][]walkItem) map[string]int {
	met := make(map[string]int)
	for _, list := range lists {
		for _, item := range list {
			met[item.ID]++
		}
	}
	return met
}

// Verify that a walk by cursors meets every item that was there from the
// beginning once, whoever inserts what and where, and none twice, in order.
func TestWalkCursors(t *testing.T) {
	for _, inserting := range []bool{false, true} {
		walkWorlds(t, inserting, func(t *testing.T, name string, store *walkStore, c walkClient, size int, between func()) {
			existing := slices.Clone(store.items)
			var lists [][]walkItem
			for cursor, more := "", true; more; {
				part := c.cursor(t, cursor, size)
				if part.HasMore != (len(part.Data) == size) || part.HasMore != (part.NextCursor != "") || part.Data == nil {
					t.Fatalf("%s: %+v", name, part)
				}
				lists = append(lists, part.Data)
				cursor, more = part.NextCursor, part.HasMore
				// Those who insert are slower than the reader in the end.
				if len(lists) < 30 {
					between()
				}
			}
			met := walked(lists)
			for _, item := range existing {
				if met[item.ID] != 1 {
					t.Errorf("%s: item %s was met %d times", name, item.ID, met[item.ID])
				}
			}
			for id, n := range met {
				if n > 1 {
					t.Errorf("%s: item %s was met %d times", name, id, n)
				}
			}
			if all := slices.Concat(lists...); !slices.IsSortedFunc(all, compareWalk) {
				t.Errorf("%s: out of order: %v", name, all)
			}
		})
	}
}

// Verify that a walk by pages meets every item once if nobody inserts, that
// inserts can only make it meet an item again, as documented, and that each
// page tells the truth about the list as it was then.
func TestWalkPages(t *testing.T) {
	repeats := 0
	for _, inserting := range []bool{false, true} {
		walkWorlds(t, inserting, func(t *testing.T, name string, store *walkStore, c walkClient, size int, between func()) {
			existing := slices.Clone(store.items)
			var lists [][]walkItem
			for n, pages := 1, 1; n <= pages; n++ {
				page := c.page(t, n, size)
				total := len(store.items)
				pages = (total + size - 1) / size
				full := max(0, min(size, total-(n-1)*size))
				if page.Page != n || page.PerPage != size || page.Total != total || page.TotalPages != pages || len(page.Data) != full || page.Data == nil {
					t.Fatalf("%s: page %d of %d items: %+v", name, n, total, page)
				}
				lists = append(lists, page.Data)
				if len(lists) < 30 {
					between()
				}
			}
			met := walked(lists)
			for _, item := range existing {
				if n := met[item.ID]; n < 1 || n > 1 && !inserting {
					t.Errorf("%s: item %s was met %d times", name, item.ID, n)
				} else if n > 1 {
					repeats++
				}
			}
		})
	}
	if repeats == 0 {
		t.Error("no item was met twice: the lists are too tame to show what pages cannot do")
	}
}

// Verify that a cursor goes on after its item even where that is gone.
func TestWalkCursorOfDeletedItem(t *testing.T) {
	store := &walkStore{seal: svc.NewCursorKey([]byte("walk"))}
	for i := range 6 {
		store.insert(walkItem{strconv.Itoa(i), time.Unix(1, 0).UTC()})
	}
	s := svc.MustRegister[walkAPI](store, &svc.Options{Resource: "walk"})
	first := walkCall{s}.cursor(t, "", 3)
	store.items = slices.Delete(store.items, 1, 3) // with the last of the part
	second := walkCall{s}.cursor(t, first.NextCursor, 3)
	if got := fmt.Sprint(first.Data, second.Data); got != fmt.Sprint(
		[]walkItem{{"0", time.Unix(1, 0).UTC()}, {"1", time.Unix(1, 0).UTC()}, {"2", time.Unix(1, 0).UTC()}},
		[]walkItem{{"3", time.Unix(1, 0).UTC()}, {"4", time.Unix(1, 0).UTC()}, {"5", time.Unix(1, 0).UTC()}}) {
		t.Errorf("walked %s", got)
	}
}

// Verify that a cursor that is not the list's own gets the same refusal, with
// its place, as any other bad parameter.
func TestWalkForeignCursor(t *testing.T) {
	store := &walkStore{seal: svc.NewCursorKey([]byte("walk"))}
	s := svc.MustRegister[walkAPI](store, &svc.Options{Resource: "walk", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{"Feed": {HTTP: "GET /walk/feed"}}})
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest("GET", "/walk/feed?cursor=abc", nil))
	const want = `{"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /cursor must be a cursor from an earlier answer of this list",` +
		`"details":{"violations":[{"in":"query","path":"/cursor","rule":"type","message":"must be a cursor from an earlier answer of this list"}]}}}`
	if w.Code != 400 || w.Body.String() != want {
		t.Errorf("%d %s, want 400 %s", w.Code, w.Body, want)
	}
	_, err := s.Call(context.Background(), "walk", "feed", &pageByCursor{svc.CursorQuery{Cursor: "abc", Limit: 1}})
	checkCursorError(t, "Call", err)
}
