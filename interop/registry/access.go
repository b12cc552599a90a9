package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"example.com/svc"
)

// namePath is a path with the name of a repository, which may have slashes, and what follows it.
var namePath = regexp.MustCompile(`^/v2/(.+)(/(?:manifests|blobs|tags|referrers)/.*)$`)

// escapeNames makes a name one segment of the path, as the routes of svc have it:
//
//	/v2/library/app/tags/list  =>  /v2/library%2Fapp/tags/list
func escapeNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u := *r.URL
		if parts := namePath.FindStringSubmatch(u.Path); parts != nil {
			u.RawPath = "/v2/" + url.PathEscape(parts[1]) + parts[2]
		}
		r = r.WithContext(r.Context())
		r.URL = &u
		next.ServeHTTP(w, r)
	})
}

// passwords are those of the users. The reader may only pull.
var passwords = map[string]string{"writer": "w", "reader": "r"}

// behindPasswords returns g behind HTTP Basic credentials.
func (g *registry) behindPasswords() http.Handler {
	service := svc.MustRegister[RegistryAPI](g, options())
	return escapeNames(svc.BasicAuth("registry", passwords, &svc.ErrorOptions{OnError: form.Write})(service.REST()))
}

// behindLogin returns g for clients with tokens, and the service that gives them out. A request
// without a token is told where to log in.
func (g *registry) behindLogin() http.Handler {
	t := &tokens{scopes: make(map[string][]string)}
	toLogin := func(w http.ResponseWriter, r *http.Request, err error) {
		form.Write(w, r, svc.ErrorFrom(err).WithHeader("WWW-Authenticate", challenge("http://"+r.Host, "")))
	}
	service := svc.MustRegister[RegistryAPI](g, options())
	logins := svc.MustRegister[TokenAPI](t, &svc.Options{Resource: "token", Schemes: []svc.Scheme{{Type: "basic"}}, ErrorForm: form,
		Methods: map[string]svc.MethodOptions{"Give": {HTTP: "GET /token"}}})
	mux := http.NewServeMux()
	mux.Handle("/token", svc.BasicAuth("registry", passwords, &svc.ErrorOptions{OnError: form.Write})(logins.REST()))
	mux.Handle("/v2/", escapeNames(svc.Bearer(t.verify, &svc.BearerOptions{OnError: toLogin})(service.REST())))
	return mux
}

// challenge says where a token is had, and for which scope.
func challenge(origin, scope string) string {
	text := fmt.Sprintf(`Bearer realm="%s/token",service="registry"`, origin)
	if scope != "" {
		text += fmt.Sprintf(`,scope="%s",error="insufficient_scope"`, scope)
	}
	return text
}

// checkAccess returns an error if the caller may not do action in a repository. A caller with a
// token gets the challenge for another one.
func checkAccess(ctx context.Context, name, action string) error {
	caller, _ := svc.PrincipalFrom(ctx)
	if caller.Claims == nil { // by a password
		if caller.Subject == "reader" && action != "pull" {
			return svc.Errorf(svc.CodePermissionDenied, "%s may only pull", caller.Subject)
		}
		return nil
	}
	if scope := "repository:" + name + ":" + action; !slices.Contains(caller.Scopes, scope) {
		info, _ := svc.InfoFrom(ctx)
		return svc.Errorf(svc.CodeUnauthenticated, "the token has not the scope %s", scope).WithHeader("WWW-Authenticate",
			challenge("http://"+info.Request.Host, scope))
	}
	return nil
}

// TokenAPI gives out tokens, as the Docker registry's token authentication has it.
type TokenAPI interface {
	Give(ctx context.Context, in *TokenIn) (*Token, error)
}

type (
	TokenIn struct {
		Service string   `query:"service"`
		Scopes  []string `query:"scope,omitempty"` // of the form repository:name:pull,push
	}
	Token struct {
		Token     string `json:"token"`
		ExpiresIn int    `json:"expires_in"`
	}
)

// tokens are those that were given out.
type tokens struct {
	mu     sync.Mutex
	scopes map[string][]string // of each token
	given  int
}

func (t *tokens) Give(ctx context.Context, in *TokenIn) (*Token, error) {
	caller, _ := svc.PrincipalFrom(ctx)
	var granted []string
	for _, text := range in.Scopes {
		for scope := range strings.FieldsSeq(text) {
			i := strings.LastIndexByte(scope, ':')
			for action := range strings.SplitSeq(scope[i+1:], ",") {
				if caller.Subject != "reader" || action == "pull" {
					granted = append(granted, scope[:i+1]+action)
				}
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given++
	token := fmt.Sprintf("token-%d", t.given) // a real service signs it
	t.scopes[token] = granted
	return &Token{token, 300}, nil
}

func (t *tokens) verify(_ context.Context, token string) (*svc.Principal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	scopes, ok := t.scopes[token]
	if !ok {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "this registry has not given out the token")
	}
	return &svc.Principal{Subject: token, Scopes: scopes, Claims: t}, nil
}
