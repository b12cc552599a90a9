package blackbox_test

import (
	"context"
	"fmt"
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
		mux.Handle(route.Method+" "+route.Path, guard(route.Handler))
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

// byKey sends a call to the old program if that has begun a call with the same key.
func byKey(old http.Handler, begun func(r *http.Request, key string) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Idempotency-Key"); key != "" && begun(r, key) {
			old.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Calls that were sent to the old program are sent again to the new one, with their keys.
func Example_movingKeys() {
	old := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the old answer") })
	begun := func(r *http.Request, key string) bool { return key == "k-1" } // a look into the old table
	records := make(map[string][]byte)                                      // a program with concurrent calls needs a lock
	once := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		if record, ok := records[id]; ok {
			return record, nil
		}
		record, err := do(ctx)
		if err == nil {
			key, _ := svc.IdempotencyKeyFrom(ctx) // for the old table, if replicas of the old program run
			fmt.Print("run for ", key, ": ")
			records[id] = record
		}
		return record, err
	}
	options := noteOptions()
	options.Idempotency = &svc.Idempotency{Run: once}
	options.Methods["Create"] = svc.MethodOptions{IdempotencyKey: svc.KeyAllowed}
	handler := byKey(old, begun, svc.MustRegister[NoteAPI](&notes{}, options).REST())

	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Idempotency-Key", "k-1"))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Idempotency-Key", "k-2"))
	show(handler, request("POST", "/notes", `{"text":"Buy milk"}`, "Idempotency-Key", "k-2"), "Idempotent-Replayed")
	show(handler, request("POST", "/notes", `{"text":"Pay rent"}`, "Idempotency-Key", "k-2"))
	// Output:
	// 200 the old answer
	// run for k-2: 200 {"id":1,"text":"Buy milk","color":"yellow"}
	// 200 {"id":1,"text":"Buy milk","color":"yellow"}; Idempotent-Replayed: true
	// 422 {"error":{"code":"INVALID_ARGUMENT","message":"the idempotency key was used with another method or another input; use a new key for a new call","reason":"key_reused"}}
}
