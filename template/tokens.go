package main

// This file checks access tokens, if TODO_TOKENS is set.

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"example.com/svc"
)

// tokens maps the hash of each token to its caller. With hashes, the time of a lookup reveals
// nothing about the tokens.
type tokens map[[sha256.Size]byte]*svc.Principal

// parseTokens parses TODO_TOKENS, which has tokens with their scopes, such as
// "abc:todos:read+todos:write,def:todos:read". If text is empty, everybody may call.
func parseTokens(text string) (tokens, error) {
	if text == "" {
		return nil, nil
	}
	known := make(tokens)
	for i, entry := range strings.Split(text, ",") {
		token, scopes, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if !ok || token == "" || strings.ContainsAny(token, " \t") {
			return nil, fmt.Errorf("TODO_TOKENS: entry %d must be token:scope+scope, without spaces", i+1)
		}
		known[sha256.Sum256([]byte(token))] = &svc.Principal{Subject: fmt.Sprintf("token %d", i+1), Scopes: strings.Split(scopes, "+")}
	}
	return known, nil
}

// verify is for svc.Bearer.
func (t tokens) verify(_ context.Context, token string) (*svc.Principal, error) {
	if p, ok := t[sha256.Sum256([]byte(token))]; ok {
		return p, nil
	}
	return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is unknown")
}

// guard returns next behind svc.Bearer, or next if there are no tokens. The service
// checks the scopes of each method; everybody can read pages and documents.
func (t tokens) guard(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return svc.Bearer(t.verify, &svc.BearerOptions{Optional: true})(next)
}

// scopes adds scopes to the options of a service: todos:read for the methods that only
// read, and todos:write for the others.
func (t tokens) scopes(o *svc.Options) *svc.Options {
	if t == nil {
		return o
	}
	o.Defaults.Auth = "bearer"
	for i := range reflect.TypeFor[TodoAPI]().NumMethod() {
		name := reflect.TypeFor[TodoAPI]().Method(i).Name
		m := o.Methods[name]
		m.Scopes = []string{"todos:write"}
		switch name {
		case "List", "Feed", "Get", "Watch", "PlanDay", "Export":
			m.Scopes = []string{"todos:read"}
		}
		o.Methods[name] = m
	}
	return o
}
