package blackbox_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/svc"
)

// The code of this example stands in doc/moving.md, for people who move a program endpoint
// by endpoint. Its clients know the errors of the old program.

// legacyErrors is the body of an error of the old program.
type legacyErrors struct {
	Errors []legacyError `json:"errors"`
}

type legacyError struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// emptyBodies lets clients send no body where {} is meant.
func emptyBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
		}
		next.ServeHTTP(w, r)
	})
}

func Example_moving() {
	router := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the old program") })
	mux := http.NewServeMux()
	options := noteOptions()
	options.ErrorForm = svc.NewErrorForm(func(e *svc.Error) *legacyErrors {
		var out legacyErrors
		for _, v := range e.Violations() {
			out.Errors = append(out.Errors, legacyError{"invalid", strings.TrimPrefix(v.Path, "/"), v.Message})
		}
		if out.Errors == nil {
			out.Errors = []legacyError{{strings.ToLower(string(e.Code)), "", e.Message}}
		}
		return &out
	}, nil).WithStatus(svc.CodeInvalidArgument, 422)
	options.Schemes = []svc.Scheme{{Type: "apiKey", Header: "X-Api-Key"}}
	service := svc.MustRegister[NoteAPI](&notes{}, options)

	guard := svc.APIKey("X-Api-Key", verifyKeyHash, &svc.APIKeyOptions{OnError: options.ErrorForm.Write, Logger: options.Logger})
	mux.Handle("/", router) // the old program: of chi, gin or any other router
	for _, route := range service.Routes() {
		mux.Handle(route.Method+" "+route.Path, emptyBodies(guard(route.Handler)))
	}

	show(mux, request("GET", "/reports", ""))
	show(mux, request("PUT", "/notes", ""))
	show(mux, request("POST", "/notes", `{"text":"Buy milk"}`))
	show(mux, request("POST", "/notes", `{"text":"Buy milk"}`, "X-Api-Key", "robot-key"))
	show(mux, request("POST", "/notes", `{"text":""}`, "X-Api-Key", "robot-key"))
	show(mux, request("PATCH", "/notes/1", ``, "X-Api-Key", "robot-key"))
	show(mux, request("GET", "/notes/7", ``, "X-Api-Key", "robot-key"))
	// Output:
	// 200 the old program
	// 200 the old program
	// 401 {"errors":[{"code":"unauthenticated","message":"an API key is required"}]}
	// 201 {"id":1,"text":"Buy milk","color":"yellow","by":"robot"}
	// 422 {"errors":[{"code":"invalid","field":"text","message":"must have at least 1 character"}]}
	// 200 {"id":1,"text":"Buy milk","color":"yellow","by":"robot"}
	// 404 {"errors":[{"code":"not_found","message":"there is no note 7"}]}
}

// Text that is no JSON, and a value of another type, keep the status 400 beside the 422 of a
// broken rule.
func Example_movingBadJSON() {
	form := svc.NewErrorForm(func(e *svc.Error) *legacyError { return &legacyError{Code: string(e.Code)} }, nil)
	options := noteOptions()
	options.ErrorForm = form.WithStatus(svc.CodeInvalidArgument, 422).WithRuleStatus("syntax", 400).WithRuleStatus("type", 400)
	service := svc.MustRegister[NoteAPI](&notes{}, options)

	show(service.REST(), request("POST", "/notes", `{"text":`))
	show(service.REST(), request("POST", "/notes", `{"text":7}`))
	show(service.REST(), request("POST", "/notes", `{"text":""}`))
	// Output:
	// 400 {"code":"INVALID_ARGUMENT","message":""}
	// 400 {"code":"INVALID_ARGUMENT","message":""}
	// 422 {"code":"INVALID_ARGUMENT","message":""}
}
