package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bookmarks"
	"example.com/svc"
)

// A receiver is a subscriber with the service that svc makes of bookmarks.Events.
type receiver struct {
	mu     sync.Mutex
	events []string            // what the method got, each event once
	ids    map[string][]string // the bodies of each webhook-id, of all requests
	url    string
}

func (r *receiver) Event(_ context.Context, in *bookmarks.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprint(in.ID, " ", in.Type, " ", in.Version))
	return nil
}

// byBookmark returns the events of each bookmark, in the order in which they came.
func (r *receiver) byBookmark() map[string][]string {
	got := make(map[string][]string)
	for _, event := range r.events {
		id, rest, _ := strings.Cut(event, " ")
		got[id] = append(got[id], rest)
	}
	return got
}

// newReceiver starts a receiver. before may answer a request, and says so; it gets the number of the request.
func newReceiver(t *testing.T, secret string, before func(n int, w http.ResponseWriter, r *http.Request) bool) (*receiver, *http.Client) {
	t.Helper()
	r := &receiver{ids: make(map[string][]string)}
	service := svc.MustRegister[bookmarks.Events](r, &svc.Options{
		Methods: map[string]svc.MethodOptions{"Event": {HTTP: "POST /hooks", IdempotencyKey: svc.KeyRequired}}, Idempotency: &svc.Idempotency{Run: newKept().once}})
	verified := svc.VerifyWebhook(secret)(service.REST())
	requests := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		in.Body = io.NopCloser(strings.NewReader(string(body)))
		r.mu.Lock()
		requests++
		n := requests
		id := in.Header.Get("Webhook-Id")
		r.ids[id] = append(r.ids[id], string(body))
		r.mu.Unlock()
		if before == nil || !before(n, w, in) {
			verified.ServeHTTP(w, in)
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/hooks"
	return r, server.Client()
}

// kept is a store of idempotency keys in memory.
type kept struct {
	mu      sync.Mutex
	records map[string][]byte
}

func newKept() *kept { return &kept{records: make(map[string][]byte)} }

func (k *kept) once(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if record, ok := k.records[id]; ok {
		return record, nil
	}
	record, err := do(ctx)
	if err == nil {
		k.records[id] = record
	}
	return record, err
}

func newSecret() string {
	key := make([]byte, 32)
	rand.Read(key)
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

// A hookTest is a database with an owner who has a subscription, and a sender for it.
type hookTest struct {
	*hookSender
	db           *postgres
	service      *svc.Service
	ctx          context.Context // of a call of the owner
	owner        string
	subscription int64
}

func newHookTest(t *testing.T, url, secret string, client *http.Client) *hookTest {
	t.Helper()
	address := os.Getenv("DATABASE_URL")
	if address == "" {
		t.Skip("SKIPPED: set DATABASE_URL to a PostgreSQL database for tests")
	}
	db, err := openPostgres(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.pool.Close)
	// The sender would also call the subscribers of other tests.
	if _, err := db.pool.Exec(t.Context(), "delete from subscriptions"); err != nil {
		t.Fatal(err)
	}
	h := &hookTest{db: db, service: newService(db, nil, nil), owner: rand.Text()}
	h.ctx = svc.WithPrincipal(t.Context(), &svc.Principal{Subject: h.owner, Scopes: []string{"bookmarks:read", "bookmarks:write"}})
	err = db.pool.QueryRow(t.Context(), "insert into subscriptions (owner, url, secret) values ($1, $2, $3) returning id", h.owner, url, secret).Scan(&h.subscription)
	if err != nil {
		t.Fatal(err)
	}
	h.hookSender = &hookSender{pool: db.pool, client: client, idle: time.Millisecond,
		pause: func(int, time.Duration) time.Duration { return time.Millisecond }}
	return h
}

// change makes n bookmarks, changes each twice, and deletes the first. It returns what happens to each.
func (h *hookTest) change(t *testing.T, n int) (want map[string][]string) {
	t.Helper()
	want = make(map[string][]string)
	for i := range n {
		out, err := h.service.Call(h.ctx, "bookmarks", "create", &bookmarks.NewBookmark{Title: "Page", Item: bookmarks.Item{Note: &bookmarks.Note{Text: "x"}}})
		if err != nil {
			t.Fatal(err)
		}
		id := out.(*bookmarks.Bookmark).ID
		for range 2 {
			if _, err := h.service.Call(h.ctx, "bookmarks", "patch", &bookmarks.Change{ID: id, Title: "Other"}); err != nil {
				t.Fatal(err)
			}
		}
		events := []string{"bookmark.created 1", "bookmark.changed 2", "bookmark.changed 3"}
		if i == 0 {
			if _, err := h.service.Call(h.ctx, "bookmarks", "delete", &bookmarks.ID{ID: id}); err != nil {
				t.Fatal(err)
			}
			events = append(events, "bookmark.deleted 3")
		}
		want[fmt.Sprint(id)] = events
	}
	return want
}

// count returns a number that the database has.
func (h *hookTest) count(t *testing.T, sql string) (n int) {
	t.Helper()
	if err := h.pool.QueryRow(t.Context(), sql, h.subscription).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const waiting = "select count(*) from deliveries where subscription = $1"

// sendAll runs the sender until nothing waits.
func (h *hookTest) sendAll(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); h.run(ctx) }()
	for i := 0; h.count(t, waiting) > 0; i++ {
		if i == 6000 {
			t.Fatal("deliveries are left")
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	<-done
}

// Verify that a subscriber that fails in many ways gets each event, in the order of its bookmark, with one
// webhook-id and the same bytes in all attempts, and acts once for each.
func TestHooks(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(n int, w http.ResponseWriter, r *http.Request) bool
	}{
		{"well", nil},
		{"fails", func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%2 == 1 {
				w.WriteHeader(500 + n%4)
			}
			return n%2 == 1
		}},
		{"slow", func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n%5 == 1 {
				<-r.Context().Done() // until the sender gives up
			}
			return n%5 == 1
		}},
		{"restarted", func(n int, _ http.ResponseWriter, _ *http.Request) bool {
			if n%3 != 0 {
				panic(http.ErrAbortHandler) // the connection breaks
			}
			return false
		}},
		{"redirects", func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n%2 == 1 {
				http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
			}
			return n%2 == 1
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			secret := newSecret()
			r, client := newReceiver(t, secret, test.before)
			client.Timeout = 200 * time.Millisecond
			client.CheckRedirect = newHookClient().CheckRedirect
			h := newHookTest(t, r.url, secret, client)
			want := h.change(t, 3)
			h.sendAll(t)
			if got := r.byBookmark(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
			for id, bodies := range r.ids {
				if slices.Sort(bodies); !strings.HasPrefix(id, "evt_") || bodies[0] != bodies[len(bodies)-1] {
					t.Errorf("%s has the bodies %q", id, bodies)
				}
			}
			if len(r.ids) != 10 {
				t.Errorf("%d ids, want 10", len(r.ids))
			}
		})
	}
}

