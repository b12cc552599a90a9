package svc

// This file holds what the HTTP transports of a service share.

import "net/http"

// writeJSON sends a complete body.
func writeJSON(w http.ResponseWriter, r *http.Request, body []byte) {
	setBodyHeader(w.Header(), contentTypeJSON, len(body))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone cannot be told
	}
}
