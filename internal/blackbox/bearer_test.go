package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/svc"
)

// VaultAPI has a method for everybody, one for every caller, and two for callers with
// scopes.
type VaultAPI interface {
	Open(ctx context.Context) (*VaultOut, error)
	Peek(ctx context.Context, in *VaultIn) (*VaultOut, error)
	Take(ctx context.Context, in *VaultIn) (*VaultOut, error)
	Watch(ctx context.Context, in *VaultIn) (svc.Stream[VaultOut], error)
}

type VaultIn struct {
	N int `json:"n" maximum:"5"`
}

type VaultOut struct {
	By string `json:"by"`
}

type vault struct{}

func (vault) out(ctx context.Context) *VaultOut {
	if p, ok := svc.PrincipalFrom(ctx); ok {
		return &VaultOut{p.Subject}
	}
	return &VaultOut{"nobody"}
}

func (v vault) Open(ctx context.Context) (*VaultOut, error)             { return v.out(ctx), nil }
func (v vault) Peek(ctx context.Context, _ *VaultIn) (*VaultOut, error) { return v.out(ctx), nil }
func (v vault) Take(ctx context.Context, _ *VaultIn) (*VaultOut, error) { return v.out(ctx), nil }

func (v vault) Watch(ctx context.Context, _ *VaultIn) (svc.Stream[VaultOut], error) {
	return func(yield func(*VaultOut, error) bool) { yield(v.out(ctx), nil) }, nil
}

// newVault returns the service and a handler of all transports.
func newVault(logger *slog.Logger) (*svc.Service, http.Handler) {
	s := svc.MustRegister[VaultAPI](vault{}, &svc.Options{
		Resource: "vault", Logger: logger, Defaults: svc.Defaults{Auth: "bearer"},
		Methods: map[string]svc.MethodOptions{
			"Open":  {HTTP: "POST /vault/open", Public: true},
			"Peek":  {HTTP: "POST /vault/peek"},
			"Take":  {HTTP: "POST /vault/take", Scopes: []string{"vault:read", "vault:take"}},
			"Watch": {HTTP: "POST /vault/watch", Scopes: []string{"vault:read"}},
		},
	})
	mux := http.NewServeMux()
	mux.Handle("/rpc", s.RPC())
	mux.Handle("/mcp", s.MCP(nil))
	mux.Handle("/", s.REST())
	return s, mux
}

// verifyTest knows tokens by their names.
func verifyTest(ctx context.Context, token string) (*svc.Principal, error) {
	switch name, _, _ := strings.Cut(token, "."); name {
	case "good":
		return &svc.Principal{Subject: "ada", Scopes: []string{"base"}}, nil
	case "reader":
		return &svc.Principal{Subject: "bob", Scopes: []string{"base", "vault:read", `not"a scope`}}, nil
	case "taker":
		return &svc.Principal{Subject: "eve", Scopes: []string{"vault:take", "base", "vault:read"}, Expires: time.Now().Add(time.Hour)}, nil
	case "expired":
		return &svc.Principal{Subject: "ada", Scopes: []string{"base"}, Expires: time.Now()}, nil
	case "scopeless":
		return &svc.Principal{Subject: "ada"}, nil
	case "audience":
		return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is for another server")
	case "quoting":
		return nil, svc.Errorf(svc.CodeUnauthenticated, "cannot read %q", token)
	case "ending":
		return nil, fmt.Errorf("the last eight are %s", token[len(token)-8:])
	case "partly":
		return nil, fmt.Errorf("bad payload: %s", token[len(token)-12:])
	case "failing":
		return nil, errors.New("no route to the key server")
	case "wordy":
		return nil, errors.New("the key server says" + strings.Repeat(" no", 2000))
	case "panicking":
		panic("the token " + token + " makes no sense")
	case "nothing":
		return nil, nil
	case "busy":
		return nil, svc.Errorf(svc.CodeUnavailable, "the database is down").WithHeader("Retry-After", "7")
	case "gone":
		return nil, ctx.Err()
	}
	return nil, svc.Errorf(svc.CodeUnauthenticated, "unknown token")
}

// Verify that a client whose token cannot be checked is told when to come back: when
// verify says, or in a second.
func TestBearerRetryAfter(t *testing.T) {
	guard := svc.Bearer(verifyTest, &svc.BearerOptions{Logger: slog.New(slog.DiscardHandler)})(http.NotFoundHandler())
	for token, want := range map[string]string{"busy": "7", "failing": "1", "panicking": "1", "nothing": "1", "quoting": "", "gone": "1"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+token+".token")
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, r)
		if got := w.Header().Get("Retry-After"); got != want {
			t.Errorf("%s: %d with Retry-After %q, want %q", token, w.Code, got, want)
		}
	}
}

