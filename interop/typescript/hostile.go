package main

import (
	"context"

	"example.com/svc"
)

// This file has a service whose names and texts would be code if they were not written as
// names and texts. Each of them sets globalThis.hacked if it runs.

// evil ends comments, strings, templates, scripts and lines.
const evil = "*/ globalThis.hacked=1; /* `${globalThis.hacked=2}` \";globalThis.hacked=3;// ';globalThis.hacked=4;//\r\nglobalThis.hacked=5\u2028globalThis.hacked=6\u2029globalThis.hacked=7\u0085 </script><script>globalThis.hacked=8</script><!-- \\u002a/ \\ @ts-nocheck @ts-ignore {@link x} \u202e\u0000"

// NastyAPI has methods whose names are words of the language, or of every object.
type NastyAPI interface {
	Delete(context.Context, *NastyID) (*Response, error)
	Constructor(context.Context, *Nasty) (*Nasty, error)
	Then(context.Context, *NastyID) error // of something that await would call
	ToString(context.Context) (*Date, error)
	Url(context.Context, *Query) (*CallError, error)
	Try(context.Context, *NastyID) (svc.Stream[Nasty], error)
	Function(context.Context) (*Promise, error)
	Proto(context.Context, *Clash) (*Clash, error)
	Hasownproperty(context.Context, *Any) (*Any, error)
}

type (
	NastyID struct {
		ID string `json:"id" doc:"*/ globalThis.hacked=11 /*"`
	}
	// Nasty has names that have to be quoted.
	Nasty struct {
		Proto   string            `json:"__proto__,omitempty" default:"constructor"`
		Comment string            `json:"*/globalThis.hacked=9/*" maxLength:"5"`
		Inject  string            `json:"${globalThis.hacked=10}</script>,omitempty"`
		Delete  bool              `json:"delete"`
		Dashed  int32             `json:"a-b.c" minimum:"1"`
		Empty   string            `json:"0,omitempty"`
		Values  string            `json:"values,omitempty" enum:"*/,</script>,${x},\",'"`
		Pattern string            "json:\"pattern,omitempty\" pattern:\"^[/*`$'{}a-z]*$\" patternHint:\"*/ globalThis.hacked=12 /*\""
		Map     map[string]string `json:"constructor,omitempty"`
		Example string            `json:"example,omitempty" example:"*/globalThis.hacked=13"`
	}
	// Response, Date, CallError, Promise, Any and Query are names of the language or of the module.
	Response struct {
		Record string `json:"record"`
	}
	Date      struct{ At string }
	CallError struct{ Code string }
	Promise   struct{ All string }
	Any       struct {
		Unknown any `json:"unknown"`
	}
	Query struct {
		Key string `json:"key,omitempty" example:"&\"'<>"`
	}
	// A Clash has fields that have one name in TypeScript.
	Clash struct {
		IfMatch string `json:"-" header:"If-Match,omitempty"`
		Other   string `json:"ifMatch,omitempty"`
	}
)

type nasty struct{}

func (nasty) Delete(_ context.Context, in *NastyID) (*Response, error) { return &Response{in.ID}, nil }
func (nasty) Constructor(_ context.Context, in *Nasty) (*Nasty, error) { return in, nil }
func (nasty) Then(context.Context, *NastyID) error {
	return svc.Errorf(svc.CodeAborted, "%s", evil).WithReason("constructor").WithDetail("__proto__", evil)
}
func (nasty) ToString(context.Context) (*Date, error)                 { return &Date{evil}, nil }
func (nasty) Url(context.Context, *Query) (*CallError, error)         { return &CallError{"x"}, nil }
func (nasty) Function(context.Context) (*Promise, error)              { return &Promise{evil}, nil }
func (nasty) Proto(_ context.Context, in *Clash) (*Clash, error)      { return in, nil }
func (nasty) Hasownproperty(_ context.Context, in *Any) (*Any, error) { return in, nil }
func (nasty) Try(context.Context, *NastyID) (svc.Stream[Nasty], error) {
	return func(yield func(*Nasty, error) bool) {
		if yield(&Nasty{Proto: evil, Dashed: 1}, nil) {
			yield(nil, svc.Errorf(svc.CodeAborted, "%s", evil))
		}
	}, nil
}

func nastyOptions() *svc.Options {
	return &svc.Options{Name: evil, Description: evil, Version: evil, Resource: "prototype", Logger: quiet, Methods: map[string]svc.MethodOptions{
		"Delete":         {Description: evil, Deprecated: true},
		"Constructor":    {HTTP: "POST /prototype/constructor", Description: "@ts-expect-error\n@deprecated\n" + evil, Errors: []*svc.Error{svc.Errorf(svc.CodeAborted, "%s", evil).WithReason("constructor")}},
		"Then":           {Resource: "then", HTTP: "POST /then/{id}"},
		"ToString":       {Resource: "__proto__", HTTP: "GET /proto/to"},
		"Url":            {Resource: "1-class", HTTP: "GET /class"},
		"Try":            {HTTP: "GET /prototype/{id}/try"},
		"Function":       {HTTP: "GET /prototype/function"},
		"Proto":          {HTTP: "POST /prototype/proto"},
		"Hasownproperty": {HTTP: "POST /prototype/own"},
	}}
}
