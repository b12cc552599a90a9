package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"example.com/svc"
)

// NotesAPI has a method for everybody, one for whoever has logged in, and two for
// callers with a scope more.
type NotesAPI interface {
	Status(ctx context.Context) (*Answer, error)
	Look(ctx context.Context) (*Answer, error)
	Write(ctx context.Context) (*Answer, error)
	Clear(ctx context.Context) (*Answer, error)
}

// An Answer is the output of every method.
type Answer struct {
	By string `json:"by"`
}

type notes struct{}

func by(ctx context.Context) (*Answer, error) {
	if p, ok := svc.PrincipalFrom(ctx); ok {
		return &Answer{p.Subject}, nil
	}
	return &Answer{"nobody"}, nil
}

func (notes) Status(ctx context.Context) (*Answer, error) { return by(ctx) }
func (notes) Look(ctx context.Context) (*Answer, error)   { return by(ctx) }
func (notes) Write(ctx context.Context) (*Answer, error)  { return by(ctx) }
func (notes) Clear(ctx context.Context) (*Answer, error)  { return by(ctx) }

// newServer serves NotesAPI over MCP, at /mcp for those who have logged in, and at
// /open for everybody, as far as methods are public.
func newServer(url string, as *issuer, log *record) http.Handler {
	s := svc.MustRegister[NotesAPI](notes{}, &svc.Options{
		Resource: "notes", Defaults: svc.Defaults{Auth: "bearer"}, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{
			"Status": {Public: true},
			"Write":  {Scopes: []string{"notes:write"}},
			"Clear":  {Scopes: []string{notGiven}},
		},
	})
	mux := http.NewServeMux()
	for _, path := range []string{"/mcp", "/open"} {
		opts := svc.BearerOptions{
			Resource: url + path, AuthorizationServers: []string{as.url}, Scopes: []string{"notes"},
			Optional: path == "/open", Logger: slog.New(slog.DiscardHandler),
		}
		verify := func(_ context.Context, token string) (*svc.Principal, error) {
			g, err := as.find(token, opts.Resource)
			if err != nil {
				return nil, svc.Errorf(svc.CodeUnauthenticated, "%v", err)
			}
			return &svc.Principal{Subject: "ada", Scopes: g.scopes}, nil
		}
		mux.Handle(path, svc.Bearer(verify, &opts)(s.MCP(nil)))
		mux.Handle("/.well-known/oauth-protected-resource"+path, opts.Metadata())
	}
	return logRequests(mux, as, log)
}

// logRequests notes the requests of JSON-RPC, with what their token stands for, and
// those of metadata. It leaves out what has no answer to wait for: clients send it
// at any time.
func logRequests(next http.Handler, as *issuer, log *record) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var message struct {
			ID     any
			Method string
			Params struct{ Name string }
		}
		json.Unmarshal(body, &message)
		tried := httptest.NewRecorder()
		next.ServeHTTP(tried, r)
		what := strings.TrimSpace(message.Method + " " + strings.TrimPrefix(message.Params.Name, "notes_"))
		switch {
		case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/.well-known/"):
			log.addf("server: %s: %d", r.URL.Path, tried.Code)
		case message.ID != nil:
			token := "without a token"
			if text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
				as.mu.Lock()
				token = fmt.Sprint("with ", as.tokens[text].scopes)
				as.mu.Unlock()
			}
			log.addf("server: %s %s: %s", what, token, strings.TrimSpace(fmt.Sprint(tried.Code, " ", tried.Header().Get("WWW-Authenticate"))))
		}
		for name, values := range tried.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(tried.Code)
		w.Write(tried.Body.Bytes())
	})
}

// A record is what a run has asked of the two servers, in order.
type record struct {
	mu    sync.Mutex
	lines []string
	names *strings.Replacer // of the addresses
}

func (l *record) addf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, l.names.Replace(fmt.Sprintf(format, args...)))
}

// take returns the lines and forgets them.
func (l *record) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.lines, "\n")
	l.lines = nil
	return text
}
