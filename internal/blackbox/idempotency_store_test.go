package blackbox_test

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/svc"
)

// This file runs the Run of doc/keystore.md on a database of its own, which has the statements
// of the recipe, locks and transactions, and can die between any two of them.

type store struct{ db *sql.DB }

type txKey struct{}

// once is Idempotency.Run.
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

// Create makes an effect in the transaction of once, or in one of its own.
func (s store) Create(ctx context.Context, in *PayOrder) (*Paid, error) {
	var conn interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	} = s.db
	if tx, ok := ctx.Value(txKey{}).(*sql.Tx); ok {
		conn = tx
	}
	result, err := conn.ExecContext(ctx, "INSERT INTO payments", in.To)
	if err != nil {
		return nil, err
	}
	n, err := result.LastInsertId()
	return &Paid{ID: int(n), To: in.To, ETag: `"1"`}, err
}

func (s store) Get(ctx context.Context, in *PayID) (*Paid, error) {
	var n int
	err := s.db.QueryRowContext(ctx, "SELECT count").Scan(&n)
	return &Paid{ID: n, ETag: `"1"`}, err
}

// A storeAPI is the interface of store.
type storeAPI interface {
	Create(ctx context.Context, in *PayOrder) (*Paid, error)
	Get(ctx context.Context, in *PayID) (*Paid, error)
}

// newStore returns the handler of a service on d, whose pool has four connections.
func newStore(t *testing.T, d *database) http.Handler {
	db := sql.OpenDB(d)
	db.SetMaxOpenConns(4)
	t.Cleanup(func() { db.Close() })
	return svc.MustRegister[storeAPI](store{db}, &svc.Options{Resource: "payments", Logger: slog.New(slog.DiscardHandler),
		Idempotency: &svc.Idempotency{Run: store{db}.once},
		Methods:     map[string]svc.MethodOptions{"Create": {Status: 201, IdempotencyKey: svc.KeyAllowed}}}).REST()
}

// pay calls Create with a key, and returns the status and the body.
func pay(h http.Handler, key string) string {
	a := answerTo(h, "POST", "/payments", `{"to":"ada"}`, "Content-Type", "application/json", "Idempotency-Key", key)
	return fmt.Sprint(a.StatusCode, " ", textOf(a))
}

// Verify that a process that dies between any two statements, or before or after the
// commit, leaves one effect when the call was sent again, and never two or none.
func TestKeyKilled(t *testing.T) {
	const statements = 7 // begin, lock, look up, effect, insert, before commit, after commit
	for stop := 1; stop <= statements+1; stop++ {
		d := &database{stop: stop, records: make(map[string][]byte), locks: make(map[string]*dbTx)}
		h := newStore(t, d)
		first := pay(h, "k")
		if died := !strings.HasPrefix(first, "201"); died != (stop <= statements) || died != (d.stop == 0) {
			t.Errorf("stopped at %d: %s", stop, first)
		}
		d.stop = 0
		again, third := pay(h, "k"), pay(h, "k")
		if !strings.HasPrefix(again, "201") || again != third || d.payments != 1 || len(d.records) != 1 || len(d.locks) != 0 {
			t.Errorf("stopped at %d: %s, then %s and %s, with %d effects and %d records", stop, first, again, third, d.payments, len(d.records))
		}
	}
}

// Verify that 64 repetitions of a slow call on a pool of four end while it runs, and that
// reads beside them do too.
func TestKeyPool(t *testing.T) {
	d := &database{records: make(map[string][]byte), locks: make(map[string]*dbTx), slow: make(chan struct{}), entered: make(chan struct{})}
	h := newStore(t, d)
	var slow, others sync.WaitGroup
	var answer string
	slow.Add(1)
	go func() { defer slow.Done(); answer = pay(h, "k") }()
	<-d.entered
	wrong := make(chan string, 128)
	for range 64 {
		others.Add(2)
		go func() {
			defer others.Done()
			if got := pay(h, "k"); !strings.HasPrefix(got, "409 ") {
				wrong <- got
			}
		}()
		go func() {
			defer others.Done()
			if a := answerTo(h, "GET", "/payments/1", ""); a.StatusCode != 200 {
				wrong <- textOf(a)
			}
		}()
	}
	others.Wait() // for ever, if one of them waits for the slow call
	close(d.slow)
	slow.Wait()
	close(wrong)
	for text := range wrong {
		t.Error(text)
	}
	if again := pay(h, "k"); again != answer || !strings.HasPrefix(again, "201") || d.payments != 1 {
		t.Errorf("%s and then %s, with %d effects", answer, again, d.payments)
	}
}

// A sqlError is an error of a database, such as one of COMMIT.
type sqlError string

func (e sqlError) Error() string    { return "SQLSTATE " + string(e) }
func (e sqlError) SQLState() string { return string(e) }