// Verify that what a process had begun when it died is sent by another one, and that nothing is sent to a
// subscriber that another process sends to.
func TestHooksAfterCrash(t *testing.T) {
	secret := newSecret()
	r, client := newReceiver(t, secret, nil)
	h := newHookTest(t, r.url, secret, client)
	want := h.change(t, 1)
	d, err := h.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := h.sendNext(t.Context()); sent || err != nil {
		t.Errorf("two processes send to one subscriber: %v, %v", sent, err)
	}
	if _, err := d.send(t.Context(), client); err != nil { // and then the process is killed
		t.Fatal(err)
	}
	h.endLeases(t)
	h.sendAll(t)
	if len(r.ids[d.event]) != 2 || len(r.events) != 4 {
		t.Errorf("%d requests for one event, and the events %v, want those of %v once", len(r.ids[d.event]), r.events, want)
	}
}

// TestHookProcess is not a test of its own: TestHooksAfterKill runs it as a process that sends until it is killed.
func TestHookProcess(t *testing.T) {
	if os.Getenv("HOOK_PROCESS") == "" {
		t.Skip("this is a process of TestHooksAfterKill")
	}
	db, err := openPostgres(t.Context(), os.Getenv("DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	(&hookSender{pool: db.pool, client: client, pause: pauseAfter, idle: time.Millisecond}).run(t.Context())
}

// Verify that no event is lost if a process is killed while it sends one.
func TestHooksAfterKill(t *testing.T) {
	secret, begun := newSecret(), make(chan string)
	r, client := newReceiver(t, secret, func(n int, _ http.ResponseWriter, r *http.Request) bool {
		if n == 1 {
			begun <- r.Header.Get("Webhook-Id")
			<-r.Context().Done()
		}
		return n == 1
	})
	h := newHookTest(t, r.url, secret, client)
	want := h.change(t, 3)
	process := exec.Command(os.Args[0], "-test.run=^TestHookProcess$")
	name := rand.Text()
	process.Env = append(os.Environ(), "HOOK_PROCESS=yes", "PGAPPNAME="+name)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	id := <-begun
	if err := process.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	process.Wait()
	h.awaitEnd(t, name)
	h.endLeases(t)
	h.sendAll(t)
	if got := r.byBookmark(); fmt.Sprint(got) != fmt.Sprint(want) || len(r.ids[id]) != 2 {
		t.Errorf("got %v and %d requests for %s, want %v and 2", got, len(r.ids[id]), id, want)
	}
}

// awaitEnd waits until the database has run the last statements of a process that was killed.
func (h *hookTest) awaitEnd(t *testing.T, process string) {
	t.Helper()
	for i, n := 0, 1; n > 0; i++ {
		if i == 6000 {
			t.Fatal("its connections are still open")
		}
		if err := h.pool.QueryRow(t.Context(), "select count(*) from pg_stat_activity where application_name = $1", process).Scan(&n); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// endLeases lets the time pass after which a process counts as dead.
func (h *hookTest) endLeases(t *testing.T) {
	t.Helper()
	_, err := h.pool.Exec(t.Context(), "update subscriptions set busy_until = busy_until - $1::interval", hookLease)
	if err == nil {
		_, err = h.pool.Exec(t.Context(), "update deliveries set due_at = due_at - $1::interval", hookLease)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Verify that a change that is not committed has no event, and that one of an owner without a subscription has none.
func TestHooksRollback(t *testing.T) {
	h := newHookTest(t, "https://example.com/", newSecret(), nil)
	tx, err := h.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.service.Call(context.WithValue(h.ctx, txKey{}, tx), "bookmarks", "create",
		&bookmarks.NewBookmark{Title: "Page", Item: bookmarks.Item{Note: &bookmarks.Note{Text: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := h.count(t, waiting); n != 0 {
		t.Errorf("%d deliveries of a call that was undone", n)
	}
	h.ctx = svc.WithPrincipal(t.Context(), &svc.Principal{Subject: rand.Text(), Scopes: []string{"bookmarks:write"}})
	h.change(t, 1)
	if n := h.count(t, waiting); n != 0 {
		t.Errorf("%d deliveries of another owner", n)
	}
}

// Verify when a subscription ends, and that nothing is left of it.
func TestHooksEnd(t *testing.T) {
	gone := func(status int) func(int, http.ResponseWriter, *http.Request) bool {
		return func(_ int, w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true }
	}
	for _, test := range []struct {
		name     string
		status   int
		prepare  string // SQL
		left     int    // deliveries
		ended    int
		attempts int
	}{
		{"410", http.StatusGone, "", 0, 1, 1},
		{"some days", 503, "update subscriptions set failing_since = now() - interval '4 days' where id = $1", 0, 1, 1},
		{"one day", 503, "update subscriptions set failing_since = now() - interval '1 day' where id = $1", 3, 0, 1},
		{"the last attempt", 503, "update deliveries set attempts = 9 where subscription = $1", 2, 0, 1},
		{"the one before", 503, "update deliveries set attempts = 8 where subscription = $1", 3, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			secret := newSecret()
			r, client := newReceiver(t, secret, gone(test.status))
			h := newHookTest(t, r.url, secret, client)
			h.change(t, 2)
			if _, err := h.pool.Exec(t.Context(), "delete from deliveries where id > (select min(id) + 2 from deliveries) and subscription = $1", h.subscription); err != nil {
				t.Fatal(err)
			}
			if test.prepare != "" {
				if _, err := h.pool.Exec(t.Context(), test.prepare, h.subscription); err != nil {
					t.Fatal(err)
				}
			}
			if sent, err := h.sendNext(t.Context()); !sent || err != nil {
				t.Fatal(sent, err)
			}
			left, ended := h.count(t, waiting), h.count(t, "select count(*) from subscriptions where id = $1 and ended_at is not null and reason != ''")
			if left != test.left || ended != test.ended || len(r.ids) != test.attempts {
				t.Errorf("%d deliveries are left, %d subscriptions have ended, %d requests; want %d, %d, %d", left, ended, len(r.ids), test.left, test.ended, test.attempts)
			}
		})
	}
}

// Verify that a subscriber's URL that leads inside is not called.
func TestHooksInside(t *testing.T) {
	called := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer server.Close()
	for _, url := range []string{server.URL, "https://localhost/", "https://169.254.169.254/", "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/",
		"https://[::1]/", "https://10.0.0.1/", "https://0.0.0.0/", "http://example.com/", "https://2130706433/"} {
		t.Run(url, func(t *testing.T) {
			d := &delivery{url: url, secret: newSecret(), event: "evt_1", payload: []byte("{}")}
			if _, err := d.send(t.Context(), newHookClient()); err == nil || called {
				t.Errorf("%v, called: %v", err, called)
			}
		})
	}
}

func TestPauseAfter(t *testing.T) {
	for _, test := range []struct {
		attempts    int
		retryAfter  string
		least, most time.Duration
	}{
		{1, "", 5 * time.Second, 6250 * time.Millisecond},
		{2, "", 5 * time.Minute, 375 * time.Second},
		{9, "", 10 * time.Hour, 12*time.Hour + 30*time.Minute},
		{20, "", 10 * time.Hour, 12*time.Hour + 30*time.Minute},
		{1, "120", 2 * time.Minute, 2 * time.Minute},
		{2, "120", 5 * time.Minute, 375 * time.Second},
		{1, "99999999", 24 * time.Hour, 24 * time.Hour},
		{1, "-1", 5 * time.Second, 6250 * time.Millisecond},
		{1, "Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour, 24 * time.Hour},
		{1, "Fri, 31 Dec 1999 23:59:59 GMT", 5 * time.Second, 6250 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(test.attempts, " ", test.retryAfter), func(t *testing.T) {
			if got := pauseAfter(test.attempts, parseRetryAfter(test.retryAfter)); got < test.least || got > test.most {
				t.Errorf("got %v, want %v to %v", got, test.least, test.most)
			}
		})
	}
}
