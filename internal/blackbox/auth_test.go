package blackbox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

func authBasic(nameAndPassword string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(nameAndPassword))
}

// authUsers are the users of most tests here.
func authUsers() map[string]string {
	return map[string]string{"ada": "lovelace", "gräfin": "Passwort ü:€", "bob": "", "": "nameless", "Ada": "other"}
}

func TestBasicAuth(t *testing.T) {
	mw := svc.BasicAuth("staff", authUsers(), nil)
	for _, test := range []struct {
		name   string
		header []string
		ok     bool
	}{
		{"right", []string{authBasic("ada:lovelace")}, true},
		{"UTF-8, and a colon in the password", []string{authBasic("gräfin:Passwort ü:€")}, true},
		{"scheme in lower case", []string{"basic " + authBasic("ada:lovelace")[6:]}, true},
		{"scheme in upper case", []string{"BASIC " + authBasic("ada:lovelace")[6:]}, true},
		{"empty name", []string{authBasic(":nameless")}, true},
		{"another name by case", []string{authBasic("Ada:other")}, true},
		{"nothing", nil, false},
		{"empty", []string{""}, false},
		{"wrong password", []string{authBasic("ada:byron")}, false},
		{"password of another", []string{authBasic("ada:other")}, false},
		{"unknown name", []string{authBasic("eve:lovelace")}, false},
		{"password in another case", []string{authBasic("ada:Lovelace")}, false},
		{"password and more", []string{authBasic("ada:lovelacex")}, false},
		{"password and a NUL", []string{authBasic("ada:lovelace\x00")}, false},
		{"password and a newline", []string{authBasic("ada:lovelace\n")}, false},
		{"part of the password", []string{authBasic("ada:lovelac")}, false},
		{"no password", []string{authBasic("ada:")}, false},
		{"no colon", []string{authBasic("ada")}, false},
		{"nothing at all", []string{authBasic(":")}, false},
		{"empty password is none", []string{authBasic("bob:")}, false},
		{"name and password swapped", []string{authBasic("lovelace:ada")}, false},
		{"Latin-1", []string{authBasic("gr\xe4fin:Passwort \xfc:\x80")}, false},
		{"scheme only", []string{"Basic"}, false},
		{"scheme and a space", []string{"Basic "}, false},
		{"two spaces", []string{"Basic  " + authBasic("ada:lovelace")[6:]}, true},
		{"a hundred spaces", []string{"Basic " + strings.Repeat(" ", 99) + authBasic("ada:lovelace")[6:]}, true},
		{"a tab", []string{"Basic \t" + authBasic("ada:lovelace")[6:]}, false},
		{"a space behind it", []string{authBasic("ada:lovelace") + " "}, false},
		{"no space", []string{"Basic" + authBasic("ada:lovelace")[6:]}, false},
		{"another scheme", []string{"Bearer " + authBasic("ada:lovelace")[6:]}, false},
		{"no base64", []string{"Basic ada:lovelace"}, false},
		{"base64 without padding", []string{strings.TrimRight(authBasic("gräfin:Passwort ü:€"), "=")}, false},
		{"base64 and more", []string{authBasic("ada:lovelace") + "x"}, false},
		{"two in one header", []string{authBasic("ada:byron") + ", " + authBasic("ada:lovelace")}, false},
		{"two headers, the first right", []string{authBasic("ada:lovelace"), authBasic("ada:byron")}, false},
		{"two headers, both right", []string{authBasic("ada:lovelace"), authBasic("ada:lovelace")}, false},
		{"10 KB", []string{authBasic("ada:" + strings.Repeat("x", 10<<10))}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "TRACE", "QUERY"} {
				r := httptest.NewRequest(method, "/", nil)
				r.Header["Authorization"] = test.header
				checkAuth(t, test.name+", "+method, guardServe(mw, r), test.ok)
			}
		})
	}
}

