package main

// This file holds the handlers that are not methods of a service.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"example.com/svc"
)

// health answers a load balancer's question.
func health(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, r, map[string]string{"status": "ok"})
}

func hello(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "Hello from svc.")
}

// A User is somebody who could have todos.
type User struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func users(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, r, []User{{"1", "Ada"}, {"2", "Grace"}})
}

func writeJSON(w http.ResponseWriter, r *http.Request, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		svc.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body) // a client that has gone cannot be told
}

// echo answers with the JSON that it is sent, byte for byte.
func echo(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, svc.DefaultMaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err // 413
	case err != nil:
		return svc.Errorf(svc.CodeInvalidArgument, "the request body could not be read: %w", err)
	case !utf8.Valid(body) || !json.Valid(body):
		return svc.Errorf(svc.CodeInvalidArgument, "the request body is not JSON")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
	return nil
}

// printGuide prints where the program listens, and then each route.
func printGuide(out io.Writer, url string) {
	fmt.Fprintf(out, "listening on %s\n\n", url)
	for _, line := range guide {
		fmt.Fprintf(out, "%-20s %s\n", line.route, strings.ReplaceAll(line.curl, "URL", url))
	}
}
