package svc_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// This file has the short examples: of services, most with the small one below, then
// of pages, of middleware and observers, and of clients. An example that is a whole
// program has a file of its own, since the documentation then shows all of it.

type LampAPI interface {
	List(ctx context.Context) (*Lamps, error)
	Dim(ctx context.Context, in *DimLamp) (*Lamp, error)
	SwitchOff(ctx context.Context, in *LampID) error
}

type (
	Lamp struct {
		ID    string `json:"id"`
		Level int    `json:"level"`
	}
	Lamps  struct{ Lamps []Lamp }
	LampID struct {
		ID string `json:"id"`
	}
	DimLamp struct {
		ID    string        `json:"id"`
		Level int           `json:"level" minimum:"0" maximum:"100"`
		Over  time.Duration `json:"over" default:"1s"`
	}
)

type lamps struct{}

func (lamps) List(ctx context.Context) (*Lamps, error) { return &Lamps{}, nil }

func (lamps) Dim(ctx context.Context, in *DimLamp) (*Lamp, error) {
	if in.ID != "hall" {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no lamp %q", in.ID)
	}
	return &Lamp{in.ID, in.Level}, nil
}

func (lamps) SwitchOff(ctx context.Context, in *LampID) error { return nil }

// try sends one request to a handler and prints the response.
func try(h http.Handler, method, path, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	fmt.Println(w.Code, w.Body)
}

var noLog = slog.New(slog.DiscardHandler)

// Register reports all mistakes in types, tags and options at once.
func ExampleRegister() {
	_, err := svc.Register[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Methods: map[string]svc.MethodOptions{
			"Dim": {HTTP: "PUT /lamps/{lamp}/level"},
			"Off": {HTTP: "POST /lamps/{id}/off"},
		},
	})
	fmt.Println(err)

	// Output:
	// svc: cannot register svc_test.LampAPI:
	//   - LampAPI.Dim: svc_test.DimLamp: no field fills the placeholder {lamp}; add one with the tag `path:"lamp"`
	//   - Options.Methods["Off"]: svc_test.LampAPI has no method of that name
}

// A method can have a pattern of http.ServeMux instead of the route of its name. The
// placeholders fill the fields of the same names; the other fields come from the body.
func ExampleMethodOptions() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Methods: map[string]svc.MethodOptions{
			"Dim": {HTTP: "PUT /lamps/{id}/level", Description: "Set how bright a lamp is."},
		},
	})
	try(service.REST(), "PUT", "/lamps/hall/level", `{"level":40}`)

	// Output:
	// 200 {"id":"hall","level":40}
}

// With Direct, a method is called without reflection, which is faster.
func ExampleDirect() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Methods: map[string]svc.MethodOptions{
			"Dim":       {Direct: svc.Direct(LampAPI.Dim)},
			"List":      {Direct: svc.DirectOut(LampAPI.List)},
			"SwitchOff": {Direct: svc.DirectIn(LampAPI.SwitchOff)},
		},
	})
	try(service.REST(), "POST", "/lamps/switch_off", `{"id":"hall"}`)

	// Output:
	// 204
}

// Routes lists the routes, for routers other than http.ServeMux.
func ExampleService_Routes() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	for _, r := range service.Routes() {
		fmt.Println(r.Method, r.Path, "calls", r.Resource+"."+r.Name)
	}

	// Output:
	// POST /lamps/dim calls lamps.dim
	// GET /lamps calls lamps.list
	// POST /lamps/switch_off calls lamps.switch_off
}

// Mount adds the routes to a mux that has other routes.
func ExampleService_Mount() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "fine") })
	svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"}).Mount(mux)
	try(mux, "GET", "/health", "")
	try(mux, "GET", "/lamps", "")

	// Output:
	// 200 fine
	// 200 {"Lamps":[]}
}

// At serves two versions of an API in one program.
func ExampleService_At() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	mux := http.NewServeMux()
	service.At("/v1").Mount(mux)
	service.At("/v2").Mount(mux)
	try(mux, "GET", "/v2/lamps", "")

	// Output:
	// 200 {"Lamps":[]}
}

// Join combines two interfaces in one service, with one set of routes and one document.
func ExampleJoin() {
	service := svc.Join("Home",
		svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"}),
		svc.MustRegister[NoteAPI](&notes{}, &svc.Options{Resource: "notes"}),
	)
	for _, r := range service.Descriptor().Resources {
		fmt.Println(r.Name, len(r.Methods))
	}

	// Output:
	// lamps 3
	// notes 3
}

// JSON-RPC clients call a method as resource.name, with named parameters, alone or in a
// batch.
func ExampleService_RPC() {
	h := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps", Logger: noLog}).RPC()
	try(h, "POST", "/rpc", `{"jsonrpc":"2.0","method":"lamps.dim","params":{"id":"hall","level":40},"id":1}`)
	try(h, "POST", "/rpc", `{"jsonrpc":"2.0","method":"lamps.dim","params":{"id":"attic","level":40},"id":"a"}`)
	try(h, "POST", "/rpc", `[{"jsonrpc":"2.0","method":"lamps.switch_off","params":{"id":"hall"}},{"jsonrpc":"2.0","method":"lamps.list","id":2}]`)

	// Output:
	// 200 {"jsonrpc":"2.0","result":{"id":"hall","level":40},"id":1}
	// 200 {"jsonrpc":"2.0","error":{"code":-32005,"message":"there is no lamp \"attic\"","data":{"code":"NOT_FOUND"}},"id":"a"}
	// 200 [{"jsonrpc":"2.0","result":{"Lamps":[]},"id":2}]
}

