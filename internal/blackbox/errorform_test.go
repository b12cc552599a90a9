package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// This file has the payments service of a program that was written with a router, and
// whose clients know its errors: a list, 422 for bad input, and a key in X-API-Key.

// PayErrors is the form of all errors of the old program.
type PayErrors struct {
	Errors []PayError `json:"errors"`
}

type PayError struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// payForm writes and reads the old form. A violation has its field, everything else the
// code of svc.
func payForm() *svc.ErrorForm {
	return svc.NewErrorForm(func(e *svc.Error) *PayErrors {
		var out PayErrors
		for _, v := range e.Violations() {
			out.Errors = append(out.Errors, PayError{"invalid", strings.TrimPrefix(v.Path, "/"), v.Message})
		}
		if out.Errors == nil {
			out.Errors = []PayError{{strings.ToLower(string(e.Code)), "", e.Message}}
		}
		return &out
	}, func(in *PayErrors) *svc.Error {
		if len(in.Errors) == 0 {
			return nil
		}
		if first := in.Errors[0]; first.Code != "invalid" {
			return svc.Errorf(svc.Code(strings.ToUpper(first.Code)), "%s", first.Message)
		}
		return svc.Errorf(svc.CodeInvalidArgument, "%s %s", in.Errors[0].Field, in.Errors[0].Message)
	}).WithStatus(svc.CodeInvalidArgument, 422)
}

type (
	OldPaymentsAPI interface {
		Create(context.Context, *NewOldPay) (*OldPay, error)
		Refund(context.Context, *OldPayID) (*OldPay, error)
		Watch(context.Context) (svc.Stream[OldPay], error)
	}
	NewOldPay struct {
		Amount   int64  `json:"amount" minimum:"1"`
		Currency string `json:"currency" enum:"EUR,USD"`
	}
	OldPayID struct {
		ID string `json:"id"`
	}
	OldPay struct {
		ID     string `json:"id"`
		Amount int64  `json:"amount"`
	}
	oldPayments struct{}
)

var errPayRefunded = svc.Errorf(svc.CodeAlreadyExists, "already refunded")

func (oldPayments) Create(_ context.Context, in *NewOldPay) (*OldPay, error) {
	return &OldPay{"p1", in.Amount}, nil
}
func (oldPayments) Refund(_ context.Context, in *OldPayID) (*OldPay, error) {
	switch in.ID {
	case "p1":
		return nil, errPayRefunded
	case "teapot":
		return nil, svc.Errorf(svc.CodeInvalidArgument, "no").WithStatus(418)
	case "boom":
		panic("secret")
	}
	return nil, svc.Errorf(svc.CodeNotFound, "there is no payment %s", in.ID)
}
func (oldPayments) Watch(context.Context) (svc.Stream[OldPay], error) {
	return func(yield func(*OldPay, error) bool) { yield(nil, errPayRefunded) }, nil
}

