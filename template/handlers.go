package main

// This file contains the handlers that are not methods of the service.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/svc"
)

// ignoreBody returns a handler that responds at once, even if the client sends a body,
// which next must not read. Otherwise net/http would read a small body before it sends the
// response, which takes until ReadTimeout if the client stalls.
func ignoreBody(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 && r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		next(w, r)
	}
}

// health tells a load balancer that the process serves requests.
func health(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, r, map[string]string{"status": "ok"})
}

// askHealth returns an error if the process that listens on addr is not healthy. An image that
// contains only this program has no curl.
func askHealth(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+addr+"/health", nil)
	if err != nil {
		return err
	}
	response, err := new(http.Transport).RoundTrip(r) // without a proxy
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the process at %s responded with %s", addr, response.Status)
	}
	return nil
}

// hello writes plain text.
func hello(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "Hello from svc.")
}

// A User is an example of data outside of the service.
type User struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// users writes a fixed list.
func users(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, r, []User{{"1", "Ada"}, {"2", "Grace"}})
}

// writeJSON writes v as JSON with status 200. If v cannot be encoded, it writes an
// error.
func writeJSON(w http.ResponseWriter, r *http.Request, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		svc.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body) // fails only if the client has disconnected
}

// echo writes the JSON of the request back, byte for byte. svc.Handle turns its errors
// into responses.
func echo(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, svc.DefaultMaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err // svc responds to a *http.MaxBytesError with 413
	case errors.Is(err, os.ErrDeadlineExceeded): // of ReadTimeout
		return svc.Errorf(svc.CodeDeadlineExceeded, "the request body did not arrive in time: %w", err).WithStatus(http.StatusRequestTimeout)
	case err != nil:
		return svc.Errorf(svc.CodeInvalidArgument, "the request body could not be read: %w", err)
	case !utf8.Valid(body) || !json.Valid(body):
		return svc.Errorf(svc.CodeInvalidArgument, "the request body is not JSON")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
	return nil
}

// fromHere returns a handler that rejects the requests that browsers send for pages of
// other sites, with the cookies of the user and without asking the server first. Use it for
// all plain handlers that change something. The methods of the service do the same. From Go
// 1.25 on you can use http.CrossOriginProtection instead.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		origin := r.Header.Get("Origin")
		if _, host, _ := strings.Cut(origin, "://"); site == "" && origin != "" && !strings.EqualFold(host, r.Host) {
			site = "cross-site"
		}
		asked := strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") // before these, browsers ask the server by CORS
		if site != "" && site != "same-origin" && site != "none" && !asked {
			w.Header().Set("Connection", "close") // the body stays unread
			svc.WriteError(w, r, svc.Errorf(svc.CodePermissionDenied, "pages of other sites must send this as application/json"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// printGuide prints the address of the server and the guide. Scripts read the
// address from the first line.
func printGuide(out io.Writer, url string) {
	fmt.Fprintf(out, "listening on %s\n\n", url)
	for _, line := range guide {
		fmt.Fprintf(out, "%-20s %s\n", line.route, strings.ReplaceAll(line.curl, "URL", url))
	}
}