// Call calls a method by name, for example for an event from a queue. NewInput returns
// an input with its defaults.
func ExampleService_Call() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	in, err := service.NewInput("lamps", "dim")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := json.Unmarshal([]byte(`{"id":"hall","level":70}`), in); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("over", in.(*DimLamp).Over)
	out, err := service.Call(context.Background(), "lamps", "dim", in)
	fmt.Println(out, err)

	_, err = service.Call(context.Background(), "lamps", "dim", &DimLamp{ID: "hall", Level: 101})
	fmt.Println(err)

	// Output:
	// over 1s
	// &{hall 70} <nil>
	// INVALID_ARGUMENT: invalid input: /level must be at most 100
}

// Descriptor describes the service as data.
func ExampleService_Descriptor() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	for _, m := range service.Descriptor().Resources[0].Methods {
		fmt.Println(m.Name, m.HTTP.Method, m.HTTP.Path)
		if m.Output != nil {
			schema, err := json.Marshal(m.Output.Schema)
			fmt.Println(" ", m.Output.Name, string(schema), err)
		}
	}

	// Output:
	// dim POST /lamps/dim
	//   Lamp {"properties":{"id":{"type":"string"},"level":{"format":"int64","type":"integer"}},"required":["id","level"],"type":"object"} <nil>
	// list GET /lamps
	//   Lamps {"properties":{"Lamps":{"items":{"properties":{"id":{"type":"string"},"level":{"format":"int64","type":"integer"}},"required":["id","level"],"type":"object"},"type":"array"}},"required":["Lamps"],"type":"object"} <nil>
	// switch_off POST /lamps/switch_off
}

// Intercept wraps every call, on every transport.
func ExampleOptions() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
			return func(ctx context.Context, resource, method string, input any) (any, error) {
				output, err := next(ctx, resource, method, input)
				fmt.Println(resource+"."+method, svc.CodeOf(err))
				return output, err
			}
		},
		Logger: noLog,
	})
	try(service.REST(), "POST", "/lamps/dim", `{"id":"hall","level":10}`)
	try(service.REST(), "POST", "/lamps/dim", `{"id":"attic","level":10}`)

	// Output:
	// lamps.dim OK
	// 200 {"id":"hall","level":10}
	// lamps.dim NOT_FOUND
	// 404 {"error":{"code":"NOT_FOUND","message":"there is no lamp \"attic\""}}
}

// InfoFrom tells a method how it is called, and lets it add headers to the response.
func ExampleInfoFrom() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Intercept: func(next svc.InvokeFunc) svc.InvokeFunc {
			return func(ctx context.Context, resource, method string, input any) (any, error) {
				if info, ok := svc.InfoFrom(ctx); ok && info.Header != nil {
					info.Header.Set("X-Called", string(info.Transport)+" "+info.Resource+"."+info.Method)
				}
				return next(ctx, resource, method, input)
			}
		},
	})
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, httptest.NewRequest("GET", "/lamps", nil))
	fmt.Println(w.Header().Get("X-Called"))

	// Output:
	// rest lamps.list
}

// The error behind %w is only logged; clients get the message.
func ExampleErrorf() {
	err := svc.Errorf(svc.CodeUnavailable, "the lamp does not answer: %w", io.ErrUnexpectedEOF)
	fmt.Println(err.Message)
	fmt.Println(err)

	// Output:
	// the lamp does not answer
	// UNAVAILABLE: the lamp does not answer: unexpected EOF
}

// Programs can read the details of an error. WithDetail returns a copy, so the error
// can be a package variable.
func ExampleError_WithDetail() {
	errLimit := svc.Errorf(svc.CodeResourceExhausted, "too many lamps")
	err := errLimit.WithDetail("limit", 12)
	fmt.Println(errLimit.Details, err.Details, err.HTTPStatus(), err.RPCCode())

	// Output:
	// map[] map[limit:12] 429 -32008
}

// Handlers that are not methods can return the same errors.
func ExampleHandle() {
	upload := svc.Handle(func(w http.ResponseWriter, r *http.Request) error {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<10))
		if err != nil {
			return err
		}
		if len(body) == 0 {
			return svc.Errorf(svc.CodeInvalidArgument, "there is nothing to upload")
		}
		_, err = fmt.Fprintf(w, "%d bytes", len(body))
		return err
	}, &svc.ErrorOptions{Logger: noLog})
	try(upload, "POST", "/upload", "abc")
	try(upload, "POST", "/upload", "")
	try(upload, "POST", "/upload", strings.Repeat("x", 2<<10))

	// Output:
	// 200 3 bytes
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"there is nothing to upload"}}
	// 413 {"error":{"code":"RESOURCE_EXHAUSTED","message":"the request body has more than 1024 bytes"}}
}

