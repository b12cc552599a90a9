package blackbox_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.com/svc"
)

// This file has the recipes of the pages in doc, so that each of them is compiled and run,
// and some more. They go on with the notes of the first program in README.md.

type NoteAPI interface {
	Create(ctx context.Context, in *CreateNote) (*SavedNote, error)
	Get(ctx context.Context, in *NoteID) (*SavedNote, error)
	List(ctx context.Context, in *ListNotes) (*svc.PageResponse[Note], error)
	Patch(ctx context.Context, in *PatchNote) (*SavedNote, error)
	Delete(ctx context.Context, in *NoteID) error
	Watch(ctx context.Context) (svc.Stream[Note], error)
}

type Note struct {
	ID    int    `json:"id"`
	Text  string `json:"text"`
	Color Color  `json:"color"`
	By    string `json:"by,omitempty"`

	version int // grows with each change
}

type CreateNote struct {
	Text  string `json:"text" minLength:"1" maxLength:"80"`
	Color Color  `json:"color" default:"yellow"`
}

type NoteID struct {
	ID int `json:"id"`
}

type ListNotes struct{ svc.PageQuery }

type SavedNote struct {
	Note            // the members of the body
	Location string `json:"-" header:"Location"`
	ETag     string `json:"-" header:"ETag"`
}

type PatchNote struct {
	ID      int                  `json:"id"` // from the path, since the route has {id}
	Text    svc.Optional[string] `json:"text,omitzero" minLength:"1" maxLength:"80"`
	Color   svc.Optional[Color]  `json:"color,omitzero"`
	IfMatch string               `json:"-" header:"If-Match,omitempty"`
}

// A Color is one of three.
type Color string

func (Color) Enum() []Color { return []Color{"yellow", "pink", "blue"} }

// An Amount is written as "12.50 EUR".
type Amount struct {
	Cents    int64
	Currency string
}

func (a Amount) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d %s", a.Cents/100, a.Cents%100, a.Currency), nil
}

func (a *Amount) UnmarshalText(text []byte) error {
	var units int64
	_, err := fmt.Sscanf(string(text), "%d.%02d %3s", &units, &a.Cents, &a.Currency)
	a.Cents += units * 100
	return err
}