func oldPayOptions(form *svc.ErrorForm) *svc.Options {
	return &svc.Options{Resource: "payments", ErrorForm: form, Schemes: []svc.Scheme{{Type: "apiKey", Header: "X-API-Key"}}, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Refund": {HTTP: "POST /payments/{id}/refund", Errors: []*svc.Error{errPayRefunded, svc.Errorf(svc.CodeNotFound, "there is no payment")}}, "Watch": {HTTP: "GET /payments/watch"}}}
}

func oldPayHandler(form *svc.ErrorForm) (*svc.Service, http.Handler) {
	s := svc.MustRegister[OldPaymentsAPI](oldPayments{}, oldPayOptions(form))
	return s, svc.APIKey("X-API-Key", verifyKey, &svc.APIKeyOptions{OnError: form.Write, Logger: slog.New(slog.DiscardHandler)})(s.REST())
}

// Verify that the clients of the old program get what they got, byte for byte.
func TestErrorFormAnswers(t *testing.T) {
	_, h := oldPayHandler(payForm())
	for _, test := range []struct {
		name                  string
		verb, path, body, key string
		status                int
		want                  string
	}{
		{"a success", "POST", "/payments", `{"amount":5,"currency":"EUR"}`, deskKey, 200, `{"id":"p1","amount":5}`},
		{"two violations", "POST", "/payments", `{"amount":0}`, deskKey, 422, `{"errors":[{"code":"invalid","field":"amount","message":"must be at least 1"},{"code":"invalid","field":"currency","message":"is required"}]}`},
		{"no JSON", "POST", "/payments", `{"amount":`, deskKey, 422, `{"errors":[{"code":"invalid","message":"`},
		{"no key", "POST", "/payments", `{}`, "", 401, `{"errors":[{"code":"unauthenticated","message":"an API key is required"}]}`},
		{"an unknown key", "POST", "/payments", `{}`, "unknown", 401, `{"errors":[{"code":"unauthenticated","message":"the API key is not valid"}]}`},
		{"a key that is too long", "POST", "/payments", `{}`, strings.Repeat("k", 9000), 400, `{"errors":[{"code":"invalid_argument","message":"the API key has more than 8192 bytes"}]}`}, // svc's own status
		{"a declared error", "POST", "/payments/p1/refund", ``, deskKey, 409, `{"errors":[{"code":"already_exists","message":"already refunded"}]}`},
		{"an error with its own text", "POST", "/payments/p2/refund", ``, deskKey, 404, `{"errors":[{"code":"not_found","message":"there is no payment p2"}]}`},
		{"an error with its own status", "POST", "/payments/teapot/refund", ``, deskKey, 418, `{"errors":[{"code":"invalid_argument","message":"no"}]}`},
		{"an error that clients do not get to know", "POST", "/payments/boom/refund", ``, deskKey, 500, `{"errors":[{"code":"internal","message":"internal error"}]}`},
		{"no route", "GET", "/nowhere", ``, deskKey, 404, `{"errors":[{"code":"not_found","message":"there is nothing at this path"}]}`},
		{"another verb", "DELETE", "/payments", ``, deskKey, 405, `{"errors":[{"code":"unimplemented","message":"the method is not allowed here; allowed: POST"}]}`},
		{"a body too large", "POST", "/payments", strings.Repeat(" ", 2<<20), deskKey, 413, `{"errors":[{"code":"resource_exhausted","message":"the request body has more than 1048576 bytes"}]}`},
		{"a stream that ends with an error", "GET", "/payments/watch", ``, deskKey, 200, ": \n\nevent: error\ndata: {\"errors\":[{\"code\":\"already_exists\",\"message\":\"already refunded\"}]}\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.verb, test.path, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			if test.key != "" {
				r.Header.Set("X-API-Key", test.key)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := strings.TrimSpace(w.Body.String()); w.Code != test.status || !strings.Contains(got, strings.TrimSpace(strings.TrimPrefix(test.want, ": \n\n"))) {
				t.Errorf("%s %s %.40s: %d %.300s\nwant %d %s", test.verb, test.path, test.body, w.Code, got, test.status, test.want)
			}
		})
	}
}