func checkAuth(t *testing.T, name string, w *guardWriter, ok bool) {
	t.Helper()
	status, body, challenge := 200, "passed", ""
	if !ok {
		status, challenge = 401, `Basic realm="staff", charset="UTF-8"`
		body = `{"error":{"code":"UNAUTHENTICATED","message":"a valid name and password are required"}}`
	}
	if got := w.Header().Get("WWW-Authenticate"); w.Code != status || w.Body.String() != body || got != challenge {
		t.Errorf("%s: %d, WWW-Authenticate %q, %s; want %d, %q, %s", name, w.Code, got, w.Body, status, challenge, body)
	}
}

// Verify that nobody is let in where there is nobody, as with an environment
// variable that is not set.
func TestBasicAuthWithoutUsers(t *testing.T) {
	for name, users := range map[string]map[string]string{"nil": nil, "empty": {}, "unset": {"": ""}} {
		for _, given := range []string{":", "x:", ":x", "x:x"} {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Authorization", authBasic(given))
			checkAuth(t, name+" "+given, guardServe(svc.BasicAuth("staff", users, nil), r), false)
		}
	}
}

func TestBasicAuthCopiesUsers(t *testing.T) {
	users := authUsers()
	mw := svc.BasicAuth("staff", users, nil)
	users["eve"] = "added"
	delete(users, "ada")
	for given, ok := range map[string]bool{"ada:lovelace": true, "eve:added": false} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", authBasic(given))
		checkAuth(t, given, guardServe(mw, r), ok)
	}
}

func TestBasicAuthRealm(t *testing.T) {
	for _, test := range []struct{ realm, want string }{
		{"", `Basic realm="", charset="UTF-8"`},
		{`a "b" \c`, `Basic realm="a \"b\" \\c", charset="UTF-8"`},
		{"Zürich", `Basic realm="Zürich", charset="UTF-8"`},
	} {
		t.Run(rowName(test.realm), func(t *testing.T) {
			w := guardServe(svc.BasicAuth(test.realm, nil, nil), httptest.NewRequest("GET", "/", nil))
			if got := w.Header().Get("WWW-Authenticate"); got != test.want {
				t.Errorf("realm %q: %s, want %s", test.realm, got, test.want)
			}
		})
	}
}

func TestAuthPanics(t *testing.T) {
	pass := func(next http.Handler) http.Handler { return next }
	for _, test := range []struct {
		f    func()
		want string
	}{
		{func() { svc.BasicAuth("a\nb", nil, nil) }, `svc: BasicAuth: the realm "a\nb" has a control character`},
		{func() { svc.BasicAuth("", map[string]string{"a:b": "c"}, nil) }, `svc: BasicAuth: the name "a:b" has a colon or a control character`},
		{func() { svc.BasicAuth("", map[string]string{"a\x7f": "c"}, nil) }, `svc: BasicAuth: the name "a\x7f" has a colon or a control character`},
		{func() { svc.AllowIPs([]netip.Prefix{netip.MustParsePrefix("::/0"), netip.Prefix{}}, nil) }, "svc: AllowIPs: prefix 2 is not valid"},
		{func() { svc.Under("admin", pass) }, "svc: Under: the prefix admin must be a clean path that starts with a slash"},
		{func() { svc.Under("/a//b", pass) }, "svc: Under: the prefix /a//b must be a clean path that starts with a slash"},
		{func() { svc.Under("/a/../b/", pass) }, "svc: Under: the prefix /a/../b/ must be a clean path that starts with a slash"},
	} {
		t.Run(rowName(test.want), func(t *testing.T) {
			if got := guardPanic(test.f); got != test.want {
				t.Errorf("panic %v, want %s", got, test.want)
			}
		})
	}
}