func (Amount) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^[0-9]{1,9}\.[0-9]{2} [A-Z]{3}$`, "examples": []any{"12.50 EUR"}}
}

// notes keeps the notes in memory. What it adds, it also sends to added.
type notes struct {
	mu    sync.Mutex
	list  []Note
	added chan Note
}

func (n *notes) Create(ctx context.Context, in *CreateNote) (*SavedNote, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note := Note{ID: len(n.list) + 1, Text: in.Text, Color: in.Color, version: 1}
	if caller, ok := svc.PrincipalFrom(ctx); ok {
		note.By = caller.Subject
	}
	n.list = append(n.list, note)
	return saved(note), nil
}

// saved returns a note with its headers.
func saved(note Note) *SavedNote {
	return &SavedNote{note, fmt.Sprintf("/notes/%d", note.ID), etag(note)}
}

func etag(note Note) string { return fmt.Sprintf(`"%d"`, note.version) }

// find returns a note. The caller holds the lock.
func (n *notes) find(id int) (*Note, error) {
	if id < 1 || id > len(n.list) || n.list[id-1].ID == 0 {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no note %d", id)
	}
	return &n.list[id-1], nil
}

func (n *notes) Get(ctx context.Context, in *NoteID) (*SavedNote, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note, err := n.find(in.ID)
	if err != nil {
		return nil, err
	}
	return saved(*note), nil
}

func (n *notes) List(ctx context.Context, in *ListNotes) (*svc.PageResponse[Note], error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	req := in.PageRequest()
	from := min(req.Offset(), len(n.list))
	to := min(from+req.Size(), len(n.list))
	return svc.NewPage(slices.Clone(n.list[from:to]), req, len(n.list)), nil
}

func (n *notes) Patch(ctx context.Context, in *PatchNote) (*SavedNote, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note, err := n.find(in.ID)
	if err != nil {
		return nil, err
	}
	if !svc.MatchesETag(in.IfMatch, etag(*note)) {
		return nil, svc.Errorf(svc.CodeFailedPrecondition, "the note has changed; get it again").
			WithStatus(http.StatusPreconditionFailed).WithHeader("ETag", etag(*note))
	}
	if text, ok := in.Text.Get(); ok {
		note.Text = text
	}
	if color, ok := in.Color.Get(); ok {
		note.Color = color
	} else if in.Color.IsNull() {
		note.Color = "yellow"
	}
	note.version++
	return saved(*note), nil
}

func (n *notes) Delete(ctx context.Context, in *NoteID) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	note, err := n.find(in.ID)
	if err == nil {
		*note = Note{}
	}
	return err
}

func (n *notes) Watch(ctx context.Context) (svc.Stream[Note], error) {
	return func(yield func(*Note, error) bool) {
		for {
			select {
			case note := <-n.added:
				if !yield(&note, nil) {
					return
				}
			case <-ctx.Done(): // the client has gone
				return
			}
		}
	}, nil
}

// noteOptions are those of the service and of its clients.
func noteOptions() *svc.Options {
	return &svc.Options{
		Resource: "notes",
		Methods: map[string]svc.MethodOptions{
			"Create": {Status: http.StatusCreated},
			"Watch":  {HTTP: "GET /notes/watch"},
		},
		Logger: slog.New(slog.DiscardHandler),
	}
}

// show sends a request and prints the answer with the headers that are named.
func show(h http.Handler, r *http.Request, headers ...string) {
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Print(w.Code, " ", strings.TrimSpace(w.Body.String()))
	for _, name := range headers {
		fmt.Printf("; %s: %s", name, w.Header().Get(name))
	}
	fmt.Println()
}

// request makes a request; headers are names and values.
func request(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func Example_statusesAndHeaders() {
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	show(service.REST(), request("POST", "/notes", `{"text":"Buy milk"}`), "Location", "ETag")
	show(service.REST(), request("GET", "/notes/1", "", "If-None-Match", `"1"`), "ETag")
	// Output:
	// 201 {"id":1,"text":"Buy milk","color":"yellow"}; Location: /notes/1; ETag: "1"
	// 304 ; ETag: "1"
}

func Example_optionalFields() {
	service := svc.MustRegister[NoteAPI](&notes{list: []Note{{ID: 1, Text: "Buy milk", Color: "pink", version: 1}}}, noteOptions())
	show(service.REST(), request("PATCH", "/notes/1", `{"text":"Buy oat milk"}`))
	show(service.REST(), request("PATCH", "/notes/1", `{"color":null}`))
	show(service.REST(), request("PATCH", "/notes/1", `{"text":"Sell milk"}`, "If-Match", `"1"`), "ETag")
	// Output:
	// 200 {"id":1,"text":"Buy oat milk","color":"pink"}
	// 200 {"id":1,"text":"Buy oat milk","color":"yellow"}
	// 412 {"error":{"code":"FAILED_PRECONDITION","message":"the note has changed; get it again"}}; ETag: "3"
}

// ShopAPI has an input with an Amount.
type ShopAPI interface {
	Pay(ctx context.Context, in *Payment) (*Payment, error)
}

type Payment struct {
	Amount Amount `json:"amount"`
	Color  Color  `json:"color,omitempty"`
}

type shop struct{}

func (shop) Pay(_ context.Context, in *Payment) (*Payment, error) { return in, nil }

func Example_customTypes() {
	service := svc.MustRegister[ShopAPI](shop{}, &svc.Options{Resource: "shop", Logger: slog.New(slog.DiscardHandler)})
	show(service.REST(), request("POST", "/shop/pay", `{"amount":"12.50 EUR"}`))
	show(service.REST(), request("POST", "/shop/pay", `{"amount":"12.50 EUR","color":"red"}`))
	// Output:
	// 200 {"amount":"12.50 EUR"}
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /color must be one of yellow, pink, blue","details":{"violations":[{"in":"body","path":"/color","rule":"enum","message":"must be one of yellow, pink, blue"}]}}}
}

func Example_streams() {
	n := &notes{added: make(chan Note, 2)}
	n.added <- Note{ID: 1, Text: "Buy milk"}
	n.added <- Note{ID: 2, Text: "Pay rent"}
	server := httptest.NewServer(svc.MustRegister[NoteAPI](n, noteOptions()).REST())
	defer server.Close()
	var client struct {
		Watch func(ctx context.Context) (svc.Stream[Note], error)
	}
	if err := svc.Connect[NoteAPI](&client, server.URL, &svc.ClientOptions{Service: noteOptions()}); err != nil {
		fmt.Println(err)
		return
	}
	stream, err := client.Watch(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for note, err := range stream {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(note.Text)
		if note.ID == 2 {
			break // closes the connection
		}
	}
	// Output:
	// Buy milk
	// Pay rent
}

// verifyToken is where a program asks its database, or checks a JWT.
func verifyToken(ctx context.Context, token string) (*svc.Principal, error) {
	if token != "secret" {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "the token is unknown")
	}
	return &svc.Principal{Subject: "ada", Scopes: []string{"notes:read", "notes:write"}}, nil
}

func Example_authentication() {
	options := noteOptions()
	options.Defaults.Auth = "bearer"
	options.Methods["List"] = svc.MethodOptions{Public: true}
	options.Methods["Delete"] = svc.MethodOptions{Scopes: []string{"notes:admin"}}
	service := svc.MustRegister[NoteAPI](&notes{}, options)

	guard := svc.Bearer(verifyToken, &svc.BearerOptions{Optional: true, Logger: options.Logger})
	handler := guard(service.REST())

	show(handler, request("GET", "/notes", ""))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`), "WWW-Authenticate")
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Authorization", "Bearer secret"))
	show(handler, request("DELETE", "/notes/1", "", "Authorization", "Bearer secret"))
	show(handler, request("GET", "/notes", "", "Authorization", "Bearer old"), "WWW-Authenticate")
	// Output:
	// 200 {"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"authentication required: send a bearer token"}}; WWW-Authenticate: Bearer realm="api"
	// 201 {"id":1,"text":"Buy milk","color":"yellow","by":"ada"}
	// 403 {"error":{"code":"PERMISSION_DENIED","message":"the caller lacks a scope: notes:admin"}}
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"the token is unknown","reason":"invalid_token"}}; WWW-Authenticate: Bearer error="invalid_token"
}

