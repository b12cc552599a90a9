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
	leaveBody(w, r)
	respondError(w, r, err, onError)
}

// leaveBody prepares for an answer that leaves the body unread. The connection
// ends with the answer, or net/http would read what is left of a small body
// before it sends one; and the body has a deadline, or net/http would wait for
// its end after that. A client that announces a body and sends none of it would
// wait, or hold the connection, for ever. A stream of HTTP/2 ends by itself,
// and a server that has a ReadTimeout has a deadline.
func leaveBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return
	}
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); !ok || s.ReadTimeout <= 0 {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(unreadBodyTimeout)) // best effort: not every writer has deadlines
	}
}
