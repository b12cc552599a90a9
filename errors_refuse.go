package svc

// This file refuses requests: what middleware in front of any handler, svc's
// or not, has in common when it does not let a request through.

import (
	"net/http"
	"time"
)

// unreadBodyTimeout is how long a client may take to send a body that nobody
// is going to read.
const unreadBodyTimeout = 30 * time.Second

// refuse answers with err, by onError or with the envelope, before anything of
// the request's body was read. It logs nothing: what any passer-by can cause
// should not fill a disk.
func refuse(w http.ResponseWriter, r *http.Request, err error, onError ErrorHandler) {
	limitUnread(w, r)
	respondError(w, r, err, onError)
}

// limitUnread sets a read deadline for a body that nobody will read. net/http
// reads up to 256 KiB of what is left of a body before it answers, so a client
// that announces a body and sends none of it would hold the connection for
// ever. A server that has a ReadTimeout has taken care.
func limitUnread(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.ReadTimeout > 0 {
		return
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(unreadBodyTimeout)) // best effort: not every writer has deadlines
}