func TestAllowIPs(t *testing.T) {
	for _, test := range []struct {
		remote   string
		prefixes string
		ok       bool
	}{
		{"192.0.2.1:80", "192.0.2.0/24", true},
		{"192.0.2.1:80", "192.0.2.1/32", true},
		{"192.0.2.1:80", "192.0.2.99/24", true}, // the bits after the prefix do not count
		{"192.0.2.1:80", "198.51.100.0/24 192.0.2.0/31", true},
		{"192.0.2.1:80", "0.0.0.0/0", true},
		{"192.0.3.1:80", "192.0.2.0/24", false},
		{"192.0.2.1:80", "", false},
		{"192.0.2.1:80", "::/0", false}, // every IPv6 address is not every address
		{"[::ffff:192.0.2.1]:80", "192.0.2.0/24", true},
		{"[::ffff:192.0.2.1]:80", "::ffff:192.0.2.0/120", true},
		{"192.0.2.1:80", "::ffff:192.0.2.0/120", true},
		{"192.0.2.1:80", "::ffff:0:0/96", true},
		{"[::ffff:192.0.2.1]:80", "198.51.100.0/24", false},
		{"[::ffff:192.0.2.1]:80", "::/0", false},
		{"[2001:db8::1]:80", "2001:db8::/32", true},
		{"[2001:db9::1]:80", "2001:db8::/32", false},
		{"[2001:db8::1]:80", "0.0.0.0/0", false},
		{"[2001:db8::1]:80", "2001:db8::1/128", true},
		{"[2001:db8::1]:80", "2001:db8::2/128 2001:db9::/96", false}, // only the last bits of mapped prefixes are those of IPv4
		{"[2001:db8::1]:80", "::ffff:0:0/90", false},
		{"[::ffc0:0:1]:80", "::ffff:0:0/90", true},
		{"192.0.2.1:80", "::ffff:0:0/90", false}, // as ::/0
		{"[fe80::1%eth0]:80", "fe80::/10", true},
		{"[::1]:80", "127.0.0.0/8 ::1/128", true},
		{"[::]:80", "0.0.0.0/0", false},
		{"192.0.2.1", "0.0.0.0/0 ::/0", false}, // nothing that net/http sets
		{"@", "0.0.0.0/0 ::/0", false},         // a Unix socket
		{"", "0.0.0.0/0 ::/0", false},
		{"localhost:80", "0.0.0.0/0 ::/0", false},
		{"192.0.2.1:http", "0.0.0.0/0", false},
		{"192.0.2.256:80", "0.0.0.0/0", false},
	} {
		t.Run(rowName(test.remote, test.prefixes), func(t *testing.T) {
			var prefixes []netip.Prefix
			for p := range strings.FieldsSeq(test.prefixes) {
				prefixes = append(prefixes, netip.MustParsePrefix(p))
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = test.remote
			// Nobody's word but the connection's counts.
			for _, name := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP"} {
				r.Header.Set(name, "192.0.2.1")
			}
			status, body := 200, "passed"
			if !test.ok {
				status, body = 403, `{"error":{"code":"PERMISSION_DENIED","message":"requests from this address are not allowed"}}`
			}
			if w := guardServe(svc.AllowIPs(prefixes, nil), r); w.Code != status || w.Body.String() != body {
				t.Errorf("%q in %q: %d %s, want %d %s", test.remote, test.prefixes, w.Code, w.Body, status, body)
			}
		})
	}
}

// Verify that a refusal reaches the handler that was given for it.
func TestAuthOnError(t *testing.T) {
	onError := func(w http.ResponseWriter, r *http.Request, err error) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, svc.CodeOf(err), " ", w.Header().Get("WWW-Authenticate"))
	}
	for want, mw := range map[string]func(http.Handler) http.Handler{
		`UNAUTHENTICATED Basic realm="a", charset="UTF-8"`: svc.BasicAuth("a", nil, &svc.ErrorOptions{OnError: onError}),
		"PERMISSION_DENIED ": svc.AllowIPs(nil, &svc.ErrorOptions{OnError: onError}),
	} {
		w := guardServe(mw, httptest.NewRequest("GET", "/", nil))
		if w.Code != http.StatusTeapot || w.Body.String() != want {
			t.Errorf("%d %s, want 418 %s", w.Code, w.Body, want)
		}
	}
}