// The roles of a user, as scopes.
var scopesOf = map[string][]string{
	"reader": {"notes:read"},
	"editor": {"notes:read", "notes:write"},
	"owner":  {"notes:read", "notes:write", "notes:admin"},
}

// Who has a role has its scopes. Which methods need them is said in one place.
func Example_roles() {
	options := noteOptions()
	options.Defaults.Auth = "bearer"
	for scope, methods := range map[string][]string{
		"notes:read":  {"Get", "List", "Watch"},
		"notes:write": {"Create", "Patch"},
		"notes:admin": {"Delete"},
	} {
		for _, method := range methods {
			m := options.Methods[method]
			m.Scopes = []string{scope}
			options.Methods[method] = m
		}
	}
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	verify := func(ctx context.Context, token string) (*svc.Principal, error) {
		subject, role, _ := strings.Cut(token, ".") // of a token that has been checked
		return &svc.Principal{Subject: subject, Scopes: scopesOf[role]}, nil
	}
	handler := svc.Bearer(verify, &svc.BearerOptions{Logger: options.Logger})(service.REST())

	show(handler, request("GET", "/notes", "", "Authorization", "Bearer bob.reader"))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Authorization", "Bearer bob.reader"))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Authorization", "Bearer ada.editor"))
	fmt.Println(service.Scopes())
	// Output:
	// 200 {"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}
	// 403 {"error":{"code":"PERMISSION_DENIED","message":"the caller lacks a scope: notes:write"}}
	// 201 {"id":1,"text":"Buy milk","color":"yellow","by":"ada"}
	// [notes:admin notes:read notes:write]
}

// keyHash is the hash of the only key. Others would stand in a database, by their hashes.
var keyHash = sha256.Sum256([]byte("robot-key"))

// verifyKeyHash is where a program looks a key up.
func verifyKeyHash(ctx context.Context, key string) (*svc.Principal, error) {
	hash := sha256.Sum256([]byte(key))
	if subtle.ConstantTimeCompare(hash[:], keyHash[:]) != 1 {
		return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is unknown")
	}
	return &svc.Principal{Subject: "robot"}, nil
}

