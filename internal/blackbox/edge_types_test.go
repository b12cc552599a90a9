package blackbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// An exactAPI is a service whose one method takes a T.
type exactAPI[T any] interface {
	Do(ctx context.Context, in *T) error
}

type exactImpl[T any] struct{ got *T }

func (x exactImpl[T]) Do(_ context.Context, in *T) error {
	if x.got != nil {
		*x.got = *in
	}
	return nil
}

// exactly returns a service of a method POST /x/do that takes a T, which got
// receives if it is not nil.
func exactly[T any](got *T, opts svc.Options) (*svc.Service, error) {
	opts.Resource, opts.Logger = "x", slog.New(slog.DiscardHandler)
	return svc.Register[exactAPI[T]](exactImpl[T]{got}, &opts)
}

// exactSchema returns the JSON Schema of T, or of the tool's input, or the mistakes
// of a service that takes one.
func exactSchema[T any](tool bool) string {
	s, err := exactly[T](nil, svc.Options{})
	if err != nil {
		return err.Error()
	}
	var schema any = s.Descriptor().Resources[0].Methods[0].Input.Schema
	if tool {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		s.MCP(nil).ServeHTTP(w, r)
		var list struct {
			Result struct {
				Tools []struct{ InputSchema any }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Result.Tools) != 1 {
			return w.Body.String()
		}
		schema = list.Result.Tools[0].InputSchema
	}
	text, _ := json.Marshal(schema)
	return string(text)
}

// exactPost returns the status and the body of POST /x/do with the query, and what the
// method got of it.
func exactPost[T any](opts svc.Options, query, body string) (status int, answer string, got T) {
	s, err := exactly(&got, opts)
	if err != nil {
		return 0, err.Error(), got
	}
	r := httptest.NewRequest("POST", "/x/do"+query, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, r)
	return w.Code, w.Body.String(), got
}

type (
	// An exTiny is a byte with names.
	exTiny uint8
	// An exTree contains itself by a list that is met first.
	exTree []*exNode
	exNode struct {
		Kids exTree `json:"kids,omitempty" maxItems:"2" format:"tree" doc:"Below."`
	}
	// An exForest contains itself by a map that is met first.
	exForest map[string]exGrove
	exGrove  struct {
		Trees exForest `json:"trees,omitempty" maxProperties:"2" doc:"Inside."`
	}
	// An exCode is a text that says what it looks like.
	exCode struct{ text string }
	exKeys struct {
		ByCode map[exCode]int `json:"byCode,omitempty"`
		ByNum  map[uint8]int  `json:"byNum,omitempty"`
	}
)

func (exTiny) Enum() []exTiny { return []exTiny{1, 2} }

func (c exCode) MarshalText() ([]byte, error)     { return []byte(c.text), nil }
func (c *exCode) UnmarshalText(text []byte) error { c.text = string(text); return nil }
func (exCode) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[a-z]{2}$"}
}