func TestUnder(t *testing.T) {
	for _, test := range []struct {
		prefix, path string
		want         bool
	}{
		{"/admin", "/admin", true},
		{"/admin", "/admin/", true},
		{"/admin", "/admin/users", true},
		{"/admin/", "/admin", true},
		{"/admin//", "/admin/x", true},
		{"/admin", "/administrator", false},
		{"/admin", "/admin.html", false},
		{"/admin", "/", false},
		{"/admin", "/x/admin", false},
		{"/admin", "/Admin", false},
		{"/admin", "//admin", true},
		{"/admin", "/./admin/x", true},
		{"/admin", "/x/../admin", true},
		{"/admin", "/x/../../admin/y", true},
		{"/admin", "admin", true}, // a handler may add the slash
		{"/admin", "/admin/../x", true},
		{"/admin", "/admin/..", true},
		{"/admin", "*", false},
		{"/admin", "", false},
		{"/a/b", "/a/b/c", true},
		{"/a/b", "/a//b/c", true},
		{"/a/b", "/a", false},
		{"", "/", true},
		{"", "*", true},
		{"", "", true},
		{"/", "/x", true},
		{"//", "/x", true},
	} {
		t.Run(rowName(test.prefix, test.path), func(t *testing.T) {
			covered := false
			mw := svc.Under(test.prefix, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					covered = true
					next.ServeHTTP(w, r)
				})
			})
			r := httptest.NewRequest("GET", "/", nil)
			r.URL.Path = test.path
			if w := guardServe(mw, r); covered != test.want || w.Body.String() != "passed" {
				t.Errorf("Under(%q) on %q: covered %t, want %t; body %q", test.prefix, test.path, covered, test.want, w.Body)
			}
		})
	}
}

// Verify over a socket that a guard under a prefix cannot be walked around to
// a handler that cleans paths, such as a file server.
func TestUnderGuardsFileServer(t *testing.T) {
	dir := t.TempDir()
	writeAuthFile(t, dir+"/private/secret", "secret")
	writeAuthFile(t, dir+"/open", "open")
	server := httptest.NewServer(svc.Under("/private", svc.BasicAuth("", nil, nil))(http.FileServer(http.Dir(dir))))
	defer server.Close()
	for _, test := range []struct {
		path string
		want int
	}{
		{"/open", 200},
		{"/private/secret", 401},
		{"//private/secret", 401},
		{"/./private/secret", 401},
		{"/%70rivate/secret", 401},
		{"/%2fprivate/secret", 401},
		{"/x/%2e%2e/private/secret", 401},
		{"/x/..%2fprivate/secret", 401},
	} {
		t.Run(rowName(test.path), func(t *testing.T) {
			status, body := rawGet(t, server.Listener.Addr().String(), test.path)
			if status != test.want || strings.Contains(body, "secret\n") {
				t.Errorf("GET %s: %d, want %d", test.path, status, test.want)
			}
		})
	}
}

func writeAuthFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A guardWriter is a response writer of a connection that has deadlines.
type guardWriter struct {
	*httptest.ResponseRecorder
	readDeadlines, writeDeadlines []time.Time
}

func newGuardWriter() *guardWriter { return &guardWriter{ResponseRecorder: httptest.NewRecorder()} }

func (w *guardWriter) SetReadDeadline(t time.Time) error {
	w.readDeadlines = append(w.readDeadlines, t)
	return nil
}

func (w *guardWriter) SetWriteDeadline(t time.Time) error {
	w.writeDeadlines = append(w.writeDeadlines, t)
	return nil
}

// guardServe runs the request through middleware in front of a handler that
// answers 200 "passed".
func guardServe(mw func(http.Handler) http.Handler, r *http.Request) *guardWriter {
	w := newGuardWriter()
	mw(guardPassed()).ServeHTTP(w, r)
	return w
}

func guardPassed() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "passed") })
}

func guardContext(r *http.Request, s *http.Server) context.Context {
	return context.WithValue(r.Context(), http.ServerContextKey, s)
}

