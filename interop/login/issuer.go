package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// An issuer is an authorization server for one user, who agrees to everything but
// to what notGiven says. It has metadata (RFC 8414), dynamic registration (RFC 7591),
// codes with PKCE (RFC 7636), refresh tokens, the issuer in answers (RFC 9207), and
// tokens that are made out to one resource (RFC 8707). Tokens are random texts.
type issuer struct {
	url string
	log *record

	mu      sync.Mutex
	clients map[string]client
	codes   map[string]grant
	tokens  map[string]grant // access tokens
	refresh map[string]grant
}

// notGiven is a scope that the user refuses.
const notGiven = "notes:admin"

var knownScopes = []string{"notes", "notes:write", notGiven}

// A client is what a client has registered.
type client struct {
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	Scope        string   `json:"scope"`
}

// A grant is what a code or a token stands for.
type grant struct {
	client, resource, redirect, challenge string
	scopes                                []string
	expired                               bool
}

func newIssuer(url string, log *record) *issuer {
	return &issuer{url: url, log: log, clients: map[string]client{}, codes: map[string]grant{}, tokens: map[string]grant{}, refresh: map[string]grant{}}
}

func (s *issuer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		s.log.addf("issuer: metadata")
		answer(w, http.StatusOK, map[string]any{
			"issuer":                                         s.url,
			"authorization_endpoint":                         s.url + "/authorize",
			"token_endpoint":                                 s.url + "/token",
			"registration_endpoint":                          s.url + "/register",
			"scopes_supported":                               knownScopes,
			"response_types_supported":                       []string{"code"},
			"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported":               []string{"S256"},
			"token_endpoint_auth_methods_supported":          []string{"none"},
			"authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("POST /register", s.register)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /expire", s.expire)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.log.addf("issuer: %s %s is not there", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	return mux
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// refuse answers with an error of OAuth, which the check then finds in the log.
func (s *issuer) refuse(w http.ResponseWriter, code, text string) {
	s.log.addf("issuer: REFUSED: %s: %s", code, text)
	answer(w, http.StatusBadRequest, map[string]string{"error": code, "error_description": text})
}

func (s *issuer) register(w http.ResponseWriter, r *http.Request) {
	var c client
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil || len(c.RedirectURIs) == 0 {
		s.refuse(w, "invalid_client_metadata", "redirect_uris are required")
		return
	}
	id := rand.Text()
	s.mu.Lock()
	s.clients[id] = c
	s.mu.Unlock()
	s.log.addf("issuer: register, grants %v", c.GrantTypes)
	answer(w, http.StatusCreated, map[string]any{
		"client_id": id, "client_name": c.Name, "redirect_uris": c.RedirectURIs, "grant_types": c.GrantTypes,
		"response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}

// authorize stands for the page on which the user agrees: it redirects at once.
func (s *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.clients[q.Get("client_id")]
	scopes := strings.Fields(q.Get("scope"))
	slices.Sort(scopes)
	unknown := slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(knownScopes, scope) })
	switch {
	case !ok:
		s.refuse(w, "invalid_client", "there is no such client")
	case !slices.Contains(c.RedirectURIs, q.Get("redirect_uri")):
		s.refuse(w, "invalid_request", "the redirect_uri is not registered")
	case q.Get("response_type") != "code" || q.Get("state") == "":
		s.refuse(w, "invalid_request", "response_type must be code, with a state")
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		s.refuse(w, "invalid_request", "PKCE by S256 is required")
	case q.Get("resource") == "":
		s.refuse(w, "invalid_target", "the resource is required")
	case unknown:
		s.refuse(w, "invalid_scope", q.Get("scope"))
	default:
		s.log.addf("issuer: authorize %s for %s", scopes, q.Get("resource"))
		code := rand.Text()
		given := slices.DeleteFunc(scopes, func(scope string) bool { return scope == notGiven })
		s.codes[code] = grant{q.Get("client_id"), q.Get("resource"), q.Get("redirect_uri"), q.Get("code_challenge"), given, false}
		back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {s.url}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	}
}

func (s *issuer) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := r.PostFormValue("grant_type")
	var g grant
	var ok bool
	switch kind {
	case "authorization_code":
		g, ok = s.codes[r.PostFormValue("code")]
		delete(s.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		ok = ok && g.challenge == base64.RawURLEncoding.EncodeToString(sum[:]) && g.redirect == r.PostFormValue("redirect_uri")
	case "refresh_token":
		g, ok = s.refresh[r.PostFormValue("refresh_token")]
	}
	resource := r.PostFormValue("resource")
	if !ok || g.client != r.PostFormValue("client_id") || resource != g.resource && (resource != "" || kind == "authorization_code") {
		s.refuse(w, "invalid_grant", kind)
		return
	}
	tokens := map[string]any{"token_type": "Bearer", "scope": strings.Join(g.scopes, " "), "expires_in": 3600}
	if s.clients[g.client].Name == "short" {
		tokens["expires_in"] = 5 // which a careful client takes for expired
	}
	access := rand.Text()
	s.tokens[access] = g
	tokens["access_token"] = access
	if kind == "authorization_code" && slices.Contains(s.clients[g.client].GrantTypes, "refresh_token") {
		refresh := rand.Text()
		s.refresh[refresh] = g
		tokens["refresh_token"] = refresh
	}
	s.log.addf("issuer: %s gives %s", kind, g.scopes)
	answer(w, http.StatusOK, tokens)
}

// expire ends all access tokens, as time does.
func (s *issuer) expire(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token := range maps.Keys(s.tokens) {
		g := s.tokens[token]
		g.expired = true
		s.tokens[token] = g
	}
	s.log.addf("issuer: all tokens expire")
}

// find returns what an access token stands for, to the server that it is made for.
func (s *issuer) find(token, resource string) (g grant, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.tokens[token]
	switch {
	case !ok:
		return g, fmt.Errorf("there is no such token")
	case g.resource != resource:
		return g, fmt.Errorf("the token is for another server")
	case g.expired:
		return g, fmt.Errorf("the token has expired")
	}
	return g, nil
}