// A panic in a handler becomes a 500 response. Its text is only logged.
func ExampleRecover() {
	broken := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })
	try(svc.Recover(&svc.ErrorOptions{Logger: noLog})(broken), "GET", "/", "")

	// Output:
	// 500 {"error":{"code":"INTERNAL","message":"internal error"}}
}

// WriteProblem writes errors as problem details (RFC 9457) instead of the envelope.
func ExampleWriteProblem() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		OnError:  svc.WriteProblem,
		Logger:   noLog,
	})
	try(service.REST(), "POST", "/lamps/dim", `{"id":"attic","level":1}`)

	// Output:
	// 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"there is no lamp \"attic\"","instance":"/lamps/dim","code":"NOT_FOUND"}
}

// CodeFromHTTP returns the code for the status of another server.
func ExampleCodeFromHTTP() {
	for _, status := range []int{200, 404, 429, 502} {
		fmt.Println(status, svc.CodeFromHTTP(status))
	}

	// Output:
	// 200 OK
	// 404 NOT_FOUND
	// 429 RESOURCE_EXHAUSTED
	// 502 UNAVAILABLE
}

// Payment is one of three things.
type Payment struct {
	Type string    `json:"type" discriminator:"true"` // which alternative it is
	ID   string    `json:"id"`                        // every alternative has it
	Card *Card     `variant:"card"`
	IBAN *IBAN     `variant:"iban"`
	Cash *struct{} `variant:"cash"` // has no fields of its own
}

type Card struct {
	Number string `json:"number" pattern:"^[0-9]{4,19}$"`
}

type IBAN struct {
	IBAN string `json:"iban" minLength:"15"`
	Name string `json:"name,omitempty"`
}

type PaymentAPI interface {
	Pay(ctx context.Context, in *PayOrder) (*Receipt, error)
	Get(ctx context.Context, in *OrderID) (*Payment, error)
}

type (
	PayOrder struct {
		Payment Payment `json:"payment"`
	}
	Receipt struct {
		PaidBy string `json:"paidBy"`
	}
	OrderID struct {
		ID string `json:"id"`
	}
)

type payments struct{}

func (payments) Pay(_ context.Context, in *PayOrder) (*Receipt, error) {
	switch {
	case in.Payment.Card != nil:
		return &Receipt{"card " + in.Payment.Card.Number}, nil
	case in.Payment.IBAN != nil:
		return &Receipt{"account " + in.Payment.IBAN.IBAN}, nil
	}
	return &Receipt{"cash"}, nil
}

func (payments) Get(_ context.Context, in *OrderID) (*Payment, error) {
	return &Payment{ID: in.ID, IBAN: &IBAN{IBAN: "DE02120300000000202051"}}, nil
}

// A codec writes unions for a database.
func ExampleNewCodec() {
	store := func() error {
		codec := svc.NewCodec[Payment]() // once: it panics with the mistakes in Payment
		row, err := codec.Encode(&Payment{ID: "7", Card: &Card{Number: "42"}})
		if err != nil {
			return err
		}
		stored, err := codec.Decode(row)
		if err != nil {
			return err
		}
		return codec.Check(stored) // the number is too short
	}
	fmt.Println(store())

	// Output:
	// INVALID_ARGUMENT: invalid input: /number must match the pattern ^[0-9]{4,19}$
}

// A struct with a discriminator is one of several alternatives.
func Example_union() {
	api := svc.MustRegister[PaymentAPI](payments{}, &svc.Options{Resource: "payments"}).REST()
	try(api, "POST", "/payments/pay", `{"payment":{"type":"card","id":"7","number":"4242"}}`)
	try(api, "POST", "/payments/pay", `{"payment":{"type":"cash","id":"7"}}`)
	try(api, "GET", "/payments/7", "")

	// Output:
	// 200 {"paidBy":"card 4242"}
	// 200 {"paidBy":"cash"}
	// 200 {"type":"iban","id":"7","iban":"DE02120300000000202051"}
}

// Content is a text or a list of parts.
type Content struct {
	svc.ByType
	Text  *string `maxLength:"4000"` // "hello"
	Parts []Part  `minItems:"1"`     // [{"type":"text","text":"hello"}]
}

type Part struct {
	Type  string     `json:"type" discriminator:"true"`
	Text  *TextPart  `variant:"text"`
	Image *ImagePart `variant:"image"`
}

type TextPart struct {
	Text string `json:"text"`
}

type ImagePart struct {
	URL string `json:"url"`
}

type ChatAPI interface {
	Send(ctx context.Context, in *Message) (*Message, error)
}

type Message struct {
	Content Content `json:"content"`
}

type chat struct{}

// Send answers a text with parts, and parts with a text.
func (chat) Send(_ context.Context, in *Message) (*Message, error) {
	if in.Content.Text != nil {
		return &Message{Content{Parts: []Part{{Text: &TextPart{*in.Content.Text}}}}}, nil
	}
	count := fmt.Sprintf("%d parts", len(in.Content.Parts))
	return &Message{Content{Text: &count}}, nil
}

