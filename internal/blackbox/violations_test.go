package blackbox_test

import (
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

// This file tests what violations say beside the rule: the type that came, the limit of a rule,
// and the source of the field.

// A ParcelAPI has a field from each source.
type ParcelAPI interface {
	Send(context.Context, *Parcel) (*Racked, error)
	Track(context.Context, *Parcel) (svc.Stream[Racked], error)
}

type Parcel struct {
	ID     string         `path:"parcel" json:"id"`
	Fast   bool           `query:"express" json:"fast,omitempty"`
	Tag    string         `header:"X-Tag" json:"tag,omitempty"`
	Coupon string         `cookie:"coupon" json:"coupon,omitempty"`
	To     *Place         `json:"to,omitempty"`
	Items  []string       `json:"items,omitempty" maxItems:"2" minLength:"3"`
	Weight float64        `json:"weight,omitempty" maximum:"2.5e1" exclusiveMinimum:"0" multipleOf:"0.5"`
	Count  int            `json:"count,omitempty" minimum:"-2"`
	Frail  bool           `json:"frail,omitempty"`
	Pair   [2]int         `json:"pair,omitempty"`
	Extra  map[string]int `json:"extra,omitempty" minProperties:"1"`
	Quoted int            `json:"quoted,omitempty,string"`
	Fail   string         `json:"fail,omitempty" enum:"validate,method,wrapped,details,mixed"`
}

type Place struct {
	City string `json:"city" maxLength:"5"`
}

// placeless returns an error of the application with violations that name no source.
func placeless(paths ...string) *svc.Error {
	var list []svc.Violation
	for _, path := range paths {
		list = append(list, svc.Violation{Path: path, Rule: "own", Message: "is wrong"})
	}
	return svc.Errorf(svc.CodeInvalidArgument, "refused").WithDetail("violations", list)
}

// parcelPaths are places in a Parcel, with the sources of their fields.
var parcelPaths = []struct{ path, in string }{
	{"/id", "path"}, {"/parcel", "path"}, {"/fast", "query"}, {"/express", "query"}, {"/tag", "header"}, {"/X-Tag", "header"}, {"/coupon", "cookie"},
	{"/to/city", "body"}, {"/items/1", "body"}, {"", "body"}, {"/nobody", "body"}, {"items", "body"},
}

func parcelError() *svc.Error {
	var paths []string
	for _, p := range parcelPaths {
		paths = append(paths, p.path)
	}
	return placeless(paths...)
}

func (p *Parcel) Validate() error {
	switch p.Fail {
	case "validate":
		return parcelError()
	case "mixed":
		return svc.Errorf(svc.CodeInvalidArgument, "refused").WithDetail("violations", []svc.Violation{{In: "cookie", Path: "/id", Rule: "own"}, {Path: "/fast", Rule: "own"}})
	}
	return nil
}

var errParcel = parcelError()

type parcels struct{}

func (parcels) Send(_ context.Context, in *Parcel) (*Racked, error) { return &Racked{}, in.failure() }
func (parcels) Track(_ context.Context, in *Parcel) (svc.Stream[Racked], error) {
	return func(yield func(*Racked, error) bool) { yield(nil, in.failure()) }, nil
}

func (p *Parcel) failure() error {
	switch p.Fail {
	case "method":
		return errParcel
	case "wrapped":
		return fmt.Errorf("sending: %w", errParcel)
	case "details":
		return svc.Errorf(svc.CodeFailedPrecondition, "no").WithDetail("violations", []any{map[string]any{"path": "/fast", "rule": "own", "message": "m"}})
	}
	return nil
}

func newParcels(change func(*svc.Options)) (*svc.Service, *svc.Options) {
	o := &svc.Options{Resource: "parcels", Logger: slog.New(slog.DiscardHandler), Methods: map[string]svc.MethodOptions{
		"Send": {HTTP: "POST /parcels/{parcel}"}, "Track": {HTTP: "POST /parcels/{parcel}/track"},
	}}
	if change != nil {
		change(o)
	}
	return svc.MustRegister[ParcelAPI](parcels{}, o), o
}

// violationsOf returns the violations in a JSON text at a path.
func violationsOf(t *testing.T, text string, path ...string) []svc.Violation {
	t.Helper()
	value := json.RawMessage(text)
	for _, name := range append(path, "details", "violations") {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(value, &m); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		value = m[name]
	}
	var list []svc.Violation
	if err := json.Unmarshal(value, &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return list
}

// Verify what is said of a value of another type, on every transport that has JSON.
func TestTypeThatCame(t *testing.T) {
	s, _ := newParcels(nil)
	for _, test := range []struct{ field, value, want string }{
		{"to", `"x"`, "must be an object, is a string"},
		{"to", `[]`, "must be an object, is an array"},
		{"to", `-1`, "must be an object, is a number"},
		{"to", `false`, "must be an object, is a boolean"},
		{"to", `"{\"city\":\"x\"}"`, "must be an object, is a string with JSON in it; send the object itself"},
		{"to", `" {\"city\":\"x\"}\n"`, "must be an object, is a string with JSON in it; send the object itself"},
		{"to", `"\u007b\u007d"`, "must be an object, is a string with JSON in it; send the object itself"},
		{"to", `"[]"`, "must be an object, is a string"},
		{"to", `"{\"city\":}"`, "must be an object, is a string"},
		{"to", `"{} {}"`, "must be an object, is a string"},
		{"extra", `"{\"a\":1}"`, "must be an object, is a string with JSON in it; send the object itself"},
		{"extra", `[1]`, "must be an object, is an array"},
		{"items", `"[\"abc\"]"`, "must be an array, is a string with JSON in it; send the array itself"},
		{"items", `"abc"`, "must be an array, is a string"},
		{"items", `{}`, "must be an array, is an object"},
		{"items", `null`, "must not be null; leave it out"},
		{"pair", `"[1,2]"`, "must be an array, is a string with JSON in it; send the array itself"},
		{"count", `"5.5"`, "must be an integer, is a string"},
		{"count", `"five"`, "must be an integer, is a string"},
		{"count", `"1.5"`, "must be an integer, is a string"},
		{"count", `1.5`, "must be an integer, is a number with a fraction"},
		{"count", `null`, "must not be null; leave it out"},
		{"weight", `"1e0"`, "must be a number, is a string with JSON in it; send the number itself"},
		{"weight", `true`, "must be a number, is a boolean"},
		{"frail", `"true"`, "must be true or false, is a string with JSON in it; send the boolean itself"},
		{"frail", `"yes"`, "must be true or false, is a string"},
		{"frail", `0`, "must be true or false, is a number"},
		{"quoted", `7`, "must be a string, is a number"},
		{"fail", `{"a":[1]}`, "must be a string, is an object"},
	} {
		t.Run(test.field+" "+test.value, func(t *testing.T) {
			member := `"` + test.field + `":` + test.value
			for name, list := range map[string][]svc.Violation{
				"REST":     violationsOf(t, textOf(answerTo(s.REST(), "POST", "/parcels/1", `{`+member+`}`, "Content-Type", "application/json")), "error"),
				"JSON-RPC": violationsOf(t, postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"parcels.send","params":{"id":"1",`+member+`}}`), "error", "data"),
			} {
				if want := (svc.Violation{In: "body", Path: "/" + test.field, Rule: "type", Message: test.want}); len(list) != 1 || list[0] != want {
					t.Errorf("%s: got %v, want %v", name, list, want)
				}
			}
			text := callTool(s.MCP(nil), "parcels_send", `{"id":"1",`+member+`}`)
			if !strings.Contains(text, "/"+test.field+" "+test.want+`"`) && test.value != "null" { // which is absence there
				t.Errorf("MCP: %s", text)
			}
		})
	}
}

// Verify which violations have a limit, in the JSON of each transport and for clients.
func TestViolationLimit(t *testing.T) {
	s, o := newParcels(nil)
	for _, test := range []struct{ body, rule, limit string }{
		{`{"items":["abc","abc","abc"]}`, "maxItems", "2"},
		{`{"items":["ab"]}`, "minLength", "3"},
		{`{"to":{"city":"Berlin"}}`, "maxLength", "5"},
		{`{"weight":26}`, "maximum", "2.5e1"},
		{`{"weight":-1}`, "exclusiveMinimum", "0"},
		{`{"weight":0.75}`, "multipleOf", "0.5"},
		{`{"count":-3}`, "minimum", "-2"},
		{`{"pair":[1,2,3]}`, "maxItems", "2"},
		{`{"pair":[1]}`, "minItems", "2"},
		{`{"extra":{}}`, "minProperties", "1"},
		{`{"fail":"x"}`, "enum", ""},
		{`{"count":1e99}`, "range", ""},
	} {
		t.Run(test.rule+" "+test.body, func(t *testing.T) {
			rest := textOf(answerTo(s.REST(), "POST", "/parcels/1", test.body, "Content-Type", "application/json"))
			member := `"limit":` + test.limit + `}`
			if strings.Contains(rest, `"limit"`) != (test.limit != "") || test.limit != "" && !strings.Contains(rest, member) {
				t.Errorf("REST: %s, want %s", rest, member)
			}
			if rpc := postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"parcels.send","params":{"id":"1",`+test.body[1:]+`}`); test.limit != "" && !strings.Contains(rpc, member) {
				t.Errorf("JSON-RPC: %s, want %s", rpc, member)
			}
			list := violationsOf(t, rest, "error")
			if len(list) != 1 || list[0].Rule != test.rule || list[0].Limit != json.Number(test.limit) {
				t.Errorf("got %+v, want the rule %s with the limit %q", list, test.rule, test.limit)
			}
			// A client that does not check takes the text from the response.
			var client struct {
				Send func(context.Context, *Parcel) (*Racked, error)
			}
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(400)
				w.Write([]byte(rest))
			})
			if err := svc.Connect[ParcelAPI](&client, "", &svc.ClientOptions{Service: o, Handler: handler}); err != nil {
				t.Fatal(err)
			}
			_, err := client.Send(context.Background(), &Parcel{ID: "1"})
			if got := svc.ErrorFrom(err).Violations(); len(got) != 1 || got[0] != list[0] {
				t.Errorf("the client got %+v, want %+v", got, list)
			}
		})
	}
}

// Verify that Call and a client, which read no JSON, tell the same limit.
func TestViolationLimitOfValues(t *testing.T) {
	s, o := newParcels(nil)
	var client struct {
		Send func(context.Context, *Parcel) (*Racked, error)
	}
	if err := svc.Connect[ParcelAPI](&client, "", &svc.ClientOptions{Service: o, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	in := &Parcel{ID: "1", Weight: 26, Count: -3}
	_, called := s.Call(context.Background(), "parcels", "send", in)
	_, sent := client.Send(context.Background(), in)
	want := []json.Number{"2.5e1", "-2"}
	for name, err := range map[string]error{"Call": called, "Connect": sent} {
		list := svc.ErrorFrom(err).Violations()
		if len(list) != 2 || list[0].Limit != want[0] || list[1].Limit != want[1] {
			t.Errorf("%s: %+v, want the limits %v", name, list, want)
		}
	}
}

// Verify that a limit which the application has written is sent if it is a number.
func TestViolationLimitOfApplications(t *testing.T) {
	for _, test := range []struct {
		limit json.Number
		sent  bool
	}{
		{"5", true}, {"-1.5e3", true}, {json.Number(strings.Repeat("9", 64)), true}, {json.Number(strings.Repeat("9", 65)), false},
		{"x", false}, {"1,\"a\":2", false}, {"", false}, {"01", false}, {" 1", false}, {"1 ", false},
	} {
		t.Run(fmt.Sprintf("%.20q of %d", test.limit, len(test.limit)), func(t *testing.T) {
			err := svc.Errorf(svc.CodeInvalidArgument, "no").WithDetail("violations", []svc.Violation{{In: "body", Rule: "own", Limit: test.limit}})
			racks, _ := newRacks(err, nil)
			text := textOf(answerTo(racks.REST(), "POST", "/racks", ""))
			if !json.Valid([]byte(text)) || strings.Contains(text, `"limit"`) != test.sent || test.sent && !strings.Contains(text, `"limit":`+string(test.limit)+"}") {
				t.Errorf("got %s", text)
			}
		})
	}
}

// Verify that each violation of the application gets the source of the field that its path names.
func TestViolationSource(t *testing.T) {
	s, o := newParcels(nil)
	var client struct {
		Send  func(context.Context, *Parcel) (*Racked, error)
		Track func(context.Context, *Parcel) (svc.Stream[Racked], error)
	}
	if err := svc.Connect[ParcelAPI](&client, "", &svc.ClientOptions{Service: o, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, fail := range []string{"validate", "method", "wrapped"} {
		answers := map[string]func() []svc.Violation{
			"REST": func() []svc.Violation {
				return violationsOf(t, textOf(answerTo(s.REST(), "POST", "/parcels/1", `{"fail":"`+fail+`"}`, "Content-Type", "application/json")), "error")
			},
			"JSON-RPC": func() []svc.Violation {
				return violationsOf(t, postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"parcels.send","params":{"id":"1","fail":"`+fail+`"}}`), "error", "data")
			},
			"a stream over JSON-RPC": func() []svc.Violation {
				return violationsOf(t, postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"parcels.track","params":{"id":"1","fail":"`+fail+`"}}`), "error", "data")
			},
			"Call": func() []svc.Violation {
				_, err := s.Call(ctx, "parcels", "send", &Parcel{ID: "1", Fail: fail})
				return svc.ErrorFrom(err).Violations()
			},
			"Connect": func() []svc.Violation {
				_, err := client.Send(ctx, &Parcel{ID: "1", Fail: fail})
				return svc.ErrorFrom(err).Violations()
			},
			"a stream of Connect": func() (list []svc.Violation) {
				stream, err := client.Track(ctx, &Parcel{ID: "1", Fail: fail})
				if err != nil {
					return svc.ErrorFrom(err).Violations()
				}
				for _, err := range stream {
					list = svc.ErrorFrom(err).Violations()
				}
				return list
			},
		}
		for name, answer := range answers {
			t.Run(fail+": "+name, func(t *testing.T) {
				list := answer()
				if len(list) != len(parcelPaths) {
					t.Fatalf("got %v", list)
				}
				for i, want := range parcelPaths {
					if list[i].In != want.in || list[i].Path != want.path {
						t.Errorf("got %+v, want it in %s", list[i], want.in)
					}
				}
			})
		}
	}
	if errParcel.Violations()[0].In != "" {
		t.Error("the error of the application was changed")
	}
}

// Verify that the source which the application says stays, and that an error which gets its
// sources is still the error of the method.
func TestViolationSourceStays(t *testing.T) {
	s, _ := newParcels(nil)
	ctx := context.Background()
	_, err := s.Call(ctx, "parcels", "send", &Parcel{ID: "1", Fail: "mixed"})
	if list := svc.ErrorFrom(err).Violations(); len(list) != 2 || list[0].In != "cookie" || list[1].In != "query" {
		t.Errorf("got %v", list)
	}
	_, err = s.Call(ctx, "parcels", "send", &Parcel{ID: "1", Fail: "wrapped"})
	if !errors.Is(err, errParcel) || err.Error() != "sending: "+errParcel.Error() {
		t.Errorf("got %v", err)
	}
	_, err = s.Call(ctx, "parcels", "send", &Parcel{ID: "1", Fail: "details"})
	if list := svc.ErrorFrom(err).Violations(); len(list) != 1 || list[0].In != "query" {
		t.Errorf("got %v", list)
	}
}

// Verify the source where the method has no input.
func TestViolationSourceWithoutInput(t *testing.T) {
	s := svc.MustRegister[CrateAPI](crates{}, &svc.Options{Resource: "crates", Logger: slog.New(slog.DiscardHandler)})
	_, err := s.Call(context.Background(), "crates", "tip", nil)
	list := svc.ErrorFrom(err).Violations()
	if len(list) != len(parcelPaths) {
		t.Fatalf("got %v", err)
	}
	for _, v := range list {
		if v.In != "body" {
			t.Errorf("%+v is not in the body", v)
		}
	}
}

// A CrateAPI takes a Body that a tag limits, and one that MaxBody limits.
type CrateAPI interface {
	Load(context.Context, *Crate) error
	Fill(context.Context, *Bin) error
	Tip(context.Context) error
}

type (
	Crate struct {
		Content svc.Body `maxBytes:"12"`
	}
	Bin struct{ Content svc.Body }
)

type crates struct{}

func (crates) Load(_ context.Context, in *Crate) error { return readAll(in.Content) }
func (crates) Fill(_ context.Context, in *Bin) error   { return readAll(in.Content) }
func (crates) Tip(context.Context) error               { return errParcel }

func readAll(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// Verify that a Body over the limit of its tag is told with the rule, from the header and from
// the body, by the server and by a client.
func TestViolationOfBody(t *testing.T) {
	o := &svc.Options{Resource: "crates", MaxBody: 12, Logger: slog.New(slog.DiscardHandler)}
	s := svc.MustRegister[CrateAPI](crates{}, o)
	var client struct {
		Load func(context.Context, *Crate) error
	}
	if err := svc.Connect[CrateAPI](&client, "", &svc.ClientOptions{Service: o, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	want := svc.Violation{In: "body", Rule: "maxBytes", Message: "must have at most 12 bytes", Limit: "12"}
	const body = `{"error":{"code":"RESOURCE_EXHAUSTED","message":"the request body has more than 12 bytes"`
	post := func(path string, content io.Reader) string {
		r := httptest.NewRequest("POST", path, content)
		w := httptest.NewRecorder()
		s.REST().ServeHTTP(w, r)
		if w.Code != 413 {
			t.Errorf("the status is %d", w.Code)
		}
		return w.Body.String()
	}
	for name, content := range map[string]io.Reader{"announced": strings.NewReader("thirteen byte"), "read": io.MultiReader(strings.NewReader("thirteen byte"))} {
		t.Run(name, func(t *testing.T) {
			text := post("/crates/load", content)
			if list := violationsOf(t, text, "error"); !strings.HasPrefix(text, body) || len(list) != 1 || list[0] != want {
				t.Errorf("got %s", text)
			}
		})
	}
	if got := post("/crates/fill", strings.NewReader("thirteen byte")); got != body+"}}" {
		t.Errorf("without the tag: %s", got)
	}
	err := client.Load(context.Background(), &Crate{svc.NewBody(strings.NewReader("thirteen byte"), "")})
	if list := svc.ErrorFrom(err).Violations(); svc.ErrorFrom(err).HTTPStatus() != 413 || len(list) != 1 || list[0] != want {
		t.Errorf("the client got %v with %v", err, list)
	}
}

type (
	BlankAPI interface {
		Create(context.Context, *BlankIn) error
	}
	BlankIn struct {
		ID    string               `json:"id" path:"id" minLength:"2"`
		Sort  string               `json:"sort,omitempty" query:"sort" minLength:"1"`
		Lang  string               `json:"lang,omitempty" header:"X-Lang" minLength:"1"`
		Text  string               `json:"text" minLength:"3" pattern:"^[a-z]+$"`
		Maybe *string              `json:"maybe,omitempty" minLength:"3"`
		Opt   svc.Optional[string] `json:"opt,omitzero" minLength:"1"`
		Tags  []string             `json:"tags,omitempty" minItems:"1" minLength:"1"`
		Code  string               `json:"code,omitempty" pattern:"^[a-z]+$"`
		Name  blankName            `json:"name"`
	}
	blankName struct {
		Own string `json:"own,omitempty"`
	}
	blanks struct{}
)

func (n *blankName) Validate() error {
	if n.Own == "" {
		return nil
	}
	return svc.Errorf(svc.CodeInvalidArgument, "no").WithDetail("violations", []svc.Violation{{Path: "/own", Rule: "blank", Message: "is blank", Empty: true}})
}

func (blanks) Create(context.Context, *BlankIn) error { return nil }

// Verify which violations are of an empty text: over REST and JSON-RPC, in the answer to Call, and in a client
// that checks its input and one that reads the response.
func TestViolationEmpty(t *testing.T) {
	opts := &svc.Options{Resource: "blanks", Methods: map[string]svc.MethodOptions{"Create": {HTTP: "POST /blanks/{id}"}}}
	s := svc.MustRegister[BlankAPI](blanks{}, opts)
	for _, test := range []struct {
		name, request, header, body string
		rpc                         string // params; "" if they are not told apart from absent ones
		want                        string
	}{
		{"a text", "/blanks/12", "a", `{"text":"","name":{}}`, `{"id":"12","text":"","name":{}}`, `/text minLength 3 true`},
		{"a short text", "/blanks/12", "a", `{"text":"a","name":{}}`, `{"id":"12","text":"a","name":{}}`, `/text minLength 3 false`},
		{"an absent text", "/blanks/12", "a", `{"name":{}}`, `{"id":"12","name":{}}`, `/text required  false`},
		{"null", "/blanks/12", "a", `{"text":null,"name":{}}`, `{"id":"12","text":null,"name":{}}`, `/text type  false`},
		{"a pointer", "/blanks/12", "a", `{"text":"abc","maybe":"","name":{}}`, `{"id":"12","text":"abc","maybe":"","name":{}}`, `/maybe minLength 3 true`},
		{"an Optional", "/blanks/12", "a", `{"text":"abc","opt":"","name":{}}`, `{"id":"12","text":"abc","opt":"","name":{}}`, `/opt minLength 1 true`},
		{"an item", "/blanks/12", "a", `{"text":"abc","tags":["a",""],"name":{}}`, `{"id":"12","text":"abc","tags":["a",""],"name":{}}`, `/tags/1 minLength 1 true`},
		{"a list", "/blanks/12", "a", `{"text":"abc","tags":[],"name":{}}`, `{"id":"12","text":"abc","tags":[],"name":{}}`, `/tags minItems 1 false`},
		{"another rule", "/blanks/12", "a", `{"text":"abc","code":"","name":{}}`, `{"id":"12","text":"abc","code":"","name":{}}`, `/code pattern  false`},
		{"your own", "/blanks/12", "a", `{"text":"abc","name":{"own":"x"}}`, `{"id":"12","text":"abc","name":{"own":"x"}}`, `/name/own blank  true`},
		{"a path", "/blanks/1", "a", `{"text":"abc","name":{}}`, `{"id":"1","text":"abc","name":{}}`, `/id minLength 2 false`},
		{"a query", "/blanks/12?sort=", "a", `{"text":"abc","name":{}}`, `{"id":"12","sort":"","text":"abc","name":{}}`, `/sort minLength 1 true`},
		{"a header", "/blanks/12", "", `{"text":"abc","name":{}}`, ``, `/X-Lang minLength 1 true`},
	} {
		t.Run(test.name, func(t *testing.T) {
			said := func(list []svc.Violation) string {
				if len(list) != 1 {
					return fmt.Sprint(list)
				}
				return fmt.Sprint(list[0].Path, " ", list[0].Rule, " ", list[0].Limit, " ", list[0].Empty)
			}
			rest := textOf(answerTo(s.REST(), "POST", test.request, test.body, "Content-Type", "application/json", "X-Lang", test.header))
			list := violationsOf(t, rest, "error")
			if got := said(list); got != test.want || strings.Contains(rest, `"empty"`) != strings.HasSuffix(test.want, "true") {
				t.Errorf("REST: %s, want %s in %s", got, test.want, rest)
			}
			if test.rpc != "" {
				text := postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"blanks.create","params":`+test.rpc+`}`)
				if got := strings.Contains(text, `"empty":true}`); got != list[0].Empty {
					t.Errorf("JSON-RPC: %s", text)
				}
			}
			var client struct {
				Create func(context.Context, *BlankIn) error
			}
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(400)
				w.Write([]byte(rest))
			})
			if err := svc.Connect[BlankAPI](&client, "", &svc.ClientOptions{Service: opts, Handler: handler}); err != nil {
				t.Fatal(err)
			}
			err := client.Create(t.Context(), &BlankIn{ID: "12", Text: "abc"})
			if got := said(svc.ErrorFrom(err).Violations()); got != test.want {
				t.Errorf("the client got %s", got)
			}
		})
	}
}

