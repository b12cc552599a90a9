package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A refusal is a request that a replica answers without reading its body. If the replica then reset
// the connection, it would count as failed, and nginx would avoid it for a while.
type refusal struct {
	name, verb, path string
	withToken        bool
	contentType      string
	size             int // of the body, in bytes
	status           int
}

var refusals = []refusal{
	{"no token", "POST", "/bookmarks", false, "application/json", 40 << 10, 401},
	{"unknown path", "POST", "/nothing", true, "application/json", 40 << 10, 404},
	{"wrong verb", "PUT", "/bookmarks", true, "application/json", 40 << 10, 405},
	{"too large", "POST", "/bookmarks", true, "application/json", 3 << 19, 413},
	{"wrong type", "POST", "/rpc", true, "text/plain", 40 << 10, 415},
	{"no token and too large", "POST", "/bookmarks", false, "application/json", 3 << 19, 401},
}

// A refuser sends refusals and counts the answers.
type refuser struct {
	*figures
	base, token string
	killing     bool           // replicas are stopped, so nginx may answer 503
	answers     map[string]int // by what was sent and the status
}

func newRefuser(base, token string, killing bool) *refuser {
	return &refuser{newFigures(nil), base, token, killing, make(map[string]int)}
}

// run sends refusals, four at a time, until ctx ends.
func (r *refuser) run(ctx context.Context) {
	var senders sync.WaitGroup
	for i := range 4 {
		senders.Go(func() {
			for n := i; sleep(ctx, 10*time.Millisecond); n++ {
				kind := refusals[n%len(refusals)]
				if err := r.send(kind); err != nil {
					r.fail("a body that is refused, %s: %v", kind.name, err)
				}
			}
		})
	}
	senders.Wait()
}

// send sends one refusal. Its answer is its own status, or while replicas are stopped the one
// of nginx.
func (r *refuser) send(kind refusal) error {
	request, err := http.NewRequest(kind.verb, r.base+kind.path, strings.NewReader(strings.Repeat("x", kind.size)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", kind.contentType)
	if kind.withToken {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.answers[fmt.Sprintf("%s: %d", kind.name, response.StatusCode)]++
	r.mu.Unlock()
	ofNginx := r.killing && response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != ""
	if !json.Valid(body) || response.StatusCode != kind.status && !ofNginx {
		return fmt.Errorf("%s %s, want %d", response.Status, body, kind.status)
	}
	return nil
}

// report prints the answers and returns the problems.
func (r *refuser) report() error {
	for _, answer := range slices.Sorted(maps.Keys(r.answers)) {
		log.Printf("refused bodies: %6d  %s", r.answers[answer], answer)
	}
	if len(r.answers) == 0 {
		return errors.New("no bodies were refused, so this drill finds nothing")
	}
	return r.problems()
}

// refuseBodies sends bodies that are refused, beside workers of all protocols, while all processes
// keep running: every client must get its own answer, and nothing may be sent again.
func refuseBodies(ctx context.Context, span time.Duration, databaseURL, base string) error {
	f := newFigures(nil)
	load, stop := context.WithTimeout(ctx, span)
	defer stop()
	var working sync.WaitGroup
	for i, p := range protocols {
		w, err := newWorker(ctx, fmt.Sprint("calm", i), p, databaseURL, base, f)
		if err != nil {
			return err
		}
		working.Go(func() { w.run(load) })
	}
	r := newRefuser(base, "token-calm0", false)
	r.run(load)
	working.Wait()
	for kind, n := range f.again {
		f.fail("beside bodies that are refused: %d times %s", n, kind)
	}
	total := 0
	for _, p := range protocols {
		total += f.requests[p]
	}
	log.Printf("beside refused bodies: %d requests, %d sent again", total, len(f.again))
	return errors.Join(r.report(), f.problems())
}
