package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"mime/multipart"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/svc"
)

// This file tests which calls with one idempotency key are equal, case by case as doc/keys.md has
// them, with a row for each case.

type (
	DepositAPI interface {
		Create(ctx context.Context, in *Deposit) (*Deposited, error)
		Fill(ctx context.Context, in *DepositForm) (*Deposited, error)
		Put(ctx context.Context, in *DepositID) (*Deposited, error)
		Clear(ctx context.Context) (*Deposited, error)
		Pay(ctx context.Context, in *DepositWay) (*Deposited, error)
		Move(ctx context.Context, in *DepositPart) (*Deposited, error)
	}
	Deposit struct {
		To      string               `json:"to,omitempty"`
		Amount  int                  `json:"amount,omitempty" default:"1"`
		Big     int64                `json:"big,omitempty,string"`
		Ratio   float64              `json:"ratio,omitempty"`
		Exact   json.Number          `json:"exact,omitempty"`
		Fast    *bool                `json:"fast,omitempty"`
		Due     svc.Optional[string] `json:"due,omitzero"`
		At      time.Time            `json:"at,omitzero"`
		Host    *netip.Addr          `json:"host,omitempty"`
		Tags    []string             `json:"tags,omitempty"`
		Parts   []DepositPart        `json:"parts,omitempty"`
		Any     any                  `json:"any,omitempty"`
		Raw     json.RawMessage      `json:"raw,omitempty"`
		Own     *DepositOwn          `json:"own,omitempty"`
		Labels  map[string]int       `json:"labels,omitempty"`
		Ways    []DepositWay         `json:"ways,omitempty"`
		By      DepositBy            `json:"by,omitzero"`
		Whole   *big.Int             `json:"whole,omitempty"`
		Limit   int                  `json:"limit,omitempty" query:"limit,omitempty"`
		Dry     bool                 `json:"dry,omitempty" query:"dry,omitempty"`
		IDs     []int                `json:"ids,omitempty" query:"id,omitempty"`
		Region  string               `json:"region,omitempty" header:"X-Region,omitempty"`
		Account string               `json:"-" header:"X-Account,omitempty"`
		Session string               `json:"-" cookie:"session,omitempty"`
		Attempt string               `json:"attempt,omitempty" header:"X-Request-Id,omitempty" idempotency:"-"`
		Hint    any                  `json:"hint,omitempty" idempotency:"-"`
	}
	DepositPart struct {
		Name string  `json:"name"`
		Note any     `json:"note,omitempty" idempotency:"-"`
		Size float64 `json:"size" default:"2"`
	}
	DepositForm struct {
		To    string   `json:"to,omitempty"`
		Count *int     `json:"count,omitempty"`
		Agree bool     `json:"agree,omitempty"`
		Tags  []string `json:"tags,omitempty"`
	}
	DepositID struct {
		ID string `json:"-" path:"id"`
		To string `json:"to,omitempty"`
	}
	DepositWay struct {
		Type string       `json:"type" discriminator:"true"`
		Card *DepositCard `variant:"card"`
		Cash *DepositCash `variant:"cash"`
	}
	DepositBy struct {
		svc.ByType
		Limit *float64
		Ways  []DepositWay
		Part  *DepositPart
	}
	DepositCard struct {
		Number string `json:"number"`
		Same   int    `json:"same,omitempty"`
	}
	DepositCash struct {
		Coins int    `json:"coins,omitempty"`
		Same  string `json:"same,omitempty"`
	}
	Deposited struct {
		N int `json:"n"`
	}
)

// A DepositOwn has a JSON of its own, of which its text is a member.
type DepositOwn struct{ Text string }

func (o DepositOwn) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"text": o.Text})
}
func (o *DepositOwn) UnmarshalJSON(text []byte) error {
	var x struct{ Text string }
	err := json.Unmarshal(text, &x)
	o.Text = x.Text
	clear(text) // it may write to what it reads
	return err
}

// deposits counts its calls.
type deposits struct{ n int }

func (s *deposits) add() (*Deposited, error)                               { s.n++; return &Deposited{s.n}, nil }
func (s *deposits) Create(context.Context, *Deposit) (*Deposited, error)   { return s.add() }
func (s *deposits) Fill(context.Context, *DepositForm) (*Deposited, error) { return s.add() }
func (s *deposits) Put(context.Context, *DepositID) (*Deposited, error)    { return s.add() }
func (s *deposits) Clear(context.Context) (*Deposited, error)              { return s.add() }
func (s *deposits) Pay(context.Context, *DepositWay) (*Deposited, error)   { return s.add() }

