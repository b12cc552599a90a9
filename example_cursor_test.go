package svc_test

import (
	"fmt"
	"time"

	"example.com/svc"
)

// A cursor holds the key of the last item of a page: the next page begins
// after it, whatever was added or removed in between.
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

// A sealed cursor is one that this service has given out. To replace a key,
// put the new one in front and keep the old one until its cursors are gone.
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
