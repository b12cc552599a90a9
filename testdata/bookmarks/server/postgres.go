package main

import (
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

// postgres is the store of a real service.
type postgres struct{ pool *pgxpool.Pool }

// openPostgres connects and brings the tables up to date.
func openPostgres(ctx context.Context, url string) (*postgres, error) {
	pool, err := pgxpool.New(ctx, url) // the URL may have pool_max_conns
	if err != nil {
		return nil, err
	}
	return &postgres{pool}, migrate(ctx, pool)
}

//go:embed migrations/*.sql
var migrations embed.FS

// Advisory locks are numbers that a program chooses.
const migrateLock, createLock = 7001, 7002

// migrate runs the migrations that have not been run, in the order of their names and
// in one transaction. Replicas that start together wait for each other.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, _ := fs.Glob(migrations, "migrations/*.sql") // no error: the pattern is good
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
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

// columns are what scan reads.
const columns = ` id, url, title, note, tags, created_at, '"' || version || '"' `

func scan(row pgx.CollectableRow) (bookmarks.Bookmark, error) {
	var b bookmarks.Bookmark
	err := row.Scan(&b.ID, &b.URL, &b.Title, &b.Note, &b.Tags, &b.CreatedAt, &b.ETag)
	b.CreatedAt = b.CreatedAt.UTC()
	return b, err
}

// one and many take what Query returns, whose error rows have too.
func one(rows pgx.Rows, _ error) (*bookmarks.Bookmark, error) {
	b, err := pgx.CollectExactlyOneRow(rows, scan)
	return &b, storeError(err)
}

func many(rows pgx.Rows, _ error) ([]bookmarks.Bookmark, error) {
	list, err := pgx.CollectRows(rows, scan)
	return list, storeError(err)
}

// once runs a call in the transaction that keeps its record. It does not wait for a call
// that has the key already, or a few of them would take all connections of the pool. In
// do only the transaction may be used: see conn.
func (p *postgres) once(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
	err = pgx.BeginTxFunc(ctx, p.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		var free bool
		err := tx.QueryRow(ctx, "select pg_try_advisory_xact_lock(hashtextextended($1, 0))", id).Scan(&free)
		if err == nil && !free {
			return svc.Errorf(svc.CodeAborted, "a call with this idempotency key is running; try again")
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
	var answer *pgconn.PgError
	if errors.As(err, &answer) && strings.Contains("40001 40P01 55P03", answer.Code) { // it had no effect
		err = svc.Errorf(svc.CodeAborted, "another call was in the way; try again: %w", err)
	}
	return record, err
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

// create takes a lock until it commits, so that bookmarks become visible in the order
// of their IDs: a stream that has seen 7 never has to go back for 6. The batch is one
// transaction and one round trip.
func (p *postgres) create(ctx context.Context, owner string, in *bookmarks.NewBookmark) (b *bookmarks.Bookmark, err error) {
	batch := new(pgx.Batch)
	batch.Queue("select pg_advisory_xact_lock($1)", createLock)
	batch.Queue(`insert into bookmarks (owner, url, title, note, tags) values ($1, $2, $3, $4, coalesce($5::text[], '{}'))
		returning`+columns, owner, in.URL, in.Title, in.Note, in.Tags).Query(func(rows pgx.Rows) error {
		made, err := pgx.CollectExactlyOneRow(rows, scan)
		b = &made
		return err
	})
	return b, storeError(p.conn(ctx).SendBatch(ctx, batch).Close())
}

func (p *postgres) get(ctx context.Context, owner string, id int64) (*bookmarks.Bookmark, error) {
	return one(p.pool.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id = $2", owner, id))
}

func (p *postgres) list(ctx context.Context, owner string, in *bookmarks.Filter, before int64) ([]bookmarks.Bookmark, error) {
	sql := "select" + columns + "from bookmarks where owner = @owner and id < @before"
	if in.Query != "" { // and not one text for all, which PostgreSQL would run without this index
		sql += " and search @@ websearch_to_tsquery('english', @query)"
	}
	if len(in.Tags) > 0 {
		sql += " and tags @> @tags"
	}
	return many(p.pool.Query(ctx, sql+" order by id desc limit @limit",
		pgx.NamedArgs{"owner": owner, "before": before, "query": in.Query, "tags": in.Tags, "limit": in.Limit}))
}

func (p *postgres) change(ctx context.Context, owner string, id int64, edit func(*bookmarks.Bookmark) error) (b *bookmarks.Bookmark, err error) {
	err = pgx.BeginFunc(ctx, p.conn(ctx), func(tx pgx.Tx) error {
		if b, err = one(tx.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id = $2 for update", owner, id)); err != nil {
			return err
		}
		if err := edit(b); err != nil {
			return err
		}
		b, err = one(tx.Query(ctx, `update bookmarks set title = $2, note = $3, tags = coalesce($4::text[], '{}'), version = version + 1
			where id = $1 returning`+columns, id, b.Title, b.Note, b.Tags))
		return err
	})
	return b, storeError(err)
}

func (p *postgres) remove(ctx context.Context, owner string, id int64) error {
	tag, err := p.conn(ctx).Exec(ctx, "delete from bookmarks where owner = $1 and id = $2", owner, id)
	if err == nil && tag.RowsAffected() == 0 {
		return bookmarks.ErrNotFound
	}
	return storeError(err)
}

func (p *postgres) since(ctx context.Context, owner string, after int64) ([]bookmarks.Bookmark, error) {
	return many(p.pool.Query(ctx, "select"+columns+"from bookmarks where owner = $1 and id > $2 order by id limit 1000", owner, after))
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

// storeError returns the error that clients get for one of the database. What it does
// not know is a bug of this program, and goes on as it is: INTERNAL.
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
	case answer.ConstraintName == "bookmarks_url":
		return bookmarks.ErrExists.WithCause(err)
	case answer.Code == "22021": // U+0000, which JSON can carry and PostgreSQL cannot
		return svc.Errorf(svc.CodeInvalidArgument, "a text has the character U+0000: %w", err)
	}
	return err
}
