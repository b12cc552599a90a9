package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"syscall"
	"time"

	"example.com/svc"
)

// patience is how long a worker makes a call anew. Everything is up again long before.
const patience = time.Minute

// A downtime is when the database was down the last time.
type downtime struct {
	mu       sync.Mutex
	from, to time.Time // to is zero while it lasts
}

func (d *downtime) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.from, d.to = time.Now(), time.Time{}
}

func (d *downtime) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = time.Now()
}

// hasMet reports whether the database was down at any time since start.
func (d *downtime) hasMet(start time.Time) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.from.IsZero() && (d.to.IsZero() || start.Before(d.to))
}

// isAway reports whether err is an acceptable end of a call while the database is down.
func isAway(err error) bool {
	code := svc.CodeOf(err)
	return code == svc.CodeUnavailable || code == svc.CodeAborted
}

// survive runs call, whose calls must succeed whatever happens to replicas: the client retries
// them. Only while the database is down they may end with UNAVAILABLE or ABORTED. Then survive runs
// call again later. It must use the same keys, so that nothing happens twice and it gets the first
// answer.
func (f *figures) survive(what string, call func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		start := time.Now()
		err := call(ctx)
		f.mu.Lock()
		f.calls++
		f.longest = max(f.longest, time.Since(start))
		f.mu.Unlock()
		if err == nil {
			return true
		}
		if !isAway(err) || !f.database.hasMet(start) || !sleep(ctx, 300*time.Millisecond) {
			f.mu.Lock()
			f.errors++
			f.mu.Unlock()
			f.fail("%s: from %s to %s: %v", what, start.Format(time.StampMilli), time.Now().Format(time.StampMilli), err)
			return false
		}
		f.mu.Lock()
		f.failed[svc.CodeOf(err)]++
		f.mu.Unlock()
	}
}

// survival returns a line about the calls.
func (f *figures) survival() string {
	return fmt.Sprintf("calls: %d; %d errors while the database was up; while it was down %d UNAVAILABLE and %d ABORTED, each made good by its key; the longest took %v",
		f.calls, f.errors, f.failed[svc.CodeUnavailable], f.failed[svc.CodeAborted], f.longest.Round(time.Millisecond))
}

// waitForNginx returns once nginx sends requests to replicas again. After failures it avoids them
// for a time.
func waitForNginx(ctx context.Context, base string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for sleep(ctx, 100*time.Millisecond) {
		r, err := http.Get(base + "/openapi.json")
		if err != nil {
			return err
		}
		r.Body.Close()
		if r.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.New("nginx sends no requests to the replicas, which are up")
}

// outage kills all replicas. Then each client may send at most 35 repetitions, however many calls
// it makes, and all of them end with UNAVAILABLE. Once the replicas are back, each call acts once.
func outage(ctx context.Context, databaseURL, base string, replicas []*process) error {
	const calls, most = 60, 35
	workers := make([]*worker, len(protocols))
	for i, p := range protocols {
		w, err := newWorker(ctx, fmt.Sprint("outage", i), p, databaseURL, base, newFigures(nil))
		if err != nil {
			return err
		}
		workers[i] = w
	}
	for _, r := range replicas {
		r.stop(syscall.SIGKILL)
	}
	var working sync.WaitGroup
	for _, w := range workers {
		for i := range calls {
			working.Go(func() {
				if _, err := w.add(ctx, w.client, fmt.Sprint(i)); svc.CodeOf(err) != svc.CodeUnavailable {
					w.fail("%s: a call without a replica: %v", w.name, err)
				}
			})
		}
	}
	working.Wait()
	for _, w := range workers {
		n := w.requests[w.protocol] - calls
		log.Printf("whole outage: %-15s %d calls of one client, %d repetitions", w.protocol, calls, n)
		if n < 1 || n > most {
			w.fail("%s: %d repetitions, want 1 to %d", w.name, n, most)
		}
	}
	for _, r := range replicas {
		if err := r.start(); err != nil {
			return err
		}
	}
	err := waitForNginx(ctx, base) // since the budgets are empty
	for _, w := range workers {
		for i := range calls {
			w.survive(w.name+": create", func(ctx context.Context) error { return w.create(ctx, i) })
		}
		w.survive(w.name+": list", w.list)
		err = errors.Join(err, w.problems())
	}
	return err
}