// Verify what schemas say of types at the edges.
func TestSchemasOfEdgeTypes(t *testing.T) {
	t.Parallel()
	type maxed struct {
		N uint64   `json:"n" maximum:"18446744073709551615"`
		D uint64   `json:"d" default:"9223372036854775808"`
		E []uint64 `json:"e" enum:"1,9223372036854775808"`
		O uint64   `json:"o" maximum:"9223372036854775807"`
	}
	type tiny struct {
		List []exTiny `json:"list"`
	}
	type bytes struct {
		Raw []byte `json:"raw" doc:"A picture."`
	}
	type tree struct {
		Tree exTree `json:"tree"`
	}
	type forest struct {
		Forest exForest `json:"forest"`
	}
	type endless struct {
		Next map[string]endless `json:"next" minProperties:"1"`
	}
	type mapped struct {
		M map[string]bool `json:"m" minProperties:"2" maxProperties:"1"`
	}
	type nulls struct {
		O svc.Optional[string] `json:"o,omitzero" nullable:"false"`
		P *string              `json:"p,omitempty" nullable:"false"`
	}
	type required struct {
		P *string `json:"p" nullable:"false"`
	}
	type wrong struct {
		P *string `json:"p,omitempty" nullable:"true"`
		S string  `json:"s,omitempty" nullable:"false"`
	}
	type hints struct {
		Code string   `json:"code" pattern:"^[A-Z]{2}$" patternHint:"two capital letters" doc:"Of a country."`
		List []string `json:"list" pattern:"^[A-Z]{2}$" patternHint:"two capital letters"`
		Link string   `json:"link" pattern:"^https:" patternHint:"https: and an address"`
		Size string   `json:"size" pattern:"^[0-9]+ m$" patternHint:"étendue"`
	}
	type badHints struct {
		A string `json:"a" patternHint:"two capital letters"`
		B string `json:"b" pattern:"a" patternHint:""`
		C string `json:"c" pattern:"a" patternhint:"an a"`
	}
	for _, test := range []struct{ name, got, want string }{
		{"an Optional that is not null", exactSchema[nulls](false), `"o":{"type":"string"}`},
		{"a pointer that is not null", exactSchema[nulls](false), `"p":{"type":"string"}`},
		{"an Optional of a tool that is not null", exactSchema[nulls](true), `"o":{"type":"string"}`},
		{"a required pointer", exactSchema[required](false), `required.P: nullable:"false": want "false", on an Optional or on a pointer with omitempty, which can be absent but not null then`},
		{"nullable true", exactSchema[wrong](false), `wrong.P: nullable:"true": want "false"`},
		{"no pointer", exactSchema[wrong](false), `wrong.S: nullable:"false": want "false", on an Optional`},
		{"a hint with a doc", exactSchema[hints](false), `"code":{"description":"Of a country: two capital letters","pattern":"^[A-Z]{2}$","type":"string"}`},
		{"a hint of items", exactSchema[hints](false), `"list":{"description":"Two capital letters","items":{"pattern":"^[A-Z]{2}$","type":"string"},"type":"array"}`},
		{"a hint that begins with no word", exactSchema[hints](false), `"link":{"description":"https: and an address",`},
		{"a hint that begins with another letter", exactSchema[hints](false), `"size":{"description":"Étendue",`},
		{"a hint without a pattern", exactSchema[badHints](false), "badHints.A: patternHint says in words what a pattern is, and the field has none"},
		{"an empty hint", exactSchema[badHints](false), "badHints.B: patternHint is empty"},
		{"a hint in lower case", exactSchema[badHints](false), "badHints.C: svc does not read the tag patternhint; did you mean patternHint?"},
		{"a maximum beyond int64", exactSchema[maxed](false), `"n":{"maximum":18446744073709551615,"minimum":0,"type":"integer"}`},
		{"a default beyond int64", exactSchema[maxed](false), `"d":{"default":9223372036854775808,"maximum":18446744073709551615,"minimum":0,"type":"integer"}`},
		{"an enum beyond int64", exactSchema[maxed](false), `"items":{"enum":[1,9223372036854775808],"type":"integer"}`},
		{"a maximum of int64", exactSchema[maxed](false), `"o":{"format":"int64","maximum":9223372036854775807,"minimum":0,"type":"integer"}`},
		{"a list of bytes with names", exactSchema[tiny](false), `.List: a []blackbox_test.exTiny is base64 in JSON, in which nothing can check blackbox_test.exTiny.Enum; make blackbox_test.exTiny another type of integer, such as uint16`},
		{"names that are texts", exactSchema[exKeys](false), `"byCode":{"additionalProperties":{"format":"int64","type":"integer"},"propertyNames":{"pattern":"^[a-z]{2}$","type":"string"},"type":"object"}`},
		{"names without a sign", exactSchema[exKeys](false), `"propertyNames":{"pattern":"^(0|[1-9][0-9]{0,2})$"}`},
		{"base64 of a tool", exactSchema[bytes](true), `"raw":{"contentEncoding":"base64","description":"A picture.","pattern":"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$","type":"string"}`},
		{"base64 elsewhere", exactSchema[bytes](false), `"raw":{"description":"A picture.","format":"byte","type":"string"}`},
		{"a list that contains itself", exactSchema[tree](false), `"maxItems":2`},
		{"a map that contains itself", exactSchema[forest](false), `"maxProperties":2`},
		{"a map that must contain itself", exactSchema[endless](false), "endless must contain itself or a type that does"},
		{"a map of no size", exactSchema[mapped](false), `mapped.M: no value meets minProperties:"2" and maxProperties:"1"; lower the first, or raise the second`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.got, test.want) {
				t.Errorf("%s: %s\nwant %s", test.name, test.got, test.want)
			}
		})
	}
}

