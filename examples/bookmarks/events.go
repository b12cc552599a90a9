package bookmarks

import "context"

// Events are what a subscriber receives: POST requests by Standard Webhooks, signed with its secret. A
// receiver in Go registers this interface behind svc.VerifyWebhook. Each event arrives at least once,
// perhaps twice with the same webhook-id, and those of one bookmark in the order of its changes.
type Events interface {
	// A bookmark was made, changed or deleted.
	Event(ctx context.Context, in *Event) error
}

// An Event says that a bookmark has changed. Get the bookmark to see how.
type Event struct {
	Type    string `json:"type" enum:"bookmark.created,bookmark.changed,bookmark.deleted"`
	ID      int64  `json:"id"`      // The ID of the bookmark.
	Version int64  `json:"version"` // 1, and one more with each change of the bookmark.
}
