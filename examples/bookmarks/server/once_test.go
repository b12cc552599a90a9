package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"example.com/svc"
)

// This file tests once of this service, and that of doc/keystore.md, with PostgreSQL.

// A runFunc is a svc.Idempotency.Run.
type runFunc func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error)

// A store is that of doc/keystore.md.
type store struct{ db *sql.DB }

// once is a copy of the function in doc/keystore.md.
func (s store) once(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
	if ctx.Value(txKey{}) != nil { // it would wait for a second connection, which the pool may not have
		return nil, svc.Errorf(svc.CodeInternal, "a method with an idempotency key has called another one with a key")
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, err
	}
	defer func() { // for an error of COMMIT too
		tx.Rollback() // unless it is committed
		var answer interface{ SQLState() string }
		if errors.As(err, &answer) && slices.Contains([]string{"40001", "40P01", "55P03", "25P03"}, answer.SQLState()) {
			err = svc.Errorf(svc.CodeAborted, "the call had no effect; try again: %w", err)
		}
	}()
	var free bool
	err = tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))
		FROM set_config('idle_in_transaction_session_timeout', '30s', true)`, id).Scan(&free)
	if err == nil && !free {
		err = svc.Errorf(svc.CodeAborted, "a call with this key is running; try again")
	}
	if err == nil {
		err = tx.QueryRowContext(ctx, "SELECT record FROM idempotency WHERE id = $1", id).Scan(&record)
	}
	if !errors.Is(err, sql.ErrNoRows) { // there is a record, or an error
		return record, err
	}
	if record, err = do(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return nil, err
	}
	if _, err = tx.ExecContext(ctx, "INSERT INTO idempotency (id, record) VALUES ($1, $2)", id, record); err != nil {
		return nil, err
	}
	return record, tx.Commit()
}

// An onceStore is a once, and what its methods execute statements with.
type onceStore struct {
	name string
	run  runFunc
	exec func(ctx context.Context, sql string) error
}

// openStores returns both stores on a database with these parameters, which has a table whose
// inserts fail at COMMIT, as a transaction does that is not serializable.
func openStores(t *testing.T, params string) []onceStore {
	t.Helper()
	text := os.Getenv("DATABASE_URL")
	if text == "" {
		t.Skip("SKIPPED: set DATABASE_URL to a PostgreSQL database for tests")
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = params
	p, err := openPostgres(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.pool.Close)
	_, err = p.pool.Exec(t.Context(), `create table if not exists conflicts (at_commit boolean);
		create or replace function fail() returns trigger language plpgsql as $$ begin raise exception using errcode = '40001'; end $$;
		create or replace trigger fail_statement before insert on conflicts for each row when (not new.at_commit) execute function fail();
		drop trigger if exists fail_commit on conflicts;
		create constraint trigger fail_commit after insert on conflicts deferrable initially deferred for each row execute function fail()`)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDBFromPool(p.pool)
	t.Cleanup(func() { db.Close() })
	return []onceStore{
		{"of the service", p.once, func(ctx context.Context, text string) error {
			_, err := p.conn(ctx).Exec(ctx, text)
			return err
		}},
		{"of doc/keystore.md", store{db}.once, func(ctx context.Context, text string) error {
			_, err := ctx.Value(txKey{}).(*sql.Tx).ExecContext(ctx, text)
			return err
		}},
	}
}

// Verify that a conflict is ABORTED, in a statement and at COMMIT, that it leaves no record, and
// that the record of a later call is kept.
func TestOnceConflict(t *testing.T) {
	for _, s := range openStores(t, "") {
		for _, place := range []string{"false", "true"} {
			t.Run(s.name+", at commit "+place, func(t *testing.T) {
				id, reached := rand.Text(), false
				_, err := s.run(t.Context(), id, func(ctx context.Context) ([]byte, error) {
					err := s.exec(ctx, "insert into conflicts values ("+place+")")
					reached = err == nil
					return []byte("lost"), err
				})
				if svc.CodeOf(err) != svc.CodeAborted || reached != (place == "true") {
					t.Errorf("%v, and the statement passed: %t", err, reached)
				}
				for range 2 {
					record, err := s.run(t.Context(), id, func(context.Context) ([]byte, error) { return []byte("kept"), nil })
					if err != nil || string(record) != "kept" {
						t.Errorf("then %s, %v", record, err)
					}
				}
			})
		}
	}
}

// Verify that a key is free again after a replica has stood still in its transaction, which then
// has no effect.
func TestOnceIdle(t *testing.T) {
	for _, s := range openStores(t, "idle_in_transaction_session_timeout=200ms") {
		t.Run(s.name, func(t *testing.T) {
			id := rand.Text()
			_, err := s.run(t.Context(), id, func(outer context.Context) ([]byte, error) {
				if err := s.exec(outer, "set local idle_in_transaction_session_timeout = '200ms'"); err != nil { // once of doc/keystore.md has set 30 s
					return nil, err
				}
				busy := 0
				for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
					record, err := s.run(t.Context(), id, func(context.Context) ([]byte, error) { return []byte("other"), nil })
					if err == nil && string(record) == "other" && busy > 0 {
						return []byte("late"), nil
					}
					if busy++; svc.CodeOf(err) != svc.CodeAborted {
						return nil, errors.Join(err, errors.New("not ABORTED"))
					}
				}
				return nil, errors.New("the key is not free")
			})
			if code := svc.CodeOf(err); code != svc.CodeAborted && code != svc.CodeUnavailable && code != svc.CodeUnknown {
				t.Errorf("the call that stood still: %v", err)
			}
			record, err := s.run(t.Context(), id, func(context.Context) ([]byte, error) { return []byte("third"), nil })
			if err != nil || string(record) != "other" {
				t.Errorf("%s, %v", record, err)
			}
		})
	}
}

// Verify that both set a limit where the database has none.
func TestOnceLimit(t *testing.T) {
	for _, s := range openStores(t, "") {
		t.Run(s.name, func(t *testing.T) {
			_, err := s.run(t.Context(), rand.Text(), func(ctx context.Context) ([]byte, error) {
				return []byte("{}"), s.exec(ctx, `do $$ begin
					if current_setting('idle_in_transaction_session_timeout') <> '30s' then raise exception 'no limit'; end if;
				end $$`)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Verify that a call with a key within another one is an error at once, on a pool of one
// connection.
func TestOnceNested(t *testing.T) {
	for _, s := range openStores(t, "pool_max_conns=1") {
		t.Run(s.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := s.run(ctx, rand.Text(), func(ctx context.Context) ([]byte, error) {
				return s.run(ctx, rand.Text(), func(context.Context) ([]byte, error) { return []byte("inner"), nil })
			})
			if svc.CodeOf(err) != svc.CodeInternal || ctx.Err() != nil {
				t.Errorf("%v, %v", err, ctx.Err())
			}
		})
	}
}
