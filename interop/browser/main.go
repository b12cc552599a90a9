// Browser serves a service behind svc.CORS, and pages of two other origins, of which
// it allows one. The script browser.mjs opens them in Chromium and reports what
// they can do. Chromium and curl also have a record revalidated that they have
// already (RFC 9110, section 13), and change it only if it is still the same.
//
// Usage, after npm ci:
//
//	go run .
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"example.com/svc"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("browser: ")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

// CounterAPI is the service that pages call.
type CounterAPI interface {
	List(ctx context.Context) (*Count, error)
	Add(ctx context.Context) (*Count, error) // without an input, so that it needs no JSON
	Update(ctx context.Context, in *SetCount) (*Count, error)
	Get(ctx context.Context, in *VersionID) (*Version, error)
	Patch(ctx context.Context, in *NextVersion) (*Version, error)
	Search(ctx context.Context, in *SetCount) (*Version, error) // by QUERY
}

// A Count is the output of every method.
type Count struct {
	ID string `json:"id"`
	N  int64  `json:"n"`
}

// A SetCount is the input of Update and Search.
type SetCount struct {
	ID string `json:"id"`
	N  int64  `json:"n"`
}

type counter struct{ n, version atomic.Int64 }

func (c *counter) List(context.Context) (*Count, error) { return &Count{"a", c.n.Load()}, nil }
func (c *counter) Add(context.Context) (*Count, error)  { return &Count{"a", c.n.Add(1)}, nil }

func (c *counter) Update(_ context.Context, in *SetCount) (*Count, error) {
	c.n.Store(in.N)
	return &Count{in.ID, in.N}, nil
}

// run serves the service and the pages on free ports. Ports make origins differ,
// and localhost is another site than 127.0.0.1 too.
func run(ctx context.Context) error {
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>a page</title>")
	})
	everywhere := func(string) http.Handler { return pages }
	allowed, err := serve(everywhere)
	if err != nil {
		return err
	}
	refused, err := serve(everywhere)
	if err != nil {
		return err
	}
	refused = strings.Replace(refused, "127.0.0.1", "localhost", 1)
	server, err := serve(func(url string) http.Handler { return newHandler(allowed, url) })
	if err != nil {
		return err
	}
	bare, err := serve(func(url string) http.Handler { return newBearer(url)(http.NotFoundHandler()) })
	if err != nil {
		return err
	}
	if err := runCurl(ctx, server, allowed); err != nil {
		return err
	}
	ports, err := json.Marshal(map[string]string{"server": server, "bare": bare, "allowed": allowed, "refused": refused})
	if err != nil {
		return err
	}
	if err := runNode(ctx, "browser.mjs", string(ports)); err != nil {
		return err
	}
	return runCookies(ctx, allowed, refused)
}

func runNode(ctx context.Context, script, arg string) error {
	cmd := exec.CommandContext(ctx, "node", script, arg)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", script, err)
	}
	return nil
}

// serve serves, on a free port until the program ends, the handler for its address.
func serve(handler func(url string) http.Handler) (url string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	url = "http://" + listener.Addr().String()
	go http.Serve(listener, handler(url))
	return url, nil
}

// newHandler returns the service behind CORS, which stands outside of the guards of
// /mcp, /private and /bearer.
func newHandler(allowed, url string) http.Handler {
	counters := svc.MustRegister[CounterAPI](&counter{}, &svc.Options{
		Logger:  slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Search": {HTTP: "QUERY /counter_api"}},
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", counters.MCP(nil))
	bearer := newBearer(url)
	mux.Handle("/bearer", bearer(counters.MCP(nil)))
	mux.Handle("/.well-known/", bearer(http.NotFoundHandler()))
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "private") })
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s1", Path: "/"})
	})
	mux.HandleFunc("/me", func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("session")
		if err != nil {
			io.WriteString(w, "nobody")
			return
		}
		io.WriteString(w, cookie.Value)
	})
	answers := &answerLog{next: counters.REST()}
	mux.HandleFunc("/answers", answers.report)
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "of the server's own origin") })
	mux.Handle("/", answers)
	guard := svc.BasicAuth("staff", map[string]string{"ada": "lovelace"}, nil)
	guarded := svc.Under("/mcp", guard)(svc.Under("/private", guard)(mux))
	return svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{allowed}, Credentials: true, MaxAge: time.Minute})(guarded)
}

// newBearer returns a guard of /bearer at url, which knows no token.
func newBearer(url string) func(http.Handler) http.Handler {
	return svc.Bearer(func(context.Context, string) (*svc.Principal, error) {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "there are no tokens")
	}, &svc.BearerOptions{
		Resource: url + "/bearer", AuthorizationServers: []string{"https://login.example"},
		Scopes: []string{"count"}, Logger: slog.New(slog.DiscardHandler),
	})
}