// Verify that Call and a client, which read no JSON, say which text is empty.
func TestViolationEmptyOfValues(t *testing.T) {
	opts := &svc.Options{Resource: "blanks", Methods: map[string]svc.MethodOptions{"Create": {HTTP: "POST /blanks/{id}"}}}
	s := svc.MustRegister[BlankAPI](blanks{}, opts)
	var client struct {
		Create func(context.Context, *BlankIn) error
	}
	if err := svc.Connect[BlankAPI](&client, "", &svc.ClientOptions{Service: opts, Handler: s.REST()}); err != nil {
		t.Fatal(err)
	}
	in := &BlankIn{ID: "1", Maybe: new(string), Tags: []string{"", "a"}}
	_, called := s.Call(t.Context(), "blanks", "create", in)
	for name, err := range map[string]error{"Call": called, "Connect": client.Create(t.Context(), in)} {
		var got []string
		for _, v := range svc.ErrorFrom(err).Violations() {
			got = append(got, fmt.Sprint(v.Path, " ", v.Rule, " ", v.Empty))
		}
		if want := "/id minLength false, /text minLength true, /maybe minLength true, /tags/0 minLength true"; strings.Join(got, ", ") != want {
			t.Errorf("%s: %s", name, strings.Join(got, ", "))
		}
	}
}