func Example_apiKeys() {
	options := noteOptions()
	options.Schemes = []svc.Scheme{{Type: "bearer"}, {Type: "apiKey", Header: "X-Api-Key"}}
	service := svc.MustRegister[NoteAPI](&notes{}, options)

	robots := svc.APIKey("X-Api-Key", verifyKeyHash, &svc.APIKeyOptions{Optional: true, Logger: options.Logger})
	people := svc.Bearer(verifyToken, &svc.BearerOptions{Optional: true, Logger: options.Logger})
	handler := people(robots(service.REST()))

	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "X-Api-Key", "robot-key"))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Authorization", "Bearer secret"))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "X-Api-Key", "other"), "WWW-Authenticate")
	// Output:
	// 201 {"id":1,"text":"Buy milk","color":"yellow","by":"robot"}
	// 201 {"id":2,"text":"Buy milk","color":"yellow","by":"ada"}
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"the key is unknown","reason":"invalid_token"}}; WWW-Authenticate: ApiKey header="X-Api-Key"
}

// identify is for a service that only a gateway can reach, which has checked who calls.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := &svc.Principal{Subject: r.Header.Get("X-User")} // which the gateway sets, whatever clients send
		next.ServeHTTP(w, r.WithContext(svc.WithPrincipal(r.Context(), caller)))
	})
}

func Example_gateway() {
	options := noteOptions()
	options.Defaults.Auth = "bearer"
	service := svc.MustRegister[NoteAPI](&notes{}, options)

	show(service.REST(), request("GET", "/notes", ""))
	show(identify(service.REST()), request("GET", "/notes", "", "X-User", "ada"))
	// Output:
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"authentication required: send a bearer token"}}
	// 200 {"data":[],"page":1,"per_page":20,"total":0,"total_pages":0}
}

// limit is for handlers that are not methods; Options.MaxConcurrent does the same for methods.
func limit(n int, next http.Handler) http.Handler {
	places := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			svc.WriteError(w, r, svc.Errorf(svc.CodeUnavailable, "the server is busy; try again"))
		}
	})
}

func Example_limit() {
	service := svc.MustRegister[NoteAPI](&notes{}, &svc.Options{MaxConcurrent: 500})
	handler := limit(0, service.REST()) // 0 places, so that it is busy at once
	show(handler, request("GET", "/notes", ""), "Retry-After")
	// Output:
	// 503 {"error":{"code":"UNAVAILABLE","message":"the server is busy; try again"}}; Retry-After: 1
}

func Example_cors() {
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	guard := svc.Bearer(verifyToken, &svc.BearerOptions{Logger: slog.New(slog.DiscardHandler)})
	cors := svc.CORS(&svc.CORSOptions{AllowedOrigins: []string{"https://app.example", "http://localhost:5173"}})
	handler := cors(guard(service.REST()))

	show(handler, request("OPTIONS", "/notes", "", "Origin", "https://app.example", "Access-Control-Request-Method", "POST"), "Access-Control-Allow-Origin")
	show(handler, request("GET", "/notes", "", "Origin", "https://app.example"), "Access-Control-Allow-Origin")
	// Output:
	// 204 ; Access-Control-Allow-Origin: https://app.example
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"an access token is required"}}; Access-Control-Allow-Origin: https://app.example
}

func Example_errors() {
	options := noteOptions()
	options.OnError = svc.WriteProblem
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	show(service.REST(), request("GET", "/notes/7", ""), "Content-Type")
	// Output:
	// 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"there is no note 7","instance":"/notes/7","code":"NOT_FOUND"}; Content-Type: application/problem+json
}

func Example_observing() {
	logger := slog.New(slog.DiscardHandler)
	calls := make(map[string]int)
	options := noteOptions()
	options.Observe = func(ctx context.Context, o svc.Observation) {
		logger.InfoContext(ctx, "call", "transport", o.Transport, "method", o.Resource+"."+o.Method, "code", svc.CodeOf(o.Err), "took", o.Duration)
		calls[o.Method]++ // a program with concurrent calls needs a lock
	}
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	show(service.REST(), request("POST", "/notes", `{}`))
	fmt.Println(calls)
	// Output:
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /text is required","details":{"violations":[{"in":"body","path":"/text","rule":"required","message":"is required"}]}}}
	// map[create:1]
}

func Example_client() {
	service := svc.MustRegister[NoteAPI](&notes{}, noteOptions())
	var client struct {
		Create func(ctx context.Context, in *CreateNote) (*SavedNote, error)
	}
	err := svc.Connect[NoteAPI](&client, "", &svc.ClientOptions{Service: noteOptions(), Handler: service.REST()})
	if err != nil {
		fmt.Println(err)
		return
	}
	note, err := client.Create(context.Background(), &CreateNote{Text: "Buy milk", Color: "pink"})
	fmt.Println(note.ID, note.Color, note.Location, err)
	_, err = client.Create(context.Background(), &CreateNote{Color: "pink"})
	fmt.Println(err)
	// Output:
	// 1 pink /notes/1 <nil>
	// INVALID_ARGUMENT: invalid input: /text must have at least 1 character
}

