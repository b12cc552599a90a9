package svc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"example.com/svc"
)

// This file has short examples of services. Each uses the small service below.

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
	}, nil, noLog)
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
	try(svc.Recover(nil, noLog)(broken), "GET", "/", "")

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
// effects are in a database, keep the records in their transaction, as the README shows.
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