// Verify the answer, the challenge and the log line for each token and header, on
// every transport.
func TestBearer(t *testing.T) {
	const secret = ".c2VjcmV0LXBhcnQtb2YtYS10b2tlbg"
	const meta = `resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"`
	const all = `scope="base", ` + meta
	var log bytes.Buffer
	_, h := newVault(slog.New(slog.DiscardHandler))
	guard := svc.Bearer(verifyTest, &svc.BearerOptions{
		Resource: "https://api.example/mcp", AuthorizationServers: []string{"https://login.example"}, Scopes: []string{"base"},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})(h)
	for _, test := range []struct {
		name      string
		headers   []string
		status    int // 200 is the service's answer
		challenge string
		log       string
	}{
		{"none", nil, 401, "Bearer " + all, `level=WARN msg="svc: unauthenticated" method=POST path=PATH code=UNAUTHENTICATED error="UNAUTHENTICATED: an access token is required"`},
		{"another scheme", []string{"Basic YTpi"}, 401, "Bearer " + all, `error="UNAUTHENTICATED: an access token is required"`},
		{"empty header", []string{""}, 401, "Bearer " + all, `error="UNAUTHENTICATED: an access token is required"`},
		{"two headers", []string{"Bearer good" + secret, "Bearer good" + secret}, 400, `Bearer error="invalid_request", ` + meta, `code=INVALID_ARGUMENT error="INVALID_ARGUMENT: the request has more than one Authorization header"`},
		{"scheme alone", []string{"Bearer"}, 400, `Bearer error="invalid_request", ` + meta, `error="INVALID_ARGUMENT: the access token is empty"`},
		{"scheme and spaces", []string{"Bearer  "}, 400, `Bearer error="invalid_request", ` + meta, `error="INVALID_ARGUMENT: the access token is empty"`},
		{"9 KB", []string{"Bearer good." + strings.Repeat("x", 9<<10)}, 400, `Bearer error="invalid_request", ` + meta, `error="INVALID_ARGUMENT: the access token has more than 8192 bytes"`},
		{"two tokens", []string{"Bearer good" + secret + " good"}, 401, `Bearer error="invalid_token", ` + all, `code=UNAUTHENTICATED error="UNAUTHENTICATED: the access token is not valid: it contains characters that a token cannot have"`},
		{"a quote", []string{`Bearer good"` + secret}, 401, `Bearer error="invalid_token", ` + all, `it contains characters that a token cannot have`},
		{"unknown", []string{"Bearer other" + secret}, 401, `Bearer error="invalid_token", ` + all, `unknown token`},
		{"expired", []string{"Bearer expired" + secret}, 401, `Bearer error="invalid_token", ` + all, `it has expired`},
		{"for another server", []string{"Bearer audience" + secret}, 401, `Bearer error="invalid_token", ` + all, `the token is for another server`},
		{"verify quotes the token", []string{"Bearer quoting" + secret}, 401, `Bearer error="invalid_token", ` + all, `the error of verify is hidden, since it has a part of the credential`},
		{"verify quotes a part of it", []string{"Bearer partly" + secret}, 503, "", `level=ERROR msg="svc: unavailable" method=POST path=PATH code=UNAVAILABLE error="UNAVAILABLE: access tokens cannot be checked at the moment: the error of verify is hidden, since it has a part of the credential"`},
		{"verify quotes the end of it", []string{"Bearer ending" + secret}, 503, "", `the error of verify is hidden, since it has a part of the credential`},
		{"verify fails", []string{"Bearer failing" + secret}, 503, "", `no route to the key server`},
		{"verify fails with many words", []string{"Bearer wordy" + secret}, 503, "", `the key server says no no`},
		{"verify panics", []string{"Bearer panicking" + secret}, 503, "", `panic: the error of verify is hidden, since it has a part of the credential`},
		{"verify returns nothing", []string{"Bearer nothing" + secret}, 503, "", `verify returned neither a Principal nor an error`},
		{"the client is gone", []string{"Bearer gone" + secret}, 499, "", `level=INFO msg="svc: the call was canceled" method=POST path=PATH code=CANCELED`},
		{"without a scope", []string{"Bearer scopeless" + secret}, 403, `Bearer error="insufficient_scope", ` + all, `code=PERMISSION_DENIED error="PERMISSION_DENIED: the access token lacks a scope: base"`},
		{"good", []string{"Bearer good" + secret}, 200, "", ""},
		{"good, in lower case", []string{"bearer good" + secret}, 200, "", ""},
		{"good, with two spaces", []string{"Bearer  good" + secret}, 200, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, target := range []struct{ path, body string }{
				{"/vault/peek", `{"n":1}`},
				{"/vault/watch", `{"n":9}`},
				{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"vault.peek","params":{"n":1}}`},
				{"/rpc", `[{"jsonrpc":"2.0","id":1,"method":"vault.peek","params":{"n":1}}]`},
				{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_peek","arguments":{"n":1}}}`},
				{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
				{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`},
			} {
				log.Reset()
				ctx, cancel := context.WithCancel(context.Background())
				if test.status == 499 {
					cancel()
				}
				r := httptest.NewRequestWithContext(ctx, "POST", target.path, strings.NewReader(target.body))
				r.Header.Set("Content-Type", "application/json")
				r.Header["Authorization"] = test.headers
				if strings.Contains(target.body, "discover") { // of the modern era
					r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
					r.Header.Set("Mcp-Method", "server/discover")
				}
				w := httptest.NewRecorder()
				guard.ServeHTTP(w, r)
				cancel()
				status, name := test.status, test.name+", "+target.path
				if status == 200 && target.path == "/vault/watch" {
					status = 403 // of the service: see TestMethodsCheckCallers
				}
				if w.Code != status {
					t.Errorf("%s: status %d, want %d; %s", name, w.Code, status, w.Body)
				}
				if got := w.Header().Get("WWW-Authenticate"); test.status != 200 && got != test.challenge {
					t.Errorf("%s: WWW-Authenticate: %s\nwant %s", name, got, test.challenge)
				}
				want := strings.ReplaceAll(test.log, "PATH", target.path)
				if lines := strings.Count(log.String(), "\n"); !strings.Contains(log.String(), want) || want == "" && lines > 0 || want != "" && lines != 1 {
					t.Errorf("%s: logged %s\nwant %s", name, &log, want)
				}
				for i := 0; i+8 <= len(secret); i++ {
					if part := secret[i : i+8]; strings.Contains(log.String(), part) || strings.Contains(fmt.Sprint(w.Body, w.Header()), part) {
						t.Errorf("%s: a part of the token is in the log or the answer:\n%s\n%s", name, &log, w.Body)
						break
					}
				}
			}
		})
	}
}

// Verify what becomes of a request whose client leaves while its token is verified: no
// goroutine, no error in the log, and nothing of the token there. net/http ends the
// context of a request without a body at once, and of others only when the body has
// been read, which is after verify.
func TestBearerClientLeaves(t *testing.T) {
	before := len(leaked(time.Second))
	const secret = "c2VjcmV0LXBhcnQtb2YtYS10b2tlbg"
	for _, test := range []struct{ method, path, body, verify, log string }{
		{"GET", "/vault/peek", "", "waits", `level=INFO msg="svc: the call was canceled" method=GET path=/vault/peek code=CANCELED`},
		{"GET", "/vault/peek", "", "fails late", `level=INFO msg="svc: the call was canceled" method=GET path=/vault/peek code=CANCELED`},
		{"GET", "/vault/peek", "", "panics late", `level=INFO msg="svc: the call was canceled" method=GET path=/vault/peek code=CANCELED`},
		{"GET", "/mcp", "", "waits", `level=INFO msg="svc: the call was canceled" method=GET path=/mcp code=CANCELED`},
		{"POST", "/vault/peek", `{"n":1}`, "succeeds late", ""},
		{"POST", "/vault/watch", `{"n":1}`, "succeeds late", ""},
		{"POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"vault.peek","params":{"n":1}}`, "succeeds late", ""},
		{"POST", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"vault.peek","params":{"n":1}}]`, "succeeds late", ""},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_peek","arguments":{"n":1}}}`, "succeeds late", ""},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "succeeds late", ""},
	} {
		t.Run(rowName(test.verify, test.method, test.path, test.body), func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, nil)) // of one request, which is over before it is read
			_, h := newVault(logger)
			verifying, left, done := make(chan bool), make(chan bool), make(chan bool)
			guard := svc.Bearer(func(ctx context.Context, token string) (*svc.Principal, error) {
				close(verifying)
				<-left
				switch test.verify {
				case "waits":
					<-ctx.Done()
					return nil, ctx.Err()
				case "fails late":
					<-ctx.Done()
					return nil, fmt.Errorf("Get https://login.example/?token=%s: %w", token, ctx.Err())
				case "panics late":
					<-ctx.Done()
					panic("no answer for " + token)
				}
				return &svc.Principal{Subject: "ada", Scopes: []string{"vault:read"}}, nil
			}, &svc.BearerOptions{Logger: logger})(h)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(done)
				guard.ServeHTTP(w, r)
			}))
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				<-verifying
				cancel()
			}()
			r, err := http.NewRequestWithContext(ctx, test.method, server.URL+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+secret)
			r.Header.Set("Content-Type", "application/json")
			if res, err := server.Client().Do(r); !errors.Is(err, context.Canceled) {
				t.Errorf("the client did not leave: %v, %v", res, err)
			}
			close(left)
			<-done
			server.Close()
			name := fmt.Sprintf("%s %s, verify %s", test.method, test.path, test.verify)
			got := log.String()
			if !strings.Contains(got, test.log) || strings.Count(got, "\n") > 1 || strings.Contains(got, "level=WARN") || strings.Contains(got, "level=ERROR") || strings.Contains(got, secret[:8]) {
				t.Errorf("%s: logged %s\nwant one line at most, with %s", name, got, test.log)
			}
		})
	}
	if left := leaked(10 * time.Second); len(left) > before {
		t.Errorf("%d goroutines are left:\n%s", len(left)-before, strings.Join(left, "\n\n"))
	}
}