// Verify that a client with the same options gets code and message, of the form and of an
// envelope, and without read, or from one that has no code, the code of the status.
func TestErrorFormClient(t *testing.T) {
	type client struct {
		Create func(context.Context, *NewOldPay) (*OldPay, error)
		Refund func(context.Context, *OldPayID) (*OldPay, error)
		Watch  func(context.Context) (svc.Stream[OldPay], error)
	}
	unread := svc.NewErrorForm(func(e *svc.Error) *PayErrors { return &PayErrors{[]PayError{{Message: e.Message}}} }, nil).WithStatus(svc.CodeAlreadyExists, 410)
	text := svc.NewErrorForm(func(e *svc.Error) *PayErrors { return &PayErrors{[]PayError{{Message: e.Message}}} },
		func(p *PayErrors) *svc.Error { return &svc.Error{Message: p.Errors[0].Message} }).WithStatus(svc.CodeAlreadyExists, 410)
	for name, test := range map[string]struct {
		form       *svc.ErrorForm
		key        string
		enveloped  bool
		code, text string
		status     int
		invalid    int // the status of an input that is not sent
	}{
		"read":     {payForm(), deskKey, false, "ALREADY_EXISTS", "already refunded", 409, 422},
		"guard":    {payForm(), "", false, "UNAUTHENTICATED", "an API key is required", 401, 422},
		"envelope": {payForm(), deskKey, true, "UNAVAILABLE", "the server is busy", 503, 422},
		"unread":   {unread, deskKey, false, "ALREADY_EXISTS", "already exists", 410, 400},
		"no code":  {text, deskKey, false, "ALREADY_EXISTS", "already refunded", 410, 400},
	} {
		t.Run(name, func(t *testing.T) {
			_, h := oldPayHandler(test.form)
			front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.enveloped {
					svc.WriteError(w, r, svc.Errorf(svc.CodeUnavailable, "the server is busy"))
					return
				}
				if test.key != "" {
					r.Header.Set("X-API-Key", test.key)
				}
				h.ServeHTTP(w, r)
			})
			var c client
			if err := svc.Connect[OldPaymentsAPI](&c, "", &svc.ClientOptions{Service: oldPayOptions(test.form), Handler: front}); err != nil {
				t.Fatal(err)
			}
			_, err := c.Refund(context.Background(), &OldPayID{"p1"})
			var e *svc.Error
			if !errors.As(err, &e) || string(e.Code) != test.code || e.Message != test.text || e.HTTPStatus() != test.status {
				t.Errorf("%v, %d; want %s: %s, %d", err, e.HTTPStatus(), test.code, test.text, test.status)
			}
			if _, err = c.Create(context.Background(), &NewOldPay{}); !errors.As(err, &e) || e.HTTPStatus() != test.invalid {
				t.Errorf("an input that is not sent: %v, %d; want %d", err, e.HTTPStatus(), test.invalid)
			}
			if name != "read" {
				return
			}
			stream, err := c.Watch(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range stream {
				if !errors.As(err, &e) || e.Code != svc.CodeAlreadyExists || e.Message != "already refunded" {
					t.Errorf("the stream ended with %v", err)
				}
			}
		})
	}
}

