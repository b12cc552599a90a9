package blackbox_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/svc"
)

// This file has the programs and the tests of doc/recipes.md. Their service is the notes of
// recipes_test.go.

func TestNotFound(t *testing.T) {
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())

	// Call a method with the checks, the interceptor and the errors of the service.
	_, err := service.Call(t.Context(), "notes", "get", &NoteID{ID: 7})
	var e *svc.Error
	if !errors.As(err, &e) || e.Code != svc.CodeNotFound {
		t.Fatalf("Get: %v, want NOT_FOUND", err)
	}
	if svc.CodeOf(err) != svc.CodeNotFound { // the same, in one word
		t.Fatal(svc.CodeOf(err))
	}

	// Call a route as any handler of net/http.
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, httptest.NewRequest("GET", "/notes/7", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "there is no note 7") {
		t.Fatalf("GET /notes/7: %d %s", w.Code, w.Body)
	}
}

// serve serves h until ctx ends. Then it lets the requests in progress finish, and cancels those
// that take longer than wait.
func serve(ctx context.Context, l net.Listener, h http.Handler, wait time.Duration) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second, // of the request line and the headers
		WriteTimeout:      time.Minute,     // of a response; svc extends it for streams and files
		IdleTimeout:       2 * time.Minute, // of a connection between two requests
		ReadTimeout:       0,               // Options.BodyTimeout bounds a body
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done: // it does not serve at all
		return err
	case <-ctx.Done():
	}
	defer time.AfterFunc(wait, cancel).Stop()
	rest, stop := context.WithTimeout(context.Background(), wait+5*time.Second)
	defer stop()
	return server.Shutdown(rest)
}

func TestRecipeServe(t *testing.T) {
	for _, test := range []struct {
		name string
		wait time.Duration
		want string
	}{{"a request ends", time.Minute, "whole"}, {"a request is canceled", time.Millisecond, "canceled"}} {
		t.Run(test.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					stop()
					if test.want == "canceled" {
						<-r.Context().Done()
					}
					fmt.Fprint(w, test.want)
				}), test.wait)
			}()
			response, err := http.Get("http://" + l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text := textOf(response); text != test.want {
				t.Errorf("the request in progress got %q", text)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

type requestIDKey struct{}

// withRequestID gives each request an ID, in its context and its response.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// A requestIDHandler adds the ID of the request to each line of the log.
type requestIDHandler struct{ slog.Handler }

func (h requestIDHandler) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func TestRecipeRequestID(t *testing.T) {
	var log bytes.Buffer
	options := noteOptions()
	options.Logger = slog.New(requestIDHandler{slog.NewTextHandler(&log, nil)})
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	w := httptest.NewRecorder()
	withRequestID(service.REST()).ServeHTTP(w, request("GET", "/notes/7", ""))
	if id := w.Header().Get("X-Request-Id"); id == "" || !strings.Contains(log.String(), "request_id="+id) {
		t.Errorf("the ID is %q, the log %s", id, &log)
	}
}

// accessLog writes a line for each request. A trace or a metric fits in the same place.
func accessLog(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin, status := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(status, r)
		log.InfoContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path, "status", status.status, "took", time.Since(begin))
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets svc flush events and set deadlines through w.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestRecipeAccessLog(t *testing.T) {
	var text bytes.Buffer
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	accessLog(service.REST(), slog.New(slog.NewTextHandler(&text, nil))).ServeHTTP(httptest.NewRecorder(), request("GET", "/notes/7", ""))
	if !strings.Contains(text.String(), "path=/notes/7 status=404 took=") {
		t.Error(text.String())
	}
}

// A Tx is a transaction, such as *sql.Tx.
type Tx interface {
	Commit() error
	Rollback() error
}

type openTx struct{}

// inTransaction runs each method that writes in a transaction, which the method finds in its
// context. An error or a panic rolls it back.
func inTransaction(begin func(context.Context) (Tx, error)) func(svc.InvokeFunc) svc.InvokeFunc {
	return func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			if method == "get" || method == "list" || method == "watch" {
				return next(ctx, resource, method, input)
			}
			tx, err := begin(ctx)
			if err != nil {
				return nil, err
			}
			defer tx.Rollback() // does nothing after Commit
			out, err := next(context.WithValue(ctx, openTx{}, tx), resource, method, input)
			if err != nil {
				return nil, err
			}
			return out, tx.Commit()
		}
	}
}