// Verify that the end of a context by its deadline, which is the server's, is not
// taken for that of a client which has left.
func TestBearerDeadline(t *testing.T) {
	var log bytes.Buffer
	guard := svc.Bearer(func(ctx context.Context, _ string) (*svc.Principal, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, &svc.BearerOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})(http.NotFoundHandler())
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", "/", nil)
	r.Header.Set("Authorization", "Bearer x")
	w := httptest.NewRecorder()
	guard.ServeHTTP(w, r)
	if w.Code != 504 || w.Body.String() != `{"error":{"code":"DEADLINE_EXCEEDED","message":"the call took too long"}}` || !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("%d %s, logged %s", w.Code, w.Body, &log)
	}
}

// Verify that a Bearer that is Optional leaves alone who is known without a token.
func TestOptionalBearerKeepsOuterCaller(t *testing.T) {
	h := svc.Bearer(verifyTest, &svc.BearerOptions{Optional: true})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := svc.PrincipalFrom(r.Context())
		fmt.Fprint(w, p.Subject)
	}))
	r := httptest.NewRequest("GET", "/", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: "by key"})))
	if w.Body.String() != "by key" {
		t.Errorf("the caller is %q", w.Body)
	}
}

// Verify what a service asks of its callers, by itself, before it reads an input: on
// each transport, behind an Optional Bearer and without one.
func TestMethodsCheckCallers(t *testing.T) {
	s, h := newVault(slog.New(slog.DiscardHandler))
	optional := svc.Bearer(verifyTest, &svc.BearerOptions{Optional: true, Scopes: []string{"base"}, Logger: slog.New(slog.DiscardHandler)})(h)
	const needRead, needAll = `Bearer scope="base vault:read"`, `Bearer scope="base vault:read vault:take"`
	for _, test := range []struct {
		token, method string
		code          string // "" for success
		challenge     string
	}{
		{"", "open", "", ""},
		{"", "peek", "UNAUTHENTICATED", `Bearer scope="base"`},
		{"", "take", "UNAUTHENTICATED", needAll},
		{"", "watch", "UNAUTHENTICATED", needRead},
		{"good", "open", "", ""},
		{"good", "peek", "", ""},
		{"good", "take", "PERMISSION_DENIED", `Bearer error="insufficient_scope", scope="base vault:read vault:take"`},
		{"good", "watch", "PERMISSION_DENIED", `Bearer error="insufficient_scope", scope="base vault:read"`},
		{"reader", "take", "PERMISSION_DENIED", `Bearer error="insufficient_scope", scope="base vault:read vault:take"`},
		{"reader", "watch", "", ""},
		{"taker", "take", "", ""},
		{"none", "open", "", ""},
		{"none", "peek", "UNAUTHENTICATED", `Bearer realm="api"`}, // nobody has looked
		{"none", "take", "UNAUTHENTICATED", `Bearer scope="vault:read vault:take"`},
		{"none", "watch", "UNAUTHENTICATED", `Bearer scope="vault:read"`},
		{"basic", "peek", "", ""},
		{"basic", "take", "PERMISSION_DENIED", `Basic realm="x", charset="UTF-8"`},
	} {
		t.Run(rowName(test.token, test.method), func(t *testing.T) {
			send := func(path, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest("POST", path, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				front := http.Handler(optional)
				switch test.token {
				case "":
				case "none":
					front = h
				case "basic":
					front = svc.BasicAuth("x", map[string]string{"ada": "l"}, nil)(h)
					r.SetBasicAuth("ada", "l")
				default:
					r.Header.Set("Authorization", "Bearer "+test.token)
				}
				w := httptest.NewRecorder()
				front.ServeHTTP(w, r)
				return w
			}
			input := `{"n":9}` // a wrong input: the caller is checked first
			if test.code == "" {
				input = `{"n":1}`
			}
			status := map[string]int{"": 200, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403}[test.code]
			rpc := `{"jsonrpc":"2.0","id":1,"method":"vault.` + test.method + `","params":` + input + `}`
			mcp := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_` + test.method + `","arguments":` + input + `}}`
			for _, target := range []struct {
				path, body string
				status     int
				challenged bool
				want       string // of an error
			}{
				{"/vault/" + test.method, input, status, true, `{"error":{"code":"` + test.code + `"`},
				{"/rpc", rpc, 200, true, `"data":{"code":"` + test.code + `"}`},
				{"/rpc", "[" + rpc + "]", 200, false, `"data":{"code":"` + test.code + `"}`},
				{"/mcp", mcp, status, true, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"`},
			} {
				w := send(target.path, target.body)
				name := fmt.Sprintf("token %q, %s, %s", test.token, test.method, target.body)
				challenge := test.challenge
				if !target.challenged {
					challenge = ""
				}
				if got := w.Header().Get("WWW-Authenticate"); w.Code != target.status || got != challenge {
					t.Errorf("%s: status %d, WWW-Authenticate: %s\nwant %d, %s\n%s", name, w.Code, got, target.status, challenge, w.Body)
				}
				if failed := strings.Contains(w.Body.String(), `"error":{"code"`); failed != (test.code != "") || failed && !strings.Contains(w.Body.String(), target.want) {
					t.Errorf("%s: %s", name, w.Body)
				}
			}
		})
	}
	// A scope that Bearer, a token and a method have is in a challenge once.
	twice := svc.Bearer(func(context.Context, string) (*svc.Principal, error) {
		return &svc.Principal{Scopes: []string{"vault:read", "x", "x"}}, nil
	}, &svc.BearerOptions{Optional: true, Scopes: []string{"vault:read"}, Logger: slog.New(slog.DiscardHandler)})(h)
	for token, want := range map[string]string{"": `Bearer scope="vault:read vault:take"`, "Bearer t": `Bearer error="insufficient_scope", scope="vault:read x vault:take"`} {
		r := httptest.NewRequest("POST", "/vault/take", strings.NewReader(`{"n":1}`))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {token}}
		w := httptest.NewRecorder()
		if twice.ServeHTTP(w, r); w.Header().Get("WWW-Authenticate") != want {
			t.Errorf("token %q: %d, WWW-Authenticate: %s\nwant %s", token, w.Code, w.Header().Get("WWW-Authenticate"), want)
		}
	}
	for _, test := range []struct {
		p    *svc.Principal
		want string
	}{
		{nil, `UNAUTHENTICATED: authentication required: send a bearer token: no middleware in front of this service sets a Principal; see WithPrincipal`},
		{&svc.Principal{Scopes: []string{"vault:read"}}, `PERMISSION_DENIED: the caller lacks a scope: vault:take`},
		{&svc.Principal{Scopes: []string{"vault:take", "vault:read"}}, `<nil>`},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			ctx := context.Background()
			if test.p != nil {
				ctx = svc.WithPrincipal(ctx, test.p)
			}
			if _, err := s.Call(ctx, "vault", "Take", &VaultIn{1}); fmt.Sprint(err) != test.want {
				t.Errorf("Call by %+v: %v", test.p, err)
			}
		})
	}
	// A scope that a method has twice is once in the message, and in that of the documents.
	s = svc.MustRegister[VaultAPI](vault{}, &svc.Options{Resource: "vault", Defaults: svc.Defaults{Auth: "bearer"}, Methods: map[string]svc.MethodOptions{"Take": {Scopes: []string{"b", "a", "b"}}}})
	const lacks = "PERMISSION_DENIED: the caller lacks a scope: b a"
	_, err := s.Call(svc.WithPrincipal(context.Background(), &svc.Principal{}), "vault", "Take", &VaultIn{1})
	w := httptest.NewRecorder()
	s.OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if fmt.Sprint(err) != lacks || !strings.Contains(w.Body.String(), `"`+lacks+`"`) {
		t.Errorf("%v, want %s; the document: %d %s", err, lacks, w.Code, w.Body)
	}
}