// A struct that embeds ByType is one of several JSON types.
func ExampleByType() {
	api := svc.MustRegister[ChatAPI](chat{}, &svc.Options{Resource: "chat", Logger: noLog}).REST()
	try(api, "POST", "/chat/send", `{"content":"hello"}`)
	try(api, "POST", "/chat/send", `{"content":[{"type":"text","text":"hello"},{"type":"image","url":"https://example.com/a.png"}]}`)
	try(api, "POST", "/chat/send", `{"content":7}`)

	// Output:
	// 200 {"content":[{"type":"text","text":"hello"}]}
	// 200 {"content":"2 parts"}
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /content must be a string or an array, is a number","details":{"violations":[{"in":"body","path":"/content","rule":"type","message":"must be a string or an array, is a number"}]}}}
}

// PhotoAPI takes and gives files, which are not JSON.
type PhotoAPI interface {
	SetPhoto(ctx context.Context, in *SetPhoto) error
	GetPhoto(ctx context.Context) (*svc.File, error)
}

type SetPhoto struct {
	Photo svc.Body `contentType:"image/png" maxBytes:"1048576"`
}

type photos struct{ photo []byte }

// SetPhoto keeps the old photo if the new one is cut or too large.
func (p *photos) SetPhoto(ctx context.Context, in *SetPhoto) error {
	photo, err := io.ReadAll(in.Photo)
	if err != nil {
		return err // 413, 408 or 400
	}
	p.photo = photo
	return nil
}

func (p *photos) GetPhoto(ctx context.Context) (*svc.File, error) {
	return &svc.File{Name: "photo.png", ContentType: "image/png", Content: bytes.NewReader(p.photo)}, nil
}

// A method reads a Body while it arrives, and returns a File.
func ExampleBody() {
	service := svc.MustRegister[PhotoAPI](&photos{}, &svc.Options{
		Resource: "photo",
		Methods: map[string]svc.MethodOptions{
			"SetPhoto": {HTTP: "PUT /photo"},
			"GetPhoto": {HTTP: "GET /photo"},
		},
	})
	r := httptest.NewRequest("PUT", "/photo", strings.NewReader("the picture"))
	r.Header.Set("Content-Type", "image/png")
	w := httptest.NewRecorder()
	service.REST().ServeHTTP(w, r)
	fmt.Println(w.Code)
	try(service.REST(), "GET", "/photo", "")

	// Output:
	// 204
	// 200 the picture
}

// LampError is the body of an error in the form of a program that exists.
type LampError struct {
	Problem string `json:"problem"`
	Field   string `json:"field,omitempty"`
}

// Errors over REST can have the form that clients of an older program know. Documents
// have its schema.
func ExampleNewErrorForm() {
	form := svc.NewErrorForm(func(e *svc.Error) *LampError {
		if list := e.Violations(); len(list) > 0 {
			return &LampError{list[0].Message, list[0].Path}
		}
		return &LampError{e.Message, ""}
	}, nil).WithStatus(svc.CodeInvalidArgument, 422)
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps", ErrorForm: form, Logger: noLog})
	try(service.REST(), "POST", "/lamps/dim", `{"id":"attic","level":10}`)
	try(service.REST(), "POST", "/lamps/dim", `{"id":"hall","level":101}`)

	// Output:
	// 404 {"problem":"there is no lamp \"attic\""}
	// 422 {"problem":"must be at most 100","field":"/level"}
}

// A call that is sent again with its key has one effect. Here the effects and the records
// are in memory, in one process, and a method that fails has done nothing. If the
// effects are in a database, keep the records in their transaction, as doc/keystore.md shows.
func ExampleIdempotency() {
	var records sync.Map // by id; nil while the call runs
	once := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		if known, ok := records.LoadOrStore(id, record); ok {
			if record = known.([]byte); record == nil {
				err = svc.Errorf(svc.CodeAborted, "a call with this key is running; try again")
			}
			return record, err
		}
		defer func() {
			if records.Store(id, record); record == nil { // of an error or a panic
				records.Delete(id)
			}
		}()
		return do(ctx)
	}
	service := svc.MustRegister[NoteAPI](&notes{}, &svc.Options{
		Resource:    "notes",
		Idempotency: &svc.Idempotency{Run: once},
		Methods:     map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}},
	})
	for range 2 {
		r := httptest.NewRequest("POST", "/notes", strings.NewReader(`{"text":"Buy milk"}`))
		r.Header.Set("Idempotency-Key", "k-1")
		w := httptest.NewRecorder()
		service.REST().ServeHTTP(w, r)
		fmt.Printf("%d %s %q\n", w.Code, w.Body, w.Header().Get("Idempotent-Replayed"))
	}
	try(service.REST(), "GET", "/notes", "")

	// Output:
	// 200 {"id":1,"text":"Buy milk"} ""
	// 200 {"id":1,"text":"Buy milk"} "true"
	// 200 {"items":[{"id":1,"text":"Buy milk"}],"total":1}
}

// CityAPI lists cities, by page number and by cursor.
type CityAPI interface {
	List(ctx context.Context, in *ListCities) (*svc.PageResponse[string], error)
	Feed(ctx context.Context, in *FeedCities) (*svc.CursorResponse[string], error)
}

