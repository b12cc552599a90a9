// Conduit serves RealWorld's Conduit API with svc, and sends it the requests of a table over a
// socket. The specification is openapi.yml of github.com/gothinkster/realworld; the table was
// written from it.
//
// Usage:
//
//	go run .
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"time"
)

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // which has each error of the table
	server := httptest.NewServer((&conduit{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}).handler())
	defer server.Close()
	failed := 0
	for _, q := range requests {
		if err := q.check(server.URL + "/api"); err != nil {
			failed++
			fmt.Printf("FAILED: %s: %s %s: %v\n", q.name, q.verb, q.path, err)
		}
	}
	if failed > 0 {
		fmt.Printf("%d of %d requests have another answer\n", failed, len(requests))
		os.Exit(1)
	}
	fmt.Printf("%d requests of Conduit have the answers that its specification wants\n", len(requests))
}

// check sends q to the service at url, and returns what is wrong with the answer.
func (q request) check(url string) error {
	r, err := http.NewRequest(q.verb, url+q.path, strings.NewReader(q.body))
	if err != nil {
		return err
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Token "+q.token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != q.status {
		return fmt.Errorf("the status is %d, want %d: %s", answer.StatusCode, q.status, text)
	}
	if challenge := answer.Header.Get("WWW-Authenticate"); q.status == http.StatusUnauthorized && challenge != "Token" {
		return fmt.Errorf("the challenge is %q, want Token", challenge)
	}
	return compare(text, q.want, q.status)
}

// compare compares the JSON of an answer. Without one that is wanted, it must have none, or be an
// error in the form of Conduit.
func compare(text []byte, want string, status int) error {
	if status == http.StatusNoContent {
		if len(text) > 0 {
			return fmt.Errorf("it has a body: %s", text)
		}
		return nil
	}
	var got, wanted any
	if err := json.Unmarshal(text, &got); err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	if want == "" {
		if members, _ := got.(map[string]any); members["errors"] == nil || len(members) != 1 {
			return fmt.Errorf("it is not an error of Conduit: %s", text)
		}
		return nil
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		return fmt.Errorf("the table: %w in %s", err, want)
	}
	if !reflect.DeepEqual(got, wanted) {
		return fmt.Errorf("got  %s\nwant %s", text, want)
	}
	return nil
}