// Verify that a client reads the envelope of a middleware also where the form has a member
// "error" of another type, and the form where both have one.
func TestErrorFormOrEnvelope(t *testing.T) {
	type textForm struct {
		Error string `json:"error"`
	}
	form := svc.NewErrorForm(func(e *svc.Error) *textForm { return &textForm{e.Message} },
		func(f *textForm) *svc.Error { return svc.Errorf(svc.CodeAborted, "%s", f.Error) })
	for want, write := range map[string]svc.ErrorWriter{"ABORTED: busy": form.Write, "UNAVAILABLE: busy": svc.WriteError} {
		t.Run(strings.TrimSuffix(want, ": busy"), func(t *testing.T) {
			var client struct {
				Refund func(context.Context, *OldPayID) (*OldPay, error)
			}
			front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { write(w, r, svc.Errorf(svc.CodeUnavailable, "busy")) })
			if err := svc.Connect[OldPaymentsAPI](&client, "", &svc.ClientOptions{Service: oldPayOptions(form), Handler: front}); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Refund(t.Context(), &OldPayID{"p1"}); fmt.Sprint(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// Verify that a form cannot change the details of an error that calls share.
func TestErrorFormDetails(t *testing.T) {
	shared := svc.Errorf(svc.CodeAborted, "closed").WithDetail("until", 7)
	form := svc.NewErrorForm(func(e *svc.Error) *PayErrors { delete(e.Details, "until"); return &PayErrors{} }, nil)
	form.Write(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), shared)
	if shared.Details["until"] != 7 {
		t.Errorf("the details are %v", shared.Details)
	}
}

// Verify that a form that fails is logged, and that the client gets the envelope with the
// status that it would have had.
func TestErrorFormFails(t *testing.T) {
	type floats struct {
		F float64 `json:"f"`
	}
	for name, form := range map[string]*svc.ErrorForm{
		"nil":   svc.NewErrorForm(func(*svc.Error) *floats { return nil }, nil),
		"panic": svc.NewErrorForm(func(*svc.Error) *floats { panic("oops") }, nil),
		"NaN":   svc.NewErrorForm(func(*svc.Error) *floats { var zero float64; return &floats{zero / zero} }, nil),
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			options := oldPayOptions(form.WithStatus(svc.CodeUnauthenticated, 403))
			options.Logger = slog.New(slog.NewTextHandler(&log, nil))
			s := svc.MustRegister[OldPaymentsAPI](oldPayments{}, options)
			w := httptest.NewRecorder()
			s.REST().ServeHTTP(w, httptest.NewRequest("POST", "/payments", nil))
			if w.Code != 403 || w.Body.String() != `{"error":{"code":"UNAUTHENTICATED","message":"authentication required: send an API key in the header X-Api-Key"}}` || !strings.Contains(log.String(), "Options.ErrorForm: ") {
				t.Errorf("%d %s\nlogged %s", w.Code, w.Body, &log)
			}
		})
	}
}

// Verify what documents say of the form: its schema under every status, its statuses, and
// examples of declared errors in it.
func TestErrorFormInDocuments(t *testing.T) {
	s, _ := oldPayHandler(payForm().WithContentType("application/problem+json"))
	other := svc.MustRegister[DeskAPI](desk{}, deskOptions(svc.Scheme{Type: "bearer"}))
	for _, target := range []string{"/?openapi=3.0", "/?openapi=3.1", "/?openapi=3.2"} {
		t.Run(target, func(t *testing.T) {
			w := httptest.NewRecorder()
			svc.Join("All", s, other).OpenAPI().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
			for _, test := range [][2]string{
				{"paths /payments post responses 422", `{"$ref":"#/components/responses/PayErrors"}`},
				{"paths /payments post responses 400", ""},
				{"paths /payments post responses default", `{"$ref":"#/components/responses/PayErrors"}`},
				{"paths /payments post responses 401", `{"$ref":"#/components/responses/PayErrors"}`},
				{"paths /desk/who post responses 400", `{"$ref":"#/components/responses/ErrorBody"}`},
				{"components responses PayErrors content", `{"application/problem+json":{"schema":{"$ref":"#/components/schemas/PayErrors"}}}`},
				{"paths /payments/{id}/refund post responses 409", `{"description":"ALREADY_EXISTS: already refunded","content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/PayErrors"},` +
					`"examples":{"error1":{"value":{"errors":[{"code":"already_exists","message":"already refunded"}]}}}}}}`},
				{"components schemas PayErrors required", `["errors"]`},
			} {
				t.Run(test[0], func(t *testing.T) {
					var got bytes.Buffer
					if text := oaAt(t, w.Body.Bytes(), strings.Fields(test[0])...); text != "" {
						json.Compact(&got, []byte(text))
					}
					if got.String() != test[1] {
						t.Errorf("%s is %s\nwant %s", test[0], &got, test[1])
					}
				})
			}
		})
	}
}

// Verify that options and statuses which an ErrorForm cannot have are reported.
func TestErrorFormMistakes(t *testing.T) {
	type tagged struct {
		Code string `json:"code" header:"X-Code"`
	}
	register := func(o *svc.Options) string {
		_, err := svc.Register[OldPaymentsAPI](oldPayments{}, o)
		return fmt.Sprint(err)
	}
	panics := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return
	}
	for _, test := range []struct{ name, got, want string }{
		{"OnError beside the form", register(&svc.Options{ErrorForm: payForm(), OnError: svc.WriteProblem}), "Options has an ErrorForm and an OnError; set one"},
		{"a header tag", register(&svc.Options{ErrorForm: svc.NewErrorForm(func(*svc.Error) *tagged { return nil }, nil)}), "tagged.Code has a header tag"},
		{"a list", register(&svc.Options{ErrorForm: svc.NewErrorForm(func(*svc.Error) *[]string { return nil }, nil)}), "Options.ErrorForm: []string is not a JSON object"},
		{"a field that JSON cannot carry", register(&svc.Options{ErrorForm: svc.NewErrorForm(func(*svc.Error) *struct{ C chan int } { return nil }, nil)}), "- Options.ErrorForm: struct { C chan int }.C: JSON cannot carry a chan int"},
		{"no write", panics(func() { svc.NewErrorForm[PayErrors](nil, nil) }), "write must not be nil"},
		{"a status for OK", panics(func() { payForm().WithStatus("OK", 400) }), `svc: ErrorForm.WithStatus("OK", 400)`},
		{"a status of success for a code", panics(func() { payForm().WithStatus(svc.CodeNotFound, 200) }), `svc: ErrorForm.WithStatus("NOT_FOUND", 200)`},
		{"WithStatus for a rule", panics(func() { payForm().WithStatus("syntax", 400) }), `svc: ErrorForm.WithStatus("syntax", 400): want the code of an error, and a status from 400 to 599; WithRuleStatus takes rules`},
		{"a status of success for a rule", panics(func() { payForm().WithRuleStatus("syntax", 200) }), `svc: ErrorForm.WithRuleStatus("syntax", 200)`},
		{"a status out of range", panics(func() { payForm().WithRuleStatus("syntax", 600) }), `svc: ErrorForm.WithRuleStatus("syntax", 600)`},
		{"no rule", panics(func() { payForm().WithRuleStatus("", 400) }), `svc: ErrorForm.WithRuleStatus("", 400)`},
		{"WithRuleStatus for OK", panics(func() { payForm().WithRuleStatus("OK", 400) }), `svc: ErrorForm.WithRuleStatus("OK", 400)`},
		{"WithRuleStatus for a code", panics(func() { payForm().WithRuleStatus("NOT_FOUND", 400) }), `svc: ErrorForm.WithRuleStatus("NOT_FOUND", 400): want the rule of a violation`},
		{"an unknown code", panics(func() { payForm().WithStatus("NOT_FOUD", 404) }), `svc: ErrorForm.WithStatus("NOT_FOUD", 404)`},
		{"no code", panics(func() { payForm().WithStatus("", 404) }), `svc: ErrorForm.WithStatus("", 404)`},
		{"another Content-Type", panics(func() { payForm().WithContentType("text/plain") }), `svc: ErrorForm.WithContentType("text/plain")`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s\nwant %s", test.got, test.want)
			}
		})
	}
}