// Verify what clients get for an error of a statement and of COMMIT, and that the key is free
// then.
func TestKeySQLErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		stop int
		err  error
		want string
	}{
		{"not serializable at COMMIT", 6, sqlError("40001"), `409 {"error":{"code":"ABORTED","message":"the call had no effect; try again"`},
		{"not serializable in a statement", 5, sqlError("40001"), `409 {"error":{"code":"ABORTED","message":"the call had no effect; try again"`},
		{"a deadlock of the method", 4, sqlError("40P01"), `409 {"error":{"code":"ABORTED","message":"the call had no effect; try again"`},
		{"idle for too long", 5, sqlError("25P03"), `409 {"error":{"code":"ABORTED"`},
		{"no lock", 2, sqlError("55P03"), `409 {"error":{"code":"ABORTED"`},
		{"another error at COMMIT", 6, sqlError("08006"), `503 {"error":{"code":"UNAVAILABLE","message":"it is not known whether the call has happened`},
		{"an error without a state at COMMIT", 6, sqlError(""), `503 `},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := &database{stop: test.stop, err: test.err, records: make(map[string][]byte), locks: make(map[string]*dbTx)}
			h := newStore(t, d)
			if got := pay(h, "k"); !strings.HasPrefix(got, test.want) || d.payments != 0 || len(d.records) > 0 {
				t.Errorf("%s, with %d effects", got, d.payments)
			}
			if got := pay(h, "k"); !strings.HasPrefix(got, "201 ") || d.payments != 1 || len(d.locks) > 0 {
				t.Errorf("then %s, with %d effects", got, d.payments)
			}
		})
	}
}

// Verify that a method with a key that calls another one with a key fails at once, on a pool of
// one connection.
func TestKeyOnceNested(t *testing.T) {
	d := &database{records: make(map[string][]byte), locks: make(map[string]*dbTx)}
	db := sql.OpenDB(d)
	defer db.Close()
	db.SetMaxOpenConns(1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	once := store{db}.once
	_, err := once(ctx, "outer", func(ctx context.Context) ([]byte, error) {
		return once(ctx, "inner", func(context.Context) ([]byte, error) {
			t.Error("the inner call runs")
			return []byte("{}"), nil
		})
	})
	if svc.CodeOf(err) != svc.CodeInternal || !strings.Contains(err.Error(), "has called another one with a key") || len(d.records) > 0 || len(d.locks) > 0 {
		t.Errorf("%v, with %d records and %d locks", err, len(d.records), len(d.locks))
	}
}

// Verify that the once which the example tests with PostgreSQL is that of doc/keystore.md.
func TestKeyOnceCopy(t *testing.T) {
	page := readDocument(t, "doc/keystore.md")
	text, err := readText(root("examples/bookmarks/server/once_test.go"))
	if err != nil || len(page.blocks) == 0 || !strings.Contains(string(text), page.blocks[0].text) {
		t.Errorf("the example has another once, %v", err)
	}
}

// A database has the tables of the recipe.
type database struct {
	err      error // with which the statement stop fails; nil for the end of the process
	mu       sync.Mutex
	stop     int // the statement at which the process dies; 0 for none
	count    int // statements so far
	records  map[string][]byte
	payments int
	locks    map[string]*dbTx
	slow     chan struct{} // an effect waits for its end; nil for none
	entered  chan struct{} // closed when one waits
}

var errKilled = errors.New("the process is killed")

// step counts a statement, and dies if it is the one.
func (d *database) step() error {
	if d.count++; d.count == d.stop {
		d.stop = 0
		return cmp.Or(d.err, errKilled)
	}
	return nil
}

func (d *database) Connect(context.Context) (driver.Conn, error) { return &dbConn{database: d}, nil }
func (d *database) Driver() driver.Driver                        { return nil }

// A dbConn is a connection, and a dbTx what its transaction has not committed.
type (
	dbConn struct {
		*database
		tx *dbTx
	}
	dbTx struct {
		conn     *dbConn
		id       string
		record   []byte
		payments int
	}
)

func (c *dbConn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (c *dbConn) Close() error                        { return nil }

func (c *dbConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return c.Begin() }

func (c *dbConn) Begin() (driver.Tx, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tx = &dbTx{conn: c}
	return c.tx, c.step()
}

func (c *dbConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if strings.Contains(query, "payments") && c.slow != nil && c.tx != nil {
		close(c.entered)
		<-c.slow
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(query, "payments") {
		c.tx.payments++
		return dbResult(c.payments + c.tx.payments), c.step()
	}
	c.tx.id, c.tx.record = args[0].Value.(string), args[1].Value.([]byte)
	return dbResult(0), c.step()
}

func (c *dbConn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(query, "count") {
		return &dbRows{int64(c.payments)}, nil
	}
	id := args[0].Value.(string)
	if strings.Contains(query, "lock") {
		free := c.locks[id] == nil
		if free {
			c.locks[id] = c.tx
		}
		return &dbRows{free}, c.step()
	}
	if record, ok := c.records[id]; ok {
		return &dbRows{record}, c.step()
	}
	return new(dbRows), c.step()
}

func (tx *dbTx) Commit() error {
	tx.conn.mu.Lock()
	defer tx.conn.mu.Unlock()
	defer tx.end()
	if err := tx.conn.step(); err != nil {
		return err
	}
	tx.conn.payments += tx.payments
	if tx.record != nil {
		tx.conn.records[tx.id] = tx.record
	}
	return tx.conn.step()
}

func (tx *dbTx) Rollback() error {
	tx.conn.mu.Lock()
	defer tx.conn.mu.Unlock()
	tx.end()
	return nil
}

// end gives the locks back.
func (tx *dbTx) end() {
	for id, owner := range tx.conn.locks {
		if owner == tx {
			delete(tx.conn.locks, id)
		}
	}
	tx.conn.tx = nil
}

// dbRows has one row of one column, or none.
type dbRows []driver.Value

func (r *dbRows) Columns() []string { return []string{"value"} }
func (r *dbRows) Close() error      { return nil }
func (r *dbRows) Next(dest []driver.Value) error {
	if len(*r) == 0 {
		return io.EOF
	}
	dest[0], *r = (*r)[0], nil
	return nil
}

type dbResult int64

func (r dbResult) LastInsertId() (int64, error) { return int64(r), nil }
func (r dbResult) RowsAffected() (int64, error) { return 1, nil }