// Verify what is accepted at the edges, and what is said of the rest.
func TestInputsOfEdgeTypes(t *testing.T) {
	t.Parallel()
	type when struct {
		At time.Time `json:"at"`
	}
	for _, body := range []string{"2006-01-02t15:04:05z", "2006-01-02T15:04:05z", "2006-01-02t15:04:05Z", "2006-01-02t15:04:05.0+00:00"} {
		status, answer, got := exactPost[when](svc.Options{}, "", `{"at":"`+body+`"}`)
		if want := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC); status != 204 || !got.At.Equal(want) {
			t.Errorf("%s: %d %s %v, want %v", body, status, answer, got.At, want)
		}
	}
	for _, test := range []struct{ name, body, query, want string }{
		{"three kids", `{"tree":[{"kids":[{},{},{}]}]}`, "", `400 /tree/0/kids must have at most 2 items`},
		{"an Optional null", `{"o":null,"p":null}`, "", `400 /o must not be null; leave it out; /p must not be null; leave it out`},
		{"values", `{"o":"a","p":"b"}`, "", "204 "},
		{"nothing", `{}`, "", "204 "},
		{"a pattern in words", `{"code":"x"}`, "", "400 /code must be two capital letters"},
		{"a pattern in words of an item", `{"codes":["AB","x"]}`, "", "400 /codes/1 must be two capital letters"},
		{"a plus in a query", `{}`, "?at=2006-01-02T15:04:05+01:00", "400 /at must be a date and time by RFC 3339, such as 2026-01-02T15:04:05Z; in a query + is a blank, so write %2B for it"},
		{"a blank in a query", `{}`, "?at=2006-01-02T15:04:05%2001:00", "400 /at must be a date and time by RFC 3339, such as 2026-01-02T15:04:05Z"},
		{"a plus elsewhere in a query", `{}`, "?at=tomorrow+noon", "400 /at must be a date and time by RFC 3339, such as 2026-01-02T15:04:05Z"},
		{"a value of a long enum", `{"long":"i"}`, "", "204 "},
		{"no value of a long enum", `{"long":"ii"}`, "", "400 /long must be one of a, b, c, d, e, f, g, h, i"},
		{"a name twice", `{"o":"a","o":"b"}`, "", "400 /o is the name of two members of one object, at byte 13"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, answer, _ := exactPost[exInput](svc.Options{}, test.query, test.body)
			if got := fmt.Sprint(status, " ", exactMessages(answer)); got != test.want {
				t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
			}
		})
	}
	s, err := exactly[exInput](nil, svc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := new(exInput)
	if in.O.SetNull(); true {
		_, err = s.Call(context.Background(), "x", "do", in)
	}
	if want := "/o must not be null"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Call with null: %v, want %s", err, want)
	}
}

// exactMessages returns the places and the messages of the violations in an answer.
func exactMessages(answer string) string {
	var e struct {
		Error struct {
			Details struct{ Violations []svc.Violation }
		}
	}
	json.Unmarshal([]byte(answer), &e)
	var list []string
	for _, v := range e.Error.Details.Violations {
		list = append(list, v.Path+" "+v.Message)
	}
	return strings.Join(list, "; ")
}