// Verify that no error of an application is larger on the wire than the limits, in every
// form, and that the log says what was cut.
func TestErrorLimits(t *testing.T) {
	many := make([]svc.Violation, 1000)
	for i := range many {
		many[i] = svc.Violation{In: "body", Path: "/n", Rule: "x", Message: strings.Repeat("m", 100)}
	}
	long := svc.Errorf(svc.CodeAborted, "%s", strings.Repeat("é", 5000))
	escaped := strings.Repeat("\x01", 10<<10) // six times as long in JSON
	for name, test := range map[string]struct {
		err  *svc.Error
		want string // in the envelope
		lack string
	}{
		"message":    {long, strings.Repeat("é", 2000), strings.Repeat("é", 2049)},
		"details":    {svc.Errorf(svc.CodeAborted, "x").WithDetail("big", strings.Repeat("b", 17<<10)), `{"error":{"code":"ABORTED","message":"x"}}`, "bbb"},
		"violations": {svc.Errorf(svc.CodeAborted, "x").WithDetail("violations", many).WithDetail("big", strings.Repeat("b", 17<<10)), `"details":{"violations":[{"in":"body"`, "bbb"},
		"rule":       {svc.Errorf(svc.CodeAborted, "x").WithDetail("violations", []svc.Violation{{In: escaped, Rule: escaped, Message: "wrong"}}), `"message":"wrong"`, strings.Repeat(`\u0001`, 257)},
		"received":   {svc.Errorf(svc.CodeAborted, "x").WithDetail("violations", []any{map[string]any{"rule": escaped, "message": "wrong"}}), `"message":"wrong"`, strings.Repeat(`\u0001`, 257)},
		"fits":       {svc.Errorf(svc.CodeAborted, "x").WithDetail("some", strings.Repeat("b", 15<<10)), `"some":"bbb`, "ccc"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			h := svc.Handle(func(http.ResponseWriter, *http.Request) error { return test.err }, &svc.ErrorOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			body, _ := io.ReadAll(w.Body)
			if !strings.Contains(string(body), test.want) || strings.Contains(string(body), test.lack) || len(body) > 17<<10 || !json.Valid(body) {
				t.Errorf("%d bytes, %.200s", len(body), body)
			}
			if cut := strings.Contains(log.String(), "cut="); cut != (name != "fits") {
				t.Errorf("logged %.300s", &log)
			}
			var seen *svc.Error
			form := svc.NewErrorForm(func(e *svc.Error) *PayErrors { seen = e; return &PayErrors{} }, nil)
			form.Write(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), test.err)
			if text, _ := json.Marshal(seen.Details); len(text) > 16<<10 || len(seen.Message) > 4<<10 {
				t.Errorf("a form gets %d bytes of details, and a message of %d", len(text), len(seen.Message))
			}
		})
	}
}

type refusesIn struct {
	Rule string `json:"rule"`
}

func (in *refusesIn) Validate() error {
	return svc.Errorf(svc.CodeInvalidArgument, "refused").WithDetail("violations", []svc.Violation{{In: "body", Rule: in.Rule, Message: "refused"}})
}