type ListCities struct{ svc.PageQuery }

type FeedCities struct{ svc.CursorQuery }

// Cities are sorted by name. The names are the keys of the cursors.
type Cities []string

func (c Cities) List(ctx context.Context, in *ListCities) (*svc.PageResponse[string], error) {
	req := in.PageRequest()
	from := min(req.Offset(), len(c))
	to := from + min(req.Size(), len(c)-from)
	return svc.NewPage(c[from:to], req, len(c)), nil
}

func (c Cities) Feed(ctx context.Context, in *FeedCities) (*svc.CursorResponse[string], error) {
	from := 0
	if in.Cursor != "" {
		var last string
		if err := svc.DecodeCursor(in.Cursor, &last); err != nil {
			return nil, err
		}
		at, found := slices.BinarySearch(c, last)
		if from = at; found {
			from++
		}
	}
	to := from + min(in.Limit, len(c)-from)
	return svc.NewCursorPage(c[from:to], in.Limit, func(last string) string {
		cursor, _ := svc.EncodeCursor(last) // fails only for text that is not UTF-8
		return cursor
	}), nil
}

// An input that embeds PageQuery or CursorQuery has their parameters, with defaults and
// limits, on every transport and in the documents.
func ExamplePageQuery() {
	cities := svc.MustRegister[CityAPI](Cities{"Accra", "Lima", "Oslo"}, &svc.Options{
		Resource: "cities",
		Methods:  map[string]svc.MethodOptions{"Feed": {HTTP: "GET /cities/feed"}},
	})
	for _, target := range []string{
		"/cities?per_page=2&page=2",
		"/cities?per_page=1000",
		"/cities/feed?limit=2",
		"/cities/feed?limit=2&cursor=TGltYQ",
	} {
		w := httptest.NewRecorder()
		cities.REST().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		fmt.Println(w.Body)
	}
	// Output:
	// {"data":["Oslo"],"page":2,"per_page":2,"total":3,"total_pages":2}
	// {"data":["Accra","Lima","Oslo"],"page":1,"per_page":100,"total":3,"total_pages":1}
	// {"data":["Accra","Lima"],"next_cursor":"TGltYQ","has_more":true}
	// {"data":["Oslo"],"has_more":false}
}

// ParsePage reads the same parameters, for handlers that do not belong to a service.
func ExampleParsePage() {
	r := httptest.NewRequest("GET", "/cities?page=3&per_page=50", nil)
	page, err := svc.ParsePage(r.URL.Query())
	fmt.Println(page.Offset(), page.Size(), err)

	_, err = svc.ParsePage(httptest.NewRequest("GET", "/cities?page=0", nil).URL.Query())
	fmt.Println(err)
	// Output:
	// 100 50 <nil>
	// INVALID_ARGUMENT: invalid input: /page must be at least 1
}

// A cursor holds the key of the last item of a page. The next page begins after that
// key, even if items were added or removed.
func ExampleEncodeCursor() {
	last := svc.TimeCursor{ID: "17", At: time.Date(2025, 3, 1, 12, 30, 0, 0, time.UTC)}
	cursor, err := svc.EncodeCursor(last)
	if err != nil {
		panic(err)
	}
	fmt.Println(cursor)

	var key svc.TimeCursor
	fmt.Println(svc.DecodeCursor(cursor, &key), key.ID, key.At)
	fmt.Println(svc.DecodeCursor("not-a-cursor", &key) != nil)
	// Output:
	// eyJpZCI6IjE3IiwiYXQiOiIyMDI1LTAzLTAxVDEyOjMwOjAwWiJ9
	// <nil> 17 2025-03-01 12:30:00 +0000 UTC
	// true
}

// Clients cannot forge a sealed cursor. To replace a key, put the new one first and
// keep the old one until its cursors are no longer in use.
func ExampleCursorKey() {
	oldKey := svc.NewCursorKey([]byte("32 random bytes, kept in a secret"))
	cursor, err := oldKey.Encode("todo-17")
	if err != nil {
		panic(err)
	}

	key := svc.NewCursorKey([]byte("32 other bytes, also kept secret."), []byte("32 random bytes, kept in a secret"))
	var id string
	fmt.Println(key.Decode(cursor, &id), id)
	fmt.Println(svc.CodeOf(key.Decode(cursor[1:], &id)))
	// Output:
	// <nil> todo-17
	// INVALID_ARGUMENT
}

// Handlers and methods read the requested version from their context.
func ExampleVersion() {
	version := svc.Version(&svc.VersionOptions{
		DefaultVersion: "v2",
		PathPrefix:     true,
		Supported:      []string{"v1", "v2"},
		Deprecations: map[string]svc.Deprecation{"v1": {
			Since:  time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
			Sunset: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Link:   "https://example.com/migrate",
		}},
	})
	handler := version(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, svc.GetVersion(r.Context()))
	}))
	for _, target := range []string{"/todos", "/v1/todos", "/v3/todos"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		fmt.Printf("%d %s %q %q\n", w.Code, w.Body, w.Header().Get("Deprecation"), w.Header().Get("Sunset"))
	}
	// Output:
	// 200 v2 "" ""
	// 200 v1 "@1735689600" "Thu, 01 Jan 2026 00:00:00 GMT"
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"this version of the API does not exist","details":{"supported":["v1","v2"]}}} "" ""
}

