package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"example.com/svc"
)

// This file tests which inputs of calls with one idempotency key are equal, and what their
// records have, by calls over every transport.

// A SecretCard does not show its number. A SecretPin is another value each time it is read.
type (
	SecretCard string
	SecretPin  struct{ Hash string }
)

func (SecretCard) MarshalText() ([]byte, error) { return []byte("****"), nil }
func (c *SecretCard) UnmarshalText(text []byte) error {
	*c = SecretCard(text)
	return nil
}

// A pinSalt is what hashes begin with.
var pinSalt = func() func() string {
	n := make(chan int, 1)
	n <- 0
	return func() string {
		i := <-n + 1
		n <- i
		return fmt.Sprint(i, "-")
	}
}()

func (SecretPin) MarshalJSON() ([]byte, error) { return []byte(`{"hidden":true}`), nil }
func (p *SecretPin) UnmarshalJSON(text []byte) error {
	p.Hash = pinSalt() + string(text)
	return nil
}

// A SecretToken is another value each time it is read, and cannot read what it writes.
type SecretToken struct{ hash string }

func (*SecretToken) MarshalText() ([]byte, error) { return nil, errors.New("a token is not written") }
func (t *SecretToken) UnmarshalText(text []byte) error {
	t.hash = pinSalt() + string(text)
	return nil
}

// A SecretWord is another string each time it is read.
type SecretWord string

func (SecretWord) MarshalText() ([]byte, error) { return []byte("****"), nil }
func (w *SecretWord) UnmarshalText(text []byte) error {
	*w = SecretWord(pinSalt() + string(text))
	return nil
}

// A Transfer has a field for each rule.
type Transfer struct {
	Account string                `json:"-" header:"X-Account,omitempty"`
	Session string                `json:"-" cookie:"session,omitempty"`
	Attempt string                `json:"attempt,omitempty" header:"X-Request-Id,omitempty" idempotency:"-"`
	Card    SecretCard            `json:"card,omitempty"`
	Via     SecretCard            `json:"via,omitempty" query:"through,omitempty"`
	Token   *SecretToken          `json:"token,omitempty" query:"t,omitempty"`
	Other   *SecretToken          `json:"t,omitempty" query:"token,omitempty"` // as another one is called elsewhere
	Pin     *SecretPin            `json:"pin,omitempty"`
	Word    SecretWord            `json:"word,omitempty"`
	Count   uint8                 `json:"count,omitempty"`
	Cards   map[SecretCard]string `json:"cards,omitempty"`
	At      string                `json:"at,omitempty"`
	Cents   int                   `json:"cents" default:"5"`
	Any     json.RawMessage       `json:"any,omitempty"`
	Inner   []TransferPart        `json:"inner,omitempty"`
}

type TransferPart struct {
	Note string `json:"note,omitempty" idempotency:"-"`
	Name string `json:"name"`
}

// Validate fills in what differs between calls.
func (t *Transfer) Validate() error {
	t.At = pinSalt()
	t.Cents++
	return nil
}

type TransferAPI interface {
	Create(ctx context.Context, in *Transfer) (*Transferred, error)
}

type Transferred struct {
	N    int    `json:"n"`
	ETag string `json:"-" header:"ETag,omitempty"`
	Note string `json:"-" header:"X-Note,omitempty"`
}

// transfers counts its calls, and returns what is set.
type transfers struct {
	n          int
	etag, note string
	change     func(http.Header) // of Info.Header
}

func (s *transfers) Create(ctx context.Context, in *Transfer) (*Transferred, error) {
	if !strings.HasSuffix(in.At, "-") {
		return nil, errors.New("Validate was not called")
	}
	if info, _ := svc.InfoFrom(ctx); s.change != nil {
		s.change(info.Header)
	}
	s.n++
	return &Transferred{s.n, s.etag, s.note}, nil
}

// newTransfers returns a service whose store is a map.
func newTransfers(s *transfers, records map[string][]byte) *svc.Service {
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		if record = records[id]; record == nil {
			if record, err = do(ctx); err == nil {
				records[id] = record
			}
		}
		return record, err
	}
	return svc.MustRegister[TransferAPI](s, &svc.Options{Resource: "transfers", Logger: slog.New(slog.DiscardHandler),
		Idempotency: &svc.Idempotency{Run: run}, Methods: map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}}})
}