// importNotes reads notes from a file that a form sends.
func (n *notes) importNotes(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 10<<20)
	file, _, err := r.FormFile("file")
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return err // 413
	} else if err != nil {
		return svc.Errorf(svc.CodeInvalidArgument, "send a form with the field file: %w", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return svc.Errorf(svc.CodeInvalidArgument, "the file is not CSV: %w", err)
	}
	for _, row := range rows {
		if _, err := n.Create(r.Context(), &CreateNote{Text: row[0], Color: "yellow"}); err != nil {
			return err
		}
	}
	http.Redirect(w, r, "/notes", http.StatusSeeOther)
	return nil
}

// exportNotes is a download.
func (n *notes) exportNotes(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="notes.csv"`)
	out := csv.NewWriter(w)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, note := range n.list {
		out.Write([]string{strconv.Itoa(note.ID), note.Text})
	}
	out.Flush()
}

func Example_plainHandlers() {
	impl, files := &notes{}, fstest.MapFS{"app.js": {Data: []byte("alert(1)")}}
	service := svc.MustRegister[NoteAPI](impl, noteOptions())
	mux := http.NewServeMux()
	mux.Handle("/", service.REST())
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(files)))
	mux.Handle("POST /import", svc.Handle(impl.importNotes, nil))
	mux.HandleFunc("GET /notes.csv", impl.exportNotes)
	mux.Handle("GET /old", http.RedirectHandler("/notes", http.StatusMovedPermanently))

	show(mux, request("POST", "/import", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nBuy milk\n\r\n--x--", "Content-Type", "multipart/form-data; boundary=x"), "Location")
	show(mux, request("GET", "/notes.csv", ""), "Content-Type")
	show(mux, request("GET", "/static/app.js", ""))
	show(mux, request("GET", "/old", ""), "Location")
	// Output:
	// 303 ; Location: /notes
	// 200 1,Buy milk; Content-Type: text/csv; charset=utf-8
	// 200 alert(1)
	// 301 <a href="/notes">Moved Permanently</a>.; Location: /notes
}

// NoteAPIv2 is the next version of the interface.
type NoteAPIv2 interface {
	Get(ctx context.Context, in *NoteID) (*NoteV2, error)
}

type NoteV2 struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
}

type notesV2 struct{ old *notes }

func (n notesV2) Get(ctx context.Context, in *NoteID) (*NoteV2, error) {
	note, err := n.old.Get(ctx, in)
	if err != nil {
		return nil, err
	}
	return &NoteV2{note.ID, note.Text}, nil
}

func Example_versions() {
	impl := &notes{list: []Note{{ID: 1, Text: "Buy milk", Color: "pink", version: 1}}}
	v1 := svc.MustRegister[NoteAPI](impl, noteOptions())
	v2 := svc.MustRegister[NoteAPIv2](notesV2{impl}, &svc.Options{Resource: "notes_v2", Path: "notes"})
	both := svc.Join("Notes", v1.At("/v1"), v2.At("/v2"))

	show(both.REST(), request("GET", "/v1/notes/1", ""))
	show(both.REST(), request("GET", "/v2/notes/1", ""))
	// Output:
	// 200 {"id":1,"text":"Buy milk","color":"pink"}
	// 200 {"id":1,"body":"Buy milk"}
}

func Example_intercept() {
	options := noteOptions()
	options.Intercept = func(next svc.InvokeFunc) svc.InvokeFunc {
		return func(ctx context.Context, resource, method string, input any) (any, error) {
			if method != "watch" { // a stream lasts for as long as its client stays
				limit, cancel := context.WithTimeout(ctx, 5*time.Second)
				defer cancel()
				ctx = limit
			}
			return next(ctx, resource, method, input)
		}
	}
	service := svc.MustRegister[NoteAPI](&notes{}, options)
	show(service.RPC(), request("POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"notes.create","params":{"text":"Buy milk"}}`))
	// Output:
	// 200 {"jsonrpc":"2.0","result":{"id":1,"text":"Buy milk","color":"yellow"},"id":1}
}