// The guard protects the pages of Pprof and no other path.
func ExamplePprof() {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the site") })
	guard := svc.Under("/debug/pprof", svc.BasicAuth("profiles", map[string]string{"op": "secret"}, nil))
	handler := guard(svc.Pprof("")(site))

	for _, path := range []string{"/", "/debug/pprof/heap"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Body)
	}
	r := httptest.NewRequest("GET", "/debug/pprof/heap", nil)
	r.SetBasicAuth("op", "secret")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// 200 the site
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"a valid name and password are required"}}
	// 200 application/octet-stream
}

// Programs keep hashes of keys, and compare them in constant time.
func ExampleAPIKey() {
	known := sha256.Sum256([]byte("robot-key"))
	guard := svc.APIKey("X-Api-Key", func(ctx context.Context, key string) (*svc.Principal, error) {
		hash := sha256.Sum256([]byte(key))
		if subtle.ConstantTimeCompare(hash[:], known[:]) != 1 {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is unknown")
		}
		return &svc.Principal{Subject: "robot"}, nil
	}, &svc.APIKeyOptions{Logger: noLog})
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{
		Resource: "lamps",
		Schemes:  []svc.Scheme{{Type: "apiKey", Header: "X-Api-Key"}},
	})
	for _, key := range []string{"robot-key", "other"} {
		r := httptest.NewRequest("GET", "/lamps", nil)
		r.Header.Set("X-Api-Key", key)
		w := httptest.NewRecorder()
		guard(service.REST()).ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 {"Lamps":[]}
	// 401 {"error":{"code":"UNAUTHENTICATED","message":"the key is unknown","reason":"invalid_token"}}
}

func ExampleAllowIPs() {
	allow := svc.AllowIPs([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, nil)
	handler := svc.Under("/admin", allow)(http.NotFoundHandler())

	r := httptest.NewRequest("GET", "/admin", nil)
	r.RemoteAddr = "192.0.2.1:1234"
	r.Header.Set("X-Forwarded-For", "127.0.0.1") // any client can send this
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output:
	// 403 {"error":{"code":"PERMISSION_DENIED","message":"requests from this address are not allowed"}}
}

// CallMetrics counts calls and writes the counts in the text format of Prometheus.
type CallMetrics struct {
	mu     sync.Mutex
	counts map[string]int // by labels; each label has few values
}

// Observe is for Options.Observe.
func (m *CallMetrics) Observe(_ context.Context, o svc.Observation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[fmt.Sprintf("{transport=%q,method=%q,code=%q}", o.Transport, o.Resource+"."+o.Method, svc.CodeOf(o.Err))]++
}

// WriteText writes the counts.
func (m *CallMetrics) WriteText(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintln(w, "# TYPE svc_calls_total counter")
	for _, labels := range slices.Sorted(maps.Keys(m.counts)) {
		fmt.Fprintf(w, "svc_calls_total%s %d\n", labels, m.counts[labels])
	}
}

// One function is enough to count calls for Prometheus.
func ExampleObservation_prometheus() {
	metrics := &CallMetrics{counts: make(map[string]int)}
	primes := svc.MustRegister[PrimesAPI](primes{}, &svc.Options{
		Resource: "primes", Observe: metrics.Observe, Logger: slog.New(slog.DiscardHandler),
	})
	for _, target := range []string{"/primes/watch", "/nowhere"} {
		primes.REST().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", target, strings.NewReader(`{"count":2}`)))
	}
	primes.RPC().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"primes.watch","params":{"count":0}}`)))

	var text strings.Builder
	metrics.WriteText(&text)
	fmt.Print(text.String())
	// Output:
	// # TYPE svc_calls_total counter
	// svc_calls_total{transport="rest",method="primes.watch",code="OK"} 1
	// svc_calls_total{transport="rpc",method="primes.watch",code="INVALID_ARGUMENT"} 1
}

// A Span is what tracers such as OpenTelemetry record for a call. The attributes have
// the names of the semantic conventions: the stable ones for HTTP, and those for JSON-RPC
// and MCP, which are not final yet.
type Span struct {
	Parent     svc.Trace // of the caller; a tracer's propagator reads it
	Name       string
	Start, End time.Time
	Attributes map[string]string
	Error      string
}

// A span is created at the end of a call. It started o.Duration before.
func ExampleObservation_span() {
	var spans []Span
	observe := func(ctx context.Context, o svc.Observation) {
		end := time.Now()
		info, _ := svc.InfoFrom(ctx)
		s := Span{Parent: info.Trace, Start: end.Add(-o.Duration), End: end, Attributes: make(map[string]string)}
		switch {
		case o.Route != "": // HTTP; only a status from 500 on is an error of a server
			method, path, _ := strings.Cut(o.Route, " ")
			s.Name, s.Attributes["http.request.method"], s.Attributes["http.route"] = o.Route, method, path
			s.Attributes["http.response.status_code"] = strconv.Itoa(o.Status)
			if o.Status >= 500 {
				s.Error = strconv.Itoa(o.Status)
			}
		case o.Transport == svc.TransportMCP:
			s.Name, s.Attributes["mcp.method.name"] = o.RPC+" "+o.Resource+"_"+o.Method, o.RPC
			s.Attributes["gen_ai.tool.name"] = o.Resource + "_" + o.Method
			if o.Err != nil {
				s.Error = "tool_error"
			}
		default: // JSON-RPC, and Service.Call
			s.Name, s.Attributes["rpc.system.name"], s.Attributes["rpc.method"] = cmp.Or(o.RPC, o.Resource+"."+o.Method), "jsonrpc", o.RPC
			if o.Err != nil {
				s.Error = strconv.Itoa(svc.ErrorFrom(o.Err).RPCCode())
				s.Attributes["rpc.response.status_code"] = s.Error
			}
		}
		if s.Error != "" {
			s.Attributes["error.type"] = s.Error
		}
		spans = append(spans, s) // a real program passes it to its tracer
	}
	primes := svc.MustRegister[PrimesAPI](primes{}, &svc.Options{Resource: "primes", Observe: observe, Logger: slog.New(slog.DiscardHandler)})

	r := httptest.NewRequest("POST", "/primes/watch", strings.NewReader(`{"count":2}`))
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	primes.REST().ServeHTTP(httptest.NewRecorder(), r)
	primes.RPC().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"primes.watch","params":{"count":0}}`)))
	for _, s := range spans {
		fmt.Println(s.Name, s.Parent.Parent, s.Attributes)
	}
	// Output:
	// POST /primes/watch 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 map[http.request.method:POST http.response.status_code:200 http.route:/primes/watch]
	// primes.watch  map[error.type:-32602 rpc.method:primes.watch rpc.response.status_code:-32602 rpc.system.name:jsonrpc]
}

