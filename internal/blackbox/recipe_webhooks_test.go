package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// The code of this file stands in doc/webhooks.md.

// newHookClient returns a client for URLs that subscribers have given you.
func newHookClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: svc.PublicOnly}
	return &http.Client{
		Timeout:       15 * time.Second,
		Transport:     &http.Transport{DialContext: dialer.DialContext}, // without a Proxy, which would dial in its place
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// A delivery is a row of the outbox.
type delivery struct {
	EventID string // such as evt_7, the same for each attempt
	URL     string // of the subscriber
	Secret  string // of this subscriber alone
	Payload []byte // the JSON that was written in the transaction of the event
}

// errUnsubscribed means that the subscriber wants no more events.
var errUnsubscribed = errors.New("the subscriber answers 410 Gone")

// send makes one attempt. Any 2xx is a success; try again after any other error.
func (d *delivery) send(ctx context.Context, client *http.Client) error {
	if !strings.HasPrefix(d.URL, "https://") {
		return errors.New("the URL of a subscriber must begin with https://")
	}
	r, err := http.NewRequestWithContext(ctx, "POST", d.URL, bytes.NewReader(d.Payload))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if err := svc.SignWebhook(r, d.EventID, d.Secret); err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	io.CopyN(io.Discard, res.Body, 4096) // so that the connection can be used again
	switch {
	case res.StatusCode == http.StatusGone:
		return errUnsubscribed
	case res.StatusCode/100 != 2:
		return fmt.Errorf("the subscriber answers %s", res.Status)
	}
	return nil
}

type (
	// NoteEvents are the events that we receive.
	NoteEvents interface {
		Receive(ctx context.Context, in *NoteEvent) error
	}
	NoteEvent struct {
		Type    string       `json:"type" discriminator:"true"`
		Created *NoteCreated `variant:"note.created"`
		Deleted *NoteDeleted `variant:"note.deleted"`
	}
	NoteCreated struct {
		ID   int    `json:"id"`
		Text string `json:"text"`
	}
	NoteDeleted struct {
		ID int `json:"id"`
	}
)

type noteEvents struct{ created, deleted int }

func (n *noteEvents) Receive(ctx context.Context, in *NoteEvent) error {
	switch {
	case in.Created != nil:
		n.created++
	case in.Deleted != nil:
		n.deleted++
	}
	return nil
}

// receiveHooks serves POST /hooks for webhooks with a signature of one of the secrets.
func receiveHooks(events NoteEvents, store *svc.Idempotency, secrets ...string) http.Handler {
	service := svc.MustRegister[NoteEvents](events, &svc.Options{
		Idempotency: store,
		Methods:     map[string]svc.MethodOptions{"Receive": {HTTP: "POST /hooks", IdempotencyKey: svc.KeyRequired}},
	})
	return svc.VerifyWebhook(secrets...)(service.REST())
}

func TestRecipeWebhooks(t *testing.T) {
	records := make(map[string][]byte)
	store := &svc.Idempotency{Run: func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		if record, ok := records[id]; ok {
			return record, nil
		}
		record, err := do(ctx)
		if err == nil {
			records[id] = record
		}
		return record, err
	}}
	events := new(noteEvents)
	hooks := receiveHooks(events, store, hookSecret)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/moved":
			http.Redirect(w, r, "/hooks", http.StatusTemporaryRedirect)
		default:
			hooks.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	private := newHookClient() // as for subscribers, but that it may call the server of this test
	private.Transport = server.Client().Transport
	created := []byte(`{"type":"note.created","id":1,"text":"milk"}`)
	for _, test := range []struct {
		name   string
		client *http.Client
		d      delivery
		want   string
	}{
		{"an event", private, delivery{"e1", server.URL + "/hooks", hookSecret, created}, "<nil>"},
		{"the same event again", private, delivery{"e1", server.URL + "/hooks", hookSecret, created}, "<nil>"},
		{"another", private, delivery{"e2", server.URL + "/hooks", hookSecret, []byte(`{"type":"note.deleted","id":1}`)}, "<nil>"},
		{"the secret of another subscriber", private, delivery{"e3", server.URL + "/hooks", otherSecret, created}, "the subscriber answers 401 Unauthorized"},
		{"what the receiver does not know", private, delivery{"e4", server.URL + "/hooks", hookSecret, []byte(`{"type":"note.moved"}`)}, "the subscriber answers 400 Bad Request"},
		{"gone", private, delivery{"e5", server.URL + "/gone", hookSecret, created}, errUnsubscribed.Error()},
		{"a redirect", private, delivery{"e6", server.URL + "/moved", hookSecret, created}, "the subscriber answers 307 Temporary Redirect"},
		{"in clear text", private, delivery{"e7", "http://example.com/hooks", hookSecret, created}, "the URL of a subscriber must begin with https://"},
		{"an address inside", newHookClient(), delivery{"e8", server.URL + "/hooks", hookSecret, created}, "svc: PublicOnly: 127.0.0.1 is not a public address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(test.d.send(t.Context(), test.client)); !strings.HasSuffix(got, test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
	if events.created != 1 || events.deleted != 1 {
		t.Errorf("%d created, %d deleted; each event must act once", events.created, events.deleted)
	}
}