// A door calls Create with the key k, and returns the answer. Each takes the input as JSON;
// headers are for REST and JSON-RPC.
type door struct {
	name string
	call func(s *svc.Service, input string, headers ...string) string
}

var transferDoors = []door{
	{"REST", func(s *svc.Service, input string, headers ...string) string {
		return textOf(answerTo(s.REST(), "POST", "/transfers", input, append(headers, "Content-Type", "application/json", "Idempotency-Key", "k")...))
	}},
	{"RPC", func(s *svc.Service, input string, headers ...string) string {
		return postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"transfers.create","params":`+input+`}`, append(headers, "Idempotency-Key", "k")...)
	}},
	{"MCP", func(s *svc.Service, input string, headers ...string) string {
		with := strings.Replace(input, "{", `{"idempotency_key":"k",`, 1)
		return callTool(s.MCP(nil), "transfers_create", strings.Replace(with, ",}", "}", 1), headers...)
	}},
}

// again calls twice and reports whether the second answer is that of the first call.
func again(t *testing.T, first, second func(s *svc.Service) string) bool {
	t.Helper()
	s := newTransfers(new(transfers), make(map[string][]byte))
	if answer := first(s); !strings.Contains(answer, `"n":1`) {
		t.Fatalf("the first call: %s", answer)
	}
	answer := second(s)
	same, other := strings.Contains(answer, `"n":1`), strings.Contains(answer, "the idempotency key was used with another")
	if same == other {
		t.Fatalf("the second call: %s", answer)
	}
	return same
}

// Verify on each transport which inputs are equal: as they came, before Validate has changed
// them, and also in types that hide what they have.
func TestKeyInputs(t *testing.T) {
	for _, test := range []struct {
		name, first, second string
		same                bool
	}{
		{"equal, although Validate fills in the time", `{}`, `{}`, true},
		{"another order and other spellings", `{"at":"é","cents":12,"any":{"a":1,"b":[10]}}`, `{ "any":{"b":[1e1],"a":1.0},"cents":1.2e1,"at":"\u00e9"}`, true},
		{"a default", `{}`, `{"cents":5}`, false},
		{"what Validate makes of it", `{}`, `{"cents":6}`, false},
		{"unknown members", `{}`, `{"unknown":1}`, true},
		{"one card", `{"card":"4111"}`, `{"card":"\u0034111"}`, true},
		{"another card", `{"card":"4111"}`, `{"card":"4222"}`, false},
		{"a card that looks hidden", `{"card":"4111"}`, `{"card":"****"}`, false},
		{"no card", `{"card":"4111"}`, `{}`, false},
		{"the keys of a map", `{"cards":{"4111":"a","4222":"b"}}`, `{"cards":{"4222":"b","4111":"a"}}`, true},
		{"another key of a map", `{"cards":{"4111":"a"}}`, `{"cards":{"4222":"a"}}`, false},
		{"what may differ", `{"inner":[{"name":"a","note":"1"}]}`, `{"inner":[{"name":"a","note":"2"}]}`, true},
		{"one count", `{"count":7}`, `{"count":7}`, true},
		{"another count", `{"count":7}`, `{"count":70}`, false},
		{"beside what may differ", `{"inner":[{"name":"a","note":"1"}]}`, `{"inner":[{"name":"b","note":"1"}]}`, false},
	} {
		for _, d := range transferDoors {
			t.Run(d.name+", "+test.name, func(t *testing.T) {
				if d.name == "MCP" && strings.Contains(test.second, "unknown") {
					return // which tools refuse
				}
				call := func(input string) func(*svc.Service) string {
					return func(s *svc.Service) string { return d.call(s, input) }
				}
				if same := again(t, call(test.first), call(test.second)); same != test.same {
					t.Errorf("%s, then %s: equal is %t", test.first, test.second, same)
				}
			})
		}
	}
}

// Verify that a value which is another one each time counts by its text.
func TestKeyInputsRead(t *testing.T) {
	for _, d := range transferDoors {
		t.Run(d.name, func(t *testing.T) {
			call := func(input string) func(*svc.Service) string {
				return func(s *svc.Service) string { return d.call(s, input) }
			}
			if !again(t, call(`{"pin":{"a":1,"b":"c"}}`), call(`{"pin": { "b":"\u0063", "a":1e0 }}`)) {
				t.Error("one pin is two inputs")
			}
			if again(t, call(`{"pin":{"a":1}}`), call(`{"pin":{"a":2}}`)) {
				t.Error("two pins are one input")
			}
			if !again(t, call(`{"word":"a"}`), call(`{"word":"\u0061"}`)) || again(t, call(`{"word":"a"}`), call(`{"word":"b"}`)) {
				t.Error("a word does not count by what was read")
			}
		})
	}
}

// Verify that header and cookie fields count, that a field with idempotency:"-" does not, and
// that a key is one call over all transports unless a header is part of the input.
func TestKeyInputHeaders(t *testing.T) {
	rest, rpc, mcp := transferDoors[0], transferDoors[1], transferDoors[2]
	with := func(d door, input string, headers ...string) func(*svc.Service) string {
		return func(s *svc.Service) string { return d.call(s, input, headers...) }
	}
	query := func(s *svc.Service) string {
		return textOf(answerTo(s.REST(), "POST", "/transfers?through=4111", "{}", "Content-Type", "application/json", "Idempotency-Key", "k"))
	}
	tokens := func(query string) func(*svc.Service) string {
		return func(s *svc.Service) string {
			return textOf(answerTo(s.REST(), "POST", "/transfers?"+query, "{}", "Content-Type", "application/json", "Idempotency-Key", "k"))
		}
	}
	for _, test := range []struct {
		name          string
		first, second func(*svc.Service) string
		same          bool
	}{
		{"one token", tokens("t=a&token=b"), tokens("token=%62&t=a"), true},
		{"another token", tokens("t=a&token=b"), tokens("t=a&token=c"), false},
		{"tokens the other way round", tokens("t=a&token=b"), tokens("t=b&token=a"), false},
		{"tokens, and then members", tokens("t=a&token=b"), with(rpc, `{"token":"a","t":"b"}`), true},
		{"tokens, and then members the other way round", tokens("t=a&token=b"), with(mcp, `{"t":"a","token":"b"}`), false},
		{"one header", with(rest, `{}`, "X-Account", "mine"), with(rest, `{}`, "x-account", "mine"), true},
		{"another header", with(rest, `{}`, "X-Account", "mine"), with(rest, `{}`, "X-Account", "yours"), false},
		{"no header", with(rest, `{}`, "X-Account", "mine"), with(rest, `{}`), false},
		{"an empty header", with(rest, `{}`, "X-Account", ""), with(rest, `{}`), false},
		{"one cookie", with(rest, `{}`, "Cookie", "session=a; b=c"), with(rest, `{}`, "Cookie", "session=a"), true},
		{"another cookie", with(rest, `{}`, "Cookie", "session=a"), with(rest, `{}`, "Cookie", "session=b"), false},
		{"a cookie and a header", with(rest, `{}`, "Cookie", "session=a"), with(rest, `{}`, "X-Account", "a"), false},
		{"a header that may differ", with(rest, `{}`, "X-Request-Id", "1"), with(rest, `{}`, "X-Request-Id", "2"), true},
		{"a header, and then JSON-RPC", with(rest, `{}`, "X-Account", "mine"), with(rpc, `{}`, "X-Account", "mine"), false},
		{"a header, and then MCP", with(rest, `{}`, "X-Account", "mine"), with(mcp, `{}`, "X-Account", "mine"), false},
		{"no header, and then JSON-RPC", with(rest, `{}`), with(rpc, `{"attempt":"2"}`), true},
		{"no header, and then MCP", with(rest, `{"attempt":"1"}`), with(mcp, `{"cents":5}`), false},
		{"a parameter, and then a member", query, with(rpc, `{"via":"4111"}`), true},
		{"a parameter, and then another member", query, with(mcp, `{"via":"4222"}`), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if same := again(t, test.first, test.second); same != test.same {
				t.Errorf("equal is %t", same)
			}
		})
	}
}

// Verify that records do not tell inputs: equal inputs of two keys have other fingerprints, and
// nothing of the input is there.
func TestKeyRecordHides(t *testing.T) {
	records := make(map[string][]byte)
	s := newTransfers(new(transfers), records)
	inputs := make(map[string]bool)
	for _, key := range []string{"a", "b"} {
		answerTo(s.REST(), "POST", "/transfers", `{"card":"4111111111111111"}`, "Content-Type", "application/json", "Idempotency-Key", key)
	}
	for _, record := range records {
		var r struct{ Input string }
		if err := json.Unmarshal(record, &r); err != nil || len(r.Input) != 43 || strings.Contains(string(record), "4111") {
			t.Errorf("%s: %v", record, err)
		}
		inputs[r.Input] = true
	}
	if len(inputs) != 2 {
		t.Errorf("two keys have %d fingerprints", len(inputs))
	}
}

// Verify that an output that REST cannot send is refused before it is committed, over every
// transport, and that the key may be used again.
func TestKeyUnsendable(t *testing.T) {
	for _, test := range []struct{ name, etag, note string }{
		{"an ETag without quotes", "v1", ""},
		{"a line feed in a header", "", "a\nb"},
		{"a text that is no ASCII", "", "é"},
	} {
		for _, d := range transferDoors {
			t.Run(d.name+", "+test.name, func(t *testing.T) {
				impl, records := &transfers{etag: test.etag, note: test.note}, make(map[string][]byte)
				s := newTransfers(impl, records)
				if answer := d.call(s, `{}`); strings.Contains(answer, `"n":1`) || len(records) > 0 {
					t.Errorf("%s, and %d records", answer, len(records))
				}
				impl.etag, impl.note = `"v2"`, "good"
				if answer := d.call(s, `{}`); !strings.Contains(answer, `"n":2`) || len(records) != 1 {
					t.Errorf("then %s, and %d records", answer, len(records))
				}
			})
		}
	}
}

// Verify that every answer has the headers that the method has added in the first call, beside
// those that middleware adds to each, and no cookies.
func TestKeyHeaders(t *testing.T) {
	change := func(h http.Header) {
		h.Set("Link", "</transfers/1>")
		h.Add("Vary", "X-Account")
		h.Del("X-Dropped")
		h.Set("X-Replaced", "by the method")
		h.Set("Set-Cookie", "session=secret")
		h["X-Odd"] = []string{"a\nb", ""}
	}
	middleware := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, name := range []string{"Vary", "X-Dropped", "X-Replaced", "X-Own"} {
				w.Header().Set(name, "of middleware")
			}
			next.ServeHTTP(w, r)
		})
	}
	send := func(s *svc.Service, by string) http.Header {
		if by == "REST" {
			return answerTo(middleware(s.REST()), "POST", "/transfers", `{}`, "Content-Type", "application/json", "Idempotency-Key", "k").Header
		}
		return answerTo(middleware(s.RPC()), "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"transfers.create"}`, "Content-Type", "application/json", "Idempotency-Key", "k").Header
	}
	text := func(h http.Header) string {
		return fmt.Sprintf("%q", []any{h["Link"], h["Vary"], h["X-Dropped"], h["X-Replaced"], h["X-Own"], h["X-Odd"]})
	}
	want := text(http.Header{"Link": {"</transfers/1>"}, "Vary": {"of middleware", "X-Account"}, "X-Replaced": {"by the method"}, "X-Own": {"of middleware"}, "X-Odd": {"a\nb", ""}})
	for _, first := range []string{"REST", "RPC", "MCP"} {
		for _, second := range []string{"REST", "RPC"} {
			t.Run(first+", then "+second, func(t *testing.T) {
				s := newTransfers(&transfers{change: change}, make(map[string][]byte))
				if first == "MCP" {
					callTool(middleware(s.MCP(nil)), "transfers_create", `{"idempotency_key":"k"}`)
				} else if h := send(s, first); text(h) != want || h.Get("Set-Cookie") == "" || h.Get("Idempotent-Replayed") != "" {
					t.Errorf("first: %v", h)
				}
				for range 2 {
					if h := send(s, second); text(h) != want || h.Get("Set-Cookie") != "" || h.Get("Idempotent-Replayed") != "true" {
						t.Errorf("again: %v, want %s", h, want)
					}
				}
			})
		}
	}
}