// Move asks before it moves.
func (s *deposits) Move(ctx context.Context, _ *DepositPart) (*Deposited, error) {
	if err := svc.Confirm(ctx, "sure", "Move it?"); err != nil {
		return nil, err
	}
	return s.add()
}

// newDeposits returns a service whose store is a map.
func newDeposits(impl *deposits) *svc.Service {
	records := make(map[string][]byte)
	run := func(ctx context.Context, id string, do func(context.Context) ([]byte, error)) (record []byte, err error) {
		if record = records[id]; record == nil {
			if record, err = do(ctx); err == nil {
				records[id] = record
			}
		}
		return record, err
	}
	o := depositOptions()
	o.Idempotency = &svc.Idempotency{Run: run}
	return svc.MustRegister[DepositAPI](impl, o)
}

func depositOptions() *svc.Options {
	return &svc.Options{Resource: "deposits", Schemes: []svc.Scheme{{Type: "apiKey", Query: "api_key"}}, Methods: map[string]svc.MethodOptions{
		"Create": {Public: true, IdempotencyKey: svc.KeyAllowed},
		"Fill":   {Public: true, IdempotencyKey: svc.KeyAllowed, HTTP: "POST /deposits/fill", Form: true},
		"Put":    {Public: true, IdempotencyKey: svc.KeyAllowed, HTTP: "PUT /deposits/{id}"},
		"Clear":  {Public: true, IdempotencyKey: svc.KeyAllowed, HTTP: "POST /deposits/clear"},
		"Move":   {Public: true, IdempotencyKey: svc.KeyAllowed, HTTP: "POST /deposits/move"},
		"Pay":    {Public: true, IdempotencyKey: svc.KeyAllowed, HTTP: "POST /deposits/pay", Transports: []svc.Transport{svc.TransportREST, svc.TransportRPC}},
	}}
}

// A keyedSend makes a call with the key k and returns the answer.
type keyedSend func(s *svc.Service) string

// The makers of calls. Headers are names and values, one behind the other.
func keyedREST(request, body string, headers ...string) keyedSend {
	method, path, _ := strings.Cut(request, " ")
	return func(s *svc.Service) string {
		h := svc.Version(nil)(s.REST())
		return textOf(answerTo(h, method, path, body, append([]string{"Content-Type", "application/json", "Idempotency-Key", "k"}, headers...)...))
	}
}

func keyedCreate(body string, headers ...string) keyedSend {
	return keyedREST("POST /deposits", body, headers...)
}

func keyedForm(body string) keyedSend {
	return func(s *svc.Service) string {
		return textOf(answerTo(s.REST(), "POST", "/deposits/fill", body, "Content-Type", "application/x-www-form-urlencoded", "Idempotency-Key", "k"))
	}
}

func keyedParts(parts ...string) keyedSend {
	return func(s *svc.Service) string {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for i := 0; i < len(parts); i += 2 {
			w.WriteField(parts[i], parts[i+1])
		}
		w.Close()
		return textOf(answerTo(s.REST(), "POST", "/deposits/fill", body.String(), "Content-Type", w.FormDataContentType(), "Idempotency-Key", "k"))
	}
}

// keyedRPC takes a method and the rest of the message.
func keyedRPC(method, rest string, headers ...string) keyedSend {
	return func(s *svc.Service) string {
		return postRPC(s.RPC(), `{"jsonrpc":"2.0","id":1,"method":"deposits.`+method+`"`+rest+`}`, append(headers, "Idempotency-Key", "k")...)
	}
}

func keyedParams(params string, headers ...string) keyedSend {
	return keyedRPC("create", `,"params":`+params, headers...)
}

// keyedTool takes a method and its arguments without the braces.
func keyedTool(method, arguments string) keyedSend {
	return func(s *svc.Service) string {
		h := s.MCP(&svc.MCPOptions{ReadStrings: true})
		return callTool(h, "deposits_"+method, strings.Replace(`{"idempotency_key":"k",`+arguments+`}`, ",}", "}", 1))
	}
}

