package blackbox_test

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file has code of doc/types.md about values, and code of other pages in doc about what stands
// beside a service: cookies, compression, gRPC, logins of assistants.

// A Size is how large a shirt is.
type Size string

const (
	SizeSmall Size = "s" // up to 170 cm
	SizeLarge Size = "l" // from 170 cm
)

// Enum returns the only values.
func (Size) Enum() []Size { return []Size{SizeSmall, SizeLarge} }

// A Shirt is what a shop sells.
type Shirt struct {
	Size  Size      `json:"size" default:"s"`
	Fit   string    `json:"fit,omitempty" enum:"slim,wide"` // the same without a type
	Count int       `json:"count" default:"1" minimum:"1"`
	From  time.Time `json:"from,omitzero"`
}

type ShirtAPI interface {
	Order(ctx context.Context, in *Shirt) (*Shirt, error)
}

type shirts struct{}

func (shirts) Order(_ context.Context, in *Shirt) (*Shirt, error) { return in, nil }

func Example_values() {
	service := svc.MustRegister[ShirtAPI](shirts{}, &svc.Options{Resource: "shirts", Logger: slog.New(slog.DiscardHandler)})
	show(service.REST(), request("POST", "/shirts/order", `{}`))
	show(service.REST(), request("POST", "/shirts/order", `{"size":"l","fit":"wide","from":"2026-07-01T09:00:00+02:00"}`))
	show(service.REST(), request("POST", "/shirts/order", `{"size":"xl"}`))
	// Output:
	// 200 {"size":"s","count":1}
	// 200 {"size":"l","fit":"wide","count":1,"from":"2026-07-01T09:00:00+02:00"}
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /size must be one of s, l","details":{"violations":[{"in":"body","path":"/size","rule":"enum","message":"must be one of s, l"}]}}}
}

// sessions implements LoginAPI.
type sessions struct{}

type LoginAPI interface {
	Create(ctx context.Context, in *Login) (*LoggedIn, error)
}

type Login struct {
	Name string `json:"name" maxLength:"80"`
}

type LoggedIn struct {
	Cookie string `json:"-" header:"Set-Cookie"`
}

func (sessions) Create(ctx context.Context, in *Login) (*LoggedIn, error) {
	session := http.Cookie{Name: "__Host-session", Value: rand.Text(), Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	return &LoggedIn{Cookie: session.String()}, nil
}

func TestRecipeSetCookie(t *testing.T) {
	w := httptest.NewRecorder()
	r := request("POST", "/logins", `{"name":"ada"}`, "Content-Type", "application/json")
	svc.MustRegister[LoginAPI](sessions{}, &svc.Options{Resource: "logins"}).REST().ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	if w.Code != 204 || w.Body.Len() != 0 || len(cookies) != 1 || cookies[0].Name != "__Host-session" || !cookies[0].HttpOnly {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
}

// compress sends JSON as gzip to clients that take it. Events and files pass unchanged.
func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if r.Method == http.MethodHead || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(w, r)
			return
		}
		g := &gzipWriter{ResponseWriter: w}
		next.ServeHTTP(g, r)
		if g.zip != nil {
			g.zip.Close()
		}
	})
}

type gzipWriter struct {
	http.ResponseWriter
	zip *gzip.Writer // nil if the answer is sent as it is
}

func (g *gzipWriter) WriteHeader(status int) {
	h := g.Header()
	if strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		h.Set("Content-Encoding", "gzip")
		h.Del("Content-Length")
		g.zip = gzip.NewWriter(g.ResponseWriter)
	}
	g.ResponseWriter.WriteHeader(status)
}

func (g *gzipWriter) Write(p []byte) (int, error) {
	if g.zip == nil {
		return g.ResponseWriter.Write(p)
	}
	return g.zip.Write(p)
}