// An exInput meets exTree before exNode.
type exInput struct {
	Tree  exTree               `json:"tree,omitempty"`
	O     svc.Optional[string] `json:"o,omitzero" nullable:"false"`
	P     *string              `json:"p,omitempty" nullable:"false"`
	Code  string               `json:"code,omitempty" pattern:"^[A-Z]{2}$" patternHint:"two capital letters"`
	Codes []string             `json:"codes,omitempty" pattern:"^[A-Z]{2}$" patternHint:"two capital letters"`
	At    *time.Time           `query:"at,omitempty"`
	Long  string               `json:"long,omitempty" enum:"a,b,c,d,e,f,g,h,i"`
}

// An exOutput has an Optional that is never null.
type exOutput struct {
	O svc.Optional[string] `json:"o,omitzero" nullable:"false"`
	N int                  `json:"n"`
}

type exOutAPI interface {
	Do(ctx context.Context) (*exOutput, error)
}

type exOutImpl struct{}

func (exOutImpl) Do(context.Context) (*exOutput, error) {
	out := new(exOutput)
	out.O.SetNull()
	return out, nil
}

// Verify that an output keeps the promise of nullable:"false".
func TestOutputIsNeverNull(t *testing.T) {
	t.Parallel()
	s := svc.MustRegister[exOutAPI](exOutImpl{}, &svc.Options{Resource: "x"})
	w := httptest.NewRecorder()
	s.REST().ServeHTTP(w, httptest.NewRequest("POST", "/x/do", nil))
	if got, want := w.Body.String(), `{"n":0}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Types that say what they look like in words of JSON Schema that 3.0.3 lacks.
type (
	exAmount struct{ exCode } // as in doc/types.md
	exList   struct{ exCode }
	exCut    struct{ exCode }
)

func (exAmount) JSONSchema() map[string]any {
	return map[string]any{"pattern": "^[0-9]+$", "additionalProperties": false, "examples": []any{"12", "13"}, "contentEncoding": "x", "$comment": "y", "x-a": map[string]any{"examples": 1}}
}

func (exList) MarshalJSON() ([]byte, error) { return []byte("[]"), nil }
func (*exList) UnmarshalJSON([]byte) error  { return nil }
func (exList) JSONSchema() map[string]any {
	return map[string]any{"type": "array", "prefixItems": []any{map[string]any{"type": "string"}}, "description": "A pair."}
}

func (exCut) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "not": map[string]any{"const": "x"}, "examples": []any{"y"}}
}

type exCustoms struct {
	ID  exAmount               `path:"id"`
	A   exAmount               `json:"a"`
	O   svc.Optional[exAmount] `json:"o,omitzero"`
	P   *exList                `json:"p,omitempty"`
	Cut svc.Optional[exCut]    `json:"cut,omitzero"`
}

// Verify what 3.0.3 says of types of one's own.
func TestCustomSchemasIn30(t *testing.T) {
	t.Parallel()
	s, err := exactly[exCustoms](nil, svc.Options{Methods: map[string]svc.MethodOptions{"Do": {HTTP: "PUT /x/{id}"}}})
	if err != nil {
		t.Fatal(err)
	}
	doc := string(kitchenDocument(s, ""))
	const amount = `"additionalProperties":false,"example":"12","pattern":"^[0-9]+$","type":"string","x-a":{"examples":1}`
	for _, want := range []string{
		`"name":"id","in":"path","required":true,"schema":{` + amount + `}`,
		`"a":{` + amount + `}`,
		`"o":{` + amount + `,"nullable":true,"anyOf":[{"type":"string","nullable":true,"enum":[null]},{` + amount + `}]}`,
		`"p":{"description":"A pair.","items":{},"type":"array","nullable":true,"anyOf":[{"type":"array","nullable":true,"enum":[null],"items":{}},{"description":"A pair.","items":{},"type":"array"}]}`,
		`"cut":{"type":"string","nullable":true,"anyOf":[{"type":"string","nullable":true,"enum":[null]},{"type":"string"}]}`,
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document has no %s:\n%s", want, doc)
		}
	}
}

// Verify what documents say of the service as a whole, and mistakes in that.
func TestDocumentsOfTheWholeService(t *testing.T) {
	t.Parallel()
	type none struct{}
	for _, test := range []struct {
		opts        svc.Options
		query, want string
	}{
		{svc.Options{Contact: "https://example.com/help", License: "Apache-2.0"}, "", `"info":{"title":"ExactAPI","contact":{"url":"https://example.com/help"},"license":{"name":"Apache-2.0"},"version":"0.1.0"}`},
		{svc.Options{Contact: "help@example.com", License: "MIT"}, "?openapi=3.1", `"contact":{"email":"help@example.com"},"license":{"name":"MIT","identifier":"MIT"}`},
		{svc.Options{}, "", `"openapi":"3.0.3","info":{"title":"ExactAPI","version":"0.1.0"}`},
		{svc.Options{OpenAPI: "3.1"}, "", `"openapi":"3.1.0"`},
		{svc.Options{OpenAPI: "3.2.0"}, "", `"openapi":"3.2.0"`},
		{svc.Options{OpenAPI: "3.1"}, "?openapi=3.0", `"openapi":"3.0.3"`},
		{svc.Options{OpenAPI: "2.0"}, "", `Options.OpenAPI is "2.0"; there are 3.0, 3.1 and 3.2`},
		{svc.Options{Contact: "http://example.com"}, "", `Options.Contact is "http://example.com"; want a URL such as https://`},
		{svc.Options{Contact: "https://"}, "", `Options.Contact is`},
		{svc.Options{Contact: "nobody"}, "", `Options.Contact is`},
		{svc.Options{Contact: "a@b@c"}, "", `Options.Contact is`},
		{svc.Options{Contact: "@b"}, "", `Options.Contact is`},
		{svc.Options{Contact: "A <a@b>"}, "", `Options.Contact is`},
		{svc.Options{License: "https://license"}, "", `Options.License is`},
		{svc.Options{License: "MIT license"}, "", `Options.License is "MIT license"; want an SPDX identifier, such as Apache-2.0`},
		{svc.Options{License: "(MIT"}, "", `Options.License is`},
		{svc.Options{License: "MIT OR"}, "", `Options.License is`},
		{svc.Options{License: "GPL-2.0-only WITH Classpath-exception-2.0"}, "", `"license":{"name":"GPL-2.0-only WITH Classpath-exception-2.0"}`},
		{svc.Options{License: "(MIT AND BSD-3-Clause) OR Apache-2.0"}, "", `"license":{"name":"(MIT AND BSD-3-Clause) OR Apache-2.0"}`},
		{svc.Options{ErrorForm: formOf[one[string]]().WithRuleStatus("maxLength", 413)}, "", `"413":{`},
	} {
		t.Run(rowName(test.opts.Contact, test.opts.License, test.query, test.want), func(t *testing.T) {
			opts := test.opts
			opts.Name = "ExactAPI"
			var got string
			if s, err := exactly[none](nil, opts); err != nil {
				got = err.Error()
			} else {
				got = string(kitchenDocument(s, test.query))
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%+v: %s\nwant %s", test.opts, got, test.want)
			}
		})
	}
}

type exWrongAPI interface {
	Do(ctx context.Context, in *exWrong) string
}

type exWrong struct {
	A string `json:"a" minimum:"1"`
}

type exWrongImpl struct{}

func (exWrongImpl) Do(context.Context, *exWrong) string { return "" }

// Verify that all mistakes of a method are found in one round.
func TestMistakesOfAMethodInOneRound(t *testing.T) {
	t.Parallel()
	_, err := svc.Register[exWrongAPI](exWrongImpl{}, &svc.Options{Path: "{a}", Methods: map[string]svc.MethodOptions{
		"Do": {Resource: "no!", Transports: []svc.Transport{svc.TransportREST, "x"}, Stream: "y", HTTP: "DO", Scopes: []string{"z"}},
	}})
	for _, want := range []string{"the last result must be an error", "exWrong.A: minimum", "MethodOptions.Resource", `has "x"`, `the stream mode "y"`, `the HTTP pattern "DO"`, "Public and Scopes", `write the route of each method in Options.Methods, such as {HTTP: "GET /{a}"}`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
}
