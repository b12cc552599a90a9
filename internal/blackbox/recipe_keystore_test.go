package blackbox_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	"example.com/svc"
)

// This file has the test of doc/keystore.md for those who write a store for idempotency keys,
// and runs it against a store in memory and against the one for PostgreSQL.

// A runFunc is the function of a store, Idempotency.Run.
type runFunc func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error)

// testStore tests the Run of a new store.
func testStore(t *testing.T, run runFunc) {
	returns := func(record string) func(context.Context) ([]byte, error) {
		return func(context.Context) ([]byte, error) { return []byte(record), nil }
	}
	never := func(context.Context) ([]byte, error) {
		t.Error("do was called again")
		return nil, errors.New("again")
	}
	want := func(id, want string, do func(context.Context) ([]byte, error)) {
		t.Helper()
		if record, err := run(t.Context(), id, do); err != nil || !bytes.Equal(record, []byte(want)) {
			t.Errorf("%s: %q, %v; want %q", id, record, err, want)
		}
	}
	want("a", "one", returns("one")) // runs once
	want("a", "one", never)          // then keeps the record
	want("b", "two", returns("two")) // for each id

	failed := errors.New("failed") // an error keeps nothing, and reaches the caller
	if _, err := run(t.Context(), "c", func(context.Context) ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("an error of do became %v", err)
	}
	want("c", "three", returns("three"))

	func() { // neither does a panic
		defer func() { recover() }()
		run(t.Context(), "d", func(context.Context) ([]byte, error) { panic("panics") })
	}()
	want("d", "four", returns("four"))

	_, err := run(t.Context(), "e", func(context.Context) ([]byte, error) { // a call beside one with its key
		if _, err := run(t.Context(), "e", never); svc.CodeOf(err) != svc.CodeAborted {
			t.Errorf("the second call got %v, want ABORTED", err)
		}
		return []byte("five"), nil
	})
	if err != nil {
		t.Error(err)
	}
	want("e", "five", never)
}

func TestStores(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		var records sync.Map // by id; nil while the call runs
		testStore(t, func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
			if known, ok := records.LoadOrStore(id, record); ok {
				if record = known.([]byte); record == nil {
					err = svc.Errorf(svc.CodeAborted, "a call with this key is running; try again")
				}
				return record, err
			}
			defer func() {
				if records.Store(id, record); record == nil { // of an error or a panic
					records.Delete(id)
				}
			}()
			return do(ctx)
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		db := sql.OpenDB(&database{records: make(map[string][]byte), locks: make(map[string]*dbTx)})
		defer db.Close()
		testStore(t, store{db}.once)
	})
}
