package blackbox_test

import (
	"context"
	"net/http"
	"testing"

	"example.com/svc"
)

// This file tests calls whose path would be the route of another method.

type (
	rivalID struct {
		ID string `json:"id"`
	}
	rivalNumber struct {
		ID int `json:"id"`
	}
	rivalPair struct {
		Owner string `json:"owner" path:"owner"`
		Name  string `json:"name" path:"name"`
	}
	rivalAPI interface {
		Delete(context.Context, *rivalID) error
		DeleteAll(context.Context) error
		Get(context.Context, *rivalID) error
		Put(context.Context, *rivalNumber) error
		PutFirst(context.Context) error
		Rename(context.Context, *rivalPair) error
		RenameMine(context.Context, *rivalID) error
		RenameOne(context.Context) error
		Spaced(context.Context) error
		Hidden(context.Context) error
	}
	rivals struct{}
)

func (rivals) Delete(context.Context, *rivalID) error     { return nil }
func (rivals) DeleteAll(context.Context) error            { return nil }
func (rivals) Get(context.Context, *rivalID) error        { return nil }
func (rivals) Put(context.Context, *rivalNumber) error    { return nil }
func (rivals) PutFirst(context.Context) error             { return nil }
func (rivals) Rename(context.Context, *rivalPair) error   { return nil }
func (rivals) RenameMine(context.Context, *rivalID) error { return nil }
func (rivals) RenameOne(context.Context) error            { return nil }
func (rivals) Spaced(context.Context) error               { return nil }
func (rivals) Hidden(context.Context) error               { return nil }

func rivalOptions() *svc.Options {
	return &svc.Options{Resource: "users", Methods: map[string]svc.MethodOptions{
		"Delete":     {HTTP: "DELETE /users/{id}"},
		"DeleteAll":  {HTTP: "DELETE /users/all"},
		"Get":        {HTTP: "GET /users/{id}"},
		"Put":        {HTTP: "PUT /users/{id}"},
		"PutFirst":   {HTTP: "PUT /users/1"},
		"Rename":     {HTTP: "POST /users/{owner}/{name}"},
		"RenameMine": {HTTP: "POST /users/me/{id}"},
		"RenameOne":  {HTTP: "POST /users/one/two"},
		"Spaced":     {HTTP: "DELETE /users/a%20b"},
		"Hidden":     {Transports: []svc.Transport{svc.TransportRPC}},
	}}
}

// Verify that a client does not send a call whose path has a route of its own for another method,
// and that it sends all others.
func TestClientRivalRoutes(t *testing.T) {
	var client struct {
		Delete func(context.Context, *rivalID) error
		Get    func(context.Context, *rivalID) error
		Put    func(context.Context, *rivalNumber) error
		Rename func(context.Context, *rivalPair) error
	}
	sent, service := "", svc.MustRegister[rivalAPI](rivals{}, rivalOptions()).At("/v1")
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Method + " " + r.URL.Path
		service.REST().ServeHTTP(w, r)
	})
	if err := svc.Connect[rivalAPI](&client, "/v1", &svc.ClientOptions{Service: rivalOptions(), Handler: handler}); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, test := range []struct {
		name string
		err  func() error
		sent string
		want string
	}{
		{"another route", func() error { return client.Delete(ctx, &rivalID{"all"}) }, "", "/id must not name another route, DELETE /users/all"},
		{"another route with an escape", func() error { return client.Delete(ctx, &rivalID{"a b"}) }, "", "/id must not name another route, DELETE /users/a%20b"},
		{"no route", func() error { return client.Delete(ctx, &rivalID{"ALL"}) }, "DELETE /v1/users/ALL", ""},
		{"a route of another verb", func() error { return client.Get(ctx, &rivalID{"all"}) }, "GET /v1/users/all", ""},
		{"a number", func() error { return client.Put(ctx, &rivalNumber{1}) }, "", "/id must not name another route, PUT /users/1"},
		{"another number", func() error { return client.Put(ctx, &rivalNumber{11}) }, "PUT /v1/users/11", ""},
		{"one of two", func() error { return client.Rename(ctx, &rivalPair{"me", "x"}) }, "", "/owner must not name another route, POST /users/me/{id}"},
		{"both of two", func() error { return client.Rename(ctx, &rivalPair{"one", "two"}) }, "", "/owner must not name another route, POST /users/one/two"},
		{"the first of two", func() error { return client.Rename(ctx, &rivalPair{"one", "three"}) }, "POST /v1/users/one/three", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			sent = ""
			err := test.err()
			if test.want != "" {
				test.want = "INVALID_ARGUMENT: invalid input: " + test.want
			}
			if got := errorText(err); got != test.want || sent != test.sent {
				t.Errorf("%q after %q; want %q after %q", got, sent, test.want, test.sent)
			}
			if err != nil && svc.MayHaveRun(err) {
				t.Error("it may have run")
			}
		})
	}
}

// Verify that the error of a redirect says where to, but nothing that may be secret.
func TestClientRedirects(t *testing.T) {
	for _, test := range []struct{ location, want string }{
		{"https://b.example/users/7?token=secret#part", " to https://b.example/users/7"},
		{"/login", " to http://svc.test/login"},
		{"https://user:secret@b.example/", " to https://b.example/"},
		{"", ""},
	} {
		t.Run(rowName(test.location), func(t *testing.T) {
			var client struct {
				Get func(context.Context, *rivalID) error
			}
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.location != "" {
					w.Header().Set("Location", test.location)
				}
				w.WriteHeader(http.StatusFound)
			})
			if err := svc.Connect[rivalAPI](&client, "http://svc.test", &svc.ClientOptions{Service: rivalOptions(), Handler: handler}); err != nil {
				t.Fatal(err)
			}
			want := "UNKNOWN: the server redirects" + test.want + ", which clients do not follow: it has the status 302 Found"
			if err := client.Get(t.Context(), &rivalID{"7"}); errorText(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
