package blackbox_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

// Verify which part of an UNAUTHENTICATED error of verify a client gets: all of it, unless it
// has a part of the credential.
func TestVerifyError(t *testing.T) {
	const key = "k-0123456789\"<é"
	ended := svc.Errorf(svc.CodeUnauthenticated, "the session has ended").WithReason("session_over")
	for _, test := range []struct {
		name            string
		err             error
		body, challenge string // "" stands for those of the guard
		log             string
	}{
		{"without a message", &svc.Error{Code: svc.CodeUnauthenticated}, "", "", "UNAUTHENTICATED"},
		{"a message", svc.Errorf(svc.CodeUnauthenticated, "no such key"), `"message":"no such key","reason":"invalid_token"`, "", "no such key"},
		{"a reason", ended, `"message":"the session has ended","reason":"session_over"`, "", "the session has ended"},
		{"details", &svc.Error{Code: svc.CodeUnauthenticated, Message: "no", Details: map[string]any{"at": 7}}, `"message":"no","reason":"invalid_token","details":{"at":7}`, "", "no"},
		{"wrapped", fmt.Errorf("lookup of row 7: %w", ended), `"message":"the session has ended","reason":"session_over"`, "", "lookup of row 7"},
		{"a cause", ended.WithCause(errors.New("row 7")), `"message":"the session has ended","reason":"session_over"`, "", "row 7"},
		{"a challenge", ended.WithHeader("WWW-Authenticate", `Bearer realm="https://login.example/token"`),
			`"message":"the session has ended","reason":"session_over"`, `Bearer realm="https://login.example/token"`, "has ended"},
		{"a reason of svc, which another service has sent", ended.WithReason("overloaded"), `"message":"the session has ended","reason":"invalid_token"`, "", "has ended"},
		{"the key in the message", svc.Errorf(svc.CodeUnauthenticated, "no such key: %s", key), "", "", "is hidden"},
		{"a part of the key", svc.Errorf(svc.CodeUnauthenticated, "no such key: %s", key[:8]), "", "", "is hidden"},
		{"the key in quotes", svc.Errorf(svc.CodeUnauthenticated, "no such key: %q", key[4:]), "", "", "is hidden"},
		{"the key in the cause", svc.Errorf(svc.CodeUnauthenticated, "no such key: %w", errors.New(key)), "", "", "is hidden"},
		{"the key in the details", &svc.Error{Code: svc.CodeUnauthenticated, Details: map[string]any{"key": []string{key}}}, "", "", "UNAUTHENTICATED"},
		{"the key in hex", svc.Errorf(svc.CodeUnauthenticated, "no such key: %x", key), "", "", "is hidden"},
		{"a part of the key in HEX, behind a digit", svc.Errorf(svc.CodeUnauthenticated, "no such key: 7%X", key[3:12]), "", "", "is hidden"},
		{"the key in base64", svc.Errorf(svc.CodeUnauthenticated, "no such key: %s", base64.StdEncoding.EncodeToString([]byte(key))), "", "", "is hidden"},
		{"the key in base64 of URLs, behind other text", svc.Errorf(svc.CodeUnauthenticated, "no such key: ab%s", base64.RawURLEncoding.EncodeToString([]byte("x"+key))), "", "", "is hidden"},
		{"the key as bytes", svc.Errorf(svc.CodeUnauthenticated, "no such key: %v", []byte(key)), "", "", "is hidden"},
		{"the key as bytes in the details", svc.Errorf(svc.CodeUnauthenticated, "no").WithDetail("t", []byte(key)), "", "", "UNAUTHENTICATED"},
		{"a hash of the key", svc.Errorf(svc.CodeUnauthenticated, "no such key: %x", sha256.Sum256([]byte(key))), `"message":"no such key: ` + fmt.Sprintf("%x", sha256.Sum256([]byte(key))) + `","reason":"invalid_token"`, "", "no such key"},
		{"the key in a header", ended.WithHeader("X-Key", key[:12]), "", "", "has ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			guard := svc.APIKey("X-Key", func(context.Context, string) (*svc.Principal, error) { return nil, test.err },
				&svc.APIKeyOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			a := answerTo(guard(http.NotFoundHandler()), "GET", "/", "", "X-Key", key)
			body, challenge := test.body, test.challenge
			if body == "" {
				body = `"message":"the API key is not valid","reason":"invalid_token"`
			}
			if challenge == "" {
				challenge = `ApiKey header="X-Key"`
			}
			body = `{"error":{"code":"UNAUTHENTICATED",` + body + `}}`
			if got := textOf(a); a.StatusCode != 401 || strings.TrimSpace(got) != body || a.Header.Get("WWW-Authenticate") != challenge {
				t.Errorf("got %d %s with %q\nwant %s with %q", a.StatusCode, got, a.Header.Get("WWW-Authenticate"), body, challenge)
			}
			if a.Header.Get("X-Key") != "" {
				t.Error("the key is in a header")
			}
			if text := log.String(); !strings.Contains(text, test.log) || strings.Contains(text, "k-012345") {
				t.Errorf("the log is %s, want %s and nothing of the key", text, test.log)
			}
		})
	}
}

// Verify that the WWW-Authenticate of an error which OnError passes on wins over the challenge of
// the guard, or of the scheme where nobody has looked for the caller. A registry sends its clients to log in by it.
func TestChallengeOfOnError(t *testing.T) {
	onError := func(w http.ResponseWriter, r *http.Request, err error) {
		svc.WriteError(w, r, svc.ErrorFrom(err).WithHeader("WWW-Authenticate", `Bearer realm="https://login.example/token",service="notes"`))
	}
	options := &svc.Options{Resource: "typed", Schemes: []svc.Scheme{{Type: "bearer"}}, OnError: onError}
	service := svc.MustRegister[TypedAPI](typedAnswers{}, withRoutes(options)).REST()
	known := func(context.Context, string) (*svc.Principal, error) { return new(svc.Principal), nil }
	for _, test := range []struct {
		name string
		h    http.Handler
	}{
		{"of a guard", svc.Bearer(known, &svc.BearerOptions{OnError: onError, Logger: slog.New(slog.DiscardHandler)})(service)},
		{"of a service behind an optional guard", svc.Bearer(known, &svc.BearerOptions{Optional: true})(service)},
		{"of a service alone", service},
		{"of a service behind passwords", svc.BasicAuth("é", nil, &svc.ErrorOptions{OnError: onError})(service)},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := answerTo(test.h, "GET", "/typed", "")
			if got := a.Header.Values("WWW-Authenticate"); a.StatusCode != 401 || len(got) != 1 || got[0] != `Bearer realm="https://login.example/token",service="notes"` {
				t.Errorf("got %d with %q", a.StatusCode, got)
			}
		})
	}
}