// BookAPI is a service with eight methods. Its clients need only some of them.
type BookAPI interface {
	Create(ctx context.Context, in *Book) (*Book, error)
	List(ctx context.Context) (*Books, error)
	Get(ctx context.Context, in *BookID) (*Book, error)
	Update(ctx context.Context, in *Book) (*Book, error)
	Delete(ctx context.Context, in *BookID) error
	Lend(ctx context.Context, in *BookID) error
	Return(ctx context.Context, in *BookID) error
	Watch(ctx context.Context) (svc.Stream[Book], error)
}

type (
	BookID struct {
		ID string `json:"id" pattern:"^[a-z]+$"`
	}
	Book struct {
		ID    string `json:"id"`
		Title string `json:"title" minLength:"1"`
	}
	Books struct {
		Books []Book `json:"books"`
	}
)

// A library implements the methods that the examples call.
type library struct{ BookAPI }

func (library) Get(_ context.Context, in *BookID) (*Book, error) {
	if in.ID != "emma" {
		return nil, svc.Errorf(svc.CodeNotFound, "there is no book %q", in.ID)
	}
	return &Book{ID: in.ID, Title: "Emma"}, nil
}

func (library) Watch(context.Context) (svc.Stream[Book], error) {
	return func(yield func(*Book, error) bool) {
		if yield(&Book{ID: "emma", Title: "Emma"}, nil) {
			yield(nil, svc.Errorf(svc.CodeUnavailable, "the library closes"))
		}
	}, nil
}

// bookOptions returns the options of the service, which its clients use too.
func bookOptions() *svc.Options { return &svc.Options{Resource: "books", Logger: noLog} }