// Verify that a program with middleware of its own in place of Bearer gets the answers
// of a service without Auth, byte for byte and without another allocation, whatever is
// in Authorization.
func TestCallersOfOtherMiddleware(t *testing.T) {
	newHandler := func(auth string) http.Handler {
		s := svc.MustRegister[VaultAPI](vault{}, &svc.Options{
			Resource: "vault", Logger: slog.New(slog.DiscardHandler), Defaults: svc.Defaults{Auth: auth},
			Methods: map[string]svc.MethodOptions{"Open": {HTTP: "POST /vault/open"}, "Watch": {HTTP: "POST /vault/watch"}},
		})
		mux := http.NewServeMux()
		mux.Handle("/rpc", s.RPC())
		mux.Handle("/mcp", s.MCP(nil))
		mux.Handle("/", s.REST())
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "k" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			mux.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: "ada"})))
		})
	}
	plain, private := newHandler(""), newHandler("bearer")
	for _, key := range []string{"k", ""} {
		for _, target := range []struct{ path, body string }{
			{"/vault/open", ``},
			{"/vault/peek", `{"n":1}`},
			{"/vault/peek", `{"n":9}`},
			{"/vault/watch", `{"n":1}`},
			{"/vault/nowhere", `{}`},
			{"/rpc", `{"jsonrpc":"2.0","id":1,"method":"vault.take","params":{"n":1}}`},
			{"/rpc", `[{"jsonrpc":"2.0","id":1,"method":"vault.peek","params":{"n":9}},{"jsonrpc":"2.0","id":2,"method":"vault.open"}]`},
			{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
			{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_peek","arguments":{"n":1}}}`},
			{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_watch","arguments":{"n":9}}}`},
			{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_take","arguments":{"n":1}}}`},
		} {
			for _, authorization := range [][]string{nil, {"Bearer x"}, {"Bearer"}, {"Basic YTpi", "Bearer x"}} {
				send := func(h http.Handler) string {
					r := httptest.NewRequest("POST", target.path, strings.NewReader(target.body))
					r.Header = http.Header{"Content-Type": {"application/json"}, "X-Key": {key}, "Authorization": authorization}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					return fmt.Sprintln(w.Code, w.Header(), w.Body)
				}
				if got, want := send(private), send(plain); got != want {
					t.Errorf("%s, key %q, Authorization %q: %s\nwithout Auth: %s", target.path, key, authorization, got, want)
				}
			}
		}
	}
	for _, load := range []workload{
		{"REST", "POST", "/vault/peek", `{"n":1}`, 200},
		{"MCP", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_peek","arguments":{"n":1}}}`, 200},
	} {
		count := func(h http.Handler) float64 { // the least, since a pool loses some things with -race
			r := newReplay(load)
			r.fresh.Header.Set("X-Key", "k")
			least := testing.AllocsPerRun(1, func() { r.serve(h) })
			for range 50 {
				least = min(least, testing.AllocsPerRun(1, func() { r.serve(h) }))
			}
			return least
		}
		if got, want := count(private), count(plain); got > want {
			t.Errorf("%s: %v allocations with Auth, and %v without", load.name, got, want)
		}
	}
}

// Verify where the metadata document is, and that any page may read it.
func TestBearerMetadata(t *testing.T) {
	for _, test := range []struct {
		resource string
		paths    []string
		url      string
	}{
		{"https://api.example/mcp", []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}, "https://api.example/.well-known/oauth-protected-resource/mcp"},
		{"https://api.example", []string{"/.well-known/oauth-protected-resource"}, "https://api.example/.well-known/oauth-protected-resource"},
		{"https://api.example/", []string{"/.well-known/oauth-protected-resource"}, "https://api.example/.well-known/oauth-protected-resource"},
		{"https://api.example:8443/a/b?c=d", []string{"/.well-known/oauth-protected-resource/a/b?c=d"}, "https://api.example:8443/.well-known/oauth-protected-resource/a/b?c=d"},
	} {
		t.Run(rowName(test.resource, test.url), func(t *testing.T) {
			opts := svc.BearerOptions{Resource: test.resource, AuthorizationServers: []string{"https://login.example"}, Scopes: []string{"a", "b"}, Logger: slog.New(slog.DiscardHandler)}
			h := svc.Bearer(verifyTest, &opts)(http.NotFoundHandler())
			want := `{"resource":"` + test.resource + `","authorization_servers":["https://login.example"],"scopes_supported":["a","b"],"bearer_methods_supported":["header"]}`
			for _, path := range test.paths {
				for _, handler := range []http.Handler{h, opts.Metadata()} {
					w := httptest.NewRecorder()
					handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
					if w.Code != 200 || w.Body.String() != want || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Content-Type") != "application/json" {
						t.Errorf("%s at %s: %d %v %s", test.resource, path, w.Code, w.Header(), w.Body)
					}
					w = httptest.NewRecorder()
					handler.ServeHTTP(w, httptest.NewRequest("OPTIONS", path, nil))
					if w.Code != 204 || w.Header().Get("Access-Control-Allow-Headers") != "*" {
						t.Errorf("%s: OPTIONS: %d %v", path, w.Code, w.Header())
					}
					w = httptest.NewRecorder()
					handler.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
					if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
						t.Errorf("%s: POST: %d %v", path, w.Code, w.Header())
					}
				}
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
			if got := w.Header().Get("WWW-Authenticate"); got != `Bearer scope="a b", resource_metadata="`+test.url+`"` {
				t.Errorf("%s: %s", test.resource, got)
			}
		})
	}
	w := httptest.NewRecorder()
	svc.Bearer(verifyTest, &svc.BearerOptions{Logger: slog.New(slog.DiscardHandler)})(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if got := w.Header().Get("WWW-Authenticate"); got != `Bearer realm="api"` {
		t.Errorf("a challenge without a parameter: %s", got)
	}
}

// Each mistake is named.
func TestBearerMistakes(t *testing.T) {
	caught := func(fn func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		fn()
		return
	}
	for _, test := range []struct {
		opts svc.BearerOptions
		want string
	}{
		{svc.BearerOptions{AuthorizationServers: []string{"https://a.example"}}, "AuthorizationServers is set, so Resource must be"},
		{svc.BearerOptions{Resource: "api.example"}, `Resource is "api.example"`},
		{svc.BearerOptions{Resource: "https://a.example/#x"}, `Resource is "https://a.example/#x"`},
		{svc.BearerOptions{Resource: "https://a.example", AuthorizationServers: []string{"login"}}, `AuthorizationServers has "login"`},
		{svc.BearerOptions{Resource: "https://a.example", AuthorizationServers: []string{"https://login.example?a=b"}}, `AuthorizationServers has "https://login.example?a=b"; write a URL without a query`},
		{svc.BearerOptions{Scopes: []string{"a b", ""}}, `Scopes has "a b"`},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			if got := caught(func() { svc.Bearer(verifyTest, &test.opts) }); !strings.HasPrefix(got, "svc: Bearer:") || !strings.Contains(got, test.want) {
				t.Errorf("%+v: %s", test.opts, got)
			}
		})
	}
	if got := caught(func() { svc.Bearer(nil, nil) }); !strings.Contains(got, "verify must not be nil") {
		t.Error(got)
	}
	if got := caught(func() { svc.BearerOptions{}.Metadata() }); !strings.Contains(got, "Resource and AuthorizationServers must be set") {
		t.Error(got)
	}
	_, err := svc.Register[VaultAPI](vault{}, &svc.Options{Methods: map[string]svc.MethodOptions{"Open": {Public: true}, "Take": {Scopes: []string{"a"}}}})
	if err == nil || strings.Count(err.Error(), `Public and Scopes need Options.Schemes, or Options.Defaults.Auth "bearer"`) != 2 {
		t.Error(err)
	}
	_, err = svc.Register[VaultAPI](vault{}, &svc.Options{Defaults: svc.Defaults{Auth: "bearer"}, Methods: map[string]svc.MethodOptions{"Open": {Public: true, Scopes: []string{"a\"b"}}}})
	if err == nil || !strings.Contains(err.Error(), "is Public and has Scopes") || !strings.Contains(err.Error(), "MethodOptions.Scopes has") {
		t.Error(err)
	}
}

// Verify that a public and a private service join, and that documents and the page say
// of each method what it needs.
func TestCallersDocuments(t *testing.T) {
	s, _ := newVault(nil)
	joined := svc.Join("all", svc.MustRegister[PokeAPI](new(poker), &svc.Options{Resource: "poke"}), s)
	get := func(h http.Handler, method, target, body string) []byte {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/markdown")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.Bytes()
	}
	documents := map[string][]byte{
		"3.0": get(joined.OpenAPI(), "GET", "/", ""),
		"3.1": get(joined.OpenAPI(), "GET", "/?openapi=3.1", ""),
		"3.2": get(joined.OpenAPI(), "GET", "/?openapi=3.2", ""),
		"rpc": get(joined.RPC(), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`),
	}
	const (
		bearer = `[{"bearer":[]}]`
		refer  = `{"$ref":"#/components/responses/ErrorBody"}`
		lacks  = `"PERMISSION_DENIED: the caller lacks a scope: vault:read vault:take"`
		all    = `[{"bearer":["vault:read","vault:take"]}]`
	)
	type row struct{ version, path, want string }
	rows := []row{
		{"3.0", "paths /vault/take post security", bearer}, // which has no scopes for http schemes
		{"3.0", "paths /vault/take post responses 403 description", lacks},
		{"3.0", "paths /vault/watch post responses 403 description", `"PERMISSION_DENIED: the caller lacks a scope: vault:read"`},
		{"3.1", "paths /vault/take post security", all},
		{"3.1", "paths /vault/take post responses 403 description", lacks},
		{"3.2", "paths /vault/take post security", all},
		{"rpc", "result methods 1 name", `"vault.open"`},
		{"rpc", "result methods 1 x-security", `[{},{"bearer":[]}]`},
		{"rpc", "result methods 2 x-security", bearer},
		{"rpc", "result methods 3 x-security", all},
		{"rpc", "result methods 4 x-security", `[{"bearer":["vault:read"]}]`},
	}
	for _, version := range []string{"3.0", "3.1", "3.2"} {
		rows = append(rows,
			row{version, "components securitySchemes bearer", `{"type":"http","scheme":"bearer"}`},
			row{version, "paths /poke/poke post security", "[]"}, // of a service without Auth
			row{version, "paths /poke/poke post responses 401", ""},
			row{version, "paths /vault/open post security", `[{},{"bearer":[]}]`},
			row{version, "paths /vault/open post responses 401", refer},
			row{version, "paths /vault/open post responses 403", ""},
			row{version, "paths /vault/peek post security", bearer},
			row{version, "paths /vault/peek post responses 401", refer},
			row{version, "paths /vault/peek post responses 403", refer},
			row{version, "paths /vault/take post responses 401", refer})
	}
	for _, test := range rows {
		t.Run(rowName(test.version, test.path), func(t *testing.T) {
			var got bytes.Buffer
			if text := oaAt(t, documents[test.version], strings.Fields(test.path)...); text != "" {
				json.Compact(&got, []byte(text))
			}
			if got.String() != test.want {
				t.Errorf("%s: %s is %s\nwant %s", test.version, test.path, &got, test.want)
			}
		})
	}
	var pretty bytes.Buffer // which interop/rpc holds to the meta-schema
	if err := json.Indent(&pretty, documents["rpc"], "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "rpc/discover_callers.txt", append(pretty.Bytes(), '\n'))
	text := string(get(joined.Docs(nil), "GET", "/", ""))
	for _, test := range []struct{ heading, want string }{
		{"Poke", "- public: needs no credentials\n"},
		{"Open", "- public: needs no credentials, and takes bearer\n"},
		{"Peek", "- needs credentials: bearer\n"},
		{"Take", "- needs credentials: bearer, with the scopes vault:read vault:take\n"},
		{"Watch", "- needs credentials: bearer, with the scopes vault:read\n"},
	} {
		t.Run(rowName(test.heading), func(t *testing.T) {
			_, part, _ := strings.Cut(text, "_"+strings.ToLower(test.heading)+"`")
			part, _, _ = strings.Cut(part, "```")
			if !strings.Contains(part, test.want) {
				t.Errorf("Markdown of %s has no %q:\n%s", test.heading, test.want, part)
			}
		})
	}
}