// Unwrap lets svc flush events and set deadlines through g.
func (g *gzipWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// Verify that JSON is compressed, and events, files and answers without a body are not.
func TestRecipeCompress(t *testing.T) {
	impl := &notes{list: []Note{{ID: 1, Text: "Buy milk", Color: "pink", version: 1}}, added: make(chan Note, 1)}
	impl.added <- Note{ID: 2}
	h := compress(svc.MustRegister[NoteAPI](impl, noteOptions()).REST())
	for _, test := range []struct {
		method, path, accept string
		status               int
		encoding, want       string
	}{
		{"GET", "/notes/1", "gzip, br", 200, "gzip", `"text":"Buy milk"`},
		{"GET", "/notes/1", "", 200, "", `"text":"Buy milk"`},
		{"GET", "/notes/7", "gzip", 404, "gzip", "there is no note 7"},
		{"HEAD", "/notes/1", "gzip", 200, "", ""},
		{"GET", "/notes/watch", "gzip", 200, "", `"id":2`},
		{"DELETE", "/notes/1", "gzip", 204, "", ""},
	} {
		t.Run(rowName(test.method, test.path, test.accept), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // ends the stream
			defer cancel()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request(test.method, test.path, "", "Accept-Encoding", test.accept).WithContext(ctx))
			var body io.Reader = w.Body
			if test.encoding == "gzip" {
				zip, err := gzip.NewReader(w.Body)
				if err != nil {
					t.Fatal(err)
				}
				body = zip
			}
			text, err := io.ReadAll(body)
			if w.Code != test.status || w.Header().Get("Content-Encoding") != test.encoding || err != nil || !strings.Contains(string(text), test.want) {
				t.Errorf("%d %q %v %q, want %+v", w.Code, w.Header().Get("Content-Encoding"), err, text, test)
			}
		})
	}
}

// besideGRPC passes gRPC on to one handler, such as a *grpc.Server, and all else to the other.
func besideGRPC(grpc, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			grpc.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// newServer takes HTTP/1.1, and HTTP/2 without TLS, which clients of gRPC inside a cluster speak.
func newServer(h http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{Handler: h, Protocols: protocols}
}

// Verify that a client without TLS reaches both, over HTTP/1.1 and over HTTP/2.
func TestRecipeBesideGRPC(t *testing.T) {
	grpc := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "gRPC over ", r.Proto) })
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	server := httptest.NewUnstartedServer(nil)
	server.Config = newServer(besideGRPC(grpc, service.REST()))
	server.Start()
	defer server.Close()

	one, two := new(http.Protocols), new(http.Protocols)
	one.SetHTTP1(true)
	two.SetUnencryptedHTTP2(true)
	for _, test := range []struct {
		protocols   *http.Protocols
		contentType string
		want        string
	}{
		{two, "application/grpc+proto", "gRPC over HTTP/2.0"},
		{two, "application/json", `{"id":1`},
		{one, "application/json", `{"id":2`},
		{one, "application/grpc", "INVALID_ARGUMENT"},
	} {
		t.Run(rowName(test.protocols, test.contentType), func(t *testing.T) {
			transport := &http.Transport{Protocols: test.protocols}
			defer transport.CloseIdleConnections()
			answer, err := (&http.Client{Transport: transport}).Post(server.URL+"/notes", test.contentType, strings.NewReader(`{"text":"Buy milk"}`))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), test.want) {
				t.Errorf("%s %v, want %s", text, err, test.want)
			}
		})
	}
}

func TestRecipeAssistantLogin(t *testing.T) {
	options := noteOptions()
	options.Defaults.Auth = "bearer"
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	mux := http.NewServeMux()
	mux.Handle("/mcp", service.MCP(nil))
	handler := svc.Bearer(verifyToken, &svc.BearerOptions{
		Resource:             "https://notes.example/mcp", // verify must refuse tokens for others
		AuthorizationServers: []string{"https://login.example"},
		ScopesSupported:      service.Scopes(),
		Logger:               options.Logger,
	})(mux)

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, request("POST", "/mcp", "{}"))
	if want := `resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"`; w.Code != 401 || !strings.Contains(w.Header().Get("WWW-Authenticate"), want) {
		t.Errorf("%d %v, want %s", w.Code, w.Header(), want)
	}
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, request("GET", "/.well-known/oauth-protected-resource/mcp", ""))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"authorization_servers":["https://login.example"]`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