// A client declares two of the eight methods and calls them over the network.
func ExampleConnect() {
	server := httptest.NewServer(svc.MustRegister[BookAPI](library{}, bookOptions()).REST())
	defer server.Close()

	var books struct {
		Get   func(ctx context.Context, in *BookID) (*Book, error)
		Watch func(ctx context.Context) (svc.Stream[Book], error)
	}
	if err := svc.Connect[BookAPI](&books, server.URL, &svc.ClientOptions{Service: bookOptions()}); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	book, err := books.Get(ctx, &BookID{ID: "emma"})
	fmt.Println(book.Title, err)
	_, err = books.Get(ctx, &BookID{ID: "dune"})
	fmt.Println(svc.CodeOf(err), err)
	_, err = books.Get(ctx, &BookID{ID: "Emma!"}) // is not sent
	fmt.Println(err)

	stream, err := books.Watch(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for book, err := range stream {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(book.Title)
	}
	// Output:
	// Emma <nil>
	// NOT_FOUND NOT_FOUND: there is no book "dune"
	// INVALID_ARGUMENT: invalid input: /id must match the pattern ^[a-z]+$
	// Emma
	// UNAVAILABLE: the library closes
}

// A ReaderAPI is a service that calls another one.
type ReaderAPI interface {
	Describe(ctx context.Context, in *BookID) (*Description, error)
}

type Description struct{ Text string }

// A reader calls the library. Its field has the methods that it needs.
type reader struct {
	books struct {
		Get func(ctx context.Context, in *BookID) (*Book, error)
	}
}

// Describe passes ctx on, so that the call ends when the client of Describe disconnects.
// It converts errors of the library to errors for that client.
func (r *reader) Describe(ctx context.Context, in *BookID) (*Description, error) {
	book, err := r.books.Get(ctx, in)
	if svc.CodeOf(err) == svc.CodeNotFound {
		return &Description{"unknown"}, nil
	} else if err != nil {
		return nil, svc.Errorf(svc.CodeUnavailable, "the library does not answer: %w", err)
	}
	return &Description{"the book " + book.Title}, nil
}

// A service calls another one in its methods.
func ExampleConnect_service() {
	server := httptest.NewServer(svc.MustRegister[BookAPI](library{}, bookOptions()).REST())
	defer server.Close()

	r := new(reader)
	if err := svc.Connect[BookAPI](&r.books, server.URL, &svc.ClientOptions{Service: bookOptions()}); err != nil {
		fmt.Println(err)
		return
	}
	service := svc.MustRegister[ReaderAPI](r, &svc.Options{Resource: "readers", Logger: noLog})
	try(service.REST(), "POST", "/readers/describe", `{"id":"emma"}`)
	try(service.REST(), "POST", "/readers/describe", `{"id":"dune"}`)
	// Output:
	// 200 {"Text":"the book Emma"}
	// 200 {"Text":"unknown"}
}

// A test sets the field to its own function.
func ExampleConnect_mock() {
	r := new(reader)
	r.books.Get = func(context.Context, *BookID) (*Book, error) {
		return nil, errors.New("the roof is leaking")
	}
	_, err := r.Describe(context.Background(), &BookID{ID: "emma"})
	fmt.Println(err)
	// Output:
	// UNAVAILABLE: the library does not answer: the roof is leaking
}

// A test of both sides uses the handler instead of the network.
func ExampleClientOptions_handler() {
	service := svc.MustRegister[BookAPI](library{}, bookOptions())
	r := new(reader)
	err := svc.Connect[BookAPI](&r.books, "", &svc.ClientOptions{Service: bookOptions(), Handler: service.REST()})
	fmt.Println(err)
	out, err := r.Describe(context.Background(), &BookID{ID: "emma"})
	fmt.Println(out.Text, err)
	// Output:
	// <nil>
	// the book Emma <nil>
}

// A roundTripper is an http.RoundTripper that is a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// withPassword returns a RoundTripper that adds a password to each request. It changes
// a copy, because a RoundTripper must not change the request.
func withPassword(next http.RoundTripper, user, password string) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.SetBasicAuth(user, password)
		return next.RoundTrip(r)
	})
}

// The Transport of the http.Client adds credentials.
func ExampleClientOptions_authentication() {
	guard := svc.BasicAuth("books", map[string]string{"reader": "secret"}, nil)
	server := httptest.NewServer(guard(svc.MustRegister[BookAPI](library{}, bookOptions()).REST()))
	defer server.Close()

	for _, password := range []string{"guess", "secret"} {
		var books struct {
			Get func(ctx context.Context, in *BookID) (*Book, error)
		}
		client := &http.Client{Transport: withPassword(http.DefaultTransport, "reader", password)}
		err := svc.Connect[BookAPI](&books, server.URL, &svc.ClientOptions{Service: bookOptions(), HTTPClient: client})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = books.Get(context.Background(), &BookID{ID: "emma"})
		fmt.Println(err)
	}
	// Output:
	// UNAUTHENTICATED: a valid name and password are required
	// <nil>
}

// A client sends calls again that may run twice.
func ExampleClientOptions_retries() {
	service, requests := svc.MustRegister[BookAPI](library{}, bookOptions()).REST(), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests < 3 {
			svc.WriteError(w, r, svc.Errorf(svc.CodeUnavailable, "the library opens soon"))
			return
		}
		service.ServeHTTP(w, r)
	}))
	defer server.Close()

	var books struct {
		Get func(ctx context.Context, in *BookID) (*Book, error)
	}
	err := svc.Connect[BookAPI](&books, server.URL, &svc.ClientOptions{Service: bookOptions(), Attempts: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	book, err := books.Get(context.Background(), &BookID{ID: "emma"})
	fmt.Println(book.Title, err, requests)
	// Output:
	// Emma <nil> 3
}

// The client has the calls of the service by resource, and the types of their inputs and outputs.
func ExampleService_TypeScript() {
	service := svc.MustRegister[LampAPI](lamps{}, &svc.Options{Resource: "lamps"})
	mux := http.NewServeMux()
	mux.Handle("/client.ts", service.TypeScript())
	mux.Handle("/", service.REST())

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/client.ts", nil))
	_, api, _ := strings.Cut(w.Body.String(), "export interface Api {\n")
	api, _, _ = strings.Cut(api, "}\n\n")
	fmt.Println(w.Header().Get("Content-Type"))
	fmt.Print(api)
	// Output:
	// text/typescript; charset=utf-8
	//   lamps: {
	//     dim: Call<DimLamp, Lamp>;
	//     list: GetCall<NoInput, Lamps>;
	//     switchOff: Call<LampID, void>;
	//   };
}