// Verify that Show leaves tools out of the list of a caller.
func TestMCPShow(t *testing.T) {
	s, _ := newVault(slog.New(slog.DiscardHandler))
	h := s.MCP(&svc.MCPOptions{Show: func(ctx context.Context, m svc.Method) bool {
		p, ok := svc.PrincipalFrom(ctx)
		if ok && p.Subject == "panic" {
			panic("oops")
		}
		return ok || m.Name == "open"
	}})
	for _, test := range []struct{ subject, want string }{
		{"", `"vault_open"`},
		{"ada", `"vault_open" "vault_peek" "vault_take" "vault_watch"`},
		{"panic", ""},
	} {
		t.Run(rowName(test.subject), func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			r.Header.Set("Content-Type", "application/json")
			if test.subject != "" {
				r = r.WithContext(svc.WithPrincipal(r.Context(), &svc.Principal{Subject: test.subject}))
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			var answer struct {
				Result struct{ Tools []struct{ Name string } }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range answer.Result.Tools {
				names = append(names, fmt.Sprintf("%q", tool.Name))
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("%q is shown %s; %s", test.subject, got, w.Body)
			}
		})
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `Show and ListScope "public"`) {
			t.Error(text)
		}
	}()
	s.MCP(&svc.MCPOptions{Show: func(context.Context, svc.Method) bool { return true }, ListScope: "public"})
}