// guardPanic returns what f panics with, or nil.
func guardPanic(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// Verify that a body that middleware answers unread is given a time limit, and the
// connection its end; and that a server's own limit is not made longer.
func TestMiddlewareLeavesBody(t *testing.T) {
	timed := &http.Server{ReadTimeout: time.Second}
	for _, test := range []struct {
		name      string
		body      io.Reader
		major     int
		server    *http.Server
		deadlines int
		close     string
	}{
		{"no body", nil, 1, &http.Server{}, 0, ""},
		{"http.NoBody", http.NoBody, 1, &http.Server{}, 0, ""},
		{"a body", strings.NewReader("x"), 1, &http.Server{}, 1, "close"},
		{"a body of unknown length", io.MultiReader(strings.NewReader("x")), 1, &http.Server{}, 1, "close"},
		{"a body, no server", strings.NewReader("x"), 1, nil, 1, "close"},
		{"a body, with ReadTimeout", strings.NewReader("x"), 1, timed, 0, "close"},
		{"a body of HTTP/2", strings.NewReader("x"), 2, &http.Server{}, 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("OPTIONS", "/.well-known/oauth-protected-resource", test.body)
			r.ProtoMajor = test.major
			r.Header.Set("Origin", "https://a.example")
			r.Header.Set("Access-Control-Request-Method", "PUT")
			if test.server != nil {
				r = r.WithContext(guardContext(r, test.server))
			}
			for name, mw := range map[string]func(http.Handler) http.Handler{
				"BasicAuth": svc.BasicAuth("", nil, nil),
				"AllowIPs":  svc.AllowIPs(nil, nil),
				"Version":   svc.Version(&svc.VersionOptions{Supported: []string{"1"}}),
				"CORS":      svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://a.example"}}),
				"Bearer":    svc.Bearer(verifyTest, &svc.BearerOptions{Resource: "https://r.example", AuthorizationServers: []string{"https://l.example"}}),
			} {
				w := guardServe(mw, r)
				if got := w.Header().Get("Connection"); len(w.readDeadlines) != test.deadlines || got != test.close || w.Code == 200 {
					t.Errorf("%s, %s: %d deadlines, Connection %q, status %d; want %d, %q, an answer of its own", name, test.name, len(w.readDeadlines), got, w.Code, test.deadlines, test.close)
				}
			}
		})
	}
}

// Verify ErrorOptions: OnError writes the response, the line about its panic goes to Logger,
// and a later change of the options has no effect. Only Handle and Recover log the error.
func TestErrorOptions(t *testing.T) {
	var log bytes.Buffer
	opts := &svc.ErrorOptions{}
	fail := func(http.ResponseWriter, *http.Request) error { return svc.Errorf(svc.CodeNotFound, "no") }
	crash := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("crash") })
	for _, test := range []struct {
		name   string
		serve  func() http.Handler
		status int
		logged string // about the error itself
	}{
		{"Handle", func() http.Handler { return svc.Handle(fail, opts) }, 404, "code=NOT_FOUND"},
		{"Recover", func() http.Handler { return svc.Recover(opts)(crash) }, 500, `error="panic: crash"`},
		{"BasicAuth", func() http.Handler { return svc.BasicAuth("a", nil, opts)(guardPassed()) }, 401, ""},
		{"AllowIPs", func() http.Handler { return svc.AllowIPs(nil, opts)(guardPassed()) }, 403, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			own := func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(499) }
			*opts = svc.ErrorOptions{OnError: own, Logger: slog.New(slog.NewTextHandler(&log, nil))}
			h := test.serve()
			*opts = svc.ErrorOptions{OnError: func(http.ResponseWriter, *http.Request, error) { panic("broken") }, Logger: opts.Logger}
			broken := test.serve()
			*opts = svc.ErrorOptions{}

			log.Reset()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if got := log.String(); w.Code != 499 || !strings.Contains(got, test.logged) || test.logged == "" && got != "" {
				t.Errorf("%d, want 499; logged %q, want %q", w.Code, got, test.logged)
			}
			log.Reset()
			w = httptest.NewRecorder()
			broken.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if got := log.String(); w.Code != test.status || !strings.Contains(got, `error="the ErrorWriter: panic: broken"`) {
				t.Errorf("OnError panics: %d, want %d; logged %q", w.Code, test.status, got)
			}
		})
	}
}

