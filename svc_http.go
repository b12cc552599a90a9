package svc

// This file holds what the HTTP transports of a service share.

import (
	"net/http"
	"strconv"
)

// writeJSON sends a complete body. The three values of the header share one
// allocation.
func writeJSON(w http.ResponseWriter, r *http.Request, body []byte) {
	values := [...]string{contentTypeJSON, "nosniff", strconv.Itoa(len(body))}
	h := w.Header()
	h["Content-Type"] = values[0:1:1]
	h["X-Content-Type-Options"] = values[1:2:2]
	h["Content-Length"] = values[2:3:3]
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone cannot be told
	}
}
