package blackbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/svc"
)

// An exNumber is part of an input and checks itself in three ways.
type exNumber struct {
	Number string `json:"number,omitempty"`
}

func (n exNumber) Validate() error {
	switch n.Number {
	case "":
		return nil
	case "plain":
		return errors.New("is plain")
	case "gone":
		return svc.Errorf(svc.CodeNotFound, "there is no such number")
	}
	return exNumberError("/number", n.Number)
}

// exNumberError returns an error with two violations, as packages that check numbers do.
func exNumberError(path, text string) error {
	return svc.Errorf(svc.CodeInvalidArgument, "the number is wrong").WithStatus(422).WithHeader("X-Why", "number").WithDetail("why", text).
		WithDetail("violations", []svc.Violation{{In: "body", Path: path, Rule: "luhn", Message: "has a wrong digit"}, {Path: "", Rule: "x", Message: "is no number"}})
}

// An exIBAN reads its own text, and an exCard its own JSON.
type (
	exIBAN string
	exCard struct{ Text string }
)

func (n exIBAN) MarshalText() ([]byte, error) { return []byte(n), nil }
func (n *exIBAN) UnmarshalText(text []byte) error {
	if *n = exIBAN(text); *n == "bad" {
		return exNumberError("/digits", "iban")
	}
	return nil
}
func (c exCard) MarshalJSON() ([]byte, error) { return json.Marshal(c.Text) }
func (c *exCard) UnmarshalJSON(text []byte) error {
	if string(text) == `"bad"` {
		return exNumberError("/digits", "card")
	}
	return json.Unmarshal(text, &c.Text)
}

type exOrder struct {
	Method exNumber   `json:"method,omitzero"`
	List   []exNumber `json:"list,omitempty"`
	IBAN   exIBAN     `json:"iban,omitempty"`
	From   exIBAN     `query:"from,omitempty"`
	Card   *exCard    `json:"card,omitempty"`
	N      int        `json:"n,omitempty" maximum:"9"`
}

// Verify that the violations of errors of one's own keep their places, together with all
// others.
func TestNestedViolations(t *testing.T) {
	t.Parallel()
	at := func(in, place, number string) string {
		return `{"in":"` + in + `","path":"` + place + number + `","rule":"luhn","message":"has a wrong digit"},{"in":"` + in + `","path":"` + place + `","rule":"x","message":"is no number"}`
	}
	alone := func(in, place, number, why string) string {
		return `422 number {"error":{"code":"INVALID_ARGUMENT","message":"the number is wrong","details":{"violations":[` + at(in, place, number) + `],"why":"` + why + `"}}}`
	}
	all := func(message, list string) string {
		return `400  {"error":{"code":"INVALID_ARGUMENT","message":"` + message + `","details":{"violations":[` + list + `]}}}`
	}
	s, err := exactly[exOrder](nil, svc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, query, body, want string }{
		{"a struct alone", "", `{"method":{"number":"x"}}`, alone("body", "/method", "/number", "x")},
		{"an item alone", "", `{"list":[{},{"number":"y"}]}`, alone("body", "/list/1", "/number", "y")},
		{"a text alone", "", `{"iban":"bad"}`, alone("body", "/iban", "/digits", "iban")},
		{"a text of the query alone", "?from=bad", `{}`, alone("query", "/from", "/digits", "iban")},
		{"JSON alone", "", `{"card":"bad"}`, alone("body", "/card", "/digits", "card")},
		{"two structs", "", `{"method":{"number":"x"},"list":[{"number":"y"}]}`, all("invalid input: /method/number has a wrong digit (and 3 more)", at("body", "/method", "/number")+","+at("body", "/list/0", "/number"))},
		{"a struct and a plain error", "", `{"method":{"number":"x"},"list":[{"number":"plain"}]}`,
			all("invalid input: /method/number has a wrong digit (and 2 more)", at("body", "/method", "/number")+`,{"in":"body","path":"/list/0","rule":"validate","message":"is plain"}`)},
		{"JSON and a rule", "", `{"card":"bad","n":10}`, all("invalid input: /card/digits has a wrong digit (and 2 more)", at("body", "/card", "/digits")+`,{"in":"body","path":"/n","rule":"maximum","message":"must be at most 9","limit":9}`)},
		{"the query and the body", "?from=bad", `{"card":"bad"}`, all("invalid input: /from/digits has a wrong digit (and 3 more)", at("query", "/from", "/digits")+","+at("body", "/card", "/digits"))},
		{"another code", "", `{"method":{"number":"gone"},"list":[{"number":"y"}]}`, `404  {"error":{"code":"NOT_FOUND","message":"there is no such number"}}`},
		{"another code later", "", `{"method":{"number":"x"},"list":[{"number":"gone"}]}`, `404  {"error":{"code":"NOT_FOUND","message":"there is no such number"}}`},
		{"nothing", "", `{"method":{"number":""},"card":"good"}`, "204  "},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/x/do"+test.query, strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			s.REST().ServeHTTP(w, r)
			if got := fmt.Sprint(w.Code, " ", w.Header().Get("X-Why"), " ", w.Body.String()); got != test.want {
				t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
			}
		})
	}
}
