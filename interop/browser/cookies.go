package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"

	"example.com/svc"
)

// VaultAPI is a service whose callers are known by a cookie.
type VaultAPI interface {
	List(ctx context.Context) (*Count, error)
	Add(ctx context.Context) (*Count, error)
	Update(ctx context.Context, in *SetCount) (*Count, error)
	Patch(ctx context.Context, in *SetCount) (*Count, error)
	Delete(ctx context.Context) error
}

type vault struct{ n atomic.Int64 }

func (v *vault) List(context.Context) (*Count, error)              { return &Count{"a", v.n.Load()}, nil }
func (v *vault) Add(context.Context) (*Count, error)               { return &Count{"a", v.n.Add(1)}, nil }
func (v *vault) Update(context.Context, *SetCount) (*Count, error) { return v.Add(nil) }
func (v *vault) Patch(context.Context, *SetCount) (*Count, error)  { return v.Add(nil) }
func (v *vault) Delete(context.Context) error                      { v.n.Add(1); return nil }

// runCookies opens pages of the service's own origin, of another port of its host, and of another
// site, in both browsers. same is the origin that has only another port.
func runCookies(ctx context.Context, same, other string) error {
	server, err := serve(func(string) http.Handler { return newVault() })
	if err != nil {
		return err
	}
	origins, err := json.Marshal(map[string]string{"server": server, "same": same, "other": other})
	if err != nil {
		return err
	}
	return runNode(ctx, "cookies.mjs", string(origins))
}

// newVault returns the service, its login, a page, and what it has refused: how many requests with
// the cookie got 403.
func newVault() http.Handler {
	options := &svc.Options{Resource: "vault", Logger: slog.New(slog.DiscardHandler), Schemes: []svc.Scheme{{Type: "apiKey", Cookie: "session"}},
		Methods: map[string]svc.MethodOptions{"Update": {HTTP: "PUT /vault"}, "Patch": {HTTP: "PATCH /vault"}, "Delete": {HTTP: "DELETE /vault"}}}
	s := svc.MustRegister[VaultAPI](new(vault), options)
	verify := func(_ context.Context, key string) (*svc.Principal, error) {
		if key != "s1" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "no such session")
		}
		return &svc.Principal{Subject: "ada"}, nil
	}
	guard := svc.APIKey("session", verify, &svc.APIKeyOptions{Cookie: true, Logger: options.Logger})
	inner := http.NewServeMux()
	inner.Handle("/rpc", s.RPC())
	inner.Handle("/mcp", s.MCP(&svc.MCPOptions{AllowedOrigins: []string{"*"}}))
	inner.Handle("/", s.REST())
	guarded := guard(inner)
	var refused atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>the vault</title>")
	})
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s1", Path: "/"})
	})
	mux.HandleFunc("GET /refused", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, refused.Swap(0)) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		rec := &refusalWriter{ResponseWriter: w}
		guarded.ServeHTTP(rec, r)
		if _, err := r.Cookie("session"); err == nil && rec.status == http.StatusForbidden {
			refused.Add(1)
		}
	})
	return mux
}

// A refusalWriter remembers the status.
type refusalWriter struct {
	http.ResponseWriter
	status int
}

func (w *refusalWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *refusalWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
