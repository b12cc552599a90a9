package svc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"example.com/svc"
	"example.com/svc/testdata/kitchen"
)

// contractT is what CheckContract says.
type contractT struct{ errors, logs []string }

func (t *contractT) Helper()                    {}
func (t *contractT) Errorf(f string, a ...any)  { t.errors = append(t.errors, fmt.Sprintf(f, a...)) }
func (t *contractT) Logf(f string, args ...any) { t.logs = append(t.logs, fmt.Sprintf(f, args...)) }

func TestCheckContractHolds(t *testing.T) {
	for _, s := range []*svc.Service{kitchen.Sink(false), kitchen.Sink(true), kitchen.Both()} {
		got := &contractT{}
		svc.CheckContract(got, s)
		for _, e := range got.errors {
			t.Errorf("%s: %s", s.Descriptor().Name, e)
		}
		for _, l := range got.logs {
			t.Logf("%s: %s", s.Descriptor().Name, l)
		}
	}
}

// Verify that what breaks the contract of a service is found: each type tells a
// schema that its own code does not keep.
func TestCheckContractBroken(t *testing.T) {
	for _, test := range []struct {
		service *svc.Service
		want    string // part of one of the errors
	}{
		{svc.MustRegister[loudAPI](noImpl{}, nil), "the schema takes "},
		{svc.MustRegister[laxAPI](noImpl{}, nil), "and the service takes it"},
		{svc.MustRegister[wrongAPI](noImpl{}, nil), `output: the schema refuses {"w":7}`},
		{svc.MustRegister[panicAPI](noImpl{}, nil), "panic: no"},
	} {
		got := &contractT{}
		svc.CheckContract(got, test.service)
		if len(got.errors) == 0 || len(got.errors) > 5 || !strings.Contains(strings.Join(got.errors, "\n"), test.want) {
			t.Errorf("%s: got %q, want at most five with %q", test.service.Descriptor().Name, got.errors, test.want)
		}
	}
}

// Verify that what cannot be checked is told, and is no error.
func TestCheckContractSkips(t *testing.T) {
	got := &contractT{}
	svc.CheckContract(got, svc.MustRegister[secretAPI](secretImpl{}, nil))
	if len(got.errors) > 0 {
		t.Errorf("got the errors %q", got.errors)
	}
	for _, want := range []string{
		"no value was found that is right",
		"secretFrom.From: only its type knows",
		"no value of Code keeps its own constraints",
	} {
		if !strings.Contains(strings.Join(got.logs, "\n"), want) {
			t.Errorf("got %q, want one with %q", got.logs, want)
		}
	}
}

// Verify that the same service gets the same findings each time, and that t need
// not have Logf.
func TestCheckContractRepeats(t *testing.T) {
	type quiet struct {
		*contractT
		Logf struct{} // hides the method
	}
	first, second := &contractT{}, &contractT{}
	svc.CheckContract(quiet{contractT: first}, svc.MustRegister[loudAPI](noImpl{}, nil))
	svc.CheckContract(quiet{contractT: second}, svc.MustRegister[loudAPI](noImpl{}, nil))
	if fmt.Sprint(first) != fmt.Sprint(second) || len(first.logs) > 0 {
		t.Errorf("got %q, then %q", first, second)
	}
}

type loudAPI interface {
	Create(context.Context, *struct {
		L loud `json:"l"`
	}) error
}

type laxAPI interface {
	Update(context.Context, *struct {
		L lax `json:"l"`
	}) error
}

type wrongAPI interface {
	Get(context.Context) (*wrongOut, error)
}

type wrongOut struct {
	W wrong `json:"w"`
}

type panicAPI interface {
	Set(context.Context, *panicIn) error
}

type panicIn struct {
	F fragile `json:"f"`
}

type secretAPI interface {
	Read(context.Context) (*secretOut, error)
	Archive(context.Context, *secretIn) error
	Create(context.Context, *secretFrom) error
}

type secretIn struct {
	Code string `json:"code" pattern:"^q{5}z$"`
}

type secretFrom struct {
	From netip.Addr `json:"from"`
}

type secretOut struct {
	Code string `json:"code" pattern:"^q{5}z$"`
}

// loud publishes a string and takes none.
type loud struct{}

func (loud) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }
func (*loud) UnmarshalJSON([]byte) error  { return fmt.Errorf("never") }
func (loud) JSONSchema() map[string]any   { return map[string]any{"type": "string"} }

// lax publishes a short string and takes anything.
type lax struct{}

func (lax) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }
func (*lax) UnmarshalJSON([]byte) error  { return nil }
func (lax) JSONSchema() map[string]any   { return map[string]any{"type": "string", "maxLength": 2} }

// wrong publishes a string and writes a number.
type wrong struct{}

func (wrong) MarshalJSON() ([]byte, error) { return json.Marshal(7) }
func (wrong) JSONSchema() map[string]any   { return map[string]any{"type": "string"} }

type fragile struct{}

func (*fragile) UnmarshalJSON([]byte) error { panic("no") }

// noImpl fails the test that calls it.
type noImpl struct{}

func (noImpl) Create(context.Context, *struct {
	L loud `json:"l"`
}) error {
	panic("called")
}

func (noImpl) Update(context.Context, *struct {
	L lax `json:"l"`
}) error {
	panic("called")
}

func (noImpl) Get(context.Context) (*wrongOut, error) { panic("called") }
func (noImpl) Set(context.Context, *panicIn) error    { panic("called") }

// secretImpl has a Create of another type.
type secretImpl struct{ noImpl }

func (secretImpl) Create(context.Context, *secretFrom) error { panic("called") }

func (noImpl) Read(context.Context) (*secretOut, error) { panic("called") }
func (noImpl) Archive(context.Context, *secretIn) error { panic("called") }