// StudyAPI has what MCP serves as tools, resources and prompts.
type StudyAPI interface {
	GetIndex(ctx context.Context) (*VaultOut, error)
	GetNote(ctx context.Context, in *StudyNote) (*VaultOut, error)
	GetPage(ctx context.Context) (*VaultOut, error)
	Draft(ctx context.Context, in *StudyDraft) (*StudyText, error)
}

type StudyNote struct {
	ID string `json:"id" path:"id" enum:"one,two"`
}

type StudyDraft struct {
	Tone string `json:"tone,omitempty" enum:"dry,warm"`
}

type StudyText struct {
	Text string `json:"text"`
}

func (t *StudyText) MCPContent() []svc.MCPContent {
	return []svc.MCPContent{{Type: "text", Text: t.Text}}
}

type study struct{ calls *atomic.Int64 }

func (s study) out(ctx context.Context) *VaultOut {
	s.calls.Add(1)
	return vault{}.out(ctx)
}

func (s study) GetIndex(ctx context.Context) (*VaultOut, error)              { return s.out(ctx), nil }
func (s study) GetNote(ctx context.Context, _ *StudyNote) (*VaultOut, error) { return s.out(ctx), nil }
func (s study) GetPage(ctx context.Context) (*VaultOut, error)               { return s.out(ctx), nil }

func (s study) Draft(ctx context.Context, _ *StudyDraft) (*StudyText, error) {
	return &StudyText{s.out(ctx).By}, nil
}

// newStudy returns the service and options that make resources and a prompt of it.
func newStudy(calls *atomic.Int64) (*svc.Service, *svc.MCPOptions) {
	s := svc.MustRegister[StudyAPI](study{calls}, &svc.Options{
		Resource: "study", Logger: slog.New(slog.DiscardHandler), Defaults: svc.Defaults{Auth: "bearer"},
		Methods: map[string]svc.MethodOptions{
			"GetIndex": {HTTP: "GET /index", Public: true, MCP: &svc.MCPMethod{URI: "study://index"}},
			"GetNote":  {HTTP: "GET /notes/{id}", Scopes: []string{"notes:read"}, MCP: &svc.MCPMethod{URI: "study://notes/{id}"}},
			"GetPage":  {HTTP: "GET /page", MCP: &svc.MCPMethod{URI: "study://page"}},
			"Draft":    {Scopes: []string{"notes:write"}, MCP: &svc.MCPMethod{Prompt: true}},
		},
	})
	return s, &svc.MCPOptions{}
}

// mcpStdioAs returns the answers to the lines of in by a pipe of p, or of nobody.
func mcpStdioAs(t *testing.T, s *svc.Service, p *svc.Principal, in string, opts *svc.MCPOptions) string {
	t.Helper()
	var out bytes.Buffer
	ctx := context.Background()
	if p != nil {
		ctx = svc.WithPrincipal(ctx, p)
	}
	if err := s.MCPStdio(ctx, strings.NewReader(in), &out, opts); err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(out.String())
}