// Verify that a Service.Call has no header, since it has no response.
func TestKeyHeadersOfCall(t *testing.T) {
	called := false
	s := newTransfers(&transfers{change: func(h http.Header) { called = h == nil }}, make(map[string][]byte))
	if _, err := s.Call(t.Context(), "transfers", "create", new(Transfer)); err != nil || !called {
		t.Errorf("%v; the header is nil: %t", err, called)
	}
}

// Verify that an answer has the headers of its record and not those of a call that was rolled
// back, since another one was faster.
func TestKeyHeadersRolledBack(t *testing.T) {
	records := make(map[string][]byte)
	impl := &transfers{change: func(h http.Header) { h.Set("X-By", "the first") }}
	transferDoors[0].call(newTransfers(impl, records), `{}`)
	impl.change = func(h http.Header) { h.Set("X-By", "the second"); h.Set("X-More", "1") }
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) ([]byte, error) {
		do(ctx)
		return records[id], nil
	}
	s := svc.MustRegister[TransferAPI](impl, &svc.Options{Resource: "transfers", Idempotency: &svc.Idempotency{Run: run},
		Methods: map[string]svc.MethodOptions{"Create": {IdempotencyKey: svc.KeyAllowed}}})
	a := answerTo(s.REST(), "POST", "/transfers", `{}`, "Content-Type", "application/json", "Idempotency-Key", "k")
	if text := textOf(a); !strings.Contains(text, `"n":1`) || a.Header.Get("X-By") != "the first" || a.Header.Get("X-More") != "" {
		t.Errorf("%s %v", text, a.Header)
	}
}

