package main

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"example.com/svc"
)

// PaymentAPI stands for a program that was there before svc, with errors and credentials
// of its own.
type PaymentAPI interface {
	Create(ctx context.Context, in *NewPayment) (*Payment, error)
	Refund(ctx context.Context, in *PaymentID) (*Payment, error)
}

type NewPayment struct {
	Amount int32 `json:"amount" minimum:"1"`
}

type PaymentID struct {
	ID string `json:"id"`
}

type Payment struct {
	ID     string `json:"id"`
	Amount int32  `json:"amount"`
}

// PaymentErrors is the form of all errors of that program.
type PaymentErrors struct {
	Errors []PaymentError `json:"errors"`
}

type PaymentError struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

func writePaymentErrors(e *svc.Error) *PaymentErrors {
	var out PaymentErrors
	for _, v := range e.Violations() {
		out.Errors = append(out.Errors, PaymentError{"invalid", strings.TrimPrefix(v.Path, "/"), v.Message})
	}
	if out.Errors == nil {
		out.Errors = []PaymentError{{strings.ToLower(string(e.Code)), "", e.Message}}
	}
	return &out
}

var errRefunded = svc.Errorf(svc.CodeAlreadyExists, "already refunded").WithHeader("Retry-After", "60")

type payments struct{}

func (payments) Create(_ context.Context, in *NewPayment) (*Payment, error) {
	return &Payment{"p1", in.Amount}, nil
}

func (payments) Refund(context.Context, *PaymentID) (*Payment, error) { return nil, errRefunded }

// servePayments serves the payments, to callers with the key "k".
func servePayments() (api, document http.Handler) {
	form := svc.NewErrorForm(writePaymentErrors, nil).WithStatus(svc.CodeInvalidArgument, http.StatusUnprocessableEntity)
	s := svc.MustRegister[PaymentAPI](payments{}, &svc.Options{
		Resource:  "payments",
		ErrorForm: form,
		Schemes:   []svc.Scheme{{Type: "apiKey", Header: "X-API-Key"}},
		Logger:    slog.New(slog.DiscardHandler),
		Methods:   map[string]svc.MethodOptions{"Refund": {HTTP: "POST /payments/{id}/refund", Errors: []*svc.Error{errRefunded}}},
	})
	guard := svc.APIKey("X-API-Key", func(_ context.Context, key string) (*svc.Principal, error) {
		if key != "k" {
			return nil, svc.Errorf(svc.CodeUnauthenticated, "the key is unknown")
		}
		return &svc.Principal{Subject: "desk"}, nil
	}, &svc.APIKeyOptions{OnError: form.Write, Logger: slog.New(slog.DiscardHandler)})
	return guard(s.REST()), s.OpenAPI()
}
