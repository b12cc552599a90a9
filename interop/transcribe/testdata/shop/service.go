package shop

import (
	"embed"

	"example.com/svc"
)

// Source is the source of this package, whose comments become the documentation.
//
//go:embed *.go
var Source embed.FS

// Errors that the methods declare.
var (
	errAnotherOrderHasTheNumber  = svc.Errorf(svc.CodeAlreadyExists, "Another order has the number")
	errTheOrderCannotBeDelivered = svc.Errorf(svc.CodeFailedPrecondition, "The order cannot be delivered").WithStatus(422)
	errWhatIsWrong               = svc.Errorf(svc.CodeNotFound, "What is wrong")
)

// A Server has the implementation of each interface.
type Server struct {
	Orders    OrdersAPI
	Customers CustomersAPI
}

// Service returns one service of all interfaces.
func Service(s Server) *svc.Service {
	comments := svc.ReadComments(Source)
	return svc.Join("Shop",
		svc.MustRegister[OrdersAPI](s.Orders, options(comments, "orders", ordersMethods)),
		svc.MustRegister[CustomersAPI](s.Customers, options(comments, "customers", customersMethods)),
	)
}

// options returns the options of one interface.
func options(comments *svc.Comments, resource string, methods map[string]svc.MethodOptions) *svc.Options {
	return &svc.Options{
		Name:        "Shop",
		Description: "Orders and their customers.",
		Version:     "2026-01",
		Contact:     "help@shop.example",
		License:     "Apache-2.0",
		OpenAPI:     "3.0",
		Resource:    resource,
		Comments:    comments,
		Methods:     methods,
		Defaults:    svc.Defaults{BaseURL: "https://eu.shop.example"},
		Schemes: []svc.Scheme{
			{Type: "apiKey", Header: "X-Api-Key"},
		},
		ErrorForm: errorForm,
	}
}

// errorForm is the form of errors over REST.
var errorForm = svc.NewErrorForm(func(e *svc.Error) *Problem {
	return &Problem{Error: ProblemError{Code: string(e.Code), Message: e.Message}}
}, nil).
	For(422, svc.NewErrorForm(func(e *svc.Error) *ErrorBody {
		return &ErrorBody{Reasons: []string{e.Message}}
	}, nil))