type countingTx struct{ committed, undone int }

func (c *countingTx) Commit() error   { c.committed++; return nil }
func (c *countingTx) Rollback() error { c.undone++; return nil }

func TestRecipeTransaction(t *testing.T) {
	tx, options := new(countingTx), noteOptions()
	options.Intercept = inTransaction(func(context.Context) (Tx, error) { return tx, nil })
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	for _, input := range []struct {
		method string
		in     any
	}{{"create", &CreateNote{Text: "Buy milk", Color: "pink"}}, {"get", &NoteID{1}}, {"delete", &NoteID{9}}} {
		service.Call(t.Context(), "notes", input.method, input.in)
	}
	if tx.committed != 1 || tx.undone != 2 {
		t.Errorf("%+v", tx)
	}
}

// Claims are what a library for JWT returns for a token whose signature, issuer, audience
// and times it has checked.
type Claims struct {
	Subject string
	Scope   string
	Expires time.Time
}

// verifyJWT returns the function that svc.Bearer calls with each token.
func verifyJWT(parse func(ctx context.Context, token string) (*Claims, error)) func(context.Context, string) (*svc.Principal, error) {
	return func(ctx context.Context, token string) (*svc.Principal, error) {
		claims, err := parse(ctx, token)
		var network net.Error
		switch {
		case errors.As(err, &network), err != nil && strings.Contains(err.Error(), "fetching keys"): // go-oidc has its cause as text
			return nil, err // 503: a provider that is away logs nobody out
		case err != nil:
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is not valid: %w", err)
		}
		return &svc.Principal{Subject: claims.Subject, Scopes: strings.Fields(claims.Scope), Expires: claims.Expires}, nil
	}
}

func TestRecipeJWT(t *testing.T) {
	verify := verifyJWT(func(_ context.Context, token string) (*Claims, error) {
		switch token {
		case "good":
			return &Claims{Subject: "ada", Scope: "notes:read notes:write"}, nil
		case "refused":
			return nil, fmt.Errorf("get keys: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
		case "text":
			return nil, errors.New("failed to verify signature: fetching keys oidc: get keys failed")
		}
		return nil, errors.New("bad signature")
	})
	options := noteOptions()
	options.Defaults.Auth = "bearer"
	h := svc.Bearer(verify, &svc.BearerOptions{Logger: slog.New(slog.DiscardHandler)})(svc.MustRegister[NoteAPI](&notes{}, options).REST())
	for token, want := range map[string]int{"good": 201, "bad": 401, "refused": 503, "text": 503} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("POST", "/notes", `{"text":"a"}`, "Authorization", "Bearer "+token, "Content-Type", "application/json"))
		if w.Code != want {
			t.Errorf("%s: %d %s", token, w.Code, w.Body)
		}
	}
}

// A rateLimit lets each caller make so many calls in a minute.
type rateLimit struct {
	most  int
	mu    sync.Mutex
	since time.Time
	calls map[string]int // in the minute since then
}

func (l *rateLimit) intercept(next svc.InvokeFunc) svc.InvokeFunc {
	return func(ctx context.Context, resource, method string, input any) (any, error) {
		if caller, ok := svc.PrincipalFrom(ctx); ok && !l.take(caller.Subject) {
			return nil, svc.Errorf(svc.CodeResourceExhausted, "at most %d calls a minute", l.most).WithHeader("Retry-After", "60")
		}
		return next(ctx, resource, method, input)
	}
}

func (l *rateLimit) take(caller string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) > time.Minute {
		l.since, l.calls = now, make(map[string]int)
	}
	l.calls[caller]++
	return l.calls[caller] <= l.most
}