// PhotosAPI is the example of files.
type PhotosAPI interface {
	SetPhoto(ctx context.Context, in *SetPhoto) error
	GetPhoto(ctx context.Context, in *PhotoID) (*svc.File, error)
	PostPhoto(ctx context.Context, in *PostPhoto) error
}

type PhotoID struct {
	ID int `json:"id"`
}

type album struct{ dir string }

func (a *album) path(id int) string { return filepath.Join(a.dir, strconv.Itoa(id)) }

type SetPhoto struct {
	ID    int      `json:"id"` // PUT /photos/{id}
	Photo svc.Body `contentType:"image/png,image/jpeg" maxBytes:"10485760"`
}

func (a *album) SetPhoto(ctx context.Context, in *SetPhoto) error {
	f, err := os.CreateTemp(a.dir, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := io.Copy(f, in.Photo); err != nil {
		return err // 413, 408 or 400: the file is only a part
	}
	return os.Rename(f.Name(), a.path(in.ID))
}

func (a *album) GetPhoto(ctx context.Context, in *PhotoID) (*svc.File, error) {
	f, err := os.Open(a.path(in.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no such photo")
	}
	return &svc.File{Name: "photo.png", ContentType: "image/png", Content: f}, err // svc closes f
}

type PostPhoto struct {
	ID    int      `json:"id"`
	Tags  []string `json:"tags,omitempty"`
	Photo svc.Body `json:"photo" contentType:"image/png,image/jpeg" maxBytes:"10485760"`
}

func (a *album) PostPhoto(ctx context.Context, in *PostPhoto) error {
	return a.SetPhoto(ctx, &SetPhoto{ID: in.ID, Photo: in.Photo}) // in.Photo.FileName is what the user calls it
}

// Verify that the example of files takes a body and a form, and that a part of a file is
// not kept.
func TestRecipeFiles(t *testing.T) {
	a := &album{t.TempDir()}
	options := &svc.Options{Resource: "photos", Logger: slog.New(slog.DiscardHandler)}
	options.Methods = map[string]svc.MethodOptions{
		"PostPhoto": {HTTP: "POST /photos", Form: true},
	}
	mux := svc.MustRegister[PhotosAPI](a, options).REST()
	do := func(method, path, contentType, body string) (int, string) {
		r := httptest.NewRequest(method, path, io.MultiReader(strings.NewReader(body)))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	form := "--b\r\nContent-Disposition: form-data; name=id\r\n\r\n7\r\n--b\r\nContent-Disposition: form-data; name=photo; filename=x\r\nContent-Type: image/png\r\n\r\nthird\r\n--b--\r\n"
	for _, test := range []struct {
		method, path, contentType, body string
		status                          int
		want                            string // what the photo is then
	}{
		{"PUT", "/photos/7", "image/png", "first", 204, "first"},
		{"PUT", "/photos/7", "image/png", strings.Repeat("x", 10485761), 413, "first"},
		{"PUT", "/photos/7", "image/gif", "x", 415, "first"},
		{"PUT", "/photos/7", "image/jpeg", "second", 204, "second"},
		{"POST", "/photos", "multipart/form-data; boundary=b", form, 204, "third"},
		{"POST", "/photos", "multipart/form-data; boundary=b", "--b--", 400, "third"},
		{"POST", "/photos", "multipart/form-data; boundary=b", strings.Replace(form, "image/png", "text/html", 1), 415, "third"},
		{"POST", "/photos", "multipart/form-data; boundary=b", strings.Replace(strings.TrimSuffix(form, "\r\n--b--\r\n"), "third", "fourth", 1), 400, "third"},
	} {
		if status, text := do(test.method, test.path, test.contentType, test.body); status != test.status {
			t.Errorf("%s %s: %d %s, want %d", test.method, test.path, status, text, test.status)
		}
		if status, text := do("GET", "/photos/7", "", ""); status != 200 || text != test.want {
			t.Errorf("%s %s: the photo is then %d %s, want %s", test.method, test.path, status, text, test.want)
		}
	}
	if files, err := os.ReadDir(a.dir); err != nil || len(files) != 1 {
		t.Errorf("%d files are left, %v", len(files), err)
	}
	if status, _ := do("GET", "/photos/8", "", ""); status != 404 {
		t.Errorf("a photo that is not there has the status %d", status)
	}
}
