package svc_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"time"

	"example.com/svc"
)

// How is a list cut into pages?

// CityAPI lists cities, by page number and by cursor.
type CityAPI interface {
	List(ctx context.Context, in *ListCities) (*svc.PageResponse[string], error)
	Feed(ctx context.Context, in *FeedCities) (*svc.CursorResponse[string], error)
}

type ListCities struct{ svc.PageQuery }

type FeedCities struct{ svc.CursorQuery }

// Cities are sorted by name. The names are the keys of the cursors.
type Cities []string

func (c Cities) List(ctx context.Context, in *ListCities) (*svc.PageResponse[string], error) {
	req := in.PageRequest()
	from := min(req.Offset(), len(c))
	to := from + min(req.Size(), len(c)-from)
	return svc.NewPage(c[from:to], req, len(c)), nil
}

func (c Cities) Feed(ctx context.Context, in *FeedCities) (*svc.CursorResponse[string], error) {
	from := 0
	if in.Cursor != "" {
		var last string
		if err := svc.DecodeCursor(in.Cursor, &last); err != nil {
			return nil, err
		}
		at, found := slices.BinarySearch(c, last)
		if from = at; found {
			from++
		}
	}
	to := from + min(in.Limit, len(c)-from)
	return svc.NewCursorPage(c[from:to], in.Limit, func(last string) string {
		cursor, _ := svc.EncodeCursor(last) // fails only for text that is not UTF-8
		return cursor
	}), nil
}

// An input that embeds PageQuery or CursorQuery has their parameters, with defaults and
// limits, on every transport and in the documents.
func ExamplePageQuery() {
	cities := svc.MustRegister[CityAPI](Cities{"Accra", "Lima", "Oslo"}, &svc.Options{
		Resource: "cities",
		Methods:  map[string]svc.MethodOptions{"Feed": {HTTP: "GET /cities/feed"}},
	})
	for _, target := range []string{
		"/cities?per_page=2&page=2",
		"/cities?per_page=1000",
		"/cities/feed?limit=2",
		"/cities/feed?limit=2&cursor=TGltYQ",
	} {
		w := httptest.NewRecorder()
		cities.REST().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		fmt.Println(w.Body)
	}
	// Output:
	// {"data":["Oslo"],"page":2,"per_page":2,"total":3,"total_pages":2}
	// {"data":["Accra","Lima","Oslo"],"page":1,"per_page":100,"total":3,"total_pages":1}
	// {"data":["Accra","Lima"],"next_cursor":"TGltYQ","has_more":true}
	// {"data":["Oslo"],"has_more":false}
}

// ParsePage reads the same parameters, for handlers that do not belong to a service.
func ExampleParsePage() {
	r := httptest.NewRequest("GET", "/cities?page=3&per_page=50", nil)
	page, err := svc.ParsePage(r.URL.Query())
	fmt.Println(page.Offset(), page.Size(), err)

	_, err = svc.ParsePage(httptest.NewRequest("GET", "/cities?page=0", nil).URL.Query())
	fmt.Println(err)
	// Output:
	// 100 50 <nil>
	// INVALID_ARGUMENT: invalid input: /page must be at least 1
}

// A cursor holds the key of the last item of a page. The next page begins after that
// key, even if items were added or removed.
func ExampleEncodeCursor() {
	last := svc.TimeCursor{ID: "17", At: time.Date(2025, 3, 1, 12, 30, 0, 0, time.UTC)}
	cursor, err := svc.EncodeCursor(last)
	if err != nil {
		panic(err)
	}
	fmt.Println(cursor)

	var key svc.TimeCursor
	fmt.Println(svc.DecodeCursor(cursor, &key), key.ID, key.At)
	fmt.Println(svc.DecodeCursor("not-a-cursor", &key) != nil)
	// Output:
	// eyJpZCI6IjE3IiwiYXQiOiIyMDI1LTAzLTAxVDEyOjMwOjAwWiJ9
	// <nil> 17 2025-03-01 12:30:00 +0000 UTC
	// true
}

// Clients cannot forge a sealed cursor. To replace a key, put the new one first and
// keep the old one until its cursors are no longer in use.
func ExampleCursorKey() {
	oldKey := svc.NewCursorKey([]byte("32 random bytes, kept in a secret"))
	cursor, err := oldKey.Encode("todo-17")
	if err != nil {
		panic(err)
	}

	key := svc.NewCursorKey([]byte("32 other bytes, also kept secret."), []byte("32 random bytes, kept in a secret"))
	var id string
	fmt.Println(key.Decode(cursor, &id), id)
	fmt.Println(svc.CodeOf(key.Decode(cursor[1:], &id)))
	// Output:
	// <nil> todo-17
	// INVALID_ARGUMENT
}
