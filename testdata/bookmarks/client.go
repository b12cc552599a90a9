package bookmarks

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"example.com/svc"
)

// A Client calls the service. In a test its fields are set to functions of the test.
type Client struct {
	Create func(ctx context.Context, in *NewBookmark) (*Bookmark, error)
	List   func(ctx context.Context, in *Filter) (*svc.CursorResponse[Bookmark], error)
	Get    func(ctx context.Context, in *ID) (*Bookmark, error)
	Patch  func(ctx context.Context, in *Change) (*Bookmark, error)
	Delete func(ctx context.Context, in *ID) error
	Watch  func(ctx context.Context, in *Since) (svc.Stream[Bookmark], error)
}

// Connect returns a client that calls with token. Requests that may run twice are sent
// again while the service is not available, for as long as their context lasts; limit
// it. next sends single requests; nil stands for http.DefaultTransport.
func Connect(baseURL, token string, next http.RoundTripper) (*Client, error) {
	if next == nil {
		next = http.DefaultTransport
	}
	c := new(Client)
	h := &http.Client{Transport: &transport{next, token}}
	return c, svc.Connect[API](c, baseURL, &svc.ClientOptions{Service: Options(), HTTPClient: h})
}

// A transport adds the token to requests, and sends some of them again.
type transport struct {
	next  http.RoundTripper
	token string
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	again := r.Method == http.MethodGet || r.Header.Get("Idempotency-Key") != ""
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		attempt := r.Clone(r.Context()) // a RoundTripper must not change r
		attempt.Header.Set("Authorization", "Bearer "+t.token)
		if r.GetBody != nil {
			attempt.Body, _ = r.GetBody() // no error: the body is in memory
		}
		response, err := t.next.RoundTrip(attempt)
		if err == nil && r.Header.Get("Accept") == "application/json" { // and no stream: a body that is cut counts, too
			var body []byte
			body, err = io.ReadAll(response.Body)
			response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader(body))
		}
		if !again || err == nil && svc.CodeFromHTTP(response.StatusCode) != svc.CodeUnavailable {
			return response, err
		}
		// Clients that were cut off together should not come back together.
		pause := wait + time.Duration(rand.Int64N(int64(wait)))
		if err == nil {
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			pause += time.Duration(seconds) * time.Second
		}
		if deadline, ok := r.Context().Deadline(); ok && time.Until(deadline) < pause || r.Context().Err() != nil {
			return response, err // which says more than the end of the context
		}
		if err == nil {
			response.Body.Close()
		}
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}