// Verify that a store with records of the release before goes on working: they answer equal
// inputs, and no others. From the first release on, the files are never written again, since
// stores have such records. Records of versions that were never released, and of later ones, are
// UNAVAILABLE, whatever the input is: nothing runs, and nothing is told apart.
func TestKeyRecords(t *testing.T) {
	const id, body = "CaaiBC9uGqXu8uVIT1XUHd6Ulhz6mxQ2WI5wLGDa2IY", `{"to":"ada","any":{"b":[1,null],"a":"é"},"items":[{"name":"n"}]}`
	post := func(s *svc.Service, body string) string {
		a := answerTo(s.REST(), "POST", "/payments", body, "Content-Type", "application/json", "Idempotency-Key", "k", "X-Trace", "7")
		return fmt.Sprint(a.StatusCode, " ", a.Header.Get("Idempotent-Replayed"), " ", a.Header.Get("Location"), " ", a.Header.Get("ETag"), " ", textOf(a))
	}
	p := new(payments)
	s := newPayments(p)
	if post(s, body); string(p.records[id]) == "" {
		t.Fatalf("no record of %s", id)
	}
	golden(t, "records/v3.json", append(p.records[id], '\n'))
	record, err := readText("testdata/records/v3.json")
	if err != nil {
		t.Fatal(err)
	}
	const unreadable = `503    {"error":{"code":"UNAVAILABLE","message":"the answer to this idempotency key cannot be read now; try again later"`
	for _, test := range []struct{ version, same, other string }{
		{"1", unreadable, unreadable},
		{"2", unreadable, unreadable},
		{"3", `201 true payments/1 "1" {"id":1,"to":"ada","at":"2026-01-01T00:00:01.000000005+01:00","any":1152921504606847200}`, `422    {"error":{"code":"INVALID_ARGUMENT"`},
		{"4", unreadable, unreadable},
	} {
		t.Run("version "+test.version, func(t *testing.T) {
			p := new(payments)
			s := newPayments(p)
			p.records[id] = bytes.Replace(bytes.TrimSpace(record), []byte(`{"version":3,`), []byte(`{"version":`+test.version+`,`), 1)
			if got := post(s, body); !strings.HasPrefix(got, test.same) {
				t.Errorf("the same input: %s", got)
			}
			if got := post(s, `{"to":"bob"}`); !strings.HasPrefix(got, test.other) || len(p.made) > 0 {
				t.Errorf("another input: %s, and %d effects", got, len(p.made))
			}
		})
	}
}
