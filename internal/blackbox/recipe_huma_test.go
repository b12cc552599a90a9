package blackbox_test

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"example.com/svc"
)

// The code of this example stands in doc/huma.md, for people who move a program of huma. Its clients
// know the errors of huma, a list with headers, and events of several types.

// A humaError is the form of errors of huma.
type humaError struct {
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail"`
	Errors []humaDetail `json:"errors,omitempty"`
}

type humaDetail struct {
	Message  string `json:"message"`
	Location string `json:"location"` // such as body.tags.0, or body for an absent member
}

var humaForm = svc.NewErrorForm(func(e *svc.Error) *humaError {
	p := &humaError{Title: http.StatusText(e.HTTPStatus()), Status: e.HTTPStatus(), Detail: e.Message}
	for _, v := range e.Violations() {
		p.Detail = "validation failed"
		place := v.In + strings.ReplaceAll(v.Path, "/", ".")
		if v.Rule == "required" { // huma names the object that lacks the member
			place = place[:max(strings.LastIndexByte(place, '.'), len(v.In))]
		}
		p.Errors = append(p.Errors, humaDetail{v.Message, place})
	}
	return p
}, nil).WithContentType("application/problem+json").WithStatus(svc.CodeInvalidArgument, 422).WithRuleStatus("syntax", 400)

// A PermitAPI has what sse.Register and an output with headers beside its Body were.
type PermitAPI interface {
	List(ctx context.Context, in *ListPermits) (*Permits, error)
	Changes(ctx context.Context) (svc.Stream[Change], error)
}

type ListPermits struct {
	Limit int `json:"limit" minimum:"1" maximum:"50" default:"10"`
}

type Permit struct {
	Plate string `json:"plate" minLength:"1"`
}

type Permits []Permit

// A Change is one of two events.
type Change struct {
	Plate string `json:"plate,omitempty"` // of changed
	Count int    `json:"count,omitempty"` // of closed
}

func (c *Change) SSE() svc.Event {
	if c.Count > 0 {
		return svc.Event{Name: "closed"}
	}
	return svc.Event{Name: "changed"}
}

type permits struct{ all Permits }

func (p permits) List(ctx context.Context, in *ListPermits) (*Permits, error) {
	list := p.all[:min(in.Limit, len(p.all))]
	if info, ok := svc.InfoFrom(ctx); ok && info.Header != nil {
		info.Header.Set("X-Total-Count", strconv.Itoa(len(p.all)))
	}
	return &list, nil
}

func (p permits) Changes(context.Context) (svc.Stream[Change], error) {
	return func(yield func(*Change, error) bool) {
		for _, permit := range p.all {
			if !yield(&Change{Plate: permit.Plate}, nil) {
				return
			}
		}
		yield(&Change{Count: len(p.all)}, nil)
	}, nil
}

func Example_movingHuma() {
	options := &svc.Options{Resource: "permits", ErrorForm: humaForm, Logger: slog.New(slog.DiscardHandler),
		Methods: map[string]svc.MethodOptions{"Changes": {HTTP: "GET /changes"}}}
	v1 := svc.MustRegister[PermitAPI](permits{Permits{{"B-AB 123"}, {"M-X 1"}}}, options).At("/v1").REST()

	show(v1, request("GET", "/v1/permits?limit=1", ""), "X-Total-Count")
	show(v1, request("GET", "/v1/permits?limit=51", ""))
	show(v1, request("GET", "/v1/changes", ""))
	// Output:
	// 200 [{"plate":"B-AB 123"}]; X-Total-Count: 2
	// 422 {"title":"Unprocessable Entity","status":422,"detail":"validation failed","errors":[{"message":"must be at most 50","location":"query.limit"}]}
	// 200 :
	//
	// event: changed
	// data: {"plate":"B-AB 123"}
	//
	// event: changed
	// data: {"plate":"M-X 1"}
	//
	// event: closed
	// data: {"count":2}
	//
	// event: done
	// data: {}
}