func TestRecipeRateLimit(t *testing.T) {
	options := noteOptions()
	options.Intercept = (&rateLimit{most: 1}).intercept
	h := svc.Bearer(verifyToken, nil)(svc.MustRegister[NoteAPI](&notes{}, options).REST())
	for _, want := range []int{200, 429} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("GET", "/notes", "", "Authorization", "Bearer secret"))
		if w.Code != want || want == 429 && w.Header().Get("Retry-After") != "60" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
	}
}

func Example_pathPrefix() {
	notes := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	mux := http.NewServeMux()
	mux.Handle("/api/", notes.At("/api").REST()) // not notes.REST(), whose routes begin with /notes
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	show(mux, request("GET", "/api/notes", ""))
	show(mux, request("GET", "/healthz", ""))
	// Output:
	// 200 {"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}
	// 200 ok
}

// A ConnectError is an error as clients of the Connect protocol read it.
type ConnectError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func TestRecipeConnect(t *testing.T) {
	options := noteOptions()
	options.ErrorForm = svc.NewErrorForm(func(e *svc.Error) *ConnectError {
		return &ConnectError{Code: strings.ToLower(string(e.Code)), Message: e.Message}
	}, nil)
	options.Methods["Create"] = svc.MethodOptions{HTTP: "POST /notes.v1.NoteService/Create"}
	options.Methods["Get"] = svc.MethodOptions{HTTP: "POST /notes.v1.NoteService/Get"}
	h := svc.MustRegister[NoteAPI](&notes{}, options).REST()
	for _, test := range []struct{ method, body, want string }{
		{"Create", `{"text":"Buy milk"}`, `"text":"Buy milk"`},
		{"Get", `{"id":1}`, `"id":1`},
		{"Get", `{"id":7}`, `{"code":"not_found","message":"there is no note 7"}`},
		{"Create", `{}`, `{"code":"invalid_argument","message":"invalid input: /text is required"}`},
	} {
		t.Run(test.method+test.body, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/notes.v1.NoteService/"+test.method, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Connect-Protocol-Version", "1")
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%d %s, want %s", w.Code, w.Body, test.want)
			}
		})
	}
}

// Notes that everybody can read and write.
type Notes interface {
	// Add a note.
	Create(ctx context.Context, in *NewNote) (*StoredNote, error)
}

type NewNote struct {
	Text string `json:"text" minLength:"1" maxLength:"80"`
}

type StoredNote struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// noteStore implements Notes.
type noteStore struct {
	mu   sync.Mutex
	list []StoredNote
}

func (s *noteStore) Create(ctx context.Context, in *NewNote) (*StoredNote, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note := StoredNote{ID: len(s.list) + 1, Text: in.Text}
	s.list = append(s.list, note)
	return &note, nil
}

func Example_write() {
	service := svc.MustRegister[Notes](&noteStore{}, &svc.Options{Logger: slog.New(slog.DiscardHandler)}) // its name is that of the interface
	show(service.REST(), request("POST", "/notes", `{"text":"Buy milk"}`))
	show(service.REST(), request("POST", "/notes", `{"text":""}`))
	// Output:
	// 200 {"id":1,"text":"Buy milk"}
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /text must have at least 1 character","details":{"violations":[{"in":"body","path":"/text","rule":"minLength","message":"must have at least 1 character","limit":1,"empty":true}]}}}
}

// A quietHandler drops the lines about answers of 4xx.
type quietHandler struct{ slog.Handler }

func (h quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level != slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func Example_quietLog() {
	var log bytes.Buffer
	options := noteOptions()
	options.Logger = slog.New(quietHandler{slog.NewTextHandler(&log, nil)})
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	show(service.REST(), request("POST", "/notes", `{"text":""}`))
	fmt.Print(log.Len(), " bytes of a log")
	// Output:
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /text must have at least 1 character","details":{"violations":[{"in":"body","path":"/text","rule":"minLength","message":"must have at least 1 character","limit":1,"empty":true}]}}}
	// 0 bytes of a log
}
