package svc_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/svc"
)

// How do methods and handlers tell clients what is wrong?

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