type refusesAPI interface {
	Create(ctx context.Context, in *refusesIn) error
}

type refusesImpl struct{}

func (refusesImpl) Create(context.Context, *refusesIn) error { return nil }

// Verify that an input is refused however long the Rule of the one violation is that its
// Validate returns.
func TestLongRuleIsRefused(t *testing.T) {
	h := svc.MustRegister[refusesAPI](refusesImpl{}, &svc.Options{Logger: slog.New(slog.DiscardHandler)})
	for _, test := range []struct{ name, rule string }{
		{"short", "short"},
		{"12 KiB", strings.Repeat("r", 12<<10)},
		{"2 KiB that are escaped", strings.Repeat("\x01", 2<<10)},
		{"10 KiB that are escaped", strings.Repeat("\x01", 10<<10)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := h.Call(context.Background(), "refuses_api", "create", &refusesIn{test.rule}); svc.CodeOf(err) != svc.CodeInvalidArgument {
				t.Errorf("a rule of %d bytes: %v", len(test.rule), err)
			}
		})
	}
}

// MissingError is the form of errors with the status 404 of a service with several forms.
type MissingError struct {
	Message string `json:"message"`
	Docs    string `json:"docs"`
}

func missingForm() *svc.ErrorForm {
	return svc.NewErrorForm(func(e *svc.Error) *MissingError { return &MissingError{e.Message, "https://docs.example/missing"} },
		func(in *MissingError) *svc.Error { return svc.Errorf("", "%s", in.Message) }).WithContentType("application/vnd.pay+json")
}

// Verify that a status has its own form in answers, documents, clients and contracts, and that the
// events of streams have the form of all errors.
func TestErrorFormFor(t *testing.T) {
	options := oldPayOptions(payForm().For(404, missingForm()))
	options.Schemes, options.Logger = nil, slog.New(slog.DiscardHandler)
	s := svc.MustRegister[OldPaymentsAPI](oldPayments{}, options)
	missing := httptest.NewRecorder()
	s.REST().ServeHTTP(missing, httptest.NewRequest("POST", "/payments/none/refund", nil))
	invalid := httptest.NewRecorder()
	s.REST().ServeHTTP(invalid, httptest.NewRequest("POST", "/payments", strings.NewReader(`{"amount":0,"currency":"EUR"}`)))
	doc := endText(s.OpenAPI(), "GET", "/openapi.json?openapi=3.1", "")
	for _, test := range []struct{ name, got, want string }{
		{"404", fmt.Sprint(missing.Code, missing.Header().Get("Content-Type"), missing.Body), `404application/vnd.pay+json{"message":"there is no payment none","docs":"https://docs.example/missing"}`},
		{"422", fmt.Sprint(invalid.Code, invalid.Body), `422 {"errors":[{"code":"invalid","field":"amount","message":"must be at least 1"}]}`},
		{"the document", doc, `"404":{"$ref":"#/components/responses/MissingError"}`},
		{"the component", doc, `"MissingError":{"description":"Error","content":{"application/vnd.pay+json":{"schema":{"$ref":"#/components/schemas/MissingError"}}}}`},
		{"the contract", string(s.Contract()), `"errorForms":{"404":{"contentType":"application/vnd.pay+json","body":{"kind":"object","object":"MissingError"}}}`},
		{"client.ts", endText(s.TypeScript(), "GET", "/client.ts", ""), "PayErrors | MissingError"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s\nwant %s", test.got, test.want)
			}
		})
	}
	var client struct {
		Refund func(context.Context, *OldPayID) (*OldPay, error)
	}
	if err := svc.Connect[OldPaymentsAPI](&client, "", &svc.ClientOptions{Service: options, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Refund(context.Background(), &OldPayID{"none"}); svc.CodeOf(err) != svc.CodeNotFound || err.Error() != "NOT_FOUND: there is no payment none" {
		t.Errorf("%v", err)
	}
	breaks, err := svc.MustRegister[OldPaymentsAPI](oldPayments{}, oldPayOptions(payForm())).Breaks(s.Contract())
	if text := fmt.Sprint(breaks, err); !strings.Contains(text, "error 404: is application/json, was application/vnd.pay+json") {
		t.Error(text)
	}
}
