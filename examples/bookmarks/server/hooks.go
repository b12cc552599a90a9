package main

// This file sends events to subscribers, as webhooks. A trigger has written them into the table
// deliveries, in the transaction of the change: an event is there if, and only if, its change is.
// Every process sends. A delivery is deleted when its subscriber has answered, so each event arrives at
// least once, and after a crash perhaps twice, with the same webhook-id.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/svc"
)

const (
	hookSenders  = 8                  // of a process; each subscriber has one at most
	hookTimeout  = 15 * time.Second   // of an attempt
	hookLease    = 2 * hookTimeout    // after which another process takes over
	maxRetry     = 24 * time.Hour     // of a Retry-After
	hookPatience = 3 * 24 * time.Hour // without a success, after which a subscription ends
)

// hookPauses are the times between two attempts. After the last attempt the event is dropped: its
// subscriber takes others, but not this one.
var hookPauses = [...]time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour,
	10 * time.Hour, 10 * time.Hour}

// newHookClient returns a client for URLs that subscribers have given us: it connects to public addresses alone.
func newHookClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: svc.PublicOnly}
	return &http.Client{
		Timeout:       hookTimeout,
		Transport:     &http.Transport{DialContext: dialer.DialContext}, // without a Proxy, which would dial in its place
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// A hookSender sends deliveries.
type hookSender struct {
	pool   *pgxpool.Pool
	client *http.Client
	pause  func(attempts int, retryAfter time.Duration) time.Duration // pauseAfter, but in tests
	idle   time.Duration                                              // between two looks for deliveries
}

// run sends until ctx ends, and waits for the attempts that have begun.
func (s *hookSender) run(ctx context.Context) {
	var senders sync.WaitGroup
	for range hookSenders {
		senders.Add(1)
		go func() {
			defer senders.Done()
			for ctx.Err() == nil {
				sent, err := s.sendNext(ctx)
				if err != nil && ctx.Err() == nil {
					slog.Error("the outbox cannot be read", "error", err)
				}
				if sent {
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(s.idle):
				}
			}
		}()
	}
	senders.Wait()
}

// A delivery is an event for a subscriber.
type delivery struct {
	id, subscription int64
	event            string // the webhook-id
	payload          []byte
	attempts         int // with this one
	url, secret      string
}

// sendNext makes one attempt, and reports false if no delivery is due.
func (s *hookSender) sendNext(ctx context.Context) (bool, error) {
	d, err := s.take(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// What has begun ends, also when the process stops.
	ctx = context.WithoutCancel(ctx)
	retryAfter, err := d.send(ctx, s.client)
	return true, s.settle(ctx, d, retryAfter, err)
}

// take returns the next delivery that is due: the first of its bookmark, to a subscriber that nobody
// sends to now. If the process dies, both are free again after hookLease.
func (s *hookSender) take(ctx context.Context) (*delivery, error) {
	d := new(delivery)
	err := s.pool.QueryRow(ctx, `
		with next as (
			select d.id, d.subscription, s.url, s.secret from deliveries d join subscriptions s on s.id = d.subscription
			where d.due_at <= now() and s.busy_until <= now() and not exists (
				select from deliveries e where e.subscription = d.subscription and e.bookmark = d.bookmark and e.id < d.id)
			order by d.due_at, d.id limit 1 for update of d, s skip locked),
		busy as (update subscriptions set busy_until = now() + $1 from next where subscriptions.id = next.subscription)
		update deliveries d set attempts = attempts + 1, due_at = now() + $1 from next where d.id = next.id
		returning d.id, d.subscription, d.event, d.payload, d.attempts, next.url, next.secret`, hookLease).
		Scan(&d.id, &d.subscription, &d.event, &d.payload, &d.attempts, &d.url, &d.secret)
	return d, err
}

// errUnsubscribed means that the subscriber wants no more events.
var errUnsubscribed = errors.New("the subscriber answers 410 Gone")

// send makes one attempt. Any 2xx is a success. After an error, the subscriber may have asked for a
// pause.
func (d *delivery) send(ctx context.Context, client *http.Client) (retryAfter time.Duration, err error) {
	if !strings.HasPrefix(d.url, "https://") {
		return 0, errors.New("the URL of a subscriber must begin with https://")
	}
	r, err := http.NewRequestWithContext(ctx, "POST", d.url, bytes.NewReader(d.payload))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	if err := svc.SignWebhook(r, d.event, d.secret); err != nil {
		return 0, err
	}
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	io.CopyN(io.Discard, res.Body, 4096) // so that the connection can be used again
	switch {
	case res.StatusCode == http.StatusGone:
		return 0, errUnsubscribed
	case res.StatusCode/100 != 2:
		return parseRetryAfter(res.Header.Get("Retry-After")), fmt.Errorf("the subscriber answers %s", res.Status)
	}
	return 0, nil
}

// parseRetryAfter returns a Retry-After: seconds, or a date (RFC 9110, section 10.2.3). It is 0 for other texts.
func parseRetryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetry)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(time.Until(at), maxRetry))
	}
	return 0
}

// pauseAfter returns how long to wait after so many attempts. Some chance in it keeps subscribers that
// failed together from being called together.
func pauseAfter(attempts int, retryAfter time.Duration) time.Duration {
	pause := hookPauses[min(attempts, len(hookPauses))-1]
	return max(pause+rand.N(pause/4), retryAfter)
}

// settle notes how an attempt ended.
func (s *hookSender) settle(ctx context.Context, d *delivery, retryAfter time.Duration, failure error) error {
	done := failure == nil
	if failure != nil {
		slog.Warn("a webhook has failed", "event", d.event, "subscription", d.subscription, "attempt", d.attempts, "error", failure)
	}
	if failure != nil && d.attempts > len(hookPauses) {
		slog.Error("an event is dropped", "event", d.event, "subscription", d.subscription)
		done = true
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// The subscription first, as in take.
		var since *time.Time
		err := tx.QueryRow(ctx, `update subscriptions set busy_until = now(), failing_since = case when $2 then coalesce(failing_since, now()) end
			where id = $1 returning failing_since`, d.subscription, failure != nil).Scan(&since)
		switch {
		case err != nil:
		case errors.Is(failure, errUnsubscribed), since != nil && time.Since(*since) > hookPatience:
			if _, err = tx.Exec(ctx, "update subscriptions set ended_at = now(), reason = $2 where id = $1", d.subscription, failure.Error()); err == nil {
				_, err = tx.Exec(ctx, "delete from deliveries where subscription = $1", d.subscription)
			}
		case done:
			_, err = tx.Exec(ctx, "delete from deliveries where id = $1", d.id)
		default:
			_, err = tx.Exec(ctx, "update deliveries set due_at = now() + $2 where id = $1", d.id, s.pause(d.attempts, retryAfter))
		}
		return err
	})
}