// Verify that nil options stand for the zero value.
func TestNilOptions(t *testing.T) {
	zero := map[string][2]func(http.Handler) http.Handler{
		"Bearer":  {svc.Bearer(verifyTest, nil), svc.Bearer(verifyTest, &svc.BearerOptions{})},
		"APIKey":  {svc.APIKey("X-Api-Key", verifyTest, nil), svc.APIKey("X-Api-Key", verifyTest, &svc.APIKeyOptions{})},
		"CORS":    {svc.CORS(nil), svc.CORS(&svc.CORSOptions{})},
		"Version": {svc.Version(nil), svc.Version(&svc.VersionOptions{})},
	}
	for name, mws := range zero {
		t.Run(name, func(t *testing.T) {
			var got [2]string
			for i, mw := range mws {
				w := guardServe(mw, httptest.NewRequest("GET", "/v1/x", nil))
				got[i] = fmt.Sprint(w.Code, w.Header(), w.Body)
			}
			if got[0] != got[1] {
				t.Errorf("nil: %s\nthe zero value: %s", got[0], got[1])
			}
		})
	}
}

// Verify over a socket that a client that sends no more than the header of a
// request with a body gets its refusal all the same.
func TestRefuseAnswersStalledClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(svc.BasicAuth("", nil, nil)(guardPassed()))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || !resp.Close {
		t.Errorf("%s, Connection: close is %t; want 401, true", resp.Status, resp.Close)
	}
}

// rawGet sends a GET request for target, which no client cleans or checks, and
// returns status and body.
func rawGet(t *testing.T, addr, target string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", target, addr)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("GET %s: %v", target, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", target, err)
	}
	return resp.StatusCode, string(body)
}

type loginAPI interface {
	Create(ctx context.Context, in *loginIn) error
	Get(ctx context.Context) error
}

type loginIn struct {
	Password string `json:"password"`
}

type logins struct{}

func (logins) Create(_ context.Context, in *loginIn) error {
	e := svc.Errorf(svc.CodeUnauthenticated, "the password is wrong")
	if in.Password == "own" {
		return e.WithHeader("WWW-Authenticate", "Own")
	}
	return e
}

func (logins) Get(context.Context) error { return nil }

// Verify that a 401 of a method has a challenge where the service says which: of its guard, or else
// of its schemes, unless the error has one of its own (RFC 9110, section 15.5.2).
func TestOwnUnauthenticated(t *testing.T) {
	options := func(schemes ...svc.Scheme) *svc.Options {
		return &svc.Options{Resource: "logins", Schemes: schemes, Logger: slog.New(slog.DiscardHandler),
			Methods: map[string]svc.MethodOptions{"Create": {Public: len(schemes) > 0}, "Get": {HTTP: "GET /logins"}}}
	}
	rest := func(schemes ...svc.Scheme) http.Handler {
		return svc.MustRegister[loginAPI](logins{}, options(schemes...)).REST()
	}
	guard := svc.BasicAuth("files", map[string]string{"ada": "secret"}, nil)
	for _, test := range []struct {
		name, password, want string
		handler              http.Handler
	}{
		{"a scheme", "bad", `Bearer realm="api"`, rest(svc.Scheme{Type: "bearer"})},
		{"no scheme", "bad", "", rest()},
		{"its own", "own", "Own", rest(svc.Scheme{Type: "bearer"})},
		{"a guard", "bad", `Basic realm="files", charset="UTF-8"`, guard(rest())},
	} {
		t.Run(rowName(test.name), func(t *testing.T) {
			r := httptest.NewRequest("POST", "/logins", strings.NewReader(`{"password":"`+test.password+`"}`))
			r.Header.Set("Content-Type", "application/json")
			r.SetBasicAuth("ada", "secret")
			w := httptest.NewRecorder()
			test.handler.ServeHTTP(w, r)
			if got := strings.Join(w.Header().Values("WWW-Authenticate"), "; "); w.Code != 401 || got != test.want {
				t.Errorf("%d, WWW-Authenticate: %q, want 401 and %q", w.Code, got, test.want)
			}
		})
	}
}
