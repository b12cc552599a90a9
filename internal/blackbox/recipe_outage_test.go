package blackbox_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"

	"example.com/svc"
)

// The code of this example stands in doc/production.md, for services with a database.

// orAway returns err, or UNAVAILABLE if err says that there is no connection to the database, or
// that the database has ended it.
func orAway(ctx context.Context, err error) error {
	var known *svc.Error
	var answer interface{ SQLState() string }
	var network *net.OpError
	switch {
	case ctx.Err() != nil, errors.As(err, &known): // of the method, or of Idempotency.Run
		return err
	case errors.As(err, &answer): // 08: the connection; 57P: PostgreSQL stops or starts
		if state := answer.SQLState(); !strings.HasPrefix(state, "08") && !strings.HasPrefix(state, "57P") {
			return err
		}
	case !errors.As(err, &network) && !errors.Is(err, driver.ErrBadConn) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return svc.Errorf(svc.CodeUnavailable, "the database does not answer; try again: %w", err).WithHeader("Retry-After", "1")
}

// OutageAPI has methods whose database is away.
type OutageAPI interface {
	Get(ctx context.Context, in *OutageIn) error
	Watch(ctx context.Context) (svc.Stream[OutageIn], error)
}

type OutageIn struct {
	ID string `json:"id"`
}

type outages map[string]error

func (f outages) Get(ctx context.Context, in *OutageIn) error { return f[in.ID] }

// Watch reads from the database after the interceptor has returned.
func (f outages) Watch(ctx context.Context) (svc.Stream[OutageIn], error) {
	return func(yield func(*OutageIn, error) bool) {
		err := f["stopped"]
		yield(nil, orAway(ctx, err))
	}, nil
}

func Example_outage() {
	options := &svc.Options{Resource: "outages", Logger: slog.New(slog.DiscardHandler)}
	options.Methods = map[string]svc.MethodOptions{"Watch": {HTTP: "GET /outages"}}
	options.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			output, err := next(ctx, resource, method, input)
			return output, orAway(ctx, err)
		}
	}
	service := svc.MustRegister[OutageAPI](outages{
		"stopped": sqlError("57P01"), "cut": fmt.Errorf("query: %w", io.ErrUnexpectedEOF), "bad": driver.ErrBadConn,
		"refused": &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"unique":  sqlError("23505"), "own": svc.Errorf(svc.CodeNotFound, "there is none: %w", sqlError("57P01")),
	}, options)
	for _, id := range []string{"stopped", "cut", "bad", "refused", "unique", "own"} {
		show(service.REST(), request("GET", "/outages/"+id, ""), "Retry-After", "Content-Type")
	}
	show(service.REST(), request("GET", "/outages", ""), "Retry-After", "Content-Type")
	// Output:
	// 503 {"error":{"code":"UNAVAILABLE","message":"the database does not answer; try again"}}; Retry-After: 1; Content-Type: application/json
	// 503 {"error":{"code":"UNAVAILABLE","message":"the database does not answer; try again"}}; Retry-After: 1; Content-Type: application/json
	// 503 {"error":{"code":"UNAVAILABLE","message":"the database does not answer; try again"}}; Retry-After: 1; Content-Type: application/json
	// 503 {"error":{"code":"UNAVAILABLE","message":"the database does not answer; try again"}}; Retry-After: 1; Content-Type: application/json
	// 500 {"error":{"code":"INTERNAL","message":"internal error"}}; Retry-After: ; Content-Type: application/json
	// 404 {"error":{"code":"NOT_FOUND","message":"there is none"}}; Retry-After: ; Content-Type: application/json
	// 200 :
	//
	// event: error
	// data: {"error":{"code":"UNAVAILABLE","message":"the database does not answer; try again"}}; Retry-After: ; Content-Type: text/event-stream
}