// keyedAnswer is a call of 2026-07-28 with the answer to the question of Move, and more answers.
func keyedAnswer(more string) keyedSend {
	return func(s *svc.Service) string {
		return mcpPost(s.MCP(nil), mcpAsk(mcpForms, "tools/call", `"name":"deposits_move","arguments":{"name":"a","idempotency_key":"k"}`+
			`,"inputResponses":{"sure":{"action":"accept","content":{"yes":true}}`+more+`}`)).Body.String()
	}
}

func TestKeyEquality(t *testing.T) {
	rest, rpc, tool := keyedCreate, keyedParams, keyedTool
	const same, other = true, false
	for _, test := range []struct {
		name          string
		first, second keyedSend
		equal         bool
	}{
		// What does not count.
		{"order, white space and escapes", rest(`{"to":"a","tags":["é"]}`), rest("{ \"tags\" : [\"\\u00e9\"],\n\"t\\u006f\":\"\\u0061\"}"), same},
		{"order inside of any", rest(`{"any":{"a":{"x":1,"y":2},"b":3}}`), rpc(`{"any":{"b":3,"a":{"y":2,"x":1}}}`), same},
		{"an unknown member", rest(`{"to":"a"}`), rest(`{"to":"a","unknown":[{"x":1}]}`), same},
		{"an unknown member inside", rest(`{"parts":[{"name":"a"}]}`), rpc(`{"parts":[{"x":0,"name":"a"}]}`), same},
		{"a member of another form of a union", rest(`{"ways":[{"type":"card","number":"1"}]}`), rest(`{"ways":[{"coins":7,"number":"1","type":"card"}]}`), same},
		{"a member of another form, of a whole input", keyedREST("POST /deposits/pay", `{"type":"cash","coins":1}`), keyedRPC("pay", `,"params":{"number":"1","coins":1,"type":"cash"}`), same},
		{"a field that may differ", rest(`{"attempt":"1"}`), rest(`{"hint":{"a":1}}`, "X-Request-Id", "2"), same},
		{"a field inside that may differ", rest(`{"parts":[{"name":"a","note":1}]}`), rest(`{"parts":[{"note":[2],"name":"a"}]}`), same},
		{"the key as an argument", rpc(`{"to":"a"}`), tool("create", `"to":"a"`), same},
		{"the metadata of MCP", tool("create", `"to":"a"`), func(s *svc.Service) string {
			return callTool(s.MCP(nil), "deposits_create", `{"to":"a","idempotency_key":"k"},"_meta":{"progressToken":7}`)
		}, same},
		{"answers to questions", keyedAnswer(""), keyedAnswer(`,"other":{"action":"accept","content":{"n":7}}`), same},
		{"an answer, where nothing is asked again", keyedAnswer(""), keyedRPC("move", `,"params":{"name":"a"}`), same},
		{"the version", rest(`{}`), keyedREST("POST /deposits?version=1", `{}`), same},
		{"the key of a scheme", rest(`{}`), keyedREST("POST /deposits?api_key=secret", `{}`), same},
		{"a parameter that no field has", rest(`{}`), keyedREST("POST /deposits?utm=1", `{}`), same},

		// What counts.
		{"a default that is sent", rest(`{}`), rest(`{"amount":1}`), other},
		{"a default inside that is sent", rest(`{"parts":[{"name":"a"}]}`), rpc(`{"parts":[{"name":"a","size":2}]}`), other},
		{"an empty text", rest(`{}`), rest(`{"to":""}`), other},
		{"an empty list", rest(`{}`), rpc(`{"tags":[]}`), other},
		{"an empty map", rest(`{}`), tool("create", `"labels":{}`), other},
		{"null", rest(`{}`), rest(`{"due":null}`), other},
		{"null in any", rest(`{"any":{}}`), rest(`{"any":{"a":null}}`), other},
		{"the order of a list", rest(`{"tags":["a","b"]}`), rest(`{"tags":["b","a"]}`), other},
		{"a member inside of any", rest(`{"any":[{"a":1}]}`), rest(`{"any":[{"a":1,"b":2}]}`), other},
		{"a member inside of raw JSON", rest(`{"raw":{"a":1}}`), rest(`{"raw":{"a":1,"b":2}}`), other},
		{"a member inside of a JSON of its own", rest(`{"own":{"text":"a"}}`), rest(`{"own":{"text":"a","unknown":2}}`), other},
		{"a member of a map", rest(`{"labels":{"a":1}}`), rest(`{"labels":{"b":1}}`), other},
		{"a value of a map", rest(`{"labels":{"a":1}}`), rest(`{"labels":{"a":2}}`), other},
		{"an alternative by type", rest(`{"by":100}`), rest(`{"by":1e2}`), same},
		{"an alternative by type in another spelling", rest(`{"by":[{"type":"card","number":"1"}]}`), rest(`{"by": [ {"number":"1","type":"card","coins":7} ]}`), same},
		{"an alternative by type with what does not count", rest(`{"by":{"name":"a","note":1}}`), rest(`{"by":{"name":"a"}}`), same},
		{"an alternative by type in a string", tool("create", `"by":"[{\"type\":\"card\",\"number\":\"1\"}]"`), rest(`{"by":[{"type":"card","number":"1"}]}`), same},
		{"another alternative by type", rest(`{"by":1}`), rest(`{"by":[]}`), other},
		{"another value of it", rest(`{"by":[{"type":"card","number":"1"}]}`), rest(`{"by":[{"type":"card","number":"2"}]}`), other},
		{"another form of a union", rest(`{"ways":[{"type":"card","number":"1"}]}`), rest(`{"ways":[{"type":"cash","coins":1}]}`), other},
		{"two spellings of an address", rest(`{"host":"::1"}`), rest(`{"host":"0:0::1"}`), other},
		{"two cases of a letter", rest(`{"to":"A"}`), rest(`{"to":"a"}`), other},
		{"two offsets of a time", rest(`{"at":"2026-01-01T12:00:00Z"}`), rest(`{"at":"2026-01-01T13:00:00+01:00"}`), other},
		{"a long text", rest(`{"to":"` + strings.Repeat("a", 300) + `"}`), rest(`{"to":"` + strings.Repeat("a", 299) + `b"}`), other},
		{"one long text", rest(`{"to":"` + strings.Repeat("a", 300) + `"}`), rpc(`{"to":"\u0061` + strings.Repeat("a", 299) + `"}`), same},

		// Numbers.
		{"one number", rest(`{"amount":1}`), rest(`{"amount":10e-1}`), same},
		{"one number with a point", rest(`{"amount":1.0}`), rpc(`{"amount":1}`), same},
		{"zero below zero", rest(`{"ratio":-0}`), rest(`{"ratio":0.0}`), same},
		{"digits that a float would round", rest(`{"exact":9007199254740993}`), rest(`{"exact":9007199254740992}`), other},
		{"an exponent that nobody writes out", rest(`{"any":1e99999999999999999999}`), rest(`{"any":10e99999999999999999998}`), same},
		{"an exponent below zero", rest(`{"any":10e-100000000000000000000}`), rest(`{"any":1e-99999999999999999999}`), same},
		{"a larger exponent", rest(`{"any":1e99999999999999999999}`), rest(`{"any":1e99999999999999999998}`), other},
		{"a number as a parameter", keyedREST("POST /deposits?limit=20", `{}`), rpc(`{"limit":2e1}`), same},
		{"a boolean as a parameter", keyedREST("POST /deposits?dry=true", `{}`), tool("create", `"dry":true`), same},
		{"a number and a text in any", rest(`{"any":1}`), rest(`{"any":"1"}`), other},
		{"a boolean and a text in any", rest(`{"any":true}`), rest(`{"any":"true"}`), other},
		{"null and a text in any", rest(`{"any":null}`), rest(`{"any":"null"}`), other},
		{"a number and a text in raw JSON", rest(`{"raw":[1]}`), rest(`{"raw":["1"]}`), other},
		{"a text that looks like a number", rest(`{"to":"1"}`), rest(`{"to":"1.0"}`), other},
		{"a list in a string, by ReadStrings", tool("create", `"tags":"[\"a\", \"b\"]"`), rest(`{"tags":["a","b"]}`), same},
		{"an object in a string, by ReadStrings", tool("create", `"labels":"{\"b\":2,\"a\":10e-1}"`), rest(`{"labels":{"a":1,"b":2}}`), same},

		// REST.
		{"a parameter and a member", keyedREST("POST /deposits?id=2&id=1", `{}`), rpc(`{"ids":[2,1]}`), same},
		{"a parameter given once", keyedREST("POST /deposits?id=2", `{}`), rpc(`{"ids":[2]}`), same},
		{"parameters in another order", keyedREST("POST /deposits?id=2&limit=3&id=1", `{}`), keyedREST("POST /deposits?limit=3&id=2&id=1", `{}`), same},
		{"values in another order", keyedREST("POST /deposits?id=2&id=1", `{}`), keyedREST("POST /deposits?id=1&id=2", `{}`), other},
		{"a parameter as a member of the body", keyedREST("POST /deposits?limit=2", `{}`), rest(`{"limit":2}`), other}, // where it is unknown
		{"a header and a member", rest(`{}`, "X-Region", "eu"), tool("create", `"region":"eu"`), same},
		{"a path and a member", keyedREST("PUT /deposits/7", `{"to":"a"}`), keyedRPC("put", `,"params":{"to":"a","id":"7"}`), same},
		{"another path", keyedREST("PUT /deposits/7", `{}`), keyedREST("PUT /deposits/8", `{}`), other},
		{"the path in the body", keyedREST("PUT /deposits/7", `{}`), keyedREST("PUT /deposits/7", `{"id":"8"}`), same},
		{"a form and a member", keyedForm("to=a+b&count=7"), keyedRPC("fill", `,"params":{"count":7,"to":"a b"}`), same},
		{"a form in both encodings", keyedForm("tags=a&to=x&tags=b"), keyedParts("to", "x", "tags", "a", "tags", "b"), same},
		{"a form and a tool", keyedParts("tags", "a"), tool("fill", `"tags":["a"]`), same},
		{"an empty part that is absent", keyedForm("to=a&count="), keyedParts("to", "a"), same},
		{"an empty part that is a text", keyedForm("to="), keyedForm(""), other},
		{"a checkbox", keyedForm("agree=on"), keyedRPC("fill", `,"params":{"agree":true}`), same},
		{"no params", keyedRPC("create", ""), rest(`{}`), same},
		{"no input: nothing and a list", keyedRPC("clear", ""), keyedRPC("clear", `,"params":[]`), same},
		{"no input: an object", keyedRPC("clear", `,"params":{"a":1}`), keyedREST("POST /deposits/clear", ""), same},
		{"no input: any body", keyedREST("POST /deposits/clear", `not JSON`), tool("clear", ""), same},
		{"a header of REST alone", rest(`{}`, "X-Account", "a"), rpc(`{}`), other},
		{"no header of REST alone", rest(`{"to":"a"}`), tool("create", `"to":"a"`), same},
		{"a header that JSON-RPC does not read", rpc(`{}`, "X-Account", "a"), rest(`{}`), same},
		{"a member that is named like a header", rest(`{"X-Account":"a"}`), rest(`{}`, "X-Account", "a"), other},
		{"a cookie and a header", rest(`{}`, "Cookie", "session=a"), rest(`{}`, "X-Account", "a"), other},
	} {
		t.Run(rowName(test.name), func(t *testing.T) {
			s := newDeposits(new(deposits))
			if answer := test.first(s); !strings.Contains(answer, `"n":1`) {
				t.Fatalf("the first call: %s", answer)
			}
			answer := test.second(s)
			isSame, isOther := strings.Contains(answer, `"n":1`), strings.Contains(answer, "the idempotency key was used with another")
			if isSame == isOther || isSame != test.equal {
				t.Errorf("the second call: %s", answer)
			}
		})
	}
}

// Verify that a client sends the same bytes in every attempt, also of a map, and whatever becomes of
// the input meanwhile.
func TestKeyAttempts(t *testing.T) {
	var sent []string
	in := &Deposit{To: "a", Tags: []string{"b"}, Labels: make(map[string]int)}
	for i := range 50 {
		in.Labels[fmt.Sprint(i)] = i
	}
	s := newDeposits(new(deposits))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, r.URL.String()+" "+r.Header.Get("Idempotency-Key")+" "+string(body))
		if in.Tags[0], in.Labels["new"] = "changed", 1; len(sent) < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.REST().ServeHTTP(w, r)
	})
	var client struct {
		Create func(ctx context.Context, in *Deposit) (*Deposited, error)
	}
	if err := svc.Connect[DepositAPI](&client, "http://svc.test", &svc.ClientOptions{Service: depositOptions(), Handler: h}); err != nil {
		t.Fatal(err)
	}
	out, err := client.Create(t.Context(), in)
	if err != nil || out.N != 1 || len(sent) != 3 || sent[0] != sent[1] || sent[1] != sent[2] || !strings.Contains(sent[0], `"tags":["b"]`) {
		t.Errorf("%v, %v, %q", out, err, sent)
	}
}
