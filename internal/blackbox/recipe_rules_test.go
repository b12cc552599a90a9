package blackbox_test

import (
	"context"
	"log/slog"

	"example.com/svc"
)

// The code of this example stands in doc/rules.md.

// Stay is an input with a rule on two fields.
type Stay struct {
	From   string `json:"from" format:"date"`
	To     string `json:"to" format:"date"`
	Guests int    `json:"guests" minimum:"1"`
}

func (s *Stay) Validate() error {
	if s.From < s.To { // both have the form of a date here
		return nil
	}
	return svc.Errorf(svc.CodeInvalidArgument, "the days do not fit").WithDetail("violations", []svc.Violation{
		{Path: "/to", Rule: "order", Message: "must be after the day of arrival"},
	})
}

type StayAPI interface {
	Create(ctx context.Context, in *Stay) error
}

type stays struct{}

func (stays) Create(context.Context, *Stay) error { return nil }

// The tags are checked first. Validate is called once they hold.
func Example_validate() {
	service := svc.MustRegister[StayAPI](stays{}, &svc.Options{Resource: "stays", Logger: slog.New(slog.DiscardHandler)})

	show(service.REST(), request("POST", "/stays", `{"from":"2026-05-04","to":"2026-05-01","guests":0}`))
	show(service.REST(), request("POST", "/stays", `{"from":"2026-05-04","to":"2026-05-01","guests":2}`))
	show(service.REST(), request("POST", "/stays", `{"from":"2026-05-04","to":"2026-05-08","guests":2}`))
	// Output:
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"invalid input: /guests must be at least 1","details":{"violations":[{"in":"body","path":"/guests","rule":"minimum","message":"must be at least 1","limit":1}]}}}
	// 400 {"error":{"code":"INVALID_ARGUMENT","message":"the days do not fit","details":{"violations":[{"in":"body","path":"/to","rule":"order","message":"must be after the day of arrival"}]}}}
	// 204
}