// Verify what callers need to read a resource, to get a prompt and to call a tool, with
// the error and the challenge: in both eras, over HTTP and over standard input
// and output.
func TestCallersOfResources(t *testing.T) {
	var calls atomic.Int64
	s, opts := newStudy(&calls)
	h := s.MCP(opts)
	optional := svc.Bearer(verifyTest, &svc.BearerOptions{Optional: true, Logger: slog.New(slog.DiscardHandler)})(h)
	reader := &svc.Principal{Subject: "bob", Scopes: []string{"notes:read"}}
	const index, note, page = `"uri":"study://index"`, `"uri":"study://notes/one"`, `"uri":"study://page"`
	const badNote, draft, badDraft = `"uri":"study://notes/three"`, `"name":"study_draft"`, `"name":"study_draft","arguments":{"tone":"x"}`
	const tool, badTool = `"name":"study_get_note","arguments":{"id":"one"}`, `"name":"study_get_note"`
	const login, scope = "authentication required: send a bearer token", "the caller lacks a scope: "
	for _, test := range []struct {
		caller    string // none, anonymous, guest or reader
		params    string
		status    int
		challenge string // after "Bearer "
		text      string // of the error
	}{
		{"none", index, 200, "", ""},
		{"none", page, 401, `realm="api"`, login}, // nobody has looked
		{"none", note, 401, `scope="notes:read"`, login},
		{"none", badNote, 401, `scope="notes:read"`, login}, // the caller is checked first
		{"none", draft, 401, `scope="notes:write"`, login},
		{"none", badTool, 401, `scope="notes:read"`, login},
		{"anonymous", index, 200, "", ""},
		{"anonymous", page, 401, `realm="api"`, login},
		{"anonymous", note, 401, `scope="notes:read"`, login},
		{"anonymous", draft, 401, `scope="notes:write"`, login},
		{"guest", index, 200, "", ""},
		{"guest", page, 200, "", ""},
		{"guest", note, 403, `error="insufficient_scope", scope="base notes:read"`, scope + "notes:read"},
		{"guest", badDraft, 403, `error="insufficient_scope", scope="base notes:write"`, scope + "notes:write"},
		{"guest", badTool, 403, `error="insufficient_scope", scope="base notes:read"`, scope + "notes:read"},
		{"reader", note, 200, "", ""},
		{"reader", tool, 200, "", ""},
		{"reader", draft, 403, `error="insufficient_scope", scope="notes:read notes:write"`, scope + "notes:write"}, // of middleware without a challenge
	} {
		t.Run(rowName(test.caller, test.params), func(t *testing.T) {
			method := "resources/read"
			switch {
			case strings.HasPrefix(test.params, tool[:len(badTool)]):
				method = "tools/call"
			case strings.HasPrefix(test.params, draft):
				method = "prompts/get"
			}
			_, name, _ := strings.Cut(strings.TrimSuffix(test.params, `"`), `:"`)
			name, _, _ = strings.Cut(name, `"`)
			message := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + test.params + `}}`
			post := func(body string, modern bool) *httptest.ResponseRecorder {
				r := httptest.NewRequest("POST", "/", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				if modern {
					r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
					r.Header.Set("Mcp-Method", method)
					r.Header.Set("Mcp-Name", name)
				}
				front := http.Handler(optional)
				switch test.caller {
				case "none":
					front = h
				case "guest":
					r.Header.Set("Authorization", "Bearer good")
				case "reader":
					front, r = h, r.WithContext(svc.WithPrincipal(r.Context(), reader))
				}
				w := httptest.NewRecorder()
				front.ServeHTTP(w, r)
				return w
			}
			want := `{"jsonrpc":"2.0","error":{"code":-32600,"message":"` + test.text + `"},"id":1}`
			challenge := ""
			if test.challenge != "" {
				challenge = "Bearer " + test.challenge
			}
			calls.Store(0)
			modern := strings.TrimSuffix(message, "}}") + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
			for _, sent := range []struct {
				body      string
				modern    bool
				status    int
				challenge string
			}{
				{message, false, test.status, challenge},
				{modern, true, test.status, challenge},
			} {
				w := post(sent.body, sent.modern)
				place := fmt.Sprintf("%s, %s", test.caller, sent.body)
				if got := w.Header().Get("WWW-Authenticate"); w.Code != sent.status || got != sent.challenge {
					t.Errorf("%s: status %d, WWW-Authenticate: %s\nwant %d, %s\n%s", place, w.Code, got, sent.status, sent.challenge, w.Body)
				}
				if got := w.Body.String(); (test.text != "") != (got == want) || test.text == "" && !strings.Contains(got, `"result":{`) {
					t.Errorf("%s: %s", place, got)
				}
			}
			if got := calls.Load(); test.text != "" && got > 0 || test.text == "" && got != 2 {
				t.Errorf("%s, %s: the method ran %d times", test.caller, test.params, got)
			}
			var p *svc.Principal
			switch test.caller {
			case "anonymous":
				return // there is no Bearer in front of a pipe
			case "guest":
				p = &svc.Principal{Scopes: []string{"base"}}
			case "reader":
				p = reader
			}
			if got := mcpStdioAs(t, s, p, message, opts); (test.text != "") != (got == want) || test.text == "" && !strings.Contains(got, `"result":{`) {
				t.Errorf("%s, %s over stdio: %s", test.caller, test.params, got)
			}
		})
	}
}

// Verify that Show leaves resources, templates, prompts and tools out of lists, over HTTP
// and stdio, and that it protects nothing: what is hidden is served, or refused for its
// scopes, as it is without Show.
func TestMCPShowHides(t *testing.T) {
	var calls atomic.Int64
	s, opts := newStudy(&calls)
	opts.Show = func(ctx context.Context, m svc.Method) bool {
		p, _ := svc.PrincipalFrom(ctx)
		if p != nil && p.Subject == "panic" {
			panic("oops")
		}
		return p != nil || m.Name == "get_index"
	}
	h := s.MCP(opts)
	all := &svc.Principal{Subject: "ada", Scopes: []string{"notes:read", "notes:write"}}
	send := func(p *svc.Principal, method, params string) string {
		message := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
		r := httptest.NewRequest("POST", "/", strings.NewReader(message))
		r.Header.Set("Content-Type", "application/json")
		if p != nil {
			r = r.WithContext(svc.WithPrincipal(r.Context(), p))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if piped := mcpStdioAs(t, s, p, message, opts); piped != w.Body.String() {
			t.Errorf("%s: over stdio %s\nover HTTP %s", message, piped, w.Body)
		}
		return w.Body.String()
	}
	for _, test := range []struct{ method, params, all, nobody string }{
		{"tools/list", "", `get_index get_note get_page`, `get_index`},
		{"resources/list", "", `get_index get_page`, `get_index`},
		{"resources/templates/list", "", `get_note`, ``},
		{"prompts/list", "", `draft`, ``},
	} {
		t.Run(rowName(test.method, test.params), func(t *testing.T) {
			for _, caller := range []struct {
				p    *svc.Principal
				want string
			}{{all, test.all}, {nil, test.nobody}} {
				var answer struct {
					Result map[string][]struct{ Name string }
				}
				if err := json.Unmarshal([]byte(send(caller.p, test.method, test.params)), &answer); err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, list := range answer.Result {
					for _, o := range list {
						names = append(names, strings.TrimPrefix(o.Name, "study_"))
					}
				}
				if got := strings.Join(names, " "); got != caller.want || len(answer.Result) != 1 {
					t.Errorf("%s of %v: %s", test.method, caller.p, got)
				}
			}
			if got := send(&svc.Principal{Subject: "panic"}, test.method, test.params); got != `{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"},"id":1}` {
				t.Errorf("%s when Show panics: %s", test.method, got)
			}
		})
	}
	opts.Show = nil
	open := s.MCP(opts)
	for _, test := range []struct{ method, params string }{
		{"tools/call", `"name":"study_get_page"`},
		{"resources/read", `"uri":"study://page"`},
		{"resources/read", `"uri":"study://notes/one"`},
		{"prompts/get", `"name":"study_draft"`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"study_draft"},"argument":{"name":"tone","value":""}`},
	} {
		t.Run(rowName(test.method, test.params), func(t *testing.T) {
			hidden := send(nil, test.method, test.params)
			h, open = open, h
			if shown := send(nil, test.method, test.params); hidden != shown {
				t.Errorf("%s: what is hidden gets %s\nand what is shown %s", test.params, hidden, shown)
			}
			h, open = open, h
		})
	}
}

// SafeAPI is of a program that has set Auth and forgotten its guard.
type SafeAPI interface {
	Open(ctx context.Context, in *SafeIn) (*VaultOut, error)
}

// SafeIn notes that somebody has read it.
type SafeIn struct {
	Key safeKey `json:"key"`
}

type safeKey struct{}

var safeKeysRead atomic.Int64

func (*safeKey) UnmarshalText([]byte) error { safeKeysRead.Add(1); return nil }

func (safeKey) MarshalText() ([]byte, error) { return []byte("k"), nil }

func (vaultOf) Open(ctx context.Context, _ *SafeIn) (*VaultOut, error) { return vault{}.out(ctx), nil }

type vaultOf struct{}

// Verify that a service with Auth calls nothing for a caller that nobody knows, on any
// transport, and reads nothing either; that the log says what is missing where nobody
// has looked for the caller; and that WithPrincipal is enough to be let in.
func TestServiceWithoutGuardCallsNothing(t *testing.T) {
	var log bytes.Buffer
	options := &svc.Options{Resource: "safe", Defaults: svc.Defaults{Auth: "bearer"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	s := svc.MustRegister[SafeAPI](vaultOf{}, options)
	post := func(h http.Handler, path, body string) func(context.Context) string {
		return func(ctx context.Context) string {
			r := httptest.NewRequest("POST", path, strings.NewReader(body)).WithContext(ctx)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return fmt.Sprintln(w.Code, w.Body)
		}
	}
	var client struct {
		Open func(context.Context, *SafeIn) (*VaultOut, error)
	}
	if err := svc.Connect[SafeAPI](&client, "", &svc.ClientOptions{Service: options, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"safe.open","params":{"key":"k"}}`
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe_open","arguments":{"key":"k"}}}`
	for _, test := range []struct {
		name    string
		send    func(context.Context) string
		refusal string
	}{
		{"REST", post(s.REST(), "/safe/open", `{"key":"k"}`), `401 {"error":{"code":"UNAUTHENTICATED","message":"authentication required: send a bearer token"}}`},
		{"JSON-RPC", post(s.RPC(), "/", call), `"message":"authentication required: send a bearer token","data":{"code":"UNAUTHENTICATED"}`},
		{"a batch", post(s.RPC(), "/", "["+call+"]"), `"message":"authentication required: send a bearer token","data":{"code":"UNAUTHENTICATED"}`},
		{"MCP", post(s.MCP(nil), "/", tool), `401 {"jsonrpc":"2.0","error":{"code":-32600,"message":"authentication required: send a bearer token"},"id":1}`},
		{"stdio", func(ctx context.Context) string {
			var out bytes.Buffer
			s.MCPStdio(ctx, strings.NewReader(tool), &out, nil)
			return out.String()
		}, `{"code":-32600,"message":"authentication required: send a bearer token"}`},
		{"Call", func(ctx context.Context) string {
			_, err := s.Call(ctx, "safe", "open", nil) // a wrong input, too: the caller is first
			return fmt.Sprint(err)
		}, "UNAUTHENTICATED: authentication required: send a bearer token"},
		{"Connect", func(ctx context.Context) string {
			out, err := client.Open(ctx, new(SafeIn))
			return fmt.Sprint(out, err)
		}, "UNAUTHENTICATED: authentication required: send a bearer token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			const forgotten = "no middleware in front of this service sets a Principal; see WithPrincipal"
			log.Reset()
			safeKeysRead.Store(0)
			got := test.send(context.Background())
			if n := safeKeysRead.Load(); !strings.Contains(got, test.refusal) || n > 0 && test.name != "Connect" { // a client checks what it sends
				t.Errorf("%s: %s; the input was read %d times", test.name, got, n)
			}
			if test.name != "Call" && !strings.Contains(log.String(), forgotten) || strings.Contains(got, forgotten) != (test.name == "Call") {
				t.Errorf("%s: the answer %s and the log %s", test.name, got, log.String())
			}
			log.Reset()
			if got = test.send(svc.WithPrincipal(context.Background(), nil)); !strings.Contains(got, test.refusal) || strings.Contains(got+log.String(), forgotten) {
				t.Errorf("%s, by nobody: %s\n%s", test.name, got, log.String())
			}
			if got = test.send(svc.WithPrincipal(context.Background(), &svc.Principal{Subject: "ada"})); test.name != "Call" && !strings.Contains(got, "ada") {
				t.Errorf("%s, by ada: %s", test.name, got)
			}
		})
	}
}
