package svc_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"

	"example.com/svc"
)

// A CityAPI lists cities by pages and by cursors.
type CityAPI interface {
	List(ctx context.Context, in *ListCities) (*svc.PageResponse[string], error)
	Feed(ctx context.Context, in *FeedCities) (*svc.CursorResponse[string], error)
}

type ListCities struct{ svc.PageQuery }

type FeedCities struct{ svc.CursorQuery }

// Cities are in the order of their names, which are the keys of their cursors.
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
		cursor, _ := svc.EncodeCursor(last) // fails for text that is not UTF-8 only
		return cursor
	}), nil
}

// The parameters need no more than to be embedded: they have their defaults and
// limits on every transport, and documents show them.
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

// A handler of one's own reads the same parameters in the same way.
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
