package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/bookmarks"
	"example.com/svc"
)

// postgres is the database.
type postgres struct {
	pool     *pgxpool.Pool
	stateKey []byte // with which all processes seal the ids of tasks
}

// openPostgres connects and brings the tables up to date. The URL may also have pool_max_conns and,
// at the price of more retries, a different isolation. The transaction of a stalled process ends
// after a time, and releases its lock of a key.
func openPostgres(ctx context.Context, url string) (*postgres, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	params := config.ConnConfig.RuntimeParams
	params["default_transaction_isolation"] = cmp.Or(params["default_transaction_isolation"], "read committed")
	const idle = "idle_in_transaction_session_timeout"
	params[idle] = cmp.Or(params[idle], "30s")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	p := &postgres{pool: pool}
	if err := migrate(ctx, pool); err != nil {
		return p, err
	}
	return p, pool.QueryRow(ctx, "select key from keys where name = 'state'").Scan(&p.stateKey)
}

//go:embed migrations/*.sql
var migrations embed.FS

// Advisory locks are numbers that a program chooses.
const migrateLock, createLock = 7001, 7002

// migrate runs the new migrations, in the order of their names and in one transaction. Replicas
// that start together wait for each other.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, _ := fs.Glob(migrations, "migrations/*.sql") // no error: the pattern is good
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(`select pg_advisory_xact_lock(%d);
			create table if not exists migrations (name text primary key, run_at timestamptz not null default now())`, migrateLock))
		if err != nil {
			return err
		}
		for _, file := range files {
			tag, err := tx.Exec(ctx, "insert into migrations (name) values ($1) on conflict do nothing", file)
			if err == nil && tag.RowsAffected() == 1 {
				text, _ := migrations.ReadFile(file) // no error: it is embedded
				_, err = tx.Exec(ctx, string(text))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		return nil
	})
}

// once is svc.Idempotency.Run: it runs a call in the transaction that keeps its record. If a call
// with the key is running, it does not wait, because a few such calls would take all connections of
// the pool. In do only the transaction may be used: see conn. So a call with a key inside a call
// with a key, which would need a second connection, is an error at once.
func (p *postgres) once(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
	if ctx.Value(txKey{}) != nil {
		return nil, svc.Errorf(svc.CodeInternal, "a method with an idempotency key has called another one with a key")
	}
	err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		var free bool
		err := tx.QueryRow(ctx, "select pg_try_advisory_xact_lock(hashtextextended($1, 0))", id).Scan(&free)
		if err == nil && !free {
			return bookmarks.ErrBusy
		}
		if err == nil {
			err = tx.QueryRow(ctx, "select record from idempotency where id = $1", id).Scan(&record)
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if record, err = do(context.WithValue(ctx, txKey{}, tx)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into idempotency (id, record) values ($1, $2)", id, record)
		return err
	})
	return record, storeError(err)
}

// A txKey is the key of the transaction of once in a context.
type txKey struct{}

// conn returns the transaction of once, or the pool.
func (p *postgres) conn(ctx context.Context) interface {
	Begin(ctx context.Context) (pgx.Tx, error) // in a transaction, a savepoint
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
} {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return tx
	}
	return p.pool
}

// verify finds the caller by a token. It is what svc.Bearer calls, for each request, so
// a token that is deleted is refused at once by all processes.
func (p *postgres) verify(ctx context.Context, token string) (*svc.Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	hash, caller := sha256.Sum256([]byte(token)), new(svc.Principal)
	err := p.pool.QueryRow(ctx, "select subject, scopes from tokens where hash = $1 and (expires is null or expires > now())", hash[:]).
		Scan(&caller.Subject, &caller.Scopes)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is unknown")
	}
	return caller, storeError(err)
}

// storeError returns the error for clients that stands for an error of the database. An unknown
// error is a bug of this program, and is returned unchanged: INTERNAL.
func storeError(err error) error {
	var answer *pgconn.PgError
	var known *svc.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // as svc knows it
	case errors.Is(err, pgx.ErrNoRows):
		return bookmarks.ErrNotFound
	case !errors.As(err, &answer), strings.Contains("08 53 57", answer.Code[:2]): // connection, resources, shutdown
		return bookmarks.ErrUnavailable.WithCause(err)
	case strings.Contains("40001 40P01 55P03 25P03", answer.Code): // not serializable, deadlock, lock, idle: it had no effect
		return bookmarks.ErrBusy.WithCause(err)
	case answer.ConstraintName == "bookmarks_url":
		return bookmarks.ErrExists.WithCause(err)
	case answer.Code == "22021": // U+0000, which JSON can carry and PostgreSQL cannot
		return svc.Errorf(svc.CodeInvalidArgument, "a text has the character U+0000: %w", err)
	}
	return err
}
